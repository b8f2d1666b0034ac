//! A field to count on: a graph, its symmetries, and how its squares lie.

use crate::board::{Board, Graph, Leaper, SymmetryGroup};

use super::order::Lines;

/// A graph with what helps to sweep it.
#[derive(Clone, Debug)]
pub struct Field {
    graph: Graph,
    automorphisms: Vec<Vec<u32>>,
    directions: Vec<Lines>,
}

impl Field {
    /// The moves of a leaper on a board, with the board's symmetries.
    #[must_use]
    pub fn board(board: &Board, leaper: Leaper) -> Self {
        let (rows, cols) = (usize::from(board.rows()), usize::from(board.cols()));
        let mut by_rows: Lines = vec![vec![None; cols]; rows];
        let mut by_cols: Lines = vec![vec![None; rows]; cols];
        for (v, square) in board.squares().enumerate() {
            let (file, rank) = (usize::from(square.file()), usize::from(square.rank()));
            by_rows[rank][file] = Some(v);
            by_cols[file][rank] = Some(v);
        }
        let group = SymmetryGroup::of(board);
        Self {
            graph: Graph::new(board, leaper),
            automorphisms: group.elements().iter().map(|element| element.image.clone()).collect(),
            directions: vec![by_rows, by_cols],
        }
    }

    /// Any graph, without known symmetries.
    #[must_use]
    pub fn graph(graph: Graph) -> Self {
        Self { graph, automorphisms: Vec::new(), directions: Vec::new() }
    }

    /// The same board, to be swept rank by rank only.
    #[must_use]
    pub(super) fn by_ranks(mut self) -> Self {
        self.directions.truncate(1);
        self
    }

    /// The graph.
    #[must_use]
    pub fn as_graph(&self) -> &Graph {
        &self.graph
    }

    /// Automorphisms of the graph as images of the vertices.
    #[must_use]
    pub fn automorphisms(&self) -> &[Vec<u32>] {
        &self.automorphisms
    }

    /// The ways to sweep it line by line.
    #[must_use]
    pub(super) fn directions(&self) -> &[Lines] {
        &self.directions
    }

    /// The orbits of the vertices under the known automorphisms, each ascending.
    #[must_use]
    pub(super) fn orbits(&self) -> Vec<Vec<usize>> {
        let len = self.graph.len();
        let mut seen = vec![false; len];
        let mut orbits = Vec::new();
        for v in 0..len {
            if seen[v] {
                continue;
            }
            let mut orbit: Vec<usize> = self.automorphisms.iter().map(|image| image[v] as usize).collect();
            orbit.push(v);
            orbit.sort_unstable();
            orbit.dedup();
            orbit.iter().for_each(|&w| seen[w] = true);
            orbits.push(orbit);
        }
        orbits
    }
}
