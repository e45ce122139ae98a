//! The other views, driven by keys on the bundled sample: pinned runs, the set, and the walk through its questions.

use crate::support::{hear, sample, screen, stage, stage_at};
use hopscope::evaluate::{Comparison, MEASURES, Resampling, Survival, evaluate};
use hopscope::explain::Format;
use hopscope::explorer::action::{Action, Effect};
use hopscope::explorer::command::Command;
use hopscope::explorer::hits::Target;
use hopscope::explorer::jobs::pins::{Asking, Pinned};
use hopscope::explorer::jobs::score::Scoring;
use hopscope::explorer::jobs::trials::Trial;
use hopscope::explorer::jobs::{Doer, News, Tell, Work};
use hopscope::explorer::layout::{Pane, View};
use hopscope::explorer::scene::{Gold, Scene, Sign};
use hopscope::explorer::stage::Stage;
use hopscope::explorer::update::update;
use hopscope::parameters::{ALPHA, STEPS};
use hopscope::retrieve::{Keep, Retriever};
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn tab_reaches_every_pane_of_every_view_at_every_size() {
    for (width, height) in [(160, 48), (120, 36), (100, 30), (80, 24), (60, 16)] {
        for (key, view) in [
            ("2", View::Compare),
            ("3", View::Flow),
            ("4", View::Graph),
            ("5", View::Evaluate),
            ("6", View::Annotate),
        ] {
            let mut stage = stage_at(width, height);
            stage.press(key);
            assert_eq!(stage.state.view, view);
            let mut seen = BTreeSet::new();
            for _ in 0..6 {
                stage.draw(width, height);
                let pane = stage.state.focus;
                let shown = stage.state.hits.area(Target::Pane(pane)).is_some();
                assert!(shown, "{pane:?} is drawn at {width}x{height}");
                seen.insert(pane);
                stage.press("Tab");
            }
            let all: BTreeSet<Pane> = view.panes().iter().copied().collect();
            let all = &all - &BTreeSet::from([Pane::Question]);
            assert_eq!(seen, all, "{width}x{height}");
        }
    }
}

#[test]
fn a_pinned_run_stays_and_the_live_one_is_held_against_it() {
    let mut stage = stage();
    let before = stage.state.scene().unwrap().clone();
    // Nothing is pinned: the opening settings stand there, and there is nothing to drop or exchange.
    assert!(!stage.state.pins.by_hand && stage.state.against().is_none());
    stage.press("D");
    assert!(stage.state.message.text.contains("nothing is pinned"));
    stage.press("X");
    assert!(stage.state.message.text.contains("have the same settings"));
    stage.press("P");
    assert!(stage.state.message.text.starts_with("pinned as A"));
    stage.press("P");
    assert!(stage.state.message.text.contains("already pinned as A"));
    stage.act(Action::Set("alpha".into(), "0.6".into()));
    stage.act(Action::Set("steps".into(), "2".into()));
    // Marks are against A, over both changes.
    let ranks = stage.state.against().unwrap();
    let of_a: Vec<_> = before
        .passages
        .iter()
        .map(|r| (r.passage, r.rank))
        .collect();
    assert_eq!(ranks.len(), of_a.len());
    assert!(of_a.iter().all(|(passage, rank)| ranks[passage] == *rank));
    // The pin is asked along with the next question, by its own settings.
    stage.press("]");
    let question = stage.state.wanted.question.clone();
    let pin = stage.state.pins.first().clone();
    let scene = pin.scene(&question).unwrap();
    let mut retriever = Retriever::new(sample());
    let run = retriever
        .retrieve(&question, &pin.settings, Keep::Scores)
        .unwrap();
    let shown: Vec<u32> = scene.passages.iter().map(|r| r.passage).take(10).collect();
    let asked: Vec<u32> = run
        .passages
        .iter()
        .map(|hit| hit.passage)
        .take(10)
        .collect();
    assert_eq!(shown, asked);
    // Exchanged and exchanged back.
    let live = stage.state.settings.clone();
    stage.press("X");
    assert_eq!(stage.state.settings, pin.settings);
    assert_eq!(stage.state.pins.first().settings, live);
    stage.press("X");
    assert_eq!(stage.state.settings, live);
    // Three at most, and dropped from the newest on.
    stage.press("P");
    stage.act(Action::Method("bm25".into()));
    stage.press("P");
    stage.act(Action::Method("dense".into()));
    stage.press("P");
    assert!(stage.state.message.text.contains("D removes one"));
    stage.press("D");
    assert!(stage.state.message.text.starts_with("C dropped; 2 pinned"));
    stage.press("D");
    stage.press("D");
    assert!(!stage.state.pins.by_hand);
}

#[test]
fn spread_marks_which_nodes_moved_against_the_pinned_run() {
    let mut stage = stage_at(160, 48);
    let marked = |stage: &mut Stage| -> Vec<String> {
        let drawn = hopscope::explorer::picture::plain(&stage.draw(160, 48));
        // Spread is the middle one of three panes.
        let middle = |line: &str| line.chars().skip(38).take(52).collect::<String>();
        let rows = drawn.lines().map(middle);
        let moved = rows.filter(|row| row.contains(['↑', '↓']) || row.contains(" new "));
        moved.collect()
    };
    stage.act(Action::Set("alpha".into(), "0.3".into()));
    assert!(marked(&mut stage).is_empty(), "only against a pinned run");
    stage.press("P");
    let before = stage.state.scene().unwrap().clone();
    stage.act(Action::Set("steps".into(), "3".into()));
    let now = stage.state.scene().unwrap().clone();
    let told = marked(&mut stage);
    let place = |scene: &Scene, label: &str| {
        let rows = &scene.spread[0].rows;
        rows.iter().position(|row| row.label == label).unwrap() + 1
    };
    let shown = now.spread[0].rows.iter().take(14);
    let moved = shown.filter(|row| place(&before, &row.label) != place(&now, &row.label));
    let moved: Vec<_> = moved.map(|row| &row.label).collect();
    assert!(!moved.is_empty());
    for label in moved {
        let (was, is) = (place(&before, label), place(&now, label));
        let arrow = if is < was { '↑' } else { '↓' };
        let mark = format!("{arrow}{}", was.abs_diff(is));
        let beginning: String = label.chars().take(8).collect();
        let row = told.iter().find(|row| row.contains(&beginning));
        assert!(
            row.is_some_and(|row| row.contains(&mark)),
            "{label} {mark}: {told:#?}"
        );
    }
    // At an earlier step the two ends are not held against each other.
    stage.press(",");
    assert!(marked(&mut stage).is_empty());
}

#[test]
fn the_run_of_another_program_is_read_by_its_path_and_compared() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("theirs.run");
    let id = sample().questions()[0].id.clone();
    let lines = ["ulugh-beg", "jantar-mantar", "nowhere"].iter().zip(1..);
    let lines = lines.map(|(passage, rank)| format!("{id} Q0 {passage} {rank} {} x\n", 9 - rank));
    std::fs::write(&file, lines.collect::<String>()).unwrap();
    let mut stage = stage_at(160, 48);
    stage.press("P m");
    stage.type_text(file.to_str().unwrap());
    stage.press("Enter");
    let scene = stage.state.scene().unwrap().clone();
    let ids: Vec<&str> = scene.passages.iter().map(|row| &*row.id).collect();
    assert_eq!(
        ids,
        ["ulugh-beg", "jantar-mantar"],
        "what the index has of it"
    );
    stage.press("2");
    let drawn = hopscope::explorer::picture::plain(&stage.draw(160, 48));
    assert!(drawn.contains("theirs.run"), "{drawn}");
    assert!(drawn.contains("changes cannot be tried singly"), "{drawn}");
    // Another question is not in the file: that is said, and no verdict is made up.
    stage.press("1 ]");
    let drawn = hopscope::explorer::picture::plain(&stage.draw(160, 48));
    assert!(drawn.contains("has no ranking of this question"), "{drawn}");
    // A file that is none says where and why, and the method stays.
    let method = stage.state.settings.method().name.to_string();
    std::fs::write(&file, "q01 beaufort-11\n").unwrap();
    stage.press("m");
    stage.type_text(file.to_str().unwrap());
    stage.press("Enter");
    assert!(stage.state.message.text.contains("line 1: 2 columns"));
    assert_eq!(stage.state.settings.method().name, *method);
}

#[test]
fn compare_says_which_change_did_it() {
    let mut stage = stage();
    stage.press("P");
    let base = stage.state.settings.clone();
    stage.act(Action::Set("alpha".into(), "0.7".into()));
    stage.act(Action::Set("steps".into(), "1".into()));
    assert!(
        stage.state.pins.subsets.is_none(),
        "not asked before it is looked at"
    );
    stage.press("2");
    let (changes, columns) = stage.state.pins.subsets.clone().unwrap();
    let ids: BTreeSet<_> = changes.iter().map(|change| change.0).collect();
    assert_eq!(ids, BTreeSet::from([ALPHA.id(), STEPS.id()]));
    assert_eq!(columns.len(), 4);
    // The ends are A and the live run, as they are on screen.
    let ranks = |gold: &[Gold]| gold.iter().map(|g| g.rank).collect::<Vec<_>>();
    let question = stage.state.wanted.question.clone();
    let a = stage.state.pins.first().scene(&question).unwrap();
    assert_eq!(columns[0].gold, ranks(&a.gold));
    assert_eq!(columns[3].gold, ranks(&stage.state.scene().unwrap().gold));
    // The two between are runs of one change.
    let mut retriever = Retriever::new(sample());
    for (at, column) in [(0, &columns[1]), (1, &columns[2])] {
        let mut one = base.clone();
        let (parameter, value) = changes[at];
        one.set(parameter, value, hopscope::retrieve::Origin::User);
        let run = retriever.retrieve(&question, &one, Keep::Scores).unwrap();
        let gold = sample().questions()[stage.state.wanted.asked.unwrap()]
            .gold
            .clone();
        let own: Vec<_> = gold
            .iter()
            .map(|g| run.place(g.passage).map(|p| p.0))
            .collect();
        assert_eq!(column.gold, own);
    }
    // Another change asks again; another method has no steps between.
    stage.press("l");
    assert_eq!(stage.state.pins.subsets.as_ref().unwrap().1.len(), 4);
    stage.act(Action::Method("bm25".into()));
    assert!(stage.state.pins.subsets.is_none());
    let drawn = hopscope::explorer::picture::plain(&stage.draw(160, 48));
    assert!(drawn.contains("changes cannot be tried singly"), "{drawn}");
}

#[test]
fn a_pin_is_asked_what_it_lacks_and_nothing_twice() {
    let mut stage = stage();
    stage.press("P");
    stage.act(Action::Set("alpha".into(), "0.7".into()));
    stage.press("2");
    let asked = |effects: Vec<Effect>| {
        let mut pins = effects.into_iter().filter_map(|effect| match effect {
            Effect::Begin(Work::Pins(asking)) => Some(*asking),
            _ => None,
        });
        pins.next()
    };
    // The live run changes: which change did it is asked, A has its answer.
    let change = Action::Set("steps".into(), "1".into());
    let asking = asked(update(&mut stage.state, change)).unwrap();
    assert!(asking.requests.is_empty());
    assert_eq!(asking.changes.as_ref().unwrap().1.len(), 2);
    // Another question: A is asked, fails, and is not asked for the same again.
    let next = asked(update(&mut stage.state, Action::AskNumber(3)));
    let next = next.unwrap();
    assert_eq!(next.requests.len(), 1);
    let question = next.requests[0].1.question.clone();
    let failed = Pinned {
        answers: vec![(0, question, Err("no layer".to_owned()))],
        subsets: None,
    };
    hear::<Asking>(&mut stage, News::Over(Some(failed)));
    let change = Action::Set("alpha".into(), "0.2".into());
    let again = asked(update(&mut stage.state, change)).unwrap();
    assert!(again.requests.is_empty());
    let back = asked(update(&mut stage.state, Action::AskNumber(4)));
    assert_eq!(back.unwrap().requests.len(), 1, "another question is");
    // What was on its way to a place that holds another run now is dropped.
    update(&mut stage.state, Action::Do(Command::SwapPin));
    let pins = &stage.state.pins;
    let asking = pins.asking.request().unwrap();
    assert_eq!(asking.requests[0].1.settings, pins.first().settings);
}

#[test]
fn a_set_that_is_not_asked_says_why() {
    let mut stage = stage();
    for (key, view) in [("2", View::Compare), ("5", View::Evaluate)] {
        stage.press(key);
        assert_eq!(stage.state.view, view);
        let drawn = hopscope::explorer::picture::plain(&stage.draw(160, 48));
        assert!(drawn.contains("evaluating the set"), "{drawn}");
        let why = "set not evaluated: these settings call a server";
        hear::<Scoring>(&mut stage, News::Failed(why.to_owned()));
        let drawn = hopscope::explorer::picture::plain(&stage.draw(160, 48));
        assert!(
            drawn.contains("set not evaluated: these settings call a server"),
            "{drawn}"
        );
        assert!(!drawn.contains("evaluating the set"), "{drawn}");
        assert!(!drawn.contains("no question of this index"), "{drawn}");
    }
}

#[test]
fn evaluate_shows_what_an_evaluation_says_and_its_questions_are_walked() {
    let mut stage = stage();
    stage.scores = true;
    stage.press("P");
    let base = stage.state.settings.clone();
    stage.act(Action::Set("steps".into(), "1".into()));
    stage.press("5");
    let score = stage.state.score().unwrap().clone();
    assert!(score.judged && score.done == score.of);
    let index = sample();
    let [a, b] = [&base, &stage.state.settings]
        .map(|s| evaluate(&index, index.questions(), s, |_| true).unwrap());
    let compared = Comparison::new(&a, &b, Resampling::default());
    for (name, d) in MEASURES.iter().zip(&score.differences) {
        let whole = compared.get(name).unwrap();
        assert_eq!((d.mean_a, d.mean_b), (whole.mean_a, whole.mean_b), "{name}");
    }
    // The funnel is the evaluation's, over the judged questions.
    let fates: Vec<_> = score.asked.iter().map(|q| &q.fate).collect();
    let own = Survival::counted(&fates, stage.state.settings.method());
    let judged = b.per_question.iter().zip(index.questions());
    let judged: Vec<_> = judged
        .filter(|(_, q)| q.wanted() > 0)
        .map(|(row, _)| &row.fate)
        .collect();
    assert_eq!(
        own,
        Survival::counted(&judged, stage.state.settings.method())
    );
    // The most harmed first.
    let gains: Vec<f64> = score.listed(None).iter().map(|q| q.gain()).collect();
    assert!(gains.is_sorted() && gains[0] < 0.0);
    // A class narrows the list, and each question of it loses gold so.
    stage.act(Action::Focus(Pane::Lost));
    stage.press("Enter");
    let class = stage.state.class.unwrap();
    let listed: Vec<usize> = score.listed(Some(class)).iter().map(|q| q.at).collect();
    assert!(!listed.is_empty() && listed.len() < score.asked.len());
    assert_eq!(stage.state.focus, Pane::Questions);
    stage.press("Enter");
    assert_eq!(stage.state.view, View::Explore);
    assert_eq!(stage.state.wanted.asked, Some(listed[0]));
    let place = format!("1 of {} listed", listed.len());
    assert!(
        stage.state.message.text.starts_with(&place),
        "{}",
        stage.state.message.text
    );
    // n goes on in this list, N back, around its ends.
    for at in listed.iter().skip(1).chain([&listed[0]]) {
        stage.press("n");
        assert_eq!(stage.state.wanted.asked, Some(*at));
        let lost = stage.state.detail().unwrap().passage.clone().unwrap();
        assert!(!lost.reasons.is_empty(), "a lost passage is selected");
    }
    stage.press("N");
    assert_eq!(stage.state.wanted.asked, listed.last().copied());
    // A question taken otherwise ends the walk.
    stage.press("]");
    assert!(stage.state.listed.is_none());
}

#[test]
fn methods_are_held_against_each_other_on_the_question() {
    let mut stage = stage();
    stage.press("5");
    let trials = stage.state.trials.clone().unwrap();
    assert_eq!(trials.rows.len(), trials.settings.len());
    let trial = trials.running.request().unwrap();
    let mut retriever = Retriever::new(sample());
    for (row, settings) in trials.rows.iter().zip(&trials.settings) {
        assert_eq!(row.method, *settings.method().name);
        let run = retriever
            .retrieve(&trial.question, settings, Keep::Scores)
            .unwrap();
        let gold = sample().questions()[stage.state.wanted.asked.unwrap()]
            .gold
            .clone();
        let own: Vec<_> = gold
            .iter()
            .map(|g| run.place(g.passage).map(|p| p.0))
            .collect();
        assert_eq!(row.column.as_ref().unwrap().gold, own, "{}", row.method);
    }
    // The set is asked after the question, and told of each method by the settings it was asked with.
    assert_eq!(stage.state.tried_worth(0), None);
    let mut doer = Doer::new(sample(), &[], None);
    let told = Mutex::new(Vec::new());
    let few = Trial {
        unknown: trial.unknown[..2].to_vec(),
        ..trial.clone()
    };
    let asked = AtomicUsize::new(0);
    let stops = |after: usize| asked.fetch_add(1, Ordering::Relaxed) >= after;
    let tell = |part| told.lock().unwrap().push(part);
    few.ask_set(&mut doer, &Tell::new(&tell, &|| stops(100)));
    let so_far = told.lock().unwrap().len();
    assert_eq!(so_far, 1, "one method and a part of the next");
    let rest = Trial {
        unknown: few.unknown[1..].to_vec(),
        ..few.clone()
    };
    rest.ask_set(&mut doer, &Tell::new(&tell, &|| stops(usize::MAX)));
    let asked = asked.into_inner();
    assert_eq!(asked, 2 * 86 + 1, "no question is asked twice");
    let running = &mut stage.state.trials.as_mut().unwrap().running;
    let _ = running.begin(few.clone());
    for part in told.into_inner().unwrap() {
        hear::<Trial>(&mut stage, News::Part(part));
    }
    for (at, settings) in few.unknown.iter().enumerate() {
        let set = evaluate(&sample(), sample().questions(), settings, |_| true).unwrap();

        let own = set.measures.get("R@5");
        assert_eq!(stage.state.tried_worth(at), own);
    }
    // Enter takes the method under the cursor.
    stage.act(Action::Focus(Pane::Methods));
    let at = trials
        .rows
        .iter()
        .position(|row| row.method == "bm25")
        .unwrap();
    (0..at).for_each(|_| stage.press("Down"));
    stage.press("Enter");
    assert_eq!(&*stage.state.settings.method().name, "bm25");
}

#[test]
fn history_lists_every_run_over_the_set_and_what_changed() {
    let mut stage = stage();
    stage.scores = true;
    stage.press("5");
    let first = stage.state.settings.clone();
    stage.act(Action::Set("alpha".into(), "0.9".into()));
    stage.act(Action::Set("steps".into(), "1".into()));
    // Another pin scores the same settings again, which is the same run.
    stage.press("P");
    let runs = &stage.state.scores;
    assert_eq!(runs.len(), 3);
    let whole = |settings| evaluate(&sample(), sample().questions(), settings, |_| true).unwrap();
    let sets: Vec<_> = runs.iter().map(|run| whole(&run.settings)).collect();
    for (run, set) in runs.iter().zip(&sets) {
        assert_eq!(Some(run.worth), set.measures.get("R@5"));
    }
    assert_eq!(runs[0].since, None);
    assert_eq!(runs[0].changed, *first.method().name);
    for at in 1..3 {
        let since = Comparison::new(&sets[at - 1], &sets[at], Resampling::default());
        assert_eq!(runs[at].since.as_ref(), since.get("R@5"));
    }
    let steps = format!("steps T {} > 1", first.text(STEPS.id()));
    assert_eq!(runs[2].changed, steps);
    // Newest first; Enter takes the settings of the first run back, which is a new run.
    stage.act(Action::Focus(Pane::History));
    let drawn = screen(&mut stage);
    assert!(
        drawn.contains("what changed") && drawn.contains(&steps),
        "{drawn}"
    );
    stage.press("G Enter");
    assert_eq!(stage.state.settings, first);
    assert_eq!(stage.state.scores.len(), 4);
}

#[test]
fn what_is_on_screen_is_written_to_files() {
    let mut stage = stage();
    let id = sample().questions()[0].id.clone();
    stage.press("E r");
    let (run, name) = stage.copied.pop().unwrap();
    assert_eq!(name, "hopscope-run.run");
    let scene = stage.state.scene().unwrap().clone();
    assert_eq!(run.lines().count(), scene.passages.len());
    let first = &scene.passages[0];
    let line = format!(
        "{id} Q0 {} 1 {} graph-hybrid",
        first.key, first.score as f32
    );
    assert_eq!(run.lines().next(), Some(&*line));
    stage.act(Action::Focus(Pane::Passages));
    stage.press("E t");
    let (rows, _) = stage.copied.pop().unwrap();
    let cells: Vec<Vec<&str>> = rows.lines().map(|l| l.split('\t').collect()).collect();
    let at = |head: &str| cells[0].iter().position(|cell| *cell == head).unwrap();
    assert_eq!(cells.len(), 11);
    assert_eq!(cells[1][at("id")], first.id);
    assert!(cells.iter().all(|row| row.len() == cells[0].len()));
    stage.press("E j");
    let (json, name) = stage.copied.pop().unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&*name, &json["passages"][0]["id"]),
        ("hopscope-passages.json", &serde_json::json!(first.id))
    );
    // The traced graph is what the shell's trace writes.
    let settings = stage.state.settings.clone();
    let run = Retriever::new(sample())
        .retrieve(&scene.question, &settings, Keep::States)
        .unwrap();
    let traced = hopscope::explain::trace(&sample(), &run, Some(&sample().questions()[0]));
    for (keys, name, format) in [
        ("E d", "hopscope-graph.dot", Format::Dot),
        ("E g", "hopscope-graph.graphml", Format::Graphml),
        ("E x", "hopscope-graph.gexf", Format::Gexf),
        ("E n", "hopscope-graph.json", Format::NodeLink),
        ("E h", "hopscope-graph.html", Format::Html),
    ] {
        stage.press(keys);
        let text = format.write(&traced.subgraph);
        assert_eq!(stage.copied.pop().unwrap(), (text, name.to_owned()));
    }
    // Every format of the shell has a key here.
    for format in Format::ALL {
        let shell = format!("hopscope trace INDEX QUESTION --as {}", format.name());
        assert!(Command::all().any(|own| own.shell() == shell), "{shell}");
    }
    // A pane without a list says so.
    stage.act(Action::Focus(Pane::Parameters));
    stage.press("E t");
    assert!(stage.copied.is_empty() && stage.state.message.text.contains("no list"));
}

#[test]
fn what_was_said_is_kept_newest_first() {
    let mut stage = stage();
    stage.act(Action::Set("alpha".into(), "0.4".into()));
    let first = stage.state.message.text.clone();
    stage.press("D");
    let second = stage.state.message.text.clone();
    stage.press("F3");
    let drawn = hopscope::explorer::picture::plain(&stage.draw(160, 48));
    let at = |words: &str| drawn.find(&words[..24]).unwrap();
    assert!(at(&second) < at(&first), "{drawn}");
    stage.type_text("dropp");
    stage.press("Enter");
    assert_eq!(stage.state.said.len(), 2);
}

#[test]
fn changes_of_the_graph_are_told_of_in_its_picture() {
    let mut stage = stage();
    stage.act(Action::Method("graph".into()));
    stage.act(Action::Ask("Who discovered the moon Titan?".into()));
    stage.press("4");
    let drawn = |stage: &Stage| stage.state.ways().unwrap().clone();
    let marked = |stage: &Stage| {
        let links = drawn(stage).links;
        links.iter().filter(|link| link.edited).count()
    };
    assert!(drawn(&stage).edits.is_empty() && marked(&stage) == 0);
    // A path over an edge that is not in the corpus shows by hand.
    stage.act(Action::Edit("add Titan | #jantar-mantar".into()));
    let told = drawn(&stage).edits;
    assert_eq!(told[0].0, "add Titan | #jantar-mantar");
    let over: usize = told[0].1.split(' ').nth(2).unwrap().parse().unwrap();
    assert!(over > 0 && marked(&stage) > 0, "{told:?}");
    let text = screen(&mut stage);
    assert!(text.contains("x add Titan | #jantar-mantar"), "{text}");
    // Cut instead, no path can take it.
    stage.act(Action::Edit("cut Titan | #jantar-mantar".into()));
    stage.act(Action::Edit("cut Titan | #cassini-huygens".into()));
    let told = drawn(&stage).edits;
    let cut = told.iter().find(|told| told.0.contains("cassini"));
    assert_eq!(cut.unwrap().1, "on no path drawn here");
    assert_eq!(marked(&stage), 0, "{told:?}");
    // What changes nothing says why.
    stage.act(Action::Edit("mute Nobody At All".into()));
    let told = drawn(&stage).edits;
    assert!(
        told.last().unwrap().1.starts_with("has no effect: no "),
        "{told:?}"
    );
}

#[test]
fn the_label_strip_says_where_the_answer_stands() {
    let mut stage = stage();
    let asked = |words: &str| {
        let all = sample();
        let mut questions = all.questions().iter();
        questions
            .position(|q| q.answers.iter().any(|a| a == words))
            .unwrap()
    };
    stage.act(Action::AskNumber(asked("Tamerlane")));
    stage.press("6");
    let text = screen(&mut stage);
    let line = |text: &str, words: &str| -> String {
        let mut lines = text.lines().filter(|line| line.contains("answer  "));
        lines
            .find(|line| line.contains(words))
            .unwrap_or_default()
            .to_owned()
    };
    assert!(line(&text, "Timur").contains("in G ulugh-beg"), "{text}");
    assert!(
        line(&text, "Tamerlane").contains("in no passage, as written"),
        "{text}"
    );
    // Blind, the strip does not tell what is gold.
    stage.press("e b");
    let text = screen(&mut stage);
    assert!(line(&text, "Timur").contains("in ulugh-beg"), "{text}");
    // A typed question has no known answer.
    stage.act(Action::Ask("Who discovered the moon Titan?".into()));
    assert_eq!(line(&screen(&mut stage), ""), "");
}

#[test]
fn a_folded_pane_keeps_the_name_that_was_not_linked() {
    let mut stage = stage_at(80, 24);
    let mut seen = 0;
    for question in 0..sample().questions().len() {
        stage.act(Action::AskNumber(question));
        let drawn = screen(&mut stage);
        let scene = stage.state.scene().unwrap();
        let lost = scene.seeds.iter().find(|seed| seed.sign == Sign::Lost);
        let folded = drawn.lines().find(|line| line.starts_with("+ Seeds"));
        if let Some((lost, folded)) = lost.zip(folded) {
            let begins: String = lost.label.chars().take(20).collect();
            assert!(folded.contains(&begins), "{folded}: {}", lost.label);
            seen += 1;
        }
    }
    assert!(seen > 3, "{seen}");
}
