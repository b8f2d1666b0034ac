//! The request [`FindRequest`] holds the board, the goal and the limits; [`FindOutcome`] holds the result.

use crate::board::{Arena, Board, Leaper};
use crate::tour::Tour;

use super::field::Step;
use super::rule::Rule;
use super::solve::Want;
use super::theorem::{Goal, Obstacle};

/// Largest board on which a tour can be requested, in squares: 16384 x 16384. A square takes about 40 bytes.
pub const MAX_SQUARES: usize = 1 << 28;

/// A request for one tour: the goal and the effort to spend.
#[derive(Clone, Debug)]
pub struct FindRequest {
    /// The board or graph.
    pub arena: Arena,
    /// Kind of tour and its ends.
    pub want: Want,
    /// The walking rule, or [`Rule::Auto`]. Other rules need a rectangle with one leaper.
    pub rule: Rule,
    /// Order of (down, right) steps for the rules. Default: the order of
    /// [`RuleWalker::new`](super::RuleWalker::new).
    pub moves: Option<Vec<Step>>,
    /// Seed of all random choices.
    pub seed: u64,
    /// Attempts: walks by a rule, or portions of the complete search.
    pub attempts: u64,
    /// Moves that each walk may take back.
    pub backtracks: u64,
    /// Attempts to skip. Skipping gives a further tour by a rule whose first attempts are the same for every
    /// seed.
    pub skip: u64,
}

/// Result of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A tour and the method that found it.
    Found {
        /// The tour, checked.
        tour: Tour,
        /// The method that found it.
        by: Means,
    },
    /// Proof that no tour exists.
    Impossible(Obstacle),
    /// No tour was found, but one may exist.
    GaveUp {
        /// Attempts made; 0 on a board too large for a search.
        attempts: u64,
    },
    /// The control was cancelled first.
    Stopped,
}

/// Method that found a tour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Means {
    /// A walk by a rule.
    Rule {
        /// The rule.
        rule: Rule,
        /// Number of the successful attempt, from 1.
        attempt: u64,
    },
    /// The exact sweep of a narrow board.
    Strip,
    /// Tours of blocks, merged.
    Blocks,
    /// A comb or a winding path of a piece that moves by single squares.
    Comb,
    /// The complete search.
    Search,
}

impl FindRequest {
    /// Creates a request for any tour by [`Rule::Auto`]. A rectangle without a piece gets the knight.
    #[must_use]
    pub fn new(arena: impl Into<Arena>) -> Self {
        Self {
            arena: arena.into(),
            want: Want::default(),
            rule: Rule::Auto,
            moves: None,
            seed: 0,
            attempts: 1000,
            backtracks: 100,
            skip: 0,
        }
    }
}

/// A request for a tour of a rectangle with one leaper.
#[derive(Clone, Debug)]
pub(super) struct OnBoard<'a> {
    pub(super) request: &'a FindRequest,
    pub(super) board: &'a Board,
    pub(super) leaper: Leaper,
    /// The goal in squares.
    pub(super) goal: Goal,
}

impl<'a> OnBoard<'a> {
    /// Returns the rectangle form of a request, or `None` for other boards.
    pub(super) fn of(request: &'a FindRequest) -> Option<Self> {
        let rectangle = request.arena.rectangle()?;
        let (board, want) = (rectangle.board(), request.want);
        let square = |v: usize| board.square(v as u32);
        let (start, end) = (want.start.map(square), want.end.map(square));
        let goal = Goal { closed: want.closed, open: want.apart, start, end };
        Some(Self { request, board, leaper: rectangle.leaper(), goal })
    }
}
