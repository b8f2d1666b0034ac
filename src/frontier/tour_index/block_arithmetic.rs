//! Types for numbers of tours, arithmetic on blocks of numbers of completions, and index maps
//! between blocks.
//!
//! A block has one number for every matching of the ends of one signature. Blocks of completions
//! are propagated backwards over a step:
//!
//! ```text
//! block after a step -> mirrored, if the layer has the image -> transposed to before the step -> added up
//!                                                                                             -> times weights, summed
//! ```
//!
//! Machine numbers use the kernels of sweeps. Numbers that fit 32 bits are transposed in 32 bits,
//! which is fastest, and widened when they are added. Numbers of arbitrary size are processed one
//! by one.
//!
//! # Index maps
//!
//! An index map gives, for every matching before a change, the index of the matching after the
//! change. Blocks with few ends use the tables of the sweep. The maps of this file are for blocks
//! with more ends and for mirror images; they are built on first use, and cached for blocks of up
//! to [`MAX_CACHED_ENDS`] ends.

use std::collections::HashMap;
use std::ops::AddAssign;
use std::sync::{Arc, PoisonError, RwLock};

use num_bigint::BigUint;
use num_traits::ToPrimitive;

use super::completion_kernels::accumulate_gathered;
use crate::cpu_features::with_avx2;
use crate::frontier::signature::matching_rank::{matching_count, matching_from_index, matching_index};
use crate::frontier::weights::kernel::SingleEntry;
use crate::frontier::weights::matching_map::MatchingMap;
use crate::frontier::weights::matching_permutation::add_permuted;
use crate::frontier::weights::matching_tables::MapTables;
use crate::frontier::weights::sparse_slice::NO_TARGET;
use crate::frontier::weights::transpose::add_transposed;

/// A type that is wide enough for weights and numbers of tours. Numbers of completions have this type, or 32 bits,
/// which most of them fit.
pub trait TourNumber:
    CompletionWeight<Self, Self>
    + CompletionWeight<u32, Self>
    + CompletionWeight<u32, u32>
    + Clone
    + Ord
    + std::fmt::Debug
    + Into<BigUint>
    + ToPrimitive
    + Send
    + Sync
    + 'static
{
    /// Returns true if the number is zero.
    #[inline(always)]
    fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    /// Converts a number to this type. Bits beyond the width of the type must be zero.
    fn from_u128(number: u128) -> Self;

    /// Returns the number whose limbs, least significant first, are `limbs`. Bits beyond the width of the
    /// type must be zero.
    fn from_limbs(limbs: &[u32]) -> Self;

    /// Converts an integer of arbitrary size to this type.
    ///
    /// # Panics
    /// If `number` does not fit this type.
    fn from_big_uint(number: &BigUint) -> Self;

    /// Adds `other` to this number. The sum must not exceed the number of all tours.
    fn add(&mut self, other: &Self);

    /// Subtracts `other` from this number. `other` must not be greater than this number.
    fn subtract(&mut self, other: &Self);

    /// Returns the number of numbers in `numbers` that are not zero.
    fn count_nonzero(numbers: &[Self]) -> usize {
        numbers.iter().filter(|number| !number.is_zero()).count()
    }

    /// Returns the greatest of the numbers in `numbers` whose weight is not zero; zero if there is
    /// none.
    fn greatest_of_states(numbers: &[u32], weights: &[Self]) -> u32 {
        let of_states = numbers.iter().zip(weights).filter(|(_, weight)| !weight.is_zero());
        of_states.map(|(&number, _)| number).max().unwrap_or(0)
    }
}

macro_rules! tour_number {
    ($type:ty) => {
        impl TourNumber for $type {
            #[inline(always)]
            fn from_u128(number: u128) -> Self {
                number as Self
            }

            fn from_limbs(limbs: &[u32]) -> Self {
                limbs.iter().rev().fold(0, |number, &limb| number << 32 | Self::from(limb))
            }

            fn from_big_uint(number: &BigUint) -> Self {
                Self::try_from(number).expect("a number of tours must fit its type")
            }

            #[inline(always)]
            fn add(&mut self, other: &Self) {
                *self = self.checked_add(*other).expect("a sum must not exceed the number of tours");
            }

            #[inline(always)]
            fn subtract(&mut self, other: &Self) {
                *self = self.checked_sub(*other).expect("the difference must not be negative");
            }

            fn count_nonzero(numbers: &[$type]) -> usize {
                with_avx2(
                    #[inline(always)]
                    || numbers.iter().filter(|&&number| number != 0).count(),
                )
            }

            fn greatest_of_states(numbers: &[u32], weights: &[$type]) -> u32 {
                let of_states = numbers.iter().zip(weights);
                let of_states = of_states.map(|(&number, &weight)| if weight == 0 { 0 } else { number });
                with_avx2(
                    #[inline(always)]
                    || of_states.max().unwrap_or(0),
                )
            }
        }
    };
}

tour_number!(u64);
tour_number!(u128);

impl TourNumber for BigUint {
    fn from_u128(number: u128) -> Self {
        number.into()
    }

    fn from_limbs(limbs: &[u32]) -> Self {
        Self::from_slice(limbs)
    }

    fn from_big_uint(number: &BigUint) -> Self {
        number.clone()
    }

    fn add(&mut self, other: &Self) {
        *self += other;
    }

    fn subtract(&mut self, other: &Self) {
        *self -= other;
    }
}

/// Index maps of blocks, from two sources. Blocks with few ends use the tables of the sweep. Blocks
/// with more ends, and numbers too large for the kernels, use cached maps.
#[derive(Clone, Copy)]
pub struct BlockMaps<'a> {
    /// Tables of index maps that the sweep uses.
    pub tables: &'a MapTables,
    /// Cache of the index maps that are built on first use.
    pub maps: &'a MapCache,
}

/// A type of weights by which numbers of completions of type `E` are multiplied, while they are added to numbers
/// of type `S`. A block has one number for every matching. Values greater than the number of tours may wrap: they
/// occur only at states that no tour passes, whose weight is zero.
pub trait CompletionWeight<E, S>: Default {
    /// Adds `number` to `to`, and the product of `number` and `weight` to `sum`.
    fn accumulate(number: &E, weight: &Self, to: &mut S, sum: &mut Self);

    /// Adds every number of `block` to the number at the same index in `to`. Returns the sum of the
    /// products of the numbers in `block` and the weights at the same index.
    fn accumulate_block(block: &[E], weights: &[Self], to: &mut [S]) -> Self {
        accumulate_each(block, weights, to)
    }

    /// Does the same with a block whose number for index `y` of `to` is `block[targets[y]]`, or
    /// nothing if `targets[y]` is [`NO_TARGET`].
    fn accumulate_gathered(block: &[E], targets: &[u16], weights: &[Self], to: &mut [S]) -> Self {
        accumulate_each_gathered(block, targets, weights, to)
    }

    /// Adds, for every matching of `block`, the number in `after` of the matching to which `change`
    /// maps it. Skips matchings that `change` excludes. `n` is the number of ends of `block`.
    fn add_transposed(changes: BlockMaps, block: &mut [E], after: &[E], change: MatchingMap, n: usize);

    /// Adds, for every matching of `block`, the number in `source` of its mirror image. `image_points` maps
    /// every point to its image.
    fn add_mirrored(changes: BlockMaps, block: &mut [E], source: &[E], image_points: &[u8]);
}

/// Implements [`CompletionWeight::accumulate_block`] number by number.
#[inline(always)]
fn accumulate_each<N: CompletionWeight<E, S>, E, S>(block: &[E], weights: &[N], to: &mut [S]) -> N {
    let mut sum = N::default();
    for ((one, weight), to) in block.iter().zip(weights).zip(to) {
        N::accumulate(one, weight, to, &mut sum);
    }
    sum
}

/// Implements [`CompletionWeight::accumulate_gathered`] number by number.
fn accumulate_each_gathered<N: CompletionWeight<E, S>, E, S>(
    block: &[E],
    targets: &[u16],
    weights: &[N],
    to: &mut [S],
) -> N {
    let mut sum = N::default();
    for ((&x, weight), to) in targets.iter().zip(weights).zip(to) {
        if x != NO_TARGET {
            N::accumulate(&block[usize::from(x)], weight, to, &mut sum);
        }
    }
    sum
}

/// Defines the maps of blocks of machine numbers, which use the kernels of sweeps.
macro_rules! maps_by_kernels {
    ($number:ty) => {
        fn add_transposed(
            changes: BlockMaps,
            block: &mut [$number],
            after: &[$number],
            change: MatchingMap,
            _: usize,
        ) {
            add_transposed(changes.tables, block, after, change);
        }

        fn add_mirrored(changes: BlockMaps, block: &mut [$number], source: &[$number], image_points: &[u8]) {
            add_permuted(changes.tables, block, source, SingleEntry, image_points);
        }
    };
}

/// Implements [`CompletionWeight`] for machine numbers, perhaps with a kernel for gathered numbers.
macro_rules! completion_weight {
    ($weight:ty: $number:ty => $sum:ty $(, $gather:path)?) => {
        impl CompletionWeight<$number, $sum> for $weight {
            #[inline(always)]
            fn accumulate(number: &$number, weight: &Self, to: &mut $sum, sum: &mut Self) {
                *to = to.wrapping_add((*number).into());
                *sum = sum.wrapping_add(weight.wrapping_mul((*number).into()));
            }

            fn accumulate_block(block: &[$number], weights: &[$weight], to: &mut [$sum]) -> $weight {
                with_avx2(#[inline(always)] || accumulate_each(block, weights, to))
            }

            $(
                fn accumulate_gathered(
                    block: &[$number],
                    targets: &[u16],
                    weights: &[Self],
                    to: &mut [$sum],
                ) -> Self {
                    match $gather(block, targets, weights, to) {
                        Some(sum) => sum,
                        None => accumulate_each_gathered(block, targets, weights, to),
                    }
                }
            )?

            maps_by_kernels!($number);
        }
    };
}

completion_weight!(u64: u32 => u32, accumulate_gathered);
completion_weight!(u64: u32 => u64);
completion_weight!(u64: u64 => u64);
completion_weight!(u128: u32 => u32);
completion_weight!(u128: u32 => u128);
completion_weight!(u128: u128 => u128);

impl CompletionWeight<Self, Self> for BigUint {
    fn accumulate(number: &Self, weight: &Self, to: &mut Self, sum: &mut Self) {
        if *weight != Self::ZERO && *number != Self::ZERO {
            *to += number;
            *sum += weight * number;
        }
    }

    fn add_transposed(changes: BlockMaps, block: &mut [Self], after: &[Self], change: MatchingMap, n: usize) {
        match changes.maps.change_map(change, n) {
            None => block.iter_mut().zip(after).for_each(|(one, other)| *one += other),
            Some(map) => {
                let matched = block.iter_mut().zip(map.iter()).filter(|(_, x)| **x != NO_MATCHING);
                matched.for_each(|(one, &x)| *one += &after[x as usize]);
            }
        }
    }

    fn add_mirrored(changes: BlockMaps, block: &mut [Self], source: &[Self], image_points: &[u8]) {
        let map = changes.maps.mirror_map(image_points);
        block.iter_mut().zip(map.iter()).for_each(|(one, &x)| *one += &source[x as usize]);
    }
}

impl<S: AddAssign<u32>> CompletionWeight<u32, S> for BigUint {
    fn accumulate(number: &u32, weight: &Self, to: &mut S, sum: &mut Self) {
        if *weight != Self::ZERO && *number != 0 {
            *to += *number;
            *sum += weight * *number;
        }
    }

    maps_by_kernels!(u32);
}

/// Entry of an index map for a matching that the change excludes.
pub const NO_MATCHING: u32 = u32::MAX;

/// Largest number of ends of a block whose maps are cached.
const MAX_CACHED_ENDS: usize = 14;

/// For every matching before a change, the index of the matching after the change, or
/// [`NO_MATCHING`] if the change excludes the matching.
pub type IndexMap = Arc<Vec<u32>>;

/// A cache of the index maps of changes and of mirror images.
#[derive(Debug, Default)]
pub struct MapCache {
    changes: RwLock<HashMap<(u8, PointsKey), IndexMap>>,
    mirrors: RwLock<HashMap<Vec<u8>, IndexMap>>,
}

/// Part of a key of the cache: the number of ends and the two points of a change.
type PointsKey = (u8, u8, u8);

impl MapCache {
    /// Returns the index map of `change` for blocks that have `n` ends before it; `None` for the
    /// identity.
    #[must_use]
    pub fn change_map(&self, change: MatchingMap, n: usize) -> Option<IndexMap> {
        let (which, points) = match change {
            MatchingMap::Identity => return None,
            MatchingMap::Move(points) => (0, points),
            MatchingMap::Contract(points) => (1, points),
            MatchingMap::Create(points) => (2, points),
        };
        let key = (which, (points.n, points.i, points.j));
        if let Some(map) = self.changes.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Some(Arc::clone(map));
        }
        let target = |y| change.target(&matching_from_index(n, y)).map_or(NO_MATCHING, |x| x as u32);
        let map: IndexMap = Arc::new((0..matching_count(n)).map(target).collect());
        if n <= MAX_CACHED_ENDS {
            self.changes.write().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&map));
        }
        Some(map)
    }

    /// Returns the index map from every matching to its mirror image. `image_points` maps every
    /// point to its image.
    #[must_use]
    pub fn mirror_map(&self, image_points: &[u8]) -> IndexMap {
        if let Some(map) = self.mirrors.read().unwrap_or_else(PoisonError::into_inner).get(image_points) {
            return Arc::clone(map);
        }
        let n = image_points.len();
        let image = |x: usize| {
            let mut mates = [0; 32];
            for (p, &mate) in matching_from_index(n, x).iter().enumerate() {
                mates[usize::from(image_points[p])] = image_points[usize::from(mate)];
            }
            matching_index(&mates[..n]) as u32
        };
        let map = Arc::new((0..matching_count(n)).map(image).collect::<Vec<u32>>());
        if n <= MAX_CACHED_ENDS {
            self.mirrors
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(image_points.to_vec(), Arc::clone(&map));
        }
        map
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::weights::matching_map::PointPair;
    use crate::frontier::weights::matching_tables::MapTables;

    /// The index maps, by source matching, are the inverses of the sweep's tables, by target
    /// matching.
    #[test]
    fn change_maps_agree_with_the_tables_of_sweeps() {
        let (tables, maps) = (MapTables::new(8), MapCache::default());
        for n in [2, 4, 6, 8] {
            for i in 0..n {
                for j in 0..n {
                    let points = PointPair::new(n, i, j);
                    let map = maps.change_map(MatchingMap::Move(points), n).unwrap();
                    let back = tables.move_sources(points);
                    assert!((0..matching_count(n)).all(|y| usize::from(back[map[y] as usize]) == y));
                    if i >= j {
                        continue;
                    }
                    let created = maps.change_map(MatchingMap::Create(points), n - 2).unwrap();
                    assert!(
                        created.iter().zip(tables.create_targets(points)).all(|(&x, &y)| x == u32::from(y))
                    );
                    if n > 2 {
                        let joined = maps.change_map(MatchingMap::Contract(points), n).unwrap();
                        for (at, &y) in tables.contract_sources(points).iter().enumerate() {
                            assert_eq!(joined[usize::from(y)] as usize, at % matching_count(n - 2));
                        }
                        assert_eq!(
                            joined.iter().filter(|&&x| x == NO_MATCHING).count(),
                            matching_count(n - 2)
                        );
                    }
                }
            }
        }
        let map = maps.mirror_map(&[2, 0, 1, 5, 3, 4]);
        let back = maps.mirror_map(&[1, 2, 0, 4, 5, 3]);
        assert!((0..matching_count(6)).all(|x| back[map[x] as usize] as usize == x));
    }
}
