//! The heaviest paths from one node to another, each node at most once.

use super::Transition;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Paths lighter than this part of the heaviest are left out: what is that light is not looked at on the way either.
pub const LIGHTEST: f64 = 1e-3;
/// Beginnings of paths that are looked at, at most.
const BEGINNINGS: usize = 400_000;

/// A path between two nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// From the first node to the last, both too.
    pub nodes: Vec<u32>,
    /// Of the mass at the first node what takes exactly this path: the product of what every step keeps.
    pub share: f64,
}

/// A weight and what has it, heaviest first; equals by number.
#[derive(Clone, Copy, PartialEq)]
struct Weighed(f64, u32);

impl Eq for Weighed {}

impl Ord for Weighed {
    fn cmp(&self, other: &Weighed) -> Ordering {
        self.0.total_cmp(&other.0).then(other.1.cmp(&self.1))
    }
}

impl PartialOrd for Weighed {
    fn partial_cmp(&self, other: &Weighed) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The beginning of a path: its last node, the beginning that it goes on from, and its share.
struct Begun {
    node: u32,
    before: Option<u32>,
    share: f64,
}

/// The `most` heaviest paths from a node to another over nodes that `passes` lets through, best first, none lighter than
/// [`LIGHTEST`] of the best. Every step keeps `keep` of the mass times the probability of its edge.
///
/// First the best share from every node to the end is found backwards (Dijkstra 1959); then beginnings of paths are taken
/// up in the order of the best that can become of them, so that paths end in the order of their shares.
pub fn between(
    t: &Transition,
    (from, to): (u32, u32),
    keep: f64,
    most: usize,
    passes: &dyn Fn(u32) -> bool,
) -> Vec<Route> {
    if from == to || most == 0 {
        return Vec::new();
    }
    let rest = to_the_end(t, (from, to), keep, passes);
    let Some(best) = rest.get(&from).copied() else {
        return Vec::new();
    };
    let mut found: Vec<Route> = Vec::new();
    let mut begun = vec![Begun {
        node: from,
        before: None,
        share: 1.0,
    }];
    let mut open = BinaryHeap::from([Weighed(best, 0)]);
    while let Some(Weighed(_, at)) = open.pop() {
        let Begun { node, share, .. } = begun[at as usize];
        let nodes = walked(&begun, at);
        if node == to {
            found.push(Route { nodes, share });
            if found.len() == most {
                break;
            }
            continue;
        }
        let (targets, weights) = t.row(node as usize);
        for (&next, &weight) in targets.iter().zip(weights) {
            let Some(rest) = rest.get(&next).filter(|_| !nodes.contains(&next)) else {
                continue;
            };
            let step = f64::from(weight) * t.into(next as usize) * t.scale(node as usize);
            let share = share * keep * step;
            let bound = share * rest;
            if bound >= best * LIGHTEST && begun.len() < BEGINNINGS {
                open.push(Weighed(bound, begun.len() as u32));
                begun.push(Begun {
                    node: next,
                    before: Some(at),
                    share,
                });
            }
        }
    }
    found
}

/// The best share from a node to the end, of every node that a path of enough weight may lead over.
fn to_the_end(
    t: &Transition,
    (from, to): (u32, u32),
    keep: f64,
    passes: &dyn Fn(u32) -> bool,
) -> FxHashMap<u32, f64> {
    let mut known: FxHashMap<u32, f64> = FxHashMap::default();
    let mut open = BinaryHeap::from([Weighed(1.0, to)]);
    let mut least = 0.0;
    while let Some(Weighed(share, node)) = open.pop() {
        if share < least {
            break;
        }
        if known.contains_key(&node) {
            continue;
        }
        known.insert(node, share);
        if node == from {
            // No path leads over its first node again.
            least = share * LIGHTEST;
            continue;
        }
        let (sources, weights) = t.row(node as usize);
        for (&before, &weight) in sources.iter().zip(weights) {
            if known.contains_key(&before) || !(before == from || passes(before)) {
                continue;
            }
            let step = f64::from(weight) * t.into(node as usize) * t.scale(before as usize);
            let share = share * keep * step;
            if share > 0.0 {
                open.push(Weighed(share, before));
            }
        }
    }
    known
}

fn walked(begun: &[Begun], at: u32) -> Vec<u32> {
    let mut nodes = Vec::new();
    let mut next = Some(at);
    while let Some(at) = next {
        nodes.push(begun[at as usize].node);
        next = begun[at as usize].before;
    }
    nodes.reverse();
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KEEP: f64 = 0.85;

    /// Every path by going everywhere, heaviest first.
    fn all(t: &Transition, from: u32, to: u32, passes: &dyn Fn(u32) -> bool) -> Vec<Route> {
        fn go(
            t: &Transition,
            to: u32,
            passes: &dyn Fn(u32) -> bool,
            route: &Route,
            found: &mut Vec<Route>,
        ) {
            let last = *route.nodes.last().unwrap();
            if last == to {
                return found.push(route.clone());
            }
            for next in 0..t.nodes() as u32 {
                let step = t.probability(last as usize, next as usize);
                let allowed = next == to || passes(next);
                if step > 0.0 && allowed && !route.nodes.contains(&next) {
                    let mut nodes = route.nodes.clone();
                    nodes.push(next);
                    let share = route.share * KEEP * step;
                    go(t, to, passes, &Route { nodes, share }, found);
                }
            }
        }
        let mut found = Vec::new();
        let first = Route {
            nodes: vec![from],
            share: 1.0,
        };
        go(t, to, passes, &first, &mut found);
        found.sort_by(|a, b| b.share.total_cmp(&a.share));
        let best = found.first().map_or(0.0, |route| route.share);
        found.retain(|route| route.share >= best * LIGHTEST);
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

        #[test]
        fn paths_are_the_heaviest_of_all_that_there_are(
            edges in proptest::collection::vec((0u32..8, 0u32..8, 1u8..40), 0..20),
            hidden in proptest::collection::btree_set(2u32..8, 0..3),
            most in 1usize..12,
        ) {
            let mut known = std::collections::BTreeSet::new();
            let edges = edges.into_iter().filter(|(a, b, _)| {
                a != b && known.insert((a.min(b).to_owned(), a.max(b).to_owned()))
            });
            let edges = edges.map(|(a, b, w)| (a, b, f32::from(w)));
            let t = Transition::of_edges(8, edges.collect::<Vec<_>>());
            let passes = |node: u32| !hidden.contains(&node);
            let wanted = all(&t, 0, 1, &passes);
            let found = between(&t, (0, 1), KEEP, most, &passes);
            prop_assert_eq!(found.len(), wanted.len().min(most));
            for (own, best) in found.iter().zip(&wanted) {
                prop_assert!((own.share - best.share).abs() <= 1e-12, "{own:?} {best:?}");
                let one = wanted.iter().find(|route| route.nodes == own.nodes);
                prop_assert!(one.is_some(), "{own:?} is a path");
            }
            let mut nodes: Vec<_> = found.iter().map(|route| &route.nodes).collect();
            nodes.sort();
            nodes.dedup();
            prop_assert_eq!(nodes.len(), found.len(), "no path comes twice");
        }
    }

    #[test]
    fn no_path_leads_from_a_node_to_itself_or_to_where_no_edge_leads() {
        let t = Transition::of_edges(4, [(0, 1, 1.0), (1, 2, 1.0)]);
        let all = |_| true;
        assert!(between(&t, (0, 0), KEEP, 5, &all).is_empty());
        assert!(between(&t, (0, 3), KEEP, 5, &all).is_empty());
        let found = between(&t, (0, 2), KEEP, 5, &all);
        assert_eq!(found[0].nodes, [0, 1, 2]);
        assert!((found[0].share - KEEP * 0.5 * KEEP).abs() < 1e-12);
        assert!(between(&t, (0, 2), KEEP, 5, &|node| node != 1).is_empty());
    }
}
