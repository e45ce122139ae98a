//! Building a layer of the open index while it is explored.

use super::text;
use crate::index::{Index, IndexError, Progress, Step};
use crate::layers::{LayerKind, build_layers};
use crate::retrieve::Settings;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A layer that is being built.
#[derive(Clone, Debug, PartialEq)]
pub struct Building {
    pub layer: &'static str,
    /// The method that waits for it.
    pub method: String,
    /// What is done now, and how far it is.
    pub step: &'static str,
    pub done: usize,
    pub total: usize,
}

impl Building {
    /// For the status line.
    pub fn said(&self) -> String {
        let step = if self.step == self.layer {
            ""
        } else {
            self.step
        };
        let far = match self.total {
            0 => String::new(),
            total => format!("{} of {}", text::count(self.done), text::count(total)),
        };
        let words = [&format!("layer {}:", self.layer), step, &far];
        let words: Vec<&str> = words.into_iter().filter(|w| !w.is_empty()).collect();
        words.join(" ")
    }
}

/// What is heard of a build.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// The step, and how far it is.
    At(&'static str, usize, usize),
    /// It is part of the index now; the seconds it took.
    Done(f64),
    Failed(String),
}

/// Tells of progress a few hundred times at most: the step, and how far it is.
pub struct Watched<'a> {
    tell: &'a (dyn Fn(&'static str, usize, usize) + Sync),
    cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Hundredths told last.
    last: AtomicUsize,
}

impl<'a> Watched<'a> {
    pub fn new(
        tell: &'a (dyn Fn(&'static str, usize, usize) + Sync),
        cancelled: &'a (dyn Fn() -> bool + Sync),
    ) -> Watched<'a> {
        Watched {
            tell,
            cancelled,
            last: AtomicUsize::new(usize::MAX),
        }
    }
}

impl Progress for Watched<'_> {
    fn advance(&self, step: Step, done: usize, total: usize) -> bool {
        let part = 100 * done / total.max(1);
        if self.last.swap(part, Ordering::Relaxed) != part {
            (self.tell)(step.label(), done, total);
        }
        !(self.cancelled)()
    }
}

/// Builds a layer and adds it to the index in memory. The last news is given back.
pub fn build(
    index: &Index,
    kinds: &[LayerKind],
    layer: &str,
    settings: &Settings,
    tell: &(dyn Fn(News) + Sync),
    cancelled: &(dyn Fn() -> bool + Sync),
) -> News {
    let Some(kind) = kinds.iter().find(|kind| kind.name == layer) else {
        return News::Failed(format!("no layer '{layer}'"));
    };
    let far = |step, done, total| tell(News::At(step, done, total));
    let progress = Watched::new(&far, cancelled);
    match build_layers(index, &[kind], settings.all(), &progress) {
        Ok(built) => News::Done(built.iter().map(|b| b.seconds).sum()),
        Err(IndexError::Cancelled) => News::Failed("stopped".to_owned()),
        Err(error) => News::Failed(error.to_string()),
    }
}
