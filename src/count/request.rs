//! Requests for counts, the engines that can answer them, and the answers.

use num_bigint::BigUint;

use super::partial_sums::Effort;
use crate::board::{Board, Vertex};
use crate::frontier::ResidueRing;
use crate::tour::{Kind, TourSpec, TourSpecError};

/// A counting algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "program", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Engine {
    /// The engine with the smallest estimated time
    Auto,
    /// Backtracking: extends one path move by move
    Backtrack,
    /// Multipath search: chooses edges, extending all partial paths at once
    Multipath,
    /// Dynamic programming over a frontier: counts all tours at once
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

    /// Returns the engine with the given name, or `None` if there is none.
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
    /// First vertex of every tour, if it is fixed. The counts are then of directed tours.
    pub start: Option<Vertex>,
    /// Last vertex of every tour, if it is fixed. The counts are then of directed tours.
    pub end: Option<Vertex>,
    /// True to count the tours from each start square as well. This costs a search nothing; with
    /// the engine frontier it needs additional sweeps.
    pub per_start: bool,
    /// Counting algorithm.
    pub engine: Engine,
    /// Number of branchings of the search above each unit of work; `None` for the default, which
    /// depends on board and kind alone.
    pub split_depth: Option<u32>,
    /// Number of shards of each sweep.
    pub shards: u32,
    /// Modulus of the counts, if residues are to be counted instead of exact numbers. A sweep needs
    /// less memory for residues.
    pub modulus: Option<ResidueRing>,
}

impl Request {
    /// Returns a request for the total numbers of tours of all kinds, counted by the fastest
    /// engine. To change these choices, set its fields.
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

    /// Returns a title of the request, such as `6x6 closed`.
    #[must_use]
    pub fn title(&self) -> String {
        format!("{} {}", self.board.title(), self.kind.map_or("tours", Kind::name))
    }

    /// Returns the kinds that the request counts.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> + use<> {
        Kind::requested(self.kind)
    }

    /// Returns the tours of one kind that the request counts.
    ///
    /// # Errors
    /// The ends are impossible for this kind: see [`TourSpecError`].
    pub fn tours(&self, kind: Kind) -> Result<TourSpec, TourSpecError> {
        TourSpec::new(self.board.clone(), kind, self.start, self.end)
    }
}

/// Numbers of directed tours from one vertex.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StartCount {
    /// Start vertex.
    pub vertex: Vertex,
    /// Size of the vertex's orbit under the board's symmetries.
    pub orbit_size: usize,
    /// Numbers of directed tours from the vertex, of each kind that was counted.
    pub counts: Counts,
}

/// Numbers of tours by kind; `None` for a kind that the request excludes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of closed tours.
    pub closed: Option<BigUint>,
    /// Number of open tours.
    pub open: Option<BigUint>,
    /// Number of paths.
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

    /// Returns a mutable reference to the number of tours of a kind.
    pub const fn get_mut(&mut self, kind: Kind) -> &mut Option<BigUint> {
        match kind {
            Kind::Closed => &mut self.closed,
            Kind::Open => &mut self.open,
            Kind::Paths => &mut self.paths,
        }
    }
}

impl Counts {
    /// Returns the numbers of directed tours that correspond to these numbers of undirected tours of a board of
    /// `squares` squares.
    #[must_use]
    pub fn to_directed(&self, squares: usize) -> Self {
        let directed = |count: &Option<BigUint>| count.as_ref().map(|count| directed_count(count, squares));
        Self { closed: directed(&self.closed), open: directed(&self.open), paths: directed(&self.paths) }
    }
}

impl FromIterator<(Kind, BigUint)> for Counts {
    fn from_iter<T: IntoIterator<Item = (Kind, BigUint)>>(numbers: T) -> Self {
        let mut counts = Self::default();
        numbers.into_iter().for_each(|(kind, number)| *counts.get_mut(kind) = Some(number));
        counts
    }
}

/// Returns the number of directed tours that correspond to `undirected` tours of a board of
/// `squares` squares. It is twice as large, except that the one path of a single square has one
/// direction.
#[must_use]
pub fn directed_count(undirected: &BigUint, squares: usize) -> BigUint {
    if squares == 1 { undirected.clone() } else { undirected * 2u32 }
}

/// Numbers of tours modulo a number.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModularCounts {
    /// Modulus.
    pub modulus: ResidueRing,
    /// Residues of the counts that an answer to the request would have; for a part of the job,
    /// residues of the part's contribution to these counts.
    pub counts: Counts,
    /// True if the counts are of directed tours, because a start or end was fixed.
    pub is_directed: bool,
}

/// The result of a finished count, which obeys the theorems.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// Numbers of undirected tours, or of directed tours if a start or end was fixed.
    pub counts: Counts,
    /// True if `counts` are of directed tours, because a start or end was fixed.
    pub is_directed: bool,
    /// Numbers of directed tours from every vertex, in ascending order of the vertices. Empty if a
    /// start or end was fixed, or if a sweep counted totals only.
    pub per_start: Vec<StartCount>,
    /// Engine that made the count; never [`Engine::Auto`].
    pub engine: Engine,
    /// Effort of the count.
    pub effort: Effort,
}
