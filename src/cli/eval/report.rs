//! An evaluation as one file of Markdown, for whoever reads a pull request.

use super::{Evaluated, table};
use crate::cli::figures::{among, measure};
use crate::cli::grid::{Form, Grid, cells};
use crate::evaluate::measures::place;
use crate::evaluate::{Comparison, Evaluation, Loss, Losses, STAGES, Survival, recall_at};
use crate::explorer::glyphs::{GlyphSet, bar};
use crate::output;
use crate::parameters::RESULT_K;
use crate::text::plural;
use std::cmp::Reverse;
use std::fmt::Write;

/// Columns of a bar.
const BAR: usize = 30;
/// Questions of a method that are opened.
const WORST: usize = 8;

/// The whole report. Writing to a string does not fail.
pub fn markdown(made: &Evaluated, comparisons: &[Comparison]) -> String {
    let mut out = String::new();
    let (index, evaluations) = (made.index, &made.evaluations);
    let judged = evaluations.first().map_or(0, |e| e.judged);
    let _ = writeln!(
        out,
        "# Evaluation on {}\n\n{}, {} with gold · {} · hopscope {} · index `{}`",
        text(index.name()),
        plural(made.questions.len(), "question"),
        judged,
        plural(index.len(), "passage"),
        env!("CARGO_PKG_VERSION"),
        index.fingerprint(),
    );
    heading(&mut out, "Measures");
    settings(&mut out, evaluations);
    tabled(&mut out, &table::means(evaluations));
    let first = evaluations.first().map_or(0, |e| e.settings.get(RESULT_K));
    let recall = recall_at(first);
    let recalls = evaluations.iter().map(|e| {
        let value = e.measures.get(recall).unwrap_or_default();
        (e.name.clone(), value)
    });
    bars(&mut out, recall, recalls);
    let held = made.held.iter().map(|held| &held.comparison);
    for (at, c) in comparisons.iter().chain(held).enumerate() {
        if at == 0 {
            heading(&mut out, "Differences");
        }
        let _ = writeln!(out, "\n**{} against {}**", text(&c.b), text(&c.a));
        if c.measures.iter().all(|d| d.wins + d.losses == 0) {
            let _ = writeln!(out, "\nNo question differs in any measure.");
            continue;
        }
        if let Some(d) = c.get(recall) {
            let _ = writeln!(out, "\n{}", text(&d.sentence(recall)));
        }
        tabled(&mut out, &table::differences(c));
    }
    for held in made.held.iter().filter(|held| !held.fell.is_empty()) {
        out.push('\n');
        for fall in &held.fell {
            let said = table::fell(&held.comparison.b, fall);
            let _ = writeln!(out, "- {}", text(&said));
        }
    }
    heading(&mut out, "Where gold is lost");
    for e in evaluations {
        let survival = Survival::of(e);
        let stages = STAGES.into_iter().filter_map(|stage| {
            let share = survival.share(stage)?;
            Some((stage.label().to_owned(), share))
        });
        bars(
            &mut out,
            &format!("{}: share of the gold left after each stage", e.name),
            stages,
        );
    }
    for (lost, e) in made.lost.iter().zip(evaluations) {
        causes(&mut out, lost);
        worst(&mut out, made, lost, e);
    }
    out
}

fn heading(out: &mut String, name: &str) {
    let _ = writeln!(out, "\n## {name}");
}

/// What each run changes of its method's settings.
fn settings(out: &mut String, evaluations: &[Evaluation]) {
    let changed = evaluations.iter().map(|e| (e, e.settings.changed()));
    let changed: Vec<_> = changed.filter(|(_, all)| !all.is_empty()).collect();
    for (e, all) in &changed {
        let all: Vec<String> = all.iter().map(|one| format!("`{one}`")).collect();
        let _ = writeln!(out, "\n{}: {}", text(&e.name), all.join(", "));
    }
}

fn tabled(out: &mut String, grid: &Grid) {
    out.push('\n');
    out.push_str(&grid.marked(Form::Md));
}

/// Shares as bars, which every reader of Markdown shows.
fn bars(out: &mut String, head: &str, shares: impl Iterator<Item = (String, f64)>) {
    let mut grid = Grid::new("<  < >");
    for (name, share) in shares {
        grid.row(cells![
            name,
            bar(share, BAR, GlyphSet::Unicode.glyphs()),
            measure(share)
        ]);
    }
    let _ = writeln!(out, "\n```text\n{}\n{grid}```", fenced(head));
}

/// The verdicts on missed gold, most frequent first.
fn causes(out: &mut String, lost: &Losses) {
    let _ = writeln!(
        out,
        "\n**{}** misses {} of {} gold passages, {} of them with a tested cause ({}).",
        text(&lost.method),
        lost.lost,
        lost.gold,
        lost.causes,
        among(lost.causes, lost.lost, 0),
    );
    let mut codes: Vec<_> = lost.codes.iter().collect();
    codes.sort_by_key(|(code, count)| (Reverse(**count), **code));
    if codes.is_empty() {
        return;
    }
    let mut grid = Grid::headed("> < <", "missed|verdict|meaning");
    for (code, count) in codes {
        grid.row(cells![count, code, code.about()]);
    }
    tabled(out, &grid);
}

/// The questions with the lowest recall, and why their gold is missed.
fn worst(out: &mut String, made: &Evaluated, lost: &Losses, e: &Evaluation) {
    let recall = recall_at(e.settings.get(RESULT_K));
    let at = place(recall).unwrap_or_default();
    let value = |row: usize| e.per_question[row].measures.map_or(1.0, |m| m.0[at]);
    let of = |question: usize| {
        lost.each
            .iter()
            .filter(move |loss| loss.question == question)
    };
    let mut rows: Vec<usize> = (0..e.per_question.len()).collect();
    rows.retain(|row| of(e.per_question[*row].question).next().is_some());
    rows.sort_by(|x, y| value(*x).total_cmp(&value(*y)));
    if !rows.is_empty() {
        let _ = writeln!(out, "\nThe questions with the lowest {recall}:\n");
    }
    for row in rows.into_iter().take(WORST) {
        let question = &made.questions[e.per_question[row].question];
        let _ = writeln!(
            out,
            "- **{}** {} ({recall} {})",
            text(&question.id),
            text(&question.text),
            measure(value(row))
        );
        for loss in of(e.per_question[row].question) {
            let _ = writeln!(out, "  - {}", missed(made, loss));
        }
    }
}

fn missed(made: &Evaluated, loss: &Loss) -> String {
    let (id, title) = (made.index.id(loss.passage), made.index.title(loss.passage));
    let rank = match loss.rank {
        Some(rank) => format!("rank {rank}"),
        None => "no score".to_owned(),
    };
    let kind = if loss.cause { "cause" } else { "description" };
    let (name, said) = (text(&format!("{id} {title}")), text(&loss.text));
    format!("{name}, {rank}. {kind}: {said}")
}

/// Words of a corpus in Markdown: on one line, and nothing of them acts there.
fn text(words: &str) -> String {
    let mut shown = String::new();
    for c in words.chars() {
        if c.is_ascii_punctuation() && "\\`*_[]<|#~&!".contains(c) {
            shown.push('\\');
        }
        output::show(c, &mut shown);
    }
    shown.trim().to_owned()
}

/// Words within a fence.
fn fenced(words: &str) -> String {
    let mut shown = String::new();
    words.chars().for_each(|c| output::show(c, &mut shown));
    shown.replace('`', "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_corpus_do_not_act_in_markdown() {
        assert_eq!(
            text("a_b | <img src=x>\n# c"),
            "a\\_b \\| \\<img src=x> \\# c"
        );
        assert_eq!(text("[x](y) \u{1b}[2J"), "\\[x\\](y) ^[\\[2J");
        assert_eq!(fenced("```\n"), "''' ");
    }
}
