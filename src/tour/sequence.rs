//! A tour as a sequence of squares that has been checked.

use std::collections::HashMap;

use crate::board::{Board, Leaper, Square};

use super::TourKind;

/// A tour of a board: every square once, each reached from the one before by a
/// move of the leaper; a closed one also returns to its first square.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tour {
    board: Board,
    leaper: Leaper,
    squares: Vec<Square>,
    kind: TourKind,
}

/// Why a sequence of squares is no tour. Moves and squares are numbered from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TourError {
    /// A square that is off the board or removed.
    #[error("square {number}, {square}, is not on the board")]
    NotOnBoard {
        /// Place in the sequence, from 1.
        number: usize,
        /// The square.
        square: Square,
    },
    /// A square visited twice.
    #[error("square {number}, {square}, was visited before, as square {before}")]
    Repeated {
        /// Place of the repeat, from 1.
        number: usize,
        /// Place of the first visit, from 1.
        before: usize,
        /// The square.
        square: Square,
    },
    /// A step that the leaper cannot make.
    #[error("move {number}, {from} to {to}, is not a move of the {leaper} leaper")]
    IllegalMove {
        /// Which move, from 1.
        number: usize,
        /// Where it starts.
        from: Square,
        /// Where it ends.
        to: Square,
        /// The piece.
        leaper: Leaper,
    },
    /// Squares left out.
    #[error("the tour has {found} of the board's {expected} squares; {missing} is the first one missing")]
    Incomplete {
        /// Squares in the sequence.
        found: usize,
        /// Squares on the board.
        expected: usize,
        /// The lowest square not visited.
        missing: Square,
    },
    /// A closed tour was wanted, but the ends are not a move apart.
    #[error("the tour is not closed: its ends {start} and {end} are not a move apart")]
    NotClosed {
        /// First square.
        start: Square,
        /// Last square.
        end: Square,
    },
}

impl Tour {
    /// Checks a sequence of squares. Its kind is [`TourKind::ReEntrant`] where the ends are a move apart
    /// (on more than two squares) and [`TourKind::Open`] otherwise. Cost O(squares).
    ///
    /// # Errors
    /// The first thing wrong, in order of the sequence.
    pub fn new(board: Board, leaper: Leaper, squares: Vec<Square>) -> Result<Self, TourError> {
        check(&board, leaper, &squares)?;
        let kind = match (squares.first(), squares.last()) {
            (Some(&first), Some(&last)) if squares.len() > 2 && leaper.joins(first, last) => {
                TourKind::ReEntrant
            }
            _ => TourKind::Open,
        };
        Ok(Self { board, leaper, squares, kind })
    }

    /// Checks a sequence of squares as a closed tour.
    ///
    /// # Errors
    /// As [`Tour::new`], and [`TourError::NotClosed`].
    pub fn new_closed(board: Board, leaper: Leaper, squares: Vec<Square>) -> Result<Self, TourError> {
        let mut tour = Self::new(board, leaper, squares)?;
        if tour.kind != TourKind::ReEntrant {
            let start = tour.squares.first().copied().unwrap_or(Square::new(0, 0));
            let end = tour.squares.last().copied().unwrap_or(start);
            return Err(TourError::NotClosed { start, end });
        }
        tour.kind = TourKind::Closed;
        Ok(tour)
    }

    /// The board it is a tour of.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The piece that walks it.
    #[must_use]
    pub const fn leaper(&self) -> Leaper {
        self.leaper
    }

    /// The squares in order of visit.
    #[must_use]
    pub fn squares(&self) -> &[Square] {
        &self.squares
    }

    /// Closed, re-entrant (a path that could be closed) or open.
    #[must_use]
    pub const fn kind(&self) -> TourKind {
        self.kind
    }
}

fn check(board: &Board, leaper: Leaper, squares: &[Square]) -> Result<(), TourError> {
    let mut visits = Visits::new(board, squares.len());
    for (i, &square) in squares.iter().enumerate() {
        let number = i + 1;
        if !board.contains(square) {
            return Err(TourError::NotOnBoard { number, square });
        }
        if let Some(before) = visits.insert(square, number) {
            return Err(TourError::Repeated { number, before, square });
        }
        if i > 0 && !leaper.joins(squares[i - 1], square) {
            return Err(TourError::IllegalMove { number: i, from: squares[i - 1], to: square, leaper });
        }
    }
    match board.squares().find(|&square| !visits.contains(square)) {
        Some(missing) => Err(TourError::Incomplete { found: squares.len(), expected: board.len(), missing }),
        None => Ok(()),
    }
}

/// The number of each square's visit. A short sequence on a huge board costs no more than the sequence.
enum Visits {
    Dense { cols: usize, numbers: Vec<u32> },
    Sparse(HashMap<Square, usize>),
}

impl Visits {
    fn new(board: &Board, expected: usize) -> Self {
        let cols = usize::from(board.cols());
        let places = usize::from(board.rows()) * cols;
        if places > expected.saturating_mul(8).max(1 << 16) {
            return Self::Sparse(HashMap::new());
        }
        Self::Dense { cols, numbers: vec![0; places] }
    }

    /// Notes the visit; the number of the one before, if there was one.
    fn insert(&mut self, square: Square, number: usize) -> Option<usize> {
        match self {
            Self::Dense { cols, numbers } => {
                let place = usize::from(square.rank()) * *cols + usize::from(square.file());
                let before = std::mem::replace(&mut numbers[place], number as u32);
                (before != 0).then_some(before as usize)
            }
            Self::Sparse(numbers) => numbers.insert(square, number),
        }
    }

    fn contains(&self, square: Square) -> bool {
        match self {
            Self::Dense { cols, numbers } => {
                numbers[usize::from(square.rank()) * *cols + usize::from(square.file())] != 0
            }
            Self::Sparse(numbers) => numbers.contains_key(&square),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squares(text: &str) -> Vec<Square> {
        text.split_whitespace().map(|s| s.parse().unwrap()).collect()
    }

    fn tour(text: &str) -> Result<Tour, TourError> {
        Tour::new(Board::new(3, 4).unwrap(), Leaper::KNIGHT, squares(text))
    }

    #[test]
    fn a_tour_of_three_by_four() {
        let tour = tour("a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2").unwrap();
        assert_eq!(tour.kind(), TourKind::Open);
    }

    #[test]
    fn the_first_fault_is_named() {
        let error = |text| tour(text).unwrap_err().to_string();
        assert_eq!(error("a1 b3 a1"), "square 3, a1, was visited before, as square 1");
        assert_eq!(error("a1 b2"), "move 1, a1 to b2, is not a move of the 1,2 leaper");
        assert_eq!(error("a1 b3 d4"), "square 3, d4, is not on the board");
        assert_eq!(error("a1 b3"), "the tour has 2 of the board's 12 squares; b1 is the first one missing");
    }

    #[test]
    fn a_ring_is_closed_and_two_squares_are_not() {
        let ring = Board::new(3, 3).unwrap().without(squares("b2")).unwrap();
        let round = squares("a1 b3 c1 a2 c3 b1 a3 c2");
        assert_eq!(
            Tour::new(ring.clone(), Leaper::KNIGHT, round.clone()).unwrap().kind(),
            TourKind::ReEntrant
        );
        assert_eq!(Tour::new_closed(ring, Leaper::KNIGHT, round).unwrap().kind(), TourKind::Closed);
        let wazir = Leaper::new(0, 1).unwrap();
        let two = Board::new(1, 2).unwrap();
        assert_eq!(Tour::new(two.clone(), wazir, squares("a1 b1")).unwrap().kind(), TourKind::Open);
        assert!(Tour::new_closed(two, wazir, squares("a1 b1")).is_err());
    }
}
