//! The record of one retrieval: every stage with its quantities (`hopscope trace --json`).

use super::attribution::{Attribution, attribution};
use super::reasons::{Reason, not_in_index, why_here, why_not};
use super::words::{Contribution, terms, words};
use crate::corpus::Question;
use crate::index::Index;
use crate::parameters::{ALPHA, FALLBACK, MIX, Parameter as P, RESULT_K, WALK, Walk};
use crate::retrieve::retrieval::{Ledger, Node, Parity};
use crate::retrieve::{
    Edited, GraphView, Link, Mixed, QueryName, Ranked, Retrieval, Seed, SeedReason, Settings,
    Spread, StageTime,
};
use rustc_hash::FxHashSet;
use serde::Serialize;
use serde_json::{Value, json};

/// Nodes and arcs kept of each step, besides every seed and every gold passage.
const KEPT_NODES: usize = 200;
const KEPT_ARCS: usize = 50;

#[derive(Debug, Serialize)]
pub struct Trace {
    pub method: String,
    pub preset: Option<String>,
    /// Identifier, value and origin of every parameter in use.
    pub parameters: Vec<Value>,
    pub index: Value,
    pub question: String,
    /// Changes of the seeds that the person asked for, and whether each had something to change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seed_edits: Vec<Edited>,
    /// One line of a system with a graph of its own: the mode and why, the plan, the budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headline: Option<String>,
    /// Who made how much of its layer, where a language model was asked.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub made_by: String,
    /// What the numbers of items in the stages stand for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<crate::systems::Item>,
    pub stages: Vec<Stage>,
    pub ranking: Vec<Value>,
    /// Where the mass is at the end; null for flat methods.
    pub ledger: Option<Ledger>,
    /// For each known gold passage outside top K, and each gold item outside the corpus: why.
    pub missing: Vec<Value>,
}

/// One named step.
#[derive(Debug, Serialize)]
pub struct Stage {
    pub name: &'static str,
    /// link, score, seed, mix, spread or select.
    pub kind: &'static str,
    pub seconds: f64,
    pub counters: Value,
    pub nodes: Vec<Value>,
    pub edges: Vec<Value>,
    /// What the stage removed, and by which margin.
    pub cut: Vec<Value>,
}

/// Puts the record of a retrieval together. `times` come from the recorder that watched it; `question` adds gold.
pub fn trace(
    index: &Index,
    retrieval: &Retrieval,
    times: &[StageTime],
    question: Option<&Question>,
) -> Trace {
    let context = Context {
        index,
        retrieval,
        times,
    };
    let mut stages = Vec::new();
    let story = retrieval.found.as_ref().map(|found| found.story(index));
    for stage in story.iter().flat_map(|story| &story.stages) {
        stages.push(context.told(stage));
    }
    if let Some(view) = retrieval.view.as_deref() {
        stages.push(context.link(view));
    }
    if retrieval
        .ranked
        .as_deref()
        .is_some_and(|r| !r.words.is_empty())
    {
        stages.push(context.words());
    }
    if retrieval.ranked.is_some() {
        stages.extend(context.ranked());
    }
    stages.extend(context.reranked());
    if let (Some(view), Some(spread)) = (retrieval.view.as_deref(), retrieval.spread.as_deref()) {
        stages.push(context.seeds(view));
        if let Some(mixed) = retrieval.mixed {
            stages.push(context.mixed(mixed));
        }
        stages.push(context.spread(view, spread, question));
    }
    stages.push(context.select());
    Trace {
        method: retrieval.settings.method().name.to_string(),
        preset: retrieval.settings.preset().map(|p| p.name.to_string()),
        parameters: parameters(&retrieval.settings),
        index: json!({"name": index.name(), "fingerprint": index.fingerprint(), "passages": index.len(),
                      "entities": index.entities(), "edges": index.edges()}),
        question: retrieval.question.clone(),
        seed_edits: retrieval.edits.to_vec(),
        headline: story.as_ref().map(|s| s.headline.clone()),
        made_by: story
            .as_ref()
            .map_or_else(String::new, |s| s.made_by.clone()),
        items: story.map_or_else(Vec::new, |s| s.items),
        stages,
        ranking: retrieval
            .top()
            .iter()
            .map(|hit| explained(index, retrieval, hit.passage))
            .collect(),
        ledger: retrieval
            .spread
            .as_deref()
            .and_then(|s| s.ledgers.last().copied()),
        missing: question.map_or(Vec::new(), |q| context.missing(q)),
    }
}

fn parameters(settings: &Settings) -> Vec<Value> {
    let one = |p: &P| json!({"id": p.id(), "value": p.json(settings.value(*p)), "origin": settings.origin(*p)});
    settings.method().uses().iter().map(one).collect()
}

struct Context<'a> {
    index: &'a Index,
    retrieval: &'a Retrieval,
    times: &'a [StageTime],
}

impl Context<'_> {
    fn stage(&self, name: &'static str, kind: &'static str, timed: &str) -> Stage {
        let seconds = self
            .times
            .iter()
            .filter(|t| t.name == timed)
            // The sum of nothing would be minus zero.
            .fold(0.0, |sum, t| sum + t.seconds);
        Stage {
            name,
            kind,
            seconds,
            counters: json!({}),
            nodes: vec![],
            edges: vec![],
            cut: vec![],
        }
    }

    /// A stage of a system's story.
    fn told(&self, told: &crate::systems::Stage) -> Stage {
        Stage {
            counters: told
                .counters
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            nodes: told.nodes.iter().map(|n| json!(n)).collect(),
            edges: told.edges.iter().map(|e| json!(e)).collect(),
            cut: told.cut.iter().map(|c| json!(c)).collect(),
            ..self.stage(told.name, told.kind, told.name)
        }
    }

    fn link(&self, view: &GraphView) -> Stage {
        let mut stage = self.stage("question entities", "link", "link");
        let names = &self.retrieval.names;
        let linked = names
            .iter()
            .filter(|n| matches!(n.link, Link::Linked { .. }))
            .count();
        stage.counters =
            json!({"extracted": names.len(), "linked": linked, "masked_entities": view.masked});
        for name in names {
            let entry = self.name(view, name);
            if matches!(name.link, Link::Linked { .. } | Link::Repeated { .. }) {
                stage.nodes.push(entry);
            } else {
                stage.cut.push(entry);
            }
        }
        stage
    }

    fn name(&self, view: &GraphView, name: &QueryName) -> Value {
        let node = match name.link {
            Link::Linked { node } | Link::Repeated { node } | Link::Masked { node, .. } => {
                Some(node)
            }
            Link::NotFound | Link::Ambiguous => None,
        };
        let df = node.and_then(|n| view.entity(n)).map(|e| view.graph.df(e));
        json!({"surface": name.surface, "start": name.start, "end": name.end, "form": name.form,
               "aliased": name.aliased, "link": name.link, "label": node.map(|n| view.label(self.index, n)), "df": df})
    }

    fn words(&self) -> Stage {
        let mut stage = self.stage("question words", "score", "");
        let best = self
            .retrieval
            .ranked
            .as_deref()
            .and_then(|r| r.hits.first());
        let words = words(self.index, self.retrieval, best.map_or(0, |h| h.passage));
        stage.counters =
            json!({"words": words.len(), "unknown": words.iter().filter(|w| w.df == 0).count()});
        stage.nodes = words
            .iter()
            .map(|w| json!({"word": w.word, "df": w.df, "idf": w.idf}))
            .collect();
        stage
    }

    /// The first pass, the expansion and the second pass, as far as the method has them.
    fn ranked(&self) -> Vec<Stage> {
        let Some(ranked) = self.retrieval.ranked.as_deref() else {
            return Vec::new();
        };
        let mut stages = Vec::new();
        if ranked.words.is_empty() {
            for (part, name) in
                ranked
                    .parts
                    .iter()
                    .zip(["list A: words", "list B: vectors", "list C: uncut words"])
            {
                stages.push(self.list(name, part.ranker.stage(), part));
            }
            let name = if ranked.parts.is_empty() {
                "nearest vectors"
            } else {
                "fused list"
            };
            stages.push(self.list(name, ranked.ranker.stage(), ranked));
            return stages;
        }
        if let Some(before) = ranked.parts.first() {
            stages.push(self.list("first pass", "score", before));
            let mut stage = self.stage("expansion", "expand", "expand");
            stage.counters = json!({"added": ranked.expansion.len(), "words": ranked.words.len()});
            for e in &ranked.expansion {
                stage.nodes.push(
                    json!({"name": e.name, "weight": e.weight, "from": self.index.id(e.from)}),
                );
            }
            stages.push(stage);
        }
        let name = if !ranked.parts.is_empty() {
            "second pass"
        } else {
            "ranking of words"
        };
        let mut stage = self.list(
            name,
            if !ranked.parts.is_empty() {
                "expand"
            } else {
                "score"
            },
            ranked,
        );
        for hit in ranked
            .hits
            .iter()
            .take(self.retrieval.settings.get(RESULT_K))
        {
            for Contribution {
                word, tf, score, ..
            } in words(self.index, self.retrieval, hit.passage)
            {
                if tf > 0 {
                    let id = self.index.id(hit.passage);
                    stage
                        .edges
                        .push(json!({"word": word, "passage": id, "tf": tf, "score": score}));
                }
            }
        }
        stages.push(stage);
        stages
    }

    fn list(&self, name: &'static str, timed: &str, ranked: &Ranked) -> Stage {
        let mut stage = self.stage(name, "score", timed);
        stage.counters = json!({"matched": ranked.matched, "kept": ranked.hits.len()});
        if let (Some(counters), Value::Object(search)) =
            (stage.counters.as_object_mut(), json!(ranked.search))
        {
            counters.extend(search);
        }
        for (at, hit) in ranked.hits.iter().enumerate() {
            stage.nodes.push(
                json!({"passage": self.index.id(hit.passage), "rank": at + 1, "score": hit.score}),
            );
        }
        stage
    }

    /// What scored the candidates again, and the rank each had before.
    fn reranked(&self) -> Option<Stage> {
        let by = self.retrieval.reranked.as_ref()?;
        let before = self.retrieval.fused.first()?;
        let mut stage = self.stage("re-ranked", "select", "rerank");
        stage.counters = json!({"by": by.name, "model": by.model, "candidates": by.candidates});
        let passages = self.retrieval.passages.iter().take(by.candidates);
        for (at, hit) in passages.enumerate() {
            let was = before.hits.iter().position(|h| h.passage == hit.passage);
            stage.nodes.push(
                json!({"passage": self.index.id(hit.passage), "rank": at + 1, "score": hit.score, "before": was.map(|w| w + 1)}),
            );
        }
        Some(stage)
    }

    fn seeds(&self, view: &GraphView) -> Stage {
        let mut stage = self.stage("seeds", "seed", "seed");
        let seeds = &self.retrieval.seeds;
        stage.counters = json!({"seeds": seeds.len(), "fallback": self.retrieval.fallback});
        stage.nodes = seeds
            .iter()
            .take(KEPT_NODES)
            .map(|s| seed_json(self.index, self.retrieval, view, s))
            .collect();
        stage
    }

    fn mixed(&self, mixed: Mixed) -> Stage {
        let mut stage = self.stage("mix", "mix", "");
        let rule = self.retrieval.settings.get(MIX);
        stage.counters = json!({"rule": rule, "entity_mass": mixed.entity_mass, "passage_mass": mixed.passage_mass,
                                "a": mixed.a});
        stage
    }

    fn spread(&self, view: &GraphView, spread: &Spread, question: Option<&Question>) -> Stage {
        let mut stage = self.stage("walk", "spread", "spread");
        let settings = &self.retrieval.settings;
        let power = settings.get(WALK) == Walk::Power;
        let Parity {
            entity_seeds,
            passage_seeds,
        } = spread.parity;
        stage.counters = json!({
            "walk": settings.get(WALK), "work": spread.work, "capped": spread.capped,
            "largest_residual": spread.largest_residual, "nodes": view.nodes(), "arcs": view.transition.arcs(),
            "parity": {"entity_seeds": entity_seeds, "passage_seeds": passage_seeds},
        });
        let always: FxHashSet<Node> = self
            .retrieval
            .seeds
            .iter()
            .take(KEPT_NODES)
            .map(|s| s.node)
            .chain(
                question
                    .iter()
                    .flat_map(|q| q.gold.iter().map(|g| g.passage)),
            )
            .collect();
        let mut reached = vec![false; view.nodes()];
        for (step, (state, ledger)) in spread.states.iter().zip(&spread.ledgers).enumerate() {
            let mut first = 0;
            for (seen, score) in reached.iter_mut().zip(state) {
                first +=
                    usize::from(*score > 0.0 && !std::mem::replace(seen, *seen || *score > 0.0));
            }
            let kept = heaviest(state, &always);
            let nodes: Vec<Value> = kept
                .iter()
                .map(|&n| json!({"node": n, "kind": kind(view, n), "label": view.label(self.index, n), "score": state[n as usize]}))
                .collect();
            stage.nodes.push(json!({"step": step, "ledger": ledger, "total": ledger.total(), "first_reached": first, "nodes": nodes}));
            if power && step > 0 {
                let before = &spread.states[step - 1];
                stage.edges.extend(self.flows(view, before, step));
            }
        }
        stage
    }

    /// The heaviest arcs of a step: (1-alpha) r_{t-1}(u) P[u,v].
    fn flows(&self, view: &GraphView, before: &[f32], step: usize) -> Vec<Value> {
        let keep = 1.0 - self.retrieval.settings.get(ALPHA);
        let mut arcs = Vec::new();
        for &u in heaviest(before, &FxHashSet::default()).iter() {
            for (v, _) in view.neighbours(u) {
                let flow = keep * f64::from(before[u as usize]) * view.probability(u, v);
                arcs.push((flow, u, v));
            }
        }
        arcs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        arcs.truncate(KEPT_ARCS);
        arcs.into_iter()
            .filter(|a| a.0 > 0.0)
            .map(|(flow, u, v)| json!({"step": step, "from": u, "to": v, "flow": flow}))
            .collect()
    }

    fn select(&self) -> Stage {
        let mut stage = self.stage("select", "select", "select");
        let k = self.retrieval.settings.get(RESULT_K);
        let passages = &self.retrieval.passages;
        stage.counters = json!({"returned": passages.len().min(k), "kept": passages.len()});
        let margin = passages.get(k.saturating_sub(1)).map_or(0.0, |h| h.score);
        for (at, hit) in passages.iter().enumerate() {
            let id = self.index.id(hit.passage);
            let entry = json!({"passage": id, "rank": at + 1, "score": hit.score});
            if at < k {
                stage.nodes.push(entry);
            } else {
                stage.cut.push(json!({"passage": id, "rank": at + 1, "score": hit.score, "code": "CUT_BY_K", "margin": margin - hit.score}));
            }
        }
        stage
    }

    fn missing(&self, question: &Question) -> Vec<Value> {
        let mut found = Vec::new();
        for named in &question.missing {
            found.push(json!({"gold": named, "reasons": [not_in_index(self.index, named)]}));
        }
        for gold in &question.gold {
            let reasons: Vec<Reason> = why_not(self.index, self.retrieval, gold.passage);
            if !reasons.is_empty() {
                found.push(json!({"gold": self.index.id(gold.passage), "reasons": reasons}));
            }
        }
        found
    }
}

/// A passage with its place, and its score opened into what adds up to it. Rank and score are null where it has none.
pub fn explained(index: &Index, retrieval: &Retrieval, passage: u32) -> Value {
    let place = retrieval.place(passage);
    let mut entry = json!({"rank": place.map(|p| p.0), "id": index.id(passage), "title": index.title(passage),
                           "score": place.map(|p| p.1), "why": why_here(index, retrieval, passage)});
    if let (Some(view), Some(opened)) = (retrieval.view.as_deref(), attribution(retrieval, passage))
    {
        entry["attribution"] = opened_json(index, retrieval, view, &opened);
    }
    if let Some(found) = &retrieval.found {
        entry["parts"] = json!(found.parts(index, passage));
    }
    if retrieval.settings.method().ranker.is_some() {
        entry["words"] = json!(terms(index, retrieval, passage));
    }
    entry
}

pub fn kind(view: &GraphView, node: Node) -> &'static str {
    if view.is_passage(node) {
        "passage"
    } else {
        "entity"
    }
}

/// A seed as `ask --json` and `trace --json` print it.
pub fn seed_json(index: &Index, retrieval: &Retrieval, view: &GraphView, seed: &Seed) -> Value {
    let why = match seed.why {
        SeedReason::Entity { name, df } => {
            let surface = retrieval.names.get(name).map(|n| n.surface.as_str());
            json!({"from": "entity", "surface": surface, "df": df})
        }
        SeedReason::Ranked {
            ranker,
            rank,
            score,
        } => json!({"from": ranker, "rank": rank, "score": score}),
        SeedReason::Fallback => {
            json!({"from": "fallback", "rule": retrieval.settings.get(FALLBACK)})
        }
        SeedReason::Added => json!({"from": "person"}),
    };
    let node = if view.is_passage(seed.node) {
        json!(index.id(seed.node))
    } else {
        json!(view.label(index, seed.node))
    };
    json!({"node": node, "kind": kind(view, seed.node), "label": view.label(index, seed.node),
           "weight": seed.weight, "raw": seed.raw, "why": why})
}

fn opened_json(
    index: &Index,
    retrieval: &Retrieval,
    view: &GraphView,
    opened: &Attribution,
) -> Value {
    let shares: Vec<Value> = opened
        .shares
        .iter()
        .take(KEPT_NODES)
        .map(|(at, share)| {
            let seed = &retrieval.seeds[*at];
            json!({"seed": view.label(index, seed.node), "kind": kind(view, seed.node), "share": share})
        })
        .collect();
    let paths: Vec<Value> = opened
        .paths
        .iter()
        .map(|path| {
            let labels: Vec<&str> = path.nodes.iter().map(|n| view.label(index, *n)).collect();
            json!({"nodes": labels, "mass": path.mass, "kept": path.kept})
        })
        .collect();
    json!({"score": opened.score, "error": opened.error, "shares": shares, "by_length": opened.by_length, "paths": paths})
}

/// The heaviest nodes of a state, with the ones that are always kept; heaviest first, ties by id.
fn heaviest(state: &[f32], always: &FxHashSet<Node>) -> Vec<Node> {
    let mut nodes: Vec<Node> = (0..state.len() as u32)
        .filter(|n| state[*n as usize] > 0.0)
        .collect();
    let order = |a: &Node, b: &Node| {
        state[*b as usize]
            .total_cmp(&state[*a as usize])
            .then(a.cmp(b))
    };
    if nodes.len() > KEPT_NODES {
        nodes.select_nth_unstable_by(KEPT_NODES, order);
        let (kept, rest) = nodes.split_at(KEPT_NODES);
        nodes = kept
            .iter()
            .chain(rest.iter().filter(|n| always.contains(n)))
            .copied()
            .collect();
    }
    nodes.sort_unstable_by(order);
    nodes
}
