//! The smallest change that brings a passage in: every single change of a parameter or of a seed, tried, the least first.
//!
//! A longer list is no repair, so the size of the list is never changed. Parameters that read the passages again are left
//! out: what they change is the graph and not the retrieval.

use crate::index::Index;
use crate::parameters::{Parameter, RESULT_K, Stage, Value};
use crate::retrieve::edits::{SeedChange, SeedEdit, name_of};
use crate::retrieve::{Origin, Retrieval, RetrieveError, Settings};
use serde::{Serialize, Serializer};
use std::fmt;
use std::sync::Arc;

/// Most seeds that are muted and weighed, and most names of the passage that are added.
const SEEDS: usize = 12;
/// Factors that a seed's weight is tried with, and how many moves each counts for.
const FACTORS: [(f64, usize); 4] = [(2.0, 1), (0.5, 1), (4.0, 2), (0.25, 2)];

/// One change of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Another value of a parameter.
    Set(Parameter, Value),
    /// A change of a seed.
    Seed(SeedEdit),
}

impl Change {
    /// These settings with the change.
    pub fn applied(&self, settings: &Settings) -> Settings {
        let mut settings = settings.clone();
        match self {
            Change::Set(parameter, value) => settings.set(*parameter, *value, Origin::User),
            Change::Seed(edit) => settings.edit_seed(edit.clone()),
        }
        settings
    }
}

/// As after `--set` or `--seed`.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Set(parameter, value) => f.write_str(&parameter.assignment(*value)),
            Change::Seed(edit) => edit.fmt(f),
        }
    }
}

impl Serialize for Change {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Change::Set(..) => to.collect_map([("set", self.to_string())]),
            Change::Seed(_) => to.collect_map([("seed", self.to_string())]),
        }
    }
}

/// A change that was tried and brings the passage into top K.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Repair {
    /// What is changed.
    pub change: Change,
    /// Moves of the slider, another choice or a seed being one.
    pub moves: usize,
    /// Where the passage then stands, from 1.
    pub rank: usize,
}

/// What a search came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Repairs {
    /// The least change of each parameter and each seed that helps, those of fewest moves first.
    pub found: Vec<Repair>,
    /// Changes that were tried.
    pub tried: usize,
    /// Changes there are.
    pub of: usize,
}

impl Repairs {
    /// What the search came to, in one sentence; what was found follows it.
    pub fn sentence(&self) -> String {
        let Repairs { found, tried, of } = self;
        match found.is_empty() {
            true => format!("no single change brings it in: {tried} of {of} tried"),
            false => format!("single changes that bring it in, {tried} of {of} tried:"),
        }
    }
}

/// Looks for what brings a passage in. `tell` hears of the search after every try, and stops it by returning false.
///
/// # Errors
/// As [`Retrieval::again`].
pub fn repairs(
    index: &Arc<Index>,
    run: &Retrieval,
    passage: u32,
    mut tell: impl FnMut(&Repairs) -> bool,
) -> Result<Repairs, RetrieveError> {
    let changes = changes(index, run, passage);
    let mut repairs = Repairs {
        of: changes.len(),
        ..Repairs::default()
    };
    let k = run.settings.get(RESULT_K);
    for (moves, change) in changes {
        // Of one parameter or seed the least change is enough.
        let known = |repair: &Repair| same(&repair.change, &change);
        if !repairs.found.iter().any(known) {
            let again = run.again(index, &change.applied(&run.settings))?;
            let rank = again.rank(passage).filter(|rank| *rank <= k);
            repairs.found.extend(rank.map(|rank| Repair {
                change,
                moves,
                rank,
            }));
        }
        repairs.tried += 1;
        if !tell(&repairs) {
            break;
        }
    }
    Ok(repairs)
}

/// Whether two changes are of one parameter or one seed.
fn same(a: &Change, b: &Change) -> bool {
    match (a, b) {
        (Change::Set(a, _), Change::Set(b, _)) => a == b,
        (Change::Seed(a), Change::Seed(b)) => a.node == b.node,
        _ => false,
    }
}

/// Every single change, with how many moves it is, the least first.
fn changes(index: &Index, run: &Retrieval, passage: u32) -> Vec<(usize, Change)> {
    let mut changes = Vec::new();
    for parameter in run.settings.method().uses() {
        let stage = parameter.declaration().stage;
        if parameter != RESULT_K.id() && stage != Stage::Index {
            let values = values(parameter, run.settings.value(parameter)).into_iter();
            changes.extend(values.map(|(moves, value)| (moves, Change::Set(parameter, value))));
        }
    }
    changes.extend(seeds(index, run, passage));
    // Stable: of as many moves, parameters come first, in the order of the pipeline: they help other questions too.
    changes.sort_by_key(|(moves, _)| *moves);
    changes
}

/// All other values of a parameter's grid, and how many moves of the slider they are away. Another choice is one move.
fn values(parameter: Parameter, now: Value) -> Vec<(usize, Value)> {
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
fn seeds(index: &Index, run: &Retrieval, passage: u32) -> Vec<(usize, Change)> {
    let Some(walked) = run
        .walk()
        .filter(|_| run.settings.method().ignores_edits().is_none())
    else {
        return Vec::new();
    };
    let graph = walked.graph;
    let edited = run.settings.seed_edits();
    let free = |name: &String| edited.iter().all(|edit| edit.node != *name);
    let edit = |moves, node: &str, change| {
        let node = node.to_owned();
        (moves, Change::Seed(SeedEdit { node, change }))
    };
    let mut changes = Vec::new();
    let names = walked.seeds().iter().take(SEEDS);
    for name in names
        .map(|seed| name_of(index, graph, seed.node))
        .filter(free)
    {
        changes.push(edit(1, &name, SeedChange::Mute));
        let weighed = FACTORS.map(|(factor, moves)| edit(moves, &name, SeedChange::Weight(factor)));
        changes.extend(weighed);
    }
    // Names that lead to the passage; itself as a seed would say nothing.
    let own = graph.nodes_of(passage);
    let beside = own.iter().flat_map(|&node| graph.neighbours(node));
    let is_seed = |node: u32| walked.seeds().iter().any(|seed| seed.node == node);
    let fresh = beside.map(|(node, _)| node);
    let fresh = fresh.filter(|&node| !graph.is_passage(node) && !is_seed(node));
    let names = fresh.take(SEEDS).map(|node| name_of(index, graph, node));
    changes.extend(
        names
            .filter(free)
            .map(|name| edit(1, &name, SeedChange::Add(1.0))),
    );
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::sample;
    use crate::parameters::Domain;
    use crate::retrieve::{Keep, Method, Retriever};

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
        assert!(
            found
                .found
                .windows(2)
                .all(|two| two[0].moves <= two[1].moves)
        );
        for repair in &found.found {
            assert!(!matches!(repair.change, Change::Set(Parameter::ResultK, _)));
            // As a person types it.
            let mut settings = run.settings.clone();
            match &repair.change {
                Change::Set(..) => settings.set_text(&repair.change.to_string()).unwrap(),
                Change::Seed(edit) => settings.edit_seed(edit.to_string().parse().unwrap()),
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
    fn a_search_that_is_stopped_says_how_far_it_came() {
        let (index, run, passage) = lost("hop", &[], "q20", "violin-5");
        let found = repairs(&index, &run, passage, |so_far| so_far.tried < 5).unwrap();
        assert!(found.tried == 5 && found.of > 50, "{found:?}");
    }
}
