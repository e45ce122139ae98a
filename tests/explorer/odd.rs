//! Corpora that real people have: other scripts, emoji, control characters, empty fields, one passage. Nothing in a
//! text may break the screen.

use hopscope::corpus::{Corpus, Gold, Passage, Question};
use hopscope::explorer::action::Action;
use hopscope::explorer::glyphs::{GlyphSet, width};
use hopscope::explorer::layout::Pane;
use hopscope::explorer::stage::Stage;
use hopscope::explorer::theme::{ColorLevel, Theme};
use hopscope::index::{Index, Silent};
use hopscope::retrieve::{METHODS, Settings};
use std::sync::Arc;

fn passage(id: &str, title: &str, text: &str) -> Passage {
    Passage {
        id: id.into(),
        title: title.into(),
        text: text.into(),
    }
}

fn question(text: &str, gold: &[u32], missing: &[&str]) -> Question {
    Question {
        id: "q".into(),
        text: text.into(),
        gold: gold
            .iter()
            .map(|&passage| Gold {
                passage,
                grade: 1.0,
            })
            .collect(),
        missing: missing.iter().map(|m| (*m).to_owned()).collect(),
        ..Question::default()
    }
}

fn odd() -> Corpus {
    let long = "Word ".repeat(2000);
    Corpus {
        name: "odd \u{1b}[2J 東京".into(),
        passages: vec![
            passage(
                "東京",
                "東京大学 Tokyo",
                "東京大学は Tokyo University にある。日本語の長い文章です。Marie Curie visited.",
            ),
            passage(
                "emoji-👩‍👩‍👧‍👦",
                "👩‍👩‍👧‍👦 Family 🤦🏼‍♂️",
                "The Family 👩‍👩‍👧‍👦 met Marie Curie 🤦🏼‍♂️ in Paris.",
            ),
            passage(
                "rtl",
                "\u{202e}שלום עולם",
                "Marie Curie \u{202e}reversed\u{202c} and مرحبا بالعالم in Paris.",
            ),
            passage(
                "ctrl",
                "Bell\u{7} and\u{1b}[31m red",
                "Tabs\tand\nlines\r\nand \u{1b}]0;title\u{7} Marie Curie.",
            ),
            passage("", "", ""),
            passage(
                "combining",
                "Südhof Zo\u{308}e Z\u{335}\u{321}algo",
                "Zo\u{308}e and Thomas Su\u{308}dhof met Marie Curie.",
            ),
            passage(
                "an-identifier-that-is-far-longer-than-any-column-can-be-wide-0001",
                "Long",
                &long,
            ),
            passage(
                "zero",
                "\u{200b}\u{feff}",
                "\u{200b}Marie\u{200d} Curie\u{feff}",
            ),
        ],
        questions: vec![
            question(
                "Who met Marie Curie in Tokyo, 東京 or Paris?",
                &[0, 2, 4],
                &["nowhere \u{1b}[2J"],
            ),
            question("\u{202e}שלום 👩‍👩‍👧‍👦?", &[1], &[]),
            question("???", &[], &["only missing"]),
        ],
    }
}

fn single() -> Corpus {
    Corpus {
        name: String::new(),
        passages: vec![passage("p", "", "lower case only")],
        questions: Vec::new(),
    }
}

/// The methods that need neither a typed graph nor another system's beside the corpus.
fn methods() -> impl Iterator<Item = usize> {
    let plain = |method: &usize| !matches!(METHODS[*method].layer(), Some("spark" | "given"));
    (0..METHODS.len()).filter(plain)
}

fn stage(corpus: Corpus, method: usize, glyphs: GlyphSet) -> Stage {
    let index = Arc::new(Index::build(corpus, &Default::default(), &Silent).unwrap());
    let settings = Settings::of(&index, &METHODS[method]);
    let theme = Theme::load("mono", ColorLevel::None).unwrap();
    Stage::new(index, "a corpus's folder", settings, theme, glyphs.glyphs())
}

#[test]
fn odd_texts_draw_at_every_size_with_every_method() {
    for method in 0..METHODS.len() {
        let mut stage = stage(odd(), method, GlyphSet::Unicode);
        for number in 0..3 {
            stage.act(Action::AskNumber(number));
            for (width, height) in [
                (160, 48),
                (120, 36),
                (100, 30),
                (80, 24),
                (60, 16),
                (33, 5),
                (3, 3),
                (1, 1),
            ] {
                for pane in Pane::all().filter(|pane| *pane != Pane::Reader) {
                    stage.act(Action::Focus(pane));
                    stage.press("Esc");
                    let buffer = stage.draw(width, height);
                    for cell in buffer.content() {
                        assert!(
                            !cell.symbol().chars().any(char::is_control),
                            "{:?}",
                            cell.symbol()
                        );
                    }
                }
                stage.press("' l Down Enter");
                stage.draw(width, height);
                stage.press("Esc");
            }
        }
    }
}

#[test]
fn a_frame_is_never_torn_by_wide_characters() {
    let mut stage = stage(odd(), methods().last().unwrap(), GlyphSet::Unicode);
    stage.act(Action::AskNumber(0));
    stage.draw(100, 30);
    let screen = hopscope::explorer::picture::plain(&stage.draw(100, 30));
    let rows: Vec<&str> = screen
        .lines()
        .filter(|line| line.starts_with(['│', '┃']))
        .collect();
    assert!(rows.len() > 15);
    for row in rows {
        assert!(row.ends_with(['│', '┃', '█']), "{row}");
        assert_eq!(width(row), 100, "{row}");
    }
}

#[test]
fn one_passage_without_names_or_questions() {
    for method in methods() {
        let mut stage = stage(single(), method, GlyphSet::Ascii);
        stage.draw(120, 36);
        stage.press("] [ Ctrl-R Space");
        assert!(!stage.state.message.text.is_empty());
        for text in ["lower case", "nothing here", "Nobody At All"] {
            stage.act(Action::Ask(text.into()));
            for keys in [
                "Tab", "Tab", "' l", "Enter", "Esc", "w", "l", "{", "}", "y", "Y", "C",
            ] {
                stage.press(keys);
                stage.draw(120, 36);
            }
        }
        assert!(
            stage
                .copied
                .iter()
                .any(|(text, _)| text.starts_with("hopscope "))
        );
    }
}

#[test]
fn the_shell_command_quotes_what_a_shell_would_change() {
    let mut stage = stage(odd(), 0, GlyphSet::Unicode);
    stage.act(Action::Ask("who's $HOME & `x`?".into()));
    stage.press("C");
    let (command, _) = stage.copied.last().unwrap();
    assert!(
        command.contains(r"'a corpus'\''s folder' 'who'\''s $HOME & `x`?'"),
        "{command}"
    );
}

#[test]
fn hidden_passages_say_nothing() {
    let mut stage = stage(odd(), 0, GlyphSet::Unicode);
    stage.act(Action::AskNumber(0));
    stage.press("K");
    stage.draw(100, 30);
    stage.press("Enter");
    let screen = hopscope::explorer::picture::plain(&stage.draw(100, 30));
    assert!(
        !screen.contains("The Family") && screen.contains("xxx"),
        "{screen}"
    );
}
