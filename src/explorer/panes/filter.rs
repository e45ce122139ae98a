//! What a list is narrowed by: words a person typed, and the rows that show them. A row keeps its number while others are
//! hidden, so ranks, cursors and clicks mean what they meant.

pub use super::Words;
use super::rows;
use super::{contents, passages};
use crate::explorer::layout::Pane;
use crate::explorer::scene::Scene;
use crate::explorer::state::{List, State};
use crate::text::folded::folded;
use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;

impl Words {
    /// Whether every typed word is here, case and accents aside.
    fn have(&self, matcher: &SkimMatcherV2, typed: &str) -> bool {
        let (name, rest) = (folded(&self.name), folded(&self.rest));
        let has = |word: &str| {
            // Letters that lie so far apart that the gaps cost more than the beginnings of words gain are no match.
            let least = 16 * word.chars().count() as i64;
            let fuzzy = || matcher.fuzzy_match(&name, word);
            name.contains(word)
                || rest.contains(word)
                || fuzzy().is_some_and(|score| score >= least)
        };
        folded(typed).split_whitespace().all(has)
    }
}

/// What the rows of a pane show, by their numbers; none for one that stands over others. Empty where there is no list.
pub fn words(state: &State, pane: Pane) -> Vec<Option<Words>> {
    contents(pane).words(state)
}

/// The numbers of those rows that are shown, of all `rows`: those that match, under what stands over them.
fn kept(words: &[Option<Words>], typed: &str) -> Vec<usize> {
    let matcher = SkimMatcherV2::default().ignore_case();
    let mut kept = Vec::new();
    let mut head = None;
    for (at, words) in words.iter().enumerate() {
        match words {
            None => head = Some(at),
            Some(words) if words.have(&matcher, typed) => {
                kept.extend(head.take().into_iter().chain([at]))
            }
            Some(_) => {}
        }
    }
    kept
}

/// What a pane is narrowed by.
pub fn typed(state: &State, pane: Pane) -> Option<&str> {
    let typed = state.filters.get(&pane)?;
    Some(typed.as_str()).filter(|typed| !typed.trim().is_empty())
}

/// The numbers of the rows that a pane shows, in their order.
pub fn shown(state: &State, pane: Pane) -> Vec<usize> {
    match typed(state, pane) {
        Some(typed) => kept(&words(state, pane), typed),
        None => (0..rows::count(state, pane)).collect(),
    }
}

/// The same of a run beside the live one.
pub fn shown_of(state: &State, scene: &Scene) -> Vec<usize> {
    match typed(state, Pane::Runs) {
        Some(typed) => kept(&passages::words(state, scene), typed),
        None => (0..rows::passage_lines(scene).len()).collect(),
    }
}

/// The rows of a list that are shown, of all its rows.
pub fn sighted<T>(state: &State, pane: Pane, rows: impl IntoIterator<Item = T>) -> Vec<T> {
    let in_sight = shown(state, pane);
    let rows = rows.into_iter().enumerate();
    let seen = rows.filter(|(at, _)| in_sight.binary_search(at).is_ok());
    seen.map(|(_, row)| row).collect()
}

/// Whether a row is in sight.
pub fn shows(state: &State, pane: Pane, row: usize) -> bool {
    typed(state, pane).is_none() || shown(state, pane).contains(&row)
}

/// Where a list stands among the rows that it shows.
pub fn among(list: List, shown: &[usize]) -> List {
    let cursor = shown.partition_point(|row| *row < list.cursor);
    List { cursor, ..list }
}

/// Puts the cursor of a list on a row, or on the next one that is shown, and the window around it.
pub fn settle(state: &mut State, pane: Pane, row: usize) {
    let shown = shown(state, pane);
    let height = state.hits.extent(pane).height;
    let list = state.lists.entry(pane).or_default();
    list.cursor = row;
    if let Some(row) = shown.get(among(*list, &shown).cursor).or(shown.last()) {
        list.cursor = *row;
    }
    list.offset = among(*list, &shown).window(shown.len(), height);
}

/// `3 of 38`: rows that match, and rows; none for a pane that is not narrowed.
pub fn counted(state: &State, pane: Pane) -> Option<String> {
    let typed = typed(state, pane)?;
    let words = words(state, pane);
    let of = words.iter().flatten().count();
    let matching = kept(&words, typed)
        .into_iter()
        .filter(|row| words[*row].is_some());
    Some(format!("{} of {of}", matching.count()))
}

/// What is said of something taken out of a pane that is narrowed.
pub fn said(state: &State, pane: Pane) -> String {
    let counted = counted(state, pane).zip(typed(state, pane));
    counted.map_or_else(String::new, |(counted, typed)| {
        format!(", {counted} rows matching {}", typed.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: &[(&str, &str)]) -> Vec<Option<Words>> {
        let one = |(name, rest): &(&str, &str)| match *name {
            "" => None,
            name => Some(Words::new(name, [(*rest).to_owned()])),
        };
        names.iter().map(one).collect()
    }

    #[test]
    fn rows_match_by_words_case_and_accents_aside_and_keep_their_heading() {
        let rows = list(&[
            ("", ""),
            ("Jantar Mantar", "built at Jaipur"),
            ("Tekez\u{e9} River", ""),
            ("", ""),
            ("Uranus", "found in 1781"),
            ("Neptune", ""),
        ]);
        assert_eq!(kept(&rows, "jaipur"), [0, 1], "what a row says counts");
        assert_eq!(kept(&rows, "tekeze"), [0, 2]);
        assert_eq!(kept(&rows, "URAN"), [3, 4]);
        assert_eq!(
            kept(&rows, "mantar built"),
            [0, 1],
            "every word, wherever it stands"
        );
        assert_eq!(kept(&rows, "mantar 1781"), [] as [usize; 0]);
    }

    #[test]
    fn letters_apart_match_names_only_and_not_far_apart() {
        let rows = list(&[
            ("Jantar Mantar", "an observatory of the maharaja"),
            ("Just another tale and more matter around here", ""),
        ]);
        assert_eq!(kept(&rows, "jmantar"), [0]);
        assert_eq!(kept(&rows, "obsrv"), [] as [usize; 0]);
    }
}
