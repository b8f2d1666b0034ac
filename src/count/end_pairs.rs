//! Numbers of open tours or paths by the pair of their ends.
//!
//! The symmetries of the board map pairs of squares to pairs of squares. All pairs of an orbit are the ends of
//! equally many tours, so one pair of each orbit is counted, with both ends fixed:
//!
//! ```text
//! tours = sum over the orbits of (number of pairs in the orbit) x (tours between the ends of one pair)
//! ```
//!
//! Cost: one count for each orbit, in the memory of a count. On 8x8 there are 278 orbits; the ends of 136 of them
//! have different colours, and such a count takes 10 to 25 s and 0.5 to 1.2 GiB on two cores. An index of all
//! paths from one square has the numbers of all pairs with this square, but takes four minutes and 15 GiB for a
//! corner of 8x8.

use std::collections::BTreeSet;

use num_bigint::BigUint;

use super::request::{Counts, Request, directed_count};
use super::several_counts::estimate_counts;
use super::{CountError, Engine, JobEstimate, count_with_memory, theorems};
use crate::board::{Board, PossibleEnds, Vertex, image_of_move};
use crate::control::Control;
use crate::tour::{Kind, TourSpec};

/// The number of tours between the ends of each pair of an orbit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EndPairCount {
    /// The lowest pair of the orbit, with its lower vertex first.
    pub ends: (Vertex, Vertex),
    /// Number of pairs in the orbit.
    pub pairs: usize,
    /// Number of undirected tours with the ends `ends`.
    pub tours: BigUint,
}

/// Numbers of tours by the pair of their ends: a row for each orbit of pairs under the symmetries of the board.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EndPairCounts {
    /// The orbits, by their lowest pairs. If the kind is open tours, pairs of squares that are a move apart are
    /// left out.
    pub orbits: Vec<EndPairCount>,
}

impl EndPairCounts {
    /// Counts the tours of a kind between all pairs of ends. `engine` makes each count; sweeps use at most
    /// `memory` bytes. Cost: one count for each orbit of pairs.
    ///
    /// # Errors
    /// See [`CountError`].
    ///
    /// # Panics
    /// If `kind` is [`Kind::Closed`]: a closed tour has no ends.
    pub fn count(
        board: &Board,
        kind: Kind,
        engine: Engine,
        memory: Option<u64>,
        control: &Control,
    ) -> Result<Self, CountError> {
        assert!(kind != Kind::Closed, "a closed tour has no ends");
        let orbits: Vec<_> = Self::end_orbits(board, kind).collect();
        control.begin_rounds(orbits.len());
        let mut counted = Vec::with_capacity(orbits.len());
        for (ends, pairs) in orbits {
            let request = Self::request(board, kind, engine, ends);
            let tours = match ends {
                // The path of a single square.
                (v, w) if v == w => BigUint::from(1u32),
                _ => {
                    let counts = count_with_memory(&request, memory, &control.for_side_task())?.counts;
                    counts.get(kind).expect("this kind was requested").clone()
                }
            };
            counted.push(EndPairCount { ends, pairs, tours });
            control.finish_round();
        }
        let found = Self { orbits: counted };
        let counts = Counts::from_iter([(kind, found.total())]);
        theorems::check_counts(board, &counts, &[])?;
        Ok(found)
    }

    /// Returns the estimate of all counts that [`EndPairCounts::count`] makes: the sum of their times, and the
    /// memory of the count that needs the most. Cost: the planning of all counts, and dry
    /// runs, of more counts if memory is short.
    ///
    /// # Errors
    /// See [`CountError`].
    pub fn estimate(
        board: &Board,
        kind: Kind,
        engine: Engine,
        memory: Option<u64>,
        control: &Control,
    ) -> Result<JobEstimate, CountError> {
        let possible = PossibleEnds::from_graph(board.graph(), false).unwrap_or(PossibleEnds::Any);
        let ends = Self::end_orbits(board, kind).map(|(ends, _)| ends);
        let requests = ends.filter(|&(v, w)| possible.allows_pair(v as usize, w as usize));
        let requests = requests.map(|ends| Self::request(board, kind, engine, ends));
        estimate_counts(requests, memory, control)
    }

    /// Returns the request for the number of tours between two ends.
    ///
    /// # Panics
    /// If `kind` is closed, or the ends are equal or no vertices.
    #[must_use]
    pub fn request(board: &Board, kind: Kind, engine: Engine, (start, end): (Vertex, Vertex)) -> Request {
        let spec = TourSpec::new(board.clone(), kind, Some(start), Some(end)).expect("the ends are possible");
        Request { engine, ..Request::from(spec) }
    }

    /// Returns the lowest pair of each orbit of possible ends, in ascending order, with the number of pairs in
    /// the orbit.
    pub fn end_orbits(
        board: &Board,
        kind: Kind,
    ) -> impl Iterator<Item = ((Vertex, Vertex), usize)> + use<'_> {
        let len = board.len() as Vertex;
        let single = (len == 1).then_some(((0, 0), 1));
        let symmetries = board.symmetries();
        let mut seen = BTreeSet::new();
        let pairs = (0..len).flat_map(move |v| (v + 1..len).map(move |w| (v, w)));
        let orbits = pairs.filter_map(move |pair| {
            let is_excluded = kind == Kind::Open && board.joins_ends(pair.0, pair.1);
            if is_excluded || seen.remove(&pair) {
                return None;
            }
            let orbit = symmetries.orbit_of(|image| image_of_move(pair, image));
            let pairs = orbit.len();
            // Lower pairs do not come again.
            seen.extend(orbit.into_iter().filter(|&other| other > pair));
            Some((pair, pairs))
        });
        single.into_iter().chain(orbits)
    }

    /// Returns the number of undirected tours between all pairs of ends.
    #[must_use]
    pub fn total(&self) -> BigUint {
        self.orbits.iter().map(|orbit| &orbit.tours * orbit.pairs).sum()
    }

    /// Returns the same numbers for directed tours of a board of `squares` squares.
    #[must_use]
    pub fn to_directed(&self, squares: usize) -> Self {
        let directed = |orbit: &EndPairCount| EndPairCount {
            tours: directed_count(&orbit.tours, squares),
            ..orbit.clone()
        };
        Self { orbits: self.orbits.iter().map(directed).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimate_has_no_disk() {
        let board: Board = "5x6".parse().unwrap();
        let estimate = |memory| {
            EndPairCounts::estimate(&board, Kind::Paths, Engine::Frontier, Some(memory), &Control::new())
                .unwrap()
        };
        for memory in [4 << 20, 1 << 30] {
            let estimate = estimate(memory);
            assert_eq!((estimate.disk_bytes, estimate.checkpoint_bytes), (0, 0));
            assert_eq!(estimate.memory_bytes, estimate.unspilled_bytes);
        }
    }

    #[test]
    fn only_pairs_that_can_be_ends_have_tours() {
        let removed = "board=3x3 piece=1,2 remove=b2";
        for text in ["3x4", "5x5", "3x7", removed, "board=3x4 piece=1,2+0,1 remove=-"] {
            let board: Board = text.parse().unwrap();
            let counted =
                EndPairCounts::count(&board, Kind::Paths, Engine::Auto, None, &Control::new()).unwrap();
            let with_tours = counted.orbits.iter().filter(|orbit| orbit.tours > BigUint::ZERO);
            let possible = PossibleEnds::from_graph(board.graph(), false).unwrap();
            let are_possible: Vec<bool> = with_tours
                .map(|orbit| possible.allows_pair(orbit.ends.0 as usize, orbit.ends.1 as usize))
                .collect();
            assert!(!are_possible.is_empty() && are_possible.iter().all(|&one| one), "{text}");
        }
    }
}
