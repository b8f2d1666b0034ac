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

use crate::count::Watch;
use crate::frontier::{self, Family, Observer, Pulse, Snapshot, StepReport, Storage, Store};

/// How far the sweeps of a line have come.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Swept {
    /// The line, as text.
    pub line: String,
    /// For each sweep, the numbers of the boards that it has passed, by length from 1 on.
    pub numbers: Vec<Vec<BigUint>>,
    /// The state of the first unfinished sweep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_rest: Option<Snapshot>,
}

impl Swept {
    /// Creates the state of a line with `sweeps` sweeps before the first of them.
    #[must_use]
    pub fn new(line: &str, sweeps: usize) -> Self {
        Self { line: line.to_owned(), numbers: vec![Vec::new(); sweeps], at_rest: None }
    }
}

/// Saves the progress of the sweeps of a line.
pub trait Rest: Sync {
    /// Starts or resumes the sweeps of a line, and returns what was saved of them.
    fn begin(&self, line: &str, sweeps: usize) -> Swept;

    /// Returns the store for layers of suspended sweeps, and for layers that do not fit into memory.
    fn store(&self) -> &dyn Store;

    /// Adds the number of the next board that the sweep `sweep` has passed.
    fn known(&self, sweep: usize, number: &BigUint);

    /// Removes the state of the unfinished sweep, because the sweep has ended.
    fn done(&self);

    /// Returns true if it is time to save the sweep.
    fn is_due(&self) -> bool;

    /// Starts the measurement of the time that saving takes.
    fn resting(&self);

    /// Saves the state of the unfinished sweep.
    fn rest(&self, snapshot: &Snapshot);

    /// Reports that the sweep could not be saved, with the reason `why`.
    fn not_saved(&self, why: &str);
}

/// A number that was computed a second time with a different result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differs {
    /// The length of the board.
    pub length: u16,
    /// The saved number.
    pub kept: BigUint,
    /// The number that was computed now.
    pub now: BigUint,
}

/// One of the sweeps of a line, with its saved numbers.
pub struct KeptSweep<'a> {
    /// The saver.
    pub rest: &'a dyn Rest,
    /// The index of the sweep.
    pub sweep: usize,
    /// The numbers that are already saved, by length from 1 on.
    pub known: &'a [BigUint],
    /// The state in which the sweep was suspended.
    pub from: Option<Snapshot>,
}

impl KeptSweep<'_> {
    /// Resumes the sweep up to the board of length `last`. Passes all numbers to `each`, the saved ones
    /// first. Reports a number that differs from the saved one to `on_mismatch`.
    ///
    /// # Errors
    /// The errors of [`Family::sweep`].
    pub fn run(
        self,
        last: u16,
        family: Family,
        watch: Watch,
        each: &mut (dyn FnMut(u16, BigUint) + Send),
        differs: &mut (dyn FnMut(Differs) + Send),
    ) -> Result<(), frontier::Error> {
        let Self { rest, sweep, known, from } = self;
        (1..).zip(known).for_each(|(length, number)| each(length, number.clone()));
        if known.len() == usize::from(last) {
            return Ok(());
        }
        let storage = Storage { store: Some(rest.store()), snapshots: true, from, ..Storage::default() };
        family.sweep_stored(storage, &mut Resting { watch, rest }, &mut |length, number| match known
            .get(usize::from(length) - 1)
        {
            Some(kept) if *kept == number => {}
            Some(kept) => differs(Differs { length, kept: kept.clone(), now: number }),
            None => {
                rest.known(sweep, &number);
                each(length, number);
            }
        })?;
        rest.done();
        Ok(())
    }
}

/// The observer of a sweep that is saved.
struct Resting<'a> {
    watch: Watch<'a>,
    rest: &'a dyn Rest,
}

impl Observer for Resting<'_> {
    fn step(&mut self, report: &StepReport) -> ControlFlow<()> {
        self.watch.step(report)
    }

    fn pulse(&mut self) -> Pulse {
        match self.watch.pulse() {
            Pulse::Go if self.rest.is_due() => Pulse::Save,
            pulse => pulse,
        }
    }

    fn part(&mut self, steps: usize, part: f64) {
        self.watch.part(steps, part);
    }

    fn saving(&mut self) {
        self.rest.resting();
    }

    fn save(&mut self, snapshot: &Snapshot) {
        self.rest.rest(snapshot);
    }

    fn not_saved(&mut self, why: &str) {
        self.rest.not_saved(why);
    }
}
