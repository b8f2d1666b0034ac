//! What the sums mean: from sums over all units to checked counts.
//!
//! This needs the arena and its orbits, but not the units: sums of shards that were
//! made elsewhere can be turned into an answer without any search.

use num_bigint::BigUint;
use num_integer::Integer;

use crate::search::problem::{Problem, ProblemError};
use crate::search::width::MAX_SQUARES;
use crate::tour::Kind;

use super::request::{Answer, Counts, Engine, Request, StartCount};
use super::sums::Sums;
use super::theorems::{self, Broken};
use super::{CountError, cost};

/// A request that can be answered: its arena has vertices, its ends among them.
#[derive(Clone, Debug)]
pub struct Question {
    request: Request,
    /// Orbits of squares under the symmetries that keep the question.
    orbits: Vec<Vec<u32>>,
    orbit_of: Vec<usize>,
}

impl Question {
    /// Checks a request and settles its engine.
    ///
    /// # Errors
    /// A request that cannot be: see [`CountError`].
    pub fn new(request: &Request) -> Result<Self, CountError> {
        if request.arena.is_empty() {
            return Err(CountError::NoSquares);
        }
        let mut request = request.clone();
        check_ends(&request)?;
        if request.engine == Engine::Auto {
            request.engine = cost::choose(&request);
        }
        if request.engine != Engine::Frontier {
            // A search is split finely anyway.
            request.parts = 1;
        }
        let orbits = if request.engine == Engine::Frontier {
            // Of any size; a sweep's totals need no orbits, its counts by start have those of the arena.
            request.arena.symmetries().orbits()
        } else {
            problem(&request, request.kind.unwrap_or(Kind::Paths))?.symmetries().orbits()
        };
        let mut orbit_of = vec![0; request.arena.len()];
        for (i, orbit) in orbits.iter().enumerate() {
            for &v in orbit {
                orbit_of[v as usize] = i;
            }
        }
        Ok(Self { request, orbits, orbit_of })
    }

    /// The request, with the engine that does it.
    #[must_use]
    pub const fn request(&self) -> &Request {
        &self.request
    }

    /// Orbits of squares under the symmetries that keep the question.
    #[must_use]
    pub fn orbits(&self) -> &[Vec<u32>] {
        &self.orbits
    }

    /// The number of the orbit of a square.
    #[must_use]
    pub fn orbit_of(&self, v: u32) -> usize {
        self.orbit_of[v as usize]
    }

    /// The searches it takes, if it is searched: of which kinds. None on a board of one square.
    #[must_use]
    pub fn stages(&self) -> Vec<Kind> {
        let Request { arena, kind, end, .. } = &self.request;
        let mut kinds = Vec::new();
        if arena.len() > 1 {
            if *kind != Some(Kind::Closed) {
                kinds.push(kind.unwrap_or(Kind::Paths));
            }
            if kind.is_none_or(|kind| kind == Kind::Closed) && end.is_none() {
                kinds.push(Kind::Closed);
            }
        }
        kinds
    }

    /// The search for one kind.
    ///
    /// # Errors
    /// A board too large to search.
    pub fn problem(&self, kind: Kind) -> Result<Problem, CountError> {
        problem(&self.request, kind)
    }

    /// Sums of no unit.
    #[must_use]
    pub fn no_sums(&self) -> Sums {
        Sums::new(self.orbits.len())
    }

    /// Directed numbers of a part of the units. No theorem speaks of a part.
    #[must_use]
    pub fn part(&self, sums: &Sums) -> Counts {
        let mut counts = Counts::default();
        if self.wants(Kind::Closed) && self.request.end.is_none() {
            counts.closed = Some(&sums.closed * 2u32);
        }
        let (paths, re_entrant) = sums.total();
        if self.request.engine == Engine::Frontier {
            let directed = if self.request.start.is_some() || self.request.end.is_some() { 1u32 } else { 2 };
            let re_entrant = self.re_entrant(sums).min(sums.unplaced.clone());
            self.set_paths(&mut counts, &(&sums.unplaced * directed, re_entrant * directed));
        } else if self.request.start.is_some() || self.request.end.is_some() {
            // Every path was summed at the fixed square and at its other end.
            self.set_paths(&mut counts, &(paths / 2u32, re_entrant / 2u32));
        } else {
            self.set_paths(&mut counts, &(paths, re_entrant));
        }
        counts
    }

    fn wants(&self, kind: Kind) -> bool {
        self.request.kind.is_none_or(|k| k == kind)
    }
    /// The answer from the sums of all units, if it obeys the theorems.
    ///
    /// # Errors
    /// [`CountError::Broken`] if it does not.
    pub fn answer(&self, sums: &Sums) -> Result<Answer, CountError> {
        let request = &self.request;
        let squares = request.arena.len();
        if squares == 1 {
            return Ok(self.single_square());
        }
        let fixed = request.start.is_some() || request.end.is_some();
        let mut counts = Counts::default();
        if self.wants(Kind::Closed) && request.end.is_none() {
            // Every closed tour passes a fixed start, in two directions.
            counts.closed = Some(if fixed { &sums.closed * 2u32 } else { sums.closed.clone() });
        }
        let (paths, re_entrant) = sums.total();
        if request.engine == Engine::Frontier && self.wants_paths() {
            let re_entrant = self.re_entrant(sums);
            if re_entrant > sums.unplaced {
                let what = format!("{re_entrant} re-entrant paths among {} paths", sums.unplaced);
                return Err(Broken::new(what).into());
            }
            if request.per_start && !fixed && paths != &sums.unplaced * 2u32 {
                let what =
                    format!("directed paths by start add up to {paths}, not to twice {}", sums.unplaced);
                return Err(Broken::new(what).into());
            }
            self.set_paths(&mut counts, &(sums.unplaced.clone(), re_entrant));
        } else {
            // With a fixed start or end, that square is an orbit by itself and every path was summed there
            // and at its other end.
            self.set_paths(
                &mut counts,
                &(divided(&paths, 2, "directed paths")?, divided(&re_entrant, 2, "re-entrant paths")?),
            );
        }
        let mut per_start = Vec::new();
        if fixed {
            if squares > 2 {
                theorems::check_fixed(&counts)?;
            }
        } else {
            if request.per_start || request.engine != Engine::Frontier || request.kind == Some(Kind::Closed) {
                per_start = self.per_start(&counts, sums)?;
            }
            theorems::check(&request.arena, &counts, &per_start)?;
        }
        Ok(Answer {
            counts,
            fixed,
            per_start,
            engine: request.engine,
            nodes: sums.nodes,
            visited: sums.visited,
        })
    }

    fn wants_paths(&self) -> bool {
        self.request.kind != Some(Kind::Closed)
    }

    /// Re-entrant paths, from closed tours: undirected ones, or directed ones with the fixed ends.
    fn re_entrant(&self, sums: &Sums) -> BigUint {
        let Request { arena, start, end, .. } = &self.request;
        match (start, end) {
            _ if arena.len() < 3 => BigUint::ZERO,
            (None, None) => &sums.closed * arena.len(),
            (Some(start), Some(end)) if arena.is_move(*start, *end) => sums.unplaced.clone(),
            (Some(_), Some(_)) => BigUint::ZERO,
            _ => &sums.closed * 2u32,
        }
    }

    fn set_paths(&self, counts: &mut Counts, (paths, re_entrant): &(BigUint, BigUint)) {
        counts.open = self.wants(Kind::Open).then(|| paths - re_entrant);
        counts.paths = self.wants(Kind::Paths).then(|| paths.clone());
    }

    /// Directed counts from every square.
    fn per_start(&self, counts: &Counts, sums: &Sums) -> Result<Vec<StartCount>, CountError> {
        let squares = self.request.arena.len();
        let closed = counts.closed.as_ref().map(|closed| closed * 2u32);
        let mut starts = Vec::with_capacity(squares);
        let mut re_entrant_from = None;
        for (i, orbit) in self.orbits.iter().enumerate() {
            let size = orbit.len() as u32;
            let paths = divided(&sums.directed[i], size, "directed paths from an orbit")?;
            let re_entrant = if self.request.engine == Engine::Frontier {
                if squares > 2 { &sums.closed * 2u32 } else { BigUint::ZERO }
            } else {
                divided(&sums.re_entrant[i], size, "re-entrant paths from an orbit")?
            };
            if re_entrant > paths && self.wants_paths() {
                let what = format!("{re_entrant} re-entrant paths among {paths} from a square");
                return Err(Broken::new(what).into());
            }
            let from = (paths, re_entrant);
            // Open tours were counted without the re-entrant paths.
            if self.request.kind != Some(Kind::Open) && squares > 2 {
                let first = re_entrant_from.get_or_insert_with(|| from.1.clone());
                if *first != from.1 {
                    let what =
                        format!("{first} re-entrant paths start from one square, {} from another", from.1);
                    return Err(Broken::new(what).into());
                }
            }
            let mut counts = Counts { closed: closed.clone(), ..Counts::default() };
            self.set_paths(&mut counts, &from);
            for &vertex in orbit {
                starts.push(StartCount { vertex, orbit: orbit.len(), counts: counts.clone() });
            }
        }
        starts.sort_by_key(|start| start.vertex);
        Ok(starts)
    }

    /// The one path of a board of one square, of no moves: an open tour, directed or not, from its square.
    fn single_square(&self) -> Answer {
        let request = &self.request;
        let one =
            |kind: Kind, number: u32| request.kind.is_none_or(|k| k == kind).then(|| BigUint::from(number));
        // As on other boards, a fixed end leaves closed tours out.
        let closed = one(Kind::Closed, 0).filter(|_| request.end.is_none());
        let counts = Counts { closed, open: one(Kind::Open, 1), paths: one(Kind::Paths, 1) };
        let fixed = request.start.is_some() || request.end.is_some();
        let start = StartCount { vertex: 0, orbit: 1, counts: counts.clone() };
        Answer {
            counts,
            fixed,
            per_start: if fixed { Vec::new() } else { vec![start] },
            engine: request.engine,
            nodes: 0,
            visited: 1,
        }
    }
}

fn divided(sum: &BigUint, by: u32, what: &str) -> Result<BigUint, Broken> {
    let (quotient, remainder) = sum.div_rem(&BigUint::from(by));
    if remainder == BigUint::ZERO {
        Ok(quotient)
    } else {
        Err(Broken::new(format!("{what}: {sum} is not divisible by {by}")))
    }
}

/// Ends that cannot be are refused whatever counts.
fn check_ends(request: &Request) -> Result<(), CountError> {
    let Request { arena, kind, start, end, .. } = request;
    if let Some(&v) = start.iter().chain(end).find(|&&v| v as usize >= arena.len()) {
        return Err(ProblemError::NoVertex(v).into());
    }
    match (start, end) {
        (Some(start), Some(end)) if start == end && arena.len() > 1 => {
            Err(ProblemError::SameEnds(arena.name(*start)).into())
        }
        (_, Some(_)) if *kind == Some(Kind::Closed) => Err(ProblemError::ClosedEnd.into()),
        _ => Ok(()),
    }
}

fn problem(request: &Request, kind: Kind) -> Result<Problem, CountError> {
    if request.arena.len() > MAX_SQUARES {
        return Err(ProblemError::TooLarge(request.arena.len()).into());
    }
    Ok(Problem::new(&request.arena, kind, request.start, request.end)?)
}
