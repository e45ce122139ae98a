//! What a program that holds the index in its own memory asks for besides the calls: rankings of many questions at once,
//! and the question set. They are whole, whatever their size.

use super::refusal::Refusal;
use super::{GoOn, Session, runs};
use crate::corpus::Question;
use crate::evaluate::evaluate;
use crate::index::Index;
use crate::parameters::RESULT_K;
use serde_json::{Map, Value, json};

/// The passages of each text with their scores, best first, at most `k` or as many as the run returns. Runs on all threads.
///
/// # Errors
/// An unknown RUN, a method that the index lacks something for, work that is no longer wanted.
pub fn rankings(
    session: &Session,
    texts: Vec<String>,
    method: Option<&str>,
    k: Option<usize>,
    go_on: GoOn,
) -> Result<Vec<Vec<(String, f32)>>, Refusal> {
    let (_, settings) = runs::settings(session, method, k)?;
    let question = |text| Question {
        text,
        ..Question::default()
    };
    let questions: Vec<Question> = texts.into_iter().map(question).collect();
    let made = evaluate(&session.index, &questions, &settings, |_| go_on())?;
    if !go_on() {
        return Err(Refusal::cancelled());
    }
    let k = settings.get(RESULT_K);
    let named = |index: &Index| {
        let rankings = made.per_question.iter().map(|row| {
            let hits = row.ranking.iter().take(k);
            let hits = hits.map(|hit| (index.id(hit.passage).to_owned(), hit.score));
            hits.collect()
        });
        rankings.collect()
    };
    session.read(named)
}

/// The question set: id, text, type, answers, gold by passage with its grade, and gold that the corpus does not have.
///
/// # Errors
/// An index that lies elsewhere and cannot be reached.
pub fn questions(session: &Session) -> Result<Value, Refusal> {
    let questions = |index: &Index| {
        let questions = index.questions().iter().map(|question| {
            let gold = question.gold.iter().map(|gold| {
                let id = index.id(gold.passage).to_owned();
                (id, json!(gold.grade))
            });
            json!({"id": question.id, "text": question.text, "type": question.kind, "answers": question.answers,
                   "gold": gold.collect::<Map<String, Value>>(), "missing": question.missing})
        });
        questions.collect()
    };
    session.read(questions)
}
