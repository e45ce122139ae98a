//! hopscope: a terminal explorer for graph retrieval, and the CPU retrieval core it shows.
//!
//! Every method is one sentence with other words in it: **seed** some nodes of a graph, **spread** score from
//! them, **select** passages from where it lands. This is the map of the house; a module uses the ones above it.
//!
//! | module | what lives there |
//! |---|---|
//! | [`parameters`] | every parameter declared once, with its type; what they are set to |
//! | [`corpus`] | what the user has: passages, questions, gold; one reader per file format |
//! | [`text`] | words, sentences, mentions of names, tables in texts |
//! | [`exchange`] | typed graphs with their schema, as tables and as STaRK's folders |
//! | [`column`] | flat arrays, owned or mapped from a file: what vectors and indexes lie in |
//! | [`graph`] | the transition matrix and the walks on it: power iteration, push, reverse walks |
//! | [`embed`] | text to vectors, vectors to nearest passages: the built-in table, BERT folders, endpoints |
//! | [`llm`] | the seam to a language model: tasks, cache, fallback to rules |
//! | [`index`] | build, store, open: passages, lexical postings, entity graph, vectors |
//! | [`layers`] | what is built over an index, a folder a builder, and the one graph that all of it is |
//! | [`retrieve`] | the core: methods, settings, link, rank, seed, spread, select |
//! | [`explain`] | what a result means: attribution by seed, paths, reasons, the trace |
//! | [`evaluate`] | measures, runs, paired tests, where gold is lost, graph statistics |
//! | [`explorer`] | the terminal interface: state, update, view |
//! | [`cli`] | arguments to calls, one file per command |
//!
//! Where this differs from what one would expect:
//!
//! - A walk's matrix is one symmetric sparse matrix and a scale per node ([`graph`]), not two row-stochastic halves: a
//!   change of hub penalty rewrites scales only, and forward, reverse and push walks share it.
//! - A method is a plan: a small graph of operators, not always three ([`retrieve::plan`]). Every operator explains what it
//!   did itself, so a composition is as rich as a named method.
//! - What an index stores is its default graph. Another extractor, normal form or the word graph is derived from the
//!   passages when a setting asks for it, and kept, so every parameter works on every index without a rebuild.
//! - A retrieval keeps what its steps made ([`retrieve::retrieval::Record`]) and the record of a run is read off them
//!   ([`explain::trace`]). There is no second, recording engine.
//! - Opening an index reads every byte once, at memory speed, to hold it against its checksum: a flipped byte is an
//!   error at once, never a wrong answer later.

#![cfg_attr(not(test), deny(clippy::string_slice))]

pub mod cli;
pub mod column;
pub mod corpus;
pub mod embed;
pub mod evaluate;
pub mod exchange;
pub mod explain;
pub mod explorer;
pub mod graph;
mod http;
pub mod index;
pub mod layers;
pub mod llm;
pub mod parameters;
pub mod random;
pub mod retrieve;
mod spelling;
pub mod text;
