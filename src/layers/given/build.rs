//! From the files beside a corpus to columns. Units of text are passages by their identifiers.

use super::layer::{GivenLayer, Meta};
use crate::exchange::given::{self, Given, Sort};
use crate::index::{Index, IndexError, Layer};
use crate::layers::skeleton::rows::encode;

type Progress<'a> = &'a dyn Fn(&'static str, usize, usize) -> bool;

/// Lists one after another, and where each ends.
fn flat<'l>(lists: impl Iterator<Item = &'l [u32]>) -> (Vec<u32>, Vec<u32>) {
    let (mut ends, mut all) = (Vec::new(), Vec::new());
    for list in lists {
        all.extend_from_slice(list);
        ends.push(all.len() as u32);
    }
    (ends, all)
}

/// Replaces places of units by numbers of passages. Units that the index does not have are left out and counted.
fn placed(index: &Index, given: &mut Given) {
    let passages: Vec<Option<u32>> = given
        .units
        .iter()
        .map(|unit| index.passages().find(&unit.id))
        .collect();
    let missing = given.units.iter().zip(&passages);
    let missing = missing.filter(|(_, passage)| passage.is_none());
    let missing: Vec<String> = missing.map(|(unit, _)| unit.id.clone()).collect();
    for id in missing {
        let what = "text units that are no passage of this index";
        given.account.note(Sort::LeftOut, what, &id);
    }
    let known = |units: &mut Vec<u32>| {
        *units = units
            .iter()
            .filter_map(|unit| passages[*unit as usize])
            .collect();
        units.sort_unstable();
        units.dedup();
    };
    given.entities.iter_mut().for_each(|e| known(&mut e.units));
    given.relations.iter_mut().for_each(|r| known(&mut r.units));
}

pub(super) fn build(index: &Index, progress: Progress<'_>) -> Result<GivenLayer, IndexError> {
    // Without files of another system, that is what is missing.
    let found = super::files(index)?;
    let dense = index.dense_for(GivenLayer::NAME)?;
    if !progress("reading", 0, 1) {
        return Err(IndexError::Cancelled);
    }
    let read = given::read(&found).map_err(|error| IndexError::Layer {
        layer: GivenLayer::NAME,
        said: error.to_string(),
    });
    let mut given = read?;
    placed(index, &mut given);
    let Given {
        system,
        generation,
        entities,
        relations,
        communities,
        account,
        ..
    } = given;
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
        system,
        generation,
        entities: entities.len(),
        relations: relations.len(),
        communities: communities.len(),
        account,
        identity: Some(entity_vectors.identity().clone()),
    };
    let (entity_ends, entity_passages) = flat(entities.iter().map(|e| &*e.units));
    let (relation_ends, relation_passages) = flat(relations.iter().map(|r| &*r.units));
    let (member_ends, members) = flat(communities.iter().map(|c| &*c.members));
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
        communities: communities.iter().map(|c| &c.title).collect(),
        reports: communities.iter().map(|c| &c.report).collect(),
        levels: Vec::from_iter(communities.iter().map(|c| c.level)).into(),
        member_ends: member_ends.into(),
        members: members.into(),
        entity_vectors,
        relation_vectors,
    })
}
