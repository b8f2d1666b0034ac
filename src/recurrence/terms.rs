//! Numbers of tours on strips of increasing length, by kind. Closed tours and paths come from one transfer
//! matrix each, open tours from both: on n squares, their number is that of paths less n times that of closed
//! tours.
//!
//! If numbers a(n) obey a recurrence bounded by S states, n a(n) obeys one bounded by 2 S: the series of n
//! a(n) is x A', whose denominator is the square of the denominator of A. So for open tours the states of
//! closed tours count twice.

use num_bigint::BigUint;

use super::modular::Modulus;
use super::transfer::Transfer;
use crate::control::Control;
use crate::series::Play;
use crate::tour::Kind;

/// Approximate memory for one state during the exploration, in bytes.
const STATE_BYTES: u64 = 400;

/// Maximum number of states, regardless of memory.
const MOST_STATES: usize = 60_000_000;

/// Returns the number of states that fit into `memory` bytes; without a limit, into nine tenths of the
/// available memory.
#[must_use]
pub fn most_states(memory: Option<u64>) -> usize {
    let room = memory.or_else(crate::memory::ceiling).unwrap_or(u64::MAX) / STATE_BYTES;
    usize::try_from(room).unwrap_or(MOST_STATES).min(MOST_STATES)
}

/// The numbers of tours of one kind on strips of one width.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Transfer matrix of closed tours, or of paths.
    of: Transfer,
    /// Transfer matrix of closed tours, for open tours only: each closed tour gives re-entrant paths to
    /// subtract.
    closed: Option<Transfer>,
    width: usize,
}

impl Terms {
    /// Computes the transfer matrices for tours of `kind` on lines of `width` squares, with at most
    /// `max_states` states in all. `None` and cost as for [`TransferMatrix::new`].
    #[must_use]
    pub fn new(play: &Play, width: u16, kind: Kind, most: usize, control: &Control) -> Option<Self> {
        let of = Transfer::new(play, width, kind != Kind::Closed, most, control)?;
        let left = most.saturating_sub(of.explored());
        let closed = match kind {
            Kind::Open => Some(Transfer::new(play, width, false, left, control)?),
            Kind::Closed | Kind::Paths => None,
        };
        Some(Self { of, closed, width: width.into() })
    }

    /// Returns the transfer matrix of closed tours or of paths, and for open tours that of closed tours as
    /// the second.
    pub fn matrices(&self) -> impl Iterator<Item = &Transfer> {
        std::iter::once(&self.of).chain(&self.closed)
    }

    /// Returns a bound on the order of the recurrence, and on the number of terms before it begins.
    #[must_use]
    pub fn states(&self) -> usize {
        self.of.states() + self.closed.as_ref().map_or(0, |closed| 2 * closed.states())
    }

    /// Returns the numbers of tours modulo a prime, for lengths 1, 2, ..
    pub fn modular(&self, modulus: Modulus) -> impl Iterator<Item = u64> {
        let mut closed = self.closed.as_ref().map(|closed| closed.modular(modulus));
        self.squares().zip(self.of.modular(modulus)).map(move |(squares, number)| {
            let closed = closed.as_mut().and_then(Iterator::next).unwrap_or_default();
            modulus.sub(number, modulus.mul(closed, squares as u64))
        })
    }

    /// Returns the numbers of tours, for lengths 1, 2, ..
    pub fn exact(&self) -> impl Iterator<Item = BigUint> {
        let mut closed = self.closed.as_ref().map(Transfer::exact);
        self.squares().zip(self.of.exact()).map(move |(squares, number)| {
            let closed = closed.as_mut().and_then(Iterator::next).unwrap_or_default();
            number - closed * squares
        })
    }

    /// Returns the numbers of squares of the boards of length 1, 2, ..
    fn squares(&self) -> impl Iterator<Item = usize> + use<> {
        let width = self.width;
        (1..).map(move |length| length * width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Wrap;
    use crate::count::{Request, count};
    use crate::recurrence::{Finding, find, primes};
    use crate::series::Line;

    #[test]
    fn open_tours_are_paths_less_those_that_are_re_entrant() {
        for (width, wrap, piece, longest) in [
            (3, Wrap::None, "knight", 8),
            (3, Wrap::Cols, "knight", 5),
            (1, Wrap::None, "wazir", 5),
            (2, Wrap::None, "wazir", 6),
            (2, Wrap::Cols, "king", 4),
        ] {
            let play = Play { wrap, piece: piece.parse().unwrap() };
            let terms = Terms::new(&play, width, Kind::Open, 1_000_000, &Control::new()).unwrap();
            let alone = Line::of_rows(1, longest, width).boards().map(|board| {
                let request = Request { kind: Some(Kind::Open), ..Request::new(play.on(board)) };
                count(&request, &Control::new()).unwrap().counts.open.unwrap()
            });
            let alone: Vec<BigUint> = alone.collect();
            assert!(terms.exact().take(longest.into()).eq(alone.iter().cloned()), "{width} {wrap} {piece}");
            let modulus = primes().next().unwrap();
            let residues = alone.iter().map(|number| u64::try_from(number % modulus.prime()).unwrap());
            assert!(terms.modular(modulus).take(longest.into()).eq(residues), "{width} {wrap} {piece}");
        }
    }

    #[test]
    fn states_are_as_many_as_there_is_room_for_up_to_a_limit() {
        assert_eq!((most_states(Some(10_000)), most_states(Some(u64::MAX))), (25, MOST_STATES));
        assert!((1..=MOST_STATES).contains(&most_states(None)));
    }

    #[test]
    fn the_states_of_both_matrices_bound_the_order() {
        let play = Play { piece: "king".parse().unwrap(), ..Play::default() };
        let terms = |kind| Terms::new(&play, 3, kind, 100_000, &Control::new()).unwrap();
        let [closed, open] = [Kind::Closed, Kind::Open].map(terms);
        assert_eq!(open.states(), terms(Kind::Paths).states() + 2 * closed.states());
        let exact: Vec<BigUint> = open.exact().take(120).collect();
        let Finding::Found(found) = find(&exact) else { panic!("open tours have a recurrence") };
        assert!(found.order() <= open.states() && found.from <= open.states());
        assert!(Terms::new(&play, 3, Kind::Open, 10, &Control::new()).is_none());
    }
}
