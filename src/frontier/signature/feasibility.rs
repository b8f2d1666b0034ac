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
//! A table has one bit per signature, `3^slots` of them, and a step processes 81 bits at once. Few of its rows are
//! distinct, and [`SignatureTable`] stores these: for 16 slots a table takes about one megabyte and a millisecond.
//! The tables are computed from the last to the first but needed from the first to the last, so all are stored. If
//! they take more than an eighth of the memory limit (1 GiB without a limit), some evenly spaced tables are
//! stored, and the tables between two stored tables are computed again in the same way in the remaining memory.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::bitset_step::{BitsetStep, Window};
use super::moves::{Side, StepMoves};
use super::shard::{ShardFilter, SweepShard, shard_step};
use super::signature_table::{Row, SignatureTable};
use super::space::{BITS_WITH_ENDS, SignatureAddress, SignatureSpace};
use crate::frontier::planning::cancel::{Cancel, Cancelled};
use crate::frontier::planning::plan::Step;
use crate::frontier::planning::step_group::MAX_GROUP_STEPS;

/// The set of feasible signatures after a step.
pub type FeasibleTable = Arc<SignatureTable>;

/// The tables of feasible signatures after every step, of which some are stored.
#[derive(Clone, Debug)]
pub struct Feasibility {
    space: Arc<SignatureSpace>,
    /// The stored tables, by the step after which they are needed.
    tables: BTreeMap<usize, FeasibleTable>,
    /// Number of bytes of every table that was computed, by step.
    bytes: BTreeMap<usize, u64>,
    /// The memory limit of the sweep in bytes.
    memory: Option<u64>,
    filter: Option<ShardFilter>,
    /// Signal that cancels the computation.
    cancel: Cancel,
}

impl Feasibility {
    /// Computes the tables, and stores as many as `memory`, the memory limit of the sweep in bytes, allows.
    /// Signatures outside `filter` are not feasible. Cost: at most O(steps x choices x 3^slots / 81).
    ///
    /// # Errors
    /// [`Cancelled`] if `cancel` is cancelled.
    pub fn new(
        space: &Arc<SignatureSpace>,
        filter: Option<ShardFilter>,
        memory: Option<u64>,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let mut last = SignatureTable::empty(space.rows());
        last.insert(SignatureAddress { word_number: 0, bit: 0 });
        Self::with_last_table(space, 0..space.step_count(), Arc::new(last), filter, memory, cancel)
    }

    /// Computes the tables of `steps` only, of which `last` is the table after the last step. There
    /// are no tables of earlier steps. Other parameters as for [`Self::new`].
    ///
    /// # Errors
    /// [`Cancelled`] if `cancel` is cancelled.
    pub fn with_last_table(
        space: &Arc<SignatureSpace>,
        steps: Range<usize>,
        last: FeasibleTable,
        filter: Option<ShardFilter>,
        memory: Option<u64>,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let mut feasibility = Self {
            space: Arc::clone(space),
            bytes: BTreeMap::from([(steps.end - 1, last.bytes())]),
            tables: BTreeMap::from([(steps.end - 1, last)]),
            memory,
            filter,
            cancel: cancel.clone(),
        };
        feasibility.compute_table(steps.start)?;
        Ok(feasibility)
    }

    /// Returns true if the tables were computed for the plan object of `space`. Another plan may
    /// number slots differently.
    #[must_use]
    pub fn belongs_to(&self, space: &SignatureSpace) -> bool {
        std::ptr::eq(self.space.plan(), space.plan())
    }

    /// Returns the sizes of all tables.
    #[must_use]
    pub fn sizes(&self) -> TableSizes {
        TableSizes {
            total: self.bytes.values().sum(),
            largest: self.bytes.values().copied().max().unwrap_or(0),
            sets: 1,
        }
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

    /// Returns the tables up to step `t`.
    ///
    /// # Errors
    /// [`Cancelled`] if the computation is cancelled.
    pub fn until(mut self, t: usize) -> Result<Self, Cancelled> {
        if !self.tables.contains_key(&t) {
            let mut later = self.clone();
            self.tables.insert(t, later.table_after(t)?);
        }
        self.tables.split_off(&(t + 1));
        self.bytes.split_off(&(t + 1));
        Ok(self)
    }

    /// Returns the filter of a shard of the sweep, and drops the tables, which are those of the whole sweep.
    ///
    /// # Errors
    /// [`Cancelled`] if the computation is cancelled.
    pub fn into_shard_filter(mut self, shard: SweepShard) -> Result<ShardFilter, Cancelled> {
        let table = self.table_after(shard_step(self.space.plan()))?;
        Ok(ShardFilter::after_middle_step(shard, &self.space, &table))
    }

    /// Returns the maximum number of bytes of the tables that [`Self::table_after`] would add for `steps`;
    /// 0 if the tables after these steps are stored.
    #[must_use]
    pub fn missing_bytes(&self, steps: Range<usize>) -> u64 {
        if steps.into_iter().all(|t| self.tables.contains_key(&t)) {
            return 0;
        }
        self.sizes().max_bytes(self.memory).saturating_sub(self.stored_bytes())
    }

    fn stored_bytes(&self) -> u64 {
        self.tables.values().map(|table| table.bytes()).sum()
    }

    /// Computes the table after step `t`, unless it is stored. Also stores the tables between step `t` and the next
    /// stored table, or some evenly spaced ones of them.
    fn compute_table(&mut self, t: usize) -> Result<(), Cancelled> {
        let (&next_stored, _) = self.tables.range(t..).next().expect("the last table is stored");
        let mut stored_bytes = self.stored_bytes();
        let (mut largest, mut spacing) = (self.sizes().largest, 1);
        for k in (t..next_stored).rev() {
            let table = Arc::new(self.previous_table(k)?);
            largest = largest.max(table.bytes());
            stored_bytes += table.bytes();
            self.bytes.insert(k, table.bytes());
            self.tables.insert(k, table);
            let max_bytes = max_stored_bytes(self.memory).max(MIN_STORED_TABLES * largest);
            while spacing > 1 || stored_bytes > max_bytes {
                self.tables.retain(|&step, table| {
                    let is_kept =
                        step <= k || step >= next_stored || (next_stored - step).is_multiple_of(spacing);
                    stored_bytes -= if is_kept { 0 } else { table.bytes() };
                    is_kept
                });
                if stored_bytes <= max_bytes || spacing > next_stored - k {
                    break;
                }
                spacing *= 2;
            }
        }
        Ok(())
    }

    /// Computes the table after step `t` from the table after step `t + 1`, and applies the filter
    /// of the shard.
    fn previous_table(&self, t: usize) -> Result<SignatureTable, Cancelled> {
        let table = compute_previous_table(&self.space, t, &self.tables[&(t + 1)], &self.cancel)?;
        let filter = self.filter.as_ref().filter(|filter| filter.step() == t);
        Ok(filter.map(|filter| filter.restrict_to_shard(self.space.rows(), &table)).unwrap_or(table))
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
    next: &SignatureTable,
    cancel: &Cancel,
) -> Result<SignatureTable, Cancelled> {
    cancel.check()?;
    let (rows, steps) = (space.rows(), space.plan().steps());
    let occupied = steps[t].occupied_slots as u32;
    let moves = StepMoves::new_under(rows, &steps[t + 1], Side::Source, cancel)?;
    let used = rows.outer_sums(|slot, digit| u32::from(digit > 0) << slot);
    let step = BitsetStep::new_under(rows, &moves, |low| used.by_word[low] & !occupied == 0, cancel)?;
    let has_no_end = |number: usize| rows.outer_ends(number, 0) == 0;
    // Rows are equal if their moves and the rows at the other side of the moves are equal, and both have outer ends
    // or neither has.
    let key = |number: usize, key: &mut Vec<u32>| {
        if cancel.is_cancelled() || used.by_chunk[number] & !occupied != 0 {
            return;
        }
        let others = moves.chunk_distances(number).iter().map(|d| next.row_id((number as i32 + d) as usize));
        key.push(moves.chunk_code(number) << 1 | u32::from(has_no_end(number)));
        key.extend(others);
        if key[1..].iter().all(|&id| id == 0) {
            key.clear();
        }
    };
    let fill = |number: usize, window: &mut Window, row: &mut Row| {
        step.fill_row(number, next, window, row);
        for low in rows.words_without_outer_ends(number) {
            row[low] &= !BITS_WITH_ENDS[0];
        }
    };
    let mut table = SignatureTable::from_keys(rows, key, fill);
    // Rows that were left out because of a cancellation are empty.
    cancel.check()?;
    space.finished_signatures(t).into_iter().for_each(|address| table.insert(address));
    Ok(table)
}

/// Least limit of the bytes of the stored tables of a set, in units of the largest table.
const MIN_STORED_TABLES: u64 = 6;

/// Number of tables in addition to the stored tables: the next table, the parts of the table in progress, and the
/// tables of a group of steps.
const ADDITIONAL_TABLES: u64 = 4 + MAX_GROUP_STEPS as u64;

/// Divisor of the memory limit that gives the maximum number of bytes of the stored tables of a set.
const CEILING_PER_TABLES: u64 = 8;

/// Maximum number of bytes of the stored tables of a set, if there is no memory limit.
const MAX_STORED_BYTES_WITHOUT_CEILING: u64 = 1 << 30;

/// Returns the maximum number of bytes of the stored tables of a set under a limit of `memory` bytes for the whole
/// sweep. If all tables take more, some are dropped.
fn max_stored_bytes(memory: Option<u64>) -> u64 {
    memory.map_or(MAX_STORED_BYTES_WITHOUT_CEILING, |memory| memory / CEILING_PER_TABLES)
}

/// Maximum number of bytes by which the memory of a sweep grows because of roundings.
const ROUNDING_BYTES: u64 = 4 * CEILING_PER_TABLES;

/// The sizes of the tables of a sweep: of one set of tables, or of the sets of all phases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableSizes {
    /// Number of bytes of all tables.
    total: u64,
    /// Number of bytes of the largest table.
    largest: u64,
    /// Number of sets of tables.
    sets: u64,
}

impl TableSizes {
    /// Estimates the sizes of the tables of some steps from the plan alone. For boards of knights they are seldom
    /// larger.
    #[must_use]
    pub fn estimate(space: &SignatureSpace, steps: Range<usize>) -> Self {
        let rows = space.rows();
        let used =
            |step: &Step| 3u64.pow((step.occupied_slots as u32 >> rows.first_chunk_slot()).count_ones());
        let each = |step: &Step| {
            (rows.chunk_count() * size_of::<u32>()) as u64
                + used(step).min(ROWS_PER_ROOT * used(step).isqrt()) * size_of::<Row>() as u64
        };
        let all = space.plan().steps()[steps].iter().map(each);
        Self { total: all.clone().sum(), largest: all.max().unwrap_or(0), sets: 1 }
    }

    /// Returns the sizes of the sets of `self` and `other` together.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            total: self.total + other.total,
            largest: self.largest.max(other.largest),
            sets: self.sets + other.sets,
        }
    }

    /// Returns the estimated sizes of the tables of a shard, given those of the whole sweep. The tables of each phase
    /// are about as large as those of the whole sweep, but common steps have their own.
    #[must_use]
    pub const fn for_shard(self) -> Self {
        let sides = if self.sets > 1 { 2 } else { 1 };
        Self { total: self.total + self.total / sides * (sides - 1), ..self }
    }

    /// Returns the sizes with one more set, which shares its tables with a counted set until tables are dropped.
    #[must_use]
    pub const fn with_shared_set(self) -> Self {
        Self { sets: self.sets + 1, ..self }
    }

    /// Returns the maximum number of bytes of all tables that are in memory at a time, under a limit of `memory`
    /// bytes for the whole sweep.
    #[must_use]
    pub fn max_bytes(&self, memory: Option<u64>) -> u64 {
        let stored = max_stored_bytes(memory);
        if self.total <= stored {
            return self.total;
        }
        // The last table of a set may be stored in addition. One phase at a time needs the additional tables.
        let of_set = stored.max(MIN_STORED_TABLES * self.largest) + self.largest;
        self.total.min(self.sets * of_set + ADDITIONAL_TABLES * self.largest)
    }

    /// Returns the least memory limit in bytes, within a few bytes, from which on memory is sufficient.
    /// `needed(bytes)` is the memory of the whole sweep with tables of `bytes` bytes; it grows by little more than
    /// the tables. A higher limit may allow more tables, but each set of them takes an eighth of it at most.
    pub fn min_ceiling(&self, needed: impl Fn(u64) -> u64) -> u64 {
        let mut ceiling = 0;
        loop {
            let next = needed(self.max_bytes(Some(ceiling))).saturating_add(ROUNDING_BYTES);
            if next <= ceiling {
                return ceiling;
            }
            ceiling = next;
        }
    }
}

/// Estimated number of distinct rows, as a multiple of the square root of the number of all rows. Measured on 6x8 to
/// 9x9: 1 to 10.
const ROWS_PER_ROOT: u64 = 8;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::choice::{DigitChange, choices};
    use super::super::space::WORD_BITS;
    use super::*;
    use crate::frontier::planning::problem::Tours;

    fn space_of(rows: u16, cols: u16, tours: Tours) -> Arc<SignatureSpace> {
        Arc::new(SignatureSpace::for_lines(rows, cols, tours, true))
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
                    let fits = |c: &DigitChange| digit(number, usize::from(c.slot)) == usize::from(c.after);
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

    fn listed_signatures(table: &SignatureTable) -> BTreeSet<usize> {
        let bits = |word: u128| (0..WORD_BITS).filter(move |bit| word >> bit & 1 == 1);
        table.occupied_words().flat_map(|(n, word)| bits(word).map(move |bit| n * WORD_BITS + bit)).collect()
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
    fn sizes_are_those_of_the_tables() {
        let space = space_of(6, 5, Tours::Closed);
        let mut feasibility = Feasibility::new(&space, None, None, &Cancel::default()).unwrap();
        let bytes: Vec<u64> =
            (0..space.step_count()).map(|t| feasibility.table_after(t).unwrap().bytes()).collect();
        let (total, largest) = (bytes.iter().sum(), bytes.into_iter().max().unwrap());
        let sizes = TableSizes { total, largest, sets: 1 };
        assert_eq!(feasibility.sizes(), sizes);
        assert_eq!(sizes.max_bytes(None), sizes.total);
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
        assert!(tables.table_after(step).is_ok());
    }

    #[test]
    fn recomputed_tables_are_equal() {
        let space = space_of(8, 5, Tours::Paths);
        let mut all = Feasibility::new(&space, None, None, &Cancel::default()).unwrap();
        let mut few = Feasibility::new(&space, None, Some(0), &Cancel::default()).unwrap();
        assert_eq!(few.sizes(), all.sizes());
        assert!(few.tables.len() < space.step_count() / 3 * 2, "{}", few.tables.len());
        for t in 0..space.step_count() {
            assert_eq!(few.table_after(t), all.table_after(t));
            assert!(few.stored_bytes() <= few.sizes().max_bytes(Some(0)), "step {t}");
        }
    }

    #[test]
    fn tables_until_a_step_are_those_of_all_steps() {
        let space = space_of(5, 4, Tours::Paths);
        for memory in [None, Some(0)] {
            let mut all = Feasibility::new(&space, None, memory, &Cancel::default()).unwrap();
            let mut until = all.clone().until(11).unwrap();
            assert_eq!(until.tables.last_key_value().unwrap().0, &11);
            for t in 0..12 {
                assert_eq!(until.table_after(t), all.table_after(t));
            }
        }
    }

    #[test]
    fn min_ceiling_is_sufficient_and_minimal() {
        for (total, largest, sets) in
            [(40_000, 1000, 1), (60_000, 1000, 2), (3000, 1000, 1), (3_100_000, 70_000, 3), (0, 0, 1)]
        {
            let sizes = TableSizes { total, largest, sets };
            for other_bytes in [0, 10_000, 100_000, 1_000_000] {
                let needed = |tables: u64| (tables + other_bytes) / 20 * 21;
                let least = sizes.min_ceiling(needed);
                let has_room = |memory: u64| needed(sizes.max_bytes(Some(memory))) < memory;
                assert!((least..least + 100_000).all(has_room), "{sizes:?} {other_bytes}: {least}");
                assert!(!has_room(least.saturating_sub(100)), "{sizes:?} {other_bytes}: {least}");
            }
            // The result saturates.
            assert_eq!(sizes.min_ceiling(|_| u64::MAX), u64::MAX, "{sizes:?}");
        }
    }
}
