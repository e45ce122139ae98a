//! The layer as columns: written, opened, held against each other.

use super::layer::{Meta, Sage, Tables};
use super::names::Names;
use super::pairs::{Kind, Pairs};
use super::postings::Postings;
use crate::column::{self, Column};
use crate::index::layer::{strings, vectors};
use crate::index::{Columns, IndexError, Layer};
use crate::text::Tokens;

impl Layer for Sage {
    const NAME: &'static str = "sage";
    const VERSION: u32 = 1;

    fn columns<'a>(&'a self, each: &mut dyn FnMut(&str, &'a [u8])) {
        each("unit.passage", self.passage.bytes());
        each("unit.source", self.source.bytes());
        each("unit.table", self.table.bytes());
        each("unit.start", self.start.bytes());
        each("unit.end", self.end.bytes());
        each("source.ends", self.source_ends.bytes());
        strings("unit.topics", &self.topics, each);
        strings("names.labels", &self.names.labels, each);
        each("names.ends", self.names.ends.bytes());
        each("names.ids", self.names.ids.bytes());
        let tables = &self.tables;
        strings("table.titles", &tables.titles, each);
        strings("table.descriptions", &tables.descriptions, each);
        strings("table.summaries", &tables.summaries, each);
        each("table.column_ends", tables.column_ends.bytes());
        strings("table.headers", &tables.headers, each);
        strings("table.described", &tables.described, each);
        each("table.row_ends", tables.row_ends.bytes());
        strings("table.rows", &tables.rows, each);
        vectors("vectors", "scales", &self.vectors, each);
        vectors("columns", "scales", &self.columns, each);
        for (kind, pairs) in Kind::ALL.into_iter().zip(&self.pairs) {
            pairs.columns(kind, each);
        }
        each("link.ends", self.link_ends.bytes());
        each("link.targets", self.link_targets.bytes());
        for (tokens, words) in Tokens::ALL.into_iter().zip(&self.words) {
            let name = |part: &str| format!("words.{}.{part}", tokens.name());
            strings(&name("words"), &words.words, each);
            each(&name("ends"), words.ends.bytes());
            each(&name("units"), words.units.bytes());
            each(&name("tf"), words.tf.bytes());
            each(&name("lengths"), words.lengths.bytes());
        }
        each("meta", &self.meta_json);
    }

    fn open(columns: &Columns) -> Result<Sage, IndexError> {
        let meta_json: Column<u8> = columns.column("meta")?;
        let meta: Meta = columns.json("meta")?;
        let units = meta.units;
        let words = |tokens: Tokens| -> Result<Postings, IndexError> {
            let name = |part: &str| format!("words.{}.{part}", tokens.name());
            let words = Postings {
                words: columns.strings(&name("words"))?,
                ends: columns.column(&name("ends"))?,
                units: columns.column(&name("units"))?,
                tf: columns.column(&name("tf"))?,
                lengths: columns.column(&name("lengths"))?,
            };
            let count = words.units.len();
            columns.length(&name("ends"), words.ends.len(), words.words.len())?;
            columns.length(&name("tf"), words.tf.len(), count)?;
            columns.length(&name("lengths"), words.lengths.len(), units)?;
            columns.hold([
                (&name("ends"), column::ends(&words.ends, count)),
                (&name("units"), column::below(&words.units, units)),
            ])?;
            Ok(words)
        };
        let layer = Sage {
            passage: columns.column("unit.passage")?,
            source: columns.column("unit.source")?,
            table: columns.column("unit.table")?,
            start: columns.column("unit.start")?,
            end: columns.column("unit.end")?,
            source_ends: columns.column("source.ends")?,
            topics: columns.strings("unit.topics")?,
            names: Names {
                labels: columns.strings("names.labels")?,
                ends: columns.column("names.ends")?,
                ids: columns.column("names.ids")?,
            },
            tables: Tables {
                titles: columns.strings("table.titles")?,
                descriptions: columns.strings("table.descriptions")?,
                summaries: columns.strings("table.summaries")?,
                column_ends: columns.column("table.column_ends")?,
                headers: columns.strings("table.headers")?,
                described: columns.strings("table.described")?,
                row_ends: columns.column("table.row_ends")?,
                rows: columns.strings("table.rows")?,
            },
            vectors: columns.vectors("vectors", "scales", &meta.identity)?,
            columns: columns.vectors("columns", "scales", &meta.identity)?,
            pairs: [
                Pairs::open(Kind::TextText, units, columns)?,
                Pairs::open(Kind::TableTable, units, columns)?,
                Pairs::open(Kind::TextTable, units, columns)?,
            ],
            link_ends: columns.column("link.ends")?,
            link_targets: columns.column("link.targets")?,
            words: [words(Tokens::Plain)?, words(Tokens::Stem)?],
            subjects: Default::default(),
            meta,
            meta_json,
        };
        layer.fits(columns)?;
        Ok(layer)
    }
}

impl Sage {
    fn fits(&self, columns: &Columns) -> Result<(), IndexError> {
        let (units, tables, sources) = (self.meta.units, self.meta.tables, self.meta.sources);
        let held = self.tables.headers.len();
        for (name, found, expected) in [
            ("unit.passage", self.passage.len(), units),
            ("unit.source", self.source.len(), units),
            ("unit.table", self.table.len(), units),
            ("unit.start", self.start.len(), units),
            ("unit.end", self.end.len(), units),
            ("unit.topics.ends", self.topics.len(), units),
            ("names.ends", self.names.ends.len(), units),
            ("vectors", self.vectors.len(), units),
            ("source.ends", self.source_ends.len(), sources),
            ("link.ends", self.link_ends.len(), sources),
            ("table.titles.ends", self.tables.titles.len(), tables),
            (
                "table.descriptions.ends",
                self.tables.descriptions.len(),
                tables,
            ),
            ("table.summaries.ends", self.tables.summaries.len(), tables),
            ("table.column_ends", self.tables.column_ends.len(), tables),
            ("table.row_ends", self.tables.row_ends.len(), tables),
            ("table.described.ends", self.tables.described.len(), held),
            ("columns", self.columns.len(), held),
        ] {
            columns.length(name, found, expected)?;
        }
        let (names, rows) = (&self.names, self.tables.rows.len());
        columns.hold([
            ("unit.passage", column::ascending(&self.passage)),
            (
                "unit.passage",
                column::below(&self.passage, columns.passages()),
            ),
            ("unit.source", column::below(&self.source, sources)),
            ("unit.table", column::below_or_none(&self.table, tables)),
            ("unit.end", column::spans(&self.end, &self.start)),
            ("source.ends", column::ends(&self.source_ends, units)),
            ("names.ends", column::ends(&names.ends, names.ids.len())),
            ("names.ids", column::below(&names.ids, names.labels.len())),
            (
                "link.ends",
                column::ends(&self.link_ends, self.link_targets.len()),
            ),
            ("link.targets", column::below(&self.link_targets, sources)),
            (
                "table.column_ends",
                column::ends(&self.tables.column_ends, held),
            ),
            ("table.row_ends", column::ends(&self.tables.row_ends, rows)),
        ])
    }
}
