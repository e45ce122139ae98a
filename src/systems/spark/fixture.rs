//! The small graph of the tables' tests as an index and a layer, and an encoder that counts three words.

use super::layer::SparkLayer;
use super::plan::{Direction, Op, Test};
use super::run::Runner;
use super::score::Scorer;
use super::search::{Params, Run, search};
use crate::corpus::Corpus;
use crate::embed::{EmbedError, Encoder, Identity, Kind, TokenVectors};
pub use crate::exchange::fixture::graph;
use crate::exchange::schema::Graph;
use crate::exchange::table;
use crate::index::{BuildOptions, Dense, Index, Silent};
use crate::llm::Llm;

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
    let mut passages = table::passages(graph);
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

/// The graph, indexed.
pub struct Small {
    pub index: Index,
    pub layer: SparkLayer,
    pub params: Params,
}

pub fn small() -> Small {
    let graph = graph();
    let index = index(&graph);
    let layer = SparkLayer::from_graph(&index, graph, &|_, _, _| true).unwrap();
    Small {
        index,
        layer,
        params: Params::default(),
    }
}

impl Small {
    pub fn runner(&self) -> Runner<'_> {
        let scorer = Scorer::new(&self.index, &self.params, "", None);
        Runner::new(&self.layer, &self.index, scorer)
    }

    pub fn ids(&self, objects: &[u32]) -> Vec<&str> {
        objects
            .iter()
            .map(|o| self.index.id(self.layer.passage(*o)))
            .collect()
    }

    pub fn search(&self, question: &str) -> Run {
        search(
            &self.layer,
            &self.index,
            question,
            None,
            &self.params,
            &Llm::rules(),
            &mut |_| {},
        )
        .unwrap()
    }

    /// Identifiers of the answers, best first.
    pub fn answers(&self, run: &Run) -> Vec<&str> {
        run.answers
            .iter()
            .map(|a| self.index.id(a.passage))
            .collect()
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
