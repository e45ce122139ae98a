//! What waits for a label, and what is done of it.

use super::Words;
use super::need;
use super::{Card, Contents};
use crate::evaluate::labels::Label;
use crate::explorer::action::Action;
use crate::explorer::command::Command;
use crate::explorer::hits::Hits;
use crate::explorer::labelling::{Item, Kind};
use crate::explorer::layout::{Pane, Slot, cut_top};
use crate::explorer::panes::ink::{Chrome, Ink, flow, packed};
use crate::explorer::panes::row::stack;
use crate::explorer::scene::Scene;
use crate::explorer::state::State;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::text::{Line, Span};
use serde_json::Value;
use serde_json::json;

/// Columns of the sign of a label and of a kind.
const DONE: usize = 6;
const KIND: usize = 18;

/// The kinds with what is done of each, the listed one set off, and how far the set was asked.
fn kinds(ink: &Ink<'_>, width: usize) -> Vec<Line<'static>> {
    let state = ink.state;
    let group = |(kind, done, all): (Kind, usize, usize)| {
        let chosen = state.labelling.kind == Some(kind);
        let scope = [Scope::Text, Scope::Title][usize::from(chosen)];
        vec![
            ink.span(kind.name(), scope),
            ink.muted(format!(" {done}/{all}  ")),
        ]
    };
    let mut groups: Vec<Vec<Span<'static>>> = state.kinds().into_iter().map(group).collect();
    match state.score() {
        Some(score) if score.done < score.of => {
            groups.push(vec![
                ink.muted(format!("set {} of {}", score.done, score.of)),
            ]);
        }
        None if state.scoring.request().is_some() => {
            groups.push(vec![ink.muted(state.no_score().to_owned())])
        }
        _ => {}
    }
    let mut lines = packed(groups, width, 0);
    if let Some(kind) = state.labelling.kind {
        lines.extend(flow(vec![ink.muted(kind.about())], width, 0));
    }
    lines
}

fn line(ink: &Ink<'_>, item: &Item, width: usize) -> Line<'static> {
    let state = ink.state;
    let asked = item.at.and_then(|at| state.facts.questions.get(at));
    let here = state.wanted.asked == item.at && state.wanted.subject.passage == Some(item.passage);
    let (sign, scope) = match (state.draft_of(item), state.label_of(item)) {
        (Some(_), _) => ("draft".to_owned(), Scope::Warn),
        (None, Some(label)) => (sign(label), Scope::Ok),
        (None, None) => ("-".to_owned(), Scope::Muted),
    };
    let kinds = match item.kind {
        _ if state.blind() || width < 60 => 0,
        Kind::Here => 0,
        _ => KIND,
    };
    let rest = width.saturating_sub(DONE + kinds);
    let question = match item.kind {
        Kind::Here => 0,
        _ => rest / 2,
    };
    let title = match &*item.title {
        "" => &item.id,
        title => title,
    };
    let title = text::cut(title, (rest - question).saturating_sub(1));
    let kind = if kinds == 0 { "" } else { item.kind.short() };
    let words = ink.said(asked.map_or("", |asked| &asked.text));
    let words = text::cut(&words, question.saturating_sub(1));
    Line::from(vec![
        ink.span(text::pad(&sign, DONE), scope),
        ink.span(text::pad(&title, rest - question), Scope::Passage),
        ink.muted(text::pad(kind, kinds)),
        ink.span(words, [Scope::Text, Scope::Title][usize::from(here)]),
    ])
}

/// A label in a few letters: grade, cause, gold.
fn sign(label: &Label) -> String {
    let grade = label.grade.map(|grade| grade.to_string());
    let cause = label.cause.map(|cause| cause.key().to_string());
    let gold = label
        .gold
        .map(|gold| ["-", "+"][usize::from(gold)].to_owned());
    let note = (!label.note.is_empty()).then(|| "n".to_owned());
    [grade, cause, gold, note].into_iter().flatten().collect()
}

pub struct Queue;

impl Contents for Queue {
    fn card(&self) -> &'static Card {
        &Card {
            about: "Queue: missed and doubtful gold; Enter labels, Left and Right filter by kind",
            keys: &[Command::Open, Command::Blind, Command::Withdraw],
            ..Card::PLAIN
        }
    }

    fn draw(&self, ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
        let state = ink.state;
        let queue = state.queue();
        let done = queue.iter().filter(|item| state.label_of(item).is_some());
        let done = format!("{} of {} done", done.count(), queue.len());
        let kind = state.labelling.kind.filter(|_| !state.blind());
        let title = match kind {
            _ if state.blind() => "Queue (blind)".to_owned(),
            Some(kind) => format!("Queue: {}", kind.name()),
            None => "Queue".to_owned(),
        };
        let chrome = Chrome {
            title,
            short: "Queue",
            note: Line::from(match state.blind() || kind.is_some() {
                true => vec![ink.muted(done.clone())],
                false => vec![
                    ink.span(
                        format!("{} {}", ink.glyphs.arrows[2], ink.glyphs.arrows[3]),
                        Scope::Key,
                    ),
                    ink.muted(format!(" kind  {done}")),
                ],
            }),
            summary: Line::from(vec![ink.text(done)]),
        };
        let Some(area) = ink.frame(slot, chrome, buf, hits) else {
            return;
        };
        let head = match state.blind() {
            true => Vec::new(),
            false => kinds(ink, usize::from(area.width).saturating_sub(2)),
        };
        // Rows first: counts are told as far as they leave half of the room.
        let head: Vec<Line<'static>> = head
            .into_iter()
            .take(usize::from(area.height) / 2)
            .collect();
        let (over, below) = cut_top(area, head.len() as u16);
        stack(&head, over, 1, buf);
        if queue.is_empty() {
            let words = match (state.score(), state.scoring.request().is_some()) {
                (None, true) => state.no_score(),
                _ => "the queue is empty",
            };
            buf.set_line(
                below.x + 1,
                below.y,
                &Line::from(vec![ink.muted(words)]),
                below.width,
            );
        }
        ink.list(Pane::Queue, below, queue.len(), buf, hits, &|row, width| {
            line(ink, &queue[row], width)
        });
    }

    fn count(&self, state: &State) -> usize {
        state.queue().len()
    }

    fn words(&self, state: &State) -> Vec<Option<Words>> {
        let shown = |item: &Item| {
            let asked = item.at.and_then(|at| state.facts.questions.get(at));
            let question = asked
                .filter(|_| !state.masked)
                .map(|asked| asked.text.clone());
            let kind = (!state.blind()).then(|| item.kind.short().to_owned());
            let name = format!("{} {}", item.id, item.title);
            Some(Words::new(name, question.into_iter().chain(kind)))
        };
        let queue = state.scene().map_or_else(Vec::new, |_| state.queue());
        queue.iter().map(shown).collect()
    }

    fn copied(&self, state: &State, _: &Scene, row: usize) -> Option<(String, String)> {
        let queue = state.queue();
        let item = queue.get(row)?;
        let asked = item.at.and_then(|at| state.facts.questions.get(at));
        let asked = asked.map_or("", |asked| &asked.id);
        Some((
            format!("{asked}\t{}\t{}", item.id, item.title),
            "row".to_owned(),
        ))
    }

    fn json(&self, state: &State, _: &Scene) -> (Value, &'static str) {
        (json!(state.labelling.labels.standing()), "labels")
    }

    fn can_enter(&self, state: &State, _: usize) -> Result<(), String> {
        need(self.count(state) > 0, "the queue is empty")
    }

    fn enter(&self, _: &State, row: usize) -> Option<Action> {
        Some(Action::LabelRow(row))
    }
}
