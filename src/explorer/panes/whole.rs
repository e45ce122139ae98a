//! All of a small graph, as one would draw it by hand: every node at its place with a bar of its mass, every edge with what
//! crosses it in the step that is shown.

use super::row;
use super::row::stack;
use crate::explorer::glyphs::{Pen, Raster, bar};
use crate::explorer::hits::{Hits, Target};
use crate::explorer::layout::{Pane, Slot, cut_bottom};
use crate::explorer::panes::ink::{Chrome, Ink, flow as lines_of};
use crate::explorer::panes::rows;
use crate::explorer::scene::{Edge, Row, Scene, Whole};
use crate::explorer::state::State;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use serde_json::{Value, json};

/// Cells of a node at most, of its bar at least, and of its number.
const NODE: u16 = 34;
const BAR: u16 = 6;
const FIGURE: usize = 6;
/// Where along an edge what crosses it may stand, from where it leaves.
const PLACES: [f64; 5] = [0.3, 0.2, 0.4, 0.12, 0.48];

/// The step that is shown.
fn step(state: &State, whole: &Whole) -> usize {
    let last = whole.flow.steps.len().saturating_sub(1);
    state.earlier_step().unwrap_or(last).min(last)
}

pub fn render(
    ink: &Ink<'_>,
    slot: Slot,
    scene: &Scene,
    whole: &Whole,
    buf: &mut Buffer,
    hits: &mut Hits,
) {
    let state = ink.state;
    let at = step(state, whole);
    let timeline = scene.timeline.as_ref();
    let place = timeline.map_or_else(String::new, |timeline| timeline.place(at));
    let heads = whole.flow.lanes.iter().map(|lane| lane.head.clone());
    let heads = heads.collect::<Vec<_>>().join(", ");
    let chrome = Chrome {
        title: format!("Graph at {place}: {heads}"),
        short: "Graph",
        note: Line::from(vec![
            ink.span(". ,", Scope::Key),
            ink.muted(" step  "),
            ink.span("t", Scope::Key),
            ink.muted(" paths"),
        ]),
        summary: Line::from(vec![ink.muted(heads.clone())]),
    };
    let Some(area) = ink.frame(slot, chrome, buf, hits) else {
        return;
    };
    if area.height < 3 {
        hits.set_extent(Pane::Paths, 0, usize::from(area.height));
        return;
    }
    let width = usize::from(area.width).saturating_sub(2);
    let foot = foot(ink, scene, whole, at, width);
    let rows = whole.flow.lanes.iter().map(|lane| lane.rows.len()).max();
    let rows = rows.unwrap_or(0) as u16;
    // The nodes first: what is said below them gets the lines that are left.
    let free = area.height.saturating_sub(2 * rows).max(1);
    let (area, below) = cut_bottom(area, (foot.len() as u16).min(free));
    stack(&foot, below, 1, buf);
    draw(ink, whole, at, area, buf, hits);
    let rows = whole.flow.rows();
    hits.set_extent(Pane::Paths, rows, usize::from(area.height));
}

/// What the step did, what the numbers are, and how far the walk still moves.
fn foot(
    ink: &Ink<'_>,
    scene: &Scene,
    whole: &Whole,
    at: usize,
    width: usize,
) -> Vec<Line<'static>> {
    let told = whole.flow.steps.get(at).map_or("", |step| &step.told);
    let mut lines = lines_of(vec![ink.text(told.to_owned())], width, 0);
    let steps = scene.timeline.as_ref().map_or(&[][..], |t| &t.steps);
    let moved = |step: usize| steps.get(step).map(|step| step.moved);
    if let Some(now) = moved(at).filter(|_| at > 0) {
        let mut words = vec![
            ink.muted("change from the step before: "),
            ink.value(text::score(now)),
        ];
        let before = at.checked_sub(1).and_then(moved).filter(|was| *was > 0.0);
        if let Some(was) = before {
            words.push(ink.muted(format!(
                " = {} x {} (the change before)",
                text::share(now / was),
                text::score(was)
            )));
        }
        lines.extend(lines_of(words, width, 0));
    }
    let legend = "bar, number: mass on the node; number on a line: mass that crosses in this step";
    lines.extend(lines_of(vec![ink.muted(legend)], width, 0));
    lines
}

/// Where the nodes are: two columns where every edge joins them, else a ring. By column and row.
fn places(whole: &Whole, area: Rect, size: (u16, u16)) -> Vec<Vec<Rect>> {
    let (width, height) = size;
    let (across, down) = (
        f64::from(area.width.saturating_sub(width + 2)),
        f64::from(area.height.saturating_sub(height)),
    );
    let all = whole.flow.rows().max(1) as f64;
    let mut place = 0.0;
    let column = |(lane, own): (usize, &crate::explorer::scene::Lane)| {
        let count = own.rows.len() as f64;
        (0..own.rows.len())
            .map(|at| {
                let (x, y) = match whole.is_bipartite() {
                    true => (lane as f64, (at as f64 + 0.5) / count),
                    false => {
                        let turn = std::f64::consts::TAU * place / all;
                        (0.5 - 0.5 * turn.cos(), 0.5 - 0.5 * turn.sin())
                    }
                };
                place += 1.0;
                // In columns the nodes stand in the middle of their parts of the height.
                let top = match whole.is_bipartite() {
                    true => y * f64::from(area.height) - f64::from(height) / 2.0,
                    false => y * down,
                };
                Rect::new(
                    area.x + 1 + (x * across).round() as u16,
                    area.y + top.clamp(0.0, down).round() as u16,
                    width,
                    height,
                )
            })
            .collect()
    };
    whole.flow.lanes.iter().enumerate().map(column).collect()
}

fn draw(ink: &Ink<'_>, whole: &Whole, at: usize, area: Rect, buf: &mut Buffer, hits: &mut Hits) {
    let most = whole.flow.lanes.iter().map(|lane| lane.rows.len()).max();
    let most = match whole.is_bipartite() {
        true => most.unwrap_or(1),
        false => whole.flow.rows(),
    };
    // Two lines of a node where there is room for them.
    let high = if usize::from(area.height) >= 2 * most {
        2
    } else {
        1
    };
    let wide = NODE.min(area.width * 3 / 10);
    let places = places(whole, area, (wide, high));
    let place = |(lane, row): (usize, usize)| places[lane][row];
    let cursor = rows::place(ink.state, Pane::Paths, ink.state.list(Pane::Paths).cursor);
    let mut raster = Raster::new(area.width, area.height, ink.glyphs);
    let (across, down) = (
        raster.size().0 as f64 / f64::from(area.width.max(1)),
        raster.size().1 as f64 / f64::from(area.height.max(1)),
    );
    // An edge leaves a node at the side that looks to the other one.
    let ends = |edge: &Edge| {
        let (a, b) = (place(edge.from), place(edge.to));
        let side = |own: Rect, other: Rect| {
            let x = match own.right() <= other.x {
                true => own.right(),
                false if other.right() <= own.x => own.x.saturating_sub(1),
                false => own.x + own.width / 2,
            };
            let y = f64::from(own.y - area.y) + f64::from(own.height) / 2.0;
            (f64::from(x - area.x) + 0.5, y)
        };
        (side(a, b), side(b, a))
    };
    let crossed = whole.crossed.get(at);
    let crosses = |edge: usize| crossed.and_then(|step| step.get(edge)).copied();
    for (number, edge) in whole.edges.iter().enumerate() {
        let (a, b) = ends(edge);
        let moves = crosses(number).is_some_and(|both| both.iter().any(|mass| *mass > 0.0));
        let own = Some(edge.from) == cursor || Some(edge.to) == cursor;
        let scope = match moves {
            true if own => Scope::BorderFocus,
            true => Scope::Text,
            false => Scope::Border,
        };
        let dots = |(x, y): (f64, f64)| (x * across, y * down);
        raster.line(dots(a), dots(b), Pen::new(moves, ink.style(scope)));
    }
    raster.paint(area, buf);
    // Numbers stand on their line where nothing else does.
    let mut taken: Vec<Rect> = places.iter().flatten().copied().collect();
    for (number, edge) in whole.edges.iter().enumerate() {
        let (a, b) = ends(edge);
        for (way, mass) in crosses(number).unwrap_or_default().into_iter().enumerate() {
            if mass <= 0.0 {
                continue;
            }
            let ((x, y), (to_x, to_y)) = if way == 0 { (a, b) } else { (b, a) };
            let arrow = match to_x < x {
                true => ink.glyphs.arrows[2],
                false => ink.glyphs.arrows[3],
            };
            let words = match to_x < x {
                true => format!(" {arrow} {} ", text::score(mass)),
                false => format!(" {} {arrow} ", text::score(mass)),
            };
            let long = text::width(&words) as u16;
            let spot = |part: &f64| {
                let middle = (x + (to_x - x) * part, y + (to_y - y) * part);
                let left = (middle.0 - f64::from(long) / 2.0).max(0.0) as u16;
                let left = left.min(area.width.saturating_sub(long));
                let top = (middle.1 as u16).min(area.height - 1);
                Rect::new(area.x + left, area.y + top, long, 1)
            };
            let free = |own: &Rect| taken.iter().all(|other| !other.intersects(*own));
            let Some(own) = PLACES.iter().map(spot).find(free) else {
                continue;
            };
            taken.push(own);
            buf.set_string(own.x, own.y, words, ink.style(Scope::Value));
        }
    }
    for (lane, own) in whole.flow.lanes.iter().enumerate() {
        for (row, node) in own.rows.iter().enumerate() {
            let box_of = place((lane, row));
            let mass = whole.flow.mass(at, lane, row);
            let back = whole.restarted.get(at).map_or(0.0, |step| step[lane][row]);
            let selected = cursor == Some((lane, row));
            card(ink, node, (mass, back), box_of, selected, buf);
            let number = whole.flow.first(lane) + row;
            hits.add(box_of, Target::Row(Pane::Paths, number));
        }
    }
}

/// A node: what it is called and what restarts there, then its mass as a bar of 1 and a number; on one line where there is no
/// room for two.
fn card(
    ink: &Ink<'_>,
    node: &Row,
    (mass, back): (f64, f64),
    area: Rect,
    selected: bool,
    buf: &mut Buffer,
) {
    let focused = selected && ink.focused(Pane::Paths);
    let width = usize::from(area.width);
    let (mut head, room) = row::lead(ink, node, node.group, width);
    let one = area.height < 2;
    let restart = format!("restart {}", text::score(back));
    let restarts = !one && back > 0.0 && text::width(&restart) + 10 < room;
    let name = match (one, restarts) {
        (true, _) => room.saturating_sub(FIGURE + usize::from(BAR) + 1),
        (_, true) => room - text::width(&restart) - 1,
        _ => room,
    };
    let mut style = row::scope(node);
    if selected {
        style = Scope::BorderFocus;
    }
    head.push(ink.span(text::pad(&node.label, name), style));
    if restarts {
        head.push(ink.muted(format!(" {restart}")));
    }
    let long = match one {
        true => usize::from(BAR),
        false => width.saturating_sub(FIGURE + 1),
    };
    let drawn = ink.span(text::pad(&bar(mass, long, ink.glyphs), long), Scope::Bar);
    let figure = ink.value(text::pad_left(&text::score(mass), FIGURE));
    match one {
        true => {
            head.extend([ink.text(" "), drawn, figure]);
            buf.set_line(area.x, area.y, &Line::from(head), area.width);
        }
        false => {
            buf.set_line(area.x, area.y, &Line::from(head), area.width);
            let below = Line::from(vec![drawn, ink.text(" "), figure]);
            buf.set_line(area.x, area.y + 1, &below, area.width);
        }
    }
    if focused {
        buf.set_style(Rect { height: 1, ..area }, ink.style(Scope::Selection));
    }
}

/// Nodes with their mass and edges with what crosses them, a line each.
pub fn copied(state: &State, whole: &Whole) -> String {
    let at = step(state, whole);
    let flow = &whole.flow;
    let label = |(lane, row): (usize, usize)| &flow.lanes[lane].rows[row].label;
    let lanes = flow.lanes.iter().enumerate();
    let nodes = lanes.flat_map(|(lane, own)| {
        let rows = own.rows.iter().enumerate();
        rows.map(move |(row, node)| format!("{}\t{}", node.label, flow.mass(at, lane, row)))
    });
    let edges = whole.edges.iter().enumerate().map(|(number, edge)| {
        let [there, back] = whole.crossed[at][number];
        format!("{}\t{}\t{there}\t{back}", label(edge.from), label(edge.to))
    });
    nodes.chain(edges).collect::<Vec<_>>().join("\n")
}

pub fn json(state: &State, scene: &Scene, whole: &Whole) -> Value {
    let at = step(state, whole);
    let flow = &whole.flow;
    let node = |(lane, row): (usize, usize)| row::place(scene, &flow.lanes[lane].rows[row]);
    let lanes = flow.lanes.iter().enumerate();
    let nodes: Vec<Value> = lanes
        .flat_map(|(lane, own)| (0..own.rows.len()).map(move |row| (lane, row)))
        .map(|place| {
            let back = whole.restarted[at][place.0][place.1];
            json!({"node": node(place), "mass": flow.mass(at, place.0, place.1), "restarts": back})
        })
        .collect();
    let edges = whole.edges.iter().enumerate().map(|(number, edge)| {
        let [there, back] = whole.crossed[at][number];
        json!({"from": node(edge.from), "to": node(edge.to), "passes": edge.passes, "crosses": [there, back]})
    });
    json!({"step": at, "told": flow.steps[at].told, "nodes": nodes, "edges": edges.collect::<Vec<_>>()})
}
