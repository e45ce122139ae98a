//! `why` and `why_not`: one passage of a run.

use super::ask::Sure;
use super::refusal::Refusal;
use super::runs::{self, Asked, no_effect};
use super::{Arguments, GoOn, Session, read};
use crate::cli::explain::{Explained, Found, Priced, Than};
use crate::explain::trace::Opened;
use crate::index::Index;
use crate::layers::{Class, Code};
use crate::parameters::RESULT_K;
use crate::retrieve::explanation::{Combine, Fix, Part};
use crate::retrieve::{Change, Keep, Retrieval, Retriever};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

/// Most parts of another passage's score that are compared: those that it has most more of.
const BESIDE: usize = 8;
/// A part below this is not listed.
const LEAST: f64 = 5e-7;

#[derive(Deserialize)]
struct Why {
    question: String,
    passage: String,
    #[serde(flatten)]
    asked: Asked,
    than: Option<String>,
    #[serde(default)]
    repairs: bool,
}

/// A run and the passage that is asked about.
struct Subject<'a> {
    name: &'a str,
    index: Arc<Index>,
    run: Retrieval,
    passage: u32,
    than: Option<u32>,
}

impl Why {
    /// Asks the question, and makes an answer about the passage, which hears whether to search for repairs.
    fn asked(
        &self,
        session: &Session,
        answer: impl Fn(&Subject<'_>, bool) -> Result<Value, Refusal>,
    ) -> Result<Value, Refusal> {
        let (text, _) = runs::question(session, &self.question)?;
        let passage = runs::passage(session, &self.passage)?;
        let than = self.than.as_deref().map(|id| runs::passage(session, id));
        let than = than.transpose()?;
        let (name, settings) = self.asked.settings(session)?;
        let asked = |own: &mut Retriever, long: bool| {
            let subject = Subject {
                name: &name,
                run: own.retrieve(text, &settings, Keep::States)?,
                index: own.index().clone(),
                passage,
                than,
            };
            answer(&subject, long)
        };
        session.retrieving(|own| own.long_rounds(self.repairs, asked))
    }
}

/// The fields that both answers begin with.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Head {
    /// Its id.
    passage: String,
    /// Its title; empty where the corpus has none.
    title: String,
    /// The RUN.
    method: String,
    /// From 1; absent where it has no score.
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<usize>,
    /// Passages the run returns.
    k: usize,
    /// Whether it is among them.
    returned: bool,
    /// How probably the answer is in the first five; absent where the method has learned nothing of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<Sure>,
    /// Changes that had nothing to change, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_effect: Option<Vec<String>>,
}

/// The score of a passage.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Scored<'a> {
    #[serde(flatten)]
    head: Head,
    /// Its score; absent where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// The reason in a sentence.
    why: &'a str,
    /// Whether the parts add up to the score.
    sum: bool,
    /// Largest first.
    parts: Vec<Share<'a>>,
    /// Heaviest first.
    paths: Vec<Path>,
    /// The other passage, where one is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    than: Option<Other<'a>>,
    /// Its text.
    text: &'a str,
}

/// A part of a score.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Share<'a> {
    /// The seed, word, list or signal.
    label: &'a str,
    /// In the unit of the score.
    value: f64,
    /// Of the score; absent where the parts do not add up to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    share: Option<f64>,
    /// Evidence of the part.
    why: &'a str,
}

/// A path from a seed.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Path {
    /// Mass that takes exactly this walk.
    mass: f64,
    /// Names of its nodes joined by >.
    path: String,
}

/// Another passage, part by part.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Other<'a> {
    /// Its id.
    passage: &'a str,
    /// From 1; absent where it has no score.
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<usize>,
    /// Its score; absent where it has none and its parts are no sum.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// Those that differ most.
    parts: Vec<Beside<'a>>,
}

/// A part of two scores.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Beside<'a> {
    /// The seed, word, list or signal.
    label: &'a str,
    /// Of the passage that is asked about.
    own: f64,
    /// Of the other passage.
    other: f64,
}

/// Why a passage is missed.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Missed<'a> {
    #[serde(flatten)]
    head: Head,
    /// Its score below that at rank k; absent without a score, and for a returned passage.
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<f64>,
    /// The likeliest first; none for a returned passage.
    verdicts: Vec<Verdict<'a>>,
    /// Changes that bring it in, where they were searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    repairs: Option<Repairs<'a>>,
    /// Place on its best path, counted in passages; absent where nothing reaches it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hop: Option<usize>,
    /// Ids of the passages on that path before it.
    over: &'a [&'a str],
    /// Names that may be one.
    look_alikes: Vec<&'a str>,
    /// The passage at rank k.
    #[serde(skip_serializing_if = "Option::is_none")]
    than: Option<Other<'a>>,
}

/// A reason why a passage is missed.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Verdict<'a> {
    code: Code,
    class: Class,
    /// The failure class in words.
    meaning: &'static str,
    /// The evidence, in words.
    text: &'a str,
    /// Whether undoing it helped: then it is a cause.
    cause: bool,
    /// The change that was tried and moves the passage most.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<&'a Fix>,
}

/// The result of a search for repairs.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Repairs<'a> {
    /// Changes that were tried.
    tried: usize,
    /// Changes there are.
    of: usize,
    /// Those that bring the passage into the top k.
    found: Vec<Mended<'a>>,
    /// How many would bring any passage in.
    forced: usize,
}

/// A change that brings the passage into the top k.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Mended<'a> {
    /// As the argument 'changes' takes it.
    change: &'a Change,
    /// The rank it leads to.
    rank: usize,
    /// Steps of the change: one for a seed, a choice or an edit, more for a number that moves far.
    moves: usize,
    /// The RUN with it, where it is a setting.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
}

impl Subject<'_> {
    fn head(&self, opened: &Opened) -> Head {
        Head {
            passage: opened.id.clone(),
            title: opened.title.clone(),
            method: self.name.to_owned(),
            rank: opened.rank,
            k: self.run.settings.get(RESULT_K),
            returned: self.run.top().iter().any(|hit| hit.passage == self.passage),
            confidence: self.run.confidence(&self.index).map(Sure::of),
            no_effect: no_effect(&self.run),
        }
    }
}

pub fn why(session: &Session, arguments: Arguments, _: GoOn) -> Result<Value, Refusal> {
    read::<Why>(arguments)?.asked(session, scored)
}

fn scored(subject: &Subject<'_>, _: bool) -> Result<Value, Refusal> {
    let explained = Explained::of(&subject.index, &subject.run, subject.passage, subject.than);
    let whole = explained.whole();
    let opened = whole.opened;
    let sum = opened.combine == Combine::Sum;
    let mut parts: Vec<&Part> = opened.parts.iter().collect();
    parts.retain(|part| part.value.abs() >= LEAST);
    parts.sort_by(|a, b| b.value.total_cmp(&a.value));
    let score = opened.score.filter(|score| sum && *score != 0.0);
    let parts = parts.into_iter().map(|part| Share {
        label: &part.label,
        value: part.value,
        share: score.map(|score| part.value / score),
        why: &part.why,
    });
    let paths = opened.paths.iter().map(|path| {
        let nodes: Vec<&str> = path.nodes.iter().map(|node| &*node.label).collect();
        Path {
            mass: path.mass,
            path: nodes.join(" > "),
        }
    });
    Ok(json!(Scored {
        head: subject.head(opened),
        score: opened.score,
        why: &opened.why,
        sum,
        parts: parts.collect(),
        paths: paths.collect(),
        than: whole.than.as_ref().map(|than| beside(subject, than)),
        text: whole.text,
    }))
}

pub fn why_not(session: &Session, arguments: Arguments, go_on: GoOn) -> Result<Value, Refusal> {
    read::<Why>(arguments)?.asked(session, |subject, long| missed(subject, long, go_on))
}

fn missed(subject: &Subject<'_>, repairs: bool, go_on: GoOn) -> Result<Value, Refusal> {
    let passage = subject.passage;
    let mut explained = Explained::of(&subject.index, &subject.run, passage, subject.than);
    if repairs {
        explained.look(false, go_on)?;
    }
    let whole = explained.whole();
    let verdicts = whole.reasons.iter().map(|reason| Verdict {
        code: reason.code,
        class: reason.class,
        meaning: reason.class.about(),
        text: &reason.text,
        cause: reason.cause,
        fix: reason.fix.as_ref(),
    });
    let alike = whole.look_alikes.iter().map(|alike| &*alike.sentence);
    Ok(json!(Missed {
        head: subject.head(whole.opened),
        gap: whole.short,
        verdicts: verdicts.collect(),
        repairs: whole
            .repairs
            .as_ref()
            .map(|found| Repairs::of(subject.name, found)),
        hop: whole.hop,
        over: &whole.over,
        look_alikes: alike.collect(),
        than: whole.than.as_ref().map(|than| beside(subject, than)),
    }))
}

/// The parts that the other passage has most more of.
fn beside<'a>(subject: &Subject<'_>, than: &Than<'a>) -> Other<'a> {
    let mut parts: Vec<_> = than.parts.iter().collect();
    parts.sort_by(|a, b| b.gap().abs().total_cmp(&a.gap().abs()));
    let parts = parts.into_iter().take(BESIDE).map(|part| Beside {
        label: &part.label,
        own: part.own,
        other: part.other,
    });
    let rank = subject.index.passage_by_id(than.other);
    Other {
        passage: than.other,
        rank: rank.and_then(|other| subject.run.rank(other)),
        score: than.scores[1],
        parts: parts.collect(),
    }
}

impl<'a> Repairs<'a> {
    /// The changes that were found; one of a setting also as the RUN that has it.
    fn of(name: &str, looked: &Found<'a>) -> Repairs<'a> {
        let found = looked.found.iter().map(|Priced { repair, .. }| Mended {
            change: &repair.change,
            rank: repair.rank,
            moves: repair.moves,
            run: match &repair.change {
                Change::Set(..) => Some(with(name, &repair.change.to_string())),
                _ => None,
            },
        });
        Repairs {
            tried: looked.tried,
            of: looked.of,
            found: found.collect(),
            forced: looked.forced.len(),
        }
    }
}

/// A RUN with a parameter set, in the place of what it had before.
fn with(run: &str, set: &str) -> String {
    let parameter = |assignment: &str| {
        let name = assignment.split_once('=');
        name.map(|(name, _)| name.trim().to_owned())
    };
    let mut kept: Vec<&str> = run.split('@').collect();
    let head = kept.remove(0);
    kept.retain(|own| parameter(own) != parameter(set));
    let kept = kept.into_iter().chain([set]);
    kept.fold(head.to_owned(), |run, own| format!("{run}@{own}"))
}

#[cfg(test)]
mod tests {
    use super::with;

    #[test]
    fn a_repair_takes_the_place_of_the_setting_it_changes() {
        assert_eq!(with("hop", "hub_p=0"), "hop@hub_p=0");
        let run = with("a=hop@ranker=off@alpha=.3", "ranker=shipped");
        assert_eq!(run, "a=hop@alpha=.3@ranker=shipped");
    }
}
