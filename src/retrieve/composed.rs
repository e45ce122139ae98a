//! One question through a composition that is no pipeline of SPRIG's.

use super::compose::{Composition, Rest};
use super::observer::{Observer, Quiet};
use super::settings::Settings;
use super::{RetrieveError, Retriever, depth};
use crate::parameters::Parameter as P;
use crate::systems::Found;
use crate::systems::compose::{Answer, Asked, Web};
use std::sync::Arc;

/// What any graph of a composition is built by.
const WEB: &[P] = &[
    P::Tokens,
    P::Ner,
    P::Norm,
    P::AliasLinking,
    P::Gazetteer,
    P::EdgeWeight,
    P::MinDf,
    P::MaxDfRatio,
    P::PruneTopPct,
    P::EdgeCap,
    P::HubP,
    P::EdgePercentile,
    P::EdgeLogic,
    P::EntityEdges,
    P::EntityMatch,
    P::StructuralEdges,
    P::KnnK,
    P::CoreShare,
    P::CoreBy,
    P::Cooc,
    P::Pmi,
    P::CodeCase,
    P::ChunkTokens,
    P::ChunkOverlap,
    P::Halvings,
    P::Joined,
    P::HnswEdges,
    P::SREdges,
    P::HubBalance,
];

impl Retriever {
    /// Any seeds over any graph.
    pub(super) fn composed<O: Observer>(
        &mut self,
        parts: Composition,
        question: &str,
        settings: &Settings,
        observer: &mut O,
    ) -> Result<Arc<dyn Found>, RetrieveError> {
        let index = self.index.clone();
        let list = match parts.ranker() {
            Some(ranker) => Some(self.ranked(ranker, question, settings, observer)?),
            None => None,
        };
        let vector = match parts.seeds.rest {
            Some(Rest::Nearest) => match self.vector(question)? {
                Some(vector) => Some(vector),
                None => return Err(self.dense(settings).map(|_| ()).unwrap_err()),
            },
            _ => None,
        };
        let key = (format!("{:?}", parts.graph), settings.key(WEB));
        let known = self.web.get(&key);
        let reused = known.is_some();
        let web = match known {
            Some(web) => web,
            None => {
                let web = Web::open(parts.graph, &index, settings, || {
                    self.view(settings, &mut Quiet)
                })?;
                self.web.put(key, web)
            }
        };
        observer.stage("graph", reused);
        let asked = Asked {
            question: question.to_owned(),
            settings: settings.clone(),
            parts,
            web,
            list,
            vector,
            depth: depth(settings),
        };
        let run = asked.run(&index, &mut |name| observer.stage(name, false))?;
        Ok(Arc::new(Answer { asked, run }))
    }
}
