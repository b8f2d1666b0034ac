//! The options of a sweep and the storage that it uses.

use crate::control::AllocatorHook;
use crate::frontier::layer::snapshot::Snapshot;
use crate::frontier::layer::store::Store;
use crate::frontier::planning::cancel::Cancel;
use crate::frontier::planning::plan::MIN_GROUPED_SLOTS;
use crate::frontier::ranks::communicator::Communicator;
use crate::frontier::signature::shard::SweepShard;
use crate::frontier::weights::modulus::Modulus;

/// Representation of layers in a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Blocks, or a hash table if the frontier is too wide or there are very few states.
    #[default]
    Auto,
    /// Blocks: vectors of the weights of all matchings, on several threads.
    Blocks,
    /// A hash table of states, on one thread.
    Hashed,
}

/// Number of sides of a sweep: one, or two halves that are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SweepSides {
    /// Two-sided if its estimated time is clearly lower and no other option excludes it.
    #[default]
    Auto,
    /// One sweep over the whole board, from the first vertex of the order to the last.
    One,
    /// Two-sided; the number is the number of steps of the left half.
    Two(usize),
}

/// Options of a sweep. Only `shard` and `modulo` change the count. A sweep runs on the current
/// rayon pool, whose size is the number of threads.
#[derive(Clone, Debug)]
pub struct Options {
    /// Memory limit for layers and tables in bytes; `None` for no limit.
    pub memory: Option<u64>,
    /// True if a state and its mirror image are merged (folded).
    pub fold: bool,
    /// All vertices in the order of processing; `None` lets the engine search an order.
    pub order: Option<Vec<usize>>,
    /// Representation of layers.
    pub method: Method,
    /// Modulus of the count; `None` for an exact count. With a modulus, weights are at most as wide
    /// as the modulus. If the modulus is a power of two and the graph has negative factors, the
    /// count is the representative nearest to zero, otherwise the least residue. Without a modulus,
    /// graphs with negative factors are swept with a hash table.
    pub modulo: Option<Modulus>,
    /// Number of sides of the sweep, and the cut of a two-sided sweep.
    pub sides: SweepSides,
    /// Minimum number of slots of the frontier from which on steps are executed in groups: the layers inside a group
    /// then take less memory and disk space. Small layers are computed faster step by step.
    pub min_grouped_slots: usize,
    /// The shard to count; `None` for the whole count.
    pub shard: Option<SweepShard>,
    /// Hook that sets options of the process's allocator when the sweep requests it: see
    /// [`AllocatorRequest`](crate::control::AllocatorRequest). Default: no hook, which is slower
    /// where the allocator returns freed pages at once, as glibc's does.
    pub allocator: Option<AllocatorHook>,
    /// Flag that stops planning and the building of tables, between two of their steps. During a
    /// step of the sweep the observer is polled instead.
    pub cancel: Cancel,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            memory: None,
            fold: true,
            order: None,
            method: Method::Auto,
            modulo: None,
            sides: SweepSides::Auto,
            min_grouped_slots: MIN_GROUPED_SLOTS,
            shard: None,
            allocator: None,
            cancel: Cancel::default(),
        }
    }
}

/// Resources of a sweep in addition to memory: the store for evicted chunks, the snapshot from
/// which the sweep resumes, and the other ranks.
#[derive(Clone, Default)]
pub struct Storage<'a> {
    /// The store for chunks that do not fit into memory, and for snapshots; `None` for no store.
    pub store: Option<&'a dyn Store>,
    /// True if the sweep passes snapshots to the observer.
    pub wants_snapshots: bool,
    /// The snapshot of an earlier session from which the sweep resumes.
    pub resume_from: Option<Snapshot>,
    /// The communicator with the other ranks, if the sweep is shared.
    pub peers: Option<&'a dyn Communicator>,
}
