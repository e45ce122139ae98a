//! Fills a budget of tokens with texts, in the order of the ranking.

pub use crate::parameters::Misfit;

/// A budget and what is used of it.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    pub used: usize,
    budget: usize,
    misfit: Misfit,
    closed: bool,
}

impl Room {
    pub fn new(budget: usize, misfit: Misfit) -> Room {
        Room {
            used: 0,
            budget,
            misfit,
            closed: false,
        }
    }

    /// Whether nothing more is taken.
    pub fn closed(&self) -> bool {
        self.closed
    }

    /// Whether this many tokens fit, which are then used. They are not counted once nothing can fit any more.
    pub fn takes(&mut self, tokens: impl FnOnce() -> usize) -> bool {
        if self.closed {
            return false;
        }
        let tokens = tokens();
        let fits = self.used + tokens <= self.budget;
        self.used += if fits { tokens } else { 0 };
        self.closed = !fits && self.misfit == Misfit::Stop;
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misfit_closes_the_budget_or_is_left_out() {
        for (misfit, taken, used) in [
            (Misfit::Stop, [true, false, false, false], 6),
            (Misfit::Skip, [true, false, true, false], 10),
        ] {
            let mut room = Room::new(10, misfit);
            assert_eq!([6, 5, 4, 1].map(|tokens| room.takes(|| tokens)), taken);
            assert_eq!(room.used, used);
        }
    }
}
