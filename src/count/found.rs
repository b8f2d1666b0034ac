//! The result of an engine: closed tours and paths, however the engine counted them.
//!
//! Engines differ in the ends they distinguish. A search sees the ends of every path: it counts paths by the
//! orbits of their ends, and re-entrant paths separately. A sweep adds up the paths of all ends in one
//! number, and needs another sweep for the paths from one vertex; the number of re-entrant paths follows from
//! the closed tours. This module interprets the sums over the units once for each engine; the later stages do
//! not depend on the engine.
//!
//! ```text
//! sums of a search --+
//!                    +-> EngineResult { closed, paths: None | Total | ByEnds } -> ValidatedRequest -> Answer
//! sums of a sweep ---+
//! ```

use num_bigint::BigUint;
use num_integer::Integer;

use super::request::{Engine, Request};
use super::sums::Sums;
use super::tally::Tally;
use super::theorems::Broken;
use crate::tour::Kind;

/// The numbers that an engine counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Closed tours, undirected, if they were counted.
    pub closed: Option<BigUint>,
    /// Paths.
    pub paths: Paths,
    /// Effort of the engine.
    pub tally: Tally,
}

/// Numbers of paths, by ends if the engine distinguishes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Paths {
    /// No paths were counted.
    None,
    /// One number for all ends: undirected paths, or directed paths with the fixed ends.
    Total {
        /// Number of paths.
        paths: BigUint,
        /// Number of re-entrant paths, if the engine counted them.
        re_entrant: Option<BigUint>,
    },
    /// Directed paths by the orbit of their first vertex.
    ByEnds {
        /// Paths from all vertices of each orbit together.
        directed: Vec<BigUint>,
        /// Re-entrant paths from all vertices of each orbit together, if the engine counted them.
        re_entrant: Option<Vec<BigUint>>,
        /// All undirected paths, if another sweep counted them.
        total: Option<BigUint>,
    },
}

impl Found {
    /// Interprets the sums of a request's units.
    ///
    /// # Errors
    /// The sums are impossible.
    pub fn of(request: &Request, sums: &Sums) -> Result<Self, Broken> {
        let is_fixed = request.start.is_some() || request.end.is_some();
        match request.engine {
            Engine::Frontier => Ok(Self::of_sweeps(request, is_fixed, sums)),
            Engine::Auto | Engine::Backtrack | Engine::Multipath => {
                Self::of_searches(request, is_fixed, sums)
            }
        }
    }

    /// Interprets the sums of sweeps. Closed tours are counted for the re-entrant paths as well.
    pub(super) fn of_sweeps(request: &Request, is_fixed: bool, sums: &Sums) -> Self {
        let paths = match request.kind {
            Some(Kind::Closed) => Paths::None,
            _ if request.per_start && !is_fixed => Paths::ByEnds {
                directed: sums.directed.clone(),
                re_entrant: None,
                total: Some(sums.unplaced.clone()),
            },
            _ => Paths::Total { paths: sums.unplaced.clone(), re_entrant: None },
        };
        Self { closed: Some(sums.closed.clone()), paths, tally: sums.tally }
    }

    /// Interprets the sums of searches. A fixed start or end is an orbit by itself, and every path was added
    /// there and at its other end.
    fn of_searches(request: &Request, is_fixed: bool, sums: &Sums) -> Result<Self, Broken> {
        let is_closed = request.kind == Some(Kind::Closed);
        let has_closed = request.kind.is_none_or(|_| is_closed) && request.end.is_none();
        let (paths, re_entrant) = sums.total();
        let paths = match is_fixed {
            _ if is_closed => Paths::None,
            true => Paths::Total {
                paths: divided(&paths, 2, "directed paths")?,
                re_entrant: Some(divided(&re_entrant, 2, "re-entrant paths")?),
            },
            false => Paths::ByEnds {
                directed: sums.directed.clone(),
                re_entrant: Some(sums.re_entrant.clone()),
                total: None,
            },
        };
        Ok(Self { closed: has_closed.then(|| sums.closed.clone()), paths, tally: sums.tally })
    }
}

/// Divides a sum that counts everything `by` times. `what` names the sum in the error.
///
/// # Errors
/// The sum is not divisible.
pub fn divided(sum: &BigUint, by: u32, what: &str) -> Result<BigUint, Broken> {
    let (quotient, remainder) = sum.div_rem(&BigUint::from(by));
    if remainder == BigUint::ZERO {
        Ok(quotient)
    } else {
        Err(Broken::new(format!("{what}: {sum} is not divisible by {by}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Arena;

    fn sums() -> Sums {
        let numbers = |all: [u32; 2]| all.map(BigUint::from).to_vec();
        let mut sums = Sums::new(2);
        (sums.closed, sums.unplaced) = (3u32.into(), 7u32.into());
        (sums.directed, sums.re_entrant) = (numbers([6, 8]), numbers([2, 4]));
        sums
    }

    fn request(engine: Engine) -> Request {
        Request { engine, ..Request::new("3x4".parse::<Arena>().unwrap()) }
    }

    #[test]
    fn a_search_tells_ends_unless_they_are_fixed() {
        let free = Found::of(&request(Engine::Multipath), &sums()).unwrap();
        let Paths::ByEnds { directed, re_entrant: Some(re_entrant), total: None } = free.paths else {
            panic!("{free:?}")
        };
        assert_eq!((directed.len(), re_entrant.len(), free.closed), (2, 2, Some(3u32.into())));
        let fixed = Request { start: Some(0), ..request(Engine::Backtrack) };
        let paths = Paths::Total { paths: 7u32.into(), re_entrant: Some(3u32.into()) };
        assert_eq!(Found::of(&fixed, &sums()).unwrap().paths, paths);
        let odd = Sums { directed: vec![1u32.into()], ..sums() };
        assert!(Found::of(&fixed, &odd).is_err());
    }

    #[test]
    fn a_sweep_tells_ends_if_it_is_asked_to() {
        let swept = |per_start, kind| {
            Found::of(&Request { per_start, kind, ..request(Engine::Frontier) }, &sums()).unwrap().paths
        };
        assert_eq!(swept(false, None), Paths::Total { paths: 7u32.into(), re_entrant: None });
        assert!(matches!(swept(true, None), Paths::ByEnds { re_entrant: None, total: Some(_), .. }));
        assert_eq!(swept(true, Some(Kind::Closed)), Paths::None);
    }
}
