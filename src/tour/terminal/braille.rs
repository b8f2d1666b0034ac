//! The line of a tour in braille dots.
//!
//! ```text
//!   ┌────────────┐     each character is 2 x 4 dots, each square as many dots wide as high:
//! 3 │●-.   _.-'  │     8, or fewer if the board is wide for the terminal, down to 2
//! 2 │   `*'      │
//! 1 │         ◆  │     a move is a straight line of dots
//!   └────────────┘
//!    a  b  c  d        files and ranks where they fit
//! ```

use crate::board::{Arena, Square};
use crate::tour::leg::{Leg, Stub};
use crate::tour::places::Places;
use crate::tour::{Tour, TourKind};

use super::{END, HOLE, Picture, START, Symbol, TerminalError, TerminalStyle, file_name};

/// Bits of a braille character, for two columns of four dots.
const DOTS: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
/// Braille character without dots.
const BLANK: char = '\u{2800}';
/// Smallest and largest side of a square, in dots.
const SIDES: std::ops::RangeInclusive<usize> = 2..=8;

/// Draws the path in braille dots with files and ranks, as large as fits. Cost O(squares).
///
/// # Errors
/// [`TerminalError`] if the board is too wide for the terminal, or has no layout.
pub fn braille(tour: &Tour, style: &TerminalStyle) -> Result<Picture, TerminalError> {
    let (places, squares) = (Places::of(tour.arena())?, tour.squares()?);
    let frame = Frame::of(tour.arena(), &places, style.width)?;
    let side = frame.side;
    let colours = style.palette.colours();
    let closed = tour.kind() == TourKind::Closed;
    let mut canvas = frame.canvas();
    let moves = squares.len().saturating_sub(1).max(1) as f64;
    let vertices = tour.vertices();
    let mut leg = |from: usize, to: usize, colour| {
        let (a, b) = (frame.middle(squares[from]), frame.middle(squares[to]));
        match Leg::of(&places, vertices[from], vertices[to]) {
            Leg::Straight => canvas.line(a, b, colour),
            Leg::Stubs(leaving, coming) => {
                canvas.line(a, frame.beside(a, leaving.way), colour);
                canvas.line(frame.beside(b, coming.way), b, colour);
                if frame.names_layers() {
                    canvas.name_layer(a, leaving, colour);
                    canvas.name_layer(b, coming, colour);
                }
            }
        }
    };
    for i in 1..squares.len() {
        let along = if closed { None } else { Some((i - 1) as f64 / moves) };
        leg(i - 1, i, colours.on_terminal(along));
    }
    if closed {
        leg(squares.len() - 1, 0, colours.on_terminal(None));
    }
    if side >= 6 {
        for &square in &squares {
            let (x, y) = frame.middle(square);
            for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                canvas.dot(x + dx, y + dy, None);
            }
        }
    }
    let [start, end] = colours.terminal_ends;
    let mut mark = |square: &Square, char, colour| {
        let (x, y) = frame.middle(*square);
        canvas
            .marks
            .push((y as usize / 4 * canvas.wide + x as usize / 2, Symbol { char, colour: Some(colour) }));
    };
    if let (Some(last), false) = (squares.last(), closed) {
        mark(last, END, end);
    }
    if let Some(first) = squares.first() {
        mark(first, START, start);
    }
    let mut signs = canvas.signs();
    for hole in places.holes().into_iter().filter(|hole| places.file(hole.file()).is_some()) {
        frame.shade(hole, canvas.wide, &mut signs);
    }
    Ok(frame.around(&signs, canvas.wide))
}

/// Positions of squares among the dots.
pub(super) struct Frame {
    rows: usize,
    cols: usize,
    /// File letters of the columns; `None` for a column between layers.
    names: Vec<Option<String>>,
    /// Side of a square in dots.
    side: usize,
    /// Width of the widest rank in characters.
    margin: usize,
}

impl Frame {
    /// Returns the grid with the largest squares that fit into `width` columns of the terminal.
    pub(super) fn of(arena: &Arena, places: &Places, width: usize) -> Result<Self, TerminalError> {
        let (rows, cols) = (usize::from(places.rows()), usize::from(places.cols()));
        let margin = rows.to_string().len();
        let columns = |side: usize| margin + 3 + (cols * side).div_ceil(2);
        let Some(side) = SIDES.rev().find(|&side| columns(side) <= width) else {
            let (title, needs) = (arena.title(), columns(*SIDES.start()));
            return Err(TerminalError::TooWide { title, needs, width });
        };
        let name = |column| places.file(column).map(|file| file_name(usize::from(file)));
        let names = (0..places.cols()).map(name).collect();
        Ok(Self { rows, cols, names, side, margin })
    }

    /// Returns an empty canvas for all squares.
    pub(super) fn canvas(&self) -> Canvas {
        Canvas::new((self.cols * self.side).div_ceil(2), (self.rows * self.side).div_ceil(4))
    }

    /// Returns the dot at the centre of a square; if the side is even, the dot above and left of the centre.
    pub(super) fn middle(&self, square: Square) -> (i32, i32) {
        let row = self.rows - 1 - usize::from(square.rank());
        let dot = |at: usize| (at * self.side + (self.side - 1) / 2) as i32;
        (dot(usize::from(square.file())), dot(row))
    }

    /// Returns true if squares are large enough for digits of target layers.
    const fn names_layers(&self) -> bool {
        self.side == *SIDES.end()
    }

    /// Returns the dot at an offset, in sides of a square to the right and up, from another dot, clamped to
    /// the board.
    pub(super) fn beside(&self, (x, y): (i32, i32), (right, up): (f64, f64)) -> (i32, i32) {
        let dots = |sides: f64| (sides * self.side as f64).round() as i32;
        let most = |squares: usize| (squares * self.side) as i32 - 1;
        ((x + dots(right)).clamp(0, most(self.cols)), (y - dots(up)).clamp(0, most(self.rows)))
    }

    /// Shades the characters of a hole that no line crosses.
    fn shade(&self, square: Square, wide: usize, signs: &mut [Symbol]) {
        let (row, side) = (self.rows - 1 - usize::from(square.rank()), self.side);
        let left = usize::from(square.file()) * side;
        for y in (row * side).div_ceil(4)..((row + 1) * side).div_ceil(4) {
            for x in left.div_ceil(2)..(left + side).div_ceil(2) {
                if let Some(sign) = signs.get_mut(y * wide + x).filter(|sign| sign.char == BLANK) {
                    *sign = Symbol { char: HOLE, colour: None };
                }
            }
        }
    }

    /// Returns true if a column of characters lies between layers of a box.
    fn is_between(&self, x: usize) -> bool {
        self.names.get(2 * x / self.side).is_some_and(Option::is_none)
    }

    /// Returns the border over `wide` characters, made of `line`, with the corners `right` and `left` at the
    /// gaps between layers.
    fn edge(&self, wide: usize, [line, right, left]: [char; 3]) -> String {
        let sign = |x: usize| match (self.is_between(x), x > 0 && self.is_between(x - 1)) {
            (false, _) => line,
            (true, false) => right,
            (true, true) if !self.is_between(x + 1) => left,
            (true, true) => ' ',
        };
        (0..wide).map(sign).collect()
    }

    /// Adds border, ranks and files to a picture.
    pub(super) fn around(&self, signs: &[Symbol], wide: usize) -> Picture {
        let Self { rows, margin, .. } = *self;
        let mut picture = Picture::default();
        picture.put(0, &format!("{:margin$} ┌{}┐", "", self.edge(wide, ['─', '┐', '┌'])));
        let sides: Vec<char> = self.edge(wide, [BLANK, '│', '│']).chars().collect();
        let mut ranks = vec![String::new(); signs.len() / wide.max(1)];
        for rank in (0..rows).rev() {
            let line = self.middle(Square::new(0, rank as u16)).1 as usize / 4;
            if ranks[line].is_empty() {
                ranks[line] = (rank + 1).to_string();
            }
        }
        for (y, line) in signs.chunks(wide).enumerate() {
            picture.put(y + 1, &format!("{:>margin$} │", ranks[y]));
            let over = |(sign, &side): (&Symbol, &char)| match side {
                BLANK => *sign,
                side => Symbol { char: side, colour: None },
            };
            picture.lines[y + 1].extend(line.iter().zip(&sides).map(over));
            picture.put(y + 1, "│");
        }
        let below = ranks.len() + 1;
        picture.put(below, &format!("{:margin$} └{}┘", "", self.edge(wide, ['─', '┘', '└'])));
        // File letters, as far as they do not touch.
        let mut files = vec![' '; margin + 2];
        for (file, name) in self.names.iter().enumerate() {
            let Some(name) = name else { continue };
            let middle = margin + 2 + self.middle(Square::new(file as u16, 0)).0 as usize / 2;
            let from = middle - (name.len() - 1) / 2;
            if file == 0 || from > files.len() {
                files.resize(from, ' ');
                files.extend(name.chars());
            }
        }
        picture.put(below + 1, &files.into_iter().collect::<String>());
        let panels: Vec<usize> = self.names.split(Option::is_none).map(<[_]>::len).collect();
        if panels.len() > 1 {
            let wide = |columns: usize| columns * self.side / 2;
            let name = |(layer, &columns)| format!("{:<1$}", format!("layer {layer}"), wide(columns + 1));
            let names: Vec<String> = (1..).zip(&panels).map(name).collect();
            picture.put(below + 2, &format!("{:margin$}  {}", "", names.concat()));
            if self.names_layers() {
                let told = "digits: the layer that a move goes to";
                picture.put(below + 3, &format!("{:margin$}  {told}", ""));
            }
        }
        picture
    }
}

/// A canvas of dots, eight to a character; each character has the colour of the last line through it.
pub(super) struct Canvas {
    pub(super) wide: usize,
    bits: Vec<u32>,
    colours: Vec<Option<u8>>,
    marks: Vec<(usize, Symbol)>,
}

impl Canvas {
    fn new(wide: usize, high: usize) -> Self {
        Self { wide, bits: vec![0; wide * high], colours: vec![None; wide * high], marks: Vec::new() }
    }

    fn dot(&mut self, x: i32, y: i32, colour: Option<u8>) {
        let (x, y) = (x.max(0) as usize, y.max(0) as usize);
        let at = y / 4 * self.wide + (x / 2).min(self.wide - 1);
        if let Some(bits) = self.bits.get_mut(at) {
            *bits |= DOTS[x % 2][y % 4];
            self.colours[at] = colour.or(self.colours[at]);
        }
    }

    pub(super) fn line(&mut self, from: (i32, i32), to: (i32, i32), colour: u8) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let steps = dx.abs().max(dy.abs()).max(1);
        for i in 0..=steps {
            // A point half-way between two dots goes to the dot nearer its end of the line, so that mirrored
            // lines look mirrored.
            let near =
                |length: i32, i: i32| (2 * length.abs() * i + steps - 1) / (2 * steps) * length.signum();
            let along = |start: i32, length: i32| {
                if 2 * i <= steps {
                    start + near(length, i)
                } else {
                    start + length - near(length, steps - i)
                }
            };
            self.dot(along(from.0, dx), along(from.1, dy), Some(colour));
        }
    }

    /// Marks the target layer of a stub at its end. Requires squares four characters wide and two high, whose
    /// centre is the second of the upper characters.
    fn name_layer(&mut self, (x, y): (i32, i32), stub: Stub, colour: u8) {
        let Some(char) = stub.layer.and_then(|layer| char::from_digit(layer.into(), 10)) else { return };
        let (right, up) = stub.way;
        let places = match (right.abs() > 0.1, up.abs() > 0.1) {
            (true, false) if right > 0.0 => [(2, 0), (2, 1)],
            (true, false) => [(-1, 0), (-1, 1)],
            (false, _) if up > 0.0 => [(1, 0), (1, 1)],
            (false, _) => [(0, 1), (1, 1)],
            (true, true) if up > 0.0 => [(1, 0), (2, 0)],
            (true, true) => [(-1, 1), (-1, 0)],
        };
        let at = |(over, down): (i32, i32)| (y / 4 + down) as usize * self.wide + (x / 2 + over) as usize;
        let is_free = |place: &usize| self.marks.iter().all(|(mark, _)| mark != place);
        if let Some(place) = places.map(at).into_iter().find(is_free) {
            self.marks.push((place, Symbol { char, colour: Some(colour) }));
        }
    }

    pub(super) fn signs(&self) -> Vec<Symbol> {
        let sign = |(&bits, &colour)| Symbol { char: char::from_u32(0x2800 + bits).unwrap_or(' '), colour };
        let mut signs: Vec<Symbol> = self.bits.iter().zip(&self.colours).map(sign).collect();
        for &(at, mark) in &self.marks {
            signs[at] = mark;
        }
        signs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::heuristic::{FindRequest, Outcome, find};

    fn tour(board: &str) -> Tour {
        match find(&FindRequest::new(board.parse::<Board>().unwrap())) {
            Outcome::Found { tour, .. } => tour,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_line_of_a_picture_is_as_wide_as_the_others() {
        for (board, width) in
            [("3x4", 80), ("8x8", 80), ("19x19", 80), ("50x50", 80), ("50x50", 120), ("70x70", 80)]
        {
            let style = TerminalStyle { width, ..TerminalStyle::default() };
            let text = braille(&tour(board), &style).unwrap().text(false);
            let lines: Vec<usize> = text.lines().map(|line| line.chars().count()).collect();
            // The last line, the file letters, may be shorter.
            let (files, rest) = lines.split_last().unwrap();
            assert!(rest[0] <= width && *files <= rest[0], "{text}");
            assert!(rest.iter().all(|&len| len == rest[0]), "{text}");
            assert_eq!((text.matches(START).count(), text.matches(END).count()), (1, 1));
        }
        let small = braille(&tour("3x4"), &TerminalStyle::default()).unwrap().text(false);
        assert_eq!(small.lines().count(), 2 + 6 + 1);
        assert!(small.ends_with("\n  └────────────────┘\n    a   b   c   d\n"), "{small}");
    }

    #[test]
    fn moves_between_layers_name_the_layer() {
        let names = "a1.1 b1.1 b2.1 a2.1 a2.2 b2.2 b1.2 a1.2".split(' ');
        let tour = Tour::from_names(&"board=2x2x2 piece=0,1 remove=-".parse().unwrap(), names).unwrap();
        let drawn = |width| {
            let style = TerminalStyle { width, ..TerminalStyle::default() };
            braille(&tour.clone().into_closed().unwrap(), &style).unwrap().text(false)
        };
        let wide = drawn(80);
        let count = |digit| wide.lines().take(6).collect::<String>().matches(digit).count();
        // Rank labels on the left contain digits, too.
        assert_eq!((count('1'), count('2')), (1 + 2, 1 + 2), "{wide}");
        assert!(
            wide.ends_with("   layer 1     layer 2\n   digits: the layer that a move goes to\n"),
            "{wide}"
        );
        let narrow = drawn(20);
        assert!(narrow.contains("layer 2") && !narrow.contains("digits"), "{narrow}");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let error = braille(&tour("80x80"), &TerminalStyle::default()).unwrap_err();
        assert!(error.to_string().contains("80x80"), "{error}");
        assert!(matches!(error, TerminalError::TooWide { needs: 85, width: 80, .. }), "{error}");
    }
}
