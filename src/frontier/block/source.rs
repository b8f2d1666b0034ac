//! Source blocks of a sum: dense slices that hold every weight, or sparse slices without zeros.
//!
//! A dense block is read by target, through tables of source indices, several weights at a time. A sparse
//! block is read by source, through tables of target indices.

use std::mem::MaybeUninit;
use std::ops::Range;

use crate::frontier::block::kernel::{Grain, Index, Kernel, One, add};
use crate::frontier::block::part::{Part, To};
use crate::frontier::block::tables::{Places, TABLED, Tables};
use crate::frontier::block::weight::{Cell, Widen};
use crate::frontier::state::matching::size;

/// A range of weights that can be added to a target block of `T`. Lengths and ranges count weights; the
/// strides give the entries of a weight. Every `add` returns the OR of the sums.
pub trait Source<T: Cell>: Copy {
    /// Returns the greatest number of points whose blocks are mapped by tables; greater blocks are split.
    fn tabled(self) -> usize {
        TABLED
    }

    /// Returns the number of weights.
    fn weights(self, strides: impl Grain) -> usize;

    /// Returns a subrange.
    #[must_use]
    fn part(self, strides: impl Grain, weights: Range<usize>) -> Self;

    /// Adds every weight to the target weight at the same position.
    fn add(self, dst: &mut [T], strides: impl Grain) -> T;

    /// Adds the block with an end moved. There must be tables for its number of points.
    fn add_moved(self, tables: &Tables, dst: &mut [T], strides: impl Grain, places: Places) -> T;

    /// Adds the block with two ends joined. There must be tables for its number of points.
    fn add_contracted(self, tables: &Tables, dst: &mut [T], strides: impl Grain, places: Places) -> T;

    /// Adds the block with a new pair of mates. There must be tables for its number of points.
    fn add_created(self, tables: &Tables, dst: &mut [T], strides: impl Grain, places: Places) -> T;
}

impl<S: Cell, T: Kernel<S>> Source<T> for &[S] {
    #[inline(always)]
    fn tabled(self) -> usize {
        T::tabled()
    }

    #[inline(always)]
    fn weights(self, strides: impl Grain) -> usize {
        self.len() / strides.strides().from
    }

    #[inline(always)]
    fn part(self, strides: impl Grain, weights: Range<usize>) -> Self {
        let from = strides.strides().from;
        &self[weights.start * from..weights.end * from]
    }

    #[inline(always)]
    fn add(self, dst: &mut [T], strides: impl Grain) -> T {
        add(dst, self, strides)
    }

    #[inline(always)]
    fn add_moved(self, tables: &Tables, dst: &mut [T], strides: impl Grain, places: Places) -> T {
        let from = tables.moving(places);
        assert!(
            dst.len() == from.len() * strides.strides().to
                && self.len() == from.len() * strides.strides().from
        );
        // SAFETY: entries of a move table for n points are indices below SIZE[n].
        unsafe { T::accumulate(dst, self, strides.strides(), Index::From(from)) }
    }

    #[inline(always)]
    fn add_contracted(self, tables: &Tables, dst: &mut [T], strides: impl Grain, places: Places) -> T {
        let n = usize::from(places.n);
        assert!(
            self.len() == size(n) * strides.strides().from && dst.len() == size(n - 2) * strides.strides().to
        );
        // SAFETY: entries of a contraction table for n points are indices below SIZE[n].
        unsafe { T::accumulate(dst, self, strides.strides(), Index::From(tables.contracting(places))) }
    }

    #[inline(always)]
    fn add_created(self, tables: &Tables, dst: &mut [T], strides: impl Grain, places: Places) -> T {
        let n = usize::from(places.n);
        assert!(
            dst.len() == size(n) * strides.strides().to && self.len() == size(n - 2) * strides.strides().from
        );
        // SAFETY: entries of a creation table for n points are indices below SIZE[n].
        unsafe { T::accumulate(dst, self, strides.strides(), Index::To(tables.creating(places))) }
    }
}

/// An entry type of target blocks that sparse slices are added to.
pub trait Thick: Widen<u32> + Kernel<u32> {
    /// Adds every weight to the target weight at the same position; returns the OR of the sums.
    #[inline(always)]
    fn add_part(dst: &mut [Self], part: Part) -> Self {
        part.add_to(dst, To::Same)
    }
}

impl Thick for u32 {
    #[inline(always)]
    fn add_part(dst: &mut [Self], part: Part) -> Self {
        part.add_to_same(dst)
    }
}

impl Thick for u64 {}
impl Thick for u128 {}

/// Buffer for the greatest block that has tables, zeros included.
type Room = [MaybeUninit<u32>; size(TABLED)];

const EMPTY: Room = [MaybeUninit::uninit(); size(TABLED)];

impl<T: Thick> Source<T> for Part<'_> {
    #[inline(always)]
    fn tabled(self) -> usize {
        <T as Kernel<u32>>::tabled()
    }

    #[inline(always)]
    fn weights(self, _: impl Grain) -> usize {
        self.len()
    }

    #[inline(always)]
    fn part(self, _: impl Grain, weights: Range<usize>) -> Self {
        Part::part(self, weights)
    }

    #[inline(always)]
    fn add(self, dst: &mut [T], _: impl Grain) -> T {
        T::add_part(dst, self)
    }

    #[inline(always)]
    fn add_moved(self, tables: &Tables, dst: &mut [T], _: impl Grain, places: Places) -> T {
        if let Some(all) = self.expanded(&mut { EMPTY }) {
            return all.add_moved(tables, dst, One, places);
        }
        // The targets of a move are the sources of the inverse move.
        let (n, i, j) = places.numbers();
        self.add_to(dst, To::Places(tables.moving(Places::new(n, j, i))))
    }

    #[inline(always)]
    fn add_contracted(self, tables: &Tables, dst: &mut [T], _: impl Grain, places: Places) -> T {
        if let Some(all) = self.expanded(&mut { EMPTY }) {
            return all.add_contracted(tables, dst, One, places);
        }
        self.add_to(dst, To::Some(tables.contracted(places)))
    }

    #[inline(always)]
    fn add_created(self, tables: &Tables, dst: &mut [T], _: impl Grain, places: Places) -> T {
        self.add_to(dst, To::Places(tables.creating(places)))
    }
}
