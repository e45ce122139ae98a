//! SPARK: a plan of closed operators over a schema graph, and SAGE's expansion of what it finds.
//!
//! | file | what lives there |
//! |---|---|
//! | `layer`, `arcs`, `names` | the graph beside an index, objects by name |
//! | `plan`, `grammar`, `display` | the operators, what plans may be, a plan as a query |
//! | `run`, `cut`, `score` | running a plan: sets, the gap cut, the fused score |
//! | `question`, `numbers`, `path`, `template` | the template planner |
//! | `search` | plan, run, fall back, expand |
//! | `found`, `story`, `missing` | why a passage is there, what happened, why another is not there |

mod arcs;
mod cut;
pub mod display;
mod found;
mod grammar;
pub mod layer;
mod missing;
pub mod names;
pub mod numbers;
mod path;
pub mod plan;
pub mod question;
pub mod run;
pub mod score;
pub mod search;
mod story;
pub mod template;

use crate::parameters::{
    BM25_B, BM25_K1, CANDIDATE_LIMIT, EDGE_POLICY, FUSE_DENSE, FUSE_LEXICAL, PLAN_BY, Parameter,
    Parameter as P, RESULT_K, SAGE_NEIGHBOURS, SAGE_SEEDS, TOKENS,
};
pub use found::Answer;
pub use layer::{Build, SparkLayer};
pub use search::{EdgePolicy, Params, PlanBy, Run, search};

use crate::exchange::table;
use crate::index::{Index, IndexError};
#[cfg(test)]
use crate::llm::Llm;
use crate::parameters::Scoped;
use crate::retrieve::RetrieveError;
use crate::systems::{Ask, Found, System};
use std::sync::Arc;

/// The layer of an index; a small index with nodes and edges beside its corpus builds it now.
///
/// # Errors
/// An index without it, or what the build says.
pub fn opened(index: &Index) -> Result<Arc<SparkLayer>, IndexError> {
    match index.beside("schema.json") {
        Some(_) => index.layer_or(
            |_| true,
            || SparkLayer::build(index, &tables(index)?, &|_, _, _| true),
        ),
        // Without a typed graph beside the corpus, that is what is missing.
        None => index.layer().map_err(|error| match error {
            IndexError::NoLayer { .. } => tables(index).err().unwrap_or(error),
            error => error,
        }),
    }
}

/// The method.
#[derive(Debug)]
pub struct Spark;

/// Where the typed graph lies: beside the corpus.
///
/// # Errors
/// A corpus without nodes and edges beside it.
pub fn tables(index: &Index) -> Result<Build, IndexError> {
    let known = ["schema.json", "nodes.tsv", "nodes.jsonl"];
    let found = known.iter().find_map(|name| index.beside(name));
    let folder = found.as_deref().and_then(table::beside);
    folder.map(|folder| Build { folder }).ok_or(IndexError::Layer {
        layer: "spark",
        said: "no nodes and edges beside the corpus (nodes.tsv or .jsonl, edges.tsv or .jsonl, schema.json); \
               with --add, name its folder by --beside FOLDER"
            .into(),
    })
}

impl From<Scoped<'_>> for Params {
    fn from(settings: Scoped<'_>) -> Params {
        Params {
            plan_by: settings.get(PLAN_BY),
            edge_policy: settings.get(EDGE_POLICY),
            candidate_limit: settings.get(CANDIDATE_LIMIT),
            sage_seeds: settings.get(SAGE_SEEDS),
            sage_neighbours: settings.get(SAGE_NEIGHBOURS),
            fuse_lexical: settings.get(FUSE_LEXICAL),
            fuse_dense: settings.get(FUSE_DENSE),
            bm25_k1: settings.get(BM25_K1),
            bm25_b: settings.get(BM25_B),
            tokens: settings.get(TOKENS),
            result_k: settings.get(RESULT_K),
        }
    }
}

impl System for Spark {
    fn uses(&self) -> &'static [Parameter] {
        &[
            P::Tokens,
            P::Bm25K1,
            P::Bm25B,
            P::FuseLexical,
            P::FuseDense,
            P::PlanBy,
            P::EdgePolicy,
            P::CandidateLimit,
            P::SageSeeds,
            P::SageNeighbours,
        ]
    }

    fn layer(&self) -> Option<&'static str> {
        Some("spark")
    }

    fn search(&self, ask: &mut Ask<'_>) -> Result<Arc<dyn Found>, RetrieveError> {
        let index = ask.index;
        let layer = opened(index)?;
        let params = Params::from(ask.settings.all());
        let (_, vector) = ask.dense()?;
        let run = search(
            &layer,
            ask.index,
            ask.question,
            Some(vector),
            &params,
            &index.llm(),
            ask.stage,
        )?;
        Ok(Arc::new(Answer { run, layer, params }))
    }
}

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_planner;
#[cfg(test)]
mod tests_story;
#[cfg(test)]
mod tests_whole;
