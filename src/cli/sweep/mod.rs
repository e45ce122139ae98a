//! `hopscope sweep INDEX [QUESTION]`: one or two parameters over their values, or every subset of some changes.

pub(super) mod sizes;

use super::compare::Ranked;
use super::eval::asked;
use super::figures::{change, difference, measure, score};
use super::grid::{Form, Grid, cells};
use super::load::{Aim, bar, check_runs, load_runs};
use super::{How, Opening, interrupt, measure_named};
use crate::corpus::Question;
use crate::evaluate::sweep::{
    CHANGES, Changes, Column, Mean, effects, grid, over_question, over_set, present, subsets,
    values,
};
use crate::evaluate::{Difference, Measures, Resampling};
use crate::explorer::text;
use crate::index::Index;
use crate::output;
use crate::parameters::{Assigned, Parameter, RESULT_K, Value};
use crate::retrieve::{Retriever, Settings};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Debug, Args)]
pub struct SweepArgs {
    /// An index folder or a corpus.
    index: PathBuf,
    /// Question text, or its id in the set; all questions of the index if omitted.
    question: Option<String>,
    /// Parameter to sweep, over its range or these values; or chunk-words=N,.. and chunk-overlap=N,.. of a corpus of texts,
    /// an index for each. Give it twice for a grid.
    #[arg(
        long,
        value_name = "NAME[=VALUE,..]",
        required_unless_present = "subsets"
    )]
    over: Vec<String>,
    /// Try every subset of the --set changes instead, and report each change's average effect.
    #[arg(long, conflicts_with = "over")]
    subsets: bool,
    #[command(flatten)]
    how: How,
    /// Questions to use instead of the index's own.
    #[arg(long, value_name = "FILE", conflicts_with = "question")]
    questions: Option<PathBuf>,
    /// Qrels file that replaces the questions' own gold.
    #[arg(long, value_name = "FILE", conflicts_with = "question")]
    qrels: Option<PathBuf>,
    /// How many passages are returned; the same as --set result_k=K.
    #[arg(long, short = 'k', value_name = "K")]
    top: Option<usize>,
    /// Maximum values per numeric parameter.
    #[arg(long, value_name = "N", default_value_t = 13, value_parser = clap::value_parser!(u16).range(2..=200))]
    points: u16,
    /// Measure to report: R@2, R@5, R@10, R@20, Success@10, RR, nDCG@10, MAP or All@5.
    #[arg(long, default_value = "R@5", value_parser = measure_named)]
    measure: &'static str,
    #[command(flatten)]
    opening: Opening,
    /// Output format.
    #[arg(long = "as", value_enum, value_name = "FORM", default_value_t = Form::Text)]
    form: Form,
    /// The same as --as json.
    #[arg(long, conflicts_with = "form")]
    json: bool,
}

/// What was tried, and what it came to.
struct Swept<'a> {
    args: &'a SweepArgs,
    index: &'a Index,
    settings: &'a Settings,
    /// Questions with gold of the set.
    judged: usize,
    /// The names of the swept parameters.
    heads: Vec<&'static str>,
    /// The question, and as it is in the set; none where all questions of the set were asked.
    question: Option<(&'a str, Option<&'a Question>)>,
    /// The identifiers of its gold.
    gold: Vec<&'a str>,
    points: Vec<Point>,
}

/// One point of a sweep.
struct Point {
    changes: Changes,
    /// The measure; of a question without gold what stays.
    worth: f64,
    measures: Option<Measures>,
    /// Ranks of the gold of a question.
    gold: Vec<Option<usize>>,
    /// Of the measure over a set, from the settings as they are.
    difference: Option<Difference>,
}

/// A sweep over a question or over the set.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Whole<'a> {
    /// Name of the corpus.
    index: &'a str,
    /// Name of the method.
    method: &'a str,
    /// All parameters of the method, as they are before the sweep.
    settings: &'a Settings,
    /// The measure that is reported.
    measure: &'a str,
    /// Every setting that was tried, in order.
    points: Vec<Tried<'a>>,
    /// The question; absent over the set.
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<&'a str>,
    /// Questions with gold; absent over one question.
    #[serde(skip_serializing_if = "Option::is_none")]
    judged: Option<usize>,
    /// Average effect of each change; with `--subsets` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    effects: Option<Vec<Effect>>,
}

/// One setting and its result.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Tried<'a> {
    /// Values that it sets.
    set: Assigned,
    /// Share of the passages returned now that it returns too, 0 to 1; of a question that is not of the set alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    stays: Option<f64>,
    /// Gold of the question; absent over the set.
    #[serde(skip_serializing_if = "Option::is_none")]
    gold: Option<Vec<Ranked<'a>>>,
    /// Of the question, null where it has no gold; over the set the means.
    #[serde(skip_serializing_if = "Option::is_none")]
    measures: Option<Option<Measures>>,
    /// Over the set: the measure against the settings as they are, null for these themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<Option<&'a Difference>>,
}

/// The average effect of one change over all combinations of the others.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Effect {
    /// Identifier of the parameter that it sets.
    parameter: &'static str,
    /// Average difference of the measure.
    effect: f64,
}

pub fn run(args: &SweepArgs) -> Result<()> {
    if args.over.iter().any(|over| sizes::is_one(over)) {
        return sizes::run(args);
    }
    let path = Some(&*args.index);
    let (index, _, mut all) = load_runs(path, &[], &args.how, args.top, &args.opening, Aim::Whole)?;
    let settings = all.remove(0);
    let (settings, axes, points) = match args.subsets {
        true => {
            let (base, changes) = apart(&settings)?;
            let parameters = changes.iter().map(|change| change.0);
            (base, Vec::from_iter(parameters), subsets(&changes))
        }
        false => {
            let axes = axes(args, &settings)?;
            let parameters = axes.iter().map(|axis| axis.0).collect();
            (settings, parameters, grid(&axes))
        }
    };
    let files = [&args.questions, &args.qrels].map(|file| file.as_deref());
    let questions = asked(&index, files, &args.opening.reading)?;
    let question = args.question.as_deref().map(|said| {
        let asked = index.question(said);
        (asked.map_or(said, |asked| &asked.text), asked)
    });
    interrupt::watch();
    let all = points.len();
    let points = match question {
        Some(asked) => one(args, &index, &settings, points, asked)?,
        None if questions.iter().all(|q| q.gold.is_empty()) => {
            let path = args.index.display();
            bail!(
                "{path}: no question with gold; name one question, or a file with --questions FILE [--qrels FILE]"
            )
        }
        None => {
            check_runs(&index, &questions, [&settings])?;
            set(args, (&index, &questions), &settings, points)?
        }
    };
    if points.len() < all {
        bail!("interrupted after {} of {all} points", points.len());
    }
    let gold = question.and_then(|(_, asked)| asked);
    let gold = gold.map_or(&[][..], |asked| &asked.gold).iter();
    let swept = Swept {
        args,
        index: &index,
        settings: &settings,
        judged: questions.iter().filter(|q| q.wanted() > 0).count(),
        heads: axes.iter().map(|parameter| parameter.id()).collect(),
        question,
        gold: gold.map(|gold| index.id(gold.passage)).collect(),
        points,
    };
    match args.form {
        _ if args.json => super::print_json(&swept.whole()),
        Form::Json => super::print_json(&swept.whole()),
        Form::Text => swept.text(),
        form => swept.table(form),
    }
}

/// Every point for one question.
fn one(
    args: &SweepArgs,
    index: &Arc<Index>,
    settings: &Settings,
    points: Vec<Changes>,
    asked: (&str, Option<&Question>),
) -> Result<Vec<Point>> {
    let bar = bar(points.len());
    let tell = |done| {
        bar.set_position(done as u64);
        !interrupt::interrupted()
    };
    let mut retriever = Retriever::new(index.clone());
    let columns = over_question(&mut retriever, asked, settings, &points, tell)?;
    bar.finish_and_clear();
    let point = |(changes, column): (Changes, Column)| Point {
        changes,
        worth: (column.measures.and_then(|m| m.get(args.measure))).unwrap_or(column.worth),
        measures: column.measures,
        gold: column.gold,
        difference: None,
    };
    Ok(points.into_iter().zip(columns).map(point).collect())
}

/// Every point for all questions of the set.
fn set(
    args: &SweepArgs,
    (index, questions): (&Arc<Index>, &[Question]),
    settings: &Settings,
    points: Vec<Changes>,
) -> Result<Vec<Point>> {
    let bar = bar(points.len() * questions.len());
    let tell = |at: usize, done: usize| {
        bar.set_position((at * questions.len() + done) as u64);
        !interrupt::interrupted()
    };
    let how = (&points[..], args.measure);
    let means = over_set(index, questions, settings, how, Resampling::default(), tell)?;
    bar.finish_and_clear();
    let point = |(changes, mean): (Changes, Mean)| Point {
        changes,
        worth: mean.measures.get(args.measure).unwrap_or(0.0),
        measures: Some(mean.measures),
        gold: Vec::new(),
        difference: mean.difference,
    };
    Ok(points.into_iter().zip(means).map(point).collect())
}

/// The parameters of --over with their values.
fn axes(args: &SweepArgs, settings: &Settings) -> Result<Vec<(Parameter, Vec<Value>)>> {
    if args.over.len() > 2 {
        bail!("--over: one parameter or two; --subsets tries changes of more");
    }
    let mut axes: Vec<(Parameter, Vec<Value>)> = Vec::new();
    for over in &args.over {
        let (name, list) = match over.split_once('=') {
            Some((name, list)) => (name, Some(list)),
            None => (&**over, None),
        };
        let wrong = |said| anyhow!("--over {over}: {said}");
        let parameter = Parameter::named(name).map_err(wrong)?;
        let method = settings.method();
        if !method.uses().contains(&parameter) {
            bail!("--over {over}: {} does not read it", method.name);
        }
        if axes.iter().any(|axis| axis.0 == parameter) {
            bail!("--over {over}: given twice");
        }
        if let Some(why) = settings.idle(parameter) {
            note!("hopscope: --over {over}: {why}");
        }
        let values = match list {
            None => values(settings, parameter, usize::from(args.points)),
            Some(list) => {
                let values = list.split(',').map(|text| parameter.parse(text));
                values.collect::<Result<_, String>>().map_err(wrong)?
            }
        };
        axes.push((parameter, values));
    }
    Ok(axes)
}

/// The settings without what a person set, and that by itself.
fn apart(settings: &Settings) -> Result<(Settings, Changes)> {
    let mut base = settings.clone();
    let mut changes = Changes::new();
    for parameter in settings.method().uses() {
        base.reset(parameter);
        if parameter != RESULT_K.id() && base.value(parameter) != settings.value(parameter) {
            changes.push((parameter, settings.value(parameter)));
        }
    }
    let top = RESULT_K.id();
    base.set(top, settings.value(top), settings.origin(top));
    match changes.len() {
        0 => bail!("--subsets: --set changes nothing"),
        1..=CHANGES => Ok((base, changes)),
        more => bail!("--subsets: {more} changes have too many subsets; {CHANGES} at most"),
    }
}

/// Cells of a line of ranks, and the rank at its end.
const LINE: usize = 40;
const DEEPEST: f64 = 1000.0;

/// A rank's place on a line of ranks that grow tenfold from third to third.
fn place(rank: usize) -> usize {
    let share = (rank as f64).ln() / DEEPEST.ln();
    ((share * (LINE - 1) as f64).round() as usize).min(LINE - 1)
}

/// Every gold passage by its letter on a line of ranks, with the cut as a bar.
fn line(ranks: &[Option<usize>], k: usize) -> String {
    let mut cells = vec!['.'; LINE];
    cells[place(k)] = '|';
    let lettered: Vec<(&Option<usize>, char)> = ranks.iter().zip('A'..='Z').collect();
    for (rank, letter) in lettered.into_iter().rev() {
        if let Some(rank) = rank {
            cells[place(*rank)] = letter;
        }
    }
    cells.into_iter().collect()
}

impl Swept<'_> {
    /// The values of a point as a person writes them; a change that a subset lacks as `-`.
    fn values(&self, point: &Changes) -> Vec<String> {
        let of = |head: &&str| {
            let change = point.iter().find(|(parameter, _)| parameter.id() == *head);
            change.map_or("-".to_owned(), |(parameter, value)| {
                parameter.declaration().domain.format(*value)
            })
        };
        self.heads.iter().map(of).collect()
    }

    /// What the worth is called.
    fn called(&self) -> &str {
        match self.question {
            Some((_, None)) => "stays",
            _ => self.args.measure,
        }
    }

    /// What each change of --subsets does on average over the others.
    fn effects(&self) -> Option<impl Iterator<Item = (&'static str, f64)>> {
        let worth: Vec<f64> = self.points.iter().map(|point| point.worth).collect();
        let heads = self.heads.clone().into_iter();
        (self.args.subsets).then(|| heads.zip(effects(&worth)))
    }

    /// Every point in a row, with all digits.
    fn table(&self, form: Form) -> Result<()> {
        let mut grid = Grid::new(&"> ".repeat(self.heads.len() + 8 + self.gold.len()));
        let gold = self.gold.iter().map(|id| format!("rank of {id}"));
        let mut heads: Vec<String> = self.heads.iter().map(ToString::to_string).collect();
        heads.extend(std::iter::once(self.called().to_owned()).chain(gold));
        if self.question.is_none() {
            heads.extend(COMPARED.map(str::to_owned));
        }
        grid.row(heads);
        for point in &self.points {
            let mut cells = self.values(&point.changes);
            cells.push(score(point.worth));
            let rank = |rank: &Option<usize>| rank.map_or(String::new(), |rank| rank.to_string());
            cells.extend(point.gold.iter().map(rank));
            cells.extend(point.difference.iter().flat_map(compared));
            grid.row(cells);
        }
        grid.print(form)?;
        Ok(())
    }

    fn whole(&self) -> Whole<'_> {
        let asked = self.question.is_some();
        let known = matches!(self.question, Some((_, Some(_))));
        let points = self.points.iter().map(|point| {
            let gold = self.gold.iter().zip(&point.gold);
            let gold = gold.map(|(&id, &rank)| Ranked { id, rank });
            Tried {
                set: point.changes.iter().copied().collect(),
                stays: (asked && !known).then_some(point.worth),
                gold: known.then(|| gold.collect()),
                measures: (known || !asked).then_some(point.measures),
                difference: (!asked).then_some(point.difference.as_ref()),
            }
        });
        let effects = self.effects().map(|effects| {
            let effects = effects.map(|(parameter, effect)| Effect { parameter, effect });
            effects.collect()
        });
        Whole {
            index: self.index.name(),
            method: &self.settings.method().name,
            settings: self.settings,
            measure: self.args.measure,
            points: points.collect(),
            question: self.question.map(|(text, _)| text),
            judged: (!asked).then_some(self.judged),
            effects,
        }
    }

    fn text(&self) -> Result<()> {
        let mut out = output::text();
        let k = self.settings.get(RESULT_K);
        let name = &self.settings.method().name;
        match self.question {
            Some((text, _)) => writeln!(out, "{name}: {text}")?,
            None => {
                let judged = self.judged;
                writeln!(
                    out,
                    "{name} over {judged} questions with gold; differences are from the settings marked *"
                )?;
            }
        }
        for (id, letter) in self.gold.iter().zip('A'..='Z') {
            writeln!(out, "{letter} {id}")?;
        }
        let values = ">9 ".repeat(self.heads.len());
        let mut grid = Grid::new(&format!("{values}<1 >8<1 <  <"));
        let scale = match self.gold.is_empty() {
            true => String::new(),
            false => format!("rank 1{:>1$}", "1000", LINE - 6),
        };
        grid.row([&self.heads[..], &["", self.called(), "", &scale]].concat());
        let worth = self.points.iter().map(|point| point.worth);
        let best = worth.fold(f64::NEG_INFINITY, f64::max);
        for point in &self.points {
            let mark = [" ", "*"][usize::from(present(self.settings, &point.changes))];
            let top = [" ", "^"][usize::from(point.worth == best)];
            let mut cells = self.values(&point.changes);
            cells.extend(cells![mark, measure(point.worth), top]);
            if !self.gold.is_empty() {
                cells.extend([line(&point.gold, k), text::ranks(&point.gold)]);
            }
            cells.extend(point.difference.as_ref().map(told));
            grid.row(cells);
        }
        write!(out, "{grid}")?;
        if let Some(effects) = self.effects() {
            let called = self.called();
            let mut grid = Grid::new("  <16 <");
            effects.for_each(|(head, effect)| grid.row(cells![head, change(effect)]));
            write!(
                out,
                "average effect of each on {called} (over all combinations):\n{grid}"
            )?;
        }
        Ok(())
    }
}

/// The heads of [`compared`].
const COMPARED: [&str; 7] = [
    "difference",
    "low",
    "high",
    "wins",
    "ties",
    "losses",
    "p Holm",
];

/// A difference with all digits.
fn compared(d: &Difference) -> Vec<String> {
    let ends = d.interval.map(|ends| ends.map(score));
    let mut cells = vec![score(d.difference)];
    cells.extend(ends.unwrap_or_default());
    cells.extend([d.wins, d.ties, d.losses].map(|count| count.to_string()));
    cells.extend(d.p_holm.map(score));
    cells
}

/// A difference, and on how many questions there is one.
fn told(d: &Difference) -> String {
    let (between, wins, losses) = (difference(d), d.wins, d.losses);
    format!("{between}  {wins} wins, {losses} losses: {}", d.judgement())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_stand_on_a_line_that_grows_tenfold_by_thirds_and_gold_hides_the_cut() {
        assert_eq!([1, 10, 100, 1000, 5000].map(place), [0, 13, 26, 39, 39]);
        let told = line(&[Some(1), Some(100), None], 10);
        assert_eq!(told.find('A'), Some(0));
        assert_eq!((told.find('|'), told.find('B')), (Some(13), Some(26)));
        assert!(!line(&[Some(10)], 10).contains('|'));
    }
}
