//! A pane that is a list of rows with columns. Each column is declared once: how wide it is, what it shows, and where else
//! it appears. Drawing, search, copies, JSON and sentences follow from that.

use super::row::headed;
use super::{Card, Contents, Words, worded};
use crate::explorer::action::Action;
use crate::explorer::cell::Cell;
use crate::explorer::hits::Hits;
use crate::explorer::layout::{Pane, Slot};
use crate::explorer::panes::filter;
use crate::explorer::panes::ink::{Chrome, Ink};
use crate::explorer::scene::Scene;
use crate::explorer::state::State;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use serde_json::{Map, Value, json};

/// How wide a column is in a list of some width.
#[derive(Clone, Copy)]
pub enum Width {
    /// Figures at the right end.
    Right(usize),
    Left(usize),
    /// As wide as the list lets it be.
    Of(fn(usize) -> usize),
    /// What the others leave.
    Rest,
    /// Not on screen.
    None,
}

/// The rows of a list.
pub trait Rows: 'static {
    type Row<'s>;

    fn rows(state: &State) -> Vec<Self::Row<'_>>;
}

type Of<T, V> = for<'s, 'r> fn(&'s State, &'r <T as Rows>::Row<'s>) -> V;

/// What `y` copies of a row.
pub const COPIED: u8 = 1;
/// What the row is called: a filter finds letters of it that lie apart.
pub const NAME: u8 = 2;
/// A filter finds the row by it.
pub const FOUND: u8 = 4;

/// A column of a list.
pub struct Column<T: Rows> {
    width: Width,
    head: &'static str,
    cell: Of<T, Cell>,
    scope: Of<T, Scope>,
    /// Cells before it, and cells at its end that stay blank.
    gap: usize,
    slack: usize,
    /// Its field in JSON and in exported rows.
    key: Option<&'static str>,
    /// The words before it in a sentence, where the row is one.
    spoken: Option<&'static str>,
    /// Where else it appears: [`COPIED`], [`NAME`], [`FOUND`].
    surfaces: u8,
}

impl<T: Rows> Column<T> {
    pub const fn new(width: Width, head: &'static str, cell: Of<T, Cell>) -> Column<T> {
        Column {
            width,
            head,
            cell,
            scope: |_, _| Scope::Text,
            gap: 0,
            slack: 0,
            key: None,
            spoken: None,
            surfaces: 0,
        }
    }

    pub const fn scope(self, scope: Of<T, Scope>) -> Column<T> {
        Column { scope, ..self }
    }

    /// With blank cells before it and at its end.
    pub const fn spaced(self, gap: usize, slack: usize) -> Column<T> {
        Column { gap, slack, ..self }
    }

    /// Where it appears besides the screen: a field of JSON, words before it in a sentence, and surfaces.
    pub const fn also(
        self,
        key: Option<&'static str>,
        spoken: Option<&'static str>,
        surfaces: u8,
    ) -> Column<T> {
        Column {
            key,
            spoken,
            surfaces,
            ..self
        }
    }
}

/// A list of rows with columns.
pub struct Table<T: Rows> {
    pub pane: Pane,
    pub card: &'static Card,
    pub title: fn(&State) -> String,
    pub short: &'static str,
    /// What stands at the end of the title, given how many rows there are.
    pub note: fn(&State, usize) -> String,
    pub columns: &'static [Column<T>],
    /// What a row is called.
    pub one: &'static str,
    /// The JSON of the pane around its rows, and its name.
    pub json: fn(&State, Vec<Value>) -> (Value, &'static str),
    /// What Enter does with a row.
    pub enter: fn(&State, usize) -> Option<Action>,
    /// Why there can be no rows yet.
    pub waits: fn(&State) -> Option<String>,
    pub rare: Rare<T>,
}

/// Words in their colour.
pub type Sign = fn(&State) -> (&'static str, Scope);
/// A text, and what it is.
pub type Whole = fn(&State) -> Option<(String, String)>;

/// What few lists have.
pub struct Rare<T: Rows> {
    /// Another order of fields in JSON than on screen.
    pub fields: &'static [&'static str],
    /// Why a row has a name and no figures.
    pub failed: Of<T, Option<String>>,
    /// Draws what stands over the rows, and gives back the room below.
    pub over: fn(&Ink<'_>, Rect, &mut Buffer) -> Rect,
    /// What stands in the place of rows, and its colour; none leaves the heads alone.
    pub nothing: Option<Sign>,
    /// Why Enter opens nothing where there is no row.
    pub unlisted: &'static str,
    /// What stays when it is closed to one line; none is the first row.
    pub summary: fn(&State) -> Option<String>,
    /// What `y` copies, where that is not the row.
    pub whole: Option<Whole>,
}

impl<T: Rows> Rare<T> {
    pub const NONE: Rare<T> = Rare {
        fields: &[],
        failed: |_, _| None,
        over: |_, area, _| area,
        nothing: None,
        unlisted: "nothing is listed",
        summary: |_| None,
        whole: None,
    };
}

impl<T: Rows> Table<T> {
    fn widths(&self, width: usize) -> Vec<usize> {
        let fixed = |column: &Column<T>| match column.width {
            Width::Right(width) | Width::Left(width) => width,
            Width::Of(of) => of(width),
            Width::Rest | Width::None => 0,
        };
        let mut widths: Vec<usize> = self.columns.iter().map(fixed).collect();
        // A column that has no room has no gap either.
        let gaps = self.columns.iter().zip(&widths);
        let gaps =
            gaps.filter(|(column, width)| **width > 0 || matches!(column.width, Width::Rest));
        let used: usize =
            gaps.map(|(column, _)| column.gap).sum::<usize>() + widths.iter().sum::<usize>();
        for (column, own) in self.columns.iter().zip(&mut widths) {
            if matches!(column.width, Width::Rest) {
                *own = width.saturating_sub(used);
            }
        }
        widths
    }

    fn drawn(&self) -> impl Iterator<Item = (usize, &Column<T>)> {
        let columns = self.columns.iter().enumerate();
        columns.filter(|(_, column)| !matches!(column.width, Width::None))
    }

    fn head(&self, width: usize) -> String {
        let widths = self.widths(width);
        let mut head = String::new();
        for (at, column) in self.drawn().filter(|(at, _)| widths[*at] > 0) {
            head += &" ".repeat(column.gap);
            head += &match column.width {
                Width::Right(width) => text::pad_left(column.head, width),
                _ if at + 1 == self.columns.len() => column.head.to_owned(),
                _ => text::pad(column.head, widths[at]),
            };
        }
        head
    }

    fn line<'s>(&self, ink: &Ink<'s>, row: &T::Row<'s>, width: usize) -> Line<'static> {
        let state = ink.state;
        let widths = self.widths(width);
        let failed = (self.rare.failed)(state, row);
        let mut spans: Vec<Span<'static>> = Vec::new();
        for (at, column) in self.drawn().filter(|(at, _)| widths[*at] > 0) {
            let own = widths[at];
            if column.gap > 0 {
                spans.push(ink.text(" ".repeat(column.gap)));
            }
            let room = own.saturating_sub(column.slack);
            let cell = (column.cell)(state, row).drawn(state.masked, ink.glyphs, room);
            let cell = match column.width {
                Width::Right(_) => text::pad_left(&cell, own),
                _ if at + 1 == self.columns.len() => cell,
                _ => text::pad(&cell, own),
            };
            spans.push(ink.span(cell, (column.scope)(state, row)));
            if let Some(why) = &failed {
                let room = width.saturating_sub(own + 1);
                spans.push(ink.span(format!(" {}", text::cut(why, room)), Scope::Warn));
                break;
            }
        }
        Line::from(spans)
    }

    /// A column's cell, where the screen does not hide it.
    fn seen<'s>(&self, state: &'s State, row: &T::Row<'s>, column: &Column<T>) -> Option<Cell> {
        let cell = (column.cell)(state, row);
        (!state.masked || !matches!(cell, Cell::Masked(_))).then_some(cell)
    }

    /// What a filter finds a row by.
    fn found<'s>(&self, state: &'s State, row: &T::Row<'s>) -> Words {
        let by = |surface: u8| {
            let columns = self
                .columns
                .iter()
                .filter(move |c| c.surfaces & surface > 0);
            let cells = columns.filter_map(|column| self.seen(state, row, column));
            cells.flat_map(|cell| cell.words())
        };
        let name: Vec<String> = by(NAME).collect();
        Words::new(
            name.join(" "),
            by(FOUND).chain((self.rare.failed)(state, row)),
        )
    }

    fn object<'s>(&self, state: &'s State, row: &T::Row<'s>) -> Value {
        if let Some(why) = (self.rare.failed)(state, row) {
            let named = self
                .columns
                .iter()
                .filter(|column| column.surfaces & NAME > 0);
            let named =
                named.filter_map(|c| Some((c.key?.to_owned(), (c.cell)(state, row).json())));
            let why = ("error".to_owned(), json!(why));
            return Value::Object(named.chain([why]).collect());
        }
        let cell =
            |column: &Column<T>| Some((column.key?.to_owned(), (column.cell)(state, row).json()));
        let mut object: Map<String, Value> = self.columns.iter().filter_map(cell).collect();
        for field in self.rare.fields {
            if let Some((key, value)) = object.shift_remove_entry(*field) {
                object.insert(key, value);
            }
        }
        Value::Object(object)
    }

    /// Every row as JSON, whatever the pane is narrowed to.
    pub fn objects(&self, state: &State) -> Vec<Value> {
        let rows = T::rows(state);
        rows.iter().map(|row| self.object(state, row)).collect()
    }

    fn sentence<'s>(&self, state: &'s State, row: &T::Row<'s>) -> String {
        let failed = (self.rare.failed)(state, row);
        let mut words = String::new();
        for column in self.columns {
            let Some(before) = column.spoken else {
                continue;
            };
            let cell = self.seen(state, row, column).map(|cell| cell.text());
            if let Some(cell) = cell.filter(|cell| !cell.is_empty()) {
                words += before;
                words += &cell;
            }
            if let Some(why) = &failed {
                return format!("{words}, {why}");
            }
        }
        words
    }
}

impl<T: Rows> Contents for Table<T> {
    fn card(&self) -> &'static Card {
        self.card
    }

    fn draw(&self, ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
        let state = ink.state;
        let rows = T::rows(state);
        let closed = usize::from(slot.area.width).saturating_sub(16);
        let summary = match (self.rare.summary)(state) {
            Some(words) => Line::from(vec![ink.text(words)]),
            None => rows
                .first()
                .map_or_else(Line::default, |row| self.line(ink, row, closed)),
        };
        let chrome = Chrome {
            title: (self.title)(state),
            short: self.short,
            note: Line::from(vec![ink.muted((self.note)(state, rows.len()))]),
            summary,
        };
        let Some(area) = ink.frame(slot, chrome, buf, hits) else {
            return;
        };
        let mut area = (self.rare.over)(ink, area, buf);
        let words = self
            .rare
            .nothing
            .filter(|_| rows.is_empty())
            .map(|nothing| {
                let own = nothing(state);
                let waits = (self.waits)(state).map(|why| (why, Scope::Muted));
                waits.unwrap_or_else(|| (own.0.to_owned(), own.1))
            });
        if let Some((words, scope)) = words {
            let line = Line::from(vec![ink.span(format!(" {words}"), scope)]);
            buf.set_line(area.x, area.y, &line, area.width);
            return;
        }
        if self.columns.iter().any(|column| !column.head.is_empty()) {
            let head = self.head(usize::from(area.width).saturating_sub(1));
            area = headed(ink, &head, area, buf);
        }
        let draw = |row: usize, width: usize| self.line(ink, &rows[row], width);
        ink.list(self.pane, area, rows.len(), buf, hits, &draw);
    }

    fn count(&self, state: &State) -> usize {
        T::rows(state).len()
    }

    fn words(&self, state: &State) -> Vec<Option<Words>> {
        let rows = state.scene().map_or_else(Vec::new, |_| T::rows(state));
        let found = rows.iter().map(|row| Some(self.found(state, row)));
        found.collect()
    }

    fn copied(&self, state: &State, _: &Scene, row: usize) -> Option<(String, String)> {
        if let Some(whole) = self.rare.whole {
            return whole(state);
        }
        let rows = T::rows(state);
        let row = rows.get(row)?;
        let cells = self
            .columns
            .iter()
            .filter(|column| column.surfaces & COPIED > 0);
        let cells: Vec<String> = cells
            .map(|column| (column.cell)(state, row).text())
            .collect();
        Some((cells.join("\t"), self.one.to_owned()))
    }

    fn json(&self, state: &State, _: &Scene) -> (Value, &'static str) {
        let rows = T::rows(state);
        let shown = filter::shown(state, self.pane).into_iter();
        let shown = shown.filter_map(|row| rows.get(row));
        let objects = shown.map(|row| self.object(state, row)).collect();
        (self.json)(state, objects)
    }

    fn spoken(&self, state: &State) -> Vec<Option<String>> {
        let rows = T::rows(state);
        match self.columns.iter().any(|column| column.spoken.is_some()) {
            true => rows
                .iter()
                .map(|row| Some(self.sentence(state, row)))
                .collect(),
            false => worded(self.words(state)),
        }
    }

    fn narrows_json(&self, _: &State) -> bool {
        true
    }

    fn waits(&self, state: &State) -> Option<String> {
        (self.waits)(state)
    }

    fn can_enter(&self, state: &State, _: usize) -> Result<(), String> {
        match self.count(state) {
            0 => Err(self.rare.unlisted.to_owned()),
            _ => Ok(()),
        }
    }

    fn enter(&self, state: &State, row: usize) -> Option<Action> {
        (self.enter)(state, row)
    }
}
