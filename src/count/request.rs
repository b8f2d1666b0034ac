//! What is to be counted, and what came out.

use num_bigint::BigUint;

use super::tally::Tally;
use crate::board::Arena;
use crate::frontier::Lane;
use crate::tour::Kind;

/// Which algorithm counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// The one that is estimated to be the fastest.
    Auto,
    /// Path extension.
    Backtrack,
    /// Edge choice on all partial paths at once.
    Multipath,
    /// Dynamic programming over the frontier.
    Frontier,
}

impl Engine {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Backtrack => "backtrack",
            Self::Multipath => "multipath",
            Self::Frontier => "frontier",
        }
    }

    /// The engine of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Auto, Self::Backtrack, Self::Multipath, Self::Frontier].into_iter().find(|e| e.name() == name)
    }
}

/// A counting job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Where the tours are.
    pub arena: Arena,
    /// Which tours; `None` for all three kinds.
    pub kind: Option<Kind>,
    /// Only tours that begin here. The counts are then of directed tours.
    pub start: Option<u32>,
    /// Only tours that end here. The counts are then of directed tours.
    pub end: Option<u32>,
    /// Counts by start square are wanted as well. A search has them anyway, a sweep needs more sweeps.
    pub per_start: bool,
    /// The algorithm.
    pub engine: Engine,
    /// How many branchings make a unit; `None` for the default, which depends on arena and kind alone.
    pub split_depth: Option<u32>,
    /// Into how many parts each sweep is cut.
    pub parts: u32,
    /// Only the residues of the numbers are wanted, modulo this; a sweep can do that in less memory.
    pub modulus: Option<Lane>,
}

impl Request {
    /// All kinds of tours, totals alone, by the fastest engine: the fields say otherwise.
    #[must_use]
    pub fn new(arena: impl Into<Arena>) -> Self {
        Self {
            arena: arena.into(),
            kind: None,
            start: None,
            end: None,
            per_start: false,
            engine: Engine::Auto,
            split_depth: None,
            parts: 1,
            modulus: None,
        }
    }
}

/// Directed tours from one square.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StartCount {
    /// Where they begin.
    pub vertex: u32,
    /// How many vertices are like it under the arena's symmetries.
    pub orbit: usize,
    /// How many, of each kind that was counted.
    pub counts: Counts,
}

/// Numbers of tours by kind; `None` where a kind was not asked for.
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
    /// The number of a kind.
    #[must_use]
    pub const fn get(&self, kind: Kind) -> Option<&BigUint> {
        match kind {
            Kind::Closed => self.closed.as_ref(),
            Kind::Open => self.open.as_ref(),
            Kind::Paths => self.paths.as_ref(),
        }
    }

    /// The place of a kind's number.
    pub const fn get_mut(&mut self, kind: Kind) -> &mut Option<BigUint> {
        match kind {
            Kind::Closed => &mut self.closed,
            Kind::Open => &mut self.open,
            Kind::Paths => &mut self.paths,
        }
    }
}

/// How many directed tours of so many squares there are for a number of undirected ones: twice as many, except
/// that the one path of a single square has one direction.
#[must_use]
pub fn directed(undirected: &BigUint, squares: usize) -> BigUint {
    if squares == 1 { undirected.clone() } else { undirected * 2u32 }
}

/// What a count that was made modulo a number tells of its numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Residues {
    /// The modulus.
    pub modulus: Lane,
    /// Residues of the numbers that an answer would have; of a part of the job, of what the part adds to them.
    pub counts: Counts,
    /// Whether they are of directed tours, because a start or end was fixed.
    pub fixed: bool,
}

/// A finished count that obeys the theorems.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// Undirected tours; directed ones from the start (to the end) if a start or end was fixed.
    pub counts: Counts,
    /// Whether `counts` are directed, because a start or end was fixed.
    pub fixed: bool,
    /// One entry a vertex, in ascending order, with directed counts. Empty if a start or end was
    /// fixed, or the sweep was not asked for it.
    pub per_start: Vec<StartCount>,
    /// The engine that did it, never [`Engine::Auto`].
    pub engine: Engine,
    /// What it took.
    pub tally: Tally,
}
