//! Adding up shards: exactly, and only if they fit together.
//!
//! Parts are records of finished runs, or checkpoints. All must be of the same job
//! (board, kind, engine, split: the whole line but the shard), finished, and no two
//! may share a unit. Together they must be the whole job, unless a part is wanted.
//! The result is a record again, so merges merge.

use std::path::{Path, PathBuf};

use num_bigint::BigUint;

use super::{Checkpoint, Job, Record, Shard, State, cover, read_bounded};
use crate::count::Sums;

/// Sums of some shards of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Where it came from: a file, with the line of one that has several records.
    pub path: PathBuf,
    /// The whole job.
    pub job: Job,
    /// Its shards.
    pub shards: Vec<Shard>,
    /// Their sums.
    pub sums: Sums,
    /// Seconds they took.
    pub seconds: f64,
}

/// Why parts do not add up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// A file that is neither a record nor a checkpoint, or a damaged one.
    #[error("{0}: {1}", .path.display(), .what)]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A run that has not ended.
    #[error("{0} is unfinished: {1} of {2} units are done; go on with: ktour resume {0}", .path.display(), .done, .units)]
    Unfinished {
        /// The checkpoint.
        path: PathBuf,
        /// Units done.
        done: usize,
        /// Units of the shard.
        units: usize,
    },
    /// Parts of two jobs.
    #[error("mixed jobs: {0} has {1}, but {2} has {3}", .first.display(), .expected, .other.display(), .found)]
    Mixed {
        /// The first file.
        first: PathBuf,
        /// Where its job differs.
        expected: String,
        /// A file of another job.
        other: PathBuf,
        /// Where that differs.
        found: String,
    },
    /// Units counted twice.
    #[error("repeated: {0}; leave out one file of each")]
    Repeated(String),
    /// Units not counted.
    #[error("missing: shards {0}; add their files, or ask for --partial sums")]
    Missing(String),
    /// Shards with too large a common modulus.
    #[error("the shards' moduli have no common multiple of at most {}", super::MAX_SHARDS)]
    Moduli,
    /// No file.
    #[error("nothing to merge")]
    Nothing,
    /// An exact count, and a residue or another count that is not its own.
    #[error("{}: {} is not that of {}: count one of them again", .other.display(), told(.modulus.as_ref()), .exact.display())]
    Apart {
        /// The file of the exact count.
        exact: PathBuf,
        /// That of the other.
        other: PathBuf,
        /// Its modulus, of a residue.
        modulus: Option<BigUint>,
    },
    /// Residues modulo numbers of which one tells a part of the other.
    #[error("the moduli {0} and {1} have a common factor: leave out one of them")]
    CommonFactor(BigUint, BigUint),
    /// Too few residues for the number.
    #[error(
        "residues of {there} bits, and the number may have {needed}: count modulo more primes (--partial tells a residue)"
    )]
    NotEnough {
        /// Bits of the bound.
        needed: u64,
        /// Bits that are known.
        there: u64,
    },
    /// A residue that does not fit to the others.
    #[error("{0}: its residue modulo {modulus} does not fit to the others: count it again", .path.display())]
    Wrong {
        /// Its file.
        path: PathBuf,
        /// Its modulus.
        modulus: BigUint,
    },
    /// Residues that do not fit, with too few others to tell which.
    #[error("the residues do not fit together, and it takes one more to tell which is wrong")]
    Unfit,
}

impl MergeError {
    /// Parts of jobs of which these lines tell.
    pub(super) fn mixed(first: &Path, one: &str, other: &Path, another: &str) -> Self {
        let (expected, found) = difference(one, another);
        Self::Mixed { first: first.to_owned(), expected, other: other.to_owned(), found }
    }
}

/// What a part tells, in words.
fn told(modulus: Option<&BigUint>) -> String {
    modulus.map_or_else(|| "its number".to_owned(), |modulus| format!("its residue modulo {modulus}"))
}

/// Reads a file of records (one object, or one a line) or a checkpoint. Of several lines those that end in the middle
/// of a record, as a run that is killed leaves them, are left out: [`torn_lines`] tells which.
///
/// # Errors
/// A file that cannot be read, a damaged or unfinished part; the line of a record among others is told.
pub fn read_parts(path: &Path) -> Result<Vec<Part>, MergeError> {
    let wrong = |what: String| MergeError::File { path: path.to_owned(), what };
    let is_record = |bytes: &[u8]| bytes.trim_ascii_start().starts_with(b"{");
    let begins_well = |bytes: &[u8]| Checkpoint::begins_in(bytes) || is_record(bytes);
    let bytes = read_bounded(path, begins_well).map_err(|error| wrong(format!("cannot read it: {error}")))?;
    if Checkpoint::begins_in(&bytes) {
        let checkpoint = Checkpoint::load(path).map_err(|error| wrong(error.to_string()))?.checkpoint;
        if !checkpoint.is_finished() {
            let (done, units) = (checkpoint.units_done(), checkpoint.units());
            return Err(MergeError::Unfinished { path: path.to_owned(), done, units });
        }
        let Checkpoint { job, state: State { sums, seconds, .. }, .. } = checkpoint;
        return Ok(vec![Part {
            path: path.to_owned(),
            shards: vec![job.shard],
            job: job.whole(),
            sums,
            seconds,
        }]);
    }
    if bytes.trim_ascii().is_empty() {
        return Err(wrong("it is empty".to_owned()));
    }
    if !is_record(&bytes) {
        return Err(wrong("it is neither a record nor a checkpoint of ktour".to_owned()));
    }
    let text = String::from_utf8(bytes).map_err(|_| wrong("it is not text".to_owned()))?;
    if serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok() {
        return Ok(vec![part(path, &text).map_err(wrong)?]);
    }
    // An object of its own on many lines, as --json writes it.
    if text.trim_start().lines().next().is_some_and(|line| line.trim() == "{") {
        let mut objects = serde_json::Deserializer::from_str(&text).into_iter::<serde::de::IgnoredAny>();
        let (first, second) = (objects.next(), objects.next());
        return Err(wrong(match (first, second) {
            (Some(Ok(_)), Some(Ok(_))) => "it holds several results of --json: give each its file".to_owned(),
            (Some(Err(error)), _) | (_, Some(Err(error))) if error.is_eof() => "it is cut short".to_owned(),
            (Some(Err(error)), _) | (_, Some(Err(error))) => format!("it is no JSON: {error}"),
            _ => "it is no record of ktour".to_owned(),
        }));
    }
    let lines: Vec<_> = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).collect();
    // Where nothing is whole, the first says why.
    let is_some_whole = lines.iter().any(|(_, line)| !is_torn(line));
    let of_line = |(at, line): (usize, &str)| {
        // The line of the file, not of the record.
        let of_file =
            |what: String| format!("line {}: {}", at + 1, what.replace(" at line 1 column ", " at column "));
        let of_line = PathBuf::from(format!("{}, line {}", path.display(), at + 1));
        part(&of_line, line).map_err(|what| wrong(of_file(what)))
    };
    lines.into_iter().filter(|(_, line)| !is_some_whole || !is_torn(line)).map(of_line).collect()
}

/// Whether a line ends in the middle of a record.
fn is_torn(line: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(line).is_err_and(|error| error.is_eof())
}

/// Numbers of the lines of a file of several records, from 1, that end in the middle of one.
#[must_use]
pub fn torn_lines(path: &Path) -> Vec<usize> {
    let bytes = read_bounded(path, |bytes| bytes.trim_ascii_start().starts_with(b"{")).unwrap_or_default();
    let Ok(text) = String::from_utf8(bytes) else { return Vec::new() };
    // What is one object is whole, on however many lines.
    if !text.starts_with('{') || serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok() {
        return Vec::new();
    }
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && is_torn(line));
    lines.map(|(number, _)| number).collect()
}

/// The part that a record is, or what is wrong with it.
fn part(path: &Path, text: &str) -> Result<Part, String> {
    let record = Record::parse(text).map_err(|error| error.to_string())?;
    let job: Job = record.job.parse().map_err(|error: super::ParseJobError| error.to_string())?;
    let shards = record.shards.iter().map(|shard| shard.parse()).collect::<Result<_, _>>();
    let shards = shards.map_err(|error: super::ParseShardError| error.to_string())?;
    Ok(Part { path: path.to_owned(), job, shards, sums: record.sums, seconds: record.seconds })
}

/// Adds parts up. `partial` allows some of the job to be missing.
///
/// # Errors
/// See [`MergeError`].
pub fn merge(parts: &[Part], partial: bool) -> Result<Part, MergeError> {
    let [first, rest @ ..] = parts else { return Err(MergeError::Nothing) };
    let mut sum = first.clone();
    for part in rest {
        if part.job != first.job || !sum.sums.add(&part.sums) {
            let (expected, found) = (first.job.to_string(), part.job.to_string());
            return Err(MergeError::mixed(&first.path, &expected, &part.path, &found));
        }
        sum.shards.extend(&part.shards);
        sum.seconds += part.seconds;
    }
    let cover = cover(&sum.shards).ok_or(MergeError::Moduli)?;
    if !cover.repeated.is_empty() {
        let named = cover.repeated.iter().map(|shard| {
            let files = parts.iter().filter(|part| part.shards.contains(shard));
            let names: Vec<String> = files.map(|part| part.path.display().to_string()).collect();
            format!("shard {shard} ({})", names.join(", "))
        });
        return Err(MergeError::Repeated(named.collect::<Vec<_>>().join(", ")));
    }
    if cover.missing.is_empty() {
        sum.shards = vec![Shard::WHOLE];
    } else if !partial {
        let names: Vec<String> = cover.missing.iter().map(ToString::to_string).collect();
        let more = names.len().saturating_sub(20);
        let mut text = names[..names.len().min(20)].join(", ");
        if more > 0 {
            text.push_str(&format!(" and {more} more"));
        }
        return Err(MergeError::Missing(text));
    }
    sum.shards.sort_unstable();
    Ok(sum)
}

/// The words in which two job lines differ.
fn difference(one: &str, other: &str) -> (String, String) {
    let pairs: Vec<(&str, &str)> = one.split(' ').zip(other.split(' ')).filter(|(a, b)| a != b).collect();
    let join = |words: Vec<&str>| words.join(" ");
    (join(pairs.iter().map(|p| p.0).collect()), join(pairs.iter().map(|p| p.1).collect()))
}
