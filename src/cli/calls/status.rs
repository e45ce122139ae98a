//! `open_status`: what is open, and what can be done with it.

use super::refusal::Refusal;
use super::{Arguments, GoOn, Session};
use crate::explorer::lack::lacks;
use crate::parameters::RESULT_K;
use crate::retrieve::{DEFAULT_METHOD, METHODS, Method, Settings};
use serde_json::{Value, json};

pub fn open_status(session: &Session, _: Arguments, _: GoOn) -> Result<Value, Refusal> {
    let (index, facts) = (&session.index, &session.facts);
    let vectors = match (index.dense(), &facts.closed) {
        (Some(dense), _) => dense.entry.encoder.to_string(),
        (None, Some(closed)) => format!("none: {closed}"),
        (None, None) => "none: the index was built without an encoder".to_owned(),
    };
    let layers = index.layers();
    let methods = session.runs();
    let methods = methods.map(|m| json!({"method": m.name, "about": m.about}));
    let unavailable = METHODS.iter().filter_map(|method| {
        let missing = lacks(facts, &layers, method)?;
        Some(json!({"method": method.name, "why": missing.reason(facts)}))
    });
    let mut default = Settings::new(
        Method::by_name(DEFAULT_METHOD).map_err(|said| Refusal::new(said, "name a method"))?,
    )
    .left_open();
    default.adopt(index);
    let path = match &*facts.argument {
        "" => "the bundled sample",
        path => path,
    };
    Ok(json!({
        "index": path,
        "name": facts.name,
        "passages": facts.passages,
        "entities": facts.entities,
        "edges": facts.edges,
        "vectors": vectors,
        "questions": facts.questions.len(),
        "judged": facts.questions.iter().filter(|q| q.gold > 0).count(),
        "default_method": default.method().name,
        "default_k": default.get(RESULT_K),
        "methods": methods.collect::<Vec<_>>(),
        "unavailable": unavailable.collect::<Vec<_>>(),
        "layers": layers,
        "fingerprint": facts.fingerprint,
    }))
}
