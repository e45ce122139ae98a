//! Speed of the core on 25 k passages: real ones from ../shared/data/scale where they are, else generated ones.
//!
//! `cargo bench`; compare ratios within one run, not times between machines.

use divan::{Bencher, black_box};
use hopscope::corpus::{self, Corpus, Passage, ReadOptions};
use hopscope::index::{BuildOptions, Index, Silent};
use hopscope::layers::Opening;
use hopscope::retrieve::{GraphView, Keep, Method, Retriever, Settings};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

fn main() {
    divan::main();
}

fn corpus() -> Corpus {
    let real = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data/scale");
    match corpus::read(&[real], &ReadOptions::default()) {
        Ok((corpus, _)) => corpus,
        Err(_) => generated(25_000),
    }
}

/// Passages of random names with a long-tailed distribution, so that there are hubs.
fn generated(count: usize) -> Corpus {
    let mut state = 11u64;
    let mut random = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1u64 << 24) as f64
    };
    let mut name = move || {
        let n = (random().powi(3) * 60_000.0) as u32;
        let letters: String = (0..5)
            .map(|i| char::from(b'a' + (n / 7u32.pow(i) % 7) as u8))
            .collect();
        format!("N{letters}{}", ["or", "ia", "us", "en"][n as usize % 4])
    };
    let passages = (0..count)
        .map(|i| {
            let body: Vec<String> = (0..10)
                .map(|_| format!("and then {} met {} near the river", name(), name()))
                .collect();
            Passage {
                id: i.to_string(),
                title: name(),
                text: body.join(". "),
            }
        })
        .collect();
    Corpus {
        name: "generated".into(),
        passages,
        questions: Vec::new(),
    }
}

struct Bench {
    index: Arc<Index>,
    folder: tempfile::TempDir,
    question: String,
}

static BENCH: LazyLock<Bench> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path().join("index");
    Index::create(corpus(), &BuildOptions::default(), &at, &Silent).expect("an index");
    let index = Arc::new(Index::open(&at).expect("the index opens"));
    // A question that names the titles of two passages and a hub.
    let question = format!(
        "Who of {} and {} was born in London?",
        index.title(3),
        index.title(7000)
    );
    Bench {
        index,
        folder,
        question,
    }
});

fn settings(method: &str, changes: &[&str]) -> Settings {
    let mut settings = Settings::of(&BENCH.index, Method::by_name(method).expect("a method"));
    changes
        .iter()
        .for_each(|change| settings.set_text(change).expect("a setting"));
    settings
}

#[divan::bench(sample_count = 3)]
fn index_25k(bencher: Bencher) {
    bencher
        .with_inputs(corpus)
        .bench_values(|corpus| Index::build(corpus, &BuildOptions::default(), &Silent));
}

#[divan::bench]
fn open_25k() -> Index {
    Index::open(&BENCH.folder.path().join("index")).expect("the index opens")
}

#[divan::bench]
fn graph_view() -> GraphView {
    let settings = settings("graph-hybrid", &[]);
    GraphView::open(&BENCH.index, false, settings.all(), &Opening::default()).unwrap()
}

#[divan::bench(args = ["bm25", "graph", "graph-hybrid", "hop"])]
fn question(bencher: Bencher, method: &str) {
    let settings = settings(method, &[]);
    let mut retriever = Retriever::new(BENCH.index.clone());
    // Another question each time, so that no stage is remembered but the graph view.
    let mut turn = 0u64;
    bencher.bench_local(|| {
        turn += 1;
        let question = format!("{} {turn}", BENCH.question);
        black_box(
            retriever
                .retrieve(&question, &settings, Keep::Scores)
                .expect("an answer"),
        )
    });
}

/// A slider moved to and fro: what the explorer does per frame, states kept.
#[divan::bench(args = ["alpha=0.15 alpha=0.16", "steps=5 steps=6", "seed_k=10 seed_k=11", "hub_p=0.5 hub_p=0.55"])]
fn slider_step(bencher: Bencher, values: &str) {
    let pair: Vec<Settings> = values
        .split(' ')
        .map(|v| settings("graph-hybrid", &[v]))
        .collect();
    stepped(bencher, &pair);
}

/// The same for hop: of a weight only the sum, of the tail the mixed walk, of alpha both walks.
#[divan::bench(args = ["weight_named=3 weight_named=2.5", "hop_tail=0.5 hop_tail=0.55", "alpha=0.15 alpha=0.16"])]
fn hop_step(bencher: Bencher, values: &str) {
    let pair: Vec<Settings> = values.split(' ').map(|v| settings("hop", &[v])).collect();
    stepped(bencher, &pair);
}

/// One step to and fro, everything else remembered.
fn stepped(bencher: Bencher, pair: &[Settings]) {
    let mut retriever = Retriever::new(BENCH.index.clone());
    let mut turn = 0;
    bencher.bench_local(|| {
        turn += 1;
        black_box(
            retriever
                .retrieve(&BENCH.question, &pair[turn % 2], Keep::States)
                .expect("an answer"),
        )
    });
}

#[divan::bench(args = ["walk=power", "walk=push", "epsilon=1e-4"])]
fn walk(bencher: Bencher, change: &str) {
    let changes: &[&str] = if change == "epsilon=1e-4" {
        &["walk=push", change]
    } else {
        &[change]
    };
    let base = settings("graph-hybrid", changes);
    let mut other = base.clone();
    other.set_text("alpha=0.16").expect("a setting");
    let pair = [base, other];
    let mut retriever = Retriever::new(BENCH.index.clone());
    let mut turn = 0;
    bencher.bench_local(|| {
        turn += 1;
        black_box(
            retriever
                .retrieve(&BENCH.question, &pair[turn % 2], Keep::Scores)
                .expect("an answer"),
        )
    });
}
