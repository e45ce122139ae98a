//! Plans: which operators run, on which graph, in which order.

#![warn(missing_docs)]

use super::operator::{Operator, Part};
use crate::layers::GraphKind;
use crate::parameters::{Parameter, Scoped, Value};
use std::sync::Arc;

/// One step of a plan.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it does.
    pub operator: &'static dyn Operator,
    /// The operator in words: what its results are remembered under.
    pub label: Arc<str>,
    /// Earlier steps, by their places.
    pub inputs: Vec<usize>,
    /// What it works on; none for rankings of passages.
    pub graph: Option<&'static GraphKind>,
    /// Values it has whatever the settings say.
    pub fixed: Vec<(Parameter, Value)>,
    /// What the operator reads, and what its graph does.
    pub reads: Vec<Parameter>,
}

/// Operators in the order they run; the last one's set is the result.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// In the order they run.
    pub steps: Vec<Arc<Step>>,
}

impl Plan {
    /// Adds a step and gives its place.
    pub fn step(&mut self, operator: &'static dyn Operator, inputs: &[usize]) -> usize {
        self.push(operator, inputs, None)
    }

    /// Adds a step on a graph and gives its place.
    pub fn on(
        &mut self,
        graph: &'static GraphKind,
        operator: &'static dyn Operator,
        inputs: &[usize],
    ) -> usize {
        self.push(operator, inputs, Some(graph))
    }

    fn push(
        &mut self,
        operator: &'static dyn Operator,
        inputs: &[usize],
        graph: Option<&'static GraphKind>,
    ) -> usize {
        let mut reads = graph.map_or_else(Vec::new, |graph| graph.reads.to_vec());
        reads.extend(operator.declaration().reads);
        reads.sort_unstable();
        reads.dedup();
        self.steps.push(Arc::new(Step {
            operator,
            label: format!("{operator:?}").into(),
            inputs: inputs.to_vec(),
            graph,
            fixed: Vec::new(),
            reads,
        }));
        self.steps.len() - 1
    }

    /// Fixes values of the last step.
    pub fn fix(&mut self, fixed: &[(Parameter, Value)]) {
        if let Some(step) = self.steps.last_mut() {
            Arc::make_mut(step).fixed.extend_from_slice(fixed);
        }
    }

    /// Adds to what the results of the last step are remembered under, where the operator does not say it all.
    pub fn label(&mut self, also: &str) {
        if let Some(step) = self.steps.last_mut() {
            let step = Arc::make_mut(step);
            step.label = format!("{} {also}", step.label).into();
        }
    }

    /// The parameters that can change the result, in the order they are declared, which is that of the pipeline.
    pub fn uses(&self) -> Vec<Parameter> {
        let free = |step: &Step| {
            let fixed: Vec<Parameter> = step.fixed.iter().map(|(p, _)| *p).collect();
            let reads = step.reads.iter().copied();
            reads
                .filter(move |p| !fixed.contains(p))
                .collect::<Vec<_>>()
        };
        let mut uses: Vec<Parameter> = self.steps.iter().flat_map(|step| free(step)).collect();
        uses.push(Parameter::ResultK);
        uses.sort_unstable();
        uses.dedup();
        uses
    }

    /// Whether a step that does not read the other parameter, or a graph, reads a parameter.
    pub fn reads_beside(&self, parameter: Parameter, other: Parameter) -> bool {
        let steps = self
            .steps
            .iter()
            .map(|step| step.operator.declaration().reads);
        let mut beside = steps.filter(|reads| !reads.contains(&other));
        let graphs = self.graphs();
        beside.any(|reads| reads.contains(&parameter))
            || graphs.iter().any(|graph| graph.reads.contains(&parameter))
    }

    /// The graphs it works on, each once, in the order of its steps.
    pub fn graphs(&self) -> Vec<&'static GraphKind> {
        let mut graphs: Vec<&'static GraphKind> = Vec::new();
        for graph in self.steps.iter().filter_map(|step| step.graph) {
            if !graphs.contains(&graph) {
                graphs.push(graph);
            }
        }
        graphs
    }

    /// The steps of one part of the sentence.
    pub fn part(&self, part: Part) -> impl Iterator<Item = &Step> {
        let steps = self.steps.iter().map(|step| &**step);
        steps.filter(move |step| step.operator.declaration().part == part)
    }

    /// Whether mass moves over edges.
    pub fn spreads(&self) -> bool {
        self.part(Part::Spread).next().is_some()
    }

    /// Whether it cannot run in an index without vectors.
    pub fn needs_vectors(&self) -> bool {
        let graph = |step: &Step| step.graph.is_some_and(|graph| graph.reads_vectors);
        let needs = |step: &Step| step.operator.declaration().needs_vectors || graph(step);
        self.steps.iter().any(|step| needs(step))
    }

    /// Whether a language model is asked of every question under these values, where one is named.
    pub fn asks_model(&self, values: Scoped<'_>) -> bool {
        let graph = |step: &Step| step.graph.is_some_and(|graph| graph.asks_model);
        let asks = |step: &Step| step.operator.asks_model(values) || graph(step);
        self.steps.iter().any(|step| asks(step))
    }

    /// Whether a step opens hop's layer.
    pub fn opens_sentences(&self) -> bool {
        let steps = self.steps.iter();
        steps
            .map(|step| step.operator.declaration())
            .any(|own| own.opens_sentences)
    }

    /// The layer of an index it reads.
    pub fn layer(&self) -> Option<&'static str> {
        self.steps.iter().find_map(|step| step.graph?.layer)
    }
}
