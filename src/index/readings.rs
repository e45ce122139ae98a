//! What is read of every passage by itself, before anything is known of the others: the names that rules find in it. It is
//! most of the work of a graph of names, and parts of a corpus can do it apart.

use super::IndexError;
use super::entities::EntityOptions;
use super::layer::{Columns, Each, Layer, columns};
use super::passages::Passages;
use crate::column::{self, Column};
use crate::corpus::Passage;
use crate::text::Language;
use crate::text::mentions::Mention;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;

columns! {
    /// Mentions of passages, end to end: a list for each passage would leave as many holes in memory as there are passages, and
    /// they are given back to nobody.
    #[derive(Clone, Default)]
    pub struct Mentions(columns) {
        /// Passage p's are `ends[p-1]..ends[p]`, in the order of the text.
        ends: Column<u64> = "ends" [columns.passages()] => ends(start.len());
        /// Byte range in the passage's full text (title, full stop, text).
        start: Column<u32> = "start";
        stop: Column<u32> = "stop" [start.len()] => spans(&start);
        /// Whether it is a single capitalised word that opens a sentence.
        opener: Column<u8> = "opener" [start.len()];
    }
}

columns! {
    /// The names that rules find in passages.
    pub struct Readings(columns, meta: Meta) {
        pub meta: Meta { meta };
        written: Column<u8> = "meta";
        pub mentions: Mentions = "mentions" of ();
    }
}

/// How they were read, and of which part of a corpus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    pub ner: String,
    pub language: Language,
    /// None for a whole corpus.
    pub part: Option<Part>,
}

/// A part of a corpus, one of several of about the same size, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Part {
    /// Its number, from 1.
    pub number: usize,
    /// How many parts there are.
    pub of: usize,
    /// Passages of the whole corpus.
    pub passages: usize,
    /// Hash of the content of the whole corpus.
    pub fingerprint: String,
}

impl Part {
    /// A part of these passages, by its number, from 1, and how many there are.
    pub fn of((number, of): (usize, usize), passages: &[Passage]) -> Part {
        Part {
            number,
            of,
            passages: passages.len(),
            fingerprint: Passages::new(passages).fingerprint(),
        }
    }

    /// The numbers of its passages in the whole corpus.
    pub fn range(&self) -> Range<usize> {
        let at =
            |number: usize| (number as u128 * self.passages as u128 / self.of as u128) as usize;
        at(self.number - 1)..at(self.number)
    }
}

/// Passages that one thread reads at a time.
const BLOCK: usize = 4096;

/// Mentions while they are collected.
#[derive(Default)]
struct Run {
    ends: Vec<u64>,
    start: Vec<u32>,
    stop: Vec<u32>,
    opener: Vec<u8>,
}

impl Run {
    fn passage(&mut self, mentions: Vec<Mention>) {
        for Mention { span, opener } in mentions {
            self.start.push(span.start as u32);
            self.stop.push(span.end as u32);
            self.opener.push(opener.into());
        }
        self.ends.push(self.start.len() as u64);
    }

    fn extend(&mut self, ends: &[u64], start: &[u32], stop: &[u32], opener: &[u8]) {
        let before = self.start.len() as u64;
        self.ends.extend(ends.iter().map(|end| before + end));
        self.start.extend_from_slice(start);
        self.stop.extend_from_slice(stop);
        self.opener.extend_from_slice(opener);
    }
}

impl From<Run> for Mentions {
    fn from(run: Run) -> Mentions {
        Mentions {
            ends: run.ends.into(),
            start: run.start.into(),
            stop: run.stop.into(),
            opener: run.opener.into(),
        }
    }
}

impl Mentions {
    /// On all threads; none where `mentions` gave none, as after a cancellation.
    pub fn of(
        passages: usize,
        mentions: impl Fn(usize) -> Option<Vec<Mention>> + Sync,
    ) -> Option<Mentions> {
        let block = |at: usize| {
            let mut run = Run::default();
            for p in at * BLOCK..passages.min((at + 1) * BLOCK) {
                run.passage(mentions(p)?);
            }
            Some(run)
        };
        let blocks = (0..passages.div_ceil(BLOCK)).into_par_iter().map(block);
        let blocks = blocks.collect::<Option<Vec<Run>>>()?;
        let mut all = Run::default();
        for run in blocks {
            all.extend(&run.ends, &run.start, &run.stop, &run.opener);
        }
        Some(all.into())
    }

    /// Whether all of them are whole characters of the passages' texts, as those that were just found are.
    pub fn stand_in(&self, passages: &Passages) -> bool {
        (0..passages.len()).into_par_iter().all(|p| {
            let text = passages.full_text(p);
            let mut own = self.of_passage(p);
            own.all(|mention| text.get(mention.span).is_some())
        })
    }

    /// Those of a passage; none of one that was not read.
    pub fn of_passage(&self, passage: usize) -> impl Iterator<Item = Mention> + '_ {
        let own = match passage < self.ends.len() {
            true => column::range(&self.ends, passage),
            false => 0..0,
        };
        own.map(|at| Mention {
            span: self.start[at] as usize..self.stop[at] as usize,
            opener: self.opener[at] != 0,
        })
    }
}

impl Readings {
    /// Reads passages on all threads. `tick` is called for each and stops the work by returning false.
    pub fn of(
        passages: &Passages,
        options: &EntityOptions,
        tick: impl Fn() -> bool + Sync,
    ) -> Option<Readings> {
        let ner = options.extractor();
        let read = |p: usize| ner.mentions(options.language, &passages.full_text(p));
        let mentions = Mentions::of(passages.len(), |p| tick().then(|| read(p)))?;
        let meta = Meta {
            ner: ner.name().to_owned(),
            language: options.language,
            part: None,
        };
        Some(Readings::with(meta, mentions))
    }

    fn with(meta: Meta, mentions: Mentions) -> Readings {
        Readings {
            written: serde_json::to_vec(&meta).unwrap_or_default().into(),
            meta,
            mentions,
        }
    }

    /// The parts of a corpus, in order, as the whole.
    pub fn joined<'r>(parts: impl Iterator<Item = &'r Readings>) -> Option<Readings> {
        let (mut run, mut meta) = (Run::default(), None);
        for part in parts {
            let own = &part.mentions;
            run.extend(&own.ends, &own.start, &own.stop, &own.opener);
            meta.get_or_insert_with(|| part.meta.clone());
        }
        let meta = Meta {
            part: None,
            ..meta?
        };
        Some(Readings::with(meta, run.into()))
    }

    /// The same, of a part.
    pub fn of_part(&self, part: Part) -> Readings {
        let meta = Meta {
            part: Some(part),
            ..self.meta.clone()
        };
        Readings::with(meta, self.mentions.clone())
    }

    /// Whether these options read passages like this.
    pub fn fits(&self, options: &EntityOptions) -> bool {
        self.meta.ner == options.extractor().name() && self.meta.language == options.language
    }
}

impl Layer for Readings {
    const NAME: &'static str = "readings";
    const VERSION: u32 = 1;

    fn columns<'a>(&'a self, each: Each<'_, 'a>) {
        self.write("", each);
    }

    fn open(columns: &Columns) -> Result<Readings, IndexError> {
        let meta = columns.json("meta")?;
        Readings::read(columns, "", meta)
    }
}
