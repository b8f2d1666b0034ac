//! Counts for all boards of one width up to a length, by a single sweep along the length.

use std::ops::ControlFlow;

use num_bigint::BigUint;

use crate::board::Arena;
use crate::frontier::block::modulus::Lane;
use crate::frontier::layer::snapshot::Snapshot;
use crate::frontier::problem::cycles::Tours;
use crate::frontier::problem::field::Field;
use crate::frontier::ranks::error::Error;
use crate::frontier::ranks::pulse::Pulse;
use crate::frontier::run::estimate::Estimate;
use crate::frontier::run::observer::{Observer, StepReport};
use crate::frontier::run::options::{Options, Storage};
use crate::frontier::run::prepare::Prepared;

/// Counts closed tours or paths on every board that consists of the first rows of `longest`, by a single
/// sweep row by row. Returns the counts by length, from 1. No move may join rows across the first or the last
/// row (no wrapping along the length).
///
/// # Errors
/// As for [`count`](crate::frontier::count).
///
/// # Panics
/// If `tours` fixes an end, or the board does not consist of rows of equal length.
pub fn series(
    longest: &Arena,
    tours: Tours,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Vec<BigUint>, Error> {
    let mut counts = Vec::new();
    series_by_rows(longest, tours, options, observer, &mut |_, count| counts.push(count))?;
    Ok(counts)
}

/// Counts like [`count_series`] and passes each length and its count to `on_row` as soon as the sweep reaches
/// it, lengths ascending from 1.
///
/// # Errors
/// As for [`count`](crate::frontier::count).
///
/// # Panics
/// If `tours` fixes an end, or the board does not consist of rows of equal length.
pub fn series_by_rows(
    longest: &Arena,
    tours: Tours,
    options: &Options,
    observer: &mut dyn Observer,
    row: &mut (dyn FnMut(u16, BigUint) + Send),
) -> Result<(), Error> {
    Family::new(longest, tours, options)?.sweep(observer, row)
}

/// The planned sweep of a series of boards of one width.
#[derive(Clone, Debug)]
pub struct Family {
    prepared: Prepared,
    width: usize,
    longest: usize,
    tours: Tours,
}

impl Family {
    /// Plans the sweep of [`count_series_by_rows`].
    ///
    /// # Errors
    /// As for [`PreparedSweep::new`].
    ///
    /// # Panics
    /// If `tours` fixes an end, or the board does not consist of rows of equal length.
    pub fn new(longest: &Arena, tours: Tours, options: &Options) -> Result<Self, Error> {
        assert!(matches!(tours, Tours::Closed | Tours::Paths), "a series counts closed tours or paths");
        let field = Field::of(longest).by_rows();
        let rows = field.directions().first().expect("a board has rows");
        let (width, length) = (rows[0].len(), rows.len());
        assert_eq!(width * length, longest.len(), "all rows have equal length");
        let ends = (1..length).map(|length| length * width - 1).collect();
        let prepared = Prepared::family(&field, tours, options, ends)?;
        Ok(Self { prepared, width, longest: length, tours })
    }

    /// Returns the kind of tours that the sweep counts.
    #[must_use]
    pub const fn tours(&self) -> Tours {
        self.tours
    }

    /// Estimates the size of the sweep from its vertex order alone, in negligible time.
    #[must_use]
    pub fn outlook(&self) -> Estimate {
        self.prepared.outlook()
    }

    /// Returns an upper bound of the count for each length, from 1, by a sweep over signatures alone; see
    /// [`PreparedSweep::upper_bound`]. Returns `None` if it was cancelled or the frontier is too wide.
    #[must_use]
    pub fn bounds(&self) -> Option<Vec<BigUint>> {
        let mut bounds = self.prepared.bounds()?;
        if let Some(square) = self.square() {
            bounds[0] = square;
        }
        Some(bounds)
    }

    /// Returns the same planned sweep with weights modulo `lane`.
    #[must_use]
    pub fn modulo(&self, lane: Lane) -> Self {
        Self { prepared: self.prepared.clone().modulo(lane), ..*self }
    }

    /// Returns the count of the shortest board if that is a single square: such a board has one path, which
    /// through the apex would be a cycle of two vertices.
    fn square(&self) -> Option<BigUint> {
        (self.width == 1).then(|| BigUint::from(u8::from(self.tours == Tours::Paths)))
    }

    /// Runs the sweep and passes each length and its count to `row` as soon as the sweep reaches it.
    ///
    /// # Errors
    /// As for [`PreparedSweep::sweep`].
    pub fn sweep(
        self,
        observer: &mut dyn Observer,
        row: &mut (dyn FnMut(u16, BigUint) + Send),
    ) -> Result<(), Error> {
        self.sweep_stored(Storage::default(), observer, row)
    }

    /// Runs the sweep like [`SeriesSweep::sweep`], with storage: the observer may receive snapshots, and the
    /// sweep may resume from one. A resumed sweep reports the boards that the earlier session did not reach,
    /// and possibly some that it did.
    ///
    /// # Errors
    /// As for [`PreparedSweep::sweep`].
    pub fn sweep_stored(
        self,
        storage: Storage,
        observer: &mut dyn Observer,
        row: &mut (dyn FnMut(u16, BigUint) + Send),
    ) -> Result<(), Error> {
        let mut told = Told { square: self.square(), told: 0, row, observer };
        let outcome = self.prepared.sweep(storage, &mut told)?;
        told.shorter(self.longest - 1, &outcome.count);
        Ok(())
    }
}

/// Passes each count to the caller once, with its length, and everything else to another observer.
struct Told<'a> {
    /// The count of the shortest board, if that is a single square.
    square: Option<BigUint>,
    told: usize,
    row: &'a mut (dyn FnMut(u16, BigUint) + Send),
    observer: &'a mut dyn Observer,
}

impl Observer for Told<'_> {
    fn step(&mut self, report: &StepReport) -> ControlFlow<()> {
        self.observer.step(report)
    }

    fn part(&mut self, steps: usize, part: f64) {
        self.observer.part(steps, part);
    }

    fn pulse(&mut self) -> Pulse {
        self.observer.pulse()
    }

    fn saving(&mut self) {
        self.observer.saving();
    }

    fn save(&mut self, snapshot: &Snapshot) {
        self.observer.save(snapshot);
    }

    fn not_saved(&mut self, why: &str) {
        self.observer.not_saved(why);
    }

    fn shorter(&mut self, number: usize, count: &BigUint) {
        if number < self.told {
            return;
        }
        self.told = number + 1;
        let count = self.square.as_ref().filter(|_| number == 0).unwrap_or(count);
        (self.row)(self.told as u16, count.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Leaper};
    use crate::frontier::run::observer::Silent;

    #[test]
    fn a_series_has_every_length_from_one_on() {
        let count = |(width, longest): (u16, u16), tours| {
            let longest = Arena::board(Board::new(longest, width).unwrap(), Leaper::KNIGHT);
            let mut counts = Vec::new();
            let mut row = |length, count: BigUint| {
                counts.push(count.to_string());
                assert_eq!(usize::from(length), counts.len());
            };
            let whole = series(&longest, tours, &Options::default(), &mut Silent).unwrap();
            let options = Options::default();
            series_by_rows(&longest, tours, &options, &mut Silent, &mut row).unwrap();
            assert_eq!(whole.iter().map(ToString::to_string).collect::<Vec<_>>(), counts);
            counts
        };
        assert_eq!(count((5, 6), Tours::Closed), ["0", "0", "0", "0", "0", "8"]);
        assert_eq!(count((1, 3), Tours::Paths), ["1", "0", "0"]);
        assert_eq!(count((3, 4), Tours::Paths), ["0", "0", "0", "8"]);
    }

    #[test]
    fn bounds_are_those_of_every_length() {
        for (width, longest, tours) in [
            (5, 6, Tours::Closed),
            (5, 6, Tours::Paths),
            (1, 3, Tours::Paths),
            (1, 1, Tours::Paths),
            (3, 50, Tours::Closed),
        ] {
            let longest = Arena::board(Board::new(longest, width).unwrap(), Leaper::KNIGHT);
            let family = Family::new(&longest, tours, &Options::default()).unwrap();
            let (bounds, mut number) = (family.bounds().unwrap(), 0);
            let mut row = |_, count: BigUint| {
                assert!(count <= bounds[number], "{tours:?} {number}: {count} {}", bounds[number]);
                let bits = bounds[number].bits();
                assert!(bits <= 3 * count.bits() + 12, "{tours:?} {number}: {count} {}", bounds[number]);
                number += 1;
            };
            family.clone().sweep(&mut Silent, &mut row).unwrap();
            assert_eq!(number, bounds.len());
        }
    }
}
