//! Pairs of positions that select an index map.

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
