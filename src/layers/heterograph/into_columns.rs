//! The finished draft as columns.

use super::build::NodeRagBuild;
use super::graph::{Draft, Piece, Place};
use super::layer::{Counts, Meta, NodeRagLayer, node_of};
use super::node::{KINDS, Kind};
use crate::column::{Column, Strings};
use crate::derived::Derived;
use crate::embed::Vectors;
use crate::graph::rows;
use crate::text::Norm;
use std::collections::BTreeMap;

impl NodeRagLayer {
    /// Puts the kinds one behind the other and everything into columns.
    pub(super) fn into_columns(
        draft: Draft,
        vectors: Vectors,
        near: &[(u32, u32)],
        options: NodeRagBuild,
        mut counts: Counts,
    ) -> NodeRagLayer {
        let starts = draft.starts();
        for kind in Kind::ALL {
            counts.nodes[kind as usize] = draft.count(kind);
        }
        let number = |p: Place| starts[p.kind as usize] + p.at;
        // (from, to, made, near); a pair may come from the pipeline and by similarity.
        let mut arcs: Vec<(u32, u32, u32, u8)> = Vec::new();
        let mut both_ways = |a: u32, b: u32, made: u32, near: u8| {
            arcs.push((a, b, made, near));
            arcs.push((b, a, made, near));
        };
        let edges = draft.edges(&Kind::ALL);
        counts.edges = edges.len();
        for (a, b, made) in edges {
            both_ways(number(a), number(b), made, 0);
        }
        let stated = draft.stated();
        counts.stated = stated.len();
        for (a, b, made) in stated {
            both_ways(number(a), number(b), made, 0);
        }
        counts.near = near.len();
        for &(a, b) in near {
            both_ways(node_of(&starts, a), node_of(&starts, b), 0, 1);
        }
        arcs.sort_unstable();
        arcs.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 += next.2;
                kept.3 |= next.3;
            }
            same
        });
        counts.both = arcs.iter().filter(|a| a.2 > 0 && a.3 > 0).count() / 2;
        let mut degrees = vec![0; starts[KINDS] as usize];
        arcs.iter().for_each(|a| degrees[a.0 as usize] += 1);
        let labels: Strings = draft.labels[1..].iter().flatten().collect();
        let text = starts[1];
        let named = Kind::ALL.into_iter().filter(|k| k.named());
        let named = named.flat_map(|k| starts[k as usize]..starts[k as usize + 1]);
        let (words, word_ends, word_nodes) =
            inverted(named, |node| labels.get((node - text) as usize));
        let weights: Vec<u32> = draft.weights.iter().flatten().copied().collect();
        let mut source_ends = Vec::new();
        let mut sources = Vec::new();
        for units in draft.sources.iter().flatten() {
            sources.extend(units.iter().map(|&u| starts[Kind::Unit as usize] + u));
            source_ends.push(sources.len() as u32);
        }
        let meta = Meta {
            options,
            counts,
            identity: vectors.identity().clone(),
        };
        let column = |of: fn(&Piece) -> u32| -> Column<u32> {
            draft.pieces.iter().map(of).collect::<Vec<_>>().into()
        };
        NodeRagLayer {
            meta_json: serde_json::to_vec(&meta).unwrap_or_default().into(),
            options: meta.options,
            counts: meta.counts,
            starts,
            text_passage: column(|p| p.passage),
            text_start: column(|p| p.start),
            text_end: column(|p| p.end),
            labels,
            weights: weights.into(),
            offsets: rows::starts(degrees).into(),
            targets: arcs.iter().map(|a| a.1).collect::<Vec<_>>().into(),
            made: arcs
                .iter()
                .map(|a| a.2.min(u32::from(u16::MAX)) as u16)
                .collect::<Vec<_>>()
                .into(),
            near: arcs.iter().map(|a| a.3).collect::<Vec<_>>().into(),
            vectors,
            words,
            word_ends: word_ends.into(),
            word_nodes: word_nodes.into(),
            source_ends: source_ends.into(),
            sources: sources.into(),
            views: Derived::default(),
        }
    }
}

/// Words in normal form, sorted, with the nodes that have them, ascending.
fn inverted<'l>(
    nodes: impl Iterator<Item = u32>,
    label: impl Fn(u32) -> &'l str,
) -> (Strings, Vec<u32>, Vec<u32>) {
    let mut lists: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for node in nodes {
        for word in Norm::Simple.apply(label(node)).split(' ') {
            if word.is_empty() {
                continue;
            }
            match lists.get_mut(word) {
                Some(list) => list.push(node),
                None => {
                    lists.insert(word.to_owned(), vec![node]);
                }
            }
        }
    }
    let mut ends = Vec::with_capacity(lists.len());
    let mut all = Vec::new();
    for list in lists.values_mut() {
        list.dedup();
        all.append(list);
        ends.push(all.len() as u32);
    }
    (lists.keys().collect(), ends, all)
}
