//! A sweep over layers of weight blocks: from the initial layer to the count, step by step.
//!
//! A sweep executes its [`Phase`]s in order. A one-sided sweep is a single phase. A two-sided sweep has a right phase,
//! a left phase, and the join of their last layers:
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
//! A sweep can be suspended between any two chunks of a step, or between any two classes of a group of
//! steps. A sweep that is shared by several ranks can be suspended only between two steps. All chunks are then
//! in the store, and a [`Snapshot`] names them; a later run resumes from it with the same result.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use num_bigint::BigUint;

use super::group_execution::{GroupExecution, GroupProgress, GroupView, Pause};
use super::options::{Options, Storage};
use super::report::{Observer, Outcome, StepReport, SweepStats};
use super::sweep_estimate::{fixed_bytes_of_sides, reserve_bytes};
use super::sweep_tables::SweepTables;
use super::two_sided::{JoinExecution, TwoSidedPlan, TwoSidedState, sweep_phases};
use crate::clock::Instant;
use crate::frontier::layer::compiled_step::CompiledStep;
use crate::frontier::layer::layer_join::LayerJoiner;
use crate::frontier::layer::layer_store::LayerStore;
use crate::frontier::layer::memory_pool::{MemoryPool, StepError};
use crate::frontier::layer::snapshot::Snapshot;
use crate::frontier::layer::sweep_totals::{ResourceUsage, StepTally};
use crate::frontier::planning::cancel::{Cancel, Cancelled};
use crate::frontier::planning::phase::{Phase, PhaseKind};
use crate::frontier::planning::step_group::{StepGroup, step_groups};
use crate::frontier::ranks::cluster::{Cluster, RemoteWork};
use crate::frontier::ranks::command::Command;
use crate::frontier::ranks::distribution::RankReport;
use crate::frontier::ranks::error::Error;
use crate::frontier::signature::feasibility::Feasibility;
use crate::frontier::signature::space::{SignatureAddress, SignatureSpace};
use crate::frontier::weights::matching_tables::MapTables;
use crate::frontier::weights::modulus::Modulus;

/// A sweep over layers of weight blocks, one-sided or two-sided.
pub struct BlockSweep<'a> {
    pub(super) space: Arc<SignatureSpace>,
    /// The state of the two-sided sweep; `None` for a one-sided sweep.
    pub(super) two_sided: Option<TwoSidedState>,
    /// The phases of the sweep, in order.
    pub(super) phases: Vec<Phase>,
    pub(super) options: &'a Options,
    /// True if the caller requested snapshots and there is a store for them.
    pub(super) saves_snapshots: bool,
    pub(super) cancel: Cancel,
    pub(super) resume_from: Option<Snapshot>,
    pub(super) tables: MapTables,
    /// The feasibility tables of the phases that have not begun.
    pub(super) phase_tables: SweepTables,
    pub(super) pool: MemoryPool<'a>,
    pub(super) cluster: Cluster<'a>,
    pub(super) observer: Mutex<&'a mut dyn Observer>,
    pub(super) stats: SweepStats,
    /// Counts of the shorter boards of a series, in order of length.
    pub(super) shorter_counts: Vec<BigUint>,
    /// True if the observer returned `Break` after the last step.
    pub(super) must_stop: bool,
}

impl<'a> BlockSweep<'a> {
    /// Prepares a sweep: builds the feasibility tables, unless `tables` has them, and creates the memory pool and
    /// the statistics. The sweep is two-sided if `plan`, a two-sided plan, is given.
    ///
    /// # Errors
    /// [`Error::Memory`] if the tables alone exceed the memory limit; [`Error::Stopped`] if the
    /// sweep was cancelled.
    pub fn new(
        space: &Arc<SignatureSpace>,
        plan: Option<&TwoSidedPlan>,
        options: &'a Options,
        storage: Storage<'a>,
        tables: Option<SweepTables>,
        observer: &'a mut dyn Observer,
    ) -> Result<Self, Error> {
        let began = Instant::now();
        let memory = options.memory;
        let two_sided = plan.and_then(|plan| Some(TwoSidedState::new(plan, plan.right_space(space)?)));
        let right_side = two_sided.as_ref().map(|state| (&state.plan, &state.right_space));
        let phases = sweep_phases(space.step_count(), right_side.map(|(plan, _)| plan));
        let steps = count_steps(&phases);
        let entries = fixed_bytes_of_sides(space, right_side.map(|(_, space)| &**space));
        let (reserve, limit) = (reserve_bytes(memory), memory.unwrap_or(u64::MAX));
        let too_little = Error::Memory { step: 0, steps, limit };
        if entries + reserve >= limit {
            return Err(too_little);
        }
        // A rank cannot stop alone because of its tables: a shared sweep always runs to the end of the step.
        let cancel = if storage.peers.is_some() { Cancel::default() } else { options.cancel.clone() };
        let first_step = storage.resume_from.as_ref().map_or(0, |snapshot| snapshot.step);
        let is_of = |tables: &SweepTables| tables.belongs_to(space, right_side, options.shard);
        let phase_tables = match tables.filter(is_of) {
            Some(tables) => tables,
            None => SweepTables::new(space, right_side, options.shard, memory, first_step, &cancel)
                .map(SweepTables::without_left_dry_run)
                .map_err(|Cancelled| Error::Stopped { step: 0, steps })?,
        };
        let fixed = entries + phase_tables.sizes().max_bytes(memory);
        if fixed + reserve >= limit {
            return Err(too_little);
        }
        let slots = right_side.map_or(0, |(_, right_space)| right_space.plan().slot_count());
        Ok(Self {
            tables: MapTables::new(space.plan().slot_count().max(slots)),
            phase_tables,
            pool: MemoryPool::new(limit - fixed - reserve, storage.store)
                .with_process_ceiling(memory.map(|memory| memory - reserve), options.allocator)
                .process_overhead(fixed),
            cluster: Cluster::new(storage.peers, space.step_count()),
            space: Arc::clone(space),
            two_sided,
            phases,
            options,
            saves_snapshots: storage.wants_snapshots && storage.store.is_some(),
            cancel,
            resume_from: storage.resume_from,
            observer: Mutex::new(observer),
            stats: SweepStats::new(began, fixed),
            shorter_counts: Vec::new(),
            must_stop: false,
        })
    }

    /// Runs all steps of the sweep, or the remaining steps if it resumes from a snapshot. Returns
    /// the count and the totals of all sessions.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(mut self) -> Result<Outcome, Error> {
        let (mut progress, first_phase, first_step) = self.load_progress()?;
        let (phases, mut count) = (self.phases.clone(), BigUint::ZERO);
        for phase in &phases[first_phase..] {
            match phase.kind {
                PhaseKind::Common | PhaseKind::Left => {
                    progress = self.run_phase(phase, first_step, progress)?;
                }
                PhaseKind::Right => {
                    progress = self.run_phase(phase, first_step, progress)?;
                    progress = self.start_left_side(progress)?;
                }
                PhaseKind::Whole => {
                    progress = self.run_phase(phase, first_step, progress)?;
                    count = self.take_count(&progress.source)?;
                }
                PhaseKind::Join => count = self.join_sides(phase, &progress)?,
            }
        }
        let mut totals = self.stats.totals(&self.pool);
        let stored =
            self.cluster.allgather(Ok((totals.peak_stored, totals.written)), self.step_count() - 1)?;
        totals.peak_stored = stored.iter().map(|one| one.0).sum();
        totals.written = stored.iter().map(|one| one.1).sum();
        Ok(Outcome { count, is_negative: false, shorter_counts: self.shorter_counts, totals })
    }

    /// Saves step `t` of a cancelled sweep with its current progress. Returns the error that ends
    /// the sweep.
    fn stop_during_step(&self, phase: &Phase, t: usize, progress: &GroupProgress) -> Error {
        let saved = self.save_snapshot(phase, t, &progress.view(), &BigUint::ZERO);
        saved.err().unwrap_or(Error::Stopped { step: t, steps: self.step_count() })
    }

    /// Returns the number of steps of the whole sweep. The join counts as a step.
    fn step_count(&self) -> usize {
        count_steps(&self.phases)
    }

    /// Returns the signature space of the steps of a phase; for the join, that of the left half.
    pub(super) fn space_of(&self, kind: PhaseKind) -> &Arc<SignatureSpace> {
        match (&self.two_sided, kind) {
            (Some(two_sided), PhaseKind::Right) => &two_sided.right_space,
            _ => &self.space,
        }
    }

    /// Runs the steps of a phase, those from step `first_step` of the sweep on, and returns the progress after them.
    fn run_phase(
        &mut self,
        phase: &Phase,
        first_step: usize,
        mut progress: GroupProgress,
    ) -> Result<GroupProgress, Error> {
        let first_step = first_step.max(phase.steps.start);
        if first_step == phase.steps.end {
            return Ok(progress);
        }
        let mut feasibility = self.phase_tables.take(phase.kind).expect("every phase has tables");
        for group in self.groups(phase, phase.plan_step(first_step), progress.tallies.len()) {
            progress = self.run_group(phase, &group, &mut feasibility, progress)?;
        }
        Ok(progress)
    }

    /// Returns the start of the left half after the last step of the right half: the common layer, if there is one,
    /// else the initial layer. The right layer, the source layer of `progress`, waits for the join.
    fn start_left_side(&mut self, progress: GroupProgress) -> Result<GroupProgress, Error> {
        let common_layer = self.two_sided.as_mut().and_then(|two_sided| two_sided.waiting_layer.take());
        let start = match common_layer {
            Some(layer) => GroupProgress::new(layer, self.space.words()),
            None => self.initial_progress(self.space.words(), Some(&progress.source))?,
        };
        self.two_sided.as_mut().expect("the sweep is two-sided").waiting_layer = Some(progress.source);
        Ok(start)
    }

    /// Returns the count of a one-sided sweep, and empties its last layer, `layer`.
    fn take_count(&self, layer: &LayerStore) -> Result<BigUint, Error> {
        let finished = SignatureAddress { word_number: 0, bit: 0 };
        let count = self.take_finished_weight(layer, finished, self.step_count() - 1)?;
        layer.present_chunks().into_iter().for_each(|n| layer.remove(n, &self.pool));
        Ok(count)
    }

    /// Returns the groups of the steps of a phase, from step `first` of the plan on. If `begun` is not 0, the first
    /// group has this number of steps. Ranks exchange the chunks of every layer, so they execute single steps.
    fn groups(&self, phase: &Phase, mut first: usize, begun: usize) -> Vec<StepGroup> {
        let space = self.space_of(phase.kind);
        let (plan, chunk_slot) = (space.plan(), space.words().first_chunk_slot());
        let (phase, mut groups) = (phase.plan_steps.clone(), Vec::new());
        if begun > 0 {
            groups.push(StepGroup::new(plan, first..first + begun, chunk_slot));
            first += begun;
        }
        let whole = if self.cluster.is_shared() {
            phase.map(|t| StepGroup::new(plan, t..t + 1, chunk_slot)).collect()
        } else {
            step_groups(plan, phase, chunk_slot)
        };
        let rest = whole.into_iter().filter(|group| group.steps.end > first);
        groups.extend(rest.map(|group| match group.steps.start < first {
            true => StepGroup::new(plan, first..group.steps.end, chunk_slot),
            false => group,
        }));
        groups
    }

    /// Runs a group of steps of a phase, with the feasibility tables of the phase, from its progress. Returns the progress
    /// after it.
    fn run_group(
        &mut self,
        phase: &Phase,
        group: &StepGroup,
        feasibility: &mut Feasibility,
        mut progress: GroupProgress,
    ) -> Result<GroupProgress, Error> {
        let (plan_step, began) = (group.steps.start, Instant::now());
        let (t, space) = (phase.sweep_step(plan_step), Arc::clone(self.space_of(phase.kind)));
        self.pool.trim_allocator(feasibility.missing_bytes(group.steps.clone()));
        let waiting = self.two_sided.as_ref().and_then(|two_sided| two_sided.waiting_layer.as_ref());
        let evicted: Vec<&LayerStore> = waiting.into_iter().chain([&progress.source]).collect();
        let bytes = GroupExecution::fixed_bytes(group, space.words());
        let reservation = (bytes > 0).then(|| self.pool.reserve(bytes, &evicted)).transpose();
        let reservation = reservation.map_err(|error| self.to_error(error, t))?;
        let mut tables = Vec::new();
        for step in group.steps.clone() {
            let Ok(table) = feasibility.table_after(step) else {
                return Err(self.stop_during_step(phase, t, &progress));
            };
            tables.push(table);
        }
        let mut compiled = Vec::new();
        for (step, table) in group.steps.clone().zip(&tables) {
            let feasible = Some(&**table);
            let Ok(step) = CompiledStep::new_under(&space, &self.tables, feasible, step, &self.cancel) else {
                return Err(self.stop_during_step(phase, t, &progress));
            };
            compiled.push(step);
        }
        let RemoteWork { chunks, sent_bytes: sent, receive_error: halted } =
            self.cluster.distribute_step(&space, &compiled[0], &progress.source, &self.pool, t)?;
        progress.done.extend(chunks);
        // The first group after the common steps keeps its source layer for the left half.
        let keeps = phase.keeps_common_layer() && plan_step == phase.plan_steps.start;
        progress.keeps_source = keeps;
        let execution =
            GroupExecution::new(group, &space, &compiled, &self.pool, self.options.modulo, waiting, progress);
        let prepared_seconds = began.elapsed().as_secs_f64();
        let made = match halted {
            None => self.execute(phase, &execution, t, group.steps.len()),
            Some(halt) => Err(self.to_error(halt, t)),
        };
        let mut tallies = execution.tallies_and_seconds();
        let (source, layer) = execution.into_layers();
        drop(compiled);
        drop((tables, reservation));
        if let Some(two_sided) = self.two_sided.as_mut().filter(|_| keeps) {
            two_sided.waiting_layer = Some(source);
        }
        let usage = self.stats.usage(&self.pool, sent);
        let (tally, seconds) = tallies.pop().expect("a group has a step");
        let share = made.map(|command| RankReport { tally, usage, command, chunks: Vec::new() });
        let last = t + group.steps.len() - 1;
        let share = self.cluster.combine_reports(share, &layer, last)?;
        if share.command == Command::Stop && !self.saves_snapshots {
            return Err(Error::Stopped { step: last, steps: self.step_count() });
        }
        for (k, (tally, seconds)) in tallies.into_iter().enumerate() {
            self.must_stop |= self.add_step(phase, plan_step + k, &tally, &usage, seconds).is_break();
        }
        let seconds = seconds + prepared_seconds;
        self.report_step(phase, group.steps.end - 1, &layer, &share, seconds)?;
        Ok(GroupProgress::new(layer, space.words()))
    }

    /// Runs the group of `steps` steps that begins with step `t` and returns the observer's command to be executed
    /// after it. A sweep on one rank executes `Save` and `Stop` during the group. A sweep on several ranks can
    /// execute them only after the step, on all ranks together.
    fn execute(
        &self,
        phase: &Phase,
        execution: &GroupExecution,
        t: usize,
        steps: usize,
    ) -> Result<Command, Error> {
        let is_shared = self.cluster.is_shared();
        loop {
            let strongest_command =
                Mutex::new(if self.must_stop { Command::Stop } else { Command::Continue });
            let finished = execution.run(&|fraction| {
                let steps_done = (fraction * steps as f64).min(steps as f64 - 1.0).floor();
                let part = fraction * steps as f64 - steps_done;
                self.poll_observer(&strongest_command, t + steps_done as usize, part, is_shared)
            });
            let finished = finished.map_err(|error| self.to_error(error, t))?;
            let requested_command = strongest_command.into_inner().unwrap_or_else(PoisonError::into_inner);
            if is_shared {
                return Ok(requested_command);
            }
            if requested_command != Command::Continue && self.saves_snapshots {
                self.save_snapshot(phase, t, &execution.view(), &BigUint::ZERO)?;
            }
            if requested_command == Command::Stop {
                return Err(Error::Stopped { step: t, steps: self.step_count() });
            }
            if finished {
                return Ok(Command::Continue);
            }
        }
    }

    /// Polls the observer in the middle of step `t`, unless another thread is polling it, and records the
    /// strongest command so far. Returns the pause that the command requires.
    pub(super) fn poll_observer(
        &self,
        strongest_command: &Mutex<Command>,
        t: usize,
        part: f64,
        is_shared: bool,
    ) -> Pause {
        let Ok(mut observer) = self.observer.try_lock() else { return Pause::Never };
        let command = observer.poll();
        observer.on_step_fraction(t, part);
        let mut strongest = strongest_command.lock().unwrap_or_else(PoisonError::into_inner);
        *strongest = command.max(*strongest);
        match command {
            Command::Continue => Pause::Never,
            Command::Stop if !self.saves_snapshots => Pause::AtOnce,
            _ if is_shared => Pause::Never,
            _ => Pause::ToSave,
        }
    }

    /// Removes the weight of the finished tours, at address `at`, from the layer after step `t`,
    /// and returns it. In a sweep on several ranks at most one rank has this weight; every rank
    /// returns the sum over all ranks.
    fn take_finished_weight(
        &self,
        layer: &LayerStore,
        at: SignatureAddress,
        t: usize,
    ) -> Result<BigUint, Error> {
        let word = self.space.words().word_at(at.word_number);
        let take = || {
            let chunk = layer.take_chunk(word.chunk, &self.pool).map_err(|error| self.to_error(error, t))?;
            let Some(mut chunk) = chunk else { return Ok(BigUint::ZERO) };
            let number = chunk.find_block(word.word, at.bit, 0).map(|position| {
                // The block stays, with weight zero; a block of zeros has no successors.
                chunk.weights.take_weight(position)
            });
            layer.insert(word.chunk, chunk);
            Ok(number.unwrap_or_default())
        };
        // At most one rank has the weight.
        let all = self.cluster.allgather(take().map(|number| number.to_bytes_le()), t)?;
        Ok(all.iter().map(|bytes| BigUint::from_bytes_le(bytes)).sum())
    }

    /// Adds a step of a phase to the statistics, and reports it to the observer.
    fn add_step(
        &mut self,
        phase: &Phase,
        plan_step: usize,
        tally: &StepTally,
        usage: &ResourceUsage,
        seconds: f64,
    ) -> ControlFlow<()> {
        self.stats.add_step(tally, usage, &self.pool);
        let step = &self.space_of(phase.kind).plan().steps()[plan_step];
        let report = StepReport {
            step: phase.sweep_step(plan_step) + 1,
            steps: self.step_count(),
            vertex: step.vertex,
            frontier: step.occupied_slots.count_ones(),
            tally: *tally,
            usage: *usage,
            seconds,
            elapsed: self.stats.totals(&self.pool).seconds,
        };
        // The caller must not hold the observer's lock: the observer is called again while the sweep is saved.
        self.observer().on_step(&report)
    }

    fn report_step(
        &mut self,
        phase: &Phase,
        plan_step: usize,
        layer: &LayerStore,
        share: &RankReport,
        seconds: f64,
    ) -> Result<(), Error> {
        let (t, steps) = (phase.sweep_step(plan_step), self.step_count());
        let space = Arc::clone(self.space_of(phase.kind));
        let plan = space.plan();
        if let Some(position) = plan.shorter_ends().iter().position(|&end| end == t) {
            let inner =
                plan.inner_slots_if_finished(t, t).expect("the shorter board is complete after this step");
            let number = self.take_finished_weight(layer, space.locate_inner_slots(inner), t)?;
            self.observer().on_shorter_board(position, &number);
            self.shorter_counts.push(number);
        }
        let flow = self.add_step(phase, plan_step, &share.tally, &share.usage, seconds);
        // On a shared sweep the command of this rank's observer reaches the other ranks only after the next
        // step.
        let breaks = flow.is_break() || self.must_stop;
        let stops = share.command == Command::Stop || !self.cluster.is_shared() && breaks;
        if stops || share.command == Command::Save {
            let none = LayerStore::new(0, 0);
            let view = GroupView { source: layer, target: &none, done: Vec::new(), tallies: Vec::new() };
            self.save_snapshot(phase, t + 1, &view, &BigUint::ZERO)?;
        }
        if stops {
            return Err(Error::Stopped { step: t + 1, steps });
        }
        self.must_stop |= flow.is_break();
        Ok(())
    }

    pub(super) fn observer(&self) -> MutexGuard<'_, &'a mut dyn Observer> {
        self.observer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn to_error(&self, error: StepError, t: usize) -> Error {
        let (step, steps) = (t + 1, self.step_count());
        match error {
            StepError::Memory => {
                Error::Memory { step, steps, limit: self.options.memory.unwrap_or(u64::MAX) }
            }
            StepError::Store(what) => Error::Store { step, steps, message: what },
        }
    }
}

/// Returns the number of steps of all phases.
fn count_steps(phases: &[Phase]) -> usize {
    phases.last().map_or(0, |phase| phase.steps.end)
}

impl BlockSweep<'_> {
    /// Joins the last layers of both halves and returns the count. The join, `phase`, resumes from `progress`.
    pub(super) fn join_sides(&mut self, phase: &Phase, progress: &GroupProgress) -> Result<BigUint, Error> {
        let (t, began) = (phase.steps.start, Instant::now());
        let two_sided = self.two_sided.as_ref().expect("the sweep is two-sided");
        let right = two_sided.waiting_layer.as_ref().expect("the right phase precedes the join");
        let joining =
            LayerJoiner::new(&self.space, two_sided.plan.cut_step, &two_sided.right_space, &self.tables);
        let GroupProgress { source: left, done, sum, .. } = progress;
        let join = JoinExecution::new(&joining, &self.pool, left, right, done, sum.clone());
        loop {
            let strongest_command = Mutex::new(Command::Continue);
            let finished = join.run(&|| {
                let part = join.fraction_done();
                self.poll_observer(&strongest_command, t, part, false) != Pause::Never
            });
            let finished = finished.map_err(|error| self.to_error(error, t))?;
            if finished {
                break;
            }
            let (done, sum) = join.view();
            let nothing = LayerStore::new(0, 0);
            let view = GroupView { source: left, target: &nothing, done, tallies: Vec::new() };
            self.save_snapshot(phase, t, &view, &sum)?;
            if strongest_command.into_inner().unwrap_or_else(PoisonError::into_inner) == Command::Stop {
                return Err(Error::Stopped { step: t, steps: t + 1 });
            }
        }
        let (sum, tally) = join.into_sum();
        let times = joining.multiplicity();
        let count = match self.options.modulo {
            Some(Modulus::Residues(lane)) => lane.quotient_residue(&sum, times),
            _ => {
                assert_eq!(
                    &sum % times,
                    BigUint::ZERO,
                    "the joined sum must be divisible by the multiplicity of a tour"
                );
                sum / times
            }
        };
        let frontier = self.space.plan().steps()[two_sided.plan.cut_step].occupied_slots;
        let usage = self.stats.usage(&self.pool, 0);
        self.stats.add_step(&tally, &usage, &self.pool);
        let report = StepReport {
            step: t + 1,
            steps: t + 1,
            vertex: self.space.step_count(),
            frontier: frontier.count_ones(),
            tally,
            usage,
            seconds: began.elapsed().as_secs_f64(),
            elapsed: self.stats.totals(&self.pool).seconds,
        };
        let _ = self.observer().on_step(&report);
        Ok(count)
    }
}
