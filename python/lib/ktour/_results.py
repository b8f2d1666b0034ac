"""Results: numbers of tours, recurrences, statistics and pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple, TypeVar, final

from . import _ktour
from ._board import Board
from ._svg import Svg
from ._types import Kind, Square

# A formula shows at most this many terms.
MAX_LATEX_TERMS = 8


class Counts(NamedTuple):
    """Numbers of tours by kind. None for a kind that does not exist with the given arguments.

    Attributes
    ----------
    closed : int or None
        Tours that return to their start.
    open : int or None
        Paths whose ends are not a move apart.
    paths : int or None
        All paths.
    """

    closed: Optional[int]
    open: Optional[int]
    paths: Optional[int]


Numbers = TypeVar("Numbers", int, Counts)


class SeriesCounts(Dict[str, Numbers]):
    """Numbers of tours by board, from `series`: a dict from the sides of each board, such as "5x6".

    Examples
    --------
    >>> ktour.series("5x6..8", "closed")
    {'5x6': 8, '5x7': 0, '5x8': 44202}
    """

    def to_frame(self) -> Any:
        """Return the numbers as a table. Needs pandas.

        Returns
        -------
        pandas.DataFrame
            A row for each board with the columns rows and cols, and tours, or closed, open and paths. The index
            has the keys of the dict. Numbers are of type object, which holds ints of any size.

        Examples
        --------
        >>> ktour.series("5x6..8", "closed").to_frame()  # doctest: +SKIP
             rows  cols  tours
        5x6     5     6      8
        5x7     5     7      0
        5x8     5     8  44202
        """
        try:
            import pandas
        except ModuleNotFoundError:
            raise ModuleNotFoundError("pandas is not installed; use pip install pandas") from None
        sides = [[int(side) for side in board.split("x")] for board in self]
        columns = {"rows": [rows for rows, _ in sides], "cols": [cols for _, cols in sides]}
        table = pandas.DataFrame(columns, index=list(self))
        rows = [numbers if isinstance(numbers, Counts) else (numbers,) for numbers in self.values()]
        names = Counts._fields if any(len(row) > 1 for row in rows) else ("tours",)
        for name, column in zip(names, zip(*rows)):
            table[name] = pandas.Series(list(column), index=table.index, dtype=object)
        return table


class Recurrence(NamedTuple):
    """A linear recurrence ``a(n) = coefficients[0] a(n-1) + coefficients[1] a(n-2) + ...`` for n > holds_after.

    With a stride s > 1, a(n) is 0 unless n is a multiple of s, and the recurrence relates a(s m) to a(s (m-1)), ...
    Notebooks show the formula.

    Attributes
    ----------
    order : int
        Number of coefficients.
    stride : int
        The stride s.
    coefficients : tuple of int
        Coefficients, that of the latest term first.
    holds_after : int
        The recurrence holds for n above this number.
    numerator, denominator : tuple of int
        Coefficients of the generating function in x**s, constant term first.
    growth : float or None
        Limit of the ratio of numbers per unit of length.
    terms : int
        Number of terms in which the recurrence was found.
    verified : int
        Number of these terms that follow from earlier ones.
    beyond : int
        Number of verified terms beyond those needed to find the recurrence.
    proved : bool
        True if the number of states bounds the order, so that the recurrence holds for all n. Otherwise it is only
        known to fit the terms.
    """

    order: int
    stride: int
    coefficients: Tuple[int, ...]
    holds_after: int
    numerator: Tuple[int, ...]
    denominator: Tuple[int, ...]
    growth: Optional[float]
    terms: int
    verified: int
    beyond: int
    proved: bool

    def __repr__(self) -> str:
        proof = "proved" if self.proved else "not proved"
        return f"<recurrence of order {self.order}, stride {self.stride}, growth {self.growth}, {proof}>"

    def _repr_latex_(self) -> str:
        terms: List[str] = []
        for number, factor in enumerate(self.coefficients, 1):
            if factor:
                sign = "-" if factor < 0 else "+" if terms else ""
                size = "" if abs(factor) == 1 else f"{abs(factor)}\\,"
                terms.append(f"{sign} {size}a_{{n-{number * self.stride}}}".strip())
        if len(terms) > MAX_LATEX_TERMS:
            terms[MAX_LATEX_TERMS - 1 : -1] = ["+ \\cdots"]
        return f"$a_n = {' '.join(terms)}$"


class Uses(Mapping[Any, int]):
    """Numbers of tours by square or move; a read-only mapping."""

    __slots__ = ("_numbers",)

    def __init__(self, numbers: Dict[Any, int]) -> None:
        self._numbers = numbers

    def __getitem__(self, key: Any) -> int:
        return self._numbers[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __hash__(self) -> int:
        return hash(frozenset(self._numbers.items()))

    def __reduce__(self) -> Tuple[Any, ...]:
        # The first pickle protocols refuse classes with slots.
        return type(self), (self._numbers,)

    def __repr__(self) -> str:
        return repr(self._numbers)


class Moves(Uses):
    """Numbers of tours by move, a pair of squares in either order. Iteration yields the pairs of ``board.moves()``."""

    __slots__ = ()

    def __getitem__(self, move: Any) -> int:
        if isinstance(move, tuple) and len(move) == 2 and move not in self._numbers:
            turned = move[1], move[0]
            if turned in self._numbers:
                return self._numbers[turned]
        return self._numbers[move]


@final
@dataclass(frozen=True, repr=False)
class Stats:
    """Statistics of all tours of a board, from `stats`. Notebooks show them as a heat map.

    Two objects are equal if all attributes are. They are hashable and picklable.

    Attributes
    ----------
    board : Board
        Board of the tours.
    kind : str
        Kind of the tours: "closed", "open" or "paths".
    total : int
        Number of tours.
    moves : mapping of tuple to int
        For each move, a pair of squares in either order, the number of tours that use it.
    ends : mapping of square to int
        For each square, the number of tours that start or end there. Empty for closed tours.

    Examples
    --------
    >>> stats = ktour.stats("6x6", "closed")
    >>> stats.total, stats.moves["a1", "b3"], stats.moves["b3", "a1"]
    (9862, 9862, 9862)
    """

    __slots__ = ("board", "kind", "total", "moves", "ends")

    board: Board
    kind: Kind
    total: int
    moves: Mapping[Tuple[Square, Square], int]
    ends: Mapping[Square, int]

    def svg(self) -> Svg:
        """Draw a heat map: the darker a move or square, the more tours use it.

        Returns
        -------
        Svg
            The SVG text, a str.

        Examples
        --------
        >>> ktour.stats("5x6", "closed").svg()[:4]
        '<svg'
        """
        number = {square: number for number, square in enumerate(self.board.squares)}
        total = self.total or 1
        moves = [(number[v], number[w], uses / total) for (v, w), uses in self.moves.items()]
        ends = [uses / total for uses in self.ends.values()] if self.kind != "closed" else None
        title = f"{self.board.title} {self.kind}: {self.total} tours"
        return Svg(_ktour.heat_map(self.board, title, moves, ends))

    def _repr_svg_(self) -> Svg:
        return self.svg()

    def __reduce__(self) -> Tuple[Any, ...]:
        return Stats, (self.board, self.kind, self.total, self.moves, self.ends)

    def __repr__(self) -> str:
        return f"<use of moves in all {self.total} {kind_plural(self.kind)} of {self.board.title}>"


def kind_plural(kind: Kind) -> str:
    """Returns the name of several tours of a kind."""
    return "paths" if kind == "paths" else f"{kind} tours"


def make_stats(
    board: Board, kind: Kind, total: int, moves: List[Tuple[Tuple[int, int], int]], ends: List[int]
) -> Stats:
    """Creates statistics from numbers of squares."""
    squares = board.squares
    by_move = Moves({(squares[v], squares[w]): uses for (v, w), uses in moves})
    return Stats(board, kind, total, by_move, Uses(dict(zip(squares, ends))))
