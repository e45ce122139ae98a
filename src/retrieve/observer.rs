//! Who listens to a retrieval: evaluation hears nothing and pays nothing, the explorer records.

use serde::Serialize;
use std::time::Instant;

/// Hears of each stage as it ends.
pub trait Observer {
    /// Whether the spread keeps the score of every node after every step.
    const STATES: bool = false;

    /// `reused` tells that nothing the stage depends on had changed.
    fn stage(&mut self, _name: &'static str, _reused: bool) {}
}

/// Hears nothing.
pub struct Quiet;

impl Observer for Quiet {}

/// One stage and how long it took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StageTime {
    pub name: &'static str,
    pub seconds: f64,
    pub reused: bool,
}

/// Times stages and keeps the states of the walk.
pub struct Recorder {
    pub stages: Vec<StageTime>,
    last: Instant,
}

impl Recorder {
    pub fn new() -> Recorder {
        Recorder {
            stages: Vec::new(),
            last: Instant::now(),
        }
    }
}

impl Default for Recorder {
    fn default() -> Self {
        Recorder::new()
    }
}

impl Observer for Recorder {
    const STATES: bool = true;

    fn stage(&mut self, name: &'static str, reused: bool) {
        let now = Instant::now();
        self.stages.push(StageTime {
            name,
            seconds: (now - self.last).as_secs_f64(),
            reused,
        });
        self.last = now;
    }
}
