//! What a command acts on: the seed, signal, name or edge under the cursor, or why there is none.

use super::layout::Pane;
use super::panes::rows;
use super::scene::{Basis, Row, Sign};
use super::state::State;
use crate::layers::edits::NameEdge;
use crate::parameters::Param;
use crate::ranker::Group;
use crate::retrieve::SeedChange;
use crate::retrieve::hop::Signal;
use crate::retrieve::operators::ranked::weight;

/// How a row that is a passage is named.
pub const PASSAGE: char = '#';

/// The seed or edit under the cursor: its name, and the change it has.
pub fn seed(state: &State) -> Result<(String, Option<SeedChange>), String> {
    let scene = state.scene().ok_or("there is no result yet")?;
    let row = state.list(Pane::Seeds).cursor;
    let row = scene.seeds.get(row).or(scene.seeds.last());
    match row.map(|row| (row.sign, row)) {
        Some((Sign::Plain | Sign::Changed, row)) if !row.name.is_empty() => {
            Ok((row.name.clone(), row.change))
        }
        Some((Sign::Heading, _)) => {
            Err("this row is a group of seeds; s d removes them all".into())
        }
        Some((Sign::Lost, _)) => Err("this name is not a seed; s a adds one".into()),
        _ => Err("no seed is selected; s a adds one".into()),
    }
}

/// The signal, or the group of the ranker's functions, under the cursor of Why: the parameter that is its weight.
pub fn signal(state: &State) -> Result<Param<f64>, String> {
    let scene = state.scene().ok_or("there is no result yet")?;
    if scene.basis != Basis::Signals {
        return Err("works on the signals of hop, and on seeds; ' s goes there".into());
    }
    let why = state.why();
    let part = why.and_then(|why| why.parts.get(state.list(Pane::Why).cursor));
    let label = part.map_or("", |part| &part.label);
    let signal = Signal::ALL.into_iter().find(|s| s.label() == label);
    let group = Group::ALL.into_iter().find(|group| group.label() == label);
    let weight = signal.map(Signal::weight).or(group.map(weight));
    weight.ok_or_else(|| "no signal is selected".to_owned())
}

/// The name that is selected: in Seeds, Spread or Neighbours the one under the cursor, else the node that Neighbours shows.
pub fn name(state: &State) -> Result<String, String> {
    let none = || "select a name in Seeds, Spread or Neighbours".to_owned();
    let scene = state.scene().ok_or("there is no result yet")?;
    let at = state.list(state.focus).cursor;
    let around = state.around();
    let row: Option<&Row> = match state.focus {
        Pane::Seeds => scene.seeds.get(at),
        Pane::Neighbours => around.and_then(|around| around.neighbours.get(at)),
        _ => None,
    };
    // In Spread and in pictures the node under the cursor, once what is known of it has come.
    let wanted = match state.focus {
        pane @ (Pane::Spread | Pane::Flow | Pane::Heat | Pane::Paths) => {
            rows::subject(state, pane, at).and_then(|subject| subject.node)
        }
        _ => around.map(|around| around.node),
    };
    let own = around.filter(|around| Some(around.node) == wanted);
    let own = own.map(|around| around.name.as_str());
    let named = [row.map(|row| row.name.as_str()), own];
    let mut named = named.into_iter().flatten();
    let name = named.find(|name| !name.is_empty() && !name.starts_with(PASSAGE));
    name.map(str::to_owned).ok_or_else(none)
}

/// The edge under the cursor of Neighbours.
pub fn edge(state: &State) -> Result<NameEdge, String> {
    if state.focus != Pane::Neighbours {
        return Err("needs an entity-passage edge: select one in Neighbours (' n)".into());
    }
    let around = state.around();
    let around = around.ok_or("there is no result yet")?;
    let row = around.neighbours.get(state.list(Pane::Neighbours).cursor);
    let row = row.ok_or("no edge is selected")?;
    let ends = [&around.name, &row.name];
    let passage = ends.iter().find_map(|end| end.strip_prefix(PASSAGE));
    let name = ends
        .iter()
        .find(|end| !end.is_empty() && !end.starts_with(PASSAGE));
    match (name, passage) {
        (Some(name), Some(passage)) => Ok(NameEdge {
            name: (*name).clone(),
            passage: passage.to_owned(),
        }),
        _ => Err("not an entity-passage edge".into()),
    }
}

/// Whether changes of the graph reach the method.
pub fn possible(state: &State) -> Result<(), String> {
    let method = state.settings.method();
    match method.ignores_graph_edits() {
        None => Ok(()),
        Some(why) => Err(format!(
            "{} {why}; m chooses a method over names",
            method.name
        )),
    }
}
