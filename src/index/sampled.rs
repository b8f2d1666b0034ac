//! Measures of uniform samples, with their standard errors, for properties that are not sums over moves.
//!
//! ```text
//! crossings     pairs of moves whose drawn lines cross between their squares
//! straight      squares where a tour continues straight
//! right, sharp, wide   turns of 90 degrees, of more, of fewer
//! longest run   the greatest number of consecutive moves in one direction
//! centre        distance of a path from the middle of the board after some number of moves, in squares
//! ```
//!
//! Which end of a path without a fixed end comes first depends on the numbering of the vertices, and is not a
//! property of the path. Its distances are means over both directions, so that the distances after k moves
//! and k moves before the end are equal.

use rand::Rng;

use crate::board::Arena;
use crate::control::Control;
use crate::tour::{Kind, TourKind};

use super::class::{ClassError, Plane};
use super::error::IndexError;
use super::numbered::Numbered;
use super::tours::Index;
use super::way::{NAMES, Point, distance, measures};

/// A measure of the tours of a sample.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Measure {
    /// Name of the measure.
    pub name: &'static str,
    /// Number of moves after which a distance is measured; `None` for other measures.
    pub moves: Option<usize>,
    /// Mean of the sample.
    pub mean: f64,
    /// Standard error of the mean.
    pub error: f64,
    /// Standard deviation of single tours.
    pub deviation: f64,
    /// Least and greatest value of the sample.
    pub range: (f64, f64),
}

/// First value, sum of the differences from it, sum of their squares, and range.
type Sum = (f64, f64, f64, (f64, f64));

impl Index {
    /// Returns the measures of `number` uniform tours; for paths also the distances from the centre after
    /// each of these numbers of moves, for example [`quarter_moves`]. Cost: that of drawing the tours, and
    /// O(vertices^2) each for the crossings.
    ///
    /// # Errors
    /// As for [`Index::sample_many`].
    ///
    /// # Panics
    /// Panics if the board is not a plain one: see [`check_measurable`]; or if `after` exceeds the moves of a
    /// path.
    pub fn measured(
        &self,
        number: u64,
        after: &[usize],
        rng: &mut impl Rng,
        control: &Control,
    ) -> Result<Vec<Measure>, IndexError> {
        let numbered = self.numbered();
        let plane = Plane::of(&numbered.arena).expect("the board can be measured");
        // A closed tour has no first vertex.
        let after = if numbered.kind == Kind::Closed { &[] } else { after };
        // Sums and sums of squares are relative to the values of the first tour, so that they stay small.
        let mut sums: Vec<Sum> = Vec::new();
        let mut count = 0.0;
        self.samples(number, false, rng, control, &mut |kind, vertices| {
            let values = values(&plane, vertices, kind == TourKind::Closed, after, numbered.is_directed());
            if sums.is_empty() {
                sums = values.iter().map(|&value| (value, 0.0, 0.0, (value, value))).collect();
            }
            count += 1.0;
            for (sum, value) in sums.iter_mut().zip(values) {
                let apart = value - sum.0;
                sum.1 += apart;
                sum.2 += apart * apart;
                sum.3 = (sum.3.0.min(value), sum.3.1.max(value));
            }
            std::ops::ControlFlow::Continue(())
        })?;
        let names = NAMES.iter().map(|&name| (name, None));
        let names = names.chain(after.iter().map(|&moves| ("centre", Some(moves))));
        let measure = |((name, moves), (first, sum, squares, range)): ((&'static str, _), Sum)| {
            let mean: f64 = sum / count;
            let variance = if count > 1.0 { (squares - sum * mean).max(0.0) / (count - 1.0) } else { 0.0 };
            let deviation = variance.sqrt();
            let error = deviation / f64::sqrt(count);
            Measure { name, moves, mean: first + mean, error, deviation, range }
        };
        Ok(names.zip(sums).map(measure).collect())
    }
}

/// Returns the measures of a tour: those in [`MEASURE_NAMES`], then the distances.
fn values(plane: &Plane, tour: &[u32], is_closed: bool, after: &[usize], is_directed: bool) -> Vec<f64> {
    let way: Vec<Point> = tour
        .iter()
        .map(|&v| (plane.squares[v as usize].file().into(), plane.squares[v as usize].rank().into()))
        .collect();
    let middle = (f64::from(plane.cols - 1) / 2.0, f64::from(plane.rows - 1) / 2.0);
    let distances = after.iter().map(|&moves| distance(&way, moves, is_directed, middle));
    measures(&way, is_closed).into_iter().chain(distances).collect()
}

/// Returns the quarters of a path in moves: up to the whole if start or end are fixed, and up to the half
/// otherwise, because the other half is symmetric. A quarter between two moves is rounded towards the nearer
/// end, so that the quarters from both ends agree. The list is empty for closed tours.
#[must_use]
pub fn quarters(numbered: &Numbered) -> Vec<usize> {
    let Some(moves) = numbered.arena.len().checked_sub(1).filter(|_| numbered.kind != Kind::Closed) else {
        return Vec::new();
    };
    let mut quarters: Vec<usize> = (0..=2).map(|quarter| (quarter * moves + 1) / 4).collect();
    if numbered.is_directed() {
        quarters.extend([moves - quarters[1], moves]);
    }
    quarters.dedup();
    quarters
}

/// Checks that tours of a board can be measured.
///
/// # Errors
/// The board is not a plain one.
pub fn measurable(arena: &Arena) -> Result<(), ClassError> {
    Plane::of(arena).map(|_| ()).ok_or_else(|| ClassError::NoBoard(arena.title()))
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    use super::*;
    use crate::index::Place;
    use crate::index::tests::listed;

    /// Returns the mean of each measure over a complete list of tours.
    fn means(numbered: &Numbered, after: &[usize]) -> Vec<f64> {
        let plane = Plane::of(&numbered.arena).unwrap();
        let all = listed(numbered, false);
        let is_closed = numbered.kind == Kind::Closed;
        let mut sums = vec![0.0; NAMES.len() + after.len()];
        for tour in &all {
            let values = values(&plane, tour, is_closed, after, numbered.is_directed());
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        }
        sums.iter().map(|sum| sum / all.len() as f64).collect()
    }

    #[test]
    fn samples_agree_with_the_full_list() {
        let paths = Numbered::new("5x5".parse().unwrap(), Kind::Paths);
        for numbered in [
            Numbered::new("6x6".parse().unwrap(), Kind::Closed),
            Numbered { start: Some(12), ..paths.clone() },
            Numbered { end: Some(12), ..paths.clone() },
            paths,
        ] {
            let index = Index::new(&numbered, &Place::Memory, &Control::new()).unwrap();
            let after = quarters(&numbered);
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
            let found = index.measured(4000, &after, &mut rng, &Control::new()).unwrap();
            assert_eq!(found.len(), NAMES.len() + after.len());
            for (measure, mean) in found.iter().zip(means(&numbered, &after)) {
                assert!((measure.mean - mean).abs() < 4.0 * measure.error.max(1e-9), "{measure:?} {mean}");
            }
        }
    }

    #[test]
    fn a_board_and_its_mirror_images_measure_alike() {
        let of = |removed: &str, kind| {
            let numbered =
                Numbered::new(format!("board=5x5 piece=1,2 remove={removed}").parse().unwrap(), kind);
            means(&numbered, &(0..22).collect::<Vec<_>>())
        };
        for kind in [Kind::Paths, Kind::Open] {
            let first = of("e1,e2,e3", kind);
            assert!(first[0] > 0.0);
            for other in ["a1,a2,a3", "e5,e4,e3", "a5,a4,a3", "a1,b1,c1"].map(|removed| of(removed, kind)) {
                let apart = first.iter().zip(&other).map(|(one, other)| (one - other).abs());
                assert!(apart.fold(0.0, f64::max) < 1e-9, "{first:?} {other:?}");
            }
        }
    }

    #[test]
    fn quarters_are_the_same_from_both_ends() {
        for (board, both, from) in [
            ("5x5", vec![0, 6, 12], vec![0, 6, 12, 18, 24]),
            ("5x6", vec![0, 7, 14], vec![0, 7, 14, 22, 29]),
            ("3x9", vec![0, 6, 13], vec![0, 6, 13, 20, 26]),
            ("8x8", vec![0, 16, 31], vec![0, 16, 31, 47, 63]),
            ("1x1", vec![0], vec![0]),
        ] {
            let numbered = Numbered::new(board.parse().unwrap(), Kind::Paths);
            assert_eq!(quarters(&numbered), both, "{board}");
            assert_eq!(quarters(&Numbered { end: Some(0), ..numbered }), from, "{board}");
        }
        assert!(quarters(&Numbered::new("6x6".parse().unwrap(), Kind::Closed)).is_empty());
    }
}
