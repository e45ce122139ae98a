//! The views Flow and Graph on the bundled sample: figures that add up, steps, selection, pace.

use crate::support::{sample, stage, stage_at, stage_in, stage_with};
use hopscope::explain::flow::{Crossed, Kept, Thread, moved, threads};
use hopscope::explorer::action::Action;
use hopscope::explorer::glyphs::GlyphSet;
use hopscope::explorer::hits::Target;
use hopscope::explorer::layout::{Pane, View};
use hopscope::explorer::picture::plain;
use hopscope::explorer::stage::Stage;
use hopscope::explorer::theme::{BUILT_IN, ColorLevel, Scope, Theme};
use hopscope::graph::walk::Sparse;
use hopscope::parameters::Dangling;
use hopscope::retrieve::retrieval::Walked;
use hopscope::retrieve::spread::restart_of;
use hopscope::retrieve::{Keep, METHODS, Method, Retriever, Settings};
use proptest::prelude::*;
use ratatui::style::{Color, Modifier};

/// Every seed a group of its own.
fn apart(walk: &Walked<'_>) -> Vec<Sparse> {
    let seeds = walk.seeds().iter();
    seeds
        .map(|seed| restart_of(std::iter::once(seed)))
        .collect()
}

/// Methods that walk and need nothing that the sample lacks.
const WALKS: [(&str, &str); 7] = [
    ("graph", ""),
    ("graph", "walk=push"),
    ("graph-hybrid", "dangling=reseed"),
    ("graph-hybrid", "dangling=stay"),
    ("linearrag", ""),
    ("noderag", ""),
    ("hop", ""),
];

fn settings(method: &str, set: &str) -> Settings {
    let mut settings = Settings::of(&sample(), Method::by_name(method).unwrap());
    if !set.is_empty() {
        settings.set_text(set).unwrap();
    }
    settings
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn what_leaves_arrives_and_shares_of_a_passage_sum_to_its_score(
        at in 0usize..WALKS.len(), question in 0usize..92, alpha in 5u32..95, steps in 1u32..8,
    ) {
        let (method, set) = WALKS[at];
        let mut settings = settings(method, set);
        let _ = settings.set_text(&format!("alpha={}", f64::from(alpha) / 100.0));
        let _ = settings.set_text(&format!("steps={steps}"));
        let index = sample();
        let mut retriever = Retriever::new(index.clone());
        let run = retriever
            .retrieve(&index.questions()[question].text, &settings, Keep::States)
            .unwrap();
        let Some(walk) = run.walk() else { return Ok(()) };
        let spread = walk.spread;
        let shown: Vec<u32> = run.top().iter().map(|hit| hit.passage).collect();
        let groups = apart(&walk);
        let states = threads(&walk, &groups, &shown);
        prop_assert_eq!(states.len(), spread.states.len());
        for (k, Crossed { threads, returns }) in states.iter().enumerate() {
            for passage in &shown {
                let sum: f64 = threads.iter().filter(|t| t.passage == *passage).map(|t| t.value).sum();
                let nodes = walk.graph.nodes_of(*passage);
                let landed: f64 = nodes
                    .iter()
                    .map(|n| walk.graph.share(*n) * f64::from(spread.states[k][*n as usize]))
                    .sum();
                // A push split by its seeds is the same to within what each leaves unsettled.
                let slack = 1e-5 + 3.0 * spread.ledgers[k].residual;
                prop_assert!((sum - landed).abs() < slack, "{method} {set} step {k}: {sum} {landed}");
            }
            let t = walk.graph.transition();
            let Some(moved) = moved(&walk, k) else {
                prop_assert_eq!(k, 0);
                continue;
            };
            // What goes back over an edge is what the step sends over it.
            for transfer in &moved.largest {
                let own = |t: &&Thread| t.node == transfer.from && t.via == Some(transfer.to);
                let back: Vec<f64> = returns.iter().filter(own).map(|t| t.value).collect();
                let sum: f64 = back.iter().sum();
                let apart = (sum - transfer.mass).abs();
                prop_assert!(
                    back.is_empty() || spread.diffusion.pushes() || apart < 1e-5,
                    "{method} {set} step {k}: {sum} {}", transfer.mass
                );
            }
            // The largest are edges, each with what the state before sends over it.
            for transfer in &moved.largest {
                prop_assert!(t.probability(transfer.from as usize, transfer.to as usize) > 0.0);
                prop_assert!(transfer.mass <= moved.sent + 1e-9);
            }
            prop_assert!(moved.largest.is_sorted_by(|a, b| a.mass >= b.mass));
            let all = 0..walk.graph.nodes();
            let total = |k: usize| spread.states[k].held(all.clone()).map(|held| f64::from(held.1)).sum::<f64>();
            let dead = match (spread.diffusion.jump, spread.diffusion.dangling) {
                (false, Dangling::Drop) => 0.0,
                _ => moved.dead,
            };
            match moved.kind {
                // What is there now restarted, stayed or came over edges.
                Kept::Restarts | Kept::Stays => {
                    let now = moved.kept + moved.sent + dead;
                    prop_assert!((total(k) - now).abs() < 1e-4, "{method} {set} step {k}: {} {now}", total(k));
                }
                // What waits now waited before, or came over edges, less what was taken up.
                Kept::Settles => {
                    let waits = |k: usize| spread.ledgers[k].residual;
                    let taken = moved.kept / spread.diffusion.alpha;
                    let now = waits(k - 1) - taken + moved.sent + dead;
                    prop_assert!((waits(k) - now).abs() < 1e-4, "{method} mark {k}: {} {now}", waits(k));
                }
            }
        }
    }
}

/// The seven-step question of the sample that the other views use.
fn flowing(method: &str) -> Stage {
    let mut stage = stage_with(160, 48, method, GlyphSet::Unicode, 7);
    stage.press("3");
    stage.draw(160, 48);
    stage
}

#[test]
fn the_picture_is_of_the_ranking_and_adds_up_in_every_column() {
    for method in [
        "graph",
        "graph-hybrid",
        "linearrag",
        "noderag",
        "hop",
        "graph-rrf",
    ] {
        let stage = flowing(method);
        let (scene, flow) = (stage.state.scene().unwrap(), stage.state.flow().unwrap());
        let nodes: usize = flow.lanes.iter().map(|lane| lane.rows.len()).sum();
        assert!(nodes <= 40, "{method}: {nodes}");
        if scene.story.is_some() {
            continue;
        }
        let timeline = scene.timeline.as_ref().unwrap();
        assert_eq!(flow.steps.len(), timeline.steps.len(), "{method}");
        let last = flow.lanes.len() - 1;
        for k in 1..flow.steps.len() {
            let column = |lane: usize| -> f64 {
                let rows = 0..flow.lanes[lane].rows.len();
                rows.map(|row| flow.through(k, lane, row)).sum()
            };
            let whole = column(last);
            assert!(whole > 0.0, "{method} {k}");
            // A push is split by its seeds at its end only.
            let split = flow.steps[k]
                .strands
                .iter()
                .all(|strand| strand.group.is_some());
            for lane in (0..last).filter(|lane| *lane != 1 || split) {
                assert!((column(lane) - whole).abs() < 1e-9, "{method} {k} {lane}");
            }
            // A passage has in the picture what the ranking of the step says.
            for (row, own) in flow.lanes[last].rows.iter().enumerate() {
                let listed = timeline.steps[k]
                    .passages
                    .iter()
                    .find(|p| Some(p.0) == own.passage);
                let listed = listed.map_or(0.0, |p| p.1);
                let drawn = flow.through(k, last, row);
                let slack = 1e-5 + 3.0 * timeline.steps[k].ledger.residual;
                assert!(
                    listed == 0.0 || (listed - drawn).abs() < slack,
                    "{method} {k} {row}: {listed} {drawn}"
                );
            }
            let ledger = timeline.steps[k].ledger;
            let sum = ledger.entities + ledger.passages + ledger.dropped + ledger.residual;
            assert!((sum - 1.0).abs() < 1e-4, "{method} {k}: {sum}");
        }
    }
}

#[test]
fn a_step_shows_the_mass_of_every_node_and_what_goes_back() {
    for method in ["graph", "linearrag", "noderag"] {
        let mut stage = flowing(method);
        let (scene, flow) = (stage.state.scene().unwrap(), stage.state.flow().unwrap());
        let last = flow.lanes.len() - 1;
        // Before anything moves the seeds have all.
        let seeds: f64 = (0..flow.lanes[1].rows.len())
            .map(|row| flow.through(0, 1, row))
            .sum();
        let weights: f64 = scene.groups.iter().map(|group| group.weight).sum();
        assert!(
            (seeds - weights).abs() < 1e-4,
            "{method}: {seeds} {weights}"
        );
        let mut returned = 0.0;
        for k in 1..flow.steps.len() {
            // One node has one figure, here and in the heat map.
            for (lane, own) in flow.lanes.iter().enumerate().skip(1) {
                for (at, row) in own
                    .rows
                    .iter()
                    .enumerate()
                    .filter(|(_, row)| row.node.is_some())
                {
                    let heat = flow.heat.iter().find(|(node, _)| node.node == row.node);
                    let Some((_, mass)) = heat else { continue };
                    // A passage may have more nodes than the one of its row.
                    let whole = lane == last && !scene.of_passages;
                    let apart = (mass[k] - flow.mass(k, lane, at)).abs();
                    assert!(whole || apart < 1e-6, "{method} {k} {}: {apart}", row.label);
                }
            }
            let held: f64 = (0..flow.lanes[last].rows.len())
                .map(|row| flow.mass(k - 1, last, row))
                .sum();
            let back: f64 = flow.steps[k]
                .returns
                .iter()
                .map(|strand| strand.value)
                .sum();
            assert!(
                !scene.of_passages || back <= held + 1e-4,
                "{method} {k}: {back} of {held}"
            );
            returned += back;
        }
        assert!(returned > 0.01, "{method}: {returned}");
        assert!(
            !plain(&stage.draw(160, 48)).contains('←'),
            "the end is what passages have"
        );
        stage.press("{ . .");
        let drawn = plain(&stage.draw(160, 48));
        assert!(method != "graph" || drawn.contains('←'), "{drawn}");
        assert!(drawn.contains("bar, number: mass held"), "{drawn}");
    }
}

#[test]
fn two_seeds_have_two_fills_where_colour_does_not_part_them() {
    for (glyphs, fills) in [
        (GlyphSet::Unicode, ["█", "▒"]),
        (GlyphSet::Ascii, ["#", "="]),
    ] {
        let mut stage = stage_with(100, 30, "graph", glyphs, 0);
        stage.press("3");
        let buffer = stage.draw(100, 30);
        let area = stage.state.hits.area(Target::Pane(Pane::Flow)).unwrap();
        let inside = (area.y + 1..area.bottom() - 2)
            .flat_map(|y| (area.x + 1..area.right() - 1).map(move |x| (x, y)));
        let symbols: Vec<&str> = inside.map(|place| buffer[place].symbol()).collect();
        for fill in fills {
            let count = symbols.iter().filter(|symbol| **symbol == fill).count();
            assert!(count > 5, "{}: {count} of {fill}", glyphs.id());
        }
    }
}

#[test]
fn no_step_is_beyond_the_last() {
    let mut stages = 0;
    for method in METHODS.iter() {
        let stage = stage_with(120, 36, &method.name, GlyphSet::Unicode, 7);
        let timeline = stage
            .state
            .scene()
            .and_then(|scene| scene.timeline.as_ref());
        for step in 0..timeline.map_or(0, |timeline| timeline.steps.len()) {
            let place = timeline.unwrap().place(step);
            let numbers: Vec<usize> = place
                .split(' ')
                .filter_map(|word| word.parse().ok())
                .collect();
            if let [step, last] = numbers[..] {
                assert!(step <= last, "{}: {place}", method.name);
                stages += 1;
            }
        }
    }
    assert!(stages > 20, "{stages}");
}

#[test]
fn every_method_has_a_picture_or_says_why_not() {
    for method in METHODS.iter() {
        let mut stage = stage_with(120, 36, &method.name, GlyphSet::Unicode, 7);
        stage.press("3");
        let drawn = plain(&stage.draw(120, 36));
        if stage.state.failure().is_some() || stage.state.scene().is_none() {
            continue;
        }
        let flow = stage.state.flow().unwrap();
        assert!(
            !flow.lanes.is_empty() || !flow.note.is_empty(),
            "{}",
            method.name
        );
        let begins: String = flow.note.chars().take(30).collect();
        assert!(
            drawn.contains(&begins),
            "{}: {}\n{drawn}",
            method.name,
            flow.note
        );
        assert!(!flow.steps.is_empty());
    }
}

#[test]
fn the_sentence_of_a_step_is_true() {
    let stage = flowing("graph");
    let (scene, flow) = (stage.state.scene().unwrap(), stage.state.flow().unwrap());
    let index = sample();
    let mut retriever = Retriever::new(index.clone());
    let run = retriever
        .retrieve(&scene.question, &stage.state.settings, Keep::States)
        .unwrap();
    let walk = run.walk().unwrap();
    let figure = hopscope::explorer::text::score;
    assert!(
        flow.steps[0]
            .told
            .starts_with("Step 0: only the seeds hold mass: ")
    );
    for k in 1..flow.steps.len() {
        let before = &walk.spread.states[k - 1];
        // The first of the heaviest, by hand.
        let (mut node, mut held) = (0, 0.0);
        for at in 0..before.len() {
            let mass = f64::from(before[at]);
            if mass > held {
                (node, held) = (at, mass);
            }
        }
        let keep = 1.0 - walk.spread.diffusion.alpha;
        let name = match walk.graph.is_passage(node as u32) {
            true => index.id(node as u32).to_owned(),
            false => walk.graph.label(&index, node as u32).into_owned(),
        };
        let begins = format!(
            "Step {k}: {name} holds {} and sends {} on, ",
            figure(held),
            figure(keep * held)
        );
        let told = &flow.steps[k].told;
        assert!(told.starts_with(&begins), "{told}\n{begins}");
        let home = format!("in all {} restarts at the seeds.", figure(1.0 - keep));
        assert!(told.ends_with(&home), "{told}");
        // It names the most of that over one edge.
        let best = walk
            .graph
            .neighbours(node as u32)
            .map(|(other, _)| keep * held * walk.graph.probability(node as u32, other));
        let best = best.fold(0.0, f64::max);
        let whole = best > 0.9999 * keep * held;
        let says = if whole {
            "all of it to ".to_owned()
        } else {
            format!("{} of it to ", figure(best))
        };
        assert!(told.contains(&says), "{told} {best}");
    }
}

#[test]
fn all_panes_are_at_one_step_and_the_pace_is_chosen() {
    let mut stage = flowing("graph");
    let steps = stage.state.steps();
    assert_eq!(stage.state.flow_step(), steps - 1);
    stage.press("{ .");
    assert_eq!((stage.state.step, stage.state.flow_step()), (Some(1), 1));
    let drawn = plain(&stage.draw(160, 48));
    assert!(
        drawn.contains("Flow at step 1 of") && drawn.contains("Step 1: "),
        "{drawn}"
    );
    // Left and Right of the heat map are steps too.
    stage.act(Action::Focus(Pane::Heat));
    stage.press("Right");
    assert_eq!(stage.state.step, Some(2));
    // Played to its end it stops, in a loop it goes on.
    stage.press("{ Space");
    assert!(stage.state.playing);
    (0..steps).for_each(|_| stage.act(Action::Tick));
    assert!(!stage.state.playing && stage.state.step.is_none());
    stage.press("o { Space");
    (0..steps).for_each(|_| stage.act(Action::Tick));
    assert!(stage.state.playing);
    assert_eq!(stage.state.step, Some(0));
    stage.press("Space");
    // From a step in two seconds to eight in one.
    (0..9).for_each(|_| stage.press("-"));
    assert!(
        stage
            .state
            .message
            .text
            .contains("one step every 2 seconds")
    );
    (0..9).for_each(|_| stage.press("+"));
    assert!(stage.state.message.text.contains("8 steps a second"));
    // Where nothing is to move nothing plays, and what was asked for says so.
    stage.state.still = true;
    stage.press("{ Space");
    assert!(!stage.state.playing && stage.state.message.text.contains("reduced_motion"));
}

#[test]
fn the_hottest_cell_of_every_row_is_seen_also_under_the_cursor() {
    for (name, _) in BUILT_IN {
        for level in [ColorLevel::True, ColorLevel::Ansi256] {
            let theme = Theme::load(name, level).unwrap();
            let hottest = theme.style(Scope::heat(1.0));
            let mut stage = stage_in(theme, 160, 48, "graph", GlyphSet::Unicode, 7);
            stage.press("3");
            stage.draw(160, 48);
            stage.act(Action::Focus(Pane::Heat));
            let buffer = stage.draw(160, 48);
            let area = stage.state.hits.area(Target::Pane(Pane::Heat)).unwrap();
            let selected = stage.state.list(Pane::Heat).cursor;
            let row = stage.state.hits.area(Target::Row(Pane::Heat, selected));
            let row = row.unwrap().intersection(area);
            let hot = |x: u16| {
                let cell = &buffer[(x, row.y)];
                match hottest.bg.filter(|ground| *ground != Color::Reset) {
                    Some(ground) => cell.bg == ground && cell.symbol() == " ",
                    None => cell.symbol() == "█" && !cell.modifier.contains(Modifier::REVERSED),
                }
            };
            let count = (row.left()..row.right()).filter(|x| hot(*x)).count();
            assert!(count >= 3, "{name} {}: {count}", level.id());
        }
    }
}

#[test]
fn a_selected_row_is_the_selection_everywhere() {
    let mut stage = flowing("graph");
    assert_eq!(
        (stage.state.view, stage.state.focus),
        (View::Flow, Pane::Flow)
    );
    let flow = stage.state.flow().unwrap().clone();
    let last = flow.lanes.len() - 1;
    // It begins at the passage that was selected.
    let at = flow.place(stage.state.list(Pane::Flow).cursor).unwrap();
    assert_eq!(at.0, last);
    assert_eq!(
        flow.lanes[last].rows[at.1].passage,
        stage.state.wanted.subject.passage
    );
    stage.press("Down");
    let (_, row) = flow.place(stage.state.list(Pane::Flow).cursor).unwrap();
    assert_eq!(
        flow.lanes[last].rows[row].passage,
        stage.state.wanted.subject.passage
    );
    // Up stays in the column; Left goes to the names, whose node is then the selected one.
    (0..40).for_each(|_| stage.press("Up"));
    assert_eq!(
        flow.place(stage.state.list(Pane::Flow).cursor),
        Some((last, 0))
    );
    stage.press("Left g");
    let (lane, row) = flow.place(stage.state.list(Pane::Flow).cursor).unwrap();
    assert_eq!(lane, last - 1);
    let own = &flow.lanes[lane].rows[row];
    assert_eq!(stage.state.wanted.subject.node, own.node);
    assert_eq!(
        stage.state.detail().unwrap().node.as_ref().unwrap().label,
        own.label
    );
    // A picture is made for the view that shows it only.
    let mut other = stage_at(160, 48);
    assert!(other.state.flow().is_none());
    other.press("3 ]");
    assert!(other.state.flow().is_some());
    other.press("1 ]");
    assert!(other.state.flow().is_none());
}

#[test]
fn what_is_copied_of_flow_is_what_is_drawn() {
    let mut stage = flowing("graph");
    stage.press("{ . y");
    let flow = stage.state.flow().unwrap();
    let (text, what) = stage.copied.last().unwrap().clone();
    assert_eq!(what, "flow");
    let mut lines = text.lines();
    assert_eq!(lines.next().unwrap(), flow.steps[1].told);
    let crossed = flow.steps[1].strands.len() + flow.steps[1].returns.len();
    assert_eq!(lines.count(), crossed);
    stage.press("Y");
    let (json, _) = stage.copied.last().unwrap();
    let json: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(json["flow"]["step"], 1);
    let mut quiet = self::stage();
    quiet.press("1 C");
    stage.press("C");
    assert!(
        stage
            .copied
            .last()
            .unwrap()
            .0
            .starts_with("hopscope trace ")
    );
}

/// The Graph view of a method on the question of the other views.
fn drawn(method: &str) -> Stage {
    let mut stage = stage_with(160, 48, method, GlyphSet::Unicode, 7);
    stage.press("4");
    stage.draw(160, 48);
    stage
}

#[test]
fn paths_are_the_heaviest_walks_over_edges_of_the_graph() {
    let index = sample();
    for method in ["graph", "graph-hybrid", "linearrag"] {
        let stage = drawn(method);
        let (scene, ways) = (stage.state.scene().unwrap(), stage.state.ways().unwrap());
        let mut retriever = Retriever::new(index.clone());
        let run = retriever
            .retrieve(&scene.question, &stage.state.settings, Keep::States)
            .unwrap();
        let walk = run.walk().unwrap();
        let flow = &ways.flow;
        let nodes = flow.lanes.iter().flat_map(|lane| &lane.rows);
        let nodes = nodes.filter(|row| !row.label.is_empty()).count();
        assert!((3..=40).contains(&nodes), "{method}: {nodes}");
        let strands = &flow.steps[0].strands;
        assert!(!strands.is_empty(), "{method}");
        for strand in strands {
            // From one seed to one passage, every stretch is an edge of the graph.
            let stops = strand
                .at
                .iter()
                .enumerate()
                .filter_map(|(lane, row)| Some((lane, (*row)?)));
            let stops: Vec<_> = stops
                .map(|(lane, row)| &flow.lanes[lane].rows[row])
                .collect();
            let stops: Vec<u32> = stops
                .iter()
                .filter(|row| !row.label.is_empty())
                .filter_map(|row| row.node)
                .collect();
            assert!(
                walk.seeds().iter().any(|seed| seed.node == stops[0]),
                "{method}"
            );
            for pair in stops.windows(2).filter(|pair| pair[0] != pair[1]) {
                assert!(
                    walk.graph.probability(pair[0], pair[1]) > 0.0,
                    "{method}: {stops:?}"
                );
            }
            assert!(strand.value > 0.0);
        }
        // No passage has more on its paths than it has.
        let last = flow.lanes.len() - 1;
        for (row, own) in flow.lanes[last].rows.iter().enumerate() {
            let carried = flow.through(0, last, row);
            let landed = walk.landed(own.passage.unwrap());
            assert!(carried <= landed + 1e-6, "{method}: {carried} of {landed}");
        }
        // Every link leads to the next layer, and the tree names every path's nodes once per branch.
        assert!(ways.links.iter().all(|link| link.to.0 == link.from.0 + 1));
        let tree = ways.tree();
        let roots: f64 = tree
            .iter()
            .filter(|branch| branch.depth == 0)
            .map(|branch| branch.mass)
            .sum();
        let all: f64 = strands.iter().map(|strand| strand.value).sum();
        assert!((roots - all).abs() < 1e-9, "{method}: {roots} {all}");
        // Gold is drawn, or it is said why not.
        for gold in &scene.gold {
            let there = flow.lanes[last]
                .rows
                .iter()
                .any(|row| row.passage == Some(gold.passage));
            assert!(
                there || ways.lost.iter().any(|(id, _)| *id == gold.id),
                "{method}: {}",
                gold.id
            );
        }
    }
}

#[test]
fn columns_of_paths_are_legible_on_small_screens() {
    for (width, height) in [(100, 30), (80, 24)] {
        let mut stage = stage_with(width, height, "graph", GlyphSet::Unicode, 0);
        stage.press("4");
        stage.draw(width, height);
        let rows = stage.state.ways().unwrap().flow.rows();
        let columns = |stage: &Stage| -> Vec<u16> {
            let area = |row| stage.state.hits.area(Target::Row(Pane::Paths, row));
            (0..rows).filter_map(area).map(|area| area.width).collect()
        };
        let shown = columns(&stage);
        assert!(
            !shown.is_empty() && shown.iter().all(|cells| *cells >= 12),
            "{shown:?}"
        );
        // Those out of sight come as the cursor goes there.
        (0..6).for_each(|_| stage.press("Left"));
        let drawn = plain(&stage.draw(width, height));
        assert!(
            drawn.contains("seeds ") && columns(&stage).iter().all(|cells| *cells >= 12),
            "{drawn}"
        );
    }
}

#[test]
fn a_method_without_a_graph_says_so() {
    let mut stage = drawn("bm25");
    assert!(
        stage
            .state
            .ways()
            .unwrap()
            .flow
            .note
            .contains("does not walk a graph")
    );
    assert!(plain(&stage.draw(160, 48)).contains("bm25 does not walk a graph"));
    stage.press("Down Enter t Left y Y");
}

#[test]
fn the_graph_is_walked_edited_and_drawn_in_three_ways() {
    let mut stage = drawn("graph");
    assert_eq!(stage.state.focus, Pane::Paths);
    // The selected row is the selected node, in every manner.
    for _ in 0..3 {
        stage.press("g");
        let at = stage.state.list(Pane::Paths).cursor;
        let place = hopscope::explorer::panes::rows::place(&stage.state, Pane::Paths, at).unwrap();
        let row = stage.state.ways().unwrap().flow.lanes[place.0].rows[place.1].clone();
        assert!(!row.label.is_empty());
        stage.press("t");
        stage.draw(160, 48);
    }
    // The neighbourhood is the manner after that.
    stage.press("t");
    // To the seeds: their name is what an edit means.
    (0..4).for_each(|_| stage.press("Left"));
    stage.press("g");
    let flow = stage.state.ways().unwrap().flow.clone();
    let seed = flow.lanes[0].rows[0].clone();
    assert_eq!(stage.state.wanted.subject.node, seed.node);
    stage.press("e x");
    let edits = stage.state.settings.graph_edits();
    assert_eq!(edits.len(), 1, "{}", stage.state.message.text);
    assert!(edits[0].to_string().contains(&seed.name), "{}", edits[0]);
    // The picture is of the new run: nothing starts there any more.
    let after = stage.state.ways().unwrap().flow.clone();
    let starts = after.lanes.first().map_or(&[][..], |lane| &lane.rows);
    assert!(starts.iter().all(|row| row.node != seed.node));
    stage.press("z");
    assert_eq!(stage.state.ways().unwrap().flow, flow);
    // Enter goes to the node's neighbours in the same view, Esc comes back.
    (0..4).for_each(|_| stage.press("Left"));
    stage.press("g Enter");
    assert_eq!(
        (stage.state.view, stage.state.focus),
        (View::Graph, Pane::Neighbours)
    );
    let way = plain(&stage.draw(160, 48));
    assert!(way.contains(&format!("from {}", seed.label)), "{way}");
    stage.press("Down Enter Esc Esc");
    assert_eq!(
        (stage.state.view, stage.state.focus),
        (View::Graph, Pane::Paths)
    );
}
