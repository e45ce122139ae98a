//! Lessons: files of steps, each with words to say, actions of the program's own vocabulary to do, and perhaps a question
//! to answer before the screen shows it. Figures in the words are filled in from the run on screen, and what a step claims
//! is held against it, so a lesson cannot say what is not so.

use super::action::Action;
use super::scene::Scene;
use super::state::State;
use super::text;
use super::toml::Source;
use crate::corpus::{self, ReadOptions};
use crate::index::{BuildOptions, Index, Silent, sample};
use crate::mapped;
use crate::parameters::ALPHA;
use crate::retrieve::{Method, Settings};
use crate::text::span;
use serde::Deserialize;
use std::collections::VecDeque;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The bundled corpus that a lesson can name.
const FIVE_NODES: &str = "five-nodes";

/// Those that come with the program, over the bundled sample unless they name another corpus.
const SHIPPED: [(&str, &str); 7] = [
    ("first-look", include_str!("../../lessons/first-look.toml")),
    ("pagerank", include_str!("../../lessons/pagerank.toml")),
    ("restart", include_str!("../../lessons/restart.toml")),
    ("hubs", include_str!("../../lessons/hubs.toml")),
    ("parity", include_str!("../../lessons/parity.toml")),
    (
        "walk-beats-words",
        include_str!("../../lessons/walk-beats-words.toml"),
    ),
    ("autopsy", include_str!("../../lessons/autopsy.toml")),
];

/// A lesson file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    /// The file's name, which `--lesson` takes.
    #[serde(skip)]
    pub name: String,
    pub title: String,
    /// One line for the list.
    pub about: String,
    /// How long it takes.
    #[serde(default)]
    pub minutes: u32,
    /// Its own corpus, which is open while it is taught: `five-nodes`, or a path from the file's folder. Empty: the index that
    /// is open.
    #[serde(default)]
    pub corpus: String,
    /// The folder of the file.
    #[serde(skip)]
    folder: PathBuf,
    #[serde(rename = "step")]
    pub steps: Vec<Step>,
}

/// What is shown until a person goes on.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    pub say: String,
    /// Done before it is said.
    #[serde(default, rename = "do")]
    pub acts: Vec<Act>,
    /// A question with `choices`; what follows waits for an answer.
    #[serde(default)]
    pub ask: String,
    #[serde(default)]
    pub choices: Vec<String>,
    /// The letter of the right choice.
    #[serde(default)]
    pub answer: String,
    /// Done when it was answered, before `reveal` is said.
    #[serde(default)]
    pub then: Vec<Act>,
    #[serde(default)]
    pub reveal: String,
    /// Claims about the run on screen once all is said: `rank ulugh-beg = 2`, `R@5 < 1`.
    #[serde(default)]
    pub expect: Vec<Claim>,
}

/// An action as a lesson writes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct Act(pub Action);

impl PartialEq for Act {
    fn eq(&self, other: &Act) -> bool {
        serde_json::to_string(&self.0).ok() == serde_json::to_string(&other.0).ok()
    }
}

/// A figure of the run on screen and what it is to be.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Claim {
    what: String,
    than: std::cmp::Ordering,
    value: f64,
    text: String,
}

impl TryFrom<String> for Claim {
    type Error = String;

    fn try_from(text: String) -> Result<Claim, String> {
        use std::cmp::Ordering::{Equal, Greater, Less};
        let signs = [(" = ", Equal), (" < ", Less), (" > ", Greater)];
        let found = signs.iter().find_map(|(sign, than)| {
            let (what, value) = text.split_once(sign)?;
            Some((what.trim().to_owned(), *than, value.trim().parse().ok()?))
        });
        match found {
            Some((what, than, value)) => Ok(Claim {
                what,
                than,
                value,
                text,
            }),
            None => Err(format!(
                "'{text}' is not a check; write WHAT = NUMBER, WHAT < NUMBER or WHAT > NUMBER"
            )),
        }
    }
}

impl Claim {
    /// What was found instead where it does not hold at a step of the walk (none: the end).
    pub fn fails(&self, scene: &Scene, step: Option<usize>) -> Option<String> {
        let Some(value) = figure(scene, step, &self.what) else {
            return Some(format!("{}: unknown name", self.text));
        };
        let equal = (value - self.value).abs() < 0.0005;
        let holds = match self.than {
            std::cmp::Ordering::Equal => equal,
            std::cmp::Ordering::Less => value < self.value && !equal,
            std::cmp::Ordering::Greater => value > self.value && !equal,
        };
        (!holds).then(|| format!("{}: it is {}", self.text, written(&self.what, value)))
    }
}

/// A number of a run by its name, at a step of its walk (none: the end; ` at K` behind the name is step K).
///
/// Of the ranking: `rank ID` (infinite where it has none), `score ID`, `ties ID` (passages with exactly its score), `missing`
/// (gold that the corpus does not have), a measure. Of the walk: `mass NODE`, `passages NAME`,
/// `on passages`, `on entities`, `moved` (mass that lies elsewhere than one step before), `factor` (that over the same of the
/// step before), `seeds`, `steps`, `step`, `alpha`, `damping`. Of a small graph: `nodes`, `edges`, `crosses A to B` (mass in
/// this step), `passes A to B` (share of what A sends), `restarts NODE`.
fn figure(scene: &Scene, step: Option<usize>, what: &str) -> Option<f64> {
    let (what, step) = match what.rsplit_once(" at ") {
        Some((what, at)) => match at.parse() {
            Ok(at) => (what, Some(at)),
            Err(_) => (what, step),
        },
        None => (what, step),
    };
    let (word, of) = what.split_once(' ').unwrap_or((what, ""));
    let gold = scene.gold.iter().find(|gold| gold.id == of);
    let row = scene.passages.iter().find(|row| row.id == of);
    let timeline = || scene.timeline.as_ref();
    let last = || timeline()?.steps.len().checked_sub(1);
    let at = |step: usize| timeline()?.steps.get(step);
    let here = || at(step.or_else(last)?);
    let moved = |step: usize| Some(at(step)?.moved);
    let whole = scene.whole.as_deref();
    let node = || {
        let stage = here().and_then(|step| scene.spread.get(step.stage));
        let rows = stage.into_iter().flat_map(|stage| &stage.rows);
        rows.chain(&scene.seeds).find(|row| row.label == of)
    };
    let small = || {
        let (lane, row) = whole?.find(scene, of)?;
        let steps = whole?.flow.steps.len().checked_sub(1)?;
        Some((lane, row, step.unwrap_or(steps)))
    };
    let between = || {
        let (a, b) = of.split_once(" to ")?;
        let find = |name| whole?.find(scene, name);
        whole?.edge(find(a)?, find(b)?)
    };
    match word {
        "rank" => match row.map(|row| row.rank).or(gold?.rank) {
            Some(rank) => Some(rank as f64),
            None => Some(f64::INFINITY),
        },
        "score" => row.map(|row| row.score).or_else(|| Some(gold?.score)),
        "mass" => match small() {
            Some((lane, row, step)) => Some(whole?.flow.mass(step, lane, row)),
            None => node().map(|row| row.value),
        },
        "restarts" => {
            let (lane, row, step) = small()?;
            whole?.restarted.get(step)?.get(lane)?.get(row).copied()
        }
        "crosses" => {
            let (edge, way) = between()?;
            let step = step.or_else(last)?;
            Some(whole?.crossed.get(step)?.get(edge)?[way])
        }
        "passes" => {
            let (edge, way) = between()?;
            Some(whole?.edges[edge].passes[way])
        }
        "nodes" => Some(whole?.flow.rows() as f64),
        "edges" => Some(whole?.edges.len() as f64),
        "on" => match of {
            "passages" => Some(here()?.ledger.passages),
            "entities" => Some(here()?.ledger.entities),
            _ => None,
        },
        "moved" => moved(step.or_else(last)?),
        "factor" => {
            let step = step.or_else(last)?;
            Some(moved(step)? / moved(step.checked_sub(1)?).filter(|before| *before > 0.0)?)
        }
        "passages" => node().map(|row| row.count as f64),
        "ties" => {
            let own = row?.score;
            let same = scene.passages.iter().filter(|other| other.score == own);
            Some(same.count() as f64)
        }
        "missing" => Some(scene.missing.len() as f64),
        "seeds" => Some(scene.groups.iter().map(|group| group.seeds).sum::<usize>() as f64),
        "steps" => last().map(|last| last as f64),
        "step" => step.or_else(last).map(|step| step as f64),
        "alpha" => Some(scene.settings.get(ALPHA)),
        "damping" => Some(1.0 - scene.settings.get(ALPHA)),
        _ => scene.measure(what),
    }
}

fn written(what: &str, value: f64) -> String {
    match what.split(' ').next() {
        _ if value.is_infinite() => "not ranked".to_owned(),
        Some("rank") => format!("rank {value:.0}"),
        Some("passages" | "seeds" | "steps" | "step" | "nodes" | "edges" | "ties" | "missing") => {
            format!("{value:.0}")
        }
        Some("score" | "mass" | "crosses" | "moved") => text::score(value),
        _ => text::share(value),
    }
}

/// What stands for a figure that the run on screen does not have.
pub const UNKNOWN: &str = "(not here)";

/// Words with their numbers: `{rank ulugh-beg}` becomes that of the run on screen, at a step of its walk (none: the end).
pub fn filled(words: &str, scene: Option<&Scene>, step: Option<usize>) -> String {
    let mut out = String::new();
    let mut rest = words.trim();
    while let Some((before, after)) = rest.split_once('{') {
        let (what, after) = after.split_once('}').unwrap_or((after, ""));
        let value = scene.and_then(|scene| figure(scene, step, what));
        out.push_str(before);
        out.push_str(&value.map_or_else(|| UNKNOWN.to_owned(), |value| written(what, value)));
        rest = after;
    }
    out.push_str(rest);
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A file that cannot be taught.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct LessonError {
    /// The file, or the name it should have.
    pub file: String,
    /// What is wrong, with the line where that is known.
    pub said: String,
}

impl fmt::Display for LessonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.said)
    }
}

impl Lesson {
    /// Reads a lesson's text.
    ///
    /// # Errors
    /// What is wrong, with its line; also a question without the choice that its answer names.
    pub fn parse(file: &str, text: &str) -> Result<Lesson, LessonError> {
        let wrong = |said: String| LessonError {
            file: file.to_owned(),
            said,
        };
        let mut lesson: Lesson = toml::from_str(text).map_err(|error| {
            let line = error
                .span()
                .map(|span| Source { file, text }.line(span.start));
            let line = line.map_or_else(String::new, |line| format!("line {line}: "));
            wrong(format!("{line}{}", error.message()))
        })?;
        let name = Path::new(file).file_stem();
        lesson.name = name.unwrap_or_default().to_string_lossy().into_owned();
        if lesson.steps.is_empty() {
            return Err(wrong("a lesson has at least one [[step]]".to_owned()));
        }
        for (at, step) in lesson.steps.iter().enumerate() {
            let asks = !step.ask.is_empty();
            if asks && step.right().is_none() {
                let at = at + 1;
                return Err(wrong(format!(
                    "step {at}: answer = {:?} is the letter of none of its choices",
                    step.answer
                )));
            }
            let answers = !step.choices.is_empty() || !step.answer.is_empty();
            let told = !step.reveal.is_empty() || !step.then.is_empty();
            if !asks && (answers || told) {
                let at = at + 1;
                return Err(wrong(format!(
                    "step {at}: choices, answer, then and reveal belong to a question: ask = \"..\""
                )));
            }
        }
        Ok(lesson)
    }

    /// A shipped lesson by name, or a file.
    ///
    /// # Errors
    /// What is wrong with the file, or the names there are.
    pub fn find(name: &str) -> Result<Lesson, LessonError> {
        if let Some((name, text)) = SHIPPED.iter().find(|(known, _)| *known == name) {
            return Lesson::parse(name, text);
        }
        let wrong = |said: String| LessonError {
            file: name.to_owned(),
            said,
        };
        if !Path::new(name).exists() {
            let names: Vec<&str> = SHIPPED.iter().map(|(name, _)| *name).collect();
            return Err(wrong(format!(
                "no lesson and no file; there are {}",
                names.join(", ")
            )));
        }
        let text = mapped::given_text(Path::new(name)).map_err(|error| wrong(error.to_string()))?;
        let folder = Path::new(name).parent().unwrap_or(Path::new(""));
        let mut lesson = Lesson::parse(name, &text)?;
        folder.clone_into(&mut lesson.folder);
        Ok(lesson)
    }

    /// What to write for INDEX in a command that repeats it on its own corpus.
    pub fn argument(&self) -> String {
        match &*self.corpus {
            FIVE_NODES => "lessons/five-nodes".to_owned(),
            path => self.folder.join(path).display().to_string(),
        }
    }

    /// Its own corpus, indexed, and the settings that it begins with: those of the plainest walk.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn open(&self) -> anyhow::Result<(Arc<Index>, Settings)> {
        let corpus = match &*self.corpus {
            FIVE_NODES => sample::five_nodes()?,
            path => corpus::read(&[self.folder.join(path)], &ReadOptions::default())?.0,
        };
        let index = Index::build(corpus, &BuildOptions::default(), &Silent)?;
        let walk = Method::by_name("graph").map_err(anyhow::Error::msg)?;
        let settings = Settings::of(&index, walk);
        Ok((Arc::new(index), settings))
    }

    /// Those that come with the program.
    pub fn shipped() -> impl Iterator<Item = Lesson> {
        SHIPPED
            .iter()
            .filter_map(|(name, text)| Lesson::parse(name, text).ok())
    }
}

impl Step {
    /// Place of the right choice.
    pub fn right(&self) -> Option<usize> {
        let letter = self.answer.chars().next()?;
        let place = (letter as usize).checked_sub('a' as usize)?;
        (place < self.choices.len()).then_some(place)
    }
}

/// A lesson that is being taught.
#[derive(Clone, Debug)]
pub struct Playing {
    pub lesson: Arc<Lesson>,
    pub at: usize,
    /// What was answered.
    pub chosen: Option<usize>,
    /// What is still to be done, each when the run before it is on screen.
    pub queue: VecDeque<Action>,
    /// All of it is done, and [`Playing::shown`] is known.
    pub settled: bool,
    /// The step of the walk that the words are about; none is its end.
    pub shown: Option<usize>,
    /// What is given back at the end.
    pub before: Box<State>,
}

impl Playing {
    pub fn step(&self) -> &Step {
        &self.lesson.steps[self.at.min(self.lesson.steps.len() - 1)]
    }

    /// A question waits for its answer.
    pub fn waits(&self) -> bool {
        !self.step().ask.is_empty() && self.chosen.is_none()
    }

    /// Words with the numbers of the step that they are about.
    pub fn filled(&self, words: &str, scene: Option<&Scene>) -> String {
        filled(words, scene, self.shown)
    }

    /// What is said, and what is said after the answer. Presenting leaves of each its first sentence.
    pub fn words(&self, present: bool) -> (&str, &str) {
        let step = self.step();
        match present {
            true => (sentence(&step.say), sentence(&step.reveal)),
            false => (&step.say, &step.reveal),
        }
    }

    /// Rows that the whole step takes in a width, its border too: the same before an answer and after it, so that the panes
    /// above stay where they are.
    pub fn rows(&self, scene: Option<&Scene>, width: u16, present: bool) -> u16 {
        let width = usize::from(width).saturating_sub(4).max(1);
        let step = self.step();
        let lines = |words: &str| match words.is_empty() {
            true => 0,
            false => text::wrap(&self.filled(words, scene), width).len(),
        };
        let (say, reveal) = self.words(present);
        let asked = lines(&step.ask) + step.choices.len();
        let rows = (lines(say) + asked).max(lines(reveal) + asked);
        let least = if present { 1 } else { 4 };
        u16::try_from(rows.max(least) + 2).unwrap_or(u16::MAX)
    }

    /// Claims that do not hold here, once the step is complete.
    pub fn failing(&self, scene: Option<&Scene>) -> Vec<String> {
        match scene {
            Some(scene) if self.queue.is_empty() && !self.waits() => self
                .step()
                .expect
                .iter()
                .filter_map(|claim| claim.fails(scene, self.shown))
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// The first sentence of some words.
fn sentence(words: &str) -> &str {
    let words = words.trim();
    let mut ends = words.match_indices(['.', '?', '!']).map(|(at, _)| at + 1);
    let begins = |at: &usize| {
        let rest = span::of(words, *at..);
        let next = rest.trim_start();
        next.len() < rest.len() && !next.starts_with(char::is_lowercase)
    };
    span::of(words, ..ends.find(begins).unwrap_or(words.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_lesson_is_read_and_says_no_figure_of_its_own() {
        assert_eq!(Lesson::shipped().count(), SHIPPED.len());
        for lesson in Lesson::shipped() {
            assert!(
                lesson.steps.len() >= 4 && lesson.minutes > 0,
                "{}",
                lesson.name
            );
            assert!(
                lesson.steps.iter().any(|step| !step.ask.is_empty()),
                "{} asks nothing",
                lesson.name
            );
            assert!(
                lesson.steps.iter().any(|step| !step.expect.is_empty()),
                "{} claims nothing",
                lesson.name
            );
        }
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        let said = |text: &str| Lesson::parse("mine.toml", text).unwrap_err().to_string();
        let head = "title = \"t\"\nabout = \"a\"\n";
        assert!(
            said("title = 1").contains("line 1"),
            "{}",
            said("title = 1")
        );
        assert!(said(&format!("{head}step = []")).contains("at least one"));
        let misspelt = said(&format!("{head}[[step]]\nsay = \"x\"\nrevael = \"y\""));
        assert!(
            misspelt.contains("line 5") && misspelt.contains("revael"),
            "{misspelt}"
        );
        let letter = said(&format!(
            "{head}[[step]]\nsay = \"x\"\nask = \"?\"\nchoices = [\"1\"]\nanswer = \"b\""
        ));
        assert!(letter.contains("step 1"), "{letter}");
        let claim = said(&format!(
            "{head}[[step]]\nsay = \"x\"\nexpect = [\"rank x\"]"
        ));
        assert!(claim.contains("is not a check"), "{claim}");
        let act = said(&format!(
            "{head}[[step]]\nsay = \"x\"\ndo = [{{ dance = 1 }}]"
        ));
        assert!(act.contains("dance"), "{act}");
        assert!(
            Lesson::find("nothing")
                .unwrap_err()
                .to_string()
                .contains("first-look")
        );
    }
}
