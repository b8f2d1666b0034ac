//! Arbitrary permutations of the points of a block, as a mirror symmetry needs them to merge a block with its
//! image.
//!
//! Tables of up to [`MAX_TABLE_POINTS`] points are built on first use and cached in each thread. Greater
//! blocks are split by the mate of point 0.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use crate::frontier::block::effects::add_moved;
use crate::frontier::block::kernel::{Grain, Index, Kernel, add};
use crate::frontier::block::tables::{Places, TABLED, Tables};
use crate::frontier::state::matching::{MOST, index_of, size};
use crate::frontier::state::mixer::Mixer;

thread_local! {
    /// Index maps by permutation, built on first use.
    static MAPS: RefCell<Maps> = RefCell::default();
}

/// Greatest number of map entries that a thread caches (8 MB). Where the two halves of a sweep are joined,
/// many different permutations occur.
const MOST_ENTRIES: usize = 1 << 22;

#[derive(Default)]
struct Maps {
    of: HashMap<u64, Vec<u16>, BuildHasherDefault<Mixer>>,
    /// Number of entries of all tables.
    entries: usize,
}

impl Maps {
    fn get(&mut self, from: &[u8]) -> &[u16] {
        if self.entries >= MOST_ENTRIES {
            *self = Self::default();
        }
        let key = from.iter().fold(1, |key, &q| key << 4 | u64::from(q));
        self.of.entry(key).or_insert_with(|| {
            self.entries += size(from.len());
            permutation_table(from)
        })
    }
}

/// Greatest number of points whose maps are cached for the parts of greater blocks: these have many
/// permutations.
const KEPT: usize = 8;

/// Adds `src` with permuted points to `dst`; returns the OR of the sums. The point at position `p` of the
/// target is the one at position `from[p]` of the source. Both blocks have `SIZE[n]` weights, `n =
/// from.len()`.
pub fn add_permuted<W: Kernel<W>>(
    tables: &Tables,
    dst: &mut [W],
    src: &[W],
    strides: impl Grain,
    from: &[u8],
) -> W {
    add_permuted_by(tables, dst, src, strides, from, TABLED)
}

/// Computes [`add_permuted`] with tables of up to `most` points.
fn add_permuted_by<W: Kernel<W>>(
    tables: &Tables,
    dst: &mut [W],
    src: &[W],
    strides: impl Grain,
    from: &[u8],
    most: usize,
) -> W {
    let n = from.len();
    if from.iter().enumerate().all(|(p, &q)| p == usize::from(q)) {
        return add(dst, src, strides);
    }
    if n > most {
        return add_permuted_apart(tables, dst, src, strides, from);
    }
    assert!(src.len() == size(n) * strides.strides().from && dst.len() == size(n) * strides.strides().to);
    // SAFETY: entries of a permutation table for n points are indices below SIZE[n].
    permuted(from, |map| unsafe { W::accumulate(dst, src, strides.strides(), Index::From(map)) })
}

/// Calls `use_table` with the table of a permutation of up to [`MAX_TABLE_POINTS`] points: for every target
/// matching, the index of the source matching. The thread's cache is borrowed during the call, so `use_table`
/// must not use permutations itself.
pub fn permuted<R>(from: &[u8], hand_on: impl FnOnce(&[u16]) -> R) -> R {
    MAPS.with_borrow_mut(|maps| hand_on(maps.get(from)))
}

/// Computes [`add_permuted`] block by block: the mate of target point 0 is first moved to point 0 of the
/// source.
fn add_permuted_apart<W: Kernel<W>>(
    tables: &Tables,
    dst: &mut [W],
    src: &[W],
    strides: impl Grain,
    from: &[u8],
) -> W {
    let (n, first) = (from.len(), usize::from(from[0]));
    let mut moved = Vec::new();
    let src = if first == 0 {
        src
    } else {
        moved.resize(src.len(), W::default());
        add_moved(tables, &mut moved, src, strides, Places::new(n, first, 0));
        &moved
    };
    let there = |p: usize| {
        let q = usize::from(from[p]);
        if q == first { 0 } else { q + usize::from(q < first) }
    };
    let (len, from_len) = (size(n - 2) * strides.strides().to, size(n - 2) * strides.strides().from);
    let mut seen = W::default();
    for (block, a) in dst.chunks_exact_mut(len).zip(1..n) {
        let b = there(a);
        let mut rest = [0; MOST];
        for p in (1..n).filter(|&p| p != a) {
            let q = there(p);
            rest[p - 1 - usize::from(p > a)] = (q - 1 - usize::from(q > b)) as u8;
        }
        let source = &src[(b - 1) * from_len..b * from_len];
        seen = seen.or(add_permuted_by(tables, block, source, strides, &rest[..n - 2], KEPT));
    }
    seen
}

/// Returns the source index of every target index. It chooses the pairs of a target matching in the order in
/// which [`rank`] numbers matchings, and sets the corresponding pairs of the source.
///
/// [`rank`]: crate::frontier::matching::rank
fn permutation_table(from: &[u8]) -> Vec<u16> {
    /// Chooses each possible mate of the first target point that is `free`, and recurses.
    fn pair(from: &[u8], free: u32, source: &mut [u8; TABLED], table: &mut Vec<u16>) {
        if free == 0 {
            table.push(index_of(&source[..from.len()]) as u16);
            return;
        }
        let (first, others) = (free.trailing_zeros(), free & (free - 1));
        let a = from[first as usize];
        let mut left = others;
        while left != 0 {
            let b = from[left.trailing_zeros() as usize];
            (source[usize::from(a)], source[usize::from(b)]) = (b, a);
            pair(from, others & !(left & left.wrapping_neg()), source, table);
            left &= left - 1;
        }
    }
    let mut table = Vec::with_capacity(size(from.len()));
    pair(from, (1 << from.len()) - 1, &mut [0; TABLED], &mut table);
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::block::kernel::One;
    use crate::frontier::state::matching::matching_at;

    fn numbers(len: usize) -> Vec<u32> {
        (0..len as u32).map(|x| x.wrapping_mul(2_654_435_761) >> 12).collect()
    }

    #[test]
    fn blocks_are_permuted_as_matchings_are() {
        let tables = Tables::new(TABLED);
        let permutations: [&[u8]; 7] = [
            &[1, 0],
            &[2, 0, 3, 1],
            &[0, 7, 2, 5, 4, 3, 6, 1],
            &[3, 2, 5, 0, 7, 1, 4, 6, 9, 8],
            &[0, 1, 2, 3, 4, 5, 6, 9, 8, 7],
            &[3, 2, 5, 0, 7, 1, 4, 6, 9, 8, 11, 10],
            &[0, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
        ];
        for from in permutations {
            let n = from.len();
            let src = numbers(size(n));
            let permuted = |target| {
                let mut source = vec![0; n];
                for (p, &mate) in matching_at(n, target).iter().enumerate() {
                    source[usize::from(from[p])] = from[usize::from(mate)];
                }
                src[index_of(&source)] + 1
            };
            let expected: Vec<u32> = (0..size(n)).map(permuted).collect();
            for most in [TABLED, KEPT, 4] {
                let mut dst = vec![1; size(n)];
                let seen = add_permuted_by(&tables, &mut dst, &src, One, from, most);
                assert_eq!(dst, expected, "{from:?}");
                assert_eq!(seen, dst.iter().fold(0, |seen, w| seen | w), "{from:?}");
            }
        }
    }
}
