//! Progress of what cannot be foretold: how long it has taken, and what has been found.
//!
//! Nothing is shown in the first half second.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::progress::ProgressMode;

const DELAY: Duration = Duration::from_millis(500);
const TICK: Duration = Duration::from_millis(200);
const LINE_INTERVAL: Duration = Duration::from_secs(30);

/// Shows progress until dropped.
#[derive(Debug)]
pub struct Waiting {
    bar: ProgressBar,
    found: Arc<AtomicU64>,
    display: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Waiting {
    /// Starts to show how the search for so many tours goes on.
    #[must_use]
    pub fn start(mode: ProgressMode, name: String, wanted: u64) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let found = Arc::new(AtomicU64::new(0));
        let is_bar = match mode {
            ProgressMode::None => return Self { bar, found, display: None },
            ProgressMode::Auto => std::io::stderr().is_terminal(),
            ProgressMode::Bar => true,
            ProgressMode::Plain => false,
        };
        let (stop, stopped) = channel::<()>();
        let (own, counter, began) = (bar.clone(), Arc::clone(&found), Instant::now());
        let text = move || line(&name, began.elapsed(), counter.load(Ordering::Relaxed), wanted);
        let thread = std::thread::spawn(move || {
            let wait = |time| stopped.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
            if !is_bar {
                while wait(LINE_INTERVAL) {
                    // Standard error may be closed; progress is not worth failing for.
                    let _ = writeln!(std::io::stderr(), "ktour: {}", text());
                }
                return;
            }
            if wait(DELAY) {
                own.set_style(ProgressStyle::with_template("{spinner} {msg}").expect("it is well formed"));
                own.set_draw_target(ProgressDrawTarget::stderr());
                own.set_message(text());
                while wait(TICK) {
                    own.set_message(text());
                    own.tick();
                }
            }
            own.finish_and_clear();
        });
        Self { bar, found, display: Some((stop, thread)) }
    }

    /// One more is found; what is done with it may be written to the same terminal.
    pub fn found<T>(&self, and: impl FnOnce() -> T) -> T {
        self.found.fetch_add(1, Ordering::Relaxed);
        self.bar.suspend(and)
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

fn line(name: &str, elapsed: Duration, found: u64, wanted: u64) -> String {
    let time = HumanDuration(elapsed);
    if wanted == 1 { format!("{name}: {time}") } else { format!("{name}: {found} of {wanted} tours, {time}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_is_found() {
        let minute = Duration::from_secs(61);
        assert_eq!(line("8x8 closed", minute, 0, 1), "8x8 closed: 61 seconds");
        assert_eq!(line("8x8 closed", minute, 3, 12), "8x8 closed: 3 of 12 tours, 61 seconds");
        let waiting = Waiting::start(ProgressMode::None, "x".to_owned(), 2);
        assert_eq!(waiting.found(|| 7), 7);
    }
}
