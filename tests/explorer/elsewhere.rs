//! The explorer over an index that lies elsewhere: the screens are those over the whole.

use crate::support::screen;
use hopscope::explorer::action::Action;
use hopscope::explorer::glyphs::GlyphSet;
use hopscope::explorer::stage::Stage;
use hopscope::explorer::theme::{ColorLevel, Theme};
use hopscope::index::rows::{Here, Rows};
use hopscope::index::source::Source;
use hopscope::index::{Index, Silent, sample};
use hopscope::layers::HopLayer;
use hopscope::retrieve::elsewhere::fitted;
use hopscope::retrieve::{Method, Settings};
use std::sync::{Arc, LazyLock};

static HERE: LazyLock<Arc<Index>> = LazyLock::new(|| {
    let index = sample::index().unwrap();
    index.add_layer(HopLayer::build(&index, &Silent).unwrap());
    Arc::new(index)
});

/// A stage over the whole, and one over its rows.
fn both(method: &str, set: &[&str]) -> [Stage; 2] {
    let here = Here::of(&HERE).unwrap();
    let mut settings = Settings::of(&HERE, Method::by_name(method).unwrap());
    set.iter().for_each(|set| settings.set_text(set).unwrap());
    let settings = fitted(here.whole(), &settings).unwrap();
    let elsewhere = Source::open(Box::new(here)).unwrap();
    [HERE.clone(), elsewhere].map(|index| {
        let theme = Theme::load("mono", ColorLevel::None).unwrap();
        let glyphs = GlyphSet::Unicode.glyphs();
        Stage::new(index, "", settings.clone(), theme, glyphs)
    })
}

/// What is on screen, but for the line that names the place.
fn shown(stage: &mut Stage) -> String {
    let all = screen(stage);
    let lines = all.lines().map(|line| {
        let here = line.replace("local only", "");
        let line = here.replace("database: no look-up", "");
        line.trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn screens_are_those_over_the_whole() {
    for (method, set) in [
        ("hop", &[][..]),
        // Coarser, what a seed pays is known less exactly over rows.
        ("graph-hybrid", &["epsilon=1e-7"]),
        ("dense", &[]),
        ("bm25", &[]),
    ] {
        let [mut here, mut there] = both(method, set);
        for question in [0, 5, 11] {
            for (width, height) in [(160, 48), (100, 30), (80, 24)] {
                for stage in [&mut here, &mut there] {
                    stage.draw(width, height);
                    stage.act(Action::AskNumber(question));
                    stage.draw(width, height);
                }
                for keys in [
                    "", "Tab", "j j", "w", "Esc l l", "Tab j", "v", "Esc 3 j", ", ,", "1",
                ] {
                    let [own, other] = [&mut here, &mut there].map(|stage| {
                        keys.split(' ')
                            .filter(|key| !key.is_empty())
                            .for_each(|key| stage.press(key));
                        shown(stage)
                    });
                    let differ = own.lines().zip(other.lines()).find(|(a, b)| a != b);
                    assert_eq!(
                        differ, None,
                        "{method}, question {question}, {keys:?}\n{own}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_reads_the_whole_index_says_so() {
    let [_, mut stage] = both("hop", &[]);
    stage.scores = true;
    stage.draw(120, 36);
    stage.act(Action::AskNumber(0));
    for keys in ["2", "5", "6"] {
        stage.press(keys);
        let shown = screen(&mut stage);
        assert!(shown.contains("needs the whole index"), "{keys}\n{shown}");
    }
}

#[test]
fn names_and_passages_are_found_by_what_is_typed() {
    let [_, mut stage] = both("hop", &[]);
    stage.draw(120, 36);
    stage.act(Action::AskNumber(0));
    // Under titles as names, too, as hop has them.
    let far = "Herschel";
    stage.press("^P");
    stage.type_text(&format!("@{far}"));
    let shown = screen(&mut stage);
    assert!(shown.matches(far).count() > 1, "{shown}");
    let names = ["William Herschel", "John Herschel"];
    assert!(names.iter().all(|name| shown.contains(name)), "{shown}");
    stage.press("Esc");
    stage.press("^P");
    stage.type_text(&format!("#{far}"));
    let shown = screen(&mut stage);
    assert!(shown.matches(far).count() > 1, "{shown}");
}
