//! The run itself: the symmetric part of the count, its units, and their sums as a record.

use std::time::Duration;

use crate::cli::failure::Failure;
use crate::cli::ranks::{Ranks, ranks, together};
use crate::cli::signals::Signals;
use crate::cli::up_to_symmetry::{Found, UpToSymmetry, failure, symmetric_part, with_symmetry};
use crate::report::warn;
use ktour::batch::{self, Progressed, Record, Run, Saver, now};
use ktour::count::{Answer, CountError, Sums};

use super::ready::Ready;

/// Time between checkpoints unless told otherwise.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(60);

/// What a run has found.
pub struct Counted {
    pub record: Record,
    pub sums: Sums,
    /// The numbers up to symmetry, if they are wanted.
    pub symmetric: Option<Symmetric>,
    /// Seconds of one core that it took.
    pub seconds: f64,
}

/// Numbers up to symmetry, and of what they were made.
pub struct Symmetric {
    pub what: UpToSymmetry,
    pub answer: Answer,
    pub found: Found,
}

/// Counts with all ranks; nothing for those that do not report.
pub fn execute(ready: &mut Ready) -> Result<Option<Counted>, Failure> {
    let progress = ready.how.progress(ready.name());
    let signals = together(ready.signals(progress.control()))?;
    // The symmetric part comes first, so that what it cannot do does not cost the whole count.
    let part = |what| symmetric_part(what, &ready.request, &ready.setting, progress.control());
    let part = match ready.wanted.symmetry.map(|what| (what, part(what))) {
        Some((what, Ok(parts))) => Some((what, parts)),
        // The count stops at once, and its checkpoint is saved.
        Some((_, Err(CountError::Stopped(_)))) | None => None,
        Some((_, Err(error))) => return Err(failure(error)),
    };
    let ended = batch::run(&ready.work, &ready.job, ready.state.clone(), progress.control(), saving(ready))?;
    // What was spilled goes with the run, whatever comes now.
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
    let (question, sums) = (ready.work.question(), state.sums);
    let shards = [ready.job.shard];
    let mut record = Record::of_sums(question, &ready.job, &shards, &sums, ready.wanted.per_start, &run)?;
    let symmetric = match (part, ready.wanted.symmetry) {
        (Some((what, mut parts)), _) => {
            let answer = question.answer(&sums)?;
            let found = with_symmetry(what, &ready.request, &answer, &mut parts)?;
            record = found.add_to(record);
            Some(Symmetric { what, answer, found })
        }
        (None, None) => None,
        // All units were done, the symmetric part was not.
        (None, Some(_)) => {
            drop(progress);
            return Err(ready.interrupted(signals.as_ref(), "after the last unit"));
        }
    };
    Ok(Some(Counted { record, sums, symmetric, seconds: run.seconds * run.threads as f64 }))
}

/// How the state is saved.
fn saving(ready: &Ready) -> batch::Saving<'_> {
    let peers = ranks().map(Ranks::peers);
    let output = serde_json::to_value(&ready.wanted).expect("options can be written");
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
        failed: &|error| {
            warn(format_args!("cannot save the checkpoint: {error}; the last one stands, the run goes on"));
        },
    }
}

/// How far a run came that was stopped.
fn unfinished(ready: &mut Ready, signals: Option<&Signals>, ended: Progressed) -> Failure {
    let Progressed { state, unsaved, .. } = ended;
    if let (Some(error), Some(file)) = (unsaved, &ready.file) {
        return Failure::failed(format!(
            "stopped, and {} could not be saved: {error}",
            file.path().display()
        ));
    }
    let units = (0..ready.job.units).filter(|&unit| ready.job.shard.contains(unit)).count();
    let within = state.snapshot().map_or_else(String::new, |snapshot| {
        format!(" and {} of {} steps of a sweep", snapshot.step, snapshot.order.len())
    });
    ready.interrupted(signals, &format!("after {} of {units} units{within}", state.units_done()))
}
