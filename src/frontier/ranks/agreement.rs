//! Collective operations: all ranks get one result, or all fail.
//!
//! A rank that failed alone would leave the others waiting. So the result of each operation that can fail on
//! one rank is gathered by all ranks, and if one has failed, all return an error.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::frontier::ranks::error::Error;
use crate::frontier::ranks::peers::{Peers, consult};

/// The connection of a sweep to the other ranks, if there are any.
#[derive(Clone, Copy, Default)]
pub struct Agreement<'a>(Option<&'a dyn Peers>);

/// The error of a rank, as sent to the other ranks.
#[derive(Debug, Serialize, Deserialize)]
struct Failing {
    what: String,
    /// Finished steps and number of steps, if the rank was stopped: all ranks stop then.
    stopped: Option<(usize, usize)>,
}

impl From<&Error> for Failing {
    fn from(error: &Error) -> Self {
        let stopped = match *error {
            Error::Stopped { step, steps } => Some((step, steps)),
            _ => None,
        };
        Self { what: error.to_string(), stopped }
    }
}

impl Failing {
    fn into_error(self, rank: usize) -> Error {
        match self.stopped {
            Some((step, steps)) => Error::Stopped { step, steps },
            None => Error::Peer { rank, what: self.what },
        }
    }
}

impl<'a> Agreement<'a> {
    /// Creates the collective of the ranks that `communicator` connects. A single rank needs no connection.
    #[must_use]
    pub fn new(peers: Option<&'a dyn Peers>) -> Self {
        Self(peers.filter(|peers| peers.size() > 1))
    }

    /// Returns the connection, if there are other ranks.
    #[must_use]
    pub const fn peers(self) -> Option<&'a dyn Peers> {
        self.0
    }

    /// Returns the number of this rank and the number of ranks.
    #[must_use]
    pub fn place(self) -> (usize, usize) {
        self.0.map_or((0, 1), |peers| (peers.rank(), peers.size()))
    }

    /// Returns the results of all ranks, by rank; a single rank gets its own result. All ranks must call it.
    ///
    /// # Errors
    /// This rank's own error; [`Error::RankFailed`] if another rank has failed, [`Error::Stopped`] if another
    /// was stopped; the error made by `to_lost_error` if the connection is lost.
    pub fn agree<T: Serialize + DeserializeOwned>(
        self,
        mine: Result<T, Error>,
        lost: impl Fn(String) -> Error,
    ) -> Result<Vec<T>, Error> {
        let Some(peers) = self.0 else { return Ok(vec![mine?]) };
        let (own, message) = match mine {
            Ok(mine) => (None, Ok(mine)),
            Err(error) => {
                let failing = Failing::from(&error);
                (Some(error), Err(failing))
            }
        };
        let message: Result<Result<T, Failing>, String> = Ok(message);
        let all = consult(peers, &message).map_err(|error| lost(error.to_string()))?;
        if let Some(error) = own {
            return Err(error);
        }
        let all = all.into_iter().enumerate();
        all.map(|(rank, one)| one.map_err(&lost)?.map_err(|failing| failing.into_error(rank))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::ranks::team::Team;

    /// Returns the results of three ranks that gather these results.
    fn agreed(results: [Result<u32, Error>; 3]) -> Vec<Result<Vec<u32>, Error>> {
        let lost = |what| Error::Unconnected { what };
        std::thread::scope(|scope| {
            let ranks: Vec<_> = Team::of(3)
                .into_iter()
                .zip(results)
                .map(|(peers, mine)| scope.spawn(move || Agreement::new(Some(&peers)).agree(mine, lost)))
                .collect();
            ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
        })
    }

    #[test]
    fn all_know_what_each_has_come_to() {
        assert!(agreed([Ok(3), Ok(1), Ok(2)]).into_iter().all(|all| all == Ok(vec![3, 1, 2])));
        let alone = Agreement::new(None).agree(Ok(7), |what| Error::Unconnected { what });
        assert_eq!(alone, Ok(vec![7]));
    }

    #[test]
    fn the_end_of_one_is_the_end_of_all() {
        let own = Error::Width { width: 99 };
        let all = agreed([Ok(3), Err(own.clone()), Ok(2)]);
        let told = Error::Peer { rank: 1, what: own.to_string() };
        assert_eq!(all, [Err(told.clone()), Err(own), Err(told)]);
        let stopped = Error::Stopped { step: 4, steps: 9 };
        let all = agreed([Err(stopped.clone()), Ok(1), Ok(2)]);
        assert!(all.into_iter().all(|one| one == Err(stopped.clone())), "stopped, not failed");
    }
}
