//! What counting took: one set of counters for searches and sweeps.

use serde::{Deserialize, Serialize};

/// What some units took, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Nodes visited of the search trees, fewer where those below them were remembered; or states of all layers of the
    /// sweeps.
    pub nodes: u64,
    /// Tours found (one for each class of alike ones, as far as the units tell them apart), or
    /// transitions of the sweeps.
    pub visited: u64,
    /// States of the greatest layer of a sweep; 0 for a search.
    pub peak_states: u64,
}

impl Tally {
    /// Adds what another unit took.
    pub fn add(&mut self, other: Self) {
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.visited = self.visited.saturating_add(other.visited);
        self.peak_states = self.peak_states.max(other.peak_states);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_add_up_and_the_greatest_layer_stays() {
        let mut tally = Tally { nodes: 1, visited: u64::MAX, peak_states: 5 };
        tally.add(Tally { nodes: 2, visited: 3, peak_states: 4 });
        assert_eq!(tally, Tally { nodes: 3, visited: u64::MAX, peak_states: 5 });
    }
}
