"""Functions that count tours of one board."""

from __future__ import annotations

from typing import Any, Dict, Literal, Optional, Tuple, TypedDict, Union, overload

from . import _ktour
from ._board import BoardLike, to_board, to_number
from ._index import check_path, choose_seed
from ._progress import Progress, receiver
from ._results import Counts
from ._types import Engine, Kind, Memory, Path, Square, Symmetry


class SearchEstimate(TypedDict):
    """Estimate of a search for all tours by random walks.

    The number of tours is from `tours_low` to `tours_high` in about 9 of 10 cases. The errors are standard errors of
    the walks, whose distribution is so skew that the interval is much wider.
    """

    nodes: float
    nodes_error: float
    tours_mean: float
    tours_error: float
    tours_low: float
    tours_high: float
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
    board_text: str
    kind: Kind
    search: Optional[SearchEstimate]
    sweep: Optional[SweepEstimate]
    cheaper: Optional[Engine]
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
    per_start: Literal[True],
    engine: Engine = ...,
    memory: Optional[Memory] = ...,
    threads: Optional[int] = ...,
    checkpoint: Optional[Path] = ...,
    progress: Optional[Progress] = ...,
    force: bool = ...,
) -> Dict[Square, int]: ...
@overload
def count(
    board: BoardLike,
    kind: None = ...,
    *,
    per_start: Literal[True],
    engine: Engine = ...,
    memory: Optional[Memory] = ...,
    threads: Optional[int] = ...,
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
    threads run during the count, and Ctrl-C stops it within a quarter of a second; with `checkpoint` it first
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
        ``ktour resume``, resumes from it. The file and FILE.previous stay after the count. During a sweep, layers
        are in the folder FILE.sweep.
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
        return {board[vertex]: to_numbers(kind, row) for vertex, row in rows if vertex is not None}
    found: Union[int, Counts] = to_numbers(kind, rows[0][1])
    return found


def to_numbers(kind: Optional[Kind], row: Tuple[Any, Any, Any]) -> Any:
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


def estimate(
    board: BoardLike,
    kind: Kind = "paths",
    *,
    start: Square = None,
    end: Square = None,
    seed: Optional[int] = None,
    probes: int = 32,
    memory: Optional[Memory] = None,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
) -> Estimate:
    """Estimate time, memory and disk of a count, without running it.

    Usually takes one or two seconds, and up to half a minute for each sweep of a wide board.

    Parameters
    ----------
    board : Board, str, int, tuple of int, or graph
        The board, as for `Board`.
    kind : {"paths", "closed", "open"}, default "paths"
        Kind of the tours.
    start, end, memory, threads, progress
        As for `count`.
    seed : int, optional
        Seed of the walks, from 0 to 2**64 - 1. Default: a random seed, which the result names.
    probes : int, default 32
        Random walks per unit of work, 2 to 1000000.

    Returns
    -------
    dict
        - "board", "board_text", "kind": title and text of the board, ``Board.title`` and ``str(board)``, and the
          kind.
        - "search": None if the board is too large for a search, else a dict with nodes, nodes_error, tours_mean,
          tours_error (standard errors), tours_low, tours_high (an interval that holds in about 9 of 10 cases) and
          seconds. The nodes are those of a list of all tours; a count visits fewer.
        - "sweep": None if a sweep is impossible, else a dict with seconds, memory_bytes (peak of the process),
          min_memory_bytes (with everything else on disk), disk_bytes (layers beyond `memory`), exact (True if a
          dry run computed them) and fits (True if memory and disk suffice). Bytes are None for more than any
          machine has.
        - "cheaper": the engine that `count` chooses; None if no engine can count the board.
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
        "board_text": str(board),
        "kind": kind,
        "search": search and SearchEstimate(**dict(zip(SearchEstimate.__annotations__, search))),  # type: ignore[typeddict-item]
        "sweep": sweep and SweepEstimate(**dict(zip(SweepEstimate.__annotations__, sweep))),  # type: ignore[typeddict-item]
        "cheaper": cheaper,
        "seed": seed,
    }
