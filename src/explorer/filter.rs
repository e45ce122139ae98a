//! What a list is narrowed by: words a person typed, and the rows that show them. A row keeps its number while others are
//! hidden, so ranks, cursors and clicks mean what they meant.

use super::layout::Pane;
pub use super::panes::Words;
use super::panes::contents;
use super::rows::{self, ParameterLine, PassageLine, SessionLine, SpreadLine, stage_title};
use super::scene::{Cell, Row, Scene, Sign};
use super::state::{Drawn, List, State};
use crate::text::folded::folded;
use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;

impl Words {
    /// Whether every typed word is here, case and accents aside.
    fn have(&self, matcher: &SkimMatcherV2, typed: &str) -> bool {
        let (name, rest) = (folded(&self.name), folded(&self.rest));
        let has = |word: &str| {
            // Letters that lie so far apart that the gaps cost more than the beginnings of words gain are no match.
            let least = 16 * word.chars().count() as i64;
            let fuzzy = || matcher.fuzzy_match(&name, word);
            name.contains(word)
                || rest.contains(word)
                || fuzzy().is_some_and(|score| score >= least)
        };
        folded(typed).split_whitespace().all(has)
    }
}

/// What the rows of a pane show, by their numbers; none for one that stands over others. Empty where there is no list.
pub fn words(state: &State, pane: Pane) -> Vec<Option<Words>> {
    if let Some(contents) = contents(pane) {
        return match state.scene() {
            Some(_) => contents.words(state),
            None => Vec::new(),
        };
    }
    let Some(scene) = state.scene() else {
        return match pane {
            Pane::Parameters => parameters(state),
            Pane::Session => session(state),
            _ => Vec::new(),
        };
    };
    match pane {
        Pane::Passages | Pane::Runs => {
            match rows::step(state, scene).filter(|_| pane == Pane::Passages) {
                Some(step) => {
                    let title = |p: &(u32, f64)| scene.titles.get(&p.0).cloned();
                    let shown = |p| Some(Words::new(title(p).unwrap_or_default(), []));
                    step.passages.iter().map(shown).collect()
                }
                None => passages(state, scene),
            }
        }
        Pane::Parameters => parameters(state),
        Pane::Session => session(state),
        Pane::Seeds => scene.seeds.iter().map(row).collect(),
        Pane::Spread => {
            let shown = |line: &SpreadLine| match *line {
                SpreadLine::Row(i, n) => row(&scene.spread[i].rows[n]),
                SpreadLine::Stage(_) | SpreadLine::More(_) => None,
            };
            rows::spread_lines(state, scene).iter().map(shown).collect()
        }
        Pane::Heat => {
            let heat = state.flow().map_or(&[][..], |flow| &flow.heat);
            heat.iter().map(|(node, _)| row(node)).collect()
        }
        Pane::Paths if state.drawn == Drawn::Tree => state.ways().map_or_else(Vec::new, |ways| {
            let shown = |(lane, at): (usize, usize)| row(&ways.flow.lanes[lane].rows[at]);
            ways.tree()
                .iter()
                .map(|branch| shown(branch.place))
                .collect()
        }),
        Pane::Neighbours => {
            let around = state.detail().and_then(|detail| detail.node.as_ref());
            around.map_or_else(Vec::new, |around| {
                around.neighbours.iter().map(row).collect()
            })
        }
        Pane::Why if rows::opens_parts(scene) => {
            let why = state.detail().and_then(|detail| detail.passage.as_ref());
            let parts = why.map_or(&[][..], |why| &why.parts);
            let shown = |part: &super::scene::Part| Some(Words::new(part.label.clone(), []));
            parts.iter().map(shown).collect()
        }
        Pane::Queue => {
            let shown = |item: &super::labelling::Item| {
                let asked = item.at.and_then(|at| state.facts.questions.get(at));
                let question = asked
                    .filter(|_| !state.masked)
                    .map(|asked| asked.text.clone());
                let kind = (!state.blind()).then(|| item.kind.short().to_owned());
                let name = format!("{} {}", item.id, item.title);
                Some(Words::new(name, question.into_iter().chain(kind)))
            };
            state.queue().iter().map(shown).collect()
        }
        Pane::Lost | Pane::Questions | Pane::Methods => Vec::new(),
        Pane::Question
        | Pane::Iterations
        | Pane::Step
        | Pane::Reader
        | Pane::Changes
        | Pane::Label
        | Pane::Set
        | Pane::Flow
        | Pane::Paths
        | Pane::Why => Vec::new(),
    }
}

/// A row of Seeds, Spread or Neighbours.
fn row(row: &Row) -> Option<Words> {
    if row.sign == Sign::Heading {
        return None;
    }
    let cells = row.cells.iter().filter_map(|cell| match cell {
        Cell::Word(word) => Some(word.to_string()),
        _ => None,
    });
    let rest = [row.kind.to_string(), row.note.clone()];
    let gold = row.gold.then(|| "gold".to_owned());
    Some(Words::new(
        row.label.clone(),
        rest.into_iter().chain(cells).chain(gold),
    ))
}

/// Every line of the ranking of a run.
pub fn passages(state: &State, scene: &Scene) -> Vec<Option<Words>> {
    let gold = |is: bool| is.then(|| "gold".to_owned());
    let shown = |line: &PassageLine| {
        Some(match *line {
            PassageLine::Hit(at) => {
                let row = &scene.passages[at];
                let snippet = (!state.masked).then(|| row.snippet.clone());
                let name = format!("{} {}", row.id, row.title);
                Words::new(name, snippet.into_iter().chain(gold(row.gold)))
            }
            PassageLine::Lost(at) => {
                let lost = &scene.gold[at];
                let name = format!("{} {}", lost.id, lost.title);
                Words::new(name, gold(true))
            }
            PassageLine::Missing(at) => Words::new(scene.missing[at].clone(), gold(true)),
            PassageLine::Cut => return None,
        })
    };
    rows::passage_lines(scene).iter().map(shown).collect()
}

fn parameters(state: &State) -> Vec<Option<Words>> {
    let shown = |line: &ParameterLine| match *line {
        ParameterLine::Stage(_) => None,
        ParameterLine::Parameter(parameter) => {
            let declared = parameter.declaration();
            let value = state.settings.text(parameter);
            let rest = [declared.id, declared.symbol, stage_title(declared.stage)];
            let rest = rest.map(str::to_owned).into_iter().chain([value]);
            Some(Words::new(declared.label, rest))
        }
    };
    rows::parameter_lines(state).iter().map(shown).collect()
}

fn session(state: &State) -> Vec<Option<Words>> {
    let shown = |line: &SessionLine| match *line {
        SessionLine::Question(_) => None,
        SessionLine::Run(at, _) => {
            let run = &state.session[at];
            let method = run.settings.method().name.to_string();
            let rest = run.settings.changed().into_iter();
            Some(Words::new(method, rest.chain([run.question.clone()])))
        }
    };
    rows::session_lines(state).iter().map(shown).collect()
}

/// The numbers of those rows that are shown, of all `rows`: those that match, under what stands over them.
fn kept(words: &[Option<Words>], typed: &str) -> Vec<usize> {
    let matcher = SkimMatcherV2::default().ignore_case();
    let mut kept = Vec::new();
    let mut head = None;
    for (at, words) in words.iter().enumerate() {
        match words {
            None => head = Some(at),
            Some(words) if words.have(&matcher, typed) => {
                kept.extend(head.take().into_iter().chain([at]))
            }
            Some(_) => {}
        }
    }
    kept
}

/// What a pane is narrowed by.
pub fn typed(state: &State, pane: Pane) -> Option<&str> {
    let typed = state.filters.get(&pane)?;
    Some(typed.as_str()).filter(|typed| !typed.trim().is_empty())
}

/// The numbers of the rows that a pane shows, in their order.
pub fn shown(state: &State, pane: Pane) -> Vec<usize> {
    match typed(state, pane) {
        Some(typed) => kept(&words(state, pane), typed),
        None => (0..rows::count(state, pane)).collect(),
    }
}

/// The same of a run beside the live one.
pub fn shown_of(state: &State, scene: &Scene) -> Vec<usize> {
    match typed(state, Pane::Runs) {
        Some(typed) => kept(&passages(state, scene), typed),
        None => (0..rows::passage_lines(scene).len()).collect(),
    }
}

/// Whether a row is in sight.
pub fn shows(state: &State, pane: Pane, row: usize) -> bool {
    typed(state, pane).is_none() || shown(state, pane).contains(&row)
}

/// Where a list stands among the rows that it shows.
pub fn among(list: List, shown: &[usize]) -> List {
    let cursor = shown.partition_point(|row| *row < list.cursor);
    List { cursor, ..list }
}

/// Puts the cursor of a list on a row that is shown, and the window around it.
pub fn settle(list: &mut List, shown: &[usize], height: usize) {
    let at = among(*list, shown).cursor;
    if let Some(row) = shown.get(at).or(shown.last()) {
        list.cursor = *row;
    }
    list.offset = among(*list, shown).window(shown.len(), height);
}

/// `3 of 38`: rows that match, and rows; none for a pane that is not narrowed.
pub fn counted(state: &State, pane: Pane) -> Option<String> {
    let typed = typed(state, pane)?;
    let words = words(state, pane);
    let of = words.iter().flatten().count();
    let matching = kept(&words, typed)
        .into_iter()
        .filter(|row| words[*row].is_some());
    Some(format!("{} of {of}", matching.count()))
}

/// What is said of something taken out of a pane that is narrowed.
pub fn said(state: &State, pane: Pane) -> String {
    let counted = counted(state, pane).zip(typed(state, pane));
    counted.map_or_else(String::new, |(counted, typed)| {
        format!(", {counted} rows, those with {}", typed.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: &[(&str, &str)]) -> Vec<Option<Words>> {
        let one = |(name, rest): &(&str, &str)| match *name {
            "" => None,
            name => Some(Words::new(name, [(*rest).to_owned()])),
        };
        names.iter().map(one).collect()
    }

    #[test]
    fn rows_match_by_words_case_and_accents_aside_and_keep_their_heading() {
        let rows = list(&[
            ("", ""),
            ("Jantar Mantar", "built at Jaipur"),
            ("Tekez\u{e9} River", ""),
            ("", ""),
            ("Uranus", "found in 1781"),
            ("Neptune", ""),
        ]);
        assert_eq!(kept(&rows, "jaipur"), [0, 1], "what a row says counts");
        assert_eq!(kept(&rows, "tekeze"), [0, 2]);
        assert_eq!(kept(&rows, "URAN"), [3, 4]);
        assert_eq!(
            kept(&rows, "mantar built"),
            [0, 1],
            "every word, wherever it stands"
        );
        assert_eq!(kept(&rows, "mantar 1781"), [] as [usize; 0]);
    }

    #[test]
    fn letters_apart_match_names_only_and_not_far_apart() {
        let rows = list(&[
            ("Jantar Mantar", "an observatory of the maharaja"),
            ("Just another tale and more matter around here", ""),
        ]);
        assert_eq!(kept(&rows, "jmantar"), [0]);
        assert_eq!(kept(&rows, "obsrv"), [] as [usize; 0]);
    }
}
