//! One corpus cut into passages of several lengths: how well each cutting finds what one of them calls gold.
//!
//! Passages of one cutting have no counterpart in another, so gold is found where it is read: a gold passage counts from the
//! passage on with which at least half of its characters were in the ranking. And five long passages say more than five
//! short ones, so besides a measure over ranks there is the recall within so many tokens.

#![warn(missing_docs)]

use super::answers::READ_TOKENS;
use super::compare::{Difference, Resampling, paired_differences};
use super::measures::{Ranks, mean};
use crate::corpus::Question;
use crate::retrieve::Hit;
use std::ops::Range;

/// Share of a gold passage that has to be read before it counts as found.
const HALF: f64 = 0.5;

/// The values of a question: a measure, and its recall within [`READ_TOKENS`].
const VALUES: usize = 1 + READ_TOKENS.len();

/// The values of one question.
pub type Row = [f64; VALUES];

/// Which of [`READ_TOKENS`] two cuttings are compared by: 1,000 tokens, five passages of the default length.
pub const COMPARED: usize = 2;

/// Characters of a text that are not white space: they are the same however it is cut.
pub fn solid(text: &str) -> usize {
    text.chars().filter(|c| !c.is_whitespace()).count()
}

/// Where the passages of a cutting lie in the running text of the corpus, in characters that are not white space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places(Vec<Range<usize>>);

impl Places {
    /// The places of passages of so many characters, `apart` those of the same ones without what they repeat of the one
    /// before. None where the two are not of the same passages.
    pub fn of(whole: &[usize], apart: &[usize]) -> Option<Places> {
        let mut end = 0;
        let place = |(&whole, &apart): (&usize, &usize)| {
            end += apart;
            end.checked_sub(whole).map(|start| start..end)
        };
        let same = whole.len() == apart.len();
        let places = whole.iter().zip(apart).map(place);
        same.then(|| places.collect::<Option<_>>())?.map(Places)
    }

    /// Characters of the running text.
    pub fn length(&self) -> usize {
        self.0.last().map_or(0, |place| place.end)
    }

    fn of_passage(&self, passage: u32) -> Option<&Range<usize>> {
        self.0.get(passage as usize)
    }
}

/// A passage of the gold: the rank with which it was found, from 1, and the tokens read by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Found {
    rank: usize,
    tokens: usize,
}

/// What a ranking of one cutting finds of gold of another, each a stretch of the running text.
fn found(gold: &[Range<usize>], ranking: &[(Range<usize>, usize)]) -> Vec<Found> {
    let find = |gold: &Range<usize>| {
        let wanted = HALF * gold.len() as f64;
        let mut read: Vec<Range<usize>> = Vec::new();
        let mut tokens = 0;
        for (rank, (place, length)) in (1..).zip(ranking) {
            tokens += length;
            let both = place.start.max(gold.start)..place.end.min(gold.end);
            if both.is_empty() {
                continue;
            }
            read.push(both);
            if union(&mut read) as f64 >= wanted {
                return Some(Found { rank, tokens });
            }
        }
        None
    };
    gold.iter().filter_map(find).collect()
}

/// The length of what some stretches cover together; sorts them.
fn union(stretches: &mut [Range<usize>]) -> usize {
    stretches.sort_unstable_by_key(|stretch| stretch.start);
    let mut end = 0;
    let add = |sum: usize, stretch: &Range<usize>| {
        let fresh = stretch.end.saturating_sub(stretch.start.max(end));
        end = end.max(stretch.end);
        sum + fresh
    };
    stretches.iter().fold(0, add)
}

/// What a question comes to under a cutting, whose passages have places and so many tokens: `measure` by ranks, and the recall
/// within [`READ_TOKENS`]. None without gold, or for a measure that ranks alone do not give.
pub fn row(
    measure: &str,
    question: &Question,
    gold: &Places,
    ranking: &[Hit],
    (places, tokens): (&Places, &[usize]),
) -> Option<Row> {
    let wanted = question.wanted();
    let stretches = question.gold.iter();
    let stretches = stretches.filter_map(|of| gold.of_passage(of.passage).cloned());
    let stretches: Vec<_> = stretches.collect();
    let ranked = ranking.iter().filter_map(|hit| {
        let place = places.of_passage(hit.passage)?.clone();
        Some((place, *tokens.get(hit.passage as usize)?))
    });
    let found = found(&stretches, &Vec::from_iter(ranked));
    let ranks = Ranks {
        ranks: found.iter().map(|found| found.rank).collect(),
        wanted,
    };
    let mut row = [0.0; VALUES];
    row[0] = (wanted > 0).then(|| ranks.measure(measure))??;
    for (value, tokens) in row[1..].iter_mut().zip(READ_TOKENS) {
        let within = found.iter().filter(|found| found.tokens <= tokens).count();
        *value = within as f64 / wanted as f64;
    }
    Some(row)
}

/// The mean of all questions.
pub fn means(rows: &[Row]) -> Row {
    mean(rows.iter())
}

/// The difference of the second from the first in one value of every question.
pub fn difference(first: &[f64], second: &[f64], resampling: Resampling) -> Option<Difference> {
    let row = |value: &f64| [*value];
    let pairs: Vec<_> = first.iter().map(row).zip(second.iter().map(row)).collect();
    paired_differences(&pairs, resampling).pop()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn places_leave_out_what_is_repeated() {
        assert_eq!(solid(" a b\n\u{3000}c\u{e9} "), 4);
        let places = Places::of(&[10, 14, 6], &[10, 12, 6]).unwrap();
        assert_eq!(places.0, [0..10, 8..22, 22..28]);
        assert_eq!(places.length(), 28);
        // Of other passages, or more repeated than there is.
        assert_eq!(Places::of(&[10], &[10, 2]), None);
        assert_eq!(Places::of(&[10, 30], &[10, 2]), None);
    }

    #[test]
    fn gold_is_found_with_the_passage_that_completes_half_of_it() {
        // Gold of 100 characters in pieces of 30: two are needed. The same piece twice is one.
        let gold = std::slice::from_ref(&(100..200));
        let piece = |start: usize| (start..start + 30, 7);
        let ranking = [piece(500), piece(110), piece(110), piece(170), piece(140)];
        let of = |found: &[Found]| Vec::from_iter(found.iter().map(|f| (f.rank, f.tokens)));
        assert_eq!(of(&found(gold, &ranking)), [(4, 28)]);
        // One long passage holds two gold ones: both at its rank.
        let long = [(0..400, 90)];
        assert_eq!(of(&found(&[100..200, 300..350], &long)), [(1, 90), (1, 90)]);
        // It has the last 40 of 100.
        assert!(found(gold, &[(160..400, 9)]).is_empty());
    }

    proptest! {
        /// Held against every character counted.
        #[test]
        fn what_stretches_cover_is_counted_once(stretches in prop::collection::vec((0..60_usize, 1..20_usize), 0..8)) {
            let mut stretches: Vec<Range<usize>> = stretches.into_iter().map(|(from, long)| from..from + long).collect();
            let counted = (0..100).filter(|at| stretches.iter().any(|s| s.contains(at))).count();
            prop_assert_eq!(union(&mut stretches), counted);
        }

        /// A cutting finds its own gold as ranks say, whatever it is.
        #[test]
        fn of_the_same_cutting_the_ranks_are_those_of_the_passages(
            lengths in prop::collection::vec(1..50_usize, 1..12),
            order in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let places = Places::of(&lengths, &lengths).unwrap();
            let mut ranking: Vec<usize> = Vec::new();
            for at in order {
                let at = at.index(lengths.len());
                if !ranking.contains(&at) {
                    ranking.push(at);
                }
            }
            let ranked: Vec<_> = ranking.iter().map(|&at| (places.0[at].clone(), 1)).collect();
            for (at, place) in places.0.iter().enumerate() {
                let own = ranking.iter().position(|&ranked| ranked == at).map(|rank| rank + 1);
                let found = found(std::slice::from_ref(place), &ranked);
                prop_assert_eq!(found.first().map(|found| found.rank), own);
            }
        }
    }
}
