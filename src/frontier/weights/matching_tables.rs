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
//! The entries have 16 bits. All tables for up to 10 points take some 500 kB, and 0.5 ms to build:
//! only the tables of swaps of neighbouring positions, and those of the pair (0, 1), are computed from
//! matchings. All others are compositions of these, one look-up an entry.

use std::ops::ControlFlow;

#[cfg(target_arch = "x86_64")]
use super::lane_map::LaneMaps;
use super::matching_map::{MatchingMap, PointPair};
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
    /// [`MAX_TABLE_POINTS`]. Cost: about 0.5 ms for 10 points.
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
            let moves = &tables.move_sources[n];
            tables.contract_sources[n] = contract_tables(n, &fewer, moves);
            tables.create_targets[n] = create_tables(n, &fewer, moves);
            tables.contract_targets[n] = contract_target_tables(n, &tables.contract_sources[n]);
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
        table_of(&self.move_sources, points, matching_count(points.n.into()))
    }

    /// Returns the tables of the contraction of positions `i < j` among `n` points: `n - 2` tables,
    /// one after the other, each with one source index for every target matching.
    #[inline(always)]
    #[must_use]
    pub fn contract_sources(&self, points: PointPair) -> &[u16] {
        let n = usize::from(points.n);
        table_of(&self.contract_sources, points, (n - 2) * matching_count(n - 2))
    }

    /// Returns the table of the contraction of positions `i < j` among `n` points: the target index
    /// of every source matching, or [`NO_TARGET`] if `i` and `j` are mates.
    #[inline(always)]
    #[must_use]
    pub fn contract_targets(&self, points: PointPair) -> &[u16] {
        table_of(&self.contract_targets, points, matching_count(points.n.into()))
    }

    /// Returns the table of the creation of a pair of mates at positions `i < j` among `n` points:
    /// the target index of every source matching.
    #[inline(always)]
    #[must_use]
    pub fn create_targets(&self, points: PointPair) -> &[u16] {
        table_of(&self.create_targets, points, matching_count(usize::from(points.n) - 2))
    }
}

/// Returns the table of a pair of positions, which has `len` entries, among the tables of all numbers of points.
#[inline(always)]
fn table_of(tables: &[Vec<u16>], points: PointPair, len: usize) -> &[u16] {
    let (n, i, j) = points.to_indices();
    &tables[n][(i * n + j) * len..][..len]
}

/// Returns the tables of all moves of `n` points; `all` are the matchings of `n` points.
fn move_tables(n: usize, all: &[Vec<u8>]) -> Vec<u16> {
    // The source of a swap is also its target.
    let swap = |i| MatchingMap::Move(PointPair::new(n, i, i + 1));
    let swap_table = |i| targets_of(swap(i), all).collect();
    let swaps: Vec<Vec<u16>> = (0..n - 1).map(swap_table).collect();
    let identity: Vec<u16> = (0..all.len()).map(|index| index as u16).collect();
    let len = all.len();
    let mut table = vec![0; n * n * len];
    for i in 0..n {
        table[(i * n + i) * len..][..len].copy_from_slice(&identity);
        // A move by one position more is the shorter move, followed by a swap.
        let further = (i + 1..n).map(|j| (j - 1, j, j - 1)).chain((0..i).rev().map(|j| (j + 1, j, j)));
        for (from, to, swap) in further {
            for x in 0..len {
                let before = usize::from(swaps[swap][x]);
                table[(i * n + to) * len + x] = table[(i * n + from) * len + before];
            }
        }
    }
    table
}

/// Yields the index of the target of each of the matchings `sources`, all of which `map` maps.
fn targets_of(map: MatchingMap, sources: &[Vec<u8>]) -> impl Iterator<Item = u16> {
    sources.iter().filter_map(move |source| map.target(source)).map(|target| target as u16)
}

/// Returns the index tables of all pairs `(i, j)` with `i < j` among `n` points, from `first`, the table of the
/// pair `(0, 1)`, whose entries are indices of matchings of `n` points. `moves` are the tables of moves.
fn tables_of_pairs(n: usize, first: &[u16], moves: &[u16]) -> Vec<u16> {
    let move_sources = |i: usize, j: usize| &moves[(i * n + j) * matching_count(n)..][..matching_count(n)];
    let mut table = Vec::with_capacity(n * n * first.len());
    for i in 0..n {
        for j in 0..n {
            if i >= j {
                table.resize(table.len() + first.len(), 0);
                continue;
            }
            // The point at 1 moves to j, then that at 0 to i.
            let (last, next) = (move_sources(j, 1), move_sources(i, 0));
            table.extend(first.iter().map(|&index| next[usize::from(last[usize::from(index)])]));
        }
    }
    table
}

/// Returns the contraction tables of `n` points; `fewer` are the matchings of `n - 2` points.
fn contract_tables(n: usize, fewer: &[Vec<u8>], moves: &[u16]) -> Vec<u16> {
    // In plane p the end at 0 was the mate of target point p, and the end at 1 the mate of p's mate.
    let mut first = vec![0; (n - 2) * fewer.len()];
    for (x, target) in fewer.iter().enumerate().filter(|_| n > 2) {
        let mut plane = first.iter_mut().skip(x).step_by(fewer.len());
        let _ = MatchingMap::Contract(PointPair::new(n, 0, 1)).try_for_each_source(target, &mut |source| {
            *plane.next().expect("a matching has a source for each of its points") = source as u16;
            ControlFlow::Continue(())
        });
    }
    tables_of_pairs(n, &first, moves)
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

/// Returns the creation tables of `n` points; `fewer` are the matchings of `n - 2` points.
fn create_tables(n: usize, fewer: &[Vec<u8>], moves: &[u16]) -> Vec<u16> {
    let first: Vec<u16> = targets_of(MatchingMap::Create(PointPair::new(n, 0, 1)), fewer).collect();
    tables_of_pairs(n, &first, moves)
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
    fn tables_are_those_of_matchings() {
        let tables = MapTables::new(8);
        let mates = |n: usize, index: u16| matching_from_index(n, usize::from(index));
        for (i, j) in (0..8).flat_map(|i| (0..8).map(move |j| (i, j))) {
            for (x, &source) in tables.move_sources(PointPair::new(8, i, j)).iter().enumerate() {
                let (mut order, source): (Vec<usize>, _) =
                    ((0..8).filter(|&p| p != i).collect(), mates(8, source));
                order.insert(j, i);
                let target = matching_from_index(8, x);
                assert!(
                    (0..8).all(|p| usize::from(source[order[p]]) == order[usize::from(target[p])]),
                    "{i} {j}"
                );
            }
            if i >= j {
                continue;
            }
            let rest: Vec<usize> = (0..8).filter(|&p| p != i && p != j).collect();
            for (y, &target) in tables.create_targets(PointPair::new(8, i, j)).iter().enumerate() {
                let (target, source) = (mates(8, target), matching_from_index(6, y));
                assert_eq!(usize::from(target[i]), j);
                assert!(
                    (0..6).all(|p| usize::from(target[rest[p]]) == rest[usize::from(source[p])]),
                    "{i} {j}"
                );
            }
            for (position, &source) in tables.contract_sources(PointPair::new(8, i, j)).iter().enumerate() {
                let ((plane, x), source) = ((position / 15, position % 15), mates(8, source));
                let target = matching_from_index(6, x);
                let (a, b) = (plane, usize::from(target[plane]));
                assert_eq!([i, j].map(|p| usize::from(source[p])), [rest[a], rest[b]], "{i} {j}");
                let others = (0..6).filter(|&p| p != a && p != b);
                assert!(
                    others.into_iter().all(|p| usize::from(source[rest[p]]) == rest[usize::from(target[p])])
                );
            }
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
