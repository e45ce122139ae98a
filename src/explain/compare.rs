//! Two passages of one run side by side: why one stands before the other, part by part.

#![warn(missing_docs)]

use super::neighbours::neighbours;
use crate::index::Index;
use crate::retrieve::Retrieval;
use crate::retrieve::explanation::{Combine, Explanation, Part};
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::hash::Hash;
use std::sync::Arc;

/// One part of two scores.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Beside {
    /// The seed, word, list, signal or neighbour.
    pub label: String,
    /// What it gives the passage.
    pub own: f64,
    /// What it gives the other.
    pub other: f64,
    /// What it rests on in the passage.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// What it rests on in the other.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub other_why: String,
}

impl Beside {
    /// How much more it gives the other.
    pub fn gap(&self) -> f64 {
        self.other - self.own
    }
}

/// Two passages, part by part.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// The passage that is asked about.
    pub passage: u32,
    /// The one it is held against.
    pub other: u32,
    /// Whether parts add up to scores.
    pub combine: Combine,
    /// Their scores. Of one that is not ranked what its parts add up to; none where they make no sum.
    pub scores: [Option<f64>; 2],
    /// How far sums of parts may be off the scores.
    pub error: f64,
    /// By seed, word, list or signal, those that give the other more first.
    pub parts: Vec<Beside>,
    /// Of a walk of steps: by its length 0..=T.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_length: Vec<[f64; 2]>,
    /// Of a walk that ends on the passages: by the edge it came over in its last step; what restarts or stays there last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_edge: Vec<Beside>,
}

/// What came to a passage over no edge in the last step.
pub const STAYS: &str = "restarts or stays";

/// Holds a passage against another.
pub fn compare(index: &Arc<Index>, run: &Retrieval, passage: u32, other: u32) -> Compared {
    let own = run.explain(index, passage);
    let theirs = run.explain(index, other);
    let score = |passage: u32, opened: &Explanation| match run.place(passage) {
        Some((_, score)) => Some(f64::from(score)),
        None => (opened.combine == Combine::Sum).then(|| opened.sum()),
    };
    // Of one that came otherwise than by the walk there is nothing to hold against.
    let lengths = own.by_length.len().min(theirs.by_length.len());
    let length = |of: &[f64], at: usize| of.get(at).copied().unwrap_or(0.0);
    let by_length = (0..lengths).map(|at| [&own, &theirs].map(|o| length(&o.by_length, at)));
    Compared {
        passage,
        other,
        combine: own.combine,
        scores: [score(passage, &own), score(other, &theirs)],
        error: own.error.max(theirs.error),
        by_length: by_length.collect(),
        by_edge: by_edge(index, run, passage, other),
        parts: beside(own.parts, theirs.parts),
    }
}

/// Two lists, matched: each of the first with the first free one of the second that has the same key, then those left over.
pub fn matched<T, K: Hash + Eq>(
    own: Vec<T>,
    theirs: Vec<T>,
    key: impl Fn(&T) -> K,
) -> Vec<(Option<T>, Option<T>)> {
    let mut free: FxHashMap<K, Vec<usize>> = FxHashMap::default();
    for (at, other) in theirs.iter().enumerate().rev() {
        free.entry(key(other)).or_default().push(at);
    }
    let mut theirs: Vec<Option<T>> = theirs.into_iter().map(Some).collect();
    let with = |own: T| {
        let place = free.get_mut(&key(&own)).and_then(Vec::pop);
        let other = place.and_then(|at| theirs[at].take());
        (Some(own), other)
    };
    let mut pairs: Vec<(Option<T>, Option<T>)> = own.into_iter().map(with).collect();
    pairs.extend(
        theirs
            .into_iter()
            .flatten()
            .map(|other| (None, Some(other))),
    );
    pairs
}

/// Parts of two scores, matched by the seed that paid and by label.
fn beside(own: Vec<Part>, theirs: Vec<Part>) -> Vec<Beside> {
    let key = |part: &Part| (part.seed, part.label.clone());
    let pairs = matched(own, theirs, key).into_iter();
    let row = |(own, other): (Option<Part>, Option<Part>)| {
        let named = own.as_ref().or(other.as_ref());
        let label = named.map_or_else(String::new, |part| part.label.clone());
        let (own, other) = (own.unwrap_or_default(), other.unwrap_or_default());
        Beside {
            label,
            own: own.value,
            other: other.value,
            why: own.why,
            other_why: other.why,
        }
    };
    let mut rows: Vec<Beside> = pairs.map(row).collect();
    rows.sort_by(|a, b| b.gap().total_cmp(&a.gap()));
    rows
}

/// Where the score is a walk's: what every neighbour sent to each in the last step, and what was there without it.
fn by_edge(index: &Arc<Index>, run: &Retrieval, passage: u32, other: u32) -> Vec<Beside> {
    let Some(walk) = run.scored_by_walk() else {
        return Vec::new();
    };
    // Without the states of a walk of steps, what left the neighbours before the last one is not known.
    if !walk.spread.diffusion.pushes() && walk.spread.states.len() < 2 {
        return Vec::new();
    }
    let graph = walk.graph;
    let edges = |passage: u32| {
        let mut parts: Vec<Part> = Vec::new();
        for &node in graph.nodes_of(passage).iter() {
            let share = graph.share(node);
            for edge in neighbours(run, node).iter().filter(|n| n.receives > 0.0) {
                let label = graph.named(index, edge.node).into_owned();
                let mut part = Part::new(label, share * edge.receives, edge.kind);
                part.seed = Some(edge.node as usize);
                parts.push(part);
            }
        }
        let sent: f64 = parts.iter().map(|part| part.value).sum();
        let rest = walk.landed(passage) - sent;
        // What rounding leaves is nothing.
        let rest = if rest.abs() < 1e-12 { 0.0 } else { rest };
        (parts, rest)
    };
    let ((own, rest), (theirs, their_rest)) = (edges(passage), edges(other));
    let mut rows = beside(own, theirs);
    rows.push(Beside {
        label: STAYS.to_owned(),
        own: rest,
        other: their_rest,
        ..Beside::default()
    });
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::sample;
    use crate::retrieve::{Hit, Keep, METHODS, Retriever, Settings};

    #[test]
    fn the_parts_of_both_sum_to_their_scores_for_every_method() {
        let index = Arc::new(sample::index().unwrap());
        let mut retriever = Retriever::new(index.clone());
        let (mut sums, mut lengths, mut edges) = (0, 0, 0);
        for method in METHODS.iter() {
            let settings = Settings::of(&index, method);
            for question in index.questions().iter().take(4) {
                // What needs a re-ranker or a typed graph, the sample's index cannot answer.
                let run = retriever.retrieve(&question.text, &settings, Keep::States);
                let Ok(run) = run else { continue };
                let Some(Hit { passage: last, .. }) = run.last_inside() else {
                    continue;
                };
                for gold in &question.gold {
                    let both = compare(&index, &run, gold.passage, last);
                    let name =
                        format!("{} {} {}", method.name, question.id, index.id(gold.passage));
                    if both.combine == Combine::Witness {
                        assert_eq!(
                            both.scores[0].is_some(),
                            run.place(gold.passage).is_some(),
                            "{name}"
                        );
                        continue;
                    }
                    let scores = both.scores.map(|score| score.unwrap());
                    let sum = |of: fn(&Beside) -> f64| both.parts.iter().map(of).sum::<f64>();
                    let placed = run.place(gold.passage).is_some();
                    let near = |sum: f64, score: f64| {
                        (sum - score).abs() <= 1e-6 * score.abs().max(1.0) + both.error
                    };
                    assert!(
                        !placed || near(sum(|p| p.own), scores[0]),
                        "{name}: {both:?}"
                    );
                    assert!(near(sum(|p| p.other), scores[1]), "{name}: {both:?}");
                    sums += 1;
                    if !both.by_length.is_empty() {
                        let sum: f64 = both.by_length.iter().map(|two| two[1]).sum();
                        assert!(near(sum, scores[1]), "{name}: {both:?}");
                        lengths += 1;
                    }
                    if !both.by_edge.is_empty() {
                        let sum: f64 = both.by_edge.iter().map(|edge| edge.other).sum();
                        assert!(near(sum, scores[1]), "{name}: {both:?}");
                        let (rest, sent) = both.by_edge.split_last().unwrap();
                        let pays = |edge: &Beside| edge.own > 0.0 || edge.other > 0.0;
                        assert!(sent.iter().all(pays), "{name}: {both:?}");
                        assert!(rest.own > -1e-6 && rest.other > -1e-6, "{name}: {both:?}");
                        edges += 1;
                    }
                }
            }
        }
        assert!(
            sums > 60 && lengths > 20 && edges > 20,
            "{sums} {lengths} {edges}"
        );
    }
}
