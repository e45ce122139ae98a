//! KET-RAG's three graphs: units and their nearest, keywords and units, names and units.

use crate::graph::Transition;
use crate::index::{Index, IndexError};
use crate::layers::{Graph, GraphKind, Node, QueryName, Source};
use crate::parameters::{Parameter as P, Scoped};
use crate::systems::ket::skeleton::Skeleton;
use crate::systems::ket::{self, Ket, Params, story};
use crate::text::Norm;
use crate::text::keywords::each_keyword;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::sync::Arc;

fn opened(index: &Index, values: Scoped<'_>) -> Result<(Arc<Ket>, Params), IndexError> {
    let params = Params {
        changes: ket::changes(values),
        ..Params::default()
    };
    Ok((Ket::of(index, &params)?, params))
}

fn passages(layer: &Ket, unit: u32) -> Vec<u32> {
    let mut passages: Vec<u32> = layer.units.pieces(unit).map(|p| p.passage).collect();
    passages.sort_unstable();
    passages.dedup();
    passages
}

/// What the layer is built from, and so what each of its three graphs reads.
const LAYER: &[P] = &[
    P::ChunkTokens,
    P::ChunkOverlap,
    P::Halvings,
    P::Joined,
    P::CodeCase,
    P::KnnK,
    P::CoreShare,
    P::CoreBy,
    P::Cooc,
    P::Pmi,
];

pub static UNIT_KNN: GraphKind = GraphKind {
    name: "unit-knn",
    about: "KET-RAG: units and their nearest ones by words and vectors",
    nodes: "units of text",
    noun: "unit",
    layer: Some("ket"),
    reads_vectors: true,
    named: false,
    embedded: true,
    reads: LAYER,
    builds: &[],
    open: |index, values, _| {
        let source = Units::open(index, values)?;
        Ok(Graph::new(&UNIT_KNN, Box::new(source), index.len()))
    },
};

/// Units of text; an edge weighs 1 for each of the two measures that made it, as for the layer's own PageRank.
pub struct Units {
    layer: Arc<Ket>,
    transition: Transition,
}

impl Units {
    pub fn open(index: &Index, values: Scoped<'_>) -> Result<Units, IndexError> {
        let (layer, _) = opened(index, values)?;
        let near = |unit: u32| {
            let own = layer.knn.neighbours(unit).filter(move |n| unit < n.unit);
            own.map(move |n| (unit, n.unit, n.made_by.count_ones() as f32))
        };
        let units = layer.units.len();
        let transition = Transition::of_edges(units, (0..units as u32).flat_map(near));
        Ok(Units { layer, transition })
    }
}

impl Source for Units {
    fn transition(&self) -> &Transition {
        &self.transition
    }

    fn kind(&self, _node: u32) -> &'static str {
        "unit"
    }

    fn label<'a>(&'a self, index: &'a Index, node: u32) -> Cow<'a, str> {
        story::label(&self.layer, index, node).into()
    }

    fn edge_kind(&self, _a: u32, _b: u32) -> &'static str {
        "near"
    }

    fn passages(&self, node: u32) -> Cow<'_, [u32]> {
        passages(&self.layer, node).into()
    }

    fn nearest(
        &self,
        index: &Index,
        vector: &[f32],
        k: usize,
    ) -> Result<Vec<(Node, f32)>, IndexError> {
        Ok(self.layer.vectors(index)?.nearest(vector, k)?)
    }
}

pub static KEYWORD_UNIT: GraphKind = GraphKind {
    name: "keyword-unit",
    about: "KET-RAG: keywords and the units that have them",
    nodes: "keywords and units",
    noun: "keyword",
    layer: Some("ket"),
    reads_vectors: true,
    named: true,
    embedded: true,
    reads: LAYER,
    builds: &[],
    open: |index, values, _| {
        let source = Keywords::open(index, values)?;
        Ok(Graph::new(&KEYWORD_UNIT, Box::new(source), index.len()))
    },
};

/// Units come first, then keywords; a keyword is joined by 1 to every unit that has it.
pub struct Keywords {
    layer: Arc<Ket>,
    transition: Transition,
}

impl Keywords {
    pub fn open(index: &Index, values: Scoped<'_>) -> Result<Keywords, IndexError> {
        let (layer, _) = opened(index, values)?;
        let units = layer.units.len() as u32;
        let has = |word: u32| {
            let own = layer.keywords.units(word).iter();
            own.map(move |&unit| (unit, units + word, 1.0))
        };
        let words = layer.keywords.len();
        let transition =
            Transition::of_edges(units as usize + words, (0..words as u32).flat_map(has));
        Ok(Keywords { layer, transition })
    }

    fn word(&self, node: u32) -> Option<u32> {
        node.checked_sub(self.layer.units.len() as u32)
    }
}

impl Source for Keywords {
    fn transition(&self) -> &Transition {
        &self.transition
    }

    fn kind(&self, node: u32) -> &'static str {
        self.word(node).map_or("unit", |_| "keyword")
    }

    fn label<'a>(&'a self, index: &'a Index, node: u32) -> Cow<'a, str> {
        match self.word(node) {
            Some(word) => self.layer.keywords.words.get(word as usize).into(),
            None => story::label(&self.layer, index, node).into(),
        }
    }

    fn edge_kind(&self, _a: u32, _b: u32) -> &'static str {
        "has"
    }

    fn passages(&self, node: u32) -> Cow<'_, [u32]> {
        match self.word(node) {
            Some(_) => Cow::Borrowed(&[]),
            None => passages(&self.layer, node).into(),
        }
    }

    /// Every keyword of the question.
    fn names(&self, _index: &Index, question: &str, _values: Scoped<'_>) -> Vec<QueryName> {
        let units = self.layer.units.len() as u32;
        let mut named = Vec::new();
        each_keyword(question, self.layer.meta.options.code_case, |word| {
            let found = self.layer.keywords.find(word);
            let nodes = Vec::from_iter(found.map(|word| units + word));
            named.push(QueryName::found(question, word.to_owned(), nodes));
        });
        named
    }

    fn nearest(
        &self,
        _index: &Index,
        vector: &[f32],
        k: usize,
    ) -> Result<Vec<(Node, f32)>, IndexError> {
        let units = self.layer.units.len() as u32;
        let near = self.layer.keywords.vectors.nearest(vector, k)?.into_iter();
        Ok(near.map(|(word, cosine)| (units + word, cosine)).collect())
    }
}

pub static SKELETON: GraphKind = GraphKind {
    name: "skeleton",
    about: "KET-RAG: names of the core units, their relations, and units",
    nodes: "names and units",
    noun: "entity",
    layer: Some("ket"),
    reads_vectors: true,
    named: true,
    embedded: true,
    reads: LAYER,
    builds: &[],
    open: |index, values, _| {
        let source = Names::open(index, values)?;
        Ok(Graph::new(&SKELETON, Box::new(source), index.len()))
    },
};

/// Units come first, then names. Two names weigh the strength of their relation; a name and a unit it was found in 1,
/// and 1 more for each of its relations that the unit tells of.
pub struct Names {
    layer: Arc<Ket>,
    skeleton: Arc<Skeleton>,
    /// Names by normal form; of two with one form the first.
    forms: FxHashMap<String, u32>,
    transition: Transition,
}

impl Names {
    pub fn open(index: &Index, values: Scoped<'_>) -> Result<Names, IndexError> {
        let (layer, params) = opened(index, values)?;
        let core = params.changes.apply(&layer.meta.options).core;
        let skeleton = layer.skeleton(index, &core)?;
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
        let mut forms = FxHashMap::default();
        for name in 0..skeleton.len() {
            let form = Norm::Simple.apply(skeleton.names.get(name));
            forms.entry(form).or_insert(name as u32);
        }
        let nodes = units as usize + skeleton.len();
        let transition = Transition::of_edges(nodes, edges);
        Ok(Names {
            layer,
            skeleton,
            forms,
            transition,
        })
    }

    fn name(&self, node: u32) -> Option<u32> {
        node.checked_sub(self.layer.units.len() as u32)
    }
}

impl Source for Names {
    fn transition(&self) -> &Transition {
        &self.transition
    }

    fn kind(&self, node: u32) -> &'static str {
        self.name(node).map_or("unit", |_| "entity")
    }

    fn label<'a>(&'a self, index: &'a Index, node: u32) -> Cow<'a, str> {
        match self.name(node) {
            Some(name) => self.skeleton.names.get(name as usize).into(),
            None => story::label(&self.layer, index, node).into(),
        }
    }

    fn edge_kind(&self, a: u32, b: u32) -> &'static str {
        match (self.name(a), self.name(b)) {
            (Some(_), Some(_)) => "related",
            _ => "found in",
        }
    }

    fn passages(&self, node: u32) -> Cow<'_, [u32]> {
        match self.name(node) {
            Some(_) => Cow::Borrowed(&[]),
            None => passages(&self.layer, node).into(),
        }
    }

    /// KET-RAG itself looks no names up, it takes the nearest: here the longest runs of words that are a name's form.
    fn names(&self, _index: &Index, question: &str, _values: Scoped<'_>) -> Vec<QueryName> {
        let units = self.layer.units.len() as u32;
        let form = Norm::Simple.apply(question);
        let words: Vec<&str> = form.split(' ').filter(|word| !word.is_empty()).collect();
        let mut named = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let longest = words.len().min(at + LONGEST);
            let found = (at + 1..=longest).rev().find_map(|end| {
                let run = words[at..end].join(" ");
                let name = *self.forms.get(&run)?;
                Some((end, run, name))
            });
            match found {
                Some((end, surface, name)) => {
                    let nodes = vec![units + name];
                    named.push(QueryName::found(question, surface, nodes));
                    at = end;
                }
                None => at += 1,
            }
        }
        named
    }

    fn nearest(
        &self,
        _index: &Index,
        vector: &[f32],
        k: usize,
    ) -> Result<Vec<(Node, f32)>, IndexError> {
        let units = self.layer.units.len() as u32;
        let near = self.skeleton.vectors.nearest(vector, k)?.into_iter();
        Ok(near.map(|(name, cosine)| (units + name, cosine)).collect())
    }
}

/// The longest name that is looked for, in words.
const LONGEST: usize = 8;
