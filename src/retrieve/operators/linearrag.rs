//! LinearRAG: names activate names through the sentences closest to the question, and a walk spreads from what was
//! activated over names and passages (LinearRAG, retrieval). No relations, and no language model.
//!
//! Its own rules stand here; the graph, the sentences, the walk and the selection are those of the other methods. Given the
//! same names, sentences and vectors, every question gets the ten passages that the published code finds, in the same order
//! (`benches/peers/linearrag.py`). What is given differs, on purpose:
//!
//! - Names of the question are looked up by form and weigh 1, where the source takes the nearest by vector, known or not,
//!   with its cosine.
//! - A name is a normal form, where there every spelling is a name, and its occurrences are the mentions of the graph, where
//!   the source counts letters: "art" in "party".
//! - A sentence is a place in a passage, where there equal sentences of two passages are one.
//! - No passage is joined to the next: the source joins those that begin with a number, which its script puts before all,
//!   as firmly as a passage is joined to all its names together. In a pool of passages neighbours say nothing; where they
//!   stand by question they would tell what belongs to it.

use super::lists::DENSE;
use super::names::NAMES;
use super::passages::PASSAGES;
use super::restart::{edit, reshare, set_of};
use super::walk::WALK;
use crate::index::IndexError;
use crate::layers::HopLayer;
use crate::layers::{Class, Code, ENTITY_PASSAGE, GraphView, Node};
use crate::parameters::{
    LINEAR_PASSAGE_RATIO, LINEAR_PASSAGE_WEIGHT, LINEAR_ROUNDS, LINEAR_SENTENCES, LINEAR_THRESHOLD,
    Parameter as P,
};
use crate::retrieve::change::Change;
use crate::retrieve::explanation::{Edge, Explanation, Lack, Reason, Story, clip};
use crate::retrieve::hop::SENTENCES;
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::plan::Plan;
use crate::retrieve::retrieval::{Seed, Seeded};
use crate::retrieve::set::{Dropped, Member, Origin, Set, Space, heaviest};
use crate::text::{plural, span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

pub fn plan() -> Plan {
    let graph = &ENTITY_PASSAGE;
    let mut plan = Plan::default();
    let sentences = plan.step(&SENTENCES, &[]);
    let names = plan.on(graph, &NAMES, &[]);
    let active = plan.on(graph, &ACTIVATE, &[names, sentences]);
    let near = plan.step(&DENSE, &[]);
    let seeds = plan.on(graph, &RESTART, &[active, names]);
    let walk = plan.on(graph, &WALK, &[seeds]);
    let walked = plan.on(graph, &PASSAGES, &[walk]);
    plan.on(graph, &OR_NEAREST, &[walked, near, names]);
    plan
}

/// Longest sentence that is shown, in characters.
const LINE: usize = 160;
/// Most names in one sentence.
const NAMED: usize = 3;

/// Names activate names through sentences.
#[derive(Debug)]
pub struct Activate;

pub static ACTIVATE: Activate = Activate;

/// What a name was given last, after how many rounds, and what it was given in all.
#[derive(Clone, Copy, Debug)]
struct Active {
    score: f64,
    tier: usize,
    weight: f64,
}

/// A sentence that carried activation from one name to another.
#[derive(Clone, Copy, Debug)]
struct Way {
    from: Node,
    to: Node,
    passage: u32,
    sentence: u32,
    score: f64,
}

/// Every name that is active, and the ways between them.
#[derive(Debug)]
struct Activation {
    names: FxHashMap<Node, Active>,
    ways: Vec<Way>,
}

impl Activation {
    /// Adds to what a name was given. Its score and tier are set when the round ends.
    fn gives(&mut self, name: Node, score: f64) {
        let nothing = Active {
            score,
            tier: 0,
            weight: 0.0,
        };
        self.names.entry(name).or_insert(nothing).weight += score;
    }
}

/// The names of a round in the order in which they were first activated, each with the score it was given last.
#[derive(Default)]
struct Round {
    names: Vec<(Node, f64)>,
    places: FxHashMap<Node, usize>,
}

impl Round {
    fn set(&mut self, name: Node, score: f64) {
        let place = *self.places.entry(name).or_insert(self.names.len());
        match self.names.get_mut(place) {
            Some(known) => known.1 = score,
            None => self.names.push((name, score)),
        }
    }
}

/// The sentences that mention each name of a round, with their passages. A passage is read once, however many of the names
/// it mentions.
fn sentences_of(view: &GraphView, layer: &HopLayer, round: &Round) -> Vec<Vec<(u32, u32)>> {
    let rows = round.names.iter();
    let rows = rows.flat_map(|(name, _)| view.graph.row(*name as usize).0);
    let mut passages: Vec<u32> = rows.copied().collect();
    passages.sort_unstable();
    passages.dedup();
    let mut found = vec![Vec::new(); round.names.len()];
    for passage in passages {
        for m in view.graph.occurrences(passage as usize) {
            if let Some(&place) = round.places.get(&view.entity_node(m.entity))
                && let Some(sentence) = layer.holding(passage, m.start as usize..m.end as usize)
            {
                found[place].push((sentence, passage));
            }
        }
    }
    for sentences in &mut found {
        sentences.sort_unstable();
        sentences.dedup();
    }
    found
}

/// The names that a sentence mentions and that take part, ascending.
fn names_in(view: &GraphView, layer: &HopLayer, passage: u32, sentence: u32) -> Vec<Node> {
    let inside = view.graph.occurrences_in(passage, layer.span(sentence));
    let able = inside.filter(|m| view.mask(m.entity).is_none());
    let mut names: Vec<Node> = able.map(|m| view.entity_node(m.entity)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

impl Operator for Activate {
    fn declaration(&self) -> Declaration {
        Declaration::seed(
            "activation",
            "names through the sentences closest to the question to other names, round by round",
        )
        .kind("expand")
        .reads(&[P::LinearRounds, P::LinearSentences, P::LinearThreshold])
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let mut set = Set::new(Space::Nodes);
        let layer = inputs.iter().find_map(|set| set.get::<HopLayer>());
        let (Some(names), Some(layer), Some(view)) = (inputs.first(), layer, cx.entities()) else {
            return Ok(set);
        };
        let probe = layer.probe(cx.question)?;
        let (take, least) = (
            cx.values.get(LINEAR_SENTENCES),
            cx.values.get(LINEAR_THRESHOLD),
        );
        let seed = Active {
            score: 1.0,
            tier: 1,
            weight: 1.0,
        };
        let mut active = Activation {
            names: names
                .members
                .iter()
                .map(|member| (member.node, seed))
                .collect(),
            ways: Vec::new(),
        };
        let mut used: FxHashSet<u32> = FxHashSet::default();
        let mut now = Round::default();
        for member in &names.members {
            now.set(member.node, seed.score);
        }
        let mut below: FxHashMap<Node, f64> = FxHashMap::default();
        for tier in 2..2 + cx.values.get(LINEAR_ROUNDS) {
            let mut next = Round::default();
            let sentences = sentences_of(view, layer, &now);
            for ((from, own), mentioning) in now.names.into_iter().zip(sentences) {
                let mut near: Vec<(f32, u32, u32)> = mentioning
                    .into_iter()
                    .filter(|(sentence, _)| !used.contains(sentence))
                    .map(|(sentence, passage)| {
                        Ok((layer.cosine(&probe, sentence)?, sentence, passage))
                    })
                    .collect::<Result<_, IndexError>>()?;
                near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                for (cosine, sentence, passage) in near.into_iter().take(take) {
                    used.insert(sentence);
                    // The name itself is one of them: it stays active, and takes another sentence in the next round.
                    for to in names_in(view, layer, passage, sentence) {
                        let score = own * f64::from(cosine);
                        if score < least {
                            let best = below.entry(to).or_insert(score);
                            *best = best.max(score);
                            continue;
                        }
                        next.set(to, score);
                        active.gives(to, score);
                        if to != from {
                            active.ways.push(Way {
                                from,
                                to,
                                passage,
                                sentence,
                                score,
                            });
                        }
                    }
                }
            }
            // Not before the round ends: what it goes by are the scores it began with.
            for &(name, score) in &next.names {
                active.names.entry(name).and_modify(|known| {
                    known.score = score;
                    known.tier = tier;
                });
            }
            now = next;
        }
        let ways = &active.ways;
        let carried: FxHashSet<u32> = ways.iter().map(|way| way.sentence).collect();
        let came: FxHashSet<Node> = ways.iter().map(|way| way.to).collect();
        let named = names.members.iter().rev();
        let named: FxHashMap<Node, Origin> = named.map(|own| (own.node, own.from)).collect();
        let member = |(&node, active): (&Node, &Active)| {
            // What another name activated came by a sentence.
            let own = named.get(&node).filter(|_| !came.contains(&node));
            Member {
                node,
                value: active.weight,
                from: own.map_or(Origin::Scored, |own| *own),
            }
        };
        set = set
            .fact("names active", active.names.len())
            .fact("sentences that carried", carried.len())
            .fact("below the threshold", below.len());
        set.members = heaviest(active.names.iter().map(member).collect(), usize::MAX);
        below.retain(|node, _| !active.names.contains_key(node));
        let dropped = below.into_iter().map(|(node, score)| Dropped {
            node,
            code: Code::BelowThreshold,
            margin: least - score,
        });
        set.dropped = dropped.collect();
        set.dropped
            .sort_by(|a, b| a.margin.total_cmp(&b.margin).then(a.node.cmp(&b.node)));
        Ok(set.with(active))
    }

    fn why(&self, at: &At<'_>, member: &Member) -> String {
        let active = at.set().get::<Activation>();
        let way = active.and_then(|active| active.ways.iter().rfind(|way| way.to == member.node));
        way.map_or_else(|| at.origin(member), |way| said(at, way))
    }

    fn tell(&self, at: &At<'_>, story: &mut Story) {
        let mut stage = at.stage(story);
        let ways = at
            .set()
            .get::<Activation>()
            .map_or(&[][..], |active| &active.ways);
        for way in ways {
            stage.edges.push(Edge {
                from: story.node(at, way.from),
                to: story.node(at, way.to),
                value: way.score,
                kind: "in one sentence".into(),
                why: said(at, way),
            });
        }
        story.push(stage);
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        Vec::from_iter(not_activated(at, passage))
    }
}

/// Where no active name is in a passage: what activation carried elsewhere, and which of its names came nearest to being
/// activated.
fn not_activated(at: &At<'_>, passage: u32) -> Option<Reason> {
    let (view, set) = (at.graph().entities()?, at.set());
    let (own, _) = view.graph.row(passage as usize);
    let active = |node: &Node| set.members.iter().any(|member| member.node == *node);
    if set.members.is_empty() || own.iter().any(active) {
        return None;
    }
    let least = at.values().get(LINEAR_THRESHOLD);
    let rounds = at.values().get(LINEAR_ROUNDS);
    let labels = set.members.iter().take(NAMED);
    let labels: Vec<_> = labels.map(|m| at.label(m.node)).collect();
    let text = format!(
        "none of its names is active: activation ended with {} ({})",
        plural(set.members.len(), "name"),
        labels.join(", ")
    );
    // In the order of their margins.
    let near = set
        .dropped
        .iter()
        .find(|dropped| own.contains(&dropped.node));
    let Some(near) = near else {
        let longer = LINEAR_ROUNDS.at(rounds + 1);
        let wider = LINEAR_SENTENCES.at(at.values().get(LINEAR_SENTENCES) + 1);
        let reason = Reason::new(Code::NotNamed, text).class(Class::F4);
        return Some(reason.undone_by([longer, wider].map(Change::from)));
    };
    let score = least - near.margin;
    let text = format!(
        "{text}; '{}' came to {score:.3}, below the threshold of {least}",
        at.label(near.node)
    );
    let reason = Reason::new(Code::BelowThreshold, text);
    // Places of the slider.
    let lower = (score * 20.0).floor() / 20.0;
    Some(reason.undone_by([LINEAR_THRESHOLD.at(lower).into()]))
}

/// A way in words: the name it came from and the sentence.
fn said(at: &At<'_>, way: &Way) -> String {
    let layer = at.before::<HopLayer>();
    let sentence = layer.map_or_else(Default::default, |(_, layer)| {
        let passages = at.index.passages();
        passages.part(way.passage as usize, layer.span(way.sentence))
    });
    let from = at.graph().label(at.index, way.from);
    // A sentence may be as long as its passage, and every way is told.
    let sentence = span::head(&sentence, LINE);
    clip(&format!("{from}: \"{sentence}\""), LINE)
}

/// The restart: names by what they were given, passages by closeness and by the active names they mention.
#[derive(Debug)]
pub struct Restart;

pub static RESTART: Restart = Restart;

impl Operator for Restart {
    fn declaration(&self) -> Declaration {
        Declaration::seed(
            "restart",
            "names by activation, passages by closeness and the active names in them",
        )
        .kind("mix")
        .reads(&[P::LinearPassageRatio, P::LinearPassageWeight])
        .edits_seeds(true)
        .needs_vectors(true)
    }

    fn why(&self, at: &At<'_>, member: &Member) -> String {
        match (member.from, at.input(0)) {
            (Origin::Scored, Some(active)) => active.operator().why(&active, member),
            _ => at.origin(member),
        }
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let active = inputs.iter().find_map(|set| set.get::<Activation>());
        let (Some(active), Some(view), Some(first)) = (active, cx.entities(), inputs.first())
        else {
            return Ok(set_of(Seeded::default()));
        };
        let seeds = named(&first.members);
        let (ratio, weight) = (
            cx.values.get(LINEAR_PASSAGE_RATIO),
            cx.values.get(LINEAR_PASSAGE_WEIGHT),
        );
        let mut bonus = vec![0.0; cx.index.len()];
        // In the order of the nodes, so that sums do not depend on a table's.
        let mut order: Vec<(&Node, &Active)> = active.names.iter().collect();
        order.sort_unstable_by_key(|(node, _)| **node);
        for (&node, active) in order {
            let (passages, tf) = view.graph.row(node as usize);
            for (&passage, &tf) in passages.iter().zip(tf) {
                bonus[passage as usize] +=
                    active.score * (1.0 + f64::from(tf)).ln() / active.tier as f64;
            }
        }
        restarted(cx, seeds, |passage, closeness| {
            weight * (ratio * closeness + (1.0 + bonus[passage as usize]).ln())
        })
    }
}

/// The least of some scores, and how far the greatest is from it.
pub(super) fn spread(scores: &[f32]) -> (f32, f64) {
    let (low, high) = scores.iter().fold((f32::MAX, f32::MIN), |(low, high), s| {
        (low.min(*s), high.max(*s))
    });
    (low, f64::from(high - low))
}

/// A restart from names and from every passage by how close it is to the question, 0 the farthest and 1 the closest of all.
pub(super) fn restarted(
    cx: &Context<'_>,
    mut named: Vec<Seed>,
    weight: impl Fn(u32, f64) -> f64,
) -> Outcome {
    let read = cx.dense()?;
    let near = match read {
        Some((dense, vector)) => dense.vectors.scores(vector)?,
        // Close to nothing: names alone start the walk, and what mentions them.
        None => vec![0.0; cx.index.len()],
    };
    let (low, span) = spread(&near);
    let span = span.max(1e-9);
    let mut rank: Vec<u32> = (0..near.len() as u32).collect();
    rank.sort_by(|a, b| {
        near[*b as usize]
            .total_cmp(&near[*a as usize])
            .then(a.cmp(b))
    });
    let mut rest: Vec<Seed> = Vec::new();
    for (place, passage) in rank.into_iter().enumerate() {
        let cosine = near[passage as usize];
        let raw = weight(passage, f64::from(cosine - low) / span);
        if raw > 0.0 {
            rest.push(Seed {
                node: passage,
                raw,
                weight: 0.0,
                why: Origin::Near {
                    rank: place + 1,
                    cosine,
                },
            });
        }
    }
    let edits = edit(cx, cx.edits.iter(), 0.0, &mut named, &mut rest);
    named.append(&mut rest);
    reshare(&mut named);
    let set = set_of(Seeded {
        seeds: named,
        edits,
        ..Seeded::default()
    });
    Ok(set.unread_unless(read.is_some()))
}

/// Names as seeds, by what they were given.
pub(super) fn named(members: &[Member]) -> Vec<Seed> {
    let given = members.iter().filter(|member| member.value > 0.0);
    let seed = |member: &Member| Seed {
        node: member.node,
        raw: member.value,
        weight: 0.0,
        why: member.from,
    };
    given.map(seed).collect()
}

/// The walk's ranking; the nearest passages where the question has nothing to start from.
#[derive(Debug)]
pub struct OrNearest {
    /// What is said then.
    pub none: &'static str,
}

pub static OR_NEAREST: OrNearest = OrNearest {
    none: "no name of the question is known",
};

/// The input that is the result.
fn chosen(inputs: &[&Set]) -> usize {
    usize::from(inputs.last().is_some_and(|names| names.members.is_empty()))
}

impl Operator for OrNearest {
    fn declaration(&self) -> Declaration {
        Declaration::select(
            "or nearest",
            "the walk's passages; the nearest ones where the question has nothing to start from",
        )
        .like("passages")
    }

    fn run(&self, _: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let sets: Vec<&Set> = inputs.iter().map(|set| &**set).collect();
        let by = chosen(&sets);
        let ranked = inputs.get(by).and_then(|set| set.ranked());
        let set = ranked.map_or_else(|| Set::new(Space::Passages), Set::ranking);
        let by = match by {
            0 => "walk".to_owned(),
            _ => format!("closeness: {}", self.none),
        };
        Ok(set.fact("by", by))
    }

    fn explain(&self, at: &At<'_>, passage: u32) -> Explanation {
        let sets: Vec<&Set> = at.inputs().map(|input| input.set()).collect();
        let by = at.input(chosen(&sets));
        by.map_or_else(Explanation::default, |by| {
            by.operator().explain(&by, passage)
        })
    }

    fn lacks(&self, at: &At<'_>, passage: u32, other: u32) -> Vec<Lack> {
        let sets: Vec<&Set> = at.inputs().map(|input| input.set()).collect();
        let by = at.input(chosen(&sets));
        by.map_or_else(Vec::new, |by| by.operator().lacks(&by, passage, other))
    }

    fn refuse(&self, at: &At<'_>, _: u32) -> Vec<Reason> {
        let sets: Vec<&Set> = at.inputs().map(|input| input.set()).collect();
        let text = format!("{}, so passages are ranked by closeness alone", self.none);
        Vec::from_iter((chosen(&sets) == 1).then(|| Reason::new(Code::Fallback, text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::why_not;
    use crate::index::{BuildOptions, Index, Silent};
    use crate::layers::summaries::layer_tests::titled;
    use crate::retrieve::{Keep, Method, Retrieval, Retriever, Settings};

    const QUESTION: &str = "In which town is the press that Mara Voss founded?";

    fn index() -> Arc<Index> {
        let texts = [
            (
                "Mara Voss",
                "Mara Voss founded Gull Press in her youth. She liked kelp.",
            ),
            (
                "Gull Press",
                "Gull Press is a printer of maps. It has a house in Holm.",
            ),
            ("Holm", "Holm is a town of ferries."),
            ("Kelp", "Kelp grows on rocks."),
        ];
        indexed(&texts)
    }

    fn indexed(texts: &[(&str, &str)]) -> Arc<Index> {
        Arc::new(Index::build(titled(texts), &BuildOptions::default(), &Silent).unwrap())
    }

    /// What was activated, and how close a sentence of the only passage is to the question.
    fn held<'r>(
        index: &Index,
        run: &'r Retrieval,
        question: &str,
    ) -> (&'r Activation, impl Fn(u32) -> f64 + use<>) {
        let layer = crate::retrieve::hop::layer(index).unwrap();
        let probe = layer.probe(question).unwrap();
        let cosine = move |sentence| f64::from(layer.cosine(&probe, sentence).unwrap());
        (run.records[2].output.get().unwrap(), cosine)
    }

    fn ask(index: &Arc<Index>, question: &str, changes: &[&str]) -> Retrieval {
        let mut settings = Settings::of(index, Method::by_name("linearrag").unwrap());
        for change in changes {
            settings.set_text(change).unwrap();
        }
        let mut retriever = Retriever::new(index.clone());
        retriever
            .retrieve(question, &settings, Keep::Scores)
            .unwrap()
    }

    fn active(run: &Retrieval) -> Vec<String> {
        let record = &run.records[2];
        let graph = record.graph.as_ref().unwrap();
        let view = graph.entities().unwrap();
        let members = record.output.members.iter();
        let mut names: Vec<String> = members
            .map(|m| {
                view.graph
                    .labels
                    .get(view.entity(m.node).unwrap())
                    .to_lowercase()
            })
            .collect();
        names.sort();
        names
    }

    #[test]
    fn names_are_activated_round_by_round_through_sentences() {
        let index = index();
        let open = "linear_threshold=0";
        let rounds = |rounds: &str| ask(&index, QUESTION, &[open, rounds]);
        assert_eq!(active(&rounds("linear_rounds=none")), ["mara voss"]);
        assert_eq!(
            active(&rounds("linear_rounds=1")),
            ["gull press", "mara voss"]
        );
        let two = rounds("linear_rounds=2");
        let held: &Activation = two.records[2].output.get().unwrap();
        // Each sentence carries once, by the product of the cosines on the way.
        for way in &held.ways {
            let from = held.ways.iter().find(|before| before.to == way.from);
            assert!(way.score <= from.map_or(1.0, |before| before.score) + 1e-9);
        }
        let mut sentences: Vec<u32> = held.ways.iter().map(|way| way.sentence).collect();
        sentences.dedup();
        assert_eq!(sentences.len(), two.records[2].output.facts[1].1);
        // What the threshold refuses is told by how much.
        let closed = ask(&index, QUESTION, &["linear_threshold=1"]);
        assert_eq!(active(&closed), ["mara voss"]);
        let dropped = &closed.records[2].output.dropped;
        assert!(!dropped.is_empty() && dropped.iter().all(|d| d.margin > 0.0));
        let members = &closed.records[2].output.members;
        let is_active = |node: Node| members.iter().any(|member| member.node == node);
        assert!(dropped.iter().all(|d| !is_active(d.node)));
        // The sentence that brought a name says so.
        let story = crate::explain::story(&index, &two, &[]);
        let stage = story
            .stages
            .iter()
            .find(|stage| stage.name == "activation")
            .unwrap();
        let says = |edge: &&Edge| edge.why.contains("founded Gull Press");
        assert!(
            stage.edges.iter().any(|edge| says(&edge)),
            "{:?}",
            stage.edges
        );
    }

    /// Held beside the published code, `benches/peers/linearrag.py`.
    #[test]
    fn a_name_stays_active_through_its_own_sentence() {
        let texts = [(
            "Mara Voss",
            "Mara Voss founded Gull Press. Mara Voss lived in Holm.",
        )];
        let index = indexed(&texts);
        let question = "What was founded by Mara Voss?";
        let run = ask(&index, question, &["linear_threshold=0", "linear_rounds=2"]);
        // One sentence a round: the second is reached because the name activated itself by the first.
        assert_eq!(active(&run), ["gull press", "holm", "mara voss"]);
        let (held, cosine) = held(&index, &run, question);
        let (first, second) = (cosine(0), cosine(0) * cosine(1));
        let named = run.records[1].output.members[0];
        let own = held.names[&named.node];
        assert!(
            (own.weight - (1.0 + first + second)).abs() < 1e-6,
            "{own:?}"
        );
        assert_eq!((own.tier, (own.score - second).abs() < 1e-6), (3, true));
        // It is still one that the question named.
        let members = &run.records[2].output.members;
        let kept = members.iter().find(|m| m.node == named.node).unwrap();
        assert_eq!(kept.from, named.from);
    }

    #[test]
    fn a_round_goes_by_the_scores_it_began_with() {
        let texts = [(
            "Annals",
            "Mara Voss founded Gull Press. Gull Press printed maps of Holm.",
        )];
        let index = indexed(&texts);
        // The first name gives the second a lower score, with which that goes on in the next round and not in this one.
        let question = "When was it that Mara Voss founded Gull Press?";
        let run = ask(&index, question, &["linear_threshold=0", "linear_rounds=1"]);
        assert_eq!(active(&run), ["gull press", "holm", "mara voss"]);
        let (held, cosine) = held(&index, &run, question);
        for way in &held.ways {
            assert!((way.score - cosine(way.sentence)).abs() < 1e-6, "{way:?}");
        }
    }

    #[test]
    fn passages_restart_by_closeness_and_by_the_names_in_them() {
        let index = index();
        let run = ask(&index, QUESTION, &["linear_rounds=none"]);
        let dense = index.dense().unwrap();
        let vector = dense.encoder.question(QUESTION).unwrap();
        let near = dense.vectors.scores(&vector).unwrap();
        let (low, high) = near
            .iter()
            .fold((f32::MAX, f32::MIN), |(l, h), s| (l.min(*s), h.max(*s)));
        let closeness = |p: usize| f64::from(near[p] - low) / f64::from(high - low);
        let graph = run.records[2].graph.as_ref().unwrap();
        let view = graph.entities().unwrap();
        let name = run.records[1].output.members[0].node;
        for passage in 0..4_u32 {
            let bonus = match view.tf(passage, name) {
                0 => 0.0,
                tf => (1.0 + f64::from(tf)).ln(),
            };
            let expected = 0.05 * (1.5 * closeness(passage as usize) + (1.0 + bonus).ln());
            let seed = run.seeds().iter().find(|seed| seed.node == passage);
            assert!(
                (seed.map_or(0.0, |seed| seed.raw) - expected).abs() < 1e-6,
                "{passage}"
            );
        }
    }

    #[test]
    fn without_a_known_name_the_nearest_passages_are_the_answer() {
        let index = index();
        let question = "what grows on rocks";
        let run = ask(&index, question, &["result_k=1"]);
        let settings = Settings::of(&index, Method::by_name("dense").unwrap());
        let dense = Retriever::new(index.clone()).retrieve(question, &settings, Keep::Scores);
        assert_eq!(run.passages, dense.unwrap().passages);
        let last = run.passages.last().unwrap().passage;
        let reasons = why_not(&index, &run, last);
        assert!(
            reasons.iter().any(|reason| reason.code == Code::Fallback),
            "{reasons:?}"
        );
    }
}
