//! Permutations of the points of a block, and each thread's cache of their index tables.
//!
//! A mirror symmetry needs permutations to merge a block with its mirror image. Tables for blocks
//! of up to [`MAX_TABLE_POINTS`] points are built on first use and cached. Greater blocks are split
//! by the mates of one point or two.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;

use super::block_map::{BlockAdder, add_to_parts};
use super::kernel::{EntryLayout, IndexMap, Kernel, add_vectors};
use super::matching_map::{PointPair, part_range, part_range_of_two};
use super::matching_tables::{MAX_TABLE_POINTS, MapTables};
use super::weight::is_zero;
use crate::frontier::signature::key_hasher::KeyHasher;
use crate::frontier::signature::matching_rank::{MAX_ENDS, matching_count, matching_index};

thread_local! {
    /// Cache of this thread: the index tables of the permutations that the thread used.
    static PERMUTATION_CACHE: RefCell<PermutationCache> = RefCell::default();
}

/// Number of cached table entries at which a thread clears its cache (8 MB). Where the two halves
/// of a sweep are joined, many different permutations occur.
const MAX_CACHED_ENTRIES: usize = 1 << 22;

#[derive(Default)]
struct PermutationCache {
    tables: HashMap<u64, Vec<u16>, BuildHasherDefault<KeyHasher>>,
    /// Total number of entries of the cached tables.
    entries: usize,
}

impl PermutationCache {
    fn get_or_build(&mut self, from: &[u8]) -> &[u16] {
        if self.entries >= MAX_CACHED_ENTRIES {
            *self = Self::default();
        }
        let key = from.iter().fold(1, |key, &q| key << 4 | u64::from(q));
        self.tables.entry(key).or_insert_with(|| {
            self.entries += matching_count(from.len());
            permutation_table(from)
        })
    }
}

/// Greatest number of points of a part of a split block for which a cached table is used; greater
/// parts are split again. Parts have many different permutations, so tables for greater parts are
/// not worth caching.
const MAX_CACHED_PART_POINTS: usize = 8;

/// Adds the block `src`, with its points permuted, to the block `dst`. Returns the bitwise OR of
/// the sums. Point `p` of the target is point `from[p]` of the source. Both blocks have one weight
/// for each matching of `from.len()` points.
pub fn add_permuted<W: Kernel<W>>(
    tables: &MapTables,
    dst: &mut [W],
    src: &[W],
    layout: impl EntryLayout,
    from: &[u8],
) -> W {
    Adder { tables, layout, max_table_points: MAX_TABLE_POINTS }.add(dst, src, from)
}

/// Calls `use_table` with the table of the permutation `from` and returns the result of
/// `use_table`. The table gives the index of the source matching for every target matching. The
/// permutation has up to [`MAX_TABLE_POINTS`] points. The thread's cache is borrowed during the
/// call, so `use_table` must not call this function.
///
/// # Panics
/// If the permutation has more points.
pub fn with_permutation_table<R>(from: &[u8], use_table: impl FnOnce(&[u16]) -> R) -> R {
    assert!(from.len() <= MAX_TABLE_POINTS, "greater blocks are split");
    PERMUTATION_CACHE.with_borrow_mut(|maps| use_table(maps.get_or_build(from)))
}

/// Minimum number of points for splitting by two mates. Parts of smaller blocks are too short for tables.
const MIN_EXCHANGED_POINTS: usize = 12;

/// Adds permuted blocks, as [`add_permuted`] does. All methods return the bitwise OR of the sums.
#[derive(Clone, Copy)]
struct Adder<'a, L> {
    tables: &'a MapTables,
    layout: L,
    /// Blocks of more points are split.
    max_table_points: usize,
}

impl<L: EntryLayout> Adder<'_, L> {
    fn add<W: Kernel<W>>(self, dst: &mut [W], src: &[W], from: &[u8]) -> W {
        let (n, strides) = (from.len(), self.layout.strides());
        if from.iter().enumerate().all(|(p, &q)| p == usize::from(q)) {
            return add_vectors(dst, src, self.layout);
        }
        if n > self.max_table_points {
            return self.add_split(dst, src, from);
        }
        assert!(
            src.len() == matching_count(n) * strides.source
                && dst.len() == matching_count(n) * strides.target
        );
        // SAFETY: entries of a permutation table for n points are indices below SIZE[n].
        with_permutation_table(from, |map| unsafe { W::accumulate(dst, src, strides, IndexMap::Gather(map)) })
    }

    /// Adds a block that is too large for a table. It splits the blocks by the mate of target point 0 and
    /// recurses. If the permutation exchanges points 0 and 1, it splits them by the mates of both points.
    /// Otherwise it first moves the source point of target point 0 to the front. Source parts that are zero
    /// are skipped: early in a sweep most are.
    fn add_split<W: Kernel<W>>(self, dst: &mut [W], src: &[W], from: &[u8]) -> W {
        if is_zero(src) {
            return W::default();
        }
        let n = from.len();
        match from {
            [0, ..] => self.add_by_first_mate(dst, src, from),
            [1, 0, ..] if n >= MIN_EXCHANGED_POINTS => self.add_exchanged(dst, src, from),
            &[first, ..] => {
                let mut moved = vec![W::default(); src.len()];
                let points = PointPair::new(n, first.into(), 0);
                BlockAdder::new(self.tables, self.layout).add_moved(&mut moved, src, points);
                let mut after = [0; MAX_ENDS];
                for (to, &q) in after.iter_mut().zip(from) {
                    *to = if q == first { 0 } else { q + u8::from(q < first) };
                }
                self.add_by_first_mate(dst, &moved, &after[..n])
            }
            [] => unreachable!("a large block has points"),
        }
    }

    /// Adds a block whose point 0 stays in place.
    fn add_by_first_mate<W: Kernel<W>>(self, dst: &mut [W], src: &[W], from: &[u8]) -> W {
        let n = from.len();
        add_to_parts(dst, n, matching_count(n - 2) * self.layout.strides().target, |part, a| {
            self.add_part(part, src, part_range(n, from[a].into()), &without(from, [0, a])[..n - 2])
        })
    }

    /// Adds a block whose points 0 and 1 are exchanged.
    fn add_exchanged<W: Kernel<W>>(self, dst: &mut [W], src: &[W], from: &[u8]) -> W {
        let (n, target) = (from.len(), self.layout.strides().target);
        add_to_parts(dst, n, matching_count(n - 2) * target, |part, a| {
            let rest = without(from, [0, a]);
            let rest = &rest[..n - 2];
            if a == 1 {
                return self.add_part(part, src, part_range(n, 1), rest);
            }
            // Target point 0 is source point 1, and target point 1 is source point 0.
            let runs = part.chunks_exact_mut(matching_count(n - 4) * target);
            runs.zip((2..n).filter(|&c| c != a)).fold(W::default(), |seen, (run, c)| {
                let range = part_range_of_two(n, from[c].into(), from[a].into());
                let rest = without(rest, [0, c - 1 - usize::from(c > a)]);
                seen.bit_or(self.add_part(run, src, range, &rest[..n - 4]))
            })
        })
    }

    /// Adds the part `range` of the block `src` to a part of the target block. The bounds of the range are
    /// numbers of weights.
    fn add_part<W: Kernel<W>>(self, dst: &mut [W], src: &[W], range: Range<usize>, from: &[u8]) -> W {
        let stride = self.layout.strides().source;
        let src = &src[range.start * stride..range.end * stride];
        Self { max_table_points: MAX_CACHED_PART_POINTS, ..self }.add(dst, src, from)
    }
}

/// Returns the permutation `from` of the points other than the target points `left_out`, with both target
/// and source points numbered anew.
#[must_use]
pub fn without(from: &[u8], left_out: [usize; 2]) -> [u8; MAX_ENDS] {
    let mut rest = [0; MAX_ENDS];
    let images = left_out.map(|p| from[p]);
    let kept = from.iter().enumerate().filter(|&(p, _)| !left_out.contains(&p));
    for (to, (_, &q)) in rest.iter_mut().zip(kept) {
        *to = q - images.iter().map(|&image| u8::from(q > image)).sum::<u8>();
    }
    rest
}

/// Returns the table of the permutation `from`: the source index of every target matching. It
/// chooses the pairs of a target matching in the order in which [`rank`] numbers matchings, and
/// sets the corresponding pairs of the source.
///
/// [`rank`]: crate::frontier::signature::matching_rank
fn permutation_table(from: &[u8]) -> Vec<u16> {
    /// Appends to `table` the source index of every target matching whose chosen pairs are in `source`. It
    /// chooses each possible mate of the first target point in the set `free`, and recurses.
    fn push_completions(from: &[u8], free: u32, source: &mut [u8; MAX_TABLE_POINTS], table: &mut Vec<u16>) {
        if free == 0 {
            table.push(matching_index(&source[..from.len()]) as u16);
            return;
        }
        let (first, others) = (free.trailing_zeros(), free & (free - 1));
        let a = from[first as usize];
        let mut left = others;
        while left != 0 {
            let b = from[left.trailing_zeros() as usize];
            (source[usize::from(a)], source[usize::from(b)]) = (b, a);
            push_completions(from, others & !(left & left.wrapping_neg()), source, table);
            left &= left - 1;
        }
    }
    let mut table = Vec::with_capacity(matching_count(from.len()));
    push_completions(from, (1 << from.len()) - 1, &mut [0; MAX_TABLE_POINTS], &mut table);
    table
}

#[cfg(test)]
mod tests {
    use super::super::carry::LimbSum;
    use super::super::kernel::{SingleEntry, Strides};
    use super::*;
    use crate::frontier::signature::matching_rank::matching_from_index;

    fn numbers(len: usize) -> Vec<u32> {
        (0..len as u32).map(|x| x.wrapping_mul(2_654_435_761) >> 12).collect()
    }

    /// Checks [`add_permuted`] by single matchings, for all sizes of parts with tables.
    fn check_permuted(from: &[u8], src: &[u32]) {
        let (tables, n) = (MapTables::new(MAX_TABLE_POINTS), from.len());
        let permuted = |target| {
            let mut source = vec![0; n];
            for (p, &mate) in matching_from_index(n, target).iter().enumerate() {
                source[usize::from(from[p])] = from[usize::from(mate)];
            }
            src[matching_index(&source)] + 1
        };
        let expected: Vec<u32> = (0..matching_count(n)).map(permuted).collect();
        for most in [MAX_TABLE_POINTS, MAX_CACHED_PART_POINTS, 4] {
            let mut dst = vec![1; matching_count(n)];
            let adder = Adder { tables: &tables, layout: SingleEntry, max_table_points: most };
            let seen = adder.add(&mut dst, src, from);
            assert_eq!(dst, expected, "{from:?}");
            let all = dst.iter().fold(0, |seen, w| seen | w);
            assert!(seen & !all == 0 && seen | 1 == all | 1, "{from:?}: {seen} {all}");
        }
    }

    #[test]
    fn add_permuted_agrees_with_single_matchings() {
        let permutations: [&[u8]; 10] = [
            &[1, 0],
            &[2, 0, 3, 1],
            &[0, 7, 2, 5, 4, 3, 6, 1],
            &[3, 2, 5, 0, 7, 1, 4, 6, 9, 8],
            &[0, 1, 2, 3, 4, 5, 6, 9, 8, 7],
            &[3, 2, 5, 0, 7, 1, 4, 6, 9, 8, 11, 10],
            &[0, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
            // Points 0 and 1 are exchanged, or stay.
            &[1, 0, 3, 2, 4, 5, 7, 6, 9, 8, 11, 10],
            &[1, 0, 11, 2, 3, 10, 5, 7, 6, 9, 8, 4],
            &[0, 1, 3, 2, 4, 6, 5, 7, 8, 10, 9, 11],
        ];
        for from in permutations {
            let src = numbers(matching_count(from.len()));
            check_permuted(from, &src);
            // Most parts are zero.
            let sparse: Vec<u32> =
                src.iter().enumerate().map(|(k, &w)| if k % 97 == 5 { w } else { 0 }).collect();
            check_permuted(from, &sparse);
        }
        check_permuted(&[1, 0, 2, 4, 3, 5, 6, 8, 7, 9, 10, 12, 11, 13], &numbers(matching_count(14)));
    }

    #[test]
    fn add_permuted_agrees_for_weights_of_several_entries() {
        let (tables, len) = (MapTables::new(MAX_TABLE_POINTS), matching_count(12));
        for from in [[1, 0, 2, 4, 3, 5, 6, 7, 9, 8, 11, 10], [0, 2, 1, 3, 4, 5, 6, 8, 7, 9, 10, 11]] {
            let halves = [numbers(len), numbers(2 * len).split_off(len)];
            let expected = halves.clone().map(|half| {
                let mut dst = vec![0; len];
                add_permuted(&tables, &mut dst, &half, SingleEntry, &from);
                dst
            });
            let joined = |halves: &[Vec<u32>; 2]| -> Vec<LimbSum> {
                halves[0]
                    .iter()
                    .zip(&halves[1])
                    .flat_map(|(&a, &b)| [a, b, b, a].map(|w| LimbSum(w.into())))
                    .collect()
            };
            let mut dst = vec![LimbSum::default(); 4 * len];
            add_permuted(&tables, &mut dst, &joined(&halves), Strides { target: 4, source: 4 }, &from);
            assert!(dst == joined(&expected), "{from:?}");
        }
    }

    #[test]
    fn without_renumbers_points() {
        assert_eq!(without(&[2, 0, 3, 1], [0, 2])[..2], [0, 1]);
        assert_eq!(without(&[1, 0, 4, 2, 3, 5], [0, 3])[..4], [0, 2, 1, 3]);
    }
}
