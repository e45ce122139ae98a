//! Why the selected passage is where it is: the verdict first, then the score opened into parts that add up.

use super::Words;
use super::need;
use super::row::explained;
use super::{Card, Contents};
use crate::explain::{Change, Repair, Repairs};
use crate::explorer::action::Action;
use crate::explorer::command::Command;
use crate::explorer::hits::Hits;
use crate::explorer::jobs::repair::{self, From, LETTERS, suggested};
use crate::explorer::layout::{Face, Pane, Slot, cut_left};
use crate::explorer::panes::ink::{Chrome, Filling, Ink, flow};
use crate::explorer::panes::rows::opens_parts;
use crate::explorer::scene::{Basis, Part, Path, Scene, Why, suggestion};
use crate::explorer::state::State;
use crate::explorer::text::ended;
use crate::explorer::text::{self, Scale};
use crate::explorer::theme::Scope;
use crate::layers::Code;
use crate::retrieve::explanation::Reason;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use serde_json::Value;
use serde_json::json;
use std::fmt::Write as _;

/// Most look-alikes that are listed.
const LOOK_ALIKES: usize = 2;
/// Most repairs that are listed, and most parts of two scores.
const REPAIRS: usize = 6;
const BESIDE: usize = 8;
/// Lines of what a part rests on, while it is folded.
const FOLDED: usize = 2;
/// Cells of a figure.
const FIGURE: usize = 8;

fn heading(scene: &Scene, why: &Why, moment: &str) -> String {
    let gold = if why.gold { "gold " } else { "" };
    let id = name(why);
    match why.rank {
        Some(rank) if rank <= scene.top_k => format!("Why is {gold}{id} at rank {rank}{moment}?"),
        Some(rank) => format!(
            "Why is {gold}{id} at rank {rank}{moment}, below the top {}?",
            scene.top_k
        ),
        None => format!("Why is {gold}{id} not found{moment}?"),
    }
}

/// What a person calls the passage: its title, else its identifier.
fn name(why: &Why) -> String {
    match why.title.is_empty() {
        true => why.id.clone(),
        false => format!("\"{}\"", why.title),
    }
}

/// All that is known, most telling first.
fn lines(ink: &Ink<'_>, scene: &Scene, why: &Why, width: usize) -> Vec<Line<'static>> {
    let mut lines = reasons(ink, why, width);
    lines.extend(score(ink, scene, why, width));
    lines.extend(parts(ink, scene, why, width));
    if !why.sentence.is_empty() && why.paths.is_empty() && why.parts.is_empty() {
        lines.extend(flow(vec![ink.text(why.sentence.clone())], width, 0));
    }
    if let Some(line) = by_length(ink, why, width) {
        lines.push(line);
    }
    if !why.paths.is_empty() {
        lines.push(Line::from(vec![ink.muted(paths_title(scene))]));
        for path in &why.paths {
            lines.extend(path_lines(ink, path, width));
        }
    }
    lines
}

/// The verdict with what undoing it does, names that should be one, repairs, and what else is so.
fn reasons(ink: &Ink<'_>, why: &Why, width: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let Some(first) = why.reasons.first() else {
        return lines;
    };
    lines.extend(verdict(ink, why, first, width));
    lines.extend(look_alikes(ink, why, width));
    lines.extend(repairs(ink, width));
    for (at, reason) in why.reasons.iter().enumerate().skip(1) {
        let mut spans = vec![
            ink.muted(reason.text.clone()),
            ink.muted(format!(" [{}]", reason.code)),
        ];
        if reason.cause {
            spans.extend(undone(ink, at, reason));
        }
        lines.extend(flow(spans, width, 2));
    }
    lines
}

/// What holds the passage out, in words, and what undoing it does.
fn verdict(ink: &Ink<'_>, why: &Why, first: &Reason, width: usize) -> Vec<Line<'static>> {
    let scope = if first.cause {
        Scope::Error
    } else {
        Scope::Warn
    };
    let code = ink.muted(format!(" [{}]", first.code));
    let mut lines = flow(vec![ink.span(first.text.clone(), scope), code], width, 2);
    let spans = match (first.cause, &first.fix) {
        (true, Some(_)) => undone(ink, 0, first),
        (true, None) => Vec::new(),
        (false, _) if why.testing => vec![ink.muted("  testing what keeps it out")],
        (false, _) if why.reasons.iter().any(|reason| reason.cause) => Vec::new(),
        (false, Some(fix)) => vec![ink.muted(format!(
            "  describes it, not a cause: {} closes {:.0} % of the gap",
            text::clean(&fix.change.to_string()),
            100.0 * fix.closed
        ))],
        (false, None) => vec![ink.muted("  a description; no cause was proven")],
    };
    lines.extend(flow(spans, width, 2));
    lines
}

/// What undoing a cause does, with its letter.
fn undone(ink: &Ink<'_>, at: usize, reason: &Reason) -> Vec<Span<'static>> {
    let Some(fix) = suggestion(reason) else {
        return Vec::new();
    };
    let fixes = suggested(ink.state);
    let letter = fixes.iter().position(|(from, _)| *from == From::Reason(at));
    let key = match letter {
        Some(letter) => ink.span(format!("  {} ", LETTERS[letter]), Scope::Key),
        None => ink.muted("  "),
    };
    vec![key, ink.span(fix, Scope::Ok)]
}

/// The names that should be one, the best of them; those that the reasons are about are there.
fn look_alikes(ink: &Ink<'_>, why: &Why, width: usize) -> Vec<Line<'static>> {
    let names = [Code::SpelledApart, Code::QueryEntityNotLinked];
    if (why.reasons.iter()).any(|reason| names.contains(&reason.code)) {
        return Vec::new();
    }
    let alike = why.look_alikes.iter().take(LOOK_ALIKES);
    let said = |text: &String| vec![ink.muted("same entity? "), ink.text(text.clone())];
    alike.flat_map(|text| flow(said(text), width, 2)).collect()
}

/// What brings the passage in, as far as that was looked for.
fn repairs(ink: &Ink<'_>, width: usize) -> Vec<Line<'static>> {
    let Some(begun) = ink.state.repairing() else {
        let spans = vec![
            ink.span("R", Scope::Key),
            ink.muted(" searches for repairs"),
        ];
        return flow(spans, width, 2);
    };
    let Repairs { tried, of, .. } = &begun.repairs;
    let said = match begun.done || !ink.state.repairing.going() {
        true => format!("Repairs: {}", begun.repairs.sentence()),
        false => format!(
            "trying changes: {} of {}  Esc stops",
            text::count(*tried),
            text::count(*of)
        ),
    };
    let mut lines = flow(vec![ink.span(said, Scope::Title)], width, 2);
    let fixes = suggested(ink.state);
    let found: Vec<&Repair> = begun.repairs.sensible().collect();
    for (at, repair) in found.iter().enumerate().take(REPAIRS) {
        let letter = fixes.iter().position(|(from, _)| *from == From::Repair(at));
        let mut spans = vec![
            match letter {
                Some(letter) => ink.span(LETTERS[letter], Scope::Key),
                None => ink.muted("-"),
            },
            ink.span(
                format!(" {}", text::clean(&repair.change.to_string())),
                Scope::Ok,
            ),
            ink.text(format!("  rank {}", repair.rank)),
        ];
        spans.extend(price(ink, begun, &repair.change));
        lines.extend(flow(spans, width, 4));
    }
    let more = found.len().saturating_sub(REPAIRS);
    if more > 0 {
        lines.push(Line::from(vec![ink.muted(format!("  and {more} more"))]));
    }
    let forced = begun.repairs.forced();
    if !forced.is_empty() {
        lines.extend(flow(vec![ink.muted(forced)], width, 2));
    }
    lines
}

/// What a change does to the whole set.
fn price(ink: &Ink<'_>, begun: &repair::Found, change: &Change) -> Vec<Span<'static>> {
    let Some(price) = begun.prices.iter().find(|price| price.change == *change) else {
        return match (
            change.is_general(),
            begun.done && ink.state.repairing.going(),
        ) {
            (false, _) => vec![ink.muted("  this question only")],
            (true, true) => vec![ink.muted("  evaluating")],
            (true, false) => Vec::new(),
        };
    };
    let mut spans = Vec::new();
    for (at, (name, d)) in price.differences.iter().enumerate() {
        spans.push(ink.muted(format!("  {name} ")));
        spans.push(ink.span(text::signed(d.difference), Scope::of_gain(d.sure())));
        // The measure that the repair is about, in full.
        if at == 0 {
            let interval = d.interval.map(|i| format!(" {}", text::interval(i)));
            spans.push(ink.muted(format!(
                "{} {} won {} lost",
                interval.unwrap_or_default(),
                d.wins,
                d.losses
            )));
        }
    }
    let sure = price.differences.first().map_or(0.0, |(_, d)| d.sure());
    let questions = text::plural(price.questions, "question");
    let effect = match sure {
        gain if gain > 0.0 => format!("  gains over {questions}"),
        cost if cost < 0.0 => format!("  costs over {questions}"),
        _ => format!("  no sure effect over {questions}"),
    };
    spans.push(ink.muted(effect));
    spans
}

fn paths_title(scene: &Scene) -> &'static str {
    match scene.basis {
        Basis::Walk => "best paths: mass, and share kept per step",
        _ => "best paths of its walk",
    }
}

/// The score, its bar, and how far it is from the first and from the cut.
fn score(ink: &Ink<'_>, scene: &Scene, why: &Why, width: usize) -> Vec<Line<'static>> {
    let mut spans = vec![ink.muted("score "), ink.value(text::score(why.score))];
    if why.error > 0.0 {
        spans.push(ink.muted(format!(" (within {})", text::score(why.error))));
    }
    if why.rank != Some(1) && why.best > why.score {
        spans.push(ink.muted("  best "));
        spans.push(ink.value(text::score(why.best)));
    }
    if why.cut > why.score {
        spans.push(ink.muted(format!("  gap to rank {} ", scene.top_k)));
        spans.push(ink.span(text::score(why.cut - why.score), Scope::RankDown));
    } else if why.cut != 0.0 && why.rank.is_some_and(|rank| rank < scene.top_k) {
        spans.push(ink.muted(format!("  above rank {} by ", scene.top_k)));
        spans.push(ink.span(text::score(why.score - why.cut), Scope::RankUp));
    }
    let mut line = Filling::new(width);
    for pair in spans.chunks(2) {
        line.add(pair.to_vec());
    }
    let mut lines = vec![line.line];
    let mut shares = vec![0.0; scene.groups.len()];
    for part in &why.parts {
        if let Some(share) = part.group.and_then(|g| shares.get_mut(g)) {
            *share += part.value;
        }
    }
    if scene.groups.len() > 1 && why.score > 0.0 && shares.iter().any(|s| *s > 0.0) {
        lines.push(Line::from(ink.bar(&shares, why.best.max(why.score), width)));
    }
    lines
}

/// What the part under the cursor rests on.
fn rests_on(ink: &Ink<'_>, why: &Why) -> String {
    let cursor = ink
        .state
        .list(Pane::Why)
        .cursor
        .min(shown(why).saturating_sub(1));
    match (why.parts.get(cursor), &why.beside) {
        (Some(part), Some(beside)) if part.other > part.value && !part.other_why.is_empty() => {
            format!("{}: {}", beside.id, part.other_why)
        }
        (Some(part), _) if part.why.is_empty() && part.value == 0.0 => {
            "contributes nothing".to_owned()
        }
        (Some(part), _) => part.why.clone(),
        (None, _) if why.rank.is_none() => String::new(),
        (None, _) => "this score is not a sum; see the sentence above".to_owned(),
    }
}

/// How many parts are listed: beside another passage those that differ, alone those that give something. The others come
/// last and are counted in one line.
fn shown(why: &Why) -> usize {
    let folds = |part: &&Part| match why.beside {
        Some(_) => part.is_equal(),
        None => part.value == 0.0,
    };
    why.parts.len() - why.parts.iter().rev().take_while(folds).count()
}

/// The line that stands for the parts that are not listed.
fn folded(ink: &Ink<'_>, why: &Why) -> Option<Line<'static>> {
    let rest = why.parts.len() - shown(why);
    let what = match why.beside {
        Some(_) => "equal",
        None => "zero",
    };
    (rest > 0).then(|| Line::from(ink.muted(format!("  {} {what}", text::plural(rest, "part")))))
}

/// The parts of the selected passage's score as a list; the one under the cursor says what it rests on.
fn list(
    ink: &Ink<'_>,
    why: &Why,
    head: &[Line<'static>],
    said: &str,
    area: Rect,
    buf: &mut Buffer,
    hits: &mut Hits,
) {
    let height = usize::from(area.height);
    let width = usize::from(area.width);
    let long = flow(vec![ink.muted(said.to_owned())], width.saturating_sub(2), 0).len();
    let below = match height {
        ..5 => usize::from(height > 2),
        _ if ink.state.opened => long.min(height / 2),
        _ => long.min(FOLDED),
    };
    // Of a lost passage the verdict and the repairs come first, of a returned one at least half of the room is the parts',
    // with the heads of their columns.
    let parts = shown(why);
    let folded = folded(ink, why);
    let heads = beside_heads(ink, why, width.saturating_sub(1)).filter(|_| height > 4);
    let fixed = usize::from(heads.is_some()) + usize::from(folded.is_some());
    let room = (height - below).saturating_sub(fixed);
    let least = match why.reasons.is_empty() {
        true => room.div_ceil(2),
        false => room.div_ceil(4),
    };
    let above = head.len().min(room - parts.min(least).min(room));
    for (y, line) in head.iter().take(above).enumerate() {
        buf.set_line(area.x, area.y + y as u16, line, area.width);
    }
    if let Some(heads) = &heads {
        buf.set_line(area.x, area.y + above as u16, heads, area.width);
    }
    let above = above + usize::from(heads.is_some());
    let room = (height - below).saturating_sub(above);
    let list = Rect {
        y: area.y + above as u16,
        height: parts.min(room) as u16,
        ..area
    };
    let after = list.y + list.height;
    let folded = folded.filter(|_| after + (below as u16) < area.y + area.height);
    if let Some(folded) = &folded {
        buf.set_line(area.x, after, folded, area.width);
    }
    let used = list.height + folded.map_or(0, |_| 1);
    let scale = Scale::of(why.parts.iter().flat_map(|p| [p.value, p.other]));
    let sum: f64 = why.parts.iter().map(|p| p.value.abs()).sum();
    let gaps: f64 = why.parts.iter().map(|p| (p.other - p.value).abs()).sum();
    ink.list(Pane::Why, list, parts, buf, hits, &|row, width| {
        let part = &why.parts[row];
        if why.beside.is_some() {
            return beside_line(ink, part, &scale, gaps, width);
        }
        let bar = (width / 5).min(14);
        let label = width.saturating_sub(2 + 8 + 5 + 1 + bar);
        let share = if sum > 0.0 {
            part.value.abs() / sum
        } else {
            0.0
        };
        let paid = if part.value == 0.0 {
            Scope::Muted
        } else {
            Scope::Text
        };
        let drawn = if part.value < 0.0 {
            Scope::RankDown
        } else {
            Scope::Bar
        };
        Line::from(vec![
            ink.letter_of(part.group),
            ink.text(" "),
            ink.span(text::pad(&part.label, label), paid),
            ink.value(text::pad_left(&scale.figure(part.value), 8)),
            ink.muted(text::pad_left(&format!("{:.0}%", 100.0 * share), 5)),
            ink.text(" "),
            ink.span(crate::explorer::glyphs::bar(share, bar, ink.glyphs), drawn),
        ])
    });
    let rest = Rect {
        y: list.y + used,
        height: ((height - above) as u16).saturating_sub(used),
        ..area
    };
    explained(ink, said, rest, buf);
}

/// A part of two scores: what it gives here, what it gives the other, and the gap, which is drawn.
fn beside_line(
    ink: &Ink<'_>,
    part: &Part,
    scale: &Scale,
    gaps: f64,
    width: usize,
) -> Line<'static> {
    let bar = (width / 6).min(12);
    let label = width.saturating_sub(2 + 3 * FIGURE + 1 + bar);
    let gap = part.value - part.other;
    let scope = Scope::of_gain(gap);
    let figure = |value: f64| text::pad_left(&scale.figure(value), FIGURE);
    let sign = if gap > 0.0 { "+" } else { "" };
    let told = format!("{sign}{}", scale.figure(gap));
    let share = if gaps > 0.0 { gap.abs() / gaps } else { 0.0 };
    Line::from(vec![
        ink.letter_of(part.group),
        ink.text(" "),
        ink.text(text::pad(&part.label, label)),
        ink.value(figure(part.value)),
        ink.muted(figure(part.other)),
        ink.span(text::pad_left(&told, FIGURE), scope),
        ink.text(" "),
        ink.span(crate::explorer::glyphs::bar(share, bar, ink.glyphs), scope),
    ])
}

/// The heads of the columns of two scores.
fn beside_heads(ink: &Ink<'_>, why: &Why, width: usize) -> Option<Line<'static>> {
    let other = why.beside.as_ref()?;
    let bar = (width / 6).min(12);
    let label = width.saturating_sub(2 + 3 * FIGURE + 1 + bar);
    let place = |rank: Option<usize>| match rank {
        Some(rank) => format!("rank {rank}"),
        None => "no rank".to_owned(),
    };
    let against = format!("vs. {}", other.id);
    let heads = [place(why.rank), place(other.rank), "gap".to_owned()];
    let heads = heads.iter().map(|head| text::pad_left(head, FIGURE));
    Some(Line::from(vec![
        ink.muted(format!("  {}", text::pad(&against, label))),
        ink.muted(heads.collect::<String>()),
    ]))
}

/// The parts of two scores, those that give the other most more first; what gives both little is left out.
fn beside(ink: &Ink<'_>, why: &Why, width: usize) -> Vec<Line<'static>> {
    let Some(heads) = beside_heads(ink, why, width) else {
        return Vec::new();
    };
    let scale = Scale::of(why.parts.iter().flat_map(|p| [p.value, p.other]));
    let gaps: f64 = why.parts.iter().map(|p| (p.other - p.value).abs()).sum();
    let most = why
        .parts
        .iter()
        .map(|p| p.value.abs().max(p.other.abs()))
        .fold(0.0, f64::max);
    let shown = why
        .parts
        .iter()
        .filter(|p| p.value.abs().max(p.other.abs()) >= 0.01 * most);
    let rows = shown
        .take(BESIDE)
        .map(|part| beside_line(ink, part, &scale, gaps, width));
    std::iter::once(heads).chain(rows).collect()
}

/// The seeds or words that pay, with their part in hundredths; small ones together.
fn parts(ink: &Ink<'_>, scene: &Scene, why: &Why, width: usize) -> Vec<Line<'static>> {
    if why.beside.is_some() {
        return beside(ink, why, width);
    }
    let total: f64 = why.parts.iter().map(|p| p.value.abs()).sum();
    if total <= 0.0 {
        return Vec::new();
    }
    let shown = why
        .parts
        .iter()
        .filter(|p| p.value.abs() >= 0.01 * total)
        .count()
        .clamp(1, 8);
    let mut cells: Vec<Vec<Span<'static>>> = Vec::new();
    let label = if width >= 60 {
        width / 2 - 15
    } else {
        width.saturating_sub(15)
    };
    let cell = |group: Option<usize>, name: &str, value: f64| {
        vec![
            ink.letter_of(group),
            ink.text(format!(" {}", text::pad(name, label))),
            ink.value(text::pad_left(&text::score(value), 7)),
            ink.muted(text::pad_left(
                &format!("{:.0}%", 100.0 * value.abs() / total),
                5,
            )),
        ]
    };
    for part in &why.parts[..shown] {
        cells.push(cell(part.group, &part.label, part.value));
    }
    let rest: f64 = why.parts[shown..].iter().map(|p| p.value).sum();
    if rest != 0.0 {
        let what = scene.basis.noun();
        let name = format!(
            "{} more",
            text::plural(why.parts.len() - shown, what).replace(' ', " small ")
        );
        cells.push(cell(None, name.trim_end_matches(" more"), rest));
    }
    let columns = if width >= 60 { 2 } else { 1 };
    cells
        .chunks(columns)
        .map(|row| {
            let mut spans = Vec::new();
            for (i, cell) in row.iter().enumerate() {
                if i > 0 {
                    spans.push(ink.text("  "));
                }
                spans.extend(cell.iter().cloned());
            }
            Line::from(spans)
        })
        .collect()
}

/// Score by the number of steps walked; on a graph of two sides every other one is zero for each kind of seed.
fn by_length(ink: &Ink<'_>, why: &Why, width: usize) -> Option<Line<'static>> {
    if why.by_length.iter().all(|v| *v <= 0.0) {
        return None;
    }
    let mut filling = Filling::new(width);
    filling.add(vec![ink.muted("by walk length ")]);
    for (k, value) in why.by_length.iter().enumerate().filter(|(_, v)| **v > 0.0) {
        filling.add(vec![
            ink.muted(format!("  {k}: ")),
            ink.value(text::score(*value)),
        ]);
    }
    Some(filling.line)
}

/// From the seed to here. The step that passes least on is where mass is diluted.
fn path_lines(ink: &Ink<'_>, path: &Path, width: usize) -> Vec<Line<'static>> {
    let least = path
        .stops
        .iter()
        .filter_map(|s| s.kept)
        .fold(f64::INFINITY, f64::min);
    let mut spans = vec![ink.value(text::pad(&text::score(path.mass), 7))];
    let last = path.stops.len().saturating_sub(1);
    for (i, stop) in path.stops.iter().enumerate() {
        let label = match i == last && last > 0 {
            true => "here".to_owned(),
            false if stop.is_passage => {
                format!("{} {}", ink.glyphs.passage, text::cut(&stop.label, 26))
            }
            false => text::cut(&stop.label, 28),
        };
        match stop.group.filter(|_| i == 0) {
            Some(group) => {
                spans.push(Span::styled(
                    format!("{} ", crate::explorer::glyphs::Glyphs::letter(group)),
                    ink.theme.seed(group),
                ));
                spans.push(Span::styled(label, ink.theme.seed(group)));
            }
            None => {
                let scope = match (i == last, stop.is_passage) {
                    (true, _) => Scope::Muted,
                    (false, true) => Scope::Passage,
                    (false, false) => Scope::Entity,
                };
                spans.push(ink.span(label, scope));
            }
        }
        if let Some(kept) = stop.kept {
            let scope = if kept <= least && last > 1 {
                Scope::Hub
            } else {
                Scope::Muted
            };
            spans.push(ink.span(format!(" {}> ", text::share(kept)), scope));
        }
    }
    flow(spans, width, 7)
}

/// The verdict, or where the score came from, in one line.
fn summary(ink: &Ink<'_>, scene: &Scene, why: &Why, width: usize) -> Line<'static> {
    let mut filling = Filling::new(width);
    let rank = why
        .rank
        .map_or_else(|| "no rank".to_owned(), |rank| rank.to_string());
    filling.add(vec![ink.text(format!("{} at {rank}  ", why.id))]);
    match why.reasons.first() {
        Some(reason) => {
            if let Some((_, change)) = suggested(ink.state).first() {
                let each = change.each().into_iter();
                let fix: Vec<String> = each
                    .map(|change| text::clean(&change.to_string()))
                    .collect();
                let fix = fix.join(", ");
                filling.add(vec![
                    ink.span(format!("{} ", LETTERS[0]), Scope::Key),
                    ink.span(format!("{fix}  "), Scope::Ok),
                ]);
            }
            let room = filling.room();
            filling.add(vec![ink.muted(text::cut(&reason.text, room))]);
        }
        // Parts that belong to no group speak for themselves.
        None if why.parts.iter().all(|part| part.group.is_none()) => {
            for part in why.parts.iter().filter(|part| part.value != 0.0) {
                filling.add(vec![
                    ink.muted(format!("{} ", text::cut(&part.label, 24))),
                    ink.value(text::score(part.value)),
                    ink.text("  "),
                ]);
            }
        }
        None => {
            for (g, group) in scene.groups.iter().enumerate() {
                let value: f64 = why
                    .parts
                    .iter()
                    .filter(|p| p.group == Some(g))
                    .map(|p| p.value)
                    .sum();
                if value > 0.0 {
                    filling.add(vec![
                        ink.letter(g),
                        ink.muted(format!(" {} ", text::cut(&group.label, 18))),
                        ink.value(text::score(value)),
                        ink.text("  "),
                    ]);
                }
            }
        }
    }
    filling.line
}

pub struct WhyHere;

impl Contents for WhyHere {
    fn card(&self) -> &'static Card {
        &Card {
            about: "Why: the score by part, and the best paths to it",
            keys: &[
                Command::Repair,
                Command::FixA,
                Command::FixB,
                Command::FixC,
                Command::MuteSeed,
                Command::Open,
                Command::Back,
                Command::Compare,
            ],
            verb: "explain",
            ..Card::PLAIN
        }
    }

    fn draw(&self, ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
        let (Some(scene), Some(why)) = (ink.state.scene(), ink.state.why()) else {
            let title = ["Why", ""][usize::from(slot.face == Face::Tabs)];
            return ink.bare(slot, title, buf, hits);
        };
        let moment = ink.state.moment(false);
        let title = match slot.face {
            Face::Line => format!("Why{moment}"),
            Face::Tabs => {
                let whole = heading(scene, why, &moment);
                let whole = whole.trim_start_matches("Why is ").to_owned();
                let rank = why
                    .rank
                    .map_or_else(|| "not found".to_owned(), |rank| format!("rank {rank}"));
                let room = usize::from(slot.area.width).saturating_sub(36);
                if text::width(&whole) <= room {
                    whole
                } else {
                    format!("{rank}{moment}")
                }
            }
            _ => heading(scene, why, &moment),
        };
        let summary = summary(ink, scene, why, ink.room(slot, &moment));
        // Only what is longer than its room opens; else there is the passage to read.
        let inside = match slot.face {
            Face::Box | Face::Tabs => 3,
            _ => 1,
        };
        let width = usize::from(slot.area.width).saturating_sub(inside);
        let said = rests_on(ink, why);
        let unfolds = opens_parts(scene)
            && flow(vec![ink.muted(said.clone())], width.saturating_sub(2), 0).len() > FOLDED;
        hits.set_unfolds(unfolds);
        let does = match (unfolds, ink.state.opened) {
            (true, false) => " opens",
            (true, true) => " folds",
            (false, _) => " reads",
        };
        let note = match ink.paper {
            true => Line::default(),
            false => Line::from(vec![ink.span("Enter", Scope::Key), ink.muted(does)]),
        };
        let Some(area) = ink.frame(
            slot,
            Chrome {
                title,
                note,
                summary,
                ..Chrome::default()
            },
            buf,
            hits,
        ) else {
            return;
        };
        let (_, area) = cut_left(area, 1);
        if opens_parts(scene) {
            let width = usize::from(area.width).saturating_sub(1);
            let mut head = reasons(ink, why, width);
            head.extend(score(ink, scene, why, width));
            if !why.sentence.is_empty() {
                head.extend(flow(vec![ink.text(why.sentence.clone())], width, 0));
            }
            return list(ink, why, &head, &said, area, buf, hits);
        }
        ink.scrolled(
            Pane::Why,
            area,
            &lines(ink, scene, why, usize::from(area.width).saturating_sub(1)),
            buf,
            hits,
        );
    }

    fn scrolls(&self, state: &State) -> bool {
        self.count(state) == 0
    }

    fn count(&self, state: &State) -> usize {
        let opens = state.scene().is_some_and(opens_parts);
        state.why().filter(|_| opens).map_or(0, shown)
    }

    fn words(&self, state: &State) -> Vec<Option<Words>> {
        let opens = state.scene().is_some_and(opens_parts);
        let parts = state
            .why()
            .filter(|_| opens)
            .map_or(&[][..], |why| &why.parts[..shown(why)]);
        let words = |part: &Part| Some(Words::new(part.label.clone(), []));
        parts.iter().map(words).collect()
    }

    fn copied(&self, state: &State, _: &Scene, _: usize) -> Option<(String, String)> {
        let why = state.why()?;
        Some((copied(why), format!("why of {}", why.id)))
    }

    fn json(&self, state: &State, _: &Scene) -> (Value, &'static str) {
        (json(state), "why")
    }

    fn spoken(&self, state: &State) -> Vec<Option<String>> {
        vec![None; self.count(state)]
    }

    fn aloud(&self, state: &State) -> Option<String> {
        state.why().map(aloud)
    }

    fn can_enter(&self, state: &State, _: usize) -> Result<(), String> {
        need(state.why().is_some(), "no passage is selected")
    }

    fn enter(&self, state: &State, _: usize) -> Option<Action> {
        Some(match state.hits.unfolds() {
            true => Action::UnfoldParts,
            false => Action::Read,
        })
    }
}

fn copied(why: &Why) -> String {
    let mut lines = vec![format!("{} {}\tscore {}", why.id, why.title, why.score)];
    lines.extend(
        why.parts
            .iter()
            .map(|part| format!("{}\t{}", part.label, part.value)),
    );
    lines.extend(why.paths.iter().map(|path| {
        let stops: Vec<&str> = path.stops.iter().map(|stop| stop.label.as_str()).collect();
        format!("{}\t{}", stops.join(" > "), path.mass)
    }));
    lines.push(why.sentence.clone());
    lines.extend(
        why.reasons
            .iter()
            .map(|reason| format!("{}: {}", reason.code, reason.text)),
    );
    lines.join("\n")
}

/// What is known of the selected passage.
pub fn json(state: &State) -> Value {
    let Some(why) = state.why() else {
        return Value::Null;
    };
    let parts: Vec<Value> = why
        .parts
        .iter()
        .map(|p| json!({"from": p.label, "score": p.value, "why": p.why}))
        .collect();
    let paths: Vec<Value> = why
        .paths
        .iter()
        .map(|p| json!({"mass": p.mass, "nodes": p.stops.iter().map(|s| &s.place).collect::<Vec<_>>()}))
        .collect();
    let reasons: Vec<Value> = why
        .reasons
        .iter()
        .map(|r| json!({"code": r.code, "text": r.text, "cause": r.cause, "fix": suggestion(r)}))
        .collect();
    json!({
        "id": why.id, "title": why.title, "rank": why.rank, "score": why.score, "parts": parts,
        "by_length": why.by_length, "paths": paths, "why": why.sentence, "reasons": reasons,
    })
}

/// What the score of a passage is made of, and why it is where it is.
fn aloud(why: &Why) -> String {
    let mut out = String::new();
    let rank = why.rank.map(|rank| format!("rank {rank}"));
    let rank = rank.unwrap_or_else(|| "not ranked".to_owned());
    let (title, id, score) = (&why.title, &why.id, text::score(why.score));
    let _ = writeln!(out, "Why: {title}, {id}, {rank}, score {score}.");
    for part in &why.parts {
        let (value, other) = (text::score(part.value), text::score(part.other));
        let beside = why
            .beside
            .as_ref()
            .map(|_| format!(", the other has {other}"));
        let said = Some(&part.why).filter(|said| !said.is_empty());
        let said = said.map(|said| format!(". {}", text::clean(said)));
        let (beside, said) = (beside.unwrap_or_default(), said.unwrap_or_default());
        let _ = writeln!(out, "Part: {}, {value}{beside}{said}.", part.label);
    }
    for path in &why.paths {
        let stops: Vec<&str> = path.stops.iter().map(|stop| stop.label.as_str()).collect();
        let _ = writeln!(
            out,
            "Path: {}, carries {}.",
            stops.join(" to "),
            text::score(path.mass)
        );
    }
    for reason in &why.reasons {
        let fix = suggestion(reason).map(|fix| format!(" Try {fix}."));
        let _ = writeln!(
            out,
            "{}: {}.{}",
            reason.code,
            reason.text,
            fix.unwrap_or_default()
        );
    }
    if !why.sentence.is_empty() {
        let _ = writeln!(out, "{}", ended(&why.sentence));
    }
    out
}
