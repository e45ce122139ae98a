//! What a run of SPARK says of itself: its operators as stages, why a passage is there, and why another is not.

use super::{
    At, Fused, Made, Neighbours, Node, Op, Ran, Reason, Rung, SparkLayer, Stage, Story, Weights,
    Written,
};
use super::{
    CANDIDATE_LIMIT, EDGE_POLICY, EdgePolicy, MadeBy, ObjectGraph, RESULT_K, SAGE_NEIGHBOURS, json,
};
use crate::layers::typed::names::Found;
use crate::layers::{Class, Code};
use crate::parameters::{Parameter, Value};
use crate::retrieve::explanation::{Cut, Edge, Entry, Fix, SHOWN, SHOWN_CUT, clip};
use crate::retrieve::planner::plan::{Direction, edges as edge_kinds};
use crate::retrieve::planner::run::Condition;

/// Characters of one reason.
const LINE: usize = 160;
/// Most edges of one stage.
const EDGES: usize = 200;
/// What is tried for a passage that is not returned.
const MOST: usize = 100;

fn layer<'a>(at: &At<'a>) -> &'a SparkLayer {
    &at.graph().source_as::<ObjectGraph>().layer
}

fn ran<'a>(at: &At<'a>) -> Option<&'a Ran> {
    at.before().map(|(_, ran)| ran)
}

fn written<'a>(at: &At<'a>) -> Option<&'a Written> {
    at.before().map(|(_, written)| written)
}

fn neighbours<'a>(at: &At<'a>) -> Option<&'a Neighbours> {
    at.before().map(|(_, near)| near)
}

/// How a name of the question is an object.
pub fn named(at: &At<'_>, object: Node) -> String {
    let mut notes = written(at)
        .into_iter()
        .flat_map(|written| &written.planned.notes);
    let own = |(known, _): &&(u32, Found)| *known == object;
    let note = notes.find_map(|note| Some((note, note.objects.iter().find(own)?.1)));
    note.map_or_else(String::new, |(note, found)| {
        let by = match found {
            Found::Exact => "its name".to_owned(),
            Found::Alias => "another name of it".to_owned(),
            Found::Surname => "its surname".to_owned(),
            Found::Trigram { jaccard } => format!("{:.0} % of the trigrams", 100.0 * jaccard),
        };
        let path = match &note.path {
            None => "; no path to the type asked for, dropped".to_owned(),
            Some(path) if path.is_empty() => "; itself what is asked for".to_owned(),
            Some(path) => format!("; {path}"),
        };
        clip(&format!("'{}' is {by}{path}", note.surface), LINE)
    })
}

fn both(fused: Fused) -> String {
    format!("words {:.3}, vector {:.3}", fused.lexical, fused.dense)
}

/// The parts of an answer's score in words.
pub fn scored(at: &At<'_>, passage: u32) -> String {
    let answers = ran(at).map_or(&[][..], |ran| &ran.answers);
    let own = answers.iter().find(|answer| answer.0 == passage);
    own.map_or_else(String::new, |own| both(own.1))
}

/// One stage for every operator, then the answers.
pub fn operators(at: &At<'_>, story: &mut Story) {
    if let Some(ran) = ran(at) {
        let layer = layer(at);
        let told = Told {
            at: *at,
            ran,
            layer,
        };
        for place in 0..ran.ops.len() {
            let stage = told.stage(story, place);
            story.push(stage);
        }
    }
    let stage = at.stage(story);
    story.push(stage);
}

struct Told<'a> {
    at: At<'a>,
    ran: &'a Ran,
    layer: &'a SparkLayer,
}

impl Told<'_> {
    fn item(&self, story: &mut Story, object: Node) -> usize {
        story.node(&self.at, object)
    }

    fn has(&self, set: usize, object: Node) -> bool {
        self.ran.sets[set].members.contains(&object)
    }

    fn size(&self, set: usize) -> usize {
        self.ran.sets[set].members.len()
    }

    fn stage(&self, story: &mut Story, place: usize) -> Stage {
        let (op, made) = (&self.ran.ops[place], &self.ran.sets[place]);
        let kind = match op {
            Op::Cand { .. } | Op::Rank { .. } => "score",
            Op::Match { .. } => "link",
            Op::Expand { .. } => "expand",
            Op::Filter { .. } => "filter",
            Op::Intersect { .. } => "intersect",
            Op::Union { .. } => "mix",
            Op::Limit { .. } => "select",
        };
        let sizes: Vec<usize> = op.inputs().iter().map(|set| self.size(*set)).collect();
        let mut stage = Stage {
            name: op.name(),
            kind,
            counters: vec![
                ("size", json!(made.members.len())),
                ("set", json!(place)),
                ("op", json!(clip(&op.to_string(), LINE))),
            ],
            ..Stage::default()
        };
        if !sizes.is_empty() {
            stage.counters.push(("from", json!(sizes)));
        }
        if made.rung != Rung::Plan {
            stage.counters.push(("rung", json!(made.rung.name())));
        }
        let members = made.members.iter().enumerate().take(SHOWN);
        for (at, &object) in members {
            let near = made.near.iter().find(|near| near.0 == object);
            let (value, why) = match (near, made.scores.get(at)) {
                (Some((_, distance)), _) => (1.0 - distance, format!("distance {distance:.3}")),
                (None, Some(fused)) => (fused.sum(), both(*fused)),
                (None, None) => (1.0, String::new()),
            };
            let item = self.item(story, object);
            stage.nodes.push(Entry { item, value, why });
        }
        self.followed(story, &mut stage, op, made);
        for (object, code, margin) in self.removed(op, made).into_iter().take(SHOWN_CUT) {
            let item = self.item(story, object);
            stage.cut.push(Cut { item, code, margin });
        }
        stage
    }

    /// The edges that an operator follows.
    fn followed(&self, story: &mut Story, stage: &mut Stage, op: &Op, made: &Made) {
        let Op::Expand {
            set,
            edge,
            direction,
            ..
        } = op
        else {
            return;
        };
        let kinds = self.kinds(op);
        let out = *direction == Direction::Out;
        for &from in &self.ran.sets[*set].members {
            let arcs = self.layer.arcs(from, out);
            for (other, _) in arcs.filter(|(_, kind)| kinds.contains(kind)) {
                if stage.edges.len() < EDGES && made.members.binary_search(&other).is_ok() {
                    let (from, to) = if out { (from, other) } else { (other, from) };
                    stage.edges.push(Edge {
                        from: self.item(story, from),
                        to: self.item(story, to),
                        value: 1.0,
                        kind: edge.clone().into(),
                        why: String::new(),
                    });
                }
            }
        }
    }

    /// The edges of the schema that an operator follows.
    fn kinds(&self, op: &Op) -> Vec<usize> {
        let Op::Expand {
            set,
            edge,
            direction,
            kind,
        } = op
        else {
            return Vec::new();
        };
        let schema = self.layer.schema();
        let to = schema.type_by_name(kind).unwrap_or(0);
        edge_kinds(schema, &self.ran.types[*set], edge, *direction, to).collect()
    }

    /// What an operator itself removed, and by how much each fell short.
    fn removed(&self, op: &Op, made: &Made) -> Vec<(Node, Code, f64)> {
        let gone = |o: &u32| made.members.binary_search(o).is_err();
        let set = |set: usize| &self.ran.sets[set];
        match op {
            Op::Cand { .. } => {
                let kept = made.near.iter().filter(|near| !gone(&near.0));
                let last = kept.map(|near| near.1).fold(0.0, f64::max);
                let out = made.near.iter().filter(|near| gone(&near.0));
                out.map(|&(o, distance)| (o, Code::PlanFiltered, distance - last))
                    .collect()
            }
            Op::Filter {
                set: from,
                field,
                test,
                value,
            } => {
                let condition = Condition::new(field, *test, value);
                let by = |o: u32| condition.misses(self.layer, o).unwrap_or(0.0);
                let out = set(*from).members.iter().copied().filter(gone);
                out.map(|o| (o, Code::PlanFiltered, by(o))).collect()
            }
            Op::Intersect { sets } if made.rung == Rung::Plan => {
                let has = |s: &usize, o: u32| set(*s).members.binary_search(&o).is_ok();
                let lacks = |o: u32| sets.iter().filter(|s| !has(s, o)).count() as f64;
                let mut all: Vec<u32> = sets
                    .iter()
                    .flat_map(|s| set(*s).members.iter().copied())
                    .collect();
                all.sort_unstable();
                all.dedup();
                let out = all.into_iter().filter(gone);
                out.map(|o| (o, Code::PlanFiltered, lacks(o))).collect()
            }
            Op::Limit { set: from, k } => {
                let last = made.scores.last().map_or(0.0, |fused| fused.sum());
                let ranked = set(*from).members.iter().zip(&set(*from).scores);
                let out = ranked.skip(*k);
                out.map(|(o, fused)| (*o, Code::CutByK, last - fused.sum()))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// The operators that hold an object, those that lead to it.
    fn path_to(&self, object: Node) -> String {
        let holds = (0..self.ran.ops.len()).filter(|place| self.has(*place, object));
        let steps = holds.filter_map(|place| match &self.ran.ops[place] {
            Op::Rank { .. } | Op::Limit { .. } | Op::Union { .. } => None,
            Op::Cand { field, .. } => {
                let near = self.ran.sets[place]
                    .near
                    .iter()
                    .find(|near| near.0 == object)?;
                Some(format!("near in {field}, distance {:.3}", near.1))
            }
            Op::Match { .. } => Some("named in the question".to_owned()),
            op @ Op::Expand {
                edge, direction, ..
            } => {
                let from = self.sources(op, object).join(", ");
                Some(match direction {
                    Direction::Out => format!("{from} -[:{edge}]->"),
                    Direction::In => format!("{from} <-[:{edge}]-"),
                })
            }
            Op::Filter {
                field, test, value, ..
            } => Some(format!("{field} {test} {value}")),
            Op::Intersect { sets } => Some(match self.ran.sets[place].rung {
                Rung::Plan => format!("in all {} sets", sets.len()),
                rung => format!("rung {}", rung.name()),
            }),
        });
        steps.collect::<Vec<_>>().join("; ")
    }

    /// The members of an operator's input from which an object is one edge away, at most three by name.
    fn sources(&self, op: &Op, object: Node) -> Vec<&str> {
        let Op::Expand { set, direction, .. } = op else {
            return Vec::new();
        };
        let kinds = self.kinds(op);
        let back = self.layer.arcs(object, *direction == Direction::In);
        let from = back.filter(|(other, kind)| kinds.contains(kind) && self.has(*set, *other));
        let mut names: Vec<&str> = from.map(|(other, _)| self.layer.label(other)).collect();
        names.dedup();
        names.truncate(3);
        names
    }

    /// The operator after which an object is gone, with the sizes of the sets around it.
    fn filtered(&self, asked: Option<usize>, object: Node) -> String {
        let ops = &self.ran.ops;
        let lost = |place: &usize| {
            !self.has(*place, object) && ops[*place].inputs().iter().any(|s| self.has(*s, object))
        };
        let mut places = (0..ops.len()).filter(|place| !matches!(ops[*place], Op::Limit { .. }));
        if let Some(place) = places.find(lost) {
            let from = ops[place]
                .inputs()
                .iter()
                .map(|set| self.size(*set).to_string());
            let from: Vec<String> = from.collect();
            let because = self.because(&ops[place], object);
            let (from, to) = (from.join("+"), self.size(place));
            return format!(
                "gone after #{place} {}, sizes {from} > {to}: {because}",
                ops[place]
            );
        }
        // Cut off among the candidates?
        for (place, made) in self.ran.sets.iter().enumerate() {
            let rank = made.near.iter().position(|near| near.0 == object);
            if let Some(rank) = rank.filter(|_| !self.has(place, object)) {
                let (of, kept) = (made.near.len(), made.members.len());
                let distance = made.near[rank].1;
                let rank = rank + 1;
                return format!(
                    "candidate {rank} of {of} by #{place}, cut at the gap after {kept}; distance {distance:.3}"
                );
            }
        }
        let types = &self.layer.schema().types;
        let kind = self.layer.kind(object);
        match asked {
            Some(asked) if asked != kind => {
                format!(
                    "the plan asks for {}, and this is {}",
                    types[asked].name, types[kind].name
                )
            }
            _ if (0..ops.len()).any(|place| self.has(place, object)) => {
                "it is in a set that the plan did not go on with".to_owned()
            }
            _ => {
                let sizes = (0..ops.len())
                    .map(|place| format!("{} {}", ops[place].name(), self.size(place)));
                format!(
                    "no operator reached it; sets: {}",
                    sizes.collect::<Vec<_>>().join(", ")
                )
            }
        }
    }

    fn because(&self, op: &Op, object: Node) -> String {
        match op {
            Op::Filter {
                field, test, value, ..
            } => {
                let own: Vec<&str> = self
                    .layer
                    .values(object, field)
                    .map(|(text, _)| text)
                    .collect();
                let own = if own.is_empty() {
                    "none".to_owned()
                } else {
                    own.join(", ")
                };
                let misses = Condition::new(field, *test, value).misses(self.layer, object);
                let by = misses.map_or(String::new(), |by| format!(", off by {by}"));
                format!("its {field} is {own}{by}")
            }
            Op::Intersect { sets } => {
                let lack = sets.iter().filter(|set| !self.has(**set, object));
                let lack: Vec<String> = lack.map(|set| format!("#{set}")).collect();
                format!("it is not in {}", lack.join(", "))
            }
            _ => "no edge leads on to it".to_owned(),
        }
    }
}

/// The edges between answers and their neighbours.
pub fn edges(at: &At<'_>, story: &mut Story, stage: &mut Stage) {
    let Some(ran) = ran(at) else {
        return;
    };
    let layer = layer(at);
    let told = Told {
        at: *at,
        ran,
        layer,
    };
    let seeds = ran.answers.iter().take(ran.limit);
    let seeds: Vec<Node> = seeds.filter_map(|answer| layer.object(answer.0)).collect();
    for near in at.set().members.iter().take(SHOWN) {
        for out in [true, false] {
            let arcs = layer
                .arcs(near.node, out)
                .filter(|arc| seeds.contains(&arc.0));
            for (seed, kind) in arcs.take(EDGES.saturating_sub(stage.edges.len())) {
                let (from, to) = if out {
                    (near.node, seed)
                } else {
                    (seed, near.node)
                };
                stage.edges.push(Edge {
                    from: told.item(story, from),
                    to: told.item(story, to),
                    value: 1.0,
                    kind: layer.schema().edges[kind].name.clone().into(),
                    why: String::new(),
                });
            }
        }
    }
}

/// Whether a passage is an answer, and its scores.
pub fn fused(at: &At<'_>, passage: u32) -> Option<(bool, Fused, Weights)> {
    let ran = ran(at)?;
    let place = ran.answers.iter().position(|answer| answer.0 == passage);
    let object = layer(at).object(passage);
    let near = neighbours(at).map_or(&[][..], |near| &near.0);
    let near = near.iter().find(|near| Some(near.0) == object);
    // An answer beyond those that are expanded may come back as a neighbour of one, and is scored as that.
    if let Some(near) = near.filter(|_| place.is_none_or(|place| place >= ran.limit)) {
        return Some((false, near.1, ran.weights));
    }
    Some((true, ran.answers[place?].1, ran.weights))
}

/// How a passage came to be an answer, or a neighbour of one.
pub fn sentence(at: &At<'_>, passage: u32) -> String {
    let Some(ran) = ran(at) else {
        return String::new();
    };
    let layer = layer(at);
    let told = Told {
        at: *at,
        ran,
        layer,
    };
    let object = layer.object(passage);
    let near = neighbours(at).map_or(&[][..], |near| &near.0);
    let near_place = near.iter().position(|near| Some(near.0) == object);
    let answer = ran.answers.iter().position(|answer| answer.0 == passage);
    if let Some(place) = answer.filter(|place| *place < ran.limit || near_place.is_none()) {
        let via = match object.filter(|_| ran.rung != Rung::Hybrid) {
            Some(object) => told.path_to(object),
            None => format!("hybrid seed, {}", ran.rung.name()),
        };
        return clip(&format!("answer {}: {via}", place + 1), LINE);
    }
    let (Some(place), Some(object)) = (near_place, object) else {
        return String::new();
    };
    let mut from = Vec::new();
    for &(seed, _) in ran.answers.iter().take(ran.limit) {
        let title = at.index.called(seed);
        for out in [true, false] {
            let arcs = layer
                .object(seed)
                .into_iter()
                .flat_map(|seed| layer.arcs(seed, out));
            for (_, kind) in arcs.filter(|arc| arc.0 == object) {
                let name = &layer.schema().edges[kind].name;
                from.push(match out {
                    true => format!("{title} -[:{name}]->"),
                    false => format!("{title} <-[:{name}]-"),
                });
            }
        }
    }
    from.truncate(3);
    clip(
        &format!("neighbour {}: {}", place + 1, from.join(", ")),
        LINE,
    )
}

fn reason(code: Code, text: &str) -> Reason {
    Reason::new(code, clip(text, LINE))
}

/// Whether a passage is among the answers that the run came to, in a step after this one.
fn answered(at: &At<'_>, passage: u32) -> bool {
    let records = at.run.records.iter();
    let mut ran = records.filter_map(|record| record.output.get::<Ran>());
    ran.any(|ran| ran.answers.iter().any(|answer| answer.0 == passage))
}

/// What the plan could not do with the question.
pub fn unplanned(at: &At<'_>, passage: u32) -> Vec<Reason> {
    let Some(written) = written(at) else {
        return Vec::new();
    };
    let layer = layer(at);
    if layer.object(passage).is_none() {
        let text = "not an object of the schema graph: no operator and no edge reaches it";
        return vec![reason(Code::Isolated, text).class(Class::F2)];
    }
    let dropped = written
        .planned
        .notes
        .iter()
        .filter(|note| note.path.is_none());
    let dropped: Vec<&str> = dropped.map(|note| note.surface.as_str()).collect();
    if dropped.is_empty() || answered(at, passage) {
        return Vec::new();
    }
    let text = format!(
        "the question names {}; no edges lead from there to the type asked for, and it was dropped",
        dropped.join(", ")
    );
    vec![reason(Code::PlanNoPath, &text)]
}

/// Why a passage is no answer.
pub fn unanswered(at: &At<'_>, passage: u32) -> Vec<Reason> {
    let (Some(ran), Some(written)) = (ran(at), written(at)) else {
        return Vec::new();
    };
    let layer = layer(at);
    let Some(object) = layer.object(passage) else {
        return Vec::new();
    };
    let told = Told {
        at: *at,
        ran,
        layer,
    };
    let mut reasons = Vec::new();
    let asked = written.planned.answer;
    if ran.rung == Rung::Hybrid {
        let kind = asked.map_or("any type", |kind| layer.schema().types[kind].name.as_str());
        let text = format!("the plan gave nothing; hybrid seeds of {kind} were taken");
        reasons.push(reason(Code::Fallback, &text));
    } else if !ran.answers.iter().any(|answer| answer.0 == passage) {
        reasons.push(reason(Code::PlanFiltered, &told.filtered(asked, object)));
    }
    if ran.rung != Rung::Plan && ran.rung != Rung::Hybrid {
        let rung = ran.rung.name();
        let text = format!("a set of the plan came out empty; rung {rung} was taken");
        reasons.push(reason(Code::Fallback, &text));
    }
    if let Some(first) = reasons.first_mut() {
        first.fix = fix(at, written, passage);
    }
    reasons
}

/// Why a passage is no neighbour of an answer either.
pub fn unjoined(at: &At<'_>, passage: u32) -> Vec<Reason> {
    let (Some(ran), Some(near)) = (ran(at), neighbours(at)) else {
        return Vec::new();
    };
    let layer = layer(at);
    let answers = ran.answers.iter().take(ran.limit);
    let Some(object) = layer.object(passage) else {
        return Vec::new();
    };
    if ran.answers.iter().any(|answer| answer.0 == passage) {
        return Vec::new();
    }
    let k = at.values().get(SAGE_NEIGHBOURS);
    match near.0.iter().position(|near| near.0 == object) {
        Some(rank) if rank >= k => {
            let (own, of) = (near.0[rank].1, near.0.len());
            let text = format!(
                "neighbour {} of {of}, and {k} are kept; {}",
                rank + 1,
                both(own)
            );
            let fix = at.tried(passage, SAGE_NEIGHBOURS.at(MOST));
            vec![reason(Code::PrunedByFusion, &text).with_fix(fix)]
        }
        Some(_) => Vec::new(),
        None => {
            let count = answers.count();
            let text = format!("no edge joins it to one of the {count} answers that were expanded");
            vec![reason(Code::NotNeighbour, &text)]
        }
    }
}

/// An answer beyond those that were taken and expanded: in no ranking, though it has a place.
pub fn uncounted(at: &At<'_>, passage: u32) -> Vec<Reason> {
    let Some(ran) = ran(at) else {
        return Vec::new();
    };
    let returned = at.set().hits().iter().any(|hit| hit.passage == passage);
    let place = ran.answers.iter().position(|answer| answer.0 == passage);
    let place = place.filter(|_| !returned);
    let reason = place.map(|place| {
        let k = at.run.settings.get(RESULT_K);
        let (of, taken) = (ran.answers.len(), ran.limit);
        let text = format!(
            "answer {} of {of}; the first {taken} were taken and expanded",
            place + 1
        );
        reason(Code::CutByK, &text).class(Class::behind(place + 1, k))
    });
    Vec::from_iter(reason)
}

/// The first change that was tried and brings the passage.
fn fix(at: &At<'_>, written: &Written, passage: u32) -> Option<Fix> {
    let mut tries: Vec<(Parameter, Value)> = Vec::new();
    if at.run.settings.get(EDGE_POLICY) == EdgePolicy::Minus {
        tries.push(EDGE_POLICY.at(EdgePolicy::Plus));
    }
    tries.push(SAGE_NEIGHBOURS.at(MOST));
    // A model is not asked again.
    if !matches!(written.origin, MadeBy::Llm { .. }) {
        tries.push(CANDIDATE_LIMIT.at(MOST));
    }
    tries
        .into_iter()
        .find_map(|change| at.tried(passage, change))
}
