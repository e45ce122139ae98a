//! What can follow the keys pressed so far. Opens at once: a person who hesitates is a person who asks.

use crate::explorer::available::available;
use crate::explorer::command::Command;
use crate::explorer::hits::{Hits, Target};
use crate::explorer::keys::{Lookup, Stroke};
use crate::explorer::panes::ink::Ink;
use crate::explorer::parameter_keys;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

/// Columns of one entry.
const CELL: u16 = 30;

pub fn render(ink: &Ink<'_>, begun: Stroke, main: Rect, buf: &mut Buffer, hits: &mut Hits) {
    let follow = following(ink, begun);
    let columns = (main.width.saturating_sub(2) / CELL).clamp(1, 4);
    let rows = (follow.len() as u16).div_ceil(columns);
    let height = (rows + 2).min(main.height);
    let width = (columns * CELL + 2).min(main.width);
    let area = Rect::new(
        main.x + main.width - width,
        main.y + main.height - height,
        width,
        height,
    );
    if area.height < 3 || area.width < 12 {
        return;
    }
    super::frame(ink, area, &format!("{begun} .."), ("", 0), buf);
    for (i, (key, command)) in follow.iter().enumerate() {
        let (column, row) = (i as u16 / rows.max(1), i as u16 % rows.max(1));
        let place =
            Rect::new(area.x + 1 + column * CELL, area.y + 1 + row, CELL, 1).intersection(area);
        if row + 2 >= area.height || place.width < 4 {
            continue;
        }
        let possible = available(*command, ink.state).is_ok();
        let name = match command {
            Command::Tune(parameter) => {
                format!(
                    "{} {}",
                    parameter.declaration().label,
                    ink.state.settings.text(*parameter)
                )
            }
            _ => command.short().to_owned(),
        };
        let line = Line::from(vec![
            ink.span(
                format!(" {} ", text::pad(key, 2)),
                if possible { Scope::Key } else { Scope::Muted },
            ),
            ink.span(
                text::cut(&name, usize::from(CELL) - 5),
                if possible { Scope::Text } else { Scope::Muted },
            ),
        ]);
        buf.set_line(place.x, place.y, &line, place.width);
        hits.add(place, Target::Command(*command));
    }
}

/// The letters of the parameters that have no keys in the table.
fn letters(ink: &Ink<'_>, begun: Stroke) -> Vec<(Stroke, Command)> {
    if begun != parameter_keys::prefix() {
        return Vec::new();
    }
    let letters = parameter_keys::letters(ink.state).into_iter();
    letters.map(|(key, p)| (key, Command::Tune(p))).collect()
}

/// The keys that continue a chord, in the order of the table.
pub fn following(ink: &Ink<'_>, begun: Stroke) -> Vec<(String, Command)> {
    match ink.state.keymap.lookup(&[begun]) {
        // Parameters that the method does not read would only be in the way; the palette says why.
        Lookup::Prefix(follow) => follow
            .into_iter()
            .filter(|(_, command)| {
                !matches!(command, Command::Tune(_)) || available(*command, ink.state).is_ok()
            })
            .chain(letters(ink, begun))
            .map(|(key, command)| (key.to_string(), command))
            .collect(),
        Lookup::Command(_) | Lookup::None => Vec::new(),
    }
}
