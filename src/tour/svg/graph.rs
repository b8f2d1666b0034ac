//! Pictures of tours of a graph without a layout: discs with names, the edges and the tour, at
//! positions that stress majorization computes.
//!
//! The distance of two vertices in the picture should equal their distance in moves. The *stress* of a
//! picture is
//!
//! ```text
//! sum over all pairs of (distance in the picture - distance in moves)^2 / (distance in moves)^2
//! ```
//!
//! The vertices are moved in turn. Each of the other vertices suggests a position for the moved
//! vertex, at their distance in moves; the vertex moves to the weighted mean of these positions.
//! This never raises the stress (Gansner, Koren and North, Graph drawing by stress majorization,
//! 2004). The vertices start on a circle in order of their numbers, so a graph always has the same
//! picture. Cost O(rounds x vertices^2); vertices of large graphs stay on the circle.
//!
//! A graph that has positions for pictures is drawn at these positions.

use std::collections::VecDeque;
use std::f64::consts::TAU;
use std::fmt;
use std::fmt::Write;

use super::page::write_vertex_mark;
use super::stroke_font;
use super::tour_picture::SvgStyle;
use crate::board::{Board, Graph, Layout, Square, fit_unit_square};
use crate::tour::Tour;
use crate::tour::scene::TourScene;

/// Maximum number of characters of a vertex name that is drawn inside its disc.
pub(super) const MAX_DISC_NAME_CHARS: usize = 6;

/// Returns true if the board of the tour has no layout, so that the tour is drawn as a graph.
pub(super) fn lacks_layout(tour: &Tour) -> bool {
    tour.board().leaper_board().is_none() && tour.board().layout().is_none()
}

/// Returns the side, in pixels, of the square in which a tour of a graph is drawn.
pub(super) fn side_pixels(tour: &Tour) -> f64 {
    ((tour.board().len() as f64).sqrt() * 90.0).clamp(160.0, 1600.0)
}

/// Writes the SVG elements of a tour of a graph in a square whose top left corner is (`left`,
/// `top`) and whose side is `side` pixels. `positions` holds the position of each vertex in the unit
/// square.
pub(super) fn write_graph_tour(
    out: &mut impl Write,
    tour: &Tour,
    positions: &[(f64, f64)],
    style: &SvgStyle,
    (left, top, side): (f64, f64, f64),
) -> fmt::Result {
    let colours = style.palette.colours();
    let graph = tour.board().graph();
    let radius = (side / (graph.len() as f64).sqrt() * 0.16).clamp(1.5, 16.0);
    let extent = side - 2.0 * radius;
    let at = |v: u32| {
        let (x, y) = positions[v as usize];
        (left + radius + x * extent, top + radius + y * extent)
    };
    let line = |v: u32, w: u32| {
        let ((a, b), (c, d)) = (at(v), at(w));
        format!("M{a:.1} {b:.1}L{c:.1} {d:.1}")
    };
    write!(
        out,
        r##"<path fill="none" stroke="{}" stroke-opacity="0.6" stroke-width="{:.2}" d=""##,
        colours.frame,
        (radius * 0.1).clamp(0.3, 1.0)
    )?;
    for v in 0..graph.len() as u32 {
        for &w in graph.neighbours(v as usize).iter().filter(|&&w| w > v) {
            out.write_str(&line(v, w))?;
        }
    }
    out.write_str("\"/>\n")?;
    let (vertices, scene) = (tour.vertices(), TourScene::new(tour));
    let width = (radius * 0.28).clamp(0.6, 4.0);
    writeln!(out, r##"<g fill="none" stroke-width="{width:.2}" stroke-linecap="round">"##)?;
    for (from, to) in scene.moves() {
        let colour = match scene.fraction(from) {
            Some(fraction) => colours.ramp_colour(fraction),
            None => colours.closed.to_owned(),
        };
        let line = line(vertices[from], vertices[to]);
        writeln!(out, r##"<path stroke="{colour}" d="{line}"/>"##)?;
    }
    out.write_str("</g>\n<g text-anchor=\"middle\">\n")?;
    let names: Vec<String> = (0..graph.len() as u32).map(|v| tour.board().name(v)).collect();
    let is_named = radius >= 6.0 && names.iter().all(|name| name.chars().count() <= MAX_DISC_NAME_CHARS);
    for (i, &v) in vertices.iter().enumerate() {
        let ((x, y), mark) = (at(v), scene.mark(i));
        let fill = mark.map_or(colours.disc, |mark| colours.mark(mark));
        write_vertex_mark(out, (x, y), radius, mark, (fill, colours.frame))?;
        let (word, is_present) = match style.has_numbers {
            Some(true) => ((style.first_number + i as u64).to_string(), true),
            wanted => (names[v as usize].clone(), is_named && wanted.is_none()),
        };
        if is_present {
            let ink = if mark.is_some() { "#ffffff" } else { colours.ink };
            let size = radius * (2.6 / word.chars().count() as f64).min(1.0);
            stroke_font::write_word(out, style.text_rendering, (x, y + size * 0.36), size, ink, &word)?;
        }
    }
    out.write_str("</g>\n")
}

/// Maximum number of vertices of a graph whose stress is reduced; the vertices of larger graphs
/// stay on a circle.
const MAX_STRESS_VERTICES: usize = 400;

/// Number of rounds of stress majorization; each round moves every vertex once.
const STRESS_ROUNDS: usize = 150;

/// Columns and rows of a grid for a graph, as a multiple of the square root of the number of its vertices.
const GRID_SIDE_FACTOR: f64 = 2.5;

/// Returns the positions of the vertices of a board in the unit square, right and down: those of the board, or those
/// that stress majorization computes.
pub(super) fn vertex_positions(board: &Board) -> Vec<(f64, f64)> {
    match board.picture_positions() {
        Some(positions) => positions.positions().map(|(x, y)| (x, 1.0 - y)).collect(),
        None => stress_layout(board.graph()),
    }
}

/// Returns a layout of the vertices of `board`: their positions by [`vertex_positions`], moved to the nearest free
/// square of a grid. O(vertices^2).
pub(super) fn layout_on_grid(board: &Board) -> Layout {
    let side = (GRID_SIDE_FACTOR * (board.len() as f64).sqrt()).ceil().clamp(1.0, f64::from(u16::MAX)) as u16;
    let squares = (0..side).flat_map(|file| (0..side).map(move |rank| Square::new(file, rank)));
    let mut free: Vec<Square> = squares.collect();
    let last = f64::from(side - 1);
    let places = vertex_positions(board).into_iter().map(|(x, y)| {
        // Pictures have their top at 0, boards their lowest rank.
        let (x, y) = (x * last, (1.0 - y) * last);
        let distance =
            |square: &Square| (f64::from(square.file()) - x).powi(2) + (f64::from(square.rank()) - y).powi(2);
        let nearest = (0..free.len()).min_by(|&a, &b| distance(&free[a]).total_cmp(&distance(&free[b])));
        free.swap_remove(nearest.expect("the grid has more squares than the graph has vertices"))
    });
    let places = places.collect();
    Layout::new(side, side, places)
}

/// Returns positions of the vertices of `graph` for a picture, computed by stress majorization.
/// They fill the unit square in width or in height.
fn stress_layout(graph: &Graph) -> Vec<(f64, f64)> {
    let n = graph.len();
    // The start is not quite a circle, because an exact symmetry of the start could keep the
    // picture from improving.
    let on_circle = |v: usize| {
        let (turn, far) = (TAU * v as f64 / n as f64, 1.0 + 0.02 * (v as f64 * 0.618).fract());
        (far * turn.sin() * n as f64 / TAU, -far * turn.cos() * n as f64 / TAU)
    };
    let mut positions: Vec<(f64, f64)> = (0..n).map(on_circle).collect();
    if n > 2 && n <= MAX_STRESS_VERTICES {
        let far: Vec<Vec<f64>> = (0..n).map(|v| move_distances(graph, v)).collect();
        for _ in 0..STRESS_ROUNDS {
            for v in 0..n {
                positions[v] = suggested_position(&positions, v, &far[v]);
            }
        }
    }
    fit_unit_square(&positions).expect("the positions are finite")
}

/// Returns the distance in moves from the vertex `from` to every vertex; for an unreachable vertex,
/// the number of vertices of the graph.
fn move_distances(graph: &Graph, from: usize) -> Vec<f64> {
    let mut moves = vec![None; graph.len()];
    moves[from] = Some(0u32);
    let mut queue = VecDeque::from([from]);
    while let Some(v) = queue.pop_front() {
        for &w in graph.neighbours(v) {
            if moves[w as usize].is_none() {
                moves[w as usize] = moves[v].map(|moves| moves + 1);
                queue.push_back(w as usize);
            }
        }
    }
    moves.into_iter().map(|moves| moves.map_or(graph.len() as f64, f64::from)).collect()
}

/// Returns the weighted mean of the positions that the other vertices suggest for vertex `v`.
/// `positions` holds the current positions, `far` the distances in moves from `v`.
fn suggested_position(positions: &[(f64, f64)], v: usize, far: &[f64]) -> (f64, f64) {
    let (mut sum, mut weights) = ((0.0, 0.0), 0.0);
    let (x, y) = positions[v];
    for (w, &(a, b)) in positions.iter().enumerate().filter(|&(w, _)| w != v) {
        let distance = (x - a).hypot(y - b).max(1e-9);
        let weight = far[w].powi(-2);
        sum.0 += weight * (a + far[w] * (x - a) / distance);
        sum.1 += weight * (b + far[w] * (y - b) / distance);
        weights += weight;
    }
    (sum.0 / weights, sum.1 / weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stress_layout_places_neighbours_close() {
        // A grid of 4 x 5 with its vertices numbered in a scrambled order.
        let number = |row: usize, col: usize| (row * 5 + col) * 7 % 20;
        let near = |row, col| [(row, col + 1), (row + 1, col)].map(|at| ((row, col), at));
        let pairs = (0..4).flat_map(|row| (0..5).flat_map(move |col| near(row, col)));
        let pairs = pairs.filter(|&(_, (row, col))| row < 4 && col < 5);
        let graph = Graph::from_edges(20, pairs.map(|(a, b)| (number(a.0, a.1), number(b.0, b.1))));
        let positions = stress_layout(&graph);
        assert!(
            positions.iter().all(|(x, y)| (0.0..=1.0).contains(x) && (0.0..=1.0).contains(y)),
            "{positions:?}"
        );
        let distance =
            |v: usize, w: usize| (positions[v].0 - positions[w].0).hypot(positions[v].1 - positions[w].1);
        for v in 0..20 {
            for w in (0..20).filter(|&w| w != v) {
                let is_edge = graph.is_edge(v, w);
                assert!(!is_edge || distance(v, w) < 0.4, "{v} {w}: {}", distance(v, w));
                assert!(distance(v, w) > 0.08, "{v} {w}: {}", distance(v, w));
            }
        }
    }

    #[test]
    fn stress_layout_accepts_small_and_large_graphs() {
        let path = |n: usize| Graph::from_edges(n, (1..n).map(|v| (v - 1, v)));
        for n in [1, 2, 3, MAX_STRESS_VERTICES + 1] {
            let positions = stress_layout(&path(n));
            assert!(
                positions.len() == n && positions.iter().all(|(x, y)| x.is_finite() && y.is_finite()),
                "{n}"
            );
        }
    }
}
