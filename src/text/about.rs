//! What a passage is about: its title, or by its own words where it has none: the name that its text opens with, and what
//! that is called besides.

use super::names::is_function_word;
use super::persons::born;
use super::span;
use std::borrow::Cow;
use std::ops::Range;

/// What says that a text is about a name, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// It is the title.
    Title,
    /// The text opens with it and says what it is: "X is a ...".
    Defined,
    /// The text opens with it and sets it apart.
    Opening,
    /// The opening says that this is what it is called besides: "known as X".
    Called,
}

impl Evidence {
    /// In a few words.
    pub fn said(self) -> &'static str {
        match self {
            Evidence::Title => "the title",
            Evidence::Defined => "the text says what it is",
            Evidence::Opening => "the text opens with it",
            Evidence::Called => "the text calls it so besides",
        }
    }
}

/// A name that a passage is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// As one calls it.
    pub name: String,
    /// Where the passage's full text has it, whole or in pieces.
    pub span: Range<usize>,
    /// What says so.
    pub by: Evidence,
}

/// What stands between a name and what it is, in English and in some languages beside it.
const COPULAS: &[&str] = &[
    "is", "was", "are", "were", "may", "refers", "est", "était", "ist", "è", "é", "foi", "fue",
    "är",
];
/// What follows it there.
const ARTICLES: &[&str] = &[
    "un", "une", "ein", "eine", "una", "uno", "um", "uma", "en", "ett", "le", "la", "der", "die",
    "das", "el", "il",
];
/// Words behind which another name of the same thing follows.
const CALLED: &[&str] = &["called", "nicknamed"];
/// What stands before an "as" that does the same.
const KNOWN: &[&str] = &["known", "credited", "billed", "referred", "abbreviated"];
/// Words that say when or where, and begin no name.
const PLACES: &[&str] = &[
    "in", "on", "at", "by", "from", "after", "before", "during", "while", "as", "with", "for",
    "since", "until",
];
/// Small words that are in no name.
const SPLITS: &[&str] = &[
    "is", "was", "are", "has", "had", "may", "can", "or", "who", "to",
];
/// What sets a name apart from what follows.
const APART: [char; 9] = [',', ':', ';', '(', ')', '[', ']', '\u{2013}', '\u{2014}'];
/// Shortest and longest name, in characters.
const SHORTEST: usize = 3;
const MOST: usize = 120;
/// Most words of a name.
const LONGEST: usize = 9;
/// How many words are looked through for other names.
const WORDS: usize = 60;
/// Most names that a passage is about: what it opens with in four ways, and one behind every word.
pub const MOST_ABOUT: usize = WORDS + 4;

/// A word of an opening, without the marks around it.
struct Word<'t> {
    text: &'t str,
    span: Range<usize>,
    /// In brackets.
    aside: bool,
    /// A comma, colon, semicolon or dash, a bracket or the end of a sentence follows.
    ends: bool,
    /// A full stop follows.
    stops: bool,
    /// In quotation marks that open before it or inside of which it stands.
    quoted: bool,
}

fn words(text: &str) -> Vec<Word<'_>> {
    let (mut found, mut depth, mut quoted) = (Vec::<Word<'_>>::new(), 0usize, false);
    for part in text.split_whitespace().take(WORDS) {
        let at = span::part(text, part).start;
        let mark = |c: char| !c.is_alphanumeric();
        let bare = part.trim_start_matches(mark);
        let before = span::of(part, ..part.len() - bare.len());
        for c in before.chars() {
            marked(c, &mut depth, &mut quoted);
        }
        if let (Some(last), true) = (found.last_mut(), before.contains(APART)) {
            last.ends = true;
        }
        let bare = bare.trim_end_matches(|c| mark(c) && !matches!(c, '.' | '!' | '?'));
        // A full stop belongs to an initial or an abbreviation, else it ends the sentence.
        let short = bare.strip_suffix('.');
        let text = short.filter(|w| w.chars().count() > 2 && !w.contains('.'));
        let text = text.unwrap_or(bare);
        if text.is_empty() {
            continue;
        }
        let start = at + before.len();
        let after = span::of(part, before.len() + text.len()..);
        found.push(Word {
            text,
            span: start..start + text.len(),
            aside: depth > 0,
            ends: after.contains(APART) || after.contains('.'),
            stops: after.contains('.'),
            quoted,
        });
        for c in after.chars() {
            marked(c, &mut depth, &mut quoted);
        }
    }
    found
}

/// What a mark opens or closes.
fn marked(mark: char, depth: &mut usize, quoted: &mut bool) {
    match mark {
        '(' | '[' => *depth += 1,
        ')' | ']' => *depth = depth.saturating_sub(1),
        '"' => *quoted = !*quoted,
        '\u{201c}' => *quoted = true,
        '\u{201d}' => *quoted = false,
        _ => {}
    }
}

fn capital(word: &str) -> bool {
    word.chars()
        .next()
        .is_some_and(|c| c.is_uppercase() || c.is_numeric())
}

fn article(word: &str) -> bool {
    matches!(word, "The" | "A" | "An" | "the" | "a" | "an")
}

/// What a passage is about: its title. Without one and with `subjects` what its text says, the surest first, each name once.
pub fn about(title: &str, text: &str, subjects: bool) -> Vec<About> {
    if !title.is_empty() {
        return vec![About {
            name: title.to_owned(),
            span: 0..title.len(),
            by: Evidence::Title,
        }];
    }
    let mut found: Vec<About> = Vec::new();
    if subjects {
        // What stands over a text may be about another.
        let text = span::first_line(text);
        let words = words(text);
        let opening = opening(text, &words);
        // What is called so is what the text opens with.
        let called = match opening.is_empty() {
            true => Vec::new(),
            false => called(text, &words),
        };
        for name in opening.into_iter().chain(called).take(MOST_ABOUT) {
            let known = found.iter().any(|known| known.name == name.name);
            let fits = (SHORTEST..=MOST).contains(&name.name.chars().count());
            if fits && !known {
                found.push(name);
            }
        }
    }
    found
}

/// What stands for the title of a passage: the first that it is about; nothing where that is not known.
pub fn heading<'t>(title: &'t str, text: &str, subjects: bool) -> Cow<'t, str> {
    if !title.is_empty() || !subjects {
        return title.into();
    }
    let first = about(title, text, subjects).into_iter().next();
    first.map_or("".into(), |first| first.name.into())
}

/// The name that a text opens with, and other ways to say it.
fn opening(text: &str, words: &[Word<'_>]) -> Vec<About> {
    let skip = usize::from(words.first().is_some_and(|word| article(word.text)));
    let own: Vec<&Word<'_>> = words.iter().skip(skip).filter(|w| !w.aside).collect();
    // A table has heads, and says nothing of itself.
    let Some(first) = own.first().filter(|_| !text.trim_start().starts_with('|')) else {
        return Vec::new();
    };
    let lower = first.text.to_lowercase();
    if !capital(first.text) || PLACES.contains(&&*lower) {
        return Vec::new();
    }
    // "We Move is the third album": a name may begin so, where the rest is one.
    let doubtful = skip == 0 && is_function_word(&lower) && !first.quoted;
    let Some(stop) = copula(&own) else {
        // A name that brackets set apart: "Ada Lovelace (1815 - 1852) wrote ...".
        let name = run(&own);
        let bracketed = |word: &&Word<'_>| {
            span::of(text, word.span.end..)
                .trim_start()
                .starts_with('(')
        };
        let is = !doubtful && name.last().is_some_and(bracketed);
        return Vec::from_iter(is.then(|| named(text, name, Evidence::Opening)));
    };
    let name = &own[..stop];
    if doubtful && !(stop > 1 && name.iter().all(|word| nameable(word))) {
        return Vec::new();
    }
    let mut found = Vec::new();
    // Up to the first comma or bracket, and with what follows it where that is names as well: a place in its state.
    let short = name.iter().position(|word| word.ends).unwrap_or(stop - 1);
    let (short, rest) = name.split_at(short + 1);
    match short.iter().position(|word| word.text == "or") {
        Some(or) if or > 0 && or + 1 < short.len() => {
            found.push(named(text, &short[..or], Evidence::Defined));
            found.push(named(text, &short[or + 1..], Evidence::Called));
        }
        _ => found.push(named(text, short, Evidence::Defined)),
    }
    if !rest.is_empty() && rest.iter().all(|w| nameable(w)) {
        found.push(named(text, name, Evidence::Defined));
    }
    found.extend(in_short(text, short));
    found
}

/// Where the name ends that a text opens with, if what follows says what that is: "is a", "was born", "may refer to".
fn copula(words: &[&Word<'_>]) -> Option<usize> {
    let verb = |word: &&Word<'_>| COPULAS.contains(&word.text) && !word.quoted;
    let at = words.iter().position(verb)?;
    let next = words.get(at + 1).map_or("", |word| word.text);
    let says = match words[at].text {
        "may" => next == "refer",
        "refers" => next == "to",
        // A sentence may have other verbs before it: "Ole came from Ur and was brought to Rome".
        _ => {
            article(next)
                || ARTICLES.contains(&next)
                || next == "born"
                || at > 1 && words[..at].iter().all(|word| nameable(word))
        }
    };
    (says && (1..=LONGEST).contains(&at)).then_some(at)
}

/// A person by the first and the last of several names.
fn in_short(text: &str, name: &[&Word<'_>]) -> Option<About> {
    let own = |word: &&Word<'_>| {
        capital(word.text) && !word.text.contains(char::is_numeric) && !is_roman(word.text)
    };
    if name.len() < 3 || !name.iter().all(own) || !born(text) {
        return None;
    }
    // Nobody is called Ivan Jr.
    let junior = |word: &&&Word<'_>| matches!(word.text, "Jr" | "Jr." | "Sr" | "Sr.");
    let last = name.iter().rev().find(|word| !junior(word))?;
    let first = name[0];
    Some(About {
        name: format!("{} {}", first.text, last.text),
        span: first.span.start..last.span.end,
        by: Evidence::Called,
    })
}

fn is_roman(word: &str) -> bool {
    word.chars().all(|c| matches!(c, 'I' | 'V' | 'X'))
}

/// What the opening says that it is called besides.
fn called(text: &str, words: &[Word<'_>]) -> Vec<About> {
    let mut found = Vec::new();
    let ends = words.iter().position(|word| word.stops);
    let first = &words[..ends.map_or(words.len(), |at| at + 1)];
    for (at, word) in first.iter().enumerate() {
        let mut before = first[at.saturating_sub(3)..at].iter();
        let known = word.text == "as" && before.any(|word| KNOWN.contains(&word.text));
        if !known && !CALLED.contains(&word.text) {
            continue;
        }
        let rest: Vec<&Word<'_>> = first[at + 1..].iter().collect();
        let titled = rest.first().is_some_and(|word| article(word.text));
        let name = run(&rest[usize::from(titled)..]);
        // "the Great" alone is no name.
        if name.len() > usize::from(titled) {
            found.push(named(text, name, Evidence::Called));
        }
    }
    found
}

/// The words of a name that begins here: up to a mark that sets it apart, the last of them with a capital or in quotes.
fn run<'w, 't>(words: &'w [&'w Word<'t>]) -> &'w [&'w Word<'t>] {
    let starts = words.first().is_some_and(|w| capital(w.text) || w.quoted);
    if !starts {
        return &[];
    }
    let most = words.len().min(LONGEST);
    let apart = words[..most].iter().position(|word| word.ends);
    let most = apart.map_or(most, |at| at + 1);
    let end = words[..most].iter().position(|word| !nameable(word));
    let name = &words[..end.unwrap_or(most)];
    let last = name.iter().rposition(|w| capital(w.text) || w.quoted);
    &name[..last.map_or(0, |last| last + 1)]
}

/// A word that a name may have: one with a capital, or a small one between such.
fn nameable(word: &Word<'_>) -> bool {
    let small = word.text.chars().count() <= 3 && !SPLITS.contains(&word.text);
    capital(word.text) || small || word.quoted
}

fn named(text: &str, words: &[&Word<'_>], by: Evidence) -> About {
    let span = words[0].span.start..words[words.len() - 1].span.end;
    let whole = span::of(text, span.clone());
    About {
        // What stands in brackets or quotation marks inside of it is none of it.
        name: match whole.contains(['(', '[', '"']) {
            true => {
                let words: Vec<&str> = words.iter().map(|word| word.text).collect();
                words.join(" ")
            }
            false => whole.to_owned(),
        },
        span,
        by,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<(String, Evidence)> {
        let all = about("", text, true).into_iter();
        all.map(|about| (about.name, about.by)).collect()
    }

    #[test]
    fn an_opening_says_what_the_text_is_about() {
        use Evidence::{Called, Defined, Opening};
        let is = |name: &str, by| (name.to_owned(), by);
        for (text, wanted) in [
            (
                "Ada Lovelace (1815 - 1852) was an English mathematician.",
                vec![is("Ada Lovelace", Defined)],
            ),
            (
                "The Kirkgate Line is a railway.",
                vec![is("Kirkgate Line", Defined)],
            ),
            (
                "Maria Anna Tihov (born 3 May 1961), known as Zorka, is a singer.",
                vec![
                    is("Maria Anna Tihov", Defined),
                    is("Maria Tihov", Called),
                    is("Zorka", Called),
                ],
            ),
            (
                "Hillford, Ohio, is a village.",
                vec![is("Hillford", Defined), is("Hillford, Ohio", Defined)],
            ),
            (
                "\"Cold Harbour\" is a song by Ada Lovelace.",
                vec![is("Cold Harbour", Defined)],
            ),
            (
                "Cold Harbour (1880 to 1911) stood in the north.",
                vec![is("Cold Harbour", Opening)],
            ),
            // Who did something is not what the text is about, nor are the heads of a table.
            ("Martin Klaproth, a chemist, found uranium.", vec![]),
            ("| Name | Year |\n|---|---|\n| Ur is a city | 1 |", vec![]),
            ("Rings were found in March.", vec![]),
            ("Tihov came from Ur and was brought to Rome.", vec![]),
            ("The Pregel, around an isle called Kneip, divides.", vec![]),
            (
                "Kirkgate or Kirk Gate may refer to:",
                vec![is("Kirkgate", Defined), is("Kirk Gate", Called)],
            ),
            (
                "Two Boats and a Gull is a film.",
                vec![is("Two Boats and a Gull", Defined)],
            ),
            (
                "Ivan Boris Tihov Jr. (born 1941) is a painter.",
                vec![
                    is("Ivan Boris Tihov Jr.", Defined),
                    is("Ivan Tihov", Called),
                ],
            ),
            // 2WikiMultiHopQA sets its brackets so.
            (
                "Ivan Tihov( born 1941 in Ur)( ) is a painter.",
                vec![is("Ivan Tihov", Defined)],
            ),
            (
                "Pierre Tihov (1859 - 1906) est un physicien.",
                vec![is("Pierre Tihov", Defined)],
            ),
            ("Der Rhein ist ein Fluss.", vec![is("Der Rhein", Defined)]),
            // A line over the text may be of another thing.
            ("Contents\nAda Lovelace is a writer.", vec![]),
            ("\n Ur is a city.\nUruk is a city.", vec![]),
            ("\n Uruk is a city.", vec![is("Uruk", Defined)]),
            // An anaphor, a time and a common noun are no names.
            ("It was opened by Queen Anne in 1911.", vec![]),
            ("In 1911, Queen Anne was crowned.", vec![]),
            ("The climate is cold.", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(of(text), wanted, "{text}");
        }
    }
}
