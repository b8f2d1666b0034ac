"""The extension module. Users see its classes Tour and Tours in ktour."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, Iterable, Iterator, List, Literal, Optional, Sequence, SupportsIndex, Tuple, Union, final, overload

# Without numpy these names are of type Any.
import numpy  # type: ignore[import-not-found,unused-ignore]  # pyright: ignore[reportMissingImports]
from numpy.typing import NDArray  # type: ignore[import-not-found,unused-ignore]  # pyright: ignore[reportMissingImports]
# Type checkers have this module of their own.
from typing_extensions import disjoint_base  # type: ignore[attr-defined,unused-ignore]  # pyright: ignore[reportMissingModuleSource]

from ._board import Board, BoardLike
from ._progress import Reading
from ._svg import Svg
from ._types import Engine, Kind, Memory, Palette, Path, Square

__version__: str

_Pairs = List[Tuple[int, int]]
_Report = Optional[Callable[[Reading], object]]
_Triple = Tuple[Optional[int], Optional[int], Optional[int]]
_Tree = Tuple[int, List[Tuple[int, "_Tree"]]]
_Path = Union[str, os.PathLike[str], None]
_Recurrence = Tuple[
    int, int, List[int], int, List[int], List[int], Optional[float], int, int, int, bool
]

@final
class Tour(Sequence[Square]):
    """A tour: a sequence that visits every square of a board once, each a move from the previous one.

    Tours are equal if board, kind and order of squares are equal. They are hashable and picklable, and
    notebooks show them as pictures.

    Parameters
    ----------
    board : Board, str, int, tuple of int, or graph
        Board of the tour, as for `Board`.
    squares : iterable of squares, or str
        Squares in order of visit: names such as ``"a1"``, or nodes of a graph. In text such as ``str(tour)``, names
        are separated by spaces, and a space in a name is ``%20``.
    closed : bool, optional
        True for a closed tour, whose last square must be a move from the first. False for a path, even if its
        ends are a move apart. Default: that of a `Tour` given as `squares`, else False.

    Raises
    ------
    InvalidInputError
        If the squares are no tour. The message names the first fault.

    See Also
    --------
    Tour.from_numpy : A tour from the numbers of its squares.
    Tour.from_grid : A tour from a table of move numbers.

    Examples
    --------
    >>> tour = ktour.Tour("3x4", "a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2")
    >>> tour.kind, len(tour), tour[0], tour[-2:]
    ('open', 12, 'a3', ['c1', 'a2'])
    >>> tour
    <open tour of 3x4: a3 c2 a1 b3 ... b2 d3 c1 a2>
    """
    def __new__(cls, board: BoardLike, squares: Union[str, Iterable[Square]], closed: Optional[bool] = None) -> Tour: ...
    @staticmethod
    def from_numpy(
        board: BoardLike, vertices: Union[Sequence[SupportsIndex], NDArray[Any]], closed: Optional[bool] = None
    ) -> Tour:
        """Return the tour with these numbers of squares, the inverse of `to_numpy` and of `vertices`.

        Parameters
        ----------
        board : Board, str, int, tuple of int, or graph
            Board of the tour, as for `Board`.
        vertices : array or sequence of int
            Numbers of the squares in order of visit, of shape (squares,), such as a row of
            ``tours(...).to_numpy()``. Numbers are positions in ``board.squares``. On 8x8 they are the squares of
            python-chess.
        closed : bool, optional
            True for a closed tour, which the numbers do not distinguish from a path. Default: False, a path.

        Returns
        -------
        Tour

        Raises
        ------
        InvalidInputError
            If the squares are no tour. The message names the first fault.

        Examples
        --------
        >>> table = ktour.tours("5x6", "closed").to_numpy()
        >>> ktour.Tour.from_numpy("5x6", table[0], closed=True) == next(ktour.tours("5x6", "closed"))
        True
        """
    @staticmethod
    def from_grid(
        board: BoardLike, grid: Union[Sequence[Sequence[SupportsIndex]], NDArray[Any]], closed: Optional[bool] = None
    ) -> Tour:
        """Return the tour with these move numbers, the inverse of `grid`.

        Parameters
        ----------
        board : Board, str, int, or tuple of int
            Board of the tour, as for `Board`. It must have rows and columns.
        grid : array or list of lists of int
            Move numbers, from 1, of shape (rows, columns), top rank first. Entries of removed squares are
            ignored.
        closed : bool, optional
            True for a closed tour, which the numbers do not distinguish from a path. Default: False, a path.

        Returns
        -------
        Tour

        Raises
        ------
        InvalidInputError
            If the shape is not that of the board, or the numbers are no tour.

        Examples
        --------
        >>> tour = ktour.Tour.from_grid("3x4", [[1, 4, 7, 10], [12, 9, 2, 5], [3, 6, 11, 8]])
        >>> str(tour)
        'a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2'
        """
    @property
    def board(self) -> Board:
        """Board of the tour."""
    @property
    def kind(self) -> Literal["closed", "open", "re-entrant"]:
        """Kind of the tour: "closed", "open", or "re-entrant" (a path whose ends are a move apart)."""
    @property
    def seed(self) -> Optional[int]:
        """Seed with which `find` or `sample` drew the tour, an int; None for other tours."""
    @property
    def symmetry(self) -> Optional[str]:
        """Symmetry class: "asymmetric", "axial", "rot180 eulerian", ... None if the board has too many symmetries.

        The class names all symmetries of the tour. ``symmetry=`` of `tours` and `count` selects tours with at least
        one symmetry.
        """
    @property
    def vertices(self) -> Tuple[int, ...]:
        """Numbers of the squares in order of visit, a tuple of int.

        Numbers are positions in ``board.squares``, also for graphs, whose nodes are the elements of the tour.
        """
    def moves(self) -> List[Tuple[Square, Square]]:
        """Return the moves in order of visit, as pairs of squares. For a closed tour, the last one leads back to the start.

        Returns
        -------
        list of tuple

        Examples
        --------
        >>> ktour.Tour("3x4", "a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2").moves()[:2]
        [('a3', 'c2'), ('c2', 'a1')]
        """
    def canonical(self) -> Tour:
        """Return the canonical form under the symmetries of the board.

        Two tours are equal up to symmetry, direction and start if and only if their canonical forms are equal.

        Returns
        -------
        Tour

        Raises
        ------
        InvalidInputError
            If the board has too many symmetries, or they take too long to find.

        Examples
        --------
        >>> len({tour.canonical() for tour in ktour.tours("5x5")})
        112
        """
    def to_numpy(self) -> Union[NDArray[numpy.uint8], NDArray[numpy.uint32]]:
        """Return the numbers of the squares in order of visit as an array. Needs numpy.

        Returns
        -------
        numpy.ndarray
            Read-only array of shape (squares,), without a copy: of uint8 for boards of at most 256 squares, else
            of uint32. The numbers are positions in ``board.squares``. ``numpy.asarray(tour)`` holds the squares
            themselves, as ``list(tour)`` does.

        Examples
        --------
        >>> ktour.find("8x8", "closed", seed=7).to_numpy()[:4]
        array([ 0, 17, 32, 49], dtype=uint8)
        """
    def grid(self) -> List[List[int]]:
        """Return the move numbers, from 1, as a table.

        Returns
        -------
        list of list of int
            Rows of the board, top rank first; 0 for a removed square.

        Raises
        ------
        InvalidInputError
            If the board has no rows and columns, as graphs and boxes.

        Examples
        --------
        >>> ktour.Tour("3x4", "a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2").grid()
        [[1, 4, 7, 10], [12, 9, 2, 5], [3, 6, 11, 8]]
        """
    def save(
        self,
        path: Path,
        *,
        cell: Optional[float] = None,
        numbers: Optional[bool] = None,
        palette: Palette = "wood",
        animate: Optional[float] = None,
    ) -> None:
        """Draw the tour, and write the picture to a file.

        Parameters
        ----------
        path : path
            Path of the file, such as "tour.svg". The picture is SVG.
        cell, numbers, palette, animate
            As for `svg`.

        Raises
        ------
        InvalidInputError
            If the name of the file ends with that of another picture format, such as .png.
        FileError
            If the file cannot be written. It is an OSError.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "tour.svg")
        ...     ktour.find("8x8", "closed").save(path)
        ...     path.read_text()[:4]
        '<svg'
        """
    def _with_seed(self, seed: int) -> Tour: ...
    def svg(
        self,
        *,
        cell: Optional[float] = None,
        numbers: Optional[bool] = None,
        palette: Palette = "wood",
        animate: Optional[float] = None,
    ) -> Svg:
        """Draw the tour.

        Parameters
        ----------
        cell : float, optional
            Side of a square in pixels, 1 to 1000. Default: by the size of the board.
        numbers : bool, optional
            True to write the move numbers. Default: where they fit.
        palette : {"wood", "viridis", "mono"}, default "wood"
            Colours.
        animate : float, optional
            Seconds in which the piece walks the tour, 0.1 to 86400. Default: no animation.

        Returns
        -------
        Svg
            The SVG text, a str.

        Examples
        --------
        >>> ktour.find("5x6", "closed").svg(numbers=True)[:4]
        '<svg'
        """
    def index(self, square: Square, start: int = 0, stop: Optional[int] = None) -> int:
        """Return the position of a square in the tour, from 0.

        Parameters
        ----------
        square : square
            Name of a square, or node of a graph.
        start, stop : int, optional
            Positions between which the square must be visited, as for ``list.index``.

        Returns
        -------
        int

        Raises
        ------
        ValueError
            If the square is not on the board, or not visited between `start` and `stop`.

        Examples
        --------
        >>> ktour.Tour("3x4", "a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2").index("a1")
        2
        """
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
    def _repr_svg_(self) -> Svg: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, position: SupportsIndex, /) -> Square: ...
    @overload
    def __getitem__(self, position: slice, /) -> List[Square]: ...

@final
class Tours(Iterator[Tour]):
    """Iterator over tours, returned by `tours`.

    The search for the first tour takes some seconds on large boards; `find` is faster for one tour. Worker threads
    search a few thousand tours ahead. They end after the last tour, or when the iterator is closed or freed. Several
    threads may share an iterator; each tour goes to one of them. A forked process cannot use the iterator of its
    parent. In a `with` statement, the iterator is closed at the end.

    Examples
    --------
    >>> with ktour.tours("5x5") as tours:
    ...     first = next(tours)
    >>> first[:3]
    ['a1', 'c2', 'e1']
    """
    def to_numpy(self) -> NDArray[numpy.uint8]:
        """Return all remaining tours as one array. Needs numpy.

        Returns
        -------
        numpy.ndarray
            Array of uint8 of shape (tours, squares), one byte per square and tour. A row holds the numbers of
            the squares in order of visit; the numbers are positions in ``board.squares``.

        Raises
        ------
        OutOfMemoryError
            If the array exceeds the available memory, also by an estimate; use ``limit=`` for fewer tours.

        See Also
        --------
        Tour.from_numpy : The tour of a row.

        Examples
        --------
        >>> ktour.tours("5x5").to_numpy().shape
        (864, 25)
        """
    def close(self) -> None:
        """End the search. Threads that wait for a tour get none.

        An iterator that is freed closes itself. In a forked process, `close` does nothing, because the search
        belongs to the other process.
        """
    def __next__(self) -> Tour: ...
    def __enter__(self) -> Tours: ...
    def __exit__(self, _kind: object, _error: object, _trace: object) -> None: ...

@final
class BoardData: ...

@disjoint_base
class BoardBase:
    def __new__(cls, data: BoardData, vertices: Optional[Dict[Any, int]] = None) -> Any: ...
    @property
    def _squares(self) -> Tuple[Any, ...]: ...
    @property
    def _has_nodes(self) -> bool: ...
    @property
    def _title(self) -> str: ...
    @property
    def _text(self) -> str: ...
    @property
    def _key(self) -> str: ...
    @property
    def _edges(self) -> _Pairs: ...
    @property
    def _positions(self) -> Optional[_Pairs]: ...
    def _count_symmetries(self) -> Optional[int]: ...
    def _number(self, square: object, argument: str) -> int: ...
    def _numbers(self, squares: object, argument: str) -> List[int]: ...
    def _neighbours(self, v: int) -> List[int]: ...
    @property
    def _is_restricted(self) -> bool: ...
    @property
    def _required(self) -> _Pairs: ...
    @property
    def _forbidden(self) -> _Pairs: ...
    def _unrestricted_data(self) -> BoardData: ...
    def _restricted_data(self, required: _Pairs, forbidden: _Pairs) -> BoardData: ...
    def _parse_moves(self, text: str, argument: str) -> List[List[int]]: ...
    def _is_equal(self, other: BoardBase) -> bool: ...
    def _has(self, square: object) -> bool: ...
    def __len__(self) -> int: ...

@final
class IndexCore:
    def __new__(
        cls,
        board: Board,
        kind: str,
        start: Optional[int],
        end: Optional[int],
        folder: _Path,
        memory: Optional[Memory],
        threads: Optional[int],
        progress: _Report,
        force: bool,
    ) -> IndexCore: ...
    @property
    def total(self) -> int: ...
    @property
    def order(self) -> str: ...
    @property
    def bytes(self) -> int: ...
    def check_list_memory(self, tours: int) -> None: ...
    def unrank(self, numbers: List[int], threads: Optional[int], progress: _Report) -> List[Tour]: ...
    def rank(self, tours: Iterable[Tour], threads: Optional[int], progress: _Report) -> List[int]: ...
    def contains(self, tour: Tour) -> bool: ...
    def sample(
        self, number: int, seed: int, distinct: bool, threads: Optional[int], progress: _Report
    ) -> List[Tour]: ...
    def stats(
        self, threads: Optional[int], progress: _Report
    ) -> Tuple[int, List[Tuple[Tuple[int, int], int]], List[int]]: ...

def make_graph(
    names: List[str],
    edges: _Pairs,
    positions: Optional[_Pairs],
    picture: Optional[List[Tuple[float, float]]],
) -> Tuple[BoardData, List[str]]: ...
def parse_board(
    size: str, piece: Optional[str], leaper: Optional[_Pairs], wrap: str, removed: str
) -> BoardData: ...
def parse_graph(text: str) -> Tuple[BoardData, List[str]]: ...
def parse_graphs(text: str) -> List[BoardData]: ...
def parse_shape(
    text: str,
    squares: Optional[str],
    holes: Optional[str],
    piece: Optional[str],
    leaper: Optional[_Pairs],
    wrap: str,
    removed: str,
) -> Tuple[BoardData, List[str]]: ...
def board_svg(board: Board) -> str: ...
def heat_map(board: Board, title: str, moves: List[Tuple[int, int, float]], ends: Optional[List[float]]) -> str: ...
def count(
    board: Board,
    kind: Optional[str],
    distinct: bool,
    directed: bool,
    symmetry: Optional[str],
    start: Optional[int],
    end: Optional[int],
    per_start: bool,
    engine: str,
    modulus: Optional[int],
    memory: Optional[Memory],
    threads: Optional[int],
    checkpoint: _Path,
    progress: _Report,
    force: bool,
) -> List[Tuple[Optional[int], _Triple]]: ...
def classes(
    board: Board,
    kind: str,
    memory: Optional[Memory],
    threads: Optional[int],
    progress: _Report,
    force: bool,
) -> List[Tuple[str, Tuple[int, int]]]: ...
def complete(
    board: Board,
    numbers: List[Tuple[int, int]],
    kind: str,
    limit: Optional[int],
    threads: Optional[int],
    progress: _Report,
) -> List[Tour]: ...
def estimate(
    board: Board,
    kind: str,
    start: Optional[int],
    end: Optional[int],
    memory: Optional[Memory],
    probes: int,
    seed: int,
    threads: Optional[int],
    progress: _Report,
) -> Tuple[Optional[Tuple[Any, ...]], Optional[Tuple[Any, ...]], Optional[Engine]]: ...
def find(
    board: Board,
    kind: str,
    start: Optional[int],
    end: Optional[int],
    seed: int,
    rule: str,
    attempts: int,
    threads: Optional[int],
    progress: _Report,
) -> Tour: ...
def read_tours(
    path: Union[str, os.PathLike[str]],
    board: Optional[Board],
    kind: Optional[str],
    coordinates: Optional[str],
    mixed: bool,
) -> Tuple[List[Tour], List[str]]: ...
def recurrence_of_line(
    boards: str,
    kind: str,
    directed: bool,
    piece: Optional[str],
    leaper: Optional[_Pairs],
    wrap: str,
    order: int,
    memory: Optional[Memory],
    threads: Optional[int],
    progress: _Report,
    force: bool,
) -> _Recurrence: ...
def recurrence_of_terms(
    terms: List[int], order: int, threads: Optional[int], progress: _Report
) -> _Recurrence: ...
def series(
    boards: List[str],
    kind: Optional[str],
    distinct: bool,
    directed: bool,
    symmetry: Optional[str],
    modulus: Optional[int],
    piece: Optional[str],
    leaper: Optional[_Pairs],
    wrap: str,
    memory: Optional[Memory],
    threads: Optional[int],
    progress: _Report,
    force: bool,
) -> Tuple[List[Tuple[str, _Triple]], Optional[BaseException]]: ...
def sheet(
    tours: Iterable[Tour],
    columns: Optional[int],
    cell: Optional[float],
    numbers: Optional[bool],
    palette: str,
) -> Svg: ...
def tour_tree(
    board: Board,
    squares: List[int],
    kind: str,
    depth: int,
    memory: Optional[Memory],
    threads: Optional[int],
    progress: _Report,
    force: bool,
) -> _Tree: ...
def tours(
    board: Board,
    kind: str,
    directed: bool,
    distinct: bool,
    symmetry: Optional[str],
    start: Optional[int],
    end: Optional[int],
    limit: Optional[int],
    moves: Optional[str],
    threads: Optional[int],
) -> Tours: ...
