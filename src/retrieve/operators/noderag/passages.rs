//! The passages of NodeRAG's walk: by what landed on their own nodes, or by the chosen nodes that stand for them.

use super::quotas::{QUOTAS, stands};
use super::{layer, mass, own_nodes};
use crate::layers::heterograph::Kind;
use crate::layers::heterograph::source::HeteroGraph;
use crate::layers::{Code, Graph, Node};
use crate::parameters::{NODE_ORDER, NodeOrder, Parameter as P, RESULT_K};
use crate::retrieve::explanation::{Explanation, Lack, Part as ScorePart, Reason};
use crate::retrieve::methods::Ranker;
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::operators::lack;
use crate::retrieve::operators::walk::{opened_at, walked};
use crate::retrieve::retrieval::{DEPTH, Hit, Ranked, Spread};
use crate::retrieve::set::{Member, Origin, Set};
use crate::text::span;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Passages by the mass on their texts and units, or by the best selected node that represents them.
#[derive(Debug)]
pub struct Best;

pub static BEST: Best = Best;

/// Of every passage of the ranking, the node that it is there by.
pub struct Support(pub Vec<Node>);

/// The order of output: vector hits, nodes of the walk, what is attached to them.
fn rank(from: Origin) -> usize {
    match from {
        Origin::Near { .. } => 0,
        Origin::Scored => 1,
        _ => 2,
    }
}

/// What a chosen node is worth: its mass; or, in the order of output, its cosine and 2 for a vector hit, its mass and 1 for
/// one of the walk, its mass for an attached one. Neither cosine nor mass exceeds 1.
fn worth(chosen: &Member, order: NodeOrder) -> f64 {
    match (order, chosen.from) {
        (NodeOrder::Output, Origin::Near { cosine, .. }) => 2.0 + f64::from(cosine),
        (NodeOrder::Output, Origin::Scored) => 1.0 + chosen.value,
        _ => chosen.value,
    }
}

/// Passages by the best of the chosen nodes that stand for them. Where several come by the same node, as those of one
/// attribute do, the mass of their own texts and units decides, then the lower number.
pub fn ranked(
    graph: &Graph,
    chosen: &[Member],
    mass: &[f64],
    order: NodeOrder,
) -> (Vec<Hit>, Support) {
    // What it is worth, and by which node: the better first, then the lower node.
    let mut best: BTreeMap<u32, (f64, Node)> = BTreeMap::new();
    for member in chosen {
        let (worth, node) = (worth(member, order), member.node);
        for &passage in graph.passages_of(node).iter() {
            let slot = best.entry(passage).or_insert((worth, node));
            if worth > slot.0 || worth == slot.0 && node < slot.1 {
                *slot = (worth, node);
            }
        }
    }
    let own = |passage| {
        let own = own_nodes(graph, passage).into_iter();
        own.map(|node| mass[node as usize]).fold(0.0, f64::max)
    };
    let mut rows: Vec<(u32, f32, Node, f64)> = best
        .into_iter()
        .map(|(passage, (worth, node))| (passage, worth as f32, node, own(passage)))
        .collect();
    rows.sort_by(|a, b| {
        (b.1.total_cmp(&a.1))
            .then(b.3.total_cmp(&a.3))
            .then(a.0.cmp(&b.0))
    });
    let hits = rows
        .iter()
        .map(|&(passage, score, ..)| Hit { passage, score });
    (
        hits.collect(),
        Support(rows.iter().map(|row| row.2).collect()),
    )
}

/// Passages by what landed on their own texts and units; of a unit that several have, each an equal share. Each is there
/// by the one of them with most mass.
pub fn landed(graph: &Graph, mass: &[f64]) -> (Vec<Hit>, Support) {
    let layer = layer(graph);
    // What landed, and on which node most: the lower of equals.
    let mut found: BTreeMap<u32, (f64, Node)> = BTreeMap::new();
    let own = layer.range(Kind::Text).chain(layer.range(Kind::Unit));
    for node in own.filter(|&node| mass[node as usize] > 0.0) {
        let landed = graph.share(node) * mass[node as usize];
        for &passage in graph.passages_of(node).iter() {
            let slot = found.entry(passage).or_insert((0.0, node));
            slot.0 += landed;
            if mass[node as usize] > mass[slot.1 as usize] {
                slot.1 = node;
            }
        }
    }
    let mut rows: Vec<(Hit, Node)> = found
        .into_iter()
        .map(|(passage, (landed, node))| {
            let score = landed as f32;
            (Hit { passage, score }, node)
        })
        .collect();
    // Stable: of equals the lower number comes first.
    rows.sort_by(|a, b| b.0.score.total_cmp(&a.0.score));
    let (hits, nodes) = rows.into_iter().unzip();
    (hits, Support(nodes))
}

/// A passage's texts and units, each with the share of its mass that counts.
fn shares(graph: &Graph, passage: u32) -> Vec<(Node, f64)> {
    let own = own_nodes(graph, passage).into_iter();
    own.map(|node| (node, graph.share(node))).collect()
}

/// Whether all that landed counts, and what was chosen decides nothing.
pub(super) fn by_landed(at: &At<'_>) -> bool {
    at.run.settings.get(NODE_ORDER) == NodeOrder::Landed
}

impl Operator for Best {
    fn declaration(&self) -> Declaration {
        Declaration::select(
            "passages",
            "by the mass on their texts and units, or by the best selected node that represents them",
        )
        .reads(&[P::NodeOrder, P::ResultK])
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let (chosen, mass) = (&inputs[0].members, mass(inputs));
        let (mut hits, support) = match cx.values.get(NODE_ORDER) {
            NodeOrder::Landed => landed(cx.graph(), mass),
            order => ranked(cx.graph(), chosen, mass, order),
        };
        let found = hits.len();
        hits.truncate(cx.values.get(RESULT_K).max(DEPTH));
        let ranked = Ranked::new(Ranker::Parts, hits, found);
        Ok(Set::ranking(ranked).fact("passages", found).with(support))
    }

    /// What the chosen nodes say: texts, units, relations, profiles and elements (NodeRAG, retrieval: names and overviews lead
    /// to them and say nothing).
    fn context(&self, at: &At<'_>) -> Option<String> {
        let chosen = at.input(0)?;
        let layer = &chosen.graph().source_as::<HeteroGraph>().layer;
        let mut texts: Vec<String> = Vec::new();
        for member in &chosen.set().members {
            let text = match layer.kind(member.node) {
                Kind::Entity | Kind::Overview => continue,
                Kind::Text => {
                    let (passage, span) = layer.piece(member.node);
                    let text = span::clipped(at.index.text(passage), span);
                    match at.index.title(passage) {
                        "" => text.to_owned(),
                        title => format!("{title}\n{text}"),
                    }
                }
                _ => layer.label(member.node).to_owned(),
            };
            texts.push(text);
        }
        Some(texts.join("\n\n"))
    }

    fn why(&self, at: &At<'_>, member: &Member) -> String {
        if by_landed(at) {
            let own = own_nodes(at.graph(), member.node).len();
            return match own {
                1 => "mass on its text".to_owned(),
                own => format!("mass on its {own} texts and units"),
            };
        }
        supported(at, member.node).map_or_else(String::new, |(chosen, node)| {
            entered(at.graph(), &chosen, node)
        })
    }

    fn explain(&self, at: &At<'_>, passage: u32) -> Explanation {
        let walk = at.input(1);
        let walk = walk.and_then(|walk| walked(&walk));
        if let (true, Some(walk)) = (by_landed(at), walk) {
            return opened_at(at, &walk, &shares(at.graph(), passage));
        }
        let (Some((chosen, node)), Some(walk)) = (supported(at, passage), walk) else {
            return Explanation::of(Vec::new(), "none of the chosen nodes stands for it");
        };
        let entered = entered(at.graph(), &chosen, node);
        let mut opened = opened_at(at, &walk, &[(node.node, 1.0)]);
        opened.sentence = format!("{entered}; {}", opened.sentence);
        match (at.values().get(NODE_ORDER), node.from) {
            (NodeOrder::Output, Origin::Near { cosine, .. }) => {
                let label = chosen.label(node.node);
                opened.parts = vec![
                    ScorePart::new("vector hits come first", 2.0, entered),
                    ScorePart::new("cosine", f64::from(cosine), label),
                ];
                opened.by_length.clear();
            }
            (NodeOrder::Output, Origin::Scored) => {
                let first = ScorePart::new("cross nodes come second", 1.0, entered);
                opened.parts.insert(0, first);
                opened.by_length.clear();
            }
            _ => {}
        }
        opened
    }

    fn lacks(&self, at: &At<'_>, passage: u32, other: u32) -> Vec<Lack> {
        if by_landed(at) {
            let walk = at.input(1);
            let lacks = walk.as_ref().and_then(|walk| {
                let [its, their] = [passage, other].map(|p| shares(at.graph(), p));
                let (its, their) = ((passage, &its[..]), (other, &their[..]));
                Some(lack::of_nodes(walk, &walked(walk)?, its, their))
            });
            return lacks.unwrap_or_default();
        }
        let both = supported(at, passage).zip(supported(at, other));
        let Some(((chosen, own), (_, theirs))) = both else {
            return Vec::new();
        };
        let order = at.values().get(NODE_ORDER);
        let gap = worth(theirs, order) - worth(own, order);
        let title = at.index.called(other);
        let text = |it: &str, other: &str| format!("{it}; '{title}' {other}");
        let entered = |node| entered(at.graph(), &chosen, node);
        let lack = match (order, own.from, theirs.from) {
            (
                NodeOrder::Output,
                Origin::Near { cosine: its, .. },
                Origin::Near { cosine: their, .. },
            ) => {
                let (its, their) = (format!("cosine {its:.3}"), format!("{their:.3}"));
                Lack::of(Code::FarVector, gap, text(&its, &their))
            }
            (NodeOrder::Output, its, their) if rank(its) != rank(their) => {
                let text = text(
                    &entered(own),
                    &format!("{}, which comes first", entered(theirs)),
                );
                Lack::of(Code::OrderedLater, gap, text)
            }
            _ => {
                let walk = at.input(1);
                let lacks = walk.as_ref().and_then(|walk| {
                    let of = |node: Node| [(node, 1.0)];
                    let (its, their) = (of(own.node), of(theirs.node));
                    let walked = walked(walk)?;
                    Some(lack::of_nodes(
                        walk,
                        &walked,
                        (passage, &its),
                        (other, &their),
                    ))
                });
                return lacks.unwrap_or_default();
            }
        };
        Vec::from_iter(lack)
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        let chosen = at.input(0).filter(|_| !by_landed(at));
        Vec::from_iter(chosen.and_then(|chosen| filtered(&chosen, passage)))
    }
}

/// The step of the quotas, and the node there that a passage of the ranking is there by.
fn supported<'a>(at: &At<'a>, passage: u32) -> Option<(At<'a>, &'a Member)> {
    let chosen = at.input(0)?;
    let rank = at.set().get::<Ranked>()?.rank(passage)?;
    let node = *at.set().get::<Support>()?.0.get(rank - 1)?;
    let mut members = chosen.set().members.iter();
    Some((chosen, members.find(|member| member.node == node)?))
}

/// What a chosen node is, and how it came to be chosen.
fn entered(graph: &Graph, chosen: &At<'_>, node: &Member) -> String {
    let kind = graph.source().kind(node.node);
    format!("{kind} {}", QUOTAS.why(chosen, node))
}

/// A name of a passage that the walk reached was chosen, but it stands for no passage.
fn filtered(chosen: &At<'_>, passage: u32) -> Option<Reason> {
    let graph = chosen.graph();
    let layer = layer(graph);
    let walk = chosen.input(1)?;
    let mass = &walk.set().get::<Spread>()?.mass;
    let own = own_nodes(graph, passage);
    let reached = own.iter().any(|&node| mass[node as usize] > 0.0);
    if !reached || stands(chosen, passage) {
        return None;
    }
    let named = own.iter().flat_map(|&node| layer.tied(node, Kind::Entity));
    let members = &chosen.set().members;
    let node = named
        .filter(|&node| members.iter().any(|member| member.node == node))
        .min()?;
    let text = format!(
        "the {} '{}' of the passage was chosen, but stands for no passage",
        layer.kind(node).name(),
        chosen.label(node)
    );
    Some(Reason::new(Code::TypeFiltered, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::sample;
    use crate::retrieve::{Keep, Method, Retriever, Settings};

    #[test]
    fn of_nodes_worth_the_same_the_lowest_stands_for_a_passage() {
        let index = Arc::new(sample::index().unwrap());
        let settings = Settings::of(&index, Method::by_name("noderag").unwrap());
        let question = &index.questions()[0].text;
        let run = Retriever::new(index.clone())
            .retrieve(question, &settings, Keep::Scores)
            .unwrap();
        let at = run.last(&index).unwrap();
        let (graph, inputs) = (at.graph(), [at.input(0), at.input(1)]);
        let [chosen, walk] = inputs.map(|input| input.unwrap().set().clone());
        let mass = &walk.get::<Spread>().unwrap().mass;
        let even = |member: &Member| Member {
            value: 1.0,
            from: Origin::Scored,
            ..*member
        };
        let mut even: Vec<Member> = chosen.members.iter().map(even).collect();
        let mut several = 0;
        for _ in 0..2 {
            let (hits, support) = ranked(graph, &even, mass, NodeOrder::Mass);
            for (hit, node) in hits.iter().zip(support.0) {
                let stands = even.iter().map(|member| member.node);
                let stands = stands.filter(|n| graph.passages_of(*n).contains(&hit.passage));
                assert_eq!(stands.clone().min(), Some(node));
                several += usize::from(stands.count() > 1);
            }
            even.reverse();
        }
        assert!(several > 0);
    }
}
