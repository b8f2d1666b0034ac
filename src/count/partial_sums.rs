//! Exact sums of the units' results, which can be added in any order; residues of the sums, and the
//! error for residues that contradict each other.
//!
//! Paths are summed by the orbits of their ends. A unit contributes undirected paths with one end
//! in the orbit of v and the other in the orbit of w, and thereby as many directed paths from each
//! of the two orbits:
//!
//! ```text
//! directed[orbit of v] += count        sum of all = directed paths
//! directed[orbit of w] += count        each divided by its orbit's size
//!                                      = directed paths from one square
//! ```
//!
//! The meaning of the sums depends on the engine: see [`ValidatedRequest`](super::ValidatedRequest).
//!
//! Sums have no upper limit (big integers). The sums of a shard are written to files as decimal
//! strings and added to those of other shards.
//!
//! The effort of searches and of sweeps is counted in the same fields.

use num_bigint::BigUint;
use num_traits::Zero;
use serde::{Deserialize, Serialize};

use crate::frontier::ResidueRing;

/// The numbers of tours that one unit counted, including the images of its tours under symmetries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitSums {
    /// Number of undirected closed tours.
    pub closed: BigUint,
    /// Numbers of paths, by the orbits of their ends.
    pub paths: Vec<EndOrbitCount>,
    /// Number of paths counted without regard to their ends. They are undirected, or directed if a
    /// start or end is fixed.
    pub unplaced: BigUint,
    /// Effort of the unit.
    pub effort: Effort,
}

/// The number of paths from one orbit of vertices to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndOrbitCount {
    /// Indices of the orbits that hold the two ends.
    pub orbits: (usize, usize),
    /// True if the two ends of every path are a move apart.
    pub is_re_entrant: bool,
    /// Number of undirected paths, or of directed paths from the first orbit if `is_directed` is
    /// true.
    pub count: BigUint,
    /// True if `count` counts only directed paths from the first orbit.
    pub is_directed: bool,
}

/// Sums of the results of units.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    /// Number of undirected closed tours.
    #[serde(with = "decimal")]
    pub closed: BigUint,
    /// For each orbit, the number of directed paths from all its squares together. An empty list
    /// stands for zeros.
    #[serde(with = "decimals", default, skip_serializing_if = "Vec::is_empty")]
    pub directed: Vec<BigUint>,
    /// For each orbit, the number of re-entrant paths among those of `directed`.
    #[serde(with = "decimals", default, skip_serializing_if = "Vec::is_empty")]
    pub re_entrant: Vec<BigUint>,
    /// Number of paths counted without regard to their ends. They are undirected, or directed if a
    /// start or end is fixed.
    #[serde(with = "decimal")]
    pub unplaced: BigUint,
    /// Effort of the units.
    #[serde(flatten)]
    pub effort: Effort,
}

impl Sums {
    /// Returns sums that are all zero, for `orbits` orbits of vertices.
    #[must_use]
    pub fn new(orbits: usize) -> Self {
        let zeros = vec![BigUint::zero(); orbits];
        Self { directed: zeros.clone(), re_entrant: zeros, ..Self::default() }
    }

    /// Adds the results of a unit to these sums.
    ///
    /// # Panics
    /// Panics if the unit names an orbit that does not exist.
    pub fn add_unit(&mut self, unit: &UnitSums) {
        self.closed += &unit.closed;
        self.unplaced += &unit.unplaced;
        for EndOrbitCount { orbits: (v, w), is_re_entrant: re_entrant, count, is_directed: directed } in
            &unit.paths
        {
            let both = [Some(*v), (!directed).then_some(*w)];
            for orbit in both.into_iter().flatten() {
                self.directed[orbit] += count;
                if *re_entrant {
                    self.re_entrant[orbit] += count;
                }
            }
        }
        self.effort.add(unit.effort);
    }

    /// Adds the sums of another part of the job to these sums. Returns false and adds nothing if
    /// the numbers of orbits differ.
    #[must_use]
    pub fn try_add(&mut self, other: &Self) -> bool {
        let have_equal_orbits =
            |a: &[BigUint], b: &[BigUint]| a.is_empty() || b.is_empty() || a.len() == b.len();
        if !have_equal_orbits(&self.directed, &other.directed)
            || !have_equal_orbits(&self.re_entrant, &other.re_entrant)
        {
            return false;
        }
        self.closed += &other.closed;
        self.unplaced += &other.unplaced;
        for (sums, more) in [(&mut self.directed, &other.directed), (&mut self.re_entrant, &other.re_entrant)]
        {
            sums.resize(sums.len().max(more.len()), BigUint::ZERO);
            for (sum, more) in sums.iter_mut().zip(more) {
                *sum += more;
            }
        }
        self.effort.add(other.effort);
        true
    }

    /// Returns a copy of the sums in which the lists by orbit are empty if they contain only zeros.
    /// This is so for closed tours and for most sweeps.
    #[must_use]
    pub fn without_zero_orbits(&self) -> Self {
        let mut sums = self.clone();
        for list in [&mut sums.directed, &mut sums.re_entrant] {
            if self.directed.iter().all(BigUint::is_zero) {
                list.clear();
            }
        }
        sums
    }

    /// Returns the number of tours. Tours that are counted by their ends are undirected unless one end is
    /// fixed; those are rounded.
    #[must_use]
    pub fn tours(&self) -> BigUint {
        &self.closed + &self.unplaced + self.directed.iter().sum::<BigUint>() / 2u32
    }

    /// Returns the number of directed paths, and the number of re-entrant paths among them.
    #[must_use]
    pub fn path_totals(&self) -> (BigUint, BigUint) {
        (self.directed.iter().sum(), self.re_entrant.iter().sum())
    }
}

/// Serialises a big integer as a decimal string.
mod decimal {
    use num_bigint::BigUint;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(number: &BigUint, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(number)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<BigUint, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// Serialises big integers as decimal strings.
mod decimals {
    use num_bigint::BigUint;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(numbers: &[BigUint], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(numbers.iter().map(ToString::to_string))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<BigUint>, D::Error> {
        let texts = Vec::<String>::deserialize(from)?;
        texts.iter().map(|text| text.parse().map_err(D::Error::custom)).collect()
    }
}

/// The amount of work done for some units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effort {
    /// Number of nodes visited in the search trees, without nodes that the transposition table
    /// saved; for sweeps, the number of states of all layers.
    pub nodes: u64,
    /// Number of tours found by a search, one per symmetry class as far as the units distinguish
    /// classes; for sweeps, the number of transitions.
    pub visited: u64,
    /// Number of states of the largest layer of a sweep; 0 for a search.
    pub peak_states: u64,
}

impl Effort {
    /// Adds the effort of other units to this effort.
    pub fn add(&mut self, other: Self) {
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.visited = self.visited.saturating_add(other.visited);
        self.peak_states = self.peak_states.max(other.peak_states);
    }
}

/// A contradiction between residues of one count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResidueError {
    /// One residue is wrong: without it the other residues agree, and they are enough to prove it
    /// wrong.
    #[error("the residue modulo {} contradicts the others; count it again", .0.modulus())]
    WrongResidue(ResidueRing),
    /// The residues are too few to identify the wrong one.
    #[error(
        "the residues contradict each other, and they are too few to find the wrong one; count modulo \
         another number"
    )]
    Ambiguous,
}

/// Residues, modulo one number, of the closed tours and the paths of a count.
#[derive(Clone, Copy, Debug)]
pub struct ResidueSums<'a> {
    /// The ring of integers modulo the modulus of the residues.
    pub ring: ResidueRing,
    /// Residue of the number of closed tours.
    pub closed: &'a BigUint,
    /// Residue of the number of paths.
    pub paths: &'a BigUint,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(orbits: (usize, usize), re_entrant: bool, count: u128, directed: bool) -> UnitSums {
        UnitSums {
            paths: vec![EndOrbitCount {
                orbits,
                is_re_entrant: re_entrant,
                count: count.into(),
                is_directed: directed,
            }],
            ..UnitSums::default()
        }
    }

    #[test]
    fn add_unit_adds_both_ends() {
        let mut sums = Sums::new(2);
        sums.add_unit(&unit((0, 1), false, 5, false));
        sums.add_unit(&unit((0, 0), true, 3, false));
        sums.add_unit(&unit((1, 1), true, 2, true));
        assert_eq!(sums.directed, [11u32.into(), 7u32.into()]);
        assert_eq!(sums.path_totals(), (18u32.into(), 8u32.into()));
    }

    #[test]
    fn sums_exceed_u128() {
        let mut sums = Sums::new(1);
        for _ in 0..3 {
            sums.add_unit(&unit((0, 0), false, u128::MAX, false));
        }
        assert_eq!(sums.path_totals().0, BigUint::from(u128::MAX) * 6u32);
    }

    #[test]
    fn try_add_rejects_other_orbits() {
        let mut sums = Sums::new(2);
        assert!(!sums.try_add(&Sums::new(3)));
        assert!(sums.try_add(&Sums::new(2)));
    }

    #[test]
    fn empty_orbit_lists_stand_for_zeros() {
        let mut sums = Sums::new(2);
        sums.closed = 7u32.into();
        let short = sums.without_zero_orbits();
        let text = serde_json::to_string(&short).unwrap();
        assert!(!text.contains("directed") && !text.contains("re_entrant"), "{text}");
        assert_eq!(serde_json::from_str::<Sums>(&text).unwrap(), short);
        sums.add_unit(&unit((0, 1), false, 5, false));
        assert_eq!(sums.without_zero_orbits(), sums);
        let (mut one, mut other) = (sums.clone(), short.clone());
        assert!(one.try_add(&short) && other.try_add(&sums));
        assert_eq!(one, other);
        assert_eq!((one.closed, one.directed), (14u32.into(), sums.directed));
    }

    #[test]
    fn sums_serialise_as_decimal_strings() {
        let mut sums = Sums::new(1);
        sums.closed = BigUint::from(u128::MAX) + 1u32;
        let text = serde_json::to_string(&sums).unwrap();
        assert!(text.contains(r#""closed":"340282366920938463463374607431768211456""#), "{text}");
        assert!(text.ends_with(r#""unplaced":"0","nodes":0,"visited":0,"peak_states":0}"#), "{text}");
        assert_eq!(serde_json::from_str::<Sums>(&text).unwrap(), sums);
    }

    #[test]
    fn add_sums_nodes_and_keeps_largest_layer() {
        let mut effort = Effort { nodes: 1, visited: u64::MAX, peak_states: 5 };
        effort.add(Effort { nodes: 2, visited: 3, peak_states: 4 });
        assert_eq!(effort, Effort { nodes: 3, visited: u64::MAX, peak_states: 5 });
    }
}
