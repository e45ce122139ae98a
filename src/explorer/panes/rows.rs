//! What rows the lists have. Shared by update (which moves cursors over them) and the panes (which draw them), so a
//! click, a cursor and a picture always mean the same row.

use super::contents;
use super::filter;
use crate::explorer::layout::Pane;
use crate::explorer::scene::{Basis, Scene, Subject};
use crate::explorer::state::{Drawn, State};

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

impl PassageLine {
    /// The passage that it is about.
    pub fn passage(self, scene: &Scene) -> Option<u32> {
        match self {
            PassageLine::Hit(at) => Some(scene.passages[at].passage),
            PassageLine::Lost(at) => Some(scene.gold[at].passage),
            PassageLine::Cut | PassageLine::Missing(_) => None,
        }
    }
}

/// What is returned, the cut, all gold that is not returned wherever it is, then the ranks after the cut.
pub fn passage_lines(scene: &Scene) -> Vec<PassageLine> {
    let rows = scene.passages.len();
    let inside = scene.top_k.min(rows);
    let mut lines: Vec<PassageLine> = (0..inside).map(PassageLine::Hit).collect();
    lines.push(PassageLine::Cut);
    let outside =
        |gold: &crate::explorer::scene::Gold| gold.rank.is_none_or(|rank| rank > scene.top_k);
    let mut lost: Vec<usize> = (0..scene.gold.len()).collect();
    lost.retain(|at| outside(&scene.gold[*at]));
    lost.sort_by_key(|at| scene.gold[*at].rank.unwrap_or(usize::MAX));
    lines.extend(lost.into_iter().map(PassageLine::Lost));
    lines.extend((0..scene.missing.len()).map(PassageLine::Missing));
    // What is told as lost is not told again at its own place.
    let told = |at: &usize| {
        let mut gold = scene.gold.iter().filter(|gold| outside(gold));
        !gold.any(|gold| gold.passage == scene.passages[*at].passage)
    };
    lines.extend((inside..rows).filter(told).map(PassageLine::Hit));
    lines
}

/// A line of Session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionLine {
    /// The question over its runs, by the newest of them.
    Question(usize),
    /// Place in [`State::session`], and that of the run before it on the same question.
    Run(usize, Option<usize>),
}

impl SessionLine {
    /// The run that it stands for.
    pub fn run(self) -> usize {
        match self {
            SessionLine::Question(run) | SessionLine::Run(run, _) => run,
        }
    }
}

/// The runs by question: the one asked last first, and of its runs the newest.
pub fn session_lines(state: &State) -> Vec<SessionLine> {
    let runs = &state.session;
    let mut lines = Vec::new();
    let mut told: Vec<&str> = Vec::new();
    for (newest, run) in runs.iter().enumerate().rev() {
        if told.contains(&&*run.question) {
            continue;
        }
        told.push(&run.question);
        lines.push(SessionLine::Question(newest));
        let own = |at: &usize| runs[*at].question == run.question;
        let own: Vec<usize> = (0..=newest).rev().filter(own).collect();
        for (i, at) in own.iter().enumerate() {
            lines.push(SessionLine::Run(*at, own.get(i + 1).copied()));
        }
    }
    lines
}

/// A line of Spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpreadLine {
    /// A stage and its counters.
    Stage(usize),
    /// Stage, and place in its rows.
    Row(usize, usize),
    /// What a folded stage has more.
    More(usize),
}

/// Rows that a folded stage shows, and how many of those it removed.
const FEW: usize = 5;
const FEW_CUTS: usize = 2;

/// The stages with what they hold; at an earlier step only that step's, whole.
pub fn spread_lines(state: &State, scene: &Scene) -> Vec<SpreadLine> {
    let earlier = state.earlier_step();
    let step = earlier.and_then(|k| scene.timeline.as_ref()?.steps.get(k));
    let shown = step.map_or(0..scene.listed, |step| step.stage..step.stage + 1);
    let mut lines = Vec::new();
    for i in shown {
        let Some(stage) = scene.spread.get(i) else {
            continue;
        };
        let (all, kept) = (stage.rows.len(), stage.kept());
        let whole = step.is_some()
            || stage.name.is_empty()
            || state.unfolded.contains(&i)
            || filter::typed(state, Pane::Spread).is_some();
        let (few, cuts) = match whole {
            true => (kept, all),
            false => (kept.min(FEW), all.min(kept + FEW_CUTS)),
        };
        if !stage.name.is_empty() {
            lines.push(SpreadLine::Stage(i));
        }
        lines.extend((0..few).chain(kept..cuts).map(|n| SpreadLine::Row(i, n)));
        if few < kept || cuts < all {
            lines.push(SpreadLine::More(i));
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
    contents(pane).count(state)
}

/// Rows that a cursor passes over: the cut, and what stands over parameters.
pub fn passed_over(state: &State, pane: Pane) -> Vec<usize> {
    contents(pane).passed_over(state)
}

/// The earlier step of the walk that is shown, if one is.
pub fn step<'s>(state: &State, scene: &'s Scene) -> Option<&'s crate::explorer::scene::Step> {
    let timeline = scene.timeline.as_ref().filter(|_| scene.walks)?;
    timeline.steps.get(state.earlier_step()?)
}

/// What a row of a pane is about, for the selection that all panes share.
pub fn subject(state: &State, pane: Pane, row: usize) -> Option<Subject> {
    contents(pane).subject(state, row)
}

/// Column, and row there, of a row of a pane that draws columns.
pub fn place(state: &State, pane: Pane, row: usize) -> Option<(usize, usize)> {
    match (pane, state.drawn()) {
        (Pane::Paths, Drawn::Tree) => state.ways()?.tree().get(row).map(|branch| branch.place),
        _ => state.columns(pane)?.place(row),
    }
}

/// The rows of the column that a row is in.
pub fn lane(state: &State, pane: Pane, row: usize) -> std::ops::Range<usize> {
    let flow = state.columns(pane);
    let place = flow.and_then(|flow| Some((flow, flow.place(row)?)));
    place.map_or(0..0, |(flow, (lane, _))| {
        let first = flow.first(lane);
        first..first + flow.lanes[lane].rows.len()
    })
}

/// The row of a pane that shows the selected passage or node.
pub fn row_of(state: &State, pane: Pane, subject: Subject) -> Option<usize> {
    let rows = count(state, pane);
    if matches!(pane, Pane::Flow | Pane::Paths) {
        // A node may be in several columns: the cursor stays in its own, else the passage is what is looked at.
        let is_of = |row: &usize| {
            self::subject(state, pane, *row)
                .is_some_and(|s| s.node.is_some() && s.node == subject.node)
        };
        let own = Some(state.list(pane).cursor).filter(is_of);
        let is_passage = |row: &usize| {
            subject.passage.is_some()
                && self::subject(state, pane, *row).is_some_and(|s| s.passage == subject.passage)
        };
        let passage = || (0..rows).rev().find(is_passage);
        return own.or_else(passage).or_else(|| (0..rows).find(is_of));
    }
    let wanted = match pane {
        Pane::Passages | Pane::Runs => Subject {
            passage: subject.passage,
            node: subject.passage,
            ..Subject::default()
        },
        _ => subject,
    };
    (0..rows).find(|row| {
        self::subject(state, pane, *row).is_some_and(|s| match pane {
            Pane::Passages | Pane::Runs => s.passage.is_some() && s.passage == wanted.passage,
            _ => s.node.is_some() && s.node == wanted.node,
        })
    })
}
