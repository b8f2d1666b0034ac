//! Which walks of a quotient are the symmetric tours.
//!
//! Let `s` keep a tour of `n > 2` squares: it then acts on the tour as a symmetry of
//! a cycle or a path, and it acts faithfully, because a tour visits every square.
//!
//! **A rotation of a cycle** keeps the direction of travel. No square stays where it
//! is, under no power of `s` but the identity. Squares `v` and `sv` are `j n/k` apart,
//! `j` prime to `k`, so (`n/k > 2`) no move joins them, and the tour is the lift of a
//! Hamiltonian cycle of the quotient. The lift is *one* cycle exactly if the labels
//! along it add up to a generator of `Z_k`: for `k` = 2 and 4, to an odd number.
//!
//! **A reflection of a cycle** reverses the direction, and `k = 2`. It has two fixed
//! things, opposite each other: squares, or moves `{v, sv}`. Every square that `s`
//! leaves where it is lies on the tour, so
//!
//! ```text
//! squares that stay   n      fixed things                   walk of the quotient
//! 0                   even   two moves {v, sv}, {w, sw}     between two orbits with such moves
//! 1                   odd    the square, and a move         from the square to such an orbit
//! 2                   even   the squares                    from one to the other
//! more                       none is possible
//! ```
//!
//! Folding the tour at the fixed things makes it a Hamiltonian path of the quotient,
//! whose edges may have any labels: each choice unfolds to one tour.
//!
//! **A path** has one symmetry besides the identity, which reverses it. Its middle
//! square stays (`n` odd; no other square does), or its middle move is some `{v, sv}`
//! (`n` even; no square stays). It unfolds from a Hamiltonian path of the quotient
//! that begins there and ends anywhere. No knight's move takes a square to its image
//! under a symmetry of order two of a board with two even sides (quarter turns can):
//! a half turn takes `(x, y)` to `(x', y')` with `x + x'` and `y + y'` odd, so both
//! differences are odd, while a knight's move has one even; a reflection changes one
//! coordinate only, or both by as much. So no path on such a board has any symmetry.
//!
//! **Colours.** If every move changes colour, squares an even number of moves apart
//! are of the same colour. So a rotation of order `k` needs `n/k` even if it keeps
//! colours and odd if it changes them. On boards of unequal sides this rules out half
//! turns that keep the direction wherever one side is odd and the other divisible by
//! 4, and reflections without fixed squares wherever half the number of squares is
//! even.
//!
//! Sources: Knuth, TAOCP 7.2.2.4, exercises 133 to 139; Jelliss, Knight's Tour Notes.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::Signed;

use crate::board::Graph;
use crate::count::theorems::Broken;

use super::quotient::Quotient;

/// What a symmetry does to the direction in which a tour is travelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// It acts as a rotation of a cycle.
    Keeps,
    /// It acts as a reflection of a cycle, or turns a path round.
    Reverses,
}

impl Action {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Keeps, Self::Reverses];
}

/// Walks that visit every orbit once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Walks {
    /// There are none.
    None,
    /// Cycles whose labels have an odd sum.
    Cycles,
    /// Paths between two of these orbits.
    Between(Vec<u32>),
    /// Paths from this orbit to one of those.
    From(u32, Vec<u32>),
    /// Paths that begin in one of these orbits and end anywhere; one that could begin at either end is two.
    Free(Vec<u32>),
}

impl Walks {
    /// The walks that are closed tours of `graph` which the quotient's symmetry keeps with this action.
    /// Right for more than 8 squares; fewer make cycles of less than three orbits.
    #[must_use]
    pub fn closed(graph: &Graph, quotient: &Quotient, action: Action) -> Self {
        match action {
            Action::Keeps if quotient.is_free() && colours_agree(graph, quotient) => Self::Cycles,
            Action::Keeps => Self::None,
            Action::Reverses if quotient.order() > 2 => Self::None,
            Action::Reverses => match (quotient.fixed(), quotient.loops()) {
                ([], loops) if loops.len() > 1 => Self::Between(loops.to_vec()),
                (&[square], loops) if !loops.is_empty() => Self::From(square, loops.to_vec()),
                (fixed @ [_, _], _) => Self::Between(fixed.to_vec()),
                _ => Self::None,
            },
        }
    }

    /// The walks that are paths which the quotient's symmetry turns round.
    #[must_use]
    pub fn paths(quotient: &Quotient) -> Self {
        match (quotient.fixed(), quotient.loops()) {
            _ if quotient.order() > 2 => Self::None,
            ([], loops) if !loops.is_empty() => Self::Free(loops.to_vec()),
            (&[square], _) if quotient.squares() % 2 == 1 => Self::Free(vec![square]),
            _ => Self::None,
        }
    }
}

/// How many moves of a closed tour that the symmetry reverses are mapped to themselves. A path is re-entrant
/// and symmetric exactly if it is such a tour without such a move.
#[must_use]
pub fn moves_turned(quotient: &Quotient) -> u32 {
    2u32.saturating_sub(quotient.fixed().len() as u32)
}

/// Walks of odd sum, from all and the excess of those of even sum.
///
/// # Errors
/// [`Broken`] if they cannot be what they are said to be.
pub fn halved(total: &BigInt, difference: &BigInt) -> Result<BigInt, Broken> {
    let (odd, rest) = (total - difference).div_rem(&BigInt::from(2));
    if rest != BigInt::ZERO || difference.abs() > *total {
        let what = format!("of {total} walks, those of even sum exceed the others by {difference}");
        return Err(Broken::new(what));
    }
    Ok(odd)
}

/// Whether colours allow a square and its image to be `n/k` moves apart (or an odd multiple of that).
fn colours_agree(graph: &Graph, quotient: &Quotient) -> bool {
    let Some(colour) = graph.two_colouring() else { return true };
    let apart = graph.len() / quotient.order();
    (0..graph.len()).all(|v| {
        let changes = colour[v] != colour[quotient.power(v as u32, 1) as usize];
        changes == (apart % 2 == 1)
    })
}
