//! The join of the two halves of a two-sided sweep: the last layer of the left half with the last
//! layer of the right half.
//!
//! ```text
//! left chunk, block by block -> aligned right block, and its mirror image -> BlockJoiner -> sum
//! ```
//!
//! A block is joined in planes: a plane is a range of bits of all its weights.
//!
//! Either layer may be reduced by a mirror symmetry. A reduced layer has the same number of
//! completions as the whole layer, but only the whole layer is its own mirror image. So if the
//! right layer is reduced, each of its blocks is joined both unchanged and mirrored, which counts
//! each tour twice.

use std::collections::BTreeMap;
use std::ops::Range;

use num_bigint::BigUint;

use super::chunk::{Chunk, longest_block};
use super::compiled_step::SourceChunks;
use crate::frontier::planning::slots::Slot;
use crate::frontier::signature::cut_alignment::CutAlignment;
use crate::frontier::signature::matching_rank::matching_count;
use crate::frontier::signature::mirror_fold::MirrorFold;
use crate::frontier::signature::space::{
    ENDS_OF_BIT, SignatureAddress, SignatureSpace, WordAddress, WordNumbering, bits_of,
};
use crate::frontier::weights::block_join::{BlockJoiner, WideSum, max_contracted_bits};
use crate::frontier::weights::kernel::SingleEntry;
use crate::frontier::weights::matching_permutation::add_permuted;
use crate::frontier::weights::matching_tables::MapTables;

/// The join of the left layer with the right layer, prepared to join chunks.
#[derive(Debug)]
pub struct LayerJoiner<'a> {
    left_words: &'a WordNumbering,
    right_words: &'a WordNumbering,
    alignment: CutAlignment,
    /// Mirror symmetry by which the right layer was reduced; `None` if it is whole.
    fold: Option<MirrorFold>,
    tables: &'a MapTables,
    joiner: BlockJoiner<'a>,
}

/// The result of joining a left chunk with its right chunks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JoinResult {
    /// Number of tours, where each tour counts twice if the right layer was reduced.
    pub sum: BigUint,
    /// Number of weights that the join read.
    pub reads: u64,
}

/// Sums of products of planes. The key of a sum is the position of its lowest bit in the result.
type SumsByBit = BTreeMap<u32, WideSum>;

impl<'a> LayerJoiner<'a> {
    /// Prepares the join of the layer after step `t` of the left half with the last layer of the
    /// right half.
    #[must_use]
    pub fn new(left: &'a SignatureSpace, t: usize, right: &'a SignatureSpace, tables: &'a MapTables) -> Self {
        let last_step = right.plan().steps().len().checked_sub(1).expect("the right half has steps");
        Self {
            left_words: left.words(),
            right_words: right.words(),
            alignment: CutAlignment::new(left.plan(), t, left.words(), right.plan(), right.words()),
            fold: MirrorFold::after_step(right, last_step),
            tables,
            joiner: BlockJoiner::new(tables),
        }
    }

    /// Returns the number of times that the join counts each tour: 1, or 2 if the right layer is
    /// reduced.
    #[must_use]
    pub const fn multiplicity(&self) -> u32 {
        if self.fold.is_some() { 2 } else { 1 }
    }

    /// Returns the numbers of the right chunks with which a left chunk is joined, ascending.
    #[must_use]
    pub fn right_chunks(&self, chunk_number: usize) -> Vec<usize> {
        let mut chunks = self.alignment.right_chunks(chunk_number);
        if let Some(fold) = &self.fold {
            chunks = fold.with_image_chunks(chunks);
        }
        chunks
    }

    /// Returns an upper bound of the bytes of memory for joining a left chunk with right chunks, in
    /// addition to the chunks: the planes of the longest block.
    #[must_use]
    pub fn scratch_bytes(&self, chunk_number: usize, left: &Chunk, right: &SourceChunks) -> u64 {
        let bits = right.iter().flatten().map(|chunk| chunk.bits).max().unwrap_or(0).max(left.bits);
        join_scratch_bytes(longest_block(self.left_words, chunk_number, &left.entries), bits)
    }

    /// Joins a left chunk with its right chunks, each at its chunk number in `right`.
    #[must_use]
    pub fn join_chunk(&self, chunk_number: usize, left: &Chunk, right: &SourceChunks) -> JoinResult {
        let mut sums = SumsByBit::new();
        let mut reads = 0;
        let mut planes = PlaneBuffers::default();
        for (word, entry) in
            left.entries.iter().enumerate().filter(|(_, entry)| entry.present_signatures() != 0)
        {
            let at = WordAddress { chunk: chunk_number, word };
            let outer_ends = self.left_words.outer_ends(chunk_number, word);
            for bit in bits_of(entry.present_signatures()) {
                let ends = outer_ends | u32::from(ENDS_OF_BIT[bit as usize]);
                let n = ends.count_ones() as usize;
                let position = entry.block_offset(bit, outer_ends.count_ones() as usize);
                let left_block = BlockRef { chunk: left, positions: position..position + matching_count(n) };
                reads += self.join_block(
                    left_block,
                    self.alignment.right_signature(at, bit),
                    ends,
                    right,
                    &mut planes,
                    &mut sums,
                );
            }
        }
        let sum = sums.iter().map(|(&from, sum)| sum.to_biguint() << from).sum();
        JoinResult { sum, reads }
    }

    /// Joins a left block, whose ends are in the slots `ends`, with the aligned right block and
    /// with the mirror image of that block. Adds the products to `sums`, and returns the number of
    /// weights read.
    fn join_block(
        &self,
        left: BlockRef,
        address: SignatureAddress,
        ends: u32,
        right: &SourceChunks,
        planes: &mut PlaneBuffers,
        sums: &mut SumsByBit,
    ) -> u64 {
        let n = ends.count_ones() as usize;
        let mut slots = [0; 32];
        let slots = &mut slots[..n];
        self.alignment.right_slots_of_ends(ends, slots);
        let at = self.alignment.right_word(address.word_number);
        let found = [
            self.find_right_block(at, address.bit, slots, right),
            self.fold.as_ref().and_then(|fold| {
                slots.iter_mut().for_each(|slot| *slot = fold.slot_image(*slot));
                self.find_right_block(
                    fold.word_image(at).unwrap_or(at),
                    fold.bit_image(address.bit),
                    slots,
                    right,
                )
            }),
        ];
        let right_bits = found.iter().flatten().map(|(source, _)| source.chunk.bits).max();
        let Some(right_bits) = right_bits else { return 0 };
        let left_bits = left.chunk.bits;
        // The weights of a block and of its mirror image are added first, which takes a bit.
        let (whole, part) = (u64::BITS - 1, max_contracted_bits(n) - 1);
        let (positions, len) = (&left.positions, left.positions.len());
        let cut = |is_left: bool, from: u32, bits: u32, planes: &mut PlaneBuffers| {
            if is_left {
                return left.chunk.weights.extract_bits(positions.clone(), from, bits, &mut planes.plane);
            }
            planes.plane.clear();
            planes.plane.resize(len, 0);
            for (source, ends) in found.iter().flatten() {
                source.chunk.weights.extract_bits(
                    source.positions.clone(),
                    from,
                    bits,
                    &mut planes.unpermuted,
                );
                add_permuted(self.tables, &mut planes.plane, &planes.unpermuted, SingleEntry, &ends[..n]);
            }
        };
        // Contraction takes most of the time, so the block with fewer planes is contracted.
        let is_left_contracted = left_bits.div_ceil(part) <= right_bits.div_ceil(part);
        let (contracted, other) =
            if is_left_contracted { (left_bits, right_bits) } else { (right_bits, left_bits) };
        planes.others.clear();
        for from in (0..other).step_by(whole as usize) {
            cut(!is_left_contracted, from, whole, planes);
            planes.others.extend_from_slice(&planes.plane);
        }
        let mut count = 0;
        for from in (0..contracted).step_by(part as usize) {
            cut(is_left_contracted, from, part, planes);
            planes.joined.clear();
            planes.joined.resize(planes.others.len() / len, WideSum::default());
            self.joiner.join_planes(n, &planes.plane, &planes.others, &mut planes.joined);
            for (joined, from_other) in planes.joined.iter().zip((0..).step_by(whole as usize)) {
                sums.entry(from + from_other).or_default().add(*joined);
            }
            count += len as u64 * reads_per_weight(n);
        }
        count
    }

    /// Returns the right block whose ends are in `slots`, and the position of each of these ends
    /// among the ends of the block; `None` if the block is absent.
    fn find_right_block<'s>(
        &self,
        at: WordAddress,
        bit: u32,
        slots: &[Slot],
        right: &'s SourceChunks,
    ) -> Option<(BlockRef<'s>, [u8; 32])> {
        let chunk = right[at.chunk].as_deref()?;
        let outer = self.right_words.outer_ends(at.chunk, at.word).count_ones() as usize;
        let position = chunk.find_block(at.word, bit, outer)?;
        let all = slots.iter().fold(0u32, |all, slot| all | 1 << slot);
        let mut from = [0u8; 32];
        for (place, slot) in from.iter_mut().zip(slots) {
            *place = (all & ((1 << slot) - 1)).count_ones() as u8;
        }
        Some((BlockRef { chunk, positions: position..position + matching_count(slots.len()) }, from))
    }
}

/// A block: its chunk, and the range of its weights in this chunk.
struct BlockRef<'s> {
    chunk: &'s Chunk,
    positions: Range<usize>,
}

/// Buffers for planes of blocks, each plane a range of bits of all weights of a block.
#[derive(Default)]
struct PlaneBuffers {
    /// One plane of a block.
    plane: Vec<u64>,
    /// A plane of a right block before its ends are permuted.
    unpermuted: Vec<u64>,
    /// All planes of the block that is not contracted.
    others: Vec<u64>,
    joined: Vec<WideSum>,
}

/// Returns the number of bytes for joining two blocks of `weights` weights of `bits` bits.
#[must_use]
pub const fn join_scratch_bytes(weights: usize, bits: u32) -> u64 {
    // All planes of one block, a plane of the other before and after its ends are permuted, and a contracted
    // plane.
    (weights * size_of::<u64>()) as u64 * (bits.div_ceil(u64::BITS - 1) as u64 + 3)
}

/// Returns the number of weights that a join reads for each weight of a block of `n` ends.
#[must_use]
pub const fn reads_per_weight(n: usize) -> u64 {
    (n * (n - 2) / 4 + 1) as u64
}
