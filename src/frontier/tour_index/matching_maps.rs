//! Index maps of blocks, in the direction from a step's sources to its targets: for every matching before a
//! change, the index of the matching after it.
//!
//! Blocks with few ends are mapped by the tables of the sweep. The maps here are for larger blocks, and for
//! mirror images; they are built on first use and cached up to a reasonable size.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use crate::frontier::signature::matching_rank::{matching_count, matching_from_index, matching_index};
use crate::frontier::weights::matching_map::MatchingMap;

/// Marks a matching that a change excludes.
pub const NO_MATCHING: u32 = u32::MAX;

/// Largest number of ends of a block whose maps are cached.
const MAX_CACHED_ENDS: usize = 14;

/// For every matching before a change, the index of the matching after it, or [`NO_MATCHING`].
pub type IndexMap = Arc<Vec<u32>>;

/// A cache of index maps.
#[derive(Debug, Default)]
pub struct MapCache {
    changes: RwLock<HashMap<(u8, PointsKey), IndexMap>>,
    mirrors: RwLock<HashMap<Vec<u8>, IndexMap>>,
}

/// The points of a change, as a key.
type PointsKey = (u8, u8, u8);

impl MapCache {
    /// Returns the index map of a change of blocks with `n` ends before it; `None` for the identity.
    #[must_use]
    pub fn change_map(&self, change: MatchingMap, n: usize) -> Option<IndexMap> {
        let (which, places) = match change {
            MatchingMap::Identity => return None,
            MatchingMap::Move(places) => (0, places),
            MatchingMap::Contract(places) => (1, places),
            MatchingMap::Create(places) => (2, places),
        };
        let key = (which, (places.n, places.i, places.j));
        if let Some(map) = self.changes.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Some(Arc::clone(map));
        }
        let map = Arc::new(build_map(change, n));
        if n <= MAX_CACHED_ENDS {
            self.changes.write().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&map));
        }
        Some(map)
    }

    /// Returns, for every matching, the index of its mirror image; `image_points` maps every point to its image.
    #[must_use]
    pub fn mirror_map(&self, image_points: &[u8]) -> IndexMap {
        if let Some(map) = self.mirrors.read().unwrap_or_else(PoisonError::into_inner).get(image_points) {
            return Arc::clone(map);
        }
        let n = image_points.len();
        let image = |x: usize| {
            let mut mates = [0; 32];
            for (p, &mate) in matching_from_index(n, x).iter().enumerate() {
                mates[usize::from(image_points[p])] = image_points[usize::from(mate)];
            }
            matching_index(&mates[..n]) as u32
        };
        let map = Arc::new((0..matching_count(n)).map(image).collect::<Vec<u32>>());
        if n <= MAX_CACHED_ENDS {
            self.mirrors
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(image_points.to_vec(), Arc::clone(&map));
        }
        map
    }
}

fn build_map(change: MatchingMap, n: usize) -> Vec<u32> {
    let after = |y: usize| -> u32 {
        let mates = matching_from_index(n, y);
        let mut result = [0; 32];
        match change {
            MatchingMap::Identity => y as u32,
            MatchingMap::Move(places) => {
                let (_, i, j) = places.to_indices();
                // Maps a source point to its target point.
                let place = |p: usize| {
                    let common = p - usize::from(p > i);
                    if p == i { j } else { common + usize::from(common >= j) }
                };
                for (p, &mate) in mates.iter().enumerate() {
                    result[place(p)] = place(usize::from(mate)) as u8;
                }
                matching_index(&result[..n]) as u32
            }
            MatchingMap::Contract(places) => {
                let (_, i, j) = places.to_indices();
                if usize::from(mates[i]) == j {
                    // Two ends of one path may be joined in the last step only.
                    return if n == 2 { 0 } else { NO_MATCHING };
                }
                let mut joined = mates.clone();
                let (a, b) = (mates[i], mates[j]);
                (joined[usize::from(a)], joined[usize::from(b)]) = (b, a);
                let place = |p: usize| p - usize::from(p > i) - usize::from(p > j);
                for (p, &mate) in joined.iter().enumerate().filter(|&(p, _)| p != i && p != j) {
                    result[place(p)] = place(usize::from(mate)) as u8;
                }
                matching_index(&result[..n - 2]) as u32
            }
            MatchingMap::Create(places) => {
                let (_, i, j) = places.to_indices();
                let place = |p: usize| {
                    let above = p + usize::from(p >= i);
                    above + usize::from(above >= j)
                };
                for (p, &mate) in mates.iter().enumerate() {
                    result[place(p)] = place(usize::from(mate)) as u8;
                }
                (result[i], result[j]) = (j as u8, i as u8);
                matching_index(&result[..n + 2]) as u32
            }
        }
    };
    (0..matching_count(n)).map(after).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::weights::matching_tables::{MapTables, PointPair};

    /// The maps from sources are the inverses of the tables from targets.
    #[test]
    fn change_maps_agree_with_the_tables_of_sweeps() {
        let (tables, maps) = (MapTables::new(8), MapCache::default());
        for n in [2, 4, 6, 8] {
            for i in 0..n {
                for j in 0..n {
                    let places = PointPair::new(n, i, j);
                    let there = maps.change_map(MatchingMap::Move(places), n).unwrap();
                    let back = tables.move_sources(places);
                    assert!((0..matching_count(n)).all(|y| usize::from(back[there[y] as usize]) == y));
                    if i >= j {
                        continue;
                    }
                    let created = maps.change_map(MatchingMap::Create(places), n - 2).unwrap();
                    assert!(
                        created.iter().zip(tables.create_targets(places)).all(|(&x, &y)| x == u32::from(y))
                    );
                    if n > 2 {
                        let joined = maps.change_map(MatchingMap::Contract(places), n).unwrap();
                        for (at, &y) in tables.contract_sources(places).iter().enumerate() {
                            assert_eq!(joined[usize::from(y)] as usize, at % matching_count(n - 2));
                        }
                        assert_eq!(
                            joined.iter().filter(|&&x| x == NO_MATCHING).count(),
                            matching_count(n - 2)
                        );
                    }
                }
            }
        }
        let there = maps.mirror_map(&[2, 0, 1, 5, 3, 4]);
        let back = maps.mirror_map(&[1, 2, 0, 4, 5, 3]);
        assert!((0..matching_count(6)).all(|x| back[there[x] as usize] as usize == x));
    }
}
