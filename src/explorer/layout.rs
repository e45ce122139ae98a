//! Where things are, for every size of terminal. The layout has named shapes; it does not just shrink.

use ratatui::layout::{Constraint, Layout, Rect};
use serde::{Deserialize, Serialize};

named! {
    /// A part of the screen that can have the keyboard.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Pane, id {
        Question "question",
        Seeds "seeds",
        Parameters "parameters",
        Session "session",
        Spread "spread",
        Neighbours "neighbours",
        Passages "passages",
        Why "why",
        Iterations "iterations",
        /// The text of a passage; in Explore only there while one is read.
        Reader "reader",
        /// Pinned runs and the live one, side by side.
        Runs "runs",
        /// What differs between two runs, and which difference did it.
        Changes "changes",
        /// Score moving through columns of nodes.
        Flow "flow",
        /// The heaviest nodes by step.
        Heat "heat",
        /// What one step moved.
        Step "step",
        /// Ways from seeds to passages.
        Paths "paths",
        /// The set under the pinned settings and the live ones.
        Set "set",
        /// How far gold gets over the set, and why what is lost is lost.
        Lost "lost",
        /// The questions of the set, by what changed.
        Questions "questions",
        /// Every method on this question.
        Methods "methods",
        /// The set's scores so far.
        History "history",
        /// Passages that wait for a label.
        Queue "queue",
        /// What is said of the passage on screen.
        Label "label",
    }
}

impl Pane {
    /// Those of every view; one that is in several comes several times.
    pub fn all() -> impl Iterator<Item = Pane> {
        let views = View::ALL.into_iter();
        views.flat_map(|view| view.panes().iter().copied())
    }
}

named! {
    /// What the screen shows: each view has panes of its own over the same question, selection and step.
    #[derive(
        Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
    )]
    #[serde(rename_all = "kebab-case")]
    pub enum View, name {
        #[default]
        Explore "Explore",
        Compare "Compare",
        Flow "Flow",
        Graph "Graph",
        Evaluate "Evaluate",
        Annotate "Annotate",
    }
}

/// A row of panes: its part of the height, and the panes with their parts of the width.
type Row = (u16, &'static [(Pane, u16)]);

impl View {
    /// In the order of Tab. Every view has the question.
    pub fn panes(self) -> &'static [Pane] {
        match self {
            View::Explore => &[
                Pane::Question,
                Pane::Seeds,
                Pane::Parameters,
                Pane::Session,
                Pane::Spread,
                Pane::Neighbours,
                Pane::Passages,
                Pane::Why,
                Pane::Iterations,
                Pane::Reader,
            ],
            View::Compare => &[Pane::Question, Pane::Runs, Pane::Changes, Pane::Set],
            View::Flow => &[Pane::Question, Pane::Flow, Pane::Heat, Pane::Step],
            View::Graph => &[Pane::Question, Pane::Paths, Pane::Neighbours, Pane::Why],
            View::Evaluate => &[
                Pane::Question,
                Pane::Set,
                Pane::Lost,
                Pane::Questions,
                Pane::Methods,
                Pane::History,
            ],
            View::Annotate => &[Pane::Question, Pane::Queue, Pane::Reader, Pane::Label],
        }
    }

    /// The pane that has the keyboard when the view is opened for the first time.
    pub fn first(self) -> Pane {
        match self {
            View::Explore => Pane::Passages,
            View::Compare => Pane::Runs,
            View::Flow => Pane::Flow,
            View::Graph => Pane::Paths,
            View::Evaluate => Pane::Questions,
            View::Annotate => Pane::Queue,
        }
    }

    /// From top to bottom. Explore has an arrangement of its own for every shape.
    fn rows(self) -> &'static [Row] {
        match self {
            View::Explore => &[],
            View::Compare => &[
                (3, &[(Pane::Runs, 1)]),
                (2, &[(Pane::Changes, 1), (Pane::Set, 1)]),
            ],
            View::Flow => &[
                (3, &[(Pane::Flow, 1)]),
                (2, &[(Pane::Heat, 1), (Pane::Step, 1)]),
            ],
            View::Graph => &[
                (3, &[(Pane::Paths, 1)]),
                (2, &[(Pane::Neighbours, 1), (Pane::Why, 1)]),
            ],
            View::Evaluate => &[
                (4, &[(Pane::Set, 1), (Pane::Lost, 1)]),
                (5, &[(Pane::Questions, 3), (Pane::Methods, 2)]),
                (2, &[(Pane::History, 1)]),
            ],
            View::Annotate => &[
                (5, &[(Pane::Queue, 2), (Pane::Reader, 3)]),
                (2, &[(Pane::Label, 1)]),
            ],
        }
    }

    /// The same before a class: no more than three panes.
    fn presented(self) -> &'static [Row] {
        match self {
            View::Evaluate => &[
                (4, &[(Pane::Set, 1), (Pane::Lost, 1)]),
                (5, &[(Pane::Questions, 1)]),
            ],
            view => view.rows(),
        }
    }

    /// The view that a pane is in.
    pub fn of(pane: Pane) -> View {
        let has = |view: &View| view.panes().contains(&pane);
        View::ALL.into_iter().find(has).unwrap_or_default()
    }
}

/// Columns from which on two panes of a presentation have room for whole words beside each other.
const BESIDE: u16 = 120;

/// Columns from which on a text has room beside everything else.
pub const WIDE: u16 = 200;

/// The arrangement for a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// 160x48: everything at once.
    Full,
    /// 120x36: Why and Neighbours share a pane.
    Tabbed,
    /// 100x30: two columns; seeds, parameters and iterations are lines that open over a column.
    Columns,
    /// 60x16: one open section at a time.
    Accordion,
    /// Smaller: a line that says so, and the first passages.
    Line,
}

impl Shape {
    pub fn of(width: u16, height: u16) -> Shape {
        match (width, height) {
            (160.., 48..) => Shape::Full,
            (120.., 36..) => Shape::Tabbed,
            (100.., 30..) => Shape::Columns,
            (60.., 16..) => Shape::Accordion,
            _ => Shape::Line,
        }
    }
}

/// How a pane is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// A box with a title.
    Box,
    /// A box whose title has tabs for Why and Neighbours.
    Tabs,
    /// A heading line with the content below it.
    Section,
    /// One line with the pane's most useful fact.
    Line,
}

/// A pane in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    pub pane: Pane,
    pub area: Rect,
    pub face: Face,
}

/// Everything in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub shape: Shape,
    pub header: Rect,
    pub pipeline: Rect,
    pub slots: Vec<Slot>,
    /// The strip of a lesson; it may lie over the panes.
    pub lesson: Rect,
    pub status: Rect,
    pub hints: Rect,
}

/// What the arrangement depends on besides the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arranged {
    pub view: View,
    /// For the back row.
    pub present: bool,
    /// Rows of a lesson's strip, its border too; 0 without a lesson.
    pub lesson: u16,
    pub focus: Pane,
    /// Which of Why and Neighbours was used last.
    pub lower: Pane,
    pub zoom: bool,
    pub reading: bool,
    /// The text of the selected passage has a place beside the lists.
    pub preview: bool,
    /// The method walks; without steps Iterations is one line.
    pub steps: bool,
}

impl Plan {
    pub fn new(area: Rect, arranged: Arranged) -> Plan {
        // A strip below the panes, or on a short screen over them.
        let whole = area.height;
        let strip = arranged.lesson.min(whole * 3 / 5);
        let left = whole - strip;
        let over = Shape::of(area.width, left) == Shape::Line;
        let bottom = if over { whole } else { left };
        let shape = Shape::of(area.width, bottom);
        let row = |y: u16| Rect::new(area.x, area.y + y, area.width, 1).intersection(area);
        let mut plan = Plan {
            shape,
            header: row(0),
            pipeline: Rect::default(),
            slots: Vec::new(),
            lesson: Rect::new(area.x, area.y + left.saturating_sub(2), area.width, strip),
            status: row(whole.saturating_sub(2)),
            hints: row(whole.saturating_sub(1)),
        };
        match shape {
            Shape::Line => {
                plan.status = Rect::default();
                plan.hints = Rect::default();
            }
            Shape::Full | Shape::Tabbed | Shape::Columns => {
                let question = Rect::new(area.x, area.y + 1, area.width, 3);
                plan.put(Pane::Question, question, Face::Box);
                let own = arranged.view != View::Explore;
                let lines = u16::from(shape == Shape::Columns && !own);
                plan.pipeline = row(4 + lines);
                let main = Rect::new(area.x, area.y + 5 + lines, area.width, bottom - 7 - lines);
                if lines > 0 {
                    plan.put(Pane::Seeds, row(4), Face::Line);
                }
                if arranged.zoom && arranged.focus != Pane::Question {
                    plan.alone(main, arranged, Face::Box);
                } else {
                    match shape {
                        _ if own && arranged.present => plan.presented(main, arranged),
                        _ if own => {
                            plan.rows(main, arranged.view.rows());
                            plan.preview_below(arranged);
                        }
                        _ if arranged.present => plan.present(main, arranged),
                        Shape::Full => plan.full(main, arranged),
                        Shape::Tabbed => plan.tabbed(main, arranged),
                        _ => plan.columns(main, arranged),
                    }
                }
            }
            Shape::Accordion => {
                plan.put(Pane::Question, row(1), Face::Line);
                plan.pipeline = row(2);
                // One pane alone is as high as a strip over it leaves room for.
                let bottom = match over && arranged.zoom {
                    true => left.max(9),
                    false => bottom,
                };
                let main = Rect::new(area.x, area.y + 3, area.width, bottom - 5);
                plan.accordion(main, arranged);
            }
        }
        plan
    }

    fn put(&mut self, pane: Pane, area: Rect, face: Face) {
        self.slots
            .retain(|slot| slot.pane != pane || slot.face == Face::Line);
        self.slots.push(Slot { pane, area, face });
    }

    /// One pane in full size, and the text of its passages where that is wanted.
    fn alone(&mut self, main: Rect, arranged: Arranged, face: Face) {
        let (upper, text) = match arranged.focus {
            Pane::Reader => (main, Rect::default()),
            _ if !arranged.preview => (main, Rect::default()),
            _ if main.width >= 100 => cut_left(main, main.width * 3 / 5),
            _ => cut_top(main, main.height.div_ceil(2)),
        };
        self.put(arranged.focus, upper, face);
        if text.area() > 0 {
            self.put(Pane::Reader, text, face);
        }
    }

    /// The text in the place of a pane of the last row: of its last one that has not the keyboard.
    fn preview_below(&mut self, arranged: Arranged) {
        let row = arranged.view.rows().last().map_or(&[][..], |row| row.1);
        let free = row.iter().rev().find(|pane| pane.0 != arranged.focus);
        if let (true, Some((pane, _))) = (arranged.preview, free) {
            let slots = self.slots.iter_mut();
            slots
                .filter(|slot| slot.pane == *pane)
                .for_each(|slot| slot.pane = Pane::Reader);
        }
    }

    /// What stands below the ranking: the text of its passages, unless one asks why or for neighbours.
    fn below(&self, arranged: Arranged) -> (Pane, Face) {
        match arranged.preview && !matches!(arranged.focus, Pane::Why | Pane::Neighbours) {
            true => (Pane::Reader, Face::Box),
            false => (arranged.lower, Face::Tabs),
        }
    }

    fn full(&mut self, main: Rect, arranged: Arranged) {
        let wide = arranged.preview && main.width >= WIDE;
        let extra = if wide { 0 } else { main.width - 160 };
        let (main, iterations) = cut_bottom(
            main,
            if arranged.steps {
                8 + (main.height - 41) / 12
            } else {
                3
            },
        );
        let (left, rest) = cut_left(main, 38 + (extra / 8).min(8));
        let (middle, right) = cut_left(rest, 53 + (extra / 4).min(26));
        self.put_left(left, 10 + (main.height - 33) / 6, 7);
        let lower = 13 + (main.height - 33) / 4;
        let (spread, neighbours) = cut_bottom(middle, lower);
        self.put(Pane::Spread, spread, Face::Box);
        self.put(Pane::Neighbours, neighbours, Face::Box);
        let right = match wide {
            true => {
                let (right, text) = cut_left(right, right.width * 4 / 7);
                self.put(Pane::Reader, text, Face::Box);
                right
            }
            false => right,
        };
        let under = match self.below(arranged) {
            (Pane::Reader, face) if !wide => (Pane::Reader, face),
            _ => (Pane::Why, Face::Box),
        };
        self.put_right(right, lower, arranged, under);
        self.put(Pane::Iterations, iterations, Face::Box);
    }

    fn tabbed(&mut self, main: Rect, arranged: Arranged) {
        let extra = main.width - 120;
        let (main, iterations) = cut_bottom(main, if arranged.steps { 7 } else { 3 });
        let (left, rest) = cut_left(main, 32);
        let (middle, right) = cut_left(rest, 40 + extra / 3);
        self.put_left(left, 7, 5);
        self.put(Pane::Spread, middle, Face::Box);
        let lower = 10 + (main.height.saturating_sub(22)) / 3;
        let under = self.below(arranged);
        self.put_right(right, lower, arranged, under);
        self.put(Pane::Iterations, iterations, Face::Box);
    }

    /// Seeds over parameters over the session.
    fn put_left(&mut self, left: Rect, seeds: u16, session: u16) {
        let (seeds, below) = cut_top(left, seeds);
        let (parameters, session) = cut_bottom(below, session);
        self.put(Pane::Seeds, seeds, Face::Box);
        self.put(Pane::Parameters, parameters, Face::Box);
        self.put(Pane::Session, session, Face::Box);
    }

    /// The ranking over what stands below it, or the text that is read.
    fn put_right(&mut self, right: Rect, lower: u16, arranged: Arranged, under: (Pane, Face)) {
        if arranged.reading {
            return self.put(Pane::Reader, right, Face::Box);
        }
        let (passages, below) = cut_bottom(right, lower);
        self.put(Pane::Passages, passages, Face::Box);
        self.put(under.0, below, under.1);
    }

    /// The panes of a view before a class: three at most, and on a narrow screen one beside the other only where that is all;
    /// what has the keyboard is among them.
    fn presented(&mut self, main: Rect, arranged: Arranged) {
        let rows = arranged.view.presented().iter();
        let mut rows: Vec<(u16, Vec<(Pane, u16)>)> =
            rows.map(|row| (row.0, row.1.to_vec())).collect();
        let mut all = rows.iter().flat_map(|row| &row.1);
        let known = all.any(|pane| pane.0 == arranged.focus);
        if let Some((_, last)) = rows.last_mut()
            && !known
            && arranged.focus != Pane::Question
        {
            last.pop();
            last.push((arranged.focus, 1));
        }
        if main.width < BESIDE {
            for (_, panes) in &mut rows {
                let own = panes.iter().position(|pane| pane.0 == arranged.focus);
                *panes = vec![panes[own.unwrap_or(0)]];
            }
        }
        self.rows(main, &rows);
    }

    /// What a class has to see: what holds mass, what is returned, and the steps; what has the keyboard if it is another. A
    /// narrow screen has the one that has the keyboard, and the steps.
    fn present(&mut self, main: Rect, arranged: Arranged) {
        let shown = [Pane::Spread, Pane::Passages, Pane::Iterations];
        let (main, iterations) = cut_bottom(main, if arranged.steps { 7 } else { 3 });
        self.put(Pane::Iterations, iterations, Face::Box);
        if main.width < BESIDE {
            let open = match arranged.focus {
                Pane::Question | Pane::Iterations => Pane::Passages,
                focus => focus,
            };
            if arranged.preview && open != Pane::Reader {
                let (list, text) = cut_top(main, main.height.div_ceil(2));
                self.put(Pane::Reader, text, Face::Box);
                return self.put(open, list, Face::Box);
            }
            return self.put(open, main, Face::Box);
        }
        self.rows(main, &[(1, &[(Pane::Spread, 1), (Pane::Passages, 1)])]);
        let other = match arranged.focus {
            Pane::Passages | Pane::Iterations if arranged.preview => Pane::Reader,
            focus => focus,
        };
        if !shown.contains(&other) && other != Pane::Question {
            let left = self.open(Pane::Spread).map_or(main, |slot| slot.area);
            self.slots.retain(|slot| slot.pane != Pane::Spread);
            self.put(other, left, Face::Box);
        }
    }

    fn rows<P: AsRef<[(Pane, u16)]>>(&mut self, main: Rect, rows: &[(u16, P)]) {
        let heights = rows.iter().map(|row| Constraint::Fill(row.0));
        let heights = Layout::vertical(heights).split(main);
        for ((_, panes), area) in rows.iter().zip(heights.iter()) {
            let panes = panes.as_ref();
            let widths = panes.iter().map(|pane| Constraint::Fill(pane.1));
            let areas = Layout::horizontal(widths).split(*area);
            for ((pane, _), area) in panes.iter().zip(areas.iter()) {
                self.put(*pane, *area, Face::Box);
            }
        }
    }

    fn columns(&mut self, main: Rect, arranged: Arranged) {
        let (main, iterations) = cut_bottom(main, 2);
        if arranged.reading && arranged.focus == Pane::Reader {
            self.put(Pane::Reader, main, Face::Box);
        } else {
            let (upper, lower) = cut_bottom(main, 8 + (main.height - 20) / 3);
            let (left, right) = cut_left(upper, 44 + (main.width - 100) / 3);
            let over_spread = matches!(
                arranged.focus,
                Pane::Seeds | Pane::Parameters | Pane::Session
            );
            self.put(
                if over_spread {
                    arranged.focus
                } else {
                    Pane::Spread
                },
                left,
                Face::Box,
            );
            self.put(Pane::Passages, right, Face::Box);
            let over_why = arranged.focus == Pane::Iterations;
            let (pane, face) = match over_why {
                true => (Pane::Iterations, Face::Box),
                false => self.below(arranged),
            };
            self.put(pane, lower, face);
        }
        self.slots.push(Slot {
            pane: Pane::Iterations,
            area: iterations,
            face: Face::Line,
        });
    }

    fn accordion(&mut self, main: Rect, arranged: Arranged) {
        let open = if arranged.focus == Pane::Question {
            arranged.view.first()
        } else {
            arranged.focus
        };
        if arranged.zoom || (arranged.reading && arranged.focus == Pane::Reader) {
            let focus = open;
            return self.alone(main, Arranged { focus, ..arranged }, Face::Section);
        }
        // The text goes with its list.
        let texted = arranged.preview && open != Pane::Reader;
        let mut sections = match arranged.view {
            View::Explore => vec![
                Pane::Seeds,
                Pane::Parameters,
                Pane::Spread,
                Pane::Neighbours,
                Pane::Passages,
                Pane::Why,
                Pane::Iterations,
                Pane::Session,
            ],
            view => view.panes()[1..].to_vec(),
        };
        if arranged.present && arranged.view == View::Explore {
            let few = [Pane::Spread, Pane::Passages, Pane::Iterations];
            let other = !few.contains(&open);
            sections.retain(|pane| {
                *pane == open || few.contains(pane) && !(other && *pane == Pane::Spread)
            });
        }
        let reads = arranged.reading && arranged.view == View::Explore;
        if reads || open == Pane::Reader && !sections.contains(&Pane::Reader) {
            sections.insert(5.min(sections.len()), Pane::Reader);
        }
        // A short screen hides the closed sections that say least; Tab still reaches them.
        let dispensable = [
            Pane::Session,
            Pane::Parameters,
            Pane::Neighbours,
            Pane::Iterations,
            Pane::Seeds,
            Pane::Spread,
        ];
        for pane in dispensable {
            let content = usize::from(main.height).saturating_sub(sections.len());
            if content < 5 && pane != open {
                sections.retain(|p| *p != pane);
            }
        }
        let closed = u16::try_from(sections.len().saturating_sub(1)).unwrap_or(0);
        let content = main.height.saturating_sub(closed);
        let mut y = main.y;
        for pane in sections {
            let (height, face) = if pane == open {
                (content, Face::Section)
            } else {
                (1, Face::Line)
            };
            let place = Rect::new(main.x, y, main.width, height);
            match texted && pane == open {
                true => {
                    let (list, text) = cut_top(place, height.div_ceil(2));
                    self.put(pane, list, face);
                    self.put(Pane::Reader, text, face);
                }
                false => self.put(pane, place, face),
            }
            y += height;
        }
    }

    /// Where a pane is open, if it is.
    pub fn open(&self, pane: Pane) -> Option<Slot> {
        self.slots
            .iter()
            .copied()
            .find(|slot| slot.pane == pane && slot.face != Face::Line)
    }
}

/// An area cut below a height.
pub fn cut_top(area: Rect, height: u16) -> (Rect, Rect) {
    let height = height.min(area.height);
    (
        Rect { height, ..area },
        Rect {
            y: area.y + height,
            height: area.height - height,
            ..area
        },
    )
}

/// An area, and a height at its lower end.
pub fn cut_bottom(area: Rect, height: u16) -> (Rect, Rect) {
    cut_top(area, area.height.saturating_sub(height))
}

/// An area cut right of a width.
pub fn cut_left(area: Rect, width: u16) -> (Rect, Rect) {
    let width = width.min(area.width);
    (
        Rect { width, ..area },
        Rect {
            x: area.x + width,
            width: area.width - width,
            ..area
        },
    )
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
