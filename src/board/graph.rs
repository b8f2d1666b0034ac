//! The leaper's graph: a vertex for every square, an edge for every move.
//!
//! Vertices are numbered `0..n` in ascending order of their squares, removed
//! squares have none. Engines work on the graph alone, so a board with holes, a
//! strange leaper or any other small graph is data to them, never a special case.

use super::{Bitboard, Board, Leaper, Square};

/// An undirected graph without loops or parallel edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// For each vertex its neighbours, ascending.
    neighbours: Vec<Vec<u32>>,
}

impl Graph {
    /// The moves of `leaper` on `board`; vertex `i` is the board's `i`-th square. Cost O(squares).
    #[must_use]
    pub fn new(board: &Board, leaper: Leaper) -> Self {
        let squares: Vec<Square> = board.squares().collect();
        let full = board.removed().is_empty();
        let cols = usize::from(board.cols());
        let index = |square: Square| -> Option<usize> {
            if full {
                board
                    .in_rectangle(square)
                    .then(|| usize::from(square.rank()) * cols + usize::from(square.file()))
            } else {
                squares.binary_search(&square).ok()
            }
        };
        let steps = leaper.steps();
        let neighbours = squares
            .iter()
            .map(|&square| {
                let mut near: Vec<u32> = steps
                    .iter()
                    .filter_map(|&(right, up)| index(square.offset(right, up)?))
                    .map(|v| u32::try_from(v).expect("a board has fewer than 2^32 squares"))
                    .collect();
                near.sort_unstable();
                near
            })
            .collect();
        Self { neighbours }
    }

    /// A graph of `len` vertices with the given edges; repeats count once.
    ///
    /// # Panics
    /// If an edge is a loop or leaves `0..len`.
    #[must_use]
    pub fn from_edges(len: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut neighbours = vec![Vec::new(); len];
        for (v, w) in edges {
            assert!(v != w && v < len && w < len, "edge {v}-{w} does not fit {len} vertices");
            neighbours[v].push(w as u32);
            neighbours[w].push(v as u32);
        }
        for near in &mut neighbours {
            near.sort_unstable();
            near.dedup();
        }
        Self { neighbours }
    }

    /// Number of vertices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.neighbours.len()
    }

    /// Whether there is no vertex.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.neighbours.is_empty()
    }

    /// The neighbours of `v`, ascending.
    #[must_use]
    pub fn neighbours(&self, v: usize) -> &[u32] {
        &self.neighbours[v]
    }

    /// Number of neighbours of `v`.
    #[must_use]
    pub fn degree(&self, v: usize) -> usize {
        self.neighbours[v].len()
    }

    /// Number of edges.
    #[must_use]
    pub fn edges(&self) -> usize {
        self.neighbours.iter().map(Vec::len).sum::<usize>() / 2
    }

    /// Whether `v` and `w` are joined.
    #[must_use]
    pub fn is_edge(&self, v: usize, w: usize) -> bool {
        self.neighbours[v].binary_search(&(w as u32)).is_ok()
    }

    /// Neighbour sets as bitboards.
    ///
    /// # Panics
    /// If the graph has more vertices than `B` has bits.
    #[must_use]
    pub fn masks<B: Bitboard>(&self) -> Vec<B> {
        assert!(self.len() <= B::BITS, "{} vertices do not fit a bitboard", self.len());
        self.neighbours
            .iter()
            .map(|near| near.iter().fold(B::EMPTY, |set, &w| set.with(w as usize)))
            .collect()
    }

    /// A proper 2-colouring (`false`/`true` per vertex), if there is one. Isolated
    /// and first vertices of a component are `false`.
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
    fn knight_moves_on_three_by_three_leave_the_centre_alone() {
        let board = Board::new(3, 3).unwrap();
        let graph = Graph::new(&board, Leaper::KNIGHT);
        assert_eq!(graph.neighbours(0), [5, 7]);
        assert_eq!(graph.degree(4), 0);
        assert!(graph.is_edge(1, 6) && !graph.is_edge(0, 1));
    }

    #[test]
    fn holes_close_up_the_numbering() {
        let board = Board::new(3, 3).unwrap().without(["b2".parse().unwrap()]).unwrap();
        let graph = Graph::new(&board, Leaper::KNIGHT);
        assert_eq!(graph.len(), 8);
        assert!((0..8).all(|v| graph.degree(v) == 2));
        assert_eq!(graph.masks::<u64>()[0].iter().collect::<Vec<_>>(), [4, 6]);
    }

    #[test]
    fn colouring_follows_the_moves() {
        let board = Board::new(5, 5).unwrap();
        let knight = Graph::new(&board, Leaper::KNIGHT).two_colouring().unwrap();
        for (v, square) in board.squares().enumerate() {
            assert_eq!(!knight[v], square.is_dark());
        }
        assert!(Graph::from_edges(3, [(0, 1), (1, 2), (2, 0)]).two_colouring().is_none());
    }
}
