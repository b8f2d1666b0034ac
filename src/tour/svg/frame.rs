//! The board of one tour on the page: its position, squares, holes and labels.

use std::collections::HashSet;
use std::fmt::{self, Write};

use crate::board::Square;
use crate::tour::leg::{BEYOND, Leg, Stub};
use crate::tour::palette::Colours;
use crate::tour::places::{NoLayout, Places};
use crate::tour::{Tour, TourKind};

use super::letters::{self, Letters};
use super::style::SvgStyle;

/// Geometry of one tour on the page, in pixels.
pub(super) struct Frame<'a> {
    pub(super) tour: &'a Tour,
    places: Places<'a>,
    /// Squares of the tour, in order of visit.
    pub(super) squares: Vec<Square>,
    pub(super) cell: f64,
    /// Top left corner of the board.
    left: f64,
    top: f64,
    pub(super) numbers: bool,
    pub(super) number_from: u64,
    pub(super) colours: &'static Colours,
    pub(super) letters: Letters,
}

impl<'a> Frame<'a> {
    /// Returns a geometry with cells of `cell` pixels and the corner of the board at the top left of the
    /// page, without numbers.
    pub(super) fn new(tour: &'a Tour, cell: f64, style: &SvgStyle) -> Result<Self, NoLayout> {
        let (places, squares) = (Places::of(tour.arena())?, tour.squares()?);
        let (colours, letters) = (style.palette.colours(), style.letters);
        let number_from = style.number_from;
        Ok(Self {
            tour,
            places,
            squares,
            cell,
            left: 0.0,
            top: 0.0,
            numbers: false,
            number_from,
            colours,
            letters,
        })
    }

    /// Returns the geometry with the corner of the board at (`left`, `top`).
    pub(super) fn at(self, left: f64, top: f64) -> Self {
        Self { left, top, ..self }
    }

    /// Returns the geometry with or without move numbers.
    pub(super) fn numbered(self, numbers: bool) -> Self {
        Self { numbers, ..self }
    }

    pub(super) fn width(&self) -> f64 {
        f64::from(self.places.cols()) * self.cell
    }

    pub(super) fn height(&self) -> f64 {
        f64::from(self.places.rows()) * self.cell
    }

    /// Returns the centre of a square.
    pub(super) fn middle(&self, square: Square) -> (f64, f64) {
        let row = self.places.rows() - 1 - square.rank();
        (
            self.left + (f64::from(square.file()) + 0.5) * self.cell,
            self.top + (f64::from(row) + 0.5) * self.cell,
        )
    }
}

impl Frame<'_> {
    /// Returns the drawing of the move between two consecutive positions of the tour.
    pub(super) fn leg(&self, from: usize, to: usize) -> Leg {
        match (self.stub(from, to), self.stub(to, from)) {
            (Some(leaving), Some(coming)) => Leg::Stubs(leaving, coming),
            _ => Leg::Straight,
        }
    }

    /// Returns the stub at position `at` of the move to the previous or next position, or `None` if the move
    /// is drawn as a line.
    fn stub(&self, at: usize, to: usize) -> Option<Stub> {
        let vertices = self.tour.vertices();
        let (before, after) = (self.before(at), self.after(at));
        let other = if after == Some(to) { before } else { after };
        Stub::beside(&self.places, vertices[at], vertices[to], other.map(|other| vertices[other]))
    }

    /// Returns the stubs at a position of the tour.
    pub(super) fn stubs(&self, at: usize) -> impl Iterator<Item = Stub> {
        [self.before(at), self.after(at)].into_iter().flatten().filter_map(move |to| self.stub(at, to))
    }

    fn before(&self, at: usize) -> Option<usize> {
        let is_closed = self.tour.kind() == TourKind::Closed;
        at.checked_sub(1).or_else(|| is_closed.then_some(self.squares.len() - 1))
    }

    fn after(&self, at: usize) -> Option<usize> {
        let is_closed = self.tour.kind() == TourKind::Closed;
        let next = at + 1;
        if next < self.squares.len() { Some(next) } else { is_closed.then_some(0) }
    }

    /// Returns true if the board has several layers.
    pub(super) fn has_layers(&self) -> bool {
        self.places.panels().1 < self.places.cols()
    }

    /// Returns the point at an offset, in sides of a square to the right and up, from the centre of a square.
    pub(super) fn beside(&self, square: Square, (right, up): (f64, f64)) -> (f64, f64) {
        let (x, y) = self.middle(square);
        (x + right * self.cell, y - up * self.cell)
    }
}

/// Returns the pixels that lines need beyond the board: the length of stubs and the line width if edges are
/// glued, else 0.
pub(super) fn reach(tour: &Tour, cell: f64) -> Result<f64, NoLayout> {
    let goes_beyond = Places::of(tour.arena())?.has_joined_edges();
    Ok(if goes_beyond { BEYOND * cell + line_width(cell) } else { 0.0 })
}

/// Returns the width of the tour's line.
pub(super) fn line_width(cell: f64) -> f64 {
    (cell * 0.075).clamp(0.4, 4.0)
}

/// Writes squares, holes and the border.
pub(super) fn board(out: &mut impl Write, frame: &Frame) -> fmt::Result {
    let Frame { places, cell, left, top, colours, .. } = frame;
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
    for square in places.squares().filter(|square| square.is_dark()) {
        let (x, y) = frame.middle(square);
        write!(out, "M{:.2} {:.2}h{cell:.2}v{cell:.2}h-{cell:.2}z", x - cell / 2.0, y - cell / 2.0)?;
    }
    out.write_str("\"/>\n")?;
    let holes: Vec<Square> =
        places.holes().into_iter().filter(|square| places.file(square.file()).is_some()).collect();
    for &square in &holes {
        let (x, y) = frame.middle(square);
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
    for square in places.squares() {
        let (x, y) = frame.middle(square);
        let (file, rank) = (square.file(), square.rank());
        let is_there = |file: Option<u16>, rank: Option<u16>| {
            let (Some(file), Some(rank)) = (file, rank) else { return false };
            rank < places.rows()
                && places.file(file).is_some()
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
pub(super) fn labels(out: &mut impl Write, frame: &Frame, margin: f64, reach: f64) -> fmt::Result {
    let arena = frame.tour.arena();
    let is_named = |(v, square): (u32, Square)| arena.name(v) == square.to_string();
    let (firsts, width) = frame.places.panels();
    let has_layers = frame.has_layers();
    if arena.rectangle().is_none() && !has_layers && !(0..).zip(frame.places.squares()).all(is_named) {
        return Ok(());
    }
    let size = (frame.cell * 0.28).clamp(7.0, 14.0);
    out.write_str("<g text-anchor=\"middle\">\n")?;
    let mut label = |at, name: &str| letters::write(out, frame.letters, at, size, frame.colours.frame, name);
    for column in 0..frame.places.cols() {
        let Some(file) = frame.places.file(column) else { continue };
        let at = (frame.middle(Square::new(column, 0)).0, frame.top + frame.height() + reach + margin * 0.62);
        label(at, Square::new(file, 0).to_string().trim_end_matches('1'))?;
    }
    for (layer, first) in (1..).zip(firsts).filter(|_| has_layers) {
        let middle = frame.left + (f64::from(first) + f64::from(width) / 2.0) * frame.cell;
        label((middle, frame.top - margin * 0.3), &format!("layer {layer}"))?;
    }
    for rank in 0..frame.places.rows() {
        let y = frame.middle(Square::new(0, rank)).1 + size * 0.36;
        label((frame.left - reach - margin * 0.5, y), &(u32::from(rank) + 1).to_string())?;
    }
    out.write_str("</g>\n")
}
