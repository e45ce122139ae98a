//! Every command that `C` copies, typed: the real binary prints the figures of the screen.

use crate::support::{shell_words, stage};
use hopscope::evaluate::MEASURES;
use hopscope::explorer::action::Action;
use hopscope::explorer::command::Command;
use hopscope::explorer::layout::{Pane, View};
use hopscope::explorer::scene::Scene;
use hopscope::explorer::stage::Stage;
use serde_json::Value;
use std::collections::BTreeMap;
use std::process;

/// What a command prints as JSON, and that it prints something to read.
fn printed(command: &str) -> Value {
    let words = shell_words(command);
    let run = |more: &[&str]| {
        let mut program = process::Command::new(env!("CARGO_BIN_EXE_hopscope"));
        let out = program.args(&words[1..]).args(more).output().unwrap();
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{command}: {said}");
        out.stdout
    };
    assert!(!run(&[]).is_empty(), "{command}");
    serde_json::from_slice(&run(&["--json"])).unwrap()
}

/// A value as it is read back: a number may lose its last bit.
fn read(value: impl serde::Serialize) -> Value {
    serde_json::from_str(&serde_json::to_string(&value).unwrap()).unwrap()
}

/// Identifiers and scores are those of a run on screen.
#[track_caller]
fn ranks(printed: &Value, scene: &Scene) {
    let printed = printed.as_array().unwrap();
    let shown = &scene.passages[..scene.top_k];
    assert_eq!(printed.len(), shown.len());
    for (printed, shown) in printed.iter().zip(shown) {
        assert_eq!(printed["id"], shown.id);
        let score = printed["score"].as_f64().unwrap();
        assert!(
            (score - shown.score).abs() < 1e-6,
            "{printed}: {}",
            shown.score
        );
    }
}

fn compared(printed: &Value, stage: &Stage) {
    let state = &stage.state;
    let question = &state.wanted.question;
    let pins = state
        .pins
        .list
        .iter()
        .map(|pin| &**pin.scene(question).unwrap());
    let runs = printed["runs"].as_array().unwrap();
    let shown: Vec<&Scene> = pins.chain(state.scene()).collect();
    assert_eq!(runs.len(), shown.len());
    for (run, scene) in runs.iter().zip(shown) {
        ranks(&run["passages"], scene);
        assert_eq!(run["measures"]["R@5"], read(scene.measure("R@5")));
    }
    let (changes, columns) = state.pins.subsets.as_ref().unwrap();
    let tried = printed["subsets"]["tried"].as_array().unwrap();
    assert_eq!((changes.len(), tried.len()), (2, columns.len()));
    for (tried, column) in tried.iter().zip(columns) {
        assert_eq!(tried["worth"], read(column.worth));
    }
}

fn evaluated(printed: &Value, stage: &Stage) {
    let score = stage.state.score().unwrap();
    let live = printed["methods"].as_array().unwrap().last().unwrap();
    let compared = &printed["comparisons"][0]["measures"];
    for (name, d) in MEASURES.iter().zip(&score.differences) {
        assert_eq!(live["measures"][name], read(d.mean_b), "{name}");
        assert_eq!(compared[name], read(d), "{name}");
    }
    if let Some(losses) = printed["losses"].as_array() {
        let lost: usize = score.classes().iter().map(|counted| counted.count).sum();
        assert_eq!(losses.last().unwrap()["lost"], lost);
    }
}

/// What `C` copies in every pane of some views, and the pane.
fn commands(stage: &mut Stage, views: &[View]) -> BTreeMap<String, Pane> {
    let mut commands = BTreeMap::new();
    for view in views {
        stage.act(Action::Do(match view {
            View::Explore => Command::ViewExplore,
            View::Compare => Command::ViewCompare,
            View::Flow => Command::ViewFlow,
            View::Graph => Command::ViewGraph,
            View::Evaluate => Command::ViewEvaluate,
            View::Annotate => Command::ViewAnnotate,
        }));
        for &pane in view.panes() {
            if matches!(pane, Pane::Queue | Pane::Label) {
                continue;
            }
            stage.state.focus = pane;
            stage.act(Action::Do(Command::CopyShell));
            let (command, what) = stage.copied.last().unwrap();
            assert_eq!(what, "command", "{pane:?}");
            commands.entry(command.clone()).or_insert(pane);
        }
    }
    commands
}

#[test]
fn every_copied_command_prints_what_is_on_screen() {
    let mut stage = stage();
    stage.scores = true;
    // Changes that both runs have, then those that part them.
    stage.act(Action::Edit("mute Saturn".into()));
    stage.act(Action::Seed("+#titan=2".into()));
    stage.press("P");
    stage.act(Action::Set("alpha".into(), "0.4".into()));
    stage.act(Action::Set("steps".into(), "2".into()));
    let first = stage.state.scene().unwrap().passages[0].passage;
    stage.act(Action::Passage(first));
    // Annotate opens where the work is, at another question.
    let (annotate, others): (Vec<View>, Vec<View>) = View::ALL
        .into_iter()
        .partition(|view| *view == View::Annotate);
    let commands = commands(&mut stage, &others);
    stage.act(Action::Do(Command::ViewExplore));
    let verbs = agreed(&mut stage, &commands);
    assert_eq!(verbs, ["ask", "compare", "eval", "explain", "trace"]);
    stage.press("D");
    stage.act(Action::Do(Command::ViewAnnotate));
    let commands = self::commands(&mut stage, &annotate);
    assert!(!agreed(&mut stage, &commands).is_empty());
}

/// Runs commands and holds what they print against the screen; their verbs.
fn agreed(stage: &mut Stage, commands: &BTreeMap<String, Pane>) -> Vec<String> {
    let mut verbs: Vec<String> = Vec::new();
    for (command, pane) in commands {
        let verb = shell_words(command).swap_remove(1);
        if verb == "labels" {
            continue;
        }
        let printed = printed(command);
        let scene = stage.state.scene().unwrap();
        match &*verb {
            "ask" => ranks(&printed["passages"], scene),
            "trace" => ranks(&printed["ranking"], scene),
            "compare" => compared(&printed, stage),
            "eval" => evaluated(&printed, stage),
            "explain" => {
                let why = stage.state.detail().unwrap().passage.as_ref().unwrap();
                assert_eq!(printed["id"], why.id);
                // One that the walk did not reach has none.
                let score = printed["score"].as_f64().unwrap_or_default();
                assert!((score - why.score).abs() < 1e-6, "{printed}");
            }
            other => panic!("{other} of {pane:?} is not held against anything"),
        }
        verbs.push(verb);
    }
    verbs.sort_unstable();
    verbs.dedup();
    verbs
}

#[test]
fn a_run_says_what_its_preset_and_its_index_say() {
    let mut stage = stage();
    stage.act(Action::Preset("2wiki".into()));
    stage.press("2");
    stage.act(Action::Set("alpha".into(), "0.4".into()));
    stage.act(Action::Do(Command::CopyShell));
    let (command, _) = stage.copied.last().unwrap().clone();
    let printed = printed(&command);
    ranks(
        &printed["runs"][1]["passages"],
        stage.state.scene().unwrap(),
    );
    // Graph edits that the runs do not share cannot be said for both.
    stage.act(Action::Edit("mute Saturn".into()));
    stage.act(Action::Do(Command::CopyShell));
    let (command, what) = stage.copied.last().unwrap();
    assert!(
        !command.contains("--edit") && what.contains("left out"),
        "{what}"
    );
}
