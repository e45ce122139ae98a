//! The layer: units of text and tables with what is known of them, their candidate pairs, links, words and vectors.

use super::names::Names;
use super::pairs::{EdgeRule, EntityEdges, Kind, Pairs, Passed, Thresholds};
use super::postings::Postings;
use super::store::Arrays;
use super::subjects::Subjects;
use crate::column::{self, Column, Strings};
use crate::derived::once;
use crate::embed::{Identity, Vectors};
use crate::index::Index;
use crate::index::layer::columns;
use crate::llm::Shares;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// What the layer is built with. Defaults are the paper's, and the published code's where the paper gives none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SageBuild {
    /// Percentile of a document's drops above which it is cut (80).
    pub drop_percentile: f64,
    /// Sentences on either side that are read with one (1).
    pub window: usize,
    /// Shorter chunks join a neighbour (3; code).
    pub min_sentences: usize,
    /// Rows of a table segment (10).
    pub segment_rows: usize,
    /// Nearest units of each that become candidate pairs (200; code).
    pub pair_pool: usize,
    /// A file of links between passages or documents, two identifiers a line; see [`super::links`].
    pub links: Option<PathBuf>,
}

impl Default for SageBuild {
    fn default() -> SageBuild {
        SageBuild {
            drop_percentile: 80.0,
            window: 1,
            min_sentences: 3,
            segment_rows: 10,
            pair_pool: 200,
            links: None,
        }
    }
}

/// Options and counts, kept as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    pub options: SageBuild,
    /// What made the vectors.
    pub identity: Identity,
    pub units: usize,
    pub chunks: usize,
    pub segments: usize,
    pub tables: usize,
    pub sources: usize,
    /// Candidate pairs, by kind in the order of [`Kind::ALL`].
    pub pairs: [usize; 3],
    /// Pairs of sources that are linked.
    pub links: usize,
    /// Lines of the links file that name something unknown.
    pub links_unknown: usize,
    /// Who described how many chunks and tables; empty where no model was asked.
    #[serde(default, skip_serializing_if = "Shares::is_empty")]
    pub made: Shares,
}

/// No table: a unit of text.
pub const TEXT: u32 = column::NONE;

columns! {
    /// SAGE's part of an index. Units are in the order of the passages, within one in the order of its text.
    pub struct Sage(stored, meta: Meta) {
        /// By unit: its passage, its source (document), its table or [`TEXT`].
        pub passage: Column<u32> = "unit.passage" [meta.units] => ascending(), below(stored.passages());
        pub source: Column<u32> = "unit.source" [meta.units] => below(meta.sources);
        pub table: Column<u32> = "unit.table" [meta.units] => below_or_none(meta.tables);
        /// By unit: byte range in the passage's text, or of a segment the range of its table's rows.
        pub start: Column<u32> = "unit.start" [meta.units];
        pub end: Column<u32> = "unit.end" [meta.units] => spans(&start);
        /// End of each source's units.
        pub source_ends: Column<u32> = "source.ends" [meta.sources] => ends(meta.units);
        /// By unit; of segments empty.
        pub topics: Strings = "unit.topics" [meta.units];
        pub names: Names = "names" of (meta.units);
        pub tables: Tables = "table" of (meta.tables);
        /// Content of units.
        pub vectors: Vectors = "vectors" by (&meta.identity), "scales" [meta.units];
        /// Descriptions of columns.
        pub columns: Vectors = "columns" by (&meta.identity), "scales" [tables.headers.len()];
        /// By kind.
        pub pairs: [Pairs; 3] = "" of (meta.units);
        /// Linked sources of source s: `link_targets[link_ends[s-1]..link_ends[s]]`, ascending, both ways.
        pub link_ends: Column<u32> = "link.ends" [meta.sources] => ends(link_targets.len());
        pub link_targets: Column<u32> = "link.targets" => below(meta.sources);
        /// By the way words are cut.
        pub words: [Postings; 2] = "words" of (meta.units);
        /// What follows as JSON, as it is stored.
        pub(super) meta_json: Column<u8> = "meta";
        pub meta: Meta { meta };
        /// Looked up when an edge rule first asks: none of the columns has them.
        pub(super) subjects: OnceLock<Arc<Subjects>> { OnceLock::new() };
    }
}

columns! {
    /// Tables and their metadata, by number.
    #[derive(Default)]
    pub struct Tables(stored, tables: usize) {
        pub titles: Strings = "titles" [tables];
        pub descriptions: Strings = "descriptions" [tables];
        pub summaries: Strings = "summaries" [tables];
        /// End of each table's columns in `headers` and `described`.
        pub column_ends: Column<u32> = "column_ends" [tables] => ends(headers.len());
        pub headers: Strings = "headers";
        pub described: Strings = "described" [headers.len()];
        /// End of each table's rows in `rows`; cells of a row are joined by [`CELL`].
        pub row_ends: Column<u32> = "row_ends" [tables] => ends(rows.len());
        pub rows: Strings = "rows";
    }
}

/// Between the cells of a stored row; no text has it.
pub const CELL: char = '\u{1f}';

fn span(ends: &[u32], at: usize) -> Range<usize> {
    let end = |at: usize| ends.get(at).map_or(0, |&e| e as usize);
    at.checked_sub(1).map_or(0, end)..end(at)
}

impl Tables {
    /// The columns of a table, as places in `headers`.
    pub fn columns(&self, table: u32) -> Range<usize> {
        span(&self.column_ends, table as usize)
    }

    pub fn headers(&self, table: u32) -> impl Iterator<Item = &str> {
        self.columns(table).map(|at| self.headers.get(at))
    }

    /// Rows of a table, by number within it.
    pub fn rows(&self, table: u32, rows: Range<usize>) -> impl Iterator<Item = &str> {
        let all = span(&self.row_ends, table as usize);
        let end = all.end.min(all.start + rows.end);
        (all.start + rows.start..end).map(|at| self.rows.get(at))
    }
}

/// How two units are neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Via {
    /// A candidate pair of a kind, by number.
    Pair(u8, u32),
    /// Units of the same source.
    Source,
    /// Their sources are linked.
    Link,
    /// One names what the other is about.
    Subject,
}

impl Sage {
    /// Number of units.
    pub fn len(&self) -> usize {
        self.passage.len()
    }

    /// The units of a passage, in order.
    pub fn units_of(&self, passage: u32) -> Range<u32> {
        let at = |p: u32| self.passage.partition_point(|&other| other < p) as u32;
        at(passage)..at(passage.saturating_add(1))
    }

    /// The units of a source.
    pub fn units_of_source(&self, source: u32) -> Range<u32> {
        let span = span(&self.source_ends, source as usize);
        span.start as u32..span.end as u32
    }

    pub fn linked(&self, source: u32) -> &[u32] {
        let span = span(&self.link_ends, source as usize);
        self.link_targets.get(span).unwrap_or_default()
    }

    /// The table of a segment; none of a chunk of text.
    pub fn table_of(&self, unit: u32) -> Option<u32> {
        let table = self.table[unit as usize];
        (table != TEXT).then_some(table)
    }

    fn range(&self, unit: u32) -> Range<usize> {
        self.start[unit as usize] as usize..self.end[unit as usize] as usize
    }

    /// Rows of a segment within its table.
    pub fn rows_of(&self, unit: u32) -> Option<Range<usize>> {
        self.table_of(unit).map(|_| self.range(unit))
    }

    /// The text of a unit: its part of the passage; of a segment the header words, then the values row by row.
    pub fn content<'a>(&self, index: &'a Index, unit: u32) -> Cow<'a, str> {
        match self.table_of(unit) {
            None => {
                let text = index.text(self.passage[unit as usize]);
                Cow::Borrowed(text.get(self.range(unit)).unwrap_or_default())
            }
            Some(table) => {
                let headers: Vec<&str> = self.tables.headers(table).collect();
                let mut text = headers.join(" ");
                for row in self.tables.rows(table, self.range(unit)) {
                    text.push('\n');
                    text.extend(row.chars().map(|c| if c == CELL { ' ' } else { c }));
                }
                Cow::Owned(text)
            }
        }
    }

    /// What a unit's source is called: the title of its passage; of a segment its table's title.
    pub fn source_name<'a>(&'a self, index: &'a Index, unit: u32) -> &'a str {
        match self.table_of(unit) {
            None => index.title(self.passage[unit as usize]),
            Some(table) => self.tables.titles.get(table as usize),
        }
    }

    /// A unit for the screen: its source, and which part where there are several.
    pub fn label(&self, index: &Index, unit: u32) -> String {
        let name = match self.source_name(index, unit) {
            "" => index.id(self.passage[unit as usize]),
            name => name,
        };
        match self.rows_of(unit) {
            Some(rows) => format!("{name} [rows {}-{}]", rows.start + 1, rows.end),
            None => {
                let own = self.units_of(self.passage[unit as usize]);
                let chunks: Vec<u32> = own.filter(|&u| self.table_of(u).is_none()).collect();
                match chunks.iter().position(|&u| u == unit) {
                    Some(at) if chunks.len() > 1 => format!("{name} [chunk {}]", at + 1),
                    _ => name.to_owned(),
                }
            }
        }
    }

    pub fn kind(&self, a: u32, b: u32) -> Kind {
        match (self.table_of(a), self.table_of(b)) {
            (None, None) => Kind::TextText,
            (Some(_), Some(_)) => Kind::TableTable,
            _ => Kind::TextTable,
        }
    }

    /// The candidate pair of two units, in any order.
    pub fn pair(&self, a: u32, b: u32) -> Option<(Kind, u32)> {
        let kind = self.kind(a, b);
        let swap = match kind {
            Kind::TextTable => self.table_of(a).is_some(),
            _ => a > b,
        };
        let (first, second) = if swap { (b, a) } else { (a, b) };
        let pair = self.pairs[kind as usize].find(first, second)?;
        Some((kind, pair))
    }

    /// A rule with its thresholds.
    pub fn bars(&self, index: &Index, rule: EdgeRule) -> Thresholds {
        Thresholds {
            rule,
            subjects: match rule.names {
                EntityEdges::Subject => {
                    let own = || Arc::new(Subjects::new(index, self));
                    once(&self.subjects, own).clone()
                }
                _ => Arc::default(),
            },
            bars: [0, 1, 2].map(|kind| self.pairs[kind].bars(&rule)),
        }
    }

    /// What a candidate pair passed, by its kind, its number and its two units. Where one is about nothing that has a name,
    /// any name that both have makes an edge in the place of subjects.
    pub fn passed(&self, kind: usize, pair: u32, units: [u32; 2], bars: &Thresholds) -> Passed {
        let (pairs, rule) = (&self.pairs[kind], &bars.rule);
        let mut passed = pairs.passed(pair, &bars.bars[kind], rule);
        if units.iter().any(|&unit| bars.subjects.lacks(unit)) {
            passed.named = pairs.names(pair, false) > 0;
        }
        passed
    }

    /// The candidate pairs of a unit that are edges.
    pub fn similar(&self, unit: u32, bars: &Thresholds, mut each: impl FnMut(u32, Via, Passed)) {
        for (kind, pairs) in self.pairs.iter().enumerate() {
            for (pair, other) in pairs.of(unit) {
                let passed = self.passed(kind, pair, [unit, other], bars);
                if passed.edge() {
                    each(other, Via::Pair(kind as u8, pair), passed);
                }
            }
        }
    }

    /// Every neighbour of a unit with every way to it.
    pub fn neighbours(&self, unit: u32, bars: &Thresholds, mut each: impl FnMut(u32, Via)) {
        self.similar(unit, bars, |other, via, _| each(other, via));
        let near = bars.subjects.near(unit);
        near.for_each(|other| each(other, Via::Subject));
        let source = self.source[unit as usize];
        if bars.rule.sources {
            let own = self.units_of_source(source).filter(|&other| other != unit);
            own.for_each(|other| each(other, Via::Source));
        }
        if bars.rule.links {
            let linked = self.linked(source).iter();
            let units = linked.flat_map(|&linked| self.units_of_source(linked));
            units.for_each(|other| each(other, Via::Link));
        }
    }
}
