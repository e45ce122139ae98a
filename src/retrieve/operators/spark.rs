//! SPARK: a plan of closed operators over typed objects, made from the question; the objects it ends with, ranked by words
//! and vectors; and the neighbours of those, where the plan follows no edges itself (SPARK, planning and execution).
//!
//! Which operators run is decided question by question, so they are data of one step and not steps themselves: they read no
//! parameters, and nothing of them could be remembered apart.

use crate::exchange::schema::NAME;
use crate::layers::typed::SparkLayer;
use crate::layers::typed::names::Found;
use crate::layers::typed::question::{Anchor, Parts};
use crate::layers::typed::source::{ObjectGraph, TYPED};
use crate::layers::{Code, Node};
use crate::llm::{Made as Answered, Origin as MadeBy};
use crate::parameters::{
    CANDIDATE_LIMIT, EDGE_POLICY, EdgePolicy, PLAN_BY, Parameter as P, PlanBy, RESULT_K,
    SAGE_NEIGHBOURS, SAGE_SEEDS, Scoped,
};
use crate::retrieve::RetrieveError;
use crate::retrieve::edits::{Edited, SeedChange, nodes};
use crate::retrieve::explanation::{Explanation, Part as ScorePart, Reason, Stage, Story};
use crate::retrieve::methods::Ranker;
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::plan::Plan;
use crate::retrieve::planner::display::query;
use crate::retrieve::planner::plan::{Op, Ops, Plan as PlanTask, PlanInput, check};
use crate::retrieve::planner::run::{Made, Rung, Runner};
use crate::retrieve::planner::score::{Fused, Scored, Scorer, Weights};
use crate::retrieve::planner::template::{self, Planned};
use crate::retrieve::retrieval::{Hit, Ranked};
use crate::retrieve::set::{Dropped, Member, Origin, Set, Space};
use serde_json::json;
use std::sync::Arc;

pub fn plan() -> Plan {
    let mut plan = Plan::default();
    let planned = plan.on(&TYPED, &PLAN, &[]);
    let found = plan.on(&TYPED, &OPERATORS, &[planned]);
    let near = plan.on(&TYPED, &EXPANSION, &[found]);
    plan.on(&TYPED, &ANSWERS, &[found, near]);
    plan
}

/// How far down hybrid seeds are kept.
const DEPTH: usize = 100;
/// What an answer is lifted by, above every neighbour: fused scores lie between -1 and 2.
pub const ANSWER: f64 = 4.0;

/// Makes the plan: a model's, or the template's.
#[derive(Debug)]
pub struct MakePlan;

pub static PLAN: MakePlan = MakePlan;

/// A plan, who made it, and why a model's was not taken.
#[derive(Clone, Debug)]
pub struct Written {
    pub planned: Planned,
    pub origin: MadeBy,
    pub failure: Option<String>,
}

impl Operator for MakePlan {
    fn asks_model(&self, values: Scoped<'_>) -> bool {
        values.get(PLAN_BY) == PlanBy::Endpoint
    }

    fn declaration(&self) -> Declaration {
        Declaration::seed(
            "plan",
            "operators from the names, numbers and edges in the question",
        )
        .kind("plan")
        .reads(&[P::PlanBy, P::CandidateLimit])
        .edits_seeds(true)
    }

    fn run(&self, cx: &Context<'_>, _: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let mut set = Set::new(Space::Nodes);
        let layer = &*cx.graph().source_as::<ObjectGraph>().layer;
        let mut parts = Parts::read(layer, cx.question);
        let edits = edited(cx, layer, &mut parts);
        let written = written(cx, layer, parts)?;
        let planned = &written.planned;
        let types = &layer.schema().types;
        let asked = planned
            .answer
            .map_or("any type", |at| types[at].name.as_str());
        set = set
            .fact("operators", planned.ops.len())
            .fact("answer type", asked)
            .fact("planned by", written.origin.to_string());
        if let Some(failure) = &written.failure {
            set = set.fact("endpoint", failure.clone());
        }
        if !planned.rest.is_empty() {
            set = set.fact("words left", planned.rest.clone());
        }
        for note in &planned.notes {
            for &(node, found) in &note.objects {
                let value = match found {
                    Found::Trigram { jaccard } => jaccard,
                    Found::Exact | Found::Alias | Found::Surname => 1.0,
                };
                let from = Origin::Scored;
                match note.path {
                    Some(_) => set.members.push(Member { node, value, from }),
                    None => set.dropped.push(Dropped {
                        node,
                        code: Code::PlanNoPath,
                        margin: 0.0,
                    }),
                }
            }
        }
        if !cx.edits.is_empty() {
            set = set.with(edits);
        }
        Ok(set.with(written))
    }

    fn why(&self, at: &At<'_>, member: &Member) -> String {
        told::named(at, member.node)
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        told::unplanned(at, passage)
    }
}

/// A person's changes: a muted object is not named, an added one is named. There is nothing to weigh.
fn edited(cx: &Context<'_>, layer: &SparkLayer, parts: &mut Parts) -> Vec<Edited> {
    let end = parts.words.len();
    let one = |edit: &crate::retrieve::SeedEdit| {
        let objects = nodes(edit, cx.index, cx.graph(), cx.values);
        let mut applied = false;
        for &object in &objects {
            let has = |anchor: &Anchor| anchor.objects.iter().any(|known| known.0 == object);
            let named = parts.anchors.iter().any(has);
            match edit.change {
                SeedChange::Mute => {
                    for anchor in &mut parts.anchors {
                        anchor.objects.retain(|known| known.0 != object);
                    }
                    parts.anchors.retain(|anchor| !anchor.objects.is_empty());
                    applied |= named;
                }
                SeedChange::Add(_) if !named => {
                    parts.anchors.push(Anchor {
                        words: end..end,
                        surface: layer.label(object).to_owned(),
                        objects: vec![(object, Found::Exact)],
                    });
                    applied = true;
                }
                SeedChange::Add(_) | SeedChange::Weight(_) => {}
            }
        }
        Edited {
            edit: edit.clone(),
            node: objects.first().copied(),
            applied,
        }
    };
    cx.edits.iter().map(one).collect()
}

fn written(cx: &Context<'_>, layer: &SparkLayer, parts: Parts) -> Result<Written, RetrieveError> {
    let candidates = cx.values.get(CANDIDATE_LIMIT);
    let answered = match cx.values.get(PLAN_BY) {
        PlanBy::Template => None,
        PlanBy::Endpoint => Some(ask(cx, layer, candidates)),
    };
    let by_model = |made: &Answered<Ops>| matches!(made.origin, MadeBy::Llm { .. });
    let failed = match answered {
        Some(made) if by_model(&made) => {
            let ops = made.value.ops;
            let types = check(layer.schema(), &ops, candidates).unwrap_or_default();
            let last = types.last();
            let answer = last.and_then(|t| t.first().copied().filter(|_| t.len() == 1));
            return Ok(Written {
                planned: Planned {
                    ops,
                    answer,
                    ..Planned::default()
                },
                origin: made.origin,
                failure: None,
            });
        }
        other => other.map(|made| match made.failure {
            Some(failure) => failure.to_string(),
            None => "no language model is configured".to_owned(),
        }),
    };
    let trial = Runner::new(layer, cx.index, None);
    Ok(Written {
        planned: template::plan(trial, cx.question, parts, candidates)?,
        origin: MadeBy::Rule {
            task: "plan".into(),
            version: 1,
        },
        failure: failed,
    })
}

/// Asks the model for a plan; one that does not pass the grammar is no answer.
fn ask(cx: &Context<'_>, layer: &SparkLayer, candidates: usize) -> Answered<Ops> {
    let input = PlanInput {
        question: cx.question.to_owned(),
        schema: layer.schema().told(),
    };
    let fits = |_: &PlanInput, output: &Ops| match output.ops.is_empty() {
        true => Err("no operators".to_owned()),
        false => check(layer.schema(), &output.ops, candidates).map(drop),
    };
    let llm = cx.index.llm();
    llm.item::<PlanTask>(&input, &fits, |_| Ops::default())
}

/// Runs the plan, and ranks the objects it ends with; where there are none, a rung further down.
#[derive(Debug)]
pub struct Operate;

pub static OPERATORS: Operate = Operate;

/// The operators that were run, those of the ladder behind those of the plan, and their sets.
#[derive(Clone, Debug)]
pub struct Ran {
    pub ops: Vec<Op>,
    pub sets: Vec<Made>,
    pub types: Vec<Vec<usize>>,
    pub rung: Rung,
    /// Passages of the answers, best first; deeper than `limit` where there is more.
    pub answers: Vec<(u32, Fused)>,
    /// Answers that are returned, or expanded.
    pub limit: usize,
    /// Whether their neighbours are looked at.
    pub expands: bool,
    pub weights: Weights,
}

/// The texts that were scored: the next step ranks by the same.
struct Known(Vec<Arc<Scored>>);

impl Operator for Operate {
    fn declaration(&self) -> Declaration {
        Declaration::spread(
            "operators",
            "the plan's operators one by one, and its last set by words and vectors",
        )
        .reads(&[
            P::Tokens,
            P::Bm25K1,
            P::Bm25B,
            P::FuseLexical,
            P::FuseDense,
            P::EdgePolicy,
            P::SageSeeds,
            P::ResultK,
        ])
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let written = inputs.iter().find_map(|set| set.get::<Written>());
        let Some(written) = written else {
            return Ok(Set::new(Space::Passages));
        };
        let layer = &*cx.graph().source_as::<ObjectGraph>().layer;
        let vector = cx.dense()?.map(|(_, vector)| vector);
        let weights = Weights::from(cx.values);
        let scorer = Scorer::new(cx.index, weights, cx.question, vector);
        let mut runner = Runner::new(layer, cx.index, Some(scorer));
        let mut ran = ladder(cx, layer, &mut runner, &written.planned)?;
        let known = runner
            .scorer
            .take()
            .map_or_else(Vec::new, |scorer| scorer.known);
        (ran.ops, ran.sets, ran.types) = (runner.ops, runner.sets, runner.types);
        let mut set = Set::new(Space::Passages)
            .fact("query", query(layer.schema(), &ran.ops))
            .fact("rung", ran.rung.name())
            .fact("answers", ran.answers.len())
            .fact("taken", ran.limit.min(ran.answers.len()));
        let member = |&(node, fused): &(u32, Fused)| Member {
            node,
            value: fused.sum(),
            from: Origin::Scored,
        };
        set.members = ran.answers.iter().map(member).collect();
        let set = set.with(ran).with(Known(known));
        Ok(set.unread_unless(vector.is_some()))
    }

    fn why(&self, at: &At<'_>, member: &Member) -> String {
        told::scored(at, member.node)
    }

    fn tell(&self, at: &At<'_>, story: &mut Story) {
        told::operators(at, story);
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        told::unanswered(at, passage)
    }
}

/// Whether a set holds what the question names.
fn names(ops: &[Op], set: usize) -> bool {
    match &ops[set] {
        Op::Match { field, .. } => field == NAME,
        Op::Union { sets } => sets.iter().all(|set| names(ops, *set)),
        _ => false,
    }
}

/// Runs the plan and looks for the set that is the answer: the one that the plan ranks, else the last one that is not
/// empty, else the best objects of the type asked for. The runner keeps operators and sets.
fn ladder(
    cx: &Context<'_>,
    layer: &SparkLayer,
    runner: &mut Runner<'_>,
    planned: &Planned,
) -> Result<Ran, RetrieveError> {
    for op in &planned.ops {
        runner.push(op.clone())?;
    }
    let follows = planned.ops.iter().any(|op| matches!(op, Op::Expand { .. }));
    let expands = cx.values.get(EDGE_POLICY) == EdgePolicy::Plus || !follows;
    let (seeds, k) = (cx.values.get(SAGE_SEEDS), cx.values.get(RESULT_K));
    let mut limit = if expands { seeds } else { k };
    let rank = |runner: &mut Runner<'_>, set: usize, text: &str| {
        let text = text.to_owned();
        let ranked = runner.push(Op::Rank { set, text })?;
        let set = ranked;
        runner.push(Op::Limit { set, k: limit })?;
        Ok::<usize, RetrieveError>(ranked)
    };
    let is_order = |op: &Op| matches!(op, Op::Rank { .. } | Op::Limit { .. });
    // What the plan ranks, or else its last set: a model may leave the order out.
    let is_rank = |op: &Op| matches!(op, Op::Rank { .. });
    let ordered = planned.ops.iter().rposition(is_rank);
    let (base, text) = match (ordered, &planned.ranked) {
        (Some(at), _) => (planned.ops[at].inputs().first().copied(), cx.question),
        (None, Some((set, text))) => (Some(*set), text.as_str()),
        (None, None) => (planned.ops.len().checked_sub(1), cx.question),
    };
    let mut rung = runner.sets.iter().map(|s| s.rung).max().unwrap_or_default();
    let full = base.filter(|set| !runner.sets[*set].members.is_empty());
    let ranked = match (full, ordered) {
        (Some(_), Some(ranked)) => {
            let limited = planned.ops.iter().find_map(|op| match op {
                Op::Limit { set, k } if *set == ranked => Some(*k),
                _ => None,
            });
            match limited {
                Some(k) => limit = k,
                None => drop(runner.push(Op::Limit {
                    set: ranked,
                    k: limit,
                })?),
            }
            Some(ranked)
        }
        (Some(set), None) => Some(rank(runner, set, text)?),
        (None, _) => {
            // The last set that is not empty, of the type asked for where that is known. What the question names is no
            // answer.
            let fits = |i: &usize| {
                let asked = planned.answer.is_none_or(|at| runner.types[*i] == [at]);
                let named = names(&runner.ops, *i);
                let order = is_order(&runner.ops[*i]);
                asked && !order && !named && !runner.sets[*i].members.is_empty()
            };
            let found = (0..runner.ops.len()).rev().find(fits);
            if found.is_some() {
                rung = Rung::LastNonEmpty;
            }
            found
                .map(|set| rank(runner, set, cx.question))
                .transpose()?
        }
    };
    let answers = match ranked {
        Some(ranked) => {
            let set = &runner.sets[ranked];
            let pairs = set.members.iter().zip(&set.scores);
            pairs
                .map(|(o, fused)| (layer.passage(*o), *fused))
                .collect()
        }
        None => {
            rung = Rung::Hybrid;
            let all: Vec<u32> = match planned.answer {
                Some(kind) => {
                    let objects = layer.of_kind(kind).iter();
                    objects.map(|o| layer.passage(*o)).collect()
                }
                None => (0..cx.index.len() as u32).collect(),
            };
            let mut ranked = match &mut runner.scorer {
                Some(scorer) => scorer.rank(cx.question, &all)?,
                None => Vec::new(),
            };
            if cx.dense()?.is_none() {
                // Without a vector only words lead to an object.
                ranked.retain(|(_, fused)| fused.sum() > 0.0);
            }
            ranked.truncate(DEPTH.max(limit));
            ranked
        }
    };
    Ok(Ran {
        ops: Vec::new(),
        sets: Vec::new(),
        types: Vec::new(),
        rung,
        answers,
        limit,
        expands,
        weights: Weights::from(cx.values),
    })
}

/// The neighbours of the answers, by the score among them (SAGE's hop on the schema's edges).
#[derive(Debug)]
pub struct Expansion;

pub static EXPANSION: Expansion = Expansion;

/// Of every neighbour, best first, kept or not: its object and its scores.
pub struct Neighbours(pub Vec<(Node, Fused)>);

impl Operator for Expansion {
    fn declaration(&self) -> Declaration {
        Declaration::select(
            "expansion",
            "the neighbours of the answers, where the plan follows no edges itself",
        )
        .kind("expand")
        .reads(&[
            P::Tokens,
            P::Bm25K1,
            P::Bm25B,
            P::FuseLexical,
            P::FuseDense,
            P::SageNeighbours,
        ])
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let mut set = Set::new(Space::Nodes);
        let ran = inputs.iter().find_map(|set| set.get::<Ran>());
        let Some(ran) = ran else {
            return Ok(set);
        };
        if !ran.expands {
            return Ok(set.fact("expanded", "no: the plan follows edges"));
        }
        let layer = &*cx.graph().source_as::<ObjectGraph>().layer;
        let seeds = &ran.answers[..ran.limit.min(ran.answers.len())];
        let seeds: Vec<Node> = seeds.iter().filter_map(|s| layer.object(s.0)).collect();
        // Of every neighbour the first answer that it belongs to.
        let mut found: Vec<(u32, Node)> = Vec::new();
        for &seed in &seeds {
            for out in [true, false] {
                let arcs = layer.arcs(seed, out).filter(|arc| !seeds.contains(&arc.0));
                found.extend(arcs.map(|(other, _)| (layer.passage(other), seed)));
            }
        }
        // Stable: of one neighbour the best answer stays first.
        found.sort_by_key(|near| near.0);
        found.dedup_by_key(|near| near.0);
        let passages: Vec<u32> = found.iter().map(|near| near.0).collect();
        let vector = cx.dense()?.map(|(_, vector)| vector);
        let mut scorer = Scorer::new(cx.index, Weights::from(cx.values), cx.question, vector);
        let known = inputs.iter().find_map(|set| set.get::<Known>());
        scorer.known = known.map_or_else(Vec::new, |known| known.0.clone());
        let ranked = scorer.rank(cx.question, &passages)?;
        let objects = ranked.iter();
        let objects = objects.filter_map(|&(p, fused)| Some((layer.object(p)?, fused)));
        let ranked: Vec<(Node, Fused)> = objects.collect();
        let k = cx.values.get(SAGE_NEIGHBOURS);
        let last = ranked.iter().take(k).next_back();
        let last = last.map_or(0.0, |near| near.1.sum());
        set = set
            .fact("kept", k.min(ranked.len()))
            .fact("neighbours", ranked.len())
            .fact("answers expanded", seeds.len());
        for (place, &(node, fused)) in ranked.iter().enumerate() {
            let own = found.binary_search_by_key(&layer.passage(node), |near| near.0);
            let value = fused.sum();
            match own {
                Ok(at) if place < k => set.members.push(Member {
                    node,
                    value,
                    from: Origin::Edge { from: found[at].1 },
                }),
                _ => set.dropped.push(Dropped {
                    node,
                    code: Code::PrunedByFusion,
                    margin: last - value,
                }),
            }
        }
        Ok(set.with(Neighbours(ranked)))
    }

    fn tell(&self, at: &At<'_>, story: &mut Story) {
        let mut stage = at.stage(story);
        told::edges(at, story, &mut stage);
        story.push(stage);
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        told::unjoined(at, passage)
    }
}

/// The answers, then their neighbours. Without expansion the answers go on below the limit.
#[derive(Debug)]
pub struct Answers;

pub static ANSWERS: Answers = Answers;

impl Operator for Answers {
    fn declaration(&self) -> Declaration {
        Declaration::select("answers", "the answers, then their neighbours")
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let mut hits: Vec<Hit> = Vec::new();
        if let Some(ran) = inputs.iter().find_map(|set| set.get::<Ran>()) {
            let shown = if ran.expands { ran.limit } else { usize::MAX };
            let answers = ran.answers.iter().take(shown);
            hits.extend(answers.map(|&(passage, fused)| Hit {
                passage,
                score: (ANSWER + fused.sum()) as f32,
            }));
        }
        for set in inputs.iter().filter(|set| set.space == Space::Nodes) {
            for near in &set.members {
                let own = cx.graph().passages_of(near.node);
                hits.extend(own.iter().map(|&passage| Hit {
                    passage,
                    score: near.value as f32,
                }));
            }
        }
        let matched = hits.len();
        let ranked = Ranked::new(Ranker::Parts, hits, matched);
        Ok(Set::ranking(ranked).fact("passages", matched))
    }

    fn why(&self, at: &At<'_>, member: &Member) -> String {
        told::sentence(at, member.node)
    }

    fn explain(&self, at: &At<'_>, passage: u32) -> Explanation {
        let Some((answer, fused, weights)) = told::fused(at, passage) else {
            return Explanation::default();
        };
        let mut parts = Vec::new();
        if answer {
            let why = "an answer stands before every neighbour".to_owned();
            parts.push(ScorePart::new("answer", ANSWER, why));
        }
        let words = format!("{} of BM25 over the best of its set", weights.lexical);
        parts.push(ScorePart::new("words", fused.lexical, words));
        let vector = format!("{} of the cosine", weights.dense);
        parts.push(ScorePart::new("vector", fused.dense, vector));
        Explanation::of(parts, told::sentence(at, passage))
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        told::uncounted(at, passage)
    }
}

#[path = "spark_told.rs"]
mod told;
