//! Simulates the idle time of cores at the end of a run.
//!
//! Measures every unit of a real plan, then replays the measured times on simulated workers: a free worker
//! takes the next unit of the schedule. The idle share is the part of all workers' time, from the start to
//! the end of the last unit, in which they do not work. No schedule is shorter than total work / workers, or
//! than its longest unit.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use ktour::search::multipath_plan::MultipathPlan;
use ktour::search::problem::Problem;
use ktour::tour::{Kind, TourSpec};

/// Maximum idle share, for each number of workers in `WORKERS`.
const MAX_IDLE_SHARE: f64 = 0.02;
const WORKERS: [usize; 3] = [2, 16, 64];
/// Number of measurements of every unit.
const ROUNDS: usize = 5;

/// Returns the minimum of several times of each unit. Other programs can only add to a time, since they take
/// the core for longer than a unit runs.
fn measure_units(plan: &MultipathPlan, tours: u64) -> Vec<Duration> {
    let go = AtomicBool::new(false);
    let mut times = vec![Duration::MAX; plan.units().len()];
    for _ in 0..ROUNDS {
        let mut found = 0;
        // Cloning the plan empties its transposition tables.
        let plan = plan.clone();
        for (unit, time) in plan.units().iter().zip(&mut times) {
            let began = Instant::now();
            let counted = plan.count::<u64>(unit, &go);
            *time = began.elapsed().min(*time);
            found += counted.tours as u64 * plan.weight(unit);
        }
        assert_eq!(found, tours);
    }
    times
}

/// Returns the time at which the last of `workers` workers finishes.
fn makespan(schedule: &[u32], times: &[Duration], workers: usize) -> Duration {
    let mut free: BinaryHeap<Reverse<Duration>> = vec![Reverse(Duration::ZERO); workers].into();
    for &unit in schedule {
        let Reverse(at) = free.pop().expect("there are workers");
        free.push(Reverse(at + times[unit as usize]));
    }
    free.into_iter().map(|Reverse(at)| at).max().unwrap_or_default()
}

fn main() {
    let mut idlers = Vec::new();
    for (board, kind, tours) in [("6x8", Kind::Closed, 55_488_142), ("5x8", Kind::Paths, 18_061_054)] {
        let problem = Problem::new(&TourSpec::all(board.parse().unwrap(), kind)).unwrap();
        let plan = MultipathPlan::new(problem, None).unwrap();
        let times = measure_units(&plan, tours);
        let work: Duration = times.iter().sum();
        let longest = times.iter().max().copied().unwrap_or_default();
        println!(
            "{board} {}: {} units, {work:.3?} of work; longest {longest:.1?}, useful workers: {:.0}",
            kind.name(),
            times.len(),
            work.as_secs_f64() / longest.as_secs_f64()
        );
        for workers in WORKERS {
            let end = makespan(&plan.schedule(), &times, workers);
            let idle = 1.0 - work.as_secs_f64() / (end.as_secs_f64() * workers as f64);
            println!("  {workers:2} workers: {end:9.3?}, idle {:.3} %", 100.0 * idle);
            if idle > MAX_IDLE_SHARE {
                idlers.push((board, workers));
            }
        }
    }
    assert!(idlers.is_empty(), "idle share above {} %: {idlers:?}", 100.0 * MAX_IDLE_SHARE);
}
