//! Why a passage is not among the returned ones, with changes that were tried.

use super::answer::Answer;
use super::search::Asked;
use crate::graph::trail::distance;
use crate::index::Index;
use crate::parameters::{CONTEXT_TOKENS, HUB_P, RESULT_K, STEPS};
use crate::retrieve::Parameter as P;
use crate::retrieve::compose::Pick;
use crate::systems::Reason;

/// A step that loses more than this share of all that is lost dilutes.
const MOST_LOST: f64 = 0.5;
/// The largest top K and number of steps that are suggested.
const MOST_K: usize = 200;
const MOST_STEPS: usize = 50;

fn reason(code: &'static str, class: &'static str, text: String, fix: Option<String>) -> Reason {
    Reason {
        code,
        class,
        text,
        fix,
    }
}

impl Answer {
    /// The first is the verdict.
    pub(super) fn reasons(&self, index: &Index, passage: u32) -> Vec<Reason> {
        let (asked, run) = (&self.asked, &self.run);
        let k = asked.settings.get(RESULT_K);
        let place = run.hits.iter().position(|hit| hit.passage == passage);
        if place.is_some_and(|at| at < k) {
            return Vec::new();
        }
        let mut reasons = Vec::new();
        let unlinked = run.names.iter().filter(|name| name.nodes.is_empty());
        let unlinked: Vec<&str> = unlinked.map(|name| &*name.surface).collect();
        if run.seeds.is_empty() {
            let text = match unlinked[..] {
                [] => "nothing in the question starts the walk".to_owned(),
                _ => format!("no node is called {}", unlinked.join(" or ")),
            };
            reasons.push(reason("QUERY_ENTITY_NOT_LINKED", "F1", text, None));
            return reasons;
        }
        if run.scores[passage as usize] == 0.0 {
            reasons.push(self.unreached(index, passage));
        } else {
            if let Some(at) = place {
                reasons.push(self.cut(at, k));
            } else if run.unfit.contains(&passage) {
                let room = asked.settings.get(CONTEXT_TOKENS);
                let rank = self.walk_rank(passage).unwrap_or(0);
                let text = format!(
                    "{rank}. by score, but the context of {room} tokens was full before it"
                );
                reasons.push(reason("BUDGET", "F6", text, None));
            } else {
                let rank = self.walk_rank(passage).unwrap_or(0);
                let text = format!("{rank}. by the walk, below what is kept of it");
                reasons.push(reason("CUT_BY_K", "F4", text, None));
            }
            reasons.extend(self.diluted(index, passage));
        }
        if !unlinked.is_empty() {
            let text = format!("no node is called {}", unlinked.join(" or "));
            reasons.push(reason("QUERY_ENTITY_NOT_LINKED", "F1", text, None));
        }
        reasons
    }

    fn cut(&self, at: usize, k: usize) -> Reason {
        let rank = at + 1;
        let last = self.run.hits.get(k.saturating_sub(1));
        let last = last.map_or(0.0, |hit| hit.score);
        let own = self.run.hits[at].score;
        let class = if rank <= 2 * k { "F6" } else { "F4" };
        let text = format!("rank {rank}: {own:.5}, {:.5} short of rank {k}", last - own);
        let fix = Some(RESULT_K.assignment(rank)).filter(|_| rank <= MOST_K);
        reason("CUT_BY_K", class, text, fix)
    }

    /// No mass comes to any node of the passage.
    fn unreached(&self, index: &Index, passage: u32) -> Reason {
        let (web, own) = (&self.asked.web, self.asked.web.of_passage(passage));
        if own.is_empty() {
            let text = "no node of this graph stands for the passage".into();
            return reason("ISOLATED", "F3", text, None);
        }
        let lonely = |node: &u32| web.transition().dangling(*node as usize);
        if own.iter().all(lonely) {
            let text = "no edge leads to the passage".into();
            return reason("ISOLATED", "F3", text, None);
        }
        let seeds = Asked::restart(&self.run.seeds);
        match distance(web.transition(), &seeds, own) {
            None => {
                let text = "no path leads from any seed to the passage".into();
                reason("NO_PATH", "F3", text, None)
            }
            Some(far) => {
                let (steps, fix) = match self.asked.lengths() {
                    None => ("push stops before it".to_owned(), None),
                    Some(lengths) => {
                        let change = STEPS.assignment(far);
                        let rank = Some(far)
                            .filter(|far| *far <= MOST_STEPS)
                            .and_then(|_| self.again(index, passage, &change));
                        let fix = rank.map(|rank| format!("{change} brings it to rank {rank}"));
                        (format!("the walk takes {}", lengths.len() - 1), fix)
                    }
                };
                let text = format!("the nearest seed is {far} steps away, {steps}");
                reason("TOO_FAR", "F3", text, fix)
            }
        }
    }

    /// Most of what is lost on the best path is lost at one node.
    fn diluted(&self, index: &Index, passage: u32) -> Option<Reason> {
        let (asked, run) = (&self.asked, &self.run);
        let path = asked.path(run, asked.best_node(run, passage)?)?;
        let loss: f64 = path.kept.iter().map(|p| -p.ln()).sum();
        let steps = path.kept.iter().enumerate();
        let (at, kept) = steps.min_by(|a, b| a.1.total_cmp(b.1))?;
        if -kept.ln() <= MOST_LOST * loss || path.kept.len() < 2 {
            return None;
        }
        let (hub, next) = (path.nodes[at], path.nodes[at + 1]);
        let text = format!(
            "'{}' (degree {}) passes only {:.2} % on to '{}'",
            asked.label(index, hub),
            asked.web.transition().degree(hub as usize),
            100.0 * kept,
            asked.label(index, next)
        );
        let fix = match asked.parts.pick {
            Pick::Passages if asked.settings.method().uses().contains(&P::HubP) => {
                let change = HUB_P.assignment(1.0);
                self.again(index, passage, &change)
                    .map(|rank| format!("{change} brings it to rank {rank}"))
            }
            _ => None,
        };
        Some(reason("DILUTED", "F4", text, fix))
    }
}
