//! The title gazetteer: passage titles as names. Finds what no rule about capitals can: "the war of the worlds".

use super::mentions::{Mention, Norm};
use super::names::is_function_word;
use super::span;
use super::words::is_word;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Longer titles are found by their first words only when a rule finds the rest.
const LONGEST: usize = 8;
/// Shorter titles, in characters of the normal form, are no names: "It", "Go".
const LEAST: usize = 3;

/// Titles by their words, for one pass over a text.
#[derive(Default)]
pub struct Gazetteer {
    /// Normal forms.
    titles: rustc_hash::FxHashSet<String>,
    /// The most words of any title that begins with this word.
    first: FxHashMap<String, u8>,
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
    pub fn new<'t>(titles: impl Iterator<Item = &'t str>) -> Gazetteer {
        let mut gazetteer = Gazetteer::default();
        for title in titles {
            gazetteer.add(base_title(title));
            gazetteer.add(Norm::Simple.apply(title));
        }
        gazetteer
    }

    fn add(&mut self, form: String) {
        if !names(&form) {
            return;
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
        longest_matches(text, false, longest, known)
    }
}

/// Titles in a question, whatever their case. `known` tells whether a normal form is a title.
pub fn in_question(text: &str, known: impl Fn(&str) -> bool) -> Vec<Mention> {
    longest_matches(text, true, |_| LONGEST, known)
}

/// Whether a normal form may stand for a title in running text.
fn names(form: &str) -> bool {
    form.chars().count() >= LEAST && !is_function_word(form)
}

/// Longest matches from left to right, at word boundaries, never overlapping.
fn longest_matches(
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
            let lone = n == 1 && (opening.is_some_and(char::is_numeric) || !names(&form));
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
        Gazetteer::new(titles.into_iter())
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
        let mentions = in_question(text, |form| gazetteer.titles.contains(form));
        assert_eq!(found(text, &mentions), ["house of cards", "war"]);
    }

    #[test]
    fn parentheses_are_no_part_of_the_name() {
        assert_eq!(base_title("Kepler (space) telescope"), "kepler telescope");
        assert_eq!(base_title("(What)"), "what");
    }
}
