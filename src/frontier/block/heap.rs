//! Where blocks lie once they are summed up: in a vector of their own width, without their zeros, or as residues.

use std::cell::RefCell;

use crate::frontier::block::modulus::{Lane, Residue};
use crate::frontier::block::packing::Packing;
use crate::frontier::block::weight::Weight;
use crate::frontier::block::weights::Weights;

/// Where blocks go once they are summed up.
pub trait Heap<T> {
    /// Appends a block; how many of its weights are not zero.
    fn append(&mut self, block: &[T]) -> u64;

    /// Weights so far.
    fn len(&self) -> usize;

    /// All of them.
    fn finish(self) -> Weights;

    /// Puts negatives in the place of weights.
    fn negate(&self, block: &mut [T]);
}

impl<T: Lying> Heap<T> for Vec<T> {
    fn append(&mut self, block: &[T]) -> u64 {
        self.extend_from_slice(block);
        T::states(block)
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn finish(self) -> Weights {
        T::pack(self)
    }

    fn negate(&self, block: &mut [T]) {
        block.iter_mut().for_each(|w| *w = w.negated());
    }
}

/// Weights without their zeros, in the room that the last ones of this thread left.
pub struct Thin(Packing);

thread_local! {
    static SPARE: RefCell<Packing> = RefCell::default();
}

impl Thin {
    /// Nothing yet.
    #[must_use]
    pub fn spare() -> Self {
        let mut packing = SPARE.take();
        packing.clear();
        Self(packing)
    }
}

/// Frees the room that was left for this thread, if it is of more bytes than these.
pub fn free_spare(most: u64) {
    SPARE.with_borrow_mut(|spare| {
        if spare.bytes() > most {
            *spare = Packing::default();
        }
    });
}

impl Heap<u32> for Thin {
    fn append(&mut self, block: &[u32]) -> u64 {
        self.0.append(block)
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn finish(self) -> Weights {
        let weights = Weights::Packed(self.0.finish());
        SPARE.set(self.0);
        weights
    }

    fn negate(&self, block: &mut [u32]) {
        block.iter_mut().for_each(|w| *w = w.negated());
    }
}

/// Blocks of sums `T` of which the residues go to a heap of `N`.
pub struct Residues<N, H> {
    lane: Lane,
    heap: H,
    /// Those of the block at hand.
    block: Vec<N>,
}

impl<N, H> Residues<N, H> {
    /// None yet, modulo that of the lane.
    #[must_use]
    pub const fn new(lane: Lane, heap: H) -> Self {
        Self { lane, heap, block: Vec::new() }
    }
}

impl<T: Residue, N: Weight, H: Heap<N>> Heap<T> for Residues<N, H> {
    fn append(&mut self, block: &[T]) -> u64 {
        self.block.clear();
        self.lane.reduce(block, &mut self.block);
        self.heap.append(&self.block)
    }

    fn len(&self) -> usize {
        self.heap.len()
    }

    fn finish(self) -> Weights {
        self.heap.finish()
    }

    fn negate(&self, block: &mut [T]) {
        self.lane.negate(block);
    }
}

/// A type that weights of layers have.
pub trait Lying: Weight {
    /// A vector of this width.
    fn pack(weights: Vec<Self>) -> Weights;

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
            fn pack(weights: Vec<Self>) -> Weights {
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
