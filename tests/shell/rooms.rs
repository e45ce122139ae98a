//! The rooms of the house use each other in one direction: `ARCHITECTURE.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What every room of `src` names of others, tests aside.
fn uses(folder: &Path, room: Option<&str>, all: &mut BTreeMap<String, BTreeSet<String>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let own = room.unwrap_or(&name);
        if path.is_dir() {
            uses(&path, Some(own), all);
        } else if path.extension().is_some_and(|e| e == "rs") && !name.contains("test") {
            let text = std::fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]").next().unwrap();
            let named = text.split("crate::").skip(1).map(|after| {
                let end = after.find(|c: char| !c.is_alphanumeric() && c != '_');
                after[..end.unwrap_or(after.len())].to_owned()
            });
            all.entry(own.to_owned()).or_default().extend(named);
        }
    }
}

#[test]
fn no_two_rooms_need_each_other() {
    let mut all = BTreeMap::new();
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    uses(&src, None, &mut all);
    // What holds the house together, and what only tests use.
    let aside = ["lib", "main", "fixture"];
    all.retain(|room, _| !aside.contains(&room.as_str()));
    assert!(
        all.len() > 14 && all["explorer"].contains("retrieve"),
        "{all:?}"
    );
    let reached = |from: &String| {
        let mut reached: BTreeSet<&String> = BTreeSet::new();
        let mut open = vec![from];
        while let Some(room) = open.pop() {
            let named = all[room].iter().filter(|named| *named != room);
            for next in named.filter_map(|named| all.get_key_value(named)) {
                if reached.insert(next.0) {
                    open.push(next.0);
                }
            }
        }
        reached
    };
    let circles: Vec<&String> = all
        .keys()
        .filter(|room| reached(room).contains(room))
        .collect();
    assert!(circles.is_empty(), "in circles: {circles:?}");
}
