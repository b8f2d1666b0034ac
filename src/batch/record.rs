//! The record of a finished run: one JSON object that somebody else can check.
//!
//! It holds the job, the sums of the units, the counts if the job is complete, what
//! the run cost, and a digest of all that. Counts are decimal strings, because they
//! outgrow every number type. Records of shards are added up by [`merge`](super::merge).

use std::collections::BTreeMap;

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Job, Machine, Reckoning, Shard, peak_memory};
use crate::board::{Layout, Surface, Wrap};
use crate::count::{Answer, Sums};
use crate::digest;
use crate::frontier::Lane;
use crate::tour::Kind;

/// Version of the form.
const SCHEMA: u32 = 1;

/// What a run cost and where it was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Wall-clock seconds, those before interruptions included.
    pub seconds: f64,
    /// Threads.
    pub threads: usize,
    /// When it began, UTC.
    pub started: String,
    /// When it ended, UTC.
    pub finished: String,
}

/// A finished run. Fields keep their names in every version of the same schema.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Record {
    /// Version of the form.
    pub schema: u32,
    /// Whether the counts are those of the whole job, and no residues.
    pub complete: bool,
    /// What the counts and sums are residues of, if they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modulus: Option<u32>,
    /// The job in normal form.
    pub job: String,
    /// The shards that were added up, `0/1` being everything.
    pub shards: Vec<String>,
    /// The rectangle, or what else the arena is called.
    pub board: String,
    /// How its edges are joined, if they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrap: Option<String>,
    /// Its rows, if it lies in the plane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u16>,
    /// Its columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cols: Option<u16>,
    /// Squares taken off it.
    pub removed: Vec<String>,
    /// The piece, if it is a board.
    pub leaper: Option<String>,
    /// Fixed start.
    pub start: Option<String>,
    /// Fixed end.
    pub end: Option<String>,
    /// The engine.
    pub engine: String,
    /// Numbers by kind; of the shards alone, and directed, if not complete.
    pub counts: BTreeMap<String, Number>,
    /// Numbers of classes of tours under the board's symmetries by kind, if asked for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub distinct: BTreeMap<String, String>,
    /// Symmetries under which tours are alike, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symmetries: Option<usize>,
    /// Tours and their classes by kind and class of symmetry, if asked for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub classes: BTreeMap<String, Vec<ClassNumbers>>,
    /// Directed numbers by start square, if asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub per_start: Vec<Start>,
    /// Sums over the units.
    pub sums: Sums,
    /// Units of the whole job.
    pub units: usize,
    /// Nodes of the search trees.
    pub nodes: u64,
    /// Tours found, for a class of alike ones one, or transitions of sweeps.
    pub visited: u64,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Threads.
    pub threads: usize,
    /// Peak resident memory of the process in KiB, where known.
    pub peak_kib: Option<u64>,
    /// Processor.
    pub cpu: String,
    /// Processors that could be used.
    pub cores: usize,
    /// When the run began, UTC.
    pub started: String,
    /// When it ended, UTC.
    pub finished: String,
    /// Version of the program.
    pub version: String,
    /// Commit it was built from.
    pub commit: String,
    /// A second count, if one was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub double_check: Option<DoubleCheck>,
    /// SHA-256 of the record without this field, as compact JSON.
    pub sha256: String,
}

/// Numbers of tours of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Number {
    /// Each tour once; absent if a start or end is fixed, or the job is not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undirected: Option<String>,
    /// Each direction once.
    pub directed: String,
}

/// Tours of one class of symmetry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassNumbers {
    /// The class.
    pub class: String,
    /// Each tour once.
    pub tours: String,
    /// Tours up to the board's symmetries.
    pub distinct: String,
}

/// Directed tours from one square.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// The square.
    pub start: String,
    /// Squares like it.
    pub orbit: usize,
    /// Numbers by kind.
    #[serde(flatten)]
    pub directed: BTreeMap<String, String>,
}

/// A second count of the same question that was made otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DoubleCheck {
    /// What was different.
    pub how: String,
    /// The engine.
    pub engine: String,
    /// Its numbers by kind, in the record's own convention.
    pub counts: BTreeMap<String, String>,
    /// Whether they are those of the first count.
    pub equal: bool,
    /// Of a count up to symmetry: whether the symmetric tours were counted again as well, or the total only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symmetric: Option<bool>,
    /// Wall-clock seconds.
    pub seconds: f64,
}

impl DoubleCheck {
    /// The check of a first answer by a second.
    #[must_use]
    pub fn new(how: String, first: &Answer, second: &Answer, seconds: f64) -> Self {
        let named = |kind: Kind| Some((kind.name().to_owned(), second.counts.get(kind)?.to_string()));
        Self {
            how,
            engine: second.engine.name().to_owned(),
            counts: Kind::ALL.into_iter().filter_map(named).collect(),
            equal: first.counts == second.counts,
            symmetric: None,
            seconds,
        }
    }

    /// The same of a count up to symmetry: whether its symmetric part was checked as well.
    #[must_use]
    pub fn with_symmetric(self, checked: bool) -> Self {
        Self { symmetric: Some(checked), ..self }
    }
}

/// Why a record is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// Not a record.
    #[error("not a record of ktour: {0}")]
    Parse(String),
    /// Another version of the form.
    #[error("schema {0} is not schema {SCHEMA}")]
    Schema(u32),
    /// A count of symmetric tours, which has no parts.
    #[error("it counts symmetric tours (--symmetry), and such counts have no parts to add up")]
    Symmetric,
    /// Changed or damaged.
    #[error("the digest does not match: the record is damaged or was edited")]
    Digest,
}

impl Record {
    /// The record of sums over some shards of a job, and of what they mean. `per_start` has it tell the numbers by
    /// start square.
    #[must_use]
    pub fn new(
        job: &Job,
        shards: &[Shard],
        sums: &Sums,
        numbers: &Reckoning,
        per_start: bool,
        run: &Run,
    ) -> Self {
        let request = &job.request;
        let arena = &request.arena;
        let number = |(kind, count): (Kind, &BigUint)| {
            let undirected = numbers.is_undirected().then(|| count.to_string());
            let directed = numbers.directed(count, arena.len()).to_string();
            (kind.name().to_owned(), Number { undirected, directed })
        };
        let starts = if per_start { numbers.per_start() } else { &[] };
        let start = |start: &crate::count::StartCount| Start {
            start: arena.name(start.vertex),
            orbit: start.orbit,
            directed: Kind::ALL
                .into_iter()
                .filter_map(|kind| Some((kind.name().to_owned(), start.counts.get(kind)?.to_string())))
                .collect(),
        };
        let machine = Machine::this();
        let mut record = Self {
            schema: SCHEMA,
            complete: numbers.answer().is_some(),
            modulus: numbers.modulus().map(Lane::modulus),
            job: job.whole().to_string(),
            shards: shards.iter().map(ToString::to_string).collect(),
            board: arena.title(),
            wrap: arena
                .surface()
                .map(Surface::wrap)
                .filter(|&wrap| wrap != Wrap::None)
                .map(|wrap| wrap.name().into()),
            rows: arena.layout().map(Layout::rows),
            cols: arena.layout().map(Layout::cols),
            removed: arena.removed(),
            leaper: arena.piece().map(|piece| piece.to_string()),
            start: request.start.map(|v| arena.name(v)),
            end: request.end.map(|v| arena.name(v)),
            engine: request.engine.name().to_owned(),
            counts: numbers.kinds().map(number).collect(),
            distinct: BTreeMap::new(),
            symmetries: None,
            classes: BTreeMap::new(),
            per_start: starts.iter().map(start).collect(),
            sums: sums.without_zeros(),
            units: job.units,
            nodes: sums.tally.nodes,
            visited: sums.tally.visited,
            // To the millisecond, so that the number reads back as it was written.
            seconds: (run.seconds * 1000.0).round() / 1000.0,
            threads: run.threads,
            peak_kib: peak_memory(),
            cpu: machine.cpu,
            cores: machine.cores,
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

    /// The same with numbers up to symmetry.
    #[must_use]
    pub fn with_symmetry(
        mut self,
        distinct: BTreeMap<String, String>,
        classes: BTreeMap<String, Vec<ClassNumbers>>,
        symmetries: Option<usize>,
    ) -> Self {
        (self.distinct, self.classes, self.symmetries) = (distinct, classes, symmetries);
        self.sha256 = self.digest();
        self
    }

    /// The same with a second count.
    #[must_use]
    pub fn with_double_check(mut self, check: DoubleCheck) -> Self {
        self.double_check = Some(check);
        self.sha256 = self.digest();
        self
    }

    /// Reads a record and checks its form and digest.
    ///
    /// # Errors
    /// See [`RecordError`].
    pub fn parse(text: &str) -> Result<Self, RecordError> {
        #[derive(Deserialize)]
        struct Head {
            schema: u32,
            what: Option<String>,
        }
        let wrong = |error: serde_json::Error| RecordError::Parse(error.to_string());
        let head: Head = serde_json::from_str(text).map_err(wrong)?;
        if head.what.as_deref() == Some("symmetry") {
            return Err(RecordError::Symmetric);
        }
        if head.schema != SCHEMA {
            return Err(RecordError::Schema(head.schema));
        }
        let record: Self = serde_json::from_str(text).map_err(wrong)?;
        if record.sha256 == record.digest() { Ok(record) } else { Err(RecordError::Digest) }
    }

    fn digest(&self) -> String {
        let bare = Self { sha256: String::new(), ..self.clone() };
        let text = serde_json::to_string(&bare).expect("a record can be written");
        digest::hex(Sha256::new_with_prefix(text))
    }

    /// The record on one line, without the newline.
    #[must_use]
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("a record can be written")
    }

    /// The record as indented text, with a newline at its end.
    #[must_use]
    pub fn pretty(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a record can be written");
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Arena;
    use crate::control::Control;
    use crate::count::{Request, Work, count};

    #[test]
    fn records_read_back_and_tell_when_they_were_changed() {
        let request = Request::new("3x4".parse::<Arena>().unwrap());
        let work = Work::new(&request).unwrap();
        let job = Job::new(&work, Shard::WHOLE);
        let answer = count(&request, &Control::new()).unwrap();
        let run = Run { seconds: 0.1 + 0.2, threads: 1, started: "a".into(), finished: "b".into() };
        let sums = work.question().no_sums();
        let record = Record::new(&job, &[Shard::WHOLE], &sums, &Reckoning::Whole(answer), true, &run);
        for text in [record.line(), record.pretty()] {
            assert_eq!(Record::parse(&text).unwrap(), record);
        }
        let edited = record.line().replace(r#""undirected":"8""#, r#""undirected":"9""#);
        assert_eq!(Record::parse(&edited), Err(RecordError::Digest));
        let newer = record.line().replace(r#""schema":1"#, r#""schema":2"#);
        assert_eq!(Record::parse(&newer), Err(RecordError::Schema(2)));
        assert!(matches!(Record::parse("{}"), Err(RecordError::Parse(_))));
    }
}
