//! Two blocks joined: how often their matchings close to one cycle.
//!
//! A near block `f` and a far block `g` have the same ends. A matching of the one and one of the other make cycles
//! together; they make a tour if it is one. The sum over all such pairs,
//!
//! ```text
//! J(f, g) = sum of f(m) g(m')   over m, m' that close to one cycle
//! ```
//!
//! needs no list of pairs. Take the mate `j` that `m'` gives to point 0: joining 0 and `j` in `m` leaves the same
//! question with two ends less,
//!
//! ```text
//! J(f, g) = sum over j of  J( f with 0 and j contracted, g restricted to matchings with the pair 0-j )
//! ```
//!
//! and that part of `g` is contiguous. Cost: about `n (n - 2) / 4` weights read for a weight of `f`, 21 for 10 ends.
//! For 6 ends and fewer the matchings that close with each are listed.
//!
//! Weights of more than 32 bits are cut into planes of 32. Contracted weights fit 64 bits then, and sums 128, for as
//! many ends as a block in memory can have.

use crate::frontier::block::effects::add_contracted;
use crate::frontier::block::kernel::{Grain, Index, Kernel, One};
use crate::frontier::block::tables::{Places, Tables};
use crate::frontier::block::weight::Weight;
use crate::frontier::state::matching::{matching_at, size};

/// Most ends for which sums surely fit their types.
pub const MOST_ENDS: usize = 20;

/// Ends up to which there are lists of what closes to one cycle.
const LISTED: usize = 6;

/// Joins blocks.
#[derive(Debug)]
pub struct Joiner<'a> {
    tables: &'a Tables,
    /// By ends, for every matching those that close with it, one round after the other.
    closing: [Vec<u16>; LISTED + 1],
}

impl<'a> Joiner<'a> {
    /// With index maps for as many ends as there are.
    #[must_use]
    pub fn new(tables: &'a Tables) -> Self {
        Self {
            tables,
            closing: std::array::from_fn(|n| if n > 0 && n % 2 == 0 { closing(n) } else { vec![] }),
        }
    }

    /// `J(f, g)` of two blocks of `n` ends. Weights are below `2^32`, or `2^33` for one of the two.
    ///
    /// # Panics
    /// If there are more than [`MOST_ENDS`] ends, none, or a block has not `SIZE[n]` weights.
    #[must_use]
    pub fn join(&self, n: usize, f: &[u64], g: &[u64]) -> u128 {
        assert!((2..=MOST_ENDS).contains(&n) && f.len() == size(n) && g.len() == size(n));
        let bits = |block: &[u64]| u64::BITS - block.iter().fold(0, |all, w| all | w).leading_zeros();
        let (of_f, of_g) = (bits(f), bits(g));
        if of_f == 0 || of_g == 0 {
            return 0;
        }
        // What is contracted grows by the number of ways, 2 4 6 ... (n - 2).
        let growth = (2..n as u64).step_by(2).product::<u64>().ilog2() + 1;
        let (low, high, bits) = if of_f <= of_g { (f, g, of_f) } else { (g, f, of_g) };
        if bits + growth <= u32::BITS {
            let low: Vec<u32> = low.iter().map(|&w| w as u32).collect();
            self.contract(n, &low, high)
        } else {
            self.contract(n, low, high)
        }
    }

    fn contract<W: Weight + Kernel<W>>(&self, n: usize, f: &[W], g: &[u64]) -> u128 {
        if n <= LISTED {
            let mut sums = [W::default(); size(LISTED)];
            let sums = &mut sums[..f.len()];
            // SAFETY: the lists for n ends are of indices below SIZE[n].
            unsafe { W::accumulate(sums, f, One.strides(), Index::From(&self.closing[n])) };
            return sums.iter().zip(g).map(|(s, &w)| s.widest() * u128::from(w)).sum();
        }
        let mut contracted = vec![W::default(); size(n - 2)];
        let mut sum = 0;
        for (part, j) in g.chunks_exact(size(n - 2)).zip(1..n) {
            if part.iter().all(|&w| w == 0) {
                continue;
            }
            contracted.fill(W::default());
            let seen = add_contracted(self.tables, &mut contracted, f, One, Places::new(n, 0, j));
            if seen != W::default() {
                sum += self.contract(n - 2, &contracted, part);
            }
        }
        sum
    }
}

/// For every matching of `n` points the matchings that close to one cycle with it, one round after the other.
fn closing(n: usize) -> Vec<u16> {
    let all: Vec<Vec<u8>> = (0..size(n)).map(|r| matching_at(n, r)).collect();
    let lists: Vec<Vec<u16>> = all
        .iter()
        .map(|m| (0..all.len()).filter(|&r| is_one_cycle(m, &all[r])).map(|r| r as u16).collect())
        .collect();
    (0..lists[0].len()).flat_map(|round| lists.iter().map(move |list| list[round])).collect()
}

/// Whether two matchings of the same points make one cycle.
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
            random >> 32
        };
        (0..len).map(|_| next()).collect()
    }

    fn naive(n: usize, f: &[u64], g: &[u64]) -> u128 {
        let all: Vec<Vec<u8>> = (0..size(n)).map(|r| matching_at(n, r)).collect();
        let mut sum = 0;
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
            let (f, g) = (numbers(size(n), 1), numbers(size(n), 2));
            let narrow: Vec<u64> = f.iter().map(|w| w >> 16).collect();
            let sparse: Vec<u64> = g.iter().map(|w| if w % 7 == 0 { *w } else { 0 }).collect();
            for (f, g) in [(&f, &g), (&narrow, &g), (&f, &narrow), (&f, &sparse), (&sparse, &narrow)] {
                assert_eq!(joiner.join(n, f, g), naive(n, f, g), "{n} ends");
            }
            assert_eq!(joiner.join(n, &f, &vec![0; size(n)]), 0);
        }
    }

    #[test]
    fn the_greatest_weights_of_the_most_ends_are_summed_exactly() {
        // Every matching closes with (n - 2)!! others.
        let tables = Tables::new(10);
        let joiner = Joiner::new(&tables);
        for n in [10, 12, 14] {
            let (f, g) = (vec![u64::from(u32::MAX); size(n)], vec![(1 << 33) - 1; size(n)]);
            let pairs = size(n) as u128 * (2..n as u128).step_by(2).product::<u128>();
            assert_eq!(joiner.join(n, &f, &g), pairs * u128::from(f[0]) * u128::from(g[0]));
        }
        let pairs = size(MOST_ENDS) as f64 * (2..MOST_ENDS as u64).step_by(2).product::<u64>() as f64;
        assert!(pairs.log2() + 65.0 < 128.0);
        assert!(((2..MOST_ENDS as u64).step_by(2).product::<u64>() as f64).log2() + 32.0 < 64.0);
    }
}
