//! Gold that a person should look at: passages that look like gold and are none, and gold that does not look like it.

#![warn(missing_docs)]

use super::answers::places;
use crate::corpus::Question;
use crate::index::Index;
use crate::layers::words;
use crate::text::folded::folded;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Passages are looked at down to this rank.
const HIGH: usize = 10;

words! {
    /// Why gold is doubtful.
    Doubtful {
        AnswerElsewhere "answer-elsewhere" "contains the answer and is in the top 10, but is not gold"
        TwinTitle "twin-title" "has the title of a gold passage and is in the top 10, but is not gold"
        AnswerMissing "answer-missing" "is gold, but no gold passage of the question contains the answer"
    }
}

/// A passage that may be wrongly gold, or wrongly none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Doubt {
    /// Which one.
    pub passage: u32,
    /// Why.
    pub why: Doubtful,
}

/// What looking for doubts needs of an index, made once.
#[derive(Default)]
pub struct Doubts {
    titles: FxHashMap<String, Vec<u32>>,
}

impl Doubts {
    /// Of an index.
    pub fn new(index: &Index) -> Doubts {
        let mut titles: FxHashMap<String, Vec<u32>> = FxHashMap::default();
        for passage in 0..index.len() as u32 {
            let title = folded(index.title(passage));
            if !title.trim().is_empty() {
                titles.entry(title).or_default().push(passage);
            }
        }
        titles.retain(|_, passages| passages.len() > 1);
        Doubts { titles }
    }

    /// The doubts about a question's gold under a ranking, best first, each passage for one reason.
    pub fn of(&self, index: &Index, question: &Question, ranking: &[u32]) -> Vec<Doubt> {
        let gold = |passage: u32| question.gold.iter().any(|gold| gold.passage == passage);
        let says = |passage: u32| {
            let text = index.passages().full_text(passage as usize);
            !places(&text, &question.answers).is_empty()
        };
        let mut doubts: Vec<Doubt> = Vec::new();
        for &passage in ranking.iter().take(HIGH).filter(|p| !gold(**p)) {
            let twin = || {
                let same = self.titles.get(&folded(index.title(passage)));
                same.is_some_and(|same| same.iter().any(|other| gold(*other)))
            };
            let why = match () {
                () if says(passage) => Doubtful::AnswerElsewhere,
                () if twin() => Doubtful::TwinTitle,
                () => continue,
            };
            doubts.push(Doubt { passage, why });
        }
        // Several hops are several passages, and the answer need stand in one of them only, which may be outside the corpus.
        let lacks = !question.gold.iter().any(|gold| says(gold.passage));
        if lacks && question.missing.is_empty() && tellable(&question.answers) {
            doubts.extend(question.gold.iter().map(|gold| Doubt {
                passage: gold.passage,
                why: Doubtful::AnswerMissing,
            }));
        }
        doubts
    }
}

/// Whether an answer is such that its words could stand somewhere.
fn tellable(answers: &[String]) -> bool {
    answers
        .iter()
        .any(|answer| !places(answer, &[answer]).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Corpus, Gold, Passage};
    use crate::index::{BuildOptions, Silent};

    fn planted() -> Index {
        let passage = |id: &str, title: &str, text: &str| Passage {
            id: id.into(),
            title: title.into(),
            text: text.into(),
        };
        let corpus = Corpus {
            name: "planted".into(),
            passages: vec![
                passage("gold", "Thomas S\u{fc}dhof", "He shared a prize."),
                passage("twin", "THOMAS SUDHOF", "He plays the bassoon."),
                passage("answer", "Stockholm", "The Nobel Prize is given here."),
                passage("part", "Nobelium", "Nobel Prizewinning metal."),
                passage("other", "Rome", "A city."),
            ],
            questions: Vec::new(),
        };
        Index::build(corpus, &BuildOptions::default(), &Silent).unwrap()
    }

    fn question(answers: &[&str]) -> Question {
        Question {
            id: "q".into(),
            text: "What did he share?".into(),
            answers: answers.iter().map(|answer| (*answer).to_owned()).collect(),
            gold: vec![Gold {
                passage: 0,
                grade: 1.0,
            }],
            ..Question::default()
        }
    }

    #[test]
    fn planted_doubts_are_found_and_nothing_else() {
        let index = planted();
        let doubts = Doubts::new(&index);
        let found = |question: &Question, ranking: &[u32]| -> Vec<(u32, Doubtful)> {
            let found = doubts.of(&index, question, ranking).into_iter();
            found.map(|doubt| (doubt.passage, doubt.why)).collect()
        };
        let all = [4, 0, 3, 2, 1];
        assert_eq!(
            found(&question(&["nobel prize"]), &all),
            [
                (2, Doubtful::AnswerElsewhere),
                (1, Doubtful::TwinTitle),
                (0, Doubtful::AnswerMissing)
            ]
        );
        // Not ranked, not doubted; the answer in gold, gold not doubted.
        assert_eq!(found(&question(&["a prize"]), &[4, 0]), []);
        // A yes is in no text, and its absence says nothing.
        assert_eq!(found(&question(&["yes"]), &[4, 2]), []);
        assert_eq!(found(&question(&[]), &[4, 2]), []);
        // Gold outside the corpus may have the answer.
        let mut outside = question(&["Oslo"]);
        outside.missing = vec!["Norway".into()];
        assert_eq!(found(&outside, &[4]), []);
        // What is ranked eleventh is not looked at.
        let deep: Vec<u32> = std::iter::repeat_n(4, 10).chain([2, 1]).collect();
        assert_eq!(found(&question(&["nobel prize", "a prize"]), &deep), []);
    }
}
