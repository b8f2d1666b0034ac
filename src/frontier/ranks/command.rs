//! The commands of an observer to a running sweep.

use serde::{Deserialize, Serialize};

/// The command of an observer to a sweep, polled between two chunks of a step. A group of steps executes it
/// after a class of chunks, unless the sweep stops without a snapshot. Later variants take precedence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Command {
    /// Continue the sweep.
    #[default]
    Continue,
    /// Write a snapshot, if the sweep has a store.
    Save,
    /// Write a snapshot, if the sweep has a store, and stop with
    /// [`Error::Stopped`](crate::frontier::Error::Stopped).
    Stop,
}

impl Command {
    /// Returns the command that all ranks follow. `commands` are the commands of all ranks, by rank.
    /// Any rank can stop the sweep; only rank 0 can request a snapshot, so that one clock decides.
    #[must_use]
    pub fn combine(commands: impl IntoIterator<Item = Self>) -> Self {
        let counts = |(rank, command): &(usize, Self)| *rank == 0 || *command == Self::Stop;
        commands.into_iter().enumerate().filter(counts).map(|(_, command)| command).max().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::Command::{self, Continue, Save, Stop};

    #[test]
    fn combine_lets_any_rank_stop_and_rank_0_save() {
        assert_eq!(Command::combine([Continue, Save, Save]), Continue);
        assert_eq!(Command::combine([Save, Continue]), Save);
        assert_eq!(Command::combine([Save, Continue, Stop]), Stop);
        assert_eq!(Command::combine([]), Continue);
    }
}
