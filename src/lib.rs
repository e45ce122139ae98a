//! hopscope: a terminal explorer for graph retrieval, and the CPU retrieval core it shows.
//!
//! Every method follows one scheme: **seed** nodes of a graph, **spread** score from them, **select** passages by the score
//! they receive. Everything a program needs is re-exported at this level; [`mod@reference`] lists methods, graphs,
//! operators, parameters and verdicts.
//!
//! Ask a corpus:
//!
//! ```
//! use hopscope::{BuildOptions, Index, Keep, Method, Retriever, Settings, Silent, read_corpus};
//! use std::sync::Arc;
//!
//! # fn main() -> anyhow::Result<()> {
//! let (corpus, report) = read_corpus(&["sample-corpus".into()], &Default::default())?;
//! assert_eq!(report.passages.kept, corpus.passages.len());
//! let index = Arc::new(Index::build(corpus, &BuildOptions::default(), &Silent)?);
//!
//! let graph = Method::by_name("graph-rrf").map_err(anyhow::Error::msg)?;
//! let mut settings = Settings::of(&index, graph);
//! settings.set_text("alpha=0.4").map_err(anyhow::Error::msg)?;
//! let mut retriever = Retriever::new(index.clone());
//! let run = retriever.retrieve("Who discovered Uranus?", &settings, Keep::Scores)?;
//! let best = &run.top()[0];
//! println!("{} {:.4}", index.title(best.passage), best.score);
//! # Ok(())
//! # }
//! ```
//!
//! Explain a score, and why another passage was not returned:
//!
//! ```
//! use hopscope::{Combine, Keep, Retriever, Settings, why_not};
//! # use hopscope::{BuildOptions, Index, Method, Silent, read_corpus};
//! # use std::sync::Arc;
//!
//! # fn main() -> anyhow::Result<()> {
//! # let (corpus, _) = read_corpus(&["sample-corpus".into()], &Default::default())?;
//! # let index = Arc::new(Index::build(corpus, &BuildOptions::default(), &Silent)?);
//! # let settings = Settings::of(&index, Method::by_name("graph").map_err(anyhow::Error::msg)?);
//! let run = Retriever::new(index.clone()).retrieve("Who discovered Uranus?", &settings, Keep::Scores)?;
//! let best = run.top()[0];
//! let opened = run.explain(&index, best.passage);
//! assert_eq!(opened.combine, Combine::Sum);
//! let sum: f64 = opened.parts.iter().map(|part| part.value).sum();
//! assert!((sum - f64::from(best.score)).abs() < 1e-6);
//!
//! for passage in 0..index.len() as u32 {
//!     for reason in why_not(&index, &run, passage) {
//!         println!("{}: {} {}, {}", index.id(passage), reason.code, reason.text, reason.class.about());
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Measure a method against another over the questions of a corpus:
//!
//! ```
//! use hopscope::{Comparison, Resampling, Settings, evaluate};
//! # use hopscope::{BuildOptions, Index, Method, Silent, read_corpus};
//! # use std::sync::Arc;
//!
//! # fn main() -> anyhow::Result<()> {
//! # let (corpus, _) = read_corpus(&["sample-corpus".into()], &Default::default())?;
//! # let index = Arc::new(Index::build(corpus, &BuildOptions::default(), &Silent)?);
//! let run = |method: &str| {
//!     let method = Method::by_name(method).map_err(anyhow::Error::msg)?;
//!     let settings = Settings::of(&index, method);
//!     Ok::<_, anyhow::Error>(evaluate(&index, index.questions(), &settings, |_| true)?)
//! };
//! let compared = Comparison::new(&run("bm25")?, &run("hop")?, Resampling::default());
//! for (name, by) in hopscope::MEASURES.iter().zip(&compared.measures) {
//!     println!("{name} {:+.3}, 95 % within {:?}, {} wins, {} losses", by.difference, by.interval, by.wins, by.losses);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Modules
//!
//! For contributors: each module depends only on those above it. See `ARCHITECTURE.md`.
//!
//! | module | what lives there |
//! |---|---|
//! | `ranker` | an order that is learned and still opens into parts: features, step functions, boosting |
//! | [`parameters`] | every parameter declared once, with its type; what they are set to |
//! | [`corpus`] | what the user has: passages, questions, gold; one reader per file format |
//! | [`text`] | words, sentences, mentions of names, tables in texts |
//! | `exchange` | typed graphs with their schema, as tables and as STaRK's folders |
//! | `mapped` | files in memory: the only unsafe code |
//! | `output` | standard output and error: what a corpus holds is shown there, and no terminal acts on it |
//! | [`column`] | flat arrays, owned or mapped from a file: what vectors and indexes lie in |
//! | `derived` | what is made on demand of what an index stores, and kept |
//! | [`graph`] | the transition matrix and the walks on it: power iteration, push, reverse walks |
//! | [`embed`] | text to vectors, vectors to nearest passages: the built-in table, BERT folders, endpoints |
//! | [`llm`] | the seam to a language model: tasks, cache, fallback to rules |
//! | [`index`] | build, store, open: passages, lexical postings, entity graph, vectors |
//! | [`layers`] | what is built over an index, a folder a builder, and the one graph that all of it is |
//! | [`retrieve`] | the core: methods, settings, link, rank, seed, spread, select |
//! | [`explain`] | what a result means: attribution by seed, paths, reasons, the trace |
//! | [`evaluate`] | measures, runs, paired tests, where gold is lost, graph statistics, labels and corrected gold |
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
//!   ([`explain::trace()`]). There is no second, recording engine.
//! - Opening an index reads every byte of it once, at memory speed, to hold it against its checksum, and every byte of a
//!   layer when a method first asks for that, but for vectors of sentences: a block of these is checked when one of it is
//!   first read. A flipped byte is an error, never a wrong answer.

#![cfg_attr(not(test), deny(clippy::string_slice))]
// What is printed goes through `output`.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

// The rooms are open to the tests and benches of this package; what is promised to others is what follows them.
mod caught;
#[cfg_attr(doc, doc(hidden))]
pub mod cli;
#[cfg_attr(doc, doc(hidden))]
pub mod column;
#[cfg_attr(doc, doc(hidden))]
pub mod corpus;
mod derived;
#[cfg_attr(doc, doc(hidden))]
pub mod embed;
mod errors;
#[cfg_attr(doc, doc(hidden))]
pub mod evaluate;
mod exchange;
#[cfg_attr(doc, doc(hidden))]
#[warn(missing_docs)]
pub mod explain;
#[cfg_attr(doc, doc(hidden))]
pub mod explorer;
#[cfg_attr(doc, doc(hidden))]
pub mod graph;
mod http;
#[cfg_attr(doc, doc(hidden))]
pub mod index;
mod journal;
#[cfg_attr(doc, doc(hidden))]
pub mod layers;
#[cfg_attr(doc, doc(hidden))]
pub mod llm;
mod mapped;
mod output;
#[cfg_attr(doc, doc(hidden))]
#[warn(missing_docs)]
pub mod parameters;
#[cfg_attr(doc, doc(hidden))]
pub mod random;
#[cfg_attr(doc, doc(hidden))]
pub mod ranker;
#[cfg_attr(doc, doc(hidden))]
pub mod retrieve;
mod spelling;
#[cfg_attr(doc, doc(hidden))]
pub mod text;

#[doc = include_str!("../assets/reference.md")]
pub mod reference {}

#[doc(inline)]
pub use {
    corpus::{Corpus, Gold, Passage, Question, ReadOptions, read as read_corpus},
    evaluate::{
        Checkup, Comparison, Difference, Evaluation, Fault, Finding, Losses, MEASURES, Measures,
        Mend, PerQuestion, Resampling, doctor, evaluate, losses,
    },
    explain::{
        Change, LookAlike, Repair, Repairs, Trace, lookalikes, not_in_index, repairs, story, trace,
        why_not,
    },
    index::{BuildOptions, Index, IndexError, Progress, Silent},
    layers::{
        Class, Code, GRAPHS, Graph, GraphEdit, GraphEdited, GraphKind, LAYERS, LayerKind, Node,
        add_layers,
    },
    parameters::{Domain, Param, Parameter, Scoped, Value},
    retrieve::explanation::{
        Combine, Cut, Edge, Entry, Explanation, Item, Part as ScorePart, Path, Reason, Stage, Story,
    },
    retrieve::operator::{At, Context, Declaration, Operator, Outcome, Part},
    retrieve::plan::{Plan, Step},
    retrieve::retrieval::{Record, Seed},
    retrieve::set::{Member, Set},
    retrieve::{
        Composition, DEFAULT_METHOD, Hit, Keep, METHODS, Method, MethodRef, PRESETS, Preset,
        Retrieval, RetrieveError, Retriever, SeedChange, SeedEdit, Settings,
    },
    text::Language,
};
