//! Requests for counts, and their answers.

use num_bigint::BigUint;

use super::partial_sums::Effort;
use crate::board::Board;
use crate::frontier::ResidueRing;
use crate::tour::Kind;

/// A counting algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// The engine with the smallest estimated time.
    Auto,
    /// Path extension: backtracking from one end of the path.
    Backtrack,
    /// Multi-path search: chooses edges on all partial paths at once.
    Multipath,
    /// Dynamic programming over the frontier.
    Frontier,
}

impl Engine {
    /// Returns the name used in options and records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Backtrack => "backtrack",
            Self::Multipath => "multipath",
            Self::Frontier => "frontier",
        }
    }

    /// Returns the engine with a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Auto, Self::Backtrack, Self::Multipath, Self::Frontier].into_iter().find(|e| e.name() == name)
    }
}

/// A counting job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Board of the tours.
    pub board: Board,
    /// Kind of tours; `None` for all three kinds.
    pub kind: Option<Kind>,
    /// First vertex of every tour. With a start the counts are of directed tours.
    pub start: Option<u32>,
    /// Last vertex of every tour. With an end the counts are of directed tours.
    pub end: Option<u32>,
    /// True to count by start square as well. A search does that at no cost, a sweep needs additional sweeps.
    pub per_start: bool,
    /// Counting algorithm.
    pub engine: Engine,
    /// Number of branchings above each unit; `None` for the default, which depends on board and kind alone.
    pub split_depth: Option<u32>,
    /// Number of shards of each sweep.
    pub shards: u32,
    /// Modulus of the counts, for residues instead of exact numbers; a sweep needs less memory for residues.
    pub modulus: Option<ResidueRing>,
}

impl Request {
    /// Returns a request for the totals of all kinds by the fastest engine. Other choices are made by setting
    /// its fields.
    #[must_use]
    pub fn new(board: impl Into<Board>) -> Self {
        Self {
            board: board.into(),
            kind: None,
            start: None,
            end: None,
            per_start: false,
            engine: Engine::Auto,
            split_depth: None,
            shards: 1,
            modulus: None,
        }
    }
}

/// Numbers of directed tours from one vertex.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StartCount {
    /// Start vertex.
    pub vertex: u32,
    /// Size of the vertex's orbit under the board's symmetries.
    pub orbit_size: usize,
    /// Numbers of tours of each kind that was counted.
    pub counts: Counts,
}

/// Numbers of tours by kind; `None` for a kind that the request excludes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Closed tours.
    pub closed: Option<BigUint>,
    /// Open tours.
    pub open: Option<BigUint>,
    /// Paths.
    pub paths: Option<BigUint>,
}

impl Counts {
    /// Returns the number of tours of a kind.
    #[must_use]
    pub const fn get(&self, kind: Kind) -> Option<&BigUint> {
        match kind {
            Kind::Closed => self.closed.as_ref(),
            Kind::Open => self.open.as_ref(),
            Kind::Paths => self.paths.as_ref(),
        }
    }

    /// Returns a mutable reference to the number of a kind.
    pub const fn get_mut(&mut self, kind: Kind) -> &mut Option<BigUint> {
        match kind {
            Kind::Closed => &mut self.closed,
            Kind::Open => &mut self.open,
            Kind::Paths => &mut self.paths,
        }
    }
}

/// Returns the number of directed tours for a number of undirected tours of a board of `squares` squares:
/// twice as many, except that the one path of a single square has one direction.
#[must_use]
pub fn directed_count(undirected: &BigUint, squares: usize) -> BigUint {
    if squares == 1 { undirected.clone() } else { undirected * 2u32 }
}

/// Counts modulo a number.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModularCounts {
    /// Modulus.
    pub modulus: ResidueRing,
    /// Residues of the counts that an answer would have; for a part of the job, residues of its contribution.
    pub counts: Counts,
    /// True if the counts are of directed tours because a start or end was fixed.
    pub is_directed: bool,
}

/// A finished count that obeys the theorems.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// Undirected tours; directed tours if a start or end was fixed.
    pub counts: Counts,
    /// True if `counts` are of directed tours because a start or end was fixed.
    pub is_directed: bool,
    /// Directed counts for every vertex, in ascending order. Empty if a start or end was fixed, or if a sweep
    /// counted totals only.
    pub per_start: Vec<StartCount>,
    /// Engine that counted, never [`Engine::Auto`].
    pub engine: Engine,
    /// Effort of the count.
    pub effort: Effort,
}
