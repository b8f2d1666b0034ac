//! Ranks of perfect matchings: the matchings of n points are numbered without gaps.
//!
//! The ends of partial paths on the frontier, in slot order, are points `0..n`; their mates form a
//! perfect matching. There are `(n-1)!! = 1 * 3 * 5 * ... * (n-1)` matchings, ordered by the mate
//! of point 0, then by the rank of the matching without that pair:
//!
//! ```text
//! n = 4     index 0: 0-1 2-3     index 1: 0-2 1-3     index 2: 0-3 1-2
//! index = (mate of 0 - 1) * (n-3)!! + index of the matching left without that pair
//! ```
//!
//! All states with equal degrees on the frontier form one vector by this index, a *block*.

/// Maximum number of ends of a block. More ends would need `27!!` weights, beyond any memory.
pub const MAX_ENDS: usize = 26;

/// `MATCHING_COUNTS[n]` is the number of perfect matchings of `n` points, 0 for odd `n`.
pub const MATCHING_COUNTS: [u64; MAX_ENDS + 1] = {
    let mut size = [0; MAX_ENDS + 1];
    size[0] = 1;
    let mut n = 2;
    while n <= MAX_ENDS {
        size[n] = size[n - 2] * (n as u64 - 1);
        n += 2;
    }
    size
};

/// Returns the number of perfect matchings of `n` points, `MATCHING_COUNTS[n]`.
#[inline(always)]
#[must_use]
pub const fn matching_count(n: usize) -> usize {
    MATCHING_COUNTS[n] as usize
}

/// Returns the index of the matching in which point `p` has the mate `mates[p]`, for at most
/// [`MAX_ENDS`] points.
#[must_use]
pub fn matching_index(mates: &[u8]) -> usize {
    let mut free = (1u32 << mates.len()) - 1;
    let mut index = 0;
    while free != 0 {
        let first = free.trailing_zeros();
        let mate = mates[first as usize];
        free &= free - 1;
        let position = (free & ((1 << mate) - 1)).count_ones();
        free &= !(1 << mate);
        index += position as usize * matching_count(free.count_ones() as usize);
    }
    index
}

/// Returns the mate of each of `n` points in the matching with the given index.
#[must_use]
pub fn matching_from_index(n: usize, mut index: usize) -> Vec<u8> {
    let mut free: Vec<u8> = (0..n as u8).collect();
    let mut mates = vec![0; n];
    while !free.is_empty() {
        let block = matching_count(free.len() - 2);
        let mate = free.remove(1 + index / block);
        let first = free.remove(0);
        index %= block;
        mates[usize::from(first)] = mate;
        mates[usize::from(mate)] = first;
    }
    mates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matching_index_inverts_matching_from_index() {
        for n in [0, 2, 4, 6, 8] {
            for r in 0..matching_count(n) {
                let mates = matching_from_index(n, r);
                assert!(
                    mates
                        .iter()
                        .enumerate()
                        .all(|(p, &m)| usize::from(mates[usize::from(m)]) == p && usize::from(m) != p)
                );
                assert_eq!(matching_index(&mates), r);
            }
        }
    }
}
