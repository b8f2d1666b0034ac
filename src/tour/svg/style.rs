//! Options of an SVG picture.

use crate::tour::Palette;

use super::letters::Letters;

/// Options of an SVG picture.
#[derive(Clone, Debug)]
pub struct SvgStyle {
    /// Side of a square in pixels. Default: chosen by the size of the board.
    pub cell: Option<f64>,
    /// Whether move numbers are drawn. Default: only if squares are large enough.
    pub numbers: Option<bool>,
    /// First move number.
    pub number_from: u64,
    /// Duration in seconds of an animation in which a knight moves along the tour; `None` for a still
    /// picture.
    pub animate: Option<f64>,
    /// Colours.
    pub palette: Palette,
    /// Rendering of numbers and words.
    pub letters: Letters,
}

impl Default for SvgStyle {
    fn default() -> Self {
        let (palette, letters) = (Palette::default(), Letters::default());
        Self { cell: None, numbers: None, number_from: 1, animate: None, palette, letters }
    }
}
