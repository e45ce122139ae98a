//! Key to frame: how long the explorer takes from a key to the frame that follows it, in every view, how long its worker
//! takes to answer and to explain, and what it draws while nothing happens.
//!
//! ```sh
//! cargo bench --bench frames -- INDEX
//! ```
//!
//! Without INDEX the bundled sample. Update, view and worker are the program's own; what is left out is the terminal and
//! its event loop, so a frame is written to nowhere. Idle frames are counted of the program itself, in a pseudo-terminal.
//! One line of the explanations can be looked into by itself:
//!
//! ```sh
//! perf record frames explain INDEX METHOD
//! ```

use anyhow::{Context, Result, bail};
use crossterm::event::KeyEvent;
use hopscope::explorer::action::{Action, Effect};
use hopscope::explorer::engine::Engine;
use hopscope::explorer::glyphs::GlyphSet;
use hopscope::explorer::jobs::{Heard, Work};
use hopscope::explorer::keys::Stroke;
use hopscope::explorer::layout::View;
use hopscope::explorer::scene::{Request, Subject};
use hopscope::explorer::stage::Stage;
use hopscope::explorer::theme::{ColorLevel, Theme};
use hopscope::index::{Index, sample};
use hopscope::retrieve::{Keep, Method, Retriever, Settings};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::io::{Read, Write, sink};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const SIZE: (u16, u16) = (160, 48);
/// The first is looked at in every view, the others where what is drawn depends on the method.
const METHODS: [&str; 4] = ["hop", "graph-rrf", "noderag", "ket-rag-p"];
const EXPLAINED: [&str; 5] = ["hop", "graph", "graph-rrf", "noderag", "ket-rag-p"];
/// Questions of the set that are asked, and steps of a parameter to each side.
const QUESTIONS: usize = 20;
const STEPS: usize = 6;

/// In every pane of a view.
const MOVES: &str = "j j j k PgDn PgDn PgUp G g Right Left , , . { . }";
/// What opens and closes over a view.
const OVERLAYS: [&str; 9] = [
    "? PgDn j Esc",
    ": PgDn j p a s s j Esc",
    "m j j Esc",
    "M j Esc",
    "F3 Esc",
    "Ctrl-R Esc",
    "p Esc",
    "F j j F",
    "/ a b Esc",
];

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    // Cargo adds a word of its own.
    let args: Vec<&str> = args
        .iter()
        .map(String::as_str)
        .filter(|arg| *arg != "--bench")
        .collect();
    match args[..] {
        ["explain", folder, method] => {
            explanations(&Arc::new(Index::open(Path::new(folder))?), &[method])
        }
        [folder] => all(Index::open(Path::new(folder))?, Some(folder)),
        _ => all(sample::index()?, None),
    }
}

fn all(index: Index, folder: Option<&str>) -> Result<()> {
    let index = Arc::new(index);
    let (passages, questions) = (index.len(), index.questions().len());
    if questions == 0 {
        bail!("the index has no questions: Evaluate and Annotate would be empty");
    }
    println!("{passages} passages, {questions} questions; milliseconds.\n");
    frames(&index)?;
    explanations(&index, &EXPLAINED)?;
    idle(folder)
}

/// Seconds that something took, and what it was.
#[derive(Default)]
struct Times(Vec<(f64, String)>);

impl Times {
    fn add(&mut self, began: Instant, what: &str) {
        self.0
            .push((began.elapsed().as_secs_f64(), what.to_owned()));
    }

    /// The value below which a share of them is, in milliseconds.
    fn at(&self, share: f64) -> String {
        let mut times: Vec<f64> = self.0.iter().map(|time| time.0).collect();
        times.sort_by(f64::total_cmp);
        let last = times.len().saturating_sub(1);
        let time = times.get((share * last as f64).round() as usize);
        time.map_or_else(|| "-".to_owned(), |time| format!("{:.1}", 1e3 * time))
    }

    fn longest(&self) -> String {
        let longest = self.0.iter().max_by(|a, b| a.0.total_cmp(&b.0));
        longest.map_or_else(
            || "-".to_owned(),
            |(time, what)| format!("{:.1} at {what}", 1e3 * time),
        )
    }
}

/// A stage whose frames are timed and written to nowhere.
struct Clock {
    stage: Stage,
    screen: Buffer,
    /// From a key to its frame; from an answer or other news to its frame.
    keys: Times,
    news: Times,
    /// The worker's answers.
    answers: Times,
}

impl Clock {
    fn new(index: &Arc<Index>, method: &str) -> Result<Clock> {
        let method = Method::by_name(method).map_err(anyhow::Error::msg)?;
        let theme = Theme::load("default-dark", ColorLevel::True).map_err(anyhow::Error::msg)?;
        let glyphs = GlyphSet::Unicode.glyphs();
        let settings = Settings::of(index, method);
        let mut clock = Clock {
            stage: Stage::new(index.clone(), "", settings, theme, glyphs),
            screen: Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1)),
            keys: Times::default(),
            news: Times::default(),
            answers: Times::default(),
        };
        clock.stage.scores = true;
        clock.draw();
        clock.does(Action::AskNumber(0));
        clock.keys = Times::default();
        Ok(clock)
    }

    /// Draws, finds what changed and writes that.
    fn draw(&mut self) {
        let screen = self.stage.draw(SIZE.0, SIZE.1);
        let changed = self.screen.diff(&screen).into_iter();
        let drawn = CrosstermBackend::new(sink()).draw(changed);
        drawn.expect("a sink takes everything");
        self.screen = screen;
    }

    /// An action to its frame, then what is answered to it, each to its frame.
    fn does(&mut self, action: Action) {
        let what = match &action {
            Action::Key(key) => format!("{} in {}", key.code, self.stage.state.view.name()),
            Action::Heard(Heard::Ask(_)) => "an answer".to_owned(),
            Action::Heard(Heard::Score(_)) => "a score of the set".to_owned(),
            Action::Tick => "a played step".to_owned(),
            _ => "other news".to_owned(),
        };
        let by_hand = matches!(action, Action::Key(_) | Action::Tick);
        let began = Instant::now();
        let effects = self.stage.update(action);
        self.draw();
        let times = match by_hand {
            true => &mut self.keys,
            false => &mut self.news,
        };
        times.add(began, &what);
        for effect in effects {
            let asks = matches!(effect, Effect::Begin(Work::Ask(_)));
            let began = Instant::now();
            let answers = self.stage.answer(effect);
            if asks {
                self.answers.add(began, &what);
            }
            answers.into_iter().for_each(|action| self.does(action));
        }
    }

    fn press(&mut self, keys: &str) {
        for key in keys.split_whitespace() {
            let stroke: Stroke = key.parse().expect("a key");
            let key = KeyEvent::new(stroke.code(), stroke.modifiers());
            self.does(Action::Key(key));
        }
    }

    /// Everything that is looked at in a view.
    fn look(&mut self, view: View) {
        let key = (1..).zip(View::ALL).find(|(_, known)| *known == view);
        let open = key.map_or_else(String::new, |(key, _)| key.to_string());
        self.press(&open);
        let drawn = match view {
            View::Graph => 3,
            _ => 1,
        };
        for _ in 0..drawn {
            for _ in view.panes() {
                self.press(MOVES);
                self.press(&open);
                self.press("Tab");
            }
            if view == View::Graph {
                self.press("t");
            }
        }
        for keys in OVERLAYS {
            self.press(keys);
        }
        if view == View::Annotate {
            self.press("A 1 + n a b Esc Esc b j j b");
        }
        self.press("{ Space");
        for _ in 0..STEPS {
            self.does(Action::Tick);
        }
        self.press(&format!("}} Esc {open}"));
    }

    /// One parameter to and fro. The set is not asked again each time: that takes as long as an evaluation.
    fn turn(&mut self) {
        self.stage.scores = false;
        for key in ["l", "h"] {
            (0..STEPS).for_each(|_| self.press(key));
        }
        self.stage.scores = true;
    }
}

/// A line for every view.
fn frames(index: &Arc<Index>) -> Result<()> {
    println!(
        "| view | method | keys | key to frame: p50 | p95 | most | news to frame: p95 | most | a step of a parameter, asked and explained: p50 | p95 |\n|---|---|---|---|---|---|---|---|---|---|"
    );
    for name in METHODS {
        let Ok(mut clock) = Clock::new(index, name) else {
            continue;
        };
        if clock.stage.state.scene().is_none() {
            continue;
        }
        let first = name == METHODS[0];
        if first {
            // Two pinned runs beside the live one.
            clock.press("P l P l");
        }
        let depends = |view: &View| matches!(view, View::Explore | View::Flow | View::Graph);
        for view in View::ALL.into_iter().filter(|view| first || depends(view)) {
            clock.look(view);
            let (keys, news) = (
                std::mem::take(&mut clock.keys),
                std::mem::take(&mut clock.news),
            );
            clock.answers = Times::default();
            clock.turn();
            let line = [
                view.name().to_owned(),
                name.to_owned(),
                (keys.0.len() + clock.keys.0.len()).to_string(),
            ];
            let keys = Times([keys.0, std::mem::take(&mut clock.keys.0)].concat());
            let news = Times([news.0, std::mem::take(&mut clock.news.0)].concat());
            println!(
                "| {} | {} | {} | {} | {} | {} | {} | {} |",
                line.join(" | "),
                keys.at(0.5),
                keys.at(0.95),
                keys.longest(),
                news.at(0.95),
                news.longest(),
                clock.answers.at(0.5),
                clock.answers.at(0.95)
            );
        }
    }
    println!();
    Ok(())
}

/// A line for every method: a question asked, and what explaining it takes beyond that.
fn explanations(index: &Arc<Index>, methods: &[&str]) -> Result<()> {
    println!(
        "| method | ask: p50 | p95 | explain, less ask: p50 | p95 | another passage: p50 | p95 | one outside the cut: p50 | p95 | and Flow: p50 | and Graph: p50 |\n|---|---|---|---|---|---|---|---|---|---|---|"
    );
    for name in methods {
        let method = Method::by_name(name).map_err(anyhow::Error::msg)?;
        let settings = Settings::of(index, method);
        let mut retriever = Retriever::new(index.clone());
        let mut engine = Engine::new(index.clone());
        let mut times: [Times; 6] = Default::default();
        // The first question makes the graph and is not counted.
        for (at, question) in index.questions().iter().enumerate().take(QUESTIONS + 1) {
            let began = Instant::now();
            if let Err(said) = retriever.retrieve(&question.text, &settings, Keep::Scores) {
                println!("| `{name}` | {said} |");
                break;
            }
            let asked = began.elapsed().as_secs_f64();
            let mut answer = |subject: Subject, view: View| {
                let request = Request {
                    question: question.text.clone(),
                    asked: Some(at),
                    settings: settings.clone(),
                    subject,
                    view,
                    browse: None,
                };
                let began = Instant::now();
                let answer = engine.answer(&request);
                answer.map(|answer| (answer, began.elapsed().as_secs_f64()))
            };
            let (first, explained) = answer(Subject::default(), View::Explore)?;
            let of = |place: usize| Subject {
                passage: first.scene.passages.get(place).map(|row| row.passage),
                ..Subject::default()
            };
            let (inside, outside) = (of(3), of(first.scene.top_k + 20));
            let inside = answer(inside, View::Explore)?.1;
            let outside = answer(outside, View::Explore)?.1;
            let plain = answer(Subject::default(), View::Explore)?.1;
            let flow = answer(Subject::default(), View::Flow)?.1 - plain;
            let ways = answer(Subject::default(), View::Graph)?.1 - plain;
            let all = [asked, explained - asked, inside, outside, flow, ways];
            if at > 0 {
                for (times, own) in times.iter_mut().zip(all) {
                    times.0.push((own, String::new()));
                }
            }
        }
        let [asked, explained, inside, outside, flow, ways] = times;
        let both = |times: &Times| format!("{} | {}", times.at(0.5), times.at(0.95));
        println!(
            "| `{name}` | {} | {} | {} | {} | {} | {} |",
            both(&asked),
            both(&explained),
            both(&inside),
            both(&outside),
            flow.at(0.5),
            ways.at(0.5)
        );
    }
    println!();
    Ok(())
}

/// Frames that the program draws while nothing is pressed, by view: each begins with a synchronized update.
fn idle(folder: Option<&str>) -> Result<()> {
    const FRAME: &[u8] = b"\x1b[?2026h";
    const QUIET: Duration = Duration::from_secs(2);
    const PATIENCE: Duration = Duration::from_secs(300);
    let pair = native_pty_system().openpty(PtySize {
        rows: SIZE.1,
        cols: SIZE.0,
        pixel_width: 0,
        pixel_height: 0,
    })?;
    let home = tempfile::tempdir()?;
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_hopscope"));
    command.args(folder);
    command.env("TERM", "xterm-256color");
    command.env("HOPSCOPE_HOME", home.path());
    let mut child = pair.slave.spawn_command(command)?;
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader()?;
    let mut writer = pair.master.take_writer()?;
    let written = Arc::new(Mutex::new(Vec::new()));
    let sink = written.clone();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = reader.read(&mut buffer) {
            if let Ok(mut written) = sink.lock() {
                written.extend_from_slice(&buffer[..count]);
            }
        }
    });
    let frames = || {
        let written = written.lock().map_or(Vec::new(), |written| written.clone());
        let frames = written.windows(FRAME.len()).filter(|part| *part == FRAME);
        frames.count()
    };
    println!("| view | frames drawn in {QUIET:?} without a key |\n|---|---|");
    for (key, view) in (1..).zip(View::ALL) {
        write!(writer, "{key}")?;
        writer.flush()?;
        let began = Instant::now();
        let mut drawn = frames();
        let quiet = loop {
            std::thread::sleep(QUIET);
            let now = frames();
            // The set may still be asked: what comes of that is no idle frame.
            if drawn > 0 && now == drawn {
                break true;
            }
            drawn = now;
            if began.elapsed() > PATIENCE {
                break false;
            }
        };
        std::thread::sleep(QUIET);
        let more = frames() - drawn;
        let said = if quiet { "" } else { ", and never still" };
        println!("| {} | {more}{said} |", view.name());
    }
    write!(writer, "q")?;
    child.wait().context("the program did not end")?;
    Ok(())
}
