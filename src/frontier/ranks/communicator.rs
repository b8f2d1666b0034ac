//! The connection between the processes that share a sweep.
//!
//! Every process, a *rank*, runs one program with equal arguments, holds a part of every layer, and
//! communicates with the others only between two steps. A [`Communicator`] transfers the bytes;
//! [`ThreadCommunicator`](crate::frontier::ThreadCommunicator) connects threads of one process.
//!
//! [`ThreadCommunicator`] connects threads of one process by channels.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Transfers bytes between the ranks of a sweep. All ranks must make the same calls in the same order.
pub trait Communicator: Send + Sync {
    /// Returns the number of this rank, from 0.
    fn rank(&self) -> usize;

    /// Returns the number of ranks.
    fn size(&self) -> usize;

    /// Sends `mine` to all ranks and returns the bytes of every rank, by rank.
    ///
    /// # Errors
    /// If the connection is lost.
    fn allgather(&self, mine: Vec<u8>) -> io::Result<Vec<Vec<u8>>>;

    /// Sends bytes to one rank and receives bytes from another at the same time. Without a rank to receive
    /// from, the result is empty.
    ///
    /// # Errors
    /// If the connection is lost.
    fn send_receive(&self, send: Option<(usize, Vec<u8>)>, receive: Option<usize>) -> io::Result<Vec<u8>>;
}

/// Sends this rank's result to all ranks and returns the results of all, by rank: values, or texts of errors.
///
/// # Errors
/// If the connection is lost, or a rank sent an unreadable message.
pub fn allgather_results<T: Serialize + DeserializeOwned>(
    peers: &dyn Communicator,
    mine: &Result<T, String>,
) -> io::Result<Vec<Result<T, String>>> {
    let mine = serde_json::to_vec(mine).expect("results of ranks can be serialised");
    let all = peers.allgather(mine)?;
    let decode = |(rank, bytes): (usize, &Vec<u8>)| {
        serde_json::from_slice(bytes).map_err(|_| {
            io::Error::new(io::ErrorKind::InvalidData, format!("rank {rank} sent an unreadable message"))
        })
    };
    all.iter().enumerate().map(decode).collect()
}

/// Checks that all ranks have succeeded so far. The text of another rank's error starts with its number.
///
/// # Errors
/// The first error of all ranks, or a lost connection.
pub fn check_all_ok(peers: &dyn Communicator, mine: Result<(), String>) -> io::Result<()> {
    for (rank, result) in allgather_results(peers, &mine)?.into_iter().enumerate() {
        let with_rank = |what| if rank == peers.rank() { what } else { format!("rank {rank}: {what}") };
        result.map_err(|what| io::Error::other(with_rank(what)))?;
    }
    Ok(())
}

/// The connection of one of several threads that share a sweep.
#[derive(Debug)]
pub struct ThreadCommunicator {
    rank: usize,
    senders: Vec<Sender<Vec<u8>>>,
    receivers: Vec<Mutex<Receiver<Vec<u8>>>>,
}

impl ThreadCommunicator {
    /// Connects `size` ranks; returns their communicators, by rank.
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

    fn allgather(&self, mine: Vec<u8>) -> io::Result<Vec<Vec<u8>>> {
        (0..self.size()).try_for_each(|to| self.send(to, mine.clone()))?;
        (0..self.size()).map(|from| self.receive(from)).collect()
    }

    fn send_receive(&self, send: Option<(usize, Vec<u8>)>, receive: Option<usize>) -> io::Result<Vec<u8>> {
        if let Some((to, bytes)) = send {
            self.send(to, bytes)?;
        }
        receive.map_or_else(|| Ok(Vec::new()), |from| self.receive(from))
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
                    let mine = if mine.is_empty() { Ok(()) } else { Err(mine.to_owned()) };
                    scope.spawn(move || check_all_ok(&peers, mine).unwrap_err().to_string())
                })
                .collect();
            ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(messages, ["rank 1: no room", "no room", "rank 1: no room"]);
    }
}

#[cfg(test)]
mod team_tests {
    use super::*;

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
}
