//! [`WrappedBoard`]: a rectangle whose opposite edges may be joined, with any piece.
//!
//! ```text
//! board=6x8 wrap=torus piece=1,2 remove=-
//! board=8x8 piece=0,1+1,1 remove=d4,e5
//! ```
//!
//! A move is a pair of squares. On a narrow wrapped board, several steps of the piece may lead from
//! one square to the same other square; they count as one move. A step that leads back to its own
//! square is not a move. The plane that the board unrolls to has translations, reflections,
//! rotations and glide reflections; those that map the remaining squares to themselves are the
//! symmetries of the board. A symmetry without a translation has the name of the symmetry of the
//! rectangle with the same effect.

use super::automorphisms::{MAX_GROUP_ELEMENTS, MAX_IMAGE_ENTRIES};
use super::board_kind::BoardKind;
use super::error::{BoardError, NameError};
use super::layout::Layout;
use super::symmetry_group::{Element, SymmetryGroup};
use super::text_form::KeyValues;
use super::wrap::{LatticeSymmetry, PlanePoint, Seam};
use super::{Graph, Piece, Rectangle, Square, Wrap, square};

/// A rectangle of squares, some of them removed, whose opposite edges may be joined, and a piece
/// that moves on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrappedBoard {
    rectangle: Rectangle,
    wrap: Wrap,
    piece: Piece,
}

impl WrappedBoard {
    /// Creates the board of all moves of `piece` on `rectangle`, whose opposite edges are joined as
    /// `wrap` defines.
    #[must_use]
    pub const fn new(rectangle: Rectangle, wrap: Wrap, piece: Piece) -> Self {
        Self { rectangle, wrap, piece }
    }

    /// Returns the rectangle of squares, without the wrap.
    #[must_use]
    pub const fn rectangle(&self) -> &Rectangle {
        &self.rectangle
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

    /// Parses a wrapped board from the words of its text form.
    pub(super) fn parse(mut words: KeyValues<'_>) -> Result<Self, BoardError> {
        let rectangle: Rectangle = words.take_required("board")?.parse()?;
        let wrap = words.take_optional("wrap").map_or(Ok(Wrap::None), str::parse)?;
        // Files written by earlier versions name the piece `leaper`.
        let earlier = words.take_optional("leaper");
        let piece = earlier.map_or_else(|| words.take_required("piece"), Ok)?.parse()?;
        let removed: Vec<Square> =
            square::parse_square_list(words.take_required("remove")?).map_err(NameError::from)?;
        words.expect_end()?;
        Ok(Self { rectangle: rectangle.without(removed)?, wrap, piece })
    }

    fn sides(&self) -> PlanePoint {
        (i64::from(self.rectangle.cols()), i64::from(self.rectangle.rows()))
    }

    fn reduce(&self, point: PlanePoint) -> Option<Square> {
        let (col, row) = self.wrap.reduce(point, self.sides())?;
        Some(Square::new(col as u16, row as u16))
    }

    /// Returns the moves from the square `from`: each of `steps` that leads to another square of
    /// the board, and the number of that square.
    fn moves_from<'a>(
        &'a self,
        from: Square,
        steps: &'a [(i32, i32)],
    ) -> impl Iterator<Item = (PlanePoint, u32)> + 'a {
        let at = to_point(from);
        steps.iter().filter_map(move |&(right, up)| {
            let to = (at.0 + i64::from(right), at.1 + i64::from(up));
            let home = self.reduce(to)?;
            Some(((right.into(), up.into()), self.rectangle.index(home)?)).filter(|_| home != from)
        })
    }

    /// Returns the number of board edges that a step from the square `from` crosses, and the step
    /// that leads back to `from`.
    fn seam_crossings(&self, from: Square, (right, up): PlanePoint) -> (u64, PlanePoint) {
        let ((cols, rows), (across, along)) = (self.sides(), self.wrap.seams());
        let (col, row) = (to_point(from).0 + right, to_point(from).1 + up);
        let (over_cols, over_rows) = (col.div_euclid(cols), row.div_euclid(rows));
        let is_flipped = |seam, times: i64| seam == Seam::Twisted && times % 2 != 0;
        let back = (
            if is_flipped(along, over_rows) { right } else { -right },
            if is_flipped(across, over_cols) { up } else { -up },
        );
        (over_cols.unsigned_abs() + over_rows.unsigned_abs(), back)
    }

    /// Returns the image of every square under a map of the plane; `None` if the map is not a
    /// symmetry of the board. `gluings` are the maps from each square of the plane to an equivalent
    /// square, see [`LatticeSymmetry::edge_gluings`].
    fn symmetry_image(&self, map: LatticeSymmetry, gluings: &[LatticeSymmetry]) -> Option<Vec<u32>> {
        let image = |square: Square| {
            let at = to_point(square);
            let home = self.reduce(map.apply(at))?;
            // If two points of the plane are the same square of the board, their images must be the
            // same square too.
            let fixes_home = |joint: &LatticeSymmetry| self.reduce(map.apply(joint.apply(at))) == Some(home);
            gluings.iter().all(fixes_home).then(|| self.rectangle.index(home))?
        };
        // This early test works at any point of the plane, even at a removed square: it shows if
        // the map is compatible with the joined edges.
        let corner = Square::new(0, 0);
        let home = self.reduce(map.apply(to_point(corner)))?;
        if gluings.iter().any(|joint| self.reduce(map.apply(joint.apply(to_point(corner)))) != Some(home)) {
            return None;
        }
        // The second early test: a removed square must not be mapped to a square of the board.
        let is_hole = |hole: &Square| {
            self.reduce(map.apply(to_point(*hole))).is_some_and(|home| self.rectangle.index(home).is_none())
        };
        if !self.rectangle.removed().iter().all(is_hole) {
            return None;
        }
        self.rectangle.squares().map(image).collect()
    }
}

fn to_point(square: Square) -> PlanePoint {
    (square.file().into(), square.rank().into())
}

impl BoardKind for WrappedBoard {
    fn text_form(&self) -> String {
        let removed = square::format_squares(self.rectangle.removed());
        let wrap = if self.wrap == Wrap::None { String::new() } else { format!(" wrap={}", self.wrap) };
        format!("board={}{wrap} piece={} remove={removed}", self.rectangle, self.piece)
    }

    fn title(&self) -> String {
        match self.wrap {
            Wrap::None => self.rectangle.to_string(),
            wrap => format!("{} {wrap}", self.rectangle),
        }
    }

    fn vertex_count(&self) -> usize {
        self.rectangle.len()
    }

    fn graph(&self) -> Graph {
        let steps = self.piece.steps();
        let moves = |(v, from)| self.moves_from(from, &steps).map(move |(_, w)| (v, w as usize));
        Graph::from_edges(self.rectangle.len(), self.rectangle.squares().enumerate().flat_map(moves))
    }

    /// Tries every symmetry of the unrolled plane. Cost O(squares x symmetries of the board without
    /// removed squares).
    fn symmetries(&self, _: &Graph) -> Option<SymmetryGroup> {
        let ((cols, rows), (across, along)) = (self.sides(), self.wrap.seams());
        // Number of different translations along one axis.
        let period = |side: i64, seam| match seam {
            Seam::Open => 1,
            Seam::Straight => side,
            Seam::Twisted => 2 * side,
        };
        let mut elements = Vec::new();
        let gluings = LatticeSymmetry::edge_gluings(self.wrap, self.sides());
        for (swap, flip) in [false, true].into_iter().flat_map(|swap| (0..4).map(move |flip| (swap, flip))) {
            let flips = (flip & 1 == 1, flip & 2 == 2);
            if swap && cols != rows {
                continue;
            }
            // With these offsets, the map without any further translation maps the rectangle to
            // itself.
            let start = (if flips.0 { cols - 1 } else { 0 }, if flips.1 { rows - 1 } else { 0 });
            for right in 0..period(cols, across) {
                for up in 0..period(rows, along) {
                    let map =
                        LatticeSymmetry { swaps_axes: swap, flips, shift: (start.0 + right, start.1 + up) };
                    let Some(image) = self.symmetry_image(map, &gluings) else { continue };
                    let names = if (right, up) == (0, 0) { vec![map.symmetry()] } else { Vec::new() };
                    elements.push(Element { names, image });
                    // On small boards several maps of the plane have the same image, so the limit on maps
                    // exceeds the limit on elements.
                    let numbers = elements.len() * self.rectangle.len();
                    if elements.len() > 4 * MAX_GROUP_ELEMENTS || numbers > MAX_IMAGE_ENTRIES {
                        return None;
                    }
                }
            }
        }
        Some(SymmetryGroup::new(elements)).filter(|group| group.order() <= MAX_GROUP_ELEMENTS)
    }

    fn piece(&self) -> Option<Piece> {
        Some(self.piece.clone())
    }

    fn removed_names(&self) -> Vec<String> {
        self.rectangle.removed().iter().map(ToString::to_string).collect()
    }

    fn name(&self, v: u32) -> String {
        self.rectangle.square_name(v)
    }

    fn vertex(&self, name: &str) -> Result<u32, NameError> {
        self.rectangle.vertex_named(name)
    }

    fn layout(&self) -> Option<Layout> {
        let squares: Vec<Square> = self.rectangle.squares().collect();
        let steps = self.piece.steps();
        let mut seams = Vec::new();
        for (v, &from) in (0..).zip(&squares) {
            let mut over: Vec<_> = self
                .moves_from(from, &steps)
                .filter(|&(_, w)| v < w && !self.piece.can_move(from, squares[w as usize]))
                .map(|(step, w)| (self.seam_crossings(from, step), w, step))
                .collect();
            // Of several steps to one square, the layout stores a step that crosses the fewest edges, and the
            // step back.
            over.sort_by_key(|((edges, _), ..)| *edges);
            for ((_, back), w, step) in over {
                seams.push((v, w, (step.0 as i32, step.1 as i32)));
                seams.push((w, v, (back.0 as i32, back.1 as i32)));
            }
        }
        Some(Layout::new(self.rectangle.rows(), self.rectangle.cols(), squares).with_seam_steps(seams))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Board, Symmetry, find_automorphism_group};
    use super::*;

    fn wrapped(text: &str) -> WrappedBoard {
        WrappedBoard::parse(KeyValues::new(text).unwrap()).unwrap()
    }

    fn order(text: &str) -> usize {
        let surface = wrapped(text);
        surface.symmetries(&surface.graph()).unwrap().order()
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
    fn symmetry_groups_have_expected_orders() {
        for (text, expected) in [
            ("board=6x8 wrap=cols piece=1,2 remove=-", 8 * 4),
            ("board=6x8 wrap=rows piece=1,2 remove=-", 6 * 4),
            ("board=6x8 wrap=torus piece=1,2 remove=-", 48 * 4),
            ("board=8x8 wrap=torus piece=1,2 remove=-", 512),
            ("board=8x8 wrap=torus piece=1,2 remove=a1", 8),
            ("board=6x8 wrap=mobius piece=1,2 remove=-", 16 * 2),
            ("board=6x6 piece=0,1+1,1 remove=-", 8),
            ("board=6x6 piece=0,1+1,1 remove=a1", 2),
        ] {
            assert_eq!(order(text), expected, "{text}");
        }
        // Groups that are too large to list are rejected early, with and without removed squares.
        for text in
            ["board=300x300 wrap=torus piece=1,2 remove=-", "board=300x300 wrap=cols piece=1,2 remove=-"]
        {
            let large = wrapped(text);
            assert!(large.symmetries(&Graph::from_edges(0, [])).is_none(), "{text}");
        }
        assert_eq!(order("board=200x200 wrap=torus piece=1,2 remove=c4"), 8);
        let torus = wrapped("board=4x4 wrap=torus piece=1,2 remove=-");
        let group = torus.symmetries(&torus.graph()).unwrap();
        assert_eq!((group.order(), group.orbits().len()), (128, 1));
        assert!(group.element_named(Symmetry::Rotate90).is_some());
    }

    #[test]
    fn symmetries_are_automorphisms_and_form_a_group() {
        for wrap in Wrap::ALL {
            for (rows, cols) in [(3, 4), (4, 4), (2, 5), (1, 6), (5, 3), (5, 5)] {
                for remove in ["-", "a1"] {
                    let text = format!("board={rows}x{cols} wrap={wrap} piece=1,2+0,1 remove={remove}");
                    let surface = wrapped(&text);
                    let graph = surface.graph();
                    let group = surface.symmetries(&graph).unwrap();
                    let images: Vec<Vec<u32>> = group.elements().iter().map(|e| e.image.clone()).collect();
                    assert!(images.iter().all(|image| graph.has_automorphism(image)), "{text}");
                    let whole = SymmetryGroup::generate(graph.len(), &images, 10_000).unwrap();
                    assert_eq!(whole.order(), group.order(), "{text}");
                    if let Some(all) = find_automorphism_group(&graph) {
                        assert!(all.order() % group.order() == 0, "{text}");
                    }
                }
            }
        }
    }

    #[test]
    fn moves_are_symmetric_and_without_loops() {
        for wrap in Wrap::ALL {
            for (rows, cols) in [(1, 1), (1, 2), (2, 2), (1, 5), (3, 3), (2, 7), (4, 3)] {
                for piece in ["1,2", "0,1+1,1", "2,3", "0,4"] {
                    let text = format!("board={rows}x{cols} wrap={wrap} piece={piece} remove=-");
                    let surface = wrapped(&text);
                    let steps = surface.piece.steps();
                    for from in surface.rectangle.squares() {
                        let v = surface.rectangle.index(from).unwrap();
                        for (_, w) in surface.moves_from(from, &steps) {
                            let back = surface.moves_from(surface.rectangle.square(w), &steps);
                            assert!(w != v && back.into_iter().any(|(_, to)| to == v), "{text} {from}");
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
            let place = |v: u32| to_point(layout.positions()[v as usize]);
            let beyond = |v: u32, (right, up): (i32, i32)| {
                let (col, row) = (place(v).0 + i64::from(right), place(v).1 + i64::from(up));
                let edges = u32::from(!(0..4).contains(&col)) + u32::from(!(0..4).contains(&row));
                (wrap.reduce((col, row), (4, 4)).unwrap(), edges)
            };
            for (v, w) in layout.seams() {
                let (there, edges) = beyond(v, layout.seam_step(v, w).unwrap());
                let (back, edges_back) = beyond(w, layout.seam_step(w, v).unwrap());
                assert_eq!((there, back, edges), (place(w), place(v), edges_back), "{wrap} {v} {w}");
                let others = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)];
                let homes = others.into_iter().filter(|&(right, up)| {
                    let at = (place(v).0 + i64::from(right), place(v).1 + i64::from(up));
                    wrap.reduce(at, (4, 4)) == Some(place(w))
                });
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
}
