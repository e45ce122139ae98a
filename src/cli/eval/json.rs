//! The one object of `eval --json`.

use super::Evaluated;
use crate::embed::Reranker;
use crate::evaluate::{
    Assurance, Comparison, Coverage, Evaluation, Group, Held, Losses, Measures, Names, PerQuestion,
    READ, READ_TOKENS, Read, Readings, Stage, Survival, by_gold, by_type,
};
use crate::index::IndexSize;
use crate::layers::GraphEdited;
use crate::parameters::{CONTEXT_TOKENS, Fallback, RESULT_K};
use crate::retrieve::Settings;
use serde::Serialize;
use std::collections::BTreeMap;

/// Methods over a set of questions.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Whole<'a> {
    /// The index, with its sizes.
    index: IndexSize,
    /// Number of questions.
    questions: usize,
    /// Questions with gold.
    judged: usize,
    /// The runs, in the order they were named.
    methods: Vec<Run<'a>>,
    /// Each later run compared with the first.
    comparisons: &'a [Comparison],
    /// Verdicts on missed gold, a run each; null without `--losses`.
    losses: Option<&'a [Losses]>,
    /// Each run compared with its own in the baseline; null without `--baseline`.
    baseline: Option<&'a [Held]>,
}

/// One run and its questions.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Run<'a> {
    /// Its name, or the RUN as it was written.
    run: &'a str,
    /// Name of the method.
    method: &'a str,
    /// Preset that the settings started from.
    preset: Option<&'a str>,
    /// All parameters of the method.
    settings: &'a Settings,
    /// Means over the questions with gold.
    measures: Measures,
    /// Milliseconds of a question, by percentile.
    latency_ms: Latency,
    /// By the data set's question type; empty where no question has one.
    by_type: BTreeMap<String, Group>,
    /// By number of gold passages.
    by_gold: BTreeMap<usize, Group>,
    /// Gold still in play after each stage.
    survival: Survival,
    /// One entry per question, in the order of the set.
    per_question: Vec<Row<'a>>,
    /// The model's answers; with `--answer` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<Answers>,
    /// Your changes of the graph.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    graph_edits: &'a [GraphEdited],
    /// Recall by how well names were found; null where no run looks for names.
    coverage: Option<Coverage>,
    /// How often the answer is in the retrieved context.
    answer_coverage: AnswerCoverage,
    /// How good its confidences are; null where the method has none.
    confidence: Option<Assurance>,
    /// Re-ranker: MaxSim, or the cross-encoder's folder; absent where none runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    reranker: Option<&'a str>,
}

/// Milliseconds that half, 95 % and 99 % of the questions do not exceed; null without questions.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Latency {
    p50: Option<f64>,
    p95: Option<f64>,
    p99: Option<f64>,
}

/// How well a model answered from the contexts.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Answers {
    #[serde(flatten)]
    scores: Scores,
    /// Questions with accepted answers.
    questions: usize,
    /// Those to which the model gave no valid answer.
    unanswered: usize,
}

/// Agreement of answers with the accepted ones, 0 to 1: exact match and F1.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Scores {
    #[serde(rename = "EM")]
    exact: f64,
    #[serde(rename = "F1")]
    f1: f64,
}

/// How often the answer is in the retrieved context.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct AnswerCoverage {
    /// Of the questions, 0 to 1; null where none has an answer to look for.
    share: Option<f64>,
    /// Questions that have an answer to look for.
    questions: usize,
    /// Those whose answer is in the context.
    covered: usize,
    /// Tokens of a context at most.
    context_tokens: usize,
    /// Mean tokens of a context.
    mean_tokens: f64,
    /// Pairs of tokens and the share of answers that are found by then; null without a question that has an answer.
    read: Option<Vec<(usize, f64)>>,
}

/// A question of a run.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Row<'a> {
    /// Its identifier.
    id: &'a str,
    /// The data set's question type; empty without one.
    r#type: &'a str,
    /// Its text.
    question: &'a str,
    /// Null without gold.
    measures: Option<Measures>,
    /// Gold passages, those that the corpus does not have last.
    gold: Vec<Gold<'a>>,
    /// Returned passages, best first.
    ranking: Vec<Scored<'a>>,
    /// Names of the question; null where the method looks for none.
    names: Option<Names>,
    /// How probably all its gold is in the first five, 0 to 1; null where the method has no confidence.
    confidence: Option<f64>,
    /// Fallback that gave the seeds, where the question gave none.
    fallback: Option<Fallback>,
    /// Time it took.
    milliseconds: f64,
    /// The model's answer; with `--answer` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<Answer<'a>>,
}

/// A gold passage of a question.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Gold<'a> {
    /// Id of the passage; of gold outside the corpus, what the question set calls it.
    id: &'a str,
    /// From 1; null where it is not ranked.
    rank: Option<usize>,
    /// Last stage at which it is in play; absent outside the corpus.
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<Stage>,
    /// True outside the corpus; absent inside.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<bool>,
}

/// A returned passage.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Scored<'a> {
    /// Id of the passage.
    id: &'a str,
    /// Its score.
    score: f64,
}

/// A model's answer to a question.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Answer<'a> {
    #[serde(flatten)]
    scores: Scores,
    /// The answer; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    /// Ids of the passages that it used.
    #[serde(skip_serializing_if = "Option::is_none")]
    cited: Option<Vec<&'a str>>,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
}

impl Scores {
    fn of([exact, f1]: [f64; READ.len()]) -> Scores {
        Scores { exact, f1 }
    }
}

impl<'a> Whole<'a> {
    pub(super) fn of(made: &'a Evaluated<'a>, comparisons: &'a [Comparison]) -> Whole<'a> {
        Whole {
            index: made.index.size(),
            questions: made.questions.len(),
            judged: made.evaluations.first().map_or(0, |e| e.judged),
            methods: (0..made.evaluations.len())
                .map(|at| Run::of(made, at))
                .collect(),
            comparisons,
            losses: made.args.losses.then_some(&made.lost[..]),
            baseline: made.args.baseline.is_some().then_some(&made.held[..]),
        }
    }
}

impl<'a> Run<'a> {
    fn of(made: &'a Evaluated<'a>, at: usize) -> Run<'a> {
        let (e, read) = (&made.evaluations[at], made.readings.get(at));
        let rows = e.per_question.iter();
        let mut rows: Vec<Row<'_>> = rows.map(|row| Row::of(made, e, row)).collect();
        for read in read.iter().flat_map(|read| &read.per_question) {
            rows[read.question].answer = Some(Answer::of(made, read));
        }
        let reranker = made.index.reranker().map_or("MaxSim", Reranker::spec);
        Run {
            run: &e.name,
            method: &e.settings.method().name,
            preset: e.settings.preset().map(|p| &*p.name),
            settings: &e.settings,
            measures: e.measures,
            latency_ms: Latency {
                p50: e.latency(0.5),
                p95: e.latency(0.95),
                p99: e.latency(0.99),
            },
            by_type: by_type(made.questions, e),
            by_gold: by_gold(made.questions, e),
            survival: Survival::of(e),
            per_question: rows,
            answers: read.map(Answers::of),
            graph_edits: &made.edited[at],
            coverage: made.coverage(e),
            answer_coverage: AnswerCoverage::of(e),
            confidence: Assurance::of(e, made.args.resampling()),
            reranker: e.settings.method().reranks().then_some(reranker),
        }
    }
}

impl Answers {
    fn of(read: &Readings) -> Answers {
        Answers {
            scores: Scores::of(read.measures),
            questions: read.per_question.len(),
            unanswered: read.unanswered,
        }
    }
}

impl AnswerCoverage {
    fn of(e: &Evaluation) -> AnswerCoverage {
        let answers = e.answers();
        AnswerCoverage {
            share: answers.share(),
            questions: answers.questions,
            covered: answers.covered,
            context_tokens: e.settings.get(CONTEXT_TOKENS),
            mean_tokens: answers.mean_tokens(),
            read: e.curve().map(|c| READ_TOKENS.into_iter().zip(c).collect()),
        }
    }
}

impl<'a> Row<'a> {
    fn of(made: &'a Evaluated<'a>, e: &Evaluation, row: &'a PerQuestion) -> Row<'a> {
        let (index, question) = (made.index, &made.questions[row.question]);
        let rank = |passage: u32| {
            let at = row.ranking.iter().position(|h| h.passage == passage);
            at.map(|at| at + 1)
        };
        let gold = question.gold.iter().zip(&row.fate.gold);
        let gold = gold.map(|(g, stage)| Gold {
            id: index.id(g.passage),
            rank: rank(g.passage),
            stage: Some(*stage),
            missing: None,
        });
        let missing = question.missing.iter().map(|named| Gold {
            id: named,
            rank: None,
            stage: None,
            missing: Some(true),
        });
        let ranking = row.ranking.iter().take(e.settings.get(RESULT_K));
        Row {
            id: &question.id,
            r#type: &question.kind,
            question: &question.text,
            measures: row.measures,
            gold: gold.chain(missing).collect(),
            ranking: ranking
                .map(|h| Scored {
                    id: index.id(h.passage),
                    score: h.score.into(),
                })
                .collect(),
            names: row.fate.names,
            confidence: row.confidence,
            fallback: row.fate.fallback,
            milliseconds: row.milliseconds,
            answer: None,
        }
    }
}

impl<'a> Answer<'a> {
    fn of(made: &'a Evaluated<'a>, read: &'a Read) -> Answer<'a> {
        let (answer, failure) = match &read.answer {
            Ok(answer) => (Some(answer), None),
            Err(failure) => (None, Some(failure.told())),
        };
        let cited = |answer: &'a crate::retrieve::reading::Answer| {
            let cited = answer.cited.iter();
            cited.map(|&p| made.index.id(p)).collect()
        };
        Answer {
            scores: Scores::of(read.measures),
            text: answer.map(|answer| &*answer.text),
            cited: answer.map(cited),
            failure,
        }
    }
}
