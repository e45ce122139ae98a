//! `hopscope doctor INDEX`: what is wrong with an index, and how much lost gold it explains.

use super::interrupt;
use super::llm::LlmArgs;
use super::load::{ProgressBars, check_runs, load};
use super::{How, Parts, Reading};
use crate::evaluate::{Checkup, Doing, Finding, doctor};
use crate::index::{Progress, Step};
use crate::output;
use crate::text::plural;
use anyhow::{Result, bail};
use clap::Args;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// An index folder or a corpus; the bundled sample without one.
    index: Option<PathBuf>,
    /// The method whose graph and lost gold are looked at; 'hopscope methods' lists them.
    #[arg(long, short)]
    method: Option<String>,
    #[command(flatten)]
    parts: Parts,
    /// Set a parameter; 'hopscope parameters' lists them. May be repeated.
    #[arg(long = "set", short, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Settings under a name: hotpotqa, 2wiki, or one of your own; 'hopscope methods' lists them. --set goes before.
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    #[command(flatten)]
    reading: Reading,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &DoctorArgs) -> Result<()> {
    let how = How {
        parts: args.parts.clone(),
        set: args.set.clone(),
        preset: args.preset.clone(),
        ..How::default()
    };
    let mut settings = how.settings(args.method.as_deref())?;
    let path = args.index.as_deref();
    let index = load(path, &args.reading, &LlmArgs::default(), &mut settings)?;
    if !index.questions().is_empty() {
        check_runs(&index, index.questions(), std::slice::from_ref(&settings))?;
    }
    interrupt::watch();
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
    if args.json {
        let mut told = json!(checkup);
        told["index"] = json!({"name": index.name(), "fingerprint": index.fingerprint()});
        told["questions"] = json!(index.questions().len());
        told["settings"] = json!(settings);
        return super::print_json(&told);
    }
    print(&mut output::text(), index.name(), &checkup)?;
    Ok(())
}

fn print(out: &mut impl Write, name: &str, checkup: &Checkup) -> std::io::Result<()> {
    let graph = match checkup.graph {
        Some(graph) => format!("graph {graph}"),
        None => "no graph".to_owned(),
    };
    writeln!(out, "{name} · {} · {graph}", checkup.method)?;
    match checkup.gold {
        0 => writeln!(
            out,
            "no question has gold: what the faults cost is not known"
        )?,
        gold => writeln!(
            out,
            "{} of {} lost, {} with a fault that holds for it",
            checkup.lost,
            plural(gold, "gold passage"),
            checkup.explained
        )?,
    }
    for finding in &checkup.findings {
        print_finding(out, finding)?;
    }
    Ok(())
}

fn print_finding(out: &mut impl Write, finding: &Finding) -> std::io::Result<()> {
    let Finding {
        fault, count, of, ..
    } = finding;
    let share = 100.0 * *count as f64 / (*of).max(1) as f64;
    let what = fault.about();
    let among = fault.among();
    writeln!(
        out,
        "\n{:>6} lost gold   {count} {what} ({share:.1} % of {of} {among})",
        finding.explains
    )?;
    if !finding.detail.is_empty() {
        writeln!(out, "{:19}{}", "", finding.detail)?;
    }
    if !finding.examples.is_empty() {
        writeln!(out, "{:19}as {}", "", finding.examples.join("; "))?;
    }
    if !finding.remedy.is_empty() {
        writeln!(out, "{:19}remedy: {}", "", finding.remedy)?;
    }
    Ok(())
}
