//! Endgames counted before.
//!
//! How many tours a node of the multi-path search has below it depends on nothing but its pieces: which squares are
//! bare, which are ends, and whose mates they are. Few squares are left in most nodes, and the same pieces come again
//! and again by other ways through the squares that are done:
//!
//! ```text
//! squares left    6x8, all nodes    different ones
//!  8              15,700,000            50,000
//! 12              11,500,000           570,000
//! 16               6,200,000         1,200,000
//! ```
//!
//! So a count remembers them, in a table for each of a few sizes, with the whole of a node as its key: what is found is
//! never another one's. A table has a place for each hash, the newest stays. Counts are a search's own, node counts
//! are of the nodes that were visited in fact and depend on what a thread had met before.
//!
//! A look that leaves the second cache costs 80 ns where a node takes 40: a table of great nodes pays where they come
//! again. If less than one in [`WORTH`] does, it is given up.
//!
//! Of the time of a search without, a count takes 0.28 on a torus of 4x6, 0.45 on 5x9 paths, and 0.67 on 6x8 closed,
//! where units that symmetry tells apart have less in common. Memory: 3.5 MiB a thread, 7 MiB for boards of more than 64
//! squares; none before a search has become [`LONG`].

use std::any::Any;
use std::fmt;
use std::sync::Mutex;

use crate::board::Bitboard;
use crate::lock::lock;

use super::pieces::Pieces;

/// Most squares left, and binary digits of the places of a table, for each table.
const TABLES: [(u32, u32); 3] = [(20, 16), (14, 15), (10, 14)];

/// Every so many looks a table is judged, when it is full for the first time: one in so many of them has to have found
/// something. Of those at the greatest, 0.15 to 0.2 find something on 6x8 closed and 0.13 on 7x7 less d4, 0.28 to 0.75 on
/// 6x7 from a1, 5x8 to 5x10 and 4x11.
const JUDGED: u64 = 1 << TABLES[0].1;
const WORTH: u64 = 4;

/// Binary digits of an end's number among the ends: of 24 at most, for 12 numbers to fit a word.
const DIGITS: u32 = 5;
const _: () = assert!(TABLES[0].0 <= 24);

/// Nodes after which a thread begins to remember, as it is told at the end of a unit and now and then in between: a
/// short search takes less time than its tables.
const LONG: u64 = 1 << 14;

/// Part of a search's time that a count takes, as it remembers endgames, at so many nodes; to what power of their number
/// it falls; and the least. Measured on one core by turns with a build that remembers nothing, with the nodes of the
/// search; random graphs with larger tables:
///
/// ```text
/// 5x7 paths    3.5e5  0.88    random, 32 vertices  1.3e7  0.70    6x7 from a1     1.3e8  0.34
/// 6x6 paths    9.7e5  0.74    random, 24 vertices  2.0e7  0.38    5x9 paths       1.5e8  0.45
/// king 4x5     2.9e6  0.33    7x7 less d4, closed  2.3e7  0.35    5x6 cylinder    1.0e9  0.19
/// 5x10 closed  8.1e6  0.65    6x8 closed           3.1e7  0.67    random, 18      1.0e8  0.31
/// 5x8 paths    1.0e7  0.50    4x11 paths           1.1e7  0.65    4x6 torus       5.7e8  0.28
/// ```
const REMEMBERING: (f64, f64, f64, f64) = (1e7, 0.58, -0.17, 0.2);

/// Part of the time of a search of so many nodes that a count takes.
#[must_use]
pub fn share_of_time(nodes: f64) -> f64 {
    let (at, part, power, least) = REMEMBERING;
    (part * (nodes / at).powf(power)).clamp(least, 1.0)
}

/// Bytes that a thread remembers endgames in on an arena of so many squares, in a long search.
#[must_use]
pub const fn bytes(squares: usize) -> u64 {
    let entry = if squares <= 64 { size_of::<Entry<u64>>() } else { size_of::<Entry<u128>>() };
    let places = (1 << TABLES[0].1) + (1 << TABLES[1].1) + (1 << TABLES[2].1);
    places * entry as u64
}

/// Told of a search's nodes; a count remembers what was below them.
pub(super) trait Memory<B: Bitboard> {
    /// The tours below a node that branches with so many others above it, if they are known. `tours` were counted up
    /// to now.
    fn below(&mut self, pieces: &Pieces<B>, depth: usize, tours: u128) -> Option<u64>;

    /// Nothing is left below the nodes of at least that depth.
    fn done(&mut self, depth: usize, tours: u128);

    /// So many nodes were visited since this was last told.
    fn visited(&mut self, nodes: u64);
}

/// Every tour is visited.
pub(super) struct Forgetful;

impl<B: Bitboard> Memory<B> for Forgetful {
    #[inline(always)]
    fn below(&mut self, _: &Pieces<B>, _: usize, _: u128) -> Option<u64> {
        None
    }

    #[inline(always)]
    fn done(&mut self, _: usize, _: u128) {}

    #[inline(always)]
    fn visited(&mut self, _: u64) {}
}

/// All that the tours below a node depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Key<B> {
    bare: B,
    end: B,
    /// For the lower end of each piece in order, how many ends are below its mate.
    mates: u64,
}

impl<B: Bitboard> Key<B> {
    #[inline(always)]
    fn of(pieces: &Pieces<B>) -> Self {
        let (bare, end) = pieces.roles();
        let (mut rest, mut mates) = (end, 0);
        while !rest.is_empty() {
            let mate = pieces.mate(rest.first());
            mates = mates << DIGITS | u64::from((end & B::first_n(mate)).count());
            rest = rest.without_first() & !B::of(mate);
        }
        Self { bare, end, mates }
    }

    /// Its place in a table.
    #[inline(always)]
    fn place(&self, digits: u32) -> usize {
        let mut hash = 0u64;
        let fold = |set: B| (set.to_wide() ^ set.to_wide() >> 57) as u64;
        for word in [fold(self.bare), fold(self.end), self.mates] {
            hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        }
        (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - digits)) as usize
    }
}

/// A node and the tours below it; of no node if it has no end. Of up to 64 squares in one line of the cache: to wait
/// for it is most of what a look costs.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
struct Entry<B> {
    key: Key<B>,
    tours: u64,
}

/// The endgames of one size, and how often one was looked for and found.
#[derive(Debug)]
struct Table<B> {
    entries: Vec<Entry<B>>,
    looks: u64,
    found: u64,
}

impl<B: Bitboard> Table<B> {
    fn new(digits: u32) -> Self {
        Self { entries: vec![Entry::default(); 1 << digits], looks: 0, found: 0 }
    }

    #[inline(always)]
    fn find(&mut self, key: &Key<B>, place: usize) -> Option<u64> {
        let entry = &self.entries[place];
        let found = (entry.key == *key).then_some(entry.tours);
        self.looks += 1;
        self.found += u64::from(found.is_some());
        found
    }

    /// Whether too little was found up to now; told every [`JUDGED`] looks. A part of a search may find little where
    /// the whole finds much.
    #[inline(always)]
    const fn is_in_vain(&self) -> bool {
        self.looks.is_multiple_of(JUDGED) && self.found < self.looks / WORTH
    }
}

/// A node that is being counted.
#[derive(Clone, Copy, Debug)]
struct Pending<B> {
    key: Key<B>,
    table: usize,
    place: usize,
    depth: usize,
    /// The tours counted before it.
    before: u128,
}

/// What one thread remembers of one plan.
#[derive(Debug)]
pub(super) struct Endgames<B> {
    /// None before the search is long.
    tables: Vec<Table<B>>,
    /// The first table that was not given up.
    first: usize,
    pending: Vec<Pending<B>>,
    /// The first table whose size the nodes above have not had.
    table: usize,
    /// Only depths below it have pending nodes.
    depth: usize,
    nodes: u64,
}

impl<B: Bitboard> Endgames<B> {
    pub(super) const fn new() -> Self {
        Self { tables: Vec::new(), first: 0, pending: Vec::new(), table: 0, depth: 0, nodes: 0 }
    }

    /// Forgets the nodes that were left in the middle.
    pub(super) fn begin(&mut self) {
        self.pending.clear();
        self.note();
    }

    /// Keeps what follows from the last pending node.
    fn note(&mut self) {
        (self.table, self.depth) =
            self.pending.last().map_or((self.first, 0), |last| (last.table + 1, last.depth + 1));
    }

    /// A node with few squares left.
    #[inline(always)]
    fn look(&mut self, pieces: &Pieces<B>, left: u32, depth: usize, tours: u128) -> Option<u64> {
        let smaller = TABLES[self.table + 1..].iter().take_while(|(most, _)| left <= *most).count();
        let table = self.table + smaller;
        let key = Key::of(pieces);
        let place = key.place(TABLES[table].1);
        let found = self.tables[table].find(&key, place);
        if self.tables[table].is_in_vain() && table == self.first {
            // Nothing is pending: it would be in this table, or in a smaller one, and no look would come here.
            debug_assert!(self.pending.is_empty());
            self.tables[table].entries = Vec::new();
            self.first += 1;
            self.note();
            return found;
        }
        if found.is_some() {
            return found;
        }
        self.pending.push(Pending { key, table, place, depth, before: tours });
        self.note();
        None
    }
}

impl<B: Bitboard> Memory<B> for Endgames<B> {
    #[inline(always)]
    fn below(&mut self, pieces: &Pieces<B>, depth: usize, tours: u128) -> Option<u64> {
        if self.table >= self.tables.len() {
            return None;
        }
        let left = pieces.unfinished().count();
        if left > TABLES[self.table].0 { None } else { self.look(pieces, left, depth, tours) }
    }

    #[inline(always)]
    fn done(&mut self, depth: usize, tours: u128) {
        while depth < self.depth {
            let Some(Pending { key, table, place, before, .. }) = self.pending.pop() else { return };
            // A greater number is not remembered.
            if let Ok(tours) = u64::try_from(tours - before) {
                self.tables[table].entries[place] = Entry { key, tours };
            }
            self.note();
        }
    }

    fn visited(&mut self, nodes: u64) {
        self.nodes += nodes;
        if self.nodes >= LONG && self.tables.is_empty() {
            self.tables = TABLES.iter().map(|(_, digits)| Table::new(*digits)).collect();
        }
    }
}

/// What the threads remember of one plan. A copy remembers nothing.
#[derive(Default)]
pub(super) struct Rack(Mutex<Vec<Box<dyn Any + Send>>>);

impl Rack {
    /// Lends what a thread remembered with bitboards of this width.
    pub(super) fn lend<B: Bitboard, R>(&self, work: impl FnOnce(&mut Endgames<B>) -> R) -> R {
        let mut endgames = self.take().unwrap_or_else(|| Box::new(Endgames::new()));
        let result = work(&mut endgames);
        lock(&self.0).push(endgames);
        result
    }

    fn take<B: Bitboard>(&self) -> Option<Box<Endgames<B>>> {
        let mut idle = lock(&self.0);
        let last = idle.iter().rposition(|endgames| endgames.is::<Endgames<B>>())?;
        idle.swap_remove(last).downcast().ok()
    }
}

impl Clone for Rack {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Rack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rack")
    }
}

#[cfg(test)]
mod tests;
