//! What a frame showed where. The view returns it, so a mouse needs no terminal to be tested.

use super::command::Command;
use super::layout::Pane;
use crate::retrieve::Parameter;
use ratatui::layout::{Position, Rect};
use std::collections::BTreeMap;

/// Something that can be pointed at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    Pane(Pane),
    /// A row of a pane's list, by its place in the whole list.
    Row(Pane, usize),
    /// The track of a slider.
    Slider(Parameter),
    /// One alternative of a choice.
    Choice(Parameter, usize),
    /// A passage outside of a list.
    Passage(u32),
    /// A value of an open sweep.
    Sweep(usize),
    /// The track of the scrubber.
    Scrubber,
    /// A row of an open finder.
    Entry(usize),
    /// Outside an open finder.
    Elsewhere,
    Command(Command),
}

/// How much of a pane's content there is, and how much of it was shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    pub rows: usize,
    pub height: usize,
}

/// What a frame showed where.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hits {
    targets: Vec<(Rect, Target)>,
    extents: BTreeMap<Pane, Extent>,
    finder: Extent,
    unfolds: bool,
    /// Where the text cursor is, while a field is open.
    pub cursor: Option<Position>,
}

impl Hits {
    pub fn add(&mut self, area: Rect, target: Target) {
        if area.area() > 0 {
            self.targets.push((area, target));
        }
    }

    /// What is at a place: what was drawn last is on top.
    pub fn at(&self, x: u16, y: u16) -> Option<(Rect, Target)> {
        let place = Position::new(x, y);
        self.targets
            .iter()
            .rev()
            .find(|(area, _)| area.contains(place))
            .copied()
    }

    /// The pane at a place, whatever lies on it.
    pub fn pane_at(&self, x: u16, y: u16) -> Option<Pane> {
        let place = Position::new(x, y);
        self.targets
            .iter()
            .rev()
            .find_map(|(area, target)| match target {
                Target::Pane(pane) if area.contains(place) => Some(*pane),
                _ => None,
            })
    }

    /// Where a target was drawn.
    pub fn area(&self, target: Target) -> Option<Rect> {
        self.targets
            .iter()
            .rev()
            .find(|(_, t)| *t == target)
            .map(|(area, _)| *area)
    }

    pub fn set_extent(&mut self, pane: Pane, rows: usize, height: usize) {
        self.extents.insert(pane, Extent { rows, height });
    }

    pub fn extent(&self, pane: Pane) -> Extent {
        self.extents.get(&pane).copied().unwrap_or_default()
    }

    /// What the row under the cursor of Why rests on takes more lines than it has while it is folded.
    pub fn set_unfolds(&mut self, unfolds: bool) {
        self.unfolds = unfolds;
    }

    pub fn unfolds(&self) -> bool {
        self.unfolds
    }

    pub fn set_finder(&mut self, rows: usize, height: usize) {
        self.finder = Extent { rows, height };
    }

    pub fn finder(&self) -> Extent {
        self.finder
    }
}

/// How far along a track of cells a column is, 0 to 1.
pub fn fraction(area: Rect, x: u16) -> f64 {
    let last = f64::from(area.width.saturating_sub(1)).max(1.0);
    (f64::from(x.saturating_sub(area.x)) / last).clamp(0.0, 1.0)
}
