//! The first screen where no index was named: what one can begin with, over the sample that is already answered, and what
//! this terminal was found to do.

use super::action::Action;
use super::available::available;
use super::clipboard;
use super::command::Command;
use super::glyphs::GlyphSet;
use super::layout::Shape;
use super::lesson::Lesson;
use super::state::{Entry, State};
use super::store::{Config, Folders};
use super::text;
use super::theme::{ColorLevel, Theme};

/// The lesson that shows the program itself.
const TOUR: &str = "first-look";

/// What one can begin with; the key of each is a letter here.
pub fn entries(state: &State) -> Vec<Entry> {
    let facts = &state.facts;
    let command = |key, name, about: String, command| {
        let mut entry = entry(key, name, about, Action::Do(command));
        entry.unavailable = available(command, state).err();
        entry
    };
    if !facts.suggested.is_empty() {
        let asked = (1..).zip(&facts.suggested).map(|(at, question)| {
            let name = format!("Question {at}");
            let choice = Action::Ask(question.clone());
            entry(&at.to_string(), &name, question.clone(), choice)
        });
        let own = [
            command("i", "Your own", "type a question".to_owned(), Command::Edit),
            command(
                "o",
                "Open another",
                "an index or a corpus".to_owned(),
                Command::OpenIndex,
            ),
            command("q", "Quit", String::new(), Command::Quit),
        ];
        return asked.chain(own).collect();
    }
    let tour = Lesson::find(TOUR).ok().map(|tour| {
        let steps = text::plural(tour.steps.len(), "step");
        let about = format!("{steps}, about {} minutes; > next, < back", tour.minutes);
        entry("t", "Tour", about, Action::Lesson(tour.name))
    });
    let lessons = Lesson::shipped().map(|lesson| lesson.name);
    let lessons = lessons.collect::<Vec<_>>().join(", ");
    let sample = format!(
        "{}, {}",
        text::plural(facts.passages, "passage"),
        text::plural(facts.questions.len(), "question")
    );
    let lately = match state.indexes.len() {
        0 => "made by hopscope index CORPUS --out DIR, or a corpus".to_owned(),
        n => format!("{n} recent, or type a path"),
    };
    let resumed = state.offer.as_ref().map_or_else(String::new, |offer| {
        let runs = text::plural(offer.runs.len(), "run");
        format!("{runs} on the sample, {}", offer.question)
    });
    let rest = [
        command("l", "Lessons", lessons, Command::Lessons),
        command("s", "Sample", sample, Command::Back),
        command("o", "Open an index", lately, Command::OpenIndex),
        command("r", "Resume", resumed, Command::Resume),
        command("q", "Quit", String::new(), Command::Quit),
    ];
    tour.into_iter().chain(rest).collect()
}

fn entry(key: &str, name: &str, about: String, choice: Action) -> Entry {
    let mut entry = Entry::plain(name.to_owned(), about, choice);
    entry.key = key.to_owned();
    entry
}

/// What stands over the entries, and what Esc does.
pub fn words(state: &State) -> (String, &'static str) {
    let facts = &state.facts;
    if facts.suggested.is_empty() {
        let words = concat!(
            "hopscope ",
            env!("CARGO_PKG_VERSION"),
            " shows why graph retrieval finds a passage, why it misses one, and what would change that. ",
            "No index was given, so the bundled sample is open, with its first question."
        );
        return (words.to_owned(), "the sample");
    }
    let counted = [
        text::plural(facts.passages, "passage"),
        text::plural(facts.entities, "entity"),
        text::plural(facts.edges, "edge"),
    ];
    let read = facts
        .read
        .as_ref()
        .map_or_else(String::new, |read| format!(" ({read})"));
    let words = format!(
        "{}: {}{read}. It has no question set; the questions below are made from its names.",
        facts.name,
        counted.join(", ")
    );
    (words, "close")
}

/// What the program found this terminal to be, and where what it keeps lies.
pub fn terminal(
    theme: &Theme,
    glyphs: GlyphSet,
    config: &Config,
    folders: Option<&Folders>,
) -> Vec<(&'static str, String)> {
    let colours = match theme.level() {
        ColorLevel::True => "true colour",
        ColorLevel::Ansi256 => "256",
        ColorLevel::Ansi16 => "the terminal's own 16",
        ColorLevel::None => "none",
    };
    let glyphs = match glyphs {
        GlyphSet::Unicode => "unicode: boxes, blocks, braille; --glyphs ascii if they look wrong",
        GlyphSet::UnicodeSafe => "unicode-safe: boxes and blocks, no braille",
        GlyphSet::Ascii => "ascii",
    };
    let mut found = vec![
        ("colours", format!("{colours}, theme {}", theme.name())),
        ("glyphs", glyphs.to_owned()),
        (
            "mouse",
            match config.mouse {
                true => "on; hold Shift to select text in most terminals",
                false => "left to the terminal",
            }
            .to_owned(),
        ),
        ("clipboard", clipboard::ways(folders.map(|own| &*own.state))),
        (
            "motion",
            match config.reduced_motion {
                true => "off (reduced_motion)",
                false => "only while a walk plays",
            }
            .to_owned(),
        ),
    ];
    if let Some(folders) = folders {
        let file = folders.config_file();
        let there = if file.exists() { "in" } else { "in a new" };
        let said = format!(
            "to skip this panel: start_panel = false {there} {}",
            file.display()
        );
        found.push(("config", said));
    }
    found
}

/// What a size shows.
pub fn size(width: u16, height: u16) -> String {
    let shown = match Shape::of(width, height) {
        Shape::Full => "all panes fit",
        Shape::Tabbed => "all panes, two as tabs; 160 x 48 fits them all",
        Shape::Columns => "two columns; 160 x 48 shows everything at once",
        Shape::Accordion => "one section at a time; 160 x 48 shows everything",
        Shape::Line => "too small for panes",
    };
    format!("{width} x {height}, {shown}")
}
