//! The eight methods on the sample corpus: degenerate settings equal what they reduce to, layers survive the disk, and
//! what is told of a context adds up.

use hopscope::corpus::{Corpus, Passage};
use hopscope::explain::{story, why_here, why_not};
use hopscope::index::{BuildOptions, Index, IndexError, Layer, Silent, sample, store};
use hopscope::layers::Code;
use hopscope::layers::skeleton::options::{BUILDS, Core, CoreBy};
use hopscope::layers::skeleton::{Ket, KetBuild};
use hopscope::retrieve::operators::ket::local::LocalPart;
use hopscope::retrieve::set::{Origin, Set};
use hopscope::retrieve::{Keep, Method, Retrieval, Retriever, Settings};
use hopscope::text::chunks::count;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

const METHODS: [&str; 8] = [
    "text-rag",
    "knng-rag",
    "keyword-rag",
    "skeleton-rag",
    "ms-graph-rag",
    "hybrid-rag",
    "ket-rag-u",
    "ket-rag-p",
];

fn built(index: &Index, options: &KetBuild) -> Ket {
    Ket::build(index, options, &|_, _, _| true).unwrap()
}

static SAMPLE: LazyLock<(Arc<Index>, Arc<Ket>)> = LazyLock::new(|| {
    let index = sample::index().unwrap();
    index.add_layer(built(&index, &KetBuild::default()));
    let layer = index.layer::<Ket>().unwrap();
    (Arc::new(index), layer)
});

fn settings(index: &Index, method: &str, changes: &[&str]) -> Settings {
    let mut settings = Settings::of(index, Method::by_name(method).unwrap());
    for change in changes {
        match change.strip_prefix("seed ") {
            Some(edit) => settings.edit_seed(edit.parse().unwrap()),
            None => settings.set_text(change).unwrap(),
        }
    }
    settings
}

fn ask(retriever: &mut Retriever, question: &str, method: &str, changes: &[&str]) -> Retrieval {
    let settings = settings(retriever.index(), method, changes);
    retriever
        .retrieve(question, &settings, Keep::Scores)
        .unwrap()
}

fn questions() -> Vec<String> {
    let (index, _) = &*SAMPLE;
    index.questions().iter().map(|q| q.text.clone()).collect()
}

fn ranked(run: &Retrieval) -> Vec<u32> {
    run.passages.iter().map(|h| h.passage).collect()
}

/// What a step made.
fn made<'a>(run: &'a Retrieval, step: &str) -> &'a Set {
    let mut records = run.records.iter();
    let found = records.find(|record| record.step.operator.declaration().name == step);
    &found.unwrap().output
}

/// A number that a step told.
fn number(set: &Set, name: &str) -> usize {
    let fact = set.facts.iter().find(|fact| fact.0 == name);
    fact.unwrap().1.as_u64().unwrap() as usize
}

#[test]
fn text_rag_over_whole_passages_is_the_dense_ranking() {
    let (index, _) = &*SAMPLE;
    // Chunks that hold every passage: units and passages are one.
    let whole = ["chunk_tokens=1000", "halvings=0"];
    let values = settings(index, "text-rag", &whole);
    let layer = Ket::of(index, values.all(), &BUILDS).unwrap();
    assert!(!layer.meta.own_vectors);
    let mut retriever = Retriever::new(index.clone());
    for question in questions().iter().take(20) {
        let dense = ranked(&ask(&mut retriever, question, "dense", &[]));
        let own = ranked(&ask(&mut retriever, question, "text-rag", &whole));
        let both = own.len().min(dense.len());
        assert!(both >= 10);
        assert_eq!(own[..both], dense[..both]);
    }
}

#[test]
fn theta_at_its_ends_leaves_one_part() {
    let (index, _) = &*SAMPLE;
    let mut retriever = Retriever::new(index.clone());
    let mut same = |question: &str, a: (&str, &[&str]), b: (&str, &[&str])| {
        let mut one = |(method, changes): (&str, &[&str])| {
            let all = [&["context_tokens=900"], changes].concat();
            let run = ask(&mut retriever, question, method, &all);
            (run.text(index), run.passages)
        };
        assert_eq!(one(a), one(b), "{a:?} {b:?}: {question}");
    };
    let (none, all) = (&["theta=0"][..], &["theta=1"][..]);
    let everything = &["core_share=1"][..];
    for question in questions().iter().take(8) {
        same(question, ("ket-rag-p", none), ("keyword-rag", &[]));
        same(question, ("ket-rag-u", none), ("keyword-rag", &[]));
        same(question, ("hybrid-rag", none), ("text-rag", &[]));
        same(question, ("ket-rag-p", all), ("skeleton-rag", &[]));
        same(question, ("hybrid-rag", all), ("ms-graph-rag", &[]));
        // A core of everything is the graph of everything, however it is chosen.
        same(
            question,
            ("skeleton-rag", everything),
            ("ms-graph-rag", &[]),
        );
        same(
            question,
            ("ket-rag-u", everything),
            ("ket-rag-p", everything),
        );
        let even = &["core_by=uniform"][..];
        same(question, ("skeleton-rag", even), ("ket-rag-u", all));
    }
}

#[test]
fn the_text_part_takes_what_the_skeleton_leaves_and_nothing_twice() {
    let (index, _) = &*SAMPLE;
    let mut retriever = Retriever::new(index.clone());
    for question in questions().iter().take(8) {
        for method in ["ket-rag-p", "ket-rag-u", "hybrid-rag"] {
            let mut ask = |changes: &[&str]| {
                let changes = [&["context_tokens=3000", "theta=0.5"], changes].concat();
                ask(&mut retriever, question, method, &changes)
            };
            let run = ask(&[]);
            let (local, text) = (made(&run, "local"), made(&run, "text"));
            let left = 3000 - number(local, "tokens");
            assert!(number(local, "budget") == 1500 && left >= 1500);
            assert_eq!(number(text, "budget"), left);
            let units = |set: &Set| {
                set.members
                    .iter()
                    .map(|m| m.node)
                    .collect::<BTreeSet<u32>>()
            };
            assert!(!text.members.is_empty());
            assert!(
                units(local).is_disjoint(&units(text)),
                "{method}: {question}"
            );
            // Both orders return the same passages; in turn, the second is the text part's first.
            let read = ask(&["passage_order=context"]);
            let sorted = |run: &Retrieval| ranked(run).into_iter().collect::<BTreeSet<u32>>();
            assert_eq!(sorted(&run), sorted(&read));
            assert_eq!(run.text(index), read.text(index));
        }
    }
}

#[test]
fn what_a_method_decides_is_no_parameter_of_it() {
    let lists = |method: &str| -> BTreeSet<&str> {
        let uses = Method::by_name(method).unwrap().uses();
        uses.iter().map(|p| p.id()).collect()
    };
    for (method, has, lacks) in [
        (
            "text-rag",
            &["pack"][..],
            &["theta", "core_share", "query_entities"][..],
        ),
        (
            "keyword-rag",
            &["code_case", "query_keywords"],
            &["theta", "cooc"],
        ),
        (
            "skeleton-rag",
            &["core_by", "core_share"],
            &["theta", "pack", "passage_order"],
        ),
        (
            "ms-graph-rag",
            &["cooc", "pmi"],
            &["theta", "core_by", "core_share"],
        ),
        (
            "hybrid-rag",
            &["theta", "pack"],
            &["core_by", "core_share", "code_case"],
        ),
        (
            "ket-rag-p",
            &["theta", "core_share", "code_case", "passage_order"],
            &["core_by"],
        ),
    ] {
        let lists = lists(method);
        assert!(has.iter().all(|p| lists.contains(p)), "{method}: {lists:?}");
        assert!(
            !lacks.iter().any(|p| lists.contains(p)),
            "{method}: {lists:?}"
        );
    }
}

#[test]
fn keywords_of_everything_within_the_budget_are_text_rag() {
    // With room for all units and all keywords, the pool is the collection, and both pack by similarity.
    let (index, layer) = &*SAMPLE;
    let mut retriever = Retriever::new(index.clone());
    let all = ["context_tokens=32000", "query_keywords=5000"];
    for question in questions().iter().take(5) {
        let text = ask(&mut retriever, question, "text-rag", &all);
        let keyword = ask(&mut retriever, question, "keyword-rag", &all);
        assert_eq!(text.passages, keyword.passages);
        assert_eq!(text.text(index), keyword.text(index));
        assert_eq!(number(made(&text, "text"), "packed"), layer.units.len());
    }
}

#[test]
fn seeds_come_before_their_neighbours_and_switches_switch() {
    let (index, layer) = &*SAMPLE;
    let mut retriever = Retriever::new(index.clone());
    let question = &questions()[0];
    let mut ask = |method: &str, changes: &[&str]| ask(&mut retriever, question, method, changes);
    let nearest = ranked(&ask("text-rag", &["context_tokens=500"]));
    let run = ask("knng-rag", &["context_tokens=1000"]);
    assert_eq!(ranked(&run)[0], nearest[0]);
    let near = made(&run, "neighbours");
    assert!(number(near, "of seeds") > 0 && number(near, "neighbours") > 0);
    let mut seed = None;
    for member in &near.members {
        match member.from {
            Origin::Edge { from } => assert_eq!(Some(from), seed),
            _ => seed = Some(member.node),
        }
    }
    let twice = ask("skeleton-rag", &["oversample=on"]);
    let once = ask("skeleton-rag", &[]);
    let entities = |run: &Retrieval| made(run, "entities").members.clone();
    assert_eq!((entities(&once).len(), entities(&twice).len()), (10, 20));
    assert_eq!(entities(&once)[0], entities(&twice)[0]);
    // Inner product: cosine times the length of the mean.
    let keywords = |run: &Retrieval| made(run, "keywords").members.clone();
    let cosine = keywords(&ask("keyword-rag", &[]));
    let ip = keywords(&ask("keyword-rag", &["keyword_similarity=ip"]));
    let cosine: BTreeMap<u32, f64> = cosine.iter().map(|m| (m.node, m.value)).collect();
    let mut compared = 0;
    for member in &ip {
        if let Some(cosine) = cosine.get(&member.node) {
            let length = layer.keywords.length[member.node as usize - layer.units.len()];
            assert_eq!(member.value, f64::from(*cosine as f32 * length));
            compared += 1;
        }
    }
    assert!(compared > 100);
    assert!(ip.windows(2).all(|w| w[0].value >= w[1].value));
}

#[test]
fn a_layer_comes_back_from_disk_bit_by_bit() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("index");
    Index::create(
        sample::corpus().unwrap(),
        &BuildOptions::default(),
        &folder,
        &Silent,
    )
    .unwrap();
    let index = Index::open(&folder).unwrap();
    index.add_layer(built(&index, &KetBuild::default()));
    store::add_layers(&index, &folder).unwrap();
    let opened = Arc::new(Index::open(&folder).unwrap());
    assert_eq!(opened.layers(), ["ket"]);
    let layer = opened.layer::<Ket>().unwrap();
    let bytes = |layer: &Ket| {
        let mut all: Vec<(String, Vec<u8>)> = Vec::new();
        layer.columns(&mut |name, bytes| all.push((name.to_owned(), bytes.to_vec())));
        all
    };
    let (index, memory) = &*SAMPLE;
    assert_eq!(bytes(&layer), bytes(memory));
    assert_eq!(layer.meta, memory.meta);
    let [mut stored, mut fresh] = [&opened, index].map(|index| Retriever::new(index.clone()));
    for method in METHODS {
        for question in questions().iter().take(3) {
            let a = ask(&mut stored, question, method, &[]);
            let b = ask(&mut fresh, question, method, &[]);
            assert_eq!((a.text(&opened), a.passages), (b.text(index), b.passages));
        }
    }
}

#[test]
fn the_bytes_do_not_depend_on_threads() {
    let (index, memory) = &*SAMPLE;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    let alone = pool.install(|| built(index, &KetBuild::default()));
    let hash = |layer: &Ket| {
        let mut all = Vec::new();
        layer.columns(&mut |name, bytes| {
            all.push((name.to_owned(), xxhash_rust::xxh3::xxh3_64(bytes)))
        });
        all
    };
    assert_eq!(hash(&alone), hash(memory));
}

fn long() -> Index {
    // One text file of many passages, about people and places of our own.
    let people = ["Mara Voss", "Ivo Lund", "Petra Hale", "Oskar Brandt"];
    let places = ["Gull Rock", "Hull", "Leeds", "Tidewater"];
    let text = |i: usize| {
        let (a, b) = (people[i % 4], people[(i / 3 + 1) % 4]);
        format!(
            "{a} painted {} in year {i}. She met {b} at {} harbour. The lamp number {i} was lit by {b} each evening. \
             {a} lived in {} until the storm of {}.",
            places[i % 3],
            places[(i + 1) % 4],
            places[(i / 2) % 4],
            1800 + i
        )
    };
    let passages = (0..120)
        .map(|i| Passage {
            id: format!("book.txt#{}", i + 1),
            title: "book".into(),
            text: text(i),
        })
        .collect();
    let corpus = Corpus {
        name: "long".into(),
        passages,
        questions: Vec::new(),
    };
    Index::build(corpus, &BuildOptions::default(), &Silent).unwrap()
}

#[test]
fn a_long_document_is_cut_into_chunks_and_slices() {
    let index = Arc::new(long());
    index.add_layer(built(&index, &KetBuild::default()));
    let layer = index.layer::<Ket>().unwrap();
    let m = &layer.meta;
    assert_eq!(
        (m.documents, m.sizes.chunk_tokens, m.sizes.halvings),
        (1, 1200, 3)
    );
    assert!(m.sizes.chosen && m.own_vectors && m.chunks > 2);
    let slices = |chunk: u32| {
        (0..m.units as u32)
            .filter(|u| layer.units.chunk(*u) == chunk)
            .count()
    };
    assert_eq!(slices(0), 8);
    // Core slices are read a chunk's length at a time, and a name is linked to all slices of its stretch.
    let skeleton = layer.skeleton(&index, &Core::ALL).unwrap();
    let voss = (0..skeleton.len())
        .find(|e| skeleton.names.get(*e) == "Mara Voss")
        .unwrap();
    assert_eq!(skeleton.units(voss as u32).0.len(), m.units);
    let mut retriever = Retriever::new(index.clone());
    for method in METHODS {
        let budget = ["context_tokens=1500"];
        let run = ask(&mut retriever, "Who painted Gull Rock?", method, &budget);
        assert!(number(made(&run, "context"), "tokens") <= 1500 && !run.passages.is_empty());
    }
    // A core that was not built is read from the passages and kept.
    let half = Core {
        by: CoreBy::Pagerank,
        share: 0.5,
    };
    let first = layer.skeleton(&index, &half).unwrap();
    assert!(Arc::ptr_eq(&first, &layer.skeleton(&index, &half).unwrap()));
    assert!(first.core.share == 0.5 && first.relation_count() <= skeleton.relation_count());
}

#[test]
fn other_options_are_derived_on_small_indexes() {
    let (index, _) = &*SAMPLE;
    let of = |changes: &[&str]| {
        let settings = settings(index, "ket-rag-p", changes);
        Ket::of(index, settings.all(), &BUILDS).unwrap()
    };
    let plain = of(&[]);
    assert!(Arc::ptr_eq(&plain, &of(&["core_share=0.5"])));
    let other = of(&["halvings=1"]);
    assert!(other.meta.units > plain.meta.units);
    assert!(Arc::ptr_eq(&other, &of(&["halvings=1"])));
    let cased = of(&["code_case=on"]);
    assert!(cased.keywords.find("The").is_some() && plain.keywords.find("The").is_none());
    // Saying what is the case anyway changes nothing.
    assert!(Arc::ptr_eq(
        &plain,
        &of(&["chunk_tokens=150", "halvings=0"])
    ));
}

#[test]
fn what_cannot_be_done_is_said() {
    let (index, _) = &*SAMPLE;
    let stopped = Ket::build(index, &KetBuild::default(), &|step, _, _| {
        step != "keywords"
    });
    assert!(matches!(stopped, Err(IndexError::Cancelled)));
    let options = BuildOptions {
        encoder: "none".into(),
        ..BuildOptions::default()
    };
    let bare = Arc::new(Index::build(sample::corpus().unwrap(), &options, &Silent).unwrap());
    for method in METHODS {
        let settings = settings(&bare, method, &[]);
        let run = Retriever::new(bare.clone()).retrieve("q", &settings, Keep::Scores);
        let said = run.unwrap_err().to_string();
        assert!(
            said.contains("needs vectors") && said.contains("--encoder"),
            "{said}"
        );
    }
}

#[test]
fn stories_name_every_stage_and_their_figures_add_up() {
    let (index, _) = &*SAMPLE;
    let mut retriever = Retriever::new(index.clone());
    for method in METHODS {
        for question in questions().iter().take(6) {
            let run = ask(&mut retriever, question, method, &["context_tokens=800"]);
            let told = story(index, &run, &[]);
            assert!(!told.seeds.is_empty() && !told.headline.is_empty());
            let context = made(&run, "context");
            let theta = context.facts.iter().any(|fact| fact.0 == "theta");
            let both = ["hybrid-rag", "ket-rag-u", "ket-rag-p"].contains(&method);
            assert_eq!(theta, both);
            let units = context.facts.iter().find(|fact| fact.0 == "units");
            let units = units.unwrap().1.as_str().unwrap();
            assert!(units.contains("tau 0, chosen by a median document"));
            let number = |name: &str| number(context, name);
            let parts = ["entities", "relations", "skeleton text", "text"].map(number);
            assert_eq!(number("tokens"), parts.iter().sum::<usize>());
            assert_eq!(number("tokens") + number("free"), 800);
            // What the rows of the context really hold.
            let text = run.text(index).unwrap();
            let body: usize = text
                .lines()
                .filter(|l| !l.starts_with("# "))
                .map(count)
                .sum();
            assert_eq!(body, number("tokens"));
            for stage in &told.stages {
                let nodes = stage.nodes.iter().map(|n| n.item);
                let items = nodes.chain(stage.cut.iter().map(|c| c.item));
                let ends = stage.edges.iter().flat_map(|e| [e.from, e.to]);
                assert!(items.chain(ends).all(|i| i < told.items.len()));
                assert!(stage.nodes.len() <= 200 && stage.edges.len() <= 200);
                let cut = &stage.cut;
                assert!(cut.iter().all(|c| c.margin > 0.0), "{} {cut:?}", stage.name);
            }
            assert!(told.timeline.iter().all(|t| *t < told.stages.len()));
            let steps = told.timeline.iter().map(|t| told.stages[*t].name);
            assert_eq!(steps.count(), told.stages.len());
            for hit in &run.passages {
                let opened = run.explain(index, hit.passage);
                let sum: f64 = opened.parts.iter().map(|part| part.value).sum();
                assert_eq!(sum, f64::from(hit.score));
                let why = why_here(index, &run, hit.passage);
                assert!(
                    why.contains("similarity") && why.chars().count() <= 160,
                    "{why}"
                );
            }
        }
    }
}

#[test]
fn both_parts_start_the_story_and_obey_changes_of_their_seeds() {
    let (index, layer) = &*SAMPLE;
    let mut retriever = Retriever::new(index.clone());
    let question = &questions()[0];
    let mut ask = |method: &str, changes: &[&str]| ask(&mut retriever, question, method, changes);
    let run = ask("ket-rag-p", &[]);
    let told = story(index, &run, &[]);
    let kinds: BTreeSet<&str> = told.seeds.iter().map(|s| told.items[s.item].kind).collect();
    assert_eq!(kinds, BTreeSet::from(["entity", "keyword"]));
    // An entity is muted, and a keyword of the same run: either step is enough.
    for step in ["entities", "keywords"] {
        let at = run
            .steps(index)
            .find(|at| at.operator().declaration().name == step);
        let first = made(&run, step).members[0].node;
        let label = at.unwrap().label(first).into_owned();
        let muted = ask("ket-rag-p", &[&format!("seed {label}=mute")]);
        assert!(muted.edits()[0].applied, "{label}: {:?}", muted.edits());
        let left = made(&muted, step).members.iter().any(|m| m.node == first);
        assert!(!left, "{label}");
    }
    // A passage that is added is read first, in either part.
    let near = ranked(&ask("text-rag", &["context_tokens=32000"]));
    let far = near.into_iter().find(|p| run.rank(*p).is_none()).unwrap();
    let add = format!("seed +#{}=1000", index.id(far));
    for method in METHODS {
        let small = ["context_tokens=1000", &add];
        let added = ask(method, &small);
        assert!(added.edits()[0].applied, "{method}");
        assert!(added.rank(far).is_some(), "{method}");
        assert!(why_here(index, &added, far).len() > 10, "{method}");
    }
    assert_eq!(layer.units.of_passage(far).len(), 1);
}

#[test]
fn every_passage_is_returned_or_has_a_reason_and_fixes_were_tried() {
    let (index, _) = &*SAMPLE;
    let mut retriever = Retriever::new(index.clone());
    let (mut codes, mut fixed, mut cores) = (BTreeMap::new(), 0, 0);
    let small = ["context_tokens=500", "query_keywords=60"];
    for method in METHODS {
        for question in questions().iter().take(3) {
            let run = ask(&mut retriever, question, method, &small);
            for passage in (0..index.len() as u32).step_by(5) {
                let rank = run.rank(passage);
                let reasons = why_not(index, &run, passage);
                assert_eq!(rank.is_some_and(|r| r <= 10), reasons.is_empty());
                for reason in reasons {
                    *codes.entry(reason.code).or_insert(0) += 1;
                    assert_eq!(reason.code == Code::CutByK, rank.is_some());
                    if reason.code == Code::PoolFull {
                        // At most twice the budget, and closed before its keyword or by it.
                        let said = reason.text.split_once("' is number ").unwrap().1;
                        let numbers = said.split(|c: char| !c.is_ascii_digit());
                        let numbers = numbers.filter_map(|n| n.parse::<usize>().ok());
                        let [place, limit, full] = *numbers.collect::<Vec<_>>() else {
                            panic!("{}", reason.text);
                        };
                        assert!(0 < limit && limit <= 1000, "{}", reason.text);
                        assert!(0 < full && full <= place && place <= 60, "{}", reason.text);
                    }
                    if let (Code::NotCore, Some(fix)) = (reason.code, &reason.fix) {
                        // The least share, in twentieths, of core units that has the unit.
                        let said = reason.text.split_once(" by ").unwrap().0;
                        let said = said.rsplit_once("rank ").unwrap().1;
                        let (rank, all) = said.split_once(" of ").unwrap();
                        let number = |text: &str| text.parse::<f64>().unwrap();
                        let least = (number(rank) / number(all) * 20.0).ceil() / 20.0;
                        let set = fix.change.to_string();
                        let share = number(set.strip_prefix("core_share=").unwrap());
                        assert!((share - least).abs() < 1e-9, "{}: {fix}", reason.text);
                        cores += 1;
                    }
                    if let Some(fix) = reason.fix.filter(|_| reason.code != Code::CutByK) {
                        // A fix says what was tried and the rank it gave: the same again.
                        let changed = fix.change.applied(&run.settings);
                        let again = retriever.retrieve(question, &changed, Keep::Scores);
                        assert_eq!(again.unwrap().rank(passage), fix.rank, "{fix}");
                        fixed += 1;
                    }
                }
            }
        }
    }
    for code in [
        Code::NotCore,
        Code::EntityNotSelected,
        Code::KeywordNotSelected,
        Code::PoolFull,
        Code::BudgetCut,
    ] {
        assert!(codes.contains_key(&code), "{code} in {codes:?}");
    }
    assert!(fixed > 0 && cores > 0, "{fixed} {cores}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn no_context_exceeds_its_budget(
        which in 0usize..8, tokens in 500usize..4000, theta in 0.0f64..=1.0, question in 0usize..10, entities in 1usize..30, per in 1usize..20,
    ) {
        let (index, _) = &*SAMPLE;
        let changes = [
            format!("theta={theta}"),
            format!("context_tokens={tokens}"),
            format!("query_entities={entities}"),
            format!("relations_per_entity={per}"),
        ];
        let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
        let questions = questions();
        let question = &questions[question % questions.len()];
        let run = ask(&mut Retriever::new(index.clone()), question, METHODS[which], &changes);
        prop_assert!(number(made(&run, "context"), "tokens") <= tokens);
        let steps: Vec<&str> = run.records.iter().map(|r| r.step.operator.declaration().name).collect();
        // What each part has before the text part takes what is left.
        let (has_text, has_local) = (steps.contains(&"text"), steps.contains(&"local"));
        let own = match (has_text, has_local) {
            (true, true) => ((1.0 - theta) * tokens as f64 + 1e-6).floor() as usize,
            (true, false) => tokens,
            (false, _) => 0,
        };
        let local = has_local.then(|| made(&run, "local").get::<LocalPart>().unwrap());
        if has_text {
            let part = made(&run, "text");
            prop_assert!(number(part, "tokens") <= number(part, "budget"));
            let left = tokens - local.map_or(0, LocalPart::used);
            prop_assert_eq!(number(part, "budget"), if own == 0 { 0 } else { left });
        }
        if steps.contains(&"pool") {
            let pool = made(&run, "pool");
            prop_assert!(number(pool, "tokens") <= number(pool, "limit"));
            prop_assert_eq!(number(pool, "limit"), 2 * own);
        }
        if let Some(local) = local {
            prop_assert_eq!(local.budget, tokens - own);
            prop_assert!(local.entity_tokens + local.relation_tokens <= local.half() && local.unit_tokens <= local.half());
        }
        let ranked = ranked(&run);
        let once: BTreeSet<u32> = ranked.iter().copied().collect();
        prop_assert_eq!(once.len(), ranked.len());
    }
}
