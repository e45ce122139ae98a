//! What the explorer opens with: labels, history, the last session, and the first question or lesson.

use super::Loop;
use crate::evaluate::labels::Labels;
use crate::explorer::action::{Action, Message};
use crate::explorer::app::App;
use crate::explorer::command::Command;
use crate::explorer::glyphs::GlyphSet;
use crate::explorer::jobs::Doer;
use crate::explorer::jobs::open::Opener;
use crate::explorer::lesson::Lesson;
use crate::explorer::picture::Recording;
use crate::explorer::start;
use crate::explorer::state::{Mode, SPEEDS, State, rebind};
use crate::explorer::store::{Config, Folders, History, Session};
use crate::explorer::text;
use crate::explorer::theme::Theme;
use crate::explorer::workers::Workers;
use crate::index::Index;
use crate::retrieve::{Presets, Settings};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::mpsc::channel;

/// What the explorer begins with.
pub enum Begin {
    /// An index that is open.
    With(Arc<Index>),
    /// An index folder, opened while the screen says so: settings and notes are what opening it gives.
    At(PathBuf, Opener),
}

/// How to open the explorer.
#[derive(Clone)]
pub struct Options {
    pub settings: Settings,
    /// What to write for INDEX in a command; empty for the bundled sample.
    pub argument: String,
    /// Asked at once; none asks the first question of the set.
    pub question: Option<String>,
    /// Begun at once.
    pub lesson: Option<String>,
    pub present: bool,
    /// Every frame is written there too: as an animated SVG, or as an asciicast.
    pub record: Option<(Arc<std::fs::File>, bool)>,
    pub theme: Theme,
    pub glyphs: GlyphSet,
    pub config: Config,
    /// Where history is kept and key maps are read; none keeps nothing.
    pub folders: Option<Folders>,
    /// Problems found while reading settings, to be shown once.
    pub notes: Vec<String>,
    /// Those of papers and the person's own.
    pub presets: Presets,
    /// Where labels are kept; none is the person's own folder.
    pub labels: Option<PathBuf>,
    /// Who labels.
    pub annotator: String,
    /// How another index is opened.
    pub opener: Opener,
    /// Told in lines, without a screen.
    pub plain: bool,
    /// A first screen is shown.
    pub start: bool,
}

impl Options {
    /// The same over another index, with nothing asked, taught or recorded at once.
    pub(super) fn over(&self, settings: Settings, argument: String, theme: Theme) -> Options {
        Options {
            settings,
            argument,
            theme,
            question: None,
            lesson: None,
            labels: None,
            record: None,
            start: false,
            notes: Vec::new(),
            ..self.clone()
        }
    }
}

impl Loop {
    /// An index on screen, with its threads and everything that is kept of it, and the first question asked.
    pub(super) fn new(index: Arc<Index>, options: &Options) -> anyhow::Result<Loop> {
        let mut app = App::new(
            (index.clone(), &options.argument),
            options.settings.clone(),
            (options.theme.clone(), options.glyphs.glyphs()),
            options.folders.clone(),
        );
        let (state, folders) = (&mut app.state, options.folders.as_ref());
        let config = &options.config;
        let mut notes = options.notes.clone();
        let own = || Some(folders?.labels_file(index.fingerprint()));
        let labels = options.labels.clone().or_else(own);
        notes.extend(read_labels(state, options, labels.as_deref()));
        let (history, note) = match folders {
            Some(folders) => History::open(&folders.history_file(), config.history),
            None => (History::in_memory(config.history), None),
        };
        notes.extend(note);
        if let Some(folders) = folders {
            notes.extend(rebind(state, &folders.keymap_file()));
        }
        let asked = history.newest().map(|asked| asked.question.clone());
        state.history = asked.collect();
        let last = folders.map(|folders| Session::load(folders, &state.facts.fingerprint));
        let kept = last.unwrap_or(Ok(None)).unwrap_or_else(|said| {
            notes.push(said);
            None
        });
        state.indexes = folders.map_or_else(Vec::new, Session::recent);
        // One run is what every start makes.
        let more = kept.clone().filter(|kept| kept.runs.len() > 1);
        state.offer = more.map(Box::new);
        state.terminal = start::terminal(&options.theme, options.glyphs, config, folders);
        state.presets = options.presets.clone();
        state.masked = config.mask_text;
        state.present = options.present;
        state.still = config.reduced_motion;
        let wanted = f64::from(config.play_speed);
        state.speed = SPEEDS.iter().filter(|pace| **pace < wanted).count();
        let kinds = state.facts.kinds;
        let doer = || Doer::new(index.clone(), kinds, Some(options.opener.clone()));
        let workers = Workers::start(doer)?;
        let (teller, told) = channel(8);
        let record = options.record.clone();
        let mut all = Loop {
            plain: options.plain,
            app,
            workers,
            history,
            labels,
            kept,
            keeping: None,
            saving: None,
            giving: None,
            asked: None,
            pressed: None,
            recording: record.map(|(file, moving)| Recording::new(file, moving)),
            suspends: false,
            ended: None,
            told,
            teller,
        };
        all.begin(options);
        if let Some(note) = notes.into_iter().next() {
            all.say(Message::warning(note));
        }
        Ok(all)
    }

    /// Resumes, asks or teaches what comes first, or offers it.
    fn begin(&mut self, options: &Options) {
        let offered = self.app.state.offer.as_ref().map(|offer| {
            let runs = text::plural(offer.runs.len(), "run");
            let asked = &offer.question;
            format!("press r to resume the last session: {runs}, {asked}")
        });
        let fresh = options.question.is_none() && options.lesson.is_none();
        let resumes = options.config.resume && fresh && offered.is_some();
        match &options.question {
            _ if resumes => self.act(Action::Do(Command::Resume)),
            Some(question) => self.act(Action::Ask(question.clone())),
            None if !self.app.state.facts.questions.is_empty() => self.act(Action::AskNumber(0)),
            // A key that is offered must not be a letter of a question.
            None if offered.is_some() => None,
            None => self.act(Action::Do(Command::Edit)),
        };
        if let Some(name) = &options.lesson {
            self.ended = self.act(Action::Lesson(name.clone()));
        }
        let state = &mut self.app.state;
        let suggests = !state.facts.suggested.is_empty()
            && !options.plain
            && !options.present
            && state.lesson.is_none()
            && options.config.start_panel
            && state.offer.is_none()
            && state.wanted.question.is_empty();
        if (options.start || suggests) && !resumes {
            state.mode = Mode::Start(0);
        }
        if let Some(offered) = offered.filter(|_| state.offer.is_some()) {
            self.say(Message::plain(offered));
        }
    }

    /// The same on a lesson's own corpus, while this one waits.
    pub(super) fn aside(
        &mut self,
        lesson: &Arc<Lesson>,
        options: &Options,
    ) -> anyhow::Result<Loop> {
        let (index, settings) = lesson.open()?;
        let options = Options {
            config: Config {
                resume: false,
                ..options.config.clone()
            },
            ..options.over(settings, lesson.argument(), self.app.theme.clone())
        };
        let mut next = Loop::new(index, &options)?;
        next.recording = self.recording.take();
        next.app.state.offer = None;
        next.app.state.begin_aside(&self.app.state);
        next.ended = next.act(Action::Teach(lesson.clone()));
        Ok(next)
    }

    /// Goes on after a lesson on its own corpus, or with another lesson.
    pub(super) fn take_over(&mut self, left: Loop, lesson: Option<String>) {
        self.recording = left.recording;
        self.app.state.present = left.app.state.present;
        self.ended = self.act(Action::after_lesson(lesson));
    }
}

/// The labels of a file that is there, and what is wrong with it.
fn read_labels(state: &mut State, options: &Options, file: Option<&Path>) -> Vec<String> {
    let own = &mut state.labelling;
    own.annotator.clone_from(&options.annotator);
    if let Some(named) = &options.labels {
        own.file = named.display().to_string();
    }
    let read = file.filter(|file| file.exists()).map(Labels::read);
    match read {
        Some(Ok((labels, torn))) => {
            own.labels = labels;
            torn
        }
        Some(Err(said)) => vec![said],
        None => Vec::new(),
    }
}
