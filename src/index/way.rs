//! A tour as it is drawn on a board, and what can be measured of it.

/// A square's file and rank.
pub type Point = (i32, i32);

/// What a way is like, whichever end one begins at, in the order of [`NAMES`].
pub const MEASURES: usize = 6;

/// What is measured.
pub const NAMES: [&str; MEASURES] =
    ["crossings", "straight", "right angles", "sharp turns", "wide turns", "longest run"];

/// What is measured of a way, in the order of the names. Cost: O(moves^2) for crossings.
pub fn measures(way: &[Point], is_closed: bool) -> [f64; MEASURES] {
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
    [
        f64::from(crossings),
        f64::from(straight),
        f64::from(right),
        f64::from(sharp),
        f64::from(wide),
        longest as f64,
    ]
}

/// How far from a point a way is after so many moves; a mean over both directions, if it has none of its own.
pub fn distance(way: &[Point], moves: usize, is_directed: bool, (x, y): (f64, f64)) -> f64 {
    let of = |point: Point| (f64::from(point.0) - x).hypot(f64::from(point.1) - y);
    let here = of(way[moves]);
    // In this order a way and its reverse have the same sum.
    if is_directed { here } else { 0.5 * (here + of(way[way.len() - 1 - moves])) }
}

/// Whether two moves cross between their ends.
fn cross(a: Point, b: Point, c: Point, d: Point) -> bool {
    let side =
        |p: Point, q: Point, r: Point| ((q.0 - p.0) * (r.1 - p.1) - (q.1 - p.1) * (r.0 - p.0)).signum();
    side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_measured() {
        // A knight's path of three moves: straight on, then back over its own way at a right angle.
        let way = [(0, 0), (1, 2), (2, 4), (4, 3)];
        assert_eq!(measures(&way, false), [0.0, 1.0, 1.0, 0.0, 0.0, 2.0]);
        assert!(cross((0, 0), (1, 2), (0, 1), (2, 0)) && !cross((0, 0), (1, 2), (1, 2), (2, 0)));
        let square = [(0, 0), (1, 0), (1, 1), (0, 1)];
        assert_eq!(measures(&square, true), [0.0, 0.0, 4.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn a_distance_is_that_of_both_directions() {
        let way = [(0, 0), (1, 2), (2, 4), (4, 3)];
        assert_eq!((distance(&way, 0, true, (0.0, 0.0)), distance(&way, 3, true, (0.0, 0.0))), (0.0, 5.0));
        let back: Vec<Point> = way.iter().rev().copied().collect();
        for moves in 0..4 {
            let both = distance(&way, moves, false, (1.5, 1.5));
            assert_eq!(both, distance(&way, 3 - moves, false, (1.5, 1.5)));
            assert_eq!(both, distance(&back, moves, false, (1.5, 1.5)));
        }
        assert_eq!(distance(&way, 3, false, (0.0, 0.0)), 2.5);
    }
}
