//! [`TableBudget`] gives the number of stored tables under a memory ceiling, and the memory that they take.

use crate::frontier::problem::step::Step;
use crate::frontier::state::course::SignatureSpace;
use crate::frontier::state::words::WordNumbering;

/// Size of all tables, in bytes, up to which all are stored.
const MAX_BYTES_TO_STORE_ALL: u64 = 128 << 20;

/// Minimum number of stored tables between the last and the requested one.
const MIN_STORED_TABLES: usize = 6;

/// Number of tables in addition to those in between: the last or the requested table, and the one in
/// progress.
const ADDITIONAL_TABLES: usize = 2;

/// Size of a memory page in bytes.
pub(super) const PAGE_BYTES: usize = 4096;

/// Memory ceiling per stored table, in sizes of a table: tables in between take an eighth of the ceiling.
const CEILING_PER_TABLE: u64 = 8;

/// The number of stored tables as a function of the memory ceiling.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableBudget {
    /// Size of a table in bytes; 0 if there are no tables.
    table_bytes: u64,
    /// Maximum useful number of tables in between.
    max_useful_tables: usize,
    /// Size of the touched pages of every table in bytes, in descending order.
    touched_bytes: Vec<u64>,
}

impl TableBudget {
    /// Creates the budget for the tables of `space`.
    #[must_use]
    pub fn for_space(space: &SignatureSpace) -> Self {
        let (len, each) = (space.step_count(), bytes_of_table(space.words()));
        let wanted = if len as u64 * each <= MAX_BYTES_TO_STORE_ALL { len } else { 2 * len.isqrt() };
        let mut touched = touched_bytes_by_step(space);
        touched.sort_unstable_by(|a, b| b.cmp(a));
        Self { table_bytes: each, max_useful_tables: wanted, touched_bytes: touched }
    }

    /// Returns the maximum number of tables in between under a ceiling of `memory` bytes for the whole sweep.
    fn intermediate_tables(&self, memory: Option<u64>) -> usize {
        let max_tables = memory
            .map_or(usize::MAX, |memory| (memory / CEILING_PER_TABLE / self.table_bytes.max(1)) as usize);
        self.max_useful_tables.min(max_tables.max(MIN_STORED_TABLES))
    }

    /// Returns the maximum number of stored tables under a ceiling of `memory` bytes for the whole sweep.
    #[must_use]
    pub fn max_tables(&self, memory: Option<u64>) -> usize {
        self.intermediate_tables(memory) + ADDITIONAL_TABLES
    }

    /// Returns the maximum size of the stored tables, in bytes.
    #[must_use]
    pub fn max_bytes(&self, memory: Option<u64>) -> u64 {
        self.bytes_with(self.intermediate_tables(memory))
    }

    /// Returns the size, in bytes, of `between` tables and the additional ones.
    fn bytes_with(&self, between: usize) -> u64 {
        // The additional tables count in full: any of their pages may be touched, and in a table filtered for
        // a shard all are.
        self.touched_bytes.iter().take(between).sum::<u64>() + ADDITIONAL_TABLES as u64 * self.table_bytes
    }

    /// Returns the least ceiling from which on the memory suffices: `needed(bytes)` is the memory of the
    /// whole sweep with tables of that size. A higher ceiling allows one more table and may thereby become
    /// too low again; from the returned one on every ceiling suffices.
    pub fn min_ceiling(&self, needed: impl Fn(u64) -> u64) -> u64 {
        if self.table_bytes == 0 {
            return needed(0).saturating_add(1);
        }
        let fewest = MIN_STORED_TABLES.min(self.max_useful_tables);
        let too_low = (fewest..=self.max_useful_tables).filter_map(|kept| {
            let needed = needed(self.bytes_with(kept));
            // Ceilings under which this number of tables is stored.
            let from = if kept == fewest { 0 } else { kept as u64 * self.table_bytes * CEILING_PER_TABLE };
            let to = if kept == self.max_useful_tables {
                u64::MAX
            } else {
                (kept as u64 + 1) * self.table_bytes * CEILING_PER_TABLE
            };
            (needed >= from).then(|| needed.min(to - 1))
        });
        too_low.max().unwrap_or(0) + 1
    }
}

/// Returns the size of one table in bytes.
pub(super) fn bytes_of_table(words: &WordNumbering) -> u64 {
    (words.len() * size_of::<u128>()) as u64
}

/// Returns, for every step, the size in bytes of the pages that can have signatures.
pub(super) fn touched_bytes_by_step(space: &SignatureSpace) -> Vec<u64> {
    let words = space.words();
    let used = words.outer_sums(|slot, digit| u32::from(digit > 0) << slot);
    let bytes = words.chunk_len() * size_of::<u128>();
    let pages = |step: &Step| {
        let chunks =
            (0..words.chunk_count()).filter(|&high| used.by_chunk[high] & !(step.occupied_slots as u32) == 0);
        // The first page not counted yet. A table can begin anywhere in its first page.
        let (mut next, mut pages) = (0, 1);
        for high in chunks {
            let end = ((high + 1) * bytes).div_ceil(PAGE_BYTES);
            pages += end - next.max(high * bytes / PAGE_BYTES);
            next = end;
        }
        (pages * PAGE_BYTES) as u64
    };
    space.plan().steps().iter().map(|step| pages(step).min(bytes_of_table(words))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn min_ceiling_is_sufficient_and_minimal() {
        for (each, wanted) in [(1000, 40), (1000, 6), (1000, 3), (70_000, 16), (0, 0)] {
            // Some tables have few pages.
            let touched = (0..2 * wanted as u64).rev().map(|n| each.min(each * n / 20)).collect();
            let room = TableBudget { table_bytes: each, max_useful_tables: wanted, touched_bytes: touched };
            for beside in [0, 10_000, 100_000, 1_000_000] {
                let needed = |tables: u64| (tables + beside) / 31 * 32;
                let least = room.min_ceiling(needed);
                let has_room = |memory: u64| needed(room.max_bytes(Some(memory))) < memory;
                assert!((least..least + 100_000).all(has_room), "{room:?} {beside}: {least}");
                assert!(!has_room(least - 1), "{room:?} {beside}: {least}");
            }
            // The result saturates.
            assert_eq!(room.min_ceiling(|_| u64::MAX), u64::MAX, "{room:?}");
        }
    }
}
