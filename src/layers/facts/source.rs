//! HippoRAG 2's graph: passages, and the phrases of their facts.

use super::FactsLayer;
use crate::graph::Transition;
use crate::index::{Index, IndexError};
use crate::layers::{Graph, GraphKind, Node, QueryName, Source};
use crate::parameters::{Parameter as P, SYNONYM_THRESHOLD, Scoped};
use crate::text::forms::Forms;
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

/// Two phrases with facts in common.
struct Joined {
    /// The first of these facts.
    fact: u32,
    weight: f32,
    /// Whether their cosine replaced the facts from either side.
    replaced: bool,
}

/// Passages come first, then phrases. An edge of two phrases weighs what both sides give it: each gives how often passages
/// state a fact of the two, or instead their cosine, where it takes the other for a synonym (HippoRAG 2, code). A phrase and
/// a passage with a fact of it weigh 1.
pub struct PhraseGraph {
    pub layer: Arc<FactsLayer>,
    transition: Transition,
    passages: u32,
    forms: Forms,
    /// By two phrases, the lower first.
    facts: FxHashMap<(u32, u32), Joined>,
    /// Of every passage the facts that it states, ascending.
    stated: Vec<Vec<u32>>,
}

impl PhraseGraph {
    pub fn open(index: &Index, values: Scoped<'_>) -> Result<PhraseGraph, IndexError> {
        let layer = super::opened(index)?;
        let passages = index.len() as u32;
        let least = values.get(SYNONYM_THRESHOLD);
        let mut edges: Vec<(u32, u32, f32)> = Vec::new();
        let mut facts: FxHashMap<(u32, u32), Joined> = FxHashMap::default();
        let mut stated = vec![Vec::new(); index.len()];
        for fact in 0..layer.meta.facts as u32 {
            let own = layer.stated(fact);
            for &passage in own {
                stated[passage as usize].push(fact);
            }
            let [one, other] = layer.ends(fact);
            let joined = facts.entry((one.min(other), one.max(other)));
            let joined = joined.or_insert(Joined {
                fact,
                weight: 0.0,
                replaced: false,
            });
            joined.weight += 2.0 * own.len() as f32;
        }
        for phrase in 0..layer.meta.phrases as u32 {
            let own = layer.with_phrase(phrase).iter();
            edges.extend(own.map(|&passage| (passage, passages + phrase, 1.0)));
        }
        let takes = layer.takes(least);
        for ([one, other], cosine) in layer.alike(least) {
            let sides = [one, other].map(|phrase| cosine >= takes[phrase as usize]);
            let given = |times: f32| -> f32 {
                let side = sides.map(|alike| if alike { cosine } else { times });
                side.iter().sum()
            };
            match facts.get_mut(&(one, other)) {
                Some(joined) => {
                    joined.weight = given(joined.weight / 2.0);
                    joined.replaced = sides == [true; 2];
                }
                None => edges.push((passages + one, passages + other, given(0.0))),
            }
        }
        let joined = facts.iter();
        edges.extend(joined.map(|(&(a, b), own)| (passages + a, passages + b, own.weight)));
        let nodes = index.len() + layer.meta.phrases;
        let phrases = (0..layer.meta.phrases as u32).rev();
        let form = |phrase: u32| Norm::Simple.apply(layer.phrases.get(phrase as usize));
        let forms = phrases.map(|phrase| (form(phrase), phrase));
        let forms = Forms::new(index.language(), forms);
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

    /// What two phrases have in common by facts.
    fn joined(&self, a: Node, b: Node) -> Option<&Joined> {
        let (a, b) = (self.phrase(a)?, self.phrase(b)?);
        self.facts.get(&(a.min(b), a.max(b)))
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
            (Some(_), Some(_)) => match self.joined(a, b) {
                Some(joined) if !joined.replaced => "fact",
                _ => "alike",
            },
            _ => "states",
        }
    }

    /// The fact that joins two phrases, or how alike they are, with the fact that this replaces; the fact of a phrase that a
    /// passage states.
    fn evidence(&self, _: &Index, a: Node, b: Node) -> String {
        let layer = &self.layer;
        let text = |fact: u32| layer.texts.get(fact as usize);
        if let (Some(one), Some(other)) = (self.phrase(a), self.phrase(b)) {
            let cosine = || format!("cosine {:.3}", layer.phrase_vectors.between(one, other));
            return match self.joined(a, b) {
                Some(joined) if joined.replaced => clip(
                    &format!("{} instead of: {}", cosine(), text(joined.fact)),
                    LINE,
                ),
                Some(joined) => clip(text(joined.fact), LINE),
                None => cosine(),
            };
        }
        let phrase = self.phrase(a.max(b));
        let own = self.stated.get(a.min(b) as usize).into_iter().flatten();
        let fact = phrase.and_then(|phrase| {
            let mut own = own.copied();
            own.find(|&fact| layer.ends(fact).contains(&phrase))
        });
        fact.map_or_else(String::new, |fact| clip(text(fact), LINE))
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
        let runs = self.forms.longest_runs(question).into_iter();
        let named = runs.map(|run| {
            let nodes = vec![self.node(run.name)];
            QueryName::of_run(question, run, nodes)
        });
        named.collect()
    }

    fn nearest(
        &self,
        index: &Index,
        vector: &[f32],
        k: usize,
    ) -> Result<Vec<(Node, f32)>, IndexError> {
        let near = index.nearest_of(&self.layer.phrase_vectors, vector, k)?;
        Ok(near
            .into_iter()
            .map(|(phrase, cosine)| (self.node(phrase), cosine))
            .collect())
    }

    fn made_by(&self) -> String {
        self.layer.made_by(self.passages as usize)
    }
}
