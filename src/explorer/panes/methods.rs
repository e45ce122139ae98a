//! Every method on the question: where each ranks the gold, what that costs, and what it was worth on the set.

use super::row::headed;
use crate::explorer::hits::Hits;
use crate::explorer::layout::{Pane, Slot};
use crate::explorer::scoring::MEASURE;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use crate::explorer::trials::Tried;
use crate::explorer::view::ink::{Chrome, Ink};
use ratatui::buffer::Buffer;
use ratatui::text::Line;

/// Columns of a measure and of a time.
const WORTH: usize = 5;
const TIME: usize = 8;

pub fn render(ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
    let trials = ink.state.trials.as_ref();
    let rows = trials.map_or(&[][..], |trials| &trials.rows);
    let of = trials.map_or(0, |trials| trials.trial.settings.len());
    let note = match rows.len() == of {
        true => text::plural(of, "method"),
        false => format!("{} of {of}", rows.len()),
    };
    let chrome = Chrome {
        title: "Methods on this question".into(),
        short: "Methods",
        note: Line::from(vec![ink.muted(note)]),
        summary: Line::default(),
    };
    let Some(area) = ink.frame(slot, chrome, buf, hits) else {
        return;
    };
    let width = usize::from(area.width).saturating_sub(1);
    let rest = width.saturating_sub(named(width) + WORTH + TIME + WORTH + 2);
    let head = format!(
        "{}{MEASURE:>WORTH$}  {}{:>TIME$}{:>WORTH$}",
        text::pad("method", named(width)),
        text::pad("gold ranks", rest),
        "time",
        "set"
    );
    let area = headed(ink, &head, area, buf);
    ink.list(Pane::Methods, area, rows.len(), buf, hits, &|row, width| {
        line(ink, &rows[row], ink.state.tried_worth(row), width)
    });
}

/// Columns of a method's name.
fn named(width: usize) -> usize {
    18.min(width / 3)
}

fn line(ink: &Ink<'_>, tried: &Tried, worth: Option<f64>, width: usize) -> Line<'static> {
    let now = *ink.state.settings.method().name == *tried.method;
    let name = named(width);
    let scope = [Scope::Text, Scope::Tab][usize::from(now)];
    let mut spans = vec![ink.span(text::pad(&text::cut(&tried.method, name), name), scope)];
    let column = match &tried.column {
        Ok(column) => column,
        Err(said) => {
            let room = width.saturating_sub(name + 1);
            spans.push(ink.span(format!(" {}", text::cut(said, room)), Scope::Warn));
            return Line::from(spans);
        }
    };
    if column.measures.is_some() {
        let scope = Scope::of_measure(column.worth);
        spans.push(ink.span(text::pad_left(&text::share(column.worth), WORTH), scope));
    }
    let time = match tried.seconds {
        0.0 => String::new(),
        seconds => text::seconds(seconds),
    };
    let rest = width.saturating_sub(name + WORTH + TIME + WORTH + 2);
    spans.push(ink.text("  "));
    spans.push(ink.value(text::pad(&text::cut(&tried.ranks(), rest), rest)));
    spans.push(ink.muted(text::pad_left(&time, TIME)));
    let worth = worth.map_or_else(String::new, text::measure);
    spans.push(ink.muted(text::pad_left(&worth, WORTH)));
    Line::from(spans)
}
