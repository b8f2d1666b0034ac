//! Sums of a block and another block, which a [`MatchingMap`] maps.
//!
//! For blocks of up to [`MAX_TABLE_POINTS`] points the index maps are tables of 16-bit numbers:
//! some 500 kB in all, which fit the second-level cache. Greater blocks are split by the mate of
//! point 0 into contiguous sub-blocks of `n - 2` points. This recursion needs no tables and costs
//! the same per weight. Blocks of 16 points and more are divided among idle threads.

use rayon::prelude::*;

use super::kernel::{EntryLayout, Kernel};
use super::matching_map::{
    MatchingMap, PointPair, created_part, for_each_moved_part, moved_part, part_range, part_range_of_two,
    part_with,
};
use super::matching_tables::{MAX_TABLE_POINTS, MapTables};
use super::source_block::SourceBlock;
use super::weight::Element;
use crate::frontier::signature::matching_rank::matching_count;

/// Minimum number of points of a block that is divided among threads: each part has 135,135 weights, which take a
/// tenth of a millisecond. It is less in tests.
const MIN_DIVIDED_POINTS: usize = if cfg!(test) { 12 } else { 16 };

/// Minimum number of weights of a block that is divided among threads.
pub const MIN_DIVIDED_WEIGHTS: usize = matching_count(MIN_DIVIDED_POINTS);

/// Splits the block `dst` of `n` points by the mate of point 0, into parts of `part_len` entries. Calls
/// `add` with each part and this mate; if the block is great, on all idle threads. Returns the bitwise OR
/// of the results.
#[inline(always)]
pub fn add_to_parts<T: Element>(
    dst: &mut [T],
    n: usize,
    part_len: usize,
    add: impl Fn(&mut [T], usize) -> T + Send + Sync,
) -> T {
    debug_assert_eq!(dst.len(), part_len * (n - 1));
    if n >= MIN_DIVIDED_POINTS {
        return add_in_parallel(dst, part_len, &|part, k| add(part, k + 1));
    }
    let parts = dst.chunks_exact_mut(part_len).zip(1..n);
    parts.fold(T::default(), |seen, (part, a)| seen.bit_or(add(part, a)))
}

/// Calls `add` on all idle threads with each part of `part_len` entries of `dst`, of which the last can be
/// shorter, and its number. Returns the bitwise OR of the results. The type of `add` is erased, as each type
/// of a parallel loop is another copy of it in the program.
#[inline(never)]
fn add_in_parallel<T: Element>(
    dst: &mut [T],
    part_len: usize,
    add: &(dyn Fn(&mut [T], usize) -> T + Sync),
) -> T {
    let parts = dst.par_chunks_mut(part_len).enumerate();
    parts.map(|(k, part)| add(part, k)).reduce(T::default, T::bit_or)
}

/// Adds mapped blocks to other blocks. Each method adds a block `src` to a block `dst`, and returns the
/// bitwise OR of the sums that it stored. The size of a block is its number of weights. The methods panic if
/// a block does not have the size that the map requires.
#[derive(Clone, Copy)]
pub struct BlockAdder<'a, L> {
    /// The index maps.
    pub tables: &'a MapTables,
    /// The number of entries of a weight.
    pub layout: L,
}

impl<'a, L: EntryLayout> BlockAdder<'a, L> {
    /// Returns an adder that uses the index maps `tables`, for weights with the layout `layout`.
    #[inline(always)]
    #[must_use]
    pub const fn new(tables: &'a MapTables, layout: L) -> Self {
        Self { tables, layout }
    }

    /// Adds a block that is mapped by `map`.
    #[inline]
    pub fn add_mapped<S: SourceBlock<T>, T: Kernel<T>>(self, dst: &mut [T], src: S, map: MatchingMap) -> T {
        match map {
            MatchingMap::Identity => self.add_unchanged(dst, src),
            MatchingMap::Move(points) => self.add_moved(dst, src, points),
            MatchingMap::Contract(points) => self.add_contracted(dst, src, points),
            MatchingMap::Create(points) => self.add_created(dst, src, points),
        }
    }

    /// Adds a block without a map.
    #[inline(always)]
    fn add_unchanged<S: SourceBlock<T>, T: Kernel<T>>(self, dst: &mut [T], src: S) -> T {
        let layout = self.layout;
        let target = layout.strides().target;
        if dst.len() < MIN_DIVIDED_WEIGHTS * target {
            return src.add(dst, layout);
        }
        let len = matching_count(MIN_DIVIDED_POINTS - 2);
        add_in_parallel(dst, len * target, &|part, k| {
            src.subrange(layout, k * len..k * len + part.len() / target).add(part, layout)
        })
    }

    /// Adds a block that is mapped by [`MatchingMap::Move`]. Both blocks have one weight for each matching of
    /// `points.n` points.
    #[inline]
    pub fn add_moved<S: SourceBlock<T>, T: Kernel<T>>(self, dst: &mut [T], src: S, points: PointPair) -> T {
        if src.is_known_zero() {
            T::default()
        } else if points.i == points.j {
            self.add_unchanged(dst, src)
        } else if usize::from(points.n)
            <= if points.i.min(points.j) > 0 { src.max_table_points() } else { MAX_TABLE_POINTS }
        {
            src.add_by_table(self.tables, dst, self.layout, MatchingMap::Move(points))
        } else {
            self.add_moved_recursive(dst, src, points)
        }
    }

    /// Computes [`Self::add_moved`] for a block that is too large for the tables: splits the block by the
    /// mate of point 0 and recurses.
    #[inline(never)]
    fn add_moved_recursive<S: SourceBlock<T>, T: Kernel<T>>(
        self,
        dst: &mut [T],
        src: S,
        points: PointPair,
    ) -> T {
        let (n, i, j) = points.to_indices();
        // A move from or to position 0 is one from or to position 1, and an exchange of points 0 and 1.
        if i == 0 || j == 0 {
            let mut scratch = vec![T::default(); dst.len()];
            let within_target = BlockAdder::new(self.tables, self.layout.within_target());
            return if i == 0 {
                let seen = self.add_swapped(&mut scratch, src, n);
                seen.bit_or(within_target.add_moved(dst, scratch.as_slice(), PointPair::new(n, 1, j)))
            } else {
                let seen = self.add_moved(&mut scratch, src, PointPair::new(n, i, 1));
                seen.bit_or(within_target.add_swapped(dst, scratch.as_slice(), n))
            };
        }
        add_to_parts(dst, n, self.part_entries(n), |block, a| {
            let (from, map) = moved_part(points, a);
            let part = src.subrange(self.layout, part_range(n, from));
            match map {
                MatchingMap::Move(points) => self.add_moved(block, part, points),
                _ => self.add_unchanged(block, part),
            }
        })
    }

    /// Adds a block of `n` points with points 0 and 1 exchanged. Only the two leading digits of a matching's
    /// index change.
    fn add_swapped<S: SourceBlock<T>, T: Kernel<T>>(self, dst: &mut [T], src: S, n: usize) -> T {
        let layout = self.layout;
        let run = self.part_entries(n - 2);
        add_to_parts(dst, n, self.part_entries(n), |block, b| {
            // If points 0 and 1 are mates, they stay mates.
            if b == 1 {
                return src.subrange(layout, part_range(n, 1)).add(block, layout);
            }
            let mut seen = T::default();
            for (to, a) in block.chunks_exact_mut(run).zip((2..n).filter(|&a| a != b)) {
                let part = src.subrange(layout, part_range_of_two(n, a, b));
                if !part.is_known_zero() {
                    seen = seen.bit_or(part.add(to, layout));
                }
            }
            seen
        })
    }

    /// Adds a block that is mapped by [`MatchingMap::Contract`]. `src` has one weight for each matching of
    /// `points.n` points, and `dst` has one weight for each matching of `points.n - 2` points.
    #[inline]
    pub fn add_contracted<S: SourceBlock<T>, T: Kernel<T>>(
        self,
        dst: &mut [T],
        src: S,
        points: PointPair,
    ) -> T {
        let n = usize::from(points.n);
        debug_assert!(points.i < points.j && points.j < points.n);
        if src.is_known_zero() {
            T::default()
        } else if n == 2 {
            src.add(dst, self.layout)
        } else if n <= src.max_table_points() {
            src.add_by_table(self.tables, dst, self.layout, MatchingMap::Contract(points))
        } else {
            self.add_contracted_recursive(dst, src, points)
        }
    }

    /// Computes [`Self::add_contracted`] for a block that is too large for the tables: splits the block by
    /// the mate of point 0 and recurses.
    #[inline(never)]
    fn add_contracted_recursive<S: SourceBlock<T>, T: Kernel<T>>(
        self,
        dst: &mut [T],
        src: S,
        points: PointPair,
    ) -> T {
        let n = usize::from(points.n);
        debug_assert_eq!(src.weight_count(self.layout), matching_count(n));
        let part = |a: usize| src.subrange(self.layout, part_range(n, a));
        let mut seen = T::default();
        for_each_moved_part(points, |a, points| {
            seen = seen.bit_or(self.add_moved(dst, part(a), points));
        });
        if points.i == 0 {
            return seen;
        }
        seen.bit_or(add_to_parts(dst, n - 2, self.part_entries(n - 2), |block, mate| {
            let (a, points) = part_with(points, mate);
            self.add_contracted(block, part(a), points)
        }))
    }

    /// Adds a block that is mapped by [`MatchingMap::Create`]. `src` has one weight for each matching of
    /// `points.n - 2` points, and `dst` has one weight for each matching of `points.n` points.
    #[inline]
    fn add_created<S: SourceBlock<T>, T: Kernel<T>>(self, dst: &mut [T], src: S, points: PointPair) -> T {
        let (n, i, j) = points.to_indices();
        debug_assert!(i < j && j < n);
        if src.is_known_zero() {
            T::default()
        } else if i == 0 {
            let len = self.part_entries(n);
            src.add(&mut dst[(j - 1) * len..j * len], self.layout)
        } else if n <= MAX_TABLE_POINTS {
            src.add_by_table(self.tables, dst, self.layout, MatchingMap::Create(points))
        } else {
            self.add_created_recursive(dst, src, points)
        }
    }

    /// Computes [`Self::add_created`] for a block that is too large for the tables: splits the block by the
    /// mate of point 0 and recurses.
    #[inline(never)]
    fn add_created_recursive<S: SourceBlock<T>, T: Kernel<T>>(
        self,
        dst: &mut [T],
        src: S,
        points: PointPair,
    ) -> T {
        let n = usize::from(points.n);
        add_to_parts(dst, n, self.part_entries(n), |block, a| match created_part(points, a) {
            None => T::default(),
            Some((mate, rest)) => {
                let part = src.subrange(self.layout, part_range(n - 2, mate));
                self.add_created(block, part, rest)
            }
        })
    }

    /// Returns the number of entries of a part of a target block of `n` points: its matchings with one mate
    /// of point 0.
    #[inline(always)]
    fn part_entries(self, n: usize) -> usize {
        matching_count(n - 2) * self.layout.strides().target
    }
}

#[cfg(test)]
mod tests {
    use super::super::kernel::SingleEntry;
    use super::super::sparse_vec::sparse_from_slabs;
    use super::super::weight::Weight;
    use super::*;
    use crate::frontier::signature::matching_rank::{matching_from_index, matching_index};

    /// Returns the matching `mates` with the point at position `i` moved to position `j`. The tests
    /// compare the maps of blocks with it.
    fn naive_move(mates: &[u8], i: usize, j: usize) -> Vec<u8> {
        let mut order: Vec<usize> = (0..mates.len()).filter(|&p| p != i).collect();
        order.insert(j, i);
        let place = |p: u8| order.iter().position(|&q| q == usize::from(p)).unwrap() as u8;
        order.iter().map(|&p| place(mates[p])).collect()
    }

    fn naive_contract(mates: &[u8], i: usize, j: usize) -> Option<Vec<u8>> {
        let mut mates = mates.to_vec();
        if usize::from(mates[i]) == j {
            return None;
        }
        let (a, b) = (mates[i], mates[j]);
        (mates[usize::from(a)], mates[usize::from(b)]) = (b, a);
        let unpaired: Vec<usize> = (0..mates.len()).filter(|&p| p != i && p != j).collect();
        let place = |p: u8| unpaired.iter().position(|&q| q == usize::from(p)).unwrap() as u8;
        Some(unpaired.iter().map(|&p| place(mates[p])).collect())
    }

    fn numbers(len: usize) -> Vec<u32> {
        (0..len as u32).map(|x| x.wrapping_mul(2_654_435_761) >> 12).collect()
    }

    #[test]
    fn add_moved_and_contracted_agree_with_single_matchings() {
        let tables = MapTables::new(MAX_TABLE_POINTS);
        let adder = BlockAdder::new(&tables, SingleEntry);
        for n in [2, 4, 6, 8, 10, 12, 14] {
            let src = numbers(matching_count(n));
            let matchings: Vec<Vec<u8>> = (0..src.len()).map(|r| matching_from_index(n, r)).collect();
            for i in 0..n {
                // Few pairs of the largest blocks, which are divided among threads.
                for j in (0..n).filter(|j| n < 14 || i * j % 4 == 3) {
                    let points = PointPair::new(n, i, j);
                    let (mut fast, mut slow) = (vec![0u64; matching_count(n)], vec![0u64; matching_count(n)]);
                    adder.add_moved(&mut fast, src.as_slice(), points);
                    let (mut fast2, mut slow2) =
                        (vec![0u64; matching_count(n - 2)], vec![0u64; matching_count(n - 2)]);
                    if i < j && n > 2 {
                        adder.add_contracted(&mut fast2, src.as_slice(), points);
                    }
                    for (mates, &w) in matchings.iter().zip(&src) {
                        slow[matching_index(&naive_move(mates, i, j))] += u64::from(w);
                        if i < j
                            && n > 2
                            && let Some(m) = naive_contract(mates, i, j)
                        {
                            slow2[matching_index(&m)] += u64::from(w);
                        }
                    }
                    assert_eq!(fast, slow, "move {n} {i} {j}");
                    assert_eq!(fast2, slow2, "contract {n} {i} {j}");
                }
            }
        }
    }

    /// Checks that `dense`, and the same weights stored without zeros, have equal sums with a
    /// target block of `len` nonzero weights.
    fn check_dense_and_sparse<T: Weight + From<u32> + Kernel<u32> + Kernel<T>>(
        tables: &MapTables,
        dense: &[u32],
        change: MatchingMap,
        len: usize,
    ) {
        let packed = sparse_from_slabs(&dense.to_vec().into());
        let (mut plain, mut thin) = (vec![T::from(3u32); len], vec![T::from(3u32); len]);
        let adder = BlockAdder::new(tables, SingleEntry);
        let of_plain = adder.add_mapped(&mut plain, dense, change);
        let of_thin = adder.add_mapped(&mut thin, packed.range(0..dense.len()).as_slice(), change);
        assert_eq!(plain, thin, "{change:?}");
        // The intermediate sums differ, but their greatest bit length does not.
        assert_eq!(of_plain.bit_length().max(2), of_thin.bit_length().max(2), "{change:?}");
    }

    #[test]
    fn add_mapped_agrees_for_sparse_sources() {
        let tables = MapTables::new(MAX_TABLE_POINTS);
        let check = |dense: &[u32], change: MatchingMap, n: usize| {
            check_dense_and_sparse::<u32>(&tables, dense, change, matching_count(n));
            check_dense_and_sparse::<u64>(&tables, dense, change, matching_count(n));
            check_dense_and_sparse::<u128>(&tables, dense, change, matching_count(n));
        };
        for n in [2, 4, 6, 8, 10, 12] {
            for every in [1, 2, 3, 13] {
                let sparse = |len: usize| -> Vec<u32> {
                    (0..len as u32)
                        .map(|x| if x % every == 0 { x.wrapping_mul(2_654_435_761) >> 9 } else { 0 })
                        .collect()
                };
                let (src, fewer) = (sparse(matching_count(n)), sparse(matching_count(n - 2)));
                for points in (0..n).flat_map(|i| (0..n).map(move |j| PointPair::new(n, i, j))) {
                    check(&src, MatchingMap::Move(points), n);
                    if points.i < points.j {
                        check(&src, MatchingMap::Contract(points), n - 2);
                        check(&fewer, MatchingMap::Create(points), n);
                    }
                }
                check(&src, MatchingMap::Identity, n);
            }
        }
    }

    #[test]
    fn add_created_makes_mates() {
        let tables = MapTables::new(MAX_TABLE_POINTS);
        let adder = BlockAdder::new(&tables, SingleEntry);
        for n in [2, 4, 8, 12] {
            let src = numbers(matching_count(n - 2));
            for j in 1..n {
                for i in 0..j {
                    let mut dst = vec![0u32; matching_count(n)];
                    adder.add_created(&mut dst, src.as_slice(), PointPair::new(n, i, j));
                    let mut total = 0;
                    for (r, &w) in dst.iter().enumerate().filter(|&(_, &w)| w > 0) {
                        let mut mates = matching_from_index(n, r);
                        assert_eq!(usize::from(mates[i]), j);
                        mates.remove(j);
                        mates.remove(i);
                        let lower = |p: u8| p - u8::from(usize::from(p) > i) - u8::from(usize::from(p) > j);
                        mates.iter_mut().for_each(|m| *m = lower(*m));
                        assert_eq!(w, src[matching_index(&mates)]);
                        total += 1;
                    }
                    assert_eq!(total, src.iter().filter(|&&w| w > 0).count());
                }
            }
        }
    }
}
