//! The connection between the processes that share a sweep.
//!
//! Every process, a *rank*, runs one program with equal arguments, holds a part of every layer, and
//! communicates with the others only between two steps. A [`Communicator`] transfers the bytes;
//! [`ThreadCommunicator`](crate::frontier::ThreadCommunicator) connects threads of one process.

use std::io;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::ranks::team::ThreadCommunicator;

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
