//! How long cores would idle at the end of a run.
//!
//! Measures every unit of a real plan, then replays the measured times on simulated
//! workers: whoever is free takes the next unit of the schedule. Idle is the part
//! of all workers' time, from the start to the end of the last unit, that is not
//! work. No schedule is shorter than all work / workers, nor than its longest unit.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use ktour::search::problem::Problem;
use ktour::search::split::Plan;
use ktour::tour::Kind;

/// Most that may be idle, on each of these numbers of workers.
const GOAL: f64 = 0.02;
const WORKERS: [usize; 3] = [2, 16, 64];
/// How often every unit is measured.
const ROUNDS: usize = 5;

/// The least of several times of each unit: other programs take the core now and then, for longer than a
/// unit takes, and can only add to it.
fn measure(plan: &Plan, tours: u64) -> Vec<Duration> {
    let go = AtomicBool::new(false);
    let mut times = vec![Duration::MAX; plan.units().len()];
    for _ in 0..ROUNDS {
        let mut found = 0;
        // A copy remembers nothing of the round before.
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

/// When the last of `workers` is done.
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
        let problem = Problem::new(&board.parse().unwrap(), kind, None, None).unwrap();
        let plan = Plan::new(problem, None).unwrap();
        let times = measure(&plan, tours);
        let work: Duration = times.iter().sum();
        let longest = times.iter().max().copied().unwrap_or_default();
        println!(
            "{board} {}: {} units, {work:.3?} of work; longest {longest:.1?}, enough for {:.0} workers",
            kind.name(),
            times.len(),
            work.as_secs_f64() / longest.as_secs_f64()
        );
        for workers in WORKERS {
            let end = makespan(&plan.schedule(), &times, workers);
            let idle = 1.0 - work.as_secs_f64() / (end.as_secs_f64() * workers as f64);
            println!("  {workers:2} workers: {end:9.3?}, idle {:.3} %", 100.0 * idle);
            if idle > GOAL {
                idlers.push((board, workers));
            }
        }
    }
    assert!(idlers.is_empty(), "idle for more than {} %: {idlers:?}", 100.0 * GOAL);
}
