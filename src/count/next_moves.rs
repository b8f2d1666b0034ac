//! Numbers of tours that begin in a given way, for each square that may come next: a [`TourTree`] of depth 1.

use num_bigint::BigUint;

use super::several_counts::estimate_counts;
use super::{BeginningError, CountError, JobEstimate, Request, TourTree};
use crate::board::{Board, Vertex};
use crate::control::Control;
use crate::tour::Kind;

/// Numbers of tours with a given beginning, by the next square.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NextMoves {
    /// Each square that a move joins to the last square of the beginning and that the beginning does not
    /// visit, in ascending order, with the number of directed tours that visit it next.
    pub squares: Vec<(Vertex, BigUint)>,
}

impl NextMoves {
    /// Counts, for each square that may come after the squares of `beginning`, the directed tours of a kind that
    /// begin so. The required and forbidden moves of the board hold too. `memory` is the memory limit of sweeps
    /// in bytes. Cost: one count for each possible next square.
    ///
    /// # Errors
    /// See [`CountError`]; [`CountError::Beginning`] if no tour can have this beginning.
    pub fn count(
        board: &Board,
        kind: Kind,
        beginning: &[Vertex],
        memory: Option<u64>,
        control: &Control,
    ) -> Result<Self, CountError> {
        let tree = TourTree::count(board, kind, beginning, 1, memory, control)?;
        Ok(Self { squares: tree.next.into_iter().map(|(v, below)| (v, below.tours)).collect() })
    }

    /// Returns the request for the number of all tours with a beginning.
    ///
    /// # Errors
    /// No tour can have this beginning.
    pub fn whole_request(board: &Board, kind: Kind, beginning: &[Vertex]) -> Result<Request, BeginningError> {
        TourTree::whole_request(board, kind, beginning)
    }

    /// Returns the estimate of all counts that [`NextMoves::count`] makes: the sum of their times, and the memory
    /// of the count that needs the most. Cost: the planning of all counts, and dry
    /// runs, of more counts if memory is short.
    ///
    /// # Errors
    /// See [`CountError`]; [`CountError::Beginning`] if no tour can have this beginning.
    pub fn estimate(
        board: &Board,
        kind: Kind,
        beginning: &[Vertex],
        memory: Option<u64>,
        control: &Control,
    ) -> Result<JobEstimate, CountError> {
        estimate_counts(TourTree::next_requests(board, kind, beginning)?, memory, control)
    }

    /// Returns the number of directed tours with this beginning.
    #[must_use]
    pub fn total(&self) -> BigUint {
        self.squares.iter().map(|(_, count)| count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::RestrictionError;

    fn next(board: &str, kind: Kind, beginning: &[&str]) -> Result<Vec<(String, u32)>, CountError> {
        let board: Board = board.parse().unwrap();
        let beginning: Vec<Vertex> = beginning.iter().map(|name| board.vertex(name).unwrap()).collect();
        let found = NextMoves::count(&board, kind, &beginning, None, &Control::new())?;
        Ok(found.squares.into_iter().map(|(v, count)| (board.name(v), count.try_into().unwrap())).collect())
    }

    #[test]
    fn numbers_add_up_to_those_of_the_beginning() {
        let of = |squares: &[(String, u32)]| squares.iter().map(|(_, count)| count).sum::<u32>();
        let first = next("5x5", Kind::Paths, &["a1"]).unwrap();
        assert_eq!(first, [("c2".to_owned(), 152), ("b3".to_owned(), 152)]);
        let second = next("5x5", Kind::Paths, &["a1", "b3"]).unwrap();
        assert_eq!((second.len(), of(&second)), (5, 152));
        let open = next("5x6", Kind::Open, &["c3", "a2"]).unwrap();
        let paths = next("5x6", Kind::Paths, &["c3", "a2"]).unwrap();
        assert!(of(&open) < of(&paths));
    }

    #[test]
    fn closed_tours_have_both_directions_from_a_single_square() {
        let first = next("6x6", Kind::Closed, &["c3"]).unwrap();
        assert_eq!(first.iter().map(|(_, count)| count).sum::<u32>(), 2 * 9862);
        let (square, number) = &first[0];
        let second = next("6x6", Kind::Closed, &["c3", square]).unwrap();
        assert_eq!(second.iter().map(|(_, count)| count).sum::<u32>(), *number);
    }

    #[test]
    fn impossible_beginnings_are_refused() {
        let error = |beginning: &[&str]| match next("3x4", Kind::Paths, beginning) {
            Err(CountError::Beginning(error)) => error,
            other => panic!("{other:?}"),
        };
        assert_eq!(error(&[]), BeginningError::Empty);
        assert_eq!(error(&["a1", "b3", "a1"]), BeginningError::Repeated("a1".to_owned()));
        assert!(matches!(error(&["a1", "a2"]), BeginningError::Restriction(RestrictionError::NotAMove(..))));
    }
}
