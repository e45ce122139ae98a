//! The learned order: what the first order's best say of each other, and two passes of step functions over it.

use crate::index::Index;
use crate::layers::Code;
use crate::parameters::{
    HOP_GUARD, Learned as Choice, Param, Parameter as P, RANKER, RANKER_ALIKE, RANKER_BETA,
    RANKER_FIRST, RANKER_MENTIONS, RANKER_NAMES, RANKER_OPEN, RANKER_PAIRS, RANKER_QUESTION,
    RANKER_SENTENCES, Scoped, Value,
};
use crate::ranker::{
    CANDIDATES, Candidates, DEPTH, Feature, Group, Model, Ordered, PARTS, Sign, guard, signs,
};
use crate::retrieve::candidates::{First, candidates};
use crate::retrieve::change::Change;
use crate::retrieve::confidence::Confidence;
use crate::retrieve::explanation::{
    Combine, Edge, Entry, Explanation, Lack, Part as ScorePart, Reason, Stage, Story, Without,
};
use crate::retrieve::hop::{self, Signals};
use crate::retrieve::methods::Ranker;
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::operators::lack;
use crate::retrieve::plan::Plan;
use crate::retrieve::rank::order;
use crate::retrieve::retrieval::{Hit, Ranked};
use crate::retrieve::set::{Member, Set, Space};
use serde_json::json;
use std::sync::Arc;

/// Parts that a sentence names, and words of the question.
const NAMED: usize = 3;
/// Characters of a sentence that is quoted.
const QUOTED: usize = 120;

/// The weight of a group of functions.
pub fn weight(group: Group) -> Param<f64> {
    match group {
        Group::First => RANKER_FIRST,
        Group::Question => RANKER_QUESTION,
        Group::Open => RANKER_OPEN,
        Group::Mentions => RANKER_MENTIONS,
        Group::Names => RANKER_NAMES,
        Group::Sentences => RANKER_SENTENCES,
        Group::Alike => RANKER_ALIKE,
        Group::Pairs => RANKER_PAIRS,
    }
}

/// What the candidates say of each other. Takes in `hop`'s signals and their weighted sum; or any other ranking.
#[derive(Debug)]
pub struct Between {
    /// Whether there are signals.
    signals: bool,
}

pub static BETWEEN: Between = Between { signals: true };
pub static BETWEEN_RANKED: Between = Between { signals: false };

/// Whether a plan puts another ranking than `hop`'s weighted sum in the learned order.
pub fn orders_others(plan: &Plan) -> bool {
    let between = format!("{BETWEEN_RANKED:?}");
    plan.steps.iter().any(|step| *step.label == *between)
}

impl Operator for Between {
    fn declaration(&self) -> Declaration {
        Declaration::select(
            "candidates",
            "what the first 50 say of each other: who names whom, rare names in common, words of the question",
        )
        .kind("score")
        .by_rows(self.signals)
        .reads(match self.signals {
            // The weights too, with which the first order's parts are told.
            true => READS,
            false => &[P::Ranker, P::HopGuard],
        })
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let set = Set::new(Space::Passages);
        let ranked = inputs.iter().find_map(|set| set.ranked());
        let signals = inputs.iter().find_map(|set| set.get::<Signals>());
        let Some(ranked) = ranked.filter(|_| cx.values.get(RANKER) != Choice::Off) else {
            return Ok(set);
        };
        let hits = &ranked.hits[..ranked.hits.len().min(CANDIDATES)];
        let layer = hop::layer(cx.index)?;
        let found = |first: &[First]| candidates(cx.index, &layer, cx.question, first);
        let found = match signals {
            Some(signals) => Candidates {
                single: signals.guarded(cx.values),
                ..found(&signals.first(hits, cx.values))?
            },
            None => {
                let first: Vec<First> = hits.iter().map(First::plain).collect();
                let found = found(&first)?;
                let covered = found.has.first().map_or(0.0, |has| found.share(*has));
                Candidates {
                    single: cx.values.get(HOP_GUARD) * hop::single_hop(cx.question, covered, false),
                    foreign: true,
                    ..found
                }
            }
        };
        Ok(set
            .fact("candidates", found.len())
            .fact("words", found.words.len())
            .fact("name another", found.namings.len())
            .fact("share a name", found.sharings.len())
            .fact("single-hop", json!(found.single))
            .with(found))
    }

    fn tell(&self, at: &At<'_>, story: &mut Story) {
        let mut stage = at.stage(story);
        let Some(found) = at.set().get::<Candidates>() else {
            return;
        };
        for (passage, has) in found.passages.iter().zip(&found.has) {
            stage.nodes.push(Entry {
                item: story.passage(at, *passage),
                value: found.share(*has),
                why: words(found, *has),
            });
        }
        for naming in &found.namings {
            let [from, to] = [naming.from, naming.to].map(|k| found.passages[usize::from(k)]);
            stage.edges.push(Edge {
                from: story.passage(at, from),
                to: story.passage(at, to),
                value: naming.share,
                kind: "names".into(),
                why: naming
                    .sentence
                    .map_or(String::new(), |s| quoted(at.index, from, s)),
            });
        }
        for shared in &found.sharings {
            let [from, to] = [shared.one, shared.two].map(|k| found.passages[usize::from(k)]);
            stage.edges.push(Edge {
                from: story.passage(at, from),
                to: story.passage(at, to),
                value: shared.most,
                kind: "shares a name".into(),
                why: name(at.index, shared.name),
            });
        }
        story.push_step(stage);
    }
}

/// What the candidates depend on: the weights of the first order, and whether there is a ranker.
pub const READS: &[P] = &[
    P::Ranker,
    P::HopGuard,
    P::WeightCosine,
    P::WeightDenseRank,
    P::WeightBm25Rank,
    P::WeightEntityWalk,
    P::WeightMixedWalk,
    P::WeightBridge,
    P::WeightNamed,
    P::WeightResidual,
];

/// The words of the question in a set of them.
fn words(found: &Candidates, has: u64) -> String {
    let own = found.words.iter().enumerate();
    let own = own.filter(|(bit, _)| has >> bit & 1 == 1);
    own.map(|(_, word)| word.as_str())
        .collect::<Vec<_>>()
        .join(", ")
}

fn name(index: &Index, entity: u32) -> String {
    let layer = hop::layer(index).ok();
    layer.map_or(String::new(), |layer| {
        layer.graph.labels.get(entity as usize).to_owned()
    })
}

fn quoted(index: &Index, passage: u32, sentence: u32) -> String {
    let Ok(layer) = hop::layer(index) else {
        return String::new();
    };
    let text = index
        .passages()
        .part(passage as usize, layer.span(sentence));
    format!("\"{}\"", crate::text::clip(&text, QUOTED))
}

/// The order of the candidates by a ranker, and what made it.
#[derive(Debug)]
pub struct Learned {
    passes: Ordered,
    /// Mean and deviation of the first order's scores.
    mean: f64,
    deviation: f64,
    /// Weight of the first order, and of each group of functions.
    beta: f64,
    groups: [f64; Group::ALL.len()],
    /// What keeps a clear first in its place.
    guard: f64,
    /// What the candidates' tail is moved by, to stand below them.
    below: f64,
    /// The scores of the candidates, and the places of the first among them, best first.
    totals: Vec<f64>,
    top: Vec<usize>,
}

impl Learned {
    fn of(model: &Model, found: &Candidates, values: Scoped<'_>) -> Learned {
        let passes = model.order(found);
        let (mean, deviation) = found.spread();
        let mut learned = Learned {
            passes,
            mean,
            deviation: deviation + 1e-9,
            beta: model.beta * values.get(RANKER_BETA),
            groups: Group::ALL.map(|group| (1.0 - found.single) * values.get(weight(group))),
            guard: 0.0,
            below: 0.0,
            totals: Vec::new(),
            top: Vec::new(),
        };
        let totals = learned.totals(model, found);
        learned.guard = guard(found, &totals).unwrap_or(0.0);
        let least = totals.iter().copied().fold(f64::MAX, f64::min);
        let lowest = found.scores.iter().copied().fold(f64::MAX, f64::min);
        learned.below = least - learned.standing(lowest) - 1e-3;
        learned
    }

    /// A score of the first order in deviations from the mean.
    fn standing(&self, score: f64) -> f64 {
        (score - self.mean) / self.deviation
    }

    /// The sum of each group's functions for a candidate.
    fn sums(&self, model: &Model, k: usize) -> [f64; Group::ALL.len()] {
        let mut sums = [0.0; Group::ALL.len()];
        for (feature, value) in model.second.parts(self.passes.table.row(k)) {
            sums[feature.group() as usize] += value;
        }
        for (sum, weight) in sums.iter_mut().zip(self.groups) {
            *sum *= weight;
        }
        sums
    }

    fn totals(&self, model: &Model, found: &Candidates) -> Vec<f64> {
        let total = |k: usize| {
            let learned: f64 = self.sums(model, k).iter().sum();
            learned + self.beta * self.standing(found.scores[k])
        };
        (0..found.len()).map(total).collect()
    }
}

/// The candidates in the order that was learned. Takes in the first order, the candidates, and `hop`'s signals where the first
/// order is their weighted sum.
#[derive(Debug)]
pub struct LearnedOrder;

pub static LEARNED: LearnedOrder = LearnedOrder;

impl Operator for LearnedOrder {
    fn declaration(&self) -> Declaration {
        Declaration::select(
            "learned order",
            "two passes of step functions: what is probably found, and the order given that",
        )
        .by_rows(true)
        .reads(&[
            P::Ranker,
            P::RankerBeta,
            P::RankerFirst,
            P::RankerQuestion,
            P::RankerOpen,
            P::RankerMentions,
            P::RankerNames,
            P::RankerSentences,
            P::RankerAlike,
            P::RankerPairs,
        ])
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let signals = inputs.iter().any(|set| set.get::<Signals>().is_some());
        let by = match signals {
            true => Ranker::Signals,
            // Its parts are no longer those of a walk or of lists.
            false => Ranker::Parts,
        };
        let Some(first) = inputs.iter().find_map(|set| set.ranked()) else {
            return Ok(Set::ranking(Ranked::new(by, Vec::new(), 0)));
        };
        let found = inputs.iter().find_map(|set| set.get::<Candidates>());
        let model = cx.values.ranker(!signals);
        let (Some(found), Some(model)) = (found, model) else {
            return Ok(Set::ranking(first).fact("ranker", "off"));
        };
        let mut learned = Learned::of(model, found, cx.values);
        let mut totals = learned.totals(model, found);
        if let Some(first) = totals.first_mut() {
            *first += learned.guard;
        }
        let mut hits: Vec<Hit> = found
            .passages
            .iter()
            .zip(&totals)
            .map(|(passage, total)| Hit {
                passage: *passage,
                score: *total as f32,
            })
            .collect();
        hits.sort_unstable_by(order);
        let place = |hit: &Hit| found.passages.iter().position(|p| *p == hit.passage);
        learned.top = hits.iter().take(DEPTH).filter_map(place).collect();
        learned.totals = totals;
        let below = first.hits[found.len()..].iter().map(|hit| Hit {
            passage: hit.passage,
            score: (learned.below + learned.standing(f64::from(hit.score))) as f32,
        });
        hits.extend(below);
        let probable = learned
            .passes
            .probable
            .iter()
            .filter(|p| **p >= 0.5)
            .count();
        let set = Ranked {
            parts: vec![first.clone()],
            ..Ranked::new(by, hits, first.matched)
        };
        Ok(Set::ranking(set)
            .fact("ordered", found.len())
            .fact("probably relevant", probable)
            .fact("ranker", model.about.as_str())
            .with(learned))
    }

    fn why(&self, at: &At<'_>, member: &Member) -> String {
        let before = at.input(0).and_then(|first| first.set().ranked());
        let before = before.and_then(|first| first.rank(member.node));
        before.map_or(String::new(), |rank| format!("rank {rank} before"))
    }

    fn tell(&self, at: &At<'_>, story: &mut Story) {
        let mut stage = at.stage(story);
        if let Some(confidence) = self.confidence(at) {
            let p = json!(confidence.probability);
            stage.counters.push(("answer in the first five", p));
            stage.counters.push(("because", json!(confidence.sentence)));
        }
        if let Some(evidence) = Evidence::of(at) {
            let probable = &evidence.learned.passes.probable;
            let each = evidence.found.passages.iter().zip(probable);
            let mut nodes: Vec<Entry> = each
                .map(|(passage, p)| Entry {
                    item: story.passage(at, *passage),
                    value: *p,
                    why: String::new(),
                })
                .collect();
            nodes.sort_by(|a, b| b.value.total_cmp(&a.value));
            story.push_step(Stage {
                name: "probably relevant",
                kind: "score",
                counters: vec![("candidates", json!(nodes.len()))],
                nodes,
                ..Stage::default()
            });
        }
        story.push_step(stage);
    }

    fn explain(&self, at: &At<'_>, passage: u32) -> Explanation {
        let first = at.input(0);
        let opened = first.map_or_else(Explanation::default, |first| {
            first.operator().explain(&first, passage)
        });
        match Evidence::of(at) {
            Some(evidence) => evidence.explain(passage, opened),
            None => opened,
        }
    }

    fn confidence(&self, at: &At<'_>) -> Option<Confidence> {
        Evidence::of(at)?.confidence()
    }

    fn lacks(&self, at: &At<'_>, passage: u32, other: u32) -> Vec<Lack> {
        let Some(first) = at.input(0) else {
            return Vec::new();
        };
        let lacks = first.operator().lacks(&first, passage, other);
        match Evidence::of(at) {
            Some(evidence) => evidence.lacks(passage, other, lacks),
            None => lacks,
        }
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        let Some(evidence) = Evidence::of(at) else {
            return Vec::new();
        };
        let before = evidence.first.rank(passage);
        let below = before.filter(|rank| *rank > evidence.found.len());
        let reason = below.map(|rank| {
            let text = format!(
                "rank {rank} {}; only the first {} are put in order",
                evidence.before(),
                evidence.found.len()
            );
            Reason::new(Code::NotACandidate, text)
        });
        Vec::from_iter(reason)
    }
}

/// What a learned order rests on.
struct Evidence<'a> {
    at: At<'a>,
    model: &'a Model,
    learned: &'a Learned,
    found: &'a Candidates,
    first: Arc<Ranked>,
    signals: Option<&'a Signals>,
}

impl<'a> Evidence<'a> {
    fn of(at: &At<'a>) -> Option<Evidence<'a>> {
        let between = at
            .inputs()
            .find_map(|input| input.set().get::<Candidates>());
        let signals = at.inputs().find_map(|input| input.set().get::<Signals>());
        Some(Evidence {
            at: *at,
            model: at.values().ranker(signals.is_none())?,
            learned: at.set().get()?,
            found: between?,
            first: at.input(0)?.set().ranked()?,
            signals,
        })
    }

    /// How probably the first hold what the question needs, sign by sign.
    fn confidence(&self) -> Option<Confidence> {
        // It was learned of this first order alone.
        self.signals?;
        let assured = self.model.assured.as_ref()?;
        let Learned {
            passes,
            totals,
            top,
            ..
        } = self.learned;
        let signs = signs(self.found, passes, totals, top);
        let parts = assured.parts(&signs).map(|(sign, part)| {
            let why = self.sign(sign, signs[sign as usize], part < 0.0);
            ScorePart::new(sign.label(), part, why)
        });
        Some(Confidence::of(parts.collect(), assured.base))
    }

    /// What a sign of the confidence is, in words; `against`: as a reason for a low one.
    fn sign(&self, sign: Sign, value: f64, against: bool) -> String {
        match sign {
            Sign::Learned if against => {
                "the learned order finds no candidate convincing".to_owned()
            }
            Sign::Learned => format!("the learned order gives its best candidate {value:.2}"),
            Sign::Sum if against => "the signals agree on no passage".to_owned(),
            Sign::Sum => format!("the signals give their first passage {value:.2}"),
            Sign::Cover => match self.open_of_first() {
                open if against && !open.is_empty() => {
                    format!("nothing in the first five has {open}")
                }
                _ => {
                    let percent = 100.0 * value;
                    format!("the first five have {percent:.0} % of the question's words")
                }
            },
            Sign::Probable => {
                format!("{value:.1} of the first five are relevant by their probabilities")
            }
            Sign::Lead if against => "the first hardly stands out from the candidates".to_owned(),
            Sign::Lead => {
                format!("the first stands {value:.1} deviations above the average candidate")
            }
            Sign::Alone if against => "no second passage comes near the first".to_owned(),
            Sign::Alone => format!("the first stands {value:.1} above the second"),
        }
    }

    /// Words of the question that none of the first has, the rarest first.
    fn open_of_first(&self) -> String {
        let found = self.found;
        let top = self.learned.top.iter();
        let has = top.fold(0, |all, place| all | found.has[*place]);
        let words = found.words.iter().zip(&found.shares).enumerate();
        let open = words.filter(|(bit, (_, share))| has >> bit & 1 == 0 && **share > 0.0);
        let mut open: Vec<(&String, f64)> = open.map(|(_, (word, share))| (word, *share)).collect();
        open.sort_by(|a, b| b.1.total_cmp(&a.1));
        let named = open.iter().take(NAMED).map(|(word, _)| format!("'{word}'"));
        named.collect::<Vec<_>>().join(" or ")
    }

    fn place(&self, passage: u32) -> Option<usize> {
        self.found.passages.iter().position(|p| *p == passage)
    }

    /// By what the candidates were ranked, after "rank 3".
    fn before(&self) -> &'static str {
        match self.signals {
            Some(_) => "by the weighted sum",
            None => "before the learned order",
        }
    }

    /// Opens the score into the first order's parts, in deviations from their mean, and one part a group of functions.
    fn explain(&self, passage: u32, opened: Explanation) -> Explanation {
        let place = self.place(passage);
        let beta = match place {
            Some(_) => self.learned.beta,
            None => 1.0,
        };
        let scale = beta / self.learned.deviation;
        let paths = opened.paths;
        let (mut parts, error) = match self.signals {
            Some(_) => {
                let each = opened.parts.into_iter().zip(self.means());
                let part = |(part, mean): (ScorePart, f64)| ScorePart {
                    value: (part.value - mean) * scale,
                    ..part
                };
                (each.map(part).collect(), opened.error * scale.abs())
            }
            // What another order's parts are on average, nobody knows: its score stays whole.
            None => {
                let rank = self.first.rank(passage);
                let score = rank.map_or(0.0, |rank| f64::from(self.first.hits[rank - 1].score));
                let standing = beta * self.learned.standing(score);
                let label = format!("rank {} before", rank.unwrap_or(0));
                let part = ScorePart::new(label, standing, opened.sentence);
                (Vec::from([part]), 0.0)
            }
        };
        match place {
            None => parts.push(ScorePart::new(
                "not in the first 50",
                self.learned.below,
                "kept in their order, below those that were put in order",
            )),
            Some(k) => {
                let sums = self.learned.sums(self.model, k);
                for (group, sum) in Group::ALL.into_iter().zip(sums) {
                    let why = self.because(group, k);
                    parts.push(ScorePart::new(group.label(), sum, why));
                }
                if k == 0 && self.learned.guard != 0.0 {
                    parts.push(ScorePart::new(
                        "clear first",
                        self.learned.guard,
                        "it leads the first order by more than half a deviation and stays first",
                    ));
                }
            }
        }
        let mut best: Vec<&ScorePart> = parts.iter().filter(|p| p.value > 0.0).collect();
        best.sort_by(|a, b| b.value.total_cmp(&a.value));
        let each = best.iter().take(NAMED).map(|p| match p.why.as_str() {
            "" => format!("{} {:.2}", p.label, p.value),
            why => format!("{} {:.2} ({why})", p.label, p.value),
        });
        let sentence = each.collect::<Vec<_>>().join("; ");
        let sentence = match sentence.is_empty() {
            true => "below the average of the candidates in every part".to_owned(),
            false => sentence,
        };
        Explanation {
            combine: Combine::Sum,
            parts,
            sentence,
            paths,
            error,
            ..Explanation::default()
        }
    }

    /// The means of the first order's parts over the candidates: with these taken off, the parts sum to the standing.
    fn means(&self) -> [f64; PARTS] {
        let count = self.found.len().max(1) as f64;
        let parts = &self.found.parts;
        std::array::from_fn(|at| parts.iter().map(|parts| parts[at]).sum::<f64>() / count)
    }

    /// Rank and name of another candidate, as a person sees it.
    fn other(&self, k: usize) -> String {
        let passage = self.found.passages[k];
        let rank = self.at.set().get::<Ranked>().and_then(|r| r.rank(passage));
        let p = self.learned.passes.probable[k];
        let called = self.at.index.called(passage);
        format!("rank {} \"{called}\" (p {p:.2})", rank.unwrap_or(0))
    }

    /// What a group's functions rest on, in words.
    fn because(&self, group: Group, k: usize) -> String {
        let found = self.found;
        let p = &self.learned.passes.probable;
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        let own = found.has[k];
        let because = |feature| found.because(feature, k, p);
        match group {
            Group::First => {
                let rank = k + 1;
                format!("rank {rank} {}", self.before())
            }
            Group::Question => {
                let only = self.only(k);
                let mut text = format!("has {} of the question", percent(found.share(own)));
                if only != 0 {
                    text += &format!(
                        ", and is the only one of the first ten with {}",
                        words(found, only)
                    );
                }
                text
            }
            Group::Open => {
                let open = self.open(k);
                match open {
                    0 => "adds no word that probable passages lack".to_owned(),
                    open => format!("has {}, which probable passages lack", words(found, open)),
                }
            }
            Group::Mentions => match because(Feature::InMost) {
                Some(because) => format!("named by {}", self.other(because.other)),
                None => match self.names(k) {
                    Some(other) => format!("names {}", self.other(other)),
                    None => "no candidate names it".to_owned(),
                },
            },
            Group::Names => match because(Feature::NamesMost) {
                Some(because) => {
                    let pair = |one: usize, two: usize| {
                        found.sharings.iter().find(|s| {
                            (usize::from(s.one), usize::from(s.two)) == (one.min(two), one.max(two))
                        })
                    };
                    let shared = pair(k, because.other)
                        .map_or(String::new(), |s| name(self.at.index, s.name));
                    format!(
                        "shares the name {shared} with {}",
                        self.other(because.other)
                    )
                }
                None => "shares no name with another candidate".to_owned(),
            },
            Group::Sentences => match because(Feature::Sentence) {
                Some(because) => {
                    let naming = found
                        .namings
                        .iter()
                        .find(|n| usize::from(n.to) == k && usize::from(n.from) == because.other);
                    let sentence = naming.and_then(|n| n.sentence);
                    let text = sentence.map_or(String::new(), |s| {
                        format!(
                            ": {}",
                            quoted(self.at.index, found.passages[because.other], s)
                        )
                    });
                    format!("a sentence of {} names it{text}", self.other(because.other))
                }
                None => "no sentence of a candidate links to it".to_owned(),
            },
            Group::Alike => {
                let twins = found
                    .twin
                    .iter()
                    .filter(|twin| **twin == found.twin[k])
                    .count();
                match twins {
                    1 => "the only candidate with its title".to_owned(),
                    twins => format!("{twins} candidates have its title"),
                }
            }
            Group::Pairs => match because(Feature::Pair) {
                Some(because) => {
                    let both = found.share(own | found.has[because.other]);
                    format!(
                        "together with {} it covers {} of the question",
                        self.other(because.other),
                        percent(both)
                    )
                }
                None => "linked to no other candidate".to_owned(),
            },
        }
    }

    /// The most probable candidate that one names.
    fn names(&self, k: usize) -> Option<usize> {
        let p = &self.learned.passes.probable;
        let to = self
            .found
            .namings
            .iter()
            .filter(|n| usize::from(n.from) == k);
        let to = to.map(|n| usize::from(n.to));
        to.max_by(|a, b| p[*a].total_cmp(&p[*b]))
    }

    /// Words that no other of the first ten has.
    fn only(&self, k: usize) -> u64 {
        let others = self.found.has.iter().enumerate().take(10);
        let others = others.filter(|(other, _)| *other != k);
        let others = others.fold(0, |all, (_, has)| all | has);
        self.found.has[k] & !others
    }

    /// Words of a candidate that no other which is probably relevant has.
    fn open(&self, k: usize) -> u64 {
        let p = &self.learned.passes.probable;
        let found = self.found.has.iter().zip(p).enumerate();
        let found = found.filter(|(other, (_, p))| *other != k && **p >= 0.5);
        let covered = found.fold(0, |all, (_, (has, _))| all | has);
        self.found.has[k] & !covered
    }

    /// What another has more of: by the first order's signals, and by each group of functions.
    fn lacks(&self, passage: u32, other: u32, first: Vec<Lack>) -> Vec<Lack> {
        let (Some(own), Some(theirs)) = (self.place(passage), self.place(other)) else {
            return first;
        };
        let scale = self.learned.beta / self.learned.deviation;
        let scaled = first.into_iter().map(|lack| Lack {
            gap: lack.gap * scale,
            first: lack.first.map(|(gap, text)| (gap * scale, text)),
            ..lack
        });
        let [its, their] = [own, theirs].map(|k| self.learned.sums(self.model, k));
        let title = self.at.index.called(other);
        let groups = Group::ALL.into_iter().map(|group| {
            let gap = their[group as usize] - its[group as usize];
            let text = format!(
                "the ranker gives it less for its {}: {}; '{title}': {}",
                group.label(),
                self.because(group, own),
                self.because(group, theirs)
            );
            let mut lack = Lack::of(Code::RankedLower, gap, text)?;
            lack.without.push(Without {
                code: Code::RankedLower,
                what: format!("the ranker's part {}", group.label()),
                change: Change::Set(weight(group).id(), Value::Real(0.0)),
            });
            Some(lack)
        });
        let groups: Vec<Option<Lack>> = groups.collect();
        lack::ordered(scaled.map(Some).chain(groups))
    }
}
