//! [`LatticeSymmetry`]: the symmetries of the lattice of squares that a board unrolls to, and the
//! symmetry group of a [`LatticeBoard`].
//!
//! Such maps serve two purposes: they are candidates for symmetries of the board, and they describe
//! the joined edges.
//!
//! ```text
//! wrap, lengths -> edge gluings: one map for each seam, from a square of the lattice to an equivalent one
//! ```
//!
//! Two squares of the lattice are equivalent if they are the same square of the board. A map of the
//! lattice is also a map of the board if it maps equivalent squares to equivalent squares.

use super::automorphisms::{MAX_GROUP_ELEMENTS, MAX_IMAGE_ENTRIES};
use super::board_kind::BoardKind;
use super::symmetry_group::{Element, SymmetryGroup};
use super::wrap::{LatticePoint, Seam};
use super::{LatticeBoard, Symmetry, Wrap};

/// All permutations of the three axes. Those of the first two axes come first.
const AXIS_ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 1, 0], [1, 2, 0], [2, 0, 1]];

/// A symmetry of the lattice: it maps steps of a leaper to steps of the leaper. It permutes the axes
/// (coordinate `axes[i]` becomes coordinate `i`), then negates coordinates (`flips`), then
/// translates by `shift`.
#[derive(Clone, Copy, Debug)]
pub(super) struct LatticeSymmetry {
    axes: [usize; 3],
    flips: [bool; 3],
    shift: LatticePoint,
}

impl LatticeSymmetry {
    /// Returns one map for each joined pair of edges of a board with the given lengths. The map
    /// moves each square of the lattice across this pair of edges, to the equivalent square.
    pub(super) fn edge_gluings(wrap: Wrap, lengths: LatticePoint) -> Vec<Self> {
        let gluing = |(axis, seam)| {
            let mut map = Self { axes: AXIS_ORDERS[0], flips: [false; 3], shift: [0; 3] };
            map.shift[axis] = lengths[axis];
            if seam == Seam::Twisted {
                map.flips[1 - axis] = true;
                map.shift[1 - axis] = lengths[1 - axis] - 1;
            }
            map
        };
        wrap.seams().into_iter().enumerate().filter(|(_, seam)| *seam != Seam::Open).map(gluing).collect()
    }

    /// Returns the maps of the lattice that map a board with the given lengths, along the first
    /// `dimensions` axes, to itself: at most 8 for a rectangle and 48 for a box, the identity first.
    pub(super) fn fixing_box(dimensions: usize, lengths: LatticePoint) -> impl Iterator<Item = Self> {
        let orders = AXIS_ORDERS.into_iter().take(if dimensions == 2 { 2 } else { 6 });
        let fits = move |axes: &[usize; 3]| axes.map(|axis| lengths[axis]) == lengths;
        orders.filter(fits).flat_map(move |axes| {
            (0..1 << dimensions).map(move |set: u8| {
                let flips = [0, 1, 2].map(|axis| set >> axis & 1 == 1);
                let shift = [0, 1, 2].map(|axis| if flips[axis] { lengths[axis] - 1 } else { 0 });
                Self { axes, flips, shift }
            })
        })
    }

    /// Returns this map, followed by a translation.
    pub(super) fn shifted(self, by: LatticePoint) -> Self {
        Self { shift: [0, 1, 2].map(|axis| self.shift[axis] + by[axis]), ..self }
    }

    /// Returns the image of a square of the lattice.
    pub(super) fn apply(self, point: LatticePoint) -> LatticePoint {
        [0, 1, 2].map(|axis| {
            let coordinate = point[self.axes[axis]];
            self.shift[axis] + if self.flips[axis] { -coordinate } else { coordinate }
        })
    }

    /// Returns the symmetry of a rectangle that this map of the first two axes is, up to a
    /// translation.
    pub(super) const fn symmetry(self) -> Symmetry {
        match (self.axes[0] == 1, self.flips[0], self.flips[1]) {
            (false, false, false) => Symmetry::Identity,
            (false, false, true) => Symmetry::FlipVertical,
            (false, true, false) => Symmetry::FlipHorizontal,
            (false, true, true) => Symmetry::Rotate180,
            (true, false, false) => Symmetry::FlipDiagonal,
            (true, false, true) => Symmetry::Rotate270,
            (true, true, false) => Symmetry::Rotate90,
            (true, true, true) => Symmetry::FlipAntiDiagonal,
        }
    }
}

impl LatticeBoard {
    /// Returns the group of the symmetries of the unrolled lattice that map the board to itself;
    /// `None` if they are too many to list. On a rectangle, a symmetry without a translation has the
    /// name of the symmetry of the rectangle with the same effect. Cost O(squares x symmetries of
    /// the board without removed squares).
    pub(super) fn symmetry_group(&self) -> Option<SymmetryGroup> {
        let lengths = self.sides().axis_lengths();
        let seams = self.wrap().seams();
        // Number of different translations along one axis.
        let period = |axis: usize| match seams[axis] {
            Seam::Open => 1,
            Seam::Straight => lengths[axis],
            Seam::Twisted => 2 * lengths[axis],
        };
        let mut elements = Vec::new();
        let gluings = LatticeSymmetry::edge_gluings(self.wrap(), lengths);
        for map in LatticeSymmetry::fixing_box(self.dimensions(), lengths) {
            for shift in (0..period(0)).flat_map(|right| (0..period(1)).map(move |up| [right, up, 0])) {
                let Some(image) = self.symmetry_image(map.shifted(shift), &gluings) else { continue };
                let is_named = !self.is_box() && shift == [0; 3];
                elements
                    .push(Element { names: is_named.then(|| map.symmetry()).into_iter().collect(), image });
                // A box has at most 48 symmetries. On small wrapped boards several maps of the lattice have
                // the same image, so the limit on maps exceeds the limit on elements.
                let numbers = elements.len() * self.vertex_count();
                if !self.is_box() && (elements.len() > 4 * MAX_GROUP_ELEMENTS || numbers > MAX_IMAGE_ENTRIES)
                {
                    return None;
                }
            }
        }
        Some(SymmetryGroup::new(elements)).filter(|group| group.order() <= MAX_GROUP_ELEMENTS)
    }

    /// Returns the image of every square under a map of the lattice; `None` if the map is not a
    /// symmetry of the board. `gluings` are the maps from each square of the lattice to an
    /// equivalent square, see [`LatticeSymmetry::edge_gluings`].
    fn symmetry_image(&self, map: LatticeSymmetry, gluings: &[LatticeSymmetry]) -> Option<Vec<u32>> {
        let image = |point: LatticePoint| {
            let home = self.reduce(map.apply(point))?;
            // If two points of the lattice are the same square of the board, their images must be
            // the same square too.
            let fixes_home =
                |gluing: &LatticeSymmetry| self.reduce(map.apply(gluing.apply(point))) == Some(home);
            gluings.iter().all(fixes_home).then_some(home)
        };
        // This early test works at any point of the lattice, even at a removed square: it shows if
        // the map is compatible with the joined edges.
        image([0; 3])?;
        // The second early test: a removed square must not be mapped to a square of the board.
        let is_hole = |hole| self.reduce(map.apply(hole)).is_some_and(|home| self.index(home).is_none());
        if !self.removed_points().all(is_hole) {
            return None;
        }
        self.points().map(|point| self.index(image(point)?)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Board, Graph, find_automorphism_group};
    use super::*;

    fn lattice(text: &str) -> LatticeBoard {
        text.parse::<Board>().unwrap().lattice_board().unwrap().clone()
    }

    fn order(text: &str) -> usize {
        let surface = lattice(text);
        surface.symmetries(&surface.graph()).unwrap().order()
    }

    #[test]
    fn edge_gluings_map_squares_to_equivalent_squares() {
        for wrap in Wrap::ALL {
            let lengths = [4, 3, 2];
            let gluings = LatticeSymmetry::edge_gluings(wrap, lengths);
            let seams = wrap.seams().into_iter().filter(|&seam| seam != Seam::Open).count();
            assert_eq!(gluings.len(), seams, "{wrap}");
            for point in (0..24).map(|v| [v % 4, v / 4 % 3, v / 12]) {
                for gluing in &gluings {
                    assert_eq!(wrap.reduce(gluing.apply(point), lengths), Some(point), "{wrap}");
                }
            }
        }
    }

    #[test]
    fn quarter_and_half_turns_have_their_symmetry() {
        let turn = |axes, flips| LatticeSymmetry { axes, flips, shift: [0; 3] };
        let quarter = turn([1, 0, 2], [true, false, false]);
        assert_eq!((quarter.apply([1, 0, 0]), quarter.symmetry()), ([0, 1, 0], Symmetry::Rotate90));
        let half = turn([0, 1, 2], [true, true, false]);
        assert_eq!((half.apply([1, 2, 0]), half.symmetry()), ([-1, -2, 0], Symmetry::Rotate180));
    }

    #[test]
    fn maps_that_fix_a_box_permute_its_squares() {
        for (dimensions, lengths, expected) in
            [(2, [4, 3, 1], 4), (2, [3, 3, 1], 8), (3, [3, 3, 3], 48), (3, [3, 3, 1], 16), (3, [4, 3, 2], 8)]
        {
            let maps: Vec<_> = LatticeSymmetry::fixing_box(dimensions, lengths).collect();
            assert_eq!(maps.len(), expected, "{lengths:?}");
            assert_eq!(maps[0].apply([2, 1, 0]), [2, 1, 0]);
            let corner = [0, 1, 2].map(|axis| lengths[axis] - 1);
            assert!(maps.iter().all(|map| Wrap::None.reduce(map.apply(corner), lengths).is_some()));
        }
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
            let large = lattice(text);
            assert!(large.symmetries(&Graph::from_edges(0, [])).is_none(), "{text}");
        }
        assert_eq!(order("board=200x200 wrap=torus piece=1,2 remove=c4"), 8);
        let torus = lattice("board=4x4 wrap=torus piece=1,2 remove=-");
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
                    let surface = lattice(&text);
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
    fn box_symmetry_groups_have_expected_orders() {
        for (text, order) in
            [("3x3x3", 48), ("2x3x4", 8), ("2x3x3", 16), ("board=3x3x3 piece=1,2 remove=a1.1", 6)]
        {
            let board: Board = text.parse().unwrap();
            let graph = board.graph();
            assert_eq!(board.symmetries().order(), order, "{text}");
            assert!(board.symmetries().elements().iter().all(|e| graph.has_automorphism(&e.image)));
        }
    }
}
