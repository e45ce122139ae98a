//! The first line: which index is open, and where to find everything else.

use crate::explorer::command::Command;
use crate::explorer::hits::{Hits, Target};
use crate::explorer::layout::View;
use crate::explorer::panes::ink::{Filling, Ink};
use crate::explorer::text;
use crate::explorer::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

pub fn render(ink: &Ink<'_>, area: Rect, buf: &mut Buffer, hits: &mut Hits) {
    let facts = &ink.state.facts;
    let mut right = 0;
    for (command, key, name) in [
        (Command::Help, "?", "help"),
        (Command::Palette, "^P", "commands"),
    ] {
        let width = (key.len() + name.len() + 3) as u16;
        right += width;
        if right + 20 < area.width {
            let x = area.x + area.width - right;
            let line = Line::from(vec![
                ink.span(key, Scope::Key),
                ink.muted(format!(" {name}")),
            ]);
            buf.set_line(x, area.y, &line, width);
            hits.add(Rect::new(x, area.y, width - 2, 1), Target::Command(command));
        }
    }
    let (tabs, width) = tabs(ink, usize::from(area.width.saturating_sub(right + 34)));
    let x = area.x + area.width.saturating_sub(right + width as u16 + 2);
    let mut at = x;
    for (command, spans) in tabs {
        let line = Line::from(spans);
        let own = line.width() as u16;
        buf.set_line(at, area.y, &line, own);
        hits.add(Rect::new(at, area.y, own, 1), Target::Command(command));
        at += own + 1;
    }
    let mut filling = Filling::new(usize::from(x.saturating_sub(area.x + 1)));
    filling.add(vec![ink.span(" hopscope ", Scope::Tab)]);
    let room = filling.room().min(30);
    filling.add(vec![ink.text(format!(
        "  {}",
        text::cut(&facts.name, room.saturating_sub(2))
    ))]);
    let counts = [
        (facts.passages, "passage"),
        (facts.entities, "entity"),
        (facts.edges, "edge"),
        (facts.questions.len(), "question"),
    ];
    let told = |(value, name): &(usize, &str)| *name != "question" || *value > 0;
    for (value, name) in counts.into_iter().filter(told) {
        let lead = match name {
            "passage" => ink.muted("   "),
            _ => ink.dot(),
        };
        // The first that does not fit ends the line: what comes first says most.
        if !filling.add(vec![lead, ink.muted(text::plural(value, name))]) {
            break;
        }
    }
    buf.set_line(area.x, area.y, &filling.line, area.width);
}

/// The views, with their names as far as there is room: all, that of the open one, none.
fn tabs(ink: &Ink<'_>, room: usize) -> (Vec<(Command, Vec<Span<'static>>)>, usize) {
    let command = |view: View| match view {
        View::Explore => Command::ViewExplore,
        View::Compare => Command::ViewCompare,
        View::Flow => Command::ViewFlow,
        View::Graph => Command::ViewGraph,
        View::Evaluate => Command::ViewEvaluate,
        View::Annotate => Command::ViewAnnotate,
    };
    let open = ink.state.view;
    let tab = |view: View, named: bool| {
        let key = ink.state.keymap.shown(command(view));
        let key = key.map_or_else(String::new, |key| key.to_string());
        let name = if named { view.name() } else { "" };
        let words = format!("{key} {name}").trim().to_owned();
        let spans = match view == open {
            true => vec![ink.span(format!("[{words}]"), Scope::Tab)],
            false => vec![
                ink.span(key, Scope::Key),
                ink.muted(words.trim_start_matches(char::is_numeric).to_owned()),
            ],
        };
        (command(view), spans)
    };
    let all = |named: &dyn Fn(View) -> bool| -> Vec<_> {
        View::ALL
            .into_iter()
            .map(|view| tab(view, named(view)))
            .collect()
    };
    let wide = |tabs: &[(Command, Vec<Span<'static>>)]| -> usize {
        let spans = tabs.iter().flat_map(|tab| &tab.1);
        spans.map(Span::width).sum::<usize>() + tabs.len()
    };
    let choices = [all(&|_| true), all(&|view| view == open)];
    let shown = choices.into_iter().find(|tabs| wide(tabs) <= room);
    let shown = shown.unwrap_or_else(|| all(&|_| false));
    let width = wide(&shown);
    (shown, width)
}
