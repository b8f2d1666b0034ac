//! Runs the units of a search on all cores.
//!
//! [`run_units`] is for counting: every thread of the current rayon pool takes the next unit from a common
//! list until the list is empty, so no core idles while there is work. If the largest units come first, all
//! threads end nearly together. Which thread runs which unit, and when, is not determined: results must not
//! depend on it.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::control::Control;

/// The run was stopped before all units were finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped before the end")]
pub struct Stopped;

/// Calls `work` with every number of the schedule, started in this order, on all threads. Cost: an atomic
/// addition a unit.
///
/// # Errors
/// [`Stopped`] if the control was cancelled, at any moment.
pub fn run_units(schedule: &[u32], control: &Control, work: impl Fn(usize) + Sync) -> Result<(), Stopped> {
    let next = AtomicUsize::new(0);
    rayon::broadcast(|_| {
        while !control.is_cancelled() {
            let Some(&unit) = schedule.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            work(unit as usize);
        }
    });
    if control.is_cancelled() { Err(Stopped) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn run_units_runs_every_unit_once() {
        let schedule: Vec<u32> = (0..1000).rev().collect();
        let done = Mutex::new(Vec::new());
        run_units(&schedule, &Control::new(), |unit| done.lock().unwrap().push(unit)).unwrap();
        let mut done = done.into_inner().unwrap();
        done.sort_unstable();
        assert_eq!(done, (0..1000).collect::<Vec<_>>());
    }

    #[test]
    fn run_units_reports_cancellation() {
        let schedule: Vec<u32> = (0..100).collect();
        let control = Control::new();
        let result = run_units(&schedule, &control, |unit| {
            if unit == 50 {
                control.cancel();
            }
        });
        assert_eq!(result, Err(Stopped));
    }
}
