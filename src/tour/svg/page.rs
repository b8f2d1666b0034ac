//! The parts that SVG pictures of boards have in common: the head of the document, the grid of the
//! squares in pixels, the names of files and ranks, and the marks of vertices.

use std::fmt::{self, Write};

use super::stroke_font::{TextRendering, escape, write_word};
use crate::board::Square;
use crate::tour::scene::EndMark;
use crate::tour::vertex_positions::VertexPositions;

/// Writes the head of a document of this size in pixels, with a white background.
pub(super) fn write_document_head(out: &mut impl Write, width: f64, height: f64, title: &str) -> fmt::Result {
    writeln!(
        out,
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0}" height="{height:.0}" viewBox="0 0 {width:.2} {height:.2}" font-family="DejaVu Sans, Verdana, sans-serif">"##
    )?;
    writeln!(out, "<title>{}</title>", escape(title))?;
    writeln!(out, r##"<rect width="100%" height="100%" fill="#ffffff"/>"##)
}

/// The squares of a board on the page.
#[derive(Clone, Copy)]
pub(super) struct PixelGrid<'a> {
    pub(super) positions: VertexPositions<'a>,
    /// Side of a square, in pixels.
    pub(super) cell: f64,
    /// Left edge of the board, and (next field) its top edge, in pixels.
    pub(super) left: f64,
    pub(super) top: f64,
}

impl PixelGrid<'_> {
    pub(super) fn width(&self) -> f64 {
        f64::from(self.positions.cols()) * self.cell
    }

    pub(super) fn height(&self) -> f64 {
        f64::from(self.positions.rows()) * self.cell
    }

    /// Returns the centre of a square on the page, in pixels.
    pub(super) fn centre(&self, square: Square) -> (f64, f64) {
        let row = self.positions.rows() - 1 - square.rank();
        (
            self.left + (f64::from(square.file()) + 0.5) * self.cell,
            self.top + (f64::from(row) + 0.5) * self.cell,
        )
    }
}

/// Size and colour of the names of files and ranks.
#[derive(Clone, Copy)]
pub(super) struct LabelStyle {
    pub(super) letters: TextRendering,
    pub(super) size: f64,
    pub(super) colour: &'static str,
}

/// Writes the names of the files on the baseline `y`, in pixels.
pub(super) fn write_file_names(
    out: &mut impl Write,
    grid: &PixelGrid,
    style: LabelStyle,
    y: f64,
) -> fmt::Result {
    for (column, name) in (0..).zip(grid.positions.file_names()) {
        let Some(name) = name else { continue };
        let at = (grid.centre(Square::new(column, 0)).0, y);
        write_word(out, style.letters, at, style.size, style.colour, &name)?;
    }
    Ok(())
}

/// Writes the numbers of the ranks, centred at `x`, `down` pixels below the middle of each rank.
pub(super) fn write_rank_names(
    out: &mut impl Write,
    grid: &PixelGrid,
    style: LabelStyle,
    (x, down): (f64, f64),
) -> fmt::Result {
    for rank in 0..grid.positions.rows() {
        let at = (x, grid.centre(Square::new(0, rank)).1 + down);
        write_word(out, style.letters, at, style.size, style.colour, &(u32::from(rank) + 1).to_string())?;
    }
    Ok(())
}

/// Writes the mark of a vertex: a disc of radius `r`, or a diamond of about the same size at the end of
/// a path.
pub(super) fn write_vertex_mark(
    out: &mut impl Write,
    (x, y): (f64, f64),
    r: f64,
    mark: Option<EndMark>,
    (fill, stroke): (&str, &str),
) -> fmt::Result {
    if mark == Some(EndMark::End) {
        let r = r * 1.25;
        let above = y - r;
        writeln!(
            out,
            r##"<path d="M{x:.1} {above:.1}l{r:.2} {r:.2}l-{r:.2} {r:.2}l-{r:.2} -{r:.2}z" fill="{fill}" stroke="{stroke}"/>"##
        )
    } else {
        writeln!(out, r##"<circle cx="{x:.1}" cy="{y:.1}" r="{r:.2}" fill="{fill}" stroke="{stroke}"/>"##)
    }
}
