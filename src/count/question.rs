//! What the sums mean: from sums over all units to checked counts.
//!
//! This needs the arena and its orbits, but not the units: sums of shards that were
//! made elsewhere can be turned into an answer without any search.

use num_bigint::BigUint;

use crate::frontier;
use crate::search::problem::{Problem, ProblemError};
use crate::search::width::MAX_SQUARES;
use crate::tour::Kind;

use super::found::{Found, Paths, divided};
use super::request::{Answer, Counts, Engine, Request, Residues, StartCount};
use super::sums::Sums;
use super::tally::Tally;
use super::theorems::{self, Broken};
use super::{CountError, cost};

/// A request that can be answered: its ends are vertices of its arena.
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
        let mut request = request.clone();
        check_ends(&request)?;
        if request.modulus.is_some() {
            if request.per_start || !matches!(request.engine, Engine::Auto | Engine::Frontier) {
                return Err(CountError::NoResidues);
            }
            request.engine = Engine::Frontier;
        }
        if request.engine == Engine::Auto {
            request.engine = cost::choose(&request);
        }
        if let (Engine::Frontier, Some(width)) = (request.engine, cost::too_wide(&request)) {
            return Err(frontier::Error::Width { width }.into());
        }
        if request.engine != Engine::Frontier {
            // A search is split finely anyway.
            request.parts = 1;
        }
        let orbits = if request.engine == Engine::Frontier || request.arena.is_empty() {
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

    /// The searches it takes, if it is searched: of which kinds. None on a board of one square or none.
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

    /// The same sums with zeros for the orbits that a record leaves out.
    fn by_orbit(&self, sums: &Sums) -> Sums {
        let mut all = self.no_sums();
        if all.add(sums) { all } else { sums.clone() }
    }

    /// Directed numbers of a part of the units. No theorem speaks of a part.
    ///
    /// # Errors
    /// Sums that cannot be.
    pub fn part(&self, sums: &Sums) -> Result<Counts, CountError> {
        let found = Found::of(&self.request, &self.by_orbit(sums))?;
        let mut counts = Counts { closed: self.closed(&found, 2), ..Counts::default() };
        let directions = if self.is_fixed() { 1u32 } else { 2 };
        let (paths, re_entrant) = match &found.paths {
            Paths::None => return Ok(counts),
            Paths::Total { paths, re_entrant } => {
                let re_entrant = re_entrant.clone().unwrap_or_else(|| self.re_entrant(&found, paths));
                (paths * directions, re_entrant * directions)
            }
            Paths::ByEnds { directed, re_entrant, total } => {
                let paths = total.as_ref().map_or_else(|| directed.iter().sum(), |total| total * 2u32);
                let seen = re_entrant.as_ref().map(|seen| seen.iter().sum());
                let re_entrant = seen.unwrap_or_else(|| self.re_entrant(&found, &paths) * 2u32);
                (paths, re_entrant)
            }
        };
        // Closed tours may have been counted before the paths.
        let re_entrant = re_entrant.min(paths.clone());
        self.set_paths(&mut counts, &(paths, re_entrant));
        Ok(counts)
    }

    /// The residues that sums of residues stand for, if the request is for such. No theorem speaks of them.
    #[must_use]
    pub fn residues(&self, sums: &Sums) -> Option<Residues> {
        let modulus = self.request.modulus?;
        let fixed = self.is_fixed();
        let mut counts = Counts::default();
        if self.request.arena.len() < 2 {
            counts = self.without_moves().counts;
        } else {
            let found = Found::of_sweeps(&self.request, fixed, sums);
            counts.closed = self.closed(&found, if fixed { 2 } else { 1 });
            if let Paths::Total { paths, .. } = &found.paths {
                // All numbers of the same size or greater, so that nothing falls below zero.
                let re_entrant = modulus.of(&self.re_entrant(&found, paths));
                self.set_paths(&mut counts, &(modulus.of(paths) + modulus.modulus(), re_entrant));
            }
        }
        for kind in Kind::ALL {
            if let Some(number) = counts.get_mut(kind) {
                *number = modulus.of(number);
            }
        }
        Some(Residues { modulus, counts, fixed })
    }

    /// The answer from the sums of all units, if it obeys the theorems.
    ///
    /// # Errors
    /// [`CountError::Broken`] if it does not.
    pub fn answer(&self, sums: &Sums) -> Result<Answer, CountError> {
        if self.request.arena.len() < 2 {
            return Ok(self.without_moves());
        }
        self.conclude(&Found::of(&self.request, &self.by_orbit(sums))?)
    }

    /// The same from what was found.
    fn conclude(&self, found: &Found) -> Result<Answer, CountError> {
        let request = &self.request;
        let squares = request.arena.len();
        let fixed = self.is_fixed();
        // Every closed tour passes a fixed start, in two directions.
        let mut counts =
            Counts { closed: self.closed(found, if fixed { 2 } else { 1 }), ..Counts::default() };
        if let Some(paths) = self.paths(found)? {
            self.set_paths(&mut counts, &paths);
        }
        let mut per_start = Vec::new();
        if fixed {
            if squares > 2 {
                theorems::check_fixed(&counts)?;
            }
        } else {
            if !matches!(found.paths, Paths::Total { .. }) {
                per_start = self.per_start(&counts, found)?;
            }
            theorems::check(&request.arena, &counts, &per_start)?;
        }
        Ok(Answer { counts, fixed, per_start, engine: request.engine, tally: found.tally })
    }

    fn is_fixed(&self) -> bool {
        self.request.start.is_some() || self.request.end.is_some()
    }

    fn wants(&self, kind: Kind) -> bool {
        self.request.kind.is_none_or(|k| k == kind)
    }

    /// Closed tours in so many directions, if they are wanted.
    fn closed(&self, found: &Found, directions: u32) -> Option<BigUint> {
        let wanted = self.wants(Kind::Closed) && self.request.end.is_none();
        found.closed.as_ref().filter(|_| wanted).map(|closed| closed * directions)
    }

    /// Paths, and the re-entrant ones among them: undirected, or directed with the fixed ends.
    fn paths(&self, found: &Found) -> Result<Option<(BigUint, BigUint)>, Broken> {
        let (paths, seen) = match &found.paths {
            Paths::None => return Ok(None),
            Paths::Total { paths, re_entrant } => (paths.clone(), re_entrant.clone()),
            Paths::ByEnds { directed, re_entrant, total } => {
                let all: BigUint = directed.iter().sum();
                if let Some(total) = total.as_ref().filter(|&total| all != total * 2u32) {
                    let what = format!("directed paths by start add up to {all}, not to twice {total}");
                    return Err(Broken::new(what));
                }
                let seen = re_entrant.as_ref().map(|seen| seen.iter().sum());
                let seen = seen.map(|seen: BigUint| divided(&seen, 2, "re-entrant paths")).transpose()?;
                (divided(&all, 2, "directed paths")?, seen)
            }
        };
        let re_entrant = seen.unwrap_or_else(|| self.re_entrant(found, &paths));
        if re_entrant > paths {
            return Err(Broken::new(format!("{re_entrant} re-entrant paths among {paths} paths")));
        }
        Ok(Some((paths, re_entrant)))
    }

    /// Re-entrant paths, from closed tours: undirected ones, or directed ones with the fixed ends. Between two
    /// vertices all `paths` are, or none is.
    fn re_entrant(&self, found: &Found, paths: &BigUint) -> BigUint {
        let Request { arena, start, end, .. } = &self.request;
        let closed = found.closed.clone().unwrap_or_default();
        match (start, end) {
            _ if arena.len() < 3 => BigUint::ZERO,
            (None, None) => closed * arena.len(),
            (Some(start), Some(end)) if arena.is_move(*start, *end) => paths.clone(),
            (Some(_), Some(_)) => BigUint::ZERO,
            _ => closed * 2u32,
        }
    }

    fn set_paths(&self, counts: &mut Counts, (paths, re_entrant): &(BigUint, BigUint)) {
        counts.open = self.wants(Kind::Open).then(|| paths - re_entrant);
        counts.paths = self.wants(Kind::Paths).then(|| paths.clone());
    }

    /// Directed counts from every vertex.
    fn per_start(&self, counts: &Counts, found: &Found) -> Result<Vec<StartCount>, CountError> {
        let squares = self.request.arena.len();
        let closed = counts.closed.as_ref().map(|closed| closed * 2u32);
        let mut starts = Vec::with_capacity(squares);
        let mut re_entrant_from = None;
        for (i, orbit) in self.orbits.iter().enumerate() {
            let mut counts = Counts { closed: closed.clone(), ..Counts::default() };
            if let Some(from) = self.of_orbit(found, i)? {
                // A search for open tours sees no re-entrant path from anywhere.
                let first = re_entrant_from.get_or_insert_with(|| from.1.clone());
                if *first != from.1 && squares > 2 {
                    let what =
                        format!("{first} re-entrant paths start from one square, {} from another", from.1);
                    return Err(Broken::new(what).into());
                }
                self.set_paths(&mut counts, &from);
            }
            for &vertex in orbit {
                starts.push(StartCount { vertex, orbit: orbit.len(), counts: counts.clone() });
            }
        }
        starts.sort_by_key(|start| start.vertex);
        Ok(starts)
    }

    /// Directed paths from one vertex of an orbit, and the re-entrant ones among them, if there are numbers by
    /// ends.
    fn of_orbit(&self, found: &Found, orbit: usize) -> Result<Option<(BigUint, BigUint)>, Broken> {
        let Paths::ByEnds { directed, re_entrant, .. } = &found.paths else { return Ok(None) };
        let size = self.orbits[orbit].len() as u32;
        let paths = divided(&directed[orbit], size, "directed paths from an orbit")?;
        let re_entrant = match re_entrant {
            Some(seen) => divided(&seen[orbit], size, "re-entrant paths from an orbit")?,
            None if self.request.arena.len() > 2 => found.closed.clone().unwrap_or_default() * 2u32,
            None => BigUint::ZERO,
        };
        if re_entrant > paths {
            return Err(Broken::new(format!("{re_entrant} re-entrant paths among {paths} from a square")));
        }
        Ok(Some((paths, re_entrant)))
    }

    /// The one path of a board of one square, of no moves: an open tour, directed or not, from its square. Without
    /// any square there is no tour at all.
    fn without_moves(&self) -> Answer {
        let request = &self.request;
        let squares = request.arena.len() as u32;
        let one =
            |kind: Kind, number: u32| request.kind.is_none_or(|k| k == kind).then(|| BigUint::from(number));
        // As on other boards, a fixed end leaves closed tours out.
        let closed = one(Kind::Closed, 0).filter(|_| request.end.is_none());
        let counts = Counts { closed, open: one(Kind::Open, squares), paths: one(Kind::Paths, squares) };
        let fixed = request.start.is_some() || request.end.is_some();
        let starts = (0..squares).map(|vertex| StartCount { vertex, orbit: 1, counts: counts.clone() });
        let per_start = if fixed { Vec::new() } else { starts.collect() };
        Answer {
            counts,
            fixed,
            per_start,
            engine: request.engine,
            tally: Tally { visited: squares.into(), ..Tally::default() },
        }
    }
}

/// Ends that cannot be are refused whatever counts.
fn check_ends(request: &Request) -> Result<(), CountError> {
    let Request { arena, kind, start, end, .. } = request;
    if request.parts == 0 {
        return Err(CountError::NoParts);
    }
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
        return Err(ProblemError::TooLarge(request.arena.extent()).into());
    }
    Ok(Problem::new(&request.arena, kind, request.start, request.end)?)
}
