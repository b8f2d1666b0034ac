//! Sparse vectors: weights many of which are zero, as a bitmap and the nonzero weights.
//!
//! In the first half of a sweep a layer has more positions than states: a matching may need paths longer than
//! the vertices processed so far allow, or another number of them. Adding zeros costs as much as adding
//! numbers, so chunks of mostly zeros leave them out:
//!
//! ```text
//! bitmap    a word of 64 bits for 64 positions, a bit set for each weight that is stored
//! ranks     the number of weights stored before each word
//! values    the stored weights
//! ```
//!
//! Memory: 12 bytes for 64 positions, and 4 bytes for each stored weight. A
//! [`SparseSlice`](crate::frontier::weights::sparse_slice::SparseSlice) is a range of positions.

use std::borrow::Cow;
use std::ops::Range;

use crate::frontier::block::part::{BITMAP_WORD_BITS, ScatterMap, SparseRange, rank};
use crate::frontier::block::slabs::SlabVec;
use crate::frontier::block::width::Width;

/// A vector of 32-bit weights, stored without zeros.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseVec {
    pub(in crate::frontier::block) len: usize,
    pub(in crate::frontier::block) bitmap: Vec<u64>,
    pub(in crate::frontier::block) ranks: Vec<u32>,
    pub(in crate::frontier::block) values: SlabVec<u32>,
}

/// Returns true if `len` weights, `states` of which are not zero, should be stored sparse. Above one half of
/// nonzero weights it is slower to visit them one by one. Where the processor expands fast, the limit is four
/// fifths: beyond it sparse storage saves little.
#[must_use]
pub fn is_sparse_cheaper(width: Width, len: usize, states: u64) -> bool {
    // A sparse weight takes as much memory as two 16-bit positions.
    if width == Width::W16 {
        return 3 * states < len as u64;
    }
    #[cfg(target_arch = "x86_64")]
    let (most, of) = if crate::cpu::has_avx2() { (4, 5) } else { (1, 2) };
    #[cfg(not(target_arch = "x86_64"))]
    let (most, of) = (1, 2);
    let is_worth_it = of * states < most * len as u64 && states < u64::from(u32::MAX);
    is_worth_it && SparseVec::required_bytes(len, states as usize) <= (len * size_of::<u32>()) as u64
}

impl SparseVec {
    /// Returns an empty vector with capacity for `len` positions and `states` stored weights.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn try_with_capacity(len: usize, states: usize) -> Result<Self, std::collections::TryReserveError> {
        let mut new = Self::default();
        new.bitmap.try_reserve_exact(len.div_ceil(BITMAP_WORD_BITS))?;
        new.ranks.try_reserve_exact(len.div_ceil(BITMAP_WORD_BITS))?;
        new.values = SlabVec::try_with_len(states)?;
        Ok(new)
    }

    /// Returns the bytes that `len` positions with `states` stored weights take.
    #[must_use]
    pub const fn required_bytes(len: usize, states: usize) -> u64 {
        (len.div_ceil(BITMAP_WORD_BITS) * (size_of::<u64>() + size_of::<u32>()) + states * size_of::<u32>())
            as u64
    }

    /// Appends up to 64 positions: `map` has a bit for each stored weight, and `weight_at` returns the weight
    /// at a position. All groups before this one must have 64 positions.
    ///
    /// # Panics
    /// If the vector has more than 2^32 - 1 stored weights.
    #[inline(always)]
    pub fn push_group(&mut self, map: u64, len: usize, weight_at: impl Fn(usize) -> u32) {
        debug_assert!(
            self.len.is_multiple_of(BITMAP_WORD_BITS)
                && len <= BITMAP_WORD_BITS
                && map & !(u64::MAX >> (BITMAP_WORD_BITS - len)) == 0
        );
        self.ranks
            .push(u32::try_from(self.values.len()).expect("a chunk has fewer than 2^32 nonzero weights"));
        self.bitmap.push(map);
        self.len += len;
        let mut rest = map;
        while rest != 0 {
            self.values.push(weight_at(rest.trailing_zeros() as usize));
            rest &= rest - 1;
        }
    }

    /// Returns the number of positions.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns the number of stored weights.
    #[must_use]
    pub fn stored_len(&self) -> usize {
        self.values.len()
    }

    /// Returns the number of groups of 64 positions; the last group may be shorter.
    #[must_use]
    pub const fn group_count(&self) -> usize {
        self.bitmap.len()
    }

    /// Returns the bytes allocated, unused capacity included.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (size_of::<u64>() * self.bitmap.capacity() + size_of::<u32>() * self.ranks.capacity()) as u64
            + self.values.bytes()
    }

    /// Returns the weight at a position.
    ///
    /// # Panics
    /// If the position is beyond the last.
    #[must_use]
    pub fn get(&self, place: usize) -> u32 {
        assert!(place < self.len);
        let is_there = self.bitmap[place / BITMAP_WORD_BITS] >> (place % BITMAP_WORD_BITS) & 1 == 1;
        if is_there { self.values[self.rank(place)] } else { 0 }
    }

    /// Returns the weight at a position and replaces it by zero.
    ///
    /// # Panics
    /// If the position is beyond the last.
    pub fn take_weight(&mut self, place: usize) -> u32 {
        assert!(place < self.len);
        let is_there = self.bitmap[place / BITMAP_WORD_BITS] >> (place % BITMAP_WORD_BITS) & 1 == 1;
        let rank = self.rank(place);
        if is_there { std::mem::take(&mut self.values[rank]) } else { 0 }
    }

    /// Returns the number of weights stored before a position.
    #[inline(always)]
    fn rank(&self, place: usize) -> usize {
        rank(&self.bitmap, &self.ranks, place).unwrap_or_else(|| self.values.len())
    }

    /// Returns a range of positions with its weights contiguous.
    ///
    /// # Panics
    /// If the range ends beyond the last position.
    #[inline(always)]
    #[must_use]
    pub fn range(&self, places: Range<usize>) -> SparseRange<'_> {
        assert!(places.start <= places.end && places.end <= self.len);
        let first = self.rank(places.start);
        // If one slab holds as many weights as there are positions, the end of the range need not be
        // computed.
        let values = match self.values.contiguous(first, places.len()) {
            Some(values) => Cow::Borrowed(values),
            None => self.values.slice(first..self.rank(places.end)),
        };
        SparseRange {
            bitmap: &self.bitmap,
            ranks: &self.ranks,
            values,
            start: places.start,
            len: places.len(),
        }
    }

    /// Returns the weights of a group, zeros included, and its number of positions.
    #[must_use]
    pub fn dense_group(&self, group: usize) -> ([u32; BITMAP_WORD_BITS], usize) {
        let mut all = [0; BITMAP_WORD_BITS];
        let len = BITMAP_WORD_BITS.min(self.len - group * BITMAP_WORD_BITS);
        self.range(group * BITMAP_WORD_BITS..group * BITMAP_WORD_BITS + len)
            .as_slice()
            .add_to(&mut all[..len], ScatterMap::Identity);
        (all, len)
    }

    /// Returns the bitmap word of a group and its stored weights. A weight that [`Self::take`] removed is
    /// zero.
    #[must_use]
    pub fn stored_group(&self, group: usize) -> (u64, Cow<'_, [u32]>) {
        let end = self.ranks.get(group + 1).map_or(self.values.len(), |&rank| rank as usize);
        (self.bitmap[group], self.values.slice(self.ranks[group] as usize..end))
    }

    /// Iterates over all weights, zeros included.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.bitmap.len()).flat_map(|group| {
            let (all, len) = self.dense_group(group);
            all.into_iter().take(len)
        })
    }
}

#[cfg(test)]
pub mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::frontier::block::packing::sparse_from_slabs;

    /// Generates weights one in four of which is not zero.
    pub fn sparse_weights() -> impl Strategy<Value = Vec<u32>> {
        let weight = prop_oneof![3 => Just(0), 1 => 1..u32::MAX / 2];
        prop::collection::vec(weight, 1..300)
    }

    proptest! {
        #[test]
        fn sparse_vec_keeps_weights_and_positions(weights in sparse_weights()) {
            let mut all = sparse_from_slabs(&weights.clone().into());
            prop_assert_eq!(all.iter().collect::<Vec<_>>(), weights.clone());
            prop_assert_eq!(all.bytes(), SparseVec::required_bytes(weights.len(), weights.iter().filter(|&&w| w > 0).count()));
            for (place, &weight) in weights.iter().enumerate() {
                prop_assert_eq!((all.get(place), all.take_weight(place), all.get(place)), (weight, weight, 0));
            }
        }
    }

    #[test]
    fn zeros_take_only_bitmap_and_rank_bytes() {
        let mut weights = vec![0; 6400];
        weights[6000] = 7;
        assert_eq!(sparse_from_slabs(&weights.clone().into()).bytes(), 100 * 12 + 4);
    }
}
