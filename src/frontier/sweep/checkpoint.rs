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
use super::two_sided::{TwoSidedState, plan_digest};
use crate::encoder::Encoder;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::layer_store::LayerStore;
use crate::frontier::layer::memory_pool::StepError;
use crate::frontier::layer::snapshot::Snapshot;
use crate::frontier::layer::store::StoredChunk;
use crate::frontier::layer::sweep_totals::StepTally;
use crate::frontier::ranks::error::Error;
use crate::frontier::signature::space::WordNumbering;
use crate::frontier::weights::modulus::Modulus;
use crate::frontier::weights::vector::Weights;

/// Version of the digest that ranks compare before they share a sweep.
const DIGEST_VERSION: u8 = 1;

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
        let evict = || waiting.map_or(Ok(false), |layer| layer.evict_next(&self.pool));
        self.pool.reserve(chunk.bytes(), &evict).map_err(|error| self.to_error(error, 0))?.keep();
        progress.source.insert(0, chunk);
        Ok(progress)
    }

    /// Returns the progress at which the sweep starts, and the number of its first step. All ranks
    /// must agree on both. Without a snapshot the sweep starts at the initial state and step 0.
    pub(super) fn load_progress(&mut self) -> Result<(GroupProgress, usize), Error> {
        let is_shared = self.two_sided.as_ref().is_some_and(|two_sided| two_sided.plan.common_steps > 0);
        let right_space = self.two_sided.as_ref().map(|two_sided| &two_sided.right_space);
        let first_space = right_space.filter(|_| !is_shared).unwrap_or(&self.space);
        let mut words = first_space.words().clone();
        let (mut first, mut digest, mut result) = (0, 0, Ok(()));
        let empty = |words: &WordNumbering| {
            GroupProgress::new(LayerStore::new(words.chunk_count(), words.chunk_len()), words)
        };
        let mut progress = empty(&words);
        match self.resume_from.take() {
            None if self.cluster.rank_and_size().0 > 0 => {}
            None => match self.initial_progress(&words, None) {
                Ok(start) => progress = start,
                Err(error) => result = Err(error),
            },
            Some(snapshot) => {
                let put = |layer_store: &LayerStore, all: &[(usize, StoredChunk)]| {
                    for &(number, stored) in all {
                        layer_store.insert_stored(number, stored);
                        self.pool.count_existing(stored);
                    }
                };
                let (mut branch, mut right_layer) = (None, None);
                if let Some(two_sided) = &self.two_sided {
                    let right_words = two_sided.right_space.words();
                    let layer_store = LayerStore::new(right_words.chunk_count(), right_words.chunk_len());
                    put(&layer_store, &snapshot.far);
                    let has_branched = is_shared && snapshot.step > two_sided.plan.common_steps;
                    if snapshot.step >= two_sided.right_space.step_count() {
                        right_layer = Some(layer_store);
                        words = self.space.words().clone();
                        let is_begun = !(snapshot.layer.is_empty() && snapshot.done.is_empty());
                        let is_first = snapshot.step == two_sided.right_space.step_count() && !is_shared;
                        progress = if is_first && !is_begun {
                            self.initial_progress(&words, None)?
                        } else {
                            empty(&words)
                        };
                    } else if has_branched {
                        branch = Some(layer_store);
                    }
                }
                put(&progress.source, &snapshot.layer);
                put(&progress.target, &snapshot.next);
                if let Some(two_sided) = &mut self.two_sided {
                    (two_sided.common_layer, two_sided.right_layer) = (branch, right_layer);
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
        Ok((progress, first))
    }

    /// Returns a digest of all inputs on which ranks must agree before they share the sweep.
    fn digest_of_run(&self) -> u64 {
        let &Options { feasibility, shard, modulo, .. } = self.options;
        let plan = self.space.plan();
        let mut bytes = Encoder::new(DIGEST_VERSION);
        bytes.number(plan.digest());
        bytes.flag(feasibility);
        bytes.list(plan.shorter_ends(), |to, &step| to.number(step as u64));
        bytes.option(shard, |to, shard| shard.encode(to));
        bytes.option(modulo, |to, modulo| modulo.encode(to));
        bytes.flag(self.saves_snapshots);
        bytes.digest()
    }

    /// Writes every chunk that is not yet in the store, and passes a snapshot to the observer. `t`
    /// is the number of complete steps, `view` the progress of the next group of steps, and `sum` the partial
    /// sum of the join. If saving fails, the observer is notified and the sweep continues.
    ///
    /// # Errors
    /// If the connection to another rank is lost.
    pub(super) fn save_snapshot(&self, t: usize, view: &GroupView, sum: &BigUint) -> Result<(), Error> {
        if !self.saves_snapshots || !self.pool.has_store() {
            return Ok(());
        }
        self.observer().on_saving();
        let waiting = self.two_sided.as_ref().and_then(TwoSidedState::waiting_layer);
        let right = || waiting.map_or(Ok(Vec::new()), |right| self.store_chunks(right));
        let stored_chunks = self
            .store_chunks(view.source)
            .and_then(|layer| Ok((layer, self.store_chunks(view.target)?, right()?)));
        // The snapshots of one step belong together: all ranks write one, or none does.
        let own_result =
            stored_chunks.as_ref().map(|_| ()).map_err(|step_error| self.to_error(step_error.clone(), t));
        let (mut layer, next, mut far) = match (stored_chunks, self.cluster.allgather(own_result, t)) {
            (Ok(kept), Ok(_)) => kept,
            (_, Err(error @ Error::ConnectionLost { .. })) => return Err(error),
            (_, Err(error)) => {
                // The last snapshot remains valid, and the sweep continues.
                self.observer().on_save_error(&error.to_string());
                return Ok(());
            }
            (Err(_), Ok(_)) => unreachable!("a failure of one rank is reported to all"),
        };
        // Between the phases the source layer is the right one, and the left phase has not started, or starts
        // from the common layer, which waits for it.
        if self.two_sided.as_ref().is_some_and(|two_sided| {
            two_sided.right_layer.is_none() && t == two_sided.right_space.step_count()
        }) {
            std::mem::swap(&mut far, &mut layer);
        }
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
            step: t,
            layer,
            done: view.done.clone(),
            next,
            meets: self.two_sided.as_ref().map(|two_sided| two_sided.plan.cut_step),
            far,
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
