//! How well names were found in the questions, and what that did to recall (SPRIG, Table A.9).
//!
//! "A question without entity" can mean that no name was extracted, or that none of the names is an entity of the graph;
//! the source does not say which, and the two differ, so both are reported.

use super::run::Evaluation;
use crate::retrieve::{Link, QueryName};
use serde::{Deserialize, Serialize};

/// A question's names, each once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Names {
    /// Names found in the question.
    pub extracted: usize,
    /// Those that are an entity which takes part in the walk.
    pub linked: usize,
}

impl Names {
    pub fn of(names: &[QueryName]) -> Names {
        let count = |wanted: fn(&Link) -> bool| names.iter().filter(|n| wanted(&n.link)).count();
        Names {
            extracted: count(|link| !matches!(link, Link::Repeated { .. })),
            linked: count(|link| matches!(link, Link::Linked { .. })),
        }
    }

    pub fn bucket(self) -> Bucket {
        match self {
            Names { extracted: 0, .. } => Bucket::NoneExtracted,
            Names { linked: 0, .. } => Bucket::NoneLinked,
            Names { extracted, linked } if linked < extracted => Bucket::SomeLinked,
            _ => Bucket::AllLinked,
        }
    }
}

/// How many of a question's names became seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Bucket {
    /// No name was found in the question.
    NoneExtracted,
    /// Names were found, but none is an entity of the view.
    NoneLinked,
    SomeLinked,
    AllLinked,
}

impl Bucket {
    pub const ALL: [Bucket; 4] = [
        Bucket::NoneExtracted,
        Bucket::NoneLinked,
        Bucket::SomeLinked,
        Bucket::AllLinked,
    ];

    pub fn label(self) -> &'static str {
        match self {
            Bucket::NoneExtracted => "no name extracted",
            Bucket::NoneLinked => "extracted, none linked",
            Bucket::SomeLinked => "some linked",
            Bucket::AllLinked => "all linked",
        }
    }
}

/// Questions of one or more buckets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Part {
    /// Number of questions.
    pub questions: usize,
    /// Of all questions.
    pub share: f64,
    /// Those with gold.
    pub judged: usize,
    /// Mean over those with gold; none without any.
    #[serde(rename = "R@10")]
    pub recall: Option<f64>,
}

/// A [`Part`] and its bucket.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InBucket {
    /// How far the names of its questions came.
    pub bucket: Bucket,
    #[serde(flatten)]
    pub part: Part,
}

/// Questions without entity, by either notion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Without {
    /// Questions in which no name was found.
    pub extracted: Part,
    /// Those, and questions of whose names none is an entity.
    pub linked: Part,
}

/// Recall by how well names were found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Coverage {
    /// The method whose names these are.
    pub names_of: String,
    /// All four, in order; each question is in one.
    pub buckets: Vec<InBucket>,
    /// Questions without entity, by both notions.
    pub without_entity: Without,
}

impl Coverage {
    /// The recall of `measured` in the buckets that the names of `named` give: its own for a walk over names, and
    /// another method's on the same questions for one that looks for none. None when `named` has no names either.
    pub fn of(named: &Evaluation, measured: &Evaluation) -> Option<Coverage> {
        let mut found: Vec<(Bucket, Option<f64>)> = Vec::new();
        for (row, other) in named.per_question.iter().zip(&measured.per_question) {
            let recall = other.measures.and_then(|m| m.get("R@10"));
            found.push((row.fate.names?.bucket(), recall));
        }
        if found.is_empty() {
            return None;
        }
        let part = |wanted: &[Bucket]| {
            let inside = || found.iter().filter(|(b, _)| wanted.contains(b));
            let recalls: Vec<f64> = inside().filter_map(|(_, recall)| *recall).collect();
            let questions = inside().count();
            Part {
                questions,
                share: questions as f64 / found.len() as f64,
                judged: recalls.len(),
                recall: (!recalls.is_empty())
                    .then(|| recalls.iter().sum::<f64>() / recalls.len() as f64),
            }
        };
        Some(Coverage {
            names_of: named.settings.method().name.to_string(),
            buckets: Bucket::ALL
                .into_iter()
                .map(|bucket| InBucket {
                    bucket,
                    part: part(&[bucket]),
                })
                .collect(),
            without_entity: Without {
                extracted: part(&[Bucket::NoneExtracted]),
                linked: part(&[Bucket::NoneExtracted, Bucket::NoneLinked]),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_in_the_bucket_of_its_names_each_once() {
        let said = |links: &[Link]| -> Bucket {
            let name = |link: &Link| QueryName {
                link: *link,
                ..QueryName::found("", String::new(), Vec::new())
            };
            let names: Vec<QueryName> = links.iter().map(name).collect();
            Names::of(&names).bucket()
        };
        let linked = Link::Linked { node: 1 };
        let again = Link::Repeated { node: 1 };
        assert_eq!(said(&[]), Bucket::NoneExtracted);
        assert_eq!(said(&[Link::NotFound]), Bucket::NoneLinked);
        assert_eq!(said(&[linked, Link::NotFound]), Bucket::SomeLinked);
        assert_eq!(said(&[linked, again]), Bucket::AllLinked);
    }
}
