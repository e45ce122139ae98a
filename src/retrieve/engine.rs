//! Runs plans, and remembers what their steps made.

#![warn(missing_docs)]

use super::RetrieveError;
use super::methods::{Method, MethodRef};
use super::operator::{Context, Desk, Encoded};
use super::plan::{Plan, Step};
use super::retrieval::{Record, Retrieval, Spread};
use super::scratch::Scratch;
use super::set::Set;
use super::settings::Settings;
use crate::index::{Index, IndexError};
use crate::layers::{Graph, GraphEdit, GraphEdited, GraphKind, GraphView, Opening};
use crate::parameters::{Parameter, Scoped, Value};
use std::sync::Arc;
use std::time::Instant;

/// What a retrieval keeps of its walks.
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
/// Walks hold the mass of every node.
const REMEMBERED_WALKS: usize = 2;
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

/// Answers questions over one index, and remembers steps between them: one slider, and only what depends on it runs.
pub struct Retriever {
    index: Arc<Index>,
    /// Oldest first.
    graphs: Vec<(GraphKey, Arc<Graph>)>,
    sets: Vec<(Key, Arc<Set>)>,
    /// The question's vector: an encoder is asked once.
    vector: Option<(String, Arc<Vec<f32>>)>,
    scratch: Scratch,
    plan: Option<(MethodRef, Arc<Plan>)>,
}

impl Retriever {
    /// One that remembers nothing yet.
    pub fn new(index: Arc<Index>) -> Retriever {
        Retriever {
            index,
            graphs: Vec::new(),
            sets: Vec::new(),
            vector: None,
            scratch: Scratch::default(),
            plan: None,
        }
    }

    /// A retriever for another thread that shares the graphs opened so far.
    pub fn sibling(&self) -> Retriever {
        Retriever {
            graphs: self.graphs.clone(),
            ..Retriever::new(self.index.clone())
        }
    }

    /// A retriever that remembers what a retrieval made.
    pub(super) fn after(index: Arc<Index>, run: &Retrieval) -> Retriever {
        let mut own = Retriever::new(index);
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

    /// The index that is asked.
    pub fn index(&self) -> &Arc<Index> {
        &self.index
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
        for step in &self.plan(&method).steps {
            let record = self.step(&index, step, &run, &method, keep)?;
            run.records.push(record);
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

    /// The plan of a method, worked out once for as long as it is asked for.
    fn plan(&mut self, method: &MethodRef) -> Arc<Plan> {
        if let Some((known, plan)) = &self.plan
            && known.name == method.name
        {
            return plan.clone();
        }
        let plan = Arc::new(method.plan());
        self.plan = Some((method.clone(), plan.clone()));
        plan
    }

    fn step(
        &mut self,
        index: &Arc<Index>,
        step: &Arc<Step>,
        run: &Retrieval,
        method: &Method,
        keep: Keep,
    ) -> Result<Record, RetrieveError> {
        let start = Instant::now();
        let settings = &run.settings;
        // A layer that cannot be built for want of vectors: it is the method that lacks them.
        let lacks = |error| match error {
            RetrieveError::Layer(IndexError::NoVectors { .. } | IndexError::Closed { .. }) => {
                RetrieveError::NoVectors {
                    method: method.name.clone(),
                }
            }
            error => error,
        };
        let graph = match step.graph {
            Some(kind) => Some(self.graph(kind, settings, &step.fixed).map_err(lacks)?),
            None => None,
        };
        let inputs = inputs(step, &run.records);
        let context = Context::new(
            index,
            &run.question,
            settings.scoped(&step.reads).with(&step.fixed),
            settings.seed_edits(),
            graph.as_ref(),
            &run.encoded,
            method,
        );
        let key = key(&context, step, &inputs, graph.as_ref());
        let states = keep == Keep::States;
        let whole = |set: &Set| {
            let spread = set.get::<Spread>().filter(|_| states);
            spread.is_none_or(|spread| !spread.states.is_empty())
        };
        let known = self.sets.iter().find(|(known, _)| *known == key);
        let known = known.map(|(_, set)| set.clone()).filter(|set| whole(set));
        let reused = known.is_some();
        let output = match known {
            Some(set) => set,
            None => {
                self.forget(&key);
                let mut desk = Desk {
                    scratch: &mut self.scratch,
                    states,
                };
                let set = Arc::new(step.operator.run(&context, &inputs, &mut desk)?);
                self.sets.push((key, set.clone()));
                set
            }
        };
        Ok(Record {
            step: step.clone(),
            graph,
            output,
            seconds: start.elapsed().as_secs_f64(),
            reused,
        })
    }

    /// Makes room for a new result of an operator.
    fn forget(&mut self, key: &Key) {
        self.sets.retain(|(known, _)| known != key);
        let own = |(known, _): &(Key, Arc<Set>)| known.operator == key.operator;
        let walks = |(_, set): &(Key, Arc<Set>)| set.get::<Spread>().is_some();
        let of_operator = self.sets.iter().filter(|known| own(known));
        let (count, most) = match of_operator.clone().any(walks) {
            true => (of_operator.count(), REMEMBERED_WALKS),
            false => (of_operator.count(), REMEMBERED),
        };
        if count >= most
            && let Some(oldest) = self.sets.iter().position(own)
        {
            let (_, set) = self.sets.remove(oldest);
            self.scratch.recycle(set);
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
        let reads = graph_reads(kind);
        let values = settings.scoped(&reads).with(fixed);
        let key = graph_key(kind, values, settings);
        if let Some((_, known)) = self.graphs.iter().find(|(known, _)| *known == key) {
            return Ok(known.clone());
        }
        let before = self
            .graphs
            .iter()
            .rev()
            .find(|(known, _)| known.name == kind.name);
        let before = before.map(|(_, graph)| graph.clone());
        let opening = Opening {
            edits: &key.edits,
            before: before.as_deref(),
        };
        let graph = Arc::new((kind.open)(&self.index, values, &opening)?);
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
            for step in &self.plan(settings.method()).steps {
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
