//! Edges between objects of one type whose long fields are alike (SAGE, edges between objects).
//!
//! Candidates are the nearest by each long field. A metric's threshold is its percentile over the candidate pairs of its
//! type; every field that both objects have must exceed its own, as in the published code over STaRK.

use super::layer::Long;
use crate::exchange::schema::{EdgeType, Schema};
use crate::graph::neighbours;
use crate::index::IndexError;
use crate::text::chunking::percentile;
use std::collections::{BTreeMap, BTreeSet};

/// What the edge is called, as in the published graphs.
pub const IS_SIMILAR: &str = "IS_SIMILAR";

/// Which candidate pairs become edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Similar {
    /// Nearest objects that are candidates of each.
    pub pool: usize,
    /// At 100 nothing exceeds the threshold.
    pub percentile: f64,
}

/// Adds the edges, in both directions, and their types to the schema.
///
/// # Errors
/// None from vectors that were accepted.
pub fn join(
    schema: &mut Schema,
    long: &[Long],
    rule: Similar,
    edges: &mut Vec<(u32, u32, u32)>,
) -> Result<(), IndexError> {
    if rule.percentile >= 100.0 {
        return Ok(());
    }
    for kind in 0..schema.types.len() {
        let fields: Vec<&Long> = long.iter().filter(|field| field.kind == kind).collect();
        let mut pairs: BTreeSet<(u32, u32)> = BTreeSet::new();
        for field in &fields {
            let near = neighbours::nearest(&field.vectors, rule.pool)?.pairs();
            let objects =
                |(a, b): (u32, u32)| (field.objects[a as usize], field.objects[b as usize]);
            pairs.extend(near.into_iter().map(objects));
        }
        // How near each pair is by each field, where both have it.
        let metrics: Vec<BTreeMap<(u32, u32), f32>> = fields
            .iter()
            .map(|field| {
                let row = |object| field.objects.binary_search(&object).ok();
                let near = |&(a, b): &(u32, u32)| {
                    Some((
                        (a, b),
                        field.vectors.between(row(a)? as u32, row(b)? as u32),
                    ))
                };
                pairs.iter().filter_map(near).collect()
            })
            .collect();
        let bars: Vec<f64> = metrics
            .iter()
            .map(|near| {
                let mut sorted: Vec<f32> = near.values().copied().collect();
                sorted.sort_unstable_by(f32::total_cmp);
                percentile(&sorted, rule.percentile).unwrap_or(f64::INFINITY)
            })
            .collect();
        let alike = |pair: &&(u32, u32)| {
            let mut both = metrics
                .iter()
                .zip(&bars)
                .filter_map(|(near, bar)| Some((near.get(pair)?, bar)));
            both.all(|(near, bar)| f64::from(*near) > *bar)
        };
        let found: Vec<(u32, u32)> = pairs.iter().filter(alike).copied().collect();
        if found.is_empty() {
            continue;
        }
        let edge = edge(schema, kind);
        edges.extend(
            found
                .iter()
                .flat_map(|&(a, b)| [(a, b, edge), (b, a, edge)]),
        );
    }
    edges.sort_unstable();
    edges.dedup();
    Ok(())
}

/// The type of such edges between objects of a type; made where the schema has none.
fn edge(schema: &mut Schema, kind: usize) -> u32 {
    let name = schema.types[kind].name.clone();
    let known = schema
        .edges
        .iter()
        .position(|e| e.name == IS_SIMILAR && e.from == name && e.to == name);
    let at = known.unwrap_or_else(|| {
        schema.edges.push(EdgeType {
            name: IS_SIMILAR.into(),
            from: name.clone(),
            to: name,
            cues: ["similar to", "similar", "like", "resembles"]
                .map(String::from)
                .to_vec(),
            ..EdgeType::default()
        });
        schema.edges.len() - 1
    });
    at as u32
}

#[cfg(test)]
mod tests {
    use super::super::opened;
    use crate::corpus::{self, ReadOptions};
    use crate::exchange::fixture::{EDGES, NODES, SCHEMA};
    use crate::index::{BuildOptions, Index, Silent};
    use crate::retrieve::{Method, Settings};

    #[test]
    fn a_layer_built_for_a_question_is_joined_as_that_question_asks() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().to_owned();
        let schema = SCHEMA.replacen('{', "{\"similar\": true, ", 1);
        for (file, text) in [
            ("nodes.tsv", NODES),
            ("edges.tsv", EDGES),
            ("schema.json", &schema),
        ] {
            std::fs::write(folder.join(file), text).unwrap();
        }
        let beside = std::slice::from_ref(&folder);
        let (corpus, _) = corpus::read(beside, &ReadOptions::default()).unwrap();
        let index = Index::build(corpus, &BuildOptions::default(), &Silent).unwrap();
        index.look_beside(beside);
        let edges = |percentile: &str| {
            let mut settings = Settings::of(&index, Method::by_name("spark").unwrap());
            settings
                .set_text(&format!("similar_percentile={percentile}"))
                .unwrap();
            opened(&index, settings.all()).unwrap().meta.edges
        };
        let own = EDGES.lines().count() - 1;
        assert_eq!(edges("100"), own);
        assert!(edges("50") > own);
        assert_eq!(edges("100"), own);
    }
}
