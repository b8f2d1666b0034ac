//! A snapshot of a suspended sweep, with everything that is needed to resume it.
//!
//! A snapshot names chunks; the chunks themselves are in the store. It is taken between two target
//! chunks of a step, between two classes of a group of steps, or between two steps if several ranks share the
//! sweep. A process that is killed therefore loses at most the work done since the last snapshot.

use std::io;

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use super::chunk_format;
use super::store::StoredChunk;
use super::sweep_totals::{StepTally, SweepTotals};
use crate::frontier::layer::store::Store;
use crate::frontier::planning::phase::PhaseKind;
use crate::frontier::signature::shard::SweepShard;
use crate::frontier::weights::modulus::Modulus;

/// A suspended sweep: its progress, and the names of its stored chunks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Vertices in the order in which the sweep processes them.
    pub order: Vec<usize>,
    /// True if layers are reduced by mirror symmetries.
    pub fold: bool,
    /// Digest of the meaning of states and weights, as from [`Snapshot::semantics_digest`].
    pub plan: u64,
    /// Shard that the sweep counts; `None` for the whole count.
    pub cut: Option<SweepShard>,
    /// Index of the rank to which the chunks belong, and number of ranks.
    pub rank: (usize, usize),
    /// Digest of the distribution of chunks over ranks.
    pub spread: u64,
    /// The phase in which the sweep was suspended. Its steps may all be finished.
    pub phase: PhaseKind,
    /// Number of finished steps of the whole sweep.
    pub step: usize,
    /// Stored chunks of the layer after the finished steps of the phase, by chunk number. If the next group of steps
    /// has begun, only the chunks that are still needed.
    pub layer: Vec<(usize, StoredChunk)>,
    /// Numbers of the target chunks of the next group of steps that are finished.
    pub done: Vec<usize>,
    /// Stored chunks among `done` that are not empty, by chunk number.
    pub next: Vec<(usize, StoredChunk)>,
    /// Step of the left half after which the halves are joined; `None` for a one-sided sweep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meets: Option<usize>,
    /// Stored chunks of the layer that waits for a later phase: in the right phase the common layer of both halves, in
    /// the left phase and during the join the right layer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<(usize, StoredChunk)>,
    /// Sum of the join results of the chunks joined so far.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sum: BigUint,
    /// Counters of the last step of the group that has begun and is not finished.
    pub tally: StepTally,
    /// Counters of the other steps of this group.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_tallies: Vec<StepTally>,
    /// Totals of the finished steps.
    pub totals: SweepTotals,
}

impl Snapshot {
    /// Returns a digest of the meaning of states and weights: the digest of the plan, which the
    /// vertex order and the reduction by symmetry determine, combined with numbers for the modulus
    /// of the weights and for the format of stored chunks.
    #[must_use]
    pub fn semantics_digest(plan: u64, modulo: Option<Modulus>) -> u64 {
        let format = u64::from(u32::from_le_bytes(*chunk_format::MAGIC));
        plan ^ modulo.map_or(0, Modulus::distinct_number) ^ format
    }

    /// Iterates over the stored chunks that the snapshot names.
    fn stored_chunks(&self) -> impl Iterator<Item = StoredChunk> {
        self.layer.iter().chain(&self.next).chain(&self.waiting).map(|&(_, stored)| stored)
    }

    /// Iterates over the store numbers of all chunks that the snapshot names.
    pub fn store_numbers(&self) -> impl Iterator<Item = u64> {
        self.stored_chunks().map(|stored| stored.number)
    }
}

fn is_zero(number: &BigUint) -> bool {
    *number == BigUint::ZERO
}

/// Verifies that all chunks that a snapshot names are in the store, with their digests.
///
/// # Errors
/// The store's error, or [`io::ErrorKind::InvalidData`] if a stored chunk differs from the bytes
/// written.
pub fn check_stored(store: &dyn Store, snapshot: &Snapshot) -> io::Result<()> {
    snapshot.stored_chunks().try_for_each(|stored| {
        chunk_format::verify_digest(store.open(stored.number)?.as_mut(), stored.digest)
    })
}

#[cfg(test)]
mod tests {
    use super::super::memory_pool::MemoryPool;
    use super::*;
    use crate::frontier::layer::chunk::Chunk;
    use crate::frontier::layer::store::memory::MemoryStore;

    /// Returns a snapshot that names two items of a store.
    fn snapshot(store: &MemoryStore) -> Snapshot {
        let pool = MemoryPool::new(1000, Some(store));
        let [layer, next] = [5, 6].map(|bits| pool.write_chunk(&Chunk { bits, ..Chunk::default() }).unwrap());
        Snapshot {
            order: vec![0],
            fold: true,
            plan: 1,
            cut: None,
            rank: (0, 1),
            spread: 0,
            phase: PhaseKind::Whole,
            step: 3,
            layer: vec![(4, layer)],
            done: vec![2],
            next: vec![(2, next)],
            meets: None,
            waiting: Vec::new(),
            sum: Default::default(),
            tally: StepTally::default(),
            earlier_tallies: Vec::new(),
            totals: SweepTotals::default(),
        }
    }

    #[test]
    fn check_stored_rejects_damaged_or_missing_items() {
        let store = MemoryStore::default();
        let snapshot = snapshot(&store);
        let numbers: Vec<u64> = snapshot.store_numbers().collect();
        assert_eq!(numbers.len(), 2);
        assert!(check_stored(&store, &snapshot).is_ok());
        store.items.lock().unwrap().get_mut(&numbers[1]).unwrap()[3] ^= 1;
        assert!(check_stored(&store, &snapshot).is_err());
        store.remove(numbers[1]);
        assert!(check_stored(&store, &snapshot).is_err());
    }
}
