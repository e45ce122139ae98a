//! The set under the first pinned settings and the live ones: each measure with its difference, and which questions paid.

use super::{Card, Contents};
use crate::evaluate::{MEASURES, READ_TOKENS};
use crate::explorer::command::Command;
use crate::explorer::glyphs::sparkline;
use crate::explorer::hits::Hits;
use crate::explorer::jobs::score::{MEASURE, Score};
use crate::explorer::layout::{Pane, Slot, cut_left};
use crate::explorer::panes::ink::{Chrome, Filling, Ink, flow};
use crate::explorer::scene::Scene;
use crate::explorer::state::State;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::text::Line;
use serde_json::{Map, Value, json};

fn table(ink: &Ink<'_>, score: &Score, width: usize) -> Vec<Line<'static>> {
    // Without a difference of settings there is one column.
    let same = score.alone;
    let wide = width >= 56;
    let mut head = format!("{:<10}", "measure");
    head += match (same, wide) {
        (true, _) => " mean",
        (false, true) => "    A  live change  95 % interval   p Holm",
        (false, false) => "    A  live change  95 % interval",
    };
    let whole = score.difference(MEASURE).filter(|_| score.done == score.of);
    let mut lines = match whole.filter(|_| !same) {
        Some(d) => {
            let verdict = match learned_here(ink.state) {
                Some(warning) => ink.span(warning, Scope::Warn),
                None => ink.span(d.sentence(MEASURE), Scope::of_gain(d.sure())),
            };
            flow(vec![verdict], width, 0)
        }
        None if same => Vec::new(),
        None => vec![counts(ink, score, width)],
    };
    lines.push(Line::from(vec![ink.muted(text::cut(&head, width))]));
    for (name, d) in MEASURES.iter().zip(&score.differences) {
        let mut filling = Filling::new(width);
        filling.add(vec![ink.text(format!("{name:<10}"))]);
        if same {
            filling.add(vec![ink.value(format!("{:>5}", text::measure(d.mean_b)))]);
            lines.push(filling.line);
            continue;
        }
        let scope = Scope::of_gain(d.sure());
        let interval = d.interval.map(text::interval);
        let none = match score.done < score.of {
            true => "of the whole set",
            false => "too few",
        };
        let interval = interval.unwrap_or_else(|| none.to_owned());
        filling.add(vec![ink.muted(format!("{:>5}", text::measure(d.mean_a)))]);
        filling.add(vec![ink.value(format!("{:>6}", text::measure(d.mean_b)))]);
        filling.add(vec![
            ink.span(format!("{:>7}", text::signed(d.difference)), scope),
        ]);
        filling.add(vec![ink.muted(format!("  {interval:<16}"))]);
        if wide {
            let p = d.p_holm.map_or_else(|| "-".to_owned(), text::p);
            filling.add(vec![ink.muted(format!("{p:>6}"))]);
        }
        if score.done == score.of {
            filling.add(vec![ink.span(format!("  {}", d.verdict()), scope)]);
        }
        lines.push(filling.line);
    }
    lines.extend(read(ink, score, same, width));
    if !same {
        lines.push(Line::default());
        lines.extend(paid(ink, score, width));
    }
    lines
}

/// Where the live ranker learned from these very questions: that the change is no gain, and what it is on others.
fn learned_here(state: &State) -> Option<String> {
    let ranker = state.settings.ranker()?;
    let head = format!("{}: ", state.facts.name);
    let mut lines = ranker.trained.iter().rev();
    let line = lines.find_map(|line| line.strip_prefix(&head))?;
    let unseen = line
        .split_once("unseen ")
        .map_or(line, |(_, unseen)| unseen);
    Some(format!(
        "The live ranker learned from these questions, so the changes below are too good. On unseen questions, weighted \
         sum > learned: {unseen}."
    ))
}

/// Answers that were there after so many tokens of what a reader is given.
fn read(ink: &Ink<'_>, score: &Score, same: bool, width: usize) -> Vec<Line<'static>> {
    let Some([before, now]) = score.curves() else {
        return Vec::new();
    };
    let cells = |cells: &mut dyn Iterator<Item = String>| -> String {
        cells.map(|cell| format!("{cell:>5}")).collect()
    };
    let head = cells(&mut READ_TOKENS.iter().map(|tokens| match tokens {
        tokens if *tokens < 1000 => tokens.to_string(),
        tokens => format!("{}k", tokens / 1000),
    }));
    let row = |curve: [f64; READ_TOKENS.len()]| {
        let shares = cells(&mut curve.iter().map(|share| text::measure(*share)));
        let line = sparkline(&curve, Some((0.0, 1.0)), curve.len(), ink.glyphs);
        format!("{shares}  {line}")
    };
    let line = |name: &str, said: String| {
        let mut filling = Filling::new(width);
        filling.add(vec![ink.muted(format!("{name:<10}"))]);
        filling.add(vec![ink.value(said)]);
        filling.line
    };
    let mut lines = vec![Line::default(), line("tokens", head)];
    if !same {
        lines.push(line("answer A", row(before)));
    }
    let name = if same { "answer in" } else { "  live" };
    lines.push(line(name, row(now)));
    lines
}

/// Questions won, tied and lost, and whether that is noise.
fn counts(ink: &Ink<'_>, score: &Score, width: usize) -> Line<'static> {
    let mut filling = Filling::new(width);
    let Some(d) = score.difference(MEASURE) else {
        return filling.line;
    };
    filling.add(vec![ink.muted(format!("{MEASURE}  "))]);
    if score.alone {
        filling.add(vec![ink.value(text::measure(d.mean_b))]);
        return filling.line;
    }
    for (count, word, scope) in [
        (d.wins, "won", Scope::RankUp),
        (d.ties, "tied", Scope::Muted),
        (d.losses, "lost", Scope::RankDown),
    ] {
        let scope = if count == 0 { Scope::Muted } else { scope };
        filling.add(vec![
            ink.span(count.to_string(), scope),
            ink.muted(format!(" {word}  ")),
        ]);
    }
    if score.done == score.of {
        filling.add(vec![ink.span(d.judgement(), Scope::of_gain(d.sure()))]);
    }
    filling.line
}

/// The questions that changed most, on either side.
fn paid(ink: &Ink<'_>, score: &Score, width: usize) -> Vec<Line<'static>> {
    let mut changed: Vec<_> = score.asked.iter().filter(|q| q.gain() != 0.0).collect();
    changed.sort_by(|a, b| {
        b.gain()
            .abs()
            .total_cmp(&a.gain().abs())
            .then(a.at.cmp(&b.at))
    });
    let lines = changed.into_iter().map(|question| {
        let gain = question.gain();
        let scope = Scope::of_gain(gain);
        let asked = ink.state.facts.questions.get(question.at);
        let words = asked.map_or("", |asked| &asked.text);
        Line::from(vec![
            ink.span(format!("{:>6}  ", text::signed(gain)), scope),
            ink.text(text::cut(&ink.said(words), width.saturating_sub(8))),
        ])
    });
    lines.collect()
}

/// Measures of the set under A and the live settings, separated by tabs.
pub fn copied(score: &Score) -> String {
    let head = "measure\ta\tlive\tchange\tlow\thigh".to_owned();
    let line = |(name, d): (&&str, &crate::evaluate::Difference)| {
        let [low, high] = d
            .interval
            .map_or([String::new(), String::new()], |i| i.map(|v| v.to_string()));
        format!(
            "{name}\t{}\t{}\t{}\t{low}\t{high}",
            d.mean_a, d.mean_b, d.difference
        )
    };
    let lines = MEASURES.iter().zip(&score.differences).map(line);
    std::iter::once(head)
        .chain(lines)
        .collect::<Vec<_>>()
        .join("\n")
}

/// The set with its measures, and these questions.
pub fn json(state: &State, questions: Vec<Value>) -> Value {
    let Some(score) = state.score() else {
        return Value::Null;
    };
    let measures = MEASURES.iter().zip(&score.differences);
    let measures: Map<String, Value> = measures
        .map(|(name, d)| ((*name).to_owned(), json!(d)))
        .collect();
    json!({"asked": score.done, "of": score.of, "measures": measures, "questions": questions})
}

pub struct Set;

impl Contents for Set {
    fn card(&self) -> &'static Card {
        &Card {
            about: "Set: all questions with gold, A against live",
            keys: &[Command::Pin, Command::SwapPin, Command::Unpin],
            scrolls: true,
            verb: "eval",
            ..Card::PLAIN
        }
    }

    fn draw(&self, ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
        let state = ink.state;
        let score = state.score();
        let note = score.map_or_else(String::new, |score| match score.done == score.of {
            true => text::plural(score.of, "question"),
            false => format!("{} of {}", score.done, score.of),
        });
        let width = usize::from(slot.area.width);
        let chrome = Chrome {
            title: "Set: A vs live".into(),
            short: "Set",
            note: Line::from(vec![ink.muted(note)]),
            summary: score.map_or_else(Line::default, |score| counts(ink, score, width)),
        };
        let Some(area) = ink.frame(slot, chrome, buf, hits) else {
            return;
        };
        let width = usize::from(area.width).saturating_sub(2);
        let lines = match score {
            None => vec![Line::from(vec![ink.muted(ink.state.no_score())])],
            Some(score) => table(ink, score, width),
        };
        let (_, inner) = cut_left(area, 1);
        ink.scrolled(Pane::Set, inner, &lines, buf, hits);
    }

    fn copied(&self, state: &State, _: &Scene, _: usize) -> Option<(String, String)> {
        state.score().map(|score| (copied(score), "set".to_owned()))
    }

    fn json(&self, state: &State, _: &Scene) -> (Value, &'static str) {
        (
            json(state, super::questions::QUESTIONS.objects(state)),
            "set",
        )
    }

    fn waits(&self, state: &State) -> Option<String> {
        state.score().is_none().then(|| state.no_score().to_owned())
    }

    fn can_enter(&self, _: &State, _: usize) -> Result<(), String> {
        Err("nothing opens here".into())
    }
}
