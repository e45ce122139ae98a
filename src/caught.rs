//! Panics of a library that reads damaged bytes: they end as an error, and nothing is printed of them.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static WITHIN: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread runs what may panic: a hook is silent then.
pub fn within() -> bool {
    WITHIN.get()
}

/// What `work` returns; none where it panics.
pub fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = take_hook();
        set_hook(Box::new(move |info| {
            if !within() {
                previous(info);
            }
        }));
    });
    let outer = WITHIN.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    WITHIN.set(outer);
    done.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_none_and_the_thread_is_as_it_was() {
        assert_eq!(caught(|| 1), Some(1));
        let panics = || -> usize { Vec::<usize>::new()[std::hint::black_box(1)] };
        assert_eq!(caught(|| (caught(panics), within())), Some((None, true)));
        assert!(!within());
    }
}
