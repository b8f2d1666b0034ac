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
use crate::batch::{Checkpoint, CheckpointFile};
use crate::cpu;
use crate::frontier::Peers;
use crate::report::warn;

/// The connection to the other ranks.
#[derive(Debug)]
pub struct Ranks {
    #[cfg(feature = "mpi")]
    world: crate::batch::World,
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
        let world = crate::batch::World::join().map_err(|error| {
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

/// Waits for the other ranks to be as far, and parts with them.
pub fn leave() {
    #[cfg(feature = "mpi")]
    if let Some(ranks) = ranks() {
        ranks.world.leave();
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
type Reached = Option<(usize, usize)>;

fn reached(checkpoint: Option<&Checkpoint>) -> Reached {
    let steps = |checkpoint: &Checkpoint| checkpoint.at_rest.as_ref().map_or(0, |rest| rest.snapshot.step);
    checkpoint.map(|checkpoint| (checkpoint.units_done(), steps(checkpoint)))
}

/// Makes all ranks go on from the same point. A rank that was killed while the others saved is a generation
/// behind them: they take theirs.
pub fn align(
    file: Option<&CheckpointFile>,
    newest: Option<Checkpoint>,
) -> Result<Option<Checkpoint>, Failure> {
    let (Some(ranks), Some(file)) = (ranks(), file) else { return Ok(newest) };
    let all = ranks.agree(Ok(reached(newest.as_ref())))?;
    let least = *all.iter().min().expect("there is a rank");
    if all.iter().all(|&one| one == least) {
        return Ok(newest);
    }
    let fallen_back = if reached(newest.as_ref()) == least { Ok(newest) } else { before(file, least) };
    together(fallen_back)
}

/// The generation before the newest, which has come that far.
fn before(file: &CheckpointFile, least: Reached) -> Result<Option<Checkpoint>, Failure> {
    file.set_aside()?;
    let found = match CheckpointFile::exists(file.path()) {
        true => Some(Checkpoint::load(file.path())?.checkpoint),
        false => None,
    };
    if reached(found.as_ref()) != least {
        return Err(Failure::failed(format!(
            "{} and the other ranks' checkpoints are not of one time: delete all of them, and begin again",
            file.path().display()
        )));
    }
    warn(format_args!("another rank was not as far; going on from the generation before"));
    Ok(found)
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
            rank => {
                let mut own = path.as_os_str().to_owned();
                own.push(format!(".rank{rank}"));
                own.into()
            }
        }
    }

    /// Threads for this rank, unless it is told: its share of the machine, or what it is bound to.
    pub fn threads(&self) -> usize {
        let here = std::thread::available_parallelism().map_or(1, Into::into);
        if here < cpu::online() { here } else { (here / self.beside()).max(1) }
    }

    /// Its share of the memory that is available.
    pub fn memory(&self) -> Option<u64> {
        cpu::memory_ceiling().map(|bytes| bytes / self.beside() as u64)
    }

    /// What all ranks have come to, by rank. A failure of any is one of all, told by the first.
    pub fn agree<T: Serialize + DeserializeOwned>(
        &self,
        mine: Result<T, Failure>,
    ) -> Result<Vec<T>, Failure> {
        let told = mine.as_ref().map_err(|failure| (failure.to_string(), failure.status()));
        let told = serde_json::to_vec(&told).expect("what ranks tell can be written");
        let lost = |what: String| {
            Failure::failed(format!("--mpi: the connection between the ranks is lost: {what}"))
        };
        let all = self.peers().gather(told).map_err(|error| lost(error.to_string()))?;
        let all = all.iter().enumerate().map(|(rank, bytes)| {
            let told: Result<T, (String, u8)> = serde_json::from_slice(bytes)
                .map_err(|_| lost(format!("rank {rank} cannot be understood")))?;
            told.map_err(|(what, status)| {
                let what = if rank == 0 { what } else { format!("rank {rank}: {what}") };
                Failure::with_status(what, status)
            })
        });
        all.collect()
    }
}
