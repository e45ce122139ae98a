//! Held against `assets/static-encoder.golden.json`, which the distilling script wrote from the same table.

use super::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    text: String,
    ids: Vec<u32>,
    norm: f64,
    unit_first_16: Vec<f32>,
}

fn golden() -> Vec<Golden> {
    serde_json::from_str(include_str!("../../assets/static-encoder.golden.json")).unwrap()
}

fn quiet(_: usize) -> bool {
    true
}

#[test]
fn golden_pieces() {
    let table = table().unwrap();
    let golden = golden();
    assert!(golden.len() >= 30);
    for case in golden {
        let mut ids = Vec::new();
        table.wordpiece.encode(&case.text, &mut ids);
        assert_eq!(ids, case.ids, "{:?}", case.text);
    }
}

#[test]
fn golden_vectors() {
    let encoder = Static::new(Weights::default()).unwrap();
    for case in golden() {
        let mut raw = vec![0.0; encoder.identity().dims];
        encoder.add(&mut Vec::new(), &case.text, 1.0, &mut raw);
        let norm = raw
            .iter()
            .map(|&x| f64::from(x).powi(2))
            .sum::<f64>()
            .sqrt();
        assert!(
            (norm - case.norm).abs() <= 1e-5 * case.norm,
            "{}",
            case.text
        );
        let unit = encoder.question(&case.text).unwrap();
        for (ours, theirs) in unit.iter().zip(&case.unit_first_16) {
            assert!(
                (ours - theirs).abs() < 1e-6,
                "{}: {ours} {theirs}",
                case.text
            );
        }
    }
}

#[test]
fn weights_follow_the_corpus_and_the_identity_follows_them() {
    let passages = [
        ("Ur", "A city of Sumer."),
        ("Kish", "Another city."),
        ("Uruk", "A city with a wall."),
    ];
    let mut encoder = Static::new(Weights::default()).unwrap();
    let before = encoder.identity().clone();
    encoder.learn(&passages).unwrap();
    assert_ne!(encoder.identity(), &before);
    let id = |word: &str| encoder.table.wordpiece.id(word).unwrap();
    let weights = encoder.weights().unwrap();
    // In three of three: ln(4 / 3.5). In one of three: ln(4 / 1.5). In none: ln(4 / 0.5).
    for (word, of) in [("city", 3.5), ("wall", 1.5), ("france", 0.5)] {
        let expected = (4.0_f64 / of).ln().sqrt() as f32;
        assert!((weights.get(id(word)) - expected).abs() < 1e-6, "{word}");
    }
    // The stored column gives the same encoder back; a column of another size is refused.
    let again = Static::new(Weights::stored(weights.column().to_vec().into())).unwrap();
    assert_eq!(again.identity(), encoder.identity());
    assert_eq!(
        again.question("wall").unwrap(),
        encoder.question("wall").unwrap()
    );
    assert!(Static::new(Weights::stored(vec![1.0; 7].into())).is_err());
}

#[test]
fn passages_are_unit_rows_with_the_title_three_times() {
    let mut encoder = Static::new(Weights::default()).unwrap();
    let passages = [("Ur", "A city of Sumer."), ("", "A wall."), ("", "")];
    encoder.learn(&passages).unwrap();
    let dims = encoder.identity().dims;
    let rows = encoder.passages(&passages, &quiet).unwrap();
    assert_eq!(rows.len(), 3 * dims);
    let mut first = vec![0.0; dims];
    encoder.add(&mut Vec::new(), "Ur. A city of Sumer.", 1.0, &mut first);
    encoder.add(&mut Vec::new(), "Ur", 2.0, &mut first);
    unit(&mut first);
    assert_eq!(&rows[..dims], &first);
    assert_eq!(&rows[dims..2 * dims], encoder.question("A wall.").unwrap());
    assert!(rows[2 * dims..].iter().all(|&x| x == 0.0));
}

#[test]
fn progress_counts_and_cancels() {
    let encoder = Static::new(Weights::default()).unwrap();
    let passages = vec![("Ur", "A city."); 2500];
    let seen = std::cell::RefCell::new(Vec::new());
    let keep = |done| {
        seen.borrow_mut().push(done);
        true
    };
    encoder.passages(&passages, &keep).unwrap();
    assert_eq!(*seen.borrow(), [1024, 2048, 2500]);
    let stop = encoder.passages(&passages, &|_| false);
    assert!(matches!(stop, Err(EmbedError::Cancelled)));
}

#[test]
fn token_vectors_weigh_rare_pieces_more() {
    let encoder = Static::new(Weights::default()).unwrap();
    let tokens = encoder.tokens(&["the polonium", ""]).unwrap();
    assert!(tokens[1].weights.is_empty());
    let weights = &tokens[0].weights;
    assert!(weights.len() > 1 && weights[1..].iter().all(|w| *w > weights[0]));
}
