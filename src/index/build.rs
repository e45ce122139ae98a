//! Building an index from a corpus, with progress, in memory or into a folder.

#![warn(missing_docs)]

use super::claim::{self, Claim};
use super::dense::{Dense, GivenFiles};
use super::entities::{EntityGraph, EntityOptions};
use super::lexical::{Lexical, refused};
use super::near::NearOptions;
use super::opened::Opened;
use super::passages::Passages;
use super::store::{self, Manifest};
use super::{Index, IndexError};
use crate::corpus::{Corpus, Cut};
use crate::derived::Derived;
use std::fs;
use std::path::Path;
use std::sync::RwLock;
use std::time::Instant;
use tantivy::TantivyError;

/// The parts of a build, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
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
    /// Seconds of each part, in order. Names, words and vectors are made side by side and share the cores.
    pub seconds: Vec<(Step, f64)>,
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
        build(corpus, options, None, progress).map(|(index, _)| index)
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
        let vacant = fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
        if folder.exists() && !vacant && !Index::is_index(folder) {
            return Err(IndexError::Occupied {
                path: folder.to_owned(),
            });
        }
        let parent = folder
            .parent()
            .filter(|p| !p.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        fs::create_dir_all(parent).map_err(|e| IndexError::io(parent, e))?;
        // Whoever comes while this builds is told so at once, and not when both are done.
        let _old = Claim::of(folder)?;
        let (temporary, _new) = claim::workplace(parent)?;
        let (index, mut seconds) = build(corpus, options, Some(temporary.path()), progress)?;
        let start = Instant::now();
        progress.advance(Step::Write, 0, 1);
        let index = store::settle(index, temporary.path())?;
        let writing = start.elapsed().as_secs_f64();
        complete(&index)?;
        let start = Instant::now();
        let manifest = store::add_layers(&index, temporary.path())?;
        drop(index);
        if !progress.advance(Step::Write, 1, 1) {
            return Err(IndexError::Cancelled);
        }
        replace(temporary.path(), folder)?;
        // The folder has its final name now; there is nothing left to remove under the temporary one.
        let _ = temporary.keep();
        let bytes = manifest.files.iter().map(|f| f.bytes).sum();
        seconds.push((Step::Write, writing + start.elapsed().as_secs_f64()));
        Ok(Built {
            manifest,
            bytes,
            seconds,
        })
    }
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
    corpus: Corpus,
    options: &BuildOptions,
    folder: Option<&Path>,
    progress: &dyn Progress,
) -> Result<(Index, Vec<(Step, f64)>), IndexError> {
    if corpus.passages.is_empty() {
        return Err(IndexError::Empty);
    }
    let Corpus {
        name,
        passages,
        questions,
    } = corpus;
    let total = passages.len();
    let columns = Passages::new(&passages);
    drop(passages);
    let engine = match folder {
        Some(folder) => {
            let engine = store::lexical_folder(folder);
            fs::create_dir_all(&engine).map_err(|e| IndexError::io(&engine, e))?;
            Some(engine)
        }
        None => None,
    };
    // Files that do not fit are known at once, not after the graph is built.
    let (given, reading) = timed(|| match &options.given {
        Some(files) => Dense::given(&columns, &questions, files).map(Some),
        None => Ok(None),
    });
    let given = given?;
    let ((graph, naming), (lexical, wording, dense, encoding)) = rayon::join(
        || {
            timed(|| {
                EntityGraph::build(&columns, &options.entities, |done| {
                    progress.advance(Step::Entities, done, total)
                })
            })
        },
        || {
            let words = |done| progress.advance(Step::Words, done, total);
            let vectors = |done| progress.advance(Step::Vectors, done, total);
            let (lexical, wording) = timed(|| {
                Lexical::build(
                    &columns,
                    options.entities.language,
                    engine.as_deref(),
                    words,
                )
            });
            let (dense, encoding) = timed(|| match given {
                Some(dense) => Some(Ok(Some(dense))),
                None => (options.encoder != NONE).then(|| {
                    Dense::build(
                        &columns,
                        &options.encoder,
                        options.entities.subjects,
                        &vectors,
                    )
                }),
            });
            (lexical, wording, dense, encoding)
        },
    );
    let graph = graph.ok_or(IndexError::Cancelled)?;
    let lexical = lexical
        .map_err(|error| unwritten(engine.as_deref(), error))?
        .ok_or(IndexError::Cancelled)?;
    let mut dense = match dense {
        Some(built) => Some(built?.ok_or(IndexError::Cancelled)?),
        None => None,
    };
    let mut seconds = vec![(Step::Entities, naming), (Step::Words, wording)];
    if dense.is_some() {
        seconds.push((Step::Vectors, reading + encoding));
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
        name,
        fingerprint,
        passages: columns,
        questions,
        options: options.entities.clone(),
        cut: options.cut.filter(|cut| *cut != Cut::default()),
        stored: graph.into(),
        lexical,
        dense,
        closed: None,
        reranker: None,
        derived: Derived::default(),
        opened: Opened::default(),
        layers: RwLock::default(),
        named: RwLock::default(),
        copied: RwLock::default(),
        llm: RwLock::default(),
        read: None,
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
