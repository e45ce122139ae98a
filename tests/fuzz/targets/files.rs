//! One file of any kind that is read, with other bytes in it: the first two say which.
#![no_main]

#[path = "../../common/hostile.rs"]
mod hostile;
mod seeds;

use hostile::Kind;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use tempfile::TempDir;

static KINDS: LazyLock<Vec<(Kind, TempDir)>> = LazyLock::new(|| {
    let written = hostile::all().into_iter().map(|kind| {
        let home = tempfile::tempdir().unwrap();
        kind.write(home.path());
        (kind, home)
    });
    written.collect()
});

fn seeds() {
    let kinds = KINDS.iter().zip(0u8..);
    let files = kinds.flat_map(|((kind, _), number)| {
        let files = kind.files.iter().zip(0u8..);
        files.map(move |((_, bytes), file)| {
            let whole = [&[number, file], &bytes[..]].concat();
            (format!("{}-{file}", kind.name), whole)
        })
    });
    seeds::put("files", files);
}

fuzz_target!(init: seeds(), |bytes: &[u8]| {
    if let [kind, file, bytes @ ..] = bytes {
        let (kind, home) = &KINDS[usize::from(*kind) % KINDS.len()];
        let file = usize::from(*file) % kind.files.len();
        let _ = kind.read_with(home.path(), file, bytes);
    }
});
