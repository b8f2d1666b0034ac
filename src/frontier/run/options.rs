//! How to sweep, and with what.

use crate::control::Allocator;
use crate::frontier::block::modulus::Modulus;
use crate::frontier::layer::snapshot::Snapshot;
use crate::frontier::layer::store::Store;
use crate::frontier::problem::cancel::Cancel;
use crate::frontier::ranks::peers::Peers;
use crate::frontier::state::cut::Cut;

/// How layers are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Blocks unless the frontier is too wide or the states are very few.
    #[default]
    Auto,
    /// Blocks of all matchings, several threads.
    Blocks,
    /// A hash table of states, one thread.
    Hashed,
}

/// Whether a sweep begins at both ends, and where these meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ends {
    /// At both where that promises to be faster, and nothing else speaks against it.
    #[default]
    Auto,
    /// At one.
    One,
    /// At both; the near end goes so many steps.
    Meet(usize),
}

/// How to sweep. None of it changes the count. A sweep runs on the current rayon pool: whoever wants another
/// number of threads calls it from a pool of that many.
#[derive(Clone, Debug)]
pub struct Options {
    /// Ceiling for layers and tables in bytes.
    pub memory: Option<u64>,
    /// Whether mirror images are folded.
    pub fold: bool,
    /// Whether signatures that cannot be completed are dropped; always, if the sweep is cut.
    pub feasibility: bool,
    /// All vertices in the order of processing; `None` lets the engine find one.
    pub order: Option<Vec<usize>>,
    /// How layers are kept.
    pub method: Method,
    /// Count modulo a number, with weights of no more than its width. Modulo a power of two, and with factors below
    /// zero, the sum is given as the number nearest to zero, otherwise as its residue; without a modulus such
    /// fields are swept with a hash table.
    pub modulo: Option<Modulus>,
    /// At which ends to begin.
    pub ends: Ends,
    /// Only one of several parts of the count.
    pub cut: Option<Cut>,
    /// Does what the sweep wishes of the process's allocator: see [`Wish`](crate::control::Wish). By default nobody
    /// does, which is slower where the allocator gives freed pages back at once, as glibc's does.
    pub allocator: Option<Allocator>,
    /// Ends what comes before the first step, and the tables between steps; steps ask the observer.
    pub cancel: Cancel,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            memory: None,
            fold: true,
            feasibility: true,
            order: None,
            method: Method::Auto,
            modulo: None,
            ends: Ends::Auto,
            cut: None,
            allocator: None,
            cancel: Cancel::default(),
        }
    }
}

/// Where a sweep puts what does not fit into memory, from where it goes on, and who shares it.
#[derive(Clone, Default)]
pub struct Storage<'a> {
    /// Keeps chunks.
    pub store: Option<&'a dyn Store>,
    /// Whether the observer wants snapshots.
    pub snapshots: bool,
    /// What an earlier sitting left in the store.
    pub from: Option<Snapshot>,
    /// The other ranks, if the sweep is shared.
    pub peers: Option<&'a dyn Peers>,
}
