"""Numbers of tours by their first squares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple, Union, final

from . import _ktour
from ._board import BoardLike, import_networkx, to_board
from ._progress import Progress, receiver
from ._types import Kind, Memory, Square

if TYPE_CHECKING:
    import networkx


@final
@dataclass(frozen=True, eq=False, repr=False)
class TourTree(Mapping[Square, "TourTree"]):
    """Numbers of tours by their first squares, from `tour_tree`: a node of a tree of paths.

    A node is a mapping from each square that may come next to the node of the path with this square. The numbers of
    these nodes add up to its own number. It is empty at the depth of the tree, after the last square of a tour, and
    if no tour begins with its path. Nodes are immutable, hashable and picklable.

    Attributes
    ----------
    path : tuple of squares
        First squares of the tours, in order of visit.
    total : int
        Number of directed tours that begin with the path.

    Examples
    --------
    >>> tree = ktour.tour_tree("5x5", begin=["a1"], depth=2)
    >>> tree.total, tree["b3"].total, tree["b3"]["a5"].total
    (304, 152, 122)
    >>> {square: node.total for square, node in tree["b3"].items()}
    {'c1': 8, 'd2': 8, 'd4': 6, 'a5': 122, 'c5': 8}
    """

    __slots__ = ("path", "total", "_next")

    path: Tuple[Square, ...]
    total: int
    _next: Dict[Square, TourTree]

    def nodes(self) -> Iterator[TourTree]:
        """Return an iterator over this node and all nodes below it, each before those below it.

        Returns
        -------
        iterator of TourTree

        Examples
        --------
        >>> tree = ktour.tour_tree("5x5", begin=["a1"], depth=2)
        >>> {node.path: node.total for node in tree.nodes()}["a1", "b3", "c1"]
        8
        """
        yield self
        for node in self._next.values():
            yield from node.nodes()

    def to_networkx(self) -> networkx.DiGraph[Any]:
        """Return the tree as a graph. Needs networkx.

        Returns
        -------
        networkx.DiGraph
            Its nodes are the paths, tuples of squares, with the attributes ``square`` (the last square) and
            ``total``. Edges lead from each path to the paths with one more square.

        Examples
        --------
        >>> graph = ktour.tour_tree("5x5", begin=["a1"], depth=2).to_networkx()
        >>> graph.nodes["a1", "b3"]
        {'square': 'b3', 'total': 152}
        >>> len(graph.succ["a1", "b3"])
        5
        """
        graph: networkx.DiGraph[Any] = import_networkx().DiGraph()
        for node in self.nodes():
            graph.add_node(node.path, square=node.path[-1], total=node.total)
            if node is not self:
                graph.add_edge(node.path[:-1], node.path)
        return graph

    def __getitem__(self, square: Square) -> TourTree:
        return self._next[square]

    def __iter__(self) -> Iterator[Square]:
        return iter(self._next)

    def __len__(self) -> int:
        return len(self._next)

    def __eq__(self, other: object) -> bool:
        return self._fields() == other._fields() if isinstance(other, TourTree) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.path, self.total))

    def __reduce__(self) -> Tuple[Any, ...]:
        return TourTree, self._fields()

    def __repr__(self) -> str:
        return f"<tree of {self.total} tours that begin with {' '.join(map(str, self.path))}>"

    def _fields(self) -> Tuple[Any, ...]:
        return self.path, self.total, self._next


def tour_tree(
    board: BoardLike,
    kind: Kind = "paths",
    *,
    begin: Union[str, Iterable[Square]],
    depth: int,
    memory: Optional[Memory] = None,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
    force: bool = False,
) -> TourTree:
    """Count the tours that begin with each path of up to `depth` more squares.

    Each number is a count of its own, so the time grows with the number of paths. Paths with which no tour begins
    are not extended.

    Parameters
    ----------
    board : Board, str, int, tuple of int, or graph
        The board, as for `Board`. Its required and forbidden moves hold too, see `Board.restrict`.
    kind : {"paths", "closed", "open"}, default "paths"
        Kind of the tours, which are directed.
    begin : iterable of squares, or str
        First squares of the tours, in order of visit; at least one: ``["a1", "b3"]`` or ``"a1 b3"``.
    depth : int
        Greatest number of squares after `begin`, 1 to 100. There may be a million paths.
    memory, threads, progress, force
        As for `count`.

    Returns
    -------
    TourTree
        The node of the path `begin`; a nested mapping from next squares.

    Raises
    ------
    InvalidInputError
        If no tour can begin so, or if there are too many paths.
    KtourError
        The exceptions of `count`.

    See Also
    --------
    next_moves : The numbers after the next move only.

    Examples
    --------
    >>> tree = ktour.tour_tree("6x6", "closed", begin=["a1"], depth=3)
    >>> tree
    <tree of 19724 tours that begin with a1>
    >>> tree["c2"]["e1"].total
    6195
    """
    board = to_board(board)
    numbers = board._numbers(begin, "begin")
    with receiver(progress, f"{board.title} {kind}, tree") as report:
        tree = _ktour.tour_tree(board, numbers, kind, depth, memory, threads, report, force)
    squares = board.squares

    def node(path: Tuple[Square, ...], total: int, below: List[Tuple[int, Any]]) -> TourTree:
        return TourTree(path, total, {squares[v]: node((*path, squares[v]), *next) for v, next in below})

    return node(tuple(squares[v] for v in numbers), *tree)


def next_moves(
    board: BoardLike,
    kind: Kind = "paths",
    *,
    begin: Union[str, Iterable[Square]],
    memory: Optional[Memory] = None,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
    force: bool = False,
) -> Dict[Square, int]:
    """Count the tours that each next move leaves.

    Each number is a count of its own.

    Parameters
    ----------
    board : Board, str, int, tuple of int, or graph
        The board, as for `Board`. Its required and forbidden moves hold too, see `Board.restrict`.
    kind : {"paths", "closed", "open"}, default "paths"
        Kind of the tours, which are directed.
    begin : iterable of squares, or str
        First squares of the tours, in order of visit; at least one: ``["a1", "b3"]`` or ``"a1 b3"``.
    memory, threads, progress, force
        As for `count`.

    Returns
    -------
    dict of square to int
        For each square that may come next, the number of directed tours that begin with `begin` and this square.

    Raises
    ------
    InvalidInputError
        If no tour can begin so.
    KtourError
        The exceptions of `count`.

    See Also
    --------
    tour_tree : The numbers after several moves.

    Examples
    --------
    >>> ktour.next_moves("5x5", begin=["a1", "b3"])
    {'c1': 8, 'd2': 8, 'd4': 6, 'a5': 122, 'c5': 8}
    """
    tree = tour_tree(
        board, kind, begin=begin, depth=1, memory=memory, threads=threads, progress=progress, force=force
    )
    return {square: node.total for square, node in tree.items()}
