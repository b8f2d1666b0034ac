"""Counts, lists, samples and draws knight's tours, and Hamiltonian paths and cycles of any graph.

    >>> import ktour
    >>> ktour.count("6x6", "closed")
    9862
    >>> ktour.count("5x5", "paths", start="a1")
    304
    >>> ktour.find("8x8", "closed")          # in a notebook, a picture
    <closed tour of 8x8 from a1 to c2>

A board argument is a Board, text such as "6x8", or a graph of networkx. Kinds of tours: "closed" (return to the
start), "paths" (need not return), "open" (paths whose ends are not a move apart). Other Python threads run during a
call, Ctrl-C stops it, and nothing is printed.
"""

from collections.abc import Iterable as _Iterable, Sequence as _Sequence

from ._results import Counts, Recurrence
from ._errors import Error, GaveUp, NoTour, OutOfMemory, Stopped, TooLong, UsageError
from ._ktour import (
    Board,
    Index,
    Stats,
    Tour,
    Tours,
    __version__,
    classes,
    count,
    estimate,
    find,
    read_tours,
    recurrence,
    series,
    sheet as _sheet,
    tours,
)
from ._progress import Reading

_Sequence.register(Tour)
_Sequence.register(Board)

__all__ = [
    "Board",
    "Counts",
    "Error",
    "GaveUp",
    "Index",
    "NoTour",
    "OutOfMemory",
    "Reading",
    "Recurrence",
    "Stats",
    "Stopped",
    "Svg",
    "TooLong",
    "Tour",
    "Tours",
    "UsageError",
    "classes",
    "count",
    "estimate",
    "find",
    "rank",
    "read_tours",
    "recurrence",
    "sample",
    "series",
    "sheet",
    "stats",
    "tours",
    "unrank",
]


class Svg(str):
    """SVG text, a str. Notebooks show it as a picture."""

    def _repr_svg_(self):
        return str(self)


def sheet(tours, *, columns=None, cell=None, numbers=None, palette="wood"):
    """Draws several tours, also of different boards, as one picture. Returns an Svg (a str).

    - columns: tours per row. Default: about as many as rows.
    - cell: side of a square in pixels, 1 to 1000.
    - numbers: write the move numbers. Default: where they fit.
    - palette: "wood", "viridis" or "mono". Default: "wood".

    Raises UsageError if there is no tour.
    """
    return Svg(_sheet(tours, columns=columns, cell=cell, numbers=numbers, palette=palette))


def sample(
    board,
    number=1,
    kind="paths",
    *,
    seed=0,
    distinct=False,
    start=None,
    end=None,
    index=None,
    memory=None,
    threads=None,
    progress=None,
    force=False,
):
    """Draws tours uniformly and independently. Returns a list of Tours.

    - number: number of tours. Default: 1.
    - kind: "paths", "closed" or "open". Default: "paths".
    - seed: a number from 0 to 2**64 - 1. Equal seeds give equal tours. Default: 0.
    - distinct: make every class under the symmetries of the board equally likely.
    - index: path of a folder that stores the index. Default: the index is built in memory at every call. For
      several calls use Index.
    - start, end, memory, threads, progress, force: as for Index.

    Raises NoTour if the board has no tour, and the exceptions of Index.
    """
    all_tours = Index(
        board,
        kind,
        start=start,
        end=end,
        folder=index,
        memory=memory,
        threads=threads,
        progress=progress,
        force=force,
    )
    return all_tours.sample(number, seed=seed, distinct=distinct, threads=threads, progress=progress)


def unrank(
    board,
    numbers,
    kind="paths",
    *,
    start=None,
    end=None,
    index=None,
    memory=None,
    threads=None,
    progress=None,
    force=False,
):
    """Returns the tour with a number (an int from 0), or a list of tours for a list of numbers.

    kind: "paths" or "closed". Default: "paths". start, end, index, memory, threads, progress, force: as for sample.

    Raises IndexError if no tour has the number, and the exceptions of Index.
    """
    all_tours = Index(
        board,
        kind,
        start=start,
        end=end,
        folder=index,
        memory=memory,
        threads=threads,
        progress=progress,
        force=force,
    )
    return all_tours.unrank(numbers, threads=threads, progress=progress)


def rank(
    tours, *, start=None, end=None, index=None, memory=None, threads=None, progress=None, force=False
):
    """Returns the number of a tour among all tours of its board and kind, or a list of numbers for several tours.

    All tours must be of one board and one kind. start, end, index, memory, threads, progress, force: as for sample.

    Raises Error for a tour without a number, and the exceptions of Index.
    """
    first = tours
    if not isinstance(tours, Tour):
        if isinstance(tours, str) or not isinstance(tours, _Iterable):
            raise TypeError(f"rank takes a Tour, or several, not {tours!r:.60}")
        tours = list(tours)
        if not tours:
            return []
        first = tours[0]
        if not isinstance(first, Tour):
            raise TypeError(f"rank takes a Tour, or several, not {first!r:.60}")
    kind = "closed" if first.kind == "closed" else "paths"
    all_tours = Index(
        first.board,
        kind,
        start=start,
        end=end,
        folder=index,
        memory=memory,
        threads=threads,
        progress=progress,
        force=force,
    )
    return all_tours.rank(tours, threads=threads, progress=progress)


def stats(
    board,
    kind="paths",
    *,
    start=None,
    end=None,
    index=None,
    memory=None,
    threads=None,
    progress=None,
    force=False,
):
    """Counts the uses of each move and the ends on each square, over all tours, exactly. Returns Stats.

    kind, start, end, index, memory, threads, progress, force: as for sample.

    Raises the exceptions of Index.
    """
    all_tours = Index(
        board,
        kind,
        start=start,
        end=end,
        folder=index,
        memory=memory,
        threads=threads,
        progress=progress,
        force=force,
    )
    return all_tours.stats(threads=threads, progress=progress)
