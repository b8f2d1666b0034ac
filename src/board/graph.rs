//! [`Graph`]: an undirected graph with one vertex for each square and one edge for each move.
//!
//! Vertices are numbered `0..n` in ascending order of their squares; removed squares have no vertex. The
//! engines work on the graph alone. So boards with holes, unusual leapers and all other small graphs are
//! plain data and need no special case.

use super::{Bitboard, Leaper, Rectangle};

/// An undirected graph without loops or parallel edges, as adjacency lists in one array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// For each vertex the start of its list in `neighbours`, and at the end the length of `neighbours`.
    offsets: Vec<u32>,
    /// The adjacency lists of all vertices in order, each ascending.
    neighbours: Vec<u32>,
}

impl Graph {
    /// Creates the graph of all moves of `leaper` on `rectangle`; vertex `i` is the `i`-th square of the
    /// rectangle. Cost O(squares).
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

    /// Creates a graph of `len` vertices from its edges; duplicate edges count once.
    ///
    /// # Panics
    /// If an edge is a loop or an end of it is not below `len`.
    #[must_use]
    pub fn from_edges(len: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut near = vec![Vec::new(); len];
        for (v, w) in edges {
            assert!(v != w && v < len && w < len, "edge {v}-{w} is a loop or outside of {len} vertices");
            near[v].push(w as u32);
            near[w].push(v as u32);
        }
        let mut graph = Self::with_capacity(len, near.iter().map(Vec::len).sum());
        for mut near in near {
            near.sort_unstable();
            near.dedup();
            let from = graph.neighbours.len();
            graph.neighbours.extend(near);
            graph.finish_vertex(from);
        }
        graph
    }

    fn with_capacity(len: usize, ends: usize) -> Self {
        let mut begins = Vec::with_capacity(len + 1);
        begins.push(0);
        Self { offsets: begins, neighbours: Vec::with_capacity(ends) }
    }

    /// Ends the adjacency list of the current vertex, which begins at `from`.
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

    /// Returns true if `v` and `w` are adjacent.
    #[must_use]
    pub fn is_edge(&self, v: usize, w: usize) -> bool {
        self.neighbours(v).binary_search(&(w as u32)).is_ok()
    }

    /// Returns true if the permutation that maps vertex `v` to `image[v]` maps every edge to an edge. Cost
    /// O(edges x log degree).
    #[must_use]
    pub fn has_automorphism(&self, image: &[u32]) -> bool {
        let to = |v: u32| image[v as usize] as usize;
        let len = self.len() as u32;
        image.len() == self.len()
            && (0..len).all(|v| self.neighbours(v as usize).iter().all(|&w| self.is_edge(to(v), to(w))))
    }

    /// Returns the neighbours of each vertex as a bitboard.
    ///
    /// # Panics
    /// If the graph has more vertices than `B` has bits.
    #[must_use]
    pub fn neighbour_masks<B: Bitboard>(&self) -> Vec<B> {
        assert!(self.len() <= B::BITS, "{} vertices do not fit a bitboard", self.len());
        let mask = |v| self.neighbours(v).iter().fold(B::EMPTY, |set, &w| set.with(w as usize));
        (0..self.len()).map(mask).collect()
    }

    /// Returns for each vertex whether it can be reached from `v`; `v` itself can. Cost O(edges).
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

    /// Returns a proper 2-colouring (`false`/`true` per vertex), or `None` if the graph is not bipartite. The
    /// lowest vertex of each component, isolated vertices included, has the colour `false`.
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
}
