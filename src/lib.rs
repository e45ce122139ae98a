//! hopscope: a terminal explorer for graph retrieval, and the CPU retrieval core it shows.
//!
//! Every method is one sentence with other words in it: **seed** some nodes of a graph, **spread** score from
//! them, **select** passages from where it lands. This is the map of the house; a module uses the ones above it.
//!
//! | module | what lives there |
//! |---|---|
//! | [`corpus`] | what the user has: passages, questions, gold; one reader per file format |
//! | [`text`] | words, sentences, mentions of names |
//! | [`graph`] | the transition matrix and the walks on it: power iteration, push, reverse walks |
//! | [`index`] | build, store, open: passages, lexical postings, entity graph |
//! | [`retrieve`] | the core: parameters, methods, seed, spread, select |

#![deny(unsafe_code)]

pub mod cli;
pub mod corpus;
pub mod embed;
pub mod evaluate;
pub mod explain;
pub mod explorer;
pub mod graph;
pub mod index;
pub mod retrieve;
pub mod text;
