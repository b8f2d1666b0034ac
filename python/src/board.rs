//! `ktour.Board`: a board with a piece, or a graph.

use ktour::board::{
    Arena, Board as Rectangle, Cuboid, Given, Graph, Leaper, Piece, Sides, Surface, Wrap, cubes, drawn,
    graph_file, squares,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};

use crate::asked::{given, integer, shown, text, wrong};
use crate::attend::{listen, soon};
use crate::errors::usage;
use crate::places::{place, slots};

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
    pub arena: Arena,
    nodes: Option<Nodes>,
}

/// The nodes of the graph that a board was made from.
struct Nodes {
    all: Py<PyTuple>,
    /// Dict from each node to its vertex.
    vertices: Py<PyDict>,
    /// True if each node equals the name of its vertex. Then the board equals one without nodes.
    are_names: bool,
}

impl Board {
    /// Creates a board without nodes. A graph may be empty.
    ///
    /// # Errors
    /// A `UsageError` if all squares of a board are removed.
    fn of(arena: Arena) -> PyResult<Self> {
        if arena.is_empty() && arena.piece().is_some() {
            return Err(usage("remove= leaves no square on the board; remove fewer squares"));
        }
        Ok(Self { arena, nodes: None })
    }

    /// Converts a Python value to a board: a board, text, one side, a sequence of sides, or a graph of
    /// networkx.
    pub fn from_any<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Self>> {
        if let Ok(board) = value.cast::<Self>() {
            return Ok(board.clone());
        }
        let py = value.py();
        let made = if is_graph(value)? {
            Self::from_nodes(value)?
        } else {
            Self::of(sized(&size(value)?, &Piece::default(), Wrap::None, "-")?)?
        };
        Bound::new(py, made)
    }

    /// Finds and stores the symmetries of a custom graph. The search may take long, so Ctrl-C abandons it.
    /// For other boards this does nothing: their symmetries are known.
    pub fn find_symmetries(&self, py: Python<'_>) -> PyResult<()> {
        if self.arena.piece().is_some() {
            return Ok(());
        }
        let arena = self.arena.clone();
        soon(py, self.arena.len(), move |_| {
            let _ = arena.symmetries();
        })
    }

    /// Returns the Python object of a vertex: its node if the board was made from a graph, else its name.
    pub fn node<'py>(&self, py: Python<'py>, v: u32) -> PyResult<Bound<'py, PyAny>> {
        match &self.nodes {
            Some(nodes) => nodes.all.bind(py).get_item(v as usize),
            None => Ok(PyString::new(py, &self.arena.name(v)).into_any()),
        }
    }

    /// Returns the Python objects of all vertices, in order.
    pub fn all_nodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        match &self.nodes {
            Some(nodes) => Ok(nodes.all.bind(py).clone()),
            None => names(py, &self.arena),
        }
    }

    /// Returns the nodes, or `None` if they equal the names of the vertices.
    fn own_nodes<'py>(&self, py: Python<'py>) -> Option<&Bound<'py, PyTuple>> {
        self.nodes.as_ref().filter(|nodes| !nodes.are_names).map(|nodes| nodes.all.bind(py))
    }

    /// Returns true if squares, moves and Python objects of both boards are equal.
    pub fn is_same(&self, other: &Self, py: Python<'_>) -> PyResult<bool> {
        if std::ptr::eq(self, other) {
            return Ok(true);
        }
        Ok(self.arena == other.arena
            && match (self.own_nodes(py), other.own_nodes(py)) {
                (None, None) => true,
                (Some(own), Some(others)) => own.eq(others)?,
                _ => false,
            })
    }

    /// Returns the vertex of a Python object. `as_what` is the argument in the error.
    pub fn vertex(&self, node: &Bound<'_, PyAny>, as_what: &str) -> PyResult<u32> {
        if let Some(nodes) = &self.nodes
            && let Ok(Some(v)) = nodes.vertices.bind(node.py()).get_item(node)
        {
            return v.extract();
        }
        let takes = match (&self.nodes, self.arena.piece()) {
            (Some(_), _) => "nodes of the graph",
            (None, None) => "vertices of the graph by name",
            (None, Some(_)) => "squares of the board that are not removed, such as \"a1\"",
        };
        match node.extract::<String>() {
            Ok(name) if self.nodes.is_none() => {
                self.arena.vertex(&name).map_err(|error| usage(format!("{as_what}: {error}")))
            }
            _ if self.nodes.is_some() => {
                Err(usage(format!("the graph has no node {}; {as_what} takes {takes}", shown(node))))
            }
            _ => Err(wrong(as_what, takes, node)),
        }
    }

    /// Parses `start=` or `end=`. Returns `None` if it is not given.
    pub fn end(&self, node: Option<&Bound<'_, PyAny>>, as_what: &str) -> PyResult<Option<u32>> {
        given(node).map(|node| self.vertex(node, as_what)).transpose()
    }

    fn from_nodes(graph: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = graph.py();
        let takes = "a graph with `nodes` and `edges`, such as a networkx.Graph";
        let is_none = || wrong("from_networkx", takes, graph);
        let of = |name: &str| -> PyResult<_> {
            graph.getattr(name).and_then(|all| all.try_iter()).map_err(|_| is_none())
        };
        let mut nodes = Vec::new();
        let vertices = PyDict::new(py);
        for node in of("nodes")? {
            let node = node?;
            vertices.set_item(&node, nodes.len() as u32)?;
            nodes.push(node);
            listen(py, nodes.len())?;
        }
        let vertex = |node: &Bound<'_, PyAny>| -> PyResult<usize> {
            let found = vertices.get_item(node).ok().flatten();
            found
                .ok_or_else(|| usage(format!("an edge ends at {}, not a node; add it", shown(node))))?
                .extract()
        };
        if graph.hasattr("is_directed")? && graph.call_method0("is_directed")?.is_truthy()? {
            return Err(usage("the graph is directed; use G.to_undirected()"));
        }
        let mut edges = Vec::new();
        for (step, edge) in of("edges")?.enumerate() {
            let edge = edge?;
            let end = |at: usize| edge.get_item(at).map_err(|_| wrong("an edge", "two nodes", &edge));
            let (v, w) = (vertex(&end(0)?)?, vertex(&end(1)?)?);
            // Loops are dropped, and parallel edges are merged.
            if v != w {
                edges.push((v.min(w), v.max(w)));
            }
            listen(py, step)?;
        }
        edges.sort_unstable();
        edges.dedup();
        let given = Given::new(Graph::from_edges(nodes.len(), edges));
        let read: Vec<String> =
            nodes.iter().map(|node| Ok(node.str()?.to_string())).collect::<PyResult<_>>()?;
        // Nodes with equal text, such as 1 and "1", are named by their `repr`, or with their positions if
        // these are equal too.
        let given = match given.clone().named(&read) {
            Ok(given) => given,
            Err(_) => {
                let told: Vec<String> =
                    nodes.iter().map(|node| Ok(node.repr()?.to_string())).collect::<PyResult<_>>()?;
                let numbered = (1..).zip(&read).map(|(number, name)| format!("{name} (node {number})"));
                let named = given.clone().named(told).or_else(|_| given.clone().named(numbered));
                named.unwrap_or(given)
            }
        };
        let (all, board) = (PyTuple::new(py, nodes)?, Self::of(given.into())?);
        let are_names = all.eq(names(py, &board.arena)?)?;
        Ok(Self { nodes: Some(Nodes { all: all.unbind(), vertices: vertices.unbind(), are_names }), ..board })
    }

    /// Returns a copy of the board.
    fn copied(&self, py: Python<'_>) -> Self {
        let nodes = self.nodes.as_ref().map(|Nodes { all, vertices, are_names }| Nodes {
            all: all.clone_ref(py),
            vertices: vertices.clone_ref(py),
            are_names: *are_names,
        });
        Self { arena: self.arena.clone(), nodes }
    }
}

/// Returns the names of all vertices, in order.
fn names<'py>(py: Python<'py>, arena: &Arena) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, (0..arena.len() as u32).map(|v| arena.name(v)))
}

/// Returns true if a value has `nodes` and `edges`.
fn is_graph(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(value.hasattr("nodes")? && value.hasattr("edges")?)
}

/// Converts the sides of a board to text, such as `6x8`.
fn size(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = value.extract::<String>() {
        return Ok(text);
    }
    let is_none =
        || wrong("a board", "text such as \"6x8\", a side, two or three sides, a Board or a graph", value);
    let one = |side: &Bound<'_, PyAny>| integer(side, "a side").map(|side| side.to_string());
    if let Ok(side) = one(value) {
        return Ok(side);
    }
    if value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyDict>() {
        return Err(is_none());
    }
    let sides: PyResult<Vec<String>> =
        value.try_iter().map_err(|_| is_none())?.take(4).map(|side| one(&side?)).collect();
    match sides {
        Ok(sides) if (2..=3).contains(&sides.len()) => Ok(sides.join("x")),
        _ => Err(is_none()),
    }
}

fn sized(size: &str, piece: &Piece, wrap: Wrap, removed: &str) -> PyResult<Arena> {
    let refuse = |error: &dyn std::fmt::Display| usage(format!("remove: {error}"));
    if size.contains('=') {
        return size.parse().map_err(usage);
    }
    if size.matches(['x', 'X']).count() == 2 {
        let sides: Sides = size.parse().map_err(usage)?;
        if wrap != Wrap::None {
            return Err(usage(format!("wrap: the edges of the box {sides} cannot be joined; omit wrap=")));
        }
        let removed = cubes(removed).map_err(|error| refuse(&error))?;
        return Ok(Cuboid::new(sides, piece.clone(), removed).map_err(|error| refuse(&error))?.into());
    }
    on(size.parse().map_err(usage)?, piece, wrap, removed)
}

fn on(board: Rectangle, piece: &Piece, wrap: Wrap, removed: &str) -> PyResult<Arena> {
    let refuse = |error: &dyn std::fmt::Display| usage(format!("remove: {error}"));
    let removed = squares(removed).map_err(|error| refuse(&error))?;
    let board = board.without(removed).map_err(|error| refuse(&error))?;
    Ok(Surface::new(board, wrap, piece.clone()).into())
}

/// Parses the piece of `piece=` or `leaper=`.
pub fn piece(name: Option<&Bound<'_, PyAny>>, leaper: Option<&Bound<'_, PyAny>>) -> PyResult<Piece> {
    match (text(name, "piece=")?, given(leaper)) {
        (Some(_), Some(_)) => Err(usage("piece= and leaper= exclude each other; omit one")),
        (Some(name), None) => name.parse().map_err(usage),
        (None, None) => Ok(Piece::default()),
        (None, Some(leaper)) => {
            let all: Vec<(u16, u16)> = match leaper.extract::<(u16, u16)>() {
                Ok(one) => vec![one],
                Err(_) => leaper.extract().map_err(|_| {
                    wrong("leaper=", "two numbers such as (1, 2), or a list of such pairs", leaper)
                })?,
            };
            if all.is_empty() {
                return Err(usage("leaper=[] has no move; give at least one, such as (1, 2)"));
            }
            let leapers: Result<Vec<Leaper>, _> = all.into_iter().map(|(a, b)| Leaper::new(a, b)).collect();
            Ok(Piece::new(leapers.map_err(usage)?))
        }
    }
}

/// Parses `wrap=`.
pub fn wrap(name: Option<&Bound<'_, PyAny>>) -> PyResult<Wrap> {
    let name = text(name, "wrap=")?;
    name.map_or(Ok(Wrap::None), |name| name.parse().map_err(|error| usage(format!("wrap: {error}"))))
}

/// Converts `remove=` to text; `-` if no square is removed.
fn removed(squares: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
    let Some(squares) = given(squares) else { return Ok("-".to_owned()) };
    let takes = "names of squares, such as [\"a1\", \"c3\"] or \"a1,c3-d5\"";
    let text = match squares.extract::<String>() {
        Ok(text) => text,
        Err(_) => {
            let all = squares.try_iter().map_err(|_| wrong("remove=", takes, squares))?;
            let name =
                |name: Bound<'_, PyAny>| name.extract::<String>().map_err(|_| wrong("remove=", takes, &name));
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
        let is_plain = [piece, leaper, wrap, remove].into_iter().all(|asked| given(asked).is_none());
        let is_whole = size.is_instance_of::<Self>() || is_graph(size)?;
        if is_whole && !is_plain {
            return Err(usage("a Board or a graph is complete; omit piece=, leaper=, wrap= and remove="));
        }
        if is_whole {
            return Ok(Self::from_any(size)?.get().copied(size.py()));
        }
        let text = self::size(size)?;
        if text.contains('=') && !is_plain {
            return Err(usage(
                "the text form of a board is complete; omit piece=, leaper=, wrap= and remove=",
            ));
        }
        let (piece, wrap) = (self::piece(piece, leaper)?, self::wrap(wrap)?);
        Self::of(sized(&text, &piece, wrap, &removed(remove)?)?)
    }

    /// Creates a board from a drawing: one line per rank, top rank first. "." or a letter is a square; "#" or
    /// a space is not. piece, leaper, wrap, remove: as for Board.
    ///
    /// Raises UsageError (a ValueError) if the drawing or the board is invalid.
    #[staticmethod]
    #[pyo3(signature = (text, *, piece = None, leaper = None, wrap = None, remove = None))]
    fn from_shape(
        text: &Bound<'_, PyAny>,
        piece: Option<&Bound<'_, PyAny>>,
        leaper: Option<&Bound<'_, PyAny>>,
        wrap: Option<&Bound<'_, PyAny>>,
        remove: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let shape: String = text.extract().map_err(|_| wrong("from_shape", "text", text))?;
        let board = drawn(&shape).map_err(usage)?;
        Self::of(on(board, &self::piece(piece, leaper)?, self::wrap(wrap)?, &removed(remove)?)?)
    }

    /// Creates a board from a graph in text: one edge per line (two names), DIMACS, graph6 or sparse6.
    ///
    /// Raises UsageError (a ValueError) if the text is no graph.
    #[staticmethod]
    fn from_graph(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        let graph: String = text.extract().map_err(|_| wrong("from_graph", "text", text))?;
        Self::of(graph_file::read(&graph).map_err(usage)?.into())
    }

    /// Creates a board from an undirected graph of networkx, or from another object with `nodes` and `edges`.
    ///
    /// Tours are sequences of its nodes, and start= and end= take nodes. Loops are ignored, and parallel
    /// edges count once.
    ///
    /// Raises UsageError (a ValueError) for directed graphs and for edges to unknown nodes.
    #[staticmethod]
    fn from_networkx(graph: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::from_nodes(graph)
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
        if let Some(layout) = self.arena.layout() {
            for (step, (node, square)) in nodes.iter().zip(layout.places()).enumerate() {
                listen(py, step)?;
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
        let graph = self.arena.graph();
        for v in 0..graph.len() {
            listen(py, v)?;
            for &w in graph.neighbours(v).iter().filter(|&&w| v < w as usize) {
                moves.append((nodes.get_item(v)?, nodes.get_item(w as usize)?))?;
            }
        }
        Ok(moves)
    }

    /// Returns the squares that are one move from a square, as a list.
    fn neighbours<'py>(&self, square: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let (py, v) = (square.py(), self.vertex(square, "neighbours")?);
        let near = self.arena.graph().neighbours(v as usize);
        PyList::new(py, near.iter().map(|&w| self.node(py, w)).collect::<PyResult<Vec<_>>>()?)
    }

    /// Short title, such as "6x8" or "graph of 10 vertices".
    #[getter]
    fn title(&self) -> String {
        self.arena.title()
    }

    /// Number of symmetries, or None if they are too many or take too long to find.
    #[getter]
    fn symmetries(&self, py: Python<'_>) -> PyResult<Option<usize>> {
        self.find_symmetries(py)?;
        Ok(self.arena.knows_symmetries().then(|| self.arena.symmetries().order()))
    }

    fn __len__(&self) -> usize {
        self.arena.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, place: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        slots(place, self.arena.len(), "square", |at| self.node(py, at as u32))
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
        place(v, self.arena.len(), (start, stop), square)
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
        other.cast::<Self>().map_or(Ok(false), |board| self.is_same(board.get(), other.py()))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
        use std::hash::{DefaultHasher, Hash as _, Hasher as _};
        let mut hasher = DefaultHasher::new();
        self.arena.to_string().hash(&mut hasher);
        if let Some(nodes) = self.own_nodes(py) {
            nodes.hash()?.hash(&mut hasher);
        }
        Ok(hasher.finish())
    }

    fn __str__(&self) -> String {
        self.arena.to_string()
    }

    fn __repr__(&self) -> String {
        match self.arena.piece().filter(|_| self.arena.to_string() == plain(&self.arena)) {
            Some(_) => format!("Board('{}')", self.arena.title()),
            None => format!("Board('{}')", self.arena),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let again = py.import("ktour._pickling")?;
        let words = match &self.nodes {
            None => {
                return PyTuple::new(
                    py,
                    [again.getattr("restore_board")?, PyTuple::new(py, [self.__str__()])?.into_any()],
                );
            }
            Some(nodes) => (nodes.all.bind(py), PyList::new(py, self.edges())?),
        };
        (again.getattr("restore_graph")?, words).into_pyobject(py)
    }
}

impl Board {
    fn edges(&self) -> Vec<(usize, u32)> {
        let graph = self.arena.graph();
        let of =
            |v: usize| graph.neighbours(v).iter().filter(move |&&w| v < w as usize).map(move |&w| (v, w));
        (0..graph.len()).flat_map(of).collect()
    }
}

/// Returns the text form of the knight's board that has the title of `board`; empty if there is none.
fn plain(arena: &Arena) -> String {
    arena.title().parse::<Arena>().map_or_else(|_| String::new(), |arena| arena.to_string())
}
