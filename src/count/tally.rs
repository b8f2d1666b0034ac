//! Effort is counted alike for searches and sweeps.

use serde::{Deserialize, Serialize};

/// Effort of some units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effort {
    /// Nodes visited in the search trees, without those that the transposition table saved; or states of all
    /// layers of the sweeps.
    pub nodes: u64,
    /// Tours found by a search, one per symmetry class as far as the units distinguish classes; or
    /// transitions of the sweeps.
    pub visited: u64,
    /// States of the largest layer of a sweep; 0 for a search.
    pub peak_states: u64,
}

impl Effort {
    /// Adds the effort of other units.
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
    fn add_sums_nodes_and_keeps_largest_layer() {
        let mut tally = Effort { nodes: 1, visited: u64::MAX, peak_states: 5 };
        tally.add(Effort { nodes: 2, visited: 3, peak_states: 4 });
        assert_eq!(tally, Effort { nodes: 3, visited: u64::MAX, peak_states: 5 });
    }
}
