//! Gold with the labels applied.

use super::Labels;
use crate::corpus::{Gold, Question};
use crate::index::Index;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

/// Questions with the gold that labels leave and make.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Corrected {
    /// Those of the set in their order, then those that were typed and labelled.
    pub questions: Vec<Question>,
    /// How many of them came with the index.
    pub of_index: usize,
    /// Passages that were judged to be no gold: place of the question, passage.
    pub refused: Vec<(usize, u32)>,
    /// Labels of passages that the index has not, or of questions under an identifier that it has not.
    pub strange: usize,
    /// Gold that annotators judge differently; what was said last counts.
    pub contested: usize,
}

/// Applies what stands of labels to the questions of an index: a passage is gold as [`super::Label::judgement`] says, and
/// what nobody judged stays.
pub fn corrected(index: &Index, labels: &Labels) -> Corrected {
    let mut out = Corrected {
        questions: index.questions().to_vec(),
        of_index: index.questions().len(),
        ..Corrected::default()
    };
    let ids = out.questions.iter().enumerate();
    let mut places: FxHashMap<String, usize> = ids.map(|(at, q)| (q.id.clone(), at)).collect();
    let mut judged: FxHashMap<(usize, u32), u8> = FxHashMap::default();
    for label in labels.standing() {
        let place = match (places.get(label.asked()), label.question.is_empty()) {
            (Some(at), _) => Some(*at),
            (None, true) => {
                let at = out.questions.len();
                places.insert(label.text.clone(), at);
                out.questions.push(Question {
                    id: format!("typed-{:08x}", xxh3_64(label.text.as_bytes()) as u32),
                    text: label.text.clone(),
                    ..Question::default()
                });
                Some(at)
            }
            (None, false) => None,
        };
        let (Some(at), Some(passage)) = (place, index.passage_by_id(&label.passage)) else {
            out.strange += 1;
            continue;
        };
        if let Some(grade) = label.judgement() {
            let other = judged.insert((at, passage), grade);
            out.contested += usize::from(other.is_some_and(|other| (other > 0) != (grade > 0)));
        }
    }
    for ((at, passage), grade) in judged {
        let gold = &mut out.questions[at].gold;
        gold.retain(|gold| gold.passage != passage);
        match grade {
            0 => out.refused.push((at, passage)),
            _ => gold.push(Gold {
                passage,
                grade: f32::from(grade),
            }),
        }
        gold.sort_by_key(|gold| gold.passage);
    }
    out.refused.sort_unstable();
    out
}

#[cfg(test)]
mod tests {
    use super::super::Label;
    use super::super::tests::label;
    use super::*;

    #[test]
    fn labels_add_remove_and_grade_gold_and_leave_the_rest() {
        let index = crate::index::sample::index().unwrap();
        let own = index.questions();
        let first = own.iter().position(|q| q.gold.len() > 1).unwrap();
        let question = &own[first];
        let [one, two] = [question.gold[0], question.gold[1]].map(|gold| gold.passage);
        let gold = |p: u32| question.gold.iter().any(|gold| gold.passage == p);
        let new = (0..index.len() as u32).find(|p| !gold(*p)).unwrap();
        let about = |passage: u32| label(&question.id, index.id(passage), "em");
        let mut labels = Labels::default();
        labels.add(Label {
            gold: Some(false),
            ..about(one)
        });
        labels.add(Label {
            grade: Some(2),
            ..about(two)
        });
        labels.add(Label {
            gold: Some(true),
            ..about(new)
        });
        labels.add(label("no such question", index.id(0), "em"));
        labels.add(label(&question.id, "no such passage", "em"));
        // A second annotator, who agrees, one who does not, later, and one who only writes a note.
        labels.add(Label {
            grade: Some(2),
            annotator: "jo".into(),
            ..about(two)
        });
        labels.add(Label {
            grade: Some(0),
            annotator: "jo".into(),
            ..about(new)
        });
        labels.add(Label {
            note: "hm".into(),
            annotator: "al".into(),
            ..about(two)
        });
        let typed = Label {
            question: String::new(),
            text: "Who built it?".into(),
            gold: Some(true),
            ..about(one)
        };
        labels.add(typed.clone());
        labels.add(Label {
            grade: Some(2),
            gold: None,
            passage: index.id(two).into(),
            ..typed
        });
        let made = corrected(&index, &labels);
        assert_eq!(
            (made.strange, made.contested, made.of_index),
            (2, 1, own.len())
        );
        assert_eq!(made.refused, {
            let mut refused = vec![(first, one), (first, new)];
            refused.sort_unstable();
            refused
        });
        let kept = question.gold.iter().filter(|gold| gold.passage != one);
        let wanted: Vec<(u32, f32)> = kept
            .map(|gold| {
                (
                    gold.passage,
                    [gold.grade, 2.0][usize::from(gold.passage == two)],
                )
            })
            .collect();
        let has = |q: &Question| -> Vec<(u32, f32)> {
            q.gold
                .iter()
                .map(|gold| (gold.passage, gold.grade))
                .collect()
        };
        assert_eq!(has(&made.questions[first]), wanted);
        let mut typed = vec![(one, 1.0), (two, 2.0)];
        typed.sort_by_key(|gold| gold.0);
        assert_eq!(made.questions.len(), own.len() + 1);
        assert_eq!(has(&made.questions[own.len()]), typed);
        for (at, (before, after)) in own.iter().zip(&made.questions).enumerate() {
            assert!(at == first || before == after, "{at}");
        }
    }
}
