//! The entities of a question and the vertices they are.

use super::entities::{extract, names, words};
use super::layer::E2Graph;
use crate::text::lemma::lemma;
use crate::text::span;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// An entity of the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// As the extraction names it.
    pub name: String,
    /// Byte range in the question.
    pub span: Range<usize>,
    /// The vertex of this name.
    pub entity: Option<u32>,
}

/// The entities of a question by the rules of the index.
///
/// A word that opens the question is a name if the index has it as one. Whether a name is a person's the question alone
/// rarely tells: where the guess gives no vertex and the other reading does, the other reading is taken. A name that is none
/// of the index may be a noun there: one that only opens sentences, as rare ones do, is not known for a name.
///
/// Only the first line is the question: what follows are options to choose from (E2GraphRAG, data sets).
pub fn link(layer: &E2Graph, question: &str) -> Vec<Asked> {
    let question = span::first_line(question);
    let noun = |name: &str| layer.entity(&lemma(&name.to_lowercase()));
    let vertex = |name: &str| layer.entity(name).is_some();
    let mut found = names(question, "", vertex, &FxHashSet::default());
    for (span, person) in &mut found {
        let surface = span::of(question, span.clone());
        let (apart, whole) = (words(surface).any(vertex), vertex(surface));
        *person = if *person {
            apart || !whole
        } else {
            apart && !whole
        };
    }
    extract(question, &found)
        .into_iter()
        .flat_map(|sentence| sentence.items)
        .map(|item| Asked {
            entity: layer.entity(&item.name).or_else(|| noun(&item.name)),
            name: item.name,
            span: item.span,
        })
        .collect()
}
