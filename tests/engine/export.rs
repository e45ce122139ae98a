//! The traced graph of a question over three passages, in every format, as it was when it was last looked at.

use hopscope::corpus::{Corpus, Gold, Passage, Question};
use hopscope::explain::{Format, trace};
use hopscope::index::{BuildOptions, Index, Silent};
use hopscope::retrieve::{Keep, Method, Retriever, Settings};
use std::sync::Arc;

#[test]
fn a_small_trace_is_written_as_before() {
    let passage = |(title, text): (&str, &str)| Passage {
        id: title.to_lowercase(),
        title: title.into(),
        text: text.into(),
    };
    let passages = [
        (
            "Saturn",
            "Christiaan Huygens discovered Titan, a moon of Saturn.",
        ),
        ("Huygens", "Christiaan Huygens was born in The Hague."),
        ("Hague", "The Hague is a city <on the coast> & a \"seat\"."),
    ];
    let question = Question {
        id: "q1".into(),
        text: "Where was the discoverer of Titan born?".into(),
        gold: vec![Gold {
            passage: 1,
            grade: 1.0,
        }],
        ..Question::default()
    };
    let corpus = Corpus {
        name: "moons".into(),
        passages: passages.into_iter().map(passage).collect(),
        questions: vec![question],
    };
    let index = Arc::new(Index::build(corpus, &BuildOptions::default(), &Silent).unwrap());
    let mut settings = Settings::of(&index, Method::by_name("graph").unwrap());
    settings.set_text("steps=4").unwrap();
    settings.set_text("result_k=2").unwrap();
    let asked = &index.questions()[0];
    let run = Retriever::new(index.clone()).retrieve(&asked.text, &settings, Keep::States);
    let graph = trace(&index, &run.unwrap(), Some(asked)).subgraph;
    let version = env!("CARGO_PKG_VERSION");
    for format in Format::ALL {
        let text = format
            .write(&graph)
            .replace(&format!("hopscope {version}"), "hopscope VERSION");
        // Of the page what is of the run: its looks change more often.
        let text = match text.split_once("<body>") {
            Some((_, body)) => body.split("<script>").next().unwrap().to_owned(),
            None => text,
        };
        insta::assert_snapshot!(format!("a_small_trace_as_{}", format.name()), text);
    }
}
