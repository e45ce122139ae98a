//! Every lesson, played from start to end on the bundled sample: all its figures are there and all its claims hold.

use crate::support::{sample, stage_at};
use hopscope::evaluate::evaluate;
use hopscope::explorer::action::Action;
use hopscope::explorer::lesson::{Lesson, UNKNOWN, filled};
use hopscope::explorer::picture::plain;
use hopscope::explorer::stage::Stage;
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
    words.iter().map(|words| filled(words, scene)).collect()
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
