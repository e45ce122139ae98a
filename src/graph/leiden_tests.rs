use super::super::known::karate;
use super::*;
use proptest::prelude::*;

fn graph(n: usize, pairs: &[(u32, u32)]) -> Adjacency {
    undirected(n, pairs.iter().map(|&(u, v)| (u, v, 1.0)))
}

#[test]
fn two_triangles_on_a_bridge() {
    let g = graph(7, &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)]);
    let found = leiden(&g, &LeidenOptions::default());
    assert_eq!(found.of, [0, 0, 0, 1, 1, 1, 2]);
    // 6 of 7 edges inside, degree 7 of 14 each: 6/7 - 2/4.
    assert!((found.modularity - (6.0 / 7.0 - 0.5)).abs() < 1e-12);
    assert_eq!(found.count, 3);
}

#[test]
fn the_karate_club_reaches_its_optimum() {
    for seed in 0..20 {
        let options = LeidenOptions {
            seed,
            ..LeidenOptions::default()
        };
        let found = leiden(&karate(), &options);
        // The best partition has four communities and modularity .41979 (Brandes et al. 2008).
        assert!(
            (found.modularity - 0.419_790).abs() < 1e-5,
            "{seed}: {found:?}"
        );
        assert_eq!(found.count, 4);
        assert_eq!(found, leiden(&karate(), &options));
    }
}

#[test]
fn a_ring_of_cliques_and_resolution() {
    // Thirty cliques of five in a ring: at resolution 1 pairs of cliques merge (the resolution limit), at 2 none do.
    let mut pairs = Vec::new();
    for c in 0..30u32 {
        for i in 0..5 {
            for j in 0..i {
                pairs.push((c * 5 + i, c * 5 + j));
            }
        }
        pairs.push((c * 5, (c * 5 + 6) % 150));
    }
    let g = graph(150, &pairs);
    let coarse = leiden(&g, &LeidenOptions::default());
    // Known: 1 - 1/11 - 1/30 for single cliques, and 1 - 1/22 - 1/15 for fifteen pairs. Pairs that leave single
    // cliques over between them cannot be put right by single moves.
    assert!((15..=17).contains(&coarse.count), "{}", coarse.count);
    assert!(coarse.modularity > 1.0 - 1.0 / 11.0 - 1.0 / 30.0 + 0.009);
    assert!(coarse.modularity < 1.0 - 1.0 / 22.0 - 1.0 / 15.0 + 1e-12);
    let options = LeidenOptions {
        resolution: 2.0,
        ..LeidenOptions::default()
    };
    let fine = leiden(&g, &options);
    assert_eq!(fine.count, 30);
    assert!((fine.modularity - (1.0 - 1.0 / 11.0 - 2.0 / 30.0)).abs() < 1e-12);
}

#[test]
fn weights_count_when_asked() {
    // A path of four whose middle edge is heavy: unweighted it splits in the middle, weighted it does not.
    let g = undirected(4, [(0, 1, 1.0), (1, 2, 9.0), (2, 3, 1.0)]);
    assert_eq!(leiden(&g, &LeidenOptions::default()).of, [0, 0, 1, 1]);
    let options = LeidenOptions {
        weighted: true,
        ..LeidenOptions::default()
    };
    let of = leiden(&g, &options).of;
    assert_eq!(of[1], of[2]);
}

#[test]
fn of_equal_gains_each_is_drawn_as_often_and_a_lower_one_less() {
    let mut random = SplitMix::new(3);
    let choice = [(3, 0.5), (4, 0.5 - RANDOMNESS), (5, 0.5)];
    let mut drawn = [0; 3];
    for _ in 0..20_000 {
        drawn[draw(&choice, &mut random) as usize - 3] += 1;
    }
    // Chances of 1, 1/e and 1 in 2 + 1/e.
    let share = |count: usize| count as f64 / 20_000.0;
    for (count, chance) in drawn.into_iter().zip([0.4223, 0.1554, 0.4223]) {
        assert!((share(count) - chance).abs() < 0.015, "{drawn:?}");
    }
}

#[test]
fn no_edges() {
    assert_eq!(
        leiden(&graph(0, &[]), &LeidenOptions::default()),
        Communities::default()
    );
    let found = leiden(&graph(3, &[]), &LeidenOptions::default());
    assert_eq!((found.of, found.modularity), (vec![0, 1, 2], 0.0));
}

proptest! {
    #[test]
    fn communities_are_connected_and_no_single_move_gains(
        n in 1usize..40, pairs in prop::collection::vec((0u32..40, 0u32..40), 0..140), seed in 0u64..5,
    ) {
        let g = graph(n, &pairs);
        let found = leiden(&g, &LeidenOptions { seed, ..LeidenOptions::default() });
        let inner = pairs.iter().copied().filter(|&(u, v)| (u as usize) < n && (v as usize) < n
            && found.of[u as usize] == found.of[v as usize]);
        let (parts, count) = components(&graph(n, &inner.collect::<Vec<_>>()));
        prop_assert_eq!(count, found.count);
        prop_assert_eq!(parts, found.of.clone());
        let q = modularity(&g, &found.of, 1.0, false);
        prop_assert!((q - found.modularity).abs() < 1e-12);
        for u in 0..n {
            for c in 0..=found.count as u32 {
                let mut other = found.of.clone();
                other[u] = c;
                prop_assert!(modularity(&g, &other, 1.0, false) <= q + 1e-9);
            }
        }
    }
}
