//! What others wrote and this program is made of: few enough packages, each under a licence that allows it. The list, by
//! licence: `cargo test --test shell packages -- --nocapture`.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Licences that ask for no more than their notice, or for changes of their own files (MPL).
const ALLOWED: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Unlicense",
    "WTFPL",
    "Zlib",
    "zlib-acknowledgement",
];

/// Whether one of the licences to choose from allows it: all that are joined by AND must.
fn allowed(licence: &str) -> bool {
    let either = licence.replace(" / ", " OR ").replace('/', " OR ");
    let every = |part: &str| {
        let mut choices = part
            .split(" OR ")
            .map(|one| one.trim_matches(['(', ')', ' ']));
        choices.any(|one| ALLOWED.contains(&one))
    };
    either.split(" AND ").all(every)
}

#[test]
fn every_package_may_be_used() {
    let cargo = std::env::var("CARGO").unwrap();
    let rustc = Command::new("rustc").arg("-vV").output().unwrap();
    let about = String::from_utf8(rustc.stdout).unwrap();
    let host = about
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap();
    let told = Command::new(cargo)
        .args([
            "metadata",
            "--offline",
            "--locked",
            "--format-version",
            "1",
            "--filter-platform",
            host,
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        told.status.success(),
        "{}",
        String::from_utf8_lossy(&told.stderr)
    );
    let told: Value = serde_json::from_slice(&told.stdout).unwrap();
    let of = |list: &Value, field: &str| -> Vec<String> {
        let items = list.as_array().unwrap().iter();
        items
            .map(|item| item[field].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    let used: BTreeSet<String> = of(&told["resolve"]["nodes"], "id").into_iter().collect();
    let (ids, names) = (of(&told["packages"], "id"), of(&told["packages"], "name"));
    let mut by_licence: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for ((id, name), licence) in ids.iter().zip(names).zip(of(&told["packages"], "license")) {
        if used.contains(id) {
            by_licence.entry(licence).or_default().push(name);
        }
    }
    for (licence, names) in &by_licence {
        println!("{licence}: {}", names.join(", "));
        assert!(allowed(licence), "{licence}: {names:?}");
    }
    // With those of the tests and of the package for Python.
    let count: usize = by_licence.values().map(Vec::len).sum();
    assert!((100..380).contains(&count), "{count} packages");
}

#[test]
fn the_default_program_is_made_of_few_packages() {
    let tree = Command::new(std::env::var("CARGO").unwrap())
        .args([
            "tree",
            "--offline",
            "--locked",
            "--edges",
            "normal,build",
            "--prefix",
            "none",
            "--format",
            "{p}",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(tree.status.success());
    let tree = String::from_utf8(tree.stdout).unwrap();
    let packages: BTreeSet<&str> = tree
        .lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .collect();
    let count = packages.len();
    // Twenty over what it is: a new one is worth a look at what it does for the time of a build.
    assert!((100..280).contains(&count), "{count} packages");
}
