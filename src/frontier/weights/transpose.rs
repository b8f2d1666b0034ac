//! Transposes of the matching maps, for sweeps that go backwards.
//!
//! [`block_map`](super::block_map) adds the weight of every source matching to its target
//! matching. The functions of this module go the other way: they add the value of the target
//! matching to every source matching. A backward sweep uses them to compute the numbers of
//! completions of a layer from those of the next layer. As matrices, each function is the transpose
//! of its counterpart:
//!
//! ```text
//! identity             block unchanged
//! move i -> j          an end goes back from position j to position i
//! contract i, j        every matching in which i and j are not mates gets the value of the contracted one
//! create i, j          the part of the block in which i and j are mates
//! ```
//!
//! Tables, kernels and the recursion for greater blocks are those of the forward maps.

use super::block_map::BlockAdder;
use super::kernel::{EntryLayout, IndexMap, Kernel, SingleEntry, add_vectors};
use super::matching_map::{
    ContractedPart, MatchingMap, PointPair, contracted_part, part_range, part_without,
};
use super::matching_tables::{MAX_TABLE_POINTS, MapTables};
use super::part_terms::add_without_pair;
use crate::frontier::signature::matching_rank::matching_count;

/// Adds the block `src`, mapped by the transpose of `map`, to the block `dst`. `map` maps the
/// matchings of `dst` to matchings of `src`: the value of `src` at the mapped matching is added to
/// every matching of `dst`. Sums wrap. Cost: about a nanosecond for each weight.
///
/// # Panics
/// If a block does not have the size that the map requires.
pub fn add_transposed<T: Kernel<T>>(tables: &MapTables, dst: &mut [T], src: &[T], map: MatchingMap) {
    match map {
        MatchingMap::Identity => {
            add_vectors(dst, src, SingleEntry);
        }
        MatchingMap::Move(points) => add_move_transposed(tables, dst, src, points),
        MatchingMap::Contract(points) => add_contract_transposed(tables, dst, src, points),
        // A created pair is taken out again.
        MatchingMap::Create(points) => {
            add_without_pair(tables, dst, src, points);
        }
    }
}

fn add_move_transposed<T: Kernel<T>>(tables: &MapTables, dst: &mut [T], src: &[T], points: PointPair) {
    let PointPair { n, i, j } = points;
    BlockAdder::new(tables, SingleEntry).add_moved(dst, src, PointPair { n, i: j, j: i });
}

/// Adds the block `src`, mapped by the transpose of [`MatchingMap::Contract`], to the block `dst`.
/// `src` has one weight for each matching of `points.n - 2` points, and `dst` one for each matching
/// of `points.n` points.
fn add_contract_transposed<T: Kernel<T>>(tables: &MapTables, dst: &mut [T], src: &[T], points: PointPair) {
    let (n, i, j) = points.to_indices();
    debug_assert!(i < j && j < n);
    if n == 2 {
        add_vectors(dst, src, SingleEntry);
    } else if n <= MAX_TABLE_POINTS {
        assert_eq!((src.len(), dst.len()), (matching_count(n - 2), matching_count(n)));
        for plane in tables.contract_sources(points).chunks_exact(src.len()) {
            // SAFETY: entries of a contraction table for n points are indices below SIZE[n].
            unsafe { T::accumulate(dst, src, SingleEntry.strides(), IndexMap::Scatter(plane)) };
        }
    } else {
        add_contract_transposed_recursive(tables, dst, src, points);
    }
}

/// Computes [`add_contract_transposed`] for a block that is too large for the tables: splits the
/// block by the mate of point 0 and recurses.
#[inline(never)]
fn add_contract_transposed_recursive<T: Kernel<T>>(
    tables: &MapTables,
    dst: &mut [T],
    src: &[T],
    points: PointPair,
) {
    let n = usize::from(points.n);
    for (block, a) in dst.chunks_exact_mut(matching_count(n - 2)).zip(1..n) {
        match contracted_part(points, a) {
            ContractedPart::None => {}
            ContractedPart::Moved(points) => add_move_transposed(tables, block, src, points),
            ContractedPart::Contracted => {
                let (mate, points) = part_without(points, a);
                add_contract_transposed(tables, block, &src[part_range(n - 2, mate)], points);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu_features::{KernelSet, with_kernels};

    fn numbers(len: usize, by: u64) -> Vec<u64> {
        (0..len as u64).map(|x| (x + by).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20).collect()
    }

    fn product(a: &[u64], b: &[u64]) -> u64 {
        a.iter().zip(b).fold(0, |sum, (&a, &b)| sum.wrapping_add(a.wrapping_mul(b)))
    }

    /// Checks `<A x, y> = <x, A' y>` for a map `A`, its transpose `A'`, and one pair of pseudo-random vectors
    /// `x`, `y`.
    fn check(tables: &MapTables, change: MatchingMap, before: usize, after: usize) {
        let (x, y) = (numbers(matching_count(before), 1), numbers(matching_count(after), 7));
        let (mut there, mut back) = (vec![0u64; y.len()], vec![5u64; x.len()]);
        BlockAdder::new(tables, SingleEntry).add_mapped(&mut there, x.as_slice(), change);
        add_transposed(tables, &mut back, &y, change);
        back.iter_mut().for_each(|number| *number = number.wrapping_sub(5));
        assert_eq!(product(&there, &y), product(&x, &back), "{change:?}");
        // Every value of `back` is 0 or a value of `y`: no two values are added.
        assert!(back.iter().all(|number| *number == 0 || y.contains(number)), "{change:?}");
    }

    #[test]
    fn add_transposed_is_transpose_of_add_mapped() {
        let tables = MapTables::new(MAX_TABLE_POINTS);
        for cpu in KernelSet::ALL {
            with_kernels(cpu, || {
                for n in [2, 4, 6, 8, 10, 12] {
                    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                        // For the greatest blocks, a quarter of the pairs of positions is enough.
                        if n == 12 && (i * 5 + j) % 4 != 1 {
                            continue;
                        }
                        let points = PointPair::new(n, i, j);
                        check(&tables, MatchingMap::Move(points), n, n);
                        if i < j {
                            check(&tables, MatchingMap::Contract(points), n, n - 2);
                            check(&tables, MatchingMap::Create(points), n - 2, n);
                        }
                    }
                    check(&tables, MatchingMap::Identity, n, n);
                }
            });
        }
    }
}
