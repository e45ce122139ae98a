//! Rankings that another program made: a run file, `qid Q0 docid rank score tag` in every line, or its results as JSON
//! (`run_json`), stands for a method.

#![warn(missing_docs)]

use super::run_json;
use crate::corpus::Question;
use crate::index::Index;
use crate::mapped;
use crate::parameters::{Parameter, RESULT_K};
use crate::retrieve::explanation::{Explanation, Part};
use crate::retrieve::methods::Ranker;
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::retrieval::{DEPTH, Hit, Ranked};
use crate::retrieve::set::Set;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// A passage of a ranking, as the file calls it. A line of TREC has the identifier alone; results may have any of the three.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// May be empty.
    pub id: String,
    /// May be empty.
    pub title: String,
    /// May be empty.
    pub text: String,
    /// Finite.
    pub score: f32,
}

impl Row {
    /// What a person is shown of it.
    fn called(&self) -> &str {
        [&self.id, &self.title, &self.text]
            .into_iter()
            .find(|name| !name.is_empty())
            .map_or("", String::as_str)
    }

    /// The passage of an index: by identifier, else by the text, else by a title that no other passage has.
    fn find(&self, index: &Index) -> Option<u32> {
        let by_words = || index.passages().said(&self.title, &self.text);
        index.passage_by_id(&self.id).or_else(by_words)
    }
}

/// What a run file says.
#[derive(Debug)]
pub struct Rankings {
    /// Best first, by the question's identifier, or its words where the file has these alone.
    of: BTreeMap<String, Arc<[Row]>>,
}

/// What a set of questions and an index know of a run file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Questions of the set that it ranks passages for.
    pub questions: usize,
    /// Passages that it ranks for those.
    pub ranked: usize,
    /// Of these, such as the index has.
    pub passages: usize,
}

/// An identifier as a run file can hold it: white space becomes `_`.
pub fn identifier(id: &str) -> String {
    id.split_whitespace().collect::<Vec<_>>().join("_")
}

impl Rankings {
    /// Reads a run file or results as JSON. Rows of a run are ordered by their scores; equal ones stay in the order of their
    /// ranks.
    ///
    /// # Errors
    /// A file that cannot be read; a line that is none of a run, or that names a passage twice for one question; a record of
    /// JSON without a question or passages.
    pub fn open(file: &Path) -> Result<Rankings, String> {
        let named = |said: String| format!("{}: {said}", file.display());
        let bytes = mapped::given(file).map_err(|error| named(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| named("is not UTF-8 text".to_owned()))?;
        Rankings::parse(&text).map_err(named)
    }

    fn parse(text: &str) -> Result<Rankings, String> {
        let mut ranked: BTreeMap<String, Vec<(u32, Row)>> = BTreeMap::new();
        let mut seen: HashSet<(&str, &str)> = HashSet::new();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if run_json::is_json(text) {
            let of = run_json::parse(text)?;
            return Ok(Rankings { of });
        }
        for (at, line) in text.lines().enumerate() {
            let wrong = |said: &str| {
                let expected = "a line of a run is: qid Q0 docid rank score tag";
                format!("line {}: {said}; {expected}", at + 1)
            };
            let fields: Vec<&str> = line.split_whitespace().collect();
            let [question, _, passage, rank, score, _] = fields[..] else {
                if fields.is_empty() {
                    continue;
                }
                return Err(wrong(&format!("{} columns", fields.len())));
            };
            let rank = rank
                .parse()
                .map_err(|_| wrong("the rank is not a number"))?;
            let score: f32 = score
                .parse()
                .map_err(|_| wrong("the score is not a number"))?;
            if !score.is_finite() {
                return Err(wrong("the score is not finite"));
            }
            if !seen.insert((question, passage)) {
                return Err(wrong(&format!(
                    "{passage} stands there twice for {question}"
                )));
            }
            let row = Row {
                id: passage.to_owned(),
                score,
                ..Row::default()
            };
            let rows = ranked.entry(question.to_owned()).or_default();
            rows.push((rank, row));
        }
        if ranked.is_empty() {
            return Err("no line of a run: qid Q0 docid rank score tag".to_owned());
        }
        let ordered = |mut rows: Vec<(u32, Row)>| {
            rows.sort_by(|a, b| b.1.score.total_cmp(&a.1.score).then(a.0.cmp(&b.0)));
            rows.into_iter().map(|(_, row)| row).collect()
        };
        let of = ranked.into_iter();
        Ok(Rankings {
            of: of
                .map(|(question, rows)| (question, ordered(rows)))
                .collect(),
        })
    }

    /// How much of it some questions and the index know.
    ///
    /// # Errors
    /// None of the questions, or none of the passages, with an example and the remedy.
    pub fn known(&self, index: &Index, questions: &[Question]) -> Result<Known, String> {
        let mut known = Known::default();
        for question in questions {
            if let Some((hits, unknown)) = self.ranking(index, &question.text) {
                known.questions += 1;
                known.ranked += hits.len() + unknown;
                known.passages += hits.len();
            }
        }
        let own = questions.first().map_or("", |question| &*question.id);
        let first = self.of.first_key_value();
        let (other, rows) = first.map_or(("", &[][..]), |(id, rows)| (&**id, &rows[..]));
        if known.questions == 0 {
            return Err(format!(
                "it ranks passages for '{other}' and for none of the {} questions of the set, such as '{own}'; \
                 give a run of these questions",
                questions.len()
            ));
        }
        if known.passages == 0 {
            let passage = rows.first().map_or("", Row::called);
            return Err(format!(
                "the index has none of the {} passages that it ranks, such as '{passage}'; give a run over these passages, \
                 such as '{}'",
                known.ranked,
                index.id(0)
            ));
        }
        Ok(known)
    }

    /// Whether it ranks passages of the index for a question.
    pub fn ranks(&self, index: &Index, question: &str) -> bool {
        let ranking = self.ranking(index, question);
        ranking.is_some_and(|(hits, _)| !hits.is_empty())
    }

    /// The ranking of a question, none where the file has none, and how many of its passages the index lacks.
    fn ranking(&self, index: &Index, question: &str) -> Option<(Vec<Hit>, usize)> {
        let of_the_set = index.question(question);
        let by_id = of_the_set.and_then(|own| self.of.get(&identifier(&own.id)));
        let words = of_the_set.map_or(question, |own| &*own.text);
        let rows = by_id.or_else(|| self.of.get(&identifier(words)))?;
        let mut found: Vec<Option<u32>> = rows.iter().map(|row| row.find(index)).collect();
        let lacking = |at: &usize| found[*at].is_none() && rows[*at].id.contains('_');
        let lacking: Vec<usize> = (0..rows.len()).filter(lacking).collect();
        if !lacking.is_empty() {
            let all = 0..index.len() as u32;
            for passage in all.filter(|p| index.id(*p).contains(char::is_whitespace)) {
                let id = identifier(index.id(passage));
                if let Some(at) = lacking.iter().find(|at| rows[**at].id == id) {
                    found[*at] = Some(passage);
                }
            }
        }
        let unknown = found.iter().filter(|passage| passage.is_none()).count();
        let mut seen = HashSet::new();
        let hits = found.iter().zip(rows.iter()).filter_map(|(passage, row)| {
            let passage = passage.filter(|passage| seen.insert(*passage))?;
            Some(Hit {
                passage,
                score: row.score,
            })
        });
        Some((hits.collect(), unknown))
    }
}

/// Reads the ranking of the question out of the method's file.
#[derive(Debug)]
pub struct Read;

impl Operator for Read {
    fn declaration(&self) -> Declaration {
        Declaration::seed("run file", "the ranking that another program's file has")
            .kind("score")
            .reads(&[Parameter::ResultK])
    }

    fn run(&self, cx: &Context<'_>, _: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let rankings = cx.method.rankings();
        let found = rankings.and_then(|rankings| rankings.ranking(cx.index, cx.question));
        let there = found.is_some();
        let (mut hits, unknown) = found.unwrap_or_default();
        let listed = hits.len();
        hits.truncate(cx.values.get(RESULT_K).max(DEPTH));
        let set = Set::ranking(Ranked::new(Ranker::Parts, hits, listed));
        Ok(match there {
            true => set.fact("listed", listed).fact("not in the index", unknown),
            false => set.fact("rankings of this question", 0),
        })
    }

    fn explain(&self, at: &At<'_>, passage: u32) -> Explanation {
        let hits = at.set().hits().iter();
        let Some((rank, hit)) = (1..).zip(hits).find(|(_, hit)| hit.passage == passage) else {
            return Explanation::default();
        };
        let method = &at.run.settings.method().title;
        let part = Part::new(format!("score in {method}"), f64::from(hit.score), "");
        let said = format!("rank {rank} in the file {method}, which gives no reasons");
        Explanation::of(vec![part], said)
    }
}

/// The one step of such a plan.
pub static READ: Read = Read;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_ordered_by_score_and_equal_ones_by_rank() {
        let text =
            "\u{feff}q1 Q0 a 2 .5 x\r\nq1 Q0 b 1 .5 x\n\nq1\tQ0\tc\t3\t9e-1\tx\nq2 Q0 a 1 -3 x\n";
        let read = Rankings::parse(text).unwrap();
        let ids = |question: &str| -> Vec<&str> {
            let rows = read.of[question].iter();
            rows.map(|row| &*row.id).collect()
        };
        assert_eq!(ids("q1"), ["c", "b", "a"]);
        assert_eq!(ids("q2"), ["a"]);
    }

    #[test]
    fn what_is_no_run_is_told_with_its_line() {
        for (text, said) in [
            ("", "no line of a run"),
            ("q1 Q0 a 1 .5 x\nq1 a 1 .5", "line 2: 4 columns"),
            ("q1 Q0 a one .5 x", "line 1: the rank is not a number"),
            ("q1 Q0 a 1 half x", "line 1: the score is not a number"),
            ("q1 Q0 a 1 NaN x", "line 1: the score is not finite"),
            (
                "q1 Q0 a 1 .5 x\nq1 Q0 a 2 .4 x",
                "line 2: a stands there twice for q1",
            ),
        ] {
            let told = Rankings::parse(text).unwrap_err();
            assert!(told.starts_with(said), "{told}");
        }
        let told = Rankings::open(Path::new("no/such.run")).unwrap_err();
        assert!(told.starts_with("no/such.run: "), "{told}");
    }

    #[test]
    fn passages_are_found_by_what_a_run_file_can_hold() {
        let passage = |id: &str, title: &str| crate::corpus::Passage {
            id: id.into(),
            title: title.into(),
            text: "Rain fell.".into(),
        };
        let corpus = crate::corpus::Corpus {
            passages: vec![
                passage("a b", "One"),
                passage("c_d", "Two"),
                passage("e", "Two"),
            ],
            questions: vec![crate::corpus::Question {
                id: "q 1".into(),
                text: "Rain?".into(),
                ..Default::default()
            }],
            ..Default::default()
        };
        let index = Index::build(corpus, &Default::default(), &crate::index::Silent).unwrap();
        let text = "q_1 Q0 a_b 1 3 x\nq_1 Q0 c_d 2 2 x\nq_1 Q0 gone 3 1 x";
        let read = Rankings::parse(text).unwrap();
        let (hits, unknown) = read.ranking(&index, "Rain?").unwrap();
        let ids: Vec<&str> = hits.iter().map(|hit| index.id(hit.passage)).collect();
        assert_eq!((&ids[..], unknown), (&["a b", "c_d"][..], 1));
        assert!(read.ranking(&index, "Snow?").is_none());
        let own = Rankings::parse(r#"{"query": "Snow?", "docs": ["e"]}"#).unwrap();
        assert!(own.ranks(&index, "Snow?") && !own.ranks(&index, "Rain?"));
        let known = |text: &str| {
            let read = Rankings::parse(text).unwrap();
            read.known(&index, index.questions())
        };
        let some = Known {
            questions: 1,
            ranked: 3,
            passages: 2,
        };
        assert_eq!(known(text), Ok(some));
        let said = known("q_2 Q0 e 1 1 x").unwrap_err();
        assert!(
            said.contains("for 'q_2'") && said.contains("such as 'q 1'"),
            "{said}"
        );
        let said = known("q_1 Q0 gone 1 1 x").unwrap_err();
        assert!(said.contains("none of the 1 passages"), "{said}");
        // Results name texts, with their titles or without; a title that two have names none.
        let text =
            r#"[{"question": "Rain?", "docs": ["One\nRain  fell.", "Rain fell.", "Two", "e"]}]"#;
        let read = Rankings::parse(text).unwrap();
        let (hits, unknown) = read.ranking(&index, "q 1").unwrap();
        let ids: Vec<&str> = hits.iter().map(|hit| index.id(hit.passage)).collect();
        assert_eq!((&ids[..], unknown), (&["a b", "e"][..], 1));
        // Two have one title: each is called by its identifier, the other by its own title.
        let called: Vec<&str> = (0..3).map(|passage| index.called(passage)).collect();
        assert_eq!(called, ["One", "c_d", "e"]);
    }
}
