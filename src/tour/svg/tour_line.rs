//! The line of a tour: in one colour if the tour is closed, else through the colours of the palette; with its
//! discs and numbers.

use std::fmt::{self, Write};

use crate::tour::TourKind;
use crate::tour::move_segment::MoveSegment;

use super::board::{TourGeometry, line_width};
use super::stroke_font;

/// Smallest side of a square, in pixels, at which digits at its stubs are readable.
const MIN_DIGIT_CELL_PIXELS: f64 = 30.0;

/// Largest number of pieces of an open path; each piece has its own colour.
const MAX_COLOUR_PIECES: usize = 64;

/// Writes the moves between two positions of the tour, and the move back to the start if `returns` is true.
fn write_moves(
    out: &mut impl Write,
    frame: &TourGeometry,
    from: usize,
    to: usize,
    returns: bool,
) -> fmt::Result {
    let (x, y) = frame.centre(frame.squares[from]);
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

/// Writes one move as a line or two stubs. Returns true if it wrote stubs.
fn write_move(
    out: &mut impl Write,
    frame: &TourGeometry,
    from: usize,
    to: usize,
) -> Result<bool, fmt::Error> {
    let (x, y) = frame.centre(frame.squares[to]);
    let stubs = frame.segment(from, to);
    if let MoveSegment::Stubs(leaving, coming) = stubs {
        let (a, b) = frame.offset_point(frame.squares[from], leaving.offset);
        let (c, d) = frame.offset_point(frame.squares[to], coming.offset);
        write!(out, "L{a:.1} {b:.1}M{c:.1} {d:.1}")?;
    }
    write!(out, "L{x:.1} {y:.1}")?;
    Ok(stubs != MoveSegment::Straight)
}

fn open_line_group(out: &mut impl Write, frame: &TourGeometry) -> fmt::Result {
    let width = line_width(frame.cell);
    writeln!(
        out,
        r##"<g fill="none" stroke-width="{width:.2}" stroke-linejoin="round" stroke-linecap="round" stroke-opacity="0.9">"##
    )
}

pub(super) fn write_tour_line(out: &mut impl Write, frame: &TourGeometry) -> fmt::Result {
    let squares = &frame.squares;
    open_line_group(out, frame)?;
    if frame.tour.kind() == TourKind::Closed {
        write!(out, r##"<path stroke="{}" d=""##, frame.colours.closed)?;
        write_moves(out, frame, 0, squares.len() - 1, true)?;
        out.write_str("\"/>\n")?;
    } else {
        let count = squares.len().saturating_sub(1);
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

/// Writes discs, with or without numbers; the ends are emphasised.
pub(super) fn write_discs(out: &mut impl Write, frame: &TourGeometry) -> fmt::Result {
    let squares = &frame.squares;
    let last = squares.len().saturating_sub(1);
    let closed = frame.tour.kind() == TourKind::Closed;
    let digits = (frame.first_number + last as u64).to_string().len();
    let size = frame.cell
        * if digits > 3 {
            0.2
        } else if frame.has_layers() {
            0.25
        } else {
            0.27
        };
    // Smaller if stubs have digits of their own.
    let radius = frame.cell
        * if !frame.has_numbers {
            0.09
        } else if frame.has_layers() {
            0.23
        } else {
            0.28
        };
    let colours = frame.colours;
    writeln!(out, r##"<g text-anchor="middle" stroke-width="{:.2}">"##, frame.cell * 0.025)?;
    for (i, &square) in squares.iter().enumerate() {
        let (x, y) = frame.centre(square);
        let end = match i {
            0 => Some(colours.start),
            _ if i == last && !closed => Some(colours.end),
            _ => None,
        };
        if end.is_none() && !frame.has_numbers && frame.cell < 8.0 {
            continue;
        }
        let plain = if frame.has_numbers { colours.disc } else { colours.frame };
        let r = if end.is_some() { radius.max(frame.cell * 0.22).max(1.2) } else { radius };
        let (fill, stroke) = (end.unwrap_or(plain), if frame.has_numbers { colours.frame } else { "none" });
        if i == last && end.is_some() && last > 0 {
            // The diamond is about as large as the disc.
            let r = r * 1.25;
            writeln!(
                out,
                r##"<path d="M{x:.1} {:.1}l{r:.2} {r:.2}l-{r:.2} {r:.2}l-{r:.2} -{r:.2}z" fill="{fill}" stroke="{stroke}"/>"##,
                y - r
            )?;
        } else {
            writeln!(
                out,
                r##"<circle cx="{x:.1}" cy="{y:.1}" r="{r:.2}" fill="{fill}" stroke="{stroke}"/>"##
            )?;
        }
        if frame.has_numbers {
            let ink = if end.is_some() { "#ffffff" } else { colours.ink };
            let number = (frame.first_number + i as u64).to_string();
            stroke_font::write_word(out, frame.text_rendering, (x, y + size * 0.36), size, ink, &number)?;
        }
    }
    out.write_str("</g>\n")
}

/// Writes the number of the target layer in a small disc at the end of each stub, if squares are large
/// enough.
pub(super) fn write_layer_numbers(out: &mut impl Write, frame: &TourGeometry) -> fmt::Result {
    if !frame.has_layers() || frame.cell < MIN_DIGIT_CELL_PIXELS {
        return Ok(());
    }
    let (radius, size, colours) = (frame.cell * 0.1, frame.cell * 0.17, frame.colours);
    out.write_str("<g text-anchor=\"middle\">\n")?;
    for (i, &square) in frame.squares.iter().enumerate() {
        for stub in frame.stubs(i) {
            let ((x, y), Some(layer)) = (frame.offset_point(square, stub.offset), stub.layer) else {
                continue;
            };
            let fill = colours.disc;
            writeln!(out, r##"<circle cx="{x:.1}" cy="{y:.1}" r="{radius:.2}" fill="{fill}"/>"##)?;
            stroke_font::write_word(
                out,
                frame.text_rendering,
                (x, y + size * 0.36),
                size,
                colours.ink,
                &layer.to_string(),
            )?;
        }
    }
    out.write_str("</g>\n")
}

/// Writes a path that draws itself while a knight moves along it, in an endless loop.
pub(super) fn write_animated_line(out: &mut impl Write, frame: &TourGeometry, seconds: f64) -> fmt::Result {
    let closed = frame.tour.kind() == TourKind::Closed;
    open_line_group(out, frame)?;
    let colour = frame.colours.closed;
    write!(out, r##"<path id="way" stroke="{colour}" pathLength="1" stroke-dasharray="1 1" d=""##)?;
    write_moves(out, frame, 0, frame.squares.len() - 1, closed)?;
    writeln!(
        out,
        r##""><animate attributeName="stroke-dashoffset" from="1" to="0" dur="{seconds}s" repeatCount="indefinite"/></path>"##
    )?;
    out.write_str("</g>\n")?;
    let size = frame.cell * 0.9;
    writeln!(
        out,
        r##"<text font-size="{size:.1}" text-anchor="middle" y="{:.1}" fill="#111111" opacity="0">&#9822;<set attributeName="opacity" to="1"/><animateMotion dur="{seconds}s" repeatCount="indefinite"><mpath href="#way"/></animateMotion></text>"##,
        size * 0.35
    )
}
