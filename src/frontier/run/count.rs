//! Counting in one call: from the graph to the count.
//!
//! One sweep counts exactly. Alternatively, several sweeps modulo primes give the count by the Chinese
//! remainder theorem: as many primes as an upper bound requires, and one more as a check.

use crate::frontier::problem::cycles::Tours;
use crate::frontier::problem::field::SweepGraph;
use crate::frontier::ranks::error::Error;
use crate::frontier::run::observer::Observer;
use crate::frontier::run::options::{Options, Storage};
use crate::frontier::run::outcome::Outcome;
use crate::frontier::run::prepare::PreparedSweep;

/// Plans a sweep and counts the tours of a graph with it.
///
/// # Errors
/// As for [`PreparedSweep::new`] and [`PreparedSweep::sweep`].
///
/// # Panics
/// As for [`PreparedSweep::new`].
pub fn count(
    field: &SweepGraph,
    tours: Tours,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    count_with_storage(field, tours, options, Storage::default(), observer)
}

/// Counts like [`count`], with storage: layers may exceed the memory, the observer may receive snapshots, and
/// the sweep may resume from one or be shared by several ranks.
///
/// # Errors
/// As for [`PreparedSweep::new`] and [`PreparedSweep::sweep`].
///
/// # Panics
/// As for [`PreparedSweep::new`].
pub fn count_with_storage(
    field: &SweepGraph,
    tours: Tours,
    options: &Options,
    storage: Storage,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let prepared = match &storage.resume_from {
        None => PreparedSweep::new(field, tours, options)?,
        Some(from) => PreparedSweep::resume(field, tours, options, from)?,
    };
    prepared.sweep(storage, observer)
}
