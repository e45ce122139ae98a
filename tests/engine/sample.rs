//! The sample corpus shows what its README says it shows.

use hopscope::evaluate::evaluate;
use hopscope::explain::{reasons::not_in_index, why_not};
use hopscope::index::{Index, sample};
use hopscope::layers::Code;
use hopscope::retrieve::{Keep, Method, Retriever, Settings};
use std::sync::{Arc, LazyLock};

static INDEX: LazyLock<Arc<Index>> = LazyLock::new(|| Arc::new(sample::index().unwrap()));

/// The codes found for a gold passage of a question, verdict first.
fn codes(question: &str, gold: &str, method: &str, changes: &[&str]) -> Vec<Code> {
    let question = INDEX.questions().iter().find(|q| q.id == question).unwrap();
    let mut settings = Settings::of(&INDEX, Method::by_name(method).unwrap());
    for change in changes {
        settings.set_text(change).unwrap();
    }
    let retrieval = Retriever::new(INDEX.clone())
        .retrieve(&question.text, &settings, Keep::Scores)
        .unwrap();
    let passage = INDEX.passage_by_id(gold).unwrap();
    assert!(
        question.gold.iter().any(|g| g.passage == passage),
        "{gold} is gold of {}",
        question.id
    );
    why_not(&INDEX, &retrieval, passage)
        .iter()
        .map(|r| r.code)
        .collect()
}

#[test]
fn the_counts_of_its_readme() {
    let questions = INDEX.questions();
    assert_eq!((INDEX.len(), questions.len()), (225, 92));
    let kind = |kind: &str| questions.iter().filter(|q| q.kind == kind).count();
    assert_eq!(
        (kind("bridge"), kind("comparison"), kind("unanswerable")),
        (43, 8, 6)
    );
    let missing: Vec<&str> = questions
        .iter()
        .flat_map(|q| &q.missing)
        .map(String::as_str)
        .collect();
    assert_eq!(missing, ["voltaire-micromegas", "kew-gardens"]);
    assert!(
        not_in_index(&INDEX, missing[1])
            .text
            .contains("kew-gardens")
    );
}

#[test]
fn the_first_question_needs_the_graph() {
    let question = &INDEX.questions()[0];
    let gold = INDEX.passage_by_id("ulugh-beg").unwrap();
    let rank = |method: &str| {
        let settings = Settings::of(&INDEX, Method::by_name(method).unwrap());
        let retrieval = Retriever::new(INDEX.clone())
            .retrieve(&question.text, &settings, Keep::Scores)
            .unwrap();
        retrieval.rank(gold).unwrap_or(usize::MAX)
    };
    assert!(rank("bm25") > 20 && rank("graph-hybrid") <= 5);
}

#[test]
fn reasons_occur_where_they_were_planted() {
    let expect = |question, gold, method, changes: &[&str], code| {
        let found = codes(question, gold, method, changes);
        assert!(
            found.contains(&code),
            "{question} {gold} {method} {changes:?}: {found:?} lacks {code}"
        );
    };
    expect("q14", "dead-reckoning", "graph", &[], Code::NoEntities);
    expect(
        "q30",
        "orsted",
        "graph",
        &["ner=regex"],
        Code::QueryEntityNotExtracted,
    );
    expect("q11", "konigsberg", "graph", &["ner=regex"], Code::NoPath);
    expect("q20", "violin-5", "graph", &[], Code::TooFar);
    expect("q21", "flamsteed", "graph", &[], Code::Fallback);
}

#[test]
fn the_graph_helps_over_all_questions() {
    let recall = |method: &str| {
        let settings = Settings::of(&INDEX, Method::by_name(method).unwrap());
        evaluate(&INDEX, INDEX.questions(), &settings, |_| true)
            .unwrap()
            .measures
            .get("R@10")
            .unwrap()
    };
    assert!(recall("graph-hybrid") > recall("bm25") && recall("bm25") > recall("graph"));
}
