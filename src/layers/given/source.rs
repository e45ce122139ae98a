//! The graph that a corpus came with: its passages and its entities. An entity is joined to the passages that it is from, and
//! to the entities that it has relations with, a passage to those that it has links with.

use super::GivenLayer;
use crate::graph::Transition;
use crate::index::excerpt::Partial;
use crate::index::{Index, IndexError};
use crate::layers::{Graph, GraphKind, Node, QueryName, Source};
use crate::parameters::{HUB_P, Parameter as P, RELATION_WEIGHT, Scoped};
use crate::text::forms::Forms;
use crate::text::{Language, Norm, clip};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::sync::Arc;

pub static GIVEN: GraphKind = GraphKind {
    name: "given",
    about: "the graph that the corpus came with (LightRAG, GraphRAG ...): passages, entities, relations",
    nodes: "passages and entities",
    noun: "name",
    layer: Some(GivenLayer::LABEL),
    reads_vectors: true,
    named: true,
    embedded: true,
    asks_model: false,
    reads: &[P::RelationWeight, P::HubP],
    builds: &[],
    open: |index, values, with| {
        let source = GivenGraph::open(index, values, with.before)?;
        Ok(Graph::of_passages(&GIVEN, Box::new(source), index.len()))
    },
};

/// Longest evidence in characters.
const LINE: usize = 240;

/// Passages come first, then entities. An entity and a passage that it is from weigh 1; the relations of two entities weigh
/// the sum of their weights, divided by the mean weight of all relations and multiplied by `relation_weight`, so that weights of
/// any unit stand beside the 1 of a mention. So do the links of two passages, by the mean of all links.
pub struct GivenGraph {
    pub layer: Arc<GivenLayer>,
    tables: Arc<Tables>,
    transition: Transition,
    relation_weight: f64,
    passages: u32,
    /// What it knows of the whole, where it is of an excerpt.
    partial: Option<Arc<Partial>>,
}

/// What no parameter changes.
struct Tables {
    forms: Forms,
    /// Relations by their ends, the lower first.
    relations: FxHashMap<(u32, u32), Vec<u32>>,
    /// Links by their ends, the lower first.
    links: FxHashMap<(u32, u32), Vec<u32>>,
    /// Of every entity those that it has relations with.
    others: FxHashMap<u32, Vec<u32>>,
    /// Of every entity its communities.
    communities: FxHashMap<u32, Vec<u32>>,
}

impl Tables {
    fn of(layer: &GivenLayer, language: Language) -> Tables {
        let relations = (0..layer.meta.relations as u32).map(|own| layer.ends(own));
        let relations = by_ends(relations);
        let links = by_ends((0..layer.meta.links as u32).map(|own| layer.linked(own)));
        let mut others: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for &(one, other) in relations.keys() {
            others.entry(one).or_default().push(other);
            others.entry(other).or_default().push(one);
        }
        let mut communities: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for community in 0..layer.meta.communities as u32 {
            for &member in layer.members(community) {
                communities.entry(member).or_default().push(community);
            }
        }
        let forms = layer.names.iter().map(|name| Norm::Simple.apply(name));
        let forms = Forms::new(language, forms.zip(0..));
        Tables {
            forms,
            relations,
            links,
            others,
            communities,
        }
    }
}

/// Places by the ends of what stands there, the lower first.
fn by_ends(all: impl Iterator<Item = [u32; 2]>) -> FxHashMap<(u32, u32), Vec<u32>> {
    let mut known: FxHashMap<(u32, u32), Vec<u32>> = FxHashMap::default();
    for ([one, other], at) in all.zip(0..) {
        let pair = (one.min(other), one.max(other));
        known.entry(pair).or_default().push(at);
    }
    known
}

impl GivenGraph {
    /// The graph under these values. Takes its tables over from the one before, and the weights where that differs in the
    /// hub penalty alone: a slider step costs a pass over the scales.
    pub fn open(
        index: &Index,
        values: Scoped<'_>,
        before: Option<&Graph>,
    ) -> Result<GivenGraph, IndexError> {
        let layer = super::opened(index)?;
        let before = before.map(Graph::source_as::<GivenGraph>);
        let before = before.filter(|before| Arc::ptr_eq(&before.layer, &layer));
        let relation_weight = values.get(RELATION_WEIGHT);
        let p = values.get(HUB_P);
        let scaled = |plain: &Transition| {
            let into = (0..plain.nodes()).map(|node| match node < index.len() {
                true => 1.0,
                false => (plain.degree(node).max(1) as f64).powf(-p),
            });
            plain.rescaled(into.collect())
        };
        let weighed = before.filter(|before| before.relation_weight == relation_weight);
        let transition = match weighed {
            Some(before) => scaled(&before.transition),
            None => scaled(&weights(index, &layer, relation_weight)),
        };
        Ok(GivenGraph {
            tables: match before {
                Some(before) => before.tables.clone(),
                None => Arc::new(Tables::of(&layer, index.language())),
            },
            transition,
            relation_weight,
            passages: index.len() as u32,
            partial: index.partial().cloned(),
            layer,
        })
    }

    /// The entity that a node is; none of a passage.
    pub fn entity(&self, node: Node) -> Option<u32> {
        node.checked_sub(self.passages)
    }

    /// The node of an entity.
    pub fn node(&self, entity: u32) -> Node {
        self.passages + entity
    }

    /// The nodes that an entity is joined to by relations, whatever these weigh.
    pub fn others(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        let own = self
            .entity(node)
            .and_then(|entity| self.tables.others.get(&entity));
        own.into_iter().flatten().map(|other| self.node(*other))
    }

    /// The entities that are from a passage, ascending.
    pub fn entities_of(&self, passage: u32) -> Vec<u32> {
        let (targets, _) = self.transition.row(passage as usize);
        targets
            .iter()
            .filter_map(|node| self.entity(*node))
            .collect()
    }

    /// The relations nearest to a question's vector with their cosines, nearest first.
    ///
    /// # Errors
    /// Vectors of another encoder.
    pub fn nearest_relations(
        &self,
        index: &Index,
        vector: &[f32],
        k: usize,
    ) -> Result<Vec<(u32, f32)>, IndexError> {
        let mut near = index.nearest_of(&self.layer.relation_vectors, vector, k)?;
        near.retain(|hit| hit.1 > 0.0);
        Ok(near)
    }

    /// The relations between two entities, in the order of the files.
    pub fn between(&self, a: Node, b: Node) -> &[u32] {
        let pair = self.entity(a).zip(self.entity(b));
        let pair = pair.map(|(a, b)| (a.min(b), a.max(b)));
        let known = pair.and_then(|pair| self.tables.relations.get(&pair));
        known.map_or(&[], Vec::as_slice)
    }

    /// Asks for the names of a form, where not all names are here.
    fn asks_for(&self, form: &str) {
        if let Some(partial) = &self.partial {
            partial.asks_for_form(form);
        }
    }

    /// The links between two passages, in the order of the files.
    fn links(&self, a: Node, b: Node) -> &[u32] {
        let known = self.tables.links.get(&(a.min(b), a.max(b)));
        known.map_or(&[], Vec::as_slice)
    }
}

/// What weights are multiplied by, so that their mean is another.
fn factor(weights: &[f32], mean: f64) -> f64 {
    let sum: f64 = weights.iter().map(|w| f64::from(*w)).sum();
    let own = sum / weights.len().max(1) as f64;
    mean / own.max(f64::MIN_POSITIVE)
}

/// The edges without a hub penalty.
fn weights(index: &Index, layer: &GivenLayer, relation_weight: f64) -> Transition {
    let passages = index.len() as u32;
    let mut edges: Vec<(u32, u32, f32)> = Vec::new();
    for entity in 0..layer.meta.entities as u32 {
        let own = layer.entity_passages(entity).iter();
        edges.extend(own.map(|&passage| (passage, passages + entity, 1.0)));
    }
    let mut push = |[one, other]: [u32; 2], weight: f32, factor: f64| {
        let weight = (f64::from(weight) * factor) as f32;
        if weight > 0.0 && weight.is_finite() {
            edges.push((one, other, weight));
        }
    };
    let partial = index.partial();
    let theirs = partial.and_then(|partial| partial.whole.given.as_ref());
    let of_relations = match theirs {
        Some(theirs) => relation_weight / theirs.weight.max(f64::MIN_POSITIVE),
        None => factor(&layer.weights, relation_weight),
    };
    for (relation, weight) in (0..).zip(layer.weights.iter()) {
        let ends = layer.ends(relation).map(|entity| passages + entity);
        push(ends, *weight, of_relations);
    }
    let of_links = factor(&layer.link_weights, relation_weight);
    for (link, weight) in (0..).zip(layer.link_weights.iter()) {
        push(layer.linked(link), *weight, of_links);
    }
    let whole = Transition::of_edges(index.len() + layer.meta.entities, edges);
    match partial {
        Some(partial) => whole.within_whole(partial.beyond.clone()),
        None => whole,
    }
}

impl Source for GivenGraph {
    fn transition(&self) -> &Transition {
        &self.transition
    }

    fn kind(&self, node: Node) -> &'static str {
        self.entity(node).map_or("passage", |_| "entity")
    }

    fn is_called(&self, node: Node) -> bool {
        let named = |entity: u32| !self.layer.names.get(entity as usize).is_empty();
        self.partial.is_none() || self.entity(node).is_none_or(named)
    }

    fn label<'a>(&'a self, index: &'a Index, node: Node) -> Cow<'a, str> {
        match self.entity(node) {
            Some(entity) => {
                let name = self.layer.names.get(entity as usize);
                if let Some(partial) = self.partial.as_ref().filter(|_| name.is_empty()) {
                    partial.asks_for_name(entity);
                }
                name.into()
            }
            None => index.called(node).into(),
        }
    }

    /// Kind, description and communities of an entity, and what the files say of the smallest of these.
    fn text<'a>(&'a self, _index: &'a Index, node: Node) -> Cow<'a, str> {
        let Some(entity) = self.entity(node) else {
            return Cow::Borrowed("");
        };
        let layer = &self.layer;
        let mut parts = Vec::new();
        let kind = layer.kinds.get(entity as usize);
        if !kind.is_empty() {
            parts.push(format!("{kind}."));
        }
        parts.push(layer.descriptions.get(entity as usize).to_owned());
        let own = self.tables.communities.get(&entity);
        let own = own.map_or(&[][..], Vec::as_slice);
        let titles = own.iter().map(|c| layer.communities.get(*c as usize));
        let titles: Vec<&str> = titles.filter(|title| !title.is_empty()).collect();
        if !titles.is_empty() {
            parts.push(format!("In {}.", titles.join(", ")));
        }
        let told = own
            .iter()
            .filter(|c| !layer.reports.get(**c as usize).is_empty());
        if let Some(&smallest) = told.max_by_key(|c| layer.levels[**c as usize]) {
            parts.push(clip(layer.reports.get(smallest as usize), LINE));
        }
        parts.retain(|part| !part.is_empty());
        parts.join(" ").into()
    }

    fn edge_kind(&self, a: Node, b: Node) -> &'static str {
        match (self.entity(a), self.entity(b)) {
            (Some(_), Some(_)) => "relation",
            (None, None) => "link",
            _ => "in text",
        }
    }

    fn edge_name(&self, a: Node, b: Node) -> Cow<'static, str> {
        let relations = self.between(a, b).iter();
        let relations = relations.map(|r| self.layer.labels.get(*r as usize));
        let links = self.links(a, b).iter();
        let labels = relations.chain(links.map(|l| self.layer.link_labels.get(*l as usize)));
        let labels: Vec<&str> = labels.filter(|label| !label.is_empty()).collect();
        match labels.is_empty() {
            true => Cow::Borrowed(self.edge_kind(a, b)),
            false => Cow::Owned(clip(&labels.join(", "), LINE)),
        }
    }

    /// What the files say of a relation or of a link, with its direction and weight.
    fn evidence(&self, index: &Index, a: Node, b: Node) -> String {
        let layer = &self.layer;
        let each = self.between(a, b).iter().map(|&relation| {
            let [source, target] = layer.ends(relation);
            let name = |entity: u32| layer.names.get(entity as usize);
            let weight = layer.weights[relation as usize];
            let ends = format!("{} > {}, weight {weight}", name(source), name(target));
            match layer.texts.get(relation as usize) {
                "" => ends,
                text => format!("{ends}: {text}"),
            }
        });
        let links = self.links(a, b).iter().map(|&link| {
            let [source, target] = layer.linked(link).map(|passage| index.called(passage));
            format!(
                "{source} > {target}, weight {}",
                layer.link_weights[link as usize]
            )
        });
        clip(&each.chain(links).collect::<Vec<_>>().join("; "), LINE)
    }

    fn passages(&self, node: Node) -> Cow<'_, [u32]> {
        match self.entity(node) {
            Some(_) => Cow::Borrowed(&[]),
            None => vec![node].into(),
        }
    }

    /// Of an entity, the passages that it is from.
    fn frequency(&self, node: Node) -> u32 {
        match self.entity(node) {
            Some(entity) => self.layer.entity_passages(entity).len() as u32,
            None => self.transition.degree(node as usize) as u32,
        }
    }

    /// The longest runs of words, or of letters where a script has no spaces, that are an entity's name.
    fn names(&self, index: &Index, question: &str, _: Scoped<'_>) -> Vec<QueryName> {
        let forms = &self.tables.forms;
        let runs = forms.longest_runs_or(question, &|form| self.asks_for(form));
        let runs = runs.into_iter();
        let runs = runs.filter(|run| !index.language().is_function_word(&run.form));
        let named = runs.map(|run| {
            let nodes = vec![self.node(run.name)];
            QueryName::of_run(question, run, nodes)
        });
        named.collect()
    }

    fn find(&self, _: &Index, name: &str, _: Scoped<'_>) -> Option<Node> {
        let form = Norm::Simple.apply(name);
        let entity = self.tables.forms.exact(&form);
        if entity.is_none() {
            self.asks_for(&form);
        }
        Some(self.node(entity?))
    }

    fn nearest(
        &self,
        index: &Index,
        vector: &[f32],
        k: usize,
    ) -> Result<Vec<(Node, f32)>, IndexError> {
        let near = index.nearest_of(&self.layer.entity_vectors, vector, k)?;
        Ok(near
            .into_iter()
            .map(|(entity, cosine)| (self.node(entity), cosine))
            .collect())
    }

    fn made_by(&self) -> String {
        self.layer.made_by()
    }
}
