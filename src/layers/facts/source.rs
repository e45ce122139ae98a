//! HippoRAG 2's graph: passages, and the phrases of their facts.

use super::FactsLayer;
use crate::graph::Transition;
use crate::index::{Index, IndexError};
use crate::layers::skeleton::source::longest_runs;
use crate::layers::{Graph, GraphKind, Node, QueryName, Source};
use crate::parameters::{Parameter as P, SYNONYM_THRESHOLD, Scoped};
use crate::text::{Norm, clip};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::sync::Arc;

pub static PHRASE_PASSAGE: GraphKind = GraphKind {
    name: "phrase-passage",
    about: "HippoRAG 2: passages, phrases of their facts, phrases alike",
    nodes: "passages and phrases",
    noun: "phrase",
    layer: Some("facts"),
    reads_vectors: true,
    named: true,
    embedded: true,
    asks_model: false,
    reads: &[P::SynonymThreshold],
    builds: &[],
    open: |index, values, _| {
        let source = PhraseGraph::open(index, values)?;
        Ok(Graph::of_passages(
            &PHRASE_PASSAGE,
            Box::new(source),
            index.len(),
        ))
    },
};

/// Longest evidence in characters.
const LINE: usize = 160;

/// Passages come first, then phrases. Two phrases weigh how often passages state a fact of the two, and their cosine where
/// they are alike; a phrase and a passage with a fact of it weigh 1.
pub struct PhraseGraph {
    pub layer: Arc<FactsLayer>,
    transition: Transition,
    passages: u32,
    forms: FxHashMap<String, u32>,
    /// The first fact of two phrases, the lower first.
    facts: FxHashMap<(u32, u32), u32>,
    /// Of every passage the facts that it states, ascending.
    stated: Vec<Vec<u32>>,
}

impl PhraseGraph {
    pub fn open(index: &Index, values: Scoped<'_>) -> Result<PhraseGraph, IndexError> {
        let layer = super::opened(index)?;
        let passages = index.len() as u32;
        let least = values.get(SYNONYM_THRESHOLD);
        let mut edges: Vec<(u32, u32, f32)> = Vec::new();
        let mut facts = FxHashMap::default();
        let mut stated = vec![Vec::new(); index.len()];
        for fact in 0..layer.meta.facts as u32 {
            for &passage in layer.stated(fact) {
                stated[passage as usize].push(fact);
            }
            let ends = layer.ends(fact);
            let times = layer.stated(fact).len() as f32;
            edges.push((passages + ends[0], passages + ends[1], times));
            let pair = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            facts.entry(pair).or_insert(fact);
        }
        for phrase in 0..layer.meta.phrases as u32 {
            let own = layer.with_phrase(phrase).iter();
            edges.extend(own.map(|&passage| (passage, passages + phrase, 1.0)));
        }
        let pairs = layer.alike_one.iter().zip(&*layer.alike_other);
        let pairs = pairs.zip(&*layer.alike);
        let near = pairs.filter(|(_, cosine)| f64::from(**cosine) >= least);
        edges.extend(near.map(|((a, b), cosine)| (passages + a, passages + b, *cosine)));
        let nodes = index.len() + layer.meta.phrases;
        let mut forms = FxHashMap::default();
        for phrase in 0..layer.meta.phrases {
            forms.insert(Norm::Simple.apply(layer.phrases.get(phrase)), phrase as u32);
        }
        Ok(PhraseGraph {
            transition: Transition::of_edges(nodes, edges),
            layer,
            passages,
            forms,
            facts,
            stated,
        })
    }

    /// The phrase that a node is; none of a passage.
    pub fn phrase(&self, node: Node) -> Option<u32> {
        node.checked_sub(self.passages)
    }

    /// The node of a phrase.
    pub fn node(&self, phrase: u32) -> Node {
        self.passages + phrase
    }

    /// The facts that a passage states.
    pub fn stated(&self, passage: u32) -> &[u32] {
        &self.stated[passage as usize]
    }

    /// The first fact of two phrases.
    fn fact(&self, a: Node, b: Node) -> Option<u32> {
        let (a, b) = (self.phrase(a)?, self.phrase(b)?);
        self.facts.get(&(a.min(b), a.max(b))).copied()
    }
}

impl Source for PhraseGraph {
    fn transition(&self) -> &Transition {
        &self.transition
    }

    fn kind(&self, node: Node) -> &'static str {
        self.phrase(node).map_or("passage", |_| "phrase")
    }

    fn label<'a>(&'a self, index: &'a Index, node: Node) -> Cow<'a, str> {
        match self.phrase(node) {
            Some(phrase) => self.layer.phrases.get(phrase as usize).into(),
            None => index.called(node).into(),
        }
    }

    fn edge_kind(&self, a: Node, b: Node) -> &'static str {
        match (self.phrase(a), self.phrase(b)) {
            (Some(_), Some(_)) if self.fact(a, b).is_some() => "fact",
            (Some(_), Some(_)) => "alike",
            _ => "states",
        }
    }

    /// The fact that joins two phrases, or how alike they are; the fact of a phrase that a passage states.
    fn evidence(&self, _: &Index, a: Node, b: Node) -> String {
        let layer = &self.layer;
        let fact = self.fact(a, b).or_else(|| {
            let passage = a.min(b);
            let phrase = self.phrase(a.max(b))?;
            let own = self.stated.get(passage as usize)?.iter().copied();
            own.into_iter().find(|&f| layer.ends(f).contains(&phrase))
        });
        match (fact, self.phrase(a), self.phrase(b)) {
            (Some(fact), ..) => clip(layer.texts.get(fact as usize), LINE),
            (None, Some(one), Some(other)) => {
                let cosine = layer.phrase_vectors.between(one, other);
                format!("cosine {cosine:.3}")
            }
            _ => String::new(),
        }
    }

    fn passages(&self, node: Node) -> Cow<'_, [u32]> {
        match self.phrase(node) {
            Some(_) => Cow::Borrowed(&[]),
            None => vec![node].into(),
        }
    }

    /// Of a phrase, the passages with a fact of it.
    fn frequency(&self, node: Node) -> u32 {
        match self.phrase(node) {
            Some(phrase) => self.layer.with_phrase(phrase).len() as u32,
            None => self.transition.degree(node as usize) as u32,
        }
    }

    /// The longest runs of words that are a phrase: HippoRAG itself looks no names up, it takes the nearest facts.
    fn names(&self, _: &Index, question: &str, _: Scoped<'_>) -> Vec<QueryName> {
        let runs = longest_runs(question, &self.forms).into_iter();
        let named =
            runs.map(|(run, phrase)| QueryName::found(question, run, vec![self.node(phrase)]));
        named.collect()
    }

    fn nearest(
        &self,
        index: &Index,
        vector: &[f32],
        k: usize,
    ) -> Result<Vec<(Node, f32)>, IndexError> {
        let vectors = &self.layer.phrase_vectors;
        if let Some(dense) = index.dense() {
            vectors.check(dense.encoder.identity())?;
        }
        let near = vectors.nearest(vector, k)?.into_iter();
        Ok(near
            .map(|(phrase, cosine)| (self.node(phrase), cosine))
            .collect())
    }

    fn made_by(&self) -> String {
        self.layer.made_by(self.passages as usize)
    }
}
