//! Requests for counts, the engines that can answer them, and the answers.

use num_bigint::BigUint;

use super::engine::Engine;
use super::job_spec::{Choice, JobSpec, Task};
use super::partial_sums::Effort;
use crate::board::{Board, Vertex};
use crate::frontier::ResidueRing;
use crate::tour::{Kind, TourSpec, TourSpecError};

/// A counting job.
///
/// ```
/// use ktour::{Engine, Kind, Request, TourSpec};
///
/// let from_corner = TourSpec::new("5x5".parse()?, Kind::Paths, Some(0), None)?;
/// let request = Request { engine: Engine::Frontier, ..Request::from(from_corner) };
/// assert_eq!((request.kind(), request.start()), (Some(Kind::Paths), Some(0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The tours to count. If their start or end is fixed, the counts are of directed tours.
    pub spec: TourSpec,
    /// True to count closed and open tours and paths with the board and ends of `spec`, whatever its kind is.
    /// Closed tours are left out if the end is fixed.
    pub all_kinds: bool,
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
        Self::of_kind(board, None)
    }

    /// Returns a request for the total number of tours of a kind, or of all kinds if `kind` is `None`.
    #[must_use]
    pub fn of_kind(board: impl Into<Board>, kind: impl Into<Option<Kind>>) -> Self {
        let kind = kind.into();
        let spec = TourSpec::all(board.into(), kind.unwrap_or(Kind::Paths));
        Self { all_kinds: kind.is_none(), ..Self::from(spec) }
    }

    /// Returns the same request for tours with these ends.
    ///
    /// # Errors
    /// As for [`TourSpec::with_ends`].
    pub fn with_ends(self, start: Option<Vertex>, end: Option<Vertex>) -> Result<Self, TourSpecError> {
        Ok(Self { spec: self.spec.with_ends(start, end)?, ..self })
    }

    /// Returns the same request for tours of another kind, or of all kinds.
    ///
    /// # Errors
    /// As for [`TourSpec::with_kind`].
    pub fn with_kind(self, kind: impl Into<Option<Kind>>) -> Result<Self, TourSpecError> {
        let kind = kind.into();
        let spec = self.spec.with_kind(kind.unwrap_or(Kind::Paths))?;
        Ok(Self { spec, all_kinds: kind.is_none(), ..self })
    }

    /// Returns the board of the tours.
    #[must_use]
    pub const fn board(&self) -> &Board {
        self.spec.board()
    }

    /// Returns the kind of the tours; `None` for all kinds.
    #[must_use]
    pub const fn kind(&self) -> Option<Kind> {
        if self.all_kinds { None } else { Some(self.spec.kind()) }
    }

    /// Returns the first vertex of every tour, if it is fixed.
    #[must_use]
    pub const fn start(&self) -> Option<Vertex> {
        self.spec.start()
    }

    /// Returns the last vertex of every tour, if it is fixed.
    #[must_use]
    pub const fn end(&self) -> Option<Vertex> {
        self.spec.end()
    }

    /// Returns a title of the request, such as `6x6 closed`.
    #[must_use]
    pub fn title(&self) -> String {
        format!("{} {}", self.board().title(), self.kind().map_or("tours", Kind::name))
    }

    /// Returns the kinds that the request counts.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> + use<> {
        Kind::requested(self.kind())
    }

    /// Returns the choices that the request makes: kind, ends, counts by start, modulus and engine.
    #[must_use]
    pub fn job_spec(&self) -> JobSpec {
        JobSpec::new(Task::Count)
            .with_kind(self.kind())
            .with(Choice::Start, self.start().is_some())
            .with(Choice::End, self.end().is_some())
            .with(Choice::PerStart, self.per_start)
            .with(Choice::Modulus, self.modulus.is_some())
            .with(Choice::Engine(self.engine), true)
    }

    /// Returns the tours of one kind that the request counts.
    ///
    /// # Errors
    /// The ends are impossible for this kind: see [`TourSpecError`].
    pub fn tours(&self, kind: Kind) -> Result<TourSpec, TourSpecError> {
        self.spec.with_kind(kind)
    }
}

impl From<TourSpec> for Request {
    /// Returns a request for the total number of these tours, counted by the fastest engine.
    fn from(spec: TourSpec) -> Self {
        Self {
            spec,
            all_kinds: false,
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
