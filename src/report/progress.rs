//! Progress on standard error: a bar or a spinner on a terminal, or a line every 30 seconds in a
//! log.
//!
//! A bar shows work whose end can be estimated. A spinner shows other work: the elapsed time, the
//! current activity, and the number of results. Nothing is shown in the first half second.
//!
//! A dedicated thread reads the progress from the run's [`Control`]. Workers wait for the terminal
//! only if they write to it themselves. In a log, an activity that takes longer than two seconds
//! gets a line.

use ktour::memory::format_bytes;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use ktour::control::{Control, ProgressSnapshot, SweepSnapshot};
use ktour::text_format::format_count;
use ktour::threads::{BackgroundThread, StopSignal};

use super::terminal_sharing::{VisibleBar, can_show_bars, with_bars_hidden};
use super::{Verbosity, has_verbosity, write_stderr};

/// The form in which progress is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ProgressMode {
    /// A bar on a terminal, plain lines otherwise
    #[default]
    Auto,
    /// A bar
    Bar,
    /// A line every 30 seconds
    Plain,
    /// Nothing
    None,
}

impl ProgressMode {
    /// Returns true for a bar or a spinner, false for lines, and `None` if nothing is shown.
    fn is_bar(self) -> Option<bool> {
        match self {
            _ if has_verbosity(Verbosity::Quiet) => None,
            Self::None => None,
            Self::Auto => Some(can_show_bars()),
            Self::Bar => Some(true),
            Self::Plain => Some(false),
        }
    }
}

const REDRAW_INTERVAL: Duration = Duration::from_millis(200);
const BAR_DELAY: Duration = Duration::from_millis(500);
const LINE_INTERVAL: Duration = Duration::from_secs(30);
/// Notice that is shown between a signal and the end of the run.
const STOPPING_NOTICE: &str = "stopping; press Ctrl-C again to quit at once";
/// Width of the bar in columns.
const BAR_COLUMNS: usize = 10;
/// Number of different positions of the bar, from empty to full.
const BAR_POSITIONS: u64 = 10_000;

/// A display of the progress of a run, until it is dropped.
#[derive(Debug)]
pub struct Progress {
    control: Control,
    _display: Option<BackgroundThread>,
}

/// Function that changes a progress reading before it is shown.
type AdjustReading = Box<dyn Fn(&mut ProgressSnapshot) + Send>;

impl Progress {
    /// Starts to show the progress of a run. `name` is the title of the display. The run reports
    /// its progress to `control`.
    #[must_use]
    pub fn start(mode: ProgressMode, name: String, control: Control) -> Self {
        Self::start_adjusted(mode, name, control, Box::new(|_| {}))
    }

    /// Starts to show the progress of a run like [`Progress::start`]. Each reading is passed to `adjust`
    /// before it is shown.
    #[must_use]
    pub fn start_adjusted(mode: ProgressMode, name: String, control: Control, adjust: AdjustReading) -> Self {
        let Some(is_bar) = mode.is_bar() else { return Self { control, _display: None } };
        let control = control.with_progress_reader();
        let shared = control.clone();
        let thread = BackgroundThread::try_start("progress", move |signal| {
            let current = || {
                let mut reading = shared.progress();
                adjust(&mut reading);
                let is_stopping = shared.is_cancelled();
                let parts =
                    if is_stopping { vec![STOPPING_NOTICE.to_owned()] } else { progress_parts(&reading) };
                (reading.fraction, parts)
            };
            if is_bar {
                return show_fractions(current, name, &signal);
            }
            let (mut last, mut was_stopping) = (Instant::now(), false);
            show_lines(&signal, || {
                let is_stopping = shared.is_cancelled();
                // A stop that takes a while is reported once.
                let is_due = last.elapsed() >= LINE_INTERVAL || (is_stopping && !was_stopping);
                was_stopping |= is_stopping;
                is_due.then(|| {
                    last = Instant::now();
                    format!("{name}: {}", current().1.join(", "))
                })
            });
        });
        // If the thread cannot be created, no progress is shown.
        Self { control, _display: thread.ok() }
    }

    /// Returns the control to which the run reports.
    #[must_use]
    pub fn control(&self) -> &Control {
        &self.control
    }
}

/// Shows the finished fraction as a bar, followed by the parts of a text.
fn show_fractions(current: impl Fn() -> (f64, Vec<String>), name: String, signal: &StopSignal) {
    let fixed_columns = name.chars().count() + BAR_COLUMNS + " [] ".len();
    let bar = ProgressBar::with_draw_target(Some(BAR_POSITIONS), ProgressDrawTarget::hidden());
    bar.set_prefix(name);
    let mut ticks = Instant::now();
    show_bar(signal, bar, &format!("{{prefix}} [{{bar:{BAR_COLUMNS}}}] {{wide_msg}}"), |bar| {
        let (fraction, parts) = current();
        bar.set_position((fraction * BAR_POSITIONS as f64) as u64);
        bar.set_message(join_fitting(&parts, usable_columns().saturating_sub(fixed_columns)));
        if ticks.elapsed() > Duration::from_secs(1) {
            bar.tick();
            ticks = Instant::now();
        }
    });
}

/// Shows a bar with the template `style` after a delay, and updates it by `update` now and then.
fn show_bar(signal: &StopSignal, bar: ProgressBar, style: &str, mut update: impl FnMut(&ProgressBar)) {
    if !signal.wait(BAR_DELAY) {
        return;
    }
    let style = ProgressStyle::with_template(style).expect("the template is valid");
    bar.set_style(style.progress_chars("=> "));
    let bar = VisibleBar::new(bar);
    loop {
        bar.prepare_drawing();
        update(&bar);
        if !signal.wait(REDRAW_INTERVAL) {
            break;
        }
    }
}

/// Writes the lines of a log that are due.
fn show_lines(signal: &StopSignal, mut due_line: impl FnMut() -> Option<String>) {
    while signal.wait(REDRAW_INTERVAL) {
        if let Some(line) = due_line() {
            write_stderr(&format!("ktour: {line}\n"));
        }
    }
}

/// Returns the number of columns of the terminal that a bar may use: all but the last. The terminal
/// may be resized at any time.
fn usable_columns() -> usize {
    let terminal = terminal_size::terminal_size_of(std::io::stderr()).map(|(width, _)| usize::from(width.0));
    terminal.unwrap_or(80).saturating_sub(1)
}

/// Joins the longest prefix of `parts` that fits into `max_columns` columns, so that no number is truncated. The
/// first part is always included.
fn join_fitting(parts: &[String], max_columns: usize) -> String {
    let mut line = String::new();
    for part in parts {
        let between = if line.is_empty() { "" } else { ", " };
        if !line.is_empty() && line.len() + between.len() + part.len() > max_columns {
            break;
        }
        line += between;
        line += part;
    }
    line
}

/// Returns the parts of the text next to a bar, the most important first: the finished fraction,
/// the time left, and details of the current work.
fn progress_parts(reading: &ProgressSnapshot) -> Vec<String> {
    let mut parts = vec![format!("{:.1} %", reading.fraction * 100.0)];
    match reading.seconds_left() {
        Some(left) if reading.seconds > 0.5 && left.is_finite() && left < 1e12 && !reading.is_planning => {
            parts.push(format!("{} left", format_duration(left)));
        }
        _ => {}
    }
    let is_sweep = reading.sweep.is_some() || reading.expected_seconds.is_some() || reading.is_planning;
    if is_sweep && reading.units > 1 {
        let number = (reading.units_done + 1).min(reading.units);
        parts.push(format!("sweep {number} of {}", reading.units));
    }
    match reading.sweep {
        _ if reading.is_planning => parts.push("planning".to_owned()),
        Some(SweepSnapshot { steps_done: step, steps, states, bytes, .. }) => {
            parts.push(format!("step {step} of {steps}"));
            // A step backwards through layers creates no states.
            if states > 0 {
                parts.push(format_count(format_three_digits(states), "state"));
            }
            parts.push(format_bytes(bytes));
        }
        None if is_sweep => {}
        None => {
            // The number of units is not known for a list of a limited number of tours.
            if reading.units > 0 {
                parts.push(format!("{} of {} units", reading.units_done, reading.units));
            }
            // Rounds, such as the counts of a table, report neither nodes nor tours.
            let are_rounds = reading.units_done > 0 && reading.nodes == 0;
            if !are_rounds || reading.tours > 0 {
                parts.push(format_count(reading.tours, "tour"));
            }
        }
    }
    parts
}

/// Formats a time with two significant digits where possible, in seconds, minutes, hours or days.
fn format_duration(seconds: f64) -> String {
    let (minutes, hours) = (seconds / 60.0, seconds / 3600.0);
    let of = |value: f64, unit: &str| {
        let digits = usize::from(value < 9.95);
        format!("{value:.digits$} {unit}")
    };
    match seconds.round() {
        ..100.0 => of(seconds, "seconds"),
        ..6000.0 => of(minutes, "minutes"),
        ..172_800.0 => of(hours, "hours"),
        _ => of(hours / 24.0, "days"),
    }
}

/// Formats a number with three significant digits and a unit, such as `12.3k` or `4.56M`.
fn format_three_digits(n: u64) -> String {
    let (mut value, mut unit) = (n as f64, 0);
    while value >= 999.5 {
        value /= 1000.0;
        unit += 1;
    }
    let digits = if unit == 0 || value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else {
        2
    };
    format!("{value:.digits$}{}", ["", "k", "M", "G", "T", "P", "E"][unit])
}

/// Time after which an activity gets a line in the log.
const MIN_LOGGED_ACTIVITY: Duration = Duration::from_secs(2);

/// Name of the current activity, empty if there is no particular one.
type Activity = Arc<Mutex<&'static str>>;

/// A display of the progress of a search, until it is dropped.
#[derive(Debug)]
pub struct Spinner {
    results: Arc<AtomicU64>,
    activity: Activity,
    _display: Option<BackgroundThread>,
}

impl Spinner {
    /// Starts to show the progress of a search for `target` tours. `name` is the title of the
    /// display.
    #[must_use]
    pub fn start(mode: ProgressMode, name: String, target: u64) -> Self {
        let (found, what) = (Arc::new(AtomicU64::new(0)), Activity::default());
        let Some(is_bar) = mode.is_bar() else {
            return Self { results: found, activity: what, _display: None };
        };
        let (counter, began) = (Arc::clone(&found), Instant::now());
        let looked_at = Arc::clone(&what);
        let text =
            move |what| spinner_text(&name, what, began.elapsed(), counter.load(Ordering::Relaxed), target);
        let thread = BackgroundThread::start("spinner", move |signal| {
            if is_bar {
                let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
                return show_bar(&signal, bar, "{spinner} {wide_msg}", |bar| {
                    bar.set_message(text(current_activity(&looked_at)));
                    bar.tick();
                });
            }
            let mut log = LogSchedule::new(began);
            show_lines(&signal, || {
                let what = current_activity(&looked_at);
                log.is_line_due(what, Instant::now()).then(|| text(what))
            });
        });
        Self { results: found, activity: what, _display: Some(thread) }
    }

    /// Sets the name of the current activity to `what`.
    pub fn set_activity(&self, what: &'static str) {
        *self.activity.lock().unwrap_or_else(PoisonError::into_inner) = what;
    }

    /// Adds 1 to the number of results, and returns the result of `and`. The bars are hidden during
    /// this call, so that it may write to the terminal.
    pub fn add_result<T>(&self, and: impl FnOnce() -> T) -> T {
        self.results.fetch_add(1, Ordering::Relaxed);
        with_bars_hidden(and)
    }
}

fn current_activity(what: &Activity) -> &'static str {
    *what.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The schedule by which the log gets lines.
struct LogSchedule {
    /// Name of the current activity, the time when it started, and whether it has a line in the
    /// log.
    activity: &'static str,
    since: Instant,
    is_logged: bool,
    /// Time when the last line was logged.
    last_line: Instant,
}

impl LogSchedule {
    const fn new(began: Instant) -> Self {
        Self { activity: "", since: began, is_logged: true, last_line: began }
    }

    /// Returns true if a line is due at the time `now`. `what` is the current activity.
    fn is_line_due(&mut self, what: &'static str, now: Instant) -> bool {
        if what != self.activity {
            (self.activity, self.since, self.is_logged) = (what, now, what.is_empty());
        }
        let is_long = !self.is_logged && now - self.since >= MIN_LOGGED_ACTIVITY;
        let is_due = is_long || now - self.last_line >= LINE_INTERVAL;
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

    fn line(reading: &ProgressSnapshot) -> String {
        progress_parts(reading).join(", ")
    }

    #[test]
    fn search_line_has_fraction_time_units_and_tours() {
        let mut reading = ProgressSnapshot::default();
        (reading.units_done, reading.units, reading.nodes, reading.tours) = (5, 20, 9, 1234);
        (reading.fraction, reading.seconds) = (0.25, 10.0);
        assert_eq!(line(&reading), "25.0 %, 30 seconds left, 5 of 20 units, 1234 tours");
        reading.fraction = 0.0;
        assert_eq!(line(&reading), "0.0 %, 5 of 20 units, 1234 tours");
        (reading.nodes, reading.tours) = (0, 0);
        assert_eq!(line(&reading), "0.0 %, 5 of 20 units", "rounds have no tours");
    }

    #[test]
    fn sweep_line_fits_narrow_terminal() {
        let mut reading = ProgressSnapshot::default();
        (reading.units, reading.is_planning) = (1, true);
        assert_eq!(line(&reading), "0.0 %, planning");
        (reading.is_planning, reading.expected_seconds, reading.seconds) = (false, Some(720.0), 1.0);
        assert_eq!(line(&reading), "0.0 %, 12 minutes left");
        let printed = [0.2, 59.0, 150.0, 7200.0, 1e6].map(format_duration);
        assert_eq!(printed, ["0.2 seconds", "59 seconds", "2.5 minutes", "2.0 hours", "12 days"]);
        reading.fraction = 0.421;
        let mut step = SweepSnapshot::default();
        (step.steps_done, step.steps, step.states, step.bytes) = (27, 65, 256_815_856, 4 << 30);
        reading.sweep = Some(step);
        (reading.seconds, reading.units) = (300.0, 12);
        let long = line(&reading);
        assert_eq!(long, "42.1 %, 6.9 minutes left, sweep 1 of 12, step 27 of 65, 257M states, 4.00 GiB");
        let name_width = 79 - "10x10 closed [==========] ".len();
        let short = join_fitting(&progress_parts(&reading), name_width);
        // With the step the line would reach the last column, which stays free.
        assert_eq!(short, "42.1 %, 6.9 minutes left, sweep 1 of 12");
        assert_eq!(
            join_fitting(&progress_parts(&reading), name_width + 1),
            "42.1 %, 6.9 minutes left, sweep 1 of 12, step 27 of 65"
        );
        assert_eq!(join_fitting(&progress_parts(&reading), 200), long);
        assert_eq!(join_fitting(&progress_parts(&reading), 3), "42.1 %", "one part is always shown");
    }

    #[test]
    fn format_three_digits_rounds() {
        let printed = [0, 999, 1000, 12_345, 999_999, 256_815_856].map(format_three_digits);
        assert_eq!(printed, ["0", "999", "1.00k", "12.3k", "1.00M", "257M"]);
    }

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
        let mut printed = |what, seconds| log.is_line_due(what, began + Duration::from_secs(seconds));
        assert!(!printed("", 3) && !printed("a search", 4) && !printed("a search", 5));
        assert!(printed("a search", 6) && !printed("a search", 35), "once");
        assert!(!printed("an index", 35) && printed("an index", 37));
        assert!(!printed("", 66) && printed("", 67), "every half minute");
    }
}
