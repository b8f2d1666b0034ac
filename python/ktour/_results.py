"""Result types of counts, recurrences and statistics."""

from typing import List, NamedTuple, Optional


class Counts(NamedTuple):
    """Numbers of tours by kind. None for a kind that does not exist with the given arguments.

    closed: tours that return to their start. open: paths whose ends are not a move apart. paths: all paths.
    """

    closed: Optional[int]
    open: Optional[int]
    paths: Optional[int]


class Recurrence(NamedTuple):
    """A linear recurrence: a(n) = coefficients[0] a(n-1) + coefficients[1] a(n-2) + ... for n > holds_after.

    With stride s > 1, a(n) is 0 unless n is a multiple of s, and the recurrence relates a(s m) to a(s (m-1)), ...

    - order: number of coefficients.
    - numerator, denominator: coefficients of the generating function in x**s, constant term first.
    - growth: limit of the ratio of numbers per unit of length, or None.
    - terms: number of terms that the recurrence was found in.
    - verified: number of these terms that follow from earlier ones.
    - beyond: number of verified terms beyond those needed to find the recurrence.
    - proved: True if the number of states bounds the order, so that the recurrence holds for all n. Otherwise it
      is only known to fit the terms.
    """

    order: int
    stride: int
    coefficients: List[int]
    holds_after: int
    numerator: List[int]
    denominator: List[int]
    growth: Optional[float]
    terms: int
    verified: int
    beyond: int
    proved: bool


class Moves(dict):
    """Numbers by move. Each move is stored once, as a pair of squares, and found in either order."""

    def _reversed(self, move):
        """Returns the reversed pair of a move if that pair is stored, else None."""
        if isinstance(move, tuple) and len(move) == 2:
            pair = (move[1], move[0])
            if dict.__contains__(self, pair):
                return pair
        return None

    def __missing__(self, move):
        pair = self._reversed(move)
        if pair is None:
            raise KeyError(move)
        return self[pair]

    def __contains__(self, move):
        return dict.__contains__(self, move) or self._reversed(move) is not None

    def get(self, move, default=None):
        return self[move] if move in self else default


for _class in (Counts, Recurrence):
    _class.__module__ = "ktour"
del _class
