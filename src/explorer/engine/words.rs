//! Flat rankings: what each word of the question pays. The words take the place of seeds, so that methods can be
//! compared with the eyes.

use super::is_hub;
use crate::explorer::scene::{Basis, GROUPS, Group, PassageRow, Row, Scene, Stage};
use crate::explorer::text::{clean, measure, plural, score};
use crate::index::Index;
use crate::retrieve::{Ranked, Retrieval, words};
use std::sync::Arc;

/// How many passages are split by word.
const SPLIT: usize = 50;

/// A word of the question in one passage, or a list or measure that ranks it.
pub struct Term {
    pub word: String,
    /// Passages that contain the word, or that the list holds.
    pub df: u32,
    pub idf: f64,
    /// How often the passage has it, or its rank in the list; 0 when not.
    pub tf: u32,
    /// What it adds to the score; the terms' shares sum to it.
    pub score: f64,
}

/// What adds up to the score of a passage in a ranking without a walk.
pub fn terms(index: &Arc<Index>, retrieval: &Retrieval, passage: u32) -> Vec<Term> {
    let Some(last) = retrieval.last(index) else {
        return Vec::new();
    };
    let Some(ranked) = last.set().get::<Ranked>() else {
        return Vec::new();
    };
    if !ranked.words.is_empty() {
        let words = words::words(index, ranked, last.values(), passage).into_iter();
        return words
            .map(|w| Term {
                word: w.word,
                df: w.df,
                idf: w.idf,
                tf: w.tf,
                score: w.score,
            })
            .collect();
    }
    let parts = retrieval.explain(index, passage).parts.into_iter();
    let lists = ranked.parts.iter().map(Some).chain(std::iter::repeat(None));
    parts
        .zip(lists)
        .map(|(part, list)| Term {
            word: part.label,
            df: list.map_or(ranked.matched, |list| list.hits.len()) as u32,
            idf: 0.0,
            tf: list.map_or(ranked, |list| list).rank(passage).unwrap_or(0) as u32,
            score: part.value,
        })
        .collect()
}

/// Fills in the words as seeds and groups, and splits the best passages' scores by them.
pub fn split(index: &Arc<Index>, retrieval: &Retrieval, scene: &mut Scene) {
    let split = scene.passages.len().min(SPLIT.max(scene.top_k.min(100)));
    let opened: Vec<Vec<Term>> = scene.passages[..split]
        .iter()
        .map(|row| terms(index, retrieval, row.passage))
        .collect();
    let Some(words) = opened.first() else { return };
    let paid: Vec<f64> = (0..words.len())
        .map(|w| {
            opened
                .iter()
                .take(scene.top_k)
                .filter_map(|row| row.get(w))
                .map(|term| term.score)
                .sum()
        })
        .collect();
    // A letter goes to the words that pay most somewhere: a word that lifts one passage to the top says more than one
    // that lifts all a little.
    let most: Vec<f64> = (0..words.len())
        .map(|w| {
            opened
                .iter()
                .take(scene.top_k)
                .filter_map(|row| row.get(w))
                .map(|term| term.score)
                .fold(0.0, f64::max)
        })
        .collect();
    let mut order: Vec<usize> = (0..words.len()).collect();
    order.sort_by(|a, b| most[*b].total_cmp(&most[*a]).then(a.cmp(b)));
    let room = if words.len() <= GROUPS {
        GROUPS
    } else {
        GROUPS - 1
    };
    let group = |word: usize| order.iter().position(|w| *w == word).unwrap_or(0).min(room);
    let expansion = retrieval.ranked().map_or(&[][..], |r| &r.expansion);
    let added = |word: &str| {
        let found = expansion.iter().find(|added| added.name == word)?;
        Some((clean(index.id(found.from)), found.weight))
    };
    let total: f64 = paid.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    scene.seeds = order
        .iter()
        .map(|&w| Row {
            label: words[w].word.clone(),
            group: Some(group(w)),
            value: paid[w] / total,
            figure: measure(paid[w] / total),
            count: words[w].df as usize,
            hub: scene.basis == Basis::Words && is_hub(index, words[w].df as usize),
            why: match (added(&words[w].word), scene.basis) {
                (Some((from, weight)), _) => {
                    format!("added by {from}, weight {weight:.3}; {}", seen(&words[w]))
                }
                (None, Basis::Words) => seen(&words[w]),
                (None, _) => format!("ranks {}", plural(words[w].df as usize, "passage")),
            },
            ..Row::default()
        })
        .collect();
    let groups = words.len().min(room + 1);
    scene.groups = (0..groups)
        .map(|g| {
            let members: Vec<usize> = order.iter().copied().filter(|w| group(*w) == g).collect();
            Group {
                label: match members[..] {
                    [one] => words[one].word.clone(),
                    _ => format!("{} other {}s", members.len(), scene.basis.noun()),
                },
                weight: members.iter().map(|w| paid[*w] / total).sum(),
                seeds: members.len(),
            }
        })
        .collect();
    for (row, terms) in scene.passages.iter_mut().zip(&opened) {
        row.shares = vec![0.0; groups];
        for (word, term) in terms.iter().enumerate() {
            row.shares[group(word)] += term.score;
        }
    }
}

/// Lists what each word pays for each passage where a walk has its nodes.
pub fn list(scene: &mut Scene) {
    let row = |row: &PassageRow| Row {
        node: scene.node_of(row.passage),
        passage: Some(row.passage),
        label: row.title.clone(),
        is_passage: true,
        gold: row.gold,
        value: row.score,
        figure: score(row.score),
        shares: row.shares.clone(),
        ..Row::default()
    };
    scene.spread = vec![Stage {
        title: match scene.basis {
            Basis::Lists => "Lists that pay",
            Basis::Measure => "Closeness",
            _ => "Words that pay",
        }
        .to_owned(),
        rows: scene.passages.iter().map(row).collect(),
        ranked: true,
        foot: format!("split by the {} that pays", scene.basis.noun()),
        ..Stage::default()
    }];
    scene.listed = 1;
}

/// Where a word of the question is.
fn seen(word: &Term) -> String {
    match word.df {
        0 => "in no passage".to_owned(),
        df => format!("in {}, idf {:.2}", plural(df as usize, "passage"), word.idf),
    }
}
