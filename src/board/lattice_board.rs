//! [`LatticeBoard`]: a rectangle whose opposite edges may be joined, or a box, with any piece.
//!
//! ```text
//! board=6x8 wrap=torus piece=1,2 remove=-
//! board=8x8 piece=0,1+1,1 remove=d4,e5
//! board=2x3x4 piece=1,2 remove=a1.1        2 layers of 3 rows and 4 columns
//! ```
//!
//! A square has a file, a rank and a layer, counted from 0; a rectangle has one layer. A step of a
//! leaper changes two coordinates: one by its smaller number and one by its larger number. On a
//! rectangle, these are the file and the rank.
//!
//! A move is a pair of squares. On a narrow wrapped board, several steps of the piece may lead from
//! one square to the same other square; they count as one move. A step that leads back to its own
//! square is not a move. The lattice that the board unrolls to has translations, reflections,
//! rotations and glide reflections; those that map the remaining squares to themselves are the
//! symmetries of the board, see [`LatticeBoard::symmetry_group`].

use super::board_kind::{BoardKind, LineScan};
use super::error::{BoardError, NameError};
use super::layout::Layout;
use super::rectangle::remaining_position;
use super::symmetry_group::SymmetryGroup;
use super::text_form::KeyValues;
use super::wrap::{LatticePoint, Seam};
use super::{BoardSides, BoxSquare, Graph, Piece, Square, Wrap, square};

/// A rectangle of squares whose opposite edges may be joined, or a box of squares, some of them
/// removed, and a piece that moves on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatticeBoard {
    sides: BoardSides,
    wrap: Wrap,
    piece: Piece,
    /// The removed squares, ascending, without duplicates.
    removed: Vec<BoxSquare>,
}

impl LatticeBoard {
    /// Creates the board of all moves of `piece` on a rectangle or in a box. The edges are joined as
    /// `wrap` defines; the edges between the layers of a box are never joined.
    #[must_use]
    pub fn new(sides: BoardSides, wrap: Wrap, piece: Piece) -> Self {
        let removed = match &sides {
            BoardSides::Rectangle(rectangle) => {
                rectangle.removed().iter().copied().map(BoxSquare::from).collect()
            }
            BoardSides::Box(_) => Vec::new(),
        };
        Self { sides, wrap, piece, removed }
    }

    /// Removes the squares of a list such as `a1,c3-d5`, or `a1.1,c3.1-d5.2` for a box; `-` is the
    /// empty list.
    ///
    /// # Errors
    /// The text is not a list of squares, or a square is not on the board.
    pub fn without(self, squares: &str) -> Result<Self, BoardError> {
        match self.sides {
            BoardSides::Rectangle(rectangle) => {
                let squares = square::parse_squares(squares).map_err(NameError::from)?;
                Ok(Self::new(BoardSides::Rectangle(rectangle.without(squares)?), self.wrap, self.piece))
            }
            BoardSides::Box(_) => {
                let squares = square::parse_box_squares(squares).map_err(NameError::from)?;
                Ok(self.without_box_squares(squares)?)
            }
        }
    }

    /// Removes squares of a box.
    ///
    /// # Errors
    /// A square is not in the box, or the board is a rectangle.
    pub fn without_box_squares(
        mut self,
        squares: impl IntoIterator<Item = BoxSquare>,
    ) -> Result<Self, NameError> {
        self.removed.extend(squares);
        self.removed.sort_unstable();
        self.removed.dedup();
        let lengths = self.sides.axis_lengths();
        let is_outside =
            |&square: &BoxSquare| !self.is_box() || Wrap::None.reduce(to_point(square), lengths).is_none();
        match self.removed.iter().copied().find(is_outside) {
            Some(square) => Err(NameError::NotInBox(square)),
            None => Ok(self),
        }
    }

    /// Returns the sides of the board. A rectangle includes its removed squares.
    #[must_use]
    pub const fn sides(&self) -> &BoardSides {
        &self.sides
    }

    /// Returns true if the board is a box.
    #[must_use]
    pub const fn is_box(&self) -> bool {
        matches!(self.sides, BoardSides::Box(_))
    }

    /// Returns true if no square of the board is removed.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.removed.is_empty()
    }

    /// Returns the way in which opposite edges of the rectangle are joined.
    #[must_use]
    pub const fn wrap(&self) -> Wrap {
        self.wrap
    }

    /// Returns the piece that moves on the board.
    #[must_use]
    pub const fn piece(&self) -> &Piece {
        &self.piece
    }

    /// Returns the removed squares, ascending.
    pub(super) fn removed_points(&self) -> impl Iterator<Item = LatticePoint> + '_ {
        self.removed.iter().copied().map(to_point)
    }

    /// Parses a board from the words of its text form.
    pub(super) fn parse(mut words: KeyValues<'_>) -> Result<Self, BoardError> {
        let sides: BoardSides = words.take_required("board")?.parse()?;
        let wrap = match sides {
            BoardSides::Rectangle(_) => words.take_optional("wrap").map_or(Ok(Wrap::None), str::parse)?,
            BoardSides::Box(..) => Wrap::None,
        };
        let piece = words.take_required("piece")?.parse()?;
        let removed = words.take_required("remove")?;
        words.expect_end()?;
        Self::new(sides, wrap, piece).without(removed)
    }

    /// Returns the number of axes along which the piece moves: 2 for a rectangle, 3 for a box.
    pub(super) const fn dimensions(&self) -> usize {
        if self.is_box() { 3 } else { 2 }
    }

    /// Returns all different steps of the piece.
    fn steps(&self) -> Vec<LatticePoint> {
        let axis_pairs = [(0, 1), (0, 2), (1, 2)].into_iter().take(if self.is_box() { 3 } else { 1 });
        let to_step = |(a, b): (i32, i32), (i, j): (usize, usize)| {
            let mut step = [0; 3];
            (step[i], step[j]) = (a.into(), b.into());
            step
        };
        let steps = self.piece.steps();
        steps.into_iter().flat_map(|step| axis_pairs.clone().map(move |pair| to_step(step, pair))).collect()
    }

    /// Returns the position of a square of the board in the list of all squares, removed squares
    /// included.
    fn grid_position(&self, [file, rank, layer]: LatticePoint) -> u32 {
        let [cols, rows, _] = self.sides.axis_lengths();
        // A rectangle has fewer than 65535 squared squares and a box at most 2^24, so the result fits a `u32`.
        ((layer * rows + rank) * cols + file) as u32
    }

    /// Returns the number of the vertex at a point within the sides of the board; `None` for removed
    /// squares.
    pub(super) fn index(&self, point: LatticePoint) -> Option<u32> {
        let before = self.removed.binary_search(&to_square(point)).err()?;
        Some(self.grid_position(point) - before as u32)
    }

    /// Returns the square of vertex `v`.
    fn point(&self, v: u32) -> LatticePoint {
        assert!((v as usize) < self.vertex_count(), "{} has no square number {v}", self.sides);
        let removed_position = |place: usize| self.grid_position(to_point(self.removed[place]));
        let position = i64::from(remaining_position(v, self.removed.len(), removed_position));
        let [cols, rows, _] = self.sides.axis_lengths();
        [position % cols, position / cols % rows, position / cols / rows]
    }

    /// Returns the squares that are not removed, ascending.
    pub(super) fn points(&self) -> impl Iterator<Item = LatticePoint> + '_ {
        (0..self.vertex_count() as u32).map(|v| self.point(v))
    }

    /// Returns the name of a square: `a1` on a rectangle, `a1.1` in a box.
    fn square_name(&self, square: BoxSquare) -> String {
        if self.is_box() { square.to_string() } else { square.square().to_string() }
    }

    pub(super) fn reduce(&self, point: LatticePoint) -> Option<LatticePoint> {
        self.wrap.reduce(point, self.sides.axis_lengths())
    }

    /// Returns the moves from the square `from`: each of `steps` that leads to another square of
    /// the board, and the number of that square.
    fn moves_from<'a>(
        &'a self,
        from: LatticePoint,
        steps: &'a [LatticePoint],
    ) -> impl Iterator<Item = (LatticePoint, u32)> + 'a {
        steps.iter().filter_map(move |&step| {
            let home = self.reduce(add(from, step))?;
            Some((step, self.index(home)?)).filter(|_| home != from)
        })
    }

    /// Returns the number of board edges that a step from the square `from` crosses, and the step
    /// that leads back to `from`.
    fn seam_crossings(&self, from: LatticePoint, step: LatticePoint) -> (u64, LatticePoint) {
        let (to, lengths) = (add(from, step), self.sides.axis_lengths());
        let (mut edges, mut back) = (0, step.map(|along| -along));
        for (axis, seam) in self.wrap.seams().into_iter().enumerate() {
            let crossings = to[axis].div_euclid(lengths[axis]);
            edges += crossings.unsigned_abs();
            if seam == Seam::Twisted && crossings % 2 != 0 {
                back[1 - axis] = -back[1 - axis];
            }
        }
        (edges, back)
    }
}

fn add(point: LatticePoint, step: LatticePoint) -> LatticePoint {
    [point[0] + step[0], point[1] + step[1], point[2] + step[2]]
}

fn to_point(square: BoxSquare) -> LatticePoint {
    [square.square().file(), square.square().rank(), square.layer()].map(i64::from)
}

/// Returns the square at a point within the sides of a board.
const fn to_square([file, rank, layer]: LatticePoint) -> BoxSquare {
    BoxSquare::new(Square::new(file as u16, rank as u16), layer as u16)
}

impl BoardKind for LatticeBoard {
    fn text_form(&self) -> String {
        let removed = square::format_squares(self.removed_names());
        let wrap = if self.wrap == Wrap::None { String::new() } else { format!(" wrap={}", self.wrap) };
        format!("board={}{wrap} piece={} remove={removed}", self.sides, self.piece)
    }

    fn title(&self) -> String {
        match self.wrap {
            Wrap::None => self.sides.to_string(),
            wrap => format!("{} {wrap}", self.sides),
        }
    }

    fn vertex_count(&self) -> usize {
        let lengths = self.sides.axis_lengths();
        lengths.iter().product::<i64>() as usize - self.removed.len()
    }

    fn graph(&self) -> Graph {
        let steps = self.steps();
        let moves = |(v, from)| self.moves_from(from, &steps).map(move |(_, w)| (v, w as usize));
        Graph::from_edges(self.vertex_count(), self.points().enumerate().flat_map(moves))
    }

    fn symmetries(&self, _: &Graph) -> Option<SymmetryGroup> {
        self.symmetry_group()
    }

    fn piece(&self) -> Option<Piece> {
        Some(self.piece.clone())
    }

    fn removed_names(&self) -> Vec<String> {
        self.removed.iter().map(|&square| self.square_name(square)).collect()
    }

    fn name(&self, v: u32) -> String {
        self.square_name(to_square(self.point(v)))
    }

    fn vertex(&self, name: &str) -> Result<u32, NameError> {
        match &self.sides {
            BoardSides::Rectangle(rectangle) => rectangle.vertex_named(name),
            BoardSides::Box(_) => {
                let square: BoxSquare = name.parse()?;
                let home = Wrap::None.reduce(to_point(square), self.sides.axis_lengths());
                home.and_then(|home| self.index(home)).ok_or(NameError::NotInBox(square))
            }
        }
    }

    /// Returns one scan for each axis: layer by layer in a box, row by row, and column by column. A
    /// line of a scan is all squares with one value of the coordinate in question.
    fn line_scans(&self, _: Option<&Layout>) -> Vec<LineScan> {
        let lengths = self.sides.axis_lengths();
        let scan_along = |axis: usize| -> LineScan {
            let (b, c) = ((axis + 1) % 3, (axis + 2) % 3);
            let line = |i: i64| {
                let across = (0..lengths[b]).flat_map(|j| (0..lengths[c]).map(move |k| (j, k)));
                let vertex = |(j, k): (i64, i64)| {
                    let mut point = [0; 3];
                    (point[axis], point[b], point[c]) = (i, j, k);
                    self.index(point).map(|v| v as usize)
                };
                across.map(vertex).collect()
            };
            (0..lengths[axis]).map(line).collect()
        };
        (0..self.dimensions()).rev().map(scan_along).collect()
    }

    /// Places the layers of a box next to each other, separated by one empty column; `None` if the
    /// layers together are wider than 65535 columns. Moves across joined edges and between layers
    /// cross a seam. The step of a move between layers is the move projected onto one layer.
    fn layout(&self) -> Option<Layout> {
        let [cols, rows, layers] = self.sides.axis_lengths();
        let width = u16::try_from(layers * (cols + 1) - 1).ok()?;
        let points: Vec<LatticePoint> = self.points().collect();
        let place = |&[file, rank, layer]: &LatticePoint| {
            Square::new((layer * (cols + 1) + file) as u16, rank as u16)
        };
        let steps = self.steps();
        let mut seams = Vec::new();
        for (v, &from) in (0..).zip(&points) {
            let is_over_seam = |w: u32| {
                let to = points[w as usize];
                to[2] != from[2] || !steps.iter().any(|&step| add(from, step) == to)
            };
            let mut over: Vec<_> = self
                .moves_from(from, &steps)
                .filter(|&(_, w)| v < w && is_over_seam(w))
                .map(|(step, w)| (self.seam_crossings(from, step), w, step))
                .collect();
            // Of several steps to one square, the layout stores a step that crosses the fewest edges, and the
            // step back.
            over.sort_by_key(|((edges, _), ..)| *edges);
            let flat = |step: LatticePoint| (step[0] as i32, step[1] as i32);
            for ((_, back), w, step) in over {
                seams.push((v, w, flat(step)));
                seams.push((w, v, flat(back)));
            }
        }
        let layout = Layout::new(rows as u16, width, points.iter().map(place).collect());
        Some(layout.with_panels(cols as u16).with_seam_steps(seams))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::Board;
    use super::*;

    fn wrapped(text: &str) -> LatticeBoard {
        LatticeBoard::parse(KeyValues::new(text).unwrap()).unwrap()
    }

    #[test]
    fn text_form_of_wrapped_boards_round_trips() {
        for text in [
            "board=6x8 wrap=torus piece=1,2 remove=-",
            "board=8x8 piece=0,1+1,1 remove=d4,e5",
            "board=1x7 wrap=mobius piece=1,3 remove=c1",
        ] {
            assert_eq!(wrapped(text).text_form(), text);
            let board: Board = text.parse().unwrap();
            assert_eq!(board.to_string(), text);
            assert!(board.leaper_board().is_none());
        }
        let plain: Board = "board=6x8 wrap=none piece=knight remove=a1-b1".parse().unwrap();
        assert_eq!(plain.to_string(), "board=6x8 piece=1,2 remove=a1,b1");
        assert!(plain.leaper_board().is_some());
    }

    #[test]
    fn moves_are_symmetric_and_without_loops() {
        for wrap in Wrap::ALL {
            for (rows, cols) in [(1, 1), (1, 2), (2, 2), (1, 5), (3, 3), (2, 7), (4, 3)] {
                for piece in ["1,2", "0,1+1,1", "2,3", "0,4"] {
                    let text = format!("board={rows}x{cols} wrap={wrap} piece={piece} remove=-");
                    let surface = wrapped(&text);
                    let steps = surface.steps();
                    for (v, from) in (0..).zip(surface.points()) {
                        assert_eq!((surface.index(from), surface.point(v)), (Some(v), from));
                        for (_, w) in surface.moves_from(from, &steps) {
                            let back = surface.moves_from(surface.point(w), &steps);
                            assert!(w != v && back.into_iter().any(|(_, to)| to == v), "{text} {from:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn seam_steps_cross_fewest_edges_both_ways() {
        for wrap in Wrap::ALL {
            let board = Board::new(wrapped(&format!("board=4x4 wrap={wrap} piece=1,2 remove=-")));
            let layout = board.layout().unwrap();
            let place = |v: u32| to_point(BoxSquare::new(layout.positions()[v as usize], 0));
            let after = |v: u32, (right, up): (i32, i32)| add(place(v), [right.into(), up.into(), 0]);
            let beyond = |v: u32, step: (i32, i32)| {
                let [col, row, _] = after(v, step);
                let edges = u32::from(!(0..4).contains(&col)) + u32::from(!(0..4).contains(&row));
                (wrap.reduce(after(v, step), [4, 4, 1]).unwrap(), edges)
            };
            for (v, w) in layout.seams() {
                let (there, edges) = beyond(v, layout.seam_step(v, w).unwrap());
                let (back, edges_back) = beyond(w, layout.seam_step(w, v).unwrap());
                assert_eq!((there, back, edges), (place(w), place(v), edges_back), "{wrap} {v} {w}");
                let others = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)];
                let homes = others
                    .into_iter()
                    .filter(|&step| wrap.reduce(after(v, step), [4, 4, 1]) == Some(place(w)));
                assert_eq!(homes.map(|step| beyond(v, step).1).min(), Some(edges), "{wrap} {v} {w}");
            }
        }
    }

    #[test]
    fn seams_are_moves_across_joined_edges() {
        let layout = wrapped("board=3x5 wrap=mobius piece=0,1 remove=-").layout().unwrap();
        // A step to the right leads from e1 to a3, from e2 to a2, from e3 to a1.
        assert_eq!(layout.seams().collect::<Vec<_>>(), [(0, 14), (4, 10), (5, 9)]);
        assert_eq!((layout.seam_step(4, 10), layout.seam_step(10, 4)), (Some((1, 0)), Some((-1, 0))));
        assert!(wrapped("board=6x6 piece=0,1+1,1 remove=-").layout().unwrap().seams().next().is_none());
    }

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
