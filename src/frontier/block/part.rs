//! A stretch of packed weights, and how it is added to a block.
//!
//! Weight by weight, so that what is left out costs nothing but the look at its word; or, where a processor puts zeros
//! back fast and not too many are left out, as a block with its zeros.

use std::borrow::Cow;
use std::mem::MaybeUninit;
use std::ops::Range;

use crate::frontier::block::weight::Widen;
#[cfg(target_arch = "x86_64")]
use crate::frontier::block::{avx2, avx512};

/// Places in a word of the map.
pub const GROUP: usize = u64::BITS as usize;

/// Marks a weight that is left out, where others have the place they go to.
pub const NOWHERE: u16 = u16::MAX;

/// A stretch of places.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// Of all places, a bit each.
    pub(in crate::frontier::block) map: &'a [u64],
    /// Of every word of the map.
    pub(in crate::frontier::block) ranks: &'a [u32],
    /// Those of its weights that are there, from the first on, and maybe others behind them.
    pub(in crate::frontier::block) values: &'a [u32],
    /// Its first place.
    pub(in crate::frontier::block) start: usize,
    /// Its places.
    pub(in crate::frontier::block) len: usize,
}

/// A stretch of places whose weights are in one piece, or were brought into one.
#[derive(Debug)]
pub struct Held<'a> {
    pub(in crate::frontier::block) map: &'a [u64],
    pub(in crate::frontier::block) ranks: &'a [u32],
    pub(in crate::frontier::block) values: Cow<'a, [u32]>,
    pub(in crate::frontier::block) start: usize,
    pub(in crate::frontier::block) len: usize,
}

impl Held<'_> {
    /// The stretch.
    #[inline(always)]
    #[must_use]
    pub fn part(&self) -> Part<'_> {
        let &Self { map, ranks, ref values, start, len } = self;
        Part { map, ranks, values, start, len }
    }
}

/// Weights that are there before a place of a map, unless it is behind its last word.
#[inline(always)]
pub fn rank(map: &[u64], ranks: &[u32], place: usize) -> Option<usize> {
    let (word, bit) = (place / GROUP, place % GROUP);
    let before = map.get(word)? & ((1 << bit) - 1);
    Some((ranks[word] + before.count_ones()) as usize)
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

/// Of so many places one at least must have a weight for it to be faster to put all zeros back than to go over those
/// that are there one by one: with AVX2, and with AVX-512, measured on whole sweeps.
#[cfg(target_arch = "x86_64")]
const FEWEST: (usize, usize) = (3, 4);

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
        let rank = |place: usize| rank(self.map, self.ranks, self.start + place);
        let first = rank(0).unwrap_or(0);
        // Behind the last word there is nothing.
        let before = rank(places.start).map_or(self.values.len(), |rank| rank - first);
        Self { values: &self.values[before..], start: self.start + places.start, len: places.len(), ..self }
    }

    /// Weights that are there.
    #[inline(always)]
    #[must_use]
    pub fn states(self) -> usize {
        let rank = |place: usize| rank(self.map, self.ranks, place);
        let first = rank(self.start).unwrap_or(0);
        // Behind the last word there is nothing.
        rank(self.start + self.len).map_or(self.values.len(), |rank| rank - first)
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
        if !crate::cpu::has_avx2() {
            return None;
        }
        let is_wide = crate::cpu::has_avx512();
        if (if is_wide { FEWEST.1 } else { FEWEST.0 }) * self.states() < self.len {
            return None;
        }
        let room = &mut room[..self.len];
        let (values, to) = (self.values, room.as_mut_ptr().cast());
        // SAFETY: the instructions were just found; the part is within the map and has as many values as bits there
        // at least, and every place of the room is written.
        unsafe {
            if is_wide {
                avx512::expand(self.map, self.start, self.len, values.as_ptr(), to);
            } else {
                avx2::expand(self.map, self.start, self.len, values, to);
            }
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
        if crate::cpu::has_avx2() {
            assert_eq!(self.len, dst.len());
            // SAFETY: the instructions were just found; the part is within the map and has as many values as bits there.
            return unsafe {
                if crate::cpu::has_avx512() {
                    avx512::add_expanded(dst, self.map, self.start, self.values.as_ptr())
                } else {
                    avx2::add_expanded(dst, self.map, self.start, self.values)
                }
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
    let Part { map, values, start, len, .. } = part;
    let mut seen = first;
    if len == 0 {
        return seen;
    }
    let end = start + len;
    let (first, last) = (start / GROUP, (end - 1) / GROUP);
    let mut values = values.iter();
    for (word, &map) in (first..).zip(&map[first..=last]) {
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
    use crate::frontier::block::packed::tests::sparse;
    use crate::frontier::block::packing::packed;

    proptest! {
        #[test]
        fn a_part_is_added_where_it_goes(weights in sparse(), from in 0usize..300, len in 0usize..300, shift in 0usize..7) {
            let start = from.min(weights.len());
            let len = len.min(weights.len() - start);
            let all = packed(&weights.clone().into());
            let held = all.held(start / 2..weights.len());
            let part = held.part().part(start - start / 2..start - start / 2 + len);
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
}
