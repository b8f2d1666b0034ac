//! Blocks of weights with any number of limbs, for boards most of which have never been counted.
//!
//! A limb has 32 bits and is summed in 64 bits, so no sum carries before all terms are added. Then carries
//! are propagated once through every weight of the block:
//!
//! ```text
//! terms -> sums of limbs, 64 bits each -> carries, lowest limb first -> limbs of 32 bits
//! ```
//!
//! Limbs of a weight are contiguous, in groups of four that one instruction adds. Their number is known at
//! run time; for the narrowest weights there are loops with a length fixed at compile time. Subtracted terms
//! make sums negative: carries keep their sign, and the limbs are those of the residue modulo two to the
//! power of the width.
//!
//! Cost: a cycle or two for four limbs of a term, and one to four cycles for each limb of a finished sum (see
//! [`carry`](crate::frontier::weights::carry)).

use crate::frontier::block::effects::add_changed;
use crate::frontier::block::kernel::{Index, Kernel, Strides};
use crate::frontier::block::permutation::add_permuted;
use crate::frontier::block::settle::{LimbSum, Settled, Settler};
use crate::frontier::block::tables::Tables;
use crate::frontier::block::term::{Blocks, Mirrored, Sum, Term};
use crate::frontier::block::weight::Cell;
use crate::frontier::block::weights::Weights;
use crate::frontier::block::width::{LANES, Width};

/// Limbs that one instruction adds.
const GROUP: usize = LANES as usize;

macro_rules! kernel {
    ($source:ty) => {
        impl Kernel<$source> for LimbSum {
            /// Adds limbs, and returns 0: overflow is detected only when carries are propagated.
            unsafe fn accumulate(dst: &mut [Self], src: &[$source], strides: Strides, index: Index) -> Self {
                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = "avx2")]
                unsafe fn fast(dst: &mut [LimbSum], src: &[$source], strides: Strides, index: Index) {
                    // SAFETY: the caller promises entries below the lengths.
                    unsafe { accumulate_limbs(dst, src, strides, index) }
                }

                #[cfg(target_arch = "x86_64")]
                if crate::cpu::has_avx2() {
                    // SAFETY: AVX2 was just detected; the caller promises entries below the lengths.
                    unsafe { fast(dst, src, strides, index) };
                    return Self::default();
                }
                // SAFETY: the caller promises entries below the lengths.
                unsafe { accumulate_limbs(dst, src, strides, index) };
                Self::default()
            }
        }
    };
}

kernel!(u32);
kernel!(LimbSum);

/// Implements [`Kernel::accumulate`].
///
/// # Safety
/// As for [`Kernel::accumulate`].
#[inline(always)]
unsafe fn accumulate_limbs<S: Cell + Into<u64>>(
    dst: &mut [LimbSum],
    src: &[S],
    strides: Strides,
    index: Index,
) {
    // SAFETY: the caller promises entries below the lengths.
    unsafe {
        match strides.from / GROUP {
            1 => accumulate_groups::<S, 1>(dst, src, strides, index),
            2 => accumulate_groups::<S, 2>(dst, src, strides, index),
            3 => accumulate_groups::<S, 3>(dst, src, strides, index),
            4 => accumulate_groups::<S, 4>(dst, src, strides, index),
            _ => accumulate_groups::<S, 0>(dst, src, strides, index),
        }
    }
}

/// Implements [`Kernel::accumulate`] for sources of `N` groups, or of any number of groups if `N` is 0. With
/// a length known at compile time there is no inner loop.
///
/// # Safety
/// As for [`Kernel::accumulate`].
#[inline(always)]
unsafe fn accumulate_groups<S: Cell + Into<u64>, const N: usize>(
    dst: &mut [LimbSum],
    src: &[S],
    Strides { to, from }: Strides,
    index: Index,
) {
    let from = if N == 0 { from } else { N * GROUP };
    assert!(
        from > 0 && from <= to && to.is_multiple_of(GROUP) && from.is_multiple_of(GROUP),
        "weights are whole groups of limbs"
    );
    let (targets, sources) = (dst.len() / to, src.len() / from);
    // SAFETY: in all calls below, both weights are within their vectors.
    let mut add = |x: usize, y: usize| unsafe {
        debug_assert!(x < targets && y < sources);
        let d = dst.get_unchecked_mut(x * to..x * to + from);
        let s = src.get_unchecked(y * from..(y + 1) * from);
        for (d, s) in d.as_chunks_mut::<GROUP>().0.iter_mut().zip(s.as_chunks::<GROUP>().0) {
            for (d, &s) in d.iter_mut().zip(s) {
                d.0 = d.0.wrapping_add(s.into());
            }
        }
    };
    match index {
        Index::Same => {
            assert_eq!(targets, sources);
            (0..targets).for_each(|x| add(x, x));
        }
        Index::From(table) => {
            assert!(table.len().is_multiple_of(targets), "the index map consists of whole tables");
            // The caller promises entries below the number of sources.
            for round in table.chunks_exact(targets) {
                round.iter().enumerate().for_each(|(x, &y)| add(x, y.into()));
            }
        }
        Index::To(table) => {
            assert_eq!(sources, table.len());
            // The caller promises entries below the number of targets.
            table.iter().enumerate().for_each(|(y, &x)| add(x.into(), y));
        }
    }
}

/// Builder of blocks whose weights have a fixed number of limbs.
pub struct LimbBlocks {
    each: usize,
    limbs: Vec<u32>,
    /// Buffers: sums of the current block, sums of its mirror image, and a source multiplied by its factor.
    sums: Vec<LimbSum>,
    image: Vec<LimbSum>,
    source: Vec<u32>,
    settler: Settler,
}

impl LimbBlocks {
    /// Returns an empty builder of weights of `limbs_per_weight` limbs, with room for `capacity` weights.
    #[must_use]
    pub fn new(each: usize, room: usize) -> Self {
        let limbs = Vec::with_capacity(room * each);
        Self {
            each,
            limbs,
            sums: Vec::new(),
            image: Vec::new(),
            source: Vec::new(),
            settler: Settler::default(),
        }
    }
}

impl Blocks for LimbBlocks {
    fn push(&mut self, tables: &Tables, len: usize, terms: &[Term], mirrored: Mirrored) -> Sum {
        let Self { each, limbs, sums, image, source, settler } = self;
        let each = *each;
        zeros(sums, len * each);
        let mut fits = add_terms(tables, sums, each, terms, source);
        let mut is_folded = false;
        if !mirrored.terms.is_empty() {
            zeros(image, len * each);
            fits &= add_terms(tables, image, each, mirrored.terms, source);
            is_folded = image.iter().any(|sum| sum.0 != 0);
            if is_folded {
                add_permuted(tables, sums, image, Strides { to: each, from: each }, mirrored.places);
            }
        }
        let start = limbs.len();
        let Settled { bits, states, is_whole } = settler.settle(sums, each, limbs);
        fits &= is_whole;
        if bits == 0 && fits {
            limbs.truncate(start);
            return Sum::default();
        }
        let bits = if fits { bits } else { Width::Limbs(each as u32).bits() };
        Sum { bits, states, is_folded }
    }

    fn len(&self) -> usize {
        self.limbs.len() / self.each
    }

    fn finish(self: Box<Self>) -> Weights {
        Weights::Limbs(self.each, self.limbs)
    }
}

/// Resets a vector to `len` zeros.
fn zeros(sums: &mut Vec<LimbSum>, len: usize) {
    sums.clear();
    sums.resize(len, LimbSum::default());
}

/// Adds all terms to a block of zeros; returns false if a term times its factor was too great for `each`
/// limbs. Terms with a negative factor must come first.
fn add_terms(
    tables: &Tables,
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
            Weights::Limbs(own, v) if factor == 1 => (&v[term.place * own..][..term.len * own], *own),
            _ => {
                let (from, whole) = multiplied(term, factor, each, scratch);
                fits &= whole;
                (scratch, from)
            }
        };
        add_changed(tables, sums, source, Strides { to: each, from }, term.change);
    }
    // Negative terms are summed first, then the sum is negated as a whole.
    if taken > 0 && taken == terms.len() {
        negate(sums);
    }
    fits
}

/// Writes the source block times a factor to `to`, as at most `most` limbs a weight; returns the number of
/// limbs a weight, and false if a product was cut off.
#[inline(never)]
fn multiplied(term: &Term, factor: u32, most: usize, to: &mut Vec<u32>) -> (usize, bool) {
    let own = match term.source {
        Weights::Limbs(own, _) => *own,
        _ => GROUP,
    };
    let each = (own + if factor == 1 { 0 } else { GROUP }).min(most);
    to.clear();
    let mut fits = true;
    for place in term.place..term.place + term.len {
        let start = to.len();
        term.source.append_limbs(place, each, to);
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

    use super::*;
    use crate::frontier::block::effects::Change;
    use crate::frontier::block::kernel::One;
    use crate::frontier::block::tables::Places;

    /// Returns a vector of the numbers, in the narrowest width that holds them.
    fn source(numbers: &[BigUint]) -> Weights {
        let bits = numbers.iter().map(BigUint::bits).max().unwrap_or(0);
        let each = match Width::holding(bits as u32) {
            Width::Limbs(each) => each as usize,
            width => {
                let low = numbers.iter().map(|n| n.iter_u64_digits().next().unwrap_or(0));
                assert!(bits <= 64);
                return Weights::W64(low.collect()).converted(width);
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

    /// Generates three weights, as a block of four ends has, and a factor.
    fn block() -> impl Strategy<Value = (Vec<BigUint>, i32)> {
        let factor = prop_oneof![Just(1), Just(-1), -9..9i32, any::<i32>()]
            .prop_filter("not zero", |&f| f != 0 && f != i32::MIN);
        (prop::collection::vec(number(), 3), factor)
    }

    /// A block of more ends than there are tables for is split by weights; each part has all limbs of its
    /// weights.
    #[test]
    fn great_blocks_are_mapped_as_those_of_one_entry() {
        let (tables, size) = (Tables::new(10), |n: usize| (1..n).step_by(2).product::<usize>());
        let strides = Strides { to: 8, from: 4 };
        for change in [
            Change::Move(Places::new(12, 0, 7)),
            Change::Move(Places::new(12, 9, 0)),
            Change::Move(Places::new(12, 3, 8)),
            Change::Contract(Places::new(12, 0, 5)),
            Change::Contract(Places::new(12, 4, 10)),
            Change::Create(Places::new(12, 0, 3)),
            Change::Create(Places::new(12, 2, 11)),
        ] {
            let (to, from) = match change {
                Change::Contract(_) => (10, 12),
                Change::Create(_) => (12, 10),
                _ => (12, 12),
            };
            let narrow: Vec<u32> =
                (0..size(from) as u32).map(|x| x.wrapping_mul(2_654_435_761) >> 12).collect();
            let wide: Vec<u32> = narrow.iter().flat_map(|&x| [0, x, 0, 5 * x]).collect();
            let (mut plain, mut sums) = (vec![0u64; size(to)], vec![LimbSum::default(); 8 * size(to)]);
            add_changed(&tables, &mut plain, narrow.as_slice(), One, change);
            add_changed(&tables, &mut sums, wide.as_slice(), strides, change);
            for (&x, limbs) in plain.iter().zip(sums.chunks_exact(8)) {
                assert_eq!(limbs, [0, x, 0, 5 * x, 0, 0, 0, 0].map(LimbSum), "{change:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn sums_are_those_of_big_integers(
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
                Term { source, place: 0, len: 3, change: Change::Keep, factor: block.1 }
            };
            let terms: Vec<Term> = of_here.iter().zip(&here).map(term).collect();
            let image: Vec<Term> = of_there.iter().zip(&there).map(term).collect();
            // Ends 1 and 2 exchanged: matchings 0 and 1 are each other's image.
            let mirrored = Mirrored { terms: &image, places: &[0, 2, 1, 3] };
            let mut blocks = Box::new(LimbBlocks::new(each, 3));
            let sum = blocks.push(&Tables::new(4), 3, &terms, mirrored);
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
                    prop_assert_eq!(BigInt::from(made.take(x)), residue);
                }
            } else {
                prop_assert!(sum == Sum::default() && naive.iter().all(|n| (n % &modulus) == BigInt::ZERO));
            }
        }
    }
}
