//! Weights many of which are zero: a bit for every place, and the others one after the other.
//!
//! Far from its end a sweep has more places than states: what is at a place would need paths that are longer than
//! the vertices done so far, or others than there are. To add zeros costs as much as to add numbers, so chunks of
//! mostly zeros leave them out:
//!
//! ```text
//! map       a word of 64 bits for 64 places, a bit set for each weight that is there
//! ranks     how many are there before the word
//! values    the weights that are there
//! ```
//!
//! A dozen bytes for 64 places, and four for each state. A [`Part`] of it is a stretch of places.

use std::borrow::Cow;
use std::ops::Range;

use crate::frontier::block::part::{GROUP, Held, To, rank};
use crate::frontier::block::slabs::Slabs;
use crate::frontier::block::width::Width;

/// Weights of 32 bits, without their zeros.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packed {
    pub(in crate::frontier::block) len: usize,
    pub(in crate::frontier::block) map: Vec<u64>,
    pub(in crate::frontier::block) ranks: Vec<u32>,
    pub(in crate::frontier::block) values: Slabs<u32>,
}

/// Whether it is better to leave out the zeros of `len` weights with so many `states`: above half of the places it
/// is slower to go over them one by one, and where they can be put back fast, it saves little above four fifths.
#[must_use]
pub fn is_sparse(width: Width, len: usize, states: u64) -> bool {
    // A weight that is there takes as much as two of these places.
    if width == Width::W16 {
        return 3 * states < len as u64;
    }
    #[cfg(target_arch = "x86_64")]
    let (most, of) = if crate::cpu::has_avx2() { (4, 5) } else { (1, 2) };
    #[cfg(not(target_arch = "x86_64"))]
    let (most, of) = (1, 2);
    let is_worth_it = of * states < most * len as u64 && states < u64::from(u32::MAX);
    is_worth_it && Packed::size(len, states as usize) <= (len * size_of::<u32>()) as u64
}

impl Packed {
    /// With room for `len` places, of which `states` have a weight.
    ///
    /// # Errors
    /// There is no memory.
    pub fn with_capacity(len: usize, states: usize) -> Result<Self, std::collections::TryReserveError> {
        let mut new = Self::default();
        new.map.try_reserve_exact(len.div_ceil(GROUP))?;
        new.ranks.try_reserve_exact(len.div_ceil(GROUP))?;
        new.values = Slabs::reserved(states)?;
        Ok(new)
    }

    /// Bytes that `len` places take of which `states` have a weight.
    #[must_use]
    pub const fn size(len: usize, states: usize) -> u64 {
        (len.div_ceil(GROUP) * (size_of::<u64>() + size_of::<u32>()) + states * size_of::<u32>()) as u64
    }

    /// Appends up to 64 places; every one before was of 64.
    ///
    /// # Panics
    /// If there are more weights than can be counted.
    #[inline(always)]
    pub fn push(&mut self, map: u64, len: usize, at: impl Fn(usize) -> u32) {
        debug_assert!(
            self.len.is_multiple_of(GROUP) && len <= GROUP && map & !(u64::MAX >> (GROUP - len)) == 0
        );
        self.ranks.push(u32::try_from(self.values.len()).expect("a chunk has less than 2^32 states"));
        self.map.push(map);
        self.len += len;
        let mut rest = map;
        while rest != 0 {
            self.values.push(at(rest.trailing_zeros() as usize));
            rest &= rest - 1;
        }
    }

    /// Places.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Weights that are there.
    #[must_use]
    pub fn states(&self) -> usize {
        self.values.len()
    }

    /// Groups of 64 places, the last of which may be shorter.
    #[must_use]
    pub const fn groups(&self) -> usize {
        self.map.len()
    }

    /// Bytes held, unused room included.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (size_of::<u64>() * self.map.capacity() + size_of::<u32>() * self.ranks.capacity()) as u64
            + self.values.bytes()
    }

    /// The weight at a place.
    ///
    /// # Panics
    /// If there is no such place.
    #[must_use]
    pub fn get(&self, place: usize) -> u32 {
        assert!(place < self.len);
        let is_there = self.map[place / GROUP] >> (place % GROUP) & 1 == 1;
        if is_there { self.values[self.rank(place)] } else { 0 }
    }

    /// Takes a weight out, so that zero is left.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn take(&mut self, place: usize) -> u32 {
        assert!(place < self.len);
        let is_there = self.map[place / GROUP] >> (place % GROUP) & 1 == 1;
        let rank = self.rank(place);
        if is_there { std::mem::take(&mut self.values[rank]) } else { 0 }
    }

    /// Weights that are there before a place.
    #[inline(always)]
    fn rank(&self, place: usize) -> usize {
        rank(&self.map, &self.ranks, place).unwrap_or_else(|| self.values.len())
    }

    /// A stretch of places, with its weights in one piece.
    ///
    /// # Panics
    /// If it ends beyond the last.
    #[inline(always)]
    #[must_use]
    pub fn held(&self, places: Range<usize>) -> Held<'_> {
        assert!(places.start <= places.end && places.end <= self.len);
        let first = self.rank(places.start);
        // Where it is in one slab whatever there is of it, nobody needs to know how much.
        let values = match self.values.within(first, places.len()) {
            Some(values) => Cow::Borrowed(values),
            None => self.values.slice(first..self.rank(places.end)),
        };
        Held { map: &self.map, ranks: &self.ranks, values, start: places.start, len: places.len() }
    }

    /// The weights of the places of a group, zeros included, and how many places these are.
    #[must_use]
    pub fn group(&self, group: usize) -> ([u32; GROUP], usize) {
        let mut all = [0; GROUP];
        let len = GROUP.min(self.len - group * GROUP);
        self.held(group * GROUP..group * GROUP + len).part().add_to(&mut all[..len], To::Same);
        (all, len)
    }

    /// The word of a group, and the weights that are there; one that was taken out is zero.
    #[must_use]
    pub fn stored(&self, group: usize) -> (u64, Cow<'_, [u32]>) {
        let end = self.ranks.get(group + 1).map_or(self.values.len(), |&rank| rank as usize);
        (self.map[group], self.values.slice(self.ranks[group] as usize..end))
    }

    /// All of them, zeros included.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.map.len()).flat_map(|group| {
            let (all, len) = self.group(group);
            all.into_iter().take(len)
        })
    }
}

#[cfg(test)]
pub mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::frontier::block::packing::packed;

    /// Weights of which every fourth is there.
    pub fn sparse() -> impl Strategy<Value = Vec<u32>> {
        let weight = prop_oneof![3 => Just(0), 1 => 1..u32::MAX / 2];
        prop::collection::vec(weight, 1..300)
    }

    proptest! {
        #[test]
        fn every_weight_is_where_it_was(weights in sparse()) {
            let mut all = packed(&weights.clone().into());
            prop_assert_eq!(all.iter().collect::<Vec<_>>(), weights.clone());
            prop_assert_eq!(all.bytes(), Packed::size(weights.len(), weights.iter().filter(|&&w| w > 0).count()));
            for (place, &weight) in weights.iter().enumerate() {
                prop_assert_eq!((all.get(place), all.take(place), all.get(place)), (weight, weight, 0));
            }
        }
    }

    #[test]
    fn what_is_not_there_takes_no_room() {
        let mut weights = vec![0; 6400];
        weights[6000] = 7;
        assert_eq!(packed(&weights.clone().into()).bytes(), 100 * 12 + 4);
    }
}
