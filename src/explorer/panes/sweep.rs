//! The strip of a sweep: gold ranks and worth for every value of a parameter, the present one marked.

use crate::explorer::hits::{Hits, Target};
use crate::explorer::sweep::Sweep;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use crate::explorer::view::ink::{Filling, Ink};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Columns of a row's name.
const NAME: usize = 8;

/// How many rows the strip wants.
pub fn height(ink: &Ink<'_>, sweep: &Sweep) -> usize {
    5 + gold(ink, sweep).len()
}

/// Draws as much as fits: the worth, the marks and what is previewed come before single passages.
pub fn render(ink: &Ink<'_>, sweep: &Sweep, area: Rect, buf: &mut Buffer, hits: &mut Hits) {
    let width = usize::from(area.width);
    let room = width.saturating_sub(NAME + 1);
    if room == 0 || area.height == 0 {
        return;
    }
    let first = sweep
        .cursor
        .saturating_sub(room / 2)
        .min(sweep.values.len().saturating_sub(room));
    let shown = first..sweep.values.len().min(first + room);
    let row = |name: &str, scope: Scope, cell: &dyn Fn(usize) -> (String, Scope)| {
        let mut spans = vec![ink.span(format!("{} ", text::pad(name, NAME)), scope)];
        for at in shown.clone() {
            let (cell, scope) = cell(at);
            let mut span = ink.span(cell, scope);
            if at == sweep.cursor {
                span.style = span.style.patch(ink.style(Scope::Selection));
            }
            spans.push(span);
        }
        Line::from(spans)
    };
    let column = |at: usize| sweep.columns[at].as_ref();
    let k = ink.state.scene().map_or(10, |scene| scene.top_k);
    let measured = ink.state.scene().is_some_and(|s| !s.measures.is_empty());
    let worth = if measured { "R@5" } else { "stay" };
    let mut lines = vec![heading(ink, sweep, width)];
    let names = gold(ink, sweep);
    let spare = usize::from(area.height).saturating_sub(4);
    let legend = spare > names.len() && !names.is_empty();
    for (i, name) in names.iter().enumerate().take(spare) {
        lines.push(row(name, Scope::Passage, &|at| match column(at) {
            None => (" ".to_owned(), Scope::Muted),
            Some(column) => rank(ink, column.gold.get(i).copied().flatten(), k),
        }));
    }
    lines.push(row(worth, Scope::Text, &|at| match column(at) {
        None => (ink.glyphs.levels[0].to_owned(), Scope::Muted),
        Some(column) => {
            let level = 1 + (column.worth.clamp(0.0, 1.0) * 7.0).round() as usize;
            (
                ink.glyphs.levels[level].to_owned(),
                Scope::of_measure(column.worth),
            )
        }
    }));
    lines.push(row("", Scope::Text, &|at| match at {
        at if at == sweep.cursor => (ink.glyphs.arrows[0].to_owned(), Scope::Key),
        at if at == sweep.present => ("|".to_owned(), Scope::Muted),
        _ => (" ".to_owned(), Scope::Muted),
    }));
    lines.push(previewed(ink, sweep, worth, width));
    if legend {
        let words = "1-9 rank, = inside, bars sink behind the cut, - not ranked";
        lines.push(Line::from(vec![ink.muted(text::cut(words, width))]));
    }
    for (y, line) in lines.iter().take(usize::from(area.height)).enumerate() {
        buf.set_line(area.x, area.y + y as u16, line, area.width);
    }
    for (x, at) in shown.enumerate() {
        let x = area.x + (NAME + 1 + x) as u16;
        let rows = area.height.saturating_sub(3);
        hits.add(Rect::new(x, area.y + 1, 1, rows), Target::Sweep(at));
    }
}

/// Identifiers of the gold passages.
fn gold(ink: &Ink<'_>, sweep: &Sweep) -> Vec<String> {
    let ranked = sweep.columns.iter().flatten().map(|c| c.gold.len());
    let rows = ranked.max().unwrap_or(0);
    let gold = ink.state.scene().map_or(&[][..], |scene| &scene.gold);
    gold.iter().take(rows).map(|g| g.id.clone()).collect()
}

/// The deepest rank that is told from deeper ones.
const DEEPEST: f64 = 1000.0;

/// Inside the cut a figure; behind it a bar that sinks as the rank's logarithm grows.
fn rank(ink: &Ink<'_>, rank: Option<usize>, k: usize) -> (String, Scope) {
    match rank {
        Some(rank @ 1..=9) if rank <= k => (rank.to_string(), Scope::Value),
        Some(rank) if rank <= k => ("=".to_owned(), Scope::Value),
        Some(rank) => {
            let k = (k.max(1) as f64).min(DEEPEST - 1.0);
            let behind = (rank as f64 / k).ln() / (DEEPEST / k).ln();
            let level = 7 - (6.0 * behind.clamp(0.0, 1.0)).round() as usize;
            (ink.glyphs.levels[level].to_owned(), Scope::RankDown)
        }
        None => ("-".to_owned(), Scope::Error),
    }
}

/// The parameter, the ends of the strip, and how far it is.
fn heading(ink: &Ink<'_>, sweep: &Sweep, width: usize) -> Line<'static> {
    let declaration = sweep.parameter.declaration();
    let ends = [sweep.values.first(), sweep.values.last()]
        .map(|v| v.map_or_else(String::new, |v| short(&declaration.domain.format(*v))));
    let mut filling = Filling::new(width);
    filling.add(vec![
        ink.span(format!("{} ", ink.glyphs.rule.repeat(2)), Scope::Border),
        ink.span(format!("sweep {} ", declaration.label), Scope::Title),
    ]);
    match &sweep.failed {
        Some(said) => {
            let room = filling.room();
            filling.add(vec![ink.span(text::cut(said, room), Scope::Error)]);
        }
        None => {
            filling.add(vec![ink.muted(format!("{} to {} ", ends[0], ends[1]))]);
            if sweep.done() < sweep.values.len() {
                let done = format!("{} of {} ", sweep.done(), sweep.values.len());
                filling.add(vec![ink.span(done, Scope::Warn)]);
            }
        }
    }
    let rest = ink.glyphs.rule.repeat(filling.room());
    filling.add(vec![ink.span(rest, Scope::Border)]);
    filling.line
}

/// The value under the cursor and what it gives, against the present one.
fn previewed(ink: &Ink<'_>, sweep: &Sweep, worth: &str, width: usize) -> Line<'static> {
    let domain = &sweep.parameter.declaration().domain;
    let value = short(&domain.format(sweep.values[sweep.cursor]));
    let mut filling = Filling::new(width);
    filling.add(vec![ink.value(text::cut(&value, width))]);
    if let Some(column) = &sweep.columns[sweep.cursor] {
        let mut spans: Vec<Span<'static>> = vec![
            ink.muted(format!("  {worth} ")),
            ink.span(text::share(column.worth), Scope::of_measure(column.worth)),
        ];
        let present = sweep.columns[sweep.present].as_ref();
        if let Some(now) = present.filter(|_| sweep.cursor != sweep.present) {
            spans.push(ink.muted(format!(" was {}", text::share(now.worth))));
        }
        filling.add(spans);
        if !column.gold.is_empty() {
            filling.add(vec![
                ink.muted("  gold "),
                ink.value(text::ranks(&column.gold)),
            ]);
        }
    }
    filling.add(vec![
        ink.text("  "),
        ink.span("Enter", Scope::Key),
        ink.muted(" take"),
    ]);
    filling.add(vec![
        ink.text("  "),
        ink.span("Esc", Scope::Key),
        ink.muted(" leave"),
    ]);
    filling.line
}

fn short(value: &str) -> String {
    match value.strip_prefix("0.") {
        Some(rest) => format!(".{rest}"),
        None => value.to_owned(),
    }
}
