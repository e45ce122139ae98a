//! One question through hop: both walks, the lists, the signals and their sum.

use crate::parameters::Parameter as P;
use crate::retrieve::edits::{self, Edited};
use crate::retrieve::methods::Ranker;
use crate::retrieve::observer::{Observer, Quiet};
use crate::retrieve::retrieval::Retrieval;
use crate::retrieve::seed::{self, Seeded};
use crate::retrieve::{RetrieveError, Retriever, SPREAD, depth, hop, rank, spread, view};
use std::sync::Arc;

impl Retriever {
    /// Fills in a retrieval by `hop`: both walks, the lists, the signals and their sum.
    pub(in crate::retrieve) fn hop<O: Observer>(
        &mut self,
        retrieval: &mut Retrieval,
        observer: &mut O,
    ) -> Result<(), RetrieveError> {
        let index = self.index.clone();
        let (question, settings) = (retrieval.question.clone(), retrieval.settings.clone());
        let layer = hop::layer(&index)?;
        let ranker = match index.dense() {
            Some(_) => Ranker::Rrf,
            None => Ranker::Bm25,
        };
        let fused = self.ranked(ranker, &question, &settings, observer)?;
        let vector = self.vector(&question)?;
        let vectors = match (index.dense(), &vector, fused.parts.get(1)) {
            (Some(dense), Some(vector), Some(list)) => Some((dense, &**list, &vector[..])),
            _ => None,
        };
        let view = self.view(&settings, observer);
        let names = self.linked(&question, &settings, &view, observer);
        let about = format!("hop\n{question}\n{:?}", settings.seed_edits());
        let key_of = |reads: &[&[P]]| (about.clone(), settings.key(&reads.concat()));
        let lists: &[&[P]] = &[
            view::READS,
            rank::BM25,
            rank::EXPANDED,
            &[P::SeedQ],
            hop::READS,
        ];
        let mut key = key_of(lists);
        let known = self.both_seeded.get(&key);
        let reused = known.is_some();
        let both = match known {
            Some(known) => known,
            None => {
                let edits = edits::resolved(&index, &view, &settings);
                let of_passage = |e: &Edited| e.node.is_some_and(|node| view.is_passage(node));
                let (mut own, named) = edits.into_iter().partition(of_passage);
                let entity = seed::seed(&view, &names, None, named, &settings);
                let mut seeds = hop::mixed_seeds(&view, &entity.seeds, &fused, vectors, &settings)?;
                seed::edit_passages(&view, &mut own, &mut seeds);
                own.extend(entity.edits.iter().cloned());
                let mixed = Seeded {
                    seeds: Arc::new(seeds),
                    mixed: None,
                    fallback: false,
                    edits: Arc::new(own),
                };
                self.both_seeded.put(key.clone(), [entity, mixed])
            }
        };
        observer.stage("seed", reused);
        let [entity, mixed] = &*both;
        // The walk from names knows nothing of the lists, and outlives a change of theirs.
        let entity_key = key_of(&[view::READS, &[P::SeedQ], SPREAD]);
        let known = self.entity_spread.get(&entity_key);
        let reused = known.is_some();
        let entity_walk = match known {
            Some(known) => known,
            None => {
                let space = &mut self.space;
                space.scores = self.entity_spread.take().map_or(Vec::new(), |s| s.scores);
                let walk = spread::spread::<Quiet>(&view, &entity.seeds, &settings, space);
                self.entity_spread.put(entity_key, walk)
            }
        };
        observer.stage("entity walk", reused);
        let mixed_walk = self.spread(key.clone(), &settings, &view, mixed, observer);
        key.1.extend(settings.key(SPREAD));
        let signals = match self.signals.get(&key) {
            Some(known) => {
                observer.stage("signals", true);
                known
            }
            None => {
                let words = fused.parts.first().unwrap_or(&fused);
                let sources = hop::Sources {
                    index: &index,
                    layer: &layer,
                    view: &view,
                    question: &question,
                    names: &names,
                    fused: &fused,
                    words,
                    vectors,
                    entity_walk: &entity_walk,
                    mixed_walk: &mixed_walk,
                };
                let signals = hop::signals(&sources, &settings)?;
                observer.stage("signals", false);
                self.signals.put(key, signals)
            }
        };
        let passages = signals.ranking(&settings, depth(&settings));
        observer.stage("select", false);
        retrieval.names = names.to_vec();
        retrieval.ranked = Some(fused.clone());
        retrieval.seeds = mixed.seeds.clone();
        retrieval.edits = mixed.edits.clone();
        retrieval.spread = Some(mixed_walk.clone());
        retrieval.view = Some(view.clone());
        retrieval.passages.clone_from(&passages);
        retrieval.found = Some(Arc::new(hop::Answer {
            layer,
            view,
            signals,
            settings,
            fused,
            entity_seeds: entity.seeds.clone(),
            mixed_seeds: mixed.seeds.clone(),
            entity_walk,
            mixed_walk,
            passages,
        }));
        Ok(())
    }
}
