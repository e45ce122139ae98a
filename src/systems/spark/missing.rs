//! Why a passage is not among the returned ones (7.4): the first reason is the verdict, the others hold too.

use super::found::{Answer, short};
use super::plan::Op;
use super::run::{Condition, Rung};
use super::search::{EdgePolicy, Params, PlanBy, follow, search};
use crate::index::Index;
use crate::llm::{Llm, Origin};
use crate::parameters::{CANDIDATE_LIMIT, EDGE_POLICY, RESULT_K, SAGE_NEIGHBOURS};
use crate::systems::Reason;

pub(super) fn reasons(answer: &Answer, index: &Index, passage: u32) -> Vec<Reason> {
    let (run, layer) = (&answer.run, &answer.layer);
    let place = run.passages.iter().position(|h| h.passage == passage);
    let k = answer.params.result_k;
    if place.is_some_and(|rank| rank < k) {
        return Vec::new();
    }
    let reason = |code, class, text: String| Reason {
        code,
        class,
        text: short(&text),
        fix: None,
    };
    let mut reasons = Vec::new();
    let Some(object) = layer.object(passage) else {
        let text =
            "it is no object of the schema graph: no operator and no edge reaches it".to_owned();
        reasons.push(reason("ISOLATED", "F2", text));
        return reasons;
    };
    let dropped: Vec<&str> = (run.planned.notes.iter())
        .filter(|n| n.path.is_none())
        .map(|n| n.surface.as_str())
        .collect();
    let ranked = run.answers.iter().position(|a| a.passage == passage);
    // Why it is no answer.
    if ranked.is_none() {
        if !dropped.is_empty() {
            let text = format!(
                "the question names {}; no edges lead from there to the type asked for, and it was dropped",
                dropped.join(", ")
            );
            reasons.push(reason("PLAN_NO_PATH", "F3", text));
        }
        if run.rung == Rung::Hybrid {
            let kind = run
                .planned
                .answer
                .map(|at| layer.schema().types[at].name.as_str());
            let text = format!(
                "the plan gave nothing; hybrid seeds of {} were taken",
                kind.unwrap_or("any type")
            );
            reasons.push(reason("FALLBACK", "F1", text));
        } else {
            reasons.push(reason("PLAN_FILTERED", "F3", filtered(answer, object)));
        }
    }
    if run.rung != Rung::Plan && run.rung != Rung::Hybrid {
        let text = format!(
            "a set of the plan came out empty; rung {} was taken",
            run.rung.name()
        );
        reasons.push(reason("FALLBACK", "F1", text));
    }
    // Why it is no neighbour either.
    if let Some(neighbours) = run
        .neighbours
        .as_ref()
        .filter(|_| ranked.is_none_or(|r| r >= run.limit))
    {
        match neighbours.iter().position(|n| n.passage == passage) {
            Some(rank) if rank >= answer.params.sage_neighbours => {
                let own = &neighbours[rank];
                let text = format!(
                    "neighbour {} of {}, and {} are kept; words {:.3}, vector {:.3}",
                    rank + 1,
                    neighbours.len(),
                    answer.params.sage_neighbours,
                    own.fused.lexical,
                    own.fused.dense
                );
                reasons.push(reason("PRUNED_BY_FUSION", "F7", text));
            }
            Some(_) => {}
            None => {
                let text = format!(
                    "no edge joins it to one of the {} answers that were expanded",
                    run.limit.min(run.answers.len())
                );
                reasons.push(reason("NOT_NEIGHBOUR", "F3", text));
            }
        }
    }
    let rank = place.or(ranked);
    if let Some(rank) = rank {
        let score = |at: usize| run.passages.get(at).map(|h| f64::from(h.score));
        let gap = score(k.saturating_sub(1))
            .zip(score(rank))
            .map(|(last, own)| last - own);
        let gap = gap.map_or(String::new(), |gap| format!(", {gap:.4} below rank {k}"));
        let text = match place {
            Some(_) => format!("rank {} of {}{gap}", rank + 1, run.passages.len()),
            None => format!(
                "answer {} of {}; the first {} were taken and expanded",
                rank + 1,
                run.answers.len(),
                run.limit
            ),
        };
        reasons.push(reason(
            "CUT_BY_K",
            if rank < 2 * k { "F6" } else { "F4" },
            text,
        ));
    }
    if let Some(first) = reasons.first_mut() {
        first.fix = fix(answer, index, passage, rank);
    }
    reasons
}

/// The operator after which an object is gone, with the sizes of the sets around it.
fn filtered(answer: &Answer, object: u32) -> String {
    let (run, layer) = (&answer.run, &answer.layer);
    let has = |set: usize| run.sets[set].members.contains(&object);
    let size = |set: usize| run.sets[set].members.len();
    let lost = |i: &usize| !has(*i) && run.ops[*i].inputs().iter().any(|s| has(*s));
    let lost = (0..run.ops.len())
        .filter(|i| !matches!(run.ops[*i], Op::Limit { .. }))
        .find(lost);
    if let Some(i) = lost {
        let from: Vec<String> = run.ops[i]
            .inputs()
            .iter()
            .map(|s| size(*s).to_string())
            .collect();
        let because = match &run.ops[i] {
            Op::Filter {
                field, test, value, ..
            } => {
                let own: Vec<&str> = layer.values(object, field).map(|(text, _)| text).collect();
                let own = if own.is_empty() {
                    "none".to_owned()
                } else {
                    own.join(", ")
                };
                let misses = Condition::new(field, *test, value).misses(layer, object);
                let by = misses.map_or(String::new(), |by| format!(", off by {by}"));
                format!("its {field} is {own}{by}")
            }
            Op::Intersect { sets } => {
                let lack: Vec<String> = sets
                    .iter()
                    .filter(|s| !has(**s))
                    .map(|s| format!("#{s}"))
                    .collect();
                format!("it is not in {}", lack.join(", "))
            }
            _ => "no edge leads on to it".to_owned(),
        };
        return format!(
            "gone after #{i} {}, sizes {} > {}: {because}",
            run.ops[i],
            from.join("+"),
            size(i)
        );
    }
    // Cut off among the candidates?
    for (i, made) in run.sets.iter().enumerate() {
        if let Some(rank) = made
            .near
            .iter()
            .position(|(o, _)| *o == object)
            .filter(|_| !has(i))
        {
            let kept = made.members.len();
            let text = format!(
                "candidate {} of {} by #{i}, cut at the gap after {kept}",
                rank + 1,
                made.near.len()
            );
            return format!("{text}; distance {:.3}", made.near[rank].1);
        }
    }
    let kind = layer.kind(object);
    let own = &layer.schema().types[kind].name;
    match run.planned.answer {
        Some(asked) if asked != kind => format!(
            "the plan asks for {}, and this is {own}",
            layer.schema().types[asked].name
        ),
        _ if (0..run.ops.len()).any(has) => {
            "it is in a set that the plan did not go on with".to_owned()
        }
        _ => {
            let sizes: Vec<String> = (0..run.ops.len())
                .map(|i| format!("{} {}", run.ops[i].name(), size(i)))
                .collect();
            format!("no operator reached it; sets: {}", sizes.join(", "))
        }
    }
}

/// One change of a parameter that was tried and admits the passage.
fn fix(answer: &Answer, index: &Index, passage: u32, rank: Option<usize>) -> Option<String> {
    let params = &answer.params;
    let mut tries: Vec<(String, Params)> = Vec::new();
    if params.edge_policy == EdgePolicy::Minus {
        tries.push((
            EDGE_POLICY.assignment(EdgePolicy::Plus),
            Params {
                edge_policy: EdgePolicy::Plus,
                ..params.clone()
            },
        ));
    }
    tries.push((
        SAGE_NEIGHBOURS.assignment(100),
        Params {
            sage_neighbours: 100,
            ..params.clone()
        },
    ));
    tries.push((
        CANDIDATE_LIMIT.assignment(100),
        Params {
            candidate_limit: 100,
            ..params.clone()
        },
    ));
    if let Some(k) = rank.map(|rank| rank + 1).filter(|k| *k <= 200) {
        tries.push((
            RESULT_K.assignment(k),
            Params {
                result_k: k,
                ..params.clone()
            },
        ));
    }
    tries
        .into_iter()
        .filter(|(_, p)| p != params)
        .find(|(_, p)| admits(answer, index, passage, p))
        .map(|(text, _)| text)
}

fn admits(answer: &Answer, index: &Index, passage: u32, params: &Params) -> bool {
    let (run, layer) = (&answer.run, &answer.layer);
    let vector = run.vector.as_deref();
    let again = match (&run.origin, vector) {
        // A model's plan stays; the template planner reads the parameters again.
        (Origin::Llm { .. }, Some(vector)) => follow(
            layer,
            index,
            &run.question,
            vector,
            run.planned.clone(),
            params,
            &mut |_| {},
        ),
        _ => {
            let params = Params {
                plan_by: PlanBy::Template,
                ..params.clone()
            };
            search(
                layer,
                index,
                &run.question,
                vector,
                &params,
                &Llm::rules(),
                &mut |_| {},
            )
        }
    };
    again.is_ok_and(|run| {
        run.passages
            .iter()
            .take(params.result_k)
            .any(|h| h.passage == passage)
    })
}
