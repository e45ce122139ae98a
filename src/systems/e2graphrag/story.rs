//! What a search did, stage by stage, and why a passage is where it is.

use super::layer::E2Graph;
use super::search::{Candidate, Mode, PairFound, Params, Run, Scored, occurrence_part, within};
use crate::index::Index;
use crate::retrieve::Hit;
use crate::systems::{Found, Part, Reason, Story};
use std::sync::Arc;

/// A search with all that is needed to explain it, and to try it again with another parameter.
#[derive(Debug)]
pub struct Answer {
    pub run: Run,
    pub layer: Arc<E2Graph>,
    pub params: Params,
    pub question: String,
    pub vector: Option<Vec<f32>>,
}

/// Longest evidence in characters.
const LINE: usize = 160;

impl Found for Answer {
    fn passages(&self) -> &[Hit] {
        &self.run.hits
    }

    fn story(&self, index: &Index) -> Story {
        super::teller::tell(self, index)
    }

    fn why(&self, index: &Index, passage: u32) -> String {
        let run = &self.run;
        if run.mode.global() {
            let Some(found) = self.node_of(passage) else {
                return String::new();
            };
            let label = self.label(index, found.node);
            let counted = if run.counted() {
                format!(", {} occurrences of query entities", found.occurrence)
            } else {
                String::new()
            };
            let quoted = if self.layer.level(found.node) > 0 {
                "quoted by "
            } else {
                ""
            };
            return clip(&format!(
                "{quoted}{label}: cosine {:.3}{counted} ({})",
                found.cosine,
                run.mode.name()
            ));
        }
        let Some(chunk) = self.chunk_of(passage) else {
            return String::new();
        };
        let best = self
            .pairs_of(chunk.chunk)
            .min_by_key(|pair| (pair.distance(), pair.a, pair.b));
        let pair = best.map_or_else(String::new, |pair| {
            let path = pair.path.as_deref().unwrap_or_default();
            let via: Vec<&str> = path
                .iter()
                .skip(1)
                .take(path.len().saturating_sub(2))
                .map(|&v| self.name(v))
                .collect();
            let via = if via.is_empty() {
                String::new()
            } else {
                format!(" via {}", via.join(", "))
            };
            let hops = path.len().saturating_sub(1);
            format!(
                "{} and {}, {} apart{via}",
                self.asked(pair.a),
                self.asked(pair.b),
                count(hops, "hop")
            )
        });
        let (coverage, all) = (chunk.coverage, run.entities.len());
        clip(&format!(
            "{} shares {pair}; {coverage} of {all} query entities, {}",
            self.label(index, chunk.chunk),
            count(chunk.occurrence, "occurrence")
        ))
    }

    fn parts(&self, _: &Index, passage: u32) -> Vec<Part> {
        let run = &self.run;
        let part = |label: String, value: f64, why: &str| Part {
            label,
            value,
            why: why.to_owned(),
            ..Part::default()
        };
        match run.mode {
            Mode::GlobalOcc if run.counted() => {
                let Some(found) = self.node_of(passage) else {
                    return Vec::new();
                };
                let leaves = self.layer.leaves(found.node);
                let of = |entity: &u32| {
                    leaves
                        .clone()
                        .map(|leaf| f64::from(self.layer.occurrences(leaf, *entity)))
                        .sum::<f64>()
                };
                let parts = run.entities.iter().map(|e| {
                    part(
                        self.name(*e).to_owned(),
                        of(e),
                        "occurrences in the chunks below",
                    )
                });
                parts.filter(|part| part.value > 0.0).collect()
            }
            Mode::GlobalDense | Mode::GlobalOcc => {
                let found = self.node_of(passage);
                found
                    .map(|f| part("cosine".into(), f64::from(f.cosine), "question and node"))
                    .into_iter()
                    .collect()
            }
            Mode::Local => {
                let key = self
                    .chunk_of(passage)
                    .map(|c| c.key.as_slice())
                    .unwrap_or_default();
                key.iter()
                    .map(|&e| {
                        part(
                            self.asked(e).to_owned(),
                            1.0,
                            "a query entity that led to the chunk; each counts 1",
                        )
                    })
                    .collect()
            }
            Mode::LocalRanked => {
                let Some(chunk) = self.chunk_of(passage) else {
                    return Vec::new();
                };
                vec![
                    part(
                        "coverage".into(),
                        chunk.coverage as f64,
                        "different query entities in the chunk",
                    ),
                    part(
                        "occurrence".into(),
                        occurrence_part(chunk),
                        "n / (n + 1) of their occurrences",
                    ),
                ]
            }
        }
    }

    fn missing(&self, index: &Index, passage: u32) -> Vec<Reason> {
        super::missing::missing(self, index, passage)
    }
}

impl Answer {
    pub(super) fn headline(&self) -> String {
        let run = &self.run;
        let linked = run.entities.len();
        let first = run.steps.first();
        let said = match run.mode {
            Mode::GlobalDense if run.asked.is_empty() => {
                "the question names no entity: nearest nodes of the tree".to_owned()
            }
            Mode::GlobalDense => format!(
                "none of {} is a vertex: nearest nodes of the tree",
                count(run.asked.len(), "query entity")
            ),
            Mode::GlobalOcc => {
                let why = match first {
                    _ if linked == 1 => "one query entity makes no pair".to_owned(),
                    Some(step) if step.pairs == 0 => format!(
                        "no pair of {linked} query entities within {}",
                        count(step.h, "hop")
                    ),
                    _ => "no chunk holds both of a pair".to_owned(),
                };
                let by = if run.counted() {
                    "occurrences"
                } else {
                    "cosine, since none occurs in them"
                };
                format!("{why}: nodes of the tree by {by}")
            }
            Mode::Local => {
                let last = run.steps.last();
                let pairs = last.map_or(0, |s| s.pairs);
                let shrunk = if run.h < self.params.hops {
                    format!(" (from {})", self.params.hops)
                } else {
                    String::new()
                };
                format!(
                    "{} of {} within h = {}{shrunk}",
                    count(run.chunks.len(), "chunk"),
                    count(pairs, "pair"),
                    run.h
                )
            }
            Mode::LocalRanked => {
                let all = run.chunks.len() + run.beyond.len();
                format!(
                    "h = {} gives {all} chunks, h = {} none: the {} best by coverage",
                    run.h,
                    run.h.saturating_sub(1),
                    run.chunks.len()
                )
            }
        };
        format!("{}: {said}", run.mode.name())
    }

    pub(super) fn name(&self, entity: u32) -> &str {
        self.layer.names.get(entity as usize)
    }

    /// The name of a query entity by its place.
    pub(super) fn asked(&self, place: usize) -> &str {
        self.name(self.run.entities[place])
    }

    pub(super) fn label(&self, index: &Index, node: u32) -> String {
        self.layer.label(index, node)
    }

    /// The returned chunk that brought a passage.
    pub(super) fn chunk_of(&self, passage: u32) -> Option<&Scored> {
        let chunks = self.layer.chunks_of(passage);
        self.run
            .chunks
            .iter()
            .find(|scored| chunks.contains(&scored.chunk))
    }

    /// The returned node that brought a passage.
    pub(super) fn node_of(&self, passage: u32) -> Option<&Candidate> {
        let kept = self.run.kept.iter().map(|&at| &self.run.candidates[at]);
        kept.into_iter()
            .find(|found| self.layer.passages(found.node).contains(&passage))
    }

    /// The pairs within the last h that share a chunk.
    fn pairs_of(&self, chunk: u32) -> impl Iterator<Item = &PairFound> {
        within(&self.run, self.run.h, &self.params)
            .filter(move |pair| pair.shared.binary_search(&chunk).is_ok())
    }

    pub(super) fn key(&self, key: &[usize]) -> String {
        key.iter()
            .map(|&e| self.asked(e))
            .collect::<Vec<&str>>()
            .join("-")
    }
}

pub(super) fn count(n: impl std::fmt::Display, what: &str) -> String {
    let n = n.to_string();
    let many = match what.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{what}s"),
    };
    if n == "1" {
        format!("1 {what}")
    } else {
        format!("{n} {many}")
    }
}

pub(super) fn clip(text: &str) -> String {
    crate::retrieve::explanation::clip(text, LINE)
}

/// The distance of a pair that is farther apart than h0, up to twice the largest h0 there is.
pub(super) fn farther(answer: &Answer, pair: &PairFound) -> Option<usize> {
    let (a, b) = (answer.run.entities[pair.a], answer.run.entities[pair.b]);
    let path = answer
        .layer
        .graph
        .path(a, b, 12, &mut super::hops::Scratch::default())?;
    Some(path.len() - 1)
}
