//! Exact statistics of all tours of a board, from an index or by counting, without visiting any
//! tour: how many tours use each move or pair of moves, and how many end on each square.
//!
//! # From an index
//!
//! The layers of an index determine, for all moves together, how many tours use a move, and how
//! many begin or end on a square. Open tours are the paths that are not re-entrant. A closed tour
//! without one of its n moves is a re-entrant path. So re-entrant paths use a move n - 1 times as
//! often as closed tours do, and for every closed tour each vertex is an end of two re-entrant
//! paths:
//!
//! ```text
//! open(move) = paths(move) - (n - 1) closed(move)      open(end) = paths(end) - 2 closed
//! ```
//!
//! # By counting
//!
//! Without an index, counts on smaller graphs give the same statistics:
//!
//! ```text
//! use(edge)    = tours(G) - tours(G without the edge)
//! pair(a,v,b)  = tours(G with v joined to a and b alone) - tours among them that begin or end at v
//! ```
//!
//! One move or pair of each orbit under the symmetries is counted: on a chessboard 25 moves and 115
//! pairs. Each count is a separate sweep and needs the memory of a count. Open tours are the paths
//! that are not re-entrant. A closed tour of n moves becomes a re-entrant path when one move is
//! removed, so n - 1 of its n paths use a given move, and n - 2 use a given pair.
//!
//! # Check
//!
//! In every tour each vertex has two moves, which are one pair, unless it is an end; the sums are
//! checked against this.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use num_traits::ToPrimitive;

use super::counting_sweeps::CountingSweeps;
use super::error::IndexError;
use super::numbered_tours::{sweep_tours, vertex_sequence};
use super::tour_index::{Index, IndexResources};
use crate::board::{SymmetryGroup, Vertex, image_of_move};
use crate::budget::Requirements;
use crate::control::Control;
use crate::frontier::{BackwardOptions, Cancel, EdgeUsage, IndexLocation, Tours};
use crate::tour::{Kind, Tour, TourSpec};

/// Exact numbers of tours of a set that use each move and that end on each vertex.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Set of the counted tours. A tour and its reverse count once, or twice if an end is fixed.
    pub numbered_tours: TourSpec,
    /// Number of tours in the set.
    pub total: BigUint,
    /// Moves, each with the number of tours that use it. A move is given by its lower and its
    /// higher vertex; the moves are in ascending order.
    pub moves: Vec<((u32, u32), BigUint)>,
    /// For each vertex, the number of tours that begin or end there; empty for closed tours.
    pub ends: Vec<BigUint>,
}

impl Index {
    /// Returns the statistics of all numbered tours. If the kind is open tours, these are all
    /// paths. Cost: the time of about two sweeps, and 4 or 8 bytes of memory for each weight of two
    /// layers.
    ///
    /// # Errors
    /// The memory limit of the index is too low, a layer is damaged, or the caller cancelled the
    /// computation.
    pub fn statistics(&self, control: &Control) -> Result<Statistics, IndexError> {
        let numbered = self.numbered_tours();
        let squares = numbered.board().len();
        control.begin_rounds(1);
        control.begin_sweep(&self.step_costs(), 0);
        let uses = self.layers().edge_usage(&self.backward_options(control), &mut |step, steps| {
            control.finish_sweep_step(step, steps, 0, self.layer_bytes());
        })?;
        control.finish_round();
        let is_closed = numbered.kind() == Kind::Closed;
        let (ends, moves): (EdgeUsage, EdgeUsage) =
            uses.into_iter().partition(|&((_, w), _)| w as usize == squares);
        let mut by_vertex = vec![BigUint::ZERO; if is_closed { 0 } else { squares }];
        ends.into_iter().for_each(|((v, _), number)| by_vertex[v as usize] = number);
        let total = self.layers().total().clone();
        if squares == 1 && !is_closed {
            by_vertex[0].clone_from(&total);
        }
        Ok(Statistics {
            numbered_tours: numbered.clone(),
            total,
            moves: moves.into_iter().collect(),
            ends: by_vertex,
        })
    }
}

impl Index {
    fn backward_options(&self, control: &Control) -> BackwardOptions {
        let cancel = Cancel::from(control.cancel_flag());
        BackwardOptions { memory: self.memory_limit(), allocator: control.allocator_hook(), cancel }
    }

    /// Returns a numbered tour with the most moves of `class`, or with the fewest if `maximise` is
    /// false, and the number of these moves. Returns `None` if there is no tour, if the plan merges
    /// mirror images under a reflection that does not preserve the class, or if a tour may have
    /// more than 254 moves of the class. Cost: about the time of a sweep, and one byte of memory
    /// for every weight of all layers.
    ///
    /// # Errors
    /// The memory limit of the index is too low, a layer is damaged, or the caller cancelled the
    /// computation.
    pub fn extreme_tour(
        &self,
        class: &BTreeSet<(u32, u32)>,
        maximise: bool,
        control: &Control,
    ) -> Result<Option<(Tour, u32)>, IndexError> {
        control.begin_rounds(1);
        control.begin_sweep(&self.step_costs(), 0);
        let found = self.layers().extreme_tour(
            class,
            maximise,
            &self.backward_options(control),
            &mut |step, steps| {
                control.finish_sweep_step(step, steps, 0, self.layer_bytes());
            },
        )?;
        control.finish_round();
        Ok(found.map(|(edges, count)| {
            let sequence = vertex_sequence(self.numbered_tours(), &edges);
            let kind = self.numbered_tours().kind_of(&sequence);
            (Tour::from_search(self.numbered_tours().board(), sequence, kind), count)
        }))
    }
}

impl Statistics {
    /// Builds an index of the set `numbered` and returns the statistics of all its tours. Open
    /// tours are counted too.
    ///
    /// # Errors
    /// See [`IndexError`]. Statistics of open tours with a fixed start or end are not available.
    pub fn compute(
        numbered: &TourSpec,
        location: &IndexLocation,
        resources: IndexResources,
        control: &Control,
    ) -> Result<Self, IndexError> {
        Self::from_index(&Index::with_resources(numbered, location, resources, control)?, resources, control)
    }

    /// Returns the statistics of the tours of an index. If the kind is open tours, the index
    /// numbers all paths; then the re-entrant paths are subtracted with an index of closed tours.
    ///
    /// # Errors
    /// The errors of [`Statistics::compute`].
    pub fn from_index(
        index: &Index,
        resources: IndexResources,
        control: &Control,
    ) -> Result<Self, IndexError> {
        let statistics = index.statistics(control)?;
        let Some(closed) = closed_tours_to_subtract(index.numbered_tours())? else { return Ok(statistics) };
        let closed = Index::with_resources(&closed, &IndexLocation::Memory, resources, control)?
            .statistics(control)?;
        Ok(statistics.minus_closed(&closed))
    }

    /// Returns the statistics of open tours: the statistics of paths (`self`) minus those of
    /// re-entrant paths, which follow from the statistics of closed tours.
    pub(super) fn minus_closed(self, closed: &Self) -> Self {
        let squares = self.numbered_tours.board().len();
        let times = BigUint::from(squares - 1);
        let moves = self.moves.into_iter().zip(&closed.moves);
        let twice = &closed.total * 2u32;
        Self {
            total: self.total - &closed.total * squares,
            moves: moves.map(|((edge, paths), (_, closed))| (edge, paths - &times * closed)).collect(),
            ends: self.ends.into_iter().map(|paths| paths - &twice).collect(),
            ..self
        }
    }

    /// Returns `number` as a fraction of the number of all tours, from 0 to 1.
    #[must_use]
    pub fn share(&self, number: &BigUint) -> f64 {
        share(number, &self.total)
    }
}

/// Returns `number` as a fraction of `total`, from 0 to 1 if the number is at most the total; 0 if
/// the total is 0.
#[must_use]
pub fn share(number: &BigUint, total: &BigUint) -> f64 {
    // The bits lost from numbers beyond the range of `f64` are far below any digits shown.
    let shift = total.bits().saturating_sub(1000);
    let as_float = |number: &BigUint| (number >> shift).to_f64().unwrap_or(f64::MAX);
    if *total == BigUint::ZERO { 0.0 } else { as_float(number) / as_float(total) }
}

/// Exact numbers of tours of a set that use each pair of consecutive moves.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MovePairs {
    /// Set of the counted tours. A tour and its reverse count once, or twice if an end is fixed.
    pub numbered_tours: TourSpec,
    /// Number of tours in the set.
    pub total: BigUint,
    /// Pairs of consecutive moves, each with the number of tours that use it. A pair is given by
    /// three vertices: the lower end, the middle, and the higher end. The pairs are in ascending
    /// order.
    pub pairs: Vec<([u32; 3], BigUint)>,
}

impl MovePairs {
    /// Counts, for each pair of consecutive moves, the tours of the set `numbered` that use it.
    /// Cost: one sweep for each orbit of pairs, or two sweeps if a path can end in the middle of
    /// the pair.
    ///
    /// # Errors
    /// See [`IndexError`]. Statistics of open tours with a fixed start or end are not available.
    ///
    /// # Panics
    /// If the numbers for the pairs around a vertex do not add up to the number of tours that do
    /// not end at this vertex.
    pub fn compute(numbered: &TourSpec, memory: Option<u64>, control: &Control) -> Result<Self, IndexError> {
        let Some(closed) = closed_tours_to_subtract(numbered)? else {
            return count_pairs(numbered, memory, control);
        };
        let paths = count_pairs(numbered, memory, control)?;
        let closed = count_pairs(&closed, memory, control)?;
        let (moves, len) = (BigUint::from(numbered.board().len() - 2), numbered.board().len());
        let less = paths.pairs.into_iter().zip(closed.pairs);
        Ok(Self {
            total: paths.total - &closed.total * len,
            pairs: less.map(|((pair, all), (_, closed))| (pair, all - &moves * closed)).collect(),
            ..paths
        })
    }

    /// Returns the time and memory that [`MovePairs::compute`] needs: of one sweep for all tours, and up to two
    /// for each orbit of pairs. Cost: up to two dry runs.
    ///
    /// # Errors
    /// As for [`MovePairs::compute`].
    pub fn requirements(numbered: &TourSpec, control: &Control) -> Result<Requirements, IndexError> {
        requirements_with_closed(numbered, |numbered| {
            let pairs = pair_orbits(numbered).values().collect::<BTreeSet<_>>().len();
            let sweeps = if numbered.kind() == Kind::Closed { pairs } else { 2 * pairs };
            CountingSweeps::new(numbered, None, control).requirements(sweeps, |options| options)
        })
    }
}

impl Statistics {
    /// Returns the same result as [`Statistics::compute`], but counts the tours instead of building
    /// an index. Use it if an index of all tours does not fit. Cost: one sweep for each orbit of
    /// moves; each sweep needs the memory of a count.
    ///
    /// # Errors
    /// See [`IndexError`]. Statistics of open tours with a fixed start or end are not available.
    ///
    /// # Panics
    /// If the numbers for the moves of a vertex are inconsistent: a vertex has two moves in every
    /// tour unless it is the end of a path.
    pub fn by_counting(
        numbered: &TourSpec,
        memory: Option<u64>,
        control: &Control,
    ) -> Result<Self, IndexError> {
        let Some(closed) = closed_tours_to_subtract(numbered)? else {
            return count_moves(numbered, memory, control);
        };
        let paths = count_moves(numbered, memory, control)?;
        Ok(paths.minus_closed(&count_moves(&closed, memory, control)?))
    }

    /// Returns the time and memory that [`Statistics::by_counting`] needs: of one sweep for all tours, and one
    /// for each orbit of moves. Cost: up to two dry runs.
    ///
    /// # Errors
    /// As for [`Statistics::by_counting`].
    pub fn counting_requirements(numbered: &TourSpec, control: &Control) -> Result<Requirements, IndexError> {
        requirements_with_closed(numbered, |numbered| {
            let moves = move_orbits(numbered).values().collect::<BTreeSet<_>>().len();
            CountingSweeps::new(numbered, None, control).requirements(moves, |options| options)
        })
    }
}

/// Returns what the statistics of the tours `numbered` need, and, for open tours, also those of the closed tours
/// that are subtracted. `needs` returns what the statistics of one set need.
fn requirements_with_closed(
    numbered: &TourSpec,
    needs: impl Fn(&TourSpec) -> Result<Requirements, IndexError>,
) -> Result<Requirements, IndexError> {
    let all = needs(numbered)?;
    let Some(closed) = closed_tours_to_subtract(numbered)? else { return Ok(all) };
    let closed = needs(&closed)?;
    let seconds = all.seconds.zip(closed.seconds).map(|(all, closed)| all + closed);
    Ok(Requirements { seconds, ..all.max(closed) })
}

/// Returns the set of closed tours whose statistics must be subtracted from the statistics of
/// paths; `None` if the kind is not open tours, or if the board has fewer than three squares.
fn closed_tours_to_subtract(numbered: &TourSpec) -> Result<Option<TourSpec>, IndexError> {
    if numbered.kind() != Kind::Open {
        return Ok(None);
    }
    if numbered.is_directed() {
        return Err(IndexError::OpenWithFixedEnds);
    }
    if numbered.board().is_restricted() {
        return Err(IndexError::OpenWithRestrictions);
    }
    let closed = TourSpec::all(numbered.board().clone(), Kind::Closed);
    Ok((numbered.board().len() >= 3).then_some(closed))
}

/// Maps every item (a move, pair or vertex) to the representative of its orbit: the lowest of its
/// images under `group`.
fn orbit_representatives<T: Ord + Copy>(
    all: impl Iterator<Item = T>,
    group: &SymmetryGroup,
    image: impl Fn(T, &[u32]) -> T,
) -> BTreeMap<T, T> {
    all.map(|one| (one, group.orbit_of(|vertices| image(one, vertices))[0])).collect()
}

/// Maps every move to the representative of its orbit under the symmetries of the tours.
fn move_orbits(numbered: &TourSpec) -> BTreeMap<(u32, u32), (u32, u32)> {
    orbit_representatives(numbered.board().graph().edges(), &numbered.symmetries(), image_of_move)
}

/// Returns every item with its number of tours. `orbits` maps each item to the representative of
/// its orbit; `count` is called once for each representative.
fn count_representatives<T: Ord + Copy>(
    orbits: BTreeMap<T, T>,
    control: &Control,
    count: impl Fn(T) -> Result<BigUint, IndexError>,
) -> Result<Vec<(T, BigUint)>, IndexError> {
    let mut first: BTreeMap<T, BigUint> = orbits.values().map(|&one| (one, BigUint::ZERO)).collect();
    control.begin_rounds(first.len());
    for (&one, number) in &mut first {
        *number = count(one)?;
        control.finish_round();
    }
    Ok(orbits.into_iter().map(|(one, stands)| (one, first[&stands].clone())).collect())
}

fn count_moves(
    numbered: &TourSpec,
    memory: Option<u64>,
    control: &Control,
) -> Result<Statistics, IndexError> {
    let mut sweeps = CountingSweeps::new(numbered, memory, control);
    let (tours, squares) = (sweep_tours(numbered), numbered.board().len());
    control.begin_rounds(1);
    let total = sweeps.count(tours)?;
    let all = move_orbits(numbered);
    let moves = if total == BigUint::ZERO {
        all.into_keys().map(|edge| (edge, BigUint::ZERO)).collect()
    } else {
        sweeps.fix_order()?;
        count_representatives(all, control, |edge| {
            Ok(&total - sweeps.count_on_edges(&|v, w| (v, w) != edge, tours)?)
        })?
    };
    // Every tour has two moves at each vertex; one at the end of a path; none on a single square.
    let mut ends = vec![&total * 2u32; squares];
    for ((v, w), number) in &moves {
        for v in [*v as usize, *w as usize] {
            assert!(ends[v] >= *number, "a vertex must have at most two moves in a tour");
            ends[v] -= number;
        }
    }
    let sum: BigUint = ends.iter().sum();
    let is_closed = numbered.kind() == Kind::Closed;
    let expected = if is_closed { BigUint::ZERO } else { &total * 2u32 };
    assert_eq!(sum, expected, "every path must have two ends");
    if squares == 1 && !is_closed {
        // A path of one vertex begins where it ends.
        ends[0].clone_from(&total);
    }
    Ok(Statistics {
        numbered_tours: numbered.clone(),
        total,
        moves,
        ends: if is_closed { Vec::new() } else { ends },
    })
}

/// The tours of a sweep that begin or end at a vertex: none of them, all of them, or a set of
/// paths.
enum EndingTours {
    None,
    All,
    Some(Tours),
}

fn tours_ending_at(tours: Tours, v: Vertex) -> EndingTours {
    match tours {
        Tours::Closed => EndingTours::None,
        Tours::Paths => EndingTours::Some(Tours::From(v)),
        Tours::From(s) if s == v => EndingTours::All,
        Tours::From(s) => EndingTours::Some(Tours::Between(s, v)),
        Tours::Between(s, t) if s == v || t == v => EndingTours::All,
        Tours::Between(..) => EndingTours::None,
    }
}

/// Maps every pair of consecutive moves to the representative of its orbit under the symmetries of the tours.
fn pair_orbits(numbered: &TourSpec) -> BTreeMap<[u32; 3], [u32; 3]> {
    let graph = numbered.board().graph();
    let pairs_around = |v: u32| {
        let neighbours = graph.neighbours(v as usize);
        neighbours
            .iter()
            .flat_map(move |&a| neighbours.iter().filter(move |&&b| a < b).map(move |&b| [a, v, b]))
    };
    let all = (0..graph.len() as u32).flat_map(pairs_around);
    orbit_representatives(all, &numbered.symmetries(), |[a, v, b], image| {
        let (a, b) = (image[a as usize], image[b as usize]);
        [a.min(b), image[v as usize], a.max(b)]
    })
}

fn count_pairs(numbered: &TourSpec, memory: Option<u64>, control: &Control) -> Result<MovePairs, IndexError> {
    let mut sweeps = CountingSweeps::new(numbered, memory, control);
    let (tours, graph) = (sweep_tours(numbered), numbered.board().graph());
    let group = numbered.symmetries();
    control.begin_rounds(1);
    let total = sweeps.count(tours)?;
    let all = pair_orbits(numbered);
    if total == BigUint::ZERO {
        let pairs = all.into_keys().map(|pair| (pair, BigUint::ZERO)).collect();
        return Ok(MovePairs { numbered_tours: numbered.clone(), total, pairs });
    }
    sweeps.fix_order()?;
    let count = |[a, v, b]: [u32; 3]| {
        let keeps = |x: u32, y: u32| (x != v || y == a || y == b) && (y != v || x == a || x == b);
        match tours_ending_at(tours, v) {
            EndingTours::All => Ok(BigUint::ZERO),
            EndingTours::None => sweeps.count_on_edges(&keeps, tours),
            EndingTours::Some(ends) => {
                Ok(sweeps.count_on_edges(&keeps, tours)? - sweeps.count_on_edges(&keeps, ends)?)
            }
        }
    };
    let pairs = count_representatives(all, control, count)?;
    let mut sums = vec![BigUint::ZERO; graph.len()];
    pairs.iter().for_each(|([_, v, _], number)| sums[*v as usize] += number);
    let vertices = orbit_representatives(0..graph.len() as u32, &group, |v, image| image[v as usize]);
    let ends = count_representatives(vertices, control, |v| match tours_ending_at(tours, v) {
        EndingTours::None => Ok(BigUint::ZERO),
        EndingTours::All => Ok(total.clone()),
        EndingTours::Some(ends) => sweeps.count(ends),
    })?;
    for (v, ends) in ends {
        assert_eq!(&sums[v as usize] + ends, total, "every tour must pass through each vertex, or end there");
    }
    Ok(MovePairs { numbered_tours: numbered.clone(), total, pairs })
}

#[cfg(test)]
mod tests {
    use super::super::tests::listed_tours;
    use super::*;
    use crate::frontier::IndexLocation;

    fn sample_tour_sets() -> Vec<TourSpec> {
        let of = |board: &str, kind| TourSpec::all(board.parse().unwrap(), kind);
        let fixed = |start, end| of("5x5", Kind::Paths).with_ends(start, end).unwrap();
        vec![
            of("5x6", Kind::Closed),
            of("5x5", Kind::Paths),
            of("4x5", Kind::Open),
            of("board=3x4 wrap=torus piece=1,2 remove=-", Kind::Closed),
            of("board=3x3 piece=0,1+1,1 remove=-", Kind::Open),
            of("4x4", Kind::Closed),
            fixed(Some(0), None),
            fixed(Some(24), Some(0)),
        ]
    }

    #[test]
    fn move_pairs_agree_with_full_list() {
        for numbered in sample_tour_sets() {
            let move_pairs = MovePairs::compute(&numbered, None, &Control::new()).unwrap();
            let mut expected: BTreeMap<[u32; 3], u64> = BTreeMap::new();
            let all = listed_tours(&numbered, false);
            for tour in &all {
                let mut changed_tour = tour.clone();
                if numbered.kind() == Kind::Closed {
                    changed_tour.extend_from_slice(&tour[..2]);
                }
                for three in changed_tour.windows(3) {
                    let [a, v, b] = [three[0], three[1], three[2]];
                    *expected.entry([a.min(b), v, a.max(b)]).or_default() += 1;
                }
            }
            assert_eq!(move_pairs.total, all.len().into(), "{numbered:?}");
            for (pair, number) in &move_pairs.pairs {
                let expected = expected.get(pair).copied().unwrap_or(0);
                assert_eq!(*number, expected.into(), "{numbered:?} {pair:?}");
            }
        }
    }

    #[test]
    fn by_counting_agrees_with_index() {
        for numbered in sample_tour_sets() {
            let control = Control::new();
            let by_index =
                Statistics::compute(&numbered, &IndexLocation::Memory, Default::default(), &control).unwrap();
            assert_eq!(Statistics::by_counting(&numbered, None, &control).unwrap(), by_index);
        }
    }
}
