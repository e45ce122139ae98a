//! A stage on the bundled sample, shared by the explorer's tests.
#![allow(dead_code, reason = "each test file uses its part")]

use hopscope::explorer::action::Action;
use hopscope::explorer::glyphs::GlyphSet;
use hopscope::explorer::jobs::{Job, News};
use hopscope::explorer::picture::plain;
use hopscope::explorer::stage::Stage;
use hopscope::explorer::theme::{ColorLevel, Theme};
use hopscope::index::Index;
use hopscope::retrieve::{Method, Settings};
use std::sync::{Arc, LazyLock};

static SAMPLE: LazyLock<Arc<Index>> =
    LazyLock::new(|| Arc::new(hopscope::index::sample::index().unwrap()));

pub fn sample() -> Arc<Index> {
    SAMPLE.clone()
}

/// The first question of the sample, answered, at 120x36.
/// What is on screen, at the size it has.
pub fn screen(stage: &mut Stage) -> String {
    let (width, height) = stage.state.size;
    plain(&stage.draw(width, height))
}

pub fn stage() -> Stage {
    stage_at(120, 36)
}

pub fn stage_at(width: u16, height: u16) -> Stage {
    stage_with(width, height, "graph-hybrid", GlyphSet::Unicode, 0)
}

pub fn stage_with(
    width: u16,
    height: u16,
    method: &str,
    glyphs: GlyphSet,
    question: usize,
) -> Stage {
    let theme = Theme::load("mono", ColorLevel::None).unwrap();
    stage_in(theme, width, height, method, glyphs, question)
}

/// The same in a theme.
pub fn stage_in(
    theme: Theme,
    width: u16,
    height: u16,
    method: &str,
    glyphs: GlyphSet,
    question: usize,
) -> Stage {
    let index = sample();
    let settings = Settings::of(&index, Method::by_name(method).unwrap());
    let mut stage = Stage::new(index, "", settings, theme, glyphs.glyphs());
    stage.draw(width, height);
    stage.act(Action::AskNumber(question));
    stage.draw(width, height);
    stage
}

/// Takes in news of a job, as a thread would bring it.
pub fn hear<J: Job>(stage: &mut Stage, news: News<J>) {
    stage.act(Action::Heard(J::news(news)));
}

/// Words of a command as a shell reads them.
pub fn shell_words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    let mut letters = command.chars();
    while let Some(c) = letters.next() {
        match c {
            '\'' => quoted = !quoted,
            '\\' if !quoted => words.last_mut().unwrap().extend(letters.next()),
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words
}
