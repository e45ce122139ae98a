//! Whether a command can be done now, and if not, why not: in words, since a greyed line without a reason teaches
//! nothing.

use super::command::Command;
use super::layout::{Pane, View};
use super::panes::filter;
use super::panes::rows;
use super::panes::{contents, need};
use super::scene::Shows;
use super::state::State;
use super::targets;
use crate::retrieve::Parameter;

/// # Errors
/// Why the command cannot be done now.
pub fn available(command: Command, state: &State) -> Result<(), String> {
    if acts_on_row(command) {
        in_sight(state)?;
    }
    match command {
        Command::Filter => need(
            !filter::words(state, state.focus).is_empty(),
            "needs a list; press i to ask a question",
        ),
        Command::NextQuestion | Command::PreviousQuestion => {
            need(
                !state.facts.questions.is_empty() || !state.facts.suggested.is_empty(),
                "this index has no questions; press i to ask one",
            )
        }
        Command::NextLosing | Command::PreviousLosing if state.view == View::Annotate => {
            Err("it would reveal the verdict; Enter goes through the queue".into())
        }
        Command::NextLosing | Command::PreviousLosing => {
            need(state.facts.questions.iter().any(|q| q.gold > 0), "no question of this index has gold")
        }
        Command::Resume => need(
            state.offer.is_some(),
            "no earlier session for this index",
        ),
        Command::Answer => {
            let named = state.facts.model.is_some();
            need(named, "no model: start with --llm endpoint:URL?model=NAME")?;
            let running = &state.answering.running;
            let running = running.request().filter(|_| running.going());
            let running = running.map(|asked| (&*asked.question, &asked.settings));
            need(
                running.is_none() || running != state.on_screen(),
                "already asking; Esc stops",
            )?;
            need(state.shown.is_some(), "there is no result yet")
        }
        Command::History => need(!state.history.is_empty(), "no question was asked yet"),
        Command::Less | Command::More | Command::MuchLess | Command::MuchMore | Command::Default
            if state.view == View::Annotate =>
        {
            Err("keys label here; Esc, then p, steps a parameter".into())
        }
        Command::Less | Command::More | Command::MuchLess | Command::MuchMore | Command::Default => {
            used(state, state.parameter)
        }
        Command::Learn => {
            need(
                state.settings.method().uses().contains(&Parameter::Ranker),
                "this method has no ranker; m hop has",
            )?;
            need(!state.learning.going(), "already learning; Esc stops")
        }
        Command::Sweep => {
            used(state, state.parameter)?;
            need(state.shown.is_some(), "there is no result yet")
        }
        Command::SweepBoth => {
            used(state, state.parameter)?;
            let other = state.swept.filter(|other| *other != state.parameter);
            let other = other.ok_or("sweep another parameter first: S")?;
            used(state, other)?;
            need(state.shown.is_some(), "there is no result yet")
        }
        Command::Compare => need(
            state.detail().is_some_and(|detail| detail.passage.is_some()),
            "no passage is selected",
        ),
        Command::LessonOn | Command::LessonBack | Command::LessonLeave => {
            need(state.lesson.is_some(), "no lesson is running; F2 lists them")
        }
        Command::Messages => need(!state.said.is_empty(), "no messages yet"),
        Command::Unpin => need(state.pins.by_hand, "nothing is pinned; P pins this run"),
        Command::SwapPin => need(
            state.pins.first().settings != state.settings,
            "the live run and A have the same settings",
        ),
        Command::Label => contents(Pane::Label).can_enter(state, 0),
        Command::Withdraw => need(
            state.labelling.labels.newest(&state.labelling.annotator).is_some(),
            "you have no labels yet",
        ),
        Command::Repair => repair(state),
        Command::FixA => fix(state, 0),
        Command::FixB => fix(state, 1),
        Command::FixC => fix(state, 2),
        Command::Tune(parameter) => used(state, parameter),
        Command::Defaults => need(!state.settings.changed().is_empty(), "every parameter has its default"),
        Command::Undo => need(!state.undo.is_empty(), "nothing to undo"),
        Command::Redo => need(!state.redo.is_empty(), "nothing was undone"),
        Command::Play if state.still && !state.playing => {
            Err("reduced_motion is on; step with . and ,".into())
        }
        Command::Faster | Command::Slower | Command::Loop => {
            need(!state.still, "nothing moves by itself with reduced_motion")?;
            state.can_step()
        }
        Command::Play | Command::StepBack | Command::StepOn | Command::StepFirst | Command::StepLast => state.can_step(),
        Command::Left | Command::Right => match state.focus {
            Pane::Iterations | Pane::Heat | Pane::Step => state.can_step(),
            pane if state.in_columns(pane) => {
                need(rows::count(state, pane) > 0, "nothing is drawn")
            }
            Pane::Parameters => used(state, state.parameter),
            Pane::Reader | Pane::Queue => Ok(()),
            _ => Err("works in Parameters, Iterations, pictures and an open passage; h and l move the slider anywhere".into()),
        },
        Command::Browse | Command::FindNode => around(state),
        Command::HideNode => {
            browses(state)?;
            let drawn = state.browsed().is_some_and(|b| b.at.shows != Shows::Routes);
            need(drawn && rows::count(state, state.focus) > 0, "no node is selected")
        }
        Command::UnhideNode => {
            browses(state)?;
            need(!state.browse.hidden.is_empty(), "no node is hidden")
        }
        Command::Routes | Command::PictureNodes => {
            browses(state)?;
            need(state.browsed().is_some(), "there is no result yet")
        }
        Command::MuteSeed if state.focus == Pane::Why => {
            targets::signal(state).map(|_| ())
        }
        Command::MuteSeed | Command::WeighSeed => {
            walks(state)?;
            targets::seed(state).map(|_| ())
        }
        Command::AddSeed => walks(state),
        Command::PassageSeeds => used(state, Parameter::SeedK),
        Command::JoinNames | Command::MuteName => {
            targets::possible(state)?;
            targets::name(state).map(|_| ())
        }
        Command::CutEdge => {
            targets::possible(state)?;
            targets::edge(state).map(|_| ())
        }
        Command::GraphEdits | Command::LoadPatch => targets::possible(state),
        Command::SavePatch => need(
            !state.settings.graph_edits().is_empty(),
            "no graph edits; e e makes one",
        ),
        Command::Preview => match state.view {
            View::Annotate => Err("Annotate already shows the text".into()),
            View::Evaluate => Err("no passages in this view; 1 goes to Explore".into()),
            _ if state.reading.is_some() => Err("the passage is open already; Esc closes it".into()),
            _ => Ok(()),
        },
        Command::Open => contents(state.focus).can_enter(state, state.list(state.focus).cursor),
        Command::Suspend => need(cfg!(unix), "this system's shells do not stop jobs"),
        Command::Copy
        | Command::CopyJson
        | Command::CopyShell
        | Command::ExportRun
        | Command::ExportJson
        | Command::ExportRows
        | Command::ExportDot
        | Command::ExportGraphml
        | Command::ExportGexf
        | Command::ExportNodeLink
        | Command::ExportHtml => {
            need(state.shown.is_some(), "there is no result yet")
        }
        _ => Ok(()),
    }
}

/// Whether a command is about the row under the cursor.
fn acts_on_row(command: Command) -> bool {
    use Command::{Copy, CutEdge, JoinNames, MuteName, MuteSeed, Open, WeighSeed};
    matches!(
        command,
        Copy | CutEdge | JoinNames | MuteName | MuteSeed | Open | WeighSeed
    )
}

/// Nothing happens to a row that nobody sees.
fn in_sight(state: &State) -> Result<(), String> {
    let row = state.list(state.focus).cursor;
    match filter::typed(state, state.focus) {
        Some(typed) if !filter::shows(state, state.focus, row) => Err(format!(
            "no row matches {}; Esc clears the filter",
            typed.trim()
        )),
        _ => Ok(()),
    }
}

/// Whether nodes have a neighbourhood: the method walks a graph.
fn around(state: &State) -> Result<(), String> {
    let scene = state.scene().ok_or("there is no result yet")?;
    need(
        scene.walks,
        &format!(
            "{} does not walk a graph; press m for a method that walks",
            scene.settings.method().name
        ),
    )
}

/// Whether the neighbourhood has the keyboard.
fn browses(state: &State) -> Result<(), String> {
    around(state)?;
    let key = state.keymap.shown(Command::Browse);
    let key = key.map_or_else(String::new, |key| format!("; {key} goes there"));
    need(
        state.browses(),
        &format!("works in the neighbourhood of a node{key}"),
    )
}

fn used(state: &State, parameter: Parameter) -> Result<(), String> {
    let method = state.settings.method();
    if method.uses().contains(&parameter) {
        Ok(())
    } else {
        Err(format!(
            "{} does not use {}; press m for another method",
            method.name,
            parameter.declaration().label
        ))
    }
}

fn repair(state: &State) -> Result<(), String> {
    if !matches!(state.focus, Pane::Why | Pane::Reader) {
        return Err("needs a missed passage in Why; w goes there".into());
    }
    let why = state.why();
    need(
        why.is_some_and(|why| !why.reasons.is_empty()),
        "this passage is already in the top k",
    )
}

fn fix(state: &State, letter: usize) -> Result<(), String> {
    if !matches!(state.focus, Pane::Why | Pane::Reader) {
        return Err("works in Why, where suggestions have letters; w goes there".into());
    }
    match super::jobs::repair::suggested(state).len() {
        0 => Err(match state.repairing() {
            None => "no repair suggested; R searches for one".into(),
            Some(found) if found.done && found.repairs.tried == found.repairs.of => {
                found.repairs.sentence()
            }
            Some(found) => format!("none of {} changes tried so far helps", found.repairs.tried),
        }),
        n => need(letter < n, "no repair with this letter"),
    }
}

fn walks(state: &State) -> Result<(), String> {
    let method = state.settings.method();
    match method.ignores_edits() {
        None => Ok(()),
        Some(why) => Err(format!(
            "{} {why}; m chooses a method that walks",
            method.name
        )),
    }
}
