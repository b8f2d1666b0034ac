"""Types of arguments, for annotations."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, List, Literal, Protocol, Tuple, Union

Kind = Literal["closed", "open", "paths"]
"""Kind of tours: they return to the start; their ends are not a move apart; any paths."""

Engine = Literal["auto", "backtrack", "multipath", "frontier"]
"""Method of a count."""

Symmetry = Literal["rot180", "rot90", "axial", "diagonal", "eulerian", "bergholtian"]
"""Name of a symmetry of tours."""

Palette = Literal["wood", "viridis", "mono"]
"""Colours of a picture."""

Wrap = Literal[
    "none", "cols", "cylinder", "rows", "torus", "mobius", "moebius", "möbius", "klein", "projective"
]
"""Edges of a board that are joined."""

Rule = Literal[
    "auto",
    "warnsdorff",
    "warnsdorff-first",
    "pohl",
    "pohl-3",
    "pohl-4",
    "pohl-5",
    "pohl-6",
    "roth",
    "squirrel-cull",
    "w2",
    "w+",
]
"""Walking rule of `find`."""

Leaper = Union[Tuple[int, int], List[Tuple[int, int]]]
"""Moves of a piece: (1, 2) for a knight, or several such pairs."""

Square = Any
"""Name of a square, such as "a1"; on a board made from a graph, a node of any type."""


Moves = Union[str, Iterable[Union[str, Iterable[Any]]]]
"""Moves: [("a1", "b3"), ("c2", "e1", "g2")], where three squares are two moves, or "a1-b3,c2-e1-g2"."""


class GraphLike(Protocol):
    """An undirected graph: an object with `nodes` and `edges`, such as a networkx.Graph."""

    @property
    def nodes(self) -> Any:
        """Iterable of nodes."""

    @property
    def edges(self) -> Any:
        """Iterable of tuples that begin with two nodes."""


Memory = Union[int, str]
"""Bytes, or text such as "8G"."""

Path = Union[str, os.PathLike[str]]
"""Path of a file or folder."""
