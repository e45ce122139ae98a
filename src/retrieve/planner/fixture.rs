//! The small graph of the tables' tests as an index and a layer, and an encoder that counts three words.

use super::plan::{Direction, Op, Test};
use super::run::{Made, Rung, Runner};
use super::score::{Fused, Scorer, Weights};
use super::template::Planned;
use crate::corpus::Corpus;
use crate::corpus::typed::passages;
use crate::embed::{EmbedError, Encoder, Identity, Kind, TokenVectors};
pub use crate::exchange::fixture::graph;
use crate::exchange::schema::Graph;
use crate::index::{BuildOptions, Dense, Index, Silent};
use crate::layers::typed::layer::SparkLayer;
use crate::llm::{Llm, Origin};
use crate::parameters::{Scoped, Values};
use crate::retrieve::operators::spark::{Neighbours, Ran, Written};
use crate::retrieve::{Hit, Keep, Method, Retrieval, Retriever, Settings};
use std::sync::Arc;

/// Red, green and blue, counted and scaled to unit length.
struct Colours(Identity);

fn colours() -> Identity {
    Identity {
        name: "colours".into(),
        kind: Kind::File,
        dims: 3,
        fingerprint: "1".into(),
    }
}

impl Colours {
    fn row(text: &str) -> Vec<f32> {
        let count = |colour| text.split_whitespace().filter(|w| *w == colour).count() as f64;
        let counts = ["red", "green", "blue"].map(count);
        let length = counts.iter().map(|c| c * c).sum::<f64>().sqrt().max(1e-12);
        counts.iter().map(|c| (c / length) as f32).collect()
    }
}

impl Encoder for Colours {
    fn identity(&self) -> &Identity {
        &self.0
    }

    fn passages(
        &self,
        passages: &[(&str, &str)],
        progress: &dyn Fn(usize) -> bool,
    ) -> Result<Vec<f32>, EmbedError> {
        if !progress(0) {
            return Err(EmbedError::Cancelled);
        }
        Ok(passages
            .iter()
            .flat_map(|(_, text)| Colours::row(text))
            .collect())
    }

    fn question(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(Colours::row(text))
    }

    fn tokens(&self, _: &[&str]) -> Result<Vec<TokenVectors>, EmbedError> {
        Ok(Vec::new())
    }
}

/// The objects as an index, and one more passage that is no object.
pub fn index(graph: &Graph) -> Index {
    let mut passages = passages(graph);
    passages.push(crate::corpus::Passage {
        id: "stray".into(),
        title: "Stray".into(),
        text: "red red".into(),
    });
    let corpus = Corpus {
        name: "small".into(),
        passages,
        questions: Vec::new(),
    };
    let options = BuildOptions {
        encoder: "none".into(),
        ..BuildOptions::default()
    };
    let index = Index::build(corpus, &options, &Silent).unwrap();
    let encoder = Colours(colours());
    let texts: Vec<(&str, &str)> = (0..index.len() as u32)
        .map(|p| (index.title(p), index.text(p)))
        .collect();
    let rows = encoder.passages(&texts, &|_| true).unwrap();
    index.with_dense(Dense::with("colours", Box::new(encoder), rows).unwrap())
}

/// The graph, indexed, and what is set.
pub struct Small {
    pub index: Arc<Index>,
    pub layer: Arc<SparkLayer>,
    pub set: Vec<&'static str>,
}

/// A question that was asked, and what its steps knew.
pub struct Run {
    pub retrieval: Retrieval,
    pub planned: Planned,
    pub origin: Origin,
    pub failure: Option<String>,
    pub ops: Vec<Op>,
    pub sets: Vec<Made>,
    pub rung: Rung,
    /// Passages with their scores.
    pub answers: Vec<(u32, Fused)>,
    /// Passages of the neighbours, best first; none where nothing was expanded.
    pub neighbours: Option<Vec<u32>>,
    pub passages: Vec<Hit>,
}

/// Asks an index that has the layer.
pub fn asked(index: &Arc<Index>, question: &str, set: &[&str]) -> Run {
    let mut settings = Settings::of(index, Method::by_name("spark").unwrap());
    for change in set {
        match change.strip_prefix("seed ") {
            Some(edit) => settings.edit_seed(edit.parse().unwrap()),
            None => settings.set_text(change).unwrap(),
        }
    }
    let mut retriever = Retriever::new(index.clone());
    let retrieval = retriever.retrieve(question, &settings, Keep::Scores);
    let retrieval = retrieval.unwrap();
    let set = |step: usize| &retrieval.records[step].output;
    let written: Written = set(0).get::<Written>().unwrap().clone();
    let ran: Ran = set(1).get::<Ran>().unwrap().clone();
    let layer = index.layer::<SparkLayer>().unwrap();
    let near = set(2).get::<Neighbours>();
    let near = near.map(|near| near.0.iter().map(|near| layer.passage(near.0)).collect());
    Run {
        planned: written.planned,
        origin: written.origin,
        failure: written.failure,
        ops: ran.ops,
        sets: ran.sets,
        rung: ran.rung,
        answers: ran.answers,
        neighbours: near,
        passages: retrieval.passages.clone(),
        retrieval,
    }
}

/// The graph as an index that asks this model, with its layer.
pub fn modelled(llm: Llm) -> Small {
    let graph = graph();
    let index = index(&graph);
    index.think_with(Arc::new(llm));
    let layer = SparkLayer::from_graph(&index, graph, &|_, _, _| true).unwrap();
    index.add_layer(layer);
    let index = Arc::new(index);
    Small {
        layer: index.layer().unwrap(),
        index,
        set: Vec::new(),
    }
}

pub fn small() -> Small {
    modelled(Llm::rules())
}

impl Small {
    /// A runner that ranks by the declared weights.
    pub fn runner(&self) -> Runner<'_> {
        let mut values = Values::default();
        values.set_text("bm25_k1=1.5").unwrap();
        let weights = Weights::from(Scoped::all(&values));
        let scorer = Scorer::new(&self.index, weights, "", None);
        Runner::new(&self.layer, &self.index, Some(scorer))
    }

    pub fn ids(&self, objects: &[u32]) -> Vec<&str> {
        objects
            .iter()
            .map(|o| self.index.id(self.layer.passage(*o)))
            .collect()
    }

    pub fn search(&self, question: &str) -> Run {
        asked(&self.index, question, &self.set)
    }

    /// Identifiers of the answers, best first.
    pub fn answers(&self, run: &Run) -> Vec<&str> {
        let answers = run.answers.iter();
        answers.map(|answer| self.index.id(answer.0)).collect()
    }
}

pub fn matches(kind: &str, field: &str, test: Test, value: &str) -> Op {
    Op::Match {
        kind: kind.into(),
        field: field.into(),
        test,
        value: value.into(),
    }
}

pub fn named(kind: &str, name: &str) -> Op {
    matches(kind, "name", Test::Equal, name)
}

pub fn expand(set: usize, edge: &str, direction: Direction, kind: &str) -> Op {
    Op::Expand {
        set,
        edge: edge.into(),
        direction,
        kind: kind.into(),
    }
}

pub fn cand(text: &str, n: usize) -> Op {
    Op::Cand {
        kind: "Work".into(),
        field: "note".into(),
        text: text.into(),
        n,
    }
}
