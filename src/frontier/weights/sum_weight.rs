//! The number types in which blocks are summed.
//!
//! The weights of source blocks are at most as wide as the sums. For sums of up to 64 bits there are kernels
//! for sources of every such width. Sums of 128 bits are rare: there are kernels for sources of 32 and 128
//! bits, and sources of 64 bits are widened first.
//!
//! Sums of residues are reduced without divisions, if they have up to 64 bits.

use std::ops::Range;

#[cfg(target_arch = "x86_64")]
use super::block_term::BlockTerms;
use super::block_term::Term;
use super::kernel::Kernel;
#[cfg(target_arch = "x86_64")]
use super::lane_map::{GROUP_WEIGHTS, LaneBlock, LaneMaps};
#[cfg(target_arch = "x86_64")]
use super::lane_sum::LaneSum;
#[cfg(target_arch = "x86_64")]
use super::lanes::{pack_groups, with_widest_lanes};
use super::matching_tables::MapTables;
use super::part_terms::{PartMap, add_part_term};
use super::vector::Weights;
use super::weight::Weight;

/// An integer type in which blocks are summed, exactly or modulo a number. The weights of source blocks are at
/// most as wide as this type.
pub trait SumWeight: Weight + Kernel<Self> + From<u32> {
    /// Adds the source block of `term`, mapped but not multiplied by its factor, to `block`.
    /// Returns the bitwise OR of the sums.
    ///
    /// # Panics
    /// If the weights of the source are wider than this type.
    #[inline]
    fn add_term(tables: &MapTables, block: &mut [Self], term: &Term) -> Self {
        let range = term.offset..term.offset + term.len;
        Self::add_part_term(tables, block, term.source, range, PartMap::Mapped(term.map))
    }

    /// Adds the weights `range` of `source`, mapped by `map`, to a part of a block. Returns the bitwise OR
    /// of the sums.
    ///
    /// # Panics
    /// If the weights of the source are wider than this type.
    fn add_part_term(
        tables: &MapTables,
        part: &mut [Self],
        source: &Weights,
        range: Range<usize>,
        map: PartMap,
    ) -> Self;

    /// Sums a whole block into the first of two buffers, if the processor has kernels that keep this
    /// block in registers.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn sum_in_registers(
        _block: BlockTerms,
        _maps: &LaneMaps,
        _buffers: &mut [LaneBlock; 2],
    ) -> Option<LaneSum> {
        None
    }

    /// Appends the `len` weights of a block of groups to a vector that has capacity for them. Returns
    /// the number of nonzero weights, or `None` if the processor has no kernel for this type.
    #[cfg(target_arch = "x86_64")]
    fn pack_groups(_weights: &mut Vec<Self>, _block: &LaneBlock, _len: usize) -> Option<u64> {
        None
    }

    /// Returns the number that [`Self::residue`] multiplies by instead of dividing by `modulus`:
    /// two to the power of the type's bits, divided by `modulus` and rounded down. Types that
    /// divide return 0.
    fn scaled_inverse(modulus: u32) -> Self;

    /// Returns the residue of this number modulo `modulus`; `inverse` is the result of
    /// [`Self::scaled_inverse`] for this modulus.
    fn residue(self, modulus: u32, inverse: Self) -> u32;
}

/// Defines the residues of sums, which are formed by products of the type `$product`, twice as wide; or by
/// divisions if there is no such type.
macro_rules! residues {
    ($product:ty) => {
        #[inline(always)]
        fn scaled_inverse(modulus: u32) -> Self {
            let range: $product = 1 << Self::BITS;
            (range / <$product>::from(modulus)) as Self
        }

        #[inline(always)]
        fn residue(self, modulus: u32, inverse: Self) -> u32 {
            // The quotient is exact or one too small. Where the remainder is less than the modulus the second
            // difference wraps.
            let quotient = ((<$product>::from(self) * <$product>::from(inverse)) >> Self::BITS) as Self;
            let remainder = self.wrapping_sub(quotient.wrapping_mul(modulus.into()));
            remainder.min(remainder.wrapping_sub(modulus.into())) as u32
        }
    };
    () => {
        fn scaled_inverse(_: u32) -> Self {
            0
        }

        fn residue(self, modulus: u32, _: Self) -> u32 {
            (self % Self::from(modulus)) as u32
        }
    };
}

/// Implements [`SumWeight`] for a type. The first list has the source widths for which there are
/// kernels, the second list the source widths whose weights are widened first, the third the type of the
/// products that residues are computed with. Then follow functions that use the kernels of x86-64.
macro_rules! sum_weight {
    ($type:ty, [$($kernel:ident),*], [$($widened:ident),*], [$($product:ty)?] $(, $in_registers:item)*) => {
        impl SumWeight for $type {
            residues!($($product)?);

            $(
                #[cfg(target_arch = "x86_64")]
                $in_registers
            )*

            fn add_part_term(
                tables: &MapTables,
                part: &mut [Self],
                source: &Weights,
                range: Range<usize>,
                map: PartMap,
            ) -> Self {
                match source {
                    $(Weights::$kernel(v) => add_part_term(tables, part, &*v.slice(range), map),)*
                    Weights::Sparse(v) => add_part_term(tables, part, v.range(range).as_slice(), map),
                    $(Weights::$widened(v) => {
                        let wide: Vec<Self> = v.slice(range).iter().map(|&w| Self::from(w)).collect();
                        add_part_term(tables, part, wide.as_slice(), map)
                    })*
                    #[allow(unreachable_patterns)]
                    _ => unreachable!("sources are never wider than their target"),
                }
            }
        }
    };
}

sum_weight!(
    u32,
    [W8, W16, W32],
    [],
    [u64],
    #[inline(always)]
    fn sum_in_registers(block: BlockTerms, maps: &LaneMaps, buffers: &mut [LaneBlock; 2]) -> Option<LaneSum> {
        block.sum_in_lanes(maps, buffers)
    },
    fn pack_groups(weights: &mut Vec<Self>, block: &LaneBlock, len: usize) -> Option<u64> {
        let start = weights.len();
        let groups = &block.groups[..len.div_ceil(GROUP_WEIGHTS)];
        assert!(weights.capacity() - start >= len);
        // SAFETY: the instructions were just detected, and the vector has capacity for the weights, all of which
        // are written.
        with_widest_lanes!(L, unsafe {
            let nonzero = pack_groups::<L>(groups, len, weights.as_mut_ptr().add(start));
            weights.set_len(start + len);
            nonzero
        })
    }
);
sum_weight!(u64, [W8, W16, W32, W64], [], [u128]);
sum_weight!(u128, [W32, W128], [W64], []);
