//! Execution of a group of steps, one class of chunks after the other, and the progress of the group.
//!
//! ```text
//! layer before the group -> for each class { step -> inner layer -> step -> .. step } -> layer after the group
//! ```
//!
//! An inner layer exists for the current class only. A single step is a group with one class. It can be paused
//! between any two target chunks, a longer group between any two classes: its progress is the layer before
//! the group, without the chunks that are no longer needed, and the finished chunks of the layer after it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use num_bigint::BigUint;

use super::step_execution::{ChunksOfStep, StepExecution};
use crate::clock::Instant;
use crate::frontier::layer::compiled_step::CompiledStep;
use crate::frontier::layer::layer_store::LayerStore;
use crate::frontier::layer::memory_pool::{MemoryPool, StepError};
use crate::frontier::layer::sweep_totals::StepTally;
use crate::frontier::planning::plan::Plan;
use crate::frontier::planning::slots::slot_bit;
use crate::frontier::planning::step_group::StepGroup;
use crate::frontier::signature::space::{SignatureSpace, WordNumbering};
use crate::frontier::weights::modulus::Modulus;

/// Progress of a group of steps, or of the join of a two-sided sweep.
pub struct GroupProgress {
    /// The layer before the group.
    pub source: LayerStore,
    /// True if the source layer is kept after the group, because in a two-sided sweep the other half
    /// also starts from it.
    pub keeps_source: bool,
    /// The layer after the group, with its finished chunks.
    pub target: LayerStore,
    /// Numbers of the finished target chunks.
    pub done: Vec<usize>,
    /// For each step of the group, the counters of its finished chunks; empty if the group has not begun.
    pub tallies: Vec<StepTally>,
    /// Partial sum of the join; otherwise 0.
    pub sum: BigUint,
}

impl GroupProgress {
    /// Returns the progress of a group from the layer `source`, with no target chunk finished.
    #[must_use]
    pub fn new(source: LayerStore, words: &WordNumbering) -> Self {
        let target = LayerStore::new(words.chunk_count(), words.chunk_len());
        let (done, tallies) = (Vec::new(), Vec::new());
        Self { source, keeps_source: false, target, done, tallies, sum: BigUint::ZERO }
    }

    /// Returns a view of the progress.
    #[must_use]
    pub fn view(&self) -> GroupView<'_> {
        let Self { source, target, done, tallies, .. } = self;
        GroupView { source, target, done: done.clone(), tallies: tallies.clone() }
    }
}

/// A borrowed view of the progress of a group while it is executed.
#[derive(Clone)]
pub struct GroupView<'a> {
    /// The layer before the group.
    pub source: &'a LayerStore,
    /// The layer after the group, with its finished chunks.
    pub target: &'a LayerStore,
    /// Numbers of the finished target chunks.
    pub done: Vec<usize>,
    /// For each step of the group, the counters of its finished chunks; empty if the group has not begun.
    pub tallies: Vec<StepTally>,
}

/// When the execution of a group pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// The execution continues.
    Never,
    /// As soon as the progress can be saved.
    ToSave,
    /// After the current chunk. Within a group of several steps the progress is lost.
    AtOnce,
}

/// Chunks of a group that depend on no other chunks: numbers of the source chunks, and for each step, of its target
/// chunks in the order of computation.
#[derive(Clone, Default)]
struct ChunkClass {
    sources: Vec<usize>,
    targets: Vec<Vec<usize>>,
}

/// Execution of a group of steps.
pub struct GroupExecution<'a> {
    steps: &'a [CompiledStep<'a>],
    pool: &'a MemoryPool<'a>,
    /// The modulus of the weights; `None` for exact weights.
    modulo: Option<Modulus>,
    /// A layer that is needed only after the current phase. Its chunks are therefore evicted first.
    waiting_layer: Option<&'a LayerStore>,
    source: LayerStore,
    keeps_source: bool,
    /// Layers for the classes between the steps, of which one is read and the other is written.
    inner_layers: [LayerStore; 2],
    target: LayerStore,
    classes: Vec<ChunkClass>,
    /// For each chunk, the number of its class.
    class_of: Vec<usize>,
    state: Mutex<GroupState>,
}

/// Progress of a group: finished target chunks, and for each step its counters and seconds.
struct GroupState {
    is_done: Vec<bool>,
    tallies: Vec<StepTally>,
    seconds: Vec<f64>,
}

impl<'a> GroupExecution<'a> {
    /// Prepares the execution of a group from its progress. `steps` are its compiled steps, and `space` is their
    /// signature space.
    #[must_use]
    pub fn new(
        group: &StepGroup,
        space: &SignatureSpace,
        steps: &'a [CompiledStep<'a>],
        pool: &'a MemoryPool<'a>,
        modulo: Option<Modulus>,
        waiting_layer: Option<&'a LayerStore>,
        progress: GroupProgress,
    ) -> Self {
        let GroupProgress { source, keeps_source, target, done, mut tallies, .. } = progress;
        let words = space.words();
        let (class_of, class_count) = chunk_classes(space.plan(), words, group);
        let new_class = ChunkClass { sources: Vec::new(), targets: vec![Vec::new(); steps.len()] };
        let mut classes = vec![new_class; class_count];
        source.present_chunks().into_iter().for_each(|n| classes[class_of[n]].sources.push(n));
        for (k, step) in steps.iter().enumerate() {
            step.target_order().into_iter().for_each(|n| classes[class_of[n]].targets[k].push(n));
        }
        if steps.len() > 1 {
            // Chunks of later classes are evicted first.
            let ranks = class_of.iter().map(|&class| (class_count - class) as u32).collect();
            source.set_eviction_ranks(ranks);
        }
        let mut is_done = vec![false; words.chunk_count()];
        done.iter().for_each(|&n| is_done[n] = true);
        tallies.resize(steps.len(), StepTally::default());
        let new_layer = || match steps.len() {
            1 => LayerStore::new(0, 0),
            _ => LayerStore::new(words.chunk_count(), words.chunk_len()),
        };
        Self {
            steps,
            pool,
            modulo,
            waiting_layer,
            source,
            keeps_source,
            inner_layers: [new_layer(), new_layer()],
            target,
            classes,
            class_of,
            state: Mutex::new(GroupState { is_done, tallies, seconds: vec![0.0; steps.len()] }),
        }
    }

    /// Returns the number of bytes of the lists of the inner layers of a group.
    #[must_use]
    pub fn fixed_bytes(group: &StepGroup, words: &WordNumbering) -> u64 {
        match group.steps.len() {
            1 => 0,
            _ => 2 * LayerStore::list_bytes(words.chunk_count()),
        }
    }

    fn state(&self) -> MutexGuard<'_, GroupState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Computes target chunks on the current rayon pool until all are finished or `pause` returns another value than
    /// [`Pause::Never`]. `pause` is called after every chunk of every step, with the fraction of the group that is
    /// finished, 0 to 1. A group of several steps can be saved only after the current class. Returns true if all
    /// chunks are finished.
    ///
    /// # Errors
    /// See [`StepError`].
    pub fn run(&self, pause: &(impl Fn(f64) -> Pause + Sync)) -> Result<bool, StepError> {
        let is_paused = AtomicBool::new(false);
        for number in 0..self.classes.len() {
            if is_paused.load(Ordering::Relaxed) {
                return Ok(false);
            }
            if !self.run_class(number, &is_paused, pause)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Computes the chunks of a class. Returns true if all are finished. Sets `is_paused` if `pause` returns another
    /// value than [`Pause::Never`].
    fn run_class(
        &self,
        number: usize,
        is_paused: &AtomicBool,
        pause: &(impl Fn(f64) -> Pause + Sync),
    ) -> Result<bool, StepError> {
        let (class, last) = (&self.classes[number], self.steps.len() - 1);
        let is_single = last == 0;
        let done: Vec<usize> = {
            let state = self.state();
            class.targets[last].iter().copied().filter(|&n| state.is_done[n]).collect()
        };
        if done.len() == class.targets[last].len() {
            // Nothing depends on the remaining sources.
            if !self.keeps_source {
                class.sources.iter().for_each(|&n| self.source.remove(n, self.pool));
            }
            return Ok(true);
        }
        assert!(is_single || done.is_empty(), "a class is finished as a whole");
        let stops = AtomicBool::new(false);
        let mut sources = class.sources.clone();
        for (k, step) in self.steps.iter().enumerate() {
            let began = Instant::now();
            let source = if k == 0 { &self.source } else { &self.inner_layers[k % 2] };
            let target = if k == last { &self.target } else { &self.inner_layers[(k + 1) % 2] };
            let chunks = ChunksOfStep { targets: class.targets[k].clone(), sources: &sources, done: &done };
            let is_own = |chunk: usize| self.class_of[chunk] == number;
            let keeps = self.keeps_source && k == 0;
            let execution = StepExecution::of_chunks(
                step,
                self.pool,
                self.modulo,
                (source, keeps),
                target,
                chunks,
                &is_own,
            );
            if is_single || k > 0 {
                execution.rank_sources();
            }
            if is_single || k < last {
                execution.rank_targets();
            }
            let evicted = match is_single {
                true => self.waiting_layer.into_iter().chain([target, source]).collect(),
                false => {
                    let others = [&self.target, &self.source, target, source];
                    self.waiting_layer.into_iter().chain(others).collect()
                }
            };
            let execution = execution.with_evicted_layers(evicted);
            let fraction = || {
                let of_class = (k as f64 + execution.fraction_done()) / self.steps.len() as f64;
                (number as f64 + of_class) / self.classes.len() as f64
            };
            let poll = || {
                let pause = pause(fraction());
                if pause != Pause::Never {
                    is_paused.store(true, Ordering::Relaxed);
                }
                if pause == Pause::AtOnce {
                    stops.store(true, Ordering::Relaxed);
                }
                pause == Pause::AtOnce || pause == Pause::ToSave && is_single
            };
            let is_finished = execution.run(&poll)?;
            let mut state = self.state();
            state.tallies[k] = state.tallies[k].plus(execution.tally());
            state.seconds[k] += began.elapsed().as_secs_f64();
            if k == last {
                execution.done().into_iter().for_each(|n| state.is_done[n] = true);
            }
            if !is_finished || stops.load(Ordering::Relaxed) && k < last {
                return Ok(false);
            }
            sources.clone_from(&class.targets[k]);
        }
        Ok(true)
    }

    /// Returns a view of the progress. It must be called between two chunks of a single step, or two classes of a
    /// group, and not after [`Pause::AtOnce`].
    #[must_use]
    pub fn view(&self) -> GroupView<'_> {
        let state = self.state();
        let done = (0..state.is_done.len()).filter(|&n| state.is_done[n]).collect();
        GroupView { source: &self.source, target: &self.target, done, tallies: state.tallies.clone() }
    }

    /// Returns the layer before the group (empty unless it is kept) and the layer after it.
    #[must_use]
    pub fn into_layers(self) -> (LayerStore, LayerStore) {
        (self.source, self.target)
    }

    /// Returns, for each step, its counters and its seconds.
    #[must_use]
    pub fn tallies_and_seconds(&self) -> Vec<(StepTally, f64)> {
        let state = self.state();
        state.tallies.iter().copied().zip(state.seconds.iter().copied()).collect()
    }
}

/// Returns the number of the class of each chunk, and the number of classes: chunks are in one class if they have
/// equal digits in the key slots of the group, or if a step maps one to the mirror image of the other.
fn chunk_classes(plan: &Plan, words: &WordNumbering, group: &StepGroup) -> (Vec<usize>, usize) {
    let key_slots: Vec<usize> =
        (0..words.slot_count()).filter(|&slot| group.key_slots & slot_bit(slot as u8) != 0).collect();
    let mirrors = plan.steps()[group.steps.clone()].iter().filter_map(|step| step.mirror_image.as_ref());
    let mut codes: Vec<u32> = vec![u32::MAX; words.chunk_count()];
    let identity: Vec<u8> = (0..words.slot_count() as u8).collect();
    for image in std::iter::once(&identity).chain(mirrors) {
        // The image of a key slot is a key slot, that of another slot is none.
        let place = |slot: usize| {
            let image = usize::from(*image.get(slot)?);
            key_slots.iter().position(|&key| key == image)
        };
        let value = |slot, digit: u32| place(slot).map_or(0, |place| digit * 3u32.pow(place as u32));
        let of_image = words.outer_sums(value).by_chunk;
        codes.iter_mut().zip(of_image).for_each(|(code, other)| *code = (*code).min(other));
    }
    let mut numbers: Vec<u32> = codes.clone();
    numbers.sort_unstable();
    numbers.dedup();
    let class = |code: &u32| numbers.binary_search(code).expect("every code has a number");
    (codes.iter().map(class).collect(), numbers.len())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::frontier::planning::problem::{Cycles, SweepGraph, Tours};
    use crate::frontier::planning::step_group::step_groups;

    #[test]
    fn classes_of_chunks_divide_every_layer() {
        let board = "6x6".parse().unwrap();
        let cycles = Cycles::from_sweep_graph(&SweepGraph::from_board(&board), Tours::Closed);
        let order: Vec<usize> = (0..cycles.len()).collect();
        let mut plan = Plan::new(&cycles, &order, true);
        plan.set_min_grouped_slots(0);
        let space = SignatureSpace::new(&Arc::new(plan)).unwrap();
        let (plan, words) = (space.plan(), space.words());
        let mut most = 0;
        for group in step_groups(plan, 0..plan.steps().len(), words.first_chunk_slot()) {
            let (class_of, count) = chunk_classes(plan, words, &group);
            assert_eq!(class_of.len(), words.chunk_count());
            assert!((0..count).all(|class| class_of.contains(&class)));
            assert_eq!(count == 1, group.steps.len() == 1, "{group:?}");
            most = most.max(count);
        }
        assert!(most >= 9, "{most}");
    }
}
