//! `ktour.Tour`, a tour as a sequence of squares.

use std::ops::Range;

use ktour::board::{Board as LibraryBoard, Layout};
use ktour::text_format::escape_control;
use ktour::tour::{self, Palette, TourKind, write_svg};
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice, PyTuple};
use pyo3::{PyTraverseError, PyVisit};

use super::arguments::{
    Animate, Cell, Closed, FirstPosition, Grid, HasNumbers, LastPosition, Named, short_repr,
};
use super::job_runner::{CancellableString, collect_checked, run_quiet};
use super::numpy_memory::{CompactVertices, TourVertices, import_numpy};
use crate::board::{BoardBase, summary, to_board, tour_board};
use crate::detached_tour::DetachedTour;
use crate::errors::{failure, invalid_input};
use crate::pictures::{make_style, to_svg};
use crate::symmetry::check_symmetries_known;

/// A tour: a sequence that visits every square of a board once, each a move from the previous one.
///
/// Tours are equal if board, kind and order of squares are equal. They are hashable and picklable, and
/// notebooks show them as pictures.
///
/// Parameters
/// ----------
/// board : Board, str, int, tuple of int, or graph
///     Board of the tour, as for `Board`.
/// squares : iterable of squares, or str
///     Squares in order of visit: names such as ``"a1"``, or nodes of a graph. In text such as ``str(tour)``, names
///     are separated by spaces, and a space in a name is ``%20``.
/// closed : bool, optional
///     True for a closed tour, whose last square must be a move from the first. False for a path, even if its
///     ends are a move apart. Default: that of a `Tour` given as `squares`, else False.
///
/// Raises
/// ------
/// InvalidInputError
///     If the squares are no tour. The message names the first fault.
///
/// See Also
/// --------
/// Tour.from_numpy : A tour from the numbers of its squares.
/// Tour.from_grid : A tour from a table of move numbers.
///
/// Examples
/// --------
/// >>> tour = ktour.Tour("3x4", "a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2")
/// >>> tour.kind, len(tour), tour[0], tour[-2:]
/// ('open', 12, 'a3', ['c1', 'a2'])
/// >>> tour
/// <open tour of 3x4: a3 c2 a1 b3 ... b2 d3 c1 a2>
#[pyclass(frozen, module = "ktour", sequence)]
pub struct Tour {
    board: Py<BoardBase>,
    vertices: CompactVertices,
    kind: TourKind,
    seed: Option<u64>,
}

/// Number of squares at each end of a tour that its `repr` shows.
const SHOWN_SQUARES: usize = 4;

/// Remedy for elements that are no squares.
const NUMBERS_REMEDY: &str = "use Tour.from_numpy for numbers of squares, and Tour.from_grid for a table";

/// Maximum number of squares of a tour that a notebook shows as a picture. Larger pictures, of about 30 bytes a
/// square, would fill the file of the notebook.
const MAX_NOTEBOOK_SQUARES: usize = 10_000;

impl Tour {
    /// Creates a tour from vertices that the library found.
    pub fn from_vertices(board: Py<BoardBase>, vertices: impl Into<CompactVertices>, kind: TourKind) -> Self {
        Self { board, vertices: vertices.into(), kind, seed: None }
    }

    /// Sets the seed with which the tour was found.
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed: Some(seed), ..self }
    }

    /// Creates a tour from vertices that may be invalid. Ctrl-C abandons the check.
    fn checked(board: &Bound<'_, BoardBase>, vertices: Vec<u32>, closed: bool) -> PyResult<Self> {
        let make = if closed { tour::Tour::new_closed } else { tour::Tour::new };
        let board = &tour_board(board)?;
        let library_board = board.get().inner.clone();
        let made = run_quiet(board.py(), vertices.len(), move |_| make(&library_board, vertices))?;
        let made = made.map_err(invalid_input)?;
        let kind = made.kind();
        Ok(Self::from_vertices(board.clone().unbind(), made.into_vertices(), kind))
    }

    /// Returns a copy of the tour without Python objects, for use on other threads.
    pub fn detach(&self) -> DetachedTour {
        let library_board = self.board.get().inner.clone();
        DetachedTour { board: library_board, vertices: self.vertices.clone(), kind: self.kind }
    }

    /// Returns the vertex at a position of the tour, counted from 0.
    ///
    /// # Panics
    /// If the position is not below the length of the tour.
    fn vertex(&self, position: usize) -> u32 {
        self.vertices.get(position).expect("the position is below the length")
    }

    /// Returns the board of the tour.
    pub fn board<'py>(&self, py: Python<'py>) -> &Bound<'py, BoardBase> {
        self.board.bind(py)
    }

    /// Returns the vertices of the tour, in the order of the moves.
    pub const fn vertices_in_order(&self) -> &CompactVertices {
        &self.vertices
    }

    /// Returns the kind of the tour.
    pub const fn kind(&self) -> TourKind {
        self.kind
    }
}

#[pymethods]
impl Tour {
    #[new]
    #[pyo3(signature = (board, squares, closed = None))]
    fn new(board: &Bound<'_, PyAny>, squares: &Bound<'_, PyAny>, closed: Option<Closed>) -> PyResult<Self> {
        let board = to_board(board)?;
        let vertices = board.get().vertices(squares, "squares").map_err(|error| {
            match error.is_instance_of::<PyTypeError>(squares.py()) && squares.try_iter().is_ok() {
                true => PyTypeError::new_err(format!("{}; {NUMBERS_REMEDY}", error.value(squares.py()))),
                false => error,
            }
        })?;
        let is_closed = || squares.cast::<Self>().is_ok_and(|tour| tour.get().kind == TourKind::Closed);
        Self::checked(&board, vertices, closed.map_or_else(is_closed, |closed| closed.0))
    }

    /// Return the tour with these numbers of squares, the inverse of `to_numpy` and of `vertices`.
    ///
    /// Parameters
    /// ----------
    /// board : Board, str, int, tuple of int, or graph
    ///     Board of the tour, as for `Board`.
    /// vertices : array or sequence of int
    ///     Numbers of the squares in order of visit, of shape (squares,), such as a row of
    ///     ``tours(...).to_numpy()``. Numbers are positions in ``board.squares``. On 8x8 they are the squares of
    ///     python-chess.
    /// closed : bool, optional
    ///     True for a closed tour, which the numbers do not distinguish from a path. Default: False, a path.
    ///
    /// Returns
    /// -------
    /// Tour
    ///
    /// Raises
    /// ------
    /// InvalidInputError
    ///     If the squares are no tour. The message names the first fault.
    ///
    /// Examples
    /// --------
    /// >>> table = ktour.tours("5x6", "closed").to_numpy()
    /// >>> ktour.Tour.from_numpy("5x6", table[0], closed=True) == next(ktour.tours("5x6", "closed"))
    /// True
    #[staticmethod]
    #[pyo3(signature = (board, vertices, closed = None))]
    fn from_numpy(
        board: &Bound<'_, PyAny>,
        vertices: &Bound<'_, PyAny>,
        closed: Option<Closed>,
    ) -> PyResult<Self> {
        let board = to_board(board)?;
        let squares = board.get().inner.len();
        let numbers: Vec<i64> = vertices.extract().map_err(|error: PyErr| {
            match error.is_instance_of::<PyOverflowError>(vertices.py()) {
                true => invalid_input(format!(
                    "vertices: {} has a number that is out of range; use the numbers from 0 to {}",
                    short_repr(vertices),
                    squares.saturating_sub(1)
                )),
                false => PyTypeError::new_err(format!(
                    "vertices takes the numbers of squares, such as one row of to_numpy(), not {}",
                    short_repr(vertices)
                )),
            }
        })?;
        let vertex = |v: i64| match u32::try_from(v) {
            Ok(v) if (v as usize) < squares => Ok(v),
            _ => Err(invalid_input(format!(
                "vertices: there is no square number {v}; use the numbers from 0 to {}",
                squares.saturating_sub(1)
            ))),
        };
        let vertices = numbers.into_iter().map(vertex).collect::<PyResult<_>>()?;
        Self::checked(&board, vertices, closed.is_some_and(|closed| closed.0))
    }

    /// Return the tour with these move numbers, the inverse of `grid`.
    ///
    /// Parameters
    /// ----------
    /// board : Board, str, int, or tuple of int
    ///     Board of the tour, as for `Board`. It must have rows and columns.
    /// grid : array or list of lists of int
    ///     Move numbers, from 1, of shape (rows, columns), top rank first. Entries of removed squares are
    ///     ignored.
    /// closed : bool, optional
    ///     True for a closed tour, which the numbers do not distinguish from a path. Default: False, a path.
    ///
    /// Returns
    /// -------
    /// Tour
    ///
    /// Raises
    /// ------
    /// InvalidInputError
    ///     If the shape is not that of the board, or the numbers are no tour.
    ///
    /// Examples
    /// --------
    /// >>> tour = ktour.Tour.from_grid("3x4", [[1, 4, 7, 10], [12, 9, 2, 5], [3, 6, 11, 8]])
    /// >>> str(tour)
    /// 'a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2'
    #[staticmethod]
    #[pyo3(signature = (board, grid, closed = None))]
    fn from_grid(board: &Bound<'_, PyAny>, grid: Grid, closed: Option<Closed>) -> PyResult<Self> {
        let (board, Grid(grid)) = (to_board(board)?, grid);
        let layout = grid_layout(&board.get().inner)?;
        let (rows, cols) = (usize::from(layout.rows()), usize::from(layout.cols()));
        if grid.len() != rows || grid.iter().any(|row| row.len() != cols) {
            return Err(invalid_input(format!(
                "grid: the board has {rows} rows of {cols} squares; use that shape"
            )));
        }
        let mut vertices = vec![None; layout.positions().len()];
        for (v, square) in (0..).zip(layout.positions()) {
            let number = grid[rows - 1 - usize::from(square.rank())][usize::from(square.file())];
            let place = number
                .checked_sub(1)
                .and_then(|place| usize::try_from(place).ok())
                .and_then(|place| vertices.get_mut(place));
            let place = place.filter(|place| place.is_none()).ok_or_else(|| {
                let most = layout.positions().len();
                invalid_input(format!(
                    "grid: {number} is out of range or twice; use each number from 1 to {most}"
                ))
            })?;
            *place = Some(v);
        }
        Self::checked(&board, vertices.into_iter().flatten().collect(), closed.is_some_and(|closed| closed.0))
    }

    /// Board of the tour.
    #[getter]
    fn get_board(&self, py: Python<'_>) -> Py<BoardBase> {
        self.board.clone_ref(py)
    }

    /// Kind of the tour: "closed", "open", or "re-entrant" (a path whose ends are a move apart).
    #[getter]
    fn get_kind(&self) -> &'static str {
        self.kind.name()
    }

    /// Seed with which `find` or `sample` drew the tour, an int; None for other tours.
    #[getter]
    const fn get_seed(&self) -> Option<u64> {
        self.seed
    }

    /// Symmetry class: "asymmetric", "axial", "rot180 eulerian", ... None if the board has too many symmetries.
    ///
    /// The class names all symmetries of the tour. ``symmetry=`` of `tours` and `count` selects tours with at least
    /// one symmetry.
    #[getter]
    fn symmetry(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.compute(py, |tour| tour.symmetry_class().map(|class| class.name().into_owned()))
    }

    /// Numbers of the squares in order of visit, a tuple of int.
    ///
    /// Numbers are positions in ``board.squares``, also for graphs, whose nodes are the elements of the tour.
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let numbers = self.vertices.iter().map(|v| Ok(v.into_pyobject(py)?));
        PyTuple::new(py, collect_checked(py, numbers)?)
    }

    /// Return the moves in order of visit, as pairs of squares. For a closed tour, the last one leads back to the start.
    ///
    /// Returns
    /// -------
    /// list of tuple
    ///
    /// Examples
    /// --------
    /// >>> ktour.Tour("3x4", "a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2").moves()[:2]
    /// [('a3', 'c2'), ('c2', 'a1')]
    fn moves<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
        let (board, len) = (self.board.get(), self.vertices.len());
        // One square has no move, although its closed tour counts.
        let is_closed = self.kind == TourKind::Closed && len > 1;
        let count = if is_closed { len } else { len.saturating_sub(1) };
        let node = |at: usize| board.node(py, self.vertex(at % len));
        collect_checked(py, (0..count).map(|at| Ok((node(at)?, node(at + 1)?))))
    }

    /// Return the canonical form under the symmetries of the board.
    ///
    /// Two tours are equal up to symmetry, direction and start if and only if their canonical forms are equal.
    ///
    /// Returns
    /// -------
    /// Tour
    ///
    /// Raises
    /// ------
    /// InvalidInputError
    ///     If the board has too many symmetries, or they take too long to find.
    ///
    /// Examples
    /// --------
    /// >>> len({tour.canonical() for tour in ktour.tours("5x5")})
    /// 112
    fn canonical(&self, py: Python<'_>) -> PyResult<Self> {
        self.board.get().find_symmetries(py)?;
        check_symmetries_known(&self.board.get().inner, "canonical()")?;
        let vertices = self.compute(py, tour::Tour::canonical_form)?;
        Ok(Self::from_vertices(self.board.clone_ref(py), vertices, self.kind))
    }

    /// Return the numbers of the squares in order of visit as an array. Needs numpy.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     Read-only array of shape (squares,), without a copy: of uint8 for boards of at most 256 squares, else
    ///     of uint32. The numbers are positions in ``board.squares``. ``numpy.asarray(tour)`` holds the squares
    ///     themselves, as ``list(tour)`` does.
    ///
    /// Examples
    /// --------
    /// >>> ktour.find("8x8", "closed", seed=7).to_numpy()[:4]
    /// array([ 0, 17, 32, 49], dtype=uint8)
    fn to_numpy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        // A tour itself is a sequence of squares to numpy, as to list().
        let memory = TourVertices::new(slf.clone().unbind());
        import_numpy(slf.py())?.call_method1("asarray", (memory,))
    }

    /// Return the move numbers, from 1, as a table.
    ///
    /// Returns
    /// -------
    /// list of list of int
    ///     Rows of the board, top rank first; 0 for a removed square.
    ///
    /// Raises
    /// ------
    /// InvalidInputError
    ///     If the board has no rows and columns, as graphs and boxes.
    ///
    /// Examples
    /// --------
    /// >>> ktour.Tour("3x4", "a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2").grid()
    /// [[1, 4, 7, 10], [12, 9, 2, 5], [3, 6, 11, 8]]
    fn grid(&self) -> PyResult<Vec<Vec<u32>>> {
        let layout = grid_layout(&self.board.get().inner)?;
        let mut rows = vec![vec![0; usize::from(layout.cols())]; usize::from(layout.rows())];
        let last = rows.len() - 1;
        for (number, v) in (1..).zip(self.vertices.iter()) {
            let square = layout.positions()[v as usize];
            rows[last - usize::from(square.rank())][usize::from(square.file())] = number;
        }
        Ok(rows)
    }

    /// Draw the tour.
    ///
    /// Parameters
    /// ----------
    /// cell : float, optional
    ///     Side of a square in pixels, 1 to 1000. Default: by the size of the board.
    /// numbers : bool, optional
    ///     True to write the move numbers. Default: where they fit.
    /// palette : {"wood", "viridis", "mono"}, default "wood"
    ///     Colours.
    /// animate : float, optional
    ///     Seconds in which the piece walks the tour, 0.1 to 86400. Default: no animation.
    ///
    /// Returns
    /// -------
    /// Svg
    ///     The SVG text, a str.
    ///
    /// Examples
    /// --------
    /// >>> ktour.find("5x6", "closed").svg(numbers=True)[:4]
    /// '<svg'
    #[pyo3(
        signature = (*, cell = None, numbers = None, palette = Named(Palette::Wood), animate = None),
        text_signature = "($self, *, cell=None, numbers=None, palette='wood', animate=None)"
    )]
    fn svg<'py>(
        &self,
        py: Python<'py>,
        cell: Option<Cell>,
        numbers: Option<HasNumbers>,
        palette: Named<Palette>,
        animate: Option<Animate>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (tour, style) = (self.detach(), make_style(cell, numbers, palette.0, animate)?);
        let drawn = run_quiet(py, self.vertices.len(), move |control| {
            let mut text = CancellableString::new(control);
            write_svg(&mut text, &tour.to_tour(), &style).map(|()| text.into_text())
        })?;
        to_svg(py, drawn.map_err(failure)?)
    }

    /// Draw the tour, and write the picture to a file.
    ///
    /// Parameters
    /// ----------
    /// path : path
    ///     Path of the file, such as "tour.svg". The picture is SVG.
    /// cell, numbers, palette, animate
    ///     As for `svg`.
    ///
    /// Raises
    /// ------
    /// InvalidInputError
    ///     If the name of the file ends with that of another picture format, such as .png.
    /// FileError
    ///     If the file cannot be written. It is an OSError.
    ///
    /// Examples
    /// --------
    /// >>> import pathlib, tempfile
    /// >>> with tempfile.TemporaryDirectory() as folder:
    /// ...     path = pathlib.Path(folder, "tour.svg")
    /// ...     ktour.find("8x8", "closed").save(path)
    /// ...     path.read_text()[:4]
    /// '<svg'
    #[pyo3(
        signature = (path, *, cell = None, numbers = None, palette = Named(Palette::Wood), animate = None),
        text_signature = "($self, path, *, cell=None, numbers=None, palette='wood', animate=None)"
    )]
    fn save(
        &self,
        py: Python<'_>,
        path: &Bound<'_, PyAny>,
        cell: Option<Cell>,
        numbers: Option<HasNumbers>,
        palette: Named<Palette>,
        animate: Option<Animate>,
    ) -> PyResult<()> {
        self.svg(py, cell, numbers, palette, animate)?.call_method1("save", (path,)).map(|_| ())
    }

    fn _repr_svg_<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if self.vertices.len() > MAX_NOTEBOOK_SQUARES {
            return Ok(None);
        }
        self.svg(py, None, None, Named(Palette::Wood), None).map(Some)
    }

    fn __len__(&self) -> usize {
        self.vertices.len()
    }

    fn __getitem__<'py>(&self, position: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, len) = (position.py(), self.vertices.len() as isize);
        let node = |at: isize| self.board.get().node(py, self.vertex(at as usize));
        if let Ok(slice) = position.cast::<PySlice>() {
            let range = slice.indices(len)?;
            let places = (0..range.slicelength as isize).map(|i| range.start + i * range.step);
            return Ok(PyList::new(py, places.map(node).collect::<PyResult<Vec<_>>>()?)?.into_any());
        }
        let place = match position.extract::<isize>() {
            Ok(place) => Some(if place < 0 { place + len } else { place }),
            // A number beyond `isize` is out of range.
            Err(error) if error.is_instance_of::<PyOverflowError>(py) => None,
            Err(_) => {
                return Err(PyTypeError::new_err(format!(
                    "an index of a tour is an int or a slice, not {}",
                    short_repr(position)
                )));
            }
        };
        match place.filter(|place| (0..len).contains(place)) {
            Some(place) => node(place),
            None => Err(PyIndexError::new_err(format!("there is no square {position}; the tour has {len}"))),
        }
    }

    fn __contains__(&self, square: &Bound<'_, PyAny>) -> bool {
        self.board.get().has(square)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let nodes = self.board.get().squares(py)?;
        let own = collect_checked(py, self.vertices.iter().map(|v| nodes.get_item(v as usize)))?;
        PyTuple::new(py, own)?.call_method0("__iter__")
    }

    /// Return the position of a square in the tour, from 0.
    ///
    /// Parameters
    /// ----------
    /// square : square
    ///     Name of a square, or node of a graph.
    /// start, stop : int, optional
    ///     Positions between which the square must be visited, as for ``list.index``.
    ///
    /// Returns
    /// -------
    /// int
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If the square is not on the board, or not visited between `start` and `stop`.
    ///
    /// Examples
    /// --------
    /// >>> ktour.Tour("3x4", "a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2").index("a1")
    /// 2
    #[pyo3(signature = (square, start = FirstPosition(0), stop = None), text_signature = "($self, square, start=0, stop=None)")]
    fn index(
        &self,
        square: &Bound<'_, PyAny>,
        start: FirstPosition,
        stop: Option<LastPosition>,
    ) -> PyResult<usize> {
        let v = self.board.get().vertex(square, "square")?;
        let range = PySlice::new(square.py(), start.0, stop.map_or(isize::MAX, |stop| stop.0), 1);
        let range = range.indices(self.vertices.len() as isize)?;
        let found = self.vertices.iter().position(|w| w == v);
        let found = found.filter(|&at| (range.start..range.stop).contains(&(at as isize)));
        found.ok_or_else(|| {
            PyValueError::new_err(format!("{} is not between start and stop", short_repr(square)))
        })
    }

    /// Return 1 for a square of the board, and 0 for any other value.
    ///
    /// Parameters
    /// ----------
    /// square : object
    ///     Any value.
    ///
    /// Returns
    /// -------
    /// int
    fn count(&self, square: &Bound<'_, PyAny>) -> usize {
        usize::from(self.__contains__(square))
    }

    /// For a value of another type, PyO3 returns `NotImplemented`, so that Python tries the comparison of that type.
    fn __eq__(&self, other: &Bound<'_, Self>) -> PyResult<bool> {
        let (py, other) = (other.py(), other.get());
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

    /// Returns the names of the squares, from which `Tour` makes an equal tour.
    fn __str__(&self) -> String {
        let board = &self.board.get().inner;
        let is_graph = board.piece().is_none();
        let names = self.vertices.iter().map(|v| match is_graph {
            true => escape_blanks(&board.name(v)),
            false => board.name(v),
        });
        names.collect::<Vec<_>>().join(" ")
    }

    fn __repr__(&self) -> String {
        let len = self.vertices.len();
        let squares = if len <= 2 * SHOWN_SQUARES {
            self.names(0..len)
        } else {
            let (first, last) = (self.names(0..SHOWN_SQUARES), self.names(len - SHOWN_SQUARES..len));
            format!("{first} ... {last}")
        };
        format!("<{} tour of {}: {squares}>", self.kind.name(), summary(&self.board.get().inner))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.board)
    }

    /// Returns the tour with the seed that drew it.
    fn _with_seed(&self, py: Python<'_>, seed: u64) -> Self {
        Self::from_vertices(self.board.clone_ref(py), self.vertices.clone(), self.kind).with_seed(seed)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let fields = (self.board.bind(py), self.vertices(py)?, self.kind == TourKind::Closed, self.seed);
        (py.import("ktour._pickling")?.getattr("restore_tour")?, fields).into_pyobject(py)
    }
}

/// Returns a name in which blanks and `%` are percent-encoded, as in the text form of a board.
fn escape_blanks(name: &str) -> String {
    if !name.contains(|c: char| c.is_whitespace() || c == '%') {
        return name.to_owned();
    }
    let escape = |c: char| match c.is_whitespace() || c == '%' {
        true => c.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect::<String>(),
        false => c.to_string(),
    };
    name.chars().map(escape).collect()
}

/// Returns the layout of a board with rows and columns.
fn grid_layout(board: &LibraryBoard) -> PyResult<&Layout> {
    board
        .layout()
        .filter(|layout| layout.panel_cols() == layout.cols())
        .ok_or_else(|| invalid_input(format!("{} has no rows and columns; use svg()", board.title())))
}

impl Tour {
    /// Returns the names of the squares at a range of positions, separated by spaces, on one line. Different nodes of a graph have
    /// different names.
    fn names(&self, positions: Range<usize>) -> String {
        let board = &self.board.get().inner;
        let name = |at| escape_control(&board.name(self.vertex(at)));
        positions.map(name).collect::<Vec<_>>().join(" ")
    }

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
