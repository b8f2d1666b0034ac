//! The sweeps of a line that are kept, so that whoever is interrupted can go on with them.
//!
//! ```text
//! Swept (numbers so far, a sweep at rest) -> told again -> the rest of the sweep -> Rest
//! ```
//!
//! A sweep rests where it is; the numbers of shorter boards that it has passed are kept beside it. Where a number
//! comes a second time, because the last rest was before it, both must be the same.

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
    /// Where the first sweep that has not come to its end was left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_rest: Option<Snapshot>,
}

impl Swept {
    /// Nothing of a line with so many sweeps.
    #[must_use]
    pub fn new(line: &str, sweeps: usize) -> Self {
        Self { line: line.to_owned(), numbers: vec![Vec::new(); sweeps], at_rest: None }
    }
}

/// Somebody who keeps what sweeps have done.
pub trait Rest: Sync {
    /// The sweeps of a line begin, or go on: what is kept of them.
    fn begin(&self, line: &str, sweeps: usize) -> Swept;

    /// Keeps layers of sweeps at rest, and those that do not fit into memory.
    fn store(&self) -> &dyn Store;

    /// A sweep has passed the next board.
    fn known(&self, sweep: usize, number: &BigUint);

    /// The sweep that had begun is done.
    fn done(&self);

    /// Whether it is time to rest.
    fn is_due(&self) -> bool;

    /// The sweep begins to rest.
    fn resting(&self);

    /// The sweep rests.
    fn rest(&self, snapshot: &Snapshot);

    /// The sweep could not be brought to rest.
    fn not_saved(&self, why: &str);
}

/// Numbers that came a second time, and otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differs {
    /// The length of the board.
    pub length: u16,
    /// What was kept.
    pub kept: BigUint,
    /// What it is now.
    pub now: BigUint,
}

/// One of the sweeps of a line, kept.
pub struct KeptSweep<'a> {
    /// Who keeps it.
    pub rest: &'a dyn Rest,
    /// Which of the sweeps it is.
    pub sweep: usize,
    /// The numbers that are known already.
    pub known: &'a [BigUint],
    /// Where it was left.
    pub from: Option<Snapshot>,
}

impl KeptSweep<'_> {
    /// Goes on to the board of the length `last`. All numbers are handed to `each`, those that are known first; one that
    /// comes out otherwise than before is told to `differs`.
    ///
    /// # Errors
    /// As for [`Family::sweep`].
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

/// The observer of a sweep that is kept.
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
