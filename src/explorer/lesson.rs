//! Lessons: files of steps, each with words to say, actions of the program's own vocabulary to do, and perhaps a question
//! to answer before the screen shows it. Figures in the words are filled in from the run on screen, and what a step claims
//! is held against it, so a lesson cannot say what is not so.

use super::action::Action;
use super::scene::Scene;
use super::text;
use super::toml::Source;
use crate::mapped;
use crate::retrieve::Settings;
use serde::Deserialize;
use std::collections::VecDeque;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Those that come with the program, over the bundled sample.
const SHIPPED: [(&str, &str); 6] = [
    ("first-look", include_str!("../../lessons/first-look.toml")),
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
    /// Whether it holds; what was found instead where not.
    pub fn fails(&self, scene: &Scene) -> Option<String> {
        let Some(value) = figure(scene, &self.what) else {
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

/// A figure of a run by its name: `rank ID` (infinite where it has none), `score ID`, `mass NAME`, `passages NAME`, `seeds`,
/// `steps`, or a measure.
fn figure(scene: &Scene, what: &str) -> Option<f64> {
    let (word, of) = what.split_once(' ').unwrap_or((what, ""));
    let gold = scene.gold.iter().find(|gold| gold.id == of);
    let row = scene.passages.iter().find(|row| row.id == of);
    let node = || {
        let rows = scene
            .spread
            .last()
            .into_iter()
            .flat_map(|stage| &stage.rows);
        rows.chain(&scene.seeds).find(|row| row.label == of)
    };
    match word {
        "rank" => match row.map(|row| row.rank).or(gold?.rank) {
            Some(rank) => Some(rank as f64),
            None => Some(f64::INFINITY),
        },
        "score" => row.map(|row| row.score).or_else(|| Some(gold?.score)),
        "mass" => node().map(|row| row.value),
        "passages" => node().map(|row| row.count as f64),
        "seeds" => Some(scene.groups.iter().map(|group| group.seeds).sum::<usize>() as f64),
        "steps" => Some(scene.timeline.as_ref()?.steps.len().saturating_sub(1) as f64),
        _ => scene.measure(what),
    }
}

fn written(what: &str, value: f64) -> String {
    match what.split(' ').next() {
        _ if value.is_infinite() => "no rank".to_owned(),
        Some("rank" | "passages" | "seeds" | "steps") => format!("{value:.0}"),
        Some("score" | "mass") => text::score(value),
        _ => text::share(value),
    }
}

/// What stands for a figure that the run on screen does not have.
pub const UNKNOWN: &str = "(not here)";

/// Words with their figures: `{rank ulugh-beg}` becomes what the run on screen says.
pub fn filled(words: &str, scene: Option<&Scene>) -> String {
    let mut out = String::new();
    let mut rest = words.trim();
    while let Some((before, after)) = rest.split_once('{') {
        let (what, after) = after.split_once('}').unwrap_or((after, ""));
        let value = scene.and_then(|scene| figure(scene, what));
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
        Lesson::parse(name, &text)
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
    /// What is given back at the end.
    pub before: Settings,
}

impl Playing {
    pub fn step(&self) -> &Step {
        &self.lesson.steps[self.at.min(self.lesson.steps.len() - 1)]
    }

    /// A question waits for its answer.
    pub fn waits(&self) -> bool {
        !self.step().ask.is_empty() && self.chosen.is_none()
    }

    /// Rows that the whole step takes in a width, its border too: the same before an answer and after it, so that the panes
    /// above stay where they are.
    pub fn rows(&self, scene: Option<&Scene>, width: u16) -> u16 {
        let width = usize::from(width).saturating_sub(4).max(1);
        let step = self.step();
        let lines = |words: &str| match words.is_empty() {
            true => 0,
            false => text::wrap(&filled(words, scene), width).len(),
        };
        let asked = lines(&step.ask) + step.choices.len();
        let rows = (lines(&step.say) + asked).max(lines(&step.reveal) + asked);
        u16::try_from(rows.max(4) + 2).unwrap_or(u16::MAX)
    }

    /// Claims that do not hold here, once the step is complete.
    pub fn failing(&self, scene: Option<&Scene>) -> Vec<String> {
        match scene {
            Some(scene) if self.queue.is_empty() && !self.waits() => self
                .step()
                .expect
                .iter()
                .filter_map(|claim| claim.fails(scene))
                .collect(),
            _ => Vec::new(),
        }
    }
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
