//! Building the layer: documents to chunks, chunks to entities and pairs, chunks to summaries, nodes to vectors.

use super::entities::{Sentence, extract, names};
use super::hops::Pairs;
use super::layer::{E2Build, E2Graph, Meta, NO_NODE};
use super::tree::{Group, Summarise, Summarised, fits, levels, summarise};
use crate::embed::{Kind, Vectors};
use crate::index::documents::Running;
use crate::index::{Dense, Index, IndexError, Passages, Together};
use crate::llm::task::OneText;
use crate::llm::{Llm, Made, Origin, Shares, task};
use crate::text::Norm;
use crate::text::chunks::{Chunk, windows};
use crate::text::persons;
use crate::text::span;
use crate::text::summarize::Idf;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use sprs::TriMatI;
use std::ops::Range;

/// Texts of summaries, the passages each quotes, and who wrote them.
struct Texts {
    summaries: Vec<String>,
    quotes: Vec<Vec<u32>>,
    made: Shares,
}

type Progress<'a> = &'a dyn Fn(&'static str, usize, usize) -> bool;

/// A chunk while the layer is built.
struct Leaf {
    document: u32,
    bytes: Range<usize>,
    passages: Range<u32>,
    /// Where its first passage begins in the document's running text.
    origin: usize,
    /// Where the part of each passage begins in the text.
    parts: Vec<(u32, u32)>,
    /// It is all of a passage that is a document by itself.
    whole: bool,
    /// What speaks for its pronouns and persons: the title of a document of one passage, or what stands for it.
    title: String,
    text: String,
    /// Where the text behind the overlap with the chunk before begins.
    own: usize,
}

/// Work done in parallel is cut into pieces of this size, between which the caller may cancel.
const BATCH: usize = 512;

pub(super) fn build(
    index: &Index,
    options: &E2Build,
    progress: Progress,
) -> Result<E2Graph, IndexError> {
    let passages = index.passages();
    let documents = passages.documents(Together::Numbered);
    let leaves = leaves(index, &documents, options);
    let read = read(passages, &leaves, progress)?;
    let tree = levels(
        &counts(&documents, &leaves),
        options.tree_group,
        options.tree_over,
    );
    let llm = index.llm();
    let Texts {
        summaries,
        quotes,
        made,
    } = summaries(&leaves, &tree, &read, options, &llm, progress)?;
    let vectors = match index.dense() {
        Some(dense) => Some(vectors(dense, &leaves, &summaries, progress)?),
        None => None,
    };
    let entities = Entities::intern(&read.sentences);
    let (names, sorted) = entities.names();
    let mut pairs = Pairs::default();
    for (number, items) in entities.items.iter().enumerate() {
        pairs.sentence(items, number as u32);
    }
    let graph = pairs.finish(names.len());
    let found = entities.found(leaves.len());
    let (entity_ends, entity_chunk, entity_count) = found.to_csr::<u64>().into_raw_storage();
    let (chunk_ends, chunk_entity, _) = found.to_csc::<u64>().into_raw_storage();
    let nodes = leaves.len() + summaries.len();
    let groups: Vec<&Group> = tree.iter().flatten().collect();
    let mut parent = vec![NO_NODE; nodes];
    for (at, group) in groups.iter().enumerate() {
        let summary = (leaves.len() + at) as u32;
        parent[group.children.start as usize..group.children.end as usize].fill(summary);
    }
    let mut level_ends = vec![leaves.len() as u32];
    for level in &tree {
        level_ends.push(level_ends[level_ends.len() - 1] + level.len() as u32);
    }
    let meta = Meta {
        options: options.clone(),
        documents: documents.len(),
        chunks: leaves.len(),
        summaries: summaries.len(),
        entities: names.len(),
        edges: graph.targets.len() / 2,
        origin: made.said("rule(summarise, 1)"),
        made,
        identity: vectors.as_ref().map(|v| v.identity().clone()),
    };
    let of = |f: &dyn Fn(&Leaf) -> u32| leaves.iter().map(f).collect::<Vec<u32>>().into();
    let each = |f: &dyn Fn(&Group) -> u32| groups.iter().map(|g| f(g)).collect::<Vec<u32>>().into();
    let sentence =
        |f: &dyn Fn(&Place) -> u32| entities.spans.iter().map(f).collect::<Vec<u32>>().into();
    Ok(E2Graph {
        meta_json: serde_json::to_vec(&meta).unwrap_or_default().into(),
        meta,
        document_ends: documents.iter().map(|d| d.end).collect::<Vec<u32>>().into(),
        chunk_document: of(&|l| l.document),
        chunk_start: of(&|l| (l.bytes.start - l.origin) as u32),
        chunk_end: of(&|l| (l.bytes.end - l.origin) as u32),
        chunk_first: of(&|l| l.passages.start),
        chunk_last: of(&|l| l.passages.end),
        level_ends: level_ends.into(),
        child_first: each(&|g| g.children.start),
        child_last: each(&|g| g.children.end),
        leaf_first: each(&|g| g.leaves.start),
        leaf_last: each(&|g| g.leaves.end),
        parent: parent.into(),
        summaries: summaries.iter().collect(),
        quote_ends: ends(quotes.iter().map(Vec::len))
            .iter()
            .map(|&e| e as u32)
            .collect::<Vec<u32>>()
            .into(),
        quotes: quotes.concat().into(),
        names,
        sorted: sorted.into(),
        entity_ends: entity_ends[1..].to_vec().into(),
        entity_chunk: entity_chunk.into(),
        entity_count: entity_count.into(),
        chunk_ends: chunk_ends[1..].to_vec().into(),
        chunk_entity: chunk_entity.into(),
        graph,
        sentence_start: sentence(&|place| place.1.start as u32),
        sentence_end: sentence(&|place| place.1.end as u32),
        sentence_chunk: sentence(&|place| place.0),
        vectors,
    })
}

fn ends(lengths: impl Iterator<Item = usize>) -> Vec<u64> {
    lengths
        .scan(0u64, |end, length| {
            *end += length as u64;
            Some(*end)
        })
        .collect()
}

fn leaves(index: &Index, documents: &[Range<u32>], options: &E2Build) -> Vec<Leaf> {
    let passages = index.passages();
    let mut found = Vec::new();
    for (number, document) in documents.iter().enumerate() {
        let running = Running::new(passages, document.clone());
        let title = match document.len() {
            1 => index.heading(document.start),
            _ => "".into(),
        };
        let overlap = options.chunk_overlap.min(options.chunk_tokens / 2);
        let mut before = 0;
        for Chunk { bytes, .. } in windows(&running.text, options.chunk_tokens, overlap) {
            let rest = span::of(&running.text, before.max(bytes.start)..bytes.end);
            let own = bytes.end - bytes.start - rest.trim_start().len();
            before = bytes.end;
            let inside = running.passages(&bytes);
            let start = |passage: u32| running.start(passage).saturating_sub(bytes.start) as u32;
            found.push(Leaf {
                document: number as u32,
                parts: inside
                    .clone()
                    .map(|passage| (start(passage), passage))
                    .collect(),
                whole: document.len() == 1 && bytes.len() == running.text.trim().len(),
                origin: running.start(inside.start),
                passages: inside,
                title: title.clone().into_owned(),
                text: span::of(&running.text, bytes.clone()).to_owned(),
                bytes,
                own,
            });
        }
    }
    found
}

/// Number of chunks of each document.
fn counts(documents: &[Range<u32>], leaves: &[Leaf]) -> Vec<u32> {
    let mut counts = vec![0; documents.len()];
    for leaf in leaves {
        counts[leaf.document as usize] += 1;
    }
    counts
}

/// What was read in the chunks.
struct Read {
    /// Words that stand capitalised inside sentences.
    known: FxHashSet<String>,
    idf: Idf,
    /// By chunk.
    sentences: Vec<Vec<Sentence>>,
}

fn read(passages: &Passages, leaves: &[Leaf], progress: Progress) -> Result<Read, IndexError> {
    let known = persons::known((0..passages.len()).map(|p| passages.text(p)));
    // Words of a title are a name's, even where nothing but the opening of its own text has them.
    let is_known = |leaf: &Leaf, surface: &str| {
        let form = Norm::Simple.apply(surface);
        let mut title = leaf.title.split(|c: char| !c.is_alphanumeric());
        known.contains(&form) || title.any(|word| Norm::Simple.apply(word) == form)
    };
    // First the persons of several words, as any chunk tells them; then the items, by what all chunks tell.
    let none = FxHashSet::default();
    let seen = in_batches(leaves, "persons", progress, |leaf| {
        let known = |surface: &str| is_known(leaf, surface);
        let found = names(&leaf.text, &leaf.title, known, &none).into_iter();
        let names = found
            .filter(|(_, person)| *person)
            .map(|(span, _)| span::of(&leaf.text, span));
        names
            .filter(|name| name.contains(' '))
            .map(str::to_owned)
            .collect::<Vec<String>>()
    })?;
    let persons: FxHashSet<String> = seen.into_iter().flatten().collect();
    let sentences = in_batches(leaves, "entities", progress, |leaf| {
        let known = |surface: &str| is_known(leaf, surface);
        extract(&leaf.text, &names(&leaf.text, &leaf.title, known, &persons))
    })?;
    let idf = Idf::new(leaves.iter().map(|leaf| leaf.text.as_str()));
    Ok(Read {
        known,
        idf,
        sentences,
    })
}

/// Maps in parallel, in order, batch by batch.
fn in_batches<I: Sync, T: Send>(
    items: &[I],
    step: &'static str,
    progress: Progress,
    map: impl Fn(&I) -> T + Sync,
) -> Result<Vec<T>, IndexError> {
    let mut done: Vec<T> = Vec::with_capacity(items.len());
    if !progress(step, 0, items.len()) {
        return Err(IndexError::Cancelled);
    }
    for batch in items.chunks(BATCH) {
        done.par_extend(batch.par_iter().map(&map));
        if !progress(step, done.len(), items.len()) {
            return Err(IndexError::Cancelled);
        }
    }
    Ok(done)
}

/// A text of a node and the passages its parts come from: where each part begins, and its passage. A model's words have
/// no parts: they come from everything below.
struct Sourced {
    text: String,
    parts: Vec<(u32, u32)>,
}

/// Texts of all summaries and the passages they quote, in order.
fn summaries(
    leaves: &[Leaf],
    tree: &[Vec<Group>],
    read: &Read,
    options: &E2Build,
    llm: &Llm,
    progress: Progress,
) -> Result<Texts, IndexError> {
    let total: usize = tree.iter().map(Vec::len).sum();
    // Overlaps count once: a chunk that is not the first of its group gives only its own part.
    let mut nodes: Vec<Sourced> = leaves
        .iter()
        .map(|leaf| Sourced {
            text: leaf.text.clone(),
            parts: leaf.parts.clone(),
        })
        .collect();
    let entities = |sentence: &str| -> Vec<String> {
        let known = |surface: &str| read.known.contains(&Norm::Simple.apply(surface));
        persons::names_by(sentence, known)
            .into_iter()
            .map(|span| Norm::Simple.apply(span::of(sentence, span)))
            .collect()
    };
    let mut quotes: Vec<Vec<u32>> = Vec::with_capacity(total);
    let mut made = Shares::default();
    for (number, level) in tree.iter().enumerate() {
        let before = nodes.len() - leaves.len();
        let tell = |step, done, _| progress(step, before + done, total);
        let cut = |group: &Group, child: u32| match leaves.get(child as usize) {
            Some(leaf)
                if child > group.children.start
                    && leaves[child as usize - 1].document == leaf.document =>
            {
                leaf.own
            }
            _ => 0,
        };
        let input = |group: &Group| Summarise {
            level: number + 1,
            texts: group
                .children
                .clone()
                .map(|child| span::of(&nodes[child as usize].text, cut(group, child)..))
                .collect(),
            max_tokens: options.summary_tokens,
        };
        let answers = answers(level, &input, llm, &tell)?;
        answers.iter().for_each(|answer| made.count(answer));
        // Text, parts, and all passages it stands for.
        let work: Vec<(usize, &Group)> = level.iter().enumerate().collect();
        let written = in_batches(&work, "summaries", &tell, |&(at, group)| {
            let below = || {
                let leaves = group.leaves.clone().map(|leaf| &leaves[leaf as usize]);
                leaves.flat_map(|leaf| leaf.passages.clone()).collect()
            };
            if let Some(answer) = answers.get(at).filter(|a| by_model(a)) {
                let (text, parts) = (answer.value.text.clone(), Vec::new());
                return (Sourced { text, parts }, below());
            }
            let Summarised { text, quotes: told } = summarise(&input(group), &read.idf, entities);
            let mut parts = Vec::with_capacity(told.len());
            let mut passages: Vec<u32> = Vec::with_capacity(told.len());
            let mut known = true;
            for (start, child, from) in told {
                let child = group.children.start + child;
                let from = cut(group, child) as u32 + from;
                match nodes[child as usize].passage(from) {
                    Some(passage) => {
                        parts.push((start, passage));
                        passages.push(passage);
                    }
                    // It quotes a text that quotes nothing.
                    None => {
                        known = false;
                        let summary = (child as usize).checked_sub(leaves.len());
                        passages.extend(summary.iter().flat_map(|&s| &quotes[s]));
                    }
                }
            }
            if !known {
                parts.clear();
            }
            if passages.is_empty() {
                passages = below();
            }
            (Sourced { text, parts }, passages)
        })?;
        for (node, mut all) in written {
            let mut seen = FxHashSet::default();
            all.retain(|p| seen.insert(*p));
            quotes.push(all);
            nodes.push(node);
        }
    }
    Ok(Texts {
        summaries: nodes.drain(leaves.len()..).map(|node| node.text).collect(),
        quotes,
        made,
    })
}

fn by_model(answer: &Made<OneText>) -> bool {
    matches!(answer.origin, Origin::Llm { .. })
}

/// What a model answers for a level of the tree; nothing where none is named. A node without an answer of it has an empty
/// text, and the rules write it where their quotes are at hand.
fn answers<'g>(
    level: &'g [Group],
    input: &dyn Fn(&'g Group) -> Summarise<'g>,
    llm: &Llm,
    progress: Progress,
) -> Result<Vec<Made<OneText>>, IndexError> {
    if !llm.thinks() {
        return Ok(Vec::new());
    }
    let inputs: Vec<_> = level.iter().map(|group| input(group).asked()).collect();
    llm.announce::<task::Summarise>(&llm.estimate::<task::Summarise>(&inputs));
    let go_on = |done| progress("summaries", done, inputs.len());
    llm.items::<task::Summarise>(&inputs, &fits, |_| OneText::default(), &go_on)
        .map_err(|_| IndexError::Cancelled)
}

impl Sourced {
    /// The passage of a byte; none in a text without parts.
    fn passage(&self, byte: u32) -> Option<u32> {
        let at = self.parts.partition_point(|part| part.0 <= byte);
        self.parts.get(at.saturating_sub(1)).map(|part| part.1)
    }
}

/// One vector per node. A chunk that is one whole passage has its vector already.
fn vectors(
    dense: &Dense,
    leaves: &[Leaf],
    summaries: &[String],
    progress: Progress,
) -> Result<Vectors, IndexError> {
    let dims = dense.vectors.dims();
    let total = leaves.len() + summaries.len();
    let known: Vec<Option<u32>> = leaves
        .iter()
        .map(|leaf| leaf.whole.then_some(leaf.passages.start))
        .collect();
    let texts: Vec<(&str, &str)> = leaves
        .iter()
        .zip(&known)
        .filter(|(_, known)| known.is_none())
        .map(|(leaf, _)| ("", leaf.text.as_str()))
        .chain(summaries.iter().map(|text| ("", text.as_str())))
        .collect();
    let before = total - texts.len();
    let made = dense
        .encoder
        .passages(&texts, &|done| progress("vectors", before + done, total))?;
    let mut rows = vec![0.0; total * dims];
    let mut next = made.chunks_exact(dims);
    for (node, row) in rows.chunks_exact_mut(dims).enumerate() {
        match known.get(node).copied().flatten() {
            Some(passage) => dense.vectors.row(passage, row),
            None => row.copy_from_slice(next.next().unwrap_or(&[])),
        }
    }
    let identity = dense.vectors.identity().clone();
    let quantise = identity.kind == Kind::Static;
    let vectors = Vectors::new(identity, rows)?;
    Ok(if quantise {
        vectors.quantised()
    } else {
        vectors
    })
}

/// Entities numbered by first appearance, and the sentences as their numbers.
struct Entities<'a> {
    names: Vec<&'a str>,
    /// Of every sentence in corpus order.
    items: Vec<Vec<u32>>,
    spans: Vec<Place>,
}

/// A sentence: chunk and byte range in it.
type Place = (u32, Range<usize>);

impl<'a> Entities<'a> {
    fn intern(chunks: &'a [Vec<Sentence>]) -> Entities<'a> {
        let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
        let mut found = Entities {
            names: Vec::new(),
            items: Vec::new(),
            spans: Vec::new(),
        };
        for (chunk, sentences) in chunks.iter().enumerate() {
            for sentence in sentences {
                let items = sentence.items.iter().map(|item| {
                    *numbers.entry(&item.name).or_insert_with(|| {
                        found.names.push(&item.name);
                        found.names.len() as u32 - 1
                    })
                });
                let items = items.collect();
                found.items.push(items);
                found.spans.push((chunk as u32, sentence.span.clone()));
            }
        }
        found
    }

    fn names(&self) -> (crate::column::Strings, Vec<u32>) {
        let mut sorted: Vec<u32> = (0..self.names.len() as u32).collect();
        sorted.sort_unstable_by_key(|&entity| self.names[entity as usize]);
        (self.names.iter().collect(), sorted)
    }

    /// How often each entity stands in each chunk: ones, to be added up.
    fn found(&self, chunks: usize) -> TriMatI<u32, u32> {
        let mut found = TriMatI::new((self.names.len(), chunks));
        for (items, (chunk, _)) in self.items.iter().zip(&self.spans) {
            for &entity in items {
                found.add_triplet(entity as usize, *chunk as usize, 1);
            }
        }
        found
    }
}
