//! What people say of passages: a label is one annotator's judgement of one passage for one question, with what was on
//! screen when it was given. Files of labels only grow: a later label of the same annotator takes the place of an earlier
//! one, and a withdrawal brings that back.

#![warn(missing_docs)]

mod agreement;
mod corrected;
mod export;

pub use agreement::{Agreement, Kappa, agreement, kappa};
pub use corrected::{Corrected, corrected};
pub use export::{LABEL_STUDIO_VIEW, argilla, label_studio, lines, qrels, questions};

use crate::journal::append;
use crate::layers::{Class, Code, words};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// How relevant a passage may be, by grade.
pub const GRADES: [&str; 3] = ["no", "partly", "full"];

words! {
    /// Why a passage is lost, as a person sees it.
    Cause {
        Linking "linking" "a name of the question was not linked"
        Extraction "extraction" "a fact or name in the passage was not extracted"
        Graph "graph" "a way is missing in the graph, or leads elsewhere"
        Ranking "ranking" "it is reached, and others are put before it"
        Data "data" "gold, answer or question are wrong"
        Other "other" "another cause, described in the note"
    }
}

impl Cause {
    /// The key it has in a label strip: its first letter, and `e` of extraction.
    pub fn key(self) -> char {
        self.name().chars().next().unwrap_or_default()
    }
}

/// What the program said of a passage: the verdict and its failure class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// The verdict.
    pub code: Code,
    /// Its class.
    pub class: Class,
}

/// One judgement, or the withdrawal of one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Label {
    /// The question's identifier; empty for one that was typed.
    pub question: String,
    /// Its text.
    pub text: String,
    /// The passage's identifier.
    pub passage: String,
    /// Who says it.
    pub annotator: String,
    /// When, in UTC as RFC 3339 writes it.
    pub time: String,
    /// Fingerprint of the index.
    pub index: String,
    /// How relevant it is, by [`GRADES`].
    pub grade: Option<u8>,
    /// Why it is lost.
    pub cause: Option<Cause>,
    /// Gold that was added (true) or removed (false).
    pub gold: Option<bool>,
    /// In the annotator's words.
    pub note: String,
    /// What the program says of it, where the passage is lost.
    pub said: Option<Said>,
    /// Whether the annotator could see that.
    pub shown: bool,
    /// Whether gold and ranks were hidden.
    pub blind: bool,
    /// The method that was asked.
    pub method: String,
    /// What was set, as after the method on the command line.
    pub settings: String,
    /// The passage's rank; none where it is not ranked.
    pub rank: Option<usize>,
    /// Takes the newest label of this annotator on this passage and question back.
    pub withdrawn: bool,
}

impl Label {
    /// What a question goes by: its identifier, or the text of one that was typed.
    pub fn asked(&self) -> &str {
        match &*self.question {
            "" => &self.text,
            id => id,
        }
    }

    /// The grade that corrected gold gives the passage: 0 where it is no gold. A mark of gold goes before the grade.
    pub fn judgement(&self) -> Option<u8> {
        match (self.gold, self.grade) {
            (Some(true), grade) => Some(grade.unwrap_or(1).max(1)),
            (Some(false), _) => Some(0),
            (None, grade) => grade,
        }
    }

    /// Whether anything is said.
    pub fn is_empty(&self) -> bool {
        self.grade.is_none() && self.cause.is_none() && self.gold.is_none() && self.note.is_empty()
    }

    /// Taking this label back.
    pub fn withdrawal(&self, time: String) -> Label {
        Label {
            question: self.question.clone(),
            text: self.text.clone(),
            passage: self.passage.clone(),
            annotator: self.annotator.clone(),
            index: self.index.clone(),
            time,
            withdrawn: true,
            ..Label::default()
        }
    }

    fn key(&self) -> Key {
        key(self.asked(), &self.passage, &self.annotator)
    }
}

/// Question, passage and annotator.
type Key = [String; 3];

fn key(asked: &str, passage: &str, annotator: &str) -> Key {
    [asked, passage, annotator].map(str::to_owned)
}

/// Everything a file of labels says, in its order, and what of it stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Labels {
    log: Vec<Label>,
    /// Places of labels that were not withdrawn; the last of a key stands.
    given: FxHashMap<Key, Vec<usize>>,
}

impl Labels {
    /// Takes one more line in.
    pub fn add(&mut self, label: Label) {
        let given = self.given.entry(label.key()).or_default();
        match label.withdrawn {
            true => drop(given.pop()),
            false => given.push(self.log.len()),
        }
        self.log.push(label);
    }

    /// The valid labels, in the order they were given.
    pub fn standing(&self) -> Vec<&Label> {
        let last = self.given.values().filter_map(|given| given.last());
        let mut places: Vec<usize> = last.copied().collect();
        places.sort_unstable();
        places.into_iter().map(|at| &self.log[at]).collect()
    }

    /// How many of an annotator stand.
    pub fn count(&self, annotator: &str) -> usize {
        let own = |(key, given): &(&Key, &Vec<usize>)| key[2] == annotator && !given.is_empty();
        self.given.iter().filter(own).count()
    }

    /// What stands of an annotator about a passage for a question, by the names of [`Label::asked`].
    pub fn of(&self, asked: &str, passage: &str, annotator: &str) -> Option<&Label> {
        let given = self.given.get(&key(asked, passage, annotator))?;
        Some(&self.log[*given.last()?])
    }

    /// The newest that stands of an annotator.
    pub fn newest(&self, annotator: &str) -> Option<&Label> {
        let own = self.given.iter().filter(|(key, _)| key[2] == annotator);
        let newest = own.filter_map(|(_, given)| given.last()).max()?;
        Some(&self.log[*newest])
    }

    /// Reads a file. A line that is no label, as the last one after a crash, is left out and told of.
    ///
    /// # Errors
    /// In words, when the file cannot be read.
    pub fn read(path: &Path) -> Result<(Labels, Vec<String>), String> {
        let bytes =
            crate::mapped::given(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let (mut labels, mut notes) = (Labels::default(), Vec::new());
        for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match parsed(line) {
                Ok(label) => labels.add(label),
                Err(said) => notes.push(format!(
                    "{}:{}: skipped, not a label: {said}",
                    path.display(),
                    at + 1
                )),
            }
        }
        Ok((labels, notes))
    }
}

fn parsed(line: &[u8]) -> Result<Label, String> {
    let label: Label = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    match label.grade {
        Some(grade) if usize::from(grade) >= GRADES.len() => {
            Err(format!("a grade is 0, 1 or 2, not {grade}"))
        }
        _ if label.asked().is_empty() || label.passage.is_empty() => {
            Err("it names no question or no passage".to_owned())
        }
        _ => Ok(label),
    }
}

/// Adds a label to a file: one line, one write, and on the disk before this returns.
///
/// # Errors
/// In words, when it cannot be written.
pub fn keep(path: &Path, label: &Label) -> Result<(), String> {
    let write = || append(path, &serde_json::to_string(label)?)?.sync_all();
    write().map_err(|error| format!("cannot save: {error}: {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn label(question: &str, passage: &str, annotator: &str) -> Label {
        Label {
            question: question.into(),
            text: "Who?".into(),
            passage: passage.into(),
            annotator: annotator.into(),
            ..Label::default()
        }
    }

    /// How many labels written lines have.
    pub(super) fn parsed_back(text: &str) -> usize {
        let lines = text.lines().map(|line| parsed(line.as_bytes()));
        lines.filter(Result::is_ok).count()
    }

    fn graded(grade: u8) -> Label {
        Label {
            grade: Some(grade),
            ..label("q", "p", "em")
        }
    }

    #[test]
    fn a_line_without_a_question_or_without_a_passage_is_no_label() {
        let line = |question: &str, text: &str, passage: &str| {
            let text = text.into();
            serde_json::to_string(&Label {
                text,
                ..label(question, passage, "em")
            })
            .unwrap()
        };
        for (line, labels) in [
            (line("q", "", "p"), 1),
            (line("", "Who?", "p"), 1),
            (line("", "", "p"), 0),
            (line("q", "Who?", ""), 0),
        ] {
            assert_eq!(parsed_back(&line), labels, "{line}");
        }
    }

    #[test]
    fn a_later_label_stands_until_it_is_withdrawn() {
        let mut labels = Labels::default();
        for grade in [0, 2] {
            labels.add(graded(grade));
        }
        labels.add(label("q", "p", "jo"));
        let grade = |labels: &Labels| labels.of("q", "p", "em").map(|label| label.grade);
        assert_eq!(grade(&labels), Some(Some(2)));
        assert_eq!((labels.count("em"), labels.standing().len()), (1, 2));
        let newest = labels.newest("em").unwrap().withdrawal("later".into());
        labels.add(newest.clone());
        assert_eq!(grade(&labels), Some(Some(0)));
        labels.add(newest.clone());
        assert_eq!(grade(&labels), None);
        assert!(labels.newest("em").is_none());
        // One too many withdraws nothing that comes later.
        labels.add(newest);
        labels.add(graded(1));
        assert_eq!(grade(&labels), Some(Some(1)));
        assert_eq!(labels.standing().len(), 2);
    }

    #[test]
    fn gold_goes_before_the_grade() {
        let judged = |gold, grade| {
            Label {
                gold,
                grade,
                ..Label::default()
            }
            .judgement()
        };
        assert_eq!(judged(None, None), None);
        assert_eq!(judged(None, Some(0)), Some(0));
        assert_eq!(judged(None, Some(2)), Some(2));
        assert_eq!(judged(Some(true), None), Some(1));
        assert_eq!(judged(Some(true), Some(0)), Some(1));
        assert_eq!(judged(Some(true), Some(2)), Some(2));
        assert_eq!(judged(Some(false), Some(2)), Some(0));
    }

    #[test]
    fn every_cause_has_a_key_of_its_own() {
        let keys: String = Cause::ALL.iter().map(|cause| cause.key()).collect();
        assert_eq!(keys, "legrdo");
    }

    #[test]
    fn a_file_comes_back_and_a_torn_line_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.jsonl");
        let full = Label {
            cause: Some(Cause::Graph),
            gold: Some(true),
            note: "two\nlines, \"quoted\"".into(),
            said: Some(Said {
                code: Code::NoPath,
                class: Class::F3,
            }),
            rank: Some(33),
            ..graded(2)
        };
        keep(&path, &full).unwrap();
        let (labels, notes) = Labels::read(&path).unwrap();
        assert_eq!(labels.standing(), [&full]);
        assert_eq!(notes, [] as [String; 0]);
        // Killed while the second line was written: it is told, and the next one is whole.
        let mut torn = std::fs::read_to_string(&path).unwrap();
        torn.push_str(r#"{"question":"q","te"#);
        std::fs::write(&path, torn).unwrap();
        keep(&path, &label("q", "p2", "em")).unwrap();
        let (labels, notes) = Labels::read(&path).unwrap();
        assert_eq!(labels.standing().len(), 2);
        assert_eq!(notes.len(), 1);
        assert!(notes[0].contains("labels.jsonl:2: skipped"), "{notes:?}");
        // What is no label is told too.
        std::fs::write(
            &path,
            "{\"question\":\"q\",\"passage\":\"p\",\"grade\":7}\n{}\n",
        )
        .unwrap();
        let (labels, notes) = Labels::read(&path).unwrap();
        assert!(labels.standing().is_empty());
        assert!(notes[0].contains("0, 1 or 2, not 7") && notes[1].contains("no question"));
    }
}
