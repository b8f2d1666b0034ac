//! Source blocks of a sum, with or without zeros, and the functions that add them to a target
//! block.
//!
//! A dense block has every weight. It is read in the order of the target weights, through tables of
//! source indices, several weights at a time. A sparse block stores no zeros. It is read in the
//! order of its own weights, through tables of target indices.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::kernel::{EntryLayout, IndexMap, Kernel, SingleEntry, Strides, add_vectors};
use super::matching_map::{MatchingMap, PointPair};
use super::matching_tables::{MAX_TABLE_POINTS, MapTables};
use super::sparse_slice::{ScatterMap, SparseSlice};
use super::weight::{Element, Weight};
use crate::frontier::signature::matching_rank::matching_count;

/// A block of weights, dense or sparse, that can be added to a target block with entries of type
/// `T`. Lengths and ranges are numbers of weights; `layout` gives the number of entries of a
/// weight. Every `add` function adds the block to `dst` and returns the bitwise OR of the sums.
pub trait SourceBlock<T: Element>: Copy + Send + Sync {
    /// Returns the greatest number of points of a block that is mapped by tables; greater blocks are split.
    fn max_table_points(self) -> usize {
        MAX_TABLE_POINTS
    }

    /// Returns the number of weights of the block.
    fn weight_count(self, layout: impl EntryLayout) -> usize;

    /// Returns true if the block is stored without zeros and has no weight.
    fn is_known_zero(self) -> bool {
        false
    }

    /// Returns the part of the block with the given range of weights.
    #[must_use]
    fn subrange(self, layout: impl EntryLayout, weights: Range<usize>) -> Self;

    /// Adds every weight of the block to the weight of `dst` at the same position.
    fn add(self, dst: &mut [T], layout: impl EntryLayout) -> T;

    /// Adds the block to `dst`, mapped by `map`. `tables` must have a table of the map.
    fn add_by_table(self, tables: &MapTables, dst: &mut [T], layout: impl EntryLayout, map: MatchingMap)
    -> T;

    /// Adds the matchings in which the points `points.i` and `points.j` are mates, without this pair, to
    /// `dst`. Every weight is one entry. `tables` must have tables for the block's number of points.
    fn add_without_pair(self, tables: &MapTables, dst: &mut [T], points: PointPair) -> T;
}

impl<S: Element, T: Kernel<S>> SourceBlock<T> for &[S] {
    #[inline(always)]
    fn max_table_points(self) -> usize {
        T::max_table_points()
    }

    #[inline(always)]
    fn weight_count(self, layout: impl EntryLayout) -> usize {
        self.len() / layout.strides().source
    }

    #[inline(always)]
    fn subrange(self, layout: impl EntryLayout, weights: Range<usize>) -> Self {
        let from = layout.strides().source;
        &self[weights.start * from..weights.end * from]
    }

    #[inline(always)]
    fn add(self, dst: &mut [T], layout: impl EntryLayout) -> T {
        add_vectors(dst, self, layout)
    }

    // Inlined where the kind of map is known, so that a call has the code of one kind only.
    #[inline(always)]
    fn add_by_table(
        self,
        tables: &MapTables,
        dst: &mut [T],
        layout: impl EntryLayout,
        map: MatchingMap,
    ) -> T {
        let counts = |PointPair { n, .. }| [matching_count(usize::from(n) - 2), matching_count(n.into())];
        let (index, [sources, targets]) = match map {
            MatchingMap::Identity => return self.add(dst, layout),
            MatchingMap::Move(points) => {
                let from = tables.move_sources(points);
                (IndexMap::Gather(from), [from.len(); 2])
            }
            MatchingMap::Contract(points) => {
                let [fewer, more] = counts(points);
                (IndexMap::Gather(tables.contract_sources(points)), [more, fewer])
            }
            MatchingMap::Create(points) => (IndexMap::Scatter(tables.create_targets(points)), counts(points)),
        };
        let Strides { target, source } = layout.strides();
        assert!(dst.len() == targets * target && self.len() == sources * source);
        // SAFETY: entries of a table for n points are indices below SIZE[n], the number of matchings of the
        // block that the kernel reads or writes through the table.
        unsafe { T::accumulate(dst, self, layout.strides(), index) }
    }

    #[inline(always)]
    fn add_without_pair(self, tables: &MapTables, dst: &mut [T], points: PointPair) -> T {
        // The sources are the targets of the creation of this pair.
        let from = tables.create_targets(points);
        assert!(dst.len() == from.len() && self.len() == matching_count(points.n.into()));
        // SAFETY: entries of a creation table for n points are indices below SIZE[n].
        unsafe { T::accumulate(dst, self, SingleEntry.strides(), IndexMap::Gather(from)) }
    }
}

/// Buffer for all weights, zeros included, of the greatest block that is mapped by tables.
type ExpandBuffer = [MaybeUninit<u32>; matching_count(MAX_TABLE_POINTS)];

const EMPTY_EXPAND_BUFFER: ExpandBuffer = [MaybeUninit::uninit(); matching_count(MAX_TABLE_POINTS)];

impl<T: Weight + From<u32> + Kernel<u32>> SourceBlock<T> for SparseSlice<'_> {
    #[inline(always)]
    fn max_table_points(self) -> usize {
        T::max_table_points()
    }

    #[inline(always)]
    fn weight_count(self, _: impl EntryLayout) -> usize {
        self.len()
    }

    #[inline(always)]
    fn is_known_zero(self) -> bool {
        self.stored_len() == 0
    }

    #[inline(always)]
    fn subrange(self, _: impl EntryLayout, weights: Range<usize>) -> Self {
        SparseSlice::subslice(self, weights)
    }

    #[inline(always)]
    fn add(self, dst: &mut [T], _: impl EntryLayout) -> T {
        self.add_to_same_positions(dst)
    }

    #[inline(always)]
    fn add_by_table(self, tables: &MapTables, dst: &mut [T], _: impl EntryLayout, map: MatchingMap) -> T {
        if !matches!(map, MatchingMap::Create(_))
            && let Some(all) = self.expand_if_faster(&mut { EMPTY_EXPAND_BUFFER })
        {
            return all.add_by_table(tables, dst, SingleEntry, map);
        }
        let to = match map {
            MatchingMap::Identity => ScatterMap::Identity,
            MatchingMap::Move(PointPair { n, i, j }) => {
                // The targets of a move are the sources of the inverse move.
                ScatterMap::Total(tables.move_sources(PointPair { n, i: j, j: i }))
            }
            MatchingMap::Contract(points) => ScatterMap::Partial(tables.contract_targets(points)),
            MatchingMap::Create(points) => ScatterMap::Total(tables.create_targets(points)),
        };
        self.add_to(dst, to)
    }

    fn add_without_pair(self, tables: &MapTables, dst: &mut [T], points: PointPair) -> T {
        if let Some(all) = self.expand_if_faster(&mut { EMPTY_EXPAND_BUFFER }) {
            return all.add_without_pair(tables, dst, points);
        }
        let mut all = [0; matching_count(MAX_TABLE_POINTS)];
        let all = &mut all[..self.len()];
        self.add_to(all, ScatterMap::Identity);
        (&*all).add_without_pair(tables, dst, points)
    }
}
