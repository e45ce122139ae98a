//! What a composed search did: names, the list, the restart, every step of the walk, passages.

use super::answer::Answer;
use super::search::{Asked, Cause};
use crate::graph::walk::{Forward, Sparse};
use crate::index::Index;
use crate::parameters::{ALPHA, CONTEXT_TOKENS, DANGLING, EPSILON, RESULT_K, SEED_K};
use crate::retrieve::Ranked;
use crate::retrieve::compose::{Pick, Walk};
use crate::systems::{Cut, Edge, Entry, Item, Stage, Story};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

/// Most nodes and edges of a stage.
const NODES: usize = 60;
const EDGES: usize = 40;
/// Nodes whose inflow is shown edge by edge.
const INFLOW: usize = 20;
/// Names of the first steps; longer walks are told by their beginning and their end.
const STEPS: [&str; 9] = [
    "t = 0", "t = 1", "t = 2", "t = 3", "t = 4", "t = 5", "t = 6", "t = 7", "t = 8",
];

pub(super) struct Teller<'a> {
    asked: &'a Asked,
    answer: &'a Answer,
    index: &'a Index,
    story: Story,
    nodes: FxHashMap<u32, usize>,
    passages: FxHashMap<u32, usize>,
}

impl<'a> Teller<'a> {
    pub(super) fn new(answer: &'a Answer, index: &'a Index) -> Teller<'a> {
        Teller {
            asked: &answer.asked,
            answer,
            index,
            story: Story::default(),
            nodes: FxHashMap::default(),
            passages: FxHashMap::default(),
        }
    }

    pub(super) fn tell(mut self) -> Story {
        let run = &self.answer.run;
        let reached = run.mass.iter().filter(|mass| **mass > 0.0).count();
        self.story.headline = format!(
            "{} seeds, {reached} of {} nodes reached, {} passages",
            run.seeds.len(),
            run.mass.len(),
            run.hits.len()
        );
        if self.asked.parts.seeds.names {
            self.names();
        }
        if let Some(list) = self.asked.list.clone() {
            self.list(&list);
        }
        self.restart();
        if !run.seeds.is_empty() {
            match self.asked.parts.walk {
                Walk::Push => self.pushed(),
                _ => self.walk(),
            }
        }
        self.passages();
        self.story
    }

    fn node(&mut self, node: u32) -> usize {
        if let Some(&place) = self.nodes.get(&node) {
            return place;
        }
        let place = self.story.item(Item {
            kind: self.asked.web.nodes.kind(node),
            label: self.asked.label(self.index, node).into_owned(),
            passage: self.asked.web.passages(node).first().copied(),
            text: String::new(),
        });
        self.nodes.insert(node, place);
        place
    }

    fn passage(&mut self, passage: u32) -> usize {
        if let Some(&place) = self.passages.get(&passage) {
            return place;
        }
        let label = match self.index.title(passage) {
            "" => self.index.id(passage),
            title => title,
        };
        let place = self.story.item(Item {
            kind: "passage",
            label: label.to_owned(),
            passage: Some(passage),
            text: String::new(),
        });
        self.passages.insert(passage, place);
        place
    }

    fn entry(&mut self, node: u32, value: f64, why: String) -> Entry {
        let item = self.node(node);
        Entry { item, value, why }
    }

    fn names(&mut self) {
        let names = &self.answer.run.names;
        let linked = names.iter().filter(|name| !name.nodes.is_empty()).count();
        let mut nodes = Vec::new();
        for name in names {
            for &node in name.nodes.iter().take(NODES) {
                let why = format!("named by '{}', {}", name.surface, self.asked.places(node));
                nodes.push(self.entry(node, 1.0, why));
            }
        }
        let unknown = names.iter().filter(|name| name.nodes.is_empty());
        let unknown: Vec<&str> = unknown.map(|name| &*name.surface).collect();
        let mut counters = vec![
            ("names found", names.len().into()),
            ("with nodes", linked.into()),
        ];
        if !unknown.is_empty() {
            counters.push(("unknown here", unknown.join(", ").into()));
        }
        self.stage("names", "link", counters, nodes);
    }

    fn list(&mut self, list: &Ranked) {
        let mut nodes = Vec::new();
        for (at, hit) in list.hits.iter().take(NODES).enumerate() {
            let item = self.passage(hit.passage);
            let why = format!("{} rank {}", list.ranker.label(), at + 1);
            let value = f64::from(hit.score);
            nodes.push(Entry { item, value, why });
        }
        let restarts = match self.asked.parts.list_restarts() {
            true => json!(self.asked.settings.get(SEED_K)),
            false => "none: it is fused with the walk".into(),
        };
        let mut counters = vec![
            ("ranking", list.ranker.label().into()),
            ("passages matched", list.matched.into()),
            ("of them restart", restarts),
        ];
        if self.answer.run.homeless > 0 {
            let homeless = self.answer.run.homeless;
            counters.push(("without a node in this graph", homeless.into()));
        }
        self.stage("list", "score", counters, nodes);
    }

    fn restart(&mut self) {
        let run = &self.answer.run;
        let mut nodes = Vec::new();
        for seed in run.seeds.iter().take(4 * NODES) {
            let why = self.asked.seeded(run, seed);
            nodes.push(self.entry(seed.node, seed.weight, why));
        }
        let of = |wanted: fn(&Cause) -> bool| {
            let own = run.seeds.iter().filter(|seed| wanted(&seed.from));
            own.map(|seed| seed.weight).sum::<f64>()
        };
        let mut counters: Vec<(&'static str, Value)> = vec![("seeds", run.seeds.len().into())];
        if let Some(a) = run.a {
            counters.push(("share of names a", json!(a)));
            let names = of(|from| matches!(from, Cause::Name(_)));
            counters.push(("mass of names", json!(names)));
            counters.push(("mass of the rest", json!(1.0 - names)));
        }
        self.story.seeds = nodes.clone();
        self.stage("restart", "mix", counters, nodes);
    }

    /// One stage for every state of the walk, with the flows into its heaviest nodes.
    fn walk(&mut self) {
        let (asked, run) = (self.asked, &self.answer.run);
        let t = asked.web.transition();
        let (alpha, steps) = (asked.settings.get(ALPHA), asked.steps());
        let lazy = asked.parts.walk == Walk::Lazy;
        let moving = if lazy { alpha } else { 1.0 - alpha };
        let seeds = Asked::restart(&run.seeds);
        let mut state = vec![0.0; t.nodes()];
        seeds.iter().for_each(|&(node, p)| state[node as usize] = p);
        let mut before = Vec::new();
        for step in 0..=steps {
            if step > 0 {
                let held = (0..).zip(&state).filter(|(_, mass)| **mass > 0.0);
                let held: Sparse = held.map(|(node, &mass)| (node, mass)).collect();
                let mut walk = Forward::from(t, &held, &seeds, asked.settings.get(DANGLING));
                walk.step(moving, if lazy { 0.0 } else { alpha });
                let mut moved = walk.into_mass();
                if lazy {
                    let stay = moved.iter_mut().zip(&state);
                    stay.for_each(|(mass, before)| *mass += (1.0 - alpha) * before);
                }
                before = std::mem::replace(&mut state, moved);
            }
            if step + 1 < STEPS.len() || step == steps {
                let name = STEPS.get(step).copied().unwrap_or("last step");
                self.state(name, step, &state, &before, moving);
            }
        }
    }

    fn pushed(&mut self) {
        let run = &self.answer.run;
        let settled: f64 = run.mass.iter().sum();
        let nodes = self.heaviest(&run.mass);
        // A push settles alpha of what it takes up and sends the rest on: what was settled tells what was sent.
        let alpha = self.asked.settings.get(ALPHA);
        let sent = if alpha > 0.0 {
            (1.0 - alpha) / alpha
        } else {
            0.0
        };
        let edges = self.flows(&run.mass, &run.mass, sent);
        self.story.timeline.push(self.story.stages.len());
        self.story.stages.push(Stage {
            name: "push",
            kind: "spread",
            counters: vec![
                ("pushes", run.pushes.into()),
                ("mass settled", json!(settled)),
                ("epsilon", json!(self.asked.settings.get(EPSILON))),
            ],
            nodes,
            edges,
            cut: Vec::new(),
        });
    }

    /// The greatest flows into the heaviest nodes, each `factor * mass(u) * P(u, v)`.
    fn flows(&mut self, into: &[f64], mass: &[f64], factor: f64) -> Vec<Edge> {
        let t = self.asked.web.transition();
        let mut flows: Vec<(f64, u32, u32)> = Vec::new();
        for (v, _) in top(into, INFLOW) {
            for &u in t.row(v as usize).0 {
                let flow = factor * mass[u as usize] * t.probability(u as usize, v as usize);
                if flow > 0.0 {
                    flows.push((flow, u, v));
                }
            }
        }
        flows.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        flows.truncate(EDGES);
        let told = flows.into_iter().map(|(value, u, v)| {
            let p = t.probability(u as usize, v as usize);
            Edge {
                from: self.node(u),
                to: self.node(v),
                value,
                kind: self.asked.web.nodes.joined(u, v),
                why: format!("P {p:.4}, degree {}", t.degree(u as usize)),
            }
        });
        told.collect()
    }

    fn state(&mut self, name: &'static str, step: usize, now: &[f64], before: &[f64], keep: f64) {
        let t = self.asked.web.transition();
        let nodes = self.heaviest(now);
        let edges = match step {
            0 => Vec::new(),
            _ => self.flows(now, before, keep),
        };
        let reached = now.iter().filter(|mass| **mass > 0.0).count();
        self.story.timeline.push(self.story.stages.len());
        self.story.stages.push(Stage {
            name,
            kind: "spread",
            counters: vec![
                ("step", step.into()),
                ("nodes reached", reached.into()),
                ("mass", json!(now.iter().sum::<f64>())),
                ("edges of the graph", (t.arcs() / 2).into()),
            ],
            nodes,
            edges,
            cut: Vec::new(),
        });
    }

    fn heaviest(&mut self, mass: &[f64]) -> Vec<Entry> {
        let t = self.asked.web.transition();
        let heaviest = top(mass, NODES).into_iter();
        let told = heaviest.map(|(node, mass)| {
            let why = format!("degree {}", t.degree(node as usize));
            self.entry(node, mass, why)
        });
        told.collect()
    }

    fn passages(&mut self) {
        let (asked, run) = (self.asked, &self.answer.run);
        let k = asked.settings.get(RESULT_K);
        let mut nodes = Vec::new();
        for (at, hit) in run.hits.iter().take(k).enumerate() {
            let item = self.passage(hit.passage);
            let mut why = match asked.web.of_passage(hit.passage) {
                [] => "no node stands for it".to_owned(),
                [node] => format!("its {}", asked.web.nodes.kind(*node)),
                nodes => format!("{} nodes stand for it", nodes.len()),
            };
            if matches!(asked.parts.pick, Pick::Fuse | Pick::Rerank | Pick::Bridge) {
                let rank = self.answer.walk_rank(hit.passage);
                let by = rank.map_or("not reached by the walk".into(), |r| {
                    format!("{r}. by the walk")
                });
                why = format!("rank {}, {by}", at + 1);
            }
            nodes.push(Entry {
                item,
                value: f64::from(hit.score),
                why,
            });
        }
        let mut cut = Vec::new();
        let last = run.hits.get(k.saturating_sub(1)).map_or(0.0, |h| h.score);
        for hit in run.hits.iter().skip(k).take(10) {
            let item = self.passage(hit.passage);
            let margin = f64::from(last - hit.score);
            cut.push(Cut {
                item,
                code: "CUT_BY_K",
                margin,
            });
        }
        for &passage in run.unfit.iter().take(10) {
            let item = self.passage(passage);
            let margin = run.scores[passage as usize];
            cut.push(Cut {
                item,
                code: "BUDGET",
                margin,
            });
        }
        let mut counters: Vec<(&'static str, Value)> = vec![("passages", run.hits.len().into())];
        match asked.parts.pick {
            Pick::Pack => {
                counters.push(("tokens", run.tokens.into()));
                let room = asked.settings.get(CONTEXT_TOKENS);
                counters.push(("of tokens", room.into()));
            }
            Pick::Bridge => {
                let labels: Vec<&str> = run.bridges.iter().map(|b| &*b.label).collect();
                counters.push(("walks multiplied", labels.join(", ").into()));
            }
            Pick::Rerank => {
                let by = run.reranked.as_ref().map_or("", |by| by.name);
                counters.push(("scored again by", by.into()));
            }
            Pick::Fuse => counters.push(("lists fused", run.fused.len().into())),
            Pick::Passages => {}
        }
        let name = match asked.parts.pick {
            Pick::Pack => "context",
            _ => "passages",
        };
        self.stage(name, "select", counters, nodes);
        if let Some(stage) = self.story.stages.last_mut() {
            stage.cut = cut;
        }
    }

    fn stage(
        &mut self,
        name: &'static str,
        kind: &'static str,
        counters: Vec<(&'static str, Value)>,
        nodes: Vec<Entry>,
    ) {
        self.story.stages.push(Stage {
            name,
            kind,
            counters,
            nodes,
            ..Stage::default()
        });
    }
}

/// The heaviest nodes, ties by node.
fn top(mass: &[f64], count: usize) -> Vec<(u32, f64)> {
    let mut held: Vec<(u32, f64)> = (0..)
        .zip(mass.iter().copied())
        .filter(|(_, mass)| *mass > 0.0)
        .collect();
    held.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    held.truncate(count);
    held
}
