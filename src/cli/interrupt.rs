//! Ctrl-C during long work: the first asks it to stop and clean up, the second ends the program. The same of SIGTERM, and
//! of a terminal that goes away.

#[cfg(unix)]
use crate::mapped::ignores;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
#[cfg(unix)]
use std::time::Duration;
#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// How long it may take to stop where nobody is there any more to ask for it again.
#[cfg(unix)]
const ALONE: Duration = Duration::from_secs(30);

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static WATCHED: Once = Once::new();

/// Whether ctrl-C has been pressed, or another end was asked for, since [`watch`].
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Listens for ctrl-C, SIGTERM and SIGHUP on a thread of its own, from now until the program ends; once, however often it is
/// called.
pub fn watch() {
    WATCHED.call_once(listen);
}

fn listen() {
    let (begun, begins) = channel::<()>();
    std::thread::spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
        else {
            return;
        };
        runtime.block_on(async {
            let Ok(mut signals) = Signals::listen() else {
                return;
            };
            drop(begun);
            while let Some(asked) = signals.next().await {
                let before = INTERRUPTED.swap(true, Ordering::Relaxed);
                match asked {
                    Asked::ToEnd if before => std::process::exit(130),
                    Asked::ToEnd => {}
                    #[cfg(unix)]
                    Asked::HungUp => drop(tokio::spawn(async {
                        tokio::time::sleep(ALONE).await;
                        std::process::exit(130);
                    })),
                }
            }
        });
    });
    // Nothing is begun that a signal would leave lying about. An error means that one can be heard.
    let _ = begins.recv();
}

/// What was heard.
enum Asked {
    /// Somebody wants the program to end, and may say so again.
    ToEnd,
    /// The terminal went away: the system says so, and often the shell besides.
    #[cfg(unix)]
    HungUp,
}

#[cfg(unix)]
struct Signals {
    interrupt: Signal,
    terminate: Signal,
    /// None where the program is to outlive its terminal, as under `nohup`.
    hang_up: Option<Signal>,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> std::io::Result<Signals> {
        let hang_up = SignalKind::hangup();
        let outlives = ignores(hang_up.as_raw_value());
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: (!outlives).then(|| signal(hang_up)).transpose()?,
        })
    }

    async fn next(&mut self) -> Option<Asked> {
        let hung_up = async {
            match &mut self.hang_up {
                Some(hang_up) => hang_up.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            heard = self.interrupt.recv() => heard.map(|()| Asked::ToEnd),
            heard = self.terminate.recv() => heard.map(|()| Asked::ToEnd),
            heard = hung_up => heard.map(|()| Asked::HungUp),
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> std::io::Result<Signals> {
        Ok(Signals)
    }

    async fn next(&mut self) -> Option<Asked> {
        let pressed = tokio::signal::ctrl_c().await;
        pressed.ok().map(|()| Asked::ToEnd)
    }
}
