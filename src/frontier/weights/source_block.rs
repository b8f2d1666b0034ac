//! Source blocks of a sum: dense slices that hold every weight, or sparse slices without zeros.
//!
//! A dense block is read by target, through tables of source indices, several weights at a time. A sparse
//! block is read by source, through tables of target indices.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::kernel::{EntryLayout, IndexMap, Kernel, SingleEntry, add_vectors};
use super::matching_tables::{MAX_TABLE_POINTS, MapTables, PointPair};
use super::sparse_slice::{ScatterMap, SparseSlice};
use super::weight::{Element, Widen};
use crate::frontier::signature::matching_rank::matching_count;

/// A range of weights that can be added to a target block of `T`. Lengths and ranges count weights; the
/// strides give the entries of a weight. Every `add` returns the OR of the sums.
pub trait SourceBlock<T: Element>: Copy {
    /// Returns the greatest number of points whose blocks are mapped by tables; greater blocks are split.
    fn max_table_points(self) -> usize {
        MAX_TABLE_POINTS
    }

    /// Returns the number of weights.
    fn weight_count(self, strides: impl EntryLayout) -> usize;

    /// Returns a subrange.
    #[must_use]
    fn subrange(self, strides: impl EntryLayout, weights: Range<usize>) -> Self;

    /// Adds every weight to the target weight at the same position.
    fn add(self, dst: &mut [T], strides: impl EntryLayout) -> T;

    /// Adds the block with an end moved. There must be tables for its number of points.
    fn add_moved(self, tables: &MapTables, dst: &mut [T], strides: impl EntryLayout, places: PointPair) -> T;

    /// Adds the block with two ends joined. There must be tables for its number of points.
    fn add_contracted(
        self,
        tables: &MapTables,
        dst: &mut [T],
        strides: impl EntryLayout,
        places: PointPair,
    ) -> T;

    /// Adds the block with a new pair of mates. There must be tables for its number of points.
    fn add_created(
        self,
        tables: &MapTables,
        dst: &mut [T],
        strides: impl EntryLayout,
        places: PointPair,
    ) -> T;
}

impl<S: Element, T: Kernel<S>> SourceBlock<T> for &[S] {
    #[inline(always)]
    fn max_table_points(self) -> usize {
        T::max_table_points()
    }

    #[inline(always)]
    fn weight_count(self, strides: impl EntryLayout) -> usize {
        self.len() / strides.strides().source
    }

    #[inline(always)]
    fn subrange(self, strides: impl EntryLayout, weights: Range<usize>) -> Self {
        let from = strides.strides().source;
        &self[weights.start * from..weights.end * from]
    }

    #[inline(always)]
    fn add(self, dst: &mut [T], strides: impl EntryLayout) -> T {
        add_vectors(dst, self, strides)
    }

    #[inline(always)]
    fn add_moved(self, tables: &MapTables, dst: &mut [T], strides: impl EntryLayout, places: PointPair) -> T {
        let from = tables.move_sources(places);
        assert!(
            dst.len() == from.len() * strides.strides().target
                && self.len() == from.len() * strides.strides().source
        );
        // SAFETY: entries of a move table for n points are indices below SIZE[n].
        unsafe { T::accumulate(dst, self, strides.strides(), IndexMap::Gather(from)) }
    }

    #[inline(always)]
    fn add_contracted(
        self,
        tables: &MapTables,
        dst: &mut [T],
        strides: impl EntryLayout,
        places: PointPair,
    ) -> T {
        let n = usize::from(places.n);
        assert!(
            self.len() == matching_count(n) * strides.strides().source
                && dst.len() == matching_count(n - 2) * strides.strides().target
        );
        // SAFETY: entries of a contraction table for n points are indices below SIZE[n].
        unsafe {
            T::accumulate(dst, self, strides.strides(), IndexMap::Gather(tables.contract_sources(places)))
        }
    }

    #[inline(always)]
    fn add_created(
        self,
        tables: &MapTables,
        dst: &mut [T],
        strides: impl EntryLayout,
        places: PointPair,
    ) -> T {
        let n = usize::from(places.n);
        assert!(
            dst.len() == matching_count(n) * strides.strides().target
                && self.len() == matching_count(n - 2) * strides.strides().source
        );
        // SAFETY: entries of a creation table for n points are indices below SIZE[n].
        unsafe {
            T::accumulate(dst, self, strides.strides(), IndexMap::Scatter(tables.create_targets(places)))
        }
    }
}

/// An entry type of target blocks that sparse slices are added to.
pub trait SparseTarget: Widen<u32> + Kernel<u32> {
    /// Adds every weight to the target weight at the same position; returns the OR of the sums.
    #[inline(always)]
    fn add_sparse_slice(dst: &mut [Self], part: SparseSlice) -> Self {
        part.add_to(dst, ScatterMap::Identity)
    }
}

impl SparseTarget for u32 {
    #[inline(always)]
    fn add_sparse_slice(dst: &mut [Self], part: SparseSlice) -> Self {
        part.add_to_same_positions(dst)
    }
}

impl SparseTarget for u64 {}
impl SparseTarget for u128 {}

/// Buffer for the greatest block that has tables, zeros included.
type ExpandBuffer = [MaybeUninit<u32>; matching_count(MAX_TABLE_POINTS)];

const EMPTY_EXPAND_BUFFER: ExpandBuffer = [MaybeUninit::uninit(); matching_count(MAX_TABLE_POINTS)];

impl<T: SparseTarget> SourceBlock<T> for SparseSlice<'_> {
    #[inline(always)]
    fn max_table_points(self) -> usize {
        <T as Kernel<u32>>::max_table_points()
    }

    #[inline(always)]
    fn weight_count(self, _: impl EntryLayout) -> usize {
        self.len()
    }

    #[inline(always)]
    fn subrange(self, _: impl EntryLayout, weights: Range<usize>) -> Self {
        SparseSlice::subslice(self, weights)
    }

    #[inline(always)]
    fn add(self, dst: &mut [T], _: impl EntryLayout) -> T {
        T::add_sparse_slice(dst, self)
    }

    #[inline(always)]
    fn add_moved(self, tables: &MapTables, dst: &mut [T], _: impl EntryLayout, places: PointPair) -> T {
        if let Some(all) = self.expand_if_faster(&mut { EMPTY_EXPAND_BUFFER }) {
            return all.add_moved(tables, dst, SingleEntry, places);
        }
        // The targets of a move are the sources of the inverse move.
        let (n, i, j) = places.to_indices();
        self.add_to(dst, ScatterMap::Total(tables.move_sources(PointPair::new(n, j, i))))
    }

    #[inline(always)]
    fn add_contracted(self, tables: &MapTables, dst: &mut [T], _: impl EntryLayout, places: PointPair) -> T {
        if let Some(all) = self.expand_if_faster(&mut { EMPTY_EXPAND_BUFFER }) {
            return all.add_contracted(tables, dst, SingleEntry, places);
        }
        self.add_to(dst, ScatterMap::Partial(tables.contract_targets(places)))
    }

    #[inline(always)]
    fn add_created(self, tables: &MapTables, dst: &mut [T], _: impl EntryLayout, places: PointPair) -> T {
        self.add_to(dst, ScatterMap::Total(tables.create_targets(places)))
    }
}
