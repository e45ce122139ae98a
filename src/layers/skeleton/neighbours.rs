//! The kNN graph over units and the core it gives: by words in common and by cosine (KET-RAG, 3.2.2 and 3.2.3).

use super::options::{Core, CoreBy};
use super::units::Units;
use crate::column::Column;
use crate::embed::{EmbedError, Hnsw, HnswOptions, Vectors};
use crate::graph::adjacency::{Adjacency, undirected};
use crate::graph::neighbours::{Neighbours, approximate, exact, overlap};
use crate::graph::pagerank::{PageRankOptions, pagerank};
use crate::index::layer::columns;
use crate::index::{IndexError, Passages};
use crate::text::keywords::word_set;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

/// Which of the two measures made an edge, as bits.
pub const LEXICAL: u8 = 1;
pub const SEMANTIC: u8 = 2;

columns! {
    /// Units and their neighbours, both ways, without weights; and every unit's place in both rankings of the core.
    #[derive(Default)]
    pub struct KnnGraph(columns, units: usize) {
        /// Neighbours of unit u: `targets[offsets[u]..offsets[u+1]]`, ascending.
        offsets: Column<u32> = "knn.offsets" [units + 1] => offsets(targets.len());
        targets: Column<u32> = "knn.targets" => below(units);
        /// [`LEXICAL`], [`SEMANTIC`] or both.
        made_by: Column<u8> = "knn.made_by" [targets.len()];
        /// Words in common.
        shared: Column<u32> = "knn.shared" [targets.len()];
        cosine: Column<f32> = "knn.cosine" [targets.len()] => finite();
        /// PageRank score of every unit.
        score: Column<f32> = "core.score" [units] => finite();
        /// Place of every unit by PageRank, from 0.
        rank: Column<u32> = "core.rank" [units] => below(units);
        /// Place of every unit in the even draw, from 0.
        draw: Column<u32> = "core.draw" [units] => below(units);
    }
}

/// An edge of the kNN graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    pub unit: u32,
    pub made_by: u8,
    pub shared: u32,
    pub cosine: f32,
}

impl Neighbour {
    /// The metric that made the edge and its value.
    pub fn evidence(&self) -> String {
        let words = format!("{} words in common", self.shared);
        let cosine = format!("cosine {:.2}", self.cosine);
        match self.made_by {
            LEXICAL => format!("{words} ({cosine})"),
            SEMANTIC => format!("{cosine} ({words})"),
            _ => format!("{words}, {cosine}"),
        }
    }
}

impl KnnGraph {
    /// Joins every unit to its `k / 2` nearest (at least one) in each measure; ties go to the lower number.
    ///
    /// # Errors
    /// What the vector search says.
    pub fn build(
        passages: &Passages,
        units: &Units,
        vectors: &Vectors,
        k: usize,
    ) -> Result<KnnGraph, IndexError> {
        let half = (k / 2).max(1);
        let words: Vec<Vec<String>> = (0..units.len() as u32)
            .into_par_iter()
            .map(|u| word_set(&units.text(passages, u)))
            .collect();
        let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
        let sets: Vec<Vec<u32>> = words
            .into_iter()
            .map(|set| {
                let mut set: Vec<u32> = set
                    .into_iter()
                    .map(|word| {
                        let next = numbers.len() as u32;
                        *numbers.entry(word).or_insert(next)
                    })
                    .collect();
                set.sort_unstable();
                set
            })
            .collect();
        let lexical = overlap(&sets, numbers.len(), half).pairs();
        let semantic = near(vectors, half)?.pairs();
        let weigh = |pairs: Vec<(u32, u32)>, bit: u8| {
            pairs.into_iter().map(move |(u, v)| (u, v, f32::from(bit)))
        };
        // Weights add up to the bits of the measures, since each gives a pair once.
        let edges = weigh(lexical, LEXICAL).chain(weigh(semantic, SEMANTIC));
        let graph = undirected(units.len(), edges);
        Ok(KnnGraph::of(&graph, &sets, vectors))
    }

    fn of(graph: &Adjacency, sets: &[Vec<u32>], vectors: &Vectors) -> KnnGraph {
        let n = sets.len();
        let mut offsets = vec![0];
        let (mut targets, mut made_by) = (Vec::new(), Vec::new());
        let (mut shared, mut cosine) = (Vec::new(), Vec::new());
        for u in 0..n as u32 {
            for (&v, &bits) in graph.neighbors_slice(u).iter().zip(graph.edges_slice(u)) {
                targets.push(v);
                made_by.push(bits as u8);
                shared.push(common(&sets[u as usize], &sets[v as usize]));
                cosine.push(vectors.between(u, v));
            }
            offsets.push(targets.len() as u32);
        }
        let scores = pagerank(graph, &PageRankOptions::default()).scores;
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by(|a, b| {
            let score = |u: &u32| scores[*u as usize] as f32;
            score(b).total_cmp(&score(a)).then(a.cmp(b))
        });
        // An even draw that is the same in every build: by a hash of the number.
        let mut draw: Vec<u32> = (0..n as u32).collect();
        draw.sort_by_key(|u| (xxh3_64(&u.to_le_bytes()), *u));
        KnnGraph {
            offsets: offsets.into(),
            targets: targets.into(),
            made_by: made_by.into(),
            shared: shared.into(),
            cosine: cosine.into(),
            score: scores.iter().map(|s| *s as f32).collect::<Vec<_>>().into(),
            rank: places(&order).into(),
            draw: places(&draw).into(),
        }
    }

    pub fn len(&self) -> usize {
        self.rank.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rank.is_empty()
    }

    /// Edges, each counted once.
    pub fn edges(&self) -> usize {
        self.targets.len() / 2
    }

    pub fn neighbours(&self, unit: u32) -> impl Iterator<Item = Neighbour> + '_ {
        let unit = unit as usize;
        (self.offsets[unit] as usize..self.offsets[unit + 1] as usize).map(|i| Neighbour {
            unit: self.targets[i],
            made_by: self.made_by[i],
            shared: self.shared[i],
            cosine: self.cosine[i],
        })
    }

    /// A unit's place in the ranking that chooses the core, from 0.
    pub fn place(&self, unit: u32, by: CoreBy) -> usize {
        let places = match by {
            CoreBy::Pagerank => &self.rank,
            CoreBy::Uniform => &self.draw,
        };
        places[unit as usize] as usize
    }

    /// How many units are core: floor(beta n).
    pub fn core_size(&self, core: &Core) -> usize {
        let exact = core.share.clamp(0.0, 1.0) * self.len() as f64;
        (exact + 1e-6).floor() as usize
    }

    pub fn is_core(&self, unit: u32, core: &Core) -> bool {
        self.place(unit, core.by) < self.core_size(core)
    }
}

/// Up to so many units all pairs are compared: 30,000 take minutes on two cores, the small-world graph seconds.
const EXACT_UP_TO: usize = 10_000;

/// The nearest units by cosine.
fn near(vectors: &Vectors, k: usize) -> Result<Neighbours, EmbedError> {
    if vectors.len() <= EXACT_UP_TO {
        return Ok(exact(vectors, k));
    }
    let graph = Hnsw::build(vectors, &HnswOptions::default(), &|_| true)?;
    approximate(vectors, &graph, k)
}

/// The place of every number in an order.
fn places(order: &[u32]) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    for (place, u) in (0u32..).zip(order) {
        places[*u as usize] = place;
    }
    places
}

/// How many numbers two ascending lists share.
fn common(a: &[u32], b: &[u32]) -> u32 {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        count += u32::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::{Identity, Kind};

    fn plane(angles: &[f32]) -> Vectors {
        let identity = Identity {
            name: "test".into(),
            kind: Kind::File,
            dims: 2,
            fingerprint: String::new(),
        };
        let rows = angles.iter().map(|a| a.to_radians());
        Vectors::new(identity, rows.flat_map(|a| [a.cos(), a.sin()]).collect()).unwrap()
    }

    #[test]
    fn an_edge_knows_which_measure_made_it() {
        // By words 0-1 and 1-2 tie for 1 (one word each): the lower number, 0. By cosine: 0-2, 1-2.
        let sets = [vec![1, 2], vec![2, 3], vec![3], vec![9]];
        let vectors = plane(&[0.0, 60.0, 20.0, 180.0]);
        let pairs = |near: Neighbours| near.pairs();
        let lexical = pairs(overlap(&sets, 10, 1));
        let semantic = pairs(near(&vectors, 1).unwrap());
        assert_eq!(lexical, [(0, 1), (1, 2)]);
        assert_eq!(semantic, [(0, 2), (1, 2), (1, 3)]);
        let edges = lexical
            .into_iter()
            .map(|(u, v)| (u, v, 1.0))
            .chain(semantic.into_iter().map(|(u, v)| (u, v, 2.0)));
        let graph = KnnGraph::of(&undirected(4, edges), &sets, &vectors);
        assert_eq!(graph.edges(), 4);
        let row = |u: u32| -> Vec<(u32, u8, u32)> {
            graph
                .neighbours(u)
                .map(|n| (n.unit, n.made_by, n.shared))
                .collect()
        };
        assert_eq!(row(0), [(1, LEXICAL, 1), (2, SEMANTIC, 0)]);
        assert_eq!(row(2), [(0, SEMANTIC, 0), (1, LEXICAL | SEMANTIC, 1)]);
        assert_eq!(
            graph.neighbours(2).nth(1).unwrap().evidence(),
            "1 words in common, cosine 0.77"
        );
        // Three neighbours each of 1: most mass. 3 hangs on 1 alone: least.
        assert_eq!(graph.place(1, CoreBy::Pagerank), 0);
        assert_eq!(graph.place(3, CoreBy::Pagerank), 3);
        let total: f32 = graph.score.iter().sum();
        assert!((total - 1.0).abs() < 1e-5);
    }

    #[test]
    fn the_core_is_the_floor_of_its_share() {
        let n = 100;
        let sets: Vec<Vec<u32>> = (0..n).map(|i| vec![i / 3]).collect();
        let vectors = plane(&(0..n).map(|i| i as f32).collect::<Vec<_>>());
        let edges = overlap(&sets, 40, 1).pairs();
        let graph = KnnGraph::of(
            &undirected(n as usize, edges.into_iter().map(|(u, v)| (u, v, 1.0))),
            &sets,
            &vectors,
        );
        for (share, size) in [(0.29, 29), (0.8, 80), (1.0, 100), (0.0, 0), (0.999, 99)] {
            for by in [CoreBy::Pagerank, CoreBy::Uniform] {
                let core = Core { by, share };
                let members = (0..n).filter(|u| graph.is_core(*u, &core)).count();
                assert_eq!((graph.core_size(&core), members), (size, size));
            }
        }
        // The draw is no prefix of the numbers.
        let core = Core {
            by: CoreBy::Uniform,
            share: 0.5,
        };
        assert!((0..50).any(|u| !graph.is_core(u, &core)));
        assert_eq!(common(&[1, 3, 5], &[3, 4, 5, 6]), 2);
    }
}
