//! `--mpi`: one sweep by all processes that `mpirun` has started.
//!
//! All ranks run the same command. The first reports; the others are silent, but for
//! warnings of their own, and save their part of a sweep in files of their own:
//!
//! ```text
//! FILE FILE.sweep             of rank 0
//! FILE.rank3 FILE.rank3.sweep of rank 3
//! ```

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::failure::Failure;
use crate::report::warn;
use ktour::batch::{Checkpoint, CheckpointFile, with_suffix};
use ktour::frontier::{Peers, consult};
use ktour::memory;

/// The connection to the other ranks.
#[derive(Debug)]
pub struct Ranks {
    #[cfg(feature = "mpi")]
    world: ktour::batch::World,
}

static RANKS: OnceLock<Ranks> = OnceLock::new();

/// The connection, if `--mpi` was asked for.
pub fn ranks() -> Option<&'static Ranks> {
    RANKS.get()
}

/// Connects if the command line says `--mpi`. This comes before all else, so that what is wrong with the
/// command line is said once.
#[cfg(feature = "mpi")]
pub fn connect() -> Result<(), Failure> {
    if std::env::args_os().any(|argument| argument == "--mpi") {
        let world = ktour::batch::World::join().map_err(|error| {
            Failure::failed(format!("--mpi: {error}; leave it out, or start with mpirun"))
        })?;
        crate::report::speak_as(world.rank());
        let _ = RANKS.set(Ranks { world });
    }
    Ok(())
}

/// Without MPI nothing is connected.
#[cfg(not(feature = "mpi"))]
pub const fn connect() -> Result<(), Failure> {
    Ok(())
}

/// Parts with the other ranks. They are all at the end as well, or have parted before; otherwise `false`.
pub fn leave() -> bool {
    #[cfg(feature = "mpi")]
    if let Some(ranks) = ranks() {
        return ranks.world.leave();
    }
    true
}

/// Ends all ranks at once, for one that cannot go on with the others.
pub fn abort() {
    #[cfg(feature = "mpi")]
    if let Some(ranks) = ranks() {
        ranks.world.abort();
    }
}

/// What this rank has come to, if the others have come as far; alone, what it has.
pub fn together<T>(mine: Result<T, Failure>) -> Result<T, Failure> {
    let Some(ranks) = ranks() else { return mine };
    let (mine, told) = match mine {
        Ok(mine) => (Some(mine), Ok(())),
        Err(failure) => (None, Err(failure)),
    };
    ranks.agree(told)?;
    Ok(mine.expect("a rank that fails makes all fail"))
}

/// How far a checkpoint is: units done, and steps of a sweep.
type Reached = (usize, usize);

fn reached(checkpoint: &Checkpoint) -> Reached {
    let steps = checkpoint.state.snapshot().map_or(0, |snapshot| snapshot.step);
    (checkpoint.units_done(), steps)
}

/// Makes all ranks go on from the same point. They save together, but one that was killed while the others
/// saved is a generation behind.
pub fn align(
    file: Option<&CheckpointFile>,
    newest: Option<Checkpoint>,
) -> Result<Option<Checkpoint>, Failure> {
    let (Some(ranks), Some(file)) = (ranks(), file) else { return Ok(newest) };
    let all = ranks.agree(Ok(newest.as_ref().map(|newest| (newest.job.to_string(), reached(newest)))))?;
    let jobs = all.iter().flatten().map(|(job, _)| job);
    if jobs.clone().any(|job| Some(job) != jobs.clone().next()) {
        return Err(Failure::failed("the ranks' checkpoints are of several jobs: name another --checkpoint"));
    }
    let units = |one: &Option<(String, Reached)>| one.as_ref().map_or(0, |(_, reached)| reached.0);
    let most = all.iter().map(units).max().unwrap_or(0);
    if all.iter().any(|one| units(one) < most) {
        return adopt(ranks, file, newest, most);
    }
    let steps: Vec<Option<usize>> =
        all.iter().map(|one| one.as_ref().map(|(_, reached)| reached.1)).collect();
    let least = *steps.iter().min().expect("there is a rank");
    if steps.iter().all(|&one| one == least) {
        return Ok(newest);
    }
    let is_ahead = newest.as_ref().map(|newest| reached(newest).1) != least;
    // Looked at by all before anything is set aside.
    let fallen_back = together(match (is_ahead, least) {
        (false, _) => Ok(newest),
        // Killed while the first generation was saved.
        (true, None) if !file.has_before() => Ok(None),
        (true, None) => Err(apart(file)),
        (true, Some(least)) => match Checkpoint::load_before(file.path()) {
            Ok(before) if reached(&before) == (most, least) => Ok(Some(before)),
            _ => Err(apart(file)),
        },
    })?;
    together(if is_ahead { file.set_aside().map_err(Failure::from) } else { Ok(()) })?;
    if is_ahead {
        warn("another rank was not as far; going on from the generation before");
    }
    Ok(fallen_back)
}

fn apart(file: &CheckpointFile) -> Failure {
    Failure::failed(format!(
        "{} and the other ranks' checkpoints are not of one time: delete all of them, and begin again",
        file.path().display()
    ))
}

/// Units that are done are done for all: who has most of them tells the others.
fn adopt(
    ranks: &Ranks,
    file: &CheckpointFile,
    newest: Option<Checkpoint>,
    most: usize,
) -> Result<Option<Checkpoint>, Failure> {
    let furthest = newest.filter(|newest| newest.units_done() == most);
    // A sweep that only some have begun is begun again.
    let furthest = furthest.map(|mut furthest| {
        furthest.state.at_rest = None;
        furthest.to_text()
    });
    let told = ranks.agree(Ok(furthest))?.into_iter().flatten().next().expect("somebody has most");
    let adopted = together(Checkpoint::parse(told.as_bytes(), file.path()).map_err(Failure::from))?;
    // Saved at once, so that the sweep before is not what one rank falls back to.
    let failure = |error| Failure::write(&file.path().display().to_string(), &error);
    together(file.write(&adopted).map_err(failure))?;
    together(file.commit::<Checkpoint>().map_err(failure))?;
    Ok(Some(adopted))
}

/// Whether this process speaks for all.
pub fn is_first() -> bool {
    ranks().is_none_or(|ranks| ranks.peers().rank() == 0)
}

impl Ranks {
    /// The connection itself.
    pub fn peers(&self) -> &dyn Peers {
        #[cfg(feature = "mpi")]
        return &self.world;
        #[cfg(not(feature = "mpi"))]
        unreachable!("nothing is connected without MPI")
    }

    /// How many ranks are on this machine.
    pub fn beside(&self) -> usize {
        #[cfg(feature = "mpi")]
        return self.world.beside();
        #[cfg(not(feature = "mpi"))]
        1
    }

    /// The file of this rank for one that the user has named.
    pub fn own(&self, path: &Path) -> PathBuf {
        match self.peers().rank() {
            0 => path.to_owned(),
            rank => with_suffix(path, &format!(".rank{rank}")),
        }
    }

    /// Threads for this rank, unless it is told: its share of the machine, or what it is bound to.
    pub fn threads(&self) -> usize {
        let here = std::thread::available_parallelism().map_or(1, Into::into);
        if here < online() { here } else { (here / self.beside()).max(1) }
    }

    /// Its share of the memory that is available.
    pub fn memory(&self) -> Option<u64> {
        memory::ceiling().map(|bytes| bytes / self.beside() as u64)
    }

    /// What all ranks have come to, by rank. A failure of any is one of all, told by the first.
    pub fn agree<T: Serialize + DeserializeOwned>(
        &self,
        mine: Result<T, Failure>,
    ) -> Result<Vec<T>, Failure> {
        let told: Result<Result<T, (String, u8)>, String> =
            Ok(mine.map_err(|failure| (failure.to_string(), failure.status())));
        let lost = |what: String| {
            Failure::failed(format!("--mpi: the connection between the ranks is lost: {what}"))
        };
        let all = consult(self.peers(), &told).map_err(|error| lost(error.to_string()))?;
        let all = all.into_iter().enumerate().map(|(rank, told)| {
            told.map_err(lost)?.map_err(|(what, status)| {
                let what = if rank == 0 { what } else { format!("rank {rank}: {what}") };
                Failure::with_status(what, status)
            })
        });
        all.collect()
    }
}

/// Processors of the machine that are there, whether this process may use them or not.
fn online() -> usize {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: sysconf reads a constant of the system.
        let online = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
        if let Ok(online) = usize::try_from(online) {
            return online.max(1);
        }
    }
    std::thread::available_parallelism().map_or(1, Into::into)
}
