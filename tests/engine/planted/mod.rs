//! Small worlds, each made for one verdict: its passage `gold` is lost for that reason. A file for a family of methods.

mod contexts;
mod given;
mod systems;
mod walks;
mod words;

pub use given::GIVEN;

use hopscope::corpus::{Corpus, Passage};
use hopscope::index::{BuildOptions, Index, Silent};
use hopscope::layers::Code;
use hopscope::retrieve::{Keep, Method, Retrieval, Retriever, Settings};
use std::sync::Arc;

/// A world, how it is asked, and what holds its passage `gold` out.
pub struct Planted {
    pub code: Code,
    pub method: &'static str,
    pub set: &'static [&'static str],
    pub question: &'static str,
    /// Identifier and text; none has a title.
    pub passages: &'static [(&'static str, &'static str)],
}

/// What is in many passages: the hub of a world.
pub const HUB: [(&str, &str); 6] = [
    ("h1", "omega rain fell on Omega."),
    ("h2", "omega snow fell on Omega."),
    ("h3", "omega hail fell on Omega."),
    ("h4", "omega dust fell on Omega."),
    ("h5", "omega ash fell on Omega."),
    ("h6", "omega soot fell on Omega."),
];

/// All of them, but those whose corpus comes with a graph.
pub fn all() -> impl Iterator<Item = &'static Planted> {
    [
        words::PLANTED,
        walks::PLANTED,
        systems::PLANTED,
        contexts::PLANTED,
    ]
    .into_iter()
    .flatten()
}

pub fn planted(code: Code, method: &str) -> &'static Planted {
    let mut own = all().filter(|p| p.method == method);
    own.find(|planted| planted.code == code).unwrap()
}

pub fn world(planted: &Planted) -> Arc<Index> {
    let passage = |&(id, text): &(&str, &str)| Passage {
        id: id.into(),
        title: String::new(),
        // More than the smallest context holds.
        text: text.replace("LONG", &"again and ".repeat(400)),
    };
    let corpus = Corpus {
        name: "planted".into(),
        passages: planted.passages.iter().map(passage).collect(),
        questions: Vec::new(),
    };
    Arc::new(Index::build(corpus, &BuildOptions::default(), &Silent).unwrap())
}

pub fn ask(planted: &Planted, index: &Arc<Index>) -> Retrieval {
    let mut settings = Settings::of(index, Method::by_name(planted.method).unwrap());
    // What is planted for hop lies in its weighted sum, but for what the learned order does.
    let learned = planted.code == Code::RankedLower;
    let off = ["ranker=off"]
        .iter()
        .filter(|_| planted.method == "hop" && !learned);
    for set in off.chain(planted.set) {
        settings.set_text(set).unwrap();
    }
    let mut retriever = Retriever::new(index.clone());
    retriever
        .retrieve(planted.question, &settings, Keep::States)
        .unwrap()
}
