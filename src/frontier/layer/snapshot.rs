//! A snapshot of a suspended sweep: everything needed to resume it.
//!
//! A snapshot names chunks; the chunks themselves are in the store. It is taken between two target chunks of
//! a step, or between two steps if several ranks share the sweep. A process that is killed therefore loses at
//! most the work done since the last snapshot.

use std::io;

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use super::chunk_format;
use super::store::StoredChunk;
use super::sweep_totals::{StepTally, SweepTotals};
use crate::frontier::layer::store::Store;
use crate::frontier::signature::shard::SweepShard;
use crate::frontier::weights::modulus::Modulus;

/// A suspended sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The vertices in the order of processing.
    pub order: Vec<usize>,
    /// True if layers are reduced by mirror symmetries.
    pub fold: bool,
    /// Digest of the meaning of states and weights, see [`Snapshot::semantics_digest`].
    pub plan: u64,
    /// The shard that the sweep counts.
    pub cut: Option<SweepShard>,
    /// The rank whose chunks these are, and the number of ranks.
    pub rank: (usize, usize),
    /// Digest of the distribution of chunks over ranks.
    pub spread: u64,
    /// Number of steps done.
    pub step: usize,
    /// The layer after these steps, by chunk. If the next step has begun, only the chunks that are still
    /// needed.
    pub layer: Vec<(usize, StoredChunk)>,
    /// Target chunks of the next step that are done.
    pub done: Vec<usize>,
    /// The chunks of `done` that are not empty.
    pub next: Vec<(usize, StoredChunk)>,
    /// For a sweep of two halves, the step of the left half after which the halves are joined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meets: Option<usize>,
    /// Stored chunks that are needed in addition to the layers of the step: the common layer of both halves
    /// while the right half is swept, and the last layer of the right half once the left half has begun or is
    /// resumed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub far: Vec<(usize, StoredChunk)>,
    /// Sum of the chunks joined so far.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sum: BigUint,
    /// Counters of the step that has begun.
    pub tally: StepTally,
    /// Totals of the steps done.
    pub totals: SweepTotals,
}

impl Snapshot {
    /// Returns a digest of the meaning of states and weights: the digest of the plan, which order and
    /// symmetry reduction determine, combined with a number for the modulus of weights.
    #[must_use]
    pub fn semantics_digest(plan: u64, modulo: Option<Modulus>) -> u64 {
        plan ^ modulo.map_or(0, Modulus::distinct_number)
    }

    /// Iterates over the stored chunks that the snapshot names.
    fn stored_chunks(&self) -> impl Iterator<Item = StoredChunk> {
        self.layer.iter().chain(&self.next).chain(&self.far).map(|&(_, stored)| stored)
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
/// The store's error, or [`io::ErrorKind::InvalidData`] if an item differs from the bytes written.
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
            step: 3,
            layer: vec![(4, layer)],
            done: vec![2],
            next: vec![(2, next)],
            meets: None,
            far: Vec::new(),
            sum: Default::default(),
            tally: StepTally::default(),
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
