//! Sharing of the terminal between progress bars and printed lines. A line is written where the
//! bars were, and the bars are redrawn below it.
//!
//! # Ctrl-C
//!
//! The cursor is at the right edge of the last bar. The terminal echoes Ctrl-C as `^C`, which wraps to the next
//! line. Then the bars would be erased and redrawn one line too low, and the last one would stay. So the echo is
//! erased first, and the cursor goes up.

use std::cell::Cell;
use std::io::Write;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget};

/// All progress bars of this process, on standard error.
static PROGRESS_BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Number of progress bars that are visible now.
static VISIBLE_BARS: AtomicUsize = AtomicUsize::new(0);

/// True if the terminal has echoed a Ctrl-C since the bars were drawn.
static HAS_ECHO: AtomicBool = AtomicBool::new(false);

/// Time that the terminal takes for its echo, which may come after the signal.
const ECHO_TIME: Duration = Duration::from_millis(5);

/// Records that Ctrl-C was typed. May be called by a signal handler.
pub fn record_echo() {
    HAS_ECHO.store(true, Ordering::Relaxed);
}

/// Returns true if standard error is a terminal that can show bars: not `TERM=dumb`, whose cursor cannot move.
pub fn can_show_bars() -> bool {
    !PROGRESS_BARS.is_hidden()
}

/// Erases the echo of Ctrl-C below the bars, and moves the cursor up to the last bar.
fn erase_echo() {
    if HAS_ECHO.swap(false, Ordering::Relaxed) && can_show_bars() && stderr_echoes_signals() {
        std::thread::sleep(ECHO_TIME);
        let _ = std::io::stderr().write_all(b"\r\x1b[2K\x1b[1A");
    }
}

/// Returns true if standard error is a terminal that echoes the keys of signals.
#[cfg(unix)]
fn stderr_echoes_signals() -> bool {
    // SAFETY: the struct has only numbers, so zeros are valid, and tcgetattr only fills it.
    unsafe {
        let mut settings: libc::termios = std::mem::zeroed();
        let needed = libc::ECHO | libc::ECHOCTL;
        libc::tcgetattr(libc::STDERR_FILENO, &raw mut settings) == 0 && settings.c_lflag & needed == needed
    }
}

#[cfg(not(unix))]
const fn stderr_echoes_signals() -> bool {
    false
}

/// A progress bar that is visible until dropped.
#[derive(Debug)]
pub struct VisibleBar(ProgressBar);

impl VisibleBar {
    /// Shows `bar` below the progress bars that are already visible.
    pub fn new(bar: ProgressBar) -> Self {
        if VISIBLE_BARS.fetch_add(1, Ordering::Relaxed) == 0 {
            HAS_ECHO.store(false, Ordering::Relaxed);
        }
        Self(PROGRESS_BARS.add(bar))
    }

    /// Makes the next drawing erase the bar, and not the echo of a Ctrl-C below it.
    pub fn prepare_drawing(&self) {
        erase_echo();
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
        erase_echo();
        self.0.finish_and_clear();
        PROGRESS_BARS.remove(&self.0);
        VISIBLE_BARS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Removes all bars, and shows no others, because the process is about to end.
pub fn remove_bars() {
    if VISIBLE_BARS.load(Ordering::Relaxed) > 0 {
        erase_echo();
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
    erase_echo();
    let done = PROGRESS_BARS.suspend(write);
    HIDES_BARS.set(false);
    done
}
