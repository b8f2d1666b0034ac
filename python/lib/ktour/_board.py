"""Boards."""

from __future__ import annotations

import math
import operator
import os
import sys
import warnings
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, Dict, List, Optional, SupportsIndex, Tuple, Union, final

from . import _ktour
from ._errors import InvalidInputError, short_repr
from ._svg import Svg
from ._types import GraphLike, Leaper, Moves, Square, Wrap

if TYPE_CHECKING:
    import networkx

# A grid has at most this many places for each node; other positions are drawn as a graph.
PLACES_PER_NODE = 64
# And at most this many files and ranks.
MAX_PLACES = 1000
# Notebooks show larger boards as text.
MAX_NOTEBOOK_SQUARES = 1000
# Greater coordinates are not drawn.
MAX_COORDINATE = 1e300


@final
class Board(_ktour.BoardBase, Sequence[Any]):
    """A board with a piece that moves on it, or any graph.

    A board is a sequence of the names of its squares. Boards of squares are equal if sides, piece, joined edges and
    removed squares are equal; graphs are equal if nodes and edges are equal, wherever they are drawn. A board of
    squares does not equal its graph of moves, which may have more symmetries. Boards are hashable and picklable, and
    notebooks show them as pictures. ``Board(str(board))`` is an equal board, unless the board was made from a graph
    whose nodes are not text.

    Parameters
    ----------
    size : str, int, tuple of int, Board, graph, dict, or list of edges
        Sides of a rectangle, rows first: ``"6x8"``, ``(6, 8)``, or ``8`` for 8x8; or of a box: ``"3x4x4"``,
        layers first. Squares of rectangles are a1, b2, ...: file from the left, rank from the bottom. A graph is
        converted by `from_networkx`; a dict maps each node to its neighbours. A list of edges is a list, set,
        iterator or array of pairs of nodes; without pairs it is the graph without nodes.
    piece : str, optional
        ``"knight"``, ``"king"``, ``"wazir+camel"``, ``"1,4"``, ... Default: the knight.
    leaper : tuple of int, or list of them, optional
        The piece as one pair ``(1, 4)``, or as several. Excludes `piece`.
    wrap : {"none", "cols", "rows", "torus", "mobius", "klein", "projective"}, optional
        Joined edges; "cols" is a cylinder, and is also called "cylinder". Default: none.
    remove : iterable of str, or str, optional
        Removed squares: ``["a1", "c3"]`` or ``"a1,c3-d5"``.

    Raises
    ------
    InvalidInputError
        If there is no such board.

    Examples
    --------
    >>> board = ktour.Board("6x8", remove=["a1", "h6"])
    >>> len(board), board[0], board.index("c3")
    (46, 'b1', 17)
    >>> ktour.count(ktour.Board("4x4", piece="king"), "closed")
    2830
    """

    __slots__ = ("_base", "_pos")
    _pos: Optional[Dict[Any, Tuple[Any, Any]]]
    _base: Optional[Board]

    def __new__(
        cls,
        size: BoardLike,
        *,
        piece: Optional[str] = None,
        leaper: Optional[Leaper] = None,
        wrap: Optional[Wrap] = None,
        remove: Union[str, Iterable[str], None] = None,
    ) -> Board:
        if isinstance(size, Iterator):
            size = list(size)
        is_graph = isinstance(size, Mapping) or _is_graph(size) or _edge_list(size) is not None
        text = str(size) if isinstance(size, Board) else "" if is_graph else _size_text(size)
        has_options = any(value is not None for value in (piece, leaper, wrap, remove))
        if has_options and (is_graph or "=" in text):
            raise InvalidInputError("a Board or a graph is complete; omit piece=, leaper=, wrap= and remove=")
        if isinstance(size, Board):
            if size._is_restricted:
                return cls(size.unrestricted)._restricted(size._required, size._forbidden)
            if size._has_nodes:
                return cls._from_edges(size.squares, size._edges, size._pos)
        elif is_graph:
            return cls.from_networkx(size)  # type: ignore[arg-type]
        removed = _removed_text(remove)
        return cls._from_data(_ktour.parse_board(text, piece, leaper_moves(leaper), wrap or "none", removed))

    @classmethod
    def _from_data(cls, data: _ktour.BoardData, vertices: Optional[Dict[Any, int]] = None) -> Board:
        """Creates a board from a board of the library. vertices: numbers of the nodes of a graph."""
        self: Board = _ktour.BoardBase.__new__(cls, data, vertices)
        self._pos = None
        self._base = None
        return self

    @classmethod
    def _from_edges(
        cls,
        nodes: Iterable[Any],
        edges: List[Tuple[int, int]],
        pos: Optional[Dict[Any, Tuple[Any, Any]]],
    ) -> Board:
        """Creates the board of a graph. edges: pairs of positions in nodes."""
        return cls._from_noted_edges(nodes, edges, pos)[0]

    @classmethod
    def _from_noted_edges(
        cls,
        nodes: Iterable[Any],
        edges: List[Tuple[int, int]],
        pos: Optional[Dict[Any, Tuple[Any, Any]]],
    ) -> Tuple[Board, List[str]]:
        """Creates the board of a graph. Also returns notes on parts that are not connected."""
        vertices = {node: number for number, node in enumerate(nodes)}
        places = _places(vertices, pos)
        picture = None if places else _picture_positions(vertices, pos)
        data, notes = _ktour.make_graph(_names(vertices), edges, places, picture)
        self = cls._from_data(data, vertices)
        self._pos = pos
        return self, notes

    @classmethod
    def from_shape(
        cls,
        text: str,
        *,
        squares: Optional[str] = None,
        holes: Optional[str] = None,
        piece: Optional[str] = None,
        leaper: Optional[Leaper] = None,
        wrap: Optional[Wrap] = None,
        remove: Union[str, Iterable[str], None] = None,
    ) -> Board:
        """Create a board from a drawing.

        Skipped text is reported as UserWarning.

        Parameters
        ----------
        text : str
            One line per rank, top rank first. "." is a square, "#" or a space is not; any other sign alone is a
            square.
        squares : str, optional
            Signs of squares, if several signs may be squares; all others are holes.
        holes : str, optional
            Signs of holes; all others are squares.
        piece, leaper, wrap, remove
            As for `Board`.

        Returns
        -------
        Board

        Raises
        ------
        InvalidInputError
            If the drawing or the board is invalid.

        Examples
        --------
        >>> ring = ktour.Board.from_shape("...\\n.#.\\n...")
        >>> ktour.count(ring, "closed")
        1
        """
        removed = _removed_text(remove)
        moves = leaper_moves(leaper)
        data, notes = _ktour.parse_shape(text, squares, holes, piece, moves, wrap or "none", removed)
        _warn(notes)
        return cls._from_data(data)

    @classmethod
    def from_graph(cls, text: str) -> Board:
        """Create a board from a graph in text. `Board` and `from_networkx` take graph objects.

        Skipped lines, repeated edges, loops and parts that are not connected are reported as UserWarning.

        Parameters
        ----------
        text : str
            One edge per line (two names), neighbours ``v: w x``, a 0/1 matrix, DIMACS, TSPLIB (HCP), graph6 or
            sparse6.

        Returns
        -------
        Board

        Raises
        ------
        InvalidInputError
            If the text is no graph.

        Examples
        --------
        >>> ktour.Board.from_graph("a b\\nb c\\nc a").squares
        ('a', 'b', 'c')
        """
        if not isinstance(text, str):
            remedy = "read its text first" if isinstance(text, os.PathLike) else "use ktour.Board(graph)"
            raise TypeError(f"from_graph takes text, not {short_repr(text)}; {remedy}")
        data, notes = _ktour.parse_graph(text)
        _warn(notes)
        return cls._from_data(data)

    @classmethod
    def from_graphs(cls, text: str) -> List[Board]:
        """Create a list of boards from graphs in text.

        Parameters
        ----------
        text : str
            One graph per line, in graph6 or sparse6.

        Returns
        -------
        list of Board

        Raises
        ------
        InvalidInputError
            If a line is no graph.

        Examples
        --------
        >>> [ktour.count(board, "closed") for board in ktour.Board.from_graphs("Bw\\nC~")]
        [1, 3]
        """
        return [cls._from_data(data) for data in _ktour.parse_graphs(text)]

    @classmethod
    def from_networkx(
        cls, graph: Union[GraphLike, Mapping[Any, Iterable[Any]], Iterable[Edge]]
    ) -> Board:
        """Create a board from a graph, whose nodes become the squares.

        Loops are ignored, and repeated edges count once. Both, and parts that are not connected, are reported as
        UserWarning. The node attribute ``pos`` becomes `pos`, and pictures are drawn there; places of a grid give
        a board.

        Parameters
        ----------
        graph : networkx.Graph, another object with `nodes` and `edges`, dict, or list of edges
            An undirected graph. A dict maps each node to its neighbours. An edge is a tuple that begins with its two
            nodes, or a list or set of two nodes, or a row of an array of integers. The list may also be a set or an
            iterator.

        Returns
        -------
        Board

        Raises
        ------
        InvalidInputError
            If the graph is directed, a node is None, or an edge ends at an unknown node.

        Examples
        --------
        >>> import networkx as nx
        >>> ktour.count(ktour.Board.from_networkx(nx.petersen_graph()), "paths")
        120
        """
        pos = None
        nodes: Iterable[Any]
        edges: Iterable[Any]
        if isinstance(graph, Iterator):
            graph = list(graph)
        listed = None if _is_graph(graph) else _edge_list(graph)
        if isinstance(graph, Mapping):
            neighbours = _neighbour_lists(graph)
            nodes = dict.fromkeys([*neighbours, *(w for all_w in neighbours.values() for w in all_w)])
            edges = ((v, w) for v, all_w in neighbours.items() for w in all_w)
        elif _is_graph(graph):
            nodes, edges = getattr(graph, "nodes"), getattr(graph, "edges")
            if not isinstance(nodes, Iterable) or not isinstance(edges, Iterable):
                raise TypeError(f"nodes and edges of {short_repr(graph)} cannot be iterated; use a list of its edges")
            if getattr(graph, "is_directed", bool)():
                raise InvalidInputError("the graph is directed; use G.to_undirected()")
            pos = _node_positions(graph)
        elif listed is not None:
            edges = listed
            nodes = (node for edge in listed for node in edge[:2])
        else:
            takes = "an object with nodes and edges, such as a networkx.Graph, a dict from nodes to their neighbours"
            raise TypeError(f"a graph is {takes}, or a list of edges, not {short_repr(graph)}")
        vertices = _number_nodes(nodes)
        if None in vertices:
            raise InvalidInputError("a node is None, which stands for no square in start= and end=; rename it")
        pairs: List[Tuple[int, int]] = []
        loops = 0
        for edge in edges:
            try:
                ends = edge[0], edge[1]
            except (TypeError, LookupError):
                raise TypeError(f"an edge is a pair of nodes, not {short_repr(edge)}") from None
            try:
                v, w = vertices[ends[0]], vertices[ends[1]]
            except KeyError as error:
                raise InvalidInputError(f"an edge ends at {error}, which is not a node; add it") from None
            except TypeError:
                raise TypeError(f"the nodes of the edge {short_repr(edge)} are not hashable; use tuples") from None
            if v != w:
                pairs.append((v, w))
            else:
                loops += 1
        # The neighbours of a dict name an edge once in each direction.
        different = {pair if isinstance(graph, Mapping) else (min(pair), max(pair)) for pair in pairs}
        board, parts = cls._from_noted_edges(vertices, pairs, pos)
        repeated = len(pairs) - len(different)
        notes = [f"{loops} edges of a node to itself are ignored"] if loops > 1 else []
        notes += ["1 edge of a node to itself is ignored"] if loops == 1 else []
        plural = "s" if repeated > 1 else ""
        notes += [f"edges given more than once count once: {repeated} repetition{plural}"] if repeated else []
        _warn([*notes, *parts])
        return board

    def to_networkx(self) -> networkx.Graph[Any]:
        """Return the graph of moves. Needs networkx.

        Returns
        -------
        networkx.Graph
            Its nodes are the squares. The node attribute ``pos`` is that of `pos`, if the board has one.

        Examples
        --------
        >>> ktour.Board("6x6").to_networkx().nodes["c2"]
        {'pos': (2, 1)}
        """
        graph: networkx.Graph[Any] = import_networkx().Graph()
        graph.add_nodes_from(self.squares)
        graph.add_edges_from(self.moves())
        for square, place in (self.pos or {}).items():
            graph.nodes[square]["pos"] = place
        return graph

    @property
    def squares(self) -> Tuple[Square, ...]:
        """Names of the squares, or the nodes of the graph, in order of their numbers."""
        return self._squares

    @property
    def pos(self) -> Optional[Dict[Square, Tuple[Any, Any]]]:
        """Dict from each square to its (file, rank), from 0, or to the ``pos`` of its node; None if the board has none."""
        if self._pos is not None:
            return dict(self._pos)
        places = self._positions
        return None if places is None else dict(zip(self.squares, places))

    def restrict(
        self,
        require: Moves = (),
        forbid: Moves = (),
    ) -> Board:
        """Return this board with moves that all tours must or must not contain.

        All functions use only such tours: they count, list, sample and number them. The restrictions replace those
        of this board. The board of a `Tour` has none.

        Parameters
        ----------
        require : iterable of sequences of squares, or str
            Moves that every tour contains, in either direction: ``[("a1", "b3"), ("c2", "e1", "g2")]``, where three
            squares are two moves, or ``"a1-b3,c2-e1-g2"``.
        forbid : iterable of sequences of squares, or str
            Moves that no tour contains.

        Returns
        -------
        Board

        Raises
        ------
        InvalidInputError
            If no move joins two squares, or no tour can contain the moves: three at a square, or a cycle.

        See Also
        --------
        next_moves : The number of tours that each next move leaves.

        Examples
        --------
        >>> board = ktour.Board("6x6").restrict(require=[("c3", "d5", "f6")], forbid="d3-b4")
        >>> ktour.count(board, "closed")
        575
        >>> board.required
        [('c3', 'd5'), ('d5', 'f6')]
        """
        return self._restricted(self._to_moves(require, "require"), self._to_moves(forbid, "forbid"))

    def _restricted(self, required: List[Tuple[int, int]], forbidden: List[Tuple[int, int]]) -> Board:
        """Returns this board with restrictions, as pairs of numbers."""
        base = self.unrestricted
        if not required and not forbidden:
            return base
        vertices = {node: number for number, node in enumerate(base.squares)} if base._has_nodes else None
        board = self._from_data(base._restricted_data(required, forbidden), vertices)
        board._base, board._pos = base, base._pos
        return board

    def _to_moves(self, moves: Moves, argument: str) -> List[Tuple[int, int]]:
        """Returns moves as pairs of numbers. argument: the name for errors."""
        if not isinstance(moves, Iterable) or isinstance(moves, (bytes, bytearray)):
            example = '[("a1", "b3")]'
            raise TypeError(f"{argument} takes moves such as {example}, or text, not {short_repr(moves)}")
        sequences: List[List[int]] = []
        for item in [moves] if isinstance(moves, str) else moves:
            if isinstance(item, str):
                sequences += self._parse_moves(item, argument)
                continue
            try:
                squares = list(item)
            except TypeError:
                example = "('a1', 'b3')"
                raise TypeError(f"{argument} takes sequences of squares such as {example}, not {short_repr(item)}") from None
            sequences.append([self._number(square, argument) for square in squares])
            if len(sequences[-1]) < 2:
                raise InvalidInputError(f"{argument}: {short_repr(item)} is not a move; give two or more squares")
        return [(v, w) for sequence in sequences for v, w in zip(sequence, sequence[1:])]

    @property
    def unrestricted(self) -> Board:
        """This board without required and forbidden moves."""
        if not self._is_restricted:
            return self
        if self._base is None:
            self._base = self._from_data(self._unrestricted_data())
        return self._base

    @property
    def required(self) -> List[Tuple[Square, Square]]:
        """Moves that every tour contains, as pairs of squares."""
        return [(self.squares[v], self.squares[w]) for v, w in self._required]

    @property
    def forbidden(self) -> List[Tuple[Square, Square]]:
        """Moves that no tour contains, as pairs of squares."""
        return [(self.squares[v], self.squares[w]) for v, w in self._forbidden]

    @property
    def title(self) -> str:
        """Short title, such as "6x8", "6x8 piece=0,1+1,1 remove=a1" or "graph of 10 vertices"."""
        return self._title

    @property
    def symmetries(self) -> Optional[int]:
        """Number of symmetries, or None if they are too many or take too long to find. Those of a graph are searched."""
        return self._count_symmetries()

    def moves(self) -> List[Tuple[Square, Square]]:
        """Return all moves, each once, as pairs of squares.

        Returns
        -------
        list of tuple

        Examples
        --------
        >>> ktour.Board("2x3").moves()
        [('a1', 'c2'), ('c1', 'a2')]
        """
        squares = self.squares
        return [(squares[v], squares[w]) for v, w in self._edges]

    def svg(self) -> Svg:
        """Draw the board with its moves. Required moves are broad, forbidden moves dashed.

        Returns
        -------
        Svg
            The SVG text, a str.

        Examples
        --------
        >>> ktour.Board("5x6", wrap="torus", remove=["c3"]).svg()[:4]
        '<svg'
        """
        return Svg(_ktour.board_svg(self))

    def _repr_svg_(self) -> Optional[Svg]:
        return None if len(self) > MAX_NOTEBOOK_SQUARES else self.svg()

    def neighbours(self, square: Square) -> List[Square]:
        """Return the squares that are one move from a square.

        Parameters
        ----------
        square : square
            Name of a square, or node of a graph.

        Returns
        -------
        list

        Raises
        ------
        InvalidInputError
            If the square is not on the board.

        Examples
        --------
        >>> ktour.Board("8x8").neighbours("a1")
        ['c2', 'b3']
        """
        squares = self.squares
        return [squares[v] for v in self._neighbours(self._number(square, "square"))]

    # The name that networkx uses.
    neighbors = neighbours

    def index(self, square: Square, start: int = 0, stop: Optional[int] = None) -> int:
        """Return the number of a square, as in ``tour.vertices``.

        Parameters
        ----------
        square : square
            Name of a square, or node of a graph.
        start, stop : int, optional
            Numbers between which the number of the square must lie, as for ``list.index``.

        Returns
        -------
        int

        Raises
        ------
        ValueError
            If the square is not on the board, or its number not between `start` and `stop`.

        Examples
        --------
        >>> ktour.Board("8x8").index("b1")
        1
        """
        number = self._number(square, "square")
        if number in positions_between(start, stop, len(self)):
            return number
        raise ValueError(f"{square!r} is not between start and stop")

    def count(self, square: object) -> int:
        """Return 1 for a square of the board, and 0 for any other value.

        Parameters
        ----------
        square : object
            Any value.

        Returns
        -------
        int
        """
        return int(square in self)

    def __contains__(self, square: object) -> bool:
        return self._has(square)

    def __getitem__(self, position: Any) -> Any:
        try:
            found = self.squares[position]
        except IndexError:
            raise IndexError(f"there is no square {position}; the board has {len(self)}") from None
        except TypeError:
            remedy = "use board.index(square) for the number of a square"
            raise TypeError(f"an index of a board is an int or a slice, not {short_repr(position)}; {remedy}") from None
        return list(found) if isinstance(position, slice) else found

    def __iter__(self) -> Any:
        return iter(self.squares)

    def __eq__(self, other: object) -> bool:
        return self._is_equal(other) if isinstance(other, Board) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        if self._text.startswith("graph="):
            return f"<board: {self._title}>"
        # A title of several words is not read as a board.
        return f"Board('{self._text if ' ' in self._title else self._title}')"

    def __reduce__(self) -> Tuple[Any, ...]:
        from ._pickling import restore_graph, restore_restricted

        if self._is_restricted:
            return restore_restricted, (self.unrestricted, self._required, self._forbidden)
        if self._has_nodes:
            return restore_graph, (self.squares, self._edges, self._pos)
        return Board, (self._text,)


Edge = Union[Sequence[Any], Set[Any]]
"""An edge of a graph: a tuple that begins with two nodes, or a list or set of two nodes."""

BoardLike = Union[
    Board, str, SupportsIndex, Sequence[SupportsIndex], GraphLike, Mapping[Any, Iterable[Any]], Iterable[Edge]
]
"""A Board, "6x8", 8, (6, 8), a graph of networkx, a dict from nodes to their neighbours, or a list of edges."""


def import_networkx() -> Any:
    """Imports networkx."""
    try:
        import networkx
    except ModuleNotFoundError:
        raise ModuleNotFoundError("networkx is not installed; use pip install 'ktour[all]'") from None
    return networkx


def to_board(value: BoardLike) -> Board:
    """Converts an argument to a board."""
    return value if isinstance(value, Board) else Board(value)


def positions_between(start: int, stop: Optional[int], length: int) -> range:
    """Returns the positions in a sequence of a length that lie between two positions, as for ``list.index``."""
    try:
        return range(*slice(start, stop).indices(length))
    except TypeError:
        raise TypeError(f"start and stop are integers, not {short_repr(start)} and {short_repr(stop)}") from None


def to_whole(value: Any) -> int:
    """Returns a whole number as an int. Raises TypeError for other values, also for True and False."""
    if isinstance(value, bool):
        raise TypeError("a bool is not a number")
    return operator.index(value)


def to_number(board: Board, square: Square, argument: str) -> Optional[int]:
    """Returns the number of an optional square. The error names the argument."""
    return None if square is None else board._number(square, argument)


def _is_graph(value: object) -> bool:
    return not isinstance(value, Board) and hasattr(value, "nodes") and hasattr(value, "edges")


def _edge_list(value: object) -> Optional[List[Sequence[Any]]]:
    """Returns the edges in a list, tuple, set or array of edges, or None for other values."""
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and len(shape) == 2:
        # An array of numpy.
        if shape[1] == 2 and getattr(getattr(value, "dtype", None), "kind", "") in "iu":
            return list(getattr(value, "tolist")())
        remedy = "use an array of integers of shape (edges, 2), or networkx.from_numpy_array for a matrix"
        raise TypeError(f"a board is not an array of shape {shape} and type {getattr(value, 'dtype', '')}; {remedy}")
    if not isinstance(value, (Sequence, Set)) or isinstance(value, (str, bytes, Board, Mapping)):
        return None
    return [tuple(edge) for edge in value] if all(map(_is_edge, value)) else None


def _is_edge(value: object) -> bool:
    """Returns true for a tuple that begins with two nodes, and for a list or set of two nodes."""
    return (isinstance(value, tuple) and len(value) >= 2) or (isinstance(value, (list, Set)) and len(value) == 2)


def _number_nodes(nodes: Iterable[Any]) -> Dict[Any, int]:
    """Returns a dict from each node to its number."""
    vertices: Dict[Any, int] = {}
    for node in nodes:
        try:
            vertices.setdefault(node, len(vertices))
        except TypeError:
            raise TypeError(f"the node {short_repr(node)} is not hashable; use a tuple") from None
    return vertices


def _neighbour_lists(graph: Mapping[Any, Any]) -> Dict[Any, List[Any]]:
    """Returns the neighbours of each node of a dict."""
    # The views G.edges and G.nodes of networkx are mappings to attributes, and sets.
    if isinstance(graph, Set):
        raise TypeError(f"{type(graph).__name__} is a part of a graph; pass the graph itself, or list(G.edges)")
    neighbours = {}
    for node, others in graph.items():
        if isinstance(others, (str, bytes)) or not isinstance(others, Iterable):
            raise TypeError(f"the neighbours of {short_repr(node)} are {short_repr(others)}; use a list of nodes")
        neighbours[node] = list(others)
        for other in neighbours[node]:
            if not isinstance(other, Hashable):
                raise TypeError(f"the neighbour {short_repr(other)} of {short_repr(node)} is not hashable; use a tuple")
    return neighbours


def _size_text(size: Any) -> str:
    """Returns the sides of a board as text, such as "6x8"."""
    if isinstance(size, str):
        return size
    try:
        # A set has no order, and the elements of bytes are characters.
        if isinstance(size, (Set, bytes, bytearray)):
            raise TypeError
        try:
            sides = list(size)
        except TypeError:
            sides = [size]
        if not 1 <= len(sides) <= 3:
            raise TypeError
        return "x".join(str(to_whole(side)) for side in sides)
    except TypeError:
        takes = 'text such as "6x8", one to three sides, a Board, a graph of networkx, a dict from nodes to neighbours'
        raise TypeError(f"a board is {takes}, or a list of edges, which are pairs, not {short_repr(size)}") from None


def _removed_text(remove: Union[str, Iterable[str], None]) -> str:
    """Returns the removed squares as text, such as "a1,c3-d5", or "-" for none."""
    if remove is None:
        return "-"
    try:
        return (remove if isinstance(remove, str) else ",".join(remove)) or "-"
    except TypeError:
        raise TypeError(f"remove takes names of squares, not {short_repr(remove)}") from None


def leaper_moves(leaper: Optional[Leaper]) -> Optional[List[Tuple[int, int]]]:
    """Returns the moves of a leaper as a list of pairs."""
    if leaper is None:
        return None
    try:
        moves: List[Any] = list(leaper)
        pairs = [tuple(map(to_whole, pair)) for pair in (moves if _is_nested(moves) else [moves])]
        if any(len(pair) != 2 for pair in pairs):
            raise TypeError
    except TypeError:
        raise TypeError(f"leaper takes a pair such as (1, 2), or several, not {short_repr(leaper)}") from None
    return pairs  # type: ignore[return-value]


def _is_nested(moves: List[Any]) -> bool:
    return not moves or isinstance(moves[0], Iterable)


def _names(nodes: Iterable[Any]) -> List[str]:
    """Returns different names of nodes: their text, else their repr, else their text with their positions."""
    for text in (str, repr):
        names = [_without_surrogates(text(node)) for node in nodes]
        if len(set(names)) == len(names) and "" not in names:
            return names
    names = [_without_surrogates(str(node)) for node in nodes]
    return [f"{name} (node {number})" for number, name in enumerate(names, 1)]


def _without_surrogates(name: str) -> str:
    """Returns text in which escapes replace lone surrogates, which are in the names of files with other encodings."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def _node_positions(graph: Any) -> Optional[Dict[Any, Any]]:
    """Returns the node attribute `pos` of a graph of networkx, if all nodes have one."""
    if not hasattr(graph.nodes, "data"):
        return None
    pos = dict(graph.nodes.data("pos"))
    missing = [node for node, place in pos.items() if place is None]
    if 0 < len(missing) < len(pos):
        _warn([f"pos is ignored, because {len(missing)} nodes such as {short_repr(missing[0])} have none"])
    return None if missing else pos


def _places(nodes: Iterable[Any], pos: Optional[Dict[Any, Any]]) -> Optional[List[Tuple[int, int]]]:
    """Returns the (file, rank) of nodes whose positions are different places of a grid, else None."""
    if not pos:
        return None
    try:
        places = [(int(x), int(y)) for x, y in (pos[node] for node in nodes)]
        is_whole = all(tuple(pos[node]) == place for node, place in zip(nodes, places))
    except (TypeError, ValueError, OverflowError):
        return None
    if not is_whole or len(set(places)) < len(places):
        return None
    left, bottom = (min(values) for values in zip(*places))
    files, ranks = (max(values) + 1 for values in zip(*((x - left, y - bottom) for x, y in places)))
    if files * ranks > PLACES_PER_NODE * len(places) or max(files, ranks) > MAX_PLACES:
        return None
    return [(x - left, y - bottom) for x, y in places]


def _picture_positions(nodes: Iterable[Any], pos: Optional[Dict[Any, Any]]) -> Optional[List[Tuple[float, float]]]:
    """Returns the positions of nodes in pictures, if these are pairs of finite numbers."""
    if not pos:
        return None
    try:
        positions = [(float(x), float(y)) for x, y in (pos[node] for node in nodes)]
    except (TypeError, ValueError, OverflowError):
        positions = [(math.nan, math.nan)]
    if not all(abs(x) < MAX_COORDINATE and abs(y) < MAX_COORDINATE for x, y in positions):
        _warn(["pictures do not use pos, because it has other values than pairs of finite numbers"])
        return None
    return positions


def _warn(notes: Iterable[str]) -> None:
    """Warns of the line that called a function of this package."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("ktour."):
        frame, level = frame.f_back, level + 1
    for note in notes:
        warnings.warn(note, UserWarning, stacklevel=level)
