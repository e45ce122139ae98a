//! Both parts of a context in one: tables of entities and relations, the units of the entities, the units of the text part.

use super::local::LocalPart;
use super::text::TextPart;
use crate::layers::skeleton::source::KetGraph;
use crate::layers::skeleton::units::Units;
use crate::layers::{Code, Node};
use crate::parameters::{CONTEXT_TOKENS, PASSAGE_ORDER, Parameter as P, PassageOrder, THETA};
use crate::retrieve::explanation::{Explanation, Lack, Part as ScorePart, Reason, Without, clip};
use crate::retrieve::methods::Ranker;
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::retrieval::{Hit, Ranked};
use crate::retrieve::set::{Member, Origin, Set};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Most characters of a sentence.
const LONGEST: usize = 160;

/// Passages by their first appearance, in turn in each part or in one after the other. The order is no order of scores: a
/// hit's score is 1 / rank.
#[derive(Debug)]
pub struct Assemble;

pub static CONTEXT: Assemble = Assemble;

impl Operator for Assemble {
    fn declaration(&self) -> Declaration {
        Declaration::select(
            "context",
            "passages by their first appearance in the context",
        )
        .kind("pack")
        .reads(&[P::ContextTokens, P::Theta, P::PassageOrder])
        .like("pack")
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let layer = &KetGraph::of(cx.graph()).layer;
        let text = inputs.iter().find_map(|set| set.get::<TextPart>());
        let own = |set: &Arc<Set>| match set.get::<TextPart>() {
            Some(part) => passages(&layer.units, part.order.iter().copied()),
            None => passages(&layer.units, set.members.iter().map(|member| member.node)),
        };
        let parts = inputs.iter().map(own).collect();
        let passages = match cx.values.get(PASSAGE_ORDER) {
            PassageOrder::Context => after(parts),
            PassageOrder::Interleaved => in_turn(parts),
        };
        let hits = passages.into_iter().zip(1..).map(|(passage, place)| Hit {
            passage,
            score: 1.0 / place as f32,
        });
        let hits: Vec<Hit> = hits.collect();
        let text = text.map_or(0, |part| part.used);
        let local = inputs.iter().find_map(|set| set.get::<LocalPart>());
        let budget = cx.values.get(CONTEXT_TOKENS);
        let used = text + local.map_or(0, LocalPart::used);
        let matched = hits.len();
        let mut set = Set::ranking(Ranked::new(Ranker::Parts, hits, matched))
            .fact("tokens", used)
            .fact("budget", budget)
            .fact("entities", local.map_or(0, |l| l.entity_tokens))
            .fact("relations", local.map_or(0, |l| l.relation_tokens))
            .fact("skeleton text", local.map_or(0, |l| l.unit_tokens))
            .fact("text", text)
            .fact("free", budget.saturating_sub(used));
        // The share between the parts is a setting only where there are two of them.
        if inputs.len() == 2 {
            set = set.fact("theta", cx.values.get(THETA));
        }
        Ok(set.fact("units", layer.meta.sizes.label()))
    }

    fn why(&self, at: &At<'_>, member: &Member) -> String {
        self.explain(at, member.node).sentence
    }

    /// The order is by place in the context: one part.
    fn explain(&self, at: &At<'_>, passage: u32) -> Explanation {
        let hits = at.set().hits();
        let Some(place) = hits.iter().position(|hit| hit.passage == passage) else {
            return Explanation::of(Vec::new(), "not in the context");
        };
        let order = match at.values().get(PASSAGE_ORDER) {
            PassageOrder::Interleaved => "in turn from the skeleton and from the text part",
            PassageOrder::Context => "in the order in which the context is read",
        };
        let why = format!("place {} of {}, {order}", place + 1, hits.len());
        let told = at
            .inputs()
            .map(|part| part.operator().explain(&part, passage).sentence);
        let told: Vec<String> = told.filter(|sentence| !sentence.is_empty()).collect();
        Explanation::of(
            vec![ScorePart::new(
                "1 / place",
                f64::from(hits[place].score),
                why,
            )],
            clip(&told.join("; "), LONGEST),
        )
    }

    fn lacks(&self, at: &At<'_>, passage: u32, other: u32) -> Vec<Lack> {
        let units = &KetGraph::of(at.graph()).layer.units;
        let parts: Vec<At<'_>> = at.inputs().collect();
        // The part that a passage first appears in, and by which unit.
        let first = |passage: u32| {
            let own = units.of_passage(passage);
            let mut parts = parts.iter().enumerate();
            parts.find_map(|(place, part)| {
                let mut members = part.set().members.iter();
                Some((place, members.find(|member| own.contains(&member.node))?))
            })
        };
        let score = |passage| {
            at.run
                .place(passage)
                .map_or(0.0, |place| f64::from(place.1))
        };
        let gap = score(other) - score(passage);
        let title = at.index.called(other);
        // In turn the parts take every second place.
        let part = |what: &str, theta: f64| Without {
            code: Code::OrderedLater,
            what: what.to_owned(),
            change: THETA.at(theta).into(),
        };
        let without = match parts.len() {
            2 => vec![part("the skeleton part", 0.0), part("the text part", 1.0)],
            _ => Vec::new(),
        };
        let lack = first(passage).zip(first(other)).and_then(|(own, theirs)| {
            let told = |(place, member): (usize, &Member)| {
                parts[place].operator().why(&parts[place], member)
            };
            let text = format!("{}; '{title}' {}", told(own), told(theirs));
            // The texts of one entity come in an order of their own, not by closeness.
            let of_entities = parts[own.0].set().get::<LocalPart>().is_some();
            let one = matches!(own.1.from, Origin::Edge { .. }) && own.1.from == theirs.1.from;
            let farther = own.1.value < theirs.1.value;
            let by_order = own.0 != theirs.0 || of_entities && one || !farther;
            match by_order {
                true => {
                    let text = format!("{text}, which comes first");
                    Lack::of(Code::OrderedLater, gap, text)
                }
                false => Lack::of(Code::FarVector, gap, text),
            }
            .map(|lack| Lack {
                without: without.clone(),
                ..lack
            })
        });
        Vec::from_iter(lack)
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        let units = &KetGraph::of(at.graph()).layer.units;
        let none = units.of_passage(passage).is_empty() && at.run.rank(passage).is_none();
        let text = "the passage has no words, so it has no unit";
        Vec::from_iter(none.then(|| Reason::new(Code::NotInIndex, text)))
    }

    /// Rows under headings.
    fn context(&self, at: &At<'_>) -> Option<String> {
        let mut text = String::new();
        for part in at.inputs() {
            let source = KetGraph::of(part.graph());
            let unit = |m: &Member| source.layer.units.text(at.index.passages(), m.node);
            let units = part.set().members.iter().map(unit);
            let Some(local) = part.set().get::<LocalPart>() else {
                table(&mut text, "Sources", units);
                continue;
            };
            let skeleton = source.skeleton();
            let entities = local.entities.iter().filter(|e| e.packed);
            let relations = local.relations.iter();
            let entities = entities.map(|e| skeleton.entity_row(e.entity));
            let relations = relations.map(|r| skeleton.relation_row(r.relation));
            table(&mut text, "Entities", entities);
            table(&mut text, "Relations", relations);
            table(&mut text, "Sources of the entities", units);
        }
        Some(text)
    }
}

/// The passages of some units, in order.
fn passages(units: &Units, nodes: impl Iterator<Item = Node>) -> Vec<u32> {
    let pieces = nodes.flat_map(|node| units.pieces(node));
    pieces.map(|piece| piece.passage).collect()
}

/// Those of one part, then the new ones of the next.
fn after(parts: Vec<Vec<u32>>) -> Vec<u32> {
    let mut seen = FxHashSet::default();
    let all = parts.into_iter().flatten();
    all.filter(|passage| seen.insert(*passage)).collect()
}

/// In turn a new one of each part, as long as it has any.
fn in_turn(parts: Vec<Vec<u32>>) -> Vec<u32> {
    let mut seen = FxHashSet::default();
    let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
    let mut found = Vec::new();
    loop {
        let before = found.len();
        for part in &mut parts {
            found.extend(part.find(|passage| seen.insert(*passage)));
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Writes rows under a heading, where there are any.
fn table(text: &mut String, heading: &str, rows: impl Iterator<Item = String>) {
    for (at, row) in rows.enumerate() {
        if at == 0 {
            let gap = if text.is_empty() { "" } else { "\n" };
            text.push_str(&format!("{gap}# {heading}\n"));
        }
        text.push_str(&row);
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_take_turns_with_what_is_new() {
        let parts = || vec![vec![4, 4, 1, 7], vec![4, 9, 1, 8, 3]];
        assert_eq!(in_turn(parts()), [4, 9, 1, 8, 7, 3]);
        assert_eq!(after(parts()), [4, 1, 7, 9, 8, 3]);
        assert_eq!(in_turn(vec![vec![2, 2, 5]]), [2, 5]);
        assert!(in_turn(vec![Vec::new(), Vec::new()]).is_empty());
    }
}
