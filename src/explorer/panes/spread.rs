//! Where mass went, split by the group of seeds it came from. For flat rankings, what each word pays for each passage.

use crate::explorer::hits::Hits;
use crate::explorer::layout::{Pane, Slot};
use crate::explorer::rows;
use crate::explorer::scene::{NodeRow, PassageRow, Scene, Step};
use crate::explorer::text;
use crate::explorer::theme::Scope;
use crate::explorer::view::ink::{Chrome, Filling, Ink};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

pub fn render(ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
    let state = ink.state;
    let Some(scene) = state.scene() else {
        ink.frame(
            slot,
            Chrome {
                title: "Spread".into(),
                ..Chrome::default()
            },
            buf,
            hits,
        );
        return;
    };
    if let Some(story) = scene.story.as_deref() {
        return super::story::stages(ink, slot, story, buf, hits);
    }
    let step = rows::step(state, scene);
    let title = match step {
        Some(_) => format!(
            "Spread at step {} of {}",
            state.step.unwrap_or(0),
            state.steps() - 1
        ),
        None => scene.spread.clone(),
    };
    let chrome = Chrome {
        title,
        short: "Spread",
        note: legend(ink, scene),
        summary: summary(ink, scene, usize::from(slot.area.width).saturating_sub(15)),
    };
    let Some(area) = ink.frame(slot, chrome, buf, hits) else {
        return;
    };
    let count = rows::count(state, Pane::Spread);
    let foot = u16::from(area.height > 8);
    let list = Rect {
        height: area.height - foot,
        ..area
    };
    // Seeds hold most of the mass; their bars would flatten all others.
    let most = match (step, scene.is_flat()) {
        (Some(step), _) => step
            .nodes
            .iter()
            .filter(|(n, _)| scene.seed(*n).is_none())
            .map(|(_, m)| *m)
            .fold(0.0, f64::max),
        (None, true) => scene.passages.first().map_or(0.0, |row| row.score),
        (None, false) => scene
            .nodes
            .iter()
            .filter(|n| n.seed.is_none())
            .map(|n| n.mass)
            .fold(0.0, f64::max),
    };
    ink.list(
        Pane::Spread,
        list,
        count,
        buf,
        hits,
        &|row, width| match (step, scene.is_flat()) {
            (Some(step), _) => at_step(ink, scene, step, row, most, width),
            (None, true) => passage(ink, &scene.passages[row], most, width),
            (None, false) => node(ink, &scene.nodes[row], row, most, width),
        },
    );
    if count == 0 {
        let why = "no mass: the question gave no seed";
        buf.set_stringn(
            area.x + 1,
            area.y,
            why,
            usize::from(area.width) - 1,
            ink.style(Scope::Muted),
        );
    }
    if foot > 0 {
        let y = area.y + list.height;
        buf.set_line(
            area.x + 1,
            y,
            &footer(ink, scene, step.is_some(), usize::from(area.width) - 1),
            area.width - 1,
        );
    }
}

/// Columns of the label, of the bar, and whether there is room for number and degree.
fn columns(width: usize) -> (usize, usize, bool) {
    let wide = width >= 50;
    let fixed = 1 + 7 + 1 + 4 + if wide { 3 + 5 } else { 0 };
    let rest = width.saturating_sub(fixed);
    let label = (rest * 3 / 5).clamp(rest.min(10), 40);
    (label, rest - label, wide)
}

/// `*` marks what is next to the selected node.
fn mark(ink: &Ink<'_>, node: u32) -> Span<'static> {
    let around = ink.state.detail().and_then(|d| d.node.as_ref());
    match around.is_some_and(|a| a.touches(node)) {
        true => ink.span("*", Scope::Key),
        false => ink.text(" "),
    }
}

fn node(ink: &Ink<'_>, row: &NodeRow, at: usize, most: f64, width: usize) -> Line<'static> {
    let (label, bar, wide) = columns(width);
    let mut spans = vec![mark(ink, row.node)];
    if wide {
        spans.push(ink.muted(text::pad_left(&(at + 1).to_string(), 3)));
    }
    let name = match row.seed {
        Some(group) => {
            spans.push(if wide { ink.text(" ") } else { ink.text("") });
            spans.push(ink.letter(group));
            spans.push(ink.text(" "));
            text::pad(&row.label, label.saturating_sub(if wide { 3 } else { 2 }))
        }
        None if wide => text::pad(&format!(" {}", row.label), label),
        None => text::pad(&row.label, label),
    };
    spans.push(ink.span(
        name,
        if row.seed.is_some() {
            Scope::Title
        } else {
            Scope::Entity
        },
    ));
    if wide {
        let hub = row.degree * 20 > ink.state.facts.passages && row.degree > 5;
        spans.push(ink.span(
            text::pad_left(&text::count(row.degree), 5),
            if hub { Scope::Hub } else { Scope::Muted },
        ));
    }
    spans.push(ink.value(text::pad_left(&text::score(row.mass), 7)));
    spans.push(ink.text(" "));
    match row.seed {
        Some(_) => {
            spans.push(ink.muted(text::pad("seed", bar)));
            spans.push(ink.text("    "));
        }
        None => {
            spans.extend(ink.bar(&row.shares, most, bar));
            let both = if row.shares.len() > 1 {
                text::share(row.both)
            } else {
                String::new()
            };
            spans.push(ink.muted(text::pad_left(&both, 4)));
        }
    }
    Line::from(spans)
}

fn passage(ink: &Ink<'_>, row: &PassageRow, most: f64, width: usize) -> Line<'static> {
    let rest = width.saturating_sub(4 + 2 + 8 + 1);
    let label = (rest / 2).clamp(rest.min(10), 40);
    let mut spans = vec![
        ink.muted(text::pad_left(&row.rank.to_string(), 3)),
        ink.text(" "),
        super::passages::gold_mark(ink, row.gold),
        ink.text(" "),
        ink.span(text::pad(&row.title, label), Scope::Passage),
        ink.value(text::pad_left(&text::score(row.score), 8)),
        ink.text(" "),
    ];
    spans.extend(ink.bar(&row.shares, most, rest - label));
    Line::from(spans)
}

fn at_step(
    ink: &Ink<'_>,
    scene: &Scene,
    step: &Step,
    row: usize,
    most: f64,
    width: usize,
) -> Line<'static> {
    let (label, bar, wide) = columns(width);
    let (node, mass) = step.nodes[row];
    let name = scene.labels.get(&node).map_or("", String::as_str);
    let seed = scene.seed(node);
    let mut spans = vec![mark(ink, node)];
    if wide {
        spans.push(ink.muted(text::pad_left(&(row + 1).to_string(), 3)));
        spans.push(ink.text(" "));
    }
    spans.push(seed.map_or_else(|| ink.text(" "), |group| ink.letter(group)));
    spans.push(ink.span(
        text::pad(&format!(" {name}"), label + if wide { 3 } else { 0 }),
        Scope::Entity,
    ));
    spans.push(ink.value(text::pad_left(&text::score(mass), 7)));
    spans.push(ink.text(" "));
    if seed.is_some() {
        spans.push(ink.muted("seed"));
    } else {
        let fraction = if most > 0.0 { mass / most } else { 0.0 };
        spans.push(ink.span(
            crate::explorer::glyphs::bar(fraction, bar, ink.glyphs),
            Scope::Bar,
        ));
    }
    Line::from(spans)
}

/// Letters and fills, and what the last column is.
fn legend(ink: &Ink<'_>, scene: &Scene) -> Line<'static> {
    let mut spans = Vec::new();
    if ink.state.earlier_step().is_some() {
        return Line::from(vec![ink.muted("all seeds")]);
    }
    for (g, _) in scene.groups.iter().enumerate() {
        if g > 0 {
            spans.push(ink.text(" "));
        }
        spans.push(ink.letter(g));
        spans.push(ink.fill(g));
    }
    if !scene.is_flat() && scene.groups.len() > 1 {
        spans.push(ink.muted(" both"));
    }
    Line::from(spans)
}

fn footer(ink: &Ink<'_>, scene: &Scene, earlier: bool, width: usize) -> Line<'static> {
    if earlier {
        return Line::from(vec![ink.muted(text::cut(
            "mass on names now; shares by seed at the end",
            width,
        ))]);
    }
    if scene.is_flat() {
        return Line::from(vec![ink.muted(text::cut(
            &format!("split by the {} that pays", scene.basis.noun()),
            width,
        ))]);
    }
    if scene.nodes.iter().all(|n| n.seed.is_none()) {
        return Line::from(vec![ink.muted(text::cut(
            "no name is a seed; * is next to the selected node",
            width,
        ))]);
    }
    let held: f64 = scene
        .nodes
        .iter()
        .filter(|n| n.seed.is_some())
        .map(|n| n.mass)
        .sum();
    let all = format!(
        "seeds hold {} (no bar)   both: 2nd share / 1st",
        text::score(held)
    );
    let words = if all.len() <= width && scene.groups.len() > 1 {
        all
    } else {
        format!("seeds hold {}", text::score(held))
    };
    Line::from(vec![ink.muted(text::cut(&words, width))])
}

/// The heaviest nodes that are no seeds.
fn summary(ink: &Ink<'_>, scene: &Scene, width: usize) -> Line<'static> {
    let mut filling = Filling::new(width);
    for row in scene.nodes.iter().filter(|n| n.seed.is_none()) {
        let spans = vec![
            ink.text(format!("{} ", text::cut(&row.label, 22))),
            ink.value(text::score(row.mass)),
            ink.text("  "),
        ];
        if !filling.add(spans) {
            break;
        }
    }
    filling.line
}
