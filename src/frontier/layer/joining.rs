//! The last step of a sweep from two ends: the layer of the one joined with that of the other.
//!
//! ```text
//! near chunk, block by block -> far block that fits, and its mirror image -> Joiner -> sum
//! ```
//!
//! Either layer may have been folded. A folded layer has the same completions in all as the whole one, but only the
//! whole one is its own mirror image. So if the far layer was folded, it is joined with both its halves, as it is
//! and mirrored, which makes each tour count twice.

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

/// Joins chunks.
#[derive(Debug)]
pub struct Joining<'a> {
    near: &'a Words,
    far: &'a Words,
    fit: Fit,
    /// The mirror that folded the far layer.
    fold: Option<Fold>,
    tables: &'a Tables,
    joiner: Joiner<'a>,
}

/// What joining some chunks gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Joined {
    /// Tours, each counted twice if the far layer was folded.
    pub sum: BigUint,
    /// Weights read.
    pub reads: u64,
}

/// Sums of products of planes, by the bits from which on they count.
type Sums = BTreeMap<u32, Sum>;

impl<'a> Joining<'a> {
    /// Joins the layer of `near` after step `t` with the last one of `far`.
    #[must_use]
    pub fn new(near: &'a Course, t: usize, far: &'a Course, tables: &'a Tables) -> Self {
        let last = far.plan().steps().last().expect("there is something to sweep at the far end");
        Self {
            near: near.words(),
            far: far.words(),
            fit: Fit::new(near.plan(), t, near.words(), far.plan(), far.words()),
            fold: last.mirror.as_ref().map(|image| Fold::new(far.words(), image, None)),
            tables,
            joiner: Joiner::new(tables),
        }
    }

    /// How often each tour is counted.
    #[must_use]
    pub const fn times(&self) -> u32 {
        if self.fold.is_some() { 2 } else { 1 }
    }

    /// Numbers of the far chunks that a near chunk is joined with, ascending.
    #[must_use]
    pub fn chunks(&self, high: usize) -> Vec<usize> {
        let mut chunks = self.fit.chunks(high);
        if let Some(fold) = &self.fold {
            chunks = fold.with_images(chunks);
        }
        chunks
    }

    /// Bytes that joining these takes beside them at most: planes of the greatest block, those of the other end together.
    #[must_use]
    pub fn beside(&self, high: usize, near: &Chunk, far: &Sources) -> u64 {
        let bits = far.iter().flatten().map(|chunk| chunk.bits).max().unwrap_or(0).max(near.bits);
        beside(longest_of(self.near, high, &near.entries), bits)
    }

    /// Joins a near chunk with the far ones, which are at their numbers in `far`.
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

    /// Joins a near block with the far one that fits, and its mirror image. Weights read.
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
        // Mirror images are added up before, which takes a bit.
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
        // To contract takes most of the time.
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

    /// A far block, if it is there, whose ends are in these `slots`, and for each the place of its end.
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

/// Room for planes of blocks.
#[derive(Default)]
struct Planes {
    /// One of either block.
    plane: Vec<u64>,
    /// The same before its ends are brought to their places.
    image: Vec<u64>,
    /// All of the block that is not contracted.
    others: Vec<u64>,
    joined: Vec<Sum>,
}

/// Bytes for planes of blocks of so many weights, which have so many bits.
#[must_use]
pub const fn beside(weights: usize, bits: u32) -> u64 {
    // The planes of one end, one of the other before and after it is brought to its places, and what is contracted.
    (weights * size_of::<u64>()) as u64 * (bits.div_ceil(u64::BITS - 1) as u64 + 3)
}

/// Weights read for a weight of a block.
#[must_use]
pub const fn reads_a_weight(n: usize) -> u64 {
    (n * (n - 2) / 4 + 1) as u64
}
