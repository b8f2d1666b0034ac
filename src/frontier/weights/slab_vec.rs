//! Vectors in slabs of bounded length, and the sizes that vectors of blocks are expected to have.
//!
//! Chunks of a layer are allocated and freed in all sizes. If each chunk were one vector, the heap
//! would have holes that are too small for the next chunk; all holes together would take half as
//! much memory as the chunks. The greatest vectors would even be returned to the system and
//! requested again. Slabs of at most 16 MiB fit more easily into freed memory, and no slab is too
//! long for the heap.
//!
//! ```text
//! index     0 ..      len ..    2 len ..
//! slabs     [        ] [        ] [    ]          all but the last are full
//! ```
//!
//! A range that begins in one slab and ends in another is copied where it must be contiguous. Slabs
//! are therefore several times as long as the ranges that are read.

use std::borrow::Cow;
use std::collections::TryReserveError;
use std::ops::{Index, IndexMut, Range};

/// Expected size of a vector that consists of blocks of weights.
#[derive(Clone, Copy, Debug)]
pub struct BlockCapacity {
    /// Greatest number of weights of the vector.
    pub max_weights: usize,
    /// Number of weights of the longest block.
    pub longest_block: usize,
    /// Approximate number of nonzero weights if zeros are not stored; `None` if all weights are stored.
    pub expected_nonzero: Option<usize>,
}

impl BlockCapacity {
    /// Returns the approximate number of weights that the vector will store.
    #[must_use]
    pub fn stored_weights(self) -> usize {
        self.expected_nonzero.unwrap_or(self.max_weights)
    }

    /// Returns the approximate number of weights that the vector will store for its longest block.
    #[must_use]
    pub fn stored_weights_of_longest_block(self) -> usize {
        (self.longest_block as f64 * self.stored_weights() as f64 / self.max_weights.max(1) as f64) as usize
    }
}

/// Minimum number of entries of a full slab. It is less in tests, so that small boards have many
/// slabs.
const MIN_SLAB_ENTRIES: usize = if cfg!(test) { 1 << 10 } else { 1 << 18 };

/// Maximum number of bytes of a slab that has room for eight of the longest ranges.
const MAX_SLAB_BYTES: usize = 1 << 24;

/// Initial capacity, in entries, of each slab that is added after the expected number of entries is
/// reached.
const UNEXPECTED_SLAB_ENTRIES: usize = 64;

/// A vector in slabs. All full slabs have the same number of entries, a power of two.
#[derive(Clone, Debug)]
pub struct SlabVec<T> {
    /// The slabs, in the order of their entries. All but the last are full.
    slabs: Vec<Vec<T>>,
    /// Binary logarithm of the number of entries of a full slab.
    log2_slab_len: u32,
    /// Number of further entries that are expected beyond the capacity of the present slabs.
    expected_entries: usize,
}

impl<T: PartialEq> PartialEq for SlabVec<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<T> Default for SlabVec<T> {
    fn default() -> Self {
        Self::with_capacity(0, 0)
    }
}

impl<T> SlabVec<T> {
    /// Returns an empty vector for about `expected` entries, which will be read in ranges of up to
    /// `longest` entries. More entries and longer ranges are possible. The number of entries of a
    /// slab is a power of two, at least 2^18. A slab has room for eight of the longest ranges or a
    /// quarter of all entries, whichever is more, but no more than 16 MiB. If 16 MiB are too short
    /// for eight ranges, one slab is long enough for all expected entries.
    #[must_use]
    pub fn with_capacity(expected: usize, longest: usize) -> Self {
        let max_entries = MAX_SLAB_BYTES / size_of::<T>();
        let preferred_len = longest.saturating_mul(8);
        let each =
            match preferred_len.max(expected / 4).clamp(MIN_SLAB_ENTRIES, max_entries).next_power_of_two() {
                each if each < preferred_len => {
                    each.max(expected.next_power_of_two()).max((2 * longest).next_power_of_two())
                }
                each => each,
            };
        Self {
            slabs: Vec::with_capacity(expected.div_ceil(each)),
            log2_slab_len: each.trailing_zeros(),
            expected_entries: expected,
        }
    }

    /// Returns the number of entries of a full slab.
    #[inline(always)]
    const fn slab_len(&self) -> usize {
        1 << self.log2_slab_len
    }

    /// Returns the number of entries of the vector.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slabs.last().map_or(0, |last| ((self.slabs.len() - 1) << self.log2_slab_len) + last.len())
    }

    /// Returns the number of allocated bytes, including unused capacity.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.slabs.iter().map(|slab| (slab.capacity() * size_of::<T>()) as u64).sum()
    }

    /// Iterates over the slabs.
    pub fn as_slices(&self) -> impl Iterator<Item = &[T]> {
        self.slabs.iter().map(Vec::as_slice)
    }

    /// Iterates over the entries.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.slabs.iter().flatten()
    }

    /// Returns the index of the slab that holds the entry at `position`, and the index of the entry
    /// in that slab.
    #[inline(always)]
    const fn locate(&self, position: usize) -> (usize, usize) {
        (position >> self.log2_slab_len, position & (self.slab_len() - 1))
    }

    /// Returns the last slab if `more` further entries fit into it, else `None`. If the last slab
    /// is already full, adds a new slab first.
    #[inline]
    pub fn reserve_contiguous(&mut self, more: usize) -> Option<&mut Vec<T>> {
        let each = self.slab_len();
        if self.slabs.last().is_none_or(|last| last.len() == each) {
            self.push_slab();
        }
        let last = self.slabs.last_mut().filter(|last| each - last.len() >= more)?;
        // The slab has more entries than were expected: grow it by a half.
        if last.capacity() - last.len() < more {
            last.reserve_exact(more.max(last.len() / 2).min(each - last.len()));
        }
        Some(last)
    }

    #[inline(never)]
    fn push_slab(&mut self) {
        let each = self.slab_len();
        let first = if self.expected_entries == 0 {
            UNEXPECTED_SLAB_ENTRIES
        } else {
            self.expected_entries.min(each)
        };
        self.slabs.push(Vec::with_capacity(first));
        self.expected_entries = self.expected_entries.saturating_sub(each);
    }

    /// Appends an entry.
    #[inline]
    pub fn push(&mut self, entry: T) {
        self.reserve_contiguous(1).expect("a slab has capacity for an entry").push(entry);
    }

    /// Appends all entries of `other`, whose slabs are freed one by one.
    pub fn append(&mut self, other: Self)
    where
        T: Copy,
    {
        for slab in other.slabs {
            self.extend_from_slice(&slab);
        }
    }

    /// Returns the last `len` entries if all of them are in one slab.
    #[must_use]
    pub fn last_contiguous(&self, len: usize) -> Option<&[T]> {
        let last = self.slabs.last()?;
        last.get(last.len().checked_sub(len)?..)
    }

    /// Removes the last `len` entries.
    ///
    /// # Panics
    /// If these entries are not all in one slab.
    pub fn remove_last(&mut self, len: usize) {
        let last = self.slabs.last_mut().expect("the vector is not empty");
        let left = last.len().checked_sub(len).expect("the last entries are in one slab");
        last.truncate(left);
    }

    /// Frees unused capacity.
    pub fn shrink_to_fit(&mut self) {
        self.slabs.pop_if(|last| last.is_empty());
        if let Some(last) = self.slabs.last_mut() {
            last.shrink_to_fit();
        }
    }

    /// Returns an empty vector for `len` entries, after a check that memory for all of them can be
    /// allocated.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn try_with_len(len: usize) -> Result<Self, TryReserveError> {
        // Slabs are allocated one by one: a single untouched allocation tests the total of several first.
        if len > MAX_SLAB_BYTES / size_of::<T>() {
            let mut all = Vec::<T>::new();
            all.try_reserve_exact(len)?;
            drop(std::hint::black_box(all));
        }
        Ok(Self::with_capacity(len, 0))
    }
}

impl<T: Copy> SlabVec<T> {
    /// Returns a vector of the converted entries, in slabs of the same number of entries.
    #[must_use]
    pub fn map<U>(&self, convert: impl Fn(T) -> U) -> SlabVec<U> {
        let slabs =
            self.slabs.iter().map(|slab| slab.iter().map(|&entry| convert(entry)).collect()).collect();
        SlabVec { slabs, log2_slab_len: self.log2_slab_len, expected_entries: 0 }
    }

    /// Returns the `len` entries from index `start` on, if all of them are in one slab.
    #[inline(always)]
    #[must_use]
    pub fn contiguous(&self, start: usize, len: usize) -> Option<&[T]> {
        let (slab, from) = self.locate(start);
        self.slabs.get(slab)?.get(from..from + len)
    }

    /// Returns a range of entries. The entries are copied if they are in several slabs.
    ///
    /// # Panics
    /// If the range ends beyond the last entry.
    #[inline(always)]
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Cow<'_, [T]> {
        assert!(range.start <= range.end);
        match self.contiguous(range.start, range.len()) {
            Some(piece) => Cow::Borrowed(piece),
            None => Cow::Owned(self.copy_range(range)),
        }
    }

    #[cold]
    #[inline(never)]
    fn copy_range(&self, range: Range<usize>) -> Vec<T> {
        assert!(range.start <= range.end && range.end <= self.len());
        let mut all = Vec::with_capacity(range.len());
        while all.len() < range.len() {
            let (slab, from) = self.locate(range.start + all.len());
            let to = self.slab_len().min(from + range.len() - all.len());
            all.extend_from_slice(&self.slabs[slab][from..to]);
        }
        all
    }

    /// Appends a slice of entries.
    pub fn extend_from_slice(&mut self, mut entries: &[T]) {
        while !entries.is_empty() {
            let (_, used) = self.locate(self.len());
            let (some, rest) = entries.split_at(entries.len().min(self.slab_len() - used));
            self.reserve_contiguous(some.len())
                .expect("the entries fit the rest of the slab")
                .extend_from_slice(some);
            entries = rest;
        }
    }
}

impl<T> Index<usize> for SlabVec<T> {
    type Output = T;

    fn index(&self, position: usize) -> &T {
        let (slab, at) = self.locate(position);
        &self.slabs[slab][at]
    }
}

impl<T> IndexMut<usize> for SlabVec<T> {
    fn index_mut(&mut self, position: usize) -> &mut T {
        let (slab, at) = self.locate(position);
        &mut self.slabs[slab][at]
    }
}

impl<T> FromIterator<T> for SlabVec<T> {
    fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> Self {
        let entries = entries.into_iter();
        let mut all = Self::with_capacity(entries.size_hint().0, 0);
        entries.for_each(|entry| all.push(entry));
        all.shrink_to_fit();
        all
    }
}

impl<T> From<Vec<T>> for SlabVec<T> {
    fn from(entries: Vec<T>) -> Self {
        entries.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SLAB_LEN: usize = MIN_SLAB_ENTRIES;

    proptest! {
        #[test]
        fn slab_vec_behaves_as_vec(expected in 0..3 * SLAB_LEN, longest in 0..SLAB_LEN / 4, pieces in prop::collection::vec(0..SLAB_LEN + 9, 0..4), ends in any::<(u32, u32)>()) {
            let (mut slabs, mut plain) = (SlabVec::with_capacity(expected, longest), Vec::new());
            for piece in pieces {
                let entries: Vec<u128> = (plain.len() as u128..).take(piece).collect();
                if piece % 3 == 0 {
                    entries.iter().for_each(|&entry| slabs.push(entry));
                } else {
                    slabs.extend_from_slice(&entries);
                }
                plain.extend(entries);
                prop_assert_eq!(slabs.len(), plain.len());
            }
            slabs.shrink_to_fit();
            prop_assert_eq!(slabs.bytes(), 16 * plain.len() as u64);
            prop_assert_eq!(&slabs.iter().copied().collect::<SlabVec<_>>(), &plain.clone().into());
            prop_assert_eq!(slabs.as_slices().flatten().copied().collect::<Vec<_>>(), plain.clone());
            let end = ends.0 as usize % (plain.len() + 1);
            let start = ends.1 as usize % (end + 1);
            prop_assert_eq!(&*slabs.slice(start..end), &plain[start..end]);
            if end > start {
                slabs[start] += 7;
                prop_assert_eq!((slabs[start], slabs[end - 1] >= plain[end - 1]), (plain[start] + 7, true));
            }
        }
    }

    #[test]
    #[should_panic]
    fn slice_beyond_end_panics() {
        let _ = SlabVec::from(vec![1u64; 20000]).slice(16000..20001);
    }

    #[test]
    fn capacity_is_expected_entries() {
        let mut slabs = SlabVec::with_capacity(SLAB_LEN + 10, 9);
        (0..SLAB_LEN as u128 + 10).for_each(|entry| slabs.push(entry));
        assert_eq!(slabs.bytes(), 16 * (SLAB_LEN as u64 + 10));
        assert!(slabs.reserve_contiguous(7).is_some(), "more entries than expected are no error");
        assert_eq!(slabs.bytes(), 16 * (SLAB_LEN as u64 + 17));
        assert!(slabs.reserve_contiguous(SLAB_LEN).is_none());
    }
}
