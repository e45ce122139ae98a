use super::super::measure::best_three;
use super::super::pairs::{EdgeLogic, EdgeRule, EntityEdges};
use super::super::record::Record;
use super::super::subjects::Subjects;
use super::*;
use crate::corpus::{Corpus, Passage};
use crate::index::store::add_layers;
use crate::index::{BuildOptions, Silent};

const BOATS: &str = "Fleet of the harbour\nThe harbour has three boats.\n\n| Boat | Built | Skipper |\n|---|---|---|\n\
    | Gull | 1966 | Mara Voss |\n| Tern | 1970 | Ivo Lind |\n| Puffin | 1981 | Mara Voss |\n\nThe boats are red.";
const CREWS: &str = "Boat | Skipper\nGull | Mara Voss\nTern | Ivo Lind\nPuffin | Otto Berg";

/// A table in a text, a linearised one, two passages of one file, one passage without text.
pub(crate) fn corpus() -> Corpus {
    let passage = |id: &str, title: &str, text: &str| Passage {
        id: id.into(),
        title: title.into(),
        text: text.into(),
    };
    Corpus {
        name: "boats".into(),
        passages: vec![
            passage("d1", "Harbour (Norway)", BOATS),
            passage("d2", "Crews", CREWS),
            passage(
                "book.txt#1",
                "book",
                "Mara Voss sailed the Gull. She left the harbour in May 1966. A storm came.",
            ),
            passage(
                "book.txt#2",
                "book",
                "The kelp farm is far away. It grows kelp.",
            ),
            passage(
                "d3",
                "Mara Voss",
                "Mara Voss is a skipper. She sails the boat Gull.",
            ),
            passage(
                "d4",
                "Kelp",
                "Kelp is a large brown seaweed. It grows in cold water.",
            ),
            passage("d5", "Empty", " "),
        ],
        questions: Vec::new(),
    }
}

pub(crate) fn index() -> Index {
    Index::build(corpus(), &BuildOptions::default(), &Silent).unwrap()
}

pub(crate) fn build(index: &Index, options: &SageBuild) -> Sage {
    Sage::build(index, options, &|_, _, _| true).unwrap()
}

pub(crate) const RULE: EdgeRule = EdgeRule {
    percentile: 95.0,
    logic: EdgeLogic::Or,
    names: EntityEdges::Shared,
    fuzzy: false,
    sources: true,
    links: true,
};

fn bytes(layer: &Sage) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    layer.columns(&mut |name, bytes| all.push((name.to_owned(), bytes.to_vec())));
    all
}

#[test]
fn units_in_the_order_of_the_text_with_their_sources() {
    let index = index();
    let layer = build(&index, &SageBuild::default());
    let units: Vec<(u32, u32, bool)> = (0..layer.len() as u32)
        .map(|u| {
            (
                layer.passage[u as usize],
                layer.source[u as usize],
                layer.table_of(u).is_some(),
            )
        })
        .collect();
    let expected = [
        (0, 0, false),
        (0, 0, true),
        (0, 0, false),
        (1, 1, true),
        (2, 2, false),
        (3, 2, false),
        (4, 3, false),
        (5, 4, false),
    ];
    assert_eq!(units, expected);
    let meta = &layer.meta;
    assert_eq!(
        (
            meta.units,
            meta.chunks,
            meta.segments,
            meta.tables,
            meta.sources
        ),
        (8, 6, 2, 2, 6)
    );
    assert_eq!(
        layer.content(&index, 0),
        "Fleet of the harbour\nThe harbour has three boats."
    );
    assert_eq!(
        layer.content(&index, 1),
        "Boat Built Skipper\nGull 1966 Mara Voss\nTern 1970 Ivo Lind\nPuffin 1981 Mara Voss"
    );
    assert_eq!(
        layer.source_name(&index, 1),
        "Harbour: Fleet of the harbour"
    );
    assert_eq!(
        layer.label(&index, 1),
        "Harbour: Fleet of the harbour [rows 1-3]"
    );
    assert_eq!(layer.label(&index, 2), "Harbour (Norway) [chunk 2]");
    assert_eq!((layer.units_of(0), layer.units_of(6)), (0..3, 8..8));
    assert_eq!(layer.units_of_source(2), 4..6);
    let named = |unit| {
        let mut names: Vec<&str> = layer
            .names
            .of(unit)
            .iter()
            .map(|&id| layer.names.labels.get(id as usize))
            .collect();
        names.sort_unstable();
        names
    };
    assert_eq!(
        named(1),
        ["Gull", "Harbour", "Ivo Lind", "Mara Voss", "Puffin", "Tern"]
    );
    assert!(named(4).contains(&"Mara Voss"), "{:?}", named(4));
}

#[test]
fn every_metric_of_every_candidate_pair_is_what_its_parts_say() {
    let index = index();
    let layer = build(&index, &SageBuild::default());
    let dense = index.dense().unwrap();
    // A pool larger than the index: all pairs.
    assert_eq!(layer.meta.pairs, [15, 1, 12]);
    let vector = |text: &str| dense.encoder.passages(&[("", text)], &|_| true).unwrap();
    let cosine = |a: &str, b: &str| chunking::cosine(&vector(a), &vector(b)) as f32;
    let close = |a: f32, b: f32| (a - b).abs() < 0.01;
    let values = |a, b| {
        let (kind, pair) = layer.pair(a, b).unwrap();
        layer.pairs[kind as usize]
            .values(pair)
            .collect::<Vec<f32>>()
    };
    let text = values(6, 4);
    assert!(
        close(text[0], cosine(layer.topics.get(4), layer.topics.get(6))),
        "{text:?}"
    );
    assert!(close(text[1], layer.vectors.between(4, 6)));
    let tables = values(3, 1);
    assert!(close(
        tables[1],
        cosine(layer.tables.titles.get(0), layer.tables.titles.get(1))
    ));
    assert!(close(
        tables[2],
        cosine(
            layer.tables.descriptions.get(0),
            layer.tables.descriptions.get(1)
        )
    ));
    // Columns: of Boat, Built and Skipper the best match each among Boat and Skipper; the mean of three.
    let described: Vec<&str> = layer.tables.described.iter().collect();
    let best =
        |of: usize| cosine(described[of], described[3]).max(cosine(described[of], described[4]));
    assert!(
        close(tables[0], (best(0) + best(1) + best(2)) / 3.0),
        "{tables:?}"
    );
    let mixed = values(6, 3);
    let content = |c: usize| {
        let own = dense
            .encoder
            .passages(&[("Mara Voss", &*layer.content(&index, 6))], &|_| true)
            .unwrap();
        chunking::cosine(&own, &vector(described[c])) as f32
    };
    assert!(
        close(mixed[0], (content(3) + content(4)) / 2.0),
        "{mixed:?}"
    );
    assert!(close(
        mixed[1],
        cosine(layer.topics.get(6), layer.tables.titles.get(1))
    ));
    assert!(close(
        mixed[2],
        cosine(layer.topics.get(6), layer.tables.summaries.get(1))
    ));
    assert_eq!(best_three(vec![0.1, 0.4, 0.2, 0.3]), 0.3);
    assert_eq!(
        (best_three(vec![0.4, 0.2]), best_three(Vec::new())),
        (0.3, 0.0)
    );
    // Boat tables share Gull, Tern, Puffin, Mara Voss, Ivo Lind.
    let (kind, pair) = layer.pair(1, 3).unwrap();
    assert_eq!(layer.pairs[kind as usize].names(pair, false), 5);
}

#[test]
fn records_tell_joins_rows_and_references() {
    let index = index();
    let layer = build(&index, &SageBuild::default());
    let bars = layer.bars(&index, RULE);
    let of = |a, b| Record::new(&layer, &index, &bars, a, b);
    let record = of(1, 3);
    assert!(record.named && !record.same_source && !record.linked);
    let joins: Vec<(&str, &str)> = record.joinable.iter().map(|(a, b)| (&**a, &**b)).collect();
    assert_eq!(joins[..2], [("Boat", "Boat"), ("Skipper", "Skipper")]);
    assert_eq!(record.row_overlap, 0.0);
    let record = of(3, 6);
    assert_eq!(
        (&record.columns[..], &record.values[..]),
        (
            &["Boat".to_owned(), "Skipper".into()][..],
            &["Gull".to_owned(), "Mara Voss".into()][..]
        )
    );
    assert_eq!(record.shared, ["Gull", "Mara Voss"]);
    assert_eq!(of(6, 3), record);
    let own = of(4, 5);
    assert!(own.same_source && own.evidence().starts_with("same source"));
}

#[test]
fn links_join_all_units_of_both_sources() {
    let index = index();
    let folder = tempfile::tempdir().unwrap();
    let links = folder.path().join("links.tsv");
    std::fs::write(&links, "d1\tbook.txt\nd4\tnone\nbook.txt#2\td1\n").unwrap();
    let layer = build(
        &index,
        &SageBuild {
            links: Some(links),
            ..SageBuild::default()
        },
    );
    assert_eq!((layer.meta.links, layer.meta.links_unknown), (1, 1));
    assert_eq!(
        (layer.linked(0), layer.linked(2), layer.linked(1)),
        (&[2][..], &[0][..], &[][..])
    );
    use super::super::layer::Via::{Link, Source};
    // No other edge at percentile 100.
    let rule = EdgeRule {
        percentile: 100.0,
        names: EntityEdges::Off,
        ..RULE
    };
    let near = |rule: EdgeRule| {
        let mut near = Vec::new();
        layer.neighbours(4, &layer.bars(&index, rule), |unit, via| {
            near.push((unit, via))
        });
        near
    };
    assert_eq!(near(rule), [(5, Source), (0, Link), (1, Link), (2, Link)]);
    let links = |links| EdgeRule { links, ..rule };
    assert_eq!(near(links(false)), [(5, Source)]);
    let sources = EdgeRule {
        sources: false,
        ..links(false)
    };
    assert_eq!(near(sources), []);
    let missing = SageBuild {
        links: Some("none.tsv".into()),
        ..SageBuild::default()
    };
    let said = Sage::build(&index, &missing, &|_, _, _| true)
        .err()
        .unwrap()
        .to_string();
    assert!(said.contains("none.tsv"), "{said}");
}

#[test]
fn a_unit_is_joined_to_those_that_name_what_it_is_about() {
    let index = index();
    let layer = build(&index, &SageBuild::default());
    let subjects = Subjects::new(&index, &layer);
    let near = |unit| subjects.near(unit).collect::<Vec<u32>>();
    // The page on Mara Voss is named by two tables and a chunk of the book; nobody names Crews, and a file has no subject.
    assert_eq!(near(6), [1, 3, 4]);
    assert!(near(4).contains(&6) && near(3) == [6]);
    // Units of one passage are no such neighbours.
    assert!([1, 2].iter().all(|unit| !near(0).contains(unit)));
    assert_eq!(near(5), [] as [u32; 0]);
    assert_eq!(subjects.named(&layer, 3, 6), ["Mara Voss"]);
    assert_eq!(subjects.named(&layer, 6, 3), ["Mara Voss"]);
    assert_eq!(subjects.named(&layer, 3, 4), [] as [&str; 0]);
    let bars = layer.bars(
        &index,
        EdgeRule {
            percentile: 100.0,
            names: EntityEdges::Subject,
            ..RULE
        },
    );
    let record = Record::new(&layer, &index, &bars, 3, 6);
    assert!(!record.named && !record.similar);
    let said = record.evidence();
    assert!(said.starts_with("names the subject Mara Voss"), "{said}");
}

#[test]
fn the_layer_survives_a_folder_and_two_builds_are_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    Index::create(corpus(), &BuildOptions::default(), &path, &Silent).unwrap();
    let index = Index::open(&path).unwrap();
    let built = build(&index, &SageBuild::default());
    let before = bytes(&built);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    assert_eq!(
        before,
        pool.install(|| bytes(&build(&index, &SageBuild::default())))
    );
    index.add_layer(built);
    add_layers(&index, &path).unwrap();
    let opened = Index::open(&path).unwrap().layer::<Sage>().unwrap();
    assert_eq!(before, bytes(&opened));
    assert_eq!(opened.meta.units, 8);
}

#[test]
fn a_build_can_be_cancelled_and_needs_vectors() {
    let index = index();
    for step in ["chunks", "metadata", "words", "neighbours", "pairs"] {
        let found = Sage::build(&index, &SageBuild::default(), &|at, _, _| at != step);
        assert!(matches!(found, Err(IndexError::Cancelled)), "{step}");
    }
    let options = BuildOptions {
        encoder: "none".into(),
        ..BuildOptions::default()
    };
    let index = Index::build(corpus(), &options, &Silent).unwrap();
    let said = Sage::build(&index, &SageBuild::default(), &|_, _, _| true)
        .err()
        .unwrap()
        .to_string();
    assert!(said.contains("--encoder static"), "{said}");
}
