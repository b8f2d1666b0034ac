//! The graph to sweep: vertices and edges, symmetries, and the lines of its squares.
//!
//! Edges may have *factors*: a tour then counts as the product of the factors of its edges, so that an edge
//! of factor 2 stands for two parallel edges. Factors can be negative. Default: 1.

use std::collections::BTreeMap;

use crate::board::{Board, Graph};

/// Factors other than 1, by edge, the lower vertex first.
pub type Factors = BTreeMap<(u32, u32), i32>;

/// The squares of a board by line and column, for one direction of sweeping; `None` for removed squares.
pub type SweepLines = Vec<Vec<Option<usize>>>;

/// A graph with its symmetries, its factors, and the lines of a board in the plane.
#[derive(Clone, Debug)]
pub struct SweepGraph {
    graph: Graph,
    factors: Factors,
    automorphisms: Vec<Vec<u32>>,
    directions: Vec<SweepLines>,
    /// Result of [`SweepGraph::is_rectangle_like`].
    is_rectangle_like: bool,
}

impl SweepGraph {
    /// Creates the sweep graph of a board: with its symmetries, and with lines if it lies in the plane.
    #[must_use]
    pub fn from_board(board: &Board) -> Self {
        Self {
            graph: board.graph().clone(),
            factors: Factors::new(),
            automorphisms: board
                .symmetries()
                .elements()
                .iter()
                .map(|element| element.image.clone())
                .collect(),
            directions: board.line_scans(),
            is_rectangle_like: board.leaper_board().is_some(),
        }
    }

    /// Creates the sweep graph of any graph, without known symmetries.
    #[must_use]
    pub fn from_graph(graph: Graph) -> Self {
        Self {
            graph,
            factors: Factors::new(),
            automorphisms: Vec::new(),
            directions: Vec::new(),
            is_rectangle_like: true,
        }
    }

    /// Creates the sweep graph of any graph with factors and automorphisms. Automorphisms that change factors
    /// are not used.
    ///
    /// # Panics
    /// If a factor belongs to no edge, or is 2^15 or more in absolute value: the product of two factors must
    /// fit an `i32`.
    #[must_use]
    pub fn with_factors(graph: Graph, factors: Factors, automorphisms: Vec<Vec<u32>>) -> Self {
        let is_edge = |&(v, w): &(u32, u32)| v < w && graph.is_edge(v as usize, w as usize);
        assert!(factors.keys().all(is_edge), "a factor belongs to an edge");
        let fits = |factor: &i32| factor.unsigned_abs() < 1 << 15;
        assert!(factors.values().all(fits), "a factor is below 2^15");
        let factors = factors.into_iter().filter(|&(_, factor)| factor != 1).collect();
        Self { graph, factors, automorphisms, directions: Vec::new(), is_rectangle_like: true }
    }

    /// Returns the graph with the lines of one direction only: row by row.
    #[must_use]
    pub(in crate::frontier) fn rows_only(mut self) -> Self {
        self.directions.truncate(1);
        self
    }

    /// Returns the graph.
    #[must_use]
    pub fn as_graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the factors other than 1.
    #[must_use]
    pub fn factors(&self) -> &Factors {
        &self.factors
    }

    /// Returns the automorphisms of the graph, as images of the vertices.
    #[must_use]
    pub fn automorphisms(&self) -> &[Vec<u32>] {
        &self.automorphisms
    }

    /// Returns true for rectangles, and for graphs without a board, such as quotients. For these the search
    /// for an order needs one start, and the layers are expected to grow and shrink as on rectangles. Other
    /// boards need several starts, and the sizes of their layers are less certain.
    #[must_use]
    pub(in crate::frontier) fn is_rectangle_like(&self) -> bool {
        self.is_rectangle_like
    }

    /// Returns the line-by-line sequences of the squares; empty if there are no lines.
    #[must_use]
    pub(in crate::frontier) fn directions(&self) -> &[SweepLines] {
        &self.directions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_board_has_both_directions_and_all_symmetries() {
        let field = SweepGraph::from_board(&"3x4".parse().unwrap());
        assert_eq!(field.as_graph().len(), 12);
        assert_eq!(field.automorphisms().len(), 4);
        let sides: Vec<_> = field.directions().iter().map(|lines| (lines.len(), lines[0].len())).collect();
        assert_eq!(sides, [(3, 4), (4, 3)]);
        assert_eq!(field.rows_only().directions().len(), 1);
    }

    #[test]
    fn with_factors_drops_factors_of_one() {
        let graph = Graph::from_edges(3, [(0, 1), (1, 2), (0, 2)]);
        let factors = Factors::from([((0, 1), 1), ((1, 2), -2)]);
        let field = SweepGraph::with_factors(graph, factors, Vec::new());
        assert_eq!(field.factors(), &Factors::from([((1, 2), -2)]));
    }

    #[test]
    #[should_panic(expected = "a factor belongs to an edge")]
    fn with_factors_rejects_factor_of_a_non_edge() {
        let _ = SweepGraph::with_factors(
            Graph::from_edges(3, [(0, 1)]),
            Factors::from([((1, 2), 2)]),
            Vec::new(),
        );
    }
}
