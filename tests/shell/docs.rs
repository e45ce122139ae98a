//! What README.md and docs/ show runs: every command of their `sh` blocks, in the order it is shown, in a folder that has
//! the sample corpus and a folder of LightRAG; every link leads to a file, and every heading that is linked is there.

use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn pages() -> Vec<PathBuf> {
    let root = Path::new(ROOT);
    let docs = std::fs::read_dir(root.join("docs")).unwrap();
    let mut pages: Vec<PathBuf> = docs.map(|entry| entry.unwrap().path()).collect();
    pages.retain(|page| page.extension().is_some_and(|ending| ending == "md"));
    pages.push(root.join("README.md"));
    pages.sort();
    pages
}

/// The commands of a page as words, as a shell would part them.
fn commands(page: &str) -> Vec<Vec<String>> {
    let blocks = page.split("```sh\n").skip(1);
    let blocks = blocks.map(|rest| rest.split("```").next().unwrap());
    let lines = blocks.flat_map(str::lines);
    let lines = lines.filter(|line| line.starts_with("hopscope"));
    lines.map(words).collect()
}

fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (None, '#') if words.last().is_some_and(String::is_empty) => break,
            (None, ' ') => words.push(String::new()),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(unix)]
#[test]
fn the_commands_of_readme_and_docs_run() {
    let mut ran = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        let home = tempfile::tempdir().unwrap();
        let corpus = Path::new(ROOT).join("sample-corpus");
        std::os::unix::fs::symlink(corpus, home.path().join("sample-corpus")).unwrap();
        let theirs = Path::new(ROOT).join("tests/data/given/lightrag");
        std::os::unix::fs::symlink(theirs, home.path().join("my-lightrag")).unwrap();
        for (name, grade) in [("em", 2), ("jo", 1)] {
            let label = format!(
                r#"{{"question":"q01","text":"?","passage":"saturn","annotator":"{name}","grade":{grade}}}"#
            );
            std::fs::write(home.path().join(format!("{name}.jsonl")), label + "\n").unwrap();
        }
        for line in commands(&text) {
            let mut args: Vec<&str> = line[1..].iter().map(String::as_str).collect();
            // What would open the explorer draws it.
            let verb = args.first().copied().unwrap_or("-");
            let explores = verb.starts_with('-') || verb == "sample-corpus" || verb == "my-index";
            if explores && !args.contains(&"--screenshot") {
                args.extend(["--screenshot", "seen.txt"]);
            }
            let out = Command::new(env!("CARGO_BIN_EXE_hopscope"))
                .args(&args)
                .current_dir(home.path())
                .env("HOPSCOPE_HOME", home.path().join("home"))
                .output()
                .unwrap();
            let page = page.display();
            assert!(out.status.success(), "{page}: {line:?}: {out:?}");
            ran += 1;
        }
    }
    assert!(ran > 30, "{ran} commands");
}

/// The name that GitHub gives a heading.
fn anchor(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn links_lead_somewhere() {
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for rest in text.split("](").skip(1) {
            let link = rest.split(')').next().unwrap();
            if link.starts_with("https://") {
                continue;
            }
            let (path, section) = link.split_once('#').unwrap_or((link, ""));
            let target = match path {
                "" => page.clone(),
                path => page.parent().unwrap().join(path),
            };
            assert!(target.exists(), "{}: {link}", page.display());
            if !section.is_empty() {
                let text = std::fs::read_to_string(&target).unwrap();
                let heads = text.lines().filter(|line| line.starts_with('#'));
                assert!(heads.map(anchor).any(|it| it == section), "{link}");
            }
        }
    }
}

#[test]
fn the_readme_fits_on_a_few_screens() {
    let readme = include_str!("../../README.md");
    assert!(readme.lines().count() <= 140);
}
