//! The questions of the set under the live settings, the most harmed against A first.

use super::row::headed;
use crate::explorer::hits::Hits;
use crate::explorer::layout::{Pane, Slot};
use crate::explorer::rows;
use crate::explorer::scoring::{Judged, MEASURE};
use crate::explorer::text;
use crate::explorer::theme::Scope;
use crate::explorer::view::ink::{Chrome, Ink};
use ratatui::buffer::Buffer;
use ratatui::text::Line;

/// Columns of a difference, a measure and the ranks of gold.
const GAIN: usize = 6;
const WORTH: usize = 5;
const RANKS: usize = 12;

pub fn render(ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
    let listed = rows::questions(ink.state);
    let title = match ink.state.class {
        Some(class) => format!("Questions: {class} {}", class.about()),
        None => "Questions".to_owned(),
    };
    let note = match ink.state.class {
        Some(_) => format!("{} of {}", listed.len(), ink.state.facts.questions.len()),
        None => format!("by change of {MEASURE}"),
    };
    let chrome = Chrome {
        title,
        short: "Questions",
        note: Line::from(vec![ink.muted(note)]),
        summary: listed.first().map_or_else(Line::default, |first| {
            line(ink, first, usize::from(slot.area.width).saturating_sub(16))
        }),
    };
    let Some(area) = ink.frame(slot, chrome, buf, hits) else {
        return;
    };
    if listed.is_empty() {
        let words = match ink.state.score {
            Some(_) => "none",
            None => ink.state.no_score(),
        };
        buf.set_line(
            area.x,
            area.y,
            &Line::from(vec![ink.muted(format!(" {words}"))]),
            area.width,
        );
        return;
    }
    let head = head(usize::from(area.width).saturating_sub(1));
    let area = headed(ink, &head, area, buf);
    ink.list(
        Pane::Questions,
        area,
        listed.len(),
        buf,
        hits,
        &|row, width| line(ink, listed[row], width),
    );
}

/// What stands over the columns.
fn head(width: usize) -> String {
    let codes = if width >= 70 {
        "lost by           "
    } else {
        ""
    };
    format!(
        "{:>GAIN$}{:>WORTH$}  {:RANKS$}{codes}question",
        "change", MEASURE, "gold ranks"
    )
}

fn line(ink: &Ink<'_>, judged: &Judged, width: usize) -> Line<'static> {
    let asked = ink.state.facts.questions.get(judged.at);
    let gain = match judged.gain() {
        0.0 => String::new(),
        gain => text::signed(gain),
    };
    let worth = judged.now.get(MEASURE).unwrap_or(0.0);
    let scope = Scope::of_measure(worth);
    let ranks = text::ranks(&judged.gold);
    let code = judged
        .lost
        .first()
        .map(|lost| lost.1.to_string())
        .unwrap_or_default();
    let codes = if width >= 70 { 18 } else { 0 };
    let here = ink.state.wanted.asked == Some(judged.at);
    let room = width.saturating_sub(GAIN + WORTH + 2 + RANKS + codes + 1);
    let words = ink.said(asked.map_or("", |asked| &asked.text));
    Line::from(vec![
        ink.span(text::pad_left(&gain, GAIN), Scope::of_gain(judged.gain())),
        ink.span(text::pad_left(&text::share(worth), WORTH), scope),
        ink.text("  "),
        ink.value(text::pad(&text::cut(&ranks, RANKS - 1), RANKS)),
        ink.span(
            text::pad(&text::cut(&code, codes.saturating_sub(1)), codes),
            Scope::Warn,
        ),
        ink.span(
            text::cut(&words, room),
            [Scope::Text, Scope::Title][usize::from(here)],
        ),
    ])
}
