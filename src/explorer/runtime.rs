//! The event loop: terminal events, answers and ticks become actions; effects become requests. One thread, which never
//! computes a walk and never waits for one; it draws when something changed, at most sixty times a second.

use super::action::{Action, Effect, Message, Tone};
use super::clipboard;
use super::command::Command;
use super::engine;
use super::entering::{Entered, enter};
use super::export::{Body, Export, Traced};
use super::glyphs::GlyphSet;
use super::hits::Hits;
use super::jobs::open::{Opened, Opener, Part};
use super::jobs::{self, Doer, News, Work};
use super::layout::Pane;
use super::lesson::Lesson;
use super::picture::{self, Caption, Recording};
use super::plain::{self, Lines, Teller};
use super::start;
use super::state::{Mode, State};
use super::store::{Config, Folders, History, Session, patches, presets};
use super::terminal::{QuitReason, Screen, TerminalEvent, TerminalEvents, install_panic_hook};
use super::text;
use super::theme::{ColorLevel, PRINT, Theme};
use super::update::{session, show_parameter, update};
use super::view::{self, draw, view};
use super::workers::Workers;
use crate::evaluate::labels::{self, Labels};
use crate::index::{Index, Silent};
use crate::journal;
use crate::mapped;
use crate::output;
use crate::retrieve::{Presets, Settings};
use anyhow::Context;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;
use tokio::time::{Instant as Clock, sleep_until};

/// The shortest time between two frames.
const FRAME: Duration = Duration::from_millis(16);
/// How long a result may take before the old one is dimmed: shorter waits would only flicker.
const PATIENCE: Duration = Duration::from_millis(60);
/// How long after a change the session is written.
const KEEP: Duration = Duration::from_millis(500);
/// How long after something was done the memory that it took is given back.
const GIVE_BACK: Duration = Duration::from_secs(5);
/// Two presses at one place within this time are a double click.
const DOUBLE: Duration = Duration::from_millis(400);

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

/// Runs the explorer until the person leaves. Gives back the exit code.
///
/// # Errors
/// When the terminal cannot be taken, the worker cannot be started, or the index cannot be opened.
pub fn run(begin: Begin, options: Options) -> anyhow::Result<u8> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the event loop")?;
    install_panic_hook();
    mapped::share_heaps();
    runtime.block_on(one_after_the_other(begin, options))
}

/// Shows an index, and whichever is opened from it, until the person leaves.
async fn one_after_the_other(begin: Begin, mut options: Options) -> anyhow::Result<u8> {
    let mut front = match options.plain {
        true => Front::Lines(Lines::read()?),
        false => Front::Screen(Box::new((
            Screen::enter(options.config.mouse).context("cannot use this terminal")?,
            TerminalEvents::new().context("cannot listen to this terminal")?,
        ))),
    };
    let mut typed = Vec::new();
    let index = match (begin, &mut front) {
        (Begin::With(index), _) => index,
        (Begin::At(path, opener), front) => {
            let opened = match front {
                Front::Lines(_) => opener(&path, &Silent)?,
                Front::Screen(front) => {
                    let front = (&mut front.0, &mut front.1);
                    let look = (&options.theme, options.glyphs);
                    match enter(path, opener, front, look).await? {
                        Entered::Open(opened, meanwhile) => {
                            typed = meanwhile;
                            *opened
                        }
                        Entered::Left(code) => return Ok(code),
                    }
                }
            };
            let (index, settings, notes) = opened;
            options.settings = settings;
            options.notes.extend(notes);
            index
        }
    };
    let mut open = Loop::new(index, options.clone())?;
    // What waits for the end of a lesson on its own corpus.
    let mut base: Option<Loop> = None;
    loop {
        let end = match &mut front {
            Front::Screen(front) => {
                let typed = std::mem::take(&mut typed);
                open.run(&mut front.0, &mut front.1, typed).await?
            }
            Front::Lines(lines) => open.tell(lines).await?,
        };
        let end = match end {
            End::Aside(lesson) => {
                match open.aside(&lesson, &options) {
                    Ok(next) => base = Some(std::mem::replace(&mut open, next)),
                    Err(said) => open.say(Message::error(said.to_string())),
                }
                continue;
            }
            End::Return(next) => {
                if let Some(back) = base.take() {
                    let left = std::mem::replace(&mut open, back);
                    open.take_over(left, next);
                }
                continue;
            }
            end => end,
        };
        // The next start is only less pleasant without it.
        let mut kept = open.keep_last().await;
        if let Some(mut base) = base.take() {
            kept = kept.and(base.keep_last().await);
        }
        let (argument, opened) = match end {
            // Taken above.
            End::Aside(_) | End::Return(_) => continue,
            End::Open(argument, opened) => (argument, *opened),
            End::Command(_) | End::Signal(_) => {
                match (&end, front) {
                    (End::Command(true), Front::Screen(front)) => {
                        front.0.leave_picture(&open.picture())?;
                    }
                    // The terminal is as it was before anything else is written.
                    (_, front) => drop(front),
                }
                if let Err(said) = kept {
                    output::say(format_args!("hopscope: {said}"));
                }
                if let Some(recording) = open.recording.take() {
                    let written = recording.end(&open.theme);
                    written.map_err(|error| anyhow::anyhow!("--record: {error}"))?;
                }
                return Ok(match end {
                    End::Signal(reason) => reason.exit_code(),
                    _ => 0,
                });
            }
        };
        let (index, settings, notes) = opened;
        options = Options {
            settings,
            argument,
            theme: open.theme.clone(),
            question: None,
            lesson: None,
            labels: None,
            record: None,
            start: false,
            present: open.state.present,
            presets: open.state.presets.clone(),
            notes: notes.into_iter().chain(kept.err()).collect(),
            ..options
        };
        let recording = open.recording.take();
        open = Loop::new(index, options.clone())?;
        open.recording = recording;
    }
}

/// What a worker had to say.
enum Heard {
    /// Nothing that shows.
    Nothing,
    News,
    End(End),
}

/// Where the explorer is met.
enum Front {
    Screen(Box<(Screen, TerminalEvents)>),
    Lines(Lines),
}

/// Everything outside of the state.
struct Loop {
    /// It is told in lines: what is copied is told too, since a screen reader reads no clipboard.
    plain: bool,
    state: State,
    index: Arc<Index>,
    theme: Theme,
    glyphs: GlyphSet,
    workers: Workers,
    history: History,
    argument: String,
    folders: Option<Folders>,
    /// Where labels are kept.
    labels: Option<PathBuf>,
    /// The session as its file has it; none where there is no file yet.
    kept: Option<Session>,
    /// When it is looked whether there is more to keep.
    keeping: Option<Clock>,
    saving: Option<JoinHandle<Result<(), String>>>,
    /// When freed memory is given back; none where nothing was done since.
    giving: Option<Clock>,
    /// When the newest request was made, while its answer is awaited.
    asked: Option<Instant>,
    pressed: Option<(Instant, u16, u16)>,
    recording: Option<Recording>,
    /// The job is to be stopped before the next frame.
    suspends: bool,
    /// What its first action ended it with, before it was run.
    ended: Option<End>,
    /// What effects that take a while have to say.
    told: Receiver<Message>,
    teller: Sender<Message>,
}

/// Why the loop ended.
enum End {
    /// By a command; true leaves the screen.
    Command(bool),
    Signal(QuitReason),
    /// Another index is there, under what to write for INDEX.
    Open(String, Box<Opened>),
    /// A lesson is taught on its own corpus; this index waits.
    Aside(Arc<Lesson>),
    /// The index that waits is shown again, with another lesson where one was chosen.
    Return(Option<String>),
}

impl Loop {
    fn new(index: Arc<Index>, options: Options) -> anyhow::Result<Loop> {
        let here = index.clone();
        let facts = Arc::new(engine::facts(&here, &options.argument));
        let mut state = State::new(facts, options.settings);
        show_parameter(&mut state);
        state.presets = options.presets;
        state.patches = options
            .folders
            .as_ref()
            .map_or_else(Vec::new, patches::known);
        let mut notes = options.notes;
        let own = || {
            let folders = options.folders.as_ref()?;
            Some(folders.labels_file(index.fingerprint()))
        };
        state.labelling.annotator = options.annotator;
        if let Some(file) = &options.labels {
            state.labelling.file = file.display().to_string();
        }
        let file = options.labels.clone().or_else(own);
        match file
            .as_deref()
            .filter(|file| file.exists())
            .map(Labels::read)
        {
            Some(Ok((labels, torn))) => {
                state.labelling.labels = labels;
                notes.extend(torn);
            }
            Some(Err(said)) => notes.push(said),
            None => {}
        }
        let history = match &options.folders {
            Some(folders) => {
                let (history, note) =
                    History::open(&folders.history_file(), options.config.history);
                notes.extend(note);
                notes.extend(super::state::rebind(&mut state, &folders.keymap_file()));
                history
            }
            None => History::in_memory(options.config.history),
        };
        state.history = history
            .newest()
            .map(|asked| asked.question.clone())
            .collect();
        let last = options.folders.as_ref().map_or(Ok(None), |folders| {
            Session::load(folders, &state.facts.fingerprint)
        });
        let kept = last.unwrap_or_else(|said| {
            notes.push(said);
            None
        });
        let folders = options.folders.as_ref();
        state.indexes = folders.map_or_else(Vec::new, Session::recent);
        // One run is what every start makes.
        let more = kept.clone().filter(|kept| kept.runs.len() > 1);
        state.offer = more.map(Box::new);
        let (kinds, opener) = (state.facts.kinds, options.opener);
        let doer = || Doer::new(index.clone(), kinds, Some(opener.clone()));
        let workers = Workers::start(doer)?;
        let (teller, told) = channel(8);
        let mut all = Loop {
            plain: options.plain,
            state,
            index: here,
            theme: options.theme,
            glyphs: options.glyphs,
            workers,
            history,
            argument: options.argument,
            folders: options.folders,
            labels: file,
            kept,
            keeping: None,
            saving: None,
            giving: None,
            asked: None,
            pressed: None,
            recording: options
                .record
                .map(|(file, moving)| Recording::new(file, moving)),
            suspends: false,
            ended: None,
            told,
            teller,
        };
        all.state.terminal = start::terminal(
            &all.theme,
            all.glyphs,
            &options.config,
            all.folders.as_ref(),
        );
        all.state.theme = all.theme.name().to_owned();
        all.state.themes = Theme::names(all.folders.as_ref().map(Folders::themes).as_deref());
        all.state.masked = options.config.mask_text;
        all.state.present = options.present;
        all.state.still = options.config.reduced_motion;
        let wanted = f64::from(options.config.play_speed);
        let paces = super::state::SPEEDS.iter();
        all.state.speed = paces.filter(|pace| **pace < wanted).count();
        let resumes = options.config.resume
            && options.question.is_none()
            && options.lesson.is_none()
            && all.state.offer.is_some();
        match options.question {
            _ if resumes => all.act(Action::Do(Command::Resume)),
            Some(question) => all.act(Action::Ask(question)),
            None if !all.state.facts.questions.is_empty() => all.act(Action::AskNumber(0)),
            // A key that is offered must not be a letter of a question.
            None if all.state.offer.is_some() => None,
            None => all.act(Action::Do(Command::Edit)),
        };
        if let Some(name) = options.lesson {
            all.ended = all.act(Action::Lesson(name));
        }
        let offers = !all.state.facts.suggested.is_empty()
            && !options.plain
            && !options.present
            && all.state.lesson.is_none()
            && options.config.start_panel
            && all.state.offer.is_none()
            && all.state.wanted.question.is_empty();
        if (options.start || offers) && !resumes {
            all.state.mode = Mode::Start(0);
        }
        if let Some(offer) = &all.state.offer {
            let runs = text::plural(offer.runs.len(), "run");
            let said = format!(
                "press r to resume the last session: {runs}, {}",
                offer.question
            );
            all.act(Action::Told(Message::plain(said)));
        }
        if let Some(note) = notes.into_iter().next() {
            all.act(Action::Told(Message::warning(note)));
        }
        Ok(all)
    }

    /// The same on a lesson's own corpus, while this one waits.
    fn aside(&mut self, lesson: &Arc<Lesson>, options: &Options) -> anyhow::Result<Loop> {
        let (index, settings) = lesson.open()?;
        let options = Options {
            settings,
            theme: self.theme.clone(),
            argument: lesson.argument(),
            question: None,
            lesson: None,
            labels: None,
            record: None,
            start: false,
            notes: Vec::new(),
            config: Config {
                resume: false,
                ..options.config.clone()
            },
            ..options.clone()
        };
        let mut next = Loop::new(index, options)?;
        next.recording = self.recording.take();
        next.state.offer = None;
        next.state.begin_aside(&self.state);
        next.ended = next.act(Action::Teach(lesson.clone()));
        Ok(next)
    }

    /// Goes on after a lesson on its own corpus, or with another lesson.
    fn take_over(&mut self, left: Loop, lesson: Option<String>) {
        self.recording = left.recording;
        self.state.present = left.state.present;
        match lesson {
            Some(name) => self.ended = self.act(Action::Lesson(name)),
            None => self.say(Message::plain("end of the lesson")),
        }
    }

    fn say(&mut self, message: Message) {
        self.act(Action::Told(message));
    }

    /// The time that a step of a played walk is shown.
    fn tick(&self) -> Duration {
        let pace = super::state::SPEEDS.get(self.state.speed);
        Duration::from_secs_f64(1.0 / pace.copied().unwrap_or(1.0))
    }

    async fn run(
        &mut self,
        screen: &mut Screen,
        events: &mut TerminalEvents,
        typed: Vec<TerminalEvent>,
    ) -> anyhow::Result<End> {
        let size = screen.size()?;
        self.act(Action::Resize(size.width, size.height));
        if let Some(end) = self.ended.take() {
            return Ok(end);
        }
        for event in typed {
            if let Some(end) = self.terminal(event, screen)? {
                return Ok(end);
            }
        }
        let mut dirty = true;
        let mut drawn = Instant::now() - FRAME;
        let mut next_tick = Clock::now();
        let end = loop {
            if std::mem::take(&mut self.suspends) {
                screen.suspend()?;
                let size = screen.size()?;
                self.act(Action::Resize(size.width, size.height));
                dirty = true;
            }
            let waits = self.waits();
            if dirty && !waits && drawn.elapsed() >= FRAME {
                self.draw(screen)?;
                drawn = Instant::now();
                dirty = false;
            }
            if !self.state.playing {
                next_tick = Clock::now() + self.tick();
            }
            let due = if waits {
                self.asked.map_or(drawn, |asked| asked + PATIENCE)
            } else {
                drawn + FRAME
            };
            tokio::select! {
                event = events.next() => {
                    dirty = true;
                    match self.terminal(event, screen)? {
                        Some(end) => break end,
                        None => continue,
                    }
                }
                heard = self.news() => match heard? {
                    Heard::Nothing => {}
                    Heard::News => dirty = true,
                    Heard::End(end) => break end,
                },
                () = sleep_until(next_tick), if self.state.playing => {
                    dirty = true;
                    next_tick += self.tick();
                    self.act(Action::Tick);
                }
                // Woken only to draw what is already known to have changed: an idle explorer sleeps.
                () = sleep_until(due.into()), if dirty => {}
            }
        };
        Ok(end)
    }

    /// The same in lines: what a line does is told when all that it asked for is answered.
    async fn tell(&mut self, lines: &mut Lines) -> anyhow::Result<End> {
        let (width, height) = plain::SIZE;
        self.act(Action::Resize(width, height));
        if let Some(end) = self.ended.take() {
            return Ok(end);
        }
        let mut teller = Teller::default();
        let mut due = true;
        loop {
            if due && self.asked.is_none() {
                self.measure();
                lines.tell(&teller.told(&self.state))?;
                due = false;
            }
            let builds = self.state.building.going();
            let asks = self.state.answering.running.going();
            tokio::select! {
                line = lines.next(), if !due => {
                    let Some(line) = line else {
                        return Ok(End::Command(false));
                    };
                    for action in plain::heard(&self.state, &line) {
                        if let Some(end) = self.act(action) {
                            return Ok(end);
                        }
                        // Where a list ends is known once it was laid out.
                        self.measure();
                    }
                    due = true;
                }
                heard = self.news() => {
                    if let Heard::End(end) = heard? {
                        return Ok(end);
                    }
                    due |= builds && !self.state.building.going();
                    due |= asks && !self.state.answering.running.going();
                    due |= teller.awaits(&self.state);
                }
            }
        }
    }

    /// Lays the screen out, though nobody sees it: keys mean what they mean there.
    fn measure(&mut self) {
        let (_, hits) = self.laid_out();
        self.act(Action::Drawn(Box::new(hits)));
    }

    /// Waits for the next thing that a worker has to say, and takes it in.
    async fn news(&mut self) -> anyhow::Result<Heard> {
        tokio::select! {
            heard = self.workers.hear() => {
                match &heard {
                    jobs::Heard::Open(news) => {
                        if let News::Over(Some(Part::Done(argument, opened))) = &**news {
                            let end = End::Open(argument.clone(), opened.clone());
                            return Ok(Heard::End(end));
                        }
                    }
                    jobs::Heard::Ask(_) => self.asked = None,
                    _ => {}
                }
                self.act(Action::Heard(heard));
            }
            () = sleep_until(self.keeping.unwrap_or_else(Clock::now)), if self.keeping.is_some() => {
                self.keep_session();
                return Ok(Heard::Nothing);
            }
            () = sleep_until(self.giving.unwrap_or_else(Clock::now)), if self.giving.is_some() => {
                self.giving = None;
                tokio::task::spawn_blocking(mapped::give_back);
                return Ok(Heard::Nothing);
            }
            Some(message) = self.told.recv() => {
                self.act(Action::Told(message));
            }
        }
        Ok(Heard::News)
    }

    /// An answer that will be there in a moment is worth a moment: drawing the old result dimmed would flicker.
    fn waits(&self) -> bool {
        self.state.stale() && self.asked.is_some_and(|asked| asked.elapsed() < PATIENCE)
    }

    fn draw(&mut self, screen: &mut Screen) -> anyhow::Result<()> {
        let (state, theme, glyphs) = (&self.state, &self.theme, self.glyphs.glyphs());
        let mut hits = None;
        screen.draw(|frame| {
            hits = Some(view(state, frame, theme, glyphs));
        })?;
        if let Some(hits) = hits {
            self.act(Action::Drawn(Box::new(hits)));
        }
        if self.recording.is_some() {
            self.record();
        }
        Ok(())
    }

    /// Records the frame that was drawn. A full disk ends the recording, not the work.
    fn record(&mut self) {
        let picture = self.picture();
        let Some(recording) = &mut self.recording else {
            return;
        };
        if let Err(error) = recording.frame(&picture, &self.theme) {
            let ended = self.recording.take().map(|it| it.end(&self.theme));
            let error = ended.and_then(Result::err).unwrap_or(error);
            self.state.message = Message::error(format!("the recording ends here: {error}"));
        }
    }

    /// Takes an action in and does what it asks of the world. True when the explorer is to be left, with its screen.
    fn act(&mut self, action: Action) -> Option<End> {
        let mut end = None;
        if !matches!(action, Action::Drawn(_) | Action::Tick) {
            self.keeping.get_or_insert_with(|| Clock::now() + KEEP);
            self.giving.get_or_insert_with(|| Clock::now() + GIVE_BACK);
        }
        for effect in update(&mut self.state, action) {
            match effect {
                Effect::Begin(work) => {
                    if matches!(work, Work::Ask(_)) {
                        self.asked = Some(Instant::now());
                    }
                    self.workers.begin(work);
                }
                Effect::Stop(thread) => self.workers.stop(thread),
                Effect::Theme(name) => {
                    let own = self.folders.as_ref().map(Folders::themes);
                    match Theme::load_from(own.as_deref(), &name, self.theme.level()) {
                        Ok(theme) => self.theme = theme,
                        Err(error) => {
                            let said = Message::error(format!("theme {name}: {error}"));
                            update(&mut self.state, Action::Told(said));
                        }
                    }
                }
                Effect::ExportGraph(traced) => {
                    let (index, teller) = (self.index.clone(), self.teller.clone());
                    tokio::task::spawn_blocking(move || {
                        let message = match traced.text(&index) {
                            Ok(text) => written(Traced::STEM, traced.format.ending(), &text, ""),
                            Err(said) => Message::error(said),
                        };
                        // The explorer may have been left meanwhile.
                        let _ = teller.blocking_send(message);
                    });
                }
                Effect::Export(export) => {
                    let said = self.export(export);
                    self.state.message = said;
                }
                Effect::Copy(text, _) if self.plain => {
                    // Where that is full, what is told next says so.
                    let _ = writeln!(output::text(), "{text}");
                }
                Effect::Copy(text, what) => {
                    self.copy(text, what);
                }
                Effect::KeepLabel(mut label) => {
                    label.time = journal::now();
                    let kept = match self.labels.as_deref() {
                        Some(file) => labels::keep(file, &label).map(|()| label),
                        None => Err("no home folder for labels; use --labels FILE".to_owned()),
                    };
                    end = self.act(Action::Labelled(kept)).or(end);
                }
                Effect::SavePreset(name, settings) => {
                    let said = self.keep(&name, &settings);
                    update(&mut self.state, Action::Told(said));
                }
                Effect::SavePatch(name, edits, over) => {
                    let kept = patches::keep(
                        self.folders.as_ref(),
                        &name,
                        &edits,
                        over,
                        &mut self.state.patches,
                    );
                    update(&mut self.state, Action::Told(kept.into()));
                }
                Effect::LoadPatch(name) => {
                    let read = patches::load(self.folders.as_ref(), &name);
                    end = self.act(Action::loaded(read)).or(end);
                }
                Effect::Remember(question) => {
                    if let Err(said) = self.history.add(&question, &self.argument) {
                        update(&mut self.state, Action::Told(Message::warning(said)));
                    }
                }
                Effect::Suspend => self.suspends = true,
                // `update` did it.
                Effect::Then(_) => {}
                Effect::Aside(lesson) => end = Some(End::Aside(lesson)),
                Effect::Return(next) => end = Some(End::Return(next)),
                Effect::Quit { keep } => end = Some(End::Command(keep)),
            }
        }
        end
    }

    /// Keeps settings as a preset.
    fn keep(&mut self, name: &str, settings: &Settings) -> Message {
        let Some(folders) = &self.folders else {
            return Message::warning("no home folder found to save presets in");
        };
        match presets::save(folders, name, settings) {
            Ok((preset, path)) => {
                self.state.presets.keep(preset);
                let said = format!("preset {name} kept in {}", path.display());
                Message::new(Tone::Good, said)
            }
            Err(said) => Message::error(said),
        }
    }

    /// What the session's file lacks, once something was done here: a start alone takes no place of an earlier session.
    fn unkept(&self) -> Option<(Folders, Session)> {
        let folders = self.folders.clone()?;
        let state = &self.state;
        let begun = state.session.len() > 1 || state.pins.by_hand || self.kept.is_none();
        let now = session::kept(state);
        let taught = state.lesson.is_some() || state.aside;
        let news = begun && !taught && self.kept.as_ref() != Some(&now);
        (news && !state.session.is_empty()).then_some((folders, now))
    }

    /// Writes the session where it changed, on a thread of its own: a slow disk stops no key.
    fn keep_session(&mut self) {
        if self
            .saving
            .as_ref()
            .is_some_and(|saving| !saving.is_finished())
        {
            self.keeping = Some(Clock::now() + KEEP);
            return;
        }
        self.keeping = None;
        if let Some((folders, now)) = self.unkept() {
            self.kept = Some(now.clone());
            let own = self.state.facts.fingerprint.clone();
            let teller = self.teller.clone();
            self.saving = Some(tokio::task::spawn_blocking(move || {
                let saved = now.save(&folders, &own);
                if let Err(said) = &saved {
                    // The explorer may have been left meanwhile.
                    let _ = teller.blocking_send(Message::warning(said.clone()));
                }
                saved
            }));
        }
    }

    /// The same at the end, when there is time to wait.
    async fn keep_last(&mut self) -> Result<(), String> {
        if let Some(saving) = self.saving.take() {
            let _ = saving.await;
        }
        match self.unkept() {
            Some((folders, now)) => now.save(&folders, &self.state.facts.fingerprint),
            None => Ok(()),
        }
    }

    /// Writes a file.
    fn export(&self, export: Export) -> Message {
        let Export {
            stem,
            ending,
            body,
            note,
        } = export;
        let text = match body {
            Body::Text(text) => text,
            Body::Screen => {
                let caption = Caption::new("hopscope", "The explorer of hopscope", &self.theme);
                picture::svg(&self.picture(), &caption)
            }
            Body::Figure(pane) => match self.figure(pane) {
                Ok(text) => text,
                Err(said) => return Message::error(said),
            },
        };
        written(&stem, ending, &text, &note)
    }

    /// A pane alone, in the theme for paper, or in your own of that name.
    fn figure(&self, pane: Pane) -> Result<String, String> {
        let own = self.folders.as_ref().map(Folders::themes);
        let theme = Theme::load_from(own.as_deref(), PRINT, ColorLevel::True);
        let theme = theme.map_err(|error| error.to_string())?;
        view::figure(&self.state, pane, &theme, self.glyphs.glyphs())
            .map_err(|said| format!("{said}; F shows it in full size"))
    }

    /// The screen as it is, for the scrollback.
    fn picture(&self) -> Buffer {
        self.laid_out().0
    }

    /// The same, and what it shows where.
    fn laid_out(&self) -> (Buffer, Hits) {
        let (width, height) = self.state.size;
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        let glyphs = self.glyphs.glyphs();
        let (hits, _) = draw(&self.state, area, &mut buffer, &self.theme, glyphs);
        (buffer, hits)
    }

    /// The terminal is offered the text here, between two frames; clipboard programs and files may take their time.
    fn copy(&mut self, text: String, what: String) {
        let offered = clipboard::offer(&text);
        let folder = self.folders.as_ref().map(|folders| folders.state.clone());
        let teller = self.teller.clone();
        tokio::task::spawn_blocking(move || {
            let message = match clipboard::copy(&text, offered, folder.as_deref()) {
                Ok(way) => Message::new(Tone::Good, format!("{what} copied {way}")),
                Err(said) => Message::error(format!("{what} not copied: {said}")),
            };
            // The explorer may have been left meanwhile.
            let _ = teller.blocking_send(message);
        });
    }

    fn terminal(
        &mut self,
        event: TerminalEvent,
        screen: &mut Screen,
    ) -> anyhow::Result<Option<End>> {
        Ok(match event {
            TerminalEvent::Key(key) => self.act(Action::Key(key)),
            TerminalEvent::Paste(text) => self.act(Action::Paste(text)),
            TerminalEvent::Mouse(mouse) => self.mouse(mouse),
            TerminalEvent::Resize { columns, rows } => self.act(Action::Resize(columns, rows)),
            TerminalEvent::Focus(_) => None,
            TerminalEvent::Suspend => {
                self.suspends = true;
                None
            }
            TerminalEvent::Continue => {
                screen.resume()?;
                None
            }
            TerminalEvent::Quit(reason) => Some(End::Signal(reason)),
        })
    }

    fn mouse(&mut self, mouse: MouseEvent) -> Option<End> {
        let (x, y) = (mouse.column, mouse.row);
        let action = match mouse.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                let double = self
                    .pressed
                    .is_some_and(|(when, px, py)| when.elapsed() < DOUBLE && (px, py) == (x, y));
                self.pressed = (!double).then(|| (Instant::now(), x, y));
                if double {
                    Action::DoublePress(x, y)
                } else {
                    Action::Press(x, y)
                }
            }
            MouseEventKind::Drag(MouseButton::Left) => Action::Drag(x, y),
            MouseEventKind::Up(MouseButton::Left) => Action::Release,
            MouseEventKind::ScrollUp => Action::Wheel(x, y, -1),
            MouseEventKind::ScrollDown => Action::Wheel(x, y, 1),
            _ => return None,
        };
        self.act(action)
    }
}

/// Writes a file under the first name that is free.
fn written(stem: &str, ending: &str, text: &str, note: &str) -> Message {
    for number in 1..1000 {
        let name = match number {
            1 => format!("{stem}.{ending}"),
            number => format!("{stem}-{number}.{ending}"),
        };
        let file = std::fs::File::create_new(&name);
        let written = match file {
            // Half of it is none.
            Ok(mut file) => {
                (file.write_all(text.as_bytes())).inspect_err(|_| drop(std::fs::remove_file(&name)))
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
            Err(error) => Err(error),
        };
        return match written {
            Ok(()) => Message::new(Tone::Good, format!("wrote {name}{note}")),
            Err(error) => Message::error(format!("{name}: {error}")),
        };
    }
    Message::error(format!(
        "{stem}: 1,000 files with this name exist; remove some"
    ))
}
