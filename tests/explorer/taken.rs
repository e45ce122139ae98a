//! What every pane gives away: copied text, JSON, rows, the shell command and sentences, for methods that walk, tell of
//! stages, add up signals and only rank; whole and narrowed. A pane that is written anew must give the same, byte for byte.

use crate::support::sample;
use hopscope::explorer::action::Action;
use hopscope::explorer::command::Command;
use hopscope::explorer::glyphs::GlyphSet;
use hopscope::explorer::layout::{Pane, View};
use hopscope::explorer::plain::Teller;
use hopscope::explorer::stage::Stage;
use hopscope::explorer::theme::{ColorLevel, Theme};
use hopscope::retrieve::{Method, Settings};
use std::fmt::Write as _;

/// A method on a question that loses gold where one does, the set scored, two runs to compare.
fn stage(method: &str) -> Stage {
    let index = sample();
    let theme = Theme::load("mono", ColorLevel::None).unwrap();
    let settings = Settings::of(&index, Method::by_name(method).unwrap());
    let glyphs = GlyphSet::Unicode.glyphs();
    let mut stage = Stage::new(index, "", settings, theme, glyphs);
    stage.scores = true;
    stage.draw(160, 48);
    stage.act(Action::AskNumber(6));
    stage.act(Action::Do(Command::Pin));
    stage.act(Action::Set("result_k".to_owned(), "4".to_owned()));
    stage.draw(160, 48);
    stage
}

/// What a command takes out, and under which name.
fn taken(stage: &mut Stage, command: Command) -> String {
    stage.copied.clear();
    stage.act(Action::Do(command));
    let copied = stage.copied.iter();
    let named = copied.map(|(text, what)| format!("[{what}] {}\n", text.trim_end()));
    named.collect()
}

/// Times that steps took are of this run alone.
fn timeless(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(fields) => {
            fields.shift_remove("seconds");
            fields.values_mut().for_each(timeless);
        }
        serde_json::Value::Array(values) => values.iter_mut().for_each(timeless),
        _ => {}
    }
}

/// The settings are the same everywhere, and long.
fn json(stage: &mut Stage) -> String {
    stage.copied.clear();
    stage.act(Action::Do(Command::CopyJson));
    let one = |(text, what): &(String, String)| {
        let mut value: serde_json::Value = serde_json::from_str(text).unwrap();
        let fields = value.as_object_mut().unwrap();
        if fields.len() > 3 {
            fields.shift_remove("settings");
        }
        timeless(&mut value);
        format!("[{what}] {value}\n")
    };
    stage.copied.iter().map(one).collect()
}

/// What is long is held by its beginning, its length and its hash.
fn held(text: &str) -> String {
    let Some((at, _)) = text.char_indices().nth(1_000) else {
        return text.to_owned();
    };
    let hash = xxhash_rust::xxh3::xxh3_64(text.as_bytes());
    format!("{}\n... {} bytes, {hash:016x}\n", &text[..at], text.len())
}

fn all(mut stage: Stage, narrow: Option<&str>) -> String {
    let mut out = String::new();
    for view in View::ALL {
        for &pane in view.panes() {
            stage.press("Esc Esc Esc");
            stage.act(Action::Focus(pane));
            if stage.state.view != view && View::of(pane) != view {
                continue;
            }
            if pane == Pane::Question {
                stage.press("Esc");
                stage.state.focus = pane;
            }
            if let Some(words) = narrow {
                stage.act(Action::Do(Command::Filter));
                stage.type_text(words);
                stage.press("Enter");
            }
            stage.draw(160, 48);
            let _ = writeln!(out, "=== {} {pane:?}", view.name());
            out += "--- copied\n";
            out += &held(&taken(&mut stage, Command::Copy));
            out += "--- json\n";
            out += &held(&json(&mut stage));
            out += "--- rows\n";
            out += &held(&taken(&mut stage, Command::ExportRows));
            out += "--- command\n";
            out += &taken(&mut stage, Command::CopyShell);
            out += "--- spoken\n";
            out += &held(&Teller::default().told(&stage.state));
        }
    }
    out
}

#[test]
fn a_walk() {
    insta::assert_snapshot!(all(stage("graph-hybrid"), None));
}

#[test]
fn a_walk_narrowed() {
    insta::assert_snapshot!(all(stage("graph-hybrid"), Some("ra")));
}

#[test]
fn signals() {
    insta::assert_snapshot!(all(stage("hop"), None));
}

#[test]
fn stages() {
    insta::assert_snapshot!(all(stage("e2graphrag"), None));
}

#[test]
fn stages_narrowed() {
    insta::assert_snapshot!(all(stage("sage"), Some("a")));
}

#[test]
fn a_list() {
    insta::assert_snapshot!(all(stage("bm25"), None));
}

#[test]
fn paths_as_a_tree_at_an_earlier_step() {
    let mut stage = stage("graph-hybrid");
    stage.act(Action::Do(Command::StepBack));
    stage.act(Action::Focus(Pane::Paths));
    stage.act(Action::Do(Command::DrawNext));
    insta::assert_snapshot!(all(stage, None));
}
