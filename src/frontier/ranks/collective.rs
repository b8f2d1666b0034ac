//! Collective operations: all ranks get one result, or all fail.
//!
//! A rank that failed alone would leave the others waiting. So the result of each operation that can fail on
//! one rank is gathered by all ranks, and if one has failed, all return an error.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::communicator::{Communicator, allgather_results};
use super::error::Error;

/// The connection of a sweep to the other ranks, if there are any.
#[derive(Clone, Copy, Default)]
pub struct Collective<'a>(Option<&'a dyn Communicator>);

/// The error of a rank, as sent to the other ranks.
#[derive(Debug, Serialize, Deserialize)]
struct RankFailure {
    message: String,
    /// Finished steps and number of steps, if the rank was stopped: all ranks stop then.
    stopped: Option<(usize, usize)>,
}

impl From<&Error> for RankFailure {
    fn from(error: &Error) -> Self {
        let stopped = match *error {
            Error::Stopped { step, steps } => Some((step, steps)),
            _ => None,
        };
        Self { message: error.to_string(), stopped }
    }
}

impl RankFailure {
    fn into_error(self, rank: usize) -> Error {
        match self.stopped {
            Some((step, steps)) => Error::Stopped { step, steps },
            None => Error::RankFailed { rank, message: self.message },
        }
    }
}

impl<'a> Collective<'a> {
    /// Creates the collective of the ranks that `communicator` connects. A single rank needs no connection.
    #[must_use]
    pub fn new(communicator: Option<&'a dyn Communicator>) -> Self {
        Self(communicator.filter(|peers| peers.size() > 1))
    }

    /// Returns the connection, if there are other ranks.
    #[must_use]
    pub const fn communicator(self) -> Option<&'a dyn Communicator> {
        self.0
    }

    /// Returns the number of this rank and the number of ranks.
    #[must_use]
    pub fn rank_and_size(self) -> (usize, usize) {
        self.0.map_or((0, 1), |peers| (peers.rank(), peers.size()))
    }

    /// Returns the results of all ranks, by rank; a single rank gets its own result. All ranks must call it.
    ///
    /// # Errors
    /// This rank's own error; [`Error::RankFailed`] if another rank has failed, [`Error::Stopped`] if another
    /// was stopped; the error made by `to_lost_error` if the connection is lost.
    pub fn allgather<T: Serialize + DeserializeOwned>(
        self,
        own_result: Result<T, Error>,
        to_lost_error: impl Fn(String) -> Error,
    ) -> Result<Vec<T>, Error> {
        let Some(peers) = self.0 else { return Ok(vec![own_result?]) };
        let (own, message) = match own_result {
            Ok(mine) => (None, Ok(mine)),
            Err(error) => {
                let failing = RankFailure::from(&error);
                (Some(error), Err(failing))
            }
        };
        let message: Result<Result<T, RankFailure>, String> = Ok(message);
        let all = allgather_results(peers, &message).map_err(|error| to_lost_error(error.to_string()))?;
        if let Some(error) = own {
            return Err(error);
        }
        let all = all.into_iter().enumerate();
        all.map(|(rank, one)| one.map_err(&to_lost_error)?.map_err(|failing| failing.into_error(rank)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::communicator::ThreadCommunicator;
    use super::*;

    /// Returns the results of three ranks that gather these results.
    fn allgather_on_three_ranks(results: [Result<u32, Error>; 3]) -> Vec<Result<Vec<u32>, Error>> {
        let lost = |what| Error::NotConnected { message: what };
        std::thread::scope(|scope| {
            let ranks: Vec<_> = ThreadCommunicator::connect(3)
                .into_iter()
                .zip(results)
                .map(|(peers, mine)| scope.spawn(move || Collective::new(Some(&peers)).allgather(mine, lost)))
                .collect();
            ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
        })
    }

    #[test]
    fn allgather_returns_the_results_of_all_ranks() {
        assert!(
            allgather_on_three_ranks([Ok(3), Ok(1), Ok(2)]).into_iter().all(|all| all == Ok(vec![3, 1, 2]))
        );
        let alone = Collective::new(None).allgather(Ok(7), |what| Error::NotConnected { message: what });
        assert_eq!(alone, Ok(vec![7]));
    }

    #[test]
    fn allgather_fails_on_all_ranks_if_one_fails() {
        let own = Error::TooWide { width: 99 };
        let all = allgather_on_three_ranks([Ok(3), Err(own.clone()), Ok(2)]);
        let reported = Error::RankFailed { rank: 1, message: own.to_string() };
        assert_eq!(all, [Err(reported.clone()), Err(own), Err(reported)]);
        let stopped = Error::Stopped { step: 4, steps: 9 };
        let all = allgather_on_three_ranks([Err(stopped.clone()), Ok(1), Ok(2)]);
        assert!(all.into_iter().all(|one| one == Err(stopped.clone())), "stopped, not failed");
    }
}
