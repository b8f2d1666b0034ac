//! The run itself: counts symmetric tours first, then all units, and adds them up to a result with its
//! record.

use std::path::Path;
use std::time::Duration;

use crate::cli::failure::Failure;
use crate::cli::human::rest_of;
use crate::cli::ranks::{Ranks, ranks, together};
use crate::cli::signals::Signals;
use crate::cli::up_to_symmetry::{failure, symmetric_part, with_symmetry};
use crate::report::{CountResult, UpTo, warn};
use ktour::batch::{self, CheckpointFile, Progressed, Reckoning, Record, Run, Saver, now, with_suffix};
use ktour::count::CountError;
use ktour::words;

use super::announce::announce;
use super::ready::Ready;

/// Time between checkpoints if `--checkpoint-every` is not given.
pub const CHECKPOINT_EVERY: Duration = Duration::from_secs(60);

/// Progress text of a run that was stopped in its symmetric part.
const DONE: &str = "after all tours were counted";

/// The result of a finished run.
pub struct Counted {
    pub result: CountResult,
    /// Time of the run in core seconds.
    pub seconds: f64,
}

/// Counts with all ranks. Returns `None` on ranks that do not report.
///
/// # Errors
/// A refused, failed or stopped run.
pub fn execute(ready: &mut Ready) -> Result<Option<Counted>, Failure> {
    let progress = ready.how.progress(ready.name());
    let signals = together(ready.signals(progress.control()))?;
    announce(ready, progress.control())?;
    // The symmetric part comes first, so that its failure does not waste the whole count.
    let part = |what| symmetric_part(what, &ready.request, &ready.setting, progress.control());
    let part = match ready.wanted.symmetry.map(part) {
        Some(Ok(parts)) => Some(parts),
        // Cancelled: the count below stops at once and saves its checkpoint.
        Some(Err(CountError::Stopped(_))) | None => None,
        Some(Err(error)) => return Err(failure(error)),
    };
    let file = ready.file.as_ref();
    let failed = |error: &str| {
        // If the folder has vanished, its checkpoint cannot be seen, but may exist.
        let is_none = |path: &Path| with_suffix(path, ".lock").exists() && !CheckpointFile::exists(path);
        let is_saved = !file.is_some_and(|file| is_none(file.path()));
        let stands = if is_saved { "the previous one is intact" } else { "no earlier one exists" };
        warn(format_args!("cannot save the checkpoint: {error}; {stands}, the run continues"));
    };
    let saving = saving(ready, &failed);
    let ended = batch::run(&ready.work, &ready.job, ready.state.clone(), progress.control(), saving);
    let ended = ended.map_err(|error| ready.failed(error))?;
    // The spilled data is deleted with the run, before any error below.
    drop(ready.folder.take());
    if !ended.finished {
        drop(part);
        drop(progress);
        return Err(unfinished(ready, signals.as_ref(), ended));
    }
    let threads = rayon::current_num_threads();
    let threads = match ranks() {
        Some(ranks) => ranks.agree(Ok(threads))?.into_iter().sum(),
        None => threads,
    };
    if ready.files.is_none() {
        return Ok(None);
    }
    let Progressed { state, .. } = ended;
    let run = Run { seconds: state.seconds, threads, started: state.started, finished: now() };
    let (shards, sums, per_start) = ([ready.job.shard], state.sums, ready.wanted.per_start);
    let numbers = Reckoning::of(ready.work.question(), &shards, &sums)?;
    let mut record = Record::new(&ready.job, &shards, &sums, &numbers, per_start, &run);
    let mut up_to = UpTo::default();
    if let Some(what) = ready.wanted.symmetry {
        let option = what.option();
        let Some(mut parts) = part else {
            // All units are done, but the symmetric part was stopped.
            drop(progress);
            return Err(
                ready.interrupted(signals.as_ref(), &format!("in the symmetric part ({option}), {DONE}"))
            );
        };
        let answer = numbers.answer().expect("only a complete count has numbers up to symmetry");
        up_to = match with_symmetry(what, &ready.request, answer, &mut parts) {
            // Stopped while tours were examined one by one.
            Err(CountError::Stopped(_)) => {
                drop(parts);
                drop(progress);
                let when = format!("while it examined every tour ({option}), {DONE}");
                return Err(ready.interrupted(signals.as_ref(), &when));
            }
            up_to => up_to?,
        };
        record = up_to.add_to(record);
    }
    let arena = ready.request.arena.clone();
    let result = CountResult { arena, numbers, per_start, up_to, record };
    Ok(Some(Counted { result, seconds: run.seconds * run.threads as f64 }))
}

/// Returns the checkpoint settings of the run; `failed` receives the error of a checkpoint that cannot be
/// saved.
fn saving<'a>(ready: &'a Ready, failed: &'a (dyn Fn(&str) + Sync)) -> batch::Saving<'a> {
    let peers = ranks().map(Ranks::peers);
    let output = serde_json::to_value(&ready.wanted).expect("options can be serialised");
    let saver = ready.file.as_ref().map(|file| Saver::new(file, ready.job.clone(), output, peers));
    batch::Saving {
        interval: match saver {
            Some(_) => ready.how.checkpoint_every.unwrap_or(CHECKPOINT_EVERY),
            None => Duration::MAX,
        },
        spares: ready.how.checkpoint_every.is_none(),
        folder: ready.folder.as_ref(),
        saver,
        peers,
        failed,
    }
}

/// Returns the error of a stopped run, with the progress it made.
fn unfinished(ready: &mut Ready, signals: Option<&Signals>, ended: Progressed) -> Failure {
    let Progressed { state, unsaved, .. } = ended;
    if let (Some(error), Some(file)) = (unsaved, &ready.file) {
        return Failure::failed(format!("stopped, and cannot save {}: {error}", file.path().display()));
    }
    let units = (0..ready.job.units).filter(|&unit| ready.job.shard.contains(unit)).count();
    let of_units = format!("{} of {}", state.units_done(), words::counted(units as u64, "unit"));
    let far = match state.snapshot() {
        Some(snapshot) if units == 1 => rest_of(snapshot),
        Some(snapshot) => format!("{of_units} and {} of a sweep", rest_of(snapshot)),
        None => of_units,
    };
    ready.interrupted(signals, &format!("after {far}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::run::prepare::prepare;
    use crate::cli::run::samples::closed;
    use crate::cli::up_to_symmetry::UpToSymmetry;
    use ktour::tour::Kind;

    #[test]
    fn a_whole_count_is_an_answer_and_a_shard_is_a_part() {
        let mut start = closed("6x6");
        start.wanted.symmetry = Some(UpToSymmetry::Distinct);
        let Counted { result, .. } = execute(&mut prepare(start).unwrap()).unwrap().unwrap();
        assert_eq!(result.numbers.answer().unwrap().counts.closed, Some(9862u32.into()));
        assert_eq!(result.up_to.distinct(Kind::Closed), Some(&1245u32.into()));
        assert!(result.record.complete && result.record.distinct["closed"] == "1245");

        let start = crate::cli::run::Start { shard: "1/3".parse().unwrap(), ..closed("6x6") };
        let Counted { result, .. } = execute(&mut prepare(start).unwrap()).unwrap().unwrap();
        assert!(result.numbers.answer().is_none() && !result.record.complete);
        assert_eq!(result.record.shards, ["1/3"]);
    }
}
