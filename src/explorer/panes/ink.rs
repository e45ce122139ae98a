//! What every pane draws with: the theme, the characters, the frame of a pane, and lists with a cursor.

pub use super::fill::{Filling, flow, packed};
use crate::explorer::glyphs::Glyphs;
use crate::explorer::hits::{Hits, Target};
use crate::explorer::layout::{Face, Pane, Slot, cut_bottom};
use crate::explorer::panes::filter;
use crate::explorer::panes::row::say;
use crate::explorer::panes::rows;
use crate::explorer::state::{Mode, State};
use crate::explorer::text;
use crate::explorer::theme::{Scope, Theme};
use crate::retrieve::{Origin, Parameter};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Everything a pane reads.
#[derive(Clone, Copy)]
pub struct Ink<'a> {
    pub state: &'a State,
    pub theme: &'a Theme,
    pub glyphs: &'a Glyphs,
    /// A figure: no pane has the keyboard, and no key is named.
    pub paper: bool,
}

/// The words around a pane's content.
#[derive(Default)]
pub struct Chrome<'t> {
    pub title: String,
    /// Instead of the title where that leaves no room for the note, and when the pane is closed.
    pub short: &'static str,
    /// At the right end of the title's line.
    pub note: Line<'t>,
    /// What stays visible when the pane is closed to one line.
    pub summary: Line<'t>,
}

impl<'a> Ink<'a> {
    pub fn style(&self, scope: Scope) -> Style {
        self.theme.style(scope)
    }

    pub fn span(&self, text: impl Into<String>, scope: Scope) -> Span<'static> {
        Span::styled(text.into(), self.style(scope))
    }

    pub fn text(&self, text: impl Into<String>) -> Span<'static> {
        self.span(text, Scope::Text)
    }

    pub fn muted(&self, text: impl Into<String>) -> Span<'static> {
        self.span(text, Scope::Muted)
    }

    pub fn value(&self, text: impl Into<String>) -> Span<'static> {
        self.span(text, Scope::Value)
    }

    /// The value of a parameter; one that a person set stands out.
    pub fn setting(&self, parameter: Parameter) -> Span<'static> {
        let settings = &self.state.settings;
        let scope = match settings.origin(parameter) {
            Origin::User => Scope::Link,
            _ => Scope::Value,
        };
        self.span(text::unzero(settings.text(parameter)), scope)
    }

    /// Letter and fill of a group of seeds.
    pub fn letter(&self, group: usize) -> Span<'static> {
        Span::styled(Glyphs::letter(group).to_owned(), self.theme.seed(group))
    }

    /// The same for what may be of no group.
    pub fn letter_of(&self, group: Option<usize>) -> Span<'static> {
        group.map_or_else(|| self.text(" "), |group| self.letter(group))
    }

    pub fn fill(&self, group: usize) -> Span<'static> {
        Span::styled(self.glyphs.fill(group).to_owned(), self.theme.seed(group))
    }

    /// A bar of group shares, `total` being the full width.
    pub fn bar(&self, shares: &[f64], total: f64, width: usize) -> Vec<Span<'static>> {
        let scale = if total > 0.0 { total } else { 1.0 };
        let parts: Vec<(usize, f64)> = shares
            .iter()
            .enumerate()
            .map(|(g, s)| (g, s / scale))
            .collect();
        crate::explorer::glyphs::stacked_spans(&parts, width, self.glyphs, self.theme)
    }

    /// What a passage says, or as many marks when it is to be hidden. Byte ranges into the text do not survive hiding, so
    /// this is for pieces that are already cut.
    pub fn said(&self, text: &str) -> String {
        match self.state.masked {
            true => text::hidden(text),
            false => text.to_owned(),
        }
    }

    /// A score; for the back row two digits of it.
    pub fn score(&self, value: f64) -> String {
        match self.state.present {
            true => text::rough(value),
            false => text::score(value),
        }
    }

    /// The dot between facts.
    pub fn dot(&self) -> Span<'static> {
        self.muted(format!(" {} ", self.glyphs.dot))
    }

    pub fn focused(&self, pane: Pane) -> bool {
        !self.paper && self.state.focus == pane && !matches!(self.state.mode, Mode::Finder(_))
    }

    /// What a closed pane has room for beside its name, which says the moment where that is not the end.
    pub fn room(&self, slot: Slot, moment: &str) -> usize {
        let name = text::width(moment).max(1) + 14;
        usize::from(slot.area.width).saturating_sub(name)
    }

    /// Draws the frame of a pane and gives back where its content goes; nothing when it is closed.
    pub fn frame(
        &self,
        slot: Slot,
        chrome: Chrome<'_>,
        buf: &mut Buffer,
        hits: &mut Hits,
    ) -> Option<Rect> {
        hits.add(slot.area, Target::Pane(slot.pane));
        let chrome = self.narrowed(slot, chrome);
        match slot.face {
            Face::Box | Face::Tabs => Some(self.boxed(slot, chrome, buf, hits)),
            Face::Section => Some(self.section(slot, chrome, buf)),
            Face::Line => {
                self.closed(slot, chrome, buf);
                None
            }
        }
    }

    /// The frame of a pane that has nothing to show yet.
    pub fn bare(&self, slot: Slot, title: &str, buf: &mut Buffer, hits: &mut Hits) {
        let title = title.to_owned();
        let chrome = Chrome {
            title,
            ..Chrome::default()
        };
        self.frame(slot, chrome, buf, hits);
    }

    /// The title of a pane whose list is narrowed says by what, and to how much.
    fn narrowed<'t>(&self, slot: Slot, chrome: Chrome<'t>) -> Chrome<'t> {
        let typing = match &self.state.mode {
            Mode::Filter(input) if slot.pane == self.state.focus => Some(input.value()),
            _ => None,
        };
        let Some(typed) = typing.or(filter::typed(self.state, slot.pane)) else {
            return chrome;
        };
        let counted = filter::counted(self.state, slot.pane);
        let counted = counted.map_or_else(String::new, |counted| {
            format!("{counted} {} ", self.glyphs.dot)
        });
        let caret = if typing.is_some() {
            self.glyphs.eighths[8]
        } else {
            ""
        };
        let said = format!("{counted}/{typed}{caret}");
        let name = chrome.title.split(": ").next().unwrap_or_default();
        let tabs = if slot.face == Face::Tabs { 20 } else { 0 };
        let room = usize::from(slot.area.width).saturating_sub(4 + tabs);
        let title = match text::width(name) + 2 + text::width(&said) <= room {
            true => format!("{name}: {said}"),
            false => said,
        };
        Chrome {
            title,
            short: "",
            note: Line::default(),
            ..chrome
        }
    }

    fn boxed(&self, slot: Slot, chrome: Chrome<'_>, buf: &mut Buffer, hits: &mut Hits) -> Rect {
        let focused = self.focused(slot.pane);
        let (set, style) = if focused {
            (&self.glyphs.border_focus, self.style(Scope::BorderFocus))
        } else {
            (&self.glyphs.border, self.style(Scope::Border))
        };
        let area = slot.area;
        ratatui::widgets::Widget::render(
            ratatui::widgets::Block::bordered()
                .border_set(*set)
                .border_style(style),
            area,
            buf,
        );
        let title_style = if focused {
            self.style(Scope::Title)
                .patch(self.style(Scope::BorderFocus))
        } else {
            self.style(Scope::Title)
        };
        let room = usize::from(area.width.saturating_sub(4));
        let mut x = area.x + 2;
        if slot.face == Face::Tabs {
            x = self.tabs(slot, buf, hits);
        }
        let note_width = chrome.note.width();
        let title_room = room.saturating_sub(usize::from(x - area.x - 2));
        let tight = text::width(&chrome.title) + note_width + 4 > title_room;
        let title = if tight && !chrome.short.is_empty() {
            chrome.short
        } else {
            &chrome.title
        };
        let title = text::cut(title, title_room);
        if !title.is_empty() {
            let (next, _) =
                buf.set_stringn(x, area.y, format!(" {title} "), title_room + 2, title_style);
            x = next;
        }
        let free = usize::from((area.x + area.width).saturating_sub(x + 2));
        if note_width > 0 && note_width + 2 <= free {
            let start = area.x + area.width - 2 - note_width as u16 - 1;
            buf.set_string(start - 1, area.y, " ", Style::default());
            buf.set_line(start, area.y, &chrome.note, note_width as u16);
            buf.set_string(start + note_width as u16, area.y, " ", Style::default());
        }
        Rect::new(
            area.x + 1,
            area.y + 1,
            area.width.saturating_sub(2),
            area.height.saturating_sub(2),
        )
    }

    /// Why and Neighbours share a frame: both names stand in its border.
    fn tabs(&self, slot: Slot, buf: &mut Buffer, hits: &mut Hits) -> u16 {
        let mut x = slot.area.x + 2;
        for (pane, name, command) in [
            (Pane::Why, "Why", crate::explorer::command::Command::GoWhy),
            (
                Pane::Neighbours,
                "Neighbours",
                crate::explorer::command::Command::GoNeighbours,
            ),
        ] {
            let open = pane == slot.pane;
            let shown = if open {
                format!("[{name}]")
            } else {
                format!(" {name} ")
            };
            let style = self.style(if open { Scope::Tab } else { Scope::Muted });
            let (next, _) = buf.set_stringn(x, slot.area.y, &shown, 14, style);
            hits.add(
                Rect::new(x, slot.area.y, next - x, 1),
                Target::Command(command),
            );
            x = next;
        }
        x
    }

    fn section(&self, slot: Slot, chrome: Chrome<'_>, buf: &mut Buffer) -> Rect {
        let area = slot.area;
        let focused = self.focused(slot.pane);
        let rule = if focused {
            self.glyphs.border_focus.horizontal_top
        } else {
            self.glyphs.border.horizontal_top
        };
        let rule_style = self.style(if focused {
            Scope::BorderFocus
        } else {
            Scope::Border
        });
        let width = usize::from(area.width);
        buf.set_stringn(area.x, area.y, rule.repeat(width), width, rule_style);
        let title = format!(
            "{} {} ",
            self.glyphs.fold[1],
            text::cut(&chrome.title, width.saturating_sub(4))
        );
        let (x, _) = buf.set_stringn(area.x, area.y, title, width, self.style(Scope::Title));
        let note = chrome.note.width();
        if note > 0 && usize::from(x - area.x) + note + 3 < width {
            let start = area.x + area.width - note as u16 - 1;
            buf.set_string(start - 1, area.y, " ", Style::default());
            buf.set_line(start, area.y, &chrome.note, note as u16);
            buf.set_string(start + note as u16, area.y, " ", Style::default());
        }
        Rect {
            y: area.y + 1,
            height: area.height.saturating_sub(1),
            ..area
        }
    }

    fn closed(&self, slot: Slot, chrome: Chrome<'_>, buf: &mut Buffer) {
        let area = slot.area;
        let name = if chrome.short.is_empty() {
            &chrome.title
        } else {
            chrome.short
        };
        let name = format!("{} {name}", self.glyphs.fold[0]);
        let width = text::width(&name).max(12);
        let mut line = Line::from(vec![
            self.span(format!("{}  ", text::pad(&name, width)), Scope::Title),
        ]);
        line.extend(chrome.summary);
        buf.set_line(area.x, area.y, &line, area.width);
    }

    /// Draws the rows of a list around its cursor. `draw` gets the row and the width without the cursor's column.
    pub fn list(
        &self,
        pane: Pane,
        area: Rect,
        rows: usize,
        buf: &mut Buffer,
        hits: &mut Hits,
        draw: &dyn Fn(usize, usize) -> Line<'static>,
    ) {
        let shown: Vec<usize> = match filter::typed(self.state, pane) {
            Some(_) => filter::shown(self.state, pane),
            None => (0..rows).collect(),
        };
        hits.set_extent(pane, shown.len(), self.fitting(area.height));
        if shown.is_empty() && rows > 0 {
            return say(self, "no row has that; Esc shows all", area, buf);
        }
        self.part(pane, area, &shown, buf, hits, draw);
    }

    /// For the back row every row stands apart.
    fn every(&self) -> usize {
        if self.state.present { 2 } else { 1 }
    }

    /// How many rows of a list a height shows.
    fn fitting(&self, height: u16) -> usize {
        usize::from(height).div_ceil(self.every())
    }

    /// As [`list`](Self::list), with the rows that stay always there: under the others where their place is out of sight.
    pub fn list_keeping(
        &self,
        pane: Pane,
        area: Rect,
        stays: &[bool],
        buf: &mut Buffer,
        hits: &mut Hits,
        draw: &dyn Fn(usize, usize) -> Line<'static>,
    ) {
        let height = self.fitting(area.height);
        let rows = stays.len();
        let shown = filter::shown(self.state, pane);
        let (kept, others): (Vec<usize>, Vec<usize>) = shown.iter().partition(|row| stays[**row]);
        let first = filter::among(self.state.list(pane), &shown).window(shown.len(), height);
        let in_sight = shown.iter().skip(first).take(height);
        if in_sight.filter(|row| stays[**row]).count() == kept.len() {
            return self.list(pane, area, rows, buf, hits, draw);
        }
        let (upper, lower) = cut_bottom(area, (kept.len().min(height / 2) * self.every()) as u16);
        hits.set_extent(pane, shown.len(), self.fitting(upper.height));
        self.part(pane, upper, &others, buf, hits, draw);
        self.part(pane, lower, &kept, buf, hits, draw);
    }

    /// Some rows of a list, with the one under the cursor or what comes next in sight.
    fn part(
        &self,
        pane: Pane,
        area: Rect,
        rows: &[usize],
        buf: &mut Buffer,
        hits: &mut Hits,
        draw: &dyn Fn(usize, usize) -> Line<'static>,
    ) {
        let height = self.fitting(area.height);
        if area.width < 2 || height == 0 {
            return;
        }
        let list = self.state.list(pane);
        let offset = filter::among(list, rows).window(rows.len(), height);
        for (y, &row) in rows.iter().skip(offset).take(height).enumerate() {
            let place = Rect::new(area.x, area.y + (y * self.every()) as u16, area.width, 1);
            let selected = row == list.cursor;
            let line = draw(row, usize::from(area.width) - 1);
            buf.set_line(place.x + 1, place.y, &line, place.width - 1);
            if selected {
                let style = self.style(if self.focused(pane) {
                    Scope::Selection
                } else {
                    Scope::Text
                });
                if self.focused(pane) {
                    buf.set_style(place, style);
                    // What its ground means, it means under the cursor too.
                    let mut x = place.x + 1;
                    for span in line.spans {
                        let own = Rect::new(x, place.y, span.width() as u16, 1);
                        x += own.width;
                        if span.style.bg.is_some() {
                            let own = own.intersection(place);
                            buf.set_style(own, Style::reset().patch(span.style));
                        }
                    }
                }
                if self.focused(pane) || self.rests(pane, row) {
                    buf.set_string(
                        place.x,
                        place.y,
                        self.glyphs.cursor,
                        self.style(Scope::BorderFocus).patch(style),
                    );
                }
            }
            hits.add(place, Target::Row(pane, row));
        }
        self.thumb(area, offset, height, rows.len(), buf);
    }

    /// Whether a pane without the keyboard shows its cursor: only where it means something to the other panes.
    fn rests(&self, pane: Pane, row: usize) -> bool {
        match pane {
            _ if self.paper => false,
            Pane::Parameters | Pane::Passages => true,
            Pane::Spread | Pane::Seeds => {
                let selected = self.state.wanted.subject.node;
                rows::subject(self.state, pane, row)
                    .is_some_and(|s| s.node.is_some() && s.node == selected)
            }
            _ => false,
        }
    }

    /// Draws lines of text from the pane's scroll offset on.
    pub fn scrolled(
        &self,
        pane: Pane,
        area: Rect,
        lines: &[Line<'static>],
        buf: &mut Buffer,
        hits: &mut Hits,
    ) {
        let height = usize::from(area.height);
        hits.set_extent(pane, lines.len(), height);
        let offset = self
            .state
            .list(pane)
            .offset
            .min(lines.len().saturating_sub(height));
        for (y, line) in lines.iter().skip(offset).take(height).enumerate() {
            buf.set_line(area.x, area.y + y as u16, line, area.width);
        }
        self.thumb(area, offset, height, lines.len(), buf);
    }

    /// Shows on the frame's right side which part of the content is visible.
    fn thumb(&self, area: Rect, offset: usize, height: usize, rows: usize, buf: &mut Buffer) {
        let x = area.x + area.width;
        if rows <= height || height == 0 || x >= buf.area.right() {
            return;
        }
        let size = (height * height / rows).max(1);
        let start = offset * (height - size) / (rows - height).max(1);
        for y in start..start + size {
            buf.set_string(
                x,
                area.y + y as u16,
                self.glyphs.eighths[8],
                self.style(Scope::Border),
            );
        }
    }
}
