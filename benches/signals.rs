//! Writes what hop's signals say about every candidate of every question, for research on their fusion (RESEARCH.md):
//!
//! ```text
//! cargo bench --bench signals -- FOLDER... > signals.jsonl
//! ```
//!
//! One line a question: `{"set", "id", "gold", "candidates", "values", "facts"}`; `values` has one row of eight a
//! candidate, in the order of `hop::Signal::ALL`, unweighted; `ideas` has the columns of [`ideas`].

use hopscope::embed::{Vectors, maxsim_texts};
use hopscope::graph::{Dangling, Power};
use hopscope::index::Index;
use hopscope::layers::HopLayer;
use hopscope::retrieve::hop::{self, Signals};
use hopscope::retrieve::{
    GraphView, Hit, Keep, Link, Method, Ranked, Retrieval, Retriever, Seed, Seeded, Settings,
};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

fn main() {
    let folders = std::env::args().skip(1).filter(|a| !a.starts_with("--"));
    for folder in folders {
        let index = match Index::open(Path::new(&folder)) {
            Ok(index) => Arc::new(index),
            Err(error) => {
                eprintln!("{error}");
                std::process::exit(2);
            }
        };
        let method = Method::by_name("hop").expect("hop is a method");
        let settings = Settings::of(&index, method);
        let mut retriever = Retriever::new(index.clone());
        for question in index.questions() {
            let retrieval = retriever
                .retrieve(&question.text, &settings, Keep::Scores)
                .expect("an opened index answers");
            let Some(answer) = Answer::of(&index, &retrieval) else {
                continue;
            };
            let signals = answer.signals;
            let linked = |n: &&hopscope::retrieve::QueryName| matches!(n.link, Link::Linked { .. });
            let words = answer.fused.parts.first().map_or(answer.fused, |list| list);
            let idf: f64 = words.words.iter().map(|w| w.idf * w.weight).sum();
            let left: f64 = signals.left.iter().map(|l| l.idf).sum();
            let scores = |list: &hopscope::retrieve::Ranked| -> Vec<f32> {
                list.hits.iter().take(10).map(|h| h.score).collect()
            };
            let facts = json!({
                "names": retrieval.names().len(),
                "linked": retrieval.names().iter().filter(linked).count(),
                "words": words.words.len(),
                "known": words.words.iter().filter(|w| w.df > 0).count(),
                "idf": idf, "left": left, "crossings": signals.crossings.len(),
                "bm25": scores(words),
                "bm25_ids": words.hits.iter().take(100).map(|h| h.passage).collect::<Vec<_>>(),
                "dense": answer.fused.parts.get(1).map(|l| scores(l)),
                "mean": signals.mean, "best": signals.best, "single": signals.single,
            });
            let gold: Vec<u32> = question.gold.iter().map(|g| g.passage).collect();
            let line = json!({"set": index.name(), "id": question.id, "text": question.text, "gold": gold,
                "missing": question.missing.len(), "candidates": signals.candidates, "values": signals.values,
                "ideas": ideas(&index, &answer, &question.text), "facts": facts});
            println!("{line}");
        }
    }
}

/// What hop's steps made of a question.
struct Answer<'a> {
    signals: &'a Signals,
    fused: &'a Ranked,
    layer: Arc<HopLayer>,
    view: &'a GraphView,
    entity_seeds: &'a [Seed],
    passages: &'a [Hit],
}

impl<'a> Answer<'a> {
    fn of(index: &Index, run: &'a Retrieval) -> Option<Answer<'a>> {
        let sets = || run.records.iter().map(|record| &record.output);
        Some(Answer {
            signals: sets().find_map(|set| set.get())?,
            fused: run.ranked()?,
            layer: hop::layer(index).ok()?,
            view: run.view()?,
            entity_seeds: &sets().find_map(|set| set.get::<Seeded>())?.seeds,
            passages: &run.passages,
        })
    }
}

/// Signals that were tried beside the eight, by candidate: late interaction, the geometric mean and the least of one walk
/// a name, the passage's title named by the question, the nearest sentence, closeness to the question moved towards and
/// away from the best passage, and the bridge once more from the best of the sum.
fn ideas(index: &Index, answer: &Answer<'_>, question: &str) -> Vec<[f64; 8]> {
    let (signals, view, layer) = (answer.signals, answer.view, &answer.layer);
    let texts: Vec<String> = signals
        .candidates
        .iter()
        .map(|p| index.passages().full_text(*p as usize))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let dense = index.dense().expect("an index with vectors");
    let late = maxsim_texts(dense.encoder.as_ref(), question, &texts).expect("token vectors");
    let names: Vec<Vec<(u32, f64)>> = answer
        .entity_seeds
        .iter()
        .take(8)
        .map(|s| vec![(s.node, 1.0)])
        .collect();
    let mut power = Power::default();
    let mut walk = |name: &Vec<(u32, f64)>| {
        let drop = Dangling::Drop;
        let mut end = power.walk(&view.transition, name, 0.15, 5, drop, |_, _, _| {});
        end.mass()
    };
    let walks: Vec<Vec<f64>> = names.iter().map(&mut walk).collect();
    let best: Vec<f64> = (0..names.len())
        .map(|lane| {
            walks[lane][..index.len()]
                .iter()
                .copied()
                .fold(0.0, f64::max)
        })
        .collect();
    let probe = layer.probe(question).expect("the built-in table");
    let vector = dense.encoder.question(question).expect("a vector");
    let first = answer.fused.hits.first().map(|h| h.passage);
    let moved = |sign: f32| -> Option<Vec<f32>> {
        let mut row = vec![0.0; dense.vectors.dims()];
        dense.vectors.row(first?, &mut row);
        Some(vector.iter().zip(&row).map(|(q, d)| q + sign * d).collect())
    };
    let towards = moved(0.5).and_then(|v| dense.vectors.probe(&v).ok());
    let away = moved(-0.5).and_then(|v| dense.vectors.probe(&v).ok());
    let again = again(index, answer, &probe);
    let close = |vectors: &Vectors, probe: &Option<_>, p: u32| {
        probe
            .as_ref()
            .map_or(0.0, |probe| f64::from(vectors.score(probe, p)))
    };
    signals
        .candidates
        .iter()
        .enumerate()
        .map(|(at, &p)| {
            let share = |lane: usize| {
                let value = walks[lane][p as usize] / best[lane].max(1e-30);
                value.max(3e-4).ln() / 8.0 + 1.0
            };
            let shares: Vec<f64> = (0..names.len()).map(share).collect();
            let geometric = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
            let least = shares.iter().copied().fold(1.0, f64::min);
            let titled = answer.entity_seeds.iter().any(|s| {
                let entity = view.entity(s.node).map_or(0, |e| e as u32);
                view.graph.titled(entity).contains(&p)
            });
            let nearest = layer
                .sentences(p)
                .map(|s| f64::from(layer.cosine(&probe, s).unwrap_or(0.0)))
                .fold(0.0, f64::max);
            [
                f64::from(late[at]),
                if names.is_empty() { 0.0 } else { geometric },
                if names.is_empty() { 0.0 } else { least },
                f64::from(u8::from(titled)),
                nearest,
                close(&dense.vectors, &towards, p),
                close(&dense.vectors, &away, p),
                again[at],
            ]
        })
        .collect()
}

/// The bridge from the best ten of the sum, by candidate, in log space.
fn again(index: &Index, answer: &Answer<'_>, probe: &hopscope::embed::vectors::Probe) -> Vec<f64> {
    let (view, layer) = (answer.view, &answer.layer);
    let best = answer.passages.first().map_or(0.0, |h| h.score);
    let mut bridge = vec![0.0_f64; index.len()];
    let total: f64 = answer
        .passages
        .iter()
        .take(10)
        .map(|h| f64::from(h.score - best).exp())
        .sum();
    for hit in answer.passages.iter().take(10) {
        let share = f64::from(hit.score - best).exp() / total;
        let mut near: Vec<(u32, f64)> = Vec::new();
        for sentence in layer.sentences(hit.passage) {
            let span = layer.span(sentence);
            let cosine = f64::from(layer.cosine(probe, sentence).unwrap_or(0.0)).max(0.0);
            for m in view.graph.occurrences(hit.passage as usize) {
                if m.start as usize >= span.start && m.end as usize <= span.end {
                    let name = view.entity_node(m.entity);
                    match near.iter_mut().find(|n| n.0 == name) {
                        Some(known) => known.1 = known.1.max(cosine),
                        None => near.push((name, cosine)),
                    }
                }
            }
        }
        near.retain(|n| !answer.entity_seeds.iter().any(|s| s.node == n.0));
        for (name, cosine) in near {
            for (p, _) in view.neighbours(name).filter(|n| n.0 != hit.passage) {
                bridge[p as usize] += share * cosine * view.probability(name, p);
            }
        }
    }
    let top = bridge.iter().copied().fold(0.0, f64::max);
    let scaled = |v: f64| {
        if v > 0.0 {
            (v / top).ln().clamp(-8.0, 0.0) / 8.0 + 1.0
        } else {
            0.0
        }
    };
    answer
        .signals
        .candidates
        .iter()
        .map(|p| scaled(bridge[*p as usize]))
        .collect()
}
