//! Units on all cores.
//!
//! Every thread of the current rayon pool takes the next unit from a common list,
//! the largest first, until none is left. Results are stored by unit number, so
//! nothing depends on which thread did what, or when.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::meter::Meter;

/// The run was stopped before all units were done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped before the end")]
pub struct Stopped;

/// Runs `work` on every unit number in `schedule` and returns the results by unit number.
///
/// `schedule` is the order in which units are begun, each of `0..schedule.len()` once. `work` returns its
/// result, nodes visited and tours found, or `None` if it was cut short. Cost: a lock and an atomic
/// addition a unit.
///
/// # Errors
/// [`Stopped`] if the meter was stopped before every unit was done.
pub fn run<R: Send>(
    schedule: &[u32],
    meter: &Meter,
    work: impl Fn(usize) -> Option<(R, u64, u128)> + Sync,
) -> Result<Vec<R>, Stopped> {
    meter.begin(schedule.len());
    let results: Mutex<Vec<Option<R>>> = Mutex::new(schedule.iter().map(|_| None).collect());
    let next = AtomicUsize::new(0);
    rayon::broadcast(|_| {
        let mut own: Vec<(usize, R)> = Vec::new();
        while !meter.is_stopped() {
            let Some(&unit) = schedule.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            let unit = unit as usize;
            let Some((result, nodes, tours)) = work(unit) else { break };
            meter.unit_done(unit, nodes, tours);
            own.push((unit, result));
        }
        let mut results = results.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for (unit, result) in own {
            results[unit] = Some(result);
        }
    });
    let results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.into_iter().collect::<Option<Vec<R>>>().ok_or(Stopped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_back_by_unit_number() {
        let schedule: Vec<u32> = (0..1000).rev().collect();
        let meter = Meter::default();
        let results = run(&schedule, &meter, |unit| Some((unit * 2, 1, 3))).unwrap();
        assert!(results.iter().enumerate().all(|(unit, &result)| result == unit * 2));
        assert_eq!((meter.read().nodes, meter.read().tours), (1000, 3000));
    }

    #[test]
    fn a_stopped_run_has_no_result() {
        let schedule: Vec<u32> = (0..100).collect();
        let meter = Meter::default();
        let result = run(&schedule, &meter, |unit| {
            if unit == 50 {
                meter.stop();
                return None;
            }
            Some(((), 0, 0))
        });
        assert_eq!(result, Err(Stopped));
    }
}
