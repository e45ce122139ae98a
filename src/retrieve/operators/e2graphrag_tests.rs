//! Every branch of the retrieval, on passages small enough to count by hand.
//!
//! Each passage is a document and a chunk of its own; every sentence "The kelp and the gull met." has two nouns and
//! makes one edge.

use super::{Global, Mode, Pairs, Shrunk};
use crate::explain::{story, why_not};
use crate::index::{BuildOptions, EntityOptions, Index, Silent};
use crate::layers::Code;
use crate::layers::summaries::layer_tests::{book, corpus};
use crate::parameters::{CHUNK_LIMIT, CHUNK_ORDER, ChunkOrder};
use crate::retrieve::explanation::Entry;
use crate::retrieve::{Keep, Method, Retrieval, RetrieveError, Retriever, Settings};
use proptest::prelude::*;
use std::sync::Arc;

const KELP: &str = "The kelp and the gull met.";

struct Case(Arc<Index>);

impl Case {
    fn new(texts: &[&str]) -> Case {
        let corpus = corpus(texts, |n| format!("p{n}"));
        let index = Index::build(corpus, &BuildOptions::default(), &Silent);
        Case(Arc::new(index.unwrap()))
    }

    fn tried(&self, question: &str, changes: &[&str]) -> Result<Retrieval, RetrieveError> {
        let mut settings = Settings::of(&self.0, Method::by_name("e2graphrag").unwrap());
        for change in changes {
            match change.strip_prefix("seed ") {
                Some(edit) => settings.edit_seed(edit.parse().unwrap()),
                None => settings.set_text(change).unwrap(),
            }
        }
        Retriever::new(self.0.clone()).retrieve(question, &settings, Keep::Scores)
    }

    fn ask(&self, question: &str, changes: &[&str]) -> Retrieval {
        self.tried(question, changes).unwrap()
    }

    fn codes(&self, run: &Retrieval, passage: u32) -> Vec<(Code, Option<String>)> {
        let reasons = why_not(&self.0, run, passage).into_iter();
        let fixed = |reason: crate::retrieve::explanation::Reason| {
            (reason.code, reason.fix.map(|fix| fix.to_string()))
        };
        reasons.map(fixed).collect()
    }
}

fn pairs(run: &Retrieval) -> &Pairs {
    run.records[1].output.get().unwrap()
}

fn shrunk(run: &Retrieval) -> &Shrunk {
    run.records[2].output.get().unwrap()
}

fn mode(run: &Retrieval) -> Mode {
    shrunk(run).mode
}

fn rounds(run: &Retrieval) -> Vec<(usize, usize, usize)> {
    let rounds = shrunk(run).rounds.iter();
    rounds.map(|r| (r.h, r.pairs, r.chunks)).collect()
}

fn passages(run: &Retrieval) -> Vec<u32> {
    run.passages.iter().map(|hit| hit.passage).collect()
}

fn hits(run: &Retrieval) -> Vec<(u32, f32)> {
    let hits = run.passages.iter();
    hits.map(|hit| (hit.passage, hit.score)).collect()
}

/// The parts of every passage add up to its score, scores fall, and the story and the reasons can be told.
fn consistent(case: &Case, run: &Retrieval) {
    assert!(run.passages.windows(2).all(|w| w[0].score >= w[1].score));
    for hit in &run.passages {
        let opened = run.explain(&case.0, hit.passage);
        let sum: f64 = opened.parts.iter().map(|part| part.value).sum();
        assert!((sum - f64::from(hit.score)).abs() < 1e-5, "{sum} {hit:?}");
        let why = opened.sentence;
        assert!(!why.is_empty() && why.chars().count() <= 160, "{why}");
    }
    let returned: Vec<u32> = run.top().iter().map(|hit| hit.passage).collect();
    for passage in 0..case.0.len() as u32 {
        let missing = why_not(&case.0, run, passage);
        assert_eq!(
            missing.is_empty(),
            returned.contains(&passage),
            "{passage} {missing:?}"
        );
    }
    let story = story(&case.0, run, &[]);
    let items = story.items.len();
    for stage in &story.stages {
        assert!(stage.nodes.iter().all(|node| node.item < items));
        assert!(stage.cut.iter().all(|cut| cut.item < items));
        // No edge leads to a chunk that does not have the name.
        assert!(stage.edges.iter().all(|edge| edge.value > 0.0));
    }
}

#[test]
fn global_dense_without_a_vertex() {
    let case = Case::new(&[
        KELP,
        "The lamp and the rope met.",
        "The anchor and the violin met.",
    ]);
    let question = "Who sang about rhubarb?";
    let run = case.ask(question, &["chunk_limit=2"]);
    assert_eq!(mode(&run), Mode::GlobalDense);
    assert!(pairs(&run).entities.is_empty() && rounds(&run).is_empty());
    let layer = case.0.layer::<crate::layers::summaries::E2Graph>().unwrap();
    let vector = case.0.dense().unwrap().encoder.question(question).unwrap();
    let nearest = layer.vectors.as_ref().unwrap().nearest(&vector, 2).unwrap();
    assert_eq!(nearest, hits(&run));
    consistent(&case, &run);
    let left = (0..3).find(|p| !passages(&run).contains(p)).unwrap();
    let fix = Some("chunk_limit=3 brings it to rank 3".into());
    assert_eq!(
        case.codes(&run, left),
        [
            (Code::QueryEntityNotLinked, None),
            (Code::Fallback, None),
            (Code::CutByK, fix)
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
    let run = case.ask("Which kelp?", &["chunk_limit=2"]);
    assert_eq!(mode(&run), Mode::GlobalOcc);
    assert_eq!(rounds(&run), [(4, 0, 0)]);
    assert_eq!(hits(&run), [(2, 3.0), (0, 1.0)]);
    consistent(&case, &run);
    // What is returned last is a place inside; the next would be one outside.
    let one = case.ask("Which kelp?", &["chunk_limit=1"]);
    let cut = one.records[3].output.dropped.iter();
    let cut = cut.filter(|dropped| dropped.code == Code::CutByK);
    assert_eq!(cut.map(|cut| cut.margin).collect::<Vec<_>>(), [1.0]);
    // That no entity occurs says more of the passage than why the tree was asked.
    let said = why_not(&case.0, &run, 1).remove(1).text;
    assert!(said.contains("one query entity makes no pair"), "{said}");
    let expected = [(Code::OccZero, None), (Code::Fallback, None)];
    assert_eq!(case.codes(&run, 1), expected);
    // Twice the weight of the name is twice the occurrences; without it nothing is left to count.
    let weighed = case.ask("Which kelp?", &["chunk_limit=2", "seed kelp=2"]);
    assert_eq!(hits(&weighed), [(2, 6.0), (0, 2.0)]);
    consistent(&case, &weighed);
    let muted = case.ask("Which kelp?", &["seed kelp=mute"]);
    assert_eq!(mode(&muted), Mode::GlobalDense);
    assert!(muted.edits()[0].applied);
}

#[test]
fn a_question_of_unknown_words_leaves_the_cosines() {
    // No candidate has the kelp: the order is that of the cosines.
    let texts: Vec<String> = (0..9)
        .map(|n| format!("The lamp and rope {n} met."))
        .collect();
    let mut texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    texts.push("The kelp sank.");
    let case = Case::new(&texts);
    let run = case.ask(
        "Which lamp and rope met no kelp?",
        &["chunk_limit=1", "seed lamp=mute", "seed rope=mute"],
    );
    assert_eq!(mode(&run), Mode::GlobalOcc);
    let global: &Global = run.records[3].output.get().unwrap();
    assert_eq!(global.candidates.len(), 2);
    assert_eq!(
        global.counted,
        global.candidates.iter().any(|c| c.occurrence > 0.0)
    );
    consistent(&case, &run);
}

#[test]
fn a_pair_without_a_shared_chunk_is_global() {
    // kelp - gull - lamp: two hops, no chunk with kelp and lamp.
    let question = "Did the kelp and the lamp sink?";
    let case = Case::new(&[KELP, "The gull and the lamp met."]);
    let run = case.ask(question, &["chunk_limit=5"]);
    assert_eq!(mode(&run), Mode::GlobalOcc);
    assert_eq!(rounds(&run), [(4, 1, 0)]);
    assert_eq!(pairs(&run).all[0].distance(), Some(2));
    consistent(&case, &run);
    // Unconnected: no pair at all.
    let case = Case::new(&[KELP, "The lamp and the rope met."]);
    let run = case.ask(question, &["chunk_limit=5"]);
    assert_eq!(rounds(&run), [(4, 0, 0)]);
}

#[test]
fn local_returns_the_shared_chunks_uncut() {
    let case = Case::new(&[
        KELP,
        "The lamp and the kelp met.",
        "The kelp sank. A gull and a rope met.",
        "The violin sank.",
    ]);
    let run = case.ask("Did the kelp meet the gull?", &[]);
    assert_eq!((mode(&run), shrunk(&run).h), (Mode::Local, 4));
    assert_eq!(rounds(&run), [(4, 1, 2)]);
    // Same key, so corpus order; the score is the size of the key.
    assert_eq!(hits(&run), [(0, 2.0), (2, 2.0)]);
    assert_eq!(shrunk(&run).groups, [(vec![0, 1], vec![0..1, 2..3])]);
    consistent(&case, &run);
    // What the chunks say comes behind a cause that was found.
    let first = |passage| {
        let mut reasons = why_not(&case.0, &run, passage).into_iter();
        reasons
            .find(|reason| reason.code == Code::NoSharedChunk)
            .unwrap()
    };
    assert_eq!(first(1).code, Code::NoSharedChunk);
    assert!(first(1).text.contains("coverage 1 of 2"));
    assert!(first(3).text.contains("none of the 2"));
    let why = run.explain(&case.0, 2).sentence;
    assert!(why.contains("1 hop apart"), "{why}");
    let story = story(&case.0, &run, &[]);
    let told = |node: &Entry| node.why.starts_with("coverage 2, occurrence 2, key ");
    let stages = story.stages.iter();
    let mut shared = stages.filter(|stage| stage.nodes.iter().any(told));
    let names = |why: &str| why.contains("kelp") && why.contains("gull");
    let nodes = &shared.next().unwrap().nodes;
    assert!(nodes.iter().all(|node| names(&node.why)), "{nodes:?}");
}

#[test]
fn groups_come_by_the_size_of_their_keys() {
    // p0 has kelp-gull, p1 all three: its key is larger.
    let case = Case::new(&[KELP, "The kelp, the gull and the lamp met."]);
    let run = case.ask("Did the kelp, the gull and the lamp sink?", &[]);
    let run_of = |chunk: u32| Vec::from_iter(std::iter::once(chunk..chunk + 1));
    let expected = [(vec![0, 1, 2], run_of(1)), (vec![0, 1], run_of(0))];
    assert_eq!(shrunk(&run).groups, expected);
    assert_eq!(hits(&run), [(1, 3.0), (0, 2.0)]);
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
    let run = case.ask(
        "Did the kelp, the gull and the lamp drown?",
        &["chunk_limit=1"],
    );
    // gull - lamp is three hops and shares no chunk. At h = 1 only kelp - gull is left.
    assert_eq!(rounds(&run), [(4, 3, 3), (3, 3, 3), (2, 2, 3), (1, 1, 1)]);
    assert_eq!((mode(&run), shrunk(&run).h), (Mode::Local, 1));
    assert_eq!(passages(&run), [0]);
    consistent(&case, &run);
    // Three chunks at h = 2: they all fit into k = 3.
    let fix = |fix: &Option<String>| {
        fix.as_deref()
            .is_some_and(|fix| fix.starts_with("chunk_limit=3 "))
    };
    let found = case.codes(&run, 1);
    assert!(
        found.len() == 1 && found[0].0 == Code::HReduced && fix(&found[0].1),
        "{found:?}"
    );
    let story = story(&case.0, &run, &[]);
    let last = story
        .stages
        .iter()
        .find(|stage| stage.name == "h = 1")
        .unwrap();
    assert_eq!(last.kind, "filter");
    let cut = last
        .cut
        .iter()
        .map(|c| (c.code, story.items[c.item].passage));
    let cut: Vec<_> = cut.collect();
    assert_eq!(cut, [(Code::HReduced, Some(1)), (Code::HReduced, Some(2))]);
}

#[test]
fn rarer_names_come_first_where_rarity_orders() {
    // The gull is everywhere, the lamp in one chunk besides: kelp and lamp say more than kelp and gull.
    let case = Case::new(&[
        KELP,
        "The gull and the kelp met.",
        "The lamp and the kelp met.",
        "The gull sank.",
        "The gull rose.",
    ]);
    let question = "Did the kelp, the gull and the lamp drown?";
    let by = |order: &str| {
        let run = case.ask(question, &[&format!("chunk_order={order}")]);
        assert_eq!(mode(&run), Mode::Local);
        consistent(&case, &run);
        passages(&run)
    };
    // Keys kelp-gull (p0, p1) and kelp-lamp (p2) are of one size: the corpus decides.
    assert_eq!(by("groups"), [0, 1, 2]);
    assert_eq!(by("rarity")[0], 2);
    // Coverage and occurrences are equal: the closest comes first.
    let run = case.ask(question, &["chunk_order=coverage"]);
    assert!(
        shrunk(&run)
            .chunks
            .windows(2)
            .all(|w| w[0].cosine >= w[1].cosine)
    );
    assert!(shrunk(&run).chunks.iter().all(|chunk| chunk.cosine != 0.0));
    assert!(
        hits(&run)
            .iter()
            .all(|hit| (hit.1 - 2.0 - 2.0 / 3.0).abs() < 1e-6)
    );
    consistent(&case, &run);
}

#[test]
fn nouns_of_many_chunks_are_masked_and_named() {
    let case = Case::new(&[
        KELP,
        "The gull sank.",
        "The gull rose.",
        "The kelp and the rope met.",
    ]);
    let run = case.ask("Did the kelp meet the gull?", &["max_df_ratio=0.5"]);
    // Three of four chunks have the gull; the kelp, in two, stays.
    assert_eq!(
        (pairs(&run).entities.len(), mode(&run)),
        (1, Mode::GlobalOcc)
    );
    consistent(&case, &run);
    let said = why_not(&case.0, &run, 2);
    let masked = said.iter().find(|reason| reason.code == Code::DfFiltered);
    assert!(masked.unwrap().text.contains("'gull' (in 3 chunks of 4)"));
    let story = story(&case.0, &run, &[]);
    let stage = story
        .stages
        .iter()
        .find(|stage| stage.name == "pairs")
        .unwrap();
    assert_eq!(stage.cut.len(), 1);
}

#[test]
fn a_reader_is_given_chunks_under_their_names() {
    let (index, layer) = book();
    index.add_layer(layer);
    let case = Case(Arc::new(index));
    let run = case.ask("Did the kelp meet the gull?", &[]);
    // Chunks 0 and 1 overlap and are one text, which has the overlap once.
    let text = run.text(&case.0).unwrap();
    let expected =
        "kelp-gull:\nThe kelp met the gull.\n\nThe gull met the kelp. The lamp sank.\n\n";
    assert!(text.starts_with(expected), "{text}");
    assert_eq!(text.matches("The gull met").count(), 1);
    let run = case.ask("Who sang about rhubarb?", &["chunk_limit=1"]);
    assert_eq!(mode(&run), Mode::GlobalDense);
    let layer = case.0.layer::<crate::layers::summaries::E2Graph>().unwrap();
    let node = run.records[3].output.members[0].node;
    let own = layer.node_text(case.0.passages(), node);
    assert_eq!(run.text(&case.0), Some(own));
}

#[test]
fn what_no_pair_reaches_comes_from_the_vectors_when_fused() {
    let case = Case::new(&[
        KELP,
        "The lamp and the rope met.",
        "Rhubarb is a vegetable.",
    ]);
    let ask = |change: &str| {
        let mut settings = Settings::of(&case.0, Method::by_name("e2graphrag-rrf").unwrap());
        settings.set_text("max_df_ratio=1").unwrap();
        settings.set_text(change).unwrap();
        let question = "Did the kelp meet the gull over rhubarb?";
        let run = Retriever::new(case.0.clone()).retrieve(question, &settings, Keep::Scores);
        run.unwrap()
    };
    for fusion in ["rank", "min_max", "after"] {
        let run = ask(&format!("fusion={fusion}"));
        for hit in &run.passages {
            let parts = run.explain(&case.0, hit.passage).parts;
            let sum: f64 = parts.iter().map(|part| part.value).sum();
            assert!((sum - f64::from(hit.score)).abs() < 1e-5, "{sum} {hit:?}");
        }
        assert!(passages(&run).contains(&2), "{fusion}");
    }
    // After: what pairs found stays in front, in its order.
    let run = ask("fusion=after");
    assert_eq!(passages(&run)[0], 0);
    let own: Vec<u32> = shrunk(&run).chunks.iter().map(|c| c.chunk).collect();
    assert_eq!(passages(&run)[..own.len()], own[..]);
}

#[test]
fn a_pasted_page_is_paired_in_bounds() {
    let nouns: Vec<String> = (0..90)
        .map(|n| format!("Velmor{}", char::from(b'a' + n % 26)).repeat(1 + n as usize / 26))
        .collect();
    let text: Vec<String> = nouns
        .iter()
        .map(|noun| format!("They saw {noun}."))
        .collect();
    let case = Case::new(&[&text.join(" "), KELP]);
    let run = case.ask(&format!("Who saw {}?", nouns.join(", ")), &[]);
    assert_eq!(pairs(&run).entities.len(), super::MOST_ASKED);
    let facts = &run.records[1].output.facts;
    assert!(
        facts
            .iter()
            .any(|fact| fact.0 == "entities left out" && fact.1 == 90 - super::MOST_ASKED)
    );
    consistent(&case, &run);
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
    let run = case.ask(
        "Did the kelp, the gull and the lamp drown?",
        &["chunk_limit=2"],
    );
    assert_eq!(mode(&run), Mode::LocalRanked);
    assert_eq!(rounds(&run).last(), Some(&(0, 0, 0)));
    let scored = shrunk(&run).chunks.iter();
    let scored: Vec<_> = scored
        .map(|c| (c.chunk, c.coverage, c.occurrence))
        .collect();
    assert_eq!(scored, [(1, 3, 3.0), (2, 2, 3.0)]);
    let beyond: Vec<u32> = shrunk(&run).beyond.iter().map(|c| c.chunk).collect();
    assert_eq!(beyond, [0]);
    assert_eq!(passages(&run), [1, 2]);
    consistent(&case, &run);
    // Then nothing is ranked, and the order is that of the passages.
    let fix = Some("chunk_limit=3 brings it to rank 1".into());
    let told = case.codes(&run, 0);
    assert_eq!(told.last(), Some(&(Code::CutByK, fix)));
    assert_eq!(told[0].0, Code::LeadsElsewhere);
}

#[test]
fn a_pair_that_is_too_far_apart_is_told_how_far() {
    // kelp - gull - lamp - rope - violin: four edges. p4 and p5 hold both ends apart, p5 more often.
    let case = Case::new(&[
        KELP,
        "The gull and the lamp met.",
        "The lamp and the rope met.",
        "The rope and the violin met.",
        "The kelp sank. The violin sank.",
        "The kelp sank. The violin sank. The kelp rose. The violin rose.",
    ]);
    let question = "Did the kelp and the violin drown?";
    for (code, needs) in [("code_hops=off", 4), ("code_hops=on", 5)] {
        let ask = |hops: usize| {
            let hops = format!("hops={hops}");
            case.ask(question, &["chunk_limit=1", &hops, code])
        };
        let run = ask(2);
        assert_eq!(passages(&run)[..1], [5]);
        let reasons = why_not(&case.0, &run, 4);
        let far = reasons.iter().find(|r| r.code == Code::PairTooFar).unwrap();
        let told = format!("needs h = {needs}");
        assert!(far.text.ends_with(&told), "{}", far.text);
        // One less is not enough.
        for (hops, joined) in [(needs - 1, false), (needs, true)] {
            assert_eq!(mode(&ask(hops)) != Mode::GlobalOcc, joined, "{hops}");
        }
    }
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
    let run = case.ask(question, &["chunk_limit=5"]);
    assert_eq!(mode(&run), Mode::Local);
    assert_eq!(pairs(&run).all[0].distance(), Some(4));
    assert_eq!(passages(&run), [4]);
    let coded = case.ask(question, &["chunk_limit=1", "code_hops=on"]);
    assert_eq!(
        (mode(&coded), rounds(&coded)),
        (Mode::GlobalOcc, vec![(4, 0, 0)])
    );
    consistent(&case, &coded);
    let three = case.ask(question, &["chunk_limit=1", "hops=3"]);
    assert_eq!(mode(&three), Mode::GlobalOcc);
    assert_eq!(pairs(&three).all, pairs(&coded).all);
    let far = case.codes(&three, 4);
    let first = far.first().map(|first| (first.0, first.1.as_deref()));
    let outside = !three.top().iter().any(|hit| hit.passage == 4);
    assert!(
        !outside || first == Some((Code::PairTooFar, Some("hops=4 brings it to rank 1"))),
        "{far:?}"
    );
    let wide = case.ask(question, &["chunk_limit=1", "hops=5", "code_hops=on"]);
    assert_eq!(mode(&wide), Mode::Local);
    let none = case.ask(question, &["chunk_limit=5", "hops=0"]);
    assert_eq!(mode(&none), Mode::GlobalOcc);
}

#[test]
fn neighbouring_chunks_of_a_group_are_one_text() {
    let (index, layer) = book();
    index.add_layer(layer);
    let case = Case(Arc::new(index));
    // kelp and gull: chunks 0, 1 and 3; 0 and 1 are one text.
    let run = case.ask("Did the kelp meet the gull?", &[]);
    assert_eq!(mode(&run), Mode::Local);
    assert_eq!(shrunk(&run).groups, [(vec![0, 1], vec![0..2, 3..4])]);
    assert_eq!(passages(&run), [0, 1, 2]);
    consistent(&case, &run);
}

#[test]
fn without_vectors_only_the_local_modes_answer() {
    let options = BuildOptions {
        entities: EntityOptions::default(),
        encoder: "none".into(),
        ..BuildOptions::default()
    };
    let corpus = corpus(&[KELP, "The lamp sank."], |n| format!("p{n}"));
    let index = Index::build(corpus, &options, &Silent).unwrap();
    let case = Case(Arc::new(index));
    assert_eq!(
        mode(&case.ask("Did the kelp meet the gull?", &[])),
        Mode::Local
    );
    let said = case.tried("Who sang?", &[]);
    assert!(matches!(said, Err(RetrieveError::NoVectors { .. })));
}

#[test]
fn names_of_a_question_are_read_both_ways() {
    // The text shows that Zorka Tihov is a person; the question does not.
    let case = Case::new(&[
        "Zorka Tihov (born 1921) met the gull. So Tihov sang.",
        "They saw Gull Rock.",
    ]);
    let names = |question: &str| -> Vec<(String, bool)> {
        let run = case.ask(question, &[]);
        let names = run.names().iter();
        names
            .map(|name| (name.surface.clone(), !name.nodes.is_empty()))
            .collect()
    };
    let found = names("Where did Zorka Tihov sing?");
    assert_eq!(
        found,
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_answer_is_consistent(
        texts in prop::collection::vec(prop::collection::vec(prop::sample::subsequence(vec!["kelp", "gull", "lamp", "rope", "violin", "anchor"], 1..4), 1..3), 1..9),
        asked in prop::sample::subsequence(vec!["kelp", "gull", "lamp", "rope", "violin", "anchor", "zebra"], 0..4),
        most in 1usize..4, hops in 0usize..5, code_hops: bool,
        order in prop::sample::select(&ChunkOrder::ALL[..]), share in prop::sample::select(&[1.0, 0.7, 0.4][..]),
    ) {
        let sentence = |nouns: &Vec<&str>| format!("The {} sank.", nouns.join(" and the "));
        let texts: Vec<String> = texts.iter().map(|t| t.iter().map(sentence).collect::<Vec<_>>().join(" ")).collect();
        let case = Case::new(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let question = format!("Did the {} sink?", asked.join(" and the "));
        let code = if code_hops { "code_hops=on" } else { "code_hops=off" };
        let order = CHUNK_ORDER.assignment(order);
        let changes = [&format!("chunk_limit={most}"), &format!("hops={hops}"), code, &order, &format!("max_df_ratio={share}")];
        let run = case.ask(&question, &changes);
        consistent(&case, &run);
        let shrunk = shrunk(&run);
        prop_assert!(shrunk.chunks.len() <= most && run.records[3].output.members.len() <= most);
        prop_assert_eq!(run.settings.get(CHUNK_LIMIT), most);
        prop_assert_eq!(shrunk.mode.global(), shrunk.chunks.is_empty());
        prop_assert!(shrunk.rounds.windows(2).all(|w| w[0].h == w[1].h + 1 && w[0].chunks >= w[1].chunks && w[0].chunks > most));
        prop_assert_eq!(shrunk.groups.iter().flat_map(|g| g.1.iter().map(ExactSizeIterator::len)).sum::<usize>(), shrunk.chunks.len());
    }
}
