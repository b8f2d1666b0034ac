//! Whether what is being made is still wanted.
//!
//! Planning a sweep can take seconds, its tables of signatures minutes. Loops that take long ask now and then, and
//! end early with something of no use, which whoever called them drops after asking the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends what is being made; by default nothing does.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Option<Arc<AtomicBool>>);

impl Cancel {
    /// Whether nobody wants it any more.
    #[inline]
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

impl From<&Arc<AtomicBool>> for Cancel {
    fn from(flag: &Arc<AtomicBool>) -> Self {
        Self(Some(Arc::clone(flag)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_ends_it() {
        let flag = Arc::new(AtomicBool::new(false));
        let cancel = Cancel::from(&flag);
        assert!(!cancel.is_cancelled() && !Cancel::default().is_cancelled());
        flag.store(true, Ordering::Relaxed);
        assert!(cancel.is_cancelled());
    }
}
