//! Gold as tables: BEIR's three columns with a header, or TREC's four without.

use super::intake::{Intake, Link};
use super::lines::{Lines, utf8};
use super::{CorpusError, Place, What};
use std::path::Path;

const EXPECTED: &str =
    "query-id, corpus-id and score separated by tabs (BEIR), or query, 0, passage and grade (TREC)";

/// Links the questions of the present source to its passages.
pub(super) fn read(file: &Path, intake: &mut Intake) -> Result<(), CorpusError> {
    if !intake.has_questions() {
        return Err(CorpusError::file(
            Place::file(file),
            "questions for this gold to belong to",
            "none",
            "Give them with --questions FILE.",
        ));
    }
    intake.report.files.push(file.to_owned());
    let mut lines = Lines::open(file)?;
    while let Some((place, line)) = lines.next()? {
        let linked = utf8(&place, line).and_then(|line| link(&place, line, intake));
        intake.settle(What::Gold, linked)?;
    }
    Ok(())
}

fn link(place: &Place, line: &str, intake: &mut Intake) -> Result<(), CorpusError> {
    let fields: Vec<&str> = if line.contains('\t') {
        line.split('\t').map(str::trim).collect()
    } else {
        line.split_whitespace().collect()
    };
    let (question, named, grade) = match fields[..] {
        [question, named, grade] | [question, _, named, grade] => (question, named, grade),
        _ => {
            return Err(CorpusError::record(
                place,
                EXPECTED,
                format!("{} columns", fields.len()),
            ));
        }
    };
    let grade = match grade.parse::<f32>() {
        Ok(grade) if grade.is_finite() => grade,
        // The header.
        Err(_) if place.line == Some(1) => return Ok(()),
        _ => {
            return Err(CorpusError::record(
                place,
                "a number as the grade",
                format!("{grade:?}"),
            ));
        }
    };
    if grade <= 0.0 {
        intake.report.gold.read += 1;
        intake.report.gold.not_relevant += 1;
        return Ok(());
    }
    match intake.question_at(question) {
        Some(at) => {
            let passage = intake.lookup().by_id(named);
            intake.link(
                place,
                at,
                Link {
                    named: named.to_owned(),
                    passage,
                    grade,
                },
            )
        }
        None => {
            intake.unknown_question(question.to_owned(), named.to_owned());
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Folder;
    use super::super::{Gold, GoldTally, Lookup, Passage, ReadOptions, read_questions};

    #[test]
    fn both_layouts_and_identifiers_with_spaces() {
        let folder = Folder::new();
        folder.write("q.tsv", "q 1\tWho?\n");
        let passage = Passage {
            id: "Ur (city)".into(),
            text: "A city.".into(),
            ..Passage::default()
        };
        let lookup = Lookup::of(&[passage]);
        for gold in [
            "query-id\tcorpus-id\tscore\r\nq 1\tUr (city)\t1.5\r\n",
            "\u{feff}q 1\tUr (city)\t1.5\n",
            "q 1\t0\tUr (city)\t1.5\n\n",
        ] {
            folder.write("gold", gold);
            let read = read_questions(
                &folder.path("q.tsv"),
                Some(&folder.path("gold")),
                &lookup,
                &ReadOptions::default(),
            );
            let (questions, report) = read.unwrap();
            assert_eq!(
                questions[0].gold,
                [Gold {
                    passage: 0,
                    grade: 1.5
                }]
            );
            assert_eq!(
                report.gold,
                GoldTally {
                    read: 1,
                    kept: 1,
                    ..GoldTally::default()
                }
            );
        }
    }
}
