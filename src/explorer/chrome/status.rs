//! The line that says what happened: messages, errors in words, and how long the last run took.

use crate::explorer::action::Tone;
use crate::explorer::jobs::score::MEASURE;
use crate::explorer::panes::ink::{Filling, Ink};
use crate::explorer::text;
use crate::explorer::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// How the set stands under these settings, in as many words as there is room for.
fn set(ink: &Ink<'_>, width: usize) -> Option<Vec<Span<'static>>> {
    let score = ink.state.score().filter(|_| !ink.state.blind())?;
    let d = score.difference(MEASURE)?;
    let whole = score.done == score.of;
    let done = match whole {
        true => format!("set of {}", score.of),
        false => format!("set {}/{}", score.done, score.of),
    };
    if score.alone {
        return Some(vec![
            ink.muted(format!("{done}  {MEASURE} ")),
            ink.value(text::measure(d.mean_b)),
            ink.text(" "),
        ]);
    }
    let scope = Scope::of_gain(d.sure());
    let interval = d.interval.map(|i| format!(" {}", text::interval(i)));
    let interval = interval.unwrap_or_default();
    let counts = format!("{} won {} tied {} lost", d.wins, d.ties, d.losses);
    let few = format!("+{} -{}", d.wins, d.losses);
    let gain = text::signed(d.difference);
    let longest = |judged: String| {
        vec![
            ink.muted(format!("{done}  {MEASURE} ")),
            ink.value(text::measure(d.mean_b)),
            ink.span(format!(" {gain}"), scope),
            ink.muted(format!("{interval}  {counts}: ")),
            ink.span(format!("{judged} "), scope),
        ]
    };
    let judged = whole.then(|| [d.judgement(), d.verdict()].map(longest));
    let long = vec![
        ink.muted(format!("{done}  {MEASURE} ")),
        ink.value(text::measure(d.mean_b)),
        ink.span(format!(" {gain}"), scope),
        ink.muted(format!("{interval}  {counts} ")),
    ];
    let short = vec![
        ink.muted(format!("{done} {MEASURE} ")),
        ink.value(text::measure(d.mean_b)),
        ink.span(format!(" {gain}"), scope),
        ink.muted(format!(" {few} ")),
    ];
    let fits = |spans: &Vec<Span<'_>>| {
        let own: usize = spans.iter().map(|span| text::width(&span.content)).sum();
        own * 2 <= width
    };
    let judged = judged.into_iter().flatten();
    judged.chain([long, short]).find(fits)
}

pub fn render(ink: &Ink<'_>, area: Rect, buf: &mut Buffer) {
    let state = ink.state;
    let mut width = usize::from(area.width);
    if let Some(spans) = set(ink, width) {
        let own: usize = spans.iter().map(|span| text::width(&span.content)).sum();
        width = width.saturating_sub(own + 1);
        let line = Line::from(spans);
        buf.set_line(area.x + width as u16 + 1, area.y, &line, own as u16);
    }
    let mut filling = Filling::new(width);
    if state.stale() {
        filling.add(vec![ink.span(" running", Scope::Warn)]);
        filling.add(vec![ink.muted("  showing the previous settings")]);
    } else if state.building.going() && state.message.text.is_empty() {
        filling.add(vec![ink.span(" building ", Scope::Warn)]);
        filling.add(vec![ink.text(state.building.said())]);
    } else if !state.message.text.is_empty() {
        let (word, scope) = match state.message.tone {
            Tone::Plain => ("", Scope::Text),
            Tone::Good => ("ok  ", Scope::Ok),
            Tone::Warning => ("note  ", Scope::Warn),
            Tone::Error => ("error  ", Scope::Error),
        };
        filling.add(vec![ink.text(" "), ink.span(word, scope)]);
        let room = filling.room();
        filling.add(vec![ink.span(
            text::cut(&state.message.text, room),
            if word.is_empty() { Scope::Text } else { scope },
        )]);
    } else if state.running() {
        filling.add(vec![ink.span(" running", Scope::Warn)]);
    } else if let Some(answer) = &state.shown {
        filling.add(vec![ink.span(" ok", Scope::Ok)]);
        // Pictures carry no times: there a time would say how fast the machine was that drew them.
        if answer.seconds > 0.0 {
            filling.add(vec![
                ink.text("  "),
                ink.text(text::seconds(answer.seconds)),
            ]);
            // What a run before took is no part of the time it took to look at another passage.
            if answer.kept {
                filling.add(vec![ink.muted(" to explain the selection")]);
            }
        }
        let spent = answer.spent.as_ref().map(ToString::to_string);
        let place = match (spent, &state.facts.elsewhere) {
            (Some(spent), _) => spent,
            // What was fetched before served this answer.
            (None, Some(_)) => "database: no look-up".to_owned(),
            (None, None) => "local only".to_owned(),
        };
        filling.add(vec![ink.dot(), ink.muted(place)]);
    }
    buf.set_line(area.x, area.y, &filling.line, width as u16);
}
