//! The size of a list of tours: its estimate before a list into a file starts, and while a long list is
//! written.
//!
//! A list into a file that does not fit the disk, or that takes more than a year, is refused. A list into a pipe
//! or to a terminal starts in any case, because its reader may end it at any time.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ktour::batch::{SpillDir, parent_folder};
use ktour::budget::DiskBudget;
use ktour::control::{Control, ProgressSnapshot};
use ktour::search::list::ListOptions;
use ktour::search::list_size::{ListSize, listed_share};
use ktour::search::multipath_plan::MultipathPlan;
use ktour::search::problem::Problem;
use ktour::search::tree_size_estimate::estimate_tree;
use ktour::threads::BackgroundThread;
use ktour::tour::{TourKind, TourWriter};

use super::error::CliError;
use super::quantities::{format_bytes, format_seconds};
use super::refusal::RemedyWords;
use crate::report::print_notice;

/// Checks that a list into the file `path` (`-` is standard output) fits the disk and takes at most a year. A
/// path that is no file passes.
///
/// # Errors
/// The refusal.
pub fn check_list_size(
    name: &str,
    path: &Path,
    problem: &Problem,
    options: &ListOptions,
    limit: Option<u64>,
    writer: &TourWriter,
) -> Result<(), CliError> {
    let Some(folder) = file_folder(path) else { return Ok(()) };
    let (mut tour, vertices) = (Vec::new(), problem.graph().len() as u32);
    writer.write(&mut tour, TourKind::Open, &Vec::from_iter(0..vertices));
    let size = ListSize::estimate(problem, options, limit, tour.len(), &Control::new());
    let disk = DiskBudget::from_free(SpillDir::free_bytes_at(&folder).ok());
    size.map_or(Ok(()), |size| size.admit(disk))
        .map_err(|refusal| CliError::failed(RemedyWords::new("").describe(&format!("{name}:"), &refusal)))
}

/// Returns the folder of the file behind an output, or `None` for a pipe, a device or a terminal.
fn file_folder(path: &Path) -> Option<PathBuf> {
    if path != Path::new("-") {
        let is_device = fs::metadata(path).is_ok_and(|found| !found.is_file());
        return (!is_device).then(|| parent_folder(path).to_owned());
    }
    let stdout = Path::new("/dev/stdout");
    let is_file = fs::metadata(stdout).is_ok_and(|found| found.is_file());
    let file = fs::canonicalize(stdout).ok().filter(|_| is_file)?;
    Some(parent_folder(&file).to_owned())
}

/// Time before the size of a list is estimated. A list that ends earlier, such as one piped into
/// `head`, gets no estimate.
const ESTIMATE_DELAY: Duration = Duration::from_secs(3);

/// Minimum remaining time of a list, in seconds, for its estimate to be printed.
const MIN_REPORTED_SECONDS: f64 = 60.0;

/// Number of random walks for each unit of work, by which the number of tours is estimated.
const PROBES_PER_UNIT: u32 = 8;

/// Numbers of tours and bytes that a list has written so far.
#[derive(Debug, Default)]
pub struct ListCounters {
    tours: AtomicU64,
    bytes: AtomicU64,
}

impl ListCounters {
    /// Adds `tours` tours of `bytes` bytes in total.
    pub fn add(&self, tours: u64, bytes: usize) {
        self.tours.fetch_add(tours, Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Returns the number of tours that the list has written so far.
    pub fn tours(&self) -> u64 {
        self.tours.load(Ordering::Relaxed)
    }

    /// Sets the number of tours of a progress reading to the number written. If the list has a
    /// limit that it will reach before the end of the search, sets the finished fraction to the
    /// fraction of this limit.
    pub fn adjust_reading(&self, limit: Option<u64>, reading: &mut ProgressSnapshot) {
        let tours = self.tours();
        reading.tours = tours.into();
        let Some(limit) = limit else { return };
        let fraction = tours as f64 / limit.max(1) as f64;
        if fraction > reading.fraction {
            (reading.fraction, reading.units) = (fraction.min(1.0), 0);
        }
    }
}

/// A background thread that prints the estimated size of a list once, if the list is long. Dropping it stops
/// the thread.
#[derive(Debug)]
pub struct ListSizeEstimator {
    control: Control,
    _thread: Option<BackgroundThread>,
}

impl ListSizeEstimator {
    /// Starts the thread. `written` holds what the list has written so far, and `limit` is the
    /// maximum number of tours.
    pub fn start(
        name: String,
        problem: &Problem,
        options: &ListOptions,
        limit: Option<u64>,
        written: Arc<ListCounters>,
    ) -> Self {
        let control = Control::new();
        let share = listed_share(problem, options);
        let (problem, split_depth, background) =
            (problem.clone(), options.split_depth, control.for_side_task());
        let thread = BackgroundThread::try_start("length", move |signal| {
            let start_time = Instant::now();
            if !signal.wait(ESTIMATE_DELAY) {
                return;
            }
            let Some(tours) = estimate_tours(problem, split_depth, &background) else { return };
            let limit = limit.map_or(f64::INFINITY, |limit| limit as f64);
            let length = ListEstimate { tours: tours.map(|tours| tours * share), limit };
            if let Some(line) = length.remaining_line(&written, start_time.elapsed()) {
                print_notice(format_args!("{name}: {line}"));
            }
        });
        // If no thread can be started, the estimate is left out.
        Self { control, _thread: thread.ok() }
    }
}

impl Drop for ListSizeEstimator {
    fn drop(&mut self) {
        self.control.cancel();
    }
}

/// Estimates the number of tours of a problem by random walks, as an interval. Uses a pool of one thread, because
/// the threads of the global pool are busy. `None` if cancelled.
fn estimate_tours(problem: Problem, split_depth: Option<u32>, control: &Control) -> Option<[f64; 2]> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().ok()?;
    pool.install(|| {
        let plan = MultipathPlan::new(problem, split_depth).ok()?;
        estimate_tree(&plan, PROBES_PER_UNIT, 0, control).map(|estimate| estimate.tour_interval().into())
    })
}

/// The estimated number of tours in a list, and the limit of the list.
struct ListEstimate {
    /// Least and greatest number of tours in the list without its limit, in 9 of 10 cases.
    tours: [f64; 2],
    limit: f64,
}

impl ListEstimate {
    /// Returns the line with the estimated size and remaining time of a list that has written
    /// `written` in the time `elapsed`. `None` if the remaining time is short.
    fn remaining_line(&self, written: &ListCounters, elapsed: Duration) -> Option<String> {
        let (tours, length) = (written.tours(), written.bytes.load(Ordering::Relaxed));
        let shares = self.tours.map(|all| all.min(self.limit) / tours as f64);
        let seconds = shares.map(|share| elapsed.as_secs_f64() * share);
        if tours == 0 || seconds[1] < MIN_REPORTED_SECONDS {
            return None;
        }
        let size = range_text(shares.map(|share| format_bytes((length as f64 * share) as u64)));
        let time = range_text(seconds.map(format_seconds));
        Some(if self.limit <= self.tours[0] {
            format!("{size}, about {time} at this speed")
        } else {
            let tours = range_text(self.tours.map(|tours| format!("{tours:.0e}")));
            format!(
                "probably {tours} tours, {size}, {time} at this speed; use --limit N for fewer, or ktour sample for random \
                 tours"
            )
        })
    }
}

/// Returns the text of an interval, such as `1e15 to 4e17`.
fn range_text([low, high]: [String; 2]) -> String {
    if low == high { low } else { format!("{low} to {high}") }
}

#[cfg(test)]
mod tests {
    use ktour::tour::Kind;

    use super::*;

    #[test]
    fn remaining_line_has_size_and_time() {
        let written = ListCounters::default();
        let size_note = |all: f64, limit: f64| {
            ListEstimate { tours: [all / 10.0, all], limit }.remaining_line(&written, Duration::from_secs(3))
        };
        assert_eq!(size_note(1e12, f64::INFINITY), None, "the speed is unknown");
        written.add(1000, 1 << 20);
        assert_eq!(size_note(19_000.0, f64::INFINITY), None);
        assert_eq!(size_note(1e12, 19_000.0), None);
        let all = size_note(1_000_000.0, f64::INFINITY).unwrap();
        let size_and_time = |text: &str| text.contains("1000 MiB") && text.contains("50 minutes");
        assert!(
            size_and_time(&all)
                && all.contains("1e5 to 1e6 tours, 100 MiB to 1000 MiB, 5 minutes to 50")
                && all.contains("--limit N"),
            "{all}"
        );
        let limited = size_note(1e12, 1_000_000.0).unwrap();
        assert!(size_and_time(&limited) && !limited.contains("tours"), "{limited}");
    }

    #[test]
    fn estimate_tours_uses_its_own_thread() {
        let board = ktour::board::Rectangle::new(5, 5).unwrap();
        let problem = Problem::new(&ktour::TourSpec::all(board.into(), Kind::Paths)).unwrap();
        drop(ListSizeEstimator::start(
            String::new(),
            &problem,
            &ListOptions::default(),
            None,
            Arc::default(),
        ));
        let [low, high] = estimate_tours(problem, None, &Control::new()).unwrap();
        assert!(low > 400.0 && low <= high && high < 1600.0, "864 tours, estimated {low} to {high}");
    }
}
