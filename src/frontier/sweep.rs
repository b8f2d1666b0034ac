//! The sweep: from the empty layer to the count, one step after the other.
//!
//! A sweep may rest between any two chunks of a step: its chunks are then all in the
//! [`Store`], and a [`Snapshot`] names them. It goes on from there as if nothing had
//! happened.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use num_bigint::BigUint;
use rayon::prelude::*;

use super::advance::{Advance, Parts};
use super::cut::{Cut, Filter};
use super::feasibility::Feasibility;
use super::layer::Chunk;
use super::observer::{Observer, Pulse, StepReport};
use super::plan::Plan;
use super::shelf::{Keeper, Shelf};
use super::signature::{INNER, Words};
use super::snapshot::{Snapshot, Totals};
use super::store::Store;
use super::stride::Stride;
use super::tables::Tables;
use super::weight::Weight;
use super::weights::{Target, Width, with_weights, with_width};
use super::work::{Halt, Work};
use super::{Error, Outcome};

/// How a sweep is to be made.
#[derive(Clone, Copy, Default)]
pub struct Manner<'a> {
    /// Whether signatures that cannot be completed are dropped; always, if the sweep is cut.
    pub feasibility: bool,
    /// Steps after which a shorter board is finished, the last square's not among them.
    pub shorter: &'a [usize],
    /// The ceiling for all memory in bytes.
    pub memory: Option<u64>,
    /// The part to be counted, if not everything.
    pub cut: Option<Cut>,
    /// Count modulo two to the power of these bits.
    pub modulo: Option<Width>,
    /// Whether mirror images are folded in the plan.
    pub fold: bool,
    /// Where chunks go that do not fit into memory, and to rest.
    pub store: Option<&'a dyn Store>,
    /// Whether somebody wants snapshots.
    pub rests: bool,
}

/// A sweep over layers of blocks.
pub struct Sweep<'a> {
    plan: &'a Plan,
    manner: Manner<'a>,
    words: Words,
    tables: Tables,
    feasibility: Option<Feasibility>,
    keeper: Keeper<'a>,
    /// Bytes for everything but layers.
    fixed: u64,
    observer: Mutex<&'a mut dyn Observer>,
    started: Instant,
    totals: Totals,
    /// Seconds and bytes written before this sitting.
    before: f64,
    written_before: u64,
    outcome: Outcome,
}

impl<'a> Sweep<'a> {
    /// Prepares tables and feasibility.
    ///
    /// # Errors
    /// [`Error::Memory`] if the tables alone exceed the ceiling.
    pub fn new(plan: &'a Plan, manner: Manner<'a>, observer: &'a mut dyn Observer) -> Result<Self, Error> {
        let started = Instant::now();
        let words = Words::new(plan.slots());
        let feasibility = manner.feasibility || manner.cut.is_some();
        let fixed = fixed_bytes(plan, &words, feasibility, manner.memory);
        let limit = manner.memory.unwrap_or(u64::MAX);
        if fixed >= limit {
            return Err(Error::Memory { step: 0, steps: plan.steps().len(), limit });
        }
        let filter = manner.cut.map(|cut| {
            Filter::new(cut, plan, &words, |step| {
                let mut whole = Feasibility::new(plan, &words, manner.shorter, None, manner.memory);
                Some(whole.after(plan, &words, manner.shorter, step).to_vec())
            })
        });
        Ok(Self {
            tables: Tables::new(plan.slots()),
            feasibility: feasibility
                .then(|| Feasibility::new(plan, &words, manner.shorter, filter, manner.memory)),
            plan,
            words,
            keeper: Keeper::new(limit - fixed, manner.store),
            manner,
            fixed,
            observer: Mutex::new(observer),
            started,
            totals: Totals::default(),
            before: 0.0,
            written_before: 0,
            outcome: Outcome::default(),
        })
    }

    /// Runs all steps, or those that a snapshot has left.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(mut self, from: Option<Snapshot>) -> Result<Outcome, Error> {
        let (chunks, len) = (self.words.chunks(), self.words.chunk_len());
        let mut layer = Shelf::new(chunks, len);
        let (mut begun, mut first) = (None, 0);
        match from {
            None => {
                let width = self.manner.modulo.unwrap_or_default();
                let one = with_width!(width, T => T::pack(vec![T::ONE]));
                let chunk = Chunk::first(&self.words, one);
                let room = self.keeper.room(chunk.bytes(), &|| Ok(false));
                room.map_err(|halt| self.error(halt, 0))?;
                layer.put(0, chunk);
            }
            Some(snapshot) => {
                let next = Shelf::new(chunks, len);
                for (shelf, kept) in [(&layer, &snapshot.layer), (&next, &snapshot.next)] {
                    for &(number, kept) in kept {
                        shelf.put_kept(number, kept);
                        self.keeper.count_stored(kept);
                    }
                }
                first = snapshot.step;
                begun = Some((next, snapshot.done, snapshot.work));
                self.totals = snapshot.totals;
                self.before = snapshot.totals.seconds;
                self.written_before = snapshot.totals.written;
            }
        }
        for t in first..self.plan.steps().len() {
            let step_begun = Instant::now();
            let shorter = self.manner.shorter;
            let table = self.feasibility.as_mut().map(|f| f.after(self.plan, &self.words, shorter, t));
            let table: Option<&[u128]> = table.as_ref().map(|table| table.as_slice());
            let words = self.words.clone();
            let stride = Stride::new(self.plan, &words, &self.tables, table, shorter, t);
            let (target, done, work) =
                begun.take().unwrap_or_else(|| (Shelf::new(chunks, len), Vec::new(), Work::default()));
            let parts = Parts { source: layer, target, done, work };
            let advance = Advance::new(&stride, &words, &self.keeper, self.manner.modulo, parts);
            loop {
                let asked = AtomicU8::new(Pulse::Go as u8);
                let finished = advance.run(&|| {
                    // Whoever comes while another asks need not ask.
                    let Ok(mut observer) = self.observer.try_lock() else { return false };
                    let pulse = observer.pulse();
                    asked.fetch_max(pulse as u8, Ordering::Relaxed);
                    pulse != Pulse::Go
                });
                let finished = finished.map_err(|halt| self.error(halt, t))?;
                let asked = asked.into_inner();
                if asked != Pulse::Go as u8 {
                    let (layer, next, done, work) = advance.parts();
                    self.rest(t, layer, Some((next, done, work)))?;
                }
                if asked == Pulse::Stop as u8 {
                    return Err(Error::Stopped { step: t, steps: self.plan.steps().len() });
                }
                if finished {
                    break;
                }
            }
            let work;
            (layer, work) = advance.into_target();
            self.after_step(t, &layer, work, step_begun)?;
        }
        self.outcome.count = self.take_finished(&layer, (0, 0), self.plan.steps().len() - 1)?;
        self.totals.seconds = self.before + self.started.elapsed().as_secs_f64();
        layer.numbers().into_iter().for_each(|n| layer.remove(n, &self.keeper));
        Ok(self.totals.outcome(self.outcome.count, self.outcome.shorter))
    }

    /// Writes what is not yet in the store, and hands out a snapshot.
    fn rest(
        &self,
        step: usize,
        layer: &Shelf,
        next: Option<(&Shelf, Vec<usize>, Work)>,
    ) -> Result<(), Error> {
        if !self.manner.rests || !self.keeper.has_store() {
            return Ok(());
        }
        let keep = |shelf: &Shelf| {
            let numbers = shelf.numbers();
            let kept = numbers.par_iter().map(|&n| Ok(shelf.keep(n, &self.keeper)?.map(|kept| (n, kept))));
            Ok(kept.collect::<Result<Vec<_>, Halt>>()?.into_iter().flatten().collect::<Vec<_>>())
        };
        let kept = keep(layer)
            .and_then(|layer| Ok((layer, next.as_ref().map_or_else(|| Ok(vec![]), |next| keep(next.0))?)));
        let (kept_layer, kept_next) = match kept {
            Ok(kept) => kept,
            Err(halt) => {
                // The last snapshot stands, and the sweep goes on.
                self.observer().not_saved(&self.error(halt, step).to_string());
                return Ok(());
            }
        };
        let (done, work) = next.map_or((vec![], Work::default()), |(_, done, work)| (done, work));
        let snapshot = Snapshot {
            order: self.plan.steps().iter().map(|step| step.vertex).collect(),
            fold: self.manner.fold,
            plan: self.plan.digest(),
            cut: self.manner.cut,
            step,
            layer: kept_layer,
            done,
            next: kept_next,
            work,
            totals: self.now(),
        };
        self.observer().save(&snapshot);
        Ok(())
    }

    /// The totals with what memory and store say now.
    fn now(&self) -> Totals {
        let (_, peak_stored, written) = self.keeper.stored();
        Totals {
            peak_bytes: self.totals.peak_bytes.max(self.keeper.account().peak() + self.fixed),
            peak_stored: self.totals.peak_stored.max(peak_stored),
            written: self.written_before + written,
            seconds: self.before + self.started.elapsed().as_secs_f64(),
            ..self.totals
        }
    }

    /// Takes the weight of a finished tour out of the layer.
    fn take_finished(&self, layer: &Shelf, (word, bit): (usize, u32), t: usize) -> Result<BigUint, Error> {
        let (high, low) = (word / self.words.chunk_len(), word % self.words.chunk_len());
        let chunk = layer.take(high, &self.keeper, &|| Ok(false)).map_err(|halt| self.error(halt, t))?;
        let Some(mut chunk) = chunk else { return Ok(BigUint::ZERO) };
        let number = chunk.find(low, bit, 0).map(|place| {
            // The block stays, at zero; a block of zeros has no successors.
            with_weights!(&mut chunk.weights, v => std::mem::take(&mut v[place]).to_big())
        });
        layer.put(high, chunk);
        Ok(number.unwrap_or_default())
    }

    fn after_step(&mut self, t: usize, layer: &Shelf, work: Work, begun: Instant) -> Result<(), Error> {
        if self.manner.shorter.contains(&t) {
            let inner = self.plan.finished(t, t).expect("nothing is left of the shorter board");
            let tour = self.words.locate(|slot| 2 * (inner >> slot & 1) as u32);
            let number = self.take_finished(layer, tour, t)?;
            self.outcome.shorter.push(number);
        }
        let held = self.keeper.account().held();
        self.keeper.give_back();
        let totals = &mut self.totals;
        totals.peak_states = totals.peak_states.max(work.states);
        totals.peak_weights = totals.peak_weights.max(work.weights);
        totals.states += work.states;
        totals.weights += work.weights;
        totals.transitions += work.transitions;
        self.totals = self.now();
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
            weight_bits: work.bits,
            bytes: held + self.fixed,
            stored: self.keeper.stored().0,
            seconds: begun.elapsed().as_secs_f64(),
            elapsed: self.totals.seconds,
        };
        // Not in the match itself: the observer would stay locked while the sweep comes to rest.
        let flow = self.observer().step(&report);
        match flow {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => {
                self.rest(t + 1, layer, None)?;
                Err(Error::Stopped { step: t + 1, steps: self.plan.steps().len() })
            }
        }
    }

    fn observer(&self) -> std::sync::MutexGuard<'_, &'a mut dyn Observer> {
        self.observer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn error(&self, halt: Halt, t: usize) -> Error {
        let steps = self.plan.steps().len();
        match halt {
            Halt::Memory => {
                Error::Memory { step: t + 1, steps, limit: self.manner.memory.unwrap_or(u64::MAX) }
            }
            Halt::TooMany => Error::TooManyTours { bits: Width::W512.bits() },
            Halt::Store(what) => Error::Store { step: t + 1, steps, what },
        }
    }
}

/// Bytes for index maps, feasibility and the program itself.
#[must_use]
pub fn fixed_bytes(plan: &Plan, words: &Words, feasibility: bool, memory: Option<u64>) -> u64 {
    // Heaps have gaps, and every thread has a few vectors of its own.
    let own = (16 << 20) + memory.unwrap_or(0) / 32;
    own + if feasibility { Feasibility::bytes(plan, words, memory) } else { 0 }
}

/// Most slots for which the bit tables of signatures are reasonable.
pub const MOST_BLOCK_SLOTS: usize = INNER + 16;
