//! Perfect matchings of the ends, and what a step does to all of them at once.
//!
//! The ends of partial paths on the frontier, in slot order, are points
//! `0..n`; who is whose mate is a perfect matching of them. There are
//! `(n-1)!! = 1 * 3 * 5 * ... * (n-1)` matchings, ranked by the mate of point 0,
//! then by the rank of the rest:
//!
//! ```text
//! n = 4     rank 0: 0-1 2-3     rank 1: 0-2 1-3     rank 2: 0-3 1-2
//! rank = (mate of 0 - 1) * (n-3)!! + rank of the matching left without that pair
//! ```
//!
//! All states with the same degrees on the frontier form one vector indexed by
//! this rank, a *block*. A step maps blocks to blocks by index arithmetic alone:
//!
//! ```text
//! keep                 block unchanged
//! move i -> j          an end goes from place i to place j among the others
//! contract i, j        two ends (not mates) are joined: their mates become mates
//! create i, j          a new pair of mates appears at places i and j
//! ```
//!
//! For `n <= TABLED` the index maps are tables of 16-bit numbers (some 400 kB
//! in all, at home in the second cache). Greater `n` are taken apart by the mate
//! of point 0 into contiguous sub-blocks of `n - 2` points, which needs no
//! tables at all and costs the same per weight.

use std::collections::HashMap;

use super::kernel::{add, gather, scatter};
use super::weight::{Weight, Widen};

/// Greatest number of ends whose index maps are tables.
pub const TABLED: usize = 10;

/// Greatest number of ends a block can have: `27!!` entries are beyond any memory.
pub const MOST: usize = 26;

/// `SIZE[n]`: number of perfect matchings of `n` points, 0 for odd `n`.
pub const SIZE: [u64; MOST + 1] = {
    let mut size = [0; MOST + 1];
    size[0] = 1;
    let mut n = 2;
    while n <= MOST {
        size[n] = size[n - 2] * (n as u64 - 1);
        n += 2;
    }
    size
};

/// `SIZE[n]` as a length.
#[inline(always)]
#[must_use]
pub const fn size(n: usize) -> usize {
    SIZE[n] as usize
}

/// The matching of `n` points of the given rank, as each point's mate.
#[must_use]
pub fn unrank(n: usize, mut rank: usize) -> Vec<u8> {
    let mut free: Vec<u8> = (0..n as u8).collect();
    let mut mates = vec![0; n];
    while !free.is_empty() {
        let block = size(free.len() - 2);
        let mate = free.remove(1 + rank / block);
        let first = free.remove(0);
        rank %= block;
        mates[usize::from(first)] = mate;
        mates[usize::from(mate)] = first;
    }
    mates
}

/// Index maps of all moves, contractions and creations of up to [`TABLED`] ends.
#[derive(Debug)]
pub struct Tables {
    /// Per `n`, for `(i, j)` at `i * n + j`: `SIZE[n]` source ranks.
    moves: Vec<Vec<u16>>,
    /// Per source `n`, for `(i, j)` at `i * n + j`: `n - 2` planes of `SIZE[n-2]` source ranks.
    contracts: Vec<Vec<u16>>,
    /// Per target `n`, for `(i, j)` at `i * n + j`: `SIZE[n-2]` target ranks.
    creates: Vec<Vec<u16>>,
}

impl Tables {
    /// Tables for up to `most` ends, at most [`TABLED`]. Cost some 3 ms for 10.
    #[must_use]
    pub fn new(most: usize) -> Self {
        let most = most.min(TABLED);
        let mut tables = Self {
            moves: vec![vec![]; TABLED + 1],
            contracts: vec![vec![]; TABLED + 1],
            creates: vec![vec![]; TABLED + 1],
        };
        for n in (2..=most).step_by(2) {
            let all: Vec<Vec<u8>> = (0..size(n)).map(|r| unrank(n, r)).collect();
            let fewer: Vec<Vec<u8>> = (0..size(n - 2)).map(|r| unrank(n - 2, r)).collect();
            tables.moves[n] = move_tables(n, &all);
            tables.contracts[n] = contract_tables(n, &fewer);
            tables.creates[n] = create_tables(n, &fewer);
        }
        tables
    }

    #[inline(always)]
    fn moving(&self, n: usize, i: usize, j: usize) -> &[u16] {
        &self.moves[n][(i * n + j) * size(n)..][..size(n)]
    }

    #[inline(always)]
    fn contracting(&self, n: usize, i: usize, j: usize) -> &[u16] {
        let len = (n - 2) * size(n - 2);
        &self.contracts[n][(i * n + j) * len..][..len]
    }

    #[inline(always)]
    fn creating(&self, n: usize, i: usize, j: usize) -> &[u16] {
        &self.creates[n][(i * n + j) * size(n - 2)..][..size(n - 2)]
    }
}

fn move_tables(n: usize, all: &[Vec<u8>]) -> Vec<u16> {
    let mut table = Vec::with_capacity(n * n * all.len());
    for i in 0..n {
        for j in 0..n {
            // Target place -> source place.
            let place = |p: usize| {
                if p == j {
                    i
                } else {
                    let c = p - usize::from(p > j);
                    c + usize::from(c >= i)
                }
            };
            for target in all {
                let mut source = [0u8; TABLED];
                for (p, &mate) in target.iter().enumerate() {
                    source[place(p)] = place(usize::from(mate)) as u8;
                }
                table.push(rank(&source[..n]) as u16);
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
            let place = |p: usize| {
                let q = p + usize::from(p >= i);
                q + usize::from(q >= j)
            };
            // Plane p: the end at i was the mate of target point p, the one at j of p's mate.
            for p in 0..n - 2 {
                for target in fewer {
                    let mut source = [0u8; TABLED];
                    for (q, &mate) in target.iter().enumerate() {
                        source[place(q)] = place(usize::from(mate)) as u8;
                    }
                    let (a, b) = (place(p), place(usize::from(target[p])));
                    (source[i], source[a]) = (a as u8, i as u8);
                    (source[j], source[b]) = (b as u8, j as u8);
                    table.push(rank(&source[..n]) as u16);
                }
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
            let place = |p: usize| {
                let q = p + usize::from(p >= i);
                q + usize::from(q >= j)
            };
            for source in fewer {
                let mut target = [0u8; TABLED];
                for (q, &mate) in source.iter().enumerate() {
                    target[place(q)] = place(usize::from(mate)) as u8;
                }
                (target[i], target[j]) = (j as u8, i as u8);
                table.push(rank(&target[..n]) as u16);
            }
        }
    }
    table
}

/// Rank of a matching given as each point's mate, for up to 16 points.
fn rank(mates: &[u8]) -> usize {
    let mut free = (1u32 << mates.len()) - 1;
    let mut rank = 0;
    while free != 0 {
        let first = free.trailing_zeros();
        let mate = mates[first as usize];
        free &= free - 1;
        let place = (free & ((1 << mate) - 1)).count_ones();
        free &= !(1 << mate);
        rank += place as usize * size(free.count_ones() as usize);
    }
    rank
}

/// `dst += src` with the end at place `i` of the source at place `j` of the target.
/// Both have `SIZE[n]` entries. Returns the OR of the sums.
#[inline(always)]
pub fn add_moved<S: Weight, T: Widen<S> + Widen<T>>(
    tables: &Tables,
    dst: &mut [T],
    src: &[S],
    (n, i, j): (usize, usize, usize),
) -> T {
    if i == j {
        add(dst, src)
    } else if n <= TABLED {
        assert_eq!(src.len(), size(n));
        // SAFETY: entries of a move table for n ends are ranks below SIZE[n].
        unsafe { gather(dst, src, tables.moving(n, i, j)) }
    } else {
        add_moved_apart(tables, dst, src, (n, i, j))
    }
}

/// [`add_moved`] by the mate of point 0.
#[inline(never)]
fn add_moved_apart<S: Weight, T: Widen<S> + Widen<T>>(
    tables: &Tables,
    dst: &mut [T],
    src: &[S],
    (n, i, j): (usize, usize, usize),
) -> T {
    if i == 0 {
        // First to place 1, then on to j.
        let swapped = first_two_swapped(src, n);
        return add_moved(tables, dst, &swapped, (n, 1, j));
    }
    if j == 0 {
        let mut there = vec![T::default(); dst.len()];
        let seen = add_moved(tables, &mut there, src, (n, i, 1));
        return seen.or(add(dst, &first_two_swapped(&there, n)));
    }
    let len = size(n - 2);
    let mut seen = T::default();
    for (block, a) in dst.chunks_exact_mut(len).zip(1..n) {
        let sum = if a == j {
            add(block, &src[(i - 1) * len..i * len])
        } else {
            let common = a - usize::from(a > j);
            let from = common + usize::from(common >= i);
            let places = (n - 2, i - 1 - usize::from(from < i), j - 1 - usize::from(a < j));
            add_moved(tables, block, &src[(from - 1) * len..from * len], places)
        };
        seen = seen.or(sum);
    }
    seen
}

/// A block with points 0 and 1 exchanged: only the two leading digits of a rank change.
fn first_two_swapped<W: Weight>(src: &[W], n: usize) -> Vec<W> {
    let (len, run) = (size(n - 2), size(n - 4));
    let mut dst = src.to_vec();
    for a in 2..n {
        for b in (2..n).filter(|&b| b != a) {
            let from = (a - 1) * len + (b - 2 - usize::from(b > a)) * run;
            let to = (b - 1) * len + (a - 2 - usize::from(a > b)) * run;
            dst[to..to + run].copy_from_slice(&src[from..from + run]);
        }
    }
    dst
}

/// `dst += src` with the ends at places `i < j` of the source joined; matchings in which
/// they are mates (a cycle would close) are left out, except for the last pair of all (`n = 2`).
/// `src` has `SIZE[n]` entries, `dst` has `SIZE[n-2]`. Returns the OR of the sums.
#[inline(always)]
pub fn add_contracted<S: Weight, T: Widen<S> + Widen<T>>(
    tables: &Tables,
    dst: &mut [T],
    src: &[S],
    (n, i, j): (usize, usize, usize),
) -> T {
    debug_assert!(i < j && j < n);
    if n == 2 {
        add(dst, src)
    } else if n <= TABLED {
        assert_eq!(src.len(), size(n));
        let mut seen = T::default();
        for plane in tables.contracting(n, i, j).chunks_exact(dst.len()) {
            // SAFETY: entries of a contraction table for n ends are ranks below SIZE[n].
            seen = seen.or(unsafe { gather(dst, src, plane) });
        }
        seen
    } else {
        add_contracted_apart(tables, dst, src, (n, i, j))
    }
}

/// [`add_contracted`] by the mate of point 0.
#[inline(never)]
fn add_contracted_apart<S: Weight, T: Widen<S> + Widen<T>>(
    tables: &Tables,
    dst: &mut [T],
    src: &[S],
    (n, i, j): (usize, usize, usize),
) -> T {
    let (len, short) = (size(n - 2), size(n - 4));
    let mut seen = T::default();
    for (block, a) in src.chunks_exact(len).zip(1..n) {
        let sum = if i == 0 {
            if a == j {
                continue;
            }
            let (from, to) = (j - 1 - usize::from(a < j), a - 1 - usize::from(a > j));
            add_moved(tables, dst, block, (n - 2, from, to))
        } else if a == i {
            add_moved(tables, dst, block, (n - 2, j - 2, 0))
        } else if a == j {
            add_moved(tables, dst, block, (n - 2, i - 1, 0))
        } else {
            let mate = a - usize::from(a > i) - usize::from(a > j);
            let places = (n - 2, i - 1 - usize::from(a < i), j - 1 - usize::from(a < j));
            add_contracted(tables, &mut dst[(mate - 1) * short..mate * short], block, places)
        };
        seen = seen.or(sum);
    }
    seen
}

/// `dst += src` with a new pair of mates at places `i < j` of the target.
/// `src` has `SIZE[n-2]` entries, `dst` has `SIZE[n]`. Returns the OR of the sums.
#[inline(always)]
pub fn add_created<S: Weight, T: Widen<S> + Widen<T>>(
    tables: &Tables,
    dst: &mut [T],
    src: &[S],
    (n, i, j): (usize, usize, usize),
) -> T {
    debug_assert!(i < j && j < n);
    if i == 0 {
        add(&mut dst[(j - 1) * src.len()..j * src.len()], src)
    } else if n <= TABLED {
        assert_eq!(dst.len(), size(n));
        // SAFETY: entries of a creation table for n ends are ranks below SIZE[n].
        unsafe { scatter(dst, src, tables.creating(n, i, j)) }
    } else {
        add_created_apart(tables, dst, src, (n, i, j))
    }
}

/// [`add_created`] by the mate of point 0.
#[inline(never)]
fn add_created_apart<S: Weight, T: Widen<S> + Widen<T>>(
    tables: &Tables,
    dst: &mut [T],
    src: &[S],
    (n, i, j): (usize, usize, usize),
) -> T {
    let (len, short) = (size(n - 2), size(n - 4));
    let mut seen = T::default();
    for (block, a) in dst.chunks_exact_mut(len).zip(1..n) {
        if a == i || a == j {
            continue;
        }
        let mate = a - usize::from(a > i) - usize::from(a > j);
        let places = (n - 2, i - 1 - usize::from(a < i), j - 1 - usize::from(a < j));
        let sum = add_created(tables, block, &src[(mate - 1) * short..mate * short], places);
        seen = seen.or(sum);
    }
    seen
}

/// Index maps of arbitrary permutations of the ends, made when first asked for.
#[derive(Debug, Default)]
pub struct Permutations {
    tables: HashMap<u64, Vec<u16>>,
}

impl Permutations {
    /// `dst += src` with the end at place `p` of the target taken from place `from[p]` of the source.
    /// Both have `SIZE[n]` entries, `n = from.len()`. Returns the OR of the sums.
    pub fn add_permuted<W: Weight + Widen<W>>(
        &mut self,
        tables: &Tables,
        dst: &mut [W],
        src: &[W],
        from: &[u8],
    ) -> W {
        let n = from.len();
        if from.iter().enumerate().all(|(p, &q)| p == usize::from(q)) {
            return add(dst, src);
        }
        if n > TABLED {
            return add(dst, &permuted_by_moves(tables, src, from));
        }
        assert_eq!(src.len(), size(n));
        let key = from.iter().fold(1, |key, &q| key << 4 | u64::from(q));
        let table = self.tables.entry(key).or_insert_with(|| permutation_table(from));
        // SAFETY: entries of a permutation table for n ends are ranks below SIZE[n].
        unsafe { gather(dst, src, table) }
    }
}

fn permutation_table(from: &[u8]) -> Vec<u16> {
    let n = from.len();
    let source_rank = |target| {
        let mut source = [0u8; TABLED];
        for (p, &mate) in unrank(n, target).iter().enumerate() {
            source[usize::from(from[p])] = from[usize::from(mate)];
        }
        rank(&source[..n]) as u16
    };
    (0..size(n)).map(source_rank).collect()
}

/// A block permuted by moving one end at a time to its place, lowest place first.
fn permuted_by_moves<W: Weight + Widen<W>>(tables: &Tables, src: &[W], from: &[u8]) -> Vec<W> {
    let mut now: Vec<u8> = (0..from.len() as u8).collect();
    let mut block = src.to_vec();
    for (place, &wanted) in from.iter().enumerate() {
        let at = now.iter().position(|&q| q == wanted).expect("a permutation");
        if at != place {
            let mut moved = vec![W::default(); block.len()];
            add_moved(tables, &mut moved, &block, (from.len(), at, place));
            block = moved;
            now.remove(at);
            now.insert(place, wanted);
        }
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same maps on explicit matchings, as an oracle.
    fn naive_move(mates: &[u8], i: usize, j: usize) -> Vec<u8> {
        let mut order: Vec<usize> = (0..mates.len()).filter(|&p| p != i).collect();
        order.insert(j, i);
        let place = |p: u8| order.iter().position(|&q| q == usize::from(p)).unwrap() as u8;
        order.iter().map(|&p| place(mates[p])).collect()
    }

    fn naive_contract(mates: &[u8], i: usize, j: usize) -> Option<Vec<u8>> {
        let mut mates = mates.to_vec();
        if usize::from(mates[i]) == j {
            return None;
        }
        let (a, b) = (mates[i], mates[j]);
        (mates[usize::from(a)], mates[usize::from(b)]) = (b, a);
        let kept: Vec<usize> = (0..mates.len()).filter(|&p| p != i && p != j).collect();
        let place = |p: u8| kept.iter().position(|&q| q == usize::from(p)).unwrap() as u8;
        Some(kept.iter().map(|&p| place(mates[p])).collect())
    }

    fn numbers(len: usize) -> Vec<u32> {
        (0..len as u32).map(|x| x.wrapping_mul(2_654_435_761) >> 12).collect()
    }

    #[test]
    fn ranks_and_matchings_are_the_same_thing() {
        for n in [0, 2, 4, 6, 8] {
            for r in 0..size(n) {
                let mates = unrank(n, r);
                assert!(
                    mates
                        .iter()
                        .enumerate()
                        .all(|(p, &m)| usize::from(mates[usize::from(m)]) == p && usize::from(m) != p)
                );
                assert_eq!(rank(&mates), r);
            }
        }
    }

    #[test]
    fn blocks_map_as_single_matchings_do() {
        let tables = Tables::new(TABLED);
        for n in [2, 4, 6, 8, 10, 12] {
            let src = numbers(size(n));
            for i in 0..n {
                for j in 0..n {
                    let (mut fast, mut slow) = (vec![0u64; size(n)], vec![0u64; size(n)]);
                    add_moved(&tables, &mut fast, &src, (n, i, j));
                    let (mut fast2, mut slow2) = (vec![0u64; size(n - 2)], vec![0u64; size(n - 2)]);
                    if i < j && n > 2 {
                        add_contracted(&tables, &mut fast2, &src, (n, i, j));
                    }
                    for r in 0..size(n) {
                        let mates = unrank(n, r);
                        slow[rank(&naive_move(&mates, i, j))] += u64::from(src[r]);
                        if let Some(m) = naive_contract(&mates, i, j).filter(|_| i < j && n > 2) {
                            slow2[rank(&m)] += u64::from(src[r]);
                        }
                    }
                    assert_eq!(fast, slow, "move {n} {i} {j}");
                    assert_eq!(fast2, slow2, "contract {n} {i} {j}");
                }
            }
        }
    }

    #[test]
    fn created_pairs_are_mates() {
        let tables = Tables::new(TABLED);
        for n in [2, 4, 8, 12] {
            let src = numbers(size(n - 2));
            for j in 1..n {
                for i in 0..j {
                    let mut dst = vec![0u32; size(n)];
                    add_created(&tables, &mut dst, &src, (n, i, j));
                    let mut total = 0;
                    for (r, &w) in dst.iter().enumerate().filter(|&(_, &w)| w > 0) {
                        let mut mates = unrank(n, r);
                        assert_eq!(usize::from(mates[i]), j);
                        mates.remove(j);
                        mates.remove(i);
                        let lower = |p: u8| p - u8::from(usize::from(p) > i) - u8::from(usize::from(p) > j);
                        mates.iter_mut().for_each(|m| *m = lower(*m));
                        assert_eq!(w, src[rank(&mates)]);
                        total += 1;
                    }
                    assert_eq!(total, src.iter().filter(|&&w| w > 0).count());
                }
            }
        }
    }

    #[test]
    fn permutations_by_table_and_by_moves_agree() {
        let tables = Tables::new(TABLED);
        let mut permutations = Permutations::default();
        let from = [3, 2, 5, 0, 7, 1, 4, 6, 9, 8];
        let src = numbers(size(10));
        let mut dst = vec![0; size(10)];
        permutations.add_permuted(&tables, &mut dst, &src, &from);
        assert_eq!(dst, permuted_by_moves(&tables, &src, &from));
        let long: Vec<u8> = from.iter().copied().chain([11, 10]).collect();
        let src = numbers(size(12));
        let once = permuted_by_moves(&tables, &src, &long);
        let mut back = vec![0; 12];
        long.iter().enumerate().for_each(|(p, &q)| back[usize::from(q)] = p as u8);
        assert_eq!(permuted_by_moves(&tables, &once, &back), src);
    }
}
