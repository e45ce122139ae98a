//! `hopscope index PATH... --out DIR [--with LAYER]` and `hopscope index --add LAYER INDEX`

use super::figures::{self, megabytes};
use super::grid::{Grid, cells};
use super::llm;
use super::load::{self, ProgressBars};
use super::named::Named;
use super::stats::parts_named;
use super::{Opening, Tuning, about, closed, interrupt, say, vectors_misfit};
use crate::corpus::{Cut, Report};
use crate::exchange;
use crate::index::Layer;
use crate::index::dense::DenseEntry;
use crate::index::store::Manifest;
use crate::index::{BuildOptions, Built, EntityOptions, GivenFiles, Index, IndexError, Part, Step};
use crate::layers::HopLayer;
use crate::layers::entities::entity_options;
use crate::layers::given::GivenLayer;
use crate::layers::{BuiltLayer, LAYERS, add_layers, build_layers, layers_named};
use crate::llm::Llm;
use crate::output;
use crate::retrieve::Settings;
use crate::retrieve::nearest::near;
use crate::text::{self, Language};
use anyhow::{Result, bail};
use clap::Args;
use serde::Serialize;
use std::cell::RefCell;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Debug, Default, Args)]
pub struct IndexArgs {
    /// Corpus files or folders, - for standard input, postgres://HOST/DATABASE for a graph in tables; with --add the index folder.
    #[arg(required = true)]
    pub(super) paths: Vec<PathBuf>,
    /// Index folder to write; an existing index there is replaced.
    #[arg(long, short, required_unless_present = "add")]
    pub(super) out: Option<PathBuf>,
    /// Extra layers to build, for methods with their own graph; none skips hop's layer as well.
    #[arg(long, value_name = "LAYER", value_delimiter = ',')]
    pub(super) with: Vec<String>,
    /// Add layers to an existing index.
    #[arg(
        long,
        value_name = "LAYER",
        value_delimiter = ',',
        conflicts_with_all = ["out", "with", "vectors", "questions", "qrels", "format", "skip_bad"]
    )]
    pub(super) add: Vec<String>,
    #[command(flatten)]
    pub(super) opening: Opening,
    /// With --add: corpus folder, for layers that read links.tsv or openie.jsonl from it.
    #[arg(long, value_name = "FOLDER", requires = "add")]
    pub(super) beside: Vec<PathBuf>,
    /// A questions file to keep with the index, when the corpus has none beside it.
    #[arg(long)]
    pub(super) questions: Option<PathBuf>,
    /// A qrels file for those questions.
    #[arg(long)]
    pub(super) qrels: Option<PathBuf>,
    /// Precomputed passage vectors: a float32 .npy file, one row per passage in corpus order.
    #[arg(
        long,
        value_name = "FILE.npy",
        requires = "question_vectors",
        conflicts_with = "encoder"
    )]
    pub(super) vectors: Option<PathBuf>,
    /// Vectors of the questions by the same encoder, in the order of the question set.
    #[arg(long, value_name = "FILE.npy", requires = "vectors")]
    pub(super) question_vectors: Option<PathBuf>,
    /// Build the index of one part of the corpus alone, I of N, without layers; 'hopscope merge' joins the parts. One that is
    /// there is not built again.
    #[arg(
        long,
        value_name = "I/N",
        value_parser = shard,
        conflicts_with_all = ["add", "vectors"]
    )]
    pub(super) shard: Option<(usize, usize)>,
    /// Set a build parameter: ner, norm, alias_linking, subjects, vector_search, hnsw_m, hnsw_ef_construction.
    #[arg(long = "set", short, value_name = "NAME=VALUE")]
    pub(super) set: Vec<String>,
    /// Build with a paper's settings for a data set: hotpotqa or 2wiki. --set overrides them.
    #[arg(long, value_name = "NAME")]
    pub(super) preset: Option<String>,
    /// Print what was done as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// An index that was written.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Written<'a> {
    /// Its folder.
    index: &'a str,
    /// Number of passages.
    passages: usize,
    /// Number of questions.
    questions: usize,
    /// Number of entities of the graph.
    entities: usize,
    /// Number of entity-passage edges, each once.
    edges: usize,
    /// Bytes on disk.
    bytes: u64,
    /// Bytes of every part and layer.
    parts: Named<u64>,
    /// Seconds of each step; build and total at the end.
    seconds: Named<f64>,
    /// Largest resident memory of the process; null where the system does not say.
    peak_memory_bytes: Option<u64>,
    /// Options that words and names were read with.
    settings: &'a EntityOptions,
    /// Code of the language that words are cut by.
    language: Language,
    /// Encoder of the vectors; null without vectors.
    encoder: Option<&'a DenseEntry>,
    /// Hash of its content.
    fingerprint: &'a str,
    /// Account of the reading: records kept, merged and left out; absent where parts were joined.
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<&'a Report>,
    /// Layers that were built with it.
    layers: Vec<Made<'a>>,
    /// Requests to the language model; null without `--llm`.
    llm: Option<llm::Asked>,
    /// How texts were cut; absent where none were.
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<Cut>,
    /// Which part of a corpus it is of; absent where it is of all.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<&'a Part>,
}

/// An index that layers were added to.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Added<'a> {
    /// Its folder.
    index: &'a str,
    /// Layers that were built.
    layers: Vec<Made<'a>>,
    /// Wall time.
    seconds: f64,
    /// Largest resident memory of the process; null where the system does not say.
    peak_memory_bytes: Option<u64>,
    /// Hash of the index.
    fingerprint: &'a str,
    /// Requests to the language model; null without `--llm`.
    llm: Option<llm::Asked>,
}

/// A layer that was built.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Made<'a> {
    /// As `--with` names it.
    name: &'a str,
    /// Time it took.
    seconds: f64,
    /// Bytes on disk.
    bytes: u64,
    /// Part of it that comes from a file beside the corpus; absent where none can.
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<&'a str>,
}

/// Whose graph an index holds: names alone. What the default method has besides is a layer of its own.
pub(super) const PLAIN: &str = "graph";

pub fn run(args: &IndexArgs) -> Result<()> {
    let (set, preset) = (args.set.clone(), args.preset.clone());
    let settings = Tuning {
        set,
        preset,
        ranker: None,
    }
    .how()
    .settings(Some(PLAIN))?;
    if !args.add.is_empty() {
        return add(args, settings);
    }
    let Some(out) = &args.out else {
        bail!("missing --out DIR, the folder to write");
    };
    let asked = match args.shard {
        // The whole has them; of a part they would be thrown away.
        Some(_) => args.with.clone(),
        None => layers(&args.paths, &args.with),
    };
    let mut kinds = layers_named(&asked, LAYERS).map_err(about("--with"))?;
    let bars = ProgressBars::of(&Step::OF_INDEX);
    let llm = args.opening.thinking.open()?.unwrap_or_default();
    llm.announce_to(bars.announce());
    let start = Instant::now();
    let mut options = args.opening.reading.options()?;
    options.questions = args.questions.clone();
    options.qrels = args.qrels.clone();
    let read = load::read(&args.paths, &options, &bars)?;
    let (corpus, report) = (read.corpus, read.report.unwrap_or_default());
    // A database may have the graph of another system, or an index that was published: only then are its options known.
    if read.options.is_some() && !args.with.iter().any(|name| name == GivenLayer::LABEL) {
        kinds.retain(|kind| kind.name != GivenLayer::LABEL);
    }
    say(&report);
    let seconds = start.elapsed().as_secs_f64();
    let passages = corpus.passages.len();
    if let Some((_, of)) = args.shard.filter(|(_, of)| *of > passages) {
        let passages = text::plural(passages, "passage");
        bail!("--shard: {of} parts of {passages}; a part needs one at least");
    }
    // Not before: a pipe that nobody writes into is waited for, and then a signal should end the program at once.
    interrupt::watch();
    let layers = RefCell::new(Vec::new());
    let language = args.opening.reading.language(&corpus);
    let own = || entity_options(false, language, settings.all());
    let options = BuildOptions {
        entities: read.options.unwrap_or_else(own),
        encoder: args.opening.reading.encoder(),
        given: args.vectors.clone().zip(args.question_vectors.clone()).map(
            |(passages, questions)| GivenFiles {
                passages,
                questions,
            },
        ),
        near: near(settings.all()),
        cut: Some(args.opening.reading.cut()),
        part: args.shard,
    };
    let built = match Built::there(out, &corpus, &options) {
        Some(built) => {
            let (number, of) = args.shard.unwrap_or_default();
            note!("{}: part {number} of {of} is built already", out.display());
            Ok(built)
        }
        None => Index::create_with(corpus, &options, out, &bars, &|index| {
            index.look_beside(&read.beside);
            index.keep_copy(&report.copies);
            index.think_with(llm.clone());
            settings_of(&settings, index, |settings| {
                layers.replace(build_layers(index, &kinds, settings.all(), &bars)?);
                Ok(())
            })
        }),
    };
    bars.clear();
    llm::report(&llm);
    let written = Wrote {
        built: built?,
        layers: layers.into_inner(),
        read: Some((seconds, &report)),
        seconds: start.elapsed().as_secs_f64(),
    };
    written.show(out, args.json, &llm)
}

/// An index that was written, and what it took.
pub(super) struct Wrote<'a> {
    pub built: Built,
    pub layers: Vec<BuiltLayer>,
    /// Seconds of reading a corpus, and the account of it.
    pub read: Option<(f64, &'a Report)>,
    pub seconds: f64,
}

impl Wrote<'_> {
    pub(super) fn show(&self, out: &Path, json: bool, llm: &Llm) -> Result<()> {
        let (built, layers, seconds) = (&self.built, &self.layers, self.seconds);
        let m = &built.manifest;
        let language = m.options.language;
        let encoder = m.dense.as_ref();
        if let Some(misfit) = vectors_misfit(language, encoder.map(|dense| &*dense.encoder)) {
            note!("{misfit}");
        }
        let spent = built.seconds.iter().map(|(step, s)| (step.label(), *s));
        let reading = self.read.map(|(read, _)| read);
        if json {
            let ends = [
                ("build", seconds - reading.unwrap_or_default()),
                ("total", seconds),
            ];
            let read = reading.map(|read| ("read", read));
            super::print_json(&Written {
                index: &out.to_string_lossy(),
                passages: m.passages,
                questions: m.questions,
                entities: m.entities,
                edges: m.edges,
                bytes: built.bytes,
                parts: parts_named(m),
                seconds: read.into_iter().chain(spent).chain(ends).collect(),
                peak_memory_bytes: peak_memory(),
                settings: &m.options,
                language,
                encoder: m.dense.as_ref(),
                fingerprint: &m.fingerprint,
                report: self.read.map(|(_, report)| report),
                layers: layers_made(m, layers),
                llm: llm::asked(llm),
                cut: m.cut,
                part: built.part.as_ref(),
            })?;
            return llm::answered(llm);
        }
        let mut to = output::text();
        let mut grid = Grid::new("  < >12   < >8");
        grid.row(cells!["passages", m.passages, "questions", m.questions]);
        grid.row(cells!["entities", m.entities, "edges", m.edges]);
        write!(to, "{}\n{grid}", out.display())?;
        if let Some(part) = &built.part {
            let (first, last) = (part.range().start + 1, part.range().end);
            let [first, last, all] = [first, last, part.passages].map(text::count);
            let (number, of) = (part.number, part.of);
            writeln!(
                to,
                "  part {number} of {of}: passages {first} to {last} of {all}"
            )?;
        }
        if let Some(Cut { words, overlap }) = m.cut {
            writeln!(
                to,
                "  texts cut into at most {words} words, overlap {overlap}"
            )?;
        }
        if let Some(dense) = &m.dense {
            let (dims, by, search) = (dense.identity.dims, &dense.encoder, dense.searched());
            writeln!(to, "  vectors of {dims} numbers by {by}; {search}")?;
        }
        writeln!(to, "  words cut as {language}")?;
        let took = figures::seconds(seconds);
        writeln!(
            to,
            "  {} on disk, {took}{}",
            megabytes(built.bytes),
            memory()
        )?;
        let parts = m.parts();
        let parts = parts
            .iter()
            .map(|(part, bytes)| format!("{part} {}", megabytes(*bytes)));
        writeln!(to, "  {}", Vec::from_iter(parts).join(", "))?;
        let spent = reading
            .map(|read| ("reading", read))
            .into_iter()
            .chain(spent);
        let spent = spent.map(|(step, s)| format!("{step} {}", figures::seconds(s)));
        writeln!(to, "  {}", Vec::from_iter(spent).join(", "))?;
        print_layers(&mut to, m, layers)?;
        match built.part {
            Some(_) => writeln!(
                to,
                "  join the parts with: hopscope merge PART... --out DIR"
            )?,
            None => writeln!(to, "  open it with: hopscope {}", out.display())?,
        }
        llm::answered(llm)
    }
}

/// A part of a corpus, `2/8`.
fn shard(text: &str) -> Result<(usize, usize), String> {
    let numbers = text.split_once('/');
    let numbers = numbers.and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    match numbers {
        Some((number, of)) if (1..=of).contains(&number) => Ok((number, of)),
        _ => Err("write I/N, with I from 1 to N: 2/8".to_owned()),
    }
}

/// `hopscope index --add LAYER INDEX`
fn add(args: &IndexArgs, settings: Settings) -> Result<()> {
    let [folder] = &args.paths[..] else {
        bail!("--add takes one index folder");
    };
    let kinds = layers_named(&args.add, LAYERS).map_err(about("--add"))?;
    if !Index::is_index(folder) {
        bail!(
            "{}: no index; make one with: hopscope index CORPUS --out DIR --with {}",
            folder.display(),
            args.add.join(",")
        );
    }
    let bars = ProgressBars::of(&[]);
    let llm = args.opening.thinking.open()?.unwrap_or_default();
    llm.announce_to(bars.announce());
    interrupt::watch();
    let start = Instant::now();
    let index = args.opening.reading.index(folder, false, &bars)?;
    closed(&index).iter().for_each(say);
    index.look_beside(&args.beside);
    index.think_with(llm.clone());
    let added = settings_of(&settings, &index, |settings| {
        add_layers(&index, folder, &kinds, settings.all(), &bars)
    });
    bars.clear();
    llm::report(&llm);
    let (manifest, layers) = added?;
    let seconds = start.elapsed().as_secs_f64();
    if args.json {
        super::print_json(&Added {
            index: &folder.to_string_lossy(),
            layers: layers_made(&manifest, &layers),
            seconds,
            peak_memory_bytes: peak_memory(),
            fingerprint: &manifest.fingerprint,
            llm: llm::asked(&llm),
        })?;
        return llm::answered(&llm);
    }
    let mut to = output::text();
    writeln!(to, "{}", folder.display())?;
    print_layers(&mut to, &manifest, &layers)?;
    writeln!(to, "  {} in all{}", figures::seconds(seconds), memory())?;
    llm::answered(&llm)
}

/// The default method's own layer comes with every index, and the graph that a corpus has; unless none is asked for.
pub(super) fn layers(paths: &[PathBuf], asked: &[String]) -> Vec<String> {
    if asked.iter().any(|name| name == "none") {
        return Vec::new();
    }
    let came = paths
        .iter()
        .any(|path| exchange::given::find(path).is_some());
    let given = came.then(|| GivenLayer::LABEL.to_owned());
    let own = std::iter::once(HopLayer::NAME.to_owned());
    own.chain(asked.iter().cloned()).chain(given).collect()
}

/// What a layer is built with: what was set here, and else what the index was built with.
pub(super) fn settings_of<T>(
    settings: &Settings,
    index: &Index,
    build: impl FnOnce(&Settings) -> Result<T, IndexError>,
) -> Result<T, IndexError> {
    let mut settings = settings.clone();
    settings.adopt(index);
    build(&settings)
}

fn layers_made<'a>(manifest: &Manifest, layers: &'a [BuiltLayer]) -> Vec<Made<'a>> {
    let one = |layer: &'a BuiltLayer| Made {
        name: layer.name,
        seconds: layer.seconds,
        bytes: manifest.layer_bytes(layer.name),
        read: layer.read.as_deref(),
    };
    layers.iter().map(one).collect()
}

fn print_layers(to: &mut impl Write, manifest: &Manifest, layers: &[BuiltLayer]) -> io::Result<()> {
    for layer in layers {
        let size = megabytes(manifest.layer_bytes(layer.name));
        let took = figures::seconds(layer.seconds);
        writeln!(to, "  layer {:<18} {took}, {size}", layer.name)?;
        if let Some(read) = &layer.read {
            writeln!(to, "    {read}")?;
        }
    }
    Ok(())
}

fn memory() -> String {
    peak_memory().map_or(String::new(), |bytes| {
        format!(", peak memory {:.0} MB", bytes as f64 / 1e6)
    })
}

/// The largest resident size of this process so far, where the system tells.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim()
        .strip_suffix("kB")?
        .trim()
        .parse::<u64>()
        .ok()
        .map(|kb| kb * 1024)
}
