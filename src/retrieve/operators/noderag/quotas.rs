//! Which nodes NodeRAG's walk chooses.

use super::passages::by_landed;
use super::{layer, mass, own_nodes};
use crate::layers::heterograph::{Kind, NodeRagLayer};
use crate::layers::{Class, Code, Node};
use crate::parameters::{
    HUB_BALANCE, Parameter as P, QUOTA_N, QUOTA_O, QUOTA_OTHER, QUOTA_R, QUOTA_SHARED, Scoped,
    WEIGHT_EXACT,
};
use crate::retrieve::explanation::Reason;
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::operators::walk::{distance, opened_at, too_far, walked, weak};
use crate::retrieve::retrieval::Walked;
use crate::retrieve::set::{Dropped, Member, Origin, Set, Space, heaviest};
use crate::retrieve::spread::restart;
use serde_json::json;
use std::sync::Arc;

/// So many nodes of each kind as the walk may choose, after the vector hits; then what is attached to chosen names and
/// overviews. Values are mass.
#[derive(Debug)]
pub struct Quotas;

pub static QUOTAS: Quotas = Quotas;

/// Kinds of nodes that share a quota.
pub struct Quota {
    name: &'static str,
    kinds: &'static [Kind],
    most: usize,
}

static OTHERS: [Kind; 4] = [Kind::Text, Kind::Unit, Kind::Attribute, Kind::Element];

impl Quota {
    fn has(&self, layer: &NodeRagLayer, node: Node) -> bool {
        self.kinds.contains(&layer.kind(node))
    }
}

/// N, R, O, then T, S, A, H together (code) or each (paper).
pub fn quotas(values: Scoped<'_>) -> Vec<Quota> {
    let of = |kinds: &'static [Kind], most| Quota {
        name: match kinds {
            [kind] => kind.name(),
            _ => "text, unit, attribute, element",
        },
        kinds,
        most,
    };
    let mut quotas = vec![
        of(&[Kind::Entity], values.get(QUOTA_N)),
        of(&[Kind::Relation], values.get(QUOTA_R)),
        of(&[Kind::Overview], values.get(QUOTA_O)),
    ];
    let other = values.get(QUOTA_OTHER);
    match values.get(QUOTA_SHARED) {
        true => quotas.push(of(&OTHERS, other)),
        false => quotas.extend(
            OTHERS
                .iter()
                .map(|kind| of(std::slice::from_ref(kind), other)),
        ),
    }
    quotas
}

/// Of those that just missed a quota, how many are told.
const MISSED: usize = 10;

/// Vector hits, then nodes by mass within their quotas, then attributes and elements of chosen names and overviews.
pub fn choose(layer: &NodeRagLayer, near: &[Member], mass: &[f64], quotas: &[Quota]) -> Set {
    let mut taken = vec![false; layer.nodes()];
    let of = |node: Node, from| Member {
        node,
        value: mass[node as usize],
        from,
    };
    let mut members: Vec<Member> = Vec::new();
    let mut dropped = Vec::new();
    let mut fills = Vec::new();
    for hit in near {
        taken[hit.node as usize] = true;
        members.push(of(hit.node, hit.from));
    }
    for quota in quotas {
        let ranges = quota.kinds.iter().flat_map(|&kind| layer.range(kind));
        let free = |node: &Node| mass[*node as usize] > 0.0 && !taken[*node as usize];
        let able = ranges.filter(free).map(|node| of(node, Origin::Scored));
        let able: Vec<Member> = able.collect();
        let reached = able.len();
        let mut able = heaviest(able, quota.most + MISSED);
        let missed = able.split_off(quota.most.min(able.len()));
        let last = able.last().map_or(0.0, |member| member.value);
        dropped.extend(missed.into_iter().map(|member| Dropped {
            node: member.node,
            code: Code::QuotaFull,
            margin: last - member.value,
        }));
        let fill = json!({"taken": able.len(), "quota": quota.most, "reached": reached});
        fills.push((quota.name, fill));
        able.iter().for_each(|m| taken[m.node as usize] = true);
        members.extend(able);
    }
    let chosen = members.len();
    for at in 0..chosen {
        let from = members[at].node;
        let wanted = match layer.kind(from) {
            Kind::Entity => Kind::Attribute,
            Kind::Overview => Kind::Element,
            _ => continue,
        };
        for own in layer.tied(from, wanted) {
            if !std::mem::replace(&mut taken[own as usize], true) {
                members.push(of(own, Origin::Edge { from }));
            }
        }
    }
    let mut set = Set::new(Space::Nodes)
        .fact("nodes chosen", members.len())
        .fact("attached", members.len() - chosen);
    set.facts.extend(fills);
    set.members = members;
    set.dropped = dropped;
    set
}

impl Operator for Quotas {
    fn declaration(&self) -> Declaration {
        Declaration::select(
            "quotas",
            "vector hits, so many of each kind by mass, and what is attached to them",
        )
        .reads(&[
            P::QuotaN,
            P::QuotaR,
            P::QuotaO,
            P::QuotaOther,
            P::QuotaShared,
        ])
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let (near, mass) = (&inputs[0].members, mass(inputs));
        Ok(choose(layer(cx.graph()), near, mass, &quotas(cx.values)))
    }

    fn why(&self, at: &At<'_>, member: &Member) -> String {
        match member.from {
            Origin::Near { rank, cosine } => {
                format!("by vector, rank {rank} (cosine {cosine:.3})")
            }
            Origin::Edge { from } => format!("attached to {}", at.label(from)),
            _ => {
                let (layer, quotas) = (layer(at.graph()), quotas(at.values()));
                let quota = quotas.iter().find(|quota| quota.has(layer, member.node));
                let ahead = at.set().members.iter().filter(|m| m.from == Origin::Scored);
                let ahead = ahead.take_while(|m| m.node != member.node);
                let ahead = ahead.filter(|m| quota.is_some_and(|quota| quota.has(layer, m.node)));
                format!("by the walk, {}. of its quota", ahead.count() + 1)
            }
        }
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        let Some(walk) = at.input(1) else {
            return Vec::new();
        };
        let Some(walked) = walked(&walk).filter(|walked| !walked.seeds().is_empty()) else {
            return Vec::new();
        };
        let own = own_nodes(at.graph(), passage);
        let best = walked.heaviest(own.iter().copied());
        match best.filter(|&node| walked.spread.mass[node as usize] > 0.0) {
            None => vec![unreached(&walked, &own)],
            Some(best) => {
                let mut reasons = thin(at, &walked, passage, best);
                if !by_landed(at) && !stands(at, passage) {
                    reasons.extend(full(at, &walked, passage, best));
                }
                reasons
            }
        }
    }
}

/// Whether a chosen node stands for a passage.
pub(super) fn stands(at: &At<'_>, passage: u32) -> bool {
    let graph = at.graph();
    let mut chosen = at.set().members.iter();
    chosen.any(|member| graph.passages_of(member.node).contains(&passage))
}

/// The walk does not come to any node of the passage.
fn unreached(walked: &Walked<'_>, own: &[Node]) -> Reason {
    let seeds = restart(walked.seeds());
    match distance(walked.graph, &seeds, own) {
        Err(reason) => *reason,
        Ok(far) => too_far(walked, far),
    }
}

/// What lets little of the walk come to the best node of the passage.
fn thin(at: &At<'_>, walked: &Walked<'_>, passage: u32, best: Node) -> Vec<Reason> {
    let settings = &at.run.settings;
    let tried = |reason: Reason| {
        let change = match reason.code {
            Code::Diluted => Some(HUB_BALANCE.at(!settings.get(HUB_BALANCE))),
            _ => Some(WEIGHT_EXACT.at(0.0)).filter(|_| settings.get(WEIGHT_EXACT) > 0.0),
        };
        let fix = change.and_then(|change| at.tried(passage, change));
        reason.with_fix(fix)
    };
    let opened = opened_at(at, walked, &[(best, 1.0)]);
    weak(at, walked, &opened).into_iter().map(tried).collect()
}

/// The passage's best node is beyond its quota.
fn full(at: &At<'_>, walked: &Walked<'_>, passage: u32, best: Node) -> Option<Reason> {
    let graph = at.graph();
    let (layer, mass) = (layer(graph), &walked.spread.mass);
    let near = &at.input(0)?.set().members;
    let is_near = |node| near.iter().any(|hit| hit.node == node);
    let quotas = quotas(at.values());
    let quota = quotas.iter().find(|quota| quota.has(layer, best))?;
    let own = mass[best as usize];
    let rivals = quota.kinds.iter().flat_map(|&kind| layer.range(kind));
    let ahead = rivals.filter(|&node| {
        let other = mass[node as usize];
        (other > own || other == own && node < best) && !is_near(node)
    });
    let rank = ahead.count() + 1;
    let class = Class::behind(rank, quota.most);
    let text = format!(
        "its {} '{}' is {rank}. by mass ({own:.6}), the quota takes {}",
        layer.kind(best).name(),
        at.label(best),
        quota.most
    );
    let fix = at.tried(passage, QUOTA_OTHER.at(rank));
    Some(
        Reason::new(Code::QuotaFull, text)
            .class(class)
            .with_fix(fix),
    )
}
