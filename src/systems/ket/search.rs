//! One search: the text part first, the skeleton with what is left, and the context of both.

use super::layer::Ket;
use super::local::{LocalPart, local_search};
use super::options::{Channel, KeywordSimilarity, Params};
use super::skeleton::Skeleton;
use super::text_part::{Candidates, TextPart, by_keywords, by_neighbours, by_similarity};
use crate::embed::vectors::top;
use crate::index::Index;
use crate::retrieve::{Hit, RetrieveError};
use std::sync::Arc;

/// Everything a search did, as plain data.
pub struct Run {
    /// The question's vector.
    pub vector: Vec<f32>,
    /// Similarity of every unit to the question.
    pub similarity: Vec<f32>,
    pub text: Option<TextPart>,
    pub local: Option<LocalPart>,
    pub skeleton: Option<Arc<Skeleton>>,
    /// Passages in order of first appearance in the context.
    pub passages: Vec<Hit>,
}

/// One row of the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    Entity(u32),
    Relation(u32),
    /// A unit that an entity brought.
    SkeletonUnit(u32),
    /// A unit of the text part.
    TextUnit(u32),
}

/// Similarity of every keyword to the question.
///
/// # Errors
/// A vector of another encoder.
pub fn keyword_scores(
    layer: &Ket,
    vector: &[f32],
    similarity: KeywordSimilarity,
) -> Result<Vec<f32>, RetrieveError> {
    let mut scores = layer.keywords.vectors.scores(vector)?;
    if similarity == KeywordSimilarity::InnerProduct {
        for (score, length) in scores.iter_mut().zip(&*layer.keywords.length) {
            *score *= length;
        }
    }
    Ok(scores)
}

/// Searches a layer. `stage` hears of each part as it ends.
///
/// # Errors
/// A question without a vector, or an index whose vectors are not the layer's.
pub fn search(
    layer: &Ket,
    index: &Index,
    _question: &str,
    vector: Option<&[f32]>,
    p: &Params,
    stage: &mut dyn FnMut(&'static str),
) -> Result<Run, RetrieveError> {
    let Some(vector) = vector else {
        return Err(RetrieveError::NoVectors {
            method: p.variant.name().into(),
        });
    };
    let similarity = layer.vectors(index)?.scores(vector)?;
    stage("score");
    let budget = p.text_tokens();
    let candidates = Candidates {
        similarity: &similarity,
        tokens: &|unit| layer.units.tokens(unit),
    };
    let text = match p.variant.channel() {
        None => None,
        Some(Channel::Text) => Some(by_similarity(&candidates, budget, p.pack)),
        Some(Channel::Knng) => {
            let near = |unit: u32| layer.knn.neighbours(unit).map(|n| n.unit);
            Some(by_neighbours(near, &candidates, budget, p.pack))
        }
        Some(Channel::Keyword) => {
            let scores = keyword_scores(layer, vector, p.keyword_similarity)?;
            let nearest = top(&scores, p.query_keywords);
            let units = |keyword: u32| layer.keywords.units(keyword);
            Some(by_keywords(nearest, units, &candidates, budget, p.pack))
        }
    };
    stage("keywords");
    let core = p.changes.apply(&layer.meta.options).core;
    // A share of nothing leaves the skeleton out, even where the text part did not use all of its own.
    let skeleton = match p.variant.core(core).filter(|_| p.share() > 0.0) {
        Some(core) => Some(layer.skeleton(index, &core)?),
        None => None,
    };
    let local = match &skeleton {
        Some(skeleton) => {
            let used = text.as_ref().map_or(0, |t| t.used);
            let near = top(&skeleton.vectors.scores(vector)?, p.entities());
            Some(local_search(
                skeleton,
                &near,
                |unit| layer.units.tokens(unit),
                p.relations_per_entity,
                p.context_tokens.saturating_sub(used),
            ))
        }
        None => None,
    };
    stage("skeleton");
    let mut run = Run {
        vector: vector.to_vec(),
        similarity,
        text,
        local,
        skeleton,
        passages: Vec::new(),
    };
    run.passages = ranking(layer, index, &run);
    stage("pack");
    Ok(run)
}

/// Passages by their first appearance. The order is no order of scores: a hit's score is 1 / rank.
fn ranking(layer: &Ket, index: &Index, run: &Run) -> Vec<Hit> {
    let mut seen = vec![false; index.len()];
    let mut found: Vec<Hit> = Vec::new();
    for row in run.rows() {
        let (Row::SkeletonUnit(unit) | Row::TextUnit(unit)) = row else {
            continue;
        };
        for piece in layer.units.pieces(unit) {
            if !std::mem::replace(&mut seen[piece.passage as usize], true) {
                found.push(Hit {
                    passage: piece.passage,
                    score: 1.0 / (found.len() + 1) as f32,
                });
            }
        }
    }
    found
}

impl Run {
    /// The rows of the context in order: entities, relations, units of the skeleton, units of the text part.
    pub fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        let local = self.local.iter();
        let entities = local
            .clone()
            .flat_map(|l| l.entities.iter().filter(|e| e.packed))
            .map(|e| Row::Entity(e.entity));
        let relations = local
            .clone()
            .flat_map(|l| &l.relations)
            .map(|r| Row::Relation(r.relation));
        let units = local
            .flat_map(|l| l.units.iter().filter(|u| u.packed))
            .map(|u| Row::SkeletonUnit(u.unit));
        let text = self.text.iter().flat_map(|t| &t.pool);
        let text = text.filter(|u| u.packed).map(|u| Row::TextUnit(u.unit));
        entities.chain(relations).chain(units).chain(text)
    }

    /// Tokens of all rows. Headings are not counted.
    pub fn used(&self) -> usize {
        let text = self.text.as_ref().map_or(0, |t| t.used);
        text + self.local.as_ref().map_or(0, LocalPart::used)
    }

    /// The context as a reader gets it: rows under headings.
    pub fn context(&self, layer: &Ket, index: &Index) -> String {
        let mut out = String::new();
        let mut heading = "";
        for row in self.rows() {
            let (own, text) = match (row, &self.skeleton) {
                (Row::Entity(entity), Some(skeleton)) => ("Entities", skeleton.entity_row(entity)),
                (Row::Relation(relation), Some(skeleton)) => {
                    ("Relations", skeleton.relation_row(relation))
                }
                (Row::SkeletonUnit(unit), _) => (
                    "Sources of the entities",
                    layer.units.text(index.passages(), unit),
                ),
                (Row::TextUnit(unit), _) => ("Sources", layer.units.text(index.passages(), unit)),
                _ => continue,
            };
            if own != heading {
                out.push_str(if heading.is_empty() { "# " } else { "\n# " });
                out.push_str(own);
                out.push('\n');
                heading = own;
            }
            out.push_str(&text);
            out.push('\n');
        }
        out
    }
}
