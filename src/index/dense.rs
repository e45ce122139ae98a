//! Vectors of all passages, and the encoder that made them.

use super::IndexError;
use super::excerpt::Fetched;
use super::near::{Near, NearEntry};
use super::passages::Passages;
use super::rows::{Encoded, Nearest};
use crate::column::Column;
use crate::corpus::Question;
use crate::derived::once;
use crate::embed::vectors::{Probe, Rows, top};
use crate::embed::{
    EmbedError, Encoder, Given, Hnsw, HnswOptions, Identity, Kind, VectorWriter, Vectors, Weights,
    spec,
};
use crate::text::about::heading;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::OnceLock;

/// How the vectors were made, as the manifest keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DenseEntry {
    /// What opens the encoder again: `static`, `bert:FOLDER` or `endpoint:URL`.
    pub encoder: String,
    /// Which encoder made them.
    pub identity: Identity,
    /// The small-world graph stored with them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hnsw: Option<NearEntry>,
}

impl DenseEntry {
    /// How the vectors are searched.
    pub fn searched(&self) -> String {
        let graph = self.hnsw.as_ref();
        graph.map_or_else(|| "searched exactly".to_owned(), ToString::to_string)
    }
}

/// Vectors made elsewhere: `.npy` files of float32, rows in the order of the passages and of the questions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenFiles {
    pub passages: PathBuf,
    pub questions: PathBuf,
}

/// What stands for the encoder of vectors that were given.
pub const FILE: &str = "file";

/// Passages encoded at a time.
const BLOCK: usize = 16_384;

/// Whether anything can be near to a vector: one of zeros points nowhere.
pub fn has_direction(vector: &[f32]) -> bool {
    vector.iter().any(|value| *value != 0.0)
}

/// Numbers of each vector that a thread adds up.
const WIDTH: usize = 64;

/// Whoever finds the nearest elsewhere rounds otherwise: so many more are asked for.
const SPARE: usize = 16;

/// The dense part of an index.
pub struct Dense {
    pub entry: DenseEntry,
    pub vectors: Vectors,
    pub encoder: Box<dyn Encoder>,
    /// Which passages have their vector, a row each; none where every one has.
    pub(super) fetched: Option<Fetched>,
    /// Whoever has them all has a small-world graph, too.
    graph_elsewhere: bool,
    /// See [`Dense::mean`].
    mean: OnceLock<Column<f64>>,
    pub(super) near: Near,
}

impl Dense {
    /// Encodes all passages, those without a title behind what they are about where `subjects` are asked for. `None` when
    /// `progress`, which hears how many are done, stops the work.
    pub(super) fn build(
        passages: &Passages,
        encoder: &str,
        subjects: bool,
        progress: &dyn Fn(usize) -> bool,
    ) -> Result<Option<Dense>, EmbedError> {
        let mut opened = spec::open(encoder, Weights::default(), &|| progress(0))?;
        let headings: Vec<Cow<'_, str>> = (0..passages.len())
            .into_par_iter()
            .map(|p| heading(passages.title(p), passages.text(p), subjects))
            .collect();
        let texts: Vec<(&str, &str)> = headings
            .iter()
            .zip(0..)
            .map(|(heading, p)| (&**heading, passages.text(p)))
            .collect();
        if !progress(0) {
            return Ok(None);
        }
        opened.learn(&texts)?;
        // Quantised block by block: the rows of a million passages in f32 would be the largest thing in memory.
        let identity = opened.identity().clone();
        let mut gather = VectorWriter::new(identity.clone(), identity.kind == Kind::Static);
        for (at, block) in texts.chunks(BLOCK).enumerate() {
            let rows = opened.passages(block, &|done| progress(at * BLOCK + done));
            match rows {
                Err(EmbedError::Cancelled) => return Ok(None),
                rows => gather.push(&rows?)?,
            }
        }
        Ok(Some(Dense::of(encoder, opened, gather.finish()?)))
    }

    /// Takes vectors from files. `questions` are all those of the corpus.
    pub(super) fn given(
        passages: &Passages,
        questions: &[Question],
        files: &GivenFiles,
    ) -> Result<Dense, EmbedError> {
        let texts: Vec<&str> = questions.iter().map(|q| q.text.as_str()).collect();
        let mut given = Given::open(&files.passages, &files.questions, &texts)?;
        let rows = given.take_passages().unwrap_or_default();
        if rows.len != passages.len() {
            let said = format!(
                "{} vectors, but the corpus has {} passages",
                rows.len,
                passages.len()
            );
            let remedy = "give one row a passage, in the order of the corpus";
            return Err(EmbedError::file(&files.passages, said, remedy));
        }
        Dense::with(FILE, Box::new(given), rows.rows)
    }

    /// Rows made by an encoder, one a passage. Those of the built-in table are kept in int8: it is no finer itself.
    pub fn with(
        spec: &str,
        encoder: Box<dyn Encoder>,
        rows: Vec<f32>,
    ) -> Result<Dense, EmbedError> {
        let identity = encoder.identity().clone();
        let mut vectors = Vectors::new(identity.clone(), rows)?;
        if identity.kind == Kind::Static {
            vectors = vectors.quantised();
        }
        Ok(Dense::of(spec, encoder, vectors))
    }

    pub(super) fn of(given: &str, encoder: Box<dyn Encoder>, vectors: Vectors) -> Dense {
        Dense {
            entry: DenseEntry {
                encoder: spec::public(given),
                identity: vectors.identity().clone(),
                hnsw: None,
            },
            vectors,
            encoder,
            fetched: None,
            graph_elsewhere: false,
            mean: OnceLock::new(),
            near: Near::default(),
        }
    }

    /// Whether a small-world graph comes with the vectors.
    pub fn has_graph(&self) -> bool {
        self.entry.hnsw.is_some() || self.graph_elsewhere
    }

    /// The `depth` passages nearest to a vector, best first, and how many were compared: all, or those that a beam in the
    /// small-world graph of these options meets.
    ///
    /// # Errors
    /// A vector of another shape.
    pub fn nearest(
        &self,
        vector: &[f32],
        depth: usize,
        graph: Option<(&HnswOptions, usize)>,
    ) -> Result<(Vec<(u32, f32)>, usize), EmbedError> {
        let Some(fetched) = &self.fetched else {
            return Ok(match graph {
                Some((options, beam)) => {
                    let graph = self.hnsw(options)?;
                    let found = graph.nearest(&self.vectors, vector, depth, beam)?;
                    let count = found.len();
                    (found, count)
                }
                None => (self.vectors.nearest(vector, depth)?, self.vectors.len()),
            });
        };
        let nearest = Nearest {
            vector: self.vectors.probe(vector)?.compared(),
            depth: match graph {
                Some(_) => depth,
                None => depth.saturating_add(SPARE),
            },
            beam: graph.map(|(_, beam)| beam),
        };
        fetched.asked.note(|wanted| {
            let known = wanted.nearest.as_ref();
            if known.is_none_or(|known| known.depth < nearest.depth) {
                wanted.nearest = Some(nearest);
            }
        });
        let mut found = top(&self.vectors.scores(vector)?, depth);
        for (row, _) in &mut found {
            *row = fetched.all()[*row as usize];
        }
        let compared = if graph.is_some() {
            found.len()
        } else {
            fetched.among()
        };
        Ok((found, compared))
    }

    /// Cosine of a query and a passage; 0 where that was not fetched yet.
    pub fn cosine(&self, probe: &Probe, passage: u32) -> f32 {
        let row = match &self.fetched {
            Some(fetched) => fetched.place_or_asks(passage, |wanted| &mut wanted.vectors),
            None => Some(passage),
        };
        row.map_or(0.0, |row| self.vectors.score(probe, row))
    }

    /// Opens what an index stored. The encoder must still be the one that made the vectors.
    pub(super) fn open(
        entry: DenseEntry,
        rows: Rows,
        encoder: Box<dyn Encoder>,
        graph: Option<[Column<u32>; 4]>,
        mean: Option<Column<f64>>,
    ) -> Result<Dense, IndexError> {
        let vectors = Vectors::stored(entry.identity.clone(), rows)?;
        vectors.check(encoder.identity())?;
        let mut near = Near::default();
        if let Some(columns) = graph {
            near.stored = Some(Hnsw::stored(columns, &vectors)?.into());
        }
        Ok(Dense {
            entry,
            vectors,
            encoder,
            fetched: None,
            graph_elsewhere: false,
            mean: mean.map_or_else(OnceLock::new, OnceLock::from),
            near,
        })
    }

    /// The vector of a question or of another short text. None where the encoder knows no piece of it: a vector of zeros
    /// has no direction, and nothing is near to it.
    ///
    /// # Errors
    /// What the encoder says.
    pub fn question(&self, text: &str) -> Result<Option<Vec<f32>>, EmbedError> {
        let vector = self.encoder.question(text)?;
        Ok(has_direction(&vector).then_some(vector))
    }

    /// The same as those of an excerpt, which has some of the whole's.
    pub(super) fn within(self, whole: &Encoded, fetched: Fetched) -> Dense {
        Dense {
            fetched: Some(fetched),
            graph_elsewhere: whole.near.is_some(),
            mean: Column::from(whole.mean()).into(),
            ..self
        }
    }

    /// The passages that are wanted by their nearness.
    pub(super) fn found(&self, wanted: &Nearest) -> Result<Vec<(u32, f32)>, EmbedError> {
        let graph = self.entry.hnsw.as_ref().zip(wanted.beam);
        let graph = graph.map(|(near, beam)| (&near.options, beam));
        Ok(self.nearest(&wanted.vector, wanted.depth, graph)?.0)
    }

    /// The mean of all vectors. An index that was written before it stored it works it out.
    pub fn mean(&self) -> &Column<f64> {
        once(&self.mean, || {
            let count = self.vectors.len().max(1) as f64;
            let mut mean = vec![0.0; self.vectors.dims()];
            let parts = mean.par_chunks_mut(WIDTH).enumerate();
            parts.for_each(|(part, own)| {
                self.vectors.add_all(part * WIDTH, own);
                own.iter_mut().for_each(|sum| *sum /= count);
            });
            mean.into()
        })
    }

    /// The mean over all passages of their cosine with a vector: one product with the mean vector.
    pub fn mean_cosine(&self, vector: &[f32]) -> f64 {
        let mean = self.mean().iter();
        mean.zip(vector).map(|(m, x)| m * f64::from(*x)).sum()
    }
}
