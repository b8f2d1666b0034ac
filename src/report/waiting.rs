//! Progress of work whose end cannot be estimated: the elapsed time, the current activity, and the number of
//! results.
//!
//! Nothing is shown in the first half second. A log gets a line for each activity that takes longer than two
//! seconds, and one every 30 seconds.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::progress::ProgressMode;
use super::say;
use super::screen::{Shown, aside};

const DELAY: Duration = Duration::from_millis(500);
const TICK: Duration = Duration::from_millis(200);
const LINE_INTERVAL: Duration = Duration::from_secs(30);
/// Time after which an activity is logged.
const LONG: Duration = Duration::from_secs(2);

/// The current activity, empty if there is no particular one.
type What = Arc<Mutex<&'static str>>;

/// Shows the progress of a search until dropped.
#[derive(Debug)]
pub struct Waiting {
    found: Arc<AtomicU64>,
    what: What,
    display: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Waiting {
    /// Starts to show the progress of a search for `target` tours.
    #[must_use]
    pub fn start(mode: ProgressMode, name: String, wanted: u64) -> Self {
        let (found, what) = (Arc::new(AtomicU64::new(0)), What::default());
        let is_bar = match mode {
            ProgressMode::None => return Self { found, what, display: None },
            ProgressMode::Auto => std::io::stderr().is_terminal(),
            ProgressMode::Bar => true,
            ProgressMode::Plain => false,
        };
        let (stop, stopped) = channel::<()>();
        let (counter, began) = (Arc::clone(&found), Instant::now());
        let looked_at = Arc::clone(&what);
        let text = move |what| line(&name, what, began.elapsed(), counter.load(Ordering::Relaxed), wanted);
        let thread = std::thread::spawn(move || {
            let wait = |time| stopped.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
            if !is_bar {
                let mut log = Log::new(began);
                while wait(TICK) {
                    let what = now(&looked_at);
                    if log.is_worth_a_line(what, Instant::now()) {
                        say(&format!("ktour: {}\n", text(what)));
                    }
                }
                return;
            }
            if wait(DELAY) {
                let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
                bar.set_style(
                    ProgressStyle::with_template("{spinner} {wide_msg}").expect("the template is valid"),
                );
                let bar = Shown::new(bar);
                bar.set_message(text(now(&looked_at)));
                while wait(TICK) {
                    bar.set_message(text(now(&looked_at)));
                    bar.tick();
                }
            }
        });
        Self { found, what, display: Some((stop, thread)) }
    }

    /// Sets the current activity.
    pub fn looks_at(&self, what: &'static str) {
        *self.what.lock().unwrap_or_else(PoisonError::into_inner) = what;
    }

    /// Adds one result, and calls `and`, which may write the result to the terminal.
    pub fn found<T>(&self, and: impl FnOnce() -> T) -> T {
        self.found.fetch_add(1, Ordering::Relaxed);
        aside(and)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.display.take() {
            drop(stop);
            let _ = thread.join();
        }
    }
}

fn now(what: &What) -> &'static str {
    *what.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Decides when a line is logged.
struct Log {
    /// The current activity, when it started, and whether it was logged.
    what: &'static str,
    since: Instant,
    is_told: bool,
    /// When the last line was logged.
    last: Instant,
}

impl Log {
    const fn new(began: Instant) -> Self {
        Self { what: "", since: began, is_told: true, last: began }
    }

    /// Returns true if a line is due at the time `now`.
    fn is_worth_a_line(&mut self, what: &'static str, now: Instant) -> bool {
        if what != self.what {
            (self.what, self.since, self.is_told) = (what, now, what.is_empty());
        }
        let is_long = !self.is_told && now - self.since >= LONG;
        let is_due = is_long || now - self.last >= LINE_INTERVAL;
        if is_due {
            (self.is_told, self.last) = (true, now);
        }
        is_due
    }
}

fn line(name: &str, what: &str, elapsed: Duration, found: u64, wanted: u64) -> String {
    let time = HumanDuration(elapsed);
    let what = if what.is_empty() { String::new() } else { format!("{what}, ") };
    if wanted == 1 {
        format!("{name}: {what}{time} so far")
    } else {
        format!("{name}: {found} of {wanted} tours, {what}{time} so far")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_is_found() {
        let minute = Duration::from_secs(61);
        assert_eq!(line("8x8 closed", "", minute, 0, 1), "8x8 closed: 61 seconds so far");
        assert_eq!(line("8x8 closed", "", minute, 3, 12), "8x8 closed: 3 of 12 tours, 61 seconds so far");
        assert_eq!(line("estimate 8x8", "a sweep", minute, 0, 1), "estimate 8x8: a sweep, 61 seconds so far");
        let waiting = Waiting::start(ProgressMode::None, "x".to_owned(), 2);
        assert_eq!(waiting.found(|| 7), 7);
    }
    #[test]
    fn a_log_is_told_what_is_looked_at_for_long() {
        let began = Instant::now();
        let mut log = Log::new(began);
        let mut told = |what, seconds| log.is_worth_a_line(what, began + Duration::from_secs(seconds));
        assert!(!told("", 3) && !told("a search", 4) && !told("a search", 5));
        assert!(told("a search", 6) && !told("a search", 35), "once");
        assert!(!told("an index", 35) && told("an index", 37));
        assert!(!told("", 66) && told("", 67), "every half minute");
    }
}
