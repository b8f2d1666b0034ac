//! Weights in slabs.
//!
//! Chunks of a layer come and go and are of all sizes. As one vector each they leave holes that the next does not fit:
//! half as much memory again as all of them have together; the greatest are even given back to the system and asked for
//! again. Slabs of at most 16 MiB fit more easily where some were before, and none is too long for the heap.
//!
//! ```text
//! place     0 ..        each ..     2 each ..
//! slabs     [        ] [        ] [    ]          all but the last are full
//! ```
//!
//! A stretch that begins in one slab and ends in another is copied where it is wanted in one piece, so slabs are
//! several times as long as stretches.

use std::borrow::Cow;
use std::collections::TryReserveError;
use std::ops::{Index, IndexMut, Range};

/// How much room blocks take.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Weights at most.
    pub places: usize,
    /// Of the longest block.
    pub longest: usize,
    /// How many are not zero, about, if the others are to be left out.
    pub states: Option<usize>,
}

impl Sizes {
    /// Weights that are there, about.
    #[must_use]
    pub fn expected(self) -> usize {
        self.states.unwrap_or(self.places)
    }

    /// Those of the longest block.
    #[must_use]
    pub fn longest_expected(self) -> usize {
        (self.longest as f64 * self.expected() as f64 / self.places.max(1) as f64) as usize
    }
}

/// Entries of the shortest slabs, but in tests, which have many slabs on small boards; and bytes of the longest.
const SHORTEST: usize = if cfg!(test) { 1 << 10 } else { 1 << 18 };
const LONGEST: usize = 1 << 24;

/// Entries that there is room for where none are expected any more.
const FEWEST: usize = 64;

/// A vector in slabs.
#[derive(Clone, Debug)]
pub struct Slabs<T> {
    /// All but the last are full.
    slabs: Vec<Vec<T>>,
    /// Of the entries of a slab, the logarithm.
    shift: u32,
    /// How many entries may come yet, as far as is known.
    expected: usize,
}

impl<T: PartialEq> PartialEq for Slabs<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<T> Default for Slabs<T> {
    fn default() -> Self {
        Self::with_capacity(0, 0)
    }
}

impl<T> Slabs<T> {
    /// For about so many entries, and stretches of up to `longest`; more are no error. A slab has a power of two of
    /// entries, 1024 or more: eight of the longest stretches or a quarter of all, but no more than 16 MiB. Where that
    /// is too short for stretches there is one slab for all that are expected.
    #[must_use]
    pub fn with_capacity(expected: usize, longest: usize) -> Self {
        let most = LONGEST / size_of::<T>();
        let wanted = longest.saturating_mul(8);
        let each = match wanted.max(expected / 4).clamp(SHORTEST, most).next_power_of_two() {
            each if each < wanted => {
                each.max(expected.next_power_of_two()).max((2 * longest).next_power_of_two())
            }
            each => each,
        };
        Self { slabs: Vec::with_capacity(expected.div_ceil(each)), shift: each.trailing_zeros(), expected }
    }

    /// Entries of a slab.
    #[inline(always)]
    const fn each(&self) -> usize {
        1 << self.shift
    }

    /// Entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slabs.last().map_or(0, |last| ((self.slabs.len() - 1) << self.shift) + last.len())
    }

    /// Bytes held, unused room included.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.slabs.iter().map(|slab| (slab.capacity() * size_of::<T>()) as u64).sum()
    }

    /// The slabs, one after the other.
    pub fn pieces(&self) -> impl Iterator<Item = &[T]> {
        self.slabs.iter().map(Vec::as_slice)
    }

    /// The entries, one after the other.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.slabs.iter().flatten()
    }

    /// Where an entry is.
    #[inline(always)]
    const fn at(&self, place: usize) -> (usize, usize) {
        (place >> self.shift, place & (self.each() - 1))
    }

    /// The last slab, if there is room for `more` entries in it.
    #[inline]
    pub fn room(&mut self, more: usize) -> Option<&mut Vec<T>> {
        let each = self.each();
        if self.slabs.last().is_none_or(|last| last.len() == each) {
            self.grow();
        }
        let last = self.slabs.last_mut().filter(|last| each - last.len() >= more)?;
        // Less was expected: half as much again.
        if last.capacity() - last.len() < more {
            last.reserve_exact(more.max(last.len() / 2).min(each - last.len()));
        }
        Some(last)
    }

    #[inline(never)]
    fn grow(&mut self) {
        let each = self.each();
        let first = if self.expected == 0 { FEWEST } else { self.expected.min(each) };
        self.slabs.push(Vec::with_capacity(first));
        self.expected = self.expected.saturating_sub(each);
    }

    /// Appends an entry.
    #[inline]
    pub fn push(&mut self, entry: T) {
        self.room(1).expect("a slab has room for one at least").push(entry);
    }

    /// The last `len` entries, if they are in one slab.
    #[must_use]
    pub fn last(&self, len: usize) -> Option<&[T]> {
        let last = self.slabs.last()?;
        last.get(last.len().checked_sub(len)?..)
    }

    /// Leaves out the last `len` entries.
    ///
    /// # Panics
    /// If they are not in one slab.
    pub fn cut(&mut self, len: usize) {
        let last = self.slabs.last_mut().expect("there are entries");
        let left = last.len().checked_sub(len).expect("they are in one slab");
        last.truncate(left);
    }

    /// Gives back what is not used.
    pub fn shrink_to_fit(&mut self) {
        self.slabs.pop_if(|last| last.is_empty());
        if let Some(last) = self.slabs.last_mut() {
            last.shrink_to_fit();
        }
    }

    /// For exactly so many entries, all room at once.
    ///
    /// # Errors
    /// There is no memory.
    pub fn reserved(len: usize) -> Result<Self, TryReserveError> {
        // What is asked for in pieces is known to be there as a whole first, not touched.
        let mut all = Vec::<T>::new();
        all.try_reserve_exact(len)?;
        drop(std::hint::black_box(all));
        Ok(Self::with_capacity(len, 0))
    }
}

impl<T: Copy> Slabs<T> {
    /// The same of every entry, in slabs as long.
    #[must_use]
    pub fn map<U>(&self, of: impl Fn(T) -> U) -> Slabs<U> {
        let slabs = self.slabs.iter().map(|slab| slab.iter().map(|&entry| of(entry)).collect()).collect();
        Slabs { slabs, shift: self.shift, expected: 0 }
    }

    /// The `len` entries from a place on, if they are in one slab.
    #[inline(always)]
    #[must_use]
    pub fn within(&self, place: usize, len: usize) -> Option<&[T]> {
        let (slab, from) = self.at(place);
        self.slabs.get(slab)?.get(from..from + len)
    }

    /// A stretch in one piece.
    ///
    /// # Panics
    /// If it ends beyond the last entry.
    #[inline(always)]
    #[must_use]
    pub fn slice(&self, places: Range<usize>) -> Cow<'_, [T]> {
        assert!(places.start <= places.end);
        match self.within(places.start, places.len()) {
            Some(piece) => Cow::Borrowed(piece),
            None => Cow::Owned(self.copied(places)),
        }
    }

    #[cold]
    #[inline(never)]
    fn copied(&self, places: Range<usize>) -> Vec<T> {
        assert!(places.start <= places.end && places.end <= self.len());
        let mut all = Vec::with_capacity(places.len());
        while all.len() < places.len() {
            let (slab, from) = self.at(places.start + all.len());
            let to = self.each().min(from + places.len() - all.len());
            all.extend_from_slice(&self.slabs[slab][from..to]);
        }
        all
    }

    /// Appends entries.
    pub fn extend_from_slice(&mut self, mut entries: &[T]) {
        while !entries.is_empty() {
            let (_, used) = self.at(self.len());
            let (some, rest) = entries.split_at(entries.len().min(self.each() - used));
            self.room(some.len()).expect("they fit in what is left of a slab").extend_from_slice(some);
            entries = rest;
        }
    }
}

impl<T> Index<usize> for Slabs<T> {
    type Output = T;

    fn index(&self, place: usize) -> &T {
        let (slab, at) = self.at(place);
        &self.slabs[slab][at]
    }
}

impl<T> IndexMut<usize> for Slabs<T> {
    fn index_mut(&mut self, place: usize) -> &mut T {
        let (slab, at) = self.at(place);
        &mut self.slabs[slab][at]
    }
}

impl<T> FromIterator<T> for Slabs<T> {
    fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> Self {
        let entries = entries.into_iter();
        let mut all = Self::with_capacity(entries.size_hint().0, 0);
        entries.for_each(|entry| all.push(entry));
        all.shrink_to_fit();
        all
    }
}

impl<T> From<Vec<T>> for Slabs<T> {
    fn from(entries: Vec<T>) -> Self {
        entries.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const EACH: usize = SHORTEST;

    proptest! {
        #[test]
        fn slabs_are_one_vector(expected in 0..3 * EACH, longest in 0..EACH / 4, pieces in prop::collection::vec(0..EACH + 9, 0..4), ends in any::<(u32, u32)>()) {
            let (mut slabs, mut plain) = (Slabs::with_capacity(expected, longest), Vec::new());
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
            prop_assert_eq!(&slabs.iter().copied().collect::<Slabs<_>>(), &plain.clone().into());
            prop_assert_eq!(slabs.pieces().flatten().copied().collect::<Vec<_>>(), plain.clone());
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
    fn nothing_is_read_beyond_the_last() {
        let _ = Slabs::from(vec![1u64; 20000]).slice(16000..20001);
    }

    #[test]
    fn what_is_expected_is_all_the_room_there_is() {
        let mut slabs = Slabs::with_capacity(EACH + 10, 9);
        (0..EACH as u128 + 10).for_each(|entry| slabs.push(entry));
        assert_eq!(slabs.bytes(), 16 * (EACH as u64 + 10));
        assert!(slabs.room(7).is_some(), "more is no error");
        assert_eq!(slabs.bytes(), 16 * (EACH as u64 + 17));
        assert!(slabs.room(EACH).is_none());
    }
}
