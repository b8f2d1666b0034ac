//! All sweeps of a line of boards, with progress reports and checkpoints.

use std::sync::Mutex;

use num_bigint::BigUint;

use super::kept::{NumberMismatch, ResumableSweep, SavedSweeps, SweepSaver};
use super::line::BoardLine;
use crate::control::Control;
use crate::count::theorems::TheoremViolation;
use crate::count::{CountError, SweepProgress};
use crate::frontier::{self, SeriesSweep, Snapshot};
use crate::lock::lock;

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
    /// The errors of [`Family::sweep`].
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
