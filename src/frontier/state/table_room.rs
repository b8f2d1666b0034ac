//! [`TableBudget`] gives the number of stored tables under a memory ceiling, and the memory that they take.

use crate::frontier::problem::step::Step;
use crate::frontier::state::course::Course;
use crate::frontier::state::words::Words;

/// Size of all tables, in bytes, up to which all are stored.
const KEEP_ALL: u64 = 128 << 20;

/// Minimum number of stored tables between the last and the requested one.
const FEWEST: usize = 6;

/// Number of tables in addition to those in between: the last or the requested table, and the one in
/// progress.
const BESIDE: usize = 2;

/// Size of a memory page in bytes.
pub(super) const PAGE: usize = 4096;

/// Memory ceiling per stored table, in sizes of a table: tables in between take an eighth of the ceiling.
const PART: u64 = 8;

/// The number of stored tables as a function of the memory ceiling.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableRoom {
    /// Size of a table in bytes; 0 if there are no tables.
    each: u64,
    /// Maximum useful number of tables in between.
    wanted: usize,
    /// Size of the touched pages of every table in bytes, in descending order.
    touched: Vec<u64>,
}

impl TableRoom {
    /// Creates the budget for the tables of `space`.
    #[must_use]
    pub fn of(course: &Course) -> Self {
        let (len, each) = (course.len(), bytes_of(course.words()));
        let wanted = if len as u64 * each <= KEEP_ALL { len } else { 2 * len.isqrt() };
        let mut touched = touched(course);
        touched.sort_unstable_by(|a, b| b.cmp(a));
        Self { each, wanted, touched }
    }

    /// Returns the maximum number of tables in between under a ceiling of `memory` bytes for the whole sweep.
    fn between(&self, memory: Option<u64>) -> usize {
        let most = memory.map_or(usize::MAX, |memory| (memory / PART / self.each.max(1)) as usize);
        self.wanted.min(most.max(FEWEST))
    }

    /// Returns the maximum number of stored tables under a ceiling of `memory` bytes for the whole sweep.
    #[must_use]
    pub fn kept(&self, memory: Option<u64>) -> usize {
        self.between(memory) + BESIDE
    }

    /// Returns the maximum size of the stored tables, in bytes.
    #[must_use]
    pub fn bytes(&self, memory: Option<u64>) -> u64 {
        self.bytes_of(self.between(memory))
    }

    /// Returns the size, in bytes, of `between` tables and the additional ones.
    fn bytes_of(&self, between: usize) -> u64 {
        // The additional tables count in full: any of their pages may be touched, and in a table filtered for
        // a shard all are.
        self.touched.iter().take(between).sum::<u64>() + BESIDE as u64 * self.each
    }

    /// Returns the least ceiling from which on the memory suffices: `needed(bytes)` is the memory of the
    /// whole sweep with tables of that size. A higher ceiling allows one more table and may thereby become
    /// too low again; from the returned one on every ceiling suffices.
    pub fn least_ceiling(&self, needed: impl Fn(u64) -> u64) -> u64 {
        if self.each == 0 {
            return needed(0).saturating_add(1);
        }
        let fewest = FEWEST.min(self.wanted);
        let too_low = (fewest..=self.wanted).filter_map(|kept| {
            let needed = needed(self.bytes_of(kept));
            // Ceilings under which this number of tables is stored.
            let from = if kept == fewest { 0 } else { kept as u64 * self.each * PART };
            let to = if kept == self.wanted { u64::MAX } else { (kept as u64 + 1) * self.each * PART };
            (needed >= from).then(|| needed.min(to - 1))
        });
        too_low.max().unwrap_or(0) + 1
    }
}

/// Returns the size of one table in bytes.
pub(super) fn bytes_of(words: &Words) -> u64 {
    (words.len() * size_of::<u128>()) as u64
}

/// Returns, for every step, the size in bytes of the pages that can have signatures.
pub(super) fn touched(course: &Course) -> Vec<u64> {
    let words = course.words();
    let used = words.sums(|slot, digit| u32::from(digit > 0) << slot);
    let bytes = words.chunk_len() * size_of::<u128>();
    let pages = |step: &Step| {
        let chunks = (0..words.chunks()).filter(|&high| used.high[high] & !(step.occupied as u32) == 0);
        // The first page not counted yet. A table can begin anywhere in its first page.
        let (mut next, mut pages) = (0, 1);
        for high in chunks {
            let end = ((high + 1) * bytes).div_ceil(PAGE);
            pages += end - next.max(high * bytes / PAGE);
            next = end;
        }
        (pages * PAGE) as u64
    };
    course.plan().steps().iter().map(|step| pages(step).min(bytes_of(words))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_the_least_ceiling_on_there_is_room() {
        for (each, wanted) in [(1000, 40), (1000, 6), (1000, 3), (70_000, 16), (0, 0)] {
            // Some tables have few pages.
            let touched = (0..2 * wanted as u64).rev().map(|n| each.min(each * n / 20)).collect();
            let room = TableRoom { each, wanted, touched };
            for beside in [0, 10_000, 100_000, 1_000_000] {
                let needed = |tables: u64| (tables + beside) / 31 * 32;
                let least = room.least_ceiling(needed);
                let has_room = |memory: u64| needed(room.bytes(Some(memory))) < memory;
                assert!((least..least + 100_000).all(has_room), "{room:?} {beside}: {least}");
                assert!(!has_room(least - 1), "{room:?} {beside}: {least}");
            }
            // The result saturates.
            assert_eq!(room.least_ceiling(|_| u64::MAX), u64::MAX, "{room:?}");
        }
    }
}
