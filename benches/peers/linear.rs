//! What `benches/peers/linearrag.py` gives the published LinearRAG to read, and our own ranking to hold beside it.
//!
//! The same names, the same sentences and the same vectors, so that what is left between two rankings is the method.

use super::{read, settings, write_npy};
use anyhow::{Context, Result, bail};
use hopscope::embed::{Encoder, Vectors};
use hopscope::index::{BuildOptions, Index, Silent};
use hopscope::layers::{GraphView, HopLayer, Link};
use hopscope::retrieve::hop;
use hopscope::retrieve::{Keep, Retrieval, Retriever};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const METHOD: &str = "linearrag";

/// Indexes a corpus, writes names, sentences and vectors into `folder`, then answers `rank FILE [name=value ...]` on
/// standard input with the ranking of every question under these settings.
pub fn serve(corpus: &Path, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let (corpus, _) = read(corpus)?;
    let index = Arc::new(Index::build(corpus, &BuildOptions::default(), &Silent)?);
    println!("{}", write(&index, folder)?);
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let ["rank", file, ref changes @ ..] = words[..] else {
            bail!("'{line}' is not: rank FILE [name=value ...]");
        };
        let seconds = rank(&index, Path::new(file), changes)?;
        println!(
            "{}",
            json!({"questions": index.questions().len(), "seconds": seconds})
        );
    }
    Ok(())
}

/// Asks every question, and says how many seconds each took.
fn all(
    index: &Arc<Index>,
    changes: &[&str],
    mut each: impl FnMut(&Retrieval) -> Result<()>,
) -> Result<Vec<f64>> {
    let mut settings = settings(index, METHOD)?;
    for change in changes {
        settings.set_text(change).map_err(anyhow::Error::msg)?;
    }
    let mut retriever = Retriever::new(index.clone());
    let mut seconds = Vec::new();
    for question in index.questions() {
        let start = Instant::now();
        let found = retriever.retrieve(&question.text, &settings, Keep::Scores)?;
        seconds.push(start.elapsed().as_secs_f64());
        each(&found)?;
    }
    Ok(seconds)
}

/// The best passages of every question, a JSON line each; and the seconds of each.
fn rank(index: &Arc<Index>, file: &Path, changes: &[&str]) -> Result<Vec<f64>> {
    let mut out = BufWriter::new(File::create(file)?);
    let seconds = all(index, changes, |run| {
        let hits: Vec<(u32, f32)> = run.passages.iter().map(|h| (h.passage, h.score)).collect();
        Ok(writeln!(out, "{}", json!(hits))?)
    })?;
    out.flush()?;
    Ok(seconds)
}

fn write(index: &Arc<Index>, folder: &Path) -> Result<Value> {
    let layer = hop::layer(index)?;
    let dense = index.dense().context("an index with vectors")?;
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
    rows(folder, "name", encoder, &labels, false)?;
    // As the layer keeps them.
    rows(folder, "sentence", encoder, &sentences, true)?;
    rows(folder, "surface", encoder, &surfaces, false)?;
    let asked: Vec<Vec<f32>> = index
        .questions()
        .iter()
        .map(|q| encoder.question(&q.text))
        .collect::<Result<_, _>>()?;
    matrix(folder, "question", &asked)?;
    let mut row = vec![0.0; dense.vectors.dims()];
    let stored: Vec<Vec<f32>> = (0..index.len() as u32)
        .map(|p| {
            dense.vectors.row(p, &mut row);
            row.clone()
        })
        .collect();
    matrix(folder, "passage", &stored)?;
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
    all(index, &["linear_rounds=none"], |run| {
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

/// Vectors of texts by the index's encoder; `whole`: as int8 keeps them.
fn rows<S: AsRef<str>>(
    folder: &Path,
    name: &str,
    encoder: &dyn Encoder,
    texts: &[S],
    whole: bool,
) -> Result<()> {
    let texts: Vec<(&str, &str)> = texts.iter().map(|text| ("", text.as_ref())).collect();
    let flat = encoder.passages(&texts, &|_| true)?;
    let mut vectors = Vectors::new(encoder.identity().clone(), flat)?;
    if whole {
        vectors = vectors.quantised();
    }
    let mut row = vec![0.0; vectors.dims()];
    let rows: Vec<Vec<f32>> = (0..vectors.len() as u32)
        .map(|i| {
            vectors.row(i, &mut row);
            row.clone()
        })
        .collect();
    matrix(folder, name, &rows)
}

fn matrix(folder: &Path, name: &str, rows: &[Vec<f32>]) -> Result<()> {
    let shape = [rows.len(), rows.first().map_or(0, Vec::len)];
    let values = rows.iter().flatten().map(|x| x.to_le_bytes());
    write_npy(&folder.join(format!("{name}.npy")), "<f4", &shape, values)
}
