//! The request for one tour and its result. [`FindRequest`] holds the tours, and the limits
//! of the search; [`FindOutcome`] holds the tour, a proof that none exists, or the reason why the search
//! ended.

use crate::board::{Leaper, Rectangle};
use crate::tour::{Tour, TourSpec};

use super::degree_grid::Step;
use super::obstacles::Obstacle;
use super::rule::Rule;

/// Greatest number of squares of a board on which a tour can be requested: 16384 x 16384. A square
/// takes about 40 bytes of memory.
pub const MAX_FIND_SQUARES: usize = 1 << 28;

/// Greatest number of vertices of a graph, or of a board without a construction, that is searched for a tour.
pub const MAX_SEARCH_VERTICES: usize = 1 << 18;

/// A request for one tour: the tours of which one is sought, and the effort to spend.
#[derive(Clone, Debug)]
pub struct FindRequest {
    /// The tours of which one is sought.
    pub tours: TourSpec,
    /// The walking rule, or [`Rule::AUTO`]. Other rules need a rectangle with one leaper.
    pub rule: Rule,
    /// Order of (down, right) steps for the rules. Default: the order of
    /// [`RuleWalker::new`](super::RuleWalker::new).
    pub step_order: Option<Vec<Step>>,
    /// The seed that determines all random choices.
    pub seed: u64,
    /// Number of attempts: walks by a rule, or portions of the complete search.
    pub attempts: u64,
    /// Number of moves that each walk may take back.
    pub max_backtracks: u64,
    /// Number of attempts to skip. Some rules make the same first attempts for every seed; skipping
    /// them gives another tour.
    pub skip_attempts: u64,
}

/// Result of a request for one tour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindOutcome {
    /// A tour and the method that found it.
    Found {
        /// The tour, which has been checked.
        tour: Tour,
        /// The method that found the tour.
        method: FindMethod,
    },
    /// Proof that no tour exists.
    Impossible(Obstacle),
    /// No tour was found, but one may exist.
    GaveUp {
        /// Number of attempts made; 0 if the board is too large for a search.
        attempts: u64,
    },
    /// The control was cancelled before a tour or a proof was found.
    Stopped,
}

/// Method that found a tour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FindMethod {
    /// A walk by a rule.
    Rule {
        /// The rule by which the walk was made.
        rule: Rule,
        /// Number of the successful attempt, counted from 1.
        attempt: u64,
    },
    /// The exact sweep of a narrow board.
    NarrowBoard,
    /// The construction that merges tours of blocks.
    Blocks,
    /// The construction of a comb or a winding path, for a piece that moves by single squares.
    Comb,
    /// The complete search.
    Search,
}

impl FindRequest {
    /// Creates a request for one of the tours, with the method [`Rule::AUTO`].
    #[must_use]
    pub const fn new(tours: TourSpec) -> Self {
        Self {
            tours,
            rule: Rule::AUTO,
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
}

impl<'a> RectangleRequest<'a> {
    /// Returns the request in the form for a rectangle with one leaper, or `None` for other boards.
    pub(super) fn new(request: &'a FindRequest) -> Option<Self> {
        let rectangle = request.tours.board().leaper_board()?;
        Some(Self { request, board: rectangle.rectangle(), leaper: rectangle.leaper() })
    }
}
