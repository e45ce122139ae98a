//! Work that must not stop the screen. A job is a request: its file says what it reports, how it runs, and how its news
//! changes the state. Of one job the newest request alone is wanted. The worker drops the news of older ones, so the state
//! counts no requests.

pub(crate) mod ask;
pub mod build;
pub mod doctor;
pub mod hunt;
pub mod learn;
pub(crate) mod look;
pub mod open;
pub mod pins;
pub(crate) mod repair;
pub mod reply;
pub mod score;
pub(crate) mod search;
pub(crate) mod sweep;
pub mod trials;

use super::action::{Effect, Message};
use super::engine::Engine;
use super::scene::Request;
use super::state::State;
use crate::index::{Index, Progress, Step};
use crate::layers::LayerKind;
use crate::retrieve::Retriever;
use open::Opener;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use trials::Half;

/// Why a job does nothing with an index that lies elsewhere.
const COPY: &str = "needs the whole index; make a copy: hopscope index ADDRESS --out DIR";

/// A request for work on a thread of its own.
pub trait Job: Listed + Clone + Debug + PartialEq + Send + 'static {
    /// A report, on the way or at the end.
    type Part: Clone + Debug + Send + 'static;
    /// The name of its thread.
    const THREAD: &'static str;
    /// Whether it reads all of an index: one that lies elsewhere has to be copied for that.
    const WHOLE: bool = false;

    /// Runs until it is done or stopped. The last report is given back, where there is one.
    ///
    /// # Errors
    /// Why there is no result, in words.
    fn run(
        &self,
        doer: &mut Doer,
        tell: &Tell<'_, Self::Part>,
    ) -> Result<Option<Self::Part>, String>;

    /// Takes in news of the newest request.
    fn heard(state: &mut State, news: News<Self>) -> Vec<Effect>;
}

/// What a job that runs can report, and ask.
pub struct Tell<'a, Part> {
    report: &'a (dyn Fn(Part) + Sync),
    stopped: &'a (dyn Fn() -> bool + Sync),
}

impl<'a, Part> Tell<'a, Part> {
    pub fn new(
        report: &'a (dyn Fn(Part) + Sync),
        stopped: &'a (dyn Fn() -> bool + Sync),
    ) -> Tell<'a, Part> {
        Tell { report, stopped }
    }

    /// Reports how far it is.
    pub fn part(&self, part: Part) {
        (self.report)(part);
    }

    /// Whether to stop: nobody waits for the result.
    pub fn stopped(&self) -> bool {
        (self.stopped)()
    }

    /// Reports a step of an index, how much of it is done, and of how much.
    pub fn progress(&'a self, part: fn(&'static str, usize, usize) -> Part) -> Watched<'a, Part> {
        Watched {
            tell: self,
            part,
            last: AtomicUsize::new(usize::MAX),
        }
    }
}

/// Reports progress a few hundred times at most.
pub struct Watched<'a, Part> {
    tell: &'a Tell<'a, Part>,
    part: fn(&'static str, usize, usize) -> Part,
    /// Hundredths told last.
    last: AtomicUsize,
}

impl<Part> Progress for Watched<'_, Part> {
    fn advance(&self, step: Step, done: usize, total: usize) -> bool {
        let hundredth = 100 * done / total.max(1);
        if self.last.swap(hundredth, Ordering::Relaxed) != hundredth {
            self.tell.part((self.part)(step.label(), done, total));
        }
        !self.tell.stopped()
    }
}

/// News of a job.
#[derive(Clone, Debug)]
pub enum News<J: Job> {
    Part(J::Part),
    /// It is done; the last report, where there is one.
    Over(Option<J::Part>),
    /// Why it gives no result. Also where its work panicked: nothing waits for ever.
    Failed(String),
}

/// How the newest request of a job stands.
#[derive(Clone, Debug, Default)]
pub enum Running<J: Job> {
    #[default]
    Never,
    Going {
        request: J,
        latest: Option<J::Part>,
    },
    /// Done or stopped.
    Over {
        request: J,
        latest: Option<J::Part>,
    },
    Failed {
        request: J,
        why: String,
    },
}

impl<J: Job> Running<J> {
    /// Begins, in the place of what is going on.
    pub fn begin(&mut self, request: J) -> Effect {
        let effect = Effect::Begin(request.clone().work());
        let latest = None;
        *self = Running::Going { request, latest };
        effect
    }

    pub fn going(&self) -> bool {
        matches!(self, Running::Going { .. })
    }

    /// The newest request.
    pub fn request(&self) -> Option<&J> {
        use Running::{Failed, Going, Never, Over};
        match self {
            Never => None,
            Going { request, .. } | Over { request, .. } | Failed { request, .. } => Some(request),
        }
    }

    /// Its last report, unless it failed.
    pub fn latest(&self) -> Option<&J::Part> {
        match self {
            Running::Going { latest, .. } | Running::Over { latest, .. } => latest.as_ref(),
            Running::Never | Running::Failed { .. } => None,
        }
    }

    /// Takes news in. False where none is awaited, as after a stop.
    #[must_use]
    pub fn hear(&mut self, news: News<J>) -> bool {
        let (request, latest) = match std::mem::take(self) {
            Running::Going { request, latest } => (request, latest),
            other => {
                *self = other;
                return false;
            }
        };
        *self = match news {
            News::Part(part) => Running::Going {
                request,
                latest: Some(part),
            },
            News::Over(part) => Running::Over {
                request,
                latest: part.or(latest),
            },
            News::Failed(why) => Running::Failed { request, why },
        };
        true
    }

    /// Stops what is going on and keeps what was reported. None where nothing is.
    pub fn stop(&mut self) -> Option<Effect> {
        self.hear(News::Over(None)).then_some(Effect::Stop(J::ID))
    }
}

/// Stops what a person waits for, one after the other. None where nothing goes on that can be stopped.
pub fn stop(state: &mut State) -> Option<Vec<Effect>> {
    let looking = state.hunting.stop();
    let looking = looking.or_else(|| state.repairing.stop());
    let looking = looking.or_else(|| state.doctoring.stop());
    let (effect, said) = looking
        .map(|effect| (effect, "index check stopped"))
        .or_else(|| Some((state.learning.stop()?, "learning stopped; nothing was kept")))
        .or_else(|| Some((state.answering.running.stop()?, "stopped asking")))
        .or_else(|| Some((state.opening.stop()?, "opening cancelled")))?;
    state.message = Message::plain(said);
    Some(vec![effect])
}

/// What a job needs, and remembers from one request to the next.
pub struct Doer {
    pub(super) index: Arc<Index>,
    pub(super) kinds: &'static [LayerKind],
    pub(super) opener: Option<Opener>,
    /// How long things took is left out, and what takes as long as an evaluation.
    pub(super) still: bool,
    /// Made for the first question that is answered as a whole.
    engine: Option<Engine>,
    pub(super) retriever: Retriever,
    pub(super) memory: score::Memory,
    pub(super) half: Option<Half>,
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
            memory: score::Memory::default(),
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

    pub(super) fn engine(&mut self) -> &mut Engine {
        self.engine.get_or_insert_with(|| {
            let engine = Engine::new(self.index.clone());
            match self.still {
                true => engine.untimed(),
                false => engine,
            }
        })
    }

    /// Forgets what only the work that is done needed: most jobs rest most of the time, and graphs are large.
    pub(super) fn rest(&mut self) {
        self.retriever = Retriever::new(self.index.clone());
    }
}

/// What the list below knows of a job.
pub trait Listed: Sized {
    const ID: Thread;
    fn work(self) -> Work;
    fn news(news: News<Self>) -> Heard
    where
        Self: Job;
}

macro_rules! jobs {
    ($($name:ident($job:ty)),+ $(,)?) => {
        /// A job to begin.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Work {
            $($name(Box<$job>)),+
        }

        /// Threads that work beside each other, one for each job.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Thread {
            $($name),+
        }

        /// News of any job.
        #[derive(Clone, Debug)]
        pub enum Heard {
            $($name(Box<News<$job>>)),+
        }

        impl Thread {
            pub const ALL: &'static [Thread] = &[$(Thread::$name),+];

            pub fn name(self) -> &'static str {
                match self {
                    $(Thread::$name => <$job as Job>::THREAD),+
                }
            }
        }

        impl Work {
            pub fn thread(&self) -> Thread {
                match self {
                    $(Work::$name(_) => Thread::$name),+
                }
            }

            /// Does it. The last news is given back.
            pub fn run(
                &self,
                doer: &mut Doer,
                tell: &(dyn Fn(Heard) + Sync),
                stopped: &(dyn Fn() -> bool + Sync),
            ) -> Heard {
                match self {
                    $(Work::$name(job) => {
                        let report = |part| tell(Listed::news(News::<$job>::Part(part)));
                        let whole = <$job as Job>::WHOLE && doer.index.source().is_some();
                        let done = match whole {
                            true => Err(COPY.to_owned()),
                            false => job.run(doer, &Tell::new(&report, stopped)),
                        };
                        Listed::news(match done {
                            Ok(last) => News::<$job>::Over(last),
                            Err(why) => News::Failed(why),
                        })
                    }),+
                }
            }

            /// The news where its work panicked.
            pub fn broken(&self, why: String) -> Heard {
                match self {
                    $(Work::$name(_) => Listed::news(News::<$job>::Failed(why))),+
                }
            }
        }

        /// News are never the same: each counts.
        impl PartialEq for Heard {
            fn eq(&self, _: &Heard) -> bool {
                false
            }
        }

        impl Heard {
            /// Takes it into the state.
            pub fn take(self, state: &mut State) -> Vec<Effect> {
                match self {
                    $(Heard::$name(news) => <$job as Job>::heard(state, *news)),+
                }
            }
        }

        $(impl Listed for $job {
            const ID: Thread = Thread::$name;

            fn work(self) -> Work {
                Work::$name(Box::new(self))
            }

            fn news(news: News<Self>) -> Heard {
                Heard::$name(Box::new(news))
            }
        })+
    };
}

jobs! {
    Ask(Request),
    Search(search::Search),
    Look(look::Look),
    Open(open::Open),
    Build(build::Build),
    Sweep(sweep::SweepRequest),
    Hunt(hunt::Hunt),
    Repair(repair::Repair),
    Try(trials::Trial),
    Pins(pins::Asking),
    Score(score::Scoring),
    Reply(reply::Inquiry),
    Doctor(doctor::Visit),
    Learn(learn::Learning),
}
