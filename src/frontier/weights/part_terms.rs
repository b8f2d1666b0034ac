//! The terms of a part of a target block, by which the largest blocks are summed part by part.
//!
//! A target block is split by the mate of point 0. The part with the mate `a` is a block of two points
//! fewer. It is again a sum of mapped source blocks:
//!
//! ```text
//! identity             the part of the source with the same mate
//! move, create         a part of the source, or several; or a pair of mates is taken out of the source
//! contract             parts of the source in which the joined ends, or a moved end, are restricted
//! take out i, j        a part of the source; if i = 0, the part with the mate j
//! ```
//!
//! So a block can be summed without memory for all its sums.

use std::ops::Range;

use super::block_map::{BlockAdder, add_to_parts};
use super::kernel::{Kernel, SingleEntry};
use super::matching_map::{
    MatchingMap, PointPair, created_part, for_each_moved_part, moved_part, part_range, part_range_of_two,
    part_with,
};
use super::matching_tables::{MAX_TABLE_POINTS, MapTables};
use super::source_block::SourceBlock;
use crate::frontier::signature::matching_rank::matching_count;

/// A map from a source block to a target block, or to a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartMap {
    /// All matchings are mapped.
    Mapped(MatchingMap),
    /// Matchings in which the points `i < j` are mates lose this pair; others have no target. The number
    /// `n` of points is that of the source.
    TakenOut(PointPair),
}

/// Calls `visit` with the terms of the part of a target block of `n` points in which `a` is the mate of
/// point 0. The target block is a source block mapped by `map`. A term has a range of the weights of that
/// source block, and the map from this range to the part.
pub fn for_each_part_term(map: PartMap, n: usize, a: usize, visit: &mut dyn FnMut(Range<usize>, PartMap)) {
    let identity = PartMap::Mapped(MatchingMap::Identity);
    match map {
        PartMap::Mapped(MatchingMap::Identity) => visit(part_range(n, a), identity),
        PartMap::Mapped(MatchingMap::Move(points)) => for_each_term_of_moved_part(points, a, visit),
        PartMap::Mapped(MatchingMap::Contract(points)) => {
            for_each_moved_part(points, |s, points| {
                let start = part_range(n + 2, s).start;
                for_each_term_of_moved_part(points, a, &mut |range, map| {
                    visit(shifted(range, start), map);
                });
            });
            if points.i != 0 {
                let (s, rest) = part_with(points, a);
                visit(part_range(n + 2, s), PartMap::Mapped(MatchingMap::Contract(rest)));
            }
        }
        PartMap::Mapped(MatchingMap::Create(points)) => {
            if points.i == 0 {
                if a == usize::from(points.j) {
                    visit(0..matching_count(n - 2), identity);
                }
            } else if let Some((mate, rest)) = created_part(points, a) {
                visit(part_range(n - 2, mate), PartMap::Mapped(MatchingMap::Create(rest)));
            }
        }
        PartMap::TakenOut(points) if points.i == 0 => {
            let start = part_range(n + 2, points.j.into()).start;
            visit(shifted(part_range(n, a), start), identity);
        }
        PartMap::TakenOut(points) => {
            let (s, rest) = part_with(points, a);
            visit(part_range(n + 2, s), PartMap::TakenOut(rest));
        }
    }
}

/// Calls `visit` with the terms of the part with the mate `a` of point 0 of a block in which a point was
/// moved.
fn for_each_term_of_moved_part(points: PointPair, a: usize, visit: &mut dyn FnMut(Range<usize>, PartMap)) {
    let (n, i, j) = points.to_indices();
    let identity = PartMap::Mapped(MatchingMap::Identity);
    if i == j {
        visit(part_range(n, a), identity);
    } else if j == 0 {
        // Point 0 is source point i, and its mate is a point of the source, too.
        let mate = if a <= i { a - 1 } else { a };
        visit(0..matching_count(n), PartMap::TakenOut(PointPair::new(n, i.min(mate), i.max(mate))));
    } else if i == 0 {
        // Point 0 is source point 1, and point j is source point 0.
        if a == j {
            visit(part_range(n, 1), identity);
            return;
        }
        let mate = if a < j { a + 1 } else { a };
        for of_zero in (2..n).filter(|&x| x != mate) {
            let target = if of_zero <= j { of_zero - 1 } else { of_zero };
            let (p, q) = (j - 1 - usize::from(j > a), target - 1 - usize::from(target > a));
            let created = MatchingMap::Create(PointPair::new(n - 2, p.min(q), p.max(q)));
            visit(part_range_of_two(n, of_zero, mate), PartMap::Mapped(created));
        }
    } else {
        let (from, map) = moved_part(points, a);
        visit(part_range(n, from), PartMap::Mapped(map));
    }
}

/// Returns `range` with `offset` added to both bounds.
pub const fn shifted(range: Range<usize>, offset: usize) -> Range<usize> {
    offset + range.start..offset + range.end
}

/// Adds the block `src`, mapped by `map`, to `dst`, which is a part of a block. Returns the bitwise OR of
/// the sums.
pub fn add_part_term<S: SourceBlock<T>, T: Kernel<T>>(
    tables: &MapTables,
    dst: &mut [T],
    src: S,
    map: PartMap,
) -> T {
    match map {
        PartMap::Mapped(map) => BlockAdder::new(tables, SingleEntry).add_mapped(dst, src, map),
        PartMap::TakenOut(points) => add_without_pair(tables, dst, src, points),
    }
}

/// Adds the matchings of the block `src` in which the points `points.i` and `points.j` are mates, without
/// this pair, to the block `dst`: the transpose of [`MatchingMap::Create`]. Returns the bitwise OR of the sums.
pub fn add_without_pair<S: SourceBlock<T>, T: Kernel<T>>(
    tables: &MapTables,
    dst: &mut [T],
    src: S,
    points: PointPair,
) -> T {
    let n = usize::from(points.n);
    if src.is_known_zero() {
        T::default()
    } else if points.i == 0 {
        src.subrange(SingleEntry, part_range(n, points.j.into())).add(dst, SingleEntry)
    } else if n <= MAX_TABLE_POINTS {
        src.add_without_pair(tables, dst, points)
    } else {
        add_to_parts(dst, n - 2, matching_count(n - 4), |part, a| {
            let (s, rest) = part_with(points, a);
            add_without_pair(tables, part, src.subrange(SingleEntry, part_range(n, s)), rest)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::sparse_vec::sparse_from_slabs;
    use super::*;

    /// Adds a block to all parts of another block, by the terms of each part.
    fn add_by_parts<S: SourceBlock<u64>>(
        tables: &MapTables,
        dst: &mut [u64],
        n: usize,
        src: S,
        map: PartMap,
    ) {
        for (part, a) in dst.chunks_exact_mut(matching_count(n - 2)).zip(1..n) {
            for_each_part_term(map, n, a, &mut |range, map| {
                add_part_term(tables, part, src.subrange(SingleEntry, range), map);
            });
        }
    }

    /// Checks that the terms of all parts add up to the whole, and so for the parts of parts.
    fn check(tables: &MapTables, map: PartMap, n: usize, src: &[u32]) {
        let mut whole = vec![0u64; matching_count(n)];
        add_part_term(tables, &mut whole, src, map);
        let sparse = sparse_from_slabs(&src.to_vec().into());
        let mut by_parts = vec![0u64; whole.len()];
        add_by_parts(tables, &mut by_parts, n, src, map);
        assert!(by_parts == whole, "{map:?} to {n} points");
        by_parts.fill(0);
        add_by_parts(tables, &mut by_parts, n, sparse.range(0..src.len()).as_slice(), map);
        assert!(by_parts == whole, "{map:?} to {n} points, without zeros");
        by_parts.fill(0);
        for (part, a) in by_parts.chunks_exact_mut(matching_count(n - 2)).zip(1..n) {
            for_each_part_term(map, n, a, &mut |range, map| {
                add_by_parts(tables, part, n - 2, &src[range], map);
            });
        }
        assert!(by_parts == whole, "{map:?} to {n} points, by parts of parts");
    }

    #[test]
    fn terms_of_parts_add_up_to_the_block() {
        let tables = MapTables::new(MAX_TABLE_POINTS);
        let numbers = |len: usize| -> Vec<u32> {
            (0..len as u32).map(|x| if x % 3 == 1 { 0 } else { x.wrapping_mul(2_654_435_761) >> 9 }).collect()
        };
        for n in [6, 8, 12] {
            let [fewer, equal, more] = [n - 2, n, n + 2].map(|n| numbers(matching_count(n)));
            check(&tables, PartMap::Mapped(MatchingMap::Identity), n, &equal);
            for (i, j) in (0..n + 2).flat_map(|i| (0..n + 2).map(move |j| (i, j))) {
                let points = |n| PointPair::new(n, i, j);
                if i < n && j < n {
                    check(&tables, PartMap::Mapped(MatchingMap::Move(points(n))), n, &equal);
                }
                if i < j {
                    check(&tables, PartMap::TakenOut(points(n + 2)), n, &more);
                    check(&tables, PartMap::Mapped(MatchingMap::Contract(points(n + 2))), n, &more);
                    if j < n {
                        check(&tables, PartMap::Mapped(MatchingMap::Create(points(n))), n, &fewer);
                    }
                }
            }
        }
    }
}
