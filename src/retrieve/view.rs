//! The entity-passage graph as one setting sees it: masked, weighted, ready to walk.

use super::methods::GraphKind;
use super::retrieval::{Mask, Node};
use super::settings::Settings;
use crate::graph::Transition;
use crate::index::{EntityGraph, EntityOptions, Index};
use crate::parameters::{
    ALIAS_LINKING, EDGE_CAP, EDGE_WEIGHT, EdgeWeight, GAZETTEER, HUB_P, MAX_DF_RATIO, MIN_DF, NER,
    NORM, PRUNE_TOP_PCT, Parameter as P, TOKENS,
};
use sprs::CsMatI;
use std::sync::Arc;

/// A weighted, masked entity-passage graph. Nodes `0..passages` are passages, entities follow; ids never change.
pub struct GraphView {
    pub graph: Arc<EntityGraph>,
    pub transition: Transition,
    masks: Arc<Vec<Option<Mask>>>,
    pub masked: usize,
}

impl std::fmt::Debug for GraphView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "GraphView({} nodes, {} arcs)",
            self.nodes(),
            self.transition.arcs()
        )
    }
}

/// The parameters that a view depends on; the hub penalty is the last.
pub const READS: &[P] = &[
    P::Tokens,
    P::Ner,
    P::Norm,
    P::AliasLinking,
    P::Gazetteer,
    P::EdgeWeight,
    P::MinDf,
    P::MaxDfRatio,
    P::PruneTopPct,
    P::EdgeCap,
    P::HubP,
];

/// Which stored or derived graph a setting asks for.
pub fn entity_options(settings: &Settings) -> EntityOptions {
    if settings.method().reads_graph() == Some(GraphKind::TermPassage) {
        return EntityOptions::words(settings.get(TOKENS));
    }
    EntityOptions {
        ner: settings.get(NER).name().to_owned(),
        norm: settings.get(NORM).name().to_owned(),
        alias_linking: settings.get(ALIAS_LINKING),
        gazetteer: settings.get(GAZETTEER),
    }
}

impl GraphView {
    pub fn new(index: &Index, settings: &Settings) -> GraphView {
        GraphView::after(index, settings, None)
    }

    /// As [`new`](Self::new); takes the weights over from `before`, a view that differs in the hub penalty alone, so that
    /// a slider step on it costs a pass over the scales and not over the passages.
    pub fn after(index: &Index, settings: &Settings, before: Option<&GraphView>) -> GraphView {
        let graph = index.entity_graph(&entity_options(settings));
        let masks = before.map_or_else(
            || Arc::new(masks(&graph, settings)),
            |view| view.masks.clone(),
        );
        let masked = masks.iter().filter(|m| m.is_some()).count();
        let p = settings.get(HUB_P);
        let hub = by_df(&graph, |df| df.powf(-p));
        let into = (0..graph.nodes())
            .map(|node| match node.checked_sub(graph.passages) {
                Some(entity) => hub[entity],
                None => 1.0,
            })
            .collect();
        let transition = match before {
            Some(view) => view.transition.rescaled(into),
            None => Transition::new(weights(&graph, settings, &masks), into),
        };
        GraphView {
            transition,
            graph,
            masks,
            masked,
        }
    }

    pub fn passages(&self) -> usize {
        self.graph.passages
    }

    pub fn nodes(&self) -> usize {
        self.graph.nodes()
    }

    pub fn is_passage(&self, node: Node) -> bool {
        (node as usize) < self.graph.passages
    }

    /// The node of an entity number.
    pub fn entity_node(&self, entity: u32) -> Node {
        self.graph.passages as u32 + entity
    }

    /// The entity number of a node.
    pub fn entity(&self, node: Node) -> Option<usize> {
        (node as usize).checked_sub(self.graph.passages)
    }

    /// A name for the screen: an entity as first written, a passage's title or else its identifier.
    pub fn label<'a>(&'a self, index: &'a Index, node: Node) -> &'a str {
        match self.entity(node) {
            Some(entity) => self.graph.labels.get(entity),
            None if index.title(node).is_empty() => index.id(node),
            None => index.title(node),
        }
    }

    /// Neighbours that this view keeps.
    pub fn degree(&self, node: Node) -> usize {
        self.transition.degree(node as usize)
    }

    /// Neighbours and the weights of their edges, by node id.
    pub fn neighbours(&self, node: Node) -> impl Iterator<Item = (Node, f32)> + '_ {
        let (targets, weights) = self.transition.row(node as usize);
        targets.iter().copied().zip(weights.iter().copied())
    }

    pub fn probability(&self, from: Node, to: Node) -> f64 {
        self.transition.probability(from as usize, to as usize)
    }

    /// Mentions of an entity in a passage, whichever of the two nodes is which.
    pub fn tf(&self, a: Node, b: Node) -> u16 {
        let (targets, tf) = self.graph.row(a as usize);
        targets.binary_search(&b).map_or(0, |at| tf[at])
    }

    /// Why an entity does not take part.
    pub fn mask(&self, entity: u32) -> Option<Mask> {
        self.masks[entity as usize]
    }
}

/// A function of df for every entity. Most entities share a few small dfs, whose values are worked out once.
fn by_df(graph: &EntityGraph, value: impl Fn(f64) -> f64) -> Vec<f64> {
    let small: Vec<f64> = (0..64).map(|df| value(f64::from(df))).collect();
    (0..graph.entities())
        .map(|e| {
            let df = graph.df(e);
            small
                .get(df as usize)
                .copied()
                .unwrap_or_else(|| value(f64::from(df)))
        })
        .collect()
}

/// PRUNE removes the floor(x/100 * E) entities of largest df, lower ids first among equals; df limits mask the rest.
fn masks(graph: &EntityGraph, settings: &Settings) -> Vec<Option<Mask>> {
    let entities = graph.entities();
    let min = settings.get(MIN_DF) as u32;
    let max = settings.get(MAX_DF_RATIO) * graph.passages as f64;
    let mut masks: Vec<Option<Mask>> = (0..entities)
        .map(|e| {
            let df = graph.df(e);
            if df < min {
                Some(Mask::MinDf)
            } else if f64::from(df) > max {
                Some(Mask::MaxDf)
            } else {
                None
            }
        })
        .collect();
    let prune = (settings.get(PRUNE_TOP_PCT) / 100.0 * entities as f64 + 1e-9).floor() as usize;
    if prune > 0 {
        let mut by_df: Vec<u32> = (0..entities as u32).collect();
        by_df.sort_by_key(|e| (std::cmp::Reverse(graph.df(*e as usize)), *e));
        for e in &by_df[..prune.min(entities)] {
            masks[*e as usize] = Some(Mask::Pruned);
        }
    }
    masks
}

/// The symmetric weights w(e,d), both directions, without masked entities and capped edges.
fn weights(graph: &EntityGraph, settings: &Settings, masks: &[Option<Mask>]) -> CsMatI<f32, u32> {
    let (n, passages) = (graph.nodes(), graph.passages);
    let total = passages as f64;
    // SPRIG: ln((N+1)/(df+1)), with the df of the graph as built.
    let rarity = by_df(graph, |df| ((total + 1.0) / (df + 1.0)).ln());
    let rule = settings.get(EDGE_WEIGHT);
    let weight = |entity: usize, tf: u16| -> f32 {
        let tf = f64::from(tf);
        (match rule {
            EdgeWeight::TfXSmoothidf => tf * (rarity[entity] + 1.0),
            EdgeWeight::Binary => 1.0,
            EdgeWeight::Tf => tf,
            EdgeWeight::TfLogPlus1 => tf * rarity[entity] + 1.0,
        }) as f32
    };
    let cap = settings.get(EDGE_CAP);
    let kept = (cap > 0).then(|| capped(graph, cap, &weight));
    let mut offsets = Vec::with_capacity(n + 1);
    let mut targets = Vec::with_capacity(graph.targets.len());
    let mut data = Vec::with_capacity(graph.targets.len());
    offsets.push(0u32);
    for node in 0..n {
        let (row, tf) = graph.row(node);
        for (&target, &tf) in row.iter().zip(tf) {
            let (entity, passage) = if node < passages {
                (target as usize - passages, node)
            } else {
                (node - passages, target as usize)
            };
            let lost = kept.as_ref().is_some_and(|kept| {
                kept[entity]
                    .as_ref()
                    .is_some_and(|p| p.binary_search(&(passage as u32)).is_err())
            });
            if masks[entity].is_none() && !lost {
                targets.push(target);
                data.push(weight(entity, tf));
            }
        }
        offsets.push(targets.len() as u32);
    }
    CsMatI::new((n, n), offsets, targets, data)
}

/// For each entity with more than `cap` passages, the ones it keeps: heaviest first, lower ids first among equals.
fn capped(
    graph: &EntityGraph,
    cap: usize,
    weight: &dyn Fn(usize, u16) -> f32,
) -> Vec<Option<Vec<u32>>> {
    (0..graph.entities())
        .map(|entity| {
            let (row, tf) = graph.row(graph.passages + entity);
            if row.len() <= cap {
                return None;
            }
            let mut order: Vec<usize> = (0..row.len()).collect();
            order.sort_by(|&a, &b| {
                weight(entity, tf[b])
                    .total_cmp(&weight(entity, tf[a]))
                    .then(row[a].cmp(&row[b]))
            });
            let mut kept: Vec<u32> = order[..cap].iter().map(|&i| row[i]).collect();
            kept.sort_unstable();
            Some(kept)
        })
        .collect()
}
