//! The command table and the bindings, as lists: a change of either is seen in review.

mod explorer_support;

use explorer_support::stage;
use hopscope::explorer::available::available;
use hopscope::explorer::command::Command;
use hopscope::explorer::keys::{Chord, Keymap};
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
