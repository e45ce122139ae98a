//! The command table and the bindings, as lists: a change of either is seen in review.

use crate::support::stage;
use hopscope::explorer::available::available;
use hopscope::explorer::command::Command;
use hopscope::explorer::keys::{Chord, Keymap, Overrides};
use hopscope::explorer::store::Config;
use hopscope::explorer::theme::{ColorLevel, Theme};
use insta::assert_snapshot;
use std::fmt::Write;

#[test]
fn the_command_table() {
    let mut table = String::new();
    for command in Command::all() {
        let keys = command.keys().join("  ");
        writeln!(
            table,
            "{:<26} {:<14} {:<20} {}",
            command.id(),
            keys,
            command.group().title(),
            command.title()
        )
        .unwrap();
    }
    assert_snapshot!(table);
}

#[test]
fn every_key_can_be_typed_everywhere_and_is_bound_once() {
    let mut keymap: Keymap<Command> = Keymap::new();
    for command in Command::all() {
        for key in command.keys() {
            let chord: Chord = key.parse().unwrap();
            // These two mean here what they mean in every program.
            if !["Ctrl-C", "Ctrl-Z"].contains(&key) {
                assert_eq!(chord.trouble(), None, "{key}");
            }
            keymap
                .bind(chord, command)
                .unwrap_or_else(|clash| panic!("{clash:?}"));
        }
    }
    assert_eq!(
        keymap.bindings().count(),
        stage().state.keymap.bindings().count()
    );
}

#[test]
fn every_command_has_a_name_a_sentence_and_comes_back_from_its_id() {
    for command in Command::all() {
        assert_eq!(Command::from_id(&command.id()), Some(command));
        assert!(
            !command.title().is_empty()
                && !command.short().is_empty()
                && !command.help().is_empty(),
            "{command:?}"
        );
    }
}

#[test]
fn every_command_can_be_run_or_says_why_not() {
    for command in Command::all() {
        let mut stage = stage();
        let reason = available(command, &stage.state).err();
        stage.act(hopscope::explorer::action::Action::Do(command));
        if let Some(reason) = reason {
            assert!(stage.state.message.text.contains(&reason), "{command:?}");
        }
        stage.draw(120, 36);
    }
}

#[test]
fn every_command_is_found_in_the_palette_by_its_title() {
    let stage = stage();
    for command in Command::all() {
        let found = hopscope::explorer::palette::entries(
            &stage.state,
            hopscope::explorer::state::FinderKind::Palette,
            &command.title(),
        );
        assert_eq!(
            found.first().map(|entry| entry.title.clone()),
            Some(command.title())
        );
    }
}

/// What the docs show of settings is what the program reads.
#[test]
fn the_files_in_the_docs_are_read_without_a_complaint() {
    let docs = include_str!("../../docs/settings.md");
    let blocks: Vec<&str> = docs
        .split("```toml\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap())
        .collect();
    let [config, keymap, theme] = blocks[..] else {
        panic!("{} blocks", blocks.len());
    };
    let (read, problems) = Config::parse("config.toml", config);
    assert!(problems.is_empty(), "{problems:?}");
    for key in Config::KEYS {
        assert!(config.contains(key), "{key} is not told of");
    }
    // What stands there is what holds without the file.
    let without = Config {
        method: Some("hop".into()),
        parameters: read.parameters.clone(),
        ..Config::default()
    };
    assert_eq!(read, without);
    assert_eq!(hopscope::retrieve::DEFAULT_METHOD, "hop");
    let ids: Vec<String> = Command::all().map(Command::id).collect();
    let known: Vec<&str> = ids.iter().map(String::as_str).collect();
    let (overrides, problems) = Overrides::parse("keymap.toml", keymap, &known);
    assert!(problems.is_empty(), "{problems:?}");
    let conflicts = hopscope::explorer::state::default_keymap().apply(&overrides, Command::from_id);
    assert!(conflicts.is_empty(), "{conflicts:?}");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mine.toml"), theme).unwrap();
    Theme::load_from(Some(folder.path()), "mine", ColorLevel::True).unwrap();
}
