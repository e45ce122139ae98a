//! What is done off the thread of the screen: how every kind of work is done, and what is said where it fails.
//! A running explorer has a thread for every job; pictures and tests do the jobs where they stand.

use super::action::{Action, Found, Job, Message, Work};
use super::answering;
use super::building;
use super::doctoring::{self, Told};
use super::engine::{self, Engine};
use super::failures::{self, SearchNews};
use super::opening::{self, Opened, Opener};
use super::pins::{self, Pinned};
use super::repairing;
use super::scene::Request;
use super::scoring::{self, Unscored};
use super::sweep::{self, Swept};
use super::terminal::take_panics;
use super::trials::{self, Half};
use super::worker::{Done, Task, WAITING_RESULTS, Worker, wanted};
use crate::index::Index;
use crate::layers::LayerKind;
use crate::retrieve::Retriever;
use anyhow::Context;
use std::sync::Arc;
use tokio::sync::mpsc::{Receiver, channel};

/// Every job, and the name of its thread, in the order of [`Job`].
const JOBS: [(Job, &str); 13] = [
    (Job::Answers, "retrieval"),
    (Job::Searches, "search"),
    (Job::Looks, "look"),
    (Job::Opens, "open"),
    (Job::Builds, "build"),
    (Job::Sweeps, "sweep"),
    (Job::Hunts, "hunt"),
    (Job::Repairs, "repairs"),
    (Job::Trials, "methods"),
    (Job::Pins, "pins"),
    (Job::Scores, "score"),
    (Job::Replies, "answer"),
    (Job::Visits, "doctor"),
];

/// What is heard of a job.
pub enum Heard {
    Act(Action),
    /// Another index is there, under what to write for INDEX.
    Open(String, Box<Opened>),
}

impl Heard {
    fn of_opening(news: opening::News) -> Heard {
        match news {
            opening::News::At(far) => {
                let said = format!("opening: {}, Esc stops", far.done);
                Heard::Act(Action::Told(Message::plain(said)))
            }
            opening::News::Failed(said) => Heard::Act(Action::NotOpened(said)),
            opening::News::Done(argument, opened) => Heard::Open(argument, Box::new(opened)),
        }
    }
}

/// What a job needs, and remembers from one request to the next.
pub struct Doer {
    index: Arc<Index>,
    kinds: &'static [LayerKind],
    opener: Option<Opener>,
    /// How long things took is left out, and what takes as long as an evaluation.
    still: bool,
    /// Made for the first question that is answered as a whole.
    engine: Option<Engine>,
    retriever: Retriever,
    memory: scoring::Memory,
    half: Option<Half>,
}

impl Doer {
    pub fn new(index: Arc<Index>, kinds: &'static [LayerKind], opener: Option<Opener>) -> Doer {
        Doer {
            retriever: Retriever::new(index.clone()),
            index,
            kinds,
            opener,
            still: false,
            engine: None,
            memory: scoring::Memory::default(),
            half: None,
        }
    }

    /// For pictures and snapshots, which must not depend on how fast this machine is.
    pub fn still(self) -> Doer {
        Doer {
            still: true,
            ..self
        }
    }

    fn engine(&mut self) -> &mut Engine {
        self.engine.get_or_insert_with(|| {
            let engine = Engine::new(self.index.clone());
            match self.still {
                true => engine.untimed(),
                false => engine,
            }
        })
    }

    /// Does some work, and tells how far it is. What comes of it is given back; nothing where all was told, or where it was
    /// stopped.
    pub fn work(
        &mut self,
        work: &Work,
        tell: &(dyn Fn(Action) + Sync),
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Option<Heard> {
        let index = self.index.clone();
        Some(Heard::Act(match work {
            Work::Ask(request) => match self.engine().answer(request) {
                Ok(answer) => Action::Answered(Box::new(answer)),
                Err(error) => Action::Failed(request.generation, error.to_string()),
            },
            Work::Search(search, settings) => {
                Action::Found(engine::search(&index, search, settings, cancelled))
            }
            Work::Look(typed) => Action::Looked(opening::look(typed)),
            Work::OpenIndex(typed) => {
                let tell = |news| {
                    if let Heard::Act(action) = Heard::of_opening(news) {
                        tell(action);
                    }
                };
                let path = opening::path_of(typed);
                let news = opening::open(self.opener.as_ref()?, &path, &tell, cancelled);
                return Some(Heard::of_opening(news));
            }
            Work::Build(layer, settings) => {
                let tell = |news| tell(Action::Building(news));
                let news = building::build(&index, self.kinds, layer, settings, &tell, cancelled);
                Action::Building(news)
            }
            Work::Sweep(request) => {
                for at in sweep::order(request)
                    .into_iter()
                    .take_while(|_| !cancelled())
                {
                    tell(Action::Swept(sweep::tried(
                        &mut self.retriever,
                        request,
                        at,
                    )));
                }
                return None;
            }
            Work::FailureSearch(hunt) => {
                let tell = |news| tell(Action::Sighted(news));
                let found = failures::hunt(&mut self.retriever, &index, hunt, &tell, cancelled);
                Action::Sighted(found)
            }
            Work::Repair(search) => {
                let tell = |news| tell(Action::Repaired(news));
                let news = repairing::search(&mut self.retriever, &index, search, &tell, cancelled);
                Action::Repaired(news)
            }
            Work::Try(trial) => {
                let still = self.still;
                let tell = |mut heard| {
                    if let (true, trials::Heard::Question(tried)) = (still, &mut heard) {
                        tried.seconds = 0.0;
                    }
                    tell(Action::Tried(heard));
                };
                trials::run(&mut self.retriever, trial, &tell, cancelled);
                if !still {
                    let (retriever, half) = (&mut self.retriever, &mut self.half);
                    trials::ask_set(retriever, trial, half, &tell, cancelled);
                }
                Action::Tried(trials::Heard::Over(trial.generation))
            }
            Work::AskPins(asking) => {
                Action::Pinned(Box::new(pins::ask(self.engine(), asking, cancelled)?))
            }
            Work::Score(request) => {
                let tell = |score| tell(Action::Scored(Ok(score)));
                let (retriever, memory) = (&mut self.retriever, &mut self.memory);
                let score = scoring::score(retriever, &index, memory, request, &tell, cancelled);
                Action::Scored(score?)
            }
            Work::Inquire(inquiry) => {
                let news = answering::inquire(&mut self.retriever, &index, inquiry, cancelled);
                Action::Replied(Box::new(news))
            }
            Work::Doctor(visit) => {
                let tell = |news| tell(Action::Doctored(news));
                Action::Doctored(doctoring::visit(&index, visit, &tell, cancelled))
            }
        }))
    }

    /// Forgets what only the work that is done needed: most jobs rest most of the time, and graphs are large.
    fn rest(&mut self, work: &Work) {
        if !matches!(work, Work::Sweep(_)) {
            self.retriever = Retriever::new(self.index.clone());
        }
    }
}

/// What is said of work that panicked: whatever waits for it must not wait for ever.
pub fn broken(work: &Work, said: String) -> Action {
    match work {
        Work::Ask(request) => Action::Failed(request.generation, said),
        Work::Search(search, _) => Action::Found(Found {
            search: search.clone(),
            matches: Err(said),
        }),
        Work::OpenIndex(_) => Action::NotOpened(said),
        Work::Build(..) => Action::Building(building::News::Failed(said)),
        Work::Sweep(request) => Action::Swept(Swept {
            generation: request.generation,
            at: usize::MAX,
            column: Err(said),
        }),
        Work::FailureSearch(hunt) => Action::Sighted(SearchNews {
            generation: hunt.generation,
            tried: 0,
            of: hunt.order.len(),
            found: failures::Found::Failed(said),
        }),
        Work::Repair(search) => Action::Repaired(repairing::News {
            generation: search.generation,
            repairs: Err(said),
            done: true,
            prices: Vec::new(),
            over: true,
        }),
        Work::AskPins(asking) => {
            let one = |(at, request): &(usize, Request)| {
                (*at, request.question.clone(), Err(said.clone()))
            };
            Action::Pinned(Box::new(Pinned {
                generation: asking.generation,
                answers: asking.requests.iter().map(one).collect(),
                subsets: None,
            }))
        }
        Work::Score(scoring) => Action::Scored(Err(Unscored {
            generation: scoring.generation,
            why: said,
        })),
        Work::Inquire(inquiry) => Action::Replied(Box::new(answering::News {
            generation: inquiry.generation,
            told: Some(Err(said)),
        })),
        Work::Doctor(visit) => Action::Doctored(doctoring::News {
            generation: visit.generation,
            told: Told::Failed(said),
        }),
        Work::Try(trial) => Action::Tried(trials::Heard::Broke(trial.generation, said)),
        Work::Look(_) => Action::Told(Message::error(said)),
    }
}

/// The threads of a running explorer, in the order of `JOBS`.
pub struct Workers {
    workers: Vec<Worker<Work>>,
    heard: Receiver<Done<Option<Heard>>>,
}

impl Workers {
    /// Starts them. `doer` is called for each.
    ///
    /// # Errors
    /// A thread that cannot be started.
    pub fn start(doer: impl Fn() -> Doer) -> anyhow::Result<Workers> {
        let (sender, heard) = channel(WAITING_RESULTS);
        let start = |&(_, name): &(Job, &str)| {
            let mut doer = doer();
            let work = move |work: &Work, task: &Task<'_, Option<Heard>>| {
                let tell = |action| task.report(Some(Heard::Act(action)));
                let done = doer.work(work, &tell, &|| task.is_cancelled());
                doer.rest(work);
                done
            };
            let broken = |work: &Work, panic: String| {
                let said = take_panics().pop().unwrap_or(panic);
                Some(Heard::Act(broken(work, said)))
            };
            Worker::spawn(name, sender.clone(), work, broken)
                .with_context(|| format!("cannot start the {name} thread"))
        };
        Ok(Workers {
            workers: JOBS.iter().map(start).collect::<anyhow::Result<_>>()?,
            heard,
        })
    }

    /// Begins some work in the place of what its job does now.
    pub fn begin(&self, work: Work) {
        self.workers[work.job() as usize].submit(work);
    }

    /// Stops what a job does; nothing more is heard of it.
    pub fn stop(&self, job: Job) {
        self.workers[job as usize].cancel();
    }

    /// The next thing that is heard and still wanted; of one that panicked what it broke, too. None is heard of what ended
    /// without a word. Safe to drop and call again.
    pub async fn hear(&mut self) -> Option<Heard> {
        match wanted(&mut self.heard).await {
            Some(done) => done.result,
            // No thread is left, and nothing will be heard.
            None => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_lies_where_its_number_says() {
        for (at, (job, _)) in JOBS.iter().enumerate() {
            assert_eq!(*job as usize, at);
        }
    }
}
