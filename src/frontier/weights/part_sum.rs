//! Sums of the largest blocks, part by part.
//!
//! A block of 20 ends has 654,729,075 weights. Its sums would take gigabytes for each thread, and as much again for
//! the sums of its mirror image. Instead each of its 19 parts, by the mate of point 0, is summed in the same buffer and
//! stored.

use std::ops::Range;

use super::block_sink::{BlockSink, SumBuffer, clear};
use super::block_term::{BlockSum, BlockTerms, MirroredTerms, Term};
use super::kernel::SingleEntry;
use super::matching_permutation::{add_permuted, without};
use super::matching_tables::MapTables;
use super::part_terms::{PartMap, for_each_part_term, shifted};
use super::sum_weight::SumWeight;
use crate::frontier::signature::matching_rank::matching_count;

/// Minimum number of points of a block that is summed part by part. Such a block has 655 million weights,
/// and there are few of them. It is less in tests.
const MIN_PARTED_POINTS: usize = if cfg!(test) { 12 } else { 20 };

/// Returns the number of weights in buffers while a block of `len` weights is summed, if no term has a
/// factor: the block, and its mirror image if `folds` is true, or parts of them.
#[must_use]
pub const fn weights_in_progress(len: usize, folds: bool) -> u64 {
    let buffers = if folds { 2 } else { 1 };
    if len < matching_count(MIN_PARTED_POINTS) {
        return len as u64 * buffers;
    }
    // A part is summed in one buffer and stored from another.
    (len / (point_count(len) - 1)) as u64 * (buffers + 1)
}

/// Returns the number of points of a block of `len` weights, which is at least 3.
const fn point_count(len: usize) -> usize {
    let mut n = 4;
    while matching_count(n) < len {
        n += 2;
    }
    n
}

/// Buffers for sums.
#[derive(Default)]
pub struct PartBuffers<T> {
    /// Buffer for the sum of a part of a block.
    pub part: SumBuffer<T>,
    /// Buffer for the sum of mirrored terms.
    pub mirrored: SumBuffer<T>,
}

/// Appends the sum of `block` to `sink` part by part. The terms must be such that [`can_be_parted`] returns
/// true.
pub fn push_sum_of_parts<T: SumWeight>(
    sink: &mut impl BlockSink<T>,
    buffers: &mut PartBuffers<T>,
    tables: &MapTables,
    BlockTerms { len, terms, mirrored }: BlockTerms,
) -> BlockSum {
    let n = point_count(len);
    let part_len = len / (n - 1);
    let (mut seen, mut sum, mut zero_parts) = (T::default(), BlockSum::default(), 0);
    for a in 1..n {
        let part = buffers.part.begin_block(part_len);
        let of_terms = add_terms_of_part(tables, part, n, &[a], terms);
        let of_image = add_mirrored_part(tables, part, &mut buffers.mirrored, n, a, mirrored);
        sum.is_folded |= of_image != T::default();
        let of_part = of_terms.bit_or(of_image);
        if of_part == T::default() {
            zero_parts += 1;
            continue;
        }
        seen = seen.bit_or(of_part);
        // A block of zeros is not stored, so zeros are stored when a part is not zero.
        for _ in 0..std::mem::take(&mut zero_parts) {
            sink.begin_block(part_len);
            sink.commit_block();
        }
        sink.begin_block(part_len).copy_from_slice(part);
        clear(part);
        sum.nonzero += sink.commit_block();
    }
    if seen == T::default() {
        return BlockSum::default();
    }
    for _ in 0..zero_parts {
        sink.begin_block(part_len);
        sink.commit_block();
    }
    BlockSum { bits: seen.bit_length(), ..sum }
}

/// Returns true if a block is summed part by part: it is large, no term has a factor, and
/// the mirror image leaves point 0 in place or exchanges it with point 1.
#[inline(always)]
#[must_use]
pub fn can_be_parted(BlockTerms { len, terms, mirrored }: BlockTerms) -> bool {
    len >= matching_count(MIN_PARTED_POINTS)
        && terms.iter().chain(mirrored.terms).all(|term| term.factor == 1)
        && (mirrored.terms.is_empty() || matches!(mirrored.image_positions, [0, ..] | [1, 0, ..]))
}

/// Adds a part of the sum of all terms to `dst`. The sum is a block of `n` points; `path` has the mate of
/// its point 0, and perhaps that of the first point of this part, among the points of the part. Returns the
/// bitwise OR of the sums.
fn add_terms_of_part<T: SumWeight>(
    tables: &MapTables,
    dst: &mut [T],
    n: usize,
    path: &[usize],
    terms: &[Term],
) -> T {
    let mut seen = T::default();
    for term in terms {
        let mut add = |start: usize, range: Range<usize>, map: PartMap| {
            let range = shifted(range, term.offset + start);
            seen = seen.bit_or(T::add_part_term(tables, dst, term.source, range, map));
        };
        for_each_part_term(PartMap::Mapped(term.map), n, path[0], &mut |outer, map| match path.get(1) {
            None => add(0, outer, map),
            Some(&b) => for_each_part_term(map, n - 2, b, &mut |inner, map| add(outer.start, inner, map)),
        });
    }
    seen
}

/// Adds the part of a block of `n` points in which `a` is the mate of point 0, of the mirrored sum of
/// the terms `mirrored`, to `part`. `image` is a buffer. Returns the bitwise OR of all sums.
fn add_mirrored_part<T: SumWeight>(
    tables: &MapTables,
    part: &mut [T],
    image: &mut SumBuffer<T>,
    n: usize,
    a: usize,
    mirrored: MirroredTerms,
) -> T {
    let from = mirrored.image_positions;
    if mirrored.terms.is_empty() {
        return T::default();
    }
    let mut add = |dst: &mut [T], path: &[usize], positions: &[u8]| {
        let image = image.begin_block(dst.len());
        let mut seen = add_terms_of_part(tables, image, n, path, mirrored.terms);
        if seen != T::default() {
            seen = seen.bit_or(add_permuted(tables, dst, image, SingleEntry, positions));
            clear(image);
        }
        seen
    };
    if from[0] == 0 || a == 1 {
        // If points 0 and 1 are exchanged, they stay mates.
        let mate = if from[0] == 0 { from[a].into() } else { 1 };
        return add(part, &[mate], &without(from, [0, a])[..n - 2]);
    }
    // Point 0 is image point 1, and point 1 is image point 0.
    let mate_of_one = usize::from(from[a]);
    let mut seen = T::default();
    for (run, c) in part.chunks_exact_mut(matching_count(n - 4)).zip((2..n).filter(|&c| c != a)) {
        let mate_of_zero = usize::from(from[c]);
        let path = [mate_of_zero, mate_of_one - 1 - usize::from(mate_of_one > mate_of_zero)];
        let positions = without(&without(from, [0, a])[..n - 2], [0, c - 1 - usize::from(c > a)]);
        seen = seen.bit_or(add(run, &path, &positions[..n - 4]));
    }
    seen
}

#[cfg(test)]
pub(in crate::frontier::weights) mod tests {
    use super::super::block_sum::new_block_builder;
    use super::super::matching_map::{MatchingMap, PointPair};
    use super::super::matching_tables::MAX_TABLE_POINTS;
    use super::super::modulus::ResidueRing;
    use super::super::slab_vec::BlockCapacity;
    use super::super::sparse_vec::sparse_from_slabs;
    use super::super::vector::Weights;
    use super::super::weight::Width;
    use super::*;

    /// Returns the sum of a block by the functions for whole blocks.
    pub(in crate::frontier::weights) fn whole_sum(tables: &MapTables, target: BlockTerms) -> Vec<u64> {
        let BlockTerms { len, terms, mirrored } = target;
        let sum = |terms: &[Term]| {
            let mut block = vec![0u64; len];
            for term in terms {
                u64::add_term(tables, &mut block, term);
            }
            block
        };
        let mut block = sum(terms);
        if !mirrored.terms.is_empty() {
            let image = sum(mirrored.terms);
            add_permuted(tables, &mut block, &image, SingleEntry, mirrored.image_positions);
        }
        block
    }

    /// In tests, blocks of 12 points are summed part by part.
    #[test]
    fn sums_of_parts_agree_with_whole_sums() {
        let (n, tables) = (MIN_PARTED_POINTS, MapTables::new(MAX_TABLE_POINTS));
        // Two neighbouring matchings of seven, and none of the second half of the block.
        let numbers = |n: usize| -> Vec<u32> {
            let len = matching_count(n) as u32;
            (0..len).map(|x| if x % 7 < 2 && x < len / 2 { 1 + x % 999 } else { 0 }).collect()
        };
        let sources = [n - 2, n, n + 2].map(|n| Weights::W32(numbers(n).into()));
        let packed = [n - 2, n, n + 2].map(|n| Weights::Sparse(sparse_from_slabs(&numbers(n).into())));
        let points = |i, j| PointPair::new(n, i, j);
        let joined = |i, j| MatchingMap::Contract(PointPair::new(n + 2, i, j));
        let maps = [
            (1, MatchingMap::Identity),
            (1, MatchingMap::Move(points(0, 5))),
            (1, MatchingMap::Move(points(7, 0))),
            (1, MatchingMap::Move(points(3, 8))),
            (2, joined(0, 4)),
            (2, joined(3, 9)),
            (0, MatchingMap::Create(points(0, 6))),
            (0, MatchingMap::Create(points(2, 7))),
        ];
        let exchanges: [&[u8]; 4] = [
            &[0, 1, 3, 2, 4, 5, 7, 6, 8, 9, 10, 11],
            &[0, 2, 1, 3, 4, 6, 5, 7, 8, 9, 11, 10],
            &[1, 0, 2, 4, 3, 5, 6, 7, 9, 8, 11, 10],
            &[1, 0, 11, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        ];
        for sources in [&sources, &packed] {
            let term = |&(source, map): &(usize, MatchingMap)| {
                let source = &sources[source];
                Term { source, offset: 0, len: source.len(), map, factor: 1 }
            };
            let all: Vec<Term> = maps.iter().map(term).collect();
            for image_positions in exchanges {
                let blocks = [
                    (&all[..], MirroredTerms::default()),
                    (&all[..3], MirroredTerms { terms: &all[3..], image_positions }),
                    (&all[7..], MirroredTerms { terms: &all[2..3], image_positions }),
                    (&all[..0], MirroredTerms { terms: &all[..0], image_positions }),
                    (&all[6..7], MirroredTerms { terms: &all[..2], image_positions }),
                ];
                let ring = ResidueRing::new(251);
                for (ring, is_thin) in [(None, false), (None, true), (ring, false), (ring, true)] {
                    let capacity = BlockCapacity {
                        max_weights: blocks.len() * matching_count(n),
                        longest_block: matching_count(n),
                        expected_nonzero: is_thin.then_some(1000),
                    };
                    let mut builder = new_block_builder(Width::W32, ring, capacity);
                    let mut expected: Vec<u64> = Vec::new();
                    for (terms, mirrored) in blocks {
                        let target = BlockTerms { len: matching_count(n), terms, mirrored };
                        let mut whole = whole_sum(&tables, target);
                        if ring.is_some() {
                            whole.iter_mut().for_each(|w| *w %= 251);
                        }
                        let sum = builder.push_sum(&tables, target);
                        assert_eq!(sum.nonzero, whole.iter().filter(|&&w| w > 0).count() as u64);
                        assert_eq!(sum.is_folded, !mirrored.terms.is_empty());
                        if sum.bits > 0 {
                            expected.append(&mut whole);
                        }
                    }
                    assert_eq!(builder.finish().to_width(Width::W64), Weights::W64(expected.into()));
                }
            }
        }
    }
}
