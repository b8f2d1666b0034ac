//! Progress bars and lines share the terminal. A line is written where the bars were, and the bars are
//! redrawn below it.

use std::cell::Cell;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use indicatif::{MultiProgress, ProgressBar};

/// All progress bars of this process, on standard error.
static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Number of visible bars.
static SHOWN: AtomicUsize = AtomicUsize::new(0);

/// A progress bar that is visible until dropped.
#[derive(Debug)]
pub struct Shown(ProgressBar);

impl Shown {
    /// Shows a bar below the other ones.
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
    /// True if this thread has hidden the bars.
    static IS_ASIDE: Cell<bool> = const { Cell::new(false) };
}

/// Calls `write`, which may write to the terminal, while all bars are hidden. Calls may be nested.
pub fn aside<T>(write: impl FnOnce() -> T) -> T {
    if SHOWN.load(Ordering::Relaxed) == 0 || IS_ASIDE.get() {
        return write();
    }
    IS_ASIDE.set(true);
    let done = BARS.suspend(write);
    IS_ASIDE.set(false);
    done
}
