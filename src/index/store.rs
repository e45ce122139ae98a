//! An index on disk: a folder with a manifest, flat arrays to map, and the lexical engine's folder.
//!
//! Written to a temporary folder beside the target and renamed, so that a killed build leaves the old index or none.
//! Opening checks every file's length and, but for the graph of names and for layers unless that is asked for, its checksum at
//! memory speed, then borrows the maps: nothing is parsed. The graph and a layer are held against their checksums when they
//! are first asked for.

use super::build::{NONE, Progress, Step};
use super::dense::{Dense, DenseEntry};
use super::entities::{EntityGraph, EntityOptions};
use super::layer::{Layer, Stored};
use super::lexical::{Lexical, refused};
use super::passages::Passages;
use super::{Index, IndexError, OwnGraph, layer};
use crate::column::{self, Column, Strings};
use crate::corpus::{Cut, Question};
use crate::embed::spec::public;
use crate::embed::vectors::Rows;
use crate::embed::{Closed, Encoder, Given, Kind, Spec, Weights};
use crate::mapped;
use crate::text::Tokens;
use memmap2::Mmap;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock, RwLock};
use xxhash_rust::xxh3::xxh3_64;

/// Changes when an older program could misread a newer index or the other way round.
pub const FORMAT: u32 = 2;
pub const MANIFEST: &str = "manifest.json";
const LEXICAL: &str = "lexical";
const QUESTIONS: &str = "questions.json";
/// Optional: what an older index does not store is worked out.
const TWINS: &str = "passages.twins";
const MEAN: &str = "vectors.mean";

/// What the folder holds, and how it was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    /// Version of the program that wrote it.
    pub program: String,
    pub name: String,
    pub passages: usize,
    pub questions: usize,
    pub entities: usize,
    pub edges: usize,
    pub options: EntityOptions,
    /// How the texts were cut, where it was not the default way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
    /// None for an index without vectors.
    pub dense: Option<DenseEntry>,
    /// xxh3 of all identifiers, titles and texts.
    pub fingerprint: String,
    /// Layers in the order they were added.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<LayerEntry>,
    pub files: Vec<FileEntry>,
    /// xxh3 of this manifest with this field empty.
    pub checksum: String,
}

/// A layer of the index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerEntry {
    pub name: String,
    pub version: u32,
    /// The folder of its columns; a layer built again gets another, so no mapped file changes.
    folder: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    pub path: String,
    pub bytes: u64,
    pub xxh3: String,
}

impl FileEntry {
    fn of(path: String, bytes: &[u8]) -> FileEntry {
        FileEntry {
            path,
            bytes: bytes.len() as u64,
            xxh3: format!("{:016x}", xxh3_64(bytes)),
        }
    }
}

/// What the columns beside layers are of, by how their files are called.
const PARTS: [(&str, &[&str]); 6] = [
    ("texts", &["passages.", "questions."]),
    ("words", &["lexical/", "lengths."]),
    ("names", &["entities.", "aliases.", "mentions.", "titles."]),
    ("edges", &["graph."]),
    ("vectors", &["vectors."]),
    ("small-world graph", &["hnsw."]),
];

impl Manifest {
    fn sealed(&self) -> String {
        let open = Manifest {
            checksum: String::new(),
            ..self.clone()
        };
        format!(
            "{:016x}",
            xxh3_64(&serde_json::to_vec(&open).unwrap_or_default())
        )
    }

    fn lists(&self, path: &str) -> bool {
        self.files.iter().any(|file| file.path == path)
    }

    /// Bytes of everything that is no layer, by what it is: only what there is.
    pub fn parts(&self) -> Vec<(&'static str, u64)> {
        let own = PARTS.iter().map(|(part, starts)| {
            let files = self.files.iter();
            let files = files.filter(|f| starts.iter().any(|s| f.path.starts_with(s)));
            (*part, files.map(|f| f.bytes).sum())
        });
        own.filter(|(_, bytes)| *bytes > 0).collect()
    }

    /// Bytes of a layer's columns; 0 for one that is not there.
    pub fn layer_bytes(&self, name: &str) -> u64 {
        let entry = self.layers.iter().find(|l| l.name == name);
        let prefix = entry.map(|l| format!("{}/", l.folder));
        let own = |f: &&FileEntry| prefix.as_ref().is_some_and(|p| f.path.starts_with(p));
        self.files.iter().filter(own).map(|f| f.bytes).sum()
    }

    /// Reads and checks the manifest of an index folder.
    ///
    /// # Errors
    /// No manifest, a damaged one, or one of another format.
    pub fn read(folder: &Path) -> Result<Manifest, IndexError> {
        let path = folder.join(MANIFEST);
        let bytes = fs::read(&path).map_err(|e| IndexError::io(&path, e))?;
        let damaged = |said: String| IndexError::Damaged {
            path: path.clone(),
            said,
        };
        let mut manifest: Manifest =
            serde_json::from_slice(&bytes).map_err(|e| damaged(e.to_string()))?;
        if manifest.format != FORMAT {
            return Err(IndexError::Format {
                path,
                found: manifest.format,
            });
        }
        if manifest.checksum != manifest.sealed() {
            return Err(damaged("its checksum does not fit its text".into()));
        }
        // Older programs stored the variable of a key, and whatever the address held.
        if let Some(entry) = &mut manifest.dense {
            entry.encoder = public(&entry.encoder);
            entry.identity.name = public(&entry.identity.name);
        }
        Ok(manifest)
    }
}

/// Where the lexical engine of an index under construction writes.
pub fn lexical_folder(folder: &Path) -> PathBuf {
    folder.join(LEXICAL)
}

/// Writes everything but the lexical engine's own files, which are already in the folder, and the manifest last.
pub fn write(index: &Index, folder: &Path) -> Result<Manifest, IndexError> {
    let graph = index.own.graph()?;
    let mut columns: Vec<(String, &[u8])> = Vec::new();
    visit(index, &graph, &mut |name, bytes| {
        columns.push((name, bytes))
    });
    let questions = serde_json::to_vec(&index.questions).unwrap_or_default();
    columns.push((QUESTIONS.to_owned(), &questions));
    let mut files = Vec::new();
    for (name, bytes) in columns {
        let path = folder.join(&name);
        write_file(&path, bytes).map_err(|e| IndexError::io(&path, e))?;
        files.push(FileEntry::of(name, bytes));
    }
    let lexical = lexical_folder(folder);
    let mut names: Vec<String> = fs::read_dir(&lexical)
        .and_then(|entries| {
            entries
                .map(|e| e.map(|e| e.file_name().to_string_lossy().into_owned()))
                .collect()
        })
        .map_err(|e| IndexError::io(&lexical, e))?;
    names.sort();
    let as_any = fs::metadata(folder.join(QUESTIONS)).ok();
    let as_any = as_any.map(|about| about.permissions());
    for name in names.into_iter().filter(|n| !n.ends_with(".lock")) {
        let path = lexical.join(&name);
        // The engine makes some as temporary files, which nobody else may read.
        if let Some(like) = &as_any {
            fs::set_permissions(&path, like.clone()).map_err(|e| IndexError::io(&path, e))?;
        }
        let map = map_file(&path)?;
        files.push(FileEntry::of(format!("{LEXICAL}/{name}"), &map));
    }
    let mut manifest = Manifest {
        format: FORMAT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        name: index.name.clone(),
        passages: index.len(),
        questions: index.questions.len(),
        entities: index.own.entities,
        edges: index.own.edges,
        options: index.options.clone(),
        cut: index.cut,
        dense: index.dense.as_ref().map(|d| d.entry.clone()),
        fingerprint: index.fingerprint.clone(),
        layers: Vec::new(),
        files,
        checksum: String::new(),
    };
    write_layers(index, folder, &mut manifest)?;
    seal(&mut manifest, folder)?;
    Ok(manifest)
}

/// Writes the manifest: beside its place and renamed, so that a killed run leaves the old one or the new one.
fn seal(manifest: &mut Manifest, folder: &Path) -> Result<(), IndexError> {
    manifest.checksum = manifest.sealed();
    let path = folder.join(MANIFEST);
    let text = serde_json::to_vec_pretty(&manifest).unwrap_or_default();
    let beside = folder.join(format!("{MANIFEST}.new"));
    write_file(&beside, &text).map_err(|e| IndexError::io(&beside, e))?;
    fs::rename(&beside, &path).map_err(|e| IndexError::io(&path, e))
}

/// Writes the layers that were built in memory and enters them.
fn write_layers(index: &Index, folder: &Path, manifest: &mut Manifest) -> Result<(), IndexError> {
    let slots = index
        .layers
        .read()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    for slot in slots.iter() {
        let mut files = Vec::new();
        let mut failed = None;
        let own = (0..)
            .map(|n| format!("{}-{n}", slot.name))
            .find(|name| !folder.join(name).exists())
            .unwrap_or_default();
        slot.each(&mut |column, bytes| {
            let name = format!("{own}/{column}");
            let path = folder.join(&name);
            let parent = path.parent().unwrap_or(folder);
            let written = fs::create_dir_all(parent).and_then(|()| write_file(&path, bytes));
            if let Err(e) = written {
                failed.get_or_insert(IndexError::io(&path, e));
            }
            files.push(FileEntry::of(name, bytes));
        });
        if let Some(error) = failed {
            return Err(error);
        }
        if files.is_empty() {
            continue;
        }
        let (before, kept): (Vec<LayerEntry>, Vec<LayerEntry>) =
            std::mem::take(&mut manifest.layers)
                .into_iter()
                .partition(|l| l.name == slot.name);
        manifest.layers = kept;
        for old in before {
            let prefix = format!("{}/", old.folder);
            manifest.files.retain(|f| !f.path.starts_with(&prefix));
        }
        manifest.files.append(&mut files);
        manifest.layers.push(LayerEntry {
            name: slot.name.clone(),
            version: slot.version,
            folder: own,
        });
    }
    Ok(())
}

/// Writes layers that were added to an opened index into its folder. The manifest comes last: until then the folder is
/// the old index with some files more.
///
/// # Errors
/// What could not be written.
pub fn add_layers(index: &Index, folder: &Path) -> Result<Manifest, IndexError> {
    let mut manifest = Manifest::read(folder)?;
    if manifest.fingerprint != index.fingerprint || manifest.options != index.options {
        let path = folder.to_owned();
        return Err(IndexError::Replaced { path });
    }
    tidy(folder, &manifest);
    write_layers(index, folder, &mut manifest)?;
    seal(&mut manifest, folder)?;
    tidy(folder, &manifest);
    Ok(manifest)
}

/// Removes the folders of layers that the manifest does not name: older ones, and what a killed run left. One that cannot
/// be removed does no harm.
fn tidy(folder: &Path, manifest: &Manifest) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let number = name.rsplit_once('-').map(|(_, number)| number);
        let of_layer = number.is_some_and(|n| n.parse::<u32>().is_ok());
        if of_layer && manifest.layers.iter().all(|l| l.folder != name) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn write_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// The one list of what is stored, for writing; [`open`] takes the same names back.
fn visit<'i>(index: &'i Index, g: &'i EntityGraph, each: &mut dyn FnMut(String, &'i [u8])) {
    fn strings<'i>(name: &str, strings: &'i Strings, each: &mut dyn FnMut(String, &'i [u8])) {
        each(format!("{name}.ends"), strings.ends.bytes());
        each(format!("{name}.text"), strings.bytes.bytes());
    }
    let p = &index.passages;
    g.put_in_order(index.language());
    strings("passages.id", &p.ids, each);
    strings("passages.title", &p.titles, each);
    strings("passages.body", &p.texts, each);
    each("passages.sorted".into(), p.sorted.bytes());
    each(TWINS.into(), p.twins().bytes());
    g.write("", &mut |name, bytes| each(name.to_owned(), bytes));
    for tokens in Tokens::ALL {
        each(
            format!("lengths.{}", tokens.name()),
            index.lexical.lengths(tokens).bytes(),
        );
    }
    if let Some(dense) = &index.dense {
        match dense.vectors.rows() {
            Rows::F32(values) => each("vectors.f32".into(), values.bytes()),
            Rows::I8 { values, scales } => {
                each("vectors.i8".into(), values.bytes());
                each("vectors.scale".into(), scales.bytes());
            }
        }
        each(MEAN.into(), dense.mean().bytes());
        if let Some(weights) = dense.encoder.weights() {
            each("vectors.weight".into(), weights.column().bytes());
        }
        if let Some(asked) = dense.encoder.asked() {
            each("vectors.asked".into(), bytemuck::cast_slice(asked));
        }
        if let Some(graph) = &dense.near.stored {
            for (name, column) in graph.columns() {
                each(name.into(), column.bytes());
            }
        }
    }
}

pub(super) fn map_file(path: &Path) -> Result<Arc<Mmap>, IndexError> {
    let about = fs::metadata(path).map_err(|e| IndexError::io(path, e))?;
    if !about.is_file() {
        // To open a pipe would wait for whoever writes into it.
        let said = "no regular file".into();
        let path = path.to_owned();
        return Err(IndexError::Damaged { path, said });
    }
    let mapped = File::open(path).and_then(|file| mapped::map(&file));
    mapped.map(Arc::new).map_err(|e| IndexError::io(path, e))
}

/// The mapped files of an index.
struct Files {
    folder: PathBuf,
    maps: FxHashMap<String, Arc<Mmap>>,
}

impl Files {
    /// Maps what the manifest names.
    fn open(folder: &Path, manifest: &Manifest) -> Result<Files, IndexError> {
        let named = manifest.files.iter().map(|file| &file.path);
        for path in named.chain(manifest.layers.iter().map(|layer| &layer.folder)) {
            let mut parts = Path::new(path).components();
            let inside = parts.all(|part| matches!(part, Component::Normal(_)));
            if path.is_empty() || !inside {
                return Err(IndexError::Damaged {
                    path: folder.join(path),
                    said: "the manifest names a file outside the folder".into(),
                });
            }
        }
        let mut seen = FxHashSet::default();
        let mut files = manifest.files.iter();
        if let Some(twice) = files.find(|file| !seen.insert(&file.path)) {
            return Err(IndexError::Damaged {
                path: folder.join(&twice.path),
                said: "the manifest names the file twice".into(),
            });
        }
        let open = |entry: &FileEntry| {
            let path = folder.join(&entry.path);
            let map = map_file(&path)?;
            if map.len() as u64 != entry.bytes && !(entry.bytes == 0 && empty(&path)) {
                let said = format!(
                    "{} bytes, but the manifest lists {}",
                    map.len(),
                    entry.bytes
                );
                return Err(IndexError::Damaged { path, said });
            }
            Ok((entry.path.clone(), map))
        };
        let maps: Result<FxHashMap<_, _>, _> = manifest.files.iter().map(open).collect();
        Ok(Files {
            folder: folder.to_owned(),
            maps: maps?,
        })
    }

    /// The columns of no layer without those of the graph, then these, and those of each layer.
    fn all(&self, manifest: &Manifest) -> Vec<layer::Columns> {
        let mut root = self.columns(manifest, None);
        let graph = root.apart(EntityGraph::stores);
        let layers = manifest.layers.iter();
        let layers = layers.map(|layer| self.columns(manifest, Some(layer)));
        [root, graph].into_iter().chain(layers).collect()
    }

    /// The columns in a folder of the index; the root has those of no layer.
    fn columns(&self, manifest: &Manifest, layer: Option<&LayerEntry>) -> layer::Columns {
        let prefix = layer.map_or(String::new(), |layer| format!("{}/", layer.folder));
        let of_layer = |path: &str| {
            let layers = &mut manifest.layers.iter();
            layers.any(|layer| {
                path.split_once('/')
                    .is_some_and(|(own, _)| own == layer.folder)
            })
        };
        let own = manifest.files.iter().filter_map(|file| {
            let column = file.path.strip_prefix(&prefix)?;
            if layer.is_none() && of_layer(&file.path) {
                return None;
            }
            let map = self.maps.get(&file.path).filter(|_| file.bytes > 0);
            Some((column.to_owned(), (map.cloned(), file.xxh3.clone())))
        });
        layer::Columns {
            folder: self.folder.join(&prefix),
            layer: layer.map_or(String::new(), |layer| layer.name.clone()),
            passages: manifest.passages,
            maps: own.collect(),
        }
    }
}

fn empty(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|m| m.len() == 0)
}

/// What encodes questions to an index that is opened.
pub enum Encoding<'a> {
    /// What the manifest names, unless that is a server.
    Stored,
    /// What a person named in its place.
    Named(&'a str),
    /// What made the vectors, in this very process.
    Own(Option<Box<dyn Encoder>>),
    /// Nothing but the built-in table: vectors are copied, and no question is asked.
    Table,
}

/// Writes a fresh index and gives it back borrowed from its files: what is built on it next has the memory to itself.
pub fn settle(mut index: Index, folder: &Path) -> Result<Index, IndexError> {
    let manifest = write(&index, folder)?;
    let own = index.dense.take().map(|dense| dense.encoder);
    let readings = index.readings.take();
    drop(index);
    // Read back for their checksums, files would be in memory once more.
    let files = Files::open(folder, &manifest)?;
    let columns = files.all(&manifest);
    let index = opened(folder, manifest, columns, (Encoding::Own(own), true))?;
    Ok(Index { readings, ..index })
}

/// Opens an index folder, and holds its graph and layers against their checksums at once where `whole` says so.
pub fn open(
    folder: &Path,
    encoding: Encoding<'_>,
    whole: bool,
    progress: &dyn Progress,
) -> Result<Index, IndexError> {
    if cfg!(target_endian = "big") {
        return Err(IndexError::Damaged {
            path: folder.to_owned(),
            said: "indexes are little-endian, this machine is not".into(),
        });
    }
    let manifest = Manifest::read(folder)?;
    let files = Files::open(folder, &manifest)?;
    let columns = files.all(&manifest);
    let first = columns.iter().take(if whole { columns.len() } else { 1 });
    let watch = |done, all| progress.advance(Step::Check, done, all);
    layer::check(&first.collect::<Vec<_>>(), &[], &watch)?;
    opened(folder, manifest, columns, (encoding, whole))
}

fn opened(
    folder: &Path,
    manifest: Manifest,
    mut columns: Vec<layer::Columns>,
    (encoding, checked): (Encoding<'_>, bool),
) -> Result<Index, IndexError> {
    let m = &manifest;
    let layers = columns.split_off(2);
    let graph = columns.remove(1);
    let root = &columns[0];
    let passages = Passages {
        ids: root.strings("passages.id")?,
        titles: root.strings("passages.title")?,
        texts: root.strings("passages.body")?,
        sorted: root.column("passages.sorted")?,
        twins: Stored::read(root, TWINS)?,
        said: OnceLock::new(),
        came: None,
    };
    let damaged = |path: &str, said: String| IndexError::Damaged {
        path: folder.join(path),
        said,
    };
    let counted = |counts: &[(&str, usize, usize)]| {
        let mut wrong = counts.iter().filter(|(_, found, counted)| found != counted);
        wrong.next().map_or(Ok(()), |(file, found, counted)| {
            let said = format!("{found} values, the manifest implies {counted}");
            Err(damaged(file, said))
        })
    };
    counted(&[
        ("passages.id.ends", passages.len(), m.passages),
        ("passages.title.ends", passages.titles.len(), m.passages),
        ("passages.body.ends", passages.texts.len(), m.passages),
        ("passages.sorted", passages.sorted.len(), m.passages),
    ])?;
    root.hold([(
        "passages.sorted",
        column::below(&passages.sorted, m.passages),
    )])?;
    if let Some(twins) = passages.twins.get() {
        root.hold([(TWINS, column::ascending(twins))])?;
    }
    let names: Column<u64> = graph.column("entities.name.ends")?;
    let arcs: Column<u32> = graph.column("graph.targets")?;
    counted(&[
        ("entities.name.ends", names.len(), m.entities),
        ("graph.targets", arcs.len(), 2 * m.edges),
    ])?;
    let own = OwnGraph {
        slot: layer::Slot::stored(EntityGraph::VERSION, graph, checked),
        entities: m.entities,
        edges: m.edges,
        partial: None,
    };
    let lengths = Tokens::ALL
        .iter()
        .map(|t| root.column(&format!("lengths.{}", t.name())))
        .collect::<Result<Vec<_>, _>>()?;
    let words = lexical_folder(folder);
    let language = m.options.language;
    let lexical =
        Lexical::open(&words, lengths, m.passages, language).map_err(|e| match refused(&e) {
            // The index is whole, and this process may not read it.
            Some(cause) if cause.raw_os_error().is_some() => IndexError::io(&words, cause),
            _ => damaged(LEXICAL, e.to_string()),
        })?;
    let questions: Column<u8> = root.column(QUESTIONS)?;
    let questions: Vec<Question> =
        serde_json::from_slice(&questions).map_err(|e| damaged(QUESTIONS, e.to_string()))?;
    let gold = questions.iter().flat_map(|question| &question.gold);
    let gold: Vec<u32> = gold.map(|gold| gold.passage).collect();
    root.hold([(QUESTIONS, column::below(&gold, m.passages))])?;
    // Whoever made the index named its encoder. A server is asked only where the person names it, too.
    let mut closed = None;
    let encoder = match (&m.dense, encoding) {
        (None, _) | (_, Encoding::Named(NONE)) => None,
        (Some(_), Encoding::Own(own)) => own,
        (Some(entry), Encoding::Table) if entry.identity.kind != Kind::Static => {
            let given = Given::stored(entry.identity.clone(), Column::default(), &[])?;
            Some(Box::new(given) as Box<dyn Encoder>)
        }
        (Some(entry), Encoding::Stored) if entry.identity.kind == Kind::File => {
            Some(reopened(root, entry, None, &questions)?)
        }
        (Some(entry), Encoding::Stored | Encoding::Table) => {
            let spec = Spec::parse(&entry.encoder)?;
            closed = Closed::of(&spec, &entry.encoder);
            match closed {
                Some(_) => None,
                None => Some(reopened(root, entry, Some(spec), &questions)?),
            }
        }
        (Some(entry), Encoding::Named(name)) => {
            let spec = Spec::parse(name)?;
            Some(reopened(root, entry, Some(spec), &questions)?)
        }
    };
    let dense = match (m.dense.clone(), encoder) {
        (Some(entry), Some(encoder)) => Some(vectors(m, root, entry, encoder)?),
        _ => None,
    };
    if let Some(dense) = &dense {
        counted(&[("vectors", dense.vectors.len(), m.passages)])?;
    }
    let versions = manifest.layers.iter().map(|entry| entry.version);
    let slot = |(version, columns)| Arc::new(layer::Slot::stored(version, columns, checked));
    let layers = versions.zip(layers).map(slot).collect();
    let called = (manifest.name, manifest.fingerprint);
    Ok(Index {
        questions: questions.into(),
        options: manifest.options,
        cut: manifest.cut,
        dense,
        closed,
        layers: RwLock::new(layers),
        ..Index::bare(called, passages, own, lexical)
    })
}

/// The encoder of the stored vectors. Without one only the questions can be asked whose vectors are stored, too.
fn reopened(
    root: &layer::Columns,
    entry: &DenseEntry,
    encoder: Option<Spec>,
    questions: &[Question],
) -> Result<Box<dyn Encoder>, IndexError> {
    let Some(spec) = encoder else {
        let asked = root.column("vectors.asked")?;
        let texts: Vec<&str> = questions.iter().map(|q| q.text.as_str()).collect();
        let given = Given::stored(entry.identity.clone(), asked, &texts)?;
        return Ok(Box::new(given));
    };
    let weights = root.optional("vectors.weight")?;
    let weights = weights.map_or_else(Weights::default, Weights::stored);
    Ok(spec.reopen(weights, entry.identity.dims)?)
}

/// The stored vectors beside what encodes questions.
fn vectors(
    manifest: &Manifest,
    root: &layer::Columns,
    entry: DenseEntry,
    encoder: Box<dyn Encoder>,
) -> Result<Dense, IndexError> {
    let rows = if manifest.lists("vectors.i8") {
        Rows::I8 {
            values: root.column("vectors.i8")?,
            scales: root.column("vectors.scale")?,
        }
    } else {
        Rows::F32(root.column("vectors.f32")?)
    };
    let graph = match entry.hnsw {
        Some(_) => Some([
            root.column("hnsw.head")?,
            root.column("hnsw.base")?,
            root.column("hnsw.ends")?,
            root.column("hnsw.upper")?,
        ]),
        None => None,
    };
    let mean: Option<Column<f64>> = root.optional(MEAN)?;
    if let Some(mean) = &mean {
        root.length(MEAN, mean.len(), entry.identity.dims)?;
        root.hold([(MEAN, column::finite(mean))])?;
    }
    Dense::open(entry, rows, encoder, graph, mean)
}
