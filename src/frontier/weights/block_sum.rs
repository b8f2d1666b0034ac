//! Builders of vectors of blocks, in which every block is a sum of source blocks.
//!
//! The predecessors of a signature are a list of [`Term`]s: source block, matching map, factor. A
//! [`BlockBuilder`] appends one block for each signature:
//!
//! ```text
//! terms, and mirrored terms of the mirror image -> block at the end of slabs of one width
//! ```
//!
//! [`LimbBlockBuilder`] sums weights wider than 128 bits. The largest blocks are summed part by part, see
//! [`part_sum`](super::part_sum).

#[cfg(target_arch = "x86_64")]
use std::cell::RefCell;

use super::block_sink::{BlockSink, DenseSink, ResidueSink, SparseSink, clear, zeroed};
use super::block_term::{BlockBuilder, BlockSum, BlockTerms, Term};
use super::kernel::{SingleEntry, add_vectors};
#[cfg(target_arch = "x86_64")]
use super::lane_map::LaneBlock;
use super::limbs::LimbBlockBuilder;
use super::matching_permutation::add_permuted;
use super::matching_tables::MapTables;
use super::modulus::ResidueRing;
use super::part_sum::{PartBuffers, can_be_parted, push_sum_of_parts};
use super::slab_vec::{BlockCapacity, SlabVec};
use super::sparse_vec::SparseVecBuilder;
use super::sum_weight::SumWeight;
use super::vector::Weights;
use super::weight::Width;

/// Returns a builder of blocks that are summed in numbers of `width`. If `capacity` gives the
/// expected number of nonzero weights and the stored weights are narrow, the blocks are stored
/// without zeros. If `ring` is given, the blocks are stored as residues of that ring.
///
/// # Panics
/// If the width is too narrow for sums, or for sums of residues of `ring`.
#[must_use]
pub fn new_block_builder(
    width: Width,
    ring: Option<ResidueRing>,
    capacity: BlockCapacity,
) -> Box<dyn BlockBuilder> {
    let is_thin = capacity.expected_nonzero.is_some();
    if let Some(ring) = ring {
        return match width {
            Width::W32 => residue_builder::<u32>(ring, capacity),
            Width::W64 => residue_builder::<u64>(ring, capacity),
            Width::W128 => {
                boxed_builder(ResidueSink::<u128, u32, SlabVec<u32>>::with_capacity(ring, capacity))
            }
            _ => panic!("{width:?} is not a sum width for residues of {ring:?}"),
        };
    }
    match width {
        Width::W8 | Width::W16 => panic!("{width:?} is too narrow for sums"),
        Width::W32 if is_thin => boxed_builder::<u32, _>(SparseSink::with_capacity(capacity)),
        Width::W32 => boxed_builder::<u32, _>(DenseSink::with_capacity(capacity)),
        Width::W64 => boxed_builder::<u64, _>(DenseSink::with_capacity(capacity)),
        Width::W128 => boxed_builder::<u128, _>(DenseSink::with_capacity(capacity)),
        Width::Limbs(each) => Box::new(LimbBlockBuilder::new(each as usize, capacity.max_weights)),
    }
}

/// Returns a builder of blocks that are summed in numbers of type `T` and stored as residues.
fn residue_builder<T: SumWeight + 'static>(
    ring: ResidueRing,
    capacity: BlockCapacity,
) -> Box<dyn BlockBuilder> {
    if capacity.expected_nonzero.is_some() {
        return boxed_builder(ResidueSink::<T, u32, SparseVecBuilder>::with_capacity(ring, capacity));
    }
    match ring.stored_width() {
        Width::W8 => boxed_builder(ResidueSink::<T, u8, SlabVec<u8>>::with_capacity(ring, capacity)),
        Width::W16 => boxed_builder(ResidueSink::<T, u16, SlabVec<u16>>::with_capacity(ring, capacity)),
        Width::W32 => boxed_builder(ResidueSink::<T, u32, SlabVec<u32>>::with_capacity(ring, capacity)),
        width => panic!("{width:?} is not a width of residues"),
    }
}

fn boxed_builder<T: SumWeight, H: BlockSink<T> + 'static>(sink: H) -> Box<dyn BlockBuilder> {
    Box::new(SinkBuilder { sink, buffers: PartBuffers::default(), multiplied: Vec::new() })
}

#[cfg(target_arch = "x86_64")]
thread_local! {
    /// Buffers of this thread for a block that is summed in registers, and for the sum of its
    /// mirrored terms. They are too large to allocate them for every chunk.
    static LANE_BLOCKS: RefCell<[LaneBlock; 2]> = const { RefCell::new([LaneBlock::ZERO; 2]) };
}

struct SinkBuilder<T, H> {
    sink: H,
    buffers: PartBuffers<T>,
    /// Buffer for a source block multiplied by its factor.
    multiplied: Vec<T>,
}

impl<T: SumWeight, H: BlockSink<T>> BlockBuilder for SinkBuilder<T, H> {
    fn push_sum(&mut self, tables: &MapTables, target: BlockTerms) -> BlockSum {
        let BlockTerms { len, terms, mirrored } = target;
        #[cfg(target_arch = "x86_64")]
        {
            let in_registers = LANE_BLOCKS.with_borrow_mut(|buffers| {
                let sum = T::sum_in_registers(target, tables.lanes(), buffers)?;
                if sum.seen == 0 {
                    return Some(BlockSum::default());
                }
                let nonzero = self.sink.append_groups(&buffers[0], len);
                let bits = u32::BITS - sum.seen.leading_zeros();
                Some(BlockSum { bits, nonzero, is_folded: sum.is_folded })
            });
            if let Some(sum) = in_registers {
                return sum;
            }
        }
        if can_be_parted(target) {
            return push_sum_of_parts(&mut self.sink, &mut self.buffers, tables, target);
        }
        let ring = self.sink.ring();
        let block = self.sink.begin_block(len);
        let mut seen = add_terms(tables, block, terms, &mut self.multiplied, ring);
        let mut is_folded = false;
        if !mirrored.terms.is_empty() {
            let image = self.buffers.mirrored.begin_block(len);
            let of_image = add_terms(tables, image, mirrored.terms, &mut self.multiplied, ring);
            // If the OR is zero, every sum was zero, and so is the negative of every sum.
            if of_image != T::default() {
                is_folded = true;
                seen = seen.bit_or(of_image).bit_or(add_permuted(
                    tables,
                    block,
                    image,
                    SingleEntry,
                    mirrored.image_positions,
                ));
                clear(image);
            }
        }
        if seen == T::default() {
            self.sink.discard_block();
            return BlockSum::default();
        }
        BlockSum { bits: seen.bit_length(), nonzero: self.sink.commit_block(), is_folded }
    }

    fn len(&self) -> usize {
        self.sink.len()
    }

    fn finish(self: Box<Self>) -> Weights {
        self.sink.finish()
    }
}

/// Adds all terms to `block`, a block of zeros. Returns the bitwise OR of the sums. Terms with a
/// negative factor must come first. `multiple` is a buffer for products.
fn add_terms<T: SumWeight>(
    tables: &MapTables,
    block: &mut [T],
    terms: &[Term],
    multiple: &mut Vec<T>,
    ring: Option<ResidueRing>,
) -> T {
    let mut seen = T::default();
    let taken = terms.iter().take_while(|term| term.factor < 0).count();
    for (number, term) in terms.iter().enumerate() {
        if number == taken && taken > 0 {
            negate(block, ring);
        }
        seen = seen.bit_or(if term.factor.unsigned_abs() == 1 {
            T::add_term(tables, block, term)
        } else {
            add_multiple(tables, block, term, multiple)
        });
    }
    // Negative terms are summed first, then the sum is negated as a whole.
    if taken > 0 && taken == terms.len() {
        negate(block, ring);
    }
    seen
}

/// Replaces every weight of a block by its negative: by a residue of `ring`, or, without a ring,
/// modulo two to the power of the type's bits.
fn negate<T: SumWeight>(block: &mut [T], ring: Option<ResidueRing>) {
    match ring {
        Some(ring) => ring.negate_sums(block),
        None => block.iter_mut().for_each(|w| *w = w.wrapping_negated()),
    }
}

/// Adds the source block of `term`, mapped and multiplied by the absolute value of its factor, to
/// `block`. Returns the bitwise OR of the sums. The product is formed in the buffer `multiple` by
/// doubling, so that no number greater than the product is ever stored.
#[inline(never)]
fn add_multiple<T: SumWeight>(tables: &MapTables, block: &mut [T], term: &Term, multiple: &mut Vec<T>) -> T {
    let multiple = zeroed(multiple, block.len());
    let mut seen = T::add_term(tables, multiple, term);
    let mut factor = term.factor.unsigned_abs();
    while factor != 0 {
        if factor & 1 == 1 {
            seen = seen.bit_or(add_vectors(block, multiple, SingleEntry));
        }
        factor >>= 1;
        if factor != 0 {
            for w in multiple.iter_mut() {
                *w = w.wrapping_sum(*w);
                seen = seen.bit_or(*w);
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::block_term::MirroredTerms;
    use super::super::matching_map::{MatchingMap, PointPair};
    use super::super::matching_tables::MAX_TABLE_POINTS;
    use super::*;
    use crate::cpu_features::{KernelSet, with_kernels};
    use crate::frontier::signature::matching_rank::matching_count;

    const WIDTHS: [Width; 6] =
        [Width::W32, Width::W64, Width::W128, Width::Limbs(8), Width::Limbs(12), Width::Limbs(44)];

    fn term(source: &Weights, factor: i32) -> Term<'_> {
        Term { source, offset: 1, len: 3, map: MatchingMap::Identity, factor }
    }

    /// Builds a vector of one block of 3 weights. Returns the vector and the result of `push_sum`.
    fn push_one_block(width: Width, terms: &[Term], mirrored: MirroredTerms) -> (Weights, BlockSum) {
        let mut blocks = new_block_builder(
            width,
            None,
            BlockCapacity { max_weights: 3, longest_block: 3, expected_nonzero: None },
        );
        let sum = blocks.push_sum(&MapTables::new(4), BlockTerms { len: 3, terms, mirrored });
        (blocks.finish().to_width(Width::W64), sum)
    }

    #[test]
    fn push_sum_accepts_sources_of_any_width() {
        let narrow = Weights::W32(vec![9, 1, 0, 7, 9].into());
        for target in WIDTHS {
            for source in WIDTHS.into_iter().filter(|&source| source <= target) {
                let source = narrow.to_width(source);
                let (block, sum) =
                    push_one_block(target, &[term(&source, 1), term(&source, 2)], MirroredTerms::default());
                assert_eq!(block, Weights::W64(vec![3, 0, 21].into()));
                assert_eq!(sum, BlockSum { bits: 5, nonzero: 2, is_folded: false });
            }
        }
    }

    #[test]
    fn push_sum_multiplies_by_great_factor() {
        let source = Weights::W32(vec![0, 1, 2, 3].into());
        let (block, _) = push_one_block(Width::W64, &[term(&source, i32::MAX)], MirroredTerms::default());
        let product = |x: u64| x * i32::MAX as u64;
        assert_eq!(block, Weights::W64(vec![product(1), product(2), product(3)].into()));
    }

    #[test]
    fn push_sum_reports_overflow_of_product() {
        let source = Weights::W32(vec![0, 1, 2, 3].into());
        for factor in [1 << 30, (1 << 30) + 1, i32::MAX] {
            assert_eq!(
                push_one_block(Width::W32, &[term(&source, factor)], MirroredTerms::default()).1.bits,
                32,
                "{factor}"
            );
        }
        assert_eq!(
            push_one_block(Width::W32, &[term(&source, 1 << 29)], MirroredTerms::default()).1.bits,
            31
        );
    }

    #[test]
    fn push_sum_subtracts_modulo_width() {
        let (three, one) = (Weights::W64(vec![0, 3, 3, 3].into()), Weights::W64(vec![0, 1, 2, 5].into()));
        let (block, _) =
            push_one_block(Width::W64, &[term(&one, -1), term(&three, 1)], MirroredTerms::default());
        assert_eq!(block, Weights::W64(vec![2, 1, 2u64.wrapping_neg()].into()));
        let (block, _) = push_one_block(Width::W64, &[term(&one, -2)], MirroredTerms::default());
        assert_eq!(block, Weights::W64([2u64, 4, 10].map(u64::wrapping_neg).to_vec().into()));
    }

    #[test]
    fn push_sum_permutes_mirrored_terms() {
        let source = Weights::W32(vec![0, 5, 6, 7].into());
        // Ends 1 and 2 exchanged: matchings 0 (0-1 2-3) and 1 (0-2 1-3) are each other's image.
        let mirrored = MirroredTerms { terms: &[term(&source, 1)], image_positions: &[0, 2, 1, 3] };
        let (block, sum) = push_one_block(Width::W32, &[], mirrored);
        assert_eq!(block, Weights::W64(vec![6, 5, 7].into()));
        assert!(sum.is_folded);
    }

    #[test]
    fn push_sum_leaves_out_zero_block() {
        let source = Weights::W32(vec![0; 4].into());
        let (block, sum) = push_one_block(Width::W32, &[term(&source, 1)], MirroredTerms::default());
        assert_eq!((block.len(), sum), (0, BlockSum::default()));
    }

    #[test]
    fn push_sum_maps_matchings() {
        let source = Weights::W64(vec![0, 5, 6, 7].into());
        let change = MatchingMap::Move(PointPair::new(4, 0, 1));
        // An end that moves past another: 0-2 1-3 and 0-3 1-2 are exchanged, 0-1 2-3 stays.
        let (block, _) =
            push_one_block(Width::W64, &[Term { map: change, ..term(&source, 1) }], MirroredTerms::default());
        assert_eq!(block, Weights::W64(vec![5, 7, 6].into()));
    }

    /// Returns 0..n exchanged at some pairs of neighbours, which `choice` selects.
    fn exchange(n: usize, mut choice: u32) -> Vec<u8> {
        let mut from: Vec<u8> = (0..n as u8).collect();
        let mut p = 0;
        while p + 1 < n {
            let is_exchanged = choice & 1 == 1;
            if is_exchanged {
                from.swap(p, p + 1);
            }
            p += 1 + usize::from(is_exchanged);
            choice >>= 1;
        }
        from
    }

    proptest! {
        /// 32-bit sums of short blocks have kernels of their own; 64-bit sums have none.
        #[test]
        fn narrow_sums_agree_with_wide_sums(
            weights in prop::collection::vec(prop_oneof![3 => Just(0u32), 1 => 0u32..1 << 20], 11_000),
            zeros in prop::collection::vec((0usize..11_000, 0usize..2_000), 0..4),
            half in 0usize..6,
            choices in prop::collection::vec((0usize..4, 0usize..12, 0usize..12, 0usize..600, any::<bool>()), 1..6),
            mirror in any::<u32>(),
        ) {
            let (n, mut weights) = (2 * half, weights);
            for (start, len) in zeros {
                let end = weights.len().min(start + len);
                weights[start..end].fill(0);
            }
            let tables = MapTables::new(MAX_TABLE_POINTS);
            let maps: Vec<(MatchingMap, usize)> = choices.iter().map(|&(kind, i, j, ..)| {
                let (map, ends) = match kind {
                    1 if n > 0 => (MatchingMap::Move(PointPair::new(n, i % n, j % n)), n),
                    2 => {
                        let (i, j) = (i % (n + 2), j % (n + 2));
                        let j = if i == j { (j + 1) % (n + 2) } else { j };
                        (MatchingMap::Contract(PointPair::new(n + 2, i.min(j), i.max(j))), n + 2)
                    }
                    3 if n > 0 => {
                        let (i, j) = (i % n, j % n);
                        let j = if i == j { (j + 1) % n } else { j };
                        (MatchingMap::Create(PointPair::new(n, i.min(j), i.max(j))), n - 2)
                    }
                    _ => (MatchingMap::Identity, n),
                };
                (map, matching_count(ends))
            }).collect();
            let image_positions = exchange(n, mirror);
            let len = matching_count(n);
            let sum_of = |dense: &Weights, ring, width, expected_nonzero| {
                let sparse = dense.to_sparse();
                let term = |(&(map, len), &(.., offset, is_dense)): (&(MatchingMap, usize), &(_, _, _, usize, bool))| {
                    Term { source: if is_dense { dense } else { &sparse }, offset, len, map, factor: 1 }
                };
                let terms: Vec<Term> = maps.iter().zip(&choices).map(term).collect();
                let (direct, of_image) = terms.split_at(terms.len() / 2);
                let mirrored = MirroredTerms { terms: of_image, image_positions: &image_positions };
                let capacity = BlockCapacity { max_weights: 2 * len, longest_block: len, expected_nonzero };
                let mut blocks = new_block_builder(width, ring, capacity);
                let sums =
                    [direct, of_image].map(|terms| blocks.push_sum(&tables, BlockTerms { len, terms, mirrored }));
                (blocks.finish().to_width(Width::W64), sums)
            };
            let dense = Weights::W32(weights.clone().into());
            let sum = |width, expected_nonzero| sum_of(&dense, None, width, expected_nonzero);
            let wide = sum(Width::W64, None);
            for cpu in KernelSet::ALL {
                with_kernels(cpu, || {
                    assert_eq!(&sum(Width::W32, None), &wide, "{cpu:?}");
                    assert_eq!(&sum(Width::W32, Some(len)), &wide, "{cpu:?}");
                });
            }
            for modulus in [251u32, 65_521] {
                let ring = ResidueRing::new(modulus).unwrap();
                let exact = Weights::W32(weights.iter().map(|w| w % modulus).collect::<Vec<_>>().into());
                let residues = exact.to_width(ring.stored_width());
                let Weights::W64(mut sums) = sum_of(&exact, None, Width::W64, None).0 else { unreachable!() };
                (0..sums.len()).for_each(|at| sums[at] %= u64::from(modulus));
                for cpu in KernelSet::ALL {
                    with_kernels(cpu, || {
                        for width in [Width::W32, Width::W64] {
                            let found = sum_of(&residues, Some(ring), width, None).0;
                            assert_eq!(found, Weights::W64(sums.clone()), "{modulus} {cpu:?}");
                        }
                    });
                }
            }
        }
    }
}
