//! A method without a walk on screen: its steps as stages, over the bundled sample.

use crate::support::sample;
use hopscope::explorer::action::Action;
use hopscope::explorer::engine::{self, Engine};
use hopscope::explorer::glyphs::GlyphSet;
use hopscope::explorer::jobs::build::{Build, Part};
use hopscope::explorer::jobs::{Doer, Job, Listed, News, Tell};
use hopscope::explorer::lack::{Missing, lack};
use hopscope::explorer::layout::{Pane, View};
use hopscope::explorer::panes::rows::{self, SpreadLine};
use hopscope::explorer::picture::plain;
use hopscope::explorer::scene::{Cell, Facts, Request, Row, Subject};
use hopscope::explorer::stage::Stage;
use hopscope::explorer::state::State;
use hopscope::explorer::theme::{ColorLevel, Theme};
use hopscope::explorer::update::update;
use hopscope::index::{Columns, Index, IndexError, Layer, Progress, Step};
use hopscope::layers::LayerKind;
use hopscope::parameters::Scoped;
use hopscope::retrieve::explanation::Edge;
use hopscope::retrieve::{Keep, Method, Retriever, Settings};
use hopscope::{BuildOptions, Silent, read_corpus};
use insta::assert_snapshot;
use std::path::Path;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Seeds, their neighbours, what pruning keeps.
const METHOD: &str = "sage";
/// The layer of a method that the small index here lacks.
const LAYER: &str = "e2graphrag";

fn stage_of(width: u16, height: u16, question: usize) -> Stage {
    let index = sample();
    let settings = Settings::of(&index, Method::by_name(METHOD).unwrap());
    let theme = Theme::load("mono", ColorLevel::None).unwrap();
    let mut stage = Stage::new(index, "", settings, theme, GlyphSet::Unicode.glyphs());
    stage.draw(width, height);
    stage.act(Action::AskNumber(question));
    stage.draw(width, height);
    stage
}

fn screen(width: u16, height: u16, keys: &[&str]) -> String {
    let mut stage = stage_of(width, height, 1);
    for keys in keys {
        stage.press(keys);
        stage.draw(width, height);
    }
    plain(&stage.draw(width, height))
}

#[test]
fn a_story_at_160x48() {
    assert_snapshot!(screen(160, 48, &["' m", "j j j"]));
}

#[test]
fn a_story_at_120x36() {
    assert_snapshot!(screen(120, 36, &["' n"]));
}

#[test]
fn a_story_at_100x30() {
    assert_snapshot!(screen(100, 30, &["' s", ". ."]));
}

#[test]
fn a_story_at_80x24() {
    assert_snapshot!(screen(80, 24, &["' m"]));
}

#[test]
fn why_opens_parts() {
    assert_snapshot!(screen(100, 30, &["w", "j Enter"]));
}

#[test]
fn every_pane_reads_the_story() {
    let mut stage = stage_of(160, 48, 1);
    let scene = stage.state.shown.as_ref().unwrap().scene.clone();
    let story = scene.story.clone().unwrap();
    for row in scene.passages.iter().take(20) {
        let sum: f64 = row.shares.iter().sum();
        assert!((sum - row.score).abs() < 1e-6, "{} {sum}", row.id);
    }
    let why = stage.state.detail().unwrap().passage.clone().unwrap();
    let sum: f64 = why.parts.iter().map(|p| p.value).sum();
    assert!((sum - why.score).abs() < 1e-6);
    assert!(!why.sentence.is_empty());

    // A seed is selected: its edges are the neighbours, and Enter walks along them.
    let around = |stage: &Stage| stage.state.detail().unwrap().node.clone().unwrap();
    let told = |node: u32| {
        let touches = |e: &&Edge| e.from == node as usize || e.to == node as usize;
        let edges = story.stages.iter().flat_map(|stage| &stage.edges);
        edges.filter(touches).count()
    };
    let many = |row: &Row| row.node.is_some_and(|node| told(node) > 1);
    let row = scene.seeds.iter().position(many).unwrap();
    let seed = scene.seeds[row].node.unwrap();
    stage.press("' s g");
    (0..row).for_each(|_| stage.press("j"));
    assert_eq!(around(&stage).node, seed);
    stage.press("Enter");
    assert_eq!(stage.state.focus, Pane::Neighbours);
    let told = told(seed);
    let own = around(&stage);
    assert!(told > 1 && own.neighbours.len() >= told);
    assert!(
        own.neighbours[..told]
            .iter()
            .all(|row| row.cells[1] != Cell::Word(""))
    );
    let other = around(&stage).neighbours[1].clone();
    stage.press("j Enter");
    assert_eq!(Some(around(&stage).node), other.node);
    assert_eq!(stage.state.wanted.subject.passage, other.passage);
    stage.press("Esc");
    assert_eq!(around(&stage).node, seed);

    // Long stages fold; the timeline shows one stage whole.
    let lines = rows::spread_lines(&stage.state, &scene);
    let folded = |line: &SpreadLine| matches!(line, SpreadLine::More(_));
    let more = lines.iter().position(folded).unwrap();
    stage.press("' m g");
    (0..more).for_each(|_| stage.press("Down"));
    stage.press("Enter");
    let whole = rows::spread_lines(&stage.state, &scene);
    assert!(whole.len() > lines.len() && whole[more] != lines[more]);
    stage.press("{ .");
    let shown = story.timeline[1];
    let step = rows::spread_lines(&stage.state, &scene);
    assert_eq!(step[0], SpreadLine::Stage(shown));
    let told = &story.stages[shown];
    assert_eq!(step.len(), 1 + told.nodes.len() + told.cut.len());
    (1..story.timeline.len()).for_each(|_| stage.press("."));
    assert_eq!(stage.state.earlier_step(), None, "the whole story is last");

    // The selection stays on its item when the search is done again.
    stage.press("' s g");
    let label = story.items[story.seeds[0].item].label.clone();
    stage.act(Action::Set("result_k".into(), "3".into()));
    assert_eq!(around(&stage).label, label);
    // Another kind of method counts nodes its own way.
    stage.act(Action::Method("graph".into()));
    assert!(stage.state.scene().unwrap().story.is_none());
    assert!(stage.state.detail().unwrap().node.is_some());
}

#[test]
fn what_no_stage_told_of_has_the_edges_of_the_graph() {
    let mut stage = stage_of(160, 48, 1);
    let scene = stage.state.shown.as_ref().unwrap().scene.clone();
    let story = scene.story.clone().unwrap();
    let mut retriever = Retriever::new(sample());
    let run = retriever.retrieve(&scene.question, &scene.settings, Keep::States);
    let run = run.unwrap();
    let graph = run.records.iter().find_map(|r| r.graph.clone()).unwrap();
    let around = |stage: &Stage| stage.state.detail().unwrap().node.clone().unwrap();
    let told = |place| {
        let mut edges = story.stages.iter().flat_map(|stage| &stage.edges);
        edges.any(|e| e.from == place || e.to == place)
    };
    let mut untold = 0;
    for (place, item) in story.items.iter().enumerate() {
        let Some(passage) = item.passage else {
            continue;
        };
        let degree = |node: &u32| graph.degree(*node);
        let most = graph
            .nodes_of(passage)
            .iter()
            .map(degree)
            .max()
            .unwrap_or(0);
        stage.act(Action::Node(place as u32));
        let own = around(&stage);
        assert!(own.degree >= most, "{} {} {most}", item.label, own.degree);
        assert_eq!(own.neighbours.is_empty(), own.degree == 0);
        untold += usize::from(!told(place) && most > 0);
    }
    assert!(
        untold > 0,
        "every passage has an edge that was told: nothing was tried"
    );

    // The list leads on to nodes that no stage names, and back.
    let beyond = |row: &Row| {
        row.node
            .is_some_and(|node| node as usize >= story.items.len())
    };
    let mut led = (0..story.items.len() as u32).filter_map(|node| {
        stage.act(Action::Node(node));
        let near = around(&stage).neighbours;
        Some((node, near.into_iter().find(|row| beyond(row))?))
    });
    let (seed, to) = led
        .next()
        .expect("something has neighbours that did not come in");
    stage.act(Action::Node(to.node.unwrap()));
    let other = around(&stage);
    assert_eq!((&other.label, Some(other.node)), (&to.label, to.node));
    assert!(other.touches(seed) && !other.neighbours.is_empty());
    // Nodes are counted anew after a change: none is taken for another.
    stage.act(Action::Set("result_k".into(), "3".into()));
    let now = around(&stage);
    let why = stage.state.detail().unwrap().passage.as_ref().unwrap();
    let of_passage = stage.state.scene().unwrap().node_of(why.passage);
    assert_eq!(Some(now.node), of_passage, "{}", now.label);
}

#[test]
fn a_lost_passage_without_a_suggestion_says_how_to_look_for_one() {
    let mut stage = stage_of(120, 36, 1);
    let lost: Vec<u32> = {
        let behind = stage.state.scene().unwrap().passages[10..].iter();
        behind.map(|row| row.passage).collect()
    };
    let without = lost.into_iter().any(|lost| {
        stage.act(Action::Passage(lost));
        let why = stage.state.detail().unwrap().passage.as_ref().unwrap();
        why.reasons.iter().all(|reason| reason.fix.is_none())
    });
    assert!(without);
    // Nothing was tried, so nothing is claimed.
    stage.press("w a");
    let said = &stage.state.message.text;
    assert!(said.contains("R searches for one"), "{said}");
    stage.press("w C");
    assert!(stage.copied.last().unwrap().0.contains("--method sage"));
    stage.press("' m Y");
    let copied: serde_json::Value = serde_json::from_str(&stage.copied.last().unwrap().0).unwrap();
    assert_eq!(copied["story"]["timeline"].as_array().unwrap().len(), 4);
}

/// A layer under the name of another.
struct ToyLayer;

impl Layer for ToyLayer {
    const NAME: &'static str = LAYER;
    const VERSION: u32 = 1;

    fn columns<'a>(&'a self, each: &mut dyn FnMut(&str, &'a [u8])) {
        each("none", &[]);
    }

    fn open(_: &Columns) -> Result<ToyLayer, IndexError> {
        Ok(ToyLayer)
    }
}

fn build(
    index: &Index,
    _: Scoped<'_>,
    progress: &dyn Progress,
) -> Result<Option<String>, IndexError> {
    for done in 0..=10 {
        if !progress.advance(Step::Layer(LAYER), done, 10) {
            return Err(IndexError::Cancelled);
        }
    }
    index.add_layer(ToyLayer);
    Ok(None)
}

static KINDS: [LayerKind; 1] = [LayerKind {
    name: LAYER,
    about: "nothing at all",
    build,
}];

#[test]
fn a_missing_layer_is_said_and_built_with_progress() {
    // Its own: in one that is shared, another test may have built the layer.
    let index = Arc::new(hopscope::index::sample::index().unwrap());
    let mut facts: Facts = engine::facts(&index, "big-index");
    facts.kinds = &KINDS;
    facts.small = false;
    let settings = Settings::of(&index, Method::by_name("bm25").unwrap());
    let mut state = State::new(Arc::new(facts.clone()), settings.clone());
    let method = Method::by_name(LAYER).unwrap();
    assert_eq!(lack(&state, &method), Some(Missing::Layer(LAYER)));
    let said = Missing::Layer(LAYER).reason(&facts);
    assert!(
        said.contains("hopscope index --add e2graphrag big-index"),
        "{said}"
    );

    let heard = std::sync::Mutex::new(Vec::new());
    let tell = |news| heard.lock().unwrap().push(news);
    let request = Build {
        layer: LAYER,
        method: "bm25-rm3".into(),
        settings: settings.clone(),
    };
    let mut doer = Doer::new(index.clone(), &KINDS, None);
    let last = request
        .run(&mut doer, &Tell::new(&tell, &|| false))
        .unwrap();
    assert!(matches!(last, Some(Part::Done(_))), "{last:?}");
    assert_eq!(heard.lock().unwrap().len(), 11);
    let stopped = request.run(&mut doer, &Tell::new(&tell, &|| true));
    assert_eq!(stopped, Err("stopped".into()));

    let _ = state.building.begin(request);
    let mut hear = |news: News<Build>| update(&mut state, Action::Heard(Listed::news(news)));
    hear(News::Part(Part::At(LAYER, 3, 10)));
    assert_eq!(state.building.said(), "layer e2graphrag: 3 of 10");
    let mut hear = |news: News<Build>| update(&mut state, Action::Heard(Listed::news(news)));
    hear(News::Over(last));
    assert_eq!(
        state.settings.method().name,
        "bm25-rm3",
        "it is switched to"
    );
    assert_eq!(lack(&state, &method), None);
    assert!(
        state.message.text.contains("--add e2graphrag big-index"),
        "{}",
        state.message.text
    );

    // Without the means to build it, the reason stands alone.
    facts.kinds = &[];
    let state = State::new(Arc::new(facts), settings);
    assert_eq!(lack(&state, &method), Some(Missing::Foreign(LAYER)));
}

#[test]
fn a_typed_edge_says_its_type() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-corpus/typed-graph");
    let read = read_corpus(std::slice::from_ref(&folder), &Default::default());
    let index = Index::build(read.unwrap().0, &BuildOptions::default(), &Silent).unwrap();
    index.look_beside(std::slice::from_ref(&folder));
    let index = Arc::new(index);
    let settings = Settings::of(&index, Method::by_name("spark").unwrap());
    let theme = Theme::load("mono", ColorLevel::None).unwrap();
    let mut stage = Stage::new(index, "", settings, theme, GlyphSet::Unicode.glyphs());
    stage.draw(160, 48);
    let mut names = std::collections::BTreeSet::new();
    for question in 0..stage.state.facts.questions.len() {
        stage.act(Action::AskNumber(question));
        let Some(scene) = stage.state.shown.as_ref().map(|shown| shown.scene.clone()) else {
            continue;
        };
        let seeds = scene.story.as_ref().map_or(&[][..], |story| &story.items);
        for place in 0..seeds.len().min(20) {
            stage.act(Action::Node(place as u32));
            let around = stage.state.detail().unwrap().node.clone();
            let rows = around.map_or_else(Vec::new, |around| around.neighbours);
            names.extend(rows.into_iter().map(|row| row.kind.into_owned()));
        }
    }
    // The plan is read to its end where the cursor is on its stage.
    stage.act(Action::AskNumber(0));
    stage.press("' m g");
    stage.draw(160, 48);
    let screen = plain(&stage.draw(160, 48));
    let plan = &stage.state.scene().unwrap().spread[0].foot;
    for word in plan.split_whitespace().filter(|word| word.len() < 30) {
        assert!(screen.contains(word), "{word} of {plan}\n{screen}");
    }
    assert!(names.contains("DISCOVERED"), "{names:?}");
    for vague in ["schema", "typed edge"] {
        assert!(!names.contains(vague), "{names:?}");
    }
}

#[test]
fn a_question_waits_for_nobody_who_works_in_the_background() {
    let index = sample();
    let (begin, begun) = channel();
    let held = Arc::new(Mutex::new(()));
    let hold = held.lock().unwrap();
    for _ in 0..rayon::current_num_threads() {
        let (begin, held) = (begin.clone(), held.clone());
        rayon::spawn(move || {
            begin.send(()).unwrap();
            drop(held.lock());
        });
    }
    for _ in 0..rayon::current_num_threads() {
        begun.recv().unwrap();
    }
    let (answer, answered) = channel();
    std::thread::spawn(move || {
        let settings = Settings::of(&index, Method::by_name("hop").unwrap());
        let request = Request {
            question: index.questions()[0].text.clone(),
            asked: Some(0),
            settings,
            subject: Subject::default(),
            view: View::Explore,
            browse: None,
        };
        let found = Engine::new(index).answer(&request).unwrap();
        answer.send(found.scene.passages.len()).unwrap();
    });
    let found = answered.recv_timeout(Duration::from_secs(60));
    drop(hold);
    assert!(found.is_ok_and(|rows| rows >= 10));
}

/// The answer is on screen before the verdict on a missed passage was put to the test: until then nothing is called a cause.
#[test]
fn an_answer_does_not_wait_for_the_test_of_its_verdict() {
    let index = sample();
    let settings = Settings::of(&index, Method::by_name("graph-rrf").unwrap());
    let mut engine = Engine::new(index.clone());
    let asked = index.questions().iter().enumerate();
    let told = std::sync::Mutex::new(Vec::new());
    for (at, question) in asked {
        for gold in &question.gold {
            let request = Request {
                question: question.text.clone(),
                asked: Some(at),
                settings: settings.clone(),
                subject: Subject {
                    passage: Some(gold.passage),
                    ..Subject::default()
                },
                view: View::Explore,
                browse: None,
            };
            let tell = |answer| told.lock().unwrap().push(answer);
            let done = engine.answer_while(&request, &tell, &|| true).unwrap();
            let done = done.detail.passage.clone().unwrap();
            assert!(!done.testing);
            let Some(first) = told.lock().unwrap().pop() else {
                assert!(done.reasons.is_empty(), "nothing to test");
                continue;
            };
            let first = first.detail.passage.clone().unwrap();
            assert!(first.testing && !first.reasons.is_empty());
            let tied = |code: &str| code == "TIED";
            assert!(
                first
                    .reasons
                    .iter()
                    .all(|r| !r.cause || tied(r.code.name()))
            );
            if done
                .reasons
                .iter()
                .any(|reason| reason.cause && !tied(reason.code.name()))
            {
                // Where nobody waits, nothing is tried.
                let left = engine.answer_while(&request, &|_| {}, &|| false).unwrap();
                let left = left.detail.passage.clone().unwrap();
                let proven = left.reasons.iter().any(|r| r.cause && !tied(r.code.name()));
                let alone = left
                    .reasons
                    .iter()
                    .any(|r| r.code.name().starts_with("ONE_"));
                assert!(!proven || alone);
                return;
            }
        }
    }
    panic!("no question of the sample loses gold with a cause");
}
