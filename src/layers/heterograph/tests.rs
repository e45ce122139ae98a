//! A graph small enough to walk by hand, and random ones.

use super::build::NodeRagBuild;
use super::decompose::{Decomposed, EntityOut, RelationOut, UnitOut};
use super::graph::{Draft, Piece, Place};
use super::layer::{Counts, NodeRagLayer};
use super::node::Kind;
use super::terms::matches;
use super::view::ViewKey;
use crate::embed::{Identity, Kind as EncoderKind, Vectors};
use crate::graph::walk::Sparse;
use crate::layers::heterograph::source::{HeteroGraph, NODERAG};
use crate::layers::{Code, Graph};
use crate::parameters::{
    EntryShare, HNSW_EDGES, HUB_BALANCE, NodeOrder, S_R_EDGES, Scoped, Values,
};
use crate::retrieve::operators::noderag::passages::{Support, landed, ranked};
use crate::retrieve::operators::noderag::quotas::{choose, quotas};
use crate::retrieve::operators::noderag::restart::{shared, weighed};
use crate::retrieve::scratch::Scratch;
use crate::retrieve::set::{Member, Origin, Set};
use crate::retrieve::spread::{Diffusion, restart, shares};
use crate::retrieve::{Hit, Seed};
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
        by_model: false,
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
    NodeRagLayer::into_columns(draft, vectors(8), &near, options, Counts::default())
}

/// NodeRAG's defaults but for these changes.
fn values(changes: &[&str]) -> Values {
    let mut values = Values::default();
    for change in ["alpha=0.5", "steps=2"].iter().chain(changes) {
        values.set_text(change).unwrap();
    }
    values
}

/// Only edges of the pipeline, every one as heavy as it was made.
const PLAIN: [&str; 2] = ["hnsw_edges=off", "hub_balance=off"];

fn plain(changes: &[&str]) -> Values {
    values(&[&PLAIN, changes].concat())
}

fn graph(layer: NodeRagLayer, values: &Values) -> Graph {
    let view = layer.view(ViewKey {
        hnsw_edges: values.get(HNSW_EDGES),
        s_r_edges: values.get(S_R_EDGES),
        hub_balance: values.get(HUB_BALANCE),
    });
    let passages = layer.range(Kind::Text).len();
    let layer = Arc::new(layer);
    Graph::new(&NODERAG, Box::new(HeteroGraph { layer, view }), passages)
}

fn diffusion(values: &Values) -> Diffusion {
    Diffusion::ruled(Scoped::all(values))
}

fn walked(graph: &Graph, seeds: &Sparse, values: &Values) -> Vec<f64> {
    let spread = diffusion(values).spread(graph, seeds, false, &mut Scratch::default());
    spread.mass.into_all()
}

fn named(node: u32) -> Member {
    Member {
        node,
        value: 1.0,
        from: Origin::Name { name: 0, df: 1 },
    }
}

fn near(rank: usize, node: u32, cosine: f32) -> Member {
    Member {
        node,
        value: f64::from(cosine),
        from: Origin::Near { rank, cosine },
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
        (c.edges, c.near, c.both, c.stated, c.edges + c.near - c.both),
        (13, 2, 1, 1, 14)
    );
    let kinds: Vec<Kind> = (0..12).map(|u| layer.kind(u)).collect();
    assert_eq!(kinds[ADA as usize], Kind::Entity);
    assert_eq!(
        (kinds[A as usize], kinds[O as usize]),
        (Kind::Attribute, Kind::Overview)
    );
    assert_eq!(layer.label(R), "Ada left Leeds");
    assert_eq!(layer.vectors().len(), 8);
    assert_eq!([5, 6, 7].map(|row| layer.node_of_row(row)), [S[2], A, H]);
    assert_eq!(layer.sources(H), [S[0], S[1]]);
    assert_eq!(layer.tied(T[0], Kind::Unit).collect::<Vec<_>>(), [S[0]]);
    let passages = [T[2], S[1], A, H, ADA, R].map(|u| layer.passages(u));
    let expected: [&[u32]; 6] = [&[2], &[1], &[0, 1], &[0, 1], &[], &[1]];
    assert_eq!(passages, expected);
}

#[test]
fn a_term_matches_whole_words_in_a_row() {
    let layer = small();
    use crate::parameters::TermMatch::{Contains, ExactFirst};
    assert_eq!(matches(&layer, "ada", Contains), [ADA]);
    assert_eq!(matches(&layer, "leeds", Contains), [LEEDS, O]);
    // What is called so hides what only contains it.
    assert_eq!(matches(&layer, "leeds", ExactFirst), [LEEDS]);
    assert_eq!(matches(&layer, "engines", ExactFirst), [O]);
    assert_eq!(matches(&layer, "engines of leeds", ExactFirst), [O]);
    for none in ["engines leeds", "ad", "engine", "of engines"] {
        assert!(matches(&layer, none, Contains).is_empty(), "{none}");
    }
}

#[test]
fn exact_matches_win_and_shares_sum_to_one() {
    let members = [
        named(ADA),
        named(LEEDS),
        near(1, T[0], 0.9),
        near(2, ADA, 0.8),
    ];
    let by = |members: &[Member], exact, vector, rule| -> Sparse {
        let (names, near) = weighed(members.iter(), exact, vector, rule);
        restart(&shared(names, near).seeds)
    };
    let p = |members: &[Member], exact, vector| by(members, exact, vector, EntryShare::Nodes);
    let third = 1.0 / 3.0;
    assert_eq!(
        p(&members, 1.0, 1.0),
        [(T[0], third), (ADA, third), (LEEDS, third)]
    );
    let heavy = p(&members, 3.0, 1.0);
    assert_eq!(
        heavy,
        [(T[0], 1.0 / 7.0), (ADA, 3.0 / 7.0), (LEEDS, 3.0 / 7.0)]
    );
    assert_eq!(p(&members[1..], 0.0, 1.0), [(T[0], 0.5), (ADA, 0.5)]);
    assert_eq!(p(&members, 1.0, 0.0), [(ADA, 0.5), (LEEDS, 0.5)]);
    assert!(p(&[], 1.0, 1.0).is_empty());
    // Half to the vector hits, a quarter to the term that means two nodes, a quarter to the other.
    let two = |node| Member {
        from: Origin::Name { name: 1, df: 1 },
        ..named(node)
    };
    let members = [
        named(ADA),
        two(LEEDS),
        two(O),
        near(1, T[0], 0.9),
        near(2, ADA, 0.8),
    ];
    let parts = |exact, vector| by(&members, exact, vector, EntryShare::Parts);
    let expected = [(T[0], 0.5), (ADA, 0.25), (LEEDS, 0.125), (O, 0.125)];
    assert_eq!(parts(1.0, 1.0), expected);
    assert_eq!(parts(3.0, 1.0)[0], (T[0], 0.25));
    assert_eq!(parts(1.0, 0.0).len(), 3);
    let names = by(&members[..3], 1.0, 1.0, EntryShare::Parts);
    assert_eq!(names, [(ADA, 0.5), (LEEDS, 0.25), (O, 0.25)]);
}

#[test]
fn weights_of_edges_under_the_settings() {
    let p = |changes: &[&str], from, to| graph(small(), &values(changes)).probability(from, to);
    // Degrees with similarity edges: T0 2, S0 3, T1 2. T0 sends 1/3 to S0 (made once and similar: 2, balanced to 1/3)
    // and 1/2 to T1.
    let balanced = |from, to| p(&["hub_balance=on"], from, to);
    assert!(close(balanced(0, 3), 0.4));
    assert!(close(balanced(0, 1), 0.6));
    // ADA has four neighbours, S1 four: 1/4 each; S0 three: 1/4; R two, A one: 1/4.
    assert!(close(balanced(6, 4), 0.25));
    assert!(close(p(&[], 0, 3), 2.0 / 3.0));
    assert!(close(p(&PLAIN, 0, 3), 1.0));
    assert_eq!(p(&PLAIN, 4, 8), 0.0);
    assert!(close(
        p(&[&PLAIN[..], &["s_r_edges=on"]].concat(), 4, 8),
        0.2
    ));
}

#[test]
fn lengths_of_both_rules() {
    let lengths = |changes: &[&str]| diffusion(&values(changes)).lengths().unwrap();
    assert_eq!(lengths(&[]), [0.5, 0.25, 0.25]);
    assert_eq!(lengths(&["walk_rule=lazy"]), [0.25, 0.5, 0.25]);
    for rule in ["walk_rule=restart", "walk_rule=lazy"] {
        let many = lengths(&[rule, "alpha=0.3", "steps=50"]);
        assert_eq!(many.len(), 51);
        assert!((many.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(lengths(&[rule, "steps=0"]), [1.0]);
    }
}

#[test]
fn both_walks_by_hand() {
    let graph = graph(small(), &plain(&[]));
    let p = vec![(T[0], 0.5), (ADA, 0.5)];
    // One step: S0 5/8, S1, R, A 1/8. Two: T0 5/24, T1 1/32, ADA 41/96, LEEDS 3/32, H 23/96.
    let restart = walked(&graph, &p, &plain(&[]));
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
    let lazy = walked(&graph, &p, &plain(&["walk_rule=lazy"]));
    assert!(close(lazy[T[0] as usize], 0.125 + 5.0 / 96.0));
    assert!(close(lazy[S[0] as usize], 5.0 / 16.0));
    assert!(close(lazy[H as usize], 23.0 / 384.0));
}

/// What is chosen from T0 (vector hit) and ADA (exact) under these quotas, and the passages.
fn run(values: &Values, order: NodeOrder) -> (Set, Vec<Hit>, Support) {
    let (names, hits) = ([named(ADA)], [near(1, T[0], 0.75)]);
    let (from_names, from_hits) = weighed(names.iter().chain(&hits), 1.0, 1.0, EntryShare::Nodes);
    let graph = graph(small(), values);
    let mass = walked(
        &graph,
        &restart(&shared(from_names, from_hits).seeds),
        values,
    );
    let layer = &graph.source_as::<HeteroGraph>().layer;
    let chosen = choose(layer, &hits, &mass, &quotas(Scoped::all(values)));
    let (passages, support) = ranked(&graph, &chosen.members, &mass, order);
    (chosen, passages, support)
}

fn chosen(changes: &[&str]) -> Vec<(u32, &'static str)> {
    let set = run(&plain(changes), NodeOrder::Mass).0;
    let entry = |member: &Member| match member.from {
        Origin::Near { .. } => "vector",
        Origin::Edge { .. } => "attached",
        _ => "walk",
    };
    set.members.iter().map(|m| (m.node, entry(m))).collect()
}

#[test]
fn quotas_and_what_is_attached() {
    assert_eq!(
        chosen(&["quota_n=1", "quota_other=2"]),
        [
            (T[0], "vector"),
            (ADA, "walk"),
            (R, "walk"),
            (S[0], "walk"),
            (H, "walk"),
            (A, "attached"),
        ]
    );
    let nodes = |changes: &[&str]| -> Vec<u32> {
        let chosen = chosen(&[&["quota_n=0", "quota_r=0"], changes].concat());
        chosen.iter().map(|c| c.0).collect()
    };
    // S1 and A have the same mass: the lower number goes first, and A is not attached to an N that was not chosen.
    assert_eq!(nodes(&["quota_other=3"]), [T[0], S[0], H, S[1]]);
    let each = nodes(&["quota_other=1", "quota_shared=off"]);
    assert_eq!(each, [T[0], T[1], S[0], A, H]);
}

#[test]
fn the_element_of_a_chosen_overview_is_attached() {
    let all = chosen(&["quota_other=0", "steps=3"]);
    let attached: Vec<u32> = all
        .iter()
        .filter(|c| c.1 == "attached")
        .map(|c| c.0)
        .collect();
    assert_eq!(attached, [A, H]);
}

#[test]
fn those_that_just_missed_a_quota_are_told_by_how_much() {
    let (set, ..) = run(&plain(&["quota_n=1", "quota_other=2"]), NodeOrder::Mass);
    let missed: Vec<u32> = set.dropped.iter().map(|d| d.node).collect();
    assert_eq!(missed, [LEEDS, S[1], A, T[1]]);
    assert!(
        set.dropped
            .iter()
            .all(|d| d.code == Code::QuotaFull && d.margin > 0.0)
    );
}

#[test]
fn passages_take_the_best_of_their_nodes() {
    let few = plain(&["quota_n=1", "quota_other=2"]);
    let (_, hits, support) = run(&few, NodeOrder::Mass);
    let passages: Vec<u32> = hits.iter().map(|hit| hit.passage).collect();
    assert_eq!((passages, support.0), (vec![0, 1], vec![T[0], H]));
    assert!(close(f64::from(hits[0].score), 0.25 + 5.0 / 96.0));
    assert!(close(f64::from(hits[1].score), 23.0 / 384.0));
    let (_, hits, _) = run(&few, NodeOrder::Output);
    assert!(close(f64::from(hits[0].score), 2.75));
    assert!(close(f64::from(hits[1].score), 1.0 + 23.0 / 384.0));
}

#[test]
fn passages_by_what_landed_on_their_own_nodes() {
    let graph = graph(small(), &plain(&[]));
    let mut mass = vec![0.0; 12];
    for (node, own) in [(T[1], 0.125), (S[1], 0.25), (S[0], 0.3125), (H, 0.3125)] {
        mass[node as usize] = own;
    }
    let (hits, support) = landed(&graph, &mass);
    // An element of both is none's own.
    let hits: Vec<(u32, f32)> = hits.iter().map(|hit| (hit.passage, hit.score)).collect();
    assert_eq!(hits, [(1, 0.375), (0, 0.3125)]);
    assert_eq!(support.0, [S[1], S[0]]);
}

/// Seeds of these shares.
fn seeds(shares: &[(u32, f64)]) -> Vec<Seed> {
    let seed = |&(node, weight): &(u32, f64)| Seed {
        node,
        raw: weight,
        weight,
        why: Origin::Added,
    };
    shares.iter().map(seed).collect()
}

#[test]
fn shares_and_paths_by_hand() {
    let graph = graph(small(), &plain(&[]));
    let (diffusion, t) = (diffusion(&plain(&[])), graph.transition());
    let seeds = seeds(&[(T[0], 0.5), (ADA, 0.5)]);
    // H: .25 of the mass that is there after two steps: T0 over S0 1/6, ADA over S0 1/24 and S1 1/32.
    let p = restart(&seeds);
    let spread = diffusion.spread(&graph, &p, false, &mut Scratch::default());
    let paths = |to| diffusion.paths(t, &p, spread.left(), || diffusion.near(t, &p), (to, 5));
    let shares = shares(&seeds, &diffusion.reach(t, &p, H, (0.0, None)));
    assert_eq!(shares.iter().map(|s| s.seed).collect::<Vec<_>>(), [0, 1]);
    assert!(close(shares[0].mass, 0.25 / 6.0) && close(shares[1].mass, 0.25 * 7.0 / 96.0));
    let path = &paths(H)[0];
    assert_eq!(path.nodes, [T[0], S[0], H]);
    assert!(close(path.kept[0], 1.0) && close(path.kept[1], 1.0 / 3.0));
    assert!(paths(T[2]).is_empty());
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
        NodeRagLayer::into_columns(
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
    fn mass_is_kept_states_end_in_it_and_shares_add_up(
        layer in drafts(), own in prop::collection::btree_set(0u32..8, 1..4), lazy: bool, hnsw: bool, hub: bool, s_r: bool,
        steps in 0usize..5,
    ) {
        let on = |name: &str, on: bool| format!("{name}={}", if on { "on" } else { "off" });
        let rule = format!("walk_rule={}", if lazy { "lazy" } else { "restart" });
        let switches = [on("hnsw_edges", hnsw), on("hub_balance", hub), on("s_r_edges", s_r), format!("steps={steps}"), rule];
        let values = values(&switches.each_ref().map(String::as_str));
        let graph = graph(layer, &values);
        let own: Vec<u32> = own.into_iter().filter(|&u| (u as usize) < graph.nodes()).collect();
        prop_assume!(!own.is_empty());
        let share = 1.0 / own.len() as f64;
        let seeds = seeds(&own.iter().map(|&node| (node, share)).collect::<Vec<_>>());
        let (diffusion, p) = (diffusion(&values), restart(&seeds));
        let spread = diffusion.spread(&graph, &p, true, &mut Scratch::default());
        prop_assert!(close(spread.mass.iter().sum(), 1.0));
        prop_assert_eq!(spread.states.len(), steps + 1);
        for (node, &mass) in (0..).zip(&spread.mass[..]) {
            let last = f64::from(spread.states[steps][node as usize]);
            prop_assert!((last - mass).abs() < 1e-6);
            let reach = diffusion.reach(graph.transition(), &p, node, (0.0, None));
            let paid: f64 = shares(&seeds, &reach).iter().map(|s| s.mass).sum();
            prop_assert!(close(paid, mass), "{node}: {paid} {mass}");
        }
    }
}
