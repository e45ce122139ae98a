//! The global modes: nearest nodes of the tree, by occurrences of the query entities where there are any (2.2).

use super::layer::E2Graph;
use super::search::{Candidate, Mode, Params, Run, hits};
use crate::index::Index;
use crate::retrieve::RetrieveError;
use std::ops::Range;

/// Occurrences of the query entities by chunk, ascending, with the sums up to each.
struct Weights {
    chunks: Vec<u32>,
    sums: Vec<u64>,
}

impl Weights {
    fn new(layer: &E2Graph, entities: &[u32]) -> Weights {
        let mut all: Vec<(u32, u32)> = Vec::new();
        for &entity in entities {
            let (chunks, counts) = layer.chunks_with(entity);
            all.extend(chunks.iter().copied().zip(counts.iter().copied()));
        }
        all.sort_unstable();
        let mut sum = 0;
        let sums = std::iter::once(0).chain(all.iter().map(|&(_, count)| {
            sum += u64::from(count);
            sum
        }));
        Weights {
            sums: sums.collect(),
            chunks: all.into_iter().map(|(chunk, _)| chunk).collect(),
        }
    }

    /// w of a node: the occurrences in all leaves below it.
    fn of(&self, leaves: &Range<u32>) -> u64 {
        let place = |leaf: u32| self.chunks.partition_point(|&chunk| chunk < leaf);
        self.sums[place(leaves.end)] - self.sums[place(leaves.start)]
    }
}

/// The name under which errors speak of this method.
const METHOD: &str = "e2graphrag";

pub(super) fn nearest(
    layer: &E2Graph,
    index: &Index,
    vector: Option<&[f32]>,
    p: &Params,
    run: &mut Run,
) -> Result<(), RetrieveError> {
    let (Some(vectors), Some(vector)) = (&layer.vectors, vector) else {
        return Err(RetrieveError::NoVectors {
            method: METHOD.into(),
        });
    };
    if let Some(dense) = index.dense() {
        vectors.check(dense.encoder.identity())?;
    }
    let depth = if run.mode == Mode::GlobalOcc {
        2 * p.k
    } else {
        p.k
    };
    let weights = Weights::new(layer, &run.entities);
    let nearest = vectors.nearest(vector, depth)?;
    run.candidates = nearest
        .into_iter()
        .map(|(node, cosine)| Candidate {
            node,
            cosine,
            occurrence: weights.of(&layer.leaves(node)),
        })
        .collect();
    let counted = run.mode == Mode::GlobalOcc && run.candidates.iter().any(|c| c.occurrence > 0);
    let mut kept: Vec<usize> = (0..run.candidates.len()).collect();
    if counted {
        kept.retain(|&at| run.candidates[at].occurrence > 0);
        // Stable: of equal occurrences the nearer node comes first, as the candidates do.
        kept.sort_by_key(|&at| std::cmp::Reverse(run.candidates[at].occurrence));
    }
    kept.truncate(p.k);
    let score = |at: &usize| {
        let candidate = &run.candidates[*at];
        (
            candidate.node,
            if counted {
                candidate.occurrence as f32
            } else {
                candidate.cosine
            },
        )
    };
    run.hits = hits(layer, kept.iter().map(score));
    run.kept = kept;
    Ok(())
}
