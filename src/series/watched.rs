//! The sweeps of a line as they are watched: one of several, told to the control, kept if somebody keeps them.

use std::sync::Mutex;

use num_bigint::BigUint;

use super::kept::{Differs, KeptSweep, Rest, Swept};
use super::line::Line;
use crate::control::Control;
use crate::count::theorems::Broken;
use crate::count::{CountError, Watch};
use crate::frontier::{self, Family, Snapshot};
use crate::lock::lock;

/// All sweeps of a line, by number.
pub struct Watched<'a> {
    line: Line,
    rest: Option<&'a dyn Rest>,
    control: &'a Control,
    /// What was kept of them.
    swept: Swept,
    at_rest: Mutex<Option<Snapshot>>,
    /// Seconds of the steps of each, by estimate.
    steps: Vec<Vec<f64>>,
    differs: Mutex<Option<Differs>>,
}

impl<'a> Watched<'a> {
    /// The sweeps begin: those of all families, so many times.
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

    /// Makes the sweep of this number, or what is left of it; all its numbers are handed to `each`, by length from 1 on.
    ///
    /// # Errors
    /// As for [`Family::sweep`].
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

    /// What the sweeps came to: numbers that came out otherwise than before are told first.
    ///
    /// # Errors
    /// The first thing that went wrong.
    pub fn end(
        self,
        broken: Option<CountError>,
        swept: Result<(), frontier::Error>,
    ) -> Result<(), CountError> {
        if let Some(Differs { length, kept, now }) = lock(&self.differs).take() {
            let board = self.line.board(length);
            return Err(Broken::new(format!("{board}: {now}, and {kept} is what was kept of it")).into());
        }
        broken.map_or(Ok(swept?), Err)
    }
}
