//! A sweep at rest: all that is needed to go on with it.
//!
//! The chunks themselves are in the store; a snapshot names them. A sweep rests
//! between two target chunks of a step (between two steps, if ranks share it), so what is lost by a kill is at most what
//! was done since the last snapshot.

use std::io;

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use crate::frontier::block::modulus::Modulus;
use crate::frontier::layer::codec;
use crate::frontier::layer::kept::Kept;
use crate::frontier::layer::store::Store;
use crate::frontier::layer::totals::Totals;
use crate::frontier::state::cut::Cut;
use crate::frontier::state::tally::Tally;

/// A sweep at rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The vertices in the order of processing.
    pub order: Vec<usize>,
    /// Whether mirror images are folded.
    pub fold: bool,
    /// What states and weights mean: see [`Snapshot::meaning`].
    pub plan: u64,
    /// The part of the count that the sweep makes.
    pub cut: Option<Cut>,
    /// Which of how many ranks its part of the layer belongs to.
    pub rank: (usize, usize),
    /// Digest of which rank holds which chunk of the layer.
    pub spread: u64,
    /// Steps done.
    pub step: usize,
    /// The layer after them, by chunk: those still needed if the next step has begun.
    pub layer: Vec<(usize, Kept)>,
    /// Target chunks of the next step that are done.
    pub done: Vec<usize>,
    /// Those of them that are not empty.
    pub next: Vec<(usize, Kept)>,
    /// If the sweep has two ends, the step of the near one after which they meet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meets: Option<usize>,
    /// What waits beside the layers of the step: where both ends branched off while the far one goes on from there, and
    /// its last layer once the near one has begun or goes on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub far: Vec<(usize, Kept)>,
    /// The sum of what is joined so far.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sum: BigUint,
    /// What was counted of the step that has begun.
    pub tally: Tally,
    /// Totals of the steps done.
    pub totals: Totals,
}

impl Snapshot {
    /// What states and weights of a sweep mean: the digest of the plan that order and folding make, and another
    /// for every modulus that weights are residues of.
    #[must_use]
    pub fn meaning(plan: u64, modulo: Option<Modulus>) -> u64 {
        plan ^ modulo.map_or(0, Modulus::mark)
    }

    /// The items of the store that it names.
    fn kept(&self) -> impl Iterator<Item = Kept> {
        self.layer.iter().chain(&self.next).chain(&self.far).map(|&(_, kept)| kept)
    }

    /// Their numbers.
    pub fn numbers(&self) -> impl Iterator<Item = u64> {
        self.kept().map(|kept| kept.number)
    }
}

fn is_zero(number: &BigUint) -> bool {
    *number == BigUint::ZERO
}

/// Whether all that a snapshot names is in the store, whole and the same.
///
/// # Errors
/// What the store says, or that an item is not what was written.
pub fn check_stored(store: &dyn Store, snapshot: &Snapshot) -> io::Result<()> {
    snapshot.kept().try_for_each(|kept| codec::check(store.open(kept.number)?.as_mut(), kept.digest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::layer::chunk::Chunk;
    use crate::frontier::layer::keeper::Keeper;
    use crate::frontier::layer::store::memory::Memory;

    /// A snapshot that names two items of a store.
    fn snapshot(store: &Memory) -> Snapshot {
        let keeper = Keeper::new(1000, Some(store));
        let [layer, next] = [5, 6].map(|bits| keeper.write(&Chunk { bits, ..Chunk::default() }).unwrap());
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
            tally: Tally::default(),
            totals: Totals::default(),
        }
    }

    #[test]
    fn all_that_it_names_is_checked() {
        let store = Memory::default();
        let snapshot = snapshot(&store);
        let numbers: Vec<u64> = snapshot.numbers().collect();
        assert_eq!(numbers.len(), 2);
        assert!(check_stored(&store, &snapshot).is_ok());
        store.items.lock().unwrap().get_mut(&numbers[1]).unwrap()[3] ^= 1;
        assert!(check_stored(&store, &snapshot).is_err());
        store.remove(numbers[1]);
        assert!(check_stored(&store, &snapshot).is_err());
    }
}
