//! Everything that comes from outside, in one stream: keys, mouse, pasted text, sizes, and signals.

use std::io;

use crossterm::event::{Event, EventStream, KeyEvent, KeyEventKind, MouseEvent, MouseEventKind};
use futures_util::StreamExt;
use ratatui::layout::Size;

/// Something happened outside.
#[derive(Debug, Clone, PartialEq)]
pub enum TerminalEvent {
    /// A key was pressed, or is being held.
    Key(KeyEvent),
    /// A button or the wheel; movements without a button are left out.
    Mouse(MouseEvent),
    /// Text was pasted: it is text, whatever keys it looks like.
    Paste(String),
    /// The terminal has another size: what of it is [`drawn`](super::drawn).
    Resize {
        /// Cells across.
        columns: u16,
        /// Cells down.
        rows: u16,
    },
    /// The terminal's window got (true) or lost the keyboard.
    Focus(bool),
    /// Somebody asks this job to stop: call [`suspend`](super::Screen::suspend).
    Suspend,
    /// The job goes on: call [`resume`](super::Screen::resume), another program may have changed the modes.
    Continue,
    /// End now, cleanly.
    Quit(QuitReason),
}

/// Why the program is asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuitReason {
    /// SIGINT from outside; Ctrl-C at the keyboard arrives as a key.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGHUP: the window was closed or the connection dropped.
    HangUp,
    /// The terminal can no longer be read.
    InputClosed,
}

impl QuitReason {
    /// The exit code by the shell's custom, 128 and the signal; a vanished terminal counts as hung up.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Interrupt => 130,
            Self::Terminate => 143,
            Self::HangUp | Self::InputClosed => 129,
        }
    }
}

/// The stream of events. Needs a tokio runtime with I/O enabled.
#[derive(Debug)]
pub struct TerminalEvents {
    input: EventStream,
    signals: Signals,
}

impl TerminalEvents {
    /// Begins listening. From now on the signals no longer end the program by themselves.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            input: EventStream::new(),
            signals: Signals::new()?,
        })
    }

    /// The next event. Safe to drop and call again, as in `select!`. After `Quit` nothing else needs to be read.
    pub async fn next(&mut self) -> TerminalEvent {
        loop {
            let event = tokio::select! {
                // A flood of pasted keys must not hold up a signal.
                biased;
                signal = self.signals.next() => return signal,
                input = self.input.next() => input,
            };
            match event {
                Some(Ok(event)) => {
                    if let Some(event) = translate(event) {
                        return event;
                    }
                }
                Some(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Some(Err(_)) | None => return TerminalEvent::Quit(QuitReason::InputClosed),
            }
        }
    }
}

fn translate(event: Event) -> Option<TerminalEvent> {
    match event {
        Event::Key(key) if key.kind == KeyEventKind::Release => None,
        Event::Key(key) => Some(TerminalEvent::Key(key)),
        Event::Mouse(mouse) if mouse.kind == MouseEventKind::Moved => None,
        Event::Mouse(mouse) => Some(TerminalEvent::Mouse(mouse)),
        Event::Paste(text) => Some(TerminalEvent::Paste(text)),
        Event::Resize(columns, rows) => {
            let size = super::drawn(Size::new(columns, rows));
            Some(TerminalEvent::Resize {
                columns: size.width,
                rows: size.height,
            })
        }
        Event::FocusGained => Some(TerminalEvent::Focus(true)),
        Event::FocusLost => Some(TerminalEvent::Focus(false)),
    }
}

#[cfg(unix)]
#[derive(Debug)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
    stop: tokio::signal::unix::Signal,
    go_on: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use signal_hook::consts::{SIGCONT, SIGTSTP};
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
            stop: signal(SignalKind::from_raw(SIGTSTP))?,
            go_on: signal(SignalKind::from_raw(SIGCONT))?,
        })
    }

    async fn next(&mut self) -> TerminalEvent {
        tokio::select! {
            biased;
            Some(()) = self.hang_up.recv() => TerminalEvent::Quit(QuitReason::HangUp),
            Some(()) = self.terminate.recv() => TerminalEvent::Quit(QuitReason::Terminate),
            Some(()) = self.interrupt.recv() => TerminalEvent::Quit(QuitReason::Interrupt),
            Some(()) = self.stop.recv() => TerminalEvent::Suspend,
            Some(()) = self.go_on.recv() => TerminalEvent::Continue,
            // The runtime is shutting down and no signal will come any more.
            else => std::future::pending().await,
        }
    }
}

#[cfg(not(unix))]
#[derive(Debug)]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> TerminalEvent {
        match tokio::signal::ctrl_c().await {
            Ok(()) => TerminalEvent::Quit(QuitReason::Interrupt),
            Err(_) => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyModifiers, MouseButton};

    use super::*;

    #[test]
    fn releases_and_idle_movements_are_left_out() {
        let mut key = KeyEvent::new(KeyCode::Char('a'), KeyModifiers::NONE);
        assert_eq!(translate(Event::Key(key)), Some(TerminalEvent::Key(key)));
        key.kind = KeyEventKind::Release;
        assert_eq!(translate(Event::Key(key)), None);
        let mut mouse = MouseEvent {
            kind: MouseEventKind::Moved,
            column: 1,
            row: 2,
            modifiers: KeyModifiers::NONE,
        };
        assert_eq!(translate(Event::Mouse(mouse)), None);
        mouse.kind = MouseEventKind::Drag(MouseButton::Left);
        assert_eq!(
            translate(Event::Mouse(mouse)),
            Some(TerminalEvent::Mouse(mouse))
        );
    }

    #[test]
    fn exit_codes_follow_the_shell() {
        assert_eq!(QuitReason::Interrupt.exit_code(), 130);
        assert_eq!(QuitReason::Terminate.exit_code(), 143);
        assert_eq!(QuitReason::HangUp.exit_code(), 129);
    }
}
