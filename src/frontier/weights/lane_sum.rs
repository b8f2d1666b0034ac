//! Sums of short blocks in AVX-512 registers, from the first term to the last.
//!
//! The sum of a block of up to eight ends takes up to seven registers, and so does each of its
//! terms. No zeros are written beforehand, and sparse sources are expanded in registers.

use std::arch::x86_64::*;

use super::block_term::{MirroredTerms, Term};
use super::lane_kernels::{EMPTY_BUFFER, Groups, LoadGroup, MAX_LANE_WEIGHTS, OnlyGroup, Source, Target};
use super::lane_map::{GROUP_LANES, GROUP_WEIGHTS, LaneBlock, LaneMap, LaneMaps, MAX_GROUPS};
use super::matching_map::MatchingMap;
use super::point_pair::PointPair;
use super::vector::Weights;

/// Result of the summation of a short block.
#[derive(Clone, Copy, Debug)]
pub struct LaneSum {
    /// Bitwise OR of the sums.
    pub seen: u32,
    /// True if the terms of the mirror image contributed.
    pub is_folded: bool,
}

/// Sums of a block of `G` groups, and the bitwise OR of all sums that were made.
#[repr(C, align(64))]
struct Sums<const G: usize> {
    groups: [[u32; GROUP_LANES]; G],
    seen: __m512i,
}

impl<const G: usize> Sums<G> {
    /// # Safety
    /// AVX-512 must be present.
    #[inline(always)]
    unsafe fn new() -> Self {
        // SAFETY: the caller promises AVX-512.
        Self { groups: [[0; GROUP_LANES]; G], seen: unsafe { _mm512_setzero_si512() } }
    }

    /// Adds source groups, by the steps of a map, to `count` groups from `first` on.
    ///
    /// # Safety
    /// AVX-512 must be present, and both blocks have the groups of the map.
    #[inline(always)]
    unsafe fn add_mapped(&mut self, map: LaneMap, source: impl LoadGroup, first: usize, count: usize) {
        let target = Target {
            first: self.groups[first].as_mut_ptr(),
            stride: GROUP_LANES,
            mask: __mmask16::MAX,
            groups: count,
        };
        // SAFETY: the caller promises the groups.
        self.seen = unsafe { target.add_mapped(map, source, self.seen) };
    }

    /// Adds all terms. Returns `None` if there is a term that these kernels cannot add.
    ///
    /// # Safety
    /// AVX-512 must be present.
    #[inline(always)]
    unsafe fn add_terms(&mut self, maps: &LaneMaps, terms: &[Term]) -> Option<()> {
        for term in terms {
            if term.factor != 1 {
                return None;
            }
            let positions = term.offset..term.offset + term.len;
            let (dense, sparse);
            let source = match term.source {
                Weights::W32(weights) => {
                    dense = weights.slice(positions);
                    Source::Dense(&dense)
                }
                Weights::Sparse(weights) => {
                    sparse = weights.range(positions);
                    Source::of_sparse(sparse.as_slice())
                }
                _ => return None,
            };
            // SAFETY: the source has `term.len` weights, as the map requires.
            unsafe { self.add_term(source, maps, term) };
        }
        Some(())
    }

    /// Adds a term whose weights are `source`.
    ///
    /// # Safety
    /// AVX-512 must be present, and the source have `term.len` weights.
    #[inline(always)]
    unsafe fn add_term(&mut self, mut source: Source, maps: &LaneMaps, term: &Term) {
        let map = match term.map {
            MatchingMap::Identity => maps.of_identity(),
            MatchingMap::Contract(points) if points.n == 2 => maps.of_identity(),
            MatchingMap::Move(points) => maps.of_move(points),
            MatchingMap::Contract(points) if term.len > MAX_LANE_WEIGHTS => {
                // SAFETY: the caller promises the weights of ten ends.
                return unsafe { self.add_contracted_ten(source, maps, points) };
            }
            MatchingMap::Contract(points) => maps.of_contraction(points),
            MatchingMap::Create(points) => maps.of_creation(points),
        };
        // SAFETY: the caller promises the weights of the term, from which the map reads.
        unsafe {
            if term.len <= GROUP_WEIGHTS {
                let group = OnlyGroup(source.take_group(term.len));
                self.add_mapped(map, group, 0, G);
            } else {
                let mut buffer = EMPTY_BUFFER;
                if let Some(groups) = source.take_groups(&mut buffer) {
                    self.add_mapped(map, groups, 0, G);
                }
            }
        }
    }

    /// Adds a source block of ten ends, two of which are joined. `source` has its weights.
    ///
    /// # Safety
    /// AVX-512 must be present, and the source have all weights of ten ends.
    #[inline(always)]
    unsafe fn add_contracted_ten(&mut self, mut source: Source, maps: &LaneMaps, points: PointPair) {
        let (n, i, j) = points.to_indices();
        let mut buffer = EMPTY_BUFFER;
        for a in 1..n {
            // SAFETY: the source has a part for each mate of point 0.
            let Some(part) = (unsafe { source.take_groups(&mut buffer) }) else { continue };
            // The end at position `from` of a part takes position `to`, as in the recursion of
            // `add_contracted`.
            let (map, first, count) = if a == i || a == j || i == 0 {
                let (from, to) = if i > 0 {
                    (if a == i { j - 2 } else { i - 1 }, 0)
                } else if a != j {
                    (j - 1 - usize::from(a < j), a - 1 - usize::from(a > j))
                } else {
                    continue;
                };
                (maps.of_move(PointPair::new(n - 2, from, to)), 0, G)
            } else {
                let mate = a - usize::from(a > i) - usize::from(a > j);
                let rest = PointPair::new(n - 2, i - 1 - usize::from(a < i), j - 1 - usize::from(a < j));
                (maps.of_contraction(rest), mate - 1, 1)
            };
            // SAFETY: a map of eight ends reads the groups of a part.
            unsafe { self.add_mapped(map, part, first, count) };
        }
    }
}

/// Sums the terms of a block of `len` weights, at most [`MAX_LANE_WEIGHTS`], and its mirrored
/// terms, into `block`. Returns `None` if there is a term that these kernels cannot add.
///
/// # Safety
/// AVX-512 must be present.
#[inline(always)]
pub unsafe fn sum_short_block(
    maps: &LaneMaps,
    len: usize,
    terms: &[Term],
    mirrored: MirroredTerms,
    block: &mut LaneBlock,
) -> Option<LaneSum> {
    // SAFETY: the caller promises AVX-512.
    unsafe {
        if len <= GROUP_WEIGHTS {
            sum_one_group(maps, terms, mirrored, block)
        } else {
            sum_seven_groups(maps, terms, mirrored, block)
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn sum_one_group(
    maps: &LaneMaps,
    terms: &[Term],
    mirrored: MirroredTerms,
    block: &mut LaneBlock,
) -> Option<LaneSum> {
    // SAFETY: the caller promises AVX-512.
    unsafe { sum_groups::<1>(maps, terms, mirrored, block) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn sum_seven_groups(
    maps: &LaneMaps,
    terms: &[Term],
    mirrored: MirroredTerms,
    block: &mut LaneBlock,
) -> Option<LaneSum> {
    // SAFETY: the caller promises AVX-512.
    unsafe { sum_groups::<MAX_GROUPS>(maps, terms, mirrored, block) }
}

/// Computes [`sum_short_block`] for a block of `G` groups.
///
/// # Safety
/// As for [`sum_short_block`].
#[inline(always)]
unsafe fn sum_groups<const G: usize>(
    maps: &LaneMaps,
    terms: &[Term],
    mirrored: MirroredTerms,
    block: &mut LaneBlock,
) -> Option<LaneSum> {
    // SAFETY: the caller promises AVX-512; both blocks have the same number of groups.
    unsafe {
        let mut sums = Sums::<G>::new();
        let mut is_folded = false;
        // The mirrored terms come first; their sum is mirrored before the other terms are added.
        for (is_image, terms) in [(true, mirrored.terms), (false, terms)] {
            sums.add_terms(maps, terms)?;
            is_folded |= is_image && _mm512_test_epi32_mask(sums.seen, sums.seen) != 0;
            if is_image && is_folded && !mirrored.image_positions.is_empty() {
                let image = sums.groups;
                sums.groups = [[0; GROUP_LANES]; G];
                let source = Groups { first: image.as_ptr().cast(), stride: GROUP_LANES };
                sums.add_mapped(maps.of_exchange(mirrored.image_positions)?, source, 0, G);
            }
        }
        block.groups[..G].copy_from_slice(&sums.groups);
        Some(LaneSum { seen: _mm512_reduce_or_epi32(sums.seen) as u32, is_folded })
    }
}
