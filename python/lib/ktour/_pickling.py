"""Functions that pickles call."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

from ._board import Board
from ._ktour import Tour


def restore_graph(nodes: Tuple[Any, ...], edges: List[Tuple[int, int]], pos: Dict[Any, Any]) -> Board:
    """Returns the board of a graph. edges: pairs of positions in nodes."""
    return Board._from_edges(nodes, edges, pos)


def restore_restricted(board: Board, required: List[Tuple[int, int]], forbidden: List[Tuple[int, int]]) -> Board:
    """Returns a board with required and forbidden moves, as pairs of numbers."""
    return board._restricted(required, forbidden)


def restore_tour(board: Board, vertices: Sequence[int], closed: bool, seed: Optional[int] = None) -> Tour:
    """Returns the tour of a board with these numbers of squares, and the seed that drew it."""
    tour = Tour.from_numpy(board, vertices, closed)
    return tour if seed is None else tour._with_seed(seed)
