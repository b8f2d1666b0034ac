//! What whoever watches a sweep wants of it now.

use serde::{Deserialize, Serialize};

/// What an observer wants between two chunks of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum Pulse {
    /// Nothing.
    #[default]
    Go,
    /// A snapshot, if the sweep has a store.
    Save,
    /// A snapshot, if the sweep has a store, and then the end, with [`Error::Stopped`](crate::frontier::Error::Stopped).
    Stop,
}

impl Pulse {
    /// What all ranks do, if these are their wishes by rank: anybody may stop; when to save is one clock's matter.
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
