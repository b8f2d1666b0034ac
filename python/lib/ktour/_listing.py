"""Functions that list, find, read and draw tours."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, List, Literal, Optional, Union

from . import _ktour
from ._board import Board, BoardLike, to_board, to_number
from ._errors import InvalidInputError, short_repr
from ._index import check_path, choose_seed
from ._ktour import Tour, Tours
from ._progress import Progress, receiver
from ._svg import Svg
from ._types import Kind, Palette, Path, Rule, Square, Symmetry


def tours(
    board: BoardLike,
    kind: Kind = "paths",
    *,
    distinct: bool = False,
    directed: bool = False,
    symmetry: Optional[Symmetry] = None,
    start: Square = None,
    end: Square = None,
    limit: Optional[int] = None,
    moves: Optional[str] = None,
    threads: Optional[int] = None,
) -> Tours:
    """Return an iterator over all tours of a board, each once.

    The order depends only on the arguments apart from `threads`. The search starts with the first tour that is
    requested. Memory does not grow with the number of tours.

    Parameters
    ----------
    board : Board, str, int, tuple of int, or graph
        The board, as for `Board`, of at most 128 squares.
    kind : {"paths", "closed", "open"}, default "paths"
        Kind of the tours.
    distinct : bool, default False
        True to list one tour of each class under the symmetries of the board.
    directed : bool, default False
        True to list both directions of every tour. Otherwise a path starts at its lower end, and a closed tour at
        its lowest square.
    symmetry : {"rot180", "rot90", "axial", "diagonal", "eulerian", "bergholtian"}, optional
        List only tours with this symmetry.
    start, end : square, optional
        First and last square of the tours, which are then directed.
    limit : int, optional
        Largest number of tours. Default: all.
    moves : str, optional
        Order of the (down, right) steps of plain backtracking, such as "2,1 1,2 -1,2 ...".
    threads : int, optional
        Number of threads, 1 to 1024. Default: one for each core.

    Returns
    -------
    Tours
        Iterator of `Tour`. Its method ``to_numpy()`` returns the remaining tours as one array.

    Raises
    ------
    InvalidInputError
        If an argument is not allowed, or the board has more than 128 squares.

    Examples
    --------
    >>> sum(1 for tour in ktour.tours("5x5") if tour.symmetry == "rot180")
    32
    """
    board = to_board(board)
    ends = to_number(board, start, "start"), to_number(board, end, "end")
    return _ktour.tours(board, kind, directed, distinct, symmetry, *ends, limit, moves, threads)


def complete(
    board: BoardLike,
    kind: Kind = "paths",
    *,
    numbers: Mapping[int, Square],
    limit: Optional[int] = None,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
) -> List[Tour]:
    """Return the tours in which some squares have given numbers, as in a number puzzle.

    A path has an entry for each direction that fits, and a closed tour for each start that fits. With ``limit=2``
    the result shows whether there is just one.

    Parameters
    ----------
    board : Board, str, int, tuple of int, or graph
        The board, as for `Board`; at most 128 squares. Its required and forbidden moves hold too.
    kind : {"paths", "closed", "open"}, default "paths"
        Kind of the tours.
    numbers : mapping of int to square
        Squares by their number in the tour, from 1; at least one.
    limit : int, optional
        Largest number of tours. Default: all.
    threads, progress
        As for `count`.

    Returns
    -------
    list of Tour
        The first square of each tour has the number 1.

    Raises
    ------
    InvalidInputError
        If a number is not allowed, or a square has two.

    Examples
    --------
    >>> [tour] = ktour.complete("3x4", numbers={1: "a3", 9: "b2", 10: "d3"})
    >>> tour.grid()[0]
    [1, 4, 7, 10]
    """
    board = to_board(board)
    if not isinstance(numbers, Mapping):
        raise TypeError(f'numbers takes a dict from numbers to squares, such as {{1: "a1"}}, not {short_repr(numbers)}')
    pairs = [(_check_number(number, board), board._number(square, "numbers")) for number, square in numbers.items()]
    with receiver(progress, f"{board.title} {kind}") as report:
        return _ktour.complete(board, pairs, kind, limit, threads, report)


def _check_number(number: Any, board: Board) -> int:
    """Returns the number of a square in a tour of the board as an int."""
    try:
        whole = operator.index(number)
    except TypeError:
        raise TypeError(f"numbers: {short_repr(number)} is not the number of a square; use an integer from 1") from None
    if not 1 <= whole <= len(board):
        raise InvalidInputError(f"numbers: there is no number {whole}; the squares have numbers from 1 to {len(board)}")
    return whole


def find(
    board: BoardLike,
    kind: Kind = "paths",
    *,
    start: Square = None,
    end: Square = None,
    seed: Optional[int] = None,
    rule: Rule = "auto",
    attempts: int = 1000,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
) -> Tour:
    """Find one tour quickly, on large boards too. The tour is not a uniform random one; `sample` draws those.

    Parameters
    ----------
    board : Board, str, int, tuple of int, or graph
        The board, as for `Board`. Rectangles have at most 2**28 squares; other boards and graphs at most 2**18.
    kind : {"paths", "closed", "open"}, default "paths"
        Kind of the tour.
    start, end : square, optional
        First and last square. Default: any.
    seed : int, optional
        Seed from 0 to 2**64 - 1. Equal seeds give equal tours. Default: a random seed from the module `random`;
        the tour has it as ``tour.seed``.
    rule : str, default "auto"
        Walking rule: "warnsdorff", "warnsdorff-first", "pohl", "pohl-3" to "pohl-6", "roth", "squirrel-cull", "w2"
        or "w+".
    attempts : int, default 1000
        Largest number of attempts.
    threads, progress
        As for `count`.

    Returns
    -------
    Tour

    Raises
    ------
    NoTourError
        If it is proved that no tour exists. The message gives the reason.
    GaveUpError
        If no tour was found, though one may exist.
    InvalidInputError
        If an argument is not allowed.

    Examples
    --------
    >>> ktour.find("8x8", "closed", seed=7)
    <closed tour of 8x8: a1 b3 a5 b7 ... e7 f5 d4 c2>
    >>> len(ktour.find("200x200"))
    40000
    """
    board = to_board(board)
    ends = to_number(board, start, "start"), to_number(board, end, "end")
    with receiver(progress, f"{board.title} {kind}") as report:
        return _ktour.find(board, kind, *ends, choose_seed(seed), rule, attempts, threads, report)


def read_tours(
    path: Path,
    *,
    board: Optional[BoardLike] = None,
    kind: Optional[Kind] = None,
    coordinates: Optional[Literal["row,column", "x,y"]] = None,
    mixed: bool = False,
) -> List[Tour]:
    """Read the tours of a file, in any form that ``ktour check`` reads. Every tour is checked.

    The forms are squares, number grids, tables, arrays, CSV, JSON and others; see the guide of ktour. Skipped text,
    and the meaning of coordinates, are reported as UserWarning.

    Parameters
    ----------
    path : path
        The file.
    board : Board, str, int, tuple of int, or graph, optional
        Board of the tours. Default: that of the file; otherwise the first tour determines it.
    kind : {"closed", "open", "paths"}, optional
        Kind of the tours. Default: that of the file; otherwise a tour is closed if its ends are a move apart.
    coordinates : {"row,column", "x,y"}, optional
        Meaning of pairs of numbers. Default: the one that gives a tour.
    mixed : bool, default False
        True to allow tours of different boards.

    Returns
    -------
    list of Tour

    Raises
    ------
    InvalidInputError
        If a tour is wrong. The message names the line of each fault.
    FileError
        If the file cannot be read.
    KtourError
        If the file has no tours.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "tours.txt")
    ...     _ = path.write_text("a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2")
    ...     ktour.read_tours(path)
    [<open tour of 3x4: a3 c2 a1 b3 ... b2 d3 c1 a2>]
    """
    given = None if board is None else to_board(board)
    found, notes = _ktour.read_tours(check_path(path, "path"), given, kind, coordinates, mixed)
    for note in notes:
        warnings.warn(note, UserWarning, stacklevel=2)
    return found


def sheet(
    tours: Union[Tour, Iterable[Tour]],
    *,
    columns: Optional[int] = None,
    cell: Optional[float] = None,
    numbers: Optional[bool] = None,
    palette: Palette = "wood",
) -> Svg:
    """Draw several tours, also of different boards, as one picture.

    Parameters
    ----------
    tours : Tour, or iterable of Tour
        At least one tour.
    columns : int, optional
        Tours per row. Default: about as many as rows.
    cell : float, optional
        Side of a square in pixels, 1 to 1000. Default: by the size of the boards.
    numbers : bool, optional
        True to write the move numbers. Default: where they fit.
    palette : {"wood", "viridis", "mono"}, default "wood"
        Colours.

    Returns
    -------
    Svg
        The SVG text, a str.

    Raises
    ------
    InvalidInputError
        If there is no tour.

    Examples
    --------
    >>> ktour.sheet(ktour.tours("5x6", "closed"))[:4]
    '<svg'
    """
    return _ktour.sheet([tours] if isinstance(tours, Tour) else tours, columns, cell, numbers, palette)
