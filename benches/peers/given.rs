//! What the published systems are given to read: vectors as NumPy reads them; and our ranking of the same questions.

use super::{read, settings, write_npy};
use anyhow::{Result, bail};
use hopscope::embed::{Encoder, Vectors};
use hopscope::index::{BuildOptions, Index, Silent};
use hopscope::retrieve::{Keep, Retrieval, Retriever};
use serde_json::json;
use std::fs::File;
use std::io::{BufRead, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// A corpus, indexed in memory.
pub fn index(corpus: &Path) -> Result<Index> {
    let (corpus, _) = read(corpus)?;
    Ok(Index::build(corpus, &BuildOptions::default(), &Silent)?)
}

/// Answers lines on standard input, a JSON line each: `rank FILE [name=value ...]` writes the ranking of every question
/// under these settings, `embed FILE FILE.npy` the vectors of texts, a JSON string a line.
pub fn serve(index: &Arc<Index>, method: &'static str) -> Result<()> {
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let answer = match words[..] {
            ["rank", file, ref changes @ ..] => {
                let seconds = rank(index, method, Path::new(file), changes)?;
                json!({"questions": index.questions().len(), "seconds": seconds})
            }
            ["embed", from, to] => {
                let lines = std::fs::read_to_string(from)?;
                let texts = lines.lines().map(serde_json::from_str);
                let texts: Vec<String> = texts.collect::<Result<_, _>>()?;
                let dense = index.dense_for(method)?;
                rows(Path::new(to), &*dense.encoder, &texts, true)?;
                json!({"texts": texts.len()})
            }
            _ => {
                bail!("'{line}' is neither 'rank FILE [name=value ...]' nor 'embed FILE FILE.npy'")
            }
        };
        println!("{answer}");
    }
    Ok(())
}

/// Asks every question, and says how many seconds each took.
pub fn all(
    index: &Arc<Index>,
    method: &str,
    changes: &[&str],
    mut each: impl FnMut(&Retrieval) -> Result<()>,
) -> Result<Vec<f64>> {
    let mut settings = settings(index, method)?;
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
fn rank(index: &Arc<Index>, method: &str, file: &Path, changes: &[&str]) -> Result<Vec<f64>> {
    let mut out = BufWriter::new(File::create(file)?);
    let seconds = all(index, method, changes, |run| {
        let hits: Vec<(u32, f32)> = run.passages.iter().map(|h| (h.passage, h.score)).collect();
        Ok(writeln!(out, "{}", json!(hits))?)
    })?;
    out.flush()?;
    Ok(seconds)
}

/// Writes the vectors of the passages as they are stored, and of the questions.
pub fn passages_and_questions(index: &Index, folder: &Path, method: &'static str) -> Result<()> {
    let dense = index.dense_for(method)?;
    stored(&folder.join("passage.npy"), &dense.vectors)?;
    let asked = index.questions().iter();
    let asked: Vec<Vec<f32>> = asked
        .map(|question| dense.encoder.question(&question.text))
        .collect::<Result<_, _>>()?;
    matrix(&folder.join("question.npy"), &asked)
}

/// Writes vectors of texts by an encoder; `whole`: as int8 keeps them.
pub fn rows<S: AsRef<str>>(
    file: &Path,
    encoder: &dyn Encoder,
    texts: &[S],
    whole: bool,
) -> Result<()> {
    let texts: Vec<(&str, &str)> = texts.iter().map(|text| ("", text.as_ref())).collect();
    let flat = encoder.passages(&texts, &|_| true)?;
    let vectors = Vectors::new(encoder.identity().clone(), flat)?;
    match whole {
        true => stored(file, &vectors.quantised()),
        false => stored(file, &vectors),
    }
}

/// Writes vectors as an index keeps them.
pub fn stored(file: &Path, vectors: &Vectors) -> Result<()> {
    let mut row = vec![0.0; vectors.dims()];
    let rows = (0..vectors.len() as u32).map(|number| {
        vectors.row(number, &mut row);
        row.clone()
    });
    matrix(file, &rows.collect::<Vec<_>>())
}

fn matrix(file: &Path, rows: &[Vec<f32>]) -> Result<()> {
    let shape = [rows.len(), rows.first().map_or(0, Vec::len)];
    let values = rows.iter().flatten().map(|x| x.to_le_bytes());
    write_npy(file, "<f4", &shape, values)
}
