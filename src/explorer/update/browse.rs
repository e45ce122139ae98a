//! Walking over the graph: columns of neighbours that follow the cursor, best paths between two nodes, and the picture of
//! what was walked over.

use super::{ask, finder, moves};
use crate::explorer::action::{Effect, Message};
use crate::explorer::command::{Command, IN_COLUMNS};
use crate::explorer::keys::Stroke;
use crate::explorer::layout::Pane;
use crate::explorer::panes::rows;
use crate::explorer::scene::{Browse, Browsed, Pick, Shows, Subject};
use crate::explorer::state::{Drawn, FinderKind, State};
use crate::explorer::text;
use crate::retrieve::Node;

/// A key that means something else here.
pub fn command(state: &State, stroke: Stroke) -> Option<Command> {
    let typed = stroke.typed().filter(|_| state.browses())?;
    let own = IN_COLUMNS.iter().find(|(key, _)| *key == typed);
    own.map(|(_, command)| *command)
}

/// Goes to the neighbourhood of the selected node; from there to the seeds.
pub fn open(state: &mut State) -> Vec<Effect> {
    let seeds = state.browses() && state.browse.shows == Shows::Columns;
    let selected = state.wanted.subject.node;
    let node = selected.filter(|_| !seeds && state.scene().is_some_and(|scene| scene.walks));
    // A seed is found among the others.
    let seed = |node: Node| {
        state
            .scene()
            .is_some_and(|scene| scene.seed(node).is_some())
    };
    let root = node.filter(|node| !seed(*node));
    let trail = node.into_iter().map(Pick::Node).collect();
    show(state, root, trail)
}

/// Goes to the neighbourhood of a node.
pub fn go_to(state: &mut State, node: Node) -> Vec<Effect> {
    state.browse.hidden.retain(|hidden| *hidden != node);
    show(state, Some(node), vec![Pick::Node(node)])
}

/// Goes into it along a path.
pub fn along(state: &mut State, nodes: &[Node]) -> Vec<Effect> {
    let trail = nodes.iter().copied().map(Pick::Node).collect();
    show(state, nodes.first().copied(), trail)
}

fn show(state: &mut State, root: Option<Node>, trail: Vec<Pick>) -> Vec<Effect> {
    let focused = moves::focus(state, Pane::Paths);
    state.drawn = Some(Drawn::Around);
    state.browse.root = root;
    state.browse.trail = trail;
    state.browse.shows = Shows::Columns;
    let asked = ask::request(state);
    // One request is enough, and the newest is what counts.
    if asked.is_empty() { focused } else { asked }
}

/// The row of the columns that the cursor goes to.
pub fn select(state: &mut State, row: usize) -> Vec<Effect> {
    let place = rows::place(state, Pane::Paths, row);
    let node = state
        .browsed()
        .zip(place)
        .and_then(|(browsed, (lane, row))| browsed.flow.lanes[lane].rows[row].node);
    let (Some((lane, _)), Some(node)) = (place, node) else {
        return Vec::new();
    };
    state.browse.trail.truncate(lane);
    state.browse.trail.push(Pick::Node(node));
    ask::request(state)
}

/// Up and down in a column that is not on screen yet; none where it is.
pub fn ahead(state: &mut State, by: isize) -> Option<Vec<Effect>> {
    if !state.browses() || state.browse.shows != Shows::Columns {
        return None;
    }
    let Some(Pick::Row(row)) = state.browse.trail.last_mut() else {
        return None;
    };
    *row = row.saturating_add_signed(by).min(1_000);
    Some(ask::request(state))
}

/// Into the node under the cursor, or back the way one came.
pub fn sideways(state: &mut State, by: isize) -> Vec<Effect> {
    let trail = &mut state.browse.trail;
    if by > 0 {
        if state.browsed().is_some_and(leads_nowhere) && state.browse.node().is_some() {
            return state.say(Message::plain(
                "no neighbour is left to go to; u brings hidden nodes back",
            ));
        }
        state.browse.trail.push(Pick::Row(0));
    } else if trail.len() > 1 {
        trail.pop();
    } else if state.browse.root.take().is_some() {
        trail.clear();
    } else {
        return Vec::new();
    }
    ask::request(state)
}

fn leads_nowhere(browsed: &Browsed) -> bool {
    let depth = browsed.at.trail.len();
    let next = browsed.flow.lanes.get(depth);
    next.is_none_or(|lane| lane.rows.is_empty())
}

/// The node under the cursor, whatever is drawn, and what it is called.
fn under(state: &State) -> Option<(Node, String)> {
    let row = state.list(Pane::Paths).cursor;
    let (lane, at) = rows::place(state, Pane::Paths, row)?;
    let row = &state.browsed()?.flow.lanes[lane].rows[at];
    Some((row.node?, row.label.clone()))
}

/// Leaves the node under the cursor out.
pub fn hide(state: &mut State) -> Vec<Effect> {
    let Some((node, label)) = under(state) else {
        return Vec::new();
    };
    let next = beside(state);
    let browse = &mut state.browse;
    if browse.root == Some(node) {
        return state.say(Message::warning(
            "the first column has this node alone; Left goes to the seeds",
        ));
    }
    browse.hidden.retain(|hidden| *hidden != node);
    browse.hidden.push(node);
    browse.unfolded.retain(|unfolded| *unfolded != node);
    if browse.pinned == Some(node) {
        browse.pinned = None;
    }
    // The way goes only as far as nothing on it is hidden; the cursor goes on to the row below.
    let at = browse
        .trail
        .iter()
        .position(|pick| *pick == Pick::Node(node));
    if let Some(at) = at {
        let whole = at + 1 == browse.trail.len();
        browse.trail.truncate(at);
        let below = next.filter(|_| whole && browse.shows == Shows::Columns);
        browse.trail.extend(below.map(Pick::Node));
    }
    state.message = Message::plain(format!(
        "{label} is hidden here; the walk keeps it; u brings it back"
    ));
    ask::request(state)
}

/// The row below that of the cursor, else the one above it.
fn beside(state: &State) -> Option<Node> {
    let (lane, at) = rows::place(state, Pane::Paths, state.list(Pane::Paths).cursor)?;
    let rows = &state.browsed()?.flow.lanes[lane].rows;
    let next = rows.get(at + 1).or_else(|| rows.get(at.checked_sub(1)?));
    next?.node
}

/// Brings the node back that was hidden last.
pub fn unhide(state: &mut State) -> Vec<Effect> {
    let label = state
        .browsed()
        .and_then(|browsed| browsed.hidden.last().cloned());
    if state.browse.hidden.pop().is_some() {
        let left = state.browse.hidden.len();
        let label = label.unwrap_or_else(|| "the node".to_owned());
        state.message = Message::plain(match left {
            0 => format!("{label} is back; nothing is hidden"),
            _ => format!("{label} is back; {left} more hidden"),
        });
    }
    ask::request(state)
}

/// Makes a node the end of best paths; again drops it.
pub fn pin(state: &mut State, node: Node) -> Vec<Effect> {
    let label = under(state)
        .filter(|under| under.0 == node)
        .map(|under| under.1);
    let label = label.unwrap_or_else(|| "the node".to_owned());
    let pinned = &mut state.browse.pinned;
    *pinned = if *pinned == Some(node) {
        None
    } else {
        Some(node)
    };
    state.message = Message::plain(match pinned {
        Some(_) => format!("{label} is pinned; w on another node shows the best paths to it"),
        None => format!("{label} is no longer pinned"),
    });
    ask::request(state)
}

/// Shows the best paths from the node under the cursor to the pinned one; again the columns.
pub fn routes(state: &mut State) -> Vec<Effect> {
    let browse = &state.browse;
    match (browse.shows, browse.pinned) {
        (Shows::Routes, _) => return columns(state),
        (_, None) => return finder::open(state, FinderKind::End),
        // Of the pinned node itself another one is wanted.
        (_, Some(pinned)) if browse.node() == Some(pinned) => {
            return finder::open(state, FinderKind::End);
        }
        _ => state.browse.shows = Shows::Routes,
    }
    state.lists.remove(&Pane::Paths);
    ask::request(state)
}

/// Pins a node, and shows the best paths to it.
pub fn end(state: &mut State, node: Node) -> Vec<Effect> {
    state.browse.pinned = Some(node);
    state.browse.hidden.retain(|hidden| *hidden != node);
    state.browse.shows = Shows::Routes;
    state.lists.remove(&Pane::Paths);
    ask::request(state)
}

/// Draws what was walked over; again the columns.
pub fn picture(state: &mut State) -> Vec<Effect> {
    if state.browse.shows == Shows::Picture {
        return columns(state);
    }
    let trail = state.browse.trail.iter().filter_map(|pick| match pick {
        Pick::Node(node) => Some(*node),
        Pick::Row(_) => None,
    });
    state.browse.unfolded = trail.collect();
    state.browse.shows = Shows::Picture;
    state.lists.remove(&Pane::Paths);
    ask::request(state)
}

/// Draws the neighbours of a node of the picture, or takes them away.
pub fn unfold(state: &mut State, node: Node) -> Vec<Effect> {
    let unfolded = &mut state.browse.unfolded;
    let before = unfolded.len();
    unfolded.retain(|known| *known != node);
    if unfolded.len() == before {
        unfolded.push(node);
    }
    ask::request(state)
}

/// Back to the columns. None where they are what is drawn.
pub fn close(state: &mut State) -> Option<Vec<Effect>> {
    let closes = state.browses() && state.browse.shows != Shows::Columns;
    closes.then(|| columns(state))
}

fn columns(state: &mut State) -> Vec<Effect> {
    state.browse.shows = Shows::Columns;
    ask::request(state)
}

/// Takes in where an answer says that one is, and puts the cursor there.
pub fn answered(state: &mut State) {
    let Some(browsed) = state.detail().and_then(|detail| detail.browsed.clone()) else {
        return;
    };
    let asked = state.browse.shows;
    state.browse.clone_from(&browsed.at);
    if let Some(row) = browsed.cursor() {
        state.lists.entry(Pane::Paths).or_default().cursor = row;
    }
    if let Some(subject) = browsed.subject() {
        let before = state.wanted.subject;
        let subject = Subject {
            passage: subject.passage.or(before.passage),
            than: before.than,
            ..subject
        };
        if subject != before {
            moves::turned(state, subject);
            ask::follow_selection(state);
        }
    }
    if browsed.at.shows == Shows::Picture {
        // The picture opens at the node that is selected; where that was hidden the cursor stays among the others.
        let node = state.wanted.subject.node;
        let mut rows = browsed.flow.lanes.iter().flat_map(|lane| &lane.rows);
        let found = rows.position(|row| row.node == node);
        let list = state.lists.entry(Pane::Paths).or_default();
        let last = browsed.flow.rows().saturating_sub(1);
        list.cursor = found.unwrap_or(list.cursor).min(last);
    }
    if asked == Shows::Routes && browsed.at.shows == asked && browsed.routes.is_empty() {
        let end = browsed.pinned.as_deref().unwrap_or_default();
        state.message =
            Message::plain(format!("no path leads from here to {}", text::cut(end, 40)));
    }
}

/// Forgets where one was: another question has other seeds.
pub fn forget(browse: &mut Browse) {
    browse.root = None;
    browse.trail.clear();
    browse.unfolded.clear();
    browse.shows = Shows::Columns;
}
