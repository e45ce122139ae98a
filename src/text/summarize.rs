//! Which sentences of a text are central, and summaries made of them.

use super::chunks;
use super::span;
use crate::text::names::FUNCTION_WORDS;
use crate::text::sentences::sentences;
use crate::text::words::{STOP_WORDS, is_word};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// In how many texts of an index a stem occurs.
#[derive(Clone, Debug, Default)]
pub struct Idf {
    texts: u32,
    df: FxHashMap<String, u32>,
}

impl Idf {
    /// Counts the stems of all texts of an index.
    pub fn new<'t>(texts: impl IntoIterator<Item = &'t str>) -> Idf {
        let mut idf = Idf::default();
        let mut seen = FxHashSet::default();
        for text in texts {
            idf.texts += 1;
            seen.clear();
            stems(text, |stem| {
                if seen.insert(stem.to_owned()) {
                    *idf.df.entry(stem.to_owned()).or_default() += 1;
                }
            });
        }
        idf
    }

    /// ln((1 + N) / (1 + df)) + 1: at least 1, so that a word of every text still counts. The source leaves the form of
    /// idf open; this is the smoothed one of the entity graph.
    pub fn of(&self, stem: &str) -> f64 {
        let df = self.df.get(stem).copied().unwrap_or(0);
        (f64::from(1 + self.texts) / f64::from(1 + df)).ln() + 1.0
    }
}

/// Calls `each` with the stems of the content words of a text, in order: no stop words, no function words.
pub fn stems(text: &str, mut each: impl FnMut(&str)) {
    let stemmer = frostem::Stemmer::new(frostem::Algorithm::English);
    for word in text.to_lowercase().split(|c: char| !is_word(c)) {
        if !word.is_empty()
            && word.len() <= 256
            && !STOP_WORDS.contains(word)
            && !FUNCTION_WORDS.contains(word)
        {
            each(&stemmer.stem(word));
        }
    }
}

/// tf * idf vectors of sentences, of unit length, entries sorted by word.
struct Vectors {
    rows: Vec<Vec<(u32, f64)>>,
    words: usize,
}

impl Vectors {
    fn new(sentences: &[&str], idf: &Idf) -> Vectors {
        let mut ids: FxHashMap<String, u32> = FxHashMap::default();
        let mut weights: Vec<f64> = Vec::new();
        let mut rows = Vec::with_capacity(sentences.len());
        for sentence in sentences {
            let mut words: Vec<u32> = Vec::new();
            stems(sentence, |stem| {
                let id = ids.get(stem).copied().unwrap_or_else(|| {
                    let id = weights.len() as u32;
                    weights.push(idf.of(stem));
                    ids.insert(stem.to_owned(), id);
                    id
                });
                words.push(id);
            });
            words.sort_unstable();
            let mut row: Vec<(u32, f64)> = Vec::new();
            for word in words {
                let weight = weights[word as usize];
                match row.last_mut().filter(|last| last.0 == word) {
                    Some(last) => last.1 += weight,
                    None => row.push((word, weight)),
                }
            }
            let length = row.iter().map(|(_, w)| w * w).sum::<f64>().sqrt();
            row.iter_mut().for_each(|(_, w)| *w /= length);
            rows.push(row);
        }
        Vectors {
            rows,
            words: weights.len(),
        }
    }

    fn cosine(&self, a: usize, b: usize) -> f64 {
        let (mut a, mut b) = (
            self.rows[a].iter().peekable(),
            self.rows[b].iter().peekable(),
        );
        let mut sum = 0.0;
        while let (Some(&&(x, wx)), Some(&&(y, wy))) = (a.peek(), b.peek()) {
            if x == y {
                sum += wx * wy;
            }
            if x <= y {
                a.next();
            }
            if y <= x {
                b.next();
            }
        }
        sum
    }
}

/// Edges lighter than this are no edges.
const LEAST_COSINE: f64 = 0.05;
/// With more sentences than this, only neighbours within [`WINDOW`] are compared.
const ALL_PAIRS: usize = 400;
const WINDOW: usize = 200;
const DAMPING: f64 = 0.85;
const ITERATIONS: usize = 30;

/// How central each sentence is, 0 to 1, the greatest 1: PageRank on the graph of their cosines.
pub fn centrality(sentences: &[&str], idf: &Idf) -> Vec<f64> {
    ranks(&Vectors::new(sentences, idf))
}

fn ranks(vectors: &Vectors) -> Vec<f64> {
    let n = vectors.rows.len();
    let edges = edges(vectors);
    let degree: Vec<f64> = edges
        .iter()
        .map(|row| row.iter().map(|e| e.1).sum())
        .collect();
    let mut rank = vec![1.0 / n.max(1) as f64; n];
    for _ in 0..ITERATIONS {
        let lost: f64 = (0..n).filter(|&i| degree[i] == 0.0).map(|i| rank[i]).sum();
        let base = (1.0 - DAMPING + DAMPING * lost) / n as f64;
        // The graph is symmetric: what flows into a node comes over its own row.
        let next: Vec<f64> = edges
            .iter()
            .map(|row| {
                base + DAMPING
                    * row
                        .iter()
                        .map(|&(j, w)| rank[j as usize] * w / degree[j as usize])
                        .sum::<f64>()
            })
            .collect();
        rank = next;
    }
    let most = rank.iter().copied().fold(0.0, f64::max);
    if most > 0.0 {
        rank.iter_mut().for_each(|r| *r /= most);
    }
    rank
}

/// Both directions of every edge, rows sorted by neighbour.
fn edges(vectors: &Vectors) -> Vec<Vec<(u32, f64)>> {
    let n = vectors.rows.len();
    let reach = if n > ALL_PAIRS { WINDOW } else { n };
    let mut postings: Vec<Vec<(u32, f64)>> = vec![Vec::new(); vectors.words];
    for (i, row) in vectors.rows.iter().enumerate() {
        for &(word, weight) in row {
            postings[word as usize].push((i as u32, weight));
        }
    }
    let mut found: Vec<Vec<(u32, f64)>> = vec![Vec::new(); n];
    let mut cosines = vec![0.0; n];
    for i in 0..n {
        let last = (i + reach).min(n - 1);
        for &(word, weight) in &vectors.rows[i] {
            let list = &postings[word as usize];
            for &(j, other) in &list[list.partition_point(|p| p.0 as usize <= i)..] {
                if j as usize > last {
                    break;
                }
                cosines[j as usize] += weight * other;
            }
        }
        for j in i + 1..=last {
            let cosine = std::mem::take(&mut cosines[j]);
            if cosine >= LEAST_COSINE {
                found[i].push((j as u32, cosine));
                found[j].push((i as u32, cosine));
            }
        }
    }
    found
}

/// A sentence of a summary.
#[derive(Clone, Debug, PartialEq)]
pub struct Picked {
    /// Which of the texts it stands in.
    pub text: u32,
    /// Byte range there.
    pub span: Range<usize>,
    /// Its centrality with the bonus of its place and of names, before the choice.
    pub weight: f64,
}

/// An extractive summary: sentences of the texts, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    pub sentences: Vec<Picked>,
    /// The sentences, those of one text joined by spaces, texts by line breaks.
    pub text: String,
    /// Tokens of [`super::chunks`].
    pub tokens: usize,
}

/// Sentences shorter or longer than this many tokens are no candidates.
const LENGTHS: std::ops::RangeInclusive<usize> = 5..=60;

/// An extractive summary of at most `budget` tokens.
///
/// The weight of sentence i of a text is its centrality times 1 + 0.3 / (1 + i), plus 0.1 for each entity it mentions
/// first, of those whose number of sentences lies in the upper quartile of the group (and is two at least, since in a
/// group of single mentions no name stands out). `names` gives the entities of a sentence. Sentences are then taken by
/// the greatest 0.7 weight - 0.3 (greatest cosine to one taken), ties to the earlier, until none fits. Texts without a
/// sentence of 5 to 60 tokens are taken from their beginning.
pub fn summary(
    texts: &[&str],
    budget: usize,
    idf: &Idf,
    names: impl Fn(&str) -> Vec<String>,
) -> Summary {
    let mut candidates: Vec<(u32, Range<usize>, usize, usize)> = Vec::new();
    for (text, words) in texts.iter().enumerate() {
        for (place, span) in sentences(words).into_iter().enumerate() {
            let tokens = chunks::count(span::of(words, span.clone()));
            if LENGTHS.contains(&tokens) {
                candidates.push((text as u32, span, place, tokens));
            }
        }
    }
    if candidates.is_empty() {
        return beginning(texts, budget);
    }
    let of = |at: usize| span::of(texts[candidates[at].0 as usize], candidates[at].1.clone());
    let cut: Vec<&str> = (0..candidates.len()).map(of).collect();
    let vectors = Vectors::new(&cut, idf);
    let mut weight = ranks(&vectors);
    for (weight, candidate) in weight.iter_mut().zip(&candidates) {
        *weight *= 1.0 + 0.3 / (1 + candidate.2) as f64;
    }
    for at in first_mentions(&cut, names) {
        weight[at] += 0.1;
    }
    let mut left = budget;
    let mut taken = vec![false; cut.len()];
    let mut nearest = vec![0.0f64; cut.len()];
    loop {
        let mut best: Option<(usize, f64)> = None;
        for at in 0..cut.len() {
            let score = 0.7 * weight[at] - 0.3 * nearest[at];
            if !taken[at] && candidates[at].3 <= left && best.is_none_or(|(_, most)| score > most) {
                best = Some((at, score));
            }
        }
        let Some((at, _)) = best else {
            break;
        };
        taken[at] = true;
        left -= candidates[at].3;
        for other in 0..cut.len() {
            if !taken[other] {
                nearest[other] = nearest[other].max(vectors.cosine(at, other));
            }
        }
    }
    let picked = (0..cut.len()).filter(|&at| taken[at]).map(|at| Picked {
        text: candidates[at].0,
        span: candidates[at].1.clone(),
        weight: weight[at],
    });
    finish(texts, picked.collect(), budget - left)
}

/// The candidate that mentions it first, for each entity of the upper quartile.
fn first_mentions(sentences: &[&str], names: impl Fn(&str) -> Vec<String>) -> Vec<usize> {
    let mut ids: FxHashMap<String, usize> = FxHashMap::default();
    // First sentence, last sentence, number of sentences.
    let mut seen: Vec<(usize, usize, usize)> = Vec::new();
    for (at, sentence) in sentences.iter().enumerate() {
        for name in names(sentence) {
            let id = *ids.entry(name).or_insert_with(|| {
                seen.push((at, usize::MAX, 0));
                seen.len() - 1
            });
            if seen[id].1 != at {
                seen[id].1 = at;
                seen[id].2 += 1;
            }
        }
    }
    let mut counts: Vec<usize> = seen.iter().map(|s| s.2).collect();
    counts.sort_unstable();
    let quartile = counts
        .get(counts.len() * 3 / 4)
        .copied()
        .unwrap_or(0)
        .max(2);
    seen.into_iter()
        .filter(|s| s.2 >= quartile)
        .map(|s| s.0)
        .collect()
}

/// The first tokens of the texts.
fn beginning(texts: &[&str], budget: usize) -> Summary {
    let mut left = budget;
    let mut picked = Vec::new();
    for (text, words) in texts.iter().enumerate() {
        if let Some(first) = chunks::windows(words, left.max(1), 0)
            .into_iter()
            .next()
            .filter(|_| left > 0)
        {
            left -= first.tokens.len();
            picked.push(Picked {
                text: text as u32,
                span: first.bytes,
                weight: 0.0,
            });
        }
    }
    finish(texts, picked, budget - left)
}

fn finish(texts: &[&str], sentences: Vec<Picked>, tokens: usize) -> Summary {
    let mut text = String::new();
    for (at, picked) in sentences.iter().enumerate() {
        if at > 0 {
            text.push(if sentences[at - 1].text == picked.text {
                ' '
            } else {
                '\n'
            });
        }
        text.push_str(span::of(texts[picked.text as usize], picked.span.clone()));
    }
    Summary {
        sentences,
        text,
        tokens,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STORY: &str = "The lighthouse at Gull Rock was built by Ana Voss. The lighthouse lamp was lit by Ana Voss each \
         evening. Herring boats passed the lighthouse at night. Bread was cheap that year. Gull Rock is small.";

    #[test]
    fn the_sentence_that_shares_most_is_most_central() {
        let idf = Idf::new([STORY]);
        let cut: Vec<&str> = sentences(STORY).into_iter().map(|r| &STORY[r]).collect();
        let rank = centrality(&cut, &idf);
        assert_eq!(rank[0], 1.0);
        let least = rank.iter().copied().fold(1.0, f64::min);
        assert_eq!(rank[3], least, "bread shares nothing: {rank:?}");
        assert!(centrality(&[], &idf).is_empty());
        assert_eq!(centrality(&["the of", "and"], &idf), [1.0, 1.0]);
    }

    #[test]
    fn two_sentences_of_a_chain_by_hand() {
        // a-b and b-c share one word of two each: b has twice the edges; by symmetry a = c, and
        // b = 0.05 + 0.85 * 2a, a = 0.05 + 0.85 * b/2 at the limit: b/a = (0.05 + 1.7a)/a with a = 0.0925/(1 - 0.7225).
        let idf = Idf::default();
        let rank = centrality(&["x1 y1", "y1 z1", "z1 w1"], &idf);
        let a = (0.05 + 0.85 * 0.05 / 2.0) / (1.0 - 0.85 * 0.85);
        let b = 0.05 + 1.7 * a;
        // Thirty rounds leave 0.85^30 = 0.8 % of the start.
        assert!(
            (rank[0] - a / b).abs() < 0.01 && rank[1] == 1.0 && rank[0] == rank[2],
            "{rank:?}"
        );
    }

    #[test]
    fn more_than_four_hundred_sentences_are_compared_within_the_window() {
        let cut: Vec<String> = (0..402)
            .map(|i| {
                if i == 0 || i == 401 {
                    "kelp".into()
                } else {
                    format!("w{i}")
                }
            })
            .collect();
        let cut: Vec<&str> = cut.iter().map(String::as_str).collect();
        assert!(
            edges(&Vectors::new(&cut, &Idf::default()))
                .iter()
                .all(Vec::is_empty)
        );
        assert_eq!(
            edges(&Vectors::new(&[cut[0], cut[401]], &Idf::default()))[0].len(),
            1
        );
    }

    #[test]
    fn a_summary_keeps_to_its_budget_and_the_order_of_the_text() {
        let idf = Idf::new([STORY]);
        let none = |_: &str| Vec::new();
        let short = summary(&[STORY], 12, &idf, none);
        assert_eq!(
            short.text,
            "The lighthouse at Gull Rock was built by Ana Voss."
        );
        assert_eq!(short.tokens, 10);
        let whole = summary(&[STORY], 1000, &idf, none);
        // The last sentence has four words: too short.
        assert_eq!(
            whole.text,
            STORY
                .strip_suffix(" Gull Rock is small.")
                .unwrap_or_default()
        );
        let two = summary(
            &["One two three four five.", "Six seven eight nine ten."],
            10,
            &idf,
            none,
        );
        assert_eq!(
            two.text,
            "One two three four five.\nSix seven eight nine ten."
        );
        assert_eq!(summary(&[STORY], 0, &idf, none), Summary::default());
        assert_eq!(summary(&["a b", "c d"], 3, &idf, none).text, "a b\nc");
    }

    #[test]
    fn first_mentions_of_frequent_names_weigh_more() {
        let names = |s: &str| {
            s.split(' ')
                .filter(|w| w.starts_with(char::is_uppercase))
                .map(str::to_owned)
                .collect()
        };
        // A in three sentences, B in two, C and D in one: the quartile of [1, 1, 2, 3] is 3.
        assert_eq!(first_mentions(&["x A", "A B", "B A C", "D D"], names), [0]);
        // All single: none stands out.
        assert!(first_mentions(&["A", "B"], names).is_empty());
    }

    proptest! {
        #[test]
        fn a_summary_never_exceeds_its_budget(texts in prop::collection::vec("([A-Ca-c]{1,4} ){0,9}([.] ([A-Ca-c]{1,4} ){0,9}){0,5}", 0..4), budget in 0usize..40) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let idf = Idf::new(texts.iter().copied());
            let made = summary(&texts, budget, &idf, |_| Vec::new());
            prop_assert!(made.tokens <= budget);
            prop_assert_eq!(made.tokens, chunks::count(&made.text));
            prop_assert!(made.sentences.windows(2).all(|w| (w[0].text, w[0].span.start) < (w[1].text, w[1].span.start)));
        }
    }
}
