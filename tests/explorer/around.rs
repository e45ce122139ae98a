//! The neighbourhood of nodes in Graph: columns that follow the cursor, hidden nodes, best paths, the picture.

use crate::support::{sample, screen, stage_in, stage_with};
use hopscope::explain;
use hopscope::explorer::action::Action;
use hopscope::explorer::command::Command;
use hopscope::explorer::glyphs::GlyphSet;
use hopscope::explorer::layout::{Pane, View};
use hopscope::explorer::scene::{Browsed, Row, Shows};
use hopscope::explorer::stage::Stage;
use hopscope::explorer::theme::{ColorLevel, Theme};
use hopscope::retrieve::{Keep, METHODS, Method, Node, Retrieval, Retriever, Settings};
use insta::assert_snapshot;
use proptest::prelude::*;

/// The columns from the seeds on.
fn browsing(method: &str, width: u16, height: u16) -> Stage {
    let mut stage = stage_with(width, height, method, GlyphSet::Unicode, 0);
    stage.press("B B");
    stage.draw(width, height);
    stage
}

fn shown(stage: &Stage) -> &Browsed {
    stage.state.browsed().expect("the neighbourhood is drawn")
}

/// The node under the cursor.
fn under(stage: &Stage) -> Row {
    let flow = &shown(stage).flow;
    let (lane, row) = flow.place(stage.state.list(Pane::Paths).cursor).unwrap();
    flow.lanes[lane].rows[row].clone()
}

/// The run that is on screen, made anew.
fn run(stage: &Stage) -> Retrieval {
    let (question, settings) = stage.state.on_screen().unwrap();
    Retriever::new(sample())
        .retrieve(question, settings, Keep::States)
        .unwrap()
}

/// Every column is what the core says: the neighbours of the row selected before it, by their mass; what is not listed is
/// counted, and what was hidden is counted apart.
fn adds_up(stage: &Stage) {
    let run = run(stage);
    let walk = run.walk().unwrap();
    let browsed = shown(stage);
    assert_eq!(browsed.flow.lanes.len(), browsed.at.trail.len() + 1);
    let trail: Vec<Node> = stage
        .state
        .browse
        .trail
        .iter()
        .map(|pick| match pick {
            hopscope::explorer::scene::Pick::Node(node) => *node,
            other => panic!("{other:?} is no node"),
        })
        .collect();
    for (at, (lane, head)) in browsed.flow.lanes.iter().zip(&browsed.heads).enumerate() {
        let listed: f64 = lane.rows.iter().map(|row| row.value).sum();
        let sum = listed + head.more.1 + head.hidden.1;
        let count = lane.rows.len() + head.more.0 + head.hidden.0;
        let (of, all): (usize, f64) = match at.checked_sub(1) {
            None if browsed.at.root.is_some() => continue,
            None => (
                walk.seeds().len(),
                walk.seeds().iter().map(|seed| seed.weight).sum(),
            ),
            Some(before) => {
                let node = trail[before];
                let masses = walk.graph.neighbours(node);
                let masses = masses.map(|(other, _)| walk.spread.mass[other as usize]);
                (walk.graph.degree(node), masses.sum())
            }
        };
        assert_eq!(count, of, "column {at}");
        assert!((sum - all).abs() < 1e-9, "column {at}: {sum} of {all}");
        let ordered = lane
            .rows
            .windows(2)
            .all(|pair| pair[0].value >= pair[1].value);
        assert!(ordered || head.more.0 > 0, "heaviest first in column {at}");
        for row in &lane.rows {
            let node = row.node.unwrap();
            assert!(
                !browsed.at.hidden.contains(&node),
                "{} is hidden",
                row.label
            );
            assert_eq!(row.count, walk.graph.degree(node));
            assert_eq!(row.is_passage, walk.graph.is_passage(node));
        }
        if let Some(node) = trail.get(at) {
            assert!(lane.rows.iter().any(|row| row.node == Some(*node)));
        }
    }
    let Some(&last) = trail.last() else {
        // Everything is hidden.
        assert!(browsed.flow.lanes[0].rows.is_empty());
        return;
    };
    // The other panes are about the node under the cursor.
    assert_eq!(stage.state.wanted.subject.node, Some(last));
    assert_eq!(under(stage).node, Some(last));
    let way = browsed.way.as_ref().unwrap();
    assert!((way.of - walk.spread.mass[last as usize]).abs() < 1e-12);
    assert!(way.carries <= way.of + 1e-9, "{way:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn wherever_one_walks_the_columns_add_up(
        keys in proptest::collection::vec(
            prop_oneof!["Right", "Right", "Left", "Down", "Up", "x", "u", "G", "Home", "PgDn"], 1..14),
        method in prop_oneof!["graph", "hop", "graph-hybrid", "hipporag2"],
    ) {
        let mut stage = browsing(&method, 160, 48);
        for key in &keys {
            stage.press(key);
            adds_up(&stage);
        }
        for size in [(160, 48), (100, 30), (80, 24), (60, 16)] {
            stage.draw(size.0, size.1);
        }
    }
}

#[test]
fn right_goes_in_left_comes_back_and_a_passage_is_read() {
    let mut stage = browsing("graph", 160, 48);
    assert_eq!(
        (stage.state.view, stage.state.focus),
        (View::Graph, Pane::Paths)
    );
    let seed = under(&stage);
    assert_eq!(seed.group, Some(0), "the first seed");
    stage.press("Right");
    let passage = under(&stage);
    assert!(passage.is_passage);
    stage.press("Right");
    // Not back to where one came from.
    let name = under(&stage);
    assert_ne!(name.node, seed.node);
    stage.press("Down");
    assert_ne!(under(&stage).node, name.node);
    stage.press("Left");
    assert_eq!(under(&stage).node, passage.node);
    stage.press("Enter");
    assert_eq!(stage.state.focus, Pane::Reader);
    assert_eq!(stage.state.wanted.subject.passage, passage.passage);
    stage.press("Esc");
    assert_eq!(
        (stage.state.view, stage.state.focus),
        (View::Graph, Pane::Paths)
    );
    assert_eq!(under(&stage).node, passage.node);
    stage.press("Left Left Left");
    assert_eq!(under(&stage).node, seed.node);
}

#[test]
fn keys_that_are_faster_than_answers_mean_what_they_mean() {
    let mut slow = browsing("graph", 160, 48);
    slow.press("Right Right Down");
    let mut fast = browsing("graph", 160, 48);
    let mut last = Vec::new();
    for command in [Command::Right, Command::Right, Command::Down] {
        last = fast.update(Action::Do(command));
    }
    for effect in last {
        for action in fast.answer(effect) {
            fast.act(action);
        }
    }
    assert_eq!(shown(&fast).at, shown(&slow).at);
    assert_eq!(under(&fast), under(&slow));
}

#[test]
fn the_way_carries_what_the_best_path_does() {
    let mut stage = browsing("graph", 160, 48);
    stage.press("Right");
    let run = run(&stage);
    let walk = run.walk().unwrap();
    let node = under(&stage).node.unwrap();
    let best = walk.paths(node)[0].clone();
    let way = shown(&stage).way.clone().unwrap();
    let stops: Vec<Node> = way.stops.iter().map(|stop| stop.node).collect();
    assert_eq!(stops, best.nodes);
    assert!((way.carries - best.mass).abs() < 1e-12);
    // Longer than the walk: it carries nothing, and says so.
    (0..6).for_each(|_| stage.press("Right"));
    let way = shown(&stage).way.clone().unwrap();
    assert_eq!((way.carries, way.long), (0.0, Some(5)));
    let words = screen(&mut stage);
    assert!(
        words.contains("longer than the 5 steps of the walk"),
        "{words}"
    );
}

#[test]
fn a_hidden_node_is_in_no_column_path_or_picture_and_comes_back() {
    let mut stage = browsing("graph", 160, 48);
    stage.press("Right Right");
    let gone = under(&stage);
    stage.press("x");
    assert!(stage.state.message.text.contains("hidden here"));
    let rows = |stage: &Stage| -> Vec<Option<Node>> {
        let lanes = shown(stage).flow.lanes.iter();
        lanes
            .flat_map(|lane| lane.rows.iter().map(|row| row.node))
            .collect()
    };
    assert!(!rows(&stage).contains(&gone.node));
    assert_ne!(under(&stage).node, gone.node);
    stage.press("g");
    assert_eq!(shown(&stage).at.shows, Shows::Picture);
    assert!(!rows(&stage).contains(&gone.node));
    stage.press("Esc");
    stage.press("u");
    assert!(
        stage.state.message.text.contains(&gone.label),
        "{}",
        stage.state.message.text
    );
    assert!(rows(&stage).contains(&gone.node));
    stage.press("u");
    assert!(stage.state.message.text.contains("no node is hidden"));
}

#[test]
fn best_paths_lead_to_the_pinned_node_and_are_walked_along() {
    let mut stage = browsing("graph", 160, 48);
    let seed = under(&stage);
    stage.press("Down Right");
    // Nothing is pinned: a node is asked for.
    stage.press("w");
    stage.type_text("ulugh beg");
    stage.press("Enter");
    let browsed = shown(&stage);
    assert_eq!(browsed.at.shows, Shows::Routes);
    assert!(!browsed.routes.is_empty());
    let run = run(&stage);
    let walk = run.walk().unwrap();
    let keep = walk.spread.diffusion.moving();
    for route in &browsed.routes {
        let nodes: Vec<Node> = route.stops.iter().map(|stop| stop.node).collect();
        assert_eq!(nodes.first().copied(), browsed.at.node());
        assert_eq!(nodes.last().copied(), browsed.at.pinned);
        let steps = nodes
            .windows(2)
            .map(|pair| keep * walk.graph.probability(pair[0], pair[1]));
        let share: f64 = steps.product();
        assert!((share - route.mass).abs() < 1e-12 && share > 0.0);
    }
    let best: Vec<Node> = browsed.routes[0]
        .stops
        .iter()
        .map(|stop| stop.node)
        .collect();
    stage.press("Enter");
    let trail: Vec<Node> = shown(&stage).way.as_ref().map_or(Vec::new(), |_| {
        let picks = shown(&stage).at.trail.iter();
        picks
            .map(|pick| match pick {
                hopscope::explorer::scene::Pick::Node(node) => *node,
                other => panic!("{other:?}"),
            })
            .collect()
    });
    assert_eq!(trail, best);
    adds_up(&stage);
    // Enter pins a name, and once more drops it.
    stage.press("B");
    while under(&stage).node != seed.node {
        stage.press("Down");
    }
    stage.press("Enter");
    assert_eq!(shown(&stage).at.pinned, seed.node);
    stage.press("Enter");
    assert_eq!(shown(&stage).at.pinned, None);
}

#[test]
fn any_node_is_found_by_name_from_anywhere() {
    for method in ["graph", "hop", "noderag", "ms-graph-rag"] {
        let mut stage = stage_with(120, 36, method, GlyphSet::Unicode, 0);
        if !stage.state.scene().unwrap().walks {
            continue;
        }
        stage.press("f");
        stage.type_text("samarkand");
        stage.press("Enter");
        assert_eq!(stage.state.focus, Pane::Paths, "{method}");
        let found = under(&stage);
        assert!(
            found.label.to_lowercase().contains("samarkand"),
            "{method}: {}",
            found.label
        );
        assert_eq!(shown(&stage).at.root, found.node);
        adds_up(&stage);
        // Left goes to the seeds.
        stage.press("Left");
        assert_eq!(shown(&stage).at.root, None);
        assert_eq!(shown(&stage).flow.lanes[0].head, "Seeds");
    }
}

#[test]
fn the_picture_has_forty_nodes_at_most_and_grows_in_place() {
    let mut stage = browsing("hop", 160, 48);
    stage.press("Right Right Right");
    let cursor = under(&stage).node;
    stage.press("g");
    assert_eq!(under(&stage).node, cursor, "it opens at the cursor");
    let mut seen = 0;
    for _ in 0..12 {
        let browsed = shown(&stage);
        let nodes = browsed.flow.rows();
        assert!(nodes <= 40);
        seen = seen.max(nodes);
        assert!(browsed.edges.iter().all(|(a, b)| a < b && *b < nodes));
        stage.draw(160, 48);
        stage.press("Right Down Enter");
        assert_eq!(shown(&stage).at.shows, Shows::Picture);
    }
    assert!(seen > 8, "{seen} nodes");
    // Folding what was unfolded takes its neighbours away again.
    let before = shown(&stage).flow.rows();
    stage.press("Enter Enter");
    assert_eq!(shown(&stage).flow.rows(), before);
    stage.press("g");
    assert_eq!(shown(&stage).at.shows, Shows::Columns);
    adds_up(&stage);
}

#[test]
fn every_method_has_a_neighbourhood_or_says_why_not() {
    for method in METHODS {
        let method = Method::by_name(&method.name).unwrap();
        let index = sample();
        let theme = Theme::load("mono", ColorLevel::None).unwrap();
        let settings = Settings::of(&index, method.clone());
        let mut stage = Stage::new(index, "", settings, theme, GlyphSet::Unicode.glyphs());
        stage.draw(160, 48);
        stage.act(Action::AskNumber(0));
        stage.press("4 t t t");
        let Some(scene) = stage.state.scene() else {
            continue;
        };
        if scene.whole.is_some() {
            continue;
        }
        let (name, walks) = (scene.settings.method().name.clone(), scene.walks);
        let words = screen(&mut stage);
        match walks {
            true => {
                stage.press("Right Right");
                adds_up(&stage);
            }
            false => {
                assert!(
                    words.contains(&format!("{name} does not walk a graph")),
                    "{words}"
                );
                stage.press("B f");
                assert!(stage.state.message.text.contains("does not walk a graph"));
                stage.press("Right Down Enter x u w g Y y");
            }
        }
    }
}

#[test]
fn another_question_begins_at_its_seeds_and_another_graph_forgets_its_nodes() {
    let mut stage = browsing("graph", 160, 48);
    stage.press("Right Right x Right");
    stage.press("]");
    assert_eq!(shown(&stage).at.trail.len(), 1);
    assert_eq!(shown(&stage).at.root, None);
    adds_up(&stage);
    stage.press("Right");
    stage.act(Action::Method("hop".to_owned()));
    adds_up(&stage);
    // A step of a slider stays where one is.
    stage.press("Right");
    let before = under(&stage).node;
    stage.act(Action::Set("alpha".to_owned(), "0.4".to_owned()));
    assert_eq!(under(&stage).node, before);
    adds_up(&stage);
}

#[test]
fn the_heaviest_of_a_hub_are_listed_and_the_others_counted() {
    let found = explain::heaviest(
        (0..100_000).map(|node| (node, f64::from(node % 7))),
        200,
        &|_| false,
    );
    assert_eq!((found.nodes.len(), found.more.0), (200, 99_800));
    assert!(found.nodes.iter().all(|node| node.1 == 6.0));
}

#[test]
fn the_neighbourhood_at_every_size() {
    for (width, height) in [(160, 48), (100, 30), (80, 24)] {
        let mut stage = browsing("graph", width, height);
        stage.press("Right Right Down Down Down Down");
        let name = format!("neighbourhood_at_{width}x{height}");
        assert_snapshot!(name, screen(&mut stage));
    }
    let theme = Theme::load("mono", ColorLevel::None).unwrap();
    let mut stage = stage_in(theme, 100, 30, "graph", GlyphSet::Ascii, 0);
    stage.press("B Right Down Enter Right g");
    assert_snapshot!("neighbourhood_picture_in_ascii", screen(&mut stage));
    let mut stage = browsing("graph", 100, 30);
    stage.press("Down Right w");
    stage.type_text("timur");
    stage.press("Enter");
    assert_snapshot!("neighbourhood_best_paths", screen(&mut stage));
    let mut stage = stage_with(100, 30, "bm25", GlyphSet::Unicode, 0);
    stage.press("4 t t t");
    assert_snapshot!("neighbourhood_without_a_walk", screen(&mut stage));
}
