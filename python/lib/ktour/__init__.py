"""Counts, lists, samples and draws knight's tours, and Hamiltonian paths and cycles of any graph.

    >>> import ktour
    >>> ktour.count("6x6", "closed")
    9862
    >>> ktour.count("5x5", "paths", start="a1")
    304
    >>> ktour.find("8x8", "closed", seed=7)      # in a notebook, a picture
    <closed tour of 8x8: a1 b3 a5 b7 ... e7 f5 d4 c2>

A board argument is a Board, text such as "6x8", sides, a graph of networkx, a dict from nodes to neighbours, or a list
of edges. Kinds of tours: "closed" (return to the
start), "paths" (need not return), "open" (paths whose ends are not a move apart). Where one kind is needed, the
default is "paths". Other Python threads run during a call, Ctrl-C stops it, and nothing is printed.
"""

from collections.abc import Sequence as _Sequence
from types import FunctionType as _FunctionType
from typing import get_type_hints as _get_type_hints

from ._board import Board, BoardLike
from ._counting import Estimate, classes, count, estimate
from ._errors import (
    FileError,
    GaveUpError,
    InvalidInputError,
    KtourError,
    NoTourError,
    OutOfMemoryError,
    StoppedError,
    TooLongError,
)
from ._index import Index
from ._ktour import Tour, Tours, __version__
from ._listing import complete, find, read_tours, sheet, tours
from ._numbered import rank, sample, stats, unrank
from ._progress import Progress, Reading
from ._results import Counts, Recurrence, SeriesCounts, Stats
from ._series import recurrence, series
from ._svg import Svg
from ._tour_tree import TourTree, next_moves, tour_tree
from ._types import Engine, GraphLike, Kind, Leaper, Memory, Moves, Palette, Rule, Square, Symmetry, Wrap

_Sequence.register(Tour)  # pyright: ignore[reportAttributeAccessIssue]

__all__ = [
    "Board",
    "BoardLike",
    "Counts",
    "Engine",
    "Estimate",
    "FileError",
    "GaveUpError",
    "GraphLike",
    "Index",
    "InvalidInputError",
    "Kind",
    "KtourError",
    "Leaper",
    "Memory",
    "Moves",
    "NoTourError",
    "OutOfMemoryError",
    "Palette",
    "Progress",
    "Reading",
    "Recurrence",
    "Rule",
    "SeriesCounts",
    "Square",
    "Stats",
    "StoppedError",
    "Svg",
    "Symmetry",
    "TooLongError",
    "Tour",
    "TourTree",
    "Tours",
    "Wrap",
    "__version__",
    "classes",
    "complete",
    "count",
    "estimate",
    "find",
    "next_moves",
    "rank",
    "read_tours",
    "recurrence",
    "sample",
    "series",
    "sheet",
    "stats",
    "tour_tree",
    "tours",
    "unrank",
]


def _publish() -> None:
    """Makes messages, pickles and `help` name the classes and functions by the public module."""
    for name in __all__:
        thing = globals()[name]
        if isinstance(thing, (type, _FunctionType)) and thing.__module__.startswith("ktour._"):
            if isinstance(thing, type) and "__annotations__" in vars(thing):
                # The public module does not have the names in these texts.
                thing.__annotations__ = _get_type_hints(thing)
                if issubclass(thing, tuple):
                    # The signature of a named tuple.
                    thing.__new__.__annotations__ = thing.__annotations__
            thing.__module__ = "ktour"


_publish()
