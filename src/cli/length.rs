//! Size estimate of a long list, printed while the list is written.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::human::{bytes, time};
use crate::report::tell;
use ktour::control::{Control, Reading};
use ktour::search::list::ListOptions;
use ktour::search::probe::estimate_under;
use ktour::search::problem::Problem;
use ktour::search::split::Plan;

/// Delay before the estimate. A list that ends earlier, such as one piped into `head`, prints none.
const DELAY: Duration = Duration::from_secs(3);

/// Seconds below which a list's remaining time is not printed.
const LONG: f64 = 60.0;

/// Random walks for each unit of work.
const PROBES: u32 = 8;

/// Counters of what a list has written so far.
#[derive(Debug, Default)]
pub struct Written {
    tours: AtomicU64,
    bytes: AtomicU64,
}

impl Written {
    /// Adds tours and their bytes.
    pub fn count(&self, tours: u64, bytes: usize) {
        self.tours.fetch_add(tours, Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Adds the tours written to a progress reading. If the list has a limit and is closer to it than to the
    /// end of the search, the fraction done is that of the limit.
    pub fn told(&self, limit: Option<u64>, reading: &mut Reading) {
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
pub struct Length {
    control: Control,
    /// Dropping the sender ends the wait.
    ended: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Length {
    /// Starts the thread. `written` grows while the list is written; at most `limit` tours will be written.
    pub fn watch(
        name: String,
        problem: &Problem,
        options: &ListOptions,
        limit: Option<u64>,
        written: Arc<Written>,
    ) -> Self {
        let control = Control::new();
        let (ended, wait) = channel();
        let (problem, split_depth, aside) = (problem.clone(), options.split_depth, control.aside());
        let images = problem.group().elements().len() as f64;
        let readings = if options.directed && !problem.is_fixed() { 2.0 } else { 1.0 };
        let parts = options.part.map_or(1.0, |(_, parts)| f64::from(parts));
        let share = readings / parts / if options.distinct { images } else { 1.0 };
        let look = move || {
            let began = Instant::now();
            if !goes_on(&wait) {
                return;
            }
            let Some(all) = tours(problem, split_depth, &aside) else { return };
            let limit = limit.map_or(f64::INFINITY, |limit| limit as f64);
            let length = Foretold { all: all * share, limit };
            if let Some(told) = length.told(&written, began.elapsed()) {
                tell(format_args!("{name}: {told}"));
            }
        };
        // If no thread can be started, the estimate is left out.
        let thread = std::thread::Builder::new().name("length".to_owned()).spawn(look).ok();
        Self { control, ended: Some(ended), thread }
    }
}

impl Drop for Length {
    fn drop(&mut self) {
        self.control.cancel();
        self.ended = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Returns true if the list still runs after the delay.
fn goes_on(ended: &Receiver<()>) -> bool {
    ended.recv_timeout(DELAY) == Err(RecvTimeoutError::Timeout)
}

/// Estimates the number of tours by random walks in a pool of one thread, as the threads of the global pool
/// are busy. `None` if cancelled.
fn tours(problem: Problem, split_depth: Option<u32>, control: &Control) -> Option<f64> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().ok()?;
    pool.install(|| {
        let plan = Plan::new(problem, split_depth).ok()?;
        estimate_under(&plan, PROBES, 0, control).map(|estimate| estimate.tours.0)
    })
}

/// The estimated number of tours in a list.
struct Foretold {
    /// Tours without a limit, by estimate.
    all: f64,
    limit: f64,
}

impl Foretold {
    /// Returns the line with size and remaining time of a list that has written `written` in `elapsed`
    /// seconds. `None` for a short list.
    fn told(&self, written: &Written, elapsed: Duration) -> Option<String> {
        let (tours, length) = (written.tours.load(Ordering::Relaxed), written.bytes.load(Ordering::Relaxed));
        let share = self.all.min(self.limit) / tours as f64;
        let seconds = elapsed.as_secs_f64() * share;
        if tours == 0 || seconds < LONG {
            return None;
        }
        let (size, time) = (bytes((length as f64 * share) as u64), time(seconds));
        Some(if self.limit <= self.all {
            format!("{size}, about {time} at this speed")
        } else {
            format!(
                "about {:.1e} tours, {size}, {time} at this speed; use --limit N for fewer, or ktour sample for random \
                 tours",
                self.all
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_told_with_their_size_and_time() {
        let written = Written::default();
        let told = |all: f64, limit: f64| Foretold { all, limit }.told(&written, Duration::from_secs(3));
        assert_eq!(told(1e12, f64::INFINITY), None, "the speed is unknown");
        written.count(1000, 1 << 20);
        assert_eq!(told(19_000.0, f64::INFINITY), None);
        assert_eq!(told(1e12, 19_000.0), None);
        let all = told(1_000_000.0, f64::INFINITY).unwrap();
        let size_and_time = |text: &str| text.contains("1000.00 MiB") && text.contains("50 minutes");
        assert!(size_and_time(&all) && all.contains("1.0e6 tours") && all.contains("--limit N"), "{all}");
        let limited = told(1e12, 1_000_000.0).unwrap();
        assert!(size_and_time(&limited) && !limited.contains("tours"), "{limited}");
    }

    #[test]
    fn tours_are_estimated_beside_a_busy_pool() {
        let board = ktour::board::Board::new(5, 5).unwrap();
        let problem = Problem::new(&board.into(), ktour::tour::Kind::Paths, None, None).unwrap();
        drop(Length::watch(String::new(), &problem, &ListOptions::default(), None, Arc::default()));
        let tours = tours(problem, None, &Control::new()).unwrap();
        assert!((400.0..1600.0).contains(&tours), "864 tours, estimated {tours}");
    }
}
