//! Our side of `benches/peers/peers.py`, which compares this crate with Python libraries on one graph in one run.
//!
//! `--prepare DIR` indexes a corpus and writes the graph, the seeds and the words of every question for the others to
//! read. `--serve DIR` opens that index and then obeys lines on standard input, one JSON line each in return:
//!
//! - `time ENGINE FROM TO`: milliseconds of each question of that range;
//! - `check ENGINE FROM TO FILE`: writes the scores of those questions as a matrix (.npy, f64);
//! - `memory`: the peak resident size of this process.
//!
//! `--linear DIR` writes what `benches/peers/linearrag.py` reads, and ranks for it; `--facts DIR` does so for `hipporag2.py`.
//!
//! Without arguments, as `cargo bench` runs it: both on the bundled sample, one round.

use anyhow::{Context, Result, bail};
use clap::Parser;
use hopscope::corpus::{self, Corpus, ReadOptions};
use hopscope::embed::{Hnsw, HnswOptions};
use hopscope::graph::push::{PushThreshold, Pushed, Rule};
use hopscope::graph::{Dangling, Power, Transition, walk};
use hopscope::index::{BuildOptions, EntityGraph, Index, Lexical, Silent, sample};
use hopscope::layers::{ENTITY_PASSAGE, Graph, GraphView, Opening};
use hopscope::parameters::{ALPHA, STEPS};
use hopscope::retrieve::methods::Ranker;
use hopscope::retrieve::{Keep, Method, Retriever, Settings, rank, spread};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{BufRead, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

#[path = "peers/facts.rs"]
mod facts;
#[path = "peers/given.rs"]
mod given;
#[path = "peers/linear.rs"]
mod linear;

/// The method whose graph and seeds are compared, with its defaults.
const METHOD: &str = "graph-hybrid";
/// Passages a question returns.
const TOP: usize = 10;

#[derive(Parser)]
struct Args {
    /// Index the corpus and write what the others read.
    #[arg(long, value_name = "DIR")]
    prepare: Option<PathBuf>,
    /// Passages.
    #[arg(long)]
    corpus: Option<PathBuf>,
    /// A corpus whose questions are asked; that of the passages, when left out.
    #[arg(long)]
    questions: Option<PathBuf>,
    /// Ask this many questions at most.
    #[arg(long, default_value_t = usize::MAX)]
    limit: usize,
    /// Open what was prepared and obey standard input.
    #[arg(long, value_name = "DIR")]
    serve: Option<PathBuf>,
    /// Index the corpus, write what the published LinearRAG is given, and rank on request.
    #[arg(long, value_name = "DIR")]
    linear: Option<PathBuf>,
    /// Index the corpus, write what the published HippoRAG 2 is given, and rank on request.
    #[arg(long, value_name = "DIR")]
    facts: Option<PathBuf>,
    /// With --facts: the folder of an openie.jsonl to read them from.
    #[arg(long, value_name = "FOLDER", requires = "facts")]
    beside: Vec<PathBuf>,
    /// Cargo says so; of no consequence.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<()> {
    let args = Args::parse();
    if let Some(folder) = &args.prepare {
        let Some(path) = &args.corpus else {
            bail!("--prepare needs --corpus PATH");
        };
        let (mut corpus, _) = read(path)?;
        if let Some(path) = &args.questions {
            corpus.questions = read(path)?.0.questions;
        }
        corpus.questions.truncate(args.limit);
        println!("{}", prepare(corpus, folder)?);
        return Ok(());
    }
    if let Some(folder) = &args.linear {
        let Some(path) = &args.corpus else {
            bail!("--linear needs --corpus PATH");
        };
        return linear::serve(path, folder);
    }
    if let Some(folder) = &args.facts {
        let Some(path) = &args.corpus else {
            bail!("--facts needs --corpus PATH");
        };
        return facts::serve(path, folder, &args.beside);
    }
    if let Some(folder) = &args.serve {
        let mut peer = Peer::new(Arc::new(Index::open(&folder.join("index"))?))?;
        for line in std::io::stdin().lock().lines() {
            println!("{}", peer.obey(&line?)?);
        }
        return Ok(());
    }
    let mut peer = Peer::new(Arc::new(sample::index()?))?;
    for engine in ENGINES {
        let ms = peer.time(engine, 0..peer.questions.len())?;
        println!(
            "{}",
            json!({"engine": engine, "milliseconds": spread_of(ms)})
        );
    }
    Ok(())
}

fn read(path: &Path) -> Result<(Corpus, corpus::Report)> {
    corpus::read(&[path.to_owned()], &ReadOptions::default())
        .with_context(|| path.display().to_string())
}

/// The largest resident size of this process so far, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Median, 95th percentile and mean.
fn spread_of(mut ms: Vec<f64>) -> Value {
    ms.sort_by(f64::total_cmp);
    let at = |share: f64| ms.get(((ms.len() as f64 - 1.0) * share).round() as usize);
    json!({"p50": at(0.5), "p95": at(0.95), "mean": ms.iter().sum::<f64>() / ms.len().max(1) as f64})
}

/// Indexes into `folder/index`, and writes graph, seeds and words beside it.
fn prepare(corpus: Corpus, folder: &Path) -> Result<Value> {
    fs::create_dir_all(folder)?;
    let place = folder.join("index");
    let questions = corpus.questions.len();
    let start = Instant::now();
    Index::create(corpus, &BuildOptions::default(), &place, &Silent)?;
    let whole = start.elapsed().as_secs_f64();
    let peak = peak_memory();
    let index = Arc::new(Index::open(&place)?);
    let start = Instant::now();
    Lexical::build(index.passages(), index.language(), None, |_| true)?;
    let words = start.elapsed().as_secs_f64();
    let start = Instant::now();
    EntityGraph::build(index.passages(), index.options(), |_| true);
    let names = start.elapsed().as_secs_f64();

    let mut peer = Peer::new(index.clone())?;
    let start = Instant::now();
    let view = GraphView::open(&index, false, peer.settings.all(), &Opening::default()).unwrap();
    let graph = start.elapsed().as_secs_f64();
    let t = &*view.transition;
    let mut offsets = vec![0u64];
    let mut targets: Vec<u32> = Vec::new();
    let (mut data, mut symmetric) = (Vec::new(), Vec::new());
    for node in 0..t.nodes() {
        let (row, weights) = t.row(node);
        targets.extend(row);
        let into = |v: u32| t.into(v as usize) * t.scale(node);
        for (&v, &w) in row.iter().zip(weights) {
            data.push(f64::from(w) * into(v));
            symmetric.push(f64::from(w) * t.into(v as usize) * t.into(node));
        }
        offsets.push(targets.len() as u64);
    }
    write_npy(
        &folder.join("offsets.npy"),
        "<u8",
        &[offsets.len()],
        offsets.iter().map(|x| x.to_le_bytes()),
    )?;
    write_npy(
        &folder.join("targets.npy"),
        "<u4",
        &[targets.len()],
        targets.iter().map(|x| x.to_le_bytes()),
    )?;
    write_npy(
        &folder.join("data.npy"),
        "<f8",
        &[data.len()],
        data.iter().map(|x| x.to_le_bytes()),
    )?;
    // The weights of the undirected graph with the same walk.
    write_npy(
        &folder.join("symmetric.npy"),
        "<f8",
        &[symmetric.len()],
        symmetric.iter().map(|x| x.to_le_bytes()),
    )?;
    let seeds = peer.seeds.concat();
    let ends: Vec<u64> = peer
        .seeds
        .iter()
        .scan(0, |end, s| {
            *end += s.len() as u64;
            Some(*end)
        })
        .collect();
    write_npy(
        &folder.join("seed_ends.npy"),
        "<u8",
        &[ends.len()],
        ends.iter().map(|x| x.to_le_bytes()),
    )?;
    write_npy(
        &folder.join("seed_nodes.npy"),
        "<u4",
        &[seeds.len()],
        seeds.iter().map(|x| x.0.to_le_bytes()),
    )?;
    write_npy(
        &folder.join("seed_mass.npy"),
        "<f8",
        &[seeds.len()],
        seeds.iter().map(|x| x.1.to_le_bytes()),
    )?;
    let tokens = rank::tokens(peer.settings.all());
    let mut out = BufWriter::new(File::create(folder.join("passages.txt"))?);
    for p in 0..index.len() {
        writeln!(
            out,
            "{}",
            tokens
                .list(index.language(), &index.passages().full_text(p))
                .join(" ")
        )?;
    }
    out.flush()?;
    let mut out = BufWriter::new(File::create(folder.join("questions.txt"))?);
    for question in &peer.questions {
        writeln!(out, "{}", tokens.list(index.language(), question).join(" "))?;
    }
    out.flush()?;
    let dense = index.dense().context("an index with vectors")?;
    let mut row = vec![0.0; dense.vectors.dims()];
    let rows = (0..index.len() as u32).flat_map(|passage| {
        dense.vectors.row(passage, &mut row);
        row.clone()
    });
    let shape = [index.len(), dense.vectors.dims()];
    write_npy(
        &folder.join("vectors.npy"),
        "<f4",
        &shape,
        rows.map(f32::to_le_bytes),
    )?;
    write_npy(
        &folder.join("question_vectors.npy"),
        "<f4",
        &[peer.vectors.len(), dense.vectors.dims()],
        peer.vectors.iter().flatten().map(|x| x.to_le_bytes()),
    )?;
    let start = Instant::now();
    peer.near()?;
    let near = start.elapsed().as_secs_f64();
    let first = peer.time("question-graph-hybrid", 0..1)?;
    let constants = rank::constants(peer.settings.all());
    let about = json!({
        "passages": index.len(), "questions": questions, "nodes": t.nodes(), "arcs": t.arcs(),
        "alpha": peer.alpha, "steps": peer.steps, "k1": constants.k1, "b": constants.b,
        "first_question_ms": first[0],
        "links": NEAR.m, "beam_when_built": NEAR.ef_construction,
        "index": {"seconds": whole, "words": words, "names": names, "graph": graph, "near": near, "peak_bytes": peak},
        "engines": ENGINES,
    });
    fs::write(folder.join("about.json"), about.to_string())?;
    Ok(about)
}

/// A matrix in NumPy's format, version 1.
fn write_npy<const N: usize>(
    path: &Path,
    kind: &str,
    shape: &[usize],
    values: impl Iterator<Item = [u8; N]>,
) -> Result<()> {
    let sizes: String = shape.iter().map(|n| format!("{n},")).collect();
    let mut head = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({sizes}), }}");
    // Magic, version and length take 10 bytes; the whole head is a multiple of 64 and ends in a line feed.
    while !(head.len() + 11).is_multiple_of(64) {
        head.push(' ');
    }
    head.push('\n');
    let mut out = BufWriter::new(File::create(path).with_context(|| path.display().to_string())?);
    out.write_all(b"\x93NUMPY\x01\x00")?;
    out.write_all(&(head.len() as u16).to_le_bytes())?;
    out.write_all(head.as_bytes())?;
    for value in values {
        out.write_all(&value)?;
    }
    Ok(out.flush()?)
}

/// What can be timed.
const ENGINES: [&str; 10] = [
    "power",
    "push-1e-4",
    "push-1e-5",
    "push-1e-6",
    "bm25",
    "nearest",
    "near-64",
    "near-256",
    "question-bm25",
    "question-graph-hybrid",
];

/// As an index has it by default.
const NEAR: HnswOptions = HnswOptions {
    m: 32,
    ef_construction: 200,
    seed: 0,
};

/// An index with its questions and their seeds, ready to be timed.
struct Peer {
    index: Arc<Index>,
    settings: Settings,
    questions: Vec<String>,
    /// By question.
    vectors: Vec<Vec<f32>>,
    near: Option<Arc<Hnsw>>,
    /// By question: node and mass, nodes ascending.
    seeds: Vec<walk::Sparse>,
    graph: Arc<Graph>,
    alpha: f64,
    steps: usize,
    retriever: Retriever,
    scratch: Vec<f64>,
    /// Memory of the walks, and the mass of every node at the end of the last: kept between questions, as a retriever does.
    power: Power,
    pushed: Pushed,
    mass: Vec<f64>,
}

impl Peer {
    fn new(index: Arc<Index>) -> Result<Peer> {
        let settings = settings(&index, METHOD)?;
        let questions: Vec<String> = index.questions().iter().map(|q| q.text.clone()).collect();
        if questions.is_empty() {
            bail!("no questions; name a corpus that has some with --questions PATH");
        }
        let mut retriever = Retriever::new(index.clone());
        let graph = retriever.graph(&ENTITY_PASSAGE, &settings, &[])?;
        let mut seeds = Vec::new();
        for question in &questions {
            let retrieval = retriever.retrieve(question, &settings, Keep::Scores)?;
            seeds.push(spread::restart(retrieval.seeds()));
        }
        let dense = index.dense().context("an index with vectors")?;
        let nothing = || vec![0.0; dense.vectors.dims()];
        let vectors = questions.iter().map(|question| {
            let vector = dense.question(question)?;
            Ok(vector.unwrap_or_else(nothing))
        });
        let vectors = vectors.collect::<Result<_>>()?;
        Ok(Peer {
            vectors,
            near: None,
            alpha: settings.get(ALPHA),
            steps: settings.get(STEPS),
            index,
            settings,
            questions,
            seeds,
            graph,
            retriever,
            scratch: Vec::new(),
            power: Power::default(),
            pushed: Pushed::default(),
            mass: Vec::new(),
        })
    }

    /// The small-world graph over the passages' vectors, made when it is first asked for.
    fn near(&mut self) -> Result<Arc<Hnsw>> {
        if self.near.is_none() {
            let dense = self.index.dense().context("an index with vectors")?;
            self.near = Some(dense.hnsw(&NEAR)?);
        }
        self.near.clone().context("it was just made")
    }

    fn obey(&mut self, line: &str) -> Result<Value> {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words == ["memory"] {
            return Ok(json!({"peak_bytes": peak_memory()}));
        }
        let [verb, engine, from, to, ref rest @ ..] = words[..] else {
            bail!("'{line}' is none of: time ENGINE FROM TO, check ENGINE FROM TO FILE, memory");
        };
        if !ENGINES.contains(&engine) {
            bail!("no engine '{engine}'; there are: {}", ENGINES.join(", "));
        }
        let range = from.parse()?..to.parse::<usize>()?.min(self.questions.len());
        match (verb, rest) {
            ("time", []) => Ok(json!({"ms": self.time(engine, range)?})),
            ("check", [path]) => {
                let rows: Vec<Vec<f64>> = range
                    .map(|q| self.scores(engine, q))
                    .collect::<Result<_>>()?;
                let shape = [rows.len(), rows.first().map_or(0, Vec::len)];
                write_npy(
                    Path::new(path),
                    "<f8",
                    &shape,
                    rows.iter().flatten().map(|x| x.to_le_bytes()),
                )?;
                Ok(json!({"rows": rows.len()}))
            }
            _ => bail!("'{line}' is neither 'time ENGINE FROM TO' nor 'check ENGINE FROM TO FILE'"),
        }
    }

    /// Milliseconds of each question.
    fn time(&mut self, engine: &str, range: std::ops::Range<usize>) -> Result<Vec<f64>> {
        range
            .map(|q| {
                let start = Instant::now();
                std::hint::black_box(self.run(engine, q)?);
                Ok(start.elapsed().as_secs_f64() * 1e3)
            })
            .collect()
    }

    fn run(&mut self, engine: &str, q: usize) -> Result<Found> {
        if let Some(beam) = engine.strip_prefix("near-") {
            let near = self.near()?;
            let dense = self.index.dense().context("an index with vectors")?;
            let found = near.nearest(&dense.vectors, &self.vectors[q], TOP, beam.parse()?)?;
            return Ok(Found::Passages(found));
        }
        let t: &Transition = self.graph.transition();
        let seeds = &self.seeds[q];
        let mut push = |epsilon| {
            let rule = Rule {
                alpha: self.alpha,
                epsilon,
                threshold: PushThreshold::Plain,
                dangling: Dangling::Drop,
            };
            self.pushed.forward(t, seeds, &rule, |_| {});
            Found::Settled
        };
        Ok(match engine {
            "power" => {
                let (alpha, steps, rule) = (self.alpha, self.steps, Dangling::Drop);
                let mut end = self.power.walk(t, seeds, alpha, steps, rule, |_, _, _| {});
                end.write(&mut self.mass);
                Found::Mass
            }
            "push-1e-4" => push(1e-4),
            "push-1e-5" => push(1e-5),
            "push-1e-6" => push(1e-6),
            "bm25" => {
                let words = self
                    .index
                    .lexical()
                    .question(rank::tokens(self.settings.all()), &self.questions[q])?;
                let ranked = rank::words(
                    &self.index,
                    Ranker::Bm25,
                    words,
                    self.settings.all(),
                    TOP,
                    &mut self.scratch,
                )?;
                Found::Passages(ranked.hits.iter().map(|h| (h.passage, h.score)).collect())
            }
            "nearest" => {
                let dense = self.index.dense().context("an index with vectors")?;
                Found::Passages(dense.vectors.nearest(&self.vectors[q], TOP)?)
            }
            _ => {
                let method = engine.trim_start_matches("question-");
                let settings = settings(&self.index, method)?;
                // The stages remember the last question: it is never this one.
                let found = self
                    .retriever
                    .retrieve(&self.questions[q], &settings, Keep::Scores)?;
                Found::Passages(
                    found
                        .passages
                        .iter()
                        .map(|h| (h.passage, h.score))
                        .collect(),
                )
            }
        })
    }

    /// Scores of all nodes (a walk) or passages (a ranking; 0 for what it does not return).
    fn scores(&mut self, engine: &str, q: usize) -> Result<Vec<f64>> {
        Ok(match self.run(engine, q)? {
            Found::Mass => self.mass.clone(),
            Found::Settled => self.pushed.estimate.clone(),
            Found::Passages(hits) => {
                let mut scores = vec![0.0; self.index.len()];
                for (passage, score) in hits {
                    scores[passage as usize] = f64::from(score);
                }
                scores
            }
        })
    }
}

/// Where a result is.
enum Found {
    Mass,
    Settled,
    Passages(Vec<(u32, f32)>),
}

fn settings(index: &Index, method: &str) -> Result<Settings> {
    let method = Method::by_name(method).map_err(anyhow::Error::msg)?;
    Ok(Settings::of(index, method))
}
