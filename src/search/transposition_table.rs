//! A transposition table for the multipath search, which stores the number of tours below a node.
//!
//! The number of tours below a node depends only on its partial paths: which squares are bare
//! (without a chosen edge), which squares are path ends, and which ends belong to one path. Most
//! nodes have few unfinished squares (squares with fewer than two chosen edges), and the same
//! partial paths recur through other edges among the finished squares:
//!
//! ```text
//! squares left    6x8, all nodes    different ones
//!  8              15,700,000            50,000
//! 12              11,500,000           570,000
//! 16               6,200,000         1,200,000
//! ```
//!
//! So a count stores the numbers of tours of such nodes, in one table for each of a few sizes. The
//! key is the whole node, so a lookup never returns the number of another node. Each table has one
//! slot for each hash value; a new entry replaces the old one. Tour counts are exact. Node counts
//! are the numbers of nodes really visited, which depend on the entries that a thread had stored
//! before.
//!
//! A lookup that misses the second-level cache of the processor costs 80 ns, and a search node
//! costs 40 ns. So a table of large nodes pays only if these nodes recur often. A table with less
//! than one hit in [`MAX_LOOKUPS_PER_HIT`] lookups is discarded.
//!
//! A count with tables takes 0.28 of the time of a search without a table on a torus of 4x6, 0.45
//! on 5x9 paths, and 0.67 on 6x8 closed, where units separated by symmetry have less in common.
//! Memory: 3.5 MiB a thread, 7 MiB for boards of more than 64 squares; no memory before a search
//! has visited [`MIN_NODES`] nodes.

#[cfg(test)]
mod tests;
use std::any::Any;
use std::fmt;
use std::sync::Mutex;

use crate::board::Bitboard;
use crate::lock::lock;

use super::path_fragments::PathFragments;

/// For each table, two numbers: the greatest number of squares with fewer than two chosen edges in
/// its nodes, and the binary logarithm of its number of slots.
const TABLE_SIZES: [(u32, u32); 3] = [(20, 16), (14, 15), (10, 14)];

/// Number of lookups after which the hit rate of a table is checked. After about as many lookups
/// the table is full for the first time. The table stays if at least one in `MAX_LOOKUPS_PER_HIT`
/// lookups was a hit. Hit rates of the largest table: 0.15 to 0.2 on 6x8 closed and 0.13 on 7x7
/// less d4, 0.28 to 0.75 on 6x7 from a1, 5x8 to 5x10 and 4x11.
const LOOKUPS_PER_REVIEW: u64 = 1 << TABLE_SIZES[0].1;
const MAX_LOOKUPS_PER_HIT: u64 = 4;

/// Number of bits that store the index of a path end among all path ends of a node. A node has at
/// most 24 ends, so that the indices of 12 mates (the other ends of 12 paths) fit a 64-bit word.
const END_INDEX_BITS: u32 = 5;
const _: () = assert!(TABLE_SIZES[0].0 <= 24);

/// Number of nodes after which a thread begins to store entries. The number is checked at the end
/// of a unit and at every poll. A shorter search takes less time than the allocation of its tables.
const MIN_NODES: u64 = 1 << 14;

/// Parameters of the fit in [`share_of_time`]: a number of nodes, the share at this number, the
/// power of the nodes with which the share falls, and the smallest share. The measurements below
/// give the number of nodes of the search and the time of a count with tables as a share of the
/// time without tables. They were made on one core, alternating with a build without tables; random
/// graphs with larger tables:
///
/// ```text
/// 5x7 paths    3.5e5  0.88    random, 32 vertices  1.3e7  0.70    6x7 from a1     1.3e8  0.34
/// 6x6 paths    9.7e5  0.74    random, 24 vertices  2.0e7  0.38    5x9 paths       1.5e8  0.45
/// king 4x5     2.9e6  0.33    7x7 less d4, closed  2.3e7  0.35    5x6 cylinder    1.0e9  0.19
/// 5x10 closed  8.1e6  0.65    6x8 closed           3.1e7  0.67    random, 18      1.0e8  0.31
/// 5x8 paths    1.0e7  0.50    4x11 paths           1.1e7  0.65    4x6 torus       5.7e8  0.28
/// ```
const TIME_SHARE_FIT: (f64, f64, f64, f64) = (1e7, 0.58, -0.17, 0.2);

/// Returns the estimated time of a count with transposition tables as a fraction of the time of a
/// search without tables, if this search visits `nodes` nodes.
#[must_use]
pub fn share_of_time(nodes: f64) -> f64 {
    let (at, part, power, least) = TIME_SHARE_FIT;
    (part * (nodes / at).powf(power)).clamp(least, 1.0)
}

/// Returns the size in bytes of the transposition tables of one thread, in a long search on a board
/// of `squares` squares.
#[must_use]
pub const fn bytes_per_thread(squares: usize) -> u64 {
    let entry = if squares <= 64 { size_of::<Entry<u64>>() } else { size_of::<Entry<u128>>() };
    let entries = (1 << TABLE_SIZES[0].1) + (1 << TABLE_SIZES[1].1) + (1 << TABLE_SIZES[2].1);
    entries * entry as u64
}

/// An observer of the nodes of a search, which may store the numbers of tours below them.
pub(super) trait SubtreeMemo<B: Bitboard> {
    /// Returns the number of tours below the branching node with the partial paths `pieces`, if it
    /// is stored. `depth` is the number of branching nodes above this node, `tours` the number of
    /// tours counted so far.
    fn stored_tours(&mut self, pieces: &PathFragments<B>, depth: usize, tours: u128) -> Option<u64>;

    /// Marks all nodes at depth `depth` or deeper as finished. `tours` is the number of tours
    /// counted so far.
    fn finish_nodes(&mut self, depth: usize, tours: u128);

    /// Adds `nodes`, the number of nodes visited since the last call, to the size of the search.
    fn add_nodes(&mut self, nodes: u64);
}

/// The memo of a search that visits every tour: it stores nothing.
pub(super) struct NoMemo;

impl<B: Bitboard> SubtreeMemo<B> for NoMemo {
    #[inline(always)]
    fn stored_tours(&mut self, _: &PathFragments<B>, _: usize, _: u128) -> Option<u64> {
        None
    }

    #[inline(always)]
    fn finish_nodes(&mut self, _: usize, _: u128) {}

    #[inline(always)]
    fn add_nodes(&mut self, _: u64) {}
}

/// The partial paths of a node, which determine the number of tours below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Key<B> {
    bare: B,
    end: B,
    /// For each partial path, in the order of their lower ends: the index of its upper end among
    /// all ends. Each index takes [`END_INDEX_BITS`] bits.
    mates: u64,
}

impl<B: Bitboard> Key<B> {
    #[inline(always)]
    fn from_partial_paths(pieces: &PathFragments<B>) -> Self {
        let (bare, end) = pieces.bare_and_ends();
        let (mut rest, mut mates) = (end, 0);
        while !rest.is_empty() {
            let mate = pieces.mate(rest.first());
            mates = mates << END_INDEX_BITS | u64::from((end & B::first_n(mate)).count());
            rest = rest.without_first() & !B::from_square(mate);
        }
        Self { bare, end, mates }
    }

    /// Returns the slot of the key in a table of 2^`digits` slots.
    #[inline(always)]
    fn slot(&self, digits: u32) -> usize {
        let mut hash = 0u64;
        let fold = |set: B| (set.to_wide() ^ set.to_wide() >> 57) as u64;
        for word in [fold(self.bare), fold(self.end), self.mates] {
            hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        }
        (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - digits)) as usize
    }
}

/// An entry of a table: a node and the number of tours below it. An entry whose node has no path
/// ends is empty. With up to 64 squares an entry fits one cache line; waiting for this line is most
/// of the cost of a lookup.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
struct Entry<B> {
    key: Key<B>,
    tours: u64,
}

/// The table for nodes of one size range, with the numbers of its lookups and hits.
#[derive(Debug)]
struct SizeTable<B> {
    entries: Vec<Entry<B>>,
    lookups: u64,
    hits: u64,
}

impl<B: Bitboard> SizeTable<B> {
    fn new(digits: u32) -> Self {
        Self { entries: vec![Entry::default(); 1 << digits], lookups: 0, hits: 0 }
    }

    #[inline(always)]
    fn lookup(&mut self, key: &Key<B>, position: usize) -> Option<u64> {
        let entry = &self.entries[position];
        let found = (entry.key == *key).then_some(entry.tours);
        self.lookups += 1;
        self.hits += u64::from(found.is_some());
        found
    }

    /// Returns true if the table has had too few hits so far to save time. The hit rate is checked
    /// only every [`LOOKUPS_PER_REVIEW`] lookups, because one part of a search may have few hits
    /// although the whole search has many.
    #[inline(always)]
    const fn has_too_few_hits(&self) -> bool {
        self.lookups.is_multiple_of(LOOKUPS_PER_REVIEW) && self.hits < self.lookups / MAX_LOOKUPS_PER_HIT
    }
}

/// A node whose tours are being counted, and whose number of tours is then stored.
#[derive(Clone, Copy, Debug)]
struct PendingNode<B> {
    key: Key<B>,
    table: usize,
    slot: usize,
    depth: usize,
    /// Number of tours counted before the search reached this node.
    tours_before: u128,
}

/// The transposition tables of one thread for one plan, one table for each size of nodes.
#[derive(Debug)]
pub(super) struct TranspositionTable<B> {
    /// The tables, for large nodes first; empty until the search has visited enough nodes.
    tables: Vec<SizeTable<B>>,
    /// Index of the first table in use; the tables before it were discarded.
    first_in_use: usize,
    pending: Vec<PendingNode<B>>,
    /// Index of the first table that has no pending node (a node whose tours are being counted).
    next_table: usize,
    /// A depth greater than the depth of every pending node (a node whose tours are being counted).
    pending_depth: usize,
    nodes: u64,
}

impl<B: Bitboard> TranspositionTable<B> {
    pub(super) const fn new() -> Self {
        Self {
            tables: Vec::new(),
            first_in_use: 0,
            pending: Vec::new(),
            next_table: 0,
            pending_depth: 0,
            nodes: 0,
        }
    }

    /// Prepares for a new search: discards the pending nodes that an interrupted search left.
    pub(super) fn begin_search(&mut self) {
        self.pending.clear();
        self.update_limits();
    }

    /// Recomputes `next_table` and `pending_depth` from the last pending node (a node whose tours
    /// are being counted).
    fn update_limits(&mut self) {
        (self.next_table, self.pending_depth) =
            self.pending.last().map_or((self.first_in_use, 0), |last| (last.table + 1, last.depth + 1));
    }

    /// Returns the stored number of tours below the node with the partial paths `pieces`, of which
    /// `left` squares have fewer than two chosen edges. If no number is stored, returns `None` and
    /// marks the node as pending, so that its number is stored later.
    #[inline(always)]
    fn lookup_or_mark_pending(
        &mut self,
        pieces: &PathFragments<B>,
        left: u32,
        depth: usize,
        tours: u128,
    ) -> Option<u64> {
        let smaller = TABLE_SIZES[self.next_table + 1..].iter().take_while(|(most, _)| left <= *most).count();
        let table = self.next_table + smaller;
        let key = Key::from_partial_paths(pieces);
        let position = key.slot(TABLE_SIZES[table].1);
        let found = self.tables[table].lookup(&key, position);
        if self.tables[table].has_too_few_hits() && table == self.first_in_use {
            // No node is pending: it would be in this table or in a smaller one, and then this lookup would
            // not happen.
            debug_assert!(self.pending.is_empty());
            self.tables[table].entries = Vec::new();
            self.first_in_use += 1;
            self.update_limits();
            return found;
        }
        if found.is_some() {
            return found;
        }
        self.pending.push(PendingNode { key, table, slot: position, depth, tours_before: tours });
        self.update_limits();
        None
    }
}

impl<B: Bitboard> SubtreeMemo<B> for TranspositionTable<B> {
    #[inline(always)]
    fn stored_tours(&mut self, pieces: &PathFragments<B>, depth: usize, tours: u128) -> Option<u64> {
        if self.next_table >= self.tables.len() {
            return None;
        }
        let left = pieces.unfinished_squares().count();
        if left > TABLE_SIZES[self.next_table].0 {
            None
        } else {
            self.lookup_or_mark_pending(pieces, left, depth, tours)
        }
    }

    #[inline(always)]
    fn finish_nodes(&mut self, depth: usize, tours: u128) {
        while depth < self.pending_depth {
            let Some(PendingNode { key, table, slot: position, tours_before: before, .. }) =
                self.pending.pop()
            else {
                return;
            };
            // A number beyond `u64` is not stored.
            if let Ok(tours) = u64::try_from(tours - before) {
                self.tables[table].entries[position] = Entry { key, tours };
            }
            self.update_limits();
        }
    }

    fn add_nodes(&mut self, nodes: u64) {
        self.nodes += nodes;
        if self.nodes >= MIN_NODES && self.tables.is_empty() {
            self.tables = TABLE_SIZES.iter().map(|(_, digits)| SizeTable::new(*digits)).collect();
        }
    }
}

/// Pool of the transposition tables of all threads for one plan. Cloning gives an empty pool.
#[derive(Default)]
pub(super) struct TranspositionPool(Mutex<Vec<Box<dyn Any + Send>>>);

impl TranspositionPool {
    /// Calls `work` with a transposition table for bitboards of type `B`, and returns its result.
    /// The table is an idle table of the pool or a new one.
    pub(super) fn with_table<B: Bitboard, R>(&self, work: impl FnOnce(&mut TranspositionTable<B>) -> R) -> R {
        let mut endgames = self.take_idle().unwrap_or_else(|| Box::new(TranspositionTable::new()));
        let result = work(&mut endgames);
        lock(&self.0).push(endgames);
        result
    }

    fn take_idle<B: Bitboard>(&self) -> Option<Box<TranspositionTable<B>>> {
        let mut idle = lock(&self.0);
        let last = idle.iter().rposition(|endgames| endgames.is::<TranspositionTable<B>>())?;
        idle.swap_remove(last).downcast().ok()
    }
}

impl Clone for TranspositionPool {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for TranspositionPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TranspositionPool")
    }
}
