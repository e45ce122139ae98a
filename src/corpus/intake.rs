//! Where every reader puts what it found. The accounting is done here and nowhere else.

use super::{
    CorpusError, Format, Gold, Lookup, Passage, Place, Question, ReadOptions, Renamed, Report,
    SourceReport, Unresolved, What,
};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_128;

/// A gold link as a data set states it.
pub(super) struct Link {
    /// The passage as it is named there.
    pub named: String,
    /// The passage it leads to, where it is in the corpus.
    pub passage: Option<u32>,
    pub grade: f32,
}

/// What to do with a second, different question under one identifier within one source.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Clash {
    Refuse,
    Rename,
}

pub(super) struct Intake<'a> {
    pub options: &'a ReadOptions,
    pub report: Report,
    passages: Vec<Passage>,
    questions: Vec<Question>,
    /// By the identifiers the passages have now.
    all: Cow<'a, Lookup>,
    /// By the identifiers the present source gave.
    own: Lookup,
    /// The two are the same: in the first source, and for questions about everything read.
    own_is_all: bool,
    /// The questions of the files count, none were given besides.
    pub take_questions: bool,
    /// The gold of the files counts, none was given besides.
    pub take_gold: bool,
    question_ids: FxHashMap<u128, u32>,
    own_question_ids: FxHashMap<u128, u32>,
    /// The next number to try after an identifier that is taken.
    suffixes: FxHashMap<u128, u32>,
    source: PathBuf,
}

impl<'a> Intake<'a> {
    pub fn new(options: &'a ReadOptions) -> Self {
        Self::over(Cow::default(), options)
    }

    /// For questions about passages that are there already.
    pub fn over(passages: Cow<'a, Lookup>, options: &'a ReadOptions) -> Self {
        Self {
            options,
            report: Report::default(),
            passages: Vec::new(),
            questions: Vec::new(),
            all: passages,
            own: Lookup::default(),
            own_is_all: true,
            take_questions: options.questions.is_none(),
            take_gold: options.qrels.is_none(),
            question_ids: FxHashMap::default(),
            own_question_ids: FxHashMap::default(),
            suffixes: FxHashMap::default(),
            source: PathBuf::new(),
        }
    }

    /// From here on identifiers are those of another source.
    pub fn begin(&mut self, path: &Path, format: Format) {
        self.source = path.to_owned();
        self.own_is_all = self.report.sources.is_empty();
        self.report.sources.push(SourceReport {
            path: path.to_owned(),
            format,
        });
        self.own = Lookup::default();
        self.own_question_ids.clear();
    }

    /// From here on come questions and gold about all that was read.
    pub fn begin_questions(&mut self, path: &Path) {
        self.source = path.to_owned();
        self.own_is_all = true;
    }

    /// Passages by the identifiers the present source gave them.
    pub fn lookup(&self) -> &Lookup {
        if self.own_is_all {
            &self.all
        } else {
            &self.own
        }
    }

    /// With `--skip-bad` a bad record is counted and listed; without, it is the end.
    pub fn settle<T>(
        &mut self,
        what: What,
        result: Result<T, CorpusError>,
    ) -> Result<Option<T>, CorpusError> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(CorpusError::Record(bad)) if self.options.skip_bad => {
                self.report.leave_out(what, *bad);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Takes a passage under the identifier its data set gave it.
    pub fn passage(&mut self, place: &Place, passage: Passage) -> Result<u32, CorpusError> {
        check_text(place, &passage)?;
        if let Some(at) = self.lookup().by_id(&passage.id) {
            if self.same(at, &passage) {
                return Ok(self.merge_passage(at));
            }
            let found = format!("a second, different passage under {:?}", passage.id);
            return Err(CorpusError::record(
                place,
                "one passage per identifier",
                found,
            ));
        }
        if let Some(at) = self.all.by_id(&passage.id)
            && self.same(at, &passage)
        {
            self.own.add(at, &passage.id, &passage.title, &passage.text);
            return Ok(self.merge_passage(at));
        }
        let given = passage.id.clone();
        Ok(self.keep_passage(&given, passage))
    }

    /// Takes a passage of a format without passage identifiers: equal title and text are one passage, which is
    /// called by its title (`Ur`, then `Ur~2` for another text), or by `made` where there is no title.
    pub fn pooled(
        &mut self,
        place: &Place,
        made: impl FnOnce() -> String,
        title: String,
        text: String,
    ) -> Result<u32, CorpusError> {
        if let Some(at) = self.all.by_content(&title, &text) {
            return Ok(self.merge_passage(at));
        }
        let id = if title.is_empty() {
            made()
        } else {
            title.clone()
        };
        let passage = Passage { id, title, text };
        check_text(place, &passage)?;
        // A name made here twice is no clash of identifiers, and none to report.
        let given = match self.lookup().by_id(&passage.id) {
            Some(_) => self.free_id(&passage.id),
            None => passage.id.clone(),
        };
        Ok(self.keep_passage(&given, passage))
    }

    /// As [`Self::passage`], of a format whose passages may share the identifier of their document: another text under it gets
    /// a number behind.
    pub fn piece(&mut self, place: &Place, mut passage: Passage) -> Result<u32, CorpusError> {
        if let Some(at) = self.lookup().by_content(&passage.title, &passage.text)
            && self.lookup().by_id(&passage.id).is_some()
        {
            return Ok(self.merge_passage(at));
        }
        if self.lookup().by_id(&passage.id).is_some() {
            check_text(place, &passage)?;
            passage.id = self.free_id(&passage.id);
        }
        self.passage(place, passage)
    }

    fn same(&self, at: u32, passage: &Passage) -> bool {
        let other = &self.passages[at as usize];
        other.title == passage.title && other.text == passage.text
    }

    fn merge_passage(&mut self, at: u32) -> u32 {
        self.report.passages.read += 1;
        self.report.passages.merged += 1;
        at
    }

    fn keep_passage(&mut self, given: &str, mut passage: Passage) -> u32 {
        self.report.passages.read += 1;
        self.report.passages.kept += 1;
        let at = u32::try_from(self.passages.len()).expect("fewer than 2^32 passages");
        if !self.own_is_all {
            self.own.add(at, given, &passage.title, &passage.text);
        }
        let id = self.free_id(given);
        if id != given {
            self.renamed(given, &id);
        }
        passage.id = id;
        self.all
            .to_mut()
            .add(at, &passage.id, &passage.title, &passage.text);
        self.passages.push(passage);
        at
    }

    fn renamed(&mut self, from: &str, to: &str) {
        let entry = Renamed {
            from: from.to_owned(),
            to: to.to_owned(),
            path: self.source.clone(),
        };
        self.report.renamed.push(entry);
    }

    fn free_id(&mut self, wanted: &str) -> String {
        next_free(&mut self.suffixes, wanted, |id| {
            self.all.by_id(id).is_none()
        })
    }

    /// Takes a question with its gold. The same question under the same identifier is one question with the
    /// gold of both.
    pub fn question(
        &mut self,
        place: &Place,
        question: Question,
        links: Vec<Link>,
        clash: Clash,
    ) -> Result<(), CorpusError> {
        if !self.take_questions {
            return Ok(());
        }
        if question.text.trim().is_empty() {
            return Err(CorpusError::record(
                place,
                "a question with text",
                format!("an empty one ({:?})", question.id),
            ));
        }
        let key = xxh3_128(question.id.as_bytes());
        let same = |at: &u32| {
            let other = &self.questions[*at as usize];
            (&other.text, &other.answers, &other.kind)
                == (&question.text, &question.answers, &question.kind)
        };
        let own = self.own_question_ids.get(&key).copied();
        let at = match own.or_else(|| self.question_ids.get(&key).copied()) {
            Some(at) if same(&at) => {
                self.report.questions.merged += 1;
                self.own_question_ids.insert(key, at);
                at
            }
            Some(_) if own.is_some() && clash == Clash::Refuse => {
                return Err(CorpusError::record(
                    place,
                    "one question per identifier",
                    format!("a second, different question under {:?}", question.id),
                ));
            }
            _ => self.keep_question(question),
        };
        self.report.questions.read += 1;
        let links = if self.take_gold { links } else { Vec::new() };
        for link in links {
            let linked = self.link(place, at, link);
            self.settle(What::Gold, linked)?;
        }
        Ok(())
    }

    fn keep_question(&mut self, mut question: Question) -> u32 {
        self.report.questions.kept += 1;
        let at = u32::try_from(self.questions.len()).expect("fewer than 2^32 questions");
        let taken = &self.question_ids;
        let id = next_free(&mut self.suffixes, &question.id, |id| {
            !taken.contains_key(&xxh3_128(id.as_bytes()))
        });
        self.own_question_ids
            .entry(xxh3_128(question.id.as_bytes()))
            .or_insert(at);
        self.question_ids.insert(xxh3_128(id.as_bytes()), at);
        if id != question.id {
            self.renamed(&question.id, &id);
            question.id = id;
        }
        self.questions.push(question);
        at
    }

    /// The question the present source calls by this identifier.
    pub fn question_at(&self, id: &str) -> Option<u32> {
        let ids = if self.own_is_all {
            &self.question_ids
        } else {
            &self.own_question_ids
        };
        ids.get(&xxh3_128(id.as_bytes())).copied()
    }

    /// Whether there is any question to link gold to.
    pub fn has_questions(&self) -> bool {
        !self.questions.is_empty()
    }

    /// Adds one gold link to a question taken before.
    pub fn link(&mut self, place: &Place, question: u32, link: Link) -> Result<(), CorpusError> {
        let question = &mut self.questions[question as usize];
        let tally = &mut self.report.gold;
        if let Some(passage) = link.passage {
            match question.gold.iter().find(|gold| gold.passage == passage) {
                Some(gold) if gold.grade != link.grade => {
                    return Err(CorpusError::record(
                        place,
                        format!(
                            "one grade for question {} and passage {:?}",
                            question.id, link.named
                        ),
                        format!("{} after {}", link.grade, gold.grade),
                    ));
                }
                Some(_) => tally.merged += 1,
                None => {
                    question.gold.push(Gold {
                        passage,
                        grade: link.grade,
                    });
                    tally.kept += 1;
                }
            }
        } else if question.missing.contains(&link.named) {
            tally.merged += 1;
        } else {
            let entry = Unresolved {
                question: question.id.clone(),
                named: link.named.clone(),
                unknown_question: false,
            };
            question.missing.push(link.named);
            self.report.unresolved.push(entry);
            tally.unresolved += 1;
        }
        tally.read += 1;
        Ok(())
    }

    /// Counts a gold link whose question was not read.
    pub fn unknown_question(&mut self, question: String, named: String) {
        self.report.gold.read += 1;
        self.report.gold.unresolved += 1;
        self.report.unresolved.push(Unresolved {
            question,
            named,
            unknown_question: true,
        });
    }

    /// All that was taken.
    pub fn finish(mut self) -> (Vec<Passage>, Vec<Question>, Report) {
        for question in &mut self.questions {
            question.gold.sort_by_key(|gold| gold.passage);
            self.report.without_gold += usize::from(question.gold.is_empty());
        }
        (self.passages, self.questions, self.report)
    }
}

fn check_text(place: &Place, passage: &Passage) -> Result<(), CorpusError> {
    // A title alone is a passage: several public sets have records without a body.
    if !passage.text.trim().is_empty() || !passage.title.trim().is_empty() {
        return Ok(());
    }
    let found = format!("an empty text (passage {:?})", passage.id);
    Err(CorpusError::record(place, "a passage with text", found))
}

/// `wanted`, or the first free of `wanted~2`, `wanted~3`, ...
fn next_free(
    suffixes: &mut FxHashMap<u128, u32>,
    wanted: &str,
    free: impl Fn(&str) -> bool,
) -> String {
    if free(wanted) {
        return wanted.to_owned();
    }
    let number = suffixes.entry(xxh3_128(wanted.as_bytes())).or_insert(2);
    loop {
        let id = format!("{wanted}~{number}");
        *number += 1;
        if free(&id) {
            return id;
        }
    }
}
