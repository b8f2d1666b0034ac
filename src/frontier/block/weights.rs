//! The weights of a chunk: a vector of the narrowest type that holds them all.
//!
//! Every chunk has a width of its own, so a few great weights do not make all
//! others wide, and a chunk whose sums outgrow their type is the only one that is
//! computed again:
//!
//! ```text
//! target width = narrowest with a bit to spare for the greatest weight of the sources,
//!                wider by one for as long as a sum reaches its top bit
//! ```

use crate::frontier::block::weight::Weight;
use crate::frontier::block::wide::Wide;
use crate::frontier::block::width::Width;

/// A vector of weights.
#[derive(Clone, Debug, PartialEq)]
pub enum Weights {
    /// 32 bits each.
    W32(Vec<u32>),
    /// 64 bits each.
    W64(Vec<u64>),
    /// 128 bits each.
    W128(Vec<u128>),
    /// 256 bits each.
    W256(Vec<Wide<4>>),
    /// 512 bits each.
    W512(Vec<Wide<8>>),
}

/// The same expression for a vector of weights of any width.
macro_rules! with_weights {
    ($weights:expr, $vector:ident => $body:expr) => {
        match $weights {
            $crate::frontier::block::weights::Weights::W32($vector) => $body,
            $crate::frontier::block::weights::Weights::W64($vector) => $body,
            $crate::frontier::block::weights::Weights::W128($vector) => $body,
            $crate::frontier::block::weights::Weights::W256($vector) => $body,
            $crate::frontier::block::weights::Weights::W512($vector) => $body,
        }
    };
}

/// The same expression for a type of weights of any width.
macro_rules! with_width {
    ($width:expr, $type:ident => $body:expr) => {
        match $width {
            $crate::frontier::block::width::Width::W32 => {
                type $type = u32;
                $body
            }
            $crate::frontier::block::width::Width::W64 => {
                type $type = u64;
                $body
            }
            $crate::frontier::block::width::Width::W128 => {
                type $type = u128;
                $body
            }
            $crate::frontier::block::width::Width::W256 => {
                type $type = $crate::frontier::block::wide::Wide<4>;
                $body
            }
            $crate::frontier::block::width::Width::W512 => {
                type $type = $crate::frontier::block::wide::Wide<8>;
                $body
            }
        }
    };
}

pub(in crate::frontier) use {with_weights, with_width};

impl Default for Weights {
    fn default() -> Self {
        Self::W32(Vec::new())
    }
}

impl Weights {
    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        with_weights!(self, v => v.len())
    }

    /// Bytes held, unused room included.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.width().bytes() * with_weights!(self, v => v.capacity()) as u64
    }

    /// The width.
    #[must_use]
    pub const fn width(&self) -> Width {
        match self {
            Self::W32(_) => Width::W32,
            Self::W64(_) => Width::W64,
            Self::W128(_) => Width::W128,
            Self::W256(_) => Width::W256,
            Self::W512(_) => Width::W512,
        }
    }

    /// The same numbers in another type that holds them.
    #[must_use]
    pub fn converted(&self, width: Width) -> Self {
        with_width!(width, T => T::pack(with_weights!(self, v => {
            v.iter().map(|w| T::from_limbs(w.limbs())).collect()
        })))
    }
}

/// A type of weights that a vector can be of.
pub trait Target: Weight {
    /// A vector of this width.
    fn pack(weights: Vec<Self>) -> Weights;
}

macro_rules! target {
    ($type:ty, $own:ident) => {
        impl Target for $type {
            fn pack(weights: Vec<Self>) -> Weights {
                Weights::$own(weights)
            }
        }
    };
}

target!(u32, W32);
target!(u64, W64);
target!(u128, W128);
target!(Wide<4>, W256);
target!(Wide<8>, W512);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_value_in_any_width() {
        let narrow = Weights::W32(vec![1, 7, u32::MAX]);
        for width in Width::ALL {
            assert_eq!(narrow.converted(width).converted(Width::W32), narrow);
        }
    }
}
