//! From a request to an answer: choose the engine, run its units, reduce, check.
//!
//! Asked for all kinds, it counts paths and closed tours by two searches that
//! know nothing of each other; the re-entrant paths found by the first must be
//! exactly squares x the closed tours found by the second.

use num_bigint::BigUint;

use crate::board::{Bitboard, Board, SymmetryGroup};
use crate::search::backtrack::Backtrack;
use crate::search::meter::Meter;
use crate::search::order::Warnsdorff;
use crate::search::prefix::PrefixPlan;
use crate::search::probe;
use crate::search::problem::{ForBitboard, MAX_SQUARES, Problem, ProblemError, with_bitboard};
use crate::search::split::Plan;
use crate::search::visitor::{Counter, CounterByLast};
use crate::search::workers::{self, Stopped};
use crate::tour::Kind;

use super::request::{Answer, Counts, Engine, Request, StartCount};
use super::tally::{Tally, add, times};
use super::theorems::{self, Broken};

/// Why there is no count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CountError {
    /// The problem cannot be searched.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The engine asked for is not built for this.
    #[error("engine {name} cannot do this: {why}", name = .engine.name())]
    Engine {
        /// The engine.
        engine: Engine,
        /// What is in the way.
        why: &'static str,
    },
    /// No square left on the board.
    #[error("the board has no squares left")]
    NoSquares,
    /// The run was stopped before its end.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A sum became too large for its number type.
    #[error("a sum does not fit 128 bits")]
    Overflow,
    /// The result cannot be right.
    #[error(transparent)]
    Broken(#[from] Broken),
}

/// What one search found.
struct Found {
    /// Closed tours, undirected.
    closed: Option<u128>,
    tally: Option<Tally>,
    split_depth: u32,
    units: usize,
    nodes: u64,
    visited: u64,
}

/// Counts. The meter shows how far the run is, and stops it.
///
/// Cost: time as [`probe::estimate`] tells; memory a few MB for the units, whatever the number of tours.
///
/// # Errors
/// See [`CountError`].
pub fn count(request: &Request, meter: &Meter) -> Result<Answer, CountError> {
    let board = &request.board;
    if board.is_empty() {
        return Err(CountError::NoSquares);
    }
    let engine = match request.engine {
        Engine::Auto => Engine::Multipath,
        Engine::Frontier => {
            return Err(CountError::Engine { engine: Engine::Frontier, why: "it is not part of this build" });
        }
        engine => engine,
    };
    // Ends that cannot be are refused whatever is searched.
    search_problem(request, request.kind.unwrap_or(Kind::Paths))?;
    if board.len() == 1 {
        return Ok(single_square(request, engine));
    }
    let wants = |kind: Kind| request.kind.is_none_or(|k| k == kind);
    let mut answer = Answer {
        counts: Counts::default(),
        fixed: request.start.is_some() || request.end.is_some(),
        per_start: Vec::new(),
        engine,
        split_depth: 0,
        units: 0,
        nodes: 0,
        visited: 0,
    };
    let mut tally = None;
    if wants(Kind::Open) || wants(Kind::Paths) {
        let kind = request.kind.unwrap_or(Kind::Paths);
        let found = search(request, engine, kind, meter)?;
        note(&mut answer, &found);
        tally = found.tally;
    }
    if wants(Kind::Closed) && request.end.is_none() {
        let found = search(request, engine, Kind::Closed, meter)?;
        note(&mut answer, &found);
        answer.counts.closed = found.closed.map(BigUint::from);
    }
    if let Some(tally) = &tally {
        fill(&mut answer, request, tally)?;
    }
    if answer.fixed {
        if let Some(closed) = &mut answer.counts.closed {
            // Every closed tour passes the start, in two directions.
            *closed *= 2u32;
        }
        if board.len() > 2 {
            theorems::check_fixed(&answer.counts)?;
        }
    } else {
        if request.kind == Some(Kind::Closed) {
            let closed = answer.counts.closed.as_ref().map(|closed| closed * 2u32);
            let orbits = SymmetryGroup::of(board).orbits();
            answer.per_start =
                per_start(board, &orbits, |_| Ok(Counts { closed: closed.clone(), ..Counts::default() }))?;
        }
        theorems::check(board, request.leaper, &answer.counts, &answer.per_start)?;
    }
    Ok(answer)
}

fn note(answer: &mut Answer, found: &Found) {
    answer.split_depth = answer.split_depth.max(found.split_depth);
    answer.units += found.units;
    answer.nodes += found.nodes;
    answer.visited += found.visited;
}

/// The one path of a board of one square, of no moves: an open tour, directed or not, from its square.
fn single_square(request: &Request, engine: Engine) -> Answer {
    let one = |kind: Kind, number: u32| request.kind.is_none_or(|k| k == kind).then(|| BigUint::from(number));
    // As on other boards, a fixed end leaves closed tours out.
    let closed = one(Kind::Closed, 0).filter(|_| request.end.is_none());
    let counts = Counts { closed, open: one(Kind::Open, 1), paths: one(Kind::Paths, 1) };
    let square = request.board.squares().next().expect("there is one square");
    let fixed = request.start.is_some() || request.end.is_some();
    let starts =
        if fixed { Vec::new() } else { vec![StartCount { square, orbit: 1, counts: counts.clone() }] };
    Answer { counts, fixed, per_start: starts, engine, split_depth: 0, units: 0, nodes: 0, visited: 1 }
}

/// Totals and counts by start from the tally of paths.
fn fill(answer: &mut Answer, request: &Request, tally: &Tally) -> Result<(), CountError> {
    let wants = |kind: Kind| request.kind.is_none_or(|k| k == kind);
    let numbers = |(paths, re_entrant): (u128, u128)| Counts {
        closed: None,
        open: wants(Kind::Open).then(|| BigUint::from(paths - re_entrant)),
        paths: wants(Kind::Paths).then(|| BigUint::from(paths)),
    };
    let (paths, re_entrant) = tally.total()?;
    let whole = |sum: u128, by: u128, what: &str| {
        if sum.is_multiple_of(by) {
            Ok(sum / by)
        } else {
            Err(Broken::new(format!("{what}: {sum} is not divisible by {by}")))
        }
    };
    // With a fixed start (or end) every path was tallied once at that square, which is an orbit by itself.
    let halved = (whole(paths, 2, "directed paths")?, whole(re_entrant, 2, "directed re-entrant paths")?);
    let total = numbers(halved);
    answer.counts.open = total.open;
    answer.counts.paths = total.paths;
    if answer.fixed {
        return Ok(());
    }
    let by_orbit: Vec<(u128, u128)> = tally.by_orbit().collect();
    let closed = answer.counts.closed.as_ref().map(|closed| closed * 2u32);
    if request.kind != Some(Kind::Open) && request.board.len() > 2 {
        let from_each = |orbit: usize| by_orbit[orbit].1 / tally.orbits()[orbit].len() as u128;
        if let Some(orbit) = (1..by_orbit.len()).find(|&orbit| from_each(orbit) != from_each(0)) {
            let (one, other) = (from_each(0), from_each(orbit));
            let what = format!("{one} re-entrant paths start from one square, {other} from another");
            return Err(Broken::new(what).into());
        }
    }
    answer.per_start = per_start(&request.board, tally.orbits(), |orbit| {
        let size = tally.orbits()[orbit].len() as u128;
        let (paths, re_entrant) = by_orbit[orbit];
        let from = (
            whole(paths, size, "directed paths from an orbit")?,
            whole(re_entrant, size, "directed re-entrant paths from an orbit")?,
        );
        Ok(Counts { closed: closed.clone(), ..numbers(from) })
    })?;
    Ok(())
}

fn per_start(
    board: &Board,
    orbits: &[Vec<u32>],
    counts: impl Fn(usize) -> Result<Counts, CountError>,
) -> Result<Vec<StartCount>, CountError> {
    let squares: Vec<_> = board.squares().collect();
    let mut starts = Vec::with_capacity(squares.len());
    for (i, orbit) in orbits.iter().enumerate() {
        let counts = counts(i)?;
        for &v in orbit {
            let square = squares[v as usize];
            starts.push(StartCount { square, orbit: orbit.len(), counts: counts.clone() });
        }
    }
    starts.sort_by_key(|start| start.square);
    Ok(starts)
}

fn search_problem(request: &Request, kind: Kind) -> Result<Problem, CountError> {
    if request.board.len() > MAX_SQUARES {
        return Err(ProblemError::TooLarge(request.board.len()).into());
    }
    let Request { board, leaper, start, end, .. } = request;
    Ok(Problem::new(board, *leaper, kind, *start, *end)?)
}

fn search(request: &Request, engine: Engine, kind: Kind, meter: &Meter) -> Result<Found, CountError> {
    let problem = search_problem(request, kind)?;
    let len = problem.graph().len();
    match engine {
        Engine::Backtrack => {
            with_bitboard(len, Extension { problem, split_depth: request.split_depth, meter })
        }
        _ => multipath(&Plan::new(problem, request.split_depth), meter),
    }
}

/// Runs the multi-path kernel over its units.
fn multipath(plan: &Plan, meter: &Meter) -> Result<Found, CountError> {
    struct Unit<'a>(&'a Plan, usize, &'a Meter);
    impl ForBitboard for Unit<'_> {
        type Output = Option<((u64, u64), u64, u128)>;
        fn run<B: Bitboard>(self) -> Self::Output {
            let Self(plan, number, meter) = self;
            let unit = &plan.units()[number];
            let mut counter = Counter::new(meter.stop_flag());
            let nodes = plan.root::<B>(unit).visit(&mut counter);
            if meter.is_stopped() {
                return None;
            }
            let tours = u128::from(counter.tours) * u128::from(plan.weight(unit));
            Some(((counter.tours, nodes), nodes, tours))
        }
    }
    let len = plan.problem().graph().len();
    let results = with_estimates(plan, meter, || {
        workers::run(&plan.schedule(), meter, |unit| with_bitboard(len, Unit(plan, unit, meter)))
    })?;
    let mut tally = Tally::new(plan.problem().group().orbits());
    let mut closed = 0;
    let (mut nodes, mut visited) = (0, 0);
    for (unit, (tours, unit_nodes)) in plan.units().iter().zip(results) {
        let class = &plan.classes()[unit.class as usize];
        let count = times(u128::from(tours), plan.weight(unit))?;
        match class.ends {
            None => add(&mut closed, count)?,
            Some((v, w)) => tally.add((v, w), plan.problem().is_re_entrant(v, w), count)?,
        }
        nodes += unit_nodes;
        visited += tours;
    }
    let is_closed = plan.problem().kind() == Kind::Closed;
    Ok(Found {
        closed: is_closed.then_some(closed),
        tally: (!is_closed).then_some(tally),
        split_depth: plan.split_depth(),
        units: plan.units().len(),
        nodes,
        visited,
    })
}

/// Runs `work`; if somebody watches and it takes a while, estimates the units' sizes meanwhile.
fn with_estimates<R: Send>(plan: &Plan, meter: &Meter, work: impl FnOnce() -> R + Send) -> R {
    if !meter.is_wanted() {
        return work();
    }
    std::thread::scope(|scope| {
        let (done, finished) = std::sync::mpsc::channel::<()>();
        scope.spawn(move || {
            let patience = std::time::Duration::from_millis(500);
            if finished.recv_timeout(patience) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                meter.set_estimates(probe::estimate(plan, 8, 0).unit_nodes);
            }
        });
        let result = work();
        drop(done);
        result
    })
}

/// The path-extension kernel over its units.
struct Extension<'a> {
    problem: Problem,
    split_depth: Option<u32>,
    meter: &'a Meter,
}

impl ForBitboard for Extension<'_> {
    type Output = Result<Found, CountError>;

    fn run<B: Bitboard>(self) -> Self::Output {
        let Self { problem, split_depth, meter } = self;
        let plan = PrefixPlan::new::<B>(problem, &Warnsdorff, split_depth);
        let problem = plan.problem();
        let len = problem.graph().len();
        let schedule: Vec<u32> = (0..plan.units().len() as u32).collect();
        let results = workers::run(&schedule, meter, |number| {
            let unit = &plan.units()[number];
            let kernel: Backtrack<B> = plan.kernel(unit);
            let mut counter = CounterByLast::new(len, meter.stop_flag());
            let nodes = kernel.visit(&Warnsdorff, &mut counter);
            let tours: u64 = counter.tours.iter().sum();
            let images = u128::from(plan.roots()[unit.root as usize].size) * u128::from(unit.weight);
            let by_last: Vec<(u32, u64)> = (0..).zip(counter.tours).filter(|&(_, tours)| tours > 0).collect();
            (!meter.is_stopped()).then_some(((by_last, nodes), nodes, u128::from(tours) * images))
        })?;
        let mut tally = Tally::new(problem.group().orbits());
        let mut closed = 0;
        let (mut nodes, mut visited) = (0, 0);
        for (unit, (by_last, unit_nodes)) in plan.units().iter().zip(results) {
            let root = &plan.roots()[unit.root as usize];
            nodes += unit_nodes;
            for (last, tours) in by_last {
                visited += tours;
                let count = times(times(u128::from(tours), unit.weight)?, root.size)?;
                let start = root.path[0];
                if problem.kind() == Kind::Closed {
                    add(&mut closed, count)?;
                } else if !problem.is_fixed()
                    && tally.orbit_of(start as usize) == tally.orbit_of(last as usize)
                {
                    // Both directions were searched; the tally wants undirected paths.
                    tally.add_directed(start, problem.is_re_entrant(start, last), count)?;
                } else {
                    tally.add((start, last), problem.is_re_entrant(start, last), count)?;
                }
            }
        }
        let is_closed = problem.kind() == Kind::Closed;
        Ok(Found {
            closed: is_closed.then_some(closed),
            tally: (!is_closed).then_some(tally),
            split_depth: plan.split_depth(),
            units: plan.units().len(),
            nodes,
            visited,
        })
    }
}
