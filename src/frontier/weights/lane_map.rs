//! Index maps of short blocks, as permutations of the lanes of vector registers.
//!
//! A block of up to eight ends is divided into *groups* of 15 weights, and each group is kept in
//! the first 15 of the 16 lanes of a register; the last lane is zero. A block of up to six ends is
//! one group. A block of eight ends has a group for each mate of its first point:
//!
//! ```text
//! ends       0, 2   4   6   8
//! weights    1      3   15  105
//! groups     1      1   1   7
//! ```
//!
//! In these blocks every index map becomes a short list of steps, a [`LaneMap`]. A step permutes the lanes
//! of a source group and adds them to a target group. A lane without a source reads lane 15, which
//! is zero. Since a group has the matchings with a fixed pair, most maps permute whole groups and
//! the lanes in them: most moves take one step for each target group.

use std::array;

use super::matching_map::PointPair;
use crate::frontier::signature::matching_rank::{matching_count, matching_from_index, matching_index};

/// Number of weights of a full group.
pub const GROUP_WEIGHTS: usize = 15;

/// Number of lanes of a register, one more than the weights of a group.
pub const GROUP_LANES: usize = 16;

/// Number of groups of a block of eight points.
pub const MAX_GROUPS: usize = 7;

/// Number of groups of a block of ten points, which has a part of eight points for each mate of its
/// first point.
pub const TEN_POINT_GROUPS: usize = 9 * MAX_GROUPS;

/// Number of weights of a block of eight points, which is a part of a block of ten points.
pub const PART_WEIGHTS: usize = MAX_GROUPS * GROUP_WEIGHTS;

/// Number of weights of a block of ten points.
pub const TEN_POINT_WEIGHTS: usize = TEN_POINT_GROUPS * GROUP_WEIGHTS;

/// Greatest number of points of a block whose index maps are lists of steps.
pub const MAX_LANE_POINTS: usize = 8;

/// Lane that is zero in every source.
const ZERO_LANE: u8 = 15;

/// The source lane of every target lane of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct LaneSources(pub [u8; GROUP_LANES]);

/// An index map as steps. A step permutes the lanes of a source group and adds them to a target
/// group.
#[derive(Clone, Copy, Debug)]
pub struct LaneMap<'a> {
    /// Source lanes of the steps, those of the first target group first. Further steps may follow.
    pub lanes: &'a [LaneSources],
    /// Source group of each step.
    pub groups: &'a [u8],
    /// Number of steps of each target group. Groups beyond the target block have none.
    pub step_counts: &'a [u8; MAX_GROUPS],
}

/// A block of up to ten points, in groups.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct LaneBlock {
    /// The groups; lanes beyond the weights of a block are zero.
    pub groups: [[u32; GROUP_LANES]; TEN_POINT_GROUPS],
}

impl LaneBlock {
    /// The block of zeros.
    pub const ZERO: Self = Self { groups: [[0; GROUP_LANES]; TEN_POINT_GROUPS] };

    /// Returns the groups of a block of `len` weights. Lanes beyond the weights are zero.
    #[inline(always)]
    pub fn groups(&self, len: usize) -> impl Iterator<Item = &[u32; GROUP_LANES]> {
        self.groups[..len.div_ceil(GROUP_WEIGHTS)].iter()
    }

    /// Returns the weights of a block of `len` weights.
    #[inline(always)]
    pub fn weights(&self, len: usize) -> impl Iterator<Item = u32> {
        self.groups(len).flat_map(|group| &group[..GROUP_WEIGHTS]).copied().take(len)
    }
}

/// Position of an index map in the list of all steps.
#[derive(Clone, Copy, Debug, Default)]
struct MapEntry {
    first_step: u32,
    step_counts: [u8; MAX_GROUPS],
}

/// The index maps of one kind and number of points, at the index `i * n + j`.
type MapList = Vec<MapEntry>;

/// Lane maps of all moves, contractions, creations and exchanges of neighbours in blocks of up to
/// [`MAX_LANE_POINTS`] points.
#[derive(Debug, Default)]
pub struct LaneMaps {
    lanes: Vec<LaneSources>,
    groups: Vec<u8>,
    identity: MapEntry,
    moves: [MapList; MAX_LANE_POINTS + 1],
    contractions: [MapList; MAX_LANE_POINTS + 1],
    creations: [MapList; MAX_LANE_POINTS + 1],
    /// For each number of points, the exchanges of neighbouring points, by the bit set of the lower
    /// points of the exchanged pairs.
    exchanges: [MapList; MAX_LANE_POINTS + 1],
}

impl LaneMaps {
    /// Returns the identity of up to [`MAX_LANE_POINTS`] points, and no other map.
    #[must_use]
    pub fn new() -> Self {
        let mut maps = Self::default();
        maps.identity = maps.push((0..matching_count(MAX_LANE_POINTS)).map(|index| (index, index)));
        maps
    }

    /// Appends a map: `pairs` has the source index and the target index of each pair of weights.
    fn push(&mut self, pairs: impl Iterator<Item = (usize, usize)>) -> MapEntry {
        let mut steps: [Vec<(u8, LaneSources)>; MAX_GROUPS] = array::from_fn(|_| Vec::new());
        for (source, target) in pairs {
            let (group, lane) = ((source / GROUP_WEIGHTS) as u8, (source % GROUP_WEIGHTS) as u8);
            let (steps, target_lane) = (&mut steps[target / GROUP_WEIGHTS], target % GROUP_WEIGHTS);
            let is_free =
                |(of, lanes): &&mut (u8, LaneSources)| *of == group && lanes.0[target_lane] == ZERO_LANE;
            if let Some((_, lanes)) = steps.iter_mut().find(is_free) {
                lanes.0[target_lane] = lane;
            } else {
                let mut lanes = [ZERO_LANE; GROUP_LANES];
                lanes[target_lane] = lane;
                steps.push((group, LaneSources(lanes)));
            }
        }
        let entry = MapEntry {
            first_step: self.groups.len() as u32,
            step_counts: array::from_fn(|target| steps[target].len() as u8),
        };
        for (group, lanes) in steps.into_iter().flatten() {
            self.groups.push(group);
            self.lanes.push(lanes);
        }
        entry
    }

    /// Appends all maps of blocks, the greater of which has `n` points, if `n` is at most [`MAX_LANE_POINTS`]. `move_sources` and `contract_sources` return tables
    /// of source indices, `create_targets` tables of target indices.
    pub fn push_points<'t>(
        &mut self,
        n: usize,
        move_sources: impl Fn(PointPair) -> &'t [u16],
        contract_sources: impl Fn(PointPair) -> &'t [u16],
        create_targets: impl Fn(PointPair) -> &'t [u16],
    ) {
        if n > MAX_LANE_POINTS {
            return;
        }
        let target_count = matching_count(n - 2);
        for points in (0..n).flat_map(|i| (0..n).map(move |j| PointPair::new(n, i, j))) {
            let is_pair = points.i < points.j;
            let table = move_sources(points);
            let entry = self.push(table.iter().enumerate().map(|(target, &source)| (source.into(), target)));
            self.moves[n].push(entry);
            let table = if is_pair && n > 2 { contract_sources(points) } else { &[] };
            let pairs = table.iter().enumerate();
            let entry = self.push(pairs.map(|(entry, &source)| (source.into(), entry % target_count)));
            self.contractions[n].push(entry);
            let table = if is_pair { create_targets(points) } else { &[] };
            let entry = self.push(table.iter().enumerate().map(|(source, &target)| (source, target.into())));
            self.creations[n].push(entry);
        }
        for set in 0..1usize << (n - 1) {
            let exchanges = if set & set << 1 == 0 { matching_count(n) } else { 0 };
            let entry = self.push((0..exchanges).map(|target| (exchanged_index(n, set, target), target)));
            self.exchanges[n].push(entry);
        }
    }

    /// Returns the map of every weight to the same index.
    #[inline(always)]
    #[must_use]
    pub fn of_identity(&self) -> LaneMap<'_> {
        self.at(&self.identity)
    }

    /// Returns the map of the move from position `i` to position `j`.
    #[inline(always)]
    #[must_use]
    pub fn of_move(&self, points: PointPair) -> LaneMap<'_> {
        self.of_points(&self.moves, points)
    }

    /// Returns the map of the contraction of positions `i < j`.
    #[inline(always)]
    #[must_use]
    pub fn of_contraction(&self, points: PointPair) -> LaneMap<'_> {
        self.of_points(&self.contractions, points)
    }

    /// Returns the map of the creation of a pair of mates at positions `i < j`.
    #[inline(always)]
    #[must_use]
    pub fn of_creation(&self, points: PointPair) -> LaneMap<'_> {
        self.of_points(&self.creations, points)
    }

    /// Returns the map that exchanges the neighbours `p` and `p + 1` among `n` points, for every `p`
    /// in `set`.
    #[inline(always)]
    #[must_use]
    pub fn of_exchange(&self, n: usize, set: usize) -> LaneMap<'_> {
        if n == 0 { self.of_identity() } else { self.at(&self.exchanges[n][set]) }
    }

    #[inline(always)]
    fn of_points<'s>(&'s self, lists: &'s [MapList; MAX_LANE_POINTS + 1], points: PointPair) -> LaneMap<'s> {
        let (n, i, j) = points.to_indices();
        self.at(&lists[n][i * n + j])
    }

    #[inline(always)]
    fn at<'s>(&'s self, entry: &'s MapEntry) -> LaneMap<'s> {
        let first = entry.first_step as usize;
        LaneMap {
            lanes: &self.lanes[first..],
            groups: &self.groups[first..],
            step_counts: &entry.step_counts,
        }
    }
}

/// Returns the set of the lower points of exchanged neighbours, if `from` is a permutation that only
/// exchanges neighbours; `None` for every other permutation.
#[inline(always)]
#[must_use]
pub fn exchange_set(from: &[u8]) -> Option<usize> {
    let (mut set, mut p) = (0, 0);
    while p < from.len() {
        if usize::from(from[p]) == p {
            p += 1;
        } else if usize::from(from[p]) == p + 1 && usize::from(from[p + 1]) == p {
            set |= 1 << p;
            p += 2;
        } else {
            return None;
        }
    }
    Some(set)
}

/// Returns the number of the group of a block of ten points, after the exchange of points 0 and 1,
/// that was group `number` of the part in which `a` is the mate of point 0. A group has the
/// matchings with fixed mates of points 0 and 1.
#[inline(always)]
#[must_use]
pub fn swapped_group(a: usize, number: usize) -> usize {
    if a == 1 {
        return number;
    }
    let b = number + 2 + usize::from(number + 2 >= a);
    (b - 1) * MAX_GROUPS + a - 2 - usize::from(a > b)
}

/// Returns the index of a matching of `n` points after the exchange of the neighbours `p` and
/// `p + 1` for every `p` in `set`.
fn exchanged_index(n: usize, set: usize, index: usize) -> usize {
    let image = |p: usize| {
        if set >> p & 1 == 1 {
            p + 1
        } else if p > 0 && set >> (p - 1) & 1 == 1 {
            p - 1
        } else {
            p
        }
    };
    let mates = matching_from_index(n, index);
    let exchanged: Vec<u8> = (0..n).map(|p| image(usize::from(mates[image(p)])) as u8).collect();
    matching_index(&exchanged)
}

#[cfg(test)]
mod tests {
    use super::super::matching_tables::MapTables;
    use super::*;

    /// Returns the pairs of a source index and a target index that the steps of a map add.
    fn pairs_of(map: LaneMap) -> Vec<(usize, usize)> {
        let mut steps = map.groups.iter().zip(map.lanes);
        let mut pairs = Vec::new();
        for (target, &count) in map.step_counts.iter().enumerate() {
            for (&source, lanes) in steps.by_ref().take(count.into()) {
                let (source, target) = (usize::from(source) * GROUP_WEIGHTS, target * GROUP_WEIGHTS);
                for (lane, &from) in
                    lanes.0[..GROUP_WEIGHTS].iter().enumerate().filter(|(_, from)| **from != ZERO_LANE)
                {
                    pairs.push((source + usize::from(from), target + lane));
                }
                assert_eq!(lanes.0[GROUP_WEIGHTS], ZERO_LANE, "the last lane stays zero");
            }
        }
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn lane_maps_have_the_pairs_of_the_tables() {
        let tables = MapTables::new(MAX_LANE_POINTS);
        let lanes = tables.lanes();
        for n in (2..=MAX_LANE_POINTS).step_by(2) {
            for points in (0..n).flat_map(|i| (0..n).map(move |j| PointPair::new(n, i, j))) {
                let sorted = |mut pairs: Vec<(usize, usize)>| {
                    pairs.sort_unstable();
                    pairs
                };
                let sources = |table: &[u16], len: usize| {
                    sorted(table.iter().enumerate().map(|(x, &y)| (y.into(), x % len)).collect())
                };
                let len = matching_count(n);
                assert_eq!(pairs_of(lanes.of_move(points)), sources(tables.move_sources(points), len));
                if points.i < points.j {
                    if n > 2 {
                        let expected = sources(tables.contract_sources(points), matching_count(n - 2));
                        assert_eq!(pairs_of(lanes.of_contraction(points)), expected);
                    }
                    let targets = tables.create_targets(points);
                    let expected = sorted(targets.iter().enumerate().map(|(y, &x)| (y, x.into())).collect());
                    assert_eq!(pairs_of(lanes.of_creation(points)), expected);
                }
            }
        }
    }

    #[test]
    fn exchange_of_neighbours_is_its_own_inverse() {
        let tables = MapTables::new(MAX_LANE_POINTS);
        let set = exchange_set(&[1, 0, 2, 4, 3, 5, 7, 6]).unwrap();
        let pairs = pairs_of(tables.lanes().of_exchange(8, set));
        assert_eq!(pairs.len(), matching_count(8));
        assert!(pairs.iter().all(|&(source, target)| pairs.contains(&(target, source))));
        assert!(pairs.iter().any(|(source, target)| source != target));
        let same = pairs_of(tables.lanes().of_exchange(4, exchange_set(&[0, 1, 2, 3]).unwrap()));
        assert_eq!(same, [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(exchange_set(&[2, 1, 0, 3]), None);
    }
}
