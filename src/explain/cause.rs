//! What holds a passage out, put to the test: a reason is a cause only if undoing what it names brings the passage in, or
//! closes most of its gap. Names are looked at first: two spellings of one, and words of the question taken for another.

use super::lookalike::{Holds, LookAlike, lookalikes};
use super::repair::values;
use super::start;
use crate::index::Index;
use crate::layers::{Code, QueryName};
use crate::parameters::{
    ALPHA, EDGE_CAP, EDGE_PERCENTILE, EDGE_WEIGHT, ENTITY_EDGES, EntityEdges, FOLD_ACCENTS,
    HOP_TAIL, HUB_P, LINEAR_PASSAGE_WEIGHT, MIX, MIX_A, Mix, RRF_DEPTH, SEED_K, STEPS, Stage,
    THETA, WEIGHT_EXACT, WEIGHT_VECTOR,
};
use crate::retrieve::edits::{SeedChange, name_of};
use crate::retrieve::explanation::{Fix, Reason, Without};
use crate::retrieve::operators::expand::room;
use crate::retrieve::{Change, Retrieval};
use crate::text::{Norm, plural};
use rayon::prelude::*;
use std::sync::Arc;

/// Most look-alike names, and most names of the question, that are put to the test.
const NAMES: usize = 4;
/// Names that one sentence has.
const NAMED: usize = 3;
/// Parts of a gap that are no difference.
const SAME: f64 = 0.01;
/// Most nodes that one name of the question is undone by.
const MEANT: usize = 8;

/// Tries what undoes each reason, and puts the causes first, those that need no more than that before those that close
/// part of the gap. The first `links` are guesses about names: those that are no causes are left out, unless nothing has
/// the name that the question says. Where none is enough, more is looked for at what the search starts from.
pub fn tested(
    index: &Arc<Index>,
    run: &Retrieval,
    passage: u32,
    reasons: Vec<Reason>,
    links: usize,
    going: &(dyn Fn() -> bool + Sync),
) -> Vec<Reason> {
    let test = |reason: Reason| {
        if reason.fix.is_some() || !going() {
            return reason;
        }
        let changes = reason.undo.iter().cloned();
        let changes: Vec<Change> = changes.chain(undoing(run, reason.code)).collect();
        let best = best(index, run, passage, &changes, going);
        // Where room alone does as much, what the verdict names was not in the way.
        let alone = room_of(run, reason.code)
            .filter(|room| {
                best.as_ref()
                    .is_some_and(|fix| fix.change.each().contains(&room))
            })
            .and_then(|room| run.tried(index, passage, &room));
        let alone = alone.map_or(0.0, |(_, fix)| fix.closed);
        reason.with_fix(best.filter(|fix| fix.closed > alone + SAME))
    };
    let mut reasons: Vec<Reason> = reasons.into_par_iter().map(&test).collect();
    let admits = |reason: &Reason| reason.fix.as_ref().is_some_and(Fix::admits);
    if !reasons.iter().any(admits) {
        let elsewhere = start::elsewhere(index, run).into_iter();
        // One that is enough will do.
        for reason in elsewhere
            .chain(start::between(index, run, passage))
            .map(&test)
        {
            let enough = admits(&reason);
            reasons.extend(Some(reason).filter(|reason| reason.cause));
            if enough {
                break;
            }
        }
    }
    let reasons = reasons.into_iter().enumerate();
    let walks = run.walk().is_some();
    let stays = |(at, reason): &(usize, Reason)| {
        *at >= links || reason.cause || walks && reason.code == Code::QueryEntityNotLinked
    };
    let mut reasons: Vec<Reason> = reasons.filter(stays).map(|(_, reason)| reason).collect();
    // Stable: of equals the order is that of the steps.
    let place = |reason: &Reason| match &reason.fix {
        Some(fix) if fix.admits() => 0,
        Some(_) if reason.cause => 1,
        _ => 2,
    };
    reasons.sort_by_key(place);
    reasons
}

/// Of some changes the one that moves a passage most; of equals the first.
fn best(
    index: &Arc<Index>,
    run: &Retrieval,
    passage: u32,
    changes: &[Change],
    going: &(dyn Fn() -> bool + Sync),
) -> Option<Fix> {
    let known = changes.iter().filter(|change| acts(run, change));
    let known: Vec<&Change> = known.collect();
    let fixes = known.par_iter();
    let fixes = fixes.filter_map(|change| match going() {
        true => {
            let (again, fix) = run.tried(index, passage, change)?;
            // Where no seed is left, what a fallback brings says nothing of those taken away.
            let starved = again.fallback() && !run.fallback();
            (!starved).then_some(fix)
        }
        false => None,
    });
    let fixes: Vec<Fix> = fixes.collect();
    let better = |best: Fix, fix: Fix| if fix.closed > best.closed { fix } else { best };
    fixes.into_iter().reduce(better)
}

/// Whether a change may do anything under the method.
fn acts(run: &Retrieval, change: &Change) -> bool {
    let method = run.settings.method();
    let settings = change.applied(&run.settings);
    change.each().into_iter().all(|change| match change {
        Change::Set(parameter, _) => {
            method.uses().contains(parameter)
                && parameter.declaration().stage != Stage::Index
                && settings.idle(*parameter).is_none()
        }
        Change::Seed(_) => method.ignores_edits().is_none(),
        Change::Graph(_) => method.ignores_graph_edits().is_none(),
        Change::Both(_) => true,
    })
}

/// Room for a neighbour, where a verdict is about an edge.
fn room_of(run: &Retrieval, code: Code) -> Option<Change> {
    let edge = matches!(
        code,
        Code::Isolated | Code::PercentilePruned | Code::NotCandidatePair | Code::NotNeighbour
    );
    if edge { room(&run.settings) } else { None }
}

/// Settings that take away what a verdict names, whatever passage it is about.
fn undoing(run: &Retrieval, code: Code) -> Vec<Change> {
    match code {
        Code::Diluted | Code::BusierWay => [0.0, 1.0, 2.0].map(|p| HUB_P.at(p).into()).into(),
        Code::ThinEdge => {
            let weight = EDGE_WEIGHT.id();
            let others = values(weight, run.settings.value(weight)).into_iter();
            others
                .map(|(_, value)| Change::Set(weight, value))
                .collect()
        }
        Code::CappedEdge => vec![EDGE_CAP.at(0).into()],
        // No restart for places in a list.
        Code::RestartsLess | Code::FirstStage => vec![
            SEED_K.at(0).into(),
            Change::both(MIX.at(Mix::Fixed).into(), MIX_A.at(1.0).into()),
            WEIGHT_VECTOR.at(0.0).into(),
            HOP_TAIL.at(0.0).into(),
        ],
        // No restart for names.
        Code::NotNamed | Code::NotJoined | Code::FewerSeeds | Code::FewerWays => vec![
            WEIGHT_EXACT.at(0.0).into(),
            Change::both(MIX.at(Mix::Fixed).into(), MIX_A.at(0.0).into()),
            LINEAR_PASSAGE_WEIGHT.at(1.0).into(),
        ],
        // The walk goes on for longer.
        Code::LaterHop | Code::TooFar => {
            let longer = [8, 12].map(|steps| STEPS.at(steps).into());
            let less = [0.05, 0.01].map(|alpha| ALPHA.at(alpha).into());
            longer.into_iter().chain(less).collect()
        }
        Code::FactsElsewhere | Code::BelowThreshold => {
            vec![LINEAR_PASSAGE_WEIGHT.at(1.0).into()]
        }
        Code::Isolated | Code::PercentilePruned | Code::NotCandidatePair | Code::NotNeighbour => {
            let edges = [95.0, 80.0].map(|least| EDGE_PERCENTILE.at(least).into());
            let all = edges.into_iter();
            let all = all.chain([ENTITY_EDGES.at(EntityEdges::Shared).into()]);
            match room_of(run, code) {
                Some(room) => all.map(|edges| Change::both(edges, room.clone())).collect(),
                None => all.collect(),
            }
        }
        Code::NotACandidate => vec![RRF_DEPTH.at(300).into()],
        Code::OrderedLater | Code::EntityNotSelected => {
            [0.0, 1.0].map(|share| THETA.at(share).into()).into()
        }
        _ => Vec::new(),
    }
}

/// What may be wrong with the names of the question and of the passage, each with what would mend it: none is a reason
/// before that is tried.
pub fn links(index: &Arc<Index>, run: &Retrieval, passage: u32) -> Vec<Reason> {
    let alike = lookalikes(index, run, passage);
    let apart = alike
        .iter()
        .take(NAMES)
        .map(|alike| spelled_apart(run, alike));
    let wrong = mistaken(index, run);
    let unseeded = start::unseeded(index, run);
    apart.chain(wrong).chain(unseeded).collect()
}

/// One name written two ways.
fn spelled_apart(run: &Retrieval, alike: &LookAlike) -> Reason {
    let LookAlike { name, other, .. } = alike;
    let how = alike.variant.about();
    let unlinked = alike.holds == Holds::NoNode;
    let text = match (unlinked, alike.of_passage) {
        (true, true) => {
            format!("'{name}' is not in the graph; this passage has '{other}' ({how})")
        }
        (true, false) => {
            format!("'{name}' is not a name of the graph; the nearest is '{other}' ({how})")
        }
        (false, _) => {
            let held = match alike.holds {
                Holds::Mass(_) => "the graph's score is on",
                _ => "the question names",
            };
            format!(
                "one name is written two ways: this passage has '{other}', {held} '{name}' ({how})"
            )
        }
    };
    let said = run.names().iter().any(|known| {
        let form = Norm::Simple.apply(&known.form);
        form == Norm::Simple.apply(name)
    });
    let fold = unlinked.then(|| Change::from(FOLD_ACCENTS.at(true)));
    let join = alike.join().map(Change::Graph);
    // What the question says is there to be a seed; what the walk came to is not.
    let seed = (unlinked || said).then(|| Change::seed(other, SeedChange::Add(1.0)));
    let code = match unlinked {
        true => Code::QueryEntityNotLinked,
        false => Code::SpelledApart,
    };
    Reason::new(code, text).undone_by(fold.into_iter().chain(join).chain(seed))
}

/// Some labels in quotes: the first ones, and how many more there are.
pub fn quoted(labels: impl ExactSizeIterator<Item = impl AsRef<str>>) -> String {
    let others = labels.len().saturating_sub(NAMED);
    let first = labels
        .take(NAMED)
        .map(|label| format!("'{}'", label.as_ref()));
    let first = first.collect::<Vec<_>>().join(", ");
    match others {
        0 => first,
        others => format!("{first} and {}", plural(others, "other")),
    }
}

/// Names of the question that led to a node whose name says more, or other, than the question does.
fn mistaken(index: &Arc<Index>, run: &Retrieval) -> Vec<Reason> {
    let Some(walked) = run.walk() else {
        return Vec::new();
    };
    let asked = padded(&run.question);
    let graph = walked.graph;
    let of_name = |name: &QueryName| {
        let more = name.nodes.iter().filter_map(|&node| {
            let label = graph.label(index, node);
            let said = asked.contains(&padded(&label));
            (!said && !graph.is_passage(node)).then(|| (node, label.into_owned()))
        });
        let more: Vec<_> = more.take(MEANT).collect();
        let mut labels = more.iter().map(|(_, label)| format!("'{label}'"));
        let first = labels.next()?;
        let others = match labels.len() {
            0 => String::new(),
            others => format!(" and {}", plural(others, "other")),
        };
        let text = format!(
            "'{}' of the question was taken for {first}{others}",
            name.surface
        );
        let muted = more
            .iter()
            .map(|(node, _)| Change::seed(name_of(index, graph, *node), SeedChange::Mute));
        let muted = muted.reduce(Change::both);
        Some(Reason::new(Code::WrongLink, text).undone_by(muted))
    };
    let names = run.names_on(graph).iter().filter_map(of_name);
    names.take(NAMES).collect()
}

/// A text word by word, to look for whole words in.
pub fn padded(text: &str) -> String {
    format!(" {} ", Norm::Simple.apply(text).to_lowercase())
}

/// What gives another passage more, taken away: where that brings this one in it is why it is out.
pub fn competing(
    index: &Arc<Index>,
    run: &Retrieval,
    passage: u32,
    other: u32,
    tried: Vec<(&str, &Without)>,
) -> Option<Reason> {
    let undone = |(text, without): (&str, &Without)| {
        let (again, fix) = run.tried(index, passage, &without.change)?;
        // Where no seed is left, what a fallback brings says nothing of this one.
        if !fix.is_most() || again.fallback() != run.fallback() {
            return None;
        }
        let title = index.called(other);
        let there = match again.place(other) {
            Some((rank, _)) => format!("'{title}' at {rank}"),
            None => format!("'{title}' not ranked"),
        };
        let rank = fix.rank.unwrap_or_default();
        let what = &without.what;
        let text = match fix.admits() {
            true => format!("{text}; without {what} it moves to rank {rank}, {there}"),
            false => format!("{text}; without {what} it moves to rank {rank}"),
        };
        Some(Reason::new(without.code, text).with_fix(Some(fix)))
    };
    let undone: Vec<Reason> = tried.into_par_iter().filter_map(undone).collect();
    let closed = |reason: &Reason| reason.fix.as_ref().map_or(0.0, |fix| fix.closed);
    let better = |best: Reason, one| {
        if closed(&one) > closed(&best) {
            one
        } else {
            best
        }
    };
    undone.into_iter().reduce(better)
}

#[cfg(test)]
#[path = "cause_tests.rs"]
mod tests;
