//! Runs plans, and remembers what their steps made.

#![warn(missing_docs)]

use super::RetrieveError;
use super::elsewhere::There;
use super::operator::{Context, Desk, Encoded};
use super::plan::Step;
use super::retrieval::{Record, Retrieval, Spread};
use super::scratch::Scratch;
use super::set::Set;
use super::settings::Settings;
use crate::index::source::ROUNDS;
use crate::index::{Index, IndexError};
use crate::layers::{Graph, GraphEdit, GraphEdited, GraphKind, GraphView, Opening};
use crate::parameters::{Parameter, Scoped, Value};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use std::time::Instant;

/// How much of its walks a retrieval keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The end: all that evaluation needs.
    Scores,
    /// The mass of every node after every step as well.
    States,
}

/// What a step's result depends on: its operator, what it read, what it took in, the graph, the question, and the
/// changes of seeds where it applies them.
#[derive(Clone, Debug, PartialEq)]
struct Key {
    operator: Arc<str>,
    values: Vec<Value>,
    inputs: Vec<u64>,
    graph: u64,
    question: String,
    edits: String,
}

/// Results remembered of one operator. Two methods that take turns keep theirs.
const REMEMBERED: usize = 4;
/// Walks hold the mass of every node. Of two that run beside each other one more is kept.
const REMEMBERED_WALKS: usize = 2;
/// Walks of all operators: a person who tries one method after the other would fill the memory with them.
const ALL_WALKS: usize = 4;
/// What they may hold together before another one, in bytes a node: of four walks the mass and eight states. One of fifty
/// states is as large as that.
const WALKED: usize = 4 * (8 + 8 * 4);
/// Graphs remembered: a composition of one method's graph beside it.
const REMEMBERED_GRAPHS: usize = 3;

/// What a graph depends on.
#[derive(Clone, Debug, PartialEq)]
struct GraphKey {
    name: &'static str,
    /// What it and a layer built for it read.
    values: Vec<Value>,
    /// Which of them a person or the plan decided: a layer that was built before is as it was, but for those.
    chosen: Vec<Parameter>,
    /// A person's changes, where it takes them.
    edits: Vec<GraphEdit>,
}

/// Runs retrievals over one index and caches the result of every step, so that changing a parameter re-runs only the steps
/// that depend on it. Retrievers on the same index share its graphs.
pub struct Retriever {
    index: Arc<Index>,
    /// Oldest first.
    graphs: Vec<(GraphKey, Arc<Graph>)>,
    /// Those of the last index that have the arcs of this one, or on which walks are the same, until this one's are opened.
    before: Vec<(GraphKey, Arc<Graph>)>,
    sets: Vec<(Key, Arc<Set>)>,
    /// The question's vector: an encoder is asked once.
    vector: Option<(String, Arc<Vec<f32>>)>,
    /// Of as many steps as run beside each other.
    scratch: [Scratch; 2],
    /// Of an index that lies elsewhere, where that is to be asked.
    there: Option<There>,
}

impl Retriever {
    /// One that remembers nothing yet. Of an index that lies elsewhere it fetches what a question needs.
    pub fn new(index: Arc<Index>) -> Retriever {
        Retriever {
            there: There::of(&index),
            ..Retriever::here(index)
        }
    }

    /// One that reads the index as it is.
    pub(super) fn here(index: Arc<Index>) -> Retriever {
        Retriever {
            index,
            graphs: Vec::new(),
            before: Vec::new(),
            sets: Vec::new(),
            vector: None,
            scratch: Default::default(),
            there: None,
        }
    }

    /// A retriever that remembers what a retrieval made.
    pub(super) fn after(index: Arc<Index>, run: &Retrieval) -> Retriever {
        match There::after(&index, run) {
            None => Retriever::after_here(index, run),
            there => Retriever {
                there,
                ..Retriever::here(index)
            },
        }
    }

    pub(super) fn after_here(index: Arc<Index>, run: &Retrieval) -> Retriever {
        let mut own = Retriever::here(index);
        let vector = run.encoded.known().cloned();
        own.vector = vector.map(|vector| (run.question.clone(), vector));
        for (at, record) in run.records.iter().enumerate() {
            if let Some(graph) = &record.graph {
                let reads = graph_reads(graph.kind);
                let values = run.settings.scoped(&reads).with(&record.step.fixed);
                let key = graph_key(graph.kind, values, &run.settings);
                own.graphs.push((key, graph.clone()));
            }
            let inputs: Vec<Arc<Set>> = inputs(&record.step, &run.records);
            let context = run.context(&own.index, at);
            let key = key(&context, &record.step, &inputs, record.graph.as_ref());
            own.sets.push((key, record.output.clone()));
        }
        own
    }

    /// Goes on over another index of as many nodes, in the same memory: with the `walks` of the last one and what led to
    /// them, or without.
    pub(super) fn turn(&mut self, index: Arc<Index>, walks: bool) {
        self.index = index;
        self.before.append(&mut self.graphs);
        let own = self.index.entity_graph(self.index.options());
        self.before.retain(|(_, graph)| {
            let both = graph.entities().zip(own.as_ref().ok());
            walks || both.is_some_and(|(view, own)| view.built.has_arcs_of(own))
        });
        let oldest = self.before.len().saturating_sub(REMEMBERED_GRAPHS);
        self.before.drain(..oldest);
        self.vector = self.vector.take().filter(|_| walks);
        let mut kept: FxHashSet<u64> = FxHashSet::default();
        // What a step takes in was made before it.
        for (key, set) in self.sets.iter().rev().filter(|_| walks) {
            if kept.contains(&set.id) || set.get::<Spread>().is_some() {
                kept.insert(set.id);
                kept.extend(&key.inputs);
            }
        }
        let sets = std::mem::take(&mut self.sets).into_iter();
        let (kept, gone): (Vec<_>, Vec<_>) = sets.partition(|(_, set)| kept.contains(&set.id));
        self.sets = kept;
        for (_, set) in gone {
            self.scratch[0].recycle(set);
        }
    }

    /// The index that was asked last: of one that lies elsewhere, with what was fetched for that.
    pub fn index(&self) -> &Arc<Index> {
        let last = self.there.as_ref().and_then(There::last);
        last.map_or(&self.index, |last| &last.index)
    }

    /// Retrieves, and makes something of it: of an index that lies elsewhere again, until all that is read for that came.
    ///
    /// # Errors
    /// As [`retrieve`](Self::retrieve).
    pub fn read<T>(
        &mut self,
        question: &str,
        settings: &Settings,
        keep: Keep,
        mut make: impl FnMut(&Arc<Index>, &Retrieval) -> T,
    ) -> Result<T, RetrieveError> {
        self.rounds(|own| {
            let run = own.retrieve(question, settings, keep)?;
            Ok(make(&own.index().clone(), &run))
        })
    }

    /// Makes something of retrievals for one question: of an index that lies elsewhere again, until all that is read for that
    /// came.
    ///
    /// # Errors
    /// What `make` says, and whoever has the rows.
    pub fn rounds<T, E: From<RetrieveError>>(
        &mut self,
        mut make: impl FnMut(&mut Retriever) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut rounds = 0;
        loop {
            rounds += 1;
            let made = make(self)?;
            if rounds == ROUNDS || !self.complete()? {
                return Ok(made);
            }
        }
    }

    /// As [`rounds`](Self::rounds), of what may take `long`: `make` hears whether to take that long. Of an index that lies
    /// elsewhere it does not, until all came that is read without it.
    ///
    /// # Errors
    /// As [`rounds`](Self::rounds).
    pub fn long_rounds<T, E: From<RetrieveError>>(
        &mut self,
        long: bool,
        mut make: impl FnMut(&mut Retriever, bool) -> Result<T, E>,
    ) -> Result<T, E> {
        if long && self.there.is_some() {
            self.rounds(|own| make(own, false))?;
        }
        self.rounds(|own| make(own, long))
    }

    /// Of an index that lies elsewhere, fetches what was read since the last question and had not come. False where nothing
    /// was; else the question is to be asked again.
    ///
    /// # Errors
    /// What whoever has the rows says.
    pub fn complete(&mut self) -> Result<bool, RetrieveError> {
        self.there.as_mut().map_or(Ok(false), There::complete)
    }

    /// Retrieves passages for a question. Pure in its inputs: same index, question and settings, same bits, whatever was
    /// asked before and on any number of threads.
    ///
    /// # Errors
    /// A missing layer, missing vectors, what an encoder or the index says.
    pub fn retrieve(
        &mut self,
        question: &str,
        settings: &Settings,
        keep: Keep,
    ) -> Result<Retrieval, RetrieveError> {
        if let Some(there) = &mut self.there {
            return there.retrieve(question, settings, keep);
        }
        let run = self.run(question, settings, keep);
        run.map_err(|error| match (error, self.index.closed()) {
            (RetrieveError::NoVectors { method }, Some(closed)) => RetrieveError::Closed {
                method,
                closed: closed.clone(),
            },
            (error, _) => error,
        })
    }

    fn run(
        &mut self,
        question: &str,
        settings: &Settings,
        keep: Keep,
    ) -> Result<Retrieval, RetrieveError> {
        let method = settings.method().clone();
        let vector = self.vector.take().filter(|(known, _)| known == question);
        let mut run = Retrieval {
            question: question.to_owned(),
            settings: settings.clone(),
            records: Vec::new(),
            passages: Vec::new(),
            encoded: Encoded::of(vector.map(|(_, vector)| vector)),
        };
        let index = self.index.clone();
        let mut steps = method.plan().steps.iter().peekable();
        while let Some(step) = steps.next() {
            let at = run.records.len();
            let beside = steps.next_if(|next| two_walks(step, next, at));
            let records = self.steps(&index, (step, beside), &run, keep)?;
            run.records.extend(records);
        }
        // What a fallback alone leads to is no answer of a method that asked for a vector and got none.
        if !(run.unread() && run.fallback()) {
            let last = run.records.last();
            run.passages = last.map_or_else(Vec::new, |last| last.output.hits().to_vec());
        }
        let vector = run.encoded.known().cloned();
        self.vector = vector.map(|vector| (question.to_owned(), vector));
        Ok(run)
    }

    /// Runs one step, or two beside each other, where they are not remembered.
    fn steps(
        &mut self,
        index: &Arc<Index>,
        (first, second): (&Arc<Step>, Option<&Arc<Step>>),
        run: &Retrieval,
        keep: Keep,
    ) -> Result<Vec<Record>, RetrieveError> {
        let first = self.begin(index, first, 0, run, keep)?;
        let second = second.map(|step| self.begin(index, step, 1, run, keep));
        let second = second.transpose()?;
        let states = keep == Keep::States;
        let done = |begun: Begun, scratch: &mut Scratch| {
            let start = Instant::now();
            let reused = begun.known.is_some();
            let output = match begun.known {
                Some(set) => set,
                None => {
                    let context = run.context_of(index, &begun.step, begun.graph.as_ref());
                    let mut desk = Desk { scratch, states };
                    let made = begun.step.operator.run(&context, &begun.inputs, &mut desk);
                    Arc::new(made?)
                }
            };
            let record = Record {
                step: begun.step,
                graph: begun.graph,
                output,
                seconds: begun.seconds + start.elapsed().as_secs_f64(),
                reused,
            };
            Ok::<_, RetrieveError>((begun.key, record))
        };
        let [scratch, beside] = &mut self.scratch;
        let made = match second {
            None => vec![done(first, scratch)],
            Some(second) => {
                let both = rayon::join(|| done(first, scratch), || done(second, beside));
                vec![both.0, both.1]
            }
        };
        let mut records = Vec::new();
        for made in made {
            let (key, record) = made?;
            if !record.reused {
                self.sets.push((key, record.output.clone()));
            }
            records.push(record);
        }
        Ok(records)
    }

    /// Finds what a step, the first or second of those that run now, works on, and what it is remembered to have made of it.
    fn begin(
        &mut self,
        index: &Arc<Index>,
        step: &Arc<Step>,
        at: usize,
        run: &Retrieval,
        keep: Keep,
    ) -> Result<Begun, RetrieveError> {
        let start = Instant::now();
        let settings = &run.settings;
        // A layer that cannot be built for want of vectors: it is the method that lacks them.
        let lacks = |error| match error {
            RetrieveError::Layer(IndexError::NoVectors { .. } | IndexError::Closed { .. }) => {
                RetrieveError::NoVectors {
                    method: settings.method().name.clone(),
                }
            }
            error => error,
        };
        let graph = match step.graph {
            Some(kind) => Some(self.graph(kind, settings, &step.fixed).map_err(lacks)?),
            None => None,
        };
        let inputs = inputs(step, &run.records);
        let context = run.context_of(index, step, graph.as_ref());
        let key = key(&context, step, &inputs, graph.as_ref());
        let states = keep == Keep::States;
        let whole = |set: &Set| {
            let spread = set.get::<Spread>().filter(|_| states);
            spread.is_none_or(|spread| !spread.states.is_empty())
        };
        let known = self.sets.iter().find(|(known, _)| *known == key);
        let known = known.map(|(_, set)| set.clone()).filter(|set| whole(set));
        if known.is_none() {
            self.forget(&key, at, step.operator.declaration().walks);
        }
        Ok(Begun {
            step: step.clone(),
            graph,
            inputs,
            key,
            known,
            seconds: start.elapsed().as_secs_f64(),
        })
    }

    /// Makes room for a new result of an operator that `walks` or not, and gives the memory of an old one to the step
    /// that runs as such.
    fn forget(&mut self, key: &Key, at: usize, walks: bool) {
        self.sets.retain(|(known, _)| known != key);
        let own = |(known, _): &(Key, Arc<Set>)| known.operator == key.operator;
        let walk = |(_, set): &(Key, Arc<Set>)| set.get::<Spread>().is_some();
        let most = if walks { REMEMBERED_WALKS } else { REMEMBERED };
        loop {
            let spreads = self.sets.iter().filter_map(|(_, set)| set.get::<Spread>());
            let all = spreads.clone().count();
            let bytes: usize = spreads.clone().map(Spread::bytes).sum();
            let nodes = spreads.map(|spread| spread.mass.len()).max().unwrap_or(0);
            let many = walks && (all >= ALL_WALKS || bytes > nodes * WALKED);
            let oldest = match self.sets.iter().filter(|known| own(known)).count() >= most {
                true => self.sets.iter().position(own),
                false if many => self.sets.iter().position(walk),
                false => None,
            };
            let Some(oldest) = oldest else { break };
            let (_, set) = self.sets.remove(oldest);
            self.scratch[at].recycle(set);
        }
    }

    /// The graph of these settings, as a retrieval would use it.
    ///
    /// # Errors
    /// A missing layer, missing vectors.
    pub fn graph(
        &mut self,
        kind: &'static GraphKind,
        settings: &Settings,
        fixed: &[(Parameter, Value)],
    ) -> Result<Arc<Graph>, RetrieveError> {
        if let Some(last) = self.there.as_mut().and_then(There::last_mut) {
            return last.graph(kind, settings, fixed);
        }
        let reads = graph_reads(kind);
        let values = settings.scoped(&reads).with(fixed);
        let key = graph_key(kind, values, settings);
        if let Some((_, known)) = self.graphs.iter().find(|(known, _)| *known == key) {
            return Ok(known.clone());
        }
        let graph = match self.index.opened.find(&key) {
            Some(graph) => graph,
            None => {
                let own = self.before.iter().position(|(known, _)| *known == key);
                let own = own.map(|at| self.before.swap_remove(at));
                let mut others = self.before.iter().chain(&self.graphs).rev();
                let others = || others.find(|(known, _)| known.name == kind.name);
                let before = own.as_ref().or_else(others);
                let opening = Opening {
                    edits: &key.edits,
                    before: before.map(|(_, graph)| &**graph),
                };
                let graph = Arc::new((kind.open)(&self.index, values, &opening)?);
                self.index.opened.tell(key.clone(), &graph);
                graph
            }
        };
        if self.graphs.len() >= REMEMBERED_GRAPHS {
            // One of the same kind first: a slider of a graph should not drive another graph out.
            let same = self
                .graphs
                .iter()
                .position(|(known, _)| known.name == kind.name);
            self.graphs.remove(same.unwrap_or(0));
        }
        self.graphs.push((key, graph.clone()));
        Ok(graph)
    }

    /// What became of these settings' changes of the graph, as a retrieval would tell it: for work that keeps no
    /// retrieval, as an evaluation.
    ///
    /// # Errors
    /// As [`graph`](Self::graph).
    pub fn graph_edits(&mut self, settings: &Settings) -> Result<Vec<GraphEdited>, RetrieveError> {
        let mut graphs = Vec::new();
        if !settings.graph_edits().is_empty() {
            for step in &settings.method().plan().steps {
                if let Some(kind) = step.graph.filter(|kind| kind.takes_edits()) {
                    graphs.push(self.graph(kind, settings, &step.fixed)?);
                }
            }
        }
        Ok(edited(settings, graphs.iter().map(|graph| &**graph)))
    }
}

/// What became of a person's changes of the graph, over all graphs of a run: one that changes any of them is no idle one.
pub(super) fn edited<'a>(
    settings: &Settings,
    graphs: impl Iterator<Item = &'a Graph>,
) -> Vec<GraphEdited> {
    let told: Vec<&GraphView> = graphs.filter_map(Graph::entities).collect();
    let edits = settings.graph_edits().iter().enumerate();
    let one = |(at, edit): (usize, &GraphEdit)| {
        let idle = |view: &&GraphView| view.edited.get(at).map(|edited| edited.idle.clone());
        let mut idle = told.iter().filter_map(idle);
        let first = idle.next().unwrap_or_else(|| {
            let why = settings.method().ignores_graph_edits();
            Some(why.unwrap_or_default())
        });
        GraphEdited {
            edit: edit.clone(),
            idle: first.filter(|_| idle.all(|idle| idle.is_some())),
        }
    };
    edits.map(one).collect()
}

/// What a graph depends on: what it reads, and what a layer that is missing is built with.
fn graph_reads(kind: &GraphKind) -> Vec<Parameter> {
    [kind.reads, kind.builds].concat()
}

fn graph_key(kind: &'static GraphKind, values: Scoped<'_>, settings: &Settings) -> GraphKey {
    let set = |p: &&Parameter| kind.layer.is_some() && values.chosen(**p);
    GraphKey {
        name: kind.name,
        values: values.key(),
        chosen: kind.reads.iter().filter(set).copied().collect(),
        edits: match kind.takes_edits() {
            true => settings.graph_edits().to_vec(),
            false => Vec::new(),
        },
    }
}

/// A step that is about to run.
struct Begun {
    step: Arc<Step>,
    graph: Option<Arc<Graph>>,
    inputs: Vec<Arc<Set>>,
    key: Key,
    known: Option<Arc<Set>>,
    seconds: f64,
}

/// Whether a step, at this place, and the next one are walks of which the next does not take in the first: nothing else
/// takes as long.
fn two_walks(step: &Step, next: &Step, at: usize) -> bool {
    let walks = |step: &Step| step.operator.declaration().walks;
    walks(step) && walks(next) && !next.inputs.contains(&at)
}

fn inputs(step: &Step, records: &[Record]) -> Vec<Arc<Set>> {
    let inputs = step.inputs.iter();
    inputs.map(|&at| records[at].output.clone()).collect()
}

fn key(context: &Context<'_>, step: &Step, inputs: &[Arc<Set>], graph: Option<&Arc<Graph>>) -> Key {
    let edits = match step.operator.declaration().edits_seeds {
        true => format!("{:?}", context.edits),
        false => String::new(),
    };
    Key {
        operator: step.label.clone(),
        values: context.values.key(),
        inputs: inputs.iter().map(|set| set.id).collect(),
        graph: graph.map_or(0, |graph| graph.id),
        question: context.question.to_owned(),
        edits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::sample;
    use crate::retrieve::Method;

    /// At a million passages a walk that keeps its states takes some hundred megabytes.
    #[test]
    fn few_walks_are_remembered_however_many_methods_are_tried() {
        let index = Arc::new(sample::index().unwrap());
        let mut retriever = Retriever::new(index.clone());
        let spreads = ["power", "push", "shallow", "lazy"];
        let composed =
            spreads.map(|spread| format!("names+rrf > entity-passage > {spread} > passages"));
        let methods = ["hop", "graph-rrf", "rrf-ppr", "linearrag"].map(str::to_owned);
        let mut walked = std::collections::BTreeSet::new();
        for method in methods.iter().chain(&composed) {
            let settings = Settings::of(&index, Method::by_name(method).unwrap());
            for question in ["Who discovered Titan?", "Who named Enceladus?"] {
                let found = retriever.retrieve(question, &settings, Keep::States);
                assert!(found.is_ok(), "{method}");
                let walks =
                    (retriever.sets.iter()).filter(|(_, set)| set.get::<Spread>().is_some());
                assert!(walks.clone().count() <= ALL_WALKS);
                walked.extend(walks.map(|(key, _)| key.operator.clone()));
            }
        }
        assert!(walked.len() * REMEMBERED_WALKS > ALL_WALKS, "{walked:?}");
    }

    #[test]
    fn walks_of_many_states_are_remembered_as_far_as_those_of_few() {
        let index = Arc::new(sample::index().unwrap());
        let mut retriever = Retriever::new(index.clone());
        for method in ["graph-rrf", "rrf-ppr", "linearrag"] {
            let mut settings = Settings::of(&index, Method::by_name(method).unwrap());
            for steps in [50, 49] {
                settings.set_text(&format!("steps={steps}")).unwrap();
                let found = retriever.retrieve("Who discovered Titan?", &settings, Keep::States);
                assert!(found.is_ok(), "{method}");
                let walks: Vec<&Spread> = (retriever.sets.iter())
                    .filter_map(|(_, set)| set.get())
                    .collect();
                // The last one, and what was left before it.
                let (last, before) = walks.split_last().unwrap();
                let most = walks.iter().map(|walk| walk.mass.len()).max();
                let held: usize = before.iter().map(|walk| walk.bytes()).sum();
                assert_eq!(last.states.len(), steps + 1);
                assert!(held <= most.unwrap() * WALKED, "{held}");
            }
        }
    }
}
