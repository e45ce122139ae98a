//! The smallest change that brings a passage in: every single change of a parameter, of a seed or of the graph, tried, the
//! least first; then the best of them two by two, where none is enough; an edge to the passage itself after that. Changes
//! that would bring in any passage come last and count as none: a seed that only the passage itself has, and muting what
//! stands above it.
//!
//! A longer list is no repair, so the size of the list is never changed. Parameters that read the passages again are left
//! out: what they change is the graph and not the retrieval.

use super::cause::padded;
use super::lookalike::{LookAlike, lookalikes};
use crate::index::Index;
use crate::layers::{Graph, GraphEdit, GraphView, NameEdge, Node};
use crate::parameters::{Parameter, RESULT_K, Stage, Value};
use crate::retrieve::edits::{SeedChange, SeedEdit, name_of};
use crate::retrieve::operator::At;
use crate::retrieve::{Change, Retrieval, RetrieveError};
use crate::text::{count, plural};
use serde::Serialize;
use std::sync::Arc;

/// Most seeds that are muted and weighed, and most names of the passage that are added.
const SEEDS: usize = 12;
/// Factors that a seed's weight is tried with, and how many moves each counts for.
const FACTORS: [(f64, usize); 4] = [(2.0, 1), (0.5, 1), (4.0, 2), (0.25, 2)];

/// Most masked names of the passage that are kept, and most names of much mass that are muted.
const NAMES: usize = 6;
/// How many passages just inside the cut lose an edge, and how many edges each.
const INSIDE: usize = 2;
const EDGES: usize = 3;
/// Most edges to the passage that are added.
const ADDED: usize = 3;
/// How many of the best single changes are tried two by two.
const BEST: usize = 5;

/// A repair: a change that was tried and brings the passage into the top k.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Repair {
    /// What is changed.
    pub change: Change,
    /// Moves of the slider; another choice, a seed and a change of the graph are one each.
    pub moves: usize,
    /// Where the passage then stands, from 1.
    pub rank: usize,
    /// What it asks of a person.
    pub kind: Kind,
}

/// What a repair asks of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Another value of a parameter.
    Setting,
    /// Two spellings joined, or a masked name kept.
    Name,
    /// An edge between a passage and a name that stands in its text.
    Edge,
    /// A name that the question contains, as a seed or with more weight.
    Asked,
    /// A node that words of the question were wrongly taken for, muted.
    Link,
    /// Whatever brings any passage in: a seed from the passage itself, or less of what stands above. No repair.
    Forced,
}

/// What a search came to.
///
/// ```
/// # use hopscope::*; use std::sync::Arc;
/// # fn main() -> anyhow::Result<()> {
/// # let index = Arc::new(hopscope::index::sample::index()?);
/// # let method = |name: &str| Method::by_name(name).map_err(anyhow::Error::msg);
/// # let settings = Settings::of(&index, method("graph")?);
/// # let run = Retriever::new(index.clone()).retrieve("Who discovered Uranus?", &settings, Keep::Scores)?;
/// // What would bring the passage at rank 15 into the first ten?
/// let lost = run.passages[14].passage;
/// let found = repairs(&index, &run, lost, |so_far| so_far.tried < 50)?;
/// for repair in &found.found {
///     println!("{:?}: rank {}", repair.change, repair.rank);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Repairs {
    /// The least change of each parameter and each seed that helps, those of fewest moves first.
    pub found: Vec<Repair>,
    /// Changes that were tried.
    pub tried: usize,
    /// Changes there are: those of two are counted once no single one helps.
    pub of: usize,
    /// How many of those that were tried are of two.
    #[serde(skip_serializing_if = "is_zero")]
    pub pairs: usize,
    /// How many of those that were tried force any passage in; they are tried last.
    #[serde(skip_serializing_if = "is_zero")]
    pub forcing: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde asks
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Repairs {
    /// Those that a person would make.
    pub fn sensible(&self) -> impl Iterator<Item = &Repair> {
        let found = self.found.iter();
        found.filter(|repair| repair.kind != Kind::Forced)
    }

    /// What the search came to, in one sentence; what was found follows it.
    pub fn sentence(&self) -> String {
        let sensible = self.sensible().count();
        let tried = plural(count(self.tried), "change");
        // A search that was stopped knows only so much.
        let tried = match self.tried < self.of {
            true => format!("{tried} of {} tried so far", count(self.of)),
            false => format!("{tried} tried"),
        };
        let two = self.sensible().any(|r| matches!(r.change, Change::Both(_)));
        let sensible = match sensible {
            0 => "none is a repair".to_owned(),
            1 if two => "one pair brings it into the top k, no single change does".to_owned(),
            many if two => format!("{many} pairs bring it into the top k, no single change does"),
            1 => "1 brings it in".to_owned(),
            many => format!("{many} bring it in"),
        };
        format!("{tried}: {sensible}")
    }

    /// What is known of changes that would bring in any passage; empty where there are none.
    pub fn forced(&self) -> String {
        match self.found.len() - self.sensible().count() {
            0 => String::new(),
            1 => "1 more forces it in: a seed from the passage itself, or muting what ranks above"
                .to_owned(),
            more => format!(
                "{more} more force it in: seeds from the passage itself, or muting what ranks above"
            ),
        }
    }
}

/// Searches for changes that bring a passage into the top k. Calls `tell` after every attempt; return `false` to stop.
///
/// # Errors
/// As [`Retrieval::again`].
pub fn repairs(
    index: &Arc<Index>,
    run: &Retrieval,
    passage: u32,
    mut tell: impl FnMut(&Repairs) -> bool,
) -> Result<Repairs, RetrieveError> {
    let mut search = Looking {
        index,
        run,
        passage,
        repairs: Repairs::default(),
        nearest: Vec::new(),
    };
    let (sensible, forced): (Vec<_>, Vec<_>) = changes(index, run, passage)
        .into_iter()
        .partition(|(_, change)| search.kind(change) != Kind::Forced);
    let mut go_on = search.all(sensible, &mut tell)?;
    // Moves add up: what comes near alone may be enough with another.
    if go_on && search.repairs.found.is_empty() {
        let pairs = search.pairs();
        go_on = search.all(pairs, &mut tell)?;
    }
    // That a name of the question would lead there if the passage had it says little: only where nothing else does.
    let (edges, forcing): (Vec<_>, Vec<_>) = added(index, run, passage)
        .into_iter()
        .partition(|(_, change)| search.kind(change) != Kind::Forced);
    if go_on && search.repairs.found.is_empty() {
        go_on = search.all(edges, &mut tell)?;
    }
    if go_on {
        let none = search.repairs.found.is_empty();
        let forcing = forcing.into_iter().filter(|_| none);
        search.all(forced.into_iter().chain(forcing).collect(), &mut tell)?;
    }
    Ok(search.repairs)
}

/// A search and how far it came.
struct Looking<'a> {
    index: &'a Arc<Index>,
    run: &'a Retrieval,
    passage: u32,
    repairs: Repairs,
    /// Single changes by the rank that they bring the passage to, those that bring it nearer than it was.
    nearest: Vec<(usize, usize, Change)>,
}

impl Looking<'_> {
    /// Tries some changes; false where it was stopped.
    fn all(
        &mut self,
        changes: Vec<(usize, Change)>,
        tell: &mut impl FnMut(&Repairs) -> bool,
    ) -> Result<bool, RetrieveError> {
        self.repairs.of += changes.len();
        let k = self.run.settings.get(RESULT_K);
        let rank_of = |run: &Retrieval| run.place(self.passage).map(|(rank, _)| rank);
        let before = rank_of(self.run).unwrap_or(usize::MAX);
        for (moves, change) in changes {
            let kind = self.kind(&change);
            let pair = matches!(change, Change::Both(_));
            // Of one parameter or seed the least change is enough.
            let known = |repair: &Repair| same(&repair.change, &change);
            if !self.repairs.found.iter().any(known) {
                let changed = change.applied(&self.run.settings);
                let again = match self.run.again(self.index, &changed) {
                    // It takes more of an index that lies elsewhere than can be fetched.
                    Err(RetrieveError::Elsewhere(_)) => {
                        self.repairs.of -= 1;
                        match tell(&self.repairs) {
                            true => continue,
                            false => return Ok(false),
                        }
                    }
                    again => again?,
                };
                // What is returned has a rank in the list, whatever a walk ranks.
                match (again.rank(self.passage), rank_of(&again)) {
                    (Some(rank), _) if rank <= k => {
                        self.repairs.found.push(Repair {
                            change,
                            moves,
                            rank,
                            kind,
                        });
                    }
                    (_, Some(rank)) if rank < before && !pair => {
                        self.nearest.push((rank, moves, change));
                    }
                    _ => {}
                }
            }
            self.repairs.tried += 1;
            self.repairs.pairs += usize::from(pair);
            self.repairs.forcing += usize::from(kind == Kind::Forced);
            if !tell(&self.repairs) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What a change asks of a person.
    fn kind(&self, change: &Change) -> Kind {
        let of = |change: &Change| match change {
            Change::Set(..) | Change::Both(_) => Kind::Setting,
            Change::Seed(edit) => self.kind_of_seed(edit),
            Change::Graph(edit) => self.kind_of_edit(edit),
        };
        let kinds = change.each().into_iter().map(of);
        kinds.max().unwrap_or(Kind::Forced)
    }

    fn kind_of_seed(&self, edit: &SeedEdit) -> Kind {
        let asked = edit.passage().is_none() && asks(self.run, &edit.node);
        match edit.change {
            SeedChange::Add(_) if asked => Kind::Asked,
            SeedChange::Weight(factor) if asked && factor > 1.0 => Kind::Asked,
            SeedChange::Mute if !asked && linked(self.index, self.run, &edit.node) => Kind::Link,
            _ => Kind::Forced,
        }
    }

    fn kind_of_edit(&self, edit: &GraphEdit) -> Kind {
        match edit {
            GraphEdit::Join { .. } | GraphEdit::Keep(_) => Kind::Name,
            GraphEdit::Mute(name)
                if !asks(self.run, name) && linked(self.index, self.run, name) =>
            {
                Kind::Link
            }
            GraphEdit::Add(edge) => {
                let passages = self.index.passages();
                let text = passages.full_text(self.passage as usize);
                match padded(&text).contains(&padded(&edge.name)) {
                    true => Kind::Edge,
                    false => Kind::Forced,
                }
            }
            _ => Kind::Forced,
        }
    }

    /// The best single changes two by two, each of another parameter, seed or edge; those of fewest moves first.
    fn pairs(&mut self) -> Vec<(usize, Change)> {
        self.nearest.sort_by_key(|(rank, moves, _)| (*rank, *moves));
        let mut best: Vec<(usize, Change)> = Vec::new();
        for (_, moves, change) in &self.nearest {
            if best.len() < BEST && !best.iter().any(|(_, known)| same(known, change)) {
                best.push((*moves, change.clone()));
            }
        }
        let mut pairs = Vec::new();
        for (at, (moves, change)) in best.iter().enumerate() {
            for (more, other) in &best[at + 1..] {
                let both = Change::both(change.clone(), other.clone());
                pairs.push((moves + more, both));
            }
        }
        pairs.sort_by_key(|(moves, _)| *moves);
        pairs
    }
}

/// Whether the question contains a name.
fn asks(run: &Retrieval, name: &str) -> bool {
    padded(&run.question).contains(&padded(name))
}

/// Whether words of the question led to a node of this name.
fn linked(index: &Index, run: &Retrieval, node: &str) -> bool {
    let Some(walked) = run.walk() else {
        return false;
    };
    let mut named = run.names_on(walked.graph).iter();
    named.any(|name| {
        let mut nodes = name.nodes.iter();
        nodes.any(|&known| name_of(index, walked.graph, known) == node)
    })
}

/// Whether two changes are of one parameter, one seed, or decide the same of the graph.
fn same(a: &Change, b: &Change) -> bool {
    match (a, b) {
        (Change::Set(a, _), Change::Set(b, _)) => a == b,
        (Change::Seed(a), Change::Seed(b)) => a.node == b.node,
        (Change::Graph(a), Change::Graph(b)) => a.replaced_by(b),
        _ => false,
    }
}

/// Every single change, with how many moves it is, the least first.
fn changes(index: &Arc<Index>, run: &Retrieval, passage: u32) -> Vec<(usize, Change)> {
    let mut changes = Vec::new();
    for parameter in run.settings.method().uses() {
        let stage = parameter.declaration().stage;
        if parameter != RESULT_K.id()
            && stage != Stage::Index
            && run.settings.idle(parameter).is_none()
        {
            let values = values(parameter, run.settings.value(parameter)).into_iter();
            changes.extend(values.map(|(moves, value)| (moves, Change::Set(parameter, value))));
        }
    }
    changes.extend(seeds(index, run, passage));
    changes.extend(edits(index, run, passage));
    // Stable: of as many moves, parameters come first, in the order of the pipeline: they help other questions too.
    changes.sort_by_key(|(moves, _)| *moves);
    changes
}

/// All other values of a parameter's grid, and how many moves of the slider they are away. Another choice is one move.
pub fn values(parameter: Parameter, now: Value) -> Vec<(usize, Value)> {
    let domain = &parameter.declaration().domain;
    if let Value::Choice(now) = now {
        let all = (0..).map(Value::Choice).take_while(|v| domain.contains(*v));
        let others = all.filter(|v| *v != Value::Choice(now));
        return others.map(|value| (1, value)).collect();
    }
    let mut values = Vec::new();
    for way in [-1, 1] {
        let mut last = now;
        for moves in 1i64.. {
            let value = domain.stepped(now, way * moves);
            if value == last {
                break;
            }
            values.push((moves as usize, value));
            last = value;
        }
    }
    values
}

/// Seeds muted and weighed, and names of the passage added, where the plan obeys changes of seeds.
fn seeds(index: &Arc<Index>, run: &Retrieval, passage: u32) -> Vec<(usize, Change)> {
    if run.settings.method().ignores_edits().is_some() {
        return Vec::new();
    }
    let of = |graph: &Graph, seeds: Vec<Node>| seeds_of(index, run, passage, graph, &seeds);
    let Some(walked) = run.walk() else {
        let nodes = |at: &At<'_>| at.set().members.iter().map(|member| member.node).collect();
        let starts = run.starts(index);
        return starts.flat_map(|at| of(at.graph(), nodes(&at))).collect();
    };
    of(
        walked.graph,
        walked.seeds().iter().map(|seed| seed.node).collect(),
    )
}

/// Of the seeds of one step, the heaviest first.
fn seeds_of(
    index: &Index,
    run: &Retrieval,
    passage: u32,
    graph: &Graph,
    seeds: &[Node],
) -> Vec<(usize, Change)> {
    let edited = run.settings.seed_edits();
    let free = |name: &String| edited.iter().all(|edit| edit.node != *name);
    let edit = |moves, node: &str, change| (moves, Change::seed(node, change));
    let name = |node: Node| name_of(index, graph, node);
    let mut changes = Vec::new();
    for name in seeds
        .iter()
        .take(SEEDS)
        .map(|node| name(*node))
        .filter(free)
    {
        changes.push(edit(1, &name, SeedChange::Mute));
        let weighed = FACTORS.map(|(factor, moves)| edit(moves, &name, SeedChange::Weight(factor)));
        changes.extend(weighed);
    }
    // Names that lead to the passage; itself as a seed would say nothing.
    let own = graph.nodes_of(passage);
    let beside = own.iter().flat_map(|&node| graph.neighbours(node));
    let fresh = beside.map(|(node, _)| node);
    let fresh = fresh.filter(|&node| !graph.is_passage(node) && !seeds.contains(&node));
    let names = fresh.take(SEEDS).map(name).filter(free);
    changes.extend(names.map(|name| edit(1, &name, SeedChange::Add(1.0))));
    changes
}

/// The graph of names of a run's walk, where changes by hand reach it.
fn view(run: &Retrieval) -> Option<&GraphView> {
    run.walk()?.entities()
}

/// Names of the walk by some order, without those that a person changed already.
fn names<'a>(
    run: &'a Retrieval,
    view: &'a GraphView,
    nodes: impl Iterator<Item = Node> + 'a,
) -> impl Iterator<Item = String> + 'a {
    let names = nodes.filter_map(|node| Some(view.graph.names.get(view.entity(node)?).to_owned()));
    let edited = run.settings.graph_edits();
    names.filter(move |name| {
        let of_name = |edit: &GraphEdit| match edit {
            GraphEdit::Mute(known) | GraphEdit::Keep(known) => known == name,
            _ => false,
        };
        !edited.iter().any(of_name)
    })
}

/// Look-alike names joined, masked names of the passage kept, names of much mass muted, and edges cut that feed the last
/// passages inside.
fn edits(index: &Arc<Index>, run: &Retrieval, passage: u32) -> Vec<(usize, Change)> {
    let (Some(view), Some(walked)) = (view(run), run.walk()) else {
        return Vec::new();
    };
    // Names that should be one come first: a join is right or wrong for all questions.
    let alike = lookalikes(index, run, passage);
    let of_passage = alike.iter().filter(|alike| alike.of_passage);
    let mut edits: Vec<GraphEdit> = of_passage.filter_map(LookAlike::join).take(NAMES).collect();
    let (own, _) = view.graph.row(passage as usize);
    let masked = own.iter().copied();
    let masked = masked.filter(|&node| {
        view.entity(node)
            .is_some_and(|e| view.mask(e as u32).is_some())
    });
    edits.extend(names(run, view, masked).take(NAMES).map(GraphEdit::Keep));
    let mass = &walked.spread.mass;
    // A name in one passage sends nothing on.
    let mut heavy: Vec<Node> = (view.passages() as Node..view.nodes() as Node)
        .filter(|&node| mass[node as usize] > 0.0 && view.degree(node) > 1)
        .collect();
    let heavier = |a: &Node, b: &Node| {
        let by_mass = mass[*b as usize].total_cmp(&mass[*a as usize]);
        by_mass.then(a.cmp(b))
    };
    if heavy.len() > NAMES {
        heavy.select_nth_unstable_by(NAMES, heavier);
        heavy.truncate(NAMES);
    }
    heavy.sort_by(heavier);
    edits.extend(names(run, view, heavy.into_iter()).map(GraphEdit::Mute));
    for hit in run.top().iter().rev().take(INSIDE) {
        let seeds = walked.seeds().iter().map(|seed| seed.node);
        let feeds = seeds.filter(|&node| !view.is_passage(node));
        let feeds = feeds.filter(|&node| view.probability(node, hit.passage) > 0.0);
        let cut = |name| {
            GraphEdit::Cut(NameEdge {
                name,
                passage: index.id(hit.passage).to_owned(),
            })
        };
        edits.extend(names(run, view, feeds).take(EDGES).map(cut));
    }
    let single = |edit| (1, Change::Graph(edit));
    edits.into_iter().map(single).collect()
}

/// Edges from the heaviest names that restart the walk to the passage.
fn added(index: &Index, run: &Retrieval, passage: u32) -> Vec<(usize, Change)> {
    let (Some(view), Some(walked)) = (view(run), run.walk()) else {
        return Vec::new();
    };
    let seeds = walked.seeds().iter().map(|seed| seed.node);
    let apart = seeds.filter(|&node| !view.is_passage(node) && view.tf(passage, node) == 0);
    let add = |name| {
        let edge = NameEdge {
            name,
            passage: index.id(passage).to_owned(),
        };
        (1, Change::Graph(GraphEdit::Add(edge)))
    };
    names(run, view, apart).take(ADDED).map(add).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::sample;
    use crate::parameters::Domain;
    use crate::retrieve::{Keep, Method, Retriever, Settings};

    fn lost(
        method: &str,
        set: &[&str],
        question: &str,
        gold: &str,
    ) -> (Arc<Index>, Retrieval, u32) {
        let index = Arc::new(sample::index().unwrap());
        let mut settings = Settings::of(&index, Method::by_name(method).unwrap());
        for set in set {
            settings.set_text(set).unwrap();
        }
        let asked = index.questions().iter().find(|q| q.id == question);
        let text = &asked.unwrap().text;
        let mut retriever = Retriever::new(index.clone());
        let run = retriever.retrieve(text, &settings, Keep::Scores).unwrap();
        let passage = index.passage_by_id(gold).unwrap();
        (index, run, passage)
    }

    #[test]
    fn another_value_is_never_the_one_there_is() {
        let walk = crate::parameters::WALK.id();
        let steps = crate::parameters::STEPS.id();
        assert_eq!(values(walk, Value::Choice(1)), [(1, Value::Choice(0))]);
        let near = values(steps, Value::Integer(5));
        assert!(near.contains(&(1, Value::Integer(4))) && near.contains(&(2, Value::Integer(7))));
        assert!(near.iter().all(|(_, value)| *value != Value::Integer(5)));
    }

    #[test]
    fn values_of_what_cannot_act_or_needs_another_index_are_not_tried() {
        let (index, run, passage) = lost("graph", &["steps=1"], "q20", "violin-5");
        let uses = run.settings.method().uses();
        let of_index = |p: Parameter| p.declaration().stage == Stage::Index;
        let idle = |p: Parameter| run.settings.idle(p).is_some();
        assert!(uses.iter().any(|p| of_index(*p)) && uses.iter().any(|p| idle(*p)));
        let mut tried = Vec::new();
        for (_, change) in changes(&index, &run, passage) {
            if let Change::Set(parameter, _) = change {
                tried.push(parameter);
            }
        }
        tried.dedup();
        let acts = |p: &Parameter| *p != RESULT_K.id() && !of_index(*p) && !idle(*p);
        let acts: Vec<Parameter> = uses.iter().copied().filter(acts).collect();
        tried.sort_by_key(|p| acts.iter().position(|own| own == p));
        tried.dedup();
        assert_eq!(tried, acts);
    }

    #[test]
    fn a_name_of_one_passage_is_not_muted_since_it_leads_nowhere() {
        let (index, run, passage) = lost("graph", &[], "q20", "violin-5");
        let graph = &view(&run).unwrap().graph;
        let mut muted = 0;
        for (_, change) in edits(&index, &run, passage) {
            if let Change::Graph(GraphEdit::Mute(name)) = change {
                assert!(graph.df(graph.find(&name).unwrap() as usize) > 1, "{name}");
                muted += 1;
            }
        }
        assert!(muted > 0);
    }

    #[test]
    fn seeds_of_a_plan_without_a_walk_are_tried_where_it_begins() {
        let index = Arc::new(sample::index().unwrap());
        let mut settings = Settings::of(&index, Method::by_name("ket-rag-u").unwrap());
        settings.set_text("result_k=2").unwrap();
        let mut retriever = Retriever::new(index.clone());
        let mut brought = 0;
        for question in &index.questions()[..6] {
            let run = retriever.retrieve(&question.text, &settings, Keep::Scores);
            let run = run.unwrap();
            let gold = question.gold.iter().map(|gold| gold.passage);
            let lost = |passage: &u32| run.rank(*passage).is_none_or(|rank| rank > 2);
            for passage in gold.filter(lost) {
                let all = seeds(&index, &run, passage);
                let added = |change: &&(usize, Change)| matches!(&change.1, Change::Seed(edit) if matches!(edit.change, SeedChange::Add(_)));
                assert!(all.iter().any(|change| !added(&change)));
                for (_, change) in all.iter().filter(added).take(4) {
                    let again = run.again(&index, &change.applied(&run.settings)).unwrap();
                    let applied = again.edits().iter().any(|edited| edited.applied);
                    assert!(applied, "{change}");
                    brought += usize::from(again.rank(passage).is_some_and(|rank| rank <= 2));
                }
            }
        }
        assert!(brought > 0);
    }

    /// The whole grid of a parameter by the declaration alone.
    fn grid(parameter: Parameter) -> Vec<Value> {
        match parameter.declaration().domain {
            Domain::Integer { min, max, step, .. } => {
                let all = (0..).map(|at| Value::Integer((min + at * step).min(max)));
                let mut all: Vec<Value> = all.take(((max - min) / step) as usize + 2).collect();
                all.dedup();
                all
            }
            Domain::Choice(choices) => (0..choices.len()).map(Value::Choice).collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn what_is_found_is_what_every_value_of_every_whole_number_and_choice_finds() {
        let (index, run, passage) = lost("graph", &["steps=1"], "q20", "violin-5");
        let found = repairs(&index, &run, passage, |_| true).unwrap();
        assert_eq!(found.tried, found.of);
        let k = run.settings.get(RESULT_K);
        let mut helped = 0;
        for parameter in run.settings.method().uses() {
            let stage = parameter.declaration().stage;
            if parameter == RESULT_K.id() || stage == Stage::Index || grid(parameter).is_empty() {
                continue;
            }
            let admits = |value: &Value| {
                let change = Change::Set(parameter, *value);
                let again = run.again(&index, &change.applied(&run.settings)).unwrap();
                again.rank(passage).is_some_and(|rank| rank <= k)
            };
            let any = grid(parameter).iter().any(admits);
            let of =
                |repair: &&Repair| matches!(repair.change, Change::Set(p, _) if p == parameter);
            let own = found.found.iter().find(of);
            assert_eq!(own.is_some(), any, "{}", parameter.id());
            helped += usize::from(any);
        }
        assert!(helped > 0);
    }

    #[test]
    fn every_repair_holds_when_it_is_asked_for_and_no_repair_is_a_longer_list() {
        let (index, run, passage) = lost("graph", &["steps=1"], "q20", "violin-5");
        let found = repairs(&index, &run, passage, |_| true).unwrap();
        assert!(!found.found.is_empty());
        // What forces any passage in comes last.
        let order = |repair: &Repair| (repair.kind == Kind::Forced, repair.moves);
        assert!(found.found.is_sorted_by_key(order));
        for repair in &found.found {
            assert!(!matches!(repair.change, Change::Set(Parameter::ResultK, _)));
            // As a person types it.
            let mut settings = run.settings.clone();
            match &repair.change {
                Change::Set(..) => settings.set_text(&repair.change.to_string()).unwrap(),
                Change::Seed(edit) => settings.edit_seed(edit.to_string().parse().unwrap()),
                Change::Graph(edit) => settings.edit_graph(edit.to_string().parse().unwrap()),
                Change::Both(_) => panic!("a single change is enough"),
            }
            let mut fresh = Retriever::new(index.clone());
            let again = fresh.retrieve(&run.question, &settings, Keep::Scores);
            assert_eq!(
                again.unwrap().rank(passage),
                Some(repair.rank),
                "{repair:?}"
            );
        }
    }

    #[test]
    fn a_search_says_no_more_than_it_found() {
        let set = Change::Set(Parameter::Steps, Value::Integer(6));
        let both = Change::both(set.clone(), set.clone());
        let said = |found: &[(&Change, Kind)], tried| {
            let found = found.iter().map(|(change, kind)| Repair {
                change: (*change).clone(),
                moves: 1,
                rank: 3,
                kind: *kind,
            });
            let repairs = Repairs {
                found: found.collect(),
                tried,
                of: 1322,
                ..Repairs::default()
            };
            (repairs.sentence(), repairs.forced())
        };
        let none = String::new;
        let (setting, forced) = ((&set, Kind::Setting), (&set, Kind::Forced));
        let cases = [
            (
                said(&[], 1322),
                "1,322 changes tried: none is a repair",
                none(),
            ),
            (
                said(&[], 4),
                "4 changes of 1,322 tried so far: none is a repair",
                none(),
            ),
            (
                said(&[setting], 1322),
                "1,322 changes tried: 1 brings it in",
                none(),
            ),
            (
                said(&[setting, setting, forced, forced], 1322),
                "1,322 changes tried: 2 bring it in",
                "2 more force it in: seeds from the passage itself, or muting what ranks above"
                    .to_owned(),
            ),
            (
                said(&[(&both, Kind::Setting)], 1322),
                "1,322 changes tried: one pair brings it into the top k, no single change does",
                none(),
            ),
            (
                said(&[forced], 1322),
                "1,322 changes tried: none is a repair",
                "1 more forces it in: a seed from the passage itself, or muting what ranks above"
                    .to_owned(),
            ),
        ];
        for (said, sentence, forced) in cases {
            assert_eq!(said, (sentence.to_owned(), forced));
        }
    }

    #[test]
    fn a_search_that_is_stopped_says_how_far_it_came() {
        let (index, run, passage) = lost("hop", &[], "q20", "violin-5");
        let found = repairs(&index, &run, passage, |so_far| so_far.tried < 5).unwrap();
        assert!(found.tried == 5 && found.of > 50, "{found:?}");
    }

    /// Every gold passage that a method loses on the sample.
    fn all_lost(index: &Arc<Index>, method: &str, set: &[&str]) -> Vec<(Retrieval, u32)> {
        let mut settings = Settings::of(index, Method::by_name(method).unwrap());
        set.iter().for_each(|set| settings.set_text(set).unwrap());
        let mut retriever = Retriever::new(index.clone());
        let mut lost = Vec::new();
        for question in index.questions() {
            let run = retriever.retrieve(&question.text, &settings, Keep::Scores);
            let run = run.unwrap();
            let inside = |passage| run.top().iter().any(|hit| hit.passage == passage);
            let gold = question.gold.iter().map(|gold| gold.passage);
            let outside: Vec<u32> = gold.filter(|gold| !inside(*gold)).collect();
            lost.extend(outside.into_iter().map(|gold| (run.clone(), gold)));
        }
        lost
    }

    #[test]
    fn every_change_of_the_graph_does_something_and_those_that_help_are_found() {
        let index = Arc::new(sample::index().unwrap());
        let mut helped = 0;
        for (run, passage) in all_lost(&index, "graph", &["max_df_ratio=0.03"]) {
            let k = run.settings.get(RESULT_K);
            let mut helpful = Vec::new();
            for (_, change) in edits(&index, &run, passage) {
                let again = run.again(&index, &change.applied(&run.settings)).unwrap();
                let edited = again.graph_edits();
                assert!(edited.iter().all(|e| e.idle.is_none()), "{edited:?}");
                if again.rank(passage).is_some_and(|rank| rank <= k) {
                    helpful.push(change);
                }
            }
            if helpful.is_empty() || helped > 3 {
                continue;
            }
            helped += 1;
            let found = repairs(&index, &run, passage, |_| true).unwrap();
            let of_graph = |repair: &Repair| match &repair.change {
                Change::Graph(_) => Some(repair.change.clone()),
                _ => None,
            };
            let own: Vec<Change> = found.found.iter().filter_map(of_graph).collect();
            assert_eq!(own, helpful);
        }
        assert!(helped > 0);
    }

    #[test]
    fn two_changes_are_tried_where_no_single_one_helps_and_an_edge_to_it_last() {
        let index = Arc::new(sample::index().unwrap());
        let (mut pairs, mut edges) = (0, 0);
        for (run, gold) in all_lost(&index, "graph", &["result_k=1"]) {
            if pairs > 1 {
                break;
            }
            let found = repairs(&index, &run, gold, |_| true).unwrap();
            assert_eq!(found.tried, found.of);
            let singles = changes(&index, &run, gold).len();
            if found.tried == singles {
                continue;
            }
            for repair in found.sensible() {
                let again = run
                    .again(&index, &repair.change.applied(&run.settings))
                    .unwrap();
                assert_eq!(again.rank(gold), Some(1), "{}", repair.change);
                match &repair.change {
                    Change::Both(both) => {
                        pairs += 1;
                        assert!(!same(&both[0], &both[1]) && repair.moves > 1);
                        let alone = both.each_ref().map(|one| {
                            let run = run.again(&index, &one.applied(&run.settings)).unwrap();
                            run.rank(gold)
                        });
                        assert!(alone.iter().all(|rank| *rank != Some(1)));
                        assert!(found.sentence().ends_with("no single change does"));
                    }
                    Change::Graph(GraphEdit::Add(edge)) => {
                        edges += 1;
                        assert_eq!(edge.passage, index.id(gold));
                    }
                    other => panic!("{other} is a single change"),
                }
            }
        }
        assert!(pairs > 0, "{pairs} {edges}");
    }
}
