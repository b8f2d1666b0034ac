//! A sweep from planning to its count.

use crate::frontier::problem::cycles::Tours;
use crate::frontier::problem::field::Field;
use crate::frontier::ranks::error::Error;
use crate::frontier::run::observer::Observer;
use crate::frontier::run::options::{Options, Storage};
use crate::frontier::run::outcome::Outcome;
use crate::frontier::run::prepare::Prepared;

/// Counts the tours of a field.
///
/// # Errors
/// As for [`Prepared::new`] and [`Prepared::sweep`].
///
/// # Panics
/// As for [`Prepared::new`].
pub fn count(
    field: &Field,
    tours: Tours,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    count_stored(field, tours, options, Storage::default(), observer)
}

/// Counts like [`count`] with a store: layers may be larger than memory, and the observer may have
/// snapshots to go on from.
///
/// # Errors
/// As for [`Prepared::new`] and [`Prepared::sweep`].
///
/// # Panics
/// As for [`Prepared::new`].
pub fn count_stored(
    field: &Field,
    tours: Tours,
    options: &Options,
    storage: Storage,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let prepared = match &storage.from {
        None => Prepared::new(field, tours, options)?,
        Some(from) => Prepared::resume(field, tours, options, from)?,
    };
    prepared.sweep(storage, observer)
}
