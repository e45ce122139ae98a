//! Work that must not stop the screen: one thread, one waiting request, and the newest wins. Workers that serve one screen
//! send their results through one channel.
//!
//! Dragging a slider asks for a result per step. Only the last one matters, so a request that has not begun is replaced
//! by a newer one, and a result that is older than the newest request is dropped (gitui's one-slot job and helix's
//! generations). The one that is running is told to stop through [`Task::is_cancelled`].

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender};

/// Results of all workers that may wait for the screen. More would only be older news.
pub const WAITING_RESULTS: usize = 32;

/// How often a worker with a full channel looks whether its result is still wanted.
const FULL_CHANNEL_PAUSE: Duration = Duration::from_millis(2);

/// Counts requests; the highest number is the only one whose result is wanted.
pub type Generation = u64;

/// Tells long work whether its result is still wanted. Cheap to ask: one atomic load.
#[derive(Debug, Clone)]
pub struct Cancel {
    newest: Arc<AtomicU64>,
    own: Generation,
}

impl Cancel {
    /// Whether a newer request has been made, or the worker is going away.
    pub fn is_cancelled(&self) -> bool {
        self.newest.load(Ordering::Acquire) != self.own
    }
}

/// What a running piece of work can ask and say.
#[derive(Debug)]
pub struct Task<'a, Res> {
    cancel: Cancel,
    results: &'a Sender<Done<Res>>,
}

impl<Res> Task<'_, Res> {
    /// Whether to stop: the result would be thrown away.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Sends a partial result. Waits while the channel is full, so that a slow screen slows the work down.
    pub fn report(&self, partial: Res) {
        self.send(partial);
    }

    fn send(&self, result: Res) {
        let mut done = Done {
            cancel: self.cancel.clone(),
            result,
        };
        // Not a blocking send: a worker that is being dropped must not wait for a reader that will never come.
        while !self.is_cancelled() {
            match self.results.try_send(done) {
                Ok(()) | Err(TrySendError::Closed(_)) => return,
                Err(TrySendError::Full(back)) => done = back,
            }
            std::thread::sleep(FULL_CHANNEL_PAUSE);
        }
    }
}

/// A result, or a part of one.
#[derive(Debug)]
pub struct Done<Res> {
    /// Whether it is still wanted.
    cancel: Cancel,
    /// The answer, or a part of it.
    pub result: Res,
}

/// The next result that is still wanted; older ones are dropped here too, because a request can be made while its
/// predecessor's result waits in the channel. `None` only when the threads are gone. Safe to drop and call again, as in
/// `select!`.
pub async fn wanted<Res>(results: &mut Receiver<Done<Res>>) -> Option<Done<Res>> {
    loop {
        let done = results.recv().await?;
        if !done.cancel.is_cancelled() {
            return Some(done);
        }
    }
}

/// The one-slot mailbox.
#[derive(Debug)]
struct Mailbox<Req> {
    slot: Mutex<Option<(Generation, Req)>>,
    filled: Condvar,
    is_closing: AtomicBool,
}

impl<Req> Mailbox<Req> {
    /// The lock guards one plain value that is never half written, so a poisoned lock is still good.
    fn slot(&self) -> MutexGuard<'_, Option<(Generation, Req)>> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next request; `None` when the worker is closing.
    fn take(&self) -> Option<(Generation, Req)> {
        let mut slot = self.slot();
        loop {
            if self.is_closing.load(Ordering::Acquire) {
                return None;
            }
            if let Some(request) = slot.take() {
                return Some(request);
            }
            slot = self
                .filled
                .wait(slot)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A thread that answers the newest request. Dropping it cancels the work and waits for the thread.
#[derive(Debug)]
pub struct Worker<Req> {
    mailbox: Arc<Mailbox<Req>>,
    newest: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl<Req: Send + 'static> Worker<Req> {
    /// Starts the thread. The work polls [`Task::is_cancelled`] and may return anything once it is true: nobody will see
    /// it. Where it panics, the worker lives on, and what is `broken` by that is its result.
    ///
    /// # Errors
    /// A system that gives no thread.
    pub fn spawn<Res: Send + 'static>(
        name: &str,
        results: Sender<Done<Res>>,
        mut work: impl FnMut(&Req, &Task<'_, Res>) -> Res + Send + 'static,
        broken: impl Fn(&Req, String) -> Res + Send + 'static,
    ) -> std::io::Result<Self> {
        let mailbox = Arc::new(Mailbox {
            slot: Mutex::new(None),
            filled: Condvar::new(),
            is_closing: AtomicBool::new(false),
        });
        let newest = Arc::new(AtomicU64::new(0));
        let (inbox, counter, label) = (Arc::clone(&mailbox), Arc::clone(&newest), name.to_owned());
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                while let Some((generation, request)) = inbox.take() {
                    let task = Task {
                        cancel: Cancel {
                            newest: Arc::clone(&counter),
                            own: generation,
                        },
                        results: &results,
                    };
                    if task.is_cancelled() {
                        continue;
                    }
                    // The work may leave its own state half changed by a panic; it is the work's to rebuild that per
                    // request, and ours to keep the thread.
                    let result = catch_unwind(AssertUnwindSafe(|| work(&request, &task)));
                    let result = result.unwrap_or_else(|panic| {
                        let said = panic_message(panic.as_ref());
                        broken(&request, format!("internal error in {label}: {said}"))
                    });
                    task.send(result);
                }
            })?;
        Ok(Self {
            mailbox,
            newest,
            thread: Some(thread),
        })
    }

    /// Asks for a result. Replaces a request that is waiting and cancels the one that is running.
    pub fn submit(&self, request: Req) -> Generation {
        // Counted under the lock, so that of two callers the later number is also the one that stays in the slot.
        let mut slot = self.mailbox.slot();
        let generation = self.newest.fetch_add(1, Ordering::AcqRel) + 1;
        *slot = Some((generation, request));
        drop(slot);
        self.mailbox.filled.notify_one();
        generation
    }

    /// Takes back whatever was asked for; its result will not arrive.
    pub fn cancel(&self) {
        let mut slot = self.mailbox.slot();
        self.newest.fetch_add(1, Ordering::AcqRel);
        *slot = None;
    }
}

impl<Req> Drop for Worker<Req> {
    fn drop(&mut self) {
        {
            // Under the lock, so that the thread cannot look at the flag, find it clear, and then sleep past the call.
            let _slot = self.mailbox.slot();
            self.mailbox.is_closing.store(true, Ordering::Release);
            self.newest.fetch_add(1, Ordering::AcqRel);
        }
        self.mailbox.filled.notify_all();
        if let Some(thread) = self.thread.take() {
            // An error would be a panic outside the work, and there is nobody left to tell.
            let _ = thread.join();
        }
    }
}

/// The words of a panic.
pub(super) fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}

#[cfg(test)]
#[path = "worker_tests.rs"]
mod tests;
