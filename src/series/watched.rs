//! All sweeps of a line of boards, with progress reports and checkpoints.

use std::sync::Mutex;

use num_bigint::BigUint;

use super::kept::{Differs, KeptSweep, Rest, Swept};
use super::line::Line;
use crate::control::Control;
use crate::count::theorems::Broken;
use crate::count::{CountError, Watch};
use crate::frontier::{self, Family, Snapshot};
use crate::lock::lock;

/// All sweeps of a line, by index.
pub struct Watched<'a> {
    line: Line,
    rest: Option<&'a dyn Rest>,
    control: &'a Control,
    /// The saved progress.
    swept: Swept,
    at_rest: Mutex<Option<Snapshot>>,
    /// Estimated seconds of the steps of each sweep.
    steps: Vec<Vec<f64>>,
    differs: Mutex<Option<Differs>>,
}

impl<'a> Watched<'a> {
    /// Registers the sweeps of all families, each repeated `times` times, with the control, and loads what
    /// was saved of them.
    pub fn begin(
        line: Line,
        families: &[Family],
        times: usize,
        rest: Option<&'a dyn Rest>,
        control: &'a Control,
    ) -> Self {
        let one: Vec<Vec<f64>> = families.iter().map(|family| family.outlook().step_seconds).collect();
        let steps: Vec<Vec<f64>> = (0..times).flat_map(|_| one.iter().cloned()).collect();
        let swept = rest.map(|rest| rest.begin(&line.to_string(), steps.len())).unwrap_or_default();
        control.begin(steps.len(), &(0..steps.len() as u32).collect::<Vec<_>>());
        control.set_estimates(steps.iter().map(|steps| steps.iter().sum()).collect());
        let at_rest = Mutex::new(swept.at_rest.clone());
        Self { line, rest, control, swept, at_rest, steps, differs: Mutex::new(None) }
    }

    /// Runs the sweep with the index `number`, or the remaining part of it. Passes all its numbers to `each`,
    /// by length from 1 on.
    ///
    /// # Errors
    /// The errors of [`Family::sweep`].
    pub fn sweep(
        &self,
        number: usize,
        family: Family,
        each: &mut (dyn FnMut(u16, BigUint) + Send),
    ) -> Result<(), frontier::Error> {
        let (control, watch) = (self.control, Watch::new(self.control, "series"));
        match self.rest {
            None => {
                control.sweep_begins(&self.steps[number], 0);
                family.sweep(&mut { watch }, each)?;
            }
            Some(rest) => {
                let (known, last) = (&self.swept.numbers[number], self.line.last());
                let is_done = known.len() == usize::from(last);
                let from = if is_done { None } else { lock(&self.at_rest).take() };
                control.sweep_begins(&self.steps[number], from.as_ref().map_or(0, |from| from.step));
                let kept = KeptSweep { rest, sweep: number, known, from };
                kept.run(last, family, watch, each, &mut |found| {
                    lock(&self.differs).get_or_insert(found);
                    control.cancel();
                })?;
            }
        }
        control.unit_done(number, 0, 0);
        Ok(())
    }

    /// Returns the result of all sweeps.
    ///
    /// # Errors
    /// The first of these that occurred: a number that differs from the saved one, `broken`, the error of
    /// `swept`.
    pub fn end(
        self,
        broken: Option<CountError>,
        swept: Result<(), frontier::Error>,
    ) -> Result<(), CountError> {
        if let Some(Differs { length, kept, now }) = lock(&self.differs).take() {
            let board = self.line.board(length);
            return Err(Broken::new(format!("{board}: computed {now}, but the checkpoint has {kept}")).into());
        }
        broken.map_or(Ok(swept?), Err)
    }
}
