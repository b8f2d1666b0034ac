//! [`WalkRequest`] holds the goal and the random choices of one walk.

use crate::board::Square;

/// Request for one walk.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// First square.
    pub start: Square,
    /// Last square; it stays free until then.
    pub end: Option<Square>,
    /// The last square must be a move away from the first.
    pub closed: bool,
    /// The last square must not be a move away from the first.
    pub apart: bool,
    /// Moves that may be taken back.
    pub backtracks: u64,
    /// Which choices are random.
    pub chance: Chance,
    /// Attempt number, used by the Squirrel-Cull rule: 0 selects the published table, other numbers select
    /// single orders.
    pub turn: u64,
}

/// Random choices of a walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chance {
    /// No random choices: ties that the rule leaves are broken by the order of steps.
    #[default]
    Nothing,
    /// Ties that the rule leaves are broken at random.
    Ties,
    /// As `Ties`, and one in `STRAY_INTERVAL` of the rule's own decisions among tied squares is random too.
    /// For boards on which the rule always runs into the same dead end.
    Stray,
}

/// Average number of tie-breaks from one random one to the next, in a straying walk.
pub const STRAY: usize = 8;
