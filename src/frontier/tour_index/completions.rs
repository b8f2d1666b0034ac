//! The numbers of completions of states, computed chunk by chunk from the layer after a step.
//!
//! ```text
//! completions(s') = sum over the choices c of a step   completions(c(s'))
//! ```
//!
//! The products of weights and completions give the number of tours that take the choice. The completions of a
//! state with weight zero are undefined, as they are never used.
//!
//! A chunk stores its numbers of completions in 32 bits if all of them fit. From the middle of a
//! sweep on nearly all numbers fit, since the remaining half of the board then has some millions of
//! completions.

use std::marker::PhantomData;
use std::ops::Range;

use super::backward_sweep::{BackwardValues, SourceChunk};
use super::block_arithmetic::{BlockMaps, CompletionWeight, TourNumber};
use super::chunk_format::Damaged;
use super::forward_step::{ForwardStep, TargetBlock, TargetChunks, TermVisitor};
use super::predecessors::joined_slots;
use crate::frontier::layer::chunk::WordEntry;
use crate::frontier::signature::matching_rank::matching_count;
use crate::frontier::signature::moves::Move;
use crate::frontier::weights::block_sink::zeroed;
use crate::frontier::weights::matching_map::MatchingMap;
use crate::frontier::weights::matching_permutation::with_permutation_table;
use crate::frontier::weights::matching_tables::MAX_TABLE_POINTS;
use crate::frontier::weights::sparse_slice::NO_TARGET;

/// A source block: its weights, which of them are not zero, and its numbers of completions.
type BlockOf<'b, N, S> = (&'b [N], &'b NonzeroMatchings, &'b mut [S]);

/// The numbers of completions, with weights of type `N`.
pub struct Completions<N>(pub PhantomData<fn() -> N>);

impl<N: TourNumber> BackwardValues for Completions<N> {
    type Values = CompletionNumbers<N>;

    /// For each later neighbour of the step's vertex, the number of tours with the edge to it.
    type Tally = Vec<N>;

    fn new_tally(&self, later: usize) -> Vec<N> {
        vec![N::default(); later]
    }

    fn bytes(values: &CompletionNumbers<N>) -> u64 {
        values.bytes()
    }

    fn max_bytes(weights: usize) -> u64 {
        (weights * (2 * size_of::<N>() + size_of::<u32>())) as u64
    }

    fn compute(
        &self,
        source: &SourceChunk,
        after: &TargetChunks<CompletionNumbers<N>>,
        used: &mut Vec<N>,
    ) -> Result<CompletionNumbers<N>, Damaged> {
        let (forward, entries, weights) = (source.forward, source.entries, &source.weights()?);
        let moves = |word| forward.moves.moves_at(source.number, word).iter().len() as u64;
        let present = |(_, entry): &(usize, &WordEntry)| entry.present_signatures() != 0;
        let most_moves = entries.iter().enumerate().filter(present).map(|(word, _)| moves(word)).max();
        let greatest = source.targets.iter().filter_map(|&target| after[target].as_ref());
        let greatest = greatest.map(|chunk| chunk.values.greatest().map_or(u64::MAX, u64::from)).max();
        // A state with a weight leads to states with weights only, so these bound all sums that are used.
        let bound = greatest.unwrap_or(0).saturating_mul(most_moves.unwrap_or(0));
        let (mut narrow, mut wide) = (BlockBuffers::default(), BlockBuffers::default());
        if bound <= u32::MAX.into() {
            let sum = |landing: &TargetBlock, values: &CompletionNumbers<N>, source: BlockOf<N, u32>| {
                let CompletionNumbers::Narrow { numbers, .. } = values else {
                    unreachable!("a greatest number is known of narrow numbers only")
                };
                forward.accumulate_block(landing, &numbers[landing.block.clone()], source, &mut narrow)
            };
            let mut sums = CompletionSums::new(forward, weights, used, sum);
            forward.visit_terms(source.number, entries, after, &mut sums);
            return Ok(CompletionNumbers::from_narrow(sums.numbers, weights));
        }
        let sum = |landing: &TargetBlock, values: &CompletionNumbers<N>, source: BlockOf<N, N>| {
            let block = landing.block.clone();
            match values {
                CompletionNumbers::Narrow { numbers, .. } => {
                    forward.accumulate_block(landing, &numbers[block], source, &mut narrow)
                }
                CompletionNumbers::Wide(numbers) => {
                    forward.accumulate_block(landing, &numbers[block], source, &mut wide)
                }
            }
        };
        let mut sums = CompletionSums::new(forward, weights, used, sum);
        forward.visit_terms(source.number, entries, after, &mut sums);
        Ok(CompletionNumbers::from_wide(sums.numbers, weights))
    }
}

/// The sums of the completions of a chunk, as numbers of type `S`. `sum` adds the completions of a
/// target block to those of a source block, and returns the number of tours from the one to the
/// other.
struct CompletionSums<'s, N, S, F> {
    forward: &'s ForwardStep<'s>,
    weights: &'s [N],
    nonzero: NonzeroMatchings,
    numbers: Vec<S>,
    used: &'s mut [N],
    sum: F,
}

impl<'s, N: TourNumber, S: Clone + Default, F> CompletionSums<'s, N, S, F>
where
    F: FnMut(&TargetBlock, &CompletionNumbers<N>, BlockOf<N, S>) -> N,
{
    fn new(forward: &'s ForwardStep<'s>, weights: &'s [N], used: &'s mut [N], sum: F) -> Self {
        let numbers = vec![S::default(); weights.len()];
        Self { forward, weights, nonzero: NonzeroMatchings::default(), numbers, used, sum }
    }
}

impl<N: TourNumber, S, F> TermVisitor<CompletionNumbers<N>> for CompletionSums<'_, N, S, F>
where
    F: FnMut(&TargetBlock, &CompletionNumbers<N>, BlockOf<N, S>) -> N,
{
    fn begin_block(&mut self, block: Range<usize>) -> bool {
        self.nonzero.scan(&self.weights[block])
    }

    fn visit(&mut self, m: &Move, landing: &TargetBlock, values: &CompletionNumbers<N>, block: Range<usize>) {
        let source = (&self.weights[block.clone()], &self.nonzero, &mut self.numbers[block]);
        let sum = (self.sum)(landing, values, source);
        if !sum.is_zero() {
            for slot in joined_slots(self.forward.step, m.operation).into_iter().flatten() {
                self.used[self.forward.later_index[usize::from(slot)]].add(&sum);
            }
        }
    }
}

impl ForwardStep<'_> {
    /// Adds the completions `others` of a target block to the completions `to` of the source block.
    /// Returns the sum of the added completions, each times the weight of its source state.
    fn accumulate_block<'b, N: CompletionWeight<E, S>, S, E: Clone + Default>(
        &self,
        landing: &TargetBlock,
        mut others: &'b [E],
        (weights, nonzero, to): BlockOf<N, S>,
        buffers: &'b mut BlockBuffers<E>,
    ) -> N {
        if let Some(few) = nonzero.indices_if_few(landing) {
            let targets = self.target_table(landing.change);
            let mut sum = N::default();
            let mut each = |image: Option<&[u16]>| {
                for &y in few {
                    let y = usize::from(y);
                    let x = targets.map_or(y, |targets| usize::from(targets[y]));
                    if x != usize::from(NO_TARGET) {
                        let x = image.map_or(x, |image| usize::from(image[x]));
                        N::accumulate(&others[x], &weights[y], &mut to[y], &mut sum);
                    }
                }
            };
            match landing.image_points() {
                None => each(None),
                Some(image_points) => with_permutation_table(image_points, |image| each(Some(image))),
            }
            return sum;
        }
        let targets = self.target_table(landing.change);
        if let (Some(image_points), true) = (landing.image_points(), landing.has_tables()) {
            return with_permutation_table(image_points, |image| {
                let Some(targets) = targets else {
                    return N::accumulate_gathered(others, image, weights, to);
                };
                let image_of = |&x: &u16| if x == NO_TARGET { x } else { image[usize::from(x)] };
                buffers.targets.clear();
                buffers.targets.extend(targets.iter().map(image_of));
                N::accumulate_gathered(others, &buffers.targets, weights, to)
            });
        }
        let changes = BlockMaps { tables: self.tables, maps: self.maps };
        if let Some(image_points) = landing.image_points() {
            let image = zeroed(&mut buffers.mirrored, others.len());
            N::add_mirrored(changes, image, others, image_points);
            others = image;
        }
        if landing.change == MatchingMap::Identity {
            return N::accumulate_block(others, weights, to);
        }
        if let Some(targets) = targets {
            return N::accumulate_gathered(others, targets, weights, to);
        }
        let part = zeroed(&mut buffers.transposed, to.len());
        N::add_transposed(changes, part, others, landing.change, landing.source_ends);
        N::accumulate_block(part, weights, to)
    }
}

/// Smallest number of weights for each nonzero weight of a block at which only the nonzero weights
/// are processed.
const MIN_WEIGHTS_PER_NONZERO: usize = 6;

/// Buffers for a mirrored block, for a transposed block, and for an index map.
#[derive(Default)]
struct BlockBuffers<E> {
    targets: Vec<u16>,
    mirrored: Vec<E>,
    transposed: Vec<E>,
}

/// Indices of the nonzero weights of a block, if these are few.
#[derive(Default)]
struct NonzeroMatchings {
    indices: Vec<u16>,
    is_few: bool,
}

impl NonzeroMatchings {
    /// Finds the nonzero weights of a block. Returns true if the block has a nonzero weight.
    fn scan<N: TourNumber>(&mut self, weights: &[N]) -> bool {
        let count = N::count_nonzero(weights);
        self.is_few = count * MIN_WEIGHTS_PER_NONZERO <= weights.len()
            && weights.len() <= matching_count(MAX_TABLE_POINTS);
        if self.is_few {
            let nonzero = (0..).zip(weights).filter(|(_, weight)| !weight.is_zero());
            self.indices.clear();
            self.indices.extend(nonzero.map(|(y, _)| y));
        }
        count > 0
    }

    /// Returns the indices of the nonzero weights if they are few and the target block has tables;
    /// otherwise `None`.
    fn indices_if_few(&self, landing: &TargetBlock) -> Option<&[u16]> {
        (self.is_few && landing.target_ends <= MAX_TABLE_POINTS).then_some(&self.indices)
    }
}

/// Numbers of completions of the states of a chunk, in the narrowest sufficient type.
#[derive(Debug)]
pub enum CompletionNumbers<N: TourNumber> {
    /// Numbers that all fit 32 bits.
    Narrow {
        /// The numbers, indexed like the weights.
        numbers: Vec<u32>,
        /// The greatest number of a state whose weight is not zero.
        greatest: u32,
    },
    /// Numbers of full width, of which at least one may exceed 32 bits.
    Wide(Vec<N>),
}

impl<N: TourNumber> CompletionNumbers<N> {
    /// Returns the numbers `numbers` of states with the weights `weights`, which fit 32 bits. The
    /// numbers of states with weight zero are undefined.
    fn from_narrow(numbers: Vec<u32>, weights: &[N]) -> Self {
        let greatest = N::greatest_of_states(&numbers, weights);
        Self::Narrow { numbers, greatest }
    }

    /// Does the same for numbers of any size. Stores them in 32 bits if those of all states with
    /// nonzero weights fit.
    #[must_use]
    pub fn from_wide(numbers: Vec<N>, weights: &[N]) -> Self {
        match to_narrow_numbers(&numbers, weights) {
            Some(narrow) => Self::from_narrow(narrow, weights),
            None => Self::Wide(numbers),
        }
    }

    /// Returns the number of bytes that the numbers allocate; for numbers of arbitrary size, a lower
    /// bound.
    fn bytes(&self) -> u64 {
        match self {
            Self::Narrow { numbers, .. } => size_of_val(numbers.as_slice()) as u64,
            Self::Wide(numbers) => size_of_val(numbers.as_slice()) as u64,
        }
    }

    /// Returns the greatest number of a state whose weight is not zero; `None` if it may exceed 32
    /// bits.
    const fn greatest(&self) -> Option<u32> {
        match self {
            Self::Narrow { greatest, .. } => Some(*greatest),
            Self::Wide(_) => None,
        }
    }
}

/// Returns the numbers in 32 bits, with 0 for states of weight zero; `None` if the number of
/// another state does not fit.
fn to_narrow_numbers<N: TourNumber>(numbers: &[N], weights: &[N]) -> Option<Vec<u32>> {
    let mut all = Vec::with_capacity(numbers.len());
    for (number, weight) in numbers.iter().zip(weights) {
        all.push(if weight.is_zero() { 0 } else { number.to_u32()? });
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_without_tours_do_not_widen_a_chunk() {
        let narrow = CompletionNumbers::from_wide(vec![7, 1 << 40, 9], &[1u64, 0, 5]);
        let CompletionNumbers::Narrow { numbers, greatest: 9 } = &narrow else { panic!("{narrow:?}") };
        assert_eq!((numbers[0], numbers[2]), (7, 9));
        let wide = CompletionNumbers::from_wide(vec![7, 1 << 40, 9], &[1u64, 1, 5]);
        assert!(matches!(&wide, CompletionNumbers::Wide(numbers) if *numbers == [7, 1 << 40, 9]));
        assert_eq!((narrow.bytes(), wide.bytes()), (12, 24));
    }
}
