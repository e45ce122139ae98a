//! Layers of an index: built beside it or added later, opened, replaced, and never half there.

use hopscope::column::Column;
use hopscope::index::{
    BuildOptions, Columns, Index, IndexError, Layer, Progress, Silent, Step, sample, store,
};
use hopscope::layers::{Build, LayerKind, add_layers, build_layers, layers_named};
use hopscope::parameters::Scoped;
use hopscope::retrieve::{DEFAULT_METHOD, Method, Settings};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How long each passage is, times a factor.
struct Lengths {
    factor: u32,
    lengths: Column<u32>,
    tail: Column<u8>,
    /// Writing breaks off after the first column, as a killed program does.
    breaks: bool,
}

impl Layer for Lengths {
    const NAME: &'static str = "lengths";
    const VERSION: u32 = 1;

    fn columns<'a>(&'a self, each: &mut dyn FnMut(&str, &'a [u8])) {
        each("lengths", self.lengths.bytes());
        assert!(!self.breaks, "killed halfway");
        each("deep/tail", self.tail.bytes());
    }

    fn open(columns: &Columns) -> Result<Lengths, IndexError> {
        let lengths: Column<u32> = columns.column("lengths")?;
        let tail: Column<u8> = columns.column("deep/tail")?;
        columns.length("deep/tail", tail.len(), 3)?;
        Ok(Lengths {
            factor: u32::from(tail[0]),
            lengths,
            tail,
            breaks: false,
        })
    }
}

impl Lengths {
    fn build(index: &Index, factor: u32, breaks: bool, progress: &dyn Progress) -> Option<Lengths> {
        let mut lengths = Vec::new();
        for p in 0..index.len() as u32 {
            if !progress.advance(Step::Layer(Self::NAME), p as usize, index.len()) {
                return None;
            }
            lengths.push(index.text(p).len() as u32 * factor);
        }
        Some(Lengths {
            factor,
            lengths: lengths.into(),
            tail: vec![factor as u8, 2, 3].into(),
            breaks,
        })
    }
}

const fn kind(build: Build) -> LayerKind {
    LayerKind {
        name: "lengths",
        about: "how long each passage is",
        build,
    }
}

fn add<const FACTOR: u32, const BREAKS: bool>(
    index: &Index,
    _: Scoped<'_>,
    progress: &dyn Progress,
) -> Result<Option<String>, IndexError> {
    let built = Lengths::build(index, FACTOR, BREAKS, progress).ok_or(IndexError::Cancelled)?;
    index.add_layer(built);
    Ok(None)
}

static ONCE: [LayerKind; 1] = [kind(add::<1, false>)];
static TWICE: [LayerKind; 1] = [kind(add::<2, false>)];
static BROKEN: [LayerKind; 1] = [kind(add::<3, true>)];

fn settings(index: &Index) -> Settings {
    Settings::of(index, Method::by_name(DEFAULT_METHOD).unwrap())
}

fn check(folder: &Path, factor: u32) {
    let index = Index::open(folder).unwrap();
    assert_eq!(index.layers(), vec!["lengths"]);
    let layer = index.layer::<Lengths>().unwrap();
    assert_eq!(layer.factor, factor);
    for p in 0..index.len() {
        assert_eq!(layer.lengths[p], index.text(p as u32).len() as u32 * factor);
    }
}

fn folders(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("lengths-"))
        .collect();
    names.sort();
    names
}

#[test]
fn a_layer_is_built_added_opened_and_replaced() {
    let home = tempfile::tempdir().unwrap();
    let (with, added) = (home.path().join("with"), home.path().join("added"));
    let kinds = layers_named(&["lengths".into(), " lengths".into()], &ONCE).unwrap();
    assert_eq!(kinds.len(), 1, "named twice, built once");
    let create = |folder: &Path, complete: &dyn Fn(&Index) -> Result<(), IndexError>| {
        let corpus = sample::corpus().unwrap();
        Index::create_with(corpus, &BuildOptions::default(), folder, &Silent, complete).unwrap()
    };
    let built = create(&with, &|index| {
        build_layers(index, &kinds, settings(index).all(), &Silent).map(|built| {
            assert_eq!(built[0].name, "lengths");
        })
    });
    check(&with, 1);
    assert_eq!(
        built.manifest.layer_bytes("lengths"),
        built.manifest.passages as u64 * 4 + 3
    );

    create(&added, &|_| Ok(()));
    let index = Index::open(&added).unwrap();
    assert!(index.layers().is_empty());
    assert!(matches!(
        index.layer::<Lengths>(),
        Err(IndexError::NoLayer { layer: "lengths" })
    ));
    add_layers(&index, &added, &kinds, settings(&index).all(), &Silent).unwrap();
    check(&added, 1);
    let (one, two) = (
        store::Manifest::read(&with).unwrap(),
        store::Manifest::read(&added).unwrap(),
    );
    assert_eq!(one.layers, two.layers, "built or added, the same bytes");

    let index = Index::open(&added).unwrap();
    let twice: Vec<&LayerKind> = TWICE.iter().collect();
    add_layers(&index, &added, &twice, settings(&index).all(), &Silent).unwrap();
    check(&added, 2);
    assert_eq!(folders(&added), vec!["lengths-1"], "the old one is gone");
}

#[test]
fn a_build_that_ends_halfway_leaves_the_old_index() {
    struct StopAt(usize, AtomicUsize);
    impl Progress for StopAt {
        fn advance(&self, _: Step, _: usize, _: usize) -> bool {
            self.1.fetch_add(1, Ordering::Relaxed) < self.0
        }
    }
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("index");
    let once: Vec<&LayerKind> = ONCE.iter().collect();
    let corpus = sample::corpus().unwrap();
    Index::create(corpus, &BuildOptions::default(), &folder, &Silent).unwrap();
    let index = Index::open(&folder).unwrap();
    add_layers(&index, &folder, &once, settings(&index).all(), &Silent).unwrap();

    let twice: Vec<&LayerKind> = TWICE.iter().collect();
    let stop = StopAt(20, AtomicUsize::new(0));
    let cancelled = add_layers(&index, &folder, &twice, settings(&index).all(), &stop);
    assert!(matches!(cancelled, Err(IndexError::Cancelled)));
    check(&folder, 1);

    let broken: Vec<&LayerKind> = BROKEN.iter().collect();
    let killed = catch_unwind(AssertUnwindSafe(|| {
        let _ = add_layers(&index, &folder, &broken, settings(&index).all(), &Silent);
    }));
    assert!(killed.is_err());
    assert_eq!(folders(&folder).len(), 2, "something was written");
    check(&folder, 1);

    // What the killed run left is in nobody's way.
    let index = Index::open(&folder).unwrap();
    add_layers(&index, &folder, &twice, settings(&index).all(), &Silent).unwrap();
    check(&folder, 2);
    assert_eq!(folders(&folder).len(), 1, "and the next run removes it");
}

#[test]
fn an_unknown_layer_is_answered_with_those_there_are() {
    let said = layers_named(&["lenghts".into()], &ONCE).unwrap_err();
    assert_eq!(
        said,
        "no layer 'lenghts'; there are lengths (how long each passage is)"
    );
    let said = layers_named(&["x".into()], &[]).unwrap_err();
    assert!(said.contains("has none"), "{said}");
}

#[test]
fn of_layers_built_for_what_was_asked_the_last_four_are_kept() {
    let index = sample::index().unwrap();
    let mut held = Vec::new();
    for factor in 1..=6 {
        let kept = std::cell::RefCell::new(Vec::new());
        let fits = |layer: &Lengths| {
            kept.borrow_mut().push(layer.factor);
            layer.factor == factor
        };
        let build = || Ok(Lengths::build(&index, factor, false, &Silent).unwrap());
        let layer = index.layer_or(fits, build).unwrap();
        assert_eq!(layer.factor, factor);
        held.push(kept.into_inner());
    }
    let expected: [&[u32]; 6] = [&[], &[1], &[1, 2], &[1, 2, 3], &[1, 2, 3, 4], &[2, 3, 4, 5]];
    assert_eq!(held, expected);
    // One that is kept is not built again.
    let build = || -> Result<Lengths, IndexError> { unreachable!("it is there") };
    let again = index.layer_or(|layer: &Lengths| layer.factor == 4, build);
    assert_eq!(again.unwrap().factor, 4);
}
