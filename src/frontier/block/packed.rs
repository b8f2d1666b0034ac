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
//! A dozen bytes for 64 places, and four for each state. A *part* of it is a stretch of places, and is added to a
//! block weight by weight: what is left out costs nothing but the look at its word.

use std::mem::MaybeUninit;
use std::ops::Range;

use crate::frontier::block::weight::Widen;
#[cfg(target_arch = "x86_64")]
use crate::frontier::block::{avx2, avx512};

/// Places in a word of the map.
pub const GROUP: usize = u64::BITS as usize;

/// Marks a weight that is left out, where others have the place they go to.
pub const NOWHERE: u16 = u16::MAX;

/// Weights of 32 bits, without their zeros.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packed {
    len: usize,
    map: Vec<u64>,
    ranks: Vec<u32>,
    values: Vec<u32>,
}

/// Whether it is better to leave out the zeros of `len` weights with so many `states`: above half of the places it
/// is slower to go over them one by one, and where they can be put back fast, it saves little above four fifths.
#[must_use]
pub fn is_sparse(len: usize, states: u64) -> bool {
    #[cfg(target_arch = "x86_64")]
    let (most, of) = if crate::cpu::has_avx512() { (4, 5) } else { (1, 2) };
    #[cfg(not(target_arch = "x86_64"))]
    let (most, of) = (1, 2);
    let is_worth_it = of * states < most * len as u64 && states < u64::from(u32::MAX);
    is_worth_it && Packed::size(len, states as usize) <= (len * size_of::<u32>()) as u64
}

/// A stretch of places.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    all: &'a Packed,
    start: usize,
    len: usize,
}

/// Where the weights of a part go.
#[derive(Clone, Copy, Debug)]
pub enum To<'a> {
    /// To their own places.
    Same,
    /// By place, to these.
    Places(&'a [u16]),
    /// By place, to these, or to none where they say [`NOWHERE`] or anything beyond the last.
    Some(&'a [u16]),
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
        new.values.try_reserve_exact(states)?;
        Ok(new)
    }

    /// Bytes that `len` places take of which `states` have a weight.
    #[must_use]
    pub const fn size(len: usize, states: usize) -> u64 {
        (len.div_ceil(GROUP) * (size_of::<u64>() + size_of::<u32>()) + states * size_of::<u32>()) as u64
    }

    /// Of these weights.
    #[must_use]
    pub fn of(weights: &[u32]) -> Self {
        let mut packing = Packing::default();
        packing.append(weights);
        packing.finish()
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
    pub const fn states(&self) -> usize {
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
        (size_of::<u64>() * self.map.capacity()
            + size_of::<u32>() * (self.ranks.capacity() + self.values.capacity())) as u64
    }

    /// Weights at places before this one.
    #[inline(always)]
    fn rank(&self, place: usize) -> usize {
        let (word, bit) = (place / GROUP, place % GROUP);
        match self.map.get(word) {
            Some(map) => self.ranks[word] as usize + (map & ((1 << bit) - 1)).count_ones() as usize,
            None => self.values.len(),
        }
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

    /// A stretch of places.
    ///
    /// # Panics
    /// If it ends beyond the last.
    #[inline(always)]
    #[must_use]
    pub fn part(&self, places: Range<usize>) -> Part<'_> {
        assert!(places.start <= places.end && places.end <= self.len);
        Part { all: self, start: places.start, len: places.len() }
    }

    /// The weights of the places of a group, zeros included, and how many places these are.
    #[must_use]
    pub fn group(&self, group: usize) -> ([u32; GROUP], usize) {
        let mut all = [0; GROUP];
        let len = GROUP.min(self.len - group * GROUP);
        self.part(group * GROUP..group * GROUP + len).add_to(&mut all[..len], To::Same);
        (all, len)
    }

    /// All of them, zeros included.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.map.len()).flat_map(|group| {
            let (all, len) = self.group(group);
            all.into_iter().take(len)
        })
    }
}

/// Packed weights in the making, block by block; what was made before leaves its room.
#[derive(Debug, Default)]
pub struct Packing {
    len: usize,
    map: Vec<u64>,
    values: Vec<u32>,
}

impl Packing {
    /// Leaves the room for others.
    pub fn clear(&mut self) {
        self.len = 0;
        self.map.clear();
        self.values.clear();
    }

    /// Places so far.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Appends weights; how many of them are not zero.
    #[inline]
    pub fn append(&mut self, weights: &[u32]) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if crate::cpu::has_avx512() {
            // SAFETY: AVX-512 was just found, and with it the instructions that count bits.
            return unsafe { self.append_fastest(weights) };
        } else if crate::cpu::has_avx2() {
            // SAFETY: AVX2 was just found, and with it the instructions that count bits.
            return unsafe { self.append_fast(weights) };
        }
        self.append_portable(weights)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn append_fast(&mut self, weights: &[u32]) -> u64 {
        let before = self.values.len();
        self.values.reserve(weights.len());
        let (groups, rest) = weights.as_chunks::<GROUP>();
        for group in groups {
            // SAFETY: the caller found AVX2.
            self.group(group, unsafe { avx2::nonzero(group) });
        }
        // What is left is looked at with as many zeros behind it.
        if !rest.is_empty() {
            let mut group = [0; GROUP];
            group[..rest.len()].copy_from_slice(rest);
            // SAFETY: the caller found AVX2.
            self.group(rest, unsafe { avx2::nonzero(&group) });
        }
        (self.values.len() - before) as u64
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn append_fastest(&mut self, weights: &[u32]) -> u64 {
        for group in weights.chunks(GROUP) {
            // SAFETY: the caller found AVX-512.
            self.mark(group.len(), unsafe { avx512::nonzero(group) });
        }
        self.values.reserve(weights.len() + 15);
        // SAFETY: there is room for all weights and fifteen more.
        unsafe {
            let end = self.values.as_mut_ptr().add(self.values.len());
            let count = avx512::compress(weights, end);
            self.values.set_len(self.values.len() + count);
            count as u64
        }
    }

    fn append_portable(&mut self, weights: &[u32]) -> u64 {
        let before = self.values.len();
        for group in weights.chunks(GROUP) {
            self.group(group, (0..).zip(group).fold(0, |map, (x, &w)| map | u64::from(w != 0) << x));
        }
        (self.values.len() - before) as u64
    }

    /// Appends up to 64 places, some of which are not zero.
    #[inline(always)]
    fn group(&mut self, group: &[u32], there: u64) {
        self.mark(group.len(), there);
        let mut rest = there;
        while rest != 0 {
            self.values.push(group[rest.trailing_zeros() as usize]);
            rest &= rest - 1;
        }
    }

    /// Appends up to 64 places to the map, some of which are not zero.
    #[inline(always)]
    fn mark(&mut self, len: usize, there: u64) {
        let bit = self.len % GROUP;
        if bit == 0 {
            self.map.push(there);
        } else {
            *self.map.last_mut().expect("a word was begun") |= there << bit;
            if bit + len > GROUP {
                self.map.push(there >> (GROUP - bit));
            }
        }
        self.len += len;
    }

    /// What was appended, in no more room than it needs.
    ///
    /// # Panics
    /// If there are more weights than can be counted.
    #[must_use]
    pub fn finish(&self) -> Packed {
        let mut rank = 0;
        let ranks = self.map.iter().map(|map| {
            rank += map.count_ones();
            rank - map.count_ones()
        });
        let ranks = ranks.collect();
        assert!(u32::try_from(self.values.len()).is_ok(), "a chunk has less than 2^32 states");
        Packed { len: self.len, map: self.map.clone(), ranks, values: self.values.clone() }
    }
}

impl Part<'_> {
    /// Places.
    #[inline(always)]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// A stretch of it.
    ///
    /// # Panics
    /// If it ends beyond the last.
    #[inline(always)]
    #[must_use]
    pub fn part(self, places: Range<usize>) -> Self {
        assert!(places.start <= places.end && places.end <= self.len);
        Self { all: self.all, start: self.start + places.start, len: places.len() }
    }

    /// Weights that are there.
    #[inline(always)]
    #[must_use]
    pub fn states(self) -> usize {
        self.all.rank(self.start + self.len) - self.all.rank(self.start)
    }

    /// All weights, zeros included, in `room`, if this processor does that so fast that it is better than to go over
    /// those that are there one by one.
    ///
    /// # Panics
    /// If there is less room.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    #[must_use]
    pub fn expanded(self, room: &mut [MaybeUninit<u32>]) -> Option<&[u32]> {
        if !crate::cpu::has_avx512() || 4 * self.states() < self.len {
            return None;
        }
        let room = &mut room[..self.len];
        // SAFETY: AVX-512 was just found; the part is within the map, its values begin at its rank, and every place of
        // the room is written.
        unsafe {
            let values = self.all.values.as_ptr().add(self.all.rank(self.start));
            avx512::expand(&self.all.map, self.start, self.len, values, room.as_mut_ptr().cast());
            Some(&*(std::ptr::from_ref::<[MaybeUninit<u32>]>(room) as *const [u32]))
        }
    }

    /// All weights, zeros included, in `room`, where that pays: nowhere.
    #[cfg(not(target_arch = "x86_64"))]
    #[must_use]
    pub fn expanded(self, _: &mut [MaybeUninit<u32>]) -> Option<&[u32]> {
        None
    }

    /// [`Self::add_to`] their own places, for narrow targets.
    ///
    /// # Panics
    /// As there.
    #[inline]
    pub fn add_to_same(self, dst: &mut [u32]) -> u32 {
        #[cfg(target_arch = "x86_64")]
        if crate::cpu::has_avx512() {
            assert_eq!(self.len, dst.len());
            // SAFETY: AVX-512 was just found; the part is within the map, and its values begin at its rank.
            return unsafe {
                let values = self.all.values.as_ptr().add(self.all.rank(self.start));
                avx512::add_expanded(dst, &self.all.map, self.start, values)
            };
        }
        self.add_to(dst, To::Same)
    }

    /// Adds every weight to the one at its place in `dst`; returns the OR of the sums. Cost: about a nanosecond a
    /// weight that is there.
    ///
    /// # Panics
    /// If a weight goes beyond the last of `dst`, or there are not as many places as they are told.
    #[inline]
    pub fn add_to<T: Widen<u32>>(self, dst: &mut [T], to: To) -> T {
        match to {
            To::Same => assert_eq!(self.len, dst.len()),
            To::Places(to) | To::Some(to) => assert_eq!(self.len, to.len()),
        }
        #[cfg(target_arch = "x86_64")]
        if crate::cpu::has_avx2() {
            // SAFETY: AVX2 was just found, and with it the instructions that count bits.
            return unsafe { add_fast(self, dst, to) };
        }
        add_portable(self, dst, to)
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
unsafe fn add_fast<T: Widen<u32>>(part: Part, dst: &mut [T], to: To) -> T {
    add_portable(part, dst, to)
}

#[inline(always)]
fn add_portable<T: Widen<u32>>(part: Part, dst: &mut [T], to: To) -> T {
    match to {
        To::Same => each(part, T::default(), |seen, x, w| {
            dst[x] = dst[x].plus(T::widen(w));
            seen.or(dst[x])
        }),
        To::Places(to) => each(part, T::default(), |seen, x, w| {
            let d = &mut dst[usize::from(to[x])];
            *d = d.plus(T::widen(w));
            seen.or(*d)
        }),
        To::Some(to) => each(part, T::default(), |seen, x, w| {
            // What goes nowhere is beyond the last.
            let Some(d) = dst.get_mut(usize::from(to[x])) else { return seen };
            *d = d.plus(T::widen(w));
            seen.or(*d)
        }),
    }
}

/// Goes over the weights that are there, and their places.
#[inline(always)]
fn each<T>(part: Part, first: T, mut add: impl FnMut(T, usize, u32) -> T) -> T {
    let Part { all, start, len } = part;
    let mut seen = first;
    if len == 0 {
        return seen;
    }
    let end = start + len;
    let (first, last) = (start / GROUP, (end - 1) / GROUP);
    let mut values = all.values[all.rank(start)..].iter();
    for (word, &map) in (first..).zip(&all.map[first..=last]) {
        let base = word * GROUP;
        let mut map = map;
        if word == first {
            map &= u64::MAX << (start - base);
        }
        if word == last {
            map &= u64::MAX >> (GROUP - (end - base));
        }
        while map != 0 {
            let x = base + map.trailing_zeros() as usize - start;
            map &= map - 1;
            let Some(&value) = values.next() else { break };
            seen = add(seen, x, value);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sparse() -> impl Strategy<Value = Vec<u32>> {
        let weight = prop_oneof![3 => Just(0), 1 => 1..u32::MAX / 2];
        prop::collection::vec(weight, 1..300)
    }

    proptest! {
        #[test]
        fn every_weight_is_where_it_was(weights in sparse()) {
            let mut all = Packed::of(&weights);
            prop_assert_eq!(all.iter().collect::<Vec<_>>(), weights.clone());
            prop_assert_eq!(all.bytes(), Packed::size(weights.len(), weights.iter().filter(|&&w| w > 0).count()));
            for (place, &weight) in weights.iter().enumerate() {
                prop_assert_eq!((all.get(place), all.take(place), all.get(place)), (weight, weight, 0));
            }
        }

        #[test]
        fn blocks_follow_one_another(blocks in prop::collection::vec(sparse(), 1..6)) {
            let (mut fast, mut portable) = (Packing::default(), Packing::default());
            for _ in 0..2 {
                fast.clear();
                portable.clear();
                for block in &blocks {
                    let states = block.iter().filter(|&&w| w > 0).count() as u64;
                    prop_assert_eq!((fast.append(block), portable.append_portable(block)), (states, states));
                }
                prop_assert_eq!(fast.finish(), Packed::of(&blocks.concat()));
                prop_assert_eq!(portable.finish(), fast.finish());
            }
        }

        #[test]
        fn a_part_is_added_where_it_goes(weights in sparse(), from in 0usize..300, len in 0usize..300, shift in 0usize..7) {
            let start = from.min(weights.len());
            let len = len.min(weights.len() - start);
            let all = Packed::of(&weights);
            let part = all.part(0..weights.len()).part(start..start + len);
            let plain = &weights[start..start + len];
            let to: Vec<u16> = (0..len).map(|x| ((x * 7 + shift) % 11) as u16).collect();
            let some: Vec<u16> = to.iter().map(|&x| if x < 4 { NOWHERE } else { x }).collect();
            for index in [To::Same, To::Places(&to), To::Some(&some)] {
                let room = if matches!(index, To::Same) { len } else { 11 };
                let (mut sums, mut fast, mut portable) = (vec![5u64; room], vec![5u64; room], vec![5u64; room]);
                let mut seen = 0;
                for (x, &w) in plain.iter().enumerate().filter(|(_, w)| **w > 0) {
                    let place = match index {
                        To::Same => x,
                        To::Places(to) | To::Some(to) => to[x].into(),
                    };
                    if place != usize::from(NOWHERE) {
                        sums[place] += u64::from(w);
                        seen |= sums[place];
                    }
                }
                prop_assert_eq!((part.add_to(&mut fast, index), &fast), (seen, &sums));
                prop_assert_eq!((add_portable(part, &mut portable, index), &portable), (seen, &sums));
            }
            let mut room = [MaybeUninit::uninit(); 300];
            prop_assert!(part.expanded(&mut room).is_none_or(|all| all == plain));
            prop_assert_eq!(part.states(), plain.iter().filter(|&&w| w > 0).count());
            let mut same = vec![9; len];
            let seen = plain.iter().fold(0, |seen, w| seen | (w + 9));
            prop_assert_eq!(part.add_to_same(&mut same) | 9, seen | 9);
            prop_assert!(same.iter().zip(plain).all(|(sum, w)| *sum == w + 9));
        }
    }

    #[test]
    fn what_is_not_there_takes_no_room() {
        let mut weights = vec![0; 6400];
        weights[6000] = 7;
        assert_eq!(Packed::of(&weights).bytes(), 100 * 12 + 4);
    }
}
