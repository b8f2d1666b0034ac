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
    Different(Vec<bool>),
    /// Two vertices of one colour; contains the colour of each vertex, and the colour of the ends.
    Both(Vec<bool>, bool),
}

impl PossibleEnds {
    /// Computes the possible ends of closed tours (`closed`) or of paths. `None` if the graph has no such
    /// tour. Cost O(edges).
    #[must_use]
    pub fn of(graph: &Graph, closed: bool) -> Option<Self> {
        if graph.is_empty() || !graph.is_connected() {
            return None;
        }
        let Some(colour) = graph.two_colouring() else { return Some(Self::Any) };
        let light = colour.iter().filter(|&&c| c).count();
        let dark = colour.len() - light;
        match light.abs_diff(dark) {
            0 => Some(Self::Different(colour)),
            1 if !closed => Some(Self::Both(colour, light > dark)),
            _ => None,
        }
    }

    /// Returns true if a path may have the ends `v` and `w`.
    #[must_use]
    pub fn allow(&self, v: usize, w: usize) -> bool {
        match self {
            Self::Any => true,
            Self::Different(colour) => colour[v] != colour[w],
            Self::Both(colour, c) => colour[v] == *c && colour[w] == *c,
        }
    }

    /// Returns true if a path may have the end `v`.
    #[must_use]
    pub fn allow_one(&self, v: usize) -> bool {
        match self {
            Self::Any | Self::Different(_) => true,
            Self::Both(colour, c) => colour[v] == *c,
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
    fn colours_decide_where_they_differ() {
        let even = PossibleEnds::of(&path(4), false).unwrap();
        assert!(even.allow(0, 3) && even.allow(0, 1) && !even.allow(0, 2) && even.allow_one(2));
        let odd = PossibleEnds::of(&path(5), false).unwrap();
        assert!(odd.allow(0, 4) && !odd.allow(0, 3) && !odd.allow(1, 3) && !odd.allow_one(1));
        assert_eq!(PossibleEnds::of(&path(5), true), None);
        let star = Graph::from_edges(4, (1..4).map(|v| (0, v)));
        assert_eq!(PossibleEnds::of(&star, false), None, "three of one colour, one of the other");
    }

    #[test]
    fn without_two_colours_all_is_possible_if_connected() {
        let triangle = Graph::from_edges(3, [(0, 1), (1, 2), (2, 0)]);
        assert_eq!(PossibleEnds::of(&triangle, true), Some(PossibleEnds::Any));
        assert_eq!(PossibleEnds::of(&Graph::from_edges(4, [(0, 1), (1, 2), (2, 0)]), false), None);
        assert_eq!(PossibleEnds::of(&Graph::from_edges(0, []), false), None);
    }
}
