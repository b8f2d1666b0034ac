//! Joins of two blocks: the number of pairs of their matchings that close to one cycle.
//!
//! A left block `f` and a right block `g` have the same ends. The union of a matching of `f` and a matching
//! of `g` consists of cycles; the pair makes a tour if the union is one cycle. The sum over all such pairs,
//!
//! ```text
//! J(f, g) = sum of f(m) g(m')   over m, m' that close to one cycle
//! ```
//!
//! needs no list of pairs. Let `j` be the mate of point 0 in `m'`. Joining 0 and `j` in `m` leaves a problem
//! of the same form with two ends less,
//!
//! ```text
//! J(f, g) = sum over j of  J( f with 0 and j contracted, g restricted to matchings with the pair 0-j )
//! ```
//!
//! and that part of `g` is contiguous. Cost: about `n (n - 2) / 4` weights read for a weight of `f`, 21 for
//! 10 ends. For 6 ends and fewer a table lists the matchings that close with each matching.
//!
//! Contraction makes weights grow. [`max_contracted_bits`] gives the bits that the contracted block may have
//! so that 64 bits are enough. The other block may have 64 bits. Wider weights are cut into planes of bits;
//! one contraction of a plane of `f` serves all planes of `g`.

use num_bigint::BigUint;

use crate::frontier::block::effects::add_contracted;
use crate::frontier::block::kernel::{Grain, Index, Kernel, One};
use crate::frontier::block::tables::{Places, Tables};
use crate::frontier::block::weight::Weight;
use crate::frontier::state::matching::{matching_at, size};

/// Greatest number of ends of blocks that can be joined; greater blocks are beyond any memory.
pub const MOST_ENDS: usize = 20;

/// Returns how many bits the weights of a block of `n` ends may have to be contracted within 64 bits.
#[must_use]
pub fn room(n: usize) -> u32 {
    u64::BITS - growth(n)
}

/// Returns the number of bits by which weights grow in a contraction to 2 ends, in `2 4 6 ... (n - 2)` ways.
fn growth(n: usize) -> u32 {
    let ways: u64 = (2..n as u64).step_by(2).product();
    ways.next_power_of_two().ilog2()
}

/// A sum of products of two 64-bit numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// The sum modulo 2^128.
    low: u128,
    /// Number of overflows of `low`.
    carries: u64,
}

impl Sum {
    /// Adds another sum, or a product.
    #[inline(always)]
    pub fn add(&mut self, other: impl Into<Self>) {
        let other = other.into();
        let (low, carries) = self.low.overflowing_add(other.low);
        *self = Self { low, carries: self.carries + other.carries + u64::from(carries) };
    }

    /// Returns the sum as one number.
    #[must_use]
    pub fn total(self) -> BigUint {
        BigUint::from(self.low) + (BigUint::from(self.carries) << 128)
    }
}

impl From<u128> for Sum {
    #[inline(always)]
    fn from(low: u128) -> Self {
        Self { low, carries: 0 }
    }
}

/// Greatest number of ends for which tables list the matchings that close to one cycle.
const LISTED: usize = 6;

/// Joins pairs of blocks.
#[derive(Debug)]
pub struct Joiner<'a> {
    tables: &'a Tables,
    /// By number of ends: for every matching the indices of the matchings that close with it, one round after
    /// the other.
    closing: [Vec<u16>; LISTED + 1],
}

impl<'a> Joiner<'a> {
    /// Builds the lists of closing matchings. `tables` must have index maps for all numbers of ends that
    /// occur.
    #[must_use]
    pub fn new(tables: &'a Tables) -> Self {
        Self {
            tables,
            closing: std::array::from_fn(|n| if n > 0 && n % 2 == 0 { closing(n) } else { vec![] }),
        }
    }

    /// Computes `J(f, g)` of a block `f` of `n` ends, which is contracted, with each plane of another block,
    /// and adds it to the plane's sum. `g` holds the planes one after the other, one for each of `sums`.
    ///
    /// # Panics
    /// If `n` is 0 or above [`MAX_JOIN_ENDS`], a block does not have `SIZE[n]` weights, or a weight of `f`
    /// has more bits than [`max_contracted_bits`].
    pub fn join(&self, n: usize, f: &[u64], g: &[u64], sums: &mut [Sum]) {
        assert!((2..=MOST_ENDS).contains(&n) && f.len() == size(n) && g.len() == size(n) * sums.len());
        let bits = u64::BITS - f.iter().fold(0, |all, w| all | w).leading_zeros();
        // A narrow block among wide ones has planes of zeros.
        if bits == 0 {
            return;
        }
        let bits = bits + growth(n);
        if bits <= u32::BITS {
            let narrow: Vec<u32> = f.iter().map(|&w| w as u32).collect();
            self.contract(n, &narrow, &Planes { all: g, len: f.len() }, 0, sums);
        } else {
            assert!(bits <= u64::BITS, "the contracted weights fit 64 bits");
            self.contract(n, f, &Planes { all: g, len: f.len() }, 0, sums);
        }
    }

    /// Joins `f` with the `f.len()` weights of each plane that begin at offset `at`.
    fn contract<W: Weight + Kernel<W>>(&self, n: usize, f: &[W], g: &Planes, at: usize, sums: &mut [Sum]) {
        if n <= LISTED {
            let mut closed = [W::default(); size(LISTED)];
            let closed = &mut closed[..f.len()];
            // SAFETY: the lists for n points are indices below SIZE[n].
            unsafe { W::accumulate(closed, f, One.strides(), Index::From(&self.closing[n])) };
            for (sum, plane) in sums.iter_mut().zip(g.parts(at, f.len())) {
                closed.iter().zip(plane).for_each(|(c, &w)| sum.add(c.widest() * u128::from(w)));
            }
            return;
        }
        let len = size(n - 2);
        let mut contracted = vec![W::default(); len];
        for j in 1..n {
            let at = at + (j - 1) * len;
            if g.parts(at, len).flatten().all(|&w| w == 0) {
                continue;
            }
            contracted.fill(W::default());
            let seen = add_contracted(self.tables, &mut contracted, f, One, Places::new(n, 0, j));
            if seen != W::default() {
                self.contract(n - 2, &contracted, g, at, sums);
            }
        }
    }
}

/// Planes of a block with `len` weights each, one after the other.
struct Planes<'a> {
    all: &'a [u64],
    len: usize,
}

impl<'a> Planes<'a> {
    /// Returns weights `at..at + len` of each plane.
    fn parts(&self, at: usize, len: usize) -> impl Iterator<Item = &'a [u64]> {
        self.all.chunks_exact(self.len).map(move |plane| &plane[at..at + len])
    }
}

/// Returns for every matching of `n` points the matchings that close to one cycle with it, one round after
/// the other.
fn closing(n: usize) -> Vec<u16> {
    let all: Vec<Vec<u8>> = (0..size(n)).map(|r| matching_at(n, r)).collect();
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
        let all: Vec<Vec<u8>> = (0..size(n)).map(|r| matching_at(n, r)).collect();
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
    fn joined_are_all_pairs_that_close_to_one_cycle() {
        let tables = Tables::new(10);
        let joiner = Joiner::new(&tables);
        for n in [2, 4, 6, 8, 10] {
            let wide = numbers(size(n), 1);
            let fitting: Vec<u64> = wide.iter().map(|w| w >> growth(n)).collect();
            let narrow: Vec<u64> = wide.iter().map(|w| w >> 50).collect();
            let sparse: Vec<u64> = wide.iter().map(|w| if w % 7 == 0 { w / 2 } else { 0 }).collect();
            for f in [&fitting, &narrow] {
                let planes = [&wide, &sparse, &narrow];
                let mut sums = [Sum::default(); 3];
                joiner.join(n, f, &planes.map(|plane| plane.as_slice()).concat(), &mut sums);
                for (sum, plane) in sums.iter().zip(planes) {
                    let mut alone = [Sum::default()];
                    joiner.join(n, f, plane, &mut alone);
                    assert_eq!((sum.total(), alone[0]), (naive(n, f, plane), *sum), "{n} ends");
                }
            }
            let mut nothing = [Sum::default()];
            joiner.join(n, &fitting, &vec![0; size(n)], &mut nothing);
            assert_eq!(nothing, [Sum::default()]);
        }
    }

    #[test]
    fn the_greatest_weights_are_summed_exactly() {
        // Every matching closes with (n - 2)!! others.
        let tables = Tables::new(10);
        let joiner = Joiner::new(&tables);
        for n in [2, 6, 10, 12, 14] {
            let ways = (2..n as u64).step_by(2).product::<u64>();
            for most in [u64::MAX >> growth(n), u64::from(u32::MAX) >> growth(n)] {
                let mut sums = [Sum::default()];
                joiner.join(n, &vec![most; size(n)], &vec![u64::MAX; size(n)], &mut sums);
                assert_eq!(sums[0].total(), BigUint::from(size(n)) * ways * most * u64::MAX, "{n} ends");
            }
        }
        assert!(room(MOST_ENDS) > 30);
    }

    #[test]
    #[should_panic(expected = "64 bits")]
    fn what_would_outgrow_its_type_is_refused() {
        let tables = Tables::new(10);
        Joiner::new(&tables).join(6, &[1 << 61; 15], &[1; 15], &mut [Sum::default()]);
    }
}
