//! The units, keywords or entities nearest to the question: where the two parts of a context start.

use super::left_out;
use crate::layers::skeleton::core_graph::Skeleton;
use crate::layers::skeleton::source::KetGraph;
use crate::layers::{Class, Code, Node};
use crate::llm::task::{Hyde, OneQuestion, OneText};
use crate::llm::{self, Origin as Maker};
use crate::parameters::{
    CORE_SHARE, KEYWORD_SIMILARITY, KeywordSimilarity, OVERSAMPLE, Parameter as P, QUERY_ENTITIES,
    QUERY_KEYWORDS, Scoped, THETA,
};
use crate::retrieve::explanation::Reason;
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::operators::restart::changed;
use crate::retrieve::set::{Member, Origin, Set, Space, heaviest};
use crate::text::keywords::each_keyword;
use std::sync::Arc;

/// The nearest nodes of one kind.
#[derive(Debug, PartialEq)]
pub enum Nearest {
    /// All of them: a budget cuts them.
    Units,
    /// The same by a passage that a model makes up in answer to the question (HyDE).
    MadeUp,
    Keywords,
    Entities,
}

pub static UNITS: Nearest = Nearest::Units;
pub static MADE_UP: Nearest = Nearest::MadeUp;
pub static KEYWORDS: Nearest = Nearest::Keywords;
pub static ENTITIES: Nearest = Nearest::Entities;

/// How near every node of the kind is to the question, by its number there: the cosine, or by its inner product.
#[derive(Clone, Debug)]
pub struct Nearness(pub Vec<f32>);

impl Nearness {
    /// Rank of a node among all, from 1; ties to the lower number.
    fn rank(&self, node: u32) -> usize {
        let own = self.0[node as usize];
        let above = |(other, near): (u32, &f32)| *near > own || (*near == own && other < node);
        1 + (0..).zip(&self.0).filter(|other| above(*other)).count()
    }

    /// The nearest of some; the lowest of equals.
    fn best(&self, nodes: impl Iterator<Item = u32>) -> Option<(u32, f32)> {
        let all = nodes.map(|node| (node, self.0[node as usize]));
        all.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
    }
}

impl Operator for Nearest {
    fn declaration(&self) -> Declaration {
        let of = Declaration::seed(
            match self {
                Nearest::Units | Nearest::MadeUp => "units",
                Nearest::Keywords => "keywords",
                Nearest::Entities => "entities",
            },
            match self {
                Nearest::Units => "units by their similarity to the question",
                Nearest::MadeUp => "units by their similarity to a passage that a model makes up",
                Nearest::Keywords => "the keywords nearest to the question",
                Nearest::Entities => "the names of the skeleton nearest to the question",
            },
        )
        .kind("score")
        .reads(match self {
            Nearest::Units | Nearest::MadeUp => &[],
            Nearest::Keywords => &[P::KeywordSimilarity, P::QueryKeywords],
            Nearest::Entities => &[P::QueryEntities, P::Oversample, P::Theta],
        })
        .edits_seeds(true)
        .needs_vectors(true);
        match self {
            Nearest::MadeUp => of,
            Nearest::Units | Nearest::Keywords | Nearest::Entities => of.like("nearest"),
        }
    }

    fn run(&self, cx: &Context<'_>, _: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let Some((dense, vector)) = cx.dense()? else {
            let none = Set::new(Space::Nodes).fact(self.declaration().name, 0);
            return Ok(none.unread());
        };
        let made_up = (*self == Nearest::MadeUp).then(|| made_up(cx));
        let vector = match &made_up {
            Some(Ok(passage)) => &dense.encoder.passages(&[("", passage)], &|_| true)?[..],
            _ => vector,
        };
        let source = KetGraph::of(cx.graph());
        let most = match self {
            Nearest::Units | Nearest::MadeUp => usize::MAX,
            Nearest::Keywords => cx.values.get(QUERY_KEYWORDS),
            // A share of nothing leaves the skeleton out, even where the text part does not use all of its own.
            Nearest::Entities if cx.values.get(THETA) == 0.0 => {
                return Ok(Set::new(Space::Nodes).fact(self.declaration().name, 0));
            }
            Nearest::Entities => entities(cx.values.get(OVERSAMPLE), cx.values.get(QUERY_ENTITIES)),
        };
        let mut nearness = source.nearness(cx.index, vector)?;
        if *self == Nearest::Keywords
            && cx.values.get(KEYWORD_SIMILARITY) == KeywordSimilarity::InnerProduct
        {
            let lengths = &*source.layer.keywords.length;
            nearness.iter_mut().zip(lengths).for_each(|(n, l)| *n *= l);
        }
        let all = (source.first()..)
            .zip(&nearness)
            .map(|(node, &near)| Member {
                node,
                value: f64::from(near),
                from: Origin::Near {
                    rank: 0,
                    cosine: near,
                },
            });
        let mut members = heaviest(all.collect(), most);
        for (at, member) in members.iter_mut().enumerate() {
            if let Origin::Near { rank, .. } = &mut member.from {
                *rank = at + 1;
            }
        }
        let mut set = Set::new(Space::Nodes)
            .fact(self.declaration().name, members.len())
            .fact("of", nearness.len());
        if *self == Nearest::Entities {
            let core = source.skeleton().core;
            set = set
                .fact("core units", source.layer.knn.core_size(&core))
                .fact("of units", source.layer.units.len())
                .fact("core by", core.by.name());
        }
        if let Some(made_up) = made_up {
            let said = made_up
                .unwrap_or_else(|none| format!("nothing: {none}; the question stands for it"));
            set = set.fact("made up", said);
        }
        set.members = members;
        Ok(changed(cx, set, false).with(Nearness(nearness)))
    }

    fn asks_model(&self, _: Scoped<'_>) -> bool {
        *self == Nearest::MadeUp
    }

    fn why(&self, at: &At<'_>, member: &Member) -> String {
        let source = KetGraph::of(at.graph());
        let (Origin::Near { rank, cosine }, own) = (member.from, source.beside(member.node)) else {
            return at.origin(member);
        };
        let near = format!("similarity {cosine:.3}");
        match (self, own) {
            (Nearest::Keywords, Some(word)) => {
                let df = source.layer.keywords.units(word).len();
                format!("keyword {rank}: {near}, in {df} units")
            }
            (Nearest::Entities, Some(entity)) => {
                let skeleton = source.skeleton();
                let (degree, tokens) = (
                    skeleton.degree(entity),
                    skeleton.entity_tokens[entity as usize],
                );
                format!("entity {rank}: {near}, {degree} relations, {tokens} tokens")
            }
            _ => near,
        }
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        let units = left_out(at, passage);
        let Some(nearness) = at.set().get().filter(|_| !units.is_empty()) else {
            return Vec::new();
        };
        Vec::from_iter(match self {
            Nearest::Units | Nearest::MadeUp => None,
            Nearest::Keywords => not_selected(at, nearness, units, passage),
            Nearest::Entities => outside(at, nearness, units, passage),
        })
    }
}

/// A passage that would answer the question, by a model, or why there is none.
fn made_up(cx: &Context<'_>) -> Result<String, String> {
    let llm = cx.index.llm();
    if !llm.thinks() {
        return Err("no language model is named".to_owned());
    }
    let question = OneQuestion {
        question: cx.question.to_owned(),
    };
    let made = llm.item::<Hyde>(&question, &llm::any, |_| OneText::default());
    match made.origin {
        Maker::Llm { .. } => Ok(made.value.text),
        _ => Err("the model gave no passage".to_owned()),
    }
}

/// How many entities a search starts from: the published code takes twice as many and never cuts them back.
fn entities(oversample: bool, entities: usize) -> usize {
    entities * if oversample { 2 } else { 1 }
}

/// Where a ranking of nodes was cut.
fn last(at: &At<'_>) -> (usize, f64) {
    let members = &at.set().members;
    (members.len(), members.last().map_or(0.0, |last| last.value))
}

/// Whether any of some nodes is a member.
fn any(at: &At<'_>, own: impl Fn(&Node) -> bool) -> bool {
    at.set().members.iter().any(|member| own(&member.node))
}

/// Why no keyword of a passage is among the nearest.
fn not_selected(at: &At<'_>, nearness: &Nearness, units: &[u32], passage: u32) -> Option<Reason> {
    let source = KetGraph::of(at.graph());
    let layer = &source.layer;
    let has = |node: &Node| brings(source, node).iter().any(|u| units.contains(u));
    if any(at, has) {
        return None;
    }
    let mut own = Vec::new();
    for &unit in units {
        let text = layer.units.text(at.index.passages(), unit);
        each_keyword(&text, layer.meta.options.code_case, |word| {
            own.extend(layer.keywords.find(word));
        });
    }
    let Some((keyword, near)) = nearness.best(own.into_iter()) else {
        let text = "all its words are stop words";
        return Some(Reason::new(Code::KeywordNotSelected, text).class(Class::F2));
    };
    let (count, least) = last(at);
    let rank = nearness.rank(keyword);
    let text = format!(
        "its best keyword '{}' is rank {rank} (similarity {near:.3}); the last of {count} has {least:.3}",
        layer.keywords.words.get(keyword as usize)
    );
    let fix = at.tried_anywhere(passage, QUERY_KEYWORDS.at(rank));
    Some(Reason::new(Code::KeywordNotSelected, text).with_fix(fix))
}

/// The units that a member brings into the pool: a keyword's, or the one that a person added.
pub fn brings<'a>(source: &'a KetGraph, node: &'a Node) -> &'a [u32] {
    match source.beside(*node) {
        Some(keyword) => source.layer.keywords.units(keyword),
        None => std::slice::from_ref(node),
    }
}

/// Why no entity of a passage is among the nearest.
fn outside(at: &At<'_>, nearness: &Nearness, units: &[u32], passage: u32) -> Option<Reason> {
    let source = KetGraph::of(at.graph());
    let skeleton = source.skeleton();
    let core = &skeleton.core;
    let knn = &source.layer.knn;
    if !units.iter().any(|unit| knn.is_core(*unit, core)) {
        return Some(not_core(at, skeleton, units, passage));
    }
    let own = units.iter().flat_map(|unit| skeleton.entities(*unit));
    let own: Vec<u32> = own.copied().collect();
    let selected = |node: &Node| source.beside(*node).is_some_and(|e| own.contains(&e));
    if any(at, selected) {
        return None;
    }
    let Some((entity, near)) = nearness.best(own.iter().copied()) else {
        let text = "no name was found in its text";
        return Some(Reason::new(Code::NoEntities, text));
    };
    let (count, least) = last(at);
    let rank = nearness.rank(entity);
    let text = format!(
        "its nearest entity '{}' is rank {rank} (similarity {near:.3}); the last of {count} selected has {least:.3}",
        skeleton.names.get(entity as usize)
    );
    let wanted = rank.div_ceil(entities(at.values().get(OVERSAMPLE), 1));
    let fix = at.tried_anywhere(passage, QUERY_ENTITIES.at(wanted));
    Some(Reason::new(Code::EntityNotSelected, text).with_fix(fix))
}

fn not_core(at: &At<'_>, skeleton: &Skeleton, units: &[u32], passage: u32) -> Reason {
    let layer = &KetGraph::of(at.graph()).layer;
    let core = &skeleton.core;
    let places = units.iter().map(|unit| layer.knn.place(*unit, core.by) + 1);
    let (best, size) = (places.min().unwrap_or(0), layer.knn.core_size(core));
    let text = format!(
        "rank {best} of {} by {}, {} beyond the {size} core units",
        layer.units.len(),
        core.by.name(),
        best - size
    );
    // The least share of core units that has it, in steps of a twentieth. Another core is read anew: tried on small
    // indexes only.
    let exact = best as f64 / layer.units.len() as f64;
    let share = CORE_SHARE.at(((exact * 20.0).ceil() / 20.0).min(1.0));
    let small = at.index.len() <= crate::index::layer::SMALL;
    let fix = small.then(|| at.tried_anywhere(passage, share)).flatten();
    Reason::new(Code::NotCore, text).with_fix(fix)
}

#[cfg(test)]
mod tests {
    use super::Nearness;

    #[test]
    fn a_rank_counts_those_nearer_and_of_equals_those_of_a_lower_number() {
        let near = Nearness(vec![0.5, 0.7, 0.5, 0.1]);
        assert_eq!([0, 1, 2, 3].map(|node| near.rank(node)), [2, 1, 3, 4]);
        assert_eq!(near.best([3, 2, 0].into_iter()), Some((0, 0.5)));
    }
}
