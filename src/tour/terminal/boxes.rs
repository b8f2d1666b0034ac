//! Move numbers in a table of box characters.

use crate::board::Square;
use crate::tour::places::Places;
use crate::tour::{Tour, TourKind};

use super::{END, HOLE, Picture, START, TerminalError, TerminalStyle, file_name};

/// Move numbers in a table of box characters; the first and last square are marked. Cost O(squares).
///
/// # Errors
/// Tables wider than the terminal, and arenas without a layout.
pub fn boxes(tour: &Tour, style: &TerminalStyle) -> Result<Picture, TerminalError> {
    let (places, squares) = (Places::of(tour.arena())?, tour.squares()?);
    let (rows, cols) = (usize::from(places.rows()), usize::from(places.cols()));
    let (from, colours) = (style.number_from, style.palette.colours());
    let last = squares.len().saturating_sub(1);
    let width = (from + last as u64).to_string().len().max(2);
    let margin = rows.to_string().len();
    let needs = cols * (width + 3) + margin + 2;
    if needs > style.width {
        let title = tour.arena().title();
        return Err(TerminalError::TooWide { title, needs, width: style.width });
    }
    let closed = tour.kind() == TourKind::Closed;
    let place = |square: &Square| (rows - 1 - usize::from(square.rank())) * cols + usize::from(square.file());
    let mut cells = vec![(" ".repeat(width + 2), None); rows * cols];
    for hole in places.holes() {
        cells[place(&hole)].0 = HOLE.to_string().repeat(width + 2);
    }
    for (i, square) in squares.iter().enumerate() {
        let along = if closed { None } else { Some(i as f64 / last.max(1) as f64) };
        let (sign, colour) = match i {
            0 => (START, colours.terminal_ends[0]),
            _ if i == last && !closed => (END, colours.terminal_ends[1]),
            _ => (' ', colours.on_terminal(along)),
        };
        cells[place(square)] = (format!(" {:>width$}{sign}", from + i as u64), Some(colour));
    }
    // The layers of a box stand apart.
    let is_square = |column: usize| places.file(column as u16).is_some();
    let apart = " ".repeat(width + 2);
    let rule = |ends: [&str; 3]| {
        let [left, middle, right] = ends;
        let mut line = format!("{:margin$} {left}", "");
        for column in 0..cols {
            let next = column + 1 < cols && is_square(column + 1);
            line += &if is_square(column) { "─".repeat(width + 2) } else { apart.clone() };
            line += match (is_square(column), next) {
                (true, true) => middle,
                (true, false) => right,
                (false, _) => left,
            };
        }
        line
    };
    let mut picture = Picture::default();
    let (starts, panel) = places.panels();
    let is_box = panel < places.cols();
    // A remark to whoever reads the numbers again.
    if is_box {
        let mut names = format!("{:<1$}", "#", margin + 2);
        for (layer, start) in (1..).zip(starts) {
            let at = margin + 2 + usize::from(start) * (width + 3);
            names += &" ".repeat(at.saturating_sub(names.len()));
            names += &format!("layer {layer} ");
        }
        picture.put(0, names.trim_end());
    }
    let top = usize::from(is_box);
    picture.put(top, &rule(["┌", "┬", "┐"]));
    for (row, line) in cells.chunks(cols).enumerate() {
        if row > 0 {
            picture.put(top + 2 * row, &rule(["├", "┼", "┤"]));
        }
        let at = top + 2 * row + 1;
        picture.put(at, &format!("{:margin$} ", rows - row));
        for (column, (text, colour)) in line.iter().enumerate() {
            picture.put(at, "│");
            picture.put_coloured(at, if is_square(column) { text } else { &apart }, *colour);
        }
        picture.put(at, "│");
    }
    picture.put(top + 2 * rows, &rule(["└", "┴", "┘"]));
    let name = |column| places.file(column).map_or(String::new(), |file| file_name(usize::from(file)));
    let files: Vec<String> =
        (0..places.cols()).map(|column| format!("{:^1$}", name(column), width + 3)).collect();
    picture.put(top + 2 * rows + 1, &format!("{:margin$} {}", "", files.concat()));
    Ok(picture)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tour() -> Tour {
        let names = "a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2".split(' ');
        Tour::from_names(&"3x4".parse().unwrap(), names).unwrap()
    }

    #[test]
    fn numbers_stand_in_boxes() {
        let expected = "  ┌────┬────┬────┬────┐
3 │  1●│  4 │  7 │ 10 │
  ├────┼────┼────┼────┤
2 │ 12◆│  9 │  2 │  5 │
  ├────┼────┼────┼────┤
1 │  3 │  6 │ 11 │  8 │
  └────┴────┴────┴────┘
    a    b    c    d
";
        let picture = boxes(&tour(), &TerminalStyle::default()).unwrap();
        assert_eq!(picture.text(false), expected);
        assert!(picture.text(true).contains("\x1b[0;38;5;63m4"), "{:?}", picture.text(true));
    }

    #[test]
    fn holes_are_shaded_and_layers_stand_apart() {
        let drawn = |arena: &str, names: &str| {
            let tour = Tour::from_names(&arena.parse().unwrap(), names.split(' ')).unwrap();
            boxes(&tour, &TerminalStyle::default()).unwrap().text(false)
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
    fn tables_wider_than_the_terminal_are_refused() {
        let style = TerminalStyle { width: 22, ..TerminalStyle::default() };
        let error = boxes(&tour(), &style).unwrap_err().to_string();
        assert_eq!(error, "3x4 needs 23 columns as a terminal picture, there are 22");
    }
}
