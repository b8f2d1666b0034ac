//! Progress on standard error: a bar on a terminal, a line every 30 seconds in a log.
//!
//! A thread of its own reads the run's [`Control`]; the workers never wait for the
//! terminal. Nothing is shown of a run that takes less than half a second.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use ktour::control::{Control, Reading, SweepReading};

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgressMode {
    /// A bar on a terminal, plain lines otherwise.
    Auto,
    /// A bar.
    Bar,
    /// A line every 30 seconds.
    Plain,
    /// Nothing.
    None,
}

const BAR_INTERVAL: Duration = Duration::from_millis(200);
const BAR_DELAY: Duration = Duration::from_millis(500);
const LINE_INTERVAL: Duration = Duration::from_secs(30);
/// Steps of the bar.
const STEPS: u64 = 10_000;

/// Shows progress until dropped.
#[derive(Debug)]
pub struct Progress {
    control: Control,
    display: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Starts to show the progress of a run called `name`; what it reports to is `control`.
    #[must_use]
    pub fn start(mode: ProgressMode, name: String, control: Control) -> Self {
        let bar = match mode {
            ProgressMode::None => return Self { control, display: None },
            ProgressMode::Auto => std::io::stderr().is_terminal(),
            ProgressMode::Bar => true,
            ProgressMode::Plain => false,
        };
        let control = control.watched();
        let (stop, stopped) = channel::<()>();
        let shared = control.clone();
        // Named, so that its share of the time can be told.
        let thread = std::thread::Builder::new().name("progress".to_owned()).spawn(move || {
            let wait = |time: Duration| stopped.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
            if bar {
                if wait(BAR_DELAY) {
                    show_bar(&shared, name, wait);
                }
            } else {
                while wait(LINE_INTERVAL) {
                    // Standard error may be closed; progress is not worth failing for.
                    let _ = writeln!(std::io::stderr(), "ktour: {name}: {}", line(&shared.reading()));
                }
            }
        });
        // Without a thread to spare nothing is shown.
        Self { control, display: thread.ok().map(|thread| (stop, thread)) }
    }

    /// What the run reports to.
    #[must_use]
    pub fn control(&self) -> &Control {
        &self.control
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.display.take() {
            drop(stop);
            let _ = thread.join();
        }
    }
}

fn show_bar(control: &Control, name: String, mut wait: impl FnMut(Duration) -> bool) {
    let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
    let style =
        ProgressStyle::with_template("{prefix} [{bar:30}] {msg}").expect("the template is well formed");
    bar.set_style(style.progress_chars("=> "));
    bar.set_prefix(name);
    let mut ticks = Instant::now();
    loop {
        let reading = control.reading();
        bar.set_position((part(&reading) * STEPS as f64) as u64);
        bar.set_message(line(&reading));
        if ticks.elapsed() > Duration::from_secs(1) {
            bar.tick();
            ticks = Instant::now();
        }
        if !wait(BAR_INTERVAL) {
            break;
        }
    }
    bar.finish_and_clear();
}

/// Part done; of a sweep's steps the middle ones are the longest, which this leaves out of account.
fn part(reading: &Reading) -> f64 {
    match reading.sweep {
        Some(SweepReading { step, steps, .. }) if reading.units > 0 => {
            let done = reading.units_done as f64 + step as f64 / steps as f64;
            (done / reading.units as f64).min(1.0)
        }
        _ => reading.fraction,
    }
}

/// Part done, tours so far, time left.
fn line(reading: &Reading) -> String {
    if let Some(sweep) = reading.sweep {
        let SweepReading { step, steps, states, bytes, .. } = sweep;
        let which = if reading.units > 1 {
            format!("sweep {} of {}, ", (reading.units_done + 1).min(reading.units), reading.units)
        } else {
            String::new()
        };
        return format!("{which}square {step} of {steps}, {states} states, {}", HumanBytes(bytes));
    }
    let left = match reading.seconds_left() {
        Some(seconds) if reading.seconds > 0.5 && seconds.is_finite() && seconds < 1e12 => {
            format!(", {} left", HumanDuration(Duration::from_secs_f64(seconds)))
        }
        _ => String::new(),
    };
    format!(
        "{:.1} %, {} of {} units, {} tours{left}",
        reading.fraction * 100.0,
        reading.units_done,
        reading.units,
        reading.tours
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_it_is() {
        let mut reading = Reading::default();
        (reading.units_done, reading.units, reading.nodes, reading.tours) = (5, 20, 9, 1234);
        (reading.fraction, reading.seconds) = (0.25, 10.0);
        assert_eq!(line(&reading), "25.0 %, 5 of 20 units, 1234 tours, 30 seconds left");
        reading.fraction = 0.0;
        assert_eq!(line(&reading), "0.0 %, 5 of 20 units, 1234 tours");
    }
}
