//! The layer of HippoRAG 2 as columns of an index.

use super::{build, openie};
use crate::column::{Column, Strings, range};
use crate::embed::{Identity, Vectors};
use crate::index::layer::{Each, columns};
use crate::index::{Columns, Index, IndexError, Layer};
use crate::llm::Shares;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Most phrases alike that one takes by itself (HippoRAG 2, code: its loop ends after so many).
pub(super) const MOST_ALIKE: usize = 101;
/// A phrase of fewer letters and digits takes none (HippoRAG 2, code).
const LEAST_LETTERS: usize = 3;

/// Whether phrases alike are looked for from this one; others may take it.
pub(super) fn asks(phrase: &str) -> bool {
    let letters = phrase.chars().filter(|c| c.is_alphanumeric());
    letters.take(LEAST_LETTERS).count() == LEAST_LETTERS
}

/// Counts, and who told the facts; stored as JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    pub phrases: usize,
    pub facts: usize,
    /// Pairs of phrases alike, by the least cosine that is kept.
    pub alike: usize,
    /// Passages that a file beside the corpus, or the graph it came with, has facts of; 0 where there was none.
    pub read: usize,
    /// Where those come from; empty where from the file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub from: String,
    /// Who told what the rest says; empty where no model was asked.
    #[serde(default, skip_serializing_if = "Shares::is_empty")]
    pub made: Shares,
    pub identity: Option<Identity>,
}

columns! {
    /// Facts, their phrases, phrases alike.
    pub struct FactsLayer(columns, meta: Meta, identity: &Identity) {
        pub meta: Meta { meta };
        pub(super) meta_json: Column<u8> = "meta";
        /// Of every phrase its first spelling.
        pub phrases: Strings = "phrase" [meta.phrases];
        /// Of every fact its ends, its text, and the passages that state it, ascending.
        pub subject: Column<u32> = "fact.subject" [meta.facts] => below(meta.phrases);
        pub object: Column<u32> = "fact.object" [meta.facts] => below(meta.phrases);
        pub texts: Strings = "fact" [meta.facts];
        pub(super) fact_ends: Column<u32> = "fact.passage.ends" [meta.facts] => ends(fact_passages.len());
        pub(super) fact_passages: Column<u32> = "fact.passage" => below(columns.passages());
        /// Of every phrase the passages with a fact of it, ascending.
        pub(super) phrase_ends: Column<u32> = "phrase.passage.ends" [meta.phrases] => ends(phrase_passages.len());
        pub(super) phrase_passages: Column<u32> = "phrase.passage" => below(columns.passages());
        /// Pairs of phrases alike, the lower first, ascending, and their cosines.
        pub(super) alike_one: Column<u32> = "alike.one" [meta.alike] => below(meta.phrases);
        pub(super) alike_other: Column<u32> = "alike.other" [meta.alike] => below(meta.phrases);
        pub(super) cosines: Column<f32> = "alike.cosine" [meta.alike] => finite();
        pub phrase_vectors: Vectors = "phrase.vector" by identity, "scale" [meta.phrases];
        pub fact_vectors: Vectors = "fact.vector" by identity, "scale" [meta.facts];
    }
}

impl std::fmt::Debug for FactsLayer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FactsLayer")
            .field("meta", &self.meta)
            .finish_non_exhaustive()
    }
}

impl FactsLayer {
    /// Builds the layer from an index. `progress` hears of step, done, total, and cancels by `false`.
    ///
    /// # Errors
    /// An index without vectors, a file of facts that cannot be read, or cancelled.
    pub fn build(
        index: &Index,
        progress: &dyn Fn(&'static str, usize, usize) -> bool,
    ) -> Result<FactsLayer, IndexError> {
        build::build(index, progress)
    }

    /// The passages that state a fact.
    pub fn stated(&self, fact: u32) -> &[u32] {
        &self.fact_passages[range(&self.fact_ends, fact as usize)]
    }

    /// The passages with a fact of a phrase.
    pub fn with_phrase(&self, phrase: u32) -> &[u32] {
        &self.phrase_passages[range(&self.phrase_ends, phrase as usize)]
    }

    /// Who made the facts of how many of all passages.
    pub fn made_by(&self, passages: usize) -> String {
        let rest = self.meta.made.said("rules");
        let from = self.from();
        match self.meta.read {
            0 => rest,
            read if read == passages => format!("{from}: {read}"),
            read => format!("{from}: {read} of {passages} passages, the rest by {rest}"),
        }
    }

    /// Where facts that were read come from.
    fn from(&self) -> &str {
        match &*self.meta.from {
            "" => openie::FILE,
            from => from,
        }
    }

    /// Pairs of phrases whose cosine is at least `least`, the lower first, with the cosine.
    pub fn alike(&self, least: f64) -> impl Iterator<Item = ([u32; 2], f32)> {
        let ends = self.alike_one.iter().zip(&*self.alike_other);
        let pairs = ends.zip(&*self.cosines);
        let pairs = pairs.map(|((&one, &other), &cosine)| ([one, other], cosine));
        pairs.filter(move |(_, cosine)| f64::from(*cosine) >= least)
    }

    /// Of every phrase the least cosine at which it takes another for a synonym: `least`; more where more than it may take
    /// are so near; and more than any where it takes none.
    pub(crate) fn takes(&self, least: f64) -> Vec<f32> {
        let mut count = vec![0; self.meta.phrases];
        let each = self.alike(least).flat_map(|(ends, _)| ends);
        each.for_each(|phrase| count[phrase as usize] += 1);
        let mut crowded: FxHashMap<u32, Vec<f32>> = FxHashMap::default();
        for (ends, cosine) in self.alike(least) {
            let full = |phrase: &u32| count[*phrase as usize] > MOST_ALIKE;
            for phrase in ends.into_iter().filter(full) {
                crowded.entry(phrase).or_default().push(cosine);
            }
        }
        let own = self.phrases.iter().zip(0..).map(|(phrase, number)| {
            if !asks(phrase) {
                return f32::INFINITY;
            }
            crowded.get_mut(&number).map_or(f32::MIN, |near| {
                *near
                    .select_nth_unstable_by(MOST_ALIKE - 1, |a, b| b.total_cmp(a))
                    .1
            })
        });
        own.collect()
    }

    /// Subject and object of a fact.
    pub fn ends(&self, fact: u32) -> [u32; 2] {
        [self.subject[fact as usize], self.object[fact as usize]]
    }
}

impl Layer for FactsLayer {
    const NAME: &'static str = "facts";
    const VERSION: u32 = 1;

    fn columns<'a>(&'a self, each: Each<'_, 'a>) {
        self.write("", each);
    }

    fn open(columns: &Columns) -> Result<FactsLayer, IndexError> {
        let meta: Meta = columns.json("meta")?;
        let Some(identity) = meta.identity.clone() else {
            return Err(IndexError::NoVectors {
                layer: FactsLayer::NAME,
            });
        };
        FactsLayer::read(columns, "", meta, &identity)
    }
}
