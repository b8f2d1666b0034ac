"""Functions that count tours."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, Dict, Literal, Optional, Tuple, TypedDict, Union, overload

from . import _ktour
from ._board import BoardLike, leaper_moves, to_board, to_number
from ._errors import InvalidInputError
from ._index import check_path, choose_seed
from ._progress import Progress, receiver
from ._results import Counts, Recurrence
from ._types import Engine, Kind, Leaper, Memory, Path, Square, Symmetry, Wrap


class SearchEstimate(TypedDict):
    """Estimate of a search for all tours. The errors are standard errors."""

    nodes: float
    nodes_error: float
    tours: float
    tours_error: float
    seconds: Optional[float]


class SweepEstimate(TypedDict):
    """Estimate of a sweep. Numbers of bytes are None if they exceed those of any machine."""

    seconds: Optional[float]
    memory_bytes: Optional[int]
    min_memory_bytes: Optional[int]
    disk_bytes: Optional[int]
    exact: bool
    fits: bool


class Estimate(TypedDict):
    """Estimates of a count, from `estimate`."""

    board: str
    kind: Kind
    search: Optional[SearchEstimate]
    sweep: Optional[SweepEstimate]
    cheaper: Engine
    seed: int


@overload
def count(
    board: BoardLike,
    kind: Kind,
    *,
    distinct: bool = ...,
    directed: bool = ...,
    symmetry: Optional[Symmetry] = ...,
    start: Square = ...,
    end: Square = ...,
    per_start: Literal[False] = ...,
    engine: Engine = ...,
    modulus: Optional[int] = ...,
    memory: Optional[Memory] = ...,
    threads: Optional[int] = ...,
    checkpoint: Optional[Path] = ...,
    progress: Optional[Progress] = ...,
    force: bool = ...,
) -> int: ...
@overload
def count(
    board: BoardLike,
    kind: None = ...,
    *,
    distinct: bool = ...,
    directed: bool = ...,
    symmetry: Optional[Symmetry] = ...,
    start: Square = ...,
    end: Square = ...,
    per_start: Literal[False] = ...,
    engine: Engine = ...,
    modulus: Optional[int] = ...,
    memory: Optional[Memory] = ...,
    threads: Optional[int] = ...,
    checkpoint: Optional[Path] = ...,
    progress: Optional[Progress] = ...,
    force: bool = ...,
) -> Counts: ...
@overload
def count(
    board: BoardLike,
    kind: Kind,
    *,
    engine: Engine = ...,
    per_start: Literal[True],
    threads: Optional[int] = ...,
    memory: Optional[Memory] = ...,
    checkpoint: Optional[Path] = ...,
    progress: Optional[Progress] = ...,
    force: bool = ...,
) -> Dict[Square, int]: ...
@overload
def count(
    board: BoardLike,
    kind: None = ...,
    *,
    engine: Engine = ...,
    per_start: Literal[True],
    threads: Optional[int] = ...,
    memory: Optional[Memory] = ...,
    checkpoint: Optional[Path] = ...,
    progress: Optional[Progress] = ...,
    force: bool = ...,
) -> Dict[Square, Counts]: ...
@overload
def count(
    board: BoardLike,
    kind: Optional[Kind] = ...,
    *,
    distinct: bool = ...,
    directed: bool = ...,
    symmetry: Optional[Symmetry] = ...,
    start: Square = ...,
    end: Square = ...,
    per_start: bool,
    engine: Engine = ...,
    modulus: Optional[int] = ...,
    memory: Optional[Memory] = ...,
    threads: Optional[int] = ...,
    checkpoint: Optional[Path] = ...,
    progress: Optional[Progress] = ...,
    force: bool = ...,
) -> Union[int, Counts, Dict[Square, Any]]: ...
def count(
    board: BoardLike,
    kind: Optional[Kind] = None,
    *,
    distinct: bool = False,
    directed: bool = False,
    symmetry: Optional[Symmetry] = None,
    start: Square = None,
    end: Square = None,
    per_start: bool = False,
    engine: Engine = "auto",
    modulus: Optional[int] = None,
    memory: Optional[Memory] = None,
    threads: Optional[int] = None,
    checkpoint: Optional[Path] = None,
    progress: Optional[Progress] = None,
    force: bool = False,
) -> Union[int, Counts, Dict[Square, Any]]:
    """Count tours exactly.

    A tour and its reversal count once, unless `directed`. With `start` or `end`, tours are directed. Other Python
    threads run during the count, and Ctrl-C stops it within about a tenth of a second; with `checkpoint` it first
    waits for the last save. An exception of the progress function also stops the count.

    Parameters
    ----------
    board : Board, str, int, tuple of int, or graph
        The board, as for `Board`.
    kind : {"closed", "open", "paths"}, optional
        "closed" tours return to the start, "paths" need not return, "open" ones are paths whose ends are not a
        move apart. Default: all three.
    distinct : bool, default False
        True to count classes of tours under the symmetries of the board.
    directed : bool, default False
        True to count both directions of every tour.
    symmetry : {"rot180", "rot90", "axial", "diagonal", "eulerian", "bergholtian"}, optional
        Count only tours with this symmetry.
    start, end : square, optional
        First and last square of the tours.
    per_start : bool, default False
        True for the numbers of directed tours by their first square.
    engine : {"auto", "backtrack", "multipath", "frontier"}, default "auto"
        Method; "auto" is the one with the smallest estimated time.
    modulus : int, optional
        Count modulo a number from 2 to 2**32 - 1, by a sweep in half of the memory or less. Not for `distinct`,
        `directed`, `symmetry` and `per_start`.
    memory : int or str, optional
        Memory limit of sweeps in bytes, or as text such as "8G". Layers beyond it go to the folder for temporary
        files. Default: the available memory, without layers on disk.
    threads : int, optional
        Number of threads, 1 to 1024. Default: one for each core.
    checkpoint : path, optional
        File in which progress is saved every minute and at an interrupt. A later call with the same arguments, or
        ``ktour resume``, resumes from it. The file, FILE.previous and FILE.lock stay after the count.
    progress : bool or callable, optional
        True for a progress bar (needs tqdm), or a function that is called with a `Reading` about 10 times a second.
    force : bool, default False
        True to start even if the estimate exceeds memory, disk or a year.

    Returns
    -------
    int, Counts or dict
        The number, of any size; without `kind`, `Counts` of all kinds; if `per_start`, a dict from each square to
        such a result.

    Raises
    ------
    InvalidInputError
        If an argument is not allowed. It is a ValueError.
    OutOfMemoryError
        If memory or disk do not suffice. It is a MemoryError.
    TooLongError
        If the estimate exceeds a year.
    FileError
        If the checkpoint cannot be used. It is an OSError.
    KtourError
        For other failures. A number that violates a theorem is never returned.

    Examples
    --------
    >>> ktour.count("6x6", "closed")
    9862
    >>> ktour.count("6x6")
    Counts(closed=9862, open=2963928, paths=3318960)
    >>> ktour.count("5x5", "paths", per_start=True)["a1"]
    304
    """
    board = to_board(board)
    ends = to_number(board, start, "start"), to_number(board, end, "end")
    with receiver(progress, f"{board.title} {kind or 'tours'}") as report:
        rows = _ktour.count(
            board,
            kind,
            distinct,
            directed,
            symmetry,
            *ends,
            per_start,
            engine,
            modulus,
            memory,
            threads,
            check_path(checkpoint, "checkpoint"),
            report,
            force,
        )
    if per_start:
        return {board[vertex]: _numbers(kind, row) for vertex, row in rows if vertex is not None}
    found: Union[int, Counts] = _numbers(kind, rows[0][1])
    return found


def _numbers(kind: Optional[Kind], row: Tuple[Any, Any, Any]) -> Any:
    """Returns the number of tours of a kind, or Counts of all kinds."""
    counts = Counts(*row)
    return counts if kind is None else getattr(counts, kind)


def classes(
    board: BoardLike,
    kind: Kind = "paths",
    *,
    memory: Optional[Memory] = None,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
    force: bool = False,
) -> Dict[str, Tuple[int, int]]:
    """Count tours by symmetry class.

    Parameters
    ----------
    board : Board, str, int, tuple of int, or graph
        The board, as for `Board`.
    kind : {"paths", "closed", "open"}, default "paths"
        Kind of the tours, which are undirected.
    memory, threads, progress, force
        As for `count`.

    Returns
    -------
    dict of str to (int, int)
        For each class, the number of tours and of distinct tours; the last key is "total".

    Raises
    ------
    KtourError
        The exceptions of `count`.

    Examples
    --------
    >>> ktour.classes("6x6", "closed")["total"]
    (9862, 1245)
    """
    board = to_board(board)
    with receiver(progress, f"{board.title} {kind}") as report:
        return dict(_ktour.classes(board, kind, memory, threads, report, force))


@overload
def series(
    boards: Union[str, Iterable[str]],
    kind: Kind,
    *,
    distinct: bool = ...,
    directed: bool = ...,
    symmetry: Optional[Symmetry] = ...,
    modulus: Optional[int] = ...,
    piece: Optional[str] = ...,
    leaper: Optional[Leaper] = ...,
    wrap: Optional[Wrap] = ...,
    memory: Optional[Memory] = ...,
    threads: Optional[int] = ...,
    progress: Optional[Progress] = ...,
    force: bool = ...,
) -> Dict[str, int]: ...
@overload
def series(
    boards: Union[str, Iterable[str]],
    kind: None = ...,
    *,
    distinct: bool = ...,
    directed: bool = ...,
    symmetry: Optional[Symmetry] = ...,
    modulus: Optional[int] = ...,
    piece: Optional[str] = ...,
    leaper: Optional[Leaper] = ...,
    wrap: Optional[Wrap] = ...,
    memory: Optional[Memory] = ...,
    threads: Optional[int] = ...,
    progress: Optional[Progress] = ...,
    force: bool = ...,
) -> Dict[str, Counts]: ...
def series(
    boards: Union[str, Iterable[str]],
    kind: Optional[Kind] = None,
    *,
    distinct: bool = False,
    directed: bool = False,
    symmetry: Optional[Symmetry] = None,
    modulus: Optional[int] = None,
    piece: Optional[str] = None,
    leaper: Optional[Leaper] = None,
    wrap: Optional[Wrap] = None,
    memory: Optional[Memory] = None,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
    force: bool = False,
) -> Union[Dict[str, int], Dict[str, Counts]]:
    """Count the tours of a series of boards. One sweep counts all boards of a range of lengths.

    Parameters
    ----------
    boards : str, or iterable of str
        A range such as "5x2..60", "2..60x5", "5..7x5..7" or "1..8" (squares), or a list of ranges and boards such
        as ``["5x6", "7x4..9"]``.
    kind, distinct, directed, symmetry, modulus, memory, threads, progress, force
        As for `count`.
    piece, leaper, wrap
        As for `Board`.

    Returns
    -------
    dict of str to int, or of str to Counts
        The numbers of each board, such as "5x2". Ints beyond 2**63 are plotted by their logarithms:
        ``[math.log10(n) for n in numbers.values() if n]``.

    Raises
    ------
    KtourError
        The exceptions of `count`.

    Examples
    --------
    >>> ktour.series("5x6..8", "closed")
    {'5x6': 8, '5x7': 0, '5x8': 44202}
    """
    ranges = [boards] if isinstance(boards, str) else [_as_range(text) for text in boards]
    if not ranges:
        raise InvalidInputError('boards=[] has no board; give at least one, as in ["5x6", "6x6"]')
    with receiver(progress, " ".join(ranges)) as report:
        rows = _ktour.series(
            ranges,
            kind,
            distinct,
            directed,
            symmetry,
            modulus,
            piece,
            leaper_moves(leaper),
            wrap or "none",
            memory,
            threads,
            report,
            force,
        )
    return {board: _numbers(kind, row) for board, row in rows}


def _as_range(text: str) -> str:
    """Returns a range of boards. A single board is a range with one board."""
    if not isinstance(text, str):
        raise TypeError(f'boards takes text such as "5x2..60", or a list of such texts, not {text!r:.60}')
    sides = text.lower().split("x")
    return text if ".." in text or len(sides) > 2 else f"{sides[0]}x{sides[-1]}..{sides[-1]}"


def recurrence(
    boards: Union[str, Iterable[int]],
    kind: Kind = "paths",
    *,
    directed: bool = False,
    piece: Optional[str] = None,
    leaper: Optional[Leaper] = None,
    wrap: Optional[Wrap] = None,
    order: int = 200,
    memory: Optional[Memory] = None,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
    force: bool = False,
) -> Recurrence:
    """Find the linear recurrence of the counts on a line of boards, or of given numbers.

    The terms of a line come from a transfer matrix, as many as are needed. The boards of the line itself are also
    counted by a sweep and compared. For other numbers, such as those of distinct tours, pass the numbers of
    `series`.

    Parameters
    ----------
    boards : str, or iterable of int
        A line such as "5x2..60", or the numbers a(1), a(2), ...
    kind : {"paths", "closed", "open"}, default "paths"
        Kind of the tours of a line.
    directed, memory, threads, progress, force
        As for `count`.
    piece, leaper, wrap
        As for `Board`.
    order : int, default 200
        Highest order, 1 to 100000.

    Returns
    -------
    Recurrence

    Raises
    ------
    KtourError
        If there is no recurrence up to that order, or if all numbers are 0. The message gives the proof, if there
        is one.

    Examples
    --------
    >>> ktour.recurrence("3x4..20", "closed")
    <recurrence of order 21, stride 2, growth 3.1194904567551, proved>
    >>> ktour.recurrence([1, 1, 2, 3, 5, 8, 13, 21]).coefficients
    (1, 1)
    """
    with receiver(progress, "recurrence") as report:
        if isinstance(boards, str):
            moves = leaper_moves(leaper)
            run = threads, report, force
            row = _ktour.recurrence_of_line(
                boards, kind, directed, piece, moves, wrap or "none", order, memory, *run
            )
        else:
            row = _ktour.recurrence_of_terms([_check_term(term) for term in boards], threads, report)
    fields: Any = (tuple(field) if isinstance(field, list) else field for field in row)
    return Recurrence(*fields)


def _check_term(term: Any) -> int:
    """Returns a term of a sequence as an int from 0."""
    try:
        whole = operator.index(term)
    except TypeError:
        raise TypeError(f"a term is a whole number, not {term!r:.60}") from None
    if whole < 0:
        raise InvalidInputError(f"term {whole} is below 0; give terms from 0")
    return whole


def estimate(
    board: BoardLike,
    kind: Kind = "paths",
    *,
    start: Square = None,
    end: Square = None,
    memory: Optional[Memory] = None,
    probes: int = 32,
    seed: Optional[int] = None,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
) -> Estimate:
    """Estimate time, memory and disk of a count, without running it.

    Usually takes one or two seconds. A dry run stops after 8 seconds.

    Parameters
    ----------
    board : Board, str, int, tuple of int, or graph
        The board, as for `Board`.
    kind : {"paths", "closed", "open"}, default "paths"
        Kind of the tours.
    start, end, memory, threads, progress
        As for `count`.
    probes : int, default 32
        Random walks per unit of work, 2 to 1000000.
    seed : int, optional
        Seed of the walks, from 0 to 2**64 - 1. Default: a random seed, which the result names.

    Returns
    -------
    dict
        - "board", "kind": title of the board, and the kind.
        - "search": None if the board is too large for a search, else a dict with nodes, nodes_error, tours,
          tours_error (standard errors) and seconds. The nodes are those of a list of all tours; a count visits
          fewer.
        - "sweep": None if a sweep is impossible, else a dict with seconds, memory_bytes (peak of the process),
          min_memory_bytes (with everything else on disk), disk_bytes (layers beyond `memory`), exact (True if a
          dry run computed them) and fits (True if memory and disk suffice). Bytes are None for more than any
          machine has.
        - "cheaper": the engine that `count` chooses.
        - "seed": the seed.

    Raises
    ------
    InvalidInputError
        If an argument is not allowed.

    Examples
    --------
    >>> ktour.estimate("12x12")["search"] is None
    True
    """
    board, seed = to_board(board), choose_seed(seed)
    ends = to_number(board, start, "start"), to_number(board, end, "end")
    with receiver(progress, f"estimate of {board.title} {kind}") as report:
        search, sweep, cheaper = _ktour.estimate(board, kind, *ends, memory, probes, seed, threads, report)
    return {
        "board": board.title,
        "kind": kind,
        "search": search and SearchEstimate(**dict(zip(SearchEstimate.__annotations__, search))),  # type: ignore[typeddict-item]
        "sweep": sweep and SweepEstimate(**dict(zip(SweepEstimate.__annotations__, sweep))),  # type: ignore[typeddict-item]
        "cheaper": cheaper,
        "seed": seed,
    }
