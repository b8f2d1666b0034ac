//! Saved sweeps of a line of boards, from which an interrupted run resumes.
//!
//! ```text
//! SavedSweeps (numbers so far, a suspended sweep) -> reported again -> remaining part of the sweep -> SweepSaver
//! ```
//!
//! A sweep can be suspended at any step. Its checkpoint includes the numbers of the shorter boards that it
//! has passed. If the last checkpoint is older than a saved number, the resumed sweep computes this number a
//! second time. Both must be equal.
//!
//! All sweeps of a line of boards, with progress reports and checkpoints.

use std::ops::ControlFlow;
use std::sync::Mutex;

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use super::board_range::BoardLine;
use crate::control::Control;
use crate::count::theorems::TheoremViolation;
use crate::count::{CountError, SweepProgress};
use crate::frontier;
use crate::frontier::{Command, Observer, SeriesSweep, Snapshot, StepReport, Storage, Store};
use crate::lock::lock;

/// How far the sweeps of a line have come.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SavedSweeps {
    /// The line, as text.
    pub line: String,
    /// For each sweep, the numbers of the boards that it has passed, by length from 1 on.
    pub numbers: Vec<Vec<BigUint>>,
    /// The state of the first unfinished sweep.
    #[serde(rename = "at_rest", default, skip_serializing_if = "Option::is_none")]
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
    /// The errors of [`SeriesSweep::sweep`].
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

/// All sweeps of a line, by index.
pub struct LineSweeps<'a> {
    line: BoardLine,
    saver: Option<&'a dyn SweepSaver>,
    control: &'a Control,
    /// The saved progress.
    saved: SavedSweeps,
    suspended: Mutex<Option<Snapshot>>,
    /// Estimated seconds of the steps of each sweep.
    step_seconds: Vec<Vec<f64>>,
    mismatch: Mutex<Option<NumberMismatch>>,
}

impl<'a> LineSweeps<'a> {
    /// Registers the sweeps of all families, each repeated `times` times, with the control, and loads what
    /// was saved of them.
    pub fn begin(
        line: BoardLine,
        families: &[SeriesSweep],
        times: usize,
        rest: Option<&'a dyn SweepSaver>,
        control: &'a Control,
    ) -> Self {
        let one: Vec<Vec<f64>> = families.iter().map(|family| family.rough_estimate().step_seconds).collect();
        let steps: Vec<Vec<f64>> = (0..times).flat_map(|_| one.iter().cloned()).collect();
        let swept = rest.map(|rest| rest.begin_line(&line.to_string(), steps.len())).unwrap_or_default();
        control.begin_run(steps.len(), &(0..steps.len() as u32).collect::<Vec<_>>());
        control.set_estimates(steps.iter().map(|steps| steps.iter().sum()).collect());
        let at_rest = Mutex::new(swept.suspended.clone());
        Self {
            line,
            saver: rest,
            control,
            saved: swept,
            suspended: at_rest,
            step_seconds: steps,
            mismatch: Mutex::new(None),
        }
    }

    /// Runs the sweep with the index `number`, or the remaining part of it. Passes all its numbers to `each`,
    /// by length from 1 on.
    ///
    /// # Errors
    /// The errors of [`SeriesSweep::sweep`].
    pub fn run_sweep(
        &self,
        number: usize,
        family: SeriesSweep,
        each: &mut (dyn FnMut(u16, BigUint) + Send),
    ) -> Result<(), frontier::Error> {
        let (control, watch) = (self.control, SweepProgress::new(self.control, "series"));
        match self.saver {
            None => {
                control.begin_sweep(&self.step_seconds[number], 0);
                family.sweep(&mut { watch }, each)?;
            }
            Some(rest) => {
                let (known, last) = (&self.saved.numbers[number], self.line.last());
                let is_done = known.len() == usize::from(last);
                let from = if is_done { None } else { lock(&self.suspended).take() };
                control.begin_sweep(&self.step_seconds[number], from.as_ref().map_or(0, |from| from.step));
                let kept =
                    ResumableSweep { saver: rest, sweep: number, saved_numbers: known, snapshot: from };
                kept.resume(last, family, watch, each, &mut |found| {
                    lock(&self.mismatch).get_or_insert(found);
                    control.cancel();
                })?;
            }
        }
        control.finish_unit(number, 0, 0);
        Ok(())
    }

    /// Returns the result of all sweeps.
    ///
    /// # Errors
    /// The first of these that occurred: a number that differs from the saved one, `broken`, the error of
    /// `swept`.
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
