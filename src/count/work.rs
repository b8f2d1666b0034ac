//! A request as numbered units of work, and the answer from their sums.
//!
//! Asked for all kinds, a job has two stages, paths and closed tours, counted by
//! two searches that know nothing of each other; the re-entrant paths found by the
//! first must be exactly squares x the closed tours found by the second. Units are
//! numbered through all stages. Units may be done in any order, by any number of
//! threads, processes or machines: their sums are added up by [`Sums`].

use num_bigint::BigUint;
use num_integer::Integer;

use crate::board::Bitboard;
use crate::search::backtrack::Backtrack;
use crate::search::meter::Meter;
use crate::search::order::Warnsdorff;
use crate::search::prefix::PrefixPlan;
use crate::search::probe;
use crate::search::problem::{ForBitboard, MAX_SQUARES, Problem, ProblemError, with_bitboard};
use crate::search::split::Plan;
use crate::search::visitor::{Counter, CounterByLast};
use crate::tour::Kind;

use super::CountError;
use super::request::{Answer, Counts, Engine, Request, StartCount};
use super::sums::{EndSum, Sums, UnitSums};
use super::theorems::{self, Broken};

/// One search of a job.
#[derive(Clone, Debug)]
enum Stage {
    Multipath(Plan),
    Backtrack(PrefixPlan),
}

/// A job cut into units.
#[derive(Clone, Debug)]
pub struct Work {
    request: Request,
    stages: Vec<Stage>,
    orbits: Orbits,
}

/// Orbits of squares under the symmetries that keep the question.
#[derive(Clone, Debug)]
struct Orbits {
    orbits: Vec<Vec<u32>>,
    of: Vec<usize>,
}

impl Orbits {
    fn new(orbits: Vec<Vec<u32>>) -> Self {
        let mut of = vec![0; orbits.iter().map(Vec::len).sum()];
        for (i, orbit) in orbits.iter().enumerate() {
            for &v in orbit {
                of[v as usize] = i;
            }
        }
        Self { orbits, of }
    }
}

impl Stage {
    fn problem(&self) -> &Problem {
        match self {
            Self::Multipath(plan) => plan.problem(),
            Self::Backtrack(plan) => plan.problem(),
        }
    }

    fn units(&self) -> usize {
        match self {
            Self::Multipath(plan) => plan.units().len(),
            Self::Backtrack(plan) => plan.units().len(),
        }
    }

    const fn split_depth(&self) -> u32 {
        match self {
            Self::Multipath(plan) => plan.split_depth(),
            Self::Backtrack(plan) => plan.split_depth(),
        }
    }

    fn schedule(&self) -> Vec<u32> {
        match self {
            Self::Multipath(plan) => plan.schedule(),
            Self::Backtrack(plan) => (0..plan.units().len() as u32).collect(),
        }
    }
}

impl Work {
    /// Splits a request. Cost: milliseconds to tenths of a second, and about 100 bytes a unit.
    ///
    /// # Errors
    /// A request that cannot be: see [`CountError`].
    pub fn new(request: &Request) -> Result<Self, CountError> {
        let board = &request.board;
        if board.is_empty() {
            return Err(CountError::NoSquares);
        }
        let mut request = request.clone();
        request.engine = match request.engine {
            Engine::Auto => Engine::Multipath,
            Engine::Frontier => {
                return Err(CountError::Engine {
                    engine: Engine::Frontier,
                    why: "it is not part of this build",
                });
            }
            engine => engine,
        };
        // Ends that cannot be are refused whatever is searched.
        let whole = problem(&request, request.kind.unwrap_or(Kind::Paths))?;
        let orbits = Orbits::new(whole.group().orbits());
        let mut kinds = Vec::new();
        if request.board.len() > 1 {
            if request.kind != Some(Kind::Closed) {
                kinds.push(request.kind.unwrap_or(Kind::Paths));
            }
            if request.kind.is_none_or(|kind| kind == Kind::Closed) && request.end.is_none() {
                kinds.push(Kind::Closed);
            }
        }
        let stage = |kind: Kind| {
            let problem = problem(&request, kind)?;
            let len = problem.graph().len();
            Ok(match request.engine {
                Engine::Backtrack => {
                    Stage::Backtrack(with_bitboard(len, Extension(problem, request.split_depth)))
                }
                _ => Stage::Multipath(Plan::new(problem, request.split_depth)),
            })
        };
        let stages = kinds.into_iter().map(stage).collect::<Result<Vec<_>, CountError>>()?;
        Ok(Self { request, stages, orbits })
    }

    /// The request, with the engine that does it.
    #[must_use]
    pub const fn request(&self) -> &Request {
        &self.request
    }

    /// How many units.
    #[must_use]
    pub fn units(&self) -> usize {
        self.stages.iter().map(Stage::units).sum()
    }

    /// The split depth of each stage.
    #[must_use]
    pub fn split_depths(&self) -> Vec<u32> {
        self.stages.iter().map(Stage::split_depth).collect()
    }

    /// The order in which units are best begun, largest first.
    #[must_use]
    pub fn schedule(&self) -> Vec<u32> {
        let mut schedule = Vec::with_capacity(self.units());
        for stage in &self.stages {
            let before = schedule.len() as u32;
            schedule.extend(stage.schedule().into_iter().map(|unit| before + unit));
        }
        schedule
    }

    /// Sums of no unit.
    #[must_use]
    pub fn no_sums(&self) -> Sums {
        Sums::new(self.orbits.orbits.len())
    }

    /// Estimated nodes of each unit, for progress; the path-extension kernel has no estimates.
    #[must_use]
    pub fn estimates(&self) -> Vec<f64> {
        let of_stage = |stage: &Stage| match stage {
            Stage::Multipath(plan) => probe::estimate(plan, 8, 0).unit_nodes,
            Stage::Backtrack(plan) => vec![1.0; plan.units().len()],
        };
        self.stages.iter().flat_map(of_stage).collect()
    }

    /// Does a unit. `None` if the meter was stopped meanwhile.
    ///
    /// # Panics
    /// If there is no such unit.
    #[must_use]
    pub fn unit(&self, number: usize, meter: &Meter) -> Option<UnitSums> {
        let mut number = number;
        for stage in &self.stages {
            if number < stage.units() {
                let len = stage.problem().graph().len();
                return with_bitboard(len, RunUnit { stage, orbits: &self.orbits, number, meter });
            }
            number -= stage.units();
        }
        panic!("there is no such unit");
    }

    /// The answer from the sums of all units, if it obeys the theorems.
    ///
    /// # Errors
    /// [`CountError::Broken`] if it does not.
    pub fn answer(&self, sums: &Sums) -> Result<Answer, CountError> {
        let request = &self.request;
        let board = &request.board;
        if board.len() == 1 {
            return Ok(self.single_square());
        }
        let wants = |kind: Kind| request.kind.is_none_or(|k| k == kind);
        let fixed = request.start.is_some() || request.end.is_some();
        let mut counts = Counts::default();
        if wants(Kind::Closed) && request.end.is_none() {
            // Every closed tour passes a fixed start, in two directions.
            counts.closed = Some(if fixed { &sums.closed * 2u32 } else { sums.closed.clone() });
        }
        let (paths, re_entrant) = sums.total();
        // With a fixed start or end, that square is an orbit by itself and every path was summed there and
        // at its other end.
        self.set_paths(
            &mut counts,
            &(divided(&paths, 2, "directed paths")?, divided(&re_entrant, 2, "re-entrant paths")?),
        );
        let mut per_start = Vec::new();
        if fixed {
            if board.len() > 2 {
                theorems::check_fixed(&counts)?;
            }
        } else {
            per_start = self.per_start(&counts, sums)?;
            theorems::check(board, request.leaper, &counts, &per_start)?;
        }
        Ok(Answer {
            counts,
            fixed,
            per_start,
            engine: request.engine,
            split_depths: self.split_depths(),
            units: self.units(),
            nodes: sums.nodes,
            visited: sums.visited,
        })
    }

    fn set_paths(&self, counts: &mut Counts, (paths, re_entrant): &(BigUint, BigUint)) {
        let wants = |kind: Kind| self.request.kind.is_none_or(|k| k == kind);
        counts.open = wants(Kind::Open).then(|| paths - re_entrant);
        counts.paths = wants(Kind::Paths).then(|| paths.clone());
    }

    /// Directed counts from every square.
    fn per_start(&self, counts: &Counts, sums: &Sums) -> Result<Vec<StartCount>, CountError> {
        let squares: Vec<_> = self.request.board.squares().collect();
        let closed = counts.closed.as_ref().map(|closed| closed * 2u32);
        let mut starts = Vec::with_capacity(squares.len());
        let mut re_entrant_from = None;
        for (i, orbit) in self.orbits.orbits.iter().enumerate() {
            let size = orbit.len() as u32;
            let from = (
                divided(&sums.directed[i], size, "directed paths from an orbit")?,
                divided(&sums.re_entrant[i], size, "re-entrant paths from an orbit")?,
            );
            // Open tours were counted without the re-entrant paths.
            if self.request.kind != Some(Kind::Open) && squares.len() > 2 {
                let first = re_entrant_from.get_or_insert_with(|| from.1.clone());
                if *first != from.1 {
                    let what =
                        format!("{first} re-entrant paths start from one square, {} from another", from.1);
                    return Err(Broken::new(what).into());
                }
            }
            let mut counts = Counts { closed: closed.clone(), ..Counts::default() };
            self.set_paths(&mut counts, &from);
            for &v in orbit {
                let square = squares[v as usize];
                starts.push(StartCount { square, orbit: orbit.len(), counts: counts.clone() });
            }
        }
        starts.sort_by_key(|start| start.square);
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
        let square = request.board.squares().next().expect("there is one square");
        let fixed = request.start.is_some() || request.end.is_some();
        let start = StartCount { square, orbit: 1, counts: counts.clone() };
        Answer {
            counts,
            fixed,
            per_start: if fixed { Vec::new() } else { vec![start] },
            engine: request.engine,
            split_depths: Vec::new(),
            units: 0,
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

fn problem(request: &Request, kind: Kind) -> Result<Problem, CountError> {
    if request.board.len() > MAX_SQUARES {
        return Err(ProblemError::TooLarge(request.board.len()).into());
    }
    let Request { board, leaper, start, end, .. } = request;
    Ok(Problem::new(board, *leaper, kind, *start, *end)?)
}

/// Splits for the path-extension kernel.
struct Extension(Problem, Option<u32>);

impl ForBitboard for Extension {
    type Output = PrefixPlan;

    fn run<B: Bitboard>(self) -> PrefixPlan {
        PrefixPlan::new::<B>(self.0, &Warnsdorff, self.1)
    }
}

/// Does a unit of a stage.
struct RunUnit<'a> {
    stage: &'a Stage,
    orbits: &'a Orbits,
    number: usize,
    meter: &'a Meter,
}

impl ForBitboard for RunUnit<'_> {
    type Output = Option<UnitSums>;

    fn run<B: Bitboard>(self) -> Option<UnitSums> {
        let sums = match self.stage {
            Stage::Multipath(plan) => self.multipath::<B>(plan),
            Stage::Backtrack(plan) => self.backtrack::<B>(plan),
        };
        (!self.meter.is_stopped()).then_some(sums)
    }
}

impl RunUnit<'_> {
    fn multipath<B: Bitboard>(&self, plan: &Plan) -> UnitSums {
        let unit = &plan.units()[self.number];
        let mut counter = Counter::new(self.meter.stop_flag());
        let nodes = plan.root::<B>(unit).visit(&mut counter);
        // A u64 times at most 8 images always fits.
        let count = u128::from(counter.tours) * u128::from(plan.weight(unit));
        let mut sums = UnitSums { nodes, visited: counter.tours, ..UnitSums::default() };
        match plan.classes()[unit.class as usize].ends {
            None => sums.closed = count,
            Some((v, w)) => sums.paths.push(self.ends(plan.problem(), (v, w), count, false)),
        }
        sums
    }

    fn backtrack<B: Bitboard>(&self, plan: &PrefixPlan) -> UnitSums {
        let problem = plan.problem();
        let unit = &plan.units()[self.number];
        let root = &plan.roots()[unit.root as usize];
        let kernel: Backtrack<B> = plan.kernel(unit);
        let mut counter = CounterByLast::new(problem.graph().len(), self.meter.stop_flag());
        let nodes = kernel.visit(&Warnsdorff, &mut counter);
        let mut sums = UnitSums { nodes, ..UnitSums::default() };
        let start = root.path[0];
        for (last, &tours) in (0..).zip(&counter.tours) {
            if tours == 0 {
                continue;
            }
            sums.visited += tours;
            // A u64 times at most 8 images always fits.
            let count = u128::from(tours) * u128::from(unit.weight) * u128::from(root.size);
            if problem.kind() == Kind::Closed {
                sums.closed += count;
                continue;
            }
            // Within an orbit both directions are searched, between orbits one of them.
            let same = self.orbits.of[start as usize] == self.orbits.of[last as usize];
            let directed = same && !problem.is_fixed();
            sums.paths.push(self.ends(problem, (start, last), count, directed));
        }
        sums
    }

    fn ends(&self, problem: &Problem, (v, w): (u32, u32), count: u128, directed: bool) -> EndSum {
        let orbits = (self.orbits.of[v as usize], self.orbits.of[w as usize]);
        EndSum { orbits, re_entrant: problem.is_re_entrant(v, w), count, directed }
    }
}
