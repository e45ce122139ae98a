//! What the explorer is at a terminal and without one: a state, the index it is about, what it is drawn with, and the
//! effects that both answer alike.

use super::action::{Action, Effect, Message};
use super::engine;
use super::export::Body;
use super::glyphs::Glyphs;
use super::hits::Hits;
use super::picture::{self, Caption};
use super::scene::Facts;
use super::state::State;
use super::store::{Folders, patches};
use super::theme::{ColorLevel, PRINT, Theme, ThemeError};
use super::update::show_parameter;
use super::view;
use crate::index::Index;
use crate::retrieve::Settings;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::sync::Arc;

pub struct App {
    pub state: State,
    pub index: Arc<Index>,
    pub theme: Theme,
    pub glyphs: &'static Glyphs,
    /// A person's own themes, patches and presets; none where there is no home for them.
    pub folders: Option<Folders>,
}

impl App {
    /// An index, and what to write for INDEX in a command, before the first question.
    pub fn new(
        (index, argument): (Arc<Index>, &str),
        settings: Settings,
        (theme, glyphs): (Theme, &'static Glyphs),
        folders: Option<Folders>,
    ) -> App {
        let facts = Facts {
            suggested: engine::suggested(&index),
            ..engine::facts(&index, argument)
        };
        let mut state = State::new(Arc::new(facts), settings);
        show_parameter(&mut state);
        theme.name().clone_into(&mut state.theme);
        state.themes = Theme::names(folders.as_ref().map(Folders::themes).as_deref());
        state.patches = folders.as_ref().map_or_else(Vec::new, patches::known);
        App {
            state,
            index,
            theme,
            glyphs,
            folders,
        }
    }

    /// Answers an effect with what follows from it, or hands back one that takes a terminal or a stage.
    pub fn answer(&mut self, effect: Effect) -> Result<Option<Action>, Effect> {
        let folders = self.folders.as_ref();
        Ok(match effect {
            Effect::Theme(name) => match self.themed(&name, self.theme.level()) {
                Ok(theme) => {
                    self.theme = theme;
                    None
                }
                Err(error) => {
                    let why = format!("theme {name}: {error}");
                    Some(Action::Told(Message::error(why)))
                }
            },
            Effect::SavePatch(name, edits, over) => {
                let kept = patches::keep(folders, &name, &edits, over, &mut self.state.patches);
                Some(Action::Told(kept.into()))
            }
            Effect::LoadPatch(name) => Some(match patches::load(folders, &name) {
                Ok((file, edits)) => Action::Patch(file, edits),
                Err(why) => Action::Told(Message::error(why)),
            }),
            other => return Err(other),
        })
    }

    /// A theme of one's own, or a built-in one.
    fn themed(&self, name: &str, level: ColorLevel) -> Result<Theme, ThemeError> {
        let own = self.folders.as_ref().map(Folders::themes);
        Theme::load_from(own.as_deref(), name, level)
    }

    /// The text of a file.
    ///
    /// # Errors
    /// A pane that the screen does not show.
    pub fn text(&self, body: Body) -> Result<String, String> {
        match body {
            Body::Text(text) => Ok(text),
            Body::Screen => {
                let caption = Caption::new("hopscope", "The explorer of hopscope", &self.theme);
                Ok(picture::svg(&self.draw().0, &caption))
            }
            Body::Figure(pane) => {
                // The one for paper, or your own of that name.
                let theme = self.themed(PRINT, ColorLevel::True);
                let theme = theme.map_err(|error| error.to_string())?;
                view::figure(&self.state, pane, &theme, self.glyphs)
                    .map_err(|why| format!("{why}; F shows it in full size"))
            }
        }
    }

    /// Draws the screen at a terminal, and returns what is where.
    pub fn show(&self, frame: &mut Frame<'_>) -> Hits {
        let (area, buffer) = (frame.area(), frame.buffer_mut());
        let hits = view::draw(&self.state, area, buffer, &self.theme, self.glyphs);
        if let Some(place) = hits.cursor {
            frame.set_cursor_position(place);
        }
        hits
    }

    /// The screen: its cells, and what is where.
    pub fn draw(&self) -> (Buffer, Hits) {
        let (width, height) = self.state.size;
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        let hits = view::draw(&self.state, area, &mut buffer, &self.theme, self.glyphs);
        (buffer, hits)
    }
}
