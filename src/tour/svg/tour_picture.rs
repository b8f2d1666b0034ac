//! The parts of an SVG picture of one tour: its position on the page, the board with squares, holes
//! and labels, the line of the tour, the discs with numbers, and the options of the picture.
//!
//! The line has one colour if the tour is closed; otherwise its colour goes through the colours of
//! the palette.

use std::collections::HashSet;
use std::fmt;
use std::fmt::Write;

use super::page::{LabelStyle, PixelGrid, write_file_names, write_rank_names, write_vertex_mark};
use super::stroke_font;
use super::stroke_font::TextRendering;
use crate::board::Square;
use crate::tour::move_segment::{MoveSegment, MoveStub, STUB_OVERHANG_SIDES};
use crate::tour::palette::Colours;
use crate::tour::scene::TourScene;
use crate::tour::vertex_positions::{NoLayout, VertexPositions};
use crate::tour::{Palette, Tour};

/// The position and size, in pixels, of the picture of one tour on the page, and what it shows.
pub(super) struct TourGeometry<'a> {
    pub(super) tour: &'a Tour,
    pub(super) scene: TourScene,
    pub(super) grid: PixelGrid<'a>,
    /// Positions of the vertices of the tour, in order of visit.
    pub(super) squares: Vec<Square>,
    pub(super) has_numbers: bool,
    pub(super) style: &'a SvgStyle,
    pub(super) colours: &'static Colours,
}

impl<'a> TourGeometry<'a> {
    /// Creates the geometry of the picture of `tour`: squares of `cell` pixels, the top left corner of the
    /// board at (`left`, `top`) in pixels, and move numbers if `has_numbers` is true.
    pub(super) fn new(
        tour: &'a Tour,
        style: &'a SvgStyle,
        (left, top, cell): (f64, f64, f64),
        has_numbers: bool,
    ) -> Result<Self, NoLayout> {
        let positions = VertexPositions::of_board(tour.board())?;
        Ok(Self {
            tour,
            scene: TourScene::new(tour),
            grid: PixelGrid { positions, cell, left, top },
            squares: tour.squares()?,
            has_numbers,
            style,
            colours: style.palette.colours(),
        })
    }

    /// Returns the centre of the square at an index of the tour, in pixels.
    fn centre(&self, index: usize) -> (f64, f64) {
        self.grid.centre(self.squares[index])
    }
}

impl TourGeometry<'_> {
    /// Returns the drawing of the move between the vertices at the indices `from` and `to` of the
    /// tour, which are consecutive.
    pub(super) fn segment(&self, from: usize, to: usize) -> MoveSegment {
        match (self.stub(from, to), self.stub(to, from)) {
            (Some(leaving), Some(coming)) => MoveSegment::Stubs(leaving, coming),
            _ => MoveSegment::Straight,
        }
    }

    /// Returns the stub, at index `at` of the tour, of the move to or from index `to`, which is the
    /// previous or the next one; `None` if the move is drawn as a line.
    fn stub(&self, at: usize, to: usize) -> Option<MoveStub> {
        let vertices = self.tour.vertices();
        let (before, after) = (self.previous_index(at), self.next_index(at));
        let other = if after == Some(to) { before } else { after };
        MoveStub::new_avoiding(
            &self.grid.positions,
            vertices[at],
            vertices[to],
            other.map(|other| vertices[other]),
        )
    }

    /// Returns the stubs of the moves to and from index `at` of the tour.
    pub(super) fn stubs(&self, at: usize) -> impl Iterator<Item = MoveStub> {
        [self.previous_index(at), self.next_index(at)]
            .into_iter()
            .flatten()
            .filter_map(move |to| self.stub(at, to))
    }

    fn previous_index(&self, at: usize) -> Option<usize> {
        at.checked_sub(1).or_else(|| self.scene.is_closed.then_some(self.scene.last()))
    }

    fn next_index(&self, at: usize) -> Option<usize> {
        if at < self.scene.last() { Some(at + 1) } else { self.scene.is_closed.then_some(0) }
    }

    /// Returns true if the board is a box with several layers.
    pub(super) fn has_layers(&self) -> bool {
        self.grid.positions.panels().1 < self.grid.positions.cols()
    }

    /// Returns the end, in pixels, of a stub at the square at an index of the tour.
    fn stub_end(&self, index: usize, stub: MoveStub) -> (f64, f64) {
        let ((x, y), (right, up)) = (self.centre(index), stub.offset);
        (x + right * self.grid.cell, y - up * self.grid.cell)
    }
}

/// Returns how many pixels the lines of a tour need beyond the board. If edges are joined, they are
/// the length of a stub beyond the edge plus the line width, otherwise 0.
pub(super) fn overhang_pixels(tour: &Tour, cell: f64) -> Result<f64, NoLayout> {
    let goes_beyond = VertexPositions::of_board(tour.board())?.has_joined_edges();
    Ok(if goes_beyond { STUB_OVERHANG_SIDES * cell + line_width(cell) } else { 0.0 })
}

/// Returns the width in pixels of the line of a tour, on squares of `cell` pixels.
pub(super) fn line_width(cell: f64) -> f64 {
    (cell * 0.075).clamp(0.4, 4.0)
}

/// Writes the board of a tour: squares, holes and the border.
pub(super) fn write_board(out: &mut impl Write, frame: &TourGeometry) -> fmt::Result {
    let PixelGrid { positions, cell, left, top } = &frame.grid;
    let Colours { light, dark, frame: line, .. } = frame.colours;
    let height = frame.grid.height();
    let panels = || {
        let (firsts, width) = positions.panels();
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
    for square in positions.positions().filter(|square| square.is_dark()) {
        let (x, y) = frame.grid.centre(square);
        write!(out, "M{:.2} {:.2}h{cell:.2}v{cell:.2}h-{cell:.2}z", x - cell / 2.0, y - cell / 2.0)?;
    }
    out.write_str("\"/>\n")?;
    let holes = positions.holes();
    for &square in &holes {
        let (x, y) = frame.grid.centre(square);
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
    // The border follows the squares that are not removed.
    write!(
        out,
        r##"<path fill="none" stroke="{line}" stroke-width="{thickness:.2}" stroke-linecap="square" d=""##
    )?;
    let is_present = |square: Square| {
        square.rank() < positions.rows()
            && square.file() < positions.cols()
            && positions.file_of_column(square.file()).is_some()
            && !holes.contains(&square)
    };
    let half = cell / 2.0;
    for square in positions.positions() {
        let (x, y) = frame.grid.centre(square);
        // The sides to the left, to the right, above and below.
        for (step, corner, line) in [
            ((-1, 0), (x - half, y - half), 'v'),
            ((1, 0), (x + half, y - half), 'v'),
            ((0, 1), (x - half, y - half), 'h'),
            ((0, -1), (x - half, y + half), 'h'),
        ] {
            if !square.offset(step.0, step.1).is_some_and(is_present) {
                write!(out, "M{:.2} {:.2}{line}{cell:.2}", corner.0, corner.1)?;
            }
        }
    }
    out.write_str("\"/>\n")
}

/// Writes the names of the files below the board and of the ranks to the left of it, unless the
/// names of the vertices differ from those of the squares. On a box, also writes the layer numbers
/// above. `margin` and `reach` are the widths in pixels of the margin and of the stubs beyond the
/// board.
pub(super) fn write_labels(
    out: &mut impl Write,
    frame: &TourGeometry,
    margin: f64,
    reach: f64,
) -> fmt::Result {
    let board = frame.tour.board();
    let is_named = |(v, square): (u32, Square)| board.name(v) == square.to_string();
    let (grid, has_layers) = (&frame.grid, frame.has_layers());
    let (firsts, width) = grid.positions.panels();
    if board.leaper_board().is_none() && !has_layers && !(0..).zip(grid.positions.positions()).all(is_named) {
        return Ok(());
    }
    let size = (grid.cell * 0.28).clamp(7.0, 14.0);
    let (letters, colour) = (frame.style.text_rendering, frame.colours.frame);
    let style = LabelStyle { letters, size, colour };
    out.write_str("<g text-anchor=\"middle\">\n")?;
    write_file_names(out, grid, style, grid.top + grid.height() + reach + margin * 0.62)?;
    for (layer, first) in (1..).zip(firsts).filter(|_| has_layers) {
        let middle = grid.left + (f64::from(first) + f64::from(width) / 2.0) * grid.cell;
        let at = (middle, grid.top - margin * 0.3);
        stroke_font::write_word(out, letters, at, size, colour, &format!("layer {layer}"))?;
    }
    write_rank_names(out, grid, style, (grid.left - reach - margin * 0.5, size * 0.36))?;
    out.write_str("</g>\n")
}

/// Minimum side of a square, in pixels, at which layer numbers at the ends of stubs are readable.
const MIN_DIGIT_CELL_PIXELS: f64 = 30.0;

/// Maximum number of pieces of the line of an open path; each piece has its own colour.
const MAX_COLOUR_PIECES: usize = 64;

/// Writes the SVG path of the moves from index `from` to index `to` of the tour, and of the move
/// back to `from` if `returns` is true.
fn write_moves(
    out: &mut impl Write,
    frame: &TourGeometry,
    from: usize,
    to: usize,
    returns: bool,
) -> fmt::Result {
    let (x, y) = frame.centre(from);
    write!(out, "M{x:.1} {y:.1}")?;
    let mut is_whole = true;
    for i in from..to {
        is_whole &= !write_move(out, frame, i, i + 1)?;
    }
    if returns {
        // After a pen lift, `Z` would lead back to the last lift and not to the start.
        match frame.segment(to, from) {
            MoveSegment::Straight if is_whole => out.write_str("Z")?,
            _ => write_move(out, frame, to, from).map(|_| ())?,
        }
    }
    Ok(())
}

/// Writes the SVG path of one move, as a line or as two stubs. Returns true if it wrote stubs.
fn write_move(
    out: &mut impl Write,
    frame: &TourGeometry,
    from: usize,
    to: usize,
) -> Result<bool, fmt::Error> {
    let (x, y) = frame.centre(to);
    let stubs = frame.segment(from, to);
    if let MoveSegment::Stubs(leaving, coming) = stubs {
        let (a, b) = frame.stub_end(from, leaving);
        let (c, d) = frame.stub_end(to, coming);
        write!(out, "L{a:.1} {b:.1}M{c:.1} {d:.1}")?;
    }
    write!(out, "L{x:.1} {y:.1}")?;
    Ok(stubs != MoveSegment::Straight)
}

fn open_line_group(out: &mut impl Write, frame: &TourGeometry) -> fmt::Result {
    let width = line_width(frame.grid.cell);
    writeln!(
        out,
        r##"<g fill="none" stroke-width="{width:.2}" stroke-linejoin="round" stroke-linecap="round" stroke-opacity="0.9">"##
    )
}

pub(super) fn write_tour_line(out: &mut impl Write, frame: &TourGeometry) -> fmt::Result {
    let count = frame.scene.last();
    open_line_group(out, frame)?;
    if frame.scene.is_closed {
        write!(out, r##"<path stroke="{}" d=""##, frame.colours.closed)?;
        write_moves(out, frame, 0, count, true)?;
        out.write_str("\"/>\n")?;
    } else {
        let pieces = count.min(MAX_COLOUR_PIECES);
        for piece in 0..pieces {
            let (from, to) = (piece * count / pieces, (piece + 1) * count / pieces);
            let at = if pieces > 1 { piece as f64 / (pieces - 1) as f64 } else { 0.0 };
            write!(out, r##"<path stroke="{}" d=""##, frame.colours.ramp_colour(at))?;
            write_moves(out, frame, from, to, false)?;
            out.write_str("\"/>\n")?;
        }
    }
    out.write_str("</g>\n")
}

/// Writes a disc at each square of the tour, with the move number if numbers are requested. The
/// start and the end are emphasised; the end is a diamond.
pub(super) fn write_discs(out: &mut impl Write, frame: &TourGeometry) -> fmt::Result {
    let cell = frame.grid.cell;
    let digits = (frame.style.first_number + frame.scene.last() as u64).to_string().len();
    let size = match frame.has_layers() {
        _ if digits > 3 => 0.2 * cell,
        true => 0.25 * cell,
        false => 0.27 * cell,
    };
    // The radius is smaller if stubs have layer numbers.
    let radius = match frame.has_layers() {
        _ if !frame.has_numbers => 0.09 * cell,
        true => 0.23 * cell,
        false => 0.28 * cell,
    };
    let colours = frame.colours;
    writeln!(out, r##"<g text-anchor="middle" stroke-width="{:.2}">"##, cell * 0.025)?;
    for i in 0..frame.squares.len() {
        let ((x, y), mark) = (frame.centre(i), frame.scene.mark(i));
        if mark.is_none() && !frame.has_numbers && cell < 8.0 {
            continue;
        }
        let plain = if frame.has_numbers { colours.disc } else { colours.frame };
        let r = if mark.is_some() { radius.max(cell * 0.22).max(1.2) } else { radius };
        let fill = mark.map_or(plain, |mark| colours.mark(mark));
        let stroke = if frame.has_numbers { colours.frame } else { "none" };
        write_vertex_mark(out, (x, y), r, mark, (fill, stroke))?;
        if frame.has_numbers {
            let ink = if mark.is_some() { "#ffffff" } else { colours.ink };
            let number = (frame.style.first_number + i as u64).to_string();
            stroke_font::write_word(
                out,
                frame.style.text_rendering,
                (x, y + size * 0.36),
                size,
                ink,
                &number,
            )?;
        }
    }
    out.write_str("</g>\n")
}

/// Writes the number of the layer that each move between layers leads to, in a small disc at the
/// end of its stub. Writes nothing if the squares are too small.
pub(super) fn write_layer_numbers(out: &mut impl Write, frame: &TourGeometry) -> fmt::Result {
    if !frame.has_layers() || frame.grid.cell < MIN_DIGIT_CELL_PIXELS {
        return Ok(());
    }
    let (radius, size, colours) = (frame.grid.cell * 0.1, frame.grid.cell * 0.17, frame.colours);
    out.write_str("<g text-anchor=\"middle\">\n")?;
    for i in 0..frame.squares.len() {
        for stub in frame.stubs(i) {
            let ((x, y), Some(layer)) = (frame.stub_end(i, stub), stub.layer) else { continue };
            let fill = colours.disc;
            writeln!(out, r##"<circle cx="{x:.1}" cy="{y:.1}" r="{radius:.2}" fill="{fill}"/>"##)?;
            let (letters, number) = (frame.style.text_rendering, layer.to_string());
            stroke_font::write_word(out, letters, (x, y + size * 0.36), size, colours.ink, &number)?;
        }
    }
    out.write_str("</g>\n")
}

/// Writes the line of a tour that draws itself while the piece moves along it, in an endless loop of
/// `seconds` seconds. Pieces other than the knight and the king are a disc.
pub(super) fn write_animated_line(out: &mut impl Write, frame: &TourGeometry, seconds: f64) -> fmt::Result {
    open_line_group(out, frame)?;
    let colour = frame.colours.closed;
    write!(out, r##"<path id="way" stroke="{colour}" pathLength="1" stroke-dasharray="1 1" d=""##)?;
    write_moves(out, frame, 0, frame.scene.last(), frame.scene.is_closed)?;
    writeln!(
        out,
        r##""><animate attributeName="stroke-dashoffset" from="1" to="0" dur="{seconds}s" repeatCount="indefinite"/></path>"##
    )?;
    out.write_str("</g>\n")?;
    let size = frame.grid.cell * 0.9;
    let (tag, attributes, symbol) = match frame.tour.board().piece().and_then(|piece| piece.name()) {
        Some(name @ ("knight" | "king")) => (
            "text",
            format!(r##"font-size="{size:.1}" text-anchor="middle" y="{:.1}""##, size * 0.35),
            if name == "knight" { "&#9822;" } else { "&#9818;" },
        ),
        _ => ("circle", format!(r##"r="{:.1}""##, size * 0.25), ""),
    };
    writeln!(
        out,
        r##"<{tag} {attributes} fill="#111111" opacity="0">{symbol}<set attributeName="opacity" to="1"/><animateMotion dur="{seconds}s" repeatCount="indefinite"><mpath href="#way"/></animateMotion></{tag}>"##
    )
}

/// Options of an SVG picture.
#[derive(Clone, Debug)]
pub struct SvgStyle {
    /// Side of a square in pixels. Default: depends on the size of the board.
    pub cell_pixels: Option<f64>,
    /// True if move numbers are drawn. Default: true if squares are large enough.
    pub has_numbers: Option<bool>,
    /// Number of the first square; the squares are numbered in order of visit.
    pub first_number: u64,
    /// Duration in seconds of an animation in which the piece moves along the tour; `None` for a still
    /// picture.
    pub animation_seconds: Option<f64>,
    /// Colours of the picture.
    pub palette: Palette,
    /// Way in which numbers and words are drawn: as SVG text or as strokes.
    pub text_rendering: TextRendering,
}

impl Default for SvgStyle {
    fn default() -> Self {
        Self {
            cell_pixels: None,
            has_numbers: None,
            first_number: 1,
            animation_seconds: None,
            palette: Palette::default(),
            text_rendering: TextRendering::default(),
        }
    }
}
