//! Builds the layer from an index: tables and chunks, metadata, vectors, candidate pairs with every metric.

use super::layer::{CELL, Meta, Sage, SageBuild, TEXT, Tables};
use super::links;
use super::measure::{Facts, columns, contents, pairs, vectors};
use super::metadata::{self, DocInput, TableInput, TableMetadata};
use super::names::Names;
use super::postings::Postings;
use crate::column::{Column, Strings};
use crate::embed::EmbedError;
use crate::graph::neighbours;
use crate::index::documents::text_file;
use crate::index::sentences::titled;
use crate::index::{Dense, EntityGraph, Index, IndexError, Layer, Together};
use crate::llm::task::{self, DocumentInput, DocumentOutput};
use crate::llm::{Origin, Shares, any};
use crate::text::Tokens;
use crate::text::about::heading;
use crate::text::chunking::{self, Cutting};
use crate::text::span;
use crate::text::summarize::Idf;
use crate::text::tables::{self, Table};
use rayon::prelude::*;
use std::ops::Range;

/// Hears what is done of how much, step by step; false cancels.
pub type Progress<'a> = &'a dyn Fn(&'static str, usize, usize) -> bool;

/// Documents that are cut between two reports of progress.
const BATCH: usize = 512;

/// A unit under construction.
struct Unit {
    passage: u32,
    source: u32,
    table: u32,
    range: Range<usize>,
}

impl Sage {
    /// Builds the layer.
    ///
    /// # Errors
    /// An index without vectors, an encoder that cannot encode texts, a links file that cannot be read, or cancelled.
    pub fn build(
        index: &Index,
        options: &SageBuild,
        progress: Progress,
    ) -> Result<Sage, IndexError> {
        let said = |said: String| IndexError::Layer {
            layer: Self::NAME,
            said,
        };
        let tell = |step, done, total| {
            if progress(step, done, total) {
                Ok(())
            } else {
                Err(IndexError::Cancelled)
            }
        };
        let dense = index.dense_for(Self::NAME)?;
        let sources = index.passages().documents(Together::TextFile);
        let found: Vec<Vec<Table>> = (0..index.len())
            .into_par_iter()
            .map(|p| tables::tables(index.passages().text(p)))
            .collect();
        let tables: Vec<(u32, &Table)> = (0..)
            .zip(&found)
            .flat_map(|(p, t)| t.iter().map(move |t| (p, t)))
            .collect();
        let units = units(index, dense, options, &sources, &found, &tell)?;

        tell("metadata", 0, units.len())?;
        let graph = titled(index)?;
        let mut made = Shares::default();
        let (topics, mut named) = documents(index, &graph, &units, &mut made, &tell)?;
        tell("metadata", units.len(), units.len())?;
        let inputs: Vec<TableInput> = tables
            .iter()
            .map(|(passage, table)| TableInput {
                source_title: index.title(*passage),
                caption: &table.caption,
                headers: &table.headers,
                rows: &table.rows,
            })
            .collect();
        let described = described(index, &inputs, &mut made, &tell)?;
        drop(inputs);
        for (unit, named) in units
            .iter()
            .zip(&mut named)
            .filter(|(unit, _)| unit.table != TEXT)
        {
            let rows = &described[unit.table as usize].entities[unit.range.clone()];
            named.extend(subject(index, unit.passage));
            named.extend(rows.iter().flatten().cloned());
        }
        let (names, signs) = Names::new(&named);
        drop(named);

        let units_of =
            |source: usize| units.partition_point(|u| (u.source as usize) <= source) as u32;
        let source_ends: Vec<u32> = (0..sources.len()).map(units_of).collect();
        let (link_ends, link_targets, links, links_unknown) =
            linked(index, options, &sources).map_err(said)?;
        let mut layer = Sage {
            meta: Meta {
                // The path says where the file lay, not what was in it: it is no part of the layer.
                options: SageBuild {
                    links: None,
                    ..options.clone()
                },
                identity: dense.encoder.identity().clone(),
                units: units.len(),
                chunks: units.iter().filter(|u| u.table == TEXT).count(),
                segments: units.iter().filter(|u| u.table != TEXT).count(),
                tables: tables.len(),
                sources: sources.len(),
                pairs: [0; 3],
                links,
                links_unknown,
                made,
            },
            meta_json: Column::default(),
            passage: column(&units, |u| u.passage),
            source: column(&units, |u| u.source),
            table: column(&units, |u| u.table),
            start: column(&units, |u| u.range.start as u32),
            end: column(&units, |u| u.range.end as u32),
            source_ends: source_ends.into(),
            topics,
            names,
            tables: stored(&tables, &described),
            vectors: vectors(dense, Vec::new())?,
            columns: vectors(dense, Vec::new())?,
            pairs: Default::default(),
            link_ends: link_ends.into(),
            link_targets: link_targets.into(),
            words: Default::default(),
            subjects: Default::default(),
        };
        drop(units);
        let texts = |unit: usize| {
            let (name, content) = (
                layer.source_name(index, unit as u32),
                layer.content(index, unit as u32),
            );
            format!("{name} | {content}")
        };
        tell("words", 0, layer.len())?;
        let (plain, stem) = rayon::join(
            || Postings::new(Tokens::Plain, index.language(), layer.len(), texts),
            || Postings::new(Tokens::Stem, index.language(), layer.len(), texts),
        );
        layer.words = [plain, stem];
        layer.vectors = contents(index, dense, &layer, &tell)?;
        let facts = Facts::new(dense, &layer)?;
        layer.columns = columns(dense, &layer)?;
        tell("neighbours", 0, layer.len())?;
        let pool = neighbours::nearest(&layer.vectors, options.pair_pool)?.pairs();
        tell("neighbours", layer.len(), layer.len())?;
        layer.pairs = pairs(&layer, &facts, &signs, &pool, &tell)?;
        layer.meta.pairs = [0, 1, 2].map(|kind| layer.pairs[kind].len());
        layer.meta_json = serde_json::to_vec(&layer.meta).unwrap_or_default().into();
        Ok(layer)
    }
}

fn column(units: &[Unit], of: impl Fn(&Unit) -> u32) -> Column<u32> {
    units.iter().map(of).collect::<Vec<_>>().into()
}

/// Tells of progress; an error is a cancelled build.
pub(super) type Tell<'a> = &'a dyn Fn(&'static str, usize, usize) -> Result<(), IndexError>;

/// Chunks and segments of all passages, in order.
fn units(
    index: &Index,
    dense: &Dense,
    options: &SageBuild,
    sources: &[Range<u32>],
    found: &[Vec<Table>],
    tell: Tell,
) -> Result<Vec<Unit>, IndexError> {
    let cutting = Cutting {
        drop_percentile: options.drop_percentile,
        window: options.window,
        min_sentences: options.min_sentences,
    };
    let dims = dense.vectors.dims();
    let encode = |texts: &[&str]| {
        let texts: Vec<(&str, &str)> = texts.iter().map(|text| ("", *text)).collect();
        dense.encoder.passages(&texts, &|_| true)
    };
    let first_table: Vec<u32> = (found.iter())
        .scan(0, |next, tables| {
            let first = *next;
            *next += tables.len() as u32;
            Some(first)
        })
        .collect();
    let mut units = Vec::new();
    for (batch, some) in sources.chunks(BATCH).enumerate() {
        tell("chunks", batch * BATCH, sources.len())?;
        let of = |(at, passages): (usize, &Range<u32>)| -> Result<Vec<Unit>, EmbedError> {
            let source = (batch * BATCH + at) as u32;
            let stretches: Vec<(u32, Range<usize>)> = passages
                .clone()
                .flat_map(|p| prose(index.text(p), &found[p as usize]).map(move |range| (p, range)))
                .collect();
            let texts: Vec<&str> = stretches
                .iter()
                .map(|(p, range)| span::of(index.text(*p), range.clone()))
                .collect();
            let cut = chunking::document(index.language(), &texts, cutting, dims, &encode)?;
            // Where a unit begins in its passage decides its place.
            let mut own: Vec<(usize, Unit)> = Vec::new();
            for ((passage, stretch), chunks) in stretches.iter().zip(cut) {
                own.extend(chunks.into_iter().map(|chunk| {
                    let range = span::shift(&chunk, stretch.start);
                    (
                        range.start,
                        Unit {
                            passage: *passage,
                            source,
                            table: TEXT,
                            range,
                        },
                    )
                }));
            }
            for passage in passages.clone() {
                let first = first_table[passage as usize];
                for (table, read) in (first..).zip(&found[passage as usize]) {
                    let segments = tables::segments(read.rows.len(), options.segment_rows);
                    own.extend(segments.into_iter().map(|range| {
                        (
                            read.span.start,
                            Unit {
                                passage,
                                source,
                                table,
                                range,
                            },
                        )
                    }));
                }
            }
            own.sort_by_key(|(start, unit)| (unit.passage, *start));
            Ok(own.into_iter().map(|(_, unit)| unit).collect())
        };
        let cut: Result<Vec<Vec<Unit>>, EmbedError> = some.par_iter().enumerate().map(of).collect();
        units.extend(cut?.into_iter().flatten());
    }
    tell("chunks", sources.len(), sources.len())?;
    Ok(units)
}

/// The parts of a text outside its tables.
fn prose(text: &str, tables: &[Table]) -> impl Iterator<Item = Range<usize>> {
    let starts = std::iter::once(0).chain(tables.iter().map(|t| t.span.end));
    let ends = (tables.iter().map(|t| t.span.start)).chain(std::iter::once(text.len()));
    let parts: Vec<Range<usize>> = starts.zip(ends).map(|(start, end)| start..end).collect();
    parts.into_iter()
}

/// The name that a passage is about: that of a record is its title. Headings and file names are none, so of a part of a text
/// file it is what the text says.
pub(super) fn subject(index: &Index, passage: u32) -> Option<String> {
    let subject = match text_file(index.id(passage)) {
        Some(_) => heading("", index.text(passage), index.options().subjects),
        None => index.heading(passage),
    };
    let subject = metadata::bare(&subject);
    (!subject.is_empty()).then(|| subject.to_owned())
}

/// The names in a chunk of text, as written, in order.
fn names_of<'a>(index: &'a Index, graph: &EntityGraph, unit: &Unit) -> Vec<&'a str> {
    // Mentions stand in the full text: title, full stop and space, text.
    let title = index.title(unit.passage).len();
    let before = if title == 0 { 0 } else { title + 2 };
    let text = index.text(unit.passage);
    let surface = |start: u32, end: u32| {
        let span = (start as usize).checked_sub(before)?..(end as usize).checked_sub(before)?;
        let inside = unit.range.start <= span.start && span.end <= unit.range.end;
        text.get(span).filter(|_| inside)
    };
    let mentions = graph.occurrences(unit.passage as usize);
    mentions.filter_map(|o| surface(o.start, o.end)).collect()
}

/// Topics of all units, and the names of the chunks of text.
fn documents(
    index: &Index,
    graph: &EntityGraph,
    units: &[Unit],
    made: &mut Shares,
    tell: Tell,
) -> Result<(Strings, Vec<Vec<String>>), IndexError> {
    let texts: Vec<&Unit> = units.iter().filter(|u| u.table == TEXT).collect();
    let inputs: Vec<DocInput> = texts
        .par_iter()
        .map(|unit| DocInput {
            text: span::of(index.text(unit.passage), unit.range.clone()),
            source_title: index.title(unit.passage),
            subject: subject(index, unit.passage),
            names: names_of(index, graph, unit),
        })
        .collect();
    let idf = Idf::new(inputs.iter().map(|i| i.text));
    let mut found = metadata::documents(&inputs, &idf);
    let llm = index.llm();
    if llm.thinks() {
        let asked: Vec<DocumentInput> = inputs.iter().map(DocInput::asked).collect();
        llm.announce::<task::DocMetadata>(&llm.estimate::<task::DocMetadata>(&asked));
        let go_on = |done| tell("metadata", done, asked.len()).is_ok();
        // The rules did all at once, above.
        let nothing = |_: &DocumentInput| DocumentOutput::default();
        let answers = llm
            .items::<task::DocMetadata>(&asked, &any, nothing, &go_on)
            .map_err(|_| IndexError::Cancelled)?;
        for ((own, input), answer) in found.iter_mut().zip(&inputs).zip(&answers) {
            made.count(answer);
            if let Origin::Llm { .. } = answer.origin {
                *own = metadata::document_told(input.subject.as_deref(), &answer.value);
            }
        }
    }
    let mut found = found.into_iter();
    let (mut topics, mut named) = (Vec::new(), Vec::new());
    for unit in units {
        let own = if unit.table == TEXT {
            found.next()
        } else {
            None
        }
        .unwrap_or_default();
        topics.push(own.topic);
        named.push(own.entities);
    }
    Ok((topics.into_iter().collect(), named))
}

/// Metadata of all tables.
fn described(
    index: &Index,
    inputs: &[TableInput],
    made: &mut Shares,
    tell: Tell,
) -> Result<Vec<TableMetadata>, IndexError> {
    let mut found: Vec<TableMetadata> = inputs.par_iter().map(metadata::table).collect();
    let llm = index.llm();
    if llm.thinks() && !inputs.is_empty() {
        let asked: Vec<task::TableInput> = inputs.iter().map(TableInput::asked).collect();
        llm.announce::<task::TableMetadata>(&llm.estimate::<task::TableMetadata>(&asked));
        let go_on = |done| tell("tables", done, asked.len()).is_ok();
        let nothing = |_: &task::TableInput| task::TableOutput::default();
        let answers = llm
            .items::<task::TableMetadata>(&asked, &any, nothing, &go_on)
            .map_err(|_| IndexError::Cancelled)?;
        for ((own, input), answer) in found.iter_mut().zip(inputs).zip(&answers) {
            made.count(answer);
            if let Origin::Llm { .. } = answer.origin {
                metadata::table_told(input, &answer.value, own);
            }
        }
    }
    Ok(found)
}

fn stored(tables: &[(u32, &Table)], described: &[TableMetadata]) -> Tables {
    let ends = |length: &dyn Fn(&Table) -> usize| -> Column<u32> {
        let ends = tables.iter().scan(0, |end, (_, table)| {
            *end += length(table) as u32;
            Some(*end)
        });
        ends.collect::<Vec<_>>().into()
    };
    let mut separator = [0; 4];
    let separator = CELL.encode_utf8(&mut separator);
    Tables {
        titles: described.iter().map(|d| &d.title).collect(),
        descriptions: described.iter().map(|d| &d.description).collect(),
        summaries: described.iter().map(|d| &d.summary).collect(),
        column_ends: ends(&|table| table.headers.len()),
        headers: tables.iter().flat_map(|(_, t)| &t.headers).collect(),
        described: described.iter().flat_map(|d| &d.columns).collect(),
        row_ends: ends(&|table| table.rows.len()),
        rows: (tables.iter().flat_map(|(_, t)| &t.rows))
            .map(|row| row.join(separator))
            .collect(),
    }
}

/// Ends and targets of the linked sources of each, both ways; how many pairs; lines that name something unknown.
type Linked = (Vec<u32>, Vec<u32>, usize, usize);

fn linked(index: &Index, options: &SageBuild, sources: &[Range<u32>]) -> Result<Linked, String> {
    let Some(path) = &options.links else {
        return Ok((vec![0; sources.len()], Vec::new(), 0, 0));
    };
    let source_of = |passage: u32| sources.partition_point(|s| s.end <= passage) as u32;
    let document = |name: &str| {
        let cut = sources
            .iter()
            .find(|s| text_file(index.id(s.start)) == Some(name));
        cut.map(|s| s.start)
    };
    let links = links::read(path, index.passages(), document)?;
    let mut arcs: Vec<(u32, u32)> = (links.pairs.iter())
        .map(|&(a, b)| (source_of(a), source_of(b)))
        .filter(|(a, b)| a != b)
        .flat_map(|(a, b)| [(a, b), (b, a)])
        .collect();
    arcs.sort_unstable();
    arcs.dedup();
    let ends = (0..sources.len() as u32).map(|s| arcs.partition_point(|arc| arc.0 <= s) as u32);
    Ok((
        ends.collect(),
        arcs.iter().map(|arc| arc.1).collect(),
        arcs.len() / 2,
        links.unknown,
    ))
}

#[cfg(test)]
#[path = "build_tests.rs"]
pub(crate) mod tests;
