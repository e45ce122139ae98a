use super::*;
use crate::embed::vectors::tests::{clustered, identity};
use proptest::prelude::*;

fn quiet(_: usize) -> bool {
    true
}

fn vectors(rows: Vec<f32>, dims: usize) -> Vectors {
    Vectors::new(identity(dims), rows).unwrap()
}

/// Nodes that a walk over layer 0 from the entry comes to.
fn reached(graph: &Hnsw) -> usize {
    let mut seen = Seen::new(graph.len());
    let mut open = vec![graph.entry()];
    seen.insert(graph.entry());
    let mut count = 0;
    while let Some(node) = open.pop() {
        count += 1;
        open.extend(
            graph
                .neighbours(node, 0)
                .iter()
                .filter(|&&n| seen.insert(n)),
        );
    }
    count
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn connected_and_precise(
        len in 1_usize..3000,
        dims in 8_usize..64,
        clusters in 1_usize..60,
        seed in 0_u64..1000,
        whole: bool,
    ) {
        let mut vectors = vectors(clustered(len, dims, clusters, seed), dims);
        if whole {
            vectors = vectors.quantised();
        }
        let options = HnswOptions { seed, ..HnswOptions::default() };
        let graph = Hnsw::build(&vectors, &options, &quiet).unwrap();
        prop_assert_eq!(reached(&graph), len);
        let recall = graph.recall_against_exact(&vectors, 50, 10, 64).unwrap();
        prop_assert!(recall >= 0.98, "{recall}");
        let queries: Vec<Vec<f32>> = clustered(50, dims, clusters, seed).chunks(dims).map(<[f32]>::to_vec).collect();
        let recall = graph.recall(&vectors, &queries, 10, 64).unwrap();
        prop_assert!(recall >= 0.98, "{recall}");
        for node in 0..len as u32 {
            for layer in 0..=graph.level(node) {
                let near = graph.neighbours(node, layer);
                prop_assert!(near.iter().all(|&n| n != node && graph.level(n) >= layer));
                let mut once = near.to_vec();
                once.sort_unstable();
                once.dedup();
                prop_assert_eq!(once.len(), near.len());
            }
        }
    }
}

#[test]
fn same_graph_on_one_core_and_on_four() {
    let vectors = vectors(clustered(1500, 16, 20, 3), 16);
    let build = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| Hnsw::build(&vectors, &HnswOptions::default(), &quiet).unwrap())
    };
    let (one, four) = (build(1), build(4));
    for ((name, a), (_, b)) in one.columns().into_iter().zip(four.columns()) {
        assert!(a[..] == b[..], "{name}");
    }
}

#[test]
fn equal_vectors_stay_within_reach() {
    let mut rows = [1.0, 0.0].repeat(700);
    rows.extend([0.0, 1.0].repeat(100));
    let vectors = vectors(rows, 2);
    let graph = Hnsw::build(&vectors, &HnswOptions::default(), &quiet).unwrap();
    assert_eq!(reached(&graph), 800);
    let found = graph.nearest(&vectors, &[0.0, 1.0], 10, 64).unwrap();
    assert!(found.iter().all(|hit| hit.1 == 1.0), "{found:?}");
}

#[test]
fn stored_and_mapped_it_answers_the_same() {
    let vectors = vectors(clustered(800, 24, 8, 4), 24);
    let graph = Hnsw::build(&vectors, &HnswOptions::default(), &quiet).unwrap();
    let columns = graph.columns().map(|(_, column)| {
        let mut map = memmap2::MmapMut::map_anon(column.bytes().len().max(4)).unwrap();
        map[..column.bytes().len()].copy_from_slice(column.bytes());
        Column::mapped(map.make_read_only().unwrap().into()).unwrap()
    });
    let again = Hnsw::stored(columns, &vectors).unwrap();
    for row in [0, 17, 799] {
        let mut query = vec![0.0; 24];
        vectors.row(row, &mut query);
        let found = again.nearest(&vectors, &query, 5, 32).unwrap();
        assert_eq!(found, graph.nearest(&vectors, &query, 5, 32).unwrap());
        assert_eq!(found[0].0, row);
    }
    let short = graph
        .columns()
        .map(|(_, c)| Column::from(c[..c.len() / 2].to_vec()));
    assert!(Hnsw::stored(short, &vectors).is_err());
}

#[test]
fn empty_cancelled_and_wrong_options() {
    let none = vectors(vec![], 4);
    let graph = Hnsw::build(&none, &HnswOptions::default(), &quiet).unwrap();
    assert!(
        graph
            .nearest(&none, &[1.0, 0.0, 0.0, 0.0], 3, 8)
            .unwrap()
            .is_empty()
    );
    let some = vectors(clustered(50, 4, 2, 1), 4);
    let stopped = Hnsw::build(&some, &HnswOptions::default(), &|_| false);
    assert!(matches!(stopped, Err(EmbedError::Cancelled)));
    let odd = HnswOptions {
        m: 1,
        ..HnswOptions::default()
    };
    assert!(Hnsw::build(&some, &odd, &quiet).is_err());
}

/// Not a test of right or wrong: `cargo test --release --lib hnsw::tests::speed -- --ignored --nocapture`.
#[test]
#[ignore = "measures"]
fn speed() {
    use std::time::Instant;
    let (len, dims) = (50_000, 256);
    let rows = clustered(len + 200, dims, 500, 9);
    let queries: Vec<Vec<f32>> = rows[len * dims..]
        .chunks(dims)
        .map(<[f32]>::to_vec)
        .collect();
    let exact = vectors(rows[..len * dims].to_vec(), dims);
    for (name, vectors) in [("int8", exact.quantised()), ("f32", exact)] {
        let start = Instant::now();
        queries.iter().for_each(|q| drop(vectors.nearest(q, 10)));
        println!(
            "{name} exact {:.2} ms",
            start.elapsed().as_secs_f64() * 1e3 / 200.0
        );
        let start = Instant::now();
        let graph = Hnsw::build(&vectors, &HnswOptions::default(), &quiet).unwrap();
        println!("{name} build {:.1} s", start.elapsed().as_secs_f64());
        for ef in [32, 64, 128] {
            let start = Instant::now();
            queries
                .iter()
                .for_each(|q| drop(graph.nearest(&vectors, q, 10, ef)));
            let ms = start.elapsed().as_secs_f64() * 1e3 / 200.0;
            let recall = graph.recall(&vectors, &queries, 10, ef).unwrap();
            println!("{name} ef {ef}: {ms:.3} ms, recall@10 {recall:.4}");
        }
    }
}
