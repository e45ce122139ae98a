//! An index in a database of PostgreSQL, or in several: published once, and asked by rows. No extension is needed.
//!
//! A schema holds one index, in versions. Each version has tables of its own, which never change once they are whole; one row
//! says which version is asked. So whoever asks keeps the version that was there when they began, and a publisher that is
//! killed leaves the old one.
//!
//! Of several databases each holds the rows whose key falls to it. A version is asked once it is complete in all of them.
//!
//! | file | what lives there |
//! |---|---|
//! | `packed` | rows of numbers as bytes |
//! | `write` | publishing |
//! | `server` | the connection to one server, and what is looked up there |
//! | `read` | rows by number and by key, from all servers |

mod packed;
mod read;
mod server;
mod write;

pub use read::{Lost, Published, Spent};
pub use write::{Placed, Publication, publish};

use super::IndexError;
use super::rows::{Here, Names, Wanted, Whole};
use crate::exchange::postgres::PUBLISHED as CURRENT;
use crate::exchange::postgres::address::Address;
use crate::exchange::postgres::client::quoted;
use crate::exchange::schema::GraphError;
use crate::text::folded::unaccented;
use crate::text::{Language, Tokens};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use tokio_postgres::types::Type;
use xxhash_rust::xxh3::xxh3_64;

/// The schema of an address that names none.
const SCHEMA: &str = "hopscope";
/// What the tables hold, and how; raised when that changes.
const FORMAT: u32 = 8;

/// What a version says of itself.
#[derive(Serialize, Deserialize)]
struct About<'a> {
    format: u32,
    shard: Shard,
    whole: Cow<'a, Whole>,
}

/// Which rows a database holds, of the several that hold an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Shard {
    /// Its number, from 0.
    at: u32,
    /// How many databases there are.
    of: u32,
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {}", self.at + 1, self.of)
    }
}

impl Shard {
    /// Whether the rows of a key are here: of neighbours, names and passages the number of the node, of all else the key that
    /// stands for a text. Questions are everywhere.
    fn has(self, key: u64) -> bool {
        Shard::of_key(key, self.of) == self.at
    }

    /// The number of the database that has the rows of a key, of so many.
    fn of_key(key: u64, of: u32) -> u32 {
        (key % u64::from(of)) as u32
    }

    /// What of this is here, each thing under its key. Forms, identifiers and neighbours of a vector are looked for
    /// everywhere.
    fn part_of(self, wanted: &Wanted, passages: u32) -> Wanted {
        let mut own = wanted.clone();
        for (numbers, of_names) in own.numbers() {
            let before = if of_names { passages } else { 0 };
            numbers.retain(|number| self.has(u64::from(number + before)));
        }
        for (words, tokens) in own.by_word().zip(Tokens::ALL.into_iter().cycle()) {
            words.retain(|word| self.has_text(word_key(tokens, word)));
        }
        own
    }

    /// Whether the rows of a text's key are here.
    fn has_text(self, key: i64) -> bool {
        self.has(key.cast_unsigned())
    }
}

/// What versions there are.
const VERSIONS: &str = "hopscope_versions";

/// A table of a version.
struct Table {
    name: &'static str,
    /// Columns with their types as SQL writes them.
    columns: &'static [(&'static str, &'static str, Type)],
    /// What its rows are found by: one row a key, or several.
    key: &'static str,
    unique: bool,
    /// Writes its rows, of the graph of these names where it is of a graph.
    fill: fn(&Here<'_>, Names, &mut write::Filling<'_>) -> Result<(), IndexError>,
}

const ARCS: Table = Table {
    name: "arcs",
    columns: &[
        ("node", "int", Type::INT4),
        ("joined", "bytea", Type::BYTEA),
    ],
    key: "node",
    unique: true,
    fill: write::arcs,
};
const NAMES: Table = Table {
    name: "names",
    columns: &[
        ("entity", "int", Type::INT4),
        ("form", "text", Type::TEXT),
        ("label", "text", Type::TEXT),
        ("titled", "bytea", Type::BYTEA),
    ],
    key: "entity",
    unique: true,
    fill: write::names,
};
/// Keys of forms, and the names that have them: see [`form_keys`].
const FORMS: Table = Table {
    name: "forms",
    columns: &[("key", "bigint", Type::INT8), ("entity", "int", Type::INT4)],
    key: "key",
    unique: false,
    fill: write::forms,
};
const ALIASES: Table = Table {
    name: "aliases",
    columns: &[
        ("key", "bigint", Type::INT8),
        ("alias", "text", Type::TEXT),
        ("form", "text", Type::TEXT),
    ],
    key: "key",
    unique: false,
    fill: write::aliases,
};
const WORDS: Table = Table {
    name: "words",
    columns: &[
        ("key", "bigint", Type::INT8),
        ("word", "text", Type::TEXT),
        ("passages", "int", Type::INT4),
        ("postings", "bytea", Type::BYTEA),
    ],
    key: "key",
    unique: false,
    fill: write::words,
};
const PASSAGES: Table = Table {
    name: "passages",
    columns: &[
        ("passage", "int", Type::INT4),
        ("id", "text", Type::TEXT),
        ("title", "text", Type::TEXT),
        ("body", "text", Type::TEXT),
        ("twin", "boolean", Type::BOOL),
    ],
    key: "passage",
    unique: true,
    fill: write::passages,
};
/// Keys of identifiers, and the passages that have them.
const IDS: Table = Table {
    name: "ids",
    columns: &[
        ("key", "bigint", Type::INT8),
        ("passage", "int", Type::INT4),
    ],
    key: "key",
    unique: false,
    fill: write::ids,
};
/// The names in each passage.
const MENTIONS: Table = Table {
    name: "mentions",
    columns: &[
        ("passage", "int", Type::INT4),
        ("mentions", "bytea", Type::BYTEA),
    ],
    key: "passage",
    unique: true,
    fill: write::mentions,
};
/// Sentences of each passage: where they stand, and their vectors.
const SENTENCES: Table = Table {
    name: "sentences",
    columns: &[
        ("passage", "int", Type::INT4),
        ("spans", "bytea", Type::BYTEA),
        ("vectors", "bytea", Type::BYTEA),
    ],
    key: "passage",
    unique: true,
    fill: write::sentences,
};
/// Questions by their place in the set.
const QUESTIONS: Table = Table {
    name: "questions",
    columns: &[
        ("place", "int", Type::INT4),
        ("question", "text", Type::TEXT),
    ],
    key: "place",
    unique: true,
    fill: write::questions,
};
/// Texts and identifiers of questions, and their places.
const ASKED: Table = Table {
    name: "asked",
    columns: &[("key", "bigint", Type::INT8), ("place", "int", Type::INT4)],
    key: "key",
    unique: false,
    fill: write::asked,
};

/// What word pieces weigh, where the vectors are made of theirs.
const PIECES: Table = Table {
    name: "pieces",
    columns: &[
        ("piece", "int", Type::INT4),
        ("weight", "real", Type::FLOAT4),
    ],
    key: "piece",
    unique: true,
    fill: write::pieces,
};
/// Vectors of passages: as they are kept, and as the server compares them.
const VECTORS: Table = Table {
    name: "vectors",
    columns: &[
        ("passage", "int", Type::INT4),
        ("kept", "bytea", Type::BYTEA),
        // Written as its bytes.
        ("near", VECTOR, Type::BYTEA),
    ],
    key: "passage",
    unique: true,
    fill: write::vectors,
};

/// The type of vectors, which an extension brings: see [`extension`].
const VECTOR: &str = "vector";

/// The tables of a graph; those of words, passages and questions; those of vectors.
static OF_GRAPH: [Table; 5] = [ARCS, NAMES, FORMS, ALIASES, MENTIONS];
static OF_TEXTS: [Table; 5] = [WORDS, PASSAGES, IDS, QUESTIONS, ASKED];
static OF_VECTORS: [Table; 3] = [PIECES, SENTENCES, VECTORS];

/// The tables that a version can have, in the order they are written, and whose names they are of.
fn all_tables() -> impl Iterator<Item = (&'static Table, Names)> {
    let graphs = Names::ALL.into_iter();
    let graphs = graphs.flat_map(|names| OF_GRAPH.iter().map(move |table| (table, names)));
    let others = OF_TEXTS.iter().chain(&OF_VECTORS);
    graphs.chain(others.map(|table| (table, Names::Own)))
}

/// The tables of a version.
fn tables(whole: &Whole) -> Vec<(&'static Table, Names)> {
    let (vectors, sentences) = (whole.vectors.is_some(), whole.sentences.is_some());
    let has = |(table, names): &(&Table, Names)| match table.name {
        _ if !whole.has(*names) => false,
        name if name == PIECES.name => vectors || sentences,
        name if name == SENTENCES.name => sentences,
        name if name == VECTORS.name => vectors,
        _ => true,
    };
    all_tables().filter(has).collect()
}

/// The schema that has the type of vectors, as SQL finds and writes it; null where the server has none.
fn extension() -> String {
    format!(
        "(SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_extension e \
         JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = '{VECTOR}')"
    )
}

impl Table {
    /// Its name among those of a version.
    fn named(&self, names: Names) -> String {
        match names {
            Names::Own => self.name.to_owned(),
            Names::Titled => format!("titled_{}", self.name),
        }
    }

    /// Its name in a schema, as SQL writes it.
    fn of(&self, schema: &str, version: i32, names: Names) -> String {
        format!(
            "{}.{}",
            quoted(schema),
            quoted(&format!("v{version}_{}", self.named(names)))
        )
    }
}

/// What a text is looked up by: an index of PostgreSQL holds no text of any length, and a number is shorter.
fn key(kind: u8, text: &str) -> i64 {
    let mut bytes = vec![kind];
    bytes.extend_from_slice(text.as_bytes());
    xxh3_64(&bytes).cast_signed()
}

/// What a word cut in some way is looked up by.
fn word_key(tokens: Tokens, word: &str) -> i64 {
    key(b'w' + tokens as u8, word)
}

/// What the identifier of a passage is looked up by.
fn id_key(id: &str) -> i64 {
    key(b'i', id)
}

/// What a form of a name is looked up by, and is looked for with: itself, without accents, and by its stems.
fn form_keys(language: Language, form: &str) -> Vec<i64> {
    let bare = unaccented(form);
    let mut keys = vec![key(b'f', form), key(b'f', &bare), key(b'b', &bare)];
    let stems = language.stems_of_name(form);
    keys.extend(stems.map(|stems| key(b's', &stems)));
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The schema that an address names, or the usual one.
fn schema_of(address: &Address) -> String {
    let named = address.schema.clone();
    named.unwrap_or_else(|| SCHEMA.to_owned())
}

pub(super) fn rows(error: GraphError) -> IndexError {
    IndexError::Rows(Box::new(error))
}
