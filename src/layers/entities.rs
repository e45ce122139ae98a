//! The entity-passage graph as one setting sees it: masked, weighted, ready to walk.

use super::edited::{Editing, Factors};
use super::edits::GraphEdited;
use super::graph::{Graph, Link, Mask, Node, QueryName, Source};
use super::{GraphKind, Opening};
use crate::graph::Transition;
use crate::graph::arcs::Arcs;
use crate::graph::rows::{Rows, blocks, no_counts, starts, within, write_some};
use crate::index::entities::MIN_LENGTH;
use crate::index::sentences::graph_of;
use crate::index::{EntityGraph, EntityOptions, Index, IndexError};
use crate::parameters::Parameter as P;
use crate::parameters::{
    ALIAS_LINKING, ANY_CASE, EDGE_CAP, EDGE_WEIGHT, EdgeWeight, FOLD_ACCENTS, GAZETTEER, HUB_P,
    MAX_DF_RATIO, MIN_DF, NER, NORM, PRUNE_TOP_PCT, SUBJECTS, Scoped, TOKENS, Tokens, Value,
};
use crate::text::{Language, Mention, Norm, gazetteer, span};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Passages and the names in them.
pub static ENTITY_PASSAGE: GraphKind = GraphKind {
    name: "entity-passage",
    about: "SPRIG: passages and the names in them",
    nodes: "passages and names",
    noun: "name",
    layer: None,
    reads_vectors: false,
    named: true,
    embedded: false,
    asks_model: false,
    reads: &[
        P::Ner,
        P::Norm,
        P::AliasLinking,
        P::Gazetteer,
        P::Subjects,
        P::EdgeWeight,
        P::MinDf,
        P::MaxDfRatio,
        P::PruneTopPct,
        P::EdgeCap,
        P::HubP,
        P::FoldAccents,
        P::AnyCase,
    ],
    builds: &[],
    open: |index, values, with| opened(&ENTITY_PASSAGE, index, values, with),
};

/// Passages and their words.
pub static TERM_PASSAGE: GraphKind = GraphKind {
    name: "term-passage",
    about: "passages and their words",
    nodes: "passages and words",
    noun: "word",
    layer: None,
    reads_vectors: false,
    named: true,
    embedded: false,
    asks_model: false,
    reads: &[
        P::Tokens,
        P::EdgeWeight,
        P::MinDf,
        P::MaxDfRatio,
        P::PruneTopPct,
        P::EdgeCap,
        P::HubP,
    ],
    builds: &[],
    open: |index, values, with| opened(&TERM_PASSAGE, index, values, with),
};

fn opened(
    kind: &'static GraphKind,
    index: &Index,
    values: Scoped<'_>,
    with: &Opening<'_>,
) -> Result<Graph, IndexError> {
    let known = with.before.and_then(Graph::entities);
    let view = GraphView::open(index, kind == &TERM_PASSAGE, values, with)?;
    let same = known.is_some_and(|known| Arc::ptr_eq(&known.graph, &view.graph));
    let walked = known.is_some_and(|known| view.walks_as(known));
    let mut graph = Graph::of_passages(kind, Box::new(view), index.len());
    if let Some(before) = with.before.filter(|_| same) {
        graph = graph.spelled_as(before);
    }
    if let Some(before) = with.before.filter(|_| walked) {
        graph = graph.walked_as(before);
    }
    Ok(graph)
}

/// A weighted, masked entity-passage graph. Nodes `0..passages` are passages, entities follow; ids never change.
pub struct GraphView {
    pub graph: Arc<EntityGraph>,
    /// The graph as the passages gave it: the same, unless a person joined names or changed edges.
    pub built: Arc<EntityGraph>,
    /// A person's changes, and what became of each.
    pub edited: Vec<GraphEdited>,
    pub transition: Arc<Transition>,
    masks: Arc<Vec<Option<Mask>>>,
    pub masked: usize,
    /// Its entities are words.
    words: bool,
    /// Of the index.
    language: Language,
    /// What the weights were worked out by: all that is read but the hub penalty, and this.
    weighed_by: Vec<Value>,
    hub_p: f64,
}

impl std::fmt::Debug for GraphView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "GraphView({} nodes, {} arcs)",
            self.nodes(),
            self.transition.arcs()
        )
    }
}

/// Which stored or derived graph these values ask for.
pub fn entity_options(words: bool, language: Language, values: Scoped<'_>) -> EntityOptions {
    if words {
        return EntityOptions::words(values.get(TOKENS), language);
    }
    EntityOptions {
        ner: values.get(NER).name().to_owned(),
        norm: values.get(NORM).name().to_owned(),
        alias_linking: values.get(ALIAS_LINKING),
        gazetteer: values.get(GAZETTEER),
        subjects: values.get(SUBJECTS),
        language,
    }
}

impl GraphView {
    /// Whether both are of excerpts of one index, with the same weights: a walk that lacks nothing is the same on both.
    fn walks_as(&self, other: &GraphView) -> bool {
        let both = [self, other];
        let [own, others] = both.map(|view| (view.words, view.hub_p, &view.weighed_by));
        let excerpt = |view: &GraphView| view.built.partial.is_some() && view.edited.is_empty();
        own == others && both.into_iter().all(excerpt)
    }

    /// The graph under these values and changes. Takes the weights over from the one before, where that differs in the hub
    /// penalty alone: a slider step on it costs a pass over the scales and not over the passages. Where both are excerpts with
    /// the same arcs, it takes over the scales, too.
    ///
    /// # Errors
    /// Damaged columns.
    pub fn open(
        index: &Index,
        words: bool,
        values: Scoped<'_>,
        with: &Opening<'_>,
    ) -> Result<GraphView, IndexError> {
        let kind = if words {
            &TERM_PASSAGE
        } else {
            &ENTITY_PASSAGE
        };
        let reads = kind.reads.iter().filter(|p| **p != HUB_P.id());
        let weighed_by: Vec<Value> = reads.map(|p| values.value(*p)).collect();
        let built = graph_of(index, &entity_options(words, index.language(), values))?;
        let before = with.before.and_then(Graph::entities).filter(|b| {
            let edits = b.edited.iter().map(|edited| &edited.edit);
            let same = Arc::ptr_eq(&b.built, &built) || b.built.has_arcs_of(&built);
            same && b.words == words && b.weighed_by == weighed_by && edits.eq(with.edits)
        });
        let mut factors = Factors::default();
        let (graph, masks, edited) = match before {
            Some(view) => {
                // Of an excerpt more may have come to be named since.
                let graph = match view.edited.is_empty() {
                    true => &built,
                    false => &view.graph,
                };
                (graph.clone(), view.masks.clone(), view.edited.clone())
            }
            None => {
                let cut = words.then(|| index.language());
                let find = |graph: &EntityGraph, name: &str| find(graph, cut, name, values);
                let editing = Editing {
                    index,
                    noun: kind.noun,
                    find: &find,
                };
                let (graph, mut edited) = editing.rewired(&built, with.edits);
                let mut masks = masks(&graph, values);
                factors = editing.masked(&graph, &mut edited, &mut masks);
                (graph, Arc::new(masks), edited)
            }
        };
        let masked = masks.iter().filter(|m| m.is_some()).count();
        let hub_p = values.get(HUB_P);
        let into = || {
            // A name that a person left without edges is walked to by none.
            by_df(&graph, graph.passages, 1.0, |df| df.max(1.0).powf(-hub_p))
        };
        let transition = match before {
            Some(view) if view.hub_p == hub_p => view.transition.clone(),
            Some(view) => Arc::new(view.transition.rescaled(into())),
            None => Arc::new({
                let arcs = arcs(&graph, values, &masks, factors);
                match &graph.partial {
                    None => Transition::new(arcs, into()),
                    Some(partial) => {
                        // Of a passage's names any may be masked.
                        let unsure = if masked > 0 { graph.passages } else { 0 };
                        Transition::within(arcs, into(), partial.beyond.unsure(unsure))
                    }
                }
            }),
        };
        Ok(GraphView {
            transition,
            graph,
            built,
            edited,
            masks,
            masked,
            words,
            language: index.language(),
            weighed_by,
            hub_p,
        })
    }

    pub fn passages(&self) -> usize {
        self.graph.passages
    }

    pub fn nodes(&self) -> usize {
        self.graph.nodes()
    }

    pub fn is_passage(&self, node: Node) -> bool {
        (node as usize) < self.graph.passages
    }

    /// The node of an entity number.
    pub fn entity_node(&self, entity: u32) -> Node {
        self.graph.passages as u32 + entity
    }

    /// The entity number of a node.
    pub fn entity(&self, node: Node) -> Option<usize> {
        (node as usize).checked_sub(self.graph.passages)
    }

    /// A name for the screen: an entity as first written, a passage's title or else its identifier.
    pub fn label<'a>(&'a self, index: &'a Index, node: Node) -> &'a str {
        match self.entity(node) {
            Some(entity) => {
                let label = self.graph.labels.get(entity);
                if let Some(partial) = self.graph.partial.as_ref().filter(|_| label.is_empty()) {
                    partial.asks_for_name(entity as u32);
                }
                label
            }
            None if index.title(node).is_empty() => index.id(node),
            None => index.title(node),
        }
    }

    /// Neighbours that this view keeps.
    pub fn degree(&self, node: Node) -> usize {
        self.transition.degree(node as usize)
    }

    /// Neighbours and the weights of their edges, by node id.
    pub fn neighbours(&self, node: Node) -> impl Iterator<Item = (Node, f32)> + '_ {
        let (targets, weights) = self.transition.row(node as usize);
        targets.iter().copied().zip(weights.iter().copied())
    }

    pub fn probability(&self, from: Node, to: Node) -> f64 {
        self.transition.probability(from as usize, to as usize)
    }

    /// Mentions of an entity in a passage, whichever of the two nodes is which.
    pub fn tf(&self, a: Node, b: Node) -> u16 {
        let (targets, tf) = self.graph.row(a as usize);
        targets.binary_search(&b).map_or(0, |at| tf[at])
    }

    /// Whether a person cut the edge between a passage and a name.
    pub fn was_cut(&self, passage: Node, name: Node) -> bool {
        let mentions = |graph: &EntityGraph| graph.row(passage as usize).0.contains(&name);
        mentions(&self.built) && !mentions(&self.graph)
    }

    /// Why an entity does not take part.
    pub fn mask(&self, entity: u32) -> Option<Mask> {
        self.masks[entity as usize]
    }
}

/// A function of df, worked out once for each but the largest: most entities share a few.
struct ByDf<F> {
    known: Vec<f64>,
    value: F,
}

impl<F: Fn(f64) -> f64> ByDf<F> {
    const MOST: usize = 1 << 12;

    /// For one who asks about as often as said: no more are worked out beforehand than pays.
    fn new(asked: usize, value: F) -> ByDf<F> {
        let known = (asked / 16).min(Self::MOST) as u32;
        let known = (0..known).map(|df| value(f64::from(df))).collect();
        ByDf { known, value }
    }

    #[inline]
    fn get(&self, df: u32) -> f64 {
        let known = self.known.get(df as usize).copied();
        known.unwrap_or_else(|| (self.value)(f64::from(df)))
    }
}

/// A function of df for every entity, after so many `others` that share one value, as do entities that did not come with an
/// excerpt.
fn by_df(
    graph: &EntityGraph,
    others: usize,
    other: f64,
    value: impl Fn(f64) -> f64 + Sync,
) -> Vec<f64> {
    let asked = graph.reached().map_or(graph.entities(), <[Node]>::len);
    let value = ByDf::new(asked, value);
    let of = |e: usize| value.get(graph.df(e));
    let all = others + graph.entities();
    if let Some(reached) = graph.reached() {
        let mut values = vec![other; all];
        for e in entities_of(graph, reached) {
            values[others + e] = of(e);
        }
        return values;
    }
    let mut values = Vec::with_capacity(all);
    values.resize(others, other);
    values.par_extend((0..graph.entities()).into_par_iter().map(of));
    values
}

/// The entities among nodes that ascend.
fn entities_of(graph: &EntityGraph, nodes: &[Node]) -> impl Iterator<Item = usize> {
    let passages = graph.passages;
    let names = within(nodes, passages..graph.nodes(), |node| *node);
    names.iter().map(move |node| *node as usize - passages)
}

/// PRUNE removes the floor(x/100 * E) entities of largest df, lower ids first among equals; df limits mask the rest.
fn masks(graph: &EntityGraph, values: Scoped<'_>) -> Vec<Option<Mask>> {
    let entities = graph.entities();
    let min = values.get(MIN_DF) as u32;
    let max = values.get(MAX_DF_RATIO) * graph.among() as f64;
    let mask = |df: u32| match df {
        df if df < min => Some(Mask::MinDf),
        df if f64::from(df) > max => Some(Mask::MaxDf),
        _ => None,
    };
    let mut masks: Vec<Option<Mask>> = match graph.reached() {
        None => {
            let entities = (0..entities).into_par_iter();
            entities.map(|e| mask(graph.df(e))).collect()
        }
        Some(reached) => {
            let mut masks = vec![mask(0); entities];
            entities_of(graph, reached).for_each(|e| masks[e] = mask(graph.df(e)));
            masks
        }
    };
    // A name that was joined to another is none.
    let names = (entities - graph.joined.len()) as f64;
    let prune = (values.get(PRUNE_TOP_PCT) / 100.0 * names + 1e-9).floor() as usize;
    if prune > 0 {
        let mut by_df: Vec<u32> = (0..entities as u32).collect();
        by_df.sort_by_key(|e| (std::cmp::Reverse(graph.df(*e as usize)), *e));
        for e in &by_df[..prune.min(entities)] {
            masks[*e as usize] = Some(Mask::Pruned);
        }
    }
    for (from, _) in &graph.joined {
        masks[*from as usize] = None;
    }
    masks
}

/// What the arcs of a graph weigh, the same in both directions.
struct Weighing<F> {
    graph: Arc<EntityGraph>,
    rule: EdgeWeight,
    rarity: ByDf<F>,
    /// Of all names in each passage, where the rule asks for them.
    mentions: Vec<f64>,
    factors: Factors,
}

impl<F: Fn(f64) -> f64 + Sync> Weighing<F> {
    fn rarity(&self, entity: usize) -> f64 {
        self.rarity.get(self.graph.df(entity))
    }

    fn weight(&self, (entity, passage): (usize, usize), tf: u16, rarity: impl Fn() -> f64) -> f32 {
        let tf = f64::from(tf);
        let own = match self.rule {
            EdgeWeight::TfXSmoothidf => tf * (rarity() + 1.0),
            EdgeWeight::Binary => 1.0,
            EdgeWeight::Tf => tf,
            EdgeWeight::Share => tf / self.mentions[passage],
            EdgeWeight::TfLogPlus1 => tf * rarity() + 1.0,
        };
        if self.factors.is_empty() {
            return own as f32;
        }
        let factor = self.factors.get(&(entity as u32, passage as u32));
        factor.map_or(own, |factor| own * factor) as f32
    }

    /// The entity and the passage that an arc joins.
    fn ends(&self, node: usize, target: u32) -> (usize, usize) {
        let passages = self.graph.passages;
        match node < passages {
            true => (target as usize - passages, node),
            false => (node - passages, target as usize),
        }
    }

    /// Those arcs of a node that stay, with what they weigh.
    fn row(&self, node: usize, stays: impl Fn(u32) -> bool) -> impl Iterator<Item = (u32, f32)> {
        let (row, tf) = self.graph.row(node);
        // One look-up for all that mention a name.
        let name = node.checked_sub(self.graph.passages);
        let own = name.map(|entity| self.rarity(entity));
        let arcs = row.iter().copied().zip(tf);
        arcs.filter(move |(target, _)| stays(*target))
            .map(move |(target, tf)| {
                let ends = self.ends(node, target);
                let rarity = || own.unwrap_or_else(|| self.rarity(ends.0));
                (target, self.weight(ends, *tf, rarity))
            })
    }
}

/// The arcs w(e,d), both directions, without masked entities and capped edges. Those of a whole graph are weighed where they
/// are asked for.
fn arcs(
    graph: &Arc<EntityGraph>,
    values: Scoped<'_>,
    masks: &[Option<Mask>],
    factors: Factors,
) -> Arcs {
    let (n, passages) = (graph.nodes(), graph.passages);
    let total = graph.among() as f64;
    let rule = values.get(EDGE_WEIGHT);
    let mentions = |passage: usize| graph.row(passage).1.iter().map(|tf| f64::from(*tf)).sum();
    let asked = graph.reached().map_or(graph.targets.len(), <[Node]>::len);
    let weighing = Weighing {
        graph: graph.clone(),
        rule,
        // SPRIG: ln((N+1)/(df+1)), with the df of the graph as built.
        rarity: ByDf::new(asked, move |df| ((total + 1.0) / (df + 1.0)).ln()),
        mentions: match rule {
            EdgeWeight::Share => (0..passages).into_par_iter().map(mentions).collect(),
            _ => Vec::new(),
        },
        factors,
    };
    let cap = values.get(EDGE_CAP);
    let whole = cap == 0 && masks.iter().all(Option::is_none);
    if whole && graph.reached().is_none() {
        let (offsets, targets) = (graph.offsets.clone(), graph.targets.clone());
        return Arcs::asked(offsets, targets, move |node, weights| {
            let row = weights.iter_mut().zip(weighing.row(node, |_| true));
            row.for_each(|(own, (_, weight))| *own = weight);
        });
    }
    let weight = |entity: usize, passage: usize, tf: u16| {
        weighing.weight((entity, passage), tf, || weighing.rarity(entity))
    };
    let kept = (cap > 0).then(|| capped(graph, cap, &weight));
    let stays = |node: usize, target: u32| {
        let (entity, passage) = weighing.ends(node, target);
        let kept = kept.as_ref().and_then(|kept| kept[entity].as_ref());
        masks[entity].is_none()
            && kept.is_none_or(|kept| kept.binary_search(&(passage as u32)).is_ok())
    };
    let count = |node: usize| {
        let row = graph.row(node).0.iter();
        row.filter(|target| stays(node, **target)).count() as u32
    };
    let offsets = match graph.reached() {
        _ if whole => graph.offsets.to_vec(),
        None => starts((0..n).into_par_iter().map(count).collect()),
        Some(reached) => {
            let mut counts = no_counts(n);
            write_some(reached, &mut counts, count);
            starts(counts)
        }
    };
    let arcs = offsets[n] as usize;
    let (mut targets, mut data) = (vec![0; arcs], vec![0.0; arcs]);
    let fill = |nodes: &mut dyn Iterator<Item = usize>, targets: &mut [u32], data: &mut [f32]| {
        let mut slots = targets.iter_mut().zip(data);
        for node in nodes {
            let arcs = weighing.row(node, |target| whole || stays(node, target));
            for ((target, weight), (to, own)) in arcs.zip(&mut slots) {
                (*to, *own) = (target, weight);
            }
        }
    };
    let blocks = blocks(&offsets, &mut targets, &mut data).into_par_iter();
    blocks.for_each(|(mut nodes, targets, data)| match graph.reached() {
        None => fill(&mut nodes, targets, data),
        Some(reached) => {
            let own = within(reached, nodes, |node| *node).iter();
            fill(&mut own.map(|node| *node as usize), targets, data);
        }
    });
    let rows = Rows {
        offsets,
        targets,
        weights: data,
    };
    rows.into()
}

/// For each entity with more than `cap` passages, the ones it keeps: heaviest first, lower ids first among equals.
fn capped(
    graph: &EntityGraph,
    cap: usize,
    weight: &(dyn Fn(usize, usize, u16) -> f32 + Sync),
) -> Vec<Option<Vec<u32>>> {
    (0..graph.entities())
        .into_par_iter()
        .map(|entity| {
            let (row, tf) = graph.row(graph.passages + entity);
            if row.len() <= cap {
                return None;
            }
            let mut order: Vec<usize> = (0..row.len()).collect();
            order.sort_by(|&a, &b| {
                weight(entity, row[b] as usize, tf[b])
                    .total_cmp(&weight(entity, row[a] as usize, tf[a]))
                    .then(row[a].cmp(&row[b]))
            });
            let mut kept: Vec<u32> = order[..cap].iter().map(|&i| row[i]).collect();
            kept.sort_unstable();
            Some(kept)
        })
        .collect()
}

impl Source for GraphView {
    fn transition(&self) -> &Transition {
        &self.transition
    }

    fn kind(&self, node: Node) -> &'static str {
        match (self.is_passage(node), self.words) {
            (true, _) => "passage",
            (false, false) => "entity",
            (false, true) => "word",
        }
    }

    fn is_called(&self, node: Node) -> bool {
        let named = |entity| !self.graph.labels.get(entity).is_empty();
        self.graph.partial.is_none() || self.entity(node).is_none_or(named)
    }

    fn label<'a>(&'a self, index: &'a Index, node: Node) -> Cow<'a, str> {
        GraphView::label(self, index, node).into()
    }

    fn edge_kind(&self, _a: Node, _b: Node) -> &'static str {
        "mentions"
    }

    fn passages(&self, node: Node) -> Cow<'_, [u32]> {
        match self.is_passage(node) {
            true => Cow::Owned(vec![node]),
            false => Cow::Borrowed(&[]),
        }
    }

    fn frequency(&self, node: Node) -> u32 {
        self.entity(node).map_or(1, |entity| self.graph.df(entity))
    }

    fn names(&self, index: &Index, question: &str, values: Scoped<'_>) -> Vec<QueryName> {
        let mut names = link(self, question, values);
        let unknown = |name: &QueryName| matches!(name.link, Link::NotFound | Link::Ambiguous);
        if !self.words && values.get(ANY_CASE) && names.iter().all(unknown) {
            link_in_any_case(self, index, question, values.get(NORM), &mut names);
        }
        names
    }

    fn find(&self, _index: &Index, name: &str, values: Scoped<'_>) -> Option<Node> {
        find(
            &self.graph,
            self.words.then_some(self.language),
            name,
            values,
        )
        .map(|e| self.entity_node(e))
    }

    fn entities(&self) -> Option<&GraphView> {
        Some(self)
    }
}

/// The entity that a person calls by this name: by its form, or any spelling of it. `words`: the language that words are
/// cut by, where the entities are words.
fn find(
    graph: &EntityGraph,
    words: Option<Language>,
    name: &str,
    values: Scoped<'_>,
) -> Option<u32> {
    let plain = match words {
        Some(language) => values.get(TOKENS).list(language, name).join(" "),
        None => values.get(NORM).apply(name),
    };
    let entity = graph.find(name).or_else(|| graph.find(&plain));
    let aliased = || graph.find(graph.alias(&plain).filter(|c| !c.is_empty())?);
    let bare = || {
        graph
            .unaccented(&plain)
            .filter(|_| words.is_none() && values.get(FOLD_ACCENTS))
    };
    entity.or_else(aliased).or_else(bare)
}

/// What a name seeds: a name that is linked, its node.
fn seeded(link: Link) -> Vec<Node> {
    match link {
        Link::Linked { node } => vec![node],
        _ => Vec::new(),
    }
}

/// Finds names with the extractor, normal form and aliases of the graph, and looks each one up. On a word graph every
/// word of the question is one.
fn link(view: &GraphView, question: &str, values: Scoped<'_>) -> Vec<QueryName> {
    let mut names: Vec<QueryName> = Vec::new();
    let mut before = FxHashSet::default();
    if view.words {
        let lower = span::Lower::of(question);
        let mut from = 0;
        values.get(TOKENS).each(view.language, question, |word| {
            // Where stemming changed letters, the word has no place in the question.
            let at = span::of(&lower.text, from..).find(word);
            let own = at.map_or(from..from, |at| from + at..from + at + word.len());
            from = own.end;
            let Range { start, end } = lower.back(&own);
            let link = look_up(view, word, &mut before, Link::NotFound);
            names.push(QueryName {
                nodes: seeded(link),
                surface: word.to_owned(),
                start,
                end,
                form: word.to_owned(),
                aliased: false,
                unaccented: false,
                any_case: false,
                inflected: false,
                phrase: false,
                link,
            });
        });
        return names;
    }
    let norm = values.get(NORM);
    for mention in mentions(view, question, norm, values) {
        let surface = span::of(question, mention.span.clone());
        let plain = norm.apply(surface);
        if plain.chars().count() < MIN_LENGTH {
            continue;
        }
        let alias = if values.get(ALIAS_LINKING) {
            view.graph.alias(&plain)
        } else {
            None
        };
        let form = alias.filter(|c| !c.is_empty()).unwrap_or(&plain).to_owned();
        let unknown = if alias == Some("") {
            Link::Ambiguous
        } else {
            Link::NotFound
        };
        let aliased = form != plain;
        let (form, unaccented) = match values.get(FOLD_ACCENTS) {
            true => bare(view, form),
            false => (form, false),
        };
        let (form, inflected) = plain_form(view, form);
        let link = look_up(view, &form, &mut before, unknown);
        let (start, end) = (mention.span.start, mention.span.end);
        names.push(QueryName {
            nodes: seeded(link),
            surface: surface.to_owned(),
            start,
            end,
            aliased,
            unaccented,
            any_case: false,
            inflected,
            phrase: false,
            form,
            link,
        });
    }
    names
}

/// Adds the longest runs of words that are entities in any case, with or without accents. A single word counts where at
/// least half of the passages that have it mention the entity: "mars" does, "will" does not.
fn link_in_any_case(
    view: &GraphView,
    index: &Index,
    question: &str,
    norm: Norm,
    names: &mut Vec<QueryName>,
) {
    let entity = |run: &str| {
        let form = norm.apply(run);
        let entity = view
            .graph
            .find(&form)
            .or_else(|| view.graph.unaccented(&form))
            .or_else(|| view.graph.inflected(view.language, &form))?;
        let lone = !run.contains(' ');
        let usual = || {
            let words = index.lexical().question(Tokens::Plain, run);
            let df = words.map_or(0, |words| {
                words.iter().map(|word| word.df).max().unwrap_or(0)
            });
            2 * view.graph.df(entity as usize) >= df
        };
        (view.mask(entity).is_none() && (!lone || usual())).then_some(entity)
    };
    for mention in gazetteer::in_question(view.language, question, |run| entity(run).is_some()) {
        let surface = span::of(question, mention.span.clone());
        let Some(entity) = entity(&Norm::Simple.apply(surface)) else {
            continue;
        };
        let node = view.entity_node(entity);
        let Range { start, end } = mention.span;
        // What was extracted there and did not link gives way.
        names.retain(|name| name.end <= start || end <= name.start);
        if names.iter().any(|name| name.nodes.contains(&node)) {
            continue;
        }
        names.push(QueryName {
            nodes: vec![node],
            surface: surface.to_owned(),
            start,
            end,
            form: view.graph.names.get(entity as usize).to_owned(),
            aliased: false,
            unaccented: false,
            any_case: true,
            inflected: false,
            phrase: false,
            link: Link::Linked { node },
        });
    }
    names.sort_by_key(|name| name.start);
}

/// The form itself where an entity has it, else that of the one entity that differs in accents alone.
fn bare(view: &GraphView, form: String) -> (String, bool) {
    if view.graph.find(&form).is_some() {
        return (form, false);
    }
    match view.graph.unaccented(&form) {
        Some(entity) => (view.graph.names.get(entity as usize).to_owned(), true),
        None => (form, false),
    }
}

/// The form itself where an entity has it, else that of the one entity whose words have the same stems.
fn plain_form(view: &GraphView, form: String) -> (String, bool) {
    if view.graph.find(&form).is_some() {
        return (form, false);
    }
    match view.graph.inflected(view.language, &form) {
        Some(entity) => (view.graph.names.get(entity as usize).to_owned(), true),
        None => (form, false),
    }
}

/// What the extractor finds, and with the gazetteer every title that the question names, whatever its case.
fn mentions(view: &GraphView, question: &str, norm: Norm, values: Scoped<'_>) -> Vec<Mention> {
    let mut found = values.get(NER).mentions(view.language, question);
    if values.get(GAZETTEER) {
        let titled = |form: &str| {
            let entity = view.graph.find(&norm.apply(form));
            entity.is_some_and(|e| view.graph.is_title(e))
        };
        found.extend(gazetteer::in_question(view.language, question, titled));
        found.sort_by_key(|m| (m.span.start, m.span.end));
        found.dedup_by(|later, kept| later.span == kept.span);
    }
    found
}

/// What a form links to; `before` are the nodes that the question named so far.
fn look_up(view: &GraphView, form: &str, before: &mut FxHashSet<Node>, unknown: Link) -> Link {
    let Some(entity) = view.graph.find(form) else {
        return unknown;
    };
    let node = view.entity_node(entity);
    if !before.insert(node) {
        Link::Repeated { node }
    } else if let Some(by) = view.mask(entity) {
        Link::Masked { node, by }
    } else {
        Link::Linked { node }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Corpus, Passage};
    use crate::index::{BuildOptions, Silent};
    use crate::layers::GraphEdit;
    use crate::retrieve::{Method, Settings};

    /// Avon stands in the first passage once, in the second three times, in the third twice.
    const RIVERS: [&str; 5] = [
        "We saw Avon.",
        "We saw Avon, then Avon and Avon with Boro.",
        "We saw Avon and Avon.",
        "We saw Boro.",
        "We saw Corin.",
    ];

    fn index(texts: &[&str]) -> Index {
        let passage = |(at, text): (usize, &&str)| Passage {
            id: at.to_string(),
            title: String::new(),
            text: (*text).into(),
        };
        let corpus = Corpus {
            name: "rivers".into(),
            passages: texts.iter().enumerate().map(passage).collect(),
            questions: Vec::new(),
        };
        Index::build(corpus, &BuildOptions::default(), &Silent).unwrap()
    }

    fn settings(index: &Index, changes: &[&str]) -> Settings {
        let mut settings = Settings::of(index, Method::by_name("graph").unwrap());
        let changes = changes.iter();
        changes.for_each(|set| settings.set_text(set).unwrap());
        settings
    }

    fn view(changes: &[&str]) -> GraphView {
        let index = index(&RIVERS);
        let settings = settings(&index, changes);
        GraphView::open(&index, false, settings.all(), &Opening::default()).unwrap()
    }

    /// The passages that Avon is joined to, with the weights of the edges.
    fn of_avon(view: &GraphView) -> Vec<(u32, f32)> {
        let avon = view.entity_node(view.graph.find("avon").unwrap());
        view.neighbours(avon).collect()
    }

    #[test]
    fn each_rule_weighs_an_edge_as_its_formula_says() {
        let rarity = (6.0_f32 / 4.0).ln();
        for (rule, by_hand) in [
            ("binary", 1.0),
            ("tf", 3.0),
            ("share", 0.75),
            ("tf_log_plus1", 3.0 * rarity + 1.0),
            ("tf_x_smoothidf", 3.0 * (rarity + 1.0)),
        ] {
            let (passage, weight) = of_avon(&view(&[&format!("edge_weight={rule}")]))[1];
            assert_eq!(passage, 1);
            assert!((weight - by_hand).abs() < 1e-6, "{rule}: {weight}");
        }
    }

    #[test]
    fn a_capped_name_keeps_its_heaviest_edges_and_of_equals_the_first() {
        let kept = |rule: &str| {
            let edges = of_avon(&view(&[&format!("edge_weight={rule}"), "edge_cap=2"]));
            edges.into_iter().map(|edge| edge.0).collect::<Vec<_>>()
        };
        assert_eq!(kept("tf"), [1, 2]);
        assert_eq!(kept("binary"), [0, 1]);
    }

    #[test]
    fn a_name_in_just_the_largest_share_of_passages_takes_part() {
        let masked = |name: &str| {
            let view = view(&["max_df_ratio=0.4"]);
            view.mask(view.graph.find(name).unwrap())
        };
        assert_eq!(masked("boro"), None);
        assert_eq!(masked("avon"), Some(Mask::MaxDf));
    }

    #[test]
    fn of_the_names_that_are_pruned_by_share_a_joined_one_is_none() {
        let text = "We saw Avon, Boro, Corin, Delve, Ems, Fal, Gant, Hull, Isis and Jed.";
        let index = index(&[text]);
        let settings = settings(&index, &["prune_top_pct=10"]);
        let masked = |edits: &[GraphEdit]| {
            let opening = Opening {
                edits,
                before: None,
            };
            GraphView::open(&index, false, settings.all(), &opening)
                .unwrap()
                .masked
        };
        let join = "join Jed | Isis".parse().unwrap();
        assert_eq!((masked(&[]), masked(&[join])), (1, 0));
    }

    #[test]
    fn a_name_that_the_question_says_again_seeds_once() {
        let index = index(&RIVERS);
        let settings = settings(&index, &[]);
        let view = GraphView::open(&index, false, settings.all(), &Opening::default()).unwrap();
        let question = "Is the river Avon longer than Boro, or does Avon end in Delve?";
        let names = link(&view, question, settings.all());
        let (avon, boro) = (names[0].nodes[0], names[1].nodes[0]);
        let links: Vec<Link> = names.iter().map(|name| name.link).collect();
        let expected = [
            Link::Linked { node: avon },
            Link::Linked { node: boro },
            Link::Repeated { node: avon },
            Link::NotFound,
        ];
        assert_eq!(links, expected);
        assert!(names[2].nodes.is_empty());
    }
}
