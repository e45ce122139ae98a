//! The score of `hop`, and how it opens: eight parts that add up, each with its own evidence.

use super::layer::HopLayer;
use super::signals::{Crossing, Signal, Signals, namesakes};
use crate::index::Index;
use crate::parameters::RESULT_K;
use crate::retrieve::spread::{Share, reach, restart, shares};
use crate::retrieve::{GraphView, Hit, Ranked, Seed, Settings, Spread};
use crate::systems::Found;
use crate::systems::story::{Cut, Edge, Entry, Item, Part, Reason, Stage, Story};
use serde_json::json;
use std::sync::Arc;

/// A ranking by `hop` with all it rests on.
pub struct Answer {
    pub layer: Arc<HopLayer>,
    pub view: Arc<GraphView>,
    pub signals: Arc<Signals>,
    pub settings: Settings,
    pub fused: Arc<Ranked>,
    pub entity_seeds: Arc<Vec<Seed>>,
    pub mixed_seeds: Arc<Vec<Seed>>,
    pub entity_walk: Arc<Spread>,
    pub mixed_walk: Arc<Spread>,
    pub passages: Vec<Hit>,
}

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "hop::Answer({} candidates)",
            self.signals.candidates.len()
        )
    }
}

/// Entries of a stage, and seeds named in one sentence.
const SHOWN: usize = 40;
const NAMED: usize = 3;

impl Found for Answer {
    fn passages(&self) -> &[Hit] {
        &self.passages
    }

    fn why(&self, index: &Index, passage: u32) -> String {
        let mut parts: Vec<Part> = self.parts(index, passage);
        parts.retain(|p| p.value > 0.0);
        parts.sort_by(|a, b| b.value.total_cmp(&a.value));
        let said = parts.iter().take(NAMED).map(|p| match p.why.as_str() {
            "" => format!("{} {:.2}", p.label, p.value),
            why => format!("{} {:.2} ({why})", p.label, p.value),
        });
        said.collect::<Vec<_>>().join("; ")
    }

    fn parts(&self, index: &Index, passage: u32) -> Vec<Part> {
        let Some(values) = self.signals.of(passage) else {
            return Vec::new();
        };
        let weights = self.signals.weights(&self.settings);
        Signal::ALL
            .iter()
            .zip(values.iter().zip(weights))
            .map(|(signal, (value, weight))| Part {
                label: signal.label().into(),
                value: value * weight,
                why: if *value != 0.0 {
                    self.evidence(index, *signal, passage)
                } else {
                    String::new()
                },
            })
            .collect()
    }

    fn missing(&self, index: &Index, passage: u32) -> Vec<Reason> {
        let reason = |code, class, text| Reason {
            code,
            class,
            text,
            fix: None,
        };
        let Some(values) = self.signals.of(passage) else {
            return vec![reason(
                "NOT_A_CANDIDATE",
                "F3",
                "no signal has it among its best, so it was not scored".into(),
            )];
        };
        let k = self.settings.get(RESULT_K);
        let own: f64 = self.sum(values);
        let rank = self.passages.iter().position(|h| h.passage == passage);
        let Some(last) = self.passages.get(k - 1).or(self.passages.last()) else {
            return Vec::new();
        };
        let mut reasons = Vec::new();
        // What the last passage inside the cut has more of, signal by signal.
        let theirs = self.signals.of(last.passage).copied().unwrap_or_default();
        let mut gaps: Vec<(Signal, f64)> = Signal::ALL
            .iter()
            .zip(
                theirs
                    .iter()
                    .zip(values)
                    .zip(self.signals.weights(&self.settings)),
            )
            .map(|(s, ((theirs, own), weight))| (*s, (theirs - own) * weight))
            .filter(|g| g.1 > 0.0)
            .collect();
        gaps.sort_by(|a, b| b.1.total_cmp(&a.1));
        if let Some((signal, gap)) = gaps.first() {
            let title = match index.title(last.passage) {
                "" => index.id(last.passage),
                title => title,
            };
            reasons.push(reason(
                "SIGNAL_WEAK",
                "F5",
                format!(
                    "{} gives {:.2} less than to '{title}', the last inside the cut",
                    signal.label(),
                    gap
                ),
            ));
        }
        reasons.push(reason(
            "CUT_BY_K",
            "F6",
            format!(
                "rank {}, {:.3} below rank {k}",
                rank.map_or_else(|| "unknown".into(), |r| (r + 1).to_string()),
                f64::from(last.score) - own
            ),
        ));
        reasons
    }

    fn story(&self, index: &Index) -> Story {
        let mut story = Story {
            headline: format!(
                "{} candidates, {} crossings, {} words left over, {:.0} % single-hop",
                self.signals.candidates.len(),
                self.signals.crossings.len(),
                self.signals.left.len(),
                100.0 * self.signals.single
            ),
            ..Story::default()
        };
        for (at, signal) in Signal::ALL.iter().enumerate() {
            self.stage(index, &mut story, *signal, at);
        }
        let mut last = Stage {
            name: "weighted sum",
            kind: "select",
            counters: Signal::ALL
                .iter()
                .zip(self.signals.weights(&self.settings))
                .map(|(s, weight)| (s.label(), json!(weight)))
                .collect(),
            ..Stage::default()
        };
        let k = self.settings.get(RESULT_K);
        let margin = self.passages.get(k - 1).map_or(0.0, |h| f64::from(h.score));
        for (at, hit) in self.passages.iter().take(2 * SHOWN).enumerate() {
            let item = passage_item(index, &mut story, hit.passage);
            if at < k {
                last.nodes.push(Entry {
                    item,
                    value: f64::from(hit.score),
                    why: String::new(),
                });
            } else {
                last.cut.push(Cut {
                    item,
                    code: "CUT_BY_K",
                    margin: margin - f64::from(hit.score),
                });
            }
        }
        story.timeline = (0..=story.stages.len()).collect();
        story.stages.push(last);
        story
    }
}

fn passage_item(index: &Index, story: &mut Story, passage: u32) -> usize {
    let known = |i: &Item| i.kind == "passage" && i.passage == Some(passage);
    if let Some(at) = story.items.iter().position(known) {
        return at;
    }
    story.item(Item {
        kind: "passage",
        label: match index.title(passage) {
            "" => index.id(passage).to_owned(),
            title => title.to_owned(),
        },
        passage: Some(passage),
        text: String::new(),
    })
}

impl Answer {
    fn sum(&self, values: &[f64; 8]) -> f64 {
        let weights = self.signals.weights(&self.settings);
        values.iter().zip(weights).map(|(v, w)| v * w).sum()
    }

    /// One signal as a stage: what it says of the passages it says most of.
    fn stage(&self, index: &Index, story: &mut Story, signal: Signal, at: usize) {
        let weight = self.signals.weights(&self.settings)[at];
        let mut order: Vec<usize> = (0..self.signals.candidates.len()).collect();
        let value = |i: &usize| self.signals.values[*i][at];
        order.sort_by(|a, b| value(b).total_cmp(&value(a)).then(a.cmp(b)));
        order.retain(|i| value(i) > 0.0);
        let mut stage = Stage {
            name: signal.label(),
            kind: match signal {
                Signal::EntityWalk | Signal::MixedWalk | Signal::Bridge => "spread",
                _ => "score",
            },
            counters: vec![("weight", json!(weight)), ("passages", json!(order.len()))],
            ..Stage::default()
        };
        match signal {
            Signal::Cosine => {
                stage
                    .counters
                    .push(("corpus mean", json!(self.signals.mean)));
                stage.counters.push(("best", json!(self.signals.best)));
            }
            Signal::Residual => {
                let words = self.signals.left.iter().map(|l| l.word.as_str());
                let words: Vec<&str> = words.collect();
                stage.counters.push(("words", json!(words)));
            }
            _ => {}
        }
        for i in order.into_iter().take(SHOWN) {
            let passage = self.signals.candidates[i];
            let item = passage_item(index, story, passage);
            stage.nodes.push(Entry {
                item,
                value: self.signals.values[i][at],
                why: self.evidence(index, signal, passage),
            });
        }
        if signal == Signal::Bridge {
            for crossing in &self.signals.crossings {
                let from = passage_item(index, story, crossing.seed);
                let label = self.view.label(index, crossing.name).to_owned();
                let known = story
                    .items
                    .iter()
                    .position(|i| i.kind == "name" && i.label == label);
                let to = known.unwrap_or_else(|| {
                    story.item(Item {
                        kind: "name",
                        label,
                        passage: None,
                        text: String::new(),
                    })
                });
                stage.edges.push(Edge {
                    from,
                    to,
                    value: crossing.share * crossing.cosine,
                    kind: "mentions near the question",
                    why: self.sentence(index, crossing),
                });
            }
        }
        story.stages.push(stage);
    }

    /// What a signal's value for a passage rests on, in words.
    fn evidence(&self, index: &Index, signal: Signal, passage: u32) -> String {
        let place = |list: &Ranked| list.hits.iter().position(|h| h.passage == passage);
        let rank = |list: Option<&Arc<Ranked>>| {
            let at = list.and_then(|list| place(list));
            at.map_or(String::new(), |at| format!("rank {}", at + 1))
        };
        match signal {
            Signal::Cosine => {
                let value = self.signals.of(passage).map_or(0.0, |v| v[0]);
                let cosine = self.signals.mean + value * (self.signals.best - self.signals.mean);
                format!(
                    "{cosine:.3}; the corpus has {:.3} on average, the best {:.3}",
                    self.signals.mean, self.signals.best
                )
            }
            Signal::DenseRank => rank(self.fused.parts.get(1)),
            Signal::Bm25Rank => rank(Some(self.fused.parts.first().unwrap_or(&self.fused))),
            Signal::EntityWalk => self.owed(index, &self.entity_seeds, &self.entity_walk, passage),
            Signal::MixedWalk => self.owed(index, &self.mixed_seeds, &self.mixed_walk, passage),
            Signal::Bridge => {
                let reach = |c: &&Crossing| {
                    c.seed != passage && self.view.probability(c.name, passage) > 0.0
                };
                let carries =
                    |c: &Crossing| c.share * c.cosine * self.view.probability(c.name, passage);
                let best = self
                    .signals
                    .crossings
                    .iter()
                    .rev()
                    .filter(reach)
                    .max_by(|a, b| carries(a).total_cmp(&carries(b)));
                best.map_or(String::new(), |c| self.over(index, c))
            }
            Signal::Named => {
                let names = |c: &&Crossing| {
                    c.seed != passage && namesakes(&self.view, c.name).contains(&passage)
                };
                let value = |c: &Crossing| c.share * c.cosine;
                let best = self
                    .signals
                    .crossings
                    .iter()
                    .rev()
                    .filter(names)
                    .max_by(|a, b| value(a).total_cmp(&value(b)));
                best.map_or_else(
                    || "the question names its title".into(),
                    |c| self.over(index, c),
                )
            }
            Signal::Residual => {
                let has = |l: &&super::signals::Left| l.passages.binary_search(&passage).is_ok();
                let words = self.signals.left.iter().filter(has);
                let words: Vec<&str> = words.map(|l| l.word.as_str()).collect();
                words.join(", ")
            }
        }
    }

    fn over(&self, index: &Index, crossing: &Crossing) -> String {
        let seed = match index.title(crossing.seed) {
            "" => index.id(crossing.seed),
            title => title,
        };
        format!(
            "over {} in {seed}: \"{}\"",
            self.view.label(index, crossing.name),
            self.sentence(index, crossing)
        )
    }

    fn sentence(&self, index: &Index, crossing: &Crossing) -> String {
        let text = index.passages().full_text(crossing.seed as usize);
        let text = text.get(self.layer.span(crossing.sentence)).unwrap_or("");
        let cut: String = text.chars().take(120).collect();
        if cut.len() < text.len() {
            cut + ".."
        } else {
            cut
        }
    }

    /// Which seeds paid for a walk's score.
    fn owed(&self, index: &Index, seeds: &[Seed], walk: &Spread, passage: u32) -> String {
        let score = f64::from(walk.scores[passage as usize]);
        if score <= 0.0 {
            return String::new();
        }
        // To within a hundredth of the score: percentages are shown.
        let epsilon = (score * 0.01).max(1e-9);
        let seeds_of = restart(seeds);
        let reach = reach(&self.view, &seeds_of, &self.settings, passage, epsilon);
        let shares: Vec<Share> = shares(seeds, &reach);
        let all: f64 = shares.iter().map(|s| s.mass).sum();
        let said: Vec<String> = shares
            .iter()
            .take(NAMED)
            .map(|s| {
                let label = self.view.label(index, seeds[s.seed].node);
                format!(
                    "{:.0}% {label}",
                    100.0 * s.mass / all.max(f64::MIN_POSITIVE)
                )
            })
            .collect();
        format!("mass {score:.4}: {}", said.join(", "))
    }
}
