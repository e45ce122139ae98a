//! From the files beside a corpus to columns. Units of text are passages by their identifiers.

use super::Origin;
use super::layer::{GivenLayer, Meta};
use crate::column::Strings;
use crate::embed::{Identity, Kind, VectorWriter};
use crate::exchange::given::{self, Account, Given, Link, Sort, Unit};
use crate::index::excerpt::Partial;
use crate::index::{Index, IndexError, Layer};
use crate::layers::skeleton::rows::encode;
use std::sync::Arc;

type Progress<'a> = &'a dyn Fn(&'static str, usize, usize) -> bool;

/// Lists one after another, and where each ends.
fn flat(lists: impl Iterator<Item = impl AsRef<[u32]>>) -> (Vec<u32>, Vec<u32>) {
    let (mut ends, mut all) = (Vec::new(), Vec::new());
    for list in lists {
        all.extend_from_slice(list.as_ref());
        ends.push(all.len() as u32);
    }
    (ends, all)
}

/// Passages by the places of units, as far as the index has them.
struct Placed(Vec<Option<u32>>);

impl Placed {
    /// The passages of some units, in their order: no two units are one passage, since both are found by their identifiers.
    fn of(&self, units: &[u32]) -> Vec<u32> {
        let passages = units.iter().filter_map(|unit| self.0[*unit as usize]);
        passages.collect()
    }
}

/// Finds the passages of all units. Units that the index does not have are left out and counted.
fn placed(index: &Index, given: &Given, account: &mut Account) -> Placed {
    let find = |unit: &Unit| {
        let passage = index.passages().find(&unit.id);
        if passage.is_none() {
            let what = "text units that are no passage of this index";
            account.note(Sort::LeftOut, what, &unit.id);
        }
        passage
    };
    Placed(given.units.iter().map(find).collect())
}

pub(super) fn build(index: &Index, progress: Progress<'_>) -> Result<GivenLayer, IndexError> {
    // Without files of another system, that is what is missing.
    let origin = super::origin(index)?;
    let dense = index.dense_for(GivenLayer::NAME)?;
    if !progress("reading", 0, 1) {
        return Err(IndexError::Cancelled);
    }
    let given = match origin {
        Origin::Copied(graph) => graph,
        Origin::Beside(found) => {
            let read = given::read(&found).map_err(|error| IndexError::Layer {
                layer: GivenLayer::NAME,
                said: error.to_string(),
            });
            Arc::new(read?)
        }
    };
    let mut account = given.account.clone();
    let passages = placed(index, &given, &mut account);
    let Given {
        system,
        generation,
        entities,
        relations,
        communities,
        links,
        ..
    } = &*given;
    // A link needs both of its texts.
    let links = links.iter().filter_map(|link| {
        let [source, target] = [link.source, link.target].map(|unit| passages.0[unit as usize]);
        Some((source?, target?, link))
    });
    let links: Vec<(u32, u32, &Link)> = links.collect();
    let all = entities.len() + relations.len();
    let described = entities.iter();
    let described = described.map(|e| format!("{} {}", e.name, e.description));
    let described: Vec<String> = described.collect();
    let entity_vectors = encode(dense, &described, &|done| progress("vectors", done, all))?;
    let related = relations.iter().map(|r| {
        let [source, target] = [r.source, r.target].map(|end| &entities[end as usize].name);
        format!("{} {source} {target} {}", r.label, r.description)
    });
    let related: Vec<String> = related.collect();
    let relation_vectors = encode(dense, &related, &|done| {
        progress("vectors", entities.len() + done, all)
    })?;
    let meta = Meta {
        system: system.clone(),
        generation: generation.clone(),
        entities: entities.len(),
        relations: relations.len(),
        communities: communities.len(),
        links: links.len(),
        account,
        identity: Some(entity_vectors.identity().clone()),
    };
    let (entity_ends, entity_passages) = flat(entities.iter().map(|e| passages.of(&e.units)));
    let (relation_ends, relation_passages) = flat(relations.iter().map(|r| passages.of(&r.units)));
    let (member_ends, members) = flat(communities.iter().map(|c| &c.members));
    Ok(GivenLayer {
        meta_json: serde_json::to_vec(&meta).unwrap_or_default().into(),
        meta,
        names: entities.iter().map(|e| &e.name).collect(),
        kinds: entities.iter().map(|e| &e.kind).collect(),
        descriptions: entities.iter().map(|e| &e.description).collect(),
        entity_ends: entity_ends.into(),
        entity_passages: entity_passages.into(),
        sources: Vec::from_iter(relations.iter().map(|r| r.source)).into(),
        targets: Vec::from_iter(relations.iter().map(|r| r.target)).into(),
        labels: relations.iter().map(|r| &r.label).collect(),
        texts: relations.iter().map(|r| &r.description).collect(),
        weights: Vec::from_iter(relations.iter().map(|r| r.weight as f32)).into(),
        relation_ends: relation_ends.into(),
        relation_passages: relation_passages.into(),
        link_sources: Vec::from_iter(links.iter().map(|link| link.0)).into(),
        link_targets: Vec::from_iter(links.iter().map(|link| link.1)).into(),
        link_labels: links.iter().map(|link| &link.2.label).collect(),
        link_weights: Vec::from_iter(links.iter().map(|link| link.2.weight as f32)).into(),
        communities: communities.iter().map(|c| &c.title).collect(),
        reports: communities.iter().map(|c| &c.report).collect(),
        levels: Vec::from_iter(communities.iter().map(|c| c.level)).into(),
        member_ends: member_ends.into(),
        members: members.into(),
        entity_vectors,
        relation_vectors,
    })
}

/// What was fetched of a graph that lies elsewhere. It has no vectors, and of relations only what joins whom.
pub(super) fn fetched(index: &Index, partial: &Partial) -> Result<GivenLayer, IndexError> {
    let (Some(told), Some(theirs)) = (&partial.told, &partial.whole.given) else {
        // Whatever lies elsewhere has no files beside it.
        return Err(super::origin(index).err().unwrap_or(IndexError::Empty));
    };
    let graph = index.entity_graph(index.options())?;
    let entities = graph.entities() as u32;
    let meta = Meta {
        system: theirs.system.clone(),
        generation: theirs.generation.clone(),
        entities: graph.entities(),
        relations: told.related.len(),
        ..Meta::default()
    };
    let of_entity = (0..entities).map(|entity| graph.row(index.len() + entity as usize).0);
    let (entity_ends, entity_passages) = flat(of_entity);
    let related = || told.related.iter().map(|(_, own)| own);
    let none = || {
        let identity = Identity {
            name: String::new(),
            kind: Kind::File,
            dims: 1,
            fingerprint: String::new(),
        };
        VectorWriter::new(identity, false).finish()
    };
    Ok(GivenLayer {
        meta_json: Vec::new().into(),
        meta,
        names: graph.labels.clone(),
        kinds: told.kinds.clone(),
        descriptions: told.about.clone(),
        entity_ends: entity_ends.into(),
        entity_passages: entity_passages.into(),
        sources: Vec::from_iter(told.related.iter().map(|own| own.0[0])).into(),
        targets: Vec::from_iter(told.related.iter().map(|own| own.0[1])).into(),
        labels: related().map(|own| &own.label).collect(),
        texts: related().map(|own| &own.about).collect(),
        weights: Vec::from_iter(related().map(|own| own.weight)).into(),
        relation_ends: vec![0; told.related.len()].into(),
        relation_passages: Vec::new().into(),
        link_sources: Vec::new().into(),
        link_targets: Vec::new().into(),
        link_labels: Strings::default(),
        link_weights: Vec::new().into(),
        communities: Strings::default(),
        reports: Strings::default(),
        levels: Vec::new().into(),
        member_ends: Vec::new().into(),
        members: Vec::new().into(),
        entity_vectors: none()?,
        relation_vectors: none()?,
    })
}
