//! Every lesson, played from start to end on the bundled sample: all its figures are there and all its claims hold.

use crate::support::{sample, stage_at, stage_with};
use hopscope::evaluate::evaluate;
use hopscope::explorer::action::{Action, Message};
use hopscope::explorer::command::Command;
use hopscope::explorer::glyphs::GlyphSet;
use hopscope::explorer::layout::Pane;
use hopscope::explorer::lesson::{Lesson, UNKNOWN};
use hopscope::explorer::picture::plain;
use hopscope::explorer::stage::Stage;
use hopscope::explorer::state::State;
use hopscope::retrieve::{Method, Settings};

fn words(stage: &Stage) -> Vec<String> {
    let playing = stage.state.lesson.as_ref().unwrap();
    let step = playing.step();
    let mut words = vec![step.ask.clone()];
    words.extend(step.choices.clone());
    words.push(match playing.chosen {
        None => step.say.clone(),
        Some(_) => step.reveal.clone(),
    });
    let scene = stage.state.scene();
    words
        .iter()
        .map(|words| playing.filled(words, scene))
        .collect()
}

#[test]
fn every_lesson_is_true() {
    let mut wrong = Vec::new();
    for lesson in Lesson::shipped() {
        let name = lesson.name.clone();
        let mut stage = stage_at(120, 36);
        let before = stage.state.settings.clone();
        stage.act(Action::Lesson(name.clone()));
        for (at, step) in lesson.steps.iter().enumerate() {
            let place = format!("{name}, step {}", at + 1);
            let playing = stage.state.lesson.as_ref().unwrap();
            assert_eq!(playing.at, at, "{place}");
            let asks = playing.waits();
            assert_eq!(asks, !step.ask.is_empty(), "{place}");
            for round in 0..=usize::from(asks) {
                let playing = stage.state.lesson.as_ref().unwrap();
                assert!(playing.queue.is_empty(), "{place}: {:?}", playing.queue);
                let failing = playing.failing(stage.state.scene());
                wrong.extend(failing.iter().map(|claim| format!("{place}: {claim}")));
                for said in words(&stage) {
                    if said.contains(UNKNOWN) {
                        wrong.push(format!("{place}: {said}"));
                    }
                    assert!(
                        !said.contains('{') && !said.contains('}'),
                        "{place}: {said}"
                    );
                }
                let screen = plain(&stage.draw(120, 36));
                assert!(screen.contains(&lesson.title), "{place}: {screen}");
                if asks && round == 0 {
                    stage.press(">");
                    assert_eq!(
                        stage.state.message.text, "answer first: press a letter",
                        "{place}"
                    );
                    let right = step.right().unwrap();
                    stage.press(["a", "b", "c", "d"][right]);
                    let screen = plain(&stage.draw(120, 36));
                    assert!(screen.contains("right"), "{place}: {screen}");
                }
            }
            stage.press(">");
        }
        assert!(stage.state.lesson.is_none(), "{name} ends");
        assert_eq!(
            stage.state.settings, before,
            "{name} gives the settings back"
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Somebody works: a question of their own choice, a pin, graph and seed edits, another view, a filter.
fn at_work() -> Stage {
    let mut stage = stage_with(120, 36, "graph-hybrid", GlyphSet::Unicode, 4);
    stage.act(Action::Set("alpha".into(), "0.3".into()));
    stage.act(Action::Edit("mute London".into()));
    stage.press("P");
    stage.act(Action::Set("steps".into(), "3".into()));
    stage.press("3");
    stage.draw(120, 36);
    stage.press(",");
    stage
}

#[test]
fn a_lesson_leaves_nothing_behind() {
    for lesson in Lesson::shipped() {
        for steps in [1, lesson.steps.len()] {
            let mut stage = at_work();
            stage.draw(120, 36);
            let screen = |stage: &mut Stage| {
                stage.act(Action::Told(Message::default()));
                plain(&stage.draw(120, 36))
            };
            let (before, was) = (screen(&mut stage), stage.state.clone());
            stage.act(Action::Lesson(lesson.name.clone()));
            assert!(stage.state.lesson.is_some(), "{}", lesson.name);
            assert_ne!(screen(&mut stage), before);
            for step in &lesson.steps[..steps - 1] {
                if let Some(right) = step.right() {
                    stage.press(["a", "b", "c", "d"][right]);
                }
                stage.press(">");
            }
            stage.act(Action::Do(Command::LessonLeave));
            let now = &stage.state;
            let place = format!("{} after {steps}", lesson.name);
            assert!(now.lesson.is_none() && !now.aside, "{place}");
            assert_eq!(now.settings, was.settings, "{place}");
            assert_eq!(now.wanted, was.wanted, "{place}");
            assert_eq!((now.view, now.focus), (was.view, was.focus), "{place}");
            assert_eq!((now.step, now.zoom), (was.step, was.zoom), "{place}");
            let pinned = |state: &State| {
                let list = state.pins.list.iter();
                list.map(|pin| pin.settings.clone()).collect::<Vec<_>>()
            };
            assert_eq!(pinned(now), pinned(&was), "{place}");
            assert_eq!(now.undo, was.undo, "{place}");
            assert_eq!(now.session, was.session, "{place}");
            assert_eq!(now.facts.fingerprint, was.facts.fingerprint, "{place}");
            assert_eq!(screen(&mut stage), before, "{place}");
        }
    }
}

/// What is said about a step of the walk is marked where another one is on screen.
#[test]
fn words_about_a_step_say_so_beside_another() {
    let mut stage = stage_at(120, 36);
    stage.act(Action::Lesson("restart".into()));
    stage.press(">");
    let screen = plain(&stage.draw(120, 36));
    assert!(screen.contains("Step 0: all mass"), "{screen}");
    assert!(!screen.contains("on screen:"), "{screen}");
    stage.press(". .");
    let screen = plain(&stage.draw(120, 36));
    assert!(
        screen.contains("about step 0; on screen: step 2"),
        "{screen}"
    );
    assert!(!screen.contains("written for"), "{screen}");
}

/// A small graph is drawn whole, with the numbers of the walk: at every size, and for any corpus of that size.
#[test]
fn five_nodes_are_drawn_with_their_mass() {
    for (width, height) in [(160, 48), (100, 30), (80, 24)] {
        let mut stage = stage_at(width, height);
        stage.act(Action::Lesson("pagerank".into()));
        stage.press("> a");
        let screen = plain(&stage.draw(width, height));
        for word in [
            "Fizeau",
            "Paris",
            "toothed wheel",
            "iron tower",
            "old sewers",
        ] {
            assert!(screen.contains(word), "{width}: {word}\n{screen}");
        }
        assert!(screen.contains(".9900"), "{width}\n{screen}");
        let scene = stage.state.scene().unwrap();
        let whole = scene.whole.as_deref().unwrap();
        assert!(whole.is_bipartite());
        for (step, mass) in whole.flow.steps.iter().enumerate() {
            let all: f64 = mass.mass.iter().flatten().sum();
            assert!((all - 1.0).abs() < 1e-6, "step {step}: {all}");
            // What arrives is what crosses edges and what restarts.
            let came: f64 = whole.crossed[step].iter().flatten().sum();
            let back: f64 = whole.restarted[step].iter().flatten().sum();
            assert!(step == 0 || (came + back - 1.0).abs() < 1e-6, "step {step}");
        }
    }
    // A graph of more nodes is not.
    assert!(stage_at(120, 36).state.scene().unwrap().whole.is_none());
}

#[test]
fn personalized_pagerank_is_found_by_its_names() {
    let mut stage = stage_at(160, 48);
    let screen = plain(&stage.draw(160, 48));
    assert!(screen.contains("(PPR)"), "{screen}");
    for typed in ["pagerank", "ppr", "damping"] {
        stage.press("Ctrl-P");
        stage.type_text(typed);
        let screen = plain(&stage.draw(160, 48));
        assert!(screen.contains("Tune restart"), "{typed}: {screen}");
        stage.press("Esc");
    }
}

/// Before a class at most three panes stand on the screen, in every view.
#[test]
fn presenting_shows_three_panes_at_most() {
    use hopscope::explorer::layout::{Face, View};
    for (width, height) in [(160, 48), (120, 36), (100, 30), (80, 24)] {
        let mut stage = stage_at(width, height);
        stage.press("F5");
        for (key, view) in ["1", "2", "3", "4", "5", "6"].iter().zip(View::ALL) {
            stage.press(key);
            stage.draw(width, height);
            assert_eq!(stage.state.view, view);
            for _ in 0..view.panes().len() {
                let area = ratatui::layout::Rect::new(0, 0, width, height);
                let plan = stage.state.plan(area);
                let open = plan.slots.iter().filter(|slot| slot.face != Face::Line);
                let open: Vec<_> = open.map(|slot| slot.pane).collect();
                let panes = open.iter().filter(|pane| **pane != Pane::Question).count();
                assert!(panes <= 3, "{width} {view:?}: {open:?}");
                assert!(
                    open.contains(&stage.state.focus),
                    "{width} {view:?} {:?}: {open:?}",
                    stage.state.focus
                );
                stage.press("Tab");
                stage.draw(width, height);
            }
        }
    }
}

/// What a lesson has people guess about the whole set.
#[test]
fn words_beat_a_walk_from_names_alone_on_the_sample() {
    let index = sample();
    let [words, walk] = ["bm25", "graph"].map(|method| {
        let settings = Settings::of(&index, Method::by_name(method).unwrap());
        let all = evaluate(&index, index.questions(), &settings, |_| true).unwrap();
        all.measures.get("R@5").unwrap()
    });
    assert!(words > walk + 0.1, "{words} {walk}");
}

#[test]
fn a_step_back_is_the_step_as_it_was() {
    let mut stage = stage_at(120, 36);
    stage.act(Action::Lesson("restart".into()));
    stage.press("> >");
    stage.press("a");
    let playing = stage.state.lesson.clone().unwrap();
    assert_eq!((playing.at, playing.chosen), (2, Some(0)));
    let screen = plain(&stage.draw(120, 36));
    assert!(screen.contains("wrong"), "{screen}");
    let settings = stage.state.settings.clone();
    // Back to the same step: what the answer changed is taken back, and can be answered anew.
    stage.press("> <");
    let again = stage.state.lesson.clone().unwrap();
    assert_eq!((again.at, again.chosen), (2, None));
    assert_ne!(stage.state.settings, settings);
    stage.press("c");
    assert_eq!(
        stage.state.settings.text(hopscope::parameters::ALPHA.id()),
        "0.9"
    );
    // Another index or other settings: what does not hold is said.
    stage.act(Action::Set("alpha".into(), "0.1".into()));
    let screen = plain(&stage.draw(160, 48));
    assert!(screen.contains("does not hold on this index"), "{screen}");
}

#[test]
fn presenting_sets_rows_apart_and_rounds() {
    let mut stage = stage_at(120, 36);
    let whole = plain(&stage.draw(120, 36));
    assert!(whole.contains("Parameters"));
    stage.press("F5");
    stage.draw(120, 36);
    let few = plain(&stage.draw(120, 36));
    assert!(
        !few.contains("Parameters") && few.contains("Passages"),
        "{few}"
    );
    let row = |start: &str| few.lines().position(|line| line.contains(start)).unwrap();
    assert_eq!(row("┃   2 ") - row("┃>  1 "), 2, "{few}");
    stage.press("F5");
    assert_eq!(plain(&stage.draw(120, 36)), whole);
}
