//! The threads of a running explorer, one for each job. Pictures and tests do the jobs by the same lines where they stand.

use super::jobs::{Doer, Heard, Thread, Work};
use super::terminal::take_panics;
use super::worker::{Done, Task, WAITING_RESULTS, Worker, wanted};
use anyhow::Context;
use tokio::sync::mpsc::{Receiver, channel};

pub struct Workers {
    /// In the order of [`Thread`].
    workers: Vec<Worker<Work>>,
    heard: Receiver<Done<Heard>>,
}

impl Workers {
    /// Starts them. `doer` is called for each.
    ///
    /// # Errors
    /// A thread that cannot be started.
    pub fn start(doer: impl Fn() -> Doer) -> anyhow::Result<Workers> {
        let (sender, heard) = channel(WAITING_RESULTS);
        let start = |thread: &Thread| {
            let mut doer = doer();
            let work = move |work: &Work, task: &Task<'_, Heard>| {
                let tell = |heard| task.report(heard);
                let last = work.run(&mut doer, &tell, &|| task.is_cancelled());
                // A sweep is often followed by one beside it.
                if work.thread() != Thread::Sweep {
                    doer.rest();
                }
                last
            };
            let broken =
                |work: &Work, panic: String| work.broken(take_panics().pop().unwrap_or(panic));
            let name = thread.name();
            Worker::spawn(name, sender.clone(), work, broken)
                .with_context(|| format!("cannot start the {name} thread"))
        };
        Ok(Workers {
            workers: Thread::ALL
                .iter()
                .map(start)
                .collect::<anyhow::Result<_>>()?,
            heard,
        })
    }

    /// Begins some work in the place of what its thread does now.
    pub fn begin(&self, work: Work) {
        self.workers[work.thread() as usize].submit(work);
    }

    /// Stops what a thread does; nothing more is heard of it.
    pub fn stop(&self, thread: Thread) {
        self.workers[thread as usize].cancel();
    }

    /// The next news that is still wanted; of work that panicked, too. Safe to drop and call again.
    pub async fn hear(&mut self) -> Heard {
        match wanted(&mut self.heard).await {
            Some(done) => done.result,
            // No thread is left, and nothing will be heard.
            None => std::future::pending().await,
        }
    }
}
