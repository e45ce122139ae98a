//! Graphs as others store them: typed ones, of objects and edges with a schema, and those that retrieval systems keep.
//!
//! | file | what lives there |
//! |---|---|
//! | `schema` | types of objects and edges, and the graph that has them |
//! | `table` | nodes and edges as TSV or JSONL, objects as passages |
//! | `stark` | STaRK's folders and questions |
//! | `given` | graphs of retrieval systems: units of text, entities, relations |
//! | `postgres` | databases: where they are, and how they are reached |
//! | `pickle`, `unpickle`, `torch` | Python's files as data: nothing in them is run |

pub mod given;
pub(crate) mod pickle;
pub mod postgres;
pub(crate) mod schema;
pub(crate) mod stark;
pub(crate) mod table;
pub(crate) mod torch;
mod unpickle;

#[cfg(test)]
pub(crate) mod fixture;
