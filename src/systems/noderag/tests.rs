//! A graph small enough to walk by hand, and random ones.

use super::account;
use super::build::NodeRagBuild;
use super::decompose::{Decomposed, EntityOut, RelationOut, UnitOut};
use super::graph::{Draft, Piece, Place};
use super::layer::{Counts, NodeRagLayer};
use super::node::Kind;
use super::params::{NodeOrder, Params, WalkRule};
use super::search::{Answer, Entry, Run, choose, passages, personalisation, walked};
use super::terms::matches;
use crate::embed::{Identity, Kind as EncoderKind, Vectors};
use proptest::prelude::*;
use std::sync::Arc;

fn place(kind: Kind, at: u32) -> Place {
    Place { kind, at }
}

fn unit(text: &str, names: &[&str], relations: &[(&str, &str, &str)]) -> Decomposed {
    let entities = names.iter().map(|name| EntityOut {
        name: (*name).into(),
        person: false,
    });
    let relations = relations.iter().map(|(a, r, b)| RelationOut {
        source: (*a).into(),
        predicate: (*r).into(),
        target: (*b).into(),
    });
    Decomposed {
        units: vec![UnitOut {
            text: text.into(),
            about: String::new(),
            entities: entities.collect(),
            relations: relations.collect(),
        }],
    }
}

fn vectors(rows: usize) -> Vectors {
    let identity = Identity {
        name: "test".into(),
        kind: EncoderKind::File,
        dims: 2,
        fingerprint: String::new(),
    };
    let angles = (0..rows).map(|row| row as f32 / 10.0);
    let rows = angles.flat_map(|a| [a.cos(), a.sin()]).collect();
    Vectors::new(identity, rows).unwrap()
}

// T0 T1 T2 | S0 S1 S2 | ADA LEEDS | R | A | H | O
const T: [u32; 3] = [0, 1, 2];
const S: [u32; 3] = [3, 4, 5];
const ADA: u32 = 6;
const LEEDS: u32 = 7;
const R: u32 = 8;
const A: u32 = 9;
const H: u32 = 10;
const O: u32 = 11;

/// Three passages of a unit each. S0: ADA; S1: ADA, LEEDS and what relates them; S2: LEEDS. A profile of ADA from S0 and
/// S1, an element of S0 and S1. T0 is similar to its own unit and to T1.
fn small() -> NodeRagLayer {
    let mut draft = Draft::default();
    let piece = |passage| Piece {
        passage,
        start: 0,
        end: 1,
    };
    draft.add(piece(0), &unit("s0", &["Ada"], &[]));
    let second = unit("s1", &["Ada", "Leeds"], &[("Ada", "left", "Leeds")]);
    draft.add(piece(1), &second);
    draft.add(piece(2), &unit("s2", &["Leeds"], &[]));
    let profile = draft.node(Kind::Attribute, "0", "ADA.");
    draft.tie(place(Kind::Entity, 0), profile);
    draft.sources[0].push(vec![0, 1]);
    let element = draft.node(Kind::Element, "on engines", "on engines");
    let title = draft.node(Kind::Overview, "ENGINES OF LEEDS", "Engines of Leeds");
    draft.tie(element, title);
    draft.tie(element, place(Kind::Unit, 0));
    draft.tie(element, place(Kind::Unit, 1));
    draft.sources[1].push(vec![0, 1]);
    let near = [(0, 1), (0, 3)];
    let options = NodeRagBuild::default();
    NodeRagLayer::lay_out(draft, vectors(8), &near, options, Counts::default())
}

/// Only edges of the pipeline, every one as heavy as it was made.
fn plain() -> Params {
    Params {
        hnsw_edges: false,
        hub_balance: false,
        node_order: NodeOrder::Mass,
        ..Params::default()
    }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-7
}

#[test]
fn the_small_graph_is_laid_out() {
    let layer = small();
    let c = layer.counts();
    assert_eq!(c.nodes, [3, 3, 2, 1, 1, 1, 1]);
    // T-S 3, S-N 4, N-R 2, N-A 1, H-O 1, H-S 2.
    assert_eq!(
        (c.edges, c.near, c.both, c.stated, c.total()),
        (13, 2, 1, 1, 14)
    );
    let kinds: Vec<Kind> = (0..12).map(|u| layer.kind(u)).collect();
    assert_eq!(kinds[ADA as usize], Kind::Entity);
    assert_eq!(
        (kinds[A as usize], kinds[O as usize]),
        (Kind::Attribute, Kind::Overview)
    );
    assert_eq!(layer.label(R), "Ada left Leeds");
    assert_eq!(layer.weight(ADA), 2);
    assert_eq!(layer.embedded(), 8);
    assert_eq!([5, 6, 7].map(|row| layer.node_of_row(row)), [S[2], A, H]);
    assert_eq!(layer.texts(1), 1..2);
    assert_eq!(layer.sources(H), [S[0], S[1]]);
    assert_eq!(layer.tied(T[0], Kind::Unit).collect::<Vec<_>>(), [S[0]]);
    let passages = [T[2], S[1], A, H, ADA, R].map(|u| layer.passages(u));
    let expected: [&[u32]; 6] = [&[2], &[1], &[0, 1], &[0, 1], &[], &[]];
    assert_eq!(passages, expected);
}

#[test]
fn a_term_matches_whole_words_in_a_row() {
    let layer = small();
    assert_eq!(matches(&layer, "ada"), [ADA]);
    assert_eq!(matches(&layer, "leeds"), [LEEDS, O]);
    assert_eq!(matches(&layer, "engines of leeds"), [O]);
    for none in ["engines leeds", "ad", "engine", "of engines"] {
        assert!(matches(&layer, none).is_empty(), "{none}");
    }
}

#[test]
fn exact_matches_win_and_shares_sum_to_one() {
    let hits = [(T[0], 0.9), (ADA, 0.8)];
    let even = personalisation(&[ADA, LEEDS], &hits, &Params::default());
    assert_eq!(
        even,
        [(T[0], 1.0 / 3.0), (ADA, 1.0 / 3.0), (LEEDS, 1.0 / 3.0)]
    );
    let heavy = Params {
        weight_exact: 3.0,
        ..Params::default()
    };
    let p = personalisation(&[ADA, LEEDS], &hits, &heavy);
    assert_eq!(p, [(T[0], 1.0 / 7.0), (ADA, 3.0 / 7.0), (LEEDS, 3.0 / 7.0)]);
    let single = Params {
        weight_exact: 0.0,
        ..Params::default()
    };
    let p = personalisation(&[LEEDS], &hits, &single);
    assert_eq!(p, [(T[0], 0.5), (ADA, 0.5)]);
    assert!(personalisation(&[], &[], &single).is_empty());
}

#[test]
fn weights_of_edges_under_the_settings() {
    let layer = small();
    let on = layer.view(Params::default().view());
    // Degrees with similarity edges: T0 2, S0 3, T1 2. T0 sends 1/3 to S0 (made once and similar: 2, balanced to 1/3)
    // and 1/2 to T1.
    assert!(close(on.transition.probability(0, 3), 0.4));
    assert!(close(on.transition.probability(0, 1), 0.6));
    // ADA has four neighbours, S1 four: 1/4 each; S0 three: 1/4; R two, A one: 1/4.
    assert!(close(on.transition.probability(6, 4), 0.25));
    let unbalanced = Params {
        hub_balance: false,
        ..Params::default()
    };
    let unbalanced = layer.view(unbalanced.view());
    assert!(close(unbalanced.transition.probability(0, 3), 2.0 / 3.0));
    let off = layer.view(plain().view());
    assert!(close(off.transition.probability(0, 3), 1.0));
    assert_eq!(off.transition.probability(4, 8), 0.0);
    let stated = Params {
        s_r_edges: true,
        ..plain()
    };
    let stated = layer.view(stated.view());
    assert!(close(stated.transition.probability(4, 8), 0.2));
    assert_eq!(off.isolated, 0);
}

#[test]
fn both_walks_by_hand() {
    let layer = small();
    let view = layer.view(plain().view());
    let p = vec![(T[0], 0.5), (ADA, 0.5)];
    // One step: S0 5/8, S1, R, A 1/8. Two: T0 5/24, T1 1/32, ADA 41/96, LEEDS 3/32, H 23/96.
    let restart = walked(&view, &p, &plain().lengths());
    let expected = [
        (T[0], 0.25 + 5.0 / 96.0),
        (ADA, 0.25 + 41.0 / 384.0),
        (S[0], 5.0 / 32.0),
        (S[1], 1.0 / 32.0),
        (R, 1.0 / 32.0),
        (A, 1.0 / 32.0),
        (T[1], 1.0 / 128.0),
        (LEEDS, 3.0 / 128.0),
        (H, 23.0 / 384.0),
        (O, 0.0),
        (T[2], 0.0),
        (S[2], 0.0),
    ];
    for (node, mass) in expected {
        assert!(close(restart[node as usize], mass), "{node}: {restart:?}");
    }
    let lazy = Params {
        walk_rule: WalkRule::Lazy,
        ..plain()
    };
    let lazy = walked(&view, &p, &lazy.lengths());
    assert!(close(lazy[T[0] as usize], 0.125 + 5.0 / 96.0));
    assert!(close(lazy[S[0] as usize], 5.0 / 16.0));
    assert!(close(lazy[H as usize], 23.0 / 384.0));
}

/// The run from T0 (vector hit) and ADA (exact), under these quotas.
fn run(params: &Params) -> (NodeRagLayer, Run) {
    let layer = small();
    let mut run = Run {
        exact: vec![ADA],
        vector: vec![(T[0], 0.75)],
        ..Run::default()
    };
    run.seeds = personalisation(&run.exact, &run.vector, params);
    let pi = walked(&layer.view(params.view()), &run.seeds, &params.lengths());
    choose(&layer, &mut run, &pi, params);
    run.pi = (0..).zip(pi).filter(|n| n.1 > 0.0).collect();
    passages(&layer, &mut run, params.node_order);
    (layer, run)
}

fn chosen(run: &Run) -> Vec<(u32, Entry, usize)> {
    let all = run.chosen.iter();
    all.map(|c| (c.node, c.entry, c.rank)).collect()
}

#[test]
fn quotas_and_what_is_attached() {
    let few = Params {
        quota_n: 1,
        quota_other: 2,
        ..plain()
    };
    let (_, found) = run(&few);
    assert_eq!(
        chosen(&found),
        [
            (T[0], Entry::Vector, 1),
            (ADA, Entry::Cross, 1),
            (R, Entry::Cross, 1),
            (S[0], Entry::Cross, 1),
            (H, Entry::Cross, 2),
            (A, Entry::Attached, 1),
        ]
    );
    // S1 and A have the same mass: the lower number goes first, and A is not attached to an N that was not chosen.
    let no_names = Params {
        quota_n: 0,
        quota_r: 0,
        quota_other: 3,
        ..plain()
    };
    let nodes: Vec<u32> = run(&no_names).1.chosen.iter().map(|c| c.node).collect();
    assert_eq!(nodes, [T[0], S[0], H, S[1]]);
    let each = Params {
        quota_n: 0,
        quota_r: 0,
        quota_other: 1,
        quota_shared: false,
        ..plain()
    };
    let nodes: Vec<u32> = run(&each).1.chosen.iter().map(|c| c.node).collect();
    assert_eq!(nodes, [T[0], T[1], S[0], A, H]);
}

#[test]
fn the_element_of_a_chosen_overview_is_attached() {
    let params = Params {
        quota_other: 0,
        steps: 3,
        ..plain()
    };
    let (_, found) = run(&params);
    let attached = chosen(&found)
        .into_iter()
        .filter(|c| c.1 == Entry::Attached);
    assert_eq!(
        attached.collect::<Vec<_>>(),
        [(A, Entry::Attached, 1), (H, Entry::Attached, 2)]
    );
}

#[test]
fn passages_take_the_best_of_their_nodes() {
    let few = Params {
        quota_n: 1,
        quota_other: 2,
        ..plain()
    };
    let (_, found) = run(&few);
    let hits: Vec<(u32, u32)> = found
        .hits
        .iter()
        .map(|h| h.passage)
        .zip(found.support.iter().copied())
        .collect();
    assert_eq!(hits, [(0, T[0]), (1, H)]);
    assert!(close(f64::from(found.hits[0].score), 0.25 + 5.0 / 96.0));
    assert!(close(f64::from(found.hits[1].score), 23.0 / 384.0));
    let output = Params {
        node_order: NodeOrder::Output,
        ..few
    };
    let (_, found) = run(&output);
    assert!(close(f64::from(found.hits[0].score), 2.75));
    assert!(close(f64::from(found.hits[1].score), 1.0 + 23.0 / 384.0));
}

fn answer(params: Params) -> Answer {
    let (layer, run) = run(&params);
    Answer::new(
        run,
        Arc::new(layer),
        "Where did Ada go?",
        &[1.0, 0.0],
        params,
    )
}

#[test]
fn shares_paths_and_distance_by_hand() {
    let answer = answer(plain());
    // H: .25 of the mass that is there after two steps: T0 over S0 1/6, ADA over S0 1/24 and S1 1/32.
    let shares = answer.shares(H);
    assert_eq!(shares.iter().map(|s| s.0).collect::<Vec<_>>(), [T[0], ADA]);
    assert!(close(shares[0].1, 0.25 / 6.0) && close(shares[1].1, 0.25 * 7.0 / 96.0));
    let path = answer.path(H).unwrap();
    assert_eq!(path.nodes, [T[0], S[0], H]);
    assert!(close(path.kept[0], 1.0) && close(path.kept[1], 1.0 / 3.0));
    assert_eq!(answer.distance(&[S[2], T[2]]), Some(3));
    assert_eq!(answer.distance(&[T[0]]), Some(0));
    assert!(answer.path(T[2]).is_none());
}

#[test]
fn states_of_the_timeline_end_in_the_result() {
    for rule in [WalkRule::Restart, WalkRule::Lazy] {
        let answer = answer(Params {
            walk_rule: rule,
            steps: 4,
            ..Params::default()
        });
        let mut last = Vec::new();
        answer.timeline(|_, state| {
            assert!(close(state.iter().sum(), 1.0));
            last = state.to_vec();
        });
        for &(node, mass) in &answer.run.pi {
            assert!(close(last[node as usize], mass));
        }
    }
}

#[test]
fn clipping() {
    assert_eq!(account::clipped("héllo", 5), "héllo");
    assert_eq!(account::clipped("héllo!", 5), "hél..");
}

/// A random graph: units of random entities, each in a text of its own.
fn drafts() -> impl Strategy<Value = NodeRagLayer> {
    let units = prop::collection::vec(prop::collection::vec(0usize..6, 0..4), 1..9);
    let near = prop::collection::vec((0u32..8, 0u32..8), 0..6);
    (units, near).prop_map(|(units, near)| {
        const NAMES: [&str; 6] = ["Ada", "Ben", "Cy", "Dan", "Eve", "Flo"];
        let mut draft = Draft::default();
        for (at, own) in units.iter().enumerate() {
            let names: Vec<&str> = own.iter().map(|&n| NAMES[n]).collect();
            let relations: Vec<_> = names.windows(2).map(|w| (w[0], "met", w[1])).collect();
            let piece = Piece {
                passage: at as u32,
                start: 0,
                end: 0,
            };
            // Some texts say nothing: their nodes are isolated.
            if at % 3 == 2 {
                draft.add(piece, &Decomposed::default());
            } else {
                draft.add(piece, &unit(&format!("s{at}"), &names, &relations));
            }
        }
        let rows = (draft.count(Kind::Text) + draft.count(Kind::Unit)) as u32;
        let near: Vec<_> = near
            .into_iter()
            .filter(|(a, b)| a < b && *b < rows)
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect();
        NodeRagLayer::lay_out(
            draft,
            vectors(rows as usize),
            &near,
            NodeRagBuild::default(),
            Counts::default(),
        )
    })
}

proptest! {
    #[test]
    fn mass_is_kept_and_shares_add_up(
        layer in drafts(), seeds in prop::collection::btree_set(0u32..8, 1..4), lazy: bool, hnsw: bool, hub: bool, s_r: bool,
        steps in 0usize..5,
    ) {
        let params = Params {
            walk_rule: if lazy { WalkRule::Lazy } else { WalkRule::Restart },
            hnsw_edges: hnsw,
            hub_balance: hub,
            s_r_edges: s_r,
            steps,
            ..Params::default()
        };
        let hits: Vec<(u32, f32)> = seeds.iter().filter(|&&u| (u as usize) < layer.nodes()).map(|&u| (u, 0.5)).collect();
        prop_assume!(!hits.is_empty());
        let p = personalisation(&[], &hits, &params);
        let pi = walked(&layer.view(params.view()), &p, &params.lengths());
        prop_assert!(close(pi.iter().sum(), 1.0));
        let run = Run { seeds: p, vector: hits, pi: (0..).zip(pi.iter().copied()).filter(|n| n.1 > 0.0).collect(), ..Run::default() };
        let answer = Answer::new(run, Arc::new(layer), "", &[], params);
        for (node, mass) in answer.run.pi.clone() {
            let shares: f64 = answer.shares(node).iter().map(|s| s.1).sum();
            prop_assert!(close(shares, mass), "{node}: {shares} {mass}");
        }
    }
}
