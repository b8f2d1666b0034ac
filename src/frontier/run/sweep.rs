//! The sweep: from the empty layer to the count, one step after the other.
//!
//! A sweep may rest between any two chunks of a step, one that ranks share between two
//! steps: its chunks are then all in the [`Store`], and a [`Snapshot`] names them. It
//! goes on from there as if nothing had happened.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use num_bigint::BigUint;
use rayon::prelude::*;

use crate::control::Allocator;
use crate::frontier::block::tables::Tables;
use crate::frontier::block::weight::Weight;
use crate::frontier::block::weights::{Target, with_weights, with_width};
use crate::frontier::block::width::Width;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::keeper::Keeper;
use crate::frontier::layer::shelf::Shelf;
use crate::frontier::layer::snapshot::Snapshot;
use crate::frontier::layer::step::Halt;
use crate::frontier::layer::store::Store;
use crate::frontier::layer::stride::Stride;
use crate::frontier::layer::totals::Totals;
use crate::frontier::problem::plan::Plan;
use crate::frontier::problem::slot::INNER;
use crate::frontier::ranks::agreement::{Ranks, Told, digest_of};
use crate::frontier::ranks::peers::Peers;
use crate::frontier::ranks::spread::{Broken, Held, Spread};
use crate::frontier::run::advance::{Advance, Parts};
use crate::frontier::run::observer::{Observer, Pulse, StepReport};
use crate::frontier::state::cut::{Cut, Filter};
use crate::frontier::state::feasibility::Feasibility;
use crate::frontier::state::signature::Words;
use crate::frontier::state::tally::Tally;
use crate::frontier::{Error, Outcome};

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
    /// The other ranks, if the sweep is shared.
    pub peers: Option<&'a dyn Peers>,
    /// Told when memory becomes scarce.
    pub allocator: Option<Allocator>,
}

/// What others do of a step, if there are others.
#[derive(Default)]
struct Shared {
    /// The target chunks that they make.
    of_others: Vec<usize>,
    /// Bytes sent to them.
    sent: u64,
    /// Why this rank cannot take in what it was sent: the others have yet to be told.
    halted: Option<Error>,
}

/// A sweep over layers of blocks.
pub struct Sweep<'a> {
    plan: &'a Plan,
    manner: Manner<'a>,
    words: Words,
    tables: Tables,
    feasibility: Option<Feasibility>,
    keeper: Keeper<'a>,
    ranks: Ranks<'a>,
    /// Bytes for everything but layers.
    fixed: u64,
    observer: Mutex<&'a mut dyn Observer>,
    started: Instant,
    totals: Totals,
    /// Seconds and bytes written before this sitting.
    before: f64,
    written_before: u64,
    outcome: Outcome,
    /// Whether the observer broke off after the last step.
    breaks: bool,
    /// Digest of which rank holds what.
    spread: u64,
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
            keeper: Keeper::new(limit - fixed, manner.store, manner.allocator),
            ranks: Ranks::new(manner.peers),
            manner,
            fixed,
            observer: Mutex::new(observer),
            started,
            totals: Totals::default(),
            before: 0.0,
            written_before: 0,
            outcome: Outcome::default(),
            breaks: false,
            spread: 0,
        })
    }

    /// Runs all steps, or those that a snapshot has left.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(mut self, from: Option<Snapshot>) -> Result<Outcome, Error> {
        let (chunks, len) = (self.words.chunks(), self.words.chunk_len());
        let mut layer = Shelf::new(chunks, len);
        let (mut begun, mut first, mut ready) = (None, 0, Ok(()));
        match from {
            None if self.ranks.place().0 > 0 => {}
            None => {
                let width = self.manner.modulo.unwrap_or_default();
                let one = with_width!(width, T => T::pack(vec![T::ONE]));
                let chunk = Chunk::first(&self.words, one);
                let room = self.keeper.room(chunk.bytes(), &|| Ok(false));
                ready = room.map_err(|halt| self.error(halt, 0));
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
                (first, self.spread) = (snapshot.step, snapshot.spread);
                begun = Some((next, snapshot.done, snapshot.work));
                self.totals = snapshot.totals;
                self.before = snapshot.totals.seconds;
                self.written_before = snapshot.totals.written;
            }
        }
        let mut held = self.begin(ready, first, &layer)?;
        for t in first..self.plan.steps().len() {
            let step_begun = Instant::now();
            let shorter = self.manner.shorter;
            let table = self.feasibility.as_mut().map(|f| f.after(self.plan, &self.words, shorter, t));
            let table: Option<&[u128]> = table.as_ref().map(|table| table.as_slice());
            let words = self.words.clone();
            let stride = Stride::new(self.plan, &words, &self.tables, table, shorter, t);
            let (target, mut done, work) =
                begun.take().unwrap_or_else(|| (Shelf::new(chunks, len), Vec::new(), Tally::default()));
            let Shared { of_others, sent, halted } = self.share(&stride, &layer, t, &held)?;
            done.extend(of_others);
            let parts = Parts { source: layer, target, done, work };
            let advance = Advance::new(&stride, &words, &self.keeper, self.manner.modulo, parts);
            let made = halted.map_or_else(|| self.make(&advance, t), Err);
            let work;
            (layer, work) = advance.into_target();
            let told = made.map(|pulse| Told {
                work,
                bytes: self.keeper.account().held() + self.fixed,
                peak_bytes: self.now().peak_bytes,
                stored: self.keeper.stored().0,
                sent,
                pulse: pulse as u8,
                chunks: self.ranks.peers().map_or_else(Vec::new, |_| layer.sizes()),
            });
            let told = self.ranks.agree(told, |what| self.lost(what, t))?;
            let together;
            (together, held) = Told::together(told);
            self.spread = self.ranks.peers().map_or(0, |_| digest_of(&held));
            if together.pulse == Pulse::Stop as u8 && !self.manner.rests {
                return Err(Error::Stopped { step: t, steps: self.plan.steps().len() });
            }
            self.after_step(t, &layer, together, step_begun)?;
        }
        self.outcome.count = self.take_finished(&layer, (0, 0), self.plan.steps().len() - 1)?;
        self.totals.seconds = self.before + self.started.elapsed().as_secs_f64();
        layer.numbers().into_iter().for_each(|n| layer.remove(n, &self.keeper));
        self.finish()
    }

    /// Makes sure that all ranks are about to do the same; returns who holds what.
    fn begin(&self, ready: Result<(), Error>, first: usize, layer: &Shelf) -> Result<Vec<Held>, Error> {
        if self.ranks.peers().is_none() {
            return ready.map(|()| Vec::new());
        }
        let Manner { feasibility, shorter, cut, modulo, rests, .. } = self.manner;
        let what = format!(
            "{} {first} {} {feasibility} {shorter:?} {cut:?} {modulo:?} {rests}",
            self.plan.digest(),
            self.spread
        );
        let all = self.ranks.agree(ready.map(|()| (what, layer.sizes())), |what| self.lost(what, first))?;
        let is_apart = all.iter().any(|one| one.0 != all[0].0);
        let told = all.into_iter().map(|(_, chunks)| Told { chunks, ..Told::default() });
        let (_, held) = Told::together(told.collect());
        // Parts of a layer that was spread otherwise do not make a whole one.
        if is_apart || first > 0 && digest_of(&held) != self.spread {
            return Err(Error::Apart);
        }
        Ok(held)
    }

    /// Spreads a step over the ranks, if there are others, and brings the sources to where they are read.
    fn share(&self, stride: &Stride, layer: &Shelf, t: usize, held: &[Held]) -> Result<Shared, Error> {
        let Some(peers) = self.ranks.peers() else { return Ok(Shared::default()) };
        let spread = Spread::new(self.plan, &self.words, stride, t, held, peers.size());
        let of_others = spread.of_others(peers.rank());
        match spread.exchange(stride, layer, &self.keeper, peers) {
            Ok(sent) => Ok(Shared { of_others, sent, halted: None }),
            Err(Broken::Here(halt)) => Ok(Shared { of_others, sent: 0, halted: Some(self.error(halt, t)) }),
            Err(Broken::Lost(what)) => Err(self.lost(what, t)),
        }
    }

    /// Makes a step. Alone it rests whenever that is wanted; among others it can rest after the step only,
    /// when all do, so that it is told what was wanted.
    fn make(&self, advance: &Advance, t: usize) -> Result<Pulse, Error> {
        let is_shared = self.ranks.peers().is_some();
        loop {
            let asked = AtomicU8::new(if self.breaks { Pulse::Stop } else { Pulse::Go } as u8);
            let finished = advance.run(&|| {
                // Whoever comes while another asks need not ask.
                let Ok(mut observer) = self.observer.try_lock() else { return false };
                let pulse = observer.pulse();
                asked.fetch_max(pulse as u8, Ordering::Relaxed);
                if is_shared { pulse == Pulse::Stop && !self.manner.rests } else { pulse != Pulse::Go }
            });
            let finished = finished.map_err(|halt| self.error(halt, t))?;
            let asked = match asked.into_inner() {
                2 => Pulse::Stop,
                1 => Pulse::Save,
                _ => Pulse::Go,
            };
            if is_shared {
                return Ok(asked);
            }
            if asked != Pulse::Go {
                let (layer, next, done, work) = advance.parts();
                self.rest(t, layer, Some((next, done, work)))?;
            }
            if asked == Pulse::Stop {
                return Err(Error::Stopped { step: t, steps: self.plan.steps().len() });
            }
            if finished {
                return Ok(Pulse::Go);
            }
        }
    }

    /// The outcome, with what all ranks stored.
    fn finish(self) -> Result<Outcome, Error> {
        let mine = Ok((self.totals.peak_stored, self.totals.written));
        let all = self.ranks.agree(mine, |what| self.lost(what, self.plan.steps().len() - 1))?;
        let mut totals = self.totals;
        totals.peak_stored = all.iter().map(|one| one.0).sum();
        totals.written = all.iter().map(|one| one.1).sum();
        Ok(Outcome::of(totals, self.outcome.count, self.outcome.shorter))
    }

    /// Writes what is not yet in the store, and hands out a snapshot.
    fn rest(
        &self,
        step: usize,
        layer: &Shelf,
        next: Option<(&Shelf, Vec<usize>, Tally)>,
    ) -> Result<(), Error> {
        if !self.manner.rests || !self.keeper.has_store() {
            return Ok(());
        }
        self.observer().resting();
        let keep = |shelf: &Shelf| {
            let numbers = shelf.numbers();
            let kept = numbers.par_iter().map(|&n| Ok(shelf.keep(n, &self.keeper)?.map(|kept| (n, kept))));
            Ok(kept.collect::<Result<Vec<_>, Halt>>()?.into_iter().flatten().collect::<Vec<_>>())
        };
        let kept = keep(layer)
            .and_then(|layer| Ok((layer, next.as_ref().map_or_else(|| Ok(vec![]), |next| keep(next.0))?)));
        // Snapshots of one step belong together: all ranks have one, or none.
        let told = kept.as_ref().map(|_| ()).map_err(|halt: &Halt| self.error(halt.clone(), step));
        let (kept_layer, kept_next) = match (kept, self.ranks.agree(told, |what| self.lost(what, step))) {
            (Ok(kept), Ok(_)) => kept,
            (_, Err(error @ Error::Lost { .. })) => return Err(error),
            (_, Err(error)) => {
                // The last snapshot stands, and the sweep goes on.
                self.observer().not_saved(&error.to_string());
                return Ok(());
            }
            (Err(_), Ok(_)) => unreachable!("a failure of one is one of all"),
        };
        let (done, work) = next.map_or((vec![], Tally::default()), |(_, done, work)| (done, work));
        let snapshot = Snapshot {
            order: self.plan.steps().iter().map(|step| step.vertex).collect(),
            fold: self.manner.fold,
            plan: self.plan.digest(),
            cut: self.manner.cut,
            rank: self.ranks.place(),
            spread: self.spread,
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
        let take = || {
            let chunk = layer.take(high, &self.keeper, &|| Ok(false)).map_err(|halt| self.error(halt, t))?;
            let Some(mut chunk) = chunk else { return Ok(BigUint::ZERO) };
            let number = chunk.find(low, bit, 0).map(|place| {
                // The block stays, at zero; a block of zeros has no successors.
                with_weights!(&mut chunk.weights, v => std::mem::take(&mut v[place]).to_big())
            });
            layer.put(high, chunk);
            Ok(number.unwrap_or_default())
        };
        // One rank has it, if any.
        let all = self.ranks.agree(take().map(|number| number.to_bytes_le()), |what| self.lost(what, t))?;
        Ok(all.iter().map(|bytes| BigUint::from_bytes_le(bytes)).sum())
    }

    fn after_step(&mut self, t: usize, layer: &Shelf, told: Told, begun: Instant) -> Result<(), Error> {
        if self.manner.shorter.contains(&t) {
            let inner = self.plan.finished(t, t).expect("nothing is left of the shorter board");
            let tour = self.words.locate(|slot| 2 * (inner >> slot & 1) as u32);
            let number = self.take_finished(layer, tour, t)?;
            self.outcome.shorter.push(number);
        }
        self.keeper.give_back();
        let Told { work, .. } = told;
        let totals = &mut self.totals;
        totals.sent += told.sent;
        totals.peak_bytes = totals.peak_bytes.max(told.peak_bytes);
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
            bytes: told.bytes,
            stored: told.stored,
            sent: told.sent,
            seconds: begun.elapsed().as_secs_f64(),
            elapsed: self.totals.seconds,
        };
        // Not in the match itself: the observer would stay locked while the sweep comes to rest.
        let flow = self.observer().step(&report);
        // Among others, what this rank's observer wants is known to all after the next step only.
        let is_alone = self.ranks.peers().is_none();
        let stops = told.pulse == Pulse::Stop as u8 || is_alone && flow.is_break();
        if stops || told.pulse == Pulse::Save as u8 {
            self.rest(t + 1, layer, None)?;
        }
        if stops {
            return Err(Error::Stopped { step: t + 1, steps: self.plan.steps().len() });
        }
        self.breaks |= flow.is_break();
        Ok(())
    }

    fn lost(&self, what: String, t: usize) -> Error {
        Error::Lost { step: t + 1, steps: self.plan.steps().len(), what }
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
