//! A graph small enough to work out by hand, and an encoder that counts three words.

use super::layer::SparkLayer;
use super::plan::{Direction, Op, Test};
use super::run::Runner;
use super::schema::Graph;
use super::score::Scorer;
use super::search::{Params, Run, search};
use super::table;
use crate::corpus::Corpus;
use crate::embed::{EmbedError, Encoder, Identity, Kind, TokenVectors};
use crate::index::{BuildOptions, Dense, Index, Silent};
use crate::llm::Llm;
use std::fs;
use std::path::Path;

pub const NODES: &str = "id\ttype\tname\taliases\tyear\tnote
ada\tPerson\tAda Lovelace\tCountess of Lovelace\t\t
alan\tPerson\tAlan Turing\t\t\t
grace\tPerson\tGrace Hopper\t\t\t
notes\tWork\tNotes\t\t1843\tred red red blue blue blue blue
machine\tWork\tMachine\t\t1936\tred
compiler\tWork\tCompiler\t\t1952\tgreen
brain\tWork\tMachine\t\t1950\tblue
london\tCity\tLondon\t\t\t
york\tCity\tNew York\t\t\t
";

pub const EDGES: &str = "from\tto\ttype
ada\tnotes\tWROTE
alan\tmachine\tWROTE
alan\tbrain\tWROTE
grace\tcompiler\tWROTE
ada\tlondon\tLIVED_IN
alan\tlondon\tLIVED_IN
grace\tyork\tLIVED_IN
machine\tnotes\tCITES
brain\tmachine\tCITES
alan\tgrace\tTAUGHT
ada\talan\tTAUGHT
";

pub const SCHEMA: &str = r#"{"types": [
 {"name": "Person", "synonyms": ["who", "author"], "person": true},
 {"name": "Work", "synonyms": ["book", "work"], "fields": [
   {"name": "year", "kind": "number", "synonyms": ["written", "year"]}, {"name": "note", "kind": "long"}]},
 {"name": "City", "synonyms": ["where", "town"]}],
 "edges": [
 {"name": "WROTE", "from": "Person", "to": "Work", "cues": ["wrote", "author of"], "inverse_cues": ["written by", "books of"]},
 {"name": "LIVED_IN", "from": "Person", "to": "City", "cues": ["lived in", "from"]},
 {"name": "CITES", "from": "Work", "to": "Work", "cues": ["cites", "cite"], "inverse_cues": ["cited by"]},
 {"name": "TAUGHT", "from": "Person", "to": "Person", "cues": ["taught"], "inverse_cues": ["taught by"]}]}"#;

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

/// Writes tables into a folder.
pub fn tables(folder: &Path, nodes: &str, edges: &str, schema: Option<&str>) {
    fs::write(folder.join("nodes.tsv"), nodes).unwrap();
    fs::write(folder.join("edges.tsv"), edges).unwrap();
    if let Some(schema) = schema {
        fs::write(folder.join("schema.json"), schema).unwrap();
    }
}

pub fn graph() -> Graph {
    let folder = tempfile::tempdir().unwrap();
    tables(folder.path(), NODES, EDGES, Some(SCHEMA));
    table::read(folder.path()).unwrap()
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
