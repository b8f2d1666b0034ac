//! The sweep: from the empty layer to the count, one step after the other.
//!
//! A sweep from two ends has two *legs*, the far one first, and a step that joins what they end with. Otherwise the
//! near leg is all there is:
//!
//! ```text
//! far leg: steps of the far plan -> far layer --.
//! near leg: steps up to the front -> near layer --+-> join -> count
//! ```
//!
//! What both legs have in common comes before them:
//!
//! ```text
//! shared steps -> layer -+-> the last steps of the far leg -> far layer --.
//!                        `-> the last steps of the near leg -> near layer -+-> join -> count
//! ```
//!
//! A sweep may rest between any two chunks of a step, one that ranks share between two
//! steps: its chunks are then all in the store, and a [`Snapshot`] names them. It
//! goes on from there as if nothing had happened.

use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use num_bigint::BigUint;

use crate::frontier::block::tables::Tables;
use crate::frontier::layer::keeper::Keeper;
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
use crate::frontier::run::ends::{Meeting, Pair};
use crate::frontier::run::estimate::{fixed_of_ends, reserve};
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
    pub(super) course: Arc<Course>,
    /// The far end, if it begins at both.
    pub(super) meeting: Option<Meeting>,
    pub(super) options: &'a Options,
    /// Whether somebody wants snapshots, and there is a store for them.
    pub(super) saves: bool,
    pub(super) cancel: Cancel,
    pub(super) from: Option<Snapshot>,
    pub(super) tables: Tables,
    pub(super) feasibility: Option<Feasibility>,
    pub(super) keeper: Keeper<'a>,
    pub(super) sharing: Sharing<'a>,
    pub(super) observer: Mutex<&'a mut dyn Observer>,
    pub(super) meter: Meter,
    /// Counts of the shorter boards of a family.
    pub(super) shorter: Vec<BigUint>,
    /// Whether the observer broke off after the last step.
    pub(super) breaks: bool,
}

impl<'a> Sweep<'a> {
    /// Prepares what `feasibility` does not have yet. With `ends` it begins at both.
    ///
    /// # Errors
    /// [`Error::Memory`] if the tables alone exceed the ceiling.
    pub fn new(
        course: &Arc<Course>,
        ends: Option<&Pair>,
        options: &'a Options,
        storage: Storage<'a>,
        feasibility: Option<Feasibility>,
        observer: &'a mut dyn Observer,
    ) -> Result<Self, Error> {
        let began = Instant::now();
        let memory = options.memory;
        let prunes = options.feasibility || options.cut.is_some() || ends.is_some();
        let far = ends.and_then(|ends| ends.course(course));
        let steps = ends.map_or(course.len(), Pair::steps);
        let fixed = fixed_of_ends(course, far.as_deref(), prunes, memory);
        let reserve = reserve(memory);
        let limit = memory.unwrap_or(u64::MAX);
        if fixed + reserve >= limit {
            return Err(Error::Memory { step: 0, steps, limit });
        }
        // One rank's tables are of no use to it alone: among others it goes on to the end of the step.
        let cancel = if storage.peers.is_some() { Cancel::default() } else { options.cancel.clone() };
        let whole = |feasibility: Option<Feasibility>| {
            let is_of = |tables: &Feasibility| tables.is_of(course);
            feasibility.filter(is_of).unwrap_or_else(|| Feasibility::new(course, None, memory, &cancel))
        };
        let (mut meeting, mut tables) = (None, None);
        if let Some((ends, far)) = ends.zip(far) {
            meeting = Meeting::new(ends, course, far, whole(feasibility), &cancel, |_| (), |_| ());
        } else if let Some(cut) = options.cut {
            // The tables of the whole sweep are gone before those of the part are made.
            let feasible = whole(feasibility).after(cut_step(course.plan()));
            if !cancel.is_cancelled() {
                let filter = Filter::by_size(cut, course, &feasible);
                tables = Some(Feasibility::new(course, Some(filter), memory, &cancel));
            }
        } else if prunes {
            tables = Some(whole(feasibility));
        }
        if cancel.is_cancelled() {
            return Err(Error::Stopped { step: 0, steps });
        }
        let slots = meeting.as_ref().map_or(0, |meeting| meeting.far.plan().slots());
        Ok(Self {
            tables: Tables::new(course.plan().slots().max(slots)),
            feasibility: tables,
            keeper: Keeper::new(limit - fixed - reserve, storage.store)
                .below(memory.map(|memory| memory - reserve), options.allocator)
                .beside(fixed),
            sharing: Sharing::new(storage.peers, course.len()),
            course: Arc::clone(course),
            meeting,
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
        let count = if let Some(far) = self.meeting.as_ref().map(|meeting| Arc::clone(&meeting.far)) {
            let last = self.steps() - 1;
            let (shared, before) = self.meeting.as_ref().map_or((0, 0), |m| (m.ends.shared, m.ends.before()));
            if first < shared {
                progress = self.leg(&course, 0, first..shared, progress)?;
            }
            if first < far.len() {
                progress = self.leg(&far, 0, first.max(shared)..far.len(), progress)?;
                // The near end goes on from where both branched off, or begins.
                let branch = self.meeting.as_mut().and_then(|meeting| meeting.branch.take());
                let near = match branch {
                    Some(layer) => Progress::new(layer, course.words()),
                    None => self.start(course.words(), Some(&progress.source))?,
                };
                let layer = std::mem::replace(&mut progress, near).source;
                self.meeting.as_mut().expect("it begins at both ends").layer = Some(layer);
            }
            if first.max(far.len()) < last {
                progress = self.leg(&course, before, first.max(far.len())..last, progress)?;
            }
            self.join(&progress, last)?
        } else {
            let layer = self.leg(&course, 0, first..course.len(), progress)?.source;
            let count = self.take_finished(&layer, Address { word: 0, bit: 0 }, course.len() - 1)?;
            layer.numbers().into_iter().for_each(|n| layer.remove(n, &self.keeper));
            count
        };
        let mut totals = self.meter.totals(&self.keeper);
        let stored = self.sharing.agree(Ok((totals.peak_stored, totals.written)), self.steps() - 1)?;
        totals.peak_stored = stored.iter().map(|one| one.0).sum();
        totals.written = stored.iter().map(|one| one.1).sum();
        Ok(Outcome { count, negative: false, shorter: self.shorter, totals })
    }

    /// Steps in all.
    fn steps(&self) -> usize {
        match &self.meeting {
            Some(meeting) => meeting.ends.steps(),
            None => self.course.len(),
        }
    }

    /// Makes steps on a course, `before` of which are made on another.
    fn leg(
        &mut self,
        course: &Arc<Course>,
        before: usize,
        steps: Range<usize>,
        mut progress: Progress,
    ) -> Result<Progress, Error> {
        let is_near = Arc::ptr_eq(course, &self.course);
        if let Some(meeting) = &self.meeting {
            let (memory, cancel) = (self.options.memory, &self.cancel);
            // The tables of the other leg are gone before these are made.
            self.feasibility = None;
            self.feasibility = Some(if is_near {
                meeting.near_tables(course, steps.start - before, memory, cancel)
            } else {
                meeting.far_tables(&self.course, memory, cancel)
            });
        }
        for t in steps {
            let local = t - before;
            let began = Instant::now();
            self.keeper.give_back(self.feasibility.as_ref().map_or(0, |tables| tables.lacks(local)));
            let feasible = self.feasibility.as_mut().map(|feasibility| feasibility.after(local));
            if self.cancel.is_cancelled() {
                // The tables may be of no use; what was done of the step is saved as it is.
                let Progress { source, target, done, tally, .. } = &progress;
                let view = View { source, target, done: done.clone(), tally: *tally };
                self.save(t, &view, &BigUint::ZERO)?;
                return Err(Error::Stopped { step: t, steps: self.steps() });
            }
            let feasible = feasible.as_ref().map(|table| table.as_slice());
            let stride = Stride::new(course, &self.tables, feasible, local);
            let Foreign { chunks, sent, halted } =
                self.sharing.spread(course, &stride, &progress.source, &self.keeper, t)?;
            progress.done.extend(chunks);
            let waiting = self.meeting.as_ref().and_then(Meeting::waiting);
            // The first step of the far end that is not shared leaves the layer for the near end.
            let shared = self.meeting.as_ref().map_or(0, |meeting| meeting.ends.shared);
            let keeps = !is_near && shared > 0 && shared == local;
            progress.keeps = keeps;
            let advance = Advance::new(&stride, &self.keeper, self.options.modulo, waiting, progress);
            let made = match halted {
                None => self.make(&advance, t),
                Some(halt) => Err(self.error(halt, t)),
            };
            let (source, layer, tally) = advance.into_layers();
            if let Some(meeting) = self.meeting.as_mut().filter(|_| keeps) {
                meeting.branch = Some(source);
            }
            let usage = self.meter.usage(&self.keeper, sent);
            let share = made.map(|pulse| Share { tally, usage, pulse, chunks: Vec::new() });
            let share = self.sharing.together(share, &layer, t)?;
            if share.pulse == Pulse::Stop && !self.saves {
                return Err(Error::Stopped { step: t, steps: self.steps() });
            }
            self.after_step(course, local, t, &layer, &share, began)?;
            progress = Progress::new(layer, course.words());
        }
        Ok(progress)
    }

    /// Makes a step. Alone it rests whenever that is wanted; among others it can rest after the step only,
    /// when all do, so that it says what was wanted.
    fn make(&self, advance: &Advance, t: usize) -> Result<Pulse, Error> {
        let is_shared = self.sharing.is_shared();
        loop {
            let asked = AtomicU8::new(if self.breaks { Pulse::Stop } else { Pulse::Go } as u8);
            let finished = advance.run(&|| self.asks(&asked, t, advance.part(), is_shared));
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
                self.save(t, &advance.view(), &BigUint::ZERO)?;
            }
            if asked == Pulse::Stop {
                return Err(Error::Stopped { step: t, steps: self.steps() });
            }
            if finished {
                return Ok(Pulse::Go);
            }
        }
    }

    /// Asks the observer what it wants in the middle of step `t`, unless another thread is asking, and notes it.
    /// Whether the step is to be left for it.
    pub(super) fn asks(&self, asked: &AtomicU8, t: usize, part: f64, is_shared: bool) -> bool {
        let Ok(mut observer) = self.observer.try_lock() else { return false };
        let pulse = observer.pulse();
        observer.part(t, part);
        asked.fetch_max(pulse as u8, Ordering::Relaxed);
        if is_shared { pulse == Pulse::Stop && !self.saves } else { pulse != Pulse::Go }
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

    fn after_step(
        &mut self,
        course: &Course,
        local: usize,
        t: usize,
        layer: &Shelf,
        share: &Share,
        began: Instant,
    ) -> Result<(), Error> {
        let (plan, steps) = (course.plan(), self.steps());
        if let Some(place) = plan.shorter().iter().position(|&end| end == t) {
            let inner = plan.finished_by(t, t).expect("nothing is left of the shorter board");
            let number = self.take_finished(layer, course.all_inner(inner), t)?;
            self.observer().shorter(place, &number);
            self.shorter.push(number);
        }
        self.meter.add(&share.tally, &share.usage, &self.keeper);
        let report = StepReport {
            step: t + 1,
            steps,
            vertex: plan.steps()[local].vertex,
            frontier: plan.steps()[local].occupied.count_ones(),
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
            self.save(t + 1, &view, &BigUint::ZERO)?;
        }
        if stops {
            return Err(Error::Stopped { step: t + 1, steps });
        }
        self.breaks |= flow.is_break();
        Ok(())
    }

    pub(super) fn observer(&self) -> MutexGuard<'_, &'a mut dyn Observer> {
        self.observer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn error(&self, halt: Halt, t: usize) -> Error {
        let (step, steps) = (t + 1, self.steps());
        match halt {
            Halt::Memory => Error::Memory { step, steps, limit: self.options.memory.unwrap_or(u64::MAX) },
            Halt::Store(what) => Error::Store { step, steps, what },
        }
    }
}
