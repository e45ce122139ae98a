//! The layer on passages small enough to count by hand.

use super::layer::{E2Build, E2Graph};
use super::link::link;
use crate::corpus::{Corpus, Passage};
use crate::index::{BuildOptions, Index, Layer, Silent};
use crate::parameters::TreeOver;

pub(crate) fn corpus(texts: &[&str], id: impl Fn(usize) -> String) -> Corpus {
    let passages = texts.iter().enumerate().map(|(n, text)| Passage {
        id: id(n),
        title: String::new(),
        text: (*text).into(),
    });
    Corpus {
        name: "test".into(),
        passages: passages.collect(),
        questions: Vec::new(),
    }
}

/// Passages with titles, which are their identifiers in lower case, too.
pub(crate) fn titled(texts: &[(&str, &str)]) -> Corpus {
    let passage = |(title, text): &(&str, &str)| Passage {
        id: title.to_lowercase(),
        title: (*title).into(),
        text: (*text).into(),
    };
    Corpus {
        name: "test".into(),
        passages: texts.iter().map(passage).collect(),
        questions: Vec::new(),
    }
}

pub(crate) fn layer(index: &Index, options: &E2Build) -> E2Graph {
    E2Graph::build(index, options, &|_, _, _| true).unwrap()
}

/// One document of three passages, 5 + 8 + 10 tokens; windows of 8 with an overlap of 3 begin at 0, 5, 10, 15.
pub(crate) fn book() -> (Index, E2Graph) {
    let texts = [
        "The kelp met the gull.",
        "The gull met the kelp. The lamp sank.",
        "A rope rose. The kelp and the gull drowned there.",
    ];
    let corpus = corpus(&texts, |n| format!("b.txt#{}", n + 1));
    let index = Index::build(corpus, &BuildOptions::default(), &Silent).unwrap();
    let options = E2Build {
        chunk_tokens: 8,
        chunk_overlap: 3,
        tree_group: 2,
        tree_over: TreeOver::Neighbours,
        summary_tokens: 20,
    };
    let layer = layer(&index, &options);
    (index, layer)
}

#[test]
fn chunks_of_a_book_and_their_texts() {
    let (index, layer) = book();
    let whole = "The kelp met the gull.\n\nThe gull met the kelp. The lamp sank.\n\nA rope rose. The kelp and the gull drowned there.";
    assert_eq!(layer.chunks(), 4);
    let text = |chunk: u32| layer.text(index.passages(), chunk..chunk + 1);
    assert_eq!(text(0), "The kelp met the gull.\n\nThe gull met");
    assert_eq!(text(1), "The gull met the kelp. The lamp sank.");
    assert_eq!(layer.text(index.passages(), 0..4), whole);
    let passages = [0, 1, 2, 3].map(|chunk| layer.passages(chunk));
    assert_eq!(passages, [vec![0, 1], vec![1], vec![1, 2], vec![2]]);
    let chunks = [0, 1, 2].map(|passage| layer.chunks_of(passage));
    assert_eq!(chunks, [0..1, 0..3, 2..4]);
}

fn bytes(layer: &E2Graph) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    layer.columns(&mut |name, bytes| all.push((name.to_owned(), bytes.to_vec())));
    all
}

#[test]
fn a_tree_over_a_book() {
    let (index, layer) = book();
    // 4 leaves in groups of 2: 2 summaries, and no level above.
    assert_eq!((layer.nodes(), layer.level(3), layer.level(4)), (6, 0, 1));
    assert_eq!((layer.children(4), layer.leaves(5)), (0..2, 2..4));
    assert_eq!(&layer.parent[..], [4, 4, 5, 5, u32::MAX, u32::MAX]);
    // The sentences of chunk 0 and of what chunk 1 adds, 5 to 60 tokens long: both of five tokens fit.
    assert!(
        layer
            .node_text(index.passages(), 4)
            .starts_with("The kelp met the gull.")
    );
    for summary in 4..6 {
        for passage in layer.passages(summary) {
            let text = index.text(passage);
            let quoted = layer.node_text(index.passages(), summary);
            assert!(
                quoted
                    .lines()
                    .any(|line| text
                        .contains(line.split(". ").next().unwrap().trim_end_matches('.'))),
                "{quoted}"
            );
        }
    }
}

#[test]
fn any_number_of_threads_builds_the_same_bytes() {
    let index = crate::index::sample::index().unwrap();
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| bytes(&layer(&index, &E2Build::default())))
    };
    assert!(with(1) == with(3));
}

#[test]
fn a_build_can_be_cancelled_at_every_step() {
    let texts = ["The kelp and the gull met."; 7];
    let corpus = corpus(&texts, |n| format!("p{n}"));
    let index = Index::build(corpus, &BuildOptions::default(), &Silent).unwrap();
    let options = E2Build {
        tree_over: TreeOver::Neighbours,
        ..E2Build::default()
    };
    for step in ["persons", "entities", "summaries", "vectors"] {
        let cancelled = E2Graph::build(&index, &options, &|now, _, _| now != step);
        assert!(
            matches!(cancelled, Err(crate::index::IndexError::Cancelled)),
            "{step}"
        );
    }
}

#[test]
fn a_layer_comes_back_from_its_folder() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("index");
    let texts = [
        "The kelp and the gull met.",
        "So Mara Voss sang. Voss met the gull.",
        "The lamp sank.",
    ];
    Index::create(
        corpus(&texts, |n| format!("b.txt#{}", n + 1)),
        &BuildOptions::default(),
        &folder,
        &Silent,
    )
    .unwrap();
    let index = Index::open(&folder).unwrap();
    let options = E2Build {
        chunk_tokens: 5,
        chunk_overlap: 1,
        tree_group: 2,
        tree_over: TreeOver::Neighbours,
        summary_tokens: 10,
    };
    let built = layer(&index, &options);
    let before = bytes(&built);
    index.add_layer(built);
    crate::index::store::add_layers(&index, &folder).unwrap();
    let opened = Index::open(&folder).unwrap();
    let layer = opened.layer::<E2Graph>().unwrap();
    assert_eq!(bytes(&layer), before);
    assert_eq!(layer.meta.options, options);
}

#[test]
fn a_name_that_only_opens_sentences_is_linked_and_options_are_not_read() {
    let texts = ["Ferocactus grows in deserts.", "The kelp met the gull."];
    let corpus = corpus(&texts, |n| n.to_string());
    let index = Index::build(corpus, &BuildOptions::default(), &Silent).unwrap();
    let layer = layer(&index, &E2Build::default());
    assert!(layer.entity("Ferocactus").is_none());
    let question = "\n Where does Ferocactus grow?\nA: with the kelp\nB: with the gull";
    let asked = link(&layer, question);
    let linked: Vec<&str> = asked
        .iter()
        .filter(|asked| asked.entity.is_some())
        .map(|asked| &question[asked.span.clone()])
        .collect();
    assert_eq!(linked, ["Ferocactus"]);
}
