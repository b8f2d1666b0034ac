//! Runs the units of a job on all cores and adds them up.

use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::search::meter::Meter;
use crate::search::workers::{self, Stopped};

use super::CountError;
use super::request::{Answer, Request};
use super::sums::UnitSums;
use super::work::Work;

/// How long a run has to take before estimates of its units are worth their while.
const PATIENCE: Duration = Duration::from_millis(500);

/// Counts. The meter shows how far the run is, and stops it.
///
/// Cost: time as [`probe`](crate::search::probe) tells; memory a few MB for the units, whatever the number
/// of tours.
///
/// # Errors
/// See [`CountError`].
pub fn count(request: &Request, meter: &Meter) -> Result<Answer, CountError> {
    let work = Work::new(request)?;
    let sums = Mutex::new(work.question().no_sums());
    run_units(&work, &work.schedule(), meter, |_, unit| {
        sums.lock().unwrap_or_else(std::sync::PoisonError::into_inner).add_unit(&unit);
    })?;
    work.question().answer(&sums.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
}

/// Does the scheduled units and tells `done` of each, from whichever thread did it.
///
/// # Errors
/// [`Stopped`] if the meter was stopped before every unit was done; those told are done.
pub fn run_units(
    work: &Work,
    schedule: &[u32],
    meter: &Meter,
    done: impl Fn(usize, UnitSums) + Sync,
) -> Result<(), Stopped> {
    meter.begin(work.units(), schedule);
    let run = || {
        workers::run(schedule, meter, |number| {
            let Some(unit) = work.unit(number, meter) else { return };
            let tours = unit.paths.iter().map(|ends| ends.count).fold(unit.closed, u128::saturating_add);
            meter.unit_done(number, unit.nodes, tours);
            done(number, unit);
        })
    };
    if !meter.is_wanted() {
        return run();
    }
    // Somebody watches: if it takes a while, estimate the units' sizes meanwhile.
    std::thread::scope(|scope| {
        let (over, is_over) = channel::<()>();
        scope.spawn(move || {
            if is_over.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                // The threads of the pool are all at work until the run is over; this takes one of its own.
                if let Ok(own) = rayon::ThreadPoolBuilder::new().num_threads(1).build() {
                    meter.set_estimates(own.install(|| work.estimates()));
                }
            }
        });
        let result = run();
        drop(over);
        result
    })
}
