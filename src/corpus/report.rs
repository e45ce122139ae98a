//! The account of a reading: every record is kept, merged, left out as bad, or left unresolved.

use super::unread::{self, Unread};
use super::{BadRecord, Format, What};
use crate::exchange::given::{Account, Given};
use crate::exchange::postgres;
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// How many entries of a list are kept; the count goes on.
pub const LISTED: usize = 100;

/// A list that keeps its first [`LISTED`] entries and the full count.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Listed<T> {
    /// Number of all.
    pub count: usize,
    /// The first 100.
    pub first: Vec<T>,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Self {
            count: 0,
            first: Vec::new(),
        }
    }
}

impl<T> Listed<T> {
    pub(super) fn push(&mut self, entry: T) {
        self.count += 1;
        if self.first.len() < LISTED {
            self.first.push(entry);
        }
    }
}

/// `read = kept + merged + bad`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tally {
    /// Records read.
    pub read: usize,
    /// Records kept.
    pub kept: usize,
    /// The same thing was there already.
    pub merged: usize,
    /// Left out, see [`Report::bad`].
    pub bad: usize,
}

/// `read = kept + merged + bad + unresolved + not_relevant`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GoldTally {
    /// Links read.
    pub read: usize,
    /// Links kept.
    pub kept: usize,
    /// The same question and passage were linked already (two supporting sentences of one passage, say).
    pub merged: usize,
    /// Left out as bad records.
    pub bad: usize,
    /// The passage or the question is not there, see [`Report::unresolved`].
    pub unresolved: usize,
    /// Judged with grade zero or below: no link, and no fault.
    pub not_relevant: usize,
}

/// A bad record and what it would have been.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOut {
    /// What it should have been.
    pub what: What,
    #[serde(flatten)]
    pub record: BadRecord,
}

/// A gold link that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unresolved {
    /// Identifier of the question.
    pub question: String,
    /// The passage as the data set named it.
    pub named: String,
    /// The question itself is not among the questions read.
    pub unknown_question: bool,
}

/// A passage or question whose identifier was taken by another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Renamed {
    /// The identifier in the file.
    pub from: String,
    /// The identifier it has now.
    pub to: String,
    /// The file.
    pub path: PathBuf,
}

/// One thing that was read: a file, or a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceReport {
    /// File or folder.
    pub path: PathBuf,
    /// How it was read.
    pub format: Format,
}

/// What was read and what became of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// Files and folders that were named.
    pub sources: Vec<SourceReport>,
    /// Every file that was read.
    pub files: Vec<PathBuf>,
    /// Passages.
    pub passages: Tally,
    /// Questions.
    pub questions: Tally,
    /// Gold links.
    pub gold: GoldTally,
    /// Questions kept although no gold link of theirs leads to a passage.
    pub without_gold: usize,
    /// Bad records that were left out.
    pub bad: Listed<LeftOut>,
    /// Gold links that lead nowhere.
    pub unresolved: Listed<Unresolved>,
    /// Passages and questions with another identifier than in the file.
    pub renamed: Listed<Renamed>,
    /// Anything else worth knowing: files beside that were not read, empty files.
    pub notes: Vec<String>,
    /// Files beside that are of a kind which is not read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<Unread>,
    /// Graphs of other systems, one a source.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub graphs: Vec<GraphReport>,
    /// Graphs of databases, which change: a layer is built from what was read, not from what is there later. Their texts are
    /// the passages.
    #[serde(skip)]
    pub copies: Vec<Arc<Given>>,
}

/// The graph of another system, and what became of its parts.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GraphReport {
    /// Who made it.
    pub system: String,
    /// Which files and columns it has.
    pub generation: String,
    /// What was read, kept, repaired and left out.
    pub account: Account,
}

impl Report {
    /// One line: the files that were read, what was kept of them and what was left out.
    pub fn summary(&self) -> String {
        let count = |n: usize, what: &str| crate::text::plural(crate::text::count(n), what);
        let tables = self.files.iter().filter(|file| postgres::is_one(file));
        let tables = tables.count();
        let files = match (self.files.len() - tables, tables) {
            (files, 0) => count(files, "file"),
            (0, tables) => count(tables, "table"),
            (files, tables) => format!("{} and {}", count(files, "file"), count(tables, "table")),
        };
        let kept = count(self.passages.kept, "passage");
        let left = self.bad.count;
        let left = match left {
            0 => String::new(),
            n => format!(", {} left out", count(n, "record")),
        };
        let graphs = self.graphs.iter().map(|graph| {
            let kept = graph.account.tables.iter().skip(1);
            let kept =
                kept.map(|table| format!("{} {}", crate::text::count(table.kept), table.name));
            let kept = kept.collect::<Vec<_>>().join(", ");
            let from = match tables {
                0 => String::new(),
                _ => format!(", from {}", graph.generation),
            };
            format!("{} graph: {kept}{from}", graph.system)
        });
        let unread: Vec<String> = self.unread.iter().map(Unread::counted).collect();
        let unread = (!unread.is_empty()).then(|| format!("not read: {}", unread.join(", ")));
        let beside: String = graphs
            .chain(unread)
            .chain(self.notes.iter().cloned())
            .map(|note| format!("; {note}"))
            .collect();
        format!("read {files}: {kept}{left}{beside}")
    }

    /// Whether every record went where it should: nothing left out, unresolved or renamed, and no file beside that holds text
    /// and was not read.
    pub fn is_clean(&self) -> bool {
        self.bad.count + self.unresolved.count + self.renamed.count == 0
            && self.unread.iter().all(|unread| unread.remedy.is_none())
    }

    /// Calls files as the person does who named them.
    pub(super) fn renamed_paths(&mut self, rename: &dyn Fn(&mut PathBuf)) {
        self.files.iter_mut().for_each(rename);
        let sources = self.sources.iter_mut();
        sources.for_each(|source| rename(&mut source.path));
        let bad = self.bad.first.iter_mut();
        bad.for_each(|bad| rename(&mut bad.record.place.file));
        let renamed = self.renamed.first.iter_mut();
        renamed.for_each(|renamed| rename(&mut renamed.path));
    }

    pub(super) fn leave_out(&mut self, what: What, record: BadRecord) {
        match what {
            What::Passage => {
                (self.passages.read, self.passages.bad) =
                    (self.passages.read + 1, self.passages.bad + 1)
            }
            What::Question => {
                (self.questions.read, self.questions.bad) =
                    (self.questions.read + 1, self.questions.bad + 1);
            }
            What::Gold => (self.gold.read, self.gold.bad) = (self.gold.read + 1, self.gold.bad + 1),
        }
        self.bad.push(LeftOut { what, record });
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for source in &self.sources {
            writeln!(out, "{} ({})", source.path.display(), source.format)?;
        }
        for graph in &self.graphs {
            let GraphReport {
                system,
                generation,
                account,
            } = graph;
            write!(out, "{system}, {generation}\n{account}")?;
        }
        writeln!(
            out,
            "{:<10}{:>9}{:>9}{:>9}{:>9}{:>12}",
            "", "read", "kept", "merged", "bad", "unresolved"
        )?;
        let mut row = |name: &str, t: Tally, unresolved: &str| {
            writeln!(
                out,
                "{name:<10}{:>9}{:>9}{:>9}{:>9}{unresolved:>12}",
                t.read, t.kept, t.merged, t.bad
            )
        };
        let gold = self.gold;
        row("passages", self.passages, "-")?;
        row("questions", self.questions, "-")?;
        row(
            "gold",
            Tally {
                read: gold.read,
                kept: gold.kept,
                merged: gold.merged,
                bad: gold.bad,
            },
            &gold.unresolved.to_string(),
        )?;
        if gold.not_relevant > 0 {
            writeln!(
                out,
                "{} judgements say not relevant and make no gold link",
                gold.not_relevant
            )?;
        }
        if self.without_gold > 0 {
            writeln!(
                out,
                "{} questions have no gold in the corpus",
                self.without_gold
            )?;
        }
        list(out, "left out as bad", &self.bad, |entry| {
            format!("{}: {}", entry.what, entry.record)
        })?;
        list(out, "gold links unresolved", &self.unresolved, |entry| {
            let cause = if entry.unknown_question {
                "no such question"
            } else {
                "not in the corpus"
            };
            format!(
                "question {} names {:?}: {cause}",
                entry.question, entry.named
            )
        })?;
        list(
            out,
            "renamed, their identifier was taken",
            &self.renamed,
            |entry| {
                format!(
                    "{}: {} is now {}",
                    entry.path.display(),
                    entry.from,
                    entry.to
                )
            },
        )?;
        if !self.unread.is_empty() {
            let told: Vec<String> = self.unread.iter().map(Unread::told).collect();
            writeln!(out, "not read: {}", told.join(", "))?;
        }
        if let Some(remedy) = unread::remedy(&self.unread) {
            writeln!(out, "{remedy}")?;
        }
        self.notes
            .iter()
            .try_for_each(|note| writeln!(out, "note: {note}"))
    }
}

/// At most five entries: the table is for a glance, the JSON form for the rest.
fn list<T>(
    out: &mut fmt::Formatter<'_>,
    head: &str,
    listed: &Listed<T>,
    line: impl Fn(&T) -> String,
) -> fmt::Result {
    const SHOWN: usize = 5;
    if listed.count == 0 {
        return Ok(());
    }
    writeln!(out, "{} {head}:", listed.count)?;
    for entry in listed.first.iter().take(SHOWN) {
        writeln!(out, "  {}", line(entry))?;
    }
    match listed.count.saturating_sub(SHOWN) {
        0 => Ok(()),
        more => writeln!(out, "  and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Place;
    use super::*;
    use std::path::Path;

    #[test]
    fn a_long_list_is_cut_but_counted_and_the_table_shows_the_start() {
        let mut report = Report::default();
        for line in 0..250 {
            let place = Place::line(Path::new("a.jsonl"), line);
            report.leave_out(What::Passage, BadRecord::new(&place, "text", "nothing"));
        }
        assert_eq!((report.bad.count, report.bad.first.len()), (250, LISTED));
        assert_eq!(
            report.passages,
            Tally {
                read: 250,
                bad: 250,
                ..Tally::default()
            }
        );
        let shown = report.to_string();
        assert!(shown.contains("250 left out as bad:"), "{shown}");
        assert!(
            shown.contains("passage: a.jsonl:0: expected text; found nothing"),
            "{shown}"
        );
        assert!(shown.contains("and 245 more"), "{shown}");
        assert!(!report.is_clean());
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["bad"]["first"][1]["place"]["line"], 1);
        assert_eq!(json["bad"]["first"][1]["what"], "passage");
    }
}
