//! The core: seed some nodes, spread score from them, select passages from where it lands.
//!
//! [`Retriever::retrieve`] is pure in its inputs: same index, question and settings, same bits, on any number of threads.
//! Stages remember their last result by what they depend on, so a slider step re-runs only what it changes.

pub mod compose;
mod composed;
pub mod edits;
pub mod hop;
pub mod link;
mod lists;
pub mod methods;
pub mod nearest;
pub mod observer;
pub mod pack;
pub mod presets;
pub mod rank;
pub mod rerank;
pub mod retrieval;
pub mod seed;
pub mod settings;
mod shared;
pub mod spread;
pub mod view;

pub use crate::parameters::{Domain, Fallback, Origin, Parameter, Stage, Value};
use crate::parameters::{FALLBACK, Parameter as P, RESULT_K, RRF_DEPTH};
pub use compose::Composition;
pub use edits::{Edited, SeedChange, SeedEdit};
pub use methods::{DEFAULT_METHOD, METHODS, Method, MethodRef, Ranker, Select};
pub use nearest::Search;
pub use observer::{Observer, Quiet, Recorder, StageTime};
pub use presets::{NO_PRESET, PRESETS, Preset, PresetRef, Presets};
pub use retrieval::{
    DEPTH, Hit, Ledger, Link, Mask, Mixed, Node, QueryName, Ranked, Reranked, Retrieval, Seed,
    SeedReason, Spread,
};
pub use settings::Settings;
pub use shared::Shared;
pub use view::GraphView;

use crate::index::Index;
use crate::systems::compose::Web;
use crate::systems::{Ask, Found, System};
use rank::Fusion;
use seed::Seeded;
use spread::Space;
use std::borrow::Cow;
use std::sync::Arc;

/// Why a retrieval cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum RetrieveError {
    #[error("lexical index: {0}")]
    Lexical(#[from] std::io::Error),
    #[error(
        "method {method} needs vectors, and the index has none; build it with: hopscope index CORPUS --out DIR --encoder static"
    )]
    NoVectors { method: Cow<'static, str> },
    #[error(transparent)]
    Vectors(#[from] crate::embed::EmbedError),
    /// A layer that is missing or damaged.
    #[error(transparent)]
    Layer(#[from] crate::index::IndexError),
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

    /// Forgets the value, and gives it back when nobody else holds it.
    fn take(&mut self) -> Option<T> {
        self.0.take().and_then(|(_, value)| Arc::into_inner(value))
    }

    fn put(&mut self, key: Key, value: T) -> Arc<T> {
        let value = Arc::new(value);
        self.0 = Some((key, value.clone()));
        value
    }
}

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
    /// The last lists, oldest first.
    ranked: Vec<(Key, Arc<Ranked>)>,
    linked: Memo<Vec<QueryName>>,
    seeded: Memo<Seeded>,
    spread: Memo<Spread>,
    /// hop's own: the seeds of both its walks, the walk from names alone, and its signals.
    both_seeded: Memo<[Seeded; 2]>,
    entity_spread: Memo<Spread>,
    signals: Memo<hop::Signals>,
    /// The graph of a composition.
    web: Memo<Web>,
    /// The question's vector: an encoder is asked once.
    vector: Memo<Vec<f32>>,
    scratch: Vec<f64>,
    space: Space,
}

impl Retriever {
    pub fn new(index: Arc<Index>) -> Retriever {
        Retriever {
            index,
            view: Memo::default(),
            ranked: Vec::new(),
            linked: Memo::default(),
            seeded: Memo::default(),
            spread: Memo::default(),
            both_seeded: Memo::default(),
            entity_spread: Memo::default(),
            signals: Memo::default(),
            web: Memo::default(),
            vector: Memo::default(),
            scratch: Vec::new(),
            space: Space::default(),
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
            edits: Arc::default(),
            fallback: false,
            spread: None,
            view: None,
            fused: Vec::new(),
            found: None,
            reranked: None,
            passages: Vec::new(),
        };
        if let Some(system) = method.system {
            let found = self.system(system, question, settings, observer)?;
            retrieval.passages = found.passages().to_vec();
            retrieval.found = Some(found);
            return Ok(retrieval);
        }
        if let Some(parts) = method.composition.filter(|c| !c.plain()) {
            let found = self.composed(parts, question, settings, observer)?;
            retrieval.passages = found.passages().to_vec();
            retrieval.found = Some(found);
            return Ok(retrieval);
        }
        if method.select == Select::Signals {
            self.hop(&mut retrieval, observer)?;
            return Ok(retrieval);
        }
        if let Some(ranker) = method.ranker {
            retrieval.ranked = Some(self.ranked(ranker, question, settings, observer)?);
        }
        if method.graph.is_none() {
            retrieval.passages = match (&retrieval.ranked, method.select) {
                (Some(first), Select::Rerank) => {
                    let (hits, by) = rerank::rerank(&self.index, first, question, settings)?;
                    observer.stage("rerank", false);
                    retrieval.fused = vec![first.clone()];
                    retrieval.reranked = Some(by);
                    hits
                }
                (ranked, _) => ranked.iter().flat_map(|r| r.hits.iter().copied()).collect(),
            };
            return Ok(retrieval);
        }

        let view = self.view(settings, observer);
        let linked = self.linked(question, settings, &view, observer);
        let key = (
            format!("{}\n{question}\n{:?}", method.name, settings.seed_edits()),
            settings.key(&[view::READS, rank::BM25, rank::EXPANDED, SEEDS].concat()),
        );
        let seeded = match self.seeded.get(&key) {
            Some(seeded) => {
                observer.stage("seed", true);
                seeded
            }
            None => {
                let mut seeded = seed::seed(
                    &view,
                    &linked,
                    retrieval
                        .ranked
                        .as_deref()
                        .filter(|_| method.seeds_passages()),
                    edits::resolved(&self.index, &view, settings),
                    settings,
                );
                if seeded.seeds.is_empty() {
                    let ranked = match settings.get(FALLBACK) {
                        Fallback::Bm25Top1 => {
                            Some(self.ranked(Ranker::Bm25, question, settings, observer)?)
                        }
                        _ => None,
                    };
                    let edits = seeded.edits;
                    seeded = seed::fallback(&view, ranked.as_deref(), settings);
                    seeded.edits = edits;
                }
                let seeded = self.seeded.put(key.clone(), seeded);
                observer.stage("seed", false);
                seeded
            }
        };
        let spread = self.spread(key, settings, &view, &seeded, observer);
        let scores = &spread.scores[..view.passages()];
        retrieval.passages = rank::best(scores, depth(settings), |score| score).0;
        if let (Select::Fuse, Some(first)) = (method.select, retrieval.ranked.clone()) {
            let hits = std::mem::take(&mut retrieval.passages);
            let walk = Arc::new(Ranked {
                hits,
                words: Vec::new(),
                expansion: Vec::new(),
                parts: Vec::new(),
                ..*first
            });
            let fused = rank::fuse(
                vec![first, walk],
                Fusion::last(settings),
                settings,
                depth(settings),
            );
            retrieval.passages = fused.hits;
            retrieval.fused = fused.parts;
        }
        observer.stage("select", false);
        retrieval.names = linked.to_vec();
        retrieval.seeds = seeded.seeds.clone();
        retrieval.mixed = seeded.mixed;
        retrieval.edits = seeded.edits.clone();
        retrieval.fallback = seeded.fallback;
        retrieval.spread = Some(spread);
        retrieval.view = Some(view);
        Ok(retrieval)
    }

    /// The question's vector, where the index has vectors.
    fn vector(&mut self, question: &str) -> Result<Option<Arc<Vec<f32>>>, RetrieveError> {
        let Some(dense) = self.index.dense() else {
            return Ok(None);
        };
        let key = (question.to_owned(), Vec::new());
        Ok(Some(match self.vector.get(&key) {
            Some(known) => known,
            None => self.vector.put(key, dense.encoder.question(question)?),
        }))
    }

    fn system<O: Observer>(
        &mut self,
        system: &dyn System,
        question: &str,
        settings: &Settings,
        observer: &mut O,
    ) -> Result<Arc<dyn Found>, RetrieveError> {
        let index = self.index.clone();
        let vector = if system.reads_vectors() {
            self.vector(question)?
        } else {
            None
        };
        let mut ask = Ask {
            index: &index,
            question,
            settings,
            vector: vector.as_ref().map(|v| &v[..]),
            stage: &mut |name| observer.stage(name, false),
        };
        system.search(&mut ask)
    }

    /// The graph view of these settings, as a retrieval would use it.
    pub fn view<O: Observer>(&mut self, settings: &Settings, observer: &mut O) -> Arc<GraphView> {
        let key = (
            format!("{:?}", settings.method().reads_graph()),
            settings.key(view::READS),
        );
        let known = self.view.get(&key);
        let reused = known.is_some();
        let view = known.unwrap_or_else(|| {
            // All but the last value, the hub penalty: with the rest equal, the weights are too.
            let weighted = |key: &Key| (key.0.clone(), key.1[..key.1.len() - 1].to_vec());
            let before = self.view.0.take();
            let before = before.filter(|(old, _)| weighted(old) == weighted(&key));
            let before = before.as_ref().map(|(_, view)| &**view);
            let view = GraphView::after(&self.index, settings, before);
            self.view.put(key, view)
        });
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
        let key = (
            format!("{:?}\n{question}", settings.method().reads_graph()),
            settings.key(view::READS),
        );
        let known = self.linked.get(&key);
        let reused = known.is_some();
        let linked =
            known.unwrap_or_else(|| self.linked.put(key, link::link(view, question, settings)));
        observer.stage("link", reused);
        linked
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
        let space = &mut self.space;
        space.scores = self.spread.take().map_or(Vec::new(), |s| s.scores);
        let spread = spread::spread::<O>(view, &seeded.seeds, settings, space);
        observer.stage("spread", false);
        self.spread.put(key, spread)
    }
}

fn depth(settings: &Settings) -> usize {
    settings
        .get(RESULT_K)
        .max(settings.get(RRF_DEPTH))
        .max(DEPTH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::sample;

    #[test]
    fn the_final_fusion_rule_is_not_the_first_stages() {
        let index = Arc::new(sample::index().unwrap());
        let question = &index.questions()[0].text;
        let ranked = |method: &str, change: &str| {
            let mut settings = Settings::of(&index, Method::by_name(method).unwrap());
            settings.set_text(change).unwrap();
            let mut retriever = Retriever::new(index.clone());
            retriever.retrieve(question, &settings, &mut Quiet).unwrap()
        };
        let by_score = ranked("rrf-ppr", "fusion=min_max");
        let list = |retrieval: &Retrieval| retrieval.ranked.as_ref().map(|r| r.hits.clone());
        assert_eq!(list(&by_score), list(&ranked("rrf", "fusion=rank")));
        assert_ne!(by_score.passages, ranked("rrf-ppr", "fusion=rank").passages);
    }

    #[test]
    fn a_step_of_the_hub_penalty_keeps_the_weights_and_gives_a_fresh_views_bits() {
        let index = Arc::new(sample::index().unwrap());
        let mut settings = Settings::of(&index, Method::by_name("graph").unwrap());
        let mut retriever = Retriever::new(index.clone());
        let first = retriever.view(&settings, &mut Quiet);
        settings.set_text("hub_p=0.9").unwrap();
        let stepped = retriever.view(&settings, &mut Quiet);
        assert!(Arc::ptr_eq(
            first.transition.weights(),
            stepped.transition.weights()
        ));
        let fresh = GraphView::new(&index, &settings);
        for node in 0..fresh.nodes() {
            let scales = |view: &GraphView| {
                let transition = &view.transition;
                (transition.into(node), transition.scale(node))
            };
            assert_eq!(scales(&stepped), scales(&fresh));
        }
        settings.set_text("edge_weight=binary").unwrap();
        let other = retriever.view(&settings, &mut Quiet);
        assert!(!Arc::ptr_eq(
            first.transition.weights(),
            other.transition.weights()
        ));
    }
}
