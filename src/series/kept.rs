//! Saved sweeps of a line of boards, from which an interrupted run resumes.
//!
//! ```text
//! SavedSweeps (numbers so far, a suspended sweep) -> reported again -> remaining part of the sweep -> SweepSaver
//! ```
//!
//! A sweep can be suspended at any step. Its checkpoint includes the numbers of the shorter boards that it
//! has passed. If the last checkpoint is older than a saved number, the resumed sweep computes this number a
//! second time. Both must be equal.

use std::ops::ControlFlow;

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use crate::count::SweepProgress;
use crate::frontier::{self, Command, Observer, SeriesSweep, Snapshot, StepReport, Storage, Store};

/// How far the sweeps of a line have come.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SavedSweeps {
    /// The line, as text.
    pub line: String,
    /// For each sweep, the numbers of the boards that it has passed, by length from 1 on.
    pub numbers: Vec<Vec<BigUint>>,
    /// The state of the first unfinished sweep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspended: Option<Snapshot>,
}

impl SavedSweeps {
    /// Creates the state of a line with `sweeps` sweeps before the first of them.
    #[must_use]
    pub fn new(line: &str, sweeps: usize) -> Self {
        Self { line: line.to_owned(), numbers: vec![Vec::new(); sweeps], suspended: None }
    }
}

/// Saves the progress of the sweeps of a line.
pub trait SweepSaver: Sync {
    /// Starts or resumes the sweeps of a line, and returns what was saved of them.
    fn begin_line(&self, line: &str, sweeps: usize) -> SavedSweeps;

    /// Returns the store for layers of suspended sweeps, and for layers that do not fit into memory.
    fn store(&self) -> &dyn Store;

    /// Adds the number of the next board that the sweep `sweep` has passed.
    fn add_number(&self, sweep: usize, number: &BigUint);

    /// Removes the state of the unfinished sweep, because the sweep has ended.
    fn finish_sweep(&self);

    /// Returns true if it is time to save the sweep.
    fn is_due(&self) -> bool;

    /// Starts the measurement of the time that saving takes.
    fn begin_save(&self);

    /// Saves the state of the unfinished sweep.
    fn save_sweep(&self, snapshot: &Snapshot);

    /// Reports that the sweep could not be saved, with the reason `why`.
    fn report_failure(&self, why: &str);
}

/// A number that was computed a second time with a different result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberMismatch {
    /// The length of the board.
    pub length: u16,
    /// The saved number.
    pub saved: BigUint,
    /// The number that was computed now.
    pub computed: BigUint,
}

/// One of the sweeps of a line, with its saved numbers.
pub struct ResumableSweep<'a> {
    /// The saver.
    pub saver: &'a dyn SweepSaver,
    /// The index of the sweep.
    pub sweep: usize,
    /// The numbers that are already saved, by length from 1 on.
    pub saved_numbers: &'a [BigUint],
    /// The state in which the sweep was suspended.
    pub snapshot: Option<Snapshot>,
}

impl ResumableSweep<'_> {
    /// Resumes the sweep up to the board of length `last`. Passes all numbers to `each`, the saved ones
    /// first. Reports a number that differs from the saved one to `on_mismatch`.
    ///
    /// # Errors
    /// The errors of [`Family::sweep`].
    pub fn resume(
        self,
        last: u16,
        family: SeriesSweep,
        watch: SweepProgress,
        each: &mut (dyn FnMut(u16, BigUint) + Send),
        on_mismatch: &mut (dyn FnMut(NumberMismatch) + Send),
    ) -> Result<(), frontier::Error> {
        let Self { saver: rest, sweep, saved_numbers: known, snapshot: from } = self;
        (1..).zip(known).for_each(|(length, number)| each(length, number.clone()));
        if known.len() == usize::from(last) {
            return Ok(());
        }
        let storage = Storage {
            store: Some(rest.store()),
            wants_snapshots: true,
            resume_from: from,
            ..Storage::default()
        };
        family.sweep_with_storage(
            storage,
            &mut SavingObserver { watch, saver: rest },
            &mut |length, number| match known.get(usize::from(length) - 1) {
                Some(kept) if *kept == number => {}
                Some(kept) => on_mismatch(NumberMismatch { length, saved: kept.clone(), computed: number }),
                None => {
                    rest.add_number(sweep, &number);
                    each(length, number);
                }
            },
        )?;
        rest.finish_sweep();
        Ok(())
    }
}

/// The observer of a sweep that is saved.
struct SavingObserver<'a> {
    watch: SweepProgress<'a>,
    saver: &'a dyn SweepSaver,
}

impl Observer for SavingObserver<'_> {
    fn on_step(&mut self, report: &StepReport) -> ControlFlow<()> {
        self.watch.on_step(report)
    }

    fn poll(&mut self) -> Command {
        match self.watch.poll() {
            Command::Continue if self.saver.is_due() => Command::Save,
            pulse => pulse,
        }
    }

    fn on_step_fraction(&mut self, steps: usize, part: f64) {
        self.watch.on_step_fraction(steps, part);
    }

    fn on_saving(&mut self) {
        self.saver.begin_save();
    }

    fn on_snapshot(&mut self, snapshot: &Snapshot) {
        self.saver.save_sweep(snapshot);
    }

    fn on_save_error(&mut self, why: &str) {
        self.saver.report_failure(why);
    }
}
