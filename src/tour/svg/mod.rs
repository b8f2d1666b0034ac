//! Tours as SVG pictures: one tour, or a contact sheet of many.
//!
//! ```text
//! +---+---+---+     board in two colours, holes left open
//! |(1)| \ |   |     path through the centres of the squares, its colour going
//! +---+--\+---+     through those of the palette; one colour if closed
//! |   |  <2>  |     discs with move numbers, a diamond at the end
//! +---+---+---+     files and ranks along the sides
//! ```
//!
//! A graph without a layout gets one from its edges by stress majorization, and all its edges are drawn in
//! grey. Large boards get smaller squares and omit details that would be invisible. Cost and size O(squares).

mod frame;
mod graph;
mod heat;
mod letters;
mod line;
mod style;

use std::fmt::{self, Write};

use crate::board::Arena;

use super::Tour;
use super::places::{NoLayout, Places};
use super::plane;
use crate::words::counted;
use frame::{Frame, board, labels, reach};
pub use heat::{Heat, write_heat};
pub(super) use heat::{range, scaled};
pub use letters::{Letters, write as write_word};
use line::{animated, layers, marks, path};
pub use style::SvgStyle;

/// Error of drawing a picture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError {
    /// The vertices have no positions.
    #[error(transparent)]
    NoLayout(#[from] NoLayout),
    /// The output failed.
    #[error("cannot write the picture")]
    Write(#[from] fmt::Error),
}

/// Writes one tour as a complete SVG document.
///
/// # Errors
/// [`DrawError`] if the vertices have no positions, or the output fails.
pub fn write_svg(out: &mut impl Write, tour: &Tour, style: &SvgStyle) -> Result<(), DrawError> {
    if graph::is_free(tour) {
        let (side, margin) = (graph::side(tour), 20.0);
        open_document(out, side + 2.0 * margin, side + 2.0 * margin, &title(tour))?;
        graph::draw(out, tour, &plane::places(tour.arena().graph()), style, (margin, margin, side))?;
        return Ok(out.write_str("</svg>\n")?);
    }
    let (rows, cols) = sides(tour)?;
    let longest = f64::from(rows.max(cols));
    let cell = style.cell.unwrap_or_else(|| (1600.0 / longest).clamp(2.0, 56.0));
    let numbers = style.numbers.unwrap_or(cell >= 36.0) && style.animate.is_none();
    let margin = (cell * 0.8).clamp(8.0, 40.0);
    let reach = reach(tour, cell)?;
    let around = margin + reach;
    let frame = Frame::new(tour, cell, style)?.at(around, around).numbered(numbers);
    open_document(out, frame.width() + 2.0 * around, frame.height() + 2.0 * around, &title(tour))?;
    board(out, &frame)?;
    if cell >= 12.0 {
        labels(out, &frame, margin, reach)?;
    }
    match style.animate {
        Some(seconds) => {
            marks(out, &frame)?;
            layers(out, &frame)?;
            animated(out, &frame, seconds)?;
        }
        None => {
            path(out, &frame)?;
            marks(out, &frame)?;
            layers(out, &frame)?;
        }
    }
    Ok(out.write_str("</svg>\n")?)
}

/// Writes many tours as a contact sheet of `columns` columns. Default: a near square.
///
/// # Errors
/// [`DrawError`] if the output fails.
pub fn write_sheet(
    out: &mut impl Write,
    tours: &[Tour],
    columns: Option<usize>,
    style: &SvgStyle,
) -> Result<(), DrawError> {
    let Some(first) = tours.first() else { return Ok(()) };
    let columns = columns.unwrap_or_else(|| across(tours.len())).clamp(1, tours.len());
    let (mut rows, mut cols) = (1.0, 1.0);
    let mut drawn: Option<(Arena, Vec<(f64, f64)>)> = None;
    for tour in tours {
        let sides = sides(tour)?;
        (rows, cols) = (f64::max(rows, sides.0.into()), f64::max(cols, sides.1.into()));
    }
    let cell = style.cell.unwrap_or_else(|| (200.0 / rows.max(cols)).clamp(2.0, 28.0));
    let mut beyond = 0.0;
    for tour in tours.iter().filter(|tour| !graph::is_free(tour)) {
        beyond = f64::max(beyond, reach(tour, cell)?);
    }
    let (gap, caption) = (18.0 + beyond, 16.0 + beyond);
    let (step_x, step_y) = (cols * cell + gap, rows * cell + gap + caption);
    let lines = tours.len().div_ceil(columns);
    // If all tours are of one kind, the title gives the kind.
    let is_mixed = tours.iter().any(|tour| tour.kind().name() != first.kind().name());
    let what = if is_mixed { "tour".to_owned() } else { format!("{} tour", first.kind().name()) };
    let is_of_many = tours.iter().any(|tour| tour.arena() != first.arena());
    let of = if is_of_many { String::new() } else { format!(" of {}", first.arena().title()) };
    let title = match tours {
        [tour] => title(tour),
        _ => format!("{}{of}", counted(tours.len() as u64, &what)),
    };
    open_document(out, columns as f64 * step_x + gap, lines as f64 * step_y + gap, &title)?;
    out.write_str("<g text-anchor=\"middle\">\n")?;
    for (i, tour) in tours.iter().enumerate() {
        let left = gap + (i % columns) as f64 * step_x;
        let top = gap + (i / columns) as f64 * step_y;
        let numbers = style.numbers == Some(true);
        let colours = style.palette.colours();
        let (width, height) = if graph::is_free(tour) {
            let side = rows.min(cols) * cell;
            // Most sheets show tours of a single graph, so its layout is computed once.
            if drawn.as_ref().is_none_or(|(known, _)| known != tour.arena()) {
                drawn = Some((tour.arena().clone(), plane::places(tour.arena().graph())));
            }
            let places = drawn.as_ref().map_or(&[][..], |(_, places)| places);
            graph::draw(out, tour, places, style, (left, top, side))?;
            (side, side)
        } else {
            let frame = Frame::new(tour, cell, style)?.at(left, top).numbered(numbers);
            board(out, &frame)?;
            path(out, &frame)?;
            marks(out, &frame)?;
            layers(out, &frame)?;
            (frame.width(), frame.height())
        };
        let at = (left + width / 2.0, top + height + caption - 2.0);
        let number = i + 1;
        let words = if is_mixed { format!("{number}: {}", tour.kind().name()) } else { number.to_string() };
        letters::write(out, style.letters, at, 11.0, colours.frame, &words)?;
    }
    Ok(out.write_str("</g>\n</svg>\n")?)
}

/// Returns the number of columns of a sheet: that of a near square, or up to a third more if fewer cells stay
/// empty.
fn across(tours: usize) -> usize {
    let square = (tours as f64).sqrt().ceil() as usize;
    let empty = |columns: &usize| tours.next_multiple_of(*columns) - tours;
    (square..=square + square / 3).min_by_key(empty).unwrap_or(square)
}

/// Returns rows and columns of the board; a graph without layout gets a square of about as many cells as
/// vertices.
fn sides(tour: &Tour) -> Result<(u16, u16), NoLayout> {
    if graph::is_free(tour) {
        let side = (tour.arena().len() as f64).sqrt().ceil() as u16;
        return Ok((side, side));
    }
    Places::of(tour.arena()).map(|places| (places.rows(), places.cols()))
}

/// Returns the title of a picture of one tour.
fn title(tour: &Tour) -> String {
    format!("{} tour of {}", tour.kind().name(), tour.arena().title())
}

fn open_document(out: &mut impl Write, width: f64, height: f64, title: &str) -> fmt::Result {
    writeln!(
        out,
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0}" height="{height:.0}" viewBox="0 0 {width:.2} {height:.2}" font-family="DejaVu Sans, Verdana, sans-serif">"##
    )?;
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    writeln!(out, "<title>{title}</title>")?;
    writeln!(out, r##"<rect width="100%" height="100%" fill="#ffffff"/>"##)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(arena: &str, names: &str, cell: Option<f64>) -> String {
        let tour = Tour::from_names(&arena.parse().unwrap(), names.split(' ')).unwrap();
        let mut out = String::new();
        write_svg(&mut out, &tour, &SvgStyle { cell, ..SvgStyle::default() }).unwrap();
        out
    }

    #[test]
    fn moves_between_layers_end_in_the_number_of_the_layer() {
        let cube = "a1.1 b1.1 b2.1 a2.1 a2.2 b2.2 b1.2 a1.2";
        let told =
            |cell| drawn("board=2x2x2 piece=0,1 remove=-", cube, cell).matches(r#"font-size="9.5""#).count();
        assert_eq!((told(None), told(Some(20.0))), (2, 0));
    }

    #[test]
    fn a_sheet_says_how_many_tours_it_has() {
        let tour =
            |arena: &str, names: &str| Tour::from_names(&arena.parse().unwrap(), names.split(' ')).unwrap();
        let path = tour("board=2x2 piece=0,1 remove=-", "a1 b1 b2 a2");
        let (closed, other) = (
            path.clone().into_closed().unwrap(),
            tour("board=2x3 piece=0,1 remove=-", "a1 b1 c1 c2 b2 a2").into_closed().unwrap(),
        );
        for (tours, title) in [
            (vec![closed.clone(), closed.clone()], "2 closed tours of 2x2"),
            (vec![closed.clone(), path], "2 tours of 2x2"),
            (vec![closed.clone(), other], "2 closed tours"),
            (vec![closed], "closed tour of 2x2"),
        ] {
            let mut out = String::new();
            write_sheet(&mut out, &tours, None, &SvgStyle::default()).unwrap();
            assert!(out.contains(&format!("<title>{title}</title>")), "{title}: {out}");
        }
    }

    #[test]
    fn a_line_that_is_lifted_ends_where_it_began() {
        let closed = |arena: &str, names: &str| {
            let tour = Tour::from_names(&arena.parse().unwrap(), names.split(' ')).unwrap();
            let mut out = String::new();
            write_svg(&mut out, &tour.into_closed().unwrap(), &SvgStyle::default()).unwrap();
            let (_, rest) = out.split_once("stroke=\"#1f4e79\" d=\"").unwrap();
            rest.split_once('"').unwrap().0.to_owned()
        };
        let whole = closed("board=2x2 piece=0,1 remove=-", "a1 b1 b2 a2");
        assert!(whole.ends_with('Z'), "{whole}");
        let lifted = closed("board=2x3 wrap=cols piece=0,1 remove=-", "b1 c1 a1 a2 c2 b2");
        let begin = lifted[1..].split('L').next().unwrap();
        assert!(!lifted.contains('Z') && lifted.ends_with(&format!("L{begin}")), "{lifted}");
    }

    #[test]
    fn labels_stand_beyond_what_goes_over_an_edge() {
        let width = |arena: &str| {
            let text = drawn(arena, "a1 b1 c1 c2 b2 a2 a3 b3 c3", Some(20.0));
            let (_, rest) = text.split_once("viewBox=\"0 0 ").unwrap();
            rest.split_once(' ').unwrap().0.parse::<f64>().unwrap()
        };
        let (plain, joined) =
            (width("board=3x3 piece=0,1 remove=-"), width("board=3x3 wrap=torus piece=0,1 remove=-"));
        assert!((plain - 92.0).abs() < 1e-9 && (joined - plain - 2.0 * 5.5).abs() < 1e-9, "{plain} {joined}");
    }
}
