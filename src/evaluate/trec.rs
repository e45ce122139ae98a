//! Rankings in the form that TREC and its tools read: `qid Q0 docid rank score tag` in every line.

#![warn(missing_docs)]

use super::run::Evaluation;
use crate::corpus::Question;
use crate::index::Index;
use crate::retrieve::operators::run_file::identifier;
use std::fmt::Write as _;
use std::io::{self, Write};

/// The lines of one ranking, best first, of identifiers and scores. Its readers sort by score and then by identifier and
/// ignore ranks: equal scores are nudged so that the order stays.
pub fn lines<'a>(
    question: &str,
    tag: &str,
    ranking: impl IntoIterator<Item = (&'a str, f32)>,
) -> String {
    let (question, tag) = (identifier(question), identifier(tag));
    let mut lines = String::new();
    let mut last = f32::INFINITY;
    for (at, (id, score)) in ranking.into_iter().enumerate() {
        last = match score < last {
            true => score,
            false => last.next_down(),
        };
        let (id, rank) = (identifier(id), at + 1);
        let _ = writeln!(lines, "{question} Q0 {id} {rank} {last} {tag}");
    }
    lines
}

/// Writes the rankings of an evaluation, `depth` passages of each.
///
/// # Errors
/// What the writer could not write.
pub fn write_run(
    out: &mut dyn Write,
    index: &Index,
    questions: &[Question],
    evaluation: &Evaluation,
    depth: usize,
) -> io::Result<()> {
    for outcome in &evaluation.per_question {
        let hits = outcome.ranking.iter().take(depth);
        let hits = hits.map(|hit| (index.id(hit.passage), hit.score));
        let question = &questions[outcome.question].id;
        out.write_all(lines(question, &evaluation.name, hits).as_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::evaluate;
    use crate::retrieve::{Method, Settings};
    use std::sync::Arc;

    #[test]
    fn a_run_counts_ranks_from_one() {
        let index = Arc::new(crate::index::sample::index().unwrap());
        let settings = Settings::of(&index, Method::by_name("bm25").unwrap());
        let questions = &index.questions()[..2];
        let evaluation = evaluate(&index, questions, &settings, |_| true).unwrap();
        let mut written = Vec::new();
        write_run(&mut written, &index, questions, &evaluation, 3).unwrap();
        let written = String::from_utf8(written).unwrap();
        let mut lines = written.lines();
        for (question, outcome) in questions.iter().zip(&evaluation.per_question) {
            for (rank, hit) in (1..=3).zip(&outcome.ranking) {
                let (qid, passage) = (&question.id, index.id(hit.passage));
                let line = format!("{qid} Q0 {passage} {rank} {} bm25", hit.score);
                assert_eq!(lines.next(), Some(&*line));
            }
        }
        assert_eq!(lines.next(), None);
    }

    #[test]
    fn equal_scores_keep_their_order_where_ranks_are_ignored() {
        let written = lines("q 1", "my run", [("b c", 0.5), ("a", 0.5), ("d", 0.5)]);
        let rows: Vec<Vec<&str>> = written.lines().map(|l| l.split(' ').collect()).collect();
        let scores: Vec<f32> = rows.iter().map(|row| row[4].parse().unwrap()).collect();
        assert!(scores.is_sorted_by(|a, b| a > b), "{scores:?}");
        assert_eq!(
            (rows[0][0], rows[0][2], rows[0][5]),
            ("q_1", "b_c", "my_run")
        );
    }
}
