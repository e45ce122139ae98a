//! The seeds of a walk as rows: names that linked, names that did not, changes that left none, and what a ranking gave.

use super::is_hub;
use crate::explorer::scene::{GROUPS, Group, Row, Sign};
use crate::explorer::text::{clean, measure, plural, share};
use crate::index::Index;
use crate::retrieve::edits::name_of;
use crate::retrieve::retrieval::Walked;
use crate::retrieve::set::Origin;
use crate::retrieve::{Edited, Link, Mask, Node, Retrieval, SeedChange};

/// How many are listed.
const SEEDS: usize = 200;

/// Sorts seeds into at most six groups with a letter each: every seed alone where there is room; else names alone as
/// far as possible and the ranked passages together, so that bars show what came from names and what from words.
/// Gives the groups and the places of their seeds.
pub fn groups(index: &Index, retrieval: &Retrieval) -> (Vec<Group>, Vec<Vec<usize>>) {
    let Some(walk) = retrieval.walk() else {
        return Default::default();
    };
    let (graph, seeds) = (walk.graph, walk.seeds());
    let (passages, names): (Vec<usize>, Vec<usize>) =
        (0..seeds.len()).partition(|i| !is_name(&walk, &seeds[*i]));
    let mut sorted: Vec<Vec<usize>> = Vec::new();
    if seeds.len() <= GROUPS {
        sorted.extend(names.iter().chain(&passages).map(|i| vec![*i]));
    } else if names.is_empty() {
        alone(
            &mut sorted,
            &passages,
            if retrieval.fallback() { 1 } else { GROUPS },
        );
    } else {
        alone(
            &mut sorted,
            &names,
            GROUPS - usize::from(!passages.is_empty()),
        );
        if !passages.is_empty() {
            sorted.push(passages);
        }
    }
    // hop seeds with more than one list.
    let rankers = |group: &[usize]| {
        let of = group.iter().map(|i| match seeds[*i].why {
            Origin::Ranked { ranker, .. } => ranker.label(),
            Origin::Near { .. } => "nearest",
            _ => "",
        });
        of.collect::<std::collections::BTreeSet<_>>()
    };
    let first = |group: &[usize]| {
        let mut whys = group.iter().map(|i| seeds[*i].why);
        whys.any(|why| matches!(why, Origin::Ranked { rank: 1, .. }))
    };
    let label = |group: &Vec<usize>| match group[..] {
        [one] => clean(&graph.label(index, seeds[one].node)),
        _ if retrieval.fallback() => "fallback: every passage".to_owned(),
        _ if is_name(&walk, &seeds[group[0]]) => {
            format!("{} more {}s", group.len(), super::noun(retrieval))
        }
        _ => match Vec::from_iter(rankers(group))[..] {
            // Of a list whose first is elsewhere these are the rest, and a passage may have several nodes.
            [one] if !one.is_empty() && (!first(group) || !graph.is_of_passages()) => {
                format!("{} more by {one}", group.len())
            }
            [one] if !one.is_empty() => format!("{one} top {}", group.len()),
            _ if graph.is_of_passages() => format!("{} passages", group.len()),
            _ => format!("{} more nodes", group.len()),
        },
    };
    let described = sorted
        .iter()
        .map(|group| Group {
            label: label(group),
            weight: group.iter().map(|i| seeds[*i].weight).sum(),
            seeds: group.len(),
        })
        .collect();
    (described, sorted)
}

/// What a letter stands for: a seed, or several names or passages together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lettered {
    Seed(Node),
    Names,
    Passages,
}

/// What the groups of a walk's seeds are.
fn lettered(walk: &Walked<'_>, members: &[Vec<usize>]) -> Vec<Lettered> {
    let of = |members: &Vec<usize>| match members[..] {
        [one] => Lettered::Seed(walk.seeds()[one].node),
        _ if is_name(walk, &walk.seeds()[members[0]]) => Lettered::Names,
        _ => Lettered::Passages,
    };
    members.iter().map(of).collect()
}

/// What the letters of a walk's seeds stand for.
pub fn letters(index: &Index, retrieval: &Retrieval) -> Vec<Lettered> {
    let walk = retrieval.walk();
    walk.map_or_else(Vec::new, |walk| {
        lettered(&walk, &groups(index, retrieval).1)
    })
}

/// The groups of seeds in the places that they are known by, so that a letter means the same after a change of the seeds. A
/// place whose seed is gone stays empty until all letters are taken.
pub fn keep_letters(
    index: &Index,
    retrieval: &Retrieval,
    mut known: Vec<Lettered>,
) -> (Vec<Group>, Vec<Vec<usize>>) {
    let (groups, members) = groups(index, retrieval);
    let Some(walk) = retrieval.walk() else {
        return (groups, members);
    };
    let now = lettered(&walk, &members);
    for own in &now {
        let free = known.iter().position(|old| !now.contains(old));
        match free {
            _ if known.contains(own) => {}
            Some(free) if known.len() >= GROUPS => known[free] = *own,
            _ => known.push(*own),
        }
    }
    let place = |own: &Lettered| known.iter().position(|old| old == own);
    let last = now
        .iter()
        .filter_map(place)
        .max()
        .map_or(0, |last| last + 1);
    let gone = |own: &Lettered| Group {
        label: match own {
            Lettered::Seed(node) => clean(&walk.graph.label(index, *node)),
            Lettered::Names | Lettered::Passages => String::new(),
        },
        ..Group::default()
    };
    let mut placed: Vec<(Group, Vec<usize>)> = known[..last]
        .iter()
        .map(|own| (gone(own), Vec::new()))
        .collect();
    for (own, group) in now.iter().zip(groups.into_iter().zip(members)) {
        if let Some(place) = place(own) {
            placed[place] = group;
        }
    }
    placed.into_iter().unzip()
}

/// Whether a seed is a name: one of the question, or one that was added by name.
fn is_name(walk: &Walked<'_>, seed: &crate::retrieve::Seed) -> bool {
    match seed.why {
        Origin::Name { .. } => true,
        Origin::Ranked { .. } | Origin::Near { .. } => false,
        _ => !walk.graph.is_passage(seed.node),
    }
}

/// One group each, and the rest in the last one.
fn alone(sorted: &mut Vec<Vec<usize>>, seeds: &[usize], room: usize) {
    let single = if seeds.len() <= room {
        seeds.len()
    } else {
        room - 1
    };
    sorted.extend(seeds[..single].iter().map(|i| vec![*i]));
    if single < seeds.len() {
        sorted.push(seeds[single..].to_vec());
    }
}

/// Seeds for the screen. A fallback to every passage is one line, not thousands.
pub fn seeds(
    index: &Index,
    retrieval: &Retrieval,
    groups: &[Vec<usize>],
    named: &[Group],
) -> Vec<Row> {
    let Some(walk) = retrieval.walk() else {
        return Vec::new();
    };
    let (graph, all) = (walk.graph, walk.seeds());
    let group = |place: usize| groups.iter().position(|g| g.contains(&place)).unwrap_or(0);
    let names = retrieval.names();
    let edits = retrieval.edits();
    let row = |(place, seed): (usize, &crate::retrieve::Seed)| {
        let passage = graph.passages_of(seed.node).first().copied();
        let named = is_name(&walk, seed);
        let count = match named {
            true => graph.source().frequency(seed.node) as usize,
            false => 0,
        };
        Row {
            node: Some(seed.node),
            name: name_of(index, walk.graph, seed.node),
            label: clean(&graph.label(index, seed.node)),
            change: edits
                .iter()
                .find(|e| e.node == Some(seed.node))
                .map(|e| e.edit.change),
            group: Some(group(place)),
            passage,
            value: seed.weight,
            figure: measure(seed.weight),
            count,
            hub: is_hub(index, count),
            is_passage: passage.is_some() && !named,
            why: match seed.why {
                Origin::Name { name, df } => {
                    let written = names.get(name).map_or("", |n| n.surface.as_str());
                    format!(
                        "\"{}\" in {}",
                        clean(written),
                        plural(df as usize, "passage")
                    )
                }
                Origin::Ranked {
                    ranker,
                    rank,
                    score,
                } => {
                    format!("{} rank {rank}, score {score:.2}", ranker.label())
                }
                Origin::Near { rank, cosine } => format!("nearest {rank}, cosine {cosine:.3}"),
                Origin::Fallback => "fallback: no name linked".to_owned(),
                Origin::Added => "added here".to_owned(),
                Origin::Edge { .. } | Origin::Scored => String::new(),
            },
            ..Row::default()
        }
    };
    let shown = all.len().min(SEEDS);
    let seeded = all[..shown].iter().enumerate().map(row);
    let (ranked, mut rows): (Vec<Row>, Vec<Row>) = seeded.partition(|row| row.is_passage);
    let edits = changed(index, retrieval, &walk);
    rows.extend(lost(index, retrieval, &walk, &edits));
    rows.extend(edits);
    let mut last = None;
    for row in ranked {
        let several = row.group.and_then(|g| named.get(g));
        if let Some(several) = several.filter(|g| g.seeds > 1 && last != row.group) {
            let weight = several.weight;
            rows.push(Row {
                sign: Sign::Heading,
                label: several.label.clone(),
                group: row.group,
                value: weight,
                figure: measure(weight),
                why: match retrieval.fallback() {
                    true => format!(
                        "no name linked: the walk starts evenly from all {} passages",
                        several.seeds
                    ),
                    false => format!(
                        "{} first-stage passages share {}",
                        several.seeds,
                        share(weight)
                    ),
                },
                ..Row::default()
            });
        }
        last = row.group;
        rows.push(row);
    }
    if let beyond @ [_, ..] = &all[shown..] {
        let weight = beyond.iter().map(|seed| seed.weight).sum();
        rows.push(Row {
            sign: Sign::Heading,
            label: format!("{} more seeds", beyond.len()),
            value: weight,
            figure: measure(weight),
            why: format!("seeds beyond the first {SEEDS} are not listed"),
            ..Row::default()
        });
    }
    rows
}

/// Changes of the seeds that left none to show.
fn changed(index: &Index, retrieval: &Retrieval, walk: &Walked<'_>) -> Vec<Row> {
    let graph = walk.graph;
    let seeded = |node: Option<Node>| walk.seeds().iter().any(|s| Some(s.node) == node);
    let edits = retrieval.edits();
    let hidden = edits.iter().filter(|e| !seeded(e.node));
    let row = |edited: &Edited| {
        let label = match edited.node {
            Some(node) => clean(&graph.label(index, node)),
            None => clean(&edited.edit.node),
        };
        let note = match (edited.node, edited.applied, edited.edit.change) {
            (None, _, _) => "not in this graph",
            (Some(_), true, SeedChange::Mute) => "muted",
            (Some(_), true, _) => "weighs nothing",
            (Some(_), false, SeedChange::Mute) => "muted, not a seed here",
            (Some(_), false, _) => "no seed here",
        };
        let own = |node: &Node| graph.is_of_passages() && graph.is_passage(*node);
        Row {
            sign: Sign::Changed,
            name: edited.edit.node.clone(),
            why: format!("{label}: {note}; s x brings it back"),
            label,
            node: edited.node,
            passage: edited.node.filter(own),
            change: Some(edited.edit.change),
            note: note.to_owned(),
            ..Row::default()
        }
    };
    hidden.map(row).collect()
}

/// Names of the question that became no seed. One that was muted has its change's row.
fn lost(index: &Index, retrieval: &Retrieval, walk: &Walked<'_>, edits: &[Row]) -> Vec<Row> {
    let seeded = |link: Link| match link {
        Link::Linked { node } => walk.seeds().iter().any(|s| s.node == node),
        _ => false,
    };
    let names = retrieval.names_on(walk.graph).iter();
    let unseeded = names.filter(|name| !seeded(name.link));
    let row = |name: &crate::retrieve::QueryName| {
        let (node, note) = unlinked(retrieval, name.link);
        let surface = clean(&name.surface);
        Row {
            sign: Sign::Lost,
            node,
            name: node.map_or_else(String::new, |node| name_of(index, walk.graph, node)),
            label: format!("\"{surface}\""),
            why: match name.link {
                Link::Masked {
                    by: Mask::Muted, ..
                } => format!("{surface}: {note}; e x brings it back"),
                _ => format!("{surface}: {note}"),
            },
            note,
            ..Row::default()
        }
    };
    let muted = |row: &Row| row.node.is_some() && edits.iter().any(|edit| edit.node == row.node);
    unseeded.map(row).filter(|row| !muted(row)).collect()
}

/// Why a name of the question became no seed.
fn unlinked(retrieval: &Retrieval, link: Link) -> (Option<Node>, String) {
    match link {
        Link::Linked { node } => (Some(node), String::new()),
        Link::Repeated { node } => (Some(node), "repeated".to_owned()),
        Link::NotFound => (
            None,
            format!("no {} by this name here", super::noun(retrieval)),
        ),
        Link::Ambiguous => (None, "alias of several titles".to_owned()),
        Link::Masked { node, by } => {
            let note = match by {
                Mask::Pruned => "pruned as a hub",
                Mask::MinDf => "in too few passages",
                Mask::MaxDf => "in too many passages",
                Mask::Muted => "muted by you",
            };
            (Some(node), note.to_owned())
        }
    }
}
