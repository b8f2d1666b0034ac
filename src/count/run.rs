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
use super::ledger::Ledger;
use super::request::{Answer, Request};
use super::work::Work;

/// Time that a run must take before its units are estimated.
const PATIENCE: Duration = Duration::from_millis(500);

/// Additional delay of the estimates if most units are done after [`ESTIMATE_DELAY`], because the run may end
/// before the estimates do.
const MORE_PATIENCE: Duration = Duration::from_millis(1500);

fn own_thread() -> Result<rayon::ThreadPool, rayon::ThreadPoolBuildError> {
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
    count_within(request, None, control)
}

/// Counts the tours of a request with at most `memory` bytes for sweeps; default: nine tenths of the
/// available memory.
///
/// # Errors
/// See [`CountError`].
pub fn count_within(request: &Request, memory: Option<u64>, control: &Control) -> Result<Answer, CountError> {
    let work = Work::under(request, control)?.with_memory(memory);
    let sums = Mutex::new(work.question().no_sums());
    run_units(&work, &work.schedule(), control, &sums)?;
    work.question().answer(&lock(&sums))
}

/// Runs the scheduled units and reports each result to the observer, from the thread that ran the unit.
/// Sweeps use the resources that the observer provides.
///
/// # Errors
/// [`CountError::Stopped`] if the control was cancelled before every unit was done, or the error of the first
/// sweep that failed. The observer has received the finished units.
pub fn run_units(
    work: &Work,
    schedule: &[u32],
    control: &Control,
    ledger: &impl Ledger,
) -> Result<(), CountError> {
    control.begin(work.units(), schedule);
    let unit = |number: usize| -> Result<(), CountError> {
        let unit = work.unit(number, control, ledger)?;
        let tours =
            unit.paths.iter().map(|ends| &ends.count).sum::<BigUint>() + &unit.closed + &unit.unplaced;
        control.unit_done(number, unit.tally.nodes, tours.to_u128().unwrap_or(u128::MAX));
        ledger.done(number, &unit);
        Ok(())
    };
    if work.is_sequential() {
        if let Some(seconds) = work.sweeps().and_then(|sweeps| sweeps.seconds(schedule)) {
            control.set_estimates(seconds);
        }
        return schedule.iter().try_for_each(|&number| unit(number as usize));
    }
    let run = || {
        workers::run(schedule, control, |number| {
            // A search fails only if it is stopped, and then the whole run stops.
            let _ = unit(number);
        })
    };
    if !control.is_watched() {
        return Ok(run()?);
    }
    // If a progress display watches a long run, the units' sizes are estimated while they run.
    std::thread::scope(|scope| {
        let (over, is_over) = channel::<()>();
        // If no thread can be started, there are no estimates.
        let _ = std::thread::Builder::new().spawn_scoped(scope, move || {
            let goes_on_for = |time| is_over.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
            let has_much_to_do = || control.reading().fraction < 0.5;
            if goes_on_for(PATIENCE) && (has_much_to_do() || goes_on_for(MORE_PATIENCE)) {
                // All threads of the pool are busy until the run ends, so the estimates use a thread of their
                // own.
                if let Ok(own) = own_thread() {
                    control.set_estimates(own.install(|| work.estimates(control)));
                }
            }
        });
        let result = run();
        drop(over);
        Ok(result?)
    })
}
