//! From the core to the screen: answers requests, on the worker's thread or, for pictures and tests, on the caller's.

mod browse;
mod detail;
mod flow;
mod passages;
mod seeds;
mod story;
mod walk;
mod ways;
mod whole;
mod words;

use crate::parameters::RESULT_K;

use super::layout::View;
use super::scene::{
    Answer, Asked, Basis, Browsed, Detail, Facts, Flow, Gold, Names, Piece, Request, Scene,
    Subject, Ways,
};
use super::text::clean;
use crate::evaluate::sweep::{Changes, Column, over_question};
use crate::evaluate::{self, measures};
use crate::explain;
use crate::index::Index;
use crate::index::source::ROUNDS;
use crate::layers::Graph;
use crate::retrieve::{
    Confidence, Keep, Link, Matched, Node, Ranked, Ranker, Retrieval, RetrieveError, Retriever,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Instant;
use walk::Parted;

/// Answers requests over one index. A request that differs only in its subject re-uses the scene.
pub struct Engine {
    index: Arc<Index>,
    retriever: Retriever,
    /// Where answers are made: what works in the background has the threads of everybody, for as long as it takes.
    threads: Option<Arc<rayon::ThreadPool>>,
    /// Whether answers say how long they took.
    timed: bool,
    /// The graph whose spellings were asked for last.
    spelled: Option<u64>,
    last: Option<Last>,
    shares: Option<Shares>,
    /// Of the question that was asked last, by its place in the set.
    pieces: Option<(usize, Arc<[Piece]>)>,
}

/// A walk's set, its seeds' groups, the nodes that are shown, and what each group paid of them.
type Shares = (u64, Vec<Vec<usize>>, Vec<Node>, Arc<Parted>);

/// What the last answer was made of.
struct Last {
    asked: Option<usize>,
    retrieval: Retrieval,
    scene: Arc<Scene>,
    /// The group of each seed node, and the places of each group's seeds.
    groups: BTreeMap<Node, usize>,
    members: Vec<Vec<usize>>,
    /// Made when it is first looked at.
    flow: Option<Arc<Flow>>,
    ways: Option<Arc<Ways>>,
}

impl Engine {
    pub fn new(index: Arc<Index>) -> Engine {
        Engine {
            retriever: Retriever::new(index.clone()),
            index,
            // Without any of its own it has those of everybody, too.
            threads: rayon::ThreadPoolBuilder::new().build().ok().map(Arc::new),
            timed: true,
            spelled: None,
            last: None,
            shares: None,
            pieces: None,
        }
    }

    /// Its answers took no time: pictures and snapshots must not depend on how fast this machine is.
    pub fn untimed(self) -> Engine {
        Engine {
            timed: false,
            ..self
        }
    }

    /// # Errors
    /// When the index cannot be read.
    pub fn answer(&mut self, request: &Request) -> Result<Answer, RetrieveError> {
        self.answer_while(request, &|_| {}, &|| true)
    }

    /// The same, with the answer told before the verdict on a missed passage is put to the test, which asks the question
    /// many times over; that ends once `going` is false.
    pub fn answer_while(
        &mut self,
        request: &Request,
        tell: &(dyn Fn(Answer) + Sync),
        going: &(dyn Fn() -> bool + Sync),
    ) -> Result<Answer, RetrieveError> {
        match self.threads.clone() {
            Some(own) => own.install(|| self.answered(request, tell, going)),
            None => self.answered(request, tell, going),
        }
    }

    fn answered(
        &mut self,
        request: &Request,
        tell: &(dyn Fn(Answer) + Sync),
        going: &(dyn Fn() -> bool + Sync),
    ) -> Result<Answer, RetrieveError> {
        let start = Instant::now();
        let same = |last: &Last| {
            last.asked == request.asked
                && last.scene.question == request.question
                && last.scene.settings == request.settings
        };
        self.last = self.last.take().filter(same);
        // It has all that it names, whatever is fetched for its details.
        let scene = self.last.as_ref().map(|last| last.scene.clone());
        let kept = scene.is_some();
        let source = self.index.source().cloned();
        let spent = || source.as_ref().and_then(|source| source.rows().spent());
        // What failed before is no cost of this answer.
        let _ = spent();
        let (mut told, mut rounds) = (false, 0);
        let (last, detail) = loop {
            rounds += 1;
            let (last, mut detail, described) = self.described(request, scene.as_ref())?;
            if let Some(graph) = explain::lookalike::graph_of(&last.retrieval) {
                self.spell(graph);
            }
            // Of an index that lies elsewhere, what is shown is fetched when it is first read.
            if self.more(&mut rounds)? {
                continue;
            }
            let testing = detail.passage.as_ref().is_some_and(|why| why.testing);
            if testing && !std::mem::replace(&mut told, true) {
                tell(self.answer_of((&last, &detail), (start, kept)));
            }
            if let Some(why) = detail.passage.as_mut().filter(|_| testing) {
                detail::test(&self.index, &last.retrieval, why, described, going);
            }
            if !(testing && self.more(&mut rounds)?) {
                break (last, detail);
            }
        };
        let mut answer = self.answer_of((&last, &detail), (start, kept));
        answer.spent = spent();
        self.last = Some(last);
        Ok(answer)
    }

    /// Fetches what was read and had not come; false where all had, or too often more was read.
    fn more(&mut self, rounds: &mut usize) -> Result<bool, RetrieveError> {
        let more = *rounds < ROUNDS && self.retriever.complete()?;
        if more {
            self.pieces = None;
        }
        Ok(more)
    }

    fn answer_of(
        &self,
        (last, detail): (&Last, &Detail),
        (start, kept): (Instant, bool),
    ) -> Answer {
        Answer {
            scene: last.scene.clone(),
            detail: Arc::new(detail.clone()),
            seconds: match self.timed {
                true => start.elapsed().as_secs_f64(),
                false => 0.0,
            },
            kept,
            spent: None,
        }
    }

    /// The scene of a request, kept or made now, its subject in detail, and what describes that where it is missed.
    fn described(
        &mut self,
        request: &Request,
        scene: Option<&Arc<Scene>>,
    ) -> Result<(Last, Detail, Vec<explain::Reason>), RetrieveError> {
        let mut last = match self.last.take() {
            Some(last) => last,
            None => self.run(request)?,
        };
        last.scene = scene.unwrap_or(&last.scene).clone();
        if request.view == View::Flow && last.flow.is_none() {
            let flow = flow::flow(&self.index, &last.retrieval, &last.scene, &last.members);
            last.flow = Some(Arc::new(flow));
        }
        if request.view == View::Graph && last.ways.is_none() {
            let ways = ways::ways(&self.index, &last.retrieval, &last.scene);
            last.ways = Some(Arc::new(ways));
        }
        let asked = request.browse.as_ref();
        let browsed = asked
            .and_then(|browse| browse::browsed(&self.index, &last.retrieval, &last.scene, browse));
        // The other panes are about the node under the cursor.
        let under = browsed.as_ref().and_then(Browsed::subject);
        let (mut detail, described) = detail::explain(
            &self.index,
            &last.retrieval,
            &last.scene,
            &last.groups,
            under.map_or(request.subject, |under| Subject {
                passage: under.passage.or(request.subject.passage),
                ..under
            }),
        );
        detail.browsed = browsed.map(Arc::new);
        detail.flow = last.flow.clone();
        detail.ways = last.ways.clone();
        Ok((last, detail, described))
    }

    /// A graph that was asked is soon asked for a passage that it lost. What the names of that one look like is found at once
    /// where all names are known by their spellings: making these takes a second or two, and meanwhile answers do without.
    fn spell(&mut self, graph: &Arc<Graph>) {
        if self.index.source().is_none() && self.spelled.replace(graph.id) != Some(graph.id) {
            let (graph, index) = (graph.clone(), self.index.clone());
            // One thread: the others are for what is asked meanwhile.
            let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build();
            // Without it they stay unknown, and nothing else changes.
            if let Ok(alone) = alone {
                alone.spawn(move || drop(graph.spellings(&index).clone()));
            }
        }
    }

    /// What each of some changes of a request's settings gives.
    ///
    /// # Errors
    /// The first retrieval that failed.
    pub fn changed(
        &mut self,
        request: &Request,
        points: &[Changes],
        go_on: &dyn Fn() -> bool,
    ) -> Result<Vec<Column>, RetrieveError> {
        let question = request.asked.and_then(|at| self.index.questions().get(at));
        let asked = (&*request.question, question);
        over_question(
            &mut self.retriever,
            asked,
            &request.settings,
            points,
            |_| go_on(),
        )
    }

    fn run(&mut self, request: &Request) -> Result<Last, RetrieveError> {
        let retrieval =
            self.retriever
                .retrieve(&request.question, &request.settings, Keep::States)?;
        self.index = self.retriever.index().clone();
        let index = &self.index;
        let question = request.asked.and_then(|at| index.questions().get(at));
        let gold: Vec<u32> =
            question.map_or_else(Vec::new, |q| q.gold.iter().map(|g| g.passage).collect());
        let flat = retrieval.walk().is_none();
        let (groups, seed_groups) = if flat {
            Default::default()
        } else {
            // Letters are those of the seeds before any was changed.
            let mut known = Vec::new();
            if !request.settings.seed_edits().is_empty() {
                let before = request.settings.of_any_question();
                let question = &request.question;
                let before = self.retriever.retrieve(question, &before, Keep::States)?;
                known = seeds::letters(index, &before);
            }
            seeds::keep_letters(index, &retrieval, known)
        };
        let shares = shared(&mut self.shares, &retrieval, &seed_groups);
        // A fused score is made of ranks; the walk's shares are those of another number.
        let walked = if basis(&retrieval) == Basis::Walk {
            &shares.split.end[..]
        } else {
            &[]
        };
        let group_of = walk::group_of(&retrieval, &seed_groups);
        let top: Vec<u32> = retrieval.passages.iter().map(|hit| hit.passage).collect();
        let linked = retrieval.names().iter().filter(
            |name| matches!(name.link, Link::Linked { node } if group_of.contains_key(&node)),
        );
        let mut scene = Scene {
            question: request.question.clone(),
            settings: request.settings.clone(),
            named: retrieval
                .looks_for_names()
                .then(|| (retrieval.names().len(), linked.count())),
            started: retrieval.seeds().len(),
            noun: noun(&retrieval),
            basis: basis(&retrieval),
            seeds: seeds::seeds(index, &retrieval, &seed_groups, &groups),
            groups,
            walks: !flat,
            timeline: None,
            spread: Vec::new(),
            listed: 0,
            passages: passages::rows(index, &retrieval, walked, &group_of, &gold),
            matched: matched(&retrieval),
            top_k: retrieval.top().len().max(request.settings.get(RESULT_K)),
            gold: gold
                .iter()
                .map(|passage| fate(index, &retrieval, *passage))
                .collect(),
            missing: question
                .map_or_else(Vec::new, |q| q.missing.iter().map(|m| clean(m)).collect()),
            answers: question.map_or_else(Vec::new, |q| q.answers.clone()),
            pieces: pieces(&mut self.pieces, index, request.asked),
            measures: question
                .and_then(|q| measures::measures(&top, q))
                .map_or_else(Vec::new, |m| {
                    measures::MEASURES.into_iter().zip(m.0).collect()
                }),
            first_stage: retrieval.ranked().map(|r| (r.ranker.label(), r.matched)),
            reranked: retrieval.reranked().map(|by| (by.name, by.candidates)),
            expanded: retrieval.ranked().map_or(0, |r| r.expansion.len()),
            mixed: retrieval.mixed().map(|m| m.a),
            fallback: retrieval.fallback(),
            nothing: retrieval.why_nothing(),
            unrecognised: retrieval.unrecognised(index),
            confidence: retrieval.confidence(index).map(|c| Confidence {
                sentence: clean(&c.sentence),
                ..c
            }),
            graph_edits: retrieval.graph_edits(),
            story: None,
            titles: BTreeMap::new(),
            of_passages: retrieval
                .walk()
                .is_none_or(|walk| walk.graph.is_of_passages()),
            restarts: retrieval
                .walk()
                .is_some_and(|walk| walk.spread.diffusion.restarts()),
            whole: None,
            names: Names(
                retrieval
                    .walk()
                    .map_or_else(Weak::new, |walk| Arc::downgrade(walk.graph)),
            ),
        };
        if request.settings.method().tells() {
            story::tell(index, &retrieval, &gold, &mut scene);
        } else if flat {
            words::tell(index, &retrieval, &mut scene);
        } else {
            walk::tell(index, &retrieval, &shares, &group_of, &mut scene);
            let walk = retrieval.walk();
            scene.whole = walk.and_then(|walk| whole::whole(index, &walk, &scene));
        }
        Ok(Last {
            asked: request.asked,
            retrieval,
            scene: Arc::new(scene),
            groups: group_of,
            members: seed_groups,
            flow: None,
            ways: None,
        })
    }
}

/// The groups' shares of a walk. The same walk is not taken apart again: a step of a weight changes no walk.
fn shared(last: &mut Option<Shares>, retrieval: &Retrieval, groups: &[Vec<usize>]) -> Arc<Parted> {
    let Some(walk) = retrieval.walk() else {
        return Arc::default();
    };
    let set = retrieval.records[walk.step].output.id;
    // Where the walk is not what is scored, its shares of passages are not shown.
    let ranked = retrieval.passages.iter().map(|hit| hit.passage);
    let ranked = ranked.filter(|_| basis(retrieval) == Basis::Walk);
    let shown = walk::shown(&walk, ranked);
    if let Some((known, by, of, shares)) = last
        && *known == set
        && by == groups
        && *of == shown
    {
        return shares.clone();
    }
    let shares = Arc::new(walk::parted(&walk, groups, &shown));
    *last = Some((set, groups.to_vec(), shown, shares.clone()));
    shares
}

/// Where the answers of a question of the set stand.
fn pieces(
    last: &mut Option<(usize, Arc<[Piece]>)>,
    index: &Index,
    asked: Option<usize>,
) -> Arc<[Piece]> {
    let Some((at, question)) = asked.and_then(|at| Some((at, index.questions().get(at)?))) else {
        return Arc::default();
    };
    if let Some((_, known)) = last.as_ref().filter(|(known, _)| *known == at) {
        return known.clone();
    }
    // Postings that cannot be read are told where they are needed.
    let found = evaluate::answers::pieces(index, &question.answers).unwrap_or_default();
    let gold = |p: u32| question.gold.iter().any(|gold| gold.passage == p);
    let named = |p: u32| (clean(index.id(p)), gold(p));
    let found = found.into_iter().map(|piece| Piece {
        answer: piece.answer,
        words: clean(&piece.words),
        passages: piece.passages.map(|p| p.into_iter().map(named).collect()),
    });
    let found: Arc<[Piece]> = found.collect();
    *last = Some((at, found.clone()));
    found
}

/// Questions for an index that has none, made of all its names: none of one that lies elsewhere.
pub fn suggested(index: &Index) -> Vec<String> {
    if !index.questions().is_empty() || index.source().is_some() {
        return Vec::new();
    }
    let all = crate::explain::suggested(index);
    all.iter().map(|question| clean(question)).collect()
}

/// What never changes while the index is open, but for what is [`suggested`]. `argument` is what to write for INDEX on the
/// command line.
pub fn facts(index: &Index, argument: &str) -> Facts {
    let asked = |q: &crate::corpus::Question| Asked {
        id: q.id.clone(),
        text: clean(&q.text),
        kind: q.kind.clone(),
        answers: q.answers.clone(),
        gold: q.wanted(),
    };
    // Where the corpus came with a graph, that is the one that is looked at. Of one that lies elsewhere the sizes are known.
    let here = index.source().is_none();
    let given = here.then(|| crate::layers::given::known(index).ok().flatten());
    let given = given.flatten();
    let given = given.map(|layer| (layer.meta.entities, layer.edges()));
    let size = index.size();
    Facts {
        name: clean(index.name()),
        argument: argument.to_owned(),
        fingerprint: index.fingerprint().to_owned(),
        passages: index.len(),
        entities: given.map_or(size.entities, |given| given.0),
        edges: given.map_or(size.edges, |given| given.1),
        questions: index.questions().iter().map(asked).collect(),
        suggested: Vec::new(),
        read: index.read.as_deref().map(clean),
        reranker: index.reranker().map_or("", |r| r.spec()).to_owned(),
        vectors: index.dense().is_some(),
        closed: index.closed().map(ToString::to_string),
        model: index.llm().model().map(clean),
        small: index.source().is_none() && index.len() <= crate::index::layer::SMALL,
        elsewhere: (index.source()).map(|source| Arc::new(source.rows().whole().clone())),
        typed: crate::layers::typed::tables(index).is_ok(),
        given: crate::layers::given::is_known(index),
        layers: index.layers(),
        kinds: crate::layers::LAYERS,
    }
}

/// How many passages scored above zero.
fn matched(retrieval: &Retrieval) -> Matched {
    let last = retrieval.records.last();
    let ranked = last.and_then(|last| last.output.get::<Ranked>());
    ranked.map_or(0.into(), |ranked| ranked.matched)
}

/// What the score of a passage is made of.
fn basis(retrieval: &Retrieval) -> Basis {
    let last = retrieval.records.last();
    let Some(ranked) = last.and_then(|last| last.output.get::<Ranked>()) else {
        return Basis::Parts;
    };
    match ranked.ranker {
        _ if ranked.reranked.is_some() => Basis::Measure,
        Ranker::Walk | Ranker::Pack if retrieval.walk().is_some() => Basis::Walk,
        Ranker::Signals => Basis::Signals,
        Ranker::Parts | Ranker::Walk | Ranker::Pack => Basis::Parts,
        Ranker::Rrf => Basis::Lists,
        Ranker::Dense | Ranker::Bridge => Basis::Measure,
        Ranker::Bm25 | Ranker::Rm3 | Ranker::TwoStep => Basis::Words,
    }
}

/// What the nodes beside the passages are called.
fn noun(retrieval: &Retrieval) -> &'static str {
    retrieval.walk().map_or("name", |walk| walk.graph.kind.noun)
}

/// In more than one passage out of twenty, or with as many edges: what is sent there is spread thin.
fn is_hub(index: &Index, count: usize) -> bool {
    count > 5 && count * 20 > index.len()
}

/// Where a gold passage ended. Only one that was not reached at all is described here, and nothing is tried: the others are
/// explained when they are selected.
fn fate(index: &Arc<Index>, retrieval: &Retrieval, passage: u32) -> Gold {
    let place = retrieval.place(passage);
    let reason = match place {
        Some(_) => None,
        None => explain::described(index, retrieval, passage)
            .into_iter()
            .next(),
    };
    Gold {
        passage,
        node: retrieval.walk().and_then(|walk| walk.best_node(passage)),
        key: index.id(passage).to_owned(),
        id: clean(index.id(passage)),
        title: clean(index.title(passage)),
        headed: passages::headed(index, passage),
        name: passages::name(index, passage),
        rank: place.map(|(rank, _)| rank),
        score: place.map_or(0.0, |(_, score)| f64::from(score)),
        code: reason
            .as_ref()
            .map_or_else(String::new, |r| r.code.to_string()),
        reason: reason.map_or_else(String::new, |r| clean(&r.text)),
    }
}

/// The subject of a request, filled in where it leaves the choice.
fn resolved(subject: Subject, scene: &Scene) -> Subject {
    let passage = subject
        .passage
        .or(scene.passages.first().map(|row| row.passage));
    Subject {
        passage,
        node: subject.node.or_else(|| scene.node_of(passage?)),
        ..subject
    }
}
