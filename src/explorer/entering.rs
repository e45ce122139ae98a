//! Until an index is open: what is being opened, how far it is, and the way out. What is typed meanwhile is not lost.

use super::glyphs::{self, GlyphSet};
use super::jobs::Tell;
use super::jobs::open::{Far, Opened, Opener, Part, called, open};
use super::terminal::{Screen, TerminalEvent, TerminalEvents};
use super::text;
use super::theme::{Scope, Theme};
use crate::index::store::Manifest;
use crate::text::span;
use anyhow::{Context, anyhow};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::channel;
use tokio::time::{Instant, sleep_until};

/// How long opening may take before anything is drawn: a small index would only flicker.
const PATIENCE: Duration = Duration::from_millis(30);
/// Keys and pastes that are kept.
const KEPT: usize = 256;
/// Columns of what is drawn.
const WIDTH: u16 = 76;

/// How it ended.
pub enum Entered {
    /// It is open; what was typed meanwhile.
    Open(Box<Opened>, Vec<TerminalEvent>),
    /// The person left; the exit code.
    Left(u8),
}

/// What is seen, and what was typed.
#[derive(Default)]
struct Entering {
    path: String,
    /// What the manifest says of it; none where it has none that can be read, which opening will tell.
    holds: Option<String>,
    far: Option<Far>,
    typed: Vec<TerminalEvent>,
}

/// Opens an index on a thread of its own, and shows how far it is.
///
/// # Errors
/// What opening says, or the terminal.
pub async fn enter(
    path: PathBuf,
    opener: Opener,
    (screen, events): (&mut Screen, &mut TerminalEvents),
    (theme, glyphs): (&Theme, GlyphSet),
) -> anyhow::Result<Entered> {
    let (sender, mut news) = channel(8);
    let left = Arc::new(AtomicBool::new(false));
    let (folder, given_up) = (path.clone(), left.clone());
    // Nobody waits for it once the person left: an encoder or a disk that hangs must not keep the terminal.
    std::thread::Builder::new()
        .name("open".into())
        .spawn(move || {
            let cancelled = || given_up.load(Ordering::Relaxed);
            let tell = |news| {
                // Nobody listens any more once the person left.
                let _ = sender.blocking_send(news);
            };
            let report = |part| tell(Ok(part));
            tell(open(&opener, &folder, &Tell::new(&report, &cancelled)));
        })
        .context("cannot start the thread that opens an index")?;
    let mut entering = Entering {
        holds: Manifest::read(&path).ok().map(|manifest| holds(&manifest)),
        path: called(&path),
        ..Entering::default()
    };
    let first = Instant::now() + PATIENCE;
    let mut drawn = false;
    loop {
        tokio::select! {
            news = news.recv() => match news {
                Some(Ok(Part::At(far))) => entering.far = Some(far),
                Some(Ok(Part::Done(_, opened))) => return Ok(Entered::Open(opened, entering.typed)),
                Some(Err(said)) => return Err(anyhow!(said)),
                None => return Err(anyhow!("{}: not opened", called(&path))),
            },
            event = events.next() => match event {
                TerminalEvent::Suspend => screen.suspend()?,
                TerminalEvent::Continue => screen.resume()?,
                event => if let Some(code) = entering.hear(event) {
                    left.store(true, Ordering::Relaxed);
                    return Ok(Entered::Left(code));
                }
            },
            () = sleep_until(first), if !drawn => {}
        }
        if Instant::now() >= first {
            screen.draw(|frame| entering.draw(frame.area(), frame.buffer_mut(), theme, glyphs))?;
            drawn = true;
        }
    }
}

fn holds(manifest: &Manifest) -> String {
    let bytes: u64 = manifest.files.iter().map(|file| file.bytes).sum();
    let layers: Vec<&str> = manifest.layers.iter().map(|layer| &*layer.name).collect();
    let layers = match layers.is_empty() {
        true => String::new(),
        false => format!(", layers {}", layers.join(", ")),
    };
    format!(
        "{}, {}, {}{layers}, {} MB",
        text::plural(manifest.passages, "passage"),
        text::plural(manifest.entities, "name"),
        text::plural(manifest.questions, "question"),
        text::count((bytes as f64 / 1e6).ceil() as usize)
    )
}

/// Any other key waits for the explorer.
fn leaves(key: KeyEvent) -> bool {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    key.code == KeyCode::Esc || key.code == KeyCode::Char('c') && control
}

impl Entering {
    /// The exit code, where the person leaves.
    fn hear(&mut self, event: TerminalEvent) -> Option<u8> {
        match event {
            TerminalEvent::Key(key) if leaves(key) => return Some(0),
            TerminalEvent::Quit(reason) => return Some(reason.exit_code()),
            TerminalEvent::Key(_) | TerminalEvent::Paste(_) if self.typed.len() < KEPT => {
                self.typed.push(event);
            }
            // There is nothing to point at.
            _ => {}
        }
        None
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, theme: &Theme, glyphs: GlyphSet) {
        let ground = theme
            .style(Scope::Background)
            .patch(theme.style(Scope::Text));
        buf.set_style(area, ground);
        let width = usize::from(area.width.saturating_sub(2).min(WIDTH));
        let wrapped = |words: &str, scope| {
            let lines = text::wrap(words, width.max(1)).into_iter();
            lines
                .map(|part| (span::of(words, part).to_owned(), scope))
                .collect::<Vec<_>>()
        };
        let mut lines = wrapped(&text::clean(&self.path), Scope::Title);
        lines.extend(
            self.holds
                .iter()
                .flat_map(|said| wrapped(&text::clean(said), Scope::Text)),
        );
        let part = self.far.as_ref().map_or(0.0, |far| far.part);
        let done = self.far.as_ref().map_or("opening", |far| &far.done);
        lines.push((String::new(), Scope::Text));
        lines.push((glyphs::bar(part, width, glyphs.glyphs()), Scope::Bar));
        lines.push((done.to_owned(), Scope::Value));
        lines.extend(wrapped(
            "Keys wait until it is open. Esc leaves.",
            Scope::Muted,
        ));
        let height = usize::from(area.height);
        let top = area.y + (height.saturating_sub(lines.len()) / 2) as u16;
        let left = area.x + (usize::from(area.width).saturating_sub(width) / 2) as u16;
        for (y, (line, scope)) in (top..).zip(lines.iter().take(height)) {
            buf.set_stringn(left, y, line, width, theme.style(*scope));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explorer::terminal::QuitReason;
    use crate::explorer::theme::ColorLevel;

    fn key(code: KeyCode, modifiers: KeyModifiers) -> TerminalEvent {
        TerminalEvent::Key(KeyEvent::new(code, modifiers))
    }

    #[test]
    fn what_is_typed_waits_and_some_keys_leave() {
        let mut entering = Entering::default();
        let typed = [
            key(KeyCode::Char('i'), KeyModifiers::NONE),
            TerminalEvent::Paste("Who discovered Uranus?".into()),
            key(KeyCode::Enter, KeyModifiers::NONE),
        ];
        for event in &typed {
            assert_eq!(entering.hear(event.clone()), None);
        }
        let (columns, rows) = (80, 24);
        assert_eq!(entering.hear(TerminalEvent::Resize { columns, rows }), None);
        assert_eq!(entering.typed, typed);
        let leaving = [
            (key(KeyCode::Esc, KeyModifiers::NONE), 0),
            (key(KeyCode::Char('c'), KeyModifiers::CONTROL), 0),
            (TerminalEvent::Quit(QuitReason::HangUp), 129),
        ];
        for (event, code) in leaving {
            assert_eq!(entering.hear(event), Some(code));
        }
        for _ in 0..2 * KEPT {
            entering.hear(key(KeyCode::Char('x'), KeyModifiers::NONE));
        }
        assert_eq!(entering.typed.len(), KEPT);
    }

    #[test]
    fn it_says_what_is_opened_and_how_far_it_is_in_any_size() {
        let theme = Theme::load("default-dark", ColorLevel::True).unwrap();
        let entering = Entering {
            path: "indexes/wiki".into(),
            holds: Some("1,000,000 passages, 4,812,334 names, 12 questions, 3,613 MB".into()),
            far: Some(Far {
                done: "checking its files, 33 %".into(),
                part: 0.33,
            }),
            ..Entering::default()
        };
        for (width, height) in [(0, 0), (1, 1), (7, 3), (30, 9), (80, 24), (300, 90)] {
            let area = Rect::new(0, 0, width, height);
            let mut buf = Buffer::empty(area);
            entering.draw(area, &mut buf, &theme, GlyphSet::Ascii);
            let text: String = buf.content().iter().map(|cell| cell.symbol()).collect();
            for said in ["indexes/wiki", "1,000,000 passages", "33 %", "Esc leaves"] {
                assert!(
                    width < 30 || text.contains(said),
                    "{width}x{height}: {text}"
                );
            }
        }
    }
}
