//! What a search did, stage by stage, for the trace and the explorer.

use super::display;
use super::found::{Answer, short};
use super::names::Found as ByName;
use super::plan::{Direction, Op, edges};
use super::run::{Condition, Rung};
use crate::index::Index;
use crate::retrieve::explanation::{Cut, Edge, Entry, Item, Stage, Story};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

/// Nodes and edges of one stage that a story holds at most.
const MOST: usize = 200;
/// The story of a search.
pub(super) fn tell(answer: &Answer, index: &Index) -> Story {
    Telling {
        answer,
        index,
        story: Story::default(),
        places: FxHashMap::default(),
    }
    .tell()
}

struct Telling<'t> {
    answer: &'t Answer,
    index: &'t Index,
    story: Story,
    places: FxHashMap<u32, usize>,
}

impl Telling<'_> {
    fn tell(mut self) -> Story {
        let run = &self.answer.run;
        let schema = self.answer.layer.schema();
        let query = display::query(schema, &run.ops);
        self.story.headline = match run.rung {
            Rung::Plan => format!("plan: {query}"),
            rung => format!("{} after {query}", rung.name()),
        };
        self.plan_stage(&query);
        for i in 0..run.ops.len() {
            self.op_stage(i);
        }
        if run.rung == Rung::Hybrid {
            self.hybrid_stage();
        }
        self.policy_stage();
        self.story.timeline = (1..self.story.stages.len()).collect();
        self.story
    }

    fn passage(&mut self, passage: u32) -> usize {
        if let Some(place) = self.places.get(&passage) {
            return *place;
        }
        let layer = &self.answer.layer;
        let kind = layer
            .object(passage)
            .map(|o| layer.schema().types[layer.kind(o)].name.as_str());
        let place = self.story.item(Item {
            kind: "object",
            label: self.index.title(passage).to_owned(),
            passage: Some(passage),
            text: match kind {
                Some(kind) => format!("{kind}: {}", self.index.text(passage)),
                None => self.index.text(passage).to_owned(),
            },
        });
        self.places.insert(passage, place);
        place
    }

    fn object(&mut self, object: u32) -> usize {
        self.passage(self.answer.layer.passage(object))
    }

    /// The question's names and numbers, and what became of them.
    fn plan_stage(&mut self, query: &str) {
        let run = &self.answer.run;
        let schema = self.answer.layer.schema();
        let asked = run
            .planned
            .answer
            .map_or("any type", |at| schema.types[at].name.as_str());
        let mut stage = Stage {
            name: "plan",
            kind: "plan",
            counters: vec![
                ("query", json!(query)),
                ("planned by", json!(run.origin.to_string())),
                ("answer type", json!(asked)),
                ("rung", json!(run.rung.name())),
            ],
            ..Stage::default()
        };
        if let Some(failure) = &run.failure {
            stage.counters.push(("endpoint", json!(short(failure))));
        }
        if !run.planned.rest.is_empty() {
            stage.counters.push(("rest", json!(run.planned.rest)));
        }
        for note in &run.planned.notes {
            let said = match &note.path {
                None => format!("'{}': no path to {asked}, dropped", note.surface),
                Some(path) if path.is_empty() => format!("'{}': {asked} itself", note.surface),
                Some(path) => format!("'{}': {path}", note.surface),
            };
            stage.counters.push((
                if note.objects.is_empty() {
                    "value"
                } else {
                    "anchor"
                },
                json!(short(&said)),
            ));
            for (object, found) in &note.objects {
                let item = self.object(*object);
                let (value, by) = match found {
                    ByName::Exact => (1.0, "its name".to_owned()),
                    ByName::Alias => (1.0, "another name of it".to_owned()),
                    ByName::Trigram { jaccard } => (
                        *jaccard,
                        format!("{:.0} % of the trigrams", 100.0 * jaccard),
                    ),
                };
                let entry = Entry {
                    item,
                    value,
                    why: short(&format!("'{}' is {by}", note.surface)),
                };
                stage.nodes.push(entry.clone());
                match note.path {
                    Some(_) => self.story.seeds.push(entry),
                    None => stage.cut.push(Cut {
                        item,
                        code: "PLAN_NO_PATH",
                        margin: 0.0,
                    }),
                }
            }
        }
        self.story.stages.push(stage);
    }

    fn op_stage(&mut self, i: usize) {
        let (run, layer) = (&self.answer.run, &self.answer.layer);
        let (op, made) = (&run.ops[i], &run.sets[i]);
        let (name, kind) = match op {
            Op::Cand { .. } => ("CAND", "score"),
            Op::Match { .. } => ("MATCH", "link"),
            Op::Expand { .. } => ("EXPAND", "expand"),
            Op::Filter { .. } => ("FILTER", "filter"),
            Op::Intersect { .. } => ("INTERSECT", "intersect"),
            Op::Union { .. } => ("UNION", "mix"),
            Op::Rank { .. } => ("RANK", "score"),
            Op::Limit { .. } => ("LIMIT", "select"),
        };
        let inputs: Vec<usize> = op
            .inputs()
            .iter()
            .map(|s| run.sets[*s].members.len())
            .collect();
        let mut stage = Stage {
            name,
            kind,
            counters: vec![
                ("size", json!(made.members.len())),
                ("set", json!(i)),
                ("op", json!(short(&op.to_string()))),
            ],
            ..Stage::default()
        };
        if !inputs.is_empty() {
            stage.counters.push(("from", json!(inputs)));
        }
        if made.rung != Rung::Plan {
            stage.counters.push(("rung", json!(made.rung.name())));
        }
        let near = |object: u32| {
            made.near
                .iter()
                .find(|(o, _)| *o == object)
                .map(|(_, d)| *d)
        };
        for (place, object) in made.members.iter().enumerate().take(MOST) {
            let (value, why) = match (near(*object), made.scores.get(place)) {
                (Some(distance), _) => (1.0 - distance, format!("distance {distance:.3}")),
                (_, Some(fused)) => (
                    fused.sum(),
                    format!("words {:.3}, vector {:.3}", fused.lexical, fused.dense),
                ),
                _ => (1.0, String::new()),
            };
            let item = self.object(*object);
            stage.nodes.push(Entry { item, value, why });
        }
        if let Op::Expand {
            set,
            edge,
            direction,
            kind,
        } = op
        {
            self.followed(&mut stage, i, *set, edge, *direction, kind);
        }
        // What the operator itself removed.
        let mut removed: Vec<(u32, &'static str, f64)> = Vec::new();
        match op {
            Op::Cand { .. } => {
                let last = made
                    .near
                    .iter()
                    .filter(|(o, _)| made.members.contains(o))
                    .map(|(_, d)| *d)
                    .fold(0.0, f64::max);
                let out = made.near.iter().filter(|(o, _)| !made.members.contains(o));
                removed.extend(out.map(|(o, d)| (*o, "PLAN_FILTERED", d - last)));
                stage.counters.push(("nearest", json!(made.near.len())));
            }
            Op::Filter {
                set,
                field,
                test,
                value,
            } => {
                let condition = Condition::new(field, *test, value);
                let out = run.sets[*set]
                    .members
                    .iter()
                    .filter(|o| made.members.binary_search(o).is_err());
                removed.extend(out.map(|o| {
                    (
                        *o,
                        "PLAN_FILTERED",
                        condition.misses(layer, *o).unwrap_or(0.0),
                    )
                }));
            }
            Op::Intersect { sets } if made.rung == Rung::Plan => {
                let lacking = |o: &u32| {
                    sets.iter()
                        .filter(|s| run.sets[**s].members.binary_search(o).is_err())
                        .count()
                };
                let mut all: Vec<u32> = sets
                    .iter()
                    .flat_map(|s| run.sets[*s].members.iter().copied())
                    .collect();
                all.sort_unstable();
                all.dedup();
                let out = all
                    .iter()
                    .filter(|o| made.members.binary_search(o).is_err());
                removed.extend(out.map(|o| (*o, "PLAN_FILTERED", lacking(o) as f64)));
            }
            Op::Limit { set, k } => {
                let ranked = &run.sets[*set];
                let last = made.scores.last().map_or(0.0, |f| f.sum());
                let out = ranked.members.iter().zip(&ranked.scores).skip(*k);
                removed.extend(out.map(|(o, fused)| (*o, "CUT_BY_K", last - fused.sum())));
            }
            _ => {}
        }
        for (object, code, margin) in removed.into_iter().take(MOST) {
            let item = self.object(object);
            stage.cut.push(Cut { item, code, margin });
        }
        self.story.stages.push(stage);
    }

    fn followed(
        &mut self,
        stage: &mut Stage,
        i: usize,
        set: usize,
        edge: &str,
        direction: Direction,
        kind: &str,
    ) {
        let (run, layer) = (&self.answer.run, &self.answer.layer);
        let to = layer.schema().type_by_name(kind).unwrap_or(0);
        let kinds: Vec<usize> =
            edges(layer.schema(), &run.types[set], edge, direction, to).collect();
        let out = direction == Direction::Out;
        for from in &run.sets[set].members {
            for (other, _) in layer.arcs(*from, out).filter(|(_, e)| kinds.contains(e)) {
                if stage.edges.len() == MOST || run.sets[i].members.binary_search(&other).is_err() {
                    continue;
                }
                let (a, b) = (self.object(*from), self.object(other));
                let (from, to) = if out { (a, b) } else { (b, a) };
                stage.edges.push(schema_edge(from, to, edge));
            }
        }
    }

    fn hybrid_stage(&mut self) {
        let run = &self.answer.run;
        let mut stage = Stage {
            name: "hybrid seeds",
            kind: "seed",
            counters: vec![("size", json!(run.answers.len()))],
            ..Stage::default()
        };
        for answer in run.answers.iter().take(MOST) {
            let item = self.passage(answer.passage);
            let why = format!(
                "words {:.3}, vector {:.3}",
                answer.fused.lexical, answer.fused.dense
            );
            stage.nodes.push(Entry {
                item,
                value: answer.fused.sum(),
                why,
            });
        }
        if self.story.seeds.is_empty() {
            self.story.seeds = stage.nodes.iter().take(run.limit).cloned().collect();
        }
        self.story.stages.push(stage);
    }

    /// The expansion policy and what came of it.
    fn policy_stage(&mut self) {
        let (run, params) = (&self.answer.run, &self.answer.params);
        let policy = serde_json::to_value(params.edge_policy).unwrap_or(Value::Null);
        let mut stage = Stage {
            name: "expansion",
            kind: "expand",
            counters: vec![("policy", policy)],
            ..Stage::default()
        };
        let Some(neighbours) = &run.neighbours else {
            stage
                .counters
                .push(("expanded", json!("no: the plan follows edges")));
            self.story.stages.push(stage);
            return;
        };
        let seeds = run.limit.min(run.answers.len());
        stage.counters.extend([
            ("seeds", json!(seeds)),
            ("neighbours", json!(neighbours.len())),
        ]);
        stage
            .counters
            .push(("kept", json!(params.sage_neighbours.min(neighbours.len()))));
        let last = neighbours
            .iter()
            .take(params.sage_neighbours)
            .next_back()
            .map_or(0.0, |n| n.fused.sum());
        for (rank, neighbour) in neighbours.iter().enumerate().take(MOST) {
            let item = self.passage(neighbour.passage);
            let value = neighbour.fused.sum();
            if rank >= params.sage_neighbours {
                stage.cut.push(Cut {
                    item,
                    code: "PRUNED_BY_FUSION",
                    margin: last - value,
                });
                continue;
            }
            let why = format!(
                "words {:.3}, vector {:.3}",
                neighbour.fused.lexical, neighbour.fused.dense
            );
            stage.nodes.push(Entry { item, value, why });
            for (seed, edge, out) in &neighbour.from {
                let seed = self.passage(run.answers[*seed].passage);
                let (from, to) = if *out { (seed, item) } else { (item, seed) };
                let name = &self.answer.layer.schema().edges[*edge].name;
                if stage.edges.len() < MOST {
                    stage.edges.push(schema_edge(from, to, name));
                }
            }
        }
        self.story.stages.push(stage);
    }
}

fn schema_edge(from: usize, to: usize, name: &str) -> Edge {
    Edge {
        from,
        to,
        value: 1.0,
        kind: "schema",
        why: name.to_owned(),
    }
}
