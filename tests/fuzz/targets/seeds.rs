//! What a fuzzer begins with: written to the corpus of a target before it is read.

use serde_json::Value;
use std::fs;
use std::path::Path;

/// Puts files into a target's corpus.
pub fn put(target: &str, seeds: impl Iterator<Item = (String, Vec<u8>)>) {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(target);
    fs::create_dir_all(&home).unwrap();
    for (name, bytes) in seeds {
        fs::write(home.join(name), bytes).unwrap();
    }
}

/// Texts of the sample corpus.
#[allow(dead_code)]
pub fn sample() -> Vec<String> {
    let said = include_str!("../../../sample-corpus/corpus.jsonl");
    let texts = said
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    texts
        .map(|said| said["text"].as_str().unwrap().to_owned())
        .collect()
}
