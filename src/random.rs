//! Random numbers that are reproducible on every machine: all randomness comes from a seed.
//!
//! SplitMix64 (Steele, Lea and Flood, 2014), from the crate `rand_xoshiro`: one addition and three mixing
//! steps a number, and every seed is good. Not for secrets.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Random {
    /// Creates the stream of random numbers that `seed` determines.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::seed_from_u64(seed))
    }

    /// Creates the stream of random numbers for the `index`-th trial under a seed. Streams of
    /// different trials are unrelated.
    #[must_use]
    pub fn for_trial(seed: u64, index: u64) -> Self {
        let mixed = Self::new(seed).next_u64();
        Self::new(mixed ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32))
    }

    /// Returns the next 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a random number in `0..bound`, uniform as far as 64 bits allow; 0 if `bound` is 0.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// Puts the items of a slice into a random order.
    pub fn shuffle<T>(&mut self, slice: &mut [T]) {
        for i in (1..slice.len()).rev() {
            slice.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_is_reproducible_and_trials_differ() {
        let take = |mut random: Random| -> Vec<u64> { (0..4).map(|_| random.next_u64()).collect() };
        assert_eq!(take(Random::new(7)), take(Random::new(7)));
        assert_ne!(take(Random::for_trial(7, 0)), take(Random::for_trial(7, 1)));
        // The published first values of seed 0.
        let published =
            [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f, 0xf88b_b8a8_724c_81ec];
        assert_eq!(take(Random::new(0)), published);
    }

    #[test]
    fn below_respects_bound_and_shuffle_permutes() {
        let mut random = Random::new(1);
        assert_eq!(random.below(0), 0);
        assert!((0..1000).all(|_| random.below(3) < 3));
        let mut items: Vec<u32> = (0..50).collect();
        random.shuffle(&mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
