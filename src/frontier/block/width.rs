//! A [`Width`] names the number of bits of the weights of a vector.

use serde::{Deserialize, Serialize};

/// Number of limbs in a group: limbs that one AVX2 instruction adds, as 64-bit sums. The number of limbs of a
/// weight is a multiple of it.
pub const LIMBS_PER_GROUP: u32 = 4;

/// The widths of weights, from narrow to wide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Width {
    /// 16 bits, for residues only.
    W16,
    /// 32 bits.
    #[default]
    W32,
    /// 64 bits.
    W64,
    /// 128 bits.
    W128,
    /// This many limbs of 32 bits: a multiple of four, at least eight.
    Limbs(u32),
}

impl Width {
    /// Returns the bits of a weight.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::W16 => 16,
            Self::W32 => 32,
            Self::W64 => 64,
            Self::W128 => 128,
            Self::Limbs(limbs) => 32 * limbs,
        }
    }

    /// Returns the bytes of a weight.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        self.bits() as u64 / 8
    }

    /// Returns the narrowest width for exact weights of up to `bits` bits, with the top bit clear.
    #[must_use]
    pub fn fitting_bits(bits: u32) -> Self {
        let narrow = [Self::W32, Self::W64, Self::W128].into_iter().find(|width| bits < width.bits());
        narrow.unwrap_or(Self::Limbs(LIMBS_PER_GROUP * (bits / (32 * LIMBS_PER_GROUP) + 1)))
    }

    /// Returns the next wider width.
    #[must_use]
    pub fn next_wider(self) -> Self {
        Self::fitting_bits(self.bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fitting_bits_leaves_top_bit_clear() {
        assert_eq!(Width::fitting_bits(31), Width::W32);
        assert_eq!(Width::fitting_bits(32), Width::W64);
        assert_eq!(Width::fitting_bits(127), Width::W128);
        assert_eq!((Width::fitting_bits(128), Width::fitting_bits(255)), (Width::Limbs(8), Width::Limbs(8)));
        assert_eq!(
            (Width::fitting_bits(511), Width::fitting_bits(512)),
            (Width::Limbs(16), Width::Limbs(20))
        );
        for bits in 0..2000 {
            let width = Width::fitting_bits(bits);
            assert!(
                bits < width.bits()
                    && (width == Width::W32 || bits >= width.bits() / 2 || bits + 128 >= width.bits())
            );
        }
    }

    #[test]
    fn next_wider_grows_without_bound() {
        let mut width = Width::default();
        for bytes in [4, 8, 16, 32, 48, 64, 80] {
            assert_eq!(width.bytes(), bytes);
            assert!(width.next_wider() > width);
            width = width.next_wider();
        }
    }
}
