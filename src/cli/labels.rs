//! `hopscope labels`: what annotators said, as corrected gold, as questions, for other tools; and how far two agree.

use super::figures::known;
use super::grid::{Grid, cells};
use super::load::load;
use super::{Reading, write_file};
use crate::evaluate::labels::{
    Agreement, Kappa, LABEL_STUDIO_VIEW, Label, Labels, agreement, argilla, corrected,
    label_studio, lines, qrels, questions,
};
use crate::explorer::store::Folders;
use crate::explorer::text::plural;
use crate::index::Index;
use crate::output;
use crate::retrieve::{DEFAULT_METHOD, Method, Settings};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct LabelsArgs {
    /// Index or corpus (default: the sample), then a label file (default: yours for this index). With --agreement, one or
    /// two label files.
    #[arg(num_args = 0..=2, value_names = ["INDEX", "FILE"])]
    paths: Vec<PathBuf>,
    /// Export format; qrels and questions hold the corrected gold.
    #[arg(long = "as", value_name = "KIND", default_value = "jsonl")]
    kind: Kind,
    /// Write it to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Measure agreement between two annotators, from two files or one.
    #[arg(long, conflicts_with_all = ["kind", "out"])]
    agreement: bool,
    /// With --agreement, one JSON object.
    #[arg(long, requires = "agreement")]
    json: bool,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Gold of the index's questions with the labels applied, for eval --qrels.
    Qrels,
    /// All questions, those typed by hand too, with their gold, for eval --questions and index --questions.
    Questions,
    /// The valid labels.
    Jsonl,
    /// Records for Dataset.records.from_json of Argilla 2.
    Argilla,
    /// Tasks with annotations for the import of Label Studio.
    LabelStudio,
}

pub fn run(args: &LabelsArgs) -> Result<()> {
    if args.agreement {
        return agree(args);
    }
    let method = Method::by_name(DEFAULT_METHOD).map_err(anyhow::Error::msg)?;
    let path = args.paths.first().map(PathBuf::as_path);
    let index = load(path, &args.reading, &mut Settings::new(method))?;
    let file = match args.paths.get(1) {
        Some(file) => file.clone(),
        None => Folders::find()
            .context("no home folder found for labels; name a label file")?
            .labels_file(index.fingerprint()),
    };
    let labels = read(&file)?;
    let standing = labels.standing();
    let foreign = standing.iter().filter(|l| l.index != index.fingerprint());
    let foreign = foreign.count();
    if foreign > 0 {
        let labels = plural(foreign, "label");
        note!("hopscope: {labels} come from another index; they are matched by passage id");
    }
    let pretty = |value| serde_json::to_string_pretty(&value).map(|text| text + "\n");
    let text = match args.kind {
        Kind::Jsonl => lines(&standing),
        Kind::Argilla => pretty(argilla(&index, &standing))?,
        Kind::LabelStudio => pretty(label_studio(&index, &standing))?,
        Kind::Qrels | Kind::Questions => gold(&index, &labels, args.kind),
    };
    match &args.out {
        Some(out) => {
            write_file(out, text.as_bytes())?;
            let labels = plural(standing.len(), "label");
            note!("{labels} of {} in {}", file.display(), out.display());
        }
        None if args.kind == Kind::Qrels => output::table().write_all(text.as_bytes())?,
        None => output::json().write_all(text.as_bytes())?,
    }
    if args.kind == Kind::LabelStudio {
        note!("the labelling interface they belong to:\n{LABEL_STUDIO_VIEW}");
    }
    Ok(())
}

/// Corrected gold, and what could not be applied.
fn gold(index: &Index, labels: &Labels, kind: Kind) -> String {
    let made = corrected(index, labels);
    let told = [
        (
            made.strange,
            "label",
            "of questions or passages that this index has not",
        ),
        (
            made.contested,
            "passage",
            "judged more than once: the latest label counts",
        ),
        (
            [0, made.questions.len() - made.of_index][usize::from(kind == Kind::Qrels)],
            "question",
            "typed questions left out; export them with --as questions",
        ),
    ];
    for (count, noun, about) in told.into_iter().filter(|told| told.0 > 0) {
        note!("hopscope: {} {about}", plural(count, noun));
    }
    match kind {
        Kind::Qrels => qrels(index, &made),
        _ => questions(index, &made),
    }
}

pub fn read(file: &Path) -> Result<Labels> {
    let (labels, notes) = Labels::read(file).map_err(anyhow::Error::msg)?;
    notes.iter().for_each(|note| note!("hopscope: {note}"));
    Ok(labels)
}

fn agree(args: &LabelsArgs) -> Result<()> {
    if args.paths.is_empty() {
        bail!("--agreement: name one or two files of labels");
    }
    let files = args
        .paths
        .iter()
        .map(|file| read(file))
        .collect::<Result<Vec<_>>>()?;
    let name = |file: &Path| file.display().to_string();
    let (names, sides): ([String; 2], [Vec<&Label>; 2]) = match &files[..] {
        [a, b] => (
            [name(&args.paths[0]), name(&args.paths[1])],
            [a.standing(), b.standing()],
        ),
        _ => {
            let all = files[0].standing();
            let who: BTreeSet<&str> = all.iter().map(|label| &*label.annotator).collect();
            let who: Vec<&str> = who.into_iter().collect();
            let &[a, b] = &who[..] else {
                bail!(
                    "{}: labels of {}, not of two annotators; name two files",
                    args.paths[0].display(),
                    plural(who.len(), "annotator")
                );
            };
            let of = |who: &str| {
                let own = all.iter().filter(|label| label.annotator == who);
                own.copied().collect()
            };
            ([a.to_owned(), b.to_owned()], [of(a), of(b)])
        }
    };
    let told = agreement(&sides[0], &sides[1]);
    match args.json {
        true => super::print_json(&told),
        false => print(&names, &told),
    }
}

fn print(names: &[String; 2], told: &Agreement) -> Result<()> {
    let mut out = output::text();
    let [a, b] = names;
    let (both, only_a, only_b) = (told.both, told.only_a, told.only_b);
    writeln!(out, "both {both}   only {a} {only_a}   only {b} {only_b}")?;
    let mut grid = Grid::headed("<8>6>7>9>8", "on|both|alike|chance|kappa");
    let figure = |value: f64| format!("{value:.3}");
    let mut row = |on: &str, of: &Kappa| {
        let kappa = known(of.kappa, figure);
        grid.row(cells![on, of.both, of.alike, figure(of.chance), kappa]);
    };
    row("grade", &told.grades);
    row("cause", &told.causes);
    row("gold", &told.gold);
    write!(out, "\n{grid}")?;
    if !told.disagreements.is_empty() {
        writeln!(out, "\nquestion\tpassage\ton\t{a}\t{b}")?;
    }
    for d in &told.disagreements {
        let (question, passage, on) = (&d.question, &d.passage, &d.on);
        writeln!(out, "{question}\t{passage}\t{on}\t{}\t{}", d.a, d.b)?;
    }
    Ok(())
}
