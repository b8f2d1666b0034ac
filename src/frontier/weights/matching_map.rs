//! Maps from the matchings of a source block to those of a target block.
//!
//! A step maps blocks to blocks by index arithmetic alone, since matchings are numbered without
//! gaps (see [`rank`](crate::frontier::signature::matching_rank)):
//!
//! ```text
//! identity             block unchanged
//! move i -> j          an end goes from position i to position j among the others
//! contract i, j        two ends (not mates) are joined: their mates become mates
//! create i, j          a new pair of mates appears at positions i and j
//! ```
//!
//! [`MatchingMap`] gives the target and the sources of single matchings, from which all tables are
//! built. Sums of whole blocks are in [`block_map`](super::block_map), and their transposes in
//! [`transpose`](super::transpose).

use std::ops::{ControlFlow, Range};

use crate::frontier::signature::matching_rank::{MAX_ENDS, matching_count, matching_index};

/// A map from the matchings of a source block to the matchings of a target block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchingMap {
    /// Maps every matching to itself.
    Identity,
    /// Moves the end at position `i` of the source to position `j` of the target.
    Move(PointPair),
    /// Joins the ends at positions `i < j` of the source. Matchings in which these ends are mates
    /// have no target, since a cycle would close. Exception: if the source has no other ends, its
    /// only weight is kept.
    Contract(PointPair),
    /// Creates a pair of mates at positions `i < j` of the target.
    Create(PointPair),
}

/// Two positions among the points of a block. The points are the ends of the signature, numbered from 0 in
/// the order of their slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointPair {
    /// Number of points of the source or of the target block, whichever has more.
    pub n: u8,
    /// First position. For a move, it is in the source block; otherwise it is the lower of two
    /// positions in the same block.
    pub i: u8,
    /// Second position. For a move, it is in the target block; otherwise it is the higher of two
    /// positions in the same block.
    pub j: u8,
}

impl PointPair {
    /// Returns the pair of positions `i` and `j` among `n` points.
    #[inline(always)]
    #[must_use]
    pub const fn new(n: usize, i: usize, j: usize) -> Self {
        Self { n: n as u8, i: i as u8, j: j as u8 }
    }

    /// Returns `n`, `i` and `j` as indices.
    #[inline(always)]
    #[must_use]
    pub fn to_indices(self) -> (usize, usize, usize) {
        (self.n.into(), self.i.into(), self.j.into())
    }
}

impl MatchingMap {
    /// Returns the index of the matching to which this maps the matching `mates`, the mates of all
    /// source points; `None` if it has no target.
    #[must_use]
    pub fn target(self, mates: &[u8]) -> Option<usize> {
        let n = mates.len();
        match self {
            Self::Identity => Some(matching_index(mates)),
            Self::Move(PointPair { i, j, .. }) => Some(renumbered(mates, n, |p| moved(p, i, j), &[])),
            Self::Contract(_) if n == 2 => Some(0),
            Self::Contract(PointPair { i, j, .. }) => {
                let (a, b) = (mates[usize::from(i)], mates[usize::from(j)]);
                if a == j {
                    return None;
                }
                let mut joined = [0; MAX_ENDS];
                joined[..n].copy_from_slice(mates);
                (joined[usize::from(a)], joined[usize::from(b)]) = (b, a);
                Some(index_without(&joined[..n], i, j))
            }
            Self::Create(PointPair { i, j, .. }) => {
                Some(renumbered(mates, n + 2, |p| above(p, i, j), &[(i, j)]))
            }
        }
    }

    /// Calls `visit` with the index of every source matching that this maps to the matching `mates`,
    /// the mates of all target points, in a fixed order. Stops when `visit` returns `Break`.
    pub fn try_for_each_source(
        self,
        mates: &[u8],
        visit: &mut impl FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let n = mates.len();
        match self {
            Self::Identity => visit(matching_index(mates)),
            Self::Move(PointPair { i, j, .. }) => visit(renumbered(mates, n, |p| moved(p, j, i), &[])),
            Self::Contract(_) if n == 0 => visit(0),
            // The end at `i` was the mate of any point, and the end at `j` the mate of that point's mate.
            Self::Contract(PointPair { i, j, .. }) => (0..n as u8).try_for_each(|p| {
                let (a, b) = (above(p, i, j), above(mates[usize::from(p)], i, j));
                visit(renumbered(mates, n + 2, |p| above(p, i, j), &[(i, a), (j, b)]))
            }),
            Self::Create(PointPair { i, j, .. }) if mates[usize::from(i)] == j => {
                visit(index_without(mates, i, j))
            }
            Self::Create(_) => ControlFlow::Continue(()),
        }
    }
}

/// Returns the number that point `p` gets when the point with number `from` gets the number `to`.
const fn moved(p: u8, from: u8, to: u8) -> u8 {
    if p == from {
        return to;
    }
    let common = p - (p > from) as u8;
    common + (common >= to) as u8
}

/// Returns the number that point `p` gets when points with the numbers `i < j` are inserted.
const fn above(p: u8, i: u8, j: u8) -> u8 {
    let next = p + (p >= i) as u8;
    next + (next >= j) as u8
}

/// Returns the index of the matching of `n` points that has the pairs of the matching `mates` with
/// renumbered points, and afterwards the pairs `pairs`.
fn renumbered(mates: &[u8], n: usize, number: impl Fn(u8) -> u8, pairs: &[(u8, u8)]) -> usize {
    let mut result = [0; MAX_ENDS];
    for (p, &mate) in (0..).zip(mates) {
        result[usize::from(number(p))] = number(mate);
    }
    for &(a, b) in pairs {
        (result[usize::from(a)], result[usize::from(b)]) = (b, a);
    }
    matching_index(&result[..n])
}

/// Returns the index of the matching `mates` without the points `i < j`, which are not the mates of
/// other points.
fn index_without(mates: &[u8], i: u8, j: u8) -> usize {
    let below = |p: u8| p - u8::from(p > i) - u8::from(p > j);
    let mut rest = [0; MAX_ENDS];
    for (p, &mate) in (0..).zip(mates).filter(|&(p, _)| p != i && p != j) {
        rest[usize::from(below(p))] = below(mate);
    }
    matching_index(&rest[..mates.len() - 2])
}

/// What a contraction does to the part of a source block in which a point is the mate of point 0.
pub enum ContractedPart {
    /// The joined ends are mates: the part has no target.
    None,
    /// An end of the part moves, and the part is added to the whole target.
    Moved(PointPair),
    /// Two ends of the part are joined, and it is added to a part of the target: [`part_without`] returns the
    /// mate of point 0 there, and the ends.
    Contracted,
}

/// Returns what the contraction of `points` does to the part with the mate `a` of point 0.
#[inline(always)]
#[must_use]
pub fn contracted_part(points: PointPair, a: usize) -> ContractedPart {
    let (n, i, j) = points.to_indices();
    let moved = |from, to| ContractedPart::Moved(PointPair::new(n - 2, from, to));
    if i == 0 && a == j {
        ContractedPart::None
    } else if i == 0 {
        moved(j - 1 - usize::from(a < j), a - 1 - usize::from(a > j))
    } else if a == i {
        moved(j - 2, 0)
    } else if a == j {
        moved(i - 1, 0)
    } else {
        ContractedPart::Contracted
    }
}

/// Calls `visit` with the mate of point 0 in each source part in which the contraction of `points` moves an
/// end, and with the position of this end before and after.
#[inline(always)]
pub fn for_each_moved_part(points: PointPair, mut visit: impl FnMut(usize, PointPair)) {
    let (n, i, j) = points.to_indices();
    let parts = if i == 0 { (1..n).step_by(1) } else { (i..j + 1).step_by(j - i) };
    for a in parts {
        if let ContractedPart::Moved(points) = contracted_part(points, a) {
            visit(a, points);
        }
    }
}

/// Returns the source of the part of a target block in which `a` is the mate of point 0, if a point other
/// than 0 was moved to a position other than 0: the mate of point 0 in the source part, and its map.
#[inline(always)]
#[must_use]
pub fn moved_part(points: PointPair, a: usize) -> (usize, MatchingMap) {
    let (n, i, j) = points.to_indices();
    let from = position_after_move(j, i, a);
    if a == j {
        return (from, MatchingMap::Identity);
    }
    let rest = PointPair::new(n - 2, i - 1 - usize::from(from < i), j - 1 - usize::from(a < j));
    (from, MatchingMap::Move(rest))
}

/// Returns the source of the part of a target block in which `a` is the mate of point 0, if a pair of
/// mates other than 0 was created: the mate of point 0 in the source part, and the created pair of the
/// part. Returns `None` if `a` belongs to the pair.
#[inline(always)]
#[must_use]
pub fn created_part(points: PointPair, a: usize) -> Option<(usize, PointPair)> {
    let (_, i, j) = points.to_indices();
    (a != i && a != j).then(|| part_without(points, a))
}

/// Returns the range of the part of a block of `n` points in which `a` is the mate of point 0.
#[inline(always)]
#[must_use]
pub const fn part_range(n: usize, a: usize) -> Range<usize> {
    let len = matching_count(n - 2);
    (a - 1) * len..a * len
}

/// Returns the range of the part of a block of `n` points in which `a` is the mate of point 0, and `b` that of
/// point 1. The points 0, 1, `a` and `b` are distinct.
#[inline(always)]
#[must_use]
pub const fn part_range_of_two(n: usize, a: usize, b: usize) -> Range<usize> {
    let start = part_range(n, a).start + (b - 2 - (b > a) as usize) * matching_count(n - 4);
    start..start + matching_count(n - 4)
}

/// Returns the number of point `a` among the points other than `points.i` and `points.j`, and the
/// numbers of these two among the points other than 0 and `a`. The three points are distinct, and
/// none is 0.
#[inline(always)]
#[must_use]
pub fn part_without(points: PointPair, a: usize) -> (usize, PointPair) {
    let (n, i, j) = points.to_indices();
    let rest = PointPair::new(n - 2, i - 1 - usize::from(a < i), j - 1 - usize::from(a < j));
    (a - usize::from(a > i) - usize::from(a > j), rest)
}

/// Returns the point `a` for which [`part_without`] returns the number `mate`, and the numbers of the
/// other two points.
#[inline(always)]
#[must_use]
pub fn part_with(points: PointPair, mate: usize) -> (usize, PointPair) {
    let (n, i, j) = points.to_indices();
    let a = usize::from(above(mate as u8, points.i, points.j));
    (a, PointPair::new(n - 2, i - 1 - usize::from(a < i), j - 1 - usize::from(a < j)))
}

/// Returns the position of point `a` after the move of a point from position `i` to `j`.
#[inline(always)]
#[must_use]
pub fn position_after_move(i: usize, j: usize, a: usize) -> usize {
    if a == i {
        return j;
    }
    let common = a - usize::from(a > i);
    common + usize::from(common >= j)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::signature::matching_rank::{matching_count, matching_from_index};

    /// Returns the sources of a matching of `n` points, in their order.
    fn sources(map: MatchingMap, n: usize, index: usize) -> Vec<usize> {
        let mut all = Vec::new();
        let _ = map.try_for_each_source(&matching_from_index(n, index), &mut |source| {
            all.push(source);
            ControlFlow::Continue(())
        });
        all
    }

    #[test]
    fn sources_are_the_matchings_with_the_target() {
        let check = |map: MatchingMap, from: usize, to: usize| {
            let mut expected = vec![Vec::new(); matching_count(to)];
            for source in 0..matching_count(from) {
                if let Some(target) = map.target(&matching_from_index(from, source)) {
                    expected[target].push(source);
                }
            }
            for (index, expected) in expected.into_iter().enumerate() {
                let mut found = sources(map, to, index);
                found.sort_unstable();
                assert_eq!(found, expected, "{map:?} {index}");
            }
        };
        for n in [2, 4, 6, 8] {
            check(MatchingMap::Identity, n, n);
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                check(MatchingMap::Move(PointPair::new(n, i, j)), n, n);
                if i < j {
                    check(MatchingMap::Contract(PointPair::new(n, i, j)), n, n - 2);
                    check(MatchingMap::Create(PointPair::new(n, i, j)), n - 2, n);
                }
            }
        }
    }

    #[test]
    fn part_with_is_inverse_of_part_without() {
        for n in [6, 8, 10] {
            for (i, j) in (1..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))) {
                let points = PointPair::new(n, i, j);
                for a in (1..n).filter(|&a| a != i && a != j) {
                    let (mate, rest) = part_without(points, a);
                    assert_eq!(part_with(points, mate), (a, rest), "{points:?} {a}");
                }
            }
        }
    }

    #[test]
    fn maps_of_single_matchings() {
        // 0-3 1-2 after a move of point 0 to the end: 3-2 0-1.
        assert_eq!(MatchingMap::Move(PointPair::new(4, 0, 3)).target(&[3, 2, 1, 0]), Some(0));
        // Joining 0 and 1 of 0-3 1-2 makes 2 and 3 mates; 0 and 3 are mates already.
        assert_eq!(MatchingMap::Contract(PointPair::new(4, 0, 1)).target(&[3, 2, 1, 0]), Some(0));
        assert_eq!(MatchingMap::Contract(PointPair::new(4, 0, 3)).target(&[3, 2, 1, 0]), None);
        // A new pair 1-3 around point 2, whose mate is 0.
        assert_eq!(MatchingMap::Create(PointPair::new(4, 1, 3)).target(&[1, 0]), Some(1));
        // The order of the sources of a contraction is that of the target points, which the numbers of tours
        // depend on.
        assert_eq!(sources(MatchingMap::Contract(PointPair::new(4, 0, 1)), 2, 0), [1, 2]);
    }
}
