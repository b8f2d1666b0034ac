//! Sums of short blocks in AVX-512 registers, from the first term to the last.
//!
//! A block of up to eight ends takes up to seven registers, and so does each of its terms. A block
//! of ten ends has nine parts of eight ends, one for each mate of its first point; a map of ten ends
//! maps parts to parts. Sparse sources are expanded part by part in registers, and parts without any
//! weight are passed over.

use std::arch::x86_64::*;

use super::block_term::{BlockTerms, Term};
use super::lane_map::{
    GROUP_LANES, GROUP_WEIGHTS, LaneBlock, LaneMap, LaneMaps, MAX_GROUPS, PART_WEIGHTS, TEN_POINT_GROUPS,
    TEN_POINT_WEIGHTS, exchange_set, swapped_group,
};
use super::lane_source::{EMPTY_BUFFER, Groups, LoadGroup, OnlyGroup, Source};
use super::matching_map::PointPair;
use super::matching_map::{ContractedPart, MatchingMap, contracted_part, part_without, position_after_move};
use super::vector::Weights;
use crate::frontier::signature::matching_rank::matching_count;

/// Result of the summation of a short block.
#[derive(Clone, Copy, Debug)]
pub struct LaneSum {
    /// Bitwise OR of the sums.
    pub seen: u32,
    /// True if the terms of the mirror image contributed.
    pub is_folded: bool,
}

/// Sums of a block, and the bitwise OR of all sums that were made. The functions of this type are
/// inlined into kernels that are compiled for AVX-512.
struct Sums<'b> {
    groups: &'b mut [[u32; GROUP_LANES]],
    /// Number of weights of the block.
    len: usize,
    seen: __m512i,
}

impl<'b> Sums<'b> {
    /// Returns sums that are zero.
    ///
    /// # Safety
    /// AVX-512 must be present.
    #[inline(always)]
    unsafe fn new(groups: &'b mut [[u32; GROUP_LANES]], len: usize) -> Self {
        groups.fill([0; GROUP_LANES]);
        // SAFETY: the caller promises AVX-512.
        Self { groups, len, seen: unsafe { _mm512_setzero_si512() } }
    }

    /// Adds source groups, by the steps of a map, to `count` groups from `first` on.
    ///
    /// # Safety
    /// AVX-512 must be present, and the source have the groups of the map.
    #[inline(always)]
    unsafe fn add_mapped(&mut self, map: LaneMap, source: impl LoadGroup, first: usize, count: usize) {
        let (mut lanes, mut numbers) = (map.lanes.as_ptr(), map.groups.as_ptr());
        let mut seen = self.seen;
        for (group, &steps) in self.groups[first..first + count].iter_mut().zip(map.step_counts) {
            let place: *mut __m512i = group.as_mut_ptr().cast();
            // SAFETY: a group of sums has sixteen lanes. A map has as many steps as its counts add up to; the
            // caller promises the groups of the source.
            unsafe {
                let mut sum = _mm512_loadu_si512(place);
                for _ in 0..steps {
                    let from = _mm512_cvtepu8_epi32(_mm_load_si128(lanes.cast()));
                    let weights = _mm512_permutexvar_epi32(from, source.load(usize::from(*numbers)));
                    sum = _mm512_add_epi32(sum, weights);
                    seen = _mm512_or_si512(seen, sum);
                    (lanes, numbers) = (lanes.add(1), numbers.add(1));
                }
                _mm512_storeu_si512(place, sum);
            }
        }
        self.seen = seen;
    }

    /// Adds a part of seven groups to the groups from `first` on.
    ///
    /// # Safety
    /// AVX-512 must be present.
    #[inline(always)]
    unsafe fn add_part(&mut self, part: Groups, first: usize) {
        let mut seen = self.seen;
        for (number, group) in self.groups[first..first + MAX_GROUPS].iter_mut().enumerate() {
            // SAFETY: a part has seven groups.
            seen = unsafe { add_to_group(group, part.load(number), seen) };
        }
        self.seen = seen;
    }

    /// Adds all terms. Returns `None` if there is a term that these kernels cannot add.
    ///
    /// # Safety
    /// AVX-512 must be present.
    ///
    /// # Panics
    /// If a term does not have the number of weights that its map requires.
    #[inline(always)]
    unsafe fn add_terms(&mut self, maps: &LaneMaps, terms: &[Term]) -> Option<()> {
        for term in terms {
            if term.factor != 1 {
                return None;
            }
            assert_eq!((term.len, self.len), block_lengths(term.map).unwrap_or((self.len, self.len)));
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
            // SAFETY: the source has the number of weights that the map requires.
            unsafe {
                if self.groups.len() > MAX_GROUPS {
                    self.add_term_of_ten(source, maps, term);
                } else {
                    self.add_term(source, maps, term);
                }
            }
        }
        Some(())
    }

    /// Adds a term, whose weights are `source`, to a block of up to eight ends.
    ///
    /// # Safety
    /// AVX-512 must be present, and the source have `term.len` weights.
    #[inline(always)]
    unsafe fn add_term(&mut self, mut source: Source, maps: &LaneMaps, term: &Term) {
        let map = match term.map {
            MatchingMap::Identity => maps.of_identity(),
            MatchingMap::Contract(points) if points.n == 2 => maps.of_identity(),
            MatchingMap::Move(points) => maps.of_move(points),
            MatchingMap::Contract(points) if term.len > PART_WEIGHTS => {
                // SAFETY: the caller promises the weights of ten ends.
                return unsafe { self.add_contracted_ten(&mut source, maps, points, 0) };
            }
            MatchingMap::Contract(points) => maps.of_contraction(points),
            MatchingMap::Create(points) => maps.of_creation(points),
        };
        let count = self.groups.len();
        // SAFETY: the caller promises the weights of the term, from which the map reads.
        unsafe {
            if term.len <= GROUP_WEIGHTS {
                let group = OnlyGroup(source.take_group(term.len));
                self.add_mapped(map, group, 0, count);
            } else {
                let mut buffer = EMPTY_BUFFER;
                if let Some(groups) = source.take_groups(&mut buffer) {
                    self.add_mapped(map, groups, 0, count);
                }
            }
        }
    }

    /// Adds a term, whose weights are `source`, to a block of ten ends.
    ///
    /// # Safety
    /// AVX-512 must be present, and the source have `term.len` weights.
    #[inline(always)]
    unsafe fn add_term_of_ten(&mut self, mut source: Source, maps: &LaneMaps, term: &Term) {
        // SAFETY: the caller promises the weights of the term, which each case takes part by part.
        unsafe {
            match term.map {
                MatchingMap::Identity => self.add_moved_ten(&mut source, maps, 0, 0),
                MatchingMap::Move(points) => {
                    self.add_moved_ten(&mut source, maps, points.i.into(), points.j.into());
                }
                MatchingMap::Contract(points) => {
                    for a in 1..points.n.into() {
                        match contracted_part(points, a) {
                            ContractedPart::None => source.skip(TEN_POINT_WEIGHTS),
                            ContractedPart::Moved(points) => {
                                self.add_moved_ten(&mut source, maps, points.i.into(), points.j.into());
                            }
                            ContractedPart::Contracted => {
                                let (mate, points) = part_without(points, a);
                                self.add_contracted_ten(&mut source, maps, points, (mate - 1) * MAX_GROUPS);
                            }
                        }
                    }
                }
                MatchingMap::Create(points) => self.add_created_ten(&mut source, maps, points),
            }
        }
    }

    /// Takes a block of ten ends from `source` and adds it, with the end at position `i` moved to
    /// position `j`.
    ///
    /// # Safety
    /// AVX-512 must be present, and the source have the weights of ten ends.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn add_moved_ten(&mut self, source: &mut Source, maps: &LaneMaps, i: usize, j: usize) {
        let mut buffer = EMPTY_BUFFER;
        if i == j || i > 0 && j > 0 {
            for a in 1..10 {
                // SAFETY: the source has a part for each mate of point 0.
                let Some(part) = (unsafe { source.take_groups(&mut buffer) }) else { continue };
                // SAFETY: a part has eight ends.
                unsafe { self.add_moved_part(part, maps, i, j, a) };
            }
            return;
        }
        // A move from or to position 0 is one from or to position 1, and an exchange of points 0 and 1.
        let mut scratch = AlignedGroups([[0; GROUP_LANES]; TEN_POINT_GROUPS]);
        if j == 0 {
            // SAFETY: the caller promises the weights of ten ends.
            unsafe {
                let mut moved = Sums { groups: &mut scratch.0, len: TEN_POINT_WEIGHTS, seen: self.seen };
                moved.add_moved_ten(source, maps, i, 1);
                self.seen = moved.seen;
                for (number, group) in scratch.0.iter().enumerate() {
                    let target = swapped_group(number / MAX_GROUPS + 1, number % MAX_GROUPS);
                    let weights = _mm512_load_si512(group.as_ptr().cast());
                    self.seen = add_to_group(&mut self.groups[target], weights, self.seen);
                }
            }
            return;
        }
        for a in 1..10 {
            // SAFETY: the source has a part for each mate of point 0.
            let Some(part) = (unsafe { source.take_groups(&mut buffer) }) else { continue };
            for number in 0..MAX_GROUPS {
                let to = scratch.0[swapped_group(a, number)].as_mut_ptr();
                // SAFETY: a part has seven groups; a group has sixteen aligned lanes.
                unsafe { _mm512_store_si512(to.cast(), part.load(number)) };
            }
        }
        for a in 1..10 {
            let first = scratch.0[(a - 1) * MAX_GROUPS..a * MAX_GROUPS].as_ptr().cast();
            // SAFETY: a part has eight ends.
            unsafe { self.add_moved_part(Groups { first, stride: GROUP_LANES }, maps, 1, j, a) };
        }
    }

    /// Adds the part of a block of ten ends in which `a` is the mate of point 0. The end at position
    /// `i` moves to position `j`; neither is 0, or they are equal.
    ///
    /// # Safety
    /// AVX-512 must be present, and the part have eight ends.
    #[inline(always)]
    unsafe fn add_moved_part(&mut self, part: Groups, maps: &LaneMaps, i: usize, j: usize, a: usize) {
        let target = position_after_move(i, j, a);
        if i == j || a == i {
            // SAFETY: the caller promises the groups of the part.
            return unsafe { self.add_part(part, (target - 1) * MAX_GROUPS) };
        }
        let points = PointPair::new(8, i - 1 - usize::from(a < i), j - 1 - usize::from(target < j));
        let map = maps.of_move(points);
        // SAFETY: the caller promises the groups of the part.
        unsafe { self.add_mapped(map, part, (target - 1) * MAX_GROUPS, MAX_GROUPS) };
    }

    /// Takes a block of ten ends from `source`, two of which are joined, and adds it to the seven
    /// groups from `first` on.
    ///
    /// # Safety
    /// AVX-512 must be present, and the source have the weights of ten ends.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn add_contracted_ten(
        &mut self,
        source: &mut Source,
        maps: &LaneMaps,
        points: PointPair,
        first: usize,
    ) {
        let mut buffer = EMPTY_BUFFER;
        for a in 1..points.n.into() {
            // SAFETY: the source has a part for each mate of point 0.
            let Some(part) = (unsafe { source.take_groups(&mut buffer) }) else { continue };
            let (map, first, count) = match contracted_part(points, a) {
                ContractedPart::None => continue,
                ContractedPart::Moved(points) => (maps.of_move(points), first, MAX_GROUPS),
                ContractedPart::Contracted => {
                    let (mate, points) = part_without(points, a);
                    (maps.of_contraction(points), first + mate - 1, 1)
                }
            };
            // SAFETY: a map of eight ends reads the groups of a part.
            unsafe { self.add_mapped(map, part, first, count) };
        }
    }

    /// Takes a block of eight ends from `source` and adds it to a block of ten ends, with a new pair
    /// of mates.
    ///
    /// # Safety
    /// AVX-512 must be present, and the source have the weights of eight ends.
    #[inline(always)]
    unsafe fn add_created_ten(&mut self, source: &mut Source, maps: &LaneMaps, points: PointPair) {
        let (n, i, j) = points.to_indices();
        let mut buffer = EMPTY_BUFFER;
        // SAFETY: the source has eight ends: a group for each mate of its point 0.
        unsafe {
            let Some(groups) = source.take_groups(&mut buffer) else { return };
            if i == 0 {
                return self.add_part(groups, (j - 1) * MAX_GROUPS);
            }
            for a in (1..n).filter(|&a| a != i && a != j) {
                let (mate, rest) = part_without(points, a);
                let group = OnlyGroup(groups.load(mate - 1));
                self.add_mapped(maps.of_creation(rest), group, (a - 1) * MAX_GROUPS, MAX_GROUPS);
            }
        }
    }

    /// Adds a block whose points are exchanged with neighbours, as `positions` has them. Returns `None`
    /// if `positions` is another permutation.
    ///
    /// # Safety
    /// AVX-512 must be present, and the blocks have equal numbers of groups.
    #[inline(always)]
    unsafe fn add_exchanged(
        &mut self,
        maps: &LaneMaps,
        block: &mut [[u32; GROUP_LANES]],
        positions: &[u8],
    ) -> Option<()> {
        let set = exchange_set(positions)?;
        let count = self.groups.len();
        assert!(self.len == matching_count(positions.len()) && block.len() == count);
        if count <= MAX_GROUPS {
            let source = Groups { first: block.as_ptr().cast(), stride: GROUP_LANES };
            // SAFETY: the blocks have equal numbers of groups.
            unsafe { self.add_mapped(maps.of_exchange(positions.len(), set), source, 0, count) };
            return Some(());
        }
        if set & 1 == 1 {
            for number in 0..count {
                let swapped = swapped_group(number / MAX_GROUPS + 1, number % MAX_GROUPS);
                if swapped > number {
                    block.swap(number, swapped);
                }
            }
        }
        let set = set & !1;
        for a in 1..positions.len() {
            let image = if set >> a & 1 == 1 { a + 1 } else { a - usize::from(set >> (a - 1) & 1 == 1) };
            // The exchanges of the points other than 0 and `a`.
            let rest = (set & ((1 << (a - 1)) - 1)) >> 1 | set >> (a + 1) << (a - 1);
            let first = block[(image - 1) * MAX_GROUPS..image * MAX_GROUPS].as_ptr().cast();
            let source = Groups { first, stride: GROUP_LANES };
            let map = maps.of_exchange(positions.len() - 2, rest);
            // SAFETY: a part has eight ends.
            unsafe { self.add_mapped(map, source, (a - 1) * MAX_GROUPS, MAX_GROUPS) };
        }
        Some(())
    }
}

/// Adds weights to a group of sums. Returns the bitwise OR of the sums and `seen`.
///
/// # Safety
/// AVX-512 must be present.
#[inline(always)]
unsafe fn add_to_group(group: &mut [u32; GROUP_LANES], weights: __m512i, seen: __m512i) -> __m512i {
    let place: *mut __m512i = group.as_mut_ptr().cast();
    // SAFETY: a group has sixteen lanes.
    unsafe {
        let sum = _mm512_add_epi32(_mm512_loadu_si512(place), weights);
        _mm512_storeu_si512(place, sum);
        _mm512_or_si512(seen, sum)
    }
}

/// Groups in memory that begin at a multiple of their length.
#[repr(C, align(64))]
struct AlignedGroups([[u32; GROUP_LANES]; TEN_POINT_GROUPS]);

/// Returns the numbers of weights of the source block and of the target block of a map; `None` for
/// the identity.
#[inline(always)]
fn block_lengths(map: MatchingMap) -> Option<(usize, usize)> {
    let (points, fewer_in_source, fewer_in_target) = match map {
        MatchingMap::Identity => return None,
        MatchingMap::Move(points) => (points, 0, 0),
        MatchingMap::Contract(points) => (points, 0, 2),
        MatchingMap::Create(points) => (points, 2, 0),
    };
    let n = usize::from(points.n);
    Some((matching_count(n - fewer_in_source), matching_count(n - fewer_in_target)))
}

impl BlockTerms<'_> {
    /// Sums the block into the first of two buffers, if it has at most [`TEN_POINT_WEIGHTS`]
    /// weights. Returns `None` if there is a term that these kernels cannot add, or if others are
    /// faster.
    ///
    /// # Safety
    /// AVX-512 must be present.
    #[inline(always)]
    pub unsafe fn sum_in_lanes(self, maps: &LaneMaps, buffers: &mut [LaneBlock; 2]) -> Option<LaneSum> {
        // SAFETY: the caller promises AVX-512.
        unsafe {
            match self.len.div_ceil(GROUP_WEIGHTS) {
                1 => self.sum_groups::<1>(maps, buffers),
                MAX_GROUPS => self.sum_groups::<MAX_GROUPS>(maps, buffers),
                TEN_POINT_GROUPS if !self.is_mostly_dense() => {
                    self.sum_groups::<TEN_POINT_GROUPS>(maps, buffers)
                }
                _ => None,
            }
        }
    }

    /// Returns true if most terms have sources with zeros, which need not be expanded.
    fn is_mostly_dense(self) -> bool {
        let all = self.terms.iter().chain(self.mirrored.terms);
        let sparse_terms = all.filter(|term| matches!(term.source, Weights::Sparse(_))).count();
        2 * sparse_terms < self.terms.len() + self.mirrored.terms.len()
    }

    /// Computes [`Self::sum_in_lanes`] for a block of `G` groups.
    ///
    /// # Safety
    /// AVX-512 must be present.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn sum_groups<const G: usize>(
        self,
        maps: &LaneMaps,
        [block, image]: &mut [LaneBlock; 2],
    ) -> Option<LaneSum> {
        let Self { len, terms, mirrored } = self;
        // SAFETY: the caller promises AVX-512; both blocks have the same number of groups.
        unsafe {
            let mut sums = Sums::new(&mut block.groups[..G], len);
            let mut is_folded = false;
            if !mirrored.terms.is_empty() {
                let image = &mut image.groups[..G];
                let mut image_sums = Sums::new(image, len);
                image_sums.add_terms(maps, mirrored.terms)?;
                sums.seen = image_sums.seen;
                is_folded = _mm512_test_epi32_mask(sums.seen, sums.seen) != 0;
                if is_folded {
                    sums.add_exchanged(maps, image, mirrored.image_positions)?;
                }
            }
            sums.add_terms(maps, terms)?;
            Some(LaneSum { seen: _mm512_reduce_or_epi32(sums.seen) as u32, is_folded })
        }
    }
}
