//! `open_status`: what is open, and what can be done with it.

use super::refusal::Refusal;
use super::{Arguments, GoOn, Session};
use crate::explorer::lack::lacks;
use crate::parameters::RESULT_K;
use crate::retrieve::{DEFAULT_METHOD, METHODS, Method, Settings};
use serde::Serialize;
use serde_json::{Value, json};

/// The open index.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Answer<'a> {
    /// Path named at start, or that of the sample.
    index: &'a str,
    /// Name of the corpus.
    name: &'a str,
    /// Number of passages.
    passages: usize,
    /// Number of entities of the graph.
    entities: usize,
    /// Number of edges of the graph.
    edges: usize,
    /// Encoder of the vectors, or why there are none.
    vectors: String,
    /// Questions of the set; 0 without one.
    questions: usize,
    /// Questions of the set with gold.
    judged: usize,
    /// Method where none is named.
    default_method: &'a str,
    /// Passages returned where k is not named.
    default_k: usize,
    /// Methods that run.
    methods: Vec<Runs>,
    /// Methods that do not run.
    unavailable: Vec<Unavailable>,
    /// Layers stored with the index.
    layers: Vec<String>,
    /// Hash of the index.
    fingerprint: &'a str,
    /// Databases that cannot be reached; only with --partial.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lost: Vec<String>,
}

/// A method that runs on the index.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Runs {
    /// Its name.
    method: &'static str,
    /// What it does.
    about: &'static str,
}

/// A method that does not run on the index.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Unavailable {
    /// Its name.
    method: &'static str,
    /// Missing part, and how to add it.
    why: String,
}

pub fn open_status(session: &Session, _: Arguments, _: GoOn) -> Result<Value, Refusal> {
    let (index, facts) = (&session.index, &session.facts);
    let vectors = match (index.dense(), &facts.closed) {
        (Some(dense), _) => dense.entry.encoder.to_string(),
        (None, Some(closed)) => format!("none: {closed}"),
        (None, None) => "none: the index was built without an encoder".to_owned(),
    };
    let layers = index.layers();
    let methods = session.runs().map(|method| Runs {
        method: &method.name,
        about: &method.about,
    });
    let unavailable = METHODS.iter().filter_map(|method| {
        Some(Unavailable {
            method: &method.name,
            why: lacks(facts, &layers, method)?.reason(facts),
        })
    });
    let (methods, unavailable) = (methods.collect(), unavailable.collect());
    let mut default = Settings::new(
        Method::by_name(DEFAULT_METHOD).map_err(|said| Refusal::new(said, "name a method"))?,
    )
    .left_open();
    default.adopt(index);
    let path = match &*facts.argument {
        "" => "the bundled sample",
        path => path,
    };
    Ok(json!(Answer {
        index: path,
        name: &facts.name,
        passages: facts.passages,
        entities: facts.entities,
        edges: facts.edges,
        vectors,
        questions: facts.questions.len(),
        judged: facts.questions.iter().filter(|q| q.gold > 0).count(),
        default_method: &default.method().name,
        default_k: default.get(RESULT_K),
        methods,
        unavailable,
        layers,
        fingerprint: &facts.fingerprint,
        lost: session.lost(),
    }))
}
