//! The title gazetteer: passage titles as names. Finds what no rule about capitals can: "the war of the worlds".

use super::forms::{LETTERS, letter_runs};
use super::language::pairs;
use super::mentions::{Mention, Norm};
use super::words::is_word;
use super::{Language, span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Longer titles are found by their first words only when a rule finds the rest.
const LONGEST: usize = 8;
/// Shorter titles, in characters of the normal form, are no names: "It", "Go".
const LEAST: usize = 3;

/// Titles by their words, for one pass over a text.
#[derive(Default)]
pub struct Gazetteer {
    /// Normal forms.
    titles: FxHashSet<String>,
    /// The most words of any title that begins with this word.
    first: FxHashMap<String, u8>,
    /// Letters that a title begins with, in a language that puts no space between words.
    letters: FxHashSet<char>,
    language: Language,
}

/// A title without any "(...)", in normal form: what one calls the thing.
pub fn base_title(title: &str) -> String {
    let mut bare = String::with_capacity(title.len());
    let mut depth = 0usize;
    for c in title.chars() {
        match c {
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            _ if depth == 0 => bare.push(c),
            _ => {}
        }
    }
    let form = Norm::Simple.apply(&bare);
    if form.is_empty() {
        Norm::Simple.apply(title)
    } else {
        form
    }
}

impl Gazetteer {
    pub fn new<'t>(language: Language, titles: impl Iterator<Item = &'t str>) -> Gazetteer {
        let mut gazetteer = Gazetteer {
            language,
            ..Gazetteer::default()
        };
        for title in titles {
            gazetteer.add(base_title(title));
            gazetteer.add(Norm::Simple.apply(title));
        }
        gazetteer
    }

    fn add(&mut self, form: String) {
        if !names(self.language, &form) {
            return;
        }
        if self.language.has_bigrams() {
            self.letters.extend(form.chars().next());
        }
        let words = form.split(' ').count();
        let Some(first) = form.split(' ').next().filter(|_| words <= LONGEST) else {
            return;
        };
        match self.first.get_mut(first) {
            Some(most) => *most = (*most).max(words as u8),
            None => {
                self.first.insert(first.to_owned(), words as u8);
            }
        }
        self.titles.insert(form);
    }

    /// Titles in a passage: they begin with a capital or a digit.
    pub fn mentions(&self, text: &str) -> Vec<Mention> {
        let known = |form: &str| self.titles.contains(form);
        let longest = |word: &str| self.first.get(word).map_or(0, |n| usize::from(*n));
        let letters = |run: &str| {
            let begins = run.chars().next();
            begins.is_some_and(|first| self.letters.contains(&first)) && known(run)
        };
        let by_words = longest_matches(self.language, text, false, longest, known);
        with_letters(self.language, text, by_words, letters)
    }
}

/// Titles in a question, whatever their case. `known` tells whether a normal form is a title.
pub fn in_question(language: Language, text: &str, known: impl Fn(&str) -> bool) -> Vec<Mention> {
    let by_words = longest_matches(language, text, true, |_| LONGEST, &known);
    with_letters(language, text, by_words, known)
}

/// Whether a normal form may stand for a title in running text.
fn names(language: Language, form: &str) -> bool {
    // A name of two Han letters is a whole one.
    let least = match form.chars().all(pairs) && language.has_bigrams() {
        true => *LETTERS.start(),
        false => LEAST,
    };
    form.chars().count() >= least && !language.is_function_word(form)
}

/// Adds the titles inside words of a language that puts no space between words, or joins particles to them.
fn with_letters(
    language: Language,
    text: &str,
    mut found: Vec<Mention>,
    known: impl Fn(&str) -> bool,
) -> Vec<Mention> {
    if !language.has_bigrams() {
        return found;
    }
    let taken = found.len();
    for word in words(text) {
        let inside = |m: &Mention| m.span.start < word.end && word.start < m.span.end;
        let own = span::of(text, word.clone());
        if !own.chars().any(pairs) || found[..taken].iter().any(inside) {
            continue;
        }
        let whole = |run: &str| run.chars().all(pairs) && known(run);
        found.extend(
            letter_runs(language, own, whole)
                .into_iter()
                .map(|run| Mention {
                    span: span::shift(&run, word.start),
                    opener: false,
                }),
        );
    }
    found.sort_by_key(|mention| mention.span.start);
    found
}

/// Longest matches from left to right, at word boundaries, never overlapping.
fn longest_matches(
    language: Language,
    text: &str,
    any_case: bool,
    longest: impl Fn(&str) -> usize,
    known: impl Fn(&str) -> bool,
) -> Vec<Mention> {
    let words = words(text);
    let lower: Vec<String> = words
        .iter()
        .map(|w| Norm::Simple.apply(span::of(text, w.clone())))
        .collect();
    let mut found = Vec::new();
    let mut form = String::new();
    let mut at = 0;
    while at < words.len() {
        let opening = span::of(text, words[at].clone()).chars().next();
        let starts = any_case || opening.is_some_and(|c| c.is_uppercase() || c.is_numeric());
        let most = if starts { longest(&lower[at]) } else { 0 };
        let hit = (1..=most.min(words.len() - at)).rev().find(|&n| {
            form.clear();
            for word in &lower[at..at + n] {
                if !form.is_empty() {
                    form.push(' ');
                }
                form.push_str(word);
            }
            // One word alone must be able to name: neither "the" nor "1984" does.
            let lone = n == 1 && (opening.is_some_and(char::is_numeric) || !names(language, &form));
            !lone && known(&form)
        });
        if let Some(n) = hit {
            found.push(Mention {
                span: words[at].start..words[at + n - 1].end,
                opener: false,
            });
        }
        at += hit.unwrap_or(1);
    }
    found
}

/// Runs of letters, digits and `_`.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        match (is_word(c), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                found.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    found.extend(start.map(|from| from..text.len()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gazetteer() -> Gazetteer {
        let titles = [
            "War",
            "War of the Worlds",
            "It",
            "Mercury (planet)",
            "1984",
            "House of Cards (film)",
        ];
        Gazetteer::new(Language::English, titles.into_iter())
    }

    fn found<'t>(text: &'t str, mentions: &[Mention]) -> Vec<&'t str> {
        mentions.iter().map(|m| &text[m.span.clone()]).collect()
    }

    #[test]
    fn the_longest_title_wins_and_needs_a_capital_in_a_passage() {
        let text =
            "War of the Worlds is about war. Prewar Mercury; War. It was 1984. house of cards";
        let mentions = gazetteer().mentions(text);
        assert_eq!(
            found(text, &mentions),
            ["War of the Worlds", "Mercury", "War"]
        );
    }

    #[test]
    fn a_question_may_write_titles_in_any_case() {
        let gazetteer = gazetteer();
        let text = "who directed house of cards, and did it win the war of the world?";
        let mentions = in_question(Language::English, text, |form| {
            gazetteer.titles.contains(form)
        });
        assert_eq!(found(text, &mentions), ["house of cards", "war"]);
    }

    #[test]
    fn parentheses_are_no_part_of_the_name() {
        assert_eq!(base_title("Kepler (space) telescope"), "kepler telescope");
        assert_eq!(base_title("(What)"), "what");
    }

    #[test]
    fn titles_are_found_inside_words_of_languages_without_spaces() {
        let titles = ["毕昇", "梦溪笔谈", "活字"];
        let text = "《梦溪笔谈》记载了毕昇发明的活字印刷术";
        let gazetteer = Gazetteer::new(Language::Chinese, titles.into_iter());
        assert_eq!(
            found(text, &gazetteer.mentions(text)),
            ["梦溪笔谈", "毕昇", "活字"]
        );
        let asked = in_question(Language::Chinese, text, |form| form == "毕昇");
        assert_eq!(found(text, &asked), ["毕昇"]);
        // Under English the whole run is one word.
        let gazetteer = Gazetteer::new(Language::English, titles.into_iter());
        assert!(gazetteer.mentions(text).is_empty());
    }
}
