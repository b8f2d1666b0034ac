//! Source weights as groups in vector registers.
//!
//! A block of up to eight ends has seven groups (see
//! [`lane_map`](crate::frontier::weights::lane_map)). A sparse source is expanded group by group,
//! and a part without any weight is passed over.
//!
//! The functions of this file are inlined into kernels that are compiled for the instructions of their [`Lanes`].

use std::mem::MaybeUninit;

use super::lane_map::{GROUP_LANES, GROUP_WEIGHTS, MAX_GROUPS, PART_WEIGHTS};
use super::lanes::Lanes;
use super::sparse_slice::SparseSlice;

/// Mask of the lanes of a full group.
const GROUP_MASK: u16 = (1 << GROUP_WEIGHTS) - 1;

/// Source weights, of which the next can be taken as groups.
pub enum Source<'a> {
    /// Weights with zeros.
    Dense(&'a [u32]),
    /// A bitmap of the positions of weights, the next position, and the next weight.
    Sparse { bitmap: &'a [u64], bit: usize, values: *const u32 },
}

/// Groups of a source in memory.
#[derive(Clone, Copy)]
pub struct Groups {
    /// The first weight.
    pub first: *const u32,
    /// Number of weights from a group to the next.
    pub stride: usize,
}

/// Groups that can be loaded by their numbers.
pub trait LoadGroup<L>: Copy {
    /// Loads a group.
    ///
    /// # Safety
    /// The group must exist, and the instructions of `L` be present.
    unsafe fn load(self, group: usize) -> L;
}

impl<L: Lanes> LoadGroup<L> for Groups {
    #[inline(always)]
    unsafe fn load(self, group: usize) -> L {
        // SAFETY: the caller promises that the group exists.
        unsafe { L::load_group(self.first.add(self.stride * group)) }
    }
}

/// The only group of a block.
#[derive(Clone, Copy)]
pub struct OnlyGroup<L>(pub L);

impl<L: Lanes> LoadGroup<L> for OnlyGroup<L> {
    #[inline(always)]
    unsafe fn load(self, _: usize) -> L {
        self.0
    }
}

/// Buffer for the groups of a sparse source.
pub type GroupBuffer<L> = [MaybeUninit<L>; MAX_GROUPS];

/// Returns a buffer before its first use.
#[inline(always)]
#[must_use]
pub const fn empty_buffer<L: Copy>() -> GroupBuffer<L> {
    [MaybeUninit::uninit(); MAX_GROUPS]
}

impl<'a> Source<'a> {
    /// Returns the weights of a slice.
    #[inline(always)]
    #[must_use]
    pub fn of_sparse(part: SparseSlice<'a>) -> Self {
        Self::Sparse { bitmap: part.bitmap, bit: part.start, values: part.values.as_ptr() }
    }

    /// Passes over the next `len` weights.
    ///
    /// # Safety
    /// A sparse source must have as many values as bits set.
    #[inline(always)]
    pub unsafe fn skip(&mut self, len: usize) {
        match self {
            Self::Dense(weights) => *weights = &weights[len..],
            Self::Sparse { bitmap, bit, values } => {
                let end = *bit + len;
                while *bit < end {
                    let bits = bits_from(bitmap, *bit) & u64::MAX >> (64 - 64.min(end - *bit));
                    // SAFETY: the caller promises a value for each bit.
                    *values = unsafe { values.add(bits.count_ones() as usize) };
                    *bit = end.min(*bit + 64);
                }
            }
        }
    }

    /// Takes the next `len` weights, at most [`GROUP_WEIGHTS`], as a group.
    ///
    /// # Safety
    /// The instructions of `L` must be present. A sparse source must have as many values as bits set.
    #[inline(always)]
    pub unsafe fn take_group<L: Lanes>(&mut self, len: usize) -> L {
        // SAFETY: the source has these weights.
        unsafe {
            match self {
                Self::Dense(weights) => {
                    let (taken, rest) = weights.split_at(len);
                    *weights = rest;
                    L::load_first(taken.as_ptr(), len)
                }
                Self::Sparse { bitmap, bit, values } => {
                    let present = bits_from(bitmap, *bit) & ((1 << len) - 1);
                    *bit += len;
                    take_expanded(present as u16, values)
                }
            }
        }
    }

    /// Takes the next [`PART_WEIGHTS`] weights as groups; `None` if all of them are known to be
    /// zero. The groups of a sparse source are written to `buffer`.
    ///
    /// # Safety
    /// As for [`Source::take_group`].
    #[inline(always)]
    pub unsafe fn take_groups<L: Lanes>(&mut self, buffer: &mut GroupBuffer<L>) -> Option<Groups> {
        match self {
            Self::Dense(weights) => {
                let (taken, rest) = weights.split_at(PART_WEIGHTS);
                *weights = rest;
                Some(Groups { first: taken.as_ptr(), stride: GROUP_WEIGHTS })
            }
            Self::Sparse { bitmap, bit, values } => {
                let bits = [0, 1].map(|read| {
                    bits_from(bitmap, *bit + read * READ_BITS)
                        & ((1 << READ_BITS.min(PART_WEIGHTS - read * READ_BITS)) - 1)
                });
                *bit += PART_WEIGHTS;
                if bits == [0; 2] {
                    return None;
                }
                for (number, group) in buffer.iter_mut().enumerate() {
                    let shift = number % GROUPS_PER_READ * GROUP_WEIGHTS;
                    let present = (bits[number / GROUPS_PER_READ] >> shift) as u16 & GROUP_MASK;
                    // SAFETY: the caller promises a value for each bit.
                    group.write(unsafe { take_expanded(present, values) });
                }
                Some(Groups { first: buffer.as_ptr().cast(), stride: GROUP_LANES })
            }
        }
    }
}

/// Number of groups whose bits are read at once.
const GROUPS_PER_READ: usize = u64::BITS as usize / GROUP_WEIGHTS;

/// Number of bits of these groups.
const READ_BITS: usize = GROUPS_PER_READ * GROUP_WEIGHTS;

/// Returns 64 bits of a bitmap from bit `bit` on; those beyond its end are zero.
#[inline(always)]
fn bits_from(bitmap: &[u64], bit: usize) -> u64 {
    let (word, shift) = (bit / 64, bit % 64);
    let next = bitmap.get(word + 1).map_or(0, |next| next << 1 << (63 - shift));
    bitmap.get(word).map_or(0, |low| low >> shift) | next
}

/// Takes the group with the next values at the lanes `present`, and zeros at all others.
///
/// # Safety
/// The instructions of `L` must be present, and as many values as bits set.
#[inline(always)]
unsafe fn take_expanded<L: Lanes>(present: u16, values: &mut *const u32) -> L {
    // SAFETY: the caller promises a value for each bit.
    unsafe {
        let group = L::load_expanded(*values, present);
        *values = values.add(present.count_ones() as usize);
        group
    }
}
