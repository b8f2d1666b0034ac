//! Terminal pictures of tours as tables of move numbers, drawn in box characters.

use std::iter;
use std::ops::Range;

use crate::board::Square;
use crate::tour::Tour;
use crate::tour::scene::TourScene;
use crate::tour::vertex_positions::VertexPositions;

use super::{HOLE_FILL, TerminalError, TerminalPicture, TerminalStyle, mark_symbol};

/// Draws a tour as a table of move numbers in box characters, and marks the first and last square.
/// The layers of a box are side by side, or one below the other if the terminal is too narrow. Cost
/// O(squares).
///
/// # Errors
/// [`TerminalError`] if the table is wider than the terminal, or the board has no layout.
pub fn number_table(tour: &Tour, style: &TerminalStyle) -> Result<TerminalPicture, TerminalError> {
    let (positions, squares) = (VertexPositions::of_board(tour.board())?, tour.squares()?);
    let (rows, cols) = (usize::from(positions.rows()), usize::from(positions.cols()));
    let (from, colours, scene) = (style.first_number, style.palette.colours(), TourScene::new(tour));
    let width = (from + scene.last() as u64).to_string().len().max(2);
    let margin = rows.to_string().len();
    let needs = |cols: usize| cols * (width + 3) + margin + 2;
    let (starts, panel) = positions.panels();
    let (starts, panel): (Vec<usize>, _) = (starts.map(usize::from).collect(), usize::from(panel));
    let parts: Vec<Range<usize>> = match starts.as_slice() {
        starts if needs(cols) > style.width && starts.len() > 1 => {
            starts.iter().map(|&start| start..start + panel).collect()
        }
        _ => iter::once(0..cols).collect(),
    };
    let needs = needs(parts[0].len());
    if needs > style.width {
        let title = tour.board().title();
        return Err(TerminalError::TooWide { title, needed: needs, width: style.width });
    }
    let place = |square: &Square| (rows - 1 - usize::from(square.rank())) * cols + usize::from(square.file());
    let mut cells = vec![(" ".repeat(width + 2), None); rows * cols];
    for hole in positions.holes() {
        cells[place(&hole)].0 = HOLE_FILL.to_string().repeat(width + 2);
    }
    for (i, square) in squares.iter().enumerate() {
        let (mark, colour) = match scene.mark(i) {
            Some(mark) => mark_symbol(mark, colours),
            None => (' ', colours.terminal_colour(scene.fraction(i))),
        };
        cells[place(square)] = (format!(" {:>width$}{mark}", from + i as u64), Some(colour));
    }
    let table = NumberTable { positions, cells, cols, number_width: width, rank_width: margin };
    let mut picture = TerminalPicture::default();
    for part in parts {
        // This line is a comment, which a reader of the table ignores.
        if starts.len() > 1 {
            let mut names = format!("{:<1$}", "#", margin + 2);
            let layers = (1..).zip(&starts).filter(|(_, start)| part.contains(start));
            for (layer, start) in layers {
                let at = margin + 2 + (start - part.start) * (width + 3);
                names += &" ".repeat(at.saturating_sub(names.len()));
                names += &format!("layer {layer} ");
            }
            picture.add_line(names.trim_end());
        }
        table.draw_columns(&mut picture, part);
    }
    Ok(picture)
}

/// The text and colour of each cell of a table of move numbers, and the widths of numbers and
/// ranks.
struct NumberTable<'a> {
    positions: VertexPositions<'a>,
    cells: Vec<(String, Option<u8>)>,
    cols: usize,
    /// Width of a move number, in characters.
    number_width: usize,
    /// Width of a rank number, in characters.
    rank_width: usize,
}

impl NumberTable<'_> {
    /// Returns true if a column contains squares; the columns between layers of a box contain none.
    fn is_square_column(&self, column: usize) -> bool {
        self.positions.file_of_column(column as u16).is_some()
    }

    /// Draws the columns `part` of the table below the current lines of the picture.
    fn draw_columns(&self, picture: &mut TerminalPicture, part: Range<usize>) {
        let (width, margin) = (self.number_width, self.rank_width);
        let gap = " ".repeat(width + 2);
        let rule = |ends: [&str; 3]| {
            let [left, middle, right] = ends;
            let mut line = format!("{:margin$} {left}", "");
            for column in part.clone() {
                let next = column + 1 < part.end && self.is_square_column(column + 1);
                line += &if self.is_square_column(column) { "─".repeat(width + 2) } else { gap.clone() };
                line += match (self.is_square_column(column), next) {
                    (true, true) => middle,
                    (true, false) => right,
                    (false, _) => left,
                };
            }
            line
        };
        let rows = usize::from(self.positions.rows());
        picture.add_line(&rule(["┌", "┬", "┐"]));
        for (row, line) in self.cells.chunks(self.cols).enumerate() {
            if row > 0 {
                picture.add_line(&rule(["├", "┼", "┤"]));
            }
            picture.add_line(&format!("{:margin$} ", rows - row));
            for column in part.clone() {
                let (text, colour) = &line[column];
                picture.append("│", None);
                picture.append(if self.is_square_column(column) { text } else { &gap }, *colour);
            }
            picture.append("│", None);
        }
        picture.add_line(&rule(["└", "┴", "┘"]));
        let names = self.positions.file_names();
        let name = |column: usize| names[column].as_deref().unwrap_or_default();
        let files: String = part.map(|column| format!("{:^1$}", name(column), width + 3)).collect();
        picture.add_line(&format!("{:margin$} {files}", ""));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tour() -> Tour {
        let names = "a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2".split(' ');
        Tour::from_names(&"3x4".parse().unwrap(), names).unwrap()
    }

    #[test]
    fn number_table_draws_3x4() {
        let expected = "  ┌────┬────┬────┬────┐
3 │  1●│  4 │  7 │ 10 │
  ├────┼────┼────┼────┤
2 │ 12◆│  9 │  2 │  5 │
  ├────┼────┼────┼────┤
1 │  3 │  6 │ 11 │  8 │
  └────┴────┴────┴────┘
    a    b    c    d
";
        let picture = number_table(&tour(), &TerminalStyle::default()).unwrap();
        assert_eq!(picture.to_text(false), expected);
        assert!(picture.to_text(true).contains("\x1b[0;38;5;63m4"), "{:?}", picture.to_text(true));
    }

    #[test]
    fn number_table_shades_holes_and_separates_layers() {
        let drawn = |board: &str, names: &str| {
            let tour = Tour::from_names(&board.parse().unwrap(), names.split(' ')).unwrap();
            number_table(&tour, &TerminalStyle::default()).unwrap().to_text(false)
        };
        let ring = drawn("board=3x3 piece=1,2 remove=b2", "a1 c2 a3 b1 c3 a2 c1 b3");
        assert!(ring.contains("\n2 │  6 │░░░░│  2 │\n"), "{ring}");
        let cube = drawn("board=2x2x2 piece=0,1 remove=-", "a1.1 b1.1 b2.1 a2.1 a2.2 b2.2 b1.2 a1.2");
        assert!(
            cube.starts_with(
                "#  layer 1        layer 2\n  ┌────┬────┐    ┌────┬────┐\n2 │  4 │  3 │    │  5 │  6 │\n"
            ),
            "{cube}"
        );
    }

    #[test]
    fn number_table_stacks_layers_on_narrow_terminal() {
        let names = "a1.1 b1.1 b2.1 a2.1 a2.2 b2.2 b1.2 a1.2".split(' ');
        let tour = Tour::from_names(&"board=2x2x2 piece=0,1 remove=-".parse().unwrap(), names).unwrap();
        let drawn = |width| number_table(&tour, &TerminalStyle { width, ..TerminalStyle::default() });
        assert_eq!(
            drawn(27).unwrap().to_text(false),
            "#  layer 1
  ┌────┬────┐
2 │  4 │  3 │
  ├────┼────┤
1 │  1●│  2 │
  └────┴────┘
    a    b
#  layer 2
  ┌────┬────┐
2 │  5 │  6 │
  ├────┼────┤
1 │  8◆│  7 │
  └────┴────┘
    a    b
"
        );
        assert!(drawn(28).unwrap().to_text(false).starts_with("#  layer 1        layer 2\n"));
        let error = drawn(12).unwrap_err();
        assert!(error.to_string().contains("2x2x2"), "{error}");
        assert!(matches!(error, TerminalError::TooWide { needed: 13, width: 12, .. }), "{error}");
    }

    #[test]
    fn number_table_rejects_narrow_terminal() {
        let style = TerminalStyle { width: 22, ..TerminalStyle::default() };
        let error = number_table(&tour(), &style).unwrap_err();
        assert!(error.to_string().contains("3x4"), "{error}");
        assert!(matches!(error, TerminalError::TooWide { needed: 23, width: 22, .. }), "{error}");
    }
}
