//! Build, store and open an index: passages, postings of words, and the entity-passage graph.

pub mod attached;
pub(crate) mod build;
mod claim;
pub mod dense;
pub(crate) mod documents;
pub(crate) mod entities;
pub mod excerpt;
pub(crate) mod layer;
pub(crate) mod lexical;
mod merge;
pub(crate) mod near;
mod numbers;
mod opened;
pub(crate) mod passages;
pub mod published;
pub(crate) mod readings;
pub(crate) mod rewire;
pub mod rows;
pub mod sample;
pub(crate) mod sentences;
pub mod source;
pub mod store;

pub use build::{BuildOptions, Built, Progress, Silent, Step};
pub use claim::Claim;
pub use dense::{Dense, GivenFiles};
pub use documents::Together;
pub use entities::{EntityGraph, EntityOptions};
pub use layer::{Columns, Layer};
pub use lexical::{Bm25, Lexical};
pub use near::NearOptions;
pub use passages::Passages;
pub use readings::Part;
pub use rewire::Rewiring;
pub use sentences::HopLayer;

use crate::corpus::{Cut, Lookup, Question};
use crate::derived::Derived;
use crate::embed::{Closed, EmbedError, Reranker, Vectors};
use crate::exchange::given::Given;
use crate::llm::Llm;
use crate::text::about::{About, Evidence, about, heading};
use crate::text::{Language, Tokens};
use excerpt::Partial;
use opened::Opened;
use readings::Readings;
use serde::Serialize;
use source::Source;
use std::borrow::Cow;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};
use store::Encoding;

/// An index, opened from disk or held in memory. Shared between threads behind an `Arc`.
pub struct Index {
    name: String,
    fingerprint: String,
    passages: Passages,
    questions: Arc<[Question]>,
    options: EntityOptions,
    /// How its texts were cut; none is the default, or unknown.
    cut: Option<Cut>,
    own: OwnGraph,
    lexical: Lexical,
    dense: Option<Dense>,
    /// The server that would encode questions, where it was not named by the person; there are no vectors then.
    closed: Option<Closed>,
    reranker: Option<Reranker>,
    /// What was read of its passages one by one, while it is built: a layer reads them like the graph.
    readings: Option<Arc<Readings>>,
    /// Graphs derived for options other than the stored ones: switching an extractor to and fro on screen must not read
    /// the corpus each time.
    derived: Derived<EntityOptions, EntityGraph>,
    /// Graphs as questions walk them, found by what they were made of.
    pub(crate) opened: Opened,
    /// Parts that single systems need, in the order they were added.
    layers: RwLock<Vec<Arc<layer::Slot>>>,
    /// Files and folders of the corpus, where this process read it, each with its folder: layers look for files beside it there.
    named: RwLock<Vec<(PathBuf, PathBuf)>>,
    /// The graph that the corpus came with, where it was read from a database.
    copied: RwLock<Option<Arc<Given>>>,
    /// Who answers what a published system asks a language model; rules unless said.
    llm: RwLock<Option<Arc<Llm>>>,
    /// Where it lies, where it has only what questions fetched.
    source: Option<Arc<Source>>,
    /// What this process read the corpus from, in one line; none of an index that was opened.
    pub read: Option<String>,
}

/// The graph of names that an index stores, opened when a question first runs over it, and its sizes, which the manifest
/// gives before.
struct OwnGraph {
    slot: layer::Slot,
    entities: usize,
    edges: usize,
    partial: Option<Arc<Partial>>,
}

impl OwnGraph {
    fn built(graph: EntityGraph) -> OwnGraph {
        OwnGraph {
            entities: graph.entities(),
            edges: graph.edges(),
            partial: graph.partial.clone(),
            slot: layer::Slot::built(Arc::new(graph)),
        }
    }

    fn graph(&self) -> Result<Arc<EntityGraph>, IndexError> {
        self.slot.get()
    }
}

/// The name of an index in outputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IndexName {
    /// Name of the corpus.
    pub name: String,
    /// Hash of its content; equal indexes have the same.
    pub fingerprint: String,
}

/// An index and its sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IndexSize {
    /// Its name and fingerprint.
    #[serde(flatten)]
    pub called: IndexName,
    /// Number of passages.
    pub passages: usize,
    /// Number of entities of the graph.
    pub entities: usize,
    /// Number of entity-passage edges, each once.
    pub edges: usize,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut told = f.debug_struct("Index");
        told.field("name", &self.name).finish_non_exhaustive()
    }
}

/// Why an index cannot be opened or written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the text of each says what it is
pub enum IndexError {
    #[error("{}: {source}", path.display())]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{}: {said}; the index is damaged, build it again with: hopscope index CORPUS --out DIR", path.display())]
    Damaged { path: PathBuf, said: String },
    #[error("{}: index format {found}, this program reads {}; build it again with: hopscope index CORPUS --out DIR", path.display(), store::FORMAT)]
    Format { path: PathBuf, found: u32 },
    #[error("{}: exists and is not a hopscope index; name another folder or remove it", path.display())]
    Occupied { path: PathBuf },
    #[error("{}: another hopscope is writing this index; wait until it is done, or name another folder", path.display())]
    Busy { path: PathBuf },
    #[error("{}: this index was replaced while layers were built for the one before; add them again", path.display())]
    Replaced { path: PathBuf },
    #[error("lexical index: {0}")]
    Lexical(String),
    #[error(transparent)]
    Vectors(crate::embed::EmbedError),
    #[error(
        "layer '{layer}' needs vectors, and the index has none; build it with: hopscope index CORPUS --out DIR --encoder static"
    )]
    NoVectors { layer: &'static str },
    #[error("layer '{layer}' needs vectors; {closed}")]
    Closed { layer: &'static str, closed: Closed },
    #[error("the index has no layer '{layer}'; build it with: hopscope index --add {layer} INDEX")]
    NoLayer { layer: &'static str },
    #[error(
        "layer '{layer}' has version {found}, which this program does not read; build it again with: hopscope index --add {layer} INDEX"
    )]
    LayerVersion { layer: &'static str, found: u32 },
    #[error("layer '{layer}': {said}")]
    Layer { layer: &'static str, said: String },
    #[error("{}: {said}", path.display())]
    Part { path: PathBuf, said: String },
    /// What a server that holds the rows of an index says.
    #[error(transparent)]
    Rows(Box<dyn std::error::Error + Send + Sync>),
    #[error("cancelled")]
    Cancelled,
    #[error("the corpus has no passages")]
    Empty,
}

impl From<EmbedError> for IndexError {
    /// A stopped encoder means a cancelled build.
    fn from(error: EmbedError) -> IndexError {
        match error {
            EmbedError::Cancelled => IndexError::Cancelled,
            error => IndexError::Vectors(error),
        }
    }
}

impl IndexError {
    pub(crate) fn io(path: &Path, source: std::io::Error) -> IndexError {
        IndexError::Io {
            path: path.to_owned(),
            source,
        }
    }
}

impl Index {
    /// Opens an index folder: maps the arrays, and checks the manifest and every checksum but those of the graph of names and
    /// of layers, which are checked when first asked for. It contacts nobody: where a server made the vectors the index opens
    /// without them, and [`closed`](Self::closed) says so.
    ///
    /// # Errors
    /// A missing, short, foreign or changed file, by name.
    pub fn open(folder: &Path) -> Result<Index, IndexError> {
        store::open(folder, Encoding::Stored, false, &Silent)
    }

    /// As [`open`](Self::open), with the encoder that a person named in the place of the stored name: `none`, or the one
    /// that made the vectors, where one was named. A server is asked when a question needs it. `progress` hears of the bytes
    /// that are checked, those of the graph and of layers too where the `whole` index is to be checked now.
    ///
    /// # Errors
    /// As [`open`](Self::open), another encoder than that of the vectors, and that `progress` stopped it.
    pub fn open_with(
        folder: &Path,
        encoder: Option<&str>,
        whole: bool,
        progress: &dyn Progress,
    ) -> Result<Index, IndexError> {
        let encoding = encoder.map_or(Encoding::Stored, Encoding::Named);
        store::open(folder, encoding, whole, progress)
    }

    /// As [`open`](Self::open), for what copies the index: with its vectors, whoever made them, and without an encoder of
    /// questions that is not of this program. `progress` hears of the bytes that are checked.
    ///
    /// # Errors
    /// As [`open`](Self::open), and that `progress` stopped it.
    pub fn open_to_copy(folder: &Path, progress: &dyn Progress) -> Result<Index, IndexError> {
        store::open(folder, Encoding::Table, false, progress)
    }

    /// Whether a path looks like an index folder.
    pub fn is_index(path: &Path) -> bool {
        path.join(store::MANIFEST).is_file()
    }

    /// What every index has, and nothing else.
    fn bare(
        (name, fingerprint): (String, String),
        passages: Passages,
        own: OwnGraph,
        lexical: Lexical,
    ) -> Index {
        Index {
            name,
            fingerprint,
            passages,
            questions: Arc::default(),
            options: EntityOptions::default(),
            cut: None,
            own,
            lexical,
            dense: None,
            closed: None,
            reranker: None,
            readings: None,
            derived: Derived::default(),
            opened: Opened::default(),
            layers: RwLock::default(),
            named: RwLock::default(),
            copied: RwLock::default(),
            llm: RwLock::default(),
            source: None,
            read: None,
        }
    }

    /// What the corpus is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// xxh3 of all identifiers, titles and texts.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Number of passages.
    pub fn len(&self) -> usize {
        self.passages.len()
    }

    /// Passages that words and names are rare among: those of the whole, where it is an excerpt.
    pub fn among(&self) -> usize {
        let whole = self.own.partial.as_ref().map(|own| own.whole.passages);
        whole.map_or(self.len(), |passages| passages as usize)
    }

    /// Whether there is no passage; no index is built of none.
    pub fn is_empty(&self) -> bool {
        self.passages.is_empty()
    }

    /// Names in the entity graph.
    pub fn entities(&self) -> usize {
        self.own.entities
    }

    /// Entity-passage edges.
    pub fn edges(&self) -> usize {
        self.own.edges
    }

    /// Its name and fingerprint, for outputs.
    pub(crate) fn called_by(&self) -> IndexName {
        IndexName {
            name: self.name().to_owned(),
            fingerprint: self.fingerprint().to_owned(),
        }
    }

    /// The same with its sizes.
    pub(crate) fn size(&self) -> IndexSize {
        let whole = self.own.partial.as_ref().map(|partial| &partial.whole);
        let (passages, entities, edges) = match whole {
            Some(whole) => (
                whole.passages as usize,
                whole.entities as usize,
                whole.edges as usize,
            ),
            None => (self.len(), self.entities(), self.edges()),
        };
        IndexSize {
            called: self.called_by(),
            passages,
            entities,
            edges,
        }
    }

    /// What it knows of the whole, where it is what was fetched of one.
    pub(crate) fn partial(&self) -> Option<&Arc<Partial>> {
        self.own.partial.as_ref()
    }

    /// Whether it is what was fetched of an index that lies elsewhere: what it does not have may be there.
    pub fn is_excerpt(&self) -> bool {
        self.own.partial.is_some()
    }

    /// Where it lies, where it has only what questions fetched.
    pub fn source(&self) -> Option<&Arc<Source>> {
        self.source.as_ref()
    }

    /// Makes something of what does not depend on a question: of one that lies elsewhere again, until all that is read for that
    /// came.
    ///
    /// # Errors
    /// What whoever has the rows says.
    pub fn read_for<T>(&self, mut make: impl FnMut(&Index) -> T) -> Result<T, IndexError> {
        match &self.source {
            None => Ok(make(self)),
            Some(source) => source.read(make),
        }
    }

    /// The questions that came with the corpus.
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// The question of the set that has this text or identifier.
    pub fn question(&self, said: &str) -> Option<&Question> {
        let mut questions = self.questions.iter();
        questions.find(|question| question.text == said || question.id == said)
    }

    /// Identifiers, titles and texts.
    pub fn passages(&self) -> &Passages {
        &self.passages
    }

    /// The identifier of a passage, as the corpus has it.
    pub fn id(&self, passage: u32) -> &str {
        self.passages.id(passage as usize)
    }

    /// The title of a passage; empty where it has none.
    pub fn title(&self, passage: u32) -> &str {
        self.passages.title(passage as usize)
    }

    /// What a passage is called where there is room for one name: its title where no other passage has it, else its
    /// identifier.
    pub fn called(&self, passage: u32) -> &str {
        self.passages.called(passage as usize)
    }

    /// Its identifier, or the words that its text opens with where that is a checksum.
    pub fn short(&self, passage: u32) -> &str {
        self.passages.short(passage as usize)
    }

    /// Whether other passages have its title.
    pub fn is_twin(&self, passage: u32) -> bool {
        self.passages.is_twin(passage as usize)
    }

    /// What a passage is about, and what says so.
    pub fn about(&self, passage: u32) -> Vec<About> {
        about(
            self.title(passage),
            self.text(passage),
            self.options().subjects,
        )
    }

    /// What a passage without a title is about by its text.
    pub fn told_about(&self, passage: u32) -> impl Iterator<Item = About> {
        let all = self.about(passage).into_iter();
        all.filter(|about| about.by != Evidence::Title)
    }

    /// The title of a passage, or what stands for it: the first name that its text says it is about.
    pub fn heading(&self, passage: u32) -> Cow<'_, str> {
        heading(
            self.title(passage),
            self.text(passage),
            self.options().subjects,
        )
    }

    /// The title of a passage; without one `about` and what stands for it, where that is known.
    pub fn headed(&self, passage: u32) -> Cow<'_, str> {
        match self.heading(passage) {
            heading if heading.is_empty() || !self.title(passage).is_empty() => heading,
            heading => format!("about {heading}").into(),
        }
    }

    /// The text of a passage, without its title.
    pub fn text(&self, passage: u32) -> &str {
        self.passages.text(passage as usize)
    }

    /// Its passages by identifier, title and content, for gold that names them.
    pub fn lookup(&self) -> Lookup {
        let mut lookup = Lookup::default();
        for p in 0..self.len() as u32 {
            lookup.add(p, self.id(p), self.title(p), self.text(p));
        }
        lookup
    }

    /// The passage with an identifier.
    pub fn passage_by_id(&self, id: &str) -> Option<u32> {
        self.passages.find(id)
    }

    /// Postings of the words of all passages.
    pub fn lexical(&self) -> &Lexical {
        &self.lexical
    }

    /// Vectors of the passages, where the index was built with an encoder.
    pub fn dense(&self) -> Option<&Dense> {
        self.dense.as_ref()
    }

    /// The vectors, for a layer that is made of them.
    ///
    /// # Errors
    /// An index without vectors.
    pub fn dense_for(&self, layer: &'static str) -> Result<&Dense, IndexError> {
        self.dense().ok_or_else(|| match self.closed.clone() {
            Some(closed) => IndexError::Closed { layer, closed },
            None => IndexError::NoVectors { layer },
        })
    }

    /// The server that the index names for its vectors, where nobody allowed to ask it.
    pub fn closed(&self) -> Option<&Closed> {
        self.closed.as_ref()
    }

    /// Replaces the vectors: by those of a file, say.
    #[must_use]
    pub fn with_dense(self, dense: Dense) -> Index {
        Index {
            dense: Some(dense),
            closed: None,
            ..self
        }
    }

    /// The cross-encoder that scores candidates again, where one was given.
    pub fn reranker(&self) -> Option<&Reranker> {
        self.reranker.as_ref()
    }

    /// Lets a cross-encoder score candidates again.
    #[must_use]
    pub fn with_reranker(self, reranker: Reranker) -> Index {
        Index {
            reranker: Some(reranker),
            ..self
        }
    }

    /// The rows of a layer's vectors nearest to a question's, with their cosines, nearest first.
    ///
    /// # Errors
    /// Vectors of another encoder than the index has now.
    pub fn nearest_of(
        &self,
        vectors: &Vectors,
        question: &[f32],
        k: usize,
    ) -> Result<Vec<(u32, f32)>, IndexError> {
        if let Some(dense) = self.dense() {
            vectors.check(dense.encoder.identity())?;
        }
        Ok(vectors.nearest(question, k)?)
    }

    /// How the texts were cut into passages, where it was not the default way.
    pub fn cut(&self) -> Option<Cut> {
        self.cut
    }

    /// What the stored entity graph was built with.
    pub fn options(&self) -> &EntityOptions {
        &self.options
    }

    /// The language that its words are cut by.
    pub fn language(&self) -> Language {
        self.options.language
    }

    /// The word-passage graph: every word is an entity, in order of first appearance. Derived when first asked for.
    pub fn word_graph(&self, tokens: Tokens) -> Arc<EntityGraph> {
        self.derived_graph(&EntityOptions::words(tokens, self.language()))
    }

    /// Tells where the corpus lies: what stands beside it (links, edges) is not read until a layer is built.
    pub fn look_beside(&self, paths: &[PathBuf]) {
        // Whether it is a folder is known now: it may be gone when a layer asks.
        let folder = |path: &PathBuf| match path.is_dir() {
            true => path.clone(),
            false => path.parent().unwrap_or(Path::new(".")).to_owned(),
        };
        let mut named = self
            .named
            .write()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        *named = paths
            .iter()
            .map(|path| (path.clone(), folder(path)))
            .collect();
    }

    /// Keeps the graph that was read of a database, for the layer that is built from it: a second reading could find other rows.
    pub fn keep_copy(&self, copies: &[Arc<Given>]) {
        let Some(graph) = copies.last() else {
            return;
        };
        let mut copied = self
            .copied
            .write()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        *copied = Some(graph.clone());
    }

    /// The graph of a database that the corpus came with.
    pub fn copied(&self) -> Option<Arc<Given>> {
        let copied = self.copied.read();
        copied
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .clone()
    }

    /// The files and folders of the corpus as they were named, as far as they were told.
    pub fn named_paths(&self) -> Vec<PathBuf> {
        self.paths().into_iter().map(|(path, _)| path).collect()
    }

    /// The folders that the corpus lies in, as far as they were told.
    pub fn folders(&self) -> Vec<PathBuf> {
        self.paths().into_iter().map(|(_, folder)| folder).collect()
    }

    fn paths(&self) -> Vec<(PathBuf, PathBuf)> {
        let named = self.named.read();
        named
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .clone()
    }

    /// A file of this name beside the corpus.
    pub fn beside(&self, name: &str) -> Option<PathBuf> {
        let folders = self.folders().into_iter();
        let mut files = folders.map(|folder| folder.join(name));
        files.find(|file| file.is_file())
    }

    /// Names who answers what layers and searches would ask a language model. It is not stored: layers keep who made them.
    pub fn think_with(&self, llm: Arc<Llm>) {
        *self
            .llm
            .write()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = Some(llm);
    }

    /// Who answers; the rules, where nobody was named.
    pub fn llm(&self) -> Arc<Llm> {
        let llm = self
            .llm
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        llm.clone().unwrap_or_else(|| Arc::new(Llm::rules()))
    }

    /// Takes over a graph that a layer stores, so that it is not derived again.
    pub fn keep_graph(&self, options: &EntityOptions, graph: &Arc<EntityGraph>) {
        let Ok(_) = self
            .derived
            .get(options, || Ok::<_, Infallible>(graph.clone()));
    }

    /// Reads the entity graph for these options from the passages, of which much may have been read before.
    pub(crate) fn read_graph(
        &self,
        options: &EntityOptions,
        progress: impl Fn(usize) -> bool + Sync,
    ) -> Option<EntityGraph> {
        EntityGraph::of(&self.passages, options, self.readings.as_deref(), progress)
    }

    /// The entity graph for these options: the stored one, or one derived from the passages now and kept.
    ///
    /// # Errors
    /// Damaged columns of the stored one.
    pub fn entity_graph(&self, options: &EntityOptions) -> Result<Arc<EntityGraph>, IndexError> {
        // Of what was fetched no other graph can be made: whoever asks for one is refused before.
        match *options == self.options || self.is_excerpt() {
            true => self.own.graph(),
            false => Ok(self.derived_graph(options)),
        }
    }

    fn derived_graph(&self, options: &EntityOptions) -> Arc<EntityGraph> {
        // The callback never stops the build, so there is always a graph.
        let build = || self.read_graph(options, |_| true).unwrap_or_default();
        let Ok(graph) = self
            .derived
            .get(options, || Ok::<_, Infallible>(Arc::new(build())));
        graph
    }
}
