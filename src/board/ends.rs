//! Which vertices can be the two ends of a tour, by connection and colours alone.
//!
//! On a graph with two colours every move changes colour. So with as many vertices
//! of one as of the other a path ends on different colours, with one more of one
//! colour it begins and ends there and nothing closes, and with two more there is
//! no tour at all. Without two colours, a king's board for one, nothing is said.

use super::Graph;

/// What pairs of ends are left possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PossibleEnds {
    /// Nothing is known: any two.
    Any,
    /// Two of different colour; the colour of each vertex.
    Different(Vec<bool>),
    /// Both of the given colour; the colour of each vertex.
    Both(Vec<bool>, bool),
}

impl PossibleEnds {
    /// Looks at a graph, for closed tours or for paths. `None` if there can be no such tour. Cost O(edges).
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

    /// Whether a path can have these two ends.
    #[must_use]
    pub fn allow(&self, v: usize, w: usize) -> bool {
        match self {
            Self::Any => true,
            Self::Different(colour) => colour[v] != colour[w],
            Self::Both(colour, c) => colour[v] == *c && colour[w] == *c,
        }
    }

    /// Whether a path can have this end.
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
