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
//!
//! # Which walks of a quotient are the symmetric tours
//!
//! Let `s` map a tour of `n > 2` squares to itself. It then acts on the tour as a symmetry of a cycle or a
//! path, and it acts faithfully, because a tour visits every square.
//!
//! **A rotation of a cycle** preserves the direction of travel. No power of `s` except the identity fixes a
//! square. Squares `v` and `sv` are `j n/k` apart, `j` prime to `k`, so (`n/k > 2`) no move joins them, and
//! the tour is the lift of a Hamiltonian cycle of the quotient. The lift is *one* cycle if and only if the
//! labels along it add up to a generator of `Z_k`: for `k` = 2 and 4, to an odd number.
//!
//! **A reflection of a cycle** reverses the direction, and `k = 2`. It fixes two squares or moves `{v, sv}`
//! of the cycle, opposite each other. Every square that `s` fixes lies on the tour, so
//!
//! ```text
//! fixed squares   n      fixed elements of the cycle    walk of the quotient
//! 0               even   two moves {v, sv}, {w, sw}     between two orbits with such moves
//! 1               odd    the square, and a move         from the square to such an orbit
//! 2               even   the squares                    from one to the other
//! more                   impossible
//! ```
//!
//! Folding the tour at the fixed squares and moves makes it a Hamiltonian path of the quotient, whose edges
//! may have any labels: each choice of labels lifts to one tour.
//!
//! **A path** has at most one symmetry apart from the identity, which reverses it. Its middle square is fixed
//! (`n` odd; no other square is), or its middle move is some `{v, sv}` (`n` even; no square is fixed). It is
//! the lift of a Hamiltonian path of the quotient that begins there and ends anywhere. No knight's move takes
//! a square to its image under a symmetry of order two of a board with two even sides (quarter turns can): a
//! half turn takes `(x, y)` to `(x', y')` with `x + x'` and `y + y'` odd, so both differences are odd, while
//! a knight's move has one even difference; a reflection changes one coordinate only, or both by equal
//! amounts. So no path on such a board has any symmetry.
//!
//! **Colours.** If every move changes colour, squares an even number of moves apart have equal colours. So a
//! rotation of order `k` needs `n/k` even if it preserves colours and odd if it changes them. On boards of
//! unequal sides this excludes half turns that preserve the direction if one side is odd and the other
//! divisible by 4, and reflections without fixed squares if half the number of squares is even.
//!
//! Sources: Knuth, TAOCP 7.2.2.4, exercises 133 to 139; Jelliss, Knight's Tour Notes.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::Signed;

use crate::board::{Graph, PermutationCycles};
use crate::count::theorems::TheoremViolation;
use crate::frontier::Factors;
use crate::tour::Action;

/// The quotient of a graph by one of its symmetries: the graph of the orbits, with labelled edges.
#[derive(Clone, Debug)]
pub struct Quotient {
    image: Vec<u32>,
    order: usize,
    orbits: Vec<Vec<u32>>,
    graph: Graph,
    /// For each edge, with the lower orbit first, the set of its labels as seen from the lower
    /// orbit: bit `l` stands for label `l`.
    labels: BTreeMap<(u32, u32), u8>,
    fixed_orbits: Vec<u32>,
    looped_orbits: Vec<u32>,
}

impl Quotient {
    /// Creates the quotient of `graph` by the automorphism that maps vertex `v` to `image[v]`.
    ///
    /// # Panics
    /// Panics if the automorphism is the identity or has an order above 8.
    #[must_use]
    pub fn new(graph: &Graph, image: &[u32]) -> Self {
        let PermutationCycles { cycles: orbits, positions } = PermutationCycles::new(image);
        // The orbit sizes of a board's symmetry divide the greatest of them.
        let order = orbits.iter().map(Vec::len).max().unwrap_or(1);
        assert!((2..=8).contains(&order), "quotients require a symmetry of order 2 to 8, not {order}");
        let mut labels = BTreeMap::new();
        let mut loops = Vec::new();
        for (a, orbit) in (0..).zip(&orbits) {
            for &w in graph.neighbours(orbit[0] as usize) {
                let (b, l) = positions[w as usize];
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

    /// Returns the graph of the orbits. Parallel edges are one edge, and no orbit is joined to
    /// itself.
    #[must_use]
    pub const fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the squares of the orbit `a` in the order `r, sr, ssr, ...`
    #[must_use]
    pub fn orbit(&self, a: u32) -> &[u32] {
        &self.orbits[a as usize]
    }

    /// Returns the orbits that consist of one square.
    #[must_use]
    pub fn fixed_orbits(&self) -> &[u32] {
        &self.fixed_orbits
    }

    /// Returns the orbits that contain two squares a move apart.
    #[must_use]
    pub fn looped_orbits(&self) -> &[u32] {
        &self.looped_orbits
    }

    /// Returns true if the identity is the only power of the symmetry that fixes a square.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.orbits.iter().all(|orbit| orbit.len() == self.order)
    }

    /// Returns the labels of the edges between two neighbouring orbits, as seen from the orbit `a`.
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

    /// Returns the number of parallel edges between two neighbouring orbits.
    #[must_use]
    pub fn multiplicity(&self, a: u32, b: u32) -> i32 {
        self.labels(a, b).count() as i32
    }

    /// Returns, for two neighbouring orbits, the number of edges between them with an even label
    /// minus the number of edges with an odd label.
    #[must_use]
    pub fn parity_excess(&self, a: u32, b: u32) -> i32 {
        self.labels(a, b).map(|l| if l % 2 == 0 { 1 } else { -1 }).sum()
    }

    /// Returns a factor for each pair of neighbouring orbits, computed by `factor`.
    #[must_use]
    pub fn edge_factors(&self, factor: impl Fn(u32, u32) -> i32) -> Factors {
        self.labels.keys().map(|&(a, b)| ((a, b), factor(a, b))).collect()
    }
}

/// A set of walks in a quotient, each of which visits every orbit once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Walks {
    /// The empty set.
    None,
    /// Cycles whose labels have an odd sum.
    Cycles,
    /// Paths between two of the listed orbits.
    Between(Vec<u32>),
    /// Paths from the one orbit to one of the listed orbits.
    FromOneTo(u32, Vec<u32>),
    /// Paths that begin in one of the listed orbits and end anywhere. A path that could begin at
    /// either end counts twice.
    FromAny(Vec<u32>),
}

impl Walks {
    /// Returns the walks that represent the closed tours of `graph` that the quotient's symmetry
    /// fixes with this effect on their direction. The graph must have more than 8 vertices: with
    /// fewer, cycles of the quotient can have fewer than three orbits.
    #[must_use]
    pub fn for_closed_tours(graph: &Graph, quotient: &Quotient, action: Action) -> Self {
        match action {
            Action::Preserves if quotient.is_free() && colours_permit_rotation(graph, quotient) => {
                Self::Cycles
            }
            Action::Preserves => Self::None,
            Action::Reverses if quotient.order() > 2 => Self::None,
            Action::Reverses => match (quotient.fixed_orbits(), quotient.looped_orbits()) {
                ([], loops) if loops.len() > 1 => Self::Between(loops.to_vec()),
                (&[square], loops) if !loops.is_empty() => Self::FromOneTo(square, loops.to_vec()),
                (fixed @ [_, _], _) => Self::Between(fixed.to_vec()),
                _ => Self::None,
            },
        }
    }

    /// Returns the walks that represent the paths reversed by the quotient's symmetry.
    #[must_use]
    pub fn for_paths(quotient: &Quotient) -> Self {
        match (quotient.fixed_orbits(), quotient.looped_orbits()) {
            _ if quotient.order() > 2 => Self::None,
            ([], loops) if !loops.is_empty() => Self::FromAny(loops.to_vec()),
            (&[square], _) if quotient.square_count() % 2 == 1 => Self::FromAny(vec![square]),
            _ => Self::None,
        }
    }
}

/// Returns the number of moves that the symmetry maps to themselves, for a closed tour whose
/// direction it reverses. Every re-entrant path that is symmetric is such a closed tour without one
/// of these moves.
#[must_use]
pub fn reversed_move_count(quotient: &Quotient) -> u32 {
    2u32.saturating_sub(quotient.fixed_orbits().len() as u32)
}

/// Returns the number of walks whose labels have an odd sum. `total` is the number of all walks,
/// `difference` the number of walks of even sum minus the number of walks of odd sum.
///
/// # Errors
/// [`TheoremViolation`] if the two numbers contradict each other.
pub fn odd_walks(total: &BigInt, difference: &BigInt) -> Result<BigInt, TheoremViolation> {
    let (odd, remainder) = (total - difference).div_rem(&BigInt::from(2));
    if remainder != BigInt::ZERO || difference.abs() > *total {
        let what = format!("among {total} walks, those of even sum exceed those of odd sum by {difference}");
        return Err(TheoremViolation::new(what));
    }
    Ok(odd)
}

/// Returns true if the colours of the squares permit a closed tour that the symmetry rotates: a
/// square and its image must be able to be `n/k` moves apart, or an odd multiple of `n/k`.
fn colours_permit_rotation(graph: &Graph, quotient: &Quotient) -> bool {
    let Some(colour) = graph.two_colouring() else { return true };
    let distance = graph.len() / quotient.order();
    (0..graph.len()).all(|v| {
        let changes = colour[v] != colour[quotient.power_image(v as u32, 1) as usize];
        changes == (distance % 2 == 1)
    })
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
