//! Index maps of blocks as they are followed from a step's sources: for every matching before a change, the one after.
//!
//! Blocks of few ends are mapped by the [tables](crate::frontier::block::tables) of the sweep. These are for larger ones,
//! and for mirror images; they are made when first asked for and kept as long as they are of reasonable size.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use crate::frontier::block::effects::Change;
use crate::frontier::state::matching::{index_of, matching_at, size};

/// What no matching comes of.
pub const NONE: u32 = u32::MAX;

/// Most ends of a block whose maps are kept.
const KEPT: usize = 14;

/// For every matching before a change, the index of that after it, or [`NONE`].
pub type Map = Arc<Vec<u32>>;

/// Maps that were asked for.
#[derive(Debug, Default)]
pub struct Maps {
    changes: RwLock<HashMap<(u8, Place), Map>>,
    mirrors: RwLock<HashMap<Vec<u8>, Map>>,
}

/// Places as a key.
type Place = (u8, u8, u8);

impl Maps {
    /// The map of a change of blocks with `n` ends before it. [`Change::Keep`] has none.
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

    /// For every matching, the index of its mirror image, if the image of each end has this place.
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
                // Source place -> target place.
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
                    // Two ends of one path are joined last of all.
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

    /// The maps of sources are those of targets, turned round.
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
