//! The weights of a chunk: a vector of numbers of one width, the narrowest that fits all of them.
//!
//! Every chunk has its own width, so a few great weights do not make all others wide. If a sum does
//! not fit the type, only its chunk is computed again:
//!
//! ```text
//! target width = narrowest with a bit to spare for the greatest weight of the sources,
//!                wider by one for as long as a sum reaches its top bit
//! ```

use std::ops::Range;

use num_bigint::BigUint;

use super::slab_vec::SlabVec;
use super::sparse_slice::ScatterMap;
use super::sparse_vec::{SparseVec, SparseVecBuilder, sparse_from_slabs};
use super::weight::{Weight, Width};

/// A vector of weights of one width.
#[derive(Clone, Debug, PartialEq)]
pub enum Weights {
    /// Weights of 8 bits each.
    W8(SlabVec<u8>),
    /// Weights of 16 bits each.
    W16(SlabVec<u16>),
    /// Weights of 32 bits each.
    W32(SlabVec<u32>),
    /// Weights of 64 bits each.
    W64(SlabVec<u64>),
    /// Weights of 128 bits each.
    W128(SlabVec<u128>),
    /// Weights of 32 bits each, stored without zeros.
    Sparse(SparseVec),
    /// Weights of any number of 32-bit limbs: the number of limbs of a weight, and the limbs of all
    /// weights, one weight after the other, with the lowest limb of each weight first.
    Limbs(usize, Vec<u32>),
}

impl Default for Weights {
    fn default() -> Self {
        Self::W32(SlabVec::default())
    }
}

/// Matches weights, with one arm for the slabs of all widths, and arms for the other variants.
macro_rules! match_slabs {
    ($weights:expr, $slabs:ident => $value:expr, $($other:pat => $other_value:expr),* $(,)?) => {
        match $weights {
            Weights::W8($slabs) => $value,
            Weights::W16($slabs) => $value,
            Weights::W32($slabs) => $value,
            Weights::W64($slabs) => $value,
            Weights::W128($slabs) => $value,
            $($other => $other_value,)*
        }
    };
}

/// Implements the conversion of slabs of a type into the variant of [`Weights`] for this type.
macro_rules! from_slabs {
    ($($type:ty => $variant:ident),*) => {
        $(impl From<SlabVec<$type>> for Weights {
            fn from(weights: SlabVec<$type>) -> Self {
                Self::$variant(weights)
            }
        })*
    };
}

from_slabs!(u8 => W8, u16 => W16, u32 => W32, u64 => W64, u128 => W128);

impl Weights {
    /// Returns a vector with a single weight, 1, of the given width: the weight of the state before
    /// the first step.
    #[must_use]
    pub fn single_configuration(width: Width) -> Self {
        Self::W32(vec![1].into()).to_width(width)
    }

    /// Returns the number of weights.
    #[must_use]
    pub fn len(&self) -> usize {
        match_slabs!(
            self, v => v.len(),
            Self::Sparse(v) => v.len(),
            Self::Limbs(each, v) => v.len() / each,
        )
    }

    /// Returns the number of weights, or of limbs if the weights consist of limbs.
    #[must_use]
    pub fn number_count(&self) -> usize {
        self.len() * if let Self::Limbs(each, _) = self { *each } else { 1 }
    }

    /// Returns the number of allocated bytes, including unused capacity.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match_slabs!(
            self, v => v.bytes(),
            Self::Sparse(v) => v.bytes(),
            Self::Limbs(_, v) => (size_of::<u32>() * v.capacity()) as u64,
        )
    }

    /// Returns the width of the weights.
    #[must_use]
    pub const fn width(&self) -> Width {
        match self {
            Self::W8(_) => Width::W8,
            Self::W16(_) => Width::W16,
            Self::W32(_) | Self::Sparse(_) => Width::W32,
            Self::W64(_) => Width::W64,
            Self::W128(_) => Width::W128,
            Self::Limbs(each, _) => Width::Limbs(*each as u32),
        }
    }

    /// Replaces the contents of `to` by one number for each weight at `positions`:
    /// `bits` bits of the weight, at most 64, from bit `from` on.
    pub fn extract_bits(&self, positions: Range<usize>, from: u32, bits: u32, to: &mut Vec<u64>) {
        let mask = u64::MAX >> (u64::BITS - bits);
        to.clear();
        match_slabs!(
            self, v => {
                let low = |w: u128| w as u64 & mask;
                to.extend(v.slice(positions).iter().map(|w| low(w.unbounded_shr(from).as_u128())));
            },
            Self::Sparse(v) => {
                to.resize(positions.len(), 0);
                v.range(positions).as_slice().add_to(to, ScatterMap::Identity);
                to.iter_mut().for_each(|w| *w = w.unbounded_shr(from) & mask);
            },
            Self::Limbs(each, v) => {
                let (first, shift) = ((from / 32) as usize, from % 32);
                to.extend(v[positions.start * each..positions.end * each].chunks_exact(*each).map(|limbs| {
                    let limbs = limbs.iter().skip(first).take(3).rev();
                    let three = limbs.fold(0, |three, &limb| three << 32 | u128::from(limb));
                    (three >> shift) as u64 & mask
                }));
            }
        );
    }

    /// Returns the weight at `position` and replaces it by zero.
    pub fn take_weight(&mut self, position: usize) -> BigUint {
        match_slabs!(
            self, v => std::mem::take(&mut v[position]).into(),
            Self::Sparse(v) => v.take_weight(position).into(),
            Self::Limbs(each, v) => {
                let limbs = &mut v[position * *each..][..*each];
                let number = BigUint::from_slice(limbs);
                limbs.fill(0);
                number
            }
        )
    }

    /// Appends the weights of other vectors of the same form.
    ///
    /// # Panics
    /// If the vectors have different forms or widths, or hold 2^32 nonzero weights or more without zeros.
    #[must_use]
    pub fn with_appended(mut self, others: impl Iterator<Item = Self>) -> Self {
        if let Self::Sparse(first) = self {
            let mut all = SparseVecBuilder::from_vec(first);
            for other in others {
                let Self::Sparse(other) = other else { panic!("the vectors have the same form") };
                all.append_vec(other);
            }
            return Self::Sparse(all.finish());
        }
        let others: Vec<Self> = others.collect();
        if let Self::Limbs(_, all) = &mut self {
            all.reserve_exact(others.iter().map(|other| other.bytes() as usize / size_of::<u32>()).sum());
        }
        for other in others {
            match (&mut self, other) {
                (Self::W8(all), Self::W8(other)) => all.append(other),
                (Self::W16(all), Self::W16(other)) => all.append(other),
                (Self::W32(all), Self::W32(other)) => all.append(other),
                (Self::W64(all), Self::W64(other)) => all.append(other),
                (Self::W128(all), Self::W128(other)) => all.append(other),
                (Self::Limbs(each, all), Self::Limbs(of_other, other)) if *each == of_other => {
                    all.extend(other);
                }
                _ => panic!("the vectors have the same form"),
            }
        }
        self
    }

    /// Returns the same weights as a vector without zeros. Every weight must fit 32 bits.
    #[must_use]
    pub fn to_sparse(&self) -> Self {
        match_slabs!(
            self, v => Self::Sparse(sparse_from_slabs(v)),
            Self::Sparse(_) => self.clone(),
            Self::Limbs(..) => self.to_width(Width::W128).to_sparse(),
        )
    }

    /// Returns the same weights as a vector of another width. Every weight must fit that width.
    #[must_use]
    pub fn to_width(&self, width: Width) -> Self {
        match width {
            Width::W8 => Self::W8(self.to_slabs()),
            Width::W16 => Self::W16(self.to_slabs()),
            Width::W32 => Self::W32(self.to_slabs()),
            Width::W64 => Self::W64(self.to_slabs()),
            Width::W128 => Self::W128(self.to_slabs()),
            Width::Limbs(each) => {
                let each = each as usize;
                let mut all = Vec::with_capacity(self.len() * each);
                for position in 0..self.len() {
                    self.append_limbs(position, each, &mut all);
                }
                Self::Limbs(each, all)
            }
        }
    }

    fn to_slabs<T: Weight>(&self) -> SlabVec<T> {
        match_slabs!(
            self, v => v.map(|w| T::from_u128_truncating(w.as_u128())),
            Self::Sparse(v) => {
                let mut all = SlabVec::with_capacity(v.len(), 0);
                for number in 0..v.group_count() {
                    let (group, len) = v.dense_group(number);
                    all.extend_from_slice(&group.map(|w| T::from_u128_truncating(w.as_u128()))[..len]);
                }
                all
            },
            Self::Limbs(each, v) => {
                let low =
                    |limbs: &[u32]| limbs[..4].iter().rev().fold(0, |n, &limb| n << 32 | u128::from(limb));
                v.chunks_exact(*each).map(|limbs| T::from_u128_truncating(low(limbs))).collect()
            }
        )
    }

    /// Appends the lowest `limb_count` limbs of the weight at `position` to `to`, the lowest limb
    /// first.
    pub fn append_limbs(&self, position: usize, limb_count: usize, to: &mut Vec<u32>) {
        let end = to.len() + limb_count;
        match self {
            Self::W8(v) => to.push(v[position].into()),
            Self::W16(v) => to.push(v[position].into()),
            Self::W32(v) => to.push(v[position]),
            Self::Sparse(v) => to.push(v.get(position)),
            Self::W64(v) => to.extend([0, 32].map(|shift| (v[position] >> shift) as u32)),
            Self::W128(v) => to.extend([0, 32, 64, 96].map(|shift| (v[position] >> shift) as u32)),
            Self::Limbs(own, v) => to.extend_from_slice(&v[position * own..][..limb_count.min(*own)]),
        }
        to.resize(end, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn to_width_keeps_values() {
        let plane = |weights: &Weights, from, bits| {
            let mut plane = Vec::new();
            weights.extract_bits(0..weights.len(), from, bits, &mut plane);
            *plane.last().unwrap()
        };
        let narrow = Weights::W32(vec![1, 7, u32::MAX].into());
        for width in [Width::W32, Width::W64, Width::W128, Width::Limbs(8), Width::Limbs(40)] {
            let mut widened = narrow.to_width(width);
            assert_eq!((widened.len(), widened.width()), (3, width));
            assert_eq!(widened.bytes(), 3 * width.bytes());
            assert_eq!(widened.to_width(Width::W32), narrow);
            let planes =
                [(0, 64), (4, 8), (16, 63), (90, 10)].map(|(from, bits)| plane(&widened, from, bits));
            assert_eq!(planes, [u64::from(u32::MAX), 0xff, 0xffff, 0]);
            assert_eq!(widened.to_width(Width::W128).to_width(Width::Limbs(12)).to_width(width), widened);
            assert_eq!((widened.take_weight(2), widened.take_weight(2)), (u32::MAX.into(), BigUint::ZERO));
        }
        for (width, most) in [(Width::W8, u32::from(u8::MAX)), (Width::W16, u16::MAX.into())] {
            let small = Weights::W32(vec![1, 0, most].into());
            let mut residues = small.to_width(width);
            assert_eq!((residues.bytes(), residues.to_width(Width::W32)), (3 * width.bytes(), small));
            assert_eq!((residues.take_weight(2), residues.take_weight(2)), (most.into(), BigUint::ZERO));
        }
        let great = Weights::Limbs(8, vec![1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!((plane(&great, 160, 40), plane(&great, 224, 64)), (7 << 32 | 6, 8));
        assert_eq!(plane(&great.to_width(Width::W128), 96, 64), 4);
        assert_eq!(great.to_width(Width::Limbs(12)).to_width(Width::Limbs(8)), great);
    }
}
