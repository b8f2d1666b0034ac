//! Tours on a terminal: lines of braille dots, or numbers in boxes.
//!
//! ```text
//!   +------------+     each square is a field of characters, each character
//! 3 |*-.   _.-'  |     2 x 4 dots of braille; a move is a straight line of dots
//! 2 |   `*'      |
//! 1 |            |     start and end are marked
//!   +------------+
//!    a  b  c  d
//! ```

use std::fmt::Write;

use crate::board::Square;

use super::places::{NoLayout, Places};
use super::{Tour, TourKind};

/// The widest picture, in characters, that [`braille`] makes.
const WIDEST: usize = 200;
const START: char = '●';
const END: char = '◆';
/// Bits of a braille character: two columns of four dots.
const DOTS: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

/// Why there is no picture on a terminal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TerminalError {
    /// It would not fit.
    #[error("{0} is too wide for a terminal picture")]
    TooWide(String),
    /// Nobody knows where the vertices lie.
    #[error(transparent)]
    NoLayout(#[from] NoLayout),
}

/// The path in braille dots, with files and ranks. Squares are 4 x 2 characters, on larger boards 2 x 1.
///
/// # Errors
/// Boards of more than about a hundred files, and arenas without a layout.
pub fn braille(tour: &Tour) -> Result<String, TerminalError> {
    let (places, squares) = (Places::of(tour.arena())?, tour.squares()?);
    let (rows, cols) = (usize::from(places.rows()), usize::from(places.cols()));
    let (wide, high) = if cols <= 20 { (4, 2) } else { (2, 1) };
    if cols * wide + 6 > WIDEST {
        return Err(TerminalError::TooWide(tour.arena().title()));
    }
    let mut canvas = Canvas::new(cols * wide, rows * high);
    // The middle of a square, in dots.
    let middle = |square: Square| {
        let row = rows - 1 - usize::from(square.rank());
        let x = usize::from(square.file()) * wide * 2 + wide;
        let y = row * high * 4 + high * 2;
        (x as i32 - 1, y as i32 - 1)
    };
    for pair in squares.windows(2) {
        canvas.line(middle(pair[0]), middle(pair[1]));
    }
    if let ([first, .., last], TourKind::Closed) = (&squares[..], tour.kind()) {
        canvas.line(middle(*last), middle(*first));
    }
    for &square in &squares {
        let (x, y) = middle(square);
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            canvas.dot(x + dx, y + dy);
        }
    }
    let mut cells = canvas.cells();
    let mut mark = |square: &Square, sign| {
        let (x, y) = middle(*square);
        cells[y as usize / 4][x as usize / 2] = sign;
    };
    if tour.kind() != TourKind::Closed
        && let Some(last) = squares.last()
    {
        mark(last, END);
    }
    if let Some(first) = squares.first() {
        mark(first, START);
    }
    Ok(framed(&cells, rows, cols, (wide, high)))
}

/// Puts the frame, ranks and files round a picture.
fn framed(cells: &[Vec<char>], rows: usize, cols: usize, (wide, high): (usize, usize)) -> String {
    let margin = rows.to_string().len();
    let mut out = String::new();
    let edge = "─".repeat(cols * wide);
    let mut put = |text: std::fmt::Arguments| out.write_fmt(text).expect("writing to memory cannot fail");
    put(format_args!("{:margin$} ┌{edge}┐\n", ""));
    for (y, line) in cells.iter().enumerate() {
        let line: String = line.iter().collect();
        let rank = rows - y / high;
        if y % high == 0 {
            put(format_args!("{rank:margin$} │{line}│\n"));
        } else {
            put(format_args!("{:margin$} │{line}│\n", ""));
        }
    }
    put(format_args!("{:margin$} └{edge}┘\n{:margin$}  ", "", ""));
    for file in 0..cols {
        let name = file_name(file, wide - 1);
        put(format_args!("{name:^wide$}"));
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// The letters of a file, only the last ones where room is short.
fn file_name(file: usize, room: usize) -> String {
    let name = Square::new(file as u16, 0).to_string();
    let letters = name.trim_end_matches('1');
    letters[letters.len().saturating_sub(room)..].to_owned()
}

/// Move numbers in a table of box characters; the first and last square are marked.
///
/// # Errors
/// Tables wider than a terminal, and arenas without a layout.
pub fn boxes(tour: &Tour, number_from: u64) -> Result<String, TerminalError> {
    let (places, squares) = (Places::of(tour.arena())?, tour.squares()?);
    let (rows, cols) = (usize::from(places.rows()), usize::from(places.cols()));
    let last = squares.len().saturating_sub(1);
    let width = (number_from + last as u64).to_string().len().max(2);
    if cols * (width + 3) + 6 > 2 * WIDEST {
        return Err(TerminalError::TooWide(tour.arena().title()));
    }
    let mut names = vec![String::new(); rows * cols];
    for (i, square) in squares.iter().enumerate() {
        let place = (rows - 1 - usize::from(square.rank())) * cols + usize::from(square.file());
        let sign = match i {
            0 => START,
            _ if i == last && tour.kind() != TourKind::Closed => END,
            _ => ' ',
        };
        names[place] = format!("{:>width$}{sign}", number_from + i as u64);
    }
    let margin = rows.to_string().len();
    let rule = |left: &str, middle: &str, right: &str| {
        let bar = "─".repeat(width + 2);
        format!("{:margin$} {left}{}{right}\n", "", vec![bar; cols].join(middle))
    };
    let mut out = rule("┌", "┬", "┐");
    for (row, line) in names.chunks(cols).enumerate() {
        if row > 0 {
            out.push_str(&rule("├", "┼", "┤"));
        }
        let line: Vec<String> =
            line.iter().map(|name| format!(" {name:width$}", width = width + 1)).collect();
        out.push_str(&format!("{:margin$} │{}│\n", rows - row, line.join("│")));
    }
    out.push_str(&rule("└", "┴", "┘"));
    let files: Vec<String> =
        (0..cols).map(|file| format!("{:^1$}", file_name(file, width), width + 3)).collect();
    out.push_str(format!("{:margin$} {}", "", files.concat()).trim_end());
    out.push('\n');
    Ok(out)
}

/// Dots, eight to a character.
struct Canvas {
    wide: usize,
    bits: Vec<u32>,
}

impl Canvas {
    fn new(wide: usize, high: usize) -> Self {
        Self { wide, bits: vec![0; wide * high] }
    }

    fn dot(&mut self, x: i32, y: i32) {
        let (x, y) = (x.max(0) as usize, y.max(0) as usize);
        if let Some(bits) = self.bits.get_mut(y / 4 * self.wide + (x / 2).min(self.wide - 1)) {
            *bits |= DOTS[x % 2][y % 4];
        }
    }

    fn line(&mut self, from: (i32, i32), to: (i32, i32)) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let steps = dx.abs().max(dy.abs()).max(1);
        for i in 0..=steps {
            let along =
                |start: i32, length: i32| start + (2 * length * i + steps * length.signum()) / (2 * steps);
            self.dot(along(from.0, dx), along(from.1, dy));
        }
    }

    fn cells(&self) -> Vec<Vec<char>> {
        self.bits
            .chunks(self.wide)
            .map(|line| line.iter().map(|&bits| char::from_u32(0x2800 + bits).unwrap_or(' ')).collect())
            .collect()
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
        assert_eq!(boxes(&tour(), 1).unwrap(), expected);
    }

    #[test]
    fn every_line_of_a_picture_is_as_wide_as_the_others() {
        let picture = braille(&tour()).unwrap();
        let lines: Vec<&str> = picture.lines().collect();
        assert_eq!(lines.len(), 2 + 6 + 1);
        assert!(lines[..8].iter().all(|line| line.chars().count() == 3 + 16 + 1), "{picture}");
        assert_eq!(picture.matches(START).count(), 1);
        assert_eq!(picture.matches(END).count(), 1);
    }
}
