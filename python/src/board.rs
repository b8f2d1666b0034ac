//! `_ktour.BoardBase`, the part of `ktour.Board` that the functions of this module use, and the parsers of boards.
//!
//! ```text
//! Python values -> lib/ktour/_board.py -> text, or vertices and edges -> BoardData -> Board(BoardBase)
//! ```

use std::sync::OnceLock;

use ktour::board::graph_file::GraphFile;
use ktour::board::{
    Board as LibraryBoard, BoardSides, CustomGraph, DrawingError, DrawingSigns, Graph, LatticeBoard, Layout,
    Leaper, NameError, Piece, RestrictionError, Square, Wrap, graph_file, parse_drawing,
    parse_move_sequences, unescape_word,
};
use ktour::tour::Kind;
use num_bigint::BigInt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use pyo3::{PyTraverseError, PyVisit};

use super::arguments::{HoleSigns, Named, PieceName, SquareSigns, Text, iterate, short_repr};
use super::job_runner::{collect_checked, run_quiet};
use crate::errors::invalid_input;

/// A board of the library, from which Python creates a `Board`.
#[pyclass(frozen, module = "ktour._ktour")]
pub struct BoardData(LibraryBoard);

/// The base class of `ktour.Board`: a board of the library, and the nodes of the graph that it was made from.
#[pyclass(frozen, subclass, module = "ktour._ktour")]
pub struct BoardBase {
    pub inner: LibraryBoard,
    /// Dict from each node to the number of its vertex, if the board was made from a graph.
    vertices: Option<Py<PyDict>>,
    /// The nodes, or the names of the squares, in order of the vertices. Created when they are first needed.
    squares: OnceLock<Py<PyTuple>>,
}

/// Converts a Python value to a board by the class `ktour.Board`.
pub fn to_board<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, BoardBase>> {
    match value.cast::<BoardBase>() {
        Ok(board) => Ok(board.clone()),
        Err(_) => Ok(board_class(value.py())?.call1((value,))?.cast_into()?),
    }
}

/// Creates a `ktour.Board` from a board of the library.
pub fn from_library(py: Python<'_>, board: LibraryBoard) -> PyResult<Py<BoardBase>> {
    Ok(board_class(py)?.call_method1("_from_data", (BoardData(board),))?.cast_into::<BoardBase>()?.unbind())
}

/// Returns the board of the tours of `board`: the board without restrictions.
pub fn tour_board<'py>(board: &Bound<'py, BoardBase>) -> PyResult<Bound<'py, BoardBase>> {
    match board.get().inner.is_restricted() {
        false => Ok(board.clone()),
        true => Ok(board.getattr("unrestricted")?.cast_into()?),
    }
}

fn board_class(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    py.import("ktour._board")?.getattr("Board")
}

impl BoardBase {
    /// Finds and stores the symmetries of a custom graph. The search may take long, so Ctrl-C
    /// abandons it. Does nothing for other boards, whose symmetries are known.
    pub fn find_symmetries(&self, py: Python<'_>) -> PyResult<()> {
        if self.inner.piece().is_some() {
            return Ok(());
        }
        let library_board = self.inner.clone();
        run_quiet(py, self.inner.len(), move |_| {
            let _ = library_board.symmetries();
        })
    }

    /// Returns the Python objects of all vertices, in the order of the vertices.
    pub fn squares<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyTuple>> {
        if self.squares.get().is_none() {
            let names = (0..self.inner.len() as u32).map(|v| Ok(PyString::new(py, &self.inner.name(v))));
            let names = PyTuple::new(py, collect_checked(py, names)?)?;
            // Another thread may have set equal names meanwhile.
            let _ = self.squares.set(names.unbind());
        }
        Ok(self.squares.get().expect("the squares were set").bind(py))
    }

    /// Returns the Python object of the vertex `v`: its node if the board was made from a Python
    /// graph, otherwise its name.
    pub fn node<'py>(&self, py: Python<'py>, v: u32) -> PyResult<Bound<'py, PyAny>> {
        match self.squares.get() {
            Some(squares) => squares.bind(py).get_item(v as usize),
            None => Ok(PyString::new(py, &self.inner.name(v)).into_any()),
        }
    }

    /// Returns true if a Python object is a square or node of the board. Other spellings of the name of a square, such
    /// as A1, are none.
    pub fn has(&self, square: &Bound<'_, PyAny>) -> bool {
        let is_exact = |v| self.node(square.py(), v).and_then(|node| node.eq(square)).unwrap_or(false);
        self.vertex(square, "square").is_ok_and(is_exact)
    }

    /// Returns true if both boards are of equal kind and have equal squares and Python objects, equal moves and equal
    /// restrictions. Positions of the vertices of graphs may differ.
    pub fn is_equal(&self, other: &Self, py: Python<'_>) -> PyResult<bool> {
        if std::ptr::eq(self, other) {
            return Ok(true);
        }
        let has_nodes = self.vertices.is_some() || other.vertices.is_some();
        let is_equal = self.inner == other.inner
            || self.inner.len() == other.inner.len()
                && self.inner.without_layout() == other.inner.without_layout();
        Ok(is_equal && (!has_nodes || self.squares(py)?.eq(other.squares(py)?)?))
    }

    /// Returns the vertices of squares in order of visit: an iterable of squares, or text with names that are separated
    /// by spaces, in which a space of a name is `%20`. The error names the argument `argument`.
    pub fn vertices(&self, squares: &Bound<'_, PyAny>, argument: &str) -> PyResult<Vec<u32>> {
        let py = squares.py();
        if let Ok(text) = squares.extract::<String>() {
            let vertex = |name: &str| {
                let unescaped = unescape_word(name).and_then(|name| self.inner.vertex(&name).ok());
                let found = unescaped.map_or_else(|| self.inner.vertex(name), Ok);
                found.map_err(|error| name_error(argument, &error))
            };
            return collect_checked(py, text.split_whitespace().map(vertex));
        }
        let items =
            iterate(squares, || format!("{argument} takes squares or text, not {}", short_repr(squares)))?;
        collect_checked(py, items.map(|square| self.vertex(&square?, argument)))
    }

    /// Returns the vertex of a Python object. The error names the argument `argument`.
    pub fn vertex(&self, node: &Bound<'_, PyAny>, argument: &str) -> PyResult<u32> {
        if let Some(vertices) = &self.vertices {
            let found = vertices.bind(node.py()).get_item(node).ok().flatten();
            return found.map_or_else(
                || {
                    let line = format!(
                        "{argument}: the graph has no node {}; use one of its nodes",
                        short_repr(node)
                    );
                    Err(invalid_input(line))
                },
                |v| v.extract(),
            );
        }
        let Ok(name) = node.extract::<String>() else {
            return Err(PyTypeError::new_err(format!(
                "{argument}: a square is named by text such as \"a1\", not {}",
                short_repr(node)
            )));
        };
        self.inner.vertex(&name).map_err(|error| name_error(argument, &error))
    }
}

/// Maximum length, in characters, of the list of removed squares in the name of a board.
const MAX_REMOVED_CHARS: usize = 40;

/// Returns the name of a board in messages, such as `8x8 piece=0,1+1,1 remove=a1,h8`: its title, with the piece if it
/// is no knight, and the removed squares. Long lists of squares are shortened.
pub fn summary(board: &LibraryBoard) -> String {
    let piece = board.piece().filter(|piece| *piece != Piece::default());
    let piece = piece.map_or_else(String::new, |piece| format!(" piece={piece}"));
    let removed = board.removed_names();
    let mut chars = 0;
    let fits = |name: &&String| {
        chars += name.len() + 1;
        chars <= MAX_REMOVED_CHARS
    };
    let listed = removed.iter().take_while(fits).count();
    let more = match removed.len() {
        count if listed < count => format!(",... ({count} squares)"),
        _ => String::new(),
    };
    let removed = match listed {
        0 => String::new(),
        _ => format!(" remove={}{more}", removed[..listed].join(",")),
    };
    format!("{}{piece}{removed}{}", board.unrestricted().title(), board.move_clause())
}

/// Returns the name of a job in messages, such as `6x6 closed`, or `6x6 tours` for tours of all kinds.
pub fn job_name(board: &LibraryBoard, kind: Option<Kind>) -> String {
    format!("{} {}", summary(board), kind.map_or("tours", Kind::name))
}

/// Returns the error of a name that is not on the board.
pub fn name_error(argument: &str, error: &NameError) -> PyErr {
    let remedy = match error {
        NameError::NotOnBoard(_) | NameError::NotInBox(_) | NameError::NotInGraph(_) => {
            "; use one of board.squares"
        }
        _ => "",
    };
    // The message of a square outside the board begins with `square`.
    let name = match (argument, error) {
        ("square", NameError::NotOnBoard(_) | NameError::NotInBox(_)) => String::new(),
        _ => format!("{argument}: "),
    };
    invalid_input(format!("{name}{error}{remedy}"))
}

#[pymethods]
impl BoardBase {
    #[new]
    #[pyo3(signature = (data, vertices = None))]
    fn new(data: &BoardData, vertices: Option<Bound<'_, PyDict>>) -> PyResult<Self> {
        let nodes = vertices.as_ref().map(|vertices| vertices.keys().to_tuple().unbind());
        let squares = nodes.map_or_else(OnceLock::new, OnceLock::from);
        Ok(Self { inner: data.0.clone(), vertices: vertices.map(Bound::unbind), squares })
    }

    #[getter]
    fn _squares<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.squares(py).cloned()
    }

    #[getter]
    const fn _has_nodes(&self) -> bool {
        self.vertices.is_some()
    }

    /// Returns the name of the board in messages.
    #[getter]
    fn _title(&self) -> String {
        summary(&self.inner)
    }

    #[getter]
    fn _text(&self) -> String {
        self.inner.to_string()
    }

    /// Returns a text that equal boards share.
    #[getter]
    fn _key(&self) -> String {
        self.inner.without_layout().to_string()
    }

    /// Returns the number of symmetries, or `None` if they are not known.
    fn _count_symmetries(&self, py: Python<'_>) -> PyResult<Option<usize>> {
        self.find_symmetries(py)?;
        Ok(self.inner.has_known_symmetries().then(|| self.inner.symmetries().order()))
    }

    /// Returns the number of a square. The error names the argument `argument`.
    fn _number(&self, square: &Bound<'_, PyAny>, argument: &str) -> PyResult<u32> {
        self.vertex(square, argument)
    }

    /// Returns the numbers of squares in order of visit, as an iterable of squares or as text. The error names the
    /// argument `argument`.
    fn _numbers(&self, squares: &Bound<'_, PyAny>, argument: &str) -> PyResult<Vec<u32>> {
        self.vertices(squares, argument)
    }

    fn _neighbours(&self, v: usize) -> Vec<u32> {
        self.inner.graph().neighbours(v).to_vec()
    }

    /// Returns the moves, each once, as pairs of numbers.
    #[getter]
    fn _edges<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        collect_checked(py, self.inner.graph().edges().map(|ends| ends.into_pyobject(py)))
    }

    /// Returns the (file, rank) of each square, or `None` if the board has no layout.
    #[getter]
    fn _positions<'py>(&self, py: Python<'py>) -> PyResult<Option<Vec<Bound<'py, PyTuple>>>> {
        let Some(layout) = self.inner.layout() else { return Ok(None) };
        let places = layout.positions().iter().map(|square| (square.file(), square.rank()).into_pyobject(py));
        collect_checked(py, places).map(Some)
    }

    #[getter]
    fn _is_restricted(&self) -> bool {
        self.inner.is_restricted()
    }

    /// Returns the required moves, as pairs of numbers.
    #[getter]
    fn _required(&self) -> Vec<(u32, u32)> {
        self.inner.required_moves().to_vec()
    }

    /// Returns the forbidden moves, as pairs of numbers.
    #[getter]
    fn _forbidden(&self) -> Vec<(u32, u32)> {
        self.inner.forbidden_moves().to_vec()
    }

    fn _unrestricted_data(&self) -> BoardData {
        BoardData(self.inner.unrestricted().clone())
    }

    /// Returns the board on which every tour contains the moves `required` and no move of `forbidden`. The moves
    /// are pairs of numbers.
    fn _restricted_data(&self, required: Vec<(u32, u32)>, forbidden: Vec<(u32, u32)>) -> PyResult<BoardData> {
        let all =
            |option: &'static str| move |error: RestrictionError| invalid_input(format!("{option}{error}"));
        self.inner.with_restrictions(required.iter().copied(), []).map_err(all("require: "))?;
        self.inner.with_restrictions([], forbidden.iter().copied()).map_err(all("forbid: "))?;
        self.inner.with_restrictions(required, forbidden).map(BoardData).map_err(all(""))
    }

    /// Parses a list of moves such as `a1-b3,c2-e1-g2`: the numbers of the squares of each sequence. The error
    /// names the argument `argument`.
    fn _parse_moves(&self, text: &str, argument: &str) -> PyResult<Vec<Vec<u32>>> {
        parse_move_sequences(&self.inner, text).map_err(|error| invalid_input(format!("{argument}: {error}")))
    }

    fn _is_equal(&self, other: &Bound<'_, Self>) -> PyResult<bool> {
        self.is_equal(other.get(), other.py())
    }

    /// Returns true if a Python object is a square or node of the board.
    fn _has(&self, square: &Bound<'_, PyAny>) -> bool {
        self.has(square)
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    /// Visits the nodes of a graph, which may refer to the board.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.vertices)?;
        self.squares.get().map_or(Ok(()), |squares| visit.call(squares))
    }
}

/// Creates the data of a board, which must have a square. Graphs may be empty.
fn data(board: impl Into<LibraryBoard>) -> PyResult<BoardData> {
    let board = board.into();
    match board.is_empty() && board.piece().is_some() {
        true => Err(invalid_input("remove= leaves no square on the board; remove fewer squares")),
        false => Ok(BoardData(board)),
    }
}

/// Moves of the piece, as pairs of numbers: the argument `leaper`.
pub type LeaperMoves = Vec<(BigInt, BigInt)>;

/// Returns the piece that the arguments `piece` and `leaper` give. Default: the knight.
pub fn make_piece(piece: Option<&PieceName>, leaper: Option<&LeaperMoves>) -> PyResult<Piece> {
    match (piece.map(|piece| piece.0.as_str()), leaper) {
        (Some(_), Some(_)) => Err(invalid_input("piece= and leaper= exclude each other; omit one")),
        (Some(name), None) => name.parse().map_err(|error| invalid_input(format!("piece: {error}"))),
        (None, None) => Ok(Piece::default()),
        (None, Some(all)) if all.is_empty() => {
            Err(invalid_input("leaper=[] has no move; give at least one, such as (1, 2)"))
        }
        (None, Some(all)) => {
            let leaper = |(a, b): &(BigInt, BigInt)| match (a.try_into(), b.try_into()) {
                (Ok(a), Ok(b)) => Leaper::new(a, b).map_err(invalid_input),
                _ => Err(invalid_input(format!(
                    "leaper=({a}, {b}) is out of range; use numbers from 0 to 65535"
                ))),
            };
            Ok(Piece::new(all.iter().map(leaper).collect::<PyResult<Vec<_>>>()?))
        }
    }
}

fn remove_error(error: impl std::fmt::Display) -> PyErr {
    invalid_input(format!("remove: {error}"))
}

/// Parses a board: the text form of any board, or the sides of a rectangle or box with its piece, joined edges and
/// removed squares.
#[pyfunction]
pub fn parse_board(
    size: &str,
    piece: Option<PieceName>,
    leaper: Option<LeaperMoves>,
    wrap: Named<Wrap>,
    removed: &str,
) -> PyResult<BoardData> {
    let (piece, Named(wrap)) = (make_piece(piece.as_ref(), leaper.as_ref())?, wrap);
    if size.contains('=') {
        return data(size.parse::<LibraryBoard>().map_err(invalid_input)?);
    }
    let sides: BoardSides = size.parse().map_err(invalid_input)?;
    if matches!(sides, BoardSides::Box(_)) && wrap != Wrap::None {
        return Err(invalid_input(format!(
            "wrap: the edges of the box {sides} cannot be joined; omit wrap="
        )));
    }
    lattice_board(sides, piece, wrap, removed)
}

fn lattice_board(sides: BoardSides, piece: Piece, wrap: Wrap, removed: &str) -> PyResult<BoardData> {
    data(LatticeBoard::new(sides, wrap, piece).without(removed).map_err(remove_error)?)
}

/// Parses a drawing. Returns the board and notes about skipped text.
#[pyfunction]
pub fn parse_shape(
    text: Text,
    squares: Option<SquareSigns>,
    holes: Option<HoleSigns>,
    piece: Option<PieceName>,
    leaper: Option<LeaperMoves>,
    wrap: Named<Wrap>,
    removed: &str,
) -> PyResult<(BoardData, Vec<String>)> {
    let signs = DrawingSigns { squares: squares.map(|signs| signs.0), holes: holes.map(|signs| signs.0) };
    let drawing = parse_drawing(&text.0, &signs).map_err(|error| match error {
        DrawingError::AmbiguousSigns { first, second } => {
            invalid_input(format!("{first:?} and {second:?} may both be squares; add squares= or holes="))
        }
        error => invalid_input(error),
    })?;
    let piece = make_piece(piece.as_ref(), leaper.as_ref())?;
    Ok((lattice_board(BoardSides::Rectangle(drawing.board), piece, wrap.0, removed)?, drawing.notes))
}

/// Parses a graph. Returns the board and notes about skipped lines, repeated edges and loops.
#[pyfunction]
pub fn parse_graph(text: &str) -> PyResult<(BoardData, Vec<String>)> {
    let file = graph_file::parse(text).map_err(invalid_input)?;
    Ok((data(file.graph)?, file.notes.iter().map(ToString::to_string).collect()))
}

/// Parses several graphs, one per line.
#[pyfunction]
pub fn parse_graphs(text: Text) -> PyResult<Vec<BoardData>> {
    let files = graph_file::parse_all(&text.0).map_err(invalid_input)?;
    files.into_iter().map(|(_, file)| data(file.graph)).collect()
}

/// Creates the board of a graph from the names of its vertices and its edges, with the (file, rank) of each vertex if
/// `positions` is given, or with their positions in pictures. Also returns notes on parts of the graph that are not
/// connected.
#[pyfunction]
pub fn make_graph(
    names: Vec<String>,
    edges: Vec<(usize, usize)>,
    positions: Option<Vec<(u16, u16)>>,
    picture: Option<Vec<(f64, f64)>>,
) -> PyResult<(BoardData, Vec<String>)> {
    let mut graph = CustomGraph::new(Graph::from_edges(names.len(), edges));
    if let Some(picture) = picture {
        graph = graph.with_picture_positions(&picture).map_err(invalid_input)?;
    }
    if let Some(positions) = positions {
        let side = |all: &mut dyn Iterator<Item = u16>| all.max().unwrap_or(0) + 1;
        let (rows, cols) =
            (side(&mut positions.iter().map(|p| p.1)), side(&mut positions.iter().map(|p| p.0)));
        let squares = positions.iter().map(|&(file, rank)| Square::new(file, rank)).collect();
        graph = graph.with_layout(Layout::new(rows, cols, squares)).map_err(invalid_input)?;
    }
    let graph = graph.with_names(names).map_err(invalid_input)?;
    let notes = GraphFile::structure_notes(&graph);
    Ok((data(graph)?, notes))
}
