//! Graphs for retrieval as other systems keep them: units of text, entities, relations, communities.
//!
//! | file | what lives there |
//! |---|---|
//! | `draft` | joins what a reader finds by name, and counts what is kept, mended and left out |
//! | `graphml`, `rows` | GraphML; tables as Parquet or CSV |
//! | `stream`, `xml` | JSON record by record, XML piece by piece |
//! | `lightrag` | LightRAG, nano-graphrag, PathRAG, MiniRAG |
//! | `graphrag` | Microsoft GraphRAG, every generation, with KET-RAG's keywords |
//! | `hipporag`, `linearrag` | HippoRAG's extractions, LinearRAG's tables |
//! | `noderag`, `e2graphrag` | NodeRAG's tables, E2GraphRAG's trees and names |
//! | `sage` | SAGE's chunks of documents and tables |
//! | `llamaindex`, `jsonlines` | LlamaIndex's property graphs; APOC's and LangChain's JSON |
//! | `nodelink`, `gexf` | a lone graph as node-link JSON, GraphML or GEXF |
//! | `tables` | tables of edges or triples, with nodes and passages |
//! | `plain` | which nodes of a graph without a schema are texts, and which entities |
//! | `postgres` | tables of a database: LightRAG, DocsGPT |
//! | `unreadable` | systems that are recognised, with what to do instead |
//!
//! A reader never leaves the folder or the database that it was given, runs nothing and reads no settings.

mod draft;
mod e2graphrag;
mod gexf;
mod graphml;
mod graphrag;
mod hipporag;
mod jsonlines;
mod lightrag;
mod linearrag;
mod llamaindex;
mod nodelink;
mod noderag;
mod plain;
pub mod postgres;
pub(crate) mod rows;
mod sage;
mod stream;
mod tables;
mod unreadable;
mod xml;

pub use draft::{Account, Draft, Sort};

use super::schema::GraphError;
use std::path::{Path, PathBuf};

/// A text as the system cut it: what it retrieves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unit {
    /// As the files call it.
    pub id: String,
    /// The document's, where there are several documents.
    pub title: String,
    pub text: String,
}

/// A thing that texts are about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entity {
    /// As a person reads it; the first of its name.
    pub name: String,
    /// What kind of thing it is, in the system's words; may be empty.
    pub kind: String,
    pub description: String,
    /// Places in [`Given::units`], in the order of the files, each once.
    pub units: Vec<u32>,
}

/// What joins two entities.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Relation {
    /// Places in [`Given::entities`].
    pub source: u32,
    pub target: u32,
    /// What it is called, where it is: a predicate, keywords.
    pub label: String,
    pub description: String,
    /// As the files have it; 1 where they have none.
    pub weight: f64,
    /// Places in [`Given::units`], in the order of the files, each once.
    pub units: Vec<u32>,
}

/// What joins two texts: one follows or cites the other, or they are alike.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Link {
    /// Places in [`Given::units`].
    pub source: u32,
    pub target: u32,
    /// What it is called, where it is.
    pub label: String,
    /// As the files have it; 1 where they have none.
    pub weight: f64,
}

/// Entities that belong together, and what is said of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Community {
    pub title: String,
    /// 0 is the coarsest.
    pub level: u32,
    /// Places in [`Given::entities`], ascending, each once.
    pub members: Vec<u32>,
    /// A report or a summary; may be empty.
    pub report: String,
}

/// A graph as its files have it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    /// The system that made it.
    pub system: String,
    /// Which files and columns they are: the systems keep no version.
    pub generation: String,
    pub units: Vec<Unit>,
    pub entities: Vec<Entity>,
    pub relations: Vec<Relation>,
    pub links: Vec<Link>,
    pub communities: Vec<Community>,
    /// What was read, kept, mended and left out.
    pub account: Account,
    /// Every file that was read.
    pub files: Vec<PathBuf>,
}

/// A system whose files are known.
pub struct System {
    /// For the screen.
    pub title: &'static str,
    /// How its files are told.
    pub about: &'static str,
    /// Which generation of its files a folder has; none where it has none of them. Looks at names and at the beginnings of
    /// files only.
    pub finds: fn(&Path) -> Option<String>,
    /// Reads them.
    pub read: fn(&Path, &mut Draft) -> Result<(), GraphError>,
}

/// Every system whose files are known, the surest first.
pub static SYSTEMS: &[&System] = &[
    &lightrag::MINIRAG,
    &lightrag::NANO,
    &lightrag::LIGHTRAG,
    &graphrag::GRAPHRAG,
    &hipporag::HIPPORAG,
    &linearrag::LINEARRAG,
    &noderag::NODERAG,
    &e2graphrag::E2GRAPHRAG,
    &sage::SAGE,
    &llamaindex::LLAMAINDEX,
    &jsonlines::APOC,
    &jsonlines::LANGCHAIN,
    &unreadable::FAST_GRAPHRAG,
    &unreadable::KUZU,
    &unreadable::PICKLES,
    &unreadable::LANCE,
    &nodelink::NODE_LINK,
    &nodelink::GRAPHML,
    &nodelink::GEXF,
    &tables::TABLES,
    &postgres::POSTGRES,
];

/// Files of a system in a folder.
#[derive(Clone)]
pub struct Found {
    pub system: &'static System,
    /// Or the address of a database.
    pub folder: PathBuf,
    pub generation: String,
}

/// Files that only such an index has, by how their names end and begin.
const ENDS: [&str; 3] = [".graphml", ".gexf", ".parquet"];
const BEGINS: [&str; 4] = [
    "kv_store_",
    "openie_results",
    "property_graph_store",
    "table_chunks_with_metadata",
];

/// Whose files a path has: a folder, a file that only such an index has, or the address of a database, which is not asked yet.
pub fn find(path: &Path) -> Option<Found> {
    let folder = match path.is_dir() || super::postgres::is_one(path) {
        true => path,
        false => {
            let name = path.file_name()?.to_string_lossy().to_lowercase();
            let own = ENDS.iter().any(|end| name.ends_with(end))
                || BEGINS.iter().any(|begin| name.starts_with(begin));
            path.parent().filter(|_| own)?
        }
    };
    SYSTEMS.iter().find_map(|system| {
        let generation = (system.finds)(folder)?;
        Some(Found {
            system,
            folder: folder.to_owned(),
            generation,
        })
    })
}

/// Most entries of a folder that are looked at.
const MOST: usize = 10_000;

/// Whether a folder has folders alone: what lies below may be what it is there for. Beside files of its own it is not.
fn is_bare(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return false;
    };
    let mut entries = entries.flatten().take(MOST);
    entries.all(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let quiet = name.starts_with('.') || name.ends_with(".log");
        quiet || entry.file_type().is_ok_and(|kind| kind.is_dir())
    })
}

/// Reads a graph.
///
/// # Errors
/// A file that cannot be read or is cut, with its place; a system whose files cannot be read, with what to do.
pub fn read(found: &Found) -> Result<Given, GraphError> {
    let mut draft = Draft::default();
    (found.system.read)(&found.folder, &mut draft)?;
    let mut given = draft.finish();
    if given.system.is_empty() {
        found.system.title.clone_into(&mut given.system);
        given.generation.clone_from(&found.generation);
    }
    if given.units.is_empty() {
        return Err(GraphError::record(
            &found.folder,
            0,
            format!("texts of {}", given.system),
            "none",
        ));
    }
    Ok(given)
}

#[cfg(test)]
mod fixture {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::Index;
    use tempfile::TempDir;

    /// What can happen to a file: a byte changes, the rest is cut, or a byte comes in.
    #[derive(Clone, Debug)]
    pub struct Damage {
        at: Index,
        byte: u8,
        way: u8,
    }

    /// Any damage.
    pub fn damage() -> impl Strategy<Value = Damage> {
        let parts = (any::<Index>(), any::<u8>(), 0_u8..3);
        parts.prop_map(|(at, byte, way)| Damage { at, byte, way })
    }

    impl Damage {
        /// Bytes, of which there is one at least, after it.
        pub fn of(&self, bytes: &[u8]) -> Vec<u8> {
            let mut bytes = bytes.to_vec();
            let at = self.at.index(bytes.len());
            match self.way {
                0 => bytes[at] = self.byte,
                1 => bytes.truncate(at),
                _ => bytes.insert(at, self.byte),
            }
            bytes
        }

        /// Does it to a file.
        pub fn hit(&self, path: &Path) {
            let bytes = std::fs::read(path).unwrap();
            std::fs::write(path, self.of(&bytes)).unwrap();
        }
    }

    /// A folder of some files.
    pub fn folder(files: &[(&str, &[u8])]) -> TempDir {
        let folder = TempDir::new().unwrap();
        for (name, bytes) in files {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        folder
    }

    /// What a system finds in a folder of one file, and the graph.
    pub fn given(system: &System, name: &str, bytes: &[u8]) -> Result<(String, Given), GraphError> {
        let folder = folder(&[(name, bytes)]);
        let found = (system.finds)(folder.path()).unwrap_or_default();
        let mut draft = Draft::default();
        (system.read)(folder.path(), &mut draft)?;
        Ok((found, draft.finish()))
    }
}
