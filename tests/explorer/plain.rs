//! The explorer in lines: the real binary, fed through a pipe as a screen reader's user would type.

use serde_json::Value;
use std::io::Write;
use std::process::{Command, Stdio};

/// What is said to some lines.
fn told(arguments: &[&str], lines: &[&str]) -> String {
    let home = tempfile::tempdir().unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_hopscope"))
        .arg("--plain")
        .args(arguments)
        .env("HOPSCOPE_HOME", home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut typed = program.stdin.take().unwrap();
    typed.write_all(lines.join("\n").as_bytes()).unwrap();
    typed.write_all(b"\n").unwrap();
    drop(typed);
    let out = program.wait_with_output().unwrap();
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(out.status.success(), "{said}");
    assert!(said.is_empty(), "{said}");
    String::from_utf8(out.stdout).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let program = Command::new(env!("CARGO_BIN_EXE_hopscope"))
        .args(arguments)
        .output()
        .unwrap();
    serde_json::from_slice(&program.stdout).unwrap()
}

/// The numbered lines after the last heading that begins so.
fn rows<'a>(said: &'a str, heading: &str) -> Vec<&'a str> {
    let lines: Vec<&str> = said.lines().collect();
    let at = lines.iter().rposition(|line| line.starts_with(heading));
    let at = at.unwrap_or_else(|| panic!("{heading}: {said}"));
    let numbered = |line: &&&str| line.starts_with(|c: char| c.is_ascii_digit());
    let rows = lines[at + 1..].iter();
    rows.filter(numbered).copied().collect()
}

#[test]
fn a_question_is_answered_in_sentences_with_the_numbers_of_the_shell() {
    let said = told(&["--method", "graph"], &["q08", ":quit"]);
    let asked = json(&[
        "ask",
        "",
        "Which number on the Beaufort scale is called a violent storm?",
        "-m",
        "graph",
        "--json",
    ]);
    let passages = asked["passages"].as_array().unwrap();
    let rows = rows(&said, "Passages, ");
    for (rank, (row, passage)) in (1..).zip(rows.iter().zip(passages)) {
        let id = passage["id"].as_str().unwrap();
        assert!(row.starts_with(&format!("{rank}. rank {rank}, ")), "{row}");
        assert!(row.contains(&format!(", {id}, score ")), "{row}");
    }
    assert!(said.contains("cutoff, top 10.\n"), "{said}");
    assert!(said.contains("Measures: R@2 "), "{said}");
    // Nothing that is drawn: no escape sequence, no border, no block.
    let drawn = |c: char| c == '\u{1b}' || ('\u{2500}'..='\u{28ff}').contains(&c);
    assert!(!said.contains(drawn), "{said}");
}

#[test]
fn rows_are_opened_lists_narrowed_and_settings_chosen_by_number_and_word() {
    let said = told(&["--method", "graph"], &["2", ":passages", ":quit"]);
    let second = rows(&said, "Passages, ")[1];
    let id = second.split(", ").nth(2).unwrap();
    let text = json(&[
        "ask",
        "",
        "--json",
        "-m",
        "graph",
        "Which conqueror was the grandfather of the astronomer whose tables were studied by the builder of the giant sundials of Jaipur and Delhi?",
    ]);
    assert_eq!(text["passages"][1]["id"], id);
    assert!(said.contains("\nReader:\n"), "its text is told: {said}");

    let said = told(&["--method", "graph"], &["/observatory", ":quit"]);
    let narrowed = rows(&said, "Passages, those with observatory, ");
    assert!(!narrowed.is_empty() && narrowed.len() < 20, "{said}");
    assert!(
        narrowed
            .iter()
            .all(|row| row.contains(". rank ") || row.contains(". gold")),
        "{said}"
    );

    let said = told(&["--method", "graph"], &[":alpha .3", "1", ":quit"]);
    assert!(said.contains("\nMethod: graph, alpha=0.3.\n"), "{said}");
    assert!(said.contains("Status: restart alpha 0.15 > 0.3;"), "{said}");

    let said = told(
        &["--method", "graph"],
        &[":method", "bm25-rm3", "1", ":quit"],
    );
    assert!(said.contains("\n1. bm25-rm3, "), "{said}");
    assert!(said.contains("\nMethod: bm25-rm3.\n"), "{said}");

    // Keys as on the screen, and a choice that is left.
    let said = told(
        &["--method", "graph"],
        &["!] ]", ":me", "", ":why", ":quit"],
    );
    assert!(said.contains("Choices for \"me\""), "{said}");
    assert!(said.contains("\nWhy: "), "{said}");
    assert_eq!(said.matches("\nQuestion: ").count(), 2, "{said}");
}

#[test]
fn a_line_in_any_script_is_a_question() {
    for question in [
        "\u{00c9}mile Zola?",
        "\u{8ab0}\u{304b}",
        "\u{0645}\u{0646}",
        "\u{1f52d} 0",
    ] {
        let said = told(&["--method", "bm25"], &[question, "0", ":quit"]);
        assert!(
            said.contains(&format!("\nQuestion: {question}\n")),
            "{said}"
        );
    }
}

#[test]
fn the_set_is_told_when_it_was_asked_and_the_end_of_the_lines_is_an_end() {
    let said = told(&["--method", "bm25"], &[":evaluate"]);
    assert!(
        said.contains("Questions: evaluating the set.") || said.contains("Questions, "),
        "{said}"
    );
    // Without a last command, and without a question.
    assert!(told(&["--method", "bm25"], &[""]).contains("Passages, "));
}

#[test]
fn empty_lines_in_a_row_tell_a_list_once() {
    let lists = |lines: &[&str]| {
        told(&["--method", "bm25"], lines)
            .matches("Passages, ")
            .count()
    };
    assert_eq!(lists(&[""; 5_000]), lists(&[""]));
    assert_eq!(lists(&["", "/rings", ""]), 1 + lists(&["", "/rings"]));
}
