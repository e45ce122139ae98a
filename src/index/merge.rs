//! A whole index from those of the parts of a corpus, which other processes may have built. Reading names and making vectors
//! is done already; here names are numbered, degrees and document frequencies counted, postings joined.

use super::build::{self, BuildOptions, Built, Material, NONE, Progress};
use super::claim;
use super::dense::{Dense, DenseEntry};
use super::lexical::Lexical;
use super::near::NearOptions;
use super::passages::Passages;
use super::readings::{Part, Readings};
use super::store::{self, Encoding};
use super::{Index, IndexError};
use crate::column::{Column, Strings};
use crate::corpus::{Gold, Passage, Question};
use crate::embed::vectors::Rows;
use crate::embed::{Encoder, Identity, Kind, Vectors};
use crate::text::Tokens;
use bytemuck::Pod;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The index of a part of a corpus, opened.
pub struct Opened {
    pub folder: PathBuf,
    pub index: Index,
    pub readings: Arc<Readings>,
    part: Part,
    made: Option<(DenseEntry, Vectors)>,
}

impl Opened {
    /// With the encoder of its vectors: one for all parts, which may be large.
    fn open(
        folder: &Path,
        encoding: Encoding<'_>,
        progress: &dyn Progress,
    ) -> Result<(Opened, Option<Box<dyn Encoder>>), IndexError> {
        let mut index = store::open(folder, encoding, true, progress)?;
        let readings = index.layer::<Readings>().ok();
        let part = readings.as_ref().and_then(|own| own.meta.part.clone());
        let (Some(readings), Some(part)) = (readings, part) else {
            let said = "is not the index of a part of a corpus; make one with: hopscope index CORPUS --shard I/N --out DIR";
            return Err(unfit(folder, said));
        };
        let whole = (1..=part.of).contains(&part.number) && part.range().len() == index.len();
        if !whole || !readings.mentions.stand_in(index.passages()) {
            let said = "does not hold the part of a corpus that it says it holds";
            return Err(unfit(folder, said));
        }
        if let Some(closed) = index.closed() {
            return Err(unfit(
                folder,
                format!("its vectors are needed, and {closed}"),
            ));
        }
        let dense = index.dense.take();
        let (made, encoder) = match dense {
            Some(dense) => (Some((dense.entry, dense.vectors)), Some(dense.encoder)),
            None => (None, None),
        };
        let opened = Opened {
            folder: folder.to_owned(),
            index,
            readings,
            part,
            made,
        };
        Ok((opened, encoder))
    }

    /// Which encoder made its vectors, wherever it lay. The built-in table weighs words by the corpus it sees, so it is
    /// another one in every part.
    fn encoded(&self) -> Option<(Kind, Option<&Identity>)> {
        let (entry, _) = self.made.as_ref()?;
        let kind = entry.identity.kind;
        Some((kind, (kind != Kind::Static).then_some(&entry.identity)))
    }

    /// The number of its first passage in the whole.
    fn first(&self) -> u32 {
        self.part.range().start as u32
    }
}

fn unfit(folder: &Path, said: impl Into<String>) -> IndexError {
    IndexError::Part {
        path: folder.to_owned(),
        said: said.into(),
    }
}

/// All parts of a corpus, in order, and the encoder of their vectors.
struct Parts {
    all: Vec<Opened>,
    encoder: Option<Box<dyn Encoder>>,
}

/// Opens parts and holds them against each other.
fn opened(
    folders: &[PathBuf],
    named: Option<&str>,
    progress: &dyn Progress,
) -> Result<Parts, IndexError> {
    let (mut parts, mut encoder) = (Vec::<Opened>::new(), None);
    for folder in folders {
        let alike = parts.last().and_then(Opened::encoded);
        let encoding = match (encoder.take(), named) {
            (Some(own), _) if alike.is_some_and(|(_, identity)| identity.is_some()) => {
                Encoding::Own(Some(own))
            }
            (_, Some(named)) => Encoding::Named(named),
            (_, None) => Encoding::Stored,
        };
        let (part, own) = Opened::open(folder, encoding, progress)?;
        encoder = own;
        parts.push(part);
    }
    let Some((first, others)) = parts.split_first() else {
        return Err(IndexError::Empty);
    };
    for other in others {
        let shown = first.folder.display();
        let one = (first.part.of, &first.part.fingerprint);
        if one != (other.part.of, &other.part.fingerprint) {
            let said =
                format!("is a part of another corpus than {shown}, or of another number of parts");
            return Err(unfit(&other.folder, said));
        }
        let [one, two] = [first, other].map(|part| {
            let index = &part.index;
            (index.options(), index.cut(), part.encoded())
        });
        if one != two {
            let said = format!("was built with other settings than {shown}");
            return Err(unfit(&other.folder, said));
        }
    }
    let of = first.part.of;
    parts.sort_by_key(|part| part.part.number);
    if let Some(pair) = parts
        .windows(2)
        .find(|pair| pair[0].part.number == pair[1].part.number)
    {
        let said = format!(
            "is part {} of {of}, and so is {}",
            pair[1].part.number,
            pair[0].folder.display()
        );
        return Err(unfit(&pair[1].folder, said));
    }
    let there = |number: &usize| parts.iter().any(|part| part.part.number == *number);
    if let Some(missing) = (1..=of).find(|number| !there(number)) {
        let said =
            format!("is one of {of} parts, and part {missing} is not here; name all of them");
        return Err(unfit(&parts[0].folder, said));
    }
    Ok(Parts {
        all: parts,
        encoder,
    })
}

/// Columns end to end in a file of their own: memory holds none of them.
fn spilled<'c, T: Pod>(
    folder: &Path,
    name: &str,
    columns: impl Iterator<Item = &'c Column<T>>,
) -> Result<Column<T>, IndexError> {
    let path = folder.join(name);
    let write = || {
        let mut file = File::create(&path)?;
        let mut bytes = 0;
        for column in columns {
            file.write_all(column.bytes())?;
            bytes += column.bytes().len();
        }
        Ok(bytes)
    };
    match write().map_err(|e| IndexError::io(&path, e))? {
        0 => Ok(Column::default()),
        _ => {
            let fits = Column::mapped(store::map_file(&path)?);
            fits.map_err(|said| unfit(&path, said))
        }
    }
}

fn texts<'s>(
    folder: &Path,
    name: &str,
    parts: impl Iterator<Item = &'s Strings> + Clone,
) -> Result<Strings, IndexError> {
    let mut before = 0;
    let mut ends = Vec::new();
    for part in parts.clone() {
        ends.extend(part.ends.iter().map(|end| before + end));
        before += part.bytes.len() as u64;
    }
    let bytes = spilled(folder, name, parts.map(|part| &part.bytes))?;
    Ok(Strings::of(ends.into(), bytes))
}

fn passages(folder: &Path, parts: &[Opened]) -> Result<Passages, IndexError> {
    let own = parts.iter().map(|part| part.index.passages());
    let all = own.clone().map(|own| own.len() as u32).sum();
    Ok(Passages::of(
        texts(folder, "ids", own.clone().map(|own| &own.ids))?,
        texts(folder, "titles", own.clone().map(|own| &own.titles))?,
        texts(folder, "texts", own.map(|own| &own.texts))?,
        (0..all).collect(),
    ))
}

/// Each part has every question, with the gold that is in it.
fn questions(parts: &[Opened]) -> Vec<Question> {
    let mut all = parts[0].index.questions().to_vec();
    for part in &parts[1..] {
        for (question, own) in all.iter_mut().zip(part.index.questions()) {
            let gold = own.gold.iter().map(|gold| Gold {
                passage: part.first() + gold.passage,
                ..*gold
            });
            question.gold.extend(gold);
        }
    }
    all
}

/// Takes a part out of a corpus.
pub fn take(part: &Part, passages: &mut Vec<Passage>, questions: &mut [Question]) {
    let range = part.range();
    passages.truncate(range.end);
    passages.drain(..range.start);
    for question in questions {
        let inside = |gold: &Gold| range.contains(&(gold.passage as usize));
        question.gold.retain(inside);
        for gold in &mut question.gold {
            gold.passage -= range.start as u32;
        }
    }
}

/// The words of the parts.
pub fn lexical(parts: &[Opened], passages: usize, folder: &Path) -> tantivy::Result<Lexical> {
    let folders = parts.iter().map(|part| store::lexical_folder(&part.folder));
    let lengths = Tokens::ALL.map(|tokens| {
        let own = parts
            .iter()
            .map(|part| part.index.lexical().lengths(tokens));
        own.flat_map(|own| own.iter().copied())
            .collect::<Vec<u32>>()
    });
    let language = parts[0].index.language();
    Lexical::joined(
        folders.collect(),
        lengths.into_iter().map(Column::from).collect(),
        passages,
        language,
        folder,
    )
}

/// The vectors of the parts, by their encoder; none where it has to see all passages first, or there are no vectors.
fn dense(
    parts: &[Opened],
    encoder: Option<Box<dyn Encoder>>,
    folder: &Path,
) -> Result<Option<Dense>, IndexError> {
    let made: Vec<_> = parts.iter().filter_map(|part| part.made.as_ref()).collect();
    let (Some((entry, _)), Some(encoder)) = (made.first(), encoder) else {
        return Ok(None);
    };
    if entry.identity.kind == Kind::Static {
        return Ok(None);
    }
    let rows = made.iter().filter_map(|(_, vectors)| match vectors.rows() {
        Rows::F32(values) => Some(values),
        Rows::I8 { .. } => None,
    });
    let rows = spilled(folder, "vectors", rows)?;
    let vectors = Vectors::stored(entry.identity.clone(), Rows::F32(rows))?;
    Ok(Some(Dense::of(&entry.encoder, encoder, vectors)))
}

impl Index {
    /// Joins the indexes of the parts of a corpus, in any order, into that of the whole: the one that a build of the whole
    /// corpus makes. `encoder` is needed where a server made the vectors. Written and `complete`d as by
    /// [`create_with`](Self::create_with).
    ///
    /// # Errors
    /// A folder that is no part, parts of different corpora or settings, one that is missing or there twice; and as
    /// [`create_with`](Self::create_with).
    pub fn merge_with(
        parts: &[PathBuf],
        encoder: Option<&str>,
        near: Option<NearOptions>,
        folder: &Path,
        progress: &dyn Progress,
        complete: &dyn Fn(&Index) -> Result<(), IndexError>,
    ) -> Result<Built, IndexError> {
        let Parts {
            all: parts,
            encoder,
        } = opened(parts, encoder, progress)?;
        let first = &parts[0];
        let made = first.made.as_ref().map(|(entry, _)| entry.encoder.clone());
        let options = BuildOptions {
            encoder: made.unwrap_or_else(|| NONE.into()),
            near,
            cut: first.index.cut(),
            ..first.index.options().clone().into()
        };
        let whole = first.part.fingerprint.clone();
        // What is joined lies in files until the index has its own.
        let (spill, _claim) = claim::workplace(build::parent(folder)?)?;
        let dense = dense(&parts, encoder, spill.path())?;
        let material = Material {
            name: parts[0].index.name().to_owned(),
            passages: passages(spill.path(), &parts)?,
            questions: questions(&parts),
            dense,
            parts,
            part: None,
        };
        if material.passages.fingerprint() != whole {
            let said = "and the others do not make up the corpus that they are of";
            return Err(unfit(&material.parts[0].folder, said));
        }
        build::written(material, &options, folder, progress, complete)
    }
}
