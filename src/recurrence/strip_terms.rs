//! Numbers of tours of one kind on strips of increasing length. The numbers of closed tours and of
//! paths come from one transfer matrix each. Open tours need both: on n squares, their number is
//! the number of paths less n times the number of closed tours.
//!
//! If numbers a(n) obey a recurrence bounded by S states, n a(n) obeys one bounded by 2 S: the
//! series of n a(n) is x A', whose denominator is the square of the denominator of A. So for open
//! tours the states of closed tours count twice.

use num_bigint::BigUint;

use super::modular_arithmetic::PrimeModulus;
use super::transfer_matrix::TransferMatrix;
use crate::control::Control;
use crate::count::directed_count;
use crate::series::SeriesRules;
use crate::tour::Kind;

/// Approximate memory for one state, in bytes, while the states are explored.
const BYTES_PER_STATE: u64 = 400;

/// Maximum number of states, even if more states fit into memory.
const MAX_STATES: usize = 60_000_000;

/// Returns the number of states that fit into `memory` bytes, but at most 60 million. Without a
/// memory limit, returns the number that fits into nine tenths of the available memory.
#[must_use]
pub fn max_states_for_memory(memory: Option<u64>) -> usize {
    let memory_states =
        memory.or_else(crate::memory::default_limit_bytes).unwrap_or(u64::MAX) / BYTES_PER_STATE;
    usize::try_from(memory_states).unwrap_or(MAX_STATES).min(MAX_STATES)
}

/// The numbers of tours of one kind on strips of one width.
#[derive(Clone, Debug)]
pub struct StripTerms {
    /// Transfer matrix of paths, or of closed tours if these are counted.
    matrix: TransferMatrix,
    /// Transfer matrix of closed tours; only for open tours, whose number is computed by
    /// subtracting the re-entrant paths.
    closed_matrix: Option<TransferMatrix>,
    width: usize,
}

impl StripTerms {
    /// Computes the transfer matrices for tours of `kind` on a strip whose lines have `width`
    /// squares, with at most `max_states` states in all. For the cost, and for the cases that
    /// return `None`, see [`TransferMatrix::new`].
    #[must_use]
    pub fn new(
        rules: &SeriesRules,
        width: u16,
        kind: Kind,
        max_states: usize,
        control: &Control,
    ) -> Option<Self> {
        let matrix = TransferMatrix::new(rules, width, kind != Kind::Closed, max_states, control)?;
        let left = max_states.saturating_sub(matrix.explored_states());
        let closed = match kind {
            Kind::Open => Some(TransferMatrix::new(rules, width, false, left, control)?),
            Kind::Closed | Kind::Paths => None,
        };
        Some(Self { matrix, closed_matrix: closed, width: width.into() })
    }

    /// Returns the transfer matrix of closed tours or of paths. For open tours, returns the
    /// transfer matrix of paths and then the matrix of closed tours.
    pub fn matrices(&self) -> impl Iterator<Item = &TransferMatrix> {
        std::iter::once(&self.matrix).chain(&self.closed_matrix)
    }

    /// Returns an upper bound for the order of the recurrence that the numbers of tours obey. The
    /// bound also holds for the number of terms before the recurrence begins.
    #[must_use]
    pub fn order_bound(&self) -> usize {
        self.matrix.state_count() + self.closed_matrix.as_ref().map_or(0, |closed| 2 * closed.state_count())
    }

    /// Returns the numbers of tours modulo a prime, on boards of length 1, 2, ..
    pub fn terms_modulo(&self, modulus: PrimeModulus) -> impl Iterator<Item = u64> {
        let mut closed = self.closed_matrix.as_ref().map(|closed| closed.terms_modulo(modulus));
        self.square_counts().zip(self.matrix.terms_modulo(modulus)).map(move |(squares, number)| {
            let closed = closed.as_mut().and_then(Iterator::next).unwrap_or_default();
            modulus.sub(number, modulus.mul(closed, squares as u64))
        })
    }

    /// Returns the exact numbers of tours, on boards of length 1, 2, ..
    pub fn exact_terms(&self) -> impl Iterator<Item = BigUint> {
        let mut closed = self.closed_matrix.as_ref().map(TransferMatrix::exact_terms);
        self.square_counts().zip(self.matrix.exact_terms()).map(move |(squares, number)| {
            let closed = closed.as_mut().and_then(Iterator::next).unwrap_or_default();
            number - closed * squares
        })
    }

    /// Returns the exact numbers of tours like [`exact_terms`](Self::exact_terms), or of directed tours if
    /// `is_directed`.
    pub fn reported_terms(&self, is_directed: bool) -> impl Iterator<Item = BigUint> {
        let reported = move |(squares, number)| match is_directed {
            true => directed_count(&number, squares),
            false => number,
        };
        self.square_counts().zip(self.exact_terms()).map(reported)
    }

    /// Returns the number of squares of each board of length 1, 2, ..
    fn square_counts(&self) -> impl Iterator<Item = usize> + use<> {
        let width = self.width;
        (1..).map(move |length| length * width)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SearchOutcome, find_recurrence, primes_descending};
    use super::*;
    use crate::board::Wrap;
    use crate::count::{Request, count};
    use crate::series::BoardLine;

    #[test]
    fn open_terms_match_counts_of_single_boards() {
        for (width, wrap, piece, longest) in [
            (3, Wrap::None, "knight", 8),
            (3, Wrap::Cols, "knight", 5),
            (1, Wrap::None, "wazir", 5),
            (2, Wrap::None, "wazir", 6),
            (2, Wrap::Cols, "king", 4),
        ] {
            let rules = SeriesRules { wrap, piece: piece.parse().unwrap() };
            let terms = StripTerms::new(&rules, width, Kind::Open, 1_000_000, &Control::new()).unwrap();
            let alone = BoardLine::with_varying_rows(1, longest, width).boards().map(|board| {
                let request = Request::of_kind(rules.to_board(board), Kind::Open);
                count(&request, &Control::new()).unwrap().counts.open.unwrap()
            });
            let alone: Vec<BigUint> = alone.collect();
            assert!(
                terms.exact_terms().take(longest.into()).eq(alone.iter().cloned()),
                "{width} {wrap} {piece}"
            );
            let modulus = primes_descending().next().unwrap();
            let residues = alone.iter().map(|number| u64::try_from(number % modulus.prime()).unwrap());
            assert!(terms.terms_modulo(modulus).take(longest.into()).eq(residues), "{width} {wrap} {piece}");
        }
    }

    #[test]
    fn max_states_for_memory_has_an_upper_limit() {
        assert_eq!(
            (max_states_for_memory(Some(10_000)), max_states_for_memory(Some(u64::MAX))),
            (25, MAX_STATES)
        );
        assert!((1..=MAX_STATES).contains(&max_states_for_memory(None)));
    }

    #[test]
    fn order_bound_adds_both_matrices() {
        let rules = SeriesRules { piece: "king".parse().unwrap(), ..SeriesRules::default() };
        let terms = |kind| StripTerms::new(&rules, 3, kind, 100_000, &Control::new()).unwrap();
        let [closed, open] = [Kind::Closed, Kind::Open].map(terms);
        assert_eq!(open.order_bound(), terms(Kind::Paths).order_bound() + 2 * closed.order_bound());
        let exact: Vec<BigUint> = open.exact_terms().take(120).collect();
        let SearchOutcome::Found(found) = find_recurrence(&exact) else {
            panic!("open tours have a recurrence")
        };
        assert!(found.order() <= open.order_bound() && found.start <= open.order_bound());
        assert!(StripTerms::new(&rules, 3, Kind::Open, 10, &Control::new()).is_none());
    }
}
