//! The sweep: from the empty layer to the count, one step after the other.
//!
//! A sweep may rest between any two chunks of a step, one that ranks share between two
//! steps: its chunks are then all in the store, and a [`Snapshot`] names them. It
//! goes on from there as if nothing had happened.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use num_bigint::BigUint;
use rayon::prelude::*;

use crate::frontier::block::tables::Tables;
use crate::frontier::block::weights::Weights;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::keeper::Keeper;
use crate::frontier::layer::kept::Kept;
use crate::frontier::layer::shelf::Shelf;
use crate::frontier::layer::snapshot::Snapshot;
use crate::frontier::layer::step::Halt;
use crate::frontier::layer::stride::Stride;
use crate::frontier::problem::cancel::Cancel;
use crate::frontier::ranks::error::Error;
use crate::frontier::ranks::pulse::Pulse;
use crate::frontier::ranks::share::Share;
use crate::frontier::ranks::sharing::{Foreign, Sharing};
use crate::frontier::run::advance::{Advance, Progress, View};
use crate::frontier::run::estimate::{fixed_bytes, reserve};
use crate::frontier::run::meter::Meter;
use crate::frontier::run::observer::{Observer, StepReport};
use crate::frontier::run::options::{Options, Storage};
use crate::frontier::run::outcome::Outcome;
use crate::frontier::state::course::Course;
use crate::frontier::state::cut::{Filter, cut_step};
use crate::frontier::state::feasibility::Feasibility;
use crate::frontier::state::words::Address;

/// A sweep over layers of blocks.
pub struct Sweep<'a> {
    course: Arc<Course>,
    options: &'a Options,
    /// Whether somebody wants snapshots, and there is a store for them.
    saves: bool,
    cancel: Cancel,
    from: Option<Snapshot>,
    tables: Tables,
    feasibility: Option<Feasibility>,
    keeper: Keeper<'a>,
    sharing: Sharing<'a>,
    observer: Mutex<&'a mut dyn Observer>,
    meter: Meter,
    /// Counts of the shorter boards of a family.
    shorter: Vec<BigUint>,
    /// Whether the observer broke off after the last step.
    breaks: bool,
}

impl<'a> Sweep<'a> {
    /// Prepares what `feasibility` does not have yet.
    ///
    /// # Errors
    /// [`Error::Memory`] if the tables alone exceed the ceiling.
    pub fn new(
        course: &Arc<Course>,
        options: &'a Options,
        storage: Storage<'a>,
        feasibility: Option<Feasibility>,
        observer: &'a mut dyn Observer,
    ) -> Result<Self, Error> {
        let began = Instant::now();
        let (memory, steps) = (options.memory, course.len());
        let prunes = options.feasibility || options.cut.is_some();
        let (fixed, reserve) = (fixed_bytes(course, prunes, memory), reserve(memory));
        let limit = memory.unwrap_or(u64::MAX);
        if fixed + reserve >= limit {
            return Err(Error::Memory { step: 0, steps, limit });
        }
        // One rank's tables are of no use to it alone: among others it goes on to the end of the step.
        let cancel = if storage.peers.is_some() { Cancel::default() } else { options.cancel.clone() };
        let whole = |feasibility: Option<Feasibility>| {
            feasibility.unwrap_or_else(|| Feasibility::new(course, None, memory, &cancel))
        };
        let feasibility = match options.cut {
            Some(cut) => {
                // The tables of the whole sweep are gone before those of the part are made.
                let feasible = whole(feasibility).after(cut_step(course.plan()));
                if cancel.is_cancelled() {
                    return Err(Error::Stopped { step: 0, steps });
                }
                let filter = Filter::by_size(cut, course, &feasible);
                Some(Feasibility::new(course, Some(filter), memory, &cancel))
            }
            None if prunes => Some(whole(feasibility)),
            None => None,
        };
        Ok(Self {
            tables: Tables::new(course.plan().slots()),
            feasibility,
            keeper: Keeper::new(limit - fixed - reserve, storage.store, options.allocator),
            sharing: Sharing::new(storage.peers, steps),
            course: Arc::clone(course),
            options,
            saves: storage.snapshots,
            cancel,
            from: storage.from,
            observer: Mutex::new(observer),
            meter: Meter::new(began, fixed),
            shorter: Vec::new(),
            breaks: false,
        })
    }

    /// Runs all steps, or those that a snapshot has left.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(mut self) -> Result<Outcome, Error> {
        let course = Arc::clone(&self.course);
        let (mut progress, first) = self.begin()?;
        for t in first..course.len() {
            let began = Instant::now();
            let feasible = self.feasibility.as_mut().map(|feasibility| feasibility.after(t));
            if self.cancel.is_cancelled() {
                // The tables may be of no use; what was done of the step is saved as it is.
                let Progress { source, target, done, tally } = &progress;
                self.save(t, &View { source, target, done: done.clone(), tally: *tally })?;
                return Err(Error::Stopped { step: t, steps: course.len() });
            }
            let feasible = feasible.as_ref().map(|table| table.as_slice());
            let stride = Stride::new(&course, &self.tables, feasible, t);
            let Foreign { chunks, sent, halted } =
                self.sharing.spread(&course, &stride, &progress.source, &self.keeper, t)?;
            progress.done.extend(chunks);
            let advance = Advance::new(&stride, &self.keeper, self.options.modulo, progress);
            let made = match halted {
                None => self.make(&advance, t),
                Some(halt) => Err(self.error(halt, t)),
            };
            let (layer, tally) = advance.into_target();
            let usage = self.meter.usage(&self.keeper, sent);
            let share = made.map(|pulse| Share { tally, usage, pulse, chunks: Vec::new() });
            let share = self.sharing.together(share, &layer, t)?;
            if share.pulse == Pulse::Stop && !self.saves {
                return Err(Error::Stopped { step: t, steps: course.len() });
            }
            self.after_step(t, &layer, &share, began)?;
            progress = Progress::new(layer, course.words());
        }
        let last = course.len() - 1;
        let layer = progress.source;
        let count = self.take_finished(&layer, Address { word: 0, bit: 0 }, last)?;
        layer.numbers().into_iter().for_each(|n| layer.remove(n, &self.keeper));
        let mut totals = self.meter.totals(&self.keeper);
        let stored = self.sharing.agree(Ok((totals.peak_stored, totals.written)), last)?;
        totals.peak_stored = stored.iter().map(|one| one.0).sum();
        totals.written = stored.iter().map(|one| one.1).sum();
        Ok(Outcome { count, negative: false, shorter: self.shorter, totals })
    }

    /// The step to begin with, and how far it is, once all ranks are ready for it.
    fn begin(&mut self) -> Result<(Progress, usize), Error> {
        let words = self.course.words();
        let mut progress = Progress::new(Shelf::new(words.chunks(), words.chunk_len()), words);
        let (mut first, mut digest, mut ready) = (0, 0, Ok(()));
        match self.from.take() {
            None if self.sharing.place().0 > 0 => {}
            None => {
                let one = Weights::one(self.options.modulo.unwrap_or_default());
                let chunk = Chunk::first(words, one);
                let room = self.keeper.room(chunk.bytes(), &|| Ok(false));
                ready = room.map_err(|halt| self.error(halt, 0));
                progress.source.put(0, chunk);
            }
            Some(snapshot) => {
                for (shelf, kept) in [(&progress.source, &snapshot.layer), (&progress.target, &snapshot.next)]
                {
                    for &(number, kept) in kept {
                        shelf.put_kept(number, kept);
                        self.keeper.count_stored(kept);
                    }
                }
                (first, digest) = (snapshot.step, snapshot.spread);
                (progress.done, progress.tally) = (snapshot.done, snapshot.tally);
                self.meter.go_on_from(snapshot.totals);
            }
        }
        let Options { feasibility, cut, modulo, .. } = self.options;
        let (plan, saves) = (self.course.plan(), self.saves);
        let (digest_of_plan, shorter) = (plan.digest(), plan.shorter());
        let what = format!("{digest_of_plan} {feasibility} {shorter:?} {cut:?} {modulo:?} {saves}");
        self.sharing.begin(ready, &what, first, digest, &progress.source)?;
        Ok((progress, first))
    }

    /// Makes a step. Alone it rests whenever that is wanted; among others it can rest after the step only,
    /// when all do, so that it says what was wanted.
    fn make(&self, advance: &Advance, t: usize) -> Result<Pulse, Error> {
        let is_shared = self.sharing.is_shared();
        loop {
            let asked = AtomicU8::new(if self.breaks { Pulse::Stop } else { Pulse::Go } as u8);
            let finished = advance.run(&|| {
                // Whoever comes while another asks need not ask.
                let Ok(mut observer) = self.observer.try_lock() else { return false };
                let pulse = observer.pulse();
                observer.part(t, advance.part());
                asked.fetch_max(pulse as u8, Ordering::Relaxed);
                if is_shared { pulse == Pulse::Stop && !self.saves } else { pulse != Pulse::Go }
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
                self.save(t, &advance.view())?;
            }
            if asked == Pulse::Stop {
                return Err(Error::Stopped { step: t, steps: self.course.len() });
            }
            if finished {
                return Ok(Pulse::Go);
            }
        }
    }

    /// Writes what is not yet in the store, and hands out a snapshot: of `t` steps and what is done of the next.
    fn save(&self, t: usize, view: &View) -> Result<(), Error> {
        if !self.saves || !self.keeper.has_store() {
            return Ok(());
        }
        self.observer().saving();
        let kept = self.keep(view.source).and_then(|layer| Ok((layer, self.keep(view.target)?)));
        // Snapshots of one step belong together: all ranks have one, or none.
        let mine = kept.as_ref().map(|_| ()).map_err(|halt| self.error(halt.clone(), t));
        let (layer, next) = match (kept, self.sharing.agree(mine, t)) {
            (Ok(kept), Ok(_)) => kept,
            (_, Err(error @ Error::Lost { .. })) => return Err(error),
            (_, Err(error)) => {
                // The last snapshot stands, and the sweep goes on.
                self.observer().not_saved(&error.to_string());
                return Ok(());
            }
            (Err(_), Ok(_)) => unreachable!("a failure of one is one of all"),
        };
        let plan = self.course.plan();
        let snapshot = Snapshot {
            order: plan.steps().iter().map(|step| step.vertex).collect(),
            fold: self.options.fold,
            plan: Snapshot::meaning(plan.digest(), self.options.modulo),
            cut: self.options.cut,
            rank: self.sharing.place(),
            spread: self.sharing.digest(),
            step: t,
            layer,
            done: view.done.clone(),
            next,
            tally: view.tally,
            totals: self.meter.totals(&self.keeper),
        };
        self.observer().save(&snapshot);
        Ok(())
    }

    /// Brings all chunks of a layer to the store.
    fn keep(&self, shelf: &Shelf) -> Result<Vec<(usize, Kept)>, Halt> {
        let numbers = shelf.numbers();
        let kept = numbers.par_iter().map(|&n| Ok(shelf.keep(n, &self.keeper)?.map(|kept| (n, kept))));
        Ok(kept.collect::<Result<Vec<_>, Halt>>()?.into_iter().flatten().collect())
    }

    /// Takes the weight of a finished tour out of the layer.
    fn take_finished(&self, layer: &Shelf, at: Address, t: usize) -> Result<BigUint, Error> {
        let word = self.course.words().at(at.word);
        let take = || {
            let chunk =
                layer.take(word.high, &self.keeper, &|| Ok(false)).map_err(|halt| self.error(halt, t))?;
            let Some(mut chunk) = chunk else { return Ok(BigUint::ZERO) };
            let number = chunk.find(word.low, at.bit, 0).map(|place| {
                // The block stays, at zero; a block of zeros has no successors.
                chunk.weights.take(place)
            });
            layer.put(word.high, chunk);
            Ok(number.unwrap_or_default())
        };
        // One rank has it, if any.
        let all = self.sharing.agree(take().map(|number| number.to_bytes_le()), t)?;
        Ok(all.iter().map(|bytes| BigUint::from_bytes_le(bytes)).sum())
    }

    fn after_step(&mut self, t: usize, layer: &Shelf, share: &Share, began: Instant) -> Result<(), Error> {
        let course = Arc::clone(&self.course);
        let (plan, steps) = (course.plan(), course.len());
        if plan.shorter().contains(&t) {
            let inner = plan.finished_by(t, t).expect("nothing is left of the shorter board");
            let number = self.take_finished(layer, course.all_inner(inner), t)?;
            self.observer().shorter(self.shorter.len(), &number);
            self.shorter.push(number);
        }
        self.keeper.give_back();
        self.meter.add(&share.tally, &share.usage, &self.keeper);
        let report = StepReport {
            step: t + 1,
            steps,
            vertex: plan.steps()[t].vertex,
            frontier: plan.steps()[t].occupied.count_ones(),
            tally: share.tally,
            usage: share.usage,
            seconds: began.elapsed().as_secs_f64(),
            elapsed: self.meter.totals(&self.keeper).seconds,
        };
        // Not in the match itself: the observer would stay locked while the sweep comes to rest.
        let flow = self.observer().step(&report);
        // Among others, what this rank's observer wants is known to all after the next step only.
        let stops = share.pulse == Pulse::Stop || !self.sharing.is_shared() && flow.is_break();
        if stops || share.pulse == Pulse::Save {
            let none = Shelf::new(0, 0);
            let view = View { source: layer, target: &none, done: Vec::new(), tally: Default::default() };
            self.save(t + 1, &view)?;
        }
        if stops {
            return Err(Error::Stopped { step: t + 1, steps });
        }
        self.breaks |= flow.is_break();
        Ok(())
    }

    fn observer(&self) -> MutexGuard<'_, &'a mut dyn Observer> {
        self.observer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn error(&self, halt: Halt, t: usize) -> Error {
        let (step, steps) = (t + 1, self.course.len());
        match halt {
            Halt::Memory => Error::Memory { step, steps, limit: self.options.memory.unwrap_or(u64::MAX) },
            Halt::Store(what) => Error::Store { step, steps, what },
        }
    }
}
