//! [`BoxBoard`]: a three-dimensional box of squares, layer above layer, with any piece.
//!
//! ```text
//! board=2x3x4 piece=1,2 remove=a1.1        2 layers of 3 rows and 4 columns
//! ```
//!
//! A step of a leaper changes two of the three coordinates, one by each of its two numbers. The symmetries
//! are the reflections and permutations of coordinates that map the remaining squares to themselves, at most
//! 48.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use super::area;
use super::error::{ArenaError, NameError};
use super::ground::{Ground, Lines};
use super::group::{Element, SymmetryGroup};
use super::layout::Layout;
use super::words::Words;
use super::{BoardError, Cube, Graph, Piece, Square};

/// Lengths of the sides of a box: layers, rows, columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sides {
    layers: u16,
    rows: u16,
    cols: u16,
}

/// Maximum number of squares of a box.
const MOST: usize = 1 << 24;

impl Sides {
    /// Creates the sides from the numbers of layers, rows and columns.
    ///
    /// # Errors
    /// A length is 0, or the box has more than 2^24 squares.
    pub fn new(layers: u16, rows: u16, cols: u16) -> Result<Self, BoardError> {
        let sides = Self { layers, rows, cols };
        let squares = usize::from(layers) * usize::from(rows) * usize::from(cols);
        match squares {
            0 => Err(BoardError::Empty(sides.to_string())),
            1..=MOST => Ok(sides),
            _ => Err(BoardError::TooLarge(sides.to_string())),
        }
    }

    /// Returns the numbers of layers, rows and columns, in this order.
    #[must_use]
    pub fn lengths(self) -> [usize; 3] {
        [self.layers, self.rows, self.cols].map(usize::from)
    }

    /// Returns the numbers of files, ranks and layers, in the order of coordinates.
    fn extents(self) -> [i32; 3] {
        [self.cols, self.rows, self.layers].map(i32::from)
    }

    fn contains(self, cube: Cube) -> bool {
        cube.layer() < self.layers && cube.square().rank() < self.rows && cube.square().file() < self.cols
    }
}

impl fmt::Display for Sides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}x{}x{}", self.layers, self.rows, self.cols))
    }
}

impl FromStr for Sides {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || BoardError::Parse(text.to_owned());
        let side = |s: &str| {
            if s.is_empty() || !s.bytes().all(|b| b.is_ascii_digit()) {
                return Err(bad());
            }
            s.parse::<u16>().map_err(|_| BoardError::TooLarge(text.to_owned()))
        };
        let sides: Vec<u16> = text.split(['x', 'X']).map(side).collect::<Result<_, _>>()?;
        let [layers, rows, cols] = sides[..] else { return Err(bad()) };
        Self::new(layers, rows, cols)
    }
}

/// A box of squares, some of them removed, with a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cuboid {
    sides: Sides,
    piece: Piece,
    removed: BTreeSet<Cube>,
    /// The remaining squares, ascending; the index is the vertex.
    cubes: Vec<Cube>,
}

impl Cuboid {
    /// Creates the board of all moves of `piece` in a box without the removed squares.
    ///
    /// # Errors
    /// A removed square is not in the box.
    pub fn new(
        sides: Sides,
        piece: Piece,
        removed: impl IntoIterator<Item = Cube>,
    ) -> Result<Self, NameError> {
        let removed: BTreeSet<Cube> = removed.into_iter().collect();
        if let Some(&cube) = removed.iter().find(|&&cube| !sides.contains(cube)) {
            return Err(NameError::NotInBox(cube));
        }
        let of_layer = |layer| {
            let ranks = 0..sides.rows;
            ranks.flat_map(move |rank| {
                (0..sides.cols).map(move |file| Cube::new(Square::new(file, rank), layer))
            })
        };
        let cubes = (0..sides.layers).flat_map(of_layer).filter(|cube| !removed.contains(cube)).collect();
        Ok(Self { sides, piece, removed, cubes })
    }

    /// Returns the lengths of the sides.
    #[must_use]
    pub const fn sides(&self) -> Sides {
        self.sides
    }

    /// Returns true if no square is removed.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.removed.is_empty()
    }

    /// Parses the words of a text form.
    pub(super) fn parse(mut words: Words<'_>) -> Result<Self, ArenaError> {
        let sides: Sides = words.needed("board")?.parse()?;
        let piece = words.needed("piece")?.parse()?;
        let removed: Vec<Cube> = area::read(words.needed("remove")?).map_err(NameError::from)?;
        words.end()?;
        Ok(Self::new(sides, piece, removed)?)
    }

    /// Returns the vertex at the coordinates file, rank, layer (from 0); `None` outside the box and for
    /// removed squares.
    fn at(&self, at: [i32; 3]) -> Option<u32> {
        let extents = self.sides.extents();
        if !(0..3).all(|axis| (0..extents[axis]).contains(&at[axis])) {
            return None;
        }
        let [file, rank, layer] = at.map(|x| x as u16);
        self.cubes.binary_search(&Cube::new(Square::new(file, rank), layer)).ok().map(|v| v as u32)
    }
}

fn point(cube: Cube) -> [i32; 3] {
    [cube.square().file(), cube.square().rank(), cube.layer()].map(i32::from)
}

/// All permutations of the three coordinate axes.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 1, 0], [1, 2, 0], [2, 0, 1]];

impl Ground for Cuboid {
    fn text(&self) -> String {
        let removed = area::written(&self.removed);
        format!("board={} piece={} remove={removed}", self.sides, self.piece)
    }

    fn title(&self) -> String {
        self.sides.to_string()
    }

    fn vertices(&self) -> usize {
        self.cubes.len()
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
        let moves = |(v, &cube): (usize, &Cube)| {
            let from = point(cube);
            let to = move |step: &[i32; 3]| [from[0] + step[0], from[1] + step[1], from[2] + step[2]];
            steps.iter().filter_map(move |step| Some((v, self.at(to(step))? as usize)))
        };
        Graph::from_edges(self.cubes.len(), self.cubes.iter().enumerate().flat_map(moves))
    }

    fn symmetries(&self, _: &Graph) -> Option<SymmetryGroup> {
        let extents = self.sides.extents();
        let mut elements = Vec::new();
        for order in ORDERS {
            if (0..3).any(|axis| extents[order[axis]] != extents[axis]) {
                continue;
            }
            for flips in 0..8 {
                let image = |&cube: &Cube| {
                    let from = point(cube);
                    let to = [0, 1, 2].map(|axis| match flips >> axis & 1 {
                        0 => from[order[axis]],
                        _ => extents[axis] - 1 - from[order[axis]],
                    });
                    self.at(to)
                };
                if let Some(image) = self.cubes.iter().map(image).collect() {
                    elements.push(Element { names: Vec::new(), image });
                }
            }
        }
        Some(SymmetryGroup::new(elements))
    }

    fn piece(&self) -> Option<Piece> {
        Some(self.piece.clone())
    }

    fn removed(&self) -> Vec<String> {
        self.removed.iter().map(ToString::to_string).collect()
    }

    fn name(&self, v: u32) -> String {
        self.cubes[v as usize].to_string()
    }

    fn vertex(&self, name: &str) -> Result<u32, NameError> {
        let cube = name.parse()?;
        self.cubes.binary_search(&cube).map(|v| v as u32).map_err(|_| NameError::NotInBox(cube))
    }

    /// Returns three scans: along the columns, the rows and the layers. A line is all squares with one value
    /// of that coordinate.
    fn lines(&self, _: Option<&Layout>) -> Vec<Lines> {
        let extents = self.sides.extents();
        let along = |axis: usize| -> Lines {
            let (b, c) = ((axis + 1) % 3, (axis + 2) % 3);
            let line = |i: i32| {
                let across = (0..extents[b]).flat_map(|j| (0..extents[c]).map(move |k| (j, k)));
                let cube = |(j, k): (i32, i32)| {
                    let mut at = [0; 3];
                    (at[axis], at[b], at[c]) = (i, j, k);
                    self.at(at).map(|v| v as usize)
                };
                across.map(cube).collect()
            };
            (0..extents[axis]).map(line).collect()
        };
        (0..3).rev().map(along).collect()
    }

    /// Places the layers next to each other, separated by one empty column. Moves between layers are seam
    /// moves; their step is the move projected onto one layer. `None` if the layers together are wider than
    /// 65535 columns.
    fn layout(&self) -> Option<Layout> {
        let Sides { layers, rows, cols } = self.sides;
        let width = u16::try_from(u32::from(layers) * (u32::from(cols) + 1) - 1).ok()?;
        let place =
            |cube: &Cube| Square::new(cube.layer() * (cols + 1) + cube.square().file(), cube.square().rank());
        let places = self.cubes.iter().map(place).collect();
        let graph = self.graph();
        let near = |v: u32| graph.neighbours(v as usize).iter().map(move |&w| (v, w));
        let seams = (0..graph.len() as u32).flat_map(near).filter_map(|(v, w)| {
            let (from, to) = (point(self.cubes[v as usize]), point(self.cubes[w as usize]));
            (from[2] != to[2]).then_some((v, w, (to[0] - from[0], to[1] - from[1])))
        });
        Some(Layout::new(rows, width, places).in_panels(cols).with_steps_over_seams(seams))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Arena;

    fn arena(text: &str) -> Arena {
        text.parse().unwrap()
    }

    #[test]
    fn the_normal_form_reads_back() {
        for text in ["board=2x3x4 piece=1,2 remove=-", "board=3x3x3 piece=0,1+1,1 remove=a1.1,b2.2"] {
            assert_eq!(arena(text).to_string(), text);
            let arena = arena(text);
            assert!((0..arena.len() as u32).all(|v| arena.vertex(&arena.name(v)) == Ok(v)));
        }
        assert_eq!(arena("2x3x4").to_string(), "board=2x3x4 piece=1,2 remove=-");
        for bad in
            ["board=2x3x4 piece=1,2 remove=a1.3", "board=2x0x4 piece=1,2 remove=-", "2x3x4x5", "999x999x999"]
        {
            assert!(bad.parse::<Arena>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_step_changes_two_coordinates() {
        let cube = arena("3x3x3");
        let corner: Vec<String> = cube.graph().neighbours(0).iter().map(|&v| cube.name(v)).collect();
        assert_eq!(corner, ["c2.1", "b3.1", "c1.2", "a3.2", "b1.3", "a2.3"]);
        let wazir = arena("board=2x2x2 piece=0,1 remove=-");
        assert!((0..8).all(|v| wazir.graph().degree(v) == 3));
    }

    #[test]
    fn one_layer_is_a_board() {
        for text in ["1x4x5", "1x5x5"] {
            let (flat, solid) = (arena(&text[2..]), arena(text));
            assert_eq!(flat.graph(), solid.graph());
            let images = |arena: &Arena| -> BTreeSet<Vec<u32>> {
                arena.symmetries().elements().iter().map(|e| e.image.clone()).collect()
            };
            assert_eq!(images(&flat), images(&solid));
        }
    }

    #[test]
    fn symmetries_are_those_of_the_box() {
        for (text, order) in
            [("3x3x3", 48), ("2x3x4", 8), ("2x3x3", 16), ("board=3x3x3 piece=1,2 remove=a1.1", 6)]
        {
            let arena = arena(text);
            let graph = arena.graph();
            assert_eq!(arena.symmetries().order(), order, "{text}");
            assert!(arena.symmetries().elements().iter().all(|e| graph.is_kept_by(&e.image)));
        }
    }

    #[test]
    fn lines_go_along_every_side() {
        let arena = arena("board=2x3x4 piece=1,2 remove=a1.1");
        let lines = arena.lines();
        let sizes: Vec<(usize, usize)> = lines.iter().map(|lines| (lines.len(), lines[0].len())).collect();
        assert_eq!(sizes, [(2, 12), (3, 8), (4, 6)]);
        for lines in lines {
            let mut all: Vec<usize> = lines.concat().into_iter().flatten().collect();
            all.sort_unstable();
            assert_eq!(all, (0..23).collect::<Vec<_>>());
        }
    }

    #[test]
    fn layers_lie_side_by_side() {
        let arena = arena("2x2x3");
        let layout = arena.layout().unwrap();
        assert_eq!((layout.rows(), layout.cols(), layout.panel()), (2, 7, 3));
        assert_eq!(layout.places()[6].to_string(), "e1");
        assert!(layout.seams().all(|(v, w)| v < 6 && w >= 6));
    }
}
