//! Why a passage is there, in one sentence, and why another is missing, as codes with evidence.

use super::attribution::attribution;
use super::words::{Contribution, terms};
use crate::corpus::full_text;
use crate::graph::Power;
use crate::index::Index;
use crate::parameters::{ALPHA, DANGLING, FALLBACK, RESULT_K, STEPS, WALK, Walk};
use crate::retrieve::retrieval::{Link, Node};
use crate::retrieve::spread::restart;
use crate::retrieve::{GraphView, Retrieval, SeedReason, Select, Spread};
use crate::text::similar::nearest;
use crate::text::{Ner, Norm};

pub use crate::systems::Reason;

/// Scores closer than this, relatively, are a tie: their order is noise.
pub const TIE_BAND: f32 = 0.005;
/// A seed with less of the restart mass is weak.
const WEAK: f64 = 0.05;

fn reason(code: &'static str, class: &'static str, text: String) -> Reason {
    Reason {
        code,
        class,
        text,
        fix: None,
    }
}

/// What a gold item that is not in the corpus looks most like.
pub fn not_in_index(index: &Index, named: &str) -> Reason {
    let nearest = nearest(named, (0..index.len() as u32).map(|p| index.title(p)));
    let text = match nearest {
        Some(title) => format!("no passage has the id '{named}'; the nearest title is '{title}'"),
        None => format!("no passage has the id '{named}'"),
    };
    reason("NOT_IN_INDEX", "F0", text)
}

/// One sentence: the first of direct seed, walk shares, words that holds.
pub fn why_here(index: &Index, retrieval: &Retrieval, passage: u32) -> String {
    if let Some(found) = &retrieval.found {
        return found.why(index, passage);
    }
    let walked = retrieval.settings.method().select == Select::Score;
    let Some(view) = retrieval.view.as_deref().filter(|_| walked) else {
        if let Some(said) = reranked(retrieval, passage) {
            return said;
        }
        let mut words = terms(index, retrieval, passage);
        words.retain(|w| w.score > 0.0);
        words.sort_by(|a, b| b.score.total_cmp(&a.score));
        let said = |w: &Contribution| match w.idf {
            0.0 => format!("{} rank {} ({:.4})", w.word, w.tf, w.score),
            _ => format!("{} {:.2}", w.word, w.score),
        };
        let said: Vec<String> = words.iter().take(4).map(said).collect();
        return if said.is_empty() {
            "shares no word".into()
        } else {
            said.join(", ")
        };
    };
    let Some(opened) = attribution(retrieval, passage) else {
        return String::new();
    };
    let mut parts = Vec::new();
    let own = retrieval.seeds.iter().find(|s| s.node == passage);
    if let Some(seed) = own {
        parts.push(match seed.why {
            SeedReason::Ranked { ranker, rank, .. } => {
                format!(
                    "seed: {} rank {rank}, weight {:.3}",
                    ranker.label(),
                    seed.weight
                )
            }
            SeedReason::Added => format!("seed added by hand, weight {:.3}", seed.weight),
            _ => format!("seed of the fallback, weight {:.3}", seed.weight),
        });
    }
    if retrieval.fallback {
        return parts
            .pop()
            .unwrap_or_else(|| "reached from the fallback's seeds".into());
    }
    let paid = |(i, share): &(usize, &(usize, f64))| *i == 0 || share.1 >= 0.005 * opened.score;
    for (_, (at, share)) in opened.shares.iter().enumerate().take(3).filter(paid) {
        let seed = &retrieval.seeds[*at];
        let percent = 100.0 * share / opened.score;
        let label = view.label(index, seed.node);
        let path = opened
            .paths
            .iter()
            .find(|p| p.nodes.first() == Some(&seed.node) && p.nodes.len() > 1);
        let via: Vec<&str> = path.map_or(Vec::new(), |p| {
            p.nodes[1..p.nodes.len() - 1]
                .iter()
                .map(|n| view.label(index, *n))
                .collect()
        });
        let via = if via.is_empty() {
            String::new()
        } else {
            format!(" via {}", via.join(" > "))
        };
        parts.push(format!("{percent:.0} % from {label}{via}"));
    }
    parts.join("; ")
}

/// What scored a candidate again, or that nothing did.
fn reranked(retrieval: &Retrieval, passage: u32) -> Option<String> {
    let by = retrieval.reranked.as_ref()?;
    let list = retrieval.fused.first()?;
    let before = 1 + list.hits.iter().position(|h| h.passage == passage)?;
    let of = format!("rank {before} of {}", list.ranker.label());
    if before > by.candidates {
        let (name, count) = (by.name, by.candidates);
        return Some(format!("{of}, below the {count} that {name} scored again"));
    }
    let (_, score) = retrieval.place(passage)?;
    Some(format!("{} {score:.4}, {of} before", by.name))
}

/// Why a passage is not among the returned ones: the first reason is the verdict, the others hold too. Empty when it is.
pub fn why_not(index: &Index, retrieval: &Retrieval, passage: u32) -> Vec<Reason> {
    let k = retrieval.settings.get(RESULT_K);
    let place = retrieval.place(passage);
    if place.is_some_and(|(rank, _)| rank <= k) {
        return Vec::new();
    }
    if let Some(found) = &retrieval.found {
        return found.missing(index, passage);
    }
    let mut reasons = Vec::new();
    let flat = retrieval
        .ranked
        .as_deref()
        .is_some_and(|r| r.ranker.reads_words() && r.parts.len() < 2);
    match (retrieval.view.as_deref(), retrieval.spread.as_deref()) {
        (Some(view), Some(spread)) => {
            unlinked(index, retrieval, view, passage, &mut reasons);
            unreached(index, retrieval, view, spread, passage, &mut reasons);
        }
        _ if flat
            && terms(index, retrieval, passage)
                .iter()
                .all(|w| w.score == 0.0) =>
        {
            reasons.push(reason(
                "NO_SHARED_TERM",
                "F1",
                "the passage contains no word of the question".into(),
            ));
        }
        _ => {}
    }
    if let Some((rank, score)) = place {
        let last = retrieval
            .passages
            .get(k.saturating_sub(1))
            .map_or(0.0, |h| h.score);
        if score >= last * (1.0 - TIE_BAND) {
            reasons.push(reason(
                "TIED",
                "F5",
                format!("rank {rank}, within {:.1} % of rank {k}", 100.0 * TIE_BAND),
            ));
        }
        let class = if rank <= 2 * k { "F6" } else { "F4" };
        let text = format!(
            "rank {rank}: {score:.5}, {:.5} short of rank {k}",
            last - score
        );
        let fix = Some(RESULT_K.assignment(rank)).filter(|_| rank <= 200);
        reasons.push(Reason {
            code: "CUT_BY_K",
            class,
            text,
            fix,
        });
    } else if reasons.is_empty() {
        reasons.push(reason(
            "CUT_BY_K",
            "F4",
            format!("below the {} best that are kept", retrieval.passages.len()),
        ));
    }
    reasons
}

/// Reasons on the way from the question to the passage's entities.
fn unlinked(
    index: &Index,
    retrieval: &Retrieval,
    view: &GraphView,
    passage: Node,
    reasons: &mut Vec<Reason>,
) {
    let text = full_text(index.title(passage), index.text(passage));
    let (row, _) = view.graph.row(passage as usize);
    if row.is_empty() {
        let mut found: Vec<&str> = Ner::RegexPlus
            .mentions(&text)
            .iter()
            .filter(|m| !m.opener)
            .map(|m| &text[m.span.clone()])
            .collect();
        found.truncate(5);
        let would = if found.is_empty() {
            "regex_plus finds none either".into()
        } else {
            format!("regex_plus would find {}", found.join(", "))
        };
        reasons.push(reason(
            "NO_ENTITIES",
            "F2",
            format!("no name was found in the passage; {would}"),
        ));
    }
    let body = Norm::Simple.apply(&text);
    for form in untaken(retrieval, &text, &body) {
        let text =
            format!("the question and the passage say '{form}', but it was not taken for a name");
        reasons.push(reason("QUERY_ENTITY_NOT_EXTRACTED", "F1", text));
    }
    for name in &retrieval.names {
        let form = Norm::Simple.apply(&name.form);
        let here = form
            .split(' ')
            .any(|w| w.len() > 3 && body.split(' ').any(|b| b == w));
        match name.link {
            Link::NotFound if here => {
                let labels = row
                    .iter()
                    .filter_map(|n| view.entity(*n))
                    .map(|e| view.graph.labels.get(e));
                let near = nearest(&name.surface, labels)
                    .map_or(String::new(), |l| format!("; nearest here: {l}"));
                let text = format!("'{}' is no entity of the index{near}", name.surface);
                reasons.push(reason("QUERY_ENTITY_NOT_LINKED", "F1", text));
            }
            Link::Ambiguous => {
                let text = format!("'{}' is the alias of several titles", name.surface);
                reasons.push(reason("AMBIGUOUS_ALIAS", "F1", text));
            }
            Link::Masked { node, by } if row.binary_search(&node).is_ok() => {
                let df = view.entity(node).map_or(0, |e| view.graph.df(e));
                let code = if by == crate::retrieve::Mask::Pruned {
                    "PRUNED_HUB"
                } else {
                    "DF_FILTERED"
                };
                let text = format!(
                    "'{}' (in {df} passages) links the two, but is masked",
                    name.surface
                );
                reasons.push(reason(code, "F3", text));
            }
            Link::Linked { node }
                if view.tf(passage, node) > 0 && view.probability(passage, node) == 0.0 =>
            {
                let text = format!(
                    "the edge to '{}' fell to the cap on edges per entity",
                    name.surface
                );
                reasons.push(reason("CAPPED_EDGE", "F3", text));
            }
            _ => {}
        }
    }
}

/// Names by the widest rules that the question and the passage share, but that this extractor did not take from the
/// question: a name of the passage in any case, or a capitalised word of the question.
fn untaken(retrieval: &Retrieval, text: &str, body: &str) -> Vec<String> {
    let question = &retrieval.question;
    let padded = |text: &str| format!(" {} ", Norm::Simple.apply(text));
    let (asked, body) = (padded(question), padded(body));
    let taken: Vec<String> = retrieval.names.iter().map(|n| padded(&n.surface)).collect();
    let names = Ner::RegexPlus
        .mentions(text)
        .into_iter()
        .filter(|m| !m.opener)
        .map(|m| padded(&text[m.span]));
    let words = Ner::RegexPlus
        .mentions(question)
        .into_iter()
        .map(|m| padded(&question[m.span]));
    let mut found: Vec<String> = Vec::new();
    for form in names
        .filter(|form| asked.contains(form))
        .chain(words.filter(|form| body.contains(form)))
    {
        let named = form.trim().chars().count() > 3 && !taken.iter().any(|t| t.contains(&form));
        if named && !found.iter().any(|f| f == form.trim()) {
            found.push(form.trim().to_owned());
        }
    }
    found
}

/// Reasons on the walk itself.
fn unreached(
    index: &Index,
    retrieval: &Retrieval,
    view: &GraphView,
    spread: &Spread,
    passage: Node,
    reasons: &mut Vec<Reason>,
) {
    let settings = &retrieval.settings;
    let power = settings.get(WALK) == Walk::Power;
    let steps = settings.get(STEPS);
    if retrieval.seeds.is_empty() {
        reasons.push(reason(
            "FALLBACK",
            "F1",
            "no name of the question was linked and the fallback is none".into(),
        ));
        return;
    }
    match distance(retrieval, view, passage) {
        None if view.degree(passage) == 0 => {
            reasons.push(reason(
                "ISOLATED",
                "F3",
                "no edge leads to the passage".into(),
            ));
        }
        None => reasons.push(reason(
            "NO_PATH",
            "F3",
            "no path leads from any seed to the passage".into(),
        )),
        Some(far) if power && far > steps => {
            let text = format!("the nearest seed is {far} steps away, the walk takes {steps}");
            let fix = admits(retrieval, view, passage, far)
                .map(|rank| format!("{} brings it to rank {rank}", STEPS.assignment(far)));
            reasons.push(Reason {
                code: "TOO_FAR",
                class: "F3",
                text,
                fix,
            });
        }
        Some(_) if retrieval.fallback => {}
        Some(_) => {
            let longer = if power && steps < 50 {
                admits(retrieval, view, passage, steps + 1)
            } else {
                None
            };
            if let Some(rank) = longer {
                let (e, p) = (spread.parity.entity_seeds, spread.parity.passage_seeds);
                let text = format!(
                    "T = {steps} lets {e:.2} of entity seeds' and {p:.2} of passage seeds' mass end on passages"
                );
                let fix = Some(format!(
                    "{} brings it to rank {rank}",
                    STEPS.assignment(steps + 1)
                ));
                reasons.push(Reason {
                    code: "PARITY",
                    class: "F4",
                    text,
                    fix,
                });
            }
            weak(index, retrieval, view, passage, reasons);
        }
    }
    if retrieval.fallback {
        let text = format!(
            "no name of the question was linked; the {} fallback ran",
            settings.get(FALLBACK).name()
        );
        reasons.push(reason("FALLBACK", "F1", text));
    }
}

/// DILUTED and SEED_WEAK: what the attribution of the passage shows.
fn weak(
    index: &Index,
    retrieval: &Retrieval,
    view: &GraphView,
    passage: Node,
    reasons: &mut Vec<Reason>,
) {
    let Some(opened) = attribution(retrieval, passage) else {
        return;
    };
    if let Some(path) = opened.paths.iter().find(|p| p.nodes.len() > 1) {
        let loss: f64 = path.kept.iter().map(|p| -p.ln()).sum();
        let worst = path
            .kept
            .iter()
            .enumerate()
            .min_by(|a, b| a.1.total_cmp(b.1));
        if let Some((at, p)) = worst.filter(|(_, p)| -p.ln() > 0.5 * loss) {
            let hub = path.nodes[at];
            let (label, degree) = (view.label(index, hub), view.degree(hub));
            let next = view.label(index, path.nodes[at + 1]);
            let text = format!(
                "{label} (degree {degree}) passes only {:.2} % on to {next}",
                100.0 * p
            );
            reasons.push(reason("DILUTED", "F4", text));
        }
    }
    let paid: Vec<_> = opened
        .shares
        .iter()
        .filter(|(_, share)| *share > 0.05 * opened.score)
        .collect();
    if !paid.is_empty()
        && paid
            .iter()
            .all(|(at, _)| retrieval.seeds[*at].weight < WEAK)
    {
        let best = &retrieval.seeds[paid[0].0];
        let text = format!(
            "it is paid for by seeds of little mass, most by {} ({:.1} %)",
            view.label(index, best.node),
            100.0 * best.weight
        );
        reasons.push(reason("SEED_WEAK", "F4", text));
    }
}

/// The rank within top K that another number of steps gives the passage.
fn admits(retrieval: &Retrieval, view: &GraphView, passage: Node, steps: usize) -> Option<usize> {
    let settings = &retrieval.settings;
    let seeds = restart(&retrieval.seeds);
    let mut power = Power::default();
    let (alpha, rule) = (settings.get(ALPHA), settings.get(DANGLING));
    let walk = power.walk(&view.transition, &seeds, alpha, steps, rule, |_, _, _| {});
    let scores = walk.mass();
    let own = scores[passage as usize] as f32;
    let above = |(other, score): (usize, &f64)| {
        let score = *score as f32;
        score > own || (score == own && other < passage as usize)
    };
    let rank = 1 + scores[..view.passages()]
        .iter()
        .enumerate()
        .filter(|s| above(*s))
        .count();
    (own > 0.0 && rank <= settings.get(RESULT_K)).then_some(rank)
}

/// Steps from the nearest seed, by breadth-first search from the passage.
pub fn distance(retrieval: &Retrieval, view: &GraphView, passage: Node) -> Option<usize> {
    let mut seed = vec![false; view.nodes()];
    for s in retrieval.seeds.iter() {
        seed[s.node as usize] = true;
    }
    let mut seen = vec![false; view.nodes()];
    let mut frontier = vec![passage];
    seen[passage as usize] = true;
    for steps in 0.. {
        if frontier.iter().any(|n| seed[*n as usize]) {
            return Some(steps);
        }
        let mut next = Vec::new();
        for node in frontier {
            for (other, _) in view.neighbours(node) {
                if !std::mem::replace(&mut seen[other as usize], true) {
                    next.push(other);
                }
            }
        }
        if next.is_empty() {
            return None;
        }
        frontier = next;
    }
    None
}
