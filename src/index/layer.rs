//! Layers: what one system needs of an index besides the common parts, as flat columns under the system's name.
//!
//! A layer is built from an opened or fresh index, never from the corpus files, so it can be added to an index later.
//! An opened index maps a layer's columns at once; when a method first asks, they are held against their checksums and given
//! to the layer.

use super::{Index, IndexError};
use crate::column::{self, Checked, Column, Strings};
use crate::embed::{Identity, Rows, Vectors};
use bytemuck::Pod;
use memmap2::Mmap;
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use std::any::Any;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// One system's part of an index.
pub trait Layer: Any + Send + Sync + Sized {
    /// As written on the command line, `--with NAME`.
    const NAME: &'static str;
    /// Changes when an older program could misread the columns.
    const VERSION: u32;
    /// Columns of which a block is held against its checksum when it is first read, and not all when the layer is opened.
    const BY_BLOCKS: &'static [&'static str] = &[];

    /// Every column by name, for writing; [`Layer::open`] takes the same names back.
    fn columns<'a>(&'a self, each: &mut dyn FnMut(&str, &'a [u8]));

    /// # Errors
    /// A column that is missing or does not fit the others.
    fn open(columns: &Columns) -> Result<Self, IndexError>;
}

/// Bytes that are held against a checksum between two looks at who watches.
const PIECE: usize = 4 << 20;

/// Bytes of a block that has a checksum of its own.
const BLOCK: usize = 1 << 16;

/// The column of the checksums of another one's blocks.
fn of_blocks(name: &str) -> String {
    format!("{name}.sums")
}

/// Checksums of the blocks of a large column of which a question reads little: a block is held against its own when it is
/// first read, so that nobody has to read them all before.
pub struct Blocks {
    path: PathBuf,
    sums: Column<u64>,
    /// Those that fit.
    held: Vec<AtomicBool>,
}

impl Blocks {
    /// Those of a column that was made here.
    pub fn of(bytes: &[u8]) -> Blocks {
        let sums: Vec<u64> = bytes.par_chunks(BLOCK).map(xxh3_64).collect();
        Blocks::over(PathBuf::new(), sums.into(), true)
    }

    fn over(path: PathBuf, sums: Column<u64>, held: bool) -> Blocks {
        Blocks {
            path,
            held: sums.iter().map(|_| AtomicBool::new(held)).collect(),
            sums,
        }
    }

    /// Hands out the checksums, for writing.
    pub fn write<'a>(&'a self, name: &str, each: Each<'_, 'a>) {
        each(&of_blocks(name), self.sums.bytes());
    }

    /// Holds the blocks of some bytes of the column against their checksums.
    ///
    /// # Errors
    /// A block of other bytes.
    pub fn hold(&self, bytes: &[u8], read: Range<usize>) -> Result<(), IndexError> {
        for at in read.start / BLOCK..read.end.div_ceil(BLOCK) {
            if self.held[at].load(Ordering::Relaxed) {
                continue;
            }
            let own = &bytes[at * BLOCK..bytes.len().min((at + 1) * BLOCK)];
            if xxh3_64(own) != self.sums[at] {
                return Err(other_bytes(self.path.clone()));
            }
            self.held[at].store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

fn other_bytes(path: PathBuf) -> IndexError {
    let said = "its bytes do not fit their checksum".into();
    IndexError::Damaged { path, said }
}

/// The columns of a stored layer, by name.
pub struct Columns {
    pub(super) folder: PathBuf,
    pub(super) layer: String,
    /// Passages of the index.
    pub(super) passages: usize,
    /// Each with its checksum; nothing for an empty one.
    pub(super) maps: BTreeMap<String, (Option<Arc<Mmap>>, String)>,
}

impl Columns {
    /// A column of plain values.
    ///
    /// # Errors
    /// When it is not stored, or is no whole number of values.
    pub fn column<T: Pod>(&self, name: &str) -> Result<Column<T>, IndexError> {
        match self.maps.get(name) {
            None => Err(self.damaged(name, "the manifest does not list it".into())),
            Some((None, _)) => Ok(Column::default()),
            Some((Some(map), _)) => {
                Column::mapped(map.clone()).map_err(|said| self.damaged(name, said))
            }
        }
    }

    /// Moves some columns, by name, into a list of their own.
    pub(super) fn apart(&mut self, some: impl Fn(&str) -> bool) -> Columns {
        let maps = std::mem::take(&mut self.maps);
        let (apart, rest) = maps.into_iter().partition(|(name, _)| some(name));
        self.maps = rest;
        Columns {
            folder: self.folder.clone(),
            layer: self.layer.clone(),
            passages: self.passages,
            maps: apart,
        }
    }

    /// A column that not every index has.
    ///
    /// # Errors
    /// When it is no whole number of values.
    pub fn optional<T: Pod>(&self, name: &str) -> Result<Option<Column<T>>, IndexError> {
        let there = self.maps.contains_key(name);
        there.then(|| self.column(name)).transpose()
    }

    /// What a column is held against as it is read; none of one that is held whole.
    ///
    /// # Errors
    /// As [`Columns::column`], and as many checksums as another column would have.
    pub fn blocks(&self, name: &str) -> Result<Option<Blocks>, IndexError> {
        let own = of_blocks(name);
        let Some(sums) = self.optional(&own)? else {
            return Ok(None);
        };
        let bytes: Column<u8> = self.column(name)?;
        self.length(&own, sums.len(), bytes.len().div_ceil(BLOCK))?;
        Ok(Some(Blocks::over(self.folder.join(name), sums, false)))
    }

    /// Strings that [`strings`] wrote.
    ///
    /// # Errors
    /// As [`Columns::column`].
    pub fn strings(&self, name: &str) -> Result<Strings, IndexError> {
        let (own, text) = (format!("{name}.ends"), format!("{name}.text"));
        let strings = Strings::of(self.column(&own)?, self.column(&text)?);
        self.hold([(&own, column::ends(&strings.ends, strings.bytes.len()))])?;
        Ok(strings)
    }

    /// Vectors that [`vectors`] wrote, in whichever form.
    ///
    /// # Errors
    /// As [`Columns::column`], and rows that do not fit the encoder.
    pub fn vectors(
        &self,
        name: &str,
        scale: &str,
        identity: &Identity,
    ) -> Result<Vectors, IndexError> {
        let rows = match self.column(&format!("{name}.i8")) {
            // Small vectors have both columns, others the values alone.
            Ok(values) => Rows::I8 {
                values,
                scales: self.column(&format!("{name}.{scale}"))?,
            },
            Err(_) => Rows::F32(self.column(&format!("{name}.f32"))?),
        };
        Ok(Vectors::stored(identity.clone(), rows)?)
    }

    /// A small value kept as JSON: options, counts.
    ///
    /// # Errors
    /// As [`Columns::column`], and text that is no such value.
    pub fn json<T: DeserializeOwned>(&self, name: &str) -> Result<T, IndexError> {
        let bytes: Column<u8> = self.column(name)?;
        serde_json::from_slice(&bytes).map_err(|e| self.damaged(name, e.to_string()))
    }

    /// Holds the length of a column against what the others imply.
    ///
    /// # Errors
    /// When they differ.
    pub fn length(&self, name: &str, found: usize, expected: usize) -> Result<(), IndexError> {
        if found == expected {
            return Ok(());
        }
        let said = format!("{found} values, the other columns imply {expected}");
        Err(self.damaged(name, said))
    }

    /// Holds what checks of columns found.
    ///
    /// # Errors
    /// The first column that is damaged, by name.
    pub fn hold<const N: usize>(&self, checks: [(&str, Checked); N]) -> Result<(), IndexError> {
        let mut checks = checks.into_iter();
        checks.try_for_each(|(name, checked)| checked.map_err(|said| self.damaged(name, said)))
    }

    /// Passages of the index.
    pub fn passages(&self) -> usize {
        self.passages
    }

    fn damaged(&self, name: &str, said: String) -> IndexError {
        let path = self.folder.join(name);
        IndexError::Damaged { path, said }
    }
}

/// Holds columns against their checksums, but for those that are held by blocks as they are read. `watch` hears of how many
/// bytes of all are done, and may stop it.
///
/// # Errors
/// A column of other bytes, by name, or that it was stopped.
pub(super) fn check(
    all: &[&Columns],
    by_blocks: &[&str],
    watch: &(dyn Fn(usize, usize) -> bool + Sync),
) -> Result<(), IndexError> {
    let mut files = Vec::new();
    for own in all {
        for (name, (map, sum)) in &own.maps {
            if by_blocks.contains(&&**name) && own.maps.contains_key(&of_blocks(name)) {
                continue;
            }
            let bytes = map.as_ref().map_or(&[][..], |map| &map[..]);
            files.push((own, name, bytes, sum));
        }
    }
    let total = files.iter().map(|(_, _, bytes, _)| bytes.len()).sum();
    let done = AtomicUsize::new(0);
    files
        .into_par_iter()
        .try_for_each(|(own, name, bytes, sum)| {
            let mut hash = Xxh3::new();
            for piece in bytes.chunks(PIECE) {
                hash.update(piece);
                let before = done.fetch_add(piece.len(), Ordering::Relaxed);
                if !watch(before + piece.len(), total) {
                    return Err(IndexError::Cancelled);
                }
            }
            match format!("{:016x}", hash.digest()) == *sum {
                true => Ok(()),
                false => Err(other_bytes(own.folder.join(name))),
            }
        })
}

/// What takes a column's name and bytes, for writing.
pub type Each<'e, 'a> = &'e mut dyn FnMut(&str, &'a [u8]);

/// A field that [`columns!`] stores under one name.
pub trait Stored: Sized {
    fn write<'a>(&'a self, name: &str, each: Each<'_, 'a>);

    /// # Errors
    /// As [`Columns::column`].
    fn read(columns: &Columns, name: &str) -> Result<Self, IndexError>;
}

impl<T: Pod> Stored for Column<T> {
    fn write<'a>(&'a self, name: &str, each: Each<'_, 'a>) {
        each(name, self.bytes());
    }

    fn read(columns: &Columns, name: &str) -> Result<Self, IndexError> {
        columns.column(name)
    }
}

impl Stored for Strings {
    fn write<'a>(&'a self, name: &str, each: Each<'_, 'a>) {
        strings(name, self, each);
    }

    fn read(columns: &Columns, name: &str) -> Result<Self, IndexError> {
        columns.strings(name)
    }
}

/// Made when it is first asked for, unless it is stored.
impl<T: Pod> Stored for OnceLock<Column<T>> {
    fn write<'a>(&'a self, name: &str, each: Each<'_, 'a>) {
        if let Some(column) = self.get() {
            each(name, column.bytes());
        }
    }

    fn read(columns: &Columns, name: &str) -> Result<Self, IndexError> {
        let stored = columns.optional(name)?;
        Ok(stored.map_or_else(OnceLock::new, OnceLock::from))
    }
}

/// How many a field holds, and what follows its name in that of the column that has as many values.
pub trait Counted {
    fn counted(&self) -> (&'static str, usize);
}

impl<T: Pod> Counted for Column<T> {
    fn counted(&self) -> (&'static str, usize) {
        ("", self.len())
    }
}

impl Counted for Strings {
    fn counted(&self) -> (&'static str, usize) {
        (".ends", self.len())
    }
}

impl Counted for Vectors {
    fn counted(&self) -> (&'static str, usize) {
        ("", self.len())
    }
}

/// Declares a struct of columns, where each is named once. From the declaration follow `write`, which hands out every column
/// in this order, and `read`, which refuses columns that do not fit each other; both take a prefix of the names.
///
/// - `field: Column<u32> = "name" [len] => below(7), ascending();`: a column or strings, how many values it has, and checks of
///   [`crate::column`]. Both may be left out; they see all fields, and what `read` takes.
/// - `field: Vectors = "name" by identity, "scale" [len];`: vectors, as [`Columns::vectors`] reads them.
/// - `field: Part = "prefix" of (arguments);`: another such struct.
/// - `field: Type { value };`: not stored.
macro_rules! columns {
    (
        $(#[$about:meta])*
        $vis:vis struct $Name:ident($columns:ident $(, $given:ident: $Given:ty)*) {
            $(
                $(#[$doc:meta])*
                $seen:vis $field:ident: $Type:ty
                $(= $name:literal
                    $(by $identity:tt, $scale:literal)?
                    $(of ($($part:expr),*))?
                    $([$len:expr])?
                    $(=> $($check:ident($($with:expr),*)),+)?
                )?
                $({ $value:expr })?;
            )*
        }
    ) => {
        $(#[$about])*
        $vis struct $Name { $($(#[$doc])* $seen $field: $Type,)* }

        impl $Name {
            /// Hands out every column, for writing.
            pub(crate) fn write<'a>(&'a self, prefix: &str, each: $crate::index::layer::Each<'_, 'a>) {
                let name = $crate::index::layer::under(prefix);
                $($($crate::index::layer::columns!(
                    @write self.$field, &name($name), each $(, $scale)? $(; $($part),*)?
                );)?)*
            }

            /// # Errors
            /// Columns that are missing or do not fit each other.
            pub(crate) fn read(
                $columns: &$crate::index::Columns,
                prefix: &str,
                $($given: $Given,)*
            ) -> Result<$Name, $crate::index::IndexError> {
                let name = $crate::index::layer::under(prefix);
                $($(let $field: $Type = $crate::index::layer::columns!(
                    @read $Type, $columns, &name($name) $(, $identity, $scale)? $(; $($part),*)?
                );)?)*
                $($($(
                    let (counted, found) = $crate::index::layer::Counted::counted(&$field);
                    $columns.length(&(name($name) + counted), found, $len)?;
                )?)?)*
                $($($($(
                    $columns.hold([(&name($name), $crate::column::$check(&$field, $($with),*))])?;
                )+)?)?)*
                Ok($Name { $($field $(: $value)?,)* })
            }
        }
    };
    (@write $own:expr, $name:expr, $each:ident) => {
        $crate::index::layer::Stored::write(&$own, $name, $each)
    };
    (@write $own:expr, $name:expr, $each:ident, $scale:literal) => {
        $crate::index::layer::vectors($name, $scale, &$own, $each)
    };
    (@write $own:expr, $name:expr, $each:ident; $($part:expr),*) => {
        $own.write($name, $each)
    };
    (@read $Type:ty, $columns:ident, $name:expr) => {
        <$Type as $crate::index::layer::Stored>::read($columns, $name)?
    };
    (@read $Type:ty, $columns:ident, $name:expr, $identity:tt, $scale:literal) => {
        $columns.vectors($name, $scale, $identity)?
    };
    (@read $Type:ty, $columns:ident, $name:expr; $($part:expr),*) => {
        <$Type>::read($columns, $name, $($part),*)?
    };
}
pub(crate) use columns;

/// Names of columns under a prefix. Where one of the two is empty, the other is the name.
pub fn under(prefix: &str) -> impl Fn(&str) -> String {
    move |name| match (prefix, name) {
        ("", own) | (own, "") => own.to_owned(),
        _ => format!("{prefix}.{name}"),
    }
}

/// Hands both columns of strings to a [`Layer::columns`] callback.
pub fn strings<'a>(name: &str, strings: &'a Strings, each: Each<'_, 'a>) {
    each(&format!("{name}.ends"), strings.ends.bytes());
    each(&format!("{name}.text"), strings.bytes.bytes());
}

/// Hands the columns of vectors to a [`Layer::columns`] callback: `NAME.f32`, or `NAME.i8` and, as a layer calls them, the
/// scales.
pub fn vectors<'a>(name: &str, scale: &str, vectors: &'a Vectors, each: Each<'_, 'a>) {
    match vectors.rows() {
        Rows::F32(values) => each(&format!("{name}.f32"), values.bytes()),
        Rows::I8 { values, scales } => {
            each(&format!("{name}.i8"), values.bytes());
            each(&format!("{name}.{scale}"), scales.bytes());
        }
    }
}

/// A layer in an index: typed once it was asked for or built, until then columns.
pub(super) struct Slot {
    pub name: String,
    pub version: u32,
    /// Built because a method asked for it, and not because a person did.
    asked: bool,
    stored: Option<Columns>,
    /// The stored columns were held against their checksums when the index was opened.
    checked: bool,
    opened: Mutex<Option<Arc<dyn Any + Send + Sync>>>,
    /// Writes the columns of a built layer.
    write: Option<Write>,
}

type Write = fn(&(dyn Any + Send + Sync), &mut dyn FnMut(&str, &[u8]));

impl Slot {
    pub fn built<L: Layer>(layer: Arc<L>) -> Slot {
        Slot {
            name: L::NAME.into(),
            version: L::VERSION,
            asked: false,
            stored: None,
            checked: true,
            opened: Mutex::new(Some(layer)),
            write: Some(|layer, each| {
                if let Some(layer) = layer.downcast_ref::<L>() {
                    layer.columns(&mut |name, bytes| each(name, bytes));
                }
            }),
        }
    }

    pub fn stored(version: u32, columns: Columns, checked: bool) -> Slot {
        Slot {
            name: columns.layer.clone(),
            version,
            asked: false,
            stored: Some(columns),
            checked,
            opened: Mutex::default(),
            write: None,
        }
    }

    /// The columns of a layer built in memory; nothing for one that was opened from a folder.
    pub fn each(&self, each: &mut dyn FnMut(&str, &[u8])) {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(write), Some(layer)) = (self.write, opened.as_deref()) {
            write(layer, each);
        }
    }

    pub fn get<L: Layer>(&self) -> Result<Arc<L>, IndexError> {
        let lock = || self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().clone();
        let opened = match (known, &self.stored) {
            (None, Some(columns)) => {
                if self.version != L::VERSION {
                    return Err(IndexError::LayerVersion {
                        layer: L::NAME,
                        found: self.version,
                    });
                }
                // All threads read it: not while the place is taken, where one could wait for itself.
                if !self.checked {
                    check(&[columns], L::BY_BLOCKS, &|_, _| true)?;
                }
                let own = Arc::new(L::open(columns)?);
                Some(lock().get_or_insert(own).clone())
            }
            (known, _) => known,
        };
        opened
            .and_then(|layer| layer.downcast::<L>().ok())
            .ok_or(IndexError::NoLayer { layer: L::NAME })
    }
}

/// How many passages an index may have for a missing layer to be built when a method first asks for it.
pub const SMALL: usize = 1_000;

/// Layers of one system, each of other options, that are kept when a small index built them for a method that asked.
const ASKED: usize = 4;

impl Index {
    /// A system's layer, where the index has it.
    ///
    /// # Errors
    /// An index without it, or damaged columns.
    pub fn layer<L: Layer>(&self) -> Result<Arc<L>, IndexError> {
        match self.slots::<L>().last() {
            Some(slot) => slot.get(),
            None => Err(IndexError::NoLayer { layer: L::NAME }),
        }
    }

    /// Those of a system, for use while the list is free: to open one takes all threads, and may take long.
    fn slots<L: Layer>(&self) -> Vec<Arc<Slot>> {
        let slots = self.layers.read().unwrap_or_else(PoisonError::into_inner);
        let own = slots.iter().filter(|slot| slot.name == L::NAME);
        own.cloned().collect()
    }

    /// A system's layer: the one that was stored or added, whatever it was built with. An index without it that is small
    /// enough to build it in a moment builds and keeps it. `fits` tells whether one that an earlier question had built
    /// has the options of this one: an answer must not depend on what was asked before.
    ///
    /// # Errors
    /// A large index without it, damaged columns, or what the build says.
    pub fn layer_or<L: Layer>(
        &self,
        fits: impl Fn(&L) -> bool,
        build: impl FnOnce() -> Result<L, IndexError>,
    ) -> Result<Arc<L>, IndexError> {
        self.layer_now(fits, || match self.len() > SMALL {
            true => Err(IndexError::NoLayer { layer: L::NAME }),
            false => build(),
        })
    }

    /// As [`layer_or`](Self::layer_or), whatever the size of the index: for layers that are read, not computed.
    ///
    /// # Errors
    /// Damaged columns, or what the build says.
    pub fn layer_now<L: Layer>(
        &self,
        fits: impl Fn(&L) -> bool,
        build: impl FnOnce() -> Result<L, IndexError>,
    ) -> Result<Arc<L>, IndexError> {
        for slot in self.slots::<L>() {
            let layer = slot.get()?;
            if !slot.asked || fits(&layer) {
                return Ok(layer);
            }
        }
        let built = Arc::new(build()?);
        let mut slots = self.layers.write().unwrap_or_else(PoisonError::into_inner);
        let own = |s: &&Arc<Slot>| s.name == L::NAME;
        if slots.iter().filter(own).all(|s| s.asked) {
            if slots.iter().filter(own).count() == ASKED {
                let oldest = slots.iter().position(|s| own(&s));
                oldest.map(|at| slots.remove(at));
            }
            slots.push(Arc::new(Slot {
                asked: true,
                ..Slot::built(built.clone())
            }));
        }
        Ok(built)
    }

    /// Adds a built layer, in the place of an older one of its name.
    pub fn add_layer<L: Layer>(&self, layer: L) {
        let mut slots = self.layers.write().unwrap_or_else(PoisonError::into_inner);
        slots.retain(|s| s.name != L::NAME);
        slots.push(Arc::new(Slot::built(Arc::new(layer))));
        self.opened.forget();
    }

    /// Names of the layers it has, in the order they were added.
    pub fn layers(&self) -> Vec<String> {
        let slots = self.layers.read().unwrap_or_else(PoisonError::into_inner);
        let mut names: Vec<String> = Vec::new();
        for slot in slots.iter() {
            if !names.contains(&slot.name) {
                names.push(slot.name.clone());
            }
        }
        names
    }
}
