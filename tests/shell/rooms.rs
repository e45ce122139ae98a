//! The rooms of the house use each other in one direction, and so do the rooms of the explorer: `ARCHITECTURE.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What each room names of the others, tests aside.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// What the files of a folder name. `path` is that of its modules below the rooms; `inside` is the folder of the rooms as
/// code names it, `crate::` for those of the house.
fn uses(folder: &Path, path: &[String], inside: &str, all: &mut Uses) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let mut own = path.to_vec();
        if name != "mod" {
            own.push(name.clone());
        }
        if file.is_dir() {
            uses(&file, &own, inside, all);
        } else if file.extension().is_some_and(|e| e == "rs") && !name.contains("test") {
            let text = std::fs::read_to_string(&file).unwrap();
            let text = text.split("#[cfg(test)]").next().unwrap();
            let code = text.lines().filter(|l| !l.trim_start().starts_with("//"));
            let code: String = code.flat_map(|line| [line, "\n"]).collect();
            let Some(room) = own.first() else { continue };
            let above = "super::".repeat(own.len());
            let mut named = named(&code, inside);
            named.extend(self::named(&code, &above));
            all.entry(room.clone()).or_default().extend(named);
        }
    }
}

/// The names that follow a path, alone or in braces.
fn named(code: &str, path: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices(path) {
        // A longer path with the same end leads elsewhere.
        if code[..at].ends_with("::") {
            continue;
        }
        let mut depth = 0;
        let mut name = String::new();
        for c in code[at + path.len()..].chars() {
            let level = depth;
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                c if c.is_alphanumeric() || c == '_' => {
                    name.push(c);
                    continue;
                }
                // What belongs to a name is passed over.
                ':' if depth == 1 => {
                    names.insert(std::mem::replace(&mut name, "-".to_owned()));
                    continue;
                }
                _ => {}
            }
            let name = std::mem::take(&mut name);
            if level <= 1 {
                names.insert(name);
            }
            if depth <= 0 {
                break;
            }
        }
    }
    let room = |name: &String| name.starts_with(|c: char| c.is_ascii_lowercase());
    names.retain(|name| room(name) && name != "super");
    names
}

/// Rooms that need each other, by whatever way.
fn circles(all: &Uses) -> Vec<&String> {
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
    all.keys()
        .filter(|room| reached(room).contains(room))
        .collect()
}

#[test]
fn no_two_rooms_need_each_other() {
    let mut all = BTreeMap::new();
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    uses(&src, &[], "crate::", &mut all);
    // What holds the house together, and what only tests use.
    let aside = ["lib", "main", "fixture"];
    all.retain(|room, _| !aside.contains(&room.as_str()));
    assert!(
        all.len() > 14 && all["explorer"].contains("retrieve"),
        "{all:?}"
    );
    assert_eq!(circles(&all), [] as [&String; 0], "in circles");
}

/// What the explorer knows, what can happen to it, and the jobs whose requests and news both hold: one room of several files.
const MODEL: [&str; 6] = ["action", "jobs", "labelling", "lack", "lesson", "state"];

#[test]
fn imports_inside_the_explorer_go_down_only() {
    let mut all = BTreeMap::new();
    let explorer = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/explorer");
    uses(&explorer, &[], "crate::explorer::", &mut all);
    assert!(
        all.len() > 30 && all["panes"].contains("state") && all["view"].contains("panes"),
        "{all:?}"
    );
    let mut model = BTreeSet::new();
    for room in MODEL {
        model.extend(all.remove(room).unwrap());
    }
    for named in all.values_mut().chain([&mut model]) {
        if MODEL.iter().any(|room| named.remove(*room)) {
            named.insert("model".to_owned());
        }
    }
    all.insert("model".to_owned(), model);
    assert_eq!(circles(&all), [] as [&String; 0], "in circles");
}

/// Threads that work together wait in a circle where one makes what another waits for: `derived::once` makes it first. What
/// one thread alone makes for the whole process may be waited for.
#[test]
fn nothing_is_made_while_its_place_is_taken() {
    fn look(folder: &Path, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let file = entry.unwrap().path();
            if file.is_dir() {
                look(&file, found);
            } else if std::fs::read_to_string(&file).is_ok_and(|t| t.contains("get_or_init(")) {
                let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
                found.insert(file.strip_prefix(src).unwrap().display().to_string());
            }
        }
    }
    let mut found = BTreeSet::new();
    look(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut found,
    );
    let whole_process = ["embed/table.rs", "http.rs"];
    found.retain(|file| !whole_process.contains(&file.as_str()));
    assert_eq!(found, BTreeSet::from(["derived.rs".to_owned()]));
}

#[test]
fn names_are_read_from_paths() {
    let code = "use super::{a, b::c, d::{e, f}, G};\nsuper::h::i(); super::super::j; crate::k::l";
    let names = |path| named(code, path).into_iter().collect::<Vec<_>>().join(" ");
    assert_eq!(names("super::"), "a b d h");
    assert_eq!(names("super::super::"), "j");
    assert_eq!(names("crate::"), "k");
}
