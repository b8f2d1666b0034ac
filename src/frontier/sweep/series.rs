//! Counts of a series: a single sweep along the length counts all boards of one width up to a
//! length.

use std::ops::ControlFlow;

use num_bigint::BigUint;

use super::options::{Options, Storage};
use super::prepared_sweep::PreparedSweep;
use super::report::{Observer, StepReport};
use super::sweep_estimate::Estimate;
use crate::board::Board;
use crate::frontier::layer::snapshot::Snapshot;
use crate::frontier::planning::problem::{SweepGraph, Tours};
use crate::frontier::ranks::command::Command;
use crate::frontier::ranks::error::Error;
use crate::frontier::weights::modulus::ResidueRing;

/// Counts closed tours or paths on every board that consists of the first rows of `longest`, by a
/// single sweep row by row. Returns the counts by number of rows, from 1. No move may join rows
/// across the first or the last row (no wrapping along the length).
///
/// # Errors
/// As for [`count`](crate::frontier::count).
///
/// # Panics
/// If `tours` fixes an end, or the board does not consist of rows of equal length.
pub fn count_series(
    longest: &Board,
    tours: Tours,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Vec<BigUint>, Error> {
    let mut counts = Vec::new();
    count_series_by_rows(longest, tours, options, observer, &mut |_, count| counts.push(count))?;
    Ok(counts)
}

/// Counts the same boards as [`count_series`]. Passes each number of rows, ascending from 1, and
/// its count to `on_row` as soon as the sweep reaches it.
///
/// # Errors
/// As for [`count`](crate::frontier::count).
///
/// # Panics
/// If `tours` fixes an end, or the board does not consist of rows of equal length.
pub fn count_series_by_rows(
    longest: &Board,
    tours: Tours,
    options: &Options,
    observer: &mut dyn Observer,
    on_row: &mut (dyn FnMut(u16, BigUint) + Send),
) -> Result<(), Error> {
    SeriesSweep::new(longest, tours, options)?.sweep(observer, on_row)
}

/// The planned sweep of a series of boards of one width.
#[derive(Clone, Debug)]
pub struct SeriesSweep {
    prepared: PreparedSweep,
    width: usize,
    longest: usize,
    tours: Tours,
    /// The estimate, once it was made.
    estimate: Option<Estimate>,
}

impl SeriesSweep {
    /// Plans the sweep of [`count_series_by_rows`].
    ///
    /// # Errors
    /// As for [`PreparedSweep::new`].
    ///
    /// # Panics
    /// If `tours` fixes an end, or the board does not consist of rows of equal length.
    pub fn new(longest: &Board, tours: Tours, options: &Options) -> Result<Self, Error> {
        assert!(matches!(tours, Tours::Closed | Tours::Paths), "a series counts closed tours or paths");
        let sweep_graph = SweepGraph::from_board(longest).rows_only();
        let rows = sweep_graph.directions().first().expect("a board has rows");
        let (width, length) = (rows[0].len(), rows.len());
        assert_eq!(width * length, longest.len(), "all rows must have equal length");
        let ends = (1..length).map(|length| length * width - 1).collect();
        let prepared = PreparedSweep::for_series(&sweep_graph, tours, options, ends)?;
        Ok(Self { prepared, width, longest: length, tours, estimate: None })
    }

    /// Returns the kind of tours that the sweep counts.
    #[must_use]
    pub const fn tours(&self) -> Tours {
        self.tours
    }

    /// Estimates the size of the sweep from its vertex order alone, in negligible time.
    #[must_use]
    pub fn rough_estimate(&self) -> Estimate {
        self.prepared.rough_estimate()
    }

    /// Estimates the size of the sweep as [`PreparedSweep::estimate_before_run`]; if that is cancelled, roughly. Retains
    /// the estimate, and the tables of feasible signatures for the sweep.
    pub fn estimate(&mut self) -> &Estimate {
        let Self { prepared, estimate, .. } = self;
        estimate.get_or_insert_with(|| {
            let estimate = prepared.estimate_before_run(None);
            estimate.unwrap_or_else(|| prepared.rough_estimate())
        })
    }

    /// Estimates the size of the sweep as [`PreparedSweep::measure`], unless a dry run has estimated it before; if that
    /// is cancelled, as [`Self::estimate`].
    pub fn measure(&mut self, max_seconds: f64) -> &Estimate {
        if !self.estimate().is_exact
            && let Some(measured) = self.prepared.measure(max_seconds)
        {
            self.estimate = Some(measured);
        }
        self.estimate()
    }

    /// Drops the tables of feasible signatures that the estimate has built.
    pub fn drop_tables(&mut self) {
        self.prepared.drop_tables();
    }

    /// Returns an upper bound of the count for each number of rows, from 1, by a sweep over
    /// signatures alone; see [`PreparedSweep::upper_bound`]. Returns `None` if that sweep was
    /// cancelled or the frontier is too wide.
    #[must_use]
    pub fn upper_bounds(&self) -> Option<Vec<BigUint>> {
        let mut bounds = self.prepared.upper_bounds()?.numbers;
        if let Some(square) = self.single_square_count() {
            bounds[0] = square;
        }
        Some(bounds)
    }

    /// Returns this planned sweep with weights that are residues of `ring`.
    #[must_use]
    pub fn with_residues(&self, ring: ResidueRing) -> Self {
        let prepared = self.prepared.clone().with_residues(ring);
        Self { prepared, estimate: None, ..*self }
    }

    /// Returns the count of the shortest board if this board is a single square, else `None`. A
    /// single square has one path. With the apex this path would be a cycle of two vertices, which
    /// the sweep cannot count.
    fn single_square_count(&self) -> Option<BigUint> {
        (self.width == 1).then(|| BigUint::from(u8::from(self.tours == Tours::Paths)))
    }

    /// Runs the sweep. Passes each number of rows and its count to `row` as soon as the sweep
    /// reaches it.
    ///
    /// # Errors
    /// As for [`PreparedSweep::sweep`].
    pub fn sweep(
        self,
        observer: &mut dyn Observer,
        row: &mut (dyn FnMut(u16, BigUint) + Send),
    ) -> Result<(), Error> {
        self.sweep_with_storage(Storage::default(), observer, row)
    }

    /// Runs the sweep like [`SeriesSweep::sweep`], with storage: the observer may receive
    /// snapshots, and the sweep may resume from a snapshot. A resumed sweep passes on the boards
    /// that the earlier session did not reach, and possibly some boards that the earlier session
    /// already passed on.
    ///
    /// # Errors
    /// As for [`PreparedSweep::sweep`].
    pub fn sweep_with_storage(
        self,
        storage: Storage,
        observer: &mut dyn Observer,
        row: &mut (dyn FnMut(u16, BigUint) + Send),
    ) -> Result<(), Error> {
        let mut reporter = RowReporter {
            single_square_count: self.single_square_count(),
            reported: 0,
            on_row: row,
            observer,
        };
        let outcome = self.prepared.sweep(storage, &mut reporter)?;
        reporter.on_shorter_board(self.longest - 1, &outcome.count);
        Ok(())
    }
}

/// Observer that passes each number of rows and its count to `on_row` once, and all other events to
/// `observer`.
struct RowReporter<'a> {
    /// Count of the shortest board, if this board is a single square.
    single_square_count: Option<BigUint>,
    reported: usize,
    on_row: &'a mut (dyn FnMut(u16, BigUint) + Send),
    observer: &'a mut dyn Observer,
}

impl Observer for RowReporter<'_> {
    fn on_step(&mut self, report: &StepReport) -> ControlFlow<()> {
        self.observer.on_step(report)
    }

    fn on_step_fraction(&mut self, steps: usize, part: f64) {
        self.observer.on_step_fraction(steps, part);
    }

    fn poll(&mut self) -> Command {
        self.observer.poll()
    }

    fn on_saving(&mut self) {
        self.observer.on_saving();
    }

    fn on_snapshot(&mut self, snapshot: &Snapshot) {
        self.observer.on_snapshot(snapshot);
    }

    fn on_save_error(&mut self, why: &str) {
        self.observer.on_save_error(why);
    }

    fn on_shorter_board(&mut self, number: usize, count: &BigUint) {
        if number < self.reported {
            return;
        }
        self.reported = number + 1;
        let count = self.single_square_count.as_ref().filter(|_| number == 0).unwrap_or(count);
        (self.on_row)(self.reported as u16, count.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::NoObserver;
    use super::*;
    use crate::board::{Leaper, Rectangle};
    use crate::frontier::planning::cancel::Cancel;

    #[test]
    fn count_series_counts_every_length_from_one() {
        let count = |(width, longest): (u16, u16), tours| {
            let longest = Board::from_leaper(Rectangle::new(longest, width).unwrap(), Leaper::KNIGHT);
            let mut counts = Vec::new();
            let mut row = |length, count: BigUint| {
                counts.push(count.to_string());
                assert_eq!(usize::from(length), counts.len());
            };
            let whole = count_series(&longest, tours, &Options::default(), &mut NoObserver).unwrap();
            let options = Options::default();
            count_series_by_rows(&longest, tours, &options, &mut NoObserver, &mut row).unwrap();
            assert_eq!(whole.iter().map(ToString::to_string).collect::<Vec<_>>(), counts);
            counts
        };
        assert_eq!(count((5, 6), Tours::Closed), ["0", "0", "0", "0", "0", "8"]);
        assert_eq!(count((1, 3), Tours::Paths), ["1", "0", "0"]);
        assert_eq!(count((3, 4), Tours::Paths), ["0", "0", "0", "8"]);
    }

    #[test]
    fn sweep_takes_over_the_tables_of_its_estimate() {
        let longest = Board::from_leaper(Rectangle::new(8, 6).unwrap(), Leaper::KNIGHT);
        let (cancel, polls) = Cancel::after_polls(usize::MAX);
        let options = Options { memory: Some(20 << 20), cancel, ..Options::default() };
        let mut estimated = SeriesSweep::new(&longest, Tours::Closed, &options).unwrap();
        assert!(estimated.estimate().is_exact);
        let mut polls_of = |compute: &mut dyn FnMut(&mut SeriesSweep)| {
            let before = polls.count();
            compute(&mut estimated);
            polls.count() - before
        };
        assert_eq!(polls_of(&mut |sweep| drop(sweep.measure(9.0).clone())), 0, "the estimate is known");
        let mut run = |sweep: &mut SeriesSweep| sweep.clone().sweep(&mut NoObserver, &mut |_, _| ()).unwrap();
        let with_tables = polls_of(&mut run);
        let without = polls_of(&mut |sweep| {
            sweep.drop_tables();
            run(sweep);
        });
        assert!(with_tables < without, "{with_tables} {without}");
    }

    #[test]
    fn measured_sweep_fits_into_the_limit_that_follows() {
        let longest = Board::from_leaper(Rectangle::new(9, 6).unwrap(), Leaper::KNIGHT);
        let planned = |memory| {
            let options = Options { memory: Some(memory), ..Options::default() };
            SeriesSweep::new(&longest, Tours::Paths, &options).unwrap()
        };
        // No tables fit into this limit.
        let mut sweep = planned(8 << 20);
        assert!(!sweep.estimate().is_exact);
        let measured = sweep.measure(60.0).clone();
        let limit = measured.min_memory_without_store();
        assert!(measured.is_exact && limit > 8 << 20);
        let again = planned(limit).measure(60.0).min_memory_without_store();
        assert!(again.abs_diff(limit) < limit / 100, "{again} {limit}");
        planned(limit).sweep(&mut NoObserver, &mut |_, _| ()).unwrap();
    }

    #[test]
    fn upper_bounds_hold_for_every_length() {
        for (width, longest, tours) in [
            (5, 6, Tours::Closed),
            (5, 6, Tours::Paths),
            (1, 3, Tours::Paths),
            (1, 1, Tours::Paths),
            (3, 50, Tours::Closed),
        ] {
            let longest = Board::from_leaper(Rectangle::new(longest, width).unwrap(), Leaper::KNIGHT);
            let series_sweep = SeriesSweep::new(&longest, tours, &Options::default()).unwrap();
            let (bounds, mut number) = (series_sweep.upper_bounds().unwrap(), 0);
            let mut row = |_, count: BigUint| {
                assert!(count <= bounds[number], "{tours:?} {number}: {count} {}", bounds[number]);
                let bits = bounds[number].bits();
                assert!(bits <= 3 * count.bits() + 12, "{tours:?} {number}: {count} {}", bounds[number]);
                number += 1;
            };
            series_sweep.clone().sweep(&mut NoObserver, &mut row).unwrap();
            assert_eq!(number, bounds.len());
        }
    }
}
