//! Why a passage is in the context, and why another is not.

use super::Answer;
use super::local::LocalPart;
use super::options::{Channel, Params};
use super::search::{keyword_scores, search};
use super::skeleton::Skeleton;
use super::story::{label, short};
use super::text_part::{TextPart, Why};
use crate::index::Index;
use crate::index::layer::SMALL;
use crate::parameters::{
    CONTEXT_TOKENS, CORE_SHARE, QUERY_ENTITIES, QUERY_KEYWORDS, RESULT_K, THETA,
};
use crate::systems::Reason;

/// One sentence: what brought a passage into the context.
pub fn why(answer: &Answer, index: &Index, passage: u32) -> String {
    let (run, layer) = (&answer.run, &answer.layer);
    let own = layer.units.of_passage(passage);
    let mut said = Vec::new();
    if let (Some(local), Some(skeleton)) = (&run.local, &run.skeleton) {
        let near = local
            .units
            .iter()
            .find(|u| u.packed && own.contains(&u.unit));
        if let Some(near) = near {
            let entity = &local.entities[near.entity];
            said.push(format!(
                "text of entity {} '{}' (similarity {:.3}), {} of its relations here",
                near.entity + 1,
                skeleton.names.get(entity.entity as usize),
                entity.similarity,
                near.relations
            ));
        }
    }
    if let Some(text) = &run.text
        && let Some(place) = text
            .pool
            .iter()
            .position(|p| p.packed && own.contains(&p.unit))
    {
        let one = &text.pool[place];
        let brought = match one.by {
            Why::Similar => String::new(),
            Why::Keyword(at) => {
                let (keyword, similarity) = text.keywords[at];
                let word = layer.keywords.words.get(keyword as usize);
                format!("keyword {} '{word}' ({similarity:.3}), ", at + 1)
            }
            Why::Neighbour(seed) => {
                let edge = layer.knn.neighbours(seed).find(|n| n.unit == one.unit);
                let evidence = edge.map_or(String::new(), |e| e.evidence());
                format!(
                    "neighbour of '{}' by {evidence}, ",
                    label(layer, index, seed)
                )
            }
        };
        said.push(format!(
            "{brought}place {} by similarity {:.3}",
            place + 1,
            one.similarity
        ));
    }
    if said.is_empty() {
        return "not in the context".into();
    }
    short(&said.join("; "))
}

/// Why a passage is not among the top K: the first that applies is the verdict.
pub fn missing(answer: &Answer, index: &Index, passage: u32) -> Vec<Reason> {
    let k = answer.params.result_k;
    let rank = answer
        .run
        .passages
        .iter()
        .position(|h| h.passage == passage);
    let asked = Asked {
        answer,
        index,
        passage,
        units: answer.layer.units.of_passage(passage),
    };
    let mut reasons = Vec::new();
    match rank {
        Some(at) if at < k => return reasons,
        Some(at) => {
            let rank = at + 1;
            reasons.push(Reason {
                code: "CUT_BY_K",
                class: if rank <= 2 * k { "F6" } else { "F4" },
                text: format!("in the context, {rank} by first appearance; {k} are returned"),
                fix: Some(RESULT_K.assignment(rank)).filter(|_| rank <= 200),
            });
            return reasons;
        }
        None if asked.units.is_empty() => {
            reasons.push(Reason {
                code: "NOT_IN_INDEX",
                class: "F0",
                text: "the passage has no word, so there is no unit of it".into(),
                fix: None,
            });
            return reasons;
        }
        None => {}
    }
    let run = &answer.run;
    // What fell to a budget comes last, whichever part it fell in.
    let mut budget = Vec::new();
    if let (Some(local), Some(skeleton)) = (&run.local, &run.skeleton) {
        match asked.skeleton(local, skeleton) {
            cut if cut.code == "BUDGET_CUT" => budget.push(cut),
            other => reasons.push(other),
        }
    }
    if let (Some(text), Some(channel)) = (&run.text, answer.params.variant.channel()) {
        match asked.text(text, channel) {
            cut if cut.code == "BUDGET_CUT" => budget.push(cut),
            other => reasons.push(other),
        }
    }
    reasons.append(&mut budget);
    reasons
}

struct Asked<'a> {
    answer: &'a Answer,
    index: &'a Index,
    passage: u32,
    units: &'a [u32],
}

impl Asked<'_> {
    /// Runs again with a change. Gives the rank of the passage where it comes into the context.
    fn admits(&self, change: impl FnOnce(&mut Params)) -> Option<usize> {
        let mut p = self.answer.params.clone();
        change(&mut p);
        let (layer, vector) = (&self.answer.layer, &self.answer.run.vector);
        let run = search(layer, self.index, "", Some(vector), &p, &mut |_| {}).ok()?;
        let at = run
            .passages
            .iter()
            .position(|h| h.passage == self.passage)?;
        Some(at + 1)
    }

    fn skeleton(&self, local: &LocalPart, skeleton: &Skeleton) -> Reason {
        let layer = &self.answer.layer;
        let core = &skeleton.core;
        // Linked in the skeleton, or not read at all.
        let linked = |unit: &&u32| !skeleton.entities(**unit).is_empty();
        let in_core = |unit: &u32| layer.knn.is_core(*unit, core);
        if !self.units.iter().any(in_core) {
            let place = |u: &u32| layer.knn.place(*u, core.by) + 1;
            let best = self.units.iter().map(place).min().unwrap_or(0);
            let size = layer.knn.core_size(core);
            let text = format!(
                "rank {best} of {} by {}, {} beyond the {size} core units",
                layer.units.len(),
                core.by.name(),
                best - size
            );
            return Reason {
                code: "NOT_CORE",
                class: "F2",
                text,
                fix: self.larger_core(best),
            };
        }
        let Some(first) = self.units.iter().find(linked) else {
            return Reason {
                code: "ENTITY_NOT_SELECTED",
                class: "F2",
                text: "no name was found in its text".into(),
                fix: None,
            };
        };
        if let Some(near) = local.units.iter().find(|u| self.units.contains(&u.unit)) {
            let before = local.units.iter().take_while(|u| u.unit != near.unit);
            let needed: usize = before.map(|u| u.tokens).sum::<usize>() + near.tokens;
            let short = needed.saturating_sub(local.half());
            let name = skeleton
                .names
                .get(local.entities[near.entity].entity as usize);
            return Reason {
                code: "BUDGET_CUT",
                class: "F6",
                text: format!(
                    "text of entity {} '{name}', {short} tokens short",
                    near.entity + 1
                ),
                fix: self.more_tokens(1.0),
            };
        }
        let scores = skeleton.vectors.scores(&self.answer.run.vector);
        let scores = scores.unwrap_or_else(|_| vec![0.0; skeleton.len()]);
        let better = |e: &u32| (scores[*e as usize], std::cmp::Reverse(*e));
        let nearest = self
            .units
            .iter()
            .flat_map(|u| skeleton.entities(*u))
            .copied()
            .max_by(|a, b| {
                let (a, b) = (better(a), better(b));
                a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
            })
            .unwrap_or(skeleton.entities(*first)[0]);
        if local.entities.iter().any(|e| e.entity == nearest) {
            // Selected, but so far down the list of units that it was not kept.
            return Reason {
                code: "BUDGET_CUT",
                class: "F4",
                text: format!(
                    "text of entity '{}', far beyond the budget",
                    skeleton.names.get(nearest as usize)
                ),
                fix: self.more_tokens(1.0),
            };
        }
        let own = scores[nearest as usize];
        let above =
            |(e, score): (usize, &f32)| *score > own || (*score == own && e < nearest as usize);
        let rank = 1 + scores.iter().enumerate().filter(|s| above(*s)).count();
        let last = local.entities.last().map_or(0.0, |e| e.similarity);
        let text = format!(
            "its nearest entity '{}' is rank {rank} (similarity {own:.3}); the last of {} selected has {last:.3}",
            skeleton.names.get(nearest as usize),
            local.entities.len()
        );
        let wanted = rank.div_ceil(if self.answer.params.oversample { 2 } else { 1 });
        let tried = (wanted <= 50)
            .then(|| self.admits(|p| p.query_entities = wanted))
            .flatten();
        let fix = tried.map(|at| {
            format!(
                "{} brings it to rank {at}",
                QUERY_ENTITIES.assignment(wanted)
            )
        });
        Reason {
            code: "ENTITY_NOT_SELECTED",
            class: "F1",
            text,
            fix,
        }
    }

    /// The least share of core units that admits the passage. Another core is read anew: tried on small indexes only.
    fn larger_core(&self, rank: usize) -> Option<String> {
        if self.index.len() > SMALL {
            return None;
        }
        let exact = rank as f64 / self.answer.layer.units.len() as f64;
        let share = ((exact * 20.0).ceil() / 20.0).min(1.0);
        let at = self.admits(|p| p.changes.core_share = Some(share))?;
        Some(format!(
            "{} brings it to rank {at}",
            CORE_SHARE.assignment(share)
        ))
    }

    fn text(&self, text: &TextPart, channel: Channel) -> Reason {
        let pooled = text.pool.iter().position(|p| self.units.contains(&p.unit));
        if let Some(at) = pooled {
            let short = text.short(at, self.answer.params.pack);
            return Reason {
                code: "BUDGET_CUT",
                class: if short <= text.budget { "F6" } else { "F4" },
                text: format!(
                    "place {} by similarity {:.3}, {short} tokens short of the text part's {}",
                    at + 1,
                    text.pool[at].similarity,
                    text.budget
                ),
                fix: self.more_tokens(0.0),
            };
        }
        if channel != Channel::Keyword {
            return Reason {
                code: "BUDGET_CUT",
                class: "F4",
                text: format!("far below the budget of {} tokens", text.budget),
                fix: self.more_tokens(0.0),
            };
        }
        let (run, layer, p) = (&self.answer.run, &self.answer.layer, &self.answer.params);
        let reached = text.keywords.iter().position(|(keyword, _)| {
            let units = layer.keywords.units(*keyword);
            self.units.iter().any(|u| units.binary_search(u).is_ok())
        });
        if let Some(at) = reached {
            let word = layer.keywords.words.get(text.keywords[at].0 as usize);
            return Reason {
                code: "POOL_FULL",
                class: "F4",
                text: format!(
                    "its best keyword '{word}' is number {}; the pool of {} tokens was full at number {}",
                    at + 1,
                    text.pool_limit,
                    text.visited
                ),
                fix: self.more_tokens(0.0),
            };
        }
        let scores = keyword_scores(layer, &run.vector, p.keyword_similarity).unwrap_or_default();
        let mut best: Option<(f32, u32)> = None;
        for unit in self.units {
            let unit = layer.units.text(self.index.passages(), *unit);
            crate::text::keywords::each_keyword(&unit, layer.meta.options.code_case, |word| {
                if let Some(keyword) = layer.keywords.find(word)
                    && let Some(score) = scores.get(keyword as usize)
                    && best.is_none_or(|(known, _)| *score > known)
                {
                    best = Some((*score, keyword));
                }
            });
        }
        let Some((own, keyword)) = best else {
            return Reason {
                code: "KEYWORD_NOT_SELECTED",
                class: "F2",
                text: "all its words are stop words".into(),
                fix: None,
            };
        };
        let above =
            |(k, score): (usize, &f32)| *score > own || (*score == own && k < keyword as usize);
        let rank = 1 + scores.iter().enumerate().filter(|s| above(*s)).count();
        let last = text.keywords.last().map_or(0.0, |k| k.1);
        let tried = (rank <= 5000)
            .then(|| self.admits(|p| p.query_keywords = rank))
            .flatten();
        Reason {
            code: "KEYWORD_NOT_SELECTED",
            class: "F1",
            text: format!(
                "its best keyword '{}' is rank {rank} (similarity {own:.3}); the last of {} has {last:.3}",
                layer.keywords.words.get(keyword as usize),
                text.keywords.len()
            ),
            fix: tried
                .map(|at| format!("{} brings it to rank {at}", QUERY_KEYWORDS.assignment(rank))),
        }
    }

    /// The nearest theta towards an end that brings the passage in, else the least larger context that does.
    fn more_tokens(&self, end: f64) -> Option<String> {
        let p = &self.answer.params;
        let both = p.variant.channel().is_some() && self.answer.run.local.is_some();
        if both {
            let steps = ((p.theta - end).abs() * 20.0).ceil() as usize;
            for step in 1..=steps {
                let away = step as f64 / 20.0;
                let theta = if end > p.theta {
                    p.theta + away
                } else {
                    p.theta - away
                };
                let theta = ((theta * 20.0).round() / 20.0).clamp(0.0, 1.0);
                if let Some(at) = self.admits(|p| p.theta = theta) {
                    return Some(format!(
                        "{} brings it to rank {at}",
                        THETA.assignment(theta)
                    ));
                }
            }
        }
        let larger = [1.25, 1.5, 2.0, 3.0].map(|times| (p.context_tokens as f64 * times) as usize);
        for tokens in larger.into_iter().filter(|t| *t <= 32_000) {
            if let Some(at) = self.admits(|p| p.context_tokens = tokens) {
                return Some(format!(
                    "{} brings it to rank {at}",
                    CONTEXT_TOKENS.assignment(tokens)
                ));
            }
        }
        None
    }
}
