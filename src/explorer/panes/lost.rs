//! How far gold gets over the set, and the failure classes of what is lost, as bars.

use crate::evaluate::Survival;
use crate::explorer::hits::Hits;
use crate::explorer::layout::{Pane, Slot};
use crate::explorer::scoring::{Counted, Score};
use crate::explorer::text;
use crate::explorer::theme::Scope;
use crate::explorer::view::ink::{Chrome, Ink};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

/// Columns of a stage's name and of a count.
const NAME: usize = 10;
const COUNT: usize = 6;

pub fn render(ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
    let score = ink.state.score.as_ref().filter(|score| score.judged);
    let lost = score.map_or(0, |score| score.asked.iter().map(|q| q.lost.len()).sum());
    let gold: usize = score.map_or(0, |score| {
        score.asked.iter().map(|q| q.fate.gold.len()).sum()
    });
    let told = score.map_or_else(String::new, |_| format!("{lost} of {gold} gold"));
    let chrome = Chrome {
        title: "Where gold is lost".into(),
        short: "Lost",
        note: Line::from(vec![ink.muted(told.clone())]),
        summary: Line::from(vec![ink.text(told)]),
    };
    let Some(area) = ink.frame(slot, chrome, buf, hits) else {
        return;
    };
    let Some(score) = score else {
        let words = format!(" {}", ink.state.no_score());
        let line = Line::from(vec![ink.muted(words)]);
        buf.set_line(area.x, area.y, &line, area.width);
        return;
    };
    let funnel = funnel(ink, score, usize::from(area.width).saturating_sub(2));
    let classes = score.classes();
    // The classes are what can be opened: they get room first.
    let spare = usize::from(area.height).saturating_sub(classes.len().max(1) + 1);
    let drawn = funnel.len().min(spare);
    for (y, line) in funnel.iter().take(drawn).enumerate() {
        buf.set_line(area.x + 1, area.y + y as u16, line, area.width - 1);
    }
    let taken = drawn as u16 + u16::from(drawn > 0);
    let below = Rect {
        y: area.y + taken,
        height: area.height.saturating_sub(taken),
        ..area
    };
    if classes.is_empty() {
        let words = match score.done == score.of {
            true => "no gold of the corpus is lost",
            false => "none is lost so far",
        };
        buf.set_line(
            below.x + 1,
            below.y,
            &Line::from(vec![ink.span(words, Scope::Ok)]),
            area.width,
        );
        return;
    }
    let most = classes
        .iter()
        .map(|counted| counted.count)
        .max()
        .unwrap_or(1);
    ink.list(
        Pane::Lost,
        below,
        classes.len(),
        buf,
        hits,
        &|row, width| {
            let Counted {
                class,
                count,
                codes,
            } = &classes[row];
            let chosen = ink.state.class == Some(*class);
            let about = format!("{class} {}", class.about());
            let label = 36.min(width / 2);
            let bar = (width.saturating_sub(label + COUNT + 1) / 3).min(20);
            let rest = width.saturating_sub(label + COUNT + 1 + bar + 2);
            let codes: Vec<String> = codes
                .iter()
                .map(|(code, n)| format!("{code} {n}"))
                .collect();
            let drawn = crate::explorer::glyphs::bar(*count as f64 / most as f64, bar, ink.glyphs);
            let scope = [Scope::Text, Scope::Title][usize::from(chosen)];
            Line::from(vec![
                ink.span(text::pad(&text::cut(&about, label), label), scope),
                ink.value(text::pad_left(&text::count(*count), COUNT)),
                ink.text(" "),
                ink.span(drawn, Scope::Error),
                ink.text("  "),
                ink.muted(text::cut(&codes.join(" "), rest)),
            ])
        },
    );
}

/// Gold that is still in play after every stage.
fn funnel(ink: &Ink<'_>, score: &Score, width: usize) -> Vec<Line<'static>> {
    let fates: Vec<_> = score.asked.iter().map(|q| &q.fate).collect();
    let survival = Survival::counted(&fates, ink.state.settings.method());
    let bar = width.saturating_sub(NAME + COUNT + 1);
    let line = |alive: &crate::evaluate::survival::Alive| {
        let drawn = crate::explorer::glyphs::bar(alive.share, bar, ink.glyphs);
        Line::from(vec![
            ink.text(text::pad(alive.stage.label(), NAME)),
            ink.value(text::pad_left(&text::count(alive.count), COUNT)),
            ink.text(" "),
            ink.span(drawn, Scope::Bar),
        ])
    };
    survival.stages.iter().map(line).collect()
}
