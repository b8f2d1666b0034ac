//! The request [`FindRequest`] holds the board, the goal and the limits; [`FindOutcome`] holds the result.

use crate::board::{Board, Leaper, Rectangle};
use crate::tour::Tour;

use super::cycle_search::TourGoal;
use super::degree_grid::Step;
use super::obstacles::{Obstacle, SquareGoal};
use super::rule::Rule;

/// Largest board on which a tour can be requested, in squares: 16384 x 16384. A square takes about 40 bytes.
pub const MAX_FIND_SQUARES: usize = 1 << 28;

/// A request for one tour: the goal and the effort to spend.
#[derive(Clone, Debug)]
pub struct FindRequest {
    /// The board or graph.
    pub board: Board,
    /// Kind of tour and its ends.
    pub goal: TourGoal,
    /// The walking rule, or [`Rule::Auto`]. Other rules need a rectangle with one leaper.
    pub rule: Rule,
    /// Order of (down, right) steps for the rules. Default: the order of
    /// [`RuleWalker::new`](super::RuleWalker::new).
    pub step_order: Option<Vec<Step>>,
    /// Seed of all random choices.
    pub seed: u64,
    /// Attempts: walks by a rule, or portions of the complete search.
    pub attempts: u64,
    /// Moves that each walk may take back.
    pub max_backtracks: u64,
    /// Attempts to skip. Skipping gives a further tour by a rule whose first attempts are the same for every
    /// seed.
    pub skip_attempts: u64,
}

/// Result of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindOutcome {
    /// A tour and the method that found it.
    Found {
        /// The tour, checked.
        tour: Tour,
        /// The method that found it.
        method: FindMethod,
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
pub enum FindMethod {
    /// A walk by a rule.
    Rule {
        /// The rule.
        rule: Rule,
        /// Number of the successful attempt, from 1.
        attempt: u64,
    },
    /// The exact sweep of a narrow board.
    NarrowBoard,
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
    pub fn new(board: impl Into<Board>) -> Self {
        Self {
            board: board.into(),
            goal: TourGoal::default(),
            rule: Rule::Auto,
            step_order: None,
            seed: 0,
            attempts: 1000,
            max_backtracks: 100,
            skip_attempts: 0,
        }
    }
}

/// A request for a tour of a rectangle with one leaper.
#[derive(Clone, Debug)]
pub(super) struct RectangleRequest<'a> {
    pub(super) request: &'a FindRequest,
    pub(super) board: &'a Rectangle,
    pub(super) leaper: Leaper,
    /// The goal in squares.
    pub(super) goal: SquareGoal,
}

impl<'a> RectangleRequest<'a> {
    /// Returns the rectangle form of a request, or `None` for other boards.
    pub(super) fn new(request: &'a FindRequest) -> Option<Self> {
        let rectangle = request.board.leaper_board()?;
        let (board, tour_goal) = (rectangle.rectangle(), request.goal);
        let square = |v: usize| board.square(v as u32);
        let (start, end) = (tour_goal.start.map(square), tour_goal.end.map(square));
        let goal = SquareGoal { closed: tour_goal.closed, open: tour_goal.open, start, end };
        Some(Self { request, board, leaper: rectangle.leaper(), goal })
    }
}
