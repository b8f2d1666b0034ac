//! `ktour.Tour`, a tour as a sequence of squares, and `ktour.sheet`, a picture of several tours.

use ktour::board::Board as LibraryBoard;
use ktour::tour::{self, Palette, SvgStyle, TourKind, write_contact_sheet, write_svg};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::arguments;
use super::arguments::{check_between, get_items, type_error};
use super::job_runner::{CancellableString, check_signals, run_quiet};
use super::numpy_memory::{CompactVertices, array_interface};
use crate::board::Board;
use crate::errors::{failure, usage_error};
use crate::symmetry::check_symmetries_known;

/// A tour of a board: a sequence that visits every square once, each a move from the previous one.
///
/// Tour(board, squares, closed=None): squares are names, as an iterable or as text. With closed=True the last
/// square must be a move from the first; otherwise the tour is a path, even if its ends are a move apart.
/// Raises UsageError (a ValueError) that names the first fault.
///
/// The elements are names of squares, or nodes on a board made from a graph. Tours are equal if board, kind
/// and order of squares are equal. They are hashable and picklable, and notebooks show them as pictures.
#[pyclass(frozen, module = "ktour", sequence)]
pub struct Tour {
    board: Py<Board>,
    vertices: CompactVertices,
    kind: TourKind,
}

impl Tour {
    /// Creates a tour from vertices that the library found.
    pub fn from_vertices(board: Py<Board>, vertices: impl Into<CompactVertices>, kind: TourKind) -> Self {
        Self { board, vertices: vertices.into(), kind }
    }

    /// Returns a copy of the tour without Python objects, for use on other threads.
    pub fn detach(&self) -> DetachedTour {
        let library_board = self.board.get().inner.clone();
        DetachedTour { board: library_board, vertices: self.vertices.clone(), kind: self.kind }
    }

    /// Returns the board of the tour.
    pub const fn board(&self) -> &Py<Board> {
        &self.board
    }

    /// Returns the vertex at a position of the tour, counted from 0.
    ///
    /// # Panics
    /// If the position is not below the length of the tour.
    fn vertex(&self, position: usize) -> u32 {
        self.vertices.get(position).expect("the position is below the length")
    }

    /// Returns the kind of the tour.
    pub const fn kind(&self) -> TourKind {
        self.kind
    }
}

/// A tour without Python objects, for other threads.
pub struct DetachedTour {
    board: LibraryBoard,
    vertices: CompactVertices,
    kind: TourKind,
}

impl DetachedTour {
    /// Converts the tour to a tour of the library, which checks it again.
    pub fn to_tour(&self) -> tour::Tour {
        let (library_board, vertices) = (&self.board, self.vertices.iter().collect());
        let made = match self.kind {
            TourKind::Closed => tour::Tour::new_closed(library_board, vertices),
            TourKind::Open | TourKind::ReEntrant => tour::Tour::new(library_board, vertices),
        };
        made.expect("the tour was checked when it was created")
    }
}

/// Checks the options of a picture and returns its style. `palette` must be one of the three known
/// names.
fn parse_style(
    cell: Option<f64>,
    numbers: Option<bool>,
    palette: &str,
    animate: Option<f64>,
) -> PyResult<SvgStyle> {
    let palette = match palette {
        "wood" => Palette::Wood,
        "viridis" => Palette::Viridis,
        _ => Palette::Mono,
    };
    if cell.is_some_and(|cell| !(1.0..=1000.0).contains(&cell)) {
        return Err(usage_error("cell= is out of range; use a side of 1 to 1000 pixels"));
    }
    if animate.is_some_and(|seconds| !(0.1..=86400.0).contains(&seconds)) {
        return Err(usage_error("animate= is out of range; use 0.1 to 86400 seconds"));
    }
    Ok(SvgStyle {
        cell_pixels: cell,
        has_numbers: numbers,
        palette,
        animation_seconds: animate,
        ..SvgStyle::default()
    })
}

#[pymethods]
impl Tour {
    #[new]
    #[pyo3(signature = (board, squares, closed = None))]
    fn new(
        board: &Bound<'_, PyAny>,
        squares: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arguments::parse_closed)] closed: Option<bool>,
    ) -> PyResult<Self> {
        let (py, board) = (board.py(), Board::from_any(board)?);
        let own = board.get();
        let mut vertices = Vec::new();
        if let Ok(text) = squares.extract::<String>() {
            for (step, name) in text.split_whitespace().enumerate() {
                check_signals(py, step)?;
                vertices.push(own.inner.vertex(name).map_err(usage_error)?);
            }
        } else {
            let takes = "an iterable of squares, or text with their names";
            for square in squares.try_iter().map_err(|_| type_error("squares=", takes, squares))? {
                check_signals(py, vertices.len())?;
                vertices.push(own.vertex(&square?, "a tour")?);
            }
        }
        let made = if closed == Some(true) { tour::Tour::new_closed } else { tour::Tour::new };
        let library_board = own.inner.clone();
        let made =
            run_quiet(py, vertices.len(), move |_| made(&library_board, vertices))?.map_err(usage_error)?;
        let kind = made.kind();
        Ok(Self { board: board.unbind(), vertices: made.into_vertices().into(), kind })
    }

    /// The board of the tour.
    #[getter]
    fn get_board(&self, py: Python<'_>) -> Py<Board> {
        self.board.clone_ref(py)
    }

    /// Kind of the tour: "closed", "open", or "re-entrant" (a path whose ends are a move apart).
    #[getter]
    fn get_kind(&self) -> &'static str {
        self.kind.name()
    }

    /// Symmetry class: "asymmetric", "axial", "eulerian", ... None if the board has too many symmetries.
    #[getter]
    fn symmetry(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.compute(py, |tour| tour.symmetry_class().map(|class| class.name().into_owned()))
    }

    /// Numbers of the squares in order of visit, a tuple of ints. Numbers are positions in board.squares.
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.vertices.iter().collect::<Vec<u32>>())
    }

    /// Returns the canonical form under the symmetries of the board, with direction and start normalised. Two
    /// tours are equal up to symmetry if and only if their canonical forms are equal.
    ///
    /// Raises UsageError if the board has too many symmetries, or they take too long to find.
    fn canonical(&self, py: Python<'_>) -> PyResult<Self> {
        self.board.get().find_symmetries(py)?;
        check_symmetries_known(&self.board.get().inner, "canonical()")?;
        let vertices = self.compute(py, tour::Tour::canonical_form)?;
        Ok(Self { board: self.board.clone_ref(py), vertices: vertices.into(), kind: self.kind })
    }

    /// Returns the numbers of the squares in order of visit as a numpy array of shape (squares,), read-only
    /// and without a copy. The type is uint8 for boards of at most 256 squares, else uint32. Needs numpy.
    fn to_numpy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("numpy")?.call_method1("asarray", (slf,))
    }

    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (address, kind) = self.vertices.address_and_type();
        array_interface(py, address, true, kind, vec![self.vertices.len()])
    }

    /// Returns the move numbers, from 1, as a list of rows, top rank first; 0 for a removed square.
    ///
    /// Raises UsageError for graphs and boxes.
    fn grid(&self) -> PyResult<Vec<Vec<u32>>> {
        let library_board = &self.board.get().inner;
        let layout = library_board.layout().filter(|layout| layout.panel_cols() == layout.cols());
        let layout = layout.ok_or_else(|| {
            usage_error(format!("{} has no rows and columns; use svg()", library_board.title()))
        })?;
        let mut rows = vec![vec![0; usize::from(layout.cols())]; usize::from(layout.rows())];
        let last = rows.len() - 1;
        for (number, v) in (1..).zip(self.vertices.iter()) {
            let square = layout.positions()[v as usize];
            rows[last - usize::from(square.rank())][usize::from(square.file())] = number;
        }
        Ok(rows)
    }

    /// Draws the tour as SVG text.
    ///
    /// - cell: side of a square in pixels, 1 to 1000.
    /// - numbers: write the move numbers. Default: where they fit.
    /// - palette: "wood", "viridis" or "mono". Default: "wood".
    /// - animate: seconds in which a knight walks the tour, 0.1 to 86400. Default: no animation.
    #[pyo3(signature = (*, cell = None, numbers = None, palette = "wood", animate = None))]
    fn svg(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::parse_cell)] cell: Option<f64>,
        #[pyo3(from_py_with = arguments::parse_numbers)] numbers: Option<bool>,
        #[pyo3(from_py_with = arguments::parse_palette_word)] palette: &'static str,
        #[pyo3(from_py_with = arguments::parse_animate)] animate: Option<f64>,
    ) -> PyResult<String> {
        let (tour, style) = (self.detach(), parse_style(cell, numbers, palette, animate)?);
        run_quiet(py, self.vertices.len(), move |control| {
            let mut text = CancellableString::new(control);
            write_svg(&mut text, &tour.to_tour(), &style).map(|()| text.into_text())
        })?
        .map_err(failure)
    }

    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<String> {
        self.svg(py, None, None, "wood", None)
    }

    fn __len__(&self) -> usize {
        self.vertices.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, position: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let board = self.board.get();
        get_items(position, self.vertices.len(), "square", |at| board.node(py, self.vertex(at)))
    }

    fn __contains__(&self, square: &Bound<'_, PyAny>) -> bool {
        self.board.get().vertex(square, "in").is_ok()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let nodes = self.board.get().all_nodes(py)?;
        let own: PyResult<Vec<_>> = self.vertices.iter().map(|v| nodes.get_item(v as usize)).collect();
        PyTuple::new(py, own?)?.call_method0("__iter__")
    }

    /// Returns the position of a square in the tour, from 0. With start and stop, the position must lie
    /// between them.
    ///
    /// Raises ValueError if the square is not on the board, or not visited between start and stop.
    #[pyo3(signature = (square, start = None, stop = None))]
    fn index(
        &self,
        square: &Bound<'_, PyAny>,
        start: Option<&Bound<'_, PyAny>>,
        stop: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<usize> {
        let v = self.board.get().vertex(square, "index")?;
        let found = self.vertices.iter().position(|w| w == v);
        let found = found.ok_or_else(|| PyValueError::new_err("the square is not on the tour"))?;
        check_between(found, self.vertices.len(), (start, stop), square)
    }

    /// Returns 1 for a square of the board, and 0 for any other value.
    fn count(&self, square: &Bound<'_, PyAny>) -> usize {
        usize::from(self.__contains__(square))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (py, Ok(other)) = (other.py(), other.cast::<Self>()) else { return Ok(false) };
        let other = other.get();
        Ok(self.kind == other.kind
            && self.vertices == other.vertices
            && self.board.get().is_equal(other.board.get(), py)?)
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash as _, Hasher as _};
        let mut hasher = DefaultHasher::new();
        (self.kind, &self.vertices).hash(&mut hasher);
        hasher.finish()
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        let nodes = self.board.get().all_nodes(py)?;
        let names: PyResult<Vec<String>> =
            self.vertices.iter().map(|v| Ok(nodes.get_item(v as usize)?.str()?.to_string())).collect();
        Ok(names?.join(" "))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let board = self.board.get();
        let end = |v: Option<u32>| -> PyResult<String> {
            v.map_or(Ok(String::new()), |v| Ok(board.node(py, v)?.str()?.to_string()))
        };
        let (first, last) =
            (end(self.vertices.get(0))?, end(self.vertices.get(self.vertices.len().wrapping_sub(1)))?);
        Ok(format!("<{} tour of {} from {first} to {last}>", self.kind.name(), board.inner.title()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let words = (self.board.bind(py), self.vertices(py)?, self.kind == TourKind::Closed);
        (py.import("ktour._pickling")?.getattr("restore_tour")?, words).into_pyobject(py)
    }
}

impl Tour {
    /// Returns the property `what` of the tour, computed by the library. Ctrl-C abandons a long
    /// computation.
    fn compute<T: Send + 'static>(
        &self,
        py: Python<'_>,
        what: impl FnOnce(&tour::Tour) -> T + Send + 'static,
    ) -> PyResult<T> {
        let tour = self.detach();
        run_quiet(py, self.vertices.len(), move |_| what(&tour.to_tour()))
    }
}

/// Draws several tours, also of different boards, as one picture in SVG text. Default of columns: about as
/// many as rows.
///
/// Raises UsageError if there is no tour.
#[pyfunction]
#[pyo3(signature = (tours, *, columns = None, cell = None, numbers = None, palette = "wood"))]
pub fn sheet(
    py: Python<'_>,
    tours: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = arguments::parse_columns)] columns: Option<usize>,
    #[pyo3(from_py_with = arguments::parse_cell)] cell: Option<f64>,
    #[pyo3(from_py_with = arguments::parse_numbers)] numbers: Option<bool>,
    #[pyo3(from_py_with = arguments::parse_palette_word)] palette: &'static str,
) -> PyResult<String> {
    let mut detached = Vec::new();
    for tour in tours.try_iter().map_err(|_| type_error("a sheet", "tours", tours))? {
        let tour = tour?;
        detached.push(tour.cast::<Tour>().map_err(|_| type_error("a sheet", "tours", &tour))?.get().detach());
        check_signals(py, detached.len())?;
    }
    if detached.is_empty() {
        return Err(usage_error("a sheet has no tour; give at least one"));
    }
    let style = parse_style(cell, numbers, palette, None)?;
    let squares = detached.iter().map(|tour| tour.vertices.len()).sum();
    let drawn = run_quiet(py, squares, move |control| {
        let is_running = |_: &&DetachedTour| !control.is_cancelled();
        let checked: Vec<tour::Tour> =
            detached.iter().take_while(is_running).map(DetachedTour::to_tour).collect();
        let mut text = CancellableString::new(control);
        write_contact_sheet(&mut text, &checked, columns, &style).map(|()| text.into_text())
    })?;
    drawn.map_err(failure)
}
