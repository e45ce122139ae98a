//! The palette, the method chooser, the history and help: a list that typing narrows, and what the selected entry does.

use crate::explorer::hits::{Hits, Target};
use crate::explorer::panes::ink::{Ink, flow};
use crate::explorer::state::{Entry, Finder, FinderKind};
use crate::explorer::text;
use crate::explorer::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

/// What a finder has: columns, lines for what the entry under the cursor does, its title, its keys, and what to type.
struct Spec {
    width: u16,
    about: u16,
    title: &'static str,
    keys: &'static str,
    hint: &'static str,
}

macro_rules! finders {
    ($($kind:ident $width:literal $about:literal $title:literal $keys:literal $hint:literal;)+) => {
        fn spec(kind: FinderKind) -> Spec {
            match kind {
                $(FinderKind::$kind => Spec {
                    width: $width, about: $about, title: $title, keys: $keys, hint: $hint,
                }),+
            }
        }
    };
}

finders! {
    Palette 92 4 "Commands" "@ node  # passage  ? question  ! failure   Enter run"
        "command, parameter or value: alpha .35 ..";
    Methods 96 4 "Method" "type to filter   Enter switch   Esc close" "bm25, graph ..";
    Compose 96 4 "Compose" "type to filter   Enter take   Esc close" "a part: noderag, push, rerank ..";
    Preset 96 4 "Keep as a preset" "a name   Enter save   Esc close" "letters, digits, - and _ ..";
    Node 96 0 "Find a node" "part of a name   Enter go there   Esc close" "part of the name of a node or passage ..";
    End 96 0 "Best paths to" "part of a name   Enter show them   Esc close" "part of the name of a node or passage ..";
    Join 96 0 "Join names" "the other name   Enter join   Esc close" "part of the other name ..";
    Edits 96 4 "Changes of the graph" "type one   Enter remove   Esc close"
        "join NAME | NAME, cut NAME | #ID, add, weigh NAME | #ID * 2, mute NAME, keep NAME ..";
    SavePatch 96 4 "Save patch" "a name or a path   Enter save   Esc close"
        "letters, or a path such as ./nixon.patch ..";
    LoadPatch 96 4 "Load patch" "a name or a path   Enter load   Esc close"
        "a name, or a path such as ./nixon.patch ..";
    Seeds 96 0 "Add a seed" "a name, or #passage   Enter add   Esc close"
        "part of a name, or # and part of a passage ..";
    History 100 0 "Questions asked" "type to filter   Enter ask   Esc close" "part of a question ..";
    Themes 100 4 "Theme" "Up Down show   Enter keep   Esc back" "dark, light ..";
    Messages 100 4 "Messages" "type to filter   Esc close" "a word ..";
    Lessons 100 4 "Lessons" "type to filter   Enter begin   Esc close" "hubs, restart ..";
    // A model may say more than a few words.
    Answer 100 8 "Answer" "Enter goes to a passage   Esc close" "part of a passage ..";
    Doctor 100 4 "Doctor" "type to filter   Esc close" "hubs, names ..";
    Indexes 100 4 "Open an index or corpus" "a path   Tab into   Enter open   Esc close"
        "an index folder or corpus files: ~/my-index ..";
    Help 92 4 "Keys" "type to filter   Enter run   Esc close" "a key or a word ..";
}

pub fn render(ink: &Ink<'_>, open: &Finder, main: Rect, buf: &mut Buffer, hits: &mut Hits) {
    hits.add(buf.area, Target::Elsewhere);
    let spec = spec(open.kind);
    let width = main.width.min(spec.width);
    let rows = u16::try_from(display_rows(open).len()).unwrap_or(u16::MAX);
    let height = main
        .height
        .min(rows.max(8).saturating_add(4 + spec.about))
        .min(main.height.max(10));
    let area = Rect::new(
        main.x + (main.width - width) / 2,
        main.y + (main.height - height).min(3) / 2,
        width,
        height,
    );
    if area.width < 20 || area.height < 5 {
        return;
    }
    super::frame(ink, area, spec.title, (spec.keys, 6), buf);
    let inner = Rect::new(area.x + 1, area.y + 1, area.width - 2, area.height - 2);
    hits.add(inner, Target::Entry(usize::MAX));
    hits.cursor = Some(field(ink, open, spec.hint, inner, buf));
    let about_rows = spec.about.min(inner.height.saturating_sub(8));
    let list = Rect {
        y: inner.y + 2,
        height: inner.height.saturating_sub(2 + about_rows),
        ..inner
    };
    entries(ink, open, list, buf, hits);
    if about_rows > 0 {
        about(
            ink,
            open,
            Rect {
                y: list.y + list.height,
                height: about_rows,
                ..inner
            },
            buf,
        );
    }
}

fn field(ink: &Ink<'_>, open: &Finder, hint: &str, inner: Rect, buf: &mut Buffer) -> Position {
    buf.set_string(inner.x + 1, inner.y, ">", ink.style(Scope::Key));
    let room = usize::from(inner.width).saturating_sub(4);
    let value = open.input.value();
    if value.is_empty() {
        buf.set_stringn(inner.x + 3, inner.y, hint, room, ink.style(Scope::Muted));
    } else {
        buf.set_stringn(inner.x + 3, inner.y, value, room, ink.style(Scope::Text));
    }
    let at = open.input.visual_cursor().min(room.saturating_sub(1));
    Position::new(inner.x + 3 + at as u16, inner.y)
}

/// Rows on screen: headings between groups of entries, when nothing was typed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DisplayRow {
    Heading(usize),
    Entry(usize),
}

fn display_rows(open: &Finder) -> Vec<DisplayRow> {
    let sorted = matches!(
        open.kind,
        FinderKind::Help | FinderKind::Compose | FinderKind::Answer
    );
    let headed = sorted && open.input.value().is_empty();
    let mut rows = Vec::new();
    let mut last = "";
    for (i, entry) in open.entries.iter().enumerate() {
        if headed && entry.heading != last {
            last = entry.heading;
            rows.push(DisplayRow::Heading(i));
        }
        rows.push(DisplayRow::Entry(i));
    }
    rows
}

fn entries(ink: &Ink<'_>, open: &Finder, area: Rect, buf: &mut Buffer, hits: &mut Hits) {
    let rows = display_rows(open);
    let height = usize::from(area.height);
    hits.set_finder(open.entries.len(), height);
    if rows.is_empty() {
        let words = if open.searching.is_some() {
            "searching"
        } else {
            "no matches"
        };
        buf.set_string(area.x + 3, area.y, words, ink.style(Scope::Muted));
        return;
    }
    let cursor = rows
        .iter()
        .position(|r| *r == DisplayRow::Entry(open.list.cursor))
        .unwrap_or(0);
    // The list's own offset counts entries; headings make the window its own.
    let list = crate::explorer::state::List {
        cursor,
        offset: open.list.offset.min(cursor),
    };
    let mut offset = list.window(rows.len(), height);
    if offset > 0
        && cursor == offset
        && matches!(rows.get(offset - 1), Some(DisplayRow::Heading(_)))
    {
        offset -= 1;
    }
    for (y, row) in rows.iter().skip(offset).take(height).enumerate() {
        let place = Rect::new(area.x, area.y + y as u16, area.width, 1);
        match *row {
            DisplayRow::Heading(i) => {
                buf.set_string(
                    place.x + 1,
                    place.y,
                    open.entries[i].heading,
                    ink.style(Scope::Title),
                );
            }
            DisplayRow::Entry(i) => {
                let line = entry_line(ink, open, &open.entries[i], usize::from(area.width) - 4);
                buf.set_line(place.x + 3, place.y, &line, place.width - 4);
                if i == open.list.cursor {
                    buf.set_style(place, ink.style(Scope::Selection));
                    buf.set_string(
                        place.x + 1,
                        place.y,
                        ink.glyphs.cursor,
                        ink.style(Scope::Selection),
                    );
                }
                hits.add(place, Target::Entry(i));
            }
        }
    }
}

fn entry_line(ink: &Ink<'_>, open: &Finder, entry: &Entry, width: usize) -> Line<'static> {
    let (title, now, key) = match open.kind {
        FinderKind::History => (width, 0, 0),
        FinderKind::Methods => (16, width.saturating_sub(16 + 6), 6),
        FinderKind::Compose => (18, width.saturating_sub(18 + 6), 6),
        _ => {
            let key = if width >= 60 { 14 } else { 8 };
            let now = (width / 3).min(30);
            (width.saturating_sub(key + now), now, key)
        }
    };
    // Questions and nodes have long titles and no keys.
    let (title, now, key) = if entry.key.is_empty()
        && entry.help.is_empty()
        && matches!(
            open.kind,
            FinderKind::Palette
                | FinderKind::Seeds
                | FinderKind::Join
                | FinderKind::Node
                | FinderKind::End
        ) {
        let now = text::width(&entry.now).min(width / 3);
        (width.saturating_sub(now + 1), now + 1, 0)
    } else {
        (title, now, key)
    };
    let mut spans = marked(ink, entry, title.saturating_sub(1));
    match &entry.unavailable {
        Some(reason) if !matches!(open.kind, FinderKind::Methods | FinderKind::Compose) => {
            spans.push(ink.span(text::pad(reason, now.saturating_sub(1)), Scope::Warn));
        }
        _ => spans.push(ink.span(text::pad(&entry.now, now.saturating_sub(1)), Scope::Value)),
    }
    spans.push(ink.text(" "));
    spans.push(ink.span(text::pad_left(&entry.key, key), Scope::Key));
    Line::from(spans)
}

/// The title with the letters that matched.
fn marked(ink: &Ink<'_>, entry: &Entry, width: usize) -> Vec<Span<'static>> {
    let scope = if entry.unavailable.is_some() {
        Scope::Muted
    } else {
        Scope::Text
    };
    let shown = text::pad(&entry.title, width + 1);
    let mut spans: Vec<Span<'static>> = Vec::new();
    for (i, c) in shown.chars().enumerate() {
        let style = if entry.matched.contains(&i) {
            ink.style(Scope::Match)
        } else {
            ink.style(scope)
        };
        match spans.last_mut() {
            Some(last) if last.style == style => last.content.to_mut().push(c),
            _ => spans.push(Span::styled(c.to_string(), style)),
        }
    }
    spans
}

/// What the selected entry does, why it cannot be done, and the same from a shell.
fn about(ink: &Ink<'_>, open: &Finder, area: Rect, buf: &mut Buffer) {
    let Some(entry) = open.entries.get(open.list.cursor) else {
        return;
    };
    let width = usize::from(area.width).saturating_sub(4);
    let rule = ink
        .glyphs
        .border
        .horizontal_top
        .repeat(usize::from(area.width) - 2);
    buf.set_string(area.x + 1, area.y, rule, ink.style(Scope::Border));
    let mut lines: Vec<Line<'static>> = Vec::new();
    if let Some(reason) = &entry.unavailable {
        lines.extend(flow(
            vec![ink.span(format!("Not now: {reason}."), Scope::Warn)],
            width,
            0,
        ));
    }
    lines.extend(flow(vec![ink.text(entry.help.clone())], width, 0));
    if !entry.shell.is_empty() {
        lines.push(Line::from(vec![
            ink.muted("shell  "),
            ink.muted(text::cut(&entry.shell, width.saturating_sub(7))),
        ]));
    }
    for (y, line) in lines.iter().take(usize::from(area.height) - 1).enumerate() {
        buf.set_line(area.x + 2, area.y + 1 + y as u16, line, area.width - 3);
    }
}
