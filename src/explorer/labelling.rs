//! The pen: what an annotator is about to say of the passage on screen, and the queue of passages to be labelled.

use super::layout::{Pane, View};
use super::state::State;
use crate::evaluate::Doubtful;
use crate::evaluate::labels::{Cause, Label, Labels, Said};
use crate::layers::{Class, Code};

/// Why a passage is in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Gold that is lost, by failure class.
    Lost(Class),
    Doubt(Doubtful),
    /// The result of the question on screen.
    Here,
}

impl Kind {
    /// As a filter goes by.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Lost(class) => class.name(),
            Kind::Doubt(why) => why.name(),
            Kind::Here => "this question",
        }
    }

    pub fn about(self) -> &'static str {
        match self {
            Kind::Lost(class) => class.about(),
            Kind::Doubt(why) => why.about(),
            Kind::Here => "what this question returns, and its gold",
        }
    }

    /// Beside a row: without the class, which is what the program says and would lead the person's hand.
    pub fn short(self) -> &'static str {
        match self {
            Kind::Lost(_) => "lost gold",
            Kind::Doubt(Doubtful::AnswerElsewhere) => "has the answer",
            Kind::Doubt(Doubtful::TwinTitle) => "twin title",
            Kind::Doubt(Doubtful::AnswerMissing) => "no answer in gold",
            Kind::Here => "",
        }
    }
}

/// A passage to be labelled.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Place of the question in the set; none for one that was typed.
    pub at: Option<usize>,
    pub passage: u32,
    /// As the corpus has it.
    pub id: String,
    pub title: String,
    pub kind: Kind,
}

/// What the annotator has said so far of one passage, not saved yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// Question and passage it belongs to, and the passage's id.
    pub question: String,
    pub passage: u32,
    pub key: String,
    pub grade: Option<u8>,
    pub cause: Option<Cause>,
    pub gold: Option<bool>,
    pub note: String,
    /// What the program says was asked for.
    pub told: bool,
}

impl Draft {
    /// Whether it says the same as another of its passage; that the verdict was looked at is no judgement.
    pub fn says(&self, other: &Draft) -> bool {
        let judgement = |draft: &Draft| (draft.grade, draft.cause, draft.gold, draft.note.clone());
        judgement(self) == judgement(other)
    }

    /// Its judgement in a few words.
    pub fn words(&self) -> String {
        let grade = self.grade.map(|grade| format!("grade {grade}"));
        let cause = self.cause.map(|cause| cause.name().to_owned());
        let gold = self
            .gold
            .map(|gold| ["not gold", "gold"][usize::from(gold)].to_owned());
        let note = (!self.note.is_empty()).then(|| "a note".to_owned());
        let words: Vec<String> = [grade, cause, gold, note].into_iter().flatten().collect();
        match words.is_empty() {
            true => "nothing".to_owned(),
            false => words.join(", "),
        }
    }
}

/// Everything about labels.
#[derive(Clone, Debug, Default)]
pub struct Labelling {
    pub labels: Labels,
    pub annotator: String,
    /// Where they are kept; empty where they are not.
    pub file: String,
    /// The only kind that the queue lists.
    pub kind: Option<Kind>,
    /// Gold, ranks and verdicts are hidden in Annotate.
    pub blind: bool,
    /// What is not saved yet, one a question and passage.
    pub drafts: Vec<Draft>,
    /// The row of the queue that was shown last, by its question and passage: where labelling goes on.
    pub stopped: Option<(Option<usize>, u32)>,
    /// Quitting was asked for while drafts were not saved.
    pub warned: bool,
    /// Keys that came before the passage they are meant for, oldest first.
    pub ahead: Vec<crossterm::event::KeyEvent>,
}

impl State {
    /// Keys of the strip label, though it is not open; while an answer is awaited they wait for it.
    pub fn labels_by_key(&self) -> bool {
        self.view == View::Annotate && self.focus != Pane::Question
    }

    /// Gold, ranks and verdicts are hidden.
    pub fn blind(&self) -> bool {
        self.labelling.blind && self.view == View::Annotate
    }

    /// The id of a question of the set, empty of one that was typed, and its text.
    pub fn question_of(&self, at: Option<usize>) -> (&str, &str) {
        let asked = at.and_then(|at| self.facts.questions.get(at));
        asked.map_or(("", &self.wanted.question), |asked| {
            (&asked.id, &asked.text)
        })
    }

    /// What a question goes by in labels.
    fn asked(&self, at: Option<usize>) -> &str {
        match self.question_of(at) {
            ("", text) => text,
            (id, _) => id,
        }
    }

    /// What the annotator said of a passage of the queue.
    pub fn label_of(&self, item: &Item) -> Option<&Label> {
        let own = &self.labelling;
        own.labels.of(self.asked(item.at), &item.id, &own.annotator)
    }

    /// What stands in the strip: what is not saved yet, else the label of the passage.
    pub fn draft(&self) -> Option<Draft> {
        let saved = self.saved()?;
        let own = |draft: &&Draft| {
            draft.passage == saved.passage && draft.question == self.wanted.question
        };
        Some(
            self.labelling
                .drafts
                .iter()
                .find(own)
                .cloned()
                .unwrap_or(saved),
        )
    }

    /// The label of the passage on screen as a draft; an empty one where it has none.
    fn saved(&self) -> Option<Draft> {
        let why = self.why()?;
        let asked = self.asked(self.wanted.asked);
        let labels = &self.labelling.labels;
        let label = labels.of(asked, &why.key, &self.labelling.annotator);
        let empty = Draft {
            question: self.wanted.question.clone(),
            passage: why.passage,
            key: why.key.clone(),
            ..Draft::default()
        };
        Some(label.map_or(empty.clone(), |label| Draft {
            grade: label.grade,
            cause: label.cause,
            gold: label.gold,
            note: label.note.clone(),
            ..empty
        }))
    }

    /// Keeps a draft of the passage on screen until it is saved.
    pub fn keep_draft(&mut self, draft: Draft) {
        let own = |kept: &Draft| kept.passage == draft.passage && kept.question == draft.question;
        self.labelling.drafts.retain(|kept| !own(kept));
        self.labelling.drafts.push(draft);
        self.labelling.warned = false;
    }

    /// What the strip says that is not saved.
    pub fn unsaved(&self) -> Option<Draft> {
        let (draft, saved) = (self.draft()?, self.saved()?);
        (!draft.says(&saved)).then_some(draft)
    }

    /// The draft of a passage of the queue that says something.
    pub fn draft_of(&self, item: &Item) -> Option<&Draft> {
        let (_, question) = self.question_of(item.at);
        let own = |draft: &&Draft| draft.passage == item.passage && draft.question == question;
        let draft = self.labelling.drafts.iter().find(own)?;
        (!draft.says(&Draft::default())).then_some(draft)
    }

    /// What the program says of the passage on screen, where it is lost.
    pub fn said(&self) -> Option<Said> {
        let why = self.why()?;
        let first = why.reasons.first()?;
        Some(Said {
            code: first.code,
            class: first.class,
        })
    }

    /// Whether what the program says of the passage can be seen while it is labelled.
    pub fn verdict_shown(&self, draft: &Draft) -> bool {
        let by_class = matches!(self.labelling.kind, Some(Kind::Lost(_))) && !self.blind();
        draft.told || by_class || self.view != View::Annotate
    }

    /// The label that a draft becomes. It has no time: that is known when it is written.
    pub fn labelled(&self, draft: &Draft) -> Option<Label> {
        let why = self.why()?;
        let (id, _) = self.question_of(self.wanted.asked);
        Some(Label {
            question: id.to_owned(),
            text: self.wanted.question.clone(),
            passage: why.key.clone(),
            annotator: self.labelling.annotator.clone(),
            time: String::new(),
            index: self.facts.fingerprint.clone(),
            grade: draft.grade,
            cause: draft.cause,
            gold: draft.gold,
            note: draft.note.clone(),
            said: self.said(),
            shown: self.verdict_shown(draft),
            blind: self.blind(),
            method: self.settings.method().name.to_string(),
            settings: super::flags::flags(&self.settings, &self.facts.reranker).join(" "),
            rank: why.rank,
            withdrawn: false,
        })
    }

    /// Everything that waits for a label, lost gold first; what this question returns where nothing else is known.
    fn waiting(&self) -> Vec<Item> {
        let judged = self.score().filter(|score| score.judged);
        let asked = judged.map_or(&[][..], |score| &score.asked[..]);
        let mut items: Vec<Item> = asked.iter().flat_map(|q| q.to_label.clone()).collect();
        items.sort_by_key(|item| (item.kind, item.at));
        items
    }

    /// What the question on screen returns, and its gold that is not returned.
    fn here(&self) -> Vec<Item> {
        let Some(scene) = self.scene() else {
            return Vec::new();
        };
        let item = |passage: u32, id: &str, title: &str| Item {
            at: self.wanted.asked,
            passage,
            id: id.to_owned(),
            title: title.to_owned(),
            kind: Kind::Here,
        };
        let top = scene.passages.iter().take(scene.top_k);
        let mut items: Vec<Item> = top
            .map(|row| item(row.passage, &row.key, &row.title))
            .collect();
        for gold in &scene.gold {
            if items.iter().all(|item| item.passage != gold.passage) {
                items.push(item(gold.passage, &gold.key, &gold.title));
            }
        }
        items
    }

    /// What the queue lists. Nothing of its order tells a blind annotator what the program thinks.
    pub fn queue(&self) -> Vec<Item> {
        let mut items = match self.labelling.kind {
            Some(Kind::Here) => self.here(),
            Some(kind) if !self.blind() => {
                let mut items = self.waiting();
                items.retain(|item| item.kind == kind);
                items
            }
            _ => match self.waiting() {
                items if items.is_empty() => self.here(),
                items => items,
            },
        };
        if self.blind() {
            items.sort_by_key(|item| (item.at, item.passage));
        }
        items
    }

    /// The kinds there are, with how many of each are done and how many there are.
    pub fn kinds(&self) -> Vec<(Kind, usize, usize)> {
        let mut kinds: Vec<(Kind, usize, usize)> = Vec::new();
        for item in self.waiting().into_iter().chain(self.here()) {
            if kinds.last().is_none_or(|last| last.0 != item.kind) {
                kinds.push((item.kind, 0, 0));
            }
            if let Some(last) = kinds.last_mut() {
                last.1 += usize::from(self.label_of(&item).is_some());
                last.2 += 1;
            }
        }
        kinds
    }
}

/// What the set has to be labelled at one question: its lost gold, and what is doubtful about the rest.
pub fn to_label(
    index: &crate::index::Index,
    at: usize,
    lost: &[(u32, Code, Class)],
    doubts: Vec<crate::evaluate::Doubt>,
) -> Vec<Item> {
    let lost = lost.iter().map(|lost| (lost.0, Kind::Lost(lost.2)));
    let doubts = doubts.into_iter();
    let mut items: Vec<Item> = Vec::new();
    for (passage, kind) in lost.chain(doubts.map(|doubt| (doubt.passage, Kind::Doubt(doubt.why)))) {
        if items.iter().all(|item| item.passage != passage) {
            items.push(Item {
                at: Some(at),
                passage,
                id: index.id(passage).to_owned(),
                title: super::text::clean(index.title(passage)),
                kind,
            });
        }
    }
    items
}
