//! Tours as SVG pictures: a picture of one tour, or a contact sheet with small pictures of many
//! tours.
//!
//! ```text
//! +---+---+---+     board in two colours, holes left open
//! |(1)| \ |   |     path through the centres of the squares, its colour going
//! +---+--\+---+     through those of the palette; one colour if closed
//! |   |  <2>  |     discs with move numbers, a diamond at the end
//! +---+---+---+     files and ranks along the sides
//! ```
//!
//! For a graph without a layout, positions are computed from its edges by stress majorization, and
//! all its edges are drawn in grey. Large boards have smaller squares and omit details that would
//! be invisible. Time and size of the picture are O(squares).

pub(crate) mod graph;
mod heat_map;
mod page;
mod stroke_font;
mod tour_picture;

use std::fmt::{self, Write};

use crate::board::Board;

use page::write_document_head;

use super::Tour;
use super::vertex_positions::{NoLayout, VertexPositions};
use crate::text_format::format_count;
pub use heat_map::{HeatMap, write_board_svg, write_heat_map};
pub(super) use heat_map::{end_share_range, scale_share, share_range};
pub use stroke_font::{TextRendering, write_word};
pub use tour_picture::SvgStyle;
use tour_picture::{
    TourGeometry, overhang_pixels, write_animated_line, write_board, write_discs, write_labels,
    write_layer_numbers, write_tour_line,
};

/// Error when a picture is drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError {
    /// The vertices of the board have no positions.
    #[error(transparent)]
    NoLayout(#[from] NoLayout),
    /// The output cannot be written.
    #[error("cannot write the picture")]
    Write(#[from] fmt::Error),
}

/// Writes one tour as a complete SVG document.
///
/// # Errors
/// [`DrawError`] if the vertices of the board have no positions, or the output cannot be written.
pub fn write_svg(out: &mut impl Write, tour: &Tour, style: &SvgStyle) -> Result<(), DrawError> {
    if graph::lacks_layout(tour) {
        let (side, margin) = (graph::side_pixels(tour), 20.0);
        write_document_head(out, side + 2.0 * margin, side + 2.0 * margin, &document_title(tour))?;
        let positions = graph::vertex_positions(tour.board());
        graph::write_graph_tour(out, tour, &positions, style, (margin, margin, side))?;
        return Ok(out.write_str("</svg>\n")?);
    }
    let (rows, cols) = board_size(tour)?;
    let longest = f64::from(rows.max(cols));
    let cell = style.cell_pixels.unwrap_or_else(|| (1600.0 / longest).clamp(2.0, 56.0));
    let numbers = style.has_numbers.unwrap_or(cell >= 36.0) && style.animation_seconds.is_none();
    let margin = (cell * 0.8).clamp(8.0, 40.0);
    let reach = overhang_pixels(tour, cell)?;
    let around = margin + reach;
    let frame = TourGeometry::new(tour, style, (around, around, cell), numbers)?;
    write_document_head(
        out,
        frame.grid.width() + 2.0 * around,
        frame.grid.height() + 2.0 * around,
        &document_title(tour),
    )?;
    write_board(out, &frame)?;
    if cell >= 12.0 {
        write_labels(out, &frame, margin, reach)?;
    }
    if style.animation_seconds.is_none() {
        write_tour_line(out, &frame)?;
    }
    write_discs(out, &frame)?;
    write_layer_numbers(out, &frame)?;
    if let Some(seconds) = style.animation_seconds {
        write_animated_line(out, &frame, seconds)?;
    }
    Ok(out.write_str("</svg>\n")?)
}

/// Writes many tours as a contact sheet, an SVG document with a small picture of each tour.
/// `columns` is the number of columns of the sheet; by default the sheet is nearly square. Writes
/// nothing if there are no tours.
///
/// # Errors
/// [`DrawError`] if the output cannot be written.
pub fn write_contact_sheet(
    out: &mut impl Write,
    tours: &[Tour],
    columns: Option<usize>,
    style: &SvgStyle,
) -> Result<(), DrawError> {
    let Some(first) = tours.first() else { return Ok(()) };
    let columns = columns.unwrap_or_else(|| sheet_columns(tours.len())).clamp(1, tours.len());
    let (mut rows, mut cols) = (1.0, 1.0);
    let mut drawn: Option<(Board, Vec<(f64, f64)>)> = None;
    for tour in tours {
        let sides = board_size(tour)?;
        (rows, cols) = (f64::max(rows, sides.0.into()), f64::max(cols, sides.1.into()));
    }
    let cell = style.cell_pixels.unwrap_or_else(|| (200.0 / rows.max(cols)).clamp(2.0, 28.0));
    let mut max_overhang = 0.0;
    for tour in tours.iter().filter(|tour| !graph::lacks_layout(tour)) {
        max_overhang = f64::max(max_overhang, overhang_pixels(tour, cell)?);
    }
    let (gap, caption) = (18.0 + max_overhang, 16.0 + max_overhang);
    let (step_x, step_y) = (cols * cell + gap, rows * cell + gap + caption);
    let sheet_rows = tours.len().div_ceil(columns);
    // If all tours are of one kind, the title names the kind.
    let is_mixed = tours.iter().any(|tour| tour.kind().name() != first.kind().name());
    let counted_noun = if is_mixed { "tour".to_owned() } else { format!("{} tour", first.kind().name()) };
    let has_several_boards = tours.iter().any(|tour| tour.board() != first.board());
    let of = if has_several_boards { String::new() } else { format!(" of {}", first.board().title()) };
    let title = match tours {
        [tour] => document_title(tour),
        _ => format!("{}{of}", format_count(tours.len() as u64, &counted_noun)),
    };
    write_document_head(out, columns as f64 * step_x + gap, sheet_rows as f64 * step_y + gap, &title)?;
    out.write_str("<g text-anchor=\"middle\">\n")?;
    for (i, tour) in tours.iter().enumerate() {
        let left = gap + (i % columns) as f64 * step_x;
        let top = gap + (i / columns) as f64 * step_y;
        let numbers = style.has_numbers == Some(true);
        let colours = style.palette.colours();
        let (width, height) = if graph::lacks_layout(tour) {
            let side = rows.min(cols) * cell;
            // Most sheets show tours of a single graph, so its layout is computed once.
            if drawn.as_ref().is_none_or(|(known, _)| !has_equal_picture(known, tour.board())) {
                drawn = Some((tour.board().clone(), graph::vertex_positions(tour.board())));
            }
            let positions = drawn.as_ref().map_or(&[][..], |(_, positions)| positions);
            graph::write_graph_tour(out, tour, positions, style, (left, top, side))?;
            (side, side)
        } else {
            let frame = TourGeometry::new(tour, style, (left, top, cell), numbers)?;
            write_board(out, &frame)?;
            write_tour_line(out, &frame)?;
            write_discs(out, &frame)?;
            write_layer_numbers(out, &frame)?;
            (frame.grid.width(), frame.grid.height())
        };
        let at = (left + width / 2.0, top + height + caption - 2.0);
        let number = i + 1;
        let words = if is_mixed { format!("{number}: {}", tour.kind().name()) } else { number.to_string() };
        stroke_font::write_word(out, style.text_rendering, at, 11.0, colours.frame, &words)?;
    }
    Ok(out.write_str("</g>\n</svg>\n")?)
}

/// Returns true if the vertices of two boards have equal positions.
fn has_equal_picture(one: &Board, other: &Board) -> bool {
    one == other && one.picture_positions() == other.picture_positions()
}

/// Returns the number of columns of a contact sheet for this number of tours: the square root, or
/// up to a third more if fewer cells then stay empty.
fn sheet_columns(tours: usize) -> usize {
    let square = (tours as f64).sqrt().ceil() as usize;
    let empty = |columns: &usize| tours.next_multiple_of(*columns) - tours;
    (square..=square + square / 3).min_by_key(empty).unwrap_or(square)
}

/// Returns the numbers of rows and columns of the picture of a tour. For a graph without layout
/// they are those of a square with about as many cells as vertices.
fn board_size(tour: &Tour) -> Result<(u16, u16), NoLayout> {
    if graph::lacks_layout(tour) {
        let side = (tour.board().len() as f64).sqrt().ceil() as u16;
        return Ok((side, side));
    }
    VertexPositions::of_board(tour.board()).map(|positions| (positions.rows(), positions.cols()))
}

/// Returns the title of the picture of one tour, such as `closed tour of 8x8`.
fn document_title(tour: &Tour) -> String {
    format!("{} tour of {}", tour.kind().name(), tour.board().title())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tour(board: &str, names: &str) -> Tour {
        Tour::from_names(&board.parse().unwrap(), names.split(' ')).unwrap()
    }

    fn drawn(tour: &Tour, style: &SvgStyle) -> String {
        let mut out = String::new();
        write_svg(&mut out, tour, style).unwrap();
        out
    }

    #[test]
    fn stubs_between_layers_show_layer_numbers() {
        let cube = "a1.1 b1.1 b2.1 a2.1 a2.2 b2.2 b1.2 a1.2";
        let cube = tour("board=2x2x2 piece=0,1 remove=-", cube);
        let line_counts = |cell_pixels| {
            let style = SvgStyle { cell_pixels, ..SvgStyle::default() };
            drawn(&cube, &style).matches(r#"font-size="9.5""#).count()
        };
        assert_eq!((line_counts(None), line_counts(Some(20.0))), (2, 0));
    }

    #[test]
    fn animated_piece_is_a_knight_a_king_or_a_disc() {
        let animated = |board: &str, names: &str| {
            let style = SvgStyle { animation_seconds: Some(5.0), ..SvgStyle::default() };
            drawn(&tour(board, names), &style)
        };
        assert!(animated("3x4", "a1 c2 a3 b1 d2 b3 c1 a2 c3 d1 b2 d3").contains(">&#9822;<set"));
        assert!(animated("board=2x2 piece=0,1+1,1 remove=-", "a1 a2 b2 b1").contains(">&#9818;<set"));
        let wazir = animated("board=2x2 piece=0,1 remove=-", "a1 a2 b2 b1");
        assert!(
            wazir.contains(" fill=\"#111111\" opacity=\"0\"><set") && wazir.ends_with("</circle>\n</svg>\n")
        );
    }

    #[test]
    fn contact_sheet_title_counts_tours() {
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
            write_contact_sheet(&mut out, &tours, None, &SvgStyle::default()).unwrap();
            assert!(out.contains(&format!("<title>{title}</title>")), "{title}: {out}");
        }
    }

    #[test]
    fn interrupted_closed_line_returns_to_start() {
        let closed = |board: &str, names: &str| {
            let out = drawn(&tour(board, names).into_closed().unwrap(), &SvgStyle::default());
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
    fn labels_leave_room_for_stubs() {
        let width = |board: &str| {
            let style = SvgStyle { cell_pixels: Some(20.0), ..SvgStyle::default() };
            let text = drawn(&tour(board, "a1 b1 c1 c2 b2 a2 a3 b3 c3"), &style);
            let (_, rest) = text.split_once("viewBox=\"0 0 ").unwrap();
            rest.split_once(' ').unwrap().0.parse::<f64>().unwrap()
        };
        let (plain, joined) =
            (width("board=3x3 piece=0,1 remove=-"), width("board=3x3 wrap=torus piece=0,1 remove=-"));
        assert!((plain - 92.0).abs() < 1e-9 && (joined - plain - 2.0 * 5.5).abs() < 1e-9, "{plain} {joined}");
    }
}
