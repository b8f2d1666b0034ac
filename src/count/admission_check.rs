//! The admission check of a sweep: compares the memory and disk space that the sweep needs with the
//! limits of both.
//!
//! Ranks that share a sweep have their own memory limits, disks and estimates. They exchange these
//! numbers and come to one decision.

use serde::{Deserialize, Serialize};

use super::CountError;
use crate::frontier;
use crate::frontier::Communicator;

/// Factors by which an estimate can exceed the actual need: the first for an exact estimate, the
/// second for a rough one. The check divides the estimate by the factor, so that a sweep that might
/// fit may start.
const EXACT_AND_ROUGH_OVERESTIMATE: (f64, f64) = (1.25, 2.0);

/// Memory and disk that a sweep needs, and the limits of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdmissionCheck {
    /// Number of bytes of memory that the sweep needs if it spills nothing.
    pub peak: u64,
    /// True if `peak` comes from a dry run.
    pub is_exact: bool,
    /// Memory limit in bytes.
    pub ceiling: u64,
    /// Number of bytes that the sweep would spill to disk.
    pub outside: u64,
    /// True if there is a store on disk for spilled layers.
    pub has_store: bool,
    /// Number of free bytes in the store for spilled layers, if known.
    pub free: Option<u64>,
}

impl AdmissionCheck {
    /// Checks that the sweep fits into memory, or that its spilled layers fit into the store.
    ///
    /// # Errors
    /// [`CountError::TooMuchMemory`] or [`CountError::TooMuchDisk`].
    pub fn check(&self) -> Result<(), CountError> {
        let Self { peak, is_exact, ceiling, outside, has_store, free } = *self;
        let overestimate =
            if is_exact { EXACT_AND_ROUGH_OVERESTIMATE.0 } else { EXACT_AND_ROUGH_OVERESTIMATE.1 };
        if peak as f64 / overestimate <= ceiling as f64 {
            return Ok(());
        }
        match free {
            _ if !has_store => Err(CountError::TooMuchMemory { needed: peak, ceiling }),
            Some(free) if outside as f64 / EXACT_AND_ROUGH_OVERESTIMATE.1 > free as f64 => {
                Err(CountError::TooMuchDisk { needed: outside, available: free })
            }
            _ => Ok(()),
        }
    }

    /// Returns the greatest needs and the smallest limits of all ranks. The result is equal on
    /// every rank.
    ///
    /// # Errors
    /// The connection to another rank is lost.
    pub fn worst_of_ranks(self, peers: Option<&dyn Communicator>) -> Result<Self, CountError> {
        let Some(peers) = peers else { return Ok(self) };
        let all = frontier::allgather_results(peers, &Ok(self))
            .map_err(|error| CountError::connection_lost(error.to_string()))?;
        all.into_iter().try_fold(self, |worst, other| {
            Ok(worst.worst_of_both(other.map_err(CountError::connection_lost)?))
        })
    }

    fn worst_of_both(self, other: Self) -> Self {
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
    use crate::frontier::ThreadCommunicator;

    const FITTING: AdmissionCheck = AdmissionCheck {
        peak: 100,
        is_exact: true,
        ceiling: 90,
        outside: 0,
        has_store: true,
        free: Some(80),
    };

    #[test]
    fn check_admits_within_estimate_error() {
        assert!(FITTING.check().is_ok());
        let tight = AdmissionCheck { ceiling: 79, outside: 100, ..FITTING };
        assert!(
            tight.check().is_ok() && AdmissionCheck { outside: 300, free: None, ..tight }.check().is_ok()
        );
        assert!(AdmissionCheck { is_exact: false, has_store: false, ..tight }.check().is_ok());
        let refused = |check: AdmissionCheck| check.check().unwrap_err();
        assert!(matches!(refused(AdmissionCheck { outside: 161, ..tight }), CountError::TooMuchDisk { .. }));
        assert!(matches!(
            refused(AdmissionCheck { has_store: false, ..tight }),
            CountError::TooMuchMemory { .. }
        ));
    }

    #[test]
    fn worst_of_ranks_is_equal_on_all_ranks() {
        // Every rank but one would start if it decided alone.
        let rooms = [
            FITTING,
            AdmissionCheck { ceiling: 70, outside: 30, ..FITTING },
            AdmissionCheck { outside: 400, free: None, ..FITTING },
            AdmissionCheck { is_exact: false, free: Some(150), ..FITTING },
        ];
        let of = |rooms: &[AdmissionCheck]| -> Vec<(AdmissionCheck, bool)> {
            std::thread::scope(|scope| {
                let ranks = ThreadCommunicator::connect(rooms.len()).into_iter().zip(rooms);
                let ranks: Vec<_> = ranks
                    .map(|(peers, check)| scope.spawn(move || check.worst_of_ranks(Some(&peers)).unwrap()))
                    .collect();
                let all = ranks.into_iter().map(|rank| rank.join().unwrap());
                all.map(|check| (check, check.check().is_ok())).collect()
            })
        };
        let all = of(&rooms);
        let hardest = AdmissionCheck { is_exact: false, ceiling: 70, outside: 400, ..FITTING };
        assert!(all.iter().all(|one| *one == (hardest, true)), "{all:?}");
        // Without the rough estimate the decision is reversed.
        let exact = of(&rooms[..3]);
        assert!(
            exact.iter().all(|one| *one == (AdmissionCheck { is_exact: true, ..hardest }, false)),
            "{exact:?}"
        );
        assert_eq!(FITTING.worst_of_ranks(None).unwrap(), FITTING);
    }
}
