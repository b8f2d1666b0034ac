//! Heat maps as terminal pictures: moves as lines of braille dots, and the shares of tours that end
//! on each square as coloured numbers.
//!
//! ```text
//! 6x6 paths: 3318960 tours
//!   +------------+     +----+----+     the more tours use a move, the brighter it is, and the later it is drawn;
//! 2 | .`-._.-    |   2 | 12   3        without colours only moves used by at least the mean share are drawn
//! 1 |   `*'      |   1 |  3  12
//! ```

use crate::tour::move_segment::MoveSegment;
use crate::tour::palette::Palette;
use crate::tour::svg::{HeatMap, end_share_range, scale_share, share_range};
use crate::tour::vertex_positions::VertexPositions;

use super::braille::DotGrid;
use super::{TerminalError, TerminalPicture};

/// Minimum width, in characters, of a square with its share; and the maximum number of decimals of
/// a share.
const MIN_CELL_CHARS: usize = 5;
const MAX_DECIMALS: usize = 2;

/// Draws a heat map that is at most `width` columns wide. Without colours, only moves with at least
/// the mean share are drawn.
///
/// # Errors
/// [`TerminalError`] if the board is too wide for `width` columns, or has no layout.
pub fn terminal_heat_map(
    heat: &HeatMap,
    width: usize,
    colour: bool,
) -> Result<TerminalPicture, TerminalError> {
    let positions = VertexPositions::of_board(heat.board)?;
    let frame = DotGrid::fit(heat.board, &positions, width)?;
    let mut canvas = frame.canvas();
    let (least, most) = share_range(heat.move_shares.iter().map(|one| one.2));
    // An empty sum of floats would be -0.
    let mean =
        heat.move_shares.iter().fold(0.0, |sum, one| sum + one.2) / heat.move_shares.len().max(1) as f64;
    let mut sorted = heat.move_shares.to_vec();
    sorted.sort_by(|one, other| one.2.total_cmp(&other.2));
    if !colour {
        sorted.retain(|one| one.2 >= mean && one.2 > 0.0);
    }
    for (v, w, share) in sorted {
        let shade = shade_colour(scale_share(share, least, most));
        let (a, b) = (frame.centre(positions.position(v)), frame.centre(positions.position(w)));
        canvas.draw_move(&frame, MoveSegment::new(&positions, v, w), (a, b), shade);
    }
    let mut picture = TerminalPicture::default();
    picture.add_line(heat.title);
    picture.lines.extend(frame.add_border(&canvas.to_symbols(), canvas.width_chars).lines);
    let drawn =
        if colour || most == 0.0 { String::new() } else { format!(", {:.2} or more drawn", 100.0 * mean) };
    let words =
        format!("per cent of tours that use the move: {:.2} to {:.2}{drawn}", 100.0 * least, 100.0 * most);
    append_legend(&mut picture, &words, colour);
    if let Some(ends) = heat.end_shares {
        append_end_shares(&mut picture, &positions, ends, width, heat, colour)?;
    }
    Ok(picture)
}

/// Appends a table to the picture with the share of tours, in per cent, that end on each square.
fn append_end_shares(
    picture: &mut TerminalPicture,
    positions: &VertexPositions,
    ends: &[f64],
    width: usize,
    heat: &HeatMap,
    colour: bool,
) -> Result<(), TerminalError> {
    let margin = positions.rows().to_string().len();
    let text = |share: f64, decimals: usize| format!("{:.decimals$}", 100.0 * share);
    // A blank precedes each share. If the row is too wide, the shares have fewer decimals.
    let cell = |decimals: usize| {
        let longest = ends.iter().map(|&share| text(share, decimals).len()).max().unwrap_or(0);
        (longest + 1).max(MIN_CELL_CHARS)
    };
    let needs = |cell: usize| margin + 1 + cell * usize::from(positions.cols());
    let decimals = (0..=MAX_DECIMALS).rev().find(|&decimals| needs(cell(decimals)) <= width);
    let Some((decimals, cell)) = decimals.map(|decimals| (decimals, cell(decimals))) else {
        let (title, needed) = (heat.board.title(), needs(cell(0)));
        return Err(TerminalError::TooWide { title, needed, width });
    };
    let (least, most) = end_share_range(ends);
    picture.add_line("");
    let mut rows = vec![vec![None; positions.cols().into()]; positions.rows().into()];
    for (share, square) in ends.iter().zip(positions.positions()) {
        rows[usize::from(square.rank())][usize::from(square.file())] = Some(*share);
    }
    for (rank, row) in rows.iter().enumerate().rev() {
        picture.add_line(&format!("{:>margin$} ", rank + 1));
        for share in row {
            let text = share.map_or(String::new(), |share| text(share, decimals));
            let shade = share.map(|share| shade_colour(scale_share(share, least, most)));
            picture.append(&format!("{text:>cell$}"), shade);
        }
    }
    let mut files = format!("{:margin$} ", "");
    for name in positions.file_names() {
        files += &format!("{:>cell$}", name.unwrap_or_default());
    }
    picture.add_line(&files);
    append_legend(
        picture,
        &format!("per cent of tours that end on the square: {:.2} to {:.2}", 100.0 * least, 100.0 * most),
        colour,
    );
    Ok(())
}

/// Appends the legend to the picture: the text `words` and, with colours, the colours from the
/// smallest share to the largest.
fn append_legend(picture: &mut TerminalPicture, words: &str, colour: bool) {
    picture.add_line(words);
    if colour {
        picture.append(" ", None);
        (0..7).for_each(|step| picture.append("■", Some(shade_colour(f64::from(step) / 6.0))));
    }
}

/// Returns the terminal colour of a scaled share: from dark for 0 to bright for 1, on the viridis
/// ramp.
fn shade_colour(value: f64) -> u8 {
    Palette::Viridis.colours().terminal_colour(Some(value.clamp(0.0, 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::tour::TextRendering;

    fn heat_map<'a>(
        board: &'a Board,
        move_shares: &'a [(u32, u32, f64)],
        end_shares: Option<&'a [f64]>,
    ) -> HeatMap<'a> {
        let (title, text_rendering) = ("8x8 paths: 7 tours", TextRendering::SvgText);
        HeatMap { board, title, move_shares, end_shares, text_rendering }
    }

    #[test]
    fn terminal_heat_map_fits_width_and_has_title() {
        let board: Board = "8x8".parse().unwrap();
        let moves: Vec<_> = board.graph().edges().map(|(v, w)| (v, w, f64::from(v) / 64.0)).collect();
        let ends = [1.0 / 32.0; 64];
        let heat = heat_map(&board, &moves, Some(&ends));
        let picture = terminal_heat_map(&heat, 80, false).unwrap();
        assert!(picture.width() <= 80);
        let text = picture.to_text(false);
        assert!(text.starts_with("8x8 paths: 7 tours\n") && text.matches("3.12").count() >= 64, "{text}");
        assert!(text.contains("or more drawn") && !text.contains('\x1b'));
        let coloured = terminal_heat_map(&heat, 80, true).unwrap().to_text(true);
        assert!(coloured.contains("\x1b[") && coloured.contains("■"));
        assert!(terminal_heat_map(&heat, 20, true).is_err());
    }

    #[test]
    fn symmetric_shares_give_symmetric_dots() {
        let board: Board = "6x6".parse().unwrap();
        let moves: Vec<_> = board.graph().edges().map(|(v, w)| (v, w, 0.5)).collect();
        let text = terminal_heat_map(&heat_map(&board, &moves, None), 80, false).unwrap().to_text(false);
        let rows = text.lines().filter_map(|line| line.split('│').nth(1));
        let mut dots = std::collections::BTreeSet::new();
        for (y, row) in (0..).zip(rows) {
            for (x, char) in (0..).zip(row.chars()) {
                let bits = u32::from(char).saturating_sub(0x2800);
                let dot_offsets = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)];
                let present = dot_offsets.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
                dots.extend(present.map(|(_, (over, down))| (2 * x + over, 4 * y + down)));
            }
        }
        let [across, down] = [0, 1].map(|side| {
            let all = || dots.iter().map(|dot: &(i32, i32)| [dot.0, dot.1][side]);
            all().min().unwrap() + all().max().unwrap()
        });
        assert!(dots.len() > 500);
        for (x, y) in &dots {
            let images = [(across - x, *y), (*x, down - y), (*y, *x)];
            assert!(images.iter().all(|image| dots.contains(image)), "{x} {y}\n{text}");
        }
    }

    #[test]
    fn terminal_heat_map_accepts_no_moves() {
        let board: Board = "1x1".parse().unwrap();
        let text = terminal_heat_map(&heat_map(&board, &[], None), 80, false).unwrap().to_text(false);
        assert!(text.contains("per cent of tours that use the move: 0.00 to 0.00\n"), "{text}");
    }

    #[test]
    fn end_shares_are_separated_by_blanks() {
        let board: Board = "5x5".parse().unwrap();
        let ends: Vec<f64> = (0..25).map(|v| [0.351_852, 0.0, 1.0][v % 3]).collect();
        let heat = heat_map(&board, &[], Some(&ends));
        for (width, row) in [
            (80, "1   35.19   0.00 100.00  35.19   0.00"),
            (32, "1   35.2   0.0 100.0  35.2   0.0"),
            (30, "1    35    0  100   35    0"),
        ] {
            let text = terminal_heat_map(&heat, width, false).unwrap().to_text(false);
            assert!(text.lines().any(|line| line == row), "{text}");
        }
    }
}
