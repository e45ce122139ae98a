//! Files that are cut, mixed up, or full of what nobody would write: whoever reads them takes or refuses them, by name, and
//! never stops the program. `HOPSCOPE_TRIALS=100 cargo test --test hostile hostile:: -- --nocapture` tries a hundred times as often.

use crate::common::anything;
use crate::common::hostile::{self, Kind, ODD};
use crate::common::tally::{Tally, trials};
use hopscope::corpus::{self, ReadOptions};
use hopscope::embed::HnswOptions;
use hopscope::index::store::{FileEntry, MANIFEST, Manifest};
use hopscope::index::{BuildOptions, Index, NearOptions, Silent, sample};
use hopscope::layers::{GRAPHS, LAYERS, build_layers, layers_named};
use hopscope::random::SplitMix;
use hopscope::retrieve::{METHODS, Method, MethodRef, Settings};
use serde_json::Value;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// Changes some bytes, places or lengths.
fn broken(random: &mut SplitMix, whole: &[u8]) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let to = (at + random.below(40)).min(bytes.len());
        match random.below(8) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..to)),
            2 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            3 => {
                let part = bytes[at..to].to_vec();
                let other = random.below(bytes.len() + 1);
                bytes.splice(other..other, part);
            }
            4 => {
                let odd = ODD[random.below(ODD.len())].repeat(3000);
                bytes.splice(at..at, odd);
            }
            _ => {
                let odd = ODD[random.below(ODD.len())];
                let to = if random.below(2) == 0 { at } else { to };
                bytes.splice(at..to, odd.iter().copied());
            }
        }
    }
    bytes
}

/// Breaks one file of the kind, many times over.
fn tried(kind: &Kind, tally: &mut Tally, times: usize) {
    let home = tempfile::tempdir().unwrap();
    kind.write(home.path());
    assert_eq!((kind.read)(home.path()), Ok(()), "{} whole", kind.name);
    for number in 0..times as u64 {
        let mut random = SplitMix::stream(15, number);
        let file = random.below(kind.files.len());
        let (name, bytes) = &kind.files[file];
        let broken = broken(&mut random, bytes);
        let read = || kind.read_with(home.path(), file, &broken);
        let read = catch_unwind(AssertUnwindSafe(read));
        tally.count(read.map(|_| ()).map_err(|_| {
            let broken = String::from_utf8_lossy(&broken);
            kind.write(home.path());
            let kind = kind.name;
            format!("{kind}, file {name}, trial {number}: stopped the program on {broken:?}")
        }));
    }
}

#[test]
fn corpora() {
    let mut tally = Tally::of("corpora and graphs of others, broken");
    for kind in &hostile::corpora() {
        tried(kind, &mut tally, trials(120));
    }
    tally.end();
}

#[test]
fn graphs_of_other_systems() {
    let mut tally = Tally::of("graphs of other systems, broken");
    for kind in &hostile::graphs() {
        tried(kind, &mut tally, trials(120));
    }
    tally.end();
}

/// Whoever adds a reader adds files for it: the reference lists the readers.
#[test]
fn every_reader_of_graphs_has_files_to_break() {
    let mut broken = Vec::new();
    for kind in &hostile::graphs() {
        let home = tempfile::tempdir().unwrap();
        kind.write(home.path());
        let paths = [home.path().to_path_buf()];
        let (_, report) = corpus::read(&paths, &ReadOptions::default()).unwrap();
        broken.extend(report.graphs.into_iter().map(|graph| graph.system));
    }
    let reference = include_str!("../../assets/reference.md");
    let (_, table) = reference
        .split_once("## Indexes of other systems\n")
        .unwrap();
    let rows = table.lines().skip_while(|line| !line.contains("---"));
    let rows = rows.skip(1).take_while(|line| line.starts_with("| "));
    let mut read = 0;
    for row in rows {
        let mut cells = row.split('|').map(str::trim).skip(1);
        let [system, files] = [(); 2].map(|()| cells.next().unwrap());
        // The reader of LightRAG reads its relatives; a database has no files.
        let relative = ["MiniRAG", "nano-graphrag", "PostgreSQL"].contains(&system);
        if relative || files.contains("not read, says") {
            continue;
        }
        read += 1;
        assert!(
            broken.iter().any(|own| own == system),
            "{system}: {broken:?}"
        );
    }
    assert!(read > 10, "{read} readers");
}

#[test]
fn files_beside_an_index() {
    let mut tally = Tally::of("files beside an index, broken");
    for kind in &hostile::files_beside_an_index() {
        tried(kind, &mut tally, trials(120));
    }
    tally.end();
}

#[test]
fn what_a_person_keeps() {
    let mut tally = Tally::of("what a person keeps, broken");
    for kind in &hostile::what_a_person_keeps() {
        tried(kind, &mut tally, trials(120));
    }
    tally.end();
}

#[test]
fn what_a_person_types() {
    let mut tally = Tally::of("what a person types, broken");
    for kind in &hostile::what_a_person_types() {
        tried(kind, &mut tally, trials(300));
    }
    tally.end();
}

/// An index with every layer and a small-world graph.
fn whole_index(folder: &Path) -> Manifest {
    let from = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/frozen/corpus");
    let (corpus, _) = corpus::read(std::slice::from_ref(&from), &ReadOptions::default()).unwrap();
    let names: Vec<String> = LAYERS.iter().map(|kind| kind.name.to_owned()).collect();
    let complete = |index: &Index| {
        let other = tempfile::tempdir().unwrap();
        anything::extractions(index, other.path());
        index.look_beside(&[from.clone(), other.path().to_owned()]);
        let settings = Settings::of(index, Method::by_name("hop").unwrap());
        let kinds = layers_named(&names, LAYERS).unwrap();
        build_layers(index, &kinds, settings.all(), &Silent).map(|_| ())
    };
    let options = BuildOptions {
        near: Some(NearOptions {
            from: 0,
            graph: HnswOptions::default(),
            ef_search: 64,
        }),
        ..BuildOptions::default()
    };
    Index::create_with(corpus, &options, folder, &Silent, &complete).unwrap();
    Manifest::read(folder).unwrap()
}

/// A column of other numbers, or of more or fewer, and what was done to it.
fn contradicted(random: &mut SplitMix, whole: &[u8]) -> (Vec<u8>, String) {
    let mut bytes = whole.to_vec();
    let width = [1, 2, 4, 4, 4, 8][random.below(6)];
    let count = bytes.len() / width;
    let at = width * random.below(count.max(1));
    let other = width * random.below(count.max(1));
    let odd = [
        vec![0; width],
        vec![0xff; width],
        vec![0x7f; width],
        f32::NAN.to_le_bytes().repeat(2)[..width].to_vec(),
        u64::from(random.draw() as u8).to_le_bytes()[..width].to_vec(),
    ];
    let which = random.below(8);
    match which {
        0 | 1 if at < bytes.len() => {
            let odd = &odd[random.below(odd.len())];
            bytes.splice(at..at + width, odd.iter().copied());
        }
        2 if at < bytes.len() => bytes[at] = bytes[at].wrapping_add(1),
        3 => (0..width).for_each(|i| {
            if at.max(other) + i < whole.len() {
                bytes.swap(at + i, other + i);
            }
        }),
        4 => {
            let values: Vec<&[u8]> = whole.chunks(width).rev().collect();
            bytes = values.concat();
        }
        5 => bytes.truncate(at),
        6 => bytes.extend_from_slice(&odd[random.below(odd.len())]),
        _ => bytes = odd[random.below(odd.len())].repeat(count),
    }
    (bytes, format!("{which} of width {width} at {at}"))
}

/// The numbers of a value, wherever they lie.
fn numbers(value: &mut Value) -> Vec<&mut Value> {
    match value {
        Value::Number(_) => vec![value],
        Value::Array(values) => values.iter_mut().flat_map(numbers).collect(),
        Value::Object(fields) => fields.values_mut().flat_map(numbers).collect(),
        _ => Vec::new(),
    }
}

/// JSON with another number somewhere.
fn miscounted(random: &mut SplitMix, mut json: Value) -> (Value, String) {
    let mut all = numbers(&mut json);
    if all.is_empty() {
        return (json, "nothing".into());
    }
    let at = random.below(all.len());
    let before = all[at].clone();
    let next = before.as_u64().unwrap_or_default();
    *all[at] = match random.below(6) {
        0 => 0.into(),
        1 => next.wrapping_add(1).into(),
        2 => next.saturating_sub(1).into(),
        3 => u32::MAX.into(),
        4 => u64::MAX.into(),
        _ => (-1).into(),
    };
    let done = format!("number {at}: {} for {before}", all[at]);
    (json, done)
}

/// Writes a manifest with the checksum of what it says.
fn seal(folder: &Path, manifest: &Manifest) {
    let mut manifest = manifest.clone();
    manifest.checksum.clear();
    let sum = xxh3_64(&serde_json::to_vec(&manifest).unwrap());
    manifest.checksum = format!("{sum:016x}");
    fs::write(
        folder.join(MANIFEST),
        serde_json::to_vec(&manifest).unwrap(),
    )
    .unwrap();
}

/// Changes a column under its right checksum. Gives what it was, and what was done.
fn changed(random: &mut SplitMix, folder: &Path, entry: &mut FileEntry) -> (Vec<u8>, String) {
    let path = folder.join(&entry.path);
    let own = fs::read(&path).unwrap();
    let (bytes, done) = match serde_json::from_slice::<Value>(&own) {
        Ok(json) if json.is_object() || json.is_array() => {
            let (json, done) = miscounted(random, json);
            (serde_json::to_vec(&json).unwrap(), done)
        }
        _ => contradicted(random, &own),
    };
    entry.bytes = bytes.len() as u64;
    entry.xxh3 = format!("{:016x}", xxh3_64(&bytes));
    fs::write(&path, &bytes).unwrap();
    (own, format!("{}, {done}", entry.path))
}

/// The layer that a file is of.
fn layer_of(path: &str) -> Option<&str> {
    let (folder, _) = path.split_once('/')?;
    folder.rsplit_once('-').map(|(name, _)| name)
}

/// Opens an index and reads all that a layer is read for, or all that the index is read for without layers.
fn read_through(folder: &Path, layer: Option<&str>) -> Result<(), String> {
    let index = Arc::new(Index::open(folder).map_err(|error| error.to_string())?);
    let graphs = GRAPHS.iter().filter(|graph| graph.layer == layer);
    let composed = graphs.filter_map(|graph| {
        let written = format!("names+bm25-2step > {} > power > passages", graph.name);
        Method::by_name(&written).ok()
    });
    let own = METHODS.iter().map(MethodRef::from);
    let own = own.filter(|method| method.layer() == layer).chain(composed);
    // All are read, also after one that says what is wrong.
    let read: Vec<Result<(), String>> = own
        .map(|method| anything::read_all(&index, method))
        .collect();
    read.into_iter().collect()
}

/// Right checksums over columns that contradict each other: what a stranger may send. The lexical engine's own files are
/// left as they are.
#[test]
fn sealed_indexes() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("index");
    let whole = whole_index(&folder);
    seal(&folder, &whole);
    for layer in std::iter::once(None).chain(LAYERS.iter().map(|kind| Some(kind.name))) {
        assert_eq!(read_through(&folder, layer), Ok(()), "{layer:?} whole");
    }
    let columns: Vec<usize> = (0..whole.files.len())
        .filter(|&file| !whole.files[file].path.starts_with("lexical/"))
        .collect();
    let mut tally = Tally::of("sealed indexes whose columns contradict each other");
    let mut refused = 0;
    for number in 0..trials(60) as u64 {
        let mut random = SplitMix::stream(35, number);
        let mut manifest = whole.clone();
        // The manifest is one column more.
        let column = columns.get(random.below(columns.len() + 1));
        let mut before = None;
        let (layer, what) = match column {
            None => {
                let json = serde_json::to_value(&whole).unwrap();
                let (json, done) = miscounted(&mut random, json);
                let Ok(other) = serde_json::from_value(json) else {
                    continue;
                };
                manifest = other;
                (None, format!("{MANIFEST}, {done}"))
            }
            Some(&column) => {
                let entry = &mut manifest.files[column];
                let (own, what) = changed(&mut random, &folder, entry);
                before = Some((folder.join(&entry.path), own));
                (layer_of(&entry.path).map(str::to_owned), what)
            }
        };
        seal(&folder, &manifest);
        let read = catch_unwind(AssertUnwindSafe(|| read_through(&folder, layer.as_deref())));
        if let Some((path, before)) = before {
            fs::write(path, before).unwrap();
        }
        refused += usize::from(matches!(read, Ok(Err(_))));
        tally.count(
            read.map(|_| ())
                .map_err(|_| format!("trial {number}: {what}")),
        );
    }
    println!("refused: {refused}");
    assert!(refused > 0, "nothing was refused");
    tally.end();
}

/// Parts of a corpus come from other machines: what contradicts itself is refused, or joined as far as it makes sense.
#[test]
fn sealed_parts() {
    let home = tempfile::tempdir().unwrap();
    let mut corpus = sample::corpus().unwrap();
    corpus.passages.truncate(24);
    corpus.questions.clear();
    let parts = [1, 2].map(|number| {
        let folder = home.path().join(number.to_string());
        let options = BuildOptions {
            part: Some((number, 2)),
            ..BuildOptions::default()
        };
        Index::create(corpus.clone(), &options, &folder, &Silent).unwrap();
        folder
    });
    let out = home.path().join("out");
    let merge = || Index::merge_with(&parts, None, None, &out, &Silent, &|_| Ok(()));
    merge().unwrap();
    let whole = Manifest::read(&parts[0]).unwrap();
    let columns: Vec<usize> = (0..whole.files.len())
        .filter(|&file| !whole.files[file].path.starts_with("lexical/"))
        .collect();
    let mut tally = Tally::of("parts whose columns contradict each other");
    let mut refused = 0;
    for number in 0..trials(80) as u64 {
        let mut random = SplitMix::stream(36, number);
        let mut manifest = whole.clone();
        let entry = &mut manifest.files[columns[random.below(columns.len())]];
        let (before, what) = changed(&mut random, &parts[0], entry);
        let path = parts[0].join(&entry.path);
        seal(&parts[0], &manifest);
        let merged = catch_unwind(AssertUnwindSafe(|| merge().map(|_| ())));
        fs::write(path, before).unwrap();
        refused += usize::from(matches!(merged, Ok(Err(_))));
        tally.count(
            merged
                .map(|_| ())
                .map_err(|_| format!("trial {number}: {what}")),
        );
    }
    assert!(refused > 0, "nothing was refused");
    tally.end();
}

/// Files are named once, and none that lies elsewhere.
#[test]
fn sealed_manifests() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("index");
    let whole = whole_index(&folder);
    let refused = |edit: &dyn Fn(&mut Value)| {
        let mut json = serde_json::to_value(&whole).unwrap();
        edit(&mut json);
        seal(&folder, &serde_json::from_value(json).unwrap());
        let opened = Index::open(&folder);
        opened
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    for outside in ["/etc", "..", "../index", "hop-0/../hop-0", "./hop-0", ""] {
        let layer = refused(&|json| json["layers"][0]["folder"] = outside.into());
        assert!(layer.contains("outside the folder"), "{outside}: {layer}");
        let file = refused(&|json| json["files"][0]["path"] = outside.into());
        assert!(file.contains("outside the folder"), "{outside}: {file}");
    }
    let said = refused(&|json| {
        let first = json["files"][0].clone();
        json["files"].as_array_mut().unwrap().push(first);
    });
    assert!(said.contains("names the file twice"), "{said}");
    assert_eq!(refused(&|_| {}), "");
}
