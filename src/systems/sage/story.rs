//! What a search of the chunk graph did, stage by stage, and why a passage is where it is.

use super::layer::{Sage, Via};
use super::missing::missing;
use super::pairs::{EdgeLogic, Kind};
use super::record::{Record, short};
use super::search::{Entered, Neighbour, Params, Run, SageSeeding, Scored, search};
use crate::index::Index;
use crate::retrieve::Hit;
use crate::systems::{Cut, Edge, Entry, Found, Item, Part, Reason, Stage, Story};
use rustc_hash::FxHashMap;
use serde_json::json;
use std::sync::Arc;

/// Nodes and edges told of a stage.
const TOLD: usize = 200;
/// Ranks told beyond the seeds.
const BEYOND: usize = 10;
/// Candidate pairs told that fell below the thresholds.
const BELOW: usize = 20;

/// A search's result with what it was asked and what it ran over.
pub struct Answer {
    pub layer: Arc<Sage>,
    pub params: Params,
    pub run: Run,
    pub question: String,
    /// The question's vector.
    pub vector: Vec<f32>,
    /// K.
    pub result_k: usize,
}

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answer")
            .field("question", &self.question)
            .field("params", &self.params)
            .field("passages", &self.run.passages)
            .finish_non_exhaustive()
    }
}

impl Found for Answer {
    fn passages(&self) -> &[Hit] {
        &self.run.passages
    }

    fn story(&self, index: &Index) -> Story {
        Teller {
            answer: self,
            index,
            story: Story::default(),
            places: FxHashMap::default(),
        }
        .tell()
    }

    fn why(&self, index: &Index, passage: u32) -> String {
        let Some(at) = self
            .run
            .passages
            .iter()
            .position(|hit| hit.passage == passage)
        else {
            return "it is not among what was found".into();
        };
        let said = match self.run.entered[at] {
            Entered::Seed(at) => {
                let seed = &self.run.seeds[at];
                let name = if self.run.flat { "rank" } else { "seed" };
                format!("{name} {}: {}", at + 1, self.scores(seed))
            }
            Entered::Neighbour(at) => {
                let near = &self.run.neighbours[at];
                let (seed, record) = self.best_way(index, near);
                let label = short(&self.layer.label(index, self.run.seeds[seed].unit), 40);
                let rank = format!("{} of {} neighbours", at + 1, self.run.neighbours.len());
                format!(
                    "neighbour of {label} ({}); {rank}, fused {:.3}",
                    record.evidence(),
                    near.scored.fused
                )
            }
        };
        short(&said, 160)
    }

    fn parts(&self, _: &Index, passage: u32) -> Vec<Part> {
        let Some(at) = self
            .run
            .passages
            .iter()
            .position(|hit| hit.passage == passage)
        else {
            return Vec::new();
        };
        let (scored, best, before) = match self.run.entered[at] {
            Entered::Seed(at) => (
                self.run.seeds[at],
                self.run.best_bm25,
                Run::before(&self.params),
            ),
            Entered::Neighbour(at) => (self.run.neighbours[at].scored, self.run.best_near, 0.0),
        };
        let dense = self.params.fuse_dense * scored.dense;
        let mut parts = vec![
            Part {
                label: "BM25".into(),
                value: scored.fused - dense,
                why: format!(
                    "weight {} * BM25 {:.3} / best {best:.3}",
                    self.params.fuse_lexical, scored.bm25
                ),
                ..Part::default()
            },
            Part {
                label: "dense".into(),
                value: dense,
                why: format!(
                    "weight {} * nearness {:.3}",
                    self.params.fuse_dense, scored.dense
                ),
                ..Part::default()
            },
        ];
        if before > 0.0 {
            let why = "seeds come before their neighbours".into();
            parts.push(Part {
                label: "seed".into(),
                value: before,
                why,
                ..Part::default()
            });
        }
        parts
    }

    fn missing(&self, index: &Index, passage: u32) -> Vec<Reason> {
        missing(self, index, passage)
    }
}

impl Answer {
    /// The same question with other parameters.
    pub fn again(&self, index: &Index, params: &Params) -> Option<Run> {
        let vector = Some(&self.vector[..]);
        search(
            &self.layer,
            index,
            &self.question,
            vector,
            params,
            self.run.flat,
            &mut |_| {},
        )
        .ok()
    }

    fn scores(&self, scored: &Scored) -> String {
        format!(
            "fused {:.3} (BM25 {:.2}, dense {:.3})",
            scored.fused, scored.bm25, scored.dense
        )
    }

    /// The first seed that proposes a neighbour, and the record of their edge.
    pub(super) fn best_way(&self, index: &Index, near: &Neighbour) -> (usize, Record) {
        let seed = self.run.ways[near.ways.start].seed;
        let unit = self.run.seeds[seed].unit;
        (
            seed,
            Record::new(&self.layer, index, &self.run.bars, unit, near.scored.unit),
        )
    }
}

struct Teller<'a> {
    answer: &'a Answer,
    index: &'a Index,
    story: Story,
    /// Places of units among the items.
    places: FxHashMap<u32, usize>,
}

impl Teller<'_> {
    fn tell(mut self) -> Story {
        let run = &self.answer.run;
        self.story.headline = self.headline();
        self.story.made_by = self.answer.layer.meta.made.to_string();
        let seeds: Vec<Entry> = run.seeds.iter().map(|seed| self.scored(seed)).collect();
        self.story.seeds = seeds;
        let mut stages = vec![self.score(), self.seed()];
        if !run.flat {
            stages.push(self.expand());
            stages.push(self.prune());
            self.story.timeline = vec![1, 2, 3];
        }
        stages.push(self.select());
        self.story.stages = stages;
        self.story
    }

    fn headline(&self) -> String {
        let (run, p) = (&self.answer.run, &self.answer.params);
        if run.flat {
            let total = run.seeds.len();
            return format!(
                "flat: the best {total} of {} units by fused score, no graph",
                self.answer.layer.len()
            );
        }
        let logic = if p.edges.logic == EdgeLogic::Or {
            "any"
        } else {
            "every"
        };
        let names = if p.edges.entity_edges {
            " or a shared name"
        } else {
            ""
        };
        format!(
            "{} seeds, {} neighbours, {} kept; edges: {logic} metric above percentile {}{names}{}",
            run.seeds.len(),
            run.neighbours.len(),
            run.kept,
            p.edges.percentile,
            if p.structural {
                ", same or linked source"
            } else {
                ""
            },
        )
    }

    fn item(&mut self, unit: u32) -> usize {
        if let Some(&place) = self.places.get(&unit) {
            return place;
        }
        let layer = &self.answer.layer;
        let place = self.story.item(Item {
            kind: if layer.table_of(unit).is_some() {
                "segment"
            } else {
                "chunk"
            },
            label: layer.label(self.index, unit),
            passage: Some(layer.passage[unit as usize]),
            text: layer.content(self.index, unit).into_owned(),
        });
        self.places.insert(unit, place);
        place
    }

    fn scored(&mut self, scored: &Scored) -> Entry {
        Entry {
            item: self.item(scored.unit),
            value: scored.fused,
            why: format!("BM25 {:.2}, dense {:.3}", scored.bm25, scored.dense),
        }
    }

    fn score(&mut self) -> Stage {
        let (run, p) = (&self.answer.run, &self.answer.params);
        let most = run.seeds.len() + BEYOND;
        let mut all: Vec<Scored> = (0..self.answer.layer.len() as u32)
            .map(|unit| run.scored(p, unit))
            .collect();
        all.sort_unstable_by(|a, b| b.fused.total_cmp(&a.fused).then(a.unit.cmp(&b.unit)));
        all.truncate(most.min(TOLD));
        let words = run
            .words
            .iter()
            .filter(|w| w.df > 0)
            .map(|w| json!({"word": w.word, "df": w.df, "idf": w.idf}));
        Stage {
            name: "score",
            kind: "score",
            counters: vec![
                ("matched", json!(run.matched)),
                ("units", json!(self.answer.layer.len())),
                ("best BM25", json!(run.best_bm25)),
                ("fuse_lexical", json!(p.fuse_lexical)),
                ("fuse_dense", json!(p.fuse_dense)),
                ("words", words.collect()),
            ],
            nodes: all.iter().map(|s| self.scored(s)).collect(),
            ..Stage::default()
        }
    }

    fn seed(&mut self) -> Stage {
        let (run, p) = (&self.answer.run, &self.answer.params);
        let rule = if p.seeding == SageSeeding::Cutoff && !run.flat {
            "cutoff"
        } else {
            "fused"
        };
        let last = run.seeds.last().map_or(0.0, |s| s.fused);
        Stage {
            name: "seed",
            kind: "seed",
            counters: vec![
                ("seeds", json!(run.seeds.len())),
                ("rule", json!(rule)),
                ("last fused", json!(last)),
            ],
            nodes: run.seeds.iter().map(|s| self.scored(s)).collect(),
            ..Stage::default()
        }
    }

    fn expand(&mut self) -> Stage {
        let answer = self.answer;
        let (run, layer) = (&answer.run, &answer.layer);
        let mut ways = [0usize; 5];
        for way in &run.ways {
            let at = match way.via {
                Via::Pair(kind, _) => kind as usize,
                Via::Source => 3,
                Via::Link => 4,
            };
            ways[at] += 1;
        }
        let thresholds = Kind::ALL.map(|kind| {
            let bars = kind.metrics().iter().zip(run.bars.bars[kind as usize]);
            let bars: serde_json::Map<_, _> = bars
                .filter(|b| b.1.is_finite())
                .map(|(name, bar)| ((*name).into(), json!(bar)))
                .collect();
            (kind.label(), bars)
        });
        let thresholds: serde_json::Map<_, _> = thresholds
            .into_iter()
            .filter(|t| !t.1.is_empty())
            .map(|(kind, bars)| (kind.into(), bars.into()))
            .collect();
        let mut stage = Stage {
            name: "expand",
            kind: "expand",
            counters: vec![
                ("neighbours", json!(run.neighbours.len())),
                (Kind::ALL[0].label(), json!(ways[0])),
                (Kind::ALL[1].label(), json!(ways[1])),
                (Kind::ALL[2].label(), json!(ways[2])),
                ("same source", json!(ways[3])),
                ("linked", json!(ways[4])),
                ("percentile", json!(answer.params.edges.percentile)),
                ("thresholds", thresholds.into()),
            ],
            ..Stage::default()
        };
        for near in run.neighbours.iter().take(TOLD) {
            let mut seeds: Vec<usize> =
                run.ways[near.ways.clone()].iter().map(|w| w.seed).collect();
            seeds.dedup();
            let item = self.item(near.scored.unit);
            let places: Vec<String> = seeds.iter().map(|s| (s + 1).to_string()).collect();
            stage.nodes.push(Entry {
                item,
                value: seeds.len() as f64,
                why: short(&format!("proposed by seeds {}", places.join(", ")), 160),
            });
            for seed in seeds {
                if stage.edges.len() == TOLD {
                    break;
                }
                let unit = run.seeds[seed].unit;
                let record = Record::new(layer, self.index, &run.bars, unit, near.scored.unit);
                let strongest = record.nearest().map_or(1.0, |m| f64::from(m.value));
                stage.edges.push(Edge {
                    from: self.item(unit),
                    to: item,
                    value: strongest,
                    kind: match (record.similar, record.named, record.linked) {
                        (true, _, _) => record.kind.label(),
                        (_, true, _) => "names",
                        (_, _, true) => "link",
                        _ => "source",
                    },
                    why: record.evidence(),
                });
            }
        }
        stage.cut = self.below();
        stage
    }

    /// Candidate pairs of seeds that fell just below the thresholds, nearest first.
    fn below(&mut self) -> Vec<Cut> {
        let answer = self.answer;
        let (run, layer) = (&answer.run, &answer.layer);
        let rule = &answer.params.edges;
        let mut best: FxHashMap<u32, f64> = FxHashMap::default();
        for seed in &run.seeds {
            for (kind, pairs) in layer.pairs.iter().enumerate() {
                for (pair, other) in pairs.of(seed.unit) {
                    if !layer.passed(kind, pair, &run.bars).edge() {
                        let needed = best.entry(other).or_insert(0.0);
                        *needed = needed.max(pairs.needed(pair, rule.logic));
                    }
                }
            }
        }
        run.neighbours.iter().for_each(|n| {
            best.remove(&n.scored.unit);
        });
        run.seeds.iter().for_each(|s| {
            best.remove(&s.unit);
        });
        let mut cut: Vec<(u32, f64)> = best.into_iter().collect();
        cut.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        cut.truncate(BELOW);
        let margin = |needed: f64| rule.percentile - needed;
        cut.into_iter()
            .map(|(unit, needed)| Cut {
                item: self.item(unit),
                code: "PERCENTILE_PRUNED",
                margin: margin(needed),
            })
            .collect()
    }

    fn prune(&mut self) -> Stage {
        let run = &self.answer.run;
        let (kept, dropped) = run.neighbours.split_at(run.kept);
        let last = kept.last().map_or(0.0, |n| n.scored.fused);
        Stage {
            name: "prune",
            kind: "filter",
            counters: vec![
                ("kept", json!(kept.len())),
                ("of", json!(run.neighbours.len())),
                ("best BM25 among them", json!(run.best_near)),
                ("last fused", json!(last)),
            ],
            nodes: kept
                .iter()
                .take(TOLD)
                .map(|n| self.scored(&n.scored))
                .collect(),
            edges: Vec::new(),
            cut: (dropped.iter().take(TOLD))
                .map(|n| Cut {
                    item: self.item(n.scored.unit),
                    code: "PRUNED_BY_FUSION",
                    margin: last - n.scored.fused,
                })
                .collect(),
            ..Stage::default()
        }
    }

    fn select(&mut self) -> Stage {
        let run = &self.answer.run;
        let units = run.seeds.len() + run.kept;
        let mut nodes = Vec::new();
        for (hit, entered) in run.passages.iter().zip(&run.entered).take(TOLD) {
            let (unit, how) = match entered {
                Entered::Seed(at) => (run.seeds[*at].unit, format!("seed {}", at + 1)),
                Entered::Neighbour(at) => (
                    run.neighbours[*at].scored.unit,
                    format!("neighbour {}", at + 1),
                ),
            };
            nodes.push(Entry {
                item: self.item(unit),
                value: f64::from(hit.score),
                why: how,
            });
        }
        Stage {
            name: "select",
            kind: "select",
            counters: vec![
                ("passages", json!(run.passages.len())),
                ("units", json!(units)),
                ("K", json!(self.answer.result_k)),
            ],
            nodes,
            ..Stage::default()
        }
    }
}
