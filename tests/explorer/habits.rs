//! Habits from other programs: a list that typing narrows, the text beside the list, another index without leaving, a
//! session that goes on, a first screen.

use crate::support::{hear, stage, stage_at, stage_in};
use hopscope::explorer::action::Action;
use hopscope::explorer::available::available;
use hopscope::explorer::command::Command;
use hopscope::explorer::glyphs::GlyphSet;
use hopscope::explorer::hits::Target;
use hopscope::explorer::jobs::News;
use hopscope::explorer::jobs::open::Open;
use hopscope::explorer::layout::{Pane, View};
use hopscope::explorer::panes::filter;
use hopscope::explorer::panes::rows;
use hopscope::explorer::picture::plain;
use hopscope::explorer::stage::Stage;
use hopscope::explorer::start;
use hopscope::explorer::state::{FinderKind, Mode};
use hopscope::explorer::store::Config;
use hopscope::explorer::theme::{ColorLevel, Theme};
use hopscope::explorer::update::session;

fn screen(stage: &mut Stage, width: u16, height: u16) -> String {
    plain(&stage.draw(width, height))
}

/// The titles that Passages shows, in their order.
fn titles(stage: &Stage) -> Vec<String> {
    let scene = stage.state.scene().unwrap();
    let rows = filter::shown(&stage.state, Pane::Passages).into_iter();
    let subject = |row| rows::subject(&stage.state, Pane::Passages, row)?.passage;
    let title = |passage| {
        scene
            .row(passage)
            .map(|at| scene.passages[at].title.clone())
    };
    rows.filter_map(subject).filter_map(title).collect()
}

#[test]
fn a_list_narrows_at_every_letter_and_ranks_keep_their_numbers() {
    let mut stage = stage_at(160, 48);
    stage.act(Action::Focus(Pane::Passages));
    let scene = stage.state.scene().unwrap();
    let row = &scene.passages[6];
    let (rank, title) = (row.rank, row.title.clone());
    let begins: String = title.chars().take(12).collect();
    let all = titles(&stage).len();
    stage.press("/");
    assert!(matches!(stage.state.mode, Mode::Filter(_)));
    stage.type_text(&title.to_lowercase());
    let narrow = titles(&stage);
    assert!(narrow.contains(&title) && narrow.len() < all, "{narrow:?}");
    let shown = screen(&mut stage, 160, 48);
    let counted = filter::counted(&stage.state, Pane::Passages).unwrap();
    assert!(shown.contains(&format!("Passages: {counted}")), "{shown}");
    let line = shown
        .lines()
        .find(|line| line.contains(&begins) && line.contains(&format!("{rank:>3} ")));
    assert!(line.is_some(), "row {rank} keeps its rank in\n{shown}");
    assert_eq!(
        stage.state.wanted.subject.passage,
        rows::subject(
            &stage.state,
            Pane::Passages,
            stage.state.list(Pane::Passages).cursor
        )
        .unwrap()
        .passage,
        "what is selected is a row that is shown"
    );
    stage.press("Enter");
    assert!(matches!(stage.state.mode, Mode::Browse));
    assert_eq!(titles(&stage), narrow, "kept");
    stage.press("Down Down Down Down Down Down Down");
    assert!(narrow.len() == 1 || stage.state.list(Pane::Passages).cursor > 0);
    stage.press("Esc");
    assert_eq!(titles(&stage).len(), all);
    assert!(!screen(&mut stage, 160, 48).contains(&format!("/{}", title.to_lowercase())));
}

#[test]
fn every_list_of_every_view_finds_its_own_rows() {
    let mut stage = stage_at(160, 48);
    stage.scores = true;
    stage.press("l");
    stage.press("4 t");
    let mut tried = 0;
    for view in View::ALL {
        for &pane in view.panes() {
            if pane == Pane::Question || pane == Pane::Queue {
                continue;
            }
            stage.act(Action::Focus(pane));
            stage.draw(160, 48);
            if stage.state.focus != pane || filter::words(&stage.state, pane).is_empty() {
                continue;
            }
            let words = filter::words(&stage.state, pane);
            assert_eq!(words.len(), rows::count(&stage.state, pane), "{pane:?}");
            let (row, told) = words
                .iter()
                .enumerate()
                .rev()
                .find_map(|(row, w)| Some((row, w.clone()?)))
                .unwrap();
            stage.press("/");
            stage.type_text(&told.name);
            let shown = filter::shown(&stage.state, pane);
            // A narrowed Spread lists its stages whole, so rows are counted anew.
            if pane != Pane::Spread {
                assert!(shown.contains(&row), "{pane:?} {told:?} {shown:?}");
            }
            assert!(
                shown.contains(&stage.state.list(pane).cursor),
                "{pane:?} {shown:?}"
            );
            let drawn = screen(&mut stage, 160, 48);
            let counted = filter::counted(&stage.state, pane).unwrap();
            assert!(
                drawn.contains(&counted),
                "{pane:?} does not say {counted}:\n{drawn}"
            );
            stage.press("Enter Esc");
            assert_eq!(filter::typed(&stage.state, pane), None, "{pane:?}");
            tried += 1;
        }
    }
    assert!(tried >= 10, "{tried} lists");
}

#[test]
fn what_is_taken_out_of_a_narrowed_list_is_what_it_shows_and_says_so() {
    let mut stage = stage_at(160, 48);
    let title = stage.state.scene().unwrap().passages[6].title.clone();
    stage.press("/");
    stage.type_text(&title);
    stage.press("Enter");
    let shown = filter::shown(&stage.state, Pane::Passages).into_iter();
    let subject = |row| rows::subject(&stage.state, Pane::Passages, row)?.passage;
    let shown: Vec<u32> = shown.filter_map(subject).collect();
    let ranked = &stage.state.scene().unwrap().passages;
    let ranked = ranked.iter().filter(|row| shown.contains(&row.passage));
    let expected: Vec<(String, usize)> = ranked.map(|row| (row.id.clone(), row.rank)).collect();
    assert!(!expected.is_empty() && expected.len() < 10, "{expected:?}");
    assert!(
        expected[0].1 > 1,
        "ranks are not counted anew: {expected:?}"
    );
    stage.press("Y");
    let (text, what) = stage.copied.pop().unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let copied = value["passages"].as_array().unwrap().iter();
    let copied = copied.map(|row| (row["id"].as_str().unwrap(), row["rank"].as_u64().unwrap()));
    let told = expected.iter().map(|(id, rank)| (&**id, *rank as u64));
    assert!(copied.eq(told), "{text}");
    assert_eq!(value["filter"], serde_json::json!(title));
    let counted = filter::counted(&stage.state, Pane::Passages).unwrap();
    assert!(what.contains(&counted), "{what}");
    stage.press("E r");
    let (run, _) = stage.copied.pop().unwrap();
    let written = run
        .lines()
        .map(|line| line.split(' ').nth(3).unwrap().to_owned());
    assert!(
        written.eq(expected.iter().map(|(_, rank)| rank.to_string())),
        "{run}"
    );
    stage.press("Esc Y");
    let (text, what) = stage.copied.pop().unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["passages"].as_array().unwrap().len(), 10);
    assert_eq!(value.get("filter"), None);
    assert_eq!(what, "passages as JSON");
}

#[test]
fn nothing_happens_to_a_row_that_nobody_sees() {
    let mut stage = stage();
    stage.press("/");
    stage.type_text("zzqx");
    let shown = screen(&mut stage, 120, 36);
    assert!(
        shown.contains("0 of") && shown.contains("no row has that"),
        "{shown}"
    );
    stage.press("Enter Enter");
    assert!(stage.state.reading.is_none());
    assert!(
        stage.state.message.text.contains("no row matches zzqx"),
        "{}",
        stage.state.message.text
    );
    stage.press("y");
    assert!(stage.copied.is_empty());
    stage.press("Esc Enter");
    assert!(stage.state.reading.is_some());
}

#[test]
fn slash_says_where_it_works_and_i_asks() {
    let mut stage = stage();
    stage.act(Action::Focus(Pane::Iterations));
    stage.press("/");
    assert!(matches!(stage.state.mode, Mode::Browse));
    assert!(
        stage.state.message.text.contains("press i to ask"),
        "{}",
        stage.state.message.text
    );
    stage.press("i");
    assert!(matches!(stage.state.mode, Mode::Edit));
    stage.press("Esc");
    assert_eq!(Command::Edit.keys(), ["i"]);
}

#[test]
fn a_new_question_and_a_passage_that_is_gone_to_end_the_filter_that_would_hide_them() {
    let mut stage = stage();
    let scene = stage.state.scene().unwrap();
    let (first, other) = (
        scene.passages[0].title.clone(),
        scene.passages[4].id.clone(),
    );
    stage.press("/");
    stage.type_text(&first);
    stage.press("Enter");
    stage.act(Action::Select(other));
    assert_eq!(filter::typed(&stage.state, Pane::Passages), None);
    stage.press("/");
    stage.type_text("a");
    stage.press("Enter");
    stage.press("]");
    assert_eq!(filter::typed(&stage.state, Pane::Passages), None);
}

/// The words that the selected passage begins with.
fn beginning(stage: &Stage) -> String {
    let why = stage.state.detail().unwrap().passage.as_ref().unwrap();
    why.text
        .split_whitespace()
        .take(3)
        .collect::<Vec<_>>()
        .join(" ")
}

fn reads(stage: &mut Stage, width: u16, height: u16) -> bool {
    stage.draw(width, height);
    let shown = screen(stage, width, height);
    let slot = stage
        .state
        .plan(ratatui::layout::Rect::new(0, 0, width, height));
    let Some(slot) = slot.open(Pane::Reader) else {
        return false;
    };
    let area = slot.area;
    let text: String = shown
        .lines()
        .skip(usize::from(area.y))
        .take(usize::from(area.height))
        .map(|line| {
            line.chars()
                .skip(usize::from(area.x))
                .take(usize::from(area.width))
                .collect::<String>()
                + "\n"
        })
        .collect();
    text.contains(&beginning(stage))
}

#[test]
fn the_text_follows_the_cursor_beside_the_list_at_every_size() {
    for (width, height) in [(200, 60), (160, 48), (120, 36), (100, 30), (80, 24)] {
        let mut stage = stage_at(width, height);
        stage.act(Action::Focus(Pane::Passages));
        if width >= 200 {
            assert!(reads(&mut stage, width, height), "unasked at {width}");
        } else {
            assert!(!reads(&mut stage, width, height), "not unasked at {width}");
            stage.press("v");
        }
        for _ in 0..3 {
            assert!(reads(&mut stage, width, height), "{width}x{height}");
            stage.press("Down");
        }
        stage.press("v");
        assert!(
            !reads(&mut stage, width, height),
            "{width}x{height} after v"
        );
        stage.press("F5 v");
        if width >= 100 {
            assert!(
                reads(&mut stage, width, height),
                "for the back row at {width}"
            );
        }
        stage.press("v F5 v F");
        assert!(
            reads(&mut stage, width, height),
            "in full size at {width}x{height}"
        );
    }
}

#[test]
fn the_text_beside_can_have_the_keyboard_and_gives_it_back() {
    let mut stage = stage_at(120, 36);
    stage.press("v");
    stage.draw(120, 36);
    let before = stage.state.wanted.subject.passage;
    for _ in 0..10 {
        stage.press("Tab");
        if stage.state.focus == Pane::Reader {
            break;
        }
    }
    assert_eq!(stage.state.focus, Pane::Reader);
    stage.press("Right");
    assert_ne!(
        stage.state.wanted.subject.passage, before,
        "on to the next of the ranking"
    );
    stage.press("Esc");
    assert_eq!(stage.state.focus, Pane::Passages);
    stage.press("w");
    assert!(!reads(&mut stage, 120, 36), "who asks why is told");
    stage.press("2");
    assert!(reads(&mut stage, 120, 36), "in Compare too");
    stage.press("5 v");
    assert!(
        stage
            .state
            .message
            .text
            .contains("no passages in this view"),
        "{}",
        stage.state.message.text
    );
    stage.press("1");
    let reader = stage
        .state
        .plan(ratatui::layout::Rect::new(0, 0, 120, 36))
        .open(Pane::Reader);
    stage.act(Action::Focus(Pane::Reader));
    assert!(reader.is_some() || stage.state.focus == Pane::Reader);
    stage.press("v");
    assert_ne!(
        stage.state.focus,
        Pane::Reader,
        "the keyboard does not stay where nothing is"
    );
}

#[test]
fn a_narrowed_list_is_what_the_text_goes_through() {
    let mut stage = stage_at(160, 48);
    let title = stage.state.scene().unwrap().passages[5].title.clone();
    stage.press("v /");
    stage.type_text(&title);
    stage.press("Enter");
    let shown = titles(&stage);
    stage.act(Action::Focus(Pane::Reader));
    for _ in 0..shown.len() + 2 {
        let why = stage.state.detail().unwrap().passage.as_ref().unwrap();
        assert!(shown.contains(&why.title), "{} of {shown:?}", why.title);
        stage.press("Right");
    }
}

/// A session of two questions, a changed parameter and a pin.
fn worked() -> Stage {
    let mut stage = stage_at(160, 48);
    stage.press("l l");
    stage.act(Action::Ask("Who discovered the moon Titan?".into()));
    stage.press("P");
    stage.act(Action::Seed("Titan=mute".into()));
    stage.act(Action::Method("bm25".into()));
    stage
}

#[test]
fn the_session_is_a_tree_of_questions_and_of_what_each_run_changed() {
    let mut stage = worked();
    stage.act(Action::Focus(Pane::Session));
    stage.press("F");
    let shown = screen(&mut stage, 160, 48);
    let lines = rows::session_lines(&stage.state);
    let place = |of: &str| {
        shown
            .lines()
            .position(|line| line.contains(of))
            .unwrap_or_else(|| panic!("no {of} in\n{shown}"))
    };
    let first = stage.state.session[0].question.clone();
    let titan = place("Who discovered the moon Titan?   ");
    assert!(
        titan < place("5 bm25") && place("5 bm25") < place("4 Titan=mute"),
        "{shown}"
    );
    assert!(place("4 Titan=mute") < place("3 graph-hybrid"));
    let own = shown
        .lines()
        .skip(titan)
        .position(|line| line.contains(&*first))
        .unwrap()
        + titan;
    assert!(
        own < place("2 alpha .17"),
        "what differs from the run before:\n{shown}"
    );
    assert_eq!(lines.len(), 7, "two questions over five runs");
    let ranks = &stage.state.session[0].gold;
    assert!(!ranks.is_empty());
    let told: Vec<String> = ranks
        .iter()
        .map(|r| r.map_or("-".into(), |r| r.to_string()))
        .collect();
    let line = shown
        .lines()
        .find(|line| line.contains("1 graph-hybrid"))
        .unwrap();
    assert!(
        line.contains(&told.join(" ")),
        "{line} has the ranks {told:?}"
    );
    stage.press("g Enter");
    assert_eq!(
        &*stage.state.settings.method().name,
        "bm25",
        "a question is its newest run"
    );
}

#[test]
fn a_session_waits_until_it_is_taken_up_and_is_not_lost_before() {
    let worked = worked();
    let kept = session::kept(&worked.state);
    let mut stage = stage_at(120, 36);
    let opened = stage.state.settings.clone();
    stage.state.offer = Some(Box::new(kept.clone()));
    assert!(available(Command::Resume, &stage.state).is_ok());
    stage.press("]");
    assert_eq!(stage.state.settings, opened, "nothing is resumed unasked");
    let meanwhile = session::kept(&stage.state);
    for run in &kept.runs {
        assert!(
            meanwhile.runs.iter().any(|known| known.same(run)),
            "{run:?} is lost"
        );
    }
    stage.press("r");
    assert_eq!(stage.state.settings, worked.state.settings);
    assert_eq!(stage.state.wanted.question, worked.state.wanted.question);
    assert_eq!(
        stage.state.wanted.subject.passage,
        worked.state.wanted.subject.passage
    );
    assert!(stage.state.pins.by_hand);
    assert_eq!(
        stage.state.pins.first().settings,
        worked.state.pins.first().settings
    );
    assert_eq!(
        stage.state.session.len(),
        6,
        "those of then, and the question asked meanwhile"
    );
    let numbers: Vec<usize> = stage.state.session.iter().map(|run| run.number).collect();
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
    assert!(available(Command::Resume, &stage.state).is_err());
    stage.press("z");
    assert_eq!(stage.state.settings, opened, "and undo takes it back");
}

#[test]
fn a_session_whose_method_is_gone_says_so_and_gives_its_runs_to_no_other() {
    let mut kept = session::kept(&worked().state);
    let runs = kept.runs.len();
    kept.runs[1].chosen.method = "/gone/theirs.run".into();
    kept.live.method = "/gone/theirs.run".into();
    kept.pins[0].method = "/gone/theirs.run".into();
    let mut stage = stage_at(120, 36);
    let opened = stage.state.settings.clone();
    stage.state.session.clear();
    stage.state.offer = Some(Box::new(kept));
    stage.press("r");
    let said = stage.state.message.text.clone();
    assert!(
        said.starts_with(&format!("resumed with {} runs", runs - 1)),
        "{said}"
    );
    assert!(said.contains("no method '/gone/theirs.run'"), "{said}");
    assert!(
        said.ends_with("2 left out: their methods are gone"),
        "{said}"
    );
    assert_eq!(stage.state.settings, opened);
    assert!(!stage.state.pins.by_hand);
    // Those that are left, and the question on screen asked with what is there.
    assert_eq!(stage.state.session.len(), runs);
}

#[test]
fn another_index_is_found_by_its_path_and_why_a_folder_is_none_is_said() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().display().to_string();
    std::fs::create_dir_all(home.path().join("set/one")).unwrap();
    std::fs::create_dir_all(home.path().join("set/empty")).unwrap();
    std::fs::write(home.path().join("set/one/manifest.json"), "{}").unwrap();
    let mut stage = stage_at(120, 36);
    stage.state.indexes = vec!["/data/musique".to_owned()];
    stage.press("O");
    let shown = screen(&mut stage, 120, 36);
    assert!(
        shown.contains("/data/musique") && shown.contains("recent"),
        "{shown}"
    );
    stage.type_text(&format!("{root}/s"));
    let shown = screen(&mut stage, 120, 36);
    assert!(
        shown.contains("set/") && shown.contains("folder"),
        "{shown}"
    );
    stage.press("Tab");
    let Mode::Finder(open) = &stage.state.mode else {
        panic!("Tab goes into the folder")
    };
    assert_eq!(open.input.value(), format!("{root}/set/"));
    let listed: Vec<&str> = open.entries.iter().map(|entry| &*entry.title).collect();
    let one = format!("{root}/set/one");
    assert_eq!(
        listed,
        [&*format!("{root}/set"), &one, &format!("{root}/set/empty/")]
    );
    stage.press("Enter");
    assert_eq!(stage.opened, None);
    assert!(
        stage
            .state
            .message
            .text
            .contains("no index and no corpus file"),
        "{}",
        stage.state.message.text
    );
    stage.press("Down Enter");
    assert_eq!(stage.opened.as_deref(), Some(&*one));
    assert!(
        stage.state.opening.going() && stage.state.scene().is_some(),
        "what is on screen stays"
    );
    let damaged = format!("{one}: the index is damaged");
    hear::<Open>(&mut stage, News::Failed(damaged));
    assert!(!stage.state.opening.going());
    assert!(screen(&mut stage, 120, 36).contains("is damaged"));
    assert!(stage.state.scene().is_some());
    stage.act(Action::OpenIndex(one));
    stage.press("Esc");
    assert!(!stage.state.opening.going(), "Esc stops it");
}

/// The first screen, as it is found in a terminal of plain characters.
fn started(width: u16, height: u16) -> Stage {
    let mut stage = stage_at(width, height);
    let theme = Theme::load("mono", ColorLevel::None).unwrap();
    let config = Config::default();
    stage.state.terminal = start::terminal(&theme, GlyphSet::Ascii, &config, None);
    stage.state.mode = Mode::Start(0);
    stage
}

#[test]
fn the_first_screen_promises_only_what_its_keys_do() {
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        let mut stage = started(width, height);
        let shown = screen(&mut stage, width, height);
        for entry in start::entries(&stage.state) {
            assert!(shown.contains(&entry.title), "{} in\n{shown}", entry.title);
        }
        if height >= 24 {
            assert!(shown.contains(&format!("{width} x {height}")), "{shown}");
            assert!(shown.contains("none, theme mono"), "{shown}");
        }
        stage.press("Esc");
        assert!(matches!(stage.state.mode, Mode::Browse));
        assert!(screen(&mut stage, width, height).contains("Passages"));
    }
    let begun = |key: &str| {
        let mut stage = started(120, 36);
        stage.press(key);
        stage
    };
    assert!(begun("t").state.lesson.is_some());
    assert!(
        begun("Enter").state.lesson.is_some(),
        "the first is the tour"
    );
    for (key, kind) in [
        ("l", FinderKind::Lessons),
        ("o", FinderKind::Indexes),
        ("?", FinderKind::Help),
    ] {
        let stage = begun(key);
        let Mode::Finder(open) = &stage.state.mode else {
            panic!("{key} opens a list")
        };
        assert_eq!(open.kind, kind);
    }
    assert!(matches!(begun("s").state.mode, Mode::Browse));
    assert_eq!(begun("q").quit, Some(false));
    let stage = begun("r");
    assert!(
        matches!(stage.state.mode, Mode::Start(_)),
        "nothing to resume: it stays"
    );
    assert!(stage.state.message.text.contains("no earlier session"));
    let mut stage = started(120, 36);
    stage.state.offer = Some(Box::new(session::kept(&worked().state)));
    let shown = screen(&mut stage, 120, 36);
    assert!(
        shown.contains("5 runs on the sample, Who discovered the moon Titan?"),
        "{shown}"
    );
    stage.press("Down Down Down Down Enter");
    assert_eq!(stage.state.session.len(), 5);
}

#[test]
fn an_entry_of_the_first_screen_is_clicked() {
    let mut stage = started(120, 36);
    stage.draw(120, 36);
    let lessons = stage.state.hits.area(Target::Entry(1)).unwrap();
    stage.act(Action::Press(lessons.x + 3, lessons.y));
    assert!(matches!(&stage.state.mode, Mode::Finder(open) if open.kind == FinderKind::Lessons));
    let mut stage = started(120, 36);
    stage.draw(120, 36);
    stage.act(Action::Press(0, 35));
    assert!(
        matches!(stage.state.mode, Mode::Browse),
        "a click beside it closes it"
    );
}

/// A theme is drawn while it is under the cursor; Enter keeps it, Esc goes back.
#[test]
fn themes_are_chosen_by_looking_at_them() {
    let dark = Theme::load("default-dark", ColorLevel::True).unwrap();
    let mut stage = stage_in(dark, 100, 30, "graph", GlyphSet::Unicode, 0);
    let ground = |stage: &mut Stage| stage.draw(100, 30)[(0, 0)].bg;
    let before = (stage.state.theme.clone(), ground(&mut stage));
    stage.act(Action::Do(Command::Themes));
    stage.type_text("light");
    let light = ground(&mut stage);
    assert_ne!(light, before.1);
    stage.press("Esc");
    assert_eq!((stage.state.theme.clone(), ground(&mut stage)), before);
    stage.act(Action::Do(Command::Themes));
    stage.type_text("light");
    stage.press("Enter");
    assert_eq!(ground(&mut stage), light);
    assert_eq!(stage.state.theme, "default-light");
    assert!(
        stage
            .state
            .message
            .text
            .contains("theme = \"default-light\"")
    );
}
