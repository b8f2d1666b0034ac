//! How many tables of feasible signatures are kept under a ceiling, and what they take.
//!
//! Where fewer slots are occupied, no more pages of a table are touched than these can fill, and the system gives
//! none for the rest.

use crate::frontier::problem::step::Step;
use crate::frontier::state::course::Course;
use crate::frontier::state::words::Words;

/// Bytes of tables up to which all are kept.
const KEEP_ALL: u64 = 128 << 20;

/// Fewest tables that are kept.
const FEWEST: usize = 6;

/// The last table and the one asked for are always there, and one is at work.
const BESIDE: usize = 2;

/// Bytes that the system gives at once.
pub(super) const PAGE: usize = 4096;

/// A ceiling that is this many times as high has room for one more.
const PART: u64 = 8;

/// How many tables are kept under a ceiling: the higher it is, the more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableRoom {
    /// Bytes of a table; none if there are no tables.
    each: u64,
    /// Most that are of use.
    wanted: usize,
    /// Bytes of the pages of every table that may have a signature, the most first.
    touched: Vec<u64>,
}

impl TableRoom {
    /// Of the tables of a course.
    #[must_use]
    pub fn of(course: &Course) -> Self {
        let (len, each) = (course.len(), bytes_of(course.words()));
        let wanted = if len as u64 * each <= KEEP_ALL { len } else { 2 * len.isqrt() };
        let mut touched = touched(course);
        touched.sort_unstable_by(|a, b| b.cmp(a));
        Self { each, wanted, touched }
    }

    /// Most tables that are kept between others if `memory` bytes are the ceiling for everything.
    fn between(&self, memory: Option<u64>) -> usize {
        let most = memory.map_or(usize::MAX, |memory| (memory / PART / self.each.max(1)) as usize);
        self.wanted.min(most.max(FEWEST))
    }

    /// Most tables that are kept if `memory` bytes are the ceiling for everything.
    #[must_use]
    pub fn kept(&self, memory: Option<u64>) -> usize {
        self.between(memory) + BESIDE
    }

    /// Bytes held at most.
    #[must_use]
    pub fn bytes(&self, memory: Option<u64>) -> u64 {
        self.bytes_of(self.between(memory))
    }

    /// Bytes of so many tables and those beside them.
    fn bytes_of(&self, between: usize) -> u64 {
        // Of the two beside those that are kept any page may be touched: of one that is cut all are.
        self.touched.iter().take(between).sum::<u64>() + BESIDE as u64 * self.each
    }

    /// The least ceiling from which on there is room for the tables and what `needed` adds to them. One more table may
    /// make a higher ceiling too low again; from this one on none does.
    pub fn least_ceiling(&self, needed: impl Fn(u64) -> u64) -> u64 {
        if self.each == 0 {
            return needed(0).saturating_add(1);
        }
        let fewest = FEWEST.min(self.wanted);
        let too_low = (fewest..=self.wanted).filter_map(|kept| {
            let needed = needed(self.bytes_of(kept));
            // Ceilings under which so many are kept.
            let from = if kept == fewest { 0 } else { kept as u64 * self.each * PART };
            let to = if kept == self.wanted { u64::MAX } else { (kept as u64 + 1) * self.each * PART };
            (needed >= from).then(|| needed.min(to - 1))
        });
        too_low.max().unwrap_or(0) + 1
    }
}

/// Bytes of one table.
pub(super) fn bytes_of(words: &Words) -> u64 {
    (words.len() * size_of::<u128>()) as u64
}

/// Bytes of the pages of every table that may have a signature.
pub(super) fn touched(course: &Course) -> Vec<u64> {
    let words = course.words();
    let used = words.sums(|slot, digit| u32::from(digit > 0) << slot);
    let bytes = words.chunk_len() * size_of::<u128>();
    let pages = |step: &Step| {
        let chunks = (0..words.chunks()).filter(|&high| used.high[high] & !(step.occupied as u32) == 0);
        // The first page that was not counted yet. A table begins anywhere in its first one.
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
            // More than can be told is no less.
            assert_eq!(room.least_ceiling(|_| u64::MAX), u64::MAX, "{room:?}");
        }
    }
}
