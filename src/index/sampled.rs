//! What is no sum over moves: statistics of uniform samples, with their standard errors.
//!
//! ```text
//! crossings     pairs of moves whose drawn lines cross between their squares
//! straight      places where a tour goes straight on; right, sharp, wide: turns of 90 degrees, of more, of fewer
//! longest run   the most moves in a row in one direction
//! centre t/4    distance from the middle of the board to the square at a quarter of the way, a half, ..., in squares
//! ```

use rand::Rng;

use crate::board::Arena;
use crate::control::Control;
use crate::tour::{Kind, TourKind};

use super::class::{ClassError, Plane};
use super::error::IndexError;
use super::tours::Index;

/// What was measured of the tours of a sample.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Measure {
    /// What it is.
    pub name: &'static str,
    /// The mean of the sample.
    pub mean: f64,
    /// The standard error of the mean.
    pub error: f64,
    /// The standard deviation of single tours.
    pub deviation: f64,
    /// The least value of the sample, and the greatest.
    pub range: (f64, f64),
}

/// Measures of closed tours, and those of paths besides.
const NAMES: [&str; 10] = [
    "crossings",
    "straight",
    "right angles",
    "sharp turns",
    "wide turns",
    "longest run",
    "centre 0/4",
    "centre 1/4",
    "centre 2/4",
    "centre 3/4",
];

/// How many there are of a closed tour, which begins nowhere.
const CLOSED: usize = 6;

/// The first value, the sum of what others are beyond it, that of its squares, and the range.
type Sum = (f64, f64, f64, (f64, f64));

impl Index {
    /// Measures of so many uniform tours. Cost: that of drawing them, and O(vertices^2) each for crossings.
    ///
    /// # Errors
    /// As for [`Index::samples`].
    ///
    /// # Panics
    /// If the arena is no plain board: see [`measurable`].
    pub fn measured(
        &self,
        number: u64,
        rng: &mut impl Rng,
        control: &Control,
    ) -> Result<Vec<Measure>, IndexError> {
        let numbered = self.numbered();
        let Plane { squares, rows, cols } = Plane::of(&numbered.arena).expect("it can be measured");
        let middle = (f64::from(cols - 1) / 2.0, f64::from(rows - 1) / 2.0);
        let names = if numbered.kind == Kind::Closed { &NAMES[..CLOSED] } else { &NAMES };
        // Sums and sums of squares about the first tour's values: what is added stays small.
        let mut sums: Vec<Sum> = Vec::new();
        let mut count = 0.0;
        self.samples(number, false, rng, control, &mut |kind, vertices| {
            let way: Vec<(i32, i32)> = vertices
                .iter()
                .map(|&v| (squares[v as usize].file().into(), squares[v as usize].rank().into()))
                .collect();
            let values = measures(&way, kind == TourKind::Closed, middle);
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
        let mut found = Vec::with_capacity(names.len());
        for (&name, (first, sum, squares, range)) in names.iter().zip(sums) {
            let mean: f64 = sum / count;
            let variance = if count > 1.0 { (squares - sum * mean).max(0.0) / (count - 1.0) } else { 0.0 };
            let deviation = variance.sqrt();
            found.push(Measure {
                name,
                mean: first + mean,
                error: deviation / f64::sqrt(count),
                deviation,
                range,
            });
        }
        Ok(found)
    }
}

/// Whether tours of an arena can be measured.
///
/// # Errors
/// It is no plain board.
pub fn measurable(arena: &Arena) -> Result<(), ClassError> {
    Plane::of(arena).map(|_| ()).ok_or_else(|| ClassError::NoBoard(arena.title()))
}

/// What is measured of a way, in the order of the names.
fn measures(way: &[(i32, i32)], is_closed: bool, middle: (f64, f64)) -> [f64; NAMES.len()] {
    let len = way.len();
    let moves = if is_closed { len } else { len.saturating_sub(1) };
    let step = |i: usize| {
        let (a, b) = (way[i % len], way[(i + 1) % len]);
        (b.0 - a.0, b.1 - a.1)
    };
    let mut crossings = 0;
    for i in 0..moves {
        for j in i + 1..moves {
            crossings += u32::from(cross(way[i], way[(i + 1) % len], way[j], way[(j + 1) % len]));
        }
    }
    let (mut straight, mut right, mut sharp, mut wide) = (0, 0, 0, 0);
    let turns = if is_closed { moves } else { moves.saturating_sub(1) };
    let (mut run, mut longest) = (1, usize::from(moves > 0));
    // Of a closed tour twice round, as a run may go over its beginning.
    for i in 0..if is_closed { 2 * turns } else { turns } {
        let (a, b) = (step(i), step(i + 1));
        let (along, aside) = (a.0 * b.0 + a.1 * b.1, a.0 * b.1 - a.1 * b.0);
        run = if aside == 0 && along > 0 && a == b { run + 1 } else { 1 };
        longest = longest.max(run.min(moves));
        if i < turns {
            match (aside == 0 && along > 0, along.signum()) {
                (true, _) => straight += 1,
                (_, 0) => right += 1,
                (_, 1) => wide += 1,
                _ => sharp += 1,
            }
        }
    }
    let centre = |quarter: usize| {
        let (x, y) = way[quarter * (len - 1) / 4];
        (f64::from(x) - middle.0).hypot(f64::from(y) - middle.1)
    };
    [
        f64::from(crossings),
        f64::from(straight),
        f64::from(right),
        f64::from(sharp),
        f64::from(wide),
        longest as f64,
        centre(0),
        centre(1),
        centre(2),
        centre(3),
    ]
}

type Point = (i32, i32);

/// Whether two moves cross between their ends.
fn cross(a: Point, b: Point, c: Point, d: Point) -> bool {
    let side =
        |p: Point, q: Point, r: Point| ((q.0 - p.0) * (r.1 - p.1) - (q.1 - p.1) * (r.0 - p.0)).signum();
    side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    use super::*;
    use crate::board::Square;
    use crate::index::tests::listed;
    use crate::index::{Numbered, Place};

    #[test]
    fn a_way_is_measured() {
        // A knight's path of three moves: straight on, then back over its own way at a right angle.
        let way = [(0, 0), (1, 2), (2, 4), (4, 3)];
        let found = measures(&way, false, (2.0, 2.0));
        assert_eq!(found[..6], [0.0, 1.0, 1.0, 0.0, 0.0, 2.0]);
        assert!(cross((0, 0), (1, 2), (0, 1), (2, 0)) && !cross((0, 0), (1, 2), (1, 2), (2, 0)));
        let square = [(0, 0), (1, 0), (1, 1), (0, 1)];
        assert_eq!(measures(&square, true, (0.5, 0.5))[..6], [0.0, 0.0, 4.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn samples_agree_with_the_full_list() {
        let numbered = Numbered::new("6x6".parse().unwrap(), Kind::Closed);
        let index = Index::new(&numbered, &Place::Memory, &Control::new()).unwrap();
        let found = index.measured(4000, &mut Xoshiro256PlusPlus::seed_from_u64(5), &Control::new()).unwrap();
        let all = listed(&numbered, false);
        let way = |tour: &Vec<u32>| -> Vec<Point> {
            let board = numbered.arena.rectangle().unwrap().board();
            let squares: Vec<Square> = board.squares().collect();
            tour.iter()
                .map(|&v| (squares[v as usize].file().into(), squares[v as usize].rank().into()))
                .collect()
        };
        for (i, measure) in found.iter().enumerate() {
            let mean = all.iter().map(|tour| measures(&way(tour), true, (2.5, 2.5))[i]).sum::<f64>()
                / all.len() as f64;
            assert!((measure.mean - mean).abs() < 4.0 * measure.error.max(1e-9), "{measure:?} {mean}");
        }
    }
}
