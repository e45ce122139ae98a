//! The core: seed some nodes, spread score from them, select passages from where it lands.
//!
//! [`Retriever::retrieve`] is pure in its inputs: same index, question and settings, same bits, on any number of threads.
//! Stages remember their last result by what they depend on, so a slider step re-runs only what it changes.

pub mod link;
pub mod methods;
pub mod observer;
pub mod parameters;
pub mod retrieval;
pub mod seed;
pub mod settings;
pub mod spread;
pub mod view;

pub use methods::{DEFAULT_METHOD, METHODS, Method, Ranker};
pub use observer::{Observer, Quiet, Recorder, StageTime};
pub use parameters::{Domain, Parameter, Stage, Value};
pub use retrieval::{
    DEPTH, Hit, Ledger, Link, Mask, Mixed, Node, QueryName, Ranked, Retrieval, Seed, SeedReason,
    Spread,
};
pub use settings::{Origin, Settings};
pub use view::GraphView;

use crate::index::{Bm25, Index};
use crate::text::Tokens;
use parameters::Parameter as P;
use seed::Seeded;
use std::sync::Arc;

/// Why a retrieval cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum RetrieveError {
    #[error("lexical index: {0}")]
    Lexical(#[from] std::io::Error),
}

/// What a stage's result depends on: a name for everything that is no parameter, and the parameters' values.
type Key = (String, Vec<Value>);

/// The last result of a stage.
struct Memo<T>(Option<(Key, Arc<T>)>);

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Memo(None)
    }
}

impl<T> Memo<T> {
    fn get(&self, key: &Key) -> Option<Arc<T>> {
        self.0
            .as_ref()
            .filter(|(k, _)| k == key)
            .map(|(_, value)| value.clone())
    }

    fn put(&mut self, key: Key, value: T) -> Arc<T> {
        let value = Arc::new(value);
        self.0 = Some((key, value.clone()));
        value
    }
}

const BM25: &[P] = &[P::Tokens, P::Bm25K1, P::Bm25B, P::ResultK];
const SEEDS: &[P] = &[
    P::SeedQ,
    P::SeedK,
    P::SeedWeight,
    P::SoftmaxTau,
    P::Fallback,
    P::Mix,
    P::MixA,
];
const SPREAD: &[P] = &[
    P::Walk,
    P::Alpha,
    P::Steps,
    P::Epsilon,
    P::PushThreshold,
    P::Dangling,
];

/// Answers questions over one index, and remembers stages between them.
pub struct Retriever {
    index: Arc<Index>,
    view: Memo<GraphView>,
    ranked: Memo<Ranked>,
    linked: Memo<Vec<QueryName>>,
    seeded: Memo<Seeded>,
    spread: Memo<Spread>,
    scratch: Vec<f64>,
}

impl Retriever {
    pub fn new(index: Arc<Index>) -> Retriever {
        Retriever {
            index,
            view: Memo::default(),
            ranked: Memo::default(),
            linked: Memo::default(),
            seeded: Memo::default(),
            spread: Memo::default(),
            scratch: Vec::new(),
        }
    }

    /// A retriever for another thread that shares the graph view built so far.
    pub fn sibling(&self) -> Retriever {
        let mut sibling = Retriever::new(self.index.clone());
        sibling.view = Memo(self.view.0.clone());
        sibling
    }

    pub fn index(&self) -> &Arc<Index> {
        &self.index
    }

    /// Retrieves passages for a question. The observer hears of each stage as it ends.
    ///
    /// # Errors
    /// When the lexical index cannot be read.
    pub fn retrieve<O: Observer>(
        &mut self,
        question: &str,
        settings: &Settings,
        observer: &mut O,
    ) -> Result<Retrieval, RetrieveError> {
        let method = settings.method();
        let mut retrieval = Retrieval {
            question: question.to_owned(),
            settings: settings.clone(),
            names: Vec::new(),
            ranked: None,
            seeds: Arc::default(),
            mixed: None,
            fallback: false,
            spread: None,
            view: None,
            passages: Vec::new(),
        };
        if method.ranker.is_some() {
            retrieval.ranked = Some(self.ranked(question, settings, observer)?);
        }
        if method.graph.is_none() {
            let ranked = retrieval.ranked.iter().flat_map(|r| r.hits.iter().copied());
            retrieval.passages = ranked.collect();
            return Ok(retrieval);
        }

        let view = self.view(settings, observer);
        let linked = self.linked(question, settings, &view, observer);
        let key = (
            format!("{}\n{question}", method.name),
            settings.key(&[view::READS, BM25, SEEDS].concat()),
        );
        let seeded = match self.seeded.get(&key) {
            Some(seeded) => {
                observer.stage("seed", true);
                seeded
            }
            None => {
                let mut seeded = seed::seed(&view, &linked, retrieval.ranked.as_deref(), settings);
                if seeded.seeds.is_empty() {
                    let ranked = match settings.choice(P::Fallback) {
                        "bm25_top1" => Some(self.ranked(question, settings, observer)?),
                        _ => None,
                    };
                    seeded = seed::fallback(&view, ranked.as_deref(), settings);
                }
                let seeded = self.seeded.put(key.clone(), seeded);
                observer.stage("seed", false);
                seeded
            }
        };
        let spread = self.spread(key, settings, &view, &seeded, observer);
        retrieval.passages = best(&spread.scores[..view.passages()], depth(settings));
        observer.stage("select", false);
        retrieval.names = linked.to_vec();
        retrieval.seeds = seeded.seeds.clone();
        retrieval.mixed = seeded.mixed;
        retrieval.fallback = seeded.fallback;
        retrieval.spread = Some(spread);
        retrieval.view = Some(view);
        Ok(retrieval)
    }

    /// The graph view of these settings, as a retrieval would use it.
    pub fn view<O: Observer>(&mut self, settings: &Settings, observer: &mut O) -> Arc<GraphView> {
        let key = (String::new(), settings.key(view::READS));
        let known = self.view.get(&key);
        let reused = known.is_some();
        let view =
            known.unwrap_or_else(|| self.view.put(key, GraphView::new(&self.index, settings)));
        observer.stage("graph", reused);
        view
    }

    fn linked<O: Observer>(
        &mut self,
        question: &str,
        settings: &Settings,
        view: &GraphView,
        observer: &mut O,
    ) -> Arc<Vec<QueryName>> {
        let key = (question.to_owned(), settings.key(view::READS));
        let known = self.linked.get(&key);
        let reused = known.is_some();
        let linked =
            known.unwrap_or_else(|| self.linked.put(key, link::link(view, question, settings)));
        observer.stage("link", reused);
        linked
    }

    fn ranked<O: Observer>(
        &mut self,
        question: &str,
        settings: &Settings,
        observer: &mut O,
    ) -> Result<Arc<Ranked>, RetrieveError> {
        let key = (question.to_owned(), settings.key(BM25));
        if let Some(known) = self.ranked.get(&key) {
            observer.stage("score", true);
            return Ok(known);
        }
        let tokens = Tokens::from_name(settings.choice(P::Tokens));
        let words = self.index.lexical().question(tokens, question)?;
        self.index
            .lexical()
            .scores(tokens, &words, bm25(settings), &mut self.scratch)?;
        let scores: Vec<f32> = self.scratch.iter().map(|s| *s as f32).collect();
        let ranked = Ranked {
            ranker: Ranker::Bm25,
            hits: best(&scores, depth(settings)),
            matched: scores.iter().filter(|s| **s > 0.0).count(),
        };
        observer.stage("score", false);
        Ok(self.ranked.put(key, ranked))
    }

    fn spread<O: Observer>(
        &mut self,
        mut key: Key,
        settings: &Settings,
        view: &GraphView,
        seeded: &Seeded,
        observer: &mut O,
    ) -> Arc<Spread> {
        key.1.extend(settings.key(SPREAD));
        if let Some(known) = self
            .spread
            .get(&key)
            .filter(|s| !O::STATES || !s.states.is_empty())
        {
            observer.stage("spread", true);
            return known;
        }
        let spread = spread::spread::<O>(view, &seeded.seeds, settings);
        observer.stage("spread", false);
        self.spread.put(key, spread)
    }
}

/// The constants of BM25 in these settings.
pub fn bm25(settings: &Settings) -> Bm25 {
    Bm25 {
        k1: settings.real(P::Bm25K1),
        b: settings.real(P::Bm25B),
    }
}

fn depth(settings: &Settings) -> usize {
    settings.integer(P::ResultK).max(DEPTH)
}

/// The best passages: score descending, then id ascending; zero scores are left out.
fn best(scores: &[f32], count: usize) -> Vec<Hit> {
    let mut hits: Vec<Hit> = scores
        .iter()
        .enumerate()
        .filter(|(_, s)| **s > 0.0)
        .map(|(p, s)| Hit {
            passage: p as u32,
            score: *s,
        })
        .collect();
    let order = |a: &Hit, b: &Hit| b.score.total_cmp(&a.score).then(a.passage.cmp(&b.passage));
    if hits.len() > count {
        hits.select_nth_unstable_by(count, order);
        hits.truncate(count);
    }
    hits.sort_unstable_by(order);
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_lower_id_and_zeros_are_left_out() {
        let hits = best(&[0.5, 0.0, 1.0, 0.5, 0.5], 3);
        assert_eq!(
            hits.iter().map(|h| h.passage).collect::<Vec<_>>(),
            [2, 0, 3]
        );
        assert_eq!(best(&[0.0, 0.0], 3), []);
    }
}
