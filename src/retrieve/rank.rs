//! First-stage rankings: BM25, and BM25 with a question expanded by what its own first pass found.

use super::methods::Ranker;
use super::retrieval::{Expansion, Hit, Matched, Ranked};
use crate::index::lexical::Weighted;
use crate::index::{Bm25, EntityGraph, Index};
use crate::layers::{GraphView, Link, Mask, QueryName};
pub use crate::parameters::Fusion;
use crate::parameters::{
    BM25_B, BM25_K1, RM3_DOCS, RM3_ORIGINAL, RM3_POOL, RM3_TERMS, RRF_C, RRF_DEPTH, Rm3Pool,
    STEP2_DOCS, STEP2_ENTITIES, STEP2_RULE, STEP2_WEIGHT, Scoped, Step2Rule, TOKENS,
};
use crate::text::Tokens;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::io;
use std::sync::Arc;

/// Feedback words stand in at most this share of the passages, in corpora of at least [`SMALL`].
const COMMON: f64 = 0.1;
const SMALL: usize = 50;

/// The constants of BM25 in these settings.
pub fn constants(values: Scoped<'_>) -> Bm25 {
    Bm25 {
        k1: values.get(BM25_K1),
        b: values.get(BM25_B),
    }
}

pub fn tokens(values: Scoped<'_>) -> Tokens {
    values.get(TOKENS)
}

/// Scores passages by weighted words.
pub fn words(
    index: &Index,
    ranker: Ranker,
    words: Vec<Weighted>,
    values: Scoped<'_>,
    depth: usize,
    scratch: &mut Vec<f64>,
) -> io::Result<Ranked> {
    index
        .lexical()
        .scores(tokens(values), &words, constants(values), scratch)?;
    let (hits, matched) = best(scratch, depth, |score| score as f32);
    let lexical = index.lexical();
    let matched = Matched {
        count: matched + lexical.unseen(tokens(values)),
        at_least: lexical.has_more(tokens(values)),
    };
    Ok(Ranked {
        words,
        ..Ranked::new(ranker, hits, matched)
    })
}

/// BM25+RM3: words of the best passages, weighted by passage score, join the question (Anserini's defaults).
pub fn rm3(
    index: &Index,
    first: &Ranked,
    values: Scoped<'_>,
) -> io::Result<(Vec<Weighted>, Vec<Expansion>)> {
    let tokens = tokens(values);
    let graph = index.word_graph(tokens);
    let lengths = index.lexical().lengths(tokens);
    let count = values.get(RM3_TERMS);
    let heaviest = values.get(RM3_POOL) == Rm3Pool::Heaviest;
    let limit = if index.len() < SMALL {
        f64::INFINITY
    } else {
        COMMON * index.len() as f64
    };
    let feedback = &first.hits[..values.get(RM3_DOCS).min(first.hits.len())];
    let total: f64 = feedback.iter().map(|h| f64::from(h.score)).sum();
    let mut pool: FxHashMap<u32, f64> = FxHashMap::default();
    for hit in feedback {
        let share = f64::from(hit.score) / total.max(1e-9);
        let mut words = frequent(&graph, hit.passage, limit);
        let mut scale = f64::from(lengths[hit.passage as usize]);
        if heaviest {
            words.retain(|(w, _)| (2..=20).contains(&graph.names.get(*w as usize).chars().count()));
            words.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            words.truncate(count);
            scale = words.iter().map(|w| w.1).sum();
        }
        for (word, tf) in words {
            *pool.entry(word).or_insert(0.0) += share * tf / scale;
        }
    }
    let mut fed: Vec<(u32, f64)> = pool.into_iter().collect();
    // Ties go to the word that appears first in the corpus.
    fed.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    fed.truncate(count);
    let sum: f64 = fed.iter().map(|w| w.1).sum();
    let original = values.get(RM3_ORIGINAL);
    let mut words: Vec<Weighted> = first.words.iter().filter(|w| w.df > 0).cloned().collect();
    let own: f64 = words.iter().map(|w| w.weight).sum();
    words
        .iter_mut()
        .for_each(|w| w.weight *= original / own.max(1e-9));
    let mut expansion = Vec::new();
    for (word, weight) in fed {
        let name = graph.names.get(word as usize);
        let weight = (1.0 - original) * weight / if sum > 0.0 { sum } else { 1.0 };
        expansion.push(Expansion {
            name: name.to_owned(),
            weight,
            from: feedback_of(&graph, feedback, word),
        });
        match words.iter_mut().find(|w| w.word == name) {
            Some(known) => known.weight += weight,
            None => words.push(index.lexical().weighted(tokens, name.to_owned(), weight)?),
        }
    }
    Ok((words, expansion))
}

/// The words of a passage that are not too common, with their frequencies.
fn frequent(graph: &EntityGraph, passage: u32, limit: f64) -> Vec<(u32, f64)> {
    let (row, tf) = graph.row(passage as usize);
    row.iter()
        .zip(tf)
        .map(|(node, tf)| (node - graph.passages as u32, f64::from(*tf)))
        .filter(|(word, _)| f64::from(graph.df(*word as usize)) <= limit)
        .collect()
}

/// The best feedback passage that has a word or name.
fn feedback_of(graph: &EntityGraph, feedback: &[Hit], entity: u32) -> u32 {
    let (row, _) = graph.row(graph.passages + entity as usize);
    feedback
        .iter()
        .find(|h| row.binary_search(&h.passage).is_ok())
        .map_or(0, |h| h.passage)
}

/// BM25 2-step: names of the best passages join the question with a weight of their own.
pub fn two_step(
    index: &Index,
    view: &GraphView,
    names: &[QueryName],
    first: &Ranked,
    values: Scoped<'_>,
) -> io::Result<(Vec<Weighted>, Vec<Expansion>)> {
    let graph = &*view.graph;
    let tokens = tokens(values);
    let by_tf_idf = values.get(STEP2_RULE) == Step2Rule::TfIdf;
    let asked: Vec<u32> = names
        .iter()
        .filter_map(|n| match n.link {
            Link::Linked { node } | Link::Masked { node, .. } => Some(node),
            _ => None,
        })
        .collect();
    let feedback = &first.hits[..values.get(STEP2_DOCS).min(first.hits.len())];
    let mut pool: FxHashMap<u32, f64> = FxHashMap::default();
    for (at, hit) in feedback.iter().enumerate() {
        let (row, tf) = graph.row(hit.passage as usize);
        for (&node, &tf) in row.iter().zip(tf) {
            let entity = node - graph.passages as u32;
            if view.mask(entity) == Some(Mask::Muted) {
                continue;
            }
            let mut weight = 1.0 / (at as f64 + 1.0);
            if by_tf_idf {
                if asked.contains(&node) {
                    continue;
                }
                let df = f64::from(graph.df(entity as usize));
                weight *= f64::from(tf) * ((index.len() as f64 + 1.0) / (df + 1.0)).ln();
            }
            *pool.entry(entity).or_insert(0.0) += weight;
        }
    }
    let mut chosen: Vec<(u32, f64)> = pool.into_iter().collect();
    let name = |entity: u32| graph.names.get(entity as usize);
    chosen.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| name(a.0).cmp(name(b.0))));
    chosen.truncate(values.get(STEP2_ENTITIES));
    let weight = values.get(STEP2_WEIGHT);
    let mut words = first.words.clone();
    let mut expansion = Vec::new();
    for (entity, score) in chosen {
        let from = feedback_of(graph, feedback, entity);
        expansion.push(Expansion {
            name: name(entity).to_owned(),
            weight: score,
            from,
        });
        for word in tokens.list(index.language(), name(entity)) {
            match words.iter_mut().find(|w| w.word == word) {
                Some(known) => known.weight = known.weight.max(weight),
                None => words.push(index.lexical().weighted(tokens, word, weight)?),
            }
        }
    }
    Ok((words, expansion))
}

/// What each passage of a list adds to a fused score, by rank. `place` is the list's among those that are fused.
pub fn shares(list: &Ranked, place: usize, rule: Fusion, values: Scoped<'_>) -> Vec<f64> {
    let hits = &list.hits[..values.get(RRF_DEPTH).min(list.hits.len())];
    let ranks = 1..=hits.len();
    match rule {
        Fusion::Rank => {
            let share = |rank| 1.0 / (values.get(RRF_C) + rank) as f64;
            ranks.map(share).collect()
        }
        Fusion::MinMax => {
            let share = |hit: &Hit| 0.5 * scaled(hits, hit.score);
            hits.iter().map(share).collect()
        }
        // Below 1, so that it never comes between two of the first list.
        Fusion::After if place > 0 => ranks.map(|rank| 1.0 / (1 + rank) as f64).collect(),
        Fusion::After => ranks.rev().map(|places| places as f64).collect(),
    }
}

/// The sum over the lists of what each adds.
pub fn fuse(lists: Vec<Arc<Ranked>>, rule: Fusion, values: Scoped<'_>, depth: usize) -> Ranked {
    let mut sums: FxHashMap<u32, f64> = FxHashMap::default();
    for (place, list) in lists.iter().enumerate() {
        for (hit, share) in list.hits.iter().zip(shares(list, place, rule, values)) {
            *sums.entry(hit.passage).or_insert(0.0) += share;
        }
    }
    let mut hits: Vec<Hit> = sums
        .into_iter()
        .map(|(passage, s)| Hit {
            passage,
            score: s as f32,
        })
        .collect();
    let matched = hits.len();
    hits.sort_unstable_by(order);
    hits.truncate(depth);
    Ranked {
        parts: lists,
        ..Ranked::new(Ranker::Rrf, hits, matched)
    }
}

/// A score between the ends of its list, 0 to 1.
fn scaled(hits: &[Hit], score: f32) -> f64 {
    let (best, last) = (
        hits.first().map_or(0.0, |h| h.score),
        hits.last().map_or(0.0, |h| h.score),
    );
    let range = f64::from(best - last);
    f64::from(score - last) / if range > 0.0 { range } else { 1.0 }
}

/// Scores looked at together: most blocks hold none that is good enough.
const BLOCK: usize = 32;

/// The best passages, score descending, then id ascending, and how many score above zero; the others are left out.
pub fn best<S: Copy>(scores: &[S], count: usize, score: impl Fn(S) -> f32) -> (Vec<Hit>, usize) {
    let keep = count.clamp(1, scores.len().max(1));
    let mut hits: Vec<Hit> = Vec::with_capacity(2 * keep);
    // Below the worst of `keep` hits, or equal to it with a higher id, none comes in any more.
    let (mut floor, mut matched) = (0.0_f32, 0);
    for (at, block) in scores.chunks(BLOCK).enumerate() {
        matched += block.iter().filter(|s| score(**s) > 0.0).count();
        if !block.iter().fold(false, |any, s| any | (score(*s) > floor)) {
            continue;
        }
        for (passage, s) in (at * BLOCK..).zip(block) {
            let score = score(*s);
            if score > floor {
                let passage = passage as u32;
                hits.push(Hit { passage, score });
                if hits.len() == 2 * keep {
                    floor = hits.select_nth_unstable_by(keep - 1, order).1.score;
                    hits.truncate(keep);
                }
            }
        }
    }
    hits.sort_unstable_by(order);
    hits.truncate(count);
    (hits, matched)
}

/// Score descending, then id ascending.
pub(super) fn order(a: &Hit, b: &Hit) -> Ordering {
    b.score.total_cmp(&a.score).then(a.passage.cmp(&b.passage))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::sample;
    use crate::retrieve::{Keep, Method, Retriever, Settings};
    use proptest::prelude::*;
    use std::sync::LazyLock;

    static SAMPLE: LazyLock<Arc<Index>> = LazyLock::new(|| Arc::new(sample::index().unwrap()));

    fn settings(method: &str, changes: &[&str]) -> Settings {
        let mut settings = Settings::of(&SAMPLE, Method::by_name(method).unwrap());
        let changes = changes.iter();
        changes.for_each(|set| settings.set_text(set).unwrap());
        settings
    }

    /// What an expanding method ranks by.
    fn expanded(question: &str, method: &str, changes: &[&str]) -> Arc<Ranked> {
        let mut retriever = Retriever::new(SAMPLE.clone());
        let settings = settings(method, changes);
        let run = retriever.retrieve(question, &settings, Keep::Scores);
        let run = run.unwrap();
        run.records.last().unwrap().output.ranked().unwrap()
    }

    fn names(list: &Ranked) -> Vec<&str> {
        list.expansion.iter().map(|added| &*added.name).collect()
    }

    #[test]
    fn words_that_more_than_a_tenth_of_the_passages_have_are_not_fed_back() {
        let mut added = 0;
        for question in &SAMPLE.questions()[..10] {
            let list = expanded(
                &question.text,
                "bm25-rm3",
                &["rm3_pool=all", "rm3_terms=30"],
            );
            for word in names(&list) {
                let tokens = tokens(settings("bm25-rm3", &[]).all());
                let known = SAMPLE.lexical().weighted(tokens, word.to_owned(), 1.0);
                let df = known.unwrap().df as usize;
                assert!(10 * df <= SAMPLE.len(), "{word} is in {df} passages");
                added += 1;
            }
        }
        assert!(added > 100, "{added}");
    }

    #[test]
    fn the_question_keeps_the_share_of_its_expansion_that_it_is_given() {
        let question = &SAMPLE.questions()[0].text;
        for share in [0.2, 0.9] {
            let list = expanded(question, "bm25-rm3", &[&format!("rm3_original={share}")]);
            let all: f64 = list.words.iter().map(|word| word.weight).sum();
            let added: f64 = list.expansion.iter().map(|added| added.weight).sum();
            assert!((all - 1.0).abs() < 1e-9, "{all}");
            assert!((added - (1.0 - share)).abs() < 1e-9, "{share}: {added}");
        }
    }

    #[test]
    fn names_of_the_question_are_fed_back_only_where_rank_alone_decides() {
        let list = |rule| {
            let changes = [rule, "step2_entities=20"];
            expanded("Who discovered Uranus?", "bm25-2step", &changes)
        };
        assert!(names(&list("step2_rule=rank")).contains(&"uranus"));
        let rare = list("step2_rule=tf_idf");
        assert!(!rare.expansion.is_empty() && !names(&rare).contains(&"uranus"));
        // What the question says itself counts no less for being fed back.
        let weight = |word: &str| {
            let list = list("step2_rule=rank");
            let own = list.words.iter().find(|own| own.word == word);
            own.map(|own| own.weight)
        };
        assert_eq!(
            (weight("uranus"), weight("herschel")),
            (Some(1.0), Some(0.5))
        );
    }

    #[test]
    fn a_name_counts_one_over_the_rank_of_each_passage_that_has_it() {
        let changes = ["step2_rule=rank", "step2_docs=2", "step2_entities=20"];
        let list = expanded("Who discovered Uranus?", "bm25-2step", &changes);
        let weights = list.expansion.iter().map(|added| added.weight);
        let by_hand = |weight: &f64| [0.5, 1.0, 1.5].contains(weight);
        assert!(weights.clone().all(|weight| by_hand(&weight)));
        assert!(weights.clone().any(|weight| weight == 0.5));
    }

    #[test]
    fn a_fused_list_is_worth_what_its_rule_says_down_to_its_depth() {
        let hit = |passage: u32| Hit {
            passage,
            score: 30.0 - passage as f32,
        };
        let list = Ranked::new(Ranker::Bm25, (0..20).map(hit).collect(), 20);
        let changes = ["rrf_c=5", "rrf_depth=10"];
        let worth = |place, rule| shares(&list, place, rule, settings("rrf", &changes).all());
        let by_hand = |of: fn(f64) -> f64| (1..=10).map(|rank| of(f64::from(rank))).collect();
        let cases: [(usize, Fusion, Vec<f64>); 4] = [
            (0, Fusion::Rank, by_hand(|rank| 1.0 / (5.0 + rank))),
            (0, Fusion::MinMax, by_hand(|rank| 0.5 * (10.0 - rank) / 9.0)),
            (0, Fusion::After, by_hand(|rank| 11.0 - rank)),
            (1, Fusion::After, by_hand(|rank| 1.0 / (1.0 + rank))),
        ];
        for (place, rule, by_hand) in cases {
            assert_eq!(worth(place, rule), by_hand, "{rule:?} at {place}");
        }
    }

    #[test]
    fn ties_go_to_the_lower_id_and_zeros_are_left_out() {
        let (hits, matched) = best(&[0.5, 0.0, 1.0, 0.5, 0.5], 3, |s| s);
        assert_eq!(
            hits.iter().map(|h| h.passage).collect::<Vec<_>>(),
            [2, 0, 3]
        );
        assert_eq!(matched, 4);
        assert_eq!(best(&[0.0, 0.0], 3, |s| s), (vec![], 0));
    }

    proptest! {
        #[test]
        fn the_best_are_those_of_the_sorted_list(scores in prop::collection::vec(0u8..20, 0..300), count in 0usize..40) {
            let mut sorted: Vec<Hit> = (0..)
                .zip(&scores)
                .filter(|(_, s)| **s > 0)
                .map(|(passage, s)| Hit { passage, score: f32::from(*s) })
                .collect();
            let positive = sorted.len();
            sorted.sort_by(order);
            sorted.truncate(count);
            prop_assert_eq!(best(&scores, count, f32::from), (sorted, positive));
        }
    }
}
