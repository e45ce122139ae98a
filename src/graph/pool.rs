//! What walks and pushes work in.

use std::sync::{Mutex, PoisonError};

/// Memory as large as a graph, for whoever works on one next: as many as work at once, and `most` that wait. Fresh memory
/// would take longer than most of the work.
#[derive(Debug)]
pub(super) struct Pool<T> {
    most: usize,
    waiting: Mutex<Vec<(u64, T)>>,
}

impl<T: Default> Pool<T> {
    pub(super) const fn new(most: usize) -> Pool<T> {
        let waiting = Mutex::new(Vec::new());
        Pool { most, waiting }
    }

    /// Works in what waits: in what the same graph was worked on with, where that is there.
    pub(super) fn with<R>(&self, graph: u64, work: impl FnOnce(&mut T) -> R) -> R {
        let waiting = || self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let take = |waiting: &mut Vec<(u64, T)>| {
            let own = waiting.iter().rposition(|(of, _)| *of == graph);
            let other = (waiting.len() == self.most).then_some(0);
            own.or(other).map(|at| waiting.remove(at).1)
        };
        let mut room = take(&mut waiting()).unwrap_or_default();
        let made = work(&mut room);
        let mut waiting = waiting();
        waiting.push((graph, room));
        let over = (waiting.len() > self.most).then(|| waiting.remove(0));
        drop(waiting);
        drop(over);
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_worked_in_waits_for_its_graph_and_then_for_any() {
        let pool: Pool<Vec<u64>> = Pool::new(2);
        let work = |graph| {
            pool.with(graph, |room| {
                room.push(graph);
                room.clone()
            })
        };
        assert_eq!(work(1), [1]);
        assert_eq!(work(2), [2]);
        assert_eq!(work(1), [1, 1]);
        assert_eq!(work(3), [2, 3]);
        assert_eq!(work(1), [1, 1, 1]);
        let within = pool.with(3, |first| {
            first.push(9);
            [work(3), work(3)]
        });
        assert_eq!(within, [vec![3], vec![3, 3]]);
        assert_eq!(work(3), [2, 3, 9, 3]);
        assert_eq!(pool.waiting.lock().unwrap().len(), 2);
    }
}
