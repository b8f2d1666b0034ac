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

#[cfg(target_arch = "x86_64")]
use super::lane_map::LaneMaps;
use super::point_pair::PointPair;
use super::sparse_slice::NO_TARGET;
use crate::frontier::signature::matching_rank::{matching_count, matching_from_index, matching_index};

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

fn move_tables(n: usize, all: &[Vec<u8>]) -> Vec<u16> {
    let mut table = Vec::with_capacity(n * n * all.len());
    for i in 0..n {
        for j in 0..n {
            // Maps a target position to its source position.
            let position_of = |p: usize| {
                if p == j {
                    i
                } else {
                    let c = p - usize::from(p > j);
                    c + usize::from(c >= i)
                }
            };
            for target in all {
                let mut source = [0u8; MAX_TABLE_POINTS];
                for (p, &mate) in target.iter().enumerate() {
                    source[position_of(p)] = position_of(usize::from(mate)) as u8;
                }
                table.push(matching_index(&source[..n]) as u16);
            }
        }
    }
    table
}

fn contract_tables(n: usize, fewer: &[Vec<u8>]) -> Vec<u16> {
    let mut table = Vec::new();
    for i in 0..n {
        for j in 0..n {
            if i >= j || n == 2 {
                table.resize(table.len() + (n - 2) * fewer.len(), 0);
                continue;
            }
            let position_of = |p: usize| {
                let q = p + usize::from(p >= i);
                q + usize::from(q >= j)
            };
            // In plane p the end at i was the mate of target point p, and the end at j the mate of p's mate.
            for p in 0..n - 2 {
                for target in fewer {
                    let mut source = [0u8; MAX_TABLE_POINTS];
                    for (q, &mate) in target.iter().enumerate() {
                        source[position_of(q)] = position_of(usize::from(mate)) as u8;
                    }
                    let (a, b) = (position_of(p), position_of(usize::from(target[p])));
                    (source[i], source[a]) = (a as u8, i as u8);
                    (source[j], source[b]) = (b as u8, j as u8);
                    table.push(matching_index(&source[..n]) as u16);
                }
            }
        }
    }
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
    let mut table = Vec::new();
    for i in 0..n {
        for j in 0..n {
            if i >= j {
                table.resize(table.len() + fewer.len(), 0);
                continue;
            }
            let position_of = |p: usize| {
                let q = p + usize::from(p >= i);
                q + usize::from(q >= j)
            };
            for source in fewer {
                let mut target = [0u8; MAX_TABLE_POINTS];
                for (q, &mate) in source.iter().enumerate() {
                    target[position_of(q)] = position_of(usize::from(mate)) as u8;
                }
                (target[i], target[j]) = (j as u8, i as u8);
                table.push(matching_index(&target[..n]) as u16);
            }
        }
    }
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
