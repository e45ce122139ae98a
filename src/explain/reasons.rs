//! Why a passage is there, in one sentence, and why another is missing, as codes with evidence.

use super::cause;
use super::lookalike::{graph_of, names_of};
use crate::index::Index;
use crate::layers::{Class, Code};
use crate::parameters::RESULT_K;
use crate::retrieve::explanation::{Combine, Lack, MOST, Reason, Without};
use crate::retrieve::methods::Ranker;
use crate::retrieve::operator::At;
use crate::retrieve::retrieval::{Hit, Ranked};
use crate::retrieve::{DEPTH, Retrieval};
use crate::text::similar::nearest;
use serde::Serialize;
use std::sync::Arc;

/// Scores closer than this, relatively, are a tie: their order is noise.
pub const TIE_BAND: f32 = 0.005;

/// What a gold item that is not in the corpus looks most like.
pub fn not_in_index(index: &Index, named: &str) -> Reason {
    let titles = index.passages().titles.iter();
    // Those that came of an index that lies elsewhere are some of all.
    let titles = titles.filter(|_| index.source().is_none());
    let nearest = nearest(named, titles);
    let text = match nearest {
        Some(title) => format!("no passage has the id '{named}'; the nearest title is '{title}'"),
        None => format!("no passage has the id '{named}'"),
    };
    Reason::new(Code::NotInIndex, text)
}

/// One sentence: what the score of a passage is made of.
pub fn why_here(index: &Arc<Index>, retrieval: &Retrieval, passage: u32) -> String {
    retrieval.explain(index, passage).sentence
}

/// Explains why a passage is not in the top k; empty if it is. The first reason is the verdict, the others also hold.
/// Order: ties; reasons from the steps that point to a repair; the gap to the passage at rank k; the cutoff.
///
/// Each reason is put to the test: what it names is undone and the question asked again. Causes come first, a tie before
/// all; then what describes the loss: names first, what the passage lacks beside the last one returned, what steps left
/// out. The cutoff comes last. A longer list is no repair and is not suggested.
pub fn why_not(index: &Arc<Index>, retrieval: &Retrieval, passage: u32) -> Vec<Reason> {
    let reasons = described(index, retrieval, passage);
    tested(index, retrieval, passage, reasons, &|| true)
}

/// Puts what describes a missed passage to the test, as long as somebody waits for it: once `going` is false, what was not
/// tried yet is left untried.
pub fn tested(
    index: &Arc<Index>,
    retrieval: &Retrieval,
    passage: u32,
    mut reasons: Vec<Reason>,
    going: &(dyn Fn() -> bool + Sync),
) -> Vec<Reason> {
    if retrieval.returns(passage) {
        return Vec::new();
    }
    let last = reasons.pop_if(|last| last.code == Code::CutByK);
    let tie = reasons
        .first()
        .is_some_and(|first| first.code == Code::Tied);
    let tie = tie.then(|| reasons.remove(0));
    let mut tested = cause::links(index, retrieval, passage);
    // Of the two, steps know less of names that the question spells otherwise.
    reasons.retain(|reason| {
        let code = reason.code;
        code != Code::QueryEntityNotLinked || tested.iter().all(|known| known.code != code)
    });
    let links = tested.len();
    tested.append(&mut reasons);
    let mut tested = cause::tested(index, retrieval, passage, tested, links, going);
    tie.into_iter().for_each(|tie| tested.insert(0, tie));
    tested.extend(last);
    tested
}

/// The same before anything is tried.
pub fn described(index: &Arc<Index>, retrieval: &Retrieval, passage: u32) -> Vec<Reason> {
    let k = retrieval.settings.get(RESULT_K);
    if retrieval.returns(passage) {
        return Vec::new();
    }
    // Where others came by words or names, these say more of a passage that did not.
    if retrieval.unread() && retrieval.passages.is_empty() {
        return vec![Reason::new(Code::NoVector, retrieval.why_nothing())];
    }
    if let Some(graph) = graph_of(retrieval).filter(|_| index.source().is_some()) {
        // Reasons are read off the passage, its names and whoever has these: all of that is asked for.
        let names = names_of(graph, passage).into_iter();
        names.for_each(|name| drop(graph.all_neighbours(name)));
    }
    let place = retrieval.place(passage);
    let steps = retrieval.steps(index);
    let mut reasons: Vec<Reason> = steps
        .flat_map(|at| at.operator().refuse(&at, passage))
        .collect();
    let last = retrieval.last_inside();
    // What cannot be reached lacks everything: that is said already.
    let cut_off = |reason: &Reason| matches!(reason.class, Class::F2 | Class::F3);
    let lack = last.filter(|_| !reasons.iter().any(cut_off));
    let lacks = lack.map(|last| lacking(index, retrieval, passage, &last));
    for mut lack in lacks.into_iter().flatten() {
        // What undoes the one undoes the other.
        for same in reasons.extract_if(.., |reason| reason.code == lack.code) {
            lack.undo.extend(same.undo);
            lack.fix = lack.fix.or(same.fix);
        }
        reasons.push(lack);
    }
    let twin = last.filter(|last| index.text(last.passage) == index.text(passage));
    let twin = twin.filter(|last| index.title(last.passage) == index.title(passage));
    // Stable.
    reasons.sort_by_key(|reason| vague(reason.code));
    if let Some((rank, score)) = place {
        let last = last.map_or(0.0, |hit| hit.score);
        // Scores of a re-ranker may be below zero.
        let near = score >= last - TIE_BAND * last.abs();
        if near || twin.is_some() {
            let text = match near {
                true => format!("rank {rank}, within {:.1} % of rank {k}", 100.0 * TIE_BAND),
                false => format!("rank {rank}, with the same title and text as rank {k}"),
            };
            // Whatever holds it back, its place among equals is noise: no other change is needed.
            let tied = Reason::new(Code::Tied, text);
            reasons.insert(
                0,
                Reason {
                    cause: true,
                    ..tied
                },
            );
        }
        let class = Class::behind(rank, k);
        let text = format!(
            "rank {rank}: {score:.5}, {:.5} below rank {k}",
            last - score
        );
        reasons.push(Reason::new(Code::CutByK, text).class(class));
    } else if reasons.is_empty() {
        let kept = retrieval.passages.len();
        let text = match kept < k.max(DEPTH) {
            true => format!("not among the {kept} passages with a score"),
            false => format!("below the {kept} best that are kept"),
        };
        reasons.push(Reason::new(Code::CutByK, text));
    }
    reasons
}

/// How little a description says: what only says that too little came to the passage comes behind what says of what, and a
/// hub on the way may be on that of the others too.
fn vague(code: Code) -> usize {
    match code {
        Code::Diluted => 1,
        Code::CutByK | Code::SignalWeak | Code::SeedWeak | Code::FewerWays | Code::WordsThin => 2,
        _ => 0,
    }
}

/// Where a passage stands: what a verdict is about.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Standing {
    /// From 1; none where it has no score.
    pub rank: Option<usize>,
    /// What it lacks to the score of the last inside; none inside, and where either has no score.
    pub short: Option<f64>,
    /// Of a walk: which passage it is on the way that brings it most, from the seed on, itself counted. None where
    /// nothing comes to it.
    pub hop: Option<usize>,
    /// The passages before it on that way.
    pub over: Vec<u32>,
}

/// Where a passage stands in a run.
pub fn standing(retrieval: &Retrieval, passage: u32) -> Standing {
    let place = retrieval.place(passage);
    let outside = place.filter(|_| !retrieval.returns(passage));
    let short = outside.zip(retrieval.last_inside());
    let mut standing = Standing {
        rank: place.map(|(rank, _)| rank),
        short: short.map(|((_, own), last)| f64::from(last.score) - f64::from(own)),
        ..Standing::default()
    };
    let Some((walk, node)) = retrieval
        .walk()
        .and_then(|w| Some((w, w.best_node(passage)?)))
    else {
        return standing;
    };
    if let Some(best) = walk.path(node) {
        let stops = best
            .nodes
            .iter()
            .filter_map(|&node| walk.graph.passages_of(node).first().copied());
        standing.over = stops.collect();
        standing.hop = Some(standing.over.len());
        standing.over.pop();
    }
    standing
}

/// What a passage has less of than the last inside: the one thing that is most of it, or several of which
/// none is.
fn lacking(index: &Arc<Index>, retrieval: &Retrieval, passage: u32, last: &Hit) -> Vec<Reason> {
    let Some(at) = retrieval.last(index) else {
        return Vec::new();
    };
    let lacks = at.operator().lacks(&at, passage, last.passage);
    let Some(most) = lacks.first() else {
        return Vec::new();
    };
    let own = match retrieval.place(passage) {
        Some((_, score)) => f64::from(score),
        None => {
            let opened = retrieval.explain(index, passage);
            if opened.combine != Combine::Sum {
                return Vec::new();
            }
            opened.sum()
        }
    };
    let short = f64::from(last.score) - own;
    // Scores are f32.
    let level = most.gap >= short * (1.0 - 1e-5);
    let all: f64 = lacks.iter().map(|lack| lack.gap).sum();
    // What no lack names is part of the gap, too.
    let share = most.gap / all.max(short);
    let k = retrieval.settings.get(RESULT_K);
    let rank = retrieval.rank(passage).unwrap_or(usize::MAX);
    // Inside the cut of a list that goes in, it was the sum that dropped it.
    let alone = best_list(&at, passage).filter(|(_, rank)| *rank <= k);
    let class = match alone {
        Some(_) => Class::F7,
        None => Class::behind(rank, k),
    };
    let alone = alone.map_or(String::new(), |(ranker, rank)| {
        format!("; {} alone ranks it {rank}", ranker.label())
    });
    let reason = match share > MOST {
        true => {
            let how = match level {
                // With as much of it as the last inside has, it would stand beside that one.
                true => "this alone keeps it out of the top k".to_owned(),
                false => format!("{:.0} % of the gap", 100.0 * share),
            };
            Reason::new(most.code, format!("{}: {how}{alone}", most.text))
        }
        false => {
            let most = lacks.iter().take(LACKS);
            let texts = most.map(|lack| format!("{:.4} since {}", lack.gap, lack.text));
            let texts = texts.collect::<Vec<_>>().join("; ");
            let text =
                format!("{short:.4} below rank k, spread over several parts: {texts}{alone}");
            Reason::new(Code::SignalWeak, text)
        }
    };
    let reason = reason.class(class);
    let reason = reason.undone_by(most.undo.clone());
    let first = (share <= MOST).then(|| first_stage(&at, last, short, &lacks, reason.class));
    let first = first.flatten();
    let mut tried: Vec<(&str, &Without)> = Vec::new();
    for lack in &lacks {
        for without in &lack.without {
            if tried.iter().all(|known| known.1.change != without.change) {
                tried.push((&lack.text, without));
            }
        }
    }
    let alone = cause::competing(index, retrieval, passage, last.passage, tried);
    let class = reason.class;
    let alone = alone.map(|alone| alone.class(class));
    // What is most of it says more than that several things are.
    let reason = Some(reason).filter(|_| first.is_none());
    reason.into_iter().chain(first).chain(alone).collect()
}

/// Where no one thing is most of what a passage lacks, but what the first lists make of it is: its way over the graph is
/// not what is to be mended.
fn first_stage(
    at: &At<'_>,
    last: &Hit,
    short: f64,
    lacks: &[Lack],
    class: Class,
) -> Option<Reason> {
    let all: f64 = lacks.iter().map(|lack| lack.gap).sum();
    let listed = lacks.iter().filter_map(|lack| lack.first.as_ref());
    let gap: f64 = listed.clone().map(|(gap, _)| gap).sum();
    if gap <= MOST * all {
        return None;
    }
    let how = match gap >= short {
        true => "enough to hold it out".to_owned(),
        false => format!("{:.0} % of the gap", 100.0 * gap / all),
    };
    let texts = listed.map(|(gap, text)| format!("{gap:.4} {text}"));
    let text = format!(
        "first-stage retrieval scores '{}' higher: {}; together {how}",
        at.index.called(last.passage),
        texts.collect::<Vec<_>>().join("; ")
    );
    Some(Reason::new(Code::FirstStage, text).class(class))
}

/// Lacks that are told together.
const LACKS: usize = 3;

/// The best rank of a passage among the lists that are fused or added up into the result.
fn best_list(last: &At<'_>, passage: u32) -> Option<(Ranker, usize)> {
    let inputs = last.inputs();
    let lists = inputs.flat_map(|input| match input.set().get::<Ranked>() {
        Some(_) => vec![input],
        None => input.inputs().collect(),
    });
    let ranks = lists.filter_map(|list| {
        let ranked = list.set().get::<Ranked>()?;
        Some((ranked.ranker, ranked.rank(passage)?))
    });
    ranks.min_by_key(|(_, rank)| *rank)
}
