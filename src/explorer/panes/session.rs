//! The runs of this session, newest first, each with what was different and what it was worth.

use crate::explorer::hits::Hits;
use crate::explorer::layout::{Pane, Slot};
use crate::explorer::state::Run;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use crate::explorer::view::ink::{Chrome, Ink};
use ratatui::buffer::Buffer;
use ratatui::text::Line;

pub fn render(ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
    let runs = &ink.state.session;
    let newest = runs
        .last()
        .map(|run| run_line(ink, run, usize::from(slot.area.width).saturating_sub(15)));
    let chrome = Chrome {
        title: "Session".into(),
        note: Line::from(vec![
            ink.muted(format!("{}, R@5", text::plural(runs.len(), "run"))),
        ]),
        summary: newest.unwrap_or_default(),
        ..Chrome::default()
    };
    let Some(area) = ink.frame(slot, chrome, buf, hits) else {
        return;
    };
    ink.list(Pane::Session, area, runs.len(), buf, hits, &|row, width| {
        runs.iter()
            .rev()
            .nth(row)
            .map_or_else(Line::default, |run| run_line(ink, run, width))
    });
}

fn run_line(ink: &Ink<'_>, run: &Run, width: usize) -> Line<'static> {
    let worth = match (&run.headline, run.first_gold) {
        (Some((_, value)), _) => text::share(*value),
        (None, Some(Some(rank))) => format!("#{rank}"),
        _ => String::new(),
    };
    let changes = changes(run);
    let here = run.question == ink.state.wanted.question;
    let number = text::pad(&run.number.to_string(), 3);
    let method = &*run.settings.method().name;
    let room = width.saturating_sub(number.len() + 5);
    let words = if changes.is_empty() {
        method.to_owned()
    } else {
        format!("{method} {changes}")
    };
    let scope = if here { Scope::Text } else { Scope::Muted };
    let worth_scope = match run.headline {
        Some((_, value)) => Scope::of_measure(value),
        None => Scope::Value,
    };
    Line::from(vec![
        ink.muted(number),
        ink.span(text::pad(&words, room), scope),
        ink.span(text::pad_left(&worth, 5), worth_scope),
    ])
}

/// What was set, in the symbols of the papers.
fn changes(run: &Run) -> String {
    let uses = run.settings.method().uses();
    let changed = uses
        .into_iter()
        .filter(|p| run.settings.value(*p) != run.settings.method().default(*p));
    let words: Vec<String> = changed
        .map(|p| {
            let value = run.settings.text(p);
            format!(
                "{} {}",
                p.declaration().symbol,
                value
                    .strip_prefix('0')
                    .filter(|v| v.starts_with('.'))
                    .unwrap_or(&value)
            )
        })
        .collect();
    let edits = run.settings.seed_edits().iter().map(ToString::to_string);
    let graph = run.settings.graph_edits().iter().map(ToString::to_string);
    let edits = edits.chain(graph);
    words.into_iter().chain(edits).collect::<Vec<_>>().join(" ")
}
