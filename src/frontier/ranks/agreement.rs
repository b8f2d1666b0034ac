//! Coming to the same result on all ranks, or to none.
//!
//! A rank that fails alone would leave the others waiting. So whatever one of them can fail at
//! is agreed on: each says what it has come to, and if one has come to an end, all do.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::frontier::ranks::error::Error;
use crate::frontier::ranks::peers::{Peers, consult};

/// The connection of a sweep to the other ranks, if there are any.
#[derive(Clone, Copy, Default)]
pub struct Agreement<'a>(Option<&'a dyn Peers>);

/// Why a rank has come to an end, for the others.
#[derive(Debug, Serialize, Deserialize)]
struct Failing {
    what: String,
    /// Step and steps, if it was stopped: then all are.
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
    /// The ranks that `peers` connects; one rank is alone.
    #[must_use]
    pub fn new(peers: Option<&'a dyn Peers>) -> Self {
        Self(peers.filter(|peers| peers.size() > 1))
    }

    /// The connection, if there are others.
    #[must_use]
    pub const fn peers(self) -> Option<&'a dyn Peers> {
        self.0
    }

    /// Which of how many ranks this is.
    #[must_use]
    pub fn place(self) -> (usize, usize) {
        self.0.map_or((0, 1), |peers| (peers.rank(), peers.size()))
    }

    /// What every rank has come to, by rank; alone, what this one has. All have to ask.
    ///
    /// # Errors
    /// This rank's own, or [`Error::Peer`] if another has come to an end; `lost` if the connection is.
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

    /// What each of three ranks comes to, if these are their own results.
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
        assert!(all.into_iter().all(|one| one == Err(stopped.clone())), "no failure of a peer");
    }
}
