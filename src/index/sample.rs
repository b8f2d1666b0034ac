//! Uniform samples of tours, and measures of the sampled tours, such as crossings.
//!
//! # Samples
//!
//! A sample draws uniform random numbers and computes the tours with these numbers. A sample of
//! open tours consists of the drawn paths that are not re-entrant. A sample of classes of
//! equivalent tours accepts each drawn tour with a probability of one divided by the size of its
//! orbit, which makes every class equally probable.
//!
//! # Measures
//!
//! Measures are properties of tours that are not sums over moves. Their means are estimated from a
//! uniform sample, with standard errors. A measure is computed from the squares of a tour in the
//! plane:
//!
//! ```text
//! crossings     pairs of moves whose drawn lines cross between their squares
//! straight      squares where a tour continues straight
//! right, sharp, wide   turns of 90 degrees, of more, of fewer
//! longest run   the greatest number of consecutive moves in one direction
//! centre        distance of a path from the middle of the board after some number of moves, in squares
//! ```
//!
//! If no end of a path is fixed, the end that comes first depends on the numbering of the vertices,
//! and is not a property of the path. The distances of such a path are means over both directions,
//! so the distance after k moves equals the distance k moves before the end.

use std::ops::ControlFlow;

use num_bigint::BigUint;
use rand::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::error::IndexError;
use super::move_class::{BoardPlane, MoveClassError};
use super::tour_index::{Index, TourCallback};
use crate::board::Board;
use crate::control::Control;
use crate::tour::{Kind, SymmetryForm, Tour, TourKind, TourSpec};

/// Maximum number of tours that are drawn together in one round.
const MAX_DRAWS_PER_ROUND: usize = 1 << 17;

/// Number of consecutive re-entrant paths in a sample after which the board is assumed to have no
/// open tour.
const MAX_FUTILE_DRAWS: usize = 1 << 20;

impl Index {
    /// Returns a random tour of the set; all tours are equally probable.
    ///
    /// # Errors
    /// [`IndexError::NoTours`] if there is no tour, or a layer is damaged.
    pub fn sample(&self, rng: &mut impl Rng) -> Result<Tour, IndexError> {
        let mut found = None;
        self.draw_many(1, false, rng, &Control::new(), &mut |kind, vertices| {
            found = Some(Tour::from_search(self.numbered_tours().board(), vertices.to_vec(), kind));
            ControlFlow::Break(())
        })?;
        Ok(found.expect("one tour was requested"))
    }

    /// Calls `each` with `number` independent random tours, all equally probable. If `is_distinct`
    /// is true, samples classes of equivalent tours instead, and passes the canonical form of each
    /// class. The tours depend only on `seed`, not on the number of threads.
    ///
    /// # Errors
    /// The errors of [`Index::sample`], or the caller cancelled the computation.
    pub fn sample_many(
        &self,
        number: u64,
        is_distinct: bool,
        seed: u64,
        control: &Control,
        each: TourCallback,
    ) -> Result<(), IndexError> {
        match number {
            0 => Ok(()),
            _ => {
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
                self.draw_many(number, is_distinct, &mut rng, control, each)
            }
        }
    }

    /// Draws tours like [`Index::sample_many`], which depend on the output of `rng`.
    fn draw_many(
        &self,
        number: u64,
        is_distinct: bool,
        rng: &mut impl Rng,
        control: &Control,
        each: TourCallback,
    ) -> Result<(), IndexError> {
        let numbered = self.numbered_tours();
        let nothing = || IndexError::NoTours { kind: numbered.kind() };
        if *self.total() == BigUint::ZERO {
            return Err(nothing());
        }
        let group = is_distinct.then(|| numbered.symmetries());
        let (mut left, mut futile_draws) = (number, 0);
        let max_draws = self.batch_size().min(MAX_DRAWS_PER_ROUND);
        // The progress assumes one drawn tour for each accepted tour or class. This holds for
        // samples of all tours, and for classes of full size.
        control.begin_rounds(usize::try_from(number).unwrap_or(usize::MAX).div_ceil(max_draws).min(1 << 20));
        while left > 0 {
            // Number of draws for each accepted class: at most the order of the group.
            let times = group.as_ref().map_or(1, |group| group.order().min(64));
            let needed_draws = usize::try_from(left).unwrap_or(MAX_DRAWS_PER_ROUND).saturating_mul(times);
            // After draws without success, the next round draws as many again.
            let round = needed_draws.max(futile_draws).min(max_draws);
            let numbers: Vec<BigUint> = (0..round).map(|_| uniform_below(self.total(), rng)).collect();
            let chances: Vec<u64> =
                (0..if is_distinct { round } else { 0 }).map(|_| rng.next_u64()).collect();
            let mut drawn = 0;
            let flow = self.for_each_path(&numbers, control, &mut |kind, vertices| {
                drawn += 1;
                futile_draws += 1;
                if numbered.kind() == Kind::Open && kind != TourKind::Open {
                    return ControlFlow::Continue(());
                }
                let flow = match &group {
                    None => each(kind, vertices),
                    Some(group) => {
                        let form = SymmetryForm::new(vertices, numbered.shape());
                        // Acceptance probability: one divided by the size of the orbit.
                        let fixing = u128::from(form.count_actions(group.elements()).fixing);
                        let order = group.order() as u128;
                        if (u128::from(chances[drawn - 1]) * order) >> 64 >= fixing {
                            return ControlFlow::Continue(());
                        }
                        let form = form.canonical(group.elements());
                        each(numbered.kind_of(&form), &form)
                    }
                };
                futile_draws = 0;
                left -= 1;
                if left == 0 || flow.is_break() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            if flow.is_break() {
                return Ok(());
            }
            if futile_draws > MAX_FUTILE_DRAWS {
                return Err(nothing());
            }
        }
        Ok(())
    }
}

/// Returns a random number below `bound`; all such numbers are equally probable. Draws random
/// numbers with the bits of `bound` until one of them is below `bound`.
pub fn uniform_below(bound: &BigUint, rng: &mut impl Rng) -> BigUint {
    let bits = bound.bits();
    let mut bytes = vec![0; bits.div_ceil(8) as usize];
    loop {
        rng.fill_bytes(&mut bytes);
        if let Some(top) = bytes.last_mut().filter(|_| !bits.is_multiple_of(8)) {
            *top &= (1u8 << (bits % 8)) - 1;
        }
        let number = BigUint::from_bytes_le(&bytes);
        if number < *bound {
            return number;
        }
    }
}

/// The result of one measure for a sample of tours.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Measure {
    /// Name of the measure, such as `crossings`.
    pub name: &'static str,
    /// Number of moves after which the distance from the centre is measured; `None` for all other
    /// measures.
    pub after_moves: Option<usize>,
    /// Mean of the measure over the sample.
    pub mean: f64,
    /// Standard error of the mean.
    pub standard_error: f64,
    /// Standard deviation of the measure between single tours.
    pub standard_deviation: f64,
    /// Least and greatest value of the measure in the sample.
    pub range: (f64, f64),
}

/// Running sums of one measure: the first value, the sum of the differences from it, the sum of the
/// squares of these differences, and the least and greatest value.
type MeasureSum = (f64, f64, f64, (f64, f64));

impl Index {
    /// Returns the measures of `number` random tours, all equally probable. For paths, also returns
    /// the distance from the centre after each number of moves in `after`, for example
    /// [`quarter_moves`]. Cost: the draw of the tours, and O(vertices^2) for the crossings of each
    /// tour.
    ///
    /// # Errors
    /// The errors of [`Index::sample_many`].
    ///
    /// # Panics
    /// If the board cannot be measured (see [`check_measurable`]), or if a number in `after`
    /// exceeds the number of moves of a path.
    pub fn sample_measures(
        &self,
        number: u64,
        after: &[usize],
        seed: u64,
        control: &Control,
    ) -> Result<Vec<Measure>, IndexError> {
        let numbered = self.numbered_tours();
        let plane = BoardPlane::for_board(numbered.board()).expect("the board can be measured");
        // A closed tour has no first vertex.
        let after = if numbered.kind() == Kind::Closed { &[] } else { after };
        // Sums and sums of squares are relative to the values of the first tour, so that they stay small.
        let mut sums: Vec<MeasureSum> = Vec::new();
        let mut count = 0.0;
        self.sample_many(number, false, seed, control, &mut |kind, vertices| {
            let values =
                measure_tour(&plane, vertices, kind == TourKind::Closed, after, numbered.is_directed());
            if sums.is_empty() {
                sums = values.iter().map(|&value| (value, 0.0, 0.0, (value, value))).collect();
            }
            count += 1.0;
            for (sum, value) in sums.iter_mut().zip(values) {
                let difference = value - sum.0;
                sum.1 += difference;
                sum.2 += difference * difference;
                sum.3 = (sum.3.0.min(value), sum.3.1.max(value));
            }
            std::ops::ControlFlow::Continue(())
        })?;
        let names = MEASURE_NAMES.iter().map(|&name| (name, None));
        let names = names.chain(after.iter().map(|&moves| ("centre", Some(moves))));
        let measure = |((name, moves), (first, sum, squares, range)): ((&'static str, _), MeasureSum)| {
            let mean: f64 = sum / count;
            let variance = if count > 1.0 { (squares - sum * mean).max(0.0) / (count - 1.0) } else { 0.0 };
            let deviation = variance.sqrt();
            let error = deviation / f64::sqrt(count);
            Measure {
                name,
                after_moves: moves,
                mean: first + mean,
                standard_error: error,
                standard_deviation: deviation,
                range,
            }
        };
        Ok(names.zip(sums).map(measure).collect())
    }
}

/// Returns the measures of a tour in the order of [`MEASURE_NAMES`], then its distance from the
/// middle of the board after each number of moves in `after`.
fn measure_tour(
    plane: &BoardPlane,
    tour: &[u32],
    is_closed: bool,
    after: &[usize],
    is_directed: bool,
) -> Vec<f64> {
    let points: Vec<Point> = tour
        .iter()
        .map(|&v| (plane.squares[v as usize].file().into(), plane.squares[v as usize].rank().into()))
        .collect();
    let middle = (f64::from(plane.cols - 1) / 2.0, f64::from(plane.rows - 1) / 2.0);
    let distances = after.iter().map(|&moves| distance_after(&points, moves, is_directed, middle));
    measure_points(&points, is_closed).into_iter().chain(distances).collect()
}

/// Returns the numbers of moves after 0, 1, 2, 3 and 4 quarters of a path, for distances from the
/// centre. If neither start nor end is fixed, the list ends at the half, because the other half is
/// symmetric. A quarter that lies between two moves is rounded towards the nearer end, so that the
/// quarters from both ends agree. The list is empty for closed tours.
#[must_use]
pub fn quarter_moves(numbered: &TourSpec) -> Vec<usize> {
    let Some(moves) = numbered.board().len().checked_sub(1).filter(|_| numbered.kind() != Kind::Closed)
    else {
        return Vec::new();
    };
    let mut quarters: Vec<usize> = (0..=2).map(|quarter| (quarter * moves + 1) / 4).collect();
    if numbered.is_directed() {
        quarters.extend([moves - quarters[1], moves]);
    }
    quarters.dedup();
    quarters
}

/// Checks that the measures of tours can be computed on `board`.
///
/// # Errors
/// The board has no layout, several layers, or joined edges that moves cross.
pub fn check_measurable(board: &Board) -> Result<(), MoveClassError> {
    BoardPlane::for_board(board).map(|_| ()).ok_or_else(|| MoveClassError::NoDirections(board.title()))
}

/// File and rank of a square, counted from 0.
pub type Point = (i32, i32);

/// Number of measures in [`MEASURE_NAMES`], which do not depend on the direction of travel.
pub const MEASURE_COUNT: usize = 6;

/// Names of the measures that do not depend on the direction of travel.
pub const MEASURE_NAMES: [&str; MEASURE_COUNT] =
    ["crossings", "straight", "right angles", "sharp turns", "wide turns", "longest run"];

/// Returns the measures of the path or closed tour through `points`, in the order of
/// [`MEASURE_NAMES`]. Cost: O(moves^2) for the crossings.
pub fn measure_points(points: &[Point], is_closed: bool) -> [f64; MEASURE_COUNT] {
    let len = points.len();
    let moves = if is_closed { len } else { len.saturating_sub(1) };
    let step = |i: usize| {
        let (a, b) = (points[i % len], points[(i + 1) % len]);
        (b.0 - a.0, b.1 - a.1)
    };
    let mut crossings = 0;
    for i in 0..moves {
        for j in i + 1..moves {
            crossings +=
                u32::from(moves_cross(points[i], points[(i + 1) % len], points[j], points[(j + 1) % len]));
        }
    }
    let (mut straight, mut right, mut sharp, mut wide) = (0, 0, 0, 0);
    let turns = if is_closed { moves } else { moves.saturating_sub(1) };
    let (mut run, mut longest) = (1, usize::from(moves > 0));
    // A closed tour is traversed twice, because a run may continue over its first vertex.
    for i in 0..if is_closed { 2 * turns } else { turns } {
        let (a, b) = (step(i), step(i + 1));
        let (along, cross) = (a.0 * b.0 + a.1 * b.1, a.0 * b.1 - a.1 * b.0);
        run = if cross == 0 && along > 0 && a == b { run + 1 } else { 1 };
        longest = longest.max(run.min(moves));
        if i < turns {
            match (cross == 0 && along > 0, along.signum()) {
                (true, _) => straight += 1,
                (_, 0) => right += 1,
                (_, 1) => wide += 1,
                _ => sharp += 1,
            }
        }
    }
    [
        f64::from(crossings),
        f64::from(straight),
        f64::from(right),
        f64::from(sharp),
        f64::from(wide),
        longest as f64,
    ]
}

/// Returns the distance between the square that a tour reaches after `moves` moves and the point
/// (`x`, `y`). If the tour is undirected, returns the mean over both directions.
pub fn distance_after(points: &[Point], moves: usize, is_directed: bool, (x, y): (f64, f64)) -> f64 {
    let of = |point: Point| (f64::from(point.0) - x).hypot(f64::from(point.1) - y);
    let here = of(points[moves]);
    // This order of the sum gives equal results for a tour and its reverse.
    if is_directed { here } else { 0.5 * (here + of(points[points.len() - 1 - moves])) }
}

/// Returns true if the drawn lines of the moves from `a` to `b` and from `c` to `d` cross between
/// their ends.
fn moves_cross(a: Point, b: Point, c: Point, d: Point) -> bool {
    let side =
        |p: Point, q: Point, r: Point| ((q.0 - p.0) * (r.1 - p.1) - (q.1 - p.1) * (r.0 - p.0)).signum();
    side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0
}

#[cfg(test)]
mod tests {
    use super::super::IndexLocation;
    use super::super::tests::listed_tours;
    use super::*;

    /// Returns the mean of each measure over a complete list of tours.
    fn means(numbered: &TourSpec, after: &[usize]) -> Vec<f64> {
        let plane = BoardPlane::for_board(numbered.board()).unwrap();
        let all = listed_tours(numbered, false);
        let is_closed = numbered.kind() == Kind::Closed;
        let mut sums = vec![0.0; MEASURE_NAMES.len() + after.len()];
        for tour in &all {
            let values = measure_tour(&plane, tour, is_closed, after, numbered.is_directed());
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        }
        sums.iter().map(|sum| sum / all.len() as f64).collect()
    }

    #[test]
    fn sample_measures_agree_with_full_list() {
        let paths = TourSpec::all("5x5".parse().unwrap(), Kind::Paths);
        for numbered in [
            TourSpec::all("6x6".parse().unwrap(), Kind::Closed),
            paths.clone().with_ends(Some(12), None).unwrap(),
            paths.clone().with_ends(None, Some(12)).unwrap(),
            paths,
        ] {
            let index = Index::new(&numbered, &IndexLocation::Memory, &Control::new()).unwrap();
            let after = quarter_moves(&numbered);
            let found = index.sample_measures(4000, &after, 5, &Control::new()).unwrap();
            assert_eq!(found.len(), MEASURE_NAMES.len() + after.len());
            for (measure, mean) in found.iter().zip(means(&numbered, &after)) {
                assert!(
                    (measure.mean - mean).abs() < 4.0 * measure.standard_error.max(1e-9),
                    "{measure:?} {mean}"
                );
            }
        }
    }

    #[test]
    fn measures_are_equal_on_mirror_images() {
        let of = |removed: &str, kind| {
            let numbered =
                TourSpec::all(format!("board=5x5 piece=1,2 remove={removed}").parse().unwrap(), kind);
            means(&numbered, &(0..22).collect::<Vec<_>>())
        };
        for kind in [Kind::Paths, Kind::Open] {
            let first = of("e1,e2,e3", kind);
            assert!(first[0] > 0.0);
            for other in ["a1,a2,a3", "e5,e4,e3", "a5,a4,a3", "a1,b1,c1"].map(|removed| of(removed, kind)) {
                let distance = first.iter().zip(&other).map(|(one, other)| (one - other).abs());
                assert!(distance.fold(0.0, f64::max) < 1e-9, "{first:?} {other:?}");
            }
        }
    }

    #[test]
    fn quarter_moves_are_symmetric() {
        for (board, both, from) in [
            ("5x5", vec![0, 6, 12], vec![0, 6, 12, 18, 24]),
            ("5x6", vec![0, 7, 14], vec![0, 7, 14, 22, 29]),
            ("3x9", vec![0, 6, 13], vec![0, 6, 13, 20, 26]),
            ("8x8", vec![0, 16, 31], vec![0, 16, 31, 47, 63]),
            ("1x1", vec![0], vec![0]),
        ] {
            let numbered = TourSpec::all(board.parse().unwrap(), Kind::Paths);
            assert_eq!(quarter_moves(&numbered), both, "{board}");
            assert_eq!(quarter_moves(&numbered.with_ends(None, Some(0)).unwrap()), from, "{board}");
        }
        assert!(quarter_moves(&TourSpec::all("6x6".parse().unwrap(), Kind::Closed)).is_empty());
    }

    #[test]
    fn measure_points_of_short_path() {
        // A knight's path of three moves: straight, then a right turn across its own line.
        let path = [(0, 0), (1, 2), (2, 4), (4, 3)];
        assert_eq!(measure_points(&path, false), [0.0, 1.0, 1.0, 0.0, 0.0, 2.0]);
        assert!(moves_cross((0, 0), (1, 2), (0, 1), (2, 0)) && !moves_cross((0, 0), (1, 2), (1, 2), (2, 0)));
        let square = [(0, 0), (1, 0), (1, 1), (0, 1)];
        assert_eq!(measure_points(&square, true), [0.0, 0.0, 4.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn distance_after_is_mean_over_directions() {
        let path = [(0, 0), (1, 2), (2, 4), (4, 3)];
        assert_eq!(
            (distance_after(&path, 0, true, (0.0, 0.0)), distance_after(&path, 3, true, (0.0, 0.0))),
            (0.0, 5.0)
        );
        let back: Vec<Point> = path.iter().rev().copied().collect();
        for moves in 0..4 {
            let both = distance_after(&path, moves, false, (1.5, 1.5));
            assert_eq!(both, distance_after(&path, 3 - moves, false, (1.5, 1.5)));
            assert_eq!(both, distance_after(&back, moves, false, (1.5, 1.5)));
        }
        assert_eq!(distance_after(&path, 3, false, (0.0, 0.0)), 2.5);
    }
}
