//! What every name reaches: one walk a name, and one from the other seeds; the geometric mean of what each lands.

use super::passages::landed;
use super::walk::walked;
use crate::parameters::{Parameter as P, RESULT_K};
use crate::retrieve::explanation::{Combine, Explanation, Part as ScorePart};
use crate::retrieve::methods::Ranker;
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::rank;
use crate::retrieve::retrieval::{DEPTH, Ranked, Seed, Seeded, Spread};
use crate::retrieve::set::{Origin, Set};
use crate::retrieve::spread::restart;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Multiplies walks.
#[derive(Debug)]
pub struct Bridge;

pub static BRIDGE: Bridge = Bridge;

/// Walks that are multiplied at most; later names are left out.
const MOST_WALKS: usize = 8;
/// What a name that does not reach a passage counts for: a millionth of the restart, so that one weak name lowers a
/// passage and does not erase it.
const FLOOR: f64 = 1e-6;

/// One of the walks.
#[derive(Clone, Debug)]
pub struct Factor {
    /// The name, or what the other seeds are.
    pub label: String,
    /// By passage.
    pub scores: Vec<f64>,
}

impl Operator for Bridge {
    fn declaration(&self) -> Declaration {
        Declaration::select(
            "bridge",
            "what every name reaches: one walk a name, the geometric mean",
        )
        .reads(&[P::ResultK])
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], desk: &mut Desk<'_>) -> Outcome {
        let graph = cx.graph();
        let spread = inputs.iter().find_map(|set| set.get::<Spread>());
        let seeds = inputs.iter().find_map(|set| set.get::<Seeded>());
        let (Some(spread), Some(seeded)) = (spread, seeds) else {
            return Ok(Set::ranking(Ranked::new(Ranker::Bridge, Vec::new(), 0)));
        };
        let mut groups: BTreeMap<usize, Vec<Seed>> = BTreeMap::new();
        for seed in &seeded.seeds {
            let group = match seed.why {
                Origin::Name { name, .. } => name,
                _ => usize::MAX,
            };
            groups.entry(group).or_default().push(seed.clone());
        }
        let mut factors: Vec<Factor> = Vec::new();
        for mut seeds in groups.into_values().take(MOST_WALKS) {
            let total: f64 = seeds.iter().map(|s| s.weight).sum();
            seeds.iter_mut().for_each(|s| s.weight /= total);
            let label = match seeds[0].why {
                Origin::Name { .. } => graph.label(cx.index, seeds[0].node).into_owned(),
                Origin::Ranked { ranker, .. } => ranker.label().to_owned(),
                Origin::Near { .. } => "nearest nodes".to_owned(),
                _ => "other seeds".to_owned(),
            };
            let walk = spread
                .diffusion
                .spread(graph, &restart(&seeds), false, desk.scratch);
            let scores = landed(graph, walk.mass.reached());
            desk.scratch.mass = walk.mass.into_all();
            factors.push(Factor { label, scores });
        }
        let count = factors.len().max(1) as f64;
        let mean = |passage: usize| {
            let logs = factors.iter().map(|f| (f.scores[passage] + FLOOR).ln());
            (logs.sum::<f64>() / count).exp()
        };
        // Where nothing lands nothing is retrieved, whatever the floor.
        let any = |passage: usize| factors.iter().any(|f| f.scores[passage] > 0.0);
        let scores = (0..graph.passages()).map(|p| if any(p) { mean(p) } else { 0.0 });
        let scores: Vec<f64> = scores.collect();
        let depth = cx.values.get(RESULT_K).max(DEPTH);
        let (hits, matched) = rank::best(&scores, depth, |score| score as f32);
        let labels: Vec<&str> = factors.iter().map(|f| &*f.label).collect();
        let labels = labels.join(", ");
        Ok(Set::ranking(Ranked::new(Ranker::Bridge, hits, matched))
            .fact("walks multiplied", labels)
            .with(factors))
    }

    fn explain(&self, at: &At<'_>, passage: u32) -> Explanation {
        let Some(factors) = at.set().get::<Vec<Factor>>() else {
            return Explanation::default();
        };
        let parts: Vec<ScorePart> = factors
            .iter()
            .map(|factor| {
                ScorePart::new(
                    factor.label.clone(),
                    factor.scores[passage as usize],
                    "a factor: the score is the geometric mean of all",
                )
            })
            .collect();
        let each = parts
            .iter()
            .map(|part| format!("{} {}", part.label, mass(part.value)));
        let sentence = format!("geometric mean of {}", each.collect::<Vec<_>>().join(", "));
        let walk = at.inputs().find(|input| walked(input).is_some());
        let paths = walk.map_or_else(Vec::new, |walk| {
            walk.operator().explain(&walk, passage).paths
        });
        Explanation {
            combine: Combine::Witness,
            parts,
            paths,
            sentence,
            ..Explanation::default()
        }
    }
}

/// Small masses keep their digits.
fn mass(mass: f64) -> String {
    match mass {
        0.0 => "0".to_owned(),
        mass if mass < 1e-3 => format!("{mass:.1e}"),
        mass => format!("{mass:.4}"),
    }
}
