//! Kernels, the innermost loops: vectors of weights added through tables of indices.
//!
//! Every step of a sweep comes down to three loops over short vectors, which fit the first or second cache:
//!
//! ```text
//! identity   dst[x]      += src[x]
//! gather     dst[x]      += src[from[x]]       one or more tables of dst.len() entries, one after the other
//! scatter    dst[to[y]]  += src[y]
//! ```
//!
//! Each returns the OR of the sums that it stored (see [`weight`](crate::frontier::weights::weight)). The
//! loops are compiled once for each pair of types and called, not inlined: the code around them does not
//! depend on processor features. On x86-64 features are detected at run time. With AVX2, `u32` vectors are
//! gathered eight at a time and `u64` vectors four at a time. With AVX-512, 32-bit blocks of up to eight ends
//! are gathered sixteen at a time, and two-byte residues 32 at a time. The portable loops write the same
//! bytes.
//!
//! Weights of many limbs take several entries each (see [`limbs`](crate::frontier::weights::limbs)). All
//! other code counts in weights, and [`Strides`] gives the entries of a weight.

use crate::frontier::block::tables::TABLED;
use crate::frontier::block::weight::{Cell, Weight, Widen};
#[cfg(target_arch = "x86_64")]
use crate::frontier::block::{avx2, avx512};

/// The pairs of source entry and target entry that are added.
#[derive(Clone, Copy, Debug)]
pub enum Index<'a> {
    /// Every source entry to the target entry at the same index.
    Same,
    /// The source index of each target entry; several tables one after the other are added in as many rounds.
    From(&'a [u16]),
    /// The target index of each source entry.
    To(&'a [u16]),
}

/// A layout of weights in entries; [`SingleEntry`] fixes the strides at compile time.
pub trait Grain: Copy {
    /// Returns the entries of a weight in target and source.
    fn strides(self) -> Strides;

    /// Returns the layout for adding two vectors that are both laid out as the target.
    #[must_use]
    fn within(self) -> Self;
}

/// Layout of weights of one entry.
#[derive(Clone, Copy, Debug)]
pub struct One;

impl Grain for One {
    #[inline(always)]
    fn strides(self) -> Strides {
        Strides { to: 1, from: 1 }
    }

    #[inline(always)]
    fn within(self) -> Self {
        self
    }
}

impl Grain for Strides {
    fn strides(self) -> Strides {
        self
    }

    fn within(self) -> Self {
        Self { to: self.to, from: self.to }
    }
}

/// Number of entries of a weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strides {
    /// Entries of a weight in the target.
    pub to: usize,
    /// Entries of a weight in the source; at most as many as in the target.
    pub from: usize,
}

/// An entry type to which entries of type `S` can be added.
pub trait Kernel<S: Cell>: Cell {
    /// Adds the weights of `src` to those of `dst`. Returns the OR of the sums, or 0 for types that detect
    /// overflow later. Cost: about half a nanosecond a weight.
    ///
    /// # Safety
    /// Every entry of an [`IndexMap::Gather`] must be below the number of weights of `src`, every entry of an
    /// [`IndexMap::Scatter`] below that of `dst`.
    ///
    /// # Panics
    /// If the lengths do not match the index map.
    unsafe fn accumulate(dst: &mut [Self], src: &[S], strides: Strides, index: Index) -> Self;

    /// Returns the greatest number of points whose blocks are mapped by a table; greater blocks are split.
    #[inline(always)]
    #[must_use]
    fn tabled() -> usize {
        TABLED
    }
}

/// Adds every weight of `src` to the one at the same index of `dst`; returns the OR of the sums.
///
/// # Panics
/// If the lengths differ.
pub fn add<S: Cell, T: Kernel<S>>(dst: &mut [T], src: &[S], strides: impl Grain) -> T {
    // SAFETY: there is no table.
    unsafe { T::accumulate(dst, src, strides.strides(), Index::Same) }
}

/// Implements [`Kernel::accumulate`] for any processor.
///
/// # Safety
/// As for [`Kernel::accumulate`].
///
/// # Panics
/// As for [`Kernel::accumulate`].
#[inline(never)]
pub unsafe fn accumulate_portable<S: Weight, T: Widen<S>>(dst: &mut [T], src: &[S], index: Index) -> T {
    // SAFETY: the caller promises entries below the lengths.
    unsafe { accumulate_with(dst, src, index, |dst, from| gather(dst, src, from)) }
}

/// Implements [`Kernel::accumulate`] with `gather` as the loop for one table of an [`IndexMap::Gather`].
///
/// # Safety
/// As for [`Kernel::accumulate`].
#[inline(always)]
unsafe fn accumulate_with<S: Weight, T: Widen<S>>(
    dst: &mut [T],
    src: &[S],
    index: Index,
    gather: impl Fn(&mut [T], &[u16]) -> T,
) -> T {
    let mut seen = T::default();
    match index {
        Index::Same => {
            assert_eq!(dst.len(), src.len());
            for (d, &s) in dst.iter_mut().zip(src) {
                *d = d.plus(T::widen(s));
                seen = seen.or(*d);
            }
        }
        Index::From(from) => {
            assert!(from.len().is_multiple_of(dst.len()), "the index map consists of whole tables");
            for round in from.chunks_exact(dst.len()) {
                seen = seen.or(gather(dst, round));
            }
        }
        Index::To(to) => {
            assert_eq!(src.len(), to.len());
            for (&s, &x) in src.iter().zip(to) {
                debug_assert!(usize::from(x) < dst.len());
                // SAFETY: the caller promises entries below `dst.len()`.
                let d = unsafe { dst.get_unchecked_mut(usize::from(x)) };
                *d = d.plus(T::widen(s));
                seen = seen.or(*d);
            }
        }
    }
    seen
}

/// Adds `src[from[x]]` to every `dst[x]`; returns the OR of the sums.
///
/// # Safety
/// Every entry of `from` must be below `src.len()`.
#[inline(always)]
unsafe fn gather<S: Weight, T: Widen<S>>(dst: &mut [T], src: &[S], from: &[u16]) -> T {
    let mut seen = T::default();
    for (d, &x) in dst.iter_mut().zip(from) {
        debug_assert!(usize::from(x) < src.len());
        // SAFETY: the caller promises entries below `src.len()`.
        let s = unsafe { *src.get_unchecked(usize::from(x)) };
        *d = d.plus(T::widen(s));
        seen = seen.or(*d);
    }
    seen
}

/// Implements a kernel for any processor.
macro_rules! portable {
    ($source:ty => $target:ty) => {
        impl Kernel<$source> for $target {
            #[inline(always)]
            unsafe fn accumulate(dst: &mut [Self], src: &[$source], _: Strides, index: Index) -> Self {
                // SAFETY: the caller promises entries below the lengths.
                unsafe { accumulate_portable(dst, src, index) }
            }
        }
    };
}

/// Implements a kernel that is also compiled for AVX2.
macro_rules! with_avx2 {
    ($source:ty => $target:ty, $gather:path) => {
        #[cfg(target_arch = "x86_64")]
        impl Kernel<$source> for $target {
            #[inline(always)]
            unsafe fn accumulate(dst: &mut [Self], src: &[$source], _: Strides, index: Index) -> Self {
                #[target_feature(enable = "avx2")]
                #[inline(never)]
                unsafe fn fast(dst: &mut [$target], src: &[$source], index: Index) -> $target {
                    // SAFETY: the caller promises entries below the lengths.
                    unsafe { accumulate_with(dst, src, index, |dst, from| $gather(dst, src, from)) }
                }

                if crate::cpu::has_avx2() {
                    // SAFETY: AVX2 was just detected; the caller promises entries below the lengths.
                    return unsafe { fast(dst, src, index) };
                }
                // SAFETY: the caller promises entries below the lengths.
                unsafe { accumulate_portable(dst, src, index) }
            }
        }

        #[cfg(not(target_arch = "x86_64"))]
        portable!($source => $target);
    };
}

/// Implements a kernel that is also compiled for AVX2, and that with AVX-512 permutes short sources in
/// registers.
macro_rules! with_avx512 {
    ($source:ty => $target:ty, $gather:path, $permute:path) => {
        #[cfg(target_arch = "x86_64")]
        impl Kernel<$source> for $target {
            #[inline(always)]
            unsafe fn accumulate(dst: &mut [Self], src: &[$source], _: Strides, index: Index) -> Self {
                #[target_feature(enable = "avx2")]
                #[inline(never)]
                unsafe fn fast(dst: &mut [$target], src: &[$source], index: Index) -> $target {
                    // SAFETY: the caller promises entries below the lengths.
                    unsafe { accumulate_with(dst, src, index, |dst, from| $gather(dst, src, from)) }
                }

                match index {
                    Index::From(from) if crate::cpu::has_avx512() && src.len() <= avx512::MOST => {
                        // SAFETY: AVX-512 was just detected, and the source fits the registers; the caller
                        // promises entries below the lengths.
                        unsafe { $permute(dst, src, from) }
                    }
                    // SAFETY: AVX2 was just detected; the caller promises entries below the lengths.
                    _ if crate::cpu::has_avx2() => unsafe { fast(dst, src, index) },
                    // SAFETY: the caller promises entries below the lengths.
                    _ => unsafe { accumulate_portable(dst, src, index) },
                }
            }

            #[inline(always)]
            fn tabled() -> usize {
                if crate::cpu::has_avx512() { avx512::ENDS } else { TABLED }
            }
        }

        #[cfg(not(target_arch = "x86_64"))]
        portable!($source => $target);
    };
}

with_avx512!(u16 => u32, avx2::gather_u16_to_u32, avx512::permute_u16_to_u32);
with_avx512!(u32 => u32, avx2::gather_u32, avx512::permute_u32);
with_avx2!(u32 => u64, avx2::gather_u32_to_u64);
with_avx2!(u64 => u64, avx2::gather_u64);
with_avx2!(u16 => u64, gather);
portable!(u32 => u128);
portable!(u128 => u128);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::frontier::block::weight::Weight;

    /// Numbers from which weights of all widths are made.
    type Numbers = Vec<u128>;

    /// Generates two vectors, and up to three tables of indices into the second, one after the other.
    fn arguments() -> impl Strategy<Value = (Numbers, Numbers, Vec<u16>)> {
        (1usize..200, 1usize..200, 1usize..4).prop_flat_map(|(dst, src, rounds)| {
            let numbers = |len| prop::collection::vec(any::<u128>(), len);
            (numbers(dst), numbers(src), prop::collection::vec(0..src as u16, dst * rounds))
        })
    }

    fn of<W: Weight>(numbers: &[u128]) -> Vec<W> {
        numbers.iter().map(|&number| W::of(number)).collect()
    }

    /// Compares this processor's kernel and the portable one to the definition.
    fn agree<S: Weight, T: Kernel<S> + Widen<S>>(dst: &[u128], src: &[u128], table: &[u16]) {
        let (dst, src): (Vec<T>, Vec<S>) = (of(dst), of(src));
        let pairs = |index: Index| -> Vec<(usize, usize)> {
            match index {
                Index::Same => (0..src.len()).map(|x| (x, x)).collect(),
                Index::From(from) => {
                    from.iter().enumerate().map(|(x, &y)| (x % dst.len(), usize::from(y))).collect()
                }
                Index::To(to) => to.iter().enumerate().map(|(y, &x)| (usize::from(x), y)).collect(),
            }
        };
        let check = |dst: &[T], index: Index, pairs: Vec<(usize, usize)>| {
            let (mut plain, mut seen) = (dst.to_vec(), T::default());
            for (x, y) in pairs {
                plain[x] = plain[x].plus(T::widen(src[y]));
                seen = seen.or(plain[x]);
            }
            let (mut fast, mut portable) = (dst.to_vec(), dst.to_vec());
            // SAFETY: the strategy generates entries below the lengths.
            let of_fast = unsafe { T::accumulate(&mut fast, &src, One.strides(), index) };
            // SAFETY: the strategy generates entries below the lengths.
            let of_portable = unsafe { accumulate_portable(&mut portable, &src, index) };
            assert_eq!((&fast, of_fast), (&plain, seen));
            assert_eq!((&portable, of_portable), (&plain, seen));
        };
        check(&dst, Index::From(table), pairs(Index::From(table)));
        let same = vec![T::of(1); src.len()];
        check(&same, Index::Same, pairs(Index::Same));
        let to: Vec<u16> = (0..src.len()).map(|y| (y * 7 % dst.len()) as u16).collect();
        check(&dst, Index::To(&to), pairs(Index::To(&to)));
    }

    proptest! {
        #[test]
        fn every_kernel_does_what_its_index_says((dst, src, table) in arguments()) {
            agree::<u16, u32>(&dst, &src, &table);
            agree::<u16, u64>(&dst, &src, &table);
            agree::<u32, u32>(&dst, &src, &table);
            agree::<u32, u64>(&dst, &src, &table);
            agree::<u64, u64>(&dst, &src, &table);
            agree::<u128, u128>(&dst, &src, &table);
        }
    }
}
