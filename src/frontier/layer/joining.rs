//! The join of a two-sided sweep: the last layer of the left half with the last layer of the right half.
//!
//! ```text
//! left chunk, block by block -> aligned right block, and its mirror image -> BlockJoiner -> sum
//! ```
//!
//! Either layer may be reduced by a mirror symmetry. A reduced layer has the same number of completions as
//! the whole one, but only the whole one is its own mirror image. So if the right layer is reduced, each of
//! its blocks is joined as it is and mirrored, which counts each tour twice.

use std::collections::BTreeMap;
use std::ops::Range;

use num_bigint::BigUint;

use crate::frontier::block::join::{Joiner, Sum, room};
use crate::frontier::block::kernel::One;
use crate::frontier::block::permutation::add_permuted;
use crate::frontier::block::tables::Tables;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::entry::longest_of;
use crate::frontier::layer::stride::Sources;
use crate::frontier::problem::slot::Slot;
use crate::frontier::state::course::Course;
use crate::frontier::state::fit::Fit;
use crate::frontier::state::fold::Fold;
use crate::frontier::state::matching::size;
use crate::frontier::state::signature::{ENDS_IN, each_bit};
use crate::frontier::state::words::{Address, At, Words};

/// Joins chunks of the left layer with chunks of the right layer.
#[derive(Debug)]
pub struct Joining<'a> {
    near: &'a Words,
    far: &'a Words,
    fit: Fit,
    /// The mirror symmetry by which the right layer was reduced.
    fold: Option<Fold>,
    tables: &'a Tables,
    joiner: Joiner<'a>,
}

/// The result of joining a left chunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Joined {
    /// Number of tours, each counted twice if the right layer was reduced.
    pub sum: BigUint,
    /// Number of weights read.
    pub reads: u64,
}

/// Sums of products of planes, by the bit from which on they count.
type Sums = BTreeMap<u32, Sum>;

impl<'a> Joining<'a> {
    /// Prepares the join of the layer of `left`, the left half, after step `t` with the last layer of
    /// `right`, the right half.
    #[must_use]
    pub fn new(near: &'a Course, t: usize, far: &'a Course, tables: &'a Tables) -> Self {
        let last = far.plan().steps().last().expect("the right half has steps");
        Self {
            near: near.words(),
            far: far.words(),
            fit: Fit::new(near.plan(), t, near.words(), far.plan(), far.words()),
            fold: last.mirror.as_ref().map(|image| Fold::new(far.words(), image, None)),
            tables,
            joiner: Joiner::new(tables),
        }
    }

    /// Returns how often each tour is counted: 1 or 2.
    #[must_use]
    pub const fn times(&self) -> u32 {
        if self.fold.is_some() { 2 } else { 1 }
    }

    /// Returns the indices of the right chunks with which a left chunk is joined, ascending.
    #[must_use]
    pub fn chunks(&self, high: usize) -> Vec<usize> {
        let mut chunks = self.fit.chunks(high);
        if let Some(fold) = &self.fold {
            chunks = fold.with_images(chunks);
        }
        chunks
    }

    /// Returns an upper bound of the bytes that joining these chunks takes in addition to them: the planes of
    /// the greatest block.
    #[must_use]
    pub fn beside(&self, high: usize, near: &Chunk, far: &Sources) -> u64 {
        let bits = far.iter().flatten().map(|chunk| chunk.bits).max().unwrap_or(0).max(near.bits);
        beside(longest_of(self.near, high, &near.entries), bits)
    }

    /// Joins a left chunk with the right chunks, each at its index in `right`.
    #[must_use]
    pub fn join(&self, high: usize, near: &Chunk, far: &Sources) -> Joined {
        let mut sums = Sums::new();
        let mut reads = 0;
        let mut planes = Planes::default();
        for (low, entry) in near.entries.iter().enumerate().filter(|(_, entry)| entry.present() != 0) {
            let at = At { high, low };
            let outer_ends = self.near.outer_ends(high, low);
            for bit in each_bit(entry.present()) {
                let ends = outer_ends | u32::from(ENDS_IN[bit as usize]);
                let n = ends.count_ones() as usize;
                let place = entry.place(bit, outer_ends.count_ones() as usize);
                let near = Source { chunk: near, places: place..place + size(n) };
                reads += self.join_block(near, self.fit.address(at, bit), ends, far, &mut planes, &mut sums);
            }
        }
        let sum = sums.iter().map(|(&from, sum)| sum.total() << from).sum();
        Joined { sum, reads }
    }

    /// Joins a left block with the aligned right block and its mirror image; returns the number of weights
    /// read.
    fn join_block(
        &self,
        near: Source,
        address: Address,
        ends: u32,
        far: &Sources,
        planes: &mut Planes,
        sums: &mut Sums,
    ) -> u64 {
        let n = ends.count_ones() as usize;
        let mut slots = [0; 32];
        let slots = &mut slots[..n];
        self.fit.ends(ends, slots);
        let at = self.fit.at(address.word);
        let found = [
            self.find(at, address.bit, slots, far),
            self.fold.as_ref().and_then(|fold| {
                slots.iter_mut().for_each(|slot| *slot = fold.slot(*slot));
                self.find(fold.other(at).unwrap_or(at), fold.bit(address.bit), slots, far)
            }),
        ];
        let of_far = found.iter().flatten().map(|(source, _)| source.chunk.bits).max();
        let Some(of_far) = of_far else { return 0 };
        let of_near = near.chunk.bits;
        // The weights of a block and of its mirror image are added first, which takes a bit.
        let (whole, part) = (u64::BITS - 1, room(n) - 1);
        let (places, len) = (&near.places, near.places.len());
        let cut = |is_near: bool, from: u32, bits: u32, planes: &mut Planes| {
            if is_near {
                return near.chunk.weights.plane(places.clone(), from, bits, &mut planes.plane);
            }
            planes.plane.clear();
            planes.plane.resize(len, 0);
            for (source, ends) in found.iter().flatten() {
                source.chunk.weights.plane(source.places.clone(), from, bits, &mut planes.image);
                add_permuted(self.tables, &mut planes.plane, &planes.image, One, &ends[..n]);
            }
        };
        // Contraction takes most of the time, so the block with fewer planes is contracted.
        let is_near_contracted = of_near.div_ceil(part) <= of_far.div_ceil(part);
        let (contracted, other) = if is_near_contracted { (of_near, of_far) } else { (of_far, of_near) };
        planes.others.clear();
        for from in (0..other).step_by(whole as usize) {
            cut(!is_near_contracted, from, whole, planes);
            planes.others.extend_from_slice(&planes.plane);
        }
        let mut count = 0;
        for from in (0..contracted).step_by(part as usize) {
            cut(is_near_contracted, from, part, planes);
            planes.joined.clear();
            planes.joined.resize(planes.others.len() / len, Sum::default());
            self.joiner.join(n, &planes.plane, &planes.others, &mut planes.joined);
            for (joined, from_other) in planes.joined.iter().zip((0..).step_by(whole as usize)) {
                sums.entry(from + from_other).or_default().add(*joined);
            }
            count += len as u64 * reads_a_weight(n);
        }
        count
    }

    /// Returns the right block whose ends are in `slots`, if it is present, and the position of each end.
    fn find<'s>(&self, at: At, bit: u32, slots: &[Slot], far: &'s Sources) -> Option<(Source<'s>, [u8; 32])> {
        let chunk = far[at.high].as_deref()?;
        let outer = self.far.outer_ends(at.high, at.low).count_ones() as usize;
        let place = chunk.find(at.low, bit, outer)?;
        let all = slots.iter().fold(0u32, |all, slot| all | 1 << slot);
        let mut from = [0u8; 32];
        for (place, slot) in from.iter_mut().zip(slots) {
            *place = (all & ((1 << slot) - 1)).count_ones() as u8;
        }
        Some((Source { chunk, places: place..place + size(slots.len()) }, from))
    }
}

/// A block in its chunk.
struct Source<'s> {
    chunk: &'s Chunk,
    places: Range<usize>,
}

/// Buffers for planes of blocks.
#[derive(Default)]
struct Planes {
    /// One plane of a block.
    plane: Vec<u64>,
    /// A plane of a right block before its ends are permuted.
    image: Vec<u64>,
    /// All planes of the block that is not contracted.
    others: Vec<u64>,
    joined: Vec<Sum>,
}

/// Returns the bytes for planes of blocks of `weights` weights of `bits` bits.
#[must_use]
pub const fn beside(weights: usize, bits: u32) -> u64 {
    // All planes of one block, a plane of the other before and after its ends are permuted, and a contracted
    // plane.
    (weights * size_of::<u64>()) as u64 * (bits.div_ceil(u64::BITS - 1) as u64 + 3)
}

/// Returns the number of weights read for each weight of a block of `n` ends.
#[must_use]
pub const fn reads_a_weight(n: usize) -> u64 {
    (n * (n - 2) / 4 + 1) as u64
}
