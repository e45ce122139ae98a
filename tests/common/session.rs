//! The real binary in a pseudo-terminal.
#![cfg(unix)]

use portable_pty::{CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// How long the program may take for anything.
pub const PATIENCE: Duration = Duration::from_secs(20);
/// How long for a key that may change nothing.
const ALONE: Duration = Duration::from_secs(1);
/// How long for what was written to be read.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Rows and columns that the emulator has at least: in one row a line that runs over its end, as one drawn for the size
/// before does, makes it panic, and in one column a wide character does. The program is told the true size.
const LEAST: u16 = 2;

/// What begins and ends a frame, but for its last letter.
const FRAME: &[u8] = b"\x1b[?2026";

/// The program, the screen it drew, and all bytes it wrote.
pub struct Session {
    pub id: u32,
    pub master: Box<dyn MasterPty + Send>,
    pub writer: Box<dyn Write + Send>,
    /// What a thread reads and another waits for, and what wakes those who wait for either.
    seen: Arc<(Mutex<Seen>, Condvar)>,
    pub home: tempfile::TempDir,
}

struct Seen {
    screen: vt100::Parser,
    bytes: Vec<u8>,
    last: Instant,
    /// A frame was begun and not ended.
    drawing: bool,
    /// Nothing more will be written.
    over: bool,
    /// What it ended with.
    code: Option<u32>,
}

impl Seen {
    fn take(&mut self, read: &[u8]) {
        // The terminal of the test, not what is tested, stumbles over half of a wide character at an edge that
        // moved: what is painted next begins on an empty one.
        let size = self.screen.screen().size();
        let taken = AssertUnwindSafe(|| self.screen.process(read));
        if catch_unwind(taken).is_err() {
            self.screen = vt100::Parser::new(size.0, size.1, 0);
        }
        let from = self.bytes.len().saturating_sub(FRAME.len());
        self.bytes.extend_from_slice(read);
        let new = &self.bytes[from..];
        if let Some(at) = new.windows(FRAME.len()).rposition(|part| part == FRAME) {
            self.drawing = new.get(at + FRAME.len()) != Some(&b'l');
        }
        self.last = Instant::now();
    }

    /// What is not as it was before the terminal was taken so many times; nothing where all is.
    fn left_behind(&self, times: usize) -> String {
        let count = |code: String| {
            let all = self.bytes.windows(code.len());
            all.filter(|part| *part == code.as_bytes()).count()
        };
        for mode in ["1049", "2004", "1000", "1002", "1006"] {
            let [on, off] = ["h", "l"].map(|set| count(format!("\u{1b}[?{mode}{set}")));
            if on < times || (times == 1 && on > 1) || off != on {
                return format!("mode {mode}: on {on} times, off {off} times");
            }
        }
        match self.screen.screen().hide_cursor() {
            true => "the cursor is hidden".into(),
            false => String::new(),
        }
    }
}

impl Session {
    pub fn start(rows: u16, cols: u16, arguments: &[&str]) -> Session {
        Session::under(&[], rows, cols, arguments)
    }

    /// The same, started by another program: its arguments, then the explorer and the explorer's.
    pub fn under(by: &[&str], rows: u16, cols: u16, arguments: &[&str]) -> Session {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("config")).unwrap();
        let config = home.path().join("config/config.toml");
        std::fs::write(config, "start_panel = false\n").unwrap();
        Session::spawn(home, by, rows, cols, arguments)
    }

    /// A person's next session, where what the one before kept is found again.
    pub fn start_in(home: tempfile::TempDir, rows: u16, cols: u16, arguments: &[&str]) -> Session {
        Session::spawn(home, &[], rows, cols, arguments)
    }

    fn spawn(
        home: tempfile::TempDir,
        by: &[&str],
        rows: u16,
        cols: u16,
        arguments: &[&str],
    ) -> Session {
        let size = PtySize {
            rows,
            cols,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let all = [by, &[env!("CARGO_BIN_EXE_hopscope")], arguments].concat();
        let mut command = CommandBuilder::new(all[0]);
        command.args(&all[1..]);
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        command.env("LANG", "C.UTF-8");
        command.env("HOPSCOPE_HOME", home.path());
        command.env_remove("DISPLAY");
        command.env_remove("WAYLAND_DISPLAY");
        let mut child = pair.slave.spawn_command(command).unwrap();
        let id = child.process_id().unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let writer = pair.master.take_writer().unwrap();
        let seen = Seen {
            screen: vt100::Parser::new(rows, cols, 0),
            bytes: Vec::new(),
            last: Instant::now(),
            drawing: false,
            over: false,
            code: None,
        };
        let seen = Arc::new((Mutex::new(seen), Condvar::new()));
        let news = |seen: &(Mutex<Seen>, Condvar), take: &dyn Fn(&mut Seen)| {
            take(&mut seen.0.lock().unwrap());
            seen.1.notify_all();
        };
        let sink = Arc::clone(&seen);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                news(&sink, &|seen| seen.take(&buffer[..count]));
            }
            news(&sink, &|seen| seen.over = true);
        });
        let sink = Arc::clone(&seen);
        std::thread::spawn(move || {
            let ended = child.wait().unwrap();
            news(&sink, &|seen| seen.code = Some(ended.exit_code()));
        });
        Session {
            id,
            master: pair.master,
            writer,
            seen,
            home,
        }
    }

    pub fn screen(&self) -> String {
        self.seen.0.lock().unwrap().screen.screen().contents()
    }

    /// How many bytes it has written.
    pub fn written(&self) -> usize {
        self.seen.0.lock().unwrap().bytes.len()
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.seen.0.lock().unwrap().bytes.clone()
    }

    /// Whether it ended.
    pub fn ended(&self) -> bool {
        self.seen.0.lock().unwrap().code.is_some()
    }

    /// Waits for what holds of what was seen, and says whether it came to hold in time.
    fn until(&self, patience: Duration, mut holds: impl FnMut(&Seen) -> bool) -> bool {
        let (seen, news) = &*self.seen;
        let seen = seen.lock().unwrap();
        let waited = news.wait_timeout_while(seen, patience, |seen| !holds(seen));
        !waited.unwrap().1.timed_out()
    }

    /// Escape, when it is sent alone, is to be read alone: with what follows at once it would be another key.
    pub fn send(&mut self, keys: &str) {
        let before = self.written();
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
        if keys == "\u{1b}" {
            self.wait_for_more(before, ALONE);
        }
    }

    /// Sends a signal to all that it started, itself included.
    #[track_caller]
    pub fn signal(&self, name: &str) {
        assert!(self.signalled(name), "{name}");
    }

    fn signalled(&self, name: &str) -> bool {
        let group = format!("-{}", self.id);
        let sent = Command::new("kill")
            .args(["-s", name, "--", &group])
            .status();
        sent.is_ok_and(|status| status.success())
    }

    /// Waits for a whole frame that has a text, and gives it.
    #[track_caller]
    pub fn wait_for(&self, text: &str) -> String {
        self.wait_until(|screen| screen.contains(text), text)
    }

    /// Waits for a whole frame of which something holds, and gives it.
    #[track_caller]
    pub fn wait_until(&self, holds: impl Fn(&str) -> bool, what: &str) -> String {
        let mut screen = String::new();
        let came = self.until(PATIENCE, |seen| {
            screen = seen.screen.screen().contents();
            !seen.drawing && holds(&screen)
        });
        assert!(came, "never saw {what:?} in:\n{screen}");
        screen
    }

    /// Waits until it has written more bytes than before, and says whether it did in time.
    pub fn wait_for_more(&self, before: usize, patience: Duration) -> bool {
        self.until(patience, |seen| seen.bytes.len() > before)
    }

    /// Waits until it wrote nothing for so long, and says whether it ever did.
    pub fn rests_for(&self, span: Duration) -> bool {
        let start = Instant::now();
        loop {
            let idle = self.seen.0.lock().unwrap().last.elapsed();
            if idle >= span || start.elapsed() > PATIENCE {
                return idle >= span;
            }
            self.wait_for_more(self.written(), span - idle);
        }
    }

    pub fn resize(&self, rows: u16, cols: u16) {
        self.seen
            .0
            .lock()
            .unwrap()
            .screen
            .screen_mut()
            .set_size(rows.max(LEAST), cols.max(LEAST));
        self.master
            .resize(PtySize {
                rows,
                cols,
                pixel_width: 0,
                pixel_height: 0,
            })
            .unwrap();
    }

    #[track_caller]
    pub fn exit_code(&self) -> u32 {
        let ended = self.until(PATIENCE, |seen| seen.code.is_some());
        assert!(ended, "still running:\n{}", self.screen());
        // What it wrote last may not have been read yet.
        self.until(LAST_WORDS, |seen| seen.over);
        self.seen.0.lock().unwrap().code.unwrap()
    }

    /// Every mode that was switched on was switched off, and the cursor is back.
    #[track_caller]
    pub fn assert_restored(&self) {
        self.assert_restored_after(1);
    }

    /// The same, of a terminal that was taken so many times at least: a job that goes on may take it twice.
    #[track_caller]
    pub fn assert_restored_after(&self, times: usize) {
        let mut wrong = String::new();
        let restored = self.until(LAST_WORDS, |seen| {
            wrong = seen.left_behind(times);
            wrong.is_empty()
        });
        assert!(restored, "{wrong}");
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if !self.ended() {
            self.signalled("KILL");
        }
    }
}
