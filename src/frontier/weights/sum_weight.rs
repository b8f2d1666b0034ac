//! The number types in which blocks are summed.
//!
//! The weights of source blocks are at most as wide as the sums. For sums of up to 64 bits there are kernels
//! for sources of every such width. Sums of 128 bits are rare: there are kernels for sources of 32 and 128
//! bits, and sources of 64 bits are widened first.

use std::ops::Range;

use super::block_sink::StoredWeight;
use super::block_term::Term;
use super::kernel::Kernel;
#[cfg(target_arch = "x86_64")]
use super::lane_map::LaneBlock;
#[cfg(target_arch = "x86_64")]
use super::lane_sum::{LaneSum, ShortBlock};
use super::matching_tables::MapTables;
use super::modulus::Reducible;
use super::part_terms::{PartMap, add_part_term};
use super::vector::Weights;
use super::weight::Widen;

/// A number type in which blocks are summed. The weights of source blocks are at most as wide as
/// this type.
pub trait SumWeight: StoredWeight + Reducible + Kernel<Self> + Widen<u32> {
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
    fn sum_in_registers(_block: ShortBlock, _buffers: &mut [LaneBlock; 2]) -> Option<LaneSum> {
        None
    }
}

/// Implements [`SumWeight`] for a type. The first list has the source widths for which there are
/// kernels, the second list the source widths whose weights are widened first.
macro_rules! sum_weight {
    ($type:ty, [$($kernel:ident),*], [$($widened:ident),*] $(, $in_registers:item)?) => {
        impl SumWeight for $type {
            $(
                #[cfg(target_arch = "x86_64")]
                #[inline(always)]
                $in_registers
            )?

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
                        let wide: Vec<Self> = v.slice(range).iter().map(|&w| Self::widen(w)).collect();
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
    fn sum_in_registers(block: ShortBlock, buffers: &mut [LaneBlock; 2]) -> Option<LaneSum> {
        if !crate::cpu_features::has_avx512() {
            return None;
        }
        // SAFETY: AVX-512 was just detected.
        unsafe { block.sum(buffers) }
    }
);
sum_weight!(u64, [W8, W16, W32, W64], []);
sum_weight!(u128, [W32, W128], [W64]);
