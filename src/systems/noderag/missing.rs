//! Why a passage is not among the returned ones, with changes that were tried.

use super::account::short;
use super::node::Kind;
use super::params::Params;
use super::search::{Answer, follow, own_nodes};
use crate::index::Index;
use crate::parameters::{HUB_BALANCE, QUOTA_OTHER, RESULT_K, STEPS, WEIGHT_EXACT};
use crate::systems::Reason;
use crate::text::Norm;
use crate::text::similar::nearest;

/// A seed with less of the mass is weak; a step that loses more than this share of all that is lost dilutes.
const WEAK: f64 = 0.05;
const MOST_LOST: f64 = 0.5;
/// Largest values that a change may have.
const MOST_QUOTA: usize = 100;
const MOST_K: usize = 200;

fn reason(code: &'static str, class: &'static str, text: String, fix: Option<String>) -> Reason {
    Reason {
        code,
        class,
        text,
        fix,
    }
}

impl Answer {
    /// In the order of the table: the first is the verdict.
    pub(super) fn reasons(&self, index: &Index, passage: u32) -> Vec<Reason> {
        let k = self.params.result_k;
        let place = self.run.hits.iter().position(|hit| hit.passage == passage);
        if place.is_some_and(|at| at < k) {
            return Vec::new();
        }
        let own = own_nodes(&self.layer, passage);
        let mut reasons = Vec::new();
        self.unlinked(&own, &mut reasons);
        let best = own
            .iter()
            .map(|&node| (node, self.run.pi(node)))
            .fold((0, 0.0), |best, n| if n.1 > best.1 { n } else { best });
        if best.1 > 0.0 {
            self.weak(index, passage, best.0, &mut reasons);
        } else {
            self.unreached(index, passage, &own, &mut reasons);
        }
        if let Some(at) = place {
            let rank = at + 1;
            let last = self
                .run
                .hits
                .get(k.saturating_sub(1))
                .map_or(0.0, |h| h.score);
            let own = self.run.hits[at].score;
            let class = if rank <= 2 * k { "F6" } else { "F4" };
            let text = format!("rank {rank}: {own:.5}, {:.5} short of rank {k}", last - own);
            let fix = Some(RESULT_K.assignment(rank)).filter(|_| rank <= MOST_K);
            reasons.push(reason("CUT_BY_K", class, text, fix));
        } else if best.1 > 0.0 {
            self.beyond(index, passage, &own, best, &mut reasons);
        }
        reasons
    }

    /// Names that the question and the passage share but that led nowhere.
    fn unlinked(&self, own: &[u32], reasons: &mut Vec<Reason>) {
        let layer = &self.layer;
        let asked = format!(" {} ", Norm::Simple.apply(&self.question));
        let mut names: Vec<u32> = own
            .iter()
            .flat_map(|&node| layer.tied(node, Kind::Entity))
            .collect();
        names.sort_unstable();
        names.dedup();
        for &name in &names {
            let form = Norm::Simple.apply(layer.label(name));
            let said = form.chars().count() > 3 && asked.contains(&format!(" {form} "));
            let covered =
                |t: &super::terms::Term| format!(" {} ", t.form).contains(&format!(" {form} "));
            if said && !self.run.terms.iter().any(covered) {
                let text = format!(
                    "the question and the passage say '{}', but it was not taken for a term",
                    layer.label(name)
                );
                reasons.push(reason("QUERY_ENTITY_NOT_EXTRACTED", "F1", text, None));
            }
        }
        let unmatched = self
            .run
            .terms
            .iter()
            .filter(|t| t.matches.is_empty() && t.name);
        for term in unmatched {
            let labels = names.iter().map(|&name| layer.label(name));
            if let Some(label) = nearest(&term.text, labels) {
                let text = format!("no entity contains '{}'; nearest here: {label}", term.text);
                reasons.push(reason("QUERY_ENTITY_NOT_LINKED", "F1", text, None));
            }
        }
        if self.run.seeds.is_empty() {
            let text = "nothing started the walk: no term matched and no vector was near".into();
            reasons.push(reason("QUERY_ENTITY_NOT_LINKED", "F1", text, None));
        }
    }

    /// Reached by the walk, but none of its nodes was chosen.
    fn beyond(
        &self,
        index: &Index,
        passage: u32,
        own: &[u32],
        best: (u32, f64),
        reasons: &mut Vec<Reason>,
    ) {
        let layer = &self.layer;
        let kind = layer.kind(best.0);
        let quota = self
            .params
            .quotas()
            .into_iter()
            .find(|q| q.kinds.contains(&kind));
        if let Some(quota) = quota {
            let ahead = self.run.pi.iter().filter(|&&(node, mass)| {
                let first = mass > best.1 || mass == best.1 && node < best.0;
                first && quota.kinds.contains(&layer.kind(node)) && !self.run.is_vector(node)
            });
            let rank = ahead.count() + 1;
            let class = if rank <= 2 * quota.most { "F6" } else { "F4" };
            let fix = (rank <= MOST_QUOTA)
                .then(|| Params {
                    quota_other: rank,
                    ..self.params.clone()
                })
                .and_then(|params| self.again(index, passage, &params))
                .map(|found| format!("{} brings it to rank {found}", QUOTA_OTHER.assignment(rank)));
            let text = format!(
                "its {} '{}' is {rank}. by mass ({:.6}), the quota takes {}",
                kind.name(),
                short(layer, index, best.0),
                best.1,
                quota.most
            );
            reasons.push(reason("QUOTA_FULL", class, text, fix));
        }
        let mut named: Vec<u32> = own
            .iter()
            .flat_map(|&node| {
                let near = layer.tied(node, Kind::Entity);
                near.chain(layer.tied(node, Kind::Relation))
            })
            .filter(|&node| self.run.chosen(node).is_some())
            .collect();
        named.sort_unstable();
        named.dedup();
        if let Some(&node) = named.first() {
            let text = format!(
                "the {} '{}' of the passage was chosen, but stands for no passage",
                layer.kind(node).name(),
                short(layer, index, node)
            );
            reasons.push(reason("TYPE_FILTERED", "F4", text, None));
        }
    }

    /// The walk does not come to any node of the passage.
    fn unreached(&self, index: &Index, passage: u32, own: &[u32], reasons: &mut Vec<Reason>) {
        if self.run.seeds.is_empty() {
            return;
        }
        let view = self.view();
        if own
            .iter()
            .all(|&node| view.transition.dangling(node as usize))
        {
            let text = "no edge leads to the passage".into();
            reasons.push(reason("ISOLATED", "F3", text, None));
            return;
        }
        match self.distance(own) {
            None => {
                let text = "no path leads from any seed to the passage".into();
                reasons.push(reason("NO_PATH", "F3", text, None));
            }
            Some(far) => {
                let params = Params {
                    steps: far,
                    ..self.params.clone()
                };
                let fix = self
                    .again(index, passage, &params)
                    .map(|rank| format!("{} brings it to rank {rank}", STEPS.assignment(far)));
                let text = format!(
                    "the nearest seed is {far} steps away, the walk takes {}",
                    self.params.steps
                );
                reasons.push(reason("TOO_FAR", "F3", text, fix));
            }
        }
    }

    /// DILUTED and SEED_WEAK, by the shares and the best path of a node.
    fn weak(&self, index: &Index, passage: u32, node: u32, reasons: &mut Vec<Reason>) {
        let layer = &self.layer;
        if let Some(path) = self.path(node).filter(|p| !p.kept.is_empty()) {
            let loss: f64 = path.kept.iter().map(|p| -p.ln()).sum();
            let steps = path.kept.iter().enumerate();
            let worst = steps.min_by(|a, b| a.1.total_cmp(b.1));
            if let Some((at, p)) = worst.filter(|(_, p)| -p.ln() > MOST_LOST * loss) {
                let (hub, next) = (path.nodes[at], path.nodes[at + 1]);
                let text = format!(
                    "'{}' (degree {}) passes only {:.2} % on to '{}'",
                    short(layer, index, hub),
                    self.view().transition.degree(hub as usize),
                    100.0 * p,
                    short(layer, index, next)
                );
                let other = !self.params.hub_balance;
                let params = Params {
                    hub_balance: other,
                    ..self.params.clone()
                };
                let fix = self.again(index, passage, &params).map(|rank| {
                    format!("{} brings it to rank {rank}", HUB_BALANCE.assignment(other))
                });
                reasons.push(reason("DILUTED", "F4", text, fix));
            }
        }
        let mass = self.run.pi(node);
        let paid = self.shares(node);
        let paid: Vec<_> = paid.iter().filter(|s| s.1 > WEAK * mass).collect();
        if !paid.is_empty() && paid.iter().all(|s| self.run.p(s.0) < WEAK) {
            let text = format!(
                "it is paid for by seeds of little mass, most by '{}' ({:.1} % of {} seeds)",
                short(layer, index, paid[0].0),
                100.0 * self.run.p(paid[0].0),
                self.run.seeds.len()
            );
            let fewer = Params {
                weight_exact: 0.0,
                ..self.params.clone()
            };
            let fix = Some(fewer)
                .filter(|_| self.params.weight_exact > 0.0)
                .and_then(|params| self.again(index, passage, &params))
                .map(|rank| format!("{} brings it to rank {rank}", WEIGHT_EXACT.assignment(0.0)));
            reasons.push(reason("SEED_WEAK", "F4", text, fix));
        }
    }

    /// The rank within top K that the passage has under other parameters.
    fn again(&self, index: &Index, passage: u32, params: &Params) -> Option<usize> {
        let run = follow(
            &self.layer,
            index,
            self.run.terms.clone(),
            Some(&self.vector),
            params,
            &mut |_| {},
        );
        let hits = run.ok()?.hits;
        let rank = 1 + hits.iter().position(|hit| hit.passage == passage)?;
        (rank <= self.params.result_k).then_some(rank)
    }
}
