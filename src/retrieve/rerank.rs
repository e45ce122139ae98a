//! Candidates scored again: by a cross-encoder where one was given, else by MaxSim over token vectors.

use super::RetrieveError;
use super::operator::Context;
use super::rank::order;
use super::retrieval::{Hit, Ranked, Reranked};
use crate::embed::{asked, maxsim};
use crate::parameters::RERANK_DEPTH;

/// The best candidates scored again; the others keep their order below them, with scores that say so.
///
/// # Errors
/// No cross-encoder and no vectors, or an encoder without token vectors.
pub fn rerank(cx: &Context<'_>, first: &Ranked) -> Result<(Vec<Hit>, Reranked), RetrieveError> {
    let (index, question) = (cx.index, cx.question);
    let depth = cx.values.get(RERANK_DEPTH).min(first.hits.len());
    let texts: Vec<String> = first.hits[..depth]
        .iter()
        .map(|h| index.passages().full_text(h.passage as usize))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (scores, name, model, unread) = match index.reranker() {
        Some(cross) => (
            cross.score(question, &texts),
            "cross-encoder",
            cross.spec().to_owned(),
            0,
        ),
        None => {
            let dense = index.dense().ok_or_else(|| RetrieveError::NoVectors {
                method: cx.method.name.clone(),
            })?;
            let (asked, unread) = asked(dense.encoder.as_ref(), question)?;
            let scores = maxsim(&asked, &dense.encoder.tokens(&texts)?);
            (scores, "MaxSim", dense.entry.encoder.clone(), unread)
        }
    };
    // No cosine is below -1, but a cross-encoder's number may be any.
    let least = scores.iter().copied().fold(0.0, f32::min);
    let floor = if name == "MaxSim" { -1.0 } else { least - 1.0 };
    let mut hits: Vec<Hit> = first
        .hits
        .iter()
        .zip(scores)
        .map(|(h, score)| Hit {
            passage: h.passage,
            score,
        })
        .collect();
    hits.sort_unstable_by(order);
    let rest = first.hits[depth..].iter().enumerate();
    hits.extend(rest.map(|(at, h)| Hit {
        passage: h.passage,
        score: floor - at as f32,
    }));
    let reranked = Reranked {
        name,
        model,
        candidates: depth,
        unread,
    };
    Ok((hits, reranked))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::Reranker;
    use crate::embed::bert::tests::{folder, golden};
    use crate::index::{BuildOptions, Index, Silent, sample};
    use crate::retrieve::{Keep, Method, Retrieval, Retriever, Settings};
    use std::sync::Arc;

    fn retrieve(index: &Arc<Index>, method: &str, set: &str) -> Result<Retrieval, RetrieveError> {
        let mut settings = Settings::of(index, Method::by_name(method).unwrap());
        settings.set_text(set).unwrap();
        let question = &index.questions()[1].text;
        Retriever::new(index.clone()).retrieve(question, &settings, Keep::Scores)
    }

    #[test]
    fn maxsim_without_a_cross_encoder_and_named_so() {
        let index = Arc::new(sample::index().unwrap());
        let retrieval = retrieve(&index, "bm25-ce", "rerank_depth=20").unwrap();
        let by = retrieval.reranked().unwrap();
        assert_eq!(
            (by.name, &*by.model, by.candidates),
            ("MaxSim", "static", 20)
        );
        let scores: Vec<f32> = retrieval.passages.iter().map(|h| h.score).collect();
        assert!(scores[..20].iter().all(|s| (-1.0..=1.001).contains(s)));
        assert_eq!(scores[20..22], [-1.0, -2.0]);
        assert!(
            retrieve(&index, "bm25", "result_k=5")
                .unwrap()
                .reranked()
                .is_none()
        );
    }

    #[test]
    fn a_cross_encoder_orders_by_its_own_number_and_needs_no_vectors() {
        let home = folder(&golden(), "bert.");
        let spec = format!("bert:{}?max_length=16", home.path().display());
        let options = BuildOptions {
            encoder: "none".into(),
            ..BuildOptions::default()
        };
        let bare = Index::build(sample::corpus().unwrap(), &options, &Silent).unwrap();
        let bare = Arc::new(bare);
        let error = retrieve(&bare, "bm25-ce", "rerank_depth=20").unwrap_err();
        assert!(error.to_string().contains("needs vectors"), "{error}");
        let bare = Arc::try_unwrap(bare).ok().unwrap();
        let index = Arc::new(bare.with_reranker(Reranker::open(&spec).unwrap()));
        let retrieval = retrieve(&index, "bm25-ce", "rerank_depth=20").unwrap();
        let by = retrieval.reranked().unwrap();
        assert_eq!(
            (by.name, by.model.clone(), by.candidates),
            ("cross-encoder", spec, 20)
        );
        let first = &retrieval.fused()[0];
        let texts: Vec<String> = (first.hits[..20].iter())
            .map(|h| index.passages().full_text(h.passage as usize))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let scores = index.reranker().unwrap().score(&retrieval.question, &texts);
        let mut expected: Vec<(u32, f32)> =
            first.hits.iter().map(|h| h.passage).zip(scores).collect();
        expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let pair = |h: &Hit| (h.passage, h.score);
        let found: Vec<(u32, f32)> = retrieval.passages.iter().map(pair).collect();
        assert_eq!(found[..20], expected);
        // The rest lies below the least of them, in its old order.
        let rest: Vec<u32> = first.hits[20..].iter().map(|h| h.passage).collect();
        assert_eq!(found[20..].iter().map(|h| h.0).collect::<Vec<_>>(), rest);
        assert!(found.windows(2).all(|w| w[0].1 >= w[1].1));
        assert!(found[20].1 <= found[19].1 - 1.0);
    }

    #[test]
    fn only_folders_are_cross_encoders() {
        for wrong in [
            "static",
            "bert:",
            "endpoint:http://localhost/v1",
            "/a/folder",
        ] {
            let error = Reranker::open(wrong).err().unwrap().to_string();
            assert!(
                error.contains("bert:FOLDER") && error.contains(wrong),
                "{error}"
            );
        }
        let error = Reranker::open("bert:/no/such").err().unwrap().to_string();
        assert!(error.contains("/no/such/config.json"), "{error}");
    }
}
