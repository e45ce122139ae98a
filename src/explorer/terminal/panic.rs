//! What happens to the terminal when something panics.
//!
//! The thread that owns the screen is the program: the terminal is given back, and then the panic is printed as usual. A
//! background thread is not: the explorer goes on, so its message is kept for the message line instead of being printed
//! across the screen (sivtr#72).

use std::panic::{PanicHookInfo, set_hook, take_hook};
use std::sync::{Mutex, Once, PoisonError};

use super::{is_owner, is_taken, restore};
use crate::caught::within;
use crate::explorer::worker::panic_message;

/// Messages of background threads, oldest first. A thread that panics in a loop must not fill the memory.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());
const KEPT: usize = 32;

/// Installs the hook, once per process. The hook that was there before is called after it.
pub fn install_panic_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = take_hook();
        set_hook(Box::new(move |info| {
            if within() {
                return;
            }
            if is_taken() && !is_owner() {
                keep(describe(info));
                return;
            }
            if is_owner() {
                restore();
            }
            previous(info);
        }));
    });
}

/// The panics of background threads since the last call.
pub fn take_panics() -> Vec<String> {
    let mut panics = PANICS.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::take(&mut *panics)
}

fn keep(message: String) {
    let mut panics = PANICS.lock().unwrap_or_else(PoisonError::into_inner);
    if panics.len() < KEPT {
        panics.push(message);
    }
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("a thread");
    let place = info
        .location()
        .map(|at| format!(" at {}:{}", at.file(), at.line()))
        .unwrap_or_default();
    format!(
        "internal error in {name}{place}: {}",
        panic_message(info.payload())
    )
}
