//! A request divided into numbered units of work.
//!
//! A request for all kinds has two stages, paths and closed tours, counted by two independent searches; the
//! re-entrant paths of the first must be exactly squares x the closed tours of the second. The units of all
//! stages are numbered in one sequence. They can run in any order, on any number of threads, processes or
//! machines: [`Sums`](super::Sums) adds up their results.

use num_bigint::BigUint;
use sha2::{Digest, Sha256};

use crate::board::Bitboard;
use crate::control::Control;
use crate::digest;
use crate::search::backtrack::Backtrack;
use crate::search::order::Warnsdorff;
use crate::search::prefix::PrefixPlan;
use crate::search::probe;
use crate::search::problem::{Problem, ProblemError};
use crate::search::split::Plan;
use crate::search::visitor::CounterByLast;
use crate::search::width::{ForBitboard, with_bitboard};
use crate::search::workers::Stopped;
use crate::tour::Kind;

use super::CountError;
use super::ledger::{Ledger, Part};
use super::question::Question;
use super::request::{Engine, Request};
use super::sums::{EndSum, UnitSums};
use super::sweep::Sweeps;
use super::tally::Tally;

/// Nodes of the path-extension search between two progress reports of a unit; takes a few hundredths of a
/// second.
const SLICE: u64 = 1 << 21;

/// One search of a job.
#[derive(Clone, Debug)]
enum Stage {
    Multipath(Plan),
    Backtrack(PrefixPlan),
}

/// A job divided into units.
#[derive(Clone, Debug)]
pub struct Work {
    question: Question,
    /// Searches; empty if sweeps do the job.
    stages: Vec<Stage>,
    sweeps: Option<Sweeps>,
    memory: Option<u64>,
    /// True if sweeps start even if their estimates exceed memory and disk.
    is_forced: bool,
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
    /// Divides a request into units. Cost: milliseconds to tenths of a second, and about 100 bytes per unit.
    ///
    /// # Errors
    /// The request is invalid: see [`CountError`].
    pub fn new(request: &Request) -> Result<Self, CountError> {
        Self::under(request, &Control::new())
    }

    /// Divides a request into units, and returns early if the control is cancelled.
    ///
    /// # Errors
    /// As for [`WorkPlan::new`], and [`CountError::Stopped`].
    pub fn under(request: &Request, control: &Control) -> Result<Self, CountError> {
        let question = Question::new(request)?;
        if question.request().engine == Engine::Frontier {
            let sweeps = Some(Sweeps::new(&question));
            return Ok(Self { question, stages: Vec::new(), sweeps, memory: None, is_forced: false });
        }
        let request = question.request();
        let stage = |kind: Kind| {
            let problem = question.problem(kind)?;
            let width = problem.width();
            Ok(match request.engine {
                Engine::Backtrack => {
                    let plan = with_bitboard(width, Extension(problem, request.split_depth, control))?;
                    Stage::Backtrack(plan.ok_or(Stopped)?)
                }
                _ => Stage::Multipath(Plan::under(problem, request.split_depth, control)?.ok_or(Stopped)?),
            })
        };
        let stages = question.stages().into_iter().map(stage).collect::<Result<Vec<_>, CountError>>()?;
        Ok(Self { question, stages, sweeps: None, memory: None, is_forced: false })
    }

    /// Sets the memory limit of a sweep in bytes.
    #[must_use]
    pub fn with_memory(self, memory: Option<u64>) -> Self {
        Self { memory, ..self }
    }

    /// Sets whether sweeps start even if their estimates exceed memory and disk.
    #[must_use]
    pub fn forced(self, is_forced: bool) -> Self {
        Self { is_forced, ..self }
    }

    /// Sets the limit, in seconds, for the dry run of each sweep.
    #[must_use]
    pub fn with_patience(self, seconds: f64) -> Self {
        Self { sweeps: self.sweeps.map(|sweeps| sweeps.with_patience(seconds)), ..self }
    }

    /// Makes all sweeps one-sided, as sweeps that are shared by ranks or divided into shards must be.
    #[must_use]
    pub fn one_ended(self) -> Self {
        Self { sweeps: self.sweeps.map(Sweeps::one_ended), ..self }
    }

    /// Returns the sweeps, if sweeps do the job.
    #[must_use]
    pub(super) const fn sweeps(&self) -> Option<&Sweeps> {
        self.sweeps.as_ref()
    }

    /// Returns the memory limit of a sweep in bytes, if one was set.
    #[must_use]
    pub const fn memory(&self) -> Option<u64> {
        self.memory
    }

    /// Returns true if the units must run one after the other because each uses all threads.
    #[must_use]
    pub const fn is_sequential(&self) -> bool {
        self.sweeps.is_some()
    }

    /// Returns the validated request, which interprets the sums of the units.
    #[must_use]
    pub const fn question(&self) -> &Question {
        &self.question
    }

    /// Returns the number of units.
    #[must_use]
    pub fn units(&self) -> usize {
        self.sweeps.as_ref().map_or(0, Sweeps::count) + self.stages.iter().map(Stage::units).sum::<usize>()
    }

    /// Returns the split depth of each stage.
    #[must_use]
    pub fn split_depths(&self) -> Vec<u32> {
        self.stages.iter().map(Stage::split_depth).collect()
    }

    /// Returns the best order in which to start the units: groups of neighbours, the largest first.
    #[must_use]
    pub fn schedule(&self) -> Vec<u32> {
        if let Some(sweeps) = &self.sweeps {
            return (0..sweeps.count() as u32).collect();
        }
        let mut schedule = Vec::with_capacity(self.units());
        for stage in &self.stages {
            let before = schedule.len() as u32;
            schedule.extend(stage.schedule().into_iter().map(|unit| before + unit));
        }
        schedule
    }

    /// Returns a digest of all units: two plans with equal digests have equal units with equal numbers. The
    /// digest is `-` if the units depend on the request alone.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        match self.sweeps.as_ref().map(Sweeps::name) {
            Some(None) => return "-".to_owned(),
            Some(Some(name)) => hash.update(name),
            None => {}
        }
        for stage in &self.stages {
            match stage {
                Stage::Multipath(plan) => {
                    for unit in plan.units() {
                        hash.update([0xfe, unit.edges.len() as u8, unit.residual.len() as u8]);
                        hash.update(unit.class.to_le_bytes());
                        for &(v, w) in &unit.edges {
                            hash.update([v, w]);
                        }
                    }
                }
                Stage::Backtrack(plan) => {
                    for unit in plan.units() {
                        hash.update([0xff, unit.prefix.len() as u8]);
                        hash.update(unit.root.to_le_bytes());
                        hash.update(&unit.prefix);
                    }
                }
            }
        }
        let mut digest = digest::hex(hash);
        // 64 bits distinguish plans and keep the job line readable.
        digest.truncate(16);
        digest
    }

    /// Returns the estimated nodes of each unit, for progress. The list is empty for the path-extension
    /// search, which has no estimate, or if the control is cancelled.
    #[must_use]
    pub fn estimates(&self, control: &Control) -> Vec<f64> {
        let of_stage = |stage: &Stage| match stage {
            Stage::Multipath(plan) => {
                probe::estimate_under(plan, 8, 0, control).map(|estimate| estimate.unit_nodes)
            }
            Stage::Backtrack(_) => None,
        };
        self.stages.iter().map(of_stage).collect::<Option<Vec<_>>>().unwrap_or_default().concat()
    }

    /// Runs a unit, or the rest of it. A path-extension search reports its progress to the observer from time
    /// to time, and when the control is cancelled.
    ///
    /// # Errors
    /// [`CountError::Stopped`] if the control was cancelled; the error of a sweep that failed.
    ///
    /// # Panics
    /// Panics if there is no such unit.
    pub fn unit(&self, unit: usize, control: &Control, ledger: &impl Ledger) -> Result<UnitSums, CountError> {
        if let Some(sweeps) = &self.sweeps {
            return sweeps.run(unit, &self.question, (self.memory, self.is_forced), control, ledger);
        }
        let mut number = unit;
        for stage in &self.stages {
            if number < stage.units() {
                let width = stage.problem().width();
                let part = ledger.begin(unit);
                let tell = &|part| ledger.part(unit, part);
                let unit = RunUnit { stage, question: &self.question, number, control, part, tell };
                return with_bitboard(width, unit).ok_or(CountError::Stopped(Stopped));
            }
            number -= stage.units();
        }
        panic!("unit {unit} does not exist");
    }
}

/// Arguments for planning a path-extension search.
struct Extension<'a>(Problem, Option<u32>, &'a Control);

impl ForBitboard for Extension<'_> {
    type Output = Result<Option<PrefixPlan>, ProblemError>;

    fn run<B: Bitboard>(self) -> Self::Output {
        PrefixPlan::under::<B>(self.0, &Warnsdorff, self.1, self.2)
    }
}

/// Arguments for running a unit of a search.
struct RunUnit<'a> {
    stage: &'a Stage,
    question: &'a Question,
    number: usize,
    control: &'a Control,
    part: Option<Part>,
    tell: &'a dyn Fn(Part),
}

impl ForBitboard for RunUnit<'_> {
    type Output = Option<UnitSums>;

    fn run<B: Bitboard>(self) -> Option<UnitSums> {
        match self.stage {
            Stage::Multipath(plan) => {
                let sums = self.multipath::<B>(plan);
                (!self.control.is_cancelled()).then_some(sums)
            }
            Stage::Backtrack(plan) => self.backtrack::<B>(plan),
        }
    }
}

impl RunUnit<'_> {
    fn multipath<B: Bitboard>(&self, plan: &Plan) -> UnitSums {
        let unit = &plan.units()[self.number];
        let counted = plan.count::<B>(unit, self.control.flag());
        let count = BigUint::from(counted.tours) * plan.weight(unit);
        let visited = u64::try_from(counted.tours).unwrap_or(u64::MAX);
        let tally = Tally { nodes: counted.nodes, visited, peak_states: 0 };
        let mut sums = UnitSums { tally, ..UnitSums::default() };
        match plan.classes()[unit.class as usize].ends {
            None => sums.closed = count,
            Some((v, w)) => sums.paths.push(self.ends(plan.problem(), (v, w), count, false)),
        }
        sums
    }

    /// Runs a path-extension unit. Returns `None` if it was stopped before its end.
    fn backtrack<B: Bitboard>(&self, plan: &PrefixPlan) -> Option<UnitSums> {
        let problem = plan.problem();
        let unit = &plan.units()[self.number];
        let root = &plan.roots()[unit.root as usize];
        let kernel: Backtrack<B> = plan.kernel(unit);
        let len = problem.graph().len();
        let mut counter = CounterByLast::new(len, self.control.flag());
        let (mut from, mut nodes) = (None, 0);
        if let Some(part) = &self.part {
            counter.tours.clone_from(&part.tours);
            (from, nodes) = (Some(part.path.clone().into_boxed_slice()), part.nodes);
        }
        loop {
            counter = counter.with_limit(SLICE);
            let visited = kernel.visit_from(&Warnsdorff, from.as_deref(), &mut counter);
            nodes += visited.nodes;
            from = visited.rest;
            let Some(path) = &from else { break };
            (self.tell)(Part { path: path.to_vec(), tours: counter.tours.clone(), nodes });
            if self.control.is_cancelled() {
                return None;
            }
        }
        let mut sums = UnitSums { tally: Tally { nodes, ..Tally::default() }, ..UnitSums::default() };
        let start = root.path[0];
        for (last, &tours) in (0..).zip(&counter.tours) {
            if tours == 0 {
                continue;
            }
            sums.tally.visited += tours;
            // A u64 times at most the order of a group always fits.
            let count = u128::from(tours) * u128::from(unit.weight) * u128::from(root.size);
            if problem.kind() == Kind::Closed {
                sums.closed += count;
                continue;
            }
            // Within an orbit the search visits both directions of a path, between two orbits only one.
            let same = self.question.orbit_of(start) == self.question.orbit_of(last);
            let directed = same && !problem.is_fixed();
            sums.paths.push(self.ends(problem, (start, last), count.into(), directed));
        }
        Some(sums)
    }

    fn ends(&self, problem: &Problem, (v, w): (u32, u32), count: BigUint, directed: bool) -> EndSum {
        let orbits = (self.question.orbit_of(v), self.question.orbit_of(w));
        EndSum { orbits, re_entrant: problem.is_re_entrant(v, w), count, directed }
    }
}
