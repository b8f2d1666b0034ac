//! [`ThreadCommunicator`] connects threads of one process by channels.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

use crate::frontier::ranks::peers::Peers;

/// The connection of one of several threads that share a sweep.
#[derive(Debug)]
pub struct Team {
    rank: usize,
    to: Vec<Sender<Vec<u8>>>,
    from: Vec<Mutex<Receiver<Vec<u8>>>>,
}

impl Team {
    /// Connects `size` ranks; returns their communicators, by rank.
    #[must_use]
    pub fn of(size: usize) -> Vec<Self> {
        let mut team: Vec<Self> =
            (0..size).map(|rank| Self { rank, to: Vec::new(), from: Vec::new() }).collect();
        for a in 0..size {
            for b in 0..size {
                // Both lists are in the order of the other rank.
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
    io::Error::new(io::ErrorKind::ConnectionReset, format!("rank {rank} has ended"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_arrives_and_a_rank_that_is_gone_is_missed() {
        let mut team = Team::of(3).into_iter();
        let (first, second, third) = (team.next().unwrap(), team.next().unwrap(), team.next().unwrap());
        first.exchange(Some((1, b"to one".to_vec())), None).unwrap();
        third.exchange(Some((1, b"from two".to_vec())), None).unwrap();
        assert_eq!(second.exchange(None, Some(2)).unwrap(), b"from two");
        assert_eq!(second.exchange(None, Some(0)).unwrap(), b"to one");
        drop(third);
        assert_eq!(first.exchange(None, Some(2)).unwrap_err().kind(), io::ErrorKind::ConnectionReset);
    }
}
