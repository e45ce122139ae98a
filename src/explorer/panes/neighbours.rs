//! The selected node: what it is connected to, how strongly, and what crosses each edge.

use crate::explorer::hits::Hits;
use crate::explorer::layout::{Pane, Slot};
use crate::explorer::scene::{Around, Basis, NeighbourRow};
use crate::explorer::text;
use crate::explorer::theme::Scope;
use crate::explorer::view::ink::{Chrome, Filling, Ink};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

pub fn render(ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
    if let Some(story) = ink.state.scene().and_then(|s| s.story.as_deref()) {
        return super::story::neighbours(ink, slot, story, buf, hits);
    }
    let Some(around) = ink.state.detail().and_then(|d| d.node.as_ref()) else {
        ink.frame(
            slot,
            Chrome {
                title: "Neighbours".into(),
                ..Chrome::default()
            },
            buf,
            hits,
        );
        return;
    };
    let flat = ink.state.scene().is_some_and(|s| s.is_flat());
    let basis = ink.state.scene().map_or(Basis::Walk, |scene| scene.basis);
    let noun = basis.noun();
    let room = usize::from(slot.area.width);
    let title = match flat {
        true => format!(
            "{}s of {}",
            capital(noun),
            text::cut(&around.label, room.saturating_sub(26))
        ),
        false if slot.face == crate::explorer::layout::Face::Tabs => {
            format!("of {}", text::cut(&around.label, room.saturating_sub(46)))
        }
        false => format!(
            "Neighbours of {}",
            text::cut(&around.label, room.saturating_sub(34))
        ),
    };
    let note = if flat {
        Line::from(vec![ink.muted(format!(
            "{} of {}",
            around.degree,
            text::plural(around.neighbours.len(), noun)
        ))])
    } else {
        let noun = ink.state.scene().map_or("name", |scene| scene.noun);
        let what = if around.is_passage { noun } else { "passage" };
        Line::from(vec![ink.muted(text::plural(around.degree, what))])
    };
    let chrome = Chrome {
        title,
        short: "Neighbours",
        note,
        summary: summary(ink, around, room.saturating_sub(15)),
    };
    let Some(area) = ink.frame(slot, chrome, buf, hits) else {
        return;
    };
    if area.height == 0 {
        return;
    }
    if around.neighbours.is_empty() {
        hits.set_extent(Pane::Neighbours, 0, usize::from(area.height));
        let why = if around.is_passage {
            "no name was found in this passage"
        } else {
            "no edge: masked by a setting"
        };
        buf.set_stringn(
            area.x + 1,
            area.y,
            why,
            usize::from(area.width) - 1,
            ink.style(Scope::Muted),
        );
        return;
    }
    let width = usize::from(area.width) - 1;
    let (label, columns) = columns(width);
    let mut head = vec![ink.muted(text::pad(if flat { noun } else { "to" }, label + 5))];
    for column in &columns {
        let name = match (column, flat) {
            (Column::Weight, false) => "w",
            (Column::Weight, true) if basis == Basis::Words => "idf",
            (Column::Weight, true) => "",
            (Column::Mentions, true) if basis != Basis::Words => "rank",
            (Column::Mentions, _) => "tf",
            (Column::Sends, false) => "sends",
            (Column::Sends, true) => "pays",
            (Column::Gets, _) => "gets",
            (Column::Where, false) if around.is_passage => "in",
            (Column::Where, false) => "rank",
            (Column::Where, true) if basis == Basis::Words => "in",
            (Column::Where, true) => "of",
        };
        head.push(ink.muted(text::pad_left(
            if *column == Column::Gets && flat {
                ""
            } else {
                name
            },
            column.width(),
        )));
    }
    buf.set_line(area.x + 1, area.y, &Line::from(head), area.width - 1);
    let list = Rect {
        y: area.y + 1,
        height: area.height - 1,
        ..area
    };
    ink.list(
        Pane::Neighbours,
        list,
        around.neighbours.len(),
        buf,
        hits,
        &|row, _| line(ink, &around.neighbours[row], label, &columns, flat),
    );
}

/// `word` as a title begins.
fn capital(noun: &str) -> String {
    let mut letters = noun.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Weight,
    Mentions,
    Sends,
    Gets,
    Where,
}

impl Column {
    fn width(self) -> usize {
        match self {
            Column::Weight => 6,
            Column::Mentions => 5,
            Column::Sends | Column::Gets => 8,
            Column::Where => 5,
        }
    }
}

/// Columns of the label, and the figures there is room for, most telling first.
fn columns(width: usize) -> (usize, Vec<Column>) {
    let mut chosen = vec![Column::Sends];
    let mut free = width.saturating_sub(5 + 14 + 8);
    for column in [
        Column::Where,
        Column::Weight,
        Column::Gets,
        Column::Mentions,
    ] {
        if free >= column.width() {
            free -= column.width();
            chosen.push(column);
        }
    }
    let order = [
        Column::Weight,
        Column::Mentions,
        Column::Sends,
        Column::Gets,
        Column::Where,
    ];
    chosen.sort_by_key(|c| order.iter().position(|o| o == c));
    let used: usize = chosen.iter().map(|c| c.width()).sum();
    (width.saturating_sub(used + 5), chosen)
}

fn line(
    ink: &Ink<'_>,
    row: &NeighbourRow,
    label: usize,
    columns: &[Column],
    flat: bool,
) -> Line<'static> {
    let mut spans = Vec::new();
    match row.group {
        Some(group) => spans.extend([ink.letter(group), ink.text(" ")]),
        None => spans.push(ink.text("  ")),
    }
    spans.push(super::passages::gold_mark(ink, row.gold));
    spans.push(ink.text(" "));
    let scope = if row.is_passage {
        Scope::Passage
    } else {
        Scope::Entity
    };
    spans.push(ink.span(text::pad(&row.label, label + 1), scope));
    for column in columns {
        let figure = match column {
            Column::Weight if row.weight == 0.0 => String::new(),
            Column::Weight => text::score(row.weight),
            Column::Mentions => row.mentions.to_string(),
            Column::Sends => text::score(row.sends),
            Column::Gets if flat => String::new(),
            Column::Gets => text::score(row.receives),
            Column::Where if row.is_passage => row
                .rank
                .map_or_else(|| "-".to_owned(), |rank| format!("#{rank}")),
            Column::Where => text::count(row.seen),
        };
        let scope = if *column == Column::Sends {
            Scope::Value
        } else {
            Scope::Muted
        };
        spans.push(ink.span(text::pad_left(&figure, column.width()), scope));
    }
    Line::from(spans)
}

fn summary(ink: &Ink<'_>, around: &Around, width: usize) -> Line<'static> {
    let mut filling = Filling::new(width);
    filling.add(vec![
        ink.muted("of "),
        ink.text(text::cut(&around.label, 24)),
        ink.muted("  to "),
    ]);
    for row in &around.neighbours {
        if !filling.add(vec![
            ink.text(text::cut(&row.label, 22)),
            ink.value(format!(" {}", text::score(row.sends))),
            ink.text("  "),
        ]) {
            break;
        }
    }
    filling.line
}
