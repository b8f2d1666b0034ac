//! The connection between the processes that share a sweep, and collective operations over it.
//!
//! Every process, a *rank*, runs one program with equal arguments, holds a part of every layer, and
//! communicates with the others only between two steps. A [`Communicator`] transfers the bytes;
//! [`ThreadCommunicator`] connects threads of one process by channels.
//!
//! In a collective operation either all ranks get the same results, or all fail. If a rank failed
//! alone, the others would wait for it. So all ranks gather the result of each operation that can
//! fail on one rank, and if one rank has failed, all return an error.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::error::Error;

/// A transfer of bytes between the ranks of a sweep. All ranks must make the same calls in the same
/// order.
pub trait Communicator: Send + Sync {
    /// Returns the number of this rank, from 0.
    fn rank(&self) -> usize;

    /// Returns the number of ranks.
    fn size(&self) -> usize;

    /// Sends `payload` to all ranks and returns the payload of every rank, by rank.
    ///
    /// # Errors
    /// If the connection is lost.
    fn allgather(&self, payload: Vec<u8>) -> io::Result<Vec<Vec<u8>>>;

    /// Sends bytes to the rank in `send` and receives bytes from the rank `receive` at the same
    /// time. Returns the received bytes; no bytes if `receive` is `None`.
    ///
    /// # Errors
    /// If the connection is lost.
    fn send_receive(&self, send: Option<(usize, Vec<u8>)>, receive: Option<usize>) -> io::Result<Vec<u8>>;
}

/// Sends the result of this rank to all ranks and returns the results of all ranks, by rank:
/// values, or error messages.
///
/// # Errors
/// If the connection is lost, or a rank sent an unreadable message.
pub fn allgather_results<T: Serialize + DeserializeOwned>(
    peers: &dyn Communicator,
    own_result: &Result<T, String>,
) -> io::Result<Vec<Result<T, String>>> {
    let payload = serde_json::to_vec(own_result).expect("results of ranks can be serialised");
    let all = peers.allgather(payload)?;
    let decode = |(rank, bytes): (usize, &Vec<u8>)| {
        serde_json::from_slice(bytes).map_err(|_| {
            io::Error::new(io::ErrorKind::InvalidData, format!("rank {rank} sent an unreadable message"))
        })
    };
    all.iter().enumerate().map(decode).collect()
}

/// Checks that all ranks have succeeded so far. The message of another rank's error starts with the
/// number of that rank.
///
/// # Errors
/// The error of the first rank that has failed, or a lost connection.
pub fn check_all_ok(peers: &dyn Communicator, own_result: Result<(), String>) -> io::Result<()> {
    for (rank, result) in allgather_results(peers, &own_result)?.into_iter().enumerate() {
        let with_rank = |what| if rank == peers.rank() { what } else { format!("rank {rank}: {what}") };
        result.map_err(|what| io::Error::other(with_rank(what)))?;
    }
    Ok(())
}

/// The connection of one of several threads that act as the ranks of a sweep.
#[derive(Debug)]
pub struct ThreadCommunicator {
    rank: usize,
    senders: Vec<Sender<Vec<u8>>>,
    receivers: Vec<Mutex<Receiver<Vec<u8>>>>,
}

impl ThreadCommunicator {
    /// Connects `size` ranks. Returns their communicators, by rank.
    #[must_use]
    pub fn connect(size: usize) -> Vec<Self> {
        let mut team: Vec<Self> =
            (0..size).map(|rank| Self { rank, senders: Vec::new(), receivers: Vec::new() }).collect();
        for a in 0..size {
            for b in 0..size {
                // Both lists are in the order of the other rank.
                let (sender, receiver) = channel();
                team[a].senders.push(sender);
                team[b].receivers.push(Mutex::new(receiver));
            }
        }
        team
    }

    fn send(&self, to: usize, bytes: Vec<u8>) -> io::Result<()> {
        self.senders[to].send(bytes).map_err(|_| disconnected_error(to))
    }

    fn receive(&self, from: usize) -> io::Result<Vec<u8>> {
        self.receivers[from]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .recv()
            .map_err(|_| disconnected_error(from))
    }
}

fn disconnected_error(rank: usize) -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionReset, format!("rank {rank} has ended"))
}

impl Communicator for ThreadCommunicator {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.senders.len()
    }

    fn allgather(&self, payload: Vec<u8>) -> io::Result<Vec<Vec<u8>>> {
        (0..self.size()).try_for_each(|to| self.send(to, payload.clone()))?;
        (0..self.size()).map(|from| self.receive(from)).collect()
    }

    fn send_receive(&self, send: Option<(usize, Vec<u8>)>, receive: Option<usize>) -> io::Result<Vec<u8>> {
        if let Some((to, bytes)) = send {
            self.send(to, bytes)?;
        }
        receive.map_or_else(|| Ok(Vec::new()), |from| self.receive(from))
    }
}

/// The connection of a sweep to the other ranks; empty with a single rank.
#[derive(Clone, Copy, Default)]
pub struct Collective<'a>(Option<&'a dyn Communicator>);

/// The error of a rank, as sent to the other ranks.
#[derive(Debug, Serialize, Deserialize)]
struct RankFailure {
    message: String,
    /// Number of finished steps and number of all steps, if the rank was stopped; all ranks stop
    /// then.
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

    /// Returns the connection to the other ranks; `None` with a single rank.
    #[must_use]
    pub const fn communicator(self) -> Option<&'a dyn Communicator> {
        self.0
    }

    /// Returns the number of this rank and the number of ranks.
    #[must_use]
    pub fn rank_and_size(self) -> (usize, usize) {
        self.0.map_or((0, 1), |peers| (peers.rank(), peers.size()))
    }

    /// Returns the results of all ranks, by rank; a single rank gets its own result. All ranks must
    /// make this call.
    ///
    /// # Errors
    /// The error of this rank; [`Error::RankFailed`] if another rank has failed, [`Error::Stopped`]
    /// if another rank was stopped; the error made by `to_lost_error` if the connection is lost.
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
    use super::ThreadCommunicator;
    use super::*;

    #[test]
    fn check_all_ok_returns_the_first_error_with_its_rank() {
        let mine = ["", "no room", "no heart"];
        let messages = std::thread::scope(|scope| {
            let ranks: Vec<_> = ThreadCommunicator::connect(3)
                .into_iter()
                .map(|peers| {
                    let mine = mine[peers.rank()];
                    let own_result = if mine.is_empty() { Ok(()) } else { Err(mine.to_owned()) };
                    scope.spawn(move || check_all_ok(&peers, own_result).unwrap_err().to_string())
                })
                .collect();
            ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(messages, ["rank 1: no room", "no room", "rank 1: no room"]);
    }

    #[test]
    fn send_receive_delivers_and_reports_a_dropped_rank() {
        let mut team = ThreadCommunicator::connect(3).into_iter();
        let (first, second, third) = (team.next().unwrap(), team.next().unwrap(), team.next().unwrap());
        first.send_receive(Some((1, b"to one".to_vec())), None).unwrap();
        third.send_receive(Some((1, b"from two".to_vec())), None).unwrap();
        assert_eq!(second.send_receive(None, Some(2)).unwrap(), b"from two");
        assert_eq!(second.send_receive(None, Some(0)).unwrap(), b"to one");
        drop(third);
        assert_eq!(first.send_receive(None, Some(2)).unwrap_err().kind(), io::ErrorKind::ConnectionReset);
    }

    /// Returns the results of three ranks that gather these results.
    fn allgather_on_three_ranks(results: [Result<u32, Error>; 3]) -> Vec<Result<Vec<u32>, Error>> {
        let lost = |what| Error::NotConnected { message: what };
        std::thread::scope(|scope| {
            let ranks: Vec<_> = ThreadCommunicator::connect(3)
                .into_iter()
                .zip(results)
                .map(|(peers, own_result)| {
                    scope.spawn(move || Collective::new(Some(&peers)).allgather(own_result, lost))
                })
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
