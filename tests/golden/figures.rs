//! The figures in README and docs are those of the shipped file, and what the program measures.

use crate::common::shared;
use hopscope::evaluate::evaluate;
use hopscope::index::Index;
use hopscope::retrieve::{Method, Settings};
use hopscope::{BuildOptions, ReadOptions, Silent, read_corpus};
use std::path::Path;
use std::sync::Arc;

fn page(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join(name)).unwrap();
    // Where a line ends means nothing.
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A share as pages write it: `.808`.
fn written(share: f64) -> String {
    format!("{share:.3}").trim_start_matches('0').to_owned()
}

#[test]
fn the_readme_says_what_the_shipped_order_is_known_to_do() {
    let file: serde_json::Value = serde_json::from_str(&page("assets/ranker.json")).unwrap();
    let lines = file["trained"].as_array().unwrap().iter();
    let hotpot = lines.filter_map(|line| line.as_str()?.strip_prefix("H: 600 questions, unseen "));
    let hotpot: Vec<&str> = hotpot.flat_map(|line| line.split(", ")).collect();
    let five = hotpot.iter().find_map(|figure| figure.strip_prefix("R@5 "));
    let (off, on) = five.unwrap().split_once(" > ").unwrap();
    let [off, on] = [off, on].map(|share| written(share.parse().unwrap()));
    let readme = page("README.md");
    for said in [
        format!(
            "on 600 questions of HotpotQA it finds {on} of the gold in the first five passages"
        ),
        format!("its weighted sum alone finds {off}."),
    ] {
        assert!(readme.contains(&said), "README.md does not say: {said}");
    }
}

#[test]
#[ignore = "needs the data in ../shared"]
fn pages_say_what_the_program_measures() {
    let path = shared("data").join("hotpotqa-dev500");
    let (corpus, _) = read_corpus(&[path], &ReadOptions::default()).unwrap();
    let index = Arc::new(Index::build(corpus, &BuildOptions::default(), &Silent).unwrap());
    let five = |method: &str, set: &[&str]| {
        let mut settings = Settings::of(&index, Method::by_name(method).unwrap());
        set.iter().for_each(|set| settings.set_text(set).unwrap());
        let all = evaluate(&index, index.questions(), &settings, |_| true).unwrap();
        written(all.measures.get("R@5").unwrap())
    };
    let [bm25, rrf] = [five("bm25", &[]), five("graph-rrf", &[])];
    let sum = five("hop", &["ranker=off"]);
    let said = format!("On 500 of them `graph-rrf` finds {rrf}, BM25 {bm25}");
    assert!(
        page("README.md").contains(&said),
        "README.md does not say: {said}"
    );
    let methods = page("docs/methods.md");
    for said in [
        format!("| `hop@ranker=off` | {sum} |"),
        format!("| `graph-rrf` | {rrf} |"),
        format!("| `bm25` | {bm25} |"),
    ] {
        assert!(
            methods.contains(&said),
            "docs/methods.md does not say: {said}"
        );
    }
}
