//! Paths of one or two edges between types, chosen by the words of a question.

use super::plan::Direction;
use crate::exchange::schema::Schema;
use crate::layers::typed::cues::Cue;
use crate::layers::typed::question::Parts;
use crate::text::stems::gap;
use std::ops::Range;

/// One step along an edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Hop {
    pub edge: usize,
    pub direction: Direction,
    pub to: usize,
}

/// The edges as a pattern.
pub fn said(schema: &Schema, hops: &[Hop]) -> String {
    let hop = |h: &Hop| match h.direction {
        Direction::Out => format!(
            "-[:{}]->{}",
            schema.edges[h.edge].name, schema.types[h.to].name
        ),
        Direction::In => format!(
            "<-[:{}]-{}",
            schema.edges[h.edge].name, schema.types[h.to].name
        ),
    };
    hops.iter().map(hop).collect()
}

/// Every step away from a type.
fn steps(schema: &Schema, from: usize) -> Vec<Hop> {
    let mut hops = Vec::new();
    for edge in 0..schema.edges.len() {
        let (start, end) = schema.ends(edge);
        if start == from {
            hops.push(Hop {
                edge,
                direction: Direction::Out,
                to: end,
            });
        }
        if end == from {
            hops.push(Hop {
                edge,
                direction: Direction::In,
                to: start,
            });
        }
    }
    hops
}

/// The best path of one or two edges: its cues nearest to the words, then the shorter, then the one of fewer edges, then
/// by the schema's order. Also whether every edge has a cue. The source does not say how near a path of two edges is: here
/// it is the mean over its edges of the words between cue and anchor; a path whose every edge has a cue stands before the
/// others, and of the others the shorter, since a word that another anchor brings must not lengthen a path. A name that a
/// noun of its own type belongs to, as in "her students", stands for those: the path goes on from them. Of "taught by
/// somebody from there" the path leads to that somebody first.
pub fn path(
    schema: &Schema,
    parts: &Parts,
    from_words: &Range<usize>,
    from: usize,
    to: usize,
) -> Option<(Vec<Hop>, bool)> {
    let own = |cue: &Cue| schema.ends(cue.edge) == (from, from);
    // From the one that the words before are about to the other.
    let along = |cue: &Cue| Hop {
        edge: cue.edge,
        direction: match cue.inverse {
            true => Direction::Out,
            false => Direction::In,
        },
        to: schema.ends(cue.edge).1,
    };
    let Some(noun) = parts.owner(from_words, own) else {
        let verb = parts.between(schema, from_words);
        let Some(verb) = verb.filter(|verb| along(verb).to != from) else {
            return led(schema, parts, from_words, None, from, to);
        };
        let other = along(verb).to;
        let (mut hops, cued) = led(schema, parts, from_words, Some(verb), from, other)?;
        hops.push(along(verb));
        if other != to {
            hops.extend(led(schema, parts, &verb.words, Some(verb), other, to)?.0);
        }
        return Some((hops, cued));
    };
    let first = along(noun);
    if from == to {
        return Some((vec![first], true));
    }
    let (rest, cued) = led(schema, parts, &noun.words, Some(noun), from, to)?;
    Some((std::iter::once(first).chain(rest).collect(), cued))
}

/// The best path by its cues alone, but for one that is spent.
fn led(
    schema: &Schema,
    parts: &Parts,
    from_words: &Range<usize>,
    spent: Option<&Cue>,
    from: usize,
    to: usize,
) -> Option<(Vec<Hop>, bool)> {
    let far = parts.words.len();
    let near = |(at, hop): (usize, &Hop)| {
        let (start, end) = schema.ends(hop.edge);
        // Where both ends have one type the words tell the direction: the far end is the subject, so along the edge it is
        // the edge's end that speaks, by an inverse cue.
        let mut of_edge = parts.cues.iter().filter(|c| c.edge == hop.edge);
        let inverse = !schema.edges[hop.edge].inverse_cues.is_empty();
        let told = start == end && (inverse || of_edge.any(|c| c.inverse));
        let fits = |c: &&Cue| {
            // The name itself may be the subject: "whom did she teach".
            let subject = at == 0 && parts.is_subject(from_words, c);
            let speaks = (hop.direction == Direction::Out) != subject;
            let free = spent.is_none_or(|noun| noun.words != c.words);
            free && c.edge == hop.edge && (!told || c.inverse == speaks)
        };
        let cues = parts.cues.iter().filter(fits);
        cues.map(|c| gap(&c.words, from_words)).min()
    };
    // Its edges where one of them has no cue, else none; twice the mean gap; edges; instances.
    type Cost = (usize, usize, usize, u64);
    let mut best: Option<(Cost, Vec<Hop>)> = None;
    let mut consider = |hops: Vec<Hop>| {
        let gaps: Vec<Option<usize>> = hops.iter().enumerate().map(near).collect();
        let cued = gaps.iter().all(Option::is_some);
        let sum: usize = gaps.iter().map(|g| g.unwrap_or(far)).sum();
        let count = hops.iter().map(|h| schema.edges[h.edge].count).sum();
        let open = if cued { 0 } else { hops.len() };
        let cost = (open, 2 * sum / hops.len(), hops.len(), count);
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, hops));
        }
    };
    let first = steps(schema, from);
    for hop in first.iter().filter(|h| h.to == to) {
        consider(vec![hop.clone()]);
    }
    for hop in &first {
        for next in steps(schema, hop.to).into_iter().filter(|h| h.to == to) {
            consider(vec![hop.clone(), next]);
        }
    }
    best.map(|((open, ..), hops)| (hops, open == 0))
}

/// The type that a fully cued path from the first anchor that has one leads to.
pub fn answer_by_path(
    schema: &Schema,
    parts: &Parts,
    kind: impl Fn(u32) -> usize,
) -> Option<usize> {
    for anchor in &parts.anchors {
        let from = anchor.objects.first().map(|(o, _)| kind(*o))?;
        let asked =
            |to: &usize| schema.types[*to].answerable && !(parts.thing && schema.types[*to].person);
        let cued = (0..schema.types.len()).filter(asked).filter(|to| {
            path(schema, parts, &anchor.words, from, *to).is_some_and(|(_, cued)| cued)
        });
        // One edge away before two.
        let direct = |to: &usize| steps(schema, from).iter().any(|h| h.to == *to);
        let cued: Vec<usize> = cued.collect();
        if let Some(to) = cued.iter().find(|to| direct(to)).or(cued.first()) {
            return Some(*to);
        }
    }
    None
}

/// The type of what stands in places, where "where" asks for it and not for the place: "where did she work".
pub fn located(
    schema: &Schema,
    parts: &Parts,
    place: usize,
    kind: impl Fn(u32) -> usize,
) -> Option<usize> {
    let leads = |to: usize| {
        parts.anchors.iter().any(|anchor| {
            let from = anchor.objects.first().map(|(object, _)| kind(*object));
            from.and_then(|from| path(schema, parts, &anchor.words, from, to))
                .is_some_and(|(_, cued)| cued)
        })
    };
    if leads(place) {
        return None;
    }
    let stands = |at: &usize| (0..schema.edges.len()).any(|e| schema.ends(e) == (*at, place));
    (0..schema.types.len())
        .filter(|at| schema.types[*at].answerable && !schema.types[*at].person)
        .find(|at| stands(at) && leads(*at))
}
