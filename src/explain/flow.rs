//! What moved in a walk: of the score of some passages what every neighbour sent, by the seeds that it came from, and what
//! one step sent over which edges.

use super::neighbours::leaving;
use crate::graph::walk::Sparse;
use crate::layers::Node;
use crate::retrieve::masses::Masses;
use crate::retrieve::retrieval::Walked;
use crate::retrieve::spread::{Kernel, restart};

/// How many of the largest transfers of a step are told.
const LARGEST: usize = 5;
/// Mass below this is rounding.
const NOTHING: f64 = 1e-9;

/// A part of a passage's score in one state of the walk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thread {
    /// The group of seeds that it came from; none where the state cannot be taken apart.
    pub group: Option<usize>,
    /// The neighbour that sent it in the last step; none of what restarted or stayed there.
    pub via: Option<Node>,
    /// The node that stands for the passage.
    pub node: Node,
    /// The passage.
    pub passage: u32,
    /// Mass. Of a push it may be below 0 where more has arrived than is settled.
    pub value: f64,
}

/// One state of a walk around some passages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Crossed {
    /// Their scores: the threads of a passage sum to its score here.
    pub threads: Vec<Thread>,
    /// What the step sent back from the nodes that stand for them, each edge once; no part of a score here.
    pub returns: Vec<Thread>,
}

/// What goes into some passages and out of them, by the state of the walk. `groups` are parts of the seeds with their
/// weights.
pub fn threads(walk: &Walked<'_>, groups: &[Sparse], passages: &[u32]) -> Vec<Crossed> {
    let (graph, spread) = (walk.graph, walk.spread);
    let mut stands: Vec<(u32, Node)> = Vec::new();
    for &passage in passages {
        let nodes = graph.nodes_of(passage);
        stands.extend(nodes.iter().map(|node| (passage, *node)));
    }
    let sent = |&(_, node): &(u32, Node)| -> Vec<(Node, f64)> {
        let senders = graph.neighbours(node);
        senders
            .map(|(other, _)| (other, graph.probability(other, node)))
            .filter(|(_, probability)| *probability > 0.0)
            .collect()
    };
    let sent: Vec<Vec<(Node, f64)>> = stands.iter().map(sent).collect();
    let mut asked: Vec<Node> = sent.iter().flatten().map(|(node, _)| *node).collect();
    asked.extend(stands.iter().map(|(_, node)| node));
    asked.sort_unstable();
    asked.dedup();
    let split = Split::of(walk, groups, asked);
    let last = spread.states.len().saturating_sub(1);
    let left = |at: usize, group: Option<usize>, node: Node| {
        let before = match (spread.diffusion.pushes(), at) {
            (true, at) => split.mass(at, group, node),
            (false, 0) => Some(0.0),
            (false, at) => split.mass(at - 1, group, node),
        };
        match before {
            Some(mass) => spread.diffusion.moving() * mass,
            None => leaving(spread, (at < last).then_some(at), node),
        }
    };
    let state = |at: usize| {
        let Crossed {
            mut threads,
            mut returns,
        } = Crossed::default();
        for (place, (&(passage, node), sent)) in stands.iter().zip(&sent).enumerate() {
            let share = graph.share(node);
            let first = stands[..place].iter().all(|(_, other)| *other != node);
            for group in split.groups(at) {
                let held = split.mass(at, group, node);
                let mut rest =
                    share * held.unwrap_or_else(|| f64::from(spread.states[at][node as usize]));
                let out = left(at, group, node);
                for &(other, probability) in sent {
                    let value = out * graph.probability(node, other);
                    if first && value > NOTHING {
                        let via = Some(other);
                        returns.push(Thread {
                            group,
                            via,
                            node,
                            passage,
                            value,
                        });
                    }
                    let value = share * left(at, group, other) * probability;
                    rest -= value;
                    if value > NOTHING {
                        let via = Some(other);
                        threads.push(Thread {
                            group,
                            via,
                            node,
                            passage,
                            value,
                        });
                    }
                }
                if rest.abs() > NOTHING {
                    threads.push(Thread {
                        group,
                        via: None,
                        node,
                        passage,
                        value: rest,
                    });
                }
            }
        }
        Crossed { threads, returns }
    };
    (0..spread.states.len()).map(state).collect()
}

/// States taken apart by groups of seeds, as far as they can be.
struct Split<'w> {
    walk: Walked<'w>,
    asked: Vec<Node>,
    count: usize,
    /// By state, by node asked for, by group.
    states: Vec<Vec<Vec<f64>>>,
    /// Of a push its end, by group.
    end: Vec<Masses>,
}

impl<'w> Split<'w> {
    fn of(walk: &Walked<'w>, groups: &[Sparse], asked: Vec<Node>) -> Split<'w> {
        let spread = walk.spread;
        let mut split = Split {
            walk: *walk,
            asked,
            count: groups.len(),
            states: Vec::new(),
            end: Vec::new(),
        };
        if groups.len() > 1 {
            let asked = vec![split.asked.clone(); spread.states.len()];
            let all = restart(walk.seeds());
            let t = walk.graph.transition();
            let apart = spread.diffusion.groups(t, &all, groups, &asked, &[]);
            split.states = apart.states;
            if spread.diffusion.pushes() {
                split.end = apart.end;
            }
        }
        split
    }

    /// The groups that a state is taken apart by.
    fn groups(&self, at: usize) -> Vec<Option<usize>> {
        let is_last = at + 1 == self.walk.spread.states.len();
        match self.count {
            1 => vec![Some(0)],
            _ if !self.states.is_empty() || (!self.end.is_empty() && is_last) => {
                (0..self.count).map(Some).collect()
            }
            _ => vec![None],
        }
    }

    /// What a group has on a node; none where one owns all, or nothing is told apart.
    fn mass(&self, at: usize, group: Option<usize>, node: Node) -> Option<f64> {
        let group = group.filter(|_| self.count > 1)?;
        if let Some(end) = self.end.get(group) {
            return Some(f64::from(end[node as usize]));
        }
        let place = self.asked.binary_search(&node).ok()?;
        Some(self.states.get(at)?.get(place)?[group])
    }
}

/// Mass that crosses an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transfer {
    /// Where it leaves.
    pub from: Node,
    /// Where it arrives.
    pub to: Node,
    /// How much.
    pub mass: f64,
}

/// What becomes of the mass that a step does not send on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It restarts at the seeds.
    Restarts,
    /// It stays where it is.
    Stays,
    /// It is settled for good.
    Settles,
}

/// What one step of a walk moved, or a push between two marks.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// Over edges.
    pub sent: f64,
    /// What nodes without edges would have sent.
    pub dead: f64,
    /// What was not sent on.
    pub kept: f64,
    /// What that does.
    pub kind: Kept,
    /// Over single edges, most first.
    pub largest: Vec<Transfer>,
    /// The node that sent most, what it had to give (held before the step, or taken up between two marks), what it sent, and
    /// the most of that over one edge.
    pub sender: Option<(Node, f64, f64, Transfer)>,
}

/// The share of what nodes give up on the way to a state that crosses edges, and what each gives up. Nothing moved before the
/// first.
fn given(walk: &Walked<'_>, state: usize) -> Option<(f64, Vec<(Node, f64)>)> {
    let spread = walk.spread;
    let now = spread.states.get(state)?;
    let before = spread.states.get(state.checked_sub(1)?)?;
    let diffusion = &spread.diffusion;
    let all = 0..now.len();
    if diffusion.pushes() {
        let given = |(node, mass)| (node, f64::from(mass) - f64::from(before[node as usize]));
        let given = now.held(all).map(given).filter(|(_, mass)| *mass > 0.0);
        return Some((diffusion.flow(), given.collect()));
    }
    let held = before.held(all).map(|(node, mass)| (node, mass.into()));
    Some((diffusion.moving(), held.collect()))
}

/// Everything that crosses an edge on the way to a state, by its ends. For small graphs: there are as many as arcs.
pub fn transfers(walk: &Walked<'_>, state: usize) -> Vec<Transfer> {
    let graph = walk.graph;
    let (keep, held) = given(walk, state).unwrap_or_default();
    let sent = held.into_iter().flat_map(|(from, mass)| {
        graph.neighbours(from).map(move |(to, _)| Transfer {
            from,
            to,
            mass: keep * mass * graph.probability(from, to),
        })
    });
    sent.collect()
}

/// What moved on the way to a state. Nothing moved before the first.
pub fn moved(walk: &Walked<'_>, state: usize) -> Option<Moved> {
    let (graph, spread) = (walk.graph, walk.spread);
    let (keep, held) = given(walk, state)?;
    let diffusion = &spread.diffusion;
    let pushes = diffusion.pushes();
    let t = graph.transition();
    let (mut sent, mut dead) = (0.0, 0.0);
    for &(node, mass) in &held {
        match t.dangling(node as usize) {
            true => dead += keep * mass,
            false => sent += keep * mass,
        }
    }
    let total: f64 = held.iter().map(|(_, mass)| mass).sum();
    let (kept, kind) = match diffusion.kernel {
        Kernel::Push => (total, Kept::Settles),
        Kernel::Lazy => ((1.0 - diffusion.alpha) * total, Kept::Stays),
        Kernel::Power | Kernel::Summed => (diffusion.alpha, Kept::Restarts),
    };
    let mut senders: Vec<(Node, f64)> = held
        .into_iter()
        .filter(|(node, _)| !t.dangling(*node as usize))
        .collect();
    senders.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut largest: Vec<Transfer> = Vec::new();
    for &(from, mass) in &senders {
        // No edge of it, or of a lighter node, carries more than all that it sends.
        if largest.len() == LARGEST && keep * mass <= largest[LARGEST - 1].mass {
            break;
        }
        for (to, _) in graph.neighbours(from) {
            let mass = keep * mass * graph.probability(from, to);
            let at = largest.partition_point(|known| known.mass >= mass);
            if at < LARGEST {
                largest.insert(at, Transfer { from, to, mass });
                largest.truncate(LARGEST);
            }
        }
    }
    let sender = senders.first().and_then(|&(from, mass)| {
        let had = if pushes { mass + keep * mass } else { mass };
        let to = |(to, _)| Transfer {
            from,
            to,
            mass: keep * mass * graph.probability(from, to),
        };
        let over = graph.neighbours(from).map(to);
        let most = over.reduce(|best, next| if next.mass > best.mass { next } else { best })?;
        Some((from, had, keep * mass, most))
    });
    Some(Moved {
        sent,
        dead,
        kept,
        kind,
        largest,
        sender,
    })
}
