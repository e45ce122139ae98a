//! The set under the slider: after a change of settings all questions with gold are asked again, and held against the
//! settings that are pinned. A newer change stops it.

use super::{COPY, Doer, Job, News, Running, Tell, Thread};
use crate::embed::Kind;
use crate::evaluate::compare::{differences, named};
use crate::evaluate::{
    Covered, Difference, Doubts, Fate, Measures, READ_TOKENS, Resampling, curve, measured, read,
    sweep,
};
use crate::explain::why_not;
use crate::explorer::action::{Effect, Then};
use crate::explorer::cell::Cell;
use crate::explorer::labelling::{Item, to_label};
use crate::explorer::layout::View;
use crate::explorer::state::State;
use crate::explorer::text;
use crate::index::Index;
use crate::layers::{Class, Code};
use crate::retrieve::{Keep, Retriever, Settings};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The measure that is told first.
pub const MEASURE: &str = "R@5";
/// Questions between two reports.
const CHUNK: usize = 25;
/// Runs that are remembered.
const RUNS: usize = 100;

/// What is scored.
#[derive(Clone, Debug, PartialEq)]
pub struct Scoring {
    pub settings: Settings,
    /// What they are held against.
    pub pinned: Settings,
    /// Whether every lost gold passage is explained too, which takes longer than the asking.
    pub judge: bool,
}

/// A question, asked with both.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Place in the set.
    pub at: usize,
    pub before: Measures,
    pub now: Measures,
    /// How much has to be read for its answer with each; none where it has no answer.
    pub read: [Option<Covered>; 2],
    /// Rank of every gold passage of the corpus, in the question's order.
    pub gold: Vec<Option<usize>>,
    /// How far its gold gets, and what each lost passage lacks; empty where that was not asked for.
    pub fate: Fate,
    pub lost: Vec<(u32, Code, Class)>,
    /// The lost gold and what is doubtful about the rest, for an annotator; empty where it was not asked for.
    pub to_label: Vec<Item>,
}

/// Lost gold of one failure class.
#[derive(Clone, Debug, PartialEq)]
pub struct Counted {
    pub class: Class,
    pub count: usize,
    /// Its verdicts, the most frequent first.
    pub codes: Vec<(Code, usize)>,
}

impl Judged {
    /// What the measure that is told first gained.
    pub fn gain(&self) -> f64 {
        let of = |measures: &Measures| measures.get(MEASURE).unwrap_or(0.0);
        of(&self.now) - of(&self.before)
    }

    /// The measure that is shown first, under the live settings.
    pub fn worth(&self) -> f64 {
        self.now.get(MEASURE).unwrap_or(0.0)
    }
}

/// How it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// Questions asked so far, and how many there are.
    pub done: usize,
    pub of: usize,
    /// From the pinned settings to these over the questions asked so far, by [`MEASURES`](crate::evaluate::MEASURES).
    pub differences: Vec<Difference>,
    pub asked: Arc<Vec<Judged>>,
    /// Whether lost gold was explained.
    pub judged: bool,
    /// Whether both settings are the same, so that there is nothing to compare.
    pub alone: bool,
    /// [`MEASURE`] of the whole set against the settings that were scored before these; none of a part, or of the first.
    pub since: Option<(Settings, Difference)>,
}

/// A finished run over the whole set.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    pub settings: Settings,
    /// The mean of [`MEASURE`].
    pub worth: f64,
    /// From the run before; none for the first.
    pub since: Option<Difference>,
    /// What changed since the run before; for the first its method.
    pub changed: String,
}

impl Scored {
    pub fn worth(&self) -> Cell {
        Cell::Measure(self.worth)
    }

    pub fn change(&self) -> Cell {
        let since = self.since.as_ref();
        since.map_or(Cell::Empty, |d| Cell::Change(d.difference))
    }

    pub fn interval(&self) -> Cell {
        let interval = self.since.as_ref().and_then(|d| d.interval);
        interval.map_or(Cell::Empty, |ends| Cell::Figure(text::interval(ends)))
    }

    /// Whether the change is noise.
    pub fn judgement(&self) -> Cell {
        let since = self.since.as_ref();
        since.map_or(Cell::Empty, |d| Cell::Text(d.judgement()))
    }

    pub fn changed(&self) -> Cell {
        Cell::Text(self.changed.clone())
    }
}

impl Score {
    /// The questions that lose gold for a class, or all, the most harmed first.
    pub fn listed(&self, class: Option<Class>) -> Vec<&Judged> {
        let own = |q: &&Judged| class.is_none_or(|class| q.lost.iter().any(|lost| lost.2 == class));
        let mut listed: Vec<&Judged> = self.asked.iter().filter(own).collect();
        listed.sort_by(|a, b| {
            let by_gain = a.gain().total_cmp(&b.gain());
            by_gain
                .then(a.worth().total_cmp(&b.worth()))
                .then(a.at.cmp(&b.at))
        });
        listed
    }

    /// Classes of lost gold, with how much of it and by which verdicts, the most frequent first.
    pub fn classes(&self) -> Vec<Counted> {
        let mut counted: BTreeMap<Class, BTreeMap<Code, usize>> = BTreeMap::new();
        for (_, code, class) in self.asked.iter().flat_map(|q| &q.lost) {
            *counted.entry(*class).or_default().entry(*code).or_default() += 1;
        }
        let most_first = |codes: BTreeMap<Code, usize>| {
            let mut codes: Vec<_> = codes.into_iter().collect();
            codes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            codes
        };
        let classes = counted.into_iter().map(|(class, codes)| {
            let all = codes.values().sum();
            Counted {
                class,
                count: all,
                codes: most_first(codes),
            }
        });
        let mut classes: Vec<_> = classes.collect();
        classes.sort_by_key(|counted| std::cmp::Reverse(counted.count));
        classes
    }

    /// The share of answers that were there after so many tokens of reading, before and now; none without answers.
    pub fn curves(&self) -> Option<[[f64; READ_TOKENS.len()]; 2]> {
        let of = |which: usize| curve(self.asked.iter().filter_map(|q| q.read[which].as_ref()));
        Some([of(0)?, of(1)?])
    }

    /// A measure by name.
    pub fn difference(&self, name: &str) -> Option<&Difference> {
        named(&self.differences, name)
    }
}

/// What the pinned settings came to, so that they are asked once.
#[derive(Default)]
pub struct Memory {
    pinned: Option<Settings>,
    known: BTreeMap<usize, (Measures, Option<Covered>)>,
    doubts: Option<Doubts>,
    /// The settings that were scored last, and what they came to.
    last: Option<(Settings, Vec<Measures>)>,
}

impl Memory {
    /// [`MEASURE`] against the settings that were scored last, in whose place these come.
    fn since(&mut self, settings: &Settings, now: Vec<Measures>) -> Option<(Settings, Difference)> {
        let before = self.last.replace((settings.clone(), now));
        let (_, now) = self.last.as_ref()?;
        let (last, before) = before.filter(|(last, _)| last != settings)?;
        let pairs: Vec<_> = before.into_iter().zip(now.iter().copied()).collect();
        let all = differences(&pairs, Resampling::default());
        Some((last, named(&all, MEASURE)?.clone()))
    }
}

/// Whether asking every question sends nothing anywhere: a change of a slider is no leave to ask a server a hundred times.
pub fn local(index: &Index, settings: &Settings) -> bool {
    let asks = index
        .dense()
        .is_some_and(|d| d.encoder.identity().kind == Kind::Endpoint);
    let method = settings.method();
    let thinks = index.llm().thinks() && method.plan().asks_model(settings.all());
    !(thinks || asks && method.reads_vectors())
}

impl Job for Scoring {
    type Part = Score;
    const THREAD: &'static str = "score";

    fn run(&self, doer: &mut Doer, tell: &Tell<'_, Score>) -> Result<Option<Score>, String> {
        let Doer {
            retriever,
            index,
            memory,
            ..
        } = doer;
        score(retriever, index, memory, self, tell)
    }

    fn heard(state: &mut State, news: News<Scoring>) -> Vec<Effect> {
        if !state.scoring.hear(news) || state.score().is_none() {
            return Vec::new();
        }
        if let Running::Over {
            request,
            latest: Some(score),
        } = &state.scoring
            && let Some(d) = score.difference(MEASURE)
        {
            let (settings, worth) = (request.settings.clone(), d.mean_b);
            let since = score.since.clone();
            state.remember(settings.clone(), worth, since);
            state.worth_is(settings, worth);
        }
        let labelling = state.view == View::Annotate;
        let follow = labelling.then_some(Effect::Then(Then::Queue));
        follow.into_iter().collect()
    }
}

/// Begins anew where other settings were scored last, or held against others. Where they are the pinned ones, there is
/// nothing to tell.
pub fn follow(state: &mut State) -> Option<Effect> {
    let settings = state.settings.of_any_question();
    let pinned = state.pins.first().settings.of_any_question();
    // What was explained need not be told again without; the other way round it must.
    let judge = matches!(state.view, View::Evaluate | View::Annotate);
    let known = |scored: &Scoring| {
        scored.settings == settings && scored.pinned == pinned && (scored.judge || !judge)
    };
    if state.scoring.request().is_some_and(known)
        || state.facts.questions.iter().all(|q| q.gold == 0)
    {
        return None;
    }
    // The first settings of a session are scored when something is changed, or looked at.
    if settings == pinned && state.view == View::Explore {
        let scored = std::mem::take(&mut state.scoring);
        return scored.request().map(|_| Effect::Stop(Thread::Score));
    }
    Some(state.scoring.begin(Scoring {
        settings,
        pinned,
        judge,
    }))
}

/// Asks question after question until all were asked or it is stopped, which gives none.
///
/// # Errors
/// What the index lacks, or that settings would ask a server.
pub fn score(
    retriever: &mut Retriever,
    index: &Arc<Index>,
    memory: &mut Memory,
    scoring: &Scoring,
    tell: &Tell<'_, Score>,
) -> Result<Option<Score>, String> {
    if index.source().is_some() {
        return Err(COPY.to_owned());
    }
    if !local(index, &scoring.settings) || !local(index, &scoring.pinned) {
        return Err("set not evaluated: these settings call a server".to_owned());
    }
    if memory.pinned.as_ref() != Some(&scoring.pinned) {
        memory.known.clear();
        memory.pinned = Some(scoring.pinned.clone());
    }
    let judged = 0..index.questions().len();
    let judged: Vec<usize> = judged
        .filter(|at| index.questions()[*at].wanted() > 0)
        .collect();
    let mut asked: Vec<Judged> = Vec::with_capacity(judged.len());
    let mut ask = |at: usize, settings: &Settings| {
        let question = &index.questions()[at];
        let run = retriever.retrieve(&question.text, settings, Keep::Scores);
        let run = run.map_err(|error| format!("the set cannot be asked: {error}"))?;
        let measures = measured(&run, question).ok_or("a question without gold was asked")?;
        let read = read(index, &run, question);
        Ok::<_, String>((run, question, (measures, read)))
    };
    // Drawn as an evaluation draws, and only of the whole set: of every report on the way it would take longer than asking.
    let whole = Resampling::default();
    let part = Resampling {
        resamples: 0,
        ..whole
    };
    let stands = |asked: &Vec<Judged>| {
        let resampling = if asked.len() < judged.len() {
            part
        } else {
            whole
        };
        let pairs: Vec<_> = asked.iter().map(|q| (q.before, q.now)).collect();
        Score {
            done: asked.len(),
            of: judged.len(),
            differences: differences(&pairs, resampling),
            asked: Arc::new(asked.clone()),
            judged: scoring.judge,
            alone: scoring.settings == scoring.pinned,
            since: None,
        }
    };
    let same = scoring.settings == scoring.pinned;
    for &at in &judged {
        if tell.stopped() {
            return Ok(None);
        }
        let (run, question, now) = ask(at, &scoring.settings)?;
        let mut lost = Vec::new();
        let mut fate = Fate::default();
        let mut queued = Vec::new();
        if scoring.judge {
            fate = Fate::of(&run, question);
            for gold in &question.gold {
                let reasons = why_not(index, &run, gold.passage).into_iter();
                lost.extend(reasons.take(1).map(|r| (gold.passage, r.code, r.class)));
            }
            let doubts = memory.doubts.get_or_insert_with(|| Doubts::new(index));
            let ranking: Vec<u32> = run.passages.iter().map(|hit| hit.passage).collect();
            queued = to_label(index, at, &lost, doubts.of(index, question, &ranking));
        }
        let gold = question.gold.iter();
        let gold = gold.map(|gold| run.place(gold.passage).map(|place| place.0));
        let gold = gold.collect();
        let before = match memory.known.get(&at) {
            Some(known) => *known,
            None if same => now,
            None => ask(at, &scoring.pinned)?.2,
        };
        memory.known.insert(at, before);
        asked.push(Judged {
            at,
            before: before.0,
            now: now.0,
            read: [before.1, now.1],
            gold,
            fate,
            lost,
            to_label: queued,
        });
        if asked.len().is_multiple_of(CHUNK) && asked.len() < judged.len() {
            tell.part(stands(&asked));
        }
    }
    let now = asked.iter().map(|q| q.now).collect();
    Ok(Some(Score {
        since: memory.since(&scoring.settings, now),
        ..stands(&asked)
    }))
}

impl State {
    /// What the whole set came to under some settings, where that is known: the mean of [`MEASURE`].
    pub fn worth(&self, settings: &Settings) -> Option<f64> {
        let (of, worth) = self.worth.get(&*settings.method().name)?;
        (of == settings).then_some(*worth)
    }

    /// The same for a row of the table of methods.
    pub fn tried_worth(&self, row: usize) -> Option<f64> {
        self.worth(self.trials.as_ref()?.settings.get(row)?)
    }

    /// Keeps it, the newest of each method.
    pub fn worth_is(&mut self, settings: Settings, worth: f64) {
        let method = settings.method().name.to_string();
        self.worth.insert(method, (settings, worth));
    }

    /// Adds a run over the set to those of the session, unless the last one had the same settings.
    fn remember(&mut self, settings: Settings, worth: f64, since: Option<(Settings, Difference)>) {
        let last = self.scores.back();
        let changed = match last {
            Some(last) if last.settings == settings => return,
            Some(last) => sweep::differences(&last.settings, &settings).join("; "),
            None => settings.method().name.to_string(),
        };
        // A run whose news came too late is not listed, and nothing is compared with it.
        let since = since.filter(|(before, _)| last.is_some_and(|last| last.settings == *before));
        if self.scores.len() == RUNS {
            self.scores.pop_front();
        }
        self.scores.push_back(Scored {
            settings,
            worth,
            since: since.map(|since| since.1),
            changed,
        });
    }

    /// How the set under the slider stands.
    pub fn score(&self) -> Option<&Score> {
        self.scoring.latest()
    }

    /// Why there are no figures of the set.
    pub fn no_score(&self) -> &str {
        match &self.scoring {
            _ if self.facts.questions.iter().all(|q| q.gold == 0) => {
                "no question of this index has known gold"
            }
            Running::Failed { why, .. } => why,
            _ => "evaluating the set",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::{Comparison, evaluate};
    use crate::index::sample;
    use crate::llm::Llm;
    use crate::parameters::SEED_K;
    use crate::retrieve::Method;
    use std::sync::Mutex;

    #[test]
    fn what_stands_at_the_end_is_what_an_evaluation_says() {
        let index = Arc::new(sample::index().unwrap());
        let pinned = Settings::of(&index, Method::by_name("graph-hybrid").unwrap());
        let mut settings = pinned.clone();
        settings.set_text("seed_k=2").unwrap();
        assert_ne!(settings.get(SEED_K), pinned.get(SEED_K));
        let scoring = Scoring {
            settings: settings.clone(),
            pinned: pinned.clone(),
            judge: true,
        };
        let mut doer = Doer::new(index.clone(), &[], None);
        let told = Mutex::new(Vec::new());
        let tell = |score: Score| {
            let told_first = score.difference(MEASURE).unwrap();
            assert_eq!((told_first.interval, told_first.p), (None, None));
            told.lock().unwrap().push(score.done);
        };
        let end = scoring.run(&mut doer, &Tell::new(&tell, &|| false));
        let end = end.unwrap().unwrap();
        let questions = index.questions();
        let [a, b] =
            [&pinned, &settings].map(|s| evaluate(&index, questions, s, |_| true).unwrap());
        let comparison = Comparison::new(&a, &b, Resampling::default());
        let whole = comparison.get(MEASURE).unwrap();
        assert_eq!((end.done, end.of), (a.judged, a.judged));
        // Interval and p too: to the last digit.
        assert_eq!(end.differences, comparison.measures);
        assert!(whole.interval.is_some() && whole.p_holm.is_some());
        assert!(whole.wins + whole.losses > 0);
        assert_eq!(told.into_inner().unwrap(), [25, 50, 75]);
        // Stopped at once, nothing is told.
        let none = |_: Score| panic!("told after a stop");
        let stopped = scoring.run(&mut doer, &Tell::new(&none, &|| true));
        assert_eq!(stopped, Ok(None));
    }

    #[test]
    fn a_run_is_compared_with_the_one_listed_before_it() {
        let index = sample::index().unwrap();
        let facts = Arc::new(crate::explorer::engine::facts(&index, ""));
        let [a, b, c] = ["graph", "bm25", "hop"]
            .map(|method| Settings::of(&index, Method::by_name(method).unwrap()));
        let pair = (
            Measures::default(),
            Measures([1.0; crate::evaluate::MEASURES.len()]),
        );
        let since = differences(&[pair], Resampling::default()).remove(0);
        let mut state = State::new(facts, a.clone());
        state.remember(a.clone(), 0.1, None);
        // The worker had scored others last, whose news were dropped.
        state.remember(b.clone(), 0.2, Some((c.clone(), since.clone())));
        state.remember(c, 0.3, Some((b, since)));
        let changes = state.scores.iter().map(|run| run.since.as_ref());
        let changes = changes.map(|since: Option<&Difference>| since.map(|d| d.difference));
        assert_eq!(changes.collect::<Vec<_>>(), [None, None, Some(1.0)]);
    }

    #[test]
    fn settings_that_ask_a_server_are_not_asked_of_the_set() {
        let index = Arc::new(sample::index().unwrap());
        let pinned = Settings::of(&index, Method::by_name("spark").unwrap());
        // Nobody is asked where nobody is named, and nobody is reached here.
        let spec = "endpoint:http://127.0.0.1:9?model=m";
        index.think_with(Arc::new(Llm::open(spec, None).unwrap()));
        for (method, change, asks) in [
            ("noderag", "steps=2", true),
            ("hyde-rag", "context_tokens=500", true),
            ("hipporag2", "fact_filter=model", true),
            ("hipporag2", "fact_filter=rules", false),
            ("graph", "steps=2", false),
        ] {
            let mut settings = Settings::of(&index, Method::by_name(method).unwrap());
            settings.set_text(change).unwrap();
            assert_eq!(local(&index, &settings), !asks, "{method} {change}");
        }
        let mut settings = pinned.clone();
        settings.set_text("plan_by=endpoint").unwrap();
        let scoring = Scoring {
            settings,
            pinned,
            judge: false,
        };
        let mut doer = Doer::new(index, &[], None);
        let mut why = |scoring: Scoring| {
            let asked = scoring.run(&mut doer, &Tell::new(&|_| {}, &|| false));
            asked.unwrap_err()
        };
        let said = why(scoring.clone());
        assert!(said.contains("call a server"), "{said}");
        // Without a server the layer is missing, which is said as well.
        let local = Scoring {
            settings: scoring.pinned.clone(),
            ..scoring
        };
        assert!(why(local).contains("cannot be asked"));
    }
}
