//! Score moving through columns of nodes: bands as thick as their share, those of what is selected bright.

use super::passages::passage_mark;
use super::row;
use super::row::{say, stack};
use super::{Card, Contents, STEPPED};
use crate::explain::Stop;
use crate::explorer::action::Action;
use crate::explorer::glyphs::{GlyphSet, Pen, Raster, bar};
use crate::explorer::hits::{Hits, Target};
use crate::explorer::layout::{Face, Pane, Slot, cut_bottom};
use crate::explorer::panes::ink::{Chrome, Ink, flow as lines_of};
use crate::explorer::panes::rows;
use crate::explorer::scene::Subject;
use crate::explorer::scene::{Flow, LANES, Row, Scene, Strand};
use crate::explorer::state::SPEEDS;
use crate::explorer::state::State;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use serde_json::Value;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// How the words of columns share the width: question, sources, what is between, passages.
const WORDS: [usize; 4] = [3, 4, 5, 7];
/// Of the width, in hundredths, what bands get.
const BANDS: usize = 34;
/// Cells of a column of paths with the lines to the next.
const LEGIBLE: u16 = 24;
/// Columns of a mass.
const FIGURE: usize = 7;
/// A screen this wide shows the question as a column.
const WIDE: u16 = 116;

fn title(ink: &Ink<'_>, scene: &Scene) -> String {
    let walked = scene
        .timeline
        .as_ref()
        .filter(|_| scene.walks && scene.story.is_none());
    match walked.zip(ink.state.earlier_step()) {
        Some((timeline, step)) => format!("Flow at {}", timeline.place(step)),
        None => match walked {
            Some(timeline) => format!("Flow, {}", timeline.whole),
            None => "Flow".to_owned(),
        },
    }
}

/// What bands, bars and numbers of a walk mean.
fn legend(ink: &Ink<'_>, flow: &Flow, step: usize) -> Vec<Span<'static>> {
    if flow.steps.get(step).is_none_or(|step| step.mass.is_empty()) {
        return Vec::new();
    }
    let back = ink.glyphs.arrows[2];
    let bands = match (step, ink.state.earlier_step()) {
        (0, Some(_)) => "restart weight".to_owned(),
        (_, Some(_)) => format!("mass sent in this step, {back} back"),
        (_, None) => "mass sent to passages in the last step".to_owned(),
    };
    let words = format!("band: {bands}; bar, number: mass held");
    vec![ink.fill(0), ink.muted(format!(" {words}"))]
}

/// What all bands into the passages come to, and the pace.
fn note(ink: &Ink<'_>, flow: &Flow, step: usize) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    if let (Some(last), Some(lane)) = (flow.lanes.len().checked_sub(1), flow.lanes.last()) {
        let whole: f64 = (0..lane.rows.len())
            .map(|row| flow.through(step, last, row))
            .sum();
        if whole > 0.0 {
            spans.push(ink.value(text::figure(whole)));
            spans.push(ink.muted(format!(" in {}", text::plural(lane.rows.len(), "passage"))));
        }
    }
    if flow.steps.len() > 1 && !ink.state.still && !ink.paper {
        let pace = SPEEDS.get(ink.state.speed).copied().unwrap_or(1.0);
        let looped = if ink.state.looped { ", looped" } else { "" };
        spans.push(ink.muted(format!(
            "  {}/s{looped}",
            text::share(pace).trim_end_matches(".0")
        )));
        if ink.state.playing {
            spans.push(ink.span(" playing", Scope::Key));
        }
    }
    spans
}

/// The rows of whole paths that fit into a picture's height: half a path says nothing, and a line that only passes a
/// column leaves it to names. All rows where nothing was sorted out.
#[derive(Default)]
struct Kept(Option<Vec<BTreeSet<usize>>>);

impl Kept {
    /// Paths through what is selected come first, then the heaviest of each passage, then the heaviest of all.
    fn new(flow: &Flow, shown: &[usize], height: usize, selected: Option<(usize, usize)>) -> Kept {
        let strands = &flow.steps[0].strands;
        let last = flow.lanes.len() - 1;
        let mut order: Vec<&Strand> = strands.iter().collect();
        order.sort_by(|a, b| b.value.total_cmp(&a.value));
        let mut reached = BTreeSet::new();
        let firsts = order.iter().map(|strand| reached.insert(strand.at[last]));
        let firsts: Vec<bool> = firsts.collect();
        let through =
            |strand: &Strand| selected.is_some_and(|(lane, row)| strand.at[lane] == Some(row));
        let mut order: Vec<(&Strand, bool)> = order.into_iter().zip(firsts).collect();
        order.sort_by_key(|(strand, first)| (!through(strand), !first));
        let mut kept = vec![BTreeSet::new(); flow.lanes.len()];
        for (strand, _) in order {
            let own = shown.iter().filter(|lane| **lane != last);
            let own = own.filter_map(|&lane| Some((lane, strand.at[lane]?)));
            let own: Vec<(usize, usize)> = own.collect();
            // A line that comes from columns out of sight and passes no name says nothing.
            let named =
                |&(lane, row): &(usize, usize)| !flow.lanes[lane].rows[row].label.is_empty();
            if !own.iter().any(named) && !through(strand) {
                continue;
            }
            let room = |&(lane, row): &(usize, usize)| {
                kept[lane].contains(&row) || kept[lane].len() < height
            };
            if own.iter().all(room) {
                own.into_iter().for_each(|(lane, row)| {
                    kept[lane].insert(row);
                });
            }
        }
        Kept(Some(kept))
    }

    fn holds(&self, lane: usize, row: usize) -> bool {
        self.0.as_ref().is_none_or(|kept| kept[lane].contains(&row))
    }
}

/// Where everything is.
pub struct Picture<'a> {
    ink: &'a Ink<'a>,
    pane: Pane,
    flow: &'a Flow,
    step: usize,
    area: Rect,
    /// The columns that are shown, each with its left edge and width.
    pub lanes: Vec<(usize, u16, u16)>,
    /// The first line and the lines of every shown row, by column.
    pub places: Vec<BTreeMap<usize, (u16, u16)>>,
    /// Lines of a unit of score.
    scale: f64,
    /// The most mass that a row ever holds, where bars are drawn of it.
    most: Option<f64>,
    pub selected: Option<(usize, usize)>,
}

impl<'a> Picture<'a> {
    pub fn new(ink: &'a Ink<'a>, pane: Pane, flow: &'a Flow, area: Rect) -> Picture<'a> {
        // Paths are lines, whatever they carry.
        let (thick, step) = match pane {
            Pane::Flow => (true, ink.state.flow_step()),
            _ => (false, 0),
        };
        let first = usize::from(area.width < WIDE && flow.lanes[0].head == "question");
        let last = flow.lanes.len() - 1;
        let selected = rows::place(ink.state, pane, ink.state.list(pane).cursor);
        // Of paths as many columns as are legible: the last ones, or those from the selected one on.
        let fitting = match thick {
            true => flow.lanes.len(),
            false => usize::from(area.width / LEGIBLE).max(2),
        };
        let end = flow.lanes.len().saturating_sub(fitting).max(first);
        let first = selected.map_or(end, |(lane, _)| lane.min(end).max(first));
        let shown: Vec<usize> = (first..flow.lanes.len()).take(fitting).collect();
        let weight = |lane: usize| match lane {
            _ if lane == last => WORDS[3],
            0 if flow.lanes[0].head == "question" => WORDS[0],
            0 | 1 => WORDS[1],
            _ => WORDS[2],
        };
        let all: usize = shown.iter().map(|lane| weight(*lane)).sum();
        let width = usize::from(area.width);
        let gaps = shown.len().saturating_sub(1).max(1);
        let gap = width * BANDS / 100 / gaps;
        let words = width.saturating_sub(gap * gaps);
        let mut x = area.x;
        let mut lanes = Vec::new();
        for &lane in &shown {
            let own = (words * weight(lane) / all) as u16;
            lanes.push((lane, x, own));
            x += own + gap as u16;
        }
        let height = usize::from(area.height.saturating_sub(1));
        // The most of any step: so nothing jumps from one to the next.
        let highest = |of: &dyn Fn(usize) -> f64| (0..flow.steps.len()).map(of).fold(0.0, f64::max);
        let peak = |lane: usize, row: usize| highest(&|step| flow.crossing(step, lane, row));
        let held = |lane: usize| {
            let rows = 0..flow.lanes[lane].rows.len();
            rows.map(|row| highest(&|step| flow.mass(step, lane, row)))
                .fold(0.0, f64::max)
        };
        let holds = thick && flow.steps.iter().any(|step| !step.mass.is_empty());
        let most_held = holds.then(|| (1..=last).map(held).fold(0.0, f64::max));
        let kept = match thick {
            true => Kept::default(),
            false => Kept::new(flow, &shown, height, selected),
        };
        let peaks: Vec<Vec<(usize, f64)>> = shown
            .iter()
            .map(|&lane| {
                let rows = flow.lanes[lane].rows.len();
                let rows_of = (0..rows).filter(|row| lane == last || kept.holds(lane, *row));
                let mut peaks: Vec<(usize, f64)> =
                    rows_of.map(|row| (row, peak(lane, row))).collect();
                if peaks.len() > height {
                    // What carries most stays, and what is selected.
                    let own = |row: usize| selected == Some((lane, row));
                    if lane != last {
                        peaks.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                    }
                    peaks.sort_by_key(|(row, _)| !own(*row));
                    peaks.truncate(height);
                    peaks.sort_by_key(|(row, _)| *row);
                }
                peaks
            })
            .collect();
        let lines = |peaks: &[(usize, f64)], scale: f64| -> usize {
            let of = |(_, peak): &(usize, f64)| ((peak * scale).ceil() as usize).max(1);
            peaks.iter().map(of).sum()
        };
        let most = peaks
            .iter()
            .flatten()
            .map(|(_, peak)| *peak)
            .fold(0.0, f64::max);
        let mut scale = if thick && most > 0.0 {
            height as f64 / most
        } else {
            0.0
        };
        while scale * most > 1e-3 && peaks.iter().any(|peaks| lines(peaks, scale) > height) {
            scale *= 0.95;
        }
        let places = peaks.iter().map(|peaks| {
            let free = height.saturating_sub(lines(peaks, scale));
            let gaps = peaks.len() + 1;
            let mut y = 0;
            let mut places = BTreeMap::new();
            for (at, (row, peak)) in peaks.iter().enumerate() {
                let own = ((peak * scale).ceil() as usize).max(1);
                let above = (at + 1) * free / gaps;
                places.insert(*row, (area.y + 1 + (y + above) as u16, own as u16));
                y += own;
            }
            places
        });
        Picture {
            ink,
            pane,
            flow,
            step,
            area,
            places: places.collect(),
            lanes,
            scale,
            most: most_held,
            selected,
        }
    }

    pub fn strands(&self) -> &'a [Strand] {
        self.flow
            .steps
            .get(self.step)
            .map_or(&[], |step| &step.strands)
    }

    /// Whether a strand passes through what is selected; of stages told without shares, what leads there and on from there.
    pub fn bright(&self) -> Vec<bool> {
        let strands = self.strands();
        let Some((lane, row)) = self.selected else {
            return vec![false; strands.len()];
        };
        let whole = strands.iter().any(|strand| strand.value != 0.0);
        if whole {
            return strands
                .iter()
                .map(|strand| strand.at[lane] == Some(row))
                .collect();
        }
        let ends = |strand: &Strand| {
            let at = |lane: usize| Some((lane, strand.at[lane]?));
            let mut all = (0..LANES).filter_map(at);
            all.next().zip(all.next())
        };
        let mut bright = vec![false; strands.len()];
        for back in [false, true] {
            let mut reached = BTreeSet::from([(lane, row)]);
            let mut order: Vec<usize> = (0..strands.len()).collect();
            order.sort_by_key(|at| ends(&strands[*at]).map(|(from, _)| from.0));
            if back {
                order.reverse();
            }
            for at in order {
                let Some((from, to)) = ends(&strands[at]) else {
                    continue;
                };
                let (near, far) = if back { (to, from) } else { (from, to) };
                if reached.contains(&near) {
                    reached.insert(far);
                    bright[at] = true;
                }
            }
        }
        bright
    }

    fn bands(&self, buf: &mut Buffer) {
        let bright = self.bright();
        let down = Raster::new(1, 1, self.ink.glyphs).size().1 as f64;
        // What goes back is drawn of a step, and not of the end: that is what the passages have.
        let returns = match self.ink.state.earlier_step() {
            Some(step) if self.pane == Pane::Flow => self.flow.steps.get(step),
            _ => None,
        };
        let returns = returns.map_or(&[][..], |step| &step.returns);
        let touched = |strand: &Strand| {
            self.selected
                .is_some_and(|(lane, row)| strand.at[lane] == Some(row))
        };
        let forth = self.strands().iter().zip(bright.iter().copied());
        let back = returns.iter().map(|strand| (strand, touched(strand)));
        let forth = forth.map(|(strand, bright)| (strand, bright, false));
        let moving: Vec<(&Strand, bool, bool)> = forth
            .chain(back.map(|(strand, bright)| (strand, bright, true)))
            .collect();
        for (at, pair) in self.lanes.windows(2).enumerate() {
            let ((from, x, width), (to, next, _)) = (pair[0], pair[1]);
            let left = x + width;
            let area = Rect::new(
                left,
                self.area.y + 1,
                next.saturating_sub(left + 1),
                self.area.height - 1,
            );
            // Bands by their ends: what is bright by its seed, the rest together.
            let mut bands: BTreeMap<(usize, usize, bool, bool, Option<usize>), f64> =
                BTreeMap::new();
            for (strand, bright, back) in &moving {
                if let (Some(a), Some(b)) = (strand.at[from], strand.at[to]) {
                    let group = strand.group.filter(|_| *bright);
                    *bands.entry((a, b, *back, *bright, group)).or_default() +=
                        strand.value.max(0.0);
                }
            }
            let mut raster = Raster::new(area.width, area.height, self.ink.glyphs);
            let top = |column: usize, row: usize, used: f64| {
                let (y, lines) = self.places[column].get(&row)?;
                let all: f64 = bands
                    .iter()
                    .filter(|((a, b, ..), _)| [a, b][column - at] == &row)
                    .map(|(_, value)| self.scale * down * value)
                    .sum();
                let first = f64::from(y - area.y) * down;
                Some(first + (f64::from(*lines) * down - all) / 2.0 + used)
            };
            let mut used: [BTreeMap<usize, f64>; 2] = Default::default();
            // Bands leave and arrive in the order of their other ends.
            let mut places: BTreeMap<_, [f64; 2]> = BTreeMap::new();
            for side in [0, 1] {
                let mut order: Vec<_> = bands.iter().collect();
                order.sort_by_key(|((a, b, back, bright, group), _)| match side {
                    0 => (*a, *b, *back, *bright, *group),
                    _ => (*b, *a, *back, *bright, *group),
                });
                for (key, value) in order {
                    let row = [key.0, key.1][side];
                    let taken = used[side].entry(row).or_default();
                    if let Some(y) = top(at + side, row, *taken) {
                        places.entry(*key).or_insert([f64::NAN; 2])[side] = y;
                    }
                    *taken += self.scale * down * value;
                }
            }
            let mut arrows: Vec<(u16, Pen)> = Vec::new();
            for (key, value) in &bands {
                let Some([from, to]) = places.get(key).filter(|p| p.iter().all(|y| y.is_finite()))
                else {
                    continue;
                };
                let (back, bright, group) = (key.2, key.3, key.4);
                let known = *value > 0.0 || self.scale == 0.0;
                if !known {
                    continue;
                }
                let pen = self.pen(bright, group);
                let thick = self.scale * down * value;
                raster.band(*from, *to, thick, pen);
                if back {
                    let y = ((from + thick / 2.0) / down).max(0.0) as u16;
                    arrows.push((y.min(area.height - 1), pen));
                }
            }
            raster.paint(area, buf);
            // Bright ones over dim ones.
            arrows.sort_by_key(|(y, pen)| (*y, pen.bright));
            for (y, pen) in arrows.into_iter().filter(|_| area.width > 2) {
                let arrow = self.ink.glyphs.arrows[2];
                buf.set_string(area.x, area.y + y, arrow, pen.style);
            }
        }
    }

    /// What is bright has the colour of its seed, or its fill where colour does not tell seeds apart.
    fn pen(&self, bright: bool, group: Option<usize>) -> Pen {
        let ink = self.ink;
        let Some(group) = group.filter(|_| bright) else {
            let scope = [Scope::Border, Scope::BorderFocus][usize::from(bright)];
            return Pen::new(bright, ink.style(scope));
        };
        let dots = ink.theme.colours_seeds() && ink.glyphs.set != GlyphSet::Ascii;
        Pen {
            fill: (!dots).then(|| ink.glyphs.fill(group)),
            ..Pen::new(bright, ink.theme.seed(group))
        }
    }

    pub fn words(&self, scene: &Scene, buf: &mut Buffer, hits: &mut Hits) {
        let ink = self.ink;
        let rows = self.flow.lanes.iter().map(|lane| lane.rows.len()).sum();
        hits.set_extent(self.pane, rows, usize::from(self.area.height));
        for (at, &(lane, x, width)) in self.lanes.iter().enumerate() {
            let lane_rows = &self.flow.lanes[lane].rows;
            let nodes = |row: &usize| lane_rows[*row].node.is_some() || lane_rows[*row].is_passage;
            let shown = self.places[at].keys().filter(|row| nodes(row)).count();
            let all = (0..lane_rows.len()).filter(nodes).count();
            let head = &self.flow.lanes[lane].head;
            let head = match shown < all {
                true if head.starts_with(|c: char| c.is_ascii_digit()) => {
                    format!("{shown} of {head}")
                }
                true => format!("{shown} of {all} {head}"),
                false => head.clone(),
            };
            // Where columns are out of sight Left and Right bring them.
            let hidden = self.pane == Pane::Paths;
            let (left, right) = (
                hidden && at == 0 && lane > 0,
                hidden && at + 1 == self.lanes.len(),
            );
            let head = match (left, right && lane + 1 < self.flow.lanes.len()) {
                (true, _) => format!("{} {head}", ink.glyphs.arrows[2]),
                (_, true) => format!("{head} {}", ink.glyphs.arrows[3]),
                _ => head,
            };
            let head = text::cut(&head, usize::from(width));
            buf.set_stringn(
                x + 1,
                self.area.y,
                head,
                usize::from(width),
                ink.style(Scope::Muted),
            );
            for (row, (y, lines)) in &self.places[at] {
                let own = &self.flow.lanes[lane].rows[*row];
                if own.label.is_empty() && lane > 0 {
                    continue;
                }
                let number = self.flow.first(lane) + row;
                let selected = self.selected == Some((lane, *row));
                let focused = selected && ink.focused(self.pane);
                let value = self.flow.mass(self.step, lane, *row);
                let line = words(
                    ink,
                    scene,
                    own,
                    lane,
                    (value, self.most),
                    usize::from(width).saturating_sub(1),
                );
                let line_y = y + (lines - 1) / 2;
                buf.set_line(x + 1, line_y, &line, width.saturating_sub(1));
                let place = Rect::new(x, *y, width, *lines);
                if selected && !ink.paper {
                    let own = Rect::new(x, line_y, width, 1);
                    let style = match focused {
                        true => ink.style(Scope::Selection),
                        false => ink.style(Scope::Text),
                    };
                    if focused {
                        buf.set_style(own, style);
                    }
                    let style = ink.style(Scope::BorderFocus).patch(style);
                    buf.set_string(x, line_y, ink.glyphs.cursor, style);
                }
                hits.add(place, Target::Row(self.pane, number));
            }
        }
    }
}

/// A node in its column.
fn words(
    ink: &Ink<'_>,
    scene: &Scene,
    row: &Row,
    lane: usize,
    (value, most): (f64, Option<f64>),
    width: usize,
) -> Line<'static> {
    let mut spans = Vec::new();
    let mut room = width;
    if let Some(group) = row.group {
        spans.extend([ink.letter(group), ink.text(" ")]);
        room = room.saturating_sub(2);
    }
    if row.is_passage && row.passage.is_some() {
        let ranks = scene.rank_width().max(2);
        let rank = row.passage.and_then(|passage| scene.rank(passage));
        spans.push(ink.value(text::pad_left(&text::rank(rank), ranks)));
        spans.extend([ink.text(" "), passage_mark(ink, row), ink.text(" ")]);
        room = room.saturating_sub(ranks + 3);
    }
    let figure = match most {
        _ if lane == 0 || value <= 0.0 => String::new(),
        Some(_) => text::score(value),
        None => text::figure(value),
    };
    // Of masses bars and figures stand under each other, and a label is as wide in every step.
    let figure_room = match most {
        Some(_) if lane > 0 && width >= 18 => FIGURE,
        None if room >= 18 && !figure.is_empty() => text::width(&figure) + 1,
        _ => 0,
    };
    let most = most.filter(|most| lane > 0 && *most > 0.0 && room >= 8);
    let bar_room = most.map_or(0, |_| (width / 8).clamp(2, 6));
    spans.push(ink.span(
        text::pad(&row.label, room.saturating_sub(figure_room + bar_room)),
        row::scope(row),
    ));
    if let Some(most) = most {
        let drawn = bar(value / most, bar_room - 1, ink.glyphs);
        spans.push(ink.span(format!(" {drawn}"), Scope::Bar));
    }
    if figure_room > 0 {
        spans.push(ink.value(text::pad_left(&figure, figure_room)));
    }
    Line::from(spans)
}

pub struct Flows;

impl Contents for Flows {
    fn card(&self) -> &'static Card {
        &Card {
            about: "Flow: mass flowing into passages; band width is the share, the selection is bright",
            keys: STEPPED,
            verb: "trace",
            selects: true,
            ..Card::PLAIN
        }
    }

    fn draw(&self, ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
        let state = ink.state;
        let (scene, flow) = match (state.scene(), state.flow()) {
            (Some(scene), Some(flow)) => (scene, flow),
            _ => {
                let chrome = Chrome {
                    title: "Flow".into(),
                    ..Chrome::default()
                };
                ink.frame(slot, chrome, buf, hits);
                return;
            }
        };
        let step = state.flow_step();
        let told = flow.steps.get(step).map_or("", |step| &step.told);
        let chrome = Chrome {
            title: title(ink, scene),
            short: "Flow",
            note: Line::from(note(ink, flow, step)),
            summary: Line::from(vec![ink.muted(told.to_owned())]),
        };
        let Some(area) = ink.frame(slot, chrome, buf, hits) else {
            return;
        };
        if flow.lanes.is_empty() || area.height < 2 {
            hits.set_extent(Pane::Flow, 0, usize::from(area.height));
            return say(ink, &flow.note, area, buf);
        }
        // Where the step has no pane of its own on screen, its sentence stands here.
        let alone = state.zoom || slot.face == Face::Section;
        let mut words: Vec<Span<'static>> = [told, &flow.note]
            .into_iter()
            .enumerate()
            .filter(|(at, words)| !words.is_empty() && (*at == 1 || alone))
            .map(|(at, words)| match at {
                0 => ink.text(format!("{words} ")),
                _ => ink.muted(format!("{words} ")),
            })
            .collect();
        words.extend(legend(ink, flow, step));
        let lines = lines_of(words, usize::from(area.width).saturating_sub(2), 0);
        let below = (lines.len() as u16).min(area.height / 4);
        let (area, foot) = cut_bottom(area, below);
        stack(&lines, foot, 1, buf);
        let picture = Picture::new(ink, Pane::Flow, flow, area);
        picture.bands(buf);
        picture.words(scene, buf, hits);
    }

    fn count(&self, state: &State) -> usize {
        state.flow().map_or(0, Flow::rows)
    }

    fn subject(&self, state: &State, row: usize) -> Option<Subject> {
        let flow = state.flow()?;
        let (lane, at) = flow.place(row)?;
        of_node(state, &flow.lanes[lane].rows[at])
    }

    fn copied(&self, state: &State, _: &Scene, _: usize) -> Option<(String, String)> {
        copied(state)
    }

    fn json(&self, state: &State, scene: &Scene) -> (Value, &'static str) {
        (json(state, scene), "flow")
    }

    fn enter(&self, state: &State, row: usize) -> Option<Action> {
        enter_picture(state, self.subject(state, row)?)
    }
}

/// The strands of the step that is shown, a line each, and the step in words.
pub fn copied(state: &State) -> Option<(String, String)> {
    let flow = state.flow()?;
    let what = "flow".to_owned();
    let Some(step) = flow.steps.get(state.flow_step()) else {
        return Some((flow.note.clone(), what));
    };
    let line = |(strand, back): (&Strand, bool)| {
        let rows = way(flow, strand, back).into_iter();
        let mut words: Vec<String> = rows.map(|row| row.label.clone()).collect();
        words.push(strand.value.to_string());
        words.join("\t")
    };
    let told = [step.told.clone(), flow.note.clone()];
    let told = told.into_iter().filter(|words| !words.is_empty());
    let forth = step.strands.iter().map(|strand| (strand, false));
    let back = step.returns.iter().map(|strand| (strand, true));
    let lines: Vec<String> = told.chain(forth.chain(back).map(line)).collect();
    Some((lines.join("\n"), what))
}

/// The rows that a strand passes, in the order that it does.
fn way<'a>(flow: &'a Flow, strand: &Strand, back: bool) -> Vec<&'a Row> {
    let mut stops = stops(flow, strand);
    if back {
        stops.reverse();
    }
    stops
}

/// The rows that a strand passes.
pub fn stops<'a>(flow: &'a Flow, strand: &Strand) -> Vec<&'a Row> {
    let lanes = flow.lanes.iter().zip(strand.at);
    lanes
        .filter_map(|(lane, at)| Some(&lane.rows[at?]))
        .collect()
}

fn json(state: &State, scene: &Scene) -> Value {
    let Some(flow) = state.flow() else {
        return Value::Null;
    };
    let at = state.flow_step();
    let step = flow.steps.get(at);
    let listed = |strands: &[Strand], back: bool| -> Vec<Value> {
        let through = |strand: &Strand| -> Vec<Stop> {
            let rows = way(flow, strand, back).into_iter();
            rows.map(|row| row::place(scene, row)).collect()
        };
        let one = |strand: &Strand| json!({"through": through(strand), "value": strand.value});
        strands.iter().map(one).collect()
    };
    let strands = step.map_or_else(Vec::new, |step| listed(&step.strands, false));
    let returns = step.map_or_else(Vec::new, |step| listed(&step.returns, true));
    json!({"step": at, "told": step.map(|step| &step.told), "note": flow.note, "strands": strands, "returns": returns})
}

/// A node of a picture; a passage is one wherever the method keeps it.
pub fn of_node(state: &State, row: &Row) -> Option<Subject> {
    match row.passage.filter(|_| row.is_passage) {
        Some(passage) => Some(row::of_passage(state.scene()?, passage)),
        None => row::subject(row),
    }
}

/// Enter on a passage goes to it, on another node to its neighbours.
pub fn enter_picture(state: &State, subject: Subject) -> Option<Action> {
    match subject.passage {
        Some(_) => Some(Action::Passage(state.wanted.subject.passage?)),
        None => subject.node.is_some().then_some(Action::Visit(subject)),
    }
}
