//! Runs the units of a job on all cores and adds them up.

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

/// How long a run has to take before estimates of its units are worth their while.
const PATIENCE: Duration = Duration::from_millis(500);

/// How long they are put off if most units are done by then, as the run may be over before they are.
const MORE_PATIENCE: Duration = Duration::from_millis(1500);

fn own_thread() -> Result<rayon::ThreadPool, rayon::ThreadPoolBuildError> {
    // Named, so that its share of the time can be told.
    rayon::ThreadPoolBuilder::new().num_threads(1).thread_name(|_| "estimates".to_owned()).build()
}

/// Counts. The control shows how far the run is, and stops it.
///
/// Cost: time as [`probe`](crate::search::probe) tells; memory a few MB for the units, whatever the number
/// of tours.
///
/// # Errors
/// See [`CountError`].
pub fn count(request: &Request, control: &Control) -> Result<Answer, CountError> {
    count_within(request, None, control)
}

/// The same, with a ceiling for the bytes of sweeps: without one, nine tenths of what is available.
///
/// # Errors
/// See [`CountError`].
pub fn count_within(request: &Request, memory: Option<u64>, control: &Control) -> Result<Answer, CountError> {
    let work = Work::under(request, control)?.with_memory(memory);
    let sums = Mutex::new(work.question().no_sums());
    run_units(&work, &work.schedule(), control, &sums)?;
    work.question().answer(&lock(&sums))
}

/// Does the scheduled units, sweeps with the room that the ledger lends, and tells it of each, from whichever thread did it.
///
/// # Errors
/// [`CountError::Stopped`] if the control was cancelled before every unit was done, or the first sweep that
/// cannot be made; the ledger knows what is done.
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
            // A search can fail by being stopped only, and then the whole run is.
            let _ = unit(number);
        })
    };
    if !control.is_watched() {
        return Ok(run()?);
    }
    // Somebody watches: if it takes a while, estimate the units' sizes meanwhile.
    std::thread::scope(|scope| {
        let (over, is_over) = channel::<()>();
        // Without a thread to spare there are no estimates.
        let _ = std::thread::Builder::new().spawn_scoped(scope, move || {
            let goes_on_for = |time| is_over.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
            let has_much_to_do = || control.reading().fraction < 0.5;
            if goes_on_for(PATIENCE) && (has_much_to_do() || goes_on_for(MORE_PATIENCE)) {
                // The threads of the pool are all at work until the run is over; this takes one of its own.
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
