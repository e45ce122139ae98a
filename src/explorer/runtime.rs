//! The event loop: terminal events, answers and ticks become actions; effects become requests. One thread, which never
//! computes a walk and never waits for one; it draws when something changed, at most sixty times a second.

mod begin;
mod keep;

pub use begin::{Begin, Options};

use super::action::{Action, Effect, Message};
use super::app::App;
use super::clipboard;
use super::entering::{Entered, enter};
use super::export::{self, Traced};
use super::hits::Hits;
use super::jobs::open::{Opened, Part};
use super::jobs::{self, News, Work};
use super::lesson::Lesson;
use super::picture::Recording;
use super::plain::{self, Lines, Teller};
use super::state::SPEEDS;
use super::store::{History, Session, presets};
use super::terminal::{QuitReason, Screen, TerminalEvent, TerminalEvents, install_panic_hook};
use super::update::update;
use super::workers::Workers;
use crate::evaluate::labels;
use crate::index::Silent;
use crate::journal;
use crate::mapped;
use crate::output;
use anyhow::Context;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{Receiver, Sender};
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
    let mut open = Loop::new(index, &options)?;
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
        match end {
            End::Aside(lesson) => match open.aside(&lesson, &options) {
                Ok(next) => base = Some(std::mem::replace(&mut open, next)),
                Err(said) => open.say(Message::error(said.to_string())),
            },
            End::Return(next) => {
                if let Some(back) = base.take() {
                    let left = std::mem::replace(&mut open, back);
                    open.take_over(left, next);
                }
            }
            End::Open(argument, opened) => {
                let kept = keep_last(&mut open, base.take()).await;
                let (index, settings, notes) = *opened;
                options = Options {
                    present: open.app.state.present,
                    presets: open.app.state.presets.clone(),
                    notes: notes.into_iter().chain(kept.err()).collect(),
                    ..options.over(settings, argument, open.app.theme.clone())
                };
                let recording = open.recording.take();
                open = Loop::new(index, &options)?;
                open.recording = recording;
            }
            End::Command(stays) => {
                leave(open, base, front, stays).await?;
                return Ok(0);
            }
            End::Signal(reason) => {
                leave(open, base, front, false).await?;
                return Ok(reason.exit_code());
            }
        }
    }
}

/// Writes the sessions of what is open and of what waits for the end of a lesson. The next start is only less pleasant
/// without them.
async fn keep_last(open: &mut Loop, base: Option<Loop>) -> Result<(), String> {
    let kept = open.keep_last().await;
    match base {
        Some(mut base) => kept.and(base.keep_last().await),
        None => kept,
    }
}

/// Gives the terminal back, with the last screen where it stays, and ends what is written.
async fn leave(
    mut open: Loop,
    base: Option<Loop>,
    front: Front,
    stays: bool,
) -> anyhow::Result<()> {
    let kept = keep_last(&mut open, base).await;
    match front {
        Front::Screen(front) if stays => front.0.leave_picture(&open.app.draw().0)?,
        // The terminal is as it was before anything else is written.
        front => drop(front),
    }
    if let Err(said) = kept {
        output::say(format_args!("hopscope: {said}"));
    }
    if let Some(recording) = open.recording.take() {
        let written = recording.end(&open.app.theme);
        written.map_err(|error| anyhow::anyhow!("--record: {error}"))?;
    }
    Ok(())
}

/// Where the explorer is met.
enum Front {
    Screen(Box<(Screen, TerminalEvents)>),
    Lines(Lines),
}

/// Everything outside of the state.
struct Loop {
    app: App,
    /// It is told in lines: what is copied is told too, since a screen reader reads no clipboard.
    plain: bool,
    workers: Workers,
    history: History,
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
    fn say(&mut self, message: Message) {
        self.act(Action::Told(message));
    }

    /// The time that a step of a played walk is shown.
    fn tick(&self) -> Duration {
        let pace = SPEEDS.get(self.app.state.speed);
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
        loop {
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
            if !self.app.state.playing {
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
                        Some(end) => return Ok(end),
                        None => continue,
                    }
                }
                heard = self.news() => match heard {
                    ControlFlow::Continue(shows) => dirty |= shows,
                    ControlFlow::Break(end) => return Ok(end),
                },
                () = sleep_until(next_tick), if self.app.state.playing => {
                    dirty = true;
                    next_tick += self.tick();
                    self.act(Action::Tick);
                }
                // Woken only to draw what is already known to have changed: an idle explorer sleeps.
                () = sleep_until(due.into()), if dirty => {}
            }
        }
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
                lines.tell(&teller.told(&self.app.state))?;
                due = false;
            }
            let builds = self.app.state.building.going();
            let asks = self.app.state.answering.running.going();
            tokio::select! {
                line = lines.next(), if !due => {
                    let Some(line) = line else {
                        return Ok(End::Command(false));
                    };
                    for action in plain::heard(&self.app.state, &line) {
                        if let Some(end) = self.act(action) {
                            return Ok(end);
                        }
                        // Where a list ends is known once it was laid out.
                        self.measure();
                    }
                    due = true;
                }
                heard = self.news() => {
                    if let ControlFlow::Break(end) = heard {
                        return Ok(end);
                    }
                    due |= builds && !self.app.state.building.going();
                    due |= asks && !self.app.state.answering.running.going();
                    due |= teller.awaits(&self.app.state);
                }
            }
        }
    }

    /// Lays the screen out, though nobody sees it: keys mean what they mean there.
    fn measure(&mut self) {
        let (_, hits) = self.app.draw();
        self.act(Action::Drawn(Box::new(hits)));
    }

    /// Waits for the next thing that a worker has to say, and takes it in. Whether it shows, or how the loop ends.
    async fn news(&mut self) -> ControlFlow<End, bool> {
        tokio::select! {
            heard = self.workers.hear() => {
                match &heard {
                    jobs::Heard::Open(news) => {
                        if let News::Over(Some(Part::Done(argument, opened))) = &**news {
                            return ControlFlow::Break(End::Open(argument.clone(), opened.clone()));
                        }
                    }
                    jobs::Heard::Ask(_) => self.asked = None,
                    _ => {}
                }
                self.act(Action::Heard(heard));
            }
            () = sleep_until(self.keeping.unwrap_or_else(Clock::now)), if self.keeping.is_some() => {
                self.keep_session();
                return ControlFlow::Continue(false);
            }
            () = sleep_until(self.giving.unwrap_or_else(Clock::now)), if self.giving.is_some() => {
                self.giving = None;
                tokio::task::spawn_blocking(mapped::give_back);
                return ControlFlow::Continue(false);
            }
            Some(message) = self.told.recv() => {
                self.act(Action::Told(message));
            }
        }
        ControlFlow::Continue(true)
    }

    /// An answer that will be there in a moment is worth a moment: drawing the old result dimmed would flicker.
    fn waits(&self) -> bool {
        self.app.state.stale() && self.asked.is_some_and(|asked| asked.elapsed() < PATIENCE)
    }

    fn draw(&mut self, screen: &mut Screen) -> anyhow::Result<()> {
        let mut hits = Hits::default();
        screen.draw(|frame| hits = self.app.show(frame))?;
        self.act(Action::Drawn(Box::new(hits)));
        if self.recording.is_some() {
            self.record();
        }
        Ok(())
    }

    /// Records the frame that was drawn. A full disk ends the recording, not the work.
    fn record(&mut self) {
        let picture = self.app.draw().0;
        let Some(recording) = &mut self.recording else {
            return;
        };
        if let Err(error) = recording.frame(&picture, &self.app.theme) {
            let ended = self.recording.take().map(|it| it.end(&self.app.theme));
            let error = ended.and_then(Result::err).unwrap_or(error);
            self.app.state.message = Message::error(format!("the recording ends here: {error}"));
        }
    }

    /// Takes an action in and does what it asks of the world. True when the explorer is to be left, with its screen.
    fn act(&mut self, action: Action) -> Option<End> {
        let mut end = None;
        if !matches!(action, Action::Drawn(_) | Action::Tick) {
            self.keeping.get_or_insert_with(|| Clock::now() + KEEP);
            self.giving.get_or_insert_with(|| Clock::now() + GIVE_BACK);
        }
        for effect in update(&mut self.app.state, action) {
            let effect = match self.app.answer(effect) {
                Ok(follows) => {
                    end = follows.and_then(|action| self.act(action)).or(end);
                    continue;
                }
                Err(effect) => effect,
            };
            match effect {
                Effect::Begin(work) => {
                    if matches!(work, Work::Ask(_)) {
                        self.asked = Some(Instant::now());
                    }
                    self.workers.begin(work);
                }
                Effect::Stop(thread) => self.workers.stop(thread),
                Effect::ExportGraph(traced) => {
                    let index = self.app.index.clone();
                    self.later(move || {
                        let text = traced.text(&index);
                        text.and_then(|text| {
                            export::write(Traced::STEM, traced.format.ending(), &text, "")
                        })
                    });
                }
                Effect::Export(export) => {
                    let text = self.app.text(export.body);
                    let write = |text: String| {
                        export::write(&export.stem, export.ending, &text, &export.note)
                    };
                    self.say(text.and_then(write).into());
                }
                Effect::Copy(text, _) if self.plain => {
                    // Where that is full, what is told next says so.
                    let _ = writeln!(output::text(), "{text}");
                }
                Effect::Copy(text, what) => self.copy(text, what),
                Effect::KeepLabel(mut label) => {
                    label.time = journal::now();
                    let kept = match self.labels.as_deref() {
                        Some(file) => labels::keep(file, &label).map(|()| label),
                        None => Err("no home folder for labels; use --labels FILE".to_owned()),
                    };
                    end = self.act(Action::Labelled(kept)).or(end);
                }
                Effect::SavePreset(name, settings) => {
                    let known = &mut self.app.state.presets;
                    let said = match &self.app.folders {
                        Some(folders) => presets::keep(folders, &name, &settings, known).into(),
                        None => Message::warning("no home folder found to save presets in"),
                    };
                    self.say(said);
                }
                Effect::Remember(question) => {
                    let argument = &self.app.state.facts.argument;
                    if let Err(said) = self.history.add(&question, argument) {
                        self.say(Message::warning(said));
                    }
                }
                Effect::Suspend => self.suspends = true,
                Effect::Aside(lesson) => end = Some(End::Aside(lesson)),
                Effect::Return(next) => end = Some(End::Return(next)),
                Effect::Quit { keep } => end = Some(End::Command(keep)),
                // `update` and `App` did it.
                Effect::Then(_)
                | Effect::Theme(_)
                | Effect::SavePatch(..)
                | Effect::LoadPatch(_) => {}
            }
        }
        end
    }

    /// The terminal is offered the text here, between two frames; clipboard programs and files may take their time.
    fn copy(&mut self, text: String, what: String) {
        let offered = clipboard::offer(&text);
        let folders = self.app.folders.clone();
        self.later(move || {
            let folder = folders.as_ref().map(|folders| &*folders.state);
            match clipboard::copy(&text, offered, folder) {
                Ok(way) => Ok(format!("{what} copied {way}")),
                Err(said) => Err(format!("{what} not copied: {said}")),
            }
        });
    }

    /// Does what takes a while on another thread, and says how it went.
    fn later(&self, work: impl FnOnce() -> Result<String, String> + Send + 'static) {
        let teller = self.teller.clone();
        tokio::task::spawn_blocking(move || {
            // The explorer may have been left meanwhile.
            let _ = teller.blocking_send(work().into());
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
