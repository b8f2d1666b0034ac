//! The result of an engine: numbers of closed tours and of paths, in one form for all engines.
//!
//! Engines differ in how they distinguish the ends of a path. A search sees the ends of every path:
//! it counts paths by the orbits of their ends, and re-entrant paths separately. A sweep adds up
//! the paths of all ends in one number, and needs another sweep for the paths from one vertex; the
//! number of re-entrant paths follows from the closed tours. This module interprets the sums over
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
use super::theorems::TheoremViolation;
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
        /// Number of re-entrant paths, if the engine counted them.
        re_entrant: Option<BigUint>,
    },
    /// Numbers of directed paths, by the orbit of their first vertex.
    ByEnds {
        /// For each orbit, the number of directed paths from all its vertices together.
        directed: Vec<BigUint>,
        /// For each orbit, the number of re-entrant paths from all its vertices together, if the
        /// engine counted them.
        re_entrant: Option<Vec<BigUint>>,
        /// Number of all undirected paths, if a separate sweep counted them.
        total: Option<BigUint>,
    },
}

impl EngineResult {
    /// Interprets the sums over the units of a request.
    ///
    /// # Errors
    /// The sums contradict each other: the number of paths is odd, although every path was counted
    /// twice.
    pub fn from_sums(request: &Request, sums: &Sums) -> Result<Self, TheoremViolation> {
        let is_fixed = request.start.is_some() || request.end.is_some();
        match request.engine {
            Engine::Frontier => Ok(Self::from_sweeps(request, is_fixed, sums)),
            Engine::Auto | Engine::Backtrack | Engine::Multipath => {
                Self::from_searches(request, is_fixed, sums)
            }
        }
    }

    /// Interprets the sums of sweeps. They include the closed tours of every request, because the
    /// number of re-entrant paths follows from them.
    pub(super) fn from_sweeps(request: &Request, is_fixed: bool, sums: &Sums) -> Self {
        let paths = match request.kind {
            Some(Kind::Closed) => PathCounts::None,
            _ if request.per_start && !is_fixed => PathCounts::ByEnds {
                directed: sums.directed.clone(),
                re_entrant: None,
                total: Some(sums.unplaced.clone()),
            },
            _ => PathCounts::Total { paths: sums.unplaced.clone(), re_entrant: None },
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
                re_entrant: Some(divide_exactly(&re_entrant, 2, "re-entrant paths")?),
            },
            false => PathCounts::ByEnds {
                directed: sums.directed.clone(),
                re_entrant: Some(sums.re_entrant.clone()),
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

    #[test]
    fn search_result_has_ends_unless_fixed() {
        let free = EngineResult::from_sums(&request(Engine::Multipath), &sums()).unwrap();
        let PathCounts::ByEnds { directed, re_entrant: Some(re_entrant), total: None } = free.paths else {
            panic!("{free:?}")
        };
        assert_eq!((directed.len(), re_entrant.len(), free.closed), (2, 2, Some(3u32.into())));
        let fixed = Request { start: Some(0), ..request(Engine::Backtrack) };
        let paths = PathCounts::Total { paths: 7u32.into(), re_entrant: Some(3u32.into()) };
        assert_eq!(EngineResult::from_sums(&fixed, &sums()).unwrap().paths, paths);
        let odd = Sums { directed: vec![1u32.into()], ..sums() };
        assert!(EngineResult::from_sums(&fixed, &odd).is_err());
    }

    #[test]
    fn sweep_result_has_ends_with_per_start() {
        let swept = |per_start, kind| {
            EngineResult::from_sums(&Request { per_start, kind, ..request(Engine::Frontier) }, &sums())
                .unwrap()
                .paths
        };
        assert_eq!(swept(false, None), PathCounts::Total { paths: 7u32.into(), re_entrant: None });
        assert!(matches!(swept(true, None), PathCounts::ByEnds { re_entrant: None, total: Some(_), .. }));
        assert_eq!(swept(true, Some(Kind::Closed)), PathCounts::None);
    }
}
