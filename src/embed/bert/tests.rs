//! A tiny BERT of made-up weights, held against numpy (`tests/fixtures/embed/tiny_bert.py`, which says how).

use super::*;
use safetensors::tensor::{Dtype, TensorView};
use serde::Deserialize;
use serde_json::Value;
use std::fs;

#[derive(Deserialize)]
pub(crate) struct Golden {
    config: Value,
    vocabulary: Vec<String>,
    tensors: Vec<(String, Vec<usize>)>,
    texts: Vec<Text>,
    pairs: Vec<Pair>,
}

#[derive(Deserialize)]
struct Text {
    text: String,
    ids: Vec<u32>,
    mean: Vec<f32>,
    cls: Vec<f32>,
}

#[derive(Deserialize)]
struct Pair {
    question: String,
    text: String,
    score: f32,
}

pub(crate) fn golden() -> Golden {
    let text = include_str!("../../../tests/fixtures/embed/tiny-bert.json");
    serde_json::from_str(text).unwrap()
}

/// The same numbers as in the script.
fn noise(seed: u32, count: usize) -> impl Iterator<Item = f32> {
    (1..=count as u32).map(move |i| {
        let mut h = i.wrapping_mul(2_654_435_761) ^ (seed + 1).wrapping_mul(0x9E37_79B9);
        h = (h ^ (h >> 15)).wrapping_mul(2_246_822_519);
        h = (h ^ (h >> 13)).wrapping_mul(3_266_489_917);
        ((h ^ (h >> 16)) >> 8) as f32 / (1 << 24) as f32 - 0.5
    })
}

/// A folder with the tiny model; tensors are named with `prefix`.
pub(crate) fn folder(golden: &Golden, prefix: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let data: Vec<(String, Vec<usize>, Vec<u8>)> = (0..)
        .zip(&golden.tensors)
        .map(|(seed, (name, shape))| {
            let scale = name.ends_with("LayerNorm.weight");
            let values = noise(seed, shape.iter().product());
            let bytes = values.flat_map(|x| (if scale { 1.0 + x / 2.0 } else { x }).to_le_bytes());
            let head = name.starts_with("classifier");
            let name = format!("{}{name}", if head { "" } else { prefix });
            (name, shape.clone(), bytes.collect())
        })
        .collect();
    let views = data.iter().map(|(name, shape, bytes)| {
        let view = TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap();
        (name.as_str(), view)
    });
    let bytes = safetensors::serialize(views, None).unwrap();
    fs::write(folder.path().join("model.safetensors"), bytes).unwrap();
    fs::write(folder.path().join("config.json"), golden.config.to_string()).unwrap();
    fs::write(
        folder.path().join("vocab.txt"),
        golden.vocabulary.join("\n") + "\n",
    )
    .unwrap();
    folder
}

fn close(a: &[f32], b: &[f32]) {
    assert_eq!(a.len(), b.len());
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() < 1e-5, "{x} {y}");
    }
}

fn quiet(_: usize) -> bool {
    true
}

#[test]
fn mean_and_cls_as_numpy() {
    let golden = golden();
    let folder = folder(&golden, "");
    let mean = Bert::open(folder.path(), &Settings::default()).unwrap();
    fs::create_dir(folder.path().join("1_Pooling")).unwrap();
    let pooling = r#"{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}"#;
    fs::write(folder.path().join("1_Pooling/config.json"), pooling).unwrap();
    let cls = Bert::open(folder.path(), &Settings::default()).unwrap();
    assert_ne!(mean.identity(), cls.identity());
    assert_eq!(mean.identity().dims, 32);
    for case in &golden.texts {
        assert_eq!(mean.sequence(&case.text).ids, case.ids);
        close(&mean.question(&case.text).unwrap(), &case.mean);
        close(&cls.question(&case.text).unwrap(), &case.cls);
    }
    // Together as alone, in any order, to the bit.
    let passages: Vec<(&str, &str)> = golden.texts.iter().map(|c| ("", c.text.as_str())).collect();
    let rows = mean.passages(&passages.repeat(200), &quiet).unwrap();
    for (row, (_, text)) in rows.chunks(32).zip(passages.iter().cycle()) {
        assert_eq!(row, mean.question(text).unwrap());
    }
    let tokens = mean.tokens(&["The river flows", ""]).unwrap();
    assert_eq!((tokens[0].weights.len(), tokens[1].weights.len()), (4, 0));
}

#[test]
fn cross_encoder_as_numpy() {
    let golden = golden();
    let folder = folder(&golden, "bert.");
    let cross = CrossEncoder::open(folder.path(), &Settings::default()).unwrap();
    let texts: Vec<&str> = golden.pairs.iter().map(|p| p.text.as_str()).collect();
    let scores = cross.score(&golden.pairs[0].question, &texts);
    for (score, pair) in scores.iter().zip(&golden.pairs) {
        assert!((score - pair.score).abs() < 1e-4, "{score} {}", pair.score);
    }
    // What does not fit is cut, not refused.
    cross.score(&"the river ".repeat(40), &["the wall ".repeat(40).as_str()]);
}

#[test]
fn tokenizer_json_prompts_and_limits() {
    let golden = golden();
    let folder = folder(&golden, "");
    let at = |name: &str| folder.path().join(name);
    let plain = Bert::open(folder.path(), &Settings::default()).unwrap();
    fs::remove_file(at("vocab.txt")).unwrap();
    let vocab: serde_json::Map<String, Value> = (golden.vocabulary.iter().cloned())
        .zip((0..).map(Value::from))
        .collect();
    let tokenizer = serde_json::json!({"model": {"type": "WordPiece", "vocab": vocab}, "normalizer": {"lowercase": true}});
    fs::write(at("tokenizer.json"), tokenizer.to_string()).unwrap();
    let same = Bert::open(folder.path(), &Settings::default()).unwrap();
    assert_eq!(same.identity().fingerprint, plain.identity().fingerprint);
    let prompts = r#"{"prompts": {"query": "the city ", "document": "a "}}"#;
    fs::write(at("config_sentence_transformers.json"), prompts).unwrap();
    fs::write(at("sentence_bert_config.json"), r#"{"max_seq_length": 5}"#).unwrap();
    let prompted = Bert::open(folder.path(), &Settings::default()).unwrap();
    assert_ne!(
        prompted.identity().fingerprint,
        plain.identity().fingerprint
    );
    assert_eq!(prompted.sequence("the the the the the").ids.len(), 5);
    assert_eq!(
        prompted.question("river").unwrap(),
        plain.question("the city river").unwrap()
    );
    let row = prompted.passages(&[("", "river")], &quiet).unwrap();
    assert_eq!(row, plain.question("a river").unwrap());
    let set = Settings {
        query_prefix: Some(String::new()),
        ..Settings::default()
    };
    let set = Bert::open(folder.path(), &set).unwrap();
    assert_eq!(
        set.question("river").unwrap(),
        plain.question("river").unwrap()
    );
}

#[test]
fn what_is_wrong_is_named() {
    let golden = golden();
    let change = |file: &str, text: &str| {
        let folder = folder(&golden, "");
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let error = Bert::open(folder.path(), &Settings::default());
        let said = error.err().unwrap().to_string();
        assert!(said.contains(file), "{said}");
        said
    };
    let config = |from: &str, to: &str| {
        let changed = golden.config.to_string().replace(from, to);
        assert_ne!(changed, golden.config.to_string());
        change("config.json", &changed)
    };
    assert!(config(r#""bert""#, r#""roberta""#).contains("roberta"));
    assert!(config(r#":"gelu""#, r#":"swish""#).contains("swish"));
    assert!(config(r#"heads":4"#, r#"heads":5"#).contains("5 heads"));
    assert!(change("config.json", "{").contains("EOF"));
    assert!(change("model.safetensors", "none").contains("expected"));
    let dense = r#"[{"type": "sentence_transformers.models.Dense", "path": "2_Dense"}]"#;
    assert!(change("modules.json", dense).contains("Dense"));
    let most = r#"{"pooling_mode_max_tokens": true}"#;
    assert!(change("1_Pooling/config.json", most).contains("pooling=mean"));
    let folder = folder(&golden, "");
    let wide = golden.config.to_string().replace(":64", ":65");
    fs::write(folder.path().join("config.json"), wide).unwrap();
    let said = Bert::open(folder.path(), &Settings::default())
        .err()
        .unwrap()
        .to_string();
    assert!(
        said.contains("intermediate.dense") && said.contains("[64, 32]"),
        "{said}"
    );
    fs::remove_file(folder.path().join("model.safetensors")).unwrap();
    let said = Bert::open(folder.path(), &Settings::default())
        .err()
        .unwrap()
        .to_string();
    assert!(said.contains("model.safetensors"), "{said}");
    let said = CrossEncoder::open(self::folder(&golden, "").path(), &Settings::default());
    assert!(said.is_ok());
}
