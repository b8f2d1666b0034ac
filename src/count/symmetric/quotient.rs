//! The quotient of a graph by one of its symmetries, and the walks of the quotient that are symmetric tours.
//!
//! A symmetry `s` of order `k` divides the squares into orbits `r, sr, ssr, ...`. The quotient has a vertex
//! for every orbit. Between two orbits there is an edge for every *label* `l` with `r_a ~ s^l r_b`: parallel
//! edges have different labels, and each of them stands for the `k` moves `s^i r_a ~ s^(i+l) r_b`.
//!
//! ```text
//! half turn, k = 2      a ----0---- b      r_a ~ r_b   and  s r_a ~ s r_b
//!                       a ----1---- b      r_a ~ s r_b and  s r_a ~ r_b
//! ```
//!
//! An orbit can be joined to itself, if a square is a move away from one of its images, and it can be a
//! single fixed square. A tour that the symmetry reverses needs one or the other: see
//! [`Walks`].
//!
//! Cost O(squares x moves x k).

use std::collections::BTreeMap;

use crate::board::Graph;
use crate::frontier::Factors;

/// A graph divided by a symmetry.
#[derive(Clone, Debug)]
pub struct Quotient {
    image: Vec<u32>,
    order: usize,
    orbits: Vec<Vec<u32>>,
    graph: Graph,
    /// Labels by edge, the lower orbit first: bit `l` stands for label `l`, seen from the lower orbit.
    labels: BTreeMap<(u32, u32), u8>,
    fixed_orbits: Vec<u32>,
    looped_orbits: Vec<u32>,
}

impl Quotient {
    /// Creates the quotient by the automorphism that maps vertex `v` to `image[v]`.
    ///
    /// # Panics
    /// Panics if the automorphism is the identity or has an order above 8.
    #[must_use]
    pub fn new(graph: &Graph, image: &[u32]) -> Self {
        let len = graph.len();
        let mut orbits: Vec<Vec<u32>> = Vec::new();
        let mut orbit_position = vec![(u32::MAX, 0); len];
        for v in 0..len {
            if orbit_position[v].0 != u32::MAX {
                continue;
            }
            let mut orbit = Vec::new();
            let mut w = v;
            while orbit_position[w].0 == u32::MAX {
                orbit_position[w] = (orbits.len() as u32, orbit.len());
                orbit.push(w as u32);
                w = image[w] as usize;
            }
            orbits.push(orbit);
        }
        // The orbit sizes of a board's symmetry divide the greatest of them.
        let order = orbits.iter().map(Vec::len).max().unwrap_or(1);
        assert!((2..=8).contains(&order), "quotients require a symmetry of order 2 to 8, not {order}");
        let mut labels = BTreeMap::new();
        let mut loops = Vec::new();
        for (a, orbit) in (0..).zip(&orbits) {
            for &w in graph.neighbours(orbit[0] as usize) {
                let (b, l) = orbit_position[w as usize];
                if b == a && !loops.contains(&a) {
                    loops.push(a);
                }
                if b > a {
                    // A fixed square is joined to all images of its neighbour; one label represents them.
                    let l = if orbit.len() == 1 { 0 } else { l };
                    *labels.entry((a, b)).or_insert(0u8) |= 1 << l;
                }
            }
        }
        let fixed: Vec<u32> =
            (0..).zip(&orbits).filter(|(_, orbit)| orbit.len() == 1).map(|(a, _)| a).collect();
        // Seen from the other orbit, a fixed square has one label as well.
        for (&(_, b), set) in &mut labels {
            if fixed.contains(&b) {
                *set = 1;
            }
        }
        let edges = labels.keys().map(|&(a, b)| (a as usize, b as usize));
        let graph = Graph::from_edges(orbits.len(), edges);
        Self {
            image: image.to_vec(),
            order,
            orbits,
            graph,
            labels,
            fixed_orbits: fixed,
            looped_orbits: loops,
        }
    }

    /// Returns the order of the symmetry.
    #[must_use]
    pub const fn order(&self) -> usize {
        self.order
    }

    /// Returns the number of squares of the board.
    #[must_use]
    pub const fn square_count(&self) -> usize {
        self.image.len()
    }

    /// Returns the graph of the orbits, with one edge for parallel edges and no edge from an orbit to itself.
    #[must_use]
    pub const fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the squares of an orbit: `r, sr, ssr, ...`
    #[must_use]
    pub fn orbit(&self, a: u32) -> &[u32] {
        &self.orbits[a as usize]
    }

    /// Returns the orbits of one square.
    #[must_use]
    pub fn fixed_orbits(&self) -> &[u32] {
        &self.fixed_orbits
    }

    /// Returns the orbits of several squares some of which are a move apart.
    #[must_use]
    pub fn looped_orbits(&self) -> &[u32] {
        &self.looped_orbits
    }

    /// Returns true if the identity is the only power of the symmetry that fixes a square.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.orbits.iter().all(|orbit| orbit.len() == self.order)
    }

    /// Returns the labels between two neighbouring orbits, seen from the first.
    pub fn labels(&self, a: u32, b: u32) -> impl Iterator<Item = usize> + '_ {
        let set = self.labels[&(a.min(b), a.max(b))];
        let is_reversed = a > b;
        let order = self.order;
        (0..order)
            .filter(move |l| set >> l & 1 == 1)
            .map(move |l| if is_reversed { (order - l) % order } else { l })
    }

    /// Returns the image of a square under the `i`-th power of the symmetry.
    #[must_use]
    pub fn power_image(&self, v: u32, i: usize) -> u32 {
        (0..i % self.order).fold(v, |v, _| self.image[v as usize])
    }

    /// Returns the number of edges between two neighbouring orbits.
    #[must_use]
    pub fn multiplicity(&self, a: u32, b: u32) -> i32 {
        self.labels(a, b).count() as i32
    }

    /// Returns the number of edges with an even label between two neighbouring orbits, minus the number of
    /// those with an odd label.
    #[must_use]
    pub fn parity_excess(&self, a: u32, b: u32) -> i32 {
        self.labels(a, b).map(|l| if l % 2 == 0 { 1 } else { -1 }).sum()
    }

    /// Returns a factor for every edge.
    #[must_use]
    pub fn edge_factors(&self, factor: impl Fn(u32, u32) -> i32) -> Factors {
        self.labels.keys().map(|&(a, b)| ((a, b), factor(a, b))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Leaper, Rectangle, Symmetry, SymmetryGroup};

    fn quotient(board: &str, symmetry: Symmetry) -> Quotient {
        let board: Rectangle = board.parse().unwrap();
        let group = SymmetryGroup::from_rectangle(&board);
        let element = group.element_named(symmetry).unwrap();
        Quotient::new(&Graph::from_leaper(&board, Leaper::KNIGHT), &element.image)
    }

    #[test]
    fn quotient_of_chessboard_agrees_with_knuth() {
        // Knuth, TAOCP 7.2.2.4: 32 vertices, 76 single and 4 double edges.
        let quotient = quotient("8x8", Symmetry::Rotate180);
        let many: Vec<i32> =
            quotient.edge_factors(|a, b| quotient.multiplicity(a, b)).into_values().collect();
        assert_eq!(quotient.graph().len(), 32);
        assert_eq!(many.iter().filter(|&&m| m == 1).count(), 76);
        assert_eq!(many.iter().filter(|&&m| m == 2).count(), 4);
        assert!(quotient.is_free() && quotient.looped_orbits().is_empty());
    }

    #[test]
    fn labels_correspond_to_moves() {
        let board: Rectangle = "6x6".parse().unwrap();
        let graph = Graph::from_leaper(&board, Leaper::KNIGHT);
        for symmetry in [Symmetry::Rotate90, Symmetry::Rotate180, Symmetry::FlipHorizontal] {
            let quotient = quotient("6x6", symmetry);
            for a in 0..quotient.graph().len() as u32 {
                for &b in quotient.graph().neighbours(a as usize) {
                    for l in quotient.labels(a, b) {
                        let (v, w) = (quotient.orbit(a)[0], quotient.power_image(quotient.orbit(b)[0], l));
                        assert!(graph.is_edge(v as usize, w as usize), "{symmetry:?} {a}-{b} {l}");
                    }
                }
            }
        }
    }

    #[test]
    fn half_turn_of_odd_board_fixes_centre() {
        let quotient = quotient("5x5", Symmetry::Rotate180);
        assert_eq!((quotient.fixed_orbits().len(), quotient.graph().len()), (1, 13));
        assert!(!quotient.is_free());
        let centre = quotient.fixed_orbits()[0];
        assert!(
            quotient
                .graph()
                .neighbours(centre as usize)
                .iter()
                .all(|&a| quotient.multiplicity(centre, a) == 1)
        );
    }
}
