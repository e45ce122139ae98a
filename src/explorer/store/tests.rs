use super::*;
use crate::explorer::glyphs::GlyphSet;
use crate::explorer::theme::{ColorChoice, ColorLevel};
use std::collections::BTreeMap;

fn home() -> (tempfile::TempDir, Folders) {
    let folder = tempfile::tempdir().unwrap();
    let folders = Folders::under(folder.path());
    (folder, folders)
}

/// A place where nothing can be written, whoever runs the test: a file stands where the folder should be.
fn blocked() -> (tempfile::TempDir, Folders) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let folders = Folders::under(&file);
    (folder, folders)
}

#[test]
fn one_variable_moves_everything() {
    let of = |world: &[(&str, &str)]| {
        Folders::decide(|name| {
            let found = world.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| PathBuf::from(value))
        })
    };
    let own = of(&[("HOPSCOPE_HOME", "/x"), ("XDG_CONFIG_HOME", "/y")]).unwrap();
    assert_eq!(own, Folders::under(Path::new("/x")));
    if cfg!(unix) && std::env::var_os("HOME").is_some() {
        let xdg = of(&[("XDG_CONFIG_HOME", "/y"), ("XDG_STATE_HOME", "relative")]).unwrap();
        assert_eq!(xdg.config_file(), Path::new("/y/hopscope/config.toml"));
        assert!(
            xdg.state.ends_with(".local/state/hopscope"),
            "{:?}",
            xdg.state
        );
    }
}

fn questions(history: &History) -> Vec<&str> {
    history
        .newest()
        .map(|asked| asked.question.as_str())
        .collect()
}

#[test]
fn history_moves_repeats_to_the_front_and_is_read_again() {
    let (_folder, folders) = home();
    let path = folders.history_file();
    let (mut history, problem) = History::open(&path, 10);
    assert_eq!(problem, None);
    for question in ["one", "two", " one ", "", "one", "three"] {
        history.add(question, "").unwrap();
    }
    history.add("three", "other-index").unwrap();
    assert_eq!(questions(&history), ["three", "three", "one", "two"]);
    let (again, _) = History::open(&path, 10);
    assert_eq!(questions(&again), questions(&history));
    let (fewer, _) = History::open(&path, 2);
    assert_eq!(fewer.len(), 2);
}

#[test]
fn history_survives_a_line_cut_short() {
    let (_folder, folders) = home();
    let path = folders.history_file();
    replace(
        &path,
        b"{\"question\":\"one\"}\nrubbish\n{\"question\":\"tw",
    )
    .unwrap();
    let (mut history, problem) = History::open(&path, 10);
    assert_eq!((questions(&history), problem), (vec!["one"], None));
    history.add("three", "").unwrap();
    let (again, _) = History::open(&path, 10);
    assert_eq!(
        questions(&again),
        ["three", "one"],
        "the new line is on a line of its own"
    );
}

#[test]
fn history_is_rewritten_when_it_has_doubled() {
    let (_folder, folders) = home();
    let path = folders.history_file();
    let (mut history, _) = History::open(&path, 5);
    for number in 0..40 {
        history.add(&format!("q{number}"), "").unwrap();
    }
    let lines = std::fs::read_to_string(&path).unwrap().lines().count();
    assert!(lines <= 10, "{lines}");
    let (again, _) = History::open(&path, 5);
    assert_eq!(questions(&again), ["q39", "q38", "q37", "q36", "q35"]);
}

#[test]
fn two_explorers_share_a_history() {
    let (_folder, folders) = home();
    let path = folders.history_file();
    let (mut a, _) = History::open(&path, 3);
    let (mut b, _) = History::open(&path, 3);
    a.add("from a", "").unwrap();
    b.add("from b", "").unwrap();
    // The seventh line makes `a` write the file anew, from what both have added.
    for number in 0..5 {
        a.add(&format!("a{number}"), "").unwrap();
    }
    b.add("late", "").unwrap();
    a.add("end", "").unwrap();
    let (both, _) = History::open(&path, 3);
    assert_eq!(questions(&both), ["end", "late", "a4"]);
    assert_eq!(read(&path).unwrap().unwrap().lines().count(), 3);
}

#[test]
fn what_cannot_be_written_is_a_sentence_and_is_still_remembered() {
    let (_folder, folders) = blocked();
    let (mut history, problem) = History::open(&folders.history_file(), 5);
    assert!(problem.is_some_and(|text| text.starts_with("cannot read: ")));
    assert_eq!(history.add("why?", ""), Ok(()), "it goes on in memory");
    assert_eq!(questions(&history), ["why?"]);
    assert!(
        replace(&folders.config_file(), b"x")
            .unwrap_err()
            .starts_with("cannot save: ")
    );
    assert!(
        Session::default()
            .save(&folders, "abc")
            .unwrap_err()
            .contains("abc.json")
    );
}

#[test]
fn a_folder_that_goes_away_while_running_costs_only_the_file() {
    let (folder, folders) = home();
    let (mut history, problem) = History::open(&folders.history_file(), 5);
    assert_eq!(problem, None);
    std::fs::write(folder.path().join("state"), "a file in the way").unwrap();
    let message = history.add("why?", "").unwrap_err();
    // The reason first, for a line that may be cut.
    assert!(message.starts_with("cannot save: "), "{message}");
    assert!(message.ends_with(&*folders.history_file().to_string_lossy()));
    assert_eq!(questions(&history), ["why?"]);
}

#[test]
fn a_person_who_wants_no_history_has_none_on_disk() {
    let (_folder, folders) = home();
    let (mut history, _) = History::open(&folders.history_file(), 0);
    history.add("why?", "").unwrap();
    assert_eq!(questions(&history), ["why?"], "for this session");
    assert!(!folders.history_file().exists());
}

#[test]
fn replacing_leaves_no_crumbs_and_follows_links() {
    let (folder, folders) = home();
    let path = folders.config_file();
    replace(&path, b"one").unwrap();
    replace(&path, b"two").unwrap();
    assert_eq!(read(&path), Ok(Some("two".to_owned())));
    assert_eq!(std::fs::read_dir(&folders.config).unwrap().count(), 1);
    assert_eq!(read(&folders.keymap_file()), Ok(None));
    #[cfg(unix)]
    {
        let real = folder.path().join("dotfile.toml");
        std::fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, folders.keymap_file()).unwrap();
        replace(&folders.keymap_file(), b"new").unwrap();
        assert_eq!(std::fs::read_to_string(&real).unwrap(), "new");
    }
    drop(folder);
}

#[test]
fn sessions_come_back_each_of_its_index_and_newer_ones_are_read_as_far_as_known() {
    let (_folder, folders) = home();
    assert_eq!(Session::load(&folders, "abc"), Ok(None));
    let live = Chosen {
        method: "hop".to_owned(),
        settings: BTreeMap::from([("alpha".to_owned(), "0.5".to_owned())]),
        seeds: vec!["Titan=mute".to_owned(), "+#titan=2".to_owned()],
        ..Chosen::default()
    };
    let session = Session {
        index: "/tmp/my-index".to_owned(),
        question: "Who?".to_owned(),
        runs: vec![Kept {
            question: "Who?".to_owned(),
            chosen: live.clone(),
            gold: vec![Some(3), None],
            ..Kept::default()
        }],
        pins: vec![live.clone()],
        live,
        ..Session::default()
    };
    session.save(&folders, "abc").unwrap();
    assert_eq!(Session::load(&folders, "abc"), Ok(Some(session)));
    assert_eq!(Session::load(&folders, "another"), Ok(None));
    assert_eq!(Session::recent(&folders), ["/tmp/my-index"]);
    let file = folders.session_file("abc");
    replace(&file, b"{\"view\":\"flow\",\"zoom\":\"2\"}").unwrap();
    let newer = Session::load(&folders, "abc").unwrap().unwrap();
    assert_eq!(newer.view, crate::explorer::layout::View::Flow);
    replace(&file, b"{\"view\":").unwrap();
    assert!(
        Session::load(&folders, "abc")
            .unwrap_err()
            .contains("is damaged")
    );
    assert_eq!(Session::recent(&folders), [] as [&str; 0]);
}

#[test]
fn settings_are_read() {
    let text = "theme = 'mono'\nglyphs = 'ascii'\ncolor = '256'\nmouse = false\nplay_speed = 8\nhistory = 0\n\
                [parameters]\ndamping = 0.35\ntop-k = 20\nedge-weight = 'bin'\n";
    let (config, errors) = Config::parse("config.toml", text);
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(
        (config.theme.as_str(), config.glyphs),
        ("mono", Some(GlyphSet::Ascii))
    );
    assert_eq!(config.color, ColorChoice::Level(ColorLevel::Ansi256));
    assert_eq!(
        (config.mouse, config.play_speed, config.history),
        (false, 8, 0)
    );
    assert_eq!(config.parameters["damping"], "0.35");
    assert_eq!(config.parameters["top-k"], "20");
    assert!(!config.reduced_motion && config.method.is_none());
}

#[test]
fn every_mistake_names_its_line_and_the_rest_counts() {
    let text = "tehme = 'mono'\nmouse = 'no'\nglyphs = 'unicod'\nplay_speed = 9\ncolor = 'red'\nreduced_motion = true\nhistory = -1\n";
    let (config, errors) = Config::parse("config.toml", text);
    assert!(config.reduced_motion);
    let said: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let wanted = [
        "config.toml:1: `tehme`: unknown key, did you mean `theme`?",
        "config.toml:2: `mouse`: expected true or false, this is a string",
        "config.toml:3: `glyphs`: unknown glyph set `unicod`, did you mean `unicode`? Allowed: auto, unicode, unicode-safe, ascii",
        "config.toml:4: `play_speed`: allowed: 1 to 8, this is 9",
        "config.toml:5: `color`: unknown colour choice `red`; allowed: auto, always, never, truecolor, 256, 16",
        "config.toml:7: `history`: allowed: 0 to 100000, this is -1",
    ];
    assert_eq!(said, wanted);
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_kept_file_is_not_waited_for() {
    let (_folder, folders) = home();
    std::fs::create_dir_all(&folders.state).unwrap();
    let path = folders.history_file();
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    let (mut history, note) = History::open(&path, 10);
    assert!(note.unwrap().contains("no regular file"));
    history.add("why?", "").unwrap();
    assert_eq!(questions(&history), ["why?"], "for this session");
}
