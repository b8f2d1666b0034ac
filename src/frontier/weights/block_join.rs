//! Joins of a left block and a right block: sums over the pairs of matchings that close to one
//! cycle.
//!
//! A left block `f` and a right block `g` have the same ends. The union of a matching of `f` and a
//! matching of `g` consists of cycles; the pair makes a tour if the union is one cycle. The sum
//! over all such pairs,
//!
//! ```text
//! J(f, g) = sum of f(m) g(m')   over m, m' that close to one cycle
//! ```
//!
//! needs no list of pairs. Let `j` be the mate of point 0 in `m'`. Joining 0 and `j` in `m` leaves
//! a problem of the same form with two ends fewer,
//!
//! ```text
//! J(f, g) = sum over j of  J( f with 0 and j contracted, g restricted to matchings with the pair 0-j )
//! ```
//!
//! and the restricted part of `g` is contiguous. Cost: for each weight of `f`, about `n (n - 2) /
//! 4` weights are read, which is 21 for 10 ends. For 6 ends and fewer a table lists the matchings
//! that close with each matching.
//!
//! Contraction makes weights grow. [`max_contracted_bits`] gives the number of bits of the weights
//! of `f` for which 64-bit sums are enough. The weights of `g` may have 64 bits. Wider weights are
//! cut into *planes*: a plane has some consecutive bits of every weight of the block. One
//! contraction of a plane of `f` serves all planes of `g`.

use num_bigint::BigUint;

use super::block_map::BlockAdder;
use super::kernel::{EntryLayout, IndexMap, Kernel, SingleEntry};
use super::matching_map::PointPair;
use super::matching_tables::MapTables;
use super::weight::Weight;
use crate::frontier::signature::matching_rank::{matching_count, matching_from_index};

/// Greatest number of ends of blocks that can be joined. Blocks with more ends do not fit into
/// memory.
pub const MAX_JOIN_ENDS: usize = 20;

/// Returns the greatest bit length of the weights of a block of `n` ends for which the weights of
/// its contractions fit 64 bits.
#[must_use]
pub fn max_contracted_bits(n: usize) -> u32 {
    u64::BITS - growth_bits(n)
}

/// Returns the number of bits by which weights grow while a block of `n` ends is contracted to 2 ends: each
/// result is a sum of `2 4 6 ... (n - 2)` weights.
fn growth_bits(n: usize) -> u32 {
    let ways: u64 = (2..n as u64).step_by(2).product();
    ways.next_power_of_two().ilog2()
}

/// A sum of products of 64-bit numbers, without overflow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WideSum {
    /// The sum modulo 2^128.
    wrapped: u128,
    /// Number of times that `wrapped` overflowed.
    carries: u64,
}

impl WideSum {
    /// Adds `other`, a sum or a product, to this sum.
    #[inline(always)]
    pub fn add(&mut self, other: impl Into<Self>) {
        let other = other.into();
        let (low, carries) = self.wrapped.overflowing_add(other.wrapped);
        *self = Self { wrapped: low, carries: self.carries + other.carries + u64::from(carries) };
    }

    /// Returns the sum as one number.
    #[must_use]
    pub fn to_biguint(self) -> BigUint {
        BigUint::from(self.wrapped) + (BigUint::from(self.carries) << 128)
    }
}

impl From<u128> for WideSum {
    #[inline(always)]
    fn from(low: u128) -> Self {
        Self { wrapped: low, carries: 0 }
    }
}

/// Greatest number of ends for which a table lists the pairs of matchings that close to one cycle.
const MAX_LISTED_ENDS: usize = 6;

/// Joiner of pairs of blocks, with the tables that it needs.
#[derive(Debug)]
pub struct BlockJoiner<'a> {
    tables: &'a MapTables,
    /// For each number of ends, the result of [`list_one_cycle_partners`].
    one_cycle_partners: [Vec<u16>; MAX_LISTED_ENDS + 1],
}

impl<'a> BlockJoiner<'a> {
    /// Returns a joiner that uses the index maps `tables`, which must exist for all numbers of ends
    /// that occur. For small numbers of ends, the function lists the matchings that close to one
    /// cycle with each matching.
    #[must_use]
    pub fn new(tables: &'a MapTables) -> Self {
        Self {
            tables,
            one_cycle_partners: std::array::from_fn(|n| {
                if n > 0 && n % 2 == 0 { list_one_cycle_partners(n) } else { vec![] }
            }),
        }
    }

    /// Computes `J(f, g)` for a block `f` of `n` ends, which is contracted, and each plane of
    /// another block. Adds the result for each plane to the entry of `sums` for this plane. The
    /// argument `g` has as many planes as `sums` has entries, one plane after the other.
    ///
    /// # Panics
    /// If `n` is 0 or above [`MAX_JOIN_ENDS`], a block does not have one weight for each matching
    /// of `n` ends, or a weight of `f` has more bits than [`max_contracted_bits`].
    pub fn join_planes(&self, n: usize, f: &[u64], g: &[u64], sums: &mut [WideSum]) {
        assert!(
            (2..=MAX_JOIN_ENDS).contains(&n)
                && f.len() == matching_count(n)
                && g.len() == matching_count(n) * sums.len()
        );
        let bits = u64::BITS - f.iter().fold(0, |all, w| all | w).leading_zeros();
        // A narrow block among wide ones has planes of zeros.
        if bits == 0 {
            return;
        }
        let bits = bits + growth_bits(n);
        if bits <= u32::BITS {
            let narrow: Vec<u32> = f.iter().map(|&w| w as u32).collect();
            self.contract_and_join(n, &narrow, &Planes { weights: g, len: f.len() }, 0, sums);
        } else {
            assert!(bits <= u64::BITS, "the contracted weights must fit 64 bits");
            self.contract_and_join(n, f, &Planes { weights: g, len: f.len() }, 0, sums);
        }
    }

    /// Joins `f`, a block of `n` ends, with a part of each plane of `g`: the `f.len()` weights from
    /// index `offset` on. Adds the result for each plane to the entry of `sums` for this plane.
    fn contract_and_join<W: Weight + Kernel<W>>(
        &self,
        n: usize,
        f: &[W],
        g: &Planes,
        offset: usize,
        sums: &mut [WideSum],
    ) {
        if n <= MAX_LISTED_ENDS {
            let mut closed = [W::default(); matching_count(MAX_LISTED_ENDS)];
            let closed = &mut closed[..f.len()];
            // SAFETY: the lists for n points are indices below SIZE[n].
            unsafe {
                W::accumulate(closed, f, SingleEntry.strides(), IndexMap::Gather(&self.one_cycle_partners[n]))
            };
            for (sum, plane) in sums.iter_mut().zip(g.ranges(offset, f.len())) {
                closed.iter().zip(plane).for_each(|(c, &w)| sum.add(c.as_u128() * u128::from(w)));
            }
            return;
        }
        let len = matching_count(n - 2);
        let mut contracted = vec![W::default(); len];
        for j in 1..n {
            let at = offset + (j - 1) * len;
            if g.ranges(at, len).flatten().all(|&w| w == 0) {
                continue;
            }
            contracted.fill(W::default());
            let adder = BlockAdder::new(self.tables, SingleEntry);
            let seen = adder.add_contracted(&mut contracted, f, PointPair::new(n, 0, j));
            if seen != W::default() {
                self.contract_and_join(n - 2, &contracted, g, at, sums);
            }
        }
    }
}

/// The planes of a block, one after the other. A plane has some bits of each of the block's `len`
/// weights.
struct Planes<'a> {
    weights: &'a [u64],
    len: usize,
}

impl<'a> Planes<'a> {
    /// Yields the weights at `offset..offset + len` of each plane.
    fn ranges(&self, offset: usize, len: usize) -> impl Iterator<Item = &'a [u64]> {
        self.weights.chunks_exact(self.len).map(move |plane| &plane[offset..offset + len])
    }
}

/// Returns, for every matching of `n` points, the indices of the matchings whose union with it is
/// one cycle. The result consists of rounds. Each round has, for every matching, the index of one
/// such matching.
fn list_one_cycle_partners(n: usize) -> Vec<u16> {
    let all: Vec<Vec<u8>> = (0..matching_count(n)).map(|r| matching_from_index(n, r)).collect();
    let lists: Vec<Vec<u16>> = all
        .iter()
        .map(|m| (0..all.len()).filter(|&r| is_one_cycle(m, &all[r])).map(|r| r as u16).collect())
        .collect();
    (0..lists[0].len()).flat_map(|round| lists.iter().map(move |list| list[round])).collect()
}

/// Returns true if the union of two matchings of the same points is one cycle.
fn is_one_cycle(one: &[u8], other: &[u8]) -> bool {
    let (mut at, mut length) = (0, 0);
    loop {
        at = usize::from(other[usize::from(one[at])]);
        length += 2;
        if at == 0 {
            return length == one.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(len: usize, seed: u64) -> Vec<u64> {
        let mut random = seed;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            random ^ random >> 32
        };
        (0..len).map(|_| next()).collect()
    }

    fn naive(n: usize, f: &[u64], g: &[u64]) -> BigUint {
        let all: Vec<Vec<u8>> = (0..matching_count(n)).map(|r| matching_from_index(n, r)).collect();
        let mut sum = BigUint::ZERO;
        for (r, m) in all.iter().enumerate() {
            for (s, other) in all.iter().enumerate() {
                if is_one_cycle(m, other) {
                    sum += u128::from(f[r]) * u128::from(g[s]);
                }
            }
        }
        sum
    }

    #[test]
    fn join_planes_counts_pairs_closing_to_one_cycle() {
        let tables = MapTables::new(10);
        let joiner = BlockJoiner::new(&tables);
        for n in [2, 4, 6, 8, 10] {
            let wide = numbers(matching_count(n), 1);
            let fitting: Vec<u64> = wide.iter().map(|w| w >> growth_bits(n)).collect();
            let narrow: Vec<u64> = wide.iter().map(|w| w >> 50).collect();
            let sparse: Vec<u64> = wide.iter().map(|w| if w % 7 == 0 { w / 2 } else { 0 }).collect();
            for f in [&fitting, &narrow] {
                let planes = [&wide, &sparse, &narrow];
                let mut sums = [WideSum::default(); 3];
                joiner.join_planes(n, f, &planes.map(|plane| plane.as_slice()).concat(), &mut sums);
                for (sum, plane) in sums.iter().zip(planes) {
                    let mut alone = [WideSum::default()];
                    joiner.join_planes(n, f, plane, &mut alone);
                    assert_eq!((sum.to_biguint(), alone[0]), (naive(n, f, plane), *sum), "{n} ends");
                }
            }
            let mut nothing = [WideSum::default()];
            joiner.join_planes(n, &fitting, &vec![0; matching_count(n)], &mut nothing);
            assert_eq!(nothing, [WideSum::default()]);
        }
    }

    #[test]
    fn join_planes_is_exact_for_greatest_weights() {
        // Every matching closes to one cycle with (n - 2)!! matchings.
        let tables = MapTables::new(10);
        let joiner = BlockJoiner::new(&tables);
        for n in [2, 6, 10, 12, 14] {
            let ways = (2..n as u64).step_by(2).product::<u64>();
            for most in [u64::MAX >> growth_bits(n), u64::from(u32::MAX) >> growth_bits(n)] {
                let mut sums = [WideSum::default()];
                joiner.join_planes(
                    n,
                    &vec![most; matching_count(n)],
                    &vec![u64::MAX; matching_count(n)],
                    &mut sums,
                );
                assert_eq!(
                    sums[0].to_biguint(),
                    BigUint::from(matching_count(n)) * ways * most * u64::MAX,
                    "{n} ends"
                );
            }
        }
        assert!(max_contracted_bits(MAX_JOIN_ENDS) > 30);
    }

    #[test]
    #[should_panic(expected = "64 bits")]
    fn join_planes_rejects_weights_that_overflow() {
        let tables = MapTables::new(10);
        BlockJoiner::new(&tables).join_planes(6, &[1 << 61; 15], &[1; 15], &mut [WideSum::default()]);
    }
}
