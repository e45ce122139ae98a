//! `hop`'s own operators: the seeds of its mixed walk, its signals, and their weighted sum, which opens into eight parts.

use super::signals::{
    BY_QUESTION, BridgeEvidence, Signal, Signals, Sources, Vectors, lessened, mixed_seeds,
    namesakes, places, signals,
};
use super::{READS, WEIGHTS};
use crate::index::Index;
use crate::layers::HopLayer;
use crate::layers::{Code, GraphView, QueryName};
use crate::parameters::{Parameter, RESULT_K, Value};
use crate::retrieve::RetrieveError;
use crate::retrieve::change::Change;
use crate::retrieve::explanation::{
    Edge, Entry, Explanation, Lack, Part as ScorePart, Reason, Stage, Story, Without,
};
use crate::retrieve::methods::Ranker;
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::operators::lack;
use crate::retrieve::operators::restart::{edit, reshare, set_of};
use crate::retrieve::operators::walk::{distance, walked};
use crate::retrieve::retrieval::{DEPTH, Ranked, Seeded, Spread, Walked};
use crate::retrieve::set::{Set, Space};
use crate::retrieve::spread::{restart, shares};
use rayon::prelude::*;
use serde_json::json;
use std::sync::Arc;

/// The places of the walks among the inputs of the signals.
const WALKS: [usize; 2] = [4, 5];

/// Entries of a stage, and seeds named in one sentence.
const SHOWN: usize = 40;
const NAMED: usize = 3;

/// Opens the layer of sentences.
#[derive(Debug)]
pub struct Sentences;

pub static SENTENCES: Sentences = Sentences;

impl Operator for Sentences {
    fn declaration(&self) -> Declaration {
        Declaration::seed(
            "sentences",
            "a vector for every sentence, and passage titles among the names",
        )
        .kind("link")
        .by_rows(true)
        .opens_sentences()
    }

    fn run(&self, cx: &Context<'_>, _: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let layer = super::layer(cx.index)?;
        let set = Set::new(Space::Passages).fact("sentences", layer.len());
        Ok(set.with_shared(layer))
    }
}

fn vectors<'a>(cx: &Context<'a>, list: Option<&'a Ranked>) -> Result<Vectors<'a>, RetrieveError> {
    match list.filter(|_| cx.has_vectors()) {
        Some(list) => Ok(cx.dense()?.map(|(dense, vector)| (dense, list, vector))),
        None => Ok(None),
    }
}

/// Seeds of the mixed walk: the names, the best of the fused list, and a thin tail of dense passages. Takes in the seeds
/// of the walk from names, the fused list and the list by vectors.
#[derive(Debug)]
pub struct MixedSeeds;

pub static MIXED_SEEDS: MixedSeeds = MixedSeeds;

impl Operator for MixedSeeds {
    fn declaration(&self) -> Declaration {
        Declaration::seed(
            "mixed restart",
            "names, the best of the fused list by closeness, and a thin tail of dense passages",
        )
        .kind("mix")
        .reads(READS)
        .by_rows(true)
        .edits_seeds(true)
        .like("names+rrf")
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let names = inputs.iter().find_map(|set| set.get::<Seeded>());
        let mut lists = inputs.iter().filter_map(|set| set.get::<Ranked>());
        let (Some(names), Some(fused)) = (names, lists.next()) else {
            return Ok(set_of(Seeded::default()));
        };
        let vectors = vectors(cx, lists.next())?;
        let mut seeds = mixed_seeds(cx.graph().nodes(), &names.seeds, fused, vectors, cx.values)?;
        let mut edits = Vec::new();
        if !cx.edits.is_empty() {
            let own = cx.edits.iter().filter(|edit| edit.passage().is_some());
            edits = edit(cx, own, 0.0, &mut Vec::new(), &mut seeds);
            if !edits.is_empty() {
                reshare(&mut seeds);
            }
        }
        edits.extend(names.edits.iter().cloned());
        Ok(set_of(Seeded {
            seeds,
            edits,
            ..Seeded::default()
        }))
    }

    fn tell(&self, at: &At<'_>, story: &mut Story) {
        let stage = at.stage(story);
        story.seeds.clone_from(&stage.nodes);
        story.push(stage);
    }
}

/// What eight cheap signals say about every candidate. Takes in names, the fused list, its words, the list by vectors,
/// the walk from names and the mixed walk.
#[derive(Debug)]
pub struct SignalsOf;

pub static SIGNALS: SignalsOf = SignalsOf;

/// The inputs of [`SIGNALS`], as they were.
struct Inputs<'a> {
    names: &'a [QueryName],
    fused: &'a Ranked,
    words: &'a Ranked,
    list: Option<&'a Ranked>,
    entity_walk: &'a Spread,
    mixed_walk: &'a Spread,
}

impl<'a> Inputs<'a> {
    fn of(inputs: &[&'a Set]) -> Option<Inputs<'a>> {
        let [names, fused, words, list, entity_walk, mixed_walk] = inputs else {
            return None;
        };
        Some(Inputs {
            names: names.get::<Vec<QueryName>>()?,
            fused: fused.get()?,
            words: words.get()?,
            list: list.get(),
            entity_walk: entity_walk.get()?,
            mixed_walk: mixed_walk.get()?,
        })
    }
}

impl Operator for SignalsOf {
    fn declaration(&self) -> Declaration {
        Declaration::select("signals", "eight signals of every candidate: closeness, ranks, walks, a sentence bridge, titles, words left over").kind("score").by_rows(true).reads(&[
            Parameter::Tokens,
            Parameter::HopSeeds,
            Parameter::HopSharpness,
        ])
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let layer = super::layer(cx.index)?;
        let sets: Vec<&Set> = inputs.iter().map(|set| &**set).collect();
        let (Some(from), Some(view)) = (Inputs::of(&sets), cx.entities()) else {
            return Ok(Set::new(Space::Passages));
        };
        let signals = signals(
            &Sources {
                index: cx.index,
                layer: &layer,
                view,
                question: cx.question,
                names: from.names,
                fused: from.fused,
                words: from.words,
                vectors: vectors(cx, from.list)?,
                entity_walk: from.entity_walk,
                mixed_walk: from.mixed_walk,
            },
            cx.values,
        )?;
        Ok(Set::new(Space::Passages)
            .fact("candidates", signals.candidates.len())
            .fact("crossings", signals.crossings.len())
            .fact("words left over", signals.left.len())
            .fact("single-hop", json!(signals.single))
            .with(signals))
    }

    fn tell(&self, at: &At<'_>, story: &mut Story) {
        let Some(evidence) = Evidence::of(at) else {
            return;
        };
        for (place, signal) in Signal::ALL.iter().enumerate() {
            let stage = evidence.stage(story, *signal, place);
            story.push_step(stage);
        }
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        let signals = at.set().get::<Signals>();
        if signals.is_none_or(|signals| signals.of(passage).is_some()) {
            return Vec::new();
        }
        let sets: Vec<&Set> = at.inputs().map(|input| input.set()).collect();
        let places = Inputs::of(&sets).map_or_else(Vec::new, |from| {
            let walks = [
                (Signal::MixedWalk, from.mixed_walk),
                (Signal::EntityWalk, from.entity_walk),
            ];
            places(
                [Some(from.words), from.list],
                walks,
                at.index.len(),
                passage,
            )
        });
        let places = places.iter();
        let places = places.map(|(list, rank, taken)| format!("{list} {rank} of {taken}"));
        let places = places.collect::<Vec<_>>().join(", ");
        let mut text = "no signal ranks it high enough to be scored".to_owned();
        if !places.is_empty() {
            text += &format!("; its ranks, of those taken: {places}");
        }
        let unscored = Reason::new(Code::NotACandidate, text);
        // Not to be reached at all is the deeper reason.
        let walk = at.inputs().filter(|input| walked(input).is_some()).last();
        let cut_off = walk.and_then(|walk| {
            let walked = walked(&walk)?;
            let own = walked.graph.nodes_of(passage);
            let far = distance(walked.graph, &restart(walked.seeds()), &own);
            far.err().map(|reason| *reason)
        });
        Vec::from_iter(cut_off.into_iter().chain([unscored]))
    }
}

/// The weighted sum of the signals.
#[derive(Debug)]
pub struct WeightedSum;

pub static WEIGHTED_SUM: WeightedSum = WeightedSum;

impl Operator for WeightedSum {
    fn declaration(&self) -> Declaration {
        Declaration::select("weighted sum", "the signals added with their weights; words gain and walks lose where one passage covers the question").by_rows(true).reads(WEIGHTS)
    }

    fn run(&self, cx: &Context<'_>, inputs: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let Some(signals) = inputs.iter().find_map(|set| set.get::<Signals>()) else {
            return Ok(Set::ranking(Ranked::new(Ranker::Signals, Vec::new(), 0)));
        };
        let depth = cx.values.get(RESULT_K).max(DEPTH);
        let hits = signals.ranking(cx.values, depth);
        let mut set = Set::ranking(Ranked::new(Ranker::Signals, hits, signals.candidates.len()));
        for (signal, weight) in Signal::ALL.iter().zip(signals.weights(cx.values)) {
            set = set.fact(signal.label(), json!(weight));
        }
        Ok(set)
    }

    fn tell(&self, at: &At<'_>, story: &mut Story) {
        let stage = at.stage(story);
        story.push_step(stage);
    }

    fn explain(&self, at: &At<'_>, passage: u32) -> Explanation {
        let Some(evidence) = at.input(0).and_then(|input| Evidence::of(&input)) else {
            return Explanation::default();
        };
        let Some(values) = evidence.signals.of(passage) else {
            return Explanation::default();
        };
        let weights = evidence.signals.weights(at.values());
        if !at.brief {
            evidence.fold();
        }
        // Two of them walk backwards.
        let parts: Vec<ScorePart> = Signal::ALL
            .par_iter()
            .zip(values.par_iter().zip(weights))
            .map(|(signal, (value, weight))| {
                ScorePart::new(
                    signal.label(),
                    value * weight,
                    if *value != 0.0 {
                        evidence.of_passage(*signal, passage)
                    } else {
                        String::new()
                    },
                )
            })
            .collect();
        let mut best: Vec<&ScorePart> = parts.iter().filter(|p| p.value > 0.0).collect();
        best.sort_by(|a, b| b.value.total_cmp(&a.value));
        let said = best.iter().take(NAMED).map(|p| match p.why.as_str() {
            "" => format!("{} {:.2}", p.label, p.value),
            why => format!("{} {:.2} ({why})", p.label, p.value),
        });
        let sentence = said.collect::<Vec<_>>().join("; ");
        Explanation::of(parts, sentence)
    }

    fn lacks(&self, at: &At<'_>, passage: u32, other: u32) -> Vec<Lack> {
        let evidence = at.input(0).and_then(|input| Evidence::of(&input));
        let lacks = evidence.and_then(|evidence| {
            let weights = evidence.signals.weights(at.values());
            evidence.lacks(passage, other, &weights)
        });
        lacks.unwrap_or_default()
    }
}

/// What the signals of a run rest on.
struct Evidence<'a> {
    at: At<'a>,
    signals: &'a Signals,
    layer: Arc<HopLayer>,
    view: &'a GraphView,
    from: Inputs<'a>,
}

impl<'a> Evidence<'a> {
    fn of(at: &At<'a>) -> Option<Evidence<'a>> {
        let sets: Vec<&Set> = at.inputs().map(|input| input.set()).collect();
        Some(Evidence {
            at: *at,
            signals: at.set().get()?,
            layer: super::layer(at.index).ok()?,
            view: at.graph().entities()?,
            from: Inputs::of(&sets)?,
        })
    }

    /// One signal as a stage: what it says of the passages it says most of.
    fn stage(&self, story: &mut Story, signal: Signal, at: usize) -> Stage {
        let index = self.at.index;
        let mut order: Vec<usize> = (0..self.signals.candidates.len()).collect();
        let value = |i: &usize| self.signals.values[*i][at];
        order.sort_by(|a, b| value(b).total_cmp(&value(a)).then(a.cmp(b)));
        order.retain(|i| value(i) > 0.0);
        let mut stage = Stage {
            name: signal.label(),
            kind: match signal {
                Signal::EntityWalk | Signal::MixedWalk | Signal::Bridge => "spread",
                _ => "score",
            },
            counters: vec![("passages", json!(order.len()))],
            ..Stage::default()
        };
        match signal {
            Signal::Cosine => {
                stage
                    .counters
                    .push(("corpus mean", json!(self.signals.mean)));
                stage.counters.push(("best", json!(self.signals.best)));
            }
            Signal::Residual => {
                let words = self.signals.left.iter().map(|l| l.word.as_str());
                let words: Vec<&str> = words.collect();
                stage.counters.push(("words", json!(words)));
            }
            _ => {}
        }
        for i in order.into_iter().take(SHOWN) {
            let passage = self.signals.candidates[i];
            let item = story.passage(&self.at, passage);
            stage.nodes.push(Entry {
                item,
                value: self.signals.values[i][at],
                why: self.of_passage(signal, passage),
            });
        }
        if signal == Signal::Bridge {
            for crossing in &self.signals.crossings {
                let from = story.passage(&self.at, crossing.seed);
                let to = story.node(&self.at, crossing.name);
                stage.edges.push(Edge {
                    from,
                    to,
                    value: crossing.share * crossing.cosine,
                    kind: "mentions near the question".into(),
                    why: self.sentence(index, crossing),
                });
            }
        }
        stage
    }

    /// What a signal's value for a passage rests on, in words.
    fn of_passage(&self, signal: Signal, passage: u32) -> String {
        let index = self.at.index;
        let place = |list: &Ranked| list.hits.iter().position(|h| h.passage == passage);
        let rank = |list: Option<&Ranked>| {
            let at = list.and_then(place);
            at.map_or(String::new(), |at| format!("rank {}", at + 1))
        };
        match signal {
            Signal::Cosine => {
                let value = self.signals.of(passage).map_or(0.0, |v| v[0]);
                let cosine = self.signals.mean + value * (self.signals.best - self.signals.mean);
                format!(
                    "{cosine:.3}; the corpus has {:.3} on average, the best {:.3}",
                    self.signals.mean, self.signals.best
                )
            }
            Signal::DenseRank => rank(self.from.list),
            Signal::Bm25Rank => rank(Some(self.from.words)),
            Signal::EntityWalk => self.paid(WALKS[0], passage),
            Signal::MixedWalk => self.paid(WALKS[1], passage),
            Signal::Bridge => {
                let best = self.crossing(passage);
                best.map_or(String::new(), |c| self.over(index, c))
            }
            Signal::Named => {
                let names = |c: &&BridgeEvidence| {
                    c.seed != passage && namesakes(self.view, c.name).contains(&passage)
                };
                let value = |c: &BridgeEvidence| c.share * c.cosine;
                let named = self.signals.of(passage).map_or(0.0, |v| v[signal as usize]);
                let best = self
                    .signals
                    .crossings
                    .iter()
                    .rev()
                    .filter(names)
                    .max_by(|a, b| value(a).total_cmp(&value(b)))
                    .filter(|_| named != BY_QUESTION);
                best.map_or_else(
                    || "the question names its title".into(),
                    |c| self.over(index, c),
                )
            }
            Signal::Residual => {
                let has =
                    |l: &&super::signals::Uncovered| l.passages.binary_search(&passage).is_ok();
                let words = self.signals.left.iter().filter(has);
                let words: Vec<&str> = words.map(|l| l.word.as_str()).collect();
                words.join(", ")
            }
        }
    }

    /// The way over a name in a sentence that brings a passage most.
    fn crossing(&self, passage: u32) -> Option<&BridgeEvidence> {
        let carries =
            |c: &BridgeEvidence| c.share * c.cosine * self.view.probability(c.name, passage);
        let crossings = self.signals.crossings.iter().rev();
        let ways = crossings.filter(|c| c.seed != passage && carries(c) > 0.0);
        ways.max_by(|a, b| carries(a).total_cmp(&carries(b)))
    }

    fn over(&self, index: &Index, crossing: &BridgeEvidence) -> String {
        let seed = match index.title(crossing.seed) {
            "" => index.id(crossing.seed),
            title => title,
        };
        format!(
            "over {} in {seed}: \"{}\"",
            self.view.label(index, crossing.name),
            self.sentence(index, crossing)
        )
    }

    fn sentence(&self, index: &Index, crossing: &BridgeEvidence) -> String {
        let span = self.layer.span(crossing.sentence);
        let text = index.passages().part(crossing.seed as usize, span);
        let cut: String = text.chars().take(120).collect();
        if cut.len() < text.len() {
            cut + ".."
        } else {
            cut
        }
    }

    /// A walk, by its place among the inputs.
    fn walked(&self, input: usize) -> Option<Walked<'_>> {
        walked(&self.at.input(input)?)
    }

    /// Folds the graph of the walks by push, which go back over it: both at once would each fold it.
    fn fold(&self) {
        let pushes = |walked: &Walked<'_>| walked.spread.diffusion.pushes();
        let pushed = WALKS.map(|input| self.walked(input).filter(pushes));
        for walked in pushed.into_iter().flatten() {
            walked.graph.transition().folded();
        }
    }

    /// Which seeds paid for the score of a walk, by its place among the inputs.
    fn paid(&self, input: usize, passage: u32) -> String {
        let Some(walked) = self.walked(input) else {
            return String::new();
        };
        let score = walked.landed(passage) as f32;
        let score = f64::from(score);
        if score <= 0.0 {
            return String::new();
        }
        if self.at.brief {
            return format!("mass {score:.4}");
        }
        // To within a hundredth of the score: percentages are shown. Where that is very little, a push would go on for long
        // to part what hardly counts. Of a lost passage what it lacks is looked for too, and more finely: that push tells
        // both.
        let (hundredth, fine) = (score * 0.01, walked.spread.diffusion.fine());
        let reach = match self.at.run.returns(passage) {
            true => walked.reach_of(passage, hundredth.max(fine), Some(score)),
            false => walked.reach(passage, hundredth.min(fine)),
        };
        let shares = shares(walked.seeds(), &reach);
        let all: f64 = shares.iter().map(|s| s.mass).sum();
        let about = if reach.error > all * 0.01 {
            "about "
        } else {
            ""
        };
        let said: Vec<String> = shares
            .iter()
            .take(NAMED)
            .map(|s| {
                let node = walked.seeds()[s.seed].node;
                let label = walked.graph.named(self.at.index, node);
                format!(
                    "{:.0}% {label}",
                    100.0 * s.mass / all.max(f64::MIN_POSITIVE)
                )
            })
            .collect();
        format!("mass {score:.4}: {about}{}", said.join(", "))
    }

    /// What the signals of one kind give the other more, in sum: words, closeness, walks, and names in sentences.
    fn lacks(&self, passage: u32, other: u32, weights: &[f64; 8]) -> Option<Vec<Lack>> {
        let (own, theirs) = (self.signals.of(passage)?, self.signals.of(other)?);
        let gap = |signal: Signal| {
            let at = signal as usize;
            (theirs[at] - own[at]) * weights[at]
        };
        let kinds = [
            [Signal::Bm25Rank, Signal::Residual],
            [Signal::Cosine, Signal::DenseRank],
            [Signal::EntityWalk, Signal::MixedWalk],
            [Signal::Bridge, Signal::Named],
        ];
        let lacks = kinds.map(|[one, two]| {
            let sum = gap(one) + gap(two);
            let greater = if gap(one) < gap(two) { two } else { one };
            // What the other has less of is not looked into: walks are walked backwards for it.
            let mut lack = match sum > 0.0 {
                true => self.lack(greater, passage, other)?,
                false => return None,
            };
            let both = [one, two].into_iter().filter(|signal| gap(*signal) != 0.0);
            let both = both.map(|signal| format!("{} {:+.2}", signal.label(), -gap(signal)));
            let both = both.collect::<Vec<_>>().join(", ");
            lack.text = format!("{both}: {}", lack.text);
            lack.gap = sum;
            let ranks = |list: &Ranked| {
                let rank = |passage| match list.rank(passage) {
                    Some(rank) => format!("rank {rank}"),
                    None => "no rank".to_owned(),
                };
                let label = list.ranker.label();
                format!("{label} {} to {}", rank(passage), rank(other))
            };
            lack.first = match one {
                Signal::Bm25Rank => Some((sum, format!("by words, {}", ranks(self.from.words)))),
                Signal::Cosine => {
                    let list = self.from.list.map(ranks).unwrap_or_default();
                    Some((sum, format!("by closeness, {list}")))
                }
                Signal::EntityWalk => {
                    let weight = weights[Signal::MixedWalk as usize];
                    let part = weight * self.restarted(passage, other).unwrap_or(0.0);
                    let part = part.min(gap(Signal::MixedWalk)).min(sum);
                    let ranks = ranks(self.from.fused);
                    let text = format!("by a restart of the mixed walk for its place, {ranks}");
                    Some((part, text)).filter(|(part, _)| *part > 0.0)
                }
                _ => None,
            };
            let more = [one, two].into_iter().filter(|signal| gap(*signal) > 0.0);
            lack.without.extend(more.map(|signal| Without {
                code: Code::OneSignal,
                what: format!("the signal {}", signal.label()),
                change: Change::Set(signal.weight().id(), Value::Real(0.0)),
            }));
            let [first, second] = [one, two].map(|signal| signal.weight().at(0.0).into());
            lack.without.push(Without {
                code: Code::OneSignal,
                what: format!("the signals {} and {}", one.label(), two.label()),
                change: Change::both(first, second),
            });
            Some(lack)
        });
        Some(lack::ordered(lacks))
    }

    /// How much more of the mixed walk's signal another passage has since a list makes it restart there: with and without
    /// what that brings.
    fn restarted(&self, passage: u32, other: u32) -> Option<f64> {
        let input = self.at.input(WALKS[1])?;
        let walked = walked(&input)?;
        let of = |passage: u32| {
            let value = self.signals.of(passage)?[Signal::MixedWalk as usize];
            let rest = 1.0 - lack::restarting(&walked, passage);
            Some(value - lessened(value, rest))
        };
        Some(of(other)? - of(passage)?)
    }

    /// What another passage has that makes its signal greater, and the evidence.
    fn lack(&self, signal: Signal, passage: u32, other: u32) -> Option<Lack> {
        let input = |place| self.at.input(place);
        let greatest = |lacks: Vec<Lack>| lacks.into_iter().next();
        // How much is said where the signals of a kind are added up.
        let said = |code, text| Lack::of(code, 1.0, text);
        let walk = |place| {
            let walk = input(place)?;
            let walked = walked(&walk)?;
            greatest(lack::of_walk(&walk, &walked, passage, other))
        };
        match signal {
            Signal::Cosine | Signal::DenseRank => {
                greatest(lack::of_vectors(&self.at, passage, other))
            }
            Signal::Bm25Rank => {
                let words = input(2)?;
                greatest(lack::of_words(&words, self.from.words, passage, other))
            }
            Signal::EntityWalk => walk(4),
            Signal::MixedWalk => walk(5),
            Signal::Bridge => {
                let (code, text) = self.no_bridge(passage, other)?;
                said(code, text)
            }
            Signal::Named => {
                let title = self.at.index.called(other);
                let how = self.of_passage(signal, other);
                let own = self.signals.of(passage)?[signal as usize];
                match own > 0.0 {
                    true => {
                        let own = self.of_passage(signal, passage);
                        let text = format!(
                            "its title is named by less: {own}, and that of '{title}': {how}"
                        );
                        said(Code::BridgeWeak, text)
                    }
                    false => {
                        let text =
                            format!("nothing mentions its title; '{title}' is mentioned: {how}");
                        said(Code::NotTitled, text)
                    }
                }
            }
            Signal::Residual => {
                let has = |passage: u32, left: &super::signals::Uncovered| {
                    left.passages.binary_search(&passage).is_ok()
                };
                let missing = self.signals.left.iter();
                let missing = missing.filter(|left| has(other, left) && !has(passage, left));
                let missing: Vec<&str> = missing.map(|left| left.word.as_str()).collect();
                let title = self.at.index.called(other);
                let text = format!("it lacks {}, which '{title}' has", missing.join(", "));
                match missing.is_empty() {
                    true => None,
                    false => said(Code::WordsMissing, text),
                }
            }
        }
    }

    /// The way over a name in a sentence to another passage, and that to this one, if there is any.
    fn no_bridge(&self, passage: u32, other: u32) -> Option<(Code, String)> {
        let title = self.at.index.called(other);
        let theirs = self.crossing(other)?;
        let their = self.over(self.at.index, theirs);
        match self.crossing(passage) {
            Some(own) => {
                let p = |c: &BridgeEvidence, passage| self.view.probability(c.name, passage);
                // What falls shortest of the other's, of the three that are multiplied.
                let factors = [
                    ("its seed passage counts less", own.share, theirs.share),
                    (
                        "its sentence is farther from the question",
                        own.cosine,
                        theirs.cosine,
                    ),
                    (
                        "its name is in more passages",
                        p(own, passage),
                        p(theirs, other),
                    ),
                ];
                let least = factors
                    .iter()
                    .min_by(|a, b| (a.1 / a.2).total_cmp(&(b.1 / b.2)));
                let (what, its, other) = least?;
                let own = self.over(self.at.index, own);
                let text = format!(
                    "{what}, {its:.3} to {other:.3}: it comes {own}, and '{title}' {their}"
                );
                Some((Code::BridgeWeak, text))
            }
            None => {
                let text = format!(
                    "no relevant sentence in a seed passage leads to it; '{title}' is reached {their}"
                );
                Some((Code::NoBridge, text))
            }
        }
    }
}
