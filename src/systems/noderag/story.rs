//! What was found, as the trace, the reasons and the explorer read it.

use super::account::{clipped, short};
use super::params::NodeOrder;
use super::search::{Answer, Chosen, Entry};
use super::teller::Teller;
use crate::index::Index;
use crate::retrieve::Hit;
use crate::systems::{Found, Part, Reason, Story};

/// Most characters of a sentence.
pub(super) const WHY: usize = 160;

impl Found for Answer {
    fn passages(&self) -> &[Hit] {
        &self.run.hits
    }

    fn story(&self, index: &Index) -> Story {
        Teller::new(self, index).tell()
    }

    fn why(&self, index: &Index, passage: u32) -> String {
        let Some(at) = self.run.hits.iter().position(|h| h.passage == passage) else {
            return "none of the chosen nodes stands for it".into();
        };
        let node = self.run.support[at];
        let Some(chosen) = self.run.chosen(node) else {
            return String::new();
        };
        let mut said = format!("{} {}", self.layer.kind(node).name(), self.entered(chosen));
        let shares = self.shares(node);
        let paid: Vec<String> = shares
            .iter()
            .take(3)
            .filter(|share| share.1 > 0.05 * chosen.pi)
            .map(|&(seed, share)| {
                let percent = 100.0 * share / chosen.pi;
                format!("{percent:.0} % from {}", short(&self.layer, index, seed))
            })
            .collect();
        if !paid.is_empty() {
            said = format!("{said}; {}", paid.join(", "));
        }
        clipped(&said, WHY)
    }

    fn parts(&self, index: &Index, passage: u32) -> Vec<Part> {
        let Some(at) = self.run.hits.iter().position(|h| h.passage == passage) else {
            return Vec::new();
        };
        let node = self.run.support[at];
        let Some(chosen) = self.run.chosen(node) else {
            return Vec::new();
        };
        let part = |label: &str, value: f64, why: String| Part {
            label: label.into(),
            value,
            why,
            ..Part::default()
        };
        let mut parts = Vec::new();
        if self.params.node_order == NodeOrder::Output {
            let why = self.entered(chosen);
            match chosen.entry {
                Entry::Vector => {
                    let cosine = f64::from(self.run.vector[chosen.rank - 1].1);
                    return vec![
                        part("vector hits come first", 2.0, why),
                        part("cosine", cosine, short(&self.layer, index, node)),
                    ];
                }
                Entry::Cross => parts.push(part("cross nodes come second", 1.0, why)),
                Entry::Attached => {}
            }
        }
        let shares = self.shares(node).into_iter();
        parts.extend(
            shares.map(|(seed, value)| {
                part(&short(&self.layer, index, seed), value, self.seeded(seed))
            }),
        );
        parts
    }

    fn missing(&self, index: &Index, passage: u32) -> Vec<Reason> {
        self.reasons(index, passage)
    }
}

impl Answer {
    /// How a chosen node came to be chosen.
    pub(super) fn entered(&self, chosen: &Chosen) -> String {
        let rank = chosen.rank;
        match chosen.entry {
            Entry::Vector => {
                let cosine = self.run.vector[rank - 1].1;
                format!("by vector, rank {rank} (cosine {cosine:.3})")
            }
            Entry::Cross => format!("by the walk, {rank}. of its quota"),
            Entry::Attached => "attached to a chosen name".into(),
        }
    }

    /// How a seed became one.
    pub(super) fn seeded(&self, seed: u32) -> String {
        let term = self.run.terms.iter().find(|t| t.matches.contains(&seed));
        let hit = self.run.vector.iter().position(|h| h.0 == seed);
        match (term, hit) {
            (Some(term), _) if self.params.weight_exact > 0.0 => {
                format!("contains '{}'", term.text)
            }
            (_, Some(at)) => {
                let cosine = self.run.vector[at].1;
                format!("vector hit {} (cosine {cosine:.3})", at + 1)
            }
            _ => String::new(),
        }
    }
}
