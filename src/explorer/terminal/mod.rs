//! Taking the terminal and giving it back as it was: always, once, and whatever happened in between.
//!
//! A mode is written down when it is switched on, and leaving switches off what is written down. The note is one atomic
//! byte that leaving swaps for zero, so however many of a normal end, a drop, a panic hook and a signal come together,
//! one of them restores and the others find nothing to do (bevy_ratatui#107, rustnet#364).

mod events;
mod panic;
mod steady;

use std::cell::Cell;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::sync::atomic::{AtomicU8, Ordering};

use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::style::{Attribute, SetAttribute};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::{Frame, Terminal};

pub use events::{QuitReason, TerminalEvent, TerminalEvents};
pub use panic::{install_panic_hook, take_panics};
use steady::Steady;

/// The modes that are on now, one bit each.
static ON: AtomicU8 = AtomicU8::new(0);

thread_local! {
    /// Whether this thread took the terminal. The panic hook runs in the panicking thread, so it can ask without a lock.
    static OWNS: Cell<bool> = const { Cell::new(false) };
}

/// Something to switch on and off again, in the order of switching on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Raw,
    AlternateScreen,
    HiddenCursor,
    BracketedPaste,
    Mouse,
    /// Only while a frame is being written.
    SynchronizedUpdate,
}

impl Mode {
    const ALL: [Self; 6] = [
        Self::Raw,
        Self::AlternateScreen,
        Self::HiddenCursor,
        Self::BracketedPaste,
        Self::Mouse,
        Self::SynchronizedUpdate,
    ];

    fn bit(self) -> u8 {
        1 << self as u8
    }

    fn is_on(self) -> bool {
        ON.load(Ordering::SeqCst) & self.bit() != 0
    }

    fn switch_on(self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Raw => enable_raw_mode(),
            Self::AlternateScreen => {
                execute!(out, EnterAlternateScreen, Clear(ClearType::All))
            }
            Self::HiddenCursor => execute!(out, Hide),
            Self::BracketedPaste => execute!(out, EnableBracketedPaste),
            Self::Mouse => mouse(out, true),
            Self::SynchronizedUpdate => execute!(out, BeginSynchronizedUpdate),
        }
    }

    fn switch_off(self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Raw => disable_raw_mode(),
            Self::AlternateScreen => {
                execute!(out, SetAttribute(Attribute::Reset), LeaveAlternateScreen)
            }
            Self::HiddenCursor => execute!(out, Show),
            Self::BracketedPaste => execute!(out, DisableBracketedPaste),
            Self::Mouse => mouse(out, false),
            Self::SynchronizedUpdate => execute!(out, EndSynchronizedUpdate),
        }
    }
}

/// Clicks, drags and the wheel. Crossterm's own command also asks for every movement without a button, which over ssh
/// is a packet per cell crossed, for nothing.
#[cfg(not(windows))]
fn mouse(out: &mut impl Write, on: bool) -> io::Result<()> {
    let codes = if on {
        "\u{1b}[?1000h\u{1b}[?1002h\u{1b}[?1006h"
    } else {
        "\u{1b}[?1006l\u{1b}[?1002l\u{1b}[?1000l"
    };
    out.write_all(codes.as_bytes())?;
    out.flush()
}

#[cfg(windows)]
fn mouse(out: &mut impl Write, on: bool) -> io::Result<()> {
    use crossterm::event::{DisableMouseCapture, EnableMouseCapture};
    if on {
        execute!(out, EnableMouseCapture)
    } else {
        execute!(out, DisableMouseCapture)
    }
}

/// Switches modes on, each written down before the next; all off again when one fails.
fn enter(out: &mut impl Write, modes: &[Mode]) -> io::Result<()> {
    OWNS.set(true);
    for mode in modes {
        // Before, not after: a mode that fails half way is better switched off once too often.
        ON.fetch_or(mode.bit(), Ordering::SeqCst);
        if let Err(error) = mode.switch_on(out) {
            leave(out);
            return Err(error);
        }
    }
    Ok(())
}

/// Switches off what is on, last first; does nothing the second time. Errors are ignored: the terminal may be gone.
fn leave(out: &mut impl Write) {
    let on = ON.swap(0, Ordering::SeqCst);
    for mode in Mode::ALL.into_iter().rev() {
        if on & mode.bit() != 0 {
            let _ = mode.switch_off(out);
        }
    }
}

/// Gives the terminal back, from wherever; for the panic hook and for ends that skip drops.
pub fn restore() {
    leave(&mut io::stdout());
}

/// Whether the screen is taken by this process.
pub(super) fn is_taken() -> bool {
    Mode::AlternateScreen.is_on()
}

/// Whether the screen is taken, by this very thread.
pub(super) fn is_owner() -> bool {
    is_taken() && OWNS.try_with(Cell::get).unwrap_or(false)
}

/// Why the explorer cannot be shown here, in words for stderr; `None` when it can.
pub fn refusal() -> Option<String> {
    let term = std::env::var("TERM").unwrap_or_default();
    refuse(io::stdout().is_terminal(), &term)
}

fn refuse(is_terminal: bool, term: &str) -> Option<String> {
    let instead = "For scripts there is `hopscope ask`, with --json for programs.";
    if !is_terminal {
        return Some(format!(
            "The explorer needs a terminal, and the output goes elsewhere. {instead}"
        ));
    }
    (term == "dumb").then(|| {
        format!("The explorer needs a terminal that can move its cursor (TERM is dumb). {instead}")
    })
}

/// Standard output while the screen is taken, and nothing afterwards: a frame that is still buffered when a panic has
/// restored the terminal must not be painted over the person's shell.
#[derive(Debug)]
struct WhileTaken(Stdout);

impl Write for WhileTaken {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if is_taken() {
            self.0.write(bytes)
        } else {
            Ok(bytes.len())
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if is_taken() { self.0.flush() } else { Ok(()) }
    }
}

/// Makes the terminal show a frame at once. Ends on drop; after a restore there is nothing left to end.
struct FrameGuard;

impl FrameGuard {
    fn begin() -> io::Result<Self> {
        enter(&mut io::stdout(), &[Mode::SynchronizedUpdate])?;
        Ok(Self)
    }
}

impl Drop for FrameGuard {
    fn drop(&mut self) {
        let mode = Mode::SynchronizedUpdate;
        if ON.fetch_and(!mode.bit(), Ordering::SeqCst) & mode.bit() != 0 {
            let _ = mode.switch_off(&mut io::stdout());
        }
    }
}

/// Most cells of a screen, and of a picture of one. No real terminal has as many, and each takes memory several times over;
/// a program that tells of 65,535 x 65,535 would have all there is.
pub const CELLS: u32 = 1 << 18;

/// The part of a terminal that is drawn: the whole, but at most [`CELLS`] of one that says it is larger. That is the top
/// left, as wide as it may be.
pub fn drawn(size: Size) -> Size {
    let rows = u32::from(size.height.max(1));
    if u32::from(size.width) * rows <= CELLS {
        return size;
    }
    // Both are at most what is there, so that neither is cut short.
    let width = u32::from(size.width).min((CELLS / rows).max(CELLS.isqrt()));
    let height = rows.min(CELLS / width);
    Size::new(width as u16, height as u16)
}

/// The terminal, taken. Dropping it gives it back.
#[derive(Debug)]
pub struct Screen {
    terminal: Terminal<Steady<CrosstermBackend<BufWriter<WhileTaken>>>>,
    modes: Vec<Mode>,
}

impl Screen {
    /// Takes the terminal, and makes panics give it back first.
    pub fn enter(with_mouse: bool) -> io::Result<Self> {
        install_panic_hook();
        // Colour is decided by the theme's level. Crossterm's own reading of NO_COLOR would turn each colour change into
        // a bare `ESC [ m`, which also switches off bold and reversed.
        crossterm::style::force_color_output(true);
        let mut modes = vec![
            Mode::Raw,
            Mode::AlternateScreen,
            Mode::HiddenCursor,
            Mode::BracketedPaste,
        ];
        if with_mouse {
            modes.push(Mode::Mouse);
        }
        enter(&mut io::stdout(), &modes)?;
        let writer = BufWriter::with_capacity(1 << 16, WhileTaken(io::stdout()));
        match Terminal::new(Steady(CrosstermBackend::new(writer))) {
            Ok(terminal) => Ok(Self { terminal, modes }),
            Err(error) => {
                restore();
                Err(error)
            }
        }
    }

    /// Draws one frame, shown by the terminal at once.
    pub fn draw(&mut self, view: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        let _guard = FrameGuard::begin()?;
        self.terminal.draw(view)?;
        Ok(())
    }

    /// The size of the terminal now.
    pub fn size(&self) -> io::Result<Rect> {
        Ok(Rect::from((
            ratatui::layout::Position::ORIGIN,
            self.terminal.size()?,
        )))
    }

    /// Gives the terminal back, stops this job as Ctrl-Z does, and takes the terminal again when the job is continued; at
    /// once where no shell waits to continue it. The next frame is drawn in full.
    pub fn suspend(&mut self) -> io::Result<()> {
        restore();
        stop_job();
        self.resume()
    }

    /// Takes the terminal again after something else had it (a stop this program did not see coming, a shell that reset
    /// the modes). The next frame is drawn in full.
    pub fn resume(&mut self) -> io::Result<()> {
        restore();
        enter(&mut io::stdout(), &self.modes)?;
        // Not `Terminal::clear`: it asks the terminal for the cursor, and the answer would be read by the event stream.
        let area = self.size()?;
        self.terminal.resize(area)
    }

    /// Gives the terminal back and leaves a picture of the last screen in the scrollback.
    pub fn leave_picture(self, picture: &Buffer) -> io::Result<()> {
        drop(self);
        let mut out = io::stdout().lock();
        // Not `\n`: a job that shares the terminal may have switched translation off.
        let text = super::picture::ansi(picture).replace('\n', "\r\n");
        out.write_all(text.as_bytes())?;
        out.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
        OWNS.set(false);
        // What background threads said in their panics was kept off the screen; it must not be lost.
        take_panics().iter().for_each(crate::output::say);
    }
}

/// Stops the whole process group, as the terminal does on Ctrl-Z: stopping only this process would leave a wrapper
/// (`cargo run`, `sh -c`) in the foreground and the person without a shell.
///
/// Where no shell waits to continue the group (`docker run -it`, `ssh -t host hopscope`) it goes on: the system drops
/// SIGTSTP there, but a stop by SIGSTOP would be for ever. This program takes SIGTSTP itself, so a child in its place tries
/// whether the system stops it.
#[cfg(unix)]
fn stop_job() {
    use rustix::io::retry_on_intr;
    use rustix::process::{Pid, Signal, WaitOptions};
    use rustix::process::{kill_current_process_group, kill_process, waitpid};
    use std::process::{Command, Stdio};
    let child = Command::new("sh")
        .args(["-c", "kill -s TSTP $$"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(child) = child else { return };
    let pid = Pid::from_child(&child);
    let wait = |options| retry_on_intr(|| waitpid(Some(pid), options));
    let tried = wait(WaitOptions::UNTRACED);
    if tried.is_ok_and(|waited| waited.is_some_and(|(_, status)| status.stopped())) {
        let _ = kill_current_process_group(Signal::STOP);
        // Whoever continued this process alone left the child as it was.
        let _ = kill_process(pid, Signal::CONT);
        let _ = wait(WaitOptions::empty());
    }
}

#[cfg(not(unix))]
fn stop_job() {}

/// Puts text on the clipboard of the person's own terminal, also over ssh (OSC 52). Terminals may ignore it, and none
/// answers: never claim that it worked.
pub fn offer_to_clipboard(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    queue!(out, crossterm::style::Print(osc52(text)))?;
    out.flush()
}

fn osc52(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut code = String::from("\u{1b}]52;c;");
    for chunk in text.as_bytes().chunks(3) {
        let bytes = [0, 1, 2].map(|at| u32::from(chunk.get(at).copied().unwrap_or(0)));
        let bits = bytes[0] << 16 | bytes[1] << 8 | bytes[2];
        for place in 0..4 {
            if place <= chunk.len() {
                let digit = DIGITS[(bits >> (18 - 6 * place) & 63) as usize];
                code.push(char::from(digit));
            } else {
                code.push('=');
            }
        }
    }
    code.push('\u{7}');
    code
}

#[cfg(test)]
mod tests;
