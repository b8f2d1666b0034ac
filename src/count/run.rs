//! Running a plan: its units run on all cores, and their sums are added.

use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use num_bigint::BigUint;
use num_traits::ToPrimitive;

use crate::control::Control;
use crate::lock::lock;
use crate::search::workers;

use super::CountError;
use super::ledger::RunObserver;
use super::request::{Answer, Request};
use super::work::WorkPlan;

/// Time that a run must take before its units are estimated.
const ESTIMATE_DELAY: Duration = Duration::from_millis(500);

/// Additional delay of the estimates if most units are done after [`ESTIMATE_DELAY`], because the run may end
/// before the estimates do.
const EXTRA_ESTIMATE_DELAY: Duration = Duration::from_millis(1500);

fn new_estimate_pool() -> Result<rayon::ThreadPool, rayon::ThreadPoolBuildError> {
    // The name lets profiles show the thread's share of the time.
    rayon::ThreadPoolBuilder::new().num_threads(1).thread_name(|_| "estimates".to_owned()).build()
}

/// Counts the tours of a request. `control` shows the progress of the run and stops it.
///
/// Cost: for the time see [`probe`](crate::search::probe); a few MB of memory for the units, independent of
/// the number of tours.
///
/// # Errors
/// See [`CountError`].
pub fn count(request: &Request, control: &Control) -> Result<Answer, CountError> {
    count_with_memory(request, None, control)
}

/// Counts the tours of a request with at most `memory` bytes for sweeps; default: nine tenths of the
/// available memory.
///
/// # Errors
/// See [`CountError`].
pub fn count_with_memory(
    request: &Request,
    memory: Option<u64>,
    control: &Control,
) -> Result<Answer, CountError> {
    let work = WorkPlan::new_with_control(request, control)?.with_memory(memory);
    let sums = Mutex::new(work.validated_request().zero_sums());
    run_units(&work, &work.schedule(), control, &sums)?;
    work.validated_request().answer(&lock(&sums))
}

/// Runs the scheduled units and reports each result to the observer, from the thread that ran the unit.
/// Sweeps use the resources that the observer provides.
///
/// # Errors
/// [`CountError::Stopped`] if the control was cancelled before every unit was done, or the error of the first
/// sweep that failed. The observer has received the finished units.
pub fn run_units(
    work: &WorkPlan,
    schedule: &[u32],
    control: &Control,
    observer: &impl RunObserver,
) -> Result<(), CountError> {
    control.begin_run(work.unit_count(), schedule);
    let unit = |number: usize| -> Result<(), CountError> {
        let unit = work.run_unit(number, control, observer)?;
        let tours =
            unit.paths.iter().map(|ends| &ends.count).sum::<BigUint>() + &unit.closed + &unit.unplaced;
        control.finish_unit(number, unit.effort.nodes, tours.to_u128().unwrap_or(u128::MAX));
        observer.on_unit_done(number, &unit);
        Ok(())
    };
    if work.is_sequential() {
        if let Some(seconds) = work.sweep_units().and_then(|sweeps| sweeps.step_seconds(schedule)) {
            control.set_estimates(seconds);
        }
        return schedule.iter().try_for_each(|&number| unit(number as usize));
    }
    let run = || {
        workers::run_units(schedule, control, |number| {
            // A search fails only if it is stopped, and then the whole run stops.
            let _ = unit(number);
        })
    };
    if !control.has_progress_reader() {
        return Ok(run()?);
    }
    // If a progress display watches a long run, the units' sizes are estimated while they run.
    std::thread::scope(|scope| {
        let (end_sender, end_receiver) = channel::<()>();
        // If no thread can be started, there are no estimates.
        let _ = std::thread::Builder::new().spawn_scoped(scope, move || {
            let runs_longer_than = |time| end_receiver.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
            let is_mostly_undone = || control.progress().fraction < 0.5;
            if runs_longer_than(ESTIMATE_DELAY)
                && (is_mostly_undone() || runs_longer_than(EXTRA_ESTIMATE_DELAY))
            {
                // All threads of the pool are busy until the run ends, so the estimates use a thread of their
                // own.
                if let Ok(own) = new_estimate_pool() {
                    control.set_estimates(own.install(|| work.unit_node_estimates(control)));
                }
            }
        });
        let result = run();
        drop(end_sender);
        Ok(result?)
    })
}
