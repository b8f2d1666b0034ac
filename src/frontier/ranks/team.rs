//! [`ThreadCommunicator`] connects threads of one process by channels.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

use crate::frontier::ranks::peers::Communicator;

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
