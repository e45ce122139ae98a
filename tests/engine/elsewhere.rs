//! Answers over fetched rows are the answers over the whole index, bit for bit.

use crate::common::shared;
use hopscope::corpus::{Corpus, Passage, Question, ReadOptions, read};
use hopscope::embed::HnswOptions;
use hopscope::index::published::Lost;
use hopscope::index::rows::{Came, Here, Names, Rows, Wanted, Whole, copy};
use hopscope::index::{
    BuildOptions, EntityOptions, Index, IndexError, NearOptions, Silent, sample,
};
use hopscope::layers::HopLayer;
use hopscope::random::SplitMix;
use hopscope::retrieve::elsewhere::{Fetched, Purpose, fitted, retrieve};
use hopscope::retrieve::explanation::Part;
use hopscope::retrieve::{
    Keep, METHODS, Matched, Method, Retrieval, RetrieveError, Retriever, Settings, Spread,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

pub static SAMPLE: LazyLock<Arc<Index>> =
    LazyLock::new(|| with_sentences(sample::index().unwrap()));

/// With hop's layer, which an index that is stored has.
fn with_sentences(index: Index) -> Arc<Index> {
    index.add_layer(HopLayer::build(&index, &Silent).unwrap());
    Arc::new(index)
}

pub fn settings(index: &Index, method: &str, set: &[&str]) -> Settings {
    let mut settings = Settings::of(index, Method::by_name(method).unwrap());
    set.iter().for_each(|set| settings.set_text(set).unwrap());
    settings
}

/// Identifiers and scores.
fn ranking(index: &Index, run: &Retrieval) -> Vec<(String, u32)> {
    let hits = run.top().iter();
    hits.map(|hit| (index.id(hit.passage).to_owned(), hit.score.to_bits()))
        .collect()
}

/// Holds that a run over rows is the run over the whole.
pub fn agree(
    question: &str,
    (part, run): (&Arc<Index>, &Retrieval),
    (index, whole): (&Arc<Index>, &Retrieval),
) {
    assert_eq!(ranking(part, run), ranking(index, whole), "{question}");
    let facts = |run: &Retrieval| -> Vec<Option<Matched>> {
        let records = run.records.iter();
        records
            .map(|r| r.output.ranked().map(|list| list.matched))
            .collect()
    };
    assert_eq!(facts(run).len(), facts(whole).len(), "{question}");
    for (own, all) in facts(run).into_iter().zip(facts(whole)) {
        match (own, all) {
            (Some(own), Some(all)) if own.at_least => assert!(own.count <= all.count),
            _ => assert_eq!(own, all, "{question}"),
        }
    }
    // What each seed paid of the first passage, too.
    for (hit, other) in whole.top().iter().zip(run.top()).take(2) {
        let ours = run.explain(part, other.passage);
        let theirs = whole.explain(index, hit.passage);
        let paid = |parts: &[Part]| -> BTreeMap<String, f64> {
            parts
                .iter()
                .map(|part| (part.label.clone(), part.value))
                .collect()
        };
        let (own, other) = (paid(&ours.parts), paid(&theirs.parts));
        let error = ours.error + theirs.error + 1e-9;
        for label in own.keys().chain(other.keys()) {
            let of = |paid: &BTreeMap<String, f64>| paid.get(label).copied().unwrap_or(0.0);
            assert!(
                (of(&own) - of(&other)).abs() <= error,
                "{question}: {label}"
            );
        }
    }
}

/// Asks both ways, and gives how many nodes were fetched. Common words are asked for apart, too.
fn same(index: &Arc<Index>, question: &str, asked: &Settings) -> usize {
    let here = || Here::of(index).unwrap();
    same_over(&here().with_few(8), index, question, asked);
    same_over(&here(), index, question, asked)
}

fn same_over(here: &dyn Rows, index: &Arc<Index>, question: &str, asked: &Settings) -> usize {
    let fitted = fitted(here.whole(), asked).unwrap();
    let whole = Retriever::new(index.clone())
        .retrieve(question, &fitted, Keep::States)
        .unwrap();
    let fetched = match retrieve(here, question, &fitted, (Keep::States, Purpose::Trace)) {
        // Of a question of which nothing is known.
        Err(RetrieveError::Elsewhere(_)) if whole.fallback() => return 0,
        fetched => fetched.unwrap(),
    };
    agree(
        question,
        (&fetched.numbered.index, &fetched.run),
        (index, &whole),
    );
    fetched.nodes
}

#[test]
fn every_question_of_the_sample_is_answered_as_by_the_whole() {
    let index = &*SAMPLE;
    for (method, set) in [
        ("bm25", &[][..]),
        ("graph", &["fallback=bm25_top1"]),
        ("graph-hybrid", &[]),
        (
            "graph-hybrid",
            &["epsilon=1e-3", "hub_p=0.5", "tokens=stem"],
        ),
        (
            "graph-hybrid",
            &["push_threshold=degree", "dangling=reseed", "min_df=2"],
        ),
        ("names+bm25 > entity-passage > push > fuse", &[]),
        ("dense", &[]),
        ("rrf", &["rrf_depth=30"]),
        ("graph-dense", &["epsilon=1e-3"]),
        ("graph-rrf", &["epsilon=1e-3"]),
        ("rrf-ppr", &["epsilon=1e-3"]),
        (
            "names+dense > entity-passage > push > fuse",
            &["result_k=150"],
        ),
        ("graph-hybrid", &["gazetteer=on", "epsilon=1e-3"]),
        ("hop", &[]),
        (
            "hop",
            &["ranker=off", "epsilon=1e-3", "tokens=plain", "bm25_k1=1.2"],
        ),
        (
            "hop",
            &[
                "epsilon=1e-2",
                "hop_seeds=20",
                "max_df_ratio=0.3",
                "rrf_depth=60",
            ],
        ),
    ] {
        let settings = settings(index, method, set);
        let nodes = index.len() + index.entities();
        for question in index.questions() {
            assert!(same(index, &question.text, &settings) <= nodes);
        }
    }
}

#[test]
fn a_small_world_graph_is_searched_where_it_lies() {
    let options = BuildOptions {
        near: Some(NearOptions {
            from: 0,
            graph: HnswOptions {
                m: 8,
                ef_construction: 60,
                seed: 0,
            },
            ef_search: 64,
        }),
        ..BuildOptions::default()
    };
    let index = Index::build(sample::corpus().unwrap(), &options, &Silent).unwrap();
    let index = with_sentences(index);
    for (method, set) in [
        ("dense", &[][..]),
        ("hop", &["hnsw_ef_search=128"]),
        ("graph-dense", &["vector_search=hnsw", "epsilon=1e-3"]),
        ("dense", &["vector_search=exact"]),
    ] {
        let settings = settings(&index, method, set);
        for question in index.questions().iter().take(12) {
            same(&index, &question.text, &settings);
        }
    }
    let here = Here::of(&index).unwrap();
    let other = settings(&index, "dense", &["hnsw_m=12"]);
    let error = fitted(here.whole(), &other).unwrap_err().to_string();
    assert!(error.contains("leave hnsw_m"), "{error}");
    let without = here.without_graph_beyond(100);
    let asked = settings(&index, "dense", &["vector_search=hnsw"]);
    assert!(fitted(without.whole(), &asked).is_err());
}

#[test]
fn a_coarse_walk_fetches_few_nodes() {
    let index = &*SAMPLE;
    let settings = settings(index, "graph-hybrid", &["epsilon=1e-2"]);
    let nodes = same(index, &index.questions()[0].text, &settings);
    assert!(
        0 < nodes && nodes < (index.len() + index.entities()) / 4,
        "{nodes}"
    );
}

/// A walk that lacks neighbours may push a node whose residual, once they are there, stays just below the threshold: that is
/// seldom.
#[test]
fn a_walk_asks_for_what_it_pushes_and_for_hardly_anything_else() {
    let index = &*SAMPLE;
    let (mut far, mut all, mut more) = (0, 0, 0);
    for question in index.questions().iter().take(20).map(|own| &own.text) {
        let asked = settings(index, "graph", &["epsilon=1e-3", "walk=push"]);
        let mut retriever = Retriever::new(index.clone());
        let whole = retriever.retrieve(question, &asked, Keep::Scores).unwrap();
        let spreads = whole.records.iter();
        let spreads = spreads.filter_map(|record| record.output.get::<Spread>());
        let held = spreads.flat_map(|spread| (0..).zip(&spread.mass[..]));
        let held = held.filter(|(_, mass)| **mass > 0.0);
        let mut pushed: BTreeSet<u32> = held.map(|(node, _)| node).collect();
        pushed.extend(whole.top().iter().map(|hit| hit.passage));
        let (nodes, trips) = (Arc::new(Mutex::new(BTreeSet::new())), AtomicUsize::new(0));
        let seen = nodes.clone();
        let rows = Through {
            here: Here::of(index).unwrap(),
            fetch: move |here: &Here<'_>, names, wanted: &Wanted| {
                let trip = trips.fetch_add(1, Ordering::Relaxed);
                let mut seen = seen.lock().unwrap();
                seen.extend(wanted.nodes.iter().map(|node| (*node, trip)));
                here.fetch(names, wanted)
            },
        };
        let fitted = fitted(rows.whole(), &asked).unwrap();
        let how = (Keep::Scores, Purpose::Answer);
        retrieve(&rows, question, &fitted, how).unwrap();
        let nodes = nodes.lock().unwrap();
        let asked: BTreeSet<u32> = nodes.iter().map(|(node, _)| *node).collect();
        assert_eq!(asked.len(), nodes.len(), "{question}: none twice");
        all += asked.len();
        more += asked.difference(&pushed).count();
        let trips: BTreeSet<usize> = nodes.iter().map(|(_, trip)| *trip).collect();
        far = far.max(trips.len());
    }
    assert!(far > 3, "{far}");
    assert!(50 * more < all, "{more} of {all}");
}

#[test]
fn names_in_any_spelling_are_found() {
    let index = &*SAMPLE;
    let settings = settings(index, "graph", &["fallback=none"]);
    for question in [
        "who was christiaan huygens",
        "who was saturn",
        "Who was Tycho Brahé?",
        "what did cassini discover about saturn",
        "nothing of this is known here at all",
        "",
    ] {
        same(index, question, &settings);
    }
    for method in ["graph", "graph-hybrid", "hop"] {
        // A passage that no question leads to, one that there is not, and a name.
        for edits in [&["+Saturn"][..], &["+#table-noble", "#nobody=mute"]] {
            let mut seeded = self::settings(index, method, &["fallback=none"]);
            let edits = edits.iter().map(|edit| edit.parse().unwrap());
            edits.for_each(|edit| seeded.edit_seed(edit));
            same(index, "Who discovered Titan?", &seeded);
        }
    }
}

#[test]
fn what_needs_the_whole_index_is_refused_with_what_would_serve() {
    let index = &*SAMPLE;
    let here = Here::of(index).unwrap();
    let refused = |method: &str, set: &[&str]| {
        let error = fitted(here.whole(), &settings(index, method, set)).unwrap_err();
        assert!(matches!(error, RetrieveError::Elsewhere(_)));
        error.to_string()
    };
    for (method, set, remedy) in [
        (
            "hipporag2",
            &[][..],
            "methods that run: bm25, dense, rrf, graph, graph-hybrid, graph-dense, graph-rrf, rrf-ppr, hop;",
        ),
        ("hop", &["gazetteer=off"], "gazetteer"),
        ("hop", &["vector_search=hnsw"], "set vector_search=exact"),
        ("dense", &["vector_search=hnsw"], "set vector_search=exact"),
        ("graph", &["walk=power"], "set walk=push"),
        ("graph", &["edge_cap=5"], "edge_cap=0"),
        ("graph", &["prune_top_pct=1"], "max_df_ratio"),
        ("graph", &["edge_weight=share"], "another edge_weight"),
        ("graph", &["ner=regex"], "ner"),
    ] {
        let said = refused(method, set);
        assert!(said.contains(remedy), "{said}");
    }
    let bare = here.without_vectors();
    for (method, remedy) in [
        ("graph-rrf", "published without; they are published where"),
        (
            "hipporag2",
            "methods that run: bm25, graph, graph-hybrid, hop;",
        ),
    ] {
        let error = fitted(bare.whole(), &settings(index, method, &[])).unwrap_err();
        assert!(error.to_string().contains(remedy), "{error}");
    }
    let here = Here::of(index).unwrap();
    let mut other = here.whole().clone();
    let made = other.sentences.as_mut().unwrap();
    made.fingerprint.insert(0, 'x');
    let error = fitted(&other, &settings(index, "hop", &[])).unwrap_err();
    assert!(error.to_string().contains("--add hop"), "{error}");
    let uniform = settings(index, "graph", &["fallback=uniform", "walk=push"]);
    let error = retrieve(
        &here,
        "nothing known",
        &uniform,
        (Keep::Scores, Purpose::Answer),
    );
    assert!(error.is_err_and(|error| error.to_string().contains("fallback=bm25_top1")));
    for method in METHODS.iter() {
        let mut settings = Settings::of(index, method);
        let _ = settings.set_text("fallback=none");
        if let Ok(settings) = fitted(here.whole(), &settings) {
            same(index, "Who discovered Titan?", &settings);
        }
    }
}

/// Rows of an index that lies here, fetched otherwise.
pub struct Through<F> {
    pub here: Here<'static>,
    pub fetch: F,
}

impl<F> Rows for Through<F>
where
    F: Fn(&Here<'static>, Names, &Wanted) -> Result<Came, IndexError> + Send + Sync,
{
    fn whole(&self) -> &Whole {
        self.here.whole()
    }

    fn questions(&self, places: Range<u32>) -> Result<Vec<Question>, IndexError> {
        self.here.questions(places)
    }

    fn vector(&self, question: &str) -> Result<Option<Vec<f32>>, IndexError> {
        self.here.vector(question)
    }

    fn fetch(&self, names: Names, wanted: &Wanted) -> Result<Came, IndexError> {
        (self.fetch)(&self.here, names, wanted)
    }
}

/// What comes where some nodes, and what is under their numbers, cannot be asked for.
fn holed(here: &Here<'_>, names: Names, wanted: &Wanted) -> Result<Came, IndexError> {
    let is_gone = |node: u32| node % 3 == 1;
    let (mut asked, mut gone) = (wanted.clone(), Wanted::default());
    let passages = here.whole().passages;
    let lists = asked.numbers().into_iter().zip(gone.numbers());
    for ((own, of_names), (lost, _)) in lists {
        let node = |one: &u32| if of_names { one + passages } else { *one };
        lost.extend(own.iter().copied().filter(|one| is_gone(node(one))));
        own.retain(|one| !is_gone(node(one)));
    }
    let mut came = here.fetch(names, &asked)?;
    // A form is looked for where its name is.
    came.joined.retain(|(node, _)| !is_gone(*node));
    came.names.retain(|name| !is_gone(name.entity + passages));
    came.gone = gone;
    Ok(came)
}

#[test]
fn what_a_part_lacks_bounds_what_a_walk_differs_by() {
    let holed = Through {
        here: Here::of(&SAMPLE).unwrap(),
        fetch: holed,
    };
    let lost = bounded(&holed);
    assert!(lost.iter().any(|lost| lost.passages > 0));
    assert!(lost.iter().all(|lost| lost.hubs == 0));
}

#[test]
fn nodes_with_many_neighbours_are_not_followed_and_what_stops_there_is_bounded() {
    let here = Here::of(&SAMPLE).unwrap().with_hub(12);
    let lost = bounded(&here);
    assert!(lost.iter().all(|lost| lost.hubs > 0 && lost.nodes == 0));
    assert!(lost.len() > 10);
}

/// Holds what answers over rows lack against those over all, and gives it.
fn bounded(rows: &dyn Rows) -> Vec<Lost> {
    let index = &*SAMPLE;
    let here = Here::of(index).unwrap();
    let asked = settings(index, "graph", &["epsilon=1e-7", "fallback=none"]);
    let settings = fitted(here.whole(), &asked).unwrap();
    let (mut bounded, mut lacking) = (0, Vec::new());
    for question in index.questions() {
        let run = |rows: &dyn Rows| {
            let purpose = (Keep::Scores, Purpose::Answer);
            retrieve(rows, &question.text, &settings, purpose).unwrap()
        };
        let (part, whole) = (run(rows), run(&here));
        assert!(whole.lost.is_none());
        let Some(lost) = &part.lost else {
            // One that meets no hub is the walk over all.
            let same = rows.hub().is_some() && part.nodes == whole.nodes;
            assert!(
                same || part.run.seeds().is_empty(),
                "a walk over so many nodes meets a gone one"
            );
            continue;
        };
        lacking.push(lost.clone());
        // Only where all names of the question are there do both start alike.
        if part.run.seeds().len() != whole.run.seeds().len() {
            continue;
        }
        let scores = |of: &Fetched| -> BTreeMap<u32, f64> {
            let hits = of.run.top().iter();
            hits.map(|hit| (of.numbered.whole(hit.passage), f64::from(hit.score)))
                .collect()
        };
        let (own, all) = (scores(&part), scores(&whole));
        let less: f64 = all
            .iter()
            .map(|(p, score)| score - own.get(p).unwrap_or(&0.0))
            .sum();
        assert!(
            less <= lost.mass + 1e-3,
            "{}: {less} {}",
            question.text,
            lost.mass
        );
        bounded += usize::from(less > 1e-3);
    }
    assert!(bounded > 0);
    lacking
}

#[test]
fn a_copy_is_the_same_corpus() {
    let index = &*SAMPLE;
    let corpus = copy(&Here::of(index).unwrap(), &|_| true).unwrap();
    let again = Index::build(corpus, &BuildOptions::default(), &Silent).unwrap();
    assert_eq!(again.fingerprint(), index.fingerprint());
    assert_eq!(again.questions(), index.questions());
    assert_eq!((again.name(), again.edges()), (index.name(), index.edges()));
    let stopped = copy(&Here::of(index).unwrap(), &|_| false);
    assert!(matches!(stopped, Err(IndexError::Cancelled)));
}

/// Whole sets.
#[test]
#[ignore = "needs the data in ../shared"]
fn whole_sets_are_answered_as_by_the_whole() {
    for set in ["data/musique-train100", "data/hotpotqa-dev500"] {
        let (corpus, _) = read(&[shared(set)], &ReadOptions::default()).unwrap();
        let index = Index::build(corpus, &BuildOptions::default(), &Silent).unwrap();
        let index = with_sentences(index);
        for method in ["graph-rrf", "hop"] {
            let settings = settings(&index, method, &["epsilon=1e-4"]);
            let mut fetched: Vec<usize> = index
                .questions()
                .iter()
                .map(|question| same(&index, &question.text, &settings))
                .collect();
            fetched.sort_unstable();
            let median = fetched[fetched.len() / 2];
            assert!(
                median < (index.len() + index.entities()) / 5,
                "{set}: {median}"
            );
        }
    }
}

const MANY: usize = 24_000;

/// So many texts, of common words, rare ones and names.
pub static CROWD: LazyLock<Arc<Index>> = LazyLock::new(|| {
    const PARTS: [&str; 12] = [
        "ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru", "sa", "te",
    ];
    let mut random = SplitMix::new(7);
    let mut below = |count| random.below(count);
    let word = |at: usize| {
        [at % 12, at / 12 % 12, at / 144]
            .map(|part| PARTS[part])
            .concat()
    };
    let passage = |at: usize| {
        let words = 4 + below(6);
        let mut text = format!("We met {} in the town of ", NAMES[below(NAMES.len())]);
        for _ in 0..words {
            // The smaller, the more often.
            let most = 1 + below(1200);
            text += &word(below(most));
            text += [" ", " and the ", " was the "][below(3)];
        }
        Passage {
            id: format!("p{at}"),
            title: String::new(),
            text: text + ".",
        }
    };
    let corpus = Corpus {
        name: "crowd".into(),
        passages: (0..MANY).map(passage).collect(),
        questions: Vec::new(),
    };
    with_sentences(Index::build(corpus, &BuildOptions::default(), &Silent).unwrap())
});

/// Texts of the crowd as questions.
pub fn of_crowd() -> impl Iterator<Item = String> {
    let texts = (0..MANY as u32)
        .step_by(2000)
        .map(|passage| CROWD.text(passage));
    let question = |text: &str| {
        let words = text.split_whitespace().skip(6).take(14);
        format!("Who was the {}", words.collect::<Vec<_>>().join(" "))
    };
    texts.map(question)
}

#[test]
fn common_words_are_counted_in_the_texts_that_they_may_bring_in() {
    let index = &*CROWD;
    for (method, set) in [
        ("bm25", &[][..]),
        ("bm25", &["tokens=plain", "bm25_b=0.1"]),
        ("graph-hybrid", &["epsilon=1e-3"]),
        ("hop", &["epsilon=1e-3"]),
        ("hop", &["epsilon=1e-3", "tokens=plain", "ranker=off"]),
    ] {
        let asked = settings(index, method, set);
        let apart = Here::of(index).unwrap().with_few(2000);
        for question in of_crowd() {
            same_over(&apart, index, &question, &asked);
        }
        let run = |question: &str| {
            let how = (Keep::Scores, Purpose::Answer);
            retrieve(
                &apart,
                question,
                &fitted(apart.whole(), &asked).unwrap(),
                how,
            )
            .unwrap()
        };
        let lists = |run: &Retrieval| -> Vec<Matched> {
            let records = run.records.iter();
            let lists = records.filter_map(|record| record.output.ranked());
            lists.map(|list| list.matched).collect()
        };
        // Of each question "was", "the" and "and" are common.
        let open = of_crowd().filter(|asked| lists(&run(asked).run).iter().any(|own| own.at_least));
        let open = open.count();
        assert!(open > 6, "{method} {set:?}: {open}");
    }
}

/// Texts of few names, so that walks go far and scores tie.
fn corpus() -> impl Strategy<Value = Vec<Vec<usize>>> {
    prop::collection::vec(prop::collection::vec(0usize..14, 0..5), 1..40)
}

const NAMES: [&str; 14] = [
    "Ada Lund",
    "Bern",
    "Óscar Ruiz",
    "Delft",
    "Ezra Pohl",
    "Fano",
    "Gent",
    "Hull",
    "Ilse Marr",
    "Jena",
    "Kiel",
    "Lodz",
    "Mara Voss",
    "Nîmes",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_corpus_is_answered_as_by_the_whole(
        texts in corpus(),
        asked in prop::collection::vec(0usize..14, 0..4),
        method in prop::sample::select(vec!["bm25", "graph", "graph-hybrid", "dense", "graph-rrf", "hop"]),
        set in prop::sample::subsequence(
            vec!["hub_p=0.7", "epsilon=1e-3", "push_threshold=degree", "dangling=reseed", "min_df=2", "seed_k=3",
                 "max_df_ratio=0.5", "fold_accents=off", "edge_weight=binary", "hop_seeds=3", "tokens=stem", "any_case=off"],
            0..4,
        ),
        (gazetteer, alias_linking) in any::<(bool, bool)>(),
    ) {
        let passage = |(at, names): (usize, &Vec<usize>)| Passage {
            id: format!("p{at}"),
            // Some have the title of others.
            title: names.first().filter(|name| *name % 2 == 1).map_or("", |name| NAMES[*name]).into(),
            text: names.iter().map(|name| format!("We met {} there. ", NAMES[*name])).collect(),
        };
        let corpus = Corpus {
            name: "any".into(),
            passages: texts.iter().enumerate().map(passage).collect(),
            questions: Vec::new(),
        };
        let entities = EntityOptions { gazetteer, alias_linking, ..EntityOptions::default() };
        let index = with_sentences(Index::build(corpus, &entities.into(), &Silent).unwrap());
        let words: Vec<&str> = asked.iter().map(|name| NAMES[*name]).collect();
        let question = format!("Where is {}?", words.join(" and "));
        let mut settings = settings(&index, method, &["fallback=bm25_top1"]);
        let titles = gazetteer.then_some("gazetteer=on");
        for set in set.into_iter().chain(titles) {
            settings.set_text(set).unwrap();
        }
        same(&index, &question, &settings);
    }
}
