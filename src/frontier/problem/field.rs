//! A field to count on: a graph, its symmetries, and how its squares lie.
//!
//! Edges may have *factors*: a tour then counts for the product of the factors of
//! its edges, so that an edge of factor 2 stands for two parallel ones. Factors can
//! be negative. They are 1 unless told otherwise.

use std::collections::BTreeMap;

use crate::board::{Arena, Graph};

/// Factors other than 1, by edge, the lower vertex first.
pub type Factors = BTreeMap<(u32, u32), i32>;

/// The squares of a board by line and column, for one direction of sweeping.
pub type Lines = Vec<Vec<Option<usize>>>;

/// A graph with what helps to sweep it.
#[derive(Clone, Debug)]
pub struct Field {
    graph: Graph,
    factors: Factors,
    automorphisms: Vec<Vec<u32>>,
    directions: Vec<Lines>,
    /// Whether it is swept as rectangles are; see [`Field::is_familiar`].
    is_familiar: bool,
}

impl Field {
    /// An arena, with its symmetries, and line by line if it lies in the plane.
    #[must_use]
    pub fn of(arena: &Arena) -> Self {
        Self {
            graph: arena.graph().clone(),
            factors: Factors::new(),
            automorphisms: arena
                .symmetries()
                .elements()
                .iter()
                .map(|element| element.image.clone())
                .collect(),
            directions: arena.lines(),
            is_familiar: arena.rectangle().is_some(),
        }
    }

    /// Any graph, without known symmetries.
    #[must_use]
    pub fn graph(graph: Graph) -> Self {
        Self {
            graph,
            factors: Factors::new(),
            automorphisms: Vec::new(),
            directions: Vec::new(),
            is_familiar: true,
        }
    }

    /// Any graph with factors and automorphisms; those that change factors are left unused.
    ///
    /// # Panics
    /// If a factor is of no edge, or so large that two of them do not make an `i32`.
    #[must_use]
    pub fn weighted(graph: Graph, factors: Factors, automorphisms: Vec<Vec<u32>>) -> Self {
        let is_edge = |&(v, w): &(u32, u32)| v < w && graph.is_edge(v as usize, w as usize);
        assert!(factors.keys().all(is_edge), "a factor belongs to an edge");
        let fits = |factor: &i32| factor.unsigned_abs() < 1 << 15;
        assert!(factors.values().all(fits), "a factor is below 2^15");
        let factors = factors.into_iter().filter(|&(_, factor)| factor != 1).collect();
        Self { graph, factors, automorphisms, directions: Vec::new(), is_familiar: true }
    }

    /// The same board, to be swept row by row only.
    #[must_use]
    pub(in crate::frontier) fn by_rows(mut self) -> Self {
        self.directions.truncate(1);
        self
    }

    /// The graph.
    #[must_use]
    pub fn as_graph(&self) -> &Graph {
        &self.graph
    }

    /// The factors other than 1.
    #[must_use]
    pub fn factors(&self) -> &Factors {
        &self.factors
    }

    /// Automorphisms of the graph as images of the vertices.
    #[must_use]
    pub fn automorphisms(&self) -> &[Vec<u32>] {
        &self.automorphisms
    }

    /// Whether one beginning does for the search of an order, and the layers are expected to grow and shrink as on
    /// rectangles: of these, and of graphs that no arena was given for, as quotients are. Other arenas are begun in
    /// several ways, and the sizes of their layers are less certain.
    #[must_use]
    pub(in crate::frontier) fn is_familiar(&self) -> bool {
        self.is_familiar
    }

    /// The ways to sweep it line by line.
    #[must_use]
    pub(in crate::frontier) fn directions(&self) -> &[Lines] {
        &self.directions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_is_swept_along_both_sides_and_has_its_symmetries() {
        let field = Field::of(&"3x4".parse().unwrap());
        assert_eq!(field.as_graph().len(), 12);
        assert_eq!(field.automorphisms().len(), 4);
        let sides: Vec<_> = field.directions().iter().map(|lines| (lines.len(), lines[0].len())).collect();
        assert_eq!(sides, [(3, 4), (4, 3)]);
        assert_eq!(field.by_rows().directions().len(), 1);
    }

    #[test]
    fn factors_of_one_are_none() {
        let graph = Graph::from_edges(3, [(0, 1), (1, 2), (0, 2)]);
        let factors = Factors::from([((0, 1), 1), ((1, 2), -2)]);
        let field = Field::weighted(graph, factors, Vec::new());
        assert_eq!(field.factors(), &Factors::from([((1, 2), -2)]));
    }

    #[test]
    #[should_panic(expected = "a factor belongs to an edge")]
    fn a_factor_of_no_edge_is_refused() {
        let _ = Field::weighted(Graph::from_edges(3, [(0, 1)]), Factors::from([((1, 2), 2)]), Vec::new());
    }
}
