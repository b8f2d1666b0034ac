//! [`WrappedBoard`]: a rectangle whose opposite edges may be joined, with any piece.
//!
//! ```text
//! board=6x8 wrap=torus piece=1,2 remove=-
//! board=8x8 piece=0,1+1,1 remove=d4,e5
//! ```
//!
//! A move is a pair of squares. On narrow wrapped boards several steps may join the same two squares; they
//! count as one move. A step that leads back to its own square is not a move. The symmetries are the maps of
//! the plane that the board unrolls to (translations, reflections, rotations and glide reflections) that map
//! the remaining squares to themselves. A symmetry without a translation has the name of the rectangle's
//! symmetry that it restricts to.

use super::area;
use super::automorphisms::{MOST_ELEMENTS, MOST_NUMBERS};
use super::error::{ArenaError, NameError};
use super::ground::Ground;
use super::group::{Element, SymmetryGroup};
use super::layout::Layout;
use super::turn::{Point, Turn};
use super::words::Words;
use super::wrap::Seam;
use super::{Board, Graph, Piece, Square, Wrap};

/// A rectangle of squares, some of them removed, with a wrap and a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surface {
    board: Board,
    wrap: Wrap,
    piece: Piece,
}

impl Surface {
    /// Creates the board of all moves of `piece` on `rectangle` with its edges joined by `wrap`.
    #[must_use]
    pub const fn new(board: Board, wrap: Wrap, piece: Piece) -> Self {
        Self { board, wrap, piece }
    }

    /// Returns the rectangle.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Returns how the edges are joined.
    #[must_use]
    pub const fn wrap(&self) -> Wrap {
        self.wrap
    }

    /// Returns the piece.
    #[must_use]
    pub const fn piece(&self) -> &Piece {
        &self.piece
    }

    /// Parses the words of a text form.
    pub(super) fn parse(mut words: Words<'_>) -> Result<Self, ArenaError> {
        let board: Board = words.needed("board")?.parse()?;
        let wrap = words.optional("wrap").map_or(Ok(Wrap::None), str::parse)?;
        // Files written by earlier versions name the piece `leaper`.
        let earlier = words.optional("leaper");
        let piece = earlier.map_or_else(|| words.needed("piece"), Ok)?.parse()?;
        let removed: Vec<Square> = area::read(words.needed("remove")?).map_err(NameError::from)?;
        words.end()?;
        Ok(Self { board: board.without(removed)?, wrap, piece })
    }

    fn sides(&self) -> Point {
        (i64::from(self.board.cols()), i64::from(self.board.rows()))
    }

    fn home(&self, point: Point) -> Option<Square> {
        let (col, row) = self.wrap.home(point, self.sides())?;
        Some(Square::new(col as u16, row as u16))
    }

    /// Returns the moves from a square: each step that leads to another square of the board, and the number
    /// of that square.
    fn reached<'a>(
        &'a self,
        from: Square,
        steps: &'a [(i32, i32)],
    ) -> impl Iterator<Item = (Point, u32)> + 'a {
        let at = point(from);
        steps.iter().filter_map(move |&(right, up)| {
            let to = (at.0 + i64::from(right), at.1 + i64::from(up));
            let home = self.home(to)?;
            Some(((right.into(), up.into()), self.board.index(home)?)).filter(|_| home != from)
        })
    }

    /// Returns how many board edges a step crosses, and the step that leads back.
    fn crossed(&self, from: Square, (right, up): Point) -> (u64, Point) {
        let ((cols, rows), (across, along)) = (self.sides(), self.wrap.seams());
        let (col, row) = (point(from).0 + right, point(from).1 + up);
        let (over_cols, over_rows) = (col.div_euclid(cols), row.div_euclid(rows));
        let is_flipped = |seam, times: i64| seam == Seam::Twisted && times % 2 != 0;
        let back = (
            if is_flipped(along, over_rows) { right } else { -right },
            if is_flipped(across, over_cols) { up } else { -up },
        );
        (over_cols.unsigned_abs() + over_rows.unsigned_abs(), back)
    }

    /// Returns the image of every square under a map of the plane, or `None` if the map is not a symmetry of
    /// the board. `gluings` are the maps that identify squares of the plane, see
    /// [`LatticeSymmetry::edge_gluings`].
    fn image(&self, map: Turn, joints: &[Turn]) -> Option<Vec<u32>> {
        let image = |square: Square| {
            let at = point(square);
            let home = self.home(map.of(at))?;
            // Points of the plane that are one square of the board must have images that are one square too.
            let stays = |joint: &Turn| self.home(map.of(joint.of(at))) == Some(home);
            joints.iter().all(stays).then(|| self.board.index(home))?
        };
        // This early test needs no remaining square: whether the map is compatible with the joined edges
        // shows at any point.
        let corner = Square::new(0, 0);
        let home = self.home(map.of(point(corner)))?;
        if joints.iter().any(|joint| self.home(map.of(joint.of(point(corner)))) != Some(home)) {
            return None;
        }
        // The second early test: a removed square must not be mapped to a square of the board.
        let is_hole = |hole: &Square| {
            self.home(map.of(point(*hole))).is_some_and(|home| self.board.index(home).is_none())
        };
        if !self.board.removed().iter().all(is_hole) {
            return None;
        }
        self.board.squares().map(image).collect()
    }
}

fn point(square: Square) -> Point {
    (square.file().into(), square.rank().into())
}

impl Ground for Surface {
    fn text(&self) -> String {
        let removed = area::written(self.board.removed());
        let wrap = if self.wrap == Wrap::None { String::new() } else { format!(" wrap={}", self.wrap) };
        format!("board={}{wrap} piece={} remove={removed}", self.board, self.piece)
    }

    fn title(&self) -> String {
        match self.wrap {
            Wrap::None => self.board.to_string(),
            wrap => format!("{} {wrap}", self.board),
        }
    }

    fn vertices(&self) -> usize {
        self.board.len()
    }

    fn graph(&self) -> Graph {
        let steps = self.piece.steps();
        let moves = |(v, from)| self.reached(from, &steps).map(move |(_, w)| (v, w as usize));
        Graph::from_edges(self.board.len(), self.board.squares().enumerate().flat_map(moves))
    }

    /// Cost O(squares x symmetries of the wrapped plane without removed squares).
    fn symmetries(&self, _: &Graph) -> Option<SymmetryGroup> {
        let ((cols, rows), (across, along)) = (self.sides(), self.wrap.seams());
        // Number of different translations along one axis.
        let period = |side: i64, seam| match seam {
            Seam::Open => 1,
            Seam::Straight => side,
            Seam::Twisted => 2 * side,
        };
        let mut elements = Vec::new();
        let joints = Turn::joints(self.wrap, self.sides());
        for (swap, flip) in [false, true].into_iter().flat_map(|swap| (0..4).map(move |flip| (swap, flip))) {
            let flips = (flip & 1 == 1, flip & 2 == 2);
            if swap && cols != rows {
                continue;
            }
            // With these offsets, the map without a further translation maps the rectangle to itself.
            let start = (if flips.0 { cols - 1 } else { 0 }, if flips.1 { rows - 1 } else { 0 });
            for right in 0..period(cols, across) {
                for up in 0..period(rows, along) {
                    let map = Turn { swap, flips, by: (start.0 + right, start.1 + up) };
                    let Some(image) = self.image(map, &joints) else { continue };
                    let names = if (right, up) == (0, 0) { vec![map.name()] } else { Vec::new() };
                    elements.push(Element { names, image });
                    // On small boards several maps of the plane have the same image, so the limit on maps
                    // exceeds the limit on elements.
                    let numbers = elements.len() * self.board.len();
                    if elements.len() > 4 * MOST_ELEMENTS || numbers > MOST_NUMBERS {
                        return None;
                    }
                }
            }
        }
        Some(SymmetryGroup::new(elements)).filter(|group| group.order() <= MOST_ELEMENTS)
    }

    fn piece(&self) -> Option<Piece> {
        Some(self.piece.clone())
    }

    fn removed(&self) -> Vec<String> {
        self.board.removed().iter().map(ToString::to_string).collect()
    }

    fn name(&self, v: u32) -> String {
        self.board.name(v)
    }

    fn vertex(&self, name: &str) -> Result<u32, NameError> {
        self.board.vertex(name)
    }

    fn layout(&self) -> Option<Layout> {
        let squares: Vec<Square> = self.board.squares().collect();
        let steps = self.piece.steps();
        let mut seams = Vec::new();
        for (v, &from) in (0..).zip(&squares) {
            let mut over: Vec<_> = self
                .reached(from, &steps)
                .filter(|&(_, w)| v < w && !self.piece.joins(from, squares[w as usize]))
                .map(|(step, w)| (self.crossed(from, step), w, step))
                .collect();
            // Of several steps to one square, the layout stores a step that crosses the fewest edges, and the
            // step back.
            over.sort_by_key(|((edges, _), ..)| *edges);
            for ((_, back), w, step) in over {
                seams.push((v, w, (step.0 as i32, step.1 as i32)));
                seams.push((w, v, (back.0 as i32, back.1 as i32)));
            }
        }
        Some(Layout::new(self.board.rows(), self.board.cols(), squares).with_steps_over_seams(seams))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Arena, Symmetry, automorphisms};

    fn surface(text: &str) -> Surface {
        Surface::parse(Words::new(text).unwrap()).unwrap()
    }

    fn order(text: &str) -> usize {
        let surface = surface(text);
        surface.symmetries(&surface.graph()).unwrap().order()
    }

    #[test]
    fn the_normal_form_reads_back() {
        for text in [
            "board=6x8 wrap=torus piece=1,2 remove=-",
            "board=8x8 piece=0,1+1,1 remove=d4,e5",
            "board=1x7 wrap=mobius piece=1,3 remove=c1",
        ] {
            assert_eq!(surface(text).text(), text);
            let arena: Arena = text.parse().unwrap();
            assert_eq!(arena.to_string(), text);
            assert!(arena.rectangle().is_none());
        }
        let plain: Arena = "board=6x8 wrap=none piece=knight remove=a1-b1".parse().unwrap();
        assert_eq!(plain.to_string(), "board=6x8 piece=1,2 remove=a1,b1");
        assert!(plain.rectangle().is_some());
    }

    #[test]
    fn groups_have_translations_reflections_and_turns() {
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
            let large = surface(text);
            assert!(large.symmetries(&Graph::from_edges(0, [])).is_none(), "{text}");
        }
        assert_eq!(order("board=200x200 wrap=torus piece=1,2 remove=c4"), 8);
        let torus = surface("board=4x4 wrap=torus piece=1,2 remove=-");
        let group = torus.symmetries(&torus.graph()).unwrap();
        assert_eq!((group.order(), group.orbits().len()), (128, 1));
        assert!(group.named(Symmetry::Rotate90).is_some());
    }

    #[test]
    fn elements_are_automorphisms_and_a_group() {
        for wrap in Wrap::ALL {
            for (rows, cols) in [(3, 4), (4, 4), (2, 5), (1, 6), (5, 3), (5, 5)] {
                for remove in ["-", "a1"] {
                    let text = format!("board={rows}x{cols} wrap={wrap} piece=1,2+0,1 remove={remove}");
                    let surface = surface(&text);
                    let graph = surface.graph();
                    let group = surface.symmetries(&graph).unwrap();
                    let images: Vec<Vec<u32>> = group.elements().iter().map(|e| e.image.clone()).collect();
                    assert!(images.iter().all(|image| graph.is_kept_by(image)), "{text}");
                    let whole = SymmetryGroup::generated(graph.len(), &images, 10_000).unwrap();
                    assert_eq!(whole.order(), group.order(), "{text}");
                    if let Some(all) = automorphisms(&graph) {
                        assert!(all.order() % group.order() == 0, "{text}");
                    }
                }
            }
        }
    }

    #[test]
    fn moves_lead_both_ways_and_nowhere_home() {
        for wrap in Wrap::ALL {
            for (rows, cols) in [(1, 1), (1, 2), (2, 2), (1, 5), (3, 3), (2, 7), (4, 3)] {
                for piece in ["1,2", "0,1+1,1", "2,3", "0,4"] {
                    let text = format!("board={rows}x{cols} wrap={wrap} piece={piece} remove=-");
                    let surface = surface(&text);
                    let steps = surface.piece.steps();
                    for from in surface.board.squares() {
                        let v = surface.board.index(from).unwrap();
                        for (_, w) in surface.reached(from, &steps) {
                            let back = surface.reached(surface.board.square(w), &steps);
                            assert!(w != v && back.into_iter().any(|(_, to)| to == v), "{text} {from}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_seam_is_crossed_where_that_takes_the_fewest_edges_and_back_the_same_way() {
        for wrap in Wrap::ALL {
            let arena = Arena::new(surface(&format!("board=4x4 wrap={wrap} piece=1,2 remove=-")));
            let layout = arena.layout().unwrap();
            let place = |v: u32| point(layout.places()[v as usize]);
            let beyond = |v: u32, (right, up): (i32, i32)| {
                let (col, row) = (place(v).0 + i64::from(right), place(v).1 + i64::from(up));
                let edges = u32::from(!(0..4).contains(&col)) + u32::from(!(0..4).contains(&row));
                (wrap.home((col, row), (4, 4)).unwrap(), edges)
            };
            for (v, w) in layout.seams() {
                let (there, edges) = beyond(v, layout.leaving(v, w).unwrap());
                let (back, edges_back) = beyond(w, layout.leaving(w, v).unwrap());
                assert_eq!((there, back, edges), (place(w), place(v), edges_back), "{wrap} {v} {w}");
                let others = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)];
                let homes = others.into_iter().filter(|&(right, up)| {
                    let at = (place(v).0 + i64::from(right), place(v).1 + i64::from(up));
                    wrap.home(at, (4, 4)) == Some(place(w))
                });
                assert_eq!(homes.map(|step| beyond(v, step).1).min(), Some(edges), "{wrap} {v} {w}");
            }
        }
    }

    #[test]
    fn seams_are_the_moves_that_no_plain_board_has() {
        let layout = surface("board=3x5 wrap=mobius piece=0,1 remove=-").layout().unwrap();
        // A step to the right leads from e1 to a3, from e2 to a2, from e3 to a1.
        assert_eq!(layout.seams().collect::<Vec<_>>(), [(0, 14), (4, 10), (5, 9)]);
        assert_eq!((layout.leaving(4, 10), layout.leaving(10, 4)), (Some((1, 0)), Some((-1, 0))));
        assert!(surface("board=6x6 piece=0,1+1,1 remove=-").layout().unwrap().seams().next().is_none());
    }
}
