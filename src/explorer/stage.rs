//! The explorer without a terminal: the same update and view, with a worker that answers at once. Pictures for the
//! README, snapshot tests and tours all play here, so none of them can show what the program does not do.

use super::action::{Action, Effect, Message};
use super::app::App;
use super::export::Traced;
use super::glyphs::{GlyphSet, Glyphs};
use super::jobs::{Doer, Thread, Work};
use super::keys::Stroke;
use super::layout::Pane;
use super::lesson::Lesson;
use super::theme::Theme;
use super::update::update;
use super::view;
use crate::evaluate::labels::Label;
use crate::index::Index;
use crate::retrieve::Settings;
use crossterm::event::{KeyEvent, KeyEventKind};
use ratatui::buffer::Buffer;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};

/// The explorer, and everything that would answer its effects.
pub struct Stage {
    app: App,
    doer: Doer,
    beside: Doer,
    /// Whether the set is asked after every change: that takes as long as an evaluation.
    pub scores: bool,
    /// What was copied: text, and what it is.
    pub copied: Vec<(String, String)>,
    /// What was to be opened.
    pub opened: Option<String>,
    /// Whether the explorer was left, and whether its screen was to stay.
    pub quit: Option<bool>,
    /// What waits for the end of a lesson on its own corpus.
    base: Option<Box<Stage>>,
}

impl Deref for Stage {
    type Target = App;

    fn deref(&self) -> &App {
        &self.app
    }
}

impl DerefMut for Stage {
    fn deref_mut(&mut self) -> &mut App {
        &mut self.app
    }
}

impl Stage {
    pub fn new(
        index: Arc<Index>,
        argument: &str,
        settings: Settings,
        theme: Theme,
        glyphs: &'static Glyphs,
    ) -> Stage {
        let app = App::new((index, argument), settings, (theme, glyphs), None);
        let doer = || Doer::new(app.index.clone(), app.state.facts.kinds, None).still();
        Stage {
            doer: doer(),
            beside: doer(),
            app,
            scores: false,
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
        let effect = match self.app.answer(effect) {
            Ok(follows) => return follows.into_iter().collect(),
            Err(effect) => effect,
        };
        let told = |message| vec![Action::Told(message)];
        match effect {
            Effect::Begin(Work::Open(open)) => self.opened = Some(open.path),
            Effect::Begin(Work::Score(_)) if !self.scores => {}
            Effect::Begin(work) => {
                // One that asks beside the screen remembers for itself.
                let doer = match work.thread() {
                    Thread::Pins => &mut self.beside,
                    _ => &mut self.doer,
                };
                let news = Mutex::new(Vec::new());
                let hear = |heard| {
                    let news = news.lock();
                    news.unwrap_or_else(PoisonError::into_inner)
                        .push(Action::Heard(heard));
                };
                hear(work.run(doer, &hear, &|| false));
                return news.into_inner().unwrap_or_else(PoisonError::into_inner);
            }
            Effect::KeepLabel(label) => {
                let time = "2026-01-01T00:00:00Z".to_owned();
                return vec![Action::Labelled(Ok(Box::new(Label { time, ..*label })))];
            }
            Effect::Copy(text, what) => self.copied.push((text, what)),
            Effect::ExportGraph(traced) => match traced.text(&self.index) {
                Ok(text) => self.file(text, Traced::STEM, traced.format.ending()),
                Err(why) => return told(Message::error(why)),
            },
            Effect::Export(export) => match self.text(export.body) {
                Ok(text) => self.file(text, &export.stem, export.ending),
                Err(why) => return told(Message::error(why)),
            },
            Effect::Quit { keep } => self.quit = Some(keep),
            Effect::Aside(lesson) => match lesson.open() {
                Ok((index, settings)) => {
                    self.turn_to(index, settings, &lesson);
                    return vec![Action::Teach(lesson)];
                }
                Err(why) => return told(Message::error(why.to_string())),
            },
            Effect::Return(next) => {
                if let Some(base) = self.base.take() {
                    let left = std::mem::replace(self, *base);
                    self.state.present = left.state.present;
                    self.copied.extend(left.copied);
                }
                return vec![Action::after_lesson(next)];
            }
            // Nothing is kept here.
            Effect::Stop(_) | Effect::Suspend | Effect::Remember(_) | Effect::SavePreset(..) => {}
            // `update` and `App` did it.
            Effect::Then(_) | Effect::Theme(_) | Effect::SavePatch(..) | Effect::LoadPatch(_) => {}
        }
        Vec::new()
    }

    /// Keeps a file that would be written with what was copied.
    fn file(&mut self, text: String, stem: &str, ending: &str) {
        self.copied.push((text, format!("{stem}.{ending}")));
    }

    /// Opens a lesson's own corpus, until the lesson ends.
    fn turn_to(&mut self, index: Arc<Index>, settings: Settings, lesson: &Lesson) {
        let (theme, glyphs) = (self.theme.clone(), self.glyphs);
        let mut next = Stage::new(index, &lesson.argument(), settings, theme, glyphs);
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
        if self.state.size != (width, height) {
            self.act(Action::Resize(width, height));
        }
        let (buffer, hits) = self.app.draw();
        self.act(Action::Drawn(Box::new(hits)));
        buffer
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
