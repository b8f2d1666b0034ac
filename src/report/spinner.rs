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
use super::terminal::{VisibleBar, with_bars_hidden};
use super::write_stderr;

const SPINNER_DELAY: Duration = Duration::from_millis(500);
const TICK_INTERVAL: Duration = Duration::from_millis(200);
const LOG_INTERVAL: Duration = Duration::from_secs(30);
/// Time after which an activity is logged.
const MIN_LOGGED_ACTIVITY: Duration = Duration::from_secs(2);

/// The current activity, empty if there is no particular one.
type Activity = Arc<Mutex<&'static str>>;

/// Shows the progress of a search until dropped.
#[derive(Debug)]
pub struct Spinner {
    results: Arc<AtomicU64>,
    activity: Activity,
    display: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Spinner {
    /// Starts to show the progress of a search for `target` tours.
    #[must_use]
    pub fn start(mode: ProgressMode, name: String, target: u64) -> Self {
        let (found, what) = (Arc::new(AtomicU64::new(0)), Activity::default());
        let is_bar = match mode {
            ProgressMode::None => return Self { results: found, activity: what, display: None },
            ProgressMode::Auto => std::io::stderr().is_terminal(),
            ProgressMode::Bar => true,
            ProgressMode::Plain => false,
        };
        let (stop, stopped) = channel::<()>();
        let (counter, began) = (Arc::clone(&found), Instant::now());
        let looked_at = Arc::clone(&what);
        let text =
            move |what| spinner_text(&name, what, began.elapsed(), counter.load(Ordering::Relaxed), target);
        let thread = std::thread::spawn(move || {
            let wait = |time| stopped.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
            if !is_bar {
                let mut log = LogSchedule::new(began);
                while wait(TICK_INTERVAL) {
                    let what = current_activity(&looked_at);
                    if log.is_line_due(what, Instant::now()) {
                        write_stderr(&format!("ktour: {}\n", text(what)));
                    }
                }
                return;
            }
            if wait(SPINNER_DELAY) {
                let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
                bar.set_style(
                    ProgressStyle::with_template("{spinner} {wide_msg}").expect("the template is valid"),
                );
                let bar = VisibleBar::new(bar);
                bar.set_message(text(current_activity(&looked_at)));
                while wait(TICK_INTERVAL) {
                    bar.set_message(text(current_activity(&looked_at)));
                    bar.tick();
                }
            }
        });
        Self { results: found, activity: what, display: Some((stop, thread)) }
    }

    /// Sets the current activity.
    pub fn set_activity(&self, what: &'static str) {
        *self.activity.lock().unwrap_or_else(PoisonError::into_inner) = what;
    }

    /// Adds one result, and calls `and`, which may write the result to the terminal.
    pub fn add_result<T>(&self, and: impl FnOnce() -> T) -> T {
        self.results.fetch_add(1, Ordering::Relaxed);
        with_bars_hidden(and)
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.display.take() {
            drop(stop);
            let _ = thread.join();
        }
    }
}

fn current_activity(what: &Activity) -> &'static str {
    *what.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Decides when a line is logged.
struct LogSchedule {
    /// The current activity, when it started, and whether it was logged.
    activity: &'static str,
    since: Instant,
    is_logged: bool,
    /// When the last line was logged.
    last_line: Instant,
}

impl LogSchedule {
    const fn new(began: Instant) -> Self {
        Self { activity: "", since: began, is_logged: true, last_line: began }
    }

    /// Returns true if a line is due at the time `now`.
    fn is_line_due(&mut self, what: &'static str, now: Instant) -> bool {
        if what != self.activity {
            (self.activity, self.since, self.is_logged) = (what, now, what.is_empty());
        }
        let is_long = !self.is_logged && now - self.since >= MIN_LOGGED_ACTIVITY;
        let is_due = is_long || now - self.last_line >= LOG_INTERVAL;
        if is_due {
            (self.is_logged, self.last_line) = (true, now);
        }
        is_due
    }
}

fn spinner_text(name: &str, what: &str, elapsed: Duration, found: u64, target: u64) -> String {
    let time = HumanDuration(elapsed);
    let what = if what.is_empty() { String::new() } else { format!("{what}, ") };
    if target == 1 {
        format!("{name}: {what}{time} so far")
    } else {
        format!("{name}: {found} of {target} tours, {what}{time} so far")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spinner_text_has_results_and_activity() {
        let minute = Duration::from_secs(61);
        assert_eq!(spinner_text("8x8 closed", "", minute, 0, 1), "8x8 closed: 61 seconds so far");
        assert_eq!(
            spinner_text("8x8 closed", "", minute, 3, 12),
            "8x8 closed: 3 of 12 tours, 61 seconds so far"
        );
        assert_eq!(
            spinner_text("estimate 8x8", "a sweep", minute, 0, 1),
            "estimate 8x8: a sweep, 61 seconds so far"
        );
        let waiting = Spinner::start(ProgressMode::None, "x".to_owned(), 2);
        assert_eq!(waiting.add_result(|| 7), 7);
    }
    #[test]
    fn log_has_long_activities_and_half_minutes() {
        let began = Instant::now();
        let mut log = LogSchedule::new(began);
        let mut told = |what, seconds| log.is_line_due(what, began + Duration::from_secs(seconds));
        assert!(!told("", 3) && !told("a search", 4) && !told("a search", 5));
        assert!(told("a search", 6) && !told("a search", 35), "once");
        assert!(!told("an index", 35) && told("an index", 37));
        assert!(!told("", 66) && told("", 67), "every half minute");
    }
}
