//! [`WalkRequest`] holds the goal and the random choices of one walk.

use crate::board::Square;

/// Request for one walk.
#[derive(Clone, Copy, Debug)]
pub struct WalkRequest {
    /// First square.
    pub start: Square,
    /// Last square; it stays free until then.
    pub end: Option<Square>,
    /// The last square must be a move away from the first.
    pub closed: bool,
    /// The last square must not be a move away from the first.
    pub open: bool,
    /// Moves that may be taken back.
    pub max_backtracks: u64,
    /// Which choices are random.
    pub randomness: Randomness,
    /// Attempt number, used by the Squirrel-Cull rule: 0 selects the published table, other numbers select
    /// single orders.
    pub attempt: u64,
}

/// Random choices of a walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Randomness {
    /// No random choices: ties that the rule leaves are broken by the order of steps.
    #[default]
    None,
    /// Ties that the rule leaves are broken at random.
    Ties,
    /// As `Ties`, and one in `STRAY_INTERVAL` of the rule's own decisions among tied squares is random too.
    /// For boards on which the rule always runs into the same dead end.
    StrayingTies,
}

/// Average number of tie-breaks from one random one to the next, in a straying walk.
pub const STRAY_INTERVAL: usize = 8;
