//! One pane as an SVG for paper, from every view.

use crate::support::{sample, stage_with};
use hopscope::explorer::action::Action;
use hopscope::explorer::command::Command;
use hopscope::explorer::glyphs::GlyphSet;
use hopscope::explorer::layout::{Pane, View};
use hopscope::explorer::scene::PassageRow;
use hopscope::explorer::stage::{self, Shot};
use hopscope::explorer::theme::{ColorLevel, PRINT, Theme};
use hopscope::retrieve::{Method, Settings};

/// The words of a picture, row by row as they are drawn.
fn words(picture: &str) -> Vec<String> {
    let texts = picture.split("<text ").skip(1);
    let inner = texts.map(|text| {
        let begins = text.find('>').unwrap() + 1;
        text[begins..text.find("</text>").unwrap()].to_owned()
    });
    inner.collect()
}

fn size(picture: &str) -> (f64, f64) {
    let number = |name: &str| {
        let rest = picture.split(name).nth(1).unwrap();
        rest[..rest.find('"').unwrap()].parse().unwrap()
    };
    (number(" width=\""), number(" height=\""))
}

#[test]
fn every_pane_is_a_figure_of_its_size_on_white() {
    let mut stage = stage_with(160, 48, "graph-hybrid", GlyphSet::Unicode, 0);
    let whole = size(&hopscope::explorer::picture::svg(
        &stage.draw(160, 48),
        &hopscope::explorer::picture::Caption::new(
            "",
            "",
            &Theme::load(PRINT, ColorLevel::True).unwrap(),
        ),
    ));
    // Two runs, to compare.
    stage.press("P p t h");
    let open = [
        Command::ViewExplore,
        Command::ViewCompare,
        Command::ViewFlow,
        Command::ViewGraph,
        Command::ViewEvaluate,
        Command::ViewAnnotate,
    ];
    for (view, open) in View::ALL.into_iter().zip(open) {
        stage.act(Action::Do(open));
        assert_eq!(stage.state.view, view);
        stage.draw(160, 48);
        for &pane in view.panes() {
            stage.act(Action::Focus(pane));
            stage.draw(160, 48);
            if stage
                .state
                .plan(ratatui::layout::Rect::new(0, 0, 160, 48))
                .open(pane)
                .is_none()
            {
                continue;
            }
            stage.copied.clear();
            stage.act(Action::Do(Command::ExportFigure));
            let [(picture, name)] = &stage.copied[..] else {
                panic!("{}: {:?}", pane.id(), stage.state.message);
            };
            assert_eq!(*name, format!("hopscope-{}.svg", pane.id()));
            assert!(picture.contains("rx=\"6\" fill=\"#ffffff\"/>"), "{name}");
            let (width, height) = size(picture);
            assert!(width <= whole.0 && height < whole.1, "{name}");
            let words = words(picture);
            assert!(!words.is_empty(), "{name}");
            // The keys of the last line are not part of it, nor is the cursor.
            assert!(
                !words.iter().any(|word| word == "Tab" || word == ">"),
                "{name}: {words:?}"
            );
        }
    }
}

/// The rows are those of the screen.
#[test]
fn a_figure_says_what_the_pane_says() {
    let mut stage = stage_with(160, 48, "graph-hybrid", GlyphSet::Unicode, 0);
    let screen = crate::support::screen(&mut stage);
    stage.act(Action::Focus(Pane::Passages));
    stage.act(Action::Do(Command::ExportFigure));
    let (picture, _) = &stage.copied[0];
    let words = words(picture);
    for word in &words {
        let plain = word.replace("&quot;", "\"").replace("&amp;", "&");
        assert!(screen.contains(&plain), "`{plain}` is not on screen");
    }
    let scene = stage.state.scene().unwrap();
    let begins = |row: &PassageRow| row.headed.chars().take(12).collect::<String>();
    for row in scene.passages.iter().take(5) {
        assert!(
            words.iter().any(|word| word.starts_with(&begins(row))),
            "{}",
            row.headed
        );
    }
}

#[test]
fn a_pane_that_is_not_open_is_refused() {
    let index = sample();
    let shot = Shot {
        size: (160, 48),
        settings: Settings::of(&index, Method::by_name("graph").unwrap()),
        question: None,
        argument: String::new(),
        lesson: None,
        present: false,
        theme: Theme::load(PRINT, ColorLevel::True).unwrap(),
        glyphs: GlyphSet::Unicode,
        keys: vec!["3".to_owned()],
    };
    assert!(stage::figure(index.clone(), &shot, Pane::Heat).is_ok());
    let refused = stage::figure(index, &shot, Pane::Seeds).unwrap_err();
    assert_eq!(refused, "the pane seeds is not open on this screen");
}

#[test]
fn names_of_panes_are_read_back() {
    for pane in Pane::all() {
        assert_eq!(Pane::from_id(pane.id()), Some(pane));
        // The name in kept sessions is the same.
        assert_eq!(serde_json::json!(pane), pane.id());
    }
    assert_eq!(Pane::from_id("nothing"), None);
}
