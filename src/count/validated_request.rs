//! A validated request, which converts the sums over all units to checked counts.
//!
//! The conversion requires the board and its orbits, but not the units: sums of shards from other
//! machines become an answer without any search.
//!
//! Engines differ in how they distinguish the ends of a path. A search sees the ends of every path:
//! it counts paths by the orbits of their ends, and re-entrant paths separately. A sweep adds up
//! the paths of all ends in one number, and needs another sweep for the paths from one vertex; the
//! number of re-entrant paths is computed here from the closed tours. The sums are interpreted once for each
//! engine; the later stages do not depend on the engine:
//!
//! ```text
//! sums of a search --+
//!                    +-> EngineResult { closed, paths: None | Total | ByEnds } -> theorems -> Answer
//! sums of a sweep ---+
//! ```

use num_bigint::BigUint;

use crate::board::Vertex;
use crate::control::Control;
use crate::frontier;
use crate::search::problem::Problem;
use crate::tour::Kind;

use super::engine::Engine;
use super::partial_sums::{Effort, Sums};
use super::request::{Answer, Counts, ModularCounts, Request, StartCount};
use super::theorems::{TheoremViolation, divide_exactly};
use super::{CountError, engine_cost, theorems};

/// The numbers of tours that an engine counted.
#[derive(Debug)]
struct EngineResult {
    /// Number of undirected closed tours, if they were counted.
    closed: Option<BigUint>,
    /// Numbers of paths.
    paths: PathCounts,
    /// Effort of the engine.
    effort: Effort,
}

/// Numbers of paths; separate for each orbit of first vertices if the engine distinguishes the
/// ends.
#[derive(Debug, PartialEq)]
enum PathCounts {
    /// No paths were counted.
    None,
    /// One number for paths with any ends. They are undirected, or directed if a start or end is
    /// fixed.
    Total {
        /// Number of paths.
        paths: BigUint,
        /// Number of re-entrant paths among them.
        re_entrant: BigUint,
    },
    /// Numbers of directed paths, by the orbit of their first vertex.
    ByEnds {
        /// For each orbit, the number of directed paths from all its vertices together.
        directed: Vec<BigUint>,
        /// For each orbit, the number of re-entrant paths from all its vertices together.
        re_entrant: Vec<BigUint>,
        /// Number of all undirected paths, if a separate sweep counted them.
        total: Option<BigUint>,
    },
}

/// A request whose ends are vertices of its board and whose engine is chosen.
#[derive(Clone, Debug)]
pub struct ValidatedRequest {
    request: Request,
    /// Orbits of squares under the symmetries that fix the start and the end.
    orbits: Vec<Vec<u32>>,
    orbit_of: Vec<usize>,
}

impl ValidatedRequest {
    /// Checks a request and chooses the engine that answers it; `control` can cancel the choice.
    ///
    /// # Errors
    /// The request is invalid, or the control was cancelled: see [`CountError`].
    pub fn new(request: &Request, control: &Control) -> Result<Self, CountError> {
        let mut request = request.clone();
        if request.shards == 0 {
            return Err(CountError::ZeroShards);
        }
        request.job_spec().validate()?;
        if request.modulus.is_some() {
            // Other sweeps would be necessary, whose residues have no place in the sums.
            if engine_cost::required_sweeps(&request).iter().any(|sweep| sweep.closing_move.is_some()) {
                return Err(CountError::OpenResiduesWithForbiddenMoves);
            }
            request.engine = Engine::Frontier;
        }
        if request.engine == Engine::Auto {
            request.engine = engine_cost::choose_engine(&request, control)?;
        }
        if let (Engine::Frontier, Some(width)) =
            (request.engine, engine_cost::excessive_frontier_width(&request))
        {
            return Err(frontier::Error::TooWide { width }.into());
        }
        if request.engine != Engine::Frontier {
            // A search is divided into many units anyway.
            request.shards = 1;
        }
        let orbits = if request.engine == Engine::Frontier || request.board().is_empty() {
            // A sweep has no size limit: its totals need no orbits, and its counts by start square use the
            // orbits of the board.
            request.board().symmetries().orbits()
        } else {
            Problem::new(&request.spec)?.symmetries().orbits()
        };
        let mut orbit_of = vec![0; request.board().len()];
        for (i, orbit) in orbits.iter().enumerate() {
            for &v in orbit {
                orbit_of[v as usize] = i;
            }
        }
        Ok(Self { request, orbits, orbit_of })
    }

    /// Returns the request, with the chosen engine instead of [`Engine::Auto`].
    #[must_use]
    pub const fn request(&self) -> &Request {
        &self.request
    }

    /// Returns the orbits of squares under the symmetries that fix the start and the end.
    #[must_use]
    pub fn orbits(&self) -> &[Vec<u32>] {
        &self.orbits
    }

    /// Returns the index of the orbit that contains the square `v`.
    #[must_use]
    pub fn orbit_of(&self, v: u32) -> usize {
        self.orbit_of[v as usize]
    }

    /// Returns the kinds of tours for which the request needs a search, in the order of the
    /// searches. The list is empty on a board of at most one square.
    #[must_use]
    pub fn search_kinds(&self) -> Vec<Kind> {
        let (kind, end) = (self.request.kind(), self.request.end());
        let mut kinds = Vec::new();
        if self.request.board().len() > 1 {
            if kind != Some(Kind::Closed) {
                kinds.push(kind.unwrap_or(Kind::Paths));
            }
            if kind.is_none_or(|kind| kind == Kind::Closed) && end.is_none() {
                kinds.push(Kind::Closed);
            }
        }
        kinds
    }

    /// Returns the search problem for the tours of one kind.
    ///
    /// # Errors
    /// The board is too large for a search.
    pub fn search_problem(&self, kind: Kind) -> Result<Problem, CountError> {
        Ok(Problem::new(&self.request.tours(kind)?)?)
    }

    /// Returns sums that are all zero, for the orbits of this request.
    #[must_use]
    pub fn zero_sums(&self) -> Sums {
        Sums::new(self.orbits.len())
    }

    /// Returns the sums with zeros for the orbits that are missing in `sums`, because a record
    /// omits lists of zeros.
    fn with_all_orbits(&self, sums: &Sums) -> Sums {
        let mut all = self.zero_sums();
        if all.try_add(sums) { all } else { sums.clone() }
    }

    /// Returns the numbers of directed tours that follow from the sums of some of the units. They
    /// are not checked, because no theorem applies to a part of the job.
    ///
    /// # Errors
    /// The sums contradict each other.
    pub fn partial_counts(&self, sums: &Sums) -> Result<Counts, CountError> {
        let engine_result = self.engine_result(sums)?;
        let mut counts = Counts { closed: self.closed_count(&engine_result, 2), ..Counts::default() };
        let directions = if self.has_fixed_end() { 1u32 } else { 2 };
        let (paths, re_entrant) = match &engine_result.paths {
            PathCounts::None => return Ok(counts),
            PathCounts::Total { paths, re_entrant } => (paths * directions, re_entrant * directions),
            PathCounts::ByEnds { directed, re_entrant, total } => {
                let paths = total.as_ref().map_or_else(|| directed.iter().sum(), |total| total * 2u32);
                (paths, re_entrant.iter().sum())
            }
        };
        // The units of closed tours can be done before those of paths.
        let re_entrant = re_entrant.min(paths.clone());
        self.set_paths(&mut counts, &(paths, re_entrant));
        Ok(counts)
    }

    /// Returns the residues of the counts, from sums of residues, or `None` if the request has no
    /// modulus. They are not checked, because no theorem applies to residues.
    #[must_use]
    pub fn residues(&self, sums: &Sums) -> Option<ModularCounts> {
        let modulus = self.request.modulus?;
        let fixed = self.has_fixed_end();
        let mut counts = Counts::default();
        if self.request.board().len() < 2 {
            counts = self.single_square_answer().counts;
        } else {
            let engine_result = self.result_of_sweeps(sums);
            counts.closed = self.closed_count(&engine_result, if fixed { 2 } else { 1 });
            if let PathCounts::Total { paths, re_entrant } = &engine_result.paths {
                // Adding the modulus keeps the difference below from becoming negative.
                let re_entrant = modulus.residue_of(re_entrant);
                self.set_paths(&mut counts, &(modulus.residue_of(paths) + modulus.modulus(), re_entrant));
            }
        }
        for kind in Kind::ALL {
            if let Some(number) = counts.get_mut(kind) {
                *number = modulus.residue_of(number);
            }
        }
        Some(ModularCounts { modulus, counts, is_directed: fixed })
    }

    /// Returns the answer that follows from the sums of all units, after checking it against the
    /// theorems.
    ///
    /// # Errors
    /// [`CountError::TheoremViolation`] if the counts violate a theorem.
    pub fn answer(&self, sums: &Sums) -> Result<Answer, CountError> {
        if self.request.board().len() < 2 {
            return Ok(self.single_square_answer());
        }
        self.checked_answer(&self.engine_result(sums)?)
    }

    /// Interprets the sums over the units.
    ///
    /// # Errors
    /// The sums contradict each other: the number of paths is odd, although every path was counted
    /// twice.
    fn engine_result(&self, sums: &Sums) -> Result<EngineResult, TheoremViolation> {
        let sums = self.with_all_orbits(sums);
        match self.request.engine {
            Engine::Frontier => Ok(self.result_of_sweeps(&sums)),
            Engine::Auto | Engine::Backtrack | Engine::Multipath => self.result_of_searches(&sums),
        }
    }

    /// Interprets the sums of sweeps. They include the closed tours of every request, because the
    /// number of re-entrant paths follows from them: a closed tour without a move that is not required is
    /// such a path. Paths whose ends a forbidden move joins have sweeps of their own.
    fn result_of_sweeps(&self, sums: &Sums) -> EngineResult {
        let (board, start, end) = (self.request.board(), self.request.start(), self.request.end());
        // Directed re-entrant paths from `v` that an allowed move closes.
        let from_vertex = |v: Vertex| match board.len() {
            0..3 => BigUint::ZERO,
            _ => &sums.closed * theorems::cuts_at(board, v),
        };
        let closed_by_forbidden: BigUint = sums.re_entrant.iter().sum::<BigUint>() / 2u32;
        let paths = match self.request.kind() {
            Some(Kind::Closed) => PathCounts::None,
            _ if self.request.per_start && !self.has_fixed_end() => {
                let from_orbit = |(orbit, by_forbidden): (&Vec<Vertex>, &BigUint)| {
                    from_vertex(orbit[0]) * orbit.len() + by_forbidden
                };
                let only_placed = |(all, by_forbidden): (&BigUint, &BigUint)| all - by_forbidden;
                PathCounts::ByEnds {
                    directed: sums.directed.iter().zip(&sums.re_entrant).map(only_placed).collect(),
                    re_entrant: self.orbits.iter().zip(&sums.re_entrant).map(from_orbit).collect(),
                    total: Some(sums.unplaced.clone()),
                }
            }
            _ => {
                let re_entrant = match (start, end) {
                    (None, None) if board.len() < 3 => BigUint::ZERO,
                    (None, None) => {
                        &sums.closed * (board.len() - board.required_moves().len()) + closed_by_forbidden
                    }
                    (Some(start), Some(end)) if board.joins_ends(start, end) => sums.unplaced.clone(),
                    (Some(_), Some(_)) => BigUint::ZERO,
                    (Some(v), None) | (None, Some(v)) => from_vertex(v) + closed_by_forbidden,
                };
                PathCounts::Total { paths: sums.unplaced.clone(), re_entrant }
            }
        };
        EngineResult { closed: Some(sums.closed.clone()), paths, effort: sums.effort }
    }

    /// Interprets the sums of searches. If a start or end is fixed, it is an orbit by itself, and
    /// every path was added to the sums of two orbits: that of its start and that of its end.
    ///
    /// # Errors
    /// The sum of the paths over all orbits is odd, although every path was counted twice.
    fn result_of_searches(&self, sums: &Sums) -> Result<EngineResult, TheoremViolation> {
        let is_closed = self.request.kind() == Some(Kind::Closed);
        let has_closed = self.request.kind().is_none_or(|_| is_closed) && self.request.end().is_none();
        let (paths, re_entrant) = sums.path_totals();
        let paths = match self.has_fixed_end() {
            _ if is_closed => PathCounts::None,
            true => PathCounts::Total {
                paths: divide_exactly(&paths, 2, "directed paths")?,
                re_entrant: divide_exactly(&re_entrant, 2, "re-entrant paths")?,
            },
            false => PathCounts::ByEnds {
                directed: sums.directed.clone(),
                re_entrant: sums.re_entrant.clone(),
                total: None,
            },
        };
        Ok(EngineResult { closed: has_closed.then(|| sums.closed.clone()), paths, effort: sums.effort })
    }

    /// Returns the answer that follows from an engine's result, after checking it against the
    /// theorems.
    fn checked_answer(&self, engine_result: &EngineResult) -> Result<Answer, CountError> {
        let request = &self.request;
        let squares = request.board().len();
        let fixed = self.has_fixed_end();
        // Every closed tour visits a fixed start and has two directions.
        let mut counts = Counts {
            closed: self.closed_count(engine_result, if fixed { 2 } else { 1 }),
            ..Counts::default()
        };
        if let Some(paths) = self.path_counts(engine_result)? {
            self.set_paths(&mut counts, &paths);
        }
        let mut per_start = Vec::new();
        if fixed {
            if squares > 2 {
                theorems::check_directed_counts(request.board(), request.start(), &counts)?;
            }
        } else {
            if !matches!(engine_result.paths, PathCounts::Total { .. }) {
                per_start = self.start_counts(&counts, engine_result)?;
            }
            theorems::check_counts(request.board(), &counts, &per_start)?;
        }
        Ok(Answer {
            counts,
            is_directed: fixed,
            per_start,
            engine: request.engine,
            effort: engine_result.effort,
        })
    }

    fn has_fixed_end(&self) -> bool {
        self.request.spec.is_directed()
    }

    fn includes(&self, kind: Kind) -> bool {
        self.request.kind().is_none_or(|k| k == kind)
    }

    /// Returns the number of closed tours times `directions`, or `None` if the request excludes
    /// closed tours.
    fn closed_count(&self, engine_result: &EngineResult, directions: u32) -> Option<BigUint> {
        let is_included = self.includes(Kind::Closed) && self.request.end().is_none();
        engine_result.closed.as_ref().filter(|_| is_included).map(|closed| closed * directions)
    }

    /// Returns the number of paths and the number of re-entrant paths, or `None` if no paths were
    /// counted. The paths are undirected, or directed if a start or end is fixed.
    fn path_counts(
        &self,
        engine_result: &EngineResult,
    ) -> Result<Option<(BigUint, BigUint)>, TheoremViolation> {
        let (paths, re_entrant) = match &engine_result.paths {
            PathCounts::None => return Ok(None),
            PathCounts::Total { paths, re_entrant } => (paths.clone(), re_entrant.clone()),
            PathCounts::ByEnds { directed, re_entrant, total } => {
                let all: BigUint = directed.iter().sum();
                if let Some(total) = total.as_ref().filter(|&total| all != total * 2u32) {
                    let what = format!("directed paths by start add up to {all}, not to twice {total}");
                    return Err(TheoremViolation::new(what));
                }
                let re_entrant = divide_exactly(&re_entrant.iter().sum(), 2, "re-entrant paths")?;
                (divide_exactly(&all, 2, "directed paths")?, re_entrant)
            }
        };
        if re_entrant > paths {
            return Err(TheoremViolation::new(format!("{re_entrant} re-entrant paths among {paths} paths")));
        }
        Ok(Some((paths, re_entrant)))
    }

    fn set_paths(&self, counts: &mut Counts, (paths, re_entrant): &(BigUint, BigUint)) {
        counts.open = self.includes(Kind::Open).then(|| paths - re_entrant);
        counts.paths = self.includes(Kind::Paths).then(|| paths.clone());
    }

    /// Returns the numbers of directed tours from every vertex, in ascending order of the vertices.
    fn start_counts(
        &self,
        counts: &Counts,
        engine_result: &EngineResult,
    ) -> Result<Vec<StartCount>, CountError> {
        let squares = self.request.board().len();
        let closed = counts.closed.as_ref().map(|closed| closed * 2u32);
        let mut starts = Vec::with_capacity(squares);
        let mut re_entrant_from = None;
        for (i, orbit) in self.orbits.iter().enumerate() {
            let mut counts = Counts { closed: closed.clone(), ..Counts::default() };
            if let Some(from) = self.counts_from_orbit(engine_result, i)? {
                // A search for open tours counts no re-entrant paths from any vertex. With restrictions the
                // closed tours through a vertex have different numbers of moves that can be left out.
                let first = re_entrant_from.get_or_insert_with(|| from.1.clone());
                if *first != from.1 && squares > 2 && !self.request.board().is_restricted() {
                    let what =
                        format!("{first} re-entrant paths start from one square, {} from another", from.1);
                    return Err(TheoremViolation::new(what).into());
                }
                self.set_paths(&mut counts, &from);
            }
            for &vertex in orbit {
                starts.push(StartCount { vertex, orbit_size: orbit.len(), counts: counts.clone() });
            }
        }
        starts.sort_by_key(|start| start.vertex);
        Ok(starts)
    }

    /// Returns the number of directed paths from one vertex of an orbit, and the number of
    /// re-entrant paths among them. Returns `None` if the engine did not distinguish the ends.
    fn counts_from_orbit(
        &self,
        engine_result: &EngineResult,
        orbit: usize,
    ) -> Result<Option<(BigUint, BigUint)>, TheoremViolation> {
        let PathCounts::ByEnds { directed, re_entrant, .. } = &engine_result.paths else { return Ok(None) };
        let size = self.orbits[orbit].len();
        let paths = divide_exactly(&directed[orbit], size, "directed paths from an orbit")?;
        let re_entrant = divide_exactly(&re_entrant[orbit], size, "re-entrant paths from an orbit")?;
        if re_entrant > paths {
            return Err(TheoremViolation::new(format!(
                "{re_entrant} re-entrant paths among {paths} from a square"
            )));
        }
        Ok(Some((paths, re_entrant)))
    }

    /// Returns the answer for a board of at most one square. A single square has one path without moves, an
    /// open tour, directed or not. An empty board has no tour.
    fn single_square_answer(&self) -> Answer {
        let request = &self.request;
        let squares = request.board().len() as u32;
        let one =
            |kind: Kind, number: u32| request.kind().is_none_or(|k| k == kind).then(|| BigUint::from(number));
        // As on larger boards, a fixed end excludes closed tours.
        let closed = one(Kind::Closed, 0).filter(|_| request.end().is_none());
        let counts = Counts { closed, open: one(Kind::Open, squares), paths: one(Kind::Paths, squares) };
        let fixed = request.spec.is_directed();
        let starts = (0..squares).map(|vertex| StartCount { vertex, orbit_size: 1, counts: counts.clone() });
        let per_start = if fixed { Vec::new() } else { starts.collect() };
        Answer {
            counts,
            is_directed: fixed,
            per_start,
            engine: request.engine,
            effort: Effort { visited: squares.into(), ..Effort::default() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    fn sums() -> Sums {
        let numbers = |all: [u32; 2]| all.map(BigUint::from).to_vec();
        let mut sums = Sums::new(2);
        (sums.closed, sums.unplaced) = (3u32.into(), 7u32.into());
        (sums.directed, sums.re_entrant) = (numbers([6, 8]), numbers([2, 4]));
        sums
    }

    fn request(engine: Engine) -> Request {
        Request { engine, ..Request::new("3x4".parse::<Board>().unwrap()) }
    }

    fn result(request: &Request, sums: &Sums) -> Result<EngineResult, TheoremViolation> {
        let orbits = vec![vec![0, 3], vec![1]];
        ValidatedRequest { request: request.clone(), orbits, orbit_of: Vec::new() }.engine_result(sums)
    }

    #[test]
    fn search_result_has_ends_unless_fixed() {
        let free = result(&request(Engine::Multipath), &sums()).unwrap();
        let PathCounts::ByEnds { directed, re_entrant, total: None } = free.paths else { panic!("{free:?}") };
        assert_eq!((directed.len(), re_entrant.len(), free.closed), (2, 2, Some(3u32.into())));
        let fixed = request(Engine::Backtrack).with_ends(Some(0), None).unwrap();
        let paths = PathCounts::Total { paths: 7u32.into(), re_entrant: 3u32.into() };
        assert_eq!(result(&fixed, &sums()).unwrap().paths, paths);
        let odd = Sums { directed: vec![1u32.into()], ..sums() };
        assert!(result(&fixed, &odd).is_err());
    }

    #[test]
    fn sweep_result_has_ends_with_per_start() {
        let swept = |per_start, kind| {
            let request = Request { per_start, ..request(Engine::Frontier).with_kind(kind).unwrap() };
            let sums = Sums { re_entrant: vec![BigUint::ZERO; 2], ..sums() };
            result(&request, &sums).unwrap().paths
        };
        let paths = PathCounts::Total { paths: 7u32.into(), re_entrant: 36u32.into() };
        assert_eq!(swept(false, None), paths);
        let PathCounts::ByEnds { re_entrant, total: Some(_), .. } = swept(true, None) else {
            panic!("no ends")
        };
        assert_eq!(re_entrant, [12u32.into(), 6u32.into()], "twice 3 from each of two squares and of one");
        assert_eq!(swept(true, Some(Kind::Closed)), PathCounts::None);
    }

    #[test]
    fn sweep_result_leaves_out_required_moves_and_adds_forbidden_ones() {
        let board = "board=3x4 piece=1,2 remove=- require=a1-c2 forbid=a2-c1".parse::<Board>().unwrap();
        let request = Request { engine: Engine::Frontier, ..Request::new(board) };
        let re_entrant = |request: &Request| match result(request, &sums()).unwrap().paths {
            PathCounts::Total { re_entrant, .. } => re_entrant,
            other => panic!("{other:?}"),
        };
        // Three closed tours, each without one of eleven moves, and three closed by the forbidden move.
        assert_eq!(re_entrant(&request), 36u32.into());
        // Without the only move at the start that is not required, and three as before.
        assert_eq!(re_entrant(&request.with_ends(Some(0), None).unwrap()), 6u32.into());
    }
}
