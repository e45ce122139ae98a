//! What several tests share.
#![allow(dead_code)]

pub mod anything;
pub mod hostile;
pub mod session;
pub mod tally;

use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A folder of the data beside the repository (or in HOPSCOPE_SHARED), which belongs to others and is not part of the
/// project. A test that needs it is `#[ignore = "needs the data in ../shared"]`.
pub fn shared(part: &str) -> PathBuf {
    let root = std::env::var_os("HOPSCOPE_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let path = root.join(part);
    assert!(path.exists(), "{} is not here", path.display());
    path
}

/// Waits for what nobody tells of, a file or the state of a process, by looking again and again; whether it came in time.
pub fn within(patience: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    loop {
        let came = holds();
        if came || start.elapsed() > patience {
            return came;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// What rules of language look at, in scripts and spellings that other rules were not written for.
pub const PIECES: &[&str] = &[
    // Words that open, join and end names and clauses.
    "The",
    "the",
    "of the",
    "of",
    "and",
    "New ",
    "Great ",
    "First ",
    " I",
    "It",
    "She",
    "His",
    "who",
    "was born in",
    "founded",
    "is a",
    "designed by",
    "to",
    "Dr.",
    "St.",
    "J.R.R.",
    "U.S",
    "D.C.",
    "No.",
    "Bank",
    "University",
    "King",
    "Mara Voss",
    "Hull",
    "NASA",
    "World War I",
    // Letters of more than one byte, and such that change their length in lower case or when composed.
    "Houphouët-Boigny",
    "Félix",
    "Émile Zola",
    "née",
    "İstanbul",
    "İ",
    "Straße",
    "ẞ",
    "ŉ",
    "ﬁne",
    "ǅ",
    "Σίσυφος",
    "ΟΔΟΣ",
    "\u{212a}elvin",
    "e\u{301}t",
    "Z\u{35c}\u{301}\u{323}",
    "\u{301}",
    "Qur’ān",
    "Пётр Великий",
    "東京大学",
    "ﷺ",
    "مرحبا",
    "ไทย",
    "\u{1d504}\u{1d505}",
    "👩‍👩‍👧‍👦",
    "🤦🏼‍♂️",
    "²",
    "Ⅳ",
    "½",
    "٣",
    // Possessives, contractions, quotes, in both forms.
    "'s",
    "’s",
    "it's",
    "won’t",
    "players'",
    "O’Brien",
    "'",
    "’",
    "\"",
    "“",
    "”",
    "«",
    // Numbers and dates.
    "1921",
    "3 May 1921",
    "1,200",
    "3.5%",
    "1890s",
    "19th century",
    "–",
    // Marks, also where tables and markup begin.
    ".",
    "!",
    "?",
    "…",
    "。",
    ",",
    ", ",
    ";",
    ":",
    "(",
    ")",
    "(born",
    "[",
    "&",
    "&amp;",
    "&#x130;",
    "<table>",
    "<td>é",
    "</table>",
    "<",
    "| a | b |\n|---|---|\n| é | ï |",
    "a, b\nç, d\ne, f",
    "```",
    "#",
    "\u{0}",
    "\u{1b}[31m",
    "\u{200b}",
    "\u{202e}",
    "\u{feff}",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    "\u{a0}",
    "\u{2028}",
];
