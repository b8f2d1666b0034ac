//! Where blocks lie once they are summed up: in slabs of their own width, without their zeros, or as residues.

use crate::frontier::block::modulus::{Lane, Residue};
use crate::frontier::block::packing::Packing;
use crate::frontier::block::slabs::{Sizes, Slabs};
use crate::frontier::block::weight::Weight;
use crate::frontier::block::weights::Weights;

/// Where blocks of sums `T` are made, one after the other.
pub trait Heap<T> {
    /// Room for the next block, all zero.
    fn open(&mut self, len: usize) -> &mut [T];

    /// Keeps the block that was opened last; how many of its weights are not zero.
    fn keep(&mut self) -> u64;

    /// Leaves the block that was opened last out.
    fn leave_out(&mut self);

    /// Weights so far.
    fn len(&self) -> usize;

    /// All of them.
    fn finish(self) -> Weights;

    /// What residues are modulo.
    fn lane(&self) -> Option<Lane> {
        None
    }
}

/// The first `len` of a vector, all zero.
pub fn zeros<T: Weight>(vector: &mut Vec<T>, len: usize) -> &mut [T] {
    vector.clear();
    vector.resize(len, T::default());
    vector
}

/// Weights of the width of their sums, which are made where they stay.
pub struct Thick<T> {
    weights: Slabs<T>,
    /// Weights of the block that was opened last.
    last: usize,
    /// That block, if it would not end in the slab where it begins.
    beside: Vec<T>,
    is_beside: bool,
}

impl<T> Thick<T> {
    /// With this room.
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
        T::states(self.weights.last(self.last).expect("a block that is not beside is in one slab"))
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

/// Weights without their zeros.
#[derive(Default)]
pub struct Thin {
    packing: Packing,
    /// The block at hand, in the first caches.
    block: Vec<u32>,
}

impl Thin {
    /// With this room.
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

/// Blocks of sums `T` of which the residues go to a heap of `N`.
pub struct Residues<T, N> {
    lane: Lane,
    /// Sums of the block at hand.
    block: Vec<T>,
    /// Its residues.
    residues: Vec<N>,
    lying: Slabs<N>,
}

impl<T, N> Residues<T, N> {
    /// None yet, modulo that of the lane, with this room.
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

/// The same without zeros.
pub struct ThinResidues<T> {
    lane: Lane,
    /// Sums of the block at hand, and its residues.
    block: Vec<T>,
    residues: Vec<u32>,
    packing: Packing,
}

impl<T> ThinResidues<T> {
    /// None yet, modulo that of the lane, with this room.
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

/// A type that weights of layers have.
pub trait Lying: Weight {
    /// A vector of this width.
    fn pack(weights: Slabs<Self>) -> Weights;

    /// How many are not zero.
    fn states(weights: &[Self]) -> u64;
}

/// How many are not zero, counted in parts, so that the counters are no wider than the weights.
#[inline(always)]
fn states_in<T: Weight>(weights: &[T]) -> u64 {
    let of = |part: &[T]| part.iter().map(|&w| u32::from(w != T::default())).sum::<u32>();
    weights.chunks(1 << 16).map(|part| u64::from(of(part))).sum()
}

/// The vector of weights of a type.
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
                    // SAFETY: AVX2 was just found, and with it the instructions that count bits.
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
