//! The result of an engine: numbers of closed tours and of paths, in one form for all engines.
//!
//! Engines differ in how they distinguish the ends of a path. A search sees the ends of every path:
//! it counts paths by the orbits of their ends, and re-entrant paths separately. A sweep adds up
//! the paths of all ends in one number, and needs another sweep for the paths from one vertex; the
//! number of re-entrant paths is computed here from the closed tours. This module interprets the sums over
//! the units, once for each engine; the later stages do not depend on the engine.
//!
//! ```text
//! sums of a search --+
//!                    +-> EngineResult { closed, paths: None | Total | ByEnds } -> ValidatedRequest -> Answer
//! sums of a sweep ---+
//! ```

use num_bigint::BigUint;
use num_integer::Integer;

use super::partial_sums::{Effort, Sums};
use super::request::{Engine, Request};
use super::theorems::{self, TheoremViolation};
use crate::board::Vertex;
use crate::tour::Kind;

/// The numbers of tours that an engine counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineResult {
    /// Number of undirected closed tours, if they were counted.
    pub closed: Option<BigUint>,
    /// Numbers of paths.
    pub paths: PathCounts,
    /// Effort of the engine.
    pub effort: Effort,
}

/// Numbers of paths; separate for each orbit of first vertices if the engine distinguishes the
/// ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathCounts {
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

impl EngineResult {
    /// Interprets the sums over the units of a request. `orbits` are the orbits of squares to which the sums
    /// belong.
    ///
    /// # Errors
    /// The sums contradict each other: the number of paths is odd, although every path was counted
    /// twice.
    pub fn from_sums(
        request: &Request,
        orbits: &[Vec<Vertex>],
        sums: &Sums,
    ) -> Result<Self, TheoremViolation> {
        let is_fixed = request.start.is_some() || request.end.is_some();
        match request.engine {
            Engine::Frontier => Ok(Self::from_sweeps(request, orbits, sums)),
            Engine::Auto | Engine::Backtrack | Engine::Multipath => {
                Self::from_searches(request, is_fixed, sums)
            }
        }
    }

    /// Interprets the sums of sweeps. They include the closed tours of every request, because the
    /// number of re-entrant paths follows from them: a closed tour without a move that is not required is
    /// such a path. Paths whose ends a forbidden move joins have sweeps of their own.
    pub(super) fn from_sweeps(request: &Request, orbits: &[Vec<Vertex>], sums: &Sums) -> Self {
        let Request { board, start, end, .. } = request;
        let is_fixed = start.is_some() || end.is_some();
        // Directed re-entrant paths from `v` that an allowed move closes.
        let from_vertex = |v: Vertex| match board.len() {
            0..3 => BigUint::ZERO,
            _ => &sums.closed * theorems::cuts_at(board, v),
        };
        let closed_by_forbidden: BigUint = sums.re_entrant.iter().sum::<BigUint>() / 2u32;
        let paths = match request.kind {
            Some(Kind::Closed) => PathCounts::None,
            _ if request.per_start && !is_fixed => {
                let from_orbit = |(orbit, by_forbidden): (&Vec<Vertex>, &BigUint)| {
                    from_vertex(orbit[0]) * orbit.len() + by_forbidden
                };
                let only_placed = |(all, by_forbidden): (&BigUint, &BigUint)| all - by_forbidden;
                PathCounts::ByEnds {
                    directed: sums.directed.iter().zip(&sums.re_entrant).map(only_placed).collect(),
                    re_entrant: orbits.iter().zip(&sums.re_entrant).map(from_orbit).collect(),
                    total: Some(sums.unplaced.clone()),
                }
            }
            _ => {
                let re_entrant = match (*start, *end) {
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
        Self { closed: Some(sums.closed.clone()), paths, effort: sums.effort }
    }

    /// Interprets the sums of searches. If a start or end is fixed, it is an orbit by itself, and
    /// every path was added to the sums of two orbits: that of its start and that of its end.
    ///
    /// # Errors
    /// The sum of the paths over all orbits is odd, although every path was counted twice.
    fn from_searches(request: &Request, is_fixed: bool, sums: &Sums) -> Result<Self, TheoremViolation> {
        let is_closed = request.kind == Some(Kind::Closed);
        let has_closed = request.kind.is_none_or(|_| is_closed) && request.end.is_none();
        let (paths, re_entrant) = sums.path_totals();
        let paths = match is_fixed {
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
        Ok(Self { closed: has_closed.then(|| sums.closed.clone()), paths, effort: sums.effort })
    }
}

/// Returns `sum` divided by `by`, for a sum that counts every object `by` times. `what` names the
/// sum in the error.
///
/// # Errors
/// The sum is not divisible by `by`.
pub fn divide_exactly(sum: &BigUint, by: u32, what: &str) -> Result<BigUint, TheoremViolation> {
    let (quotient, remainder) = sum.div_rem(&BigUint::from(by));
    if remainder == BigUint::ZERO {
        Ok(quotient)
    } else {
        Err(TheoremViolation::new(format!("{what}: {sum} must be divisible by {by}")))
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
        EngineResult::from_sums(request, &[vec![0, 3], vec![1]], sums)
    }

    #[test]
    fn search_result_has_ends_unless_fixed() {
        let free = result(&request(Engine::Multipath), &sums()).unwrap();
        let PathCounts::ByEnds { directed, re_entrant, total: None } = free.paths else { panic!("{free:?}") };
        assert_eq!((directed.len(), re_entrant.len(), free.closed), (2, 2, Some(3u32.into())));
        let fixed = Request { start: Some(0), ..request(Engine::Backtrack) };
        let paths = PathCounts::Total { paths: 7u32.into(), re_entrant: 3u32.into() };
        assert_eq!(result(&fixed, &sums()).unwrap().paths, paths);
        let odd = Sums { directed: vec![1u32.into()], ..sums() };
        assert!(result(&fixed, &odd).is_err());
    }

    #[test]
    fn sweep_result_has_ends_with_per_start() {
        let swept = |per_start, kind| {
            let request = Request { per_start, kind, ..request(Engine::Frontier) };
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
        assert_eq!(re_entrant(&Request { start: Some(0), ..request }), 6u32.into());
    }
}
