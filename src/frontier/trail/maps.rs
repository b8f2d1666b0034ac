//! Index maps of blocks, in the direction from a step's sources to its targets: for every matching before a
//! change, the index of the matching after it.
//!
//! Blocks with few ends are mapped by the tables of the sweep. The maps here are for larger blocks, and for
//! mirror images; they are built on first use and cached up to a reasonable size.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use crate::frontier::block::effects::Change;
use crate::frontier::state::matching::{index_of, matching_at, size};

/// Marks a matching that a change excludes.
pub const NONE: u32 = u32::MAX;

/// Largest number of ends of a block whose maps are cached.
const KEPT: usize = 14;

/// For every matching before a change, the index of the matching after it, or [`NO_MATCHING`].
pub type Map = Arc<Vec<u32>>;

/// A cache of index maps.
#[derive(Debug, Default)]
pub struct Maps {
    changes: RwLock<HashMap<(u8, Place), Map>>,
    mirrors: RwLock<HashMap<Vec<u8>, Map>>,
}

/// The points of a change, as a key.
type Place = (u8, u8, u8);

impl Maps {
    /// Returns the index map of a change of blocks with `n` ends before it; `None` for the identity.
    #[must_use]
    pub fn of(&self, change: Change, n: usize) -> Option<Map> {
        let (which, places) = match change {
            Change::Keep => return None,
            Change::Move(places) => (0, places),
            Change::Contract(places) => (1, places),
            Change::Create(places) => (2, places),
        };
        let key = (which, (places.n, places.i, places.j));
        if let Some(map) = self.changes.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Some(Arc::clone(map));
        }
        let map = Arc::new(made(change, n));
        if n <= KEPT {
            self.changes.write().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&map));
        }
        Some(map)
    }

    /// Returns, for every matching, the index of its mirror image; `image_points` maps every point to its image.
    #[must_use]
    pub fn mirrored(&self, places: &[u8]) -> Map {
        if let Some(map) = self.mirrors.read().unwrap_or_else(PoisonError::into_inner).get(places) {
            return Arc::clone(map);
        }
        let n = places.len();
        let image = |x: usize| {
            let mut mates = [0; 32];
            for (p, &mate) in matching_at(n, x).iter().enumerate() {
                mates[usize::from(places[p])] = places[usize::from(mate)];
            }
            index_of(&mates[..n]) as u32
        };
        let map = Arc::new((0..size(n)).map(image).collect::<Vec<u32>>());
        if n <= KEPT {
            self.mirrors
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(places.to_vec(), Arc::clone(&map));
        }
        map
    }
}

fn made(change: Change, n: usize) -> Vec<u32> {
    let after = |y: usize| -> u32 {
        let mates = matching_at(n, y);
        let mut result = [0; 32];
        match change {
            Change::Keep => y as u32,
            Change::Move(places) => {
                let (_, i, j) = places.numbers();
                // Maps a source point to its target point.
                let place = |p: usize| {
                    let common = p - usize::from(p > i);
                    if p == i { j } else { common + usize::from(common >= j) }
                };
                for (p, &mate) in mates.iter().enumerate() {
                    result[place(p)] = place(usize::from(mate)) as u8;
                }
                index_of(&result[..n]) as u32
            }
            Change::Contract(places) => {
                let (_, i, j) = places.numbers();
                if usize::from(mates[i]) == j {
                    // Two ends of one path may be joined in the last step only.
                    return if n == 2 { 0 } else { NONE };
                }
                let mut joined = mates.clone();
                let (a, b) = (mates[i], mates[j]);
                (joined[usize::from(a)], joined[usize::from(b)]) = (b, a);
                let place = |p: usize| p - usize::from(p > i) - usize::from(p > j);
                for (p, &mate) in joined.iter().enumerate().filter(|&(p, _)| p != i && p != j) {
                    result[place(p)] = place(usize::from(mate)) as u8;
                }
                index_of(&result[..n - 2]) as u32
            }
            Change::Create(places) => {
                let (_, i, j) = places.numbers();
                let place = |p: usize| {
                    let above = p + usize::from(p >= i);
                    above + usize::from(above >= j)
                };
                for (p, &mate) in mates.iter().enumerate() {
                    result[place(p)] = place(usize::from(mate)) as u8;
                }
                (result[i], result[j]) = (j as u8, i as u8);
                index_of(&result[..n + 2]) as u32
            }
        }
    };
    (0..size(n)).map(after).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::block::tables::{Places, Tables};

    /// The maps from sources are the inverses of the tables from targets.
    #[test]
    fn maps_agree_with_the_tables_of_sweeps() {
        let (tables, maps) = (Tables::new(8), Maps::default());
        for n in [2, 4, 6, 8] {
            for i in 0..n {
                for j in 0..n {
                    let places = Places::new(n, i, j);
                    let there = maps.of(Change::Move(places), n).unwrap();
                    let back = tables.moving(places);
                    assert!((0..size(n)).all(|y| usize::from(back[there[y] as usize]) == y));
                    if i >= j {
                        continue;
                    }
                    let created = maps.of(Change::Create(places), n - 2).unwrap();
                    assert!(created.iter().zip(tables.creating(places)).all(|(&x, &y)| x == u32::from(y)));
                    if n > 2 {
                        let joined = maps.of(Change::Contract(places), n).unwrap();
                        for (at, &y) in tables.contracting(places).iter().enumerate() {
                            assert_eq!(joined[usize::from(y)] as usize, at % size(n - 2));
                        }
                        assert_eq!(joined.iter().filter(|&&x| x == NONE).count(), size(n - 2));
                    }
                }
            }
        }
        let there = maps.mirrored(&[2, 0, 1, 5, 3, 4]);
        let back = maps.mirrored(&[1, 2, 0, 4, 5, 3]);
        assert!((0..size(6)).all(|x| back[there[x] as usize] as usize == x));
    }
}
