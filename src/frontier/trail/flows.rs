//! Blocks of completions are propagated backwards over a step:
//!
//! ```text
//! block after a step -> mirrored, if the layer has the image -> transposed to before the step -> added up
//!                                                                                             -> times weights, summed
//! ```
//!
//! Machine numbers use the kernels of sweeps. Numbers that fit 32 bits are transposed in 32 bits, which is
//! fastest, and widened when they are added. Numbers of arbitrary size are processed one by one.

use num_bigint::BigUint;

use crate::frontier::block::effects::Change;
use crate::frontier::block::kernel::One;
use crate::frontier::block::permutation::add_permuted;
use crate::frontier::block::tables::Tables;
use crate::frontier::block::transposed::add_back;
use crate::frontier::trail::maps::{Maps, NONE};

/// Index maps of blocks: tables for few ends, and cached maps for numbers that no kernel processes.
#[derive(Clone, Copy)]
pub struct Changes<'a> {
    /// The tables of the sweep.
    pub tables: &'a Tables,
    /// The maps that are built on first use.
    pub maps: &'a Maps,
}

/// A type of numbers in blocks.
pub trait Carried: Clone + Default + std::fmt::Debug + Send + Sync + 'static {
    /// Adds to every number of `block`, with `n` ends, the number in `after` at the matching that `change`
    /// maps its own to.
    fn add_back(changes: Changes, block: &mut [Self], after: &[Self], change: Change, n: usize);

    /// Adds to every number of `block` the number in `of` at the mirror image of its matching; `places` maps
    /// every point to its image.
    fn add_image(changes: Changes, block: &mut [Self], of: &[Self], places: &[u8]);
}

/// A number of completions, to be added to numbers of type `N`. Values greater than the number of tours may
/// wrap: they occur only at states that no tour passes, whose weight is zero.
pub trait Flows<N>: Carried {
    /// Adds the number to `to`, and its product with `weight` to `sum`.
    fn flow(&self, weight: &N, to: &mut N, sum: &mut N);

    /// Adds every number of a block to `to`, and returns the sum of the products with the weights.
    fn flow_all(block: &[Self], weights: &[N], to: &mut [N]) -> N;
}

macro_rules! carried {
    ($($type:ty),*) => {
        $(impl Carried for $type {
            fn add_back(changes: Changes, block: &mut [Self], after: &[Self], change: Change, _: usize) {
                add_back(changes.tables, block, after, change);
            }

            fn add_image(changes: Changes, block: &mut [Self], of: &[Self], places: &[u8]) {
                add_permuted(changes.tables, block, of, One, places);
            }
        })*
    };
}

carried!(u32, u64, u128);

macro_rules! flows {
    ($narrow:ty => $wide:ty) => {
        impl Flows<$wide> for $narrow {
            #[inline(always)]
            fn flow(&self, weight: &$wide, to: &mut $wide, sum: &mut $wide) {
                let wide = <$wide>::from(*self);
                *to = to.wrapping_add(wide);
                *sum = sum.wrapping_add(weight.wrapping_mul(wide));
            }

            fn flow_all(block: &[Self], weights: &[$wide], to: &mut [$wide]) -> $wide {
                #[inline(always)]
                fn plain(block: &[$narrow], weights: &[$wide], to: &mut [$wide]) -> $wide {
                    let mut sum = 0;
                    for ((one, weight), to) in block.iter().zip(weights).zip(to) {
                        one.flow(weight, to, &mut sum);
                    }
                    sum
                }

                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = "avx2,bmi2")]
                fn fast(block: &[$narrow], weights: &[$wide], to: &mut [$wide]) -> $wide {
                    plain(block, weights, to)
                }

                #[cfg(target_arch = "x86_64")]
                if crate::cpu::has_avx2() {
                    // SAFETY: AVX2 was just found, and BMI2 with it.
                    return unsafe { fast(block, weights, to) };
                }
                plain(block, weights, to)
            }
        }
    };
}

flows!(u32 => u64);
flows!(u64 => u64);
flows!(u32 => u128);
flows!(u128 => u128);

impl Carried for BigUint {
    fn add_back(changes: Changes, block: &mut [Self], after: &[Self], change: Change, n: usize) {
        match changes.maps.of(change, n) {
            None => block.iter_mut().zip(after).for_each(|(one, other)| *one += other),
            Some(map) => {
                let there = block.iter_mut().zip(map.iter()).filter(|(_, x)| **x != NONE);
                there.for_each(|(one, &x)| *one += &after[x as usize]);
            }
        }
    }

    fn add_image(changes: Changes, block: &mut [Self], of: &[Self], places: &[u8]) {
        let map = changes.maps.mirrored(places);
        block.iter_mut().zip(map.iter()).for_each(|(one, &x)| *one += &of[x as usize]);
    }
}

impl Flows<Self> for BigUint {
    fn flow(&self, weight: &Self, to: &mut Self, sum: &mut Self) {
        if *weight != Self::ZERO && *self != Self::ZERO {
            *to += self;
            *sum += weight * self;
        }
    }

    fn flow_all(block: &[Self], weights: &[Self], to: &mut [Self]) -> Self {
        let mut sum = Self::ZERO;
        block.iter().zip(weights).zip(to).for_each(|((one, weight), to)| one.flow(weight, to, &mut sum));
        sum
    }
}

impl Flows<BigUint> for u32 {
    fn flow(&self, weight: &BigUint, to: &mut BigUint, sum: &mut BigUint) {
        if *weight != BigUint::ZERO && *self != 0 {
            *to += *self;
            *sum += weight * *self;
        }
    }

    fn flow_all(block: &[Self], weights: &[BigUint], to: &mut [BigUint]) -> BigUint {
        let mut sum = BigUint::ZERO;
        block.iter().zip(weights).zip(to).for_each(|((one, weight), to)| one.flow(weight, to, &mut sum));
        sum
    }
}
