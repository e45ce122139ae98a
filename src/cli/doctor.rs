//! `hopscope doctor INDEX`: what is wrong with an index, and how much lost gold it explains.

use super::eval::asked;
use super::figures::{self, among};
use super::grid::{Grid, cells};
use super::interrupt;
use super::load::{ProgressBars, check_runs, load};
use super::{How, Parts, Reading, Tuning, vectors_misfit};
use crate::evaluate::ppr::{self, PprCheck};
use crate::evaluate::{Checkup, Doing, Finding, doctor};
use crate::index::{Index, IndexName, Progress, Step};
use crate::output;
use crate::retrieve::Settings;
use crate::text::{Language, figures as text, plural};
use anyhow::{Result, bail};
use clap::Args;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// An index folder or a corpus; default: the sample.
    index: Option<PathBuf>,
    /// Method whose graph and missed gold are checked; 'hopscope methods' lists them.
    #[arg(long, short)]
    method: Option<String>,
    #[command(flatten)]
    parts: Parts,
    #[command(flatten)]
    tuning: Tuning,
    #[command(flatten)]
    reading: Reading,
    /// Whether Personalized PageRank helps on this graph: its shape, where mass lies, which damping and hub penalty, and a
    /// table of methods.
    #[arg(long, conflicts_with_all = ["method", "seeds", "graph", "spread", "select"])]
    ppr: bool,
    /// With --ppr: questions, in place of those the index has.
    #[arg(long, requires = "ppr", value_name = "FILE")]
    questions: Option<PathBuf>,
    /// With --ppr: the gold of those questions.
    #[arg(long, requires = "questions", value_name = "FILE")]
    qrels: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// An index and its faults.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Checked<'a> {
    #[serde(flatten)]
    checkup: &'a Checkup,
    /// The index.
    index: IndexName,
    /// Code of the language that its words are cut by.
    language: Language,
    /// Why the vectors do not fit the language of the corpus; null where they do.
    vectors_misfit: Option<String>,
    /// Questions of the set.
    questions: usize,
    /// All parameters of the method.
    settings: &'a Settings,
}

/// Whether Personalized PageRank helps on the graph of an index.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Tested<'a> {
    #[serde(flatten)]
    found: &'a PprCheck,
    /// The index.
    index: IndexName,
}

pub fn run(args: &DoctorArgs) -> Result<()> {
    let how = How {
        parts: args.parts.clone(),
        ..args.tuning.how()
    };
    let mut settings = how.settings(args.method.as_deref())?;
    let index = load(args.index.as_deref(), &args.reading, &mut settings)?;
    if !index.questions().is_empty() {
        check_runs(&index, index.questions(), [&settings])?;
    }
    interrupt::watch();
    if args.ppr {
        return ppr(args, &index);
    }
    let bars = ProgressBars::of(&[]);
    let tell = |doing, done, all| {
        let step = match doing {
            Doing::Names => Step::Layer("names"),
            Doing::Questions => Step::Layer("questions"),
        };
        bars.advance(step, done, all)
    };
    let found = doctor(&index, index.questions(), &settings, tell);
    bars.clear();
    let Some(checkup) = found? else {
        bail!("interrupted before everything was looked at");
    };
    let encoder = index.dense().map(|dense| &*dense.entry.encoder);
    let misfit = vectors_misfit(index.language(), encoder);
    if args.json {
        return super::print_json(&Checked {
            checkup: &checkup,
            index: index.called_by(),
            language: index.language(),
            vectors_misfit: misfit,
            questions: index.questions().len(),
            settings: &settings,
        });
    }
    print(&mut output::text(), &index, &checkup, misfit)?;
    Ok(())
}

/// `hopscope doctor INDEX --ppr`
fn ppr(args: &DoctorArgs, index: &Arc<Index>) -> Result<()> {
    let files = [args.questions.as_deref(), args.qrels.as_deref()];
    let questions = asked(index, files, &args.reading)?;
    let bars = ProgressBars::of(&[]);
    let tell = |done, all| bars.advance(Step::Layer("methods"), done, all);
    let found = ppr::check(index, &questions, &tell);
    bars.clear();
    let found = found?;
    if args.json {
        return super::print_json(&Tested {
            found: &found,
            index: index.called_by(),
        });
    }
    print_ppr(&mut output::text(), index.name(), &found)?;
    Ok(())
}

fn print_ppr(out: &mut impl Write, name: &str, found: &PprCheck) -> std::io::Result<()> {
    let (shape, mass) = (&found.shape, &found.mass);
    writeln!(
        out,
        "{name} · Personalized PageRank on graph {}",
        shape.graph
    )?;
    writeln!(out, "{}\n", found.verdict)?;
    let mut grid = Grid::new("  <18 <");
    let hubs = shape
        .hubs
        .iter()
        .map(|hub| format!("{} {}", hub.label, hub.degree));
    let hubs = hubs.collect::<Vec<_>>().join(", ");
    let percent = |share: f64| figures::percent(share, 1.0, 0);
    grid.row(cells![
        "graph",
        format!(
            "{}, {}",
            plural(shape.nodes, "node"),
            plural(shape.edges, "edge")
        )
    ]);
    let parts = plural(shape.components, "component");
    let largest = percent(shape.largest);
    grid.row(cells![
        "components",
        format!(
            "{parts}, {largest} of the nodes in the largest; {} without an edge",
            plural(shape.isolated, "passage")
        )
    ]);
    grid.row(cells![
        "hubs",
        format!(
            "{} of all edge ends at 1 % of the nodes: {hubs}",
            percent(shape.hub_share)
        )
    ]);
    if mass.asked > 0 {
        grid.row(cells![
            "names found",
            format!("in {} of {}", mass.named, plural(mass.asked, "question"))
        ]);
        let flat = match mass.top {
            top if top < 0.3 => "flat",
            top if top < 0.7 => "spread",
            _ => "peaked",
        };
        grid.row(cells![
            "mass",
            format!(
                "{flat}: the first 10 of {:.0} passages reached hold {}",
                mass.reached,
                percent(mass.top)
            )
        ]);
    }
    grid.row(cells![
        "questions",
        format!("{} {}", found.questions, found.asked.label())
    ]);
    if let Some(tried) = &found.tried {
        let gain = tried.gain.as_ref().map_or(String::new(), |gain| {
            format!(
                "; on the other half of the questions {}",
                gain.sentence("R@5")
            )
        });
        grid.row(cells![
            "best settings",
            format!(
                "alpha {} (damping {:.2}), hub_p {}{gain}",
                tried.alpha,
                1.0 - tried.alpha,
                tried.hub_p
            )
        ]);
    }
    write!(out, "{grid}")?;
    if found.rows.is_empty() {
        return Ok(());
    }
    let mut grid = Grid::headed(
        "  <18 >6 >7 >18  <16 >8",
        "method|R@5|vs. rrf|95 % interval||p50 ms",
    );
    for row in &found.rows {
        let gain = row.gain.as_ref();
        let change = gain.map_or(String::new(), |gain| text::signed(gain.difference));
        let interval = gain
            .and_then(|gain| gain.interval)
            .map_or(String::new(), text::interval);
        let verdict = gain.map_or(String::new(), |gain| gain.verdict());
        grid.row(cells![
            row.method,
            text::measure(row.recall),
            change,
            interval,
            verdict,
            format!("{:.2}", row.milliseconds)
        ]);
    }
    write!(out, "\n{grid}")
}

fn print(
    out: &mut impl Write,
    index: &Index,
    checkup: &Checkup,
    misfit: Option<String>,
) -> std::io::Result<()> {
    let (name, language) = (index.name(), index.language());
    let graph = match checkup.graph {
        Some(graph) => format!("graph {graph}"),
        None => "no graph".to_owned(),
    };
    writeln!(
        out,
        "{name} · {} · {graph} · words cut as {language}",
        checkup.method
    )?;
    if let Some(misfit) = misfit {
        writeln!(out, "{misfit}")?;
    }
    let (lost, explained) = (checkup.lost, checkup.explained);
    let gold = match checkup.gold {
        0 => "no question has gold: what the faults cost is not known".to_owned(),
        gold => {
            let gold = plural(gold, "gold passage");
            format!("{lost} of {gold} missed, {explained} explained by a fault")
        }
    };
    writeln!(out, "{gold}")?;
    for finding in &checkup.findings {
        print_finding(out, finding)?;
    }
    Ok(())
}

fn print_finding(out: &mut impl Write, finding: &Finding) -> std::io::Result<()> {
    let (count, of, fault) = (finding.count, finding.of, finding.fault);
    let (share, what, where_) = (among(count, of, 1), fault.about(), fault.among());
    let mut grid = Grid::new(">6 <   <");
    let found = format!("{count} {what} ({share} of {of} {where_})");
    grid.row(cells![finding.explains, "missed gold", found]);
    let examples = finding.examples.join("; ");
    let more = [
        ("", &finding.detail),
        ("as ", &examples),
        ("remedy: ", &finding.remedy),
    ];
    for (head, text) in more.into_iter().filter(|(_, text)| !text.is_empty()) {
        grid.row(["", "", &format!("{head}{text}")]);
    }
    write!(out, "\n{grid}")
}
