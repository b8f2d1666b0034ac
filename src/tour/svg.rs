//! Tours as pictures: SVG, one tour or a sheet of many.
//!
//! ```text
//! +---+---+---+     board in two colours, holes left open
//! |(1)| \ |   |     path through the middles of the squares, its colour going
//! +---+--\+---+     from blue to red on the way; one colour if closed
//! |   |  (2)  |     discs with move numbers, first green, last red
//! +---+---+---+     files and ranks along the sides
//! ```
//!
//! Large boards get smaller squares and leave out what could not be seen. Cost
//! and size O(squares).

use std::fmt::{self, Write};

use crate::board::Square;

use super::{Tour, TourKind};

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
}

impl Default for SvgStyle {
    fn default() -> Self {
        Self { cell: None, numbers: None, number_from: 1, animate: None }
    }
}

const LIGHT: &str = "#f4ecd8";
const DARK: &str = "#d2b48c";
const FRAME: &str = "#5b4636";
const CLOSED: &str = "#1f4e79";
const START: &str = "#1a7f37";
const END: &str = "#c62828";
/// Colours of an open path from its start to its end.
const RAMP: [[f64; 3]; 3] = [[11.0, 95.0, 165.0], [123.0, 50.0, 148.0], [215.0, 48.0, 31.0]];
/// Pieces of an open path, each of its own colour.
const PIECES: usize = 64;

/// Geometry of one board on the page.
struct Frame<'a> {
    tour: &'a Tour,
    cell: f64,
    /// Top left corner of the board.
    left: f64,
    top: f64,
    numbers: bool,
    number_from: u64,
}

impl Frame<'_> {
    fn width(&self) -> f64 {
        f64::from(self.tour.board().cols()) * self.cell
    }

    fn height(&self) -> f64 {
        f64::from(self.tour.board().rows()) * self.cell
    }

    /// The middle of a square.
    fn middle(&self, square: Square) -> (f64, f64) {
        let row = self.tour.board().rows() - 1 - square.rank();
        (
            self.left + (f64::from(square.file()) + 0.5) * self.cell,
            self.top + (f64::from(row) + 0.5) * self.cell,
        )
    }
}

/// One tour as a whole SVG document.
///
/// # Errors
/// If the output fails.
pub fn write_svg(out: &mut impl Write, tour: &Tour, style: &SvgStyle) -> fmt::Result {
    let (rows, cols) = (tour.board().rows(), tour.board().cols());
    let longest = f64::from(rows.max(cols));
    let cell = style.cell.unwrap_or_else(|| (1600.0 / longest).clamp(2.0, 56.0));
    let numbers = style.numbers.unwrap_or(cell >= 36.0) && style.animate.is_none();
    let margin = (cell * 0.8).clamp(8.0, 40.0);
    let frame = Frame { tour, cell, left: margin, top: margin, numbers, number_from: style.number_from };
    open_document(out, frame.width() + 2.0 * margin, frame.height() + 2.0 * margin, tour)?;
    board(out, &frame)?;
    if cell >= 12.0 {
        labels(out, &frame, margin)?;
    }
    match style.animate {
        Some(seconds) => {
            marks(out, &frame)?;
            animated(out, &frame, seconds)?;
        }
        None => {
            path(out, &frame)?;
            marks(out, &frame)?;
        }
    }
    out.write_str("</svg>\n")
}

/// Many tours as a contact sheet of `columns` columns (a near square if missing).
///
/// # Errors
/// If the output fails.
pub fn write_sheet(
    out: &mut impl Write,
    tours: &[Tour],
    columns: Option<usize>,
    style: &SvgStyle,
) -> fmt::Result {
    let Some(first) = tours.first() else { return Ok(()) };
    let columns =
        columns.unwrap_or_else(|| (tours.len() as f64).sqrt().ceil() as usize).clamp(1, tours.len());
    let side = |size: fn(&Tour) -> u16| f64::from(tours.iter().map(size).max().unwrap_or(1));
    let (rows, cols) = (side(|tour| tour.board().rows()), side(|tour| tour.board().cols()));
    let cell = style.cell.unwrap_or_else(|| (200.0 / rows.max(cols)).clamp(2.0, 28.0));
    let (gap, caption) = (18.0, 16.0);
    let (step_x, step_y) = (cols * cell + gap, rows * cell + gap + caption);
    let lines = tours.len().div_ceil(columns);
    open_document(out, columns as f64 * step_x + gap, lines as f64 * step_y + gap, first)?;
    for (i, tour) in tours.iter().enumerate() {
        let left = gap + (i % columns) as f64 * step_x;
        let top = gap + (i / columns) as f64 * step_y;
        let numbers = style.numbers == Some(true);
        let frame = Frame { tour, cell, left, top, numbers, number_from: style.number_from };
        board(out, &frame)?;
        path(out, &frame)?;
        marks(out, &frame)?;
        writeln!(
            out,
            r##"<text x="{:.1}" y="{:.1}" font-size="11" fill="{FRAME}" text-anchor="middle">{}: {}</text>"##,
            left + frame.width() / 2.0,
            top + frame.height() + caption - 2.0,
            i + 1,
            tour.kind().name(),
        )?;
    }
    out.write_str("</svg>\n")
}

fn open_document(out: &mut impl Write, width: f64, height: f64, tour: &Tour) -> fmt::Result {
    writeln!(
        out,
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0}" height="{height:.0}" viewBox="0 0 {width:.2} {height:.2}" font-family="DejaVu Sans, Verdana, sans-serif">"##
    )?;
    writeln!(out, "<title>{} tour of {}</title>", tour.kind().name(), tour.board())?;
    writeln!(out, r##"<rect width="100%" height="100%" fill="#ffffff"/>"##)?;
    Ok(())
}

/// Squares, holes and the frame.
fn board(out: &mut impl Write, frame: &Frame) -> fmt::Result {
    let Frame { tour, cell, left, top, .. } = frame;
    let board = tour.board();
    let (width, height) = (frame.width(), frame.height());
    writeln!(
        out,
        r##"<rect x="{left:.2}" y="{top:.2}" width="{width:.2}" height="{height:.2}" fill="{LIGHT}"/>"##
    )?;
    // All dark squares in one path.
    write!(out, r##"<path fill="{DARK}" d=""##)?;
    for square in board.squares().filter(|square| square.is_dark()) {
        let (x, y) = frame.middle(square);
        write!(out, "M{:.2} {:.2}h{cell:.2}v{cell:.2}h-{cell:.2}z", x - cell / 2.0, y - cell / 2.0)?;
    }
    out.write_str("\"/>\n")?;
    for &square in board.removed() {
        let (x, y) = frame.middle(square);
        writeln!(
            out,
            r##"<rect x="{:.2}" y="{:.2}" width="{cell:.2}" height="{cell:.2}" fill="#ffffff"/>"##,
            x - cell / 2.0,
            y - cell / 2.0
        )?;
    }
    writeln!(
        out,
        r##"<rect x="{left:.2}" y="{top:.2}" width="{width:.2}" height="{height:.2}" fill="none" stroke="{FRAME}" stroke-width="{:.2}"/>"##,
        (cell * 0.04).clamp(0.5, 2.0)
    )
}

/// Files below, ranks at the left.
fn labels(out: &mut impl Write, frame: &Frame, margin: f64) -> fmt::Result {
    let board = frame.tour.board();
    let size = (frame.cell * 0.28).clamp(7.0, 14.0);
    writeln!(out, r##"<g font-size="{size:.1}" fill="{FRAME}" text-anchor="middle">"##)?;
    for file in 0..board.cols() {
        let square = Square::new(file, 0);
        let name = square.to_string();
        let (x, y) = (frame.middle(square).0, frame.top + frame.height() + margin * 0.62);
        writeln!(out, r##"<text x="{x:.2}" y="{y:.2}">{}</text>"##, name.trim_end_matches('1'))?;
    }
    for rank in 0..board.rows() {
        let y = frame.middle(Square::new(0, rank)).1 + size * 0.36;
        writeln!(
            out,
            r##"<text x="{:.2}" y="{y:.2}">{}</text>"##,
            frame.left - margin * 0.5,
            u32::from(rank) + 1
        )?;
    }
    out.write_str("</g>\n")
}

fn points(out: &mut impl Write, frame: &Frame, squares: &[Square]) -> fmt::Result {
    for (i, &square) in squares.iter().enumerate() {
        let (x, y) = frame.middle(square);
        write!(out, "{}{x:.1} {y:.1}", if i == 0 { 'M' } else { 'L' })?;
    }
    Ok(())
}

fn open_lines(out: &mut impl Write, frame: &Frame) -> fmt::Result {
    let width = (frame.cell * 0.075).clamp(0.4, 4.0);
    writeln!(
        out,
        r##"<g fill="none" stroke-width="{width:.2}" stroke-linejoin="round" stroke-linecap="round" stroke-opacity="0.9">"##
    )
}

fn path(out: &mut impl Write, frame: &Frame) -> fmt::Result {
    let squares = frame.tour.squares();
    open_lines(out, frame)?;
    if frame.tour.kind() == TourKind::Closed {
        write!(out, r##"<path stroke="{CLOSED}" d=""##)?;
        points(out, frame, squares)?;
        out.write_str("Z\"/>\n")?;
    } else {
        let moves = squares.len().saturating_sub(1);
        let pieces = moves.min(PIECES);
        for piece in 0..pieces {
            let (from, to) = (piece * moves / pieces, (piece + 1) * moves / pieces);
            let at = if pieces > 1 { piece as f64 / (pieces - 1) as f64 } else { 0.0 };
            write!(out, r##"<path stroke="{}" d=""##, colour(at))?;
            points(out, frame, &squares[from..=to])?;
            out.write_str("\"/>\n")?;
        }
    }
    out.write_str("</g>\n")
}

/// The colour at a fraction of the way.
fn colour(at: f64) -> String {
    let scaled = at * (RAMP.len() - 1) as f64;
    let step = (scaled as usize).min(RAMP.len() - 2);
    let part = scaled - step as f64;
    let mix = |i: usize| (RAMP[step][i] + part * (RAMP[step + 1][i] - RAMP[step][i])).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}

/// Numbered discs or dots; the ends stand out.
fn marks(out: &mut impl Write, frame: &Frame) -> fmt::Result {
    let squares = frame.tour.squares();
    let last = squares.len().saturating_sub(1);
    let closed = frame.tour.kind() == TourKind::Closed;
    let digits = (frame.number_from + last as u64).to_string().len();
    let size = frame.cell * if digits > 3 { 0.2 } else { 0.27 };
    let radius = frame.cell * if frame.numbers { 0.28 } else { 0.09 };
    writeln!(
        out,
        r##"<g font-size="{size:.2}" text-anchor="middle" stroke-width="{:.2}">"##,
        frame.cell * 0.025
    )?;
    for (i, &square) in squares.iter().enumerate() {
        let (x, y) = frame.middle(square);
        let end = match i {
            0 => Some(START),
            _ if i == last && !closed => Some(END),
            _ => None,
        };
        if end.is_none() && !frame.numbers && frame.cell < 8.0 {
            continue;
        }
        let plain = if frame.numbers { "#fffdf7" } else { FRAME };
        let r = if end.is_some() { radius.max(frame.cell * 0.22).max(1.2) } else { radius };
        writeln!(
            out,
            r##"<circle cx="{x:.1}" cy="{y:.1}" r="{r:.2}" fill="{}" stroke="{}"/>"##,
            end.unwrap_or(plain),
            if frame.numbers { FRAME } else { "none" }
        )?;
        if frame.numbers {
            writeln!(
                out,
                r##"<text x="{x:.1}" y="{:.1}" fill="{}">{}</text>"##,
                y + size * 0.36,
                if end.is_some() { "#ffffff" } else { "#222222" },
                frame.number_from + i as u64
            )?;
        }
    }
    out.write_str("</g>\n")
}

/// The path draws itself while a knight walks along it, again and again.
fn animated(out: &mut impl Write, frame: &Frame, seconds: f64) -> fmt::Result {
    let closed = frame.tour.kind() == TourKind::Closed;
    open_lines(out, frame)?;
    write!(out, r##"<path id="way" stroke="{CLOSED}" pathLength="1" stroke-dasharray="1 1" d=""##)?;
    points(out, frame, frame.tour.squares())?;
    writeln!(
        out,
        r##"{}"><animate attributeName="stroke-dashoffset" from="1" to="0" dur="{seconds}s" repeatCount="indefinite"/></path>"##,
        if closed { "Z" } else { "" }
    )?;
    out.write_str("</g>\n")?;
    let size = frame.cell * 0.9;
    writeln!(
        out,
        r##"<text font-size="{size:.1}" text-anchor="middle" y="{:.1}" fill="#111111" opacity="0">&#9822;<set attributeName="opacity" to="1"/><animateMotion dur="{seconds}s" repeatCount="indefinite"><mpath href="#way"/></animateMotion></text>"##,
        size * 0.35
    )
}
