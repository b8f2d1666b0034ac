//! A sweep over layers of weight blocks: from the initial layer to the count, step by step.
//!
//! A one-sided sweep is a single phase. A two-sided sweep has two phases, the right one first, and a final
//! step that joins the two layers that they end with:
//!
//! ```text
//! right phase: steps of the right plan                -> right layer --.
//! left phase:  steps of the left plan up to the cut   -> left layer ---+-> join -> count
//! ```
//!
//! Where one half is a mirror image of the other, a common phase precedes both:
//!
//! ```text
//! common steps -> common layer -+-> remaining right steps -> right layer --.
//!                               `-> remaining left steps  -> left layer ---+-> join -> count
//! ```
//!
//! A sweep can be suspended between any two chunks of a step. A sweep that is shared by several ranks can be
//! suspended only between two steps. All chunks are then in the store, and a [`Snapshot`] names them; a later
//! run resumes from it with the same result.

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

/// A sweep over layers of weight blocks, one-sided or two-sided.
pub struct Sweep<'a> {
    pub(super) course: Arc<Course>,
    /// The state of the two-sided sweep; `None` for a one-sided sweep.
    pub(super) meeting: Option<Meeting>,
    pub(super) options: &'a Options,
    /// True if the caller requested snapshots and there is a store for them.
    pub(super) saves: bool,
    pub(super) cancel: Cancel,
    pub(super) from: Option<Snapshot>,
    pub(super) tables: Tables,
    pub(super) feasibility: Option<Feasibility>,
    pub(super) keeper: Keeper<'a>,
    pub(super) sharing: Sharing<'a>,
    pub(super) observer: Mutex<&'a mut dyn Observer>,
    pub(super) meter: Meter,
    /// Counts of the shorter boards of a series, in order of length.
    pub(super) shorter: Vec<BigUint>,
    /// True if the observer returned `Break` after the last step.
    pub(super) breaks: bool,
}

impl<'a> Sweep<'a> {
    /// Prepares the feasibility tables that `feasibility` does not contain, the memory pool and the
    /// statistics. The sweep is two-sided if `ends` is given.
    ///
    /// # Errors
    /// [`Error::Memory`] if the tables alone exceed the memory ceiling; [`Error::Stopped`] if it was
    /// cancelled.
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
        // A rank cannot stop alone because of its tables: a shared sweep always runs to the end of the step.
        let cancel = if storage.peers.is_some() { Cancel::default() } else { options.cancel.clone() };
        let whole = |feasibility: Option<Feasibility>| {
            let is_of = |tables: &Feasibility| tables.is_of(course);
            feasibility.filter(is_of).unwrap_or_else(|| Feasibility::new(course, None, memory, &cancel))
        };
        let (mut meeting, mut tables) = (None, None);
        if let Some((ends, far)) = ends.zip(far) {
            meeting = Meeting::new(ends, course, far, whole(feasibility), &cancel, |_| (), |_| ());
        } else if let Some(cut) = options.cut {
            // The tables of the whole sweep are dropped before those of the shard are built.
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

    /// Runs all steps, or the steps that the snapshot left, and returns the count and the totals of all
    /// sessions.
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
                // The left phase starts from the common layer, if there is one, else from the initial layer.
                let branch = self.meeting.as_mut().and_then(|meeting| meeting.branch.take());
                let near = match branch {
                    Some(layer) => Progress::new(layer, course.words()),
                    None => self.start(course.words(), Some(&progress.source))?,
                };
                let layer = std::mem::replace(&mut progress, near).source;
                self.meeting.as_mut().expect("the sweep is two-sided").layer = Some(layer);
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

    /// Returns the number of steps of the whole sweep, the join included.
    fn steps(&self) -> usize {
        match &self.meeting {
            Some(meeting) => meeting.ends.steps(),
            None => self.course.len(),
        }
    }

    /// Runs the steps `steps` (numbered over the whole sweep) on one signature space. Step `t` of the sweep
    /// is step `t - before` of the plan of that space.
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
            // The tables of the other phase are dropped before the tables of this phase are built.
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
                // The tables may be incomplete, so the step is saved as far as it has come.
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
            // The first right step after the common ones keeps its source layer for the left half.
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

    /// Runs step `t` and returns the command that is to be obeyed after it. A sweep on one rank obeys `Save`
    /// and `Stop` at once, in the middle of the step. A shared sweep can obey only after the step, when all
    /// ranks do, so this function returns the command instead.
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

    /// Polls the observer in the middle of step `t`, unless another thread is polling it, and records the
    /// strongest command in `asked`. Returns true if the step must be suspended now.
    pub(super) fn asks(&self, asked: &AtomicU8, t: usize, part: f64, is_shared: bool) -> bool {
        let Ok(mut observer) = self.observer.try_lock() else { return false };
        let pulse = observer.pulse();
        observer.part(t, part);
        asked.fetch_max(pulse as u8, Ordering::Relaxed);
        if is_shared { pulse == Pulse::Stop && !self.saves } else { pulse != Pulse::Go }
    }

    /// Removes the weight of a finished tour, at address `at`, from the layer after step `t` and returns it.
    /// On a shared sweep the weight is summed over the ranks, of which at most one has it.
    fn take_finished(&self, layer: &Shelf, at: Address, t: usize) -> Result<BigUint, Error> {
        let word = self.course.words().at(at.word);
        let take = || {
            let chunk =
                layer.take(word.high, &self.keeper, &|| Ok(false)).map_err(|halt| self.error(halt, t))?;
            let Some(mut chunk) = chunk else { return Ok(BigUint::ZERO) };
            let number = chunk.find(word.low, at.bit, 0).map(|place| {
                // The block stays, with weight zero; a block of zeros has no successors.
                chunk.weights.take(place)
            });
            layer.put(word.high, chunk);
            Ok(number.unwrap_or_default())
        };
        // At most one rank has the weight.
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
            let inner = plan.finished_by(t, t).expect("the shorter board is complete after this step");
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
        // The match must not hold the observer's lock: the observer is called again while the sweep is saved.
        let flow = self.observer().step(&report);
        // On a shared sweep the command of this rank's observer reaches the other ranks only after the next
        // step.
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
