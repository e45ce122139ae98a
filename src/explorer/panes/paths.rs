//! The part of the graph that carries the result: paths in layers, as an indented list, or all nodes where springs put
//! them.

use super::Words;
use super::around;
use super::flow::Picture;
use super::flow::of_node;
use super::flow::stops;
use super::passages::passage_mark;
use super::row;
use super::row::{say, stack};
use super::whole;
use super::{Card, Contents};
use crate::explain::Stop;
use crate::explorer::action::Action;
use crate::explorer::command::Command;
use crate::explorer::glyphs::{Pen, Raster, Wires};
use crate::explorer::hits::{Hits, Target};
use crate::explorer::layout::{Pane, Slot, cut_bottom};
use crate::explorer::panes::ink::{Chrome, Ink, flow as lines_of};
use crate::explorer::panes::rows;
use crate::explorer::scene::Branch;
use crate::explorer::scene::Scene;
use crate::explorer::scene::Subject;
use crate::explorer::scene::{Flow, Link, Row, Strand, Ways};
use crate::explorer::state::Drawn;
use crate::explorer::state::State;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use crate::graph::springs::springs;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use serde_json::Value;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// The look of a link: bright where a path through what is selected takes it.
fn look(ink: &Ink<'_>, flow: &Flow, bright: &[bool], link: &Link) -> (bool, Style) {
    let strands = flow.steps[0].strands.iter().zip(bright);
    let on = |at: (usize, usize)| move |row: Option<usize>| row == Some(at.1);
    let mut own = strands.filter(|(strand, bright)| {
        **bright && on(link.from)(strand.at[link.from.0]) && on(link.to)(strand.at[link.to.0])
    });
    match own.next() {
        found if link.edited => (found.is_some(), ink.style(Scope::Link)),
        Some((strand, _)) => (
            true,
            match strand.group {
                Some(group) => ink.theme.seed(group),
                None => ink.style(Scope::BorderFocus),
            },
        ),
        None => (false, ink.style(Scope::Border)),
    }
}

/// Lines from layer to layer, with the weight of an edge where its line is alone.
fn links(ink: &Ink<'_>, picture: &Picture<'_>, ways: &Ways, area: Rect, buf: &mut Buffer) {
    let flow = &ways.flow;
    let bright = picture.bright();
    for (at, pair) in picture.lanes.windows(2).enumerate() {
        let ((_, x, width), (to, next, _)) = (pair[0], pair[1]);
        let left = x + width;
        let gap = Rect::new(left, area.y + 1, next.saturating_sub(left), area.height - 1);
        let own: Vec<&Link> = ways.links.iter().filter(|link| link.to.0 == to).collect();
        let place = |column: usize, row: usize| -> Option<usize> {
            let (y, lines) = picture.places[column].get(&row)?;
            Some(usize::from(y + (lines - 1) / 2 - gap.y))
        };
        let mut wires = Wires::new(gap.width, gap.height);
        let mut lanes: BTreeMap<usize, usize> = BTreeMap::new();
        let mut order: Vec<(&Link, (bool, Style))> = own
            .iter()
            .map(|link| (*link, look(ink, flow, &bright, link)))
            .collect();
        order.sort_by_key(|(link, (bright, _))| (!bright, link.from, link.to));
        // All that leave a row share an upright line.
        for (link, (_, style)) in &order {
            let (Some(from), Some(to)) = (place(at, link.from.1), place(at + 1, link.to.1)) else {
                continue;
            };
            let shared = lanes.get(&from).copied();
            let free = || wires.free((from, to), from > to);
            let lane = shared.or_else(free).unwrap_or(usize::from(gap.width) / 2);
            if from != to {
                lanes.insert(from, lane);
            }
            wires.join(
                from,
                to,
                lane.min(usize::from(gap.width).saturating_sub(1)),
                *style,
            );
        }
        wires.paint(gap, ink.glyphs, buf);
        for (link, (bright, _)) in &order {
            let alone = own.iter().filter(|other| other.to == link.to).count() == 1;
            let words = format!(" {} ", text::figure(link.weight));
            let room = text::width(&words) as u16 + 4;
            if let (true, true, Some(y)) = (
                alone,
                link.weight > 0.0 && gap.width > room,
                place(at + 1, link.to.1),
            ) {
                let scope = match bright {
                    _ if link.edited => Scope::Link,
                    true => Scope::Value,
                    false => Scope::Muted,
                };
                let x = gap.right() - room + 2;
                buf.set_string(x, gap.y + y as u16, words, ink.style(scope));
            }
        }
        // What leads past a column goes through it.
        for (row, (y, _)) in &picture.places[at + 1] {
            if flow.lanes[to].rows[*row].label.is_empty() {
                let link = own.iter().find(|link| link.to.1 == *row);
                let style = link.map_or(ink.style(Scope::Border), |link| {
                    look(ink, flow, &bright, link).1
                });
                let width = picture.lanes[at + 1].2;
                buf.set_string(
                    next,
                    *y,
                    ink.glyphs.lines[3].repeat(usize::from(width)),
                    style,
                );
            }
        }
    }
}

/// The same as an indented list.
fn tree(ink: &Ink<'_>, ways: &Ways, area: Rect, buf: &mut Buffer, hits: &mut Hits) {
    let branches = ways.tree();
    ink.list(
        Pane::Paths,
        area,
        branches.len(),
        buf,
        hits,
        &|at, width| {
            let branch = branches[at];
            let row = &ways.flow.lanes[branch.place.0].rows[branch.place.1];
            let mut spans = vec![ink.muted("  ".repeat(branch.depth))];
            let mut room = width.saturating_sub(2 * branch.depth + 9);
            if branch.depth > 0 {
                spans.push(ink.muted(format!("{} ", ink.glyphs.tree[1])));
                room = room.saturating_sub(3);
            }
            let group = row.group.filter(|_| branch.depth == 0);
            let (lead, room) = row::lead(ink, row, group, room);
            spans.extend(lead);
            spans.push(ink.span(text::pad(&row.label, room), row::scope(row)));
            if branch.mass > 0.0 {
                spans.push(ink.value(text::pad_left(&text::score(branch.mass), 8)));
            }
            Line::from(spans)
        },
    );
}

/// Every node once, where springs along the edges and a push between all put it: the same picture each time.
fn overview(ink: &Ink<'_>, ways: &Ways, area: Rect, buf: &mut Buffer, hits: &mut Hits) {
    let flow = &ways.flow;
    let mut rows: Vec<(usize, usize)> = Vec::new();
    let mut known: BTreeMap<(bool, u32), usize> = BTreeMap::new();
    let mut spot: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (lane, own) in flow.lanes.iter().enumerate() {
        for (at, row) in own
            .rows
            .iter()
            .enumerate()
            .filter(|(_, row)| !row.label.is_empty())
        {
            let key = match (row.node, row.passage.filter(|_| row.is_passage)) {
                (_, Some(passage)) => (true, passage),
                (Some(node), None) => (false, node),
                (None, None) => continue,
            };
            let place = *known.entry(key).or_insert_with(|| {
                rows.push((lane, at));
                rows.len() - 1
            });
            spot.insert((lane, at), place);
        }
    }
    let strands = &flow.steps[0].strands;
    let edges: BTreeSet<(usize, usize)> = strands
        .iter()
        .flat_map(|strand| {
            let stops = flow.stops(strand).into_iter();
            let stops: Vec<usize> = stops.filter_map(|stop| spot.get(&stop).copied()).collect();
            stops
                .windows(2)
                .map(|pair| (pair[0], pair[1]))
                .collect::<Vec<_>>()
        })
        .filter(|(a, b)| a != b)
        .collect();
    let selected = crate::explorer::panes::rows::place(
        ink.state,
        Pane::Paths,
        ink.state.list(Pane::Paths).cursor,
    );
    let drawn = Sketch {
        rows: rows
            .iter()
            .map(|&(lane, row)| (flow.first(lane) + row, &flow.lanes[lane].rows[row], false))
            .collect(),
        edges,
        selected: selected.and_then(|place| spot.get(&place).copied()),
        names: false,
    };
    sketch(ink, &drawn, area, buf, hits);
    hits.set_extent(Pane::Paths, flow.rows(), usize::from(area.height));
}

/// Nodes and edges for springs to place.
pub struct Sketch<'a> {
    /// The number of the row that each node is in its list, the row, and whether it is marked as unfolded.
    pub rows: Vec<(usize, &'a Row, bool)>,
    /// Between places in `rows`.
    pub edges: BTreeSet<(usize, usize)>,
    pub selected: Option<usize>,
    /// Every node is named where there is room, the heaviest first; else those that matter most alone.
    pub names: bool,
}

/// Draws nodes where springs put them.
pub fn sketch(ink: &Ink<'_>, drawn: &Sketch<'_>, area: Rect, buf: &mut Buffer, hits: &mut Hits) {
    let Sketch {
        rows,
        edges,
        selected,
        ..
    } = drawn;
    let places = springs(rows.len(), edges);
    let mut raster = Raster::new(area.width, area.height, ink.glyphs);
    let (width, height) = raster.size();
    let dot = |at: usize| {
        (
            places[at].0 * width.saturating_sub(1) as f64,
            places[at].1 * height.saturating_sub(1) as f64,
        )
    };
    for &(a, b) in edges {
        let bright = Some(a) == *selected || Some(b) == *selected;
        let scope = if bright {
            Scope::BorderFocus
        } else {
            Scope::Border
        };
        raster.line(dot(a), dot(b), Pen::new(bright, ink.style(scope)));
    }
    raster.paint(area, buf);
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let mut taken: Vec<Rect> = Vec::new();
    if drawn.names {
        // What is drawn last stands over the others; names give way to those of heavier nodes.
        let rank = |at: &usize| (Some(*at) != *selected, rows[*at].1.group.is_none());
        order.sort_by(|a, b| {
            let heavier = rows[*b].1.value.total_cmp(&rows[*a].1.value);
            rank(a).cmp(&rank(b)).then(heavier)
        });
    }
    for at in order {
        let (number, own, unfolded) = rows[at];
        let x = area.x + (places[at].0 * f64::from(area.width.saturating_sub(1))).round() as u16;
        let y = area.y + (places[at].1 * f64::from(area.height.saturating_sub(1))).round() as u16;
        let is_selected = Some(at) == *selected;
        let scope = match is_selected {
            true => Scope::BorderFocus,
            false => row::scope(own),
        };
        let sign = match (own.group, own.is_passage) {
            (Some(group), false) => crate::explorer::glyphs::Glyphs::letter(group).to_owned(),
            (_, true) => passage_mark(ink, own).content.into_owned(),
            _ => ink.glyphs.knob.to_owned(),
        };
        let sign = match unfolded {
            true => format!("{}{sign}", ink.glyphs.fold[1]),
            false => sign,
        };
        let named = drawn.names || is_selected || own.gold || own.group.is_some();
        let label = match (named, own.group) {
            (true, Some(group)) if !drawn.names => format!(
                "{} {}",
                crate::explorer::glyphs::Glyphs::letter(group),
                own.label
            ),
            (true, None) if !drawn.names && !own.is_passage => own.label.clone(),
            (true, _) => format!("{sign} {}", own.label),
            _ if own.is_passage => ink.glyphs.passage.to_owned(),
            _ => ink.glyphs.knob.to_owned(),
        };
        let spot = |label: &str| {
            let wide = text::width(label) as u16;
            let x = x.min(area.right().saturating_sub(wide)).max(area.x);
            Rect::new(x, y, wide, 1)
        };
        let mut label = text::cut(&label, 24);
        let free = |own: Rect| taken.iter().all(|other| !other.intersects(own));
        if drawn.names && !is_selected && !free(spot(&label)) {
            label = sign;
            if !free(spot(&label)) {
                continue;
            }
        }
        let place = spot(&label);
        taken.push(place);
        let style = match own.group.filter(|_| !is_selected) {
            Some(group) => ink.theme.seed(group),
            None => ink.style(scope),
        };
        if drawn.names {
            // Lines under it are no part of a name.
            buf.set_style(place, Style::new().remove_modifier(Modifier::BOLD));
        }
        buf.set_string(place.x, y, &label, style);
        hits.add(place, Target::Row(Pane::Paths, number));
    }
}

pub struct Paths;

impl Contents for Paths {
    fn card(&self) -> &'static Card {
        &Card {
            about: "Paths: heaviest paths from seeds to passages, with edge weights; t changes layout",
            keys: &[
                Command::DrawNext,
                Command::Open,
                Command::JoinNames,
                Command::MuteName,
                Command::GraphEdits,
                Command::Back,
            ],
            verb: "trace",
            selects: true,
            ..Card::PLAIN
        }
    }

    fn draw(&self, ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
        let state = ink.state;
        if state.drawn() == Drawn::Around {
            return around::render(ink, slot, buf, hits);
        }
        if let (Some(scene), Some(whole)) = (state.scene(), state.whole()) {
            return whole::render(ink, slot, scene, whole, buf, hits);
        }
        let both = state.scene().zip(state.ways());
        let paths = both.map_or(0, |(_, ways)| ways.flow.steps[0].strands.len());
        let mode = match state.drawn() {
            Drawn::Paths => "Paths",
            Drawn::Tree => "Tree",
            Drawn::Overview => "Overview",
            Drawn::Around => "Neighbourhood",
        };
        let chrome = Chrome {
            title: format!("{mode} from seeds to passages"),
            short: mode,
            note: Line::from(vec![
                ink.muted(format!("{}  ", text::plural(paths, "path"))),
                ink.span("t", Scope::Key),
                ink.muted(" layout  "),
                ink.span("B", Scope::Key),
                ink.muted(" neighbourhood"),
            ]),
            summary: Line::from(vec![ink.muted(text::plural(paths, "path"))]),
        };
        let Some(area) = ink.frame(slot, chrome, buf, hits) else {
            return;
        };
        let Some((scene, ways)) = both else {
            return;
        };
        if paths == 0 || area.height < 3 {
            hits.set_extent(Pane::Paths, 0, usize::from(area.height));
            return say(ink, &ways.flow.note, area, buf);
        }
        let width = usize::from(area.width).saturating_sub(2);
        let mut below = lines_of(vec![ink.muted(ways.flow.note.clone())], width, 0);
        for (id, why) in &ways.lost {
            let said = vec![
                ink.span(format!("{} {id} ", ink.glyphs.gold), Scope::Gold),
                ink.span(why.clone(), Scope::Warn),
            ];
            below.extend(lines_of(said, width, 2));
        }
        for (edit, told) in &ways.edits {
            let said = vec![
                ink.span(format!("x {edit}  "), Scope::Link),
                ink.muted(told.clone()),
            ];
            below.extend(lines_of(said, width, 2));
        }
        let (area, foot) = cut_bottom(area, (below.len() as u16).min(area.height / 3));
        stack(&below, foot, 1, buf);
        match state.drawn() {
            Drawn::Paths => {
                let picture = Picture::new(ink, Pane::Paths, &ways.flow, area);
                links(ink, &picture, ways, area, buf);
                picture.words(scene, buf, hits);
            }
            Drawn::Tree => tree(ink, ways, area, buf, hits),
            Drawn::Overview => overview(ink, ways, area, buf, hits),
            // A file of its own draws it.
            Drawn::Around => {}
        }
    }

    fn keys(&self, state: &State) -> &'static [Command] {
        match state.drawn() {
            Drawn::Around => &[
                Command::Right,
                Command::Open,
                Command::FindNode,
                Command::Routes,
                Command::PictureNodes,
                Command::HideNode,
                Command::UnhideNode,
                Command::Browse,
                Command::DrawNext,
                Command::Back,
            ],
            _ => self.card().keys,
        }
    }

    fn count(&self, state: &State) -> usize {
        let ways = state.ways();
        match state.drawn() {
            Drawn::Around => state.browsed().map_or(0, |browsed| browsed.flow.rows()),
            Drawn::Overview if state.whole().is_some() => {
                state.whole().map_or(0, |whole| whole.flow.rows())
            }
            Drawn::Tree => ways.map_or(0, |ways| ways.tree().len()),
            _ => ways.map_or(0, |ways| ways.flow.rows()),
        }
    }

    fn words(&self, state: &State) -> Vec<Option<Words>> {
        let ways = state
            .ways()
            .filter(|_| state.drawn() == Drawn::Tree && state.scene().is_some());
        ways.map_or_else(Vec::new, |ways| {
            let shown = |(lane, at): (usize, usize)| row::words(&ways.flow.lanes[lane].rows[at]);
            ways.tree()
                .iter()
                .map(|branch| shown(branch.place))
                .collect()
        })
    }

    fn subject(&self, state: &State, row: usize) -> Option<Subject> {
        let (lane, at) = rows::place(state, Pane::Paths, row)?;
        let flow = match state.drawn() {
            Drawn::Overview | Drawn::Around => state.columns(Pane::Paths)?,
            _ => &state.ways()?.flow,
        };
        of_node(state, &flow.lanes[lane].rows[at])
    }

    fn copied(&self, state: &State, _: &Scene, at: usize) -> Option<(String, String)> {
        if state.drawn() == Drawn::Around {
            return state
                .browsed()
                .map(|browsed| around::copied(state, browsed, at));
        }
        if let Some(whole) = state.whole() {
            return Some((whole::copied(state, whole), "graph".to_owned()));
        }
        state.ways().map(|ways| (treed(ways), "paths".to_owned()))
    }

    fn spoken(&self, state: &State) -> Vec<Option<String>> {
        match (state.drawn(), state.browsed()) {
            (Drawn::Around, browsed) => browsed.map_or_else(Vec::new, around::spoken),
            _ => super::worded(self.words(state)),
        }
    }

    fn aloud(&self, state: &State) -> Option<String> {
        let scene = state.scene().filter(|_| state.drawn() == Drawn::Around)?;
        (!scene.walks).then(|| around::none(scene))
    }

    fn can_enter(&self, state: &State, row: usize) -> Result<(), String> {
        match state.drawn() {
            Drawn::Around => super::need(
                around::enter(state, row).is_some(),
                "this row is not a node",
            ),
            _ => super::need(self.subject(state, row).is_some(), "this row is not a node"),
        }
    }

    fn enter(&self, state: &State, row: usize) -> Option<Action> {
        if state.drawn() == Drawn::Around {
            return around::enter(state, row);
        }
        let subject = self.subject(state, row)?;
        subject.node.is_some().then_some(Action::Visit(subject))
    }

    fn json(&self, state: &State, scene: &Scene) -> (Value, &'static str) {
        if state.drawn() == Drawn::Around {
            let browsed = state.browsed().map(|browsed| around::json(scene, browsed));
            return (browsed.unwrap_or(Value::Null), "neighbourhood");
        }
        if let Some(whole) = state.whole() {
            return (whole::json(state, scene, whole), "graph");
        }
        (json(state, scene), "paths")
    }
}

/// The paths as an indented list.
fn treed(ways: &Ways) -> String {
    let line = |branch: &Branch| {
        let (lane, row) = branch.place;
        let label = &ways.flow.lanes[lane].rows[row].label;
        format!("{}{label}\t{}", "  ".repeat(branch.depth), branch.mass)
    };
    let lost = ways
        .lost
        .iter()
        .map(|(id, why)| format!("no path: {id}\t{why}"));
    let lines: Vec<String> = ways.tree().iter().map(line).chain(lost).collect();
    lines.join("\n")
}

fn json(state: &State, scene: &Scene) -> Value {
    let Some(ways) = state.ways() else {
        return Value::Null;
    };
    let strands = ways.flow.steps.iter().flat_map(|step| &step.strands);
    let path = |strand: &Strand| {
        let stops = stops(&ways.flow, strand).into_iter();
        let stops = stops.filter(|row| !row.label.is_empty());
        let stops: Vec<Stop> = stops.map(|row| row::place(scene, row)).collect();
        json!({"nodes": stops, "mass": strand.value})
    };
    let lost = ways
        .lost
        .iter()
        .map(|(id, why)| json!({"id": id, "why": why}));
    json!({"paths": strands.map(path).collect::<Vec<_>>(), "lost": lost.collect::<Vec<_>>(), "note": ways.flow.note})
}
