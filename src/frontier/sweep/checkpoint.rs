//! Snapshots of a sweep by blocks: where the sweep starts, and how it is saved.
//!
//! ```text
//! layers -> store, named by a Snapshot -> layers of a later session
//! ```

use num_bigint::BigUint;
use rayon::prelude::*;

use super::block_sweep::BlockSweep;
use super::group_execution::{GroupProgress, GroupView};
use super::options::Options;
use super::two_sided::plan_digest;
use crate::encoder::Encoder;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::layer_store::LayerStore;
use crate::frontier::layer::memory_pool::StepError;
use crate::frontier::layer::snapshot::Snapshot;
use crate::frontier::layer::store::StoredChunk;
use crate::frontier::layer::sweep_totals::StepTally;
use crate::frontier::planning::phase::{Phase, PhaseKind};
use crate::frontier::ranks::error::Error;
use crate::frontier::signature::space::WordNumbering;
use crate::frontier::weights::modulus::Modulus;
use crate::frontier::weights::vector::Weights;

/// Version of the digest that ranks compare before they share a sweep.
const DIGEST_VERSION: u8 = 2;

impl BlockSweep<'_> {
    /// Returns the progress before the first step: a source layer that has only the initial state.
    /// Chunks of the layer `waiting` may be evicted to free memory for the source layer.
    pub(super) fn initial_progress(
        &self,
        words: &WordNumbering,
        waiting: Option<&LayerStore>,
    ) -> Result<GroupProgress, Error> {
        let progress = GroupProgress::new(LayerStore::new(words.chunk_count(), words.chunk_len()), words);
        let one =
            Weights::single_configuration(self.options.modulo.map(Modulus::stored_width).unwrap_or_default());
        let chunk = Chunk::initial(words, one);
        self.pool.reserve(chunk.bytes(), waiting.as_slice()).map_err(|error| self.to_error(error, 0))?.keep();
        progress.source.insert(0, chunk);
        Ok(progress)
    }

    /// Returns the progress at which the sweep starts, the index of its phase, and the number of its first step. All
    /// ranks must agree on them. Without a snapshot the sweep starts at the initial state and step 0.
    ///
    /// # Errors
    /// [`Error::OtherSnapshot`] if the sweep does not have the phase of the snapshot, or the phase not its step.
    pub(super) fn load_progress(&mut self) -> Result<(GroupProgress, usize, usize), Error> {
        let snapshot = self.resume_from.take();
        let position = snapshot.as_ref().map_or(Some(0), |snapshot| {
            let is_phase = |phase: &Phase| {
                phase.kind == snapshot.phase && (phase.steps.start..=phase.steps.end).contains(&snapshot.step)
            };
            self.phases.iter().position(is_phase)
        });
        let phase = self.phases[position.unwrap_or(0)].clone();
        let words = self.space_of(phase.kind).words().clone();
        let new_layer = |words: &WordNumbering| LayerStore::new(words.chunk_count(), words.chunk_len());
        let mut progress = GroupProgress::new(new_layer(&words), &words);
        let (mut first, mut digest, mut result) = (0, 0, Ok(()));
        match snapshot {
            None if self.cluster.rank_and_size().0 > 0 => {}
            None => match self.initial_progress(&words, None) {
                Ok(start) => progress = start,
                Err(error) => result = Err(error),
            },
            Some(_) if position.is_none() => result = Err(Error::OtherSnapshot),
            Some(snapshot) => {
                let put = |layer_store: &LayerStore, all: &[(usize, StoredChunk)]| {
                    for &(number, stored) in all {
                        layer_store.insert_stored(number, stored);
                        self.pool.count_existing(stored);
                    }
                };
                put(&progress.source, &snapshot.layer);
                put(&progress.target, &snapshot.next);
                let waiting_layer = phase.has_waiting_layer(snapshot.step).then(|| {
                    // The common layer waits in the right phase, the right layer in all later ones.
                    let waits_for_left = phase.kind == PhaseKind::Right;
                    let kind = if waits_for_left { PhaseKind::Common } else { PhaseKind::Right };
                    let layer = new_layer(self.space_of(kind).words());
                    put(&layer, &snapshot.waiting);
                    layer
                });
                if let Some(two_sided) = &mut self.two_sided {
                    two_sided.waiting_layer = waiting_layer;
                }
                (first, digest) = (snapshot.step, snapshot.spread);
                if !snapshot.done.is_empty() {
                    progress.tallies = snapshot.earlier_tallies;
                    progress.tallies.push(snapshot.tally);
                }
                progress.done = snapshot.done;
                progress.sum = snapshot.sum;
                self.stats.resume_from(snapshot.totals);
            }
        }
        let what = self.digest_of_run();
        self.cluster.check_start(result, what, first, digest, &progress.source)?;
        Ok((progress, position.unwrap_or(0), first))
    }

    /// Returns a digest of all inputs on which ranks must agree before they share the sweep.
    fn digest_of_run(&self) -> u64 {
        let &Options { shard, modulo, .. } = self.options;
        let plan = self.space.plan();
        let mut bytes = Encoder::new(DIGEST_VERSION);
        bytes.number(plan.digest());
        bytes.list(plan.shorter_ends(), |to, &step| to.number(step as u64));
        bytes.option(shard, |to, shard| shard.encode(to));
        bytes.option(modulo, |to, modulo| modulo.encode(to));
        bytes.flag(self.saves_snapshots);
        bytes.digest()
    }

    /// Writes every chunk that is not yet in the store, and passes a snapshot to the observer. `phase` is the current
    /// phase, `t` the number of complete steps of the sweep, `view` the progress of the next group of steps, and `sum`
    /// the partial sum of the join. If saving fails, the observer is notified and the sweep continues.
    ///
    /// # Errors
    /// If the connection to another rank is lost.
    pub(super) fn save_snapshot(
        &self,
        phase: &Phase,
        t: usize,
        view: &GroupView,
        sum: &BigUint,
    ) -> Result<(), Error> {
        if !self.saves_snapshots || !self.pool.has_store() {
            return Ok(());
        }
        self.observer().on_saving();
        let waiting = self.two_sided.as_ref().and_then(|two_sided| two_sided.waiting_layer.as_ref());
        let store_waiting = || waiting.map_or(Ok(Vec::new()), |layer| self.store_chunks(layer));
        let stored_chunks = self
            .store_chunks(view.source)
            .and_then(|layer| Ok((layer, self.store_chunks(view.target)?, store_waiting()?)));
        // The snapshots of one step belong together: all ranks write one, or none does.
        let own_result =
            stored_chunks.as_ref().map(|_| ()).map_err(|step_error| self.to_error(step_error.clone(), t));
        let (layer, next, waiting) = match (stored_chunks, self.cluster.allgather(own_result, t)) {
            (Ok(kept), Ok(_)) => kept,
            (_, Err(error @ Error::ConnectionLost { .. })) => return Err(error),
            (_, Err(error)) => {
                // The last snapshot remains valid, and the sweep continues.
                self.observer().on_save_error(&error.to_string());
                return Ok(());
            }
            (Err(_), Ok(_)) => unreachable!("a failure of one rank is reported to all"),
        };
        let (&tally, earlier_tallies) = view.tallies.split_last().unwrap_or((&StepTally::default(), &[]));
        let plan = self.space.plan();
        let pair = self.two_sided.as_ref().map(|two_sided| &two_sided.plan);
        let snapshot = Snapshot {
            order: plan.steps().iter().map(|step| step.vertex).collect(),
            fold: self.options.fold,
            plan: Snapshot::semantics_digest(plan_digest(plan, pair), self.options.modulo),
            cut: self.options.shard,
            rank: self.cluster.rank_and_size(),
            spread: self.cluster.digest(),
            phase: phase.kind,
            step: t,
            layer,
            done: view.done.clone(),
            next,
            meets: self.two_sided.as_ref().map(|two_sided| two_sided.plan.cut_step),
            waiting,
            sum: sum.clone(),
            tally,
            earlier_tallies: earlier_tallies.to_vec(),
            totals: self.stats.totals(&self.pool),
        };
        self.observer().on_snapshot(&snapshot);
        Ok(())
    }

    /// Writes all chunks of a layer to the store. Returns their numbers and stored forms.
    fn store_chunks(&self, layer_store: &LayerStore) -> Result<Vec<(usize, StoredChunk)>, StepError> {
        let numbers = layer_store.present_chunks();
        let stored = numbers
            .par_iter()
            .map(|&n| Ok(layer_store.ensure_stored(n, &self.pool)?.map(|stored| (n, stored))));
        Ok(stored.collect::<Result<Vec<_>, StepError>>()?.into_iter().flatten().collect())
    }
}
