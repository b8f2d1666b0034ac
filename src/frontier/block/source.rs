//! What blocks are made of: vectors that hold every weight, or packed ones that leave out zeros.
//!
//! Vectors are read by target, through tables of source indices, several at a time; packed weights by source,
//! through tables of target indices.

use std::mem::MaybeUninit;
use std::ops::Range;

use crate::frontier::block::kernel::{Grain, Index, Kernel, One, add};
use crate::frontier::block::part::{Part, To};
use crate::frontier::block::tables::{Places, TABLED, Tables};
use crate::frontier::block::weight::{Cell, Widen};
use crate::frontier::state::matching::size;

/// A stretch of weights that can be added to a target block of `T`. Lengths and ranges count weights, of as many
/// entries each as the strides say; every sum's OR is returned.
pub trait Source<T: Cell>: Copy {
    /// Greatest number of ends of blocks that are not to be taken apart, where that can be done.
    fn tabled(self) -> usize {
        TABLED
    }

    /// Weights.
    fn weights(self, strides: impl Grain) -> usize;

    /// A stretch of it.
    #[must_use]
    fn part(self, strides: impl Grain, weights: Range<usize>) -> Self;

    /// Adds every weight at its own place.
    fn add(self, dst: &mut [T], strides: impl Grain) -> T;

    /// With an end moved, of as many ends as there are tables for.
    fn add_moved(self, tables: &Tables, dst: &mut [T], strides: impl Grain, places: Places) -> T;

    /// With two ends joined, of as many ends as there are tables for.
    fn add_contracted(self, tables: &Tables, dst: &mut [T], strides: impl Grain, places: Places) -> T;

    /// With a new pair, of as many ends as there are tables for.
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
        // SAFETY: entries of a move table for n ends are indices below SIZE[n].
        unsafe { T::accumulate(dst, self, strides.strides(), Index::From(from)) }
    }

    #[inline(always)]
    fn add_contracted(self, tables: &Tables, dst: &mut [T], strides: impl Grain, places: Places) -> T {
        let n = usize::from(places.n);
        assert!(
            self.len() == size(n) * strides.strides().from && dst.len() == size(n - 2) * strides.strides().to
        );
        // SAFETY: entries of a contraction table for n ends are indices below SIZE[n].
        unsafe { T::accumulate(dst, self, strides.strides(), Index::From(tables.contracting(places))) }
    }

    #[inline(always)]
    fn add_created(self, tables: &Tables, dst: &mut [T], strides: impl Grain, places: Places) -> T {
        let n = usize::from(places.n);
        assert!(
            dst.len() == size(n) * strides.strides().to && self.len() == size(n - 2) * strides.strides().from
        );
        // SAFETY: entries of a creation table for n ends are indices below SIZE[n].
        unsafe { T::accumulate(dst, self, strides.strides(), Index::To(tables.creating(places))) }
    }
}

/// A target of packed weights.
pub trait Thick: Widen<u32> + Kernel<u32> {
    /// Adds every weight at its own place.
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

/// Room for the greatest block that there are tables for, zeros included.
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
        // What an end's way back reads is what its way there writes.
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
