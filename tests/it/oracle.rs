//! The naive oracle: a depth-first search over adjacency lists, without bitboards, pruning or symmetry.
//!
//! It shares only the names of squares with the engines. It derives every count from one table: the number of
//! directed paths between each pair of squares. Time is proportional to the number of partial paths, so
//! boards have at most about 20 squares.

use std::collections::BTreeSet;

use ktour::board::{Leaper, Rectangle, Square};

/// A small graph as adjacency lists.
pub struct Oracle {
    pub neighbours: Vec<Vec<usize>>,
}

impl Oracle {
    /// Builds the graph of a leaper from the distances between squares.
    pub fn from_board(board: &Rectangle, leaper: Leaper) -> Self {
        let squares: Vec<Square> = board.squares().collect();
        let is_move = |a: Square, b: Square| {
            let file_distance = a.file().abs_diff(b.file());
            let rank_distance = a.rank().abs_diff(b.rank());
            [(file_distance, rank_distance), (rank_distance, file_distance)]
                .contains(&(leaper.short(), leaper.long()))
        };
        let neighbours = squares
            .iter()
            .map(|&a| (0..squares.len()).filter(|&w| squares[w] != a && is_move(a, squares[w])).collect());
        Self { neighbours: neighbours.collect() }
    }

    /// Builds the graph of a list of undirected edges. Repeated edges count once.
    pub fn from_edges(len: usize, edges: &[(usize, usize)]) -> Self {
        let mut neighbours = vec![BTreeSet::new(); len];
        for &(v, w) in edges {
            neighbours[v].insert(w);
            neighbours[w].insert(v);
        }
        Self { neighbours: neighbours.into_iter().map(|set| set.into_iter().collect()).collect() }
    }

    /// Calls `visit` with every directed path from `start`; tries neighbours in the order of `neighbours`.
    pub fn for_each_path_from(&self, start: usize, visit: &mut dyn FnMut(&[usize])) {
        fn extend(
            neighbours: &[Vec<usize>],
            visited: &mut [bool],
            path: &mut Vec<usize>,
            visit: &mut dyn FnMut(&[usize]),
        ) {
            if path.len() == neighbours.len() {
                return visit(path);
            }
            for &w in &neighbours[path[path.len() - 1]] {
                if !visited[w] {
                    visited[w] = true;
                    path.push(w);
                    extend(neighbours, visited, path, visit);
                    path.pop();
                    visited[w] = false;
                }
            }
        }
        let mut visited = vec![false; self.neighbours.len()];
        visited[start] = true;
        extend(&self.neighbours, &mut visited, &mut vec![start], visit);
    }

    /// Counts the directed paths from `start` by their last vertex.
    pub fn count_from(&self, start: usize) -> Vec<u64> {
        let mut paths = vec![0; self.neighbours.len()];
        self.for_each_path_from(start, &mut |path| paths[path[path.len() - 1]] += 1);
        paths
    }

    /// Counts the directed paths between each pair of vertices.
    pub fn count_by_ends(&self) -> EndTable {
        let len = self.neighbours.len();
        let directed = (0..len).map(|start| self.count_from(start)).collect();
        let is_edge = (0..len).map(|v| (0..len).map(|w| self.neighbours[v].contains(&w)).collect()).collect();
        EndTable { directed, is_edge }
    }
}

/// The number of directed paths by first and last vertex.
pub struct EndTable {
    /// Directed paths: `directed[start][end]`.
    pub directed: Vec<Vec<u64>>,
    /// True for vertices a move apart.
    is_edge: Vec<Vec<bool>>,
}

impl EndTable {
    pub fn len(&self) -> usize {
        self.directed.len()
    }

    pub fn paths_from(&self, start: usize) -> u64 {
        self.directed[start].iter().sum()
    }

    /// Returns true if a path with these ends can be closed. Two squares are no closed tour.
    pub fn is_re_entrant(&self, v: usize, w: usize) -> bool {
        self.len() > 2 && self.is_edge[v][w]
    }

    pub fn re_entrant_from(&self, start: usize) -> u64 {
        let ends = (0..self.len()).filter(|&end| self.is_re_entrant(start, end));
        ends.map(|end| self.directed[start][end]).sum()
    }

    pub fn open_from(&self, start: usize) -> u64 {
        self.paths_from(start) - self.re_entrant_from(start)
    }

    /// Returns the number of undirected closed tours. Each leaves the first square in two directions.
    pub fn closed(&self) -> u64 {
        self.re_entrant_from(0) / 2
    }

    /// Returns the number of undirected paths.
    pub fn paths(&self) -> u64 {
        self.sum_undirected(|start| self.paths_from(start))
    }

    /// Returns the number of undirected open tours.
    pub fn open(&self) -> u64 {
        self.sum_undirected(|start| self.open_from(start))
    }

    /// Sums directed counts over all starts, and halves the sum. The only path of a single vertex has no
    /// direction.
    fn sum_undirected(&self, from: impl Fn(usize) -> u64) -> u64 {
        let directed: u64 = (0..self.len()).map(from).sum();
        if self.len() == 1 { directed } else { directed / 2 }
    }
}

#[test]
fn oracle_matches_hand_counts_of_3x4_and_ring() {
    // 3x4 has 8 tours, 16 with direction (OEIS A118067); none is closed.
    let table = Oracle::from_board(&"3x4".parse().unwrap(), Leaper::KNIGHT).count_by_ends();
    assert_eq!((table.closed(), table.open(), table.paths()), (0, 8, 8));
    // The eight squares around the centre form a ring.
    let ring: Rectangle = "3x3".parse::<Rectangle>().unwrap().without(["b2".parse().unwrap()]).unwrap();
    let table = Oracle::from_board(&ring, Leaper::KNIGHT).count_by_ends();
    assert_eq!((table.closed(), table.open(), table.paths()), (1, 0, 8));
}
