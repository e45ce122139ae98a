//! Why a passage is not among the returned ones.

use super::search::{Mode, Params, search, shared};
use super::story::{Answer, clip, count, farther};
use crate::index::Index;
use crate::parameters::{HOPS, RESULT_K};
use crate::systems::Reason;
use rustc_hash::FxHashSet;

/// The largest values that a fix may set.
const MOST_K: usize = 200;
const MOST_HOPS: usize = 6;

/// The reasons; the first is the verdict.
pub(super) fn missing(answer: &Answer, index: &Index, passage: u32) -> Vec<Reason> {
    let hits = &answer.run.hits;
    let rank = hits
        .iter()
        .position(|hit| hit.passage == passage)
        .map(|at| at + 1);
    if rank.is_some_and(|rank| rank <= answer.params.k) {
        return Vec::new();
    }
    let told = Told {
        answer,
        index,
        passage,
    };
    let mut reasons = Vec::new();
    let chunks = answer.layer.chunks_of(passage);
    if chunks
        .clone()
        .all(|chunk| answer.layer.entities_in(chunk).is_empty())
    {
        let found = count(chunks.len(), "chunk");
        reasons.push(told.reason(
            "NO_ENTITIES",
            "F2",
            format!("no name and no noun was found in its {found}"),
        ));
    }
    told.question(&mut reasons);
    if let Some(rank) = rank {
        // Its chunk or node is returned; other passages of the returned ones come first.
        let class = if rank <= 2 * answer.params.k {
            "F6"
        } else {
            "F4"
        };
        let text = format!(
            "rank {rank}: its chunk is returned, but passages of better ones fill the first {}",
            answer.params.k
        );
        reasons.push(Reason {
            fix: told.tried(Params {
                k: rank,
                ..answer.params.clone()
            }),
            ..told.reason("CUT_BY_K", class, text)
        });
        return reasons;
    }
    match answer.run.mode {
        Mode::Local | Mode::LocalRanked => told.local(&mut reasons),
        Mode::GlobalDense | Mode::GlobalOcc => told.global(&mut reasons),
    }
    reasons
}

struct Told<'a> {
    answer: &'a Answer,
    index: &'a Index,
    passage: u32,
}

impl Told<'_> {
    fn reason(&self, code: &'static str, class: &'static str, text: String) -> Reason {
        Reason {
            code,
            class,
            text: clip(&text),
            fix: None,
        }
    }

    /// A change of one parameter, if a search with it returns the passage within its k.
    fn tried(&self, p: Params) -> Option<String> {
        let answer = self.answer;
        if p.k > MOST_K || p.hops > MOST_HOPS {
            return None;
        }
        let run = search(
            &answer.layer,
            self.index,
            &answer.question,
            answer.vector.as_deref(),
            &p,
            &mut |_| {},
        )
        .ok()?;
        if !run
            .hits
            .iter()
            .take(p.k)
            .any(|hit| hit.passage == self.passage)
        {
            return None;
        }
        if p.k != answer.params.k {
            return Some(RESULT_K.assignment(p.k));
        }
        Some(HOPS.assignment(p.hops))
    }

    /// What the question did not give.
    fn question(&self, reasons: &mut Vec<Reason>) {
        let answer = self.answer;
        let linked: FxHashSet<u32> = answer.run.entities.iter().copied().collect();
        let asked = format!(" {} ", words(&answer.question).join(" "));
        let chunks = answer.layer.chunks_of(self.passage);
        let mut overlooked: Vec<&str> = Vec::new();
        for entity in chunks.flat_map(|chunk| answer.layer.entities_in(chunk)) {
            let name = answer.name(*entity);
            let form = words(name).join(" ");
            if !linked.contains(entity)
                && form.chars().count() > 2
                && asked.contains(&format!(" {form} "))
                && !overlooked.contains(&name)
            {
                overlooked.push(name);
            }
        }
        if !overlooked.is_empty() {
            overlooked.truncate(5);
            let text = format!(
                "the question contains {}, which its extraction did not take as this vertex",
                overlooked.join(", ")
            );
            reasons.push(self.reason("QUERY_ENTITY_NOT_EXTRACTED", "F1", text));
        }
        // A common noun that the passage does not have either is no reason, unless nothing else of the question linked.
        let text = words(&crate::corpus::full_text(
            self.index.title(self.passage),
            self.index.text(self.passage),
        ));
        let tells = |name: &str| {
            answer.run.mode == Mode::GlobalDense
                || name.starts_with(char::is_uppercase)
                || words(name).iter().any(|word| text.contains(word))
        };
        for asked in answer
            .run
            .asked
            .iter()
            .filter(|a| a.entity.is_none() && tells(&a.name))
        {
            let nearest = nearest(&asked.name, answer.layer.names.iter());
            let near =
                nearest.map_or_else(String::new, |name| format!("; the nearest is '{name}'"));
            reasons.push(self.reason(
                "QUERY_ENTITY_NOT_LINKED",
                "F1",
                format!("'{}' is no vertex{near}", asked.name),
            ));
        }
    }

    fn local(&self, reasons: &mut Vec<Reason>) {
        let answer = self.answer;
        let (run, p) = (&answer.run, &answer.params);
        let chunks = answer.layer.chunks_of(self.passage);
        let inside = |chunk: &u32| chunks.contains(chunk);
        if let Some(at) = run.beyond.iter().position(|scored| inside(&scored.chunk)) {
            let rank = p.k + at + 1;
            let scored = &run.beyond[at];
            let class = if rank <= 2 * p.k { "F6" } else { "F4" };
            let text = format!(
                "rank {rank} of {}: coverage {}, occurrence {}",
                run.chunks.len() + run.beyond.len(),
                scored.coverage,
                scored.occurrence
            );
            reasons.push(Reason {
                fix: self.tried(Params {
                    k: rank,
                    ..p.clone()
                }),
                ..self.reason("CUT_BY_K", class, text)
            });
            return;
        }
        // The last h at which a chunk of it was in.
        if let Some(step) = run
            .steps
            .iter()
            .rev()
            .find(|step| shared(run, step.h, p).iter().any(inside))
        {
            let text = format!(
                "in at h = {} with {}, k is {}; out since h = {}",
                step.h,
                count(step.chunks, "chunk"),
                p.k,
                step.h - 1
            );
            reasons.push(Reason {
                fix: self.tried(Params {
                    k: step.chunks,
                    ..p.clone()
                }),
                ..self.reason("H_REDUCED", "F4", text)
            });
            return;
        }
        self.apart(reasons);
    }

    /// No pair of query entities brings the passage.
    fn apart(&self, reasons: &mut Vec<Reason>) {
        let answer = self.answer;
        let (run, layer) = (&answer.run, &answer.layer);
        let chunks = layer.chunks_of(self.passage);
        let holds = |chunk: u32, place: usize| layer.occurrences(chunk, run.entities[place]) > 0;
        let far = run.pairs.iter().filter(|pair| pair.path.is_none());
        let far: Vec<_> = far
            .filter(|pair| {
                chunks
                    .clone()
                    .any(|chunk| holds(chunk, pair.a) && holds(chunk, pair.b))
            })
            .collect();
        for pair in &far {
            let distance = farther(answer, pair);
            let needed = distance.map(|d| d + usize::from(answer.params.code_hops));
            let said = needed.map_or_else(
                || "no path joins them".to_owned(),
                |h| format!("needs h = {h}"),
            );
            let text = format!(
                "it holds {} and {}, farther apart than h = {}: {said}",
                answer.asked(pair.a),
                answer.asked(pair.b),
                answer.params.hops
            );
            let fix = needed.and_then(|hops| {
                self.tried(Params {
                    hops,
                    ..answer.params.clone()
                })
            });
            reasons.push(Reason {
                fix,
                ..self.reason("PAIR_TOO_FAR", "F3", text)
            });
        }
        if far.is_empty() {
            let all = run.entities.len();
            let held: Vec<&str> = (0..all)
                .filter(|&place| chunks.clone().any(|chunk| holds(chunk, place)))
                .map(|place| answer.asked(place))
                .collect();
            let text = match held.as_slice() {
                [] => format!(
                    "it holds none of the {all} query entities; a chunk needs both of a pair"
                ),
                [one] => format!(
                    "it holds {one} alone (coverage 1 of {all}); a chunk needs both of a pair"
                ),
                _ => format!("it holds {}, no two of them in one chunk", held.join(", ")),
            };
            reasons.push(self.reason("NO_SHARED_CHUNK", "F3", text));
        }
    }

    fn global(&self, reasons: &mut Vec<Reason>) {
        let answer = self.answer;
        let (run, p) = (&answer.run, &answer.params);
        // With chunks in reach but pairs too far apart, the pairs are the verdict.
        if run.mode == Mode::GlobalOcc && run.entities.len() > 1 {
            self.apart(reasons);
        }
        let why = match run.mode {
            Mode::GlobalDense => "no query entity is a vertex",
            _ if run.entities.len() == 1 => "one query entity makes no pair",
            _ => "no chunk holds both of a pair within h",
        };
        reasons.push(self.reason(
            "FALLBACK",
            "F1",
            format!(
                "{}: {why}, so nodes of the tree are returned",
                run.mode.name()
            ),
        ));
        let brings = |node: u32| answer.layer.passages(node).contains(&self.passage);
        let best = run
            .candidates
            .iter()
            .enumerate()
            .find(|(_, c)| brings(c.node));
        match best {
            Some((at, candidate)) if run.counted() && candidate.occurrence == 0 => {
                let text = format!(
                    "rank {} by cosine, but no query entity occurs below it",
                    at + 1
                );
                reasons.push(self.reason("OCC_ZERO", "F4", text));
            }
            Some((at, candidate)) => {
                let text = format!(
                    "cosine rank {}, occurrence {}: {} better nodes are kept",
                    at + 1,
                    candidate.occurrence,
                    p.k
                );
                let fix = self.tried(Params {
                    k: (2 * p.k).min(MOST_K),
                    ..p.clone()
                });
                reasons.push(Reason {
                    fix,
                    ..self.reason("CUT_BY_K", "F6", text)
                });
            }
            None => self.beyond(reasons),
        }
    }

    /// No candidate brings the passage: its place among all nodes.
    fn beyond(&self, reasons: &mut Vec<Reason>) {
        let answer = self.answer;
        let (Some(vectors), Some(vector)) = (&answer.layer.vectors, &answer.vector) else {
            return;
        };
        let Ok(scores) = vectors.scores(vector) else {
            return;
        };
        let Some(best) = answer.layer.chunks_of(self.passage).max_by(|&a, &b| {
            scores[a as usize]
                .total_cmp(&scores[b as usize])
                .then(b.cmp(&a))
        }) else {
            return;
        };
        let score = scores[best as usize];
        let rank = 1 + scores
            .iter()
            .enumerate()
            .filter(|&(node, &s)| s > score || s == score && node < best as usize)
            .count();
        let last = answer.run.candidates.last().map_or(0.0, |c| c.cosine);
        let text = format!(
            "its chunk has rank {rank} of {} nodes: cosine {score:.3}, {:.3} short of the last candidate",
            scores.len(),
            last - score
        );
        let fix = self.tried(Params {
            k: rank,
            ..answer.params.clone()
        });
        reasons.push(Reason {
            fix,
            ..self.reason("CUT_BY_K", "F4", text)
        });
    }
}

/// Words in lower case.
fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The name with the most letter triples in common (Jaccard), if it has a third of them; ties to the first.
fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let triples = |text: &str| -> FxHashSet<[char; 3]> {
        let letters: Vec<char> = format!("  {} ", text.to_lowercase()).chars().collect();
        letters.windows(3).map(|w| [w[0], w[1], w[2]]).collect()
    };
    let own = triples(name);
    let mut best: Option<(&str, f64)> = None;
    for other in names {
        let theirs = triples(other);
        let both = own.intersection(&theirs).count() as f64;
        let share = both / (own.len() as f64 + theirs.len() as f64 - both).max(1.0);
        if share >= 1.0 / 3.0 && best.is_none_or(|(_, most)| share > most) {
            best = Some((other, share));
        }
    }
    best.map(|(name, _)| name)
}
