//! The real binary in a pseudo-terminal: it answers, it survives, and it gives the terminal back as it was.
#![cfg(unix)]

use crate::common::session::{PATIENCE, Session};
use crate::common::within;
use portable_pty::PtySize;
use std::time::Duration;

#[test]
fn it_opens_answered_and_quits_clean() {
    let mut session = Session::start(36, 120, &[]);
    session.wait_for("Passages: 10 of");
    session.wait_for(" 1 ");
    session.wait_for("R@5");
    session.send("q");
    assert_eq!(session.exit_code(), 0);
    session.assert_restored();
}

#[test]
fn a_question_is_typed_and_answered() {
    let mut session = Session::start(30, 100, &[]);
    session.wait_for("Passages: 10 of");
    session.send("i");
    session.wait_for("Enter run");
    session.send("\u{15}Who discovered Uranus?\r");
    session.wait_for("> Who discovered Uranus?");
    session.wait_for("A Uranus");
    session.send("\u{12}");
    session.wait_for("Questions asked");
    session.send("\u{1b}");
    session.wait_until(|screen| !screen.contains("Questions asked"), "it closed");
    session.send("q");
    assert_eq!(session.exit_code(), 0);
    session.assert_restored();
}

#[test]
fn a_slider_moves_and_the_status_says_what_it_did() {
    let mut session = Session::start(36, 120, &["--set", "alpha=0.2"]);
    session.wait_for("alpha .2");
    session.send("lll");
    session.wait_for("alpha .23");
    session.wait_for("R@5");
    session.send("z");
    session.wait_for("undone: restart alpha 0.23 > 0.22");
    session.send("q");
    assert_eq!(session.exit_code(), 0);
}

#[test]
fn the_neighbourhood_is_walked_as_fast_as_keys_come() {
    let mut session = Session::start(48, 160, &["--method", "graph"]);
    session.wait_for("Passages: 10 of");
    session.send("B");
    session.wait_for("Neighbourhood of");
    session.send("B");
    session.wait_for("Seeds");
    session.send("\u{1b}[C\u{1b}[C\u{1b}[B");
    session.wait_for("question > Delhi > \u{b6} Jantar Mantar > ");
    session.wait_for("this way carries");
    session.send("x");
    session.wait_for("1 hidden");
    session.send("/");
    session.wait_for("Find a node");
    session.send("samarkand\r");
    session.wait_for("Neighbourhood of Samarkand");
    session.send("g");
    session.wait_for("Picture around Samarkand");
    session.send("q");
    assert_eq!(session.exit_code(), 0);
    session.assert_restored();
}

#[test]
fn a_storm_of_resizes_leaves_a_whole_screen() {
    let mut session = Session::start(48, 160, &[]);
    session.wait_for("Passages: 10 of");
    for (rows, cols) in [
        (10, 40),
        (1, 1),
        (24, 80),
        (5, 200),
        (60, 20),
        (30, 100),
        (16, 60),
        (50, 170),
        (36, 120),
    ] {
        session.resize(rows, cols);
        // The trial: as a window is dragged, each comes while the one before may still be drawn.
        std::thread::sleep(Duration::from_millis(15));
    }
    let whole = ["Passages: 10 of", "Iterations", "? help"];
    let holds = |screen: &str| whole.iter().all(|words| screen.contains(words));
    session.wait_until(holds, "a whole screen");
    session.send("q");
    assert_eq!(session.exit_code(), 0);
    session.assert_restored();
}

/// A program may say anything of the terminal's size.
#[test]
fn a_size_that_no_terminal_has_takes_no_more_than_one_that_some_have() {
    let mut session = Session::start(36, 120, &[]);
    session.wait_for("Passages: 10 of");
    let before = session.written();
    // Not the emulator: it would have to have the cells.
    let size = PtySize {
        rows: u16::MAX,
        cols: u16::MAX,
        ..PtySize::default()
    };
    session.master.resize(size).unwrap();
    assert!(session.wait_for_more(before, PATIENCE), "never drawn");
    session.resize(36, 120);
    session.send("?");
    session.wait_for("type to filter");
    session.master.resize(size).unwrap();
    session.signal("TERM");
    assert_eq!(session.exit_code(), 143);
    session.assert_restored();
}

/// What comes from the keyboard and a new size may be seen in one look at what is ready; neither may hide the other.
#[test]
fn a_key_pressed_while_the_window_changes_its_size_is_not_kept_for_later() {
    let mut session = Session::start(30, 100, &[]);
    session.wait_for("Passages: 10 of");
    for turn in 0..60u16 {
        session.resize(30 + turn % 7, 100 + turn % 11);
        // The trial: not the same moment each time.
        std::thread::sleep(Duration::from_micros(u64::from(turn % 50) * 20));
        session.send("?");
        session.wait_for("type to filter");
        session.resize(30 + turn % 5, 100 + turn % 13);
        session.send("\x1b");
        session.wait_for("Question 1 of 92");
    }
    session.send("q");
    assert_eq!(session.exit_code(), 0);
    session.assert_restored();
}

#[test]
fn sigterm_gives_the_terminal_back() {
    let session = Session::start(36, 120, &[]);
    session.wait_for("Passages: 10 of");
    session.signal("TERM");
    assert_eq!(session.exit_code(), 143);
    session.assert_restored();
}

/// Waits until the only child of a shell is stopped, or goes on.
#[track_caller]
fn child_of(session: &Session, stopped: bool) {
    let parent = session.id.to_string();
    let mut all = String::new();
    let came = within(PATIENCE, || {
        let ps = std::process::Command::new("ps")
            .args(["-A", "-o", "ppid=,stat="])
            .output();
        all = String::from_utf8(ps.unwrap().stdout).unwrap();
        let mut all = all
            .lines()
            .map(|line| Vec::from_iter(line.split_whitespace()));
        let own = all.find(|fields| fields[0] == parent);
        own.is_some_and(|own| own[1].starts_with('T') == stopped)
    });
    assert!(came, "none of {parent} in\n{all}");
}

#[test]
fn ctrl_z_gives_the_terminal_to_the_shell_and_fg_draws_the_screen_again() {
    // A shell that controls its jobs, and brings them back when it is told to.
    let shell = "set -m; \"$0\" \"$@\"; for turn in 1 2; do read go; fg; done";
    let mut session = Session::under(&["sh", "-c", shell], 36, 120, &[]);
    session.wait_for("Passages: 10 of");
    // While a field is open too; the field stays open.
    for (taken, keys) in [(1, "\u{1a}"), (2, "i\u{15}Who discovered\u{1a}")] {
        session.send(keys);
        child_of(&session, true);
        session.assert_restored_after(taken);
        assert!(
            !session.screen().contains("Passages"),
            "{}",
            session.screen()
        );
        session.send("\r");
        child_of(&session, false);
        session.wait_for("Passages: 10 of");
    }
    session.wait_for("> Who discovered");
    session.send(" Uranus?\r");
    session.wait_for("> Who discovered Uranus?");
    session.wait_for("A Uranus");
    session.send("q");
    assert_eq!(session.exit_code(), 0);
}

/// As in `docker run -it` and `ssh -t host hopscope`: the program leads its session.
#[test]
fn where_no_shell_waits_ctrl_z_stops_nothing() {
    let mut session = Session::start(36, 120, &[]);
    session.wait_for("Passages: 10 of");
    for turn in 1..4 {
        match turn {
            1 => session.send("\u{1a}"),
            2 => session.signal("TSTP"),
            // Nothing but a person who means it stops it; and then it goes on.
            _ => {
                session.signal("STOP");
                session.signal("CONT");
            }
        }
        session.send("?");
        session.wait_for("type to filter");
        session.send("\u{1b}");
        session.wait_for("Question 1 of 92");
    }
    session.signal("TERM");
    assert_eq!(session.exit_code(), 143);
    session.assert_restored_after(2);
}

#[test]
fn leaving_with_the_screen_puts_it_into_the_scrollback() {
    let mut session = Session::start(24, 80, &[]);
    session.wait_for("Passages: 10 of");
    session.send("Q");
    assert_eq!(session.exit_code(), 0);
    session.assert_restored();
    let after = String::from_utf8_lossy(&session.bytes()).into_owned();
    let (_, left) = after.rsplit_once("\u{1b}[?1049l").unwrap();
    assert!(
        left.contains("Passages"),
        "the last screen follows the end of the alternate one"
    );
}

#[test]
fn idle_draws_nothing() {
    let mut session = Session::start(36, 120, &[]);
    session.wait_for("Passages: 10 of");
    let rests = session.rests_for(Duration::from_millis(600));
    assert!(rests, "it goes on drawing:\n{}", session.screen());
    session.send("q");
    assert_eq!(session.exit_code(), 0);
}

#[test]
fn without_a_terminal_it_refuses_politely() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_hopscope"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("needs a terminal") && said.contains("hopscope ask"),
        "{said}"
    );
}

#[test]
fn a_preset_is_kept_where_the_next_session_finds_it() {
    let mut session = Session::start(40, 120, &["--method", "names > noderag > push > passages"]);
    session.wait_for("Passages");
    session.send("pp");
    session.wait_for("Keep as a preset");
    session.send("my-walk\r");
    session.wait_for("preset my-walk kept in");
    let kept = session.home.path().join("config/presets.toml");
    let text = std::fs::read_to_string(kept).unwrap();
    assert!(
        text.contains("method = \"names > noderag > push > passages\""),
        "{text}"
    );
    session.send("q");
}

#[test]
fn labels_survive_a_kill_and_become_gold() {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/sample-corpus");
    let mut session = Session::start(36, 120, &[sample, "--annotator", "em"]);
    session.wait_for("Passages: 10 of");
    session.send("6");
    session.wait_for("set of ");
    // Typed faster than anything can be drawn.
    session.send("\r");
    session.wait_for("Enter save");
    session.send(&"2\r".repeat(10));
    session.wait_for("10 labels by em");
    session.signal("KILL");
    session.exit_code();
    let home = std::mem::replace(&mut session.home, tempfile::tempdir().unwrap());
    let kept = std::fs::read_dir(home.path().join("data/labels")).unwrap();
    let kept = kept.map(|file| file.unwrap().path()).next().unwrap();
    let text = std::fs::read_to_string(&kept).unwrap();
    assert_eq!(text.lines().count(), 10);
    // As a machine that lost its power leaves it.
    std::fs::write(&kept, format!("{text}{{\"question\":\"to")).unwrap();
    let mut session = Session::start_in(home, 36, 120, &[sample, "--annotator", "em"]);
    session.wait_for("skipped, not a label");
    session.send("6");
    session.wait_for("10 labels by em");
    session.send("z");
    session.wait_for("withdrawn");
    session.wait_for("9 labels by em");
    session.send("q");
    assert_eq!(session.exit_code(), 0);
    let run = |arguments: &[&str]| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_hopscope"))
            .args(arguments)
            .env("HOPSCOPE_HOME", session.home.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {said}");
        (String::from_utf8(output.stdout).unwrap(), said)
    };
    let gold = session.home.path().join("gold.tsv");
    let gold = gold.to_str().unwrap();
    let (_, said) = run(&["labels", sample, "--as", "qrels", "--out", gold]);
    assert!(said.contains("9 labels"), "{said}");
    let graded = std::fs::read_to_string(gold).unwrap();
    assert_eq!(
        graded.lines().filter(|line| line.ends_with("\t2")).count(),
        9
    );
    let measured = |arguments: &[&str]| -> serde_json::Value {
        let all = [&["eval", sample, "--json"], arguments].concat();
        serde_json::from_str(&run(&all).0).unwrap()
    };
    let (before, after) = (measured(&[]), measured(&["--qrels", gold]));
    assert_eq!(before["questions"], after["questions"]);
    assert_ne!(
        before["methods"][0]["measures"],
        after["methods"][0]["measures"]
    );
    // The same gold, written with the questions.
    let grown = session.home.path().join("grown.jsonl");
    let grown = grown.to_str().unwrap();
    run(&["labels", sample, "--as", "questions", "--out", grown]);
    let again = measured(&["--questions", grown]);
    assert_eq!(
        again["methods"][0]["measures"],
        after["methods"][0]["measures"]
    );
}

/// The habits of a person who comes back: a first screen, a narrowed list, the text beside it, another corpus opened in
/// place, and the session of each resumed when it is asked for.
#[test]
fn a_person_begins_narrows_reads_opens_another_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = folder.path().join("planets.jsonl");
    let lines = [
        "{\"id\": \"u\", \"title\": \"Uranus\", \"text\": \"William Herschel discovered Uranus in 1781 at Bath.\"}",
        "{\"id\": \"h\", \"title\": \"William Herschel\", \"text\": \"William Herschel was born in Hanover and lived in Bath.\"}",
        "{\"id\": \"n\", \"title\": \"Neptune\", \"text\": \"Johann Galle found Neptune at Berlin in 1846.\"}",
    ];
    std::fs::write(&corpus, lines.join("\n")).unwrap();
    let mut session = Session::start_in(tempfile::tempdir().unwrap(), 48, 160, &[]);
    session.wait_for("This terminal");
    for words in [
        "Tour",
        "Lessons",
        "Open an index",
        "160 x 48, all panes fit",
        "true colour",
        "OSC 52",
    ] {
        session.wait_for(words);
    }
    session.send("r");
    session.wait_for("no earlier session");
    session.send("\u{1b}");
    session.wait_for("Passages: 10 of");
    session.send("/zzzz");
    session.wait_for("no row has that");
    session.send("\u{1b}");
    session.wait_for("Passages: 10 of");
    session.send("vj");
    session.wait_for("question words");
    session.send("v");
    session.send("i\u{15}Who discovered Uranus?\r");
    session.wait_for("> Who discovered Uranus?");
    session.wait_for("2 runs");
    session.send("O");
    session.wait_for("Open an index or corpus");
    session.send(&format!("{}/nothing-here\r", folder.path().display()));
    session.wait_for("no matches");
    session.send(&format!("\u{15}{}/pl", folder.path().display()));
    session.wait_for("planets.jsonl");
    session.send("\r");
    session.wait_for("3 passages");
    session.send("i\u{15}Where was Galle?\r");
    session.wait_for("Johann Galle");
    session.send("i\u{15}Where did Herschel live?\r");
    session.wait_for("2 runs");
    session.send("O");
    session.wait_for("the bundled sample");
    session.send("\r");
    session.wait_for("225 passages");
    session.wait_for("press r to resume the last session: 2 runs");
    session.send("q");
    assert_eq!(session.exit_code(), 0);
    session.assert_restored();
    let home = std::mem::replace(&mut session.home, tempfile::tempdir().unwrap());
    let kept = std::fs::read_dir(home.path().join("state/sessions")).unwrap();
    assert_eq!(kept.count(), 2, "one for each");
    let mut session = Session::start_in(home, 48, 160, &[]);
    session.wait_for("This terminal");
    session.wait_for("2 runs on the sample, Who discovered Uranus?");
    session.send("r");
    session.wait_for("resumed with 2 runs");
    session.wait_for("> Who discovered Uranus?");
    session.send("O");
    session.wait_for("planets.jsonl");
    session.send("planets\r");
    session.wait_for("press r to resume the last session: 2 runs");
    session.send("r");
    session.wait_for("> Where did Herschel live?");
    session.send("q");
    assert_eq!(session.exit_code(), 0);
    session.assert_restored();
}

#[test]
fn a_session_survives_a_kill() {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/sample-corpus");
    let mut session = Session::start(48, 160, &[sample]);
    session.wait_for("Passages: 10 of");
    session.send("i\u{15}Who discovered Uranus?\r");
    session.wait_for("Session: 2 runs");
    let folder = session.home.path().join("state/sessions");
    let kept = || {
        // Not the file that is being written to take its place: a kill leaves the old one.
        let mut files = std::fs::read_dir(&folder).ok()?.flatten();
        let file = files.find(|file| file.path().extension().is_some_and(|e| e == "json"))?;
        std::fs::read_to_string(file.path()).ok()
    };
    let asked = |text: String| text.contains("Who discovered Uranus?");
    assert!(within(PATIENCE, || kept().is_some_and(asked)), "never kept");
    session.signal("KILL");
    session.exit_code();
    let home = std::mem::replace(&mut session.home, tempfile::tempdir().unwrap());
    let mut session = Session::start_in(home, 48, 160, &[sample]);
    session.wait_for("press r to resume the last session: 2 runs, Who discovered Uranus?");
    session.send("r");
    session.wait_for("> Who discovered Uranus?");
    session.wait_for("Session: 2 runs");
    session.send("q");
    assert_eq!(session.exit_code(), 0);
}

/// A mapped file that is cut short under the program cannot be read on: it ends by a sentence, not by a dead terminal.
#[test]
fn a_file_that_is_cut_short_while_it_is_read_ends_it_with_a_sentence() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("index");
    let index = std::process::Command::new(env!("CARGO_BIN_EXE_hopscope"))
        .arg("index")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/sample-corpus"))
        .arg("--out")
        .arg(&folder)
        .output()
        .unwrap();
    assert!(index.status.success());
    let mut session = Session::start(36, 120, &[&folder.to_string_lossy()]);
    // What is asked next is to read the cut files, not what is still being worked out.
    session.wait_for("Passages: 10 of");
    assert!(session.rests_for(Duration::from_millis(150)));
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let file = std::fs::File::options().write(true).open(path).unwrap();
                file.set_len(0).unwrap();
            }
        }
    }
    session.send("i\u{15}Who discovered the rings of Uranus?\r");
    assert_eq!(session.exit_code(), 2);
    session.assert_restored();
    let screen = session.screen();
    assert!(
        screen.contains("a file of the index was cut short"),
        "{screen}"
    );
}

/// The columns of a line of the screen that begins with a word, between borders.
fn cells(screen: &str, begins: &str) -> Vec<String> {
    let pieces = screen.lines().flat_map(|line| line.split(['│', '┃']));
    let found = pieces
        .map(str::trim)
        .find(|piece| piece.starts_with(begins));
    let found = found.unwrap_or_else(|| panic!("no {begins:?} in:\n{screen}"));
    found.split_whitespace().map(str::to_owned).collect()
}

/// A researcher finds a loss, holds another method against the one that loses it, on this question and on the set, keeps
/// what won as a preset, and finds the same figures in the shell.
#[test]
fn a_researcher_finds_a_loss_compares_and_keeps_what_won() {
    let mut session = Session::start(48, 160, &["--method", "graph"]);
    session.wait_for("Passages");
    session.send("n");
    session.wait_for("misses gold table-noble: ");
    // What follows is held against this question's own run.
    session.wait_for("Why is gold \"The noble gases\"");
    session.send("P");
    session.wait_for("pinned as A");
    session.send("m");
    session.send("graph-rrf\r");
    session.wait_for("method graph > graph-rrf");
    session.send("2");
    session.wait_for("changes cannot be tried singly");
    // The set is asked meanwhile; at the end every question is counted.
    let screen = session.wait_for("86 questions");
    let set = &screen[screen.find("Set: A vs live").unwrap()..];
    // `R@5 .30 > .76: ...`
    let line = cells(set, "R@5 ");
    let [a, live] = [1, 3].map(|at| line[at].trim_end_matches(':').parse::<f64>().unwrap());
    assert!(live > a, "what reads the words too finds more: {set}");
    assert!(set.contains("Better"), "{set}");
    session.send("pp");
    session.wait_for("Keep as a preset");
    session.send("better\r");
    session.wait_for("preset better kept in");
    session.send("q");
    assert_eq!(session.exit_code(), 0);
    session.assert_restored();

    let shell = std::process::Command::new(env!("CARGO_BIN_EXE_hopscope"))
        .args([
            "eval",
            "sample-corpus",
            "--method",
            "graph,better",
            "--json",
        ])
        .env("HOPSCOPE_HOME", session.home.path())
        .output()
        .unwrap();
    let told: serde_json::Value = serde_json::from_slice(&shell.stdout).unwrap();
    let measure = |at: usize| told["methods"][at]["measures"]["R@5"].as_f64().unwrap();
    assert!(
        (measure(0) - a).abs() < 0.0006 && (measure(1) - live).abs() < 0.0006,
        "{set}"
    );
    assert_eq!(told["methods"][1]["run"], "better");
}

/// An educator teaches a lesson from its start to its end: reads, lets guess, shows, and has the screen as before.
#[test]
fn an_educator_teaches_a_lesson_from_start_to_end() {
    let mut session = Session::start(36, 120, &["--lesson", "restart"]);
    session.wait_for("What restart does");
    session.wait_for("the passage is rank 3.");
    session.send(">");
    session.wait_for("Step 0: all mass");
    session.send(">");
    let screen = session.wait_for("What happens to foucault?");
    // The answer is not given away, and going on waits for a guess.
    assert!(!screen.contains("It falls to"), "{screen}");
    session.send("a");
    session.wait_for("right");
    session.wait_for("It falls to rank 27.");
    session.wait_for("restart alpha 0.15 > 0.9");
    session.send(">");
    session.wait_for("almost nothing returns");
    session.send(">");
    session.wait_for("Between the two nothing changes");
    session.send(">");
    session.wait_for("sweep restart alpha");
    session.send(">");
    let screen = session.wait_for("end of lesson restart");
    assert!(!screen.contains("What restart does"), "{screen}");
    assert!(
        screen.contains("hop"),
        "the method is that of before: {screen}"
    );
    session.send("q");
    assert_eq!(session.exit_code(), 0);
    session.assert_restored();
}

/// A lesson on its own corpus: the index that was open is there again after it.
#[test]
fn a_lesson_on_its_own_corpus_gives_the_index_back() {
    let mut session = Session::start(36, 120, &["--lesson", "pagerank"]);
    session.wait_for("PageRank from scratch");
    session.wait_for("A graph of 5 nodes");
    session.wait_for("toothed wheel");
    session.send(">");
    session.wait_for("which nodes have mass?");
    session.send("a");
    session.wait_for(".9900");
    session.send("\u{10}");
    session.send("lesson: leave");
    session.wait_for("Lesson: leave it");
    session.send("\r");
    let screen = session.wait_for("end of the lesson");
    assert!(screen.contains("225 passages"), "{screen}");
    assert!(!screen.contains("PageRank from scratch"), "{screen}");
    session.send("q");
    assert_eq!(session.exit_code(), 0);
    session.assert_restored();
}

#[test]
fn an_index_that_cannot_be_opened_gives_the_terminal_back_and_says_why() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("index");
    let built = std::process::Command::new(env!("CARGO_BIN_EXE_hopscope"))
        .args(["index", "sample-corpus", "--with", "none", "--out"])
        .arg(&folder)
        .output();
    assert!(built.unwrap().status.success());
    std::fs::write(folder.join("passages.sorted"), b"other").unwrap();
    let session = Session::start(24, 80, &[&folder.to_string_lossy()]);
    assert_eq!(session.exit_code(), 2);
    session.assert_restored();
    let screen = session.screen();
    assert!(screen.contains("passages.sorted"), "{screen}");
}

/// What a corpus may hold that a terminal acts on: the clipboard, colours, the cursor, the direction of writing.
const ODD: &str =
    "\u{1b}]52;c;aGFjaw==\u{7}\u{9b}31m\u{1b}[99;77H\u{202e}\u{2066}\u{61c}\u{200f}\u{7f}\u{8}\r";

/// The first place where something of a corpus reached the terminal as it is. The program's own control sequences are
/// `ESC [`, figures and a letter.
fn acted_on(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let mut rest = &*text;
    while let Some(at) = rest.find(|c: char| {
        let mark = "\u{61c}\u{200e}\u{200f}\u{202e}\u{2066}\u{feff}".contains(c);
        (c.is_control() && !"\r\n\t".contains(c)) || mark
    }) {
        let begins = &rest[at..];
        let own = begins.strip_prefix("\u{1b}[").and_then(|after| {
            let end = after.find(|c: char| !c.is_ascii_digit() && !"?;<>=".contains(c))?;
            (after[end..].starts_with(|c: char| c.is_ascii_alphabetic())
                && !after.starts_with("99;77H"))
            .then(|| &after[end + 1..])
        });
        let Some(after) = own else {
            return Some(begins.chars().take(60).collect());
        };
        rest = after;
    }
    None
}

/// A corpus whose every part is hostile, questions with gold, and labels.
fn hostile(folder: &std::path::Path) {
    use serde_json::json;
    let lines = |values: &[serde_json::Value]| -> String {
        values.iter().map(|value| format!("{value}\n")).collect()
    };
    std::fs::create_dir_all(folder.join("corpus/qrels")).unwrap();
    let passage = |id: &str, title: &str, text: &str| {
        let odd = |text: &str| text.replace('*', ODD);
        json!({"_id": odd(id), "title": odd(title), "text": odd(text)})
    };
    let passages = [
        passage(
            "a*",
            "Mara *Voss",
            "Mara Voss founded Tidewater* Press in Hull in 1921. *",
        ),
        passage(
            "b*",
            "Tidewater Press*",
            "Tidewater Press printed the Hull* Gazette. Mara Voss* led it.",
        ),
        passage(
            "c*",
            "*",
            "The Hull Gazette was read in Hull*. Hull is a port.",
        ),
        passage(
            "d",
            "Hull*",
            "Hull is a port on the Humber*. It has a press.",
        ),
    ];
    let asked = format!("Who founded Tidewater{ODD} Press in Hull{ODD}?");
    let queries =
        [json!({"_id": format!("q{ODD}"), "text": asked, "metadata": {"answer": "Mara Voss"}})];
    std::fs::write(folder.join("corpus/corpus.jsonl"), lines(&passages)).unwrap();
    std::fs::write(folder.join("corpus/queries.jsonl"), lines(&queries)).unwrap();
    // A table knows no line break in a cell.
    let gold = format!("query-id\tcorpus-id\tscore\nq{ODD}\td\t1\n");
    std::fs::write(folder.join("corpus/qrels/test.tsv"), gold.replace('\r', "")).unwrap();
    let label = |who: &str, grade: usize| {
        json!({"question": format!("q{ODD}"), "text": asked, "passage": format!("a{ODD}"), "grade": grade,
               "note": ODD, "annotator": format!("{who}{ODD}")})
    };
    std::fs::write(folder.join("em.jsonl"), lines(&[label("em", 2)])).unwrap();
    std::fs::write(folder.join("jo.jsonl"), lines(&[label("jo", 0)])).unwrap();
}

/// Every command and every view, over a corpus that tries to take the terminal over.
#[test]
fn nothing_that_a_corpus_holds_acts_on_the_terminal() {
    let odd = ODD.replace('\r', "");
    let place = tempfile::tempdir().unwrap();
    hostile(place.path());
    let at = |name: &str| place.path().join(name).to_string_lossy().into_owned();
    let (corpus, ix) = (at("corpus"), at(&format!("ix{odd}")));
    let (em, jo) = (at("em.jsonl"), at("jo.jsonl"));
    let passage = format!("a{ODD}");
    let question = "Who founded Tidewater Press in Hull?";
    let config = tempfile::tempdir().unwrap();
    std::fs::create_dir(config.path().join("config")).unwrap();
    let presets =
        format!("[{:?}]\nmethod = \"bm25\"\n", "own\u{1}").replace("\\u{1}", "\\u001b[99;77H");
    std::fs::write(config.path().join("config/presets.toml"), presets).unwrap();
    let mut home = Some(config);
    let mut run = |args: &[&str]| {
        let mut session = Session::start_in(home.take().unwrap(), 50, 300, args);
        let code = session.exit_code();
        let bytes = session.bytes();
        let said = String::from_utf8_lossy(&bytes).into_owned();
        assert_eq!(acted_on(&bytes), None, "{args:?}");
        home = Some(std::mem::replace(
            &mut session.home,
            tempfile::tempdir().unwrap(),
        ));
        (code, said)
    };
    let (code, said) = run(&["index", &corpus, "--out", &ix]);
    assert!(code == 0 && said.contains("^[]52;c;aGFjaw==^G"), "{said}");
    let works: &[&[&str]] = &[
        &["index", &corpus, "--out", &at("other"), "--json"],
        &["index", &ix, "--add", "sage"],
        &["ask", &ix, question],
        &["ask", &corpus, question, "--json"],
        &["trace", &ix, question],
        &[
            "trace",
            &ix,
            question,
            "-m",
            "graph",
            "--seed",
            &format!("no{ODD}=mute"),
        ],
        &["trace", &ix, question, "--json"],
        &["trace", &ix, question, "--as", "dot"],
        &["trace", &ix, question, "--as", "graphml"],
        &["trace", &ix, question, "--as", "gexf"],
        &["trace", &ix, question, "--as", "node-link"],
        &["trace", &ix, question, "--as", "html"],
        &["explain", &ix, question, "-p", &passage],
        &[
            "explain",
            &ix,
            question,
            "-p",
            "d",
            "-m",
            "graph",
            "-s",
            "result_k=1",
            "--repairs",
        ],
        &["explain", &ix, question, "-p", &passage, "--than", "d"],
        &["explain", &ix, question, "-p", &passage, "--json"],
        &["eval", &ix, "-m", "bm25,hop", "--by-type", "--losses"],
        &["eval", &ix, "-m", "bm25", "--json"],
        &["compare", &ix, &format!("q{odd}"), "-m", "bm25,hop"],
        &["compare", &ix, question, "-m", "bm25,hop", "--json"],
        &[
            "sweep",
            &ix,
            &format!("q{odd}"),
            "--over",
            "alpha",
            "--as",
            "tsv",
        ],
        &["sweep", &ix, &format!("q{odd}"), "--over", "alpha"],
        &["sweep", &ix, question, "--over", "alpha", "--as", "json"],
        &["stats", &ix],
        &["stats", &ix, "--json"],
        &["doctor", &ix],
        &["doctor", &ix, "--json"],
        &["labels", &ix, &em],
        &["labels", &ix, &em, "--as", "qrels"],
        &["labels", &ix, &em, "--as", "questions"],
        &["labels", &ix, &em, "--as", "argilla"],
        &["labels", &ix, &em, "--as", "label-studio"],
        &["labels", &em, &jo, "--agreement"],
        &["methods"],
        &["methods", "--json"],
        &["parameters"],
        &["reference"],
        &["completions", "bash"],
        &["man"],
        &["--help"],
    ];
    for args in works {
        let (code, said) = run(args);
        assert_eq!(code, 0, "{args:?}: {said}");
    }
    for args in [
        &["ask", &corpus, question, &odd][..],
        &["ask", &ix, question, "-m", &odd],
        &["explain", &ix, question, "-p", &odd],
        &[&*odd],
        &["stats", &ix, &format!("--{odd}")],
        &["ask", &ix, question, "--format", &odd],
    ] {
        let (code, said) = run(args);
        assert_eq!(code, 2, "{args:?}: {said}");
    }
    let keys = "2 3 4 5 6 Esc Tab Down Enter ? Esc";
    for ending in ["txt", "svg", "ans", "cast"] {
        let file = at(&format!("x.{ending}"));
        let (code, said) = run(&[&ix, "--screenshot", &file, "--keys", keys]);
        assert_eq!(code, 0, "{said}");
        assert_eq!(acted_on(&std::fs::read(file).unwrap()), None, "{ending}");
    }
    let curve = at("curve.svg");
    run(&["eval", &ix, "-m", "bm25", "--curve", &curve]);
    assert_eq!(acted_on(&std::fs::read(curve).unwrap()), None);

    let mut lines = Session::start(50, 200, &["--plain", &ix]);
    lines.wait_for("> ");
    for line in ["1", ":spread", ":why", "!yy", ":paths", ":copy", "Hull", ""] {
        lines.send(&format!("{line}\n"));
        lines.rests_for(Duration::from_millis(150));
    }
    lines.send(":quit\n");
    assert_eq!(lines.exit_code(), 0);
    assert_eq!(acted_on(&lines.bytes()), None, "in lines");

    let mut screen = Session::start(50, 160, &[&ix]);
    screen.wait_for("Passages: ");
    for key in ["2", "3", "4", "5", "6", "\u{1b}", "\t", "j", "\r"] {
        screen.send(key);
        screen.rests_for(Duration::from_millis(150));
    }
    screen.send("Q");
    assert_eq!(screen.exit_code(), 0);
    assert_eq!(acted_on(&screen.bytes()), None, "on the screen");
}

#[test]
fn words_of_the_question_are_bold_where_passages_are_printed() {
    let ask = ["ask", "Who discovered the moon Titan?", "-m", "bm25"];
    let session = Session::start(24, 80, &ask);
    assert_eq!(session.exit_code(), 0);
    let bytes = session.bytes();
    let written = String::from_utf8_lossy(&bytes);
    assert!(written.contains("\u{1b}[1mTitan\u{1b}[22m"), "{written}");
}

/// A session recorded as a moving picture, and a figure written from inside it.
#[test]
fn a_session_is_recorded_as_svg_and_a_pane_is_written_as_a_figure() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let inside = folder.path().to_str().unwrap();
    let by = ["env", "-C", inside];
    let mut session = Session::under(&by, 40, 120, &["--record", "session.svg"]);
    session.wait_for("Passages: ");
    session.send("Ep");
    session.wait_for("wrote hopscope-passages.svg");
    session.send("3");
    session.wait_for("[3 Flow]");
    session.send("q");
    assert_eq!(session.exit_code(), 0);
    let figure = std::fs::read_to_string(at("hopscope-passages.svg")).unwrap();
    assert!(figure.contains("fill=\"#ffffff\""));
    let recorded = std::fs::read_to_string(at("session.svg")).unwrap();
    assert!(recorded.ends_with("</svg>\n"));
    assert!(recorded.contains("step-end infinite"));
    // The first screen, the message and the other view are in it.
    for text in ["wrote hopscope-passages.svg", "[3 Flow]", "@keyframes k1{"] {
        assert!(recorded.contains(text), "{text}");
    }

    let refused = Session::under(&by, 40, 120, &["--record", "session.gif"]);
    refused.wait_for("a recording ends in .svg or .cast");
    assert_eq!(refused.exit_code(), 2);
}
