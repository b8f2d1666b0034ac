//! The options of a sweep and the storage that it uses.

use crate::control::AllocatorHook;
use crate::frontier::layer::snapshot::Snapshot;
use crate::frontier::layer::store::Store;
use crate::frontier::planning::cancel::Cancel;
use crate::frontier::ranks::communicator::Communicator;
use crate::frontier::signature::shard::SweepShard;
use crate::frontier::weights::modulus::Modulus;

/// The representation of layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Blocks, unless the frontier is too wide or there are very few states.
    #[default]
    Auto,
    /// Blocks: vectors of the weights of all matchings, on several threads.
    Blocks,
    /// A hash table of states, on one thread.
    Hashed,
}

/// One-sided or two-sided sweep, and the cut of a two-sided one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SweepSides {
    /// Two-sided if its estimated time is clearly lower and no other option excludes it.
    #[default]
    Auto,
    /// One-sided.
    One,
    /// Two-sided; the left half has this many steps.
    Two(usize),
}

/// The options of a sweep. Only `shard` and `modulo` change the count. A sweep runs on the current rayon
/// pool, whose size is the number of threads.
#[derive(Clone, Debug)]
pub struct Options {
    /// Memory ceiling for layers and tables in bytes.
    pub memory: Option<u64>,
    /// True if mirror images are merged (folded).
    pub fold: bool,
    /// True if signatures that cannot be completed are dropped. A sharded sweep always drops them.
    pub feasibility: bool,
    /// All vertices in the order of processing; `None` lets the engine search an order.
    pub order: Option<Vec<usize>>,
    /// The representation of layers.
    pub method: Method,
    /// The modulus of the count; weights then are at most as wide as the modulus. Modulo a power of two and
    /// with negative factors, the count is the representative nearest to zero, otherwise the least residue.
    /// Without a modulus, graphs with negative factors are swept with a hash table.
    pub modulo: Option<Modulus>,
    /// One-sided or two-sided sweep.
    pub sides: SweepSides,
    /// The shard to count; `None` for the whole count.
    pub shard: Option<SweepShard>,
    /// Sets options of the process's allocator as the sweep requests: see [`AllocatorRequest`](crate::control::AllocatorRequest).
    /// Default: none, which is slower where the allocator returns freed pages at once, as glibc's does.
    pub allocator: Option<AllocatorHook>,
    /// Stops planning and the building of tables, between two steps of these; during a step of the sweep the
    /// observer is polled instead.
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
            sides: SweepSides::Auto,
            shard: None,
            allocator: None,
            cancel: Cancel::default(),
        }
    }
}

/// Resources of a sweep beyond memory: the store for evicted chunks, the snapshot to resume from, and the
/// other ranks.
#[derive(Clone, Default)]
pub struct Storage<'a> {
    /// The store for chunks that do not fit into memory, and for snapshots.
    pub store: Option<&'a dyn Store>,
    /// True if the observer shall receive snapshots.
    pub wants_snapshots: bool,
    /// The snapshot that an earlier session left in the store.
    pub resume_from: Option<Snapshot>,
    /// The other ranks, if the sweep is shared.
    pub peers: Option<&'a dyn Communicator>,
}
