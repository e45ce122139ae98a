//! KET-RAG's three graphs: units and their nearest, keywords and units, names and units. Units come first in all three.

use crate::embed::Vectors;
use crate::graph::Transition;
use crate::index::{Index, IndexError};
use crate::layers::skeleton::Ket;
use crate::layers::skeleton::core_graph::Skeleton;
use crate::layers::{Graph, GraphKind, Node, QueryName, Source};
use crate::parameters::{Parameter as P, Scoped};
use crate::text::forms::Forms;
use crate::text::keywords::each_keyword;
use crate::text::{Language, Norm};
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

pub static UNIT_KNN: GraphKind = GraphKind {
    name: "unit-knn",
    about: "KET-RAG: units and their nearest ones by words and vectors",
    nodes: "units of text",
    noun: "unit",
    layer: Some("ket"),
    reads_vectors: true,
    named: false,
    embedded: true,
    asks_model: false,
    reads: &[
        P::ChunkTokens,
        P::ChunkOverlap,
        P::Halvings,
        P::Joined,
        P::KnnK,
    ],
    builds: &[],
    open: |index, values, _| {
        let layer = Ket::of(index, values, UNIT_KNN.reads)?;
        let source = KetGraph::of_units(layer);
        Ok(Graph::new(&UNIT_KNN, Box::new(source), index.len()))
    },
};

pub static KEYWORD_UNIT: GraphKind = GraphKind {
    name: "keyword-unit",
    about: "KET-RAG: keywords and the units that have them",
    nodes: "keywords and units",
    noun: "keyword",
    layer: Some("ket"),
    reads_vectors: true,
    named: true,
    embedded: true,
    asks_model: false,
    reads: &[
        P::ChunkTokens,
        P::ChunkOverlap,
        P::Halvings,
        P::Joined,
        P::CodeCase,
    ],
    builds: &[],
    open: |index, values, _| {
        let layer = Ket::of(index, values, KEYWORD_UNIT.reads)?;
        let source = KetGraph::of_keywords(layer);
        Ok(Graph::new(&KEYWORD_UNIT, Box::new(source), index.len()))
    },
};

pub static SKELETON: GraphKind = GraphKind {
    name: "skeleton",
    about: "KET-RAG: names of the core units, their relations, and units",
    nodes: "names and units",
    noun: "entity",
    layer: Some("ket"),
    reads_vectors: true,
    named: true,
    embedded: true,
    asks_model: false,
    reads: &[
        P::ChunkTokens,
        P::ChunkOverlap,
        P::Halvings,
        P::Joined,
        P::KnnK,
        P::CoreShare,
        P::CoreBy,
        P::Cooc,
        P::Pmi,
    ],
    builds: &[],
    open: |index, values, _| {
        let layer = Ket::of(index, values, SKELETON.reads)?;
        let core = layer.meta.options.changed(values, SKELETON.reads).core;
        let skeleton = layer.skeleton(index, &core)?;
        let source = KetGraph::of_names(layer, skeleton, index.language());
        Ok(Graph::new(&SKELETON, Box::new(source), index.len()))
    },
};

/// Units of a layer, and what stands beside them.
pub struct KetGraph {
    pub layer: Arc<Ket>,
    beside: Beside,
    transition: Transition,
    /// The question that was asked last, and how near all are to it: what is tried of another budget asks the same.
    asked: Mutex<Option<(Vec<f32>, Vec<f32>)>>,
}

/// The nodes that are no units: they come after them.
enum Beside {
    Nothing,
    Keywords,
    Names {
        skeleton: Arc<Skeleton>,
        /// Names by normal form; of two with one form the first.
        forms: Forms,
    },
}

impl KetGraph {
    /// An edge weighs 1 for each of the two measures that made it, as for the layer's own PageRank.
    fn of_units(layer: Arc<Ket>) -> KetGraph {
        let near = |unit: u32| {
            let own = layer.knn.neighbours(unit).filter(move |n| unit < n.unit);
            own.map(move |n| (unit, n.unit, n.made_by.count_ones() as f32))
        };
        let units = layer.units.len();
        let transition = Transition::of_edges(units, (0..units as u32).flat_map(near));
        KetGraph {
            layer,
            beside: Beside::Nothing,
            transition,
            asked: Mutex::default(),
        }
    }

    /// A keyword is joined by 1 to every unit that has it.
    fn of_keywords(layer: Arc<Ket>) -> KetGraph {
        let units = layer.units.len() as u32;
        let has = |word: u32| {
            let own = layer.keywords.units(word).iter();
            own.map(move |&unit| (unit, units + word, 1.0))
        };
        let words = layer.keywords.len();
        let edges = (0..words as u32).flat_map(has);
        let transition = Transition::of_edges(units as usize + words, edges);
        KetGraph {
            layer,
            beside: Beside::Keywords,
            transition,
            asked: Mutex::default(),
        }
    }

    /// Two names weigh the strength of their relation; a name and a unit it was found in 1, and 1 more for each of its
    /// relations that the unit tells of.
    fn of_names(layer: Arc<Ket>, skeleton: Arc<Skeleton>, language: Language) -> KetGraph {
        let units = layer.units.len() as u32;
        let mut edges = Vec::new();
        for name in 0..skeleton.len() as u32 {
            let (own, told) = skeleton.units(name);
            let found = own.iter().zip(told);
            edges.extend(found.map(|(&unit, &told)| (unit, units + name, 1.0 + told as f32)));
        }
        for relation in 0..skeleton.relation_count() {
            let ends = [skeleton.source[relation], skeleton.target[relation]];
            let [a, b] = ends.map(|end| units + end);
            edges.push((a, b, skeleton.weight[relation].max(f32::MIN_POSITIVE)));
        }
        let names = skeleton.names.iter().map(|name| Norm::Simple.apply(name));
        let forms = Forms::new(language, names.zip(0..));
        let nodes = units as usize + skeleton.len();
        let transition = Transition::of_edges(nodes, edges);
        KetGraph {
            layer,
            beside: Beside::Names { skeleton, forms },
            transition,
            asked: Mutex::default(),
        }
    }

    /// The graph of a step on one of the three.
    ///
    /// # Panics
    /// On another graph: plans give KET-RAG's operators no other.
    pub fn of(graph: &Graph) -> &KetGraph {
        graph.source_as()
    }

    /// The skeleton of the names.
    ///
    /// # Panics
    /// On a graph without names, as [`of`](Self::of).
    pub fn skeleton(&self) -> &Skeleton {
        match &self.beside {
            Beside::Names { skeleton, .. } => skeleton,
            _ => unreachable!("a graph without names has no skeleton"),
        }
    }

    /// The number of a node among those beside the units; none for a unit.
    pub fn beside(&self, node: Node) -> Option<u32> {
        node.checked_sub(self.layer.units.len() as u32)
    }

    /// The first node of those that are seeds of a question: keywords or names, else units.
    pub fn first(&self) -> Node {
        match self.beside {
            Beside::Nothing => 0,
            _ => self.layer.units.len() as Node,
        }
    }

    /// How near each of those is to a question, by cosine.
    ///
    /// # Errors
    /// Vectors of another encoder.
    pub fn nearness(&self, index: &Index, vector: &[f32]) -> Result<Vec<f32>, IndexError> {
        let last = || self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, near)) = &*last()
            && known == vector
        {
            return Ok(near.clone());
        }
        let near = self.vectors(index)?.scores(vector)?;
        *last() = Some((vector.to_vec(), near.clone()));
        Ok(near)
    }

    fn vectors<'a>(&'a self, index: &'a Index) -> Result<&'a Vectors, IndexError> {
        // The vectors of the units are checked against the index's, with which all others were made.
        let units = self.layer.vectors(index)?;
        Ok(match &self.beside {
            Beside::Nothing => units,
            Beside::Keywords => &self.layer.keywords.vectors,
            Beside::Names { skeleton, .. } => &skeleton.vectors,
        })
    }

    /// The relation of two names.
    fn relation(&self, skeleton: &Skeleton, a: Node, b: Node) -> Option<u32> {
        let (a, b) = (self.beside(a)?, self.beside(b)?);
        let ends = |r: &u32| (skeleton.source[*r as usize], skeleton.target[*r as usize]);
        let own = skeleton.relations(a).iter().copied();
        own.into_iter()
            .find(|r| ends(r) == (a, b) || ends(r) == (b, a))
    }
}

impl Source for KetGraph {
    fn transition(&self) -> &Transition {
        &self.transition
    }

    fn kind(&self, node: u32) -> &'static str {
        match (self.beside(node), &self.beside) {
            (None, _) | (_, Beside::Nothing) => "unit",
            (_, Beside::Keywords) => "keyword",
            (_, Beside::Names { .. }) => "entity",
        }
    }

    fn label<'a>(&'a self, index: &'a Index, node: u32) -> Cow<'a, str> {
        match (self.beside(node), &self.beside) {
            (None, _) | (_, Beside::Nothing) => self.layer.label(index, node).into(),
            (Some(word), Beside::Keywords) => self.layer.keywords.words.get(word as usize).into(),
            (Some(name), Beside::Names { skeleton, .. }) => {
                skeleton.names.get(name as usize).into()
            }
        }
    }

    fn text<'a>(&'a self, index: &'a Index, node: u32) -> Cow<'a, str> {
        match (self.beside(node), &self.beside) {
            (None, _) => self.layer.units.text(index.passages(), node).into(),
            (Some(name), Beside::Names { skeleton, .. }) => {
                skeleton.descriptions.get(name as usize).into()
            }
            _ => Cow::Borrowed(""),
        }
    }

    fn edge_kind(&self, a: u32, b: u32) -> &'static str {
        match (&self.beside, self.beside(a), self.beside(b)) {
            (Beside::Nothing, ..) => "near",
            (Beside::Keywords, ..) => "has",
            (_, Some(_), Some(_)) => "related",
            _ => "found in",
        }
    }

    /// What two units share, and what is told of two names.
    fn evidence(&self, _index: &Index, a: u32, b: u32) -> String {
        match &self.beside {
            Beside::Nothing => {
                let edge = self.layer.knn.neighbours(a).find(|n| n.unit == b);
                edge.map_or(String::new(), |edge| edge.evidence())
            }
            Beside::Keywords => String::new(),
            Beside::Names { skeleton, .. } => {
                let relation = self.relation(skeleton, a, b);
                let told = |r: u32| skeleton.relation_descriptions.get(r as usize).to_owned();
                relation.map_or(String::new(), told)
            }
        }
    }

    fn passages(&self, node: u32) -> Cow<'_, [u32]> {
        if self.beside(node).is_some() {
            return Cow::Borrowed(&[]);
        }
        let pieces = self.layer.units.pieces(node);
        let mut passages: Vec<u32> = pieces.map(|piece| piece.passage).collect();
        passages.sort_unstable();
        passages.dedup();
        passages.into()
    }

    /// Every keyword of the question, or the longest runs of words that are a name's form: KET-RAG itself looks no names
    /// up, it takes the nearest.
    fn names(&self, _index: &Index, question: &str, _values: Scoped<'_>) -> Vec<QueryName> {
        let mut named = Vec::new();
        match &self.beside {
            Beside::Nothing => {}
            Beside::Keywords => {
                each_keyword(question, self.layer.meta.options.code_case, |word| {
                    let found = self.layer.keywords.find(word);
                    let nodes = Vec::from_iter(found.map(|word| self.first() + word));
                    named.push(QueryName::found(question, word.to_owned(), nodes));
                });
            }
            Beside::Names { forms, .. } => {
                for run in forms.longest_runs(question) {
                    let nodes = vec![self.first() + run.name];
                    named.push(QueryName::of_run(question, run, nodes));
                }
            }
        }
        named
    }

    fn nearest(
        &self,
        index: &Index,
        vector: &[f32],
        k: usize,
    ) -> Result<Vec<(Node, f32)>, IndexError> {
        let near = self.vectors(index)?.nearest(vector, k)?.into_iter();
        Ok(near
            .map(|(node, cosine)| (self.first() + node, cosine))
            .collect())
    }

    fn made_by(&self) -> String {
        match &self.beside {
            Beside::Names { skeleton, .. } => self.layer.made_by(skeleton),
            _ => String::new(),
        }
    }
}
