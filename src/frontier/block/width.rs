//! How wide weights are.

use serde::{Deserialize, Serialize};

/// The widths that weights can have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Width {
    /// 32 bits.
    #[default]
    W32,
    /// 64 bits.
    W64,
    /// 128 bits.
    W128,
    /// 256 bits.
    W256,
    /// 512 bits.
    W512,
}

impl Width {
    /// From narrow to wide.
    pub const ALL: [Self; 5] = [Self::W32, Self::W64, Self::W128, Self::W256, Self::W512];

    /// Bits of a weight.
    #[must_use]
    pub const fn bits(self) -> u32 {
        32 << self as u32
    }

    /// Bytes of a weight.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        4 << self as u32
    }

    /// The narrowest width for exact weights of up to `bits` bits.
    #[must_use]
    pub fn holding(bits: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|width| bits < width.bits())
    }

    /// The next wider one.
    #[must_use]
    pub fn wider(self) -> Option<Self> {
        Self::ALL.get(self as usize + 1).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_leave_the_top_bit_clear() {
        assert_eq!(Width::holding(31), Some(Width::W32));
        assert_eq!(Width::holding(32), Some(Width::W64));
        assert_eq!(Width::holding(511), Some(Width::W512));
        assert_eq!(Width::holding(512), None);
        assert!(Width::ALL.iter().all(|w| u64::from(w.bits()) == 8 * w.bytes()));
        assert_eq!((Width::W64.wider(), Width::W512.wider()), (Some(Width::W128), None));
    }
}
