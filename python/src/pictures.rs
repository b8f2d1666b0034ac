//! Pictures: options and results, `sheet` of several tours, and heat maps.

use ktour::tour::{
    self, HeatMap, Palette, SvgStyle, TextRendering, write_board_svg, write_contact_sheet, write_heat_map,
};
use pyo3::prelude::*;

use super::arguments::{Animate, Cell, Columns, HasNumbers, Named};
use super::job_runner::{CancellableString, run_quiet};
use crate::board::BoardBase;
use crate::detached_tour::DetachedTour;
use crate::errors::{failure, invalid_input};

/// Checks the options of a picture and returns its style.
pub fn make_style(
    cell: Option<Cell>,
    numbers: Option<HasNumbers>,
    palette: Palette,
    animate: Option<Animate>,
) -> PyResult<SvgStyle> {
    let (cell, numbers) = (cell.map(|cell| cell.0), numbers.map(|numbers| numbers.0));
    let animate = animate.map(|seconds| seconds.0);
    if let Some(cell) = cell.filter(|cell| !(1.0..=1000.0).contains(cell)) {
        return Err(invalid_input(format!("cell={cell} is out of range; use a side of 1 to 1000 pixels")));
    }
    if let Some(seconds) = animate.filter(|seconds| !(0.1..=86400.0).contains(seconds)) {
        return Err(invalid_input(format!("animate={seconds} is out of range; use 0.1 to 86400 seconds")));
    }
    Ok(SvgStyle {
        cell_pixels: cell,
        has_numbers: numbers,
        palette,
        animation_seconds: animate,
        ..SvgStyle::default()
    })
}

/// Converts SVG text to the Python class `Svg`.
pub fn to_svg<'py>(py: Python<'py>, text: String) -> PyResult<Bound<'py, PyAny>> {
    py.import("ktour._svg")?.getattr("Svg")?.call1((text,))
}

/// Draws several tours as one picture.
#[pyfunction]
pub fn sheet<'py>(
    tours: &Bound<'py, PyAny>,
    columns: Option<Columns>,
    cell: Option<Cell>,
    numbers: Option<HasNumbers>,
    palette: Named<Palette>,
) -> PyResult<Bound<'py, PyAny>> {
    let tours_to_draw = DetachedTour::detach_all(tours, |_| Ok(()))?;
    if tours_to_draw.is_empty() {
        return Err(invalid_input("tours: a sheet needs at least one tour"));
    }
    let style = make_style(cell, numbers, palette.0, None)?;
    let squares = tours_to_draw.iter().map(|tour| tour.vertices.len()).sum();
    let drawn = run_quiet(tours.py(), squares, move |control| {
        let is_running = |_: &&DetachedTour| !control.is_cancelled();
        let checked: Vec<tour::Tour> =
            tours_to_draw.iter().take_while(is_running).map(DetachedTour::to_tour).collect();
        let mut text = CancellableString::new(control);
        let columns = columns.map(|columns| columns.0);
        write_contact_sheet(&mut text, &checked, columns, &style).map(|()| text.into_text())
    })?;
    to_svg(tours.py(), drawn.map_err(failure)?)
}

/// Draws a board with its moves as SVG text.
#[pyfunction]
pub fn board_svg(board: &Bound<'_, BoardBase>) -> PyResult<String> {
    let library_board = board.get().inner.clone();
    let drawn = run_quiet(board.py(), library_board.len(), move |control| {
        let mut text = CancellableString::new(control);
        write_board_svg(&mut text, &library_board, TextRendering::SvgText).map(|()| text.into_text())
    })?;
    drawn.map_err(failure)
}

/// Draws a heat map of a board as SVG text: the share of tours that use each move, and that end on each square.
#[pyfunction]
pub fn heat_map(
    board: &Bound<'_, BoardBase>,
    title: &str,
    moves: Vec<(u32, u32, f64)>,
    ends: Option<Vec<f64>>,
) -> PyResult<String> {
    let mut text = String::new();
    let heat = HeatMap {
        board: &board.get().inner,
        title,
        move_shares: &moves,
        end_shares: ends.as_deref(),
        text_rendering: TextRendering::SvgText,
    };
    write_heat_map(&mut text, &heat).map_err(failure)?;
    Ok(text)
}
