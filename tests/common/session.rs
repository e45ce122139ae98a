//! The real binary in a pseudo-terminal.
#![cfg(unix)]

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long the program may take for anything.
pub const PATIENCE: Duration = Duration::from_secs(20);
/// How long for a key that may change nothing.
const ALONE: Duration = Duration::from_secs(1);

/// Rows and columns that the emulator has at least: in one row a line that runs over its end, as one drawn for the size
/// before does, makes it panic, and in one column a wide character does. The program is told the true size.
const LEAST: u16 = 2;

/// The program, the screen it drew, and all bytes it wrote.
pub struct Session {
    pub child: Box<dyn Child + Send + Sync>,
    pub master: Box<dyn MasterPty + Send>,
    pub writer: Box<dyn Write + Send>,
    pub seen: Arc<Mutex<Seen>>,
    pub home: tempfile::TempDir,
}

pub struct Seen {
    pub screen: vt100::Parser,
    pub bytes: Vec<u8>,
    pub last: Instant,
    /// Nothing more will be written.
    pub over: bool,
}

impl Session {
    pub fn start(rows: u16, cols: u16, arguments: &[&str]) -> Session {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("config")).unwrap();
        let config = home.path().join("config/config.toml");
        std::fs::write(config, "start_panel = false\n").unwrap();
        Session::start_in(home, rows, cols, arguments)
    }

    /// A person's next session, where what the one before kept is found again.
    pub fn start_in(home: tempfile::TempDir, rows: u16, cols: u16, arguments: &[&str]) -> Session {
        let size = PtySize {
            rows,
            cols,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_hopscope"));
        command.args(arguments);
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        command.env("LANG", "C.UTF-8");
        command.env("HOPSCOPE_HOME", home.path());
        command.env_remove("DISPLAY");
        command.env_remove("WAYLAND_DISPLAY");
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let writer = pair.master.take_writer().unwrap();
        let seen = Arc::new(Mutex::new(Seen {
            screen: vt100::Parser::new(rows, cols, 0),
            bytes: Vec::new(),
            last: Instant::now(),
            over: false,
        }));
        let sink = Arc::clone(&seen);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                let mut seen = sink.lock().unwrap();
                // The terminal of the test, not what is tested, stumbles over half of a wide character at an edge that
                // moved: what is painted next begins on an empty one.
                let size = seen.screen.screen().size();
                let taken = AssertUnwindSafe(|| seen.screen.process(&buffer[..count]));
                if catch_unwind(taken).is_err() {
                    seen.screen = vt100::Parser::new(size.0, size.1, 0);
                }
                seen.bytes.extend_from_slice(&buffer[..count]);
                seen.last = Instant::now();
            }
            sink.lock().unwrap().over = true;
        });
        Session {
            child,
            master: pair.master,
            writer,
            seen,
            home,
        }
    }

    pub fn screen(&self) -> String {
        self.seen.lock().unwrap().screen.screen().contents()
    }

    /// How many bytes it has written.
    pub fn written(&self) -> usize {
        self.seen.lock().unwrap().bytes.len()
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.seen.lock().unwrap().bytes.clone()
    }

    /// Escape, when it is sent alone, is to be read alone: with what follows at once it would be another key.
    pub fn send(&mut self, keys: &str) {
        let (before, sent) = (self.written(), Instant::now());
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
        while keys == "\u{1b}" && self.written() == before && sent.elapsed() < ALONE {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until the screen has a text.
    #[track_caller]
    pub fn wait_for(&self, text: &str) {
        let start = Instant::now();
        while !self.screen().contains(text) {
            assert!(
                start.elapsed() < PATIENCE,
                "never saw {text:?} in:\n{}",
                self.screen()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until nothing was written for a while.
    pub fn settle(&self) {
        while self.seen.lock().unwrap().last.elapsed() < Duration::from_millis(150) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub fn resize(&self, rows: u16, cols: u16) {
        self.seen
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
    pub fn exit_code(&mut self) -> u32 {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                // What it wrote last may not have been read yet.
                let ended = Instant::now();
                while !self.seen.lock().unwrap().over && ended.elapsed() < Duration::from_secs(5) {
                    std::thread::sleep(Duration::from_millis(10));
                }
                return status.exit_code();
            }
            assert!(
                start.elapsed() < PATIENCE,
                "still running:\n{}",
                self.screen()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Every mode that was switched on was switched off, and the cursor is back.
    #[track_caller]
    pub fn assert_restored(&self) {
        self.assert_restored_after(1);
    }

    /// The same, of a terminal that was taken so many times at least: a job that goes on may take it twice.
    #[track_caller]
    pub fn assert_restored_after(&self, times: usize) {
        let bytes = self.bytes();
        let count = |code: &str| {
            bytes
                .windows(code.len())
                .filter(|part| *part == code.as_bytes())
                .count()
        };
        for mode in ["1049", "2004", "1000", "1002", "1006"] {
            let on = count(&format!("\u{1b}[?{mode}h"));
            let off = count(&format!("\u{1b}[?{mode}l"));
            assert!(
                on >= times && (times > 1 || on == 1) && off == on,
                "mode {mode}: on {on} times, off {off} times"
            );
        }
        assert!(
            !self.seen.lock().unwrap().screen.screen().hide_cursor(),
            "the cursor is shown again"
        );
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}
