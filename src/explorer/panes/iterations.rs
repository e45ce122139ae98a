//! The walk step by step: how much still moves, on which side mass is, and where gold was at each step.

use crate::explorer::hits::{Hits, Target};
use crate::explorer::layout::{Face, Pane, Slot};
use crate::explorer::scene::{Basis, Scene, Step, Walk};
use crate::explorer::text;
use crate::explorer::theme::Scope;
use crate::explorer::view::ink::{Chrome, Filling, Ink, flow};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Columns of a row's name, and of one step.
const NAME: usize = 14;
const CELL: usize = 7;

pub fn render(ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
    let state = ink.state;
    let scene = state.scene();
    if let Some(story) = scene
        .and_then(|s| s.story.as_deref())
        .filter(|story| !story.timeline.is_empty())
    {
        return super::story::timeline(ink, slot, story, buf, hits);
    }
    let walk = scene
        .and_then(|s| s.walk.as_ref())
        .filter(|walk| walk.steps.len() > 1);
    let (Some(scene), Some(walk)) = (scene, walk) else {
        let why = match scene {
            Some(scene) if scene.story.is_some() => {
                format!("{} told of no timeline", state.settings.method().name)
            }
            Some(_) => format!(
                "{} has no steps: one ranking, no walk",
                state.settings.method().name
            ),
            None => String::new(),
        };
        let chrome = Chrome {
            title: "Iterations".into(),
            summary: Line::from(vec![ink.muted(why.clone())]),
            ..Chrome::default()
        };
        if slot.face == Face::Line && slot.area.height > 1 {
            hits.add(slot.area, Target::Pane(Pane::Iterations));
            buf.set_stringn(
                slot.area.x + 1,
                slot.area.y,
                why,
                usize::from(slot.area.width) - 1,
                ink.style(Scope::Muted),
            );
        } else if let Some(area) = ink.frame(slot, chrome, buf, hits) {
            buf.set_stringn(
                area.x + 1,
                area.y,
                why,
                usize::from(area.width).saturating_sub(1),
                ink.style(Scope::Muted),
            );
        }
        return;
    };
    let last = walk.steps.len() - 1;
    let now = state.earlier_step().unwrap_or(last);
    // At 100x30 two lines without a frame: the scrubber and the gold ranks.
    if slot.face == Face::Line && slot.area.height > 1 {
        hits.add(slot.area, Target::Pane(Pane::Iterations));
        scrubber(ink, walk, now, slot.area, buf, hits);
        let line = gold_line(ink, scene, walk, now, usize::from(slot.area.width));
        buf.set_line(slot.area.x, slot.area.y + 1, &line, slot.area.width);
        return;
    }
    let title = match (walk.push, now == last) {
        (true, true) => format!(
            "Iterations: {} pushes{}",
            text::count(walk.work),
            if walk.capped { ", capped" } else { "" }
        ),
        (true, false) => format!("Iterations: mark {now} of {last}"),
        (false, true) if last == 1 => "Iterations: one step".to_owned(),
        (false, true) => format!("Iterations: all {last} steps"),
        (false, false) => format!("Iterations: step {now} of {last}"),
    };
    let mut note = Vec::new();
    for (key, name) in [("Space", "play"), (", .", "step"), ("{ }", "ends")] {
        note.push(ink.span(key, Scope::Key));
        note.push(ink.muted(format!(" {name}")));
        if name != "ends" {
            note.push(ink.text("  "));
        }
    }
    let summary = gold_line(
        ink,
        scene,
        walk,
        now,
        usize::from(slot.area.width).saturating_sub(15),
    );
    let Some(area) = ink.frame(
        slot,
        Chrome {
            title,
            short: "Iterations",
            note: Line::from(note),
            summary,
        },
        buf,
        hits,
    ) else {
        return;
    };
    if area.height == 0 {
        return;
    }
    scrubber(ink, walk, now, Rect { height: 1, ..area }, buf, hits);
    let below = Rect {
        y: area.y + 1,
        height: area.height - 1,
        ..area
    };
    let needed = (NAME + 2 + CELL * walk.steps.len()) as u16;
    let table = Rect {
        width: needed.max(below.width / 2).min(below.width),
        ..below
    };
    let table = if below.width - table.width < 40 {
        below
    } else {
        Rect {
            width: needed.min(table.width),
            ..below
        }
    };
    ink.scrolled(
        Pane::Iterations,
        table,
        &rows(ink, scene, walk, now, usize::from(table.width)),
        buf,
        hits,
    );
    let side = (below.width - table.width).min(96);
    if side > 30 {
        let told = told(ink, scene, walk, now, usize::from(side) - 4);
        for (y, line) in told.iter().take(usize::from(below.height)).enumerate() {
            buf.set_line(
                below.x + table.width + 3,
                below.y + y as u16,
                line,
                side - 4,
            );
        }
    }
}

fn scrubber(ink: &Ink<'_>, walk: &Walk, now: usize, area: Rect, buf: &mut Buffer, hits: &mut Hits) {
    let last = walk.steps.len() - 1;
    let name = if walk.push { "mark" } else { "step" };
    let head = format!(" {name} {now} of {last} ");
    let playing = if ink.state.playing { " playing" } else { "" };
    let moved = format!(" moved {}{playing}", text::score(walk.steps[now].moved));
    let (x, _) = buf.set_stringn(
        area.x,
        area.y,
        &head,
        usize::from(area.width),
        ink.style(Scope::Value),
    );
    let room = usize::from((area.x + area.width).saturating_sub(x)).saturating_sub(moved.len() + 1);
    let fraction = now as f64 / last as f64;
    let track = crate::explorer::glyphs::slider(fraction, room, ink.glyphs);
    let (end, _) = buf.set_stringn(x, area.y, track, room, ink.style(Scope::Key));
    hits.add(
        Rect::new(x + 1, area.y, (room as u16).saturating_sub(2), 1),
        Target::Scrubber,
    );
    buf.set_stringn(
        end,
        area.y,
        moved,
        usize::from((area.x + area.width).saturating_sub(end)),
        ink.style(Scope::Muted),
    );
}

/// Which steps have a column: all when they fit, else the ends and those around the shown one.
fn shown(steps: usize, now: usize, width: usize) -> Vec<usize> {
    let room = (width.saturating_sub(NAME + 1) / CELL).max(1);
    if steps <= room {
        return (0..steps).collect();
    }
    let first = now.saturating_sub(room / 2).min(steps - room);
    let mut shown: Vec<usize> = (first..first + room).collect();
    if let Some(end) = shown.last_mut() {
        *end = steps - 1;
    }
    shown
}

fn rows(ink: &Ink<'_>, scene: &Scene, walk: &Walk, now: usize, width: usize) -> Vec<Line<'static>> {
    let columns = shown(walk.steps.len(), now, width);
    let row = |name: String, scope: Scope, cell: &dyn Fn(&Step) -> (String, Scope)| {
        let mut spans = vec![ink.span(format!(" {}", text::pad(&name, NAME)), scope)];
        for &k in &columns {
            let (figure, scope) = cell(&walk.steps[k]);
            let mut span = ink.span(text::pad_left(&figure, CELL), scope);
            if k == now {
                span.style = span.style.patch(ink.style(Scope::Selection));
            }
            spans.push(span);
        }
        Line::from(spans)
    };
    let mut head = vec![ink.muted(format!(
        " {}",
        text::pad(if walk.push { "mark" } else { "step" }, NAME)
    ))];
    for &k in &columns {
        head.push(ink.span(
            text::pad_left(&k.to_string(), CELL),
            if k == now { Scope::Title } else { Scope::Muted },
        ));
    }
    let mut lines = vec![Line::from(head)];
    for (i, gold) in scene.gold.iter().enumerate() {
        lines.push(row(
            format!("{} {}", ink.glyphs.gold, gold.id),
            Scope::Gold,
            &|step| match step.gold.get(i).copied().flatten() {
                Some(rank) if rank <= scene.top_k => (rank.to_string(), Scope::Ok),
                Some(rank) => (rank.to_string(), Scope::Value),
                None => ("-".to_owned(), Scope::Muted),
            },
        ));
    }
    let ledger = |name: &str, of: fn(&Step) -> f64| {
        row(name.to_owned(), Scope::Muted, &move |step| {
            (figure(of(step)), Scope::Value)
        })
    };
    lines.push(ledger("on passages", |s| s.ledger.passages));
    if walk.push {
        lines.push(ledger("not settled", |s| s.ledger.residual));
    } else {
        lines.push(ledger("moved", |s| s.moved));
    }
    if walk.steps.iter().any(|s| s.ledger.dropped > 0.0) {
        lines.push(ledger("dropped", |s| s.ledger.dropped));
    }
    lines
}

/// At most five columns.
fn figure(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        _ if value < 0.0005 => format!("{value:.0e}"),
        _ => text::measure(value),
    }
}

/// What the steps mean, in words that the numbers prove.
fn told(ink: &Ink<'_>, scene: &Scene, walk: &Walk, now: usize, width: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let last = walk.steps.len() - 1;
    if now == 0 {
        lines.extend(flow(vec![ink.text("Only the seeds hold mass.")], width, 0));
    }
    if scene.basis != Basis::Walk {
        let words = "These are ranks by what the walk lands, not the result's.";
        lines.extend(flow(vec![ink.text(words)], width, 0));
    }
    if let Some(fixed) = fixed_from(walk).filter(|_| !scene.gold.is_empty()) {
        let words = match fixed {
            k if k == last && !walk.push => format!(
                "Gold ranks still changed in the last step, {last}: another number of steps ranks differently."
            ),
            k => format!("Gold ranks are fixed from step {k}."),
        };
        lines.extend(flow(vec![ink.text(words)], width, 0));
    }
    if let Some((names, passages)) = walk.parity.filter(|_| !walk.push) {
        let words = format!(
            "{last} steps let {} of a name seed's mass end on passages, and {} of a passage seed's.",
            text::share(names),
            text::share(passages)
        );
        lines.extend(flow(vec![ink.muted(words)], width, 0));
    } else if walk.push {
        let words = format!(
            "Push settles mass until no residual exceeds epsilon; the largest left is {}.",
            text::score(walk.largest_residual)
        );
        lines.extend(flow(vec![ink.muted(words)], width, 0));
    }
    lines
}

/// The first step from which no gold rank changes any more.
fn fixed_from(walk: &Walk) -> Option<usize> {
    let end = &walk.steps.last()?.gold;
    let changing = walk.steps.iter().rposition(|step| step.gold != *end);
    Some(changing.map_or(0, |k| k + 1))
}

/// The worst gold rank at each step.
fn gold_line(ink: &Ink<'_>, scene: &Scene, walk: &Walk, now: usize, width: usize) -> Line<'static> {
    let mut filling = Filling::new(width);
    if scene.gold.is_empty() {
        filling.add(vec![ink.muted(" mass on passages by step")]);
    } else {
        filling.add(vec![ink.muted(" worst gold rank by step")]);
    }
    for (k, step) in walk.steps.iter().enumerate() {
        let figure = match scene.gold.is_empty() {
            true => figure(step.ledger.passages),
            false if step.gold.iter().any(Option::is_none) => "-".to_owned(),
            false => step
                .gold
                .iter()
                .flatten()
                .max()
                .map_or_else(|| "-".to_owned(), ToString::to_string),
        };
        let scope = if k == now { Scope::Title } else { Scope::Value };
        let span: Span<'static> = ink.span(text::pad_left(&figure, 5), scope);
        if !filling.add(vec![span]) {
            break;
        }
    }
    filling.line
}
