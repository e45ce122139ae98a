//! What starts NodeRAG's walk.

use super::{layer, own_nodes};
use crate::layers::heterograph::Kind;
use crate::layers::{Code, Node};
use crate::parameters::{ENTRY_SHARE, EntryShare, Parameter as P, WEIGHT_EXACT, WEIGHT_VECTOR};
use crate::retrieve::explanation::{Reason, Story};
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::operators::restart::{edit, reshare, seed, set_of, told};
use crate::retrieve::retrieval::{Mixed, Seed, Seeded};
use crate::retrieve::set::{Member, Origin, Set};
use crate::text::Norm;
use crate::text::similar::nearest;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The restart of the walk: what names and what vector hits weigh is a parameter each, and a hit that is named counts as a
/// name.
#[derive(Debug)]
pub struct Weighed;

pub static WEIGHED: Weighed = Weighed;

impl Operator for Weighed {
    fn declaration(&self) -> Declaration {
        Declaration::seed(
            "restart",
            "names and vector hits with their shares of the restart",
        )
        .kind("mix")
        .reads(&[P::WeightExact, P::WeightVector, P::EntryShare])
        .edits_seeds(true)
        .like("names+nearest")
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let exact = cx.values.get(WEIGHT_EXACT);
        let members = inputs.iter().flat_map(|set| &set.members);
        let rule = cx.values.get(ENTRY_SHARE);
        let (mut names, mut near) = weighed(members, exact, cx.values.get(WEIGHT_VECTOR), rule);
        // One that a person adds is one more name, or one more term.
        let unit = match rule {
            EntryShare::Nodes => exact,
            EntryShare::Parts => exact / terms(names.iter().map(|s| s.why)).len().max(1) as f64,
        };
        let edits = edit(cx, cx.edits.iter(), 0.0, &mut names, &mut near);
        let added = names.iter_mut().filter(|s| s.why == Origin::Added);
        added.for_each(|seed| seed.raw *= if unit > 0.0 { unit } else { 1.0 });
        let seeded = shared(names, near);
        Ok(set_of(Seeded { edits, ..seeded }))
    }

    fn tell(&self, at: &At<'_>, story: &mut Story) {
        told(at, story);
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        let mut reasons = unlinked(at, passage);
        if at.set().members.is_empty() {
            let text = "nothing started the walk: no term matched and no vector was near";
            reasons.push(Reason::new(Code::QueryEntityNotLinked, text));
        }
        reasons
    }
}

/// How many nodes each term of the question brought.
fn terms(from: impl Iterator<Item = Origin>) -> BTreeMap<usize, usize> {
    let mut terms = BTreeMap::new();
    for origin in from {
        if let Origin::Name { name, .. } = origin {
            *terms.entry(name).or_default() += 1;
        }
    }
    terms
}

/// Names and vector hits with what they weigh; what weighs nothing is no seed. In parts the names weigh `exact` together
/// and the vector hits `vector`; else each of them does.
pub fn weighed<'m>(
    members: impl Iterator<Item = &'m Member>,
    exact: f64,
    vector: f64,
    rule: EntryShare,
) -> (Vec<Seed>, Vec<Seed>) {
    let (mut names, mut near): (Vec<Seed>, Vec<Seed>) = Default::default();
    for member in members {
        let (seeds, raw) = match member.from {
            Origin::Near { .. } => (&mut near, vector),
            _ => (&mut names, exact),
        };
        if raw > 0.0 {
            seeds.push(seed(member.node, raw, member.from));
        }
    }
    near.retain(|hit| names.iter().all(|name| name.node != hit.node));
    if rule == EntryShare::Parts {
        let terms = terms(names.iter().map(|seed| seed.why));
        for seed in &mut names {
            if let Origin::Name { name, .. } = seed.why {
                seed.raw /= (terms.len() * terms[&name]) as f64;
            }
        }
        let hits = near.len() as f64;
        near.iter_mut().for_each(|seed| seed.raw /= hits);
    }
    (names, near)
}

/// Both together, each with its share of all mass.
pub fn shared(names: Vec<Seed>, near: Vec<Seed>) -> Seeded {
    let mass = |seeds: &[Seed]| seeds.iter().map(|s| s.raw).sum::<f64>();
    let (named, other) = (mass(&names), mass(&near));
    let mut seeds = names;
    seeds.extend(near);
    // Added up in the order of the nodes.
    seeds.sort_by_key(|seed| seed.node);
    reshare(&mut seeds);
    Seeded {
        mixed: (!seeds.is_empty()).then(|| Mixed {
            entity_mass: named,
            passage_mass: other,
            a: named / (named + other),
        }),
        seeds,
        ..Seeded::default()
    }
}

/// Names that the question and the passage share but that led nowhere.
fn unlinked(at: &At<'_>, passage: u32) -> Vec<Reason> {
    let (graph, terms) = (at.graph(), at.run.names());
    let layer = layer(graph);
    let asked = format!(" {} ", Norm::Simple.apply(&at.run.question));
    let own = own_nodes(graph, passage).into_iter();
    let mut names: Vec<Node> = own
        .flat_map(|node| layer.tied(node, Kind::Entity))
        .collect();
    names.sort_unstable();
    names.dedup();
    let labels = || names.iter().map(|&name| layer.label(name));
    let mut reasons = Vec::new();
    for label in labels() {
        let form = format!(" {} ", Norm::Simple.apply(label));
        let said = form.trim().chars().count() > 3 && asked.contains(&form);
        if said
            && !terms
                .iter()
                .any(|t| format!(" {} ", t.form).contains(&form))
        {
            let text = format!(
                "the question and the passage say '{label}', but it was not taken for a term"
            );
            reasons.push(Reason::new(Code::QueryEntityNotExtracted, text));
        }
    }
    for term in terms.iter().filter(|t| t.nodes.is_empty() && !t.phrase) {
        if let Some(label) = nearest(&term.surface, labels()) {
            let name = &term.surface;
            let text = format!("no entity contains '{name}'; nearest here: {label}");
            reasons.push(Reason::new(Code::QueryEntityNotLinked, text));
        }
    }
    reasons
}
