//! Terminal pictures of tours with braille dots: [`DotGrid`], the size and border of a picture, and
//! [`Canvas`], its dots.
//!
//! ```text
//!   ┌────────────┐     each character is 2 x 4 dots, each square as many dots wide as high:
//! 3 │●-.   _.-'  │     8, or fewer if the board is wide for the terminal, down to 2
//! 2 │   `*'      │
//! 1 │         ◆  │     a move is a straight line of dots
//!   └────────────┘
//!    a  b  c  d        files and ranks where they fit
//! ```

use crate::board::{Board, Square};
use crate::tour::Tour;
use crate::tour::move_segment::{MoveSegment, MoveStub};
use crate::tour::scene::TourScene;
use crate::tour::vertex_positions::VertexPositions;

use super::{HOLE_FILL, Symbol, TerminalError, TerminalPicture, TerminalStyle, mark_symbol};

/// Bits of the eight dots of a braille character: two columns of four dots, each from the top.
const DOT_BITS: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
/// Braille character without dots.
const BLANK_BRAILLE: char = '\u{2800}';
/// Minimum and maximum side of a square, in dots.
const SQUARE_SIDE_DOTS: std::ops::RangeInclusive<usize> = 2..=8;

/// Draws the line of a tour in braille dots, with files and ranks, as large as the terminal allows.
/// Cost O(squares).
///
/// # Errors
/// [`TerminalError`] if the board is too wide for the terminal, or has no layout.
pub fn braille_picture(tour: &Tour, style: &TerminalStyle) -> Result<TerminalPicture, TerminalError> {
    let (positions, squares) = (VertexPositions::of_board(tour.board())?, tour.squares()?);
    let frame = DotGrid::fit(tour.board(), &positions, style.width)?;
    let side = frame.side;
    let colours = style.palette.colours();
    let scene = TourScene::new(tour);
    let mut canvas = frame.canvas();
    let vertices = tour.vertices();
    for (from, to) in scene.moves() {
        let segment = MoveSegment::new(&positions, vertices[from], vertices[to]);
        let (a, b) = (frame.centre(squares[from]), frame.centre(squares[to]));
        let colour = colours.terminal_colour(scene.fraction(from));
        canvas.draw_move(&frame, segment, (a, b), colour);
        if let (MoveSegment::Stubs(leaving, coming), true) = (segment, frame.has_layer_digits()) {
            canvas.mark_layer(a, leaving, colour);
            canvas.mark_layer(b, coming, colour);
        }
    }
    if side >= 6 {
        for &square in &squares {
            let (x, y) = frame.centre(square);
            for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                canvas.set_dot(x + dx, y + dy, None);
            }
        }
    }
    // The start hides the end if both share a character.
    for (i, &square) in squares.iter().enumerate().rev() {
        let Some(mark) = scene.mark(i) else { continue };
        let ((x, y), (char, colour)) = (frame.centre(square), mark_symbol(mark, colours));
        let at = y as usize / 4 * canvas.width_chars + x as usize / 2;
        canvas.marks.push((at, Symbol { char, colour: Some(colour) }));
    }
    let mut symbols = canvas.to_symbols();
    for hole in positions.holes() {
        frame.shade_hole(hole, canvas.width_chars, &mut symbols);
    }
    Ok(frame.add_border(&symbols, canvas.width_chars))
}

/// The size of a picture in dots, and the positions of the squares in it.
pub(super) struct DotGrid {
    rows: usize,
    cols: usize,
    /// File letters of each column of the board; `None` for a column between two layers.
    file_names: Vec<Option<String>>,
    /// Number of dots along the side of a square.
    side: usize,
    /// Width of the largest rank number, in characters.
    rank_width: usize,
}

impl DotGrid {
    /// Returns the grid with the largest squares such that the picture fits into `width` columns of
    /// the terminal.
    pub(super) fn fit(
        board: &Board,
        positions: &VertexPositions,
        width: usize,
    ) -> Result<Self, TerminalError> {
        let (rows, cols) = (usize::from(positions.rows()), usize::from(positions.cols()));
        let margin = rows.to_string().len();
        let columns = |side: usize| margin + 3 + (cols * side).div_ceil(2);
        let Some(side) = SQUARE_SIDE_DOTS.rev().find(|&side| columns(side) <= width) else {
            let (title, needs) = (board.title(), columns(*SQUARE_SIDE_DOTS.start()));
            return Err(TerminalError::TooWide { title, needed: needs, width });
        };
        Ok(Self { rows, cols, file_names: positions.file_names(), side, rank_width: margin })
    }

    /// Returns an empty canvas for all squares of the board.
    pub(super) fn canvas(&self) -> Canvas {
        Canvas::new((self.cols * self.side).div_ceil(2), (self.rows * self.side).div_ceil(4))
    }

    /// Returns the dot (x, y) at the centre of a square. If the side of a square is an even number
    /// of dots, it is the dot above and left of the centre.
    pub(super) fn centre(&self, square: Square) -> (i32, i32) {
        let row = self.rows - 1 - usize::from(square.rank());
        let dot = |at: usize| (at * self.side + (self.side - 1) / 2) as i32;
        (dot(usize::from(square.file())), dot(row))
    }

    /// Returns true if squares are large enough for the numbers of layers at the ends of stubs.
    const fn has_layer_digits(&self) -> bool {
        self.side == *SQUARE_SIDE_DOTS.end()
    }

    /// Returns the dot at an offset from the dot (`x`, `y`), or the nearest dot of the board. The
    /// offset (`right`, `up`) is in multiples of the side of a square.
    fn offset_dot(&self, (x, y): (i32, i32), (right, up): (f64, f64)) -> (i32, i32) {
        let dots = |sides: f64| (sides * self.side as f64).round() as i32;
        let most = |squares: usize| (squares * self.side) as i32 - 1;
        ((x + dots(right)).clamp(0, most(self.cols)), (y - dots(up)).clamp(0, most(self.rows)))
    }

    /// Shades the characters of the hole `square` that no line crosses.
    fn shade_hole(&self, square: Square, wide: usize, symbols: &mut [Symbol]) {
        let (row, side) = (self.rows - 1 - usize::from(square.rank()), self.side);
        let left = usize::from(square.file()) * side;
        for y in (row * side).div_ceil(4)..((row + 1) * side).div_ceil(4) {
            for x in left.div_ceil(2)..(left + side).div_ceil(2) {
                if let Some(symbol) =
                    symbols.get_mut(y * wide + x).filter(|symbol| symbol.char == BLANK_BRAILLE)
                {
                    *symbol = Symbol { char: HOLE_FILL, colour: None };
                }
            }
        }
    }

    /// Returns true if column `x` of characters lies between two layers of a box.
    fn is_gap(&self, x: usize) -> bool {
        self.file_names.get(2 * x / self.side).is_some_and(Option::is_none)
    }

    /// Returns a horizontal border of `wide` characters `line`. Where a gap between two layers
    /// interrupts it, the border ends with the corner `right` and begins again with the corner
    /// `left`.
    fn border_line(&self, wide: usize, [line, right, left]: [char; 3]) -> String {
        let symbol = |x: usize| match (self.is_gap(x), x > 0 && self.is_gap(x - 1)) {
            (false, _) => line,
            (true, false) => right,
            (true, true) if !self.is_gap(x + 1) => left,
            (true, true) => ' ',
        };
        (0..wide).map(symbol).collect()
    }

    /// Returns the picture that consists of the characters `symbols`, in lines of `wide`, with a
    /// border, ranks and files around them.
    pub(super) fn add_border(&self, symbols: &[Symbol], wide: usize) -> TerminalPicture {
        let Self { rows, rank_width: margin, .. } = *self;
        let mut picture = TerminalPicture::default();
        picture.add_line(&format!("{:margin$} ┌{}┐", "", self.border_line(wide, ['─', '┐', '┌'])));
        let sides: Vec<char> = self.border_line(wide, [BLANK_BRAILLE, '│', '│']).chars().collect();
        let mut ranks = vec![String::new(); symbols.len() / wide.max(1)];
        for rank in (0..rows).rev() {
            let line = self.centre(Square::new(0, rank as u16)).1 as usize / 4;
            if ranks[line].is_empty() {
                ranks[line] = (rank + 1).to_string();
            }
        }
        for (line, rank) in symbols.chunks(wide).zip(&ranks) {
            picture.add_line(&format!("{rank:>margin$} │"));
            let over = |(symbol, &side): (&Symbol, &char)| match side {
                BLANK_BRAILLE => *symbol,
                side => Symbol { char: side, colour: None },
            };
            let symbols = line.iter().zip(&sides).map(over);
            picture.lines.last_mut().expect("the picture has a line").extend(symbols);
            picture.append("│", None);
        }
        picture.add_line(&format!("{:margin$} └{}┘", "", self.border_line(wide, ['─', '┘', '└'])));
        // File letters, as far as they do not touch each other.
        let mut files = vec![' '; margin + 2];
        for (file, name) in self.file_names.iter().enumerate() {
            let Some(name) = name else { continue };
            let middle = margin + 2 + self.centre(Square::new(file as u16, 0)).0 as usize / 2;
            let from = middle - (name.len() - 1) / 2;
            if file == 0 || from > files.len() {
                files.resize(from, ' ');
                files.extend(name.chars());
            }
        }
        picture.add_line(&files.into_iter().collect::<String>());
        let panels: Vec<usize> = self.file_names.split(Option::is_none).map(<[_]>::len).collect();
        if panels.len() > 1 {
            let wide = |columns: usize| columns * self.side / 2;
            let name = |(layer, &columns)| format!("{:<1$}", format!("layer {layer}"), wide(columns + 1));
            let names: Vec<String> = (1..).zip(&panels).map(name).collect();
            picture.add_line(&format!("{:margin$}  {}", "", names.concat()));
            if self.has_layer_digits() {
                let legend = "digits: the layer that a move goes to";
                picture.add_line(&format!("{:margin$}  {legend}", ""));
            }
        }
        picture
    }
}

/// A canvas of dots, eight in each character. A character has the colour of the last line drawn
/// through it.
pub(super) struct Canvas {
    pub(super) width_chars: usize,
    bits: Vec<u32>,
    colours: Vec<Option<u8>>,
    marks: Vec<(usize, Symbol)>,
}

impl Canvas {
    fn new(wide: usize, high: usize) -> Self {
        Self {
            width_chars: wide,
            bits: vec![0; wide * high],
            colours: vec![None; wide * high],
            marks: Vec::new(),
        }
    }

    fn set_dot(&mut self, x: i32, y: i32, colour: Option<u8>) {
        let (x, y) = (x.max(0) as usize, y.max(0) as usize);
        let at = y / 4 * self.width_chars + (x / 2).min(self.width_chars - 1);
        if let Some(bits) = self.bits.get_mut(at) {
            *bits |= DOT_BITS[x % 2][y % 4];
            self.colours[at] = colour.or(self.colours[at]);
        }
    }

    /// Draws a move between two squares with the centres `a` and `b`.
    pub(super) fn draw_move(
        &mut self,
        grid: &DotGrid,
        segment: MoveSegment,
        (a, b): ((i32, i32), (i32, i32)),
        colour: u8,
    ) {
        match segment {
            MoveSegment::Straight => self.draw_line(a, b, colour),
            MoveSegment::Stubs(leaving, coming) => {
                self.draw_line(a, grid.offset_dot(a, leaving.offset), colour);
                self.draw_line(grid.offset_dot(b, coming.offset), b, colour);
            }
        }
    }

    fn draw_line(&mut self, from: (i32, i32), to: (i32, i32), colour: u8) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let steps = dx.abs().max(dy.abs()).max(1);
        for i in 0..=steps {
            // A point half-way between two dots is rounded to the dot that is nearer to the closer
            // end of the line, so that mirrored lines look mirrored.
            let near =
                |length: i32, i: i32| (2 * length.abs() * i + steps - 1) / (2 * steps) * length.signum();
            let along = |start: i32, length: i32| {
                if 2 * i <= steps {
                    start + near(length, i)
                } else {
                    start + length - near(length, steps - i)
                }
            };
            self.set_dot(along(from.0, dx), along(from.1, dy), Some(colour));
        }
    }

    /// Writes the number of the layer that a stub leads to at the end of the stub. (`x`, `y`) is
    /// the centre of its square. Squares must be four characters wide and two high; their centre is
    /// in the second of the upper four characters.
    fn mark_layer(&mut self, (x, y): (i32, i32), stub: MoveStub, colour: u8) {
        let Some(char) = stub.layer.and_then(|layer| char::from_digit(layer.into(), 10)) else { return };
        let (right, up) = stub.offset;
        let candidates = match (right.abs() > 0.1, up.abs() > 0.1) {
            (true, false) if right > 0.0 => [(2, 0), (2, 1)],
            (true, false) => [(-1, 0), (-1, 1)],
            (false, _) if up > 0.0 => [(1, 0), (1, 1)],
            (false, _) => [(0, 1), (1, 1)],
            (true, true) if up > 0.0 => [(1, 0), (2, 0)],
            (true, true) => [(-1, 1), (-1, 0)],
        };
        let at =
            |(over, down): (i32, i32)| (y / 4 + down) as usize * self.width_chars + (x / 2 + over) as usize;
        let is_free = |place: &usize| self.marks.iter().all(|(mark, _)| mark != place);
        if let Some(position) = candidates.map(at).into_iter().find(is_free) {
            self.marks.push((position, Symbol { char, colour: Some(colour) }));
        }
    }

    pub(super) fn to_symbols(&self) -> Vec<Symbol> {
        let symbol = |(&bits, &colour)| Symbol { char: char::from_u32(0x2800 + bits).unwrap_or(' '), colour };
        let mut symbols: Vec<Symbol> = self.bits.iter().zip(&self.colours).map(symbol).collect();
        for &(at, mark) in &self.marks {
            symbols[at] = mark;
        }
        symbols
    }
}

#[cfg(test)]
mod tests {
    use super::super::{END_MARK, START_MARK};
    use super::*;
    use crate::heuristic::{FindOutcome, FindRequest, find};
    use crate::tour::{Kind, TourSpec};

    fn tour(board: &str) -> Tour {
        match find(&FindRequest::new(TourSpec::all(board.parse().unwrap(), Kind::Paths))) {
            FindOutcome::Found { tour, .. } => tour,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn all_lines_of_a_picture_have_equal_width() {
        for (board, width) in
            [("3x4", 80), ("8x8", 80), ("19x19", 80), ("50x50", 80), ("50x50", 120), ("70x70", 80)]
        {
            let style = TerminalStyle { width, ..TerminalStyle::default() };
            let text = braille_picture(&tour(board), &style).unwrap().to_text(false);
            let lines: Vec<usize> = text.lines().map(|line| line.chars().count()).collect();
            // The last line, the file letters, may be shorter.
            let (files, rest) = lines.split_last().unwrap();
            assert!(rest[0] <= width && *files <= rest[0], "{text}");
            assert!(rest.iter().all(|&len| len == rest[0]), "{text}");
            assert_eq!((text.matches(START_MARK).count(), text.matches(END_MARK).count()), (1, 1));
        }
        let small = braille_picture(&tour("3x4"), &TerminalStyle::default()).unwrap().to_text(false);
        assert_eq!(small.lines().count(), 2 + 6 + 1);
        assert!(small.ends_with("\n  └────────────────┘\n    a   b   c   d\n"), "{small}");
    }

    #[test]
    fn stubs_between_layers_show_layer_digits() {
        let names = "a1.1 b1.1 b2.1 a2.1 a2.2 b2.2 b1.2 a1.2".split(' ');
        let tour = Tour::from_names(&"board=2x2x2 piece=0,1 remove=-".parse().unwrap(), names).unwrap();
        let drawn = |width| {
            let style = TerminalStyle { width, ..TerminalStyle::default() };
            braille_picture(&tour.clone().into_closed().unwrap(), &style).unwrap().to_text(false)
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
    fn braille_picture_rejects_too_wide_board() {
        let error = braille_picture(&tour("80x80"), &TerminalStyle::default()).unwrap_err();
        assert!(error.to_string().contains("80x80"), "{error}");
        assert!(matches!(error, TerminalError::TooWide { needed: 85, width: 80, .. }), "{error}");
    }
}
