//! A job and its text form, and the state of its run: which units of work are finished, and the sums of their counts.
//!
//! The text form is one line, broken here, with everything on which the result depends:
//!
//! ```text
//! board=6x8 piece=1,2 remove=- kind=closed start=- end=- per-start=no engine=multipath
//!     split-depth=27 parts=1 units=40052 plan=9be0... shard=0/1
//! ```
//!
//! The text form of a count modulo a number has `modulus=65521` after `parts`.
//!
//! Two runs whose lines are equal, except for the shard, have the same units of work with the same
//! sums. The words before `kind` are the text form of the [`Board`]. `plan` is a digest of the
//! units; it is `-` for a sweep that is not divided into shards. Threads, files and progress
//! options are not part of the line.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::checkpoint::JobState;
use super::shard::Shard;
use super::unit_bitset;
use crate::board::{Board, BoardError, escape_word, unescape_word};
use crate::count::{Engine, Request, Sums, UnitProgress, WorkPlan};
use crate::frontier::{ResidueRing, Snapshot};
use crate::text_format::now_utc;
use crate::tour::Kind;

/// A job: a request, its division into units of work, and the shard that is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The request, with the engine that was chosen for it.
    pub request: Request,
    /// Number of units of the whole job.
    pub units: usize,
    /// Digest of the units of the job; `-` for a sweep that is not divided into shards.
    pub plan: String,
    /// The shard that is counted.
    pub shard: Shard,
    split_depths: Vec<u32>,
}

/// Error for a line that does not describe a job, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a job: {0}")]
pub struct ParseJobError(String);

impl Job {
    /// Creates the job that counts `shard` of the work plan.
    #[must_use]
    pub fn new(work_plan: &WorkPlan, shard: Shard) -> Self {
        let split_depths = work_plan.split_depths();
        let mut request = work_plan.validated_request().request().clone();
        request.split_depth = common_depth(&split_depths);
        Self { request, units: work_plan.unit_count(), plan: work_plan.digest(), shard, split_depths }
    }

    /// Returns this job with all its shards instead of one.
    #[must_use]
    pub fn to_whole(&self) -> Self {
        Self { shard: Shard::WHOLE, ..self.clone() }
    }

    /// Returns the number of units of the shard that is counted.
    #[must_use]
    pub fn shard_units(&self) -> usize {
        (0..self.units).filter(|&unit| self.shard.contains(unit)).count()
    }

    /// Returns this job with an exact count instead of a count modulo a number.
    #[must_use]
    pub fn to_exact(&self) -> Self {
        let mut job = self.clone();
        job.request.modulus = None;
        job
    }
}

/// Returns the split depth that a request repeats for all stages; `None`, the default, if the depths differ.
fn common_depth(split_depths: &[u32]) -> Option<u32> {
    let (first, rest) = split_depths.split_first()?;
    rest.iter().all(|depth| depth == first).then_some(*first)
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let request = &self.request;
        let list =
            |items: Vec<String>, by: &str| if items.is_empty() { "-".to_owned() } else { items.join(by) };
        let vertex = |vertex: Option<u32>| {
            vertex.map_or_else(|| "-".to_owned(), |v| escape_word(&request.board().name(v)))
        };
        write!(
            f,
            "{} kind={} start={} end={} per-start={} engine={} split-depth={} parts={}{} units={} plan={} shard={}",
            request.board(),
            request.kind().map_or("all", Kind::name),
            vertex(request.start()),
            vertex(request.end()),
            if request.per_start { "yes" } else { "no" },
            request.engine.name(),
            list(self.split_depths.iter().map(ToString::to_string).collect(), "+"),
            request.shards,
            request.modulus.map_or_else(String::new, |ring| format!(" modulus={}", ring.modulus())),
            self.units,
            self.plan,
            self.shard
        )
    }
}

impl FromStr for Job {
    type Err = ParseJobError;

    fn from_str(line: &str) -> Result<Self, Self::Err> {
        let (board, rest) = line
            .split_once(" kind=")
            .ok_or_else(|| ParseJobError(format!("`kind` is missing in `{line}`")))?;
        let board: Board = board.parse().map_err(|error: BoardError| ParseJobError(error.to_string()))?;
        let rest = format!("kind={rest}");
        let mut words = rest.split(' ');
        let modulus = rest.split(' ').find_map(|word| word.strip_prefix("modulus="));
        let mut field = |name: &str| -> Result<&str, ParseJobError> {
            words
                .next()
                .and_then(|word| word.strip_prefix(name)?.strip_prefix('='))
                .ok_or_else(|| ParseJobError(format!("`{name}` is missing in `{line}`")))
        };
        fn parsed<T: FromStr>(name: &str, text: &str) -> Result<T, ParseJobError> {
            text.parse().map_err(|_| ParseJobError(format!("{name}={text}")))
        }
        let vertex = |name: &str| -> Result<Option<u32>, ParseJobError> {
            let wrong = || ParseJobError(format!("unknown vertex `{name}`"));
            match name {
                "-" => Ok(None),
                _ => board.vertex(&unescape_word(name).ok_or_else(wrong)?).map(Some).map_err(|_| wrong()),
            }
        };
        let kind = match field("kind")? {
            "all" => None,
            name => Some(Kind::from_name(name).ok_or_else(|| ParseJobError(format!("kind={name}")))?),
        };
        let (start, end) = (vertex(field("start")?)?, vertex(field("end")?)?);
        let request = Request::of_kind(board.clone(), kind)
            .with_ends(start, end)
            .map_err(|error| ParseJobError(error.to_string()))?;
        let per_start = match field("per-start")? {
            "yes" => true,
            "no" => false,
            other => return Err(ParseJobError(format!("per-start={other}"))),
        };
        let name = field("engine")?;
        let engine = Engine::from_name(name).ok_or_else(|| ParseJobError(format!("engine={name}")))?;
        let split_depths: Vec<u32> = match field("split-depth")? {
            "-" => Vec::new(),
            depths => depths.split('+').map(|d| parsed("split-depth", d)).collect::<Result<_, _>>()?,
        };
        let parts = parsed("parts", field("parts")?)?;
        if parts == 0 {
            return Err(ParseJobError("parts=0".to_owned()));
        }
        let modulus = match modulus {
            None => None,
            // The line of an exact count has no `modulus`.
            Some(_) => {
                let modulus = field("modulus")?;
                let ring = modulus.parse().ok().and_then(ResidueRing::new);
                Some(ring.ok_or_else(|| ParseJobError(format!("modulus={modulus}")))?)
            }
        };
        let units = parsed("units", field("units")?)?;
        let plan = field("plan")?.to_owned();
        let shard = parsed("shard", field("shard")?)?;
        if let Some(word) = words.next() {
            return Err(ParseJobError(format!("unknown `{word}`")));
        }
        let split_depth = common_depth(&split_depths);
        let request = Request { per_start, engine, split_depth, shards: parts, modulus, ..request };
        Ok(Self { request, units, plan, shard, split_depths })
    }
}

/// The finished units of a run, the sums of their counts, and the progress of unfinished units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    /// For each unit of the job, in order: true if it is finished.
    #[serde(with = "unit_bitset")]
    pub done: Vec<bool>,
    /// Sums of the counts of the finished units.
    pub sums: Sums,
    /// The sweep that was interrupted, if there is one.
    #[serde(rename = "at_rest")]
    pub suspended: Option<SuspendedUnit>,
    /// Progress of unfinished search units. The key is the number of the unit.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<usize, UnitProgress>,
    /// Running time in seconds, in all sessions together.
    pub seconds: f64,
    /// Time when the run first started, UTC.
    pub started: String,
}

/// A unit whose sweep is unfinished. The layers of the sweep are in the
/// [`SpillDir`](super::SpillDir) next to the checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuspendedUnit {
    /// The number of the unit.
    pub unit: usize,
    /// The saved state from which the sweep can be resumed.
    pub snapshot: Snapshot,
}

impl RunState {
    /// Creates the state of a run that starts now, without finished units.
    #[must_use]
    pub fn new(work_plan: &WorkPlan) -> Self {
        Self {
            done: vec![false; work_plan.unit_count()],
            sums: work_plan.validated_request().zero_sums(),
            suspended: None,
            parts: BTreeMap::new(),
            seconds: 0.0,
            started: now_utc(),
        }
    }

    /// Returns the units of the job's shard that are not finished, in the order in which they are counted: the
    /// suspended unit first, then by the schedule of the plan.
    #[must_use]
    pub fn remaining_units(&self, work_plan: &WorkPlan, job: &Job) -> Vec<u32> {
        let mut units = work_plan.schedule();
        units.retain(|&unit| job.shard.contains(unit as usize) && !self.done[unit as usize]);
        if let Some(suspended) = &self.suspended {
            units.sort_by_key(|&unit| unit as usize != suspended.unit);
        }
        units
    }

    /// Returns the number of finished units.
    #[must_use]
    pub fn units_done(&self) -> usize {
        self.done.iter().filter(|&&done| done).count()
    }
}

impl JobState for RunState {
    type Job = Job;

    const KIND: &'static str = "count";

    fn describe_progress(&self, job: &Job) -> String {
        format!("{} of {} units", self.units_done(), job.shard_units())
    }

    fn seconds(&self) -> f64 {
        self.seconds
    }

    fn with_seconds(self, seconds: f64) -> Self {
        Self { seconds, ..self }
    }

    fn snapshot(&self) -> Option<&Snapshot> {
        self.suspended.as_ref().map(|suspended| &suspended.snapshot)
    }

    fn replace_snapshot(&mut self, sweep: usize, snapshot: Option<Snapshot>) -> Option<Snapshot> {
        let suspended = snapshot.map(|snapshot| SuspendedUnit { unit: sweep, snapshot });
        std::mem::replace(&mut self.suspended, suspended).map(|before| before.snapshot)
    }

    fn check(&self, job: &Job) -> Result<(), &'static str> {
        let Self { done, suspended, parts, .. } = self;
        if done.len() != job.units {
            return Err("its list of units does not fit its job");
        }
        if (0..job.units).any(|unit| done[unit] && !job.shard.contains(unit)) {
            return Err("it has finished units of another shard");
        }
        if suspended.as_ref().is_some_and(|suspended| done.get(suspended.unit) != Some(&false)) {
            return Err("the suspended unit is already finished or not in the job");
        }
        if parts.keys().any(|&unit| unit >= job.units || done[unit] || !job.shard.contains(unit)) {
            return Err("it has partial work on units that are finished or of another shard");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, CustomGraph, Graph};
    use crate::count::Request;

    fn job(
        rectangle: &str,
        removed: &[&str],
        kind: Option<Kind>,
        start: Option<&str>,
        engine: Engine,
    ) -> Job {
        let removed = if removed.is_empty() { "-".to_owned() } else { removed.join(",") };
        let board: Board = format!("board={rectangle} piece=1,2 remove={removed}").parse().unwrap();
        let start = start.map(|name| board.vertex(name).unwrap());
        let request = Request { engine, ..Request::of_kind(board, kind).with_ends(start, None).unwrap() };
        Job::new(&WorkPlan::new(&request).unwrap(), "3/8".parse().unwrap())
    }

    #[test]
    fn line_round_trips_and_gives_same_units() {
        for job in [
            job("5x5", &[], None, None, Engine::Auto),
            job("4x6", &["a1", "f4"], Some(Kind::Paths), None, Engine::Backtrack),
            job("3x4", &[], Some(Kind::Open), Some("a1"), Engine::Multipath),
            job("6x6", &[], None, None, Engine::Multipath),
        ] {
            let read: Job = job.to_string().parse().unwrap();
            assert_eq!(read, job);
            assert_eq!(Job::new(&WorkPlan::new(&read.request).unwrap(), read.shard), job);
        }
    }

    #[test]
    fn line_round_trips_on_graph() {
        let ring = Graph::from_edges(6, (0..6).map(|v| (v, (v + 1) % 6)));
        let custom_graph = CustomGraph::new(ring).with_names(["a b", "-", "c=d", "é", "5", "6"]).unwrap();
        for start in [None, Some(0), Some(1), Some(2), Some(3)] {
            let request = Request::new(custom_graph.clone()).with_ends(start, None).unwrap();
            let request = Request { engine: Engine::Multipath, ..request };
            let job = Job::new(&WorkPlan::new(&request).unwrap(), Shard::WHOLE);
            assert_eq!(job.to_string().parse::<Job>().unwrap(), job);
        }
    }

    #[test]
    fn undivided_sweep_has_no_digest() {
        let whole = Job::new(
            &WorkPlan::new(&Request {
                engine: Engine::Frontier,
                ..Request::new("5x6".parse::<Board>().unwrap())
            })
            .unwrap(),
            Shard::WHOLE,
        );
        assert!(whole.to_string().contains(" plan=- shard=0/1"), "{whole}");
        assert_eq!(whole.to_string().parse::<Job>().unwrap(), whole);
        let job_line = job("5x6", &[], None, None, Engine::Multipath).to_string();
        assert!(!job_line.contains("plan=-"), "{job_line}");
    }

    #[test]
    fn parse_rejects_malformed_lines() {
        let line = job("3x4", &[], None, None, Engine::Auto).to_string();
        for bad in [
            String::new(),
            line.replace("kind=all", "kind=some"),
            line.replace("board=", "bord="),
            line.replace("3/8", "9/8"),
            format!("{line} more=1"),
        ] {
            assert!(bad.parse::<Job>().is_err(), "{bad}");
        }
    }

    #[test]
    fn state_round_trips_as_json() {
        let work_plan = WorkPlan::new(&Request::new("5x5".parse::<Board>().unwrap())).unwrap();
        let mut state = RunState::new(&work_plan);
        assert_eq!((state.units_done(), state.snapshot()), (0, None));
        state.done[1] = true;
        state.parts.insert(2, UnitProgress { path: vec![1, 2], tours: vec![0, 3], nodes: 4 });
        state.seconds = 1.5;
        let text = serde_json::to_string(&state).unwrap();
        assert_eq!(serde_json::from_str::<RunState>(&text).unwrap(), state);
        assert_eq!(state.units_done(), 1);
    }
}
