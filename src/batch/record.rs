//! Records of finished runs, as JSON objects that others can check.
//!
//! A record holds the job, the sums of its units of work, the counts if the job is complete, the
//! cost of the run, the machine and the time, and a digest of all other fields. Counts are decimal
//! strings, because they exceed every number type. [`merge`](super::merge()) adds the records of
//! shards.

use std::collections::BTreeMap;
use std::{fmt, fs};

use num_bigint::BigUint;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::{CountOutcome, Job, Shard};
use crate::board::{Layout, Move, Wrap};
use crate::count::symmetric::{self, ClassTable, DistinctCounts};
use crate::count::{Answer, Sums};
use crate::digest::digest_record;
use crate::frontier::ResidueRing;
use crate::json_fault::JsonFault;
use crate::tour::{Kind, SymmetryClass};

/// Version of the record format.
const RECORD_SCHEMA: u32 = 1;

/// Rounds seconds to three decimals, as in all files. A parsed number then equals the written one.
#[must_use]
pub fn round_to_milliseconds(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

/// The time and the number of threads of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunInfo {
    /// Wall-clock seconds of the run, including earlier sessions.
    pub seconds: f64,
    /// Number of threads.
    pub threads: usize,
    /// Time when the run started, UTC.
    pub started: String,
    /// Time when the run ended, UTC.
    pub finished: String,
}

/// The record of a finished run. All versions of ktour with the same `schema` write the same field
/// names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Record {
    /// Version of the record format.
    pub schema: u32,
    /// True if the counts cover the whole job, not only some shards. They may be residues: see `modulus`.
    pub complete: bool,
    /// The modulus, if the record's counts and sums are residues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modulus: Option<u32>,
    /// The whole job in text form, without the shard.
    pub job: String,
    /// The shards whose sums the record contains, such as `3/64`; `0/1` is the whole job.
    pub shards: Vec<String>,
    /// The sides of the rectangle, or the title of a board that is not a rectangle.
    pub board: String,
    /// The board in text form. Empty in records of versions without it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub board_text: String,
    /// The wrapping of the board, such as `cols` or `torus`. `None` if no edges are joined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrap: Option<String>,
    /// Number of rows, if the board has rows and columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u16>,
    /// Number of columns, if the board has rows and columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cols: Option<u16>,
    /// Names of the squares that are removed from the board.
    pub removed: Vec<String>,
    /// The piece that moves. `None` for a custom graph.
    pub leaper: Option<String>,
    /// Moves that every tour contains, such as `a1-b3`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<String>,
    /// Moves that no tour contains.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forbidden: Vec<String>,
    /// Name of the fixed start square, if there is one.
    pub start: Option<String>,
    /// Name of the fixed end square, if there is one.
    pub end: Option<String>,
    /// The name of the engine that counted the tours.
    pub engine: String,
    /// Counts of tours by kind. If the record is not complete, they are directed and cover only its
    /// shards.
    pub counts: BTreeMap<String, KindNumbers>,
    /// Numbers of tours up to the board's symmetries, by kind, if they were counted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub distinct: BTreeMap<String, String>,
    /// Number of symmetries of the board, if tours were counted up to symmetry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symmetries: Option<usize>,
    /// Numbers of tours of each symmetry class, in total and up to symmetry, by kind. Empty if they
    /// were not counted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub classes: BTreeMap<String, Vec<ClassNumbers>>,
    /// Directed counts by start square, if they were requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub per_start: Vec<StartNumbers>,
    /// Sums of the counts of all units that the record covers.
    pub sums: Sums,
    /// Number of units of the whole job.
    pub units: usize,
    /// Number of nodes visited in the search trees, or number of states of the sweeps.
    pub nodes: u64,
    /// Number of tours that a search found, one for each set of equivalent tours, or number of
    /// transitions of the sweeps.
    pub visited: u64,
    /// Wall-clock seconds of the run, including earlier sessions.
    pub seconds: f64,
    /// Number of threads that the run used.
    pub threads: usize,
    /// Peak resident memory of the process in KiB, if known.
    pub peak_kib: Option<u64>,
    /// Model of the processor.
    pub cpu: String,
    /// Number of processors that the process could use.
    pub cores: usize,
    /// Time when the run started, UTC.
    pub started: String,
    /// Time when the run ended, UTC.
    pub finished: String,
    /// Version of ktour that wrote the record.
    pub version: String,
    /// The commit from which ktour was built.
    pub commit: String,
    /// The result of a second count by another method, if one was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub double_check: Option<DoubleCheck>,
    /// SHA-256 of the record as compact JSON, where this field is empty.
    pub sha256: String,
}

/// Numbers of tours of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindNumbers {
    /// Number of undirected tours. `None` if a start or end is fixed, or the job is not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undirected: Option<String>,
    /// Number of directed tours.
    pub directed: String,
}

/// Numbers of tours of one symmetry class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassNumbers {
    /// The name of the symmetry class.
    pub class: String,
    /// Number of undirected tours.
    #[serde(rename = "count")]
    pub tours: String,
    /// Number of tours up to the board's symmetries: one tour of each orbit is counted.
    pub distinct: String,
}

/// Numbers of directed tours that start at one square.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartNumbers {
    /// The start square.
    pub start: String,
    /// Number of squares in the orbit of the start square.
    pub orbit: usize,
    /// Number of directed tours of each kind.
    #[serde(flatten)]
    pub directed: BTreeMap<String, String>,
}

/// A second count of the same tours by another method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DoubleCheck {
    /// A description of how the second method differs from the first.
    pub how: String,
    /// The engine of the second count.
    pub engine: String,
    /// Numbers of tours of the second count, by kind; directed or undirected as in the record.
    pub counts: BTreeMap<String, String>,
    /// True if both counts gave equal numbers.
    pub equal: bool,
    /// For a count up to symmetry: true if the symmetric tours were counted a second time as well,
    /// false if only all tours together were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symmetric: Option<bool>,
    /// Wall-clock seconds of the second count.
    pub seconds: f64,
}

impl DoubleCheck {
    /// Compares the answers of two counts. `method` describes how the second method differs from
    /// the first, and `seconds` is the time of the second count.
    #[must_use]
    pub fn new(method: String, first: &Answer, second: &Answer, seconds: f64) -> Self {
        let named = |kind: Kind| Some((kind.name().to_owned(), second.counts.get(kind)?.to_string()));
        Self {
            how: method,
            engine: second.engine.name().to_owned(),
            counts: Kind::ALL.into_iter().filter_map(named).collect(),
            equal: first.counts == second.counts,
            symmetric: None,
            seconds: round_to_milliseconds(seconds),
        }
    }

    /// Sets whether the symmetric tours were counted a second time as well. For a count up to
    /// symmetry.
    #[must_use]
    pub fn with_symmetric(self, checked: bool) -> Self {
        Self { symmetric: Some(checked), ..self }
    }
}

/// The reason why a record is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The text is not a record.
    #[error("{}", describe_fault(.0, format_args!("line {} column {}", .0.line, .0.column)))]
    Parse(JsonFault),
    /// The record has a version of the format that this program does not read. Holds this version.
    #[error(
        "the record has schema {0}, not {RECORD_SCHEMA}; read it with the version of ktour that wrote it"
    )]
    Schema(u32),
    /// The record belongs to a count of symmetric tours, which has no shards to merge.
    #[error("the record counts symmetric tours, which have no shards; omit this file")]
    Symmetric,
    /// The text is another result of ktour. Holds its description.
    #[error("it is {0}, not the record of a count")]
    OtherResult(&'static str),
    /// The digest does not match: the record was changed or damaged.
    #[error("the digest does not match; the record is damaged or was edited")]
    Digest,
}

impl Record {
    /// Creates the record of some shards of a job. `sums` are the sums of these shards, and
    /// `numbers` is the outcome that follows from them. If `per_start`, the record includes the
    /// counts by start square.
    #[must_use]
    pub fn new(
        job: &Job,
        shards: &[Shard],
        sums: &Sums,
        numbers: &CountOutcome,
        per_start: bool,
        run: &RunInfo,
    ) -> Self {
        let request = &job.request;
        let board = request.board();
        let number = |(kind, count): (Kind, &BigUint)| {
            let undirected = numbers.is_undirected().then(|| count.to_string());
            let directed = numbers.directed_count(count, board.len()).to_string();
            (kind.name().to_owned(), KindNumbers { undirected, directed })
        };
        let starts = if per_start { numbers.per_start() } else { &[] };
        let start = |start: &crate::count::StartCount| StartNumbers {
            start: board.name(start.vertex),
            orbit: start.orbit_size,
            directed: Kind::ALL
                .into_iter()
                .filter_map(|kind| Some((kind.name().to_owned(), start.counts.get(kind)?.to_string())))
                .collect(),
        };
        let move_name = |&one: &Move| board.move_name(one);
        let mut record = Self {
            schema: RECORD_SCHEMA,
            complete: shards == [Shard::WHOLE],
            modulus: numbers.modulus().map(ResidueRing::modulus),
            job: job.to_whole().to_string(),
            shards: shards.iter().map(ToString::to_string).collect(),
            board: board.unrestricted().title(),
            board_text: board.to_string(),
            wrap: Some(board.wrap()).filter(|&wrap| wrap != Wrap::None).map(|wrap| wrap.name().into()),
            rows: board.layout().map(Layout::rows),
            cols: board.layout().map(Layout::cols),
            removed: board.removed_names(),
            leaper: board.piece().map(|piece| piece.to_string()),
            required: board.required_moves().iter().map(move_name).collect(),
            forbidden: board.forbidden_moves().iter().map(move_name).collect(),
            start: request.start().map(|v| board.name(v)),
            end: request.end().map(|v| board.name(v)),
            engine: request.engine.name().to_owned(),
            counts: numbers.counts_by_kind().map(number).collect(),
            distinct: BTreeMap::new(),
            symmetries: None,
            classes: BTreeMap::new(),
            per_start: starts.iter().map(start).collect(),
            sums: sums.without_zero_orbits(),
            units: job.units,
            nodes: sums.effort.nodes,
            visited: sums.effort.visited,
            seconds: round_to_milliseconds(run.seconds),
            threads: run.threads,
            peak_kib: peak_memory_kib(),
            cpu: cpu_model(),
            cores: std::thread::available_parallelism().map_or(1, Into::into),
            started: run.started.clone(),
            finished: run.finished.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: env!("KTOUR_COMMIT").to_owned(),
            double_check: None,
            sha256: String::new(),
        };
        record.sha256 = record.digest();
        record
    }

    /// Returns the record with numbers of tours up to symmetry.
    #[must_use]
    pub fn with_distinct_counts(mut self, counts: &DistinctCounts) -> Self {
        let class_rows = |table: &ClassTable| {
            let row = |(class, numbers): &(SymmetryClass, symmetric::ClassNumbers)| ClassNumbers {
                class: class.name().into_owned(),
                tours: numbers.tours.to_string(),
                distinct: numbers.classes.to_string(),
            };
            table.rows.iter().map(row).collect()
        };
        let name = |kind: &Kind| kind.name().to_owned();
        self.distinct =
            counts.distinct.iter().map(|(kind, number)| (name(kind), number.to_string())).collect();
        self.classes = counts.classes.iter().map(|(kind, table)| (name(kind), class_rows(table))).collect();
        self.symmetries = counts.symmetries;
        self.sha256 = self.digest();
        self
    }

    /// Returns the record with the result of a double check.
    #[must_use]
    pub fn with_double_check(mut self, check: DoubleCheck) -> Self {
        self.double_check = Some(check);
        self.sha256 = self.digest();
        self
    }

    /// Parses a record, and checks its format and digest.
    ///
    /// # Errors
    /// See [`RecordError`].
    pub fn parse(text: &str) -> Result<Self, RecordError> {
        #[derive(Deserialize)]
        struct Head {
            schema: u32,
            what: Option<String>,
            job: Option<IgnoredAny>,
            series: Option<IgnoredAny>,
        }
        let wrong = |error: serde_json::Error| RecordError::Parse(error.into());
        let head: Head = serde_json::from_str(text).map_err(wrong)?;
        if head.what.as_deref() == Some("symmetry") {
            return Err(RecordError::Symmetric);
        }
        if head.schema != RECORD_SCHEMA {
            return Err(RecordError::Schema(head.schema));
        }
        if head.job.is_none() {
            let what = if head.series.is_some() { "a series of boards" } else { "another result of ktour" };
            return Err(RecordError::OtherResult(what));
        }
        let record: Self = serde_json::from_str(text).map_err(wrong)?;
        if record.sha256 == record.digest() { Ok(record) } else { Err(RecordError::Digest) }
    }

    fn digest(&self) -> String {
        digest_record(&Self { sha256: String::new(), ..self.clone() })
    }

    /// Returns the record as JSON on one line, without a newline.
    #[must_use]
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).expect("a record can be serialised")
    }

    /// Returns the record as indented JSON, with a newline at the end.
    #[must_use]
    pub fn to_pretty(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a record can be serialised");
        text.push('\n');
        text
    }
}

impl RecordError {
    /// Returns the message for a record that is line `line` of a file of records.
    #[must_use]
    pub fn describe_in_line(&self, line: usize) -> String {
        match self {
            Self::Parse(fault) => {
                format!("line {line}: {}", describe_fault(fault, format_args!("column {}", fault.column)))
            }
            error => format!("line {line}: {error}"),
        }
    }
}

/// Returns the message for a text that is not a record, because of a fault at `place`.
fn describe_fault(fault: &JsonFault, place: fmt::Arguments<'_>) -> String {
    let what = match fault {
        JsonFault { is_truncated: true, .. } => "it is cut off",
        JsonFault { is_data: true, what, .. } => what,
        _ => "it is not valid JSON",
    };
    format!("not a record of ktour: {what} at {place}; give a file that ktour wrote")
}

/// Returns the model of the processor, or its architecture if the system does not report the model.
fn cpu_model() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    model.map_or(std::env::consts::ARCH, |(_, name)| name.trim()).to_owned()
}

/// Returns the peak resident memory of this process in KiB. `None` if the system does not report
/// it; Linux does.
fn peak_memory_kib() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::control::Control;
    use crate::count::{Request, WorkPlan, count};

    #[test]
    fn parse_round_trips_and_rejects_edited_record() {
        let request = Request::new("3x4".parse::<Board>().unwrap());
        let work_plan = WorkPlan::new(&request).unwrap();
        let job = Job::new(&work_plan, Shard::WHOLE);
        let answer = count(&request, &Control::new()).unwrap();
        let run = RunInfo { seconds: 0.1 + 0.2, threads: 1, started: "a".into(), finished: "b".into() };
        let sums = work_plan.validated_request().zero_sums();
        let record = Record::new(&job, &[Shard::WHOLE], &sums, &CountOutcome::Complete(answer), true, &run);
        for text in [record.to_line(), record.to_pretty()] {
            assert_eq!(Record::parse(&text).unwrap(), record);
        }
        let edited = record.to_line().replace(r#""undirected":"8""#, r#""undirected":"9""#);
        assert_eq!(Record::parse(&edited), Err(RecordError::Digest));
        let newer = record.to_line().replace(r#""schema":1"#, r#""schema":2"#);
        assert_eq!(Record::parse(&newer), Err(RecordError::Schema(2)));
        let text = record.to_line();
        for (text, expected) in [
            ("{}".to_owned(), "missing field `schema`"),
            (text.replace("\"sha256\"", "\"sha\""), "missing field `sha256`"),
            (text.replace("\"units\":", "\"units\":-"), "expected usize at line 1 column"),
            (text[..100].to_owned(), "cut off at line 1 column 100"),
            (text.replace("\"units\":", "\"units\""), "not valid JSON at line 1 column"),
        ] {
            let error = Record::parse(&text).unwrap_err();
            assert!(
                matches!(error, RecordError::Parse(_)) && error.to_string().contains(expected),
                "{error}"
            );
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn peak_memory_is_known_on_linux() {
        assert!(peak_memory_kib().unwrap() > 100);
    }
}
