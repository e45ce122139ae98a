//! First-stage lists: words, vectors, both fused, and words with feedback.

use super::methods::{Ranker, Select};
use super::observer::Observer;
use super::rank::{self, Fusion};
use super::retrieval::Ranked;
use super::settings::Settings;
use super::{RetrieveError, Retriever, depth, hop, nearest};
use crate::index::Dense;
use std::sync::Arc;

/// Passages kept of a first-stage list: hop's tail of seeds is this long.
const LISTED: usize = 200;

/// First-stage lists remembered: hop needs four at once.
const LISTS: usize = 4;

impl Retriever {
    /// The vectors, which this method needs.
    pub(super) fn dense(&self, settings: &Settings) -> Result<&Dense, RetrieveError> {
        self.index.dense().ok_or(RetrieveError::NoVectors {
            method: settings.method().name.clone(),
        })
    }

    /// The first-stage ranking of a ranker.
    pub(super) fn ranked<O: Observer>(
        &mut self,
        ranker: Ranker,
        question: &str,
        settings: &Settings,
        observer: &mut O,
    ) -> Result<Arc<Ranked>, RetrieveError> {
        let signals = settings.method().select == Select::Signals;
        let depth = match signals {
            true => depth(settings).max(LISTED),
            false => depth(settings),
        };
        // hop fuses more than others do.
        let by = match (signals, ranker) {
            (true, Ranker::Rrf) => "hop",
            _ => ranker.label(),
        };
        let mut key = (
            format!("{by} {depth}\n{question}"),
            settings.key(rank::BM25),
        );
        key.1.extend(settings.key(rank::EXPANDED));
        if let Some((_, known)) = self.ranked.iter().find(|(known, _)| *known == key) {
            observer.stage(ranker.stage(), true);
            return Ok(known.clone());
        }
        let ranked = match ranker {
            Ranker::Bm25 => {
                let words = self
                    .index
                    .lexical()
                    .question(rank::tokens(settings), question)?;
                rank::words(
                    &self.index,
                    ranker,
                    words,
                    settings,
                    depth,
                    &mut self.scratch,
                )?
            }
            Ranker::Dense => {
                let vector = self.vector(question)?;
                let vector = vector.as_ref().map_or(&[][..], |v| &v[..]);
                nearest::nearest(self.dense(settings)?, vector, settings, depth)?
            }
            Ranker::Rrf => {
                let words = self.ranked(Ranker::Bm25, question, settings, observer)?;
                let vectors = self.ranked(Ranker::Dense, question, settings, observer)?;
                let mut lists = vec![words, vectors];
                if signals {
                    // A seed that one way of cutting words misses, the other may find.
                    let other = hop::as_they_stand(settings);
                    lists.push(self.ranked(Ranker::Bm25, question, &other, observer)?);
                }
                rank::fuse(lists, Fusion::Rank, settings, depth)
            }
            Ranker::Rm3 | Ranker::TwoStep => {
                let first = self.ranked(Ranker::Bm25, question, settings, observer)?;
                let (words, expansion) = if ranker == Ranker::TwoStep {
                    let view = self.view(settings, observer);
                    let names = self.linked(question, settings, &view, observer);
                    rank::two_step(&self.index, &view.graph, &names, first.clone(), settings)?
                } else {
                    rank::rm3(&self.index, first.clone(), settings)?
                };
                let second = rank::words(
                    &self.index,
                    ranker,
                    words,
                    settings,
                    depth,
                    &mut self.scratch,
                )?;
                Ranked {
                    expansion,
                    parts: vec![first],
                    ..second
                }
            }
        };
        observer.stage(ranker.stage(), false);
        let ranked = Arc::new(ranked);
        if self.ranked.len() == LISTS {
            self.ranked.remove(0);
        }
        self.ranked.push((key, ranked.clone()));
        Ok(ranked)
    }
}
