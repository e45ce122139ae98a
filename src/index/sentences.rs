//! What `hop` adds to an index: the graph whose names include passage titles, and a vector for every sentence.

use super::excerpt::Fetched;
use super::rows::Span;
use crate::column::Column;
use crate::embed::vectors::{Probe, Row};
use crate::embed::{Encoder, Identity, Static, VectorWriter, Vectors, Weights};
use crate::index::layer::{Blocks, Columns, Each, columns};
use crate::index::{EntityGraph, EntityOptions, Index, IndexError, Layer, Progress, Step};
use crate::text::span;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// Passages whose sentences are encoded at a time.
const BATCH: usize = 2048;
/// The column of the numbers of all vectors.
const NUMBERS: &str = "sentences.i8";

columns! {
    /// Names with titles, and sentences with vectors.
    pub struct HopLayer(
        columns,
        meta: Meta,
        identity: &Identity,
        graph: Arc<EntityGraph>,
        encoder: Static,
        blocks: Option<Blocks>
    ) {
        pub graph: Arc<EntityGraph> { graph };
        meta: Meta { meta };
        written: Column<u8> = "meta";
        /// Sentences up to the end of each passage.
        ends: Column<u32> = "sentences.ends" [columns.passages()] => ends(start.len());
        /// Byte range in the passage's full text.
        start: Column<u32> = "sentences.start";
        stop: Column<u32> = "sentences.stop" [start.len()] => spans(&start);
        /// By the built-in table, whatever encoder the passages have: a sentence has to be cheap.
        vectors: Vectors = "sentences" by identity, "scale" [start.len()];
        /// What the numbers of the vectors are held against, as they are the most that an index stores and few are read; none of
        /// those that were held whole.
        blocks: Option<Blocks> { blocks };
        pub(super) encoder: Static { encoder };
        /// Which passages have vectors of their sentences; none where every one has.
        fetched: Option<Fetched> { None };
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Meta {
    options: EntityOptions,
    identity: Identity,
}

impl Layer for HopLayer {
    const NAME: &'static str = "hop";
    const VERSION: u32 = 1;
    const BY_BLOCKS: &'static [&'static str] = &[NUMBERS];

    fn columns<'a>(&'a self, each: Each<'_, 'a>) {
        self.graph.put_in_order(self.meta.options.language);
        self.graph.write("", each);
        self.write("", each);
        if let Some(blocks) = &self.blocks {
            blocks.write(NUMBERS, each);
        }
        if let Some(weights) = self.encoder.weights() {
            each("sentences.weight", weights.column().bytes());
        }
    }

    fn open(columns: &Columns) -> Result<HopLayer, IndexError> {
        let meta: Meta = columns.json("meta")?;
        let graph = EntityGraph::open(columns)?;
        let encoder = Static::new(Weights::stored(columns.column("sentences.weight")?))?;
        let identity = meta.identity.clone();
        let (graph, blocks) = (Arc::new(graph), columns.blocks(NUMBERS)?);
        let layer = HopLayer::read(columns, "", meta, &identity, graph, encoder, blocks)?;
        layer.vectors.check(layer.encoder.identity())?;
        Ok(layer)
    }
}

impl HopLayer {
    /// # Errors
    /// A cancelled build.
    pub fn build(index: &Index, progress: &dyn Progress) -> Result<HopLayer, IndexError> {
        let options = options(index);
        let passages = index.passages();
        let total = passages.len();
        let step = Step::Layer("hop");
        let graph = match *index.options() == options {
            // An index of a corpus that is only looked at, for this very method.
            true => index.entity_graph(&options)?,
            false => {
                let read = |done| progress.advance(step, done / 2, total);
                let graph = index.read_graph(&options, read);
                graph.ok_or(IndexError::Cancelled)?.into()
            }
        };
        let encoder = encoder(index)?;
        let mut gather = VectorWriter::new(encoder.identity().clone(), true);
        let (mut ends, mut start, mut stop) = (Vec::new(), Vec::new(), Vec::new());
        for first in (0..total).step_by(BATCH) {
            let batch: Vec<(String, Vec<Range<usize>>)> = (first..total.min(first + BATCH))
                .into_par_iter()
                .map(|p| {
                    let text = passages.full_text(p);
                    let body = text.len() - passages.text(p).len();
                    let ranges = index.language().sentences(passages.text(p)).into_iter();
                    let ranges = ranges.map(|r| span::shift(&r, body)).collect();
                    (text, ranges)
                })
                .collect();
            let texts: Vec<(&str, &str)> = batch
                .iter()
                .flat_map(|(text, ranges)| ranges.iter().map(|r| ("", span::of(text, r.clone()))))
                .collect();
            gather.push(&encoder.passages(&texts, &|_| true)?)?;
            for (_, ranges) in &batch {
                start.extend(ranges.iter().map(|r| r.start as u32));
                stop.extend(ranges.iter().map(|r| r.end as u32));
                ends.push(start.len() as u32);
            }
            if !progress.advance(step, (total + first + batch.len()) / 2, total) {
                return Err(IndexError::Cancelled);
            }
        }
        let meta = Meta {
            options,
            identity: encoder.identity().clone(),
        };
        let vectors = gather.finish()?;
        Ok(HopLayer {
            graph,
            blocks: Some(Blocks::of(vectors.bytes())),
            written: serde_json::to_vec(&meta).unwrap_or_default().into(),
            meta,
            ends: ends.into(),
            start: start.into(),
            stop: stop.into(),
            vectors,
            encoder,
            fetched: None,
        })
    }

    /// What was fetched of a layer: of some passages, ascending, places of sentences, and their vectors where they came.
    ///
    /// # Errors
    /// Vectors that do not fit the encoder.
    pub(super) fn fetched<'a>(
        graph: Arc<EntityGraph>,
        (options, identity, encoder): (EntityOptions, Identity, Static),
        passages: impl Iterator<Item = (usize, &'a [Span], Option<&'a [Row]>)>,
        fetched: Fetched,
    ) -> Result<HopLayer, IndexError> {
        let mut gather = VectorWriter::new(identity.clone(), true);
        let (mut ends, mut start, mut stop) = (Vec::new(), Vec::new(), Vec::new());
        for (passage, spans, vectors) in passages {
            ends.resize(passage, start.len() as u32);
            for (at, span) in spans.iter().enumerate() {
                start.push(span.start);
                stop.push(span.end);
                gather.keep(vectors.and_then(|vectors| vectors.get(at)));
            }
            ends.push(start.len() as u32);
        }
        ends.resize(graph.passages, start.len() as u32);
        Ok(HopLayer {
            graph,
            meta: Meta { options, identity },
            written: Column::default(),
            ends: ends.into(),
            start: start.into(),
            stop: stop.into(),
            vectors: gather.finish()?,
            blocks: None,
            encoder,
            fetched: Some(fetched),
        })
    }

    /// What the layer's graph was built with.
    pub fn options(&self) -> &EntityOptions {
        &self.meta.options
    }

    /// Numbers of a passage's sentences.
    pub fn sentences(&self, passage: u32) -> Range<u32> {
        let from = match passage {
            0 => 0,
            p => self.ends[p as usize - 1],
        };
        from..self.ends[passage as usize]
    }

    /// Where a sentence stands in its passage's full text.
    pub fn span(&self, sentence: u32) -> Range<usize> {
        self.start[sentence as usize] as usize..self.stop[sentence as usize] as usize
    }

    /// The sentence that holds a span of its passage's full text whole.
    pub fn holding(&self, passage: u32, span: Range<usize>) -> Option<u32> {
        let own = self.sentences(passage);
        let starts = &self.start[own.start as usize..own.end as usize];
        let before = starts.partition_point(|start| *start as usize <= span.start);
        let sentence = own.start + before.checked_sub(1)? as u32;
        (span.end <= self.span(sentence).end).then_some(sentence)
    }

    /// Cosine of the question and each of a passage's sentences.
    ///
    /// # Errors
    /// None from the built-in table.
    pub fn probe(&self, question: &str) -> Result<Probe, IndexError> {
        Ok(self.vectors.probe(&self.encoder.question(question)?)?)
    }

    /// Holds the numbers of a sentence's vector against their checksums.
    fn hold(&self, sentence: u32) -> Result<(), IndexError> {
        match &self.blocks {
            None => Ok(()),
            Some(blocks) => blocks.hold(self.vectors.bytes(), self.vectors.bytes_of(sentence)),
        }
    }

    /// Cosine of the question and a sentence.
    ///
    /// # Errors
    /// A vector of other bytes than were stored.
    pub fn cosine(&self, probe: &Probe, sentence: u32) -> Result<f32, IndexError> {
        self.hold(sentence)?;
        Ok(self.vectors.score(probe, sentence))
    }

    /// A passage's sentences with their cosines; none where they were not fetched yet.
    ///
    /// # Errors
    /// As [`cosine`](Self::cosine).
    pub fn cosines(&self, probe: &Probe, passage: u32) -> Result<Vec<(u32, f32)>, IndexError> {
        let fetched = self.fetched.as_ref();
        let has = fetched.is_none_or(|own| {
            own.place_or_asks(passage, |wanted| &mut wanted.sentences)
                .is_some()
        });
        let own = self.sentences(passage).filter(|_| has);
        own.map(|sentence| Ok((sentence, self.cosine(probe, sentence)?)))
            .collect()
    }

    /// The vector of a sentence, as it is kept.
    ///
    /// # Errors
    /// As [`cosine`](Self::cosine).
    pub(super) fn vector(&self, sentence: u32) -> Result<Row, IndexError> {
        self.hold(sentence)?;
        Ok(self.vectors.own(sentence))
    }

    /// Number of sentences.
    pub fn len(&self) -> usize {
        self.start.len()
    }

    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }
}

/// The names of an index with its titles among them, where other layers look for them too.
///
/// # Errors
/// Damaged columns.
pub fn titled(index: &Index) -> Result<Arc<EntityGraph>, IndexError> {
    let options = options(index);
    match index.layer::<HopLayer>() {
        Ok(layer) if *layer.options() == options => Ok(layer.graph.clone()),
        _ => index.entity_graph(&options),
    }
}

/// The graph of these options, which hop's layer may have: to derive it again would read the whole corpus.
///
/// # Errors
/// As [`titled`].
pub fn graph_of(index: &Index, wanted: &EntityOptions) -> Result<Arc<EntityGraph>, IndexError> {
    match *wanted != *index.options() && *wanted == options(index) {
        true => titled(index),
        false => index.entity_graph(wanted),
    }
}

/// The extractor and normal form of the index, with titles as names.
fn options(index: &Index) -> EntityOptions {
    EntityOptions {
        gazetteer: true,
        ..index.options().clone()
    }
}

/// The built-in table with the weights of this corpus.
fn encoder(index: &Index) -> Result<Static, IndexError> {
    let stored = index.dense().and_then(|d| {
        let own = d.vectors.identity().kind == crate::embed::Kind::Static;
        d.encoder.weights().filter(|_| own)
    });
    if let Some(weights) = stored {
        let copy = Weights::stored(weights.column().to_vec().into());
        return Ok(Static::new(copy)?);
    }
    let passages = index.passages();
    let texts: Vec<(&str, &str)> = (0..passages.len())
        .map(|p| (passages.title(p), passages.text(p)))
        .collect();
    let mut encoder = Static::new(Weights::default())?;
    encoder.learn(&texts)?;
    Ok(encoder)
}
