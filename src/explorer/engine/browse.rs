//! The neighbourhood of nodes, column by column, with the mass that every node holds for this question.

use super::is_hub;
use super::ways::node_row;
use crate::explain::{Heaviest, heaviest};
use crate::explorer::scene::{
    Browse, Browsed, Flow, Head, Lane, Path, Pick, Row, Scene, Shows, Stop, Way,
};
use crate::explorer::text::{clean, score};
use crate::graph::between::between;
use crate::index::Index;
use crate::retrieve::retrieval::Walked;
use crate::retrieve::spread::restart;
use crate::retrieve::{Node, Retrieval};

/// Rows of a column: what a hub has more is counted.
const ROWS: usize = 200;
/// Columns that one can go into.
const DEEP: usize = 40;
/// Best paths between two nodes.
const ROUTES: usize = 20;
/// Nodes of a picture at most, and of the neighbours of one node.
const NODES: usize = 40;
const AROUND: usize = 8;

/// What draws and counts nodes of one walk.
struct Eye<'a> {
    index: &'a Index,
    walk: Walked<'a>,
    scene: &'a Scene,
    /// Where one is, as far as it was worked out.
    at: Browse,
}

/// The neighbourhood that a request is about, with every selected row made a node that there is. None where no walk is.
pub fn browsed(
    index: &Index,
    retrieval: &Retrieval,
    scene: &Scene,
    wanted: &Browse,
) -> Option<Browsed> {
    let walk = retrieval.walk()?;
    let mut eye = Eye {
        index,
        walk,
        scene,
        at: known(&walk, wanted),
    };
    let (columns, trail) = eye.columns(&wanted.trail);
    eye.at.trail = trail.iter().copied().map(Pick::Node).collect();
    let label = |node: Node| eye.label(node);
    let mut browsed = Browsed {
        way: eye.way(&trail),
        pinned: eye.at.pinned.map(label),
        hidden: eye.at.hidden.iter().copied().map(label).collect(),
        ..Browsed::default()
    };
    if eye.at.shows == Shows::Routes && (eye.at.pinned.is_none() || trail.is_empty()) {
        eye.at.shows = Shows::Columns;
    }
    match eye.at.shows {
        Shows::Columns => {
            let all = columns.into_iter().enumerate();
            let all = all.map(|(at, column)| eye.column(at, &trail, column));
            let (lanes, heads) = all.unzip();
            browsed.heads = heads;
            browsed.flow.lanes = lanes;
        }
        Shows::Routes => browsed.routes = eye.routes(&trail),
        Shows::Picture => eye.picture(&trail, &mut browsed),
    }
    if eye.at.shows == Shows::Routes {
        let rows = browsed.routes.iter().filter_map(|route| route.stops.last());
        let rows = rows.map(|stop| eye.row(stop.node)).collect();
        let head = String::new();
        browsed.flow = Flow {
            lanes: vec![Lane { head, rows }],
            ..Flow::default()
        };
    }
    browsed.at = eye.at;
    Some(browsed)
}

/// What of a place still means something: nodes are numbered by their graph.
fn known(walk: &Walked<'_>, wanted: &Browse) -> Browse {
    let graph = walk.graph;
    let own = (graph.kind.name, graph.nodes());
    if wanted.graph.is_some_and(|graph| graph != own) {
        return Browse {
            graph: Some(own),
            ..Browse::default()
        };
    }
    let is = |node: &Node| (*node as usize) < graph.nodes();
    let mut at = wanted.clone();
    at.graph = Some(own);
    at.trail.clear();
    at.root = at.root.filter(is);
    at.pinned = at.pinned.filter(is);
    at.hidden.retain(is);
    at.unfolded.retain(is);
    at
}

impl Eye<'_> {
    fn mass(&self, node: Node) -> f64 {
        self.walk.spread.mass[node as usize]
    }

    /// Whether a node with so many edges spreads thin what it is sent. In a graph where most nodes have many edges, only
    /// those that have most.
    fn hub(&self, degree: usize) -> bool {
        let graph = self.walk.graph;
        is_hub(self.index, degree) && (graph.is_of_passages() || degree >= graph.hub())
    }

    /// What a node is called; a passage without a title by its first words.
    fn label(&self, node: Node) -> String {
        let label = clean(&self.walk.graph.label(self.index, node));
        let passage = self.walk.graph.passages_of(node).first().copied();
        match passage.filter(|_| label.trim().is_empty()) {
            Some(passage) => super::passages::name(self.index, passage),
            None => label,
        }
    }

    /// A stop of a path, and the share of its mass that goes on to the next one.
    fn stop(&self, node: Node, kept: Option<f64>) -> Stop {
        let graph = self.walk.graph;
        Stop {
            node,
            place: Some(crate::explain::Stop::of(self.index, graph, node)),
            label: self.label(node),
            group: self.scene.seed(node),
            is_passage: graph.is_passage(node),
            degree: graph.degree(node),
            kept,
        }
    }

    fn stops(&self, nodes: &[Node]) -> Vec<Stop> {
        let pairs = nodes.windows(2);
        let kept = pairs.map(|pair| Some(self.walk.graph.probability(pair[0], pair[1])));
        let all = nodes.iter().zip(kept.chain([None]));
        all.map(|(node, kept)| self.stop(*node, kept)).collect()
    }

    fn hides(&self, node: Node) -> bool {
        self.at.hidden.contains(&node)
    }

    /// The nodes of the first column: seeds with their restart weights, or what was found by name.
    fn first(&self) -> Heaviest {
        let skip = |node: Node| self.hides(node);
        match self.at.root {
            Some(root) => heaviest([(root, self.mass(root))].into_iter(), ROWS, &|_| false),
            None => {
                let seeds = self.walk.seeds().iter();
                heaviest(seeds.map(|seed| (seed.node, seed.weight)), ROWS, &skip)
            }
        }
    }

    /// The neighbours of a node.
    fn around(&self, node: Node, most: usize) -> Heaviest {
        let neighbours = self.walk.graph.all_neighbours(node);
        let neighbours = neighbours.map(|(other, _)| (other, self.mass(other)));
        heaviest(neighbours, most, &|other| self.hides(other))
    }

    /// The columns as far as the selected rows are there, and those rows.
    fn columns(&self, trail: &[Pick]) -> (Vec<Heaviest>, Vec<Node>) {
        let mut columns = vec![self.first()];
        let mut nodes: Vec<Node> = Vec::new();
        let begin = [Pick::Row(0)];
        let trail = if trail.is_empty() { &begin } else { trail };
        for pick in trail.iter().take(DEEP) {
            let column = &columns[columns.len() - 1];
            let chosen = self.chosen(*pick, column, nodes.last().copied(), nodes.len());
            // A row that is gone gives way to the first one, and what was after it is gone too.
            let gone = chosen.is_none();
            let place = nodes.len().checked_sub(2).map(|at| nodes[at]);
            let first = || self.row_of(column, 0, place);
            let Some(node) = chosen.or_else(first) else {
                break;
            };
            nodes.push(node);
            columns.push(self.around(node, ROWS));
            if gone {
                break;
            }
        }
        (columns, nodes)
    }

    /// The node of a selected row. `from` is the one whose neighbours the column lists.
    fn chosen(&self, pick: Pick, column: &Heaviest, from: Option<Node>, at: usize) -> Option<Node> {
        match pick {
            Pick::Row(down) => {
                // Who goes on does not want to go back: the node before is not taken first.
                let before = at.checked_sub(2).and(from);
                self.row_of(column, down, before)
            }
            Pick::Node(node) => {
                let listed = column.nodes.iter().any(|known| known.0 == node);
                let t = self.walk.graph.transition();
                let row = |from: Node| t.row(from as usize).0;
                let joined = || from.is_some_and(|from| row(from).binary_search(&node).is_ok());
                let seed = || at == 0 && self.walk.seeds().iter().any(|seed| seed.node == node);
                let there = listed || (!self.hides(node) && (joined() || seed()));
                there.then_some(node)
            }
        }
    }

    /// The node so many rows down, those that lead back left out where there are others.
    fn row_of(&self, column: &Heaviest, down: usize, before: Option<Node>) -> Option<Node> {
        let on = column.nodes.iter().filter(|row| Some(row.0) != before);
        let on: Vec<Node> = on.map(|row| row.0).collect();
        let all = || {
            column
                .nodes
                .get(down)
                .or(column.nodes.last())
                .map(|row| row.0)
        };
        on.get(down).or(on.last()).copied().or_else(all)
    }

    fn row(&self, node: Node) -> Row {
        let mass = self.mass(node);
        let row = node_row(self.index, self.walk.graph, self.scene, node);
        Row {
            kind: self.walk.graph.source().kind(node).into(),
            label: self.label(node),
            hub: self.hub(row.count),
            value: mass,
            figure: score(mass),
            ..row
        }
    }

    /// A column as it is drawn, with the selected row among the others wherever it ranks.
    fn column(&self, at: usize, trail: &[Node], mut column: Heaviest) -> (Lane, Head) {
        let of = at.checked_sub(1).map(|before| trail[before]);
        let selected = trail.get(at).copied();
        if let Some(node) = selected.filter(|node| !column.nodes.iter().any(|n| n.0 == *node)) {
            let weight = match of {
                Some(_) => self.mass(node),
                None => self
                    .walk
                    .seeds()
                    .iter()
                    .filter(|s| s.node == node)
                    .map(|s| s.weight)
                    .sum(),
            };
            column.nodes.push((node, weight));
            column.more.0 = column.more.0.saturating_sub(1);
            column.more.1 -= weight;
        }
        let rows = column.nodes.iter().map(|(node, weight)| Row {
            value: *weight,
            figure: score(*weight),
            ..self.row(*node)
        });
        let lane = Lane {
            head: match of {
                Some(of) => self.label(of),
                None if self.at.root.is_some() => "Found".to_owned(),
                None => "Seeds".to_owned(),
            },
            rows: rows.collect(),
        };
        let head = Head {
            kind: of.map_or("", |of| self.walk.graph.source().kind(of)),
            degree: of.map_or(0, |of| self.walk.graph.degree(of)),
            figure: match (of, self.at.root) {
                (None, None) => "restart",
                _ => "mass",
            },
            more: column.more,
            hidden: column.skipped,
        };
        (lane, head)
    }

    /// What the way to the node under the cursor carries of its mass.
    fn way(&self, trail: &[Node]) -> Option<Way> {
        let Walked { graph, spread, .. } = self.walk;
        let node = *trail.last()?;
        let (nodes, carries) = match self.at.root {
            None => {
                let seeds = restart(self.walk.seeds());
                let carries = spread.diffusion.carried(graph.transition(), &seeds, trail);
                (trail.to_vec(), carries)
            }
            Some(_) => {
                let best = self.walk.path(node);
                best.map_or_else(|| (vec![node], 0.0), |best| (best.nodes, best.mass))
            }
        };
        // A push leaves a residual, so it may count less than there is.
        let carries = match spread.diffusion.pushes() {
            true => carries.min(self.mass(node)),
            false => carries,
        };
        let longest = spread.diffusion.lengths().map(|lengths| lengths.len() - 1);
        let degree = graph.degree(node);
        Some(Way {
            stops: self.stops(&nodes),
            carries,
            of: self.mass(node),
            found: self.at.root.is_some(),
            long: longest.filter(|longest| nodes.len() - 1 > *longest),
            each: self.hub(degree).then(|| 1.0 / degree as f64),
        })
    }

    /// The best paths from the node under the cursor to the pinned one.
    fn routes(&self, trail: &[Node]) -> Vec<Path> {
        let Walked { graph, spread, .. } = self.walk;
        let ends = trail.last().copied().zip(self.at.pinned);
        let found = ends.map_or_else(Vec::new, |ends| {
            let passes = |node: Node| !self.hides(node);
            let keep = spread.diffusion.moving();
            between(graph.transition(), ends, keep, ROUTES, &passes)
        });
        let routes = found.into_iter().map(|route| Path {
            mass: route.share,
            stops: self.stops(&route.nodes),
        });
        routes.collect()
    }

    /// The nodes that were walked over, and what is next to those that are unfolded.
    fn picture(&self, trail: &[Node], browsed: &mut Browsed) {
        let graph = self.walk.graph;
        let mut nodes: Vec<Node> = Vec::new();
        for node in trail {
            if !nodes.contains(node) && nodes.len() < NODES {
                nodes.push(*node);
            }
        }
        let mut undrawn = 0;
        let mut at = 0;
        // What was unfolded in the picture is drawn only where it is in it.
        while at < nodes.len() {
            let node = nodes[at];
            at += 1;
            if !self.at.unfolded.contains(&node) {
                continue;
            }
            let around = self.around(node, AROUND);
            let new = around.nodes.iter().map(|row| row.0);
            let new: Vec<Node> = new.filter(|node| !nodes.contains(node)).collect();
            let room = (NODES - nodes.len()).min(new.len());
            nodes.extend(&new[..room]);
            undrawn += new.len() - room + around.more.0;
        }
        let joined =
            |a: Node, b: Node| graph.probability(a, b) > 0.0 || graph.probability(b, a) > 0.0;
        let depth = depths(&nodes, &joined);
        let deepest = depth.iter().copied().max().unwrap_or(0);
        let lanes = (0..=deepest).map(|lane| {
            let own = nodes
                .iter()
                .zip(&depth)
                .filter(|(_, depth)| **depth == lane);
            Lane {
                head: String::new(),
                rows: own.map(|(node, _)| self.row(*node)).collect(),
            }
        });
        browsed.flow.lanes = lanes.collect();
        let rows = browsed.flow.lanes.iter().flat_map(|lane| &lane.rows);
        let order: Vec<Node> = rows.filter_map(|row| row.node).collect();
        for (at, a) in order.iter().enumerate() {
            let later = order.iter().enumerate().skip(at + 1);
            let own = later.filter(|(_, b)| joined(*a, **b));
            browsed.edges.extend(own.map(|(other, _)| (at, other)));
        }
        browsed.undrawn = undrawn;
    }
}

/// How far nodes are from the first of them, over edges between them; those that no edge reaches come last.
fn depths(nodes: &[Node], joined: &dyn Fn(Node, Node) -> bool) -> Vec<usize> {
    let mut depth = vec![usize::MAX; nodes.len()];
    let mut ring: Vec<usize> = (0..nodes.len().min(1)).collect();
    let mut last = 0;
    for far in 0.. {
        ring.iter().for_each(|at| depth[*at] = far);
        last = if ring.is_empty() { last } else { far };
        let next = (0..nodes.len()).filter(|at| {
            depth[*at] == usize::MAX && ring.iter().any(|from| joined(nodes[*from], nodes[*at]))
        });
        ring = next.collect();
        if ring.is_empty() {
            break;
        }
    }
    let apart = |far: usize| if far == usize::MAX { last + 1 } else { far };
    depth.into_iter().map(apart).collect()
}
