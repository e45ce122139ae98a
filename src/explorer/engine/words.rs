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
            df: list.map_or(ranked.matched.count, |list| list.hits.len()) as u32,
            idf: 0.0,
            tf: list.map_or(ranked, |list| list).rank(passage).unwrap_or(0) as u32,
            score: part.value,
        })
        .collect()
}

/// Fills in the words as seeds, and splits the best passages' scores by them.
pub fn tell(index: &Arc<Index>, retrieval: &Retrieval, scene: &mut Scene) {
    let opened = best(scene).map(|row| terms(index, retrieval, row.passage));
    let opened: Vec<Vec<Term>> = opened.collect();
    let paid = |term: &Term| (term.word.clone(), term.score);
    let paid: Vec<Vec<_>> = opened
        .iter()
        .map(|row| row.iter().map(paid).collect())
        .collect();
    let expansion = retrieval.ranked().map_or(&[][..], |r| &r.expansion);
    let added = |word: &str| {
        let found = expansion.iter().find(|added| added.name == word)?;
        Some((clean(index.id(found.from)), found.weight))
    };
    let words = split(scene, &paid);
    let term = |word: &str| opened.first()?.iter().find(|term| term.word == word);
    let words = words
        .into_iter()
        .filter_map(|(word, share)| Some((term(&word)?, share)));
    let rows = words.map(|(term, share)| Row {
        label: term.word.clone(),
        group: scene.group_of(&term.word),
        value: share,
        figure: measure(share),
        count: term.df as usize,
        hub: scene.basis == Basis::Words && is_hub(index, term.df as usize),
        why: match (added(&term.word), scene.basis) {
            (Some((from, weight)), _) => {
                format!("added by {from}, weight {weight:.3}; {}", seen(term))
            }
            (None, Basis::Words) => seen(term),
            (None, _) => format!("ranks {}", plural(term.df as usize, "passage")),
        },
        ..Row::default()
    });
    scene.seeds = rows.collect();
    list(scene);
}

/// The passages whose scores are split.
pub fn best(scene: &Scene) -> impl Iterator<Item = &PassageRow> {
    let split = SPLIT.max(scene.top_k.min(100));
    scene.passages.iter().take(split)
}

/// Splits scores of the best passages by what pays them. A letter goes to what pays most somewhere: what lifts one
/// passage to the top says more than what lifts all a little. Gives all that pays, with its share among the top K.
pub fn split(scene: &mut Scene, paid: &[Vec<(String, f64)>]) -> Vec<(String, f64)> {
    let mut sums: Vec<(&str, f64, f64)> = Vec::new();
    for (at, row) in paid.iter().enumerate() {
        for (label, value) in row {
            let value = if at < scene.top_k { *value } else { 0.0 };
            match sums.iter_mut().find(|(known, ..)| known == label) {
                Some((_, most, sum)) => (*most, *sum) = (most.max(value), *sum + value),
                None => sums.push((label, value, value)),
            }
        }
    }
    sums.sort_by(|a, b| b.1.total_cmp(&a.1));
    let total: f64 = sums.iter().map(|(.., sum)| sum).sum();
    let total = total.max(f64::MIN_POSITIVE);
    let noun = scene.basis.noun();
    let alone = if sums.len() > GROUPS {
        GROUPS - 1
    } else {
        sums.len()
    };
    let (own, rest) = sums.split_at(alone);
    let rest = (!rest.is_empty()).then_some(rest);
    let group = |members: &[(&str, f64, f64)]| Group {
        label: match members {
            [(label, ..)] => (*label).to_owned(),
            _ => format!("{} other {noun}s", members.len()),
        },
        weight: members.iter().map(|(.., sum)| sum / total).sum(),
        seeds: members.len(),
    };
    scene.groups = own.chunks(1).chain(rest).map(group).collect();
    for (at, row) in paid.iter().enumerate() {
        let mut shares = vec![0.0; scene.groups.len()];
        for (label, value) in row {
            if let Some(share) = scene.group_of(label).and_then(|g| shares.get_mut(g)) {
                *share += value;
            }
        }
        scene.passages[at].shares = shares;
    }
    let all = sums
        .into_iter()
        .map(|(label, _, sum)| (label.to_owned(), sum / total));
    all.collect()
}

/// Lists what each word pays for each passage where a walk has its nodes.
fn list(scene: &mut Scene) {
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
            _ => "Words that contribute",
        }
        .to_owned(),
        rows: scene.passages.iter().map(row).collect(),
        ranked: true,
        foot: format!("split by {}", scene.basis.noun()),
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
