//! A request as numbered units of work.
//!
//! Asked for all kinds, a job has two stages, paths and closed tours, counted by
//! two searches that know nothing of each other; the re-entrant paths found by the
//! first must be exactly squares x the closed tours found by the second. Units are
//! numbered through all stages. Units may be done in any order, by any number of
//! threads, processes or machines: their sums are added up by [`Sums`](super::Sums).

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

/// Nodes of the path-extension search between two reports of a unit: some hundredths of a second.
const SLICE: u64 = 1 << 21;

/// One search of a job.
#[derive(Clone, Debug)]
enum Stage {
    Multipath(Plan),
    Backtrack(PrefixPlan),
}

/// A job cut into units.
#[derive(Clone, Debug)]
pub struct Work {
    question: Question,
    /// Searches; none if the job is swept.
    stages: Vec<Stage>,
    sweeps: Option<Sweeps>,
    memory: Option<u64>,
    /// Whether sweeps begin even if they will not fit.
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
    /// Splits a request. Cost: milliseconds to tenths of a second, and about 100 bytes a unit.
    ///
    /// # Errors
    /// A request that cannot be: see [`CountError`].
    pub fn new(request: &Request) -> Result<Self, CountError> {
        Self::under(request, &Control::new())
    }

    /// The same, which ends soon if the control is cancelled meanwhile.
    ///
    /// # Errors
    /// As for [`Work::new`], and [`CountError::Stopped`].
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

    /// The same work with a ceiling on the bytes that a sweep may use.
    #[must_use]
    pub fn with_memory(self, memory: Option<u64>) -> Self {
        Self { memory, ..self }
    }

    /// The same work, whose sweeps begin even if they will not fit by estimate.
    #[must_use]
    pub fn forced(self, is_forced: bool) -> Self {
        Self { is_forced, ..self }
    }

    /// The same work, which finds out what it will take within so many seconds, or in any time.
    #[must_use]
    pub fn with_patience(self, seconds: f64) -> Self {
        Self { sweeps: self.sweeps.map(|sweeps| sweeps.with_patience(seconds)), ..self }
    }

    /// The same work, whose sweeps begin at one end, as those that ranks share and those that are cut into parts do.
    #[must_use]
    pub fn one_ended(self) -> Self {
        Self { sweeps: self.sweeps.map(Sweeps::one_ended), ..self }
    }

    /// The sweeps, if it is swept.
    #[must_use]
    pub(super) const fn sweeps(&self) -> Option<&Sweeps> {
        self.sweeps.as_ref()
    }

    /// The ceiling on the bytes that a sweep may use, if it was told.
    #[must_use]
    pub const fn memory(&self) -> Option<u64> {
        self.memory
    }

    /// Whether the units must be done one after the other, because each uses all threads.
    #[must_use]
    pub const fn is_sequential(&self) -> bool {
        self.sweeps.is_some()
    }

    /// What the sums of the units mean.
    #[must_use]
    pub const fn question(&self) -> &Question {
        &self.question
    }

    /// How many units.
    #[must_use]
    pub fn units(&self) -> usize {
        self.sweeps.as_ref().map_or(0, Sweeps::count) + self.stages.iter().map(Stage::units).sum::<usize>()
    }

    /// The split depth of each stage.
    #[must_use]
    pub fn split_depths(&self) -> Vec<u32> {
        self.stages.iter().map(Stage::split_depth).collect()
    }

    /// The order in which units are best begun: groups of neighbours, with the largest first.
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

    /// A digest of all units: two works with the same digest have the same units with the same numbers. `-` if the
    /// request says it all.
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
        // 64 bits tell plans apart and leave the job readable.
        digest.truncate(16);
        digest
    }

    /// Estimated nodes of each unit, for progress; none at all with the path-extension kernel, which cannot tell, or if
    /// the control is cancelled meanwhile.
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

    /// Does a unit, or what is left of it. A search by path extension tells the ledger now and then how far it
    /// is, and whenever the control is cancelled.
    ///
    /// # Errors
    /// [`CountError::Stopped`] if the control was cancelled meanwhile; a sweep that cannot be made.
    ///
    /// # Panics
    /// If there is no such unit.
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
        panic!("there is no such unit");
    }
}

/// Splits for the path-extension kernel.
struct Extension<'a>(Problem, Option<u32>, &'a Control);

impl ForBitboard for Extension<'_> {
    type Output = Result<Option<PrefixPlan>, ProblemError>;

    fn run<B: Bitboard>(self) -> Self::Output {
        PrefixPlan::under::<B>(self.0, &Warnsdorff, self.1, self.2)
    }
}

/// Does a unit of a stage.
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

    /// `None` if it was stopped before its end.
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
            // Within an orbit both directions are searched, between orbits one of them.
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
