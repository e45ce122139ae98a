//! What `hopscope eval` prints for people.

use crate::cli::figures::{among, change, interval, interval_of, known, measure};
use crate::cli::grid::{Grid, cells};
use crate::corpus::Question;
use crate::evaluate::{
    Assurance, Comparison, Coverage, Difference, Evaluation, Fall, Held, Losses, MEASURES,
    Measures, READ, READ_TOKENS, Readings, Repaired, Resampling, STAGES, Survival, by_gold,
    by_type, compare,
};
use crate::index::Index;
use crate::text::plural;
use std::io::{self, Write};

/// The columns of all measures.
fn columns() -> String {
    " >10".repeat(MEASURES.len())
}

/// A row with the values of all measures.
fn row<const N: usize>(grid: &mut Grid, first: [String; N], measures: &Measures, last: &[String]) {
    let values = measures.0.map(measure);
    grid.row([&first[..], &values, last].concat());
}

/// Measures and latency, one row a method.
pub fn measures(
    out: &mut impl Write,
    index: &Index,
    questions: &[Question],
    evaluations: &[Evaluation],
) -> io::Result<()> {
    let judged = evaluations.first().map_or(0, |e| e.judged);
    let (name, passages, questions) = (index.name(), index.len(), questions.len());
    writeln!(
        out,
        "{name} · {passages} passages · {questions} questions, {judged} with gold"
    )?;
    write!(out, "{}", means(evaluations))?;
    reading(out, evaluations)
}

/// The means of all measures, and latency.
pub fn means(evaluations: &[Evaluation]) -> Grid {
    let mut grid = Grid::new(&format!("<14{} >8 >8 >8", columns()));
    grid.row([&["method"][..], &MEASURES, &["p50 ms", "p95 ms", "p99 ms"]].concat());
    for e in evaluations {
        let took = |share| known(e.latency(share), |took| format!("{took:.2}"));
        row(
            &mut grid,
            cells![e.name],
            &e.measures,
            &[0.5, 0.95, 0.99].map(took),
        );
    }
    grid
}

/// Every measure of every method in a row, with its difference to the first method's.
pub fn long(evaluations: &[Evaluation], comparisons: &[Comparison]) -> Grid {
    let head = "method|measure|mean|change|low|high|p|p Holm|won|tied|lost|judgement";
    let mut grid = Grid::headed("< < > > > > > > > > > <", head);
    // The first is compared with none.
    let compared = std::iter::once(None).chain(comparisons.iter().map(Some));
    for (e, compared) in evaluations.iter().zip(compared) {
        for (at, name) in MEASURES.iter().enumerate() {
            let mut row = Vec::from(cells![e.name, name, measure(e.measures.0[at])]);
            if let Some(d) = compared.map(|compared| &compared.measures[at]) {
                let [low, high] = d
                    .interval
                    .map_or(Default::default(), |ends| ends.map(change));
                let [own, holm] = [d.p, d.p_holm].map(|p| p.map_or(String::new(), measure));
                row.extend([change(d.difference), low, high, own, holm]);
                row.extend(cells![d.wins, d.ties, d.losses, d.judgement()]);
            }
            grid.row(row);
        }
    }
    grid
}

/// How many answers were there after so many tokens of what a reader is given.
fn reading(out: &mut impl Write, evaluations: &[Evaluation]) -> io::Result<()> {
    let curves = evaluations.iter().filter_map(|e| Some((e, e.curve()?)));
    let curves: Vec<_> = curves.collect();
    let Some((first, _)) = curves.first() else {
        return Ok(());
    };
    let all = first.answers().questions;
    let shares = " >6".repeat(READ_TOKENS.len());
    let mut grid = Grid::new(&format!("<14  {shares}  >6  <"));
    let share = |share: f64| format!("{share:.3}");
    let last = cells!["all", format!("tokens of context, {all} questions")];
    let tokens = READ_TOKENS.map(|tokens| tokens.to_string());
    grid.row([&cells!["answer within"][..], &tokens, &last].concat());
    for (e, curve) in curves {
        let answers = e.answers();
        let (whole, tokens) = (answers.share().unwrap_or(0.0), answers.mean_tokens());
        let last = cells![share(whole), format!("in {tokens:.0} on average")];
        grid.row([&cells![e.name][..], &curve.map(share), &last].concat());
    }
    write!(out, "\n{grid}")
}

/// How good the confidences of each method are that has some: a line each.
pub fn confidences(
    out: &mut impl Write,
    evaluations: &[Evaluation],
    resampling: Resampling,
) -> io::Result<()> {
    for e in evaluations {
        let Some(made) = Assurance::of(e, resampling) else {
            continue;
        };
        let Assurance { found, mean, .. } = made;
        let between = made.interval.map(|ends| format!(" {}", interval_of(ends)));
        let between = between.unwrap_or_default();
        writeln!(
            out,
            "{:<14} confidence: all gold in five {} of questions, {} on average, AUC {}{between}, calibration error {}",
            e.name,
            measure(found),
            measure(mean),
            known(made.auc, measure),
            measure(made.calibration)
        )?;
    }
    Ok(())
}

/// How well a model answered from what each method found.
pub fn readings(out: &mut impl Write, readings: &[Readings]) -> io::Result<()> {
    for read in readings {
        write!(out, "{:<14} answers:", read.name)?;
        for (name, value) in READ.iter().zip(read.measures) {
            write!(out, " {name} {}", measure(value))?;
        }
        write!(out, " over {} questions", read.per_question.len())?;
        match read.unanswered {
            0 => writeln!(out)?,
            none => writeln!(out, ", {none} of them without an answer, which counts 0")?,
        }
    }
    Ok(())
}

/// One block for each later method against the first.
pub fn comparisons(out: &mut impl Write, comparisons: &[Comparison]) -> io::Result<()> {
    for c in comparisons {
        writeln!(out, "\n{} against {} · {} questions", c.b, c.a, c.questions)?;
        if c.questions < compare::FEWEST {
            writeln!(out, "  fewer than {} questions: no test", compare::FEWEST)?;
        }
        write!(out, "{}", differences(c))?;
    }
    if let Some(c) = comparisons.first() {
        let (all, seed) = (c.resamples, c.seed);
        let over = c.measures.first().map(|d| d.holm_over.to_string());
        writeln!(
            out,
            "  paired bootstrap and randomisation, {all} resamples each, seed {seed}; p Holm over {}",
            over.unwrap_or_default()
        )?;
    }
    Ok(())
}

/// Every difference of two runs.
pub fn differences(c: &Comparison) -> Grid {
    let head = "measure|change|95 % interval|p|p Holm|win/tie/loss";
    let mut grid = Grid::headed("  <10 >8 ^19 >7 >7  <12  <", head);
    let measures = MEASURES.iter().zip(&c.measures);
    for (name, d) in measures.chain(READ.iter().zip(&c.answers)) {
        grid.row(difference(name, d));
    }
    grid
}

fn difference(name: &str, d: &Difference) -> [String; 7] {
    let p = |p| match p {
        ..5e-5 => "<.0001".to_owned(),
        p => measure(p),
    };
    let counts = format!("{}/{}/{}", d.wins, d.ties, d.losses);
    let [own, holm] = [d.p, d.p_holm].map(|value| known(value, p));
    let between = known(d.interval, interval);
    let (difference, judgement) = (change(d.difference), d.judgement());
    cells![name, difference, between, own, holm, counts, judgement]
}

/// Each run against its own of the baseline, and which questions lost.
pub fn held(out: &mut impl Write, held: &[Held]) -> io::Result<()> {
    let comparisons: Vec<Comparison> = held.iter().map(|h| h.comparison.clone()).collect();
    self::comparisons(out, &comparisons)?;
    for held in held {
        let name = &held.comparison.b;
        for (count, what) in [
            (held.changed, "changed since, and left out"),
            (held.added, "not in the baseline"),
            (held.gone, "no longer in the set"),
        ] {
            if count > 0 {
                writeln!(out, "  {name}: {} {what}", plural(count, "question"))?;
            }
        }
        for fall in &held.fell {
            writeln!(out, "  {}", fell(name, fall))?;
        }
    }
    Ok(())
}

/// Questions that are named of those that lost.
const NAMED: usize = 6;

/// Which questions a measure lost on.
pub fn fell(run: &str, fall: &Fall) -> String {
    let named = fall.questions.iter().take(NAMED);
    let named: Vec<String> = named
        .map(|(id, then, now)| format!("{id} ({then:.2} > {now:.2})"))
        .collect();
    let more = match fall.questions.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    format!("{run}: {} fell on {}{more}", fall.measure, named.join(", "))
}

/// Shares of gold links alive after each stage.
pub fn survival(out: &mut impl Write, evaluations: &[Evaluation]) -> io::Result<()> {
    let stages = " >9".repeat(STAGES.len());
    let mut grid = Grid::new(&format!("<14 >6{stages}  <"));
    let labels = STAGES.map(|stage| stage.label());
    grid.row([&["gold links", "all"], &labels[..]].concat());
    for e in evaluations {
        let survival = Survival::of(e);
        let shares = STAGES.map(|stage| known(survival.share(stage), measure));
        let fallbacks = survival.fallbacks.iter();
        let told = fallbacks.map(|(rule, count)| format!("fallback {rule}: {count} questions"));
        let told = Vec::from_iter(told).join("  ");
        grid.row([&cells![e.name, survival.gold], &shares[..], &[told]].concat());
    }
    write!(out, "\n{grid}")
}

/// Measures by type and by number of gold links, and recall by how well names were found.
pub fn breakdown(
    out: &mut impl Write,
    questions: &[Question],
    evaluations: &[Evaluation],
    coverage: &dyn Fn(&Evaluation) -> Option<Coverage>,
) -> io::Result<()> {
    for e in evaluations {
        let mut grid = Grid::new(&format!("<24 >9{}", columns()));
        grid.row([&[&*e.name, "questions"], &MEASURES[..]].concat());
        let kinds = by_type(questions, e).into_iter();
        let kinds = kinds.map(|(kind, group)| (format!("type {kind}"), group));
        let gold = by_gold(questions, e).into_iter();
        let gold = gold.map(|(gold, group)| (format!("gold {gold}"), group));
        for (name, group) in kinds.chain(gold) {
            row(
                &mut grid,
                cells![name, group.questions],
                &group.measures,
                &[],
            );
        }
        if let Some(coverage) = coverage(e) {
            let own = match coverage.names_of == *e.settings.method().name {
                true => String::new(),
                false => format!(" (names of {})", coverage.names_of),
            };
            grid.row(cells![format!("names{own}"), "questions", "share", "R@10"]);
            let buckets = coverage.buckets.iter().map(|b| (b.bucket.label(), b.part));
            let without = coverage.without_entity;
            for (label, part) in buckets.chain([("without linked name", without.linked)]) {
                let recall = known(part.recall, measure);
                grid.row(cells![label, part.questions, measure(part.share), recall]);
            }
        }
        write!(out, "\n{grid}")?;
    }
    Ok(())
}

/// Why gold is lost, one block a method: the verdicts, most frequent first.
pub fn losses(out: &mut impl Write, lost: &[Losses]) -> io::Result<()> {
    for method in lost {
        let (name, gold, lost, causes) = (&method.method, method.gold, method.lost, method.causes);
        let share = among(causes, lost, 0);
        write!(
            out,
            "\nmissed by {name}: {lost} of {gold} gold passages; {causes} with a proven cause ({share})"
        )?;
        if let Some(repaired) = method.repaired {
            let Repaired {
                of,
                by_setting,
                by_seed,
                by_graph,
                by_two,
            } = repaired;
            let share = among(by_setting, of, 0);
            write!(
                out,
                "; of {of} that were tried, one other setting brings in {by_setting} ({share}), one changed seed {by_seed} more, one change of the graph {by_graph}, two changes {by_two}"
            )?;
        }
        let mut classes = Grid::new("  >5  <");
        for (class, count) in &method.classes {
            classes.row(cells![count, format!("{class} {}", class.about())]);
        }
        let mut all: Vec<_> = method.codes.iter().collect();
        all.sort_by_key(|(code, count)| (std::cmp::Reverse(**count), **code));
        let mut codes = Grid::new("  >5  <27 <");
        for (code, count) in all {
            codes.row(cells![count, code, code.about()]);
        }
        write!(out, "\n{classes}{codes}")?;
    }
    Ok(())
}
