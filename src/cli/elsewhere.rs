//! `hopscope publish INDEX --to ADDRESS`, and questions to what was published.

use super::load::{ProgressBars, Read};
use super::{Reading, interrupt, say};
use crate::corpus::{Report, Tally};
use crate::exchange::postgres::is_one;
use crate::index::attached::Attached;
use crate::index::build::STATIC;
use crate::index::published::{self, Lost, Placed, Publication, Published};
use crate::index::rows::{Rows, copy};
use crate::index::{Index, Progress, Step};
use crate::retrieve::{Settings, elsewhere};
use crate::text::figures::share;
use crate::text::{count, plural};
use anyhow::{Result, bail};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Debug, Args)]
pub struct PublishArgs {
    /// Index folder, made by 'hopscope index'.
    pub index: PathBuf,
    /// Database to write to, or several that each take a part: postgres://[USER@]HOST/DATABASE[,HOST/DATABASE
    /// ...][?schema=NAME]. The schema is 'hopscope' unless named.
    #[arg(long, value_name = "ADDRESS")]
    pub to: PathBuf,
    /// Remove all versions but the new one.
    #[arg(long)]
    pub remove_old: bool,
    /// Print what was done as JSON.
    #[arg(long)]
    pub json: bool,
}

/// What was published.
#[derive(Serialize)]
struct Done<'a> {
    #[serde(flatten)]
    publication: &'a Publication,
    seconds: f64,
}

pub fn publish(args: &PublishArgs) -> Result<()> {
    address(&args.to)?;
    let bars = ProgressBars::of(&[Step::Check, Step::Write]);
    interrupt::watch();
    let start = Instant::now();
    let index = Index::open_to_copy(&args.index, &bars)?;
    let publication = published::publish(&index, &args.to, args.remove_old, &bars);
    bars.clear();
    let publication = publication?;
    let seconds = start.elapsed().as_secs_f64();
    if args.json {
        return super::print_json(&Done {
            publication: &publication,
            seconds,
        });
    }
    let Publication {
        databases,
        schema,
        rows,
        resumed,
        known,
        removed,
        vectors: _,
        lack_extension,
    } = &publication;
    let what = match known {
        true => "was there already".to_owned(),
        false => format!("{} rows in {:.1} s", count(*rows), seconds),
    };
    let place = |one: &Placed| format!("{} (version {})", one.place, one.version);
    let places: Vec<String> = databases.iter().map(place).collect();
    let places = places.join(", ");
    say(format!("published to {places}, schema {schema}: {what}"));
    if *resumed > 0 {
        say(format!(
            "{} were complete from an earlier run",
            plural(*resumed, "table")
        ));
    }
    if !lack_extension.is_empty() {
        say(format!(
            "vectors left out: no extension vector (pgvector) in {}; run CREATE EXTENSION vector there, and publish again",
            lack_extension.join(", ")
        ));
    }
    if *removed > 0 {
        say(format!("{} removed", plural(*removed, "older version")));
    }
    Ok(())
}

/// Holds that a path is the address of a database.
pub fn address(to: &Path) -> Result<()> {
    if !is_one(to) {
        let to = to.display();
        bail!("--to {to}: no address of a database; write postgres://HOST/DATABASE");
    }
    Ok(())
}

/// The index that is published where a path is the address of a database; none where nothing is. Its questions are encoded as
/// it says, or by the encoder that a person names. A `partial` one may lack databases that cannot be reached.
pub fn published(
    path: Option<&Path>,
    encoder: Option<&str>,
    partial: bool,
) -> Result<Option<Published>> {
    let found = path.map(|path| Published::find(path, encoder, partial));
    Ok(found.transpose()?.flatten())
}

/// What a path names that questions are asked where it lies: an index that is published, or tables of another system with many
/// texts. The settings are completed as they run there. Tables are not asked but copied where rows do not serve the settings,
/// unless their address asks for rows.
pub fn rows(
    path: Option<&Path>,
    reading: &Reading,
    settings: &mut Settings,
) -> Result<Option<Box<dyn Rows>>> {
    let encoder = reading.encoder.as_deref();
    if let Some(published) = published(path, encoder, reading.lossy.partial)? {
        *settings = elsewhere::fitted(published.whole(), settings)?;
        return Ok(Some(Box::new(published)));
    }
    let attached = match path.filter(|path| is_one(path)) {
        Some(path) => Attached::find(path, reading.language.0)?,
        None => None,
    };
    let Some(attached) = attached else {
        return Ok(None);
    };
    match elsewhere::fitted(attached.whole(), settings) {
        Err(_) if !attached.is_asked() => Ok(None),
        fitted => {
            *settings = fitted?;
            Ok(Some(Box::new(attached)))
        }
    }
}

/// The texts and the questions of what is published, and how names were found in them.
pub fn copied(published: &Published, progress: &dyn Progress) -> Result<Read> {
    let whole = published.whole();
    let total = whole.passages as usize;
    let corpus = copy(published, &|done| progress.advance(Step::Copy, done, total))?;
    progress.advance(Step::Copy, total, total);
    let counted = |read| Tally {
        read,
        kept: read,
        ..Tally::default()
    };
    let mut report = Report {
        files: published.tables(),
        passages: counted(corpus.passages.len()),
        questions: counted(corpus.questions.len()),
        notes: vec!["texts of a published index".to_owned()],
        ..Report::default()
    };
    let made = whole.vectors.as_ref().map(|made| &*made.entry.encoder);
    if let Some(made) = made.filter(|made| *made != STATIC) {
        report.notes.push(format!(
            "its vectors are of {made}, here of the built-in table unless --encoder names another"
        ));
    }
    Ok(Read {
        report: Some(report),
        options: Some(whole.options.clone()),
        ..corpus.into()
    })
}

/// Says on stderr what the last answers of an index cost, where it lies in a database.
pub fn spent(index: &Index) {
    let source = index.source();
    if let Some(spent) = source.and_then(|source| source.rows().spent()) {
        note!("{spent}");
    }
}

/// What an answer lacks because databases could not be reached, or because of hubs, in one line.
pub fn lost(lost: &Lost) -> String {
    let (mut lacks, mut at) = (Vec::new(), Vec::new());
    if !lost.databases.is_empty() {
        lacks.push(format!(
            "partial answer, without {}: names, passages and vectors there could not be found",
            lost.databases.join(", ")
        ));
    }
    if lost.nodes > 0 {
        at.push(format!("{} there", plural(lost.nodes, "node")));
    }
    if lost.hubs > 0 {
        let hubs = plural(lost.hubs, "node");
        at.push(format!(
            "{hubs} with more neighbours than are followed; hub=N in the address sets how many are"
        ));
    }
    if !at.is_empty() {
        let mass = share(lost.mass);
        let at = at.join(" and at ");
        lacks.push(format!("up to {mass} of a walk's mass stopped at {at}"));
    }
    if !lost.words.is_empty() {
        let words = lost.words.join(", ");
        lacks.push(format!("words not looked up: {words}"));
    }
    if lost.passages > 0 {
        lacks.push(format!("not read: {}", plural(lost.passages, "passage")));
    }
    lacks.join("; ")
}
