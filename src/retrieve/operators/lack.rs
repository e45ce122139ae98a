//! What a passage lacks that another of the same step has: a restart, names and ways of a walk; words; closeness; a place
//! in a list. Every lack is a difference of two figures that both passages have, and the lacks of a step add up to the
//! difference of its scores, those with a minus left out.

use super::walk::{Paid, crossed, shared, walked};
use crate::graph::trail;
use crate::layers::{Code, Graph, Node};
use crate::parameters::{HOP_SEEDS, SEED_K};
use crate::retrieve::change::Change;
use crate::retrieve::edits::{SeedChange, name_of};
use crate::retrieve::explanation::{Lack, MOST, Path, Without};
use crate::retrieve::methods::Ranker;
use crate::retrieve::operator::At;
use crate::retrieve::rank::{Fusion, shares};
use crate::retrieve::retrieval::{Ranked, Walked};
use crate::retrieve::set::Origin;
use crate::retrieve::words::{WordShare, cosine, words as word_shares};
use crate::text::plural;
use std::sync::Arc;

/// Nodes of a passage, each with the share of it that counts.
type Shared<'n> = &'n [(Node, f64)];

/// Words that are named in one sentence.
const NAMED: usize = 4;
/// Seeds that are taken away one by one to see what a passage is without them.
const TAKEN: usize = 3;

/// The greatest first; ties in the order they were found.
pub fn ordered(lacks: impl IntoIterator<Item = Option<Lack>>) -> Vec<Lack> {
    let mut lacks: Vec<Lack> = lacks.into_iter().flatten().collect();
    lacks.sort_by(|a, b| b.gap.total_cmp(&a.gap));
    lacks
}

/// What a walk brought to a passage, by how the seeds that paid lie to it.
struct Brought {
    /// By the place of the seed.
    paid: Vec<f64>,
    /// Of each seed: 0 where it stands for the passage, 1 where it is joined to it, 2 farther off.
    group: Vec<usize>,
    /// By seeds that stand for it, by seeds joined to it, by those farther off.
    sums: [f64; 3],
    /// Of each the seed that paid most.
    most: [Option<usize>; 3],
}

impl Brought {
    fn of(walked: &Walked<'_>, nodes: &[(Node, f64)]) -> Brought {
        let graph = walked.graph;
        let paid = Paid::of(walked, nodes).by_seed;
        let (mut sums, mut most) = ([0.0; 3], [None; 3]);
        let mut groups = Vec::with_capacity(paid.len());
        for (seed, &mass) in paid.iter().enumerate() {
            let node = walked.seeds()[seed].node;
            let joined = || nodes.iter().any(|own| graph.probability(node, own.0) > 0.0);
            let group = match nodes.iter().any(|own| own.0 == node) {
                true => 0,
                false if joined() => 1,
                false => 2,
            };
            sums[group] += mass;
            groups.push(group);
            if mass > 0.0 && most[group].is_none_or(|best: usize| mass > paid[best]) {
                most[group] = Some(seed);
            }
        }
        Brought {
            paid,
            group: groups,
            sums,
            most,
        }
    }

    /// How many seeds of a group pay for nine tenths of what comes from it.
    fn payers(&self, group: usize) -> usize {
        let of = self.paid.iter().zip(&self.group);
        let of = of.filter(|(mass, own)| **mass > 0.0 && **own == group);
        let mut paid: Vec<f64> = of.map(|(mass, _)| *mass).collect();
        paid.sort_by(|a, b| b.total_cmp(a));
        let mut left = 0.9 * self.sums[group];
        let needed = paid.iter().take_while(|mass| {
            let short = left > 0.0;
            left -= **mass;
            short
        });
        needed.count()
    }
}

/// Of what a walk brought to a passage, the part that restarts there since a list has it.
pub fn restarting(walked: &Walked<'_>, passage: u32) -> f64 {
    let brought = Brought::of(walked, &shared(walked.graph, passage));
    let own = |seed: &usize| {
        let listed = matches!(walked.seeds()[*seed].why, Origin::Ranked { .. });
        listed && brought.group[*seed] == 0
    };
    let paid = (0..brought.paid.len()).filter(own);
    let listed: f64 = paid.map(|seed| brought.paid[seed]).sum();
    let all: f64 = brought.sums.iter().sum();
    if all > 0.0 { listed / all } else { 0.0 }
}

/// Of a walk's mass on two passages.
pub fn of_walk(at: &At<'_>, walked: &Walked<'_>, passage: u32, other: u32) -> Vec<Lack> {
    let [own, theirs] = [passage, other].map(|passage| shared(walked.graph, passage));
    of_nodes(at, walked, (passage, &own), (other, &theirs))
}

/// Of a walk's mass on nodes of two passages, each with the share of it that counts: the other restarts the walk, is joined
/// to seeds, or lies nearer to them. The seed that pays the other most is looked at from both.
pub fn of_nodes(
    at: &At<'_>,
    walked: &Walked<'_>,
    (passage, its): (u32, &[(Node, f64)]),
    (other, their): (u32, &[(Node, f64)]),
) -> Vec<Lack> {
    let (own, theirs) = rayon::join(|| Brought::of(walked, its), || Brought::of(walked, their));
    let title = at.index.called(other);
    let shares = (its, their);
    let [its, their] = [its, their].map(|nodes| nodes.iter().map(|node| node.0).collect());
    let (its, their): (Vec<Node>, Vec<Node>) = (its, their);
    let without = given_more(at, walked, &own, &theirs);
    let lack = |group: usize, code: Code, text: String| {
        let (own, theirs) = (own.sums[group], theirs.sums[group]);
        // In the order that the text has them.
        let text = format!("{text} (in all {} and {})", figure(theirs), figure(own));
        Lack::of(code, more(theirs, own), text)
    };
    // The seed that pays the other most, of a group that gives it more: what is no lack is not looked into.
    let payer = |group: usize| {
        let more = more(theirs.sums[group], own.sums[group]);
        theirs.most[group].filter(|_| more > 0.0)
    };
    let restarts = payer(0).and_then(|seed| {
        let gap = more(theirs.sums[0], own.sums[0]);
        let (theirs, own) = (figure(theirs.sums[0]), figure(own.sums[0]));
        let (place, undo) = restarted(at, walked, passage, &its, seed);
        let all = started(at, walked);
        let text = format!("'{title}' is a restart seed, worth {theirs}; {place} ({own}){all}");
        Some(Lack {
            undo,
            ..Lack::of(Code::RestartsLess, gap, text)?
        })
    });
    let pays = |seed: usize| {
        let label = walked.graph.named(at.index, walked.seeds()[seed].node);
        (label, figure(own.paid[seed]), figure(theirs.paid[seed]))
    };
    // As near, but with less: over a busier node, or from fewer seeds.
    let fewer = |group: usize, seed: usize| {
        if own.paid[seed] * 2.0 < theirs.paid[seed]
            && let Some(busier) = busier(at, walked, seed, &its, &their)
        {
            return busier;
        }
        match (own.payers(group), theirs.payers(group)) {
            (few, many) if few < many => {
                let of = format!(
                    "; 90 % comes from {} here, from {many} there",
                    plural(few, "seed")
                );
                (Code::FewerSeeds, of)
            }
            _ => narrower(
                at,
                walked,
                (seed, own.paid[seed], theirs.paid[seed]),
                &its,
                &their,
            )
            .or_else(|| unjoined(at, walked, shares, title))
            .unwrap_or((Code::FewerWays, String::new())),
        }
    };
    let beside = payer(1).and_then(|seed| {
        let (label, to_it, to_other) = pays(seed);
        let far = distance(walked, seed, &its);
        let text = format!("{label} is adjacent to '{title}' and contributes {to_other}");
        match own.group.contains(&1) {
            true => {
                let text = format!("{text}, and this one {to_it}, {}", edges(walked, far));
                let (code, why) = fewer(1, seed);
                lack(1, code, text + &why)
            }
            false => {
                let text = format!(
                    "{text}; no seed is adjacent to this one ({label} is {})",
                    edges(walked, far)
                );
                lack(1, Code::NotNamed, text)
            }
        }
    });
    let farther = payer(2).and_then(|seed| {
        let (label, to_it, to_other) = pays(seed);
        let (near, far) = (distance(walked, seed, &their), distance(walked, seed, &its));
        let (code, why) = match far.unwrap_or(usize::MAX) > near.unwrap_or(usize::MAX) {
            true => (Code::LaterHop, String::new()),
            false => fewer(2, seed),
        };
        let text = format!(
            "{label}, {}, gives '{title}' {to_other}, and this one, {}, {to_it}",
            edges(walked, near),
            edges(walked, far)
        );
        lack(2, code, text + &why)
    });
    let mut lacks = ordered([restarts, beside, farther]);
    for lack in &mut lacks {
        lack.without.clone_from(&without);
    }
    lacks
}

/// How much more one mass is than another; nothing, where they differ in the last digits of sums alone.
fn more(one: f64, other: f64) -> f64 {
    let more = one - other;
    if more > 1e-12 * one { more } else { 0.0 }
}

/// The seeds that give the other most more: without one of them the two may change places.
fn given_more(at: &At<'_>, walked: &Walked<'_>, own: &Brought, theirs: &Brought) -> Vec<Without> {
    let gaps = theirs.paid.iter().zip(&own.paid).map(|(t, o)| more(*t, *o));
    let mut more: Vec<(usize, f64)> = gaps.enumerate().filter(|(_, gap)| *gap > 0.0).collect();
    more.sort_by(|a, b| b.1.total_cmp(&a.1));
    let seed = |(seed, _): &(usize, f64)| {
        let node = walked.seeds()[*seed].node;
        Without {
            code: Code::OneSeed,
            what: format!("the seed {}", walked.graph.named(at.index, node)),
            change: Change::seed(name_of(at.index, walked.graph, node), SeedChange::Mute),
        }
    };
    more.iter().take(TAKEN).map(seed).collect()
}

/// The node that lets least through on the best way from a seed to a passage, where that is less than any lets through on
/// the way to the other: a hub dilutes.
fn busier(
    at: &At<'_>,
    walked: &Walked<'_>,
    seed: usize,
    its: &[Node],
    their: &[Node],
) -> Option<(Code, String)> {
    let graph = walked.graph;
    let least = |nodes: &[Node]| {
        let way = way(walked, seed, nodes)?;
        crossed(&way).min_by(|a, b| a.1.total_cmp(&b.1))
    };
    let (own, theirs) = rayon::join(|| least(its), || least(their));
    let (own, theirs) = (own?, theirs?);
    let told = |(node, through): (Node, f64)| {
        let label = graph.named(at.index, node);
        let degree = graph.degree(node);
        format!(
            "{label} (degree {degree}) lets {:.1} % through",
            100.0 * through
        )
    };
    let code = busy(graph, own.0);
    let text = format!(
        "; on the path here {}, on the other {}",
        told(own),
        told(theirs)
    );
    (own.1 < theirs.1 && own.0 != theirs.0).then_some((code, text))
}

fn busy(graph: &Graph, node: Node) -> Code {
    match graph.degree(node) >= graph.hub() {
        true => Code::Diluted,
        false => Code::BusierWay,
    }
}

/// The way that brings most from a seed to the heaviest of some nodes.
fn way(walked: &Walked<'_>, seed: usize, nodes: &[Node]) -> Option<Path> {
    let node = walked.heaviest(nodes.iter().copied())?;
    let paths = walked.paths_from(&walked.seeds()[seed], node);
    paths.first().cloned()
}

/// Where the best way from a seed to a passage and one of as many edges to another part most, node by node and edge by
/// edge, as far as that is most of what the seed pays less.
fn narrower(
    at: &At<'_>,
    walked: &Walked<'_>,
    (seed, paid, their_paid): (usize, f64, f64),
    its: &[Node],
    their: &[Node],
) -> Option<(Code, String)> {
    let (graph, t) = (walked.graph, walked.graph.transition());
    let both = rayon::join(|| way(walked, seed, its), || way(walked, seed, their));
    let (own, theirs) = (both.0?, both.1?);
    // Factors multiply: parts of the difference are those of its logarithm.
    let lost = (theirs.mass / own.mass).ln();
    let less = their_paid > paid && lost > 0.0;
    if !less || own.nodes.len() != theirs.nodes.len() || lost < MOST * (their_paid / paid).ln() {
        return None;
    }
    let label = |node: Node| graph.named(at.index, node);
    let weight = |path: &Path, step: usize| {
        let (from, to) = (path.nodes[step] as usize, path.nodes[step + 1] as usize);
        path.kept[step] / (t.scale(from) * t.into(to))
    };
    let through = |path: &Path, step: usize| {
        let node = path.nodes[step] as usize;
        t.into(node) * t.scale(node)
    };
    let gap =
        |of: &dyn Fn(&Path, usize) -> f64, step: usize| (of(&theirs, step) / of(&own, step)).ln();
    let steps = own.kept.len();
    let greatest = |of: &dyn Fn(&Path, usize) -> f64, from: usize| {
        let steps = (from..steps).map(|step| (step, gap(of, step)));
        steps.max_by(|a, b| a.1.total_cmp(&b.1))
    };
    let edge = greatest(&weight, 0).filter(|(_, gap)| *gap > MOST * lost);
    let node = greatest(&through, 1).filter(|(_, gap)| *gap > MOST * lost);
    if let Some((step, _)) = edge {
        let told = |path: &Path| {
            let (from, to) = (path.nodes[step], path.nodes[step + 1]);
            let (from, to) = (label(from), label(to));
            format!("{from} to {to} weighs {:.2}", weight(path, step))
        };
        let text = format!(
            "; on the way here {}, on that one {}",
            told(&own),
            told(&theirs)
        );
        return Some((Code::ThinEdge, text));
    }
    let (own, theirs) = node.map(|(step, _)| (own.nodes[step], theirs.nodes[step]))?;
    let told = |node: Node| format!("{} (degree {})", label(node), graph.degree(node));
    let text = format!(
        "; the way here passes {}, that one {}",
        told(own),
        told(theirs)
    );
    (graph.degree(own) > graph.degree(theirs)).then(|| (busy(graph, own), text))
}

/// Nodes that lead to a passage and not to the one that is asked about, as far as what comes over them is most of what that
/// one has less.
fn unjoined(
    at: &At<'_>,
    walked: &Walked<'_>,
    (its, their): (Shared<'_>, Shared<'_>),
    title: &str,
) -> Option<(Code, String)> {
    let (graph, spread) = (walked.graph, walked.spread);
    let before = walked.before_last()?;
    let held = |nodes: Shared<'_>| {
        let mass = nodes
            .iter()
            .map(|(node, share)| share * spread.mass[*node as usize]);
        mass.sum::<f64>()
    };
    let alone = |nodes: Shared<'_>, others: Shared<'_>| {
        let mut sent: Vec<(Node, f64)> = Vec::new();
        for &(node, share) in nodes {
            for (from, _) in graph.neighbours(node) {
                if others
                    .iter()
                    .all(|other| graph.probability(from, other.0) == 0.0)
                {
                    let mass = spread.diffusion.moving() * before[from as usize];
                    sent.push((from, share * mass * graph.probability(from, node)));
                }
            }
        }
        sent.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        sent
    };
    let sum = |sent: &[(Node, f64)]| sent.iter().map(|one| one.1).sum::<f64>();
    let (own, theirs) = (alone(its, their), alone(their, its));
    let less = held(their) - held(its);
    let most = less > 0.0 && sum(&theirs) - sum(&own) > MOST * less;
    let best = theirs.first().filter(|_| most)?;
    let text = format!(
        "; {} gives '{title}' {} and is not joined to this one",
        graph.named(at.index, best.0),
        figure(best.1)
    );
    Some((Code::NotJoined, text))
}

/// Edges between a seed and some nodes.
fn distance(walked: &Walked<'_>, seed: usize, nodes: &[Node]) -> Option<usize> {
    let one = vec![(walked.seeds()[seed].node, 1.0)];
    trail::distance(walked.graph.transition(), &one, nodes)
}

fn edges(walked: &Walked<'_>, far: Option<usize>) -> String {
    match far {
        Some(far) => format!("{} away", plural(far, "edge")),
        // Ways over what did not come are not known.
        None if walked.graph.transition().is_excerpt() => {
            "farther off than the walk went".to_owned()
        }
        None => "out of its reach".to_owned(),
    }
}

/// How many of the returned passages are seeds of a list themselves, where that is most of them.
fn started(at: &At<'_>, walked: &Walked<'_>) -> String {
    let seeds = walked.seeds().iter();
    let listed = seeds.filter(|seed| matches!(seed.why, Origin::Ranked { .. }));
    let listed: Vec<Node> = listed.map(|seed| seed.node).collect();
    let top = at.run.top();
    let own = top.iter().filter(|hit| {
        let nodes = walked.graph.nodes_of(hit.passage);
        nodes.iter().any(|node| listed.contains(node))
    });
    match own.count() {
        own if 2 * own > top.len() => format!(
            "; {own} of the {} returned are seeds of the first stage themselves",
            top.len()
        ),
        _ => String::new(),
    }
}

/// How a passage fares where another one's seed comes from, and what would let it restart the walk as well.
fn restarted(
    at: &At<'_>,
    walked: &Walked<'_>,
    passage: u32,
    own: &[Node],
    seed: usize,
) -> (String, Vec<Change>) {
    let mut seeds = walked.seeds().iter();
    let weight = seeds
        .find(|seed| own.contains(&seed.node))
        .map(|s| s.weight);
    let how = match weight {
        Some(weight) => format!("with {weight:.3} of the restart"),
        None => "and restarts nothing".to_owned(),
    };
    let Origin::Ranked { ranker, .. } = walked.seeds()[seed].why else {
        let text = match weight {
            Some(_) => format!("this one restarts it {how}"),
            None => "this one is not a seed".to_owned(),
        };
        return (text, Vec::new());
    };
    let mut lists = at
        .run
        .records
        .iter()
        .filter_map(|r| r.output.get::<Ranked>());
    let list = lists.find(|list| list.ranker == ranker);
    match list.and_then(|list| list.rank(passage)) {
        Some(rank) => {
            let text = format!("this one is {} rank {rank} {how}", ranker.label());
            let deep = [SEED_K, HOP_SEEDS].map(|k| k.at(rank).into());
            let deep = deep.into_iter().filter(|_| weight.is_none());
            (text, deep.collect())
        }
        None => {
            let text = format!("this one is not in the {} list {how}", ranker.label());
            (text, Vec::new())
        }
    }
}

/// Of a score by words: those of the question that the other has and it has not, and those it has less of.
pub fn of_words(at: &At<'_>, ranked: &Ranked, passage: u32, other: u32) -> Vec<Lack> {
    let own = word_shares(at.index, ranked, at.values(), passage);
    let theirs = word_shares(at.index, ranked, at.values(), other);
    let pairs = || own.iter().zip(&theirs);
    let gap = |missing: bool| {
        let of = pairs()
            .filter(move |(own, theirs)| (own.tf == 0) == missing && (!missing || theirs.tf > 0));
        of.map(|(own, theirs)| theirs.score - own.score)
            .sum::<f64>()
    };
    let said = |of: &dyn Fn(&(&WordShare, &WordShare)) -> bool| {
        let mut words: Vec<(&WordShare, &WordShare)> = pairs().filter(of).collect();
        words.sort_by(|a, b| (b.1.score - b.0.score).total_cmp(&(a.1.score - a.0.score)));
        let words = words.iter().take(NAMED).map(|(own, _)| &*own.word);
        words.collect::<Vec<_>>().join(", ")
    };
    let title = at.index.called(other);
    let missing = said(&|(own, theirs)| own.tf == 0 && theirs.tf > 0);
    let thin = said(&|(own, theirs)| own.tf > 0 && theirs.score > own.score);
    ordered([
        Lack::of(
            Code::WordsMissing,
            gap(true),
            format!("it lacks the words {missing}, which '{title}' has"),
        ),
        Lack::of(
            Code::WordsThin,
            gap(false),
            format!("'{title}' has more of {thin} for its length"),
        ),
    ])
}

/// Of closeness to the question.
pub fn of_vectors(at: &At<'_>, passage: u32, other: u32) -> Vec<Lack> {
    let (Some(own), Some(theirs)) = (cosine(at, passage), cosine(at, other)) else {
        return Vec::new();
    };
    let title = at.index.called(other);
    let text = format!("cosine {own:.3} to the question, '{title}' {theirs:.3}");
    ordered([Lack::of(Code::FarVector, theirs - own, text)])
}

/// The inputs of a step that are rankings of passages.
pub fn lists<'a>(at: &At<'a>) -> impl Iterator<Item = At<'a>> {
    at.inputs()
        .filter(|input| input.set().get::<Ranked>().is_some())
}

/// What to call a list that was fused: by what ranked it, or the step that made it.
pub fn list_name(input: &At<'_>, list: &Ranked) -> &'static str {
    match list.ranker {
        Ranker::Parts => input.operator().declaration().name,
        ranker => ranker.label(),
    }
}

/// Of a fused score: each list that gives the other more, with what the list itself knows of it.
pub fn of_lists(
    at: &At<'_>,
    ranked: &[Arc<Ranked>],
    rule: Fusion,
    passage: u32,
    other: u32,
) -> Vec<Lack> {
    let lacks = lists(at)
        .zip(ranked.iter().enumerate())
        .map(|(input, (place, list))| {
            let shares = shares(list, place, rule, at.values());
            let share = |passage| {
                list.rank(passage)
                    .and_then(|rank| shares.get(rank - 1).copied())
            };
            let gap = share(other).unwrap_or(0.0) - share(passage).unwrap_or(0.0);
            // What a list gives less of is not looked into.
            if gap <= 0.0 {
                return None;
            }
            let deeper = input.operator().lacks(&input, passage, other);
            let deeper = deeper.into_iter().next()?;
            let text = format!("in the {} list {}", list_name(&input, list), deeper.text);
            Some(Lack {
                gap,
                text,
                ..deeper
            })
        });
    ordered(lacks)
}

/// What the walk that a step takes in knows of the two.
pub fn of_input_walk(at: &At<'_>, passage: u32, other: u32) -> Vec<Lack> {
    let walks = at
        .inputs()
        .filter_map(|input| Some((input, walked(&input)?)));
    let mut walks = walks.map(|(input, walked)| of_walk(&input, &walked, passage, other));
    walks.next().unwrap_or_default()
}

/// Mass in few letters.
fn figure(mass: f64) -> String {
    match mass {
        mass if mass <= 0.0 => "nothing".to_owned(),
        mass if mass < 1e-3 => format!("{mass:.1e}"),
        mass => format!("{mass:.4}"),
    }
}
