//! The text part of the context: what is a candidate by neighbours or by keywords, and what of it is packed (KET-RAG,
//! keyword channel; Text-RAG and KNNG-RAG).

use super::local::LocalPart;
use super::nearest::{Nearness, brings};
use super::{left_out, more_room};
use crate::layers::skeleton::source::KetGraph;
use crate::layers::{Class, Code, Node};
use crate::parameters::{CONTEXT_TOKENS, PACK, Parameter as P, Scoped, THETA};
use crate::retrieve::explanation::{Explanation, Reason};
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::pack::{Misfit, Room};
use crate::retrieve::set::{Dropped, Member, Origin, Set, Space, heaviest};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Misfits that are kept: what a trace shows.
const BEYOND: usize = 200;

/// Tokens of the text part before it takes what the skeleton leaves: floor((1 - theta) lambda).
pub fn budget(values: Scoped<'_>) -> usize {
    // 1 - 0.9 is a little below 0.1; a share of whole per cent must not lose a token to that.
    let exact = (1.0 - values.get(THETA)) * values.get(CONTEXT_TOKENS) as f64;
    (exact + 1e-6).floor() as usize
}

/// What the text part may use: all that the skeleton left; nothing where it has no share.
fn room(values: Scoped<'_>, skeleton: Option<&LocalPart>) -> usize {
    match (budget(values), skeleton) {
        (0, _) => 0,
        (own, None) => own,
        (_, Some(part)) => values.get(CONTEXT_TOKENS).saturating_sub(part.used()),
    }
}

/// Units by similarity, each followed by its neighbours that were not there yet, up to twice the budget.
#[derive(Debug)]
pub struct Neighbours;

pub static NEIGHBOURS: Neighbours = Neighbours;

impl Operator for Neighbours {
    fn declaration(&self) -> Declaration {
        Declaration::spread(
            "neighbours",
            "the nearest units, each with its neighbours, up to twice the budget",
        )
        .kind("expand")
        .reads(&[P::Theta, P::ContextTokens])
        .like("one-hop")
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let nearest = inputs.first().map_or(&[][..], |set| &set.members);
        let nearness = inputs.iter().find_map(|set| set.get::<Nearness>());
        let units = &KetGraph::of(cx.graph()).layer.units;
        let tokens = |unit: Node| units.tokens(unit);
        let similarity = |unit: Node| nearness.map_or(0.0, |n| n.0[unit as usize]);
        let near = |unit: Node| cx.graph().neighbours(unit).map(|(other, _)| other);
        let mut set = Set::new(Space::Nodes);
        set.members = egos(nearest, near, similarity, tokens, 2 * budget(cx.values));
        let beside = |member: &&Member| matches!(member.from, Origin::Edge { .. });
        let found = set.members.iter().filter(beside).count();
        let seeds = set.members.len() - found;
        Ok(set.fact("neighbours", found).fact("of seeds", seeds))
    }

    fn why(&self, at: &At<'_>, member: &Member) -> String {
        format!("{}similarity {:.3}", brought(at, member), member.value)
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        let units = left_out(at, passage);
        if units.is_empty() || at.set().members.iter().any(|m| units.contains(&m.node)) {
            return Vec::new();
        }
        let text = format!(
            "neither among the nearest units, which with their neighbours fill twice the budget of {} tokens, nor a neighbour of one",
            budget(at.values())
        );
        let fix = more_room(at, passage, 0.0);
        vec![Reason::new(Code::BudgetCut, text).with_fix(fix)]
    }
}

/// Every seed and after it those of its neighbours that did not come before, by similarity, until a seed would begin
/// beyond the limit.
fn egos<I: Iterator<Item = Node>>(
    seeds: &[Member],
    neighbours: impl Fn(Node) -> I,
    similarity: impl Fn(Node) -> f32,
    tokens: impl Fn(Node) -> usize,
    limit: usize,
) -> Vec<Member> {
    let mut seen = FxHashSet::default();
    let (mut found, mut used) = (Vec::new(), 0);
    for seed in seeds {
        if used >= limit {
            break;
        }
        if !seen.insert(seed.node) {
            continue;
        }
        let near = neighbours(seed.node).filter(|node| seen.insert(*node));
        let near = near.map(|node| Member {
            node,
            value: f64::from(similarity(node)),
            from: Origin::Edge { from: seed.node },
        });
        let near = heaviest(near.collect(), usize::MAX);
        let fresh = std::iter::once(*seed).chain(near);
        used += fresh
            .clone()
            .map(|member| tokens(member.node))
            .sum::<usize>();
        found.extend(fresh);
    }
    found
}

/// The units of the nearest keywords, keyword by keyword, until there are twice as many tokens as the budget holds.
#[derive(Debug)]
pub struct Pool;

pub static POOL: Pool = Pool;

impl Operator for Pool {
    fn declaration(&self) -> Declaration {
        Declaration::spread("pool", "the units of the keywords, up to twice the budget")
            .kind("expand")
            .reads(&[P::Theta, P::ContextTokens])
            .needs_vectors(true)
            .like("one-hop")
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let Some((_, vector)) = cx.dense()? else {
            return Ok(Set::new(Space::Nodes).fact("tokens", 0).unread());
        };
        let source = KetGraph::of(cx.graph());
        let layer = &source.layer;
        let similarity = layer.vectors(cx.index)?.scores(vector)?;
        let keywords = inputs.iter().flat_map(|set| &set.members);
        let lists = keywords.map(|m| (m, brings(source, &m.node)));
        let limit = 2 * budget(cx.values);
        let pool = pooled(lists, &similarity, |unit| layer.units.tokens(unit), limit);
        let mut set = Set::new(Space::Nodes)
            .fact("tokens", pool.tokens)
            .fact("limit", limit)
            .fact("units", pool.members.len())
            .fact("keywords visited", pool.visited);
        set.members = pool.members;
        set.dropped.extend(pool.stop);
        Ok(set)
    }

    fn why(&self, at: &At<'_>, member: &Member) -> String {
        format!("{}similarity {:.3}", brought(at, member), member.value)
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        let units = left_out(at, passage);
        let Some(keywords) = at.input(0).filter(|_| !units.is_empty()) else {
            return Vec::new();
        };
        let source = KetGraph::of(at.graph());
        let has = |node: &Node| brings(source, node).iter().any(|u| units.contains(u));
        let keywords = &keywords.set().members;
        let pooled = at.set().members.iter().any(|m| units.contains(&m.node));
        let reached = keywords.iter().position(|keyword| has(&keyword.node));
        let Some(place) = reached.filter(|_| !pooled) else {
            return Vec::new();
        };
        let number = |fact: &str| at.set().facts.iter().find(|f| f.0 == fact).map(|f| &f.1);
        // All of the context may be the other part's: then there is no pool.
        if number("limit").is_some_and(|limit| limit == 0) {
            return Vec::new();
        }
        let text = format!(
            "its best keyword '{}' is number {}; the pool of {} tokens was full at number {}",
            at.label(keywords[place].node),
            place + 1,
            number("limit").unwrap_or_default(),
            number("keywords visited").unwrap_or_default()
        );
        let fix = more_room(at, passage, 0.0);
        vec![Reason::new(Code::PoolFull, text).with_fix(fix)]
    }
}

/// The pool, by similarity to the question: the order of packing.
struct Pooled {
    members: Vec<Member>,
    tokens: usize,
    /// How many keywords were looked at.
    visited: usize,
    /// What closed it before the keywords ended.
    stop: Option<Dropped>,
}

/// Fills the pool from lists of units, in order. Of one list the more similar units come first.
fn pooled<'a>(
    lists: impl Iterator<Item = (&'a Member, &'a [u32])>,
    similarity: &[f32],
    tokens: impl Fn(Node) -> usize,
    limit: usize,
) -> Pooled {
    let mut room = Room::new(limit, Misfit::Stop);
    let mut seen = vec![false; similarity.len()];
    let mut pool = Pooled {
        members: Vec::new(),
        tokens: 0,
        visited: 0,
        stop: None,
    };
    for (keyword, units) in lists {
        pool.visited += 1;
        let fresh = units.iter().filter(|unit| !seen[**unit as usize]);
        let fresh = fresh.map(|&node| match keyword.node == node {
            // A unit that a person added keeps the weight that it was given.
            true => *keyword,
            false => Member {
                node,
                value: f64::from(similarity[node as usize]),
                from: Origin::Edge { from: keyword.node },
            },
        });
        for member in heaviest(fresh.collect(), usize::MAX) {
            let own = tokens(member.node);
            if !room.takes(|| own) {
                pool.stop = Some(Dropped {
                    node: member.node,
                    code: Code::PoolFull,
                    margin: (room.used + own - limit) as f64,
                });
                break;
            }
            seen[member.node as usize] = true;
            pool.members.push(member);
        }
        if room.closed() {
            break;
        }
    }
    pool.tokens = room.used;
    pool.members = heaviest(pool.members, usize::MAX);
    pool
}

/// Packs candidates into the text part's share of the context, in their order.
#[derive(Debug)]
pub struct PackedUnits;

pub static PACKED_UNITS: PackedUnits = PackedUnits;

/// What became of the text part.
#[derive(Clone, Debug)]
pub struct TextPart {
    /// The tokens that it used.
    pub used: usize,
    /// Its candidates that stand in the context, in their order: those that the skeleton packed, too.
    pub order: Vec<Node>,
}

impl Operator for PackedUnits {
    fn declaration(&self) -> Declaration {
        Declaration::select(
            "text",
            "candidates by similarity, as many as the text part holds",
        )
        .kind("pack")
        .reads(&[P::Theta, P::ContextTokens, P::Pack])
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let skeleton = inputs.get(1);
        let candidates = fresh(&inputs[0], skeleton.map(|set| &**set));
        let units = &KetGraph::of(cx.graph()).layer.units;
        let room = room(cx.values, skeleton.and_then(|set| set.get::<LocalPart>()));
        let tokens = |unit: Node| units.tokens(unit);
        let filled = fill(&candidates, tokens, room, cx.values.get(PACK));
        let mut set = Set::new(Space::Nodes)
            .fact("tokens", filled.used)
            .fact("budget", room)
            .fact("packed", filled.members.len());
        if skeleton.is_some() {
            let known = inputs[0].members.len() - candidates.len();
            set = set.fact("packed by the skeleton", known);
        }
        let read = skeleton.iter().flat_map(|set| &set.members);
        let read = read.chain(&filled.members).map(|member| member.node);
        let read: FxHashSet<Node> = read.collect();
        // A part without room has no order of its own.
        let all = inputs[0].members.iter().map(|member| member.node);
        let order = match filled.members.is_empty() {
            true => Vec::new(),
            false => all.filter(|node| read.contains(node)).collect(),
        };
        set.members = filled.members;
        set.dropped = filled.dropped;
        Ok(set.with(TextPart {
            used: filled.used,
            order,
        }))
    }

    fn why(&self, at: &At<'_>, member: &Member) -> String {
        format!("{}similarity {:.3}", brought(at, member), member.value)
    }

    fn explain(&self, at: &At<'_>, passage: u32) -> Explanation {
        let units = KetGraph::of(at.graph()).layer.units.of_passage(passage);
        let packed = at.set().members.iter().find(|m| units.contains(&m.node));
        let sentence = packed.map_or(String::new(), |member| {
            format!(
                "{}place {} by similarity {:.3}",
                brought(at, member),
                1 + place(&candidates(at), &[member.node]).unwrap_or(0),
                member.value
            )
        });
        Explanation {
            sentence,
            ..Explanation::default()
        }
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        let units = left_out(at, passage);
        let candidates = candidates(at);
        let Some(place) = place(&candidates, units) else {
            return Vec::new();
        };
        let candidates = &candidates[..=place];
        let skeleton = at.input(1).and_then(|input| input.set().get::<LocalPart>());
        let (budget, misfit) = (room(at.values(), skeleton), at.values().get(PACK));
        let layer = &KetGraph::of(at.graph()).layer;
        let short = short(candidates, |unit| layer.units.tokens(unit), budget, misfit);
        let text = format!(
            "place {} by similarity {:.3}, {short} tokens short of the text part's {budget}",
            place + 1,
            candidates[place].value
        );
        let class = if short <= budget {
            Class::F6
        } else {
            Class::F4
        };
        let fix = more_room(at, passage, 0.0);
        vec![
            Reason::new(Code::BudgetCut, text)
                .class(class)
                .with_fix(fix),
        ]
    }
}

/// Candidates that the skeleton has not packed.
fn fresh(candidates: &Set, skeleton: Option<&Set>) -> Vec<Member> {
    let known = skeleton.map_or(&[][..], |set| &set.members).iter();
    let known: FxHashSet<Node> = known.map(|member| member.node).collect();
    let mut members = candidates.members.clone();
    members.retain(|member| !known.contains(&member.node));
    members
}

/// What a text part had to choose from.
fn candidates(at: &At<'_>) -> Vec<Member> {
    let skeleton = at.input(1);
    at.input(0).map_or_else(Vec::new, |first| {
        fresh(first.set(), skeleton.as_ref().map(|input| input.set()))
    })
}

/// Place of the first of some units among candidates.
fn place(candidates: &[Member], units: &[u32]) -> Option<usize> {
    let mut nodes = candidates.iter().map(|member| member.node);
    nodes.position(|node| units.contains(&node))
}

/// What filled a budget, and what did not fit.
struct Filled {
    members: Vec<Member>,
    /// With the tokens that each lacks.
    dropped: Vec<Dropped>,
    used: usize,
}

/// Takes candidates in their order while they fit.
fn fill(
    candidates: &[Member],
    tokens: impl Fn(Node) -> usize,
    budget: usize,
    misfit: Misfit,
) -> Filled {
    let mut room = Room::new(budget, misfit);
    // What a misfit needs room for beside itself: where the first one stops the packing, for all before it.
    let mut before = 0;
    let (mut members, mut dropped) = (Vec::new(), Vec::new());
    for member in candidates {
        let own = tokens(member.node);
        let fits = room.takes(|| own);
        if fits {
            members.push(*member);
        } else if dropped.len() < BEYOND {
            dropped.push(Dropped {
                node: member.node,
                code: Code::BudgetCut,
                margin: (before + own).saturating_sub(budget) as f64,
            });
        } else if room.closed() {
            break;
        }
        before += if fits || misfit == Misfit::Stop {
            own
        } else {
            0
        };
    }
    Filled {
        members,
        dropped,
        used: room.used,
    }
}

/// Tokens that the last of some candidates lacks.
fn short(
    candidates: &[Member],
    tokens: impl Fn(Node) -> usize,
    budget: usize,
    misfit: Misfit,
) -> usize {
    let mut room = Room::new(budget, misfit);
    let mut needed = 0;
    for (at, member) in candidates.iter().enumerate() {
        let own = tokens(member.node);
        let last = at + 1 == candidates.len();
        if room.takes(|| own) || last || misfit == Misfit::Stop {
            needed += own;
        }
    }
    needed.saturating_sub(budget)
}

/// What made a unit a candidate, to begin a sentence with.
fn brought(at: &At<'_>, member: &Member) -> String {
    let from = match member.from {
        Origin::Edge { from } => from,
        Origin::Added => return format!("{}, ", at.origin(member)),
        _ => return String::new(),
    };
    let source = at.graph().source();
    let label = at.label(from);
    if KetGraph::of(at.graph()).beside(from).is_none() {
        let evidence = source.evidence(at.index, from, member.node);
        return format!("neighbour of '{label}' by {evidence}, ");
    }
    let keywords = at.before::<Nearness>();
    let all = keywords.map_or(&[][..], |(step, _)| &step.set().members);
    let place = all.iter().position(|keyword| keyword.node == from);
    let Some(place) = place else {
        return String::new();
    };
    let near = all[place].value;
    format!("keyword {} '{label}' ({near:.3}), ", place + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(similarity: &[f32]) -> Vec<Member> {
        let all = (0..).zip(similarity).map(|(node, near)| Member {
            node,
            value: f64::from(*near),
            from: Origin::Scored,
        });
        all.collect()
    }

    fn nodes(members: &[Member]) -> Vec<Node> {
        members.iter().map(|m| m.node).collect()
    }

    /// Keyword k is node 100 + k.
    fn pool(lists: &[&[u32]], similarity: &[f32], tokens: &[usize], limit: usize) -> Pooled {
        let keywords = (100..).map(|node| Member {
            node,
            value: 1.0,
            from: Origin::Scored,
        });
        let keywords: Vec<Member> = keywords.take(lists.len()).collect();
        let lists = keywords.iter().zip(lists.iter().copied());
        pooled(lists, similarity, |u| tokens[u as usize], limit)
    }

    #[test]
    fn the_pool_is_filled_keyword_by_keyword_and_ordered_by_similarity() {
        // Keyword 0 brings 2 before 0 (more similar); keyword 1 brings 1, not 2 again.
        let p = pool(&[&[0, 2], &[1, 2]], &[0.1, 0.9, 0.5], &[10, 10, 10], 40);
        assert_eq!(nodes(&p.members), [1, 2, 0]);
        assert_eq!((p.tokens, p.stop, p.visited), (30, None, 2));
        let from = p.members.iter().map(|m| m.from);
        let edges = [101, 100, 100].map(|from| Origin::Edge { from });
        assert_eq!(from.collect::<Vec<_>>(), edges);
        let p = pool(&[&[0, 2], &[1, 2]], &[0.1, 0.9, 0.5], &[10, 10, 10], 10);
        assert_eq!(nodes(&p.members), [2]);
        // Equal units come by number.
        let p = pool(&[&[2, 1, 0]], &[0.5; 3], &[1; 3], 2);
        assert_eq!(nodes(&p.members), [0, 1]);
    }

    #[test]
    fn a_full_pool_stops_everything() {
        // The first two fill it; unit 2 would fit no more, unit 3 (one token) is never looked at.
        let lists: [&[u32]; 3] = [&[0], &[1, 2], &[3]];
        let p = pool(&lists, &[0.1, 0.3, 0.2, 0.9], &[10, 10, 5, 1], 20);
        let stop = p.stop.unwrap();
        assert_eq!(
            (stop.node, stop.code, stop.margin),
            (2, Code::PoolFull, 5.0)
        );
        assert_eq!(
            (p.visited, nodes(&p.members), p.tokens),
            (2, vec![1, 0], 20)
        );
        // Exactly the limit is still allowed.
        let p = pool(&[&[0], &[1]], &[0.1, 0.3], &[10, 10], 20);
        assert_eq!((p.stop, p.members.len()), (None, 2));
        let p = pool(&[&[0, 1]], &[0.9, 0.8], &[8, 5], 0);
        assert!(p.members.is_empty() && p.stop.is_some());
    }

    #[test]
    fn a_unit_added_by_hand_joins_the_pool_at_its_place() {
        let added = Member {
            node: 1,
            value: 0.9,
            from: Origin::Added,
        };
        let word = Member { node: 100, ..added };
        let lists: [(&Member, &[u32]); 2] = [(&word, &[0]), (&added, &[1])];
        let p = pooled(lists.into_iter(), &[0.5, 0.2], |_| 1, 10);
        assert_eq!((nodes(&p.members), p.members[0]), (vec![1, 0], added));
    }

    #[test]
    fn a_misfit_stops_the_packing_or_is_skipped() {
        // Unit 1 has no room beside unit 0; unit 2 has.
        let all = members(&[0.9, 0.8, 0.7]);
        let tokens = |unit: Node| [4, 9, 4][unit as usize];
        for (misfit, taken, lacks) in [
            (Misfit::Stop, vec![0], vec![(1, 3.0), (2, 7.0)]),
            (Misfit::Skip, vec![0, 2], vec![(1, 3.0)]),
        ] {
            let filled = fill(&all, tokens, 10, misfit);
            assert_eq!(nodes(&filled.members), taken);
            assert_eq!(filled.used, 4 * taken.len());
            let dropped = filled.dropped.iter().map(|d| (d.node, d.margin));
            assert_eq!(dropped.collect::<Vec<_>>(), lacks);
            for (unit, margin) in lacks {
                let own = short(&all[..=unit as usize], tokens, 10, misfit);
                assert_eq!(own as f64, margin);
            }
        }
        let none = fill(&all, tokens, 0, Misfit::Stop);
        assert_eq!((none.members.len(), none.used), (0, 0));
    }

    #[test]
    fn some_misfits_are_kept() {
        let similarity: Vec<f32> = (0..500).map(|i| 1.0 - i as f32 / 500.0).collect();
        let tokens = |unit: Node| if unit == 2 { 50 } else { 1 };
        let filled = fill(&members(&similarity), tokens, 10, Misfit::Stop);
        assert_eq!((nodes(&filled.members), filled.used), (vec![0, 1], 2));
        assert_eq!(filled.dropped.len(), BEYOND);
        let filled = fill(&members(&similarity), tokens, 10, Misfit::Skip);
        assert_eq!((filled.members.len(), filled.used), (10, 10));
    }

    #[test]
    fn every_seed_is_followed_by_its_neighbours() {
        // Seeds 0, 1, 2, 3. Neighbours 5 and 2 (of 0), 4 (of 1), 0 again. 2 comes as a neighbour and not again as a seed.
        let near: [&[u32]; 6] = [&[5, 2], &[4, 0, 5], &[], &[], &[], &[]];
        let similarity = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4];
        let seeds = members(&similarity[..4]);
        let egos = |limit: usize| {
            let neighbours = |u: Node| near[u as usize].iter().copied();
            egos(
                &seeds,
                neighbours,
                |u| similarity[u as usize],
                |_| 10,
                limit,
            )
        };
        let all = egos(1000);
        assert_eq!(nodes(&all), [0, 2, 5, 1, 4, 3]);
        assert_eq!(all[1].from, Origin::Edge { from: 0 });
        assert_eq!(all[4].from, Origin::Edge { from: 1 });
        // The ego network that passes the limit is whole, and the last.
        assert_eq!(nodes(&egos(31)), [0, 2, 5, 1, 4]);
        assert_eq!(nodes(&egos(30)), [0, 2, 5]);
        assert!(egos(0).is_empty());
    }

    #[test]
    fn a_share_of_whole_per_cent_loses_no_token() {
        let mut values = crate::parameters::Values::default();
        for (theta, tokens) in [("0.9", 1200), ("0.35", 7800), ("0.3333", 8000), ("1", 0)] {
            values.set_text(&format!("theta={theta}")).unwrap();
            assert_eq!(budget(Scoped::all(&values)), tokens);
        }
    }
}
