//! The needs and budgets of the ranks that share a sweep. Each rank has its own memory limit, disk and
//! estimate; the ranks exchange these numbers and come to one decision.

use super::CountError;
use crate::budget::{Budget, Requirements};
use crate::frontier::{Communicator, allgather_results};

/// Returns the greatest needs and the smallest budget of all ranks that share a sweep. The result is equal on
/// every rank, so that they come to one decision.
///
/// # Errors
/// The connection to another rank is lost.
pub fn worst_of_ranks(
    own: (Requirements, Budget),
    peers: Option<&dyn Communicator>,
) -> Result<(Requirements, Budget), CountError> {
    let Some(peers) = peers else { return Ok(own) };
    let all =
        allgather_results(peers, &Ok(own)).map_err(|error| CountError::connection_lost(error.to_string()))?;
    all.into_iter().try_fold(own, |(needs, budget), other| {
        let (other_needs, other_budget) = other.map_err(CountError::connection_lost)?;
        Ok((needs.max(other_needs), budget.min(other_budget)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{DiskBudget, Shortage};
    use crate::frontier::ThreadCommunicator;

    #[test]
    fn worst_of_ranks_is_equal_on_all_ranks() {
        let needs = Requirements { memory: 100, memory_overestimate: 1.25, ..Requirements::default() };
        let budget = |memory, disk| Budget { disk, ..Budget::new(Some(memory)) };
        // Every rank but one would start if it decided alone.
        let all = [
            (needs, budget(90, DiskBudget::Free(80))),
            (Requirements { disk: 30, ..needs }, budget(70, DiskBudget::Free(80))),
            (Requirements { disk: 400, ..needs }, budget(90, DiskBudget::Unknown)),
            (Requirements { memory_overestimate: 2.0, ..needs }, budget(90, DiskBudget::Free(150))),
        ];
        let worst = |all: &[(Requirements, Budget)]| -> Vec<(Requirements, Budget)> {
            std::thread::scope(|scope| {
                let ranks = ThreadCommunicator::connect(all.len()).into_iter().zip(all.to_vec());
                let ranks: Vec<_> = ranks
                    .map(|(peers, own)| scope.spawn(move || worst_of_ranks(own, Some(&peers)).unwrap()))
                    .collect();
                ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
            })
        };
        let hardest = Requirements { disk: 400, ..needs };
        let smallest = budget(70, DiskBudget::Free(80));
        let rough = Requirements { memory_overestimate: 2.0, ..hardest };
        assert!(worst(&all).iter().all(|one| *one == (rough, smallest)) && smallest.check(&rough).is_ok());
        // Without the rough estimate the decision is reversed.
        assert!(worst(&all[..3]).iter().all(|one| *one == (hardest, smallest)));
        assert!(matches!(smallest.check(&hardest), Err(Shortage::Disk { .. })));
        assert_eq!(worst_of_ranks(all[0], None).unwrap(), all[0]);
    }
}
