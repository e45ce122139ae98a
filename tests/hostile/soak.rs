//! Random keys, clicks, pastes and sizes in the real binary over an index with layers: it never panics, gives the terminal
//! back, opens no more files than before, keeps its memory, and rests where nothing is to be done.
//!
//! ```sh
//! HOPSCOPE_SOAK=3600 HOPSCOPE_SOAK_INDEX=FOLDER cargo test --release --test hostile soak -- --nocapture
//! ```
//!
//! goes on for so many seconds, over that index, and prints a line a minute.
#![cfg(target_os = "linux")]

use crate::common::session::Session;
use hopscope::random::SplitMix;
use std::fs;
use std::io::Write;
use std::time::{Duration, Instant};

/// What a person could press in any order, but for what leaves.
const KEYS: &[&str] = &[
    "j", "k", "j", "k", "h", "l", "H", "L", "g", "G", "z", "Z", "0", "+", "-", "m", "i", "/", "v",
    "w", "r", "]", "[", "n", "N", "s", "d", "a", "A", "t", "b", "1", "2", "3", "4", "5", "6", "P",
    "X", "D", "x", "u", "e", "E", "y", "C", "p", "f", "F", "c", "o", ".", ",", "{", "}", "'", "@",
    "#", "?", "\r", "\r", "\t", "\t", "\x1b", "\x1b", "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D",
    "\x1b[5~", "\x1b[6~", "\x1b[Z", "\x7f", "\x12", "\x15",
];

/// What is typed or pasted where something can be.
const WORDS: &[&str] = &[
    "Who discovered Uranus?",
    "noderag",
    "sage",
    "alpha",
    "0.3",
    "\u{202e}\u{301}İ 東京 👩‍👧",
    "mute",
    "\x1b[200~Where was the discoverer\nof \x07 Uranus born?\x1b[201~",
];

struct Used {
    /// Kilobytes that are in memory and no mapped file's.
    memory: u64,
    files: usize,
    /// Hundredths of a second on any core.
    ticks: u64,
}

impl Used {
    fn of(session: &Session) -> Option<Used> {
        let at = format!("/proc/{}", session.id);
        let status = fs::read_to_string(format!("{at}/status")).ok()?;
        let line = status.lines().find(|line| line.starts_with("RssAnon:"))?;
        let stat = fs::read_to_string(format!("{at}/stat")).ok()?;
        let (_, fields) = stat.rsplit_once(") ")?;
        let fields: Vec<&str> = fields.split(' ').collect();
        Some(Used {
            memory: line.split_whitespace().nth(1)?.parse().ok()?,
            files: fs::read_dir(format!("{at}/fd")).ok()?.count(),
            ticks: fields[11].parse::<u64>().ok()? + fields[12].parse::<u64>().ok()?,
        })
    }
}

/// Whether it still explores this index: a lesson or a list of those opened before may have led to another.
fn explores(session: &Session, index: &str) -> bool {
    fs::read_to_string(format!("/proc/{}/maps", session.id)).is_ok_and(|maps| maps.contains(index))
}

/// The threads that did something within a second.
fn busy(session: &Session) -> Vec<String> {
    let tasks = || {
        let at = format!("/proc/{}/task", session.id);
        let tasks = fs::read_dir(at).unwrap().map(|task| task.unwrap().path());
        let read = |at: std::path::PathBuf| Some((fs::read_to_string(at.join("stat")).ok()?, at));
        tasks.filter_map(read).collect::<Vec<_>>()
    };
    let before = tasks();
    // The span that is measured.
    std::thread::sleep(Duration::from_secs(1));
    let busy = tasks().into_iter().filter(|task| !before.contains(task));
    busy.map(|(_, at)| fs::read_to_string(at.join("comm")).unwrap_or_default())
        .collect()
}

/// Presses, clicks, pastes or resizes something.
fn act(session: &mut Session, random: &mut SplitMix) {
    let keys = match random.below(40) {
        0 => WORDS[random.below(WORDS.len())].to_owned(),
        1..4 => {
            let (button, x, y) = (
                [0, 32, 64, 65][random.below(4)],
                random.below(170),
                random.below(50),
            );
            format!(
                "\x1b[<{button};{};{}M\x1b[<{button};{};{}m",
                x + 1,
                y + 1,
                x + 1,
                y + 1
            )
        }
        4 if random.below(10) == 0 => {
            let (rows, columns) = (1 + random.below(60), 1 + random.below(200));
            session.resize(rows as u16, columns as u16);
            return;
        }
        _ => KEYS[random.below(KEYS.len())].to_owned(),
    };
    // It may have been left by a command that was found in the palette.
    let _ = session.writer.write_all(keys.as_bytes());
}

/// From a key to the first bytes of what it shows.
fn latency(session: &mut Session) -> Option<Duration> {
    session.rests_for(Duration::from_millis(150));
    let (before, sent) = (session.written(), Instant::now());
    session.writer.write_all(b"\t").ok()?;
    let shown = session.wait_for_more(before, Duration::from_secs(5));
    shown.then(|| sent.elapsed())
}

#[test]
fn an_explorer_that_is_used_for_long() {
    let home = tempfile::tempdir().unwrap();
    let index = match std::env::var("HOPSCOPE_SOAK_INDEX") {
        Ok(index) => index,
        Err(_) => {
            let folder = home.path().join("index").to_string_lossy().into_owned();
            let made = std::process::Command::new(env!("CARGO_BIN_EXE_hopscope"))
                .args(["index", "sample-corpus", "--out", &folder])
                .args(["--with", "sage,noderag,e2graphrag"])
                .output();
            assert!(made.unwrap().status.success());
            folder
        }
    };
    let seconds = std::env::var("HOPSCOPE_SOAK")
        .ok()
        .and_then(|s| s.parse().ok());
    let whole = Duration::from_secs(seconds.unwrap_or(12));
    let begun = Instant::now();
    let mut random = SplitMix::new(4);
    let (mut sessions, mut actions) = (0, 0);
    while begun.elapsed() < whole {
        sessions += 1;
        let question = ["--question", "Who discovered Uranus?"];
        let mut session = Session::start(48, 160, &[&[&*index], &question[..]].concat());
        session.wait_for("Passages:");
        let mut early: Option<Used> = None;
        let mut told = Instant::now();
        let started = Instant::now();
        while begun.elapsed() < whole && !session.ended() {
            for _ in 0..1 + random.below(20) {
                act(&mut session, &mut random);
                actions += 1;
            }
            // The trial: as fast as a person, or faster.
            std::thread::sleep(Duration::from_millis(10 + random.below(60) as u64));
            // Every thread and every layer that one session asks for is there after a while.
            if early.is_none() && started.elapsed() > whole / 3 {
                early = Used::of(&session);
            }
            if told.elapsed() > Duration::from_secs(60)
                && let (Some(used), Some(latency)) = (Used::of(&session), latency(&mut session))
            {
                told = Instant::now();
                println!(
                    "{:.0} s: {actions} inputs, {} MB, {} files, {} ms to the first bytes after a key",
                    begun.elapsed().as_secs_f64(),
                    used.memory / 1000,
                    used.files,
                    latency.as_millis()
                );
                if !explores(&session, &index) {
                    break;
                }
            }
        }
        let screen = session.screen();
        if session.ended() {
            assert_eq!(session.exit_code(), 0, "{screen}");
            session.assert_restored();
            continue;
        }
        session.resize(48, 160);
        for _ in 0..6 {
            session.send("\x1b");
        }
        let late = Used::of(&session).unwrap();
        if let Some(early) = early {
            assert!(
                late.files <= early.files + 2,
                "{} files, {} before",
                late.files,
                early.files
            );
            println!(
                "memory {} to {} MB",
                early.memory / 1000,
                late.memory / 1000
            );
        }
        // What was begun ends, a walk that plays has an end, and then nothing is done.
        let idle = |session: &Session| {
            let before = Used::of(session).unwrap().ticks;
            // The span that is measured.
            std::thread::sleep(Duration::from_secs(1));
            Used::of(session).unwrap().ticks - before
        };
        let rests = (0..120).any(|_| idle(&session) <= 1);
        assert!(
            rests,
            "never rests: {:?}\n{}",
            busy(&session),
            session.screen()
        );
        // Labels that are not saved are asked about once.
        session.send("qq");
        assert_eq!(session.exit_code(), 0);
        session.assert_restored();
    }
    println!("{actions} inputs in {sessions} sessions");
}
