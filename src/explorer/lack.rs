//! What the index lacks for a method, and the command that builds it.

use super::scene::Facts;
use super::state::State;
use crate::index::Layer;
use crate::layers::given::GivenLayer;
use crate::layers::typed::SparkLayer;
use crate::retrieve::{Method, elsewhere};

/// What the index lacks for a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    Vectors,
    /// A layer that can be built here.
    Layer(&'static str),
    /// Nodes and edges beside the corpus.
    Typed,
    /// The graph of another system beside the corpus.
    Given,
    /// A layer this program cannot build.
    Foreign(&'static str),
    /// More of an index that lies elsewhere than it can be asked for.
    Elsewhere,
}

/// What the index lacks for a method; small indexes build a missing layer when it is first needed.
pub fn lack(state: &State, method: &Method) -> Option<Missing> {
    lacks(&state.facts, &state.layers, method)
}

/// The same of an index with these layers, those it was opened with and those built since.
pub fn lacks(facts: &Facts, layers: &[String], method: &Method) -> Option<Missing> {
    if let Some(whole) = &facts.elsewhere {
        return elsewhere::lack(whole, method).map(|_| Missing::Elsewhere);
    }
    if method.reads_vectors() && !facts.vectors {
        return Some(Missing::Vectors);
    }
    let layer = method.layer()?;
    if layers.iter().any(|known| known == layer) {
        return None;
    }
    if layer == SparkLayer::NAME && !facts.typed {
        return Some(Missing::Typed);
    }
    if layer == GivenLayer::LABEL {
        return (!facts.given).then_some(Missing::Given);
    }
    if facts.small {
        return None;
    }
    Some(match facts.kinds.iter().any(|kind| kind.name == layer) {
        true => Missing::Layer(layer),
        false => Missing::Foreign(layer),
    })
}

impl Missing {
    /// Why, and the command that helps.
    pub fn reason(self, facts: &Facts) -> String {
        let index = match &*facts.argument {
            "" => "INDEX",
            argument => argument,
        };
        match self {
            Missing::Vectors => match &facts.closed {
                Some(closed) => format!("needs vectors; {closed}"),
                None => {
                    "needs vectors; build with: hopscope index CORPUS --out DIR --encoder static"
                        .to_owned()
                }
            },
            Missing::Typed => {
                "needs a typed graph: nodes.tsv, edges.tsv and schema.json beside the corpus"
                    .to_owned()
            }
            Missing::Given => {
                "needs an index of another system (LightRAG, GraphRAG ...): open its folder"
                    .to_owned()
            }
            Missing::Elsewhere => {
                format!(
                    "needs more than a question looks up; make a copy: hopscope index {index} --out DIR"
                )
            }
            Missing::Layer(layer) | Missing::Foreign(layer) => {
                format!(
                    "the index has no layer '{layer}'; build it with: hopscope index --add {layer} {index}"
                )
            }
        }
    }
}
