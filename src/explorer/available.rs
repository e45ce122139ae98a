//! Whether a command can be done now, and if not, why not: in words, since a greyed line without a reason teaches
//! nothing.

use super::command::Command;
use super::layout::{Pane, View};
use super::panes::filter;
use super::panes::rows;
use super::panes::{contents, need};
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
            "works where rows are listed; i asks a question",
        ),
        Command::NextQuestion | Command::PreviousQuestion => {
            need(!state.facts.questions.is_empty(), "this index came without questions; i asks one")
        }
        Command::NextLosing | Command::PreviousLosing if state.view == View::Annotate => {
            Err("would tell the verdict; in Annotate Enter goes through the queue".into())
        }
        Command::NextLosing | Command::PreviousLosing => {
            need(state.facts.questions.iter().any(|q| q.gold > 0), "no question of this index has known gold")
        }
        Command::Resume => need(
            state.offer.is_some(),
            "no earlier session of this index waits",
        ),
        Command::Answer => {
            let named = state.facts.model.is_some();
            need(named, "no model named: --llm endpoint:URL?model=NAME")?;
            let running = &state.answering.running;
            let running = running.request().filter(|_| running.going());
            let running = running.map(|asked| (&*asked.question, &asked.settings));
            need(
                running.is_none() || running != state.on_screen(),
                "it is being asked for, Esc stops",
            )?;
            need(state.shown.is_some(), "there is no result yet")
        }
        Command::History => need(!state.history.is_empty(), "no question was asked yet"),
        Command::Less | Command::More | Command::MuchLess | Command::MuchMore | Command::Default => {
            used(state, state.parameter)
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
            need(state.lesson.is_some(), "no lesson is on; F2 lists them")
        }
        Command::Messages => need(!state.said.is_empty(), "nothing was said yet"),
        Command::Unpin => need(state.pins.by_hand, "nothing is pinned; P pins this run"),
        Command::SwapPin => need(
            state.pins.first().settings != state.settings,
            "the live run has the settings of A",
        ),
        Command::Label => contents(Pane::Label).can_enter(state, 0),
        Command::Withdraw => need(
            state.labelling.labels.newest(&state.labelling.annotator).is_some(),
            "there is no label of yours",
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
            Err("nothing moves by itself with reduced_motion; . and , step".into())
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
            "the graph is as it was built; e e changes it",
        ),
        Command::Preview => match state.view {
            View::Annotate => Err("Annotate has the text already".into()),
            View::Evaluate => Err("rows here are questions and methods; 1 goes to Explore".into()),
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
        | Command::ExportGraphml => {
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
        Some(typed) if !filter::shows(state, state.focus, row) => {
            Err(format!("no row has {}; Esc shows all", typed.trim()))
        }
        _ => Ok(()),
    }
}

fn used(state: &State, parameter: Parameter) -> Result<(), String> {
    let method = state.settings.method();
    if method.uses().contains(&parameter) {
        Ok(())
    } else {
        Err(format!(
            "{} does not use {}; m chooses another method",
            method.name,
            parameter.declaration().label
        ))
    }
}

fn repair(state: &State) -> Result<(), String> {
    if !matches!(state.focus, Pane::Why | Pane::Reader) {
        return Err("works in Why, of a passage outside the list; w goes there".into());
    }
    let why = state.detail().and_then(|detail| detail.passage.as_ref());
    need(
        why.is_some_and(|why| !why.reasons.is_empty()),
        "this passage is inside the list",
    )
}

fn fix(state: &State, letter: usize) -> Result<(), String> {
    if !matches!(state.focus, Pane::Why | Pane::Reader) {
        return Err("works in Why, where suggestions have letters; w goes there".into());
    }
    match super::jobs::repair::suggested(state).len() {
        0 => Err(match state.repairing() {
            None => "no reason suggests a change; R looks for one".into(),
            Some(found) if found.done && found.repairs.tried == found.repairs.of => {
                found.repairs.sentence()
            }
            Some(found) => format!(
                "nothing was found among the {} changes tried so far",
                found.repairs.tried
            ),
        }),
        n => need(letter < n, "there are fewer suggestions"),
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
