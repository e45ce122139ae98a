//! From passages to facts, from facts to phrases, from phrases to those alike.

use super::layer::{FactsLayer, MOST_ALIKE, Meta, asks};
use super::openie;
use crate::graph::neighbours;
use crate::index::{Index, IndexError, Layer};
use crate::layers::given::{self, GivenLayer};
use crate::layers::heterograph::apart::Apart;
use crate::layers::heterograph::decompose::UnitOut;
use crate::layers::heterograph::graph::Piece;
use crate::layers::skeleton::rows::encode;
use crate::llm::Shares;
use crate::parameters::SYNONYM_LEAST;
use crate::text::sentences::sentences;
use crate::text::{Norm, clip, span};
use rustc_hash::{FxHashMap, FxHashSet};

type Progress<'a> = &'a dyn Fn(&'static str, usize, usize) -> bool;

/// Passages between two reports.
const BATCH: usize = 1024;
/// Tokens of a text that is asked for at once; longer passages are cut.
const TOKENS: usize = 1048;
/// Longest sentence that stands for a fact, in characters.
const LONGEST: usize = 300;

/// Facts and phrases while they are collected.
#[derive(Default)]
struct Draft {
    phrases: Vec<String>,
    /// Phrases by normal form.
    forms: FxHashMap<String, u32>,
    /// Subject, object and text of each.
    facts: Vec<(u32, u32, String)>,
    /// Facts by their ends and the normal form of the text.
    known: FxHashMap<(u32, u32, String), u32>,
    stated: Vec<Vec<u32>>,
    passages: Vec<Vec<u32>>,
}

impl Draft {
    fn phrase(&mut self, label: &str) -> Option<u32> {
        let form = form(label);
        if form.is_empty() {
            return None;
        }
        let next = self.phrases.len() as u32;
        let phrase = *self.forms.entry(form).or_insert(next);
        if phrase == next {
            let words: Vec<&str> = label.split_whitespace().collect();
            self.phrases.push(words.join(" "));
            self.passages.push(Vec::new());
        }
        Some(phrase)
    }

    /// A fact of a passage: subject, predicate, object.
    fn triple(&mut self, passage: u32, [subject, predicate, object]: [&str; 3]) {
        let text = format!("{subject} {predicate} {object}");
        self.fact(passage, subject, object, &text);
    }

    /// What a passage says of two phrases, which may be the same.
    fn fact(&mut self, passage: u32, subject: &str, object: &str, text: &str) {
        let (Some(one), Some(other)) = (self.phrase(subject), self.phrase(object)) else {
            return;
        };
        let next = self.facts.len() as u32;
        let key = (one, other, form(text));
        let fact = *self.known.entry(key).or_insert(next);
        if fact == next {
            let words: Vec<&str> = text.split_whitespace().collect();
            self.facts.push((one, other, words.join(" ")));
            self.stated.push(Vec::new());
        }
        // Passages come in order.
        let add = |list: &mut Vec<u32>| {
            if list.last() != Some(&passage) {
                list.push(passage);
            }
        };
        add(&mut self.stated[fact as usize]);
        add(&mut self.passages[one as usize]);
        add(&mut self.passages[other as usize]);
    }
}

fn form(name: &str) -> String {
    Norm::Simple.apply(name)
}

/// The rules see few of the ways to say how two names belong together: where they see none between what a unit is about and
/// another name of it, the sentence with that name stands for the fact.
fn unsaid(draft: &mut Draft, passage: u32, unit: &UnitOut) {
    let ends = unit.relations.iter();
    let ends = ends.flat_map(|relation| [form(&relation.source), form(&relation.target)]);
    let mut joined: FxHashSet<String> = ends.collect();
    let Some((about, others)) = unit.entities.split_first() else {
        return;
    };
    // Of a name and itself a sentence says nothing.
    joined.insert(form(&about.name));
    for other in others
        .iter()
        .filter(|other| !joined.contains(&form(&other.name)))
    {
        let sentences = sentences(&unit.text).into_iter();
        let mut said = sentences.map(|span| span::of(&unit.text, span));
        let said = said.find(|said| said.contains(&other.name));
        let short = clip(said.unwrap_or(&unit.text), LONGEST);
        draft.fact(passage, &about.name, &other.name, &short);
    }
}

/// The relations of the graph that the corpus came with, by the passages that they are from. What is called nothing is
/// described.
fn triples(layer: &GivenLayer, passages: usize) -> Vec<Option<Vec<[String; 3]>>> {
    let mut found = vec![Some(Vec::new()); passages];
    for relation in 0..layer.meta.relations as u32 {
        let [subject, object] = layer.ends(relation);
        let name = |entity: u32| layer.names.get(entity as usize).to_owned();
        for &passage in layer.relation_passages(relation) {
            let own = found[passage as usize].get_or_insert_default();
            own.push([name(subject), layer.said(relation).to_owned(), name(object)]);
        }
    }
    found
}

pub(super) fn build(index: &Index, progress: Progress<'_>) -> Result<FactsLayer, IndexError> {
    let dense = index.dense_for(FactsLayer::NAME)?;
    let passages = index.passages();
    let said = |said: String| IndexError::Layer {
        layer: FactsLayer::NAME,
        said,
    };
    let total = passages.len();
    let (mut read, from) = match index.beside(openie::FILE) {
        Some(path) => (openie::read(&path, passages).map_err(said)?, String::new()),
        None => match given::known(index)? {
            Some(layer) if layer.meta.relations > 0 => (triples(&layer, total), layer.made_by()),
            _ => (vec![None; total], String::new()),
        },
    };
    let apart = Apart::new(index, TOKENS, true);
    let known = read.iter().filter(|told| told.is_some()).count();
    if known == 0 {
        apart.announce();
    }
    let mut made = Shares::default();
    let mut draft = Draft::default();
    for start in (0..total).step_by(BATCH) {
        let batch = start..total.min(start + BATCH);
        let untold = batch.clone().filter(|&p| read[p].is_none());
        let pieces: Vec<Piece> = untold.flat_map(|p| apart.pieces(p as u32)).collect();
        let go_on = |done: usize| progress("facts", (start + done).min(total), total);
        if !go_on(0) {
            return Err(IndexError::Cancelled);
        }
        let told = apart.take(&pieces, &mut made, &go_on)?;
        let mut told = pieces.iter().zip(&told).peekable();
        for passage in batch {
            for triple in read[passage].take().unwrap_or_default() {
                draft.triple(passage as u32, triple.each_ref().map(String::as_str));
            }
            while let Some((_, said)) = told.next_if(|(p, _)| p.passage as usize == passage) {
                for unit in &said.units {
                    for r in &unit.relations {
                        if !said.by_model && form(&r.source) == form(&r.target) {
                            continue;
                        }
                        draft.triple(passage as u32, [&r.source, &r.predicate, &r.target]);
                    }
                    if !said.by_model {
                        unsaid(&mut draft, passage as u32, unit);
                    }
                }
            }
        }
    }
    let Draft {
        phrases,
        facts,
        stated,
        passages: with,
        ..
    } = draft;
    let texts: Vec<&str> = facts.iter().map(|fact| fact.2.as_str()).collect();
    let all = phrases.len() + facts.len();
    let phrase_vectors = encode(dense, &phrases, &|done| progress("vectors", done, all))?;
    let tell = |done| progress("vectors", phrases.len() + done, all);
    let fact_vectors = encode(dense, &texts, &tell)?;
    if !progress("phrases alike", 0, 1) {
        return Err(IndexError::Cancelled);
    }
    let near = neighbours::alike(&phrase_vectors, MOST_ALIKE, SYNONYM_LEAST, |one| {
        asks(&phrases[one])
    })?;
    let mut pairs: FxHashSet<(u32, u32)> = FxHashSet::default();
    let mut alike: Vec<(u32, u32, f32)> = Vec::new();
    for one in 0..phrases.len() {
        let (others, cosines) = near.row(one);
        for (&other, &cosine) in others.iter().zip(cosines) {
            let pair = (other.min(one as u32), other.max(one as u32));
            if pairs.insert(pair) {
                alike.push((pair.0, pair.1, cosine));
            }
        }
    }
    alike.sort_unstable_by_key(|pair| (pair.0, pair.1));
    let meta = Meta {
        phrases: phrases.len(),
        facts: facts.len(),
        alike: alike.len(),
        read: known,
        from,
        made,
        identity: Some(phrase_vectors.identity().clone()),
    };
    let ends = |lists: &[Vec<u32>]| -> Vec<u32> {
        let add = |end: &mut u32, list: &Vec<u32>| {
            *end += list.len() as u32;
            Some(*end)
        };
        lists.iter().scan(0, add).collect()
    };
    Ok(FactsLayer {
        meta_json: serde_json::to_vec(&meta).unwrap_or_default().into(),
        meta,
        phrases: phrases.iter().collect(),
        subject: facts.iter().map(|fact| fact.0).collect::<Vec<u32>>().into(),
        object: facts.iter().map(|fact| fact.1).collect::<Vec<u32>>().into(),
        texts: texts.into_iter().collect(),
        fact_ends: ends(&stated).into(),
        fact_passages: stated.concat().into(),
        phrase_ends: ends(&with).into(),
        phrase_passages: with.concat().into(),
        alike_one: alike.iter().map(|pair| pair.0).collect::<Vec<u32>>().into(),
        alike_other: alike.iter().map(|pair| pair.1).collect::<Vec<u32>>().into(),
        cosines: alike.iter().map(|pair| pair.2).collect::<Vec<f32>>().into(),
        phrase_vectors,
        fact_vectors,
    })
}
