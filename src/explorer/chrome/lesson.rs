//! The strip of a lesson: what is said, what is asked, and what does not hold here.

use crate::explorer::command::Command;
use crate::explorer::hits::{Hits, Target};
use crate::explorer::lesson::Playing;
use crate::explorer::panes::ink::{Ink, flow};
use crate::explorer::panes::row::stack;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};

pub fn render(ink: &Ink<'_>, playing: &Playing, area: Rect, buf: &mut Buffer, hits: &mut Hits) {
    if area.height < 3 {
        return;
    }
    Clear.render(area, buf);
    buf.set_style(area, ink.style(Scope::Popup));
    let title = format!(" {} ", playing.lesson.title);
    let place = format!(
        " step {} of {} ",
        playing.at + 1,
        playing.lesson.steps.len()
    );
    Block::bordered()
        .border_set(ink.glyphs.border_focus)
        .border_style(ink.style(Scope::BorderFocus))
        .title_top(ink.span(title, Scope::Title))
        .title_top(Line::from(ink.muted(place)).right_aligned())
        .title_bottom(Line::from(ink.span(about(ink, playing), Scope::Warn)))
        .title_bottom(Line::from(keys(ink, playing)).right_aligned())
        .render(area, buf);
    hits.add(area, Target::Elsewhere);
    let inner = Rect {
        x: area.x + 2,
        y: area.y + 1,
        width: area.width.saturating_sub(4),
        height: area.height - 2,
    };
    let lines = lines(ink, playing, usize::from(inner.width));
    // What was asked and answered is newer than what was said before it.
    let hidden = lines.len().saturating_sub(usize::from(inner.height));
    let (keep, skip) = if playing.chosen.is_some() {
        (0, hidden)
    } else {
        (hidden, 0)
    };
    let shown = lines.len() - keep;
    stack(&lines[skip..shown], inner, 0, buf);
}

/// What the words do not say of what is on screen: another step of the walk than theirs, or what arrows beside ranks compare.
fn about(ink: &Ink<'_>, playing: &Playing) -> String {
    let state = ink.state;
    let timeline = state.timeline();
    let Some(timeline) = timeline.filter(|_| playing.settled && !state.running()) else {
        return String::new();
    };
    let last = timeline.steps.len().saturating_sub(1);
    let named = |step: Option<usize>| match step {
        Some(step) => format!("{} {step}", timeline.unit),
        None => format!("{} {last}", timeline.unit),
    };
    match state.earlier_step() {
        now if now != playing.shown => {
            format!(
                " about {}; on screen: {} ",
                named(playing.shown),
                named(now)
            )
        }
        _ if playing.chosen.is_some() && state.before.is_some() => {
            " arrows: change since the answer ".to_owned()
        }
        _ => String::new(),
    }
}

fn keys(ink: &Ink<'_>, playing: &Playing) -> Vec<Span<'static>> {
    let key = |command: Command| {
        let key = ink.state.keymap.shown(command);
        key.map_or_else(String::new, |key| key.to_string())
    };
    let mut spans = vec![ink.text(" ")];
    let last = playing.at + 1 == playing.lesson.steps.len();
    match playing.waits() {
        true => spans.extend([ink.span("a b c", Scope::Key), ink.muted(" answer ")]),
        false => spans.extend([
            ink.span(key(Command::LessonOn), Scope::Key),
            ink.muted(if last {
                " ends the lesson "
            } else {
                " goes on "
            }),
        ]),
    }
    spans.extend([
        ink.text(" "),
        ink.span(key(Command::LessonBack), Scope::Key),
        ink.muted(" back "),
    ]);
    spans
}

fn lines(ink: &Ink<'_>, playing: &Playing, width: usize) -> Vec<Line<'static>> {
    let scene = ink.state.scene();
    // Figures belong to the run that the step asked for.
    if !playing.queue.is_empty() || ink.state.running() {
        return vec![Line::from(ink.muted("loading"))];
    }
    let step = playing.step();
    let say = |words: &str, scope: Scope| {
        flow(
            vec![ink.span(playing.filled(words, scene), scope)],
            width,
            0,
        )
    };
    let (said, revealed) = playing.words(ink.state.present);
    // Before the answer the figures in `reveal` would give it away, and after it those in `say` have changed.
    let mut lines = match playing.chosen {
        None => say(said, Scope::Text),
        Some(_) => Vec::new(),
    };
    if !step.ask.is_empty() {
        lines.extend(say(&step.ask, Scope::Title));
        for (at, choice) in step.choices.iter().enumerate() {
            let letter = char::from(b'a' + at as u8);
            let (mark, scope) = match playing.chosen {
                Some(_) if step.right() == Some(at) => ("right", Scope::Ok),
                Some(chosen) if chosen == at => ("wrong", Scope::Error),
                _ => ("", Scope::Text),
            };
            let room = width.saturating_sub(4 + mark.len() + 2);
            lines.push(Line::from(vec![
                ink.span(format!(" {letter}  "), Scope::Key),
                ink.span(text::cut(&playing.filled(choice, scene), room), scope),
                ink.span(format!("  {mark}"), scope),
            ]));
        }
    }
    if playing.chosen.is_some() {
        lines.extend(say(revealed, Scope::Text));
    }
    for failing in playing.failing(scene) {
        let words = format!("does not hold on this index or these settings: {failing}");
        lines.extend(flow(vec![ink.span(words, Scope::Warn)], width, 0));
    }
    lines
}
