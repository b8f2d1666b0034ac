//! The last step of a sweep from two ends: the layer of the one joined with that of the other.
//!
//! ```text
//! near chunk, block by block -> far block that fits, and its mirror image -> Joiner -> sum
//! ```
//!
//! Either layer may have been folded. A folded layer has the same completions in all as the whole one, but only the
//! whole one is its own mirror image. So if the far layer was folded, it is joined with both its halves, as it is
//! and mirrored, which makes each tour count twice.

use num_bigint::BigUint;

use crate::frontier::block::join::Joiner;
use crate::frontier::block::kernel::One;
use crate::frontier::block::permutation::add_permuted;
use crate::frontier::block::tables::Tables;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::stride::Sources;
use crate::frontier::problem::slot::Slot;
use crate::frontier::state::course::Course;
use crate::frontier::state::fit::Fit;
use crate::frontier::state::fold::Fold;
use crate::frontier::state::matching::size;
use crate::frontier::state::signature::ENDS_IN;
use crate::frontier::state::words::{Address, At, Words};

/// Bits of a plane of weights.
const PLANE: usize = 32;

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

/// Sums of products of planes, by the sum of their numbers, each with what it carried.
type Sums = Vec<(u128, u64)>;

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
            let images: Vec<usize> = chunks.iter().map(|&chunk| fold.chunk(chunk)).collect();
            chunks.extend(images);
        }
        chunks.sort_unstable();
        chunks.dedup();
        chunks
    }

    /// Joins a near chunk with the far ones, which are at their numbers in `far`.
    #[must_use]
    pub fn join(&self, high: usize, near: &Chunk, far: &Sources) -> Joined {
        let mut sums: Sums = Vec::new();
        let mut reads = 0;
        let mut planes = Planes::default();
        for (low, entry) in near.entries.iter().enumerate().filter(|(_, entry)| entry.present() != 0) {
            let at = At { high, low };
            let outer_ends = self.near.outer_ends(high, low);
            let mut rest = entry.present();
            while rest != 0 {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                let ends = outer_ends | u32::from(ENDS_IN[bit as usize]);
                let n = ends.count_ones() as usize;
                if !self.far_block(self.fit.address(at, bit), ends, far, &mut planes) {
                    continue;
                }
                let place = entry.place(bit, outer_ends.count_ones() as usize);
                planes.near.clear();
                let count = near.bits.div_ceil(PLANE as u32) as usize;
                for number in 0..count {
                    let plane = (place..place + size(n)).map(|place| near.weights.limb(place, number));
                    planes.near.push(plane.collect());
                }
                for (k, f) in planes.near.iter().enumerate() {
                    for (l, g) in planes.far.iter().enumerate() {
                        sums.resize(sums.len().max(k + l + 1), (0, 0));
                        let (sum, carry) = sums[k + l].0.overflowing_add(self.joiner.join(n, f, g));
                        sums[k + l] = (sum, sums[k + l].1 + u64::from(carry));
                    }
                }
                let pairs = (planes.near.len() * planes.far.len()) as u64;
                reads += pairs * size(n) as u64 * reads_a_weight(n);
            }
        }
        Joined { sum: total(&sums), reads }
    }

    /// The far block that fits near ends, with its mirror image, in planes; `false` if there is none.
    fn far_block(&self, address: Address, ends: u32, far: &Sources, planes: &mut Planes) -> bool {
        let n = ends.count_ones() as usize;
        let len = size(n);
        planes.far.clear();
        let mut slots = [0; 32];
        let slots = &mut slots[..n];
        self.fit.ends(ends, slots);
        let at = self.fit.at(address.word);
        self.add_far(at, address.bit, slots, len, far, planes);
        if let Some(fold) = &self.fold {
            slots.iter_mut().for_each(|slot| *slot = fold.slot(*slot));
            self.add_far(fold.other(at).unwrap_or(at), fold.bit(address.bit), slots, len, far, planes);
        }
        !planes.far.is_empty()
    }

    /// Adds a far block, if it is there, whose ends are in these `slots`.
    fn add_far(&self, at: At, bit: u32, slots: &[Slot], len: usize, far: &Sources, planes: &mut Planes) {
        let Some(chunk) = far[at.high].as_deref() else { return };
        let outer = self.far.outer_ends(at.high, at.low).count_ones() as usize;
        let Some(place) = chunk.find(at.low, bit, outer) else { return };
        let all = slots.iter().fold(0u32, |all, slot| all | 1 << slot);
        let mut from = [0u8; 32];
        let from = &mut from[..slots.len()];
        for (place, slot) in from.iter_mut().zip(slots) {
            *place = (all & ((1 << slot) - 1)).count_ones() as u8;
        }
        let count = chunk.bits.div_ceil(PLANE as u32) as usize;
        planes.far.resize(planes.far.len().max(count), vec![0; len]);
        for number in 0..count {
            let plane: Vec<u64> =
                (place..place + len).map(|place| chunk.weights.limb(place, number)).collect();
            add_permuted(self.tables, &mut planes.far[number], &plane, One, from);
        }
    }
}

/// Blocks as planes of 32 bits.
#[derive(Default)]
struct Planes {
    near: Vec<Vec<u64>>,
    far: Vec<Vec<u64>>,
}

/// Weights read for a weight of a block.
#[must_use]
pub const fn reads_a_weight(n: usize) -> u64 {
    (n * (n - 2) / 4 + 1) as u64
}

/// Planes put together.
fn total(sums: &Sums) -> BigUint {
    let of = |&(sum, carry): &(u128, u64)| BigUint::from(sum) + (BigUint::from(carry) << 128);
    sums.iter().enumerate().map(|(number, sum)| of(sum) << (PLANE * number)).sum()
}
