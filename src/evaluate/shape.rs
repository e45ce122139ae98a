//! The shape of an entity-passage graph: the figures of SPRIG's Table A.4 and what explains them (hubs, isolated
//! passages, components). Of the graph as built, or of the view that settings make of it.

use crate::index::EntityGraph;
use crate::retrieve::GraphView;
use petgraph::unionfind::UnionFind;
use serde::Serialize;

/// Hubs that are listed.
pub const HUBS: usize = 20;

/// Degrees by nearest rank: the smallest degree that at least this share of the nodes do not exceed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Degrees {
    /// Mean over the nodes.
    pub mean: f64,
    /// Of half of the nodes at most.
    pub p50: usize,
    /// Of 90 % of them at most.
    pub p90: usize,
    /// Of 95 % of them at most.
    pub p95: usize,
    /// Of 99 % of them at most.
    pub p99: usize,
    /// Of the node with most.
    pub max: usize,
}

/// An entity with many passages.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hub {
    /// As first written.
    pub label: String,
    /// Passages that mention it.
    pub df: u32,
    /// Edges it has here: below its df where a cap took some.
    pub degree: usize,
    /// Its part of all edges.
    pub share: f64,
}

/// Parts of the graph that no edge joins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Components {
    /// All of them, single nodes included.
    pub count: usize,
    /// Those of one node.
    pub single: usize,
    /// Nodes of the largest.
    pub largest: usize,
    /// Its part of all nodes.
    pub largest_share: f64,
}

/// What a graph looks like. Masked entities are not among its nodes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GraphShape {
    /// Passages and entities.
    pub nodes: usize,
    /// Passages among the nodes.
    pub passages: usize,
    /// Entities among the nodes.
    pub entities: usize,
    /// Entity-passage edges, each once.
    pub edges: usize,
    /// Mean edges of a passage.
    pub edges_per_passage: f64,
    /// Edges of a passage.
    pub passage_degree: Degrees,
    /// Edges of an entity.
    pub entity_degree: Degrees,
    /// Passages without an edge: no walk gets there.
    pub isolated_passages: usize,
    /// Parts that no edge joins.
    pub components: Components,
    /// The entities with most edges here, lower numbers first among equals.
    pub hubs: Vec<Hub>,
    /// The part of all edges that the listed hubs have together.
    pub hubs_share: f64,
}

impl GraphShape {
    /// The graph as the extractor made it.
    pub fn raw(graph: &EntityGraph) -> GraphShape {
        GraphShape::of(graph, &|_| true, &|node| graph.row(node).0)
    }

    /// What a walk with the view's settings sees.
    pub fn view(view: &GraphView) -> GraphShape {
        let kept = |entity: usize| view.mask(entity as u32).is_none();
        GraphShape::of(&view.graph, &kept, &|node| view.transition.targets(node))
    }

    fn of<'g>(
        graph: &EntityGraph,
        kept: &dyn Fn(usize) -> bool,
        row: &dyn Fn(usize) -> &'g [u32],
    ) -> GraphShape {
        let passages = graph.passages;
        let entities: Vec<usize> = (0..graph.entities()).filter(|e| kept(*e)).collect();
        let nodes = passages + entities.len();
        let degree = |entity: usize| row(passages + entity).len();
        let of_passages: Vec<usize> = (0..passages).map(|p| row(p).len()).collect();
        let edges: usize = of_passages.iter().sum();
        let share = |part: usize, all: usize| part as f64 / all.max(1) as f64;

        let mut largest: Vec<usize> = entities.clone();
        largest.sort_by_key(|e| std::cmp::Reverse(degree(*e)));
        largest.truncate(HUBS);
        let hubs: Vec<Hub> = largest
            .into_iter()
            .map(|entity| Hub {
                label: graph.labels.get(entity).to_owned(),
                df: graph.df(entity),
                degree: degree(entity),
                share: share(degree(entity), edges),
            })
            .collect();
        GraphShape {
            nodes,
            passages,
            entities: entities.len(),
            edges,
            edges_per_passage: share(edges, passages),
            isolated_passages: of_passages.iter().filter(|d| **d == 0).count(),
            passage_degree: Degrees::of(of_passages),
            entity_degree: Degrees::of(entities.iter().map(|e| degree(*e)).collect()),
            components: components(passages, &entities, row),
            hubs_share: hubs.iter().map(|hub| hub.share).sum(),
            hubs,
        }
    }
}

impl Degrees {
    fn of(mut degrees: Vec<usize>) -> Degrees {
        degrees.sort_unstable();
        let rank = |percent: usize| {
            let at = (percent * degrees.len()).div_ceil(100).saturating_sub(1);
            degrees.get(at).copied().unwrap_or(0)
        };
        Degrees {
            mean: degrees.iter().sum::<usize>() as f64 / degrees.len().max(1) as f64,
            p50: rank(50),
            p90: rank(90),
            p95: rank(95),
            p99: rank(99),
            max: rank(100),
        }
    }
}

fn components<'g>(
    passages: usize,
    entities: &[usize],
    row: &dyn Fn(usize) -> &'g [u32],
) -> Components {
    let all = passages + entities.last().map_or(0, |last| last + 1);
    let mut sets = UnionFind::<u32>::new(all);
    for passage in 0..passages {
        for entity in row(passage) {
            sets.union(passage as u32, *entity);
        }
    }
    let mut sizes = vec![0usize; all];
    for node in (0..passages).chain(entities.iter().map(|e| passages + e)) {
        sizes[sets.find(node as u32) as usize] += 1;
    }
    let largest = sizes.iter().copied().max().unwrap_or(0);
    Components {
        count: sizes.iter().filter(|s| **s > 0).count(),
        single: sizes.iter().filter(|s| **s == 1).count(),
        largest,
        largest_share: largest as f64 / (passages + entities.len()).max(1) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_by_nearest_rank() {
        let degrees = Degrees::of((1..=200).rev().collect());
        let found = (
            degrees.p50,
            degrees.p90,
            degrees.p95,
            degrees.p99,
            degrees.max,
        );
        assert_eq!(found, (100, 180, 190, 198, 200));
        assert_eq!(Degrees::of(vec![3]).p50, 3);
        assert_eq!(Degrees::of(Vec::new()), Degrees::default());
    }

    #[test]
    fn components_are_counted_with_the_names_that_join_them() {
        // Passages 0 and 1 by name 3; passage 2 by name 4.
        let rows: [&[u32]; 3] = [&[3], &[3], &[4]];
        let found = components(3, &[0, 1], &|passage| rows[passage]);
        assert_eq!((found.count, found.single, found.largest), (2, 0, 3));
        assert_eq!(found.largest_share, 0.6);
    }
}
