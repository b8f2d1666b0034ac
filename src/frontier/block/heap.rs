//! Sinks of finished blocks: slabs of the width of the sums, sparse vectors, or residues.
//!
//! A target block is summed in a buffer of its sink. The sink then stores it in its own form, or discards it
//! if it is zero.

use crate::frontier::block::modulus::{Lane, Residue};
use crate::frontier::block::packing::Packing;
use crate::frontier::block::slabs::{Sizes, Slabs};
use crate::frontier::block::weight::Weight;
use crate::frontier::block::weights::Weights;

/// A vector of blocks under construction, each summed in type `T`.
pub trait Heap<T> {
    /// Returns a buffer of `len` zeros for the next block.
    fn open(&mut self, len: usize) -> &mut [T];

    /// Stores the current block; returns how many of its weights are not zero.
    fn keep(&mut self) -> u64;

    /// Discards the current block.
    fn leave_out(&mut self);

    /// Returns the number of weights so far.
    fn len(&self) -> usize;

    /// Returns all blocks as a vector.
    fn finish(self) -> Weights;

    /// Returns the residue ring, if the stored weights are residues.
    fn lane(&self) -> Option<Lane> {
        None
    }
}

/// Resets a vector to `len` zeros and returns it as a slice.
pub fn zeros<T: Weight>(vector: &mut Vec<T>, len: usize) -> &mut [T] {
    vector.clear();
    vector.resize(len, T::default());
    vector
}

/// Sink of blocks with the width of their sums, summed in the place where they are stored.
pub struct Thick<T> {
    weights: Slabs<T>,
    /// Number of weights of the current block.
    last: usize,
    /// Buffer of the current block, used if it does not fit the slab in which it would begin.
    beside: Vec<T>,
    is_beside: bool,
}

impl<T> Thick<T> {
    /// Returns an empty sink with this capacity.
    #[must_use]
    pub fn with_capacity(room: Sizes) -> Self {
        Self {
            weights: Slabs::with_capacity(room.places, room.longest),
            last: 0,
            beside: Vec::new(),
            is_beside: false,
        }
    }
}

impl<T: Lying> Heap<T> for Thick<T> {
    fn open(&mut self, len: usize) -> &mut [T] {
        self.last = len;
        self.is_beside = true;
        let Some(slab) = self.weights.room(len) else { return zeros(&mut self.beside, len) };
        self.is_beside = false;
        let start = slab.len();
        slab.resize(start + len, T::default());
        &mut slab[start..]
    }

    fn keep(&mut self) -> u64 {
        if self.is_beside {
            self.weights.extend_from_slice(&self.beside);
            return T::states(&self.beside);
        }
        T::states(self.weights.last(self.last).expect("a block outside the overflow buffer is in one slab"))
    }

    fn leave_out(&mut self) {
        if !self.is_beside {
            self.weights.cut(self.last);
        }
    }

    fn len(&self) -> usize {
        self.weights.len()
    }

    fn finish(mut self) -> Weights {
        self.weights.shrink_to_fit();
        T::pack(self.weights)
    }
}

/// Sink of 32-bit blocks that stores no zeros.
#[derive(Default)]
pub struct Thin {
    packing: Packing,
    /// The current block; it stays in the first caches.
    block: Vec<u32>,
}

impl Thin {
    /// Returns an empty sink with this capacity.
    #[must_use]
    pub fn with_capacity(room: Sizes) -> Self {
        Self { packing: Packing::with_capacity(room), block: Vec::new() }
    }
}

impl Heap<u32> for Thin {
    fn open(&mut self, len: usize) -> &mut [u32] {
        zeros(&mut self.block, len)
    }

    fn keep(&mut self) -> u64 {
        self.packing.append(&self.block)
    }

    fn leave_out(&mut self) {}

    fn len(&self) -> usize {
        self.packing.len()
    }

    fn finish(self) -> Weights {
        Weights::Packed(self.packing.finish())
    }
}

/// Sink of blocks summed in `T` and stored as residues of type `N`.
pub struct Residues<T, N> {
    lane: Lane,
    /// Sums of the current block.
    block: Vec<T>,
    /// Residues of the current block.
    residues: Vec<N>,
    lying: Slabs<N>,
}

impl<T, N> Residues<T, N> {
    /// Returns an empty sink of residues of a ring, with this capacity.
    #[must_use]
    pub fn with_capacity(lane: Lane, room: Sizes) -> Self {
        let lying = Slabs::with_capacity(room.places, room.longest);
        Self { lane, block: Vec::new(), residues: Vec::new(), lying }
    }
}

impl<T: Residue, N: Lying> Heap<T> for Residues<T, N> {
    fn open(&mut self, len: usize) -> &mut [T] {
        zeros(&mut self.block, len)
    }

    fn keep(&mut self) -> u64 {
        self.residues.clear();
        self.lane.reduce(&self.block, &mut self.residues);
        self.lying.extend_from_slice(&self.residues);
        N::states(&self.residues)
    }

    fn leave_out(&mut self) {}

    fn len(&self) -> usize {
        self.lying.len()
    }

    fn finish(mut self) -> Weights {
        self.lying.shrink_to_fit();
        N::pack(self.lying)
    }

    fn lane(&self) -> Option<Lane> {
        Some(self.lane)
    }
}

/// Sink of blocks summed in `T` and stored as 32-bit residues without zeros.
pub struct ThinResidues<T> {
    lane: Lane,
    /// Sums of the current block, and its residues.
    block: Vec<T>,
    residues: Vec<u32>,
    packing: Packing,
}

impl<T> ThinResidues<T> {
    /// Returns an empty sink of residues of a ring, with this capacity.
    #[must_use]
    pub fn with_capacity(lane: Lane, room: Sizes) -> Self {
        Self { lane, block: Vec::new(), residues: Vec::new(), packing: Packing::with_capacity(room) }
    }
}

impl<T: Residue> Heap<T> for ThinResidues<T> {
    fn open(&mut self, len: usize) -> &mut [T] {
        zeros(&mut self.block, len)
    }

    fn keep(&mut self) -> u64 {
        self.residues.clear();
        self.lane.reduce(&self.block, &mut self.residues);
        self.packing.append(&self.residues)
    }

    fn leave_out(&mut self) {}

    fn len(&self) -> usize {
        self.packing.len()
    }

    fn finish(self) -> Weights {
        Weights::Packed(self.packing.finish())
    }

    fn lane(&self) -> Option<Lane> {
        Some(self.lane)
    }
}

/// A number type in which layers store weights.
pub trait Lying: Weight {
    /// Wraps slabs of this type.
    fn pack(weights: Slabs<Self>) -> Weights;

    /// Returns how many weights are not zero.
    fn states(weights: &[Self]) -> u64;
}

/// Returns how many weights are not zero. It counts in pieces of 65,536 so that the counters are no wider
/// than the weights.
#[inline(always)]
fn states_in<T: Weight>(weights: &[T]) -> u64 {
    let of = |part: &[T]| part.iter().map(|&w| u32::from(w != T::default())).sum::<u32>();
    weights.chunks(1 << 16).map(|part| u64::from(of(part))).sum()
}

/// Implements [`StoredWeight`] for a type that has a variant of [`Weights`].
macro_rules! lying {
    ($type:ty, $own:ident) => {
        impl Lying for $type {
            fn pack(weights: Slabs<Self>) -> Weights {
                Weights::$own(weights)
            }

            fn states(weights: &[Self]) -> u64 {
                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = "avx2,popcnt")]
                unsafe fn fast(weights: &[$type]) -> u64 {
                    states_in(weights)
                }

                #[cfg(target_arch = "x86_64")]
                if crate::cpu::has_avx2() {
                    // SAFETY: AVX2 was just detected, and with it the instructions that count bits.
                    return unsafe { fast(weights) };
                }
                states_in(weights)
            }
        }
    };
}

lying!(u16, W16);
lying!(u32, W32);
lying!(u64, W64);
lying!(u128, W128);
