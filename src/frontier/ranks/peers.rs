//! The other processes that share a sweep.
//!
//! Each of them, a *rank*, runs the same program with the same arguments, holds a
//! part of every layer, and talks to the others only between two steps. What
//! carries the bytes is a [`Peers`]; a [`Team`] does it for threads of one process.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

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
    let mine = serde_json::to_vec(mine).expect("what ranks tell can be written");
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

/// One of several threads that share a sweep.
#[derive(Debug)]
pub struct Team {
    rank: usize,
    to: Vec<Sender<Vec<u8>>>,
    from: Vec<Mutex<Receiver<Vec<u8>>>>,
}

impl Team {
    /// A team of `size`, by rank.
    #[must_use]
    pub fn of(size: usize) -> Vec<Self> {
        let mut team: Vec<Self> =
            (0..size).map(|rank| Self { rank, to: Vec::new(), from: Vec::new() }).collect();
        for a in 0..size {
            for b in 0..size {
                // Pushed in the order of the other one's rank on either side.
                let (sender, receiver) = channel();
                team[a].to.push(sender);
                team[b].from.push(Mutex::new(receiver));
            }
        }
        team
    }

    fn send(&self, to: usize, bytes: Vec<u8>) -> io::Result<()> {
        self.to[to].send(bytes).map_err(|_| gone(to))
    }

    fn receive(&self, from: usize) -> io::Result<Vec<u8>> {
        self.from[from].lock().unwrap_or_else(PoisonError::into_inner).recv().map_err(|_| gone(from))
    }
}

fn gone(rank: usize) -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionReset, format!("rank {rank} is gone"))
}

impl Peers for Team {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.len()
    }

    fn gather(&self, mine: Vec<u8>) -> io::Result<Vec<Vec<u8>>> {
        (0..self.size()).try_for_each(|to| self.send(to, mine.clone()))?;
        (0..self.size()).map(|from| self.receive(from)).collect()
    }

    fn exchange(&self, send: Option<(usize, Vec<u8>)>, receive: Option<usize>) -> io::Result<Vec<u8>> {
        if let Some((to, bytes)) = send {
            self.send(to, bytes)?;
        }
        receive.map_or_else(|| Ok(Vec::new()), |from| self.receive(from))
    }
}
