//! What somebody holds open of an index, for whoever asks for the same: of the many that ask one index, none opens again
//! what another has open.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

type Held = (Box<dyn Any + Send>, Weak<dyn Any + Send + Sync>);

/// Values by what they were made of, for as long as somebody holds them.
#[derive(Default)]
pub struct Opened(Mutex<Vec<Held>>);

impl Opened {
    /// What somebody holds of this key.
    pub fn find<K: PartialEq + 'static, T: Send + Sync + 'static>(
        &self,
        key: &K,
    ) -> Option<Arc<T>> {
        let same = |held: &&Held| held.0.downcast_ref::<K>() == Some(key);
        let held = self.held();
        let mut known = held.iter().filter(same);
        known.find_map(|(_, value)| value.upgrade()?.downcast().ok())
    }

    /// Lets others find a value.
    pub fn tell<K: Send + 'static, T: Send + Sync + 'static>(&self, key: K, value: &Arc<T>) {
        let value = Arc::downgrade(value) as Weak<dyn Any + Send + Sync>;
        let mut held = self.held();
        held.retain(|(_, value)| value.strong_count() > 0);
        held.push((Box::new(key), value));
    }

    /// Nobody finds any more what was made before.
    pub fn forget(&self) {
        self.held().clear();
    }

    fn held(&self) -> MutexGuard<'_, Vec<Held>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
