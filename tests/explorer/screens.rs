//! Real screens at every size, in characters that need no colour: what these show is what a person sees.

use crate::support::{stage_in, stage_with};
use hopscope::explorer::glyphs::GlyphSet;
use hopscope::explorer::layout::View;
use hopscope::explorer::picture::plain;
use hopscope::explorer::stage::Stage;
use hopscope::explorer::start::terminal;
use hopscope::explorer::state::Mode;
use hopscope::explorer::store::Config;
use hopscope::explorer::theme::{ColorLevel, Theme};
use insta::assert_snapshot;
use ratatui::buffer::Buffer;
use ratatui::style::Color;

/// The screen after some keys.
fn screen(width: u16, height: u16, method: &str, question: usize, keys: &[&str]) -> String {
    let mut stage = stage_with(width, height, method, GlyphSet::Unicode, question);
    press(&mut stage, width, height, keys);
    plain(&stage.draw(width, height))
}

/// Presses keys one after the other, each on what the frame before showed; `'text'` is typed.
fn press(stage: &mut Stage, width: u16, height: u16, keys: &[&str]) {
    for keys in keys {
        match keys
            .strip_prefix('\'')
            .and_then(|rest| rest.strip_suffix('\''))
        {
            Some(text) if !text.is_empty() => stage.type_text(text),
            _ => stage.press(keys),
        }
        stage.draw(width, height);
    }
}

/// The screen of a view with the set asked, after a pin and a change of a walk.
fn view(width: u16, height: u16, glyphs: GlyphSet, keys: &[&str]) -> String {
    let mut stage = stage_with(width, height, "graph", glyphs, 7);
    stage.scores = true;
    stage.state.labelling.annotator = "em".to_owned();
    press(&mut stage, width, height, &["P", "p a", "L", "p t", "h h"]);
    press(&mut stage, width, height, keys);
    plain(&stage.draw(width, height))
}

const SIZES: [(u16, u16); 5] = [(160, 48), (120, 36), (100, 30), (80, 24), (60, 16)];

#[test]
fn compare_at_every_size() {
    for (width, height) in SIZES {
        let name = format!("compare_at_{width}x{height}");
        assert_snapshot!(name, view(width, height, GlyphSet::Unicode, &["2"]));
    }
    let four = ["P", "p h", "H", "P", "m", "'bm25'", "Enter", "2"];
    assert_snapshot!("compare_four", view(160, 48, GlyphSet::Unicode, &four));
    assert_snapshot!("compare_in_ascii", view(100, 30, GlyphSet::Ascii, &["2"]));
}

#[test]
fn evaluate_at_every_size() {
    for (width, height) in SIZES {
        let name = format!("evaluate_at_{width}x{height}");
        assert_snapshot!(name, view(width, height, GlyphSet::Unicode, &["5"]));
    }
    assert_snapshot!("evaluate_in_ascii", view(100, 30, GlyphSet::Ascii, &["5"]));
}

/// How every cell looks: a letter for each look, and what the letters stand for.
fn looks(buffer: &Buffer) -> String {
    let mut known: Vec<String> = Vec::new();
    let mut drawn = String::new();
    for y in buffer.area.top()..buffer.area.bottom() {
        for x in buffer.area.left()..buffer.area.right() {
            let cell = &buffer[(x, y)];
            let told = match (cell.bg, cell.modifier.is_empty()) {
                (Color::Reset, true) => cell.fg.to_string(),
                (bg, true) => format!("{} on {bg}", cell.fg),
                (Color::Reset, false) => format!("{} {:?}", cell.fg, cell.modifier),
                (bg, false) => format!("{} on {bg} {:?}", cell.fg, cell.modifier),
            };
            let at = known.iter().position(|look| *look == told);
            let at = at.unwrap_or_else(|| {
                known.push(told);
                known.len() - 1
            });
            // A space says nothing with its own colour.
            let bare = cell.symbol() == " " && known[at].split(" on ").nth(1).is_none();
            let letters = ('a'..='z').chain('A'..='Z').chain('0'..='9');
            let letter = letters.clone().nth(at).unwrap_or('?');
            drawn.push(if bare { ' ' } else { letter });
        }
        drawn.truncate(drawn.trim_end_matches(' ').len());
        drawn.push('\n');
    }
    let letters = ('a'..='z').chain('A'..='Z').chain('0'..='9');
    for (letter, look) in letters.zip(known) {
        drawn.push_str(&format!("{letter}  {look}\n"));
    }
    drawn
}

#[test]
fn every_view_has_its_colours_in_three_themes() {
    for name in ["default-dark", "default-light", "high-contrast"] {
        let theme = Theme::load(name, ColorLevel::True).unwrap();
        let mut stage = stage_in(theme, 100, 30, "graph", GlyphSet::Unicode, 0);
        stage.scores = true;
        stage.state.labelling.annotator = "em".to_owned();
        press(&mut stage, 100, 30, &["P", "p a", "L"]);
        for (key, view) in (1..).zip(View::ALL) {
            press(&mut stage, 100, 30, &[&key.to_string()]);
            let view = view.name().to_lowercase();
            assert_snapshot!(format!("{view}_in_{name}"), looks(&stage.draw(100, 30)));
        }
    }
}

/// The screen of a view on a question whose names lead to gold over a bridge.
fn picture(size: (u16, u16), method: &str, glyphs: GlyphSet, keys: &[&str]) -> String {
    let (width, height) = size;
    let mut stage = stage_with(width, height, method, glyphs, 0);
    press(&mut stage, width, height, keys);
    plain(&stage.draw(width, height))
}

#[test]
fn flow_at_every_size() {
    for (width, height) in SIZES {
        let name = format!("flow_at_{width}x{height}");
        let shown = picture((width, height), "graph", GlyphSet::Unicode, &["3"]);
        assert_snapshot!(name, shown);
    }
    let step = ["3", "{ . .", "Left"];
    let wide = |method, glyphs, keys: &[&str]| picture((120, 36), method, glyphs, keys);
    assert_snapshot!("flow_at_a_step", wide("graph", GlyphSet::Unicode, &step));
    assert_snapshot!("flow_in_ascii", wide("graph", GlyphSet::Ascii, &step));
    assert_snapshot!(
        "flow_without_braille",
        wide("graph", GlyphSet::UnicodeSafe, &["3"])
    );
    assert_snapshot!("flow_of_words", wide("bm25", GlyphSet::Unicode, &["3"]));
    assert_snapshot!("flow_of_stages", wide("sage", GlyphSet::Unicode, &["3"]));
    assert_snapshot!(
        "flow_alone",
        wide("graph", GlyphSet::Unicode, &["3", "F", "{ ."])
    );
}

#[test]
fn graph_at_every_size() {
    for (width, height) in SIZES {
        let name = format!("graph_at_{width}x{height}");
        let shown = picture((width, height), "graph", GlyphSet::Unicode, &["4"]);
        assert_snapshot!(name, shown);
    }
    let wide = |method, glyphs, keys: &[&str]| picture((120, 36), method, glyphs, keys);
    assert_snapshot!("graph_in_ascii", wide("graph", GlyphSet::Ascii, &["4"]));
    assert_snapshot!(
        "graph_as_a_tree",
        wide("graph", GlyphSet::Unicode, &["4", "t"])
    );
    assert_snapshot!(
        "graph_overview",
        wide("graph", GlyphSet::Unicode, &["4", "t t"])
    );
    assert_snapshot!(
        "graph_of_passages",
        wide("graph-hybrid", GlyphSet::Unicode, &["4", "F"])
    );
    assert_snapshot!("graph_of_stages", wide("sage", GlyphSet::Unicode, &["4"]));
}

#[test]
fn annotate_at_every_size() {
    for (width, height) in SIZES {
        let keys = [
            "6",
            "Enter",
            "2",
            "g",
            "Enter",
            "n",
            "'only in a list'",
            "Enter",
        ];
        let name = format!("annotate_at_{width}x{height}");
        assert_snapshot!(name, view(width, height, GlyphSet::Unicode, &keys));
    }
    let told = ["6", "Enter", "t", "+"];
    assert_snapshot!("annotate_told", view(120, 36, GlyphSet::Unicode, &told));
    let blind = ["6", "b", "Enter"];
    assert_snapshot!("annotate_blind", view(100, 30, GlyphSet::Ascii, &blind));
    assert_snapshot!(
        "label_over_explore",
        view(100, 30, GlyphSet::Unicode, &["A", "0"])
    );
}

#[test]
fn the_whole_view_at_160x48() {
    assert_snapshot!(screen(160, 48, "graph-hybrid", 1, &[]));
}

#[test]
fn three_columns_at_120x36() {
    assert_snapshot!(screen(120, 36, "graph-hybrid", 1, &[]));
}

#[test]
fn two_columns_at_100x30() {
    assert_snapshot!(screen(100, 30, "graph-hybrid", 1, &[]));
}

#[test]
fn sections_at_80x24() {
    assert_snapshot!(screen(80, 24, "graph-hybrid", 1, &[]));
}

#[test]
fn sections_at_60x16() {
    assert_snapshot!(screen(60, 16, "graph-hybrid", 1, &[]));
}

#[test]
fn a_line_at_40x10() {
    assert_snapshot!(screen(40, 10, "graph-hybrid", 1, &[]));
}

#[test]
fn a_flat_ranking_shows_words() {
    assert_snapshot!(screen(160, 48, "bm25", 2, &[]));
}

#[test]
fn lost_gold_says_why() {
    assert_snapshot!(screen(
        120,
        36,
        "graph",
        3,
        &[
            "G",
            "g",
            "Down Down Down Down Down Down Down Down Down Down",
            "w"
        ]
    ));
}

#[test]
fn an_earlier_step_of_the_walk() {
    assert_snapshot!(screen(120, 36, "graph", 5, &["{", ". ."]));
}

#[test]
fn parameters_open_over_spread() {
    assert_snapshot!(screen(100, 30, "graph-hybrid", 1, &["p h", "l l"]));
}

#[test]
fn a_passage_is_read() {
    assert_snapshot!(screen(100, 30, "graph-hybrid", 1, &["Enter"]));
}

#[test]
fn neighbours_in_full_size() {
    assert_snapshot!(screen(80, 24, "graph-hybrid", 1, &["' m", "Enter", "F"]));
}

#[test]
fn the_palette() {
    assert_snapshot!(screen(100, 30, "graph-hybrid", 1, &["Ctrl-P", "'weig'"]));
}

#[test]
fn the_palette_says_why_not() {
    assert_snapshot!(screen(100, 30, "bm25", 1, &["Ctrl-P", "'alpha .3'"]));
}

#[test]
fn the_methods() {
    assert_snapshot!(screen(100, 30, "graph-hybrid", 1, &["m"]));
}

#[test]
fn help_begins_with_the_pane() {
    assert_snapshot!(screen(100, 30, "graph-hybrid", 1, &["?"]));
}

#[test]
fn a_begun_chord_shows_what_follows() {
    assert_snapshot!(screen(100, 30, "graph-hybrid", 1, &["s"]));
}

#[test]
fn plain_ascii() {
    let mut stage = stage_with(100, 30, "graph-hybrid", GlyphSet::Ascii, 1);
    stage.press("Down");
    let screen = plain(&stage.draw(100, 30));
    let ours: String = screen
        .chars()
        .filter(|c| !c.is_ascii() && !c.is_alphabetic())
        .collect();
    assert_eq!(ours, "", "only names may hold other characters");
    assert_snapshot!(screen);
}

#[test]
fn seeds_that_were_changed() {
    assert_snapshot!(screen(
        160,
        48,
        "graph-hybrid",
        1,
        &["' s", "g s x", "g s w + Esc", "s a", "'uranus'", "Enter"]
    ));
}

#[test]
fn a_weight_is_typed() {
    assert_snapshot!(screen(100, 30, "graph-hybrid", 1, &["' s", "s w 3"]));
}

#[test]
fn a_seed_is_looked_for() {
    assert_snapshot!(screen(100, 30, "graph-hybrid", 1, &["s a", "'ura'"]));
}

#[test]
fn a_sweep_at_160x48() {
    assert_snapshot!(screen(160, 48, "graph-hybrid", 1, &["p a S", "l l l l"]));
}

#[test]
fn a_sweep_at_100x30() {
    assert_snapshot!(screen(100, 30, "graph-hybrid", 1, &["p h S", "l l"]));
}

#[test]
fn a_sweep_at_80x24() {
    assert_snapshot!(screen(80, 24, "graph-hybrid", 1, &["p t S"]));
}

#[test]
fn a_narrowed_list() {
    let keys = ["/", "'jaipur'"];
    assert_snapshot!(
        "narrowed_at_160x48",
        screen(160, 48, "graph-hybrid", 0, &keys)
    );
    assert_snapshot!(
        "narrowed_at_80x24",
        screen(80, 24, "graph-hybrid", 0, &keys)
    );
}

#[test]
fn the_text_beside_the_list_at_every_size() {
    for (width, height) in [(200, 60), (160, 48), (120, 36), (100, 30), (80, 24)] {
        let keys: &[&str] = if width < 200 {
            &["v", "Down"]
        } else {
            &["Down"]
        };
        let name = format!("text_beside_at_{width}x{height}");
        assert_snapshot!(name, screen(width, height, "graph-hybrid", 0, keys));
    }
    assert_snapshot!(
        "text_beside_in_compare",
        screen(120, 36, "graph-hybrid", 0, &["P", "l", "2", "v"])
    );
}

#[test]
fn the_session_as_a_tree() {
    let keys = ["l l", "]", "p t l", "m", "'bm25'", "Enter", "' r", "F"];
    assert_snapshot!(screen(100, 30, "graph-hybrid", 0, &keys));
}

#[test]
fn the_first_screen_at_every_size() {
    for (width, height) in SIZES {
        let mut stage = stage_with(width, height, "hop", GlyphSet::Unicode, 0);
        let theme = Theme::load("default-dark", ColorLevel::True).unwrap();
        let set = GlyphSet::Unicode;
        // Where text goes and files lie is another thing on every machine.
        stage.state.terminal = terminal(&theme, set, &Config::default(), None);
        stage
            .state
            .terminal
            .retain(|(name, _)| *name != "clipboard");
        stage.state.mode = Mode::Start(0);
        let name = format!("start_at_{width}x{height}");
        assert_snapshot!(name, plain(&stage.draw(width, height)));
    }
}
