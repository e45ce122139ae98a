//! A system with a graph of its own on screen: a small one, written here, whose every figure is known.

mod explorer_support;

use explorer_support::sample;
use hopscope::explorer::action::Action;
use hopscope::explorer::available::{Lack, lack};
use hopscope::explorer::building::News;
use hopscope::explorer::engine;
use hopscope::explorer::glyphs::GlyphSet;
use hopscope::explorer::layout::Pane;
use hopscope::explorer::picture::plain;
use hopscope::explorer::rows::{self, StoryLine};
use hopscope::explorer::scene::Facts;
use hopscope::explorer::stage::Stage;
use hopscope::explorer::state::State;
use hopscope::explorer::theme::{ColorLevel, Theme};
use hopscope::explorer::update::update;
use hopscope::index::{Columns, Index, IndexError, Layer, Progress, Step};
use hopscope::parameters::RESULT_K;
use hopscope::retrieve::{Hit, Parameter, RetrieveError, Settings};
use hopscope::retrieve::{Method, Way};
use hopscope::systems::{
    Ask, Cut, Edge, Entry, Found, Item, LayerKind, Part, Reason, Stage as Told, Story, System,
};
use insta::assert_snapshot;
use serde_json::json;
use std::borrow::Cow;
use std::sync::Arc;

/// Passages by how often they have a word of the question, with two rounds of neighbours by title.
#[derive(Debug)]
struct Toy;

#[derive(Debug)]
struct Answer {
    passages: Vec<Hit>,
    words: Vec<String>,
    k: usize,
}

const LAYER: &str = "toy";

impl System for Toy {
    fn uses(&self) -> &'static [Parameter] {
        &[Parameter::SeedK]
    }

    fn layer(&self) -> Option<&'static str> {
        Some(LAYER)
    }

    fn reads_vectors(&self) -> bool {
        false
    }

    fn search(&self, ask: &mut Ask<'_>) -> Result<Arc<dyn Found>, RetrieveError> {
        let words: Vec<String> = ask
            .question
            .split_whitespace()
            .map(|w| w.trim_matches('?').to_owned())
            .filter(|w| w.chars().next().is_some_and(char::is_uppercase))
            .collect();
        let counted = |p: u32| -> usize {
            let of = |w: &String| ask.index.text(p).matches(w.as_str()).count();
            words.iter().map(of).sum()
        };
        let mut passages: Vec<Hit> = (0..ask.index.len() as u32)
            .map(|p| Hit {
                passage: p,
                score: counted(p) as f32,
            })
            .filter(|hit| hit.score > 0.0)
            .collect();
        passages.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.passage.cmp(&b.passage)));
        (ask.stage)("count");
        Ok(Arc::new(Answer {
            passages,
            words,
            k: ask.settings.get(RESULT_K),
        }))
    }
}

impl Found for Answer {
    fn passages(&self) -> &[Hit] {
        &self.passages
    }

    fn story(&self, index: &Index) -> Story {
        let mut story = Story::default();
        story.headline = format!(
            "mode count: {} words of the question are names",
            self.words.len()
        );
        let mut link = Told {
            name: "link",
            kind: "link",
            counters: vec![("words", json!(self.words.len())), ("share", json!(0.5))],
            ..Told::default()
        };
        for word in &self.words {
            let item = story.item(Item {
                kind: "entity",
                label: word.clone(),
                text: "a word with\u{1b}[31m control characters".into(),
                ..Item::default()
            });
            let entry = Entry {
                item,
                value: 1.0,
                why: format!("'{word}' is written with a capital"),
            };
            link.nodes.push(entry.clone());
            story.seeds.push(entry);
        }
        let mut count = Told {
            name: "count",
            kind: "spread",
            counters: vec![("h", json!(2)), ("found", json!(self.passages.len()))],
            ..Told::default()
        };
        let mut select = Told {
            name: "select",
            kind: "select",
            counters: vec![("top", json!(self.k))],
            ..Told::default()
        };
        for (at, hit) in self.passages.iter().take(30).enumerate() {
            let item = story.item(Item {
                kind: "chunk",
                label: index.title(hit.passage).into(),
                passage: Some(hit.passage),
                ..Item::default()
            });
            count.nodes.push(Entry {
                item,
                value: f64::from(hit.score),
                why: format!("counted {} times", hit.score),
            });
            for (word, name) in self.words.iter().enumerate() {
                let times = index.text(hit.passage).matches(name.as_str()).count();
                if times > 0 {
                    count.edges.push(Edge {
                        from: word,
                        to: item,
                        value: times as f64,
                        kind: "mention",
                        why: format!("'{name}' occurs {times} times"),
                    });
                }
            }
            if at >= self.k {
                let last = f64::from(self.passages[self.k - 1].score);
                select.cut.push(Cut {
                    item,
                    code: "CUT_BY_K",
                    margin: last - f64::from(hit.score),
                });
            }
        }
        story.stages = vec![link, count, select];
        story.timeline = vec![0, 1, 2];
        story
    }

    fn why(&self, _: &Index, passage: u32) -> String {
        format!("passage {passage} says names of the question")
    }

    fn parts(&self, index: &Index, passage: u32) -> Vec<Part> {
        let one = |w: &String| Part {
            label: w.clone(),
            value: index.text(passage).matches(w.as_str()).count() as f64,
            why: format!("every place in {} that says '{w}'", index.id(passage)),
            ..Part::default()
        };
        self.words.iter().map(one).collect()
    }

    fn missing(&self, _: &Index, passage: u32) -> Vec<Reason> {
        let rank = self.passages.iter().position(|h| h.passage == passage);
        let fix = rank.map(|at| format!("result_k={} brings it in", at + 1));
        vec![Reason {
            code: "CUT_BY_K",
            class: "F6",
            text: "other passages say more names".into(),
            fix,
        }]
    }
}

static TOY: Method = Method {
    name: Cow::Borrowed("toy"),
    title: Cow::Borrowed("Toy"),
    about: Cow::Borrowed("counts names"),
    needs: Cow::Borrowed("words"),
    way: Way::System(&Toy),
    defaults: Cow::Borrowed(&[]),
};

fn stage_of(width: u16, height: u16, question: usize) -> Stage {
    let index = sample();
    let settings = Settings::of(&index, &TOY);
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
    let scene = stage.state.scene().unwrap();
    let story = scene.story.clone().unwrap();
    assert!(story.items.iter().all(|item| !item.text.contains('\u{1b}')));
    for row in scene.passages.iter().take(20) {
        let sum: f64 = row.shares.iter().sum();
        assert!((sum - row.score).abs() < 1e-9, "{} {sum}", row.id);
    }
    let why = stage.state.detail().unwrap().passage.clone().unwrap();
    let sum: f64 = why.parts.iter().map(|p| p.value).sum();
    assert!((sum - why.score).abs() < 1e-9);
    assert!(!why.sentence.is_empty());

    // A seed is selected: its edges are the neighbours, and Enter walks along them.
    stage.press("' s g j");
    assert_eq!(rows::item(&stage.state, &story), Some(story.seeds[1].item));
    stage.press("Enter");
    assert_eq!(stage.state.focus, Pane::Neighbours);
    let edges = rows::story_edges(&story, story.seeds[1].item);
    assert_eq!(rows::count(&stage.state, Pane::Neighbours), edges.len());
    stage.press("j Enter");
    assert_eq!(rows::item(&stage.state, &story), Some(edges[1].2));
    let passage = story.items[edges[1].2].passage;
    assert_eq!(stage.state.wanted.subject.passage, passage);
    stage.press("Esc");
    assert_eq!(rows::item(&stage.state, &story), Some(story.seeds[1].item));

    // Long stages fold; the timeline shows one stage whole.
    let lines = rows::story_lines(&stage.state, &story);
    let more = lines.iter().position(|l| *l == StoryLine::More(1)).unwrap();
    stage.press("' m g");
    (0..more).for_each(|_| stage.press("Down"));
    stage.press("Enter");
    let whole = rows::story_lines(&stage.state, &story);
    assert!(whole.len() > lines.len() && !whole.contains(&StoryLine::More(1)));
    stage.press("{ .");
    let step = rows::story_lines(&stage.state, &story);
    assert_eq!(step[0], StoryLine::Stage(1));
    assert_eq!(step.len(), 1 + story.stages[1].nodes.len());
    stage.press(". .");
    assert_eq!(stage.state.earlier_step(), None, "the whole story is last");

    // The selection stays on its item when the search is done again.
    stage.press("' s g");
    let label = story.items[story.seeds[0].item].label.clone();
    stage.act(Action::Set("result_k".into(), "3".into()));
    let scene = stage.state.scene().unwrap();
    let after = scene.story.as_deref().unwrap();
    let item = rows::item(&stage.state, after).unwrap();
    assert_eq!(after.items[item].label, label);
    // Another kind of method counts nodes its own way.
    stage.act(Action::Method("graph".into()));
    assert!(stage.state.scene().unwrap().story.is_none());
    assert!(stage.state.detail().unwrap().node.is_some());
}

#[test]
fn a_lost_passage_has_a_suggestion_that_works() {
    let mut stage = stage_of(120, 36, 1);
    let lost = stage.state.scene().unwrap().passages[12].passage;
    stage.act(Action::Passage(lost));
    stage.press("w a");
    assert_eq!(stage.state.settings.get(RESULT_K), 13);
    stage.press("z");
    assert_eq!(stage.state.settings.get(RESULT_K), 10);
    stage.press("w C");
    assert!(stage.copied.last().unwrap().0.contains("--method toy"));
    stage.press("' m Y");
    let copied: serde_json::Value = serde_json::from_str(&stage.copied.last().unwrap().0).unwrap();
    assert_eq!(copied["story"]["timeline"], json!([0, 1, 2]));
}

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

fn build(index: &Index, _: &Settings, progress: &dyn Progress) -> Result<(), IndexError> {
    for done in 0..=10 {
        if !progress.advance(Step::Layer(LAYER), done, 10) {
            return Err(IndexError::Cancelled);
        }
    }
    index.add_layer(ToyLayer);
    Ok(())
}

static KINDS: [LayerKind; 1] = [LayerKind {
    name: LAYER,
    about: "nothing at all",
    build,
}];

#[test]
fn a_missing_layer_is_said_and_built_with_progress() {
    let index = sample();
    let mut facts: Facts = engine::facts(&index, "big-index");
    facts.kinds = &KINDS;
    facts.small = false;
    let settings = Settings::of(&index, Method::by_name("bm25").unwrap());
    let mut state = State::new(Arc::new(facts.clone()), settings.clone());
    assert_eq!(lack(&state, &TOY), Some(Lack::Layer(LAYER)));
    let said = Lack::Layer(LAYER).reason(&facts);
    assert!(
        said.contains("hopscope index --add toy big-index"),
        "{said}"
    );

    let heard = std::sync::Mutex::new(Vec::new());
    let tell = |news| heard.lock().unwrap().push(news);
    let last =
        hopscope::explorer::building::build(&index, &KINDS, LAYER, &settings, &tell, &|| false);
    assert!(matches!(last, News::Done(_)), "{last:?}");
    assert_eq!(heard.lock().unwrap().len(), 11);
    let stopped =
        hopscope::explorer::building::build(&index, &KINDS, LAYER, &settings, &tell, &|| true);
    assert_eq!(stopped, News::Failed("stopped".into()));

    state.building = Some(hopscope::explorer::building::Building {
        layer: LAYER,
        method: "bm25-rm3".into(),
        step: LAYER,
        done: 0,
        total: 0,
    });
    update(&mut state, Action::Building(News::At(LAYER, 3, 10)));
    assert_eq!(
        state.building.as_ref().unwrap().said(),
        "layer toy: 3 of 10"
    );
    update(&mut state, Action::Building(last));
    assert_eq!(
        state.settings.method().name,
        "bm25-rm3",
        "it is switched to"
    );
    assert_eq!(lack(&state, &TOY), None);
    assert!(
        state.message.text.contains("--add toy big-index"),
        "{}",
        state.message.text
    );

    // Without the means to build it, the reason stands alone.
    facts.kinds = &[];
    let state = State::new(Arc::new(facts), settings);
    assert_eq!(lack(&state, &TOY), Some(Lack::Foreign(LAYER)));
}
