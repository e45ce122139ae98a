//! A question with its own paragraphs: what HotpotQA, 2WikiMultiHopQA, MuSiQue and HippoRAG's copies have in
//! common, whatever the spelling.

use super::intake::{Clash, Intake, Link};
use super::json::{Record, kind_of, scalar};
use super::lines::stem;
use super::{CorpusError, Lookup, Place, Question};
use serde_json::Value;
use std::path::Path;

/// One record of a question file.
pub(super) struct Item {
    pub question: Question,
    pub paragraphs: Vec<Paragraph>,
    pub facts: Vec<Fact>,
}

pub(super) struct Paragraph {
    pub title: String,
    pub sentences: Vec<String>,
}

/// A gold link as the record states it.
pub(super) struct Fact {
    pub title: String,
    /// Which of the record's own paragraphs it is.
    pub paragraph: Option<usize>,
    /// The data set names its gold by title alone.
    pub by_title: bool,
}

impl Item {
    /// The question of a record, still without paragraphs. `ordinal` names it where it has no identifier.
    pub fn question(place: &Place, record: &Record, ordinal: usize) -> Result<Self, CorpusError> {
        let field = |names: &[&str]| {
            names
                .iter()
                .find_map(|name| record.get(*name).filter(|value| !value.is_null()))
        };
        let inner = |name: &str| {
            record
                .get("metadata")
                .and_then(|metadata| metadata.get(name))
        };
        let text = match field(&["question", "text", "query"]) {
            Some(Value::String(text)) => text.clone(),
            other => {
                let found = other.map_or("none", kind_of);
                return Err(CorpusError::record(
                    place,
                    "a string in the field `question`",
                    found,
                ));
            }
        };
        let id = field(&["_id", "id", "qid", "query_id", "question_id"]).and_then(scalar);
        let mut answers = Vec::new();
        for name in [
            "answer",
            "answers",
            "answer_aliases",
            "aliases",
            "possible_answers",
        ] {
            collect(record.get(name), &mut answers);
            collect(inner(name), &mut answers);
        }
        let kind = field(&["type", "kind"])
            .or_else(|| inner("type"))
            .and_then(scalar)
            .unwrap_or_default();
        let id = id
            .filter(|id| !id.is_empty())
            .unwrap_or_else(|| format!("{}#{ordinal}", stem(&place.file)));
        let question = Question {
            id,
            text,
            answers,
            kind,
            ..Question::default()
        };
        Ok(Self {
            question,
            paragraphs: Vec::new(),
            facts: Vec::new(),
        })
    }

    /// Takes the paragraphs as passages and the question with its gold among them.
    pub fn pool(
        self,
        file: &Path,
        ordinal: usize,
        place: &Place,
        intake: &mut Intake,
    ) -> Result<(), CorpusError> {
        let spaced = carry_their_spaces(
            self.paragraphs
                .iter()
                .map(|paragraph| &*paragraph.sentences),
        );
        let mut taken = Vec::with_capacity(self.paragraphs.len());
        for (at, paragraph) in self.paragraphs.into_iter().enumerate() {
            let text = join(&paragraph.sentences, spaced);
            let made = || format!("{}#{ordinal}.{}", stem(file), at + 1);
            let passage = intake.pooled(place, made, paragraph.title, text);
            taken.push(intake.settle(super::What::Passage, passage)?);
        }
        let links = self.facts.into_iter().map(|fact| {
            let passage = fact.paragraph.and_then(|at| taken[at]);
            Link {
                named: fact.title,
                passage,
                grade: 1.0,
            }
        });
        let links = links.collect();
        intake.question(place, self.question, links, Clash::Rename)
    }

    /// The gold as links into passages that are there already.
    pub fn links(&self, lookup: &Lookup) -> Vec<Link> {
        let spaced = carry_their_spaces(
            self.paragraphs
                .iter()
                .map(|paragraph| &*paragraph.sentences),
        );
        let find = |fact: &Fact| {
            fact.paragraph
                .map(|at| &self.paragraphs[at])
                .and_then(|own| {
                    [spaced, !spaced].into_iter().find_map(|spaced| {
                        lookup.by_content(&own.title, &join(&own.sentences, spaced))
                    })
                })
                .or_else(|| lookup.by_title(&fact.title).filter(|_| fact.by_title))
        };
        self.facts
            .iter()
            .map(|fact| Link {
                named: fact.title.clone(),
                passage: find(fact),
                grade: 1.0,
            })
            .collect()
    }
}

/// Adds the texts of a string, a number, a list of them, or nothing, each once.
fn collect(value: Option<&Value>, texts: &mut Vec<String>) {
    match value {
        Some(Value::Array(several)) => several.iter().for_each(|one| collect(Some(one), texts)),
        Some(one) => {
            let text = match one {
                Value::Bool(true) => Some("yes".to_owned()),
                Value::Bool(false) => Some("no".to_owned()),
                other => scalar(other),
            };
            texts.extend(text.filter(|text| !text.is_empty() && !texts.contains(text)));
        }
        None => {}
    }
}

/// Whether sentences are published with their leading space (HotpotQA) or without (2WikiMultiHopQA). Single
/// sentences deviate, where a name was split at its full stop, so the majority decides.
pub(super) fn carry_their_spaces<'a>(paragraphs: impl Iterator<Item = &'a [String]>) -> bool {
    let (mut with, mut without) = (0, 0);
    for sentence in paragraphs
        .flat_map(|sentences| sentences.iter().skip(1))
        .filter(|sentence| !sentence.is_empty())
    {
        *(if sentence.starts_with(char::is_whitespace) {
            &mut with
        } else {
            &mut without
        }) += 1;
    }
    with >= without
}

/// The sentences as one text: as published where they carry their spaces, else with one space between two.
pub(super) fn join(sentences: &[String], spaced: bool) -> String {
    let mut text = String::with_capacity(sentences.iter().map(|sentence| sentence.len() + 1).sum());
    for sentence in sentences {
        let apart =
            text.ends_with(char::is_whitespace) || sentence.starts_with(char::is_whitespace);
        if !(spaced || apart || text.is_empty() || sentence.is_empty()) {
            text.push(' ');
        }
        text.push_str(sentence);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(sentences: &[&str]) -> Vec<String> {
        sentences
            .iter()
            .map(|&sentence| sentence.to_owned())
            .collect()
    }

    #[test]
    fn sentences_join_as_published_or_with_one_space() {
        let hotpot = owned(&["A .", "RAR file.", " It is small.", " So."]);
        assert!(carry_their_spaces([&*hotpot].into_iter()));
        assert_eq!(join(&hotpot, true), "A .RAR file. It is small. So.");
        let wiki = owned(&["One.", "Two.", "", " Three.", "Four."]);
        assert!(!carry_their_spaces([&*wiki].into_iter()));
        assert_eq!(join(&wiki, false), "One. Two. Three. Four.");
        assert_eq!(join(&owned(&["Alone."]), true), "Alone.");
    }

    #[test]
    fn answers_come_as_strings_numbers_lists_and_truth() {
        let record: Record = serde_json::from_str(
            r#"{"query_id": 9, "question": "Q?", "answer": ["a", 7, "a"], "aliases": true, "metadata": {"answer": "b", "type": "x"}}"#,
        )
        .unwrap();
        let question = Item::question(&Place::default(), &record, 1)
            .unwrap()
            .question;
        assert_eq!((&*question.id, &*question.kind), ("9", "x"));
        assert_eq!(question.answers, owned(&["a", "7", "b", "yes"]));
    }
}
