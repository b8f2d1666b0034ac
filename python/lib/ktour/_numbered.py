"""Functions that use an index once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import List, Literal, Optional, SupportsIndex, Union, overload

from ._board import BoardLike
from ._errors import short_repr
from ._index import Index
from ._ktour import Tour
from ._progress import Progress
from ._results import Stats
from ._types import Kind, Memory, Path, Square


def sample(
    board: BoardLike,
    kind: Kind = "paths",
    *,
    distinct: bool = False,
    start: Square = None,
    end: Square = None,
    number: int = 1,
    seed: Optional[int] = None,
    folder: Optional[Path] = None,
    memory: Optional[Memory] = None,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
    force: bool = False,
) -> List[Tour]:
    """Draw tours uniformly and independently.

    Builds an `Index`, which takes about twice the time of a count. For several calls use `Index` or `folder`.

    Parameters
    ----------
    board, kind, start, end, folder, memory, threads, progress, force
        As for `Index`.
    distinct : bool, default False
        True to make every class under the symmetries of the board equally likely.
    number : int, default 1
        Number of tours.
    seed : int, optional
        Seed from 0 to 2**64 - 1. Equal seeds give equal tours. Default: a random seed from the module `random`;
        each tour has it as ``tour.seed``.

    Returns
    -------
    list of Tour

    Raises
    ------
    NoTourError
        If the board has no tour.
    KtourError
        The exceptions of `Index`.

    Examples
    --------
    >>> [tour.kind for tour in ktour.sample("6x6", "closed", number=3)]
    ['closed', 'closed', 'closed']
    """
    index = Index(
        board,
        kind,
        start=start,
        end=end,
        folder=folder,
        memory=memory,
        threads=threads,
        progress=progress,
        force=force,
    )
    return index.sample(number, distinct=distinct, seed=seed, threads=threads, progress=progress)


@overload
def unrank(
    board: BoardLike,
    kind: Literal["closed", "paths"] = ...,
    *,
    start: Square = ...,
    end: Square = ...,
    numbers: Iterable[SupportsIndex],
    folder: Optional[Path] = ...,
    memory: Optional[Memory] = ...,
    threads: Optional[int] = ...,
    progress: Optional[Progress] = ...,
    force: bool = ...,
) -> List[Tour]: ...
@overload
def unrank(
    board: BoardLike,
    kind: Literal["closed", "paths"] = ...,
    *,
    start: Square = ...,
    end: Square = ...,
    numbers: SupportsIndex,
    folder: Optional[Path] = ...,
    memory: Optional[Memory] = ...,
    threads: Optional[int] = ...,
    progress: Optional[Progress] = ...,
    force: bool = ...,
) -> Tour: ...
def unrank(
    board: BoardLike,
    kind: Literal["closed", "paths"] = "paths",
    *,
    start: Square = None,
    end: Square = None,
    numbers: Union[SupportsIndex, Iterable[SupportsIndex]],
    folder: Optional[Path] = None,
    memory: Optional[Memory] = None,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
    force: bool = False,
) -> Union[Tour, List[Tour]]:
    """Return the tour with a number, or the tours with several numbers.

    Builds an `Index`, which takes about twice the time of a count. For several calls use `Index` or `folder`.

    Parameters
    ----------
    board, start, end, folder, memory, threads, progress, force
        As for `Index`.
    kind : {"paths", "closed"}, default "paths"
        Kind of the tours. Open tours have no numbers.
    numbers : int, or iterable of int
        Numbers from 0.

    Returns
    -------
    Tour, or list of Tour

    Raises
    ------
    IndexError
        If no tour has the number.
    KtourError
        The exceptions of `Index`.

    Examples
    --------
    >>> tour = ktour.unrank("5x6", "closed", numbers=3)
    >>> ktour.rank(tour)
    3
    """
    index = Index(
        board,
        kind,
        start=start,
        end=end,
        folder=folder,
        memory=memory,
        threads=threads,
        progress=progress,
        force=force,
    )
    return index.unrank(numbers, threads=threads, progress=progress)


@overload
def rank(
    tours: Tour,
    *,
    start: Square = ...,
    end: Square = ...,
    folder: Optional[Path] = ...,
    memory: Optional[Memory] = ...,
    threads: Optional[int] = ...,
    progress: Optional[Progress] = ...,
    force: bool = ...,
) -> int: ...
@overload
def rank(
    tours: Iterable[Tour],
    *,
    start: Square = ...,
    end: Square = ...,
    folder: Optional[Path] = ...,
    memory: Optional[Memory] = ...,
    threads: Optional[int] = ...,
    progress: Optional[Progress] = ...,
    force: bool = ...,
) -> List[int]: ...
def rank(
    tours: Union[Tour, Iterable[Tour]],
    *,
    start: Square = None,
    end: Square = None,
    folder: Optional[Path] = None,
    memory: Optional[Memory] = None,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
    force: bool = False,
) -> Union[int, List[int]]:
    """Return the number of a tour among all tours of its board and kind, or the numbers of several tours.

    Builds an `Index`, which takes about twice the time of a count. For several calls use `Index` or `folder`.

    Parameters
    ----------
    tours : Tour, or iterable of Tour
        Tours of one board and one kind.
    start, end, folder, memory, threads, progress, force
        As for `Index`.

    Returns
    -------
    int, or list of int

    Raises
    ------
    KtourError
        For a tour without a number, and the exceptions of `Index`.

    Examples
    --------
    >>> ktour.rank(ktour.unrank("5x6", "closed", numbers=[3, 5]))
    [3, 5]
    """
    if isinstance(tours, str) or not isinstance(tours, Iterable):
        remedy = "; use ktour.Tour(board, text)" if isinstance(tours, str) else ""
        raise TypeError(f"tours takes a Tour, or an iterable of Tours, not {short_repr(tours)}{remedy}")
    if not isinstance(tours, Tour):
        tours = list(tours)
        if not tours:
            return []
    first = tours if isinstance(tours, Tour) else tours[0]
    if not isinstance(first, Tour):
        raise TypeError(f"tours takes a Tour, or an iterable of Tours, not {short_repr(first)}")
    index = Index(
        first.board,
        "closed" if first.kind == "closed" else "paths",
        start=start,
        end=end,
        folder=folder,
        memory=memory,
        threads=threads,
        progress=progress,
        force=force,
    )
    return index.rank(tours, threads=threads, progress=progress)


def stats(
    board: BoardLike,
    kind: Kind = "paths",
    *,
    start: Square = None,
    end: Square = None,
    folder: Optional[Path] = None,
    memory: Optional[Memory] = None,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
    force: bool = False,
) -> Stats:
    """Count the uses of each move and the ends on each square, over all tours, exactly.

    Builds an `Index`, which takes about twice the time of a count.

    Parameters
    ----------
    board, kind, start, end, folder, memory, threads, progress, force
        As for `Index`.

    Returns
    -------
    Stats

    Raises
    ------
    KtourError
        The exceptions of `Index`.

    Examples
    --------
    >>> ktour.stats("6x6", "closed").moves["a1", "b3"]
    9862
    """
    index = Index(
        board,
        kind,
        start=start,
        end=end,
        folder=folder,
        memory=memory,
        threads=threads,
        progress=progress,
        force=force,
    )
    return index.stats(threads=threads, progress=progress)
