//! Systems with a graph of their own: their seeds, stages, edges and timeline in the panes of the walk.

use super::row::{explained, say, split};
use crate::explorer::hits::Hits;
use crate::explorer::layout::{Pane, Slot};
use crate::explorer::rows::{StoryLine, story_lines};
use crate::explorer::scene::Why;
use crate::explorer::text::{self, Scale, figure};
use crate::explorer::theme::Scope;
use crate::explorer::view::ink::{Chrome, Filling, Ink, flow};
use crate::retrieve::explanation::{Entry, Story};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Columns of an item's kind.
const KIND: usize = 9;

/// The stages with their counters, entries and cuts.
pub fn stages(ink: &Ink<'_>, slot: Slot, story: &Story, buf: &mut Buffer, hits: &mut Hits) {
    let state = ink.state;
    let step = state.earlier_step();
    let title = match step.and_then(|k| Some((k, story.timeline.get(k)?))) {
        Some((k, stage)) => format!(
            "Spread, step {} of {}: {}",
            k + 1,
            story.timeline.len(),
            story.stages[*stage].name
        ),
        None => "Spread".to_owned(),
    };
    let mut summary = Filling::new(usize::from(slot.area.width).saturating_sub(15));
    for stage in &story.stages {
        let mut spans = vec![ink.text(format!("{} ", stage.name))];
        if let Some((name, value)) = stage.counters.first() {
            spans.push(ink.value(short(value)));
            spans.push(ink.muted(format!(" {name}")));
        }
        spans.push(ink.text("  "));
        if !summary.add(spans) {
            break;
        }
    }
    let chrome = Chrome {
        title,
        short: "Spread",
        note: Line::from(vec![ink.muted(made(story, usize::from(slot.area.width)))]),
        summary: summary.line,
    };
    let Some(area) = ink.frame(slot, chrome, buf, hits) else {
        return;
    };
    // A stage can have much to say; where the screen is high there is room for it.
    let rows = [8, 14, 30, 34].map(|high| u16::from(area.height > high));
    let (list, below) = split(area, rows.iter().sum());
    let lines = story_lines(state, story);
    let scales: Vec<Scale> = story
        .stages
        .iter()
        .map(|stage| Scale::of(stage.nodes.iter().map(|n| n.value)))
        .collect();
    ink.list(
        Pane::Spread,
        list,
        lines.len(),
        buf,
        hits,
        &|row, width| match lines[row] {
            StoryLine::Stage(i) => heading(ink, story, i, width),
            StoryLine::Entry(i, n) => {
                entry(ink, story, &story.stages[i].nodes[n], scales[i], width)
            }
            StoryLine::Cut(i, n) => cut(ink, story, i, n, width),
            StoryLine::More(i) => {
                let stage = &story.stages[i];
                let all = stage.nodes.len() + stage.cut.len();
                let words = format!("    .. all {}  ", text::count(all));
                Line::from(vec![
                    ink.muted(words),
                    ink.span("Enter", Scope::Key),
                    ink.muted(" unfolds"),
                ])
            }
        },
    );
    if lines.is_empty() {
        say(ink, "this system told of no stage", area, buf);
    }
    let cursor = state
        .list(Pane::Spread)
        .cursor
        .min(lines.len().saturating_sub(1));
    let why = match lines.get(cursor) {
        Some(StoryLine::Entry(i, n)) => story.stages[*i].nodes[*n].why.clone(),
        Some(StoryLine::Cut(i, n)) => {
            let cut = &story.stages[*i].cut[*n];
            match cut.margin {
                0.0 => spoken(cut.code),
                margin => format!("{}: short by {}", spoken(cut.code), figure(margin)),
            }
        }
        Some(StoryLine::Stage(i)) => counters(story, *i),
        _ => String::new(),
    };
    explained(ink, &why, below, buf);
}

/// How many stages there are, and who made the layer they run on, where that was not the rules alone.
fn made(story: &Story, width: usize) -> String {
    let stages = text::plural(story.stages.len(), "stage");
    match story.made_by.is_empty() {
        true => stages,
        false => format!(
            "{} {} {stages}",
            text::cut(&story.made_by, width.saturating_sub(30)),
            "\u{b7}"
        ),
    }
}

/// The line over a stage: its name and counters, the first ones as far as they fit.
fn heading(ink: &Ink<'_>, story: &Story, stage: usize, width: usize) -> Line<'static> {
    let s = &story.stages[stage];
    let mut filling = Filling::new(width);
    filling.add(vec![ink.span(format!("{} ", s.name), Scope::Title)]);
    if s.name != s.kind {
        filling.add(vec![ink.muted(format!("{} ", s.kind))]);
    }
    for (name, value) in &s.counters {
        let spans = vec![
            ink.muted(format!(" {name} ")),
            ink.value(text::cut(&short(value), 24)),
        ];
        if !filling.add(spans) {
            break;
        }
    }
    filling.line
}

/// All counters of a stage, for the one the cursor is on.
fn counters(story: &Story, stage: usize) -> String {
    let s = &story.stages[stage];
    let told = s
        .counters
        .iter()
        .map(|(name, value)| format!("{name} {}", short(value)));
    let sizes = [
        (s.nodes.len(), "node"),
        (s.edges.len(), "edge"),
        (s.cut.len(), "cut"),
    ];
    let sizes = sizes
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, word)| text::plural(*n, word));
    told.chain(sizes).collect::<Vec<_>>().join(", ")
}

/// Columns of a row: kind, label with the mark of gold before it, bar.
fn columns(width: usize) -> (usize, usize, usize) {
    let kind = if width >= 40 { KIND } else { 0 };
    let bar = (width / 5).min(16);
    (kind, width.saturating_sub(2 + kind + 7 + 1 + bar), bar)
}

fn entry(ink: &Ink<'_>, story: &Story, entry: &Entry, scale: Scale, width: usize) -> Line<'static> {
    let item = &story.items[entry.item];
    let (kind, label, bar) = columns(width);
    let mut spans = vec![
        ink.text("  "),
        ink.muted(text::pad(
            &text::cut(item.kind, kind.saturating_sub(1)),
            kind,
        )),
    ];
    spans.extend(named(ink, story, entry.item, label));
    spans.push(ink.value(text::pad_left(&scale.figure(entry.value), 7)));
    spans.push(ink.text(" "));
    let drawn = crate::explorer::glyphs::bar(scale.fraction(entry.value), bar, ink.glyphs);
    spans.push(ink.span(drawn, Scope::Bar));
    Line::from(spans)
}

/// A label, marked where its passage is gold.
fn named(ink: &Ink<'_>, story: &Story, item: usize, width: usize) -> Vec<Span<'static>> {
    let item = &story.items[item];
    let scene = ink.state.scene();
    let gold = item
        .passage
        .filter(|p| scene.is_some_and(|scene| scene.gold.iter().any(|gold| gold.passage == *p)));
    let scope = if item.passage.is_some() {
        Scope::Passage
    } else {
        Scope::Entity
    };
    vec![
        super::passages::gold_mark(ink, gold.is_some()),
        ink.text(" "),
        ink.span(text::pad(&item.label, width.saturating_sub(2)), scope),
    ]
}

fn cut(ink: &Ink<'_>, story: &Story, stage: usize, place: usize, width: usize) -> Line<'static> {
    let cut = &story.stages[stage].cut[place];
    let (kind, label, bar) = columns(width);
    let by = match cut.margin {
        0.0 => String::new(),
        margin => format!(" {}", figure(margin)),
    };
    let said = spoken(cut.code);
    // As wide as figure and bar of the rows above; where those are narrow the label gives way.
    let wanted = (text::width(&said) + text::width(&by)).min(width / 2);
    let room = wanted.max(7 + bar);
    let label = (label + 7 + bar).saturating_sub(room);
    let mut spans = vec![
        ink.span("- ", Scope::Warn),
        ink.muted(text::pad(
            &text::cut(story.items[cut.item].kind, kind.saturating_sub(1)),
            kind,
        )),
    ];
    spans.extend(named(ink, story, cut.item, label));
    let said = text::cut(&said, room.saturating_sub(text::width(&by)));
    spans.extend([ink.text(" "), ink.span(said, Scope::Warn), ink.muted(by)]);
    Line::from(spans)
}

/// A code as a person says it; traces and verdicts keep the code.
fn spoken(code: crate::layers::Code) -> String {
    let code = code.name();
    code.to_lowercase().replace('_', " ")
}

use crate::explorer::engine::story::short;

/// The parts of the selected passage's score as a list; the one under the cursor says what it rests on.
pub fn parts(
    ink: &Ink<'_>,
    why: &Why,
    head: &[Line<'static>],
    area: Rect,
    buf: &mut Buffer,
    hits: &mut Hits,
) {
    let height = usize::from(area.height);
    let cursor = ink
        .state
        .list(Pane::Why)
        .cursor
        .min(why.parts.len().saturating_sub(1));
    let said = match why.parts.get(cursor) {
        Some(part) if part.why.is_empty() && part.value == 0.0 => "it gives nothing here",
        Some(part) => &part.why,
        None if why.rank.is_none() => "",
        None => "its place is not a sum: the sentence above says why it is here",
    };
    let width = usize::from(area.width);
    let long = flow(vec![ink.muted(said.to_owned())], width.saturating_sub(2), 0).len();
    let below = match height {
        ..5 => usize::from(height > 2),
        _ if ink.state.opened => long.min(height / 2),
        _ => long.min(2),
    };
    // The verdict and the sentence come first, but at least half of the room is the parts'.
    let room = height - below;
    let above = head.len().min(room - why.parts.len().min(room.div_ceil(2)));
    for (y, line) in head.iter().take(above).enumerate() {
        buf.set_line(area.x, area.y + y as u16, line, area.width);
    }
    let list = Rect {
        y: area.y + above as u16,
        height: why.parts.len().min(room - above) as u16,
        ..area
    };
    let scale = Scale::of(why.parts.iter().map(|p| p.value));
    let sum: f64 = why.parts.iter().map(|p| p.value.abs()).sum();
    ink.list(
        Pane::Why,
        list,
        why.parts.len(),
        buf,
        hits,
        &|row, width| {
            let part = &why.parts[row];
            let bar = (width / 5).min(14);
            let label = width.saturating_sub(2 + 8 + 5 + 1 + bar);
            let share = if sum > 0.0 {
                part.value.abs() / sum
            } else {
                0.0
            };
            let paid = if part.value == 0.0 {
                Scope::Muted
            } else {
                Scope::Text
            };
            Line::from(vec![
                part.group.map_or_else(|| ink.text(" "), |g| ink.letter(g)),
                ink.text(" "),
                ink.span(text::pad(&part.label, label), paid),
                ink.value(text::pad_left(&scale.figure(part.value), 8)),
                ink.muted(text::pad_left(&format!("{:.0}%", 100.0 * share), 5)),
                ink.text(" "),
                ink.span(
                    crate::explorer::glyphs::bar(share, bar, ink.glyphs),
                    Scope::Bar,
                ),
            ])
        },
    );
    let rest = Rect {
        y: list.y + list.height,
        height: (height - above) as u16 - list.height,
        ..area
    };
    explained(ink, said, rest, buf);
}
