//! The restart distribution: which nodes restart the walk, and with which share (SPRIG, seeds and mixing).

use crate::layers::{Graph, Node};
use crate::parameters::{
    FALLBACK, Fallback, MIX, MIX_A, Mix, Parameter, Parameter as P, SEED_K, SEED_Q, SEED_WEIGHT,
    SOFTMAX_TAU, Scoped, SeedWeight,
};
use crate::retrieve::edits::{self, Edited, SeedChange, SeedEdit};
use crate::retrieve::explanation::Story;
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::retrieval::{Mixed, Ranked, Seed, Seeded};
use crate::retrieve::set::{Member, Origin, Set, Space};
use crate::retrieve::{RetrieveError, rank};
use serde_json::json;
use std::sync::Arc;

/// Names weigh df^-q each, the best of a list by rank or score; `mix` shares the mass between the two. A person's changes
/// come before mixing.
#[derive(Debug)]
pub struct Restart {
    pub names: bool,
    pub rest: bool,
    /// Nothing else: no fallback, and only those changes that name names.
    pub strict: bool,
}

pub static FROM_NAMES: Restart = Restart {
    names: true,
    rest: false,
    strict: false,
};
pub static FROM_LIST: Restart = Restart {
    names: false,
    rest: true,
    strict: false,
};
pub static FROM_BOTH: Restart = Restart {
    names: true,
    rest: true,
    strict: false,
};
/// Of `hop`'s walk from names alone.
pub static NAMES_ALONE: Restart = Restart {
    names: true,
    rest: false,
    strict: true,
};

impl Operator for Restart {
    fn declaration(&self) -> Declaration {
        // The words are for the fallback to the best BM25 passage.
        let reads: &[Parameter] = match (self.names, self.rest) {
            _ if self.strict => &[P::SeedQ],
            (true, true) => &[
                P::Tokens,
                P::Bm25K1,
                P::Bm25B,
                P::SeedQ,
                P::SeedK,
                P::SeedWeight,
                P::SoftmaxTau,
                P::Fallback,
                P::Mix,
                P::MixA,
            ],
            (true, false) => &[P::Tokens, P::Bm25K1, P::Bm25B, P::SeedQ, P::Fallback],
            _ => &[
                P::Tokens,
                P::Bm25K1,
                P::Bm25B,
                P::SeedK,
                P::SeedWeight,
                P::SoftmaxTau,
                P::Fallback,
            ],
        };
        Declaration::seed("restart", "seeds with their shares of the restart")
            .kind("mix")
            .reads(reads)
            .by_rows(true)
            .edits_seeds(true)
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], desk: &mut Desk<'_>) -> Outcome {
        let mut seeded = self.seeded(cx, inputs);
        if seeded.seeds.is_empty() && !self.strict {
            seeded.seeds = fallback(cx, desk)?;
            seeded.fallback = !seeded.seeds.is_empty();
            seeded.mixed = None;
        }
        Ok(set_of(seeded))
    }

    fn tell(&self, at: &At<'_>, story: &mut Story) {
        told(at, story);
    }
}

/// The seeds as a stage, and as what started the search.
pub fn told(at: &At<'_>, story: &mut Story) {
    let stage = at.stage(story);
    story.seeds.clone_from(&stage.nodes);
    story.push(stage);
}

/// Seeds as a set.
pub fn set_of(seeded: Seeded) -> Set {
    let mut set = Set::new(Space::Nodes)
        .fact("seeds", seeded.seeds.len())
        .fact("fallback", seeded.fallback);
    if let Some(mixed) = seeded.mixed {
        set = set
            .fact("share of names a", json!(mixed.a))
            .fact("mass of names", json!(mixed.entity_mass))
            .fact("mass of the rest", json!(mixed.passage_mass));
    }
    if seeded.unmapped > 0 {
        set = set.fact("passages without a node in this graph", seeded.unmapped);
    }
    set.members = seeded
        .seeds
        .iter()
        .map(|seed| Member {
            node: seed.node,
            value: seed.weight,
            from: seed.why,
        })
        .collect();
    set.with(seeded)
}

impl Restart {
    fn seeded(&self, cx: &Context<'_>, inputs: &[Arc<Set>]) -> Seeded {
        let (graph, values) = (cx.graph(), cx.values);
        let (mut names, mut rest) = (Vec::new(), Vec::new());
        let mut unmapped = 0;
        let q = if self.names { values.get(SEED_Q) } else { 0.0 };
        for set in inputs {
            match set.get::<Ranked>() {
                Some(list) => unmapped += from_list(graph, list, values, &mut rest),
                None => from_nodes(graph, set, q, values, self.rest, &mut names, &mut rest),
            }
        }
        let wanted = cx.edits.iter();
        let wanted = wanted.filter(|e| !self.strict || e.passage().is_none());
        let edits = edit(cx, wanted, q, &mut names, &mut rest);
        // The sum of none is -0.
        let mass = |seeds: &[Seed]| seeds.iter().map(|s| s.raw).sum::<f64>() + 0.0;
        let (own, other) = (mass(&names), mass(&rest));
        let counts = (names.len(), rest.len());
        let both = self.names && self.rest;
        let Some(a) = mixing(counts, (own, other), both.then_some(values)) else {
            return Seeded {
                edits,
                unmapped,
                ..Seeded::default()
            };
        };
        for (seeds, mass, share) in [(&mut names, own, a), (&mut rest, other, 1.0 - a)] {
            for seed in seeds.iter_mut() {
                seed.weight = share * seed.raw / mass;
            }
        }
        for seed in rest {
            // A node that the question names and the list has too restarts with both shares.
            match names.iter_mut().find(|own| own.node == seed.node) {
                Some(own) => own.weight += seed.weight,
                None => names.push(seed),
            }
        }
        names.retain(|s| s.weight > 0.0);
        names.sort_by(|x, y| y.weight.total_cmp(&x.weight).then(x.node.cmp(&y.node)));
        Seeded {
            seeds: names,
            mixed: both.then_some(Mixed {
                entity_mass: own,
                passage_mass: other,
                a,
            }),
            fallback: false,
            edits,
            unmapped,
        }
    }
}

/// A seed with its mass before mixing.
pub fn seed(node: Node, raw: f64, why: Origin) -> Seed {
    Seed {
        node,
        raw,
        weight: 0.0,
        why,
    }
}

/// The best of a list, each shared by the nodes that stand for it. Gives how many have none.
fn from_list(graph: &Graph, list: &Ranked, values: Scoped<'_>, rest: &mut Vec<Seed>) -> usize {
    let k = values.get(SEED_K).min(list.hits.len());
    let scores: Vec<f32> = list.hits[..k].iter().map(|h| h.score).collect();
    let masses = listed(&scores, values);
    let mut unmapped = 0;
    for (at, (hit, raw)) in list.hits.iter().zip(masses).enumerate() {
        let nodes = graph.nodes_of(hit.passage);
        unmapped += usize::from(nodes.is_empty());
        let why = Origin::Ranked {
            ranker: list.ranker,
            rank: at + 1,
            score: hit.score,
        };
        for &node in nodes.iter() {
            add(rest, node, raw / nodes.len() as f64, why);
        }
    }
    unmapped
}

/// Named nodes, and the nearest ones.
fn from_nodes(
    graph: &Graph,
    set: &Set,
    q: f64,
    values: Scoped<'_>,
    weighs: bool,
    names: &mut Vec<Seed>,
    rest: &mut Vec<Seed>,
) {
    let near = |member: &&Member| matches!(member.from, Origin::Near { .. });
    let scores: Vec<f32> = set
        .members
        .iter()
        .filter(near)
        .map(|m| m.value as f32)
        .collect();
    let masses = if weighs {
        listed(&scores, values)
    } else {
        Vec::new()
    };
    for (member, raw) in set.members.iter().filter(near).zip(masses) {
        add(rest, member.node, raw, member.from);
    }
    for member in set.members.iter().filter(|member| !near(member)) {
        // Of a masked or lonely node nothing could go on.
        if let Origin::Name { df, .. } = member.from
            && !graph.transition().dangling(member.node as usize)
        {
            let raw = f64::from(df.max(1)).powf(-q);
            names.push(seed(member.node, raw, member.from));
        }
    }
}

fn add(seeds: &mut Vec<Seed>, node: Node, raw: f64, why: Origin) {
    match seeds.iter_mut().find(|seed| seed.node == node) {
        Some(known) => known.raw += raw,
        None => seeds.push(seed(node, raw, why)),
    }
}

/// The mass of each of the best of a list before mixing, by their scores, best first.
pub fn listed(scores: &[f32], values: Scoped<'_>) -> Vec<f64> {
    let k = scores.len();
    let best = scores.first().map_or(0.0, |s| f64::from(*s));
    let (rule, tau) = (values.get(SEED_WEIGHT), values.get(SOFTMAX_TAU));
    let mass = |(at, score): (usize, &f32)| {
        let (rank, score) = (at as f64 + 1.0, f64::from(*score));
        match rule {
            SeedWeight::Linear => (k - at) as f64 / k as f64,
            SeedWeight::Rrf => 1.0 / (60.0 + rank),
            SeedWeight::Softmax => ((score - best) / tau).exp(),
            SeedWeight::Raw => score.max(0.0),
            SeedWeight::Rank => 1.0 / rank,
        }
    };
    scores.iter().enumerate().map(mass).collect()
}

/// The names' share a of the restart, by how many seeds and how much mass there are of (names, others); none where there
/// is no mass at all. `values` where both can be.
fn mixing(counts: (usize, usize), masses: (f64, f64), values: Option<Scoped<'_>>) -> Option<f64> {
    Some(match (masses.0 > 0.0, masses.1 > 0.0, values) {
        (false, false, _) => return None,
        (true, false, _) => 1.0,
        (false, true, _) => 0.0,
        (true, true, Some(values)) => match values.get(MIX) {
            Mix::Adaptive => (counts.0 + 1) as f64 / (counts.0 + counts.1 + 2) as f64,
            Mix::Fixed => values.get(MIX_A),
            Mix::Mass => masses.0 / (masses.0 + masses.1),
        },
        // Added by hand beside the only kind of seeds there is.
        (true, true, None) => masses.0 / (masses.0 + masses.1),
    })
}

/// Applies a person's changes to the masses before mixing, and says what became of each.
pub fn edit<'e>(
    cx: &Context<'_>,
    wanted: impl Iterator<Item = &'e SeedEdit>,
    q: f64,
    names: &mut Vec<Seed>,
    rest: &mut Vec<Seed>,
) -> Vec<Edited> {
    let mut all = Vec::new();
    for wanted in wanted {
        let nodes = edits::nodes(wanted, cx.index, cx.graph(), cx.values);
        let of_passage = wanted.passage().is_some();
        let mut applied = false;
        for &node in &nodes {
            let own = |seeds: &[Seed]| seeds.iter().position(|s| s.node == node);
            let (seeds, at) = match (own(names), own(rest)) {
                (Some(at), _) => (&mut *names, Some(at)),
                (None, Some(at)) => (&mut *rest, Some(at)),
                (None, None) if of_passage => (&mut *rest, None),
                (None, None) => (&mut *names, None),
            };
            match (wanted.change, at) {
                (SeedChange::Mute, Some(at)) => {
                    seeds.remove(at);
                    applied = true;
                }
                (SeedChange::Weight(factor) | SeedChange::Add(factor), Some(at)) => {
                    seeds[at].raw *= factor;
                    applied = true;
                }
                (SeedChange::Add(factor), None) => {
                    let best = seeds.iter().map(|s| s.raw).fold(0.0, f64::max);
                    let own = match of_passage {
                        true if best > 0.0 => best,
                        true => 1.0,
                        false => {
                            let df = cx.graph().source().frequency(node);
                            f64::from(df.max(1)).powf(-q)
                        }
                    };
                    seeds.push(seed(node, factor * own, Origin::Added));
                    applied = true;
                }
                (SeedChange::Mute | SeedChange::Weight(_), None) => {}
            }
        }
        all.push(Edited {
            edit: wanted.clone(),
            node: nodes.first().copied(),
            applied,
        });
    }
    all
}

/// A person's changes of the nodes that a plan starts from without a walk: values are weighed, and an added node has the
/// best one's. `of_names`: of a passage there is nothing to change.
pub fn changed(cx: &Context<'_>, mut set: Set, of_names: bool) -> Set {
    if cx.edits.is_empty() {
        return set;
    }
    let own = |member: &Member| seed(member.node, member.value, member.from);
    let mut rest: Vec<Seed> = set.members.iter().map(own).collect();
    let best = rest.iter().map(|seed| seed.raw).fold(0.0, f64::max);
    let mut named = Vec::new();
    let (own, other): (Vec<&SeedEdit>, Vec<&SeedEdit>) =
        (cx.edits.iter()).partition(|edit| !of_names || edit.passage().is_none());
    let mut edits = edit(cx, own.into_iter(), 0.0, &mut named, &mut rest);
    edits.extend(other.into_iter().map(|edit| Edited {
        edit: edit.clone(),
        node: None,
        applied: false,
    }));
    let unit = if best > 0.0 { best } else { 1.0 };
    named.iter_mut().for_each(|seed| seed.raw *= unit);
    rest.extend(named);
    rest.sort_by(|a, b| b.raw.total_cmp(&a.raw).then(a.node.cmp(&b.node)));
    let member = |seed: Seed| Member {
        node: seed.node,
        value: seed.raw,
        from: seed.why,
    };
    set.members = rest.into_iter().map(member).collect();
    set.with(edits)
}

/// Seeds for a question that gave none: uniform over passages, the best BM25 passage, or nothing.
fn fallback(cx: &Context<'_>, desk: &mut Desk<'_>) -> Result<Vec<Seed>, RetrieveError> {
    let graph = cx.graph();
    let of = |passage: u32, weight: f64| {
        let nodes = graph.nodes_of(passage);
        let weight = weight / nodes.len().max(1) as f64;
        let one = |&node: &Node| Seed {
            node,
            raw: weight,
            weight,
            why: Origin::Fallback,
        };
        nodes.iter().map(one).collect::<Vec<_>>()
    };
    let rule = cx.values.get(FALLBACK);
    if rule == Fallback::None {
        return Ok(Vec::new());
    }
    if rule == Fallback::Bm25Top1 {
        let tokens = rank::tokens(cx.values);
        let words = cx.index.lexical().question(tokens, cx.question)?;
        let scores = &mut desk.scratch.scores;
        let list = rank::words(
            cx.index,
            crate::retrieve::Ranker::Bm25,
            words,
            cx.values,
            1,
            scores,
        )?;
        let seeds = list
            .hits
            .first()
            .map_or_else(Vec::new, |hit| of(hit.passage, 1.0));
        if !seeds.is_empty() {
            return Ok(seeds);
        }
    }
    let passages = 0..graph.passages() as u32;
    let stands = passages.clone().filter(|p| !graph.nodes_of(*p).is_empty());
    let share = 1.0 / stands.count().max(1) as f64;
    let mut seeds: Vec<Seed> = Vec::new();
    for seed in passages.flat_map(|passage| of(passage, share)) {
        seeds.push(seed);
    }
    if !graph.is_of_passages() {
        // A node of several passages is one seed.
        seeds.sort_by_key(|seed| seed.node);
        seeds.dedup_by(|later, kept| {
            let same = later.node == kept.node;
            if same {
                kept.weight += later.weight;
                kept.raw += later.raw;
            }
            same
        });
    }
    Ok(seeds)
}

/// Shares the restart among seeds that are mixed already, anew.
pub fn reshare(seeds: &mut Vec<Seed>) {
    let all: f64 = seeds.iter().map(|s| s.raw).sum();
    for seed in seeds.iter_mut() {
        seed.weight = if all > 0.0 { seed.raw / all } else { 0.0 };
    }
    seeds.retain(|s| s.weight > 0.0);
    seeds.sort_by(|x, y| y.weight.total_cmp(&x.weight).then(x.node.cmp(&y.node)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retrieve::{Method, Settings};

    fn settings(changes: &[&str]) -> Settings {
        let mut settings = Settings::new(Method::by_name("graph-hybrid").unwrap());
        let changes = changes.iter();
        changes.for_each(|set| settings.set_text(set).unwrap());
        settings
    }

    fn close(ours: f64, by_hand: f64) -> bool {
        (ours - by_hand).abs() < 1e-6
    }

    #[test]
    fn each_rule_weighs_the_places_of_a_list_as_its_formula_says() {
        let cases: [(&[&str], [f64; 3]); 6] = [
            (&["seed_weight=linear"], [1.0, 2.0 / 3.0, 1.0 / 3.0]),
            (&["seed_weight=rank"], [1.0, 1.0 / 2.0, 1.0 / 3.0]),
            (&["seed_weight=rrf"], [1.0 / 61.0, 1.0 / 62.0, 1.0 / 63.0]),
            (&["seed_weight=raw"], [0.9, 0.5, 0.0]),
            (
                &["seed_weight=softmax"],
                [1.0, (-0.4_f64).exp(), (-1.1_f64).exp()],
            ),
            (
                &["seed_weight=softmax", "softmax_tau=0.5"],
                [1.0, (-0.8_f64).exp(), (-2.2_f64).exp()],
            ),
        ];
        for (set, by_hand) in cases {
            let ours = listed(&[0.9, 0.5, -0.2], settings(set).all());
            let mut pairs = ours.iter().zip(by_hand);
            assert!(
                pairs.all(|(ours, by_hand)| close(*ours, by_hand)),
                "{set:?}: {ours:?}"
            );
        }
    }

    #[test]
    fn each_mixing_gives_the_names_their_share() {
        // One name of mass 0.5, three passages of mass 1.5.
        let share = |set: &[&str]| mixing((1, 3), (0.5, 1.5), Some(settings(set).all())).unwrap();
        assert!(close(share(&["mix=adaptive"]), 2.0 / 6.0));
        assert!(close(share(&["mix=mass"]), 0.25));
        assert!(close(share(&["mix=fixed", "mix_a=0.7"]), 0.7));
        // Of one kind alone there is nothing to share.
        let alone = |masses| mixing((1, 3), masses, Some(settings(&["mix=adaptive"]).all()));
        assert_eq!(alone((0.5, 0.0)), Some(1.0));
        assert_eq!(alone((0.0, 1.5)), Some(0.0));
        assert_eq!(alone((0.0, 0.0)), None);
    }
}
