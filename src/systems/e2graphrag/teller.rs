//! The stages of a search as a story.

use super::layer::NO_NODE;
use super::search::{Candidate, Mode, shared, within};
use super::story::{Answer, clip, count, farther};
use crate::index::Index;
use crate::systems::{Cut, Edge, Entry, Item, Stage, Story};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use std::ops::Range;

/// Most nodes, and most edges, of one stage.
const MOST: usize = 200;
/// Rounds of the loop that lowers h, by h.
const ROUNDS: [&str; 7] = [
    "h = 0", "h = 1", "h = 2", "h = 3", "h = 4", "h = 5", "h = 6",
];

/// The story of an answer.
pub(super) fn tell(answer: &Answer, index: &Index) -> Story {
    let mut teller = Teller {
        answer,
        index,
        story: Story::default(),
        places: FxHashMap::default(),
    };
    teller.story.headline = answer.headline();
    teller.story.made_by = answer.layer.meta.made.to_string();
    teller.link();
    if !answer.run.entities.is_empty() {
        teller.pairs();
        teller.intersect();
        teller.shrink();
    }
    if answer.run.mode.global() {
        teller.tree();
    } else {
        teller.rank();
        teller.groups();
    }
    teller.story
}

/// Writes the story; every node has one place in it.
struct Teller<'a> {
    answer: &'a Answer,
    index: &'a Index,
    story: Story,
    places: FxHashMap<(u8, u32), usize>,
}

impl Teller<'_> {
    fn entity(&mut self, entity: u32) -> usize {
        let label = self.answer.name(entity).to_owned();
        let story = &mut self.story;
        *self.places.entry((0, entity)).or_insert_with(|| {
            story.item(Item {
                kind: "entity",
                label,
                ..Item::default()
            })
        })
    }

    fn node(&mut self, node: u32) -> usize {
        if let Some(&place) = self.places.get(&(1, node)) {
            return place;
        }
        let layer = &self.answer.layer;
        let chunk = layer.level(node) == 0;
        let passage = if chunk {
            Some(layer.chunk_first[node as usize])
        } else {
            None
        };
        let item = Item {
            kind: if chunk { "chunk" } else { "summary" },
            label: self.answer.label(self.index, node),
            passage,
            text: layer.node_text(self.index.passages(), node),
        };
        let place = self.story.item(item);
        self.places.insert((1, node), place);
        place
    }

    fn stage(&mut self, stage: Stage) -> usize {
        self.story.stages.push(stage);
        self.story.stages.len() - 1
    }

    /// Query entities and the vertices they are.
    fn link(&mut self) {
        let run = &self.answer.run;
        let mut stage = Stage {
            name: "query entities",
            kind: "link",
            counters: counters(&[
                ("linked", run.entities.len()),
                ("extracted", run.asked.len()),
            ]),
            ..Stage::default()
        };
        for &entity in &run.entities {
            let (chunks, counts) = self.answer.layer.chunks_with(entity);
            let occurrences: u64 = counts.iter().map(|&c| u64::from(c)).sum();
            let neighbours = self.answer.layer.graph.neighbours(entity).len();
            let why = format!(
                "{} in {}, meets {neighbours} others",
                count(occurrences, "occurrence"),
                count(chunks.len(), "chunk")
            );
            let entry = Entry {
                item: self.entity(entity),
                value: occurrences as f64,
                why,
            };
            self.story.seeds.push(Entry {
                value: 1.0,
                ..entry.clone()
            });
            stage.nodes.push(entry);
        }
        for asked in run.asked.iter().filter(|a| a.entity.is_none()) {
            let item = self.story.item(Item {
                kind: "entity",
                label: asked.name.clone(),
                ..Item::default()
            });
            stage.cut.push(Cut {
                item,
                code: "QUERY_ENTITY_NOT_LINKED",
                margin: 0.0,
            });
        }
        self.stage(stage);
    }

    /// Pairs with their distances and paths; the edges of the paths with a sentence that made each.
    fn pairs(&mut self) {
        let answer = self.answer;
        let (run, layer) = (&answer.run, &answer.layer);
        let near = within(run, self.answer.params.hops, &self.answer.params).count();
        let mut stage = Stage {
            name: "pairs",
            kind: "spread",
            counters: counters(&[
                ("within h", near),
                ("pairs", run.pairs.len()),
                ("h", self.answer.params.hops),
            ]),
            ..Stage::default()
        };
        let mut drawn = rustc_hash::FxHashSet::default();
        for pair in &run.pairs {
            let ends = format!("{} - {}", answer.asked(pair.a), answer.asked(pair.b));
            let place = self.story.item(Item {
                kind: "pair",
                label: ends,
                ..Item::default()
            });
            let Some(path) = &pair.path else {
                let distance = farther(answer, pair);
                let margin = distance.map_or(0.0, |d| (d - self.answer.params.hops.min(d)) as f64);
                stage.cut.push(Cut {
                    item: place,
                    code: "PAIR_TOO_FAR",
                    margin,
                });
                continue;
            };
            if stage.nodes.len() == MOST {
                continue;
            }
            let names: Vec<&str> = path.iter().map(|&v| answer.name(v)).collect();
            stage.nodes.push(Entry {
                item: place,
                value: (path.len() - 1) as f64,
                why: clip(&names.join(" > ")),
            });
            for edge in path.windows(2) {
                let (a, b) = (edge[0].min(edge[1]), edge[0].max(edge[1]));
                if stage.edges.len() == MOST || !drawn.insert((a, b)) {
                    continue;
                }
                if let Some((weight, sentence)) = layer.graph.edge(a, b) {
                    let why = clip(&layer.sentence(self.index.passages(), sentence));
                    let (from, to) = (self.entity(edge[0]), self.entity(edge[1]));
                    stage.edges.push(Edge {
                        from,
                        to,
                        value: f64::from(weight),
                        kind: "met",
                        why,
                    });
                }
            }
        }
        self.stage(stage);
    }

    /// Chunks that the pairs share, at the first h.
    fn intersect(&mut self) {
        let answer = self.answer;
        let run = &answer.run;
        let chunks = shared(run, answer.params.hops, &answer.params);
        let without =
            within(run, answer.params.hops, &answer.params).filter(|pair| pair.shared.is_empty());
        let mut stage = Stage {
            name: "shared chunks",
            kind: "intersect",
            counters: counters(&[("chunks", chunks.len()), ("pairs without", without.count())]),
            ..Stage::default()
        };
        for pair in
            within(run, answer.params.hops, &answer.params).filter(|pair| pair.shared.is_empty())
        {
            let label = format!("{} - {}", answer.asked(pair.a), answer.asked(pair.b));
            let item = self.story.item(Item {
                kind: "pair",
                label,
                ..Item::default()
            });
            stage.cut.push(Cut {
                item,
                code: "NO_SHARED_CHUNK",
                margin: 0.0,
            });
        }
        for chunk in chunks.into_iter().take(MOST) {
            let scored = super::search::scored(&answer.layer, run, &answer.params, chunk);
            let item = self.node(chunk);
            let why = format!(
                "coverage {}, occurrence {}",
                scored.coverage, scored.occurrence
            );
            stage.nodes.push(Entry {
                item,
                value: scored.coverage as f64,
                why,
            });
            for (place, &entity) in run.entities.iter().enumerate() {
                let n = answer.layer.occurrences(chunk, entity);
                if n > 0 && stage.edges.len() < MOST {
                    let from = self.entity(entity);
                    let why = format!("{} occurs {}", answer.asked(place), count(n, "time"));
                    stage.edges.push(Edge {
                        from,
                        to: item,
                        value: f64::from(n),
                        kind: "occurs",
                        why,
                    });
                }
            }
        }
        self.stage(stage);
    }

    /// The h loop: what each smaller h lost.
    fn shrink(&mut self) {
        let answer = self.answer;
        let (run, p) = (&answer.run, &answer.params);
        let mut before: Vec<u32> = Vec::new();
        for (round, step) in run.steps.iter().enumerate() {
            let chunks = shared(run, step.h, p);
            let mut stage = Stage {
                name: ROUNDS.get(step.h).copied().unwrap_or("h"),
                kind: "filter",
                counters: counters(&[
                    ("chunks", step.chunks),
                    ("at most", p.k),
                    ("pairs within h", step.pairs),
                    ("h", step.h),
                ]),
                ..Stage::default()
            };
            for pair in within(run, step.h, p).take(MOST) {
                let label = format!("{} - {}", answer.asked(pair.a), answer.asked(pair.b));
                let item = self.story.item(Item {
                    kind: "pair",
                    label,
                    ..Item::default()
                });
                let why = format!(
                    "{}, {}",
                    count(pair.distance().unwrap_or(0), "hop"),
                    count(pair.shared.len(), "shared chunk")
                );
                stage.nodes.push(Entry {
                    item,
                    value: pair.shared.len() as f64,
                    why,
                });
            }
            // Where the last round left nothing, what it lost is what is ranked.
            let ranked = run.mode == Mode::LocalRanked && round + 1 == run.steps.len();
            for &chunk in before
                .iter()
                .filter(|c| !ranked && chunks.binary_search(c).is_err())
                .take(MOST)
            {
                let item = self.node(chunk);
                stage.cut.push(Cut {
                    item,
                    code: "H_REDUCED",
                    margin: step.h as f64,
                });
            }
            before = chunks;
            let place = self.stage(stage);
            self.story.timeline.push(place);
        }
    }

    /// The returned chunks in their order.
    fn rank(&mut self) {
        let answer = self.answer;
        let run = &answer.run;
        let ranked = run.mode == Mode::LocalRanked;
        let mut stage = Stage {
            name: if ranked { "ranked" } else { "kept" },
            kind: "select",
            counters: vec![
                ("mode", Value::from(run.mode.name())),
                ("chunks", Value::from(run.chunks.len())),
                ("beyond k", Value::from(run.beyond.len())),
                ("h", Value::from(run.h)),
            ],
            ..Stage::default()
        };
        for chunk in run.chunks.iter().take(MOST) {
            let why = clip(&format!(
                "coverage {}, occurrence {}, key {}",
                chunk.coverage,
                chunk.occurrence,
                answer.key(&chunk.key)
            ));
            let value = if ranked {
                super::search::rank_score(chunk)
            } else {
                chunk.key.len() as f64
            };
            stage.nodes.push(Entry {
                item: self.node(chunk.chunk),
                value,
                why,
            });
        }
        for (beyond, chunk) in run.beyond.iter().enumerate().take(MOST) {
            let item = self.node(chunk.chunk);
            stage.cut.push(Cut {
                item,
                code: "CUT_BY_K",
                margin: (beyond + 1) as f64,
            });
        }
        self.stage(stage);
    }

    /// Groups of equal keys with their merged texts.
    fn groups(&mut self) {
        let answer = self.answer;
        let run = &answer.run;
        let runs: usize = run.groups.iter().map(|g| g.runs.len()).sum();
        let mut stage = Stage {
            name: "groups",
            kind: "pack",
            counters: counters(&[
                ("groups", run.groups.len()),
                ("texts", runs),
                ("merged", run.chunks.len() - runs),
            ]),
            ..Stage::default()
        };
        for group in run.groups.iter().take(MOST) {
            let text = |run: &Range<u32>| answer.layer.text(self.index.passages(), run.clone());
            let text = group
                .runs
                .iter()
                .map(text)
                .collect::<Vec<String>>()
                .join("\n\n");
            let item = self.story.item(Item {
                kind: "group",
                label: answer.key(&group.key),
                passage: None,
                text,
            });
            let chunks: usize = group.runs.iter().map(Range::len).sum();
            let why = format!(
                "{} in {}",
                count(chunks, "chunk"),
                count(group.runs.len(), "text")
            );
            stage.nodes.push(Entry {
                item,
                value: group.key.len() as f64,
                why,
            });
            for chunk in group.runs.iter().flat_map(Clone::clone) {
                if stage.edges.len() < MOST {
                    let to = self.node(chunk);
                    stage.edges.push(Edge {
                        from: item,
                        to,
                        value: 1.0,
                        kind: "member",
                        why: String::new(),
                    });
                }
            }
        }
        self.stage(stage);
    }

    /// A global answer: the nearest nodes, their occurrences, the returned ones.
    fn tree(&mut self) {
        let answer = self.answer;
        let (run, layer) = (&answer.run, &answer.layer);
        let nodes = |c: &Candidate| {
            format!(
                "level {}, {}",
                layer.level(c.node),
                count(layer.leaves(c.node).len(), "chunk")
            )
        };
        let mut near = Stage {
            name: "tree",
            kind: "score",
            counters: counters(&[
                ("candidates", run.candidates.len()),
                ("nodes", layer.nodes()),
                ("k", answer.params.k),
            ]),
            ..Stage::default()
        };
        for candidate in run.candidates.iter().take(MOST) {
            let item = self.node(candidate.node);
            near.nodes.push(Entry {
                item,
                value: f64::from(candidate.cosine),
                why: nodes(candidate),
            });
        }
        // Edges between candidates: a summary over its parts.
        for candidate in run.candidates.iter().take(MOST) {
            let parent = layer.parent[candidate.node as usize];
            if parent != NO_NODE
                && near.edges.len() < MOST
                && run.candidates.iter().take(MOST).any(|c| c.node == parent)
            {
                let (from, to) = (self.node(parent), self.node(candidate.node));
                near.edges.push(Edge {
                    from,
                    to,
                    value: 1.0,
                    kind: "child",
                    why: String::new(),
                });
            }
        }
        let place = self.stage(near);
        self.story.timeline.push(place);
        let counted = run.counted();
        let mut kept = Stage {
            name: if run.mode == Mode::GlobalOcc {
                "occurrence"
            } else {
                "nearest"
            },
            kind: "select",
            counters: vec![
                ("mode", Value::from(run.mode.name())),
                ("nodes", json!(run.kept.len())),
                ("by", json!(if counted { "occurrence" } else { "cosine" })),
            ],
            ..Stage::default()
        };
        for (rank, &at) in run.kept.iter().enumerate().take(MOST) {
            let candidate = &run.candidates[at];
            let item = self.node(candidate.node);
            let value = if counted {
                candidate.occurrence as f64
            } else {
                f64::from(candidate.cosine)
            };
            let why = format!(
                "rank {}; occurrence {}, cosine {:.3} (rank {})",
                rank + 1,
                candidate.occurrence,
                candidate.cosine,
                at + 1
            );
            kept.nodes.push(Entry { item, value, why });
        }
        for (at, candidate) in run
            .candidates
            .iter()
            .enumerate()
            .take(MOST)
            .filter(|(at, _)| !run.kept.contains(at))
        {
            let zero = counted && candidate.occurrence == 0;
            let item = self.node(candidate.node);
            let code = if zero { "OCC_ZERO" } else { "CUT_BY_K" };
            let margin = if zero {
                0.0
            } else {
                (at + 1) as f64 - answer.params.k as f64
            };
            kept.cut.push(Cut { item, code, margin });
        }
        let place = self.stage(kept);
        self.story.timeline.push(place);
    }
}

fn counters(list: &[(&'static str, usize)]) -> Vec<(&'static str, Value)> {
    list.iter()
        .map(|&(name, n)| (name, Value::from(n)))
        .collect()
}
