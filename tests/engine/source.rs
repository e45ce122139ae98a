//! An index that lies elsewhere answers as the whole does, with the same numbers, and keeps what it fetched.

use crate::elsewhere::{CROWD, SAMPLE, Through, agree, of_crowd, settings};
use hopscope::cli::calls::{self, Session, TOOLS};
use hopscope::corpus::{Corpus, Passage, Question};
use hopscope::explain::{Reason, why_not};
use hopscope::explorer::engine::facts;
use hopscope::index::published::Published;
use hopscope::index::rows::{Here, Rows, Wanted};
use hopscope::index::source::Source;
use hopscope::index::{BuildOptions, Index, Silent};
use hopscope::retrieve::elsewhere::{Fetched, Purpose, answer_of, fitted, retrieve};
use hopscope::retrieve::retrieval::Spread;
use hopscope::retrieve::{Keep, Retrieval, RetrieveError, Retriever, Settings};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The sample as it lies elsewhere, and how many trips were made there.
fn opened() -> (Arc<Index>, Arc<AtomicUsize>) {
    let trips = Arc::new(AtomicUsize::new(0));
    let counted = trips.clone();
    let rows = Through {
        here: Here::of(&SAMPLE).unwrap(),
        fetch: move |here: &Here<'static>, names, wanted: &Wanted| {
            counted.fetch_add(1, Ordering::Relaxed);
            here.fetch(names, wanted)
        },
    };
    (Source::open(Box::new(rows)).unwrap(), trips)
}

/// Asks both ways.
fn same(retriever: &mut Retriever, question: &str, asked: &Settings) {
    same_as(&SAMPLE, retriever, question, asked);
}

fn same_as(index: &Arc<Index>, retriever: &mut Retriever, question: &str, asked: &Settings) {
    let fitted = fitted(Here::of(index).unwrap().whole(), asked).unwrap();
    let whole = Retriever::new(index.clone()).retrieve(question, &fitted, Keep::States);
    let whole = whole.unwrap();
    let run = match retriever.retrieve(question, asked, Keep::States) {
        Err(RetrieveError::Elsewhere(_)) if whole.fallback() => return,
        run => run.unwrap(),
    };
    let part = retriever.index().clone();
    assert_eq!(part.len(), index.len());
    let numbers =
        |run: &Retrieval| -> Vec<u32> { run.passages.iter().map(|hit| hit.passage).collect() };
    assert_eq!(numbers(&run), numbers(&whole), "{question}");
    let seeds = |run: &Retrieval| -> Vec<(u32, u64)> {
        let seeds = run.seeds().iter();
        seeds.map(|s| (s.node, s.weight.to_bits())).collect()
    };
    assert_eq!(seeds(&run), seeds(&whole), "{question}");
    let mass = |run: &Retrieval| -> Option<Vec<u64>> {
        let walk = run.walk()?;
        Some(walk.spread.mass.iter().map(|m| m.to_bits()).collect())
    };
    assert_eq!(mass(&run), mass(&whole), "{question}");
    agree(question, (&part, &run), (index, &whole));
}

#[test]
fn sliders_are_dragged_over_kept_rows() {
    let (index, trips) = opened();
    assert_eq!(index.questions(), SAMPLE.questions());
    let mut retriever = Retriever::new(index.clone());
    let drags: [(&str, &[&str]); 12] = [
        ("graph-hybrid", &[]),
        ("graph-hybrid", &["epsilon=1e-3"]),
        ("graph-hybrid", &["epsilon=1e-3", "alpha=0.3"]),
        (
            "graph-hybrid",
            &["epsilon=1e-3", "hub_p=0.5", "bm25_k1=0.4"],
        ),
        ("graph-hybrid", &["tokens=stem", "epsilon=1e-2"]),
        ("bm25", &["result_k=30"]),
        ("dense", &[]),
        ("hop", &[]),
        ("hop", &["epsilon=1e-3", "hop_seeds=20", "ranker=off"]),
        ("graph-rrf", &["epsilon=1e-3", "min_df=2"]),
        ("graph-hybrid", &["gazetteer=on"]),
        ("graph-hybrid", &["epsilon=1e-3"]),
    ];
    for question in index.questions().iter().take(25) {
        for (method, set) in drags {
            same(
                &mut retriever,
                &question.text,
                &settings(&SAMPLE, method, set),
            );
        }
        let before = trips.load(Ordering::Relaxed);
        for (method, set) in drags {
            let asked = settings(&SAMPLE, method, set);
            let again = retriever.retrieve(&question.text, &asked, Keep::Scores);
            assert!(again.is_ok());
        }
        assert_eq!(trips.load(Ordering::Relaxed), before, "{}", question.text);
    }
}

/// A step of alpha brings in other candidates, of which more is read. No walk is taken again for that.
#[test]
fn walks_that_lack_nothing_are_kept_while_more_comes() {
    let (index, _) = opened();
    let mut retriever = Retriever::new(index.clone());
    let mut kept = 0;
    for question in index.questions().iter().take(20).map(|own| &own.text) {
        for alpha in ["0.5", "0.6", "0.7", "0.8"] {
            let set = format!("alpha={alpha}");
            let asked = settings(&SAMPLE, "hop", &["epsilon=1e-3", &set]);
            let run = retriever.retrieve(question, &asked, Keep::States);
            let records = run.unwrap().records;
            let mut walks = records
                .iter()
                .filter(|own| own.output.get::<Spread>().is_some());
            // What was never asked before is known only where it was kept.
            kept += usize::from(walks.all(|own| own.reused));
            same(&mut retriever, question, &asked);
        }
    }
    assert!(kept > 10, "{kept}");
}

#[test]
fn a_folder_is_no_database() {
    let found = Published::find(Path::new("sample-corpus"), None, false);
    assert!(found.unwrap().is_none());
}

#[test]
fn an_answer_stops_at_hubs_and_what_explains_it_does_not() {
    let here = Here::of(&SAMPLE).unwrap().with_hub(12);
    let index = Source::open(Box::new(here)).unwrap();
    let source = index.source().unwrap();
    let mut stopped = 0;
    for question in index.questions().iter().take(8).map(|q| &q.text) {
        for method in ["graph", "hop"] {
            let asked = settings(&SAMPLE, method, &["fallback=bm25_top1"]);
            let fitted = fitted(source.rows().whole(), &asked).unwrap();
            let own = answer_of(source, question, &fitted).unwrap();
            stopped += own.lost.map_or(0, |lost| lost.hubs);
            same(&mut Retriever::new(index.clone()), question, &asked);
        }
    }
    assert!(stopped > 8, "{stopped}");
}

#[test]
fn sliders_are_dragged_over_texts_that_may_have_common_words() {
    let here = Here::of(&CROWD).unwrap().with_few(2000);
    let index = Source::open(Box::new(here)).unwrap();
    let mut retriever = Retriever::new(index.clone());
    for question in of_crowd().take(4) {
        for (method, set) in [
            ("bm25", &[][..]),
            ("bm25", &["bm25_k1=0.2"]),
            ("bm25", &["bm25_k1=0.2", "bm25_b=0.9", "result_k=150"]),
            ("graph-hybrid", &["epsilon=1e-3", "bm25_k1=2"]),
            ("graph-hybrid", &["epsilon=1e-3", "alpha=0.3", "bm25_k1=2"]),
            ("hop", &["epsilon=1e-3"]),
            ("hop", &["epsilon=1e-3", "tokens=plain", "bm25_b=0.1"]),
            ("bm25", &[]),
        ] {
            let asked = settings(&CROWD, method, set);
            same_as(&CROWD, &mut retriever, &question, &asked);
        }
    }
}

#[test]
fn what_is_read_and_did_not_come_is_fetched() {
    let (index, _) = opened();
    let mut retriever = Retriever::new(index.clone());
    let question = &index.questions()[0].text;
    let asked = settings(&SAMPLE, "graph-hybrid", &["epsilon=1e-2"]);
    let run = retriever.retrieve(question, &asked, Keep::States).unwrap();
    while retriever.complete().unwrap() {
        retriever.retrieve(question, &asked, Keep::States).unwrap();
    }
    let part = retriever.index().clone();
    let far = (0..index.len() as u32).find(|p| part.passages().texts.get(*p as usize).is_empty());
    let far = far.unwrap();
    assert_eq!(part.text(far), "");
    let graph = run.walk().unwrap().graph.clone();
    let name = (index.len() as u32..graph.nodes() as u32)
        .find(|node| graph.label(&part, *node).is_empty())
        .unwrap();
    assert!(retriever.complete().unwrap());
    let before = graph;
    let run = retriever.retrieve(question, &asked, Keep::States).unwrap();
    let part = retriever.index().clone();
    assert_eq!(part.text(far), SAMPLE.text(far));
    let graph = run.walk().unwrap().graph.clone();
    assert!(!graph.label(&part, name).is_empty());
    // No arc came, so those that were there were not weighed again.
    assert!(std::ptr::eq(graph.transition(), before.transition()));
    assert!(!retriever.complete().unwrap());
    let few = graph.all_neighbours(name).count();
    assert!(retriever.complete().unwrap());
    let run = retriever.retrieve(question, &asked, Keep::States).unwrap();
    let graph = &run.walk().unwrap().graph;
    let all = graph.neighbours(name).count();
    assert!(few < all, "{few} {all}");
    assert!(!std::ptr::eq(graph.transition(), before.transition()));
    let whole = Retriever::new(SAMPLE.clone()).retrieve(question, &asked, Keep::States);
    let whole = whole.unwrap();
    assert_eq!(whole.walk().unwrap().graph.degree(name), all);
}

#[test]
fn a_question_goes_on_with_what_its_answer_fetched() {
    let (index, trips) = opened();
    let source = index.source().unwrap();
    let made = || trips.swap(0, Ordering::Relaxed);
    for question in index.questions().iter().take(12).map(|q| &q.text) {
        for (method, set) in [
            ("hop", &[][..]),
            ("hop", &["epsilon=1e-3", "tokens=plain"]),
            ("graph-hybrid", &["gazetteer=on", "epsilon=1e-3"]),
            ("bm25", &["gazetteer=on"]),
        ] {
            let asked = settings(&SAMPLE, method, set);
            let fitted = fitted(source.rows().whole(), &asked).unwrap();
            made();
            let own = answer_of(source, question, &fitted).unwrap();
            let first = made();
            let how = (Keep::Scores, Purpose::Answer);
            let alone = retrieve(source.rows(), question, &fitted, how).unwrap();
            let most = made();
            assert!(first <= most, "{question}: {first} {most}");
            assert_eq!(
                own.run.confidence(&own.numbered.index),
                alone.run.confidence(&alone.numbered.index)
            );
            let hits = |of: &Fetched| -> Vec<(u32, u32)> {
                let hits = of.run.passages.iter();
                hits.map(|hit| (of.numbered.whole(hit.passage), hit.score.to_bits()))
                    .collect()
            };
            assert_eq!(hits(&own), hits(&alone), "{question}");
            answer_of(source, question, &fitted).unwrap();
            assert_eq!(made(), 0, "{question}");
        }
        // One with the numbers of the whole goes on with it, too.
        let asked = settings(&SAMPLE, "hop", &[]);
        same(&mut Retriever::new(index.clone()), question, &asked);
        let rest = made();
        same(&mut Retriever::new(opened().0), question, &asked);
        assert!(rest <= 2, "{question}: {rest}");
    }
}

#[test]
fn what_takes_long_begins_when_all_that_is_read_before_has_come() {
    let (index, _) = opened();
    let asked = settings(&SAMPLE, "hop", &["epsilon=1e-2"]);
    let question = &index.questions()[0].text;
    let mut retriever = Retriever::new(index.clone());
    let mut rounds = [0, 0];
    let explained = |own: &mut Retriever, long: bool| {
        let run = own.retrieve(question, &asked, Keep::States)?;
        rounds[usize::from(long)] += 1;
        let reasons = (0..4).map(|passage| why_not(own.index(), &run, passage));
        Ok::<_, RetrieveError>(reasons.collect::<Vec<_>>())
    };
    let found = retriever.long_rounds(true, explained).unwrap();
    assert!(found.iter().any(|reasons| !reasons.is_empty()));
    assert!(rounds[0] > 1 && rounds[1] == 1, "{rounds:?}");
    let short = retriever.long_rounds(false, |_, long| Ok::<_, RetrieveError>(!long));
    assert!(short.unwrap());
}

/// Why each lost gold passage is.
fn said(
    retriever: &mut Retriever,
    question: &Question,
    asked: &Settings,
) -> Vec<(u32, Vec<Reason>)> {
    let lost = |index: &Arc<Index>, run: &Retrieval| {
        let lost = question.gold.iter().map(|gold| gold.passage);
        let lost = lost.filter(|passage| !run.returns(*passage));
        lost.map(|passage| (passage, why_not(index, run, passage)))
            .collect()
    };
    retriever
        .read(&question.text, asked, Keep::States, lost)
        .unwrap()
}

#[test]
fn an_explanation_reads_a_part_of_the_names() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    let rows = Through {
        here: Here::of(&SAMPLE).unwrap(),
        fetch: move |here: &Here<'static>, names, wanted: &Wanted| {
            counted.fetch_max(wanted.entities.len(), Ordering::Relaxed);
            here.fetch(names, wanted)
        },
    };
    let index = Source::open(Box::new(rows)).unwrap();
    let mut retriever = Retriever::new(index.clone());
    let far = SAMPLE.passage_by_id("table-noble").unwrap();
    for method in ["hop", "graph-hybrid", "graph"] {
        let asked = settings(&SAMPLE, method, &["epsilon=1e-2", "result_k=2"]);
        for question in index.questions().iter().take(20) {
            let why = |index: &Arc<Index>, run: &Retrieval| why_not(index, run, far).len();
            let why = retriever.read(&question.text, &asked, Keep::States, why);
            assert!(why.is_ok());
        }
    }
    let most = asked.load(Ordering::Relaxed);
    assert!(
        (1..SAMPLE.entities() / 3).contains(&most),
        "{most} of {} names at once",
        SAMPLE.entities()
    );
}

#[test]
fn what_reads_nearly_all_is_refused_and_not_left_half_done() {
    let passage = |at: usize| Passage {
        id: format!("p{at}"),
        text: "stars".to_owned(),
        ..Passage::default()
    };
    let corpus = Corpus {
        passages: (0..200_100).map(passage).collect(),
        ..Corpus::default()
    };
    let index = Index::build(corpus, &BuildOptions::default(), &Silent).unwrap();
    let here = Here::of(Box::leak(Box::new(index))).unwrap();
    let index = Source::open(Box::new(here)).unwrap();
    let few = index.read_for(|index| (0..100).map(|p| index.id(p).len()).sum::<usize>());
    assert_eq!(few.unwrap(), 10 * 2 + 90 * 3);
    let all = index.read_for(|index| {
        (0..index.len() as u32)
            .map(|p| index.id(p).len())
            .sum::<usize>()
    });
    let said = all.unwrap_err().to_string();
    assert!(said.contains("reads 200,100 names and passages"), "{said}");
    let found = index.read_for(|index| index.passage_by_id("p200099"));
    assert_eq!(found.unwrap(), Some(200_099));
}

/// What is claimed over rows is so over the whole: a change that undoes a reason brings the passage to the rank that it
/// says. Most verdicts are those over the whole; names spelled apart, and changes of the graph, are not looked for.
#[test]
fn causes_are_causes_over_the_whole() {
    let (index, _) = opened();
    let whole = Here::of(&SAMPLE).unwrap().whole().clone();
    let (mut all, mut same, mut fixes) = (0, 0, 0);
    for (method, set) in [
        ("hop", &["result_k=2"][..]),
        ("graph-hybrid", &["result_k=2"]),
        ("graph-hybrid", &["result_k=2", "epsilon=1e-3"]),
        ("bm25", &["result_k=2"]),
        ("dense", &["result_k=2"]),
    ] {
        let asked = fitted(&whole, &settings(&SAMPLE, method, set)).unwrap();
        let mut here = Retriever::new(SAMPLE.clone());
        let mut there = Retriever::new(index.clone());
        for question in index.questions().iter().take(40) {
            let own = said(&mut there, question, &asked);
            let theirs = said(&mut here, question, &asked);
            for ((passage, own), (_, theirs)) in own.iter().zip(&theirs) {
                all += 1;
                let first = |reasons: &[Reason]| (reasons[0].code, reasons[0].fix.clone());
                let agree = first(own) == first(theirs);
                same += usize::from(agree);
                if !agree {
                    eprintln!(
                        "{method} {}: {:?} {:?}",
                        question.text,
                        first(own),
                        first(theirs)
                    );
                }
                for fix in own.iter().filter_map(|reason| reason.fix.as_ref()) {
                    let changed = fix.change.applied(&asked);
                    let run = here
                        .retrieve(&question.text, &changed, Keep::Scores)
                        .unwrap();
                    assert_eq!(
                        run.rank(*passage),
                        fix.rank,
                        "{method} {}: {fix:?}",
                        question.text
                    );
                    fixes += 1;
                }
                assert!(
                    own.iter().all(|reason| !reason.text.contains("''")),
                    "{own:?}"
                );
            }
        }
    }
    assert!(
        same * 10 >= all * 9 && fixes > all / 5,
        "{same} of {all}, {fixes}"
    );
}

/// The answer of a call, without what depends on the machine or on how the settings came about.
fn called(session: &Session, tool: &str, arguments: &Value) -> Value {
    let tool = TOOLS.iter().find(|own| own.name == tool).unwrap();
    let arguments = arguments.as_object().unwrap().clone();
    match tool.whole(session, arguments, &|| true) {
        Ok(mut answer) => {
            // Over rows other values are the method's own, too.
            for own in ["milliseconds", "settings"] {
                answer.as_object_mut().unwrap().shift_remove(own);
            }
            answer
        }
        Err(refusal) => json!({"error": refusal.error}),
    }
}

#[test]
fn calls_are_answered_as_over_the_whole() {
    let [here, there] = [SAMPLE.clone(), opened().0].map(|index| {
        let facts = facts(&index, "sample");
        Session::over(index, facts)
    });
    for method in ["hop", "graph-hybrid@epsilon=1e-7", "bm25", "dense"] {
        let run = match method {
            "bm25" | "dense" => method.to_owned(),
            walks => format!("{walks}@walk=push@fallback=bm25_top1"),
        };
        let coarser = format!("{run}@result_k=3");
        let passage = "table-noble";
        for question in ["q01", "q04", "who was christiaan huygens"] {
            for (tool, arguments) in [
                ("ask", json!({"question": question, "method": run})),
                (
                    "ask",
                    json!({"question": question, "method": run, "changes": [{"seed": "+#table-noble"}]}),
                ),
                (
                    "why",
                    json!({"question": question, "method": run, "passage": passage}),
                ),
                (
                    "why",
                    json!({"question": question, "method": run, "passage": passage, "than": "orsted"}),
                ),
                (
                    "why",
                    json!({"question": question, "method": run, "passage": "table-nobel"}),
                ),
                (
                    "compare",
                    json!({"question": question, "first": run, "second": coarser}),
                ),
            ] {
                let [own, other] = [&here, &there].map(|session| called(session, tool, &arguments));
                match own.get("error") {
                    // The whole knows all identifiers that come near.
                    Some(error) => {
                        assert_eq!(Some(error), other.get("error"), "{tool} {arguments}")
                    }
                    None => assert_eq!(own, other, "{tool} {arguments}"),
                }
            }
        }
        let arguments = json!({"method": run});
        let [mut own, mut other] =
            [&here, &there].map(|session| called(session, "evaluate", &arguments));
        // Names that are spelled apart are not looked for over rows.
        for answer in [&mut own, &mut other] {
            assert_eq!(answer.get("error"), None, "{method}");
            for counted in ["by_class", "by_verdict", "causes"] {
                answer["losses"][counted].take();
            }
            let stages = answer["survival"].as_array_mut().unwrap();
            stages.retain(|own| own["stage"] != "linked" && own["stage"] != "reachable");
        }
        assert_eq!(own, other, "{method}");
        let texts = || {
            vec![
                "who was christiaan huygens".to_owned(),
                "What is a parsec?".to_owned(),
            ]
        };
        let [own, other] = [&here, &there].map(|session| {
            calls::rankings(session, texts(), Some(&run), Some(5), &|| true).unwrap()
        });
        assert_eq!(own, other, "{method}");
    }
    let questions = [&here, &there].map(|session| calls::questions(session).unwrap());
    assert_eq!(questions[0], questions[1]);
    let all = called(&there, "evaluate", &json!({"method": "graph"}));
    let first = &all["missed"][0];
    let arguments = json!({"question": first["question"], "passage": first["passage"], "method": "graph", "repairs": true});
    let missed = called(&there, "why_not", &arguments);
    assert!(missed["repairs"]["tried"].as_u64() > Some(20), "{missed}");
    let status = called(&there, "open_status", &json!({}));
    assert_eq!(status["passages"], SAMPLE.len());
    assert!(
        status["unavailable"].as_array().unwrap().len() > 5,
        "{status}"
    );
}
