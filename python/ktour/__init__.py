"""Knight's tours, and Hamiltonian tours of any graph: counted, listed, sampled, drawn.

    >>> import ktour
    >>> ktour.count("6x6", "closed")
    9862
    >>> ktour.count("5x5", "paths", start="a1")
    304
    >>> ktour.find("8x8", "closed")          # in a notebook, a picture
    <closed tour of 8x8 from a1 to c2>

Everything that takes a board takes a Board, text such as "6x8", or a graph of networkx. Kinds of tours: "closed";
"paths", which need not return; "open", the paths whose ends are not a move apart. The interpreter is free while
something is counted, Ctrl-C works, and nothing is printed.
"""

from collections.abc import Iterable as _Iterable, Sequence as _Sequence

from ._counts import Counts, Recurrence
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
    "recurrence",
    "sample",
    "series",
    "sheet",
    "stats",
    "tours",
    "unrank",
]


class Svg(str):
    """SVG text that a notebook shows as a picture."""

    def _repr_svg_(self):
        return str(self)


def sheet(tours, *, columns=None, cell=None, numbers=None, palette="wood"):
    """Many tours in one picture: an Svg, which is text that a notebook shows.

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
    """A list of tours drawn uniformly from all, each independent of the others.

    index: a folder where the index of all tours is kept, made once; without it, it is made in memory every time
    (Index does the same for many questions). memory, threads, progress, force: as for Index. The same seed gives the
    same tours. Raises what Index raises, and NoTour if there is none.
    """
    made = Index(
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
    return made.sample(number, seed=seed, distinct=distinct, threads=threads, progress=progress)


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
    """The tour of a number, from 0 to one less than the count, or a list of them for a list of numbers.

    index, memory, threads, progress, force: as for sample. Raises IndexError for a number that no tour has, and what
    Index raises.
    """
    made = Index(
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
    return made.unrank(numbers, threads=threads, progress=progress)


def rank(
    tours, *, start=None, end=None, index=None, memory=None, threads=None, progress=None, force=False
):
    """The number of a tour among all of its board and kind, or a list of them for tours of one board.

    index, memory, threads, progress, force: as for sample. Raises what Index raises.
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
    made = Index(
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
    return made.rank(tours, threads=threads, progress=progress)


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
    """How many of all tours use each move and end on each square: Stats, in a notebook a heat map.

    index, memory, threads, progress, force: as for sample. Raises what Index raises.
    """
    made = Index(
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
    return made.stats(threads=threads, progress=progress)
