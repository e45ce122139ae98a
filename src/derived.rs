//! What is made on demand of what an index stores, and kept: a person who moves a slider to and fro does not wait again.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Things of one kind that are kept, at most.
const MOST: usize = 4;
/// Bytes that those of them may take together which nobody else holds: of a large index one takes hundreds of megabytes.
const BYTES: usize = 64 << 20;

/// What is known of its own size.
pub trait Weighed {
    /// Bytes it takes in memory.
    fn bytes(&self) -> usize;
}

/// Things by what they were made with, newest last.
pub struct Derived<K, V>(Mutex<Vec<(K, Arc<V>)>>);

impl<K, V> Default for Derived<K, V> {
    fn default() -> Derived<K, V> {
        Derived(Mutex::default())
    }
}

impl<K: PartialEq, V: Weighed> Derived<K, V> {
    /// The one of a key: kept, or made now. Nobody waits for another who makes it, as threads that help each other could
    /// then wait in a circle; of two that make it at once the first is kept.
    ///
    /// # Errors
    /// What making it says.
    pub fn get<E>(&self, key: &K, make: impl FnOnce() -> Result<Arc<V>, E>) -> Result<Arc<V>, E>
    where
        K: Clone,
    {
        let known = |kept: &[(K, Arc<V>)]| {
            let known = kept.iter().find(|(known, _)| known == key);
            known.map(|(_, value)| value.clone())
        };
        if let Some(value) = known(&self.kept()) {
            return Ok(value);
        }
        let value = make()?;
        let mut kept = self.kept();
        if let Some(value) = known(&kept) {
            return Ok(value);
        }
        let spare = |(_, value): &(K, Arc<V>)| Arc::strong_count(value) == 1;
        loop {
            let spared = kept.iter().filter(|one| spare(one));
            let bytes: usize = spared.map(|(_, value)| value.bytes()).sum();
            let first = match kept.len() >= MOST {
                true => Some(0),
                false if bytes + value.bytes() > BYTES => kept.iter().position(spare),
                false => None,
            };
            match first {
                Some(first) => drop(kept.remove(first)),
                None => break,
            }
        }
        kept.push((key.clone(), value.clone()));
        Ok(value)
    }

    fn kept(&self) -> MutexGuard<'_, Vec<(K, Arc<V>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What stands in a place; where nothing does, it is made first and put there then. A thread that works with others may begin
/// another job while it waits for them, and that may ask for the same: were the place taken, it would wait for itself.
pub fn once<T>(place: &OnceLock<T>, make: impl FnOnce() -> T) -> &T {
    place.get().unwrap_or_else(|| {
        let made = make();
        place.get_or_init(|| made)
    })
}

/// Bytes of what hands over its columns.
pub fn of_columns(columns: impl FnOnce(&mut dyn FnMut(&str, &[u8]))) -> usize {
    let mut bytes = 0;
    columns(&mut |_, column| bytes += column.len());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    impl Weighed for Vec<u8> {
        fn bytes(&self) -> usize {
            self.len()
        }
    }

    #[test]
    fn of_large_things_the_newest_is_kept_and_what_others_hold() {
        let derived = Derived::default();
        let get = |key: char, bytes: usize| {
            let Ok(value) = derived.get(&key, || Ok::<_, Infallible>(Arc::new(vec![0; bytes])));
            value
        };
        let kept = || -> String { derived.kept().iter().map(|(key, _)| *key).collect() };
        for key in ['a', 'b', 'c', 'd', 'e', 'f'] {
            get(key, 10);
        }
        assert_eq!(kept(), "cdef");
        assert_eq!(get('c', 11).len(), 10);
        let held = get('e', 0);
        get('g', BYTES);
        assert_eq!(kept(), "eg");
        drop(held);
        get('h', 10);
        assert_eq!(kept(), "h");
    }

    #[test]
    fn threads_that_help_each_other_do_not_wait_in_a_circle() {
        use rayon::prelude::*;
        use std::sync::mpsc;
        use std::time::Duration;
        let (done, finished) = mpsc::channel();
        std::thread::spawn(move || {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(8);
            let work = || {
                let pause = |_: usize| std::thread::sleep(Duration::from_micros(50));
                let make = || {
                    (0..64).into_par_iter().for_each(pause);
                    Arc::new(vec![1])
                };
                for _ in 0..20 {
                    let derived = Derived::default();
                    let places = [const { OnceLock::new() }; 3];
                    (0..32).into_par_iter().for_each(|job| {
                        let Ok(value) = derived.get(&(job % 3), || Ok::<_, Infallible>(make()));
                        assert_eq!(*value, [1]);
                        assert_eq!(**once(&places[job % 3], make), [1]);
                    });
                }
            };
            pool.build().unwrap().install(work);
            done.send(()).unwrap();
        });
        finished.recv_timeout(Duration::from_secs(60)).unwrap();
    }

    #[test]
    fn what_cannot_be_made_is_asked_for_again() {
        let derived = Derived::default();
        assert_eq!(derived.get(&0, || Err("no")), Err("no"));
        assert_eq!(
            derived.get(&0, || Ok::<_, &str>(Arc::new(vec![7]))),
            Ok(vec![7].into())
        );
    }
}
