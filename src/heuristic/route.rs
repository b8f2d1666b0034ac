//! What is asked of one walk: where it shall go, and what is left to chance.

use crate::board::Square;

/// Where a walk shall go and how.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// First square.
    pub start: Square,
    /// Last square, kept free until then.
    pub end: Option<Square>,
    /// The last square must be a move away from the first.
    pub closed: bool,
    /// The last square must not be a move away from the first.
    pub apart: bool,
    /// Moves that may be taken back.
    pub backtracks: u64,
    /// What is left to chance.
    pub chance: Chance,
    /// For the Squirrel-Cull rule: which orders to use, 0 the table, others the single orders.
    pub turn: u64,
}

/// What a walk leaves to chance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chance {
    /// Nothing: ties that the rule leaves go by the order of moves.
    #[default]
    Nothing,
    /// Ties that the rule leaves.
    Ties,
    /// Those, and one in `STRAY` of the rule's own decisions among tied squares, for boards on which the rule
    /// runs into the same dead end for ever.
    Stray,
}

/// A straying walk breaks one tie in so many at random, not by its rule.
pub const STRAY: usize = 8;
