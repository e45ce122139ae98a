//! One row, whichever list it is in, and what is said under a list about the row the cursor is on.

use super::Words;
use super::passages::{change, passage_mark};
use crate::explain::Stop;
use crate::explorer::cell::Cell;
use crate::explorer::layout::cut_top;
use crate::explorer::panes::ink::{Ink, flow};
use crate::explorer::scene::Scene;
use crate::explorer::scene::Subject;
use crate::explorer::scene::{Row, Sign};
use crate::explorer::state::Mode;
use crate::explorer::text::{self, Scale};
use crate::explorer::theme::Scope;
use crate::retrieve::{Node, SeedChange};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Columns of how far a row moved.
const MOVED: usize = 4;
/// Columns of an item's kind, of a figure, of a count and of a share.
const KIND: usize = 9;
const FIGURE: usize = 7;
const COUNT: usize = 5;
const BOTH: usize = 4;
/// After the count of a hub, for those who see no colours.
pub const HUB: &str = "!";

/// What the rows of one list have to show in a width.
pub struct Columns<'a> {
    /// The same list of the run that this one is held against.
    before: Option<&'a [Row]>,
    /// Letter and fill of the seed each row is; such rows need no bar.
    filled: bool,
    rank: usize,
    /// How far the row moved against that run.
    moved: usize,
    kind: usize,
    /// Every row has a place for the mark of gold.
    gold: bool,
    count: usize,
    hubs: bool,
    both: usize,
    label: usize,
    bar: usize,
    scale: Scale,
}

impl<'a> Columns<'a> {
    /// The words over the columns of a list: of what is counted and of the figure, and what the bar is split by.
    pub fn head(&self, counted: &str, figure: &str, split: &str) -> String {
        let lead = self.lead();
        let rank = if self.rank > 0 { "#" } else { "" };
        let rank = text::pad_left(rank, (lead - self.moved).saturating_sub(1));
        let mut head = text::pad(&rank, lead + self.kind + self.label);
        let hub = if self.hubs { " " } else { "" };
        if self.count > 0 {
            head += &text::pad_left(&format!("{counted}{hub}"), self.count);
        }
        head += &text::pad_left(figure, FIGURE);
        head += &text::pad(&format!(" {split}"), self.bar + usize::from(!self.filled));
        if self.both > 0 {
            head += &text::pad_left("bal.", self.both);
        }
        head
    }

    /// Columns before the kind and the label.
    fn lead(&self) -> usize {
        match self.filled {
            true => 4,
            false => 2 + self.rank + self.moved,
        }
    }

    /// The same, held against another run's list where ranks are shown.
    pub fn against(self, before: Option<&'a [Row]>) -> Columns<'a> {
        // Label and bar both give way, as far as they stay readable.
        let of_bar = (MOVED / 2).min(self.bar.saturating_sub(6));
        let room = self.rank > 0 && self.label + of_bar >= MOVED + 12;
        let Some(before) = before.filter(|_| room) else {
            return self;
        };
        Columns {
            before: Some(before),
            moved: MOVED,
            label: self.label + of_bar - MOVED,
            bar: self.bar - of_bar,
            ..self
        }
    }

    pub fn of(rows: &[Row], seeds: bool, ranked: bool, width: usize) -> Columns<'a> {
        let any = |has: fn(&Row) -> bool| rows.iter().any(has);
        let filled = seeds && any(|row| row.group.is_some());
        let counted = any(|row| row.count > 0);
        let kinds = any(|row| !row.kind.is_empty());
        let wide = width >= if seeds { 25 } else { 50 };
        let given = |is: bool, columns: usize| if is { columns } else { 0 };
        let rank = given(ranked && (wide || !counted), 3);
        let kind = given(kinds && width >= 40, KIND);
        let hubs = usize::from(any(|row| row.hub));
        let count = given(counted && wide, COUNT + hubs);
        let both = given(any(|row| row.both > 0.0), BOTH);
        let lead = if filled { 4 } else { 2 + rank };
        let rest = width.saturating_sub(lead + kind + count + FIGURE + both);
        let label = match rest.saturating_sub(1) {
            _ if filled => rest,
            rest if any(|row| !row.shares.is_empty()) => (rest * 3 / 5).clamp(rest.min(10), 40),
            rest => (rest * 3 / 4).clamp(rest.min(10), 48),
        };
        // Seeds hold most of the mass; their bars would flatten all others.
        let drawn = rows.iter().filter(|row| row.group.is_none());
        Columns {
            before: None,
            moved: 0,
            filled,
            rank,
            kind,
            gold: kinds || any(|row| row.gold),
            count,
            hubs: hubs > 0,
            both,
            label,
            bar: rest.saturating_sub(1 + label),
            scale: Scale::of(
                drawn
                    .filter(|row| row.sign == Sign::Plain)
                    .map(|row| row.value),
            ),
        }
    }
}

/// A row of Seeds or Spread, `at` being its place in its list.
pub fn line(ink: &Ink<'_>, row: &Row, at: usize, columns: &Columns<'_>) -> Line<'static> {
    let scene = ink.state.scene();
    let several =
        |group: usize| scene.is_some_and(|s| s.groups.get(group).is_some_and(|g| g.seeds > 1));
    // Under its group's heading a passage has no letter of its own.
    let grouped = row.sign == Sign::Plain && row.is_passage && row.group.is_some_and(several);
    let mut spans = match (row.sign, row.group) {
        (Sign::Lost, _) => vec![ink.span("-", Scope::Warn)],
        (Sign::Changed, _) => vec![ink.span("x", Scope::Link)],
        (_, Some(group)) if columns.filled && !grouped => {
            vec![ink.letter(group), ink.text(" "), ink.fill(group)]
        }
        _ if columns.filled => vec![],
        _ => vec![adjacent(ink, row.node)],
    };
    if columns.rank > 0 {
        spans.push(ink.muted(text::pad_left(&(at + 1).to_string(), columns.rank)));
    }
    if columns.moved > 0 {
        let marked = match row.sign {
            Sign::Plain => moved(ink, row, at, columns),
            _ => None,
        };
        let (words, scope) = marked.unwrap_or((String::new(), Scope::Muted));
        spans.push(ink.span(format!(" {}", text::pad(&words, MOVED - 1)), scope));
    }
    let lead = columns.lead();
    let used: usize = spans.iter().map(Span::width).sum();
    spans.push(ink.text(" ".repeat(lead - used)));
    let kind = text::cut(&row.kind, columns.kind.saturating_sub(1));
    spans.push(ink.muted(text::pad(&kind, columns.kind)));
    let mut label = columns.label;
    match row.group.filter(|_| !columns.filled) {
        Some(group) => {
            spans.extend([ink.letter(group), ink.text(" ")]);
            if row.is_passage {
                spans.extend([passage_mark(ink, row), ink.text(" ")]);
                label = label.saturating_sub(2);
            }
        }
        None if row.is_passage || row.gold || columns.gold => {
            spans.extend([passage_mark(ink, row), ink.text(" ")]);
        }
        None => label += 2,
    }
    label = label.saturating_sub(2);
    let scope = match row.sign {
        Sign::Heading => Scope::Title,
        Sign::Lost if row.kind.is_empty() => Scope::Text,
        Sign::Changed => Scope::Muted,
        _ if row.group.is_some() && !columns.filled => Scope::Title,
        _ if row.is_passage => Scope::Passage,
        _ => Scope::Entity,
    };
    let bar = columns.bar + usize::from(!columns.filled);
    let tail = columns.count + FIGURE + bar + columns.both;
    if let Sign::Lost | Sign::Changed = row.sign {
        let all = label + tail;
        // As wide as figure and bar of the rows around it; where those are narrow the label gives way.
        let least = if columns.filled { 0 } else { FIGURE + bar };
        let note = (text::width(&row.note) + 1).min(all / 2 + 1).max(least);
        let gone = [Scope::Warn, Scope::Link][usize::from(row.sign == Sign::Changed)];
        spans.push(ink.span(text::pad(&row.label, all.saturating_sub(note)), scope));
        spans.push(ink.span(
            format!(" {}", text::cut(&row.note, note.saturating_sub(1))),
            gone,
        ));
        return Line::from(spans);
    }
    let changed = changed(ink, row);
    // A seed without a count has more to say of itself.
    let count = if row.count == 0 && columns.filled {
        0
    } else {
        columns.count
    };
    label = (label + columns.count - count).saturating_sub(changed.width());
    spans.extend([ink.span(text::pad(&row.label, label), scope), changed]);
    if count > 0 {
        let hub = [Scope::Muted, Scope::Hub][usize::from(row.hub)];
        let mark = match (columns.hubs, row.hub) {
            (true, true) => HUB,
            (true, false) => " ",
            (false, _) => "",
        };
        let counted = format!("{}{mark}", text::count(row.count));
        spans.push(ink.span(text::pad_left(&counted, count), hub));
    }
    let figure = match ink.state.present && row.value.fract() != 0.0 {
        true => text::rough(row.value),
        false => row.figure.clone(),
    };
    spans.push(ink.value(text::pad_left(&figure, FIGURE)));
    if columns.filled {
        return Line::from(spans);
    }
    spans.push(ink.text(" "));
    match row.group {
        Some(_) => spans.push(ink.muted("seed")),
        None if row.shares.is_empty() => {
            let fraction = columns.scale.fraction(row.value);
            let drawn = crate::explorer::glyphs::bar(fraction, columns.bar, ink.glyphs);
            spans.push(ink.span(drawn, Scope::Bar));
        }
        None => spans.extend(ink.bar(&row.shares, columns.scale.most, columns.bar)),
    }
    if columns.both > 0 && row.group.is_none() {
        spans.push(ink.muted(text::pad_left(&text::share(row.both), columns.both)));
    }
    Line::from(spans)
}

/// The letter of a group and the mark of a passage, where a row has them, and the room that they leave.
pub fn lead(
    ink: &Ink<'_>,
    row: &Row,
    group: Option<usize>,
    room: usize,
) -> (Vec<Span<'static>>, usize) {
    let letter = group.map(|group| [ink.letter(group), ink.text(" ")]);
    let mark = row
        .is_passage
        .then(|| [passage_mark(ink, row), ink.text(" ")]);
    let spans: Vec<Span<'static>> = letter.into_iter().chain(mark).flatten().collect();
    // Each is one cell wide.
    let left = room.saturating_sub(spans.len());
    (spans, left)
}

/// The look of a node's label.
pub fn scope(row: &Row) -> Scope {
    match row {
        Row { gold: true, .. } => Scope::Gold,
        Row {
            is_passage: true, ..
        } => Scope::Passage,
        Row {
            node: None,
            group: None,
            ..
        } => Scope::Muted,
        _ => Scope::Entity,
    }
}

/// How far a row came from its place in the other run, if it did. Graphs number their nodes as they like: a row is known
/// by its name.
fn moved(ink: &Ink<'_>, row: &Row, at: usize, columns: &Columns<'_>) -> Option<(String, Scope)> {
    let before = columns.before.unwrap_or_default().iter();
    let same = |(_, other): &(usize, &Row)| {
        (other.is_passage, other.passage, &other.label) == (row.is_passage, row.passage, &row.label)
    };
    let was = before.enumerate().find(same).map(|(place, _)| place + 1);
    (was != Some(at + 1)).then(|| change(ink, was, at + 1))
}

/// `*` marks what is next to the selected node.
pub fn adjacent(ink: &Ink<'_>, node: Option<Node>) -> Span<'static> {
    let both = ink.state.around().zip(node);
    match both.is_some_and(|(around, node)| around.touches(node)) {
        true => ink.span("*", Scope::Key),
        false => ink.text(" "),
    }
}

/// What a person changed about a seed; while its weight is open, what was typed.
fn changed(ink: &Ink<'_>, row: &Row) -> Span<'static> {
    if let Mode::Weight(open) = &ink.state.mode
        && open.seed == row.name
        && !row.name.is_empty()
    {
        let typed = open.input.value();
        let shown = match (typed, row.change) {
            ("", Some(SeedChange::Weight(f) | SeedChange::Add(f))) => format!("{f}"),
            ("", _) => "1".to_owned(),
            (typed, _) => typed.to_owned(),
        };
        return ink.span(
            format!(" x{}{}", text::cut(&shown, 8), ink.glyphs.eighths[8]),
            Scope::Key,
        );
    }
    let shown = match row.change {
        Some(SeedChange::Weight(f)) => format!(" x{}", factor(f)),
        Some(SeedChange::Add(1.0)) => " +".to_owned(),
        Some(SeedChange::Add(f)) => format!(" +x{}", factor(f)),
        Some(SeedChange::Mute) | None => String::new(),
    };
    ink.span(shown, Scope::Link)
}

fn factor(factor: f64) -> String {
    let short = text::score(factor);
    let exact = format!("{factor}");
    if exact.len() <= short.len() {
        exact
    } else {
        short
    }
}

/// Lines below each other, as many as there is room for, so many columns further in.
pub fn stack(lines: &[Line<'_>], area: Rect, indent: u16, buf: &mut Buffer) {
    let width = area.width.saturating_sub(indent);
    for (y, line) in (area.y..area.bottom()).zip(lines) {
        buf.set_line(area.x + indent, y, line, width);
    }
}

/// Why the selected row is there, under the list.
pub fn explained(ink: &Ink<'_>, why: &str, area: Rect, buf: &mut Buffer) {
    let width = usize::from(area.width).saturating_sub(2);
    if area.height == 0 || width == 0 {
        return;
    }
    let mut lines = flow(vec![ink.muted(why.to_owned())], width, 0);
    let last = usize::from(area.height) - 1;
    if lines.len() > last + 1 {
        // What does not fit ends in dots, so that nobody takes a half for the whole.
        let rest: Vec<String> = lines[last..].iter().map(ToString::to_string).collect();
        lines[last] = Line::from(ink.muted(text::cut(rest.join(" ").trim(), width)));
    }
    stack(&lines, area, 1, buf);
}

/// Writes what stands over the columns of a list. Gives back the room for the list.
pub fn headed(ink: &Ink<'_>, head: &str, area: Rect, buf: &mut Buffer) -> Rect {
    if area.height < 3 {
        return area;
    }
    let (top, list) = cut_top(area, 1);
    say(ink, head, top, buf);
    list
}

/// One muted line.
pub fn say(ink: &Ink<'_>, words: &str, area: Rect, buf: &mut Buffer) {
    let width = usize::from(area.width).saturating_sub(1);
    buf.set_stringn(area.x + 1, area.y, words, width, ink.style(Scope::Muted));
}

/// What a filter finds a row of Seeds, Spread or Neighbours by.
pub fn words(row: &Row) -> Option<Words> {
    if row.sign == Sign::Heading {
        return None;
    }
    let cells = row.cells.iter().filter_map(|cell| match cell {
        Cell::Word(word) => Some(word.to_string()),
        _ => None,
    });
    let rest = [row.kind.to_string(), row.note.clone()];
    let gold = row.gold.then(|| "gold".to_owned());
    Some(Words::new(
        row.label.clone(),
        rest.into_iter().chain(cells).chain(gold),
    ))
}

/// A passage, with the node that stands for it.
pub fn of_passage(scene: &Scene, passage: u32) -> Subject {
    Subject {
        passage: Some(passage),
        node: scene.node_of(passage),
        ..Subject::default()
    }
}

/// What a row's node is, for other programs.
pub fn place(scene: &Scene, row: &Row) -> Stop {
    Stop {
        kind: match (row.is_passage, &*row.kind, scene.noun) {
            (true, "", _) => "passage".into(),
            (false, "", "name") => "entity".into(),
            (false, "", noun) => noun.into(),
            _ => row.kind.clone(),
        },
        id: row.name.strip_prefix('#').map(str::to_owned).or_else(|| {
            let passage = row.passage.filter(|_| row.is_passage)?;
            let listed = scene
                .passages
                .iter()
                .find(|listed| listed.passage == passage)?;
            Some(listed.key.clone())
        }),
        label: row.label.clone(),
    }
}

/// What a row is about.
pub fn subject(row: &Row) -> Option<Subject> {
    Some(Subject {
        passage: row.passage,
        node: Some(row.node?),
        ..Subject::default()
    })
}

/// A row's label; of an item its kind and text too.
pub fn copied(scene: &Scene, row: &Row, what: &str) -> (String, String) {
    let items = scene.story.as_deref().map(|story| &story.items);
    let item = items.and_then(|items| items.get(row.node? as usize));
    match item {
        Some(item) => {
            let text = format!("{}\t{}\t{}", item.kind, item.label, item.text);
            (text.trim_end().to_owned(), item.kind.to_owned())
        }
        None => (row.label.trim_matches('"').to_owned(), what.to_owned()),
    }
}

/// A seed, or what the search reached.
pub fn spoken(scene: &Scene, row: &Row, what: &str) -> String {
    let mut said = vec![row.label.clone()];
    said.extend(Some(row.kind.to_string()).filter(|kind| !kind.is_empty()));
    match row.sign {
        Sign::Lost | Sign::Changed => said.push(row.note.clone()),
        Sign::Plain | Sign::Heading => {
            let figure = format!("{what} {}", row.figure);
            said.push(figure.trim().to_owned());
            let counted = if scene.of_passages { "df" } else { "edges" };
            let count = (row.count > 0).then(|| format!("{counted} {}", text::count(row.count)));
            said.extend(count);
            said.extend(row.gold.then(|| "gold".to_owned()));
            let own = row.group.and_then(|group| scene.groups.get(group));
            said.extend(own.map(|group| format!("of seed {}", group.label)));
            let parts = scene.groups.iter().zip(&row.shares);
            let parts = parts.filter(|(_, share)| **share > 0.0 && row.group.is_none());
            said.extend(
                parts.map(|(group, share)| format!("{} from {}", text::score(*share), group.label)),
            );
        }
    }
    said.join(", ")
}
