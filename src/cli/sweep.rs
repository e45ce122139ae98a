//! `hopscope sweep INDEX [QUESTION]`: one or two parameters over their values, or every subset of some changes.

use super::ask::set_top;
use super::llm::LlmArgs;
use super::load::{bar, judged_by, load};
use super::{How, Reading, interrupt, say};
use crate::corpus::Question;
use crate::evaluate::sweep::{
    CHANGES, Changes, Column, Mean, effects, grid, over_question, over_set, present, subsets,
    values,
};
use crate::evaluate::{MEASURES, Resampling};
use crate::explorer::text;
use crate::index::Index;
use crate::output;
use crate::parameters::{Parameter, RESULT_K, Value};
use crate::retrieve::{Retriever, Settings};
use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Debug, Args)]
pub struct SweepArgs {
    /// An index folder or a corpus.
    index: PathBuf,
    /// One question, by its text or its identifier in the set; without it, all questions of the index.
    question: Option<String>,
    /// The parameter to sweep, over its whole range or over these values; twice for every combination of two.
    #[arg(
        long,
        value_name = "NAME[=VALUE,..]",
        required_unless_present = "subsets"
    )]
    over: Vec<String>,
    /// Instead: every subset of the changes that --set makes, and what each change does on average over the others.
    #[arg(long, conflicts_with = "over")]
    subsets: bool,
    #[command(flatten)]
    how: How,
    /// How many passages are returned; the same as --set result_k=K.
    #[arg(long, short = 'k', value_name = "K")]
    top: Option<usize>,
    /// The most values of a number.
    #[arg(long, value_name = "N", default_value_t = 13, value_parser = clap::value_parser!(u16).range(2..=200))]
    points: u16,
    /// What is told of a set: R@2, R@5, R@10, R@20, Success@10, RR or nDCG@10.
    #[arg(long, default_value = "R@5")]
    measure: String,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    thinking: LlmArgs,
    /// What to print: lines to read, tab-separated rows, or one JSON object.
    #[arg(long = "as", value_enum, value_name = "FORM", default_value_t = Form::Text)]
    form: Form,
    /// The same as --as json.
    #[arg(long, conflicts_with = "form")]
    json: bool,
}

/// How a sweep is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    Text,
    Tsv,
    Json,
}

/// What was tried, and what it came to.
struct Swept<'a> {
    index: &'a Index,
    settings: &'a Settings,
    measure: &'a str,
    /// The names of the swept parameters.
    heads: Vec<&'static str>,
    points: Vec<Changes>,
    found: Found<'a>,
}

enum Found<'a> {
    One(&'a str, Option<&'a Question>, Vec<Column>),
    Set(usize, Vec<Mean>),
}

pub fn run(args: &SweepArgs) -> Result<()> {
    if !MEASURES.contains(&&*args.measure) {
        bail!(
            "--measure: no '{}'; there are {}",
            args.measure,
            MEASURES.join(", ")
        );
    }
    let mut settings = args.how.settings(None)?;
    let index = load(
        Some(&args.index),
        &args.reading,
        &args.thinking,
        &mut settings,
    )?;
    let by = args.how.reranker.as_deref();
    let index = judged_by(index, by, std::slice::from_ref(&settings))?;
    set_top(&mut settings, args.top)?;
    let (settings, axes, points) = match args.subsets {
        true => {
            let (base, changes) = apart(&settings)?;
            (
                base,
                Vec::from_iter(changes.iter().map(|c| c.0)),
                subsets(&changes),
            )
        }
        false => {
            let axes = axes(args, &settings)?;
            let parameters = axes.iter().map(|axis| axis.0).collect();
            (settings, parameters, grid(&axes))
        }
    };
    let question = args.question.as_deref();
    let asked = question.and_then(|said| index.question(said));
    interrupt::watch();
    let bar = bar(points.len());
    let found = match question {
        Some(text) => {
            let text = asked.map_or(text, |asked| &asked.text);
            let mut retriever = Retriever::new(index.clone());
            let tell = |done| {
                bar.set_position(done as u64);
                !interrupt::interrupted()
            };
            let columns = over_question(&mut retriever, (text, asked), &settings, &points, tell)?;
            Found::One(text, asked, columns)
        }
        None if index.questions().iter().all(|q| q.gold.is_empty()) => {
            bail!(
                "{}: no question with gold; name one question instead",
                args.index.display()
            )
        }
        None => set(args, &index, &settings, &points, &bar)?,
    };
    bar.finish_and_clear();
    let done = match &found {
        Found::One(.., columns) => columns.len(),
        Found::Set(_, means) => means.len(),
    };
    if done < points.len() {
        bail!("interrupted after {done} of {} points", points.len());
    }
    let swept = Swept {
        index: &index,
        settings: &settings,
        measure: &args.measure,
        heads: axes.iter().map(|parameter| parameter.id()).collect(),
        points,
        found,
    };
    match args.form {
        _ if args.json => swept.json(args.subsets),
        Form::Json => swept.json(args.subsets),
        Form::Tsv => swept.tsv(),
        Form::Text => swept.text(args.subsets),
    }
}

fn set<'a>(
    args: &'a SweepArgs,
    index: &Arc<Index>,
    settings: &Settings,
    points: &[Changes],
    bar: &ProgressBar,
) -> Result<Found<'a>> {
    let questions = index.questions();
    bar.set_length((points.len() * questions.len()) as u64);
    let tell = |at: usize, done: usize| {
        bar.set_position((at * questions.len() + done) as u64);
        !interrupt::interrupted()
    };
    let how = (points, &*args.measure);
    let means = over_set(index, questions, settings, how, Resampling::default(), tell)?;
    let judged = questions.iter().filter(|q| q.wanted() > 0);
    Ok(Found::Set(judged.count(), means))
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
            bail!("--over {over}: it is swept already");
        }
        if let Some(why) = settings.idle(parameter) {
            say(format_args!("hopscope: --over {over}: {why}"));
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

    /// What every point is worth: the measure, or without gold what stays.
    fn worth(&self) -> Vec<f64> {
        match &self.found {
            Found::One(.., columns) => {
                let of = |column: &Column| {
                    let measured = column.measures.and_then(|m| m.get(self.measure));
                    measured.unwrap_or(column.worth)
                };
                columns.iter().map(of).collect()
            }
            Found::Set(_, means) => {
                let of = |mean: &Mean| mean.measures.get(self.measure).unwrap_or(0.0);
                means.iter().map(of).collect()
            }
        }
    }

    /// What the worth is called.
    fn called(&self) -> &str {
        match &self.found {
            Found::One(_, None, _) => "stays",
            _ => self.measure,
        }
    }

    /// The identifiers of the gold of the question.
    fn gold(&self) -> Vec<&str> {
        match &self.found {
            Found::One(_, Some(question), _) => question
                .gold
                .iter()
                .map(|g| self.index.id(g.passage))
                .collect(),
            _ => Vec::new(),
        }
    }

    fn ranks(&self, at: usize) -> &[Option<usize>] {
        match &self.found {
            Found::One(.., columns) => &columns[at].gold,
            Found::Set(..) => &[],
        }
    }

    /// Difference, interval, wins and losses of a point of a set.
    fn against(&self, at: usize) -> Option<&crate::evaluate::Difference> {
        match &self.found {
            Found::Set(_, means) => means[at].difference.as_ref(),
            Found::One(..) => None,
        }
    }

    fn tsv(&self) -> Result<()> {
        let mut out = output::table();
        let mut heads: Vec<String> = self.heads.iter().map(|head| (*head).to_owned()).collect();
        heads.push(self.called().to_owned());
        heads.extend(self.gold().iter().map(|id| format!("rank of {id}")));
        if matches!(self.found, Found::Set(..)) {
            let more = ["difference", "low", "high", "wins", "ties", "losses"];
            heads.extend(more.map(str::to_owned));
        }
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| text::tsv_cell(cell)).collect();
            cells.join("\t")
        };
        writeln!(out, "{}", line(&heads))?;
        for (at, (point, worth)) in self.points.iter().zip(self.worth()).enumerate() {
            let mut cells = self.values(point);
            cells.push(format!("{worth:.6}"));
            let rank = |rank: &Option<usize>| rank.map_or(String::new(), |rank| rank.to_string());
            cells.extend(self.ranks(at).iter().map(rank));
            if let Some(difference) = self.against(at) {
                let [low, high] = match difference.interval {
                    Some(interval) => interval.map(|end| format!("{end:.6}")),
                    None => [String::new(), String::new()],
                };
                cells.extend([format!("{:.6}", difference.difference), low, high]);
                let counts = [difference.wins, difference.ties, difference.losses];
                cells.extend(counts.map(|count| count.to_string()));
            }
            writeln!(out, "{}", line(&cells))?;
        }
        Ok(())
    }

    fn json(&self, subsets: bool) -> Result<()> {
        let points = self.points.iter().enumerate().map(|(at, point)| {
            let set = point
                .iter()
                .map(|(parameter, value)| (parameter.id().to_owned(), parameter.json(*value)));
            let mut told = json!({"set": set.collect::<serde_json::Map<_, _>>()});
            match &self.found {
                Found::One(_, question, columns) => {
                    let column = &columns[at];
                    match question {
                        Some(_) => {
                            let gold = self.gold().into_iter().zip(&column.gold);
                            let gold = gold.map(|(id, rank)| json!({"id": id, "rank": rank}));
                            told["gold"] = gold.collect();
                            told["measures"] = json!(column.measures);
                        }
                        None => told["stays"] = json!(column.worth),
                    }
                }
                Found::Set(_, means) => {
                    told["measures"] = json!(means[at].measures);
                    told["difference"] = json!(means[at].difference);
                }
            }
            told
        });
        let mut told = json!({
            "index": self.index.name(),
            "method": self.settings.method().name,
            "settings": self.settings,
            "measure": self.measure,
            "points": points.collect::<Vec<_>>(),
        });
        match &self.found {
            Found::One(text, ..) => told["question"] = json!(text),
            Found::Set(judged, _) => told["judged"] = json!(judged),
        }
        if subsets {
            let effects = self.heads.iter().zip(effects(&self.worth()));
            told["effects"] = effects
                .map(|(head, effect)| json!({"parameter": head, "effect": effect}))
                .collect();
        }
        super::print_json(&told)
    }

    fn text(&self, subsets: bool) -> Result<()> {
        let mut out = output::text();
        let k = self.settings.get(RESULT_K);
        let name = &self.settings.method().name;
        match &self.found {
            Found::One(text, ..) => writeln!(out, "{name}: {text}")?,
            Found::Set(judged, _) => {
                writeln!(
                    out,
                    "{name} over {judged} questions with gold; differences are from the settings marked *"
                )?;
            }
        }
        let gold = self.gold();
        for (id, letter) in gold.iter().zip('A'..='Z') {
            writeln!(out, "{letter} {id}")?;
        }
        let widths: Vec<usize> = self.heads.iter().map(|head| head.len().max(9)).collect();
        let head = |out: &mut dyn Write, cells: &[String]| -> std::io::Result<()> {
            for (cell, width) in cells.iter().zip(&widths) {
                write!(out, "{cell:>width$} ")?;
            }
            Ok(())
        };
        let names: Vec<String> = self.heads.iter().map(|head| (*head).to_owned()).collect();
        head(&mut out, &names)?;
        write!(out, "  {:>8}", self.called())?;
        match gold.is_empty() {
            true => writeln!(out)?,
            false => writeln!(out, "  rank 1{:>width$}", "1000", width = LINE - 6)?,
        }
        let worth = self.worth();
        let best = worth.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for (at, point) in self.points.iter().enumerate() {
            head(&mut out, &self.values(point))?;
            let mark = if present(self.settings, point) {
                '*'
            } else {
                ' '
            };
            let top = if worth[at] == best { '^' } else { ' ' };
            write!(out, "{mark} {:>8.4}{top}", worth[at])?;
            if !gold.is_empty() {
                let ranks = self.ranks(at);
                write!(out, " {}  {}", line(ranks, k), text::ranks(ranks))?;
            }
            if let Some(difference) = self.against(at) {
                write!(out, " {:+.4}", difference.difference)?;
                if let Some([low, high]) = difference.interval {
                    write!(out, " [{low:+.4}, {high:+.4}]")?;
                }
                write!(
                    out,
                    "  {} wins, {} losses",
                    difference.wins, difference.losses
                )?;
            }
            writeln!(out)?;
        }
        if subsets {
            writeln!(
                out,
                "what each does to {} on average over the others:",
                self.called()
            )?;
            for (head, effect) in self.heads.iter().zip(effects(&worth)) {
                writeln!(out, "  {head:<16} {effect:+.4}")?;
            }
        }
        Ok(())
    }
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
