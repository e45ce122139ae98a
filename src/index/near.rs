//! Approximate search in an index: when its small-world graph is built, how well it finds, and the graphs derived later.

use super::dense::Dense;
use crate::corpus::Question;
use crate::derived::Derived;
use crate::embed::{EmbedError, Hnsw, HnswOptions, Kind};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// From so many vectors on, an index gets a graph unless it is told otherwise: here an exact search on one core takes the
/// time between two frames. Measured, CPU time of one search of 100,000 vectors: 5.2 ms of 256 int8 numbers, 8.1 ms of
/// 384 floats, growing with their number. Of 25,000, a graph of M 32 and efC 200 answers in 0.4 ms, finds .977 of the ten
/// nearest to a question at ef 64 and .988 at the 100 that retrieval keeps, and takes 11 s of one core to build.
pub const FROM: usize = 200_000;
/// Recall is of so many nearest passages,
pub const RECALL_AT: usize = 10;
/// over so many passages and so many questions, evenly taken.
const PASSAGES: usize = 200;
const QUESTIONS: usize = 100;

/// Which graph an index is built with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearOptions {
    /// An index of fewer vectors gets none.
    pub from: usize,
    pub graph: HnswOptions,
    /// Width of the beam that recall is measured with.
    pub ef_search: usize,
}

/// The stored graph, as the manifest keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NearEntry {
    /// Options that it was built with.
    pub options: HnswOptions,
    /// How often it finds the true nearest.
    pub recall: Recall,
}

/// The share of the true nearest passages that the graph finds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Recall {
    /// How many nearest.
    pub k: usize,
    /// Width of the beam.
    pub ef_search: usize,
    /// Passages as queries; each finds itself.
    pub passages: Sampled,
    /// The index's own questions, where they can be encoded for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions: Option<Sampled>,
}

/// A mean over a sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sampled {
    /// Number of queries.
    pub sample: usize,
    /// 0 to 1.
    pub recall: f64,
}

impl std::fmt::Display for NearEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (o, r) = (&self.options, &self.recall);
        write!(
            f,
            "hnsw M {}, efC {}; recall@{} at ef {}: {:.4} over {} passages",
            o.m, o.ef_construction, r.k, r.ef_search, r.passages.recall, r.passages.sample
        )?;
        match r.questions {
            Some(q) => write!(f, ", {:.4} over {} questions", q.recall, q.sample),
            None => Ok(()),
        }
    }
}

/// The graphs over an index's vectors: the stored one, and those derived for other options.
#[derive(Default)]
pub struct Near {
    pub(super) stored: Option<Arc<Hnsw>>,
    derived: Derived<HnswOptions, Hnsw>,
}

impl Dense {
    /// The graph of these options: the stored one, or one derived from the vectors now and kept.
    ///
    /// # Errors
    /// Options out of range.
    pub fn hnsw(&self, options: &HnswOptions) -> Result<Arc<Hnsw>, EmbedError> {
        if let (Some(entry), Some(graph)) = (&self.entry.hnsw, &self.near.stored)
            && entry.options == *options
        {
            return Ok(graph.clone());
        }
        let build = || Hnsw::build(&self.vectors, options, &|_| true).map(Arc::new);
        self.near.derived.get(options, build)
    }

    /// Builds the graph to store and measures it. `progress` hears how many vectors are in and may stop the build.
    pub(super) fn build_near(
        &mut self,
        options: &NearOptions,
        questions: &[Question],
        progress: &dyn Fn(usize) -> bool,
    ) -> Result<(), EmbedError> {
        let graph = Hnsw::build(&self.vectors, &options.graph, progress)?;
        self.entry.hnsw = Some(NearEntry {
            options: options.graph.clone(),
            recall: self.recall(&graph, options.ef_search, questions)?,
        });
        self.near.stored = Some(graph.into());
        Ok(())
    }

    fn recall(
        &self,
        graph: &Hnsw,
        ef_search: usize,
        questions: &[Question],
    ) -> Result<Recall, EmbedError> {
        let mean = |queries: Vec<Vec<f32>>| -> Result<Sampled, EmbedError> {
            Ok(Sampled {
                sample: queries.len(),
                recall: graph.recall(&self.vectors, &queries, RECALL_AT, ef_search)?,
            })
        };
        let passage = |row: usize| {
            let mut query = vec![0.0; self.vectors.dims()];
            self.vectors.row(row as u32, &mut query);
            query
        };
        // An endpoint would be paid for each question.
        let asked: Vec<Vec<f32>> = match self.entry.identity.kind {
            Kind::Endpoint => Vec::new(),
            _ => evenly(questions.len(), QUESTIONS)
                .map(|q| self.encoder.question(&questions[q].text))
                .collect::<Result<_, _>>()?,
        };
        Ok(Recall {
            k: RECALL_AT,
            ef_search,
            passages: mean(evenly(self.vectors.len(), PASSAGES).map(passage).collect())?,
            questions: if asked.is_empty() {
                None
            } else {
                Some(mean(asked)?)
            },
        })
    }
}

/// At most `sample` of `count` places, evenly spread.
fn evenly(count: usize, sample: usize) -> impl Iterator<Item = usize> {
    (0..count).step_by(count.div_ceil(sample).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{BuildOptions, Index, IndexError, Progress, Silent, Step, sample};
    use std::fs;

    fn options(from: usize, m: usize) -> BuildOptions {
        BuildOptions {
            near: Some(NearOptions {
                from,
                graph: HnswOptions {
                    m,
                    ef_construction: 60,
                    seed: 0,
                },
                ef_search: 64,
            }),
            ..BuildOptions::default()
        }
    }

    #[test]
    fn samples_are_spread() {
        assert_eq!(evenly(5, 10).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        assert_eq!(evenly(10, 5).collect::<Vec<_>>(), [0, 2, 4, 6, 8]);
        assert_eq!(evenly(11, 5).collect::<Vec<_>>(), [0, 3, 6, 9]);
        assert_eq!(evenly(0, 5).count(), 0);
    }

    #[test]
    fn built_from_a_size_on_stored_and_found_again() {
        let home = tempfile::tempdir().unwrap();
        let (with, without) = (home.path().join("with"), home.path().join("without"));
        let create = |options: &BuildOptions, folder: &std::path::Path| {
            let built = Index::create(sample::corpus().unwrap(), options, folder, &Silent);
            built.unwrap().manifest.dense.unwrap().hnsw
        };
        let entry = create(&options(225, 8), &with).unwrap();
        assert_eq!(create(&options(226, 8), &without), None);
        assert_eq!(entry.recall.passages.sample, 113);
        assert_eq!(entry.recall.questions.unwrap().sample, 92);
        assert!(entry.recall.passages.recall > 0.99 && entry.recall.ef_search == 64);
        let said = entry.to_string();
        assert!(said.starts_with("hnsw M 8, efC 60; recall@10 at ef 64: "));
        assert!(said.ends_with(" over 92 questions"), "{said}");

        // The stored graph is the one that the same options derive, node by node.
        let (opened, bare) = (Index::open(&with).unwrap(), Index::open(&without).unwrap());
        let (opened, bare) = (opened.dense().unwrap(), bare.dense().unwrap());
        assert_eq!(opened.entry.hnsw.as_ref(), Some(&entry));
        let stored = opened.hnsw(&entry.options).unwrap();
        assert!(Arc::ptr_eq(&stored, opened.near.stored.as_ref().unwrap()));
        let derived = bare.hnsw(&entry.options).unwrap();
        for ((name, a), (_, b)) in stored.columns().into_iter().zip(derived.columns()) {
            assert!(a[..] == b[..], "{name}");
        }
        // Kept, and another one for other options.
        assert!(Arc::ptr_eq(&derived, &bare.hnsw(&entry.options).unwrap()));
        let wider = HnswOptions {
            m: 12,
            ..entry.options.clone()
        };
        assert_eq!(opened.hnsw(&wider).unwrap().m(), 12);
        let wrong = HnswOptions { m: 1, ..wider };
        assert!(opened.hnsw(&wrong).is_err());
    }

    #[test]
    fn guarded_like_every_file_and_cancelled_like_every_step() {
        struct Stop;
        impl Progress for Stop {
            fn advance(&self, step: Step, _: usize, _: usize) -> bool {
                step != Step::Near
            }
        }
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("index");
        let stopped = Index::create(sample::corpus().unwrap(), &options(0, 8), &folder, &Stop);
        assert!(matches!(stopped, Err(IndexError::Cancelled)));
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
        Index::create(sample::corpus().unwrap(), &options(0, 8), &folder, &Silent).unwrap();
        for name in ["hnsw.head", "hnsw.base", "hnsw.ends", "hnsw.upper"] {
            let path = folder.join(name);
            let bytes = fs::read(&path).unwrap();
            let mut changed = bytes.clone();
            changed[0] ^= 1;
            fs::write(&path, changed).unwrap();
            let error = Index::open(&folder).err().unwrap().to_string();
            assert!(error.contains(name), "{error}");
            fs::write(&path, bytes).unwrap();
        }
        assert!(Index::open(&folder).is_ok());
    }
}
