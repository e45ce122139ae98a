//! Every branch of the retrieval, on passages small enough to count by hand.
//!
//! Each passage is a document and a chunk of its own; every sentence "The kelp and the gull met." has two nouns and
//! makes one edge.

use super::layer::{E2Build, E2Graph};
use super::search::{Group, Mode, Params, Run, Step, search};
use super::story::Answer;
use crate::corpus::{Corpus, Passage};
use crate::index::{BuildOptions, EntityOptions, Index, Layer, Silent};
use crate::retrieve::RetrieveError;
use crate::systems::Found;
use proptest::prelude::*;
use std::sync::Arc;

fn corpus(texts: &[&str], id: impl Fn(usize) -> String) -> Corpus {
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

fn index(texts: &[&str]) -> Index {
    Index::build(
        corpus(texts, |n| format!("p{n}")),
        &BuildOptions::default(),
        &Silent,
    )
    .unwrap()
}

fn layer(index: &Index, options: &E2Build) -> E2Graph {
    E2Graph::build(index, options, &|_, _, _| true).unwrap()
}

struct Case {
    index: Index,
    layer: Arc<E2Graph>,
}

impl Case {
    fn new(texts: &[&str]) -> Case {
        let index = index(texts);
        let layer = Arc::new(layer(&index, &E2Build::default()));
        Case { index, layer }
    }

    fn ask(&self, question: &str, p: Params) -> Answer {
        let vector = self
            .index
            .dense()
            .map(|dense| dense.encoder.question(question).unwrap());
        self.with(question, vector, p)
    }

    fn with(&self, question: &str, vector: Option<Vec<f32>>, params: Params) -> Answer {
        let run = search(
            &self.layer,
            &self.index,
            question,
            vector.as_deref(),
            &params,
            &mut |_| {},
        )
        .unwrap();
        Answer {
            run,
            layer: self.layer.clone(),
            params,
            question: question.into(),
            vector,
        }
    }

    fn codes(&self, answer: &Answer, passage: u32) -> Vec<(&'static str, Option<String>)> {
        answer
            .missing(&self.index, passage)
            .into_iter()
            .map(|r| (r.code, r.fix))
            .collect()
    }
}

fn k(k: usize) -> Params {
    Params {
        k,
        ..Params::default()
    }
}

fn passages(run: &Run) -> Vec<u32> {
    run.hits.iter().map(|hit| hit.passage).collect()
}

fn steps(run: &Run) -> Vec<(usize, usize, usize)> {
    run.steps
        .iter()
        .map(|&Step { h, pairs, chunks }| (h, pairs, chunks))
        .collect()
}

/// The parts of every returned passage add up to its score, scores fall, and the story and the reasons can be told.
fn consistent(case: &Case, answer: &Answer) {
    assert!(answer.run.hits.windows(2).all(|w| w[0].score >= w[1].score));
    for hit in &answer.run.hits {
        let sum: f64 = answer
            .parts(&case.index, hit.passage)
            .iter()
            .map(|part| part.value)
            .sum();
        assert!((sum - f64::from(hit.score)).abs() < 1e-5, "{sum} {hit:?}");
        let why = answer.why(&case.index, hit.passage);
        assert!(!why.is_empty() && why.chars().count() <= 160, "{why}");
    }
    let returned: Vec<u32> = passages(&answer.run)
        .into_iter()
        .take(answer.params.k)
        .collect();
    for passage in 0..case.index.len() as u32 {
        let missing = answer.missing(&case.index, passage);
        assert_eq!(
            missing.is_empty(),
            returned.contains(&passage),
            "{passage} {missing:?}"
        );
    }
    let story = answer.story(&case.index);
    assert!(
        story.headline.starts_with(answer.run.mode.name()),
        "{}",
        story.headline
    );
    let places = story.stages.iter().flat_map(|s| {
        s.nodes
            .iter()
            .map(|n| n.item)
            .chain(s.cut.iter().map(|c| c.item))
    });
    assert!(
        places
            .chain(story.seeds.iter().map(|s| s.item))
            .all(|place| place < story.items.len())
    );
}

const KELP: &str = "The kelp and the gull met.";

#[test]
fn global_dense_without_a_vertex() {
    let case = Case::new(&[
        KELP,
        "The lamp and the rope met.",
        "The anchor and the violin met.",
    ]);
    let answer = case.ask("Who sang about rhubarb?", k(2));
    assert_eq!(
        (
            answer.run.mode,
            answer.run.entities.len(),
            answer.run.steps.len()
        ),
        (Mode::GlobalDense, 0, 0)
    );
    let vectors = case.layer.vectors.as_ref().unwrap();
    let nearest = vectors.nearest(answer.vector.as_ref().unwrap(), 2).unwrap();
    let expected: Vec<(u32, f32)> = answer
        .run
        .hits
        .iter()
        .map(|h| (h.passage, h.score))
        .collect();
    assert_eq!(nearest, expected);
    consistent(&case, &answer);
    let left = (0..3).find(|p| !passages(&answer.run).contains(p)).unwrap();
    assert_eq!(
        case.codes(&answer, left),
        [
            ("QUERY_ENTITY_NOT_LINKED", None),
            ("FALLBACK", None),
            ("CUT_BY_K", Some("result_k=3".into()))
        ]
    );
}

#[test]
fn global_occ_of_a_single_entity_ranks_by_occurrence() {
    // kelp: once in p0, three times in p2. All four passages are candidates at k = 2.
    let case = Case::new(&[
        KELP,
        "The lamp and the rope met.",
        "The kelp, the kelp and the kelp sank.",
        "The rope sank.",
    ]);
    let answer = case.ask("Which kelp?", k(2));
    assert_eq!(answer.run.mode, Mode::GlobalOcc);
    assert_eq!(steps(&answer.run), [(4, 0, 0)]);
    assert_eq!(
        answer
            .run
            .hits
            .iter()
            .map(|h| (h.passage, h.score))
            .collect::<Vec<_>>(),
        [(2, 3.0), (0, 1.0)]
    );
    consistent(&case, &answer);
    assert_eq!(
        case.codes(&answer, 1),
        [("FALLBACK", None), ("OCC_ZERO", None)]
    );
}

#[test]
fn equal_occurrences_keep_the_order_of_the_cosines() {
    let case = Case::new(&[
        "The kelp sank.",
        "The lamp and the rope met.",
        "The kelp and the violin met.",
    ]);
    let mut row = vec![0.0; case.layer.vectors.as_ref().unwrap().dims()];
    case.layer.vectors.as_ref().unwrap().row(2, &mut row);
    let answer = case.with("Which kelp?", Some(row), k(2));
    assert_eq!(passages(&answer.run), [2, 0]);
}

#[test]
fn all_zero_occurrences_leave_the_cosines() {
    let case = Case::new(&[
        KELP,
        "The lamp and the rope met.",
        "The lamp and the rope met again.",
    ]);
    let mut row = vec![0.0; case.layer.vectors.as_ref().unwrap().dims()];
    case.layer.vectors.as_ref().unwrap().row(1, &mut row);
    // 2k = 2 candidates, p1 and p2; the kelp is in neither.
    let answer = case.with("Which kelp?", Some(row), k(1));
    assert_eq!(
        (answer.run.mode, answer.run.counted()),
        (Mode::GlobalOcc, false)
    );
    assert_eq!(passages(&answer.run), [1]);
    assert!(answer.run.hits[0].score > 0.99);
    consistent(&case, &answer);
}

#[test]
fn a_pair_without_a_shared_chunk_is_global() {
    // kelp - gull - lamp: two hops, no chunk with kelp and lamp.
    let case = Case::new(&[KELP, "The gull and the lamp met."]);
    let answer = case.ask("Did the kelp and the lamp sink?", k(5));
    assert_eq!(answer.run.mode, Mode::GlobalOcc);
    assert_eq!(steps(&answer.run), [(4, 1, 0)]);
    assert_eq!(answer.run.pairs[0].distance(), Some(2));
    consistent(&case, &answer);
    // Unconnected: no pair at all.
    let case = Case::new(&[KELP, "The lamp and the rope met."]);
    assert_eq!(
        steps(&case.ask("Did the kelp and the lamp sink?", k(5)).run),
        [(4, 0, 0)]
    );
}

#[test]
fn local_returns_the_shared_chunks_uncut() {
    let case = Case::new(&[
        KELP,
        "The lamp and the kelp met.",
        "The kelp sank. A gull and a rope met.",
        "The violin sank.",
    ]);
    let answer = case.ask("Did the kelp meet the gull?", k(25));
    assert_eq!((answer.run.mode, answer.run.h), (Mode::Local, 4));
    assert_eq!(steps(&answer.run), [(4, 1, 2)]);
    // Same key, so corpus order; the score is the size of the key.
    assert_eq!(
        answer
            .run
            .hits
            .iter()
            .map(|h| (h.passage, h.score))
            .collect::<Vec<_>>(),
        [(0, 2.0), (2, 2.0)]
    );
    assert_eq!(
        answer.run.groups,
        [Group {
            key: vec![0, 1],
            runs: vec![0..1, 2..3]
        }]
    );
    consistent(&case, &answer);
    assert_eq!(case.codes(&answer, 1)[0].0, "NO_SHARED_CHUNK");
    assert!(
        answer.missing(&case.index, 1)[0]
            .text
            .contains("coverage 1 of 2")
    );
    assert!(
        answer.missing(&case.index, 3)[0]
            .text
            .contains("none of the 2")
    );
    assert!(
        answer.why(&case.index, 2).contains("1 hop apart"),
        "{}",
        answer.why(&case.index, 2)
    );
}

#[test]
fn groups_come_by_the_size_of_their_keys() {
    // p0 has kelp-gull, p1 all three: its key is larger.
    let case = Case::new(&[KELP, "The kelp, the gull and the lamp met."]);
    let run = case
        .ask("Did the kelp, the gull and the lamp sink?", k(25))
        .run;
    assert_eq!(
        run.groups,
        [
            Group {
                key: vec![0, 1, 2],
                runs: std::iter::once(1..2).collect()
            },
            Group {
                key: vec![0, 1],
                runs: std::iter::once(0..1).collect()
            }
        ]
    );
    assert_eq!(
        run.hits
            .iter()
            .map(|h| (h.passage, h.score))
            .collect::<Vec<_>>(),
        [(1, 3.0), (0, 2.0)]
    );
}

#[test]
fn h_shrinks_until_the_chunks_fit() {
    // kelp - gull meet in p0. kelp - lamp: two hops over rope (p3, p4), both stand in p1 and p2 without meeting.
    let case = Case::new(&[
        KELP,
        "The kelp sank. The lamp sank.",
        "The lamp rose. The kelp rose.",
        "The kelp and the rope met.",
        "The rope and the lamp met.",
    ]);
    let answer = case.ask("Did the kelp, the gull and the lamp drown?", k(1));
    // gull - lamp is three hops and shares no chunk. At h = 1 only kelp - gull is left.
    assert_eq!(
        steps(&answer.run),
        [(4, 3, 3), (3, 3, 3), (2, 2, 3), (1, 1, 1)]
    );
    assert_eq!((answer.run.mode, answer.run.h), (Mode::Local, 1));
    assert_eq!(passages(&answer.run), [0]);
    consistent(&case, &answer);
    // Three chunks at h = 2: they all fit into k = 3.
    assert_eq!(
        case.codes(&answer, 1),
        [("H_REDUCED", Some("result_k=3".into()))]
    );
    let story = answer.story(&case.index);
    assert_eq!(story.timeline.len(), 4);
    let last = &story.stages[story.timeline[3]];
    assert_eq!(
        last.cut
            .iter()
            .map(|c| (c.code, story.items[c.item].passage))
            .collect::<Vec<_>>(),
        [("H_REDUCED", Some(1)), ("H_REDUCED", Some(2))]
    );
}

#[test]
fn local_ranked_when_nothing_is_left() {
    // Three chunks at one hop, none at h = 0. p1 has the lamp too (coverage 3), p2 the kelp twice.
    let case = Case::new(&[
        KELP,
        "The kelp and the gull met. The lamp sank.",
        "The kelp, the gull and the kelp met.",
        "The violin sank.",
    ]);
    let answer = case.ask("Did the kelp, the gull and the lamp drown?", k(2));
    assert_eq!(answer.run.mode, Mode::LocalRanked);
    assert_eq!(steps(&answer.run).last(), Some(&(0, 0, 0)));
    let scored: Vec<(u32, usize, u64)> = answer
        .run
        .chunks
        .iter()
        .map(|c| (c.chunk, c.coverage, c.occurrence))
        .collect();
    assert_eq!(scored, [(1, 3, 3), (2, 2, 3)]);
    assert_eq!(
        answer
            .run
            .beyond
            .iter()
            .map(|c| c.chunk)
            .collect::<Vec<_>>(),
        [0]
    );
    assert_eq!(passages(&answer.run), [1, 2]);
    consistent(&case, &answer);
    assert_eq!(
        case.codes(&answer, 0),
        [("CUT_BY_K", Some("result_k=3".into()))]
    );
}

#[test]
fn code_hops_counts_nodes() {
    // kelp - gull - lamp - rope - violin: four edges, five nodes. p4 holds both ends apart.
    let case = Case::new(&[
        KELP,
        "The gull and the lamp met.",
        "The lamp and the rope met.",
        "The rope and the violin met.",
        "The kelp sank. The violin sank.",
    ]);
    let question = "Did the kelp and the violin drown?";
    let answer = case.ask(question, k(5));
    assert_eq!(
        (answer.run.mode, answer.run.pairs[0].distance()),
        (Mode::Local, Some(4))
    );
    assert_eq!(passages(&answer.run), [4]);
    let coded = case.ask(
        question,
        Params {
            k: 1,
            code_hops: true,
            ..Params::default()
        },
    );
    assert_eq!(
        (coded.run.mode, steps(&coded.run)),
        (Mode::GlobalOcc, vec![(4, 0, 0)])
    );
    consistent(&case, &coded);
    let three = case.ask(
        question,
        Params {
            k: 1,
            hops: 3,
            code_hops: false,
        },
    );
    assert_eq!(
        (three.run.mode, &three.run.pairs),
        (Mode::GlobalOcc, &coded.run.pairs)
    );
    if !passages(&three.run).contains(&4) {
        assert_eq!(
            case.codes(&three, 4)[0],
            ("PAIR_TOO_FAR", Some("hops=4".into()))
        );
    }
    let far = Params {
        k: 1,
        hops: 5,
        code_hops: true,
    };
    assert_eq!(case.ask(question, far).run.mode, Mode::Local);
    assert_eq!(
        case.ask(
            question,
            Params {
                k: 5,
                hops: 0,
                code_hops: false
            }
        )
        .run
        .mode,
        Mode::GlobalOcc
    );
}

fn book() -> (Index, E2Graph) {
    // One document of three passages, 5 + 8 + 10 tokens; windows of 8 with an overlap of 3 begin at 0, 5, 10, 15.
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
        summary_tokens: 20,
    };
    let layer = layer(&index, &options);
    (index, layer)
}

#[test]
fn neighbouring_chunks_of_a_group_are_one_text_without_the_overlap() {
    let (index, layer) = book();
    let whole = "The kelp met the gull.\n\nThe gull met the kelp. The lamp sank.\n\nA rope rose. The kelp and the gull drowned there.";
    assert_eq!(layer.chunks(), 4);
    let texts: Vec<String> = (0..4)
        .map(|c| layer.text(index.passages(), c..c + 1))
        .collect();
    assert_eq!(texts[0], "The kelp met the gull.\n\nThe gull met");
    assert_eq!(texts[1], "The gull met the kelp. The lamp sank.");
    assert_eq!(layer.text(index.passages(), 0..4), whole);
    assert_eq!(
        (0..4).map(|c| layer.passages(c)).collect::<Vec<_>>(),
        [vec![0, 1], vec![1], vec![1, 2], vec![2]]
    );
    assert_eq!(
        (layer.chunks_of(0), layer.chunks_of(1), layer.chunks_of(2)),
        (0..1, 0..3, 2..4)
    );
    // kelp and gull: chunks 0, 1 and 3; 0 and 1 are one text.
    let layer = Arc::new(layer);
    let case = Case { index, layer };
    let answer = case.ask("Did the kelp meet the gull?", k(25));
    assert_eq!(answer.run.mode, Mode::Local);
    assert_eq!(
        answer.run.groups,
        [Group {
            key: vec![0, 1],
            runs: vec![0..2, 3..4]
        }]
    );
    let story = answer.story(&case.index);
    let group = story.items.iter().find(|i| i.kind == "group").unwrap();
    assert_eq!(group.label, "kelp-gull");
    assert_eq!(
        group.text,
        "The kelp met the gull.\n\nThe gull met the kelp. The lamp sank.\n\nrose. The kelp and the gull drowned there."
    );
    assert_eq!(passages(&answer.run), [0, 1, 2]);
    consistent(&case, &answer);
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
fn without_vectors_only_the_local_modes_answer() {
    let options = BuildOptions {
        entities: EntityOptions::default(),
        encoder: "none".into(),
        ..BuildOptions::default()
    };
    let index = Index::build(
        corpus(&[KELP, "The lamp sank."], |n| format!("p{n}")),
        &options,
        &Silent,
    )
    .unwrap();
    let layer = layer(&index, &E2Build::default());
    let ask = |question| search(&layer, &index, question, None, &k(5), &mut |_| {});
    assert_eq!(
        ask("Did the kelp meet the gull?").unwrap().mode,
        Mode::Local
    );
    assert!(matches!(
        ask("Who sang?"),
        Err(RetrieveError::NoVectors { .. })
    ));
}

#[test]
fn names_of_a_question_are_read_both_ways() {
    // The text shows that Zorka Tihov is a person; the question does not.
    let case = Case::new(&[
        "Zorka Tihov (born 1921) met the gull. So Tihov sang.",
        "They saw Gull Rock.",
    ]);
    assert!(case.layer.entity("Tihov").is_some() && case.layer.entity("Zorka Tihov").is_none());
    let names = |question: &str| -> Vec<(String, bool)> {
        case.ask(question, k(5))
            .run
            .asked
            .into_iter()
            .map(|a| (a.name, a.entity.is_some()))
            .collect()
    };
    assert_eq!(
        names("Where did Zorka Tihov sing?"),
        [("Zorka".to_owned(), true), ("Tihov".to_owned(), true)]
    );
    assert_eq!(
        names("Where is Gull Rock?"),
        [("Gull Rock".to_owned(), true)]
    );
    assert_eq!(
        names("Where is Belor Quist?"),
        [("Belor Quist".to_owned(), false)]
    );
}

fn bytes(layer: &E2Graph) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    layer.columns(&mut |name, bytes| all.push((name.to_owned(), bytes.to_vec())));
    all
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
    let ask = |index: &Index, layer: &E2Graph| {
        let question = "Did Voss meet the gull?";
        let vector = index.dense().unwrap().encoder.question(question).unwrap();
        search(layer, index, question, Some(&vector), &k(5), &mut |_| {}).unwrap()
    };
    assert_eq!(
        ask(&opened, &layer),
        ask(&index, &index.layer::<E2Graph>().unwrap())
    );
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
    let index = index(&[KELP, KELP, KELP, KELP, KELP, KELP, KELP]);
    for step in ["persons", "entities", "summaries", "vectors"] {
        let cancelled = E2Graph::build(&index, &E2Build::default(), &|now, _, _| now != step);
        assert!(
            matches!(cancelled, Err(crate::index::IndexError::Cancelled)),
            "{step}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_answer_is_consistent(
        texts in prop::collection::vec(prop::collection::vec(prop::sample::subsequence(vec!["kelp", "gull", "lamp", "rope", "violin", "anchor"], 1..4), 1..3), 1..9),
        asked in prop::sample::subsequence(vec!["kelp", "gull", "lamp", "rope", "violin", "anchor", "zebra"], 0..4),
        most in 1usize..4, hops in 0usize..5, code_hops: bool,
    ) {
        let sentence = |nouns: &Vec<&str>| format!("The {} sank.", nouns.join(" and the "));
        let texts: Vec<String> = texts.iter().map(|t| t.iter().map(sentence).collect::<Vec<_>>().join(" ")).collect();
        let case = Case::new(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let question = format!("Did the {} sink?", asked.join(" and the "));
        let answer = case.ask(&question, Params { k: most, hops, code_hops });
        consistent(&case, &answer);
        let run = &answer.run;
        prop_assert!(run.chunks.len() <= most && run.kept.len() <= most);
        prop_assert_eq!(run.mode.global(), run.chunks.is_empty());
        prop_assert!(run.steps.windows(2).all(|w| w[0].h == w[1].h + 1 && w[0].chunks >= w[1].chunks && w[0].chunks > most));
        prop_assert_eq!(run.groups.iter().flat_map(|g| g.runs.iter().map(ExactSizeIterator::len)).sum::<usize>(), run.chunks.len());
    }
}
