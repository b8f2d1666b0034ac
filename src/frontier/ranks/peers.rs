//! The other processes that share a sweep.
//!
//! Each of them, a *rank*, runs the same program with the same arguments, holds a
//! part of every layer, and talks to the others only between two steps. What
//! carries the bytes is a [`Peers`]; a [`Team`](crate::frontier::Team) does it for threads of one process.

use std::io;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Carries bytes between the ranks of a sweep. All ranks make the same calls in the same order.
pub trait Peers: Send + Sync {
    /// Which of them this one is, from 0.
    fn rank(&self) -> usize;

    /// How many there are.
    fn size(&self) -> usize;

    /// What every rank has to say, by rank.
    ///
    /// # Errors
    /// The connection is lost.
    fn gather(&self, mine: Vec<u8>) -> io::Result<Vec<Vec<u8>>>;

    /// Sends bytes to one rank while it receives from another; nothing is received if there is none.
    ///
    /// # Errors
    /// The connection is lost.
    fn exchange(&self, send: Option<(usize, Vec<u8>)>, receive: Option<usize>) -> io::Result<Vec<u8>>;
}

/// What every rank has come to, by rank: its own result, and what another says of its failure.
///
/// # Errors
/// The connection is lost, or a rank says what cannot be understood.
pub fn consult<T: Serialize + DeserializeOwned>(
    peers: &dyn Peers,
    mine: &Result<T, String>,
) -> io::Result<Vec<Result<T, String>>> {
    let mine = serde_json::to_vec(mine).expect("what ranks say can be written");
    let all = peers.gather(mine)?;
    let understand = |(rank, bytes): (usize, &Vec<u8>)| {
        serde_json::from_slice(bytes).map_err(|_| {
            io::Error::new(io::ErrorKind::InvalidData, format!("rank {rank} does something else"))
        })
    };
    all.iter().enumerate().map(understand).collect()
}

/// Whether all have come as far; otherwise the first failure of all, by its rank.
///
/// # Errors
/// That failure, or the connection is lost.
pub fn all_well(peers: &dyn Peers, mine: Result<(), String>) -> io::Result<()> {
    for (rank, one) in consult(peers, &mine)?.into_iter().enumerate() {
        let of = |what| if rank == peers.rank() { what } else { format!("rank {rank}: {what}") };
        one.map_err(|what| io::Error::other(of(what)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::ranks::team::Team;

    #[test]
    fn the_first_failure_is_told_by_its_rank() {
        let mine = ["", "no room", "no heart"];
        let said = std::thread::scope(|scope| {
            let ranks: Vec<_> = Team::of(3)
                .into_iter()
                .map(|peers| {
                    let mine = mine[peers.rank()];
                    let mine = if mine.is_empty() { Ok(()) } else { Err(mine.to_owned()) };
                    scope.spawn(move || all_well(&peers, mine).unwrap_err().to_string())
                })
                .collect();
            ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(said, ["rank 1: no room", "no room", "rank 1: no room"]);
    }
}
