//! What rows the lists have. Shared by update (which moves cursors over them) and the panes (which draw them), so a
//! click, a cursor and a picture always mean the same row.

use super::layout::Pane;
use super::scene::{Basis, Scene, Subject};
use super::state::State;
use crate::retrieve::explanation::Story;
use crate::retrieve::{Node, Parameter, Stage};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassageLine {
    /// Place in [`Scene::passages`].
    Hit(usize),
    /// The line between what is returned and what is not.
    Cut,
    /// Place in [`Scene::gold`]: gold that is not returned.
    Lost(usize),
    /// Place in [`Scene::missing`]: gold that the corpus does not have.
    Missing(usize),
}

/// Gold at most this far below the cut needs no line of its own.
const NEAR: usize = 2;

/// What is returned, the cut, all gold that is not returned wherever it is, then the ranks after the cut.
pub fn passage_lines(scene: &Scene) -> Vec<PassageLine> {
    let rows = scene.passages.len();
    let inside = scene.top_k.min(rows);
    let mut lines: Vec<PassageLine> = (0..inside).map(PassageLine::Hit).collect();
    lines.push(PassageLine::Cut);
    let outside =
        |gold: &super::scene::Gold| gold.rank.is_none_or(|rank| rank > scene.top_k + NEAR);
    lines.extend(
        (0..scene.gold.len())
            .filter(|i| outside(&scene.gold[*i]))
            .map(PassageLine::Lost),
    );
    lines.extend((0..scene.missing.len()).map(PassageLine::Missing));
    lines.extend((inside..rows).map(PassageLine::Hit));
    lines
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterLine {
    Stage(Stage),
    Parameter(Parameter),
}

/// The parameters the method uses, the ones nearest to the result first: those are turned most and cost least.
pub fn parameter_lines(state: &State) -> Vec<ParameterLine> {
    let mut uses = state.settings.method().uses();
    uses.sort_by_key(|p| std::cmp::Reverse(place(p.declaration().stage)));
    let mut lines = Vec::new();
    let mut last = None;
    for parameter in uses {
        let stage = parameter.declaration().stage;
        if last != Some(stage) {
            lines.push(ParameterLine::Stage(stage));
            last = Some(stage);
        }
        lines.push(ParameterLine::Parameter(parameter));
    }
    lines
}

/// The spread is what a person turns first; the cut is one number.
fn place(stage: Stage) -> u8 {
    match stage {
        Stage::Spread => 9,
        Stage::Select => 8,
        Stage::Mix => 7,
        Stage::Seeds => 6,
        Stage::Score => 5,
        Stage::Graph => 4,
        Stage::Index => 3,
    }
}

/// The word over a group of parameters.
pub fn stage_title(stage: Stage) -> &'static str {
    match stage {
        Stage::Index => "index",
        Stage::Graph => "graph",
        Stage::Score => "ranking",
        Stage::Seeds => "seeds",
        Stage::Mix => "mix",
        Stage::Spread => "spread",
        Stage::Select => "select",
    }
}

/// A line of a system's stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoryLine {
    /// A stage and its counters.
    Stage(usize),
    /// Stage, and place in its nodes.
    Entry(usize, usize),
    /// Stage, and place in what it removed.
    Cut(usize, usize),
    /// What a folded stage has more.
    More(usize),
}

/// Entries and cuts of a stage that is not unfolded.
const FEW: usize = 5;
const FEW_CUTS: usize = 2;

/// The stages with what they hold; at a step of the timeline only that step's stage, whole.
pub fn story_lines(state: &State, story: &Story) -> Vec<StoryLine> {
    let step = state.earlier_step().and_then(|k| story.timeline.get(k));
    let mut lines = Vec::new();
    for (i, stage) in story.stages.iter().enumerate() {
        if step.is_some_and(|step| *step != i) {
            continue;
        }
        let whole = step.is_some() || state.unfolded.contains(&i);
        let (nodes, cuts) = match whole {
            true => (stage.nodes.len(), stage.cut.len()),
            false => (stage.nodes.len().min(FEW), stage.cut.len().min(FEW_CUTS)),
        };
        lines.push(StoryLine::Stage(i));
        lines.extend((0..nodes).map(|n| StoryLine::Entry(i, n)));
        lines.extend((0..cuts).map(|n| StoryLine::Cut(i, n)));
        if nodes + cuts < stage.nodes.len() + stage.cut.len() {
            lines.push(StoryLine::More(i));
        }
    }
    lines
}

/// Whether the score of the selected passage opens into parts that each open again.
pub fn opens_parts(scene: &Scene) -> bool {
    matches!(scene.basis, Basis::Parts | Basis::Signals)
}

/// How many rows a pane's list has; 0 for panes without a list.
pub fn count(state: &State, pane: Pane) -> usize {
    let scene = state.scene();
    if let Some(story) = scene.and_then(|s| s.story.as_deref()) {
        match pane {
            Pane::Spread => return story_lines(state, story).len(),
            _ => {}
        }
    }
    match pane {
        Pane::Parameters => parameter_lines(state).len(),
        Pane::Session => state.session.len(),
        Pane::Seeds => scene.map_or(0, |s| s.seeds.len()),
        Pane::Spread => scene.map_or(0, |s| match step(state, s) {
            Some(step) => step.nodes.len(),
            None if s.is_flat() => s.passages.len(),
            None => s.nodes.len(),
        }),
        Pane::Passages => scene.map_or(0, |s| match step(state, s) {
            Some(step) => step.passages.len(),
            None => passage_lines(s).len(),
        }),
        Pane::Neighbours => state
            .detail()
            .and_then(|d| d.node.as_ref())
            .map_or(0, |around| around.neighbours.len()),
        Pane::Why if scene.is_some_and(opens_parts) => state
            .detail()
            .and_then(|d| d.passage.as_ref())
            .map_or(0, |why| why.parts.len()),
        Pane::Question | Pane::Why | Pane::Iterations | Pane::Reader => 0,
    }
}

/// The earlier step of the walk that is shown, if one is.
pub fn step<'s>(state: &State, scene: &'s Scene) -> Option<&'s super::scene::Step> {
    let timeline = scene.timeline.as_ref().filter(|_| scene.walks)?;
    timeline.steps.get(state.earlier_step()?)
}

/// What a row of a pane is about, for the selection that all panes share.
pub fn subject(state: &State, pane: Pane, row: usize) -> Option<Subject> {
    let scene = state.scene()?;
    let story = scene.story.as_deref();
    let of_passage = |passage: u32| Subject {
        passage: Some(passage),
        node: scene.node_of(passage),
    };
    if let Some(story) = story {
        let of_item = |item: usize| Subject {
            passage: story.items[item].passage,
            node: Some(item as Node),
        };
        match pane {
            Pane::Spread => {
                return match *story_lines(state, story).get(row)? {
                    StoryLine::Entry(i, n) => Some(of_item(story.stages[i].nodes[n].item)),
                    StoryLine::Cut(i, n) => Some(of_item(story.stages[i].cut[n].item)),
                    StoryLine::Stage(_) | StoryLine::More(_) => None,
                };
            }
            _ => {}
        }
    }
    let of_node = |node: Node| Subject {
        passage: None,
        node: Some(node),
    };
    match pane {
        Pane::Passages => match step(state, scene) {
            Some(step) => step.passages.get(row).map(|(p, _)| of_passage(*p)),
            None => match *passage_lines(scene).get(row)? {
                PassageLine::Hit(i) => Some(of_passage(scene.passages[i].passage)),
                PassageLine::Lost(i) => Some(of_passage(scene.gold[i].passage)),
                PassageLine::Cut | PassageLine::Missing(_) => None,
            },
        },
        Pane::Spread => match step(state, scene) {
            Some(step) => step.nodes.get(row).map(|(n, _)| of_node(*n)),
            None if scene.is_flat() => scene.passages.get(row).map(|p| of_passage(p.passage)),
            None => scene.nodes.get(row).map(|n| of_node(n.node)),
        },
        Pane::Seeds => {
            let row = scene.seeds.get(row)?;
            Some(Subject {
                passage: row.passage,
                node: Some(row.node?),
            })
        }
        Pane::Neighbours => {
            let row = state.detail()?.node.as_ref()?.neighbours.get(row)?;
            let node = row.node?;
            Some(Subject {
                passage: row.passage,
                node: Some(node),
            })
        }
        _ => None,
    }
}

/// The row of a pane that shows the selected passage or node.
pub fn row_of(state: &State, pane: Pane, subject: Subject) -> Option<usize> {
    let rows = count(state, pane);
    let wanted = match pane {
        Pane::Passages => Subject {
            passage: subject.passage,
            node: subject.passage,
        },
        _ => subject,
    };
    (0..rows).find(|row| {
        self::subject(state, pane, *row).is_some_and(|s| match pane {
            Pane::Passages => s.passage.is_some() && s.passage == wanted.passage,
            _ => s.node.is_some() && s.node == wanted.node,
        })
    })
}
