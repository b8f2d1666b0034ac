//! The commands of an observer to a running sweep.

use serde::{Deserialize, Serialize};

/// The command of an observer, polled between two chunks of a step. Later variants take precedence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum Pulse {
    /// Continue the sweep.
    #[default]
    Go,
    /// Write a snapshot, if the sweep has a store.
    Save,
    /// Write a snapshot, if the sweep has a store, and stop with
    /// [`Error::Stopped`](crate::frontier::Error::Stopped).
    Stop,
}

impl Pulse {
    /// Returns the common command for the commands of all ranks, by rank. Any rank can stop the sweep; only
    /// rank 0 can request a snapshot, so that one clock decides.
    #[must_use]
    pub fn of_all(wishes: impl IntoIterator<Item = Self>) -> Self {
        let counts = |(rank, wish): &(usize, Self)| *rank == 0 || *wish == Self::Stop;
        wishes.into_iter().enumerate().filter(counts).map(|(_, wish)| wish).max().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::Pulse::{self, Go, Save, Stop};

    #[test]
    fn anybody_stops_and_the_first_rank_saves() {
        assert_eq!(Pulse::of_all([Go, Save, Save]), Go);
        assert_eq!(Pulse::of_all([Save, Go]), Save);
        assert_eq!(Pulse::of_all([Save, Go, Stop]), Stop);
        assert_eq!(Pulse::of_all([]), Go);
    }
}
