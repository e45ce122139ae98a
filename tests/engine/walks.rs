//! Invariants of the walks on random graphs.

use hopscope::graph::push::{self, PushThreshold, Pushed, Reverse, Room};
use hopscope::graph::walk::{self, Sparse};
use hopscope::graph::{Dangling, Power, Transition};
use hopscope::retrieve::spread::{Diffusion, Kernel};
use proptest::prelude::*;
use sprs::{CsMatI, TriMatI};
use std::collections::BTreeMap;

/// A random symmetric graph with positive weights, dead ends among them, and seeds that sum to 1.
fn graph() -> impl Strategy<Value = (Transition, Sparse)> {
    (3usize..40).prop_flat_map(|n| {
        let edges = prop::collection::btree_map((0..n, 0..n), 0.5f32..4.0, 1..120);
        let seeds = prop::collection::btree_map(0..n as u32, 0.01f64..1.0, 1..5);
        let into = prop::collection::vec(0.1f64..1.0, n);
        (Just(n), edges, seeds, into).prop_map(|(n, edges, seeds, into)| {
            let mut triplets: TriMatI<f32, u32> = TriMatI::new((n, n));
            for ((u, v), w) in edges {
                // A quarter of the nodes stay without edges.
                if u < v && u % 4 != 3 && v % 4 != 3 {
                    triplets.add_triplet(u, v, w);
                    triplets.add_triplet(v, u, w);
                }
            }
            let weights: CsMatI<f32, u32> = triplets.to_csr();
            let total: f64 = seeds.values().sum();
            let seeds = seeds.into_iter().map(|(u, m)| (u, m / total)).collect();
            (Transition::new(weights, into), seeds)
        })
    })
}

/// Passages and names as text makes them: most names stand in one passage, some in none, a few in many; rare ones weigh
/// more (the hub penalty). Some passages have no name, and seeds are anywhere.
fn passages_and_names() -> impl Strategy<Value = (Transition, Sparse)> {
    let lists = prop::collection::vec(prop::collection::vec(0usize..1000, 0..6), 1..30);
    let seeds = prop::collection::vec((any::<prop::sample::Index>(), 0.01f64..1.0), 1..6);
    (lists, seeds, 0.0f64..1.5).prop_map(|(lists, seeds, penalty)| {
        let passages = lists.len();
        // Three of four mentions are of a name of their own, the others of ten that are everywhere.
        let mut names = 10;
        let mut triplets = Vec::new();
        for (passage, mentions) in lists.iter().enumerate() {
            for &mention in mentions {
                let name = if mention % 4 == 0 {
                    mention / 4 % 10
                } else {
                    names
                };
                names += usize::from(mention % 4 != 0);
                triplets.push((passage, passages + name, 1.0 + (mention % 7) as f32));
            }
        }
        let n = passages + names;
        let mut matrix: TriMatI<f32, u32> = TriMatI::new((n, n));
        let mut df = vec![0.0; n];
        for (passage, name, weight) in triplets {
            matrix.add_triplet(passage, name, weight);
            matrix.add_triplet(name, passage, weight);
            df[name] += 1.0;
        }
        let into = df
            .iter()
            .map(|df: &f64| df.max(1.0).powf(-penalty))
            .collect();
        let total: f64 = seeds.iter().map(|s| s.1).sum();
        // A node may be drawn twice: its shares add up.
        let seeds = seeds
            .iter()
            .map(|(at, m)| (at.index(n) as u32, m / total))
            .collect();
        (Transition::new(matrix.to_csr::<u32>(), into), seeds)
    })
}

fn any_graph() -> impl Strategy<Value = (Transition, Sparse)> {
    prop_oneof![graph(), passages_and_names()]
}

/// Power iteration with memory of its own.
fn power(t: &Transition, seeds: &Sparse, alpha: f64, steps: usize, rule: Dangling) -> Vec<f64> {
    Power::default()
        .walk(t, seeds, alpha, steps, rule, |_, _, _| {})
        .mass()
}

fn rule() -> impl Strategy<Value = Dangling> {
    prop_oneof![
        Just(Dangling::Drop),
        Just(Dangling::Reseed),
        Just(Dangling::Stay)
    ]
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// Where nodes are many, what neighbours hold is read in single precision: no node is off by more than that, and what a
/// walk left in the memory does not matter.
#[test]
fn a_walk_over_many_nodes_is_the_definition_in_single_precision() {
    let n = 400_000_u32;
    let chord = |u: u32| (u.wrapping_mul(2_654_435_761) >> 7) % n;
    // A ring with chords, and a leaf on every third.
    let ring = (0..n).flat_map(|u| [(u, (u + 1) % n, 1.0), (u, chord(u), 0.5 + (u % 7) as f32)]);
    let leaves = (0..n / 3).map(|u| (3 * u, n + u, 2.0));
    let edges = ring.filter(|edge| edge.0 != edge.1).chain(leaves);
    let t = Transition::of_edges((n + n / 3) as usize, edges);
    let mut used = Power::default();
    for seeds in [
        vec![(7, 0.5), (100_000, 0.25), (n + 5, 0.25)],
        vec![(100_000, 0.75), (n + 9, 0.25)],
    ] {
        let mut plain = walk::Forward::new(&t, &seeds, Dangling::Reseed);
        let mut far = 0.0_f64;
        let mut reached = 0;
        let end = used.walk(&t, &seeds, 0.15, 14, Dangling::Reseed, |step, state, _| {
            if step > 0 {
                plain.step(0.85, 0.15);
            }
            // Rounded before all of it is there, and behind it.
            let [rounded, mass] = [
                state.rounded(),
                state.mass().iter().map(|m| *m as f32).collect(),
            ];
            assert!(rounded == mass && rounded == state.rounded(), "step {step}");
            let mass = state.mass();
            reached = mass.iter().filter(|mass| **mass > 0.0).count();
            for (own, plain) in mass.iter().zip(plain.mass()) {
                far = far.max((own - plain).abs() / plain.max(1e-30));
            }
        });
        let end = { end }.mass();
        assert!(reached > n as usize, "{reached} nodes reached");
        // Some steps of half a unit in the last place of 24 bits each.
        assert!(far < 2e-7 && far > 0.0, "off by {far}");
        assert!((end.iter().sum::<f64>() - 1.0).abs() < 1e-8);
        assert_eq!(end, power(&t, &seeds, 0.15, 14, Dangling::Reseed));
    }
}

/// The iteration as it is written in the definition, on dense vectors.
fn plain_power(
    t: &Transition,
    seeds: &Sparse,
    alpha: f64,
    steps: usize,
    rule: Dangling,
) -> Vec<f64> {
    let n = t.nodes();
    let mut s = vec![0.0; n];
    for &(u, m) in seeds {
        s[u as usize] += m;
    }
    let mut r = s.clone();
    for _ in 0..steps {
        let mut next: Vec<f64> = s.iter().map(|m| alpha * m).collect();
        for u in 0..n {
            let moving = (1.0 - alpha) * r[u];
            if t.dangling(u) {
                match rule {
                    Dangling::Drop => {}
                    Dangling::Stay => next[u] += moving,
                    Dangling::Reseed => (0..n).for_each(|v| next[v] += moving * s[v]),
                }
            }
            for (v, mass) in next.iter_mut().enumerate() {
                *mass += moving * t.probability(u, v);
            }
        }
        r = next;
    }
    r
}

proptest! {
    #[test]
    fn rows_sum_to_one_or_are_empty((t, _) in graph()) {
        for u in 0..t.nodes() {
            let sum: f64 = (0..t.nodes()).map(|v| t.probability(u, v)).sum();
            prop_assert!(close(sum, 1.0) || (t.dangling(u) && sum == 0.0), "row {u} sums to {sum}");
        }
    }

    #[test]
    fn power_is_the_definition_at_every_step(
        (t, seeds) in any_graph(), alpha in 0.05f64..0.95, steps in 0usize..9, rule in rule(), most in 0usize..16,
    ) {
        let mut seen = 0;
        let mut wrong = None;
        Power::default().walk(&t, &seeds, alpha, steps, rule, |step, state, _| {
            seen += 1;
            let plain = plain_power(&t, &seeds, alpha, step, rule);
            let (few, rounded, mass) = (state.few(most), state.rounded(), state.mass());
            let rounds = rounded.iter().zip(&mass).all(|(rounded, mass)| *rounded == *mass as f32);
            let far = mass.iter().zip(&plain).any(|(a, b)| !close(*a, *b));
            // Told of few, each once, or of all, it is the same.
            let other = few.is_some_and(|few| {
                if few.len() > most || few.iter().any(|own| own.1 <= 0.0) {
                    return true;
                }
                let mut held = vec![0.0; mass.len()];
                few.iter().for_each(|(node, own)| held[*node as usize] += own);
                held != mass
            });
            if far || other || !rounds {
                wrong = Some(step);
            }
        });
        prop_assert_eq!((seen, wrong), (steps + 1, None));
    }

    #[test]
    fn a_walk_in_used_memory_has_the_bits_of_one_in_fresh(
        walks in prop::collection::vec((any_graph(), 0usize..11, rule()), 1..5),
        alpha in 0.05f64..0.95,
        hub in 0.1f64..1.0,
    ) {
        let (mut used, mut pushed) = (Power::default(), Pushed::default());
        for ((t, seeds), steps, rule) in &walks {
            // The same weights with other factors, too: buffers fit, and what they hold must not matter.
            let into = (0..t.nodes()).map(|u| if u % 3 == 0 { hub } else { 1.0 }).collect();
            // And another graph of as many nodes, where what was reached is left first, or not.
            let path = (1..t.nodes() as u32).map(|u| (u - 1, u, 1.0));
            for t in [t, &t.rescaled(into), &Transition::of_edges(t.nodes(), path), t] {
                let fresh = power(t, seeds, alpha, *steps, *rule);
                prop_assert_eq!(used.walk(t, seeds, alpha, *steps, *rule, |_, _, _| {}).mass(), fresh);
                let fresh = push::forward(t, seeds, alpha, 1e-4, PushThreshold::Plain, *rule, |_| {});
                let walk = push::Rule { alpha, epsilon: 1e-4, threshold: PushThreshold::Plain, dangling: *rule };
                pushed.forward(t, seeds, &walk, |_| {});
                prop_assert_eq!(&pushed.estimate, &fresh.estimate);
                prop_assert_eq!(&pushed.residual, &fresh.residual);
                prop_assert_eq!((pushed.pushes, pushed.dropped), (fresh.pushes, fresh.dropped));
                let all: f64 = fresh.residual.iter().sum();
                prop_assert!(close(pushed.unsettled(), all));
                let largest = fresh.residual.iter().copied().fold(0.0, f64::max);
                prop_assert_eq!(pushed.largest_residual(t), largest);
                if *steps > 3 {
                    pushed.leave(t);
                }
            }
        }
    }

    #[test]
    fn walks_together_are_the_walks_apart(
        (t, seeds) in any_graph(), alpha in 0.05f64..0.95, steps in 0usize..9, stay in any::<bool>(),
        asked in prop::collection::vec(any::<prop::sample::Index>(), 0..5), lanes in 1..=Transition::TOGETHER,
    ) {
        let rule = if stay { Dangling::Stay } else { Dangling::Drop };
        let asked: Vec<u32> = asked.iter().map(|at| at.index(t.nodes()) as u32).collect();
        let told = if asked.is_empty() { (0..t.nodes() as u32).collect() } else { asked.clone() };
        let parts: Vec<Sparse> = seeds.iter().map(|seed| vec![*seed]).collect();
        let weights = walk::length_weights(alpha, steps);
        for parts in parts.chunks(lanes) {
            let mut together = vec![[0.0; Transition::TOGETHER]; told.len()];
            t.walked_together(parts, (steps, &asked), rule, |length, mass| {
                for (node, sum) in told.iter().zip(&mut together) {
                    let mass = mass(*node);
                    (0..parts.len()).for_each(|lane| sum[lane] += weights[length] * mass[lane]);
                }
            });
            for (lane, part) in parts.iter().enumerate() {
                let apart = power(&t, part, alpha, steps, rule);
                for (node, b) in told.iter().zip(&together) {
                    let a = apart[*node as usize];
                    prop_assert!(close(a, b[lane]), "{a} {}", b[lane]);
                }
            }
        }
    }

    /// Of other constants a walk from the same seeds is read off the same steps, whichever was asked for first.
    #[test]
    fn steps_that_were_kept_have_the_bits_of_steps_that_are_walked(
        (t, seeds) in any_graph(), rule in rule(),
        asked in prop::collection::vec((0.05f64..0.95, 0usize..11, any::<bool>()), 1..6),
    ) {
        let mut kept = Power::default();
        for (alpha, steps, watched) in asked {
            let states = |power: &mut Power| {
                let mut states = Vec::new();
                let end = power.walk(&t, &seeds, alpha, steps, rule, |_, state, lost| {
                    let seen = watched.then(|| (state.few(8), state.mass()));
                    states.push((seen, lost));
                }).mass();
                (states, end)
            };
            let fresh = states(&mut Power::default());
            prop_assert_eq!(states(&mut kept), fresh);
        }
    }

    #[test]
    fn no_mass_is_lost_unseen((t, seeds) in graph(), alpha in 0.05f64..0.95, rule in rule()) {
        let mut dropped = 0.0;
        Power::default().walk(&t, &seeds, alpha, 12, rule, |_, state, lost| {
            dropped = (1.0 - alpha) * dropped + lost;
            let total = state.mass().iter().sum::<f64>() + dropped;
            assert!((total - 1.0).abs() < 1e-6, "{total}");
        });
        let pushed = push::forward(&t, &seeds, alpha, 1e-6, PushThreshold::Plain, rule, |_| {});
        let total = pushed.estimate.iter().sum::<f64>() + pushed.residual.iter().sum::<f64>() + pushed.dropped;
        prop_assert!((total - 1.0).abs() < 1e-6, "{total}");
    }

    #[test]
    fn push_is_the_limit_of_power((t, seeds) in graph(), alpha in 0.1f64..0.9, rule in rule(), degree in any::<bool>()) {
        let threshold = if degree { PushThreshold::Degree } else { PushThreshold::Plain };
        let limit = power(&t, &seeds, alpha, 400, rule);
        let pushed = push::forward(&t, &seeds, alpha, 1e-10, threshold, rule, |_| {});
        for (u, (a, b)) in limit.iter().zip(&pushed.estimate).enumerate() {
            prop_assert!((a - b).abs() < 1e-6, "node {u}: power {a}, push {b}");
        }
    }

    #[test]
    fn shares_of_the_seeds_sum_to_the_score((t, seeds) in any_graph(), alpha in 0.05f64..0.95, steps in 0usize..9, rule in rule()) {
        // Each place once, as a walk's restart has it.
        let seeds: BTreeMap<u32, f64> = seeds.into_iter().collect();
        let seeds: Sparse = seeds.into_iter().collect();
        let scores = power(&t, &seeds, alpha, steps, rule);
        let diffusion = Diffusion {
            kernel: Kernel::Power,
            alpha,
            steps,
            epsilon: 0.0,
            threshold: PushThreshold::Plain,
            dangling: rule,
            jump: false,
        };
        for (target, score) in (0..).zip(&scores) {
            let reach = diffusion.reach(&t, &seeds, target, (0.0, None));
            let by_seed: f64 = reach.from.iter().zip(&seeds).map(|(from, seed)| from.1 * seed.1).sum();
            let by_length: f64 = reach.by_length.iter().sum();
            prop_assert!(close(by_seed, *score), "target {target}: {by_seed} {score}");
            prop_assert!(close(by_length, *score), "target {target}: {by_length} {score}");
        }
    }

    #[test]
    fn shares_of_the_seeds_sum_to_the_score_of_a_push((t, seeds) in any_graph(), alpha in 0.1f64..0.9, rule in rule()) {
        let seeds: BTreeMap<u32, f64> = seeds.into_iter().collect();
        let seeds: Sparse = seeds.into_iter().collect();
        let scores = push::forward(&t, &seeds, alpha, 1e-10, PushThreshold::Plain, rule, |_| {}).estimate;
        let diffusion = Diffusion {
            kernel: Kernel::Push,
            alpha,
            steps: 0,
            epsilon: 1e-10,
            threshold: PushThreshold::Plain,
            dangling: rule,
            jump: false,
        };
        let sum = |epsilon: f64, target| {
            let reach = diffusion.reach(&t, &seeds, target, (epsilon, None));
            let sum: f64 = reach.from.iter().zip(&seeds).map(|(from, seed)| from.1 * seed.1).sum();
            (sum, reach.error)
        };
        for (target, score) in (0..).zip(&scores) {
            let (exact, _) = sum(1e-10, target);
            prop_assert!((exact - score).abs() < 1e-6, "target {target}: {exact} {score}");
            // Of a rougher push it is short by no more than it says.
            let (rough, error) = sum(1e-3, target);
            prop_assert!((-1e-9..=error + 1e-6).contains(&(exact - rough)), "target {target}: {exact} {rough} {error}");
        }
    }

    #[test]
    fn reverse_push_agrees_with_forward((t, seeds) in graph(), alpha in 0.1f64..0.9, stay in any::<bool>()) {
        let rule = if stay { Dangling::Stay } else { Dangling::Drop };
        let forward = push::forward(&t, &seeds, alpha, 1e-10, PushThreshold::Plain, rule, |_| {}).estimate;
        let mut room = Room::default();
        for (target, estimate) in forward.iter().enumerate() {
            let back = Reverse::of(&t, target as u32, (alpha, 1e-10, rule), None, &mut room);
            let sum: f64 = seeds.iter().map(|&(u, m)| m * back.from(u)).sum();
            prop_assert!((sum - estimate).abs() < 1e-6, "target {target}: {sum} {}", estimate);
            // Pushed less far it is short of the same by what it says, and never above it.
            let rough = Reverse::of(&t, target as u32, (alpha, 1e-3, rule), None, &mut room);
            prop_assert!(rough.error <= 1e-3);
            for (u, _) in &seeds {
                let short = back.from(*u) - rough.from(*u);
                prop_assert!((-1e-9..=rough.error + 1e-9).contains(&short), "{u} to {target}: {short}");
            }
            // Where it may end once it hardly finds more, most is found, and never more than there is.
            let part = Reverse::of(&t, target as u32, (alpha, 1e-10, rule), Some((&seeds, sum)), &mut room);
            let came: f64 = seeds.iter().map(|&(u, m)| m * part.from(u)).sum();
            prop_assert!(came >= 0.9 * sum - 1e-9 && came <= sum + 1e-9, "{target}: {came} of {sum}");
        }
    }
}

#[test]
fn a_push_by_degree_leaves_on_a_hub_what_one_by_epsilon_moves_on() {
    let star = Transition::of_edges(5, (1..5).map(|leaf| (0, leaf, 1.0)));
    let pushes = |threshold, epsilon| {
        let seeds = vec![(0, 1.0)];
        push::forward(
            &star,
            &seeds,
            0.5,
            epsilon,
            threshold,
            Dangling::Drop,
            |_| {},
        )
        .pushes
    };
    // The hub has four edges.
    assert_eq!(pushes(PushThreshold::Degree, 0.26), 0);
    assert_eq!(pushes(PushThreshold::Plain, 0.26), 1);
    assert!(pushes(PushThreshold::Degree, 0.24) > 0);
}

#[test]
fn a_push_leaves_what_is_exactly_its_limit() {
    let pair = Transition::of_edges(2, [(0, 1, 1.0)]);
    let pushed = |mass| {
        let (plain, drop) = (PushThreshold::Plain, Dangling::Drop);
        push::forward(&pair, &[(0, mass)], 0.5, 0.5, plain, drop, |_| {})
    };
    let none = pushed(0.5);
    assert_eq!((none.pushes, &none.residual[..]), (0, &[0.5, 0.0][..]));
    // Half of it settles, half arrives at the other end and is no more than the limit there.
    let one = pushed(1.0);
    assert_eq!((one.pushes, &one.estimate[..]), (1, &[0.5, 0.0][..]));
    assert_eq!(one.residual, [0.0, 0.5]);
}

/// A graph large enough for the parallel gather.
fn large() -> (Transition, Sparse) {
    let n = 60_000usize;
    let mut triplets: TriMatI<f32, u32> = TriMatI::new((n, n));
    let mut state = 7u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..180_000 {
        let (u, v) = (random(n), random(n));
        if u != v {
            triplets.add_triplet(u, v, 1.0);
            triplets.add_triplet(v, u, 1.0);
        }
    }
    let into = (0..n).map(|i| 1.0 / (1 + i % 7) as f64).collect();
    (
        Transition::new(triplets.to_csr::<u32>(), into),
        vec![(3, 0.5), (40, 0.25), (50_000, 0.25)],
    )
}

/// A graph of so many nodes is walked and told on several threads.
#[test]
fn a_very_large_graph_is_told_as_a_small_one() {
    let n = 300_000u32;
    let edges = (1..n).map(|v| (v / 3 * 2 / 3, v, 1.0 + (v % 5) as f32));
    let t = Transition::of_edges(n as usize, edges);
    let seeds = vec![(0, 0.4), (70_000, 0.4), (n - 1, 0.2)];
    let plain = {
        let mut state = walk::Forward::new(&t, &seeds, Dangling::Drop);
        for _ in 0..6 {
            state.step(0.8, 0.2);
        }
        state.into_mass()
    };
    let walked = power(&t, &seeds, 0.2, 6, Dangling::Drop);
    assert!(walked.iter().zip(&plain).all(|(a, b)| close(*a, *b)));
    assert!(walked.iter().filter(|mass| **mass > 0.0).count() > 100);
}

#[test]
fn bits_do_not_depend_on_threads() {
    let (t, seeds) = large();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| power(&t, &seeds, 0.15, 8, Dangling::Drop))
    };
    let one: Vec<u64> = run(1).iter().map(|x| x.to_bits()).collect();
    for threads in [2, 3] {
        assert_eq!(
            one,
            run(threads).iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
            "{threads} threads"
        );
    }
}
