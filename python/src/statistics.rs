//! `ktour.Stats`: exact statistics of all tours.

use ktour::index::Statistics;
use ktour::tour::{HeatMap, Kind, TextRendering, write_heat_map};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::board::Board;
use crate::errors::failure;
use crate::numbers::to_int;

/// Statistics of all tours of a board: how many use each move, and how many start or end on each square.
/// Notebooks show them as a heat map.
#[pyclass(frozen, module = "ktour")]
pub struct Stats {
    board: Py<Board>,
    statistics: Statistics,
}

impl Stats {
    /// Creates the statistics of a board's tours.
    pub const fn new(board: Py<Board>, found: Statistics) -> Self {
        Self { board, statistics: found }
    }
}

#[pymethods]
impl Stats {
    /// The board of the tours.
    #[getter]
    fn get_board(&self, py: Python<'_>) -> Py<Board> {
        self.board.clone_ref(py)
    }

    /// Kind of the tours: "closed", "open" or "paths".
    #[getter]
    fn kind(&self) -> &'static str {
        self.statistics.tour_set.kind.name()
    }

    /// Number of tours, an int.
    #[getter]
    fn total<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_int(py, &self.statistics.total)
    }

    /// Dict from each move to the number of tours that use it. A move is a pair of squares in either order.
    #[getter]
    fn moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let moves = py.import("ktour._results")?.getattr("Moves")?.call0()?;
        let board = self.board.get();
        for ((v, w), number) in &self.statistics.moves {
            moves.set_item((board.node(py, *v)?, board.node(py, *w)?), to_int(py, number)?)?;
        }
        Ok(moves)
    }

    /// Dict from each square to the number of tours that start or end there. Empty for closed tours.
    #[getter]
    fn ends<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (board, ends) = (self.board.get(), PyDict::new(py));
        for (v, number) in (0..).zip(&self.statistics.ends) {
            ends.set_item(board.node(py, v)?, to_int(py, number)?)?;
        }
        Ok(ends)
    }

    /// Draws a heat map as SVG text: the darker a move or square, the more tours use it.
    ///
    /// Raises Error for graphs without a layout.
    fn svg(&self) -> PyResult<String> {
        let Statistics { tour_set: numbered, moves, ends, .. } = &self.statistics;
        let moves: Vec<(u32, u32, f64)> =
            moves.iter().map(|((v, w), number)| (*v, *w, self.statistics.share(number))).collect();
        let ends: Vec<f64> = ends.iter().map(|number| self.statistics.share(number)).collect();
        let ends = (numbered.kind != Kind::Closed).then_some(ends.as_slice());
        let mut text = String::new();
        let title =
            format!("{} {}: {} tours", numbered.board.title(), numbered.kind.name(), self.statistics.total);
        let heat = HeatMap {
            board: &numbered.board,
            title: &title,
            move_shares: &moves,
            end_shares: ends,
            text_rendering: TextRendering::SvgText,
        };
        write_heat_map(&mut text, &heat).map_err(failure)?;
        Ok(text)
    }

    fn _repr_svg_(&self) -> PyResult<String> {
        self.svg()
    }

    fn __repr__(&self) -> String {
        let Statistics { tour_set: numbered, total, .. } = &self.statistics;
        format!("<use of moves in all {total} {} of {}>", numbered.kind.plural(), numbered.board.title())
    }
}
