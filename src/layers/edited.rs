//! A patch on the graph of passages and names: which edges, masks and weights it leaves, and which edits change nothing.

use super::edits::{GraphEdit, GraphEdited, NameEdge};
use super::graph::Mask;
use crate::index::{EntityGraph, Index, Rewiring};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Factors on weights, by name and passage.
pub type Factors = FxHashMap<(u32, u32), f64>;

/// How a patch finds what it names.
pub struct Editing<'a> {
    pub index: &'a Index,
    /// What its names are called.
    pub noun: &'static str,
    /// The number of a name, by its form or any spelling of it.
    pub find: &'a dyn Fn(&EntityGraph, &str) -> Option<u32>,
}

/// What became of an edit: the reason why it changes nothing.
type Idle = Result<(), String>;

fn changes(changed: bool, idle: impl FnOnce() -> String) -> Idle {
    if changed { Ok(()) } else { Err(idle()) }
}

impl Editing<'_> {
    fn name(&self, graph: &EntityGraph, name: &str) -> Result<u32, String> {
        let noun = self.noun;
        (self.find)(graph, name).ok_or_else(|| format!("no {noun} '{name}' in this graph"))
    }

    fn edge(&self, graph: &EntityGraph, edge: &NameEdge) -> Result<(u32, u32), String> {
        let name = self.name(graph, &edge.name)?;
        let passage = self.index.passage_by_id(&edge.passage);
        let unknown = || format!("no passage #{} in the index", edge.passage);
        Ok((name, passage.ok_or_else(unknown)?))
    }

    /// The graph with its names joined and its edges cut and added, and what became of every edit so far. Without such
    /// edits it is the graph that was given.
    pub fn rewired(
        &self,
        graph: &Arc<EntityGraph>,
        edits: &[GraphEdit],
    ) -> (Arc<EntityGraph>, Vec<GraphEdited>) {
        let mut rewiring = Rewiring::new(graph);
        let mut any = false;
        let mut told = Vec::with_capacity(edits.len());
        for edit in edits {
            let done = self.rewire(graph, &mut rewiring, edit);
            any |= done == Ok(true);
            told.push(GraphEdited {
                edit: edit.clone(),
                idle: done.err(),
            });
        }
        let graph = match any {
            true => Arc::new(rewiring.finish()),
            false => graph.clone(),
        };
        (graph, told)
    }

    /// Whether an edit changes the edges; false where that is not its kind.
    fn rewire(
        &self,
        graph: &EntityGraph,
        to: &mut Rewiring<'_>,
        edit: &GraphEdit,
    ) -> Result<bool, String> {
        let edge = |to: &Rewiring<'_>, edge| {
            let (name, passage) = self.edge(graph, edge)?;
            Ok::<_, String>((to.now(name), passage))
        };
        let done = match edit {
            GraphEdit::Join { name, into } => {
                let from = to.now(self.name(graph, name)?);
                let target = to.now(self.name(graph, into)?);
                changes(to.join(from, target), || "they are one already".into())
            }
            GraphEdit::Cut(cut) => {
                let (name, passage) = edge(to, cut)?;
                changes(to.cut(name, passage), || {
                    "the passage does not mention it".into()
                })
            }
            GraphEdit::Add(add) => {
                let (name, passage) = edge(to, add)?;
                changes(to.add(name, passage), || {
                    "the passage mentions it already".into()
                })
            }
            GraphEdit::Weigh(..) | GraphEdit::Mute(_) | GraphEdit::Keep(_) => return Ok(false),
        };
        done.map(|()| true)
    }

    /// Mutes and keeps names, and gives the factors on weights: of a graph that was rewired.
    pub fn masked(
        &self,
        graph: &EntityGraph,
        told: &mut [GraphEdited],
        masks: &mut [Option<Mask>],
    ) -> Factors {
        let mut factors = Factors::default();
        for edited in told {
            let done = match &edited.edit {
                GraphEdit::Mute(name) => self.name(graph, name).and_then(|name| {
                    let before = masks[name as usize].replace(Mask::Muted);
                    let out = before == Some(Mask::Muted);
                    changes(!out, || "it is muted already".into())
                }),
                GraphEdit::Keep(name) => self.name(graph, name).and_then(|name| {
                    if graph.df(name as usize) == 0 {
                        return Err("no passage mentions it".into());
                    }
                    let before = masks[name as usize].take();
                    changes(before.is_some(), || "it takes part already".into())
                }),
                GraphEdit::Weigh(edge, factor) => self.edge(graph, edge).and_then(|edge| {
                    let (row, _) = graph.row(graph.passages + edge.0 as usize);
                    if row.binary_search(&edge.1).is_err() {
                        return Err("the passage does not mention it".into());
                    }
                    *factors.entry(edge).or_insert(1.0) *= factor;
                    changes(*factor != 1.0, || "a factor of 1 changes nothing".into())
                }),
                _ => Ok(()),
            };
            if let Err(idle) = done {
                edited.idle = Some(idle);
            }
        }
        factors
    }
}
