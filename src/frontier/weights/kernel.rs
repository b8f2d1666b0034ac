//! Kernels: the innermost loops, which add vectors of weights through tables of indices.
//!
//! Every step of a sweep comes down to three loops over short vectors, which fit the first-level or
//! second-level cache:
//!
//! ```text
//! identity   dst[x]      += src[x]
//! gather     dst[x]      += src[from[x]]       one or more tables of dst.len() entries, one after the other
//! scatter    dst[to[y]]  += src[y]
//! ```
//!
//! Each loop returns the OR of the sums that it stored (see
//! [`weight`](crate::frontier::weights::weight)). The loops are compiled once for each pair of
//! types and called, not inlined, so that the code around them does not depend on processor
//! features. On x86-64 features are detected at run time. With AVX2, `u32` vectors are gathered
//! eight at a time and `u64` vectors four at a time. With AVX-512, 32-bit blocks of up to eight
//! ends are gathered sixteen at a time, and two-byte residues 32 at a time; whole sums of short
//! blocks have kernels of their own (see `lane_sum`). The portable loops write the same bytes.
//!
//! A weight of many limbs takes several entries of a vector (see
//! [`limbs`](crate::frontier::weights::limbs)). All other code counts in weights, and [`Strides`]
//! gives the number of entries of a weight.

use super::matching_tables::MAX_TABLE_POINTS;
use super::weight::{Element, Weight};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};

/// Index map of a kernel: the target weight to which each source weight is added.
#[derive(Clone, Copy, Debug)]
pub enum IndexMap<'a> {
    /// Every source weight is added to the target weight at the same index.
    Identity,
    /// The source index of each target weight. Several tables may follow one another; each adds one
    /// source weight to every target weight.
    Gather(&'a [u16]),
    /// The target index of each source weight.
    Scatter(&'a [u16]),
}

/// Layout of weights in vectors: the number of entries of a weight. [`SingleEntry`] fixes it at
/// compile time.
pub trait EntryLayout: Copy + Send + Sync {
    /// Returns the number of entries of a weight in the target vector and in the source vector.
    fn strides(self) -> Strides;

    /// Returns the layout for adding two vectors that both have the layout of the target.
    #[must_use]
    fn within_target(self) -> Self;
}

/// Layout in which every weight is one entry.
#[derive(Clone, Copy, Debug)]
pub struct SingleEntry;

impl EntryLayout for SingleEntry {
    #[inline(always)]
    fn strides(self) -> Strides {
        Strides { target: 1, source: 1 }
    }

    #[inline(always)]
    fn within_target(self) -> Self {
        self
    }
}

impl EntryLayout for Strides {
    fn strides(self) -> Strides {
        self
    }

    fn within_target(self) -> Self {
        Self { target: self.target, source: self.target }
    }
}

/// Number of entries of a weight, in the target vector and in the source vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strides {
    /// Number of entries of a weight in the target vector.
    pub target: usize,
    /// Number of entries of a weight in the source vector; at most the number in the target vector.
    pub source: usize,
}

/// An entry type of target vectors to which vectors with entries of type `S` can be added.
pub trait Kernel<S: Element>: Element {
    /// Adds the weights of `src` to the weights of `dst` that `index` assigns to them. Returns the
    /// bitwise OR of the sums, or 0 for types that detect overflow later. Cost: about half a
    /// nanosecond for each weight.
    ///
    /// # Safety
    /// Every entry of an [`IndexMap::Gather`] must be below the number of weights of `src`, every
    /// entry of an [`IndexMap::Scatter`] below the number of weights of `dst`.
    ///
    /// # Panics
    /// If the lengths do not match the index map.
    unsafe fn accumulate(dst: &mut [Self], src: &[S], layout: Strides, index: IndexMap) -> Self;

    /// Returns the greatest number of points of a block that is mapped by a single table; greater
    /// blocks are split.
    #[inline(always)]
    #[must_use]
    fn max_table_points() -> usize {
        MAX_TABLE_POINTS
    }
}

/// Adds every weight of `src` to the weight of `dst` at the same index. Returns the bitwise OR of
/// the sums.
///
/// # Panics
/// If the numbers of weights differ.
pub fn add_vectors<S: Element, T: Kernel<S>>(dst: &mut [T], src: &[S], layout: impl EntryLayout) -> T {
    // SAFETY: there is no table.
    unsafe { T::accumulate(dst, src, layout.strides(), IndexMap::Identity) }
}

/// Implements [`Kernel::accumulate`] for any processor.
///
/// # Safety
/// As for [`Kernel::accumulate`].
///
/// # Panics
/// As for [`Kernel::accumulate`].
#[inline(never)]
pub unsafe fn accumulate_portable<S: Weight, T: Weight + From<S>>(
    dst: &mut [T],
    src: &[S],
    index: IndexMap,
) -> T {
    // SAFETY: the caller promises entries below the lengths.
    unsafe { accumulate_with(dst, src, index, |dst, from| gather_portable(dst, src, from)) }
}

/// Implements [`Kernel::accumulate`]. It calls `gather` for each table of an [`IndexMap::Gather`],
/// with the target and that table.
///
/// # Safety
/// As for [`Kernel::accumulate`].
#[inline(always)]
unsafe fn accumulate_with<S: Weight, T: Weight + From<S>>(
    dst: &mut [T],
    src: &[S],
    index: IndexMap,
    gather: impl Fn(&mut [T], &[u16]) -> T,
) -> T {
    let mut seen = T::default();
    match index {
        IndexMap::Identity => {
            assert_eq!(dst.len(), src.len());
            for (d, &s) in dst.iter_mut().zip(src) {
                *d = d.wrapping_sum(T::from(s));
                seen = seen.bit_or(*d);
            }
        }
        IndexMap::Gather(from) => {
            assert!(from.len().is_multiple_of(dst.len()), "the index map consists of whole tables");
            for round in from.chunks_exact(dst.len()) {
                seen = seen.bit_or(gather(dst, round));
            }
        }
        IndexMap::Scatter(to) => {
            assert_eq!(src.len(), to.len());
            for (&s, &x) in src.iter().zip(to) {
                debug_assert!(usize::from(x) < dst.len());
                // SAFETY: the caller promises entries below `dst.len()`.
                let d = unsafe { dst.get_unchecked_mut(usize::from(x)) };
                *d = d.wrapping_sum(T::from(s));
                seen = seen.bit_or(*d);
            }
        }
    }
    seen
}

/// Adds `src[from[x]]` to every `dst[x]`. Returns the bitwise OR of the sums.
///
/// # Safety
/// Every entry of `from` must be below `src.len()`.
#[inline(always)]
unsafe fn gather_portable<S: Weight, T: Weight + From<S>>(dst: &mut [T], src: &[S], from: &[u16]) -> T {
    let mut seen = T::default();
    for (d, &x) in dst.iter_mut().zip(from) {
        debug_assert!(usize::from(x) < src.len());
        // SAFETY: the caller promises entries below `src.len()`.
        let s = unsafe { *src.get_unchecked(usize::from(x)) };
        *d = d.wrapping_sum(T::from(s));
        seen = seen.bit_or(*d);
    }
    seen
}

/// Implements [`Kernel`] for a source type and a target type with loops for any processor.
macro_rules! portable_kernel {
    ($source:ty => $target:ty) => {
        impl Kernel<$source> for $target {
            #[inline(always)]
            unsafe fn accumulate(dst: &mut [Self], src: &[$source], _: Strides, index: IndexMap) -> Self {
                // SAFETY: the caller promises entries below the lengths.
                unsafe { accumulate_portable(dst, src, index) }
            }
        }
    };
}

/// Implements [`Kernel`] for a source type and a target type with loops for AVX2 and for any processor, and
/// perhaps with loops for AVX-512: these are used for blocks of up to `$points` points, whose sources fit the
/// registers.
macro_rules! vector_kernel {
    ($source:ty => $target:ty, $gather:path $(, $permute:path, $points:path)?) => {
        #[cfg(target_arch = "x86_64")]
        impl Kernel<$source> for $target {
            #[inline(always)]
            unsafe fn accumulate(dst: &mut [Self], src: &[$source], _: Strides, index: IndexMap) -> Self {
                #[target_feature(enable = "avx2")]
                #[inline(never)]
                unsafe fn fast(dst: &mut [$target], src: &[$source], index: IndexMap) -> $target {
                    // SAFETY: the caller promises entries below the lengths.
                    unsafe { accumulate_with(dst, src, index, |dst, from| $gather(dst, src, from)) }
                }

                match index {
                    $(IndexMap::Gather(from)
                        if crate::cpu_features::has_avx512() && src.len() <= avx512::MAX_REGISTER_WEIGHTS =>
                    {
                        // SAFETY: AVX-512 was just detected, and the source fits the registers; the caller
                        // promises entries below the lengths.
                        unsafe { $permute(dst, src, from) }
                    })?
                    // SAFETY: AVX2 was just detected; the caller promises entries below the lengths.
                    _ if crate::cpu_features::has_avx2() => unsafe { fast(dst, src, index) },
                    // SAFETY: the caller promises entries below the lengths.
                    _ => unsafe { accumulate_portable(dst, src, index) },
                }
            }

            $(
                #[inline(always)]
                fn max_table_points() -> usize {
                    if crate::cpu_features::has_avx512() { $points } else { MAX_TABLE_POINTS }
                }
            )?
        }

        #[cfg(not(target_arch = "x86_64"))]
        portable_kernel!($source => $target);
    };
}

vector_kernel!(u8 => u32, avx2::gather_to_u32, avx512::permute_u8_to_u32, avx512::MAX_REGISTER_POINTS);
vector_kernel!(u16 => u32, avx2::gather_to_u32, avx512::permute_u16_to_u32, avx512::MAX_REGISTER_POINTS);
vector_kernel!(u32 => u32, avx2::gather_to_u32, avx512::permute_u32, avx512::MAX_REGISTER_POINTS);
vector_kernel!(u32 => u64, avx2::gather_u32_to_u64);
vector_kernel!(u64 => u64, avx2::gather_u64);
vector_kernel!(u8 => u64, gather_portable);
vector_kernel!(u16 => u64, gather_portable);
portable_kernel!(u32 => u128);
portable_kernel!(u128 => u128);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::weight::Weight;
    use super::*;

    /// Values that the tests convert to weights of all types.
    type Numbers = Vec<u128>;

    /// Generates a target vector, a source vector, and up to three tables of source indices, one after the
    /// other.
    fn arguments() -> impl Strategy<Value = (Numbers, Numbers, Vec<u16>)> {
        (1usize..200, 1usize..200, 1usize..4).prop_flat_map(|(dst, src, rounds)| {
            let numbers = |len| prop::collection::vec(any::<u128>(), len);
            (numbers(dst), numbers(src), prop::collection::vec(0..src as u16, dst * rounds))
        })
    }

    fn weights_from<W: Weight>(numbers: &[u128]) -> Vec<W> {
        numbers.iter().map(|&number| W::from_u128_truncating(number)).collect()
    }

    /// Checks that this processor's kernel and the portable kernel give the same sums as single
    /// additions.
    fn check_kernel<S: Weight, T: Kernel<S> + Weight + From<S>>(dst: &[u128], src: &[u128], table: &[u16]) {
        let (dst, src): (Vec<T>, Vec<S>) = (weights_from(dst), weights_from(src));
        let pairs = |index: IndexMap| -> Vec<(usize, usize)> {
            match index {
                IndexMap::Identity => (0..src.len()).map(|x| (x, x)).collect(),
                IndexMap::Gather(from) => {
                    from.iter().enumerate().map(|(x, &y)| (x % dst.len(), usize::from(y))).collect()
                }
                IndexMap::Scatter(to) => to.iter().enumerate().map(|(y, &x)| (usize::from(x), y)).collect(),
            }
        };
        let check = |dst: &[T], index: IndexMap, pairs: Vec<(usize, usize)>| {
            let (mut plain, mut seen) = (dst.to_vec(), T::default());
            for (x, y) in pairs {
                plain[x] = plain[x].wrapping_sum(T::from(src[y]));
                seen = seen.bit_or(plain[x]);
            }
            let (mut fast, mut portable) = (dst.to_vec(), dst.to_vec());
            // SAFETY: the strategy generates entries below the lengths.
            let of_fast = unsafe { T::accumulate(&mut fast, &src, SingleEntry.strides(), index) };
            // SAFETY: the strategy generates entries below the lengths.
            let of_portable = unsafe { accumulate_portable(&mut portable, &src, index) };
            assert_eq!((&fast, of_fast), (&plain, seen));
            assert_eq!((&portable, of_portable), (&plain, seen));
        };
        check(&dst, IndexMap::Gather(table), pairs(IndexMap::Gather(table)));
        let same = vec![T::from_u128_truncating(1); src.len()];
        check(&same, IndexMap::Identity, pairs(IndexMap::Identity));
        let to: Vec<u16> = (0..src.len()).map(|y| (y * 7 % dst.len()) as u16).collect();
        check(&dst, IndexMap::Scatter(&to), pairs(IndexMap::Scatter(&to)));
    }

    proptest! {
        #[test]
        fn accumulate_follows_index_map((dst, src, table) in arguments()) {
            check_kernel::<u8, u32>(&dst, &src, &table);
            check_kernel::<u8, u64>(&dst, &src, &table);
            check_kernel::<u16, u32>(&dst, &src, &table);
            check_kernel::<u16, u64>(&dst, &src, &table);
            check_kernel::<u32, u32>(&dst, &src, &table);
            check_kernel::<u32, u64>(&dst, &src, &table);
            check_kernel::<u64, u64>(&dst, &src, &table);
            check_kernel::<u128, u128>(&dst, &src, &table);
        }
    }
}
