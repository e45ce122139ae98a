//! Dense retrieval: the passages nearest to the question, by exact search or through the small-world graph.

use super::methods::Ranker;
use super::retrieval::{Hit, Ranked};
use crate::embed::{EmbedError, HnswOptions};
use crate::index::near::FROM;
use crate::index::{Dense, NearOptions};
use crate::parameters::{
    HNSW_EF_CONSTRUCTION, HNSW_EF_SEARCH, HNSW_M, Scoped, VECTOR_SEARCH, VectorSearch,
};
use serde::Serialize;

/// How the nearest vectors were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "search")]
pub enum Search {
    /// Every vector was compared.
    Exact,
    Hnsw {
        m: usize,
        ef_construction: usize,
        /// Width of the beam: `hnsw_ef_search`, or the length of the list where that is more.
        ef: usize,
    },
}

fn graph(values: Scoped<'_>) -> HnswOptions {
    HnswOptions {
        m: values.get(HNSW_M),
        ef_construction: values.get(HNSW_EF_CONSTRUCTION),
        seed: 0,
    }
}

/// What an index is built with under these settings.
pub fn near(values: Scoped<'_>) -> Option<NearOptions> {
    let from = match values.get(VECTOR_SEARCH) {
        VectorSearch::Exact => return None,
        VectorSearch::Hnsw => 0,
        VectorSearch::Auto => FROM,
    };
    Some(NearOptions {
        from,
        graph: graph(values),
        ef_search: values.get(HNSW_EF_SEARCH),
    })
}

/// How a list of `depth` is found: `auto` takes the graph where the index has stored one.
pub fn search(dense: &Dense, values: Scoped<'_>, depth: usize) -> Search {
    let hnsw = match values.get(VECTOR_SEARCH) {
        VectorSearch::Exact => false,
        VectorSearch::Hnsw => true,
        VectorSearch::Auto => dense.has_graph(),
    };
    if !hnsw {
        return Search::Exact;
    }
    let graph = graph(values);
    Search::Hnsw {
        m: graph.m,
        ef_construction: graph.ef_construction,
        ef: values.get(HNSW_EF_SEARCH).max(depth),
    }
}

/// Builds now what a search would build: with many threads asking, one has to build before the others.
///
/// # Errors
/// None that a search would not have.
pub fn prepare(dense: &Dense, values: Scoped<'_>) -> Result<(), EmbedError> {
    if search(dense, values, 0) != Search::Exact {
        dense.hnsw(&graph(values))?;
    }
    Ok(())
}

/// The passages nearest to the question's vector, by cosine. An exact search matches all passages; a negative cosine has a rank like any other.
pub fn nearest(
    dense: &Dense,
    vector: &[f32],
    values: Scoped<'_>,
    depth: usize,
) -> Result<Ranked, EmbedError> {
    let search = search(dense, values, depth);
    let options = graph(values);
    let graph = match search {
        Search::Exact => None,
        Search::Hnsw { ef, .. } => Some((&options, ef)),
    };
    let (found, matched) = dense.nearest(vector, depth, graph)?;
    let hits = found
        .into_iter()
        .map(|(passage, score)| Hit { passage, score })
        .collect();
    Ok(Ranked {
        search: Some(search),
        ..Ranked::new(Ranker::Dense, hits, matched)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::evaluate;
    use crate::index::{BuildOptions, Index, Silent, sample};
    use crate::retrieve::{DEPTH, Keep, Method, Origin, Retriever, Settings};
    use std::sync::Arc;

    fn settings(index: &Index, method: &str, changes: &[&str]) -> Settings {
        let mut settings = Settings::of(index, Method::by_name(method).unwrap());
        changes.iter().for_each(|c| settings.set_text(c).unwrap());
        settings
    }

    fn ranked(index: &Arc<Index>, changes: &[&str], question: &str) -> Ranked {
        let settings = settings(index, "dense", changes);
        let retrieval = Retriever::new(index.clone()).retrieve(question, &settings, Keep::Scores);
        retrieval.unwrap().ranked().unwrap().clone()
    }

    #[test]
    fn chosen_by_what_is_stored_or_by_the_setting() {
        let plain = Arc::new(sample::index().unwrap());
        let mut built = settings(&plain, "dense", &["vector_search=hnsw", "hnsw_m=8"]);
        let options = BuildOptions {
            near: near(built.all()),
            ..BuildOptions::default()
        };
        assert_eq!(options.near.as_ref().unwrap().from, 0);
        let with = Arc::new(Index::build(sample::corpus().unwrap(), &options, &Silent).unwrap());
        // The session takes over what the index was built with.
        let own = settings(&with, "dense", &[]);
        assert_eq!(
            (own.get(HNSW_M), own.origin(HNSW_M.id())),
            (8, Origin::Index)
        );
        assert_eq!(own.origin(HNSW_EF_CONSTRUCTION.id()), Origin::Default);
        let question = "Who discovered the moon Titan?";
        let hnsw = |m| {
            Some(Search::Hnsw {
                m,
                ef_construction: 200,
                ef: DEPTH,
            })
        };
        let of = |index, changes| ranked(index, changes, question).search;
        assert_eq!(of(&plain, &[]), Some(Search::Exact));
        assert_eq!(of(&plain, &["vector_search=hnsw"]), hnsw(32));
        assert_eq!(of(&with, &[]), hnsw(8));
        assert_eq!(of(&with, &["hnsw_m=12"]), hnsw(12));
        assert_eq!(of(&with, &["vector_search=exact"]), Some(Search::Exact));
        let wide = of(&with, &["hnsw_ef_search=160"]);
        assert!(matches!(wide, Some(Search::Hnsw { ef: 160, .. })));

        built.set_text("vector_search=exact").unwrap();
        assert_eq!(near(built.all()), None);
        built.set_text("vector_search=auto").unwrap();
        assert_eq!(near(built.all()).unwrap().from, FROM);
    }

    #[test]
    fn a_beam_as_wide_as_the_corpus_finds_what_exact_search_finds_to_the_bit() {
        let index = Arc::new(sample::index().unwrap());
        for question in index.questions().iter().take(20) {
            let exact = ranked(&index, &["vector_search=exact"], &question.text);
            let beam = &["vector_search=hnsw", "hnsw_ef_search=232"];
            let near = ranked(&index, beam, &question.text);
            assert_eq!(exact.hits, near.hits);
            assert_eq!(
                (exact.matched, near.matched),
                (index.len().into(), DEPTH.into())
            );
        }
    }

    #[test]
    fn a_change_of_search_is_no_memory_of_the_other_and_threads_share_one_graph() {
        let index = Arc::new(sample::index().unwrap());
        let mut retriever = Retriever::new(index.clone());
        let question = &index.questions()[0].text;
        let mut search = |changes: &[&str]| {
            let settings = settings(&index, "dense", changes);
            let retrieval = retriever
                .retrieve(question, &settings, Keep::Scores)
                .unwrap();
            retrieval.ranked().unwrap().search
        };
        assert_eq!(search(&[]), Some(Search::Exact));
        assert_ne!(search(&["vector_search=hnsw"]), Some(Search::Exact));
        assert_eq!(search(&[]), Some(Search::Exact));
        for method in ["dense", "rrf", "graph-dense", "rrf-ppr"] {
            let settings = settings(&index, method, &["vector_search=hnsw"]);
            let found = evaluate(&index, index.questions(), &settings, |_| true).unwrap();
            assert_eq!(found.per_question.len(), index.questions().len());
        }
    }
}
