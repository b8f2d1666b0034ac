//! The naive oracle: plain depth-first search over adjacency lists, no bitboards, no pruning, no symmetry.
//!
//! It shares nothing with the engines but the names of squares. Everything that is counted follows from
//! one table: how many directed paths lead from each square to each other one.

use std::collections::BTreeSet;

use ktour::board::{Leaper, Rectangle, Square};

/// A small graph and nothing else.
pub struct Oracle {
    pub near: Vec<Vec<usize>>,
}

impl Oracle {
    /// Squares are joined if a look at the distances says so.
    pub fn from_board(board: &Rectangle, leaper: Leaper) -> Self {
        let squares: Vec<Square> = board.squares().collect();
        let joined = |a: Square, b: Square| {
            let across = a.file().abs_diff(b.file());
            let up = a.rank().abs_diff(b.rank());
            [(across, up), (up, across)].contains(&(leaper.short(), leaper.long()))
        };
        let near = squares
            .iter()
            .map(|&a| (0..squares.len()).filter(|&w| squares[w] != a && joined(a, squares[w])).collect());
        Self { near: near.collect() }
    }

    pub fn from_edges(len: usize, edges: &[(usize, usize)]) -> Self {
        let mut near = vec![BTreeSet::new(); len];
        for &(v, w) in edges {
            near[v].insert(w);
            near[w].insert(v);
        }
        Self { near: near.into_iter().map(|set| set.into_iter().collect()).collect() }
    }

    /// Calls `each` with every directed path from `start`, neighbours tried in the order of `near`.
    pub fn for_each_path_from(&self, start: usize, each: &mut dyn FnMut(&[usize])) {
        fn extend(
            near: &[Vec<usize>],
            seen: &mut [bool],
            path: &mut Vec<usize>,
            each: &mut dyn FnMut(&[usize]),
        ) {
            if path.len() == near.len() {
                return each(path);
            }
            for &w in &near[path[path.len() - 1]] {
                if !seen[w] {
                    seen[w] = true;
                    path.push(w);
                    extend(near, seen, path, each);
                    path.pop();
                    seen[w] = false;
                }
            }
        }
        let mut seen = vec![false; self.near.len()];
        seen[start] = true;
        extend(&self.near, &mut seen, &mut vec![start], each);
    }

    pub fn table(&self) -> EndTable {
        let len = self.near.len();
        let mut directed = vec![vec![0; len]; len];
        for (start, row) in directed.iter_mut().enumerate() {
            self.for_each_path_from(start, &mut |path| row[path[len - 1]] += 1);
        }
        let joined = (0..len).map(|v| (0..len).map(|w| self.near[v].contains(&w)).collect()).collect();
        EndTable { directed, joined }
    }
}

/// Directed paths from each vertex to each, and which vertices are a move apart.
pub struct EndTable {
    pub directed: Vec<Vec<u64>>,
    joined: Vec<Vec<bool>>,
}

impl EndTable {
    pub fn len(&self) -> usize {
        self.directed.len()
    }

    pub fn paths_from(&self, start: usize) -> u64 {
        self.directed[start].iter().sum()
    }

    /// Whether a path with these ends could be closed; two squares are no cycle.
    pub fn is_re_entrant(&self, v: usize, w: usize) -> bool {
        self.len() > 2 && self.joined[v][w]
    }

    pub fn re_entrant_from(&self, start: usize) -> u64 {
        let ends = (0..self.len()).filter(|&end| self.is_re_entrant(start, end));
        ends.map(|end| self.directed[start][end]).sum()
    }

    pub fn open_from(&self, start: usize) -> u64 {
        self.paths_from(start) - self.re_entrant_from(start)
    }

    /// Undirected closed tours: each leaves the first square in two directions.
    pub fn closed(&self) -> u64 {
        self.re_entrant_from(0) / 2
    }

    pub fn paths(&self) -> u64 {
        self.undirected(|start| self.paths_from(start))
    }

    pub fn open(&self) -> u64 {
        self.undirected(|start| self.open_from(start))
    }

    fn undirected(&self, from: impl Fn(usize) -> u64) -> u64 {
        let directed: u64 = (0..self.len()).map(from).sum();
        if self.len() == 1 { directed } else { directed / 2 }
    }
}

#[test]
fn oracle_counts_3x4_as_by_hand() {
    // 8 tours of 3x4, 16 with both directions (OEIS A118067), none of them closed.
    let table = Oracle::from_board(&"3x4".parse().unwrap(), Leaper::KNIGHT).table();
    assert_eq!((table.closed(), table.open(), table.paths()), (0, 8, 8));
    // A ring of eight squares around the centre.
    let ring: Rectangle = "3x3".parse::<Rectangle>().unwrap().without(["b2".parse().unwrap()]).unwrap();
    let table = Oracle::from_board(&ring, Leaper::KNIGHT).table();
    assert_eq!((table.closed(), table.open(), table.paths()), (1, 0, 8));
}
