//! Merging: adds the sums of shards exactly, and computes the exact count from residues.
//!
//! # Shards
//!
//! The inputs are records of finished runs, or checkpoints. All runs must be finished and of one job (board,
//! kind, engine, split: the whole job line except the shard), and no two inputs may contain the same unit.
//! Together they must be the whole job, unless a partial sum is requested. The result can be written as a
//! record, so results of merges can be merged.
//!
//! # Residues
//!
//! Counts modulo several numbers are merged to the exact count by the Chinese remainder theorem, if there are
//! enough of them.
//!
//! ```text
//! residues of one job modulo several numbers + the exact count    -> the exact count, if it agrees
//! residues of one job modulo several numbers + bounds of its sums -> the exact sums
//! ```
//!
//! `UpperBounds::combine_residues` identifies a wrong residue, if there are enough others.

use std::path::{Path, PathBuf};

use num_bigint::BigUint;
use num_integer::Integer;

use super::checkpoint::has_checkpoint_header;
use super::{
    Checkpoint, CheckpointError, Job, ParseJobError, ParseShardError, Record, RecordError, RunState, Shard,
    check_coverage, read_bounded,
};
use crate::count::{ResidueError, ResidueSums, Sums, UpperBounds};
use crate::frontier::ResidueRing;
use crate::json_fault::JsonFault;

/// The sums of one shard or several shards of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct ShardSums {
    /// The input file. If the file holds several records, the line number is appended.
    pub path: PathBuf,
    /// The whole job to which the shards belong.
    pub job: Job,
    /// The shards whose counts `sums` contains.
    pub shards: Vec<Shard>,
    /// Sums of the counts of the shards.
    pub sums: Sums,
    /// Total running time of the shards in seconds.
    pub seconds: f64,
}

/// The sums of shards that a file has.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReadShards {
    /// The sums of the records, or of the checkpoint.
    pub shards: Vec<ShardSums>,
    /// The numbers, from 1, of the lines that end in the middle of a record. A killed run leaves such lines; they are
    /// skipped.
    pub torn_lines: Vec<usize>,
}

/// The reason why the sums of shards cannot be read from a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadShardsError {
    /// The file is neither a record nor a checkpoint of a count, or it is damaged.
    #[error("{}: {}", .path.display(), .fault.describe_in_line(*.line))]
    File {
        /// The input file.
        path: PathBuf,
        /// The line of a file of records, counted from 1.
        line: Option<usize>,
        /// The fault of the file or line.
        fault: ShardFileFault,
    },
    /// The file cannot be read, or is a checkpoint that cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The file is a checkpoint whose run has not finished all units.
    #[error("{0} is unfinished, {1} of {2} units are done", .path.display(), .done, .units)]
    Unfinished {
        /// The checkpoint.
        path: PathBuf,
        /// Number of finished units.
        done: usize,
        /// Number of units of the shard.
        units: usize,
    },
}

/// The fault of a file that does not have the sums of shards.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShardFileFault {
    /// The file is the checkpoint of a series, not of a count.
    #[error("it is the checkpoint of a series; give checkpoints of counts of one board")]
    SeriesCheckpoint,
    /// The file is empty.
    #[error("it is empty")]
    Empty,
    /// The file is neither a record nor a checkpoint.
    #[error("the file is neither a record nor a checkpoint of ktour; give a file that ktour wrote")]
    OtherFormat,
    /// The file is not UTF-8.
    #[error("it is not text")]
    NotText,
    /// The file has several records, each on several lines.
    #[error("it holds several results, each on several lines; split it into one file for each")]
    SeveralResults,
    /// The file has several lines, and ends in the middle of a record.
    #[error("it is truncated")]
    Truncated,
    /// The file has several lines that are not JSON.
    #[error("it is not JSON: {} at line {} column {}", .0.what, .0.line, .0.column)]
    Json(JsonFault),
    /// The text is not a valid record of a count.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The job line of the record is not valid.
    #[error(transparent)]
    Job(#[from] ParseJobError),
    /// A shard of the record is not valid.
    #[error(transparent)]
    Shard(#[from] ParseShardError),
}

impl ShardFileFault {
    /// Returns the message of the fault of a line, if there is one, or of the whole file.
    fn describe_in_line(&self, line: Option<usize>) -> String {
        match (line, self) {
            (Some(line), Self::Record(error)) => error.describe_in_line(line),
            (Some(line), fault) => format!("line {line}: {fault}"),
            (None, fault) => fault.to_string(),
        }
    }
}

/// The reason why shards cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// The shards are of two different jobs.
    #[error("mixed jobs, {0} has {1}, but {2} has {3}; merge only files of one job", .first.display(), .first_words, .other.display(), .other_words)]
    MixedJobs {
        /// The first input file.
        first: PathBuf,
        /// The words of the first file's job line that differ from those of the other file.
        first_words: String,
        /// An input file of another job.
        other: PathBuf,
        /// The words of the other file's job line that differ from those of the first file.
        other_words: String,
    },
    /// Some shards overlap. Holds these shards, each with its files.
    #[error("overlapping: {}; use each shard of the job once", describe_files(.0))]
    Overlapping(Vec<(Shard, Vec<PathBuf>)>),
    /// Some shards are missing. Holds these shards.
    #[error("missing: shards {}; add their files", describe_shards(.0))]
    Missing(Vec<Shard>),
    /// Residues and a count are merged, and one of them lacks shards.
    #[error(
        "mixed: {} has shards of {}, and {} has {}; merge the files of each kind alone, or add the files of shards {}",
        .incomplete.display(), describe_kind(*.modulus), .other.display(), describe_kind(*.other_modulus),
        describe_shards(.missing)
    )]
    MixedShards {
        /// The first file of the residue, or of the count, that lacks shards.
        incomplete: PathBuf,
        /// The modulus of this file; `None` for a count.
        modulus: Option<ResidueRing>,
        /// A file of another residue, or of the count.
        other: PathBuf,
        /// The modulus of the other file; `None` for a count.
        other_modulus: Option<ResidueRing>,
        /// The missing shards.
        missing: Vec<Shard>,
    },
    /// The shards are of the form R/M, and the least common multiple of their M is too large.
    #[error(
        "the least common multiple of the M of all shards R/M exceeds {}; merge fewer different M",
        super::MAX_SHARDS
    )]
    TooLargeModulus,
    /// There is no input file.
    #[error("nothing to merge; give at least one file")]
    NoInput,
    /// An exact count contradicts a residue or another exact count.
    #[error("{}: {} disagrees with {}; count one of them again", .other.display(), describe_sums(.modulus.as_ref()), .exact.display())]
    Disagreement {
        /// The file of the exact count.
        exact: PathBuf,
        /// The file whose count or residue disagrees with the exact count.
        other: PathBuf,
        /// The modulus of the other file, if its sums are residues.
        modulus: Option<BigUint>,
    },
    /// Two moduli have a common factor, so that the residues modulo both are not independent.
    #[error("the moduli {0} and {1} have a common factor; omit one of them")]
    CommonFactor(BigUint, BigUint),
    /// The residues are too few to determine the count.
    #[error(
        "the residues determine {known_bits} bits, and the count may have {needed_bits}; count modulo more primes"
    )]
    TooFewResidues {
        /// Number of bits of the upper bound of the count.
        needed_bits: u64,
        /// Number of bits that the residues determine.
        known_bits: u64,
    },
    /// One residue contradicts the other residues, which agree with each other.
    #[error("{0}: the residue modulo {modulus} contradicts the others; count it again", .path.display())]
    WrongResidue {
        /// The file of the residue.
        path: PathBuf,
        /// The modulus of the residue.
        modulus: BigUint,
    },
    /// Residues contradict each other, and there are too few to identify the wrong one.
    #[error("the residues contradict each other; add a count modulo one more prime to find the wrong one")]
    InconsistentResidues,
}

impl MergeError {
    /// Creates the error for two files of different jobs, from their job lines.
    pub(super) fn mixed_jobs(first: &Path, one: &str, other: &Path, another: &str) -> Self {
        let (expected, found) = differing_words(one, another);
        Self::MixedJobs {
            first: first.to_owned(),
            first_words: expected,
            other: other.to_owned(),
            other_words: found,
        }
    }
}

/// Maximum number of missing shards that a message lists.
const MAX_LISTED_SHARDS: usize = 20;

fn describe_shards(shards: &[Shard]) -> String {
    let listed = &shards[..shards.len().min(MAX_LISTED_SHARDS)];
    let names: Vec<String> = listed.iter().map(ToString::to_string).collect();
    let more = match shards.len() - listed.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    names.join(", ") + &more
}

fn describe_files(shards: &[(Shard, Vec<PathBuf>)]) -> String {
    let describe = |(shard, files): &(Shard, Vec<PathBuf>)| {
        let names: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
        format!("shard {shard} ({})", names.join(", "))
    };
    shards.iter().map(describe).collect::<Vec<_>>().join(", ")
}

/// Returns the words for the sums of a file in an error message: a residue if there is a modulus,
/// otherwise a count.
fn describe_sums(modulus: Option<&BigUint>) -> String {
    modulus.map_or_else(|| "its count".to_owned(), |modulus| format!("its residue modulo {modulus}"))
}

/// Returns the words for the kind of numbers of a file: residues if there is a modulus, otherwise a count.
fn describe_kind(modulus: Option<ResidueRing>) -> String {
    modulus.map_or_else(|| "a count".to_owned(), |ring| format!("a residue modulo {}", ring.modulus()))
}

/// Reads the sums of shards from a checkpoint or from a file of records: one JSON object, or one
/// object on each line. In a file of several lines, lines that end in the middle of a record are
/// skipped.
///
/// # Errors
/// The file cannot be read, or a shard is damaged or unfinished. The error names the line if the
/// file has several records.
pub fn read_shard_sums(path: &Path) -> Result<ReadShards, ReadShardsError> {
    let one = |shards| ReadShards { shards: vec![shards], torn_lines: Vec::new() };
    let wrong_line =
        |line, fault: ShardFileFault| ReadShardsError::File { path: path.to_owned(), line, fault };
    let wrong = |fault: ShardFileFault| wrong_line(None, fault);
    let is_record = |bytes: &[u8]| bytes.trim_ascii_start().starts_with(b"{");
    let begins_well = |bytes: &[u8]| has_checkpoint_header(bytes) || is_record(bytes);
    let bytes = read_bounded(path, begins_well)
        .map_err(|source| CheckpointError::Read { path: path.to_owned(), source })?;
    if has_checkpoint_header(&bytes) {
        let loaded = Checkpoint::<RunState>::load(path).map_err(|error| match error {
            CheckpointError::OtherJob { .. } => wrong(ShardFileFault::SeriesCheckpoint),
            error => error.into(),
        })?;
        let Checkpoint { job, state, .. } = loaded.checkpoint;
        let (done, units) = (state.units_done(), job.shard_units());
        if done < units {
            return Err(ReadShardsError::Unfinished { path: path.to_owned(), done, units });
        }
        return Ok(one(ShardSums {
            path: path.to_owned(),
            shards: vec![job.shard],
            job: job.to_whole(),
            sums: state.sums,
            seconds: state.seconds,
        }));
    }
    if bytes.trim_ascii().is_empty() {
        return Err(wrong(ShardFileFault::Empty));
    }
    if !is_record(&bytes) {
        return Err(wrong(ShardFileFault::OtherFormat));
    }
    let text = String::from_utf8(bytes).map_err(|_| wrong(ShardFileFault::NotText))?;
    if serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok() {
        return parse_shard_sums(path.to_owned(), &text).map(one).map_err(wrong);
    }
    // The first line `{` starts an object on several lines.
    if text.trim_start().lines().next().is_some_and(|line| line.trim() == "{") {
        return Err(wrong(find_fault_of_objects(&text)));
    }
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let (torn, whole): (Vec<_>, Vec<_>) = lines.partition(|(_, line)| is_torn(line));
    // If all lines are torn, the error of the first one is returned.
    let (lines, torn) = if whole.is_empty() { (torn, whole) } else { (whole, torn) };
    let parse_line = |(number, line): (usize, &str)| {
        let line_path = PathBuf::from(format!("{}, line {number}", path.display()));
        parse_shard_sums(line_path, line).map_err(|fault| wrong_line(Some(number), fault))
    };
    let shards = lines.into_iter().map(parse_line).collect::<Result<_, _>>()?;
    Ok(ReadShards { shards, torn_lines: torn.into_iter().map(|(number, _)| number).collect() })
}

/// Returns the fault of a file whose objects have several lines, and which is not one record.
fn find_fault_of_objects(text: &str) -> ShardFileFault {
    let mut objects = serde_json::Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>();
    match (objects.next(), objects.next()) {
        (Some(Ok(_)), Some(Ok(_))) => ShardFileFault::SeveralResults,
        (Some(Err(error)), _) | (_, Some(Err(error))) if error.is_eof() => ShardFileFault::Truncated,
        (Some(Err(error)), _) | (_, Some(Err(error))) => ShardFileFault::Json(error.into()),
        _ => ShardFileFault::OtherFormat,
    }
}

/// Returns true if `line` ends in the middle of a JSON object.
fn is_torn(line: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(line).is_err_and(|error| error.is_eof())
}

/// Parses the sums of the shards of a record that stands at `path`.
fn parse_shard_sums(path: PathBuf, text: &str) -> Result<ShardSums, ShardFileFault> {
    let record = Record::parse(text)?;
    let shards = record.shards.iter().map(|shard| shard.parse()).collect::<Result<_, ParseShardError>>()?;
    Ok(ShardSums { path, job: record.job.parse()?, shards, sums: record.sums, seconds: record.seconds })
}

/// Adds the sums of shards of one job. If `partial`, the job may have further shards.
///
/// # Errors
/// See [`MergeError`].
pub fn merge(parts: &[ShardSums], partial: bool) -> Result<ShardSums, MergeError> {
    let [first, rest @ ..] = parts else { return Err(MergeError::NoInput) };
    let mut sum = first.clone();
    for part in rest {
        if part.job != first.job || !sum.sums.try_add(&part.sums) {
            let (expected, found) = (first.job.to_string(), part.job.to_string());
            return Err(MergeError::mixed_jobs(&first.path, &expected, &part.path, &found));
        }
        sum.shards.extend(&part.shards);
        sum.seconds += part.seconds;
    }
    let cover = check_coverage(&sum.shards).ok_or(MergeError::TooLargeModulus)?;
    if !cover.overlapping.is_empty() {
        let with_files = |shard: Shard| {
            let files = parts.iter().filter(|part| part.shards.contains(&shard));
            (shard, files.map(|part| part.path.clone()).collect())
        };
        return Err(MergeError::Overlapping(cover.overlapping.into_iter().map(with_files).collect()));
    }
    if cover.missing.is_empty() {
        sum.shards = vec![Shard::WHOLE];
    } else if !partial {
        return Err(MergeError::Missing(cover.missing));
    }
    sum.shards.sort_unstable();
    Ok(sum)
}

/// Merges the shards of each residue, and those of the exact count, if there are any. Together, the shards of each must
/// be the whole job.
///
/// # Errors
/// See [`MergeError`].
pub fn merge_each_modulus(parts: &[ShardSums]) -> Result<Vec<ShardSums>, MergeError> {
    let modulus = |part: &ShardSums| part.job.request.modulus;
    let mut groups: Vec<Vec<ShardSums>> = Vec::new();
    for part in parts {
        match groups.iter_mut().find(|group| modulus(&group[0]) == modulus(part)) {
            Some(group) => group.push(part.clone()),
            None => groups.push(vec![part.clone()]),
        }
    }
    let merge_group = |group: &Vec<ShardSums>| {
        let other = groups.iter().find(|other| modulus(&other[0]).is_some() != modulus(&group[0]).is_some());
        merge(group, false).map_err(|error| match (error, other) {
            (MergeError::Missing(missing), Some(other)) => MergeError::MixedShards {
                incomplete: group[0].path.clone(),
                modulus: modulus(&group[0]),
                other: other[0].path.clone(),
                other_modulus: modulus(&other[0]),
                missing,
            },
            (error, _) => error,
        })
    };
    groups.iter().map(merge_group).collect()
}

/// Returns the words of `one` that differ from the word at the same position of `other`, and the
/// words of `other` that differ. Both are job lines.
fn differing_words(one: &str, other: &str) -> (String, String) {
    let pairs: Vec<(&str, &str)> = one.split(' ').zip(other.split(' ')).filter(|(a, b)| a != b).collect();
    let join = |words: Vec<&str>| words.join(" ");
    (join(pairs.iter().map(|p| p.0).collect()), join(pairs.iter().map(|p| p.1).collect()))
}

/// Returns the modulus of the residues `part`.
fn modulus_of(part: &ShardSums) -> ResidueRing {
    part.job.request.modulus.expect("exact counts were handled before")
}

/// Returns `exact` if all `parts` agree with it: each is the same exact count, or a residue of it.
fn check_exact(exact: &ShardSums, parts: &[ShardSums]) -> Result<ShardSums, MergeError> {
    let of = |part: &ShardSums| {
        let residue =
            |sum: &BigUint| part.job.request.modulus.map_or_else(|| sum.clone(), |ring| ring.residue_of(sum));
        (residue(&exact.sums.closed), residue(&exact.sums.unplaced))
    };
    match parts.iter().find(|part| of(part) != (part.sums.closed.clone(), part.sums.unplaced.clone())) {
        None => Ok(exact.clone()),
        Some(other) => {
            let modulus = other.job.request.modulus.map(|ring| ring.modulus().into());
            Err(MergeError::Disagreement { exact: exact.path.clone(), other: other.path.clone(), modulus })
        }
    }
}

/// Returns the exact count among `parts`, if there is one and all residues agree with it. `parts`
/// are counts of the whole job.
///
/// # Errors
/// There is no input, the inputs are of several jobs, or a residue disagrees with the exact count.
pub fn find_exact(parts: &[ShardSums]) -> Result<Option<ShardSums>, MergeError> {
    let [first, rest @ ..] = parts else { return Err(MergeError::NoInput) };
    for part in rest {
        if part.job.to_exact() != first.job.to_exact() {
            let (expected, found) = (first.job.to_exact().to_string(), part.job.to_exact().to_string());
            return Err(MergeError::mixed_jobs(&first.path, &expected, &part.path, &found));
        }
    }
    let exact = parts.iter().find(|part| part.job.request.modulus.is_none());
    exact.map(|exact| check_exact(exact, parts)).transpose()
}

/// Computes the exact count from counts of the whole job modulo several numbers. If one of `parts` is exact,
/// it is the result, provided that all residues agree with it.
///
/// # Errors
/// The inputs are of several jobs, moduli have a common factor, there are too few residues, or a residue
/// contradicts the others.
pub fn join_residues(parts: &[ShardSums], bounds: &UpperBounds) -> Result<ShardSums, MergeError> {
    if let Some(exact) = find_exact(parts)? {
        return Ok(exact);
    }
    let rings: Vec<ResidueRing> = parts.iter().map(modulus_of).collect();
    let moduli: Vec<BigUint> = rings.iter().map(|ring| ring.modulus().into()).collect();
    for (i, one) in moduli.iter().enumerate() {
        if let Some(other) = moduli[..i].iter().find(|other| one.gcd(other) != BigUint::from(1u8)) {
            return Err(MergeError::CommonFactor(other.clone(), one.clone()));
        }
    }
    let (known, bound): (BigUint, _) = (moduli.iter().product(), bounds.max_bound());
    if known <= *bound {
        return Err(MergeError::TooFewResidues { needed_bits: bound.bits(), known_bits: known.bits() - 1 });
    }
    let residues: Vec<ResidueSums> = rings
        .iter()
        .zip(parts)
        .map(|(&ring, part)| ResidueSums { ring, closed: &part.sums.closed, paths: &part.sums.unplaced })
        .collect();
    let (closed, paths) = bounds.combine_residues(&residues).map_err(|misfit| match misfit {
        ResidueError::WrongResidue(wrong) => {
            let part = rings.iter().position(|&ring| ring == wrong).expect("the modulus is one of these");
            MergeError::WrongResidue { path: parts[part].path.clone(), modulus: moduli[part].clone() }
        }
        ResidueError::Ambiguous => MergeError::InconsistentResidues,
    })?;
    let mut sum = ShardSums {
        job: parts[0].job.to_exact(),
        shards: vec![Shard::WHOLE],
        sums: Sums::default(),
        ..parts[0].clone()
    };
    (sum.sums.closed, sum.sums.unplaced) = (closed, paths);
    sum.seconds = parts.iter().map(|part| part.seconds).sum();
    parts.iter().for_each(|part| sum.sums.effort.add(part.sums.effort));
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Job;
    use super::*;
    use crate::board::Board;
    use crate::count::{Request, WorkPlan};
    use crate::frontier::prime_moduli;

    /// Returns the residues of these numbers of closed tours and paths, as the sums of a whole job.
    fn part(closed: &BigUint, paths: &BigUint, modulus: u32) -> ShardSums {
        let modulus = ResidueRing::new(modulus);
        let request = Request { modulus, ..Request::new("5x6".parse::<Board>().unwrap()) };
        let job = Job::new(&WorkPlan::new(&request).unwrap(), Shard::WHOLE);
        let ring = modulus.unwrap();
        let sums =
            Sums { closed: ring.residue_of(closed), unplaced: ring.residue_of(paths), ..Sums::default() };
        let path = format!("{}.json", ring.modulus()).into();
        ShardSums { path, job, shards: vec![Shard::WHOLE], sums, seconds: 1.5 }
    }

    proptest! {
        #[test]
        fn join_residues_recovers_sums_and_finds_wrong_residue(
            closed in any::<u64>(), paths in any::<u128>(),
            wrong in 0usize..20, by in 1u32..60_000, bits in prop_oneof![Just(16), Just(32)],
        ) {
            let (closed, paths) = (BigUint::from(closed), BigUint::from(paths >> 1));
            let bounds = UpperBounds { closed: u64::MAX.into(), paths: BigUint::from(u128::MAX >> 1), ..UpperBounds::default() };
            let moduli = prime_moduli(bounds.max_bound(), bits).unwrap();
            let mut parts: Vec<ShardSums> = moduli.iter().map(|ring| part(&closed, &paths, ring.modulus())).collect();
            let sum = join_residues(&parts, &bounds).unwrap();
            prop_assert_eq!((&sum.sums.closed, &sum.sums.unplaced), (&closed, &paths));
            prop_assert_eq!((sum.job.request.modulus, sum.seconds), (None, 1.5 * parts.len() as f64));
            let wrong = wrong % parts.len();
            let ring = moduli[wrong];
            parts[wrong].sums.closed = ring.residue_of(&(&parts[wrong].sums.closed + by));
            match join_residues(&parts, &bounds) {
                Err(MergeError::WrongResidue { path, modulus }) => {
                    prop_assert_eq!(modulus, ring.modulus().into());
                    prop_assert_eq!(&path, &parts[wrong].path);
                }
                Err(MergeError::InconsistentResidues) => {}
                other => panic!("{other:?}"),
            }
            let most = moduli.len() - 2;
            let few = join_residues(&parts[..most], &bounds);
            prop_assert!(matches!(few, Err(MergeError::TooFewResidues { needed_bits: 127, .. })), "{:?}", few);
        }
    }

    #[test]
    fn join_residues_rejects_mixed_inputs() {
        let (one, bounds) = (
            BigUint::from(1u8),
            UpperBounds { closed: 9u8.into(), paths: 9u8.into(), ..UpperBounds::default() },
        );
        let parts = |moduli: &[u32]| moduli.iter().map(|&m| part(&one, &one, m)).collect::<Vec<_>>();
        assert_eq!(
            join_residues(&parts(&[6, 10]), &bounds),
            Err(MergeError::CommonFactor(6u8.into(), 10u8.into()))
        );
        assert_eq!(
            join_residues(&parts(&[3, 3]), &bounds),
            Err(MergeError::CommonFactor(3u8.into(), 3u8.into()))
        );
        assert_eq!(join_residues(&[], &bounds), Err(MergeError::NoInput));
        assert_eq!(
            join_residues(&parts(&[9]), &bounds),
            Err(MergeError::TooFewResidues { needed_bits: 4, known_bits: 3 })
        );
        let mut mixed = parts(&[7, 11]);
        mixed[1].job.request = mixed[1].job.request.clone().with_ends(Some(3), None).unwrap();
        assert!(matches!(join_residues(&mixed, &bounds), Err(MergeError::MixedJobs { .. })));
    }

    #[test]
    fn exact_count_checks_residues() {
        let bounds = UpperBounds { closed: 9u8.into(), paths: 9u8.into(), ..UpperBounds::default() };
        let (eight, five) = (BigUint::from(8u8), BigUint::from(5u8));
        let mut parts = vec![part(&eight, &five, 7), part(&eight, &five, 11), part(&eight, &five, 13)];
        parts[1].job = parts[1].job.to_exact();
        assert_eq!(join_residues(&parts, &bounds), Ok(parts[1].clone()));
        parts[2].sums.unplaced = 4u8.into();
        let modulus = Some(13u8.into());
        let mismatch = |other: &str, modulus| {
            Err(MergeError::Disagreement { exact: "11.json".into(), other: other.into(), modulus })
        };
        assert_eq!(join_residues(&parts, &bounds), mismatch("13.json", modulus));
        parts[2].job = parts[1].job.clone();
        assert_eq!(join_residues(&parts, &bounds), mismatch("13.json", None));
    }
}
