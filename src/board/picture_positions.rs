//! [`PicturePositions`]: the positions of the vertices of a graph in pictures.

/// Positions of the vertices in the unit square: right, and up. They fill the square in width or in height.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PicturePositions {
    /// Multiples of 1/65535.
    places: Vec<(u16, u16)>,
}

impl PicturePositions {
    /// Scales positions to the unit square: as large as possible, and centred. Returns `None` if a position is not
    /// finite.
    pub(super) fn new(positions: &[(f64, f64)]) -> Option<Self> {
        let place = |share: f64| (share * f64::from(u16::MAX)).round() as u16;
        let places = fit_unit_square(positions)?.into_iter().map(|(x, y)| (place(x), place(y)));
        Some(Self { places: places.collect() })
    }

    /// Returns the position of each vertex: right and up, from 0 to 1.
    pub fn positions(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let share = |place: u16| f64::from(place) / f64::from(u16::MAX);
        self.places.iter().map(move |&(x, y)| (share(x), share(y)))
    }
}

/// Returns the positions scaled to the unit square: as large as possible, and centred; `None` if a position is not
/// finite.
pub(crate) fn fit_unit_square(positions: &[(f64, f64)]) -> Option<Vec<(f64, f64)>> {
    let range = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), at| (at.min(least), at.max(most)))
    };
    let (left, right) = range(&mut positions.iter().map(|at| at.0));
    let (bottom, top) = range(&mut positions.iter().map(|at| at.1));
    let size = (right - left).max(top - bottom);
    if !positions.iter().all(|(x, y)| x.is_finite() && y.is_finite()) || size == f64::INFINITY {
        return None;
    }
    let share = |at: f64, least: f64, most: f64| {
        if size > 0.0 { 0.5 + (at - least - (most - least) / 2.0) / size } else { 0.5 }
    };
    Some(positions.iter().map(|&(x, y)| (share(x, left, right), share(y, bottom, top))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_fill_the_unit_square() {
        let scaled = |positions: &[(f64, f64)]| -> Vec<(f64, f64)> {
            PicturePositions::new(positions).unwrap().positions().collect()
        };
        let near = |found: &[(f64, f64)], expected: &[(f64, f64)]| {
            assert_eq!(found.len(), expected.len());
            for (a, b) in found.iter().zip(expected) {
                assert!((a.0 - b.0).abs() < 1e-4 && (a.1 - b.1).abs() < 1e-4, "{found:?}");
            }
        };
        near(&scaled(&[(-1.0, 7.0), (1.0, 7.0), (0.0, 8.0)]), &[(0.0, 0.25), (1.0, 0.25), (0.5, 0.75)]);
        near(&scaled(&[(3.0, -2.0)]), &[(0.5, 0.5)]);
        near(&scaled(&[]), &[]);
        assert_eq!(PicturePositions::new(&[(f64::NAN, 0.0)]), None);
        assert_eq!(PicturePositions::new(&[(-f64::MAX, 0.0), (f64::MAX, 0.0)]), None);
    }
}
