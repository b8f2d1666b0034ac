//! The reducer: adds up what the units found.
//!
//! Paths are tallied by the orbit of their ends. A class of `size` pairs {v, w},
//! or a root of an orbit with ends in an orbit, brings directed paths from the
//! orbit of v and as many from the orbit of w:
//!
//! ```text
//! directed[orbit of v] += size * count        sum of all = directed paths
//! directed[orbit of w] += size * count        each divided by its orbit's size
//!                                             = directed paths from one square
//! ```
//!
//! All sums are u128 and checked.

use super::CountError;

/// Sums of directed paths by the orbit of their start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Which orbit each vertex is in.
    orbit_of: Vec<usize>,
    orbits: Vec<Vec<u32>>,
    /// Directed paths from all squares of each orbit together.
    directed: Vec<u128>,
    /// Those of them whose ends are a move apart.
    re_entrant: Vec<u128>,
}

impl Tally {
    /// Nothing counted yet; `orbits` partition the vertices.
    #[must_use]
    pub fn new(orbits: Vec<Vec<u32>>) -> Self {
        let mut orbit_of = vec![0; orbits.iter().map(Vec::len).sum()];
        for (i, orbit) in orbits.iter().enumerate() {
            for &v in orbit {
                orbit_of[v as usize] = i;
            }
        }
        let zeros = vec![0; orbits.len()];
        Self { orbit_of, orbits, directed: zeros.clone(), re_entrant: zeros }
    }

    /// Adds `count` undirected paths, all of which have an end in the orbit of `v` and one in that of `w`.
    ///
    /// # Errors
    /// [`CountError::Overflow`] if a sum leaves u128.
    pub fn add(&mut self, (v, w): (u32, u32), re_entrant: bool, count: u128) -> Result<(), CountError> {
        self.add_directed(v, re_entrant, count)?;
        self.add_directed(w, re_entrant, count)
    }

    /// Adds `count` directed paths from the orbit of `v`.
    ///
    /// # Errors
    /// [`CountError::Overflow`] if a sum leaves u128.
    pub fn add_directed(&mut self, v: u32, re_entrant: bool, count: u128) -> Result<(), CountError> {
        let orbit = self.orbit_of[v as usize];
        add(&mut self.directed[orbit], count)?;
        if re_entrant {
            add(&mut self.re_entrant[orbit], count)?;
        }
        Ok(())
    }

    /// The orbits, as given.
    #[must_use]
    pub fn orbits(&self) -> &[Vec<u32>] {
        &self.orbits
    }

    /// The number of the orbit of a vertex.
    #[must_use]
    pub fn orbit_of(&self, v: usize) -> usize {
        self.orbit_of[v]
    }

    /// Directed paths and re-entrant ones among them, from each orbit as a whole.
    pub fn by_orbit(&self) -> impl Iterator<Item = (u128, u128)> + '_ {
        self.directed.iter().copied().zip(self.re_entrant.iter().copied())
    }

    /// Directed paths, and re-entrant ones among them.
    ///
    /// # Errors
    /// [`CountError::Overflow`] if a sum leaves u128.
    pub fn total(&self) -> Result<(u128, u128), CountError> {
        let (mut paths, mut re_entrant) = (0, 0);
        for (p, r) in self.by_orbit() {
            add(&mut paths, p)?;
            add(&mut re_entrant, r)?;
        }
        Ok((paths, re_entrant))
    }
}

/// `sum += count`, or an error.
pub(super) fn add(sum: &mut u128, count: u128) -> Result<(), CountError> {
    *sum = sum.checked_add(count).ok_or(CountError::Overflow)?;
    Ok(())
}

/// `count * factor`, or an error.
pub(super) fn times(count: u128, factor: u64) -> Result<u128, CountError> {
    count.checked_mul(u128::from(factor)).ok_or(CountError::Overflow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_tallied() {
        let mut tally = Tally::new(vec![vec![0, 2], vec![1]]);
        tally.add((0, 1), false, 5).unwrap();
        tally.add((0, 2), true, 3).unwrap();
        assert_eq!(tally.by_orbit().collect::<Vec<_>>(), [(11, 6), (5, 0)]);
        assert_eq!(tally.total().unwrap(), (16, 6));
    }

    #[test]
    fn a_carry_out_of_u128_is_an_error() {
        let mut tally = Tally::new(vec![vec![0], vec![1]]);
        tally.add((0, 1), false, u128::MAX).unwrap();
        assert!(matches!(tally.add((0, 1), false, 1), Err(CountError::Overflow)));
        assert!(tally.total().is_err());
        assert!(times(u128::MAX, 2).is_err());
    }
}
