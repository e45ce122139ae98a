//! What a search starts from, as why a passage is missing: names of the question that are no seeds, seeds that lead
//! elsewhere, and names on the way to the passage. All are guesses: each is a reason only where undoing it helps.

use super::cause::{padded, quoted};
use crate::index::Index;
use crate::layers::{Code, Graph, Node};
use crate::retrieve::edits::{SeedChange, name_of};
use crate::retrieve::explanation::Reason;
use crate::retrieve::set::{Member, Origin};
use crate::retrieve::{Change, Retrieval};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Most names of the question, groups of seeds, or names on the way that are put to the test.
const TRIED: usize = 3;
/// A name has more letters than this.
const LEAST: usize = 3;
/// Most seeds that are taken away together.
const TOGETHER: usize = 12;

/// A graph that a search starts on, and its seeds.
struct Start<'a> {
    graph: &'a Arc<Graph>,
    seeds: Vec<Member>,
}

/// Where a search starts: the seeds of its walk, or the nodes that a plan without one starts from.
fn starts<'a>(index: &'a Arc<Index>, run: &'a Retrieval) -> Vec<Start<'a>> {
    if let Some(walked) = run.walk() {
        let member = |seed: &crate::retrieve::Seed| Member {
            node: seed.node,
            value: seed.weight,
            from: seed.why,
        };
        let seeds = walked.seeds().iter().map(member).collect();
        return vec![Start {
            graph: walked.graph,
            seeds,
        }];
    }
    let starts = run.starts(index).map(|at| Start {
        graph: at.graph(),
        seeds: at.set().members.clone(),
    });
    starts.collect()
}

/// Whether a node is a name, a phrase or a keyword: what leads to passages and stands for none.
fn leads(graph: &Graph, node: Node) -> bool {
    matches!(graph.source().kind(node), "entity" | "phrase" | "keyword")
}

/// Names of a graph that the question says; those within another are left out.
fn said(index: &Arc<Index>, run: &Retrieval, graph: &Graph) -> Vec<Node> {
    let asked = padded(&run.question);
    let words: Vec<&str> = asked.split(' ').filter(|word| !word.is_empty()).collect();
    let written = run.question.split(|c: char| !c.is_alphanumeric());
    let capitals: Vec<&str> = written
        .filter(|word| word.starts_with(char::is_uppercase))
        .collect();
    // A single word in small letters is no name: 'state', 'county'. Of a question without capitals all may be.
    let is_name = |label: &str| {
        let one = !label.contains(' ');
        let capital = capitals.iter().any(|word| word.eq_ignore_ascii_case(label));
        (!one || capital || capitals.len() < 2)
            && !index.language().is_function_word(&label.to_lowercase())
    };
    // Of very many labels few are put into their normal form, which in ASCII is nothing but the words; and few begin like a
    // word of the question: with its letter, and as long.
    let mut long = [0_u64; 256];
    for word in words.iter().map(|word| word.as_bytes()) {
        long[usize::from(word[0])] |= 1 << word.len().min(63);
    }
    let may_be_said = |label: &str| {
        let label = label.as_bytes();
        let own = || {
            let own = label.split(|byte| !byte.is_ascii_alphanumeric());
            own.filter(|word| !word.is_empty())
        };
        let alike = |first: &[u8]| {
            let long = long[usize::from(first[0].to_ascii_lowercase())];
            long >> first.len().min(63) & 1 == 1
        };
        let begins = |at: usize| {
            let mut asked = words[at..].iter();
            own().all(|word| {
                let next = asked.next();
                next.is_some_and(|next| next.as_bytes().eq_ignore_ascii_case(word))
            })
        };
        !label.is_ascii() || own().next().is_none_or(alike) && (0..words.len()).any(begins)
    };
    let named = |node: Node| {
        let label = graph.label(index, node);
        let form = may_be_said(&label).then(|| padded(&label))?;
        let is_said = form.trim().chars().count() > LEAST && asked.contains(&form);
        (is_said && is_name(&label)).then_some((node, form))
    };
    let nodes = (0..graph.nodes() as Node).into_par_iter();
    // The forms of a question are looked up: of an excerpt, the names that it says came.
    let nodes = nodes.filter(|node| leads(graph, *node) && graph.is_called(*node));
    let nodes = nodes.filter_map(named);
    let found: Vec<(Node, String)> = nodes.collect();
    let within = |own: &str| {
        let mut others = found.iter().map(|(_, other)| other);
        others.any(|other| other.len() > own.len() && other.contains(own))
    };
    let whole = found.iter().filter(|(_, form)| !within(form));
    whole.map(|(node, _)| *node).collect()
}

/// Names that the question says and the graph has, but that are no seeds.
pub fn unseeded(index: &Arc<Index>, run: &Retrieval) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = Vec::new();
    for start in starts(index, run) {
        let graph = start.graph;
        let form = |node: Node| padded(&graph.label(index, node));
        let seeds = start.seeds.iter().map(|seed| seed.node);
        let seeds: FxHashSet<String> = seeds.filter(|&node| leads(graph, node)).map(form).collect();
        for node in said(index, run, graph) {
            let label = graph.label(index, node);
            let text =
                format!("the question contains '{label}', which is in the graph but is not a seed");
            if !seeds.contains(&form(node)) && reasons.iter().all(|known| known.text != text) {
                let add = Change::seed(name_of(index, graph, node), SeedChange::Add(1.0));
                reasons.push(Reason::new(Code::NameNotSeed, text).undone_by([add]));
            }
        }
    }
    reasons.truncate(TRIED);
    reasons
}

/// Seeds by what brought them: a name of the question, or closeness to it alone.
pub fn elsewhere(index: &Arc<Index>, run: &Retrieval) -> Vec<Reason> {
    let asked = padded(&run.question);
    let mut reasons = Vec::new();
    for start in starts(index, run) {
        let graph = start.graph;
        let names = run.names_on(graph);
        // By the name of the question, or none for what is near it without being said.
        let mut groups: Vec<(Option<&str>, Vec<Node>)> = Vec::new();
        for seed in &start.seeds {
            let said = || asked.contains(&padded(&graph.label(index, seed.node)));
            let by = match seed.from {
                Origin::Name { name, .. } => match names.get(name) {
                    Some(name) => Some(&*name.surface),
                    None => continue,
                },
                Origin::Near { .. } | Origin::Scored if leads(graph, seed.node) && !said() => None,
                _ => continue,
            };
            match groups.iter_mut().find(|group| group.0 == by) {
                Some(group) => group.1.push(seed.node),
                None => groups.push((by, vec![seed.node])),
            }
        }
        for (by, mut nodes) in groups.into_iter().take(TRIED) {
            nodes.truncate(TOGETHER);
            let labels = quoted(nodes.iter().map(|&node| graph.label(index, node)));
            let text = match by {
                Some(name) => {
                    format!("'{name}' of the question leads to other passages, over {labels}")
                }
                None => format!(
                    "seeds that the question does not name lead to other passages: {labels}"
                ),
            };
            let mute = |&node: &Node| Change::seed(name_of(index, graph, node), SeedChange::Mute);
            let muted = nodes.iter().map(mute).reduce(Change::both);
            reasons.push(Reason::new(Code::LeadsElsewhere, text).undone_by(muted));
        }
    }
    reasons
}

/// Names that lead from what was found to the passage, but are no seeds: what a question of several steps leaves out. They
/// are of a returned passage, beside a seed, or beside what a name of the question is beside; no way crosses the lost
/// passage. Farther off almost everything is joined.
pub fn between(index: &Arc<Index>, run: &Retrieval, passage: u32) -> Vec<Reason> {
    let starts = starts(index, run);
    let reasons = starts
        .iter()
        .flat_map(|start| linking(index, run, start, passage));
    let mut reasons: Vec<Reason> = reasons.collect();
    reasons.truncate(TRIED);
    reasons
}

fn linking(index: &Arc<Index>, run: &Retrieval, start: &Start<'_>, passage: u32) -> Vec<Reason> {
    let graph = start.graph;
    let own = graph.nodes_of(passage).to_vec();
    let seeds: FxHashSet<Node> = start.seeds.iter().map(|seed| seed.node).collect();
    let beside = own
        .iter()
        .flat_map(|&node| graph.neighbours(node).map(move |one| (node, one.0)));
    let mut found: FxHashMap<Node, f64> = FxHashMap::default();
    let mass = run.walk().filter(|walk| walk.graph.id == graph.id);
    for (node, name) in beside {
        // Words in common are no link.
        let word = graph.source().kind(name) == "keyword";
        // What the lost passage alone has would be that passage itself.
        let elsewhere = || {
            let mut beside = graph.neighbours(name).map(|one| one.0);
            beside.any(|other| graph.is_passage(other) && !own.contains(&other))
        };
        if leads(graph, name) && !word && !seeds.contains(&name) && elsewhere() {
            let held = mass.map_or(0.0, |walk| walk.spread.mass[name as usize]);
            *found.entry(name).or_default() += held * graph.probability(name, node);
        }
    }
    let other = |node: &Node| !own.contains(node);
    let named = start.seeds.iter().map(|seed| seed.node);
    let named: Vec<Node> = named
        .filter(|&node| leads(graph, node))
        .filter(other)
        .collect();
    let returned = run
        .top()
        .iter()
        .flat_map(|hit| graph.nodes_of(hit.passage).to_vec());
    let returned: Vec<Node> = returned.filter(other).collect();
    let beside = |nodes: &[Node]| -> Vec<(Node, Node)> {
        let each = nodes
            .iter()
            .flat_map(|&from| graph.neighbours(from).map(move |one| (one.0, from)));
        each.filter(|(node, _)| other(node)).collect()
    };
    // How many edges it is, and from what: the nearest and first.
    let mut ways: FxHashMap<Node, (usize, Node)> = FxHashMap::default();
    let mut reach = |steps: usize, node: Node, from: Node| {
        if found.contains_key(&node) {
            ways.entry(node).or_insert((steps, from));
        }
    };
    beside(&returned)
        .into_iter()
        .for_each(|(node, from)| reach(1, node, from));
    let asked = said(index, run, graph);
    for seed in named.into_iter().chain(asked.iter().copied()) {
        let near = beside(&[seed]);
        near.iter().for_each(|(node, _)| reach(1, *node, seed));
        if !asked.contains(&seed) {
            continue;
        }
        // Over another passage that has both: an edge between names may be the lost passage's own.
        let near = near.iter().map(|one| one.0);
        let near: Vec<Node> = near.filter(|&node| graph.is_passage(node)).collect();
        beside(&near)
            .into_iter()
            .for_each(|(node, _)| reach(2, node, seed));
    }
    let title = padded(index.called(passage));
    let mut ranked: Vec<(Node, f64, usize, Node)> = Vec::new();
    for (&name, &brings) in &found {
        if let Some(&(steps, before)) = ways.get(&name) {
            ranked.push((name, brings, steps, before));
        }
    }
    // What the passage is about first; then what the walk itself brings it most over; then the nearest and rarest.
    let about = |node: Node| title.contains(&padded(&graph.label(index, node)));
    ranked.sort_by(|a, b| {
        (about(b.0).cmp(&about(a.0)))
            .then(b.1.total_cmp(&a.1))
            .then(a.2.cmp(&b.2))
            .then(graph.degree(a.0).cmp(&graph.degree(b.0)))
            .then(a.0.cmp(&b.0))
    });
    let reason = |&(name, _, steps, before): &(Node, f64, usize, Node)| {
        let label = graph.label(index, name);
        let first = graph.passages_of(before).first().copied();
        let from = match first {
            Some(first) if run.returns(first) && graph.is_passage(before) => {
                format!("the returned passage '{}'", index.called(first))
            }
            _ if asked.contains(&before) => {
                format!("'{}' of the question", graph.label(index, before))
            }
            _ => format!("the seed '{}'", graph.label(index, before)),
        };
        let far = match steps {
            1 => String::new(),
            _ => format!(", {steps} edges away from it,"),
        };
        let text = format!("'{label}' links {from}{far} to this passage, but is not a seed");
        let add = Change::seed(name_of(index, graph, name), SeedChange::Add(1.0));
        Reason::new(Code::LinkNotSeed, text).undone_by([add])
    };
    ranked.iter().take(TRIED).map(reason).collect()
}
