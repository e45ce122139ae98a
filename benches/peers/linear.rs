//! What `benches/peers/linearrag.py` gives the published LinearRAG to read, and our own ranking to hold beside it.
//!
//! The same names, the same sentences and the same vectors, so that what is left between two rankings is the method.

use super::given::{self, all, passages_and_questions, rows};
use anyhow::Result;
use hopscope::index::Index;
use hopscope::layers::{GraphView, HopLayer, Link};
use hopscope::retrieve::hop;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

const METHOD: &str = "linearrag";

/// Indexes a corpus, writes names, sentences and vectors into `folder`, then obeys [`given::serve`].
pub fn serve(corpus: &Path, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let index = Arc::new(given::index(corpus)?);
    println!("{}", write(&index, folder)?);
    given::serve(&index, METHOD)
}

fn write(index: &Arc<Index>, folder: &Path) -> Result<Value> {
    let layer = hop::layer(index)?;
    let dense = index.dense_for(METHOD)?;
    let encoder = &*dense.encoder;
    let graph = &layer.graph;
    let labels: Vec<&str> = (0..graph.entities()).map(|e| graph.labels.get(e)).collect();
    let forms: Vec<&str> = (0..graph.entities()).map(|e| graph.names.get(e)).collect();
    std::fs::write(
        folder.join("names.json"),
        json!({"labels": labels, "forms": forms}).to_string(),
    )?;
    let sentences = passages(index, &layer, folder)?;
    let surfaces = questions(index, folder)?;
    rows(&folder.join("name.npy"), encoder, &labels, false)?;
    // As the layer keeps them.
    rows(&folder.join("sentence.npy"), encoder, &sentences, true)?;
    rows(&folder.join("surface.npy"), encoder, &surfaces, false)?;
    passages_and_questions(index, folder, METHOD)?;
    Ok(
        json!({"passages": index.len(), "names": labels.len(), "sentences": sentences.len(),
        "questions": index.questions().len()}),
    )
}

/// A JSON line for every passage: its text, its mentions (name, as written) in order, and its sentences (text, names,
/// names as written). Gives the sentences.
fn passages(index: &Index, layer: &HopLayer, folder: &Path) -> Result<Vec<String>> {
    let mut out = BufWriter::new(File::create(folder.join("passages.jsonl"))?);
    let mut all = Vec::new();
    for p in 0..index.len() as u32 {
        let text = index.passages().full_text(p as usize);
        let mentions: Vec<(u32, &str)> = layer
            .graph
            .occurrences(p as usize)
            .map(|m| (m.entity, &text[m.start as usize..m.end as usize]))
            .collect();
        let sentences: Vec<Value> = layer
            .sentences(p)
            .map(|s| {
                let own = &text[layer.span(s)];
                let inside: Vec<(u32, &str)> = layer
                    .graph
                    .occurrences_in(p, layer.span(s))
                    .map(|m| (m.entity, &text[m.start as usize..m.end as usize]))
                    .collect();
                all.push(own.to_owned());
                json!([own, inside])
            })
            .collect();
        writeln!(
            out,
            "{}",
            json!({"text": text, "mentions": mentions, "sentences": sentences})
        )?;
    }
    out.flush()?;
    Ok(all)
}

/// A JSON line for every question: its text, the names that start it, its names as written with their place among
/// `surface.npy` and whether the graph has them, and its gold. Gives the names as written, in lower case.
fn questions(index: &Arc<Index>, folder: &Path) -> Result<Vec<String>> {
    let mut out = BufWriter::new(File::create(folder.join("questions.jsonl"))?);
    let mut surfaces: Vec<String> = Vec::new();
    let mut number = 0;
    all(index, METHOD, &["linear_rounds=none"], |run| {
        let question = &index.questions()[number];
        let entity = |view: &GraphView, node: u32| view.entity(node);
        let view = run
            .records
            .iter()
            .find_map(|r| r.graph.as_ref()?.entities());
        let mut seeds: Vec<usize> = Vec::new();
        let mut own = Vec::new();
        for name in run.names() {
            let found = name.nodes.iter().filter_map(|n| entity(view?, *n));
            for seed in found {
                if !seeds.contains(&seed) {
                    seeds.push(seed);
                }
            }
            let known = name.link != Link::NotFound;
            own.push(json!([name.surface, surfaces.len(), known]));
            surfaces.push(name.surface.to_lowercase());
        }
        let gold: Vec<u32> = question.gold.iter().map(|g| g.passage).collect();
        number += 1;
        Ok(writeln!(
            out,
            "{}",
            json!({"text": question.text, "seeds": seeds, "names": own, "gold": gold,
                "wanted": question.wanted()})
        )?)
    })?;
    out.flush()?;
    Ok(surfaces)
}
