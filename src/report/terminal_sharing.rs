//! Sharing of the terminal between progress bars and printed lines. A line is written where the
//! bars were, and the bars are redrawn below it.

use std::cell::Cell;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget};

/// All progress bars of this process, on standard error.
static PROGRESS_BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Number of progress bars that are visible now.
static VISIBLE_BARS: AtomicUsize = AtomicUsize::new(0);

/// A progress bar that is visible until dropped.
#[derive(Debug)]
pub struct VisibleBar(ProgressBar);

impl VisibleBar {
    /// Shows `bar` below the progress bars that are already visible.
    pub fn new(bar: ProgressBar) -> Self {
        VISIBLE_BARS.fetch_add(1, Ordering::Relaxed);
        Self(PROGRESS_BARS.add(bar))
    }
}

impl std::ops::Deref for VisibleBar {
    type Target = ProgressBar;

    fn deref(&self) -> &ProgressBar {
        &self.0
    }
}

impl Drop for VisibleBar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
        PROGRESS_BARS.remove(&self.0);
        VISIBLE_BARS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Removes all bars, and shows no others, because the process is about to end.
pub fn remove_bars() {
    if VISIBLE_BARS.load(Ordering::Relaxed) > 0 {
        let _ = PROGRESS_BARS.clear();
        PROGRESS_BARS.set_draw_target(ProgressDrawTarget::hidden());
    }
}

thread_local! {
    /// True if this thread has hidden the bars.
    static HIDES_BARS: Cell<bool> = const { Cell::new(false) };
}

/// Calls `write`, which may write to the terminal, while all bars are hidden. Calls may be nested.
pub fn with_bars_hidden<T>(write: impl FnOnce() -> T) -> T {
    if VISIBLE_BARS.load(Ordering::Relaxed) == 0 || HIDES_BARS.get() {
        return write();
    }
    HIDES_BARS.set(true);
    let done = PROGRESS_BARS.suspend(write);
    HIDES_BARS.set(false);
    done
}
