//! The clipboard, by the ways there are: the terminal (OSC 52), a clipboard program, and a file as the last resort. The
//! way is told to the person, because a terminal may drop what it is offered without a word (tmux does by default).

use super::terminal::offer_to_clipboard;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// More than this is not offered to the terminal: several cut or ignore long OSC 52 texts.
const TERMINAL_LIMIT: usize = 70_000;
/// A clipboard program that has not taken the text by then hangs.
const PATIENCE: Duration = Duration::from_millis(500);

/// Where a text goes that no program takes.
const COPIED: &str = "copied.txt";

/// Clipboard programs, and the variable without which they cannot work.
const PROGRAMS: [(&str, &[&str], Option<&str>); 4] = [
    ("wl-copy", &[], Some("WAYLAND_DISPLAY")),
    ("xclip", &["-selection", "clipboard"], Some("DISPLAY")),
    ("xsel", &["-ib"], Some("DISPLAY")),
    ("pbcopy", &[], None),
];

/// Offers a text to the terminal's own clipboard. Must not be called while a frame is being written.
pub fn offer(text: &str) -> bool {
    text.len() <= TERMINAL_LIMIT && offer_to_clipboard(text).is_ok()
}

/// Copies a text and says which way it went; `offered` tells that the terminal was given it.
///
/// # Errors
/// In words, when no way was open.
pub fn copy(text: &str, offered: bool, folder: Option<&Path>) -> Result<String, String> {
    let mut ways = Vec::new();
    if offered {
        ways.push("through the terminal (OSC 52)".to_owned());
    }
    let program = PROGRAMS
        .iter()
        .find(|(name, arguments, variable)| is_set(variable) && pipe(name, arguments, text));
    if let Some((name, ..)) = program {
        ways.push(format!("with {name}"));
    }
    // Over ssh without a clipboard program the terminal is the only way, and it does not answer: keep a file too.
    if let Some(folder) = folder.filter(|_| program.is_none()) {
        let path = folder.join(COPIED);
        match super::store::replace(&path, text.as_bytes()) {
            Ok(()) => ways.push(format!("to {}", path.display())),
            Err(said) if ways.is_empty() => return Err(said),
            Err(_) => {}
        }
    }
    if ways.is_empty() {
        return Err(
            "this terminal has no clipboard, and no folder to write to was found".to_owned(),
        );
    }
    Ok(ways.join(" and "))
}

/// Whether what a program needs is there.
fn is_set(variable: &Option<&str>) -> bool {
    variable.is_none_or(|name| std::env::var_os(name).is_some())
}

/// The ways a text would go, in words.
pub fn ways(folder: Option<&Path>) -> String {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let there = |name: &str| std::env::split_paths(&paths).any(|path| path.join(name).is_file());
    let program = PROGRAMS
        .iter()
        .find(|(name, _, variable)| is_set(variable) && there(name));
    match (program, folder) {
        (Some((name, ..)), _) => format!("with {name}, and offered to the terminal (OSC 52)"),
        (None, Some(folder)) => {
            let file = folder.join(COPIED);
            format!(
                "offered to the terminal (OSC 52), and in {}",
                file.display()
            )
        }
        (None, None) => "offered to the terminal (OSC 52)".to_owned(),
    }
}

/// Feeds a program, and says whether it took the text.
fn pipe(name: &str, arguments: &[&str], text: &str) -> bool {
    let child = Command::new(name)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else { return false };
    let written = child
        .stdin
        .take()
        .is_some_and(|mut input| input.write_all(text.as_bytes()).is_ok());
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        match child.try_wait() {
            Ok(Some(status)) => return written && status.success(),
            Ok(None) => std::thread::sleep(Duration::from_millis(5)),
            Err(_) => return false,
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    false
}
