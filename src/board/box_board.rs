//! [`BoxBoard`]: a three-dimensional box of squares, layer above layer, with any piece.
//!
//! ```text
//! board=2x3x4 piece=1,2 remove=a1.1        2 layers of 3 rows and 4 columns
//! ```
//!
//! A step of a leaper changes two of the three coordinates: one by its smaller number and one by
//! its larger number. The symmetries of the board are the reflections and permutations of
//! coordinates that map the remaining squares to themselves, at most 48.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use super::board_kind::{BoardKind, LineScan};
use super::error::{BoardError, NameError};
use super::layout::Layout;
use super::symmetry_group::{Element, SymmetryGroup};
use super::text_form::KeyValues;
use super::{BoxSquare, Graph, Piece, RectangleError, Square, square};

/// Lengths of the sides of a box: the numbers of layers, rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoxSides {
    layers: u16,
    rows: u16,
    cols: u16,
}

/// Maximum number of squares of a box.
const MAX_BOX_SQUARES: usize = 1 << 24;

impl BoxSides {
    /// Creates the sides of a box from the numbers of layers, rows and columns.
    ///
    /// # Errors
    /// A length is 0, or the box has more than 2^24 squares.
    pub fn new(layers: u16, rows: u16, cols: u16) -> Result<Self, RectangleError> {
        let sides = Self { layers, rows, cols };
        let squares = usize::from(layers) * usize::from(rows) * usize::from(cols);
        match squares {
            0 => Err(RectangleError::Empty(sides.to_string())),
            1..=MAX_BOX_SQUARES => Ok(sides),
            _ => Err(RectangleError::TooLarge(sides.to_string())),
        }
    }

    /// Returns the numbers of layers, rows and columns, in this order.
    #[must_use]
    pub fn lengths(self) -> [usize; 3] {
        [self.layers, self.rows, self.cols].map(usize::from)
    }

    /// Returns the numbers of files, ranks and layers, in the order in which coordinates are given.
    fn axis_lengths(self) -> [i32; 3] {
        [self.cols, self.rows, self.layers].map(i32::from)
    }

    fn contains(self, box_square: BoxSquare) -> bool {
        box_square.layer() < self.layers
            && box_square.square().rank() < self.rows
            && box_square.square().file() < self.cols
    }
}

impl fmt::Display for BoxSides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}x{}x{}", self.layers, self.rows, self.cols))
    }
}

impl FromStr for BoxSides {
    type Err = RectangleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || RectangleError::Parse(text.to_owned());
        let side = |s: &str| {
            if s.is_empty() || !s.bytes().all(|b| b.is_ascii_digit()) {
                return Err(bad());
            }
            s.parse::<u16>().map_err(|_| RectangleError::TooLarge(text.to_owned()))
        };
        let sides: Vec<u16> = text.split(['x', 'X']).map(side).collect::<Result<_, _>>()?;
        let [layers, rows, cols] = sides[..] else { return Err(bad()) };
        Self::new(layers, rows, cols)
    }
}

/// A box of squares, some of them removed, and a piece that moves in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoxBoard {
    sides: BoxSides,
    piece: Piece,
    removed: BTreeSet<BoxSquare>,
    /// The squares that are not removed, ascending; the index of a square is the number of its
    /// vertex.
    squares: Vec<BoxSquare>,
}

impl BoxBoard {
    /// Creates the board of all moves of `piece` in a box with these sides, without the squares in
    /// `removed`.
    ///
    /// # Errors
    /// A removed square is not in the box.
    pub fn new(
        sides: BoxSides,
        piece: Piece,
        removed: impl IntoIterator<Item = BoxSquare>,
    ) -> Result<Self, NameError> {
        let removed: BTreeSet<BoxSquare> = removed.into_iter().collect();
        if let Some(&box_square) = removed.iter().find(|&&box_square| !sides.contains(box_square)) {
            return Err(NameError::NotInBox(box_square));
        }
        let of_layer = |layer| {
            let ranks = 0..sides.rows;
            ranks.flat_map(move |rank| {
                (0..sides.cols).map(move |file| BoxSquare::new(Square::new(file, rank), layer))
            })
        };
        let box_squares =
            (0..sides.layers).flat_map(of_layer).filter(|box_square| !removed.contains(box_square)).collect();
        Ok(Self { sides, piece, removed, squares: box_squares })
    }

    /// Returns the lengths of the sides of the box.
    #[must_use]
    pub const fn sides(&self) -> BoxSides {
        self.sides
    }

    /// Returns true if no square of the box is removed.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.removed.is_empty()
    }

    /// Parses a box board from the words of its text form.
    pub(super) fn parse(mut words: KeyValues<'_>) -> Result<Self, BoardError> {
        let sides: BoxSides = words.take_required("board")?.parse()?;
        let piece = words.take_required("piece")?.parse()?;
        let removed: Vec<BoxSquare> =
            square::parse_square_list(words.take_required("remove")?).map_err(NameError::from)?;
        words.expect_end()?;
        Ok(Self::new(sides, piece, removed)?)
    }

    /// Returns the vertex at the coordinates (file, rank, layer), counted from 0; `None` outside
    /// the box and for removed squares.
    fn index(&self, coordinates: [i32; 3]) -> Option<u32> {
        let extents = self.sides.axis_lengths();
        if !(0..3).all(|axis| (0..extents[axis]).contains(&coordinates[axis])) {
            return None;
        }
        let [file, rank, layer] = coordinates.map(|x| x as u16);
        self.squares.binary_search(&BoxSquare::new(Square::new(file, rank), layer)).ok().map(|v| v as u32)
    }
}

fn to_coordinates(box_square: BoxSquare) -> [i32; 3] {
    [box_square.square().file(), box_square.square().rank(), box_square.layer()].map(i32::from)
}

/// All permutations of the three coordinate axes.
const AXIS_ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 1, 0], [1, 2, 0], [2, 0, 1]];

impl BoardKind for BoxBoard {
    fn text_form(&self) -> String {
        let removed = square::format_squares(&self.removed);
        format!("board={} piece={} remove={removed}", self.sides, self.piece)
    }

    fn title(&self) -> String {
        self.sides.to_string()
    }

    fn vertex_count(&self) -> usize {
        self.squares.len()
    }

    fn graph(&self) -> Graph {
        let flat = self.piece.steps();
        let pairs = [(0, 1), (0, 2), (1, 2)];
        let steps: Vec<[i32; 3]> = flat
            .into_iter()
            .flat_map(|(a, b)| {
                pairs.map(|(i, j)| {
                    let mut step = [0; 3];
                    (step[i], step[j]) = (a, b);
                    step
                })
            })
            .collect();
        let moves = |(v, &box_square): (usize, &BoxSquare)| {
            let from = to_coordinates(box_square);
            let to = move |step: &[i32; 3]| [from[0] + step[0], from[1] + step[1], from[2] + step[2]];
            steps.iter().filter_map(move |step| Some((v, self.index(to(step))? as usize)))
        };
        Graph::from_edges(self.squares.len(), self.squares.iter().enumerate().flat_map(moves))
    }

    fn symmetries(&self, _: &Graph) -> Option<SymmetryGroup> {
        let extents = self.sides.axis_lengths();
        let mut elements = Vec::new();
        for axes in AXIS_ORDERS {
            if (0..3).any(|axis| extents[axes[axis]] != extents[axis]) {
                continue;
            }
            for flips in 0..8 {
                let image = |&box_square: &BoxSquare| {
                    let from = to_coordinates(box_square);
                    let to = [0, 1, 2].map(|axis| match flips >> axis & 1 {
                        0 => from[axes[axis]],
                        _ => extents[axis] - 1 - from[axes[axis]],
                    });
                    self.index(to)
                };
                if let Some(image) = self.squares.iter().map(image).collect() {
                    elements.push(Element { names: Vec::new(), image });
                }
            }
        }
        Some(SymmetryGroup::new(elements))
    }

    fn piece(&self) -> Option<Piece> {
        Some(self.piece.clone())
    }

    fn removed_names(&self) -> Vec<String> {
        self.removed.iter().map(ToString::to_string).collect()
    }

    fn name(&self, v: u32) -> String {
        self.squares[v as usize].to_string()
    }

    fn vertex(&self, name: &str) -> Result<u32, NameError> {
        let box_square = name.parse()?;
        self.squares.binary_search(&box_square).map(|v| v as u32).map_err(|_| NameError::NotInBox(box_square))
    }

    /// Returns three scans of the box: column by column, row by row, and layer by layer. A line of
    /// a scan is all squares with one value of the coordinate in question.
    fn line_scans(&self, _: Option<&Layout>) -> Vec<LineScan> {
        let extents = self.sides.axis_lengths();
        let along = |axis: usize| -> LineScan {
            let (b, c) = ((axis + 1) % 3, (axis + 2) % 3);
            let line = |i: i32| {
                let across = (0..extents[b]).flat_map(|j| (0..extents[c]).map(move |k| (j, k)));
                let box_square = |(j, k): (i32, i32)| {
                    let mut at = [0; 3];
                    (at[axis], at[b], at[c]) = (i, j, k);
                    self.index(at).map(|v| v as usize)
                };
                across.map(box_square).collect()
            };
            (0..extents[axis]).map(line).collect()
        };
        (0..3).rev().map(along).collect()
    }

    /// Places the layers next to each other, separated by one empty column; `None` if the layers
    /// together are wider than 65535 columns. A move between layers counts as a move across a seam;
    /// its step is the move projected onto one layer.
    fn layout(&self) -> Option<Layout> {
        let BoxSides { layers, rows, cols } = self.sides;
        let width = u16::try_from(u32::from(layers) * (u32::from(cols) + 1) - 1).ok()?;
        let place = |box_square: &BoxSquare| {
            Square::new(
                box_square.layer() * (cols + 1) + box_square.square().file(),
                box_square.square().rank(),
            )
        };
        let positions = self.squares.iter().map(place).collect();
        let graph = self.graph();
        let near = |v: u32| graph.neighbours(v as usize).iter().map(move |&w| (v, w));
        let seams = (0..graph.len() as u32).flat_map(near).filter_map(|(v, w)| {
            let (from, to) =
                (to_coordinates(self.squares[v as usize]), to_coordinates(self.squares[w as usize]));
            (from[2] != to[2]).then_some((v, w, (to[0] - from[0], to[1] - from[1])))
        });
        Some(Layout::new(rows, width, positions).with_panels(cols).with_seam_steps(seams))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Board;
    use super::*;

    fn board(text: &str) -> Board {
        text.parse().unwrap()
    }

    #[test]
    fn text_form_of_boxes_round_trips() {
        for text in ["board=2x3x4 piece=1,2 remove=-", "board=3x3x3 piece=0,1+1,1 remove=a1.1,b2.2"] {
            assert_eq!(board(text).to_string(), text);
            let board = board(text);
            assert!((0..board.len() as u32).all(|v| board.vertex(&board.name(v)) == Ok(v)));
        }
        assert_eq!(board("2x3x4").to_string(), "board=2x3x4 piece=1,2 remove=-");
        for bad in
            ["board=2x3x4 piece=1,2 remove=a1.3", "board=2x0x4 piece=1,2 remove=-", "2x3x4x5", "999x999x999"]
        {
            assert!(bad.parse::<Board>().is_err(), "{bad}");
        }
    }

    #[test]
    fn steps_change_two_coordinates() {
        let cube = board("3x3x3");
        let corner: Vec<String> = cube.graph().neighbours(0).iter().map(|&v| cube.name(v)).collect();
        assert_eq!(corner, ["c2.1", "b3.1", "c1.2", "a3.2", "b1.3", "a2.3"]);
        let wazir = board("board=2x2x2 piece=0,1 remove=-");
        assert!((0..8).all(|v| wazir.graph().degree(v) == 3));
    }

    #[test]
    fn box_of_one_layer_equals_rectangle() {
        for text in ["1x4x5", "1x5x5"] {
            let (flat, solid) = (board(&text[2..]), board(text));
            assert_eq!(flat.graph(), solid.graph());
            let images = |board: &Board| -> BTreeSet<Vec<u32>> {
                board.symmetries().elements().iter().map(|e| e.image.clone()).collect()
            };
            assert_eq!(images(&flat), images(&solid));
        }
    }

    #[test]
    fn box_symmetry_groups_have_expected_orders() {
        for (text, order) in
            [("3x3x3", 48), ("2x3x4", 8), ("2x3x3", 16), ("board=3x3x3 piece=1,2 remove=a1.1", 6)]
        {
            let board = board(text);
            let graph = board.graph();
            assert_eq!(board.symmetries().order(), order, "{text}");
            assert!(board.symmetries().elements().iter().all(|e| graph.has_automorphism(&e.image)));
        }
    }

    #[test]
    fn line_scans_follow_every_axis() {
        let board = board("board=2x3x4 piece=1,2 remove=a1.1");
        let lines = board.line_scans();
        let sizes: Vec<(usize, usize)> = lines.iter().map(|lines| (lines.len(), lines[0].len())).collect();
        assert_eq!(sizes, [(2, 12), (3, 8), (4, 6)]);
        for lines in lines {
            let mut all: Vec<usize> = lines.concat().into_iter().flatten().collect();
            all.sort_unstable();
            assert_eq!(all, (0..23).collect::<Vec<_>>());
        }
    }

    #[test]
    fn layout_places_layers_in_panels() {
        let board = board("2x2x3");
        let layout = board.layout().unwrap();
        assert_eq!((layout.rows(), layout.cols(), layout.panel_cols()), (2, 7, 3));
        assert_eq!(layout.positions()[6].to_string(), "e1");
        assert!(layout.seams().all(|(v, w)| v < 6 && w >= 6));
    }
}
