//! Plan, run, fall back, expand: one question over a schema graph.

use super::layer::SparkLayer;
use super::plan::{self, Op, Plan, PlanInput};
use super::run::{Made, Rung, Runner};
use super::score::{Fused, Scorer, dense};
use super::template::{self, Planned};
use crate::exchange::schema::NAME;
use crate::index::Index;
use crate::llm::{Llm, Made as Answered, Origin};
use crate::retrieve::{Hit, RetrieveError};
use crate::text::Tokens;

pub use crate::parameters::{EdgePolicy, PlanBy};

/// Everything that can change a result, with the registry's defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    pub plan_by: PlanBy,
    pub edge_policy: EdgePolicy,
    /// Most candidates of a CAND, 1 to 100.
    pub candidate_limit: usize,
    /// Answers that are expanded, k.
    pub sage_seeds: usize,
    /// Neighbours that are kept, k'.
    pub sage_neighbours: usize,
    pub fuse_lexical: f64,
    pub fuse_dense: f64,
    pub bm25_k1: f64,
    pub bm25_b: f64,
    pub tokens: Tokens,
    /// Passages that are returned.
    pub result_k: usize,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            plan_by: PlanBy::Template,
            edge_policy: EdgePolicy::Minus,
            candidate_limit: 25,
            sage_seeds: 10,
            sage_neighbours: 10,
            fuse_lexical: 0.5,
            fuse_dense: 0.5,
            bm25_k1: 1.5,
            bm25_b: 0.75,
            tokens: Tokens::Plain,
            result_k: 10,
        }
    }
}

/// An answer, in the order of the fused score.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    pub passage: u32,
    pub fused: Fused,
}

/// A neighbour, with the edges that lead to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    pub passage: u32,
    pub fused: Fused,
    /// Seed (a place among the answers), edge type, and whether the edge leads out of the seed.
    pub from: Vec<(usize, usize, bool)>,
}

/// What a search did.
#[derive(Clone, Debug)]
pub struct Run {
    pub question: String,
    /// The question's vector.
    pub vector: Option<Vec<f32>>,
    pub planned: Planned,
    /// Who made the plan that was run.
    pub origin: Origin,
    /// Why the endpoint's plan was not.
    pub failure: Option<String>,
    /// The operators that were run, those of the ladder behind those of the plan, and their sets.
    pub ops: Vec<Op>,
    pub sets: Vec<Made>,
    pub types: Vec<Vec<usize>>,
    pub rung: Rung,
    /// Best first; deeper than `limit` where there is more.
    pub answers: Vec<Ranked>,
    /// Answers that are returned or expanded.
    pub limit: usize,
    /// Neighbours of the first `limit` answers, best first, all of them; none where nothing was expanded.
    pub neighbours: Option<Vec<Neighbour>>,
    pub passages: Vec<Hit>,
}

/// How far down hybrid seeds are kept.
const DEPTH: usize = 100;

/// Searches. `vector` is the question's, where the caller has it.
///
/// # Errors
/// An index without vectors, or what the encoder says.
pub fn search(
    layer: &SparkLayer,
    index: &Index,
    question: &str,
    vector: Option<&[f32]>,
    params: &Params,
    llm: &Llm,
    stage: &mut dyn FnMut(&'static str),
) -> Result<Run, RetrieveError> {
    let vector = match vector {
        Some(vector) => vector.to_vec(),
        None => dense(index)?.encoder.question(question)?,
    };
    let asked = match params.plan_by {
        PlanBy::Template => None,
        PlanBy::Endpoint => Some(ask(layer, question, params, llm)),
    };
    let by_model = |made: &Answered<plan::Ops>| matches!(made.origin, Origin::Llm { .. });
    let (planned, origin, failure) = match asked {
        Some(made) if by_model(&made) => {
            let ops = made.value.ops;
            let types =
                plan::check(layer.schema(), &ops, params.candidate_limit).unwrap_or_default();
            let answer = types
                .last()
                .and_then(|t| t.first().copied().filter(|_| t.len() == 1));
            let planned = Planned {
                ops,
                answer,
                ..Planned::default()
            };
            (planned, made.origin, None)
        }
        other => {
            let scorer = Scorer::new(index, params, question, Some(&vector));
            let planned = template::plan(Runner::new(layer, index, scorer), question, params)?;
            let origin = Origin::Rule {
                task: "plan".into(),
                version: 1,
            };
            let failure = other.map(|made| match made.failure {
                Some(failure) => failure.to_string(),
                None => "no language model is configured".into(),
            });
            (planned, origin, failure)
        }
    };
    stage("plan");
    let run = follow(layer, index, question, &vector, planned, params, stage)?;
    Ok(Run {
        origin,
        failure,
        ..run
    })
}

/// Asks the model for a plan; one that does not pass the grammar is no answer.
fn ask(layer: &SparkLayer, question: &str, params: &Params, llm: &Llm) -> Answered<plan::Ops> {
    let input = PlanInput {
        question: question.to_owned(),
        schema: layer.schema().told(),
    };
    let fits = |_: &PlanInput, output: &plan::Ops| match output.ops.is_empty() {
        true => Err("no operators".to_owned()),
        false => plan::check(layer.schema(), &output.ops, params.candidate_limit).map(drop),
    };
    llm.item::<Plan>(&input, &fits, |_| plan::Ops::default())
}

/// Runs a plan that passes the grammar.
///
/// # Errors
/// As [`search`].
pub fn follow(
    layer: &SparkLayer,
    index: &Index,
    question: &str,
    vector: &[f32],
    planned: Planned,
    params: &Params,
    stage: &mut dyn FnMut(&'static str),
) -> Result<Run, RetrieveError> {
    let scorer = Scorer::new(index, params, question, Some(vector));
    let mut runner = Runner::new(layer, index, scorer);
    for op in &planned.ops {
        runner.push(op.clone())?;
    }
    stage("operators");
    let follows = planned.ops.iter().any(|op| matches!(op, Op::Expand { .. }));
    let expands = params.edge_policy == EdgePolicy::Plus || !follows;
    let mut limit = if expands {
        params.sage_seeds
    } else {
        params.result_k
    };
    let rank = |runner: &mut Runner<'_>, set: usize| {
        let ranked = runner.push(Op::Rank {
            set,
            text: question.to_owned(),
        })?;
        runner.push(Op::Limit {
            set: ranked,
            k: limit,
        })?;
        Ok::<usize, RetrieveError>(ranked)
    };
    let is_order = |op: &Op| matches!(op, Op::Rank { .. } | Op::Limit { .. });
    // What the plan ranks, or else its last set: a model may leave the order out.
    let ordered = planned
        .ops
        .iter()
        .rposition(|op| matches!(op, Op::Rank { .. }));
    let base = match ordered {
        Some(at) => planned.ops[at].inputs().first().copied(),
        None => planned.ops.len().checked_sub(1),
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
        (Some(set), None) => Some(rank(&mut runner, set)?),
        (None, _) => {
            // The last set that is not empty, of the type asked for where that is known. What the question names is no answer.
            let fits = |i: &usize| {
                let asked = planned.answer.is_none_or(|at| runner.types[*i] == [at]);
                asked
                    && !is_order(&runner.ops[*i])
                    && !names(&runner.ops, *i)
                    && !runner.sets[*i].members.is_empty()
            };
            let found = (0..runner.ops.len()).rev().find(fits);
            rung = if found.is_some() {
                Rung::LastNonEmpty
            } else {
                rung
            };
            found.map(|set| rank(&mut runner, set)).transpose()?
        }
    };
    let answers: Vec<Ranked> = match ranked {
        Some(ranked) => {
            let set = &runner.sets[ranked];
            let pairs = set.members.iter().zip(&set.scores);
            pairs
                .map(|(o, fused)| Ranked {
                    passage: layer.passage(*o),
                    fused: *fused,
                })
                .collect()
        }
        None => {
            rung = Rung::Hybrid;
            let all: Vec<u32> = match planned.answer {
                Some(kind) => layer
                    .of_kind(kind)
                    .iter()
                    .map(|o| layer.passage(*o))
                    .collect(),
                None => (0..index.len() as u32).collect(),
            };
            let mut ranked = runner.scorer.rank(question, &all)?;
            ranked.truncate(DEPTH.max(limit));
            ranked
                .into_iter()
                .map(|(passage, fused)| Ranked { passage, fused })
                .collect()
        }
    };
    stage("rank");
    let neighbours = match expands {
        true => Some(neighbours(
            layer,
            &mut runner.scorer,
            question,
            &answers[..limit.min(answers.len())],
        )?),
        false => None,
    };
    stage("expand");
    let passages = passages(&answers, limit, neighbours.as_deref(), params);
    Ok(Run {
        question: question.to_owned(),
        vector: Some(vector.to_vec()),
        planned,
        origin: Origin::Rule {
            task: "plan".into(),
            version: 1,
        },
        failure: None,
        ops: runner.ops,
        sets: runner.sets,
        types: runner.types,
        rung,
        answers,
        limit,
        neighbours,
        passages,
    })
}

/// Whether a set holds what the question names.
fn names(ops: &[Op], set: usize) -> bool {
    match &ops[set] {
        Op::Match { field, .. } => field == NAME,
        Op::Union { sets } => sets.iter().all(|set| names(ops, *set)),
        _ => false,
    }
}

/// Steps 2 and 3 of 5.3 on the schema's edges: all neighbours of the seeds but the seeds, by the fused score among them.
fn neighbours(
    layer: &SparkLayer,
    scorer: &mut Scorer<'_>,
    question: &str,
    seeds: &[Ranked],
) -> Result<Vec<Neighbour>, RetrieveError> {
    let mut edges: Vec<(u32, (usize, usize, bool))> = Vec::new();
    for (at, seed) in seeds.iter().enumerate() {
        let Some(object) = layer.object(seed.passage) else {
            continue;
        };
        for out in [true, false] {
            let arcs = layer.arcs(object, out);
            edges.extend(arcs.map(|(other, edge)| (layer.passage(other), (at, edge, out))));
        }
    }
    edges.retain(|(passage, _)| seeds.iter().all(|s| s.passage != *passage));
    edges.sort_unstable();
    let mut found: Vec<u32> = edges.iter().map(|(passage, _)| *passage).collect();
    found.dedup();
    let ranked = scorer.rank(question, &found)?;
    Ok(ranked
        .into_iter()
        .map(|(passage, fused)| {
            let first = edges.partition_point(|(p, _)| *p < passage);
            let own = edges[first..].iter().take_while(|(p, _)| *p == passage);
            Neighbour {
                passage,
                fused,
                from: own.map(|(_, from)| *from).collect(),
            }
        })
        .collect())
}

/// What an answer is lifted by, above every neighbour: fused scores lie between -1 and 2.
pub const ANSWER: f64 = 4.0;

/// Answers, then neighbours. Without expansion the answers go on below the limit.
fn passages(
    answers: &[Ranked],
    limit: usize,
    neighbours: Option<&[Neighbour]>,
    params: &Params,
) -> Vec<Hit> {
    let shown = if neighbours.is_some() {
        limit
    } else {
        answers.len()
    };
    let hit = |passage: u32, score: f64| Hit {
        passage,
        score: score as f32,
    };
    let kept = neighbours
        .unwrap_or_default()
        .iter()
        .take(params.sage_neighbours);
    let mut hits: Vec<Hit> = answers
        .iter()
        .take(shown)
        .map(|a| hit(a.passage, ANSWER + a.fused.sum()))
        .collect();
    hits.extend(kept.map(|n| hit(n.passage, n.fused.sum())));
    hits
}
