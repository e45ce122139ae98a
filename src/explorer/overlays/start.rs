//! The first screen, over the live sample.

use crate::explorer::hits::{Hits, Target};
use crate::explorer::panes::ink::{Ink, flow};
use crate::explorer::start;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

const WIDTH: u16 = 92;
/// Columns of a name and of what a line of the terminal is about.
const NAME: usize = 15;
const FOUND: usize = 11;

pub fn render(ink: &Ink<'_>, at: usize, main: Rect, buf: &mut Buffer, hits: &mut Hits) {
    hits.add(buf.area, Target::Elsewhere);
    let width = main.width.min(WIDTH);
    let room = usize::from(width).saturating_sub(6);
    let (words, close) = start::words(ink.state);
    let mut lines: Vec<(Option<usize>, Line<'static>)> = Vec::new();
    lines.extend(
        flow(vec![ink.text(words)], room, 0)
            .into_iter()
            .map(|line| (None, line)),
    );
    lines.push((None, Line::default()));
    for (row, entry) in start::entries(ink.state).into_iter().enumerate() {
        let (scope, about) = match entry.unavailable {
            Some(why) => (Scope::Muted, why),
            None => (Scope::Text, entry.now),
        };
        let about = text::cut(&about, room.saturating_sub(4 + NAME));
        let line = Line::from(vec![
            ink.span(format!("{}  ", entry.key), Scope::Key),
            ink.span(text::pad(&entry.title, NAME), scope),
            ink.muted(about),
        ]);
        lines.push((Some(row), line));
    }
    let begins = lines.len();
    lines.push((None, Line::default()));
    lines.push((
        None,
        Line::from(vec![ink.span("This terminal", Scope::Title)]),
    ));
    let size = start::size(buf.area.width, buf.area.height);
    let found = std::iter::once(("size", size)).chain(ink.state.terminal.iter().cloned());
    for (name, said) in found {
        let said = text::cut(&said, room.saturating_sub(FOUND));
        lines.push((
            None,
            Line::from(vec![ink.muted(text::pad(name, FOUND)), ink.text(said)]),
        ));
    }
    let most = usize::from(main.height.saturating_sub(2));
    if lines.len() > most {
        // What one can begin with comes first, then the terminal as far as it fits, in whole.
        let least = lines.len() - begins;
        match most >= begins + least.min(3) {
            true => lines.truncate(most),
            false => {
                lines.truncate(begins);
                let spare = lines.len().saturating_sub(most);
                lines.drain(..spare);
            }
        }
    }
    let height = (lines.len() as u16 + 2).min(main.height);
    let area = Rect::new(
        main.x + (main.width - width) / 2,
        main.y + (main.height - height) / 2,
        width,
        height,
    );
    if area.width < 20 || area.height < 3 {
        return;
    }
    let note = format!("press a letter, or Up Down Enter   Esc: {close}");
    super::frame(ink, area, "Start", (&note, 7), buf);
    for (y, (row, line)) in lines.iter().enumerate() {
        let place = Rect::new(area.x + 1, area.y + 1 + y as u16, area.width - 2, 1);
        if place.y + 1 >= area.y + area.height {
            break;
        }
        buf.set_line(place.x + 2, place.y, line, place.width - 3);
        let Some(row) = *row else { continue };
        if row == at {
            let style = ink.style(Scope::Selection);
            buf.set_style(place, style);
            buf.set_string(place.x, place.y, ink.glyphs.cursor, style);
        }
        hits.add(place, Target::Entry(row));
    }
}
