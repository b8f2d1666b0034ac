//! The weights of a chunk: numbers of the narrowest width that holds them all.
//!
//! Every chunk has its own width, so a few great weights do not make all others wide. If a sum outgrows its
//! type, only its chunk is computed again:
//!
//! ```text
//! target width = narrowest with a bit to spare for the greatest weight of the sources,
//!                wider by one for as long as a sum reaches its top bit
//! ```

use std::ops::Range;

use num_bigint::BigUint;

use crate::frontier::block::packed::Packed;
use crate::frontier::block::packing::packed;
use crate::frontier::block::part::To;
use crate::frontier::block::slabs::Slabs;
use crate::frontier::block::weight::Weight;
use crate::frontier::block::width::Width;

/// A vector of weights of one width.
#[derive(Clone, Debug, PartialEq)]
pub enum Weights {
    /// 16 bits each.
    W16(Slabs<u16>),
    /// 32 bits each.
    W32(Slabs<u32>),
    /// 64 bits each.
    W64(Slabs<u64>),
    /// 128 bits each.
    W128(Slabs<u128>),
    /// 32 bits each, stored without zeros.
    Packed(Packed),
    /// The number of 32-bit limbs of a weight, and the limbs: lowest first, one weight after the other.
    Limbs(usize, Vec<u32>),
}

impl Default for Weights {
    fn default() -> Self {
        Self::W32(Slabs::default())
    }
}

impl Weights {
    /// Returns a vector of one weight, the number 1: a single configuration.
    #[must_use]
    pub fn one(width: Width) -> Self {
        Self::W32(vec![1].into()).converted(width)
    }

    /// Returns the number of weights.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::W16(v) => v.len(),
            Self::W32(v) => v.len(),
            Self::W64(v) => v.len(),
            Self::W128(v) => v.len(),
            Self::Packed(v) => v.len(),
            Self::Limbs(each, v) => v.len() / each,
        }
    }

    /// Returns the bytes allocated, unused capacity included.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Packed(v) => v.bytes(),
            Self::W16(v) => v.bytes(),
            Self::W32(v) => v.bytes(),
            Self::W64(v) => v.bytes(),
            Self::W128(v) => v.bytes(),
            Self::Limbs(_, v) => (size_of::<u32>() * v.capacity()) as u64,
        }
    }

    /// Returns the width.
    #[must_use]
    pub const fn width(&self) -> Width {
        match self {
            Self::W16(_) => Width::W16,
            Self::W32(_) | Self::Packed(_) => Width::W32,
            Self::W64(_) => Width::W64,
            Self::W128(_) => Width::W128,
            Self::Limbs(each, _) => Width::Limbs(*each as u32),
        }
    }

    /// Replaces `to` by some bits of the weights `places`: `bits` bits, at most 64, from bit `from` on.
    pub fn plane(&self, places: Range<usize>, from: u32, bits: u32, to: &mut Vec<u64>) {
        let mask = u64::MAX >> (u64::BITS - bits);
        to.clear();
        match self {
            Self::W16(v) => {
                to.extend(v.slice(places).iter().map(|&w| u64::from(w).unbounded_shr(from) & mask))
            }
            Self::W32(v) => {
                to.extend(v.slice(places).iter().map(|&w| u64::from(w).unbounded_shr(from) & mask))
            }
            Self::W64(v) => to.extend(v.slice(places).iter().map(|&w| w.unbounded_shr(from) & mask)),
            Self::W128(v) => to.extend(v.slice(places).iter().map(|&w| w.unbounded_shr(from) as u64 & mask)),
            Self::Packed(v) => {
                to.resize(places.len(), 0);
                v.held(places).part().add_to(to, To::Same);
                to.iter_mut().for_each(|w| *w = w.unbounded_shr(from) & mask);
            }
            Self::Limbs(each, v) => {
                let (first, shift) = ((from / 32) as usize, from % 32);
                to.extend(v[places.start * each..places.end * each].chunks_exact(*each).map(|limbs| {
                    let limbs = limbs.iter().skip(first).take(3).rev();
                    let three = limbs.fold(0, |three, &limb| three << 32 | u128::from(limb));
                    (three >> shift) as u64 & mask
                }));
            }
        }
    }

    /// Returns a weight and replaces it by zero.
    pub fn take(&mut self, place: usize) -> BigUint {
        match self {
            Self::W16(v) => std::mem::take(&mut v[place]).into(),
            Self::W32(v) => std::mem::take(&mut v[place]).into(),
            Self::W64(v) => std::mem::take(&mut v[place]).into(),
            Self::W128(v) => std::mem::take(&mut v[place]).into(),
            Self::Packed(v) => v.take(place).into(),
            Self::Limbs(each, v) => {
                let limbs = &mut v[place * *each..][..*each];
                let number = BigUint::from_slice(limbs);
                limbs.fill(0);
                number
            }
        }
    }

    /// Returns the same numbers, which must have at most 32 bits, without zeros.
    #[must_use]
    pub fn packed(&self) -> Self {
        match self {
            Self::W32(v) => Self::Packed(packed(v)),
            Self::Packed(_) => self.clone(),
            _ => self.converted(Width::W32).packed(),
        }
    }

    /// Returns the same numbers in another width, which must hold them.
    #[must_use]
    pub fn converted(&self, width: Width) -> Self {
        match width {
            Width::W16 => Self::W16(self.primitive()),
            Width::W32 => Self::W32(self.primitive()),
            Width::W64 => Self::W64(self.primitive()),
            Width::W128 => Self::W128(self.primitive()),
            Width::Limbs(each) => {
                let each = each as usize;
                let mut all = Vec::with_capacity(self.len() * each);
                for place in 0..self.len() {
                    self.append_limbs(place, each, &mut all);
                }
                Self::Limbs(each, all)
            }
        }
    }

    fn primitive<T: Weight>(&self) -> Slabs<T> {
        match self {
            Self::W16(v) => v.map(|w| T::of(w.widest())),
            Self::W32(v) => v.map(|w| T::of(w.widest())),
            Self::W64(v) => v.map(|w| T::of(w.widest())),
            Self::W128(v) => v.map(|w| T::of(w.widest())),
            Self::Packed(v) => {
                let mut all = Slabs::with_capacity(v.len(), 0);
                for number in 0..v.groups() {
                    let (group, len) = v.group(number);
                    all.extend_from_slice(&group.map(|w| T::of(w.widest()))[..len]);
                }
                all
            }
            Self::Limbs(each, v) => {
                let low =
                    |limbs: &[u32]| limbs[..4].iter().rev().fold(0, |n, &limb| n << 32 | u128::from(limb));
                v.chunks_exact(*each).map(|limbs| T::of(low(limbs))).collect()
            }
        }
    }

    /// Appends a weight as `limb_count` limbs; higher limbs are cut off.
    pub fn append_limbs(&self, place: usize, each: usize, to: &mut Vec<u32>) {
        let end = to.len() + each;
        match self {
            Self::W16(v) => to.push(v[place].into()),
            Self::W32(v) => to.push(v[place]),
            Self::Packed(v) => to.push(v.get(place)),
            Self::W64(v) => to.extend([0, 32].map(|shift| (v[place] >> shift) as u32)),
            Self::W128(v) => to.extend([0, 32, 64, 96].map(|shift| (v[place] >> shift) as u32)),
            Self::Limbs(own, v) => to.extend_from_slice(&v[place * own..][..each.min(*own)]),
        }
        to.resize(end, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_value_in_any_width() {
        let plane = |weights: &Weights, from, bits| {
            let mut plane = Vec::new();
            weights.plane(0..weights.len(), from, bits, &mut plane);
            *plane.last().unwrap()
        };
        let narrow = Weights::W32(vec![1, 7, u32::MAX].into());
        for width in [Width::W32, Width::W64, Width::W128, Width::Limbs(8), Width::Limbs(40)] {
            let mut there = narrow.converted(width);
            assert_eq!((there.len(), there.width()), (3, width));
            assert_eq!(there.bytes(), 3 * width.bytes());
            assert_eq!(there.converted(Width::W32), narrow);
            let planes = [(0, 64), (4, 8), (16, 63), (90, 10)].map(|(from, bits)| plane(&there, from, bits));
            assert_eq!(planes, [u64::from(u32::MAX), 0xff, 0xffff, 0]);
            assert_eq!(there.converted(Width::W128).converted(Width::Limbs(12)).converted(width), there);
            assert_eq!((there.take(2), there.take(2)), (u32::MAX.into(), BigUint::ZERO));
        }
        let great = Weights::Limbs(8, vec![1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!((plane(&great, 160, 40), plane(&great, 224, 64)), (7 << 32 | 6, 8));
        assert_eq!(plane(&great.converted(Width::W128), 96, 64), 4);
        assert_eq!(great.converted(Width::Limbs(12)).converted(Width::Limbs(8)), great);
    }
}
