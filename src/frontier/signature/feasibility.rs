//! Exact degree feasibility: bit tables of the signatures that can still be completed after each
//! step, and the memory that these tables take.
//!
//! Only degrees are considered, not mates. Backwards from the end, a signature is feasible if some
//! choice of the next step leads to a feasible signature:
//!
//! ```text
//! feasible(n) = { all slots empty }
//! feasible(t) = union over the choices of step t of  shifted feasible(t + 1)
//! ```
//!
//! A signature without any end has only closed cycles. It is feasible only if it is the finished
//! tour (all later vertices on the frontier are inner, and no others are left) or, in a sweep of a
//! series of boards, the finished tour of a shorter board.
//!
//! A table has one bit per signature, `3^slots` of them, and a step processes 81 bits at once: for
//! 16 slots a table takes 8.5 MB and a few milliseconds. If fewer slots are occupied, only the
//! pages of these signatures are touched, and the system allocates no memory for the others. The
//! tables are computed from the last to the first but needed from the first to the last. As many
//! evenly spaced tables as fit into memory are stored; the tables between two stored tables are
//! computed again in the same way in the remaining memory. With `k` stored tables every table is
//! computed about `log n / log k` times.
//!
//! [`TableBudget`] gives the number of stored tables under a memory ceiling, and the memory that
//! they take.

use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::bitset_step::BitsetStep;
use super::moves::{Side, StepMoves};
use super::shard::{ShardFilter, SweepShard, shard_step};
use super::space::{BITS_WITH_ENDS, SignatureAddress, SignatureSpace, WordNumbering};
use crate::frontier::planning::cancel::{Cancel, Cancelled};
use crate::frontier::planning::plan::Step;

/// The set of feasible signatures after a step: for each word, its feasible signatures as bits.
pub type FeasibleTable = Arc<Vec<u128>>;

/// The tables of feasible signatures after every step, of which some are stored.
#[derive(Clone, Debug)]
pub struct Feasibility {
    space: Arc<SignatureSpace>,
    /// The stored tables, by the step after which they are needed.
    tables: BTreeMap<usize, FeasibleTable>,
    /// Maximum number of stored tables.
    max_tables: usize,
    filter: Option<ShardFilter>,
    /// Signal that cancels the computation.
    cancel: Cancel,
}

impl Feasibility {
    /// Computes the tables and stores up to [`Self::max_tables`] of them. Signatures outside `filter` are not
    /// feasible. `memory` is the memory ceiling of the sweep in bytes. Cost: O(steps x choices x 3^slots / 81).
    ///
    /// # Errors
    /// [`Cancelled`] if `cancel` is cancelled.
    pub fn new(
        space: &Arc<SignatureSpace>,
        filter: Option<ShardFilter>,
        memory: Option<u64>,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let mut last = vec![0; space.words().len()];
        last[0] = 1;
        Self::with_last_table(space, 0..space.step_count(), last, filter, memory, cancel)
    }

    /// Computes the tables of `steps` only, of which `last` is the table after the last step. There
    /// are no tables of earlier steps. Other parameters as for [`Self::new`].
    ///
    /// # Errors
    /// [`Cancelled`] if `cancel` is cancelled.
    pub fn with_last_table(
        space: &Arc<SignatureSpace>,
        steps: Range<usize>,
        last: Vec<u128>,
        filter: Option<ShardFilter>,
        memory: Option<u64>,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let tables = BTreeMap::from([(steps.end - 1, Arc::new(last))]);
        let (max_tables, cancel) = (Self::max_tables(space, memory), cancel.clone());
        let mut feasibility = Self { space: Arc::clone(space), tables, max_tables, filter, cancel };
        feasibility.compute_table(steps.start)?;
        Ok(feasibility)
    }

    /// Returns true if the tables were computed for the plan object of `space`. Another plan may
    /// number slots differently.
    #[must_use]
    pub fn belongs_to(&self, space: &SignatureSpace) -> bool {
        std::ptr::eq(self.space.plan(), space.plan())
    }

    /// Returns the table after step `t`, and drops the tables of earlier steps. Calls must be made
    /// with ascending `t`.
    ///
    /// # Errors
    /// [`Cancelled`] if the computation is cancelled.
    pub fn table_after(&mut self, t: usize) -> Result<FeasibleTable, Cancelled> {
        while self.tables.first_key_value().is_some_and(|(&step, _)| step < t) {
            self.tables.pop_first();
        }
        self.compute_table(t)?;
        Ok(Arc::clone(&self.tables[&t]))
    }

    /// Returns the filter of a shard of the sweep, and drops the tables, which are those of the whole sweep.
    ///
    /// # Errors
    /// [`Cancelled`] if the computation is cancelled.
    pub fn into_shard_filter(mut self, shard: SweepShard) -> Result<ShardFilter, Cancelled> {
        let table = self.table_after(shard_step(self.space.plan()))?;
        Ok(ShardFilter::after_middle_step(shard, &self.space, &table))
    }

    /// Returns the number of bytes of the tables that [`Self::table_after`] would add for step `t`;
    /// 0 if the table after step `t` is stored.
    #[must_use]
    pub fn missing_bytes(&self, t: usize) -> u64 {
        let stored_count = self.tables.len() - self.tables.range(..t).count();
        let is_stored = self.tables.contains_key(&t);
        let lacking = if is_stored { 0 } else { self.max_tables.saturating_sub(stored_count) };
        lacking as u64 * bytes_of_table(self.space.words())
    }

    /// Computes the table after step `t`, unless it is stored. Also stores some evenly spaced
    /// tables between step `t` and the next stored table.
    fn compute_table(&mut self, t: usize) -> Result<(), Cancelled> {
        let (&next_stored, _) = self.tables.range(t..).next().expect("the last table is stored");
        // One of the free tables is the requested one, one is in progress.
        let free = self.max_tables.saturating_sub(self.tables.len() + 1);
        let spacing = (next_stored - t).div_ceil(free.max(1)).max(1);
        for k in (t..next_stored).rev() {
            self.tables.insert(k, Arc::new(self.previous_table(k)?));
            let above = k + 1;
            if above < next_stored && (next_stored - above) % spacing != 0 {
                self.tables.remove(&above);
            }
        }
        Ok(())
    }

    /// Returns the maximum number of stored tables under a memory ceiling of `memory` bytes for the whole
    /// sweep.
    #[must_use]
    pub fn max_tables(space: &SignatureSpace, memory: Option<u64>) -> usize {
        TableBudget::for_space(space).max_tables(memory)
    }

    /// Returns the maximum number of bytes of the stored tables under a memory ceiling of `memory`
    /// bytes for the whole sweep.
    #[must_use]
    pub fn max_bytes(space: &SignatureSpace, memory: Option<u64>) -> u64 {
        TableBudget::for_space(space).max_bytes(memory)
    }

    /// Computes the table after step `t` from the table after step `t + 1`, and applies the filter
    /// of the shard.
    fn previous_table(&self, t: usize) -> Result<Vec<u128>, Cancelled> {
        let next = &self.tables[&(t + 1)];
        let mut table = compute_previous_table(&self.space, t, next, &self.cancel)?;
        if let Some(filter) = self.filter.as_ref().filter(|filter| filter.step() == t) {
            filter.retain_shard_in_table(self.space.words(), &mut table);
        }
        Ok(table)
    }
}

/// Computes the table after step `t` from the table `next` after step `t + 1`, without the filter
/// of a shard.
///
/// # Errors
/// [`Cancelled`] if `cancel` is cancelled.
fn compute_previous_table(
    space: &SignatureSpace,
    t: usize,
    next: &[u128],
    cancel: &Cancel,
) -> Result<Vec<u128>, Cancelled> {
    cancel.check()?;
    let (words, steps) = (space.words(), space.plan().steps());
    let occupied = steps[t].occupied_slots as u32;
    let moves = StepMoves::new_under(words, &steps[t + 1], Side::Source, cancel)?;
    let used = words.outer_sums(|slot, digit| u32::from(digit > 0) << slot);
    let step = BitsetStep::new_under(words, &moves, |low| used.by_word[low] & !occupied == 0, cancel)?;
    let chunk_len = words.chunk_len();
    let is_used = |chunk_number: usize| used.by_chunk[chunk_number] & !occupied == 0;
    let fill = |chunk_number: usize, chunk: &mut [u128]| {
        if cancel.is_cancelled() {
            return;
        }
        step.fill_chunk(chunk_number, next, chunk);
        for low in words.words_without_outer_ends(chunk_number) {
            chunk[low] &= !BITS_WITH_ENDS[0];
        }
    };
    let mut table = if (0..words.chunk_count()).all(is_used) {
        fill_new_table(words.len(), chunk_len, fill)
    } else {
        // Only the pages of possible signatures are touched.
        let mut table = vec![0; words.len()];
        let chunks = table.par_chunks_mut(chunk_len).enumerate();
        chunks
            .filter(|&(chunk_number, _)| is_used(chunk_number))
            .for_each(|(chunk_number, chunk)| fill(chunk_number, chunk));
        table
    };
    // Chunks that were left out because of a cancellation are zero.
    cancel.check()?;
    for SignatureAddress { word_number: word, bit } in space.finished_signatures(t) {
        table[word] |= 1 << bit;
    }
    Ok(table)
}

/// Creates a table of zeros and calls `fill` for every chunk, on the thread that has just zeroed the chunk.
fn fill_new_table(len: usize, chunk_len: usize, fill: impl Fn(usize, &mut [u128]) + Sync) -> Vec<u128> {
    let mut table: Vec<u128> = Vec::with_capacity(len);
    let chunks = table.spare_capacity_mut()[..len].par_chunks_mut(chunk_len).enumerate();
    chunks.for_each(|(chunk_number, chunk)| {
        chunk.fill(MaybeUninit::new(0));
        // SAFETY: all words of the chunk were just written, and both types have the same layout in memory.
        fill(chunk_number, unsafe { &mut *(std::ptr::from_mut(chunk) as *mut [u128]) });
    });
    // SAFETY: every chunk was written.
    unsafe { table.set_len(len) };
    table
}

/// Number of bytes of all tables together up to which all tables are stored.
const MAX_BYTES_TO_STORE_ALL: u64 = 128 << 20;

/// Minimum number of stored tables between the requested table and the last table.
const MIN_STORED_TABLES: usize = 6;

/// Number of tables in addition to the intermediate tables: the last or the requested table, and
/// the table that is being computed.
const ADDITIONAL_TABLES: usize = 2;

/// Size of a memory page in bytes.
pub(super) const PAGE_BYTES: usize = 4096;

/// Divisor of the memory ceiling that gives the maximum number of bytes of the intermediate tables.
const CEILING_PER_TABLE: u64 = 8;

/// The number of stored tables, and their size, as functions of the memory ceiling.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableBudget {
    /// Number of bytes of a table; 0 if there are no tables.
    table_bytes: u64,
    /// Maximum useful number of intermediate tables.
    max_useful_tables: usize,
    /// Number of bytes of the touched pages of every table, in descending order.
    touched_bytes: Vec<u64>,
}

impl TableBudget {
    /// Creates the budget for the tables of `space`.
    #[must_use]
    pub fn for_space(space: &SignatureSpace) -> Self {
        let (len, each) = (space.step_count(), bytes_of_table(space.words()));
        let table_count = if len as u64 * each <= MAX_BYTES_TO_STORE_ALL { len } else { 2 * len.isqrt() };
        let mut touched = touched_bytes_by_step(space);
        touched.sort_unstable_by(|a, b| b.cmp(a));
        Self { table_bytes: each, max_useful_tables: table_count, touched_bytes: touched }
    }

    /// Returns the maximum number of intermediate tables under a ceiling of `memory` bytes for the
    /// whole sweep.
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

    /// Returns the maximum number of bytes of the stored tables under a ceiling of `memory` bytes
    /// for the whole sweep.
    #[must_use]
    pub fn max_bytes(&self, memory: Option<u64>) -> u64 {
        self.bytes_with(self.intermediate_tables(memory))
    }

    /// Returns the number of bytes of `between` intermediate tables and the additional tables.
    fn bytes_with(&self, between: usize) -> u64 {
        // The additional tables count in full: any of their pages may be touched, and in a table filtered for
        // a shard all are.
        self.touched_bytes.iter().take(between).sum::<u64>() + ADDITIONAL_TABLES as u64 * self.table_bytes
    }

    /// Returns the least memory ceiling in bytes from which on memory is sufficient.
    /// `needed(bytes)` is the memory of the whole sweep with tables of `bytes` bytes. A slightly
    /// higher ceiling may allow one more table and thereby become too low; from the returned
    /// ceiling on, every ceiling is sufficient.
    pub fn min_ceiling(&self, needed: impl Fn(u64) -> u64) -> u64 {
        if self.table_bytes == 0 {
            return needed(0).saturating_add(1);
        }
        let fewest = MIN_STORED_TABLES.min(self.max_useful_tables);
        let too_low = (fewest..=self.max_useful_tables).filter_map(|table_count| {
            let needed = needed(self.bytes_with(table_count));
            // Ceilings under which this number of tables is stored.
            let from = if table_count == fewest {
                0
            } else {
                table_count as u64 * self.table_bytes * CEILING_PER_TABLE
            };
            let to = if table_count == self.max_useful_tables {
                u64::MAX
            } else {
                (table_count as u64 + 1) * self.table_bytes * CEILING_PER_TABLE
            };
            (needed >= from).then(|| needed.min(to - 1))
        });
        too_low.max().unwrap_or(0) + 1
    }
}

/// Returns the number of bytes of one table.
pub(super) fn bytes_of_table(words: &WordNumbering) -> u64 {
    (words.len() * size_of::<u128>()) as u64
}

/// Returns, for every step, the number of bytes of the pages of a table that can have signatures.
pub(super) fn touched_bytes_by_step(space: &SignatureSpace) -> Vec<u64> {
    let words = space.words();
    let used = words.outer_sums(|slot, digit| u32::from(digit > 0) << slot);
    let bytes = words.chunk_len() * size_of::<u128>();
    let pages = |step: &Step| {
        let chunks = (0..words.chunk_count())
            .filter(|&chunk_number| used.by_chunk[chunk_number] & !(step.occupied_slots as u32) == 0);
        // The first page not counted yet. A table can begin anywhere in its first page.
        let (mut next, mut pages) = (0, 1);
        for chunk_number in chunks {
            let end = ((chunk_number + 1) * bytes).div_ceil(PAGE_BYTES);
            pages += end - next.max(chunk_number * bytes / PAGE_BYTES);
            next = end;
        }
        (pages * PAGE_BYTES) as u64
    };
    space.plan().steps().iter().map(|step| pages(step).min(bytes_of_table(words))).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::moves::choices;
    use super::super::space::WORD_BITS;
    use super::*;
    use super::{PAGE_BYTES, touched_bytes_by_step};
    use crate::board::Rectangle;
    use crate::frontier::planning::plan::Plan;
    use crate::frontier::planning::problem::{Cycles, SweepGraph, Tours};

    fn space_of(rows: u16, cols: u16, tours: Tours) -> Arc<SignatureSpace> {
        let cycles = Cycles::from_sweep_graph(
            &SweepGraph::from_board(&Rectangle::new(rows, cols).unwrap().into()),
            tours,
        );
        let order: Vec<usize> = (0..cycles.len()).collect();
        Arc::new(SignatureSpace::new(&Arc::new(Plan::new(&cycles, &order, true))).unwrap())
    }

    /// Returns the feasible signatures after every step, computed one by one. A signature is a number over
    /// all digits.
    fn naive_tables(space: &SignatureSpace) -> Vec<BTreeSet<usize>> {
        let steps = space.plan().steps();
        let digit = |number: usize, slot: usize| number / 3usize.pow(slot as u32) % 3;
        let slots = space.plan().slot_count();
        let mut all = vec![BTreeSet::from([0])];
        for t in (0..steps.len() - 1).rev() {
            let mut here = BTreeSet::new();
            for choice in choices(&steps[t + 1]) {
                for &number in &all[0] {
                    let fits = |c: &super::super::moves::DigitChange| {
                        digit(number, usize::from(c.slot)) == usize::from(c.after)
                    };
                    if !choice.digit_changes.iter().all(fits) {
                        continue;
                    }
                    let back = choice.digit_changes.iter().fold(number, |number, c| {
                        let position = 3usize.pow(u32::from(c.slot));
                        number + usize::from(c.before) * position - usize::from(c.after) * position
                    });
                    let is_free = |slot: usize| steps[t].occupied_slots >> slot & 1 == 0;
                    if (0..slots).all(|slot| digit(back, slot) == 0 || !is_free(slot)) {
                        here.insert(back);
                    }
                }
            }
            // Without an end there are only closed cycles.
            here.retain(|&number| (0..slots).any(|slot| digit(number, slot) == 1));
            here.extend(
                space.finished_signatures(t).iter().map(|at| at.word_number * WORD_BITS + at.bit as usize),
            );
            all.insert(0, here);
        }
        all
    }

    fn listed_signatures(table: &[u128]) -> BTreeSet<usize> {
        let bits = |word: u128| (0..WORD_BITS).filter(move |bit| word >> bit & 1 == 1);
        table
            .iter()
            .enumerate()
            .flat_map(|(n, &word)| bits(word).map(move |bit| n * WORD_BITS + bit))
            .collect()
    }

    #[test]
    fn tables_agree_with_naive_tables() {
        for (rows, cols, tours) in [(3, 4, Tours::Paths), (5, 4, Tours::Closed), (3, 3, Tours::From(0))] {
            let space = space_of(rows, cols, tours);
            let expected = naive_tables(&space);
            let mut feasibility = Feasibility::new(&space, None, None, &Cancel::default()).unwrap();
            for (t, expected) in expected.iter().enumerate() {
                // Tables do not exclude free slots inside a word, because no step puts anything there.
                let occupied = space.plan().steps()[t].occupied_slots;
                let is_used = |number: &usize| {
                    (0..space.plan().slot_count())
                        .all(|s| occupied >> s & 1 == 1 || (number / 3usize.pow(s as u32)).is_multiple_of(3))
                };
                let mut listed = listed_signatures(&feasibility.table_after(t).unwrap());
                listed.retain(is_used);
                assert_eq!(listed, *expected, "step {t} of {rows}x{cols} {tours:?}");
            }
        }
    }

    #[test]
    fn tables_are_within_touched_bytes() {
        let space = space_of(6, 5, Tours::Closed);
        let (words, expected_bytes) = (space.words(), touched_bytes_by_step(&space));
        let mut feasibility = Feasibility::new(&space, None, None, &Cancel::default()).unwrap();
        let mut all = 2 * bytes_of_table(words);
        for (t, &expected) in expected_bytes.iter().enumerate() {
            let table = feasibility.table_after(t).unwrap();
            let pages: BTreeSet<usize> =
                (0..table.len()).filter(|&at| table[at] != 0).map(|at| at * 16 / PAGE_BYTES).collect();
            assert!(
                (pages.len() * PAGE_BYTES) as u64 <= expected + PAGE_BYTES as u64
                    && expected <= bytes_of_table(words),
                "step {t}"
            );
            all += expected;
        }
        assert_eq!(Feasibility::max_bytes(&space, None), all);
        assert!(all < Feasibility::max_tables(&space, None) as u64 * bytes_of_table(words));
    }

    #[test]
    fn cancelled_tables_cannot_be_used() {
        let space = space_of(4, 5, Tours::Paths);
        let (never, polls) = Cancel::after_polls(usize::MAX);
        let mut tables = Feasibility::new(&space, None, None, &never).unwrap();
        let all = polls.count();
        assert!(all > space.step_count(), "every table polls");
        for limit in 0..all {
            let (cancel, polls) = Cancel::after_polls(limit);
            assert!(matches!(Feasibility::new(&space, None, None, &cancel), Err(Cancelled)), "poll {limit}");
            assert!(polls.count() >= limit);
        }
        // A flag that is set later stops only the computation of further tables.
        let step = space.step_count() / 2;
        let (cancel, _) = Cancel::after_polls(0);
        tables.cancel = cancel;
        assert!(tables.table_after(step).is_ok(), "the table is stored");
        tables.tables.remove(&step);
        assert_eq!(tables.table_after(step), Err(Cancelled));
        tables.cancel = Cancel::default();
        assert!(tables.table_after(step).is_ok_and(|table| table.len() == space.words().len()));
    }

    #[test]
    fn recomputed_tables_are_equal() {
        let space = space_of(5, 4, Tours::Paths);
        let mut all = Feasibility::new(&space, None, None, &Cancel::default()).unwrap();
        let mut few = Feasibility { max_tables: 4, ..all.clone() };
        few.tables.retain(|&step, _| step == space.step_count() - 1);
        for t in 0..space.step_count() {
            assert_eq!(few.table_after(t), all.table_after(t));
            assert!(few.tables.len() <= 4);
        }
    }

    #[test]
    fn min_ceiling_is_sufficient_and_minimal() {
        for (each, table_count) in [(1000, 40), (1000, 6), (1000, 3), (70_000, 16), (0, 0)] {
            // Some tables have few pages.
            let touched = (0..2 * table_count as u64).rev().map(|n| each.min(each * n / 20)).collect();
            let table_budget =
                TableBudget { table_bytes: each, max_useful_tables: table_count, touched_bytes: touched };
            for other_bytes in [0, 10_000, 100_000, 1_000_000] {
                let needed = |tables: u64| (tables + other_bytes) / 31 * 32;
                let least = table_budget.min_ceiling(needed);
                let has_room = |memory: u64| needed(table_budget.max_bytes(Some(memory))) < memory;
                assert!((least..least + 100_000).all(has_room), "{table_budget:?} {other_bytes}: {least}");
                assert!(!has_room(least - 1), "{table_budget:?} {other_bytes}: {least}");
            }
            // The result saturates.
            assert_eq!(table_budget.min_ceiling(|_| u64::MAX), u64::MAX, "{table_budget:?}");
        }
    }
}
