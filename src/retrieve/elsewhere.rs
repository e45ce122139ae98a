//! Retrieval over an index that lies elsewhere: what a question needs is fetched in rounds, into an index of its own, until
//! the run lacks nothing. Then it is the run over the whole, bit for bit.
//!
//! A walk by push reads the neighbours of the nodes that it pushes and of no others. A round pushes as far as neighbours are
//! known, and fetches those of all nodes whose residual is still above the threshold, in one batch.

#![warn(missing_docs)]

use super::ahead::Ahead;
use super::engine::{Keep, Retriever};
use super::hop::{LISTED, Signals};
use super::methods::{METHODS, Method};
use super::plan::Step;
use super::rank;
use super::retrieval::{DEPTH, Record, Retrieval, Spread};
use super::set::Space;
use super::settings::Settings;
use super::{Confidence, RetrieveError};
use crate::corpus::Question;
use crate::embed::fixed::is_of_table;
use crate::embed::{HnswOptions, Identity};
use crate::index::Index;
use crate::index::excerpt::{Deep, Excerpt, Numbered, Reads};
use crate::index::lexical::counted;
use crate::index::published::Lost;
use crate::index::rows::{Names, Rows, Wanted, Whole};
use crate::index::source::{Kept, More, Source};
use crate::layers::entities::entity_options;
use crate::layers::{ENTITY_PASSAGE, GIVEN};
use crate::parameters::{
    EDGE_CAP, EDGE_WEIGHT, EdgeWeight, FALLBACK, Fallback, HNSW_EF_CONSTRUCTION, HNSW_M, Origin,
    PRUNE_TOP_PCT, PUSH_THRESHOLD, Parameter as P, PushThreshold, RESULT_K, RRF_DEPTH, SEED_K,
    Scoped, VECTOR_SEARCH, VectorSearch, WALK, Walk,
};
use crate::ranker::Candidates;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Nodes whose neighbours are fetched for one question, at most.
const MOST: usize = 200_000;
/// The same where the question is asked again with a change that is tried, one of hundreds.
const TRIED: usize = 10_000;
/// How long a question may take.
const LIMIT: Duration = Duration::from_secs(60);

/// What a run is for, and so which titles and names are fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The passages that are returned, with their texts, and the seeds.
    Answer,
    /// Every node that a step lists or settles on, too.
    Trace,
}

/// A run over fetched rows, and the index that was made of them.
pub struct Fetched {
    /// What was fetched.
    pub numbered: Numbered,
    /// The run, its numbers those of the index above.
    pub run: Retrieval,
    /// Nodes that were fetched with their neighbours.
    pub nodes: usize,
    /// What the answer lacks, where a part of the rows could not be reached.
    pub lost: Option<Lost>,
}

/// What a method lacks on rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// A step, by its name, that needs more of an index than a question looks up.
    Step(&'static str),
    /// Hop's layer.
    Sentences,
    /// Vectors of the passages.
    Vectors,
}

/// What a method lacks on rows; none where it runs.
pub fn lack(whole: &Whole, method: &Method) -> Option<Lack> {
    if let Some(step) = method.plan().steps.iter().find(|step| !runs(whole, step)) {
        return Some(Lack::Step(step.operator.declaration().name));
    }
    // Those of another table of word pieces are compared with no question of this program.
    let comparable = |made: &Identity| is_of_table(made).unwrap_or(false);
    if method.plan().opens_sentences() && !whole.sentences.as_ref().is_some_and(comparable) {
        return Some(Lack::Sentences);
    }
    let needs = |step: &Arc<Step>| step.operator.declaration().needs_vectors;
    let lacks = method.plan().steps.iter().any(needs) && whole.vectors.is_none();
    lacks.then_some(Lack::Vectors)
}

impl Lack {
    /// What it is, and what would serve.
    fn sentence(self, whole: &Whole, method: &Method) -> String {
        let name = &method.name;
        match self {
            Lack::Step(step) => {
                let known = METHODS.iter().filter(|own| lack(whole, own).is_none());
                let known: Vec<&str> = known.map(|method| &*method.name).collect();
                format!(
                    "method {name}: its step '{step}' needs more than a question looks up; methods that run: {}; all \
                     run on a copy: hopscope index ADDRESS --out DIR",
                    known.join(", ")
                )
            }
            Lack::Sentences => format!(
                "method {name} needs hop's layer with the word pieces of this program, and the index was published without; \
                 run: hopscope index INDEX --add hop, and publish it again"
            ),
            Lack::Vectors => format!(
                "method {name} needs vectors, and the index was published without; they are published where the index has an \
                 encoder and every server has the extension vector (pgvector)"
            ),
        }
    }
}

/// Settings as they run on rows: walks push, unless a person chose otherwise.
///
/// # Errors
/// What needs more than rows, and what would serve.
pub fn fitted(whole: &Whole, settings: &Settings) -> Result<Settings, RetrieveError> {
    let mut settings = settings.clone();
    let near = whole.vectors.as_ref().and_then(|made| made.near.as_ref());
    settings.adopt_whole(whole, false);
    let no = |what: String| Err(RetrieveError::Elsewhere(what));
    let method = settings.method().clone();
    if let Some(lack) = lack(whole, &method) {
        return no(lack.sentence(whole, &method));
    }
    let search = settings.get(VECTOR_SEARCH);
    if compares(&settings) && search == VectorSearch::Hnsw && near.is_none() {
        return no(
            "vector_search=hnsw needs a small-world graph, and the index was published without; set vector_search=exact"
                .to_owned(),
        );
    }
    let built = |near: &HnswOptions| {
        near.m == settings.get(HNSW_M) && near.ef_construction == settings.get(HNSW_EF_CONSTRUCTION)
    };
    if compares(&settings) && search != VectorSearch::Exact && !near.is_none_or(built) {
        return no(
            "the small-world graph is built once, when the index is published; leave hnsw_m and hnsw_ef_construction as \
             they are there, or set vector_search=exact"
                .to_owned(),
        );
    }
    if method.uses().contains(&P::Walk) && settings.get(WALK) != Walk::Push {
        return no("walk=power reads the whole graph; set walk=push".to_owned());
    }
    let on_graph = method.plan().steps.iter().any(|step| step.graph.is_some());
    if on_graph && names_of(whole, &settings).is_none() {
        return no(
            "another extractor or normal form would need all texts; leave ner, norm, alias_linking, gazetteer and \
             subjects as they were published"
                .to_owned(),
        );
    }
    if on_graph && settings.get(EDGE_CAP) > 0 {
        return no("edge_cap reads all edges of a name; set edge_cap=0".to_owned());
    }
    if on_graph && settings.get(PRUNE_TOP_PCT) > 0.0 {
        return no(
            "prune_top_pct ranks all names; set prune_top_pct=0, or lower max_df_ratio".to_owned(),
        );
    }
    if on_graph && settings.get(EDGE_WEIGHT) == EdgeWeight::Share {
        return no(
            "edge_weight=share adds up all mentions of a passage; set another edge_weight"
                .to_owned(),
        );
    }
    let by_degree = settings.get(PUSH_THRESHOLD) == PushThreshold::Degree;
    if whole.given.is_some() && method.uses().contains(&P::PushThreshold) && by_degree {
        return no(
            "the tables do not say how many entities a passage has; set push_threshold=plain"
                .to_owned(),
        );
    }
    if !settings.graph_edits().is_empty() {
        return no("changes of the graph need an index that lies here".to_owned());
    }
    Ok(settings)
}

/// Whether vectors of passages are compared with the question's.
fn compares(settings: &Settings) -> bool {
    settings.method().uses().contains(&P::VectorSearch)
}

/// The names that settings run over; none where they are not there.
fn names_of(whole: &Whole, settings: &Settings) -> Option<Names> {
    if whole.given.is_some() {
        return Some(Names::Own);
    }
    let options = entity_options(false, whole.options.language, settings.all());
    let names = whole.names_of(&options)?;
    // Hop's layer has numbers of its own names.
    let serves = options.gazetteer || !settings.method().plan().opens_sentences();
    serves.then_some(names)
}

/// What a question reads under settings.
fn reads(whole: &Whole, settings: &Settings, question: &str) -> Reads {
    let plan = settings.method().plan();
    let sentences = plan.opens_sentences();
    let most = [RESULT_K, RRF_DEPTH, SEED_K].map(|depth| settings.get(depth));
    let most = most.into_iter().fold(DEPTH, usize::max);
    let deep = |values: Scoped<'_>| Deep {
        tokens: rank::tokens(values),
        constants: rank::constants(values),
        words: counted(rank::tokens(values), whole.options.language, question),
        most: most.max(if sentences { LISTED } else { 0 }),
    };
    let fixed = plan.steps.iter().filter(|step| !step.fixed.is_empty());
    let listed = fixed.filter(|step| step.reads.contains(&P::Bm25K1));
    let listed = listed.map(|step| deep(settings.all().with(&step.fixed)));
    Reads {
        names: names_of(whole, settings).unwrap_or_default(),
        vectors: compares(settings),
        sentences,
        words: [deep(settings.all())].into_iter().chain(listed).collect(),
    }
}

/// Whether a step runs on rows.
fn runs(whole: &Whole, step: &Step) -> bool {
    // There is one graph: the names of another system are not those in the texts.
    let own = if whole.given.is_some() {
        &GIVEN
    } else {
        &ENTITY_PASSAGE
    };
    let graph = step.graph.is_none_or(|graph| graph == own);
    graph && step.operator.declaration().by_rows
}

/// An excerpt for a question, its text or one of the set by identifier, with what the question itself says.
fn begun(rows: &dyn Rows, question: &str, settings: &Settings) -> Result<Excerpt, RetrieveError> {
    let asked = Question {
        text: question.to_owned(),
        ..Question::default()
    };
    let excerpt = begun_with(rows, &asked, settings)?;
    // One of the set, with its gold; by its identifier nothing came of what it says.
    let found = excerpt.question();
    match found.text == question {
        true => Ok(excerpt),
        false => begun_with(rows, found, settings),
    }
}

fn begun_with(
    rows: &dyn Rows,
    asked: &Question,
    settings: &Settings,
) -> Result<Excerpt, RetrieveError> {
    let question = &*asked.text;
    let mut excerpt = Excerpt::new(rows, asked, reads(rows.whole(), settings, question))?;
    // The first run asks for what the question says: nothing falls back before its names are known.
    let mut first = settings.clone();
    let (fallback, none) = FALLBACK.at(Fallback::None);
    first.set(fallback, none, Origin::Index);
    Retriever::here(excerpt.index(true)?.index).retrieve(question, &first, Keep::Scores)?;
    let lacks = excerpt.lacking(Wanted {
        question: Some(question.to_owned()).filter(|_| asked.id.is_empty()),
        ..Wanted::default()
    });
    if !lacks.is_empty() {
        excerpt.fetch(rows, lacks)?;
    }
    Ok(excerpt)
}

/// How a question fetches.
struct Fetching<'a> {
    rows: &'a dyn Rows,
    settings: &'a Settings,
    purpose: Purpose,
    /// Nodes whose neighbours are fetched, at most.
    most: usize,
    start: Instant,
}

impl Fetching<'_> {
    /// Fetches what is lacking, unless that is too much or takes too long.
    fn fetch(&self, excerpt: &mut Excerpt, lacks: Wanted) -> Result<(), RetrieveError> {
        let most = self.most;
        if excerpt.nodes() + lacks.nodes.len() > most {
            return Err(RetrieveError::Elsewhere(format!(
                "the walk reaches more than {most} nodes; raise epsilon"
            )));
        }
        if self.start.elapsed() > LIMIT {
            return Err(RetrieveError::Elsewhere(format!(
                "the question took more than {} s; raise epsilon, or check the servers",
                LIMIT.as_secs()
            )));
        }
        Ok(excerpt.fetch(self.rows, lacks)?)
    }

    /// The same, and all that the walks of a run reach then.
    fn fetch_ahead(
        &self,
        excerpt: &mut Excerpt,
        (numbered, run): (&Numbered, &Retrieval),
        mut lacks: Wanted,
    ) -> Result<(), RetrieveError> {
        let mut ahead = Ahead::of(excerpt, numbered, run);
        while !lacks.nodes.is_empty() {
            let came = lacks.nodes.clone();
            self.fetch(excerpt, lacks)?;
            ahead.add(excerpt, self.settings, &came)?;
            lacks = excerpt.lacking(Wanted {
                nodes: ahead.reached(),
                ..Wanted::default()
            });
        }
        Ok(())
    }

    /// Fetches what decides which passages words bring in, until nothing more does.
    fn settle(&self, excerpt: &mut Excerpt) -> Result<(), RetrieveError> {
        loop {
            let open = excerpt.lacking(Wanted::default());
            if open.is_empty() {
                return Ok(());
            }
            self.fetch(excerpt, open)?;
        }
    }

    /// Fetches what the excerpt's question needs, until a run lacks nothing.
    fn fill(&self, excerpt: &mut Excerpt) -> Result<Filled, RetrieveError> {
        let mut walks = true;
        loop {
            if let Round::Filled(filled) = self.round(excerpt, &mut walks)? {
                return Ok(*filled);
            }
        }
    }

    /// The same for an index with the numbers of the whole, of which it is asked again what it lacks, where the question reads
    /// this. `walks` where the walks have yet to begin.
    fn fill_for_all(
        &self,
        excerpt: &mut Excerpt,
        reads: &Reads,
        mut walks: bool,
    ) -> Result<(), RetrieveError> {
        excerpt.read(self.rows, reads.clone())?;
        while let Round::Fetched = self.round(excerpt, &mut walks)? {}
        Ok(())
    }

    /// One run, and what it lacks.
    fn round(&self, excerpt: &mut Excerpt, walks: &mut bool) -> Result<Round, RetrieveError> {
        // A walk may begin where words are: which passages these bring in is settled first.
        self.settle(excerpt)?;
        let mut steps = self.settings.method().plan().steps.iter();
        *walks &= steps.any(|step| step.operator.declaration().walks);
        let numbered = excerpt.index(*walks)?;
        let mut retriever = Retriever::here(numbered.index.clone());
        let question = &excerpt.question().text;
        let run = retriever.retrieve(question, self.settings, Keep::Scores)?;
        let lacks = excerpt.lacking(reached(&numbered, &run));
        if lacks.is_of_nodes() {
            *walks = false;
            self.fetch_ahead(excerpt, (&numbered, &run), lacks)?;
        } else if !lacks.is_empty() {
            self.fetch(excerpt, lacks)?;
        } else if !std::mem::take(walks) {
            let (lacks, shown) = besides(excerpt, &numbered, &run, self.purpose);
            if lacks.is_empty() {
                return Ok(Round::Filled(Box::new((numbered, retriever, run))));
            }
            self.fetch(excerpt, lacks)?;
            if shown {
                return Ok(Round::Shown);
            }
        }
        Ok(Round::Fetched)
    }
}

/// A run that lacks nothing, and what it ran over.
type Filled = (Numbered, Retriever, Retrieval);

/// What a round came to.
enum Round {
    /// Nothing is lacking.
    Filled(Box<Filled>),
    /// What came may change the run.
    Fetched,
    /// What came is shown, and no step reads it.
    Shown,
}

/// What a run lacks whose walks lack nothing, and whether no step reads that.
fn besides(
    excerpt: &Excerpt,
    numbered: &Numbered,
    run: &Retrieval,
    purpose: Purpose,
) -> (Wanted, bool) {
    let lacks = excerpt.lacking(of_candidates(excerpt, numbered, run));
    if !lacks.is_empty() {
        return (lacks, false);
    }
    // It asks for words, too.
    let _ = run.unrecognised(&numbered.index);
    let shown = shown(excerpt, numbered, run, purpose);
    (excerpt.lacking(shown), true)
}

/// Holds that a run did not fall back to all passages.
fn held(excerpt: &Excerpt, reads: &Reads, run: &Retrieval) -> Result<(), RetrieveError> {
    let matches = || {
        reads
            .words
            .first()
            .is_some_and(|list| excerpt.matches(list))
    };
    let uniform = || run.settings.get(FALLBACK) == Fallback::Uniform || !matches();
    match run.fallback() && uniform() {
        false => Ok(()),
        true => Err(RetrieveError::Elsewhere(
            "nothing of the question is known, and the fallback would restart at every passage; set fallback=bm25_top1 or \
             fallback=none"
                .to_owned(),
        )),
    }
}

/// Answers a question over rows: its text, or one of the set by identifier. The settings are [`fitted`].
///
/// # Errors
/// What whoever has the rows says; a walk that reaches too far; a fallback to all passages.
pub fn retrieve(
    rows: &dyn Rows,
    question: &str,
    settings: &Settings,
    (keep, purpose): (Keep, Purpose),
) -> Result<Fetched, RetrieveError> {
    let mut excerpt = begun(rows, question, settings)?;
    answered(&mut excerpt, rows, settings, (keep, purpose))
}

/// Answers a question to an index that lies elsewhere, with as little of it as the answer takes: most questions are asked
/// once. What came is left for the next one that asks the same. The settings are [`fitted`].
///
/// # Errors
/// As [`retrieve`].
pub fn answer_of(
    source: &Source,
    question: &str,
    settings: &Settings,
) -> Result<Fetched, RetrieveError> {
    let rows = source.rows();
    let names = names_of(rows.whole(), settings).unwrap_or_default();
    let mut excerpt = taken(source, question, settings, names)?;
    let reads = reads(rows.whole(), settings, &excerpt.question().text);
    excerpt.read(rows, reads)?;
    let how = (Keep::Scores, Purpose::Answer);
    let fetched = answered(&mut excerpt, rows, settings, how)?;
    if excerpt.gone().is_empty() && rows.lost().is_empty() {
        source.leave(excerpt);
    }
    Ok(fetched)
}

/// What was left of the same question over these names, or a new excerpt for it.
fn taken(
    source: &Source,
    question: &str,
    settings: &Settings,
    names: Names,
) -> Result<Excerpt, RetrieveError> {
    let left = source.take(question, names);
    left.map_or_else(|| begun(source.rows(), question, settings), Ok)
}

/// Answers the question of an excerpt.
fn answered(
    excerpt: &mut Excerpt,
    rows: &dyn Rows,
    settings: &Settings,
    (keep, purpose): (Keep, Purpose),
) -> Result<Fetched, RetrieveError> {
    let fetching = Fetching {
        rows,
        settings,
        purpose,
        most: MOST,
        start: Instant::now(),
    };
    let (numbered, mut retriever, run) = fetching.fill(excerpt)?;
    held(excerpt, excerpt.reads(), &run)?;
    let run = match keep {
        Keep::Scores => run,
        Keep::States => retriever.retrieve(&run.question, settings, keep)?,
    };
    Ok(Fetched {
        lost: lost(rows, excerpt, &numbered, &run),
        numbered,
        run,
        nodes: excerpt.nodes(),
    })
}

/// What the last question to an index that lies elsewhere fetched, and a retriever over the index of that.
struct Last {
    kept: Arc<Kept>,
    retriever: Retriever,
}

impl Last {
    /// With what was remembered of it.
    fn of(kept: Arc<Kept>) -> Last {
        let known = kept.remembered().and_then(|known| known.downcast().ok());
        let fresh = || Box::new(Retriever::here(kept.numbered.index.clone()));
        Last {
            retriever: *known.unwrap_or_else(fresh),
            kept,
        }
    }

    /// Goes on over more rows, in the same memory.
    fn turn(&mut self, More { kept, walks }: More) {
        self.retriever.turn(kept.numbered.index.clone(), walks);
        self.kept = kept;
    }
}

/// What a retriever over an index that lies elsewhere asks, and knows of its last question.
pub(super) struct There {
    source: Arc<Source>,
    last: Option<Box<Last>>,
    /// Nodes whose neighbours are fetched for one question, at most.
    most: usize,
}

/// A question is asked again with one change after the other, and call after call.
impl Drop for There {
    fn drop(&mut self) {
        if let Some(Last { kept, retriever }) = self.last.take().map(|last| *last) {
            kept.remember(Box::new(retriever));
        }
    }
}

impl There {
    /// None of an index that lies here.
    pub(super) fn of(index: &Index) -> Option<There> {
        let source = index.source()?.clone();
        Some(There {
            source,
            last: None,
            most: MOST,
        })
    }

    /// After a retrieval over an index of rows, where these are still kept: for a change that is tried.
    pub(super) fn after(index: &Arc<Index>, run: &Retrieval) -> Option<There> {
        let mut own = There::of(index)?;
        own.last = own.source.of(index).map(|kept| {
            let retriever = Retriever::after_here(index.clone(), run);
            Box::new(Last { kept, retriever })
        });
        own.most = TRIED;
        Some(own)
    }

    /// A retriever over what the last question fetched.
    pub(super) fn last(&self) -> Option<&Retriever> {
        self.last.as_ref().map(|last| &last.retriever)
    }

    pub(super) fn last_mut(&mut self) -> Option<&mut Retriever> {
        self.last.as_mut().map(|last| &mut last.retriever)
    }

    /// Fetches what was read of its index and had not come; false where all had.
    pub(super) fn complete(&mut self) -> Result<bool, RetrieveError> {
        let Some(last) = &mut self.last else {
            return Ok(false);
        };
        let more = self.source.complete(&last.kept)?;
        let grew = more.is_some();
        if let Some(more) = more {
            last.turn(more);
        }
        Ok(grew)
    }

    /// Answers a question, with the numbers of the whole. What the last one fetched serves this one.
    pub(super) fn retrieve(
        &mut self,
        question: &str,
        settings: &Settings,
        keep: Keep,
    ) -> Result<Retrieval, RetrieveError> {
        let (source, last) = (&self.source, &mut self.last);
        let rows = source.rows();
        let settings = fitted(rows.whole(), settings)?;
        let fetching = Fetching {
            rows,
            settings: &settings,
            purpose: Purpose::Trace,
            most: self.most,
            start: Instant::now(),
        };
        let reads = reads(rows.whole(), &settings, question);
        // Of another question the memory serves this one.
        let (own, idle) = match last.take() {
            Some(last) if last.kept.is_for(question, reads.names) => (Some(last), None),
            other => (None, other),
        };
        let known = own.or_else(|| {
            let kept = source.find(question, reads.names);
            kept.map(|kept| Box::new(Last::of(kept)))
        });
        let mut own = match known {
            Some(known) if known.kept.has(&reads) => known,
            known => {
                let mut excerpt = match &known {
                    Some(known) => known.kept.excerpt.clone(),
                    None => taken(source, question, &settings, reads.names)?,
                };
                // A verdict or a path knows of no mass that stopped.
                excerpt.follow_all();
                fetching.fill_for_all(&mut excerpt, &reads, true)?;
                let kept = source.keep(excerpt)?;
                match known.or(idle) {
                    Some(mut own) => {
                        own.turn(More { kept, walks: false });
                        own
                    }
                    None => Box::new(Last::of(kept)),
                }
            }
        };
        let asked = own.kept.excerpt.question().text.clone();
        loop {
            let run = own.retriever.retrieve(&asked, &settings, keep)?;
            let kept = &own.kept;
            let open = kept.excerpt.lacking(reached(&kept.numbered, &run));
            let walks = open.is_empty();
            let lacks = match walks {
                // What is named besides is fetched when somebody reads it.
                true => besides(&kept.excerpt, &kept.numbered, &run, Purpose::Answer).0,
                false => open,
            };
            if lacks.is_empty() {
                let told = held(&kept.excerpt, &reads, &run);
                *last = Some(own);
                return told.map(|()| run);
            }
            let mut excerpt = kept.excerpt.clone();
            if walks || lacks.nodes.is_empty() {
                fetching.fetch(&mut excerpt, lacks)?;
                fetching.settle(&mut excerpt)?;
            } else {
                // A walk goes on over the rows that come, and what it brings in over the short excerpt.
                match lacks.is_of_nodes() {
                    true => fetching.fetch_ahead(&mut excerpt, (&kept.numbered, &run), lacks)?,
                    false => fetching.fetch(&mut excerpt, lacks)?,
                }
                fetching.fill_for_all(&mut excerpt, &reads, false)?;
            }
            let kept = source.keep(excerpt)?;
            own.turn(More { kept, walks });
        }
    }
}

/// How probably the answer is in the first five passages. That was learned of whole indexes: nothing is claimed of an answer
/// that lacks something.
pub fn confidence(index: &Arc<Index>, run: &Retrieval, lost: Option<&Lost>) -> Option<Confidence> {
    match lost {
        None => run.confidence(index),
        Some(_) => None,
    }
}

/// What a run lacks of the whole, if somebody could not be asked or it came to hubs: what is found by its form or by its
/// nearness may have been there, too, though nothing was asked for by number.
fn lost(rows: &dyn Rows, excerpt: &Excerpt, numbered: &Numbered, run: &Retrieval) -> Option<Lost> {
    let (databases, gone) = (rows.lost(), excerpt.gone());
    let records = || run.records.iter();
    let is_hub = |node: u32| excerpt.is_hub(numbered.whole(node));
    let reached = records().flat_map(settled).map(|held| held.0);
    let hubs: BTreeSet<u32> = reached.filter(|node| is_hub(*node)).collect();
    if databases.is_empty() && gone.is_empty() && hubs.is_empty() {
        return None;
    }
    let stopped = |node: u32| is_hub(node) || gone.nodes.contains(&numbered.whole(node));
    // A push settles alpha of what arrives at a node; the rest would go on from there.
    let left = |record: &Record| {
        let spread = record.output.get::<Spread>()?;
        let mass = settled(record).filter(|held| stopped(held.0));
        let mass: f64 = mass.map(|held| held.1).sum();
        Some(mass * (1.0 - spread.diffusion.alpha) / spread.diffusion.alpha)
    };
    let words: BTreeSet<&String> = gone.words.iter().flatten().collect();
    Some(Lost {
        databases,
        mass: records().filter_map(left).fold(0.0, f64::max),
        nodes: gone.nodes.len(),
        hubs: hubs.len(),
        words: words.into_iter().cloned().collect(),
        passages: gone.texts.union(&gone.titles).count(),
    })
}

/// The nodes that a step settled mass on, if it walks, with that.
fn settled(record: &Record) -> impl Iterator<Item = (u32, f64)> + '_ {
    let spread = record.output.get::<Spread>().into_iter();
    spread.flat_map(|spread| spread.mass.reached())
}

/// What a run pushed, and the names that its sentences cross to: the neighbours of all have to be there.
fn reached(numbered: &Numbered, run: &Retrieval) -> Wanted {
    let pushed = run.records.iter().flat_map(|record| {
        let t = record.graph.as_ref().map(|graph| graph.transition());
        let nodes = settled(record).map(|held| held.0);
        nodes.filter(move |node| t.is_none_or(|t| !t.knows(*node as usize)))
    });
    let crossed = || crossed(run).map(|(_, name)| name);
    let nodes = pushed.chain(crossed());
    Wanted {
        nodes: nodes.map(|node| numbered.whole(node)).collect(),
        entities: crossed().map(|name| numbered.entity(name)).collect(),
        ..Wanted::default()
    }
}

/// The passages whose sentences are near to the question, and the nodes of the names in them.
fn crossed(run: &Retrieval) -> impl Iterator<Item = (u32, u32)> {
    let records = run.records.iter();
    let signals = records.filter_map(|record| record.output.get::<Signals>());
    let crossings = signals.flat_map(|signals| &signals.crossings);
    crossings.map(|crossing| (crossing.seed, crossing.name))
}

/// What the learned order reads of its candidates: their texts, and the names that two of them have; and the texts of those
/// that signals compare, where these say which have a common word.
fn of_candidates(excerpt: &Excerpt, numbered: &Numbered, run: &Retrieval) -> Wanted {
    let records = run.records.iter();
    let compared = records
        .clone()
        .filter_map(|record| record.output.get::<Candidates>());
    let passages: Vec<u32> = compared
        .flat_map(|candidates| &candidates.passages)
        .map(|passage| numbered.whole(*passage))
        .collect();
    let mut counts: FxHashMap<u32, usize> = FxHashMap::default();
    for passage in &passages {
        for name in excerpt.names_of([*passage].into_iter()) {
            *counts.entry(name).or_default() += 1;
        }
    }
    let shared = counts.into_iter().filter(|(_, count)| *count > 1);
    let signals = records.filter_map(|record| record.output.get::<Signals>());
    let signals = signals.filter(|_| excerpt.is_open());
    let worded = signals.flat_map(|signals| &signals.candidates);
    let worded = worded.map(|passage| numbered.whole(*passage));
    Wanted {
        nodes: passages.iter().copied().collect(),
        texts: worded.chain(passages.iter().copied()).collect(),
        entities: shared.map(|(name, _)| name).collect(),
        ..Wanted::default()
    }
}

/// What is shown of a run: the passages that are returned with the names in them, and what its purpose needs besides.
fn shown(excerpt: &Excerpt, numbered: &Numbered, run: &Retrieval, purpose: Purpose) -> Wanted {
    let mut lacks = Wanted::default();
    let passages = numbered.index.len() as u32;
    for record in &run.records {
        let set = &record.output;
        let of_nodes = set.space == Space::Nodes;
        let members = set.members.iter().map(|member| member.node);
        let hits = set.hits().iter().map(|hit| hit.passage);
        let traced = match purpose {
            Purpose::Answer => Vec::new(),
            Purpose::Trace => settled(record).map(|held| held.0).chain(hits).collect(),
        };
        for node in members.chain(traced) {
            match node < passages {
                true => lacks.titles.insert(numbered.whole(node)),
                false if of_nodes => lacks.entities.insert(numbered.entity(node)),
                false => continue,
            };
        }
    }
    let top = || run.top().iter().map(|hit| numbered.whole(hit.passage));
    lacks.nodes.extend(top());
    // What bridges is quoted, and gold is looked for.
    let bridges = crossed(run).map(|(seed, _)| numbered.whole(seed));
    let gold = excerpt.question().gold.iter().map(|gold| gold.passage);
    lacks.texts.extend(top().chain(bridges).chain(gold));
    lacks.entities.extend(excerpt.names_of(top()));
    lacks
}
