//! hop: eight signals, one sum. Held against the reference's figures where the data is at hand, and against itself.

use crate::common::shared;
use hopscope::corpus;
use hopscope::corpus::{Corpus, Passage};
use hopscope::embed::{EmbedError, Encoder, Given, Identity, Kind, TokenVectors};
use hopscope::evaluate::evaluate;
use hopscope::explain;
use hopscope::index::{BuildOptions, Dense, Index, Silent, sample, store};
use hopscope::layers::ENTITY_PASSAGE;
use hopscope::retrieve::hop::{self, Signal, Signals};
use hopscope::retrieve::operators::walk::walked;
use hopscope::retrieve::retrieval::Walked;
use hopscope::retrieve::spread::shares;
use hopscope::retrieve::{Keep, Method, Retrieval, Retriever, Seeded, Settings};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn settings(index: &Index, changes: &[&str]) -> Settings {
    let mut settings = Settings::of(index, Method::by_name("hop").unwrap());
    // What these tests hold is the weighted sum; `ranker.rs` has the order that follows it.
    for change in ["ranker=off"].iter().chain(changes) {
        settings.set_text(change).unwrap();
    }
    settings
}

fn ask(index: &Arc<Index>, question: &str, changes: &[&str]) -> Retrieval {
    Retriever::new(index.clone())
        .retrieve(question, &settings(index, changes), Keep::Scores)
        .unwrap()
}

fn signals_of(retrieval: &Retrieval) -> &Signals {
    let mut records = retrieval.records.iter();
    records.find_map(|record| record.output.get()).unwrap()
}

fn small(passages: &[(&str, &str)], encoder: &str) -> Arc<Index> {
    let passages = passages
        .iter()
        .enumerate()
        .map(|(i, (title, text))| Passage {
            id: format!("p{i}"),
            title: (*title).into(),
            text: (*text).into(),
        })
        .collect();
    let corpus = Corpus {
        name: "small".into(),
        passages,
        questions: Vec::new(),
    };
    let options = BuildOptions {
        encoder: encoder.into(),
        ..BuildOptions::default()
    };
    Arc::new(Index::build(corpus, &options, &Silent).unwrap())
}

const CHAIN: &[(&str, &str)] = &[
    (
        "The Tin Drum",
        "The Tin Drum is a novel by Gunter Grass. It was published in 1959.",
    ),
    (
        "Gunter Grass",
        "Gunter Grass was born in Danzig. He won the Nobel Prize in 1999.",
    ),
    ("Danzig", "Danzig is a port on the Baltic Sea."),
    ("Bread", "Bread is baked from flour and water."),
    (
        "Nobel Prize",
        "The Nobel Prize is given in Stockholm every December.",
    ),
];

#[test]
fn eight_parts_add_up_to_the_score() {
    let index = Arc::new(sample::index().unwrap());
    for question in &index.questions()[..20] {
        let retrieval = ask(&index, &question.text, &[]);
        for hit in retrieval.top() {
            let parts = retrieval.explain(&index, hit.passage).parts;
            assert_eq!(parts.len(), Signal::ALL.len());
            let sum: f64 = parts.iter().map(|p| p.value).sum();
            assert!(
                (sum - f64::from(hit.score)).abs() < 1e-5,
                "{}: {sum} {}",
                question.text,
                hit.score
            );
            for part in parts.iter().filter(|p| p.value > 0.0) {
                assert!(!part.why.is_empty(), "{} has no evidence", part.label);
            }
        }
    }
}

#[test]
fn a_bridge_is_found_over_the_sentence_that_names_it() {
    let index = small(CHAIN, "static");
    let retrieval = ask(&index, "Where was the author of the tin drum born?", &[]);
    let top: Vec<&str> = retrieval
        .top()
        .iter()
        .map(|h| index.id(h.passage))
        .collect();
    assert_eq!(top[..2], ["p0", "p1"], "{top:?}");
    let parts = retrieval.explain(&index, 1).parts;
    let named = parts
        .iter()
        .find(|p| p.label == Signal::Named.label())
        .unwrap();
    assert!(named.value > 0.0);
    assert!(named.why.contains("novel by Gunter Grass"), "{}", named.why);
}

#[test]
fn a_title_in_lower_case_is_a_name_of_the_question() {
    let index = small(CHAIN, "static");
    let retrieval = ask(&index, "who wrote the tin drum?", &[]);
    let surfaces: Vec<&str> = retrieval
        .names()
        .iter()
        .map(|n| n.surface.as_str())
        .collect();
    assert_eq!(surfaces, ["the tin drum"]);
    let off = ask(
        &index,
        "who wrote the tin drum?",
        &["gazetteer=off", "any_case=off"],
    );
    assert!(off.names().is_empty());
}

#[test]
fn a_title_that_the_question_itself_names_counts_half_and_says_so() {
    let index = small(CHAIN, "static");
    let retrieval = ask(&index, "who wrote the tin drum?", &["hop_guard=0"]);
    let named = |passage: u32| signals_of(&retrieval).of(passage).unwrap()[Signal::Named as usize];
    assert_eq!((named(0), named(3)), (0.5, 0.0));
    let parts = retrieval.explain(&index, 0).parts;
    let part = |signal: Signal| parts.iter().find(|p| p.label == signal.label()).unwrap();
    assert_eq!(part(Signal::Named).why, "the question names its title");
    // That name is the only one that the walk from names starts from.
    let walked = &part(Signal::EntityWalk).why;
    assert!(walked.ends_with(": 100% The Tin Drum"), "{walked}");
}

#[test]
fn a_bridge_goes_over_the_sentence_nearest_to_the_question() {
    let index = Arc::new(sample::index().unwrap());
    let layer = hop::layer(&index).unwrap();
    let mut chosen = 0;
    for question in &index.questions()[..20] {
        let retrieval = ask(&index, &question.text, &[]);
        let probe = layer.probe(&question.text).unwrap();
        for crossing in &signals_of(&retrieval).crossings {
            let mentions = |sentence: &u32| {
                let own = layer
                    .graph
                    .occurrences_in(crossing.seed, layer.span(*sentence));
                let mut names = own.map(|mention| index.len() as u32 + mention.entity);
                names.any(|name| name == crossing.name)
            };
            let sentences = layer.sentences(crossing.seed).filter(mentions);
            let cosines =
                sentences.map(|sentence| f64::from(layer.cosine(&probe, sentence).unwrap()));
            let cosines: Vec<f64> = cosines.collect();
            let nearest = cosines.iter().copied().fold(f64::MIN, f64::max);
            assert_eq!(crossing.cosine, nearest, "{}", question.text);
            chosen += usize::from(cosines.len() > 1);
        }
    }
    assert!(chosen > 10, "{chosen}");
}

#[test]
fn the_mixed_walk_starts_from_passages_by_sharpness_and_from_a_tail_of_the_mass_given() {
    let index = Arc::new(sample::index().unwrap());
    let question = &index.questions()[1].text;
    let masses = |changes: &[&str]| -> Vec<f64> {
        let retrieval = ask(&index, question, changes);
        let mut records = retrieval.records.iter().rev();
        let seeded = records.find_map(|r| r.output.get::<Seeded>());
        let seeds = seeded.unwrap().seeds.iter();
        let passages = seeds.filter(|seed| (seed.node as usize) < index.len());
        passages.map(|seed| seed.raw).collect()
    };
    let all = |changes: &[&str]| masses(changes).iter().sum::<f64>();
    assert_eq!(
        masses(&["hop_seeds=3", "hop_sharpness=0", "hop_tail=0"]),
        [1.0; 3]
    );
    // The first weighs 1, the sharper the less the others.
    let mild = all(&["hop_sharpness=5", "hop_tail=0"]);
    let sharp = all(&["hop_sharpness=30", "hop_tail=0"]);
    assert!(1.0 < sharp && sharp < mild, "{sharp} {mild}");
    for tail in [0.2, 1.5] {
        let with = all(&["hop_sharpness=5", &format!("hop_tail={tail}")]);
        assert!((with - mild - tail).abs() < 1e-9, "{tail}: {with}");
    }
}

#[test]
fn a_muted_signal_pays_nothing_and_the_rest_stays() {
    let index = Arc::new(sample::index().unwrap());
    let question = &index.questions()[0].text;
    let whole = ask(&index, question, &["hop_guard=0"]);
    let muted = ask(&index, question, &["hop_guard=0", "weight_bridge=0"]);
    for hit in muted.top() {
        let parts = |r: &Retrieval| r.explain(&index, hit.passage).parts;
        for (with, without) in parts(&whole).iter().zip(parts(&muted)) {
            if with.label == Signal::Bridge.label() {
                assert_eq!(without.value, 0.0);
            } else {
                assert_eq!(with.value, without.value, "{}", with.label);
            }
        }
    }
}

#[test]
fn without_vectors_titles_or_names_it_still_ranks() {
    let untitled: Vec<(&str, &str)> = CHAIN.iter().map(|(_, text)| ("", *text)).collect();
    for (passages, encoder) in [
        (CHAIN, "none"),
        (&untitled[..], "static"),
        (&untitled[..], "none"),
    ] {
        let index = small(passages, encoder);
        let retrieval = ask(&index, "Where was the author of The Tin Drum born?", &[]);
        let top = retrieval.top().iter().take(2).map(|h| h.passage);
        assert!(top.into_iter().any(|p| p == 0), "{encoder}");
    }
    let plain = small(&[("", "bread is baked."), ("", "water boils.")], "none");
    let retrieval = ask(&plain, "what is baked?", &[]);
    assert_eq!(retrieval.passages[0].passage, 0);
    assert!(ask(&plain, "zzz", &[]).passages.is_empty());
}

/// Without titles a name in small letters is known by what a text says that it is about, and leads on from there.
#[test]
fn texts_that_say_what_they_are_about_stand_in_for_titles() {
    let untitled: Vec<(&str, &str)> = CHAIN.iter().map(|(_, text)| ("", *text)).collect();
    let index = small(&untitled, "static");
    let named = |subjects: &str| -> Vec<String> {
        let question = "where was the author of the tin drum born?";
        let run = ask(&index, question, &[subjects, "any_case=off"]);
        let names = run.names().iter();
        names.map(|name| name.surface.to_string()).collect()
    };
    assert_eq!(named("subjects=on"), ["tin drum"]);
    assert_eq!(named("subjects=off"), [] as [&str; 0]);
}

#[test]
fn the_guard_leans_on_words_where_one_passage_covers_the_question() {
    let index = small(CHAIN, "static");
    let one = ask(&index, "bread is baked from flour and water", &[]);
    let two = ask(
        &index,
        "Where was the author of the tin drum born in the Baltic?",
        &[],
    );
    assert!(signals_of(&one).single > 0.9);
    assert!(signals_of(&two).single < 0.5);
    let signals = signals_of(&one);
    let guarded = signals.weights(settings(&index, &[]).all());
    let off = signals.weights(settings(&index, &["hop_guard=0"]).all());
    assert!(guarded[Signal::Bm25Rank as usize] > off[Signal::Bm25Rank as usize]);
    assert!(guarded[Signal::MixedWalk as usize] < off[Signal::MixedWalk as usize]);
    // A muted signal stays muted.
    let muted = signals.weights(settings(&index, &["weight_bm25_rank=0"]).all());
    assert_eq!(muted[Signal::Bm25Rank as usize], 0.0);
}

#[test]
fn a_claim_looks_more_single_than_a_question_and_most_so_without_a_name() {
    let index = small(CHAIN, "static");
    // The first passage has every word that any passage has.
    let single = |text: &str| signals_of(&ask(&index, text, &[])).single;
    for (text, claim) in [
        ("what bread is baked from flour and water?", 0.0),
        ("bread is baked from flour and water", 2.0),
        ("it is baked from flour and water", 7.0),
    ] {
        let odds: f64 = 15.0 * (1.0 - 0.85) + claim;
        let by_hand = 1.0 / (1.0 + (-odds).exp());
        assert!(
            (single(text) - by_hand).abs() < 1e-9,
            "{text}: {}",
            single(text)
        );
    }
}

#[test]
fn every_passage_of_a_title_is_named_by_it() {
    let mut passages = CHAIN.to_vec();
    passages.push(("Gunter Grass", "Gunter Grass also made sculptures."));
    let index = small(&passages, "static");
    let retrieval = ask(
        &index,
        "Where was the author of the tin drum born?",
        &["hop_seeds=1"],
    );
    let named = |passage: u32| signals_of(&retrieval).of(passage).unwrap()[Signal::Named as usize];
    assert!(named(1) > 0.0);
    assert_eq!(named(1), named(5));
}

#[test]
fn a_stored_layer_gives_the_bits_of_a_fresh_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    Index::create(
        sample::corpus().unwrap(),
        &BuildOptions::default(),
        &path,
        &Silent,
    )
    .unwrap();
    let bare = Index::open(&path).unwrap();
    let question = bare.questions()[3].text.clone();
    let bare = Arc::new(bare);
    let fresh = ask(&bare, &question, &[]);
    hop::layer(&bare).unwrap();
    store::add_layers(&bare, &path).unwrap();
    let stored = Arc::new(Index::open(&path).unwrap());
    assert_eq!(stored.layers(), ["hop"]);
    let opened = ask(&stored, &question, &[]);
    assert_eq!(opened.passages, fresh.passages);
    // Its graph is the one that the layer stores, whoever asks first.
    let again = Arc::new(Index::open(&path).unwrap());
    let wanted = settings(&again, &[]);
    let graph = Retriever::new(again.clone()).graph(&ENTITY_PASSAGE, &wanted, &[]);
    let graph = graph.unwrap();
    let layer = hop::layer(&again).unwrap();
    assert!(Arc::ptr_eq(&graph.entities().unwrap().built, &layer.graph));
    // Once more: the layer takes the place of the old one.
    store::add_layers(&bare, &path).unwrap();
    assert_eq!(Index::open(&path).unwrap().layers(), ["hop"]);
    // A flipped byte of a vector is found where that is read, or the whole index checked.
    let victim = path.join("hop-1/sentences.i8");
    let mut bytes = std::fs::read(&victim).unwrap();
    bytes[0] ^= 1;
    std::fs::write(&victim, bytes).unwrap();
    let damaged = Index::open(&path).unwrap();
    let layer = hop::layer(&damaged).unwrap();
    let probe = layer.probe(&question).unwrap();
    let last = damaged.len() as u32 - 1;
    assert!(layer.cosines(&probe, last).is_ok());
    let whole = Index::open_with(&path, None, true, &Silent);
    for error in [layer.cosines(&probe, 0).err(), whole.err()] {
        let error = error.unwrap().to_string();
        assert!(
            error.contains("sentences.i8: its bytes do not fit"),
            "{error}"
        );
    }
    // So is one of the checksums, where the layer is asked for.
    let victim = path.join("hop-1/sentences.i8.sums");
    let mut bytes = std::fs::read(&victim).unwrap();
    bytes[0] ^= 1;
    std::fs::write(&victim, bytes).unwrap();
    let error = hop::layer(&Index::open(&path).unwrap()).err().unwrap();
    assert!(error.to_string().contains("sentences.i8.sums"), "{error}");
}

#[test]
fn remembered_stages_give_the_bits_of_a_fresh_run() {
    let index = Arc::new(sample::index().unwrap());
    let mut retriever = Retriever::new(index.clone());
    let question = &index.questions()[1].text;
    for changes in [
        &[][..],
        &["weight_named=0"],
        &["alpha=0.3"],
        &["hop_seeds=4"],
        &["seed_q=1"],
        &[],
    ] {
        let kept = retriever
            .retrieve(question, &settings(&index, changes), Keep::Scores)
            .unwrap();
        assert_eq!(
            kept.passages,
            ask(&index, question, changes).passages,
            "{changes:?}"
        );
    }
}

#[test]
fn a_step_runs_only_the_stages_it_changes() {
    let index = Arc::new(sample::index().unwrap());
    let mut retriever = Retriever::new(index.clone());
    let question = &index.questions()[1].text;
    let mut ran = |changes: &[&str]| -> Vec<&str> {
        let run = retriever
            .retrieve(question, &settings(&index, changes), Keep::States)
            .unwrap();
        let stages = run.times().into_iter().filter(|s| !s.reused);
        // What follows the sum runs whenever that does.
        let after = ["candidates", "learned order"];
        let names = stages.map(|s| s.name).filter(|name| !after.contains(name));
        names.collect()
    };
    ran(&[]);
    assert_eq!(ran(&["weight_named=0"]), ["weighted sum"]);
    let walks = ["walk", "walk", "signals", "weighted sum"];
    assert_eq!(ran(&["alpha=0.3"]), walks);
    ran(&[]);
    // Seeds of passages are nothing to the walk from names.
    assert_eq!(
        ran(&["hop_tail=1"]),
        ["mixed restart", "walk", "signals", "weighted sum"]
    );
}

/// Counts what it is asked.
struct Counting(Identity, Arc<AtomicUsize>);

impl Encoder for Counting {
    fn identity(&self) -> &Identity {
        &self.0
    }

    fn passages(
        &self,
        passages: &[(&str, &str)],
        _: &dyn Fn(usize) -> bool,
    ) -> Result<Vec<f32>, EmbedError> {
        Ok([0.6, 0.8].repeat(passages.len()))
    }

    fn question(&self, _: &str) -> Result<Vec<f32>, EmbedError> {
        self.1.fetch_add(1, Ordering::Relaxed);
        Ok(vec![0.8, 0.6])
    }

    fn tokens(&self, _: &[&str]) -> Result<Vec<TokenVectors>, EmbedError> {
        Ok(Vec::new())
    }
}

#[test]
fn a_question_is_encoded_once() {
    let asked = Arc::new(AtomicUsize::new(0));
    let identity = Identity {
        name: "counting".into(),
        kind: Kind::File,
        dims: 2,
        fingerprint: "1".into(),
    };
    let encoder = Box::new(Counting(identity, asked.clone()));
    let bare = Arc::into_inner(small(CHAIN, "none")).unwrap();
    let rows = [0.6, 0.8].repeat(CHAIN.len());
    let index = Arc::new(bare.with_dense(Dense::with("file", encoder, rows).unwrap()));
    let mut retriever = Retriever::new(index.clone());
    for changes in [&[][..], &["alpha=0.3"], &["rrf_c=10"]] {
        let settings = settings(&index, changes);
        let question = "Where was Gunter Grass born?";
        retriever
            .retrieve(question, &settings, Keep::Scores)
            .unwrap();
    }
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

/// R@5 and R@10 of the reference within .01, or better.
fn figures(set: &str, data: &str) {
    let golden = shared("golden");
    let data = shared("data").join(data);
    for (file, vectors) in [("fused_static", false), ("fused_mini", true)] {
        let (corpus, _) =
            corpus::read(std::slice::from_ref(&data), &corpus::ReadOptions::default()).unwrap();
        let questions: Vec<_> = corpus
            .questions
            .iter()
            .filter(|q| !q.gold.is_empty())
            .cloned()
            .collect();
        let texts: Vec<&str> = questions.iter().map(|q| q.text.as_str()).collect();
        let options = BuildOptions {
            encoder: if vectors { "none" } else { "static" }.into(),
            ..BuildOptions::default()
        };
        let mut index = Index::build(corpus, &options, &Silent).unwrap();
        if vectors {
            let file = |part: &str| golden.join(format!("vectors/{set}.mini.{part}.npy"));
            let given = Given::open(&file("d"), &file("q"), &texts).unwrap();
            let rows = given
                .passages(&vec![("", ""); index.len()], &|_| true)
                .unwrap();
            index = index.with_dense(Dense::with("file", Box::new(given), rows).unwrap());
        }
        let index = Arc::new(index);
        let expected: serde_json::Value = serde_json::from_str(
            &std::fs::read_to_string(golden.join(format!("{set}.{file}.json"))).unwrap(),
        )
        .unwrap();
        // The reference finds names as they are written.
        let exact = settings(&index, &["any_case=off"]);
        let ours = evaluate(&index, &questions, &exact, |_| true).unwrap();
        for (name, theirs) in [("R@5", "recall@5"), ("R@10", "recall@10")] {
            let theirs = expected["metrics"][theirs].as_f64().unwrap();
            let ours = ours.measures.get(name).unwrap();
            eprintln!("{set} {file} {name}: {ours:.4}, reference {theirs:.4}");
            assert!(
                ours > theirs - 0.0101,
                "{set} {file} {name}: {ours} {theirs}"
            );
        }
    }
}

#[test]
#[ignore = "needs the data in ../shared"]
fn hotpot100() {
    figures("hotpot100", "hotpotqa-train100/native");
}

#[test]
#[ignore = "needs the data in ../shared"]
fn musique100() {
    figures("musique100", "musique-train100/native");
}

#[test]
#[ignore = "needs the data in ../shared"]
fn hotpotqa_dev500() {
    figures("hotpotqa-dev500", "hotpotqa-dev500");
}

#[test]
fn the_story_names_every_signal_and_its_items_exist() {
    let index = Arc::new(sample::index().unwrap());
    let retrieval = ask(&index, &index.questions()[0].text, &[]);
    let story = explain::story(&index, &retrieval, &[]);
    let names: Vec<&str> = story.stages.iter().map(|stage| stage.name).collect();
    for signal in Signal::ALL {
        assert!(names.contains(&signal.label()), "{names:?}");
    }
    // Edges of a signal are those that its bridges cross.
    for signal in Signal::ALL {
        let mut own = story.stages.iter().filter(|s| s.name == signal.label());
        let crossed = own.any(|stage| !stage.edges.is_empty());
        assert_eq!(crossed, signal == Signal::Bridge, "{}", signal.label());
        // It says of how many passages it says something, more than it lists.
        let said = story.stages.iter().rfind(|s| s.name == signal.label());
        let passages = said.unwrap().counters.iter().find(|c| c.0 == "passages");
        let passages = passages.and_then(|c| c.1.as_u64()).unwrap() as usize;
        assert!(passages >= said.unwrap().nodes.len(), "{}", signal.label());
        assert!(passages > 0 || said.unwrap().nodes.is_empty());
    }
    for stage in &story.stages {
        let entries = stage.nodes.iter().map(|n| n.item);
        let cuts = stage.cut.iter().map(|c| c.item);
        let edges = stage.edges.iter().flat_map(|e| [e.from, e.to]);
        for item in entries.chain(cuts).chain(edges) {
            assert!(item < story.items.len(), "{}", stage.name);
        }
    }
}

/// Percentages that a reverse push tells, held against one that goes on far longer.
#[test]
fn who_paid_for_a_walk_is_told_to_the_point_or_said_to_be_about() {
    let index = Arc::new(sample::index().unwrap());
    let (mut told, mut about) = (0, 0);
    for epsilon in ["epsilon=0.01", "epsilon=0.001", "epsilon=0.0001"] {
        for question in index.questions().iter().step_by(6) {
            let run = ask(&index, &question.text, &[epsilon]);
            let walks: Vec<Walked> = run.steps(&index).filter_map(|at| walked(&at)).collect();
            for hit in run.top() {
                for part in run.explain(&index, hit.passage).parts {
                    let walk = match part.label.as_str() {
                        "entity walk" => walks[0],
                        "mixed walk" => walks[1],
                        _ => continue,
                    };
                    let Some((_, said)) = part.why.split_once(": ") else {
                        continue;
                    };
                    told += 1;
                    if said.starts_with("about ") {
                        about += 1;
                        continue;
                    }
                    let exact = shares(walk.seeds(), &walk.reach(hit.passage, 1e-10));
                    let all: f64 = exact.iter().map(|share| share.mass).sum();
                    let percent: f64 = said.split('%').next().unwrap().parse().unwrap();
                    let first = 100.0 * exact[0].mass / all;
                    let off = (percent - first).abs();
                    assert!(
                        off <= 1.5,
                        "{epsilon}, {}: {} is {first}",
                        question.id,
                        part.why
                    );
                }
            }
        }
    }
    assert!(told > 300 && about * 10 < told, "{about} of {told}");
}
