//! Semantic chunking: a document is cut where neighbouring windows of sentences differ most (SAGE, chunking).

use super::{Language, span};
use std::ops::Range;

/// How documents are cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cutting {
    /// Drops above this percentile of the document's drops are cuts: 80 cuts at the 20 % largest.
    pub drop_percentile: f64,
    /// Neighbours on either side of a sentence that are read with it.
    pub window: usize,
    /// A chunk of fewer sentences joins the neighbour it is more like. 1 switches this off.
    pub min_sentences: usize,
}

/// Vectors of texts, one row after the other.
pub type Encode<'a, E> = &'a dyn Fn(&[&str]) -> Result<Vec<f32>, E>;

/// The value below which `q` percent of ascending values lie, linear between neighbours (numpy's default, which the
/// published code uses); none of no values.
pub fn percentile(sorted: &[f32], q: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = q / 100.0 * last as f64;
    let low = (place.floor().max(0.0) as usize).min(last);
    let high = (low + 1).min(last);
    let (a, b) = (f64::from(sorted[low]), f64::from(sorted[high]));
    Some(a + (place - low as f64) * (b - a))
}

/// Cosine of two vectors, 0 where one is zero.
pub fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |x: &[f32], y: &[f32]| -> f64 {
        (x.iter().zip(y))
            .map(|(&x, &y)| f64::from(x) * f64::from(y))
            .sum()
    };
    let norms = (dot(a, a) * dot(b, b)).sqrt();
    if norms > 0.0 { dot(a, b) / norms } else { 0.0 }
}

/// `1 - cos` of each vector and the next.
pub fn drops(vectors: &[f32], dims: usize) -> Vec<f32> {
    let rows: Vec<&[f32]> = vectors.chunks_exact(dims.max(1)).collect();
    (rows.windows(2))
        .map(|pair| (1.0 - cosine(pair[0], pair[1])) as f32)
        .collect()
}

/// Where a text is cut: place i stands for the border between sentences i and i + 1.
pub fn cuts(drops: &[f32], q: f64) -> Vec<bool> {
    let mut sorted = drops.to_vec();
    sorted.sort_unstable_by(f32::total_cmp);
    let bar = percentile(&sorted, q).unwrap_or(f64::INFINITY);
    drops.iter().map(|&d| f64::from(d) > bar).collect()
}

/// Joins short chunks (ranges of sentences) with the neighbour they are more like, the leftmost short one first, until
/// none is short or one is left. Ties go to the left neighbour. `vectors` gives the vectors of runs of sentences.
pub fn merge<E>(
    mut chunks: Vec<Range<usize>>,
    least: usize,
    vectors: impl Fn(&[Range<usize>]) -> Result<Vec<Vec<f32>>, E>,
) -> Result<Vec<Range<usize>>, E> {
    let short = |chunks: &[Range<usize>]| chunks.iter().position(|c| c.len() < least);
    if chunks.len() < 2 || short(&chunks).is_none() {
        return Ok(chunks);
    }
    let mut known = vectors(&chunks)?;
    while chunks.len() > 1
        && let Some(at) = short(&chunks)
    {
        let like = |other: usize| cosine(&known[at], &known[other]);
        let left = match at {
            0 => 0,
            _ if at + 1 == chunks.len() || like(at - 1) >= like(at + 1) => at - 1,
            _ => at,
        };
        chunks[left].end = chunks[left + 1].end;
        chunks.remove(left + 1);
        known.remove(left + 1);
        if chunks.len() > 1
            && let Some(joined) = vectors(&chunks[left..=left])?.pop()
        {
            known[left] = joined;
        }
    }
    Ok(chunks)
}

/// A list of one range.
fn one(range: Range<usize>) -> Vec<Range<usize>> {
    vec![range]
}

/// Cuts a document, given as its stretches of text: one that was cut into passages before, or that tables interrupt,
/// has several. Windows and the percentile are the document's; no chunk leaves its stretch. Returns byte ranges per
/// stretch. Stretches too short to be cut are not encoded.
///
/// # Errors
/// What the encoder says.
pub fn document<E>(
    language: Language,
    stretches: &[&str],
    cutting: Cutting,
    dims: usize,
    encode: Encode<'_, E>,
) -> Result<Vec<Vec<Range<usize>>>, E> {
    let spans: Vec<Vec<Range<usize>>> = (stretches.iter())
        .map(|text| language.sentences(text))
        .collect();
    let least = cutting.min_sentences.max(1);
    let whole = |spans: &[Range<usize>]| match (spans.first(), spans.last()) {
        (Some(first), Some(last)) => one(first.start..last.end),
        _ => Vec::new(),
    };
    // Two chunks that may stand need this many sentences.
    let divisible = |spans: &Vec<Range<usize>>| spans.len() >= 2 * least;
    if !spans.iter().any(divisible) {
        return Ok(spans.iter().map(|s| whole(s)).collect());
    }
    let all: Vec<&str> = (stretches.iter().zip(&spans))
        .flat_map(|(text, spans)| spans.iter().map(|s| span::of(text, s.clone())))
        .collect();
    let windows: Vec<String> = (0..all.len())
        .map(|i| {
            let end = (i + cutting.window + 1).min(all.len());
            all[i.saturating_sub(cutting.window)..end].join(" ")
        })
        .collect();
    let windows: Vec<&str> = windows.iter().map(String::as_str).collect();
    let cut = cuts(&drops(&encode(&windows)?, dims), cutting.drop_percentile);
    let mut first = 0;
    let mut found = Vec::with_capacity(stretches.len());
    for (text, spans) in stretches.iter().zip(&spans) {
        let own = first..first + spans.len();
        first = own.end;
        if !divisible(spans) {
            found.push(whole(spans));
            continue;
        }
        let mut chunks = one(0..1);
        for at in 1..spans.len() {
            match chunks.last_mut() {
                Some(chunk) if !cut[own.start + at - 1] => chunk.end = at + 1,
                _ => chunks.push(at..at + 1),
            }
        }
        let part = |run: &Range<usize>| spans[run.start].start..spans[run.end - 1].end;
        let vectors = |runs: &[Range<usize>]| {
            let texts: Vec<&str> = runs.iter().map(|run| span::of(text, part(run))).collect();
            let rows = encode(&texts)?;
            Ok(rows.chunks(dims.max(1)).map(<[f32]>::to_vec).collect())
        };
        let chunks = merge(chunks, least, vectors)?;
        found.push(chunks.iter().map(part).collect());
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::sentences::sentences;
    use proptest::prelude::*;
    use std::convert::Infallible;

    /// A text's vector: how often each of four capitals stands in it.
    fn letters(texts: &[&str]) -> Result<Vec<f32>, Infallible> {
        let count = |text: &str, letter: char| text.matches(letter).count() as f32;
        Ok(texts
            .iter()
            .flat_map(|t| ['A', 'B', 'C', 'D'].map(|l| count(t, l)))
            .collect())
    }

    const ALL: Cutting = Cutting {
        drop_percentile: 80.0,
        window: 0,
        min_sentences: 1,
    };

    fn cut(stretches: &[&str], cutting: Cutting) -> Vec<Vec<String>> {
        let found = document(Language::English, stretches, cutting, 4, &letters).unwrap();
        let texts = |(text, ranges): (&&str, Vec<Range<usize>>)| {
            ranges.into_iter().map(|r| text[r].to_owned()).collect()
        };
        stretches.iter().zip(found).map(texts).collect()
    }

    #[test]
    fn percentiles_lie_between_values() {
        // Place .8 * 4 = 3.2: a fifth of the way from 4 to 6.
        let found = percentile(&[1.0, 2.0, 3.0, 4.0, 6.0], 80.0).unwrap();
        assert!((found - 4.4).abs() < 1e-12);
        assert_eq!(percentile(&[1.0, 2.0], 50.0), Some(1.5));
        assert_eq!(percentile(&[7.0], 95.0), Some(7.0));
        assert_eq!(percentile(&[1.0, 2.0], 100.0), Some(2.0));
        assert_eq!(percentile(&[], 95.0), None);
    }

    #[test]
    fn drops_are_one_less_cosine_and_the_largest_fifth_cuts() {
        let vectors = [1.0, 0.0, 1.0, 0.0, 0.0, 2.0, 3.0, 3.0];
        let found = drops(&vectors, 2);
        assert_eq!(found[..2], [0.0, 1.0]);
        assert!((found[2] - (1.0 - 0.5_f32.sqrt())).abs() < 1e-6);
        // Six drops: place 0.8 * 5 = 4, the value .5 itself, and only .9 is above it.
        let drops = [0.1, 0.9, 0.2, 0.3, 0.5, 0.4];
        assert_eq!(
            cuts(&drops, 80.0),
            [false, true, false, false, false, false]
        );
        // All alike: nothing is above.
        assert_eq!(cuts(&[0.3, 0.3], 80.0), [false, false]);
    }

    #[test]
    fn a_document_is_cut_where_its_subject_changes() {
        let text = "Ant Ant. Ant. Ant Ant. Bee. Bee Bee. Bee.";
        assert_eq!(
            cut(&[text], ALL),
            [["Ant Ant. Ant. Ant Ant.", "Bee. Bee Bee. Bee."]]
        );
        // Windows of three hold Ant 3 5 3 2 0 0 times and Bee 0 0 1 3 4 3: drops 0 .051 .211 .168 0, the bar .177.
        let smooth = Cutting { window: 1, ..ALL };
        assert_eq!(cut(&[text], smooth), cut(&[text], ALL));
        assert_eq!(cut(&["Ant Bee."], ALL), [["Ant Bee."]]);
        assert_eq!(cut(&[" \n"], ALL), [Vec::<String>::new()]);
    }

    #[test]
    fn no_chunk_leaves_its_stretch_and_short_stretches_stay_whole() {
        let stretches = ["Ant. Ant. Ant.", "Ant.", "Bee. Bee. Bee. Cat. Cat. Cat."];
        let cutting = Cutting {
            min_sentences: 3,
            ..ALL
        };
        // Drops 0 0 0 1 0 0 1 0 0: place .8 * 8 = 6.4, between 0 at place 6 and 1 at place 7: the bar is .4.
        assert_eq!(
            cut(&stretches, cutting),
            [
                vec!["Ant. Ant. Ant."],
                vec!["Ant."],
                vec!["Bee. Bee. Bee.", "Cat. Cat. Cat."]
            ]
        );
    }

    #[test]
    fn short_chunks_join_the_neighbour_they_are_more_like() {
        // Sentences 0..2 say A, 2 says A B B, 3..6 say B: the single one is closer to B (2/sqrt 5 against 1/sqrt 5).
        let rows = [[1., 0.], [1., 0.], [1., 2.], [0., 1.], [0., 1.], [0., 1.]];
        let asked = std::cell::RefCell::new(Vec::new());
        let vectors = |runs: &[Range<usize>]| {
            asked.borrow_mut().extend_from_slice(runs);
            let sum = |run: &Range<usize>| {
                let at = |d: usize| rows[run.clone()].iter().map(|r| r[d]).sum::<f32>();
                vec![at(0), at(1)]
            };
            Ok::<_, Infallible>(runs.iter().map(sum).collect())
        };
        let chunks = merge(vec![0..2, 2..3, 3..6], 2, vectors).unwrap();
        assert_eq!(chunks, [0..2, 2..6]);
        // The vector of the joined text is asked for anew.
        assert_eq!(asked.take(), [0..2, 2..3, 3..6, 2..6]);
        assert_eq!(merge(vec![0..1, 1..2], 3, vectors).unwrap(), one(0..2));
        assert_eq!(merge(one(0..1), 3, vectors).unwrap(), one(0..1));
        assert_eq!(merge(vec![0..4, 4..6], 2, vectors).unwrap(), [0..4, 4..6]);
    }

    proptest! {
        #[test]
        fn every_sentence_stays_and_none_is_short(
            parts in prop::collection::vec(prop::collection::vec("(Ant|Bee|Cat|Dog)( Ant| Bee){0,3}[.!]", 0..14), 1..4),
            q in 50.0..99.0f64, window in 0usize..3, least in 1usize..5,
        ) {
            let texts: Vec<String> = parts.iter().map(|p| p.join(" ")).collect();
            let stretches: Vec<&str> = texts.iter().map(String::as_str).collect();
            let cutting = Cutting { drop_percentile: q, window, min_sentences: least };
            let found = document(Language::English, &stretches, cutting, 4, &letters).unwrap();
            for (text, ranges) in stretches.iter().zip(found) {
                let sentences = sentences(text);
                let inside = |r: &Range<usize>| sentences.iter().filter(|s| r.start <= s.start && s.end <= r.end).count();
                prop_assert_eq!(ranges.iter().map(inside).sum::<usize>(), sentences.len());
                prop_assert!(ranges.windows(2).all(|w| w[0].end <= w[1].start));
                prop_assert!(ranges.len() < 2 || ranges.iter().all(|r| inside(r) >= least));
            }
        }
    }
}
