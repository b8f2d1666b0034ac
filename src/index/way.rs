//! The measures of one tour are computed from its squares in the plane.

/// File and rank of a square.
pub type Point = (i32, i32);

/// Number of measures that do not depend on the direction of travel.
pub const MEASURE_COUNT: usize = 6;

/// Names of the measures.
pub const MEASURE_NAMES: [&str; MEASURE_COUNT] =
    ["crossings", "straight", "right angles", "sharp turns", "wide turns", "longest run"];

/// Returns the measures of a path or closed tour, in the order of [`MEASURE_NAMES`]. Cost: O(moves^2) for the
/// crossings.
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

/// Returns the distance of a tour from a point after some moves; the mean over both directions if the tour is
/// undirected.
pub fn distance_after(points: &[Point], moves: usize, is_directed: bool, (x, y): (f64, f64)) -> f64 {
    let of = |point: Point| (f64::from(point.0) - x).hypot(f64::from(point.1) - y);
    let here = of(points[moves]);
    // This order of the sum gives equal results for a tour and its reverse.
    if is_directed { here } else { 0.5 * (here + of(points[points.len() - 1 - moves])) }
}

/// Returns true if two moves cross between their ends.
fn moves_cross(a: Point, b: Point, c: Point, d: Point) -> bool {
    let side =
        |p: Point, q: Point, r: Point| ((q.0 - p.0) * (r.1 - p.1) - (q.1 - p.1) * (r.0 - p.0)).signum();
    side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measure_points_of_short_path() {
        // A knight's path of three moves: straight, then a right turn across its own line.
        let way = [(0, 0), (1, 2), (2, 4), (4, 3)];
        assert_eq!(measure_points(&way, false), [0.0, 1.0, 1.0, 0.0, 0.0, 2.0]);
        assert!(moves_cross((0, 0), (1, 2), (0, 1), (2, 0)) && !moves_cross((0, 0), (1, 2), (1, 2), (2, 0)));
        let square = [(0, 0), (1, 0), (1, 1), (0, 1)];
        assert_eq!(measure_points(&square, true), [0.0, 0.0, 4.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn distance_after_is_mean_over_directions() {
        let way = [(0, 0), (1, 2), (2, 4), (4, 3)];
        assert_eq!(
            (distance_after(&way, 0, true, (0.0, 0.0)), distance_after(&way, 3, true, (0.0, 0.0))),
            (0.0, 5.0)
        );
        let back: Vec<Point> = way.iter().rev().copied().collect();
        for moves in 0..4 {
            let both = distance_after(&way, moves, false, (1.5, 1.5));
            assert_eq!(both, distance_after(&way, 3 - moves, false, (1.5, 1.5)));
            assert_eq!(both, distance_after(&back, moves, false, (1.5, 1.5)));
        }
        assert_eq!(distance_after(&way, 3, false, (0.0, 0.0)), 2.5);
    }
}
