//! The terminal that bars and lines share: a line is written where the bars were, and they come back below it.

use std::cell::Cell;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use indicatif::{MultiProgress, ProgressBar};

/// All bars of this process, on standard error.
static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// How many of them are shown.
static SHOWN: AtomicUsize = AtomicUsize::new(0);

/// A bar that is shown until dropped.
#[derive(Debug)]
pub struct Shown(ProgressBar);

impl Shown {
    /// Shows a bar below those that are there.
    pub fn new(bar: ProgressBar) -> Self {
        SHOWN.fetch_add(1, Ordering::Relaxed);
        Self(BARS.add(bar))
    }
}

impl std::ops::Deref for Shown {
    type Target = ProgressBar;

    fn deref(&self) -> &ProgressBar {
        &self.0
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.0.finish_and_clear();
        BARS.remove(&self.0);
        SHOWN.fetch_sub(1, Ordering::Relaxed);
    }
}

thread_local! {
    /// Whether this thread has taken the bars away.
    static IS_ASIDE: Cell<bool> = const { Cell::new(false) };
}

/// Does something that may write to the terminal, while no bar is there. What is done may call this as well.
pub fn aside<T>(write: impl FnOnce() -> T) -> T {
    if SHOWN.load(Ordering::Relaxed) == 0 || IS_ASIDE.get() {
        return write();
    }
    IS_ASIDE.set(true);
    let done = BARS.suspend(write);
    IS_ASIDE.set(false);
    done
}
