//! Sums of short blocks in vector registers, from the first term to the last.
//!
//! A block of up to eight ends takes up to seven groups of lanes, and so does each of its terms. A block
//! of ten ends has nine parts of eight ends, one for each mate of its first point; a map of ten ends
//! maps parts to parts. Sparse sources are expanded part by part in registers, and parts without any
//! weight are passed over.

use super::block_term::{BlockTerms, Term};
use super::lane_map::{
    GROUP_LANES, GROUP_WEIGHTS, LaneBlock, LaneMap, LaneMaps, MAX_GROUPS, PART_WEIGHTS, TEN_POINT_GROUPS,
    TEN_POINT_WEIGHTS, exchange_set, swapped_group,
};
use super::lane_source::{Groups, LoadGroup, OnlyGroup, Source, empty_buffer};
use super::lanes::{Avx512Lanes, Lanes, with_widest_lanes};
use super::matching_map::PointPair;
use super::matching_map::{ContractedPart, MatchingMap, contracted_part, part_without, position_after_move};
use super::vector::Weights;
use crate::cpu_features::has_avx512;
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
/// inlined into kernels that are compiled for the instructions of `L`.
struct Sums<'b, L> {
    groups: &'b mut [[u32; GROUP_LANES]],
    /// Number of weights of the block.
    len: usize,
    seen: L,
}

impl<'b, L: Lanes> Sums<'b, L> {
    /// Returns sums that are zero.
    ///
    /// # Safety
    /// The instructions of `L` must be present.
    #[inline(always)]
    unsafe fn new(groups: &'b mut [[u32; GROUP_LANES]], len: usize) -> Self {
        groups.fill([0; GROUP_LANES]);
        // SAFETY: the caller promises the instructions.
        Self { groups, len, seen: unsafe { L::zeros() } }
    }

    /// Adds source groups, by the steps of a map, to `count` groups from `first` on.
    ///
    /// # Safety
    /// The instructions of `L` must be present, and the source have the groups of the map.
    #[inline(always)]
    unsafe fn add_mapped(&mut self, map: LaneMap, source: impl LoadGroup<L>, first: usize, count: usize) {
        let (mut lanes, mut numbers) = (map.lanes.as_ptr(), map.groups.as_ptr());
        let mut seen = self.seen;
        for (group, &steps) in self.groups[first..first + count].iter_mut().zip(map.step_counts) {
            // SAFETY: a group of sums has sixteen lanes. A map has as many steps as its counts add up to; the
            // caller promises the groups of the source.
            unsafe {
                let mut sum = L::load(group.as_ptr());
                for _ in 0..steps {
                    sum = sum.sum(source.load(usize::from(*numbers)).permuted(&*lanes));
                    seen = seen.bit_or(sum);
                    (lanes, numbers) = (lanes.add(1), numbers.add(1));
                }
                sum.store(group.as_mut_ptr());
            }
        }
        self.seen = seen;
    }

    /// Adds a part of seven groups to the groups from `first` on.
    ///
    /// # Safety
    /// The instructions of `L` must be present.
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
    /// The instructions of `L` must be present.
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
    /// The instructions of `L` must be present, and the source have `term.len` weights.
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
                let mut buffer = empty_buffer::<L>();
                if let Some(groups) = source.take_groups(&mut buffer) {
                    self.add_mapped(map, groups, 0, count);
                }
            }
        }
    }

    /// Adds a term, whose weights are `source`, to a block of ten ends.
    ///
    /// # Safety
    /// The instructions of `L` must be present, and the source have `term.len` weights.
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
    /// The instructions of `L` must be present, and the source have the weights of ten ends.
    unsafe fn add_moved_ten(&mut self, source: &mut Source, maps: &LaneMaps, i: usize, j: usize) {
        // SAFETY: the caller promises the instructions and the weights of ten ends.
        unsafe {
            L::with_instructions(
                #[inline(always)]
                || self.add_moved_ten_inlined(source, maps, i, j),
            );
        }
    }

    /// Computes [`Self::add_moved_ten`].
    ///
    /// # Safety
    /// As for [`Self::add_moved_ten`].
    #[inline(always)]
    unsafe fn add_moved_ten_inlined(&mut self, source: &mut Source, maps: &LaneMaps, i: usize, j: usize) {
        let mut buffer = empty_buffer::<L>();
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
                    self.seen = add_to_group(&mut self.groups[target], L::load(group.as_ptr()), self.seen);
                }
            }
            return;
        }
        for a in 1..10 {
            // SAFETY: the source has a part for each mate of point 0.
            let Some(part) = (unsafe { source.take_groups(&mut buffer) }) else { continue };
            for number in 0..MAX_GROUPS {
                let to = scratch.0[swapped_group(a, number)].as_mut_ptr();
                // SAFETY: a part has seven groups; a group has sixteen lanes.
                unsafe { LoadGroup::<L>::load(part, number).store(to) };
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
    /// The instructions of `L` must be present, and the part have eight ends.
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
    /// The instructions of `L` must be present, and the source have the weights of ten ends.
    unsafe fn add_contracted_ten(
        &mut self,
        source: &mut Source,
        maps: &LaneMaps,
        points: PointPair,
        first: usize,
    ) {
        // SAFETY: the caller promises the instructions and the weights of ten ends.
        unsafe {
            L::with_instructions(
                #[inline(always)]
                || self.add_contracted_ten_inlined(source, maps, points, first),
            );
        }
    }

    /// Computes [`Self::add_contracted_ten`].
    ///
    /// # Safety
    /// As for [`Self::add_contracted_ten`].
    #[inline(always)]
    unsafe fn add_contracted_ten_inlined(
        &mut self,
        source: &mut Source,
        maps: &LaneMaps,
        points: PointPair,
        first: usize,
    ) {
        let mut buffer = empty_buffer::<L>();
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
    /// The instructions of `L` must be present, and the source have the weights of eight ends.
    #[inline(always)]
    unsafe fn add_created_ten(&mut self, source: &mut Source, maps: &LaneMaps, points: PointPair) {
        let (n, i, j) = points.to_indices();
        let mut buffer = empty_buffer::<L>();
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
    /// The instructions of `L` must be present, and the blocks have equal numbers of groups.
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
/// The instructions of `L` must be present.
#[inline(always)]
unsafe fn add_to_group<L: Lanes>(group: &mut [u32; GROUP_LANES], weights: L, seen: L) -> L {
    // SAFETY: a group has sixteen lanes.
    unsafe {
        let sum = L::load(group.as_ptr()).sum(weights);
        sum.store(group.as_mut_ptr());
        seen.bit_or(sum)
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
    /// Sums the block into the first of two buffers. Returns `None` if this processor has no kernels for the block
    /// or one of its terms, or if others are faster. With AVX2, only blocks of a single group are faster in registers.
    #[inline(always)]
    pub fn sum_in_lanes(self, maps: &LaneMaps, buffers: &mut [LaneBlock; 2]) -> Option<LaneSum> {
        let group_count = self.len.div_ceil(GROUP_WEIGHTS);
        if group_count == 1 {
            // SAFETY: the instructions were just detected.
            return with_widest_lanes!(L, unsafe { self.sum_groups::<L, 1>(maps, buffers) })?;
        }
        if !has_avx512() {
            return None;
        }
        // SAFETY: AVX-512 was just detected.
        unsafe {
            match group_count {
                MAX_GROUPS => self.sum_groups::<Avx512Lanes, MAX_GROUPS>(maps, buffers),
                TEN_POINT_GROUPS if !self.is_mostly_dense() => {
                    self.sum_groups::<Avx512Lanes, TEN_POINT_GROUPS>(maps, buffers)
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
    /// The instructions of `L` must be present.
    unsafe fn sum_groups<L: Lanes, const G: usize>(
        self,
        maps: &LaneMaps,
        [block, image]: &mut [LaneBlock; 2],
    ) -> Option<LaneSum> {
        let Self { len, terms, mirrored } = self;
        // SAFETY: the caller promises the instructions; both blocks have the same number of groups.
        unsafe {
            L::with_instructions(
                #[inline(always)]
                || {
                    let mut sums = Sums::<L>::new(&mut block.groups[..G], len);
                    let mut is_folded = false;
                    if !mirrored.terms.is_empty() {
                        let image = &mut image.groups[..G];
                        let mut image_sums = Sums::<L>::new(image, len);
                        image_sums.add_terms(maps, mirrored.terms)?;
                        sums.seen = image_sums.seen;
                        is_folded = sums.seen.or_of_all() != 0;
                        if is_folded {
                            sums.add_exchanged(maps, image, mirrored.image_positions)?;
                        }
                    }
                    sums.add_terms(maps, terms)?;
                    Some(LaneSum { seen: sums.seen.or_of_all(), is_folded })
                },
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::block_term::MirroredTerms;
    use super::super::lanes::Avx2Lanes;
    use super::super::matching_tables::{MAX_TABLE_POINTS, MapTables};
    use super::super::part_sum::tests::whole_sum;
    use super::*;
    use crate::cpu_features::has_avx2;

    /// The kernels for AVX-512 are the same functions, with other registers.
    #[test]
    fn sums_of_all_lengths_agree_in_registers_of_avx2() {
        if !has_avx2() {
            return;
        }
        let tables = MapTables::new(MAX_TABLE_POINTS);
        let mut buffers = [LaneBlock::ZERO; 2];
        // Enough for two blocks of 12 points, one of which begins within a word of a bitmap.
        let numbers: Vec<u32> =
            (0..21_000).map(|x| if x % 7 < 2 || x % 1000 < 300 { 1 + x % 999 } else { 0 }).collect();
        let dense = Weights::W32(numbers.into());
        let sparse = dense.to_sparse();
        for n in (0..=10).step_by(2) {
            let len = matching_count(n);
            let pairs = |n: usize| (0..n).flat_map(move |i| (0..n).map(move |j| PointPair::new(n, i, j)));
            let ordered = |n: usize| pairs(n).filter(|points| points.i < points.j);
            let mut maps = vec![(len, MatchingMap::Identity)];
            maps.extend(pairs(n).map(|points| (len, MatchingMap::Move(points))));
            maps.extend(ordered(n + 2).map(|points| (matching_count(n + 2), MatchingMap::Contract(points))));
            if n > 0 {
                maps.extend(ordered(n).map(|points| (matching_count(n - 2), MatchingMap::Create(points))));
            }
            let exchanged: Vec<u8> = (0..n as u8).map(|p| if p < 4 { p ^ 1 } else { p }).collect();
            let same: Vec<u8> = (0..n as u8).collect();
            for (number, &(source_len, map)) in maps.iter().enumerate() {
                let term = |source, offset| Term { source, offset, len: source_len, map, factor: 1 };
                let terms = [term(&sparse, 37 * number), term(&dense, 41), term(&sparse, 0)];
                let image_positions = if n >= 4 && number % 2 == 0 { &exchanged } else { &same };
                let mirrored = MirroredTerms { terms: &terms[..number % 3], image_positions };
                let target = BlockTerms { len, terms: &terms[number % 3..], mirrored };
                // SAFETY: AVX2 was just detected.
                let sum = unsafe {
                    match len.div_ceil(GROUP_WEIGHTS) {
                        1 => target.sum_groups::<Avx2Lanes, 1>(tables.lanes(), &mut buffers),
                        MAX_GROUPS => {
                            target.sum_groups::<Avx2Lanes, MAX_GROUPS>(tables.lanes(), &mut buffers)
                        }
                        _ => target.sum_groups::<Avx2Lanes, TEN_POINT_GROUPS>(tables.lanes(), &mut buffers),
                    }
                };
                let expected = whole_sum(&tables, target);
                let found: Vec<u64> = buffers[0].weights(len).map(u64::from).collect();
                assert_eq!(found, expected, "{n} points, {map:?}");
                let sum = sum.expect("the kernels add all of these terms");
                let seen = expected.iter().fold(0, |seen, w| seen | w);
                assert_eq!(u64::from(sum.seen) | seen, u64::from(sum.seen));
                assert!(!sum.is_folded || !mirrored.terms.is_empty());
            }
        }
    }
}
