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
//! from the last to the first but needed from the first to the last; every
//! k-th is kept, and the others are made again k at a time. Kept tables of about
//! 2 sqrt(steps) steps are then enough.

use std::sync::Arc;

use rayon::prelude::*;

use super::plan::Plan;
use super::signature::{BITS_WITH_ENDS, Moves, Side, Words};

/// Bytes of tables up to which all are kept.
const KEEP_ALL: usize = 128 << 20;

/// Feasible signatures after every step.
#[derive(Debug)]
pub struct Feasibility {
    /// Table after step `t` at place `t`, if present.
    tables: Vec<Option<Arc<Vec<u128>>>>,
}

impl Feasibility {
    /// Makes the tables. `shorter` says after which steps a finished tour of a shorter board is kept.
    /// Cost O(steps x choices x 3^slots / 81).
    #[must_use]
    pub fn new(plan: &Plan, words: &Words, shorter: &[usize]) -> Self {
        let len = plan.steps().len();
        let bytes = words.len() * size_of::<u128>();
        let every = if len * bytes <= KEEP_ALL { 1 } else { (len as f64).sqrt().ceil() as usize };
        let mut tables = Self { tables: vec![None; len] };
        let mut last = vec![0; words.len()];
        last[0] = 1;
        tables.tables[len - 1] = Some(Arc::new(last));
        for t in (0..len - 1).rev() {
            tables.tables[t] = Some(Arc::new(before(plan, words, shorter, t, tables.at(t + 1))));
            if (t + 1) % every != 0 && t + 1 < len - 1 {
                tables.tables[t + 1] = None;
            }
        }
        tables
    }

    /// The table after step `t`; tables of earlier steps are dropped.
    pub fn after(&mut self, plan: &Plan, words: &Words, shorter: &[usize], t: usize) -> Arc<Vec<u128>> {
        self.tables[..t].fill(None);
        if self.tables[t].is_none() {
            let kept = (t..).find(|&k| self.tables[k].is_some()).expect("the last table is kept");
            for k in (t..kept).rev() {
                self.tables[k] = Some(Arc::new(before(plan, words, shorter, k, self.at(k + 1))));
            }
        }
        Arc::clone(self.tables[t].as_ref().expect("the table is present"))
    }

    /// Bytes held at most.
    #[must_use]
    pub fn bytes(plan: &Plan, words: &Words) -> u64 {
        let (len, bytes) = (plan.steps().len() as u64, (words.len() * size_of::<u128>()) as u64);
        if len * bytes <= KEEP_ALL as u64 {
            len * bytes
        } else {
            2 * (len as f64).sqrt().ceil() as u64 * bytes
        }
    }

    fn at(&self, t: usize) -> &[u128] {
        self.tables[t].as_ref().expect("the table is present")
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
