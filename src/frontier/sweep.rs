//! The sweep: from the empty layer to the count, widening weights on the way.
//!
//! A step is tried with the weights it has. If a sum outgrows them the step is
//! done again with the next wider type, from the same source layer; if growth
//! is certainly harmless the source layer is consumed while the step runs.
//! Weights stay narrow until late (8x8 closed: 20 bits half-way, 44 at the
//! end), so most of the work is done on 32 bits.

use std::ops::ControlFlow;
use std::time::Instant;

use num_bigint::BigUint;

use super::feasibility::Feasibility;
use super::layer::{Account, Layer};
use super::observer::{Observer, StepReport};
use super::plan::Plan;
use super::residue::{MODULI, Residue};
use super::signature::{INNER, Words};
use super::stride::Stride;
use super::tables::Tables;
use super::weight::{Weight, Wide, Widen};
use super::work::{Halt, Work};
use super::{Error, Outcome};

/// The weights in order of width.
trait Ladder: Weight + Widen<Self> {
    /// The next wider type; the widest names itself.
    type Wider: Ladder + Widen<Self>;
    /// Whether there is a wider type.
    const CAN_WIDEN: bool = true;
}

impl Ladder for u32 {
    type Wider = u64;
}
impl Ladder for u64 {
    type Wider = u128;
}
impl Ladder for u128 {
    type Wider = Wide<4>;
}
impl Ladder for Wide<4> {
    type Wider = Wide<8>;
}
impl<const P: u32> Ladder for Residue<P> {
    type Wider = Self;
    const CAN_WIDEN: bool = false;
}
impl Ladder for Wide<8> {
    type Wider = Self;
    const CAN_WIDEN: bool = false;
}

/// A sweep over layers of blocks.
pub struct Sweep<'a> {
    plan: &'a Plan,
    words: Words,
    tables: Tables,
    feasibility: Option<Feasibility>,
    /// Steps after which a shorter board is finished, the last square's not among them.
    shorter: &'a [usize],
    /// Bytes that layers may take.
    limit: u64,
    /// Bytes for everything else.
    fixed: u64,
    account: Account,
    observer: &'a mut dyn Observer,
    started: Instant,
    outcome: Outcome,
}

impl<'a> Sweep<'a> {
    /// Prepares tables and feasibility. `memory` is the ceiling for all of it, in bytes.
    ///
    /// # Errors
    /// [`Error::Memory`] if the tables alone exceed the ceiling.
    pub fn new(
        plan: &'a Plan,
        feasibility: bool,
        shorter: &'a [usize],
        memory: Option<u64>,
        observer: &'a mut dyn Observer,
    ) -> Result<Self, Error> {
        let started = Instant::now();
        let words = Words::new(plan.slots());
        let fixed = fixed_bytes(plan, &words, feasibility);
        let limit = memory.unwrap_or(u64::MAX);
        if fixed >= limit {
            return Err(Error::Memory { step: 0, steps: plan.steps().len(), limit });
        }
        Ok(Self {
            tables: Tables::new(plan.slots()),
            feasibility: feasibility.then(|| Feasibility::new(plan, &words, shorter)),
            plan,
            words,
            shorter,
            limit: limit - fixed,
            fixed,
            account: Account::default(),
            observer,
            started,
            outcome: Outcome::default(),
        })
    }

    /// Runs all steps, with weights as wide as they must be.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self) -> Result<Outcome, Error> {
        self.run_with::<u32>()
    }

    /// Runs all steps modulo one of the [`MODULI`].
    ///
    /// # Errors
    /// See [`Error`].
    ///
    /// # Panics
    /// If there is no such modulus.
    pub fn run_modulo(self, number: usize) -> Result<Outcome, Error> {
        match number {
            0 => self.run_with::<Residue<{ MODULI[0] }>>(),
            1 => self.run_with::<Residue<{ MODULI[1] }>>(),
            2 => self.run_with::<Residue<{ MODULI[2] }>>(),
            3 => self.run_with::<Residue<{ MODULI[3] }>>(),
            4 => self.run_with::<Residue<{ MODULI[4] }>>(),
            5 => self.run_with::<Residue<{ MODULI[5] }>>(),
            _ => panic!("there are {} moduli", MODULI.len()),
        }
    }

    fn run_with<W: Ladder>(mut self) -> Result<Outcome, Error> {
        let layer = Layer::<W>::initial(&self.words, &self.account);
        self.outcome.count = self.run_from(0, layer)?;
        self.outcome.seconds = self.started.elapsed().as_secs_f64();
        Ok(self.outcome)
    }

    fn run_from<W: Ladder>(&mut self, from: usize, mut layer: Layer<W>) -> Result<BigUint, Error> {
        for t in from..self.plan.steps().len() {
            let begun = Instant::now();
            let table = self.feasibility.as_mut().map(|f| f.after(self.plan, &self.words, self.shorter, t));
            let table: Option<&[u128]> = table.as_ref().map(|table| table.as_slice());
            let words = self.words.clone();
            let stride = Stride::new(self.plan, &words, &self.tables, table, self.shorter, t);
            let bits = layer.bits.into_iter().max().unwrap_or(0);
            // The top bit must stay clear; one more bit than now is hope enough for a try.
            if !W::EXACT || bits + 1 < W::BITS {
                let safe = !W::EXACT || stride.keeps_within(W::BITS - 1, &layer.bits);
                match stride.apply::<W, W>(&mut layer, safe, &self.account, self.limit) {
                    Ok((next, work)) => {
                        std::mem::replace(&mut layer, next).free(&self.account);
                        self.after_step(t, &mut layer, work, begun)?;
                        continue;
                    }
                    Err(Halt::Memory) => return Err(self.out_of_memory(t)),
                    Err(Halt::Narrow) => {}
                }
            }
            if !W::CAN_WIDEN {
                return Err(Error::TooManyTours { bits: W::BITS });
            }
            return match stride.apply::<W, W::Wider>(&mut layer, true, &self.account, self.limit) {
                Ok((mut next, work)) => {
                    layer.free(&self.account);
                    self.after_step(t, &mut next, work, begun)?;
                    self.run_from(t + 1, next)
                }
                Err(Halt::Memory) => Err(self.out_of_memory(t)),
                Err(Halt::Narrow) => unreachable!("a step adds fewer bits than the next type has"),
            };
        }
        Ok(layer.take_finished(&self.words, (0, 0)).to_big())
    }

    fn after_step<W: Weight>(
        &mut self,
        t: usize,
        layer: &mut Layer<W>,
        work: Work,
        begun: Instant,
    ) -> Result<(), Error> {
        if self.shorter.contains(&t) {
            let inner = self.plan.finished(t, t).expect("nothing is left of the shorter board");
            let tour = self.words.locate(|slot| 2 * (inner >> slot & 1) as u32);
            self.outcome.shorter.push(layer.take_finished(&self.words, tour).to_big());
        }
        let report = StepReport {
            step: t + 1,
            steps: self.plan.steps().len(),
            vertex: self.plan.steps()[t].vertex,
            frontier: self.plan.steps()[t].occupied.count_ones(),
            signatures: work.signatures,
            states: work.states,
            weights: work.weights,
            transitions: work.transitions,
            pruned: work.pruned,
            folded: work.folded,
            weight_bits: work.bits(),
            bytes: layer.bytes() + self.fixed,
            seconds: begun.elapsed().as_secs_f64(),
            elapsed: self.started.elapsed().as_secs_f64(),
        };
        let outcome = &mut self.outcome;
        outcome.peak_states = outcome.peak_states.max(work.states);
        outcome.peak_weights = outcome.peak_weights.max(work.weights);
        outcome.peak_bytes = outcome.peak_bytes.max(self.account.peak() + self.fixed).max(report.bytes);
        outcome.states += work.states;
        outcome.weights += work.weights;
        outcome.transitions += work.transitions;
        match self.observer.step(&report) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::Stopped { step: t + 1, steps: self.plan.steps().len() }),
        }
    }

    fn out_of_memory(&self, t: usize) -> Error {
        let limit = if self.limit == u64::MAX { u64::MAX } else { self.limit + self.fixed };
        Error::Memory { step: t + 1, steps: self.plan.steps().len(), limit }
    }
}

/// Bytes for index maps and feasibility.
#[must_use]
pub fn fixed_bytes(plan: &Plan, words: &Words, feasibility: bool) -> u64 {
    let tables = 1 << 20;
    let entries = (2 * words.len() * size_of::<u128>()) as u64;
    tables + entries + if feasibility { Feasibility::bytes(plan, words) } else { 0 }
}

/// Most slots for which the bit tables of signatures are reasonable.
pub const MOST_BLOCK_SLOTS: usize = INNER + 16;
