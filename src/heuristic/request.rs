//! What is asked of [`super::find()`], and what it answers.

use crate::board::{Board, Leaper};
use crate::tour::Tour;

use super::field::Step;
use super::rule::Rule;
use super::theorem::{Goal, Obstacle};

/// The most squares of a board on which tours are looked for: 16384 x 16384. A square takes about 40 bytes.
pub const MAX_SQUARES: usize = 1 << 28;

/// What to look for and how hard.
#[derive(Clone, Debug)]
pub struct FindRequest {
    /// The board.
    pub board: Board,
    /// The piece.
    pub leaper: Leaper,
    /// Kind of tour and its ends.
    pub goal: Goal,
    /// How to look.
    pub rule: Rule,
    /// Order of (down, right) steps for the rules; the usual one without.
    pub moves: Option<Vec<Step>>,
    /// All chance comes from here.
    pub seed: u64,
    /// Walks by a rule, or portions of the complete search.
    pub attempts: u64,
    /// Moves each walk may take back.
    pub backtracks: u64,
    /// Attempts to leave out, for a further tour by a rule whose first attempts are always the same.
    pub skip: u64,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A tour, and how it was come by.
    Found {
        /// The tour, checked.
        tour: Tour,
        /// By which means.
        by: Means,
    },
    /// There is none.
    Impossible(Obstacle),
    /// Nothing was found; there may be one.
    GaveUp {
        /// Attempts made.
        attempts: u64,
    },
    /// The control was cancelled first.
    Stopped,
}

/// What found a tour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Means {
    /// A walk by a rule, in the given attempt.
    Rule {
        /// The rule.
        rule: Rule,
        /// Which attempt, from 1.
        attempt: u64,
    },
    /// The exact sweep of a narrow board.
    Strip,
    /// Blocks, merged.
    Blocks,
    /// A comb or a winding path of a piece that moves by single squares.
    Comb,
    /// The complete search.
    Search,
}

impl FindRequest {
    /// A request for any tour of the knight by [`Rule::Auto`].
    #[must_use]
    pub fn new(board: Board) -> Self {
        Self {
            board,
            leaper: Leaper::KNIGHT,
            goal: Goal::default(),
            rule: Rule::Auto,
            moves: None,
            seed: 0,
            attempts: 1000,
            backtracks: 100,
            skip: 0,
        }
    }
}
