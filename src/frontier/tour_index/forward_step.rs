//! A step of a sweep, followed forwards: the target block of each choice from each block of a chunk.
//!
//! Every choice leads from a block of a source chunk to its target block, or to the block that
//! represents the mirror image of the target block.

use std::ops::Range;
use std::sync::Arc;

use super::block_arithmetic::{IndexMap, MapCache, NO_MATCHING};
use crate::frontier::layer::chunk::WordEntry;
use crate::frontier::layer::chunk_computation::matching_map_of_effect;
use crate::frontier::planning::plan::Step;
use crate::frontier::signature::matching_rank::{MAX_ENDS, matching_count};
use crate::frontier::signature::mirror_fold::MirrorFold;
use crate::frontier::signature::moves::{Move, Side, StepMoves};
use crate::frontier::signature::space::{ENDS_OF_BIT, SignatureSpace, WordAddress, bits_of};
use crate::frontier::weights::matching_map::{MatchingMap, PointPair};
use crate::frontier::weights::matching_tables::{MAX_TABLE_POINTS, MapTables};

/// A chunk with the values of its states.
#[derive(Debug)]
pub struct StateChunk<V> {
    /// Entry of every word, as in the chunk of weights.
    pub entries: Vec<WordEntry>,
    /// The values, indexed like the weights.
    pub values: V,
}

/// Chunks of the layer after a step, indexed by chunk number.
pub type TargetChunks<V> = [Option<Arc<StateChunk<V>>>];

/// A step of a sweep, followed forwards: from the states before the step to the states after it.
pub struct ForwardStep<'a> {
    space: &'a SignatureSpace,
    /// Tables of the index maps of blocks with few ends.
    pub(super) tables: &'a MapTables,
    /// Cache of the other index maps.
    pub(super) maps: &'a MapCache,
    /// The step that is followed.
    pub step: &'a Step,
    /// Moves of the step from every source word.
    pub moves: StepMoves,
    fold: Option<MirrorFold>,
    /// For each slot, the index of the slot's vertex among the later neighbours of the step.
    pub later_index: Vec<usize>,
}

impl<'a> ForwardStep<'a> {
    /// Prepares step `t` of the sweep with the signature space `space`.
    #[must_use]
    pub fn new(space: &'a SignatureSpace, tables: &'a MapTables, maps: &'a MapCache, t: usize) -> Self {
        let (plan, words) = (space.plan(), space.words());
        let step = &plan.steps()[t];
        let mut later_index = vec![usize::MAX; plan.slot_count()];
        step.later_neighbours
            .iter()
            .enumerate()
            .for_each(|(position, later)| later_index[usize::from(later.slot)] = position);
        Self {
            space,
            tables,
            maps,
            step,
            moves: StepMoves::new(words, step, Side::Source),
            fold: MirrorFold::after_step(space, t),
            later_index,
        }
    }

    /// Returns the later neighbours of the step's vertex, which are processed after it. `t` must be
    /// the number of this step.
    ///
    /// # Panics
    /// If `t` is the number of another step, so that a later neighbour has no slot.
    #[must_use]
    pub fn later_vertices(&self, t: usize) -> Vec<usize> {
        let plan = self.space.plan();
        let seated = |slot| plan.frontier_slots(t).find(|&(_, seat)| seat == slot).map(|(v, _)| v);
        self.step
            .later_neighbours
            .iter()
            .map(|later| seated(later.slot).expect("a later neighbour has a slot"))
            .collect()
    }

    /// Returns the numbers of the chunks after the step that contain the targets of the states of a
    /// chunk, in ascending order.
    #[must_use]
    pub fn target_chunks(&self, chunk_number: usize) -> Vec<usize> {
        let chunks = self.moves.reached_chunks(chunk_number, None);
        self.fold.as_ref().map_or(chunks.clone(), |fold| fold.with_image_chunks(chunks))
    }

    /// Visits, for every block of a source chunk with the entries `entries`, the target block of each
    /// choice in the layer `after`. Omits target blocks that the layer does not contain.
    pub fn visit_terms<V>(
        &self,
        chunk_number: usize,
        entries: &[WordEntry],
        after: &TargetChunks<V>,
        visitor: &mut impl TermVisitor<V>,
    ) {
        let words = self.space.words();
        for (word, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.present_signatures() != 0) {
            let (outer, at) =
                (words.outer_ends(chunk_number, word), WordAddress { chunk: chunk_number, word });
            let moves = self.moves.moves_at(chunk_number, word);
            for bit in bits_of(entry.present_signatures()) {
                let n = (outer | u32::from(ENDS_OF_BIT[bit as usize])).count_ones() as usize;
                let position = entry.block_offset(bit, outer.count_ones() as usize);
                let block = position..position + matching_count(n);
                if !visitor.begin_block(block.clone()) {
                    continue;
                }
                for m in moves.iter().filter(|m| m.allowed_bits >> bit & 1 == 1) {
                    if let Some(landing) = self.target_block(m, at, bit, n, |at| entry_at(after, at)) {
                        let chunk =
                            after[landing.word.chunk].as_ref().expect("the chunk has a present signature");
                        visitor.visit(m, &landing, &chunk.values, block.clone());
                    }
                }
            }
        }
    }

    /// Returns the table of the target index of every source matching, for blocks with few ends;
    /// otherwise, and for the identity, `None`.
    #[must_use]
    pub fn target_table(&self, change: MatchingMap) -> Option<&[u16]> {
        let (points, table): (_, fn(&MapTables, PointPair) -> &[u16]) = match change {
            MatchingMap::Identity => return None,
            MatchingMap::Move(PointPair { n, i, j }) => {
                (PointPair { n, i: j, j: i }, MapTables::move_sources)
            }
            MatchingMap::Contract(PointPair { n: 2, .. }) => return Some(&[0]),
            MatchingMap::Contract(points) => (points, MapTables::contract_targets),
            MatchingMap::Create(points) => (points, MapTables::create_targets),
        };
        (usize::from(points.n) <= MAX_TABLE_POINTS).then(|| table(self.tables, points))
    }

    /// Returns the block to which the choice `m` leads from a signature with `n` ends: bit `bit` of
    /// the word `from`. `entry` returns the entries of the layer after the step. Returns `None` if
    /// that layer does not contain the target signature.
    #[inline(always)]
    pub fn target_block(
        &self,
        m: &Move,
        from: WordAddress,
        bit: u32,
        n: usize,
        entry: impl Fn(WordAddress) -> WordEntry,
    ) -> Option<TargetBlock> {
        let words = self.space.words();
        let at = WordAddress {
            chunk: (from.chunk as i32 + m.chunk_distance) as usize,
            word: (from.word as i32 + m.word_distance) as usize,
        };
        let bit = (bit as i32 + m.shift) as u32;
        let ends = words.outer_ends(at.chunk, at.word) | u32::from(ENDS_OF_BIT[bit as usize]);
        let targets = ends.count_ones() as usize;
        let image = self.fold.as_ref().and_then(|fold| Some((fold.word_image(at)?, fold)));
        let image = image.filter(|(image, fold)| !fold.is_representative(at, *image));
        let (at, bit) = image.as_ref().map_or((at, bit), |(image, fold)| (*image, fold.bit_image(bit)));
        let entry = entry(at);
        if entry.present_signatures() >> bit & 1 == 0 {
            return None;
        }
        let position = entry.block_offset(bit, words.outer_ends(at.chunk, at.word).count_ones() as usize);
        let image = image.map(|(_, fold)| {
            let mut image_points = [0; MAX_ENDS];
            fold.image_positions(ends, fold.mirror_slots(ends), &mut image_points[..targets]);
            image_points
        });
        let (change, _) = matching_map_of_effect(m.operation, ends);
        Some(TargetBlock {
            word: at,
            bit,
            block: position..position + matching_count(targets),
            change,
            source_ends: n,
            target_ends: targets,
            image_points: image,
        })
    }

    /// Returns the index map from matchings to their mirror images, if the layer contains the
    /// mirror image of the target block; otherwise `None`.
    #[must_use]
    pub fn mirror_map(&self, landing: &TargetBlock) -> Option<IndexMap> {
        landing.image_points().map(|image_points| self.maps.mirror_map(image_points))
    }

    /// Calls `each` with every source matching and the target matching to which the choice maps it.
    /// Omits source matchings that the choice excludes. Target matchings are not mirrored.
    #[inline(always)]
    pub fn for_each_pair(&self, landing: &TargetBlock, mut each: impl FnMut(usize, usize)) {
        let (n, len) = (landing.source_ends, landing.block.len());
        match landing.change {
            MatchingMap::Identity => (0..len).for_each(|y| each(y, y)),
            MatchingMap::Move(points) if n <= MAX_TABLE_POINTS => {
                self.tables.move_sources(points).iter().enumerate().for_each(|(x, &y)| each(y.into(), x));
            }
            MatchingMap::Contract(_) if n == 2 => each(0, 0),
            MatchingMap::Contract(points) if n <= MAX_TABLE_POINTS => {
                for plane in self.tables.contract_sources(points).chunks_exact(len) {
                    plane.iter().enumerate().for_each(|(x, &y)| each(y.into(), x));
                }
            }
            MatchingMap::Create(points) if n + 2 <= MAX_TABLE_POINTS => {
                self.tables.create_targets(points).iter().enumerate().for_each(|(y, &x)| each(y, x.into()));
            }
            change => {
                let map = self.maps.change_map(change, n).expect("the identity is handled above");
                let matched = map.iter().enumerate().filter(|(_, x)| **x != NO_MATCHING);
                matched.for_each(|(y, &x)| each(y, x as usize));
            }
        }
    }
}

/// Returns the entry of a word of the layer `layer`; an empty entry if the chunk is missing.
#[inline(always)]
#[must_use]
pub fn entry_at<V>(layer: &TargetChunks<V>, at: WordAddress) -> WordEntry {
    layer[at.chunk].as_ref().map_or(WordEntry::default(), |chunk| chunk.entries[at.word])
}

/// Receives the terms of the blocks of a chunk.
pub trait TermVisitor<V> {
    /// Begins the block whose weights have the indices `block`. Returns false if its terms are not
    /// needed.
    fn begin_block(&mut self, block: Range<usize>) -> bool;

    /// Receives a choice from the block `block` to the block `landing` of a chunk with the values
    /// `values`.
    fn visit(&mut self, m: &Move, landing: &TargetBlock, values: &V, block: Range<usize>);
}

/// The block to which a choice leads, in the layer after the step.
pub struct TargetBlock {
    /// Word of the block's signature.
    pub word: WordAddress,
    /// Bit of the block's signature in the word.
    pub bit: u32,
    /// Range of the indices of the block's weights in their chunk.
    pub block: Range<usize>,
    /// Map from the matchings of the source block to those of the block.
    pub change: MatchingMap,
    /// Number of path ends in the source block.
    pub source_ends: usize,
    /// Number of path ends in the target block.
    pub target_ends: usize,
    /// For each end of the target block, the point of its mirror image; `None` if the layer does
    /// not contain the mirror image.
    image_points: Option<[u8; MAX_ENDS]>,
}

impl TargetBlock {
    /// Returns true if the layer contains the mirror image of the target block instead of the
    /// block.
    #[must_use]
    pub const fn is_image(&self) -> bool {
        self.image_points.is_some()
    }

    /// Returns true if source and target block have so few ends that their index maps are tables.
    #[must_use]
    pub fn has_tables(&self) -> bool {
        self.source_ends.max(self.target_ends) <= MAX_TABLE_POINTS
    }

    /// Returns, for each end of the target block, the point of its mirror image, if the layer contains
    /// the mirror image instead.
    #[must_use]
    pub fn image_points(&self) -> Option<&[u8]> {
        self.image_points.as_ref().map(|points| &points[..self.target_ends])
    }
}
