//! Index maps of moves, contractions and creations as tables of 16-bit numbers.
//!
//! ```text
//! moving(n, i, j)[x]        the source index that goes to target index x
//! contracting(n, i, j)[p][x]  the source index in which the end at i was the mate of target point p
//! creating(n, i, j)[y]      the target index that source index y goes to
//! contracted(n, i, j)[y]    the target index that source index y goes to, if it does
//! ```
//!
//! Up to 10 ends they take some 500 kB together and 3 ms to make.

use crate::frontier::block::part::NOWHERE;
use crate::frontier::state::matching::{index_of, matching_at, size};

/// Greatest number of ends whose index maps are tables.
pub const TABLED: usize = 10;

/// Two places among the ends of a block, counted from 0 in the order of their slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// Ends of the source or the target, whichever has more.
    pub n: u8,
    /// One place; the lower one, if both are of the same block.
    pub i: u8,
    /// The other.
    pub j: u8,
}

impl Places {
    /// Places `i` and `j` among `n` ends.
    #[inline(always)]
    #[must_use]
    pub const fn new(n: usize, i: usize, j: usize) -> Self {
        Self { n: n as u8, i: i as u8, j: j as u8 }
    }

    /// The numbers `n`, `i` and `j` as indices.
    #[inline(always)]
    #[must_use]
    pub fn numbers(self) -> (usize, usize, usize) {
        (self.n.into(), self.i.into(), self.j.into())
    }
}

/// Index maps of all moves, contractions and creations of up to [`TABLED`] ends.
#[derive(Debug)]
pub struct Tables {
    /// Per `n`, for `(i, j)` at `i * n + j`: `SIZE[n]` source indices.
    moves: Vec<Vec<u16>>,
    /// Per source `n`, for `(i, j)` at `i * n + j`: `n - 2` planes of `SIZE[n-2]` source indices.
    contracts: Vec<Vec<u16>>,
    /// Per target `n`, for `(i, j)` at `i * n + j`: `SIZE[n-2]` target indices.
    creates: Vec<Vec<u16>>,
    /// Per source `n`, for `(i, j)` at `i * n + j`: `SIZE[n]` target indices.
    contracted: Vec<Vec<u16>>,
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
            contracted: vec![vec![]; TABLED + 1],
        };
        for n in (2..=most).step_by(2) {
            let all: Vec<Vec<u8>> = (0..size(n)).map(|r| matching_at(n, r)).collect();
            let fewer: Vec<Vec<u8>> = (0..size(n - 2)).map(|r| matching_at(n - 2, r)).collect();
            tables.moves[n] = move_tables(n, &all);
            tables.contracts[n] = contract_tables(n, &fewer);
            tables.contracted[n] = contracted_tables(n, &tables.contracts[n]);
            tables.creates[n] = create_tables(n, &fewer);
        }
        tables
    }

    /// Source indices of a move from place `i` to place `j`, by target index.
    #[inline(always)]
    #[must_use]
    pub fn moving(&self, places: Places) -> &[u16] {
        let (n, i, j) = places.numbers();
        &self.moves[n][(i * n + j) * size(n)..][..size(n)]
    }

    /// Source indices of a contraction of places `i < j` of `n`, by target index, one plane after the other.
    #[inline(always)]
    #[must_use]
    pub fn contracting(&self, places: Places) -> &[u16] {
        let (n, i, j) = places.numbers();
        let len = (n - 2) * size(n - 2);
        &self.contracts[n][(i * n + j) * len..][..len]
    }

    /// Target indices of a contraction of places `i < j` of `n`, by source index; [`NOWHERE`] where they are mates.
    #[inline(always)]
    #[must_use]
    pub fn contracted(&self, places: Places) -> &[u16] {
        let (n, i, j) = places.numbers();
        &self.contracted[n][(i * n + j) * size(n)..][..size(n)]
    }

    /// Target indices of a new pair at places `i < j` of `n`, by source index.
    #[inline(always)]
    #[must_use]
    pub fn creating(&self, places: Places) -> &[u16] {
        let (n, i, j) = places.numbers();
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
                table.push(index_of(&source[..n]) as u16);
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
                    table.push(index_of(&source[..n]) as u16);
                }
            }
        }
    }
    table
}

/// The tables of contractions turned round.
fn contracted_tables(n: usize, contracts: &[u16]) -> Vec<u16> {
    let mut table = vec![NOWHERE; n * n * size(n)];
    let (planes, targets) = (n - 2, size(n - 2));
    for i in 0..n {
        for j in i + 1..n {
            let pair = i * n + j;
            let sources = &contracts[pair * planes * targets..][..planes * targets];
            for (place, &source) in sources.iter().enumerate() {
                table[pair * size(n) + usize::from(source)] = (place % targets) as u16;
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
                table.push(index_of(&target[..n]) as u16);
            }
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_there_and_back_changes_nothing() {
        let tables = Tables::new(8);
        for (i, j) in [(0, 7), (3, 5), (6, 1), (4, 4)] {
            let (there, back) = (tables.moving(Places::new(8, i, j)), tables.moving(Places::new(8, j, i)));
            assert!((0..size(8)).all(|x| usize::from(there[usize::from(back[x])]) == x), "{i} {j}");
        }
    }

    #[test]
    fn every_matching_is_contracted_unless_a_cycle_would_close() {
        let tables = Tables::new(8);
        let mut sources = tables.contracting(Places::new(8, 2, 5)).to_vec();
        sources.sort_unstable();
        let open = (0..size(8)).filter(|&x| matching_at(8, x)[2] != 5).map(|x| x as u16);
        assert!(sources.into_iter().eq(open));
        let places = Places::new(8, 2, 5);
        for (place, &source) in tables.contracting(places).iter().enumerate() {
            assert_eq!(usize::from(tables.contracted(places)[usize::from(source)]), place % size(6));
        }
        assert_eq!(tables.contracted(places).iter().filter(|&&target| target == NOWHERE).count(), size(6));
    }

    #[test]
    fn a_new_pair_is_made_once_for_every_matching() {
        let tables = Tables::new(8);
        let targets = tables.creating(Places::new(8, 1, 6));
        assert_eq!(targets.len(), size(6));
        assert!(targets.iter().all(|&x| matching_at(8, x.into())[1] == 6));
        assert!(targets.is_sorted_by(|a, b| a < b));
    }
}
