//! What a composition found, as the trace, the reasons and the explorer read it.

use super::search::{Asked, Run};
use super::story::Teller;
use crate::index::Index;
use crate::parameters::RESULT_K;
use crate::retrieve::Hit;
use crate::retrieve::compose::Pick;
use crate::retrieve::rank::{Fusion, shares};
use crate::systems::{Found, Part, Reason, Story};

/// Seeds that are told one by one in a score; the rest are one part.
const TOLD: usize = 12;
/// Most characters of a sentence.
const WHY: usize = 160;

/// A search and all it was given.
#[derive(Clone, Debug)]
pub struct Answer {
    pub asked: Asked,
    pub run: Run,
}

impl Found for Answer {
    fn passages(&self) -> &[Hit] {
        &self.run.hits
    }

    fn story(&self, index: &Index) -> Story {
        Teller::new(self, index).tell()
    }

    fn why(&self, index: &Index, passage: u32) -> String {
        let said = match self.asked.parts.pick {
            Pick::Passages => self.by_seeds(index, passage),
            Pick::Pack => {
                let by = self.by_seeds(index, passage);
                format!("in the context; {by}")
            }
            Pick::Fuse => {
                let parts = self.parts(index, passage);
                let said: Vec<&str> = parts.iter().map(|part| &*part.why).collect();
                said.join(", ")
            }
            Pick::Rerank => {
                let by = self.run.reranked.as_ref().map_or("", |by| by.name);
                let rank = self
                    .walk_rank(passage)
                    .map_or(String::new(), |r| format!("{r}. "));
                format!(
                    "scored by {by}; {rank}by the walk: {}",
                    self.by_seeds(index, passage)
                )
            }
            Pick::Bridge => {
                let parts = self.run.bridges.iter();
                let each = parts
                    .map(|part| format!("{} {}", part.label, told(part.scores[passage as usize])));
                format!("geometric mean of {}", each.collect::<Vec<_>>().join(", "))
            }
        };
        clipped(&said)
    }

    fn parts(&self, index: &Index, passage: u32) -> Vec<Part> {
        let Some(hit) = self.run.hits.iter().find(|hit| hit.passage == passage) else {
            return Vec::new();
        };
        match self.asked.parts.pick {
            Pick::Passages | Pick::Pack => self.seed_parts(index, passage),
            Pick::Fuse => self.list_parts(passage),
            Pick::Rerank => {
                let by = self.run.reranked.as_ref();
                let label = by.map_or("", |by| by.name).to_owned();
                let why = self.by_seeds(index, passage);
                let value = f64::from(hit.score);
                vec![Part { label, value, why }]
            }
            // A product has no parts that add up; `why` names its factors.
            Pick::Bridge => Vec::new(),
        }
    }

    fn context(&self, index: &Index) -> Option<String> {
        (self.asked.parts.pick == Pick::Pack).then(|| {
            let texts = self.run.hits.iter();
            let text = |hit: &Hit| index.passages().full_text(hit.passage as usize);
            texts.map(text).collect::<Vec<_>>().join("\n\n")
        })
    }

    fn missing(&self, index: &Index, passage: u32) -> Vec<Reason> {
        self.reasons(index, passage)
    }
}

impl Answer {
    /// Who paid for a passage, and over which path most came.
    fn by_seeds(&self, index: &Index, passage: u32) -> String {
        let (asked, run) = (&self.asked, &self.run);
        let score = run.scores[passage as usize];
        let Some(node) = asked.best_node(run, passage).filter(|_| score > 0.0) else {
            return "the walk does not reach it".into();
        };
        let (shares, _) = asked.shares(run, passage);
        let paid = shares.iter().take(2).map(|&(at, share)| {
            let label = asked.label(index, run.seeds[at].node);
            format!("{:.0} % from {label}", 100.0 * share / score)
        });
        let paid: Vec<String> = paid.collect();
        let path = asked.path(run, node).filter(|p| p.nodes.len() > 1);
        let path = path.map(|path| {
            let nodes = path.nodes.iter();
            let labels: Vec<_> = nodes.map(|&n| asked.label(index, n)).collect();
            format!("; {}", labels.join(" > "))
        });
        format!("{}{}", paid.join(", "), path.unwrap_or_default())
    }

    fn seed_parts(&self, index: &Index, passage: u32) -> Vec<Part> {
        let (asked, run) = (&self.asked, &self.run);
        let (shares, unsettled) = asked.shares(run, passage);
        let mut parts: Vec<Part> = shares
            .iter()
            .take(TOLD)
            .map(|&(at, value)| Part {
                label: asked.label(index, run.seeds[at].node).into_owned(),
                value,
                why: asked.seeded(run, &run.seeds[at]),
            })
            .collect();
        let rest = shares.get(TOLD..).unwrap_or_default();
        if !rest.is_empty() {
            parts.push(Part {
                label: format!("{} other seeds", rest.len()),
                value: rest.iter().map(|share| share.1).sum(),
                why: "each pays less than those above".into(),
            });
        }
        // Rounding apart, only push leaves anything.
        if asked.lengths().is_none() && unsettled != 0.0 {
            parts.push(Part {
                label: "not settled by push".into(),
                value: unsettled,
                why: "the shares are of the limit, the score stops epsilon short of it".into(),
            });
        }
        parts
    }

    fn list_parts(&self, passage: u32) -> Vec<Part> {
        let settings = &self.asked.settings;
        let rule = Fusion::last(settings);
        let names = [self.asked.other_seeds(), "walk"];
        let mut parts = Vec::new();
        for (name, list) in names.into_iter().zip(&self.run.fused) {
            let place = list.hits.iter().position(|hit| hit.passage == passage);
            let share = |at: usize| Some((at, *shares(list, rule, settings).get(at)?));
            if let Some((at, value)) = place.and_then(share) {
                parts.push(Part {
                    label: name.to_owned(),
                    value,
                    why: format!("{name} rank {}", at + 1),
                });
            }
        }
        parts
    }

    /// Rank by the walk alone, from 1.
    pub(super) fn walk_rank(&self, passage: u32) -> Option<usize> {
        let scores = &self.run.scores;
        let own = scores[passage as usize];
        let before = |(other, score): &(usize, &f64)| {
            **score > own || (**score == own && *other < passage as usize)
        };
        (own > 0.0).then(|| 1 + scores.iter().enumerate().filter(before).count())
    }

    /// The rank within top K that a passage has when a parameter is set otherwise.
    pub(super) fn again(&self, index: &Index, passage: u32, change: &str) -> Option<usize> {
        let mut asked = self.asked.clone();
        asked.settings.set_text(change).ok()?;
        let run = asked.run(index, &mut |_| {}).ok()?;
        let rank = 1 + run.hits.iter().position(|hit| hit.passage == passage)?;
        (rank <= asked.settings.get(RESULT_K)).then_some(rank)
    }
}

/// Small masses keep their digits.
fn told(mass: f64) -> String {
    match mass {
        0.0 => "0".to_owned(),
        mass if mass < 1e-3 => format!("{mass:.1e}"),
        mass => format!("{mass:.4}"),
    }
}

/// The first so many characters, with a mark where more follow.
fn clipped(text: &str) -> String {
    if text.chars().count() <= WHY {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(WHY - 2).collect();
    cut.push_str("..");
    cut
}
