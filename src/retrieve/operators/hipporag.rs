//! HippoRAG 2: facts near the question, the phrases of those that help, and a walk from them and from every passage over
//! phrases, passages and phrases alike (HippoRAG 2, online retrieval).

use super::linearrag::{OrNearest, named, restarted, spread};
use super::lists::DENSE;
use super::passages::PASSAGES;
use super::walk::WALK;
use crate::layers::facts::FactsLayer;
use crate::layers::facts::source::{PHRASE_PASSAGE, PhraseGraph};
use crate::layers::{Class, Code};
use crate::llm::task::{self, FactsInput};
use crate::llm::{Origin as Maker, any};
use crate::parameters::{
    FACT_FILTER, FactFilter, LINEAR_PASSAGE_WEIGHT, LINKING_TOP_K, Parameter as P, Scoped,
};
use crate::retrieve::explanation::{Cut, Edge, Entry, Item, Reason, Stage, Story, clip};
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::plan::Plan;
use crate::retrieve::set::{Member, Origin, Set, Space, heaviest};
use crate::text::folded::unaccented;
use crate::text::names::is_function_word;
use crate::text::{Norm, lemma::lemma, plural, span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;
use std::sync::Arc;

pub fn plan() -> Plan {
    let graph = &PHRASE_PASSAGE;
    let mut plan = Plan::default();
    let facts = plan.on(graph, &FACTS, &[]);
    let near = plan.step(&DENSE, &[]);
    let seeds = plan.on(graph, &RESTART, &[facts]);
    let walk = plan.on(graph, &WALK, &[seeds]);
    let walked = plan.on(graph, &PASSAGES, &[walk]);
    plan.on(graph, &OR_NEAREST, &[walked, near, facts]);
    plan
}

static OR_NEAREST: OrNearest = OrNearest {
    none: "no fact helps to answer the question",
};

/// Longest evidence in characters, and longest fact where several are named.
const LINE: usize = 160;
const FACT: usize = 60;
/// Most facts that are named in one sentence.
const FACTS_NAMED: usize = 3;

/// A fact near the question.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Near {
    fact: u32,
    cosine: f32,
    /// Between the farthest fact, 0, and the nearest, 1.
    score: f64,
    kept: bool,
}

/// The facts near a question, nearest first.
#[derive(Debug)]
struct Found {
    facts: Vec<Near>,
    /// The cosine of every fact to the question.
    cosines: Vec<f32>,
}

/// Facts near the question, and the phrases of those that help.
#[derive(Debug)]
pub struct Facts;

pub static FACTS: Facts = Facts;

fn source<'a>(at: &At<'a>) -> &'a PhraseGraph {
    at.graph().source_as()
}

impl Operator for Facts {
    fn declaration(&self) -> Declaration {
        Declaration::seed(
            "facts",
            "facts near the question, filtered, and the phrases that they join",
        )
        .kind("link")
        .reads(&[P::LinkingTopK, P::FactFilter])
        .needs_vectors(true)
    }

    fn run(&self, cx: &Context<'_>, _: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let source: &PhraseGraph = cx.graph().source_as();
        let layer = &*source.layer;
        let set = Set::new(Space::Nodes);
        let Some((dense, vector)) = cx.dense()? else {
            return Ok(set.unread());
        };
        layer.fact_vectors.check(dense.encoder.identity())?;
        let most = cx.values.get(LINKING_TOP_K);
        let cosines = layer.fact_vectors.scores(vector)?;
        let mut facts = nearest(&cosines, most);
        let by = filter(cx, layer, &mut facts);
        let mut given: FxHashMap<u32, (f64, f64)> = FxHashMap::default();
        for near in facts.iter().filter(|near| near.kept) {
            for phrase in layer.ends(near.fact) {
                let passages = layer.with_phrase(phrase).len().max(1);
                let (sum, count) = given.entry(phrase).or_default();
                *sum += near.score / passages as f64;
                *count += 1.0;
            }
        }
        let member = |(&phrase, &(sum, count)): (&u32, &(f64, f64))| Member {
            node: source.node(phrase),
            value: sum / count,
            from: Origin::Scored,
        };
        let phrases = heaviest(given.iter().map(member).collect(), usize::MAX);
        let kept = facts.iter().filter(|near| near.kept).count();
        let mut set = set
            .fact("facts kept", kept)
            .fact("facts near", facts.len())
            .fact("of", layer.meta.facts)
            .fact("filter", by)
            .fact("phrases", phrases.len().min(most));
        set.members = phrases;
        set.members.truncate(most);
        Ok(set.with(Found { facts, cosines }))
    }

    fn asks_model(&self, values: Scoped<'_>) -> bool {
        values.get(FACT_FILTER) == FactFilter::Model
    }

    /// The fact that gave the phrase most.
    fn why(&self, at: &At<'_>, member: &Member) -> String {
        let layer = &source(at).layer;
        let found = at.set().get::<Found>();
        let phrase = source(at).phrase(member.node);
        let best = found.zip(phrase).and_then(|(found, phrase)| {
            let mut kept = found.facts.iter().filter(|near| near.kept);
            kept.find(|near| layer.ends(near.fact).contains(&phrase))
        });
        best.map_or_else(String::new, |near| {
            let text = layer.texts.get(near.fact as usize);
            clip(&format!("\"{text}\", cosine {:.3}", near.cosine), LINE)
        })
    }

    fn tell(&self, at: &At<'_>, story: &mut Story) {
        let (source, Some(found)) = (source(at), at.set().get::<Found>()) else {
            return;
        };
        let layer = &source.layer;
        let mut stage = Stage {
            name: "facts near",
            kind: "score",
            counters: at.set().facts.clone(),
            ..Stage::default()
        };
        for near in &found.facts {
            let passage = layer.stated(near.fact).first().copied();
            let item = story.item(Item {
                kind: "fact",
                label: layer.texts.get(near.fact as usize).to_owned(),
                passage,
                ..Item::default()
            });
            if !near.kept {
                stage.cut.push(Cut {
                    item,
                    code: Code::FactFiltered,
                    margin: near.score,
                });
                continue;
            }
            let title = passage.map_or("", |passage| at.index.called(passage));
            stage.nodes.push(Entry {
                item,
                value: f64::from(near.cosine),
                why: format!("stated by {title}"),
            });
            let [one, other] = layer.ends(near.fact).map(|phrase| source.node(phrase));
            if one == other {
                continue;
            }
            stage.edges.push(Edge {
                from: story.node(at, one),
                to: story.node(at, other),
                value: near.score,
                kind: "fact".into(),
                why: clip(layer.texts.get(near.fact as usize), LINE),
            });
        }
        story.push(stage);
        let stage = at.stage(story);
        story.push(stage);
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        let source = source(at);
        let stated = source.stated(passage);
        if stated.is_empty() {
            let text = "no fact was found in it, so that no phrase leads to it";
            return vec![Reason::new(Code::NoEntities, text)];
        }
        let Some(found) = at.set().get::<Found>() else {
            return Vec::new();
        };
        let mut near = found.facts.iter();
        let own = near.find(|near| !near.kept && stated.contains(&near.fact));
        let refused = own.map(|near| {
            let text = source.layer.texts.get(near.fact as usize);
            let text = format!(
                "the filter left out \"{text}\", cosine {:.3} to the question",
                near.cosine
            );
            let fix = at.tried(passage, FACT_FILTER.at(FactFilter::Off));
            Reason::new(Code::FactFiltered, clip(&text, LINE))
                .class(Class::F1)
                .with_fix(fix)
        });
        let elsewhere = elsewhere(at, found, stated);
        refused.into_iter().chain(elsewhere).collect()
    }
}

/// The facts nearest to a question by the cosine of each, scores between the ends of all facts.
fn nearest(cosines: &[f32], most: usize) -> Vec<Near> {
    let (low, span) = spread(cosines);
    let near = |(fact, cosine): (u32, f32)| Near {
        fact,
        cosine,
        score: match span > 0.0 {
            true => f64::from(cosine - low) / span,
            false => 1.0,
        },
        kept: true,
    };
    let top = crate::embed::vectors::top(cosines, most).into_iter();
    top.map(near).collect()
}

/// Of the facts that a passage states the nearest to the question, where none of them was chosen: what was chosen instead,
/// and how far behind this one is.
fn elsewhere(at: &At<'_>, found: &Found, stated: &[u32]) -> Option<Reason> {
    let layer = &source(at).layer;
    let chosen = |fact: &u32| found.facts.iter().any(|near| near.fact == *fact);
    if stated.iter().any(chosen) {
        return None;
    }
    let cosine = |fact: u32| found.cosines.get(fact as usize).copied();
    let near = |a: &u32, b: &u32| {
        cosine(*a)
            .partial_cmp(&cosine(*b))
            .unwrap_or(Ordering::Equal)
    };
    let best = stated.iter().copied().max_by(near)?;
    let own = cosine(best)?;
    let rank = 1 + found.cosines.iter().filter(|other| **other > own).count();
    let last = found.facts.last()?;
    let mut texts: Vec<&str> = Vec::new();
    for near in &found.facts {
        let text = layer.texts.get(near.fact as usize);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let texts = texts.iter().take(FACTS_NAMED);
    let texts = texts.map(|text| format!("\"{}\"", span::head(text, FACT)));
    let text = format!(
        "{} chosen, of other passages: {}; its best, \"{}\", ranks {rank} of {}, cosine {own:.3} against {:.3}",
        plural(found.facts.len(), "fact"),
        texts.collect::<Vec<_>>().join(", "),
        span::head(layer.texts.get(best as usize), FACT),
        found.cosines.len(),
        last.cosine
    );
    Some(Reason::new(Code::FactsElsewhere, text).undone_by([LINKING_TOP_K.at(rank).into()]))
}

/// Marks the facts that help to answer, and says who picked them.
fn filter(cx: &Context<'_>, layer: &FactsLayer, facts: &mut [Near]) -> String {
    let text = |near: &Near| layer.texts.get(near.fact as usize).to_owned();
    let by = cx.values.get(FACT_FILTER);
    if by == FactFilter::Off {
        return by.name().to_owned();
    }
    let llm = cx.index.llm();
    if by == FactFilter::Model && llm.thinks() && !facts.is_empty() {
        let input = FactsInput {
            question: cx.question.to_owned(),
            facts: facts.iter().map(text).collect(),
        };
        let made = llm.item::<task::FilterFacts>(&input, &any, |_| task::Places::default());
        if let Maker::Llm { .. } = made.origin {
            for (at, near) in facts.iter_mut().enumerate() {
                near.kept = made.value.places.contains(&at);
            }
            return made.origin.to_string();
        }
    }
    let mut words = telling(cx.question);
    facts.iter_mut().for_each(|near| near.kept = false);
    // A fact that shares a word with a kept one may bring the next.
    while let Some(near) = facts
        .iter_mut()
        .filter(|near| !near.kept)
        .find(|near| !telling(&text(near)).is_disjoint(&words))
    {
        near.kept = true;
        words.extend(telling(&text(near)));
    }
    FactFilter::Rules.name().to_owned()
}

/// The lemmas of the words that say what a text is about, without accents.
fn telling(text: &str) -> FxHashSet<String> {
    let form = unaccented(&Norm::Simple.apply(text));
    let words = form.split(' ').filter(|word| word.chars().count() > 2);
    let words = words.filter(|word| !is_function_word(word));
    words.map(|word| lemma(word).into_owned()).collect()
}

/// The restart: phrases of the facts, and every passage by closeness.
#[derive(Debug)]
pub struct Restart;

pub static RESTART: Restart = Restart;

impl Operator for Restart {
    fn declaration(&self) -> Declaration {
        Declaration::seed("restart", "phrases by the facts, passages by closeness")
            .kind("mix")
            .reads(&[P::LinearPassageWeight])
            .edits_seeds(true)
            .needs_vectors(true)
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let phrases = inputs.first().map_or(&[][..], |facts| &facts.members);
        let weight = cx.values.get(LINEAR_PASSAGE_WEIGHT);
        restarted(cx, named(phrases), |_, closeness| weight * closeness)
    }

    fn why(&self, at: &At<'_>, member: &Member) -> String {
        match (member.from, at.input(0)) {
            (Origin::Scored, Some(facts)) => facts.operator().why(&facts, member),
            _ => at.origin(member),
        }
    }
}

#[cfg(test)]
#[path = "hipporag_tests.rs"]
mod tests;
