//! Options of an SVG picture.

use crate::tour::Palette;

use super::stroke_font::TextRendering;

/// Options of an SVG picture.
#[derive(Clone, Debug)]
pub struct SvgStyle {
    /// Side of a square in pixels. Default: chosen by the size of the board.
    pub cell_pixels: Option<f64>,
    /// Whether move numbers are drawn. Default: only if squares are large enough.
    pub has_numbers: Option<bool>,
    /// First move number.
    pub first_number: u64,
    /// Duration in seconds of an animation in which a knight moves along the tour; `None` for a still
    /// picture.
    pub animation_seconds: Option<f64>,
    /// Colours.
    pub palette: Palette,
    /// Rendering of numbers and words.
    pub text_rendering: TextRendering,
}

impl Default for SvgStyle {
    fn default() -> Self {
        let (palette, letters) = (Palette::default(), TextRendering::default());
        Self {
            cell_pixels: None,
            has_numbers: None,
            first_number: 1,
            animation_seconds: None,
            palette,
            text_rendering: letters,
        }
    }
}
