//! Heat maps as SVG pictures: the share of tours that use each move, and the share of tours that
//! end on each square.
//!
//! ```text
//! +---+---+---+    +----+----+----+    a move is darker and broader the more tours use it;
//! | \ | | | / |    |####|    |####|    a square is darker the more paths end there, with its share
//! +--\+-|-+/--+    +----+----+----+    in per cent
//! ```
//!
//! Moves are drawn in ascending order of their shares, so that the most used moves lie on top. A graph
//! without positions is drawn by [`layout_on_grid`], with the names of its vertices.

use std::fmt::{self, Write};

use crate::board::{Board, Layout, Square};
use crate::tour::move_segment::MoveSegment;
use crate::tour::palette::Palette;
use crate::tour::vertex_positions::VertexPositions;

use super::graph::{MAX_DISC_NAME_CHARS, layout_on_grid};
use super::page::{LabelStyle, PixelGrid, write_document_head, write_file_names, write_rank_names};
use super::stroke_font::TextRendering;
use super::{DrawError, stroke_font};

/// The board, title and shares that a heat map shows.
#[derive(Clone, Copy, Debug)]
pub struct HeatMap<'a> {
    /// Board of the tours.
    pub board: &'a Board,
    /// Text above the map.
    pub title: &'a str,
    /// Moves of the board, each with the share of tours that use it, from 0 to 1.
    pub move_shares: &'a [(u32, u32, f64)],
    /// For each vertex, the share of tours that begin or end there, from 0 to 1; `None` for closed
    /// tours.
    pub end_shares: Option<&'a [f64]>,
    /// Way in which texts are drawn: as SVG text or as strokes.
    pub text_rendering: TextRendering,
}

/// Lengths in pixels: the side of a square, the margin around a board, and the top of the board
/// below the title.
const CELL_PIXELS: f64 = 48.0;
const MARGIN_PIXELS: f64 = 28.0;
const BOARD_TOP_PIXELS: f64 = 44.0;

/// Minimum width, in pixels, of the text below a board.
const MIN_TEXT_WIDTH_PIXELS: f64 = 172.0;

/// Colour of the moves of a board without shares.
const MOVE_COLOUR: &str = "#6b7280";

/// Number of colours in the legend.
const LEGEND_STEPS: usize = 40;

/// Returns the colour of a scaled share, from 0 (few tours, bright) to 1 (many tours, dark), as
/// `#rrggbb`. It is the viridis ramp in reverse.
fn share_colour(value: f64) -> String {
    Palette::Viridis.colours().ramp_colour(1.0 - value.clamp(0.0, 1.0))
}

/// Returns the positions of the vertices of a board; if it has none, those of a layout that this function computes
/// and stores in `computed`.
fn positions_or_computed<'a>(board: &'a Board, computed: &'a mut Option<Layout>) -> VertexPositions<'a> {
    match VertexPositions::of_board(board) {
        Ok(positions) => positions,
        Err(_) => VertexPositions::Layout(computed.insert(layout_on_grid(board))),
    }
}

/// Writes a heat map as an SVG document.
///
/// # Errors
/// [`DrawError`] if the output cannot be written.
pub fn write_heat_map(out: &mut impl Write, heat: &HeatMap) -> Result<(), DrawError> {
    let mut computed = None;
    let positions = positions_or_computed(heat.board, &mut computed);
    let (board_width, board_height) =
        (f64::from(positions.cols()) * CELL_PIXELS, f64::from(positions.rows()) * CELL_PIXELS);
    let panels = if heat.end_shares.is_some() { 2.0 } else { 1.0 };
    // A narrow board is centred above its text, which is wider.
    let panel = board_width.max(MIN_TEXT_WIDTH_PIXELS);
    let margin = (panel - board_width) / 2.0;
    let width = panels * (panel + MARGIN_PIXELS) + MARGIN_PIXELS;
    let height = BOARD_TOP_PIXELS + board_height + 2.4 * MARGIN_PIXELS;
    write_document_head(out, width, height, &format!("use of moves in all tours: {}", heat.title))?;
    out.write_str("<g text-anchor=\"middle\">\n")?;
    let title = heat.title;
    // As large as fits.
    let size = (1.6 * (width - MARGIN_PIXELS) / title.chars().count().max(1) as f64).clamp(7.0, 13.0);
    stroke_font::write_word(out, heat.text_rendering, (width / 2.0, 19.0), size, "#333333", title)?;
    let grid =
        |left: f64| PixelGrid { positions, cell: CELL_PIXELS, left: left + margin, top: BOARD_TOP_PIXELS };
    write_move_shares(out, heat, &grid(MARGIN_PIXELS))?;
    let below = BOARD_TOP_PIXELS + board_height + 1.6 * MARGIN_PIXELS;
    write_legend(
        out,
        heat.text_rendering,
        (MARGIN_PIXELS, below, panel),
        share_range(heat.move_shares.iter().map(|&(_, _, share)| share)),
        "per cent of tours that use the move",
    )?;
    if let Some(ends) = heat.end_shares {
        let left = 2.0 * MARGIN_PIXELS + panel;
        write_end_shares(out, heat, &grid(left), ends)?;
        write_legend(
            out,
            heat.text_rendering,
            (left, below, panel),
            end_share_range(ends),
            "per cent of tours that end on the square",
        )?;
    }
    Ok(out.write_str("</g>\n</svg>\n")?)
}

/// Writes the names of files and ranks around a board, or short names of vertices into the squares of a graph.
fn write_labels(
    out: &mut impl Write,
    board: &Board,
    letters: TextRendering,
    grid: &PixelGrid,
) -> fmt::Result {
    let colour = "#333333";
    if VertexPositions::of_board(board).is_err() {
        for (v, square) in (0..).zip(grid.positions.positions()) {
            let ((x, y), name) = (grid.centre(square), board.name(v));
            if name.chars().count() <= MAX_DISC_NAME_CHARS {
                stroke_font::write_word(out, letters, (x, y - 0.3 * CELL_PIXELS), 10.0, colour, &name)?;
            }
        }
        return Ok(());
    }
    let style = LabelStyle { letters, size: 11.0, colour };
    write_file_names(out, grid, style, grid.top + grid.height() + 13.0)?;
    write_rank_names(out, grid, style, (grid.left - 11.0, 4.0))
}

/// Writes the squares of a board. `colour` returns the colour of each square.
fn write_squares(
    out: &mut impl Write,
    grid: &PixelGrid,
    colour: impl Fn(u32, Square) -> String,
) -> Result<(), DrawError> {
    for (v, square) in (0..).zip(grid.positions.positions()) {
        let (x, y) = grid.centre(square);
        writeln!(
            out,
            r##"<rect x="{:.1}" y="{:.1}" width="{CELL_PIXELS}" height="{CELL_PIXELS}" fill="{}" stroke="#ffffff" stroke-width="1"/>"##,
            x - CELL_PIXELS / 2.0,
            y - CELL_PIXELS / 2.0,
            colour(v, square)
        )?;
    }
    Ok(())
}

/// Returns the colour of a square below moves.
fn plain_square_colour(_: u32, square: Square) -> String {
    if square.is_dark() { "#ececec" } else { "#f7f7f7" }.to_owned()
}

/// Writes the board with its moves, and the names of files and ranks.
fn write_move_shares(out: &mut impl Write, heat: &HeatMap, grid: &PixelGrid) -> Result<(), DrawError> {
    write_squares(out, grid, plain_square_colour)?;
    let mut sorted = heat.move_shares.to_vec();
    sorted.sort_by(|one, other| one.2.total_cmp(&other.2));
    let (least, most) = share_range(sorted.iter().map(|one| one.2));
    writeln!(out, r##"<g fill="none" stroke-linecap="round">"##)?;
    for &(v, w, share) in &sorted {
        let value = scale_share(share, least, most);
        writeln!(
            out,
            r##"<path d="{}" stroke="{}" stroke-width="{:.2}"/>"##,
            move_path(grid, v, w),
            share_colour(value),
            CELL_PIXELS * (0.03 + 0.09 * value)
        )?;
    }
    out.write_str("</g>\n")?;
    Ok(write_labels(out, heat.board, heat.text_rendering, grid)?)
}

/// Returns the path data of the line of a move.
fn move_path(grid: &PixelGrid, v: u32, w: u32) -> String {
    let [(a, b), (c, d)] = [v, w].map(|v| grid.centre(grid.positions.position(v)));
    match MoveSegment::new(&grid.positions, v, w) {
        MoveSegment::Straight => format!("M{a:.1} {b:.1}L{c:.1} {d:.1}"),
        MoveSegment::Stubs(leaving, coming) => format!(
            "M{a:.1} {b:.1}l{:.1} {:.1}M{c:.1} {d:.1}l{:.1} {:.1}",
            leaving.offset.0 * CELL_PIXELS,
            -leaving.offset.1 * CELL_PIXELS,
            coming.offset.0 * CELL_PIXELS,
            -coming.offset.1 * CELL_PIXELS
        ),
    }
}

/// Writes a board with its moves as an SVG document. Required moves are broad, forbidden moves dashed.
///
/// # Errors
/// [`DrawError`] if the output cannot be written.
pub fn write_board_svg(
    out: &mut impl Write,
    board: &Board,
    text_rendering: TextRendering,
) -> Result<(), DrawError> {
    let mut computed = None;
    let positions = positions_or_computed(board, &mut computed);
    let grid = PixelGrid { positions, cell: CELL_PIXELS, left: MARGIN_PIXELS, top: MARGIN_PIXELS };
    let (width, height) = (grid.width() + 2.0 * MARGIN_PIXELS, grid.height() + 2.0 * MARGIN_PIXELS);
    write_document_head(out, width, height, &board.title())?;
    out.write_str("<g text-anchor=\"middle\">\n")?;
    write_squares(out, &grid, plain_square_colour)?;
    writeln!(out, r##"<g fill="none" stroke="{MOVE_COLOUR}" stroke-width="1.2" stroke-linecap="round">"##)?;
    for (v, w) in board.unrestricted().graph().edges() {
        let style = match (v.min(w), v.max(w)) {
            one if board.required_moves().binary_search(&one).is_ok() => r#" stroke-width="4""#,
            one if board.forbidden_moves().binary_search(&one).is_ok() => r#" stroke-dasharray="1 5""#,
            _ => "",
        };
        writeln!(out, r##"<path d="{}"{style}/>"##, move_path(&grid, v, w))?;
    }
    out.write_str("</g>\n")?;
    write_labels(out, board, text_rendering, &grid)?;
    Ok(out.write_str("</g>\n</svg>\n")?)
}

/// Writes the board with the shares of its squares, and the names of files and ranks.
fn write_end_shares(
    out: &mut impl Write,
    heat: &HeatMap,
    grid: &PixelGrid,
    shares: &[f64],
) -> Result<(), DrawError> {
    let (least, most) = end_share_range(shares);
    let value = |v: u32| scale_share(shares[v as usize], least, most);
    write_squares(out, grid, |v, _| share_colour(value(v)))?;
    for (v, square) in (0..).zip(grid.positions.positions()) {
        let (x, y) = grid.centre(square);
        let ink = if value(v) > 0.45 { "#ffffff" } else { "#111111" };
        let share = format!("{:.2}", 100.0 * shares[v as usize]);
        stroke_font::write_word(out, heat.text_rendering, (x, y + 4.0), 12.0, ink, &share)?;
    }
    Ok(write_labels(out, heat.board, heat.text_rendering, grid)?)
}

/// Writes the legend of the shares, centred in `width` pixels from (`left`, `top`): a bar of all
/// colours between the smallest share `least` and the largest share `most`, and `words` below it.
fn write_legend(
    out: &mut impl Write,
    letters: TextRendering,
    (left, top, width): (f64, f64, f64),
    (least, most): (f64, f64),
    words: &str,
) -> Result<(), DrawError> {
    let (bar, step) = (width * 0.7, width * 0.7 / LEGEND_STEPS as f64);
    let from = left + (width - bar) / 2.0;
    // Distance from the bar's end to the centre of its number, which must not touch the bar.
    let legend_width = (width * 0.07).max(18.0);
    for i in 0..LEGEND_STEPS {
        let value = i as f64 / (LEGEND_STEPS - 1) as f64;
        writeln!(
            out,
            r##"<rect x="{:.2}" y="{:.2}" width="{:.2}" height="7" fill="{}"/>"##,
            from + i as f64 * step,
            top - 13.0,
            step + 0.5,
            share_colour(value)
        )?;
    }
    let mut label =
        |x: f64, y: f64, word: &str| stroke_font::write_word(out, letters, (x, y), 11.0, "#333333", word);
    label(from - legend_width, top - 5.0, &format!("{:.1}", 100.0 * least))?;
    label(from + bar + legend_width, top - 5.0, &format!("{:.1}", 100.0 * most))?;
    Ok(label(left + width / 2.0, top + 9.0, words)?)
}

/// Returns the smallest and the largest of the shares.
pub(in crate::tour) fn share_range(shares: impl Iterator<Item = f64>) -> (f64, f64) {
    let (least, most) =
        shares.fold((f64::INFINITY, 0.0), |(least, most), share| (share.min(least), share.max(most)));
    (least.min(most), most)
}

/// Returns the smallest and the largest of the shares of tours that begin or end on a square. A fixed
/// end, on which all tours begin or end, is left out: it would hide the differences between the others.
pub(in crate::tour) fn end_share_range(shares: &[f64]) -> (f64, f64) {
    let free = share_range(shares.iter().copied().filter(|&share| share < 1.0));
    if free.1 > 0.0 { free } else { share_range(shares.iter().copied()) }
}

/// Scales a share to the range from 0 (the smallest share, `least`) to 1 (the largest share,
/// `most`, or above). If all shares are equal, returns 1, or 0 if they are 0.
pub(in crate::tour) fn scale_share(share: f64, least: f64, most: f64) -> f64 {
    if most > least { ((share - least) / (most - least)).min(1.0) } else { f64::from(u8::from(most > 0.0)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn board_pictures_show_every_move() {
        let cube = "graph=Gr`HOk symmetries=-";
        for (text, dashed) in [
            ("3x4", 0),
            ("board=3x4 piece=0,1 remove=b2", 0),
            ("board=3x4 piece=1,2 remove=- require=a1-b3 forbid=c1-d3,a2-c1", 2),
            ("board=4x4 piece=1,2 remove=- wrap=torus", 0),
            (cube, 0),
        ] {
            let board: Board = text.parse().unwrap();
            let mut drawn = String::new();
            write_board_svg(&mut drawn, &board, TextRendering::SvgText).unwrap();
            let moves = board.unrestricted().graph().edge_count();
            assert_eq!(drawn.matches("<path").count(), moves, "{text}");
            assert_eq!(drawn.matches("stroke-dasharray").count(), dashed, "{text}");
            assert_eq!(drawn.matches("<rect").count(), 1 + board.len(), "{text}");
            assert!(drawn.ends_with("</svg>\n"));
        }
    }

    #[test]
    fn heat_map_draws_every_move_and_square() {
        let board: Board = "3x4".parse().unwrap();
        let all: Vec<_> = board.graph().edges().map(|(v, w)| (v, w, f64::from(v) / 12.0)).collect();
        let ends = [0.25; 12];
        let mut text = String::new();
        let title = "3x4 paths: 16 < 17 tours";
        let heat = HeatMap {
            board: &board,
            title,
            move_shares: &all,
            end_shares: Some(&ends),
            text_rendering: TextRendering::SvgText,
        };
        write_heat_map(&mut text, &heat).unwrap();
        assert!(
            text.contains(">3x4 paths: 16 &lt; 17 tours</text>") && text.matches(">d</text>").count() == 2
        );
        assert_eq!(text.matches("<path").count(), all.len());
        assert_eq!(text.matches("stroke=\"#ffffff\"").count(), 24, "two boards");
        assert_eq!(text.matches(">25.00<").count(), 12);
        assert!(text.ends_with("</svg>\n"));
        // Below a board of one column the text has its full width.
        let narrow: Board = "board=4x1 piece=0,1 remove=-".parse().unwrap();
        let mut drawn = String::new();
        let ends = [0.5, 0.0, 0.0, 0.5];
        let heat = HeatMap { board: &narrow, move_shares: &[(0, 1, 1.0)], end_shares: Some(&ends), ..heat };
        write_heat_map(&mut drawn, &heat).unwrap();
        let width = 2.0 * MIN_TEXT_WIDTH_PIXELS + 3.0 * MARGIN_PIXELS;
        assert!(drawn.contains(&format!("width=\"{width:.0}\"")), "{drawn}");
        let complete = (0..6u32).flat_map(|v| (0..v).map(move |w| (w, v)));
        let graph = Board::from_graph(crate::board::Graph::from_edges(
            6,
            complete.clone().map(|(v, w)| (v as usize, w as usize)),
        ));
        let moves: Vec<_> = complete.map(|(v, w)| (v, w, 0.5)).collect();
        let heat = HeatMap { board: &graph, move_shares: &moves, end_shares: Some(&[0.3; 6]), ..heat };
        let mut drawn = String::new();
        write_heat_map(&mut drawn, &heat).unwrap();
        assert_eq!((drawn.matches("<path").count(), drawn.matches("stroke=\"#ffffff\"").count()), (15, 12));
        assert_eq!(drawn.matches(">6</text>").count(), 2, "the name of vertex 6 in both panels");
        let fixed = [1.0, 0.25, 0.5, 0.25, 0.0];
        assert_eq!((end_share_range(&fixed), end_share_range(&[1.0, 0.0, 1.0])), ((0.0, 0.5), (0.0, 1.0)));
        assert_eq!((scale_share(1.0, 0.0, 0.5), scale_share(0.25, 0.0, 0.5)), (1.0, 0.5));
        assert_eq!(
            (scale_share(0.0, 0.0, 0.0), scale_share(0.5, 0.5, 0.5), scale_share(0.5, 0.0, 1.0)),
            (0.0, 1.0, 0.5)
        );
    }
}
