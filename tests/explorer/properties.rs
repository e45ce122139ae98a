//! What holds for any size and any keys.

use crate::support::{stage, stage_with};
use hopscope::explorer::action::Action;
use hopscope::explorer::glyphs::GlyphSet;
use hopscope::explorer::layout::Pane;
use hopscope::retrieve::{METHODS, Parameter};
use proptest::prelude::*;

/// Keys a person could press in any order.
const KEYS: [&str; 76] = [
    "6",
    "A",
    "+",
    "o",
    "h",
    "l",
    "H",
    "L",
    "0",
    "z",
    "Z",
    "j",
    "k",
    "g",
    "G",
    "Up",
    "Down",
    "PgUp",
    "PgDn",
    "Left",
    "Right",
    "Enter",
    "Esc",
    "Tab",
    "Shift-Tab",
    "F",
    "w",
    "m",
    "i",
    "/",
    "v",
    "O",
    "r",
    "]",
    "[",
    "Ctrl-R",
    "Ctrl-P",
    ":",
    "?",
    "F1",
    "Space",
    ",",
    ".",
    "{",
    "}",
    "y",
    "Y",
    "C",
    "p",
    "s",
    "'",
    "a",
    "t",
    "d",
    "n",
    "r",
    "b",
    "1",
    "2",
    "3",
    "4",
    "5",
    "P",
    "X",
    "D",
    "7",
    "9",
    "-",
    "@",
    "#",
    "u",
    "e",
    "Backspace",
    "Ctrl-U",
    "x",
    "q",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_size_draws(width in 0u16..260, height in 0u16..90, method in 0usize..METHODS.len(), question in 0usize..92) {
        let mut stage = stage_with(width, height, &METHODS[method].name, GlyphSet::Unicode, question);
        for pane in Pane::all().filter(|pane| *pane != Pane::Reader) {
            stage.act(Action::Focus(pane));
            stage.draw(width, height);
        }
    }

    #[test]
    fn any_keys_at_any_size_leave_a_screen(
        sizes in prop::collection::vec((0u16..200, 0u16..60), 1..4),
        keys in prop::collection::vec(prop::sample::select(&KEYS[..]), 1..60),
    ) {
        let mut stage = stage();
        for (i, key) in keys.iter().enumerate() {
            stage.press(key);
            let (width, height) = sizes[i % sizes.len()];
            stage.draw(width, height);
        }
    }

    #[test]
    fn undo_restores_equal_settings_and_redo_comes_back(
        steps in prop::collection::vec((0usize..Parameter::ALL.len(), prop::sample::select(&["h", "l", "H", "L", "0"][..])), 1..12),
    ) {
        let mut stage = stage();
        let before = stage.state.settings.clone();
        let uses = before.method().uses();
        for (at, key) in steps {
            stage.state.parameter = uses[at % uses.len()];
            stage.press(key);
        }
        let after = stage.state.settings.clone();
        let changes = stage.state.undo.len();
        (0..changes).for_each(|_| stage.press("z"));
        prop_assert_eq!(&stage.state.settings, &before);
        (0..changes).for_each(|_| stage.press("Z"));
        prop_assert_eq!(&stage.state.settings, &after);
    }

    #[test]
    fn a_slider_to_and_fro_gives_the_same_scores(at in 0usize..Parameter::ALL.len(), count in 1usize..4) {
        let mut stage = stage();
        let uses = stage.state.settings.method().uses();
        stage.state.parameter = uses[at % uses.len()];
        let scores = |stage: &hopscope::explorer::stage::Stage| -> Vec<(u32, f64)> {
            stage.state.scene().map(|s| s.passages.iter().map(|row| (row.passage, row.score)).collect()).unwrap_or_default()
        };
        // Away from the ends, where a step has nowhere to go.
        let start = stage.state.parameter.declaration().domain.at_fraction(0.5);
        let text = stage.state.parameter.declaration().domain.format(start);
        stage.act(Action::Set(stage.state.parameter.id().into(), text));
        let before = scores(&stage);
        let held = stage.state.settings.value(stage.state.parameter);
        (0..count).for_each(|_| stage.press("l"));
        (0..count).for_each(|_| stage.press("h"));
        if stage.state.settings.value(stage.state.parameter) == held {
            prop_assert_eq!(scores(&stage), before);
        }
    }
}
