//! Index tables of moves, contractions and creations of ends, and the pairs of positions that
//! select a table.
//!
//! ```text
//! move_sources(n, i, j)[x]         the source index that goes to target index x
//! contract_sources(n, i, j)[p][x]  the source index in which the end at i was the mate of target point p
//! create_targets(n, i, j)[y]       the target index that source index y goes to
//! contract_targets(n, i, j)[y]     the target index that source index y goes to, if there is one
//! ```
//!
//! The entries have 16 bits. All tables for up to 10 points take some 500 kB, and 3 ms to build.

use std::ops::ControlFlow;

#[cfg(target_arch = "x86_64")]
use super::lane_map::LaneMaps;
use super::matching_map::MatchingMap;
use super::matching_map::PointPair;
use super::sparse_slice::NO_TARGET;
use crate::frontier::signature::matching_rank::{matching_count, matching_from_index};

/// Greatest number of points of a block whose index maps are tables.
pub const MAX_TABLE_POINTS: usize = 10;

/// Index maps of all moves, contractions and creations of up to [`MAX_TABLE_POINTS`] points.
#[derive(Debug)]
pub struct MapTables {
    /// For each `n`, the tables of all pairs `(i, j)`, in the order of `i * n + j`. A table has the
    /// source index of every target matching, a matching of `n` points.
    move_sources: Vec<Vec<u16>>,
    /// For each number `n` of source points, the tables of all pairs `(i, j)`, in the order of `i *
    /// n + j`: for each of the `n - 2` possible mates of the end at `i`, a table with the source
    /// index of every target matching, a matching of `n - 2` points.
    contract_sources: Vec<Vec<u16>>,
    /// For each number `n` of target points, the tables of all pairs `(i, j)`, in the order of `i *
    /// n + j`. A table has the target index of every source matching, a matching of `n - 2` points.
    create_targets: Vec<Vec<u16>>,
    /// For each number `n` of source points, the tables of all pairs `(i, j)`, in the order of `i *
    /// n + j`. A table has the target index of every source matching, a matching of `n` points.
    contract_targets: Vec<Vec<u16>>,
    #[cfg(target_arch = "x86_64")]
    lanes: LaneMaps,
}

impl MapTables {
    /// Builds the tables for blocks of up to `max_points` points, but of no more than
    /// [`MAX_TABLE_POINTS`]. Cost: some 3 ms for 10 points.
    #[must_use]
    pub fn new(max_points: usize) -> Self {
        let max_points = max_points.min(MAX_TABLE_POINTS);
        let mut tables = Self {
            move_sources: vec![vec![]; MAX_TABLE_POINTS + 1],
            contract_sources: vec![vec![]; MAX_TABLE_POINTS + 1],
            create_targets: vec![vec![]; MAX_TABLE_POINTS + 1],
            contract_targets: vec![vec![]; MAX_TABLE_POINTS + 1],
            #[cfg(target_arch = "x86_64")]
            lanes: LaneMaps::new(),
        };
        for n in (2..=max_points).step_by(2) {
            let all: Vec<Vec<u8>> = (0..matching_count(n)).map(|r| matching_from_index(n, r)).collect();
            let fewer: Vec<Vec<u8>> =
                (0..matching_count(n - 2)).map(|r| matching_from_index(n - 2, r)).collect();
            tables.move_sources[n] = move_tables(n, &all);
            tables.contract_sources[n] = contract_tables(n, &fewer);
            tables.contract_targets[n] = contract_target_tables(n, &tables.contract_sources[n]);
            tables.create_targets[n] = create_tables(n, &fewer);
            #[cfg(target_arch = "x86_64")]
            {
                let mut lanes = std::mem::take(&mut tables.lanes);
                lanes.push_points(
                    n,
                    |points| tables.move_sources(points),
                    |points| tables.contract_sources(points),
                    |points| tables.create_targets(points),
                );
                tables.lanes = lanes;
            }
        }
        tables
    }

    /// Returns the index maps of blocks of up to eight points as permutations of register lanes.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    #[must_use]
    pub const fn lanes(&self) -> &LaneMaps {
        &self.lanes
    }

    /// Returns the table of the move from position `i` to position `j`: the source index of every
    /// target matching.
    #[inline(always)]
    #[must_use]
    pub fn move_sources(&self, points: PointPair) -> &[u16] {
        let (n, i, j) = points.to_indices();
        &self.move_sources[n][(i * n + j) * matching_count(n)..][..matching_count(n)]
    }

    /// Returns the tables of the contraction of positions `i < j` among `n` points: `n - 2` tables,
    /// one after the other, each with one source index for every target matching.
    #[inline(always)]
    #[must_use]
    pub fn contract_sources(&self, points: PointPair) -> &[u16] {
        let (n, i, j) = points.to_indices();
        let len = (n - 2) * matching_count(n - 2);
        &self.contract_sources[n][(i * n + j) * len..][..len]
    }

    /// Returns the table of the contraction of positions `i < j` among `n` points: the target index
    /// of every source matching, or [`NO_TARGET`] if `i` and `j` are mates.
    #[inline(always)]
    #[must_use]
    pub fn contract_targets(&self, points: PointPair) -> &[u16] {
        let (n, i, j) = points.to_indices();
        &self.contract_targets[n][(i * n + j) * matching_count(n)..][..matching_count(n)]
    }

    /// Returns the table of the creation of a pair of mates at positions `i < j` among `n` points:
    /// the target index of every source matching.
    #[inline(always)]
    #[must_use]
    pub fn create_targets(&self, points: PointPair) -> &[u16] {
        let (n, i, j) = points.to_indices();
        &self.create_targets[n][(i * n + j) * matching_count(n - 2)..][..matching_count(n - 2)]
    }
}

/// Calls `push` for every pair of points `(i, j)`, in the order of `i * n + j`.
fn for_each_pair(n: usize, mut push: impl FnMut(PointPair)) {
    (0..n).for_each(|i| (0..n).for_each(|j| push(PointPair::new(n, i, j))));
}

fn move_tables(n: usize, all: &[Vec<u8>]) -> Vec<u16> {
    let mut table = Vec::with_capacity(n * n * all.len());
    for_each_pair(n, |points| {
        // The source of a move is the target of the opposite move.
        let back = MatchingMap::Move(PointPair { i: points.j, j: points.i, ..points });
        table.extend(all.iter().filter_map(|target| back.target(target)).map(|source| source as u16));
    });
    table
}

fn contract_tables(n: usize, fewer: &[Vec<u8>]) -> Vec<u16> {
    let (planes, targets) = (n - 2, fewer.len());
    let mut table = vec![0; n * n * planes * targets];
    for_each_pair(n, |points| {
        if points.i >= points.j || n == 2 {
            return;
        }
        let (_, i, j) = points.to_indices();
        let table = &mut table[(i * n + j) * planes * targets..];
        for (x, target) in fewer.iter().enumerate() {
            let mut plane = 0;
            let _ = MatchingMap::Contract(points).try_for_each_source(target, &mut |source| {
                table[plane * targets + x] = source as u16;
                plane += 1;
                ControlFlow::Continue(())
            });
        }
    });
    table
}

/// Returns the inverse of `contracts`, the contraction tables of `n` points: the target index of
/// every source matching, or [`NO_TARGET`].
fn contract_target_tables(n: usize, contracts: &[u16]) -> Vec<u16> {
    let mut table = vec![NO_TARGET; n * n * matching_count(n)];
    let (planes, targets) = (n - 2, matching_count(n - 2));
    for i in 0..n {
        for j in i + 1..n {
            let pair = i * n + j;
            let sources = &contracts[pair * planes * targets..][..planes * targets];
            for (position, &source) in sources.iter().enumerate() {
                table[pair * matching_count(n) + usize::from(source)] = (position % targets) as u16;
            }
        }
    }
    table
}

fn create_tables(n: usize, fewer: &[Vec<u8>]) -> Vec<u16> {
    let mut table = Vec::with_capacity(n * n * fewer.len());
    for_each_pair(n, |points| {
        if points.i >= points.j {
            table.resize(table.len() + fewer.len(), 0);
        } else {
            let targets = fewer.iter().filter_map(|source| MatchingMap::Create(points).target(source));
            table.extend(targets.map(|target| target as u16));
        }
    });
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn move_and_inverse_move_are_identity() {
        let tables = MapTables::new(8);
        for (i, j) in [(0, 7), (3, 5), (6, 1), (4, 4)] {
            let (there, back) =
                (tables.move_sources(PointPair::new(8, i, j)), tables.move_sources(PointPair::new(8, j, i)));
            assert!((0..matching_count(8)).all(|x| usize::from(there[usize::from(back[x])]) == x), "{i} {j}");
        }
    }

    #[test]
    fn contraction_leaves_out_mates() {
        let tables = MapTables::new(8);
        let mut sources = tables.contract_sources(PointPair::new(8, 2, 5)).to_vec();
        sources.sort_unstable();
        let open = (0..matching_count(8)).filter(|&x| matching_from_index(8, x)[2] != 5).map(|x| x as u16);
        assert!(sources.into_iter().eq(open));
        let points = PointPair::new(8, 2, 5);
        for (position, &source) in tables.contract_sources(points).iter().enumerate() {
            assert_eq!(
                usize::from(tables.contract_targets(points)[usize::from(source)]),
                position % matching_count(6)
            );
        }
        assert_eq!(
            tables.contract_targets(points).iter().filter(|&&target| target == NO_TARGET).count(),
            matching_count(6)
        );
    }

    #[test]
    fn creation_maps_each_matching_once() {
        let tables = MapTables::new(8);
        let targets = tables.create_targets(PointPair::new(8, 1, 6));
        assert_eq!(targets.len(), matching_count(6));
        assert!(targets.iter().all(|&x| matching_from_index(8, x.into())[1] == 6));
        assert!(targets.is_sorted_by(|a, b| a < b));
    }
}
