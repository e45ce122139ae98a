//! A walk from the restart distribution over the graph.

use crate::graph::walk::Sparse;
use crate::graph::{Transition, trail};
use crate::layers::{Code, Graph, Node};
use crate::parameters::{Parameter as P, STEPS};
use crate::retrieve::change::Change;
use crate::retrieve::explanation::{
    Edge, Entry, Explanation, Part as ScorePart, Path, Reason, SHOWN, Stage, Story,
};
use crate::retrieve::masses::Masses;
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::retrieval::{Seed, Seeded, Spread, Walked};
use crate::retrieve::set::{Set, Space};
use crate::retrieve::spread::{Diffusion, Kernel, restart, shares};
use serde_json::json;
use std::sync::Arc;

/// A walk, and what says by which kernel.
#[derive(Debug)]
pub enum Walk {
    /// The parameter `walk`: power iteration or push.
    Chosen,
    /// The parameter `walk_rule`: NodeRAG's walk, with or without restart.
    Ruled,
    By(Kernel),
}

pub static WALK: Walk = Walk::Chosen;
pub static RULED: Walk = Walk::Ruled;
pub static POWER: Walk = Walk::By(Kernel::Power);
pub static PUSH: Walk = Walk::By(Kernel::Push);
pub static LAZY: Walk = Walk::By(Kernel::Lazy);

/// A seed with less of the restart mass is weak.
const WEAK: f64 = 0.05;
/// Nodes whose inflow is told edge by edge, and most edges of a stage.
const INFLOW: usize = 20;
const EDGES: usize = 40;
/// Names of the first steps; longer walks are told by their beginning and their end.
const STEP_NAMES: [&str; 9] = [
    "t = 0", "t = 1", "t = 2", "t = 3", "t = 4", "t = 5", "t = 6", "t = 7", "t = 8",
];

impl Walk {
    fn diffusion(&self, cx: &Context<'_>) -> Diffusion {
        match self {
            Walk::Chosen => Diffusion::chosen(cx.values),
            Walk::Ruled => Diffusion::ruled(cx.values),
            Walk::By(kernel) => Diffusion::of(*kernel, cx.values),
        }
    }
}

impl Operator for Walk {
    fn declaration(&self) -> Declaration {
        let walk = Declaration::spread(
            "walk",
            match self {
                Walk::Chosen | Walk::By(Kernel::Power | Kernel::Summed) => {
                    "T steps of power iteration"
                }
                Walk::Ruled => "a few steps, with restart or without",
                Walk::By(Kernel::Push) => "forward push to the limit of many steps",
                Walk::By(Kernel::Lazy) => "a share moves, the rest stays, nothing restarts",
            },
        )
        .reads(match self {
            Walk::Chosen => &[
                P::Walk,
                P::Alpha,
                P::Steps,
                P::Epsilon,
                P::PushThreshold,
                P::Dangling,
            ],
            Walk::Ruled => &[P::WalkRule, P::Alpha, P::Steps],
            Walk::By(Kernel::Push) => &[P::Alpha, P::Epsilon, P::PushThreshold, P::Dangling],
            Walk::By(_) => &[P::Alpha, P::Steps, P::Dangling],
        })
        .by_rows(matches!(self, Walk::Chosen | Walk::By(Kernel::Push)))
        .walks();
        match self {
            Walk::Chosen => walk.like("power"),
            Walk::Ruled => walk.like("shallow"),
            Walk::By(_) => walk,
        }
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], desk: &mut Desk<'_>) -> Outcome {
        let seeds: &[Seed] = inputs
            .iter()
            .find_map(|set| set.get::<Seeded>())
            .map_or(&[], |seeded| &seeded.seeds);
        let spread =
            self.diffusion(cx)
                .spread(cx.graph(), &restart(seeds), desk.states, desk.scratch);
        let t = cx.graph().transition();
        let set = Set::new(Space::Nodes)
            .fact(
                if spread.diffusion.pushes() {
                    "pushes"
                } else {
                    "steps"
                },
                spread.work,
            )
            .fact(of_graph(t, ["nodes", "nodes fetched"]), cx.graph().nodes())
            .fact(of_graph(t, ["arcs", "arcs fetched"]), t.arcs());
        Ok(set.with(spread))
    }

    fn tell(&self, at: &At<'_>, story: &mut Story) {
        let Some(walked) = walked(at) else { return };
        let spread = walked.spread;
        if spread.states.is_empty() {
            let end = Masses::from(&spread.mass);
            let stage = state(at, story, "walk", spread.work, &end, None);
            story.push_step(stage);
            return;
        }
        let last = spread.states.len() - 1;
        for (step, now) in spread.states.iter().enumerate() {
            if step + 1 >= STEP_NAMES.len() && step != last {
                continue;
            }
            let name = match spread.diffusion.pushes() {
                true if step == last => "pushed to the end",
                true => "pushing",
                false => STEP_NAMES.get(step).copied().unwrap_or("last step"),
            };
            let before = step.checked_sub(1).map(|step| &spread.states[step]);
            let stage = state(at, story, name, step, now, before);
            story.push_step(stage);
        }
    }

    fn explain(&self, at: &At<'_>, passage: u32) -> Explanation {
        walked(at).map_or_else(Explanation::default, |walked| opened(at, &walked, passage))
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        let mut reasons = Vec::new();
        if let Some(walked) = walked(at)
            && at.run.rests_on_walk(walked.graph)
        {
            unreached(at, &walked, passage, &mut reasons);
        }
        reasons
    }
}

/// What a count of a graph is called, and what it is called where it is of what was fetched of one.
fn of_graph(t: &Transition, [whole, fetched]: [&'static str; 2]) -> &'static str {
    if t.is_excerpt() { fetched } else { whole }
}

/// A walk's step with its seeds.
pub fn walked<'a>(at: &At<'a>) -> Option<Walked<'a>> {
    Some(Walked {
        graph: at.record().graph.as_ref()?,
        spread: at.set().get()?,
        seeded: at.inputs().find_map(|input| input.set().get())?,
        step: at.step,
    })
}

/// One state as a stage, with the greatest flows into its heaviest nodes.
fn state(
    at: &At<'_>,
    story: &mut Story,
    name: &'static str,
    step: usize,
    now: &Masses,
    before: Option<&Masses>,
) -> Stage {
    let graph = at.graph();
    let t = graph.transition();
    let mut nodes = Vec::new();
    let mut shown = now.heaviest(0..now.len(), SHOWN);
    for passage in story.always.clone() {
        for &node in graph.nodes_of(passage).iter() {
            let mass = f64::from(now[node as usize]);
            if mass > 0.0 && !shown.iter().any(|own| own.0 == node) {
                shown.push((node, mass));
            }
        }
    }
    for (node, mass) in shown {
        nodes.push(Entry {
            item: story.node(at, node),
            value: mass,
            why: format!("degree {}", t.degree(node as usize)),
        });
    }
    let diffusion = at.set().get::<Spread>().map(|spread| &spread.diffusion);
    // A push settles alpha of what it takes up and sends the rest on: what is settled tells what was sent.
    let sent = match diffusion.is_some_and(Diffusion::pushes) {
        true => Some(now),
        false => before,
    };
    let mut flows: Vec<(f64, Node, Node)> = Vec::new();
    if let (Some(sent), Some(diffusion)) = (sent, diffusion) {
        for (v, _) in now.heaviest(0..now.len(), INFLOW) {
            for &u in t.targets(v as usize) {
                let mass = f64::from(sent[u as usize]);
                let flow = diffusion.flow() * mass * t.probability(u as usize, v as usize);
                if flow > 0.0 {
                    flows.push((flow, u, v));
                }
            }
        }
    }
    flows.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    flows.truncate(EDGES);
    let edges = flows.into_iter().map(|(value, u, v)| {
        let p = t.probability(u as usize, v as usize);
        Edge {
            from: story.node(at, u),
            to: story.node(at, v),
            value,
            kind: graph.source().edge_name(u, v),
            why: format!("P {p:.4}, degree {}", t.degree(u as usize)),
        }
    });
    let edges = edges.collect();
    let reached = now.held(0..now.len()).count();
    let mut counters = vec![("step", step.into()), ("nodes reached", reached.into())];
    let ledgers = at.set().get::<Spread>().map_or(&[][..], |s| &s.ledgers);
    if let Some(ledger) = ledgers.get(step).or(ledgers.last()) {
        counters.extend([
            ("mass on passages", json!(ledger.passages)),
            ("mass on the way", json!(ledger.entities)),
            ("mass dropped", json!(ledger.dropped)),
            ("mass not settled", json!(ledger.residual)),
        ]);
    }
    let count = of_graph(t, ["edges of the graph", "edges fetched"]);
    counters.push((count, (t.arcs() / 2).into()));
    Stage {
        name,
        kind: "spread",
        counters,
        nodes,
        edges,
        ..Stage::default()
    }
}

/// What every seed paid of what landed on a passage, by walk length, and along which paths: exact but for what a push
/// has not settled.
pub fn opened(at: &At<'_>, walked: &Walked<'_>, passage: u32) -> Explanation {
    opened_at(at, walked, &shared(walked.graph, passage))
}

/// What every seed paid of what landed on some nodes, each with the share of it that counts.
pub struct Paid {
    /// By the place of the seed.
    pub by_seed: Vec<f64>,
    /// By the length of the walk; empty for push.
    pub by_length: Vec<f64>,
    /// How far the sum may be off.
    pub error: f64,
}

impl Paid {
    /// Exact but for what a push has not settled.
    pub fn of(walked: &Walked<'_>, nodes: &[(Node, f64)]) -> Paid {
        let mut paid = Paid {
            by_seed: vec![0.0; walked.seeds().len()],
            by_length: Vec::new(),
            error: 0.0,
        };
        let held = nodes.iter().copied();
        let held: Vec<(Node, f64)> = held
            .filter(|(node, _)| walked.spread.mass[*node as usize] > 0.0)
            .collect();
        if held.len() > 1
            && let Some(reach) = walked.reach_together(&held)
        {
            for part in shares(walked.seeds(), &reach) {
                paid.by_seed[part.seed] = part.mass;
            }
            paid.by_length = reach.by_length;
            return paid;
        }
        for (node, share) in held {
            let reach = walked.reach(node, walked.spread.diffusion.fine());
            for part in shares(walked.seeds(), &reach) {
                paid.by_seed[part.seed] += share * part.mass;
            }
            paid.by_length.resize(reach.by_length.len(), 0.0);
            for (sum, own) in paid.by_length.iter_mut().zip(&reach.by_length) {
                *sum += share * own;
            }
            paid.error += share * reach.error;
        }
        paid
    }
}

/// The nodes of a passage, each with the share of it that counts.
pub fn shared(graph: &Graph, passage: u32) -> Vec<(Node, f64)> {
    let nodes = graph.nodes_of(passage);
    nodes.iter().map(|&n| (n, graph.share(n))).collect()
}

/// As [`opened`], of what landed on some nodes, each with the share of it that counts.
pub fn opened_at(at: &At<'_>, walked: &Walked<'_>, nodes: &[(Node, f64)]) -> Explanation {
    let (graph, spread) = (walked.graph, walked.spread);
    let best = walked.heaviest(nodes.iter().map(|node| node.0));
    let paths = best.map_or_else(Vec::new, |node| walked.paths(node).to_vec());
    if at.brief {
        return Explanation {
            paths,
            ..Explanation::default()
        };
    }
    let Paid {
        by_seed: paid,
        by_length,
        mut error,
    } = Paid::of(walked, nodes);
    if spread.diffusion.pushes() {
        // The forward walk is short of the limit by at most what it has not settled.
        error += spread.ledgers.last().map_or(0.0, |ledger| ledger.residual);
    }
    let mut order: Vec<usize> = (0..paid.len()).filter(|seed| paid[*seed] > 0.0).collect();
    order.sort_by(|a, b| paid[*b].total_cmp(&paid[*a]).then(a.cmp(b)));
    let seed_at = At {
        step: at.run.records[walked.step].step.inputs[0],
        ..*at
    };
    let parts: Vec<ScorePart> = order
        .iter()
        .map(|&seed| {
            let own = &walked.seeds()[seed];
            ScorePart {
                label: graph.named(at.index, own.node).into_owned(),
                value: paid[seed],
                why: seed_at.operator().why(
                    &seed_at,
                    &crate::retrieve::set::Member {
                        node: own.node,
                        value: own.weight,
                        from: own.why,
                    },
                ),
                seed: Some(seed),
            }
        })
        .collect();
    let mut explanation = Explanation {
        parts,
        by_length,
        paths,
        error,
        ..Explanation::default()
    };
    explanation.sentence = sentence(at, walked, &explanation, nodes);
    explanation
}

/// The seed itself, then who paid for it, over which way.
fn sentence(
    at: &At<'_>,
    walked: &Walked<'_>,
    opened: &Explanation,
    nodes: &[(Node, f64)],
) -> String {
    use crate::retrieve::set::Origin;
    let (graph, seeds) = (walked.graph, walked.seeds());
    let mut said = Vec::new();
    let own = |seed: &&Seed| nodes.iter().any(|node| node.0 == seed.node);
    if let Some(seed) = seeds.iter().find(own) {
        let weight = seed.weight;
        said.push(match seed.why {
            Origin::Ranked { ranker, rank, .. } => {
                format!("seed: {} rank {rank}, weight {weight:.3}", ranker.label())
            }
            Origin::Near { rank, cosine } => {
                format!("seed: nearest {rank}, cosine {cosine:.3}, weight {weight:.3}")
            }
            Origin::Added => format!("seed added by you, weight {weight:.3}"),
            Origin::Name { .. } => format!("seed: named by the question, weight {weight:.3}"),
            _ => format!("seed of the fallback, weight {weight:.3}"),
        });
    }
    if walked.seeded.fallback {
        let own = said.pop();
        return own.unwrap_or_else(|| "reached from the fallback's seeds".into());
    }
    let score = opened.sum();
    if score <= 0.0 {
        return "the walk does not reach it".into();
    }
    let counts = |(at, part): &(usize, &ScorePart)| *at == 0 || part.value >= 0.005 * score;
    for (_, part) in opened.parts.iter().enumerate().take(3).filter(counts) {
        let Some(seed) = part.seed.and_then(|seed| seeds.get(seed)) else {
            continue;
        };
        let mut paths = opened.paths.iter();
        let path = paths.find(|p| p.nodes.first() == Some(&seed.node) && p.nodes.len() > 1);
        let via: Vec<_> = path.map_or_else(Vec::new, |path| {
            let inner = path.nodes[1..path.nodes.len() - 1].iter();
            inner.map(|n| graph.named(at.index, *n)).collect()
        });
        let via = match via.is_empty() {
            true => String::new(),
            false => format!(" via {}", via.join(" > ")),
        };
        let percent = 100.0 * part.value / score;
        said.push(format!("{percent:.0} % from {}{via}", part.label));
    }
    said.join("; ")
}

/// Reasons on the walk itself.
fn unreached(at: &At<'_>, walked: &Walked<'_>, passage: u32, reasons: &mut Vec<Reason>) {
    let (graph, diffusion) = (walked.graph, &walked.spread.diffusion);
    if walked.seeds().is_empty() {
        let text = match at.run.names() {
            [] => "the question gives no seed, and fallback=none",
            _ => "no name of the question was linked and the fallback is none",
        };
        reasons.push(Reason::new(Code::Fallback, text));
        return;
    }
    let seeds = restart(walked.seeds());
    match distance(graph, &seeds, &graph.nodes_of(passage)) {
        Err(reason) => reasons.push(*reason),
        Ok(far) if !diffusion.pushes() && far > diffusion.steps => {
            reasons.push(too_far(walked, far));
        }
        Ok(_) if walked.landed(passage) <= 0.0 => {
            let text = match diffusion.pushes() {
                true => "push stops before it",
                false => "its mass is dropped at a node without edges",
            };
            reasons.push(Reason::new(Code::TooFar, text));
        }
        Ok(_) if walked.seeded.fallback => {}
        Ok(_) => {
            parity(at, walked, passage, reasons);
            if at.run.scored_by_walk().is_some() {
                reasons.extend(weak(at, walked, &opened(at, walked, passage)));
            }
        }
    }
    if walked.seeded.fallback {
        let rule = fallback_name(at);
        let text = format!("no name in the question was linked; used the {rule} fallback");
        reasons.push(Reason::new(Code::Fallback, text));
    }
}

/// Steps from the nearest seed to some nodes of a passage, or why none lead there. Where a graph is an excerpt and none lead
/// over what came, they are more than any.
pub fn distance(graph: &Graph, seeds: &Sparse, own: &[Node]) -> Result<usize, Box<Reason>> {
    let t = graph.transition();
    let alone = |node: &Node| t.dangling(*node as usize);
    let known = |node: &Node| alone(node) && t.knows(*node as usize);
    let beyond = || (t.is_excerpt() && !own.iter().all(known)).then_some(usize::MAX);
    trail::distance(t, seeds, own)
        .or_else(beyond)
        .ok_or_else(|| {
            let (code, text) = match own {
                [] => (
                    Code::Isolated,
                    "no node of this graph stands for the passage",
                ),
                own if own.iter().all(alone) => (Code::Isolated, "no edge leads to the passage"),
                _ => (Code::NoPath, "no path leads from any seed to the passage"),
            };
            Box::new(Reason::new(code, text))
        })
}

/// More steps than the walk takes.
pub fn too_far(walked: &Walked<'_>, far: usize) -> Reason {
    let steps = walked.spread.diffusion.steps;
    let text = format!("the nearest seed is {far} steps away; the walk takes {steps}");
    Reason::new(Code::TooFar, text).undone_by([Change::from(STEPS.at(far))])
}

fn fallback_name(at: &At<'_>) -> &'static str {
    let seeds = at
        .inputs()
        .find(|input| input.set().get::<Seeded>().is_some());
    seeds.map_or("", |seeds| {
        let values = seeds.values();
        values.get(crate::parameters::FALLBACK).name()
    })
}

/// One step more would bring it in: mass is on the other side.
fn parity(at: &At<'_>, walked: &Walked<'_>, passage: u32, reasons: &mut Vec<Reason>) {
    let steps = walked.spread.diffusion.steps;
    let Some(parity) = walked.spread.parity else {
        return;
    };
    if walked.spread.diffusion.pushes() {
        return;
    }
    let scored = at.run.scored_by_walk().is_some();
    let longer = || at.tried(passage, STEPS.at(steps + 1));
    if let Some(fix) = scored.then(longer).flatten() {
        let (e, p) = (parity.entity_seeds, parity.passage_seeds);
        let text = format!(
            "after T = {steps} steps, {e:.2} of the entity seeds' mass and {p:.2} of the passage seeds' is on passages"
        );
        reasons.push(Reason::new(Code::Parity, text).with_fix(Some(fix)));
    }
}

/// The nodes that a path crosses, with what each lets through: the share that it is given where it is given one, times the
/// share that it passes on. A hub's penalty is paid before it, its many neighbours after it.
pub fn crossed(path: &Path) -> impl Iterator<Item = (Node, f64)> + '_ {
    let given = std::iter::once(1.0).chain(path.kept.iter().copied());
    let nodes = path.nodes.iter().zip(given).zip(&path.kept);
    nodes.map(|((&node, given), passed)| (node, given * passed))
}

/// DILUTED and SEED_WEAK: what the attribution of a passage, or of a node of it, shows.
pub fn weak(at: &At<'_>, walked: &Walked<'_>, opened: &Explanation) -> Vec<Reason> {
    let graph = walked.graph;
    let mut reasons = Vec::new();
    if let Some(path) = opened.paths.iter().find(|p| p.nodes.len() > 1) {
        let loss: f64 = path.kept.iter().map(|p| -p.ln()).sum();
        let worst = crossed(path).min_by(|a, b| a.1.total_cmp(&b.1));
        let most = worst.filter(|(_, through)| -through.ln() > 0.5 * loss);
        // A node of few neighbours passes on little of what it has to each, and dilutes nothing.
        if let Some((hub, through)) = most.filter(|(node, _)| graph.degree(*node) >= graph.hub()) {
            let (label, degree) = (graph.named(at.index, hub), graph.degree(hub));
            let text = format!(
                "{label} (degree {degree}) lets only {:.2} % through on the way to it",
                100.0 * through
            );
            reasons.push(Reason::new(Code::Diluted, text));
        }
    }
    let score = opened.sum();
    let paid = opened.parts.iter().filter(|part| part.value > 0.05 * score);
    let paid: Vec<&Seed> = paid
        .filter_map(|part| walked.seeds().get(part.seed?))
        .collect();
    // Where every passage is a seed, each holds little of the restart and is its own.
    if let Some(best) = paid.first()
        && !graph.is_passage(best.node)
        && paid.iter().all(|seed| seed.weight < WEAK)
    {
        let text = format!(
            "only low-weight seeds contribute, mostly {} ({:.1} % of the restart)",
            graph.named(at.index, best.node),
            100.0 * best.weight
        );
        reasons.push(Reason::new(Code::SeedWeak, text));
    }
    reasons
}
