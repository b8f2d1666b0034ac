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

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::Signed;

use crate::board::Graph;
use crate::count::theorems::TheoremViolation;

use super::quotient::Quotient;

/// The effect of a symmetry on the direction of a tour that it maps to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Preserves the direction: it acts as a rotation of a cycle.
    Preserves,
    /// Reverses the direction: it acts as a reflection of a cycle, or reverses a path.
    Reverses,
}

impl Action {
    /// Both actions.
    pub const ALL: [Self; 2] = [Self::Preserves, Self::Reverses];
}

/// A set of walks that visit every orbit once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Walks {
    /// No walks.
    None,
    /// Cycles whose labels have an odd sum.
    Cycles,
    /// Paths between two of these orbits.
    Between(Vec<u32>),
    /// Paths from the first orbit to one of the others.
    FromOneTo(u32, Vec<u32>),
    /// Paths that begin in one of these orbits and end anywhere; a path that could begin at either end counts
    /// twice.
    FromAny(Vec<u32>),
}

impl Walks {
    /// Returns the walks that represent the closed tours of `graph` fixed by the quotient's symmetry with
    /// this action. Correct for more than 8 squares; with fewer, cycles can have less than three orbits.
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

/// Returns the number of moves that are mapped to themselves, of a closed tour that the symmetry reverses. A
/// path is re-entrant and symmetric if and only if it is such a tour without such a move.
#[must_use]
pub fn reversed_move_count(quotient: &Quotient) -> u32 {
    2u32.saturating_sub(quotient.fixed_orbits().len() as u32)
}

/// Returns the number of walks of odd sum. `total` is the number of all walks, `difference` the number of
/// walks of even sum minus the number of walks of odd sum.
///
/// # Errors
/// [`TheoremViolation`] if the two numbers contradict each other.
pub fn odd_walks(total: &BigInt, difference: &BigInt) -> Result<BigInt, TheoremViolation> {
    let (odd, rest) = (total - difference).div_rem(&BigInt::from(2));
    if rest != BigInt::ZERO || difference.abs() > *total {
        let what = format!("among {total} walks, those of even sum exceed those of odd sum by {difference}");
        return Err(TheoremViolation::new(what));
    }
    Ok(odd)
}

/// Returns true if the colours permit a square and its image to be `n/k` moves apart (or an odd multiple of
/// that).
fn colours_permit_rotation(graph: &Graph, quotient: &Quotient) -> bool {
    let Some(colour) = graph.two_colouring() else { return true };
    let distance = graph.len() / quotient.order();
    (0..graph.len()).all(|v| {
        let changes = colour[v] != colour[quotient.power_image(v as u32, 1) as usize];
        changes == (distance % 2 == 1)
    })
}
