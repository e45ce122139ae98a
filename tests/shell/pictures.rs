//! The pictures of README and docs are what the program draws now. A screen that is meant to change writes them again:
//!
//! ```sh
//! HOPSCOPE_FREEZE=1 cargo test --test shell pictures
//! ```
//!
//! Scores are drawn with their digits, so files are compared where they are written: on x86-64 Linux.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::path::Path;
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

const ISLAND: &str = "On which island stood the instruments behind the observations inherited by the man who \
                      predicted the transit seen by Pierre Gassendi?";

/// The tour: an answer, how score flows, a changed parameter, a missed gold passage and its repair.
const TOUR: &str = "Wait Wait 3 Wait , , , , . . . . 1 L L Wait 0 : '#kepler-1' Enter Wait w Wait F R Wait Wait Wait \
                    a Wait F Wait";

/// A file of `assets/pictures`, and what makes it.
const PICTURES: [(&str, &[&str]); 6] = [
    ("explore.svg", &[]),
    ("flow.svg", &["--method", "graph", "--keys", "3"]),
    (
        "compare.svg",
        &["--method", "graph-hybrid", "--keys", "P p t h 2"],
    ),
    (
        "flow-print.svg",
        &["--method", "graph", "--keys", "3", "--pane", "flow"],
    ),
    (
        "tour.svg",
        &[
            "--animate",
            "--size",
            "120x34",
            "--set",
            "ranker=off",
            "--question",
            ISLAND,
            "--keys",
            TOUR,
        ],
    ),
    (
        "restart.cast",
        &[
            "--lesson",
            "restart",
            "--size",
            "120x36",
            "--keys",
            "> > > > >",
        ],
    ),
];

#[test]
fn pictures_are_what_the_program_draws() {
    let folder = Path::new(ROOT).join("assets/pictures");
    let home = tempfile::tempdir().unwrap();
    let mut other = Vec::new();
    for (name, args) in PICTURES {
        let made = home.path().join(name);
        let out = Command::new(env!("CARGO_BIN_EXE_hopscope"))
            .arg("--screenshot")
            .arg(&made)
            .args(args)
            .env("HOPSCOPE_HOME", home.path())
            .output()
            .unwrap();
        assert!(out.status.success(), "{name}: {out:?}");
        let made = std::fs::read(made).unwrap();
        let kept = folder.join(name);
        if std::env::var_os("HOPSCOPE_FREEZE").is_some() {
            std::fs::write(kept, made).unwrap();
        } else if std::fs::read(kept).unwrap_or_default() != made {
            other.push(name);
        }
    }
    assert!(
        other.is_empty(),
        "drawn otherwise now: {}; HOPSCOPE_FREEZE=1 cargo test --test shell pictures writes them again",
        other.join(", ")
    );
}

/// What the tour is there to show happens in it, in a file that a page can load.
#[test]
fn the_tour_ends_with_the_repaired_passage() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("tour.cast");
    let keys = TOUR.replace("Wait ", "");
    let out = Command::new(env!("CARGO_BIN_EXE_hopscope"))
        .args(["--size", "120x34", "--set", "ranker=off"])
        .args(["--question", ISLAND, "--keys", &keys])
        .arg("--screenshot")
        .arg(&file)
        .env("HOPSCOPE_HOME", home.path())
        .output()
        .unwrap();
    assert!(out.status.success(), "{out:?}");
    let cast = std::fs::read_to_string(&file).unwrap();
    let screens: Vec<String> = cast
        .lines()
        .skip(1)
        .map(|line| {
            let event: serde_json::Value = serde_json::from_str(line).unwrap();
            let mut terminal = vt100::Parser::new(34, 120, 0);
            terminal.process(event[2].as_str().unwrap().as_bytes());
            terminal.screen().contents()
        })
        .collect();
    let before = |screen: &String| screen.contains("\"Johannes Kepler\" at rank 20");
    let lost = screens.iter().position(before).unwrap();
    let tried = |screen: &String| screen.contains("join Kepler | Johannes Kepler");
    assert!(screens[lost..].iter().any(tried));
    let last = screens.last().unwrap();
    assert!(last.contains("\"Johannes Kepler\" at rank 3"), "{last}");
    let size = std::fs::metadata(Path::new(ROOT).join("assets/pictures/tour.svg"));
    assert!(size.unwrap().len() < 400_000);
}
