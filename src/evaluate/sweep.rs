//! Settings tried one after the other: a parameter or two over their values, or every subset of some changes, for one
//! question or a whole set.

use super::compare::{Comparison, Difference, Resampling, correct};
use super::measures::{Measures, measured};
use super::run::evaluate;
use crate::corpus::Question;
use crate::index::Index;
use crate::layers::GraphEdit;
use crate::parameters::{Domain, Origin, Parameter, Value};
use crate::retrieve::presets::NO_PRESET;
use crate::retrieve::{Keep, Retrieval, RetrieveError, Retriever, SeedEdit, Settings};
use std::sync::Arc;

/// The most values of a number that are tried.
pub const VALUES: usize = 25;
/// The most changes of which every subset is tried.
pub const CHANGES: usize = 8;

/// Changes of settings that are tried together.
pub type Changes = Vec<(Parameter, Value)>;

/// The values to try, from one end of the domain to the other: all of a choice, else a grid with the present value and
/// the one the session began with.
pub fn values(settings: &Settings, parameter: Parameter, most: usize) -> Vec<Value> {
    let domain = &parameter.declaration().domain;
    let mut base = settings.clone();
    base.reset(parameter);
    let mut values: Vec<Value> = match domain {
        Domain::Choice(choices) => (0..choices.len()).map(Value::Choice).collect(),
        domain => {
            let last = most.max(2) - 1;
            let place = |i: usize| domain.at_fraction(i as f64 / last as f64);
            let own = [settings.value(parameter), base.value(parameter)];
            (0..=last).map(place).chain(own).collect()
        }
    };
    values.sort_by(|a, b| domain.fraction(*a).total_cmp(&domain.fraction(*b)));
    values.dedup();
    values
}

/// Every combination of values, the last parameter's changing fastest.
pub fn grid(axes: &[(Parameter, Vec<Value>)]) -> Vec<Changes> {
    let mut points = vec![Changes::new()];
    for (parameter, values) in axes {
        let with = |point: &Changes, value: &Value| {
            let mut point = point.clone();
            point.push((*parameter, *value));
            point
        };
        points = points
            .iter()
            .flat_map(|point| values.iter().map(move |value| with(point, value)))
            .collect();
    }
    points
}

/// Every subset of some changes: point i has change j where bit j of i is set.
pub fn subsets(changes: &[(Parameter, Value)]) -> Vec<Changes> {
    let all = 0..1usize << changes.len();
    let of = |subset: usize| {
        let own = changes.iter().enumerate();
        let own = own.filter(move |(at, _)| subset >> at & 1 == 1);
        own.map(|(_, change)| *change).collect()
    };
    all.map(of).collect()
}

/// What each change does on average over all subsets of the others, given what every subset came to.
pub fn effects(worth: &[f64]) -> Vec<f64> {
    let changes = worth.len().trailing_zeros() as usize;
    let half = (worth.len() / 2).max(1) as f64;
    let of = |change: usize| {
        let without = (0..worth.len()).filter(|subset| subset >> change & 1 == 0);
        let gains = without.map(|subset| worth[subset | 1 << change] - worth[subset]);
        gains.sum::<f64>() / half
    };
    (0..changes).map(of).collect()
}

/// What settings give for one question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    /// Rank of every gold passage, as far as they are ranked.
    pub gold: Vec<Option<usize>>,
    /// All measures; none without gold.
    pub measures: Option<Measures>,
    /// R@5; without gold the share of the passages returned at first that stays.
    pub worth: f64,
}

impl Column {
    /// Of a run; `first` are the passages returned at first.
    pub fn of(run: &Retrieval, question: Option<&Question>, first: &[u32]) -> Column {
        let gold = question.map_or(&[][..], |question| &question.gold);
        let measures = question.and_then(|question| measured(run, question));
        let stays = || {
            let kept = run.top().iter().filter(|hit| first.contains(&hit.passage));
            kept.count() as f64 / first.len().max(1) as f64
        };
        Column {
            gold: gold
                .iter()
                .map(|gold| run.place(gold.passage).map(|(rank, _)| rank))
                .collect(),
            worth: measures.and_then(|m| m.get("R@5")).unwrap_or_else(stays),
            measures,
        }
    }
}

/// Settings with changes.
pub fn changed(settings: &Settings, changes: &Changes) -> Settings {
    let mut settings = settings.clone();
    for (parameter, value) in changes {
        settings.set(*parameter, *value, Origin::User);
    }
    settings
}

/// What a person changed between two runs of one method, as far as every subset of it can be tried: at most `most`
/// parameters. Empty where the method or the preset is another.
pub fn between(from: &Settings, to: &Settings, most: usize) -> Changes {
    if from.method() != to.method() || from.preset() != to.preset() {
        return Changes::new();
    }
    let uses = to.method().uses().into_iter();
    let differ = uses.filter(|p| from.value(*p) != to.value(*p));
    let changes: Changes = differ.map(|p| (p, to.value(p))).collect();
    match changes.len() <= most {
        true => changes,
        false => Changes::new(),
    }
}

/// Each difference in words, the greatest first: the method, the preset, parameters, seeds, the graph.
pub fn differences(from: &Settings, to: &Settings) -> Vec<String> {
    let mut words = Vec::new();
    if from.method() != to.method() {
        // The name of a composition has arrows of its own.
        let composed = [from, to]
            .iter()
            .any(|s| s.method().composition().is_some());
        let arrow = if composed { "to" } else { ">" };
        let (before, after) = (&from.method().name, &to.method().name);
        words.push(format!("method {before} {arrow} {after}"));
    }
    if from.preset() != to.preset() {
        let name = |s: &Settings| {
            s.preset()
                .map_or(NO_PRESET.to_owned(), |p| p.name.to_string())
        };
        words.push(format!("preset {} > {}", name(from), name(to)));
    }
    let uses = to.method().uses();
    for parameter in uses.into_iter().filter(|p| from.value(*p) != to.value(*p)) {
        let label = parameter.declaration().label;
        words.push(format!(
            "{label} {} > {}",
            from.text(parameter),
            to.text(parameter)
        ));
    }
    for edit in to
        .seed_edits()
        .iter()
        .filter(|e| !from.seed_edits().contains(e))
    {
        words.push(format!("seed {edit}"));
    }
    let kept = |edit: &SeedEdit| to.seed_edits().iter().any(|e| e.node == edit.node);
    for edit in from.seed_edits().iter().filter(|e| !kept(e)) {
        words.push(format!("seed {} as found", edit.node));
    }
    let fresh = |edit: &&GraphEdit| !from.graph_edits().contains(edit);
    words.extend(
        to.graph_edits()
            .iter()
            .filter(fresh)
            .map(ToString::to_string),
    );
    let gone = |edit: &&GraphEdit| {
        let replaced = |newer: &_| edit.replaced_by(newer);
        !to.graph_edits().iter().any(replaced)
    };
    let gone = from.graph_edits().iter().filter(gone);
    words.extend(gone.map(|edit| format!("no longer {edit}")));
    words
}

/// Whether changes leave every value as it is.
pub fn present(settings: &Settings, changes: &Changes) -> bool {
    let mut changes = changes.iter();
    changes.all(|(parameter, value)| settings.value(*parameter) == *value)
}

/// Asks one question under every point. `tell` hears of the number done and stops by returning false: then those done so
/// far come back.
///
/// # Errors
/// The first retrieval that failed.
pub fn over_question(
    retriever: &mut Retriever,
    (text, question): (&str, Option<&Question>),
    settings: &Settings,
    points: &[Changes],
    mut tell: impl FnMut(usize) -> bool,
) -> Result<Vec<Column>, RetrieveError> {
    let first = retriever.retrieve(text, settings, Keep::Scores)?;
    let first: Vec<u32> = first.top().iter().map(|hit| hit.passage).collect();
    let mut columns = Vec::new();
    for point in points {
        if !tell(columns.len()) {
            break;
        }
        let run = retriever.retrieve(text, &changed(settings, point), Keep::Scores)?;
        columns.push(Column::of(&run, question, &first));
    }
    Ok(columns)
}

/// What settings give for a set, and against the settings as they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Mean {
    /// Over the questions with gold.
    pub measures: Measures,
    /// Of one measure, from the settings as they are.
    pub difference: Option<Difference>,
}

/// Evaluates a set under every point. `tell` hears of points and questions done, and stops by returning false: then the
/// points done so far come back.
///
/// # Errors
/// The first retrieval that failed.
pub fn over_set(
    index: &Arc<Index>,
    questions: &[Question],
    settings: &Settings,
    (points, measure): (&[Changes], &str),
    resampling: Resampling,
    tell: impl Fn(usize, usize) -> bool + Sync,
) -> Result<Vec<Mean>, RetrieveError> {
    let base = evaluate(index, questions, settings, |done| tell(0, done))?;
    let mut means = Vec::new();
    for (at, point) in points.iter().enumerate() {
        let fresh = match present(settings, point) {
            true => None,
            false => {
                let own = changed(settings, point);
                Some(evaluate(index, questions, &own, |done| tell(at, done))?)
            }
        };
        let evaluation = fresh.as_ref().unwrap_or(&base);
        if evaluation.per_question.len() < questions.len() {
            break;
        }
        let comparison = Comparison::new(&base, evaluation, resampling);
        means.push(Mean {
            measures: evaluation.measures,
            difference: comparison.get(measure).cloned(),
        });
    }
    let others = means.iter_mut().zip(points);
    let others = others.filter(|(_, point)| !present(settings, point));
    let others = others.filter_map(|(mean, _)| mean.difference.as_mut());
    correct(others.map(std::slice::from_mut));
    Ok(means)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::sample;
    use crate::parameters::{ALPHA, STEPS};
    use crate::retrieve::Method;

    #[test]
    fn effects_of_changes_that_do_not_meet_are_their_own() {
        // Bit 0 adds .2, bit 1 takes .1, bit 2 does nothing.
        let worth: Vec<f64> = (0..8)
            .map(|s| 0.5 + 0.2 * f64::from(s & 1) - 0.1 * f64::from(s >> 1 & 1))
            .collect();
        let found = effects(&worth);
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(close(found[0], 0.2) && close(found[1], -0.1) && close(found[2], 0.0));
        // They sum to the whole difference where nothing interacts.
        assert!(close(found.iter().sum(), worth[7] - worth[0]));
    }

    #[test]
    fn a_grid_and_all_subsets_are_whole() {
        let settings = Settings::new(Method::by_name("graph").unwrap());
        let steps: Vec<Value> = values(&settings, STEPS.id(), 5);
        let alphas = values(&settings, ALPHA.id(), 4);
        assert!(alphas.contains(&settings.value(ALPHA.id())));
        let axes = [(STEPS.id(), steps.clone()), (ALPHA.id(), alphas.clone())];
        let points = grid(&axes);
        assert_eq!(points.len(), steps.len() * alphas.len());
        let mut distinct = points.clone();
        distinct.dedup();
        assert_eq!(distinct, points);
        let changes = [(STEPS.id(), steps[0]), (ALPHA.id(), alphas[0])];
        assert_eq!(subsets(&changes).len(), 4);
        assert_eq!(subsets(&changes)[3], changes);
        assert!(subsets(&changes)[0].is_empty());
    }

    #[test]
    fn a_set_of_one_question_and_the_question_give_the_same() {
        let index = Arc::new(sample::index().unwrap());
        let settings = Settings::of(&index, Method::by_name("graph-hybrid").unwrap());
        let question = &index.questions()[0];
        let points = grid(&[(STEPS.id(), values(&settings, STEPS.id(), 6))]);
        let mut retriever = Retriever::new(index.clone());
        let asked = (&*question.text, Some(question));
        let columns = over_question(&mut retriever, asked, &settings, &points, |_| true).unwrap();
        let one = std::slice::from_ref(question);
        let how = (&points[..], "R@5");
        let go = |_, _| true;
        let means = over_set(&index, one, &settings, how, Resampling::default(), go).unwrap();
        assert_eq!(columns.len(), points.len());
        for (column, mean) in columns.iter().zip(&means) {
            assert_eq!(column.measures, Some(mean.measures));
        }
        // Parity: the second gold passage moves with the number of steps.
        let ranks: Vec<_> = columns.iter().map(|column| column.gold.clone()).collect();
        assert!(ranks.windows(2).any(|two| two[0] != two[1]), "{ranks:?}");
        let few = over_question(&mut retriever, asked, &settings, &points, |done| done < 2);
        assert_eq!(few.unwrap().len(), 2);
    }
}
