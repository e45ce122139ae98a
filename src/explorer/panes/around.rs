//! The neighbourhood of nodes: columns that follow the cursor, best paths between two nodes, and the picture of what was
//! walked over.

use super::passages::passage_mark;
use super::paths::{Sketch, sketch};
use super::row::{self, explained, headed, say, stack};
use crate::explorer::action::Action;
use crate::explorer::glyphs::bar;
use crate::explorer::hits::{Hits, Target};
use crate::explorer::layout::{Pane, Slot, cut_bottom, cut_top};
use crate::explorer::panes::ink::{Chrome, Ink, flow as lines_of};
use crate::explorer::panes::rows;
use crate::explorer::scene::{Browsed, Head, Lane, Path, Row, Scene, Shows, Stop, Way};
use crate::explorer::state::{List, State};
use crate::explorer::text::{self, Scale};
use crate::explorer::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use serde_json::{Value, json};

/// Cells that a column needs to be read, with kinds of nodes too, and two of them at least; and columns at most.
const COLUMN: u16 = 32;
const WITH_KINDS: u16 = 44;
const LEAST: u16 = 52;
const COLUMNS: usize = 5;
/// Cells of a figure and of a kind of node.
const FIGURE: usize = 7;
const KIND: usize = 8;
/// Lines of a passage's text under its column.
const TEXT: u16 = 6;

pub fn render(ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
    let state = ink.state;
    let (scene, browsed) = (state.scene(), state.browsed());
    let at = browsed.and_then(|browsed| browsed.way.as_ref()?.stops.last());
    let label = at.map_or_else(String::new, |at| text::cut(&at.label, 30));
    let moment = state.moment(false);
    let end = browsed.and_then(|browsed| browsed.pinned.clone());
    let title = match (browsed.map(|browsed| browsed.at.shows), end) {
        (Some(Shows::Routes), Some(end)) => {
            format!("Best paths from {label} to {}", text::cut(&end, 30))
        }
        (Some(Shows::Picture), _) => format!("Picture around {label}{moment}"),
        _ if label.is_empty() => "Neighbourhood".to_owned(),
        _ => format!("Neighbourhood of {label}{moment}"),
    };
    let key = |key: &'static str, does: &'static str| [ink.span(key, Scope::Key), ink.muted(does)];
    let keys: &[(&str, &str)] = match browsed.map(|browsed| browsed.at.shows) {
        _ if ink.paper => &[],
        Some(Shows::Routes) => &[("Enter", " along the path  "), ("Esc", " columns")],
        Some(Shows::Picture) => &[
            ("Enter", " unfold  "),
            ("x", " hide  "),
            ("Esc", " columns"),
        ],
        _ => &[
            ("w", " paths  "),
            ("g", " picture  "),
            ("/", " find  "),
            ("t", " layout"),
        ],
    };
    let chrome = Chrome {
        title,
        short: "Neighbourhood",
        note: Line::from(
            keys.iter()
                .flat_map(|(own, does)| key(own, does))
                .collect::<Vec<_>>(),
        ),
        summary: Line::from(ink.muted(label)),
    };
    let Some(area) = ink.frame(slot, chrome, buf, hits) else {
        return;
    };
    hits.set_extent(Pane::Paths, 0, usize::from(area.height));
    let Some(scene) = scene.filter(|_| area.height > 0) else {
        return;
    };
    let Some(browsed) = browsed else {
        if !scene.walks {
            explained(ink, &none(scene), area, buf);
        }
        return;
    };
    match browsed.at.shows {
        Shows::Columns => columns(ink, scene, browsed, area, buf, hits),
        Shows::Routes => routes(ink, browsed, area, buf, hits),
        Shows::Picture => picture(ink, browsed, area, buf, hits),
    }
}

/// Why there is no neighbourhood.
pub fn none(scene: &Scene) -> String {
    let method = scene.settings.method().name.clone();
    format!(
        "{method} does not walk a graph, so nodes have no neighbourhood; press m for a method that walks."
    )
}

fn columns(
    ink: &Ink<'_>,
    scene: &Scene,
    browsed: &Browsed,
    area: Rect,
    buf: &mut Buffer,
    hits: &mut Hits,
) {
    let width = usize::from(area.width).saturating_sub(2);
    let mut foot = Vec::new();
    if area.height > 6 {
        let way = browsed.way.as_ref().map(|way| way_line(ink, way, width));
        foot.extend(way.into_iter().flatten());
        foot.extend(lines_of(notes(ink, browsed), width, 0).into_iter().take(1));
    }
    let (area, below) = cut_bottom(area, foot.len() as u16);
    for (y, line) in foot.iter().enumerate().take(usize::from(below.height)) {
        buf.set_line(
            below.x + 1,
            below.y + y as u16,
            line,
            below.width.saturating_sub(1),
        );
    }
    let lanes = &browsed.flow.lanes;
    let several = lanes.iter().any(kinds);
    let own = if several { WITH_KINDS } else { COLUMN };
    let least = if area.width >= LEAST { 2 } else { 1 };
    let fitting = usize::from(area.width / own).clamp(least, COLUMNS);
    let fitting = fitting.min(lanes.len());
    // Where one column alone fits it is the one with the cursor.
    let lanes = match fitting {
        1 => &lanes[..browsed.at.trail.len().clamp(1, lanes.len())],
        _ => &lanes[..],
    };
    let first = lanes.len() - fitting;
    // What is left of the width goes to the last columns.
    let wide = area.width / fitting as u16;
    let mut x = area.x;
    for (at, lane) in lanes.iter().enumerate().skip(first) {
        let last = at + 1 == lanes.len();
        let right = if last { area.right() } else { x + wide };
        let own = Rect {
            x,
            width: right.saturating_sub(x),
            ..area
        };
        let own = match last {
            true => own,
            false => {
                let line = ink.glyphs.border.vertical_left;
                let rule = own.right() - 1;
                for y in own.y..own.bottom() {
                    buf.set_string(rule, y, line, ink.style(Scope::Border));
                }
                Rect {
                    width: own.width.saturating_sub(1),
                    ..own
                }
            }
        };
        column(ink, (scene, browsed), (at, lane), own, buf, hits);
        x = right;
    }
}

/// A column: what it is of, its rows around the selected one, and how many are left out.
fn column(
    ink: &Ink<'_>,
    (scene, browsed): (&Scene, &Browsed),
    (at, lane): (usize, &Lane),
    area: Rect,
    buf: &mut Buffer,
    hits: &mut Hits,
) {
    let Some(head) = browsed.heads.get(at) else {
        return;
    };
    let width = usize::from(area.width).saturating_sub(1);
    let line = over(ink, scene, lane, head, width);
    buf.set_line(area.x + 1, area.y, &line, area.width.saturating_sub(1));
    let (_, area) = cut_top(area, 1);
    let mut under = Vec::new();
    if head.more.0 > 0 {
        under.push(format!(
            "+{} more {}",
            text::count(head.more.0),
            ink.score(head.more.1.max(0.0))
        ));
    }
    if head.hidden.0 > 0 {
        under.push(format!(
            "{} hidden {}",
            text::count(head.hidden.0),
            ink.score(head.hidden.1)
        ));
    }
    let (area, foot) = cut_bottom(area, (under.len() as u16).min(area.height / 2));
    let under: Vec<Line<'_>> = under
        .into_iter()
        .map(|words| ink.muted(words).into())
        .collect();
    stack(&under, foot, 1, buf);
    let columns = Columns::of(lane, width);
    let area = match area.height > 4 {
        true => headed(ink, &columns.head(head), area, buf),
        false => area,
    };
    let cursor = browsed.at.trail.len().checked_sub(1);
    let selected = browsed.cursor().filter(|_| Some(at) == cursor);
    let node = browsed.at.trail.get(at);
    let row = |row: &Row| node == row.node.map(crate::explorer::scene::Pick::Node).as_ref();
    let chosen = lane.rows.iter().position(row);
    let height = usize::from(area.height);
    if Some(at) == cursor {
        hits.set_extent(Pane::Paths, lane.rows.len(), height);
    }
    if lane.rows.is_empty() {
        let words = match head.kind {
            _ if head.hidden.0 > 0 => "all are hidden",
            "" => "no seed",
            _ => "no edge",
        };
        return say(ink, words, area, buf);
    }
    let list = List {
        cursor: chosen.unwrap_or(0),
        offset: 0,
    };
    let offset = list.window(lane.rows.len(), height);
    let first = browsed.flow.first(at);
    for (y, (place, row)) in lane
        .rows
        .iter()
        .enumerate()
        .skip(offset)
        .take(height)
        .enumerate()
    {
        let own = Rect {
            y: area.y + y as u16,
            height: 1,
            ..area
        };
        let line = columns.line(ink, browsed, row);
        buf.set_line(own.x + 1, own.y, &line, own.width.saturating_sub(1));
        if Some(place) == chosen {
            let under = selected.is_some() && ink.focused(Pane::Paths);
            if under {
                buf.set_style(own, ink.style(Scope::Selection));
            }
            let style = if under { Scope::Selection } else { Scope::Text };
            let style = ink.style(Scope::BorderFocus).patch(ink.style(style));
            buf.set_string(own.x, own.y, ink.glyphs.cursor, style);
        }
        hits.add(own, Target::Row(Pane::Paths, first + place));
    }
    let (_, rest) = cut_top(area, lane.rows.len().min(height) as u16);
    // Under the neighbours of a passage there is often room to read it.
    if Some(at) > cursor && rest.height > 1 {
        read(ink, browsed, cut_top(rest, 1).1, buf);
    }
}

/// The beginning of the passage under the cursor.
fn read(ink: &Ink<'_>, browsed: &Browsed, area: Rect, buf: &mut Buffer) {
    let why = ink.state.why();
    let passage = browsed.subject().and_then(|subject| subject.passage);
    let Some(why) = why.filter(|why| Some(why.passage) == passage) else {
        return;
    };
    let height = area.height.min(TEXT);
    let room = 2 * usize::from(height) * usize::from(area.width);
    let begun = text::cut(&text::clean(&why.text), room);
    explained(ink, &ink.said(&begun), Rect { height, ..area }, buf);
}

/// What stands over a column: the node, its kind and how many neighbours it has.
fn over(ink: &Ink<'_>, scene: &Scene, lane: &Lane, head: &Head, width: usize) -> Line<'static> {
    if head.kind.is_empty() {
        return Line::from(ink.span(text::cut(&lane.head, width), Scope::Title));
    }
    let dot = ink.glyphs.dot;
    let joined = match head.kind {
        _ if !scene.of_passages => text::plural(head.degree, "edge"),
        "passage" => text::plural(head.degree, scene.noun),
        _ => format!("in {}", text::plural(head.degree, "passage")),
    };
    let kind = match head.kind {
        "entity" if scene.of_passages => scene.noun,
        kind => kind,
    };
    let told = [
        format!(" {dot} {kind} {dot} {joined}"),
        format!(" {dot} {joined}"),
    ];
    // The name first: what is told of it gets what is left.
    let least = text::width(&lane.head).min(width * 3 / 5);
    let told = told
        .into_iter()
        .find(|told| least + text::width(told) <= width);
    let told = told.unwrap_or_default();
    let label = text::cut(&lane.head, width - text::width(&told).min(width));
    Line::from(vec![ink.span(label, Scope::Title), ink.muted(told)])
}

/// Whether a column has more kinds of nodes than names and passages, which their marks tell apart.
fn kinds(lane: &Lane) -> bool {
    let plain = |row: &Row| matches!(&*row.kind, "passage" | "entity");
    !lane.rows.iter().all(plain)
}

/// What the rows of a column have room for.
struct Columns {
    label: usize,
    /// Of the kind of node, where there are more than names and passages.
    kind: usize,
    bar: usize,
    count: usize,
    scale: f64,
}

impl Columns {
    fn of(lane: &Lane, width: usize) -> Columns {
        let counted = |row: &Row| text::width(&text::count(row.count)) + usize::from(row.hub);
        let count = lane.rows.iter().map(counted).max().unwrap_or(0) + 1;
        let count = if width < 22 { 0 } else { count };
        let kind = if kinds(lane) && width >= 30 { KIND } else { 0 };
        let bar = match width {
            ..44 if kind > 0 => 0,
            44.. => 8,
            34.. => 5,
            26.. => 3,
            _ => 0,
        };
        let rows = lane.rows.iter().map(|row| row.value);
        let most = Scale::of(rows).most;
        Columns {
            label: width.saturating_sub(2 + kind + bar + FIGURE + count),
            kind,
            bar,
            count,
            scale: if most > 0.0 { most } else { 1.0 },
        }
    }

    fn head(&self, head: &Head) -> String {
        let room = 2 + self.kind + self.label + self.bar;
        let edges = if self.count > 6 { "edges" } else { "" };
        " ".repeat(room) + &text::pad_left(head.figure, FIGURE) + &text::pad_left(edges, self.count)
    }

    fn line(&self, ink: &Ink<'_>, browsed: &Browsed, row: &Row) -> Line<'static> {
        // Without mass for this question a row is there, and stands back.
        let dim = row.value <= 0.0;
        let look = |scope: Scope| if dim { Scope::Muted } else { scope };
        let mut spans = vec![passage_mark(ink, row), ink.text(" ")];
        let mut room = self.label;
        if let Some(group) = row.group {
            spans.extend([ink.letter(group), ink.text(" ")]);
            room = room.saturating_sub(2);
        }
        let pinned = browsed.at.pinned.is_some() && browsed.at.pinned == row.node;
        if pinned && room > 14 {
            room -= 4;
        }
        let label = text::pad(&row.label, room.saturating_sub(1)) + " ";
        spans.push(ink.span(label, look(row::scope(row))));
        if pinned && self.label > 14 {
            spans.push(ink.span("pin ", Scope::Key));
        }
        let kind = text::cut(&row.kind, self.kind.saturating_sub(1));
        spans.push(ink.muted(text::pad(&kind, self.kind)));
        let drawn = bar(row.value / self.scale, self.bar, ink.glyphs);
        spans.push(ink.span(text::pad(&drawn, self.bar), Scope::Bar));
        let figure = match ink.state.present {
            true => text::rough(row.value),
            false => row.figure.clone(),
        };
        spans.push(ink.span(text::pad_left(&figure, FIGURE), look(Scope::Value)));
        if self.count > 0 {
            let hub = if row.hub { row::HUB } else { "" };
            let count = format!("{}{hub}", text::count(row.count));
            let scope = [Scope::Muted, look(Scope::Hub)][usize::from(row.hub)];
            spans.push(ink.span(text::pad_left(&count, self.count), scope));
        }
        Line::from(spans)
    }
}

/// The way from the question to the cursor, and what it carries: on two lines at most.
fn way_line(ink: &Ink<'_>, way: &Way, width: usize) -> Vec<Line<'static>> {
    let said = carried(way, &|value| ink.score(value));
    let mut skip = 0;
    let stops = |skip: usize| -> Vec<Span<'static>> {
        let mut spans = vec![ink.muted(if way.found {
            "found; heaviest path: question"
        } else {
            "question"
        })];
        if skip > 0 {
            spans.push(ink.muted(format!(" > {}", ink.glyphs.ellipsis)));
        }
        for stop in way.stops.iter().skip(skip) {
            spans.push(ink.muted(" > "));
            spans.push(stopped(ink, stop));
        }
        spans
    };
    let wide = |spans: &[Span<'_>]| spans.iter().map(Span::width).sum::<usize>();
    while skip + 1 < way.stops.len()
        && wide(&stops(skip)) + text::width(&said) > (2 * width).saturating_sub(8)
    {
        skip += 1;
    }
    let mut spans = stops(skip);
    spans.push(ink.text(said));
    lines_of(spans, width, 2).into_iter().take(2).collect()
}

/// What a way carries, in words.
fn carried(way: &Way, figure: &dyn Fn(f64) -> String) -> String {
    match way.long {
        _ if way.of <= 0.0 => ": no mass reaches it for this question".to_owned(),
        Some(steps) => format!(
            ": longer than the {} of the walk, so this way carries none of its {}",
            text::plural(steps, "step"),
            figure(way.of)
        ),
        None => format!(
            ": this way carries {} of its {}",
            figure(way.carries),
            figure(way.of)
        ),
    }
}

fn stopped(ink: &Ink<'_>, stop: &Stop) -> Span<'static> {
    let (mark, scope) = match stop.is_passage {
        true => (format!("{} ", ink.glyphs.passage), Scope::Passage),
        false => (String::new(), Scope::Entity),
    };
    ink.span(mark + &stop.label, scope)
}

/// What is to be known of the node under the cursor, and of what was pinned and hidden.
fn notes(ink: &Ink<'_>, browsed: &Browsed) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    let way = browsed.way.as_ref();
    if let Some((way, each)) = way.and_then(|way| Some((way, way.each?))) {
        let at = way.stops.last();
        let degree = at.map_or(0, |stop| stop.degree);
        spans.push(ink.span(format!("{}{}", text::count(degree), row::HUB), Scope::Hub));
        let percent = text::score(100.0 * each);
        spans.push(ink.muted(format!(
            " is a hub: it passes on {} % to each on average   ",
            shortened(&percent)
        )));
    }
    if let Some(pinned) = &browsed.pinned {
        spans.push(ink.muted("pinned: "));
        spans.push(ink.text(text::cut(pinned, 30)));
        spans.push(ink.muted("   "));
    }
    if !browsed.hidden.is_empty() {
        let back = if ink.paper {
            ""
        } else {
            ", u brings the last one back"
        };
        spans.push(ink.muted(format!("{} hidden{back}", browsed.hidden.len())));
    }
    spans
}

/// Two digits of a percentage are enough.
fn shortened(figure: &str) -> String {
    figure
        .parse::<f64>()
        .map_or_else(|_| figure.to_owned(), text::rough)
}

/// The best paths between two nodes, one a row, the selected one in full below.
fn routes(ink: &Ink<'_>, browsed: &Browsed, area: Rect, buf: &mut Buffer, hits: &mut Hits) {
    if browsed.routes.is_empty() {
        let hidden = if browsed.hidden.is_empty() {
            ""
        } else {
            " that is not hidden"
        };
        return say(
            ink,
            &format!("No path{hidden} connects the two nodes."),
            area,
            buf,
        );
    }
    let width = usize::from(area.width).saturating_sub(2);
    let cursor = ink.state.list(Pane::Paths).cursor;
    let full = browsed.routes.get(cursor).map(|route| steps(ink, route));
    let full = full.map_or_else(Vec::new, |spans| lines_of(spans, width, 2));
    let (area, below) = cut_bottom(area, (full.len() as u16).min(3).min(area.height / 3));
    stack(&full, below, 1, buf);
    let most = browsed.routes[0].mass;
    let head = format!(
        "{} {} path: what part of the mass at its first node takes it",
        text::pad_left("share", FIGURE + 1),
        text::pad("", 8)
    );
    let area = headed(ink, &head, area, buf);
    ink.list(
        Pane::Paths,
        area,
        browsed.routes.len(),
        buf,
        hits,
        &|at, _| {
            let route = &browsed.routes[at];
            let drawn = bar(route.mass / most, 8, ink.glyphs);
            let mut spans = vec![
                ink.value(text::pad_left(&ink.score(route.mass), FIGURE + 1)),
                ink.text(" "),
                ink.span(text::pad(&drawn, 8), Scope::Bar),
                ink.text(" "),
            ];
            for (place, stop) in route.stops.iter().enumerate() {
                if place > 0 {
                    spans.push(ink.muted(" > "));
                }
                spans.push(stopped(ink, stop));
            }
            Line::from(spans)
        },
    );
}

/// A path with what every step keeps.
fn steps(ink: &Ink<'_>, route: &Path) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    for stop in &route.stops {
        spans.push(stopped(ink, stop));
        if let Some(kept) = stop.kept {
            spans.push(ink.muted(" passes on "));
            spans.push(ink.value(ink.score(kept)));
            spans.push(ink.muted(" > "));
        }
    }
    spans
}

fn picture(ink: &Ink<'_>, browsed: &Browsed, area: Rect, buf: &mut Buffer, hits: &mut Hits) {
    let rows: Vec<&Row> = browsed
        .flow
        .lanes
        .iter()
        .flat_map(|lane| &lane.rows)
        .collect();
    let more = match browsed.undrawn {
        0 => String::new(),
        n => format!("; {} more neighbours are not drawn", text::count(n)),
    };
    let words = format!(
        "{} and {}{more}. {} marks nodes whose neighbours are drawn.",
        text::plural(rows.len(), "node"),
        text::plural(browsed.edges.len(), "edge"),
        ink.glyphs.fold[1]
    );
    let area = match area.height > 4 {
        true => {
            let (area, below) = cut_bottom(area, 1);
            say(ink, &words, below, buf);
            area
        }
        false => area,
    };
    hits.set_extent(Pane::Paths, rows.len(), usize::from(area.height));
    let cursor = ink.state.list(Pane::Paths).cursor;
    let open = |row: &Row| {
        row.node
            .is_some_and(|node| browsed.at.unfolded.contains(&node))
    };
    let drawn = Sketch {
        rows: rows
            .iter()
            .enumerate()
            .map(|(at, row)| (at, *row, open(row)))
            .collect(),
        edges: browsed.edges.iter().copied().collect(),
        selected: Some(cursor.min(rows.len().saturating_sub(1))),
        names: true,
    };
    sketch(ink, &drawn, area, buf, hits);
}

/// What Enter does on a row.
pub fn enter(state: &State, at: usize) -> Option<Action> {
    let browsed = state.browsed()?;
    let (lane, place) = rows::place(state, Pane::Paths, at)?;
    let row = &browsed.flow.lanes[lane].rows[place];
    match browsed.at.shows {
        Shows::Routes => {
            let stops = browsed.routes.get(at)?.stops.iter();
            Some(Action::Along(stops.map(|stop| stop.node).collect()))
        }
        Shows::Picture => row.node.map(Action::UnfoldNode),
        Shows::Columns if row.is_passage => Some(Action::Read),
        Shows::Columns => row.node.map(Action::PinNode),
    }
}

/// The rows that a cursor goes over, for a list of sentences.
pub fn spoken(browsed: &Browsed) -> Vec<Option<String>> {
    if browsed.at.shows == Shows::Routes {
        let one = |route: &Path| {
            let stops: Vec<&str> = route.stops.iter().map(|stop| &*stop.label).collect();
            Some(format!(
                "{}, share {}",
                stops.join(" > "),
                text::score(route.mass)
            ))
        };
        return browsed.routes.iter().map(one).collect();
    }
    let lanes = browsed.flow.lanes.iter().enumerate();
    let rows = lanes.flat_map(|(at, lane)| {
        let of = browsed.heads.get(at).map_or("mass", |head| head.figure);
        lane.rows.iter().map(move |row| {
            let hub = if row.hub { ", a hub" } else { "" };
            Some(format!(
                "{}: {}, {}, {of} {}, {}{hub}",
                lane.head,
                row.label,
                row.kind,
                row.figure,
                text::plural(row.count, "edge")
            ))
        })
    });
    rows.collect()
}

/// The column under the cursor, or the paths, as rows of text.
pub fn copied(state: &State, browsed: &Browsed, at: usize) -> (String, String) {
    let line = |row: &Row| format!("{}\t{}\t{}\t{}", row.kind, row.label, row.value, row.count);
    let lines: Vec<String> = match browsed.at.shows {
        Shows::Routes => browsed
            .routes
            .iter()
            .map(|route| {
                let stops: Vec<&str> = route.stops.iter().map(|stop| &*stop.label).collect();
                format!("{}\t{}", route.mass, stops.join(" > "))
            })
            .collect(),
        Shows::Columns => {
            let place = rows::place(state, Pane::Paths, at);
            let lane = place.and_then(|(lane, _)| browsed.flow.lanes.get(lane));
            lane.map_or_else(Vec::new, |lane| lane.rows.iter().map(line).collect())
        }
        Shows::Picture => {
            let lanes = browsed.flow.lanes.iter();
            lanes.flat_map(|lane| &lane.rows).map(line).collect()
        }
    };
    (lines.join("\n"), "neighbourhood".to_owned())
}

pub fn json(scene: &Scene, browsed: &Browsed) -> Value {
    let row = |row: &Row| json!({"node": row::place(scene, row), "mass": row.value, "degree": row.count, "hub": row.hub});
    let lanes = browsed.flow.lanes.iter();
    let left = |(count, mass): (usize, f64)| json!({"count": count, "mass": mass});
    let way = browsed.way.as_ref().map(|way| {
        let stops: Vec<_> = way.stops.iter().map(|stop| &stop.place).collect();
        json!({"nodes": stops, "carries": way.carries, "of": way.of})
    });
    match browsed.at.shows {
        Shows::Columns => {
            let columns = lanes.zip(&browsed.heads).map(|(lane, head)| {
                let rows: Vec<Value> = lane.rows.iter().map(row).collect();
                json!({
                    "of": lane.head, "figure": head.figure, "rows": rows,
                    "more": left(head.more), "hidden": left(head.hidden),
                })
            });
            json!({"columns": columns.collect::<Vec<_>>(), "way": way})
        }
        Shows::Routes => {
            let route = |route: &Path| {
                let stops: Vec<_> = route.stops.iter().map(|stop| &stop.place).collect();
                json!({"nodes": stops, "share": route.mass})
            };
            json!({"paths": browsed.routes.iter().map(route).collect::<Vec<_>>()})
        }
        Shows::Picture => {
            let nodes: Vec<Value> = lanes.flat_map(|lane| &lane.rows).map(row).collect();
            json!({"nodes": nodes, "edges": browsed.edges, "undrawn": browsed.undrawn})
        }
    }
}
