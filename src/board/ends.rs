//! [`PossibleEnds`] restricts the two end vertices of a path by connectivity and colours alone. In a
//! bipartite graph every move changes the colour. If both colours have equally many vertices, a path ends on
//! different colours. If one colour has one vertex more, a path begins and ends on that colour, and no closed
//! tour exists. If the difference is two or more, there is no tour at all. For a graph that is not bipartite,
//! such as a king's board, there is no restriction.

use super::Graph;

/// The pairs of end vertices that connectivity and colours permit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PossibleEnds {
    /// No restriction: any two vertices.
    Any,
    /// Two vertices of different colours; contains the colour of each vertex.
    DifferentColours(Vec<bool>),
    /// Two vertices of one colour; contains the colour of each vertex, and the colour of the ends.
    SameColour(Vec<bool>, bool),
}

impl PossibleEnds {
    /// Computes the possible ends of closed tours (`closed`) or of paths. `None` if the graph has no such
    /// tour. Cost O(edges).
    #[must_use]
    pub fn from_graph(graph: &Graph, closed: bool) -> Option<Self> {
        if graph.is_empty() || !graph.is_connected() {
            return None;
        }
        let Some(colour) = graph.two_colouring() else { return Some(Self::Any) };
        let light = colour.iter().filter(|&&c| c).count();
        let dark = colour.len() - light;
        match light.abs_diff(dark) {
            0 => Some(Self::DifferentColours(colour)),
            1 if !closed => Some(Self::SameColour(colour, light > dark)),
            _ => None,
        }
    }

    /// Returns true if a path may have the ends `v` and `w`.
    #[must_use]
    pub fn allows_pair(&self, v: usize, w: usize) -> bool {
        match self {
            Self::Any => true,
            Self::DifferentColours(colour) => colour[v] != colour[w],
            Self::SameColour(colour, c) => colour[v] == *c && colour[w] == *c,
        }
    }

    /// Returns true if a path may have the end `v`.
    #[must_use]
    pub fn allows_end(&self, v: usize) -> bool {
        match self {
            Self::Any | Self::DifferentColours(_) => true,
            Self::SameColour(colour, c) => colour[v] == *c,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(len: usize) -> Graph {
        Graph::from_edges(len, (1..len).map(|v| (v - 1, v)))
    }

    #[test]
    fn colours_restrict_ends_of_bipartite_graphs() {
        let even = PossibleEnds::from_graph(&path(4), false).unwrap();
        assert!(
            even.allows_pair(0, 3) && even.allows_pair(0, 1) && !even.allows_pair(0, 2) && even.allows_end(2)
        );
        let odd = PossibleEnds::from_graph(&path(5), false).unwrap();
        assert!(
            odd.allows_pair(0, 4) && !odd.allows_pair(0, 3) && !odd.allows_pair(1, 3) && !odd.allows_end(1)
        );
        assert_eq!(PossibleEnds::from_graph(&path(5), true), None);
        let star = Graph::from_edges(4, (1..4).map(|v| (0, v)));
        assert_eq!(PossibleEnds::from_graph(&star, false), None, "three of one colour, one of the other");
    }

    #[test]
    fn connected_non_bipartite_graphs_allow_any_ends() {
        let triangle = Graph::from_edges(3, [(0, 1), (1, 2), (2, 0)]);
        assert_eq!(PossibleEnds::from_graph(&triangle, true), Some(PossibleEnds::Any));
        assert_eq!(PossibleEnds::from_graph(&Graph::from_edges(4, [(0, 1), (1, 2), (2, 0)]), false), None);
        assert_eq!(PossibleEnds::from_graph(&Graph::from_edges(0, []), false), None);
    }
}
