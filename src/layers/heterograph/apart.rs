//! What the texts of an index say: by a model where one is named, else by rules. NodeRAG's and HippoRAG's layers begin here.

use super::decompose::{Decompose, Decomposed, decompose, told};
use super::graph::Piece;
use crate::index::documents::text_file;
use crate::index::{Index, IndexError};
use crate::llm::task::{self, OneText};
use crate::llm::{Estimate, Llm, Origin, Shares, any};
use crate::text::{Norm, chunks, persons};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::sync::Arc;

/// Takes passages apart.
pub struct Apart<'a> {
    index: &'a Index,
    llm: Arc<Llm>,
    /// Tokens of a text; longer passages are cut.
    size: usize,
    /// Titles are entities of their texts.
    titles: bool,
    /// Words that stand capitalised inside sentences, in normal form.
    pub known: FxHashSet<String>,
}

impl<'a> Apart<'a> {
    pub fn new(index: &'a Index, size: usize, titles: bool) -> Apart<'a> {
        let passages = index.passages();
        let mut known = persons::known(passages.texts.iter());
        // A one-word title names its passage, wherever its capital stands (as in the entity graph).
        let titled = passages.titles.iter();
        let single = titled.filter(|t| !t.is_empty() && !t.contains(char::is_whitespace));
        known.extend(single.map(|title| Norm::Simple.apply(title)));
        Apart {
            index,
            llm: index.llm(),
            size,
            titles,
            known,
        }
    }

    /// A passage as one text, or a long one cut.
    pub fn pieces(&self, passage: u32) -> Vec<Piece> {
        pieces(
            passage,
            self.index.passages().text(passage as usize),
            self.size,
        )
    }

    /// Tells what a model is going to be asked, where one is named.
    pub fn announce(&self) {
        if !self.llm.thinks() {
            return;
        }
        let mut estimate = Estimate::default();
        for passage in 0..self.index.len() as u32 {
            let heading = self.index.heading(passage);
            let cut = self.pieces(passage).into_iter();
            let inputs: Vec<OneText> = cut.map(|piece| self.asked(piece, &heading)).collect();
            estimate += self.llm.estimate::<task::Decompose>(&inputs);
        }
        self.llm.announce::<task::Decompose>(&estimate);
    }

    /// What these texts say, in their order; who said it is counted. `go_on` hears how many are done, and stops by `false`.
    ///
    /// # Errors
    /// Cancelled.
    pub fn take(
        &self,
        batch: &[Piece],
        made: &mut Shares,
        go_on: &dyn Fn(usize) -> bool,
    ) -> Result<Vec<Decomposed>, IndexError> {
        let headings = batch.iter().map(|piece| self.index.heading(piece.passage));
        let headings: Vec<Cow<'_, str>> = headings.collect();
        let input = |at: usize| self.input(batch[at], &headings[at]);
        if !self.llm.thinks() {
            let all = (0..batch.len()).into_par_iter();
            return Ok(all.map(|at| decompose(&input(at))).collect());
        }
        let asked = batch.iter().zip(&headings);
        let asked: Vec<OneText> = asked.map(|(piece, h)| self.asked(*piece, h)).collect();
        // The rules' own result says more than the task's output: they run below, where it is kept.
        let nothing = |_: &OneText| task::Decomposed::default();
        let answers = self
            .llm
            .items::<task::Decompose>(&asked, &any, nothing, go_on)
            .map_err(|_| IndexError::Cancelled)?;
        let apart = answers.par_iter().enumerate();
        let apart = apart
            .map(|(at, answer)| match answer.origin {
                Origin::Llm { .. } => told(&input(at), &answer.value),
                _ => decompose(&input(at)),
            })
            .collect();
        answers.iter().for_each(|answer| made.count(answer));
        Ok(apart)
    }

    fn input<'t>(&'t self, piece: Piece, heading: &'t str) -> Decompose<'t> {
        let passages = self.index.passages();
        let passage = piece.passage as usize;
        Decompose {
            title: heading,
            // Headings and names of files are no entities.
            named: self.titles && text_file(passages.id(passage)).is_none(),
            text: piece.of(passages.text(passage)),
            known: &self.known,
        }
    }

    fn asked(&self, piece: Piece, heading: &str) -> OneText {
        let text = piece.of(self.index.passages().text(piece.passage as usize));
        OneText {
            text: match heading {
                "" => text.to_owned(),
                heading => format!("{heading}. {text}"),
            },
        }
    }
}

fn pieces(passage: u32, text: &str, size: usize) -> Vec<Piece> {
    let whole = |range: std::ops::Range<usize>| Piece {
        passage,
        start: range.start as u32,
        end: range.end as u32,
    };
    if chunks::count(text) <= size {
        return vec![whole(0..text.len())];
    }
    let cut = chunks::cut_back(text, size);
    cut.into_iter().map(|chunk| whole(chunk.bytes)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_passages_are_cut() {
        assert_eq!(pieces(3, "One two.", 2).len(), 1);
        assert_eq!(
            pieces(3, "", 2),
            [Piece {
                passage: 3,
                start: 0,
                end: 0
            }]
        );
        let text = "One two. Three four. Five.";
        let cut = pieces(3, text, 3);
        let parts: Vec<&str> = cut
            .iter()
            .map(|p| &text[p.start as usize..p.end as usize])
            .collect();
        assert_eq!(parts, ["One two.", "Three four. Five."]);
        assert!(cut.iter().all(|p| p.passage == 3));
    }
}
