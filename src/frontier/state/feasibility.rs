//! Exact degree feasibility: which signatures can still be completed.
//!
//! Forget who is whose mate and keep the degrees. Backwards from the end, a
//! signature is feasible if some choice of the next step leads to a feasible one:
//!
//! ```text
//! feasible(n) = { all slots empty }
//! feasible(t) = union over the choices of step t of  shifted feasible(t + 1)
//! ```
//!
//! A signature without any end holds only closed cycles. It is feasible only if
//! it is the finished tour (nothing ahead but inner squares) or, when a whole
//! family of boards is swept, the finished tour of a shorter board.
//!
//! A table is one bit a signature, `3^slots` of them, and a step works on 81
//! bits at once: for 16 slots 8.5 MB and a few milliseconds. The tables are made
//! from the last to the first but needed from the first to the last. As many as
//! there is room for are kept, evenly spaced, and those between two of them are made
//! again in the same way, in what room is left: with `k` tables kept, every table is
//! made about `log n / log k` times.

use std::sync::Arc;

use rayon::prelude::*;

use crate::frontier::problem::plan::Plan;
use crate::frontier::state::cut::Filter;
use crate::frontier::state::signature::{BITS_WITH_ENDS, Moves, Side, Words};

/// Bytes of tables up to which all are kept.
const KEEP_ALL: u64 = 128 << 20;

/// Fewest tables that are kept.
const FEWEST: usize = 6;

/// Feasible signatures after every step.
#[derive(Debug)]
pub struct Feasibility {
    /// Table after step `t` at place `t`, if present.
    tables: Vec<Option<Arc<Vec<u128>>>>,
    /// Most tables that are kept.
    room: usize,
    filter: Option<Filter>,
}

impl Feasibility {
    /// Makes the tables and keeps [`Self::room`] of them. `shorter` says after which steps a finished tour of
    /// a shorter board is kept, `filter` which signatures do not count.
    /// Cost O(steps x choices x 3^slots / 81).
    #[must_use]
    pub fn new(
        plan: &Plan,
        words: &Words,
        shorter: &[usize],
        filter: Option<Filter>,
        memory: Option<u64>,
    ) -> Self {
        let len = plan.steps().len();
        let mut last = vec![0; words.len()];
        last[0] = 1;
        let mut tables = vec![None; len];
        tables[len - 1] = Some(Arc::new(last));
        let mut feasibility = Self { tables, room: Self::room(plan, words, memory), filter };
        feasibility.make(plan, words, shorter, 0);
        feasibility
    }

    /// The table after step `t`; tables of earlier steps are dropped.
    pub fn after(&mut self, plan: &Plan, words: &Words, shorter: &[usize], t: usize) -> Arc<Vec<u128>> {
        self.tables[..t].fill(None);
        self.make(plan, words, shorter, t);
        Arc::clone(self.tables[t].as_ref().expect("the table was made"))
    }

    /// Makes the table after step `t` if it is not there, and others on the way.
    fn make(&mut self, plan: &Plan, words: &Words, shorter: &[usize], t: usize) {
        let kept = (t..).find(|&k| self.tables[k].is_some()).expect("the last table is kept");
        // One of the free places is for the table asked for, one for the table at work.
        let free = self.room.saturating_sub(self.tables.iter().flatten().count() + 1);
        let every = (kept - t).div_ceil(free.max(1)).max(1);
        for k in (t..kept).rev() {
            let table = self.before(plan, words, shorter, k);
            self.tables[k] = Some(Arc::new(table));
            let above = k + 1;
            if above < kept && (kept - above) % every != 0 {
                self.tables[above] = None;
            }
        }
    }

    /// Most tables that are kept if `memory` bytes are the ceiling for everything.
    #[must_use]
    pub fn room(plan: &Plan, words: &Words, memory: Option<u64>) -> usize {
        let (len, bytes) = (plan.steps().len(), words.len() as u64 * size_of::<u128>() as u64);
        let wanted = if len as u64 * bytes <= KEEP_ALL { len } else { 2 * len.isqrt() };
        let most = memory.map_or(usize::MAX, |memory| (memory / 8 / bytes) as usize);
        // The last table and the one asked for are always there, and one is at work.
        wanted.min(most.max(FEWEST)) + 2
    }

    /// Bytes held at most.
    #[must_use]
    pub fn bytes(plan: &Plan, words: &Words, memory: Option<u64>) -> u64 {
        (Self::room(plan, words, memory) * words.len() * size_of::<u128>()) as u64
    }

    /// The table after step `t` from the one after step `t + 1`.
    fn before(&self, plan: &Plan, words: &Words, shorter: &[usize], t: usize) -> Vec<u128> {
        let next = self.tables[t + 1].as_ref().expect("the table is present");
        let mut table = before(plan, words, shorter, t, next);
        if let Some(filter) = self.filter.as_ref().filter(|filter| filter.step == t) {
            let chunks = table.par_chunks_mut(words.chunk_len()).enumerate();
            chunks.for_each(|(high, chunk)| filter.apply(words, high, chunk));
        }
        table
    }
}

/// The table after step `t` from the one after step `t + 1`.
fn before(plan: &Plan, words: &Words, shorter: &[usize], t: usize, next: &[u128]) -> Vec<u128> {
    let occupied = plan.steps()[t].occupied as u32;
    let moves = Moves::new(words, &plan.steps()[t + 1], Side::Source);
    let (used_high, used_low) = words.tables(|slot, digit| u32::from(digit > 0) << slot);
    let chunk_len = words.chunk_len();
    let mut table = vec![0u128; words.len()];
    table.par_chunks_mut(chunk_len).enumerate().for_each(|(high, chunk)| {
        if used_high[high] & !occupied != 0 {
            return;
        }
        for (low, word) in chunk.iter_mut().enumerate() {
            if used_low[low] & !occupied != 0 {
                continue;
            }
            let mut bits = 0;
            for m in moves.of(high, low) {
                let other = (high as i32 + m.high) as usize * chunk_len + (low as i32 + m.low) as usize;
                bits |= m.pull(next[other]);
            }
            if words.outer_ends(high, low) == 0 {
                bits &= !BITS_WITH_ENDS[0];
            }
            *word = bits;
        }
    });
    for (word, bit) in finished(plan, words, shorter, t) {
        table[word] |= 1 << bit;
    }
    table
}

/// The signatures without ends that are finished tours after step `t`, as (word, bit).
#[must_use]
pub fn finished(plan: &Plan, words: &Words, shorter: &[usize], t: usize) -> Vec<(usize, u32)> {
    let inner = plan.all_finished(t, shorter);
    inner.iter().map(|set| words.locate(|slot| 2 * (set >> slot & 1) as u32)).collect()
}
