//! `ktour.Board`: what a tour lives on.

use ktour::board::{
    Arena, Board as Rectangle, Cuboid, Given, Graph, Leaper, Piece, Sides, Surface, Wrap, cubes, drawn,
    graph_file, squares,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::errors::usage;

/// A board and a piece that moves on it, or any graph.
///
/// Board("6x8")              rows x columns, squares a1, b2, ...: file from the left, rank from the bottom
/// Board(8), Board((6, 8))   the same in numbers
/// Board("3x4x4")            a box: layers x rows x columns, squares a1.1, ...
///
/// piece: "knight", "king", "wazir+camel", "1,4", ...; or leaper=(1, 4), or a list of them.
/// wrap: "cols" (a cylinder), "rows", "torus", "mobius", "klein", "projective": edges that are joined.
/// remove: squares that are taken off: ["a1", "c3"], or "a1,c3-d5".
///
/// Boards are values: equal if they mean the same, hashable, picklable; str(board) is a normal form that Board(text)
/// reads back. len(board) is the number of squares, iteration gives their names.
///
/// Raises UsageError (a ValueError) if there is no such board.
#[pyclass(frozen, module = "ktour", sequence)]
pub struct Board {
    pub arena: Arena,
    /// The nodes of the graph that it was made from, and the vertex of each.
    nodes: Option<(Py<PyTuple>, Py<PyDict>)>,
}

impl Board {
    /// An arena that has squares; a graph without vertices is one all the same.
    fn of(arena: Arena) -> PyResult<Self> {
        if arena.is_empty() && arena.piece().is_some() {
            return Err(usage("remove= leaves no square on the board: remove fewer"));
        }
        Ok(Self { arena, nodes: None })
    }

    /// From whatever may stand for a board: one, text, a side, sides, or a graph of networkx.
    pub fn from_any<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Self>> {
        if let Ok(board) = value.cast::<Self>() {
            return Ok(board.clone());
        }
        let py = value.py();
        let made = if value.hasattr("nodes")? && value.hasattr("edges")? {
            Self::from_nodes(value)?
        } else {
            Self::of(sized(&size(value)?, &Piece::default(), Wrap::None, "-")?)?
        };
        Bound::new(py, made)
    }

    /// What stands for a vertex: its name, or the node it was made from.
    pub fn node<'py>(&self, py: Python<'py>, v: u32) -> PyResult<Bound<'py, PyAny>> {
        match &self.nodes {
            Some((nodes, _)) => nodes.bind(py).get_item(v as usize),
            None => Ok(PyString::new(py, &self.arena.name(v)).into_any()),
        }
    }

    /// What stands for every vertex, in order.
    pub fn all_nodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        match &self.nodes {
            Some((nodes, _)) => Ok(nodes.bind(py).clone()),
            None => PyTuple::new(py, (0..self.arena.len() as u32).map(|v| self.arena.name(v))),
        }
    }

    /// The vertex that something stands for; `as_what` is how the caller named it.
    pub fn vertex(&self, node: &Bound<'_, PyAny>, as_what: &str) -> PyResult<u32> {
        if let Some((_, vertices)) = &self.nodes
            && let Some(v) = vertices.bind(node.py()).get_item(node)?
        {
            return v.extract();
        }
        match node.extract::<String>() {
            Ok(name) => self.arena.vertex(&name).map_err(|error| {
                let takes = if self.arena.piece().is_some() {
                    "squares of the board that are not removed"
                } else {
                    "its vertices"
                };
                usage(format!("{error}: {as_what} takes {takes}"))
            }),
            Err(_) => Err(usage(format!(
                "{} is not a vertex of the graph: {as_what} takes its vertices",
                node.repr()?
            ))),
        }
    }

    /// `start=` or `end=`.
    pub fn end(&self, node: Option<&Bound<'_, PyAny>>, as_what: &str) -> PyResult<Option<u32>> {
        node.filter(|node| !node.is_none()).map(|node| self.vertex(node, as_what)).transpose()
    }

    fn from_nodes(graph: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = graph.py();
        let mut nodes = Vec::new();
        let vertices = PyDict::new(py);
        for node in graph.getattr("nodes")?.try_iter()? {
            let node = node?;
            vertices.set_item(&node, nodes.len() as u32)?;
            nodes.push(node);
        }
        let vertex = |node: &Bound<'_, PyAny>| -> PyResult<usize> {
            vertices.get_item(node)?.ok_or_else(|| usage("an edge ends at no node"))?.extract()
        };
        if graph.hasattr("is_directed")? && graph.call_method0("is_directed")?.is_truthy()? {
            return Err(usage("tours are of undirected graphs: take G.to_undirected()"));
        }
        let mut edges = Vec::new();
        for edge in graph.getattr("edges")?.try_iter()? {
            let edge = edge?;
            let (v, w) = (vertex(&edge.get_item(0)?)?, vertex(&edge.get_item(1)?)?);
            // A loop is no move, and edges side by side are one.
            if v != w {
                edges.push((v.min(w), v.max(w)));
            }
        }
        edges.sort_unstable();
        edges.dedup();
        let given = Given::new(Graph::from_edges(nodes.len(), edges));
        let names: Vec<String> =
            nodes.iter().map(|node| Ok(node.str()?.to_string())).collect::<PyResult<_>>()?;
        // Nodes that read alike are told apart by their numbers.
        let given = given.clone().named(names).unwrap_or(given);
        let nodes = PyTuple::new(py, nodes)?;
        Ok(Self { nodes: Some((nodes.unbind(), vertices.unbind())), ..Self::of(given.into())? })
    }
}

/// The sides as text.
fn size(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = value.extract::<String>() {
        return Ok(text);
    }
    if let Ok(side) = value.extract::<u32>() {
        return Ok(side.to_string());
    }
    let sides: Vec<u32> = value.extract().map_err(|_| {
        PyTypeError::new_err(
            "a board is a Board, text such as \"6x8\", a side, two or three sides, or a graph",
        )
    })?;
    Ok(sides.iter().map(ToString::to_string).collect::<Vec<_>>().join("x"))
}

fn sized(size: &str, piece: &Piece, wrap: Wrap, removed: &str) -> PyResult<Arena> {
    let refuse = |error: &dyn std::fmt::Display| usage(format!("remove: {error}"));
    if size.contains('=') {
        return size.parse().map_err(usage);
    }
    if size.matches(['x', 'X']).count() == 2 {
        let sides: Sides = size.parse().map_err(usage)?;
        if wrap != Wrap::None {
            return Err(usage(format!("wrap: the edges of a box, such as {sides}, are not joined")));
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

/// The piece of `piece=` or `leaper=`.
pub fn piece(name: Option<&str>, leaper: Option<&Bound<'_, PyAny>>) -> PyResult<Piece> {
    match (name, leaper) {
        (Some(_), Some(_)) => Err(usage("piece= and leaper= are two ways to name it: take one")),
        (Some(name), None) => name.parse().map_err(usage),
        (None, None) => Ok(Piece::default()),
        (None, Some(leaper)) => {
            let all: Vec<(u16, u16)> = match leaper.extract::<(u16, u16)>() {
                Ok(one) => vec![one],
                Err(_) => leaper.extract().map_err(|_| {
                    usage("leaper= takes two numbers such as (1, 2), or a list of such pairs")
                })?,
            };
            let leapers: Result<Vec<Leaper>, _> = all.into_iter().map(|(a, b)| Leaper::new(a, b)).collect();
            Ok(Piece::new(leapers.map_err(usage)?))
        }
    }
}

/// `wrap=`.
pub fn wrap(name: Option<&str>) -> PyResult<Wrap> {
    name.map_or(Ok(Wrap::None), |name| name.parse().map_err(usage))
}

/// `remove=` as text.
fn removed(squares: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
    let Some(squares) = squares.filter(|squares| !squares.is_none()) else { return Ok("-".to_owned()) };
    let text = match squares.extract::<String>() {
        Ok(text) => text,
        Err(_) => {
            let names: PyResult<Vec<String>> = squares.try_iter()?.map(|name| name?.extract()).collect();
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
        piece: Option<&str>,
        leaper: Option<&Bound<'_, PyAny>>,
        wrap: Option<&str>,
        remove: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let text = self::size(size)?;
        let is_plain = piece.is_none() && leaper.is_none() && wrap.is_none() && remove.is_none();
        if text.contains('=') && !is_plain {
            return Err(usage(
                "a normal form says all of a board: leave out piece=, leaper=, wrap= and remove=",
            ));
        }
        let (piece, wrap) = (self::piece(piece, leaper)?, self::wrap(wrap)?);
        Self::of(sized(&text, &piece, wrap, &removed(remove)?)?)
    }

    /// A board drawn in text: a line a rank, the top rank first, `.` or a letter a square, `#` or a space none.
    #[staticmethod]
    #[pyo3(signature = (text, *, piece = None, leaper = None, wrap = None, remove = None))]
    fn from_shape(
        text: &str,
        piece: Option<&str>,
        leaper: Option<&Bound<'_, PyAny>>,
        wrap: Option<&str>,
        remove: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let board = drawn(text).map_err(usage)?;
        Self::of(on(board, &self::piece(piece, leaper)?, self::wrap(wrap)?, &removed(remove)?)?)
    }

    /// A graph in text: an edge a line (two names), DIMACS, graph6 or sparse6.
    #[staticmethod]
    fn from_graph(text: &str) -> PyResult<Self> {
        Self::of(graph_file::read(text).map_err(usage)?.into())
    }

    /// A graph of networkx, or anything else with `nodes` and `edges`.
    ///
    /// Tours of it are sequences of its nodes, and start= and end= take nodes. Loops and parallel edges do not count.
    #[staticmethod]
    fn from_networkx(graph: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::from_nodes(graph)
    }

    /// The graph of moves as a networkx.Graph: nodes are squares (or the nodes it was made from).
    ///
    /// Where squares lie somewhere, the node attribute `pos` is (file, rank), from 0. Needs networkx.
    fn to_networkx<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let graph = py.import("networkx")?.getattr("Graph")?.call0()?;
        let nodes = self.all_nodes(py)?;
        graph.call_method1("add_nodes_from", (&nodes,))?;
        graph.call_method1("add_edges_from", (self.moves(py)?,))?;
        if let Some(layout) = self.arena.layout() {
            for (node, square) in nodes.iter().zip(layout.places()) {
                graph.getattr("nodes")?.get_item(node)?.set_item("pos", (square.file(), square.rank()))?;
            }
        }
        Ok(graph)
    }

    /// The names of the squares in order of their numbers; of a graph its nodes.
    #[getter]
    fn squares<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.all_nodes(py)
    }

    /// All moves, each once, as pairs of squares.
    fn moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let (nodes, moves) = (self.all_nodes(py)?, PyList::empty(py));
        let graph = self.arena.graph();
        for v in 0..graph.len() {
            for &w in graph.neighbours(v).iter().filter(|&&w| v < w as usize) {
                moves.append((nodes.get_item(v)?, nodes.get_item(w as usize)?))?;
            }
        }
        Ok(moves)
    }

    /// The squares that a move leads to from a square.
    fn neighbours<'py>(&self, square: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let (py, v) = (square.py(), self.vertex(square, "neighbours")?);
        let near = self.arena.graph().neighbours(v as usize);
        PyList::new(py, near.iter().map(|&w| self.node(py, w)).collect::<PyResult<Vec<_>>>()?)
    }

    /// What it is called where a few letters have to do: "6x8", "graph of 10 vertices".
    #[getter]
    fn title(&self) -> String {
        self.arena.title()
    }

    /// How many symmetries it has, or None where they are too many to be found.
    #[getter]
    fn symmetries(&self) -> Option<usize> {
        self.arena.knows_symmetries().then(|| self.arena.symmetries().order())
    }

    fn __len__(&self) -> usize {
        self.arena.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, place: isize) -> PyResult<Bound<'py, PyAny>> {
        let len = self.arena.len() as isize;
        let own = if place < 0 { place + len } else { place };
        if !(0..len).contains(&own) {
            return Err(pyo3::exceptions::PyIndexError::new_err(format!(
                "there is no square {place} of {len}"
            )));
        }
        self.node(py, own as u32)
    }

    fn __contains__(&self, square: &Bound<'_, PyAny>) -> bool {
        self.vertex(square, "in").is_ok()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.all_nodes(py)?.call_method0("__iter__")
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| other.get().arena == self.arena)
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash as _, Hasher as _};
        let mut hasher = DefaultHasher::new();
        self.arena.to_string().hash(&mut hasher);
        hasher.finish()
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
        let again = py.import("ktour._again")?;
        let words = match &self.nodes {
            None => {
                return PyTuple::new(
                    py,
                    [again.getattr("board")?, PyTuple::new(py, [self.__str__()])?.into_any()],
                );
            }
            Some((nodes, _)) => (nodes.bind(py), PyList::new(py, self.edges())?),
        };
        (again.getattr("graph")?, words).into_pyobject(py)
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

/// The normal form of the plain board of the knight that is called the same.
fn plain(arena: &Arena) -> String {
    arena.title().parse::<Arena>().map_or_else(|_| String::new(), |arena| arena.to_string())
}
