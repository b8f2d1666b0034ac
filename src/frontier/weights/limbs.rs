//! Sums of blocks whose weights have any number of 32-bit limbs.
//!
//! Most boards that require such weights have never been counted. Limbs are summed in 64 bits, so
//! no carry is propagated before all terms are added. Then carries are propagated once through
//! every weight of the block:
//!
//! ```text
//! terms -> sums of limbs, 64 bits each -> carries, lowest limb first -> limbs of 32 bits
//! ```
//!
//! Limbs of a weight are contiguous, in groups of four that one instruction adds. The number of
//! limbs of a weight is fixed at run time; for the narrowest weights there are loops with a number
//! fixed at compile time. Subtracted terms make sums negative: carries keep their sign, and the
//! limbs are those of the residue modulo two to the power of the width.
//!
//! Cost: a cycle or two for four limbs of a term, and one to four cycles for each limb of a
//! finished sum (see [`carry`](crate::frontier::weights::carry)).

use super::block_map::BlockAdder;
use super::block_sink::zeroed;
use super::block_term::{BlockBuilder, BlockSum, BlockTerms, Term};
use super::carry::{CarryPropagator, CarrySummary, LimbSum};
use super::kernel::{IndexMap, Kernel, Strides};
use super::matching_permutation::add_permuted;
use super::matching_tables::MapTables;
use super::vector::Weights;
use super::weight::{Element, LIMBS_PER_GROUP, Width};
use crate::cpu_features::with_avx2;

/// Number of limbs that one instruction adds.
const GROUP_LIMBS: usize = LIMBS_PER_GROUP as usize;

impl<S: Element + Into<u64>> Kernel<S> for LimbSum {
    /// Adds the limbs of `src` to the sums of `dst`. Returns 0: overflow is detected only when
    /// carries are propagated.
    unsafe fn accumulate(dst: &mut [Self], src: &[S], strides: Strides, index: IndexMap) -> Self {
        // SAFETY: the caller promises entries below the lengths.
        with_avx2(
            #[inline(always)]
            || unsafe { accumulate_limbs(dst, src, strides, index) },
        );
        Self::default()
    }
}

/// Implements [`Kernel::accumulate`] for sums of limbs.
///
/// # Safety
/// As for [`Kernel::accumulate`].
#[inline(always)]
unsafe fn accumulate_limbs<S: Element + Into<u64>>(
    dst: &mut [LimbSum],
    src: &[S],
    layout: Strides,
    index: IndexMap,
) {
    // SAFETY: the caller promises entries below the lengths.
    unsafe {
        match layout.source / GROUP_LIMBS {
            1 => accumulate_groups::<S, 1>(dst, src, layout, index),
            2 => accumulate_groups::<S, 2>(dst, src, layout, index),
            3 => accumulate_groups::<S, 3>(dst, src, layout, index),
            4 => accumulate_groups::<S, 4>(dst, src, layout, index),
            _ => accumulate_groups::<S, 0>(dst, src, layout, index),
        }
    }
}

/// Implements [`Kernel::accumulate`] for source weights of `N` groups of limbs, or of any number of groups if
/// `N` is 0. If `N` is not 0, the inner loop is unrolled.
///
/// # Safety
/// As for [`Kernel::accumulate`].
#[inline(always)]
unsafe fn accumulate_groups<S: Element + Into<u64>, const N: usize>(
    dst: &mut [LimbSum],
    src: &[S],
    Strides { target: to, source: from }: Strides,
    index: IndexMap,
) {
    let from = if N == 0 { from } else { N * GROUP_LIMBS };
    assert!(
        from > 0 && from <= to && to.is_multiple_of(GROUP_LIMBS) && from.is_multiple_of(GROUP_LIMBS),
        "weights are whole groups of limbs"
    );
    let (targets, sources) = (dst.len() / to, src.len() / from);
    // SAFETY: in all calls below, both weights are within their vectors.
    let mut add = |x: usize, y: usize| unsafe {
        debug_assert!(x < targets && y < sources);
        let d = dst.get_unchecked_mut(x * to..x * to + from);
        let s = src.get_unchecked(y * from..(y + 1) * from);
        for (d, s) in d.as_chunks_mut::<GROUP_LIMBS>().0.iter_mut().zip(s.as_chunks::<GROUP_LIMBS>().0) {
            for (d, &s) in d.iter_mut().zip(s) {
                d.0 = d.0.wrapping_add(s.into());
            }
        }
    };
    match index {
        IndexMap::Identity => {
            assert_eq!(targets, sources);
            (0..targets).for_each(|x| add(x, x));
        }
        IndexMap::Gather(table) => {
            assert!(table.len().is_multiple_of(targets), "the index map consists of whole tables");
            // The caller promises entries below the number of sources.
            for round in table.chunks_exact(targets) {
                round.iter().enumerate().for_each(|(x, &y)| add(x, y.into()));
            }
        }
        IndexMap::Scatter(table) => {
            assert_eq!(sources, table.len());
            // The caller promises entries below the number of targets.
            table.iter().enumerate().for_each(|(y, &x)| add(x.into(), y));
        }
    }
}

/// Builder of a vector of blocks whose weights have a fixed number of limbs.
pub struct LimbBlockBuilder {
    limbs_per_weight: usize,
    limbs: Vec<u32>,
    /// Buffer for the sums of the current block.
    sums: Vec<LimbSum>,
    /// Buffer for the sums of the current block's mirror image.
    image: Vec<LimbSum>,
    /// Buffer for a source block multiplied by its factor.
    source: Vec<u32>,
    carry_propagator: CarryPropagator,
}

impl LimbBlockBuilder {
    /// Returns an empty builder of weights with `limbs_per_weight` limbs each, and with capacity
    /// for `capacity` weights.
    #[must_use]
    pub fn new(limbs_per_weight: usize, capacity: usize) -> Self {
        let limbs = Vec::with_capacity(capacity * limbs_per_weight);
        Self {
            limbs_per_weight,
            limbs,
            sums: Vec::new(),
            image: Vec::new(),
            source: Vec::new(),
            carry_propagator: CarryPropagator::default(),
        }
    }
}

impl BlockBuilder for LimbBlockBuilder {
    fn push_sum(&mut self, tables: &MapTables, target: BlockTerms) -> BlockSum {
        let BlockTerms { len, terms, mirrored } = target;
        let Self { limbs_per_weight: each, limbs, sums, image, source, carry_propagator: settler } = self;
        let each = *each;
        let sums = zeroed(sums, len * each);
        let mut fits = add_terms(tables, sums, each, terms, source);
        let mut is_folded = false;
        if !mirrored.terms.is_empty() {
            let image = zeroed(image, len * each);
            fits &= add_terms(tables, image, each, mirrored.terms, source);
            is_folded = image.iter().any(|sum| sum.0 != 0);
            if is_folded {
                add_permuted(
                    tables,
                    sums,
                    image,
                    Strides { target: each, source: each },
                    mirrored.image_positions,
                );
            }
        }
        let start = limbs.len();
        let CarrySummary { bits, nonzero: states, is_exact: is_whole } = settler.propagate(sums, each, limbs);
        fits &= is_whole;
        if bits == 0 && fits {
            limbs.truncate(start);
            return BlockSum::default();
        }
        let bits = if fits { bits } else { Width::Limbs(each as u32).bits() };
        BlockSum { bits, nonzero: states, is_folded }
    }

    fn len(&self) -> usize {
        self.limbs.len() / self.limbs_per_weight
    }

    fn finish(self: Box<Self>) -> Weights {
        Weights::Limbs(self.limbs_per_weight, self.limbs)
    }
}

/// Adds all terms to `sums`, a block of zeros with `each` limbs per weight. Returns false if the
/// product of a source weight and its factor did not fit `each` limbs. Terms with a negative factor
/// must come first. `scratch` is a buffer for products.
fn add_terms(
    tables: &MapTables,
    sums: &mut [LimbSum],
    each: usize,
    terms: &[Term],
    scratch: &mut Vec<u32>,
) -> bool {
    let negate = |sums: &mut [LimbSum]| sums.iter_mut().for_each(|sum| sum.0 = sum.0.wrapping_neg());
    let taken = terms.iter().take_while(|term| term.factor < 0).count();
    let mut fits = true;
    for (number, term) in terms.iter().enumerate() {
        if number == taken && taken > 0 {
            negate(sums);
        }
        let factor = term.factor.unsigned_abs();
        let (source, from): (&[u32], usize) = match term.source {
            Weights::Limbs(own, v) if factor == 1 => (&v[term.offset * own..][..term.len * own], *own),
            _ => {
                let (from, whole) = multiply_source(term, factor, each, scratch);
                fits &= whole;
                (scratch, from)
            }
        };
        let adder = BlockAdder::new(tables, Strides { target: each, source: from });
        adder.add_mapped(sums, source, term.map);
    }
    // Negative terms are summed first, then the sum is negated as a whole.
    if taken > 0 && taken == terms.len() {
        negate(sums);
    }
    fits
}

/// Replaces the contents of `to` by the weights of a term's source block, each multiplied by
/// `factor`. A product has at most `max_limbs` limbs. Returns the number of limbs of each product, and
/// false if a product did not fit.
#[inline(never)]
fn multiply_source(term: &Term, factor: u32, max_limbs: usize, to: &mut Vec<u32>) -> (usize, bool) {
    let own = match term.source {
        Weights::Limbs(own, _) => *own,
        _ => GROUP_LIMBS,
    };
    let each = (own + if factor == 1 { 0 } else { GROUP_LIMBS }).min(max_limbs);
    to.clear();
    let mut fits = true;
    for position in term.offset..term.offset + term.len {
        let start = to.len();
        term.source.append_limbs(position, each, to);
        let mut carry = 0;
        for limb in &mut to[start..] {
            let product = u64::from(*limb) * u64::from(factor) + carry;
            (*limb, carry) = (product as u32, product >> 32);
        }
        fits &= carry == 0;
    }
    (each, fits)
}

#[cfg(test)]
mod tests {
    use num_bigint::{BigInt, BigUint};
    use proptest::prelude::*;

    use super::super::block_term::MirroredTerms;
    use super::super::kernel::SingleEntry;
    use super::super::matching_map::{MatchingMap, PointPair};
    use super::*;

    /// Returns the numbers as a vector of weights of the narrowest width that fits all of them.
    fn source(numbers: &[BigUint]) -> Weights {
        let bits = numbers.iter().map(BigUint::bits).max().unwrap_or(0);
        let each = match Width::fitting_bits(bits as u32) {
            Width::Limbs(each) => each as usize,
            width => {
                let low = numbers.iter().map(|n| n.iter_u64_digits().next().unwrap_or(0));
                assert!(bits <= 64);
                return Weights::W64(low.collect()).to_width(width);
            }
        };
        let mut limbs = Vec::new();
        for number in numbers {
            let start = limbs.len();
            limbs.extend(number.to_u32_digits());
            limbs.resize(start + each, 0);
        }
        Weights::Limbs(each, limbs)
    }

    fn number() -> impl Strategy<Value = BigUint> {
        let great = prop::collection::vec(any::<u32>(), 5..18).prop_map(BigUint::new);
        prop_oneof![any::<u32>().prop_map(BigUint::from), any::<u32>().prop_map(|_| BigUint::ZERO), great]
    }

    /// Generates a block of three weights (the matchings of four ends) and a factor.
    fn block() -> impl Strategy<Value = (Vec<BigUint>, i32)> {
        let factor = prop_oneof![Just(1), Just(-1), -9..9i32, any::<i32>()]
            .prop_filter("not zero", |&f| f != 0 && f != i32::MIN);
        (prop::collection::vec(number(), 3), factor)
    }

    /// A block with more ends than the tables support is split between weights, never between the limbs of a
    /// weight.
    #[test]
    fn add_mapped_keeps_limbs_together() {
        let (tables, size) = (MapTables::new(10), |n: usize| (1..n).step_by(2).product::<usize>());
        let layout = Strides { target: 8, source: 4 };
        for change in [
            MatchingMap::Move(PointPair::new(12, 0, 7)),
            MatchingMap::Move(PointPair::new(12, 9, 0)),
            MatchingMap::Move(PointPair::new(12, 3, 8)),
            MatchingMap::Contract(PointPair::new(12, 0, 5)),
            MatchingMap::Contract(PointPair::new(12, 4, 10)),
            MatchingMap::Create(PointPair::new(12, 0, 3)),
            MatchingMap::Create(PointPair::new(12, 2, 11)),
        ] {
            let (to, from) = match change {
                MatchingMap::Contract(_) => (10, 12),
                MatchingMap::Create(_) => (12, 10),
                _ => (12, 12),
            };
            let narrow: Vec<u32> =
                (0..size(from) as u32).map(|x| x.wrapping_mul(2_654_435_761) >> 12).collect();
            let wide: Vec<u32> = narrow.iter().flat_map(|&x| [0, x, 0, 5 * x]).collect();
            let (mut plain, mut sums) = (vec![0u64; size(to)], vec![LimbSum::default(); 8 * size(to)]);
            BlockAdder::new(&tables, SingleEntry).add_mapped(&mut plain, narrow.as_slice(), change);
            BlockAdder::new(&tables, layout).add_mapped(&mut sums, wide.as_slice(), change);
            for (&x, limbs) in plain.iter().zip(sums.chunks_exact(8)) {
                assert_eq!(limbs, [0, x, 0, 5 * x, 0, 0, 0, 0].map(LimbSum), "{change:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn push_sum_equals_big_integer_sum(
            mut here in prop::collection::vec(block(), 0..6),
            mut there in prop::collection::vec(block(), 0..4),
            each in 2..7usize,
        ) {
            for part in [&mut here, &mut there] {
                part.sort_by_key(|(_, factor)| *factor > 0);
            }
            let each = 4 * each;
            let modulus = BigInt::from(1) << (32 * each);
            // No source is wider than the target.
            let half = BigUint::from(1u8) << (32 * each - 1);
            here.iter_mut().chain(&mut there).for_each(|(block, _)| block.iter_mut().for_each(|n| *n %= &half));
            let mut naive = vec![BigInt::ZERO; 3];
            for (part, image) in [(&here, [0, 1, 2]), (&there, [1, 0, 2])] {
                for (numbers, factor) in part {
                    (0..3).for_each(|x| naive[x] += BigInt::from(numbers[image[x]].clone()) * *factor);
                }
            }
            let vectors = |part: &[(Vec<BigUint>, i32)]| part.iter().map(|(numbers, _)| source(numbers)).collect::<Vec<_>>();
            let (of_here, of_there) = (vectors(&here), vectors(&there));
            let term = |(source, block): (_, &(Vec<BigUint>, i32))| {
                Term { source, offset: 0, len: 3, map: MatchingMap::Identity, factor: block.1 }
            };
            let terms: Vec<Term> = of_here.iter().zip(&here).map(term).collect();
            let image: Vec<Term> = of_there.iter().zip(&there).map(term).collect();
            // Ends 1 and 2 exchanged: matchings 0 and 1 are each other's image.
            let mirrored = MirroredTerms { terms: &image, image_positions: &[0, 2, 1, 3] };
            let mut blocks = Box::new(LimbBlockBuilder::new(each, 3));
            let sum = blocks.push_sum(&MapTables::new(4), BlockTerms { len: 3, terms: &terms, mirrored });
            let is_exact = naive.iter().all(|n| *n >= BigInt::ZERO && *n < modulus);
            let only_adds = here.iter().chain(&there).all(|(_, factor)| *factor > 0);
            if only_adds {
                // Never less than the bit length of the greatest weight, and more only if a weight does not
                // fit.
                let bits = naive.iter().map(BigInt::bits).max().unwrap() as u32;
                prop_assert_eq!(sum.bits, if is_exact { bits } else { 32 * each as u32 });
            }
            let made = blocks.finish();
            if made.len() == 3 {
                let mut made = made;
                for (x, n) in naive.iter().enumerate() {
                    let residue = ((n % &modulus) + &modulus) % &modulus;
                    prop_assert_eq!(BigInt::from(made.take_weight(x)), residue);
                }
            } else {
                prop_assert!(sum == BlockSum::default() && naive.iter().all(|n| (n % &modulus) == BigInt::ZERO));
            }
        }
    }
}
