//! The eight methods on the sample corpus: degenerate settings equal what they reduce to, layers survive the disk, and
//! stories add up.

use hopscope::corpus::{Corpus, Passage};
use hopscope::index::{BuildOptions, Index, IndexError, Layer, Silent, sample, store};
use hopscope::retrieve::{Hit, Keep, Method, RetrieveError, Retriever, Settings};
use hopscope::systems::ket::options::{Changes, Core, CoreBy, KeywordSimilarity};
use hopscope::systems::ket::search::Row;
use hopscope::systems::ket::{Answer, Ket, KetBuild, KetRag, Params, Run, Variant, search};
use hopscope::systems::{Found, System};
use hopscope::text::chunks::count;
use proptest::prelude::*;
use std::sync::{Arc, LazyLock};

fn built(index: &Index, options: &KetBuild) -> Ket {
    Ket::build(index, options, &|_, _, _| true).unwrap()
}

static SAMPLE: LazyLock<(Arc<Index>, Arc<Ket>)> = LazyLock::new(|| {
    let index = sample::index().unwrap();
    let layer = built(&index, &KetBuild::default());
    (Arc::new(index), Arc::new(layer))
});

fn ask(layer: &Ket, index: &Index, question: &str, p: &Params) -> Run {
    let vector = index.dense().unwrap().encoder.question(question).unwrap();
    search(layer, index, question, Some(&vector), p, &mut |_| {}).unwrap()
}

fn questions() -> Vec<String> {
    let (index, _) = &*SAMPLE;
    index.questions().iter().map(|q| q.text.clone()).collect()
}

fn ranked(run: &Run) -> Vec<u32> {
    run.passages.iter().map(|h| h.passage).collect()
}

fn rows(layer: &Ket, index: &Index, question: &str, p: &Params) -> Vec<Row> {
    ask(layer, index, question, p).rows().collect()
}

#[test]
fn text_rag_over_whole_passages_is_the_dense_ranking() {
    let (index, _) = &*SAMPLE;
    // Chunks that hold every passage: units and passages are one.
    let options = KetBuild {
        chunk_tokens: Some(1000),
        halvings: Some(0),
        ..KetBuild::default()
    };
    let layer = built(index, &options);
    assert!(!layer.meta.own_vectors);
    let settings = Settings::of(index, Method::by_name("dense").unwrap());
    let mut retriever = Retriever::new(index.clone());
    for question in questions().iter().take(20) {
        let found = retriever
            .retrieve(question, &settings, Keep::Scores)
            .unwrap();
        let dense: Vec<u32> = found.passages.iter().map(|h| h.passage).collect();
        let run = ask(&layer, index, question, &Params::of(Variant::TextRag));
        let own = ranked(&run);
        let both = own.len().min(dense.len());
        assert!(both >= 10);
        assert_eq!(own[..both], dense[..both]);
    }
}

#[test]
fn theta_at_its_ends_leaves_one_part() {
    let (index, layer) = &*SAMPLE;
    let ket = |theta: f64, variant: Variant| Params {
        theta,
        context_tokens: 900,
        ..Params::of(variant)
    };
    for question in questions().iter().take(20) {
        let same = |a: Params, b: Params| {
            assert_eq!(
                rows(layer, index, question, &a),
                rows(layer, index, question, &b)
            );
        };
        let of = |variant| ket(0.5, variant);
        same(ket(0.0, Variant::KetRagP), of(Variant::KeywordRag));
        same(ket(0.0, Variant::KetRagU), of(Variant::KeywordRag));
        same(ket(0.0, Variant::HybridRag), of(Variant::TextRag));
        same(ket(1.0, Variant::KetRagP), of(Variant::SkeletonRag));
        same(ket(1.0, Variant::HybridRag), of(Variant::MsGraphRag));
        // A core of everything is the graph of everything, however it is chosen.
        let all = |variant| Params {
            changes: Changes {
                core_share: Some(1.0),
                ..Changes::default()
            },
            ..of(variant)
        };
        same(all(Variant::SkeletonRag), of(Variant::MsGraphRag));
        same(all(Variant::KetRagU), all(Variant::KetRagP));
    }
    let core = |by| Params {
        changes: Changes {
            core_by: Some(by),
            ..Changes::default()
        },
        ..ket(1.0, Variant::SkeletonRag)
    };
    let question = &questions()[0];
    assert_eq!(
        rows(layer, index, question, &core(CoreBy::Uniform)),
        rows(layer, index, question, &ket(1.0, Variant::KetRagU))
    );
}

#[test]
fn keywords_of_everything_within_the_budget_are_text_rag() {
    // With room for all units and all keywords, the pool is the collection, and both pack by similarity.
    let (index, layer) = &*SAMPLE;
    let p = |variant| Params {
        context_tokens: 1_000_000,
        query_keywords: usize::MAX,
        ..Params::of(variant)
    };
    for question in questions().iter().take(5) {
        let (text, keyword) = (
            rows(layer, index, question, &p(Variant::TextRag)),
            rows(layer, index, question, &p(Variant::KeywordRag)),
        );
        assert_eq!(text, keyword);
        assert_eq!(text.len(), layer.units.len());
    }
}

#[test]
fn seeds_come_before_neighbours_and_switches_switch() {
    let (index, layer) = &*SAMPLE;
    let question = &questions()[0];
    let p = |variant| Params {
        context_tokens: 600,
        ..Params::of(variant)
    };
    let text = ranked(&ask(
        layer,
        index,
        question,
        &Params {
            context_tokens: 300,
            ..p(Variant::TextRag)
        },
    ));
    let run = ask(layer, index, question, &p(Variant::KnngRag));
    let seeds = run.text.as_ref().unwrap().seeds;
    assert!(seeds > 0 && run.passages.len() > seeds);
    assert_eq!(ranked(&run)[..text.len()], text);
    let twice = ask(
        layer,
        index,
        question,
        &Params {
            oversample: true,
            ..p(Variant::SkeletonRag)
        },
    );
    let once = ask(layer, index, question, &p(Variant::SkeletonRag));
    let entities = |run: &Run| run.local.as_ref().unwrap().entities.clone();
    assert_eq!((entities(&once).len(), entities(&twice).len()), (10, 20));
    assert_eq!(entities(&once)[0].entity, entities(&twice)[0].entity);
    // Inner product: cosine times the length of the mean.
    let ip = Params {
        keyword_similarity: KeywordSimilarity::InnerProduct,
        ..p(Variant::KeywordRag)
    };
    let (ip, cosine) = (
        ask(layer, index, question, &ip),
        ask(layer, index, question, &p(Variant::KeywordRag)),
    );
    let keywords = |run: &Run| run.text.as_ref().unwrap().keywords.clone();
    let cosine: std::collections::BTreeMap<u32, f32> = keywords(&cosine).into_iter().collect();
    let mut compared = 0;
    for (keyword, similarity) in keywords(&ip) {
        if let Some(c) = cosine.get(&keyword) {
            assert_eq!(similarity, c * layer.keywords.length[keyword as usize]);
            compared += 1;
        }
    }
    assert!(compared > 100);
    assert!(keywords(&ip).windows(2).all(|w| w[0].1 >= w[1].1));
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
    let opened = Index::open(&folder).unwrap();
    assert_eq!(opened.layers(), ["ket"]);
    let layer = opened.layer::<Ket>().unwrap();
    let bytes = |layer: &Ket| {
        let mut all: Vec<(String, Vec<u8>)> = Vec::new();
        layer.columns(&mut |name, bytes| all.push((name.to_owned(), bytes.to_vec())));
        all
    };
    let (_, memory) = &*SAMPLE;
    assert_eq!(bytes(&layer), bytes(memory));
    assert_eq!(layer.meta, memory.meta);
    for variant in Variant::ALL {
        let p = Params::of(variant);
        for question in questions().iter().take(3) {
            assert_eq!(
                rows(&layer, &opened, question, &p),
                rows(memory, &opened, question, &p)
            );
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
    let index = long();
    let layer = built(&index, &KetBuild::default());
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
    for variant in Variant::ALL {
        let p = Params {
            context_tokens: 1500,
            ..Params::of(variant)
        };
        let run = ask(&layer, &index, "Who painted Gull Rock?", &p);
        assert!(run.used() <= 1500 && !run.passages.is_empty());
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
    let with = |changes: Changes| Params {
        changes,
        ..Params::default()
    };
    let plain = Ket::of(index, &with(Changes::default())).unwrap();
    let shared = Changes {
        core_share: Some(0.5),
        ..Changes::default()
    };
    assert!(Arc::ptr_eq(&plain, &Ket::of(index, &with(shared)).unwrap()));
    let halved = Changes {
        halvings: Some(1),
        ..Changes::default()
    };
    let other = Ket::of(index, &with(halved.clone())).unwrap();
    assert!(other.meta.units > plain.meta.units);
    assert!(Arc::ptr_eq(&other, &Ket::of(index, &with(halved)).unwrap()));
    let cased = Changes {
        code_case: Some(true),
        ..Changes::default()
    };
    let cased = Ket::of(index, &with(cased)).unwrap();
    assert!(cased.keywords.find("The").is_some() && plain.keywords.find("The").is_none());
    // Saying what is the case anyway changes nothing.
    let same = Changes {
        chunk_tokens: Some(150),
        halvings: Some(0),
        ..Changes::default()
    };
    assert!(Arc::ptr_eq(&plain, &Ket::of(index, &with(same)).unwrap()));
}

#[test]
fn what_cannot_be_done_is_said() {
    let (index, layer) = &*SAMPLE;
    let none = search(layer, index, "q", None, &Params::default(), &mut |_| {});
    assert!(matches!(
        none,
        Err(RetrieveError::NoVectors { method }) if method == "ket-rag-p"
    ));
    let stopped = Ket::build(index, &KetBuild::default(), &|step, _, _| {
        step != "keywords"
    });
    assert!(matches!(stopped, Err(IndexError::Cancelled)));
    let options = BuildOptions {
        encoder: "none".into(),
        ..BuildOptions::default()
    };
    let bare = Index::build(sample::corpus().unwrap(), &options, &Silent).unwrap();
    let said = Ket::build(&bare, &KetBuild::default(), &|_, _, _| true)
        .err()
        .unwrap()
        .to_string();
    assert!(
        said.contains("needs vectors") && said.contains("--encoder"),
        "{said}"
    );
}

fn answer(index: &Index, layer: &Arc<Ket>, question: &str, p: Params) -> Answer {
    Answer {
        run: ask(layer, index, question, &p),
        layer: layer.clone(),
        params: p,
    }
}

#[test]
fn stories_name_every_stage_and_their_figures_add_up() {
    let (index, layer) = &*SAMPLE;
    for variant in Variant::ALL {
        for question in questions().iter().take(6) {
            let p = Params {
                context_tokens: 800,
                ..Params::of(variant)
            };
            let found = answer(index, layer, question, p);
            let story = found.story(index);
            let both = story.headline.contains(", skeleton ");
            assert_eq!(story.headline.contains("theta 0.5"), both);
            assert!(story.headline.contains("; 800 tokens"));
            for hit in found.passages() {
                let parts = found.parts(index, hit.passage);
                let sum: f64 = parts.iter().map(|part| part.value).sum();
                assert_eq!(sum, f64::from(hit.score));
            }
            assert!(
                story
                    .headline
                    .contains("tau 0, chosen by a median document")
            );
            assert!(!story.seeds.is_empty());
            let context = story.stages.last().unwrap();
            let number = |name: &str| {
                let found = context.counters.iter().find(|c| c.0 == name);
                found.unwrap().1.as_u64().unwrap() as usize
            };
            let parts = ["entities", "relations", "skeleton text", "text"].map(number);
            assert_eq!(number("tokens"), parts.iter().sum::<usize>());
            assert_eq!(number("tokens") + number("free"), 800);
            // What the rows of the context really hold.
            let text = found.context(index).unwrap();
            let body: usize = text
                .lines()
                .filter(|l| !l.starts_with("# "))
                .map(count)
                .sum();
            assert_eq!(body, number("tokens"));
            for stage in &story.stages {
                let items = stage
                    .nodes
                    .iter()
                    .map(|n| n.item)
                    .chain(stage.cut.iter().map(|c| c.item));
                let ends = stage.edges.iter().flat_map(|e| [e.from, e.to]);
                assert!(items.chain(ends).all(|i| i < story.items.len()));
                assert!(stage.nodes.len() <= 200 && stage.edges.len() <= 200);
                assert!(stage.nodes.iter().all(|n| n.why.chars().count() <= 160));
                assert!(
                    stage.cut.iter().all(|c| c.margin > 0.0),
                    "{} {:?}",
                    stage.name,
                    stage.cut
                );
            }
            assert!(story.timeline.iter().all(|t| *t < story.stages.len()));
            for hit in found.passages() {
                let why = found.why(index, hit.passage);
                assert!(
                    why.contains("similarity") && why.chars().count() <= 160,
                    "{why}"
                );
            }
        }
    }
}

#[test]
fn every_passage_is_returned_or_has_a_reason_and_fixes_were_tried() {
    let (index, layer) = &*SAMPLE;
    let mut codes = std::collections::BTreeMap::new();
    for variant in Variant::ALL {
        for question in questions().iter().take(3) {
            let p = Params {
                context_tokens: 500,
                query_keywords: 60,
                ..Params::of(variant)
            };
            let found = answer(index, layer, question, p);
            for passage in (0..index.len() as u32).step_by(3) {
                let rank = found.passages().iter().position(|h| h.passage == passage);
                let reasons = found.missing(index, passage);
                assert_eq!(rank.is_some_and(|r| r < 10), reasons.is_empty());
                for reason in reasons {
                    *codes.entry(reason.code).or_insert(0) += 1;
                    if let Some(fix) = reason.fix.filter(|_| reason.code != "CUT_BY_K") {
                        check_fix(&found, index, passage, &fix);
                    }
                }
            }
        }
    }
    for code in [
        "NOT_CORE",
        "ENTITY_NOT_SELECTED",
        "KEYWORD_NOT_SELECTED",
        "POOL_FULL",
        "BUDGET_CUT",
    ] {
        assert!(codes.contains_key(code), "{code} in {codes:?}");
    }
}

/// A fix says what was tried and the rank it gave: the same again.
fn check_fix(found: &Answer, index: &Index, passage: u32, fix: &str) {
    let (set, rank) = fix.split_once(" brings it to rank ").unwrap();
    let (name, value) = set.split_once('=').unwrap();
    let mut p = found.params.clone();
    match name {
        "theta" => p.theta = value.parse().unwrap(),
        "context_tokens" => p.context_tokens = value.parse().unwrap(),
        "query_entities" => p.query_entities = value.parse().unwrap(),
        "query_keywords" => p.query_keywords = value.parse().unwrap(),
        "core_share" => p.changes.core_share = value.parse().ok(),
        other => panic!("{other}"),
    }
    let run = search(
        &found.layer,
        index,
        "",
        Some(&found.run.vector),
        &p,
        &mut |_| {},
    )
    .unwrap();
    let at = run.passages.iter().position(|h: &Hit| h.passage == passage);
    assert_eq!(
        at.map(|at| (at + 1).to_string()).as_deref(),
        Some(rank),
        "{fix}"
    );
}

#[test]
fn the_system_answers_through_the_trait() {
    let (index, _) = &*SAMPLE;
    let settings = Settings::of(index, Method::by_name("bm25").unwrap());
    let question = &questions()[0];
    let vector = index.dense().unwrap().encoder.question(question).unwrap();
    let mut stages = Vec::new();
    let mut ask = hopscope::systems::Ask {
        index,
        question,
        settings: &settings,
        vector: Some(&vector),
        stage: &mut |name| stages.push(name),
    };
    let system = KetRag {
        variant: Variant::KetRagP,
    };
    let found = system.search(&mut ask).unwrap();
    assert!(found.passages().len() >= 10);
    assert!(found.passages().windows(2).all(|w| w[0].score > w[1].score));
    assert_eq!(stages, ["score", "keywords", "skeleton", "pack"]);
    assert_eq!(
        (system.layer(), system.reads_vectors()),
        (Some("ket"), true)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn no_context_exceeds_its_budget(
        which in 0usize..8, tokens in 0usize..4000, theta in 0.0f64..=1.0, question in 0usize..10, entities in 1usize..30, per in 1usize..20,
    ) {
        let (index, layer) = &*SAMPLE;
        let p = Params {
            theta, context_tokens: tokens, query_entities: entities, relations_per_entity: per, ..Params::of(Variant::ALL[which])
        };
        let questions = questions();
        let run = ask(layer, index, &questions[question % questions.len()], &p);
        prop_assert!(run.used() <= tokens);
        let text = run.text.as_ref();
        prop_assert!(text.is_none_or(|t| t.used <= p.text_tokens() && (t.pool_limit == 0 || t.pool_tokens <= t.pool_limit)));
        if let Some(local) = &run.local {
            prop_assert_eq!(local.budget, tokens - text.map_or(0, |t| t.used));
            prop_assert!(local.entity_tokens + local.relation_tokens <= local.half() && local.unit_tokens <= local.half());
        }
        let ranked = ranked(&run);
        let mut once = ranked.clone();
        once.sort_unstable();
        once.dedup();
        prop_assert_eq!(once.len(), ranked.len());
    }
}
