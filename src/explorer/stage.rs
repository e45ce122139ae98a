//! The explorer without a terminal: the same update and view, with a worker that answers at once. Pictures for the
//! README, snapshot tests and tours all play here, so none of them can show what the program does not do.

use super::action::{Action, Effect};
use super::building;
use super::doctoring;
use super::engine::{self, Engine};
use super::failures;
use super::glyphs::{GlyphSet, Glyphs};
use super::keys::Stroke;
use super::opening;
use super::pins;
use super::repairing;
use super::scene::Facts;
use super::scoring;
use super::state::State;
use super::store::patches;
use super::sweep;
use super::theme::Theme;
use super::trials;
use super::update::update;
use super::view;
use crate::evaluate::labels::Label;
use crate::index::Index;
use crate::retrieve::{Retriever, Settings};
use crossterm::event::{KeyEvent, KeyEventKind};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::sync::{Arc, Mutex, PoisonError};

/// A state, and everything that would answer its effects.
pub struct Stage {
    pub state: State,
    index: Arc<Index>,
    engine: Engine,
    pinner: Engine,
    sweeper: Retriever,
    memory: scoring::Memory,
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
        Stage {
            state: State::new(facts, settings),
            engine: Engine::new(index.clone()),
            pinner: Engine::new(index.clone()),
            sweeper: Retriever::new(index.clone()),
            memory: scoring::Memory::default(),
            scores: false,
            index,
            theme,
            glyphs,
            copied: Vec::new(),
            opened: None,
            quit: None,
        }
    }

    /// Takes an action in and answers its effects, before the next one.
    pub fn act(&mut self, action: Action) {
        for effect in update(&mut self.state, action) {
            match effect {
                Effect::Ask(request) => {
                    let action = match self.engine.answer(&request) {
                        Ok(mut answer) => {
                            // Pictures and snapshots must not depend on how fast this machine is.
                            answer.seconds = 0.0;
                            let scene = Arc::make_mut(&mut answer.scene);
                            scene
                                .stages
                                .iter_mut()
                                .for_each(|stage| stage.seconds = 0.0);
                            Action::Answered(Box::new(answer))
                        }
                        Err(error) => Action::Failed(request.generation, error.to_string()),
                    };
                    self.act(action);
                }
                Effect::Search(search, settings) => {
                    let found = engine::search(&self.index, &search, &settings, &|| false);
                    self.act(Action::Found(found));
                }
                Effect::Build(layer, settings) => {
                    let kinds = self.state.facts.kinds;
                    let news = Mutex::new(Vec::new());
                    let tell = |said| {
                        news.lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .push(said)
                    };
                    let last =
                        building::build(&self.index, kinds, layer, &settings, &tell, &|| false);
                    let heard = news.into_inner().unwrap_or_else(PoisonError::into_inner);
                    for said in heard.into_iter().chain([last]) {
                        self.act(Action::Building(said));
                    }
                }
                Effect::Sweep(request) => {
                    for at in sweep::order(&request) {
                        let swept = sweep::tried(&mut self.sweeper, &request, at);
                        self.act(Action::Swept(swept));
                    }
                }
                Effect::FailureSearch(hunt) => {
                    let (tell, cancelled) = (|_| {}, || false);
                    let found =
                        failures::hunt(&mut self.sweeper, &self.index, &hunt, &tell, &cancelled);
                    self.act(Action::Sighted(found));
                }
                Effect::Repair(search) => {
                    let (tell, cancelled) = (|_| {}, || false);
                    let index = &self.index;
                    let news =
                        repairing::search(&mut self.sweeper, index, &search, &tell, &cancelled);
                    self.act(Action::Repaired(news));
                }
                Effect::Try(trial) => {
                    let told = Mutex::new(Vec::new());
                    let tell = |tried| {
                        told.lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .push(tried)
                    };
                    trials::run(&mut self.sweeper, &trial, &tell, &|| false);
                    for tried in told.into_inner().unwrap_or_else(PoisonError::into_inner) {
                        // Pictures do not say how fast this machine is.
                        self.act(Action::Tried(trials::Tried {
                            seconds: 0.0,
                            ..tried
                        }));
                    }
                }
                Effect::AskPins(asking) => {
                    if let Some(pinned) = pins::ask(&mut self.pinner, &asking, &|| false) {
                        self.act(Action::Pinned(Box::new(pinned)));
                    }
                }
                Effect::Doctor(visit) => {
                    let news = doctoring::visit(&self.index, &visit, &|_| {}, &|| false);
                    self.act(Action::Doctored(news));
                }
                Effect::Score(request) if self.scores => {
                    let (tell, cancelled) = (|_| {}, || false);
                    let (index, memory) = (&self.index, &mut self.memory);
                    let score = scoring::score(
                        &mut self.sweeper,
                        index,
                        memory,
                        &request,
                        &tell,
                        &cancelled,
                    );
                    if let Some(score) = score {
                        self.act(Action::Scored(score));
                    }
                }
                Effect::Look(typed) => self.act(Action::Looked(opening::look(&typed))),
                Effect::OpenIndex(path) => self.opened = Some(path),
                Effect::Suspend
                | Effect::StopOpening
                | Effect::StopSweep
                | Effect::StopHunt
                | Effect::StopRepair
                | Effect::StopScore
                | Effect::StopDoctor
                | Effect::Score(_) => {}
                Effect::KeepLabel(label) => {
                    let time = "2026-01-01T00:00:00Z".to_owned();
                    self.act(Action::Labelled(Ok(Box::new(Label { time, ..*label }))));
                }
                Effect::Copy(text, what) => self.copied.push((text, what)),
                Effect::Export(export) => {
                    let name = format!("{}.{}", export.stem, export.ending);
                    self.copied.push((export.text.unwrap_or_default(), name));
                }
                Effect::SavePatch(name, edits, over) => {
                    let known = &mut self.state.patches;
                    let said = patches::keep(None, &name, &edits, over, known);
                    self.act(Action::Told(said));
                }
                Effect::LoadPatch(name) => self.act(patches::taken(None, &name)),
                Effect::Remember(_) | Effect::SavePreset(..) => {}
                Effect::Quit { keep } => self.quit = Some(keep),
            }
        }
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
    /// Keys to press before the picture is taken, written as in key maps; `'text'` is typed.
    pub keys: Vec<String>,
}

/// Draws the explorer without a terminal. `frame` sees the screen before every key, and the last one.
pub fn screenshot(index: Arc<Index>, shot: &Shot, mut frame: impl FnMut(&Buffer)) -> Buffer {
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
    last
}
