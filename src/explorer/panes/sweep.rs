//! The strip of a sweep: gold ranks and worth for every value of a parameter, the present one marked.

use crate::explorer::hits::{Hits, Target};
use crate::explorer::jobs::sweep::Sweep;
use crate::explorer::panes::ink::{Filling, Ink};
use crate::explorer::panes::row::stack;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Columns of a row's name.
const NAME: usize = 8;

/// How many rows the strip wants.
pub fn height(ink: &Ink<'_>, sweep: &Sweep) -> usize {
    match &sweep.axes[..] {
        [rows, _] => 3 + rows.1.len(),
        _ => 5 + gold(ink, sweep).len(),
    }
}

/// Draws as much as fits: the worth, the marks and what is previewed come before single passages. Of two parameters the
/// rows are values of the one and show what each is worth.
pub fn render(ink: &Ink<'_>, sweep: &Sweep, area: Rect, buf: &mut Buffer, hits: &mut Hits) {
    let width = usize::from(area.width);
    let room = width.saturating_sub(NAME + 1);
    if room == 0 || area.height == 0 {
        return;
    }
    let values = sweep.width();
    let place = sweep.cursor % values;
    let first = place
        .saturating_sub(room / 2)
        .min(values.saturating_sub(room));
    let shown = first..values.min(first + room);
    let row = |name: &str, scope: Scope, begin: usize, cell: &dyn Fn(usize) -> (String, Scope)| {
        let mut spans = vec![ink.span(format!("{} ", text::pad(name, NAME)), scope)];
        for at in shown.clone().map(|at| begin + at) {
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
    let level = |at: usize| match column(at) {
        None => (ink.glyphs.levels[0].to_owned(), Scope::Muted),
        Some(column) => {
            let level = 1 + (column.worth.clamp(0.0, 1.0) * 7.0).round() as usize;
            (
                ink.glyphs.levels[level].to_owned(),
                Scope::of_measure(column.worth),
            )
        }
    };
    let mark = |at: usize| match at {
        at if at == place => (ink.glyphs.arrows[0].to_owned(), Scope::Key),
        at if at == sweep.present % values => ("|".to_owned(), Scope::Muted),
        _ => (" ".to_owned(), Scope::Muted),
    };
    let mut lines = vec![heading(ink, sweep, width)];
    // Of a grid the rows that are shown: a click there means a point, else a place in the one row.
    let mut clicked = 0..0;
    if let [(parameter, below), _] = &sweep.axes[..] {
        let rows = usize::from(area.height).saturating_sub(3).min(below.len());
        let from = (sweep.cursor / values)
            .saturating_sub(rows / 2)
            .min(below.len() - rows);
        clicked = from..from + rows;
        for at in clicked.clone() {
            let value = text::unzero(parameter.declaration().domain.format(below[at]));
            let scope = match at {
                at if at == sweep.cursor / values => Scope::Value,
                _ => Scope::Muted,
            };
            let name = text::pad_left(&text::cut(&value, NAME), NAME);
            // A full block would hide the cursor's ground: the cursor is a mark of its own.
            lines.push(row(&name, scope, at * values, &|at| match level(at) {
                (_, scope) if at == sweep.cursor => (ink.glyphs.knob.to_owned(), scope),
                level => level,
            }));
        }
    } else {
        let names = gold(ink, sweep);
        let spare = usize::from(area.height).saturating_sub(4);
        for (i, name) in names.iter().enumerate().take(spare) {
            lines.push(row(name, Scope::Passage, 0, &|at| match column(at) {
                None => (" ".to_owned(), Scope::Muted),
                Some(column) => rank(ink, column.gold.get(i).copied().flatten(), k),
            }));
        }
        lines.push(row(worth, Scope::Text, 0, &level));
    }
    lines.push(row("", Scope::Text, 0, &mark));
    lines.push(previewed(ink, sweep, worth, width));
    let ranks = clicked.is_empty() && sweep.columns.iter().flatten().any(|c| !c.gold.is_empty());
    if ranks && lines.len() < usize::from(area.height) {
        let words = "1-9 rank, = in top k, bars shrink below it, - unranked";
        lines.push(Line::from(vec![ink.muted(text::cut(words, width))]));
    }
    stack(&lines, area, 0, buf);
    for (x, at) in shown.enumerate() {
        let x = area.x + (NAME + 1 + x) as u16;
        if clicked.is_empty() {
            let rows = area.height.saturating_sub(3);
            hits.add(Rect::new(x, area.y + 1, 1, rows), Target::Sweep(at));
        }
        for (y, row) in (1..).zip(clicked.clone()) {
            let cell = Rect::new(x, area.y + y, 1, 1);
            hits.add(cell, Target::Sweep(row * values + at));
        }
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
    let Some((parameter, values)) = sweep.axes.last() else {
        return Line::default();
    };
    let declaration = parameter.declaration();
    let ends = [values.first(), values.last()]
        .map(|v| v.map_or_else(String::new, |v| text::unzero(declaration.domain.format(*v))));
    let below = match &sweep.axes[..] {
        [(other, _), _] => format!("by {} ", other.declaration().label),
        _ => String::new(),
    };
    let mut filling = Filling::new(width);
    filling.add(vec![
        ink.span(format!("{} ", ink.glyphs.rule.repeat(2)), Scope::Border),
        ink.span(format!("sweep {} {below}", declaration.label), Scope::Title),
    ]);
    match &sweep.failed {
        Some(said) => {
            let room = filling.room();
            filling.add(vec![ink.span(text::cut(said, room), Scope::Error)]);
        }
        None => {
            filling.add(vec![ink.muted(format!("{} to {} ", ends[0], ends[1]))]);
            if sweep.done() < sweep.columns.len() {
                let done = format!("{} of {} ", sweep.done(), sweep.columns.len());
                filling.add(vec![ink.span(done, Scope::Warn)]);
            }
        }
    }
    let rest = ink.glyphs.rule.repeat(filling.room());
    filling.add(vec![ink.span(rest, Scope::Border)]);
    filling.line
}

/// The values under the cursor and what it gives, against the present one.
fn previewed(ink: &Ink<'_>, sweep: &Sweep, worth: &str, width: usize) -> Line<'static> {
    let values = sweep.points.get(sweep.cursor).into_iter().flatten().rev();
    let value: Vec<String> = values
        .map(|(parameter, value)| text::unzero(parameter.declaration().domain.format(*value)))
        .collect();
    let value = value.join(", ");
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
        ink.muted(" apply"),
    ]);
    filling.add(vec![
        ink.text("  "),
        ink.span("Esc", Scope::Key),
        ink.muted(" cancel"),
    ]);
    filling.line
}
