//! The explorer without a terminal: the same update and view, with a worker that answers at once. Pictures for the
//! README, snapshot tests and tours all play here, so none of them can show what the program does not do.

use super::action::{Action, Effect, Message};
use super::engine;
use super::export::{Body, Traced};
use super::glyphs::{GlyphSet, Glyphs};
use super::jobs::{Doer, Thread, Work};
use super::keys::Stroke;
use super::layout::Pane;
use super::lesson::Lesson;
use super::scene::Facts;
use super::state::State;
use super::store::patches;
use super::theme::{ColorLevel, PRINT, Theme};
use super::update::{show_parameter, update};
use super::view;
use crate::evaluate::labels::Label;
use crate::index::Index;
use crate::retrieve::Settings;
use crossterm::event::{KeyEvent, KeyEventKind};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::sync::{Arc, Mutex, PoisonError};

/// A state, and everything that would answer its effects.
pub struct Stage {
    pub state: State,
    index: Arc<Index>,
    doer: Doer,
    beside: Doer,
    /// Whether the set is asked after every change: that takes as long as an evaluation.
    pub scores: bool,
    theme: Theme,
    glyphs: &'static Glyphs,
    /// What was copied: text, and what it is.
    pub copied: Vec<(String, String)>,
    /// What was to be opened.
    pub opened: Option<String>,
    /// Whether the explorer was left, and whether its screen was to stay.
    pub quit: Option<bool>,
    /// What waits for the end of a lesson on its own corpus.
    base: Option<Box<Stage>>,
}

impl Stage {
    pub fn new(
        index: Arc<Index>,
        argument: &str,
        settings: Settings,
        theme: Theme,
        glyphs: &'static Glyphs,
    ) -> Stage {
        let facts: Arc<Facts> = Arc::new(engine::facts(&index, argument));
        let doer = || Doer::new(index.clone(), facts.kinds, None).still();
        let mut state = State::new(facts.clone(), settings);
        show_parameter(&mut state);
        state.theme = theme.name().to_owned();
        state.themes = Theme::names(None);
        Stage {
            state,
            doer: doer(),
            beside: doer(),
            scores: false,
            index,
            theme,
            glyphs,
            copied: Vec::new(),
            opened: None,
            quit: None,
            base: None,
        }
    }

    /// Takes an action in and answers its effects, before the next one.
    pub fn act(&mut self, action: Action) {
        for effect in self.update(action) {
            for action in self.answer(effect) {
                self.act(action);
            }
        }
    }

    /// Takes an action in.
    pub fn update(&mut self, action: Action) -> Vec<Effect> {
        update(&mut self.state, action)
    }

    /// Does what an effect asks of the world. Gives back what is heard of it.
    pub fn answer(&mut self, effect: Effect) -> Vec<Action> {
        let told = Mutex::new(Vec::new());
        let hear = |action| {
            told.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(action)
        };
        match effect {
            Effect::Begin(Work::Open(open)) => self.opened = Some(open.path),
            Effect::Begin(Work::Score(_)) if !self.scores => {}
            Effect::Begin(work) => {
                // One that asks beside the screen remembers for itself.
                let doer = match work.thread() {
                    Thread::Pins => &mut self.beside,
                    _ => &mut self.doer,
                };
                let tell = |heard| hear(Action::Heard(heard));
                tell(work.run(doer, &tell, &|| false));
            }
            Effect::Stop(_) | Effect::Suspend | Effect::Then(_) => {}
            Effect::Theme(name) => match Theme::load(&name, self.theme.level()) {
                Ok(theme) => self.theme = theme,
                Err(error) => hear(Action::Told(Message::error(error.to_string()))),
            },
            Effect::KeepLabel(label) => {
                let time = "2026-01-01T00:00:00Z".to_owned();
                hear(Action::Labelled(Ok(Box::new(Label { time, ..*label }))));
            }
            Effect::Copy(text, what) => self.copied.push((text, what)),
            Effect::ExportGraph(traced) => match traced.text(&self.index) {
                Ok(text) => {
                    let name = format!("{}.{}", Traced::STEM, traced.format.ending());
                    self.copied.push((text, name));
                }
                Err(said) => hear(Action::Told(Message::error(said))),
            },
            Effect::Export(export) => {
                let name = format!("{}.{}", export.stem, export.ending);
                let text = match export.body {
                    Body::Text(text) => text,
                    Body::Screen => String::new(),
                    Body::Figure(pane) => match self.figure(pane) {
                        Ok(figure) => figure,
                        Err(said) => return vec![Action::Told(Message::error(said))],
                    },
                };
                self.copied.push((text, name));
            }
            Effect::SavePatch(name, edits, over) => {
                let known = &mut self.state.patches;
                let kept = patches::keep(None, &name, &edits, over, known);
                hear(Action::Told(kept.into()));
            }
            Effect::LoadPatch(name) => hear(Action::loaded(patches::load(None, &name))),
            Effect::Remember(_) | Effect::SavePreset(..) => {}
            Effect::Quit { keep } => self.quit = Some(keep),
            Effect::Aside(lesson) => match lesson.open() {
                Ok((index, settings)) => {
                    self.turn_to(index, settings, &lesson);
                    hear(Action::Teach(lesson));
                }
                Err(said) => hear(Action::Told(Message::error(said.to_string()))),
            },
            Effect::Return(next) => {
                if let Some(base) = self.base.take() {
                    let left = std::mem::replace(self, *base);
                    self.state.present = left.state.present;
                    self.copied.extend(left.copied);
                }
                hear(next.map_or_else(
                    || Action::Told(Message::plain("end of the lesson")),
                    Action::Lesson,
                ));
            }
        }
        told.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a lesson's own corpus, until the lesson ends.
    fn turn_to(&mut self, index: Arc<Index>, settings: Settings, lesson: &Lesson) {
        let mut next = Stage::new(
            index,
            &lesson.argument(),
            settings,
            self.theme.clone(),
            self.glyphs,
        );
        next.scores = self.scores;
        next.state.begin_aside(&self.state);
        let base = std::mem::replace(self, next);
        self.base = Some(Box::new(base));
    }

    /// Presses keys, written as in key maps: `Ctrl-P`, `Enter`, `l`. A word that is no key is typed letter by letter.
    pub fn press(&mut self, keys: &str) {
        for word in keys.split_whitespace() {
            match word.parse::<Stroke>() {
                Ok(stroke) => self.stroke(stroke),
                Err(_) => word.chars().for_each(|c| self.stroke(Stroke::char(c))),
            }
        }
    }

    /// Types text, spaces and all.
    pub fn type_text(&mut self, text: &str) {
        text.chars().for_each(|c| self.stroke(Stroke::char(c)));
    }

    fn stroke(&mut self, stroke: Stroke) {
        let (code, modifiers) = (stroke.code(), stroke.modifiers());
        self.act(Action::Key(KeyEvent::new_with_kind(
            code,
            modifiers,
            KeyEventKind::Press,
        )));
    }

    /// Draws the screen at a size.
    pub fn draw(&mut self, width: u16, height: u16) -> Buffer {
        self.draw_with_cursor(width, height).0
    }

    /// A pane alone as an SVG, in the theme for paper.
    fn figure(&self, pane: Pane) -> Result<String, String> {
        let theme = Theme::load(PRINT, ColorLevel::True).map_err(|error| error.to_string())?;
        view::figure(&self.state, pane, &theme, self.glyphs)
    }

    /// Draws the screen and tells where its text cursor is.
    pub fn draw_with_cursor(&mut self, width: u16, height: u16) -> (Buffer, Option<Position>) {
        if self.state.size != (width, height) {
            self.act(Action::Resize(width, height));
        }
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        let (hits, cursor) = view::draw(&self.state, area, &mut buffer, &self.theme, self.glyphs);
        self.act(Action::Drawn(Box::new(hits)));
        (buffer, cursor)
    }
}

/// What a picture shows.
#[derive(Clone)]
pub struct Shot {
    pub size: (u16, u16),
    pub settings: Settings,
    /// None takes the first question of the set, where there is one.
    pub question: Option<String>,
    /// What to write for INDEX in a command that repeats the picture; empty for the bundled sample.
    pub argument: String,
    pub lesson: Option<String>,
    pub present: bool,
    pub theme: Theme,
    pub glyphs: GlyphSet,
    /// Keys to press before the picture is taken, written as in key maps; `'text'` is typed, and [`WAIT`] presses nothing.
    pub keys: Vec<String>,
}

/// In the place of a key: a recording shows its frame for as long as another.
pub const WAIT: &str = "Wait";

/// Draws the explorer without a terminal. `frame` sees the screen before every key, and the last one.
pub fn screenshot(index: Arc<Index>, shot: &Shot, frame: impl FnMut(&Buffer)) -> Buffer {
    played(index, shot, frame).1
}

/// One pane of the last screen as an SVG.
///
/// # Errors
/// When that screen does not show it.
pub fn figure(index: Arc<Index>, shot: &Shot, pane: Pane) -> Result<String, String> {
    let (stage, _) = played(index, shot, |_| {});
    view::figure(&stage.state, pane, &shot.theme, stage.glyphs)
}

/// The stage after the keys of a shot, and its screen.
fn played(index: Arc<Index>, shot: &Shot, mut frame: impl FnMut(&Buffer)) -> (Stage, Buffer) {
    let glyphs = shot.glyphs.glyphs();
    let mut stage = Stage::new(
        index,
        &shot.argument,
        shot.settings.clone(),
        shot.theme.clone(),
        glyphs,
    );
    let (width, height) = shot.size;
    stage.scores = true;
    stage.state.present = shot.present;
    stage.draw(width, height);
    match &shot.question {
        Some(question) => stage.act(Action::Ask(question.clone())),
        None if !stage.state.facts.questions.is_empty() => stage.act(Action::AskNumber(0)),
        None => {}
    }
    if let Some(name) = &shot.lesson {
        stage.act(Action::Lesson(name.clone()));
    }
    for keys in &shot.keys {
        // What keys do depends on what the frame before showed.
        frame(&stage.draw(width, height));
        if keys == WAIT {
            continue;
        }
        match keys
            .strip_prefix('\'')
            .and_then(|rest| rest.strip_suffix('\''))
        {
            Some(text) if !text.is_empty() => stage.type_text(text),
            _ => stage.press(keys),
        }
    }
    stage.draw(width, height);
    let last = stage.draw(width, height);
    frame(&last);
    (stage, last)
}
