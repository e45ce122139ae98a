//! What `benches/peers/hipporag2.py` gives the published HippoRAG 2 to read, and our own ranking to hold beside it.
//!
//! The same facts, the same phrases and the same vectors, so that what is left between two rankings is the method.

use super::given::{self, passages_and_questions, stored};
use anyhow::Result;
use hopscope::index::Index;
use hopscope::layers::facts::FactsLayer;
use hopscope::parameters::SYNONYM_LEAST;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const METHOD: &str = "hipporag2";

/// Indexes a corpus, writes facts, phrases and vectors into `folder`, then obeys [`given::serve`]. Facts are read from
/// `openie.jsonl` where a folder with it is named, and made by rules else.
pub fn serve(corpus: &Path, folder: &Path, beside: &[PathBuf]) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let index = given::index(corpus)?;
    index.look_beside(beside);
    let layer = FactsLayer::build(&index, &|_, _, _| true)?;
    println!("{}", write(&index, &layer, folder)?);
    index.add_layer(layer);
    given::serve(&Arc::new(index), METHOD)
}

fn write(index: &Index, layer: &FactsLayer, folder: &Path) -> Result<Value> {
    passages_and_questions(index, folder, METHOD)?;
    stored(&folder.join("phrase.npy"), &layer.phrase_vectors)?;
    stored(&folder.join("fact.npy"), &layer.fact_vectors)?;
    lines(
        folder,
        "passages",
        (0..index.len() as u32)
            .map(|p| json!({"id": index.id(p), "text": index.passages().full_text(p as usize)})),
    )?;
    lines(
        folder,
        "phrases",
        layer.phrases.iter().map(|label| json!(label)),
    )?;
    lines(folder, "facts", (0..layer.meta.facts as u32).map(|fact| {
        json!({"ends": layer.ends(fact), "text": layer.texts.get(fact as usize), "passages": layer.stated(fact)})
    }))?;
    let alike = layer.alike(SYNONYM_LEAST);
    lines(
        folder,
        "alike",
        alike.map(|([one, other], cosine)| json!([one, other, cosine])),
    )?;
    lines(
        folder,
        "questions",
        index.questions().iter().map(|question| {
            let gold: Vec<u32> = question.gold.iter().map(|g| g.passage).collect();
            json!({"text": question.text, "gold": gold, "wanted": question.wanted()})
        }),
    )?;
    Ok(
        json!({"passages": index.len(), "facts by": layer.made_by(index.len()), "facts": layer.meta.facts,
        "phrases": layer.meta.phrases, "pairs alike": layer.meta.alike, "questions": index.questions().len()}),
    )
}

fn lines(folder: &Path, name: &str, values: impl Iterator<Item = Value>) -> Result<()> {
    let mut out = BufWriter::new(File::create(folder.join(format!("{name}.jsonl")))?);
    for value in values {
        writeln!(out, "{value}")?;
    }
    Ok(out.flush()?)
}
