//! [`Graph`], an undirected graph with one vertex for each square and one edge for each move, and
//! [`PossibleEnds`], the vertices at which its tours may end.
//!
//! Vertices are numbered `0..n` in ascending order of their squares; removed squares have no
//! vertex. The engines work on the graph alone, so boards with holes, unusual leapers and all other
//! small graphs need no special case.
//!
//! [`PossibleEnds`] restricts the two end vertices of a path by connectivity and colours alone. In
//! a bipartite graph every move changes the colour. If both colours have equally many vertices, the
//! two ends of a path have different colours. If one colour has one vertex more, both ends of a
//! path have that colour, and no closed tour exists. If the difference is two or more, there is no
//! tour at all. For a graph that is not bipartite, such as the graph of a king, there is no
//! restriction.

use super::{Bitboard, Leaper, Rectangle};

/// A vertex of a board or graph: its number, counted from 0.
pub type Vertex = u32;

/// A move in either direction, as a pair of vertices with the lower one first.
pub type Move = (Vertex, Vertex);

/// An undirected graph without loops or parallel edges, as adjacency lists in one array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// For each vertex, the start of its adjacency list in `neighbours`; after the last vertex, the
    /// length of `neighbours`.
    offsets: Vec<u32>,
    /// The adjacency lists of all vertices, in order of the vertices; each list is ascending.
    neighbours: Vec<u32>,
}

impl Graph {
    /// Creates the graph of all moves of `leaper` on `rectangle`. Vertex `i` is square number `i`
    /// of the rectangle. Cost O(squares).
    #[must_use]
    pub fn from_leaper(rectangle: &Rectangle, leaper: Leaper) -> Self {
        let steps = leaper.steps();
        let mut graph = Self::with_capacity(rectangle.len(), rectangle.len() * steps.len());
        for square in rectangle.squares() {
            let from = graph.neighbours.len();
            let neighbours =
                steps.iter().filter_map(|&(right, up)| rectangle.index(square.offset(right, up)?));
            graph.neighbours.extend(neighbours);
            graph.finish_vertex(from);
        }
        graph
    }

    /// Creates a graph of `len` vertices from a list of edges; an edge that occurs several times
    /// counts once.
    ///
    /// # Panics
    /// If an edge joins a vertex to itself, or a vertex of an edge is not below `len`.
    #[must_use]
    pub fn from_edges(len: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut neighbours = vec![Vec::new(); len];
        for (v, w) in edges {
            assert!(v != w && v < len && w < len, "edge {v}-{w} is a loop or outside of {len} vertices");
            neighbours[v].push(w as u32);
            neighbours[w].push(v as u32);
        }
        let mut graph = Self::with_capacity(len, neighbours.iter().map(Vec::len).sum());
        for mut neighbours in neighbours {
            neighbours.sort_unstable();
            neighbours.dedup();
            let from = graph.neighbours.len();
            graph.neighbours.extend(neighbours);
            graph.finish_vertex(from);
        }
        graph
    }

    fn with_capacity(len: usize, ends: usize) -> Self {
        let mut begins = Vec::with_capacity(len + 1);
        begins.push(0);
        Self { offsets: begins, neighbours: Vec::with_capacity(ends) }
    }

    /// Sorts and ends the adjacency list of the current vertex, which starts at `from` in
    /// `neighbours`.
    fn finish_vertex(&mut self, from: usize) {
        self.neighbours[from..].sort_unstable();
        self.offsets.push(u32::try_from(self.neighbours.len()).expect("a graph has fewer than 2^31 edges"));
    }

    /// Returns the number of vertices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns true if the graph has no vertex.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the neighbours of `v`, ascending.
    #[must_use]
    pub fn neighbours(&self, v: usize) -> &[u32] {
        &self.neighbours[self.offsets[v] as usize..self.offsets[v + 1] as usize]
    }

    /// Returns the number of neighbours of `v`.
    #[must_use]
    pub fn degree(&self, v: usize) -> usize {
        self.neighbours(v).len()
    }

    /// Returns the number of edges.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.neighbours.len() / 2
    }

    /// Yields each edge once, with its lower vertex first, in ascending order.
    pub fn edges(&self) -> impl Iterator<Item = Move> + '_ {
        let above =
            |v: Vertex| self.neighbours(v as usize).iter().filter(move |&&w| v < w).map(move |&w| (v, w));
        (0..self.len() as u32).flat_map(above)
    }

    /// Returns true if `v` and `w` are adjacent.
    #[must_use]
    pub fn is_edge(&self, v: usize, w: usize) -> bool {
        self.neighbours(v).binary_search(&(w as u32)).is_ok()
    }

    /// Returns true if `image` is an automorphism: the permutation that maps each vertex `v` to
    /// `image[v]` maps every edge to an edge. Cost O(edges x log degree).
    #[must_use]
    pub fn has_automorphism(&self, image: &[u32]) -> bool {
        let to = |v: u32| image[v as usize] as usize;
        let len = self.len() as u32;
        image.len() == self.len()
            && (0..len).all(|v| self.neighbours(v as usize).iter().all(|&w| self.is_edge(to(v), to(w))))
    }

    /// Returns for each vertex the set of its neighbours as a bitboard.
    ///
    /// # Panics
    /// If the graph has more vertices than `B` has bits.
    #[must_use]
    pub fn neighbour_masks<B: Bitboard>(&self) -> Vec<B> {
        assert!(self.len() <= B::BITS, "{} vertices do not fit a bitboard", self.len());
        let mask = |v| self.neighbours(v).iter().fold(B::EMPTY, |set, &w| set.with(w as usize));
        (0..self.len()).map(mask).collect()
    }

    /// Returns for each vertex true if it can be reached from `v`, including `v` itself. Cost
    /// O(edges).
    #[must_use]
    pub fn reachable_from(&self, v: usize) -> Vec<bool> {
        let mut reached = vec![false; self.len()];
        let mut stack = vec![v];
        while let Some(v) = stack.pop() {
            if !std::mem::replace(&mut reached[v], true) {
                stack.extend(self.neighbours(v).iter().map(|&w| w as usize));
            }
        }
        reached
    }

    /// Returns true if the graph is connected; the empty graph counts as connected.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.is_empty() || !self.reachable_from(0).contains(&false)
    }

    /// Returns true if more vertices than a tour can have as ends have fewer than two neighbours. A closed tour
    /// has no end, a path has two.
    #[must_use]
    pub fn has_too_many_dead_ends(&self, closed: bool) -> bool {
        let ends = if closed { 0 } else { 2 };
        self.len() > 2 && (0..self.len()).filter(|&v| self.degree(v) < 2).nth(ends).is_some()
    }

    /// Returns a proper 2-colouring of the graph as a `bool` for each vertex; `None` if the graph
    /// is not bipartite. The lowest vertex of each component, isolated vertices included, has the
    /// colour `false`.
    #[must_use]
    pub fn two_colouring(&self) -> Option<Vec<bool>> {
        let mut colour: Vec<Option<bool>> = vec![None; self.len()];
        let mut stack = Vec::new();
        for root in 0..self.len() {
            if colour[root].is_some() {
                continue;
            }
            colour[root] = Some(false);
            stack.push((root, false));
            while let Some((v, c)) = stack.pop() {
                for &w in self.neighbours(v) {
                    match colour[w as usize] {
                        None => {
                            colour[w as usize] = Some(!c);
                            stack.push((w as usize, !c));
                        }
                        Some(other) if other == c => return None,
                        Some(_) => {}
                    }
                }
            }
        }
        Some(colour.into_iter().flatten().collect())
    }
}

/// The pairs of end vertices of tours that connectivity, colours and dead ends permit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PossibleEnds {
    /// Any two vertices, without restriction.
    Any,
    /// Two vertices of different colours. The field holds the colour of each vertex.
    DifferentColours(Vec<bool>),
    /// Two vertices of one colour. The fields hold the colour of each vertex, and the colour of
    /// both ends.
    SameColour(Vec<bool>, bool),
}

impl PossibleEnds {
    /// Computes the possible end vertices of closed tours (if `closed` is true) or of paths.
    /// Returns `None` if the graph has no such tour. Cost O(edges).
    #[must_use]
    pub fn from_graph(graph: &Graph, closed: bool) -> Option<Self> {
        if graph.is_empty() || !graph.is_connected() || graph.has_too_many_dead_ends(closed) {
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

    /// Returns true if a path may have `v` and `w` as its two ends.
    #[must_use]
    pub fn allows_pair(&self, v: usize, w: usize) -> bool {
        match self {
            Self::Any => true,
            Self::DifferentColours(colour) => colour[v] != colour[w],
            Self::SameColour(colour, c) => colour[v] == *c && colour[w] == *c,
        }
    }

    /// Returns true if a path may have `v` as one of its two ends.
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

    #[test]
    fn knight_on_3x3_never_moves_to_the_centre() {
        let board = Rectangle::new(3, 3).unwrap();
        let graph = Graph::from_leaper(&board, Leaper::KNIGHT);
        assert_eq!(graph.neighbours(0), [5, 7]);
        assert_eq!(graph.degree(4), 0);
        assert!(graph.is_edge(1, 6) && !graph.is_edge(0, 1));
    }

    #[test]
    fn vertices_skip_removed_squares() {
        let board = Rectangle::new(3, 3).unwrap().without(["b2".parse().unwrap()]).unwrap();
        let graph = Graph::from_leaper(&board, Leaper::KNIGHT);
        assert_eq!(graph.len(), 8);
        assert!((0..8).all(|v| graph.degree(v) == 2));
        assert_eq!(graph.neighbour_masks::<u64>()[0].iter().collect::<Vec<_>>(), [4, 6]);
    }

    #[test]
    fn reachable_from_stays_in_the_component() {
        let graph = Graph::from_edges(5, [(0, 1), (1, 2), (3, 4)]);
        assert_eq!(graph.reachable_from(1), [true, true, true, false, false]);
        assert!(!graph.is_connected());
        assert!(Graph::from_edges(2, [(0, 1)]).is_connected());
    }

    #[test]
    fn has_automorphism_checks_every_edge() {
        let path = Graph::from_edges(3, [(0, 1), (1, 2)]);
        assert!(
            path.has_automorphism(&[2, 1, 0])
                && !path.has_automorphism(&[1, 0, 2])
                && !path.has_automorphism(&[0, 1])
        );
    }

    #[test]
    fn two_colouring_of_knight_graph_is_the_chessboard() {
        let board = Rectangle::new(5, 5).unwrap();
        let knight = Graph::from_leaper(&board, Leaper::KNIGHT).two_colouring().unwrap();
        for (v, square) in board.squares().enumerate() {
            assert_eq!(!knight[v], square.is_dark());
        }
        assert!(Graph::from_edges(3, [(0, 1), (1, 2), (2, 0)]).two_colouring().is_none());
    }

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
        // Three paths of two edges that meet: the colours fit, but there are three dead ends.
        let spider =
            Graph::from_edges(7, (0..3).flat_map(|leg| [(0, 2 * leg + 1), (2 * leg + 1, 2 * leg + 2)]));
        assert_eq!(PossibleEnds::from_graph(&spider, false), None);
        assert_eq!(PossibleEnds::from_graph(&path(4), true), None);
    }

    #[test]
    fn connected_non_bipartite_graphs_allow_any_ends() {
        let triangle = Graph::from_edges(3, [(0, 1), (1, 2), (2, 0)]);
        assert_eq!(PossibleEnds::from_graph(&triangle, true), Some(PossibleEnds::Any));
        assert_eq!(PossibleEnds::from_graph(&Graph::from_edges(4, [(0, 1), (1, 2), (2, 0)]), false), None);
        assert_eq!(PossibleEnds::from_graph(&Graph::from_edges(0, []), false), None);
    }
}
