//! What `hopscope eval` prints for people.

use crate::corpus::Question;
use crate::evaluate::{
    Comparison, Coverage, Difference, Evaluation, Group, Losses, MEASURES, Measures, READ,
    READ_TOKENS, Readings, Repaired, STAGES, Survival, by_gold, by_type, compare,
};
use crate::index::Index;
use std::io::{self, Write};

/// Width of the first column.
const NAME: usize = 24;

/// Measures and latency, one row a method.
pub fn measures(
    out: &mut impl Write,
    index: &Index,
    questions: &[Question],
    evaluations: &[Evaluation],
) -> io::Result<()> {
    let judged = evaluations.first().map_or(0, |e| e.judged);
    writeln!(
        out,
        "{} · {} passages · {} questions, {judged} with gold",
        index.name(),
        index.len(),
        questions.len()
    )?;
    write!(out, "{:<14}", "method")?;
    head(out)?;
    writeln!(out, " {:>8} {:>8} {:>8}", "p50 ms", "p95 ms", "p99 ms")?;
    for e in evaluations {
        write!(out, "{:<14}", e.name)?;
        values(out, &e.measures)?;
        for share in [0.5, 0.95, 0.99] {
            let told = e.latency(share).map(|took| format!("{took:.2}"));
            write!(out, " {:>8}", told.unwrap_or_else(|| "-".to_owned()))?;
        }
        writeln!(out)?;
    }
    reading(out, evaluations)
}

/// How many answers were there after so many tokens of what a reader is given.
fn reading(out: &mut impl Write, evaluations: &[Evaluation]) -> io::Result<()> {
    let curves = evaluations.iter().filter_map(|e| Some((e, e.curve()?)));
    let curves: Vec<_> = curves.collect();
    let Some((first, _)) = curves.first() else {
        return Ok(());
    };
    let all = first.answers().questions;
    let name = 2 + evaluations
        .iter()
        .map(|e| e.name.chars().count())
        .max()
        .unwrap_or(0);
    write!(out, "\n{:<name$}", "answer read in", name = name.max(16))?;
    for tokens in READ_TOKENS {
        write!(out, " {tokens:>6}")?;
    }
    writeln!(out, "  {:>6}  tokens of context, {all} questions", "all")?;
    for (e, curve) in curves {
        let answers = e.answers();
        write!(out, "{:<name$}", e.name, name = name.max(16))?;
        for share in curve {
            write!(out, " {share:>6.3}")?;
        }
        let (share, tokens) = (answers.share().unwrap_or(0.0), answers.mean_tokens());
        writeln!(out, "  {share:>6.3}  in {tokens:.0} on average")?;
    }
    Ok(())
}

/// How well a model answered from what each method found.
pub fn readings(out: &mut impl Write, readings: &[Readings]) -> io::Result<()> {
    for read in readings {
        write!(out, "{:<14} answers:", read.name)?;
        for (name, value) in READ.iter().zip(read.measures) {
            write!(out, " {name} {value:.4}")?;
        }
        write!(out, " over {} questions", read.per_question.len())?;
        match read.unanswered {
            0 => writeln!(out)?,
            none => writeln!(out, ", {none} of them without an answer, which counts 0")?,
        }
    }
    Ok(())
}

fn head(out: &mut impl Write) -> io::Result<()> {
    MEASURES
        .iter()
        .try_for_each(|name| write!(out, " {name:>10}"))
}

fn values(out: &mut impl Write, measures: &Measures) -> io::Result<()> {
    measures
        .0
        .iter()
        .try_for_each(|value| write!(out, " {value:>10.4}"))
}

/// One block for each later method against the first.
pub fn comparisons(out: &mut impl Write, comparisons: &[Comparison]) -> io::Result<()> {
    for c in comparisons {
        writeln!(out, "\n{} against {} · {} questions", c.b, c.a, c.questions)?;
        if c.questions < compare::FEWEST {
            writeln!(out, "  fewer than {} questions: no test", compare::FEWEST)?;
        }
        writeln!(
            out,
            "  {:<10} {:>8} {:^19} {:>7} {:>7}  win/tie/loss",
            "measure", "change", "95 % interval", "p", "p Holm"
        )?;
        let measures = MEASURES.iter().zip(&c.measures);
        for (name, d) in measures.chain(READ.iter().zip(&c.answers)) {
            writeln!(out, "  {name:<10} {}", difference(d))?;
        }
    }
    if let Some(c) = comparisons.first() {
        writeln!(
            out,
            "  paired bootstrap and randomisation, {} resamples each, seed {}",
            c.resamples, c.seed
        )?;
    }
    Ok(())
}

fn difference(d: &Difference) -> String {
    let interval = d.interval.map_or("-".to_owned(), |[low, high]| {
        format!("[{low:+.4}, {high:+.4}]")
    });
    let p = |p: Option<f64>| {
        p.map_or("-".to_owned(), |p| {
            if p < 5e-5 {
                "<.0001".to_owned()
            } else {
                format!("{p:.4}")
            }
        })
    };
    format!(
        "{:>+8.4} {interval:^19} {:>7} {:>7}  {}/{}/{}",
        d.difference,
        p(d.p),
        p(d.p_holm),
        d.wins,
        d.ties,
        d.losses
    )
}

/// Shares of gold links alive after each stage.
pub fn survival(out: &mut impl Write, evaluations: &[Evaluation]) -> io::Result<()> {
    write!(out, "\n{:<14} {:>6}", "gold links", "all")?;
    for stage in STAGES {
        write!(out, " {:>9}", stage.label())?;
    }
    writeln!(out)?;
    for e in evaluations {
        let survival = Survival::of(e);
        write!(out, "{:<14} {:>6}", e.name, survival.gold)?;
        for stage in STAGES {
            match survival.share(stage) {
                Some(share) => write!(out, " {share:>9.4}")?,
                None => write!(out, " {:>9}", "-")?,
            }
        }
        for (rule, count) in &survival.fallbacks {
            write!(out, "  fallback {rule}: {count} questions")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Measures by type and by number of gold links, and recall by how well names were found.
pub fn breakdown(
    out: &mut impl Write,
    questions: &[Question],
    evaluations: &[Evaluation],
    coverage: &dyn Fn(&Evaluation) -> Option<Coverage>,
) -> io::Result<()> {
    for e in evaluations {
        let method = &*e.name;
        write!(out, "\n{method:<NAME$} {:>9}", "questions")?;
        head(out)?;
        writeln!(out)?;
        for (kind, group) in by_type(questions, e) {
            row(out, &format!("type {kind}"), &group)?;
        }
        for (gold, group) in by_gold(questions, e) {
            row(out, &format!("gold {gold}"), &group)?;
        }
        let Some(coverage) = coverage(e) else {
            continue;
        };
        let own = if coverage.names_of == *e.settings.method().name {
            String::new()
        } else {
            format!(" (names of {})", coverage.names_of)
        };
        writeln!(
            out,
            "{:<NAME$} {:>9} {:>10} {:>10}",
            format!("names{own}"),
            "questions",
            "share",
            "R@10"
        )?;
        let buckets = coverage.buckets.iter().map(|b| (b.bucket.label(), b.part));
        let without = coverage.without_entity;
        for (label, part) in buckets.chain([("without linked name", without.linked)]) {
            let recall = part.recall.map_or("-".to_owned(), |r| format!("{r:.4}"));
            writeln!(
                out,
                "{label:<NAME$} {:>9} {:>10.4} {recall:>10}",
                part.questions, part.share
            )?;
        }
    }
    Ok(())
}

fn row(out: &mut impl Write, name: &str, group: &Group) -> io::Result<()> {
    write!(out, "{name:<NAME$} {:>9}", group.questions)?;
    values(out, &group.measures)?;
    writeln!(out)
}

/// Why gold is lost, one block a method: the verdicts, most frequent first.
pub fn losses(out: &mut impl Write, lost: &[Losses]) -> io::Result<()> {
    let share = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
    for method in lost {
        let Losses {
            gold,
            lost,
            specific,
            ..
        } = method;
        write!(
            out,
            "\nlost by {}: {lost} of {gold} gold passages; the verdict is specific for {specific} ({:.0} %)",
            method.method,
            share(*specific, *lost)
        )?;
        if let Some(repaired) = method.repaired {
            let Repaired {
                of,
                by_setting,
                by_seed,
                by_graph,
                by_two,
            } = repaired;
            write!(
                out,
                "; of {of} that were tried, one other setting brings in {by_setting} ({:.0} %), one changed seed {by_seed} more, one change of the graph {by_graph}, two changes {by_two}",
                share(by_setting, of)
            )?;
        }
        writeln!(out)?;
        let classes = method.classes.iter();
        for (class, count) in classes {
            writeln!(out, "  {count:>5}  {class} {}", class.about())?;
        }
        let mut codes: Vec<_> = method.codes.iter().collect();
        codes.sort_by_key(|(code, count)| (std::cmp::Reverse(**count), **code));
        for (code, count) in codes {
            writeln!(out, "  {count:>5}  {code:<27} {}", code.about())?;
        }
    }
    Ok(())
}
