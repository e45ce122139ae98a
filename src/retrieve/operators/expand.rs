//! One hop: the neighbours of the nodes that a plan starts from.

use super::walk::distance;
use crate::graph::walk::Sparse;
use crate::layers::{Code, Graph, Node};
use crate::parameters::SAGE_SEEDS;
use crate::retrieve::change::Change;
use crate::retrieve::edits::{SeedChange, name_of};
use crate::retrieve::explanation::{Edge, Reason, Story, clip};
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::set::{Member, Origin, Set, Space, heaviest};
use crate::retrieve::settings::Settings;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Seeds that leave room for neighbours.
const ROOMY: usize = 5;

/// Every neighbour that is no member of the input. Its value is how many members it is a neighbour of; the first of them
/// is what it comes from.
#[derive(Debug)]
pub struct Expand;

pub static EXPAND: Expand = Expand;

/// Most edges of the stage.
const EDGES: usize = 200;
/// Most characters of a label in a sentence.
const LABEL: usize = 40;

impl Operator for Expand {
    fn declaration(&self) -> Declaration {
        Declaration::spread("expand", "the neighbours of the seeds, one hop")
            .kind("expand")
            .like("one-hop")
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let graph = cx.graph();
        let from = inputs.first().map_or(&[][..], |set| &set.members);
        let own: FxHashSet<Node> = from.iter().map(|member| member.node).collect();
        let mut found: FxHashMap<Node, Member> = FxHashMap::default();
        for member in from {
            for (node, _) in graph.neighbours(member.node) {
                if !own.contains(&node) {
                    let entry = found.entry(node).or_insert(Member {
                        node,
                        value: 0.0,
                        from: Origin::Edge { from: member.node },
                    });
                    entry.value += 1.0;
                }
            }
        }
        let mut set = Set::new(Space::Nodes).fact("neighbours", found.len());
        set.members = heaviest(found.into_values().collect(), usize::MAX);
        let mut kinds: BTreeMap<&'static str, usize> = BTreeMap::new();
        for member in &set.members {
            if let Origin::Edge { from } = member.from {
                let kind = graph.source().edge_kind(from, member.node);
                *kinds.entry(kind).or_default() += 1;
            }
        }
        let told = |set: Set, (kind, count)| set.fact(kind, count);
        Ok(kinds.into_iter().fold(set, told))
    }

    fn why(&self, at: &At<'_>, member: &Member) -> String {
        match member.value as usize {
            0 | 1 => at.origin(member),
            many => format!("{}, and {} others", at.origin(member), many - 1),
        }
    }

    fn tell(&self, at: &At<'_>, story: &mut Story) {
        let mut stage = at.stage(story);
        let graph = at.graph();
        let seeds = at.input(0).map_or(&[][..], |input| &input.set().members);
        let shown = at.set().members.iter().take(stage.nodes.len());
        for (member, entry) in shown.zip(&stage.nodes) {
            for seed in seeds {
                let (targets, weights) = graph.transition().row(seed.node as usize);
                if let Ok(edge) = targets.binary_search(&member.node)
                    && stage.edges.len() < EDGES
                {
                    stage.edges.push(Edge {
                        from: story.node(at, seed.node),
                        to: entry.item,
                        value: f64::from(weights[edge]),
                        kind: graph.source().edge_name(seed.node, member.node),
                        why: graph.source().evidence(at.index, seed.node, member.node),
                    });
                }
            }
        }
        story.push(stage);
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        let graph = at.graph();
        let own = graph.nodes_of(passage);
        let from = at.input(0).map_or(&[][..], |input| &input.set().members);
        let has = |members: &[Member]| members.iter().any(|m| own.contains(&m.node));
        if own.is_empty() || has(from) || has(&at.set().members) {
            return Vec::new();
        }
        unreached(at, graph, from, &own, passage)
    }
}

/// Room among the returned, which a neighbour needs where seeds come first, whatever edge leads to it.
pub fn room(settings: &Settings) -> Option<Change> {
    (settings.get(SAGE_SEEDS) > ROOMY).then(|| SAGE_SEEDS.at(ROOMY).into())
}

/// Why one hop from some nodes does not lead to others.
fn unreached(
    at: &At<'_>,
    graph: &Graph,
    from: &[Member],
    own: &[Node],
    passage: u32,
) -> Vec<Reason> {
    let seeds: Vec<Node> = from.iter().map(|member| member.node).collect();
    let restart: Sparse = seeds.iter().map(|&node| (node, 1.0)).collect();
    let far = distance(graph, &restart, own);
    let mut reasons = Vec::from_iter(far.as_ref().err().map(|reason| (**reason).clone()));
    if let Some(unjoined) = graph.source().unjoined(at.index, &seeds, own) {
        let fix = unjoined.change.and_then(|change| at.tried(passage, change));
        let why = Reason::new(unjoined.code, unjoined.text).with_fix(fix);
        // What brings it in says more than that no edge does.
        let place = if why.fix.is_some() { 0 } else { reasons.len() };
        reasons.insert(place, why);
    }
    if let Ok(far) = far {
        // A second hop begins at neighbours of seeds: those that lead on, as seeds.
        let leads = |node: Node| own.iter().any(|&own| graph.probability(node, own) > 0.0);
        let between = at.set().members.iter().filter(|member| leads(member.node));
        let between: Vec<Node> = between.take(1).map(|member| member.node).collect();
        let over = between.first().map_or(String::new(), |&node| {
            format!(" over '{}'", clip(&graph.named(at.index, node), LABEL))
        });
        let text =
            format!("no seed is adjacent: the nearest is {far} hops away{over}, one is taken");
        let seed = |&node: &Node| {
            let seed = Change::seed(name_of(at.index, graph, node), SeedChange::Add(1.0));
            match room(&at.run.settings) {
                Some(room) => Change::both(seed, room),
                None => seed,
            }
        };
        let undo = between.iter().map(seed);
        reasons.push(Reason::new(Code::NotNeighbour, text).undone_by(undo));
    }
    reasons
}
