//! Building an index from a corpus, with progress, in memory or into a folder.

#![warn(missing_docs)]

use super::claim::{self, Claim};
use super::dense::{Dense, GivenFiles};
use super::entities::{EntityGraph, EntityOptions};
use super::lexical::{Lexical, refused};
use super::merge;
use super::near::NearOptions;
use super::passages::Passages;
use super::readings::{Part, Readings};
use super::store::{self, Encoding, Manifest};
use super::{Index, IndexError, OwnGraph};
use crate::corpus::{Corpus, Cut, Question};
use crate::embed::spec;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use tantivy::TantivyError;

/// The parts of a build, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Passages, from a database.
    Copy,
    /// Names and the edges to the passages that mention them.
    Entities,
    /// Postings.
    Words,
    /// A vector a passage.
    Vectors,
    /// A layer, by name.
    Layer(&'static str),
    /// The small-world graph of the nearest vectors.
    Near,
    /// Files.
    Write,
    /// Bytes of an index that is opened, held against their checksums.
    Check,
}

impl Step {
    /// Those of an index without layers, in order.
    pub const OF_INDEX: [Step; 5] = [
        Step::Entities,
        Step::Words,
        Step::Vectors,
        Step::Near,
        Step::Write,
    ];

    /// For progress bars.
    pub fn label(self) -> &'static str {
        match self {
            Step::Copy => "copying",
            Step::Entities => "names",
            Step::Words => "words",
            Step::Vectors => "vectors",
            Step::Layer(name) => name,
            Step::Near => "hnsw",
            Step::Write => "writing",
            Step::Check => "checking",
        }
    }
}

/// Options for building an index.
///
/// ```
/// # use hopscope::*; use std::sync::Arc;
/// # fn main() -> anyhow::Result<()> {
/// # let index = Arc::new(hopscope::index::sample::index()?);
/// # let method = |name: &str| Method::by_name(name).map_err(anyhow::Error::msg);
/// let (corpus, _) = read_corpus(&["sample-corpus".into()], &ReadOptions::default())?;
/// let built = Index::build(corpus, &BuildOptions::default(), &Silent)?;
/// assert_eq!(built.len(), index.len());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildOptions {
    /// How names are found and told apart.
    pub entities: EntityOptions,
    /// `static`, `bert:FOLDER`, `endpoint:URL`, or `none` for an index without vectors.
    pub encoder: String,
    /// Vectors made elsewhere, in place of an encoder's.
    pub given: Option<GivenFiles>,
    /// A small-world graph over the vectors; none leaves them to exact search.
    pub near: Option<NearOptions>,
    /// How the texts were cut, to be kept with the index; none is the default.
    pub cut: Option<Cut>,
    /// Which part of the corpus, from 1, and of how many: for [`Index::merge_with`]. None is all of it.
    pub part: Option<(usize, usize)>,
}

impl Default for BuildOptions {
    fn default() -> Self {
        EntityOptions::default().into()
    }
}

impl From<EntityOptions> for BuildOptions {
    fn from(entities: EntityOptions) -> Self {
        BuildOptions {
            entities,
            encoder: STATIC.into(),
            given: None,
            near: None,
            cut: None,
            part: None,
        }
    }
}

/// The encoder in the binary.
pub const STATIC: &str = "static";
/// No encoder.
pub const NONE: &str = "none";

/// Watches a build and may stop it. Called from several threads.
pub trait Progress: Sync {
    /// `done` of `total` passages (bytes, where an index is checked) of a step. Returning false cancels the build.
    fn advance(&self, step: Step, done: usize, total: usize) -> bool;
}

/// Watches nothing.
pub struct Silent;

impl Progress for Silent {
    fn advance(&self, _: Step, _: usize, _: usize) -> bool {
        true
    }
}

/// What a build into a folder left there.
#[derive(Debug)]
pub struct Built {
    /// What was written.
    pub manifest: Manifest,
    /// Bytes of all files.
    pub bytes: u64,
    /// Which part of a corpus it is of, where it is not of all.
    pub part: Option<Part>,
    /// Seconds of each step, in order. Names, words and vectors are made side by side and share the cores.
    pub seconds: Vec<(Step, f64)>,
}

impl Built {
    /// The index of a part of a corpus, where a folder has it already, built like this.
    pub fn there(folder: &Path, corpus: &Corpus, options: &BuildOptions) -> Option<Built> {
        let wanted = Part::of(options.part?, &corpus.passages);
        let manifest = Manifest::read(folder).ok()?;
        // All of it is checked, since joining reads all of it.
        let index = store::open(folder, Encoding::Stored, true, &Silent).ok()?;
        let part = index.layer::<Readings>().ok()?.meta.part.clone()?;
        let encoder = manifest.dense.as_ref().map_or(NONE, |dense| &dense.encoder);
        let same = part == wanted
            && manifest.options == options.entities
            && manifest.cut == options.kept_cut()
            && encoder == spec::public(&options.encoder);
        same.then(|| Built::of(manifest, Some(part), Vec::new()))
    }

    fn of(manifest: Manifest, part: Option<Part>, seconds: Vec<(Step, f64)>) -> Built {
        Built {
            bytes: manifest.files.iter().map(|f| f.bytes).sum(),
            manifest,
            part,
            seconds,
        }
    }
}

impl BuildOptions {
    /// How the texts were cut, where that is kept.
    fn kept_cut(&self) -> Option<Cut> {
        self.cut.filter(|cut| *cut != Cut::default())
    }
}

impl Index {
    /// Indexes a corpus in memory.
    ///
    /// # Errors
    /// An empty corpus, or a cancelled build.
    pub fn build(
        corpus: Corpus,
        options: &BuildOptions,
        progress: &dyn Progress,
    ) -> Result<Index, IndexError> {
        build(material(corpus, options)?, options, None, progress).map(|(index, _)| index)
    }

    /// Indexes a corpus into a folder: written beside it and renamed, so a killed build leaves the old index or none.
    ///
    /// # Errors
    /// An empty corpus, a cancelled build, a folder that holds something else, or what could not be written.
    pub fn create(
        corpus: Corpus,
        options: &BuildOptions,
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Built, IndexError> {
        Index::create_with(corpus, options, folder, progress, &|_| Ok(()))
    }

    /// As [`create`](Self::create); `complete` adds layers to the index before it is written.
    ///
    /// # Errors
    /// As [`create`](Self::create), and what `complete` says.
    pub fn create_with(
        corpus: Corpus,
        options: &BuildOptions,
        folder: &Path,
        progress: &dyn Progress,
        complete: &dyn Fn(&Index) -> Result<(), IndexError>,
    ) -> Result<Built, IndexError> {
        written(
            material(corpus, options)?,
            options,
            folder,
            progress,
            complete,
        )
    }
}

/// What an index is made of.
pub struct Material {
    pub name: String,
    pub passages: Passages,
    pub questions: Vec<Question>,
    /// Vectors that need not be made.
    pub dense: Option<Dense>,
    /// Indexes of the parts of the corpus, in order; empty where it was read now.
    pub parts: Vec<merge::Opened>,
    /// Where this is a part itself.
    pub part: Option<Part>,
}

fn material(corpus: Corpus, options: &BuildOptions) -> Result<Material, IndexError> {
    let Corpus {
        name,
        mut passages,
        mut questions,
    } = corpus;
    let part = options.part.map(|part| Part::of(part, &passages));
    if let Some(part) = &part {
        merge::take(part, &mut passages, &mut questions);
    }
    let columns = Passages::new(&passages);
    drop(passages);
    // Files that do not fit are known at once, not after the graph is built.
    let given = options.given.as_ref();
    let given = given.map(|files| Dense::given(&columns, &questions, files));
    Ok(Material {
        name,
        dense: given.transpose()?,
        passages: columns,
        questions,
        parts: Vec::new(),
        part,
    })
}

/// The folder that a folder lies in, which is made where there is none.
pub fn parent(folder: &Path) -> Result<&Path, IndexError> {
    let parent = folder.parent().filter(|p| !p.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(|e| IndexError::io(parent, e))?;
    Ok(parent)
}

/// Builds an index into a folder.
pub fn written(
    material: Material,
    options: &BuildOptions,
    folder: &Path,
    progress: &dyn Progress,
    complete: &dyn Fn(&Index) -> Result<(), IndexError>,
) -> Result<Built, IndexError> {
    let vacant = fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
    if folder.exists() && !vacant && !Index::is_index(folder) {
        return Err(IndexError::Occupied {
            path: folder.to_owned(),
        });
    }
    let parent = parent(folder)?;
    // Whoever comes while this builds is told so at once, and not when both are done.
    let _old = Claim::of(folder)?;
    let (temporary, _new) = claim::workplace(parent)?;
    let part = material.part.clone();
    let (index, mut seconds) = build(material, options, Some(temporary.path()), progress)?;
    let start = Instant::now();
    progress.advance(Step::Write, 0, 1);
    let mut index = store::settle(index, temporary.path())?;
    let writing = start.elapsed().as_secs_f64();
    complete(&index)?;
    let start = Instant::now();
    if let (Some(part), Some(readings)) = (&part, index.readings.take()) {
        index.add_layer(readings.of_part(part.clone()));
    }
    let manifest = store::add_layers(&index, temporary.path())?;
    drop(index);
    if !progress.advance(Step::Write, 1, 1) {
        return Err(IndexError::Cancelled);
    }
    replace(temporary.path(), folder)?;
    // The folder has its final name now; there is nothing left to remove under the temporary one.
    let _ = temporary.keep();
    seconds.push((Step::Write, writing + start.elapsed().as_secs_f64()));
    Ok(Built::of(manifest, part, seconds))
}

/// Puts the finished folder in the place of the old one, where there is one.
fn replace(finished: &Path, folder: &Path) -> Result<(), IndexError> {
    let mut permissions = fs::metadata(finished)
        .map_err(|e| IndexError::io(finished, e))?
        .permissions();
    // Temporary folders are private; an index is as readable as any file.
    #[cfg(unix)]
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
    fs::set_permissions(finished, permissions).map_err(|e| IndexError::io(finished, e))?;
    if !folder.exists() && fs::rename(finished, folder).is_ok() {
        return Ok(());
    }
    claim::exchange(finished, folder)?;
    fs::remove_dir_all(finished).map_err(|e| IndexError::io(finished, e))
}

fn build(
    material: Material,
    options: &BuildOptions,
    folder: Option<&Path>,
    progress: &dyn Progress,
) -> Result<(Index, Vec<(Step, f64)>), IndexError> {
    let Material {
        name,
        passages: columns,
        questions,
        dense: made,
        parts,
        part: _,
    } = material;
    if columns.is_empty() {
        return Err(IndexError::Empty);
    }
    let total = columns.len();
    let engine = match folder {
        Some(folder) => {
            let engine = store::lexical_folder(folder);
            fs::create_dir_all(&engine).map_err(|e| IndexError::io(&engine, e))?;
            Some(engine)
        }
        None => None,
    };
    let entities = &options.entities;
    let names = || {
        let done = AtomicUsize::new(0);
        let tick = || {
            let done = 1 + done.fetch_add(1, Ordering::Relaxed);
            progress.advance(Step::Entities, done, total)
        };
        let read = match &parts[..] {
            // A graph of words has no names to find.
            [] if entities.of_words() && options.part.is_none() => None,
            [] => Some(Readings::of(&columns, entities, tick)?),
            parts => Some(Readings::joined(parts.iter().map(|part| &*part.readings))?),
        };
        let graph = EntityGraph::of(&columns, entities, read.as_ref(), |done| {
            progress.advance(Step::Entities, done, total)
        })?;
        Some((graph, read))
    };
    let words = || {
        let each = |done| progress.advance(Step::Words, done, total);
        match (&parts[..], &engine) {
            ([_, ..], Some(engine)) => merge::lexical(&parts, total, engine).map(Some),
            _ => Lexical::build(&columns, entities.language, engine.as_deref(), each),
        }
    };
    let vectors = || match made {
        Some(dense) => Some(Ok(Some(dense))),
        None => (options.encoder != NONE).then(|| {
            let each = |done| progress.advance(Step::Vectors, done, total);
            Dense::build(&columns, &options.encoder, entities.subjects, &each)
        }),
    };
    let ((graph, naming), ((lexical, wording), (dense, encoding))) =
        rayon::join(|| timed(names), || (timed(words), timed(vectors)));
    let (graph, readings) = graph.ok_or(IndexError::Cancelled)?;
    let lexical = lexical
        .map_err(|error| unwritten(engine.as_deref(), error))?
        .ok_or(IndexError::Cancelled)?;
    let mut dense = match dense {
        Some(built) => Some(built?.ok_or(IndexError::Cancelled)?),
        None => None,
    };
    let mut seconds = vec![(Step::Entities, naming), (Step::Words, wording)];
    if dense.is_some() {
        seconds.push((Step::Vectors, encoding));
    }
    if let (Some(dense), Some(near)) = (&mut dense, &options.near)
        && dense.vectors.len() >= near.from
    {
        let vectors = |done| progress.advance(Step::Near, done, total);
        let (built, linking) = timed(|| dense.build_near(near, &questions, &vectors));
        built?;
        seconds.push((Step::Near, linking));
    }
    let fingerprint = columns.fingerprint();
    let index = Index {
        questions: questions.into(),
        options: options.entities.clone(),
        cut: options.kept_cut(),
        dense,
        readings: readings.map(Arc::new),
        ..Index::bare(
            (name, fingerprint),
            columns,
            OwnGraph::built(graph),
            lexical,
        )
    };
    Ok((index, seconds))
}

/// What the engine of words could not write, and where.
fn unwritten(folder: Option<&Path>, error: TantivyError) -> IndexError {
    match (folder, refused(&error)) {
        (Some(folder), Some(cause)) => IndexError::io(folder, cause),
        _ => IndexError::Lexical(error.to_string()),
    }
}

/// What it gives, and the seconds it took.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let value = work();
    (value, start.elapsed().as_secs_f64())
}
