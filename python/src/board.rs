//! `ktour.Board`: a board with a piece, or a graph.

use std::ffi::CString;

use ktour::board::{
    Board as LibraryBoard, BoxBoard, BoxSides, CustomGraph, DrawingError, DrawingSigns, Graph, Leaper, Piece,
    Rectangle, Wrap, WrappedBoard, graph_file, parse_box_squares, parse_drawing, parse_squares,
};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};

use super::arguments::{check_between, get_items, not_none, parse_text, short_repr, to_integer, type_error};
use super::job_runner::{check_signals, run_quiet};
use crate::errors::{usage_error, warn};

/// A board with a piece that moves on it, or any graph.
///
///     Board("6x8")              rows x columns; squares a1, b2, ...: file from the left, rank from the bottom
///     Board(8), Board((6, 8))   sides as numbers
///     Board("3x4x4")            a box: layers x rows x columns; squares a1.1, ...
///     Board(board), Board(G)    a copy of a board; the board of a graph G of networkx
///
/// - piece: "knight", "king", "wazir+camel", "1,4", ... Default: "knight".
/// - leaper: the piece as one pair (1, 4), or as a list of pairs. Excludes piece.
/// - wrap: joined edges: "none", "cols" (a cylinder), "rows", "torus", "mobius", "klein" or "projective".
///   Default: "none".
/// - remove: removed squares: ["a1", "c3"] or "a1,c3-d5".
///
/// A board is a sequence of the names of its squares: len(board), board[0], board[:8], board.index("c3").
/// Boards are equal if squares and moves are equal. They are hashable and picklable. Board(str(board)) is an
/// equal board, unless the board was made from a graph whose nodes are not text.
///
/// Raises UsageError (a ValueError) if there is no such board.
#[pyclass(frozen, module = "ktour", sequence)]
pub struct Board {
    pub inner: LibraryBoard,
    nodes: Option<Nodes>,
}

/// The nodes of the graph that a board was made from.
struct Nodes {
    nodes: Py<PyTuple>,
    /// Dict from each node to the number of its vertex.
    vertices: Py<PyDict>,
    /// True if each node equals the name of its vertex. Then the board equals a board without
    /// nodes.
    are_names: bool,
}

impl Board {
    /// Creates a board that has no nodes of a Python graph. A custom graph may be empty.
    ///
    /// # Errors
    /// A `UsageError` if all squares of a board are removed.
    pub fn from_board(library_board: LibraryBoard) -> PyResult<Self> {
        if library_board.is_empty() && library_board.piece().is_some() {
            return Err(usage_error("remove= leaves no square on the board; remove fewer squares"));
        }
        Ok(Self { inner: library_board, nodes: None })
    }

    /// Converts a Python value to a board: a board, text, one side, a sequence of sides, or a graph of
    /// networkx.
    pub fn from_any<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Self>> {
        if let Ok(board) = value.cast::<Self>() {
            return Ok(board.clone());
        }
        let py = value.py();
        let made = if has_nodes_and_edges(value)? {
            Self::from_graph_object(value)?
        } else {
            Self::from_board(parse_board(&sides_text(value)?, &Piece::default(), Wrap::None, "-")?)?
        };
        Bound::new(py, made)
    }

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

    /// Returns the Python object of the vertex `v`: its node if the board was made from a Python
    /// graph, otherwise its name.
    pub fn node<'py>(&self, py: Python<'py>, v: u32) -> PyResult<Bound<'py, PyAny>> {
        match &self.nodes {
            Some(nodes) => nodes.nodes.bind(py).get_item(v as usize),
            None => Ok(PyString::new(py, &self.inner.name(v)).into_any()),
        }
    }

    /// Returns the Python objects of all vertices, in the order of the vertices.
    pub fn all_nodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        match &self.nodes {
            Some(nodes) => Ok(nodes.nodes.bind(py).clone()),
            None => names(py, &self.inner),
        }
    }

    /// Returns the nodes of the Python graph. `None` if there are none, or if they equal the names
    /// of the vertices.
    fn distinct_nodes<'py>(&self, py: Python<'py>) -> Option<&Bound<'py, PyTuple>> {
        self.nodes.as_ref().filter(|nodes| !nodes.are_names).map(|nodes| nodes.nodes.bind(py))
    }

    /// Returns true if both boards have equal squares, equal moves and equal Python objects.
    pub fn is_equal(&self, other: &Self, py: Python<'_>) -> PyResult<bool> {
        if std::ptr::eq(self, other) {
            return Ok(true);
        }
        Ok(self.inner == other.inner
            && match (self.distinct_nodes(py), other.distinct_nodes(py)) {
                (None, None) => true,
                (Some(own), Some(others)) => own.eq(others)?,
                _ => false,
            })
    }

    /// Returns the vertex of a Python object. The error names the argument `argument`.
    pub fn vertex(&self, node: &Bound<'_, PyAny>, argument: &str) -> PyResult<u32> {
        if let Some(nodes) = &self.nodes
            && let Ok(Some(v)) = nodes.vertices.bind(node.py()).get_item(node)
        {
            return v.extract();
        }
        let takes = match (&self.nodes, self.inner.piece()) {
            (Some(_), _) => "nodes of the graph",
            (None, None) => "vertices of the graph by name",
            (None, Some(_)) => "squares of the board that are not removed, such as \"a1\"",
        };
        match node.extract::<String>() {
            Ok(name) if self.nodes.is_none() => {
                self.inner.vertex(&name).map_err(|error| usage_error(format!("{argument}: {error}")))
            }
            _ if self.nodes.is_some() => Err(usage_error(format!(
                "the graph has no node {}; {argument} takes {takes}",
                short_repr(node)
            ))),
            _ => Err(type_error(argument, takes, node)),
        }
    }

    /// Parses the end square that `start=` or `end=` gives. Returns `None` if it is not given.
    pub fn parse_end(&self, node: Option<&Bound<'_, PyAny>>, argument: &str) -> PyResult<Option<u32>> {
        not_none(node).map(|node| self.vertex(node, argument)).transpose()
    }

    fn from_graph_object(graph: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = graph.py();
        let takes = "a graph with `nodes` and `edges`, such as a networkx.Graph";
        let wrong_type = || type_error("from_networkx", takes, graph);
        let items = |name: &str| -> PyResult<_> {
            graph.getattr(name).and_then(|node_tuple| node_tuple.try_iter()).map_err(|_| wrong_type())
        };
        let mut nodes = Vec::new();
        let vertices = PyDict::new(py);
        for node in items("nodes")? {
            let node = node?;
            vertices.set_item(&node, nodes.len() as u32)?;
            nodes.push(node);
            check_signals(py, nodes.len())?;
        }
        let vertex = |node: &Bound<'_, PyAny>| -> PyResult<usize> {
            let found = vertices.get_item(node).ok().flatten();
            found
                .ok_or_else(|| {
                    usage_error(format!("an edge ends at {}, not a node; add it", short_repr(node)))
                })?
                .extract()
        };
        if graph.hasattr("is_directed")? && graph.call_method0("is_directed")?.is_truthy()? {
            return Err(usage_error("the graph is directed; use G.to_undirected()"));
        }
        let mut edges = Vec::new();
        for (step, edge) in items("edges")?.enumerate() {
            let edge = edge?;
            let end = |at: usize| edge.get_item(at).map_err(|_| type_error("an edge", "two nodes", &edge));
            let (v, w) = (vertex(&end(0)?)?, vertex(&end(1)?)?);
            // Loops are dropped, and parallel edges are merged.
            if v != w {
                edges.push((v.min(w), v.max(w)));
            }
            check_signals(py, step)?;
        }
        edges.sort_unstable();
        edges.dedup();
        let custom_graph = CustomGraph::new(Graph::from_edges(nodes.len(), edges));
        let read: Vec<String> =
            nodes.iter().map(|node| Ok(node.str()?.to_string())).collect::<PyResult<_>>()?;
        // Nodes with equal text, such as 1 and "1", are named by their `repr`, or with their positions if
        // these are equal too.
        let custom_graph = match custom_graph.clone().with_names(&read) {
            Ok(given) => given,
            Err(_) => {
                let reprs: Vec<String> =
                    nodes.iter().map(|node| Ok(node.repr()?.to_string())).collect::<PyResult<_>>()?;
                let numbered = (1..).zip(&read).map(|(number, name)| format!("{name} (node {number})"));
                let named = custom_graph
                    .clone()
                    .with_names(reprs)
                    .or_else(|_| custom_graph.clone().with_names(numbered));
                named.unwrap_or(custom_graph)
            }
        };
        let (all, board) = (PyTuple::new(py, nodes)?, Self::from_board(custom_graph.into())?);
        let are_names = all.eq(names(py, &board.inner)?)?;
        Ok(Self {
            nodes: Some(Nodes { nodes: all.unbind(), vertices: vertices.unbind(), are_names }),
            ..board
        })
    }

    /// Returns a copy of the board.
    fn copy(&self, py: Python<'_>) -> Self {
        let nodes = self.nodes.as_ref().map(|Nodes { nodes: all, vertices, are_names }| Nodes {
            nodes: all.clone_ref(py),
            vertices: vertices.clone_ref(py),
            are_names: *are_names,
        });
        Self { inner: self.inner.clone(), nodes }
    }
}

/// Returns the names of all vertices of a board, in the order of the vertices.
fn names<'py>(py: Python<'py>, library_board: &LibraryBoard) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, (0..library_board.len() as u32).map(|v| library_board.name(v)))
}

/// Returns true if a Python value has the attributes `nodes` and `edges`.
fn has_nodes_and_edges(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(value.hasattr("nodes")? && value.hasattr("edges")?)
}

/// Returns the text form of the sides of a board, such as `6x8`.
fn sides_text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = value.extract::<String>() {
        return Ok(text);
    }
    let wrong_type = || {
        type_error("a board", "text such as \"6x8\", a side, two or three sides, a Board or a graph", value)
    };
    let side_text = |side: &Bound<'_, PyAny>| to_integer(side, "a side").map(|side| side.to_string());
    if let Ok(side) = side_text(value) {
        return Ok(side);
    }
    if value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyDict>() {
        return Err(wrong_type());
    }
    let sides: PyResult<Vec<String>> =
        value.try_iter().map_err(|_| wrong_type())?.take(4).map(|side| side_text(&side?)).collect();
    match sides {
        Ok(sides) if (2..=3).contains(&sides.len()) => Ok(sides.join("x")),
        _ => Err(wrong_type()),
    }
}

fn parse_board(size: &str, piece: &Piece, wrap: Wrap, removed: &str) -> PyResult<LibraryBoard> {
    let refuse = |error: &dyn std::fmt::Display| usage_error(format!("remove: {error}"));
    if size.contains('=') {
        return size.parse().map_err(usage_error);
    }
    if size.matches(['x', 'X']).count() == 2 {
        let sides: BoxSides = size.parse().map_err(usage_error)?;
        if wrap != Wrap::None {
            return Err(usage_error(format!(
                "wrap: the edges of the box {sides} cannot be joined; omit wrap="
            )));
        }
        let removed = parse_box_squares(removed).map_err(|error| refuse(&error))?;
        return Ok(BoxBoard::new(sides, piece.clone(), removed).map_err(|error| refuse(&error))?.into());
    }
    wrapped_board(size.parse().map_err(usage_error)?, piece, wrap, removed)
}

fn wrapped_board(board: Rectangle, piece: &Piece, wrap: Wrap, removed: &str) -> PyResult<LibraryBoard> {
    let refuse = |error: &dyn std::fmt::Display| usage_error(format!("remove: {error}"));
    let removed = parse_squares(removed).map_err(|error| refuse(&error))?;
    let board = board.without(removed).map_err(|error| refuse(&error))?;
    Ok(WrappedBoard::new(board, wrap, piece.clone()).into())
}

/// Parses the piece that `piece=` or `leaper=` gives. Default: the knight.
pub fn parse_piece(name: Option<&Bound<'_, PyAny>>, leaper: Option<&Bound<'_, PyAny>>) -> PyResult<Piece> {
    match (parse_text(name, "piece=")?, not_none(leaper)) {
        (Some(_), Some(_)) => Err(usage_error("piece= and leaper= exclude each other; omit one")),
        (Some(name), None) => name.parse().map_err(usage_error),
        (None, None) => Ok(Piece::default()),
        (None, Some(leaper)) => {
            let all: Vec<(u16, u16)> = match leaper.extract::<(u16, u16)>() {
                Ok(one) => vec![one],
                Err(_) => leaper.extract().map_err(|_| {
                    type_error("leaper=", "two numbers such as (1, 2), or a list of such pairs", leaper)
                })?,
            };
            if all.is_empty() {
                return Err(usage_error("leaper=[] has no move; give at least one, such as (1, 2)"));
            }
            let leapers: Result<Vec<Leaper>, _> = all.into_iter().map(|(a, b)| Leaper::new(a, b)).collect();
            Ok(Piece::new(leapers.map_err(usage_error)?))
        }
    }
}

/// Parses `wrap=`.
pub fn parse_wrap(name: Option<&Bound<'_, PyAny>>) -> PyResult<Wrap> {
    let name = parse_text(name, "wrap=")?;
    name.map_or(Ok(Wrap::None), |name| name.parse().map_err(|error| usage_error(format!("wrap: {error}"))))
}

/// Returns the text form of `remove=`, such as `a1,c3-d5`; `-` if no square is removed.
fn removed_text(squares: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
    let Some(squares) = not_none(squares) else { return Ok("-".to_owned()) };
    let takes = "names of squares, such as [\"a1\", \"c3\"] or \"a1,c3-d5\"";
    let text = match squares.extract::<String>() {
        Ok(text) => text,
        Err(_) => {
            let all = squares.try_iter().map_err(|_| type_error("remove=", takes, squares))?;
            let name = |name: Bound<'_, PyAny>| {
                name.extract::<String>().map_err(|_| type_error("remove=", takes, &name))
            };
            let names: PyResult<Vec<String>> = all.map(|square| name(square?)).collect();
            names?.join(",")
        }
    };
    Ok(if text.is_empty() { "-".to_owned() } else { text })
}

#[pymethods]
impl Board {
    #[new]
    #[pyo3(signature = (size, *, piece = None, leaper = None, wrap = None, remove = None))]
    fn new(
        size: &Bound<'_, PyAny>,
        piece: Option<&Bound<'_, PyAny>>,
        leaper: Option<&Bound<'_, PyAny>>,
        wrap: Option<&Bound<'_, PyAny>>,
        remove: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let has_no_options = [piece, leaper, wrap, remove].into_iter().all(|value| not_none(value).is_none());
        let is_complete = size.is_instance_of::<Self>() || has_nodes_and_edges(size)?;
        if is_complete && !has_no_options {
            return Err(usage_error(
                "a Board or a graph is complete; omit piece=, leaper=, wrap= and remove=",
            ));
        }
        if is_complete {
            return Ok(Self::from_any(size)?.get().copy(size.py()));
        }
        let text = self::sides_text(size)?;
        if text.contains('=') && !has_no_options {
            return Err(usage_error(
                "the text form of a board is complete; omit piece=, leaper=, wrap= and remove=",
            ));
        }
        let (piece, wrap) = (self::parse_piece(piece, leaper)?, self::parse_wrap(wrap)?);
        Self::from_board(parse_board(&text, &piece, wrap, &removed_text(remove)?)?)
    }

    /// Creates a board from a drawing: one line per rank, top rank first. "." is a square, "#" or a space is
    /// not; any other sign alone is a square. piece, leaper, wrap, remove: as for Board.
    ///
    /// - squares: text of the signs of squares, if several signs may be squares; all others are holes.
    /// - holes: text of the signs of holes; all others are squares.
    ///
    /// Raises UsageError (a ValueError) if the drawing or the board is invalid. Skipped text is reported as
    /// UserWarning.
    #[staticmethod]
    #[pyo3(signature = (text, *, squares = None, holes = None, piece = None, leaper = None, wrap = None, remove = None))]
    fn from_shape(
        text: &Bound<'_, PyAny>,
        squares: Option<&Bound<'_, PyAny>>,
        holes: Option<&Bound<'_, PyAny>>,
        piece: Option<&Bound<'_, PyAny>>,
        leaper: Option<&Bound<'_, PyAny>>,
        wrap: Option<&Bound<'_, PyAny>>,
        remove: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let shape: String = text.extract().map_err(|_| type_error("from_shape", "text", text))?;
        let signs =
            DrawingSigns { squares: parse_text(squares, "squares=")?, holes: parse_text(holes, "holes=")? };
        let drawing = parse_drawing(&shape, &signs).map_err(|error| match error {
            DrawingError::AmbiguousSigns { first, second } => {
                usage_error(format!("{first:?} and {second:?} may both be squares; add squares= or holes="))
            }
            error => usage_error(error),
        })?;
        for note in &drawing.notes {
            warn(text.py(), note)?;
        }
        Self::from_board(wrapped_board(
            drawing.board,
            &self::parse_piece(piece, leaper)?,
            self::parse_wrap(wrap)?,
            &removed_text(remove)?,
        )?)
    }

    /// Creates a board from a graph in text: one edge per line (two names), neighbours `v: w x`, a 0/1 matrix,
    /// DIMACS, TSPLIB (HCP), graph6 or sparse6.
    ///
    /// Warns (UserWarning) about skipped lines, repeated edges, loops and parts that are not connected. Raises
    /// UsageError (a ValueError) if the text is no graph.
    #[staticmethod]
    fn from_graph(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        let graph: String = text.extract().map_err(|_| type_error("from_graph", "text", text))?;
        let file = graph_file::parse(&graph).map_err(usage_error)?;
        for note in &file.notes {
            let category = text.py().get_type::<PyUserWarning>();
            let note = CString::new(note.as_str()).map_err(usage_error)?;
            PyErr::warn(text.py(), &category, &note, 1)?;
        }
        Self::from_board(file.graph.into())
    }

    /// Creates a list of boards from the lines of a text in graph6 or sparse6.
    ///
    /// Raises UsageError (a ValueError) if the text is no graph.
    #[staticmethod]
    fn from_graphs(text: &Bound<'_, PyAny>) -> PyResult<Vec<Self>> {
        let graphs: String = text.extract().map_err(|_| type_error("from_graphs", "text", text))?;
        let files = graph_file::parse_all(&graphs).map_err(usage_error)?;
        files.into_iter().map(|(_, file)| Self::from_board(file.graph.into())).collect()
    }

    /// Creates a board from an undirected graph of networkx, or from another object with `nodes` and `edges`.
    ///
    /// Tours are sequences of its nodes, and start= and end= take nodes. Loops are ignored, and parallel
    /// edges count once.
    ///
    /// Raises UsageError (a ValueError) for directed graphs and for edges to unknown nodes.
    #[staticmethod]
    fn from_networkx(graph: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::from_graph_object(graph)
    }

    /// Returns the graph of moves as a networkx.Graph. Its nodes are the names of the squares, or the nodes
    /// that the board was made from.
    ///
    /// If the board has a layout, the node attribute `pos` is (file, rank), from 0. Needs networkx.
    fn to_networkx<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let graph = py.import("networkx")?.getattr("Graph")?.call0()?;
        py.check_signals()?;
        let nodes = self.all_nodes(py)?;
        graph.call_method1("add_nodes_from", (&nodes,))?;
        graph.call_method1("add_edges_from", (self.moves(py)?,))?;
        if let Some(layout) = self.inner.layout() {
            for (step, (node, square)) in nodes.iter().zip(layout.positions()).enumerate() {
                check_signals(py, step)?;
                graph.getattr("nodes")?.get_item(node)?.set_item("pos", (square.file(), square.rank()))?;
            }
        }
        Ok(graph)
    }

    /// Names of the squares in order of their numbers, a tuple. For a board made from a graph: its nodes.
    #[getter]
    fn squares<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.all_nodes(py)
    }

    /// Returns all moves, each once, as a list of pairs of squares.
    fn moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let (nodes, moves) = (self.all_nodes(py)?, PyList::empty(py));
        let graph = self.inner.graph();
        for v in 0..graph.len() {
            check_signals(py, v)?;
            for &w in graph.neighbours(v).iter().filter(|&&w| v < w as usize) {
                moves.append((nodes.get_item(v)?, nodes.get_item(w as usize)?))?;
            }
        }
        Ok(moves)
    }

    /// Returns the squares that are one move from a square, as a list.
    fn neighbours<'py>(&self, square: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let (py, v) = (square.py(), self.vertex(square, "neighbours")?);
        let neighbours = self.inner.graph().neighbours(v as usize);
        PyList::new(py, neighbours.iter().map(|&w| self.node(py, w)).collect::<PyResult<Vec<_>>>()?)
    }

    /// Short title, such as "6x8" or "graph of 10 vertices".
    #[getter]
    fn title(&self) -> String {
        self.inner.title()
    }

    /// Number of symmetries, or None if they are too many or take too long to find.
    #[getter]
    fn symmetries(&self, py: Python<'_>) -> PyResult<Option<usize>> {
        self.find_symmetries(py)?;
        Ok(self.inner.has_known_symmetries().then(|| self.inner.symmetries().order()))
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, position: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        get_items(position, self.inner.len(), "square", |at| self.node(py, at as u32))
    }

    /// Returns the number of a square, as in tour.vertices. With start and stop, the number must lie between
    /// them.
    ///
    /// Raises ValueError if the square is not on the board, or its number not between start and stop.
    #[pyo3(signature = (square, start = None, stop = None))]
    fn index(
        &self,
        square: &Bound<'_, PyAny>,
        start: Option<&Bound<'_, PyAny>>,
        stop: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<usize> {
        let v = self.vertex(square, "index")? as usize;
        check_between(v, self.inner.len(), (start, stop), square)
    }

    /// Returns 1 for a square of the board, and 0 for any other value.
    fn count(&self, square: &Bound<'_, PyAny>) -> usize {
        usize::from(self.__contains__(square))
    }

    fn __contains__(&self, square: &Bound<'_, PyAny>) -> bool {
        self.vertex(square, "in").is_ok()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.all_nodes(py)?.call_method0("__iter__")
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        other.cast::<Self>().map_or(Ok(false), |board| self.is_equal(board.get(), other.py()))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
        use std::hash::{DefaultHasher, Hash as _, Hasher as _};
        let mut hasher = DefaultHasher::new();
        self.inner.to_string().hash(&mut hasher);
        if let Some(nodes) = self.distinct_nodes(py) {
            nodes.hash()?.hash(&mut hasher);
        }
        Ok(hasher.finish())
    }

    fn __str__(&self) -> String {
        self.inner.to_string()
    }

    fn __repr__(&self) -> String {
        match self.inner.piece().filter(|_| self.inner.to_string() == default_text_form(&self.inner)) {
            Some(_) => format!("Board('{}')", self.inner.title()),
            None => format!("Board('{}')", self.inner),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let pickling = py.import("ktour._pickling")?;
        let arguments = match &self.nodes {
            None => {
                return PyTuple::new(
                    py,
                    [pickling.getattr("restore_board")?, PyTuple::new(py, [self.__str__()])?.into_any()],
                );
            }
            Some(nodes) => (nodes.nodes.bind(py), PyList::new(py, self.edges())?),
        };
        (pickling.getattr("restore_graph")?, arguments).into_pyobject(py)
    }
}

impl Board {
    fn edges(&self) -> Vec<(usize, u32)> {
        let graph = self.inner.graph();
        let edges_from =
            |v: usize| graph.neighbours(v).iter().filter(move |&&w| v < w as usize).map(move |&w| (v, w));
        (0..graph.len()).flat_map(edges_from).collect()
    }
}

/// Returns the text form of the knight's board with the title of `library_board`. Empty if the
/// title is not the name of such a board.
fn default_text_form(library_board: &LibraryBoard) -> String {
    library_board
        .title()
        .parse::<LibraryBoard>()
        .map_or_else(|_| String::new(), |library_board| library_board.to_string())
}
