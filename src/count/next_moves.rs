//! Numbers of tours that begin in a given way, for each square that may come next.
//!
//! The moves of the beginning and the next move are required moves of the counts. A path that starts at the
//! first square and contains the moves has no choice but to make them in order. A closed tour contains them in
//! one direction only, so closed tours are counted without a start.

use num_bigint::BigUint;

use super::request::Request;
use super::{BeginningError, CountError, count_with_memory};
use crate::board::{Board, RestrictionError, Vertex};
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
        let candidates = Self::candidates(board, beginning)?;
        let mut squares = Vec::with_capacity(candidates.len());
        control.begin_rounds(candidates.len());
        for next in candidates {
            let count = match with_beginning(board, beginning.iter().copied().chain([next])) {
                // The next move is impossible together with the other required or forbidden moves.
                Err(_) => BigUint::ZERO,
                Ok(board) => {
                    let request = Self::request(board, kind, beginning);
                    let counts = count_with_memory(&request, memory, &control.for_side_task())?.counts;
                    counts.get(kind).expect("this kind was requested").clone()
                }
            };
            squares.push((next, count));
            control.finish_round();
        }
        Ok(Self { squares })
    }

    /// Returns the request for the number of all tours with a beginning, whose cost bounds that of each count.
    ///
    /// # Errors
    /// No tour can have this beginning.
    pub fn whole_request(board: &Board, kind: Kind, beginning: &[Vertex]) -> Result<Request, BeginningError> {
        Self::candidates(board, beginning)?;
        let board = with_beginning(board, beginning.iter().copied())?;
        Ok(Self::request(board, kind, beginning))
    }

    fn request(board: Board, kind: Kind, beginning: &[Vertex]) -> Request {
        let start = (kind != Kind::Closed).then_some(beginning[0]);
        Request { kind: Some(kind), start, ..Request::new(board) }
    }

    /// Returns the squares that may come next, in ascending order, after checking the beginning.
    fn candidates(board: &Board, beginning: &[Vertex]) -> Result<Vec<Vertex>, BeginningError> {
        let Some(&last) = beginning.last() else { return Err(BeginningError::Empty) };
        if let Some((_, &v)) = beginning.iter().enumerate().find(|&(at, v)| beginning[..at].contains(v)) {
            return Err(BeginningError::Repeated(board.name(v)));
        }
        if beginning.len() == board.len() {
            return Err(BeginningError::Complete);
        }
        with_beginning(board, beginning.iter().copied())?;
        let neighbours = board.unrestricted().graph().neighbours(last as usize);
        Ok(neighbours.iter().copied().filter(|v| !beginning.contains(v)).collect())
    }

    /// Returns the number of directed tours with this beginning.
    #[must_use]
    pub fn total(&self) -> BigUint {
        self.squares.iter().map(|(_, count)| count).sum()
    }
}

/// Returns the board on which the moves between successive `squares` are required too.
fn with_beginning(
    board: &Board,
    squares: impl Iterator<Item = Vertex> + Clone,
) -> Result<Board, RestrictionError> {
    let moves = squares.clone().zip(squares.skip(1));
    let required = board.required_moves().iter().copied().chain(moves);
    board.with_restrictions(required, board.forbidden_moves().iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

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
