//! The sweeps of a [`BoardLine`] (boards of one width), with progress reports and checkpoints.
//!
//! ```text
//! SavedSweeps (numbers so far, a suspended sweep) -> reported again -> remaining part of the sweep -> SweepSaver
//! ```
//!
//! A sweep can be suspended at any step. Its checkpoint includes the numbers of tours of the shorter boards
//! that the sweep has passed. If a number was saved after the last state of the sweep, the resumed sweep
//! computes this number a second time. Both numbers must be equal.

use std::sync::Mutex;

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use super::board_range::BoardLine;
use crate::control::Control;
use crate::count::theorems::TheoremViolation;
use crate::count::{CountError, SavingObserver, SnapshotSaver, SweepProgress};
use crate::frontier;
use crate::frontier::{SeriesSweep, Snapshot, Storage, Store};
use crate::lock::lock;

/// The saved progress of the sweeps of a [`BoardLine`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SavedSweeps {
    /// The [`BoardLine`] in text form, such as `5x2..60`.
    pub line: String,
    /// For each sweep, the numbers of tours of the boards that the sweep has passed, by length from
    /// 1 on.
    pub numbers: Vec<Vec<BigUint>>,
    /// The state in which the first unfinished sweep was suspended.
    #[serde(rename = "at_rest", default, skip_serializing_if = "Option::is_none")]
    pub suspended: Option<Snapshot>,
}

impl SavedSweeps {
    /// Creates the progress of `sweeps` sweeps none of which has begun. `line` is the [`BoardLine`]
    /// in text form.
    #[must_use]
    pub fn new(line: &str, sweeps: usize) -> Self {
        Self { line: line.to_owned(), numbers: vec![Vec::new(); sweeps], suspended: None }
    }
}

/// Saves the progress of the sweeps of a [`BoardLine`].
pub trait SweepSaver: SnapshotSaver {
    /// Starts or resumes the sweeps of a [`BoardLine`], and returns their saved progress. `line` is its text
    /// form, `sweeps` the number of its sweeps.
    fn begin_line(&self, line: &str, sweeps: usize) -> SavedSweeps;

    /// Returns the store for layers of suspended sweeps, and for layers that do not fit into memory. `None` if
    /// nothing is saved.
    fn store(&self) -> Option<&dyn Store>;

    /// Saves the number of tours of the next board that the sweep with the index `sweep` has
    /// passed.
    fn add_number(&self, sweep: usize, number: &BigUint);

    /// Removes the state of the unfinished sweep, because the sweep has ended.
    fn finish_sweep(&self);
}

/// A number of tours that was computed a second time with a different result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberMismatch {
    /// Length of the board whose number was computed twice.
    pub length: u16,
    /// The number that was saved before.
    pub saved: BigUint,
    /// The number that the resumed sweep computed.
    pub computed: BigUint,
}

/// A sweep that starts or is resumed, with the numbers of tours saved so far.
pub struct ResumableSweep<'a> {
    /// Saves the progress of the sweep.
    pub saver: &'a dyn SweepSaver,
    /// Index of the sweep among the sweeps of its [`BoardLine`].
    pub sweep: usize,
    /// The numbers of tours that are already saved, by length from 1 on.
    pub saved_numbers: &'a [BigUint],
    /// The state in which the sweep was suspended; `None` if the sweep starts from its beginning.
    pub snapshot: Option<Snapshot>,
}

impl ResumableSweep<'_> {
    /// Runs the remaining part of the sweep `series_sweep` up to the board of length `last`. Passes the
    /// numbers of tours of all boards to `each`, the saved numbers first. Reports a number that
    /// differs from the saved one to `on_mismatch`.
    ///
    /// # Errors
    /// The errors of [`SeriesSweep::sweep`].
    pub fn resume(
        self,
        last: u16,
        series_sweep: SeriesSweep,
        progress: SweepProgress,
        each: &mut (dyn FnMut(u16, BigUint) + Send),
        on_mismatch: &mut (dyn FnMut(NumberMismatch) + Send),
    ) -> Result<(), frontier::Error> {
        let Self { saver, sweep, saved_numbers: known, snapshot: from } = self;
        (1..).zip(known).for_each(|(length, number)| each(length, number.clone()));
        if known.len() == usize::from(last) {
            return Ok(());
        }
        let storage = Storage {
            store: saver.store(),
            wants_snapshots: saver.store().is_some(),
            resume_from: from,
            ..Storage::default()
        };
        series_sweep.sweep_with_storage(
            storage,
            &mut SavingObserver { progress, saver },
            &mut |length, number| match known.get(usize::from(length) - 1) {
                Some(kept) if *kept == number => {}
                Some(kept) => on_mismatch(NumberMismatch { length, saved: kept.clone(), computed: number }),
                None => {
                    saver.add_number(sweep, &number);
                    each(length, number);
                }
            },
        )?;
        saver.finish_sweep();
        Ok(())
    }
}

/// All sweeps of a [`BoardLine`], by index, with their saved progress.
pub struct LineSweeps<'a> {
    line: BoardLine,
    saver: Option<&'a dyn SweepSaver>,
    control: &'a Control,
    /// The saved progress of the sweeps.
    saved: SavedSweeps,
    suspended: Mutex<Option<Snapshot>>,
    /// For each sweep, the estimated seconds of its steps.
    step_seconds: Vec<Vec<f64>>,
    mismatch: Mutex<Option<NumberMismatch>>,
}

impl<'a> LineSweeps<'a> {
    /// Creates the sweeps `series_sweeps`, each repeated `times` times. Registers them with the control
    /// and loads their saved progress.
    pub fn begin(
        line: BoardLine,
        series_sweeps: &[SeriesSweep],
        times: usize,
        saver: Option<&'a dyn SweepSaver>,
        control: &'a Control,
    ) -> Self {
        let one: Vec<Vec<f64>> =
            series_sweeps.iter().map(|series_sweep| series_sweep.rough_estimate().step_seconds).collect();
        let steps: Vec<Vec<f64>> = (0..times).flat_map(|_| one.iter().cloned()).collect();
        let swept = saver.map(|saver| saver.begin_line(&line.to_string(), steps.len())).unwrap_or_default();
        control.begin_run(steps.len(), &(0..steps.len() as u32).collect::<Vec<_>>());
        control.set_estimates(steps.iter().map(|steps| steps.iter().sum()).collect());
        let latest_snapshot = Mutex::new(swept.suspended.clone());
        Self {
            line,
            saver,
            control,
            saved: swept,
            suspended: latest_snapshot,
            step_seconds: steps,
            mismatch: Mutex::new(None),
        }
    }

    /// Runs the sweep `series_sweep`, which has the index `number`, or the part of it that remains.
    /// Passes the numbers of tours of all its boards to `each`, by length from 1 on.
    ///
    /// # Errors
    /// The errors of [`SeriesSweep::sweep`].
    pub fn run_sweep(
        &self,
        number: usize,
        series_sweep: SeriesSweep,
        each: &mut (dyn FnMut(u16, BigUint) + Send),
    ) -> Result<(), frontier::Error> {
        let (control, progress) = (self.control, SweepProgress::new(self.control, "series"));
        match self.saver {
            None => {
                control.begin_sweep(&self.step_seconds[number], 0);
                series_sweep.sweep(&mut { progress }, each)?;
            }
            Some(rest) => {
                let (known, last) = (&self.saved.numbers[number], self.line.last());
                let is_done = known.len() == usize::from(last);
                let from = if is_done { None } else { lock(&self.suspended).take() };
                control.begin_sweep(&self.step_seconds[number], from.as_ref().map_or(0, |from| from.step));
                let resumable =
                    ResumableSweep { saver: rest, sweep: number, saved_numbers: known, snapshot: from };
                resumable.resume(last, series_sweep, progress, each, &mut |found| {
                    lock(&self.mismatch).get_or_insert(found);
                    control.cancel();
                })?;
            }
        }
        control.finish_unit(number, 0, 0);
        Ok(())
    }

    /// Returns the first error of the sweeps, if any. `broken` is an error that occurred while a
    /// row was computed, `swept` the result of the last sweep.
    ///
    /// # Errors
    /// The first of these errors that occurred: a number that differs from the saved one, `broken`,
    /// the error of `swept`.
    pub fn finish(
        self,
        broken: Option<CountError>,
        swept: Result<(), frontier::Error>,
    ) -> Result<(), CountError> {
        if let Some(NumberMismatch { length, saved, computed }) = lock(&self.mismatch).take() {
            let board = self.line.board(length);
            return Err(TheoremViolation::new(format!(
                "{board}: computed {computed}, but the checkpoint has {saved}"
            ))
            .into());
        }
        broken.map_or(Ok(swept?), Err)
    }
}
