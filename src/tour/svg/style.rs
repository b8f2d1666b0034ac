//! What a picture shows, and how.

use crate::tour::Palette;

use super::letters::Letters;

/// What a picture shows.
#[derive(Clone, Debug)]
pub struct SvgStyle {
    /// Side of a square in pixels; chosen by the size of the board if missing.
    pub cell: Option<f64>,
    /// Move numbers; only where there is room if missing.
    pub numbers: Option<bool>,
    /// The first move number.
    pub number_from: u64,
    /// The knight walks the tour, in so many seconds.
    pub animate: Option<f64>,
    /// Its colours.
    pub palette: Palette,
    /// How numbers and words are written.
    pub letters: Letters,
}

impl Default for SvgStyle {
    fn default() -> Self {
        let (palette, letters) = (Palette::default(), Letters::default());
        Self { cell: None, numbers: None, number_from: 1, animate: None, palette, letters }
    }
}
