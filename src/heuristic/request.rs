//! What is asked of [`super::find()`], and what it answers.

use crate::board::{Arena, Board, Leaper};
use crate::tour::Tour;

use super::field::Step;
use super::rule::Rule;
use super::solve::Want;
use super::theorem::{Goal, Obstacle};

/// The most squares of a board on which tours are looked for: 16384 x 16384. A square takes about 40 bytes.
pub const MAX_SQUARES: usize = 1 << 28;

/// What to look for and how hard.
#[derive(Clone, Debug)]
pub struct FindRequest {
    /// Where.
    pub arena: Arena,
    /// Kind of tour and its ends.
    pub want: Want,
    /// How to look. Rules walk on rectangles of one leaper.
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
        /// Attempts made: none on a board that is too large for a search.
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
    /// A request for any tour by [`Rule::Auto`], of a board by itself the knight's.
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

/// A request for a tour of a rectangle.
#[derive(Clone, Debug)]
pub(super) struct OnBoard<'a> {
    pub(super) request: &'a FindRequest,
    pub(super) board: &'a Board,
    pub(super) leaper: Leaper,
    /// What is wanted, by squares.
    pub(super) goal: Goal,
}

impl<'a> OnBoard<'a> {
    /// The request, if it is one of a rectangle.
    pub(super) fn of(request: &'a FindRequest) -> Option<Self> {
        let rectangle = request.arena.rectangle()?;
        let (board, want) = (rectangle.board(), request.want);
        let square = |v: usize| board.square(v as u32);
        let (start, end) = (want.start.map(square), want.end.map(square));
        let goal = Goal { closed: want.closed, open: want.apart, start, end };
        Some(Self { request, board, leaper: rectangle.leaper(), goal })
    }
}
