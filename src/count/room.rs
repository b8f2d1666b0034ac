//! The admission check of a sweep: its needs against the limits of memory and disk.
//!
//! Ranks that share a sweep have their own memory limits, disks and estimates. They exchange these numbers
//! and come to one decision.

use serde::{Deserialize, Serialize};

use super::CountError;
use crate::frontier::{self, Peers};

/// Factors by which an estimate can exceed the actual need: an exact one, and a rough one. A sweep that might
/// fit is allowed to start.
const DOUBT: (f64, f64) = (1.25, 2.0);

/// Memory and disk that a sweep needs, and the limits of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Room {
    /// Bytes of memory that the sweep needs if nothing is spilled.
    pub peak: u64,
    /// True if `peak` comes from a dry run.
    pub is_exact: bool,
    /// Memory limit in bytes.
    pub ceiling: u64,
    /// Bytes that the sweep would spill.
    pub outside: u64,
    /// True if there is a store for spilled layers.
    pub has_store: bool,
    /// Free bytes in the store, if known.
    pub free: Option<u64>,
}

impl Room {
    /// Checks that the sweep fits into memory, or that the rest fits into the store.
    ///
    /// # Errors
    /// [`CountError::TooMuchMemory`] or [`CountError::TooMuchDisk`].
    pub fn check(&self) -> Result<(), CountError> {
        let Self { peak, is_exact, ceiling, outside, has_store, free } = *self;
        let doubt = if is_exact { DOUBT.0 } else { DOUBT.1 };
        if peak as f64 / doubt <= ceiling as f64 {
            return Ok(());
        }
        match free {
            _ if !has_store => Err(CountError::TooMuchMemory { needed: peak, ceiling }),
            Some(free) if outside as f64 / DOUBT.1 > free as f64 => {
                Err(CountError::TooMuchDisk { needed: outside, room: free })
            }
            _ => Ok(()),
        }
    }

    /// Returns the greatest need and the smallest limit of all ranks, equal on every rank.
    ///
    /// # Errors
    /// The connection is lost.
    pub fn hardest(self, peers: Option<&dyn Peers>) -> Result<Self, CountError> {
        let Some(peers) = peers else { return Ok(self) };
        let all = frontier::consult(peers, &Ok(self)).map_err(|error| CountError::lost(error.to_string()))?;
        all.into_iter().try_fold(self, |hardest, other| Ok(hardest.and(other.map_err(CountError::lost)?)))
    }

    fn and(self, other: Self) -> Self {
        Self {
            peak: self.peak.max(other.peak),
            is_exact: self.is_exact && other.is_exact,
            ceiling: self.ceiling.min(other.ceiling),
            outside: self.outside.max(other.outside),
            has_store: self.has_store && other.has_store,
            free: self.free.into_iter().chain(other.free).min(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::Team;

    const ROOMY: Room =
        Room { peak: 100, is_exact: true, ceiling: 90, outside: 0, has_store: true, free: Some(80) };

    #[test]
    fn what_is_in_doubt_may_try() {
        assert!(ROOMY.check().is_ok());
        let tight = Room { ceiling: 79, outside: 100, ..ROOMY };
        assert!(tight.check().is_ok() && Room { outside: 300, free: None, ..tight }.check().is_ok());
        assert!(Room { is_exact: false, has_store: false, ..tight }.check().is_ok());
        let refused = |room: Room| room.check().unwrap_err();
        assert!(matches!(refused(Room { outside: 161, ..tight }), CountError::TooMuchDisk { .. }));
        assert!(matches!(refused(Room { has_store: false, ..tight }), CountError::TooMuchMemory { .. }));
    }

    #[test]
    fn ranks_decide_by_the_same_numbers() {
        // Every rank but one would start if it decided alone.
        let rooms = [
            ROOMY,
            Room { ceiling: 70, outside: 30, ..ROOMY },
            Room { outside: 400, free: None, ..ROOMY },
            Room { is_exact: false, free: Some(150), ..ROOMY },
        ];
        let of = |rooms: &[Room]| -> Vec<(Room, bool)> {
            std::thread::scope(|scope| {
                let ranks = Team::of(rooms.len()).into_iter().zip(rooms);
                let ranks: Vec<_> = ranks
                    .map(|(peers, room)| scope.spawn(move || room.hardest(Some(&peers)).unwrap()))
                    .collect();
                let all = ranks.into_iter().map(|rank| rank.join().unwrap());
                all.map(|room| (room, room.check().is_ok())).collect()
            })
        };
        let all = of(&rooms);
        let hardest = Room { is_exact: false, ceiling: 70, outside: 400, ..ROOMY };
        assert!(all.iter().all(|one| *one == (hardest, true)), "{all:?}");
        // Without the rough estimate the decision is reversed.
        let exact = of(&rooms[..3]);
        assert!(exact.iter().all(|one| *one == (Room { is_exact: true, ..hardest }, false)), "{exact:?}");
        assert_eq!(ROOMY.hardest(None).unwrap(), ROOMY);
    }
}
