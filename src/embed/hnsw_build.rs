//! Building the graph in batches: all nodes of a batch look at the graph before it (and at each other, exactly), on all
//! cores, and are then linked in order. What comes out does not depend on how many cores there are.

use super::EmbedError;
use super::hnsw::{Hnsw, HnswOptions, Seen};
use super::vectors::{Hit, Vectors};
use crate::column::NONE;
use rayon::prelude::*;

/// A batch is at most this share of the nodes before it, and never larger than this.
const SHARE: usize = 4;
const BATCH: usize = 256;
/// More layers than any corpus needs.
const LAYERS: f64 = 16.0;
/// Rounds of mending; one does in practice.
const ROUNDS: usize = 8;

struct Build<'v> {
    vectors: &'v Vectors,
    options: &'v HnswOptions,
    graph: Hnsw,
    top: usize,
}

/// The neighbours of one new node: by layer from its own top down to 0.
type Links = Vec<(usize, Vec<u32>)>;

impl Hnsw {
    /// Builds the graph over all vectors. `progress` hears how many are in and stops the work by `false`.
    ///
    /// # Errors
    /// Cancelled, or options out of range.
    pub fn build(
        vectors: &Vectors,
        options: &HnswOptions,
        progress: &dyn Fn(usize) -> bool,
    ) -> Result<Hnsw, EmbedError> {
        if !(2..=256).contains(&options.m) || options.ef_construction == 0 {
            let said = format!(
                "hnsw with m {} and ef_construction {}, from 2 to 256 and from 1 are possible",
                options.m, options.ef_construction
            );
            return Err(EmbedError::Options { said });
        }
        let n = vectors.len();
        let mut build = Build {
            vectors,
            options,
            graph: empty(n, options),
            top: 0,
        };
        let mut done = 0;
        while done < n {
            let batch = done..n.min(done + (done / SHARE).clamp(1, BATCH));
            let links: Vec<Links> = batch
                .clone()
                .into_par_iter()
                .map_init(
                    || Seen::new(n),
                    |seen, node| build.links(node as u32, batch.start as u32, seen),
                )
                .collect();
            build.link(batch.start as u32, &links);
            done = batch.end;
            if !progress(done) {
                return Err(EmbedError::Cancelled);
            }
        }
        build.mend();
        Ok(build.graph)
    }
}

/// Room for all nodes, each on as many layers as a hash of its number says.
fn empty(n: usize, options: &HnswOptions) -> Hnsw {
    let m = options.m;
    let scale = 1.0 / (m as f64).ln();
    let mut end = 0;
    let ends: Vec<u32> = (0..n as u64)
        .map(|node| {
            let bits = xxhash_rust::xxh3::xxh3_64_with_seed(&node.to_le_bytes(), options.seed);
            let uniform = ((bits >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
            end += (-uniform.ln() * scale).min(LAYERS) as u32;
            end
        })
        .collect();
    Hnsw {
        head: vec![n as u32, m as u32, 0].into(),
        base: vec![NONE; n * 2 * m].into(),
        ends: ends.into(),
        upper: vec![NONE; end as usize * m].into(),
    }
}

/// A list of a graph that is being built, and is therefore owned.
fn list(graph: &mut Hnsw, node: u32, layer: usize) -> &mut [u32] {
    let (_, span) = graph.span(node, layer);
    let column = if layer == 0 {
        &mut graph.base
    } else {
        &mut graph.upper
    };
    &mut column.making()[span]
}

fn write(list: &mut [u32], nodes: &[u32]) {
    list.fill(NONE);
    list[..nodes.len()].copy_from_slice(nodes);
}

impl Build<'_> {
    fn hit(&self, of: u32, row: u32) -> Hit {
        let score = self.vectors.between(of, row);
        Hit { score, row }
    }

    /// The neighbours a new node chooses among the nodes before its batch and the batch's own before it.
    fn links(&self, node: u32, first: u32, seen: &mut Seen) -> Links {
        let (graph, ef) = (&self.graph, self.options.ef_construction);
        let level = graph.level(node);
        let probe = self.vectors.probe_row(node);
        let score = |row| self.vectors.score(&probe, row);
        let peers: Vec<Hit> = (first..node).map(|row| self.hit(node, row)).collect();
        let mut start = Vec::new();
        if first > 0 {
            start.push(graph.descend(&score, level));
        }
        let mut links = Vec::new();
        for layer in (0..=level).rev() {
            if first > 0 && layer <= self.top {
                start = graph.beam(&score, &start, ef, layer, seen);
            }
            let mut near = if layer <= self.top {
                start.clone()
            } else {
                Vec::new()
            };
            near.extend(peers.iter().filter(|p| graph.level(p.row) >= layer));
            near.sort_unstable_by(|a, b| b.cmp(a));
            near.truncate(ef);
            links.push((layer, self.choose(&near, self.options.m)));
        }
        links
    }

    /// Of nodes sorted by nearness, those nearer to the new node than to any chosen before: neighbours in all directions.
    fn choose(&self, near: &[Hit], most: usize) -> Vec<u32> {
        let mut chosen: Vec<u32> = Vec::with_capacity(most);
        for hit in near {
            if chosen.len() == most {
                break;
            }
            let covered = |&c: &u32| self.vectors.between(c, hit.row) > hit.score;
            if !chosen.iter().any(covered) {
                chosen.push(hit.row);
            }
        }
        chosen
    }

    /// Writes the lists of a batch, and the way back to it into the lists of its neighbours.
    fn link(&mut self, first: u32, links: &[Links]) {
        let mut back: Vec<(usize, u32, u32)> = Vec::new();
        for (node, links) in (first..).zip(links) {
            for (layer, chosen) in links {
                write(list(&mut self.graph, node, *layer), chosen);
                back.extend(chosen.iter().map(|&to| (*layer, to, node)));
            }
        }
        back.sort_unstable();
        let groups: Vec<_> = back.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).collect();
        let lists: Vec<Vec<u32>> = groups.par_iter().map(|group| self.merged(group)).collect();
        for (group, merged) in groups.iter().zip(lists) {
            let (layer, to, _) = group[0];
            write(list(&mut self.graph, to, layer), &merged);
        }
        for (node, links) in (first..).zip(links) {
            let level = links.len() - 1;
            if level > self.top || node == 0 {
                self.top = level;
                self.graph.head.making()[2] = node;
            }
        }
    }

    /// A node's list with its new neighbours; when there are too many, the best chosen anew.
    fn merged(&self, group: &[(usize, u32, u32)]) -> Vec<u32> {
        let (layer, to, _) = group[0];
        let room = self.options.m * if layer == 0 { 2 } else { 1 };
        let mut all = self.graph.neighbours(to, layer).to_vec();
        all.extend(group.iter().map(|link| link.2));
        if all.len() <= room {
            return all;
        }
        let mut near: Vec<Hit> = all.iter().map(|&row| self.hit(to, row)).collect();
        near.sort_unstable_by(|a, b| b.cmp(a));
        self.choose(&near, room)
    }

    /// Choosing neighbours anew can cut a node off; every passage must be within reach of the entry on layer 0.
    fn mend(&mut self) {
        let n = self.graph.len();
        for _ in 0..ROUNDS {
            let mut reached = Seen::new(n);
            let mut missing = 0;
            if n > 0 {
                self.reach(self.graph.entry(), &mut reached);
            }
            for node in 0..n as u32 {
                if reached.insert(node) {
                    missing += 1;
                    self.attach(node);
                    self.reach(node, &mut reached);
                }
            }
            if missing == 0 {
                break;
            }
        }
    }

    fn reach(&self, from: u32, reached: &mut Seen) {
        reached.insert(from);
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            let near = self.graph.neighbours(node, 0).iter().copied();
            open.extend(near.filter(|&next| reached.insert(next)));
        }
    }

    /// Gives a node a way in from the nearest reachable node with room, or in place of the nearest one's last neighbour.
    fn attach(&mut self, node: u32) {
        let (graph, probe) = (&self.graph, self.vectors.probe_row(node));
        let score = |row| self.vectors.score(&probe, row);
        let start = self.hit(node, graph.entry());
        let ef = self.options.ef_construction.max(self.options.m * 4);
        let near = graph.beam(&score, &[start], ef, 0, &mut Seen::new(graph.len()));
        let room = self.options.m * 2;
        let free = |hit: &&Hit| graph.neighbours(hit.row, 0).len() < room;
        let to = near.iter().find(free).unwrap_or(&near[0]).row;
        let at = graph.neighbours(to, 0).len().min(room - 1);
        list(&mut self.graph, to, 0)[at] = node;
    }
}
