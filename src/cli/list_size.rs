//! Size estimate of a long list, printed while the list is written.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::format_units::{format_bytes, format_seconds};
use crate::report::print_notice;
use ktour::control::{Control, ProgressSnapshot};
use ktour::search::list::ListOptions;
use ktour::search::multipath_plan::MultipathPlan;
use ktour::search::problem::Problem;
use ktour::search::tree_size_estimate::estimate_tree_under;

/// Delay before the estimate. A list that ends earlier, such as one piped into `head`, prints none.
const ESTIMATE_DELAY: Duration = Duration::from_secs(3);

/// Seconds below which a list's remaining time is not printed.
const MIN_REPORTED_SECONDS: f64 = 60.0;

/// Random walks for each unit of work.
const PROBES_PER_UNIT: u32 = 8;

/// Counters of what a list has written so far.
#[derive(Debug, Default)]
pub struct ListCounters {
    tours: AtomicU64,
    bytes: AtomicU64,
}

impl ListCounters {
    /// Adds tours and their bytes.
    pub fn add(&self, tours: u64, bytes: usize) {
        self.tours.fetch_add(tours, Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Adds the tours written to a progress reading. If the list has a limit and is closer to it than to the
    /// end of the search, the fraction done is that of the limit.
    pub fn adjust_reading(&self, limit: Option<u64>, reading: &mut ProgressSnapshot) {
        let tours = self.tours.load(Ordering::Relaxed);
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
    /// Dropping the sender ends the wait.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ListSizeEstimator {
    /// Starts the thread. `written` grows while the list is written; at most `limit` tours will be written.
    pub fn start(
        name: String,
        problem: &Problem,
        options: &ListOptions,
        limit: Option<u64>,
        written: Arc<ListCounters>,
    ) -> Self {
        let control = Control::new();
        let (ended, wait) = channel();
        let (problem, split_depth, background) =
            (problem.clone(), options.split_depth, control.for_side_task());
        let images = problem.search_group().elements().len() as f64;
        let readings = if options.directed && !problem.has_fixed_end() { 2.0 } else { 1.0 };
        let parts = options.shard.map_or(1.0, |(_, parts)| f64::from(parts));
        let share = readings / parts / if options.distinct { images } else { 1.0 };
        let estimate = move || {
            let start_time = Instant::now();
            if !outlasts_delay(&wait) {
                return;
            }
            let Some(tours) = estimate_tours(problem, split_depth, &background) else { return };
            let limit = limit.map_or(f64::INFINITY, |limit| limit as f64);
            let length = ListEstimate { tours: tours * share, limit };
            if let Some(line) = length.remaining_line(&written, start_time.elapsed()) {
                print_notice(format_args!("{name}: {line}"));
            }
        };
        // If no thread can be started, the estimate is left out.
        let thread = std::thread::Builder::new().name("length".to_owned()).spawn(estimate).ok();
        Self { control, stop: Some(ended), thread }
    }
}

impl Drop for ListSizeEstimator {
    fn drop(&mut self) {
        self.control.cancel();
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Returns true if the list still runs after the delay.
fn outlasts_delay(ended: &Receiver<()>) -> bool {
    ended.recv_timeout(ESTIMATE_DELAY) == Err(RecvTimeoutError::Timeout)
}

/// Estimates the number of tours by random walks in a pool of one thread, as the threads of the global pool
/// are busy. `None` if cancelled.
fn estimate_tours(problem: Problem, split_depth: Option<u32>, control: &Control) -> Option<f64> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().ok()?;
    pool.install(|| {
        let plan = MultipathPlan::new(problem, split_depth).ok()?;
        estimate_tree_under(&plan, PROBES_PER_UNIT, 0, control).map(|estimate| estimate.tours.0)
    })
}

/// The estimated number of tours in a list.
struct ListEstimate {
    /// Tours without a limit, by estimate.
    tours: f64,
    limit: f64,
}

impl ListEstimate {
    /// Returns the line with size and remaining time of a list that has written `written` in `elapsed`
    /// seconds. `None` for a short list.
    fn remaining_line(&self, written: &ListCounters, elapsed: Duration) -> Option<String> {
        let (tours, length) = (written.tours.load(Ordering::Relaxed), written.bytes.load(Ordering::Relaxed));
        let share = self.tours.min(self.limit) / tours as f64;
        let seconds = elapsed.as_secs_f64() * share;
        if tours == 0 || seconds < MIN_REPORTED_SECONDS {
            return None;
        }
        let (size, time) = (format_bytes((length as f64 * share) as u64), format_seconds(seconds));
        Some(if self.limit <= self.tours {
            format!("{size}, about {time} at this speed")
        } else {
            format!(
                "about {:.1e} tours, {size}, {time} at this speed; use --limit N for fewer, or ktour sample for random \
                 tours",
                self.tours
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remaining_line_has_size_and_time() {
        let written = ListCounters::default();
        let told = |all: f64, limit: f64| {
            ListEstimate { tours: all, limit }.remaining_line(&written, Duration::from_secs(3))
        };
        assert_eq!(told(1e12, f64::INFINITY), None, "the speed is unknown");
        written.add(1000, 1 << 20);
        assert_eq!(told(19_000.0, f64::INFINITY), None);
        assert_eq!(told(1e12, 19_000.0), None);
        let all = told(1_000_000.0, f64::INFINITY).unwrap();
        let size_and_time = |text: &str| text.contains("1000.00 MiB") && text.contains("50 minutes");
        assert!(size_and_time(&all) && all.contains("1.0e6 tours") && all.contains("--limit N"), "{all}");
        let limited = told(1e12, 1_000_000.0).unwrap();
        assert!(size_and_time(&limited) && !limited.contains("tours"), "{limited}");
    }

    #[test]
    fn estimate_tours_uses_its_own_thread() {
        let board = ktour::board::Rectangle::new(5, 5).unwrap();
        let problem = Problem::new(&board.into(), ktour::tour::Kind::Paths, None, None).unwrap();
        drop(ListSizeEstimator::start(
            String::new(),
            &problem,
            &ListOptions::default(),
            None,
            Arc::default(),
        ));
        let tours = estimate_tours(problem, None, &Control::new()).unwrap();
        assert!((400.0..1600.0).contains(&tours), "864 tours, estimated {tours}");
    }
}
