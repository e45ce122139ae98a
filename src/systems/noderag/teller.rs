//! What a search did: terms, matches, vector hits, personalisation, every step of the walk, quotas, what was attached.

use super::account::{clipped, joined, short};
use super::node::Kind;
use super::params::WalkRule;
use super::search::{Answer, Chosen, Entry, by_kind};
use super::story::WHY;
use crate::index::Index;
use crate::systems::{self, Cut, Item, Stage, Story};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Most nodes and edges of a stage.
const NODES: usize = 200;
const EDGES: usize = 60;
/// Nodes whose inflow is shown edge by edge.
const INFLOW: usize = 30;

pub(super) struct Teller<'a> {
    answer: &'a Answer,
    index: &'a Index,
    story: Story,
    places: BTreeMap<u32, usize>,
}

impl<'a> Teller<'a> {
    pub(super) fn new(answer: &'a Answer, index: &'a Index) -> Teller<'a> {
        Teller {
            answer,
            index,
            story: Story::default(),
            places: BTreeMap::new(),
        }
    }

    fn item(&mut self, node: u32) -> usize {
        if let Some(&place) = self.places.get(&node) {
            return place;
        }
        let layer = &self.answer.layer;
        let kind = layer.kind(node);
        let (passage, text) = match kind {
            Kind::Text => {
                let (passage, span) = layer.piece(node);
                let text = self.index.text(passage).get(span).unwrap_or_default();
                (Some(passage), text.to_owned())
            }
            _ => (
                layer.passages(node).first().copied(),
                layer.label(node).to_owned(),
            ),
        };
        let label = short(layer, self.index, node);
        let place = self.story.item(Item {
            kind: kind.name(),
            // Where there is no more to read than the label, nothing is said twice.
            text: if text == label { String::new() } else { text },
            label,
            passage,
        });
        self.places.insert(node, place);
        place
    }

    fn entry(&mut self, node: u32, value: f64, why: String) -> systems::Entry {
        systems::Entry {
            item: self.item(node),
            value,
            why: clipped(&why, WHY),
        }
    }

    pub(super) fn tell(mut self) -> Story {
        let run = &self.answer.run;
        let output = run.chosen.iter();
        let output = output.filter(|c| self.answer.layer.kind(c.node).retrievable());
        self.story.headline = format!(
            "{} of {} terms matched {} names; {} vector hits; {} nodes reached, {} returned for {} passages",
            run.terms.iter().filter(|t| !t.matches.is_empty()).count(),
            run.terms.len(),
            run.exact.len(),
            run.vector.len(),
            run.pi.len(),
            output.count(),
            run.hits.len()
        );
        self.story.made_by = self.answer.layer.counts().made.to_string();
        self.terms();
        self.near();
        self.personalisation();
        self.walk();
        self.quotas();
        self.attached();
        self.filter();
        self.story
    }

    fn terms(&mut self) {
        let answer = self.answer;
        let mut counters: Vec<(&'static str, Value)> =
            vec![("matches", answer.run.exact.len().into())];
        let words = answer.run.terms.iter().map(|t| {
            let kind = if t.name { "name" } else { "phrase" };
            json!({"term": t.text, "kind": kind, "matches": t.matches.len()})
        });
        counters.push(("terms", words.collect()));
        let mut nodes = Vec::new();
        for &node in answer.run.exact.iter().take(NODES) {
            let why = answer
                .run
                .terms
                .iter()
                .filter(|t| t.matches.contains(&node));
            let why: Vec<&str> = why.map(|t| &*t.text).collect();
            let why = format!("contains '{}'", why.join("', '"));
            let value = f64::from(answer.layer.weight(node));
            nodes.push(self.entry(node, value, why));
        }
        self.story.stages.push(Stage {
            name: "exact matches",
            kind: "link",
            counters,
            nodes,
            ..Stage::default()
        });
    }

    fn near(&mut self) {
        let answer = self.answer;
        let mut nodes = Vec::new();
        for (rank, &(node, cosine)) in answer.run.vector.iter().enumerate() {
            let both = if answer.run.is_exact(node) {
                ", also by name"
            } else {
                ""
            };
            let why = format!("rank {}{both}", rank + 1);
            nodes.push(self.entry(node, f64::from(cosine), why));
        }
        self.story.stages.push(Stage {
            name: "vector hits",
            kind: "score",
            counters: vec![
                ("hits", nodes.len().into()),
                ("searched", answer.layer.embedded().into()),
            ],
            nodes,
            ..Stage::default()
        });
    }

    fn personalisation(&mut self) {
        let answer = self.answer;
        let mut seeds = answer.run.seeds.clone();
        seeds.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        seeds.truncate(NODES);
        let exact = |seed: &&(u32, f64)| answer.run.is_exact(seed.0);
        let share: f64 = answer.run.seeds.iter().filter(exact).map(|s| s.1).sum();
        let mut nodes = Vec::new();
        for (node, p) in seeds {
            let why = answer.seeded(node);
            nodes.push(self.entry(node, p, why));
        }
        self.story.seeds = nodes.clone();
        self.story.stages.push(Stage {
            name: "personalisation",
            kind: "seed",
            counters: vec![
                ("seeds", answer.run.seeds.len().into()),
                ("share of exact matches", json!(share)),
                ("weight_exact", json!(answer.params.weight_exact)),
                ("weight_vector", json!(answer.params.weight_vector)),
            ],
            nodes,
            ..Stage::default()
        });
    }

    /// One stage for every state of the walk.
    fn walk(&mut self) {
        const NAMES: [&str; 6] = ["t = 0", "t = 1", "t = 2", "t = 3", "t = 4", "t = 5"];
        let answer = self.answer;
        let view = answer.view();
        let moving = match answer.params.walk_rule {
            WalkRule::Restart => 1.0 - answer.params.alpha,
            WalkRule::Lazy => answer.params.alpha,
        };
        let mut before: Vec<f64> = Vec::new();
        let mut first = vec![u32::MAX; view.transition.nodes()];
        let steps = answer.params.steps;
        answer.timeline(|t, state| {
            for (node, mass) in state.iter().enumerate() {
                if *mass > 0.0 && first[node] == u32::MAX {
                    first[node] = t as u32;
                }
            }
            // Long walks are told by their beginning and their end.
            if t + 1 >= NAMES.len() && t < steps {
                before = state.to_vec();
                return;
            }
            let mut top: Vec<(u32, f64)> = (0..)
                .zip(state.iter().copied())
                .filter(|(_, mass)| *mass > 0.0)
                .collect();
            let reached = top.len();
            let total: f64 = top.iter().map(|n| n.1).sum();
            top.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            top.truncate(NODES);
            let mut flows: Vec<(f64, u32, u32)> = Vec::new();
            for &(v, _) in top.iter().take(INFLOW).filter(|_| t > 0) {
                let (sources, weights) = view.transition.row(v as usize);
                for (&u, &w) in sources.iter().zip(weights) {
                    let p = f64::from(w) * view.transition.scale(u as usize);
                    let flow = moving * before[u as usize] * p;
                    if flow > 0.0 {
                        flows.push((flow, u, v));
                    }
                }
            }
            flows.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
            flows.truncate(EDGES);
            let mut edges = Vec::new();
            for (flow, u, v) in flows {
                let (kind, why) = joined(&answer.layer, u, v);
                let (at, p) = (
                    u as usize,
                    view.transition.probability(u as usize, v as usize),
                );
                let weight = p / view.transition.scale(at);
                edges.push(systems::Edge {
                    from: self.item(u),
                    to: self.item(v),
                    value: flow,
                    kind,
                    why: format!("weight {weight:.4} ({why}), P {p:.4}"),
                });
            }
            let mut nodes = Vec::new();
            for (node, mass) in top {
                let why = format!(
                    "first reached at t = {}, degree {}, weight {}",
                    first[node as usize],
                    view.transition.degree(node as usize),
                    answer.layer.weight(node)
                );
                nodes.push(self.entry(node, mass, why));
            }
            self.story.timeline.push(self.story.stages.len());
            self.story.stages.push(Stage {
                name: NAMES.get(t).copied().unwrap_or("last state"),
                kind: "spread",
                counters: vec![
                    ("nodes reached", reached.into()),
                    ("mass", json!(total)),
                    ("edges of the graph", (view.transition.arcs() / 2).into()),
                    ("isolated nodes", view.isolated.into()),
                ],
                nodes,
                edges,
                cut: Vec::new(),
                ..Stage::default()
            });
            before = state.to_vec();
        });
    }

    fn quotas(&mut self) {
        let answer = self.answer;
        let layer = &answer.layer;
        let mut counters = Vec::new();
        let mut nodes = Vec::new();
        let mut cut = Vec::new();
        let cross = |c: &&Chosen| c.entry == Entry::Cross;
        for quota in answer.params.quotas() {
            let inside = |node: u32| quota.kinds.contains(&layer.kind(node));
            let taken: Vec<Chosen> = answer
                .run
                .chosen
                .iter()
                .filter(cross)
                .filter(|c| inside(c.node))
                .copied()
                .collect();
            let able = answer
                .run
                .pi
                .iter()
                .filter(|n| inside(n.0) && !answer.run.is_vector(n.0));
            let mut able: Vec<(u32, f64)> = able.copied().collect();
            let name = match quota.kinds[..] {
                [kind] => kind.name(),
                _ => "text, unit, attribute, element",
            };
            let fill = json!({"taken": taken.len(), "quota": quota.most, "reached": able.len()});
            counters.push((name, fill));
            let last = taken.last().map_or(0.0, |c| c.pi);
            for chosen in &taken {
                let why = format!("{}. of {} ({name})", chosen.rank, quota.most);
                nodes.push(self.entry(chosen.node, chosen.pi, why));
            }
            // Those that came next, by how much.
            able.retain(|n| {
                answer
                    .run
                    .chosen(n.0)
                    .is_none_or(|c| c.entry != Entry::Cross)
            });
            able.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            for (node, mass) in able.into_iter().take(10) {
                cut.push(Cut {
                    item: self.item(node),
                    code: "QUOTA_FULL",
                    margin: last - mass,
                });
            }
        }
        self.story.stages.push(Stage {
            name: "quotas",
            kind: "select",
            counters,
            nodes,
            edges: Vec::new(),
            cut,
            ..Stage::default()
        });
    }

    fn attached(&mut self) {
        let answer = self.answer;
        let chosen = answer.run.chosen.iter();
        let attached: Vec<Chosen> = chosen
            .filter(|c| c.entry == Entry::Attached)
            .copied()
            .collect();
        let mut nodes = Vec::new();
        let mut edges = Vec::new();
        for own in attached.iter().take(NODES) {
            let to = match answer.layer.kind(own.node) {
                Kind::Attribute => Kind::Entity,
                _ => Kind::Overview,
            };
            let by = answer.layer.tied(own.node, to);
            let by: Vec<u32> = by.filter(|&n| answer.run.chosen(n).is_some()).collect();
            for node in by {
                let (kind, why) = joined(&answer.layer, node, own.node);
                edges.push(systems::Edge {
                    from: self.item(node),
                    to: self.item(own.node),
                    value: 1.0,
                    kind,
                    why,
                });
            }
            nodes.push(self.entry(own.node, own.pi, answer.entered(own)));
        }
        self.story.stages.push(Stage {
            name: "attached",
            kind: "expand",
            counters: vec![("nodes", attached.len().into())],
            nodes,
            edges,
            cut: Vec::new(),
            ..Stage::default()
        });
    }

    fn filter(&mut self) {
        let answer = self.answer;
        let layer = &answer.layer;
        let counts = by_kind(layer, answer.run.chosen.iter().map(|c| c.node));
        let mut counters: Vec<(&'static str, Value)> =
            vec![("passages", answer.run.hits.len().into())];
        counters.extend(Kind::ALL.map(|kind| (kind.name(), counts[kind as usize].into())));
        let (mut nodes, mut cut) = (Vec::new(), Vec::new());
        for chosen in &answer.run.chosen {
            if layer.kind(chosen.node).retrievable() {
                let why = answer.entered(chosen);
                nodes.push(self.entry(chosen.node, chosen.pi, why));
            } else {
                cut.push(Cut {
                    item: self.item(chosen.node),
                    code: "TYPE_FILTERED",
                    margin: chosen.pi,
                });
            }
        }
        nodes.truncate(NODES);
        self.story.stages.push(Stage {
            name: "retrievable kinds",
            kind: "filter",
            counters,
            nodes,
            edges: Vec::new(),
            cut,
            ..Stage::default()
        });
    }
}
