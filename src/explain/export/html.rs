//! One page for a browser: the graph as a drawing that the program laid out, its tables, and a script that shows the parts
//! of a node and the steps of the spread. It loads nothing, and without a script it can still be read.

use super::{edges, node_link, nodes, of_graph, size};
use crate::explain::Subgraph;
use crate::explain::subgraph::{Edge, Node};
use crate::graph::springs::springs;
use crate::text::figures::score;
use crate::text::{clip, escape_xml};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The page, with a name in double braces wherever something of a run comes in.
const PAGE: &str = include_str!("../../../assets/graph.html");

/// The size of the drawing, and how far from its edges nodes stay. In its units.
const SIZE: (f64, f64) = (1000.0, 640.0);
const MARGIN: f64 = 36.0;
/// Longest name in the drawing, in bytes; what a letter and a line of it take.
const LONGEST: usize = 28;
const LETTER: f64 = 6.6;
const LINE: f64 = 15.0;
/// Parts of a score in its row of the table.
const PARTS: usize = 3;

pub fn write(graph: &Subgraph) -> String {
    let about = &graph.about;
    let title = match about.question.trim() {
        "" => "hopscope",
        question => question,
    };
    let mut page = String::with_capacity(4 * PAGE.len());
    for (at, piece) in PAGE.split("{{").enumerate() {
        // What comes in is not looked through for names again.
        let Some((name, rest)) = piece.split_once("}}").filter(|_| at > 0) else {
            page += piece;
            continue;
        };
        page += &match name {
            "program" => escape_xml(&about.program),
            "title" => format!("{} - {}", escape_xml(title), escape_xml(&about.run)),
            "question" => escape_xml(title),
            "about" => line(graph),
            "size" => sizes(graph),
            "last" => graph.steps.len().saturating_sub(1).to_string(),
            "svg" => drawing(graph),
            "nodes" => node_rows(graph),
            "edges" => edge_rows(graph),
            "run" => run_rows(graph),
            "data" => data(graph),
            _ => String::new(),
        };
        page += rest;
    }
    page
}

/// What the page is of, in one line.
fn line(graph: &Subgraph) -> String {
    let about = &graph.about;
    let [program, index, run, fingerprint] =
        [&about.program, &about.index, &about.run, &about.fingerprint].map(|text| escape_xml(text));
    format!("<code>{run}</code> on {index}, fingerprint <code>{fingerprint}</code>, {program}")
}

/// What the size of a node stands for before a step is chosen: the last step's.
fn held(graph: &Subgraph, node: &Node) -> f64 {
    let held = match graph.steps.is_empty() {
        true => node.value,
        false => node.at.last().copied().unwrap_or(0.0),
    };
    if held.is_finite() { held.max(0.0) } else { 0.0 }
}

fn moved(edge: &Edge) -> f64 {
    let moved = edge.moved.last().copied().unwrap_or(edge.value);
    if moved.is_finite() {
        moved.max(0.0)
    } else {
        0.0
    }
}

/// The largest of some quantities, or 1.
fn most(all: impl Iterator<Item = f64>) -> f64 {
    let most = all.fold(0.0, f64::max);
    if most > 0.0 { most } else { 1.0 }
}

/// A node that is drawn.
pub struct Drawn<'a> {
    /// Its place among all nodes.
    place: usize,
    number: usize,
    node: &'a Node,
    /// No edge joins it to another.
    is_alone: bool,
}

/// The nodes that are drawn: those that an edge joins, and behind them returned passages and gold without one.
pub fn drawn(graph: &Subgraph) -> Vec<Drawn<'_>> {
    let ends = edges(graph).filter(|(from, to, _)| from != to);
    let joined: BTreeSet<usize> = ends.flat_map(|(from, to, _)| [from, to]).collect();
    let all = nodes(graph).enumerate();
    let mut all: Vec<Drawn<'_>> = all
        .map(|(place, (number, node))| Drawn {
            place,
            number,
            node,
            is_alone: !joined.contains(&number),
        })
        .collect();
    all.retain(|own| !own.is_alone || own.node.gold || own.node.rank.is_some());
    all.sort_by_key(|own| own.is_alone);
    all
}

/// Where they are drawn: what edges join by springs, the others in a row below.
fn spots(all: &[Drawn<'_>], joined: &BTreeSet<(usize, usize)>) -> Vec<(f64, f64)> {
    let alone = all.iter().filter(|own| own.is_alone).count();
    let high = match alone {
        0 => SIZE.1,
        _ => SIZE.1 - MARGIN,
    };
    let within = |part: f64, size: f64| MARGIN + part * (size - 2.0 * MARGIN);
    let places = springs(all.len() - alone, joined).into_iter();
    let places = places.map(|(x, y)| (within(x, SIZE.0), within(y, high)));
    let apart = |at: usize| (at as f64 + 0.5) / alone as f64;
    let row = (0..alone).map(|at| (within(apart(at), SIZE.0), SIZE.1 - MARGIN / 2.0));
    places.chain(row).collect()
}

/// How many nodes are drawn, and how many are not.
fn sizes(graph: &Subgraph) -> String {
    match graph.graph.node_count() - drawn(graph).len() {
        0 => size(graph),
        left => format!(
            "{}; {left} without an edge are in the table alone",
            size(graph)
        ),
    }
}

/// The drawing: lines, then nodes with their names where there is room, the most important first.
fn drawing(graph: &Subgraph) -> String {
    let all = drawn(graph);
    let place: FxHashMap<usize, usize> = (all.iter().enumerate())
        .map(|(at, own)| (own.number, at))
        .collect();
    // An edge from a node to itself may be of one that is not drawn.
    let ends: Vec<Option<(usize, usize)>> = (edges(graph))
        .map(|(from, to, _)| Some((*place.get(&from)?, *place.get(&to)?)))
        .collect();
    let joined = ends.iter().flatten().map(|&(a, b)| (a.min(b), a.max(b)));
    let joined: BTreeSet<(usize, usize)> = joined.filter(|(a, b)| a != b).collect();
    let spots = spots(&all, &joined);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {} {}\" role=\"group\" aria-label=\"{}\">\n",
        SIZE.0,
        SIZE.1,
        size(graph)
    );
    let heaviest = most(edges(graph).map(|(_, _, edge)| moved(edge)));
    for (at, ((_, _, edge), ends)) in edges(graph).zip(&ends).enumerate() {
        let Some((a, b)) = ends.map(|(from, to)| (spots[from], spots[to])) else {
            continue;
        };
        let wide = 0.6 + 4.4 * moved(edge) / heaviest;
        let _ = writeln!(
            svg,
            "<line class=\"e\" data-e=\"{at}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke-width=\"{wide:.2}\"/>",
            a.0, a.1, b.0, b.1
        );
    }
    let heaviest = most(all.iter().map(|own| held(graph, own.node)));
    let radius = |node: &Node| 4.0 + 12.0 * (held(graph, node) / heaviest).sqrt();
    let marks: Vec<Mark<'_>> = (all.iter().zip(&spots))
        .map(|(own, spot)| (own.node, *spot, radius(own.node)))
        .collect();
    for (own, (mark, is_named)) in all.iter().zip(marks.iter().zip(named(&marks))) {
        let _ = writeln!(svg, "{}", drawing_of(own.place, mark, is_named));
    }
    svg + "</svg>"
}

/// A node with its place in the drawing and its size.
type Mark<'a> = (&'a Node, (f64, f64), f64);

/// The name of a node in the drawing.
fn name(node: &Node) -> String {
    let label = clip(&node.label, LONGEST);
    match node.rank {
        Some(rank) => format!("{rank} {label}"),
        None => label,
    }
}

/// Whether a name goes to the left of its node: it would leave the drawing.
fn is_left(x: f64, wide: f64) -> bool {
    x + 20.0 + wide > SIZE.0
}

/// Which of some nodes with their places and sizes have their name in the drawing: gold, returned passages by rank, seeds,
/// then the larger ones, each where nothing else is.
fn named(marks: &[Mark<'_>]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..marks.len()).collect();
    order.sort_by(|&a, &b| {
        let rank = |at: usize| {
            let node = marks[at].0;
            (!node.gold, node.rank.unwrap_or(usize::MAX), !node.seed)
        };
        let larger = marks[b].2.total_cmp(&marks[a].2);
        rank(a).cmp(&rank(b)).then(larger).then(a.cmp(&b))
    });
    let mut named = vec![false; marks.len()];
    let own = |&(_, (x, y), radius): &Mark<'_>| [x - radius, y - radius, x + radius, y + radius];
    let mut taken: Vec<[f64; 4]> = marks.iter().map(own).collect();
    for at in order {
        let (node, (x, y), radius) = marks[at];
        let wide = LETTER * name(node).chars().count() as f64;
        let left = match is_left(x, wide) {
            true => x - radius - 3.0 - wide,
            false => x + radius + 3.0,
        };
        let own = [left, y - LINE / 2.0, left + wide, y + LINE / 2.0];
        let meets = |other: &[f64; 4]| {
            own[0] < other[2] && other[0] < own[2] && own[1] < other[3] && other[1] < own[3]
        };
        if !taken.iter().any(meets) {
            named[at] = true;
            taken.push(own);
        }
    }
    named
}

/// A node of the drawing: passages are squares, others discs.
fn drawing_of(at: usize, own: &Mark<'_>, named: bool) -> String {
    let &(node, (x, y), radius) = own;
    let mut class = "n".to_owned();
    for (is, word) in [
        (node.seed, " seed"),
        (node.rank.is_some(), " hit"),
        (node.gold, " gold"),
    ] {
        if is {
            class += word;
        }
    }
    let dot = match node.kind {
        "passage" => format!(
            "<rect class=\"dot\" x=\"-{radius:.1}\" y=\"-{radius:.1}\" width=\"{0:.1}\" height=\"{0:.1}\"/>",
            2.0 * radius
        ),
        _ => format!("<circle class=\"dot\" r=\"{radius:.1}\"/>"),
    };
    let shown = name(node);
    let beside = radius + 4.0;
    let side = match is_left(x, LETTER * shown.chars().count() as f64) {
        true => format!("x=\"-{beside:.1}\" text-anchor=\"end\""),
        false => format!("x=\"{beside:.1}\""),
    };
    let more = if named { "" } else { " class=\"more\"" };
    format!(
        "<g class=\"{class}\" data-n=\"{at}\" tabindex=\"0\" transform=\"translate({x:.1} {y:.1})\"><title>{}</title>{dot}\
         <text{more} {side} dy=\".35em\">{}</text></g>",
        escape_xml(&node.label),
        escape_xml(&shown)
    )
}

/// A row of a table; cells with a number stand to the right.
fn row(text: &mut String, place: Option<usize>, cells: &[(bool, String)]) {
    *text += &match place {
        Some(at) => format!("<tr data-n=\"{at}\">"),
        None => "<tr>".to_owned(),
    };
    for (number, cell) in cells {
        let class = if *number { " class=\"r\"" } else { "" };
        *text += &format!("<td{class}>{}</td>", escape_xml(cell));
    }
    *text += "</tr>\n";
}

fn node_rows(graph: &Subgraph) -> String {
    let mut all: Vec<(usize, &Node)> = nodes(graph).map(|(_, node)| node).enumerate().collect();
    all.sort_by(|(a, one), (b, two)| {
        let rank = |node: &Node| node.rank.unwrap_or(usize::MAX);
        let ranks = rank(one).cmp(&rank(two));
        ranks.then(two.value.total_cmp(&one.value)).then(a.cmp(b))
    });
    let mut text = String::new();
    let number = |number: Option<usize>| number.map_or(String::new(), |n| n.to_string());
    for (at, node) in all {
        let parts = node.parts.iter().take(PARTS);
        let parts = parts.map(|part| format!("{} {}", part.label, score(part.value)));
        let share = match (node.share, node.seed) {
            (Some(share), _) => score(share),
            (None, true) => "seed".to_owned(),
            (None, false) => String::new(),
        };
        let gold = if node.gold { "gold" } else { "" };
        let cells = [
            (true, number(node.rank)),
            (false, node.label.clone()),
            (false, node.kind.to_owned()),
            (false, node.passage.clone().unwrap_or_default()),
            (true, score(node.value)),
            (true, share),
            (false, gold.to_owned()),
            (true, number(node.hops)),
            (false, parts.collect::<Vec<_>>().join("; ")),
        ];
        row(&mut text, Some(at), &cells);
    }
    text
}

fn edge_rows(graph: &Subgraph) -> String {
    let label: FxHashMap<usize, &str> = nodes(graph)
        .map(|(number, node)| (number, &*node.label))
        .collect();
    let mut text = String::new();
    for (from, to, edge) in edges(graph) {
        let cells = [
            (false, label[&from].to_owned()),
            (false, label[&to].to_owned()),
            (false, edge.kind.to_string()),
            (true, score(edge.weight())),
            (true, edge.mass().map_or(String::new(), score)),
            (false, edge.evidence.clone()),
        ];
        row(&mut text, None, &cells);
    }
    text
}

fn run_rows(graph: &Subgraph) -> String {
    let mut text = String::new();
    for (name, value) in of_graph(&graph.about) {
        row(&mut text, None, &[(false, name.to_owned()), (false, value)]);
    }
    text
}

/// The graph for the script: node-link JSON, with the parts of scores. It holds no character that ends a script.
fn data(graph: &Subgraph) -> String {
    let mut whole = node_link::value(graph);
    let objects = whole["nodes"].as_array_mut().into_iter().flatten();
    for (object, (_, node)) in objects.zip(nodes(graph)) {
        if !node.parts.is_empty() {
            let part = |part: &crate::retrieve::explanation::Part| json!({"label": part.label, "value": part.value, "why": part.why});
            object["parts"] = Value::Array(node.parts.iter().map(part).collect());
        }
    }
    let text = whole.to_string();
    let escaped = |c: char| match c {
        '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => format!("\\u{:04x}", c as u32),
        c => c.to_string(),
    };
    text.chars().map(escaped).collect()
}
