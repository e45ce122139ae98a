//! KET-RAG and the methods that it is compared with: units of text by their own vectors, by neighbours or by keywords, and
//! a local search among the names and relations of a skeleton, packed into one context.
//!
//! | file | what lives there |
//! |---|---|
//! | `nearest` | the units, keywords or entities nearest to the question |
//! | `text` | the text part: neighbours, the pool of keywords, packing |
//! | `local` | the skeleton part: GraphRAG's local search |
//! | `context` | both parts in one: passages, and the reader's text |

pub(crate) mod context;
pub mod local;
pub(crate) mod nearest;
pub(crate) mod text;

use crate::layers::GraphKind;
use crate::layers::skeleton::source::{KEYWORD_UNIT, KetGraph, SKELETON, UNIT_KNN};
use crate::parameters::{
    CONTEXT_TOKENS, CORE_BY, CORE_SHARE, CoreBy, PASSAGE_ORDER, Parameter, Parameter as P,
    PassageOrder, THETA, Value,
};
use crate::retrieve::explanation::Fix;
use crate::retrieve::operator::{At, Operator};
use crate::retrieve::operators::pack::larger;
use crate::retrieve::plan::Plan;
use context::CONTEXT;
use local::LOCAL;
use nearest::{ENTITIES, KEYWORDS, MADE_UP, UNITS};
use rayon::prelude::*;
use text::{NEIGHBOURS, PACKED_UNITS, POOL};

/// What fills the text part of the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    /// Units by their own similarity to the question.
    Units,
    /// Units by their similarity to a passage that a model makes up.
    MadeUp,
    /// Unit after unit by similarity, each with its neighbours in the kNN graph.
    Neighbours,
    /// Units of the nearest keywords, by similarity.
    Keywords,
}

/// Values that a plan's steps have whatever the settings say.
type Fixed = [(Parameter, Value)];

/// The core of the skeleton: of any units, as the settings say.
pub const ANY: &Fixed = &[];
/// Every unit: what Microsoft's GraphRAG extracts from.
pub const ALL: &Fixed = &[CORE_SHARE.at(1.0), CORE_BY.at(CoreBy::Pagerank)];
/// The most central units.
pub const CENTRAL: &Fixed = &[CORE_BY.at(CoreBy::Pagerank)];
/// Units drawn evenly.
pub const EVEN: &Fixed = &[CORE_BY.at(CoreBy::Uniform)];

/// The plan of a text part, a skeleton with this core, or both under one budget.
pub fn plan(text: Option<Text>, core: Option<&'static Fixed>) -> Plan {
    let mut fixed = core.unwrap_or(ANY).to_vec();
    // One part alone has the whole context, and its own order.
    match (text, core) {
        (Some(_), Some(_)) => {}
        (_, None) => fixed.extend([THETA.at(0.0), PASSAGE_ORDER.at(PassageOrder::Context)]),
        (None, _) => fixed.extend([THETA.at(1.0), PASSAGE_ORDER.at(PassageOrder::Context)]),
    }
    let mut plan = Plan::default();
    let mut on = |graph: &'static GraphKind, operator: &'static dyn Operator, inputs: &[usize]| {
        let step = plan.on(graph, operator, inputs);
        plan.fix(&fixed);
        step
    };
    let local = core.map(|_| {
        let entities = on(&SKELETON, &ENTITIES, &[]);
        on(&SKELETON, &LOCAL, &[entities])
    });
    // The text part has what the skeleton left, and packs nothing that it has.
    let packed = text.map(|text| {
        let (graph, candidates) = match text {
            Text::Units => (&UNIT_KNN, on(&UNIT_KNN, &UNITS, &[])),
            Text::MadeUp => (&UNIT_KNN, on(&UNIT_KNN, &MADE_UP, &[])),
            Text::Neighbours => {
                let units = on(&UNIT_KNN, &UNITS, &[]);
                (&UNIT_KNN, on(&UNIT_KNN, &NEIGHBOURS, &[units]))
            }
            Text::Keywords => {
                let words = on(&KEYWORD_UNIT, &KEYWORDS, &[]);
                (&KEYWORD_UNIT, on(&KEYWORD_UNIT, &POOL, &[words]))
            }
        };
        let inputs = Vec::from_iter([candidates].into_iter().chain(local));
        (graph, on(graph, &PACKED_UNITS, &inputs))
    });
    let graph = match packed {
        Some((graph, _)) if local.is_none() => graph,
        _ => &SKELETON,
    };
    let parts = local.into_iter().chain(packed.map(|(_, step)| step));
    on(graph, &CONTEXT, &Vec::from_iter(parts));
    plan
}

/// The units of a passage that is not in the context; none where it is.
fn left_out<'a>(at: &At<'a>, passage: u32) -> &'a [u32] {
    match at.run.rank(passage) {
        Some(_) => &[],
        None => KetGraph::of(at.graph()).layer.units.of_passage(passage),
    }
}

/// The nearest theta towards an end that brings a passage in, else the least larger context that does.
fn more_room(at: &At<'_>, passage: u32, end: f64) -> Option<Fix> {
    let settings = &at.run.settings;
    let (theta, tokens) = (settings.get(THETA), settings.get(CONTEXT_TOKENS));
    let fixed = at.record().step.fixed.iter().any(|(p, _)| *p == P::Theta);
    let steps = match fixed {
        true => 0,
        false => ((theta - end).abs() * 20.0).ceil() as usize,
    };
    let nearer = (1..=steps).map(|step| {
        let away = (step as f64 / 20.0).copysign(end - theta);
        THETA.at((((theta + away) * 20.0).round() / 20.0).clamp(0.0, 1.0))
    });
    let changes: Vec<_> = nearer.chain(larger(tokens)).collect();
    let tried = |change| at.tried_anywhere(passage, change);
    changes.into_par_iter().find_map_first(tried)
}
