//! The line that says what happened: messages, errors in words, and how long the last run took.

use crate::explorer::action::Tone;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use crate::explorer::view::ink::{Filling, Ink};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

pub fn render(ink: &Ink<'_>, area: Rect, buf: &mut Buffer) {
    let state = ink.state;
    let width = usize::from(area.width);
    let mut filling = Filling::new(width);
    if state.stale() {
        filling.add(vec![ink.span(" running", Scope::Warn)]);
        filling.add(vec![
            ink.muted("  what is shown belongs to the settings before"),
        ]);
    } else if let Some(building) = state
        .building
        .as_ref()
        .filter(|_| state.message.text.is_empty())
    {
        filling.add(vec![ink.span(" building ", Scope::Warn)]);
        filling.add(vec![ink.text(building.said())]);
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
            for stage in &answer.scene.stages {
                let time = if stage.reused {
                    "kept".to_owned()
                } else {
                    text::seconds(stage.seconds)
                };
                filling.add(vec![ink.dot(), ink.muted(format!("{} {time}", stage.name))]);
            }
        }
        filling.add(vec![ink.dot(), ink.muted("nothing left this machine")]);
    }
    buf.set_line(area.x, area.y, &filling.line, area.width);
}
