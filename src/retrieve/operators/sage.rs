//! SAGE: words and vectors of chunks fused in one score; seeds by it, one hop, the neighbours pruned by it, and the seeds
//! before the neighbours (SAGE, retrieval).

use super::expand::EXPAND;
use super::restart::changed;
use crate::index::Bm25;
use crate::layers::chunks::source::{CHUNK_SIMILARITY, ChunkGraph};
use crate::layers::{Class, Code, Node};
use crate::parameters::{
    BM25_B, BM25_K1, FUSE_DENSE, FUSE_LEXICAL, Parameter as P, RESULT_K, SAGE_NEARNESS,
    SAGE_NEIGHBOURS, SAGE_SEEDING, SAGE_SEEDS, SageNearness, SageSeeding, TOKENS,
};
use crate::retrieve::change::Change;
use crate::retrieve::explanation::{Explanation, Part as ScorePart, Reason, clip};
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome, Part};
use crate::retrieve::plan::Plan;
use crate::retrieve::set::{Dropped, Member, Origin, Set, Space, heaviest};
use crate::text::chunking::percentile;
use rustc_hash::FxHashSet;
use serde_json::json;
use std::sync::Arc;

/// SAGE's plan; `flat` is the paper's extended baseline: the best k + k' by the seeds' score, without the graph.
pub fn plan(flat: bool) -> Plan {
    let mut plan = Plan::default();
    let on = &CHUNK_SIMILARITY;
    let scored = plan.on(on, &SCORE, &[]);
    if flat {
        let best = plan.on(on, &BEST, &[scored]);
        plan.on(on, &SEEDS_FIRST, &[best]);
        return plan;
    }
    let seeds = plan.on(on, &SEEDS, &[scored]);
    let near = plan.on(on, &EXPAND, &[seeds]);
    let kept = plan.on(on, &PRUNE, &[near, scored]);
    plan.on(on, &SEEDS_FIRST, &[seeds, kept]);
    plan
}

/// Most seeds, k + k'.
const MOST: usize = 200;
/// Hits that the rule `cutoff` looks at, in either list.
const HITS: usize = 100;
/// Most characters of a label in a sentence.
const LABEL: usize = 40;

/// Both scores of every node, and how they make one.
#[derive(Clone, Debug)]
pub struct Scores {
    bm25: Vec<f64>,
    /// Empty where the question has no vector.
    near: Vec<f32>,
    best: f64,
    /// Weights of words and of nearness.
    weights: (f64, f64),
}

impl Scores {
    /// The fused score, `lexical * bm25 / best + dense * nearness`, over the best of some nodes.
    fn fused(&self, node: Node, best: f64) -> f64 {
        let (bm25, near) = self.of(node);
        let share = if best > 0.0 { bm25 / best } else { 0.0 };
        self.weights.0 * share + self.weights.1 * near
    }

    fn of(&self, node: Node) -> (f64, f64) {
        let near = self.near.get(node as usize);
        (
            self.bm25[node as usize],
            near.map_or(0.0, |n| f64::from(*n)),
        )
    }

    fn member(&self, node: Node) -> Member {
        Member {
            node,
            value: self.fused(node, self.best),
            from: Origin::Scored,
        }
    }

    /// Every node; without a vector those that words lead to.
    fn all(&self) -> impl Iterator<Item = Member> + '_ {
        let unread = self.near.is_empty();
        let led = move |node: &Node| !unread || self.bm25[*node as usize] > 0.0;
        let nodes = (0..self.bm25.len() as Node).filter(led);
        nodes.map(|node| self.member(node))
    }

    /// Rank of a node by fused score among all, from 1.
    fn rank(&self, node: Node) -> usize {
        let own = self.member(node).value;
        let before =
            |other: &Member| other.value > own || (other.value == own && other.node < node);
        1 + self.all().filter(before).count()
    }

    /// What seeds lie above any neighbour: their place before them, as a part of the score.
    fn above(&self) -> f64 {
        2.0 * (self.weights.0 + self.weights.1)
    }

    /// The rule of the published code: nodes in the best fifth of both lists, else in both, else half of each.
    fn cutoff(&self, k: usize) -> Vec<Member> {
        let list = |value: &dyn Fn(Node) -> f64| {
            let ranked = self.all().map(|member| Member {
                value: value(member.node),
                ..member
            });
            heaviest(ranked.collect(), HITS)
        };
        let mut near = list(&|node| self.of(node).1);
        near.retain(|_| !self.near.is_empty());
        let mut worded = list(&|node| self.of(node).0);
        worded.retain(|hit| hit.value > 0.0);
        // The nearest fifth by distance is the best fifth by nearness.
        let top = |hits: &[Member]| -> FxHashSet<Node> {
            let mut values: Vec<f32> = hits.iter().map(|hit| hit.value as f32).collect();
            values.reverse();
            let bar = percentile(&values, 80.0).unwrap_or(0.0);
            let above = hits.iter().filter(|hit| f64::from(hit.value as f32) >= bar);
            above.map(|hit| hit.node).collect()
        };
        let nodes =
            |hits: &[Member]| -> FxHashSet<Node> { hits.iter().map(|hit| hit.node).collect() };
        let both = |a: &FxHashSet<Node>, b: &FxHashSet<Node>| -> Vec<Node> {
            a.intersection(b).copied().collect()
        };
        let mut chosen = both(&top(&near), &top(&worded));
        if chosen.is_empty() {
            chosen = both(&nodes(&near), &nodes(&worded));
        }
        if chosen.is_empty() {
            let half = k.div_ceil(2);
            let halves = near.iter().take(half).chain(worded.iter().take(k - half));
            chosen = halves.map(|hit| hit.node).collect();
        }
        // Sets have no order: this has.
        heaviest(
            chosen.into_iter().map(|node| self.member(node)).collect(),
            k,
        )
    }
}

/// The scores of a step's set, or of one before it.
fn scores<'a>(at: &At<'a>) -> Option<&'a Scores> {
    at.before::<Scores>().map(|(_, scores)| scores)
}

fn said(at: &At<'_>, member: &Member) -> String {
    scores(at).map_or(String::new(), |scores| {
        let (bm25, near) = scores.of(member.node);
        format!("BM25 {bm25:.2}, nearness {near:.3}")
    })
}

/// BM25 over the chunks' own words and nearness of their own vectors.
#[derive(Debug)]
pub struct Score;

pub static SCORE: Score = Score;

impl Operator for Score {
    fn declaration(&self) -> Declaration {
        Declaration::seed("score", "BM25 and nearness of every chunk, fused")
            .kind("score")
            .reads(&[
                P::Tokens,
                P::Bm25K1,
                P::Bm25B,
                P::FuseLexical,
                P::FuseDense,
                P::SageNearness,
            ])
            .needs_vectors(true)
    }

    fn run(&self, cx: &Context<'_>, _: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let read = cx.dense()?;
        let layer = &cx.graph().source_as::<ChunkGraph>().layer;
        let values = cx.values;
        let tokens = values.get(TOKENS);
        let postings = &layer.words[tokens as usize];
        let words = postings.question(tokens, cx.index.language(), cx.question);
        let constants = Bm25 {
            k1: values.get(BM25_K1),
            b: values.get(BM25_B),
        };
        let bm25 = postings.scores(&words, constants);
        let mut near = match read {
            Some((dense, vector)) => {
                layer.vectors.check(dense.encoder.identity())?;
                layer.vectors.scores(vector)?
            }
            None => Vec::new(),
        };
        if values.get(SAGE_NEARNESS) == SageNearness::Distance {
            // Unit vectors: L2^2 = 2 - 2 cos.
            near.iter_mut()
                .for_each(|cos| *cos = (1.0 / (3.0 - 2.0 * f64::from(*cos))) as f32);
        }
        let scores = Scores {
            best: bm25.iter().copied().fold(0.0, f64::max),
            bm25,
            near,
            weights: (values.get(FUSE_LEXICAL), values.get(FUSE_DENSE)),
        };
        let matched = scores.bm25.iter().filter(|score| **score > 0.0).count();
        let known = words.iter().filter(|word| word.df > 0);
        let known = known.map(|w| json!({"word": w.word, "df": w.df, "idf": w.idf}));
        let mut set = Set::new(Space::Nodes)
            .fact("matched by words", matched)
            .fact("chunks", layer.len())
            .fact("best BM25", scores.best)
            .fact("words", known.collect::<serde_json::Value>());
        set.members = heaviest(scores.all().collect(), MOST);
        let set = set.with(scores);
        Ok(set.unread_unless(read.is_some()))
    }

    fn why(&self, at: &At<'_>, member: &Member) -> String {
        said(at, member)
    }
}

/// The best by that score; `flat` as many as seeds and neighbours together.
#[derive(Debug)]
pub struct Best {
    flat: bool,
}

pub static SEEDS: Best = Best { flat: false };
pub static BEST: Best = Best { flat: true };

impl Operator for Best {
    fn declaration(&self) -> Declaration {
        Declaration::seed(
            if self.flat { "best" } else { "seeds" },
            "the best by the fused score",
        )
        .reads(match self.flat {
            true => &[P::SageSeeds, P::SageNeighbours],
            false => &[P::SageSeeding, P::SageSeeds],
        })
        .edits_seeds(true)
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let mut k = cx.values.get(SAGE_SEEDS);
        let (mut members, mut rule) = (Vec::new(), SageSeeding::Fused);
        if self.flat {
            k += cx.values.get(SAGE_NEIGHBOURS);
        } else {
            rule = cx.values.get(SAGE_SEEDING);
        }
        for set in inputs {
            members = match (rule, set.get::<Scores>()) {
                (SageSeeding::Cutoff, Some(scores)) => scores.cutoff(k),
                _ => set.members.iter().take(k).copied().collect(),
            };
        }
        let last = members.last().map_or(0.0, |member| member.value);
        let mut set = Set::new(Space::Nodes)
            .fact(self.declaration().name, members.len())
            .fact("last score", last);
        set.members = members;
        Ok(changed(cx, set, false))
    }

    fn why(&self, at: &At<'_>, member: &Member) -> String {
        match member.from {
            Origin::Added => at.origin(member),
            _ => said(at, member),
        }
    }
}

/// The neighbours by the same score, over the best BM25 among them; k' are kept.
#[derive(Debug)]
pub struct Prune;

pub static PRUNE: Prune = Prune;

/// The best BM25 among the neighbours.
#[derive(Clone, Copy, Debug)]
struct BestNear(f64);

impl Operator for Prune {
    fn declaration(&self) -> Declaration {
        Declaration::select(
            "prune",
            "the neighbours by the fused score among themselves",
        )
        .kind("filter")
        .reads(&[P::SageNeighbours])
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let scores = inputs.iter().find_map(|set| set.get::<Scores>());
        let (Some(near), Some(scores)) = (inputs.first(), scores) else {
            return Ok(Set::new(Space::Nodes));
        };
        let bm25 = near.members.iter().map(|m| scores.of(m.node).0);
        let best = bm25.fold(0.0, f64::max);
        let again = near.members.iter().map(|member| Member {
            value: scores.fused(member.node, best),
            ..*member
        });
        let mut kept = heaviest(again.collect(), usize::MAX);
        let rest = kept.split_off(cx.values.get(SAGE_NEIGHBOURS).min(kept.len()));
        let last = kept.last().map_or(0.0, |member| member.value);
        let mut set = Set::new(Space::Nodes)
            .fact("kept", kept.len())
            .fact("of", near.members.len())
            .fact("best BM25 among them", best)
            .fact("last score", last);
        let dropped = rest.iter().map(|member| Dropped {
            node: member.node,
            code: Code::PrunedByFusion,
            margin: last - member.value,
        });
        set.dropped = dropped.collect();
        set.members = kept;
        Ok(set.with(BestNear(best)))
    }

    fn why(&self, at: &At<'_>, member: &Member) -> String {
        format!("{}; {}", said(at, member), at.origin(member))
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        let own = at.graph().nodes_of(passage);
        let set = at.set();
        let in_kept = set.members.iter().any(|m| own.contains(&m.node));
        let place = set.dropped.iter().position(|d| own.contains(&d.node));
        let (Some(place), Some(scores), false) = (place, scores(at), in_kept) else {
            return Vec::new();
        };
        let dropped = &set.dropped[place];
        let (kept, rank) = (set.members.len(), set.members.len() + place + 1);
        let (bm25, near) = scores.of(dropped.node);
        let text = format!(
            "a neighbour, but rank {rank} of {} by fused score (BM25 {bm25:.2}, nearness {near:.3}): {:.3} below rank {kept} (similarity pruning)",
            kept + set.dropped.len(),
            dropped.margin
        );
        let k = at.values().get(SAGE_NEIGHBOURS);
        let class = Class::behind(rank, k);
        let fix = at.tried(passage, SAGE_NEIGHBOURS.at(rank));
        vec![
            Reason::new(Code::PrunedByFusion, text)
                .class(class)
                .with_fix(fix),
        ]
    }
}

/// The passages of the seeds in their order, then those of the neighbours in theirs.
#[derive(Debug)]
pub struct SeedsFirst;

pub static SEEDS_FIRST: SeedsFirst = SeedsFirst;

impl Operator for SeedsFirst {
    fn declaration(&self) -> Declaration {
        Declaration::select(
            "seeds first",
            "the passages of the seeds, then those of the neighbours",
        )
        .reads(&[P::FuseLexical, P::FuseDense])
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let (graph, above) = (cx.graph(), above(cx));
        let passages = |node: Node| graph.passages_of(node).to_vec();
        let score = |input, member: &Member| member.value + if input == 0 { above } else { 0.0 };
        Ok(Set::brought(inputs, passages, score))
    }

    fn why(&self, at: &At<'_>, member: &Member) -> String {
        found(at, member.node).map_or(String::new(), |(step, place)| of_member(&step, place))
    }

    fn explain(&self, at: &At<'_>, passage: u32) -> Explanation {
        let (Some((step, place)), Some(scores)) = (found(at, passage), scores(at)) else {
            return Explanation::of(Vec::new(), "it is not among what was found");
        };
        let member = &step.set().members[place];
        let (bm25, near) = scores.of(member.node);
        let best = step.set().get::<BestNear>().map_or(scores.best, |b| b.0);
        let dense = scores.weights.1 * near;
        let words = scores.fused(member.node, best) - dense;
        let mut parts = vec![
            ScorePart::new(
                "BM25",
                words,
                format!(
                    "weight {} * BM25 {bm25:.3} / best {best:.3}",
                    scores.weights.0
                ),
            ),
            ScorePart::new(
                "dense",
                dense,
                format!("weight {} * nearness {near:.3}", scores.weights.1),
            ),
        ];
        let changed = member.value - scores.fused(member.node, best);
        if changed != 0.0 {
            let why = "added by your edit of this seed".to_owned();
            parts.push(ScorePart::new("edited by you", changed, why));
        }
        if step.operator().declaration().part == Part::Seed {
            let why = "seeds come before their neighbours".to_owned();
            parts.push(ScorePart::new("seed", scores.above(), why));
        }
        Explanation::of(parts, clip(&of_member(&step, place), 160))
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        if at.set().hits().iter().any(|hit| hit.passage == passage) {
            return Vec::from_iter(after_the_seeds(at, passage));
        }
        let own = at.graph().nodes_of(passage);
        if own.is_empty() {
            let text =
                "the passage has no text, so it has no chunk in the graph (not in the graph)";
            return vec![Reason::new(Code::NotInIndex, text)];
        }
        let (Some(scores), Some(first)) = (scores(at), at.input(0)) else {
            return Vec::new();
        };
        let ranks = own.iter().map(|&node| (scores.rank(node), node));
        let (rank, node) = ranks.min().unwrap_or_default();
        let (bm25, near) = scores.of(node);
        let seeds = &first.set().members;
        let last = seeds.last().map_or(0.0, |member| member.value);
        let flat = at.inputs().count() == 1;
        let text = format!(
            "rank {rank} of {} by fused score (BM25 {bm25:.2}, nearness {near:.3}), {:.3} below the last of {} {} (similarity pruning)",
            scores.bm25.len(),
            last - scores.fused(node, scores.best),
            seeds.len(),
            if flat { "returned" } else { "seeds" }
        );
        let settings = &at.run.settings;
        let wanted = match flat {
            true => rank.saturating_sub(settings.get(SAGE_NEIGHBOURS)),
            false => rank,
        };
        let fix = at.tried(passage, SAGE_SEEDS.at(wanted));
        let cut = Reason::new(Code::CutByK, text).with_fix(fix);
        let alone = held_back(scores, node, rank);
        alone.into_iter().chain([cut]).collect()
    }
}

/// The half of the fused score that ranks a node worse than the other alone does.
fn held_back(scores: &Scores, node: Node, rank: usize) -> Option<Reason> {
    let own = scores.of(node);
    let nodes = || (0..scores.bm25.len() as Node).map(|other| scores.of(other));
    let words = 1 + nodes().filter(|other| other.0 > own.0).count();
    let near = 1 + nodes().filter(|other| other.1 > own.1).count();
    let better = if words < near { own.0 } else { own.1 };
    if words.min(near) >= rank || better <= 0.0 || scores.near.is_empty() {
        return None;
    }
    let (by, place, other, worse, weight) = match words < near {
        true => ("BM25", words, "nearness", near, FUSE_DENSE),
        false => ("nearness", near, "BM25", words, FUSE_LEXICAL),
    };
    let text = format!(
        "{other} holds it back: rank {worse} by {other}, {place} by {by} alone, {rank} by both"
    );
    let weight = Change::from(weight.at(0.0));
    Some(Reason::new(Code::OneSignal, text).undone_by([weight]))
}

/// A neighbour that is found, but stands behind all seeds.
fn after_the_seeds(at: &At<'_>, passage: u32) -> Option<Reason> {
    let (step, place) = found(at, passage).filter(|(step, _)| {
        let part = step.operator().declaration().part;
        part != Part::Seed
    })?;
    let settings = &at.run.settings;
    let seeds = settings.get(SAGE_SEEDS);
    let text = format!(
        "it is neighbour {} of {}, and the {seeds} seeds come before all neighbours",
        place + 1,
        step.set().members.len()
    );
    let room = settings.get(RESULT_K).checked_sub(place + 1);
    let fewer = room.map(|room| SAGE_SEEDS.at(room).into());
    Some(Reason::new(Code::OrderedLater, text).undone_by(fewer))
}

/// What seeds lie above any neighbour.
fn above(cx: &Context<'_>) -> f64 {
    2.0 * (cx.values.get(FUSE_LEXICAL) + cx.values.get(FUSE_DENSE))
}

/// The step that brought a passage, and the place in its set.
fn found<'a>(at: &At<'a>, passage: u32) -> Option<(At<'a>, usize)> {
    let (input, place) = at.set().brought_by(passage)?;
    Some((at.input(input)?, place))
}

/// How a member of the seeds or of the neighbours came in, in a sentence.
fn of_member(step: &At<'_>, place: usize) -> String {
    let members = &step.set().members;
    let (member, rank) = (&members[place], place + 1);
    let score = member.value;
    match member.from {
        Origin::Edge { from } => {
            let graph = step.graph();
            let label = graph.label(step.index, from);
            let evidence = graph.source().evidence(step.index, from, member.node);
            let all = members.len() + step.set().dropped.len();
            let label = clip(&label, LABEL);
            format!(
                "neighbour of {label} ({evidence}); {rank} of {all} neighbours, fused {score:.3}"
            )
        }
        Origin::Added => format!("seed {rank}: {}", step.origin(member)),
        _ => {
            let name = if step.operator().declaration().name == BEST.declaration().name {
                "rank"
            } else {
                "seed"
            };
            format!("{name} {rank}: fused {score:.3} ({})", said(step, member))
        }
    }
}

#[cfg(test)]
#[path = "sage_tests.rs"]
mod whole;

#[cfg(test)]
mod tests {
    use super::*;

    fn made(bm25: &[f64], near: &[f32], weights: (f64, f64)) -> Scores {
        Scores {
            best: bm25.iter().copied().fold(0.0, f64::max),
            bm25: bm25.to_vec(),
            near: near.to_vec(),
            weights,
        }
    }

    #[test]
    fn the_fused_score_by_hand() {
        let scores = made(&[4.0, 1.0, 0.0], &[0.2, 0.8, 0.4], (0.25, 0.75));
        let expected = [0.25 + 0.75 * 0.2, 0.25 * 0.25 + 0.75 * 0.8, 0.75 * 0.4];
        for (member, expected) in scores.all().zip(expected) {
            assert!((member.value - expected).abs() < 1e-7, "{member:?}");
        }
        assert_eq!([1, 0, 2].map(|node| scores.rank(node)), [1, 2, 3]);
        // No word matches: words add nothing, ties go to the lower node.
        let scores = made(&[0.0, 0.0], &[0.5, 0.5], (0.25, 0.75));
        assert_eq!((scores.member(0).value, scores.rank(1)), (0.375, 2));
        // Over the best of the neighbours, .5 * 2/2 + .5 * .1 and .5 * 1/2 + .5 * .4: by the best of all, 10, the other
        // would come first.
        let scores = made(&[10.0, 2.0, 1.0], &[0.9, 0.1, 0.4], (0.5, 0.5));
        let near = [1, 2].map(|node| (scores.fused(node, 2.0) * 1e3).round());
        assert_eq!(near, [550.0, 450.0]);
        assert!(scores.member(1).value < scores.member(2).value);
    }

    #[test]
    fn cutoff_intersects_the_two_fifths() {
        // Ten of each: the 80th percentile lies at place 7.2, a fifth of the way from the third best to the second.
        let bm25: Vec<f64> = (0..10).map(|i| f64::from(i) + 1.0).collect();
        let near = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.95, 0.8, 0.9];
        let nodes = |hits: Vec<Member>| hits.iter().map(|h| h.node).collect::<Vec<_>>();
        // Words: 8, 9. Vectors: 7, 9.
        let scores = made(&bm25, &near, (0.5, 0.5));
        assert_eq!(nodes(scores.cutoff(5)), [9]);
        // No node in both fifths: the full lists are intersected, the best k by fused score.
        let far: Vec<f32> = near.iter().rev().copied().collect();
        assert_eq!(made(&bm25, &far, (0.5, 0.5)).cutoff(2).len(), 2);
        // No word matches anything: half of each, so the nearest half.
        let scores = made(&[0.0; 4], &[0.1, 0.4, 0.3, 0.2], (0.5, 0.5));
        assert_eq!(nodes(scores.cutoff(4)), [1, 2]);
    }
}
