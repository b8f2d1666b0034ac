//! The board of one tour on the page: its position, squares, holes and labels.

use std::collections::HashSet;
use std::fmt::{self, Write};

use crate::board::Square;
use crate::tour::move_segment::{MoveSegment, MoveStub, STUB_OVERHANG_SIDES};
use crate::tour::palette::Colours;
use crate::tour::vertex_positions::{NoLayout, VertexPositions};
use crate::tour::{Tour, TourKind};

use super::stroke_font;
use super::stroke_font::TextRendering;
use super::style::SvgStyle;

/// Geometry of one tour on the page, in pixels.
pub(super) struct TourGeometry<'a> {
    pub(super) tour: &'a Tour,
    positions: VertexPositions<'a>,
    /// Squares of the tour, in order of visit.
    pub(super) squares: Vec<Square>,
    pub(super) cell: f64,
    /// Top left corner of the board.
    left: f64,
    top: f64,
    pub(super) has_numbers: bool,
    pub(super) first_number: u64,
    pub(super) colours: &'static Colours,
    pub(super) text_rendering: TextRendering,
}

impl<'a> TourGeometry<'a> {
    /// Returns a geometry with cells of `cell` pixels and the corner of the board at the top left of the
    /// page, without numbers.
    pub(super) fn new(tour: &'a Tour, cell: f64, style: &SvgStyle) -> Result<Self, NoLayout> {
        let (places, squares) = (VertexPositions::of_board(tour.board())?, tour.squares()?);
        let (colours, letters) = (style.palette.colours(), style.text_rendering);
        let number_from = style.first_number;
        Ok(Self {
            tour,
            positions: places,
            squares,
            cell,
            left: 0.0,
            top: 0.0,
            has_numbers: false,
            first_number: number_from,
            colours,
            text_rendering: letters,
        })
    }

    /// Returns the geometry with the corner of the board at (`left`, `top`).
    pub(super) fn with_corner(self, left: f64, top: f64) -> Self {
        Self { left, top, ..self }
    }

    /// Returns the geometry with or without move numbers.
    pub(super) fn with_numbers(self, numbers: bool) -> Self {
        Self { has_numbers: numbers, ..self }
    }

    pub(super) fn width(&self) -> f64 {
        f64::from(self.positions.cols()) * self.cell
    }

    pub(super) fn height(&self) -> f64 {
        f64::from(self.positions.rows()) * self.cell
    }

    /// Returns the centre of a square.
    pub(super) fn centre(&self, square: Square) -> (f64, f64) {
        let row = self.positions.rows() - 1 - square.rank();
        (
            self.left + (f64::from(square.file()) + 0.5) * self.cell,
            self.top + (f64::from(row) + 0.5) * self.cell,
        )
    }
}

impl TourGeometry<'_> {
    /// Returns the drawing of the move between two consecutive positions of the tour.
    pub(super) fn segment(&self, from: usize, to: usize) -> MoveSegment {
        match (self.stub(from, to), self.stub(to, from)) {
            (Some(leaving), Some(coming)) => MoveSegment::Stubs(leaving, coming),
            _ => MoveSegment::Straight,
        }
    }

    /// Returns the stub at position `at` of the move to the previous or next position, or `None` if the move
    /// is drawn as a line.
    fn stub(&self, at: usize, to: usize) -> Option<MoveStub> {
        let vertices = self.tour.vertices();
        let (before, after) = (self.previous_index(at), self.next_index(at));
        let other = if after == Some(to) { before } else { after };
        MoveStub::new_avoiding(
            &self.positions,
            vertices[at],
            vertices[to],
            other.map(|other| vertices[other]),
        )
    }

    /// Returns the stubs at a position of the tour.
    pub(super) fn stubs(&self, at: usize) -> impl Iterator<Item = MoveStub> {
        [self.previous_index(at), self.next_index(at)]
            .into_iter()
            .flatten()
            .filter_map(move |to| self.stub(at, to))
    }

    fn previous_index(&self, at: usize) -> Option<usize> {
        let is_closed = self.tour.kind() == TourKind::Closed;
        at.checked_sub(1).or_else(|| is_closed.then_some(self.squares.len() - 1))
    }

    fn next_index(&self, at: usize) -> Option<usize> {
        let is_closed = self.tour.kind() == TourKind::Closed;
        let next = at + 1;
        if next < self.squares.len() { Some(next) } else { is_closed.then_some(0) }
    }

    /// Returns true if the board has several layers.
    pub(super) fn has_layers(&self) -> bool {
        self.positions.panels().1 < self.positions.cols()
    }

    /// Returns the point at an offset, in sides of a square to the right and up, from the centre of a square.
    pub(super) fn offset_point(&self, square: Square, (right, up): (f64, f64)) -> (f64, f64) {
        let (x, y) = self.centre(square);
        (x + right * self.cell, y - up * self.cell)
    }
}

/// Returns the pixels that lines need beyond the board: the length of stubs and the line width if edges are
/// glued, else 0.
pub(super) fn overhang_pixels(tour: &Tour, cell: f64) -> Result<f64, NoLayout> {
    let goes_beyond = VertexPositions::of_board(tour.board())?.has_joined_edges();
    Ok(if goes_beyond { STUB_OVERHANG_SIDES * cell + line_width(cell) } else { 0.0 })
}

/// Returns the width of the tour's line.
pub(super) fn line_width(cell: f64) -> f64 {
    (cell * 0.075).clamp(0.4, 4.0)
}

/// Writes squares, holes and the border.
pub(super) fn write_board(out: &mut impl Write, frame: &TourGeometry) -> fmt::Result {
    let TourGeometry { positions: places, cell, left, top, colours, .. } = frame;
    let Colours { light, dark, frame: line, .. } = colours;
    let height = frame.height();
    let panels = || {
        let (firsts, width) = places.panels();
        firsts.map(move |first| (left + f64::from(first) * cell, f64::from(width) * cell))
    };
    for (left, width) in panels() {
        writeln!(
            out,
            r##"<rect x="{left:.2}" y="{top:.2}" width="{width:.2}" height="{height:.2}" fill="{light}"/>"##
        )?;
    }
    // One path holds all dark squares.
    write!(out, r##"<path fill="{dark}" d=""##)?;
    for square in places.positions().filter(|square| square.is_dark()) {
        let (x, y) = frame.centre(square);
        write!(out, "M{:.2} {:.2}h{cell:.2}v{cell:.2}h-{cell:.2}z", x - cell / 2.0, y - cell / 2.0)?;
    }
    out.write_str("\"/>\n")?;
    let holes: Vec<Square> =
        places.holes().into_iter().filter(|square| places.file_of_column(square.file()).is_some()).collect();
    for &square in &holes {
        let (x, y) = frame.centre(square);
        writeln!(
            out,
            r##"<rect x="{:.2}" y="{:.2}" width="{cell:.2}" height="{cell:.2}" fill="#ffffff"/>"##,
            x - cell / 2.0,
            y - cell / 2.0
        )?;
    }
    let thickness = (cell * 0.04).clamp(0.5, 2.0);
    let holes: HashSet<Square> = holes.into_iter().collect();
    if holes.is_empty() {
        for (left, width) in panels() {
            writeln!(
                out,
                r##"<rect x="{left:.2}" y="{top:.2}" width="{width:.2}" height="{height:.2}" fill="none" stroke="{line}" stroke-width="{thickness:.2}"/>"##
            )?;
        }
        return Ok(());
    }
    // The border follows the existing squares.
    write!(
        out,
        r##"<path fill="none" stroke="{line}" stroke-width="{thickness:.2}" stroke-linecap="square" d=""##
    )?;
    for square in places.positions() {
        let (x, y) = frame.centre(square);
        let (file, rank) = (square.file(), square.rank());
        let is_there = |file: Option<u16>, rank: Option<u16>| {
            let (Some(file), Some(rank)) = (file, rank) else { return false };
            rank < places.rows()
                && places.file_of_column(file).is_some()
                && file < places.cols()
                && !holes.contains(&Square::new(file, rank))
        };
        let half = cell / 2.0;
        if !is_there(file.checked_sub(1), Some(rank)) {
            write!(out, "M{:.2} {:.2}v{cell:.2}", x - half, y - half)?;
        }
        if !is_there(Some(file + 1), Some(rank)) {
            write!(out, "M{:.2} {:.2}v{cell:.2}", x + half, y - half)?;
        }
        if !is_there(Some(file), Some(rank + 1)) {
            write!(out, "M{:.2} {:.2}h{cell:.2}", x - half, y - half)?;
        }
        if !is_there(Some(file), rank.checked_sub(1)) {
            write!(out, "M{:.2} {:.2}h{cell:.2}", x - half, y + half)?;
        }
    }
    out.write_str("\"/>\n")?;
    Ok(())
}

/// Writes files below and ranks at the left if they are the names of the squares, and layer numbers above.
pub(super) fn write_labels(
    out: &mut impl Write,
    frame: &TourGeometry,
    margin: f64,
    reach: f64,
) -> fmt::Result {
    let board = frame.tour.board();
    let is_named = |(v, square): (u32, Square)| board.name(v) == square.to_string();
    let (firsts, width) = frame.positions.panels();
    let has_layers = frame.has_layers();
    if board.leaper_board().is_none() && !has_layers && !(0..).zip(frame.positions.positions()).all(is_named)
    {
        return Ok(());
    }
    let size = (frame.cell * 0.28).clamp(7.0, 14.0);
    out.write_str("<g text-anchor=\"middle\">\n")?;
    let mut label = |at, name: &str| {
        stroke_font::write_word(out, frame.text_rendering, at, size, frame.colours.frame, name)
    };
    for column in 0..frame.positions.cols() {
        let Some(file) = frame.positions.file_of_column(column) else { continue };
        let at = (frame.centre(Square::new(column, 0)).0, frame.top + frame.height() + reach + margin * 0.62);
        label(at, Square::new(file, 0).to_string().trim_end_matches('1'))?;
    }
    for (layer, first) in (1..).zip(firsts).filter(|_| has_layers) {
        let middle = frame.left + (f64::from(first) + f64::from(width) / 2.0) * frame.cell;
        label((middle, frame.top - margin * 0.3), &format!("layer {layer}"))?;
    }
    for rank in 0..frame.positions.rows() {
        let y = frame.centre(Square::new(0, rank)).1 + size * 0.36;
        label((frame.left - reach - margin * 0.5, y), &(u32::from(rank) + 1).to_string())?;
    }
    out.write_str("</g>\n")
}
